/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * backend - one interface to whatever allocator is driven: this core now, others later.
 *
 * The functions mean what the zs_ functions of the same name in zs.h mean, on an opaque pool. Geometry,
 * results and statistics are in zs.h's types.
 */
#ifndef BACKEND_H
#define BACKEND_H

#include "zs.h"

struct backend {
	const char *name;
	bool trusts_handles; /* a handle that isn't live is undefined behaviour */
	int (*create)(const struct zs_config *config, void **pool);
	int (*destroy)(void *pool);
	int (*malloc)(void *pool, size_t size, zs_handle *handle);
	int (*free)(void *pool, zs_handle handle);
	int (*usable_size)(void *pool, zs_handle handle, size_t *size);
	int (*read_begin)(void *pool, zs_handle handle, size_t len, void *local,
			  struct zs_view *view);
	int (*read_end)(void *pool, const struct zs_view *view);
	int (*write)(void *pool, zs_handle handle, const void *data, size_t len);
	int (*page_lock)(void *pool, zs_handle handle, uint32_t index, struct zs_page_ref *page);
	int (*page_unlock)(void *pool, struct zs_page_ref page);
	int (*page_migrate)(void *pool, struct zs_page_ref page);
	uint64_t (*compact)(void *pool);
	int (*compact_class)(void *pool, uint32_t index, uint64_t *pages_freed);

	uint64_t (*compactable)(void *pool);
	uint64_t (*class_compactable)(void *pool, uint32_t index);
	uint64_t (*total_pages)(void *pool);
	size_t (*huge_class_size)(void *pool);
	uint32_t (*class_count)(void *pool);
	uint32_t (*lookup_class_index)(void *pool, size_t size);
	int (*pool_stats)(void *pool, struct zs_pool_stats *stats);
	int (*class_stats)(void *pool, uint32_t index, struct zs_class_stats *stats);

	int (*locate)(void *pool, zs_handle handle, struct zs_location *location);
	int (*zspage_info)(void *pool, uint32_t zspage, struct zs_zspage_info *info);
	zs_handle (*slot_handle)(void *pool, uint32_t zspage, uint32_t slot);
	int (*slot_address)(void *pool, uint32_t zspage, uint32_t slot, uint32_t *page,
			    uint32_t *offset);
	uint32_t (*zspage_page)(void *pool, uint32_t zspage, uint32_t index);
	uint32_t (*group_size)(void *pool, uint32_t index, uint32_t group);
	uint32_t (*group_first)(void *pool, uint32_t index, uint32_t group);
	uint32_t (*group_next)(void *pool, uint32_t zspage);
	int (*check)(void *pool, struct zs_broken *broken);
};

/* This project's core, memory from malloc so that sanitizers see its edges. */
extern const struct backend backend_core;

/* The index-th backend's name; NULL past the last. */
const char *backend_name(size_t index);

/* NULL: no backend has that name. */
const struct backend *backend_find(const char *name);

#endif
