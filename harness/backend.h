/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * backend - one interface to whatever allocator is driven: this core, the kernel's own (harness/kernel), malloc.
 *
 * The functions mean what the zs_ functions of the same name in zs.h mean, on an opaque pool; what a
 * backend can't do of that, its traits say. Geometry, results and statistics are in zs.h's types.
 * Every function is there, whatever the traits.
 */
#ifndef BACKEND_H
#define BACKEND_H

#include "zs.h"

/* What a backend doesn't do as zs.h says, as bits. */
enum backend_trait {
	/* Handles and page references are trusted: one that isn't live or locked must not be passed. */
	BACKEND_TRUSTS = 1 << 0,
	/*
	 * One window at a time in the process, closed before any other call to any pool of the
	 * backend. It needs no local buffer. A second one, compaction, page_migrate and destroy say
	 * ZS_EBUSY (compaction frees nothing), free and malloc must not be called.
	 */
	BACKEND_ONE_WINDOW = 1 << 1,
	/* page_lock, page_unlock and page_migrate return ZS_EINVAL. */
	BACKEND_NO_PAGES = 1 << 2,
	/* Objects don't move: nothing is compactable, compaction frees and moves nothing. */
	BACKEND_NO_COMPACTION = 1 << 3,
	/*
	 * No classes, zspages or slots: class_count is 0, what returns an error returns ZS_EINVAL, what
	 * returns a number 0, ZS_NONE or ZS_NO_PAGE. pool_stats tells pages, objects and their peak.
	 */
	BACKEND_NO_INSPECTION = 1 << 4,
	/* Memory comes from elsewhere: config.source is never asked; max_pages holds all the same. */
	BACKEND_NO_SOURCE = 1 << 5,
	/* An object of huge_class_size bytes or more is refused: ZS_E2BIG. */
	BACKEND_NO_HUGE = 1 << 6,
};

struct backend {
	const char *name;
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

	unsigned int traits; /* enum backend_trait */
	/*
	 * NULL: create makes a pool of this configuration, if there is memory; else one sentence that names
	 * what it takes. A NULL pointer stands for zs_config_complaint.
	 */
	const char *(*fits)(const struct zs_config *config);
	/*
	 * A configuration that fits, with max_pages and the rest as zs_config_init leaves them. A NULL
	 * pointer stands for zs_config_init with ZS_NATIVE.
	 */
	void (*preset)(struct zs_config *config);
};

/* This project's core, memory from malloc so that sanitizers see its edges. */
extern const struct backend backend_core;

/* The C library's malloc: a block an object. Its pages are what all blocks take, in pages. */
extern const struct backend backend_malloc;

/* The functions of those names, or what stands for them. */
const char *backend_fits(const struct backend *backend, const struct zs_config *config);
void backend_preset(const struct backend *backend, struct zs_config *config);

/* The index-th name that backend_load knows beforehand; NULL past the last. */
const char *backend_name(size_t index);

/*
 * The backend that spec means: one of the names, kernel-NAME (the plug-in build/kernel/NAME.so that
 * `make kernel` makes, see harness/kernel/README.md), or the path of a plug-in, with a slash or ending in .so. The same
 * pointer each time, valid for the life of the process. NULL: why holds one sentence; it is empty
 * when spec is no name at all.
 */
const struct backend *backend_load(const char *spec, char *why, size_t room);

#endif
