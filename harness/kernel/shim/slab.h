/* SPDX-License-Identifier: GPL-2.0 */
/*
 * slab - kmalloc, and caches of objects of one size, which are numbered: an object's number stays free to use
 * for others only once it is freed, the one freed last first, else the lowest.
 */
#ifndef SHIM_SLAB_H
#define SHIM_SLAB_H

#include "base.h"

/* The nth allocation of this kind from now on fails, then none; 0: none. */
void shim_fail_allocation(uint64_t nth);

void *kmalloc(size_t bytes, gfp_t gfp);
void *kzalloc(size_t bytes, gfp_t gfp);
void kfree(const void *p);
char *kstrdup(const char *text, gfp_t gfp);
__attribute__((format(printf, 2, 3))) char *kasprintf(gfp_t gfp, const char *format, ...);

struct kmem_cache;
struct kmem_cache *kmem_cache_create(const char *name, unsigned int size, unsigned int align,
				     unsigned int flags, void (*constructor)(void *));
void kmem_cache_destroy(struct kmem_cache *cache);
void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp);
void *kmem_cache_zalloc(struct kmem_cache *cache, gfp_t gfp);
void kmem_cache_free(struct kmem_cache *cache, void *object);

/* No more objects than that at once. */
void cache_limit(struct kmem_cache *cache, uint32_t limit);
uint32_t cache_number(const struct kmem_cache *cache, const void *object);
/* NULL: no object has that number. */
void *cache_object(const struct kmem_cache *cache, uint32_t number);
/* Bytes of its objects. */
size_t cache_bytes(const struct kmem_cache *cache);

#endif
