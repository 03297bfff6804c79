/* SPDX-License-Identifier: BSD-3-Clause */
/* lies - functions for struct backend that misbehave around the core, for the tests of more than one judge. */
#ifndef LIES_H
#define LIES_H

#include "backend.h"

/* The page source of the pool made last, for lies that use it behind the pool's back. */
static struct zs_page_source source;

static inline int create_remembers(const struct zs_config *config, void **pool)
{
	source = config->source;
	return backend_core.create(config, pool);
}

static inline int free_accepts(void *pool, zs_handle handle)
{
	backend_core.free(pool, handle);
	return ZS_OK;
}

static inline int locate_slips(void *pool, zs_handle handle, struct zs_location *location)
{
	int error = backend_core.locate(pool, handle, location);

	location->slot ^= 1;
	return error;
}

static inline int zspage_info_group(void *pool, uint32_t zspage, struct zs_zspage_info *info)
{
	int error = backend_core.zspage_info(pool, zspage, info);

	info->group++;
	return error;
}

static inline uint32_t group_next_circles(void *pool, uint32_t zspage)
{
	(void)pool;
	return zspage;
}

static inline int pool_stats_objects(void *pool, struct zs_pool_stats *stats)
{
	int error = backend_core.pool_stats(pool, stats);

	stats->objects++;
	return error;
}

static inline uint64_t total_pages_grows(void *pool)
{
	return backend_core.total_pages(pool) + 1;
}

static inline uint64_t compact_boasts(void *pool)
{
	return backend_core.compact(pool) + 1;
}

static inline int check_complains(void *pool, struct zs_broken *broken)
{
	(void)pool;
	*broken = (struct zs_broken){ "made.up", 7 };
	return ZS_ECORRUPT;
}

static inline uint32_t lookup_slips(void *pool, size_t size)
{
	return backend_core.lookup_class_index(pool, size) + 1;
}

static inline uint32_t class_count_slips(void *pool)
{
	return backend_core.class_count(pool) + 1;
}

static inline size_t huge_slips(void *pool)
{
	return backend_core.huge_class_size(pool) + 1;
}

static inline int usable_size_slips(void *pool, zs_handle handle, size_t *size)
{
	int error = backend_core.usable_size(pool, handle, size);

	*size += error == ZS_OK;
	return error;
}

#endif
