/* SPDX-License-Identifier: BSD-3-Clause */
/* The C library's malloc as a backend: what a moving allocator is held against. */
#define _DEFAULT_SOURCE
#include "backend.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "backend_without.h"

#define CHUNK 8 /* bytes of glibc's before each block */

/* A handle is the address of one of these. */
struct block {
	struct block *next, *previous;
	size_t size;
	unsigned char bytes[];
};

struct heap {
	struct block *live;
	uint64_t page_size, max_bytes;
	uint64_t bytes, bytes_peak; /* taken by blocks, all counted */
	uint64_t objects, windows;
};

static struct block *block_of(zs_handle handle)
{
	struct block *block;

	memcpy(&block, &handle, sizeof(handle));
	return block;
}

static uint64_t taken_by(struct block *block)
{
	return malloc_usable_size(block) + CHUNK;
}

static uint64_t pages(const struct heap *heap, uint64_t bytes)
{
	return (bytes + heap->page_size - 1) / heap->page_size;
}

/* ---- pools ----------------------------------------------------------------------------------- */

static int heap_create(const struct zs_config *config, void **pool)
{
	struct heap *heap;

	if (zs_config_complaint(config))
		return ZS_EINVAL;
	heap = calloc(1, sizeof(*heap));
	if (!heap)
		return ZS_ENOMEM;
	heap->page_size = config->geometry.page_size;
	heap->max_bytes = config->max_pages * heap->page_size;
	*pool = heap;
	return ZS_OK;
}

static int heap_destroy(void *pool)
{
	struct heap *heap = pool;

	if (heap->windows)
		return ZS_EBUSY;
	while (heap->live) {
		struct block *block = heap->live;

		heap->live = block->next;
		free(block);
	}
	free(heap);
	return ZS_OK;
}

/* ---- objects --------------------------------------------------------------------------------- */

static int heap_malloc(void *pool, size_t size, zs_handle *handle)
{
	struct heap *heap = pool;
	struct block *block;

	if (!size)
		return ZS_EINVAL;
	if (size > heap->page_size)
		return ZS_E2BIG;
	block = malloc(sizeof(*block) + size);
	if (!block || heap->bytes + taken_by(block) > heap->max_bytes) {
		free(block);
		return ZS_ENOMEM;
	}
	*block = (struct block){ .next = heap->live, .size = size };
	if (heap->live)
		heap->live->previous = block;
	heap->live = block;
	heap->objects++;
	heap->bytes += taken_by(block);
	if (heap->bytes > heap->bytes_peak)
		heap->bytes_peak = heap->bytes;
	*handle = (uintptr_t)block;
	return ZS_OK;
}

static int heap_free(void *pool, zs_handle handle)
{
	struct heap *heap = pool;
	struct block *block = block_of(handle);

	if (block->next)
		block->next->previous = block->previous;
	if (block->previous)
		block->previous->next = block->next;
	else
		heap->live = block->next;
	heap->objects--;
	heap->bytes -= taken_by(block);
	free(block);
	return ZS_OK;
}

static int heap_usable_size(void *pool, zs_handle handle, size_t *size)
{
	(void)pool;
	*size = block_of(handle)->size;
	return ZS_OK;
}

static int heap_read_begin(void *pool, zs_handle handle, size_t len, void *local,
			   struct zs_view *view)
{
	struct heap *heap = pool;
	struct block *block = block_of(handle);

	(void)local;
	if (!len || len > block->size)
		return ZS_EINVAL;
	heap->windows++;
	*view = (struct zs_view){ block->bytes, len, ZS_NONE };
	return ZS_OK;
}

static int heap_read_end(void *pool, const struct zs_view *view)
{
	struct heap *heap = pool;

	(void)view;
	if (!heap->windows)
		return ZS_EINVAL;
	heap->windows--;
	return ZS_OK;
}

static int heap_write(void *pool, zs_handle handle, const void *data, size_t len)
{
	struct block *block = block_of(handle);

	(void)pool;
	if (!len || len > block->size)
		return ZS_EINVAL;
	memcpy(block->bytes, data, len);
	return ZS_OK;
}

/* ---- queries --------------------------------------------------------------------------------- */

static uint64_t heap_total_pages(void *pool)
{
	const struct heap *heap = pool;

	return pages(heap, heap->bytes);
}

static size_t heap_huge_class_size(void *pool)
{
	(void)pool;
	return 0;
}

static int heap_pool_stats(void *pool, struct zs_pool_stats *stats)
{
	const struct heap *heap = pool;

	*stats = (struct zs_pool_stats){
		.version = ZS_STATS_VERSION,
		.pages = pages(heap, heap->bytes),
		.pages_peak = pages(heap, heap->bytes_peak),
		.objects = heap->objects,
		.metadata_bytes = sizeof(*heap) + heap->objects * (sizeof(struct block) + CHUNK),
	};
	return ZS_OK;
}

static int heap_check(void *pool, struct zs_broken *broken)
{
	const struct heap *heap = pool;
	uint64_t objects = 0;

	for (const struct block *block = heap->live; block && objects <= heap->objects;
	     block = block->next)
		objects++;
	if (objects == heap->objects)
		return ZS_OK;
	*broken = (struct zs_broken){ "malloc.objects", objects };
	return ZS_ECORRUPT;
}

const struct backend backend_malloc = {
	.name = "malloc",
	.create = heap_create,
	.destroy = heap_destroy,
	.malloc = heap_malloc,
	.free = heap_free,
	.usable_size = heap_usable_size,
	.read_begin = heap_read_begin,
	.read_end = heap_read_end,
	.write = heap_write,
	.total_pages = heap_total_pages,
	.huge_class_size = heap_huge_class_size,
	.pool_stats = heap_pool_stats,
	.check = heap_check,
	BACKEND_WITHOUT_PAGES,
	BACKEND_WITHOUT_CLASSES,
	.traits = BACKEND_TRUSTS | BACKEND_NO_PAGES | BACKEND_NO_COMPACTION |
		  BACKEND_NO_INSPECTION | BACKEND_NO_SOURCE,
};
