/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L

#include "caller.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "wrap.h"

/* ---- the page source ------------------------------------------------------------------------- */

static uint32_t source_get(void *context, uint32_t near)
{
	struct caller_source *source = context;
	uint32_t chosen, page;

	(void)near;
	if (source->refuse_after > 0)
		source->refuse_after--;
	else if (source->refuse_count > 0) {
		source->refuse_count--;
		return ZS_NO_PAGE;
	}
	if (source->count == 0)
		return ZS_NO_PAGE;
	chosen = source->turn++ * 5 % source->count;
	page = source->free[chosen];
	source->free[chosen] = source->free[--source->count];
	return page;
}

static void source_put(void *context, uint32_t page)
{
	struct caller_source *source = context;

	source->free[source->count++] = page;
}

static void source_fill(struct caller *caller)
{
	struct caller_source *source = &caller->source;

	memset(source, 0, sizeof(*source));
	source->count = caller->config.max_pages;
	for (uint32_t i = 0; i < source->count; i++)
		source->free[i] = i;
	source->refuse_count = 0;
}

/* ---- making and ending ----------------------------------------------------------------------- */

static void release(struct caller *caller)
{
	free(caller->metadata);
	free(caller->arena);
	free(caller->arena_before);
	caller->metadata = NULL;
	caller->arena = caller->arena_before = NULL;
}

/* Memory of exactly the size that the pool asks for, so that ASan sees its edges. */
static int reserve(struct caller *caller)
{
	void *metadata = NULL;

	if (posix_memalign(&metadata, 64, caller->metadata_bytes) != 0)
		return -1;
	memset(metadata, 0xa5, caller->metadata_bytes); /* needn't be zeroed */
	caller->metadata = metadata;
	caller->arena = calloc(1, caller->arena_bytes);
	caller->arena_before = malloc(caller->arena_bytes);
	if (caller->arena == NULL || caller->arena_before == NULL) {
		release(caller);
		return -1;
	}
	return 0;
}

/* With a byte too few of either the pool must refuse. */
static void refuse_less(struct caller *caller)
{
	struct zs_pool *pool = NULL;
	int less_metadata =
		zs_pool_init(&caller->config, caller->metadata, caller->metadata_bytes - 1,
			     caller->arena, caller->arena_bytes, &pool);
	int less_arena = zs_pool_init(&caller->config, caller->metadata, caller->metadata_bytes,
				      caller->arena, caller->arena_bytes - 1, &pool);

	if (less_metadata != ZS_EINVAL || less_arena != ZS_EINVAL)
		FAIL(caller, result, "zs_pool_init with too little memory returned %d and %d",
		     less_metadata, less_arena);
	if (pool != NULL)
		FAIL(caller, error_unchanged, "zs_pool_init failed but stored a pool");
}

int caller_create(struct caller *caller)
{
	int got;

	source_fill(caller);
	caller->config.source = (struct zs_page_source){ source_get, source_put, &caller->source };
	if (caller->own_source)
		caller->config.source = (struct zs_page_source){ NULL, NULL, NULL };
	got = zs_pool_footprint(&caller->config, &caller->metadata_bytes, &caller->arena_bytes);
	if (got != ZS_OK)
		FAIL(caller, result, "zs_pool_footprint returned %d for a right configuration",
		     got);
	if (caller->from_os) {
		got = zs_pool_create(&caller->config, &caller->pool);
	} else {
		if (reserve(caller) != 0)
			return -1;
		refuse_less(caller);
		got = zs_pool_init(&caller->config, caller->metadata, caller->metadata_bytes,
				   caller->arena, caller->arena_bytes, &caller->pool);
	}
	if (got != ZS_OK)
		FAIL(caller, result, "making a pool returned %d", got);
	return 0;
}

bool caller_destroy(struct caller *caller)
{
	caller_remember(caller, caller_holds(caller));
	if (!caller_judge(caller, caller_holds(caller) ? ZS_EBUSY : ZS_OK,
			  zs_pool_destroy(caller->pool)))
		return false;
	caller->pool = NULL;
	release(caller);
	for (uint32_t i = 0; i < CALLER_OBJECTS; i++)
		caller->objects[i].live = false;
	if (!caller->own_source && caller->source.count != caller->config.max_pages)
		FAIL(caller, balance, "%u of %u pages came back", caller->source.count,
		     caller->config.max_pages);
	return true;
}

