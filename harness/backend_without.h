/* SPDX-License-Identifier: BSD-3-Clause */
/* backend_without - what struct backend holds where a trait says that there's nothing. */
#ifndef BACKEND_WITHOUT_H
#define BACKEND_WITHOUT_H

#include "backend.h"

/* ---- BACKEND_NO_PAGES ------------------------------------------------------------------------ */

static inline int without_page_lock(void *pool, zs_handle handle, uint32_t index,
				    struct zs_page_ref *page)
{
	(void)pool, (void)handle, (void)index, (void)page;
	return ZS_EINVAL;
}

static inline int without_page(void *pool, struct zs_page_ref page)
{
	(void)pool, (void)page;
	return ZS_EINVAL;
}

#define BACKEND_WITHOUT_PAGES \
	.page_lock = without_page_lock, .page_unlock = without_page, .page_migrate = without_page

/* ---- BACKEND_NO_COMPACTION, BACKEND_NO_INSPECTION -------------------------------------------- */

static inline uint64_t without_any(void *pool)
{
	(void)pool;
	return 0;
}

static inline uint64_t without_class(void *pool, uint32_t index)
{
	(void)pool, (void)index;
	return 0;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): as struct backend has it */
static inline int without_compact_class(void *pool, uint32_t index, uint64_t *pages_freed)
{
	(void)pool, (void)index, (void)pages_freed;
	return ZS_EINVAL;
}

static inline uint32_t without_classes(void *pool)
{
	(void)pool;
	return 0;
}

static inline uint32_t without_lookup(void *pool, size_t size)
{
	(void)pool, (void)size;
	return ZS_NONE;
}

static inline int without_class_stats(void *pool, uint32_t index, struct zs_class_stats *stats)
{
	(void)pool, (void)index, (void)stats;
	return ZS_EINVAL;
}

static inline int without_locate(void *pool, zs_handle handle, struct zs_location *location)
{
	(void)pool, (void)handle, (void)location;
	return ZS_EINVAL;
}

static inline int without_zspage_info(void *pool, uint32_t zspage, struct zs_zspage_info *info)
{
	(void)pool, (void)zspage, (void)info;
	return ZS_EINVAL;
}

static inline zs_handle without_slot_handle(void *pool, uint32_t zspage, uint32_t slot)
{
	(void)pool, (void)zspage, (void)slot;
	return 0;
}

/* NOLINTBEGIN(readability-non-const-parameter): as struct backend has it */
static inline int without_slot_address(void *pool, uint32_t zspage, uint32_t slot, uint32_t *page,
				       uint32_t *offset)
/* NOLINTEND(readability-non-const-parameter) */
{
	(void)pool, (void)zspage, (void)slot, (void)page, (void)offset;
	return ZS_EINVAL;
}

static inline uint32_t without_zspage_page(void *pool, uint32_t zspage, uint32_t index)
{
	(void)pool, (void)zspage, (void)index;
	return ZS_NO_PAGE;
}

static inline uint32_t without_group_size(void *pool, uint32_t index, uint32_t group)
{
	(void)pool, (void)index, (void)group;
	return 0;
}

static inline uint32_t without_group_first(void *pool, uint32_t index, uint32_t group)
{
	(void)pool, (void)index, (void)group;
	return ZS_NONE;
}

static inline uint32_t without_group_next(void *pool, uint32_t zspage)
{
	(void)pool, (void)zspage;
	return ZS_NONE;
}

/* Neither compaction nor inspection: there are no classes. */
#define BACKEND_WITHOUT_CLASSES                                                   \
	.compact = without_any, .compact_class = without_compact_class,           \
	.compactable = without_any, .class_compactable = without_class,           \
	.class_count = without_classes, .lookup_class_index = without_lookup,     \
	.class_stats = without_class_stats, .locate = without_locate,             \
	.zspage_info = without_zspage_info, .slot_handle = without_slot_handle,   \
	.slot_address = without_slot_address, .zspage_page = without_zspage_page, \
	.group_size = without_group_size, .group_first = without_group_first,     \
	.group_next = without_group_next

#endif
