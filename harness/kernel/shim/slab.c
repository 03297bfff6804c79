/* SPDX-License-Identifier: GPL-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "poison.h"

/* ---- address space --------------------------------------------------------------------------- */

void *shim_reserve(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void shim_release(void *p, size_t bytes)
{
	munmap(p, bytes);
}

/* ---- failing --------------------------------------------------------------------------------- */

static uint64_t fail_at;

void shim_fail_allocation(uint64_t nth)
{
	fail_at = nth;
}

static bool fails(void)
{
	return fail_at && !--fail_at;
}

/* ---- kmalloc --------------------------------------------------------------------------------- */

void *kmalloc(size_t bytes, gfp_t gfp)
{
	(void)gfp;
	return fails() ? NULL : malloc(bytes);
}

void *kzalloc(size_t bytes, gfp_t gfp)
{
	(void)gfp;
	return fails() ? NULL : calloc(1, bytes);
}

void kfree(const void *p)
{
	free((void *)p);
}

char *kstrdup(const char *text, gfp_t gfp)
{
	(void)gfp;
	return fails() ? NULL : strdup(text);
}

char *kasprintf(gfp_t gfp, const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	(void)gfp;
	if (fails())
		return NULL;
	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	return length < 0 ? NULL : text;
}

/* ---- caches ---------------------------------------------------------------------------------- */

#define LIVE UINT32_MAX
#define LAST (UINT32_MAX - 1) /* nothing below it on the stack */

struct kmem_cache {
	char *objects;
	uint32_t *below; /* LIVE, else the number below it on the stack of free ones */
	size_t size;
	uint32_t limit, live;
	uint32_t fresh; /* numbers below were used */
	uint32_t top;
	uint32_t capacity;
	spinlock_t lock;
};

static size_t reserved(const struct kmem_cache *cache)
{
	return cache->capacity * (cache->size + sizeof(*cache->below));
}

struct kmem_cache *kmem_cache_create(const char *name, unsigned int size, unsigned int align,
				     unsigned int flags, void (*constructor)(void *))
{
	struct kmem_cache *cache = kzalloc(sizeof(*cache), GFP_KERNEL);

	(void)name, (void)align, (void)flags, (void)constructor;
	if (!cache)
		return NULL;
	cache->size = (size + 7UL) & ~7UL;
	cache->limit = cache->capacity = machine->objects;
	cache->top = LAST;
	cache->objects = shim_reserve(reserved(cache));
	cache->below = (uint32_t *)(cache->objects + cache->capacity * cache->size);
	spin_lock_init(&cache->lock);
	if (cache->objects)
		return cache;
	kfree(cache);
	return NULL;
}

void kmem_cache_destroy(struct kmem_cache *cache)
{
	if (!cache)
		return;
	if (cache->live)
		SHIM_FAIL("kmem_cache_destroy: %u objects are left", cache->live);
	unpoison(cache->objects, cache->fresh * cache->size);
	shim_release(cache->objects, reserved(cache));
	kfree(cache);
}

/* A number, or LAST if none is left. */
static uint32_t pop(struct kmem_cache *cache)
{
	uint32_t number = cache->top;

	if (cache->live >= cache->limit)
		return LAST;
	if (number == LAST)
		number = cache->fresh++;
	else
		cache->top = cache->below[number];
	cache->below[number] = LIVE;
	cache->live++;
	return number;
}

void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp)
{
	uint32_t number;

	(void)gfp;
	if (fails())
		return NULL;
	spin_lock(&cache->lock);
	number = pop(cache);
	spin_unlock(&cache->lock);
	if (number == LAST)
		return NULL;
	unpoison(cache->objects + number * cache->size, cache->size);
	return cache->objects + number * cache->size;
}

void *kmem_cache_zalloc(struct kmem_cache *cache, gfp_t gfp)
{
	void *object = kmem_cache_alloc(cache, gfp);

	return object ? memset(object, 0, cache->size) : NULL;
}

void kmem_cache_free(struct kmem_cache *cache, void *object)
{
	uint32_t number = cache_number(cache, object);

	spin_lock(&cache->lock);
	BUG_ON(number >= cache->fresh || cache->below[number] != LIVE);
	poison(object, cache->size);
	cache->below[number] = cache->top;
	cache->top = number;
	cache->live--;
	spin_unlock(&cache->lock);
}

void cache_limit(struct kmem_cache *cache, uint32_t limit)
{
	cache->limit = min(limit, cache->capacity);
}

uint32_t cache_number(const struct kmem_cache *cache, const void *object)
{
	return (uint32_t)((size_t)((const char *)object - cache->objects) / cache->size);
}

void *cache_object(const struct kmem_cache *cache, uint32_t number)
{
	if (number >= cache->fresh || cache->below[number] != LIVE)
		return NULL;
	return cache->objects + number * cache->size;
}

size_t cache_bytes(const struct kmem_cache *cache)
{
	return cache->live * cache->size;
}