static void let_go(struct caller *caller)
{
	for (uint32_t i = 0; i < CALLER_WINDOWS; i++)
		if (caller->windows[i].open)
			caller_close(caller, &caller->windows[i]);
	for (uint32_t i = 0; i < CALLER_HOLDS; i++) {
		struct caller_hold *hold = &caller->holds[i];

		for (uint32_t page = 0; hold->locked != 0; page++)
			if (hold->locked >> page & 1) {
				struct zs_page_ref ref = { hold->zspage, page };

				caller_judge(caller, ZS_OK, zs_page_unlock(caller->pool, ref));
				hold->locked &= ~(1U << page);
			}
	}
}

void caller_end(struct caller *caller)
{
	caller->doing = "the end";
	let_go(caller);
	for (uint32_t i = 0; i < CALLER_OBJECTS; i++) {
		struct caller_object *object = &caller->objects[i];

		if (object->live)
			caller_judge(caller, ZS_OK, zs_free(caller->pool, object->handle));
		object->live = false;
	}
	caller_check(caller);
	if (zs_get_total_pages(caller->pool) != 0)
		FAIL(caller, balance, "all is freed, yet %llu pages are held",
		     (unsigned long long)zs_get_total_pages(caller->pool));
	caller_destroy(caller);
}

/* ---- results --------------------------------------------------------------------------------- */

/*
 * The arena's bytes are none of a caller's business, so sanitizers guard them: these two look past.
 * Volatile, lest the loops become calls that are guarded.
 */
#ifdef __clang__
#define UNGUARDED __attribute__((no_sanitize("address", "memory")))
#else
#define UNGUARDED __attribute__((no_sanitize_address))
#endif

UNGUARDED static void arena_copy(uint64_t *to, const volatile uint64_t *arena, size_t size)
{
	for (size_t i = 0; i < size / sizeof(*to); i++)
		to[i] = arena[i];
}

/* The byte from which on a word differs, or size. */
UNGUARDED static size_t arena_change(const uint64_t *before, const volatile uint64_t *arena,
				     size_t size)
{
	size_t i = 0;

	while (i < size / sizeof(*before) && before[i] == arena[i])
		i++;
	return i * sizeof(*before);
}

/* Of what can be seen of a zspage: its place, its counts, its objects and pages. */
static uint64_t digest_zspage(const struct zs_pool *pool, uint64_t digest, uint32_t zspage,
			      const struct zs_class_stats *class)
{
	struct zs_zspage_info info = { .inuse = 0 };

	zs_zspage_info(pool, zspage, &info);
	digest = hash_add(digest, zspage);
	digest = hash_add(digest, (uint64_t)info.inuse << 32 | info.pins);
	digest = hash_add(digest, (uint64_t)info.group << 32 | info.locked);
	for (uint32_t slot = 0; slot < class->objs_per_zspage; slot++)
		digest = hash_add(digest, zs_slot_handle(pool, zspage, slot));
	for (uint32_t page = 0; page < class->pages_per_zspage; page++)
		digest = hash_add(digest, zs_zspage_page(pool, zspage, page));
	return digest;
}

/* Of every list, in order. */
static uint64_t digest_pool(const struct zs_pool *pool)
{
	uint64_t digest = HASH_START;
	struct zs_class_stats class;

	for (uint32_t index = 0; index < zs_class_count(pool); index++) {
		if (zs_class_stats(pool, index, &class, sizeof(class)) != ZS_OK ||
		    class.index != index || class.zspages == 0)
			continue;
		for (uint32_t group = 0; group < class.groups; group++) {
			uint32_t zspage = zs_group_first(pool, index, group);

			for (; zspage != ZS_NONE; zspage = zs_group_next(pool, zspage))
				digest = digest_zspage(pool, digest, zspage, &class);
			digest = hash_add(digest, group);
		}
	}
	return digest;
}

