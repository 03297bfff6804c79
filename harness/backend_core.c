/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The core as a backend. Its metadata comes from malloc, to the byte, so that sanitizers guard it; its
 * arena from the OS, between pages that trap, as a sanitizer's malloc would mark each byte of it.
 */
#define _POSIX_C_SOURCE 200809L

#include <sanitizer/asan_interface.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend.h"
#include "os.h"

/* A mapping: a page that traps, a gap of less than a page, the arena, a page that traps. */
struct fenced {
	uint8_t *start;
	size_t size;
	size_t page;
	size_t gap;
};

struct core {
	struct zs_pool *pool;
	void *metadata;
	struct fenced fenced;
};

/* Maps memory for an arena, 0s. Returns NULL if there is none. */
static void *map_arena(struct fenced *fenced, size_t arena)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (arena + page - 1) / page * page;
	uint8_t *start = os_reserve(inner + 2 * page);

	if (start == NULL)
		return NULL;
	*fenced = (struct fenced){ start, inner + 2 * page, page, inner - arena };
	if (mprotect(start, page, PROT_NONE) || mprotect(start + page + inner, page, PROT_NONE))
		return NULL;
	ASAN_POISON_MEMORY_REGION(start + page, fenced->gap);
	return start + page + fenced->gap;
}

static void unmap_arena(const struct fenced *fenced)
{
	if (fenced->start == NULL)
		return;
	ASAN_UNPOISON_MEMORY_REGION(fenced->start + fenced->page, fenced->gap);
	os_unreserve(fenced->start, fenced->size);
}

static struct zs_pool *pool_of(void *pool)
{
	return ((struct core *)pool)->pool;
}

static void release(struct core *core)
{
	free(core->metadata);
	unmap_arena(&core->fenced);
	free(core);
}

static int core_create(const struct zs_config *config, void **pool)
{
	size_t metadata, size;
	int error = zs_pool_footprint(config, &metadata, &size);
	struct core *core;
	void *arena;

	if (error)
		return error;
	core = calloc(1, sizeof(*core));
	if (core == NULL)
		return ZS_ENOMEM;
	if (posix_memalign(&core->metadata, 64, metadata))
		core->metadata = NULL;
	arena = map_arena(&core->fenced, size);
	error = core->metadata && arena
			? zs_pool_init(config, core->metadata, metadata, arena, size, &core->pool)
			: ZS_ENOMEM;
	if (error) {
		release(core);
		return error;
	}
	*pool = core;
	return ZS_OK;
}

static int core_destroy(void *pool)
{
	int error = zs_pool_destroy(pool_of(pool));

	if (error == ZS_OK)
		release(pool);
	return error;
}

static int core_malloc(void *pool, size_t size, zs_handle *handle)
{
	return zs_malloc(pool_of(pool), size, handle);
}

static int core_free(void *pool, zs_handle handle)
{
	return zs_free(pool_of(pool), handle);
}

static int core_usable_size(void *pool, zs_handle handle, size_t *size)
{
	return zs_usable_size(pool_of(pool), handle, size);
}

static int core_read_begin(void *pool, zs_handle handle, size_t len, void *local,
			   struct zs_view *view)
{
	return zs_read_begin(pool_of(pool), handle, len, local, view);
}

static int core_read_end(void *pool, const struct zs_view *view)
{
	return zs_read_end(pool_of(pool), view);
}

static int core_write(void *pool, zs_handle handle, const void *data, size_t len)
{
	return zs_write(pool_of(pool), handle, data, len);
}

static int core_page_lock(void *pool, zs_handle handle, uint32_t index, struct zs_page_ref *page)
{
	return zs_page_lock(pool_of(pool), handle, index, page);
}

static int core_page_unlock(void *pool, struct zs_page_ref page)
{
	return zs_page_unlock(pool_of(pool), page);
}

static int core_page_migrate(void *pool, struct zs_page_ref page)
{
	return zs_page_migrate(pool_of(pool), page);
}

