/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The real mm/zbud.c as a backend: two objects a page at most, which never move. A handle is an address, so
 * reading and writing need no call.
 */
#include "../backend_without.h"

#include <stdlib.h>

#include SHIM_SOURCE

#include "wrapper.h"

struct zbud_ops; /* of the versions that evict */

struct kernel_pool {
	struct machine machine;
	struct zbud_pool *zbud;
	uint64_t pages_peak, objects, windows;
};

static struct kernel_pool *enter(void *pool)
{
	machine_enter(&((struct kernel_pool *)pool)->machine);
	return pool;
}

/* ---- objects, by their header ---------------------------------------------------------------- */

/* zbud's own way to tell which of the two it is. */
static bool is_first(zs_handle handle)
{
	return !((handle - ZHDR_SIZE_ALIGNED) & ~PAGE_MASK);
}

static size_t size_of(zs_handle handle)
{
	const struct zbud_header *header = handle_to_zbud_header(handle);

	return (size_t)(is_first(handle) ? header->first_chunks : header->last_chunks)
	       << CHUNK_SHIFT;
}

/* ---- pools ----------------------------------------------------------------------------------- */

static void zbud_preset(struct zs_config *config)
{
	*config = (struct zs_config){
		.geometry = { .page_size = PAGE_SIZE,
			      .min_size = CHUNK_SIZE,
			      .class_step = CHUNK_SIZE,
			      .chain = 1,
			      .tag_bits = 12,
			      .generation_bits = 20 },
		.max_pages = 1u << 18,
		.handle_batch = 64,
		.tag = ZS_TAG_AUTO,
	};
}

static const char *zbud_fits(const struct zs_config *config)
{
	if (config->geometry.page_size != PAGE_SIZE)
		return PAGE_SHIFT == 12 ? "page_size must be 4096 with " SHIM_NAME
					: "page_size must be that of " SHIM_NAME;
	return wrong_supply(config);
}

static struct zbud_pool *create_plain(struct zbud_pool *(*create)(gfp_t))
{
	return create(GFP_KERNEL);
}

static struct zbud_pool *create_evicting(struct zbud_pool *(*create)(gfp_t,
								     const struct zbud_ops *))
{
	return create(GFP_KERNEL, NULL);
}

typedef struct zbud_pool *plain(gfp_t);
typedef struct zbud_pool *evicting(gfp_t, const struct zbud_ops *);

/* The file's own function says which it is. */
#define CREATE _Generic(&zbud_create_pool, plain * : create_plain, evicting * : create_evicting)

static int zbud_create(const struct zs_config *config, void **opaque)
{
	const struct machine_source source = source_of(config);
	struct kernel_pool *pool;

	if (zbud_fits(config))
		return ZS_EINVAL;
	pool = calloc(1, sizeof(*pool));
	if (!pool)
		return ZS_ENOMEM;
	if (!machine_init(&pool->machine, config->max_pages, 0, &source)) {
		free(pool);
		return ZS_ENOMEM;
	}
	enter(pool);
	pool->zbud = CREATE(zbud_create_pool);
	if (!pool->zbud) {
		machine_end(&pool->machine);
		free(pool);
		return ZS_ENOMEM;
	}
	*opaque = pool;
	return leave(ZS_OK);
}

static void drain(struct kernel_pool *pool, struct list_head *list)
{
	while (!list_empty(list)) {
		struct zbud_header *header = list_first_entry(list, struct zbud_header, buddy);

		zbud_free(pool->zbud, encode_handle(header, header->first_chunks ? FIRST : LAST));
	}
}

static int kernel_destroy(void *opaque)
{
	struct kernel_pool *pool = enter(opaque);

	if (pool->windows)
		return ZS_EBUSY;
	for (size_t i = 0; i < NCHUNKS; i++)
		drain(pool, &pool->zbud->unbuddied[i]);
	for (size_t i = 1; i < NCHUNKS; i++)
		drain(pool, &pool->zbud->unbuddied[i]);
	zbud_destroy_pool(pool->zbud);
	if (pool->machine.out)
		SHIM_FAIL("%u pages are out after zbud_destroy_pool", pool->machine.out);
	machine_end(&pool->machine);
	free(pool);
	return leave(ZS_OK);
}

/* ---- objects --------------------------------------------------------------------------------- */

static int kernel_malloc(void *opaque, size_t size, zs_handle *handle)
{
	struct kernel_pool *pool = enter(opaque);
	unsigned long got;
	int error = zbud_alloc(pool->zbud, size, GFP_KERNEL, &got);

	if (error)
		return leave(error == -ENOMEM   ? ZS_ENOMEM
			     : error == -ENOSPC ? ZS_E2BIG
						: ZS_EINVAL);
	pool->objects++;
	if (pool->machine.out > pool->pages_peak)
		pool->pages_peak = pool->machine.out;
	*handle = got;
	return leave(ZS_OK);
}

