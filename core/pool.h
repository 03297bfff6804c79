/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pool - the shell around the classes: configuration, memory, page source; the public API.
 *
 * This header is what pool.c, layout.c, inspect.c and check.c share; callers see zs.h only.
 */
#ifndef POOL_H
#define POOL_H

#include "geometry.h"
#include "poison.h"
#include "source.h"

struct zs_pool {
	struct zs_config config; /* source is never unset here */
	struct zs_class *class;  /* smallest size first */
	uint32_t classes;
	uint32_t logical;                    /* classes before merging */
	uint16_t class_of[GEOMETRY_CLASSES]; /* logical class -> position in class[] */
	uint16_t *class_of_eighths;          /* slot size / 8, rounded up -> position in class[] */

	struct zspages zspages;
	struct handles handles;
	uint8_t *arena;
	struct page_stack stack; /* the built-in source */
	uint8_t *seen;           /* a bit a page: scratch of zs_check */

	uint64_t pages;
	uint64_t pages_peak;
	uint64_t pages_migrated;
	size_t fixed_bytes;   /* of metadata, whatever the pool holds */
	size_t mapped_bytes;  /* > 0: the pool lies in memory reserved from the OS */
	struct poison poison; /* last, so that it costs nobody anything */
};

/*
 * Carves a pool's metadata out of memory of at least the size that layout_bytes gives, and fills
 * all that is fixed. The configuration has passed zs_config_complaint. O(classes and their slots).
 */
struct zs_pool *layout_pool(const struct zs_config *config, void *memory);

/* Bytes that layout_pool needs. */
uint64_t layout_bytes(const struct zs_config *config);

/* The class of an object of size bytes, 0 .. page_size, header not included. */
static inline struct zs_class *pool_class_of_size(const struct zs_pool *pool, size_t size)
{
	size_t eighths = (size + pool->config.geometry.header + 7) / 8;
	size_t last = pool->config.geometry.page_size / 8;

	return &pool->class[pool->class_of_eighths[eighths < last ? eighths : last]];
}

/* The class of a logical index, or NULL if that is out of range. */
struct zs_class *pool_class(const struct zs_pool *pool, uint32_t index);

/* A live object, taken apart. */
struct pool_object {
	uint32_t entry, z, slot;
	struct zs_class *class;
};

/* Fills *object for a handle, or returns the error that zs.h promises for a wrong one. O(1). */
int pool_find(const struct zs_pool *pool, zs_handle handle, struct pool_object *object);

/* The number of a zspage's i-th page. */
static inline uint32_t pool_page(const struct zs_pool *pool, uint32_t z, uint32_t i)
{
	return (uint32_t)(zspage_pages(&pool->zspages, z)[i] / pool->config.geometry.page_size);
}

/* True if a number is that of a zspage that is held. */
bool pool_holds(const struct zs_pool *pool, uint32_t zspage);

#endif