static uint64_t core_compact(void *pool)
{
	return zs_compact(pool_of(pool));
}

static int core_compact_class(void *pool, uint32_t index, uint64_t *pages_freed)
{
	return zs_compact_class(pool_of(pool), index, pages_freed);
}

static uint64_t core_compactable(void *pool)
{
	return zs_compactable(pool_of(pool));
}

static uint64_t core_class_compactable(void *pool, uint32_t index)
{
	return zs_class_compactable(pool_of(pool), index);
}

static uint64_t core_total_pages(void *pool)
{
	return zs_get_total_pages(pool_of(pool));
}

static size_t core_huge_class_size(void *pool)
{
	return zs_huge_class_size(pool_of(pool));
}

static uint32_t core_class_count(void *pool)
{
	return zs_class_count(pool_of(pool));
}

static uint32_t core_lookup_class_index(void *pool, size_t size)
{
	return zs_lookup_class_index(pool_of(pool), size);
}

static int core_pool_stats(void *pool, struct zs_pool_stats *stats)
{
	return zs_pool_stats(pool_of(pool), stats, sizeof(*stats));
}

static int core_class_stats(void *pool, uint32_t index, struct zs_class_stats *stats)
{
	return zs_class_stats(pool_of(pool), index, stats, sizeof(*stats));
}

static int core_locate(void *pool, zs_handle handle, struct zs_location *location)
{
	return zs_locate(pool_of(pool), handle, location);
}

static int core_zspage_info(void *pool, uint32_t zspage, struct zs_zspage_info *info)
{
	return zs_zspage_info(pool_of(pool), zspage, info);
}

static zs_handle core_slot_handle(void *pool, uint32_t zspage, uint32_t slot)
{
	return zs_slot_handle(pool_of(pool), zspage, slot);
}

static int core_slot_address(void *pool, uint32_t zspage, uint32_t slot, uint32_t *page,
			     uint32_t *offset)
{
	return zs_slot_address(pool_of(pool), zspage, slot, page, offset);
}

static uint32_t core_zspage_page(void *pool, uint32_t zspage, uint32_t index)
{
	return zs_zspage_page(pool_of(pool), zspage, index);
}

static uint32_t core_group_size(void *pool, uint32_t index, uint32_t group)
{
	return zs_group_size(pool_of(pool), index, group);
}

static uint32_t core_group_first(void *pool, uint32_t index, uint32_t group)
{
	return zs_group_first(pool_of(pool), index, group);
}

static uint32_t core_group_next(void *pool, uint32_t zspage)
{
	return zs_group_next(pool_of(pool), zspage);
}

static int core_check(void *pool, struct zs_broken *broken)
{
	return zs_check(pool_of(pool), broken);
}

const struct backend backend_core = {
	.name = "core",
	.create = core_create,
	.destroy = core_destroy,
	.malloc = core_malloc,
	.free = core_free,
	.usable_size = core_usable_size,
	.read_begin = core_read_begin,
	.read_end = core_read_end,
	.write = core_write,
	.page_lock = core_page_lock,
	.page_unlock = core_page_unlock,
	.page_migrate = core_page_migrate,
	.compact = core_compact,
	.compact_class = core_compact_class,
	.compactable = core_compactable,
	.class_compactable = core_class_compactable,
	.total_pages = core_total_pages,
	.huge_class_size = core_huge_class_size,
	.class_count = core_class_count,
	.lookup_class_index = core_lookup_class_index,
	.pool_stats = core_pool_stats,
	.class_stats = core_class_stats,
	.locate = core_locate,
	.zspage_info = core_zspage_info,
	.slot_handle = core_slot_handle,
	.slot_address = core_slot_address,
	.zspage_page = core_zspage_page,
	.group_size = core_group_size,
	.group_first = core_group_first,
	.group_next = core_group_next,
	.check = core_check,
};