void caller_remember(struct caller *caller, bool wholly)
{
	if (zs_pool_stats(caller->pool, &caller->stats_before, sizeof(caller->stats_before)) !=
	    ZS_OK)
		FAIL(caller, result, "zs_pool_stats failed");
	caller->remembered = wholly;
	if (!wholly)
		return;
	caller->digest_before = digest_pool(caller->pool);
	if (caller->arena != NULL)
		arena_copy(caller->arena_before, caller->arena, caller->arena_bytes);
}

static size_t first_difference(const uint8_t *a, const uint8_t *b, size_t size)
{
	size_t at = 0;

	while (at < size && a[at] == b[at])
		at++;
	return at;
}

static void see_unchanged(struct caller *caller, int got)
{
	struct zs_pool_stats stats;
	size_t at;

	if (zs_pool_stats(caller->pool, &stats, sizeof(stats)) != ZS_OK ||
	    memcmp(&stats, &caller->stats_before, sizeof(stats)) != 0)
		FAIL(caller, error_unchanged, "a call that returned %s changed a counter",
		     zs_error_name(got));
	if (!caller->remembered)
		return;
	if (digest_pool(caller->pool) != caller->digest_before)
		FAIL(caller, error_unchanged, "a call that returned %s changed a list or a place",
		     zs_error_name(got));
	if (caller->arena == NULL)
		return;
	at = arena_change(caller->arena_before, caller->arena, caller->arena_bytes);
	if (at != caller->arena_bytes)
		FAIL(caller, error_unchanged, "a call that returned %s changed arena byte %zu ff.",
		     zs_error_name(got), at);
}

static bool is_expected(int expected, int got)
{
	if (expected == EXPECT_REFUSED)
		return got == ZS_EINVAL || got == ZS_ESTALE;
	if (expected == EXPECT_NO_MEMORY)
		return got == ZS_OK || got == ZS_ENOMEM;
	return got == expected;
}

bool caller_judge(struct caller *caller, int expected, int got)
{
	if (!is_expected(expected, got)) {
		if (expected == EXPECT_REFUSED)
			FAIL(caller, handle_stale, "a handle that isn't live got %s",
			     zs_error_name(got));
		if (expected == ZS_OK && got == ZS_ESTALE)
			FAIL(caller, handle_stability, "a live handle was refused");
		FAIL(caller, result, "returned %s, expected %s", zs_error_name(got),
		     expected == EXPECT_NO_MEMORY ? "ZS_OK or ZS_ENOMEM" : zs_error_name(expected));
	}
	if (got != ZS_OK)
		see_unchanged(caller, got);
	return got == ZS_OK;
}

/* ---- what is known --------------------------------------------------------------------------- */

struct caller_object *caller_find(struct caller *caller, zs_handle handle)
{
	for (uint32_t i = 0; i < CALLER_OBJECTS; i++)
		if (caller->objects[i].live && caller->objects[i].handle == handle)
			return &caller->objects[i];
	return NULL;
}

uint32_t caller_live(const struct caller *caller)
{
	uint32_t live = 0;

	for (uint32_t i = 0; i < CALLER_OBJECTS; i++)
		live += caller->objects[i].live;
	return live;
}

static bool is_held(const struct caller_hold *hold)
{
	return hold->pins != 0 || hold->locked != 0;
}

struct caller_hold *caller_hold(struct caller *caller, uint32_t zspage)
{
	struct caller_hold *unused = NULL;

	for (uint32_t i = 0; i < CALLER_HOLDS; i++) {
		if (!is_held(&caller->holds[i]))
			unused = &caller->holds[i];
		else if (caller->holds[i].zspage == zspage)
			return &caller->holds[i];
	}
	if (unused != NULL)
		unused->zspage = zspage;
	return unused;
}

bool caller_holds(const struct caller *caller)
{
	for (uint32_t i = 0; i < CALLER_HOLDS; i++)
		if (is_held(&caller->holds[i]))
			return true;
	return false;
}

void caller_bytes(struct caller *caller, const struct caller_object *object, const void *data,
		  size_t len)
{
	size_t known = object->known < len ? object->known : len;
	size_t at = first_difference(object->bytes, data, known);

	if (at != known)
		FAIL(caller, content, "byte %zu of handle %#llx isn't the one written", at,
		     (unsigned long long)object->handle);
}

