/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_api - hostile use of zs.h: every public function with any handle, size, view, page
 * reference, class and order, on two pools at once, which are destroyed and made anew at any time.
 * Only what zs.h forbids to the caller is left out: pointers that aren't valid for the size named.
 *
 * Input: 8 bytes that choose the configuration, then records of 8 bytes, one call each. Any bytes
 * will do.
 */
#include <stdlib.h>
#include <string.h>

#include "caller.h"
#include "counters.h"
#include "fail.h"
#include "target.h"

#define RECORD 8
#define CHECK_EVERY 16    /* operations between two walks */
#define ARENA_BYTES 32768 /* most of a pool's */
#define BUFFER_BYTES 4096 /* most that a call is given to read or write; more than a usable size */

/* One record, taken apart. */
struct call {
	struct caller *caller;
	struct caller *twin;
	uint32_t mode; /* 0 .. 3: how the handle is chosen */
	uint32_t pick;
	uint32_t a, b, c; /* 16 bits each */
};

/* ---- arguments ------------------------------------------------------------------------------- */

static uint32_t two_bytes(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

/* A value near a limit for the upper half of what 16 bits can say, else below the limit. */
static size_t any_size(uint32_t choice, size_t limit)
{
	const size_t corners[] = { 0,         1,        limit - 1,    limit,
				   limit + 1, SIZE_MAX, SIZE_MAX / 2, UINT32_MAX };

	if (choice & 0x8000)
		return corners[choice % 8];
	return choice % (limit + 1);
}

static uint32_t any_index(uint32_t choice)
{
	if (choice < 0xff00)
		return choice % 64;
	return choice & 1 ? UINT32_MAX - (choice & 0xff) / 2 : choice;
}

static struct caller_object *any_object(const struct call *call)
{
	return &call->caller->objects[call->pick % CALLER_OBJECTS];
}

static zs_handle any_handle(const struct call *call)
{
	zs_handle own = any_object(call)->handle;
	const zs_handle raw[] = { 0, UINT64_MAX, call->b, (zs_handle)call->a << 48 | call->b };

	switch (call->mode) {
	case 2:
		return own ^ 1ULL << (call->c % 64) ^ (zs_handle)(call->c & 64);
	case 3:
		if (call->c & 1)
			return call->twin->objects[call->pick % CALLER_OBJECTS].handle;
		return raw[call->c / 2 % 4];
	default:
		return own;
	}
}

static struct zs_page_ref any_page(const struct call *call)
{
	const struct caller_hold *hold = &call->caller->holds[call->pick % CALLER_HOLDS];

	if (call->mode < 3)
		return (struct zs_page_ref){ hold->zspage, call->a % 16 };
	return (struct zs_page_ref){ any_index(call->a), any_index(call->b) };
}

/* What we hold of a zspage; nothing, most often. */
static struct caller_hold held(const struct caller *caller, uint32_t zspage)
{
	for (uint32_t i = 0; i < CALLER_HOLDS; i++)
		if (caller->holds[i].zspage == zspage &&
		    (caller->holds[i].pins != 0 || caller->holds[i].locked != 0))
			return caller->holds[i];
	return (struct caller_hold){ .zspage = zspage };
}

static bool is_locked(const struct call *call, struct zs_page_ref page)
{
	return page.index < 32 && (held(call->caller, page.zspage).locked >> page.index & 1) != 0;
}

/* Of a live object; zs.h lets it be asked for. */
static struct zs_location place(const struct call *call, zs_handle handle)
{
	struct zs_location location;

	if (zs_locate(call->caller->pool, handle, &location) != ZS_OK)
		FAIL(call->caller, handle_stability, "live handle %#llx can't be located",
		     (unsigned long long)handle);
	return location;
}

static struct zs_class_stats class_of(const struct call *call, uint32_t index)
{
	struct zs_class_stats stats;

	if (zs_class_stats(call->caller->pool, index, &stats, sizeof(stats)) != ZS_OK)
		FAIL(call->caller, result, "class %u has no statistics", index);
	return stats;
}

/* True if the object's first len bytes lie on more than one page. */
static bool spans(const struct call *call, const struct caller_object *object, size_t len)
{
	struct zs_location at = place(call, object->handle);
	size_t page_size = call->caller->config.geometry.page_size;
	uint32_t page, offset;

	if (zs_slot_address(call->caller->pool, at.zspage, at.slot, &page, &offset) != ZS_OK)
		FAIL(call->caller, span, "zspage %u slot %u has no address", at.zspage, at.slot);
	if (page >= call->caller->config.max_pages || offset >= page_size)
		FAIL(call->caller, span, "zspage %u slot %u is at page %u offset %u", at.zspage,
		     at.slot, page, offset);
	return (offset + class_of(call, at.index).size - object->usable) % page_size + len >
	       page_size;
}

/* ---- objects --------------------------------------------------------------------------------- */

static struct caller_object *unused_object(const struct call *call)
{
	for (uint32_t i = 0; i < CALLER_OBJECTS; i++) {
		struct caller_object *object =
			&call->caller->objects[(call->pick + i) % CALLER_OBJECTS];

		if (!object->live)
			return object;
	}
	return NULL;
}

static void note_object(const struct call *call, struct caller_object *object, zs_handle handle,
			size_t size)
{
	if (handle == 0 || caller_find(call->caller, handle) != NULL)
		FAIL(call->caller, handle_unique, "a new object has handle %#llx",
		     (unsigned long long)handle);
	object->handle = handle;
	object->live = true;
	object->known = 0;
	object->version++;
	if (zs_usable_size(call->caller->pool, handle, &object->usable) != ZS_OK ||
	    object->usable < size)
		FAIL(call->caller, handle_stability, "%zu bytes asked for, %zu usable", size,
		     object->usable);
}

static void do_malloc(const struct call *call)
{
	size_t page_size = call->caller->config.geometry.page_size;
	size_t size = any_size(call->a, page_size);
	struct caller_object *object = unused_object(call);
	zs_handle handle = 42;
	int expected = size == 0 ? ZS_EINVAL : size > page_size ? ZS_E2BIG : EXPECT_NO_MEMORY;

	if (object == NULL)
		return;
	caller_remember(call->caller, expected != EXPECT_NO_MEMORY || call->b % 4 == 0);
	if (caller_judge(call->caller, expected, zs_malloc(call->caller->pool, size, &handle)))
		note_object(call, object, handle, size);
	else if (handle != 42)
		FAIL(call->caller, error_unchanged, "a failed malloc stored a handle");
}

static void do_free(const struct call *call)
{
	zs_handle handle = any_handle(call);
	struct caller_object *object = caller_find(call->caller, handle);

	caller_remember(call->caller, object == NULL);
	if (caller_judge(call->caller, object ? ZS_OK : EXPECT_REFUSED,
			 zs_free(call->caller->pool, handle)) &&
	    object != NULL) {
		object->live = false;
		object->version++;
	}
}

static void do_usable_size(const struct call *call)
{
	zs_handle handle = any_handle(call);
	const struct caller_object *object = caller_find(call->caller, handle);
	size_t size = 42;

	caller_remember(call->caller, object == NULL);
	caller_judge(call->caller, object ? ZS_OK : EXPECT_REFUSED,
		     zs_usable_size(call->caller->pool, handle, &size));
	if (size != (object ? object->usable : 42))
		FAIL(call->caller, result, "usable size %zu", size);
}

static void do_write(const struct call *call)
{
	zs_handle handle = any_handle(call);
	struct caller_object *object = caller_find(call->caller, handle);
	size_t len = any_size(call->a, object ? object->usable : 64);
	int expected = EXPECT_REFUSED;
	uint8_t *data;

	if (len > BUFFER_BYTES)
		len = BUFFER_BYTES;
	data = malloc(len); /* exactly, so that ASan sees a byte too many */
	if (data == NULL && len != 0)
		return;
	if (len != 0)
		memset(data, (int)(call->b & 0xff), len);
	if (object != NULL)
		expected = len == 0 || len > object->usable ? ZS_EINVAL : ZS_OK;
	caller_remember(call->caller, expected != ZS_OK);
	if (caller_judge(call->caller, expected, zs_write(call->caller->pool, handle, data, len)) &&
	    object != NULL && data != NULL) {
		uint32_t known = (uint32_t)(len < CALLER_KNOWN ? len : CALLER_KNOWN);

		memcpy(object->bytes, data, known);
		if (object->known < known)
			object->known = known;
		object->version++;
	}
	free(data);
}

/* ---- windows --------------------------------------------------------------------------------- */

static int expected_window(const struct call *call, const struct caller_object *object, size_t len,
			   bool local)
{
	if (object == NULL)
		return EXPECT_REFUSED;
	if (len == 0 || len > object->usable)
		return ZS_EINVAL;
	return !local && spans(call, object, len) ? ZS_EINVAL : ZS_OK;
}

static struct caller_window *unused_window(struct caller *caller)
{
	for (uint32_t i = 0; i < CALLER_WINDOWS; i++)
		if (!caller->windows[i].open)
			return &caller->windows[i];
	return NULL;
}

static void note_window(const struct call *call, struct caller_window *window,
			const struct caller_object *object, size_t len)
{
	struct caller *caller = call->caller;
	struct caller_hold *hold = caller_hold(caller, window->view.zspage);

	if (window->view.len != len)
		FAIL(caller, result, "a window of %zu bytes shows %zu", len, window->view.len);
	if (window->view.zspage != place(call, object->handle).zspage)
		FAIL(caller, handle_stability, "the window is on zspage %u", window->view.zspage);
	caller_bytes(caller, object, window->view.data, len);
	hold->pins++;
	window->open = true;
	window->object = (uint32_t)(object - caller->objects);
	window->version = object->version;
	if (call->c & 0x100)
		caller_close(caller, window);
}

static void do_read_begin(const struct call *call)
{
	struct caller *caller = call->caller;
	const struct zs_view untouched = { NULL, 42, 42 };
	zs_handle handle = any_handle(call);
	const struct caller_object *object = caller_find(caller, handle);
	size_t len = any_size(call->a, object ? object->usable : 64);
	struct caller_window *window = unused_window(caller);
	int expected;

	/* A window needs a place in holds, and so may its zspage. */
	if (window == NULL || caller_hold(caller, ZS_NONE) == NULL)
		return;
	window->local = call->b & 1 && len <= BUFFER_BYTES ? malloc(len) : NULL;
	window->view = untouched;
	expected = expected_window(call, object, len, window->local != NULL);
	caller_remember(caller, expected != ZS_OK);
	if (caller_judge(caller, expected,
			 zs_read_begin(caller->pool, handle, len, window->local, &window->view)) &&
	    object != NULL) {
		note_window(call, window, object, len);
		return;
	}
	free(window->local);
	window->local = NULL;
	if (window->view.data != NULL || window->view.len != 42 || window->view.zspage != 42)
		FAIL(caller, error_unchanged, "a failed read_begin stored a view");
}

static void do_read_end(const struct call *call)
{
	struct caller_window *window = &call->caller->windows[call->pick % CALLER_WINDOWS];

	if (window->open)
		caller_close(call->caller, window);
}

/* A view that never was: all that counts is whether its zspage is pinned. */
static void do_read_end_forged(const struct call *call)
{
	struct caller *caller = call->caller;
	struct zs_view view = { NULL, call->b, any_index(call->a) };
	bool pinned;

	if (call->mode == 0)
		view.zspage = caller->holds[call->pick % CALLER_HOLDS].zspage;
	pinned = held(caller, view.zspage).pins != 0;
	/* Ours would be one short then, so only windows that aren't pinned are tried. */
	if (pinned)
		return;
	caller_remember(caller, true);
	caller_judge(caller, ZS_EINVAL, zs_read_end(caller->pool, &view));
}

/* ---- pages ----------------------------------------------------------------------------------- */

static int expected_lock(const struct call *call, const struct caller_object *object,
			 uint32_t index)
{
	struct zs_location at;

	if (object == NULL)
		return EXPECT_REFUSED;
	at = place(call, object->handle);
	if (index >= class_of(call, at.index).pages_per_zspage)
		return ZS_EINVAL;
	return is_locked(call, (struct zs_page_ref){ at.zspage, index }) ? ZS_EBUSY : ZS_OK;
}

static void do_page_lock(const struct call *call)
{
	struct caller *caller = call->caller;
	zs_handle handle = any_handle(call);
	const struct caller_object *object = caller_find(caller, handle);
	uint32_t index = call->a & 0x8000 ? any_index(call->a) : call->a % 4;
	struct zs_page_ref page = { 42, 42 };
	int expected = expected_lock(call, object, index);

	if (caller_hold(caller, ZS_NONE) == NULL)
		return;
	caller_remember(caller, expected != ZS_OK);
	if (!caller_judge(caller, expected, zs_page_lock(caller->pool, handle, index, &page))) {
		if (page.zspage != 42 || page.index != 42)
			FAIL(caller, error_unchanged, "a failed page_lock stored a page");
		return;
	}
	if (page.zspage != place(call, handle).zspage || page.index != index)
		FAIL(caller, result, "page %u of zspage %u is locked", page.index, page.zspage);
	caller_hold(caller, page.zspage)->locked |= 1U << index;
}

static void do_page_unlock(const struct call *call)
{
	struct zs_page_ref page = any_page(call);
	bool locked = is_locked(call, page);

	caller_remember(call->caller, !locked);
	if (caller_judge(call->caller, locked ? ZS_OK : ZS_EINVAL,
			 zs_page_unlock(call->caller->pool, page)))
		caller_hold(call->caller, page.zspage)->locked &= ~(1U << page.index);
}

static void do_page_migrate(const struct call *call)
{
	struct zs_page_ref page = any_page(call);
	int expected = EXPECT_NO_MEMORY;

	if (!is_locked(call, page))
		expected = ZS_EINVAL;
	else if (held(call->caller, page.zspage).pins != 0)
		expected = ZS_EBUSY;
	caller_remember(call->caller, expected != EXPECT_NO_MEMORY || call->b % 4 == 0);
	caller_judge(call->caller, expected, zs_page_migrate(call->caller->pool, page));
}

/* ---- compaction ------------------------------------------------------------------------------ */

static struct zs_pool_stats pool_stats(struct caller *caller)
{
	struct zs_pool_stats stats;

	if (zs_pool_stats(caller->pool, &stats, sizeof(stats)) != ZS_OK)
		FAIL(caller, result, "zs_pool_stats failed");
	return stats;
}

static void see_compacted(struct caller *caller, const struct zs_pool_stats *before, uint64_t freed)
{
	struct zs_pool_stats after = pool_stats(caller);

	if (after.pages > before->pages)
		FAIL(caller, compact_pages, "pages rose to %llu", (unsigned long long)after.pages);
	if (after.pages_compacted - before->pages_compacted != freed ||
	    before->pages - after.pages > freed ||
	    (before->pages - after.pages < freed && !caller_holds(caller)))
		FAIL(caller, compact_freed, "says %llu, counts %llu, held %llu then %llu",
		     (unsigned long long)freed,
		     (unsigned long long)(after.pages_compacted - before->pages_compacted),
		     (unsigned long long)before->pages, (unsigned long long)after.pages);
	if (after.objects != before->objects)
		FAIL(caller, counters, "objects %llu then %llu",
		     (unsigned long long)before->objects, (unsigned long long)after.objects);
}

static void do_compact(const struct call *call)
{
	struct caller *caller = call->caller;
	struct zs_pool_stats before = pool_stats(caller);

	see_compacted(caller, &before, zs_compact(caller->pool));
	before = pool_stats(caller);
	if (call->a & 1 && !caller_holds(caller) &&
	    (zs_compact(caller->pool) != 0 || pool_stats(caller).objs_moved != before.objs_moved))
		FAIL(caller, compact_idempotent, "the second one did something");
	caller_check_all(caller);
}

static void do_compact_class(const struct call *call)
{
	struct caller *caller = call->caller;
	struct zs_pool_stats before = pool_stats(caller);
	uint32_t index = any_index(call->a);
	bool there = index < zs_class_count(caller->pool);
	uint64_t freed = 42;

	caller_remember(caller, !there);
	if (caller_judge(caller, there ? ZS_OK : ZS_EINVAL,
			 zs_compact_class(caller->pool, index, &freed)))
		see_compacted(caller, &before, freed);
	else if (freed != 42)
		FAIL(caller, error_unchanged, "a failed compact_class stored a number");
	caller_check(caller);
}

/* ---- queries --------------------------------------------------------------------------------- */

static bool is_untouched(const uint8_t *bytes, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (bytes[i] != 0xa5)
			return false;
	return true;
}

/* Statistics into less or more room than they take. */
static void do_stats(const struct call *call)
{
	struct caller *caller = call->caller;
	union {
		struct zs_pool_stats pool;
		struct zs_class_stats class;
		uint8_t bytes[sizeof(struct zs_pool_stats) + 16];
	} stats;
	size_t size = call->b % (sizeof(stats) + 1);
	uint32_t index = any_index(call->a);
	bool right = size >= 8;
	int got;

	memset(&stats, 0xa5, sizeof(stats));
	caller_remember(caller, false);
	if (call->mode & 1) {
		got = zs_pool_stats(caller->pool, &stats.pool, size);
	} else {
		right = right && index < zs_class_count(caller->pool);
		got = zs_class_stats(caller->pool, index, &stats.class, size);
	}
	caller_judge(caller, right ? ZS_OK : ZS_EINVAL, got);
	if (!is_untouched(stats.bytes, right ? size : 0, sizeof(stats)))
		FAIL(caller, result, "statistics were written past %zu bytes", size);
}

static void do_queries(const struct call *call)
{
	struct caller *caller = call->caller;
	uint32_t count = zs_class_count(caller->pool);
	uint32_t index = zs_lookup_class_index(caller->pool, any_size(call->a, 64));
	uint64_t sum = 0;

	if (index >= count || class_of(call, index).index != index)
		FAIL(caller, geometry, "a size maps to class %u of %u", index, count);
	if (zs_class_compactable(caller->pool, count) != 0 ||
	    zs_class_compactable(caller->pool, UINT32_MAX) != 0)
		FAIL(caller, result, "a class out of range is compactable");
	for (uint32_t i = 0; i < count; i++)
		sum += zs_class_compactable(caller->pool, i);
	if (sum != zs_compactable(caller->pool))
		FAIL(caller, counters, "classes are compactable by %llu pages, the pool by %llu",
		     (unsigned long long)sum, (unsigned long long)zs_compactable(caller->pool));
	if (zs_huge_class_size(caller->pool) > caller->config.geometry.page_size)
		FAIL(caller, geometry, "huge from %zu on", zs_huge_class_size(caller->pool));
	if (zs_error_name(-(int)call->b) == NULL)
		FAIL(caller, result, "error %u has no name", call->b);
}

static void do_locate(const struct call *call)
{
	struct caller *caller = call->caller;
	zs_handle handle = any_handle(call);
	const struct caller_object *object = caller_find(caller, handle);
	struct zs_location at = { 42, 42, 42 };

	caller_remember(caller, object == NULL);
	if (!caller_judge(caller, object ? ZS_OK : EXPECT_REFUSED,
			  zs_locate(caller->pool, handle, &at))) {
		if (at.index != 42 || at.zspage != 42 || at.slot != 42)
			FAIL(caller, error_unchanged, "a failed locate stored a place");
		return;
	}
	if (zs_slot_handle(caller->pool, at.zspage, at.slot) != handle)
		FAIL(caller, handle_stability, "zspage %u slot %u holds another", at.zspage,
		     at.slot);
}

/* zs.h's formula for ZS_RATIO, the only grouping there is. */
static uint32_t group_of(uint32_t inuse, uint32_t slots)
{
	if (inuse == 0)
		return 0;
	return inuse == slots ? 11 : 100 * inuse / slots / 10 + 1;
}

static void see_slots(const struct call *call, uint32_t zspage, const struct zs_zspage_info *info)
{
	struct caller *caller = call->caller;
	uint32_t slots = class_of(call, info->index).objs_per_zspage;
	uint32_t inuse = 0;

	for (uint32_t slot = 0; slot < slots; slot++) {
		zs_handle handle = zs_slot_handle(caller->pool, zspage, slot);

		if (handle != 0 && caller_find(caller, handle) == NULL)
			FAIL(caller, handle_stale,
			     "zspage %u slot %u holds a handle that isn't live", zspage, slot);
		inuse += handle != 0;
	}
	if (inuse != info->inuse)
		FAIL(caller, counters, "zspage %u has %u objects, %u counted", zspage, inuse,
		     info->inuse);
	if (info->group != group_of(inuse, slots))
		FAIL(caller, fullness_group, "zspage %u with %u of %u in use is in group %u",
		     zspage, inuse, slots, info->group);
	if (zs_slot_handle(caller->pool, zspage, slots) != 0)
		FAIL(caller, result, "zspage %u has a slot %u", zspage, slots);
}

static void do_zspage(const struct call *call)
{
	struct caller *caller = call->caller;
	uint32_t zspage = any_index(call->a);
	uint32_t index = any_index(call->b);
	struct zs_zspage_info info = { .inuse = 42 };
	uint32_t page = 42, offset = 42;
	int there = zs_zspage_info(caller->pool, zspage, &info);

	if (there == ZS_OK)
		see_slots(call, zspage, &info);
	else if (there != ZS_EINVAL || info.inuse != 42)
		FAIL(caller, result, "zs_zspage_info of zspage %u gives %s", zspage,
		     zs_error_name(there));
	if (zs_slot_handle(caller->pool, zspage, index) != 0 && there != ZS_OK)
		FAIL(caller, result, "zspage %u isn't held but has objects", zspage);
	if (zs_slot_address(caller->pool, zspage, index, &page, &offset) != ZS_OK &&
	    (page != 42 || offset != 42))
		FAIL(caller, error_unchanged, "a failed slot_address stored an address");
	page = zs_zspage_page(caller->pool, zspage, index);
	if (page != ZS_NO_PAGE && (there != ZS_OK || page >= caller->config.max_pages))
		FAIL(caller, result, "zspage %u has page %u", zspage, page);
}

static void do_group(const struct call *call)
{
	struct caller *caller = call->caller;
	uint32_t index = any_index(call->a);
	uint32_t group = any_index(call->b);
	uint32_t size = zs_group_size(caller->pool, index, group);
	uint32_t zspage = zs_group_first(caller->pool, index, group);
	uint32_t seen = 0;

	while (zspage != ZS_NONE && seen <= size) {
		struct zs_zspage_info info;

		if (zs_zspage_info(caller->pool, zspage, &info) != ZS_OK || info.group != group)
			FAIL(caller, list_membership, "zspage %u is on the list of group %u",
			     zspage, group);
		zspage = zs_group_next(caller->pool, zspage);
		seen++;
	}
	if (seen != size)
		FAIL(caller, list_membership, "class %u group %u: %u counted, the list differs",
		     index, group, size);
	zs_group_next(caller->pool, any_index(call->c));
}

static void do_check(const struct call *call)
{
	caller_check_all(call->caller);
}

/* ---- pools ----------------------------------------------------------------------------------- */

static void do_destroy(const struct call *call)
{
	if (caller_destroy(call->caller) && caller_create(call->caller) != 0)
		abort();
}

static void do_refuse(const struct call *call)
{
	call->caller->source.refuse_after = call->a % 8;
	call->caller->source.refuse_count = call->b % 16;
}

/* Any configuration at all: the complaint and the footprint must agree about it. */
static void do_config(const struct call *call)
{
	static const uint32_t corners[] = { 0, 1, 7, 8, 64, 96, 4096, 65536, 131072, UINT32_MAX };
	struct zs_config config = call->caller->config;
	uint32_t *const fields[] = {
		&config.geometry.page_size,
		&config.geometry.min_size,
		&config.geometry.class_step,
		&config.geometry.header,
		&config.geometry.chain,
		&config.geometry.chain_rule,
		&config.geometry.tag_bits,
		&config.geometry.generation_bits,
		&config.max_pages,
		&config.max_objects,
		&config.handle_batch,
		&config.tag,
		&config.grouping,
		&config.algorithm,
	};
	size_t metadata = 42, arena = 42;
	bool complaint;
	int got;

	*fields[call->pick % 14] = call->mode == 0 ? call->a : corners[call->a % 10];
	*fields[call->b % 14] = corners[call->c % 10];
	complaint = zs_config_complaint(&config) != NULL;
	got = zs_pool_footprint(&config, &metadata, &arena);
	if (got != ZS_OK && (metadata != 42 || arena != 42))
		FAIL(call->caller, error_unchanged, "a failed footprint stored a size");
	if ((got == ZS_OK && complaint) || (got == ZS_EINVAL && !complaint) ||
	    (got != ZS_OK && got != ZS_EINVAL && got != -95))
		FAIL(call->caller, result, "footprint returned %s, the complaint is %s",
		     zs_error_name(got), complaint ? "there" : "missing");
}

/* ---- the program ----------------------------------------------------------------------------- */

struct operation {
	const char *name;
	void (*run)(const struct call *call);
};

/* By the low five bits of a record's first byte; what shapes the pool comes more often. */
static const struct operation operations[32] = {
	{ "zs_malloc", do_malloc },
	{ "zs_malloc", do_malloc },
	{ "zs_malloc", do_malloc },
	{ "zs_malloc", do_malloc },
	{ "zs_malloc", do_malloc },
	{ "zs_malloc", do_malloc },
	{ "zs_malloc", do_malloc },
	{ "zs_check", do_check },
	{ "zs_free", do_free },
	{ "zs_free", do_free },
	{ "zs_free", do_free },
	{ "zs_free", do_free },
	{ "zs_write", do_write },
	{ "zs_write", do_write },
	{ "zs_read_begin", do_read_begin },
	{ "zs_read_begin", do_read_begin },
	{ "zs_read_end", do_read_end },
	{ "zs_read_end", do_read_end_forged },
	{ "zs_page_lock", do_page_lock },
	{ "zs_page_unlock", do_page_unlock },
	{ "zs_page_migrate", do_page_migrate },
	{ "zs_compact", do_compact },
	{ "zs_compact_class", do_compact_class },
	{ "zs_usable_size", do_usable_size },
	{ "statistics", do_stats },
	{ "queries", do_queries },
	{ "zs_locate", do_locate },
	{ "zs_zspage_info", do_zspage },
	{ "groups", do_group },
	{ "zs_pool_destroy", do_destroy },
	{ "the page source", do_refuse },
	{ "zs_config_complaint", do_config },
};

/* A geometry of any kind, with small pages; one of two presets when the choice is out of range. */
static void choose_geometry(struct zs_config *config, const uint8_t *head)
{
	struct zs_geometry *geometry = &config->geometry;

	zs_config_init(config, ZS_TINY);
	geometry->page_size = 64U << (head[1] & 3);
	geometry->min_size = 8U + 8U * (head[1] >> 2 & 3);
	geometry->class_step = 8U + 8U * (head[1] >> 4 & 3);
	geometry->header = head[1] & 64 && geometry->min_size > 8 ? 8 : 0;
	geometry->chain = 1U + (head[2] & 15);
	geometry->chain_rule = head[2] & 16 ? ZS_USED_PERCENT : ZS_LEAST_WASTE;
	geometry->tag_bits = 2U + (head[2] >> 5 & 1);
	geometry->generation_bits = 2U + (head[2] >> 6);
	if (head[0] & 1 && zs_config_complaint(config) == NULL)
		return;
	zs_geometry_init(geometry, head[0] & 2 ? ZS_KERNEL_6_12 : ZS_TINY);
}

static void choose_config(struct caller *caller, const uint8_t *head, uint32_t tag)
{
	struct zs_config *config = &caller->config;
	uint32_t most;

	choose_geometry(config, head);
	most = ARENA_BYTES / config->geometry.page_size;
	config->max_pages = 1 + head[3] % (most < CALLER_PAGES ? most : CALLER_PAGES);
	config->max_objects = head[4];
	config->handle_batch = 1 + (head[5] & 63);
	config->tag = tag & ((1U << config->geometry.tag_bits) - 1);
	caller->own_source = (head[7] & 1) != 0;
	caller->from_os = (head[7] & 14) == 14;
}

static void run_record(struct caller *callers, const uint8_t *record, uint64_t number)
{
	const struct operation *operation = &operations[record[0] & 31];
	uint32_t side = record[0] >> 5 & 1;
	struct call call = {
		.caller = &callers[side],
		.twin = &callers[1 - side],
		.mode = record[0] >> 6,
		.pick = record[1],
		.a = two_bytes(record + 2),
		.b = two_bytes(record + 4),
		.c = two_bytes(record + 6),
	};

	call.caller->operation = number;
	call.caller->doing = operation->name;
	operation->run(&call);
	if (number % CHECK_EVERY == 0)
		caller_check(call.caller);
}

static uint64_t run_records(struct caller *callers, const uint8_t *data, size_t size)
{
	uint64_t number = 0;

	while (size >= RECORD) {
		run_record(callers, data, ++number);
		data += RECORD;
		size -= RECORD;
	}
	return number;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct caller callers[2];
	uint64_t number = 0;

	if (size < RECORD)
		return 0;
	memset(callers, 0, sizeof(callers));
	for (uint32_t side = 0; side < 2; side++) {
		callers[side].doing = "the start";
		choose_config(&callers[side], data, (uint32_t)data[6] >> (4 * side));
		if (caller_create(&callers[side]) != 0)
			abort();
	}
	number = run_records(callers, data + RECORD, size - RECORD);
	for (uint32_t side = 0; side < 2; side++) {
		caller_check_all(&callers[side]);
		caller_end(&callers[side]);
	}
	counters_add(number);
	return 0;
}