static int kernel_free(void *opaque, zs_handle handle)
{
	struct kernel_pool *pool = enter(opaque);

	zbud_free(pool->zbud, handle);
	pool->objects--;
	return leave(ZS_OK);
}

static int kernel_usable_size(void *opaque, zs_handle handle, size_t *size)
{
	enter(opaque);
	*size = size_of(handle);
	return ZS_OK;
}

static int kernel_read_begin(void *opaque, zs_handle handle, size_t len, void *local,
			     struct zs_view *view)
{
	struct kernel_pool *pool = enter(opaque);

	(void)local;
	if (!len || len > size_of(handle))
		return ZS_EINVAL;
	pool->windows++;
	*view = (struct zs_view){ zbud_map(pool->zbud, handle), len, ZS_NONE };
	return ZS_OK;
}

static int kernel_read_end(void *opaque, const struct zs_view *view)
{
	struct kernel_pool *pool = enter(opaque);

	if (!pool->windows)
		return ZS_EINVAL;
	zbud_unmap(pool->zbud, (unsigned long)view->data);
	pool->windows--;
	return ZS_OK;
}

static int kernel_write(void *opaque, zs_handle handle, const void *data, size_t len)
{
	struct kernel_pool *pool = enter(opaque);

	if (!len || len > size_of(handle))
		return ZS_EINVAL;
	memcpy(zbud_map(pool->zbud, handle), data, len);
	zbud_unmap(pool->zbud, handle);
	return ZS_OK;
}

/* ---- queries --------------------------------------------------------------------------------- */

static uint64_t kernel_total_pages(void *opaque)
{
	return enter(opaque)->zbud->pages_nr;
}

/* The header takes a chunk, and another must be left. */
static size_t kernel_huge_class_size(void *opaque)
{
	(void)opaque;
	return PAGE_SIZE - ZHDR_SIZE_ALIGNED - CHUNK_SIZE + 1;
}

static int kernel_pool_stats(void *opaque, struct zs_pool_stats *stats)
{
	const struct kernel_pool *pool = enter(opaque);

	*stats = (struct zs_pool_stats){
		.version = ZS_STATS_VERSION,
		.pages = pool->zbud->pages_nr,
		.pages_peak = pool->pages_peak,
		.objects = pool->objects,
		.metadata_bytes = sizeof(*pool->zbud),
	};
	return ZS_OK;
}

/* ---- the check ------------------------------------------------------------------------------- */

static int kernel_check(void *opaque, struct zs_broken *broken)
{
	struct kernel_pool *pool = enter(opaque);
	const struct zbud_header *header;
	uint64_t pages = 0, objects = 0;

	for (size_t i = 0; i < NCHUNKS; i++) {
		list_for_each_entry(header, &pool->zbud->unbuddied[i], buddy) {
			bool both = header->first_chunks && header->last_chunks;

			*broken = (struct zs_broken){ "kernel.list", pages };
			/* List 0 holds those with both. */
			if (both != !i ||
			    (i && NCHUNKS - header->first_chunks - header->last_chunks != i))
				return ZS_ECORRUPT;
			pages++;
			objects += both ? 2 : 1;
		}
	}
	*broken = (struct zs_broken){ "kernel.pages", pages };
	if (pages != pool->zbud->pages_nr || pages != pool->machine.out)
		return ZS_ECORRUPT;
	broken->invariant = "kernel.objects";
	return objects == pool->objects ? ZS_OK : ZS_ECORRUPT;
}

/* ---- the plug-in ----------------------------------------------------------------------------- */

static const struct backend backend = {
	.name = SHIM_NAME,
	.create = zbud_create,
	.destroy = kernel_destroy,
	.malloc = kernel_malloc,
	.free = kernel_free,
	.usable_size = kernel_usable_size,
	.read_begin = kernel_read_begin,
	.read_end = kernel_read_end,
	.write = kernel_write,
	.total_pages = kernel_total_pages,
	.huge_class_size = kernel_huge_class_size,
	.pool_stats = kernel_pool_stats,
	.check = kernel_check,
	BACKEND_WITHOUT_PAGES,
	BACKEND_WITHOUT_CLASSES,
	.traits = BACKEND_TRUSTS | BACKEND_NO_PAGES | BACKEND_NO_COMPACTION |
		  BACKEND_NO_INSPECTION | BACKEND_NO_HUGE,
	.fits = zbud_fits,
	.preset = zbud_preset,
};

EXPORT_PLUGIN(backend);