void caller_close(struct caller *caller, struct caller_window *window)
{
	const struct caller_object *object = &caller->objects[window->object];
	struct caller_hold *hold = caller_hold(caller, window->view.zspage);

	if (object->live && object->version == window->version)
		caller_bytes(caller, object, window->view.data, window->view.len);
	caller_judge(caller, ZS_OK, zs_read_end(caller->pool, &window->view));
	hold->pins--;
	free(window->local);
	*window = (struct caller_window){ .open = false };
}

/* ---- checks ---------------------------------------------------------------------------------- */

void caller_check(struct caller *caller)
{
	struct zs_broken broken = { NULL, 0 };
	struct zs_pool_stats stats;

	if (zs_pool_stats(caller->pool, &stats, sizeof(stats)) != ZS_OK)
		FAIL(caller, result, "zs_pool_stats failed");
	if (stats.objects != caller_live(caller))
		FAIL(caller, counters, "%llu objects counted, %u are live",
		     (unsigned long long)stats.objects, caller_live(caller));
	if (stats.pages != zs_get_total_pages(caller->pool) || stats.pages > stats.pages_peak)
		FAIL(caller, counters, "%llu pages counted, peak %llu",
		     (unsigned long long)stats.pages, (unsigned long long)stats.pages_peak);
	if (!caller->own_source && stats.pages + caller->source.count != caller->config.max_pages)
		FAIL(caller, pages_accounting, "%llu pages held, %u at the source, %u in all",
		     (unsigned long long)stats.pages, caller->source.count,
		     caller->config.max_pages);
	if (zs_check(caller->pool, &broken) != ZS_OK)
		FAIL(caller, check, "%s at %llu", broken.invariant,
		     (unsigned long long)broken.where);
}

static void check_object(struct caller *caller, const struct caller_object *object)
{
	struct zs_location location;
	uint8_t local[CALLER_KNOWN];
	struct zs_view view;
	size_t len = object->known > 0 ? object->known : 1;

	if (zs_locate(caller->pool, object->handle, &location) != ZS_OK)
		FAIL(caller, handle_stability, "live handle %#llx is refused",
		     (unsigned long long)object->handle);
	if (zs_slot_handle(caller->pool, location.zspage, location.slot) != object->handle)
		FAIL(caller, handle_stability, "the place of handle %#llx names another",
		     (unsigned long long)object->handle);
	if (zs_read_begin(caller->pool, object->handle, len, local, &view) != ZS_OK)
		FAIL(caller, handle_stability, "live handle %#llx can't be read",
		     (unsigned long long)object->handle);
	caller_bytes(caller, object, view.data, view.len);
	if (zs_read_end(caller->pool, &view) != ZS_OK)
		FAIL(caller, result, "a window opened can't be closed");
}

static void check_hold(struct caller *caller, const struct caller_hold *hold)
{
	struct zs_zspage_info info;

	if (zs_zspage_info(caller->pool, hold->zspage, &info) != ZS_OK)
		FAIL(caller, list_membership, "zspage %u is held by us and gone", hold->zspage);
	if (info.pins != hold->pins || info.locked != hold->locked)
		FAIL(caller, counters, "zspage %u has %u pins and locks %#x, ours are %u and %#x",
		     hold->zspage, info.pins, info.locked, hold->pins, hold->locked);
}

void caller_check_all(struct caller *caller)
{
	for (uint32_t i = 0; i < CALLER_HOLDS; i++)
		if (is_held(&caller->holds[i]))
			check_hold(caller, &caller->holds[i]);
	for (uint32_t i = 0; i < CALLER_OBJECTS; i++)
		if (caller->objects[i].live)
			check_object(caller, &caller->objects[i]);
	for (uint32_t i = 0; i < CALLER_WINDOWS; i++) {
		const struct caller_window *window = &caller->windows[i];
		const struct caller_object *object = &caller->objects[window->object];

		if (window->open && object->live && object->version == window->version)
			caller_bytes(caller, object, window->view.data, window->view.len);
	}
	caller_check(caller);
}
