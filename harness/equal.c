/* SPDX-License-Identifier: BSD-3-Clause */
#include "equal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "model.h"
#include "plugin.h"
#include "replay.h"

#define NONE MODEL_NONE
#define SHORT 8            /* zspages of a list that are compared after each operation */
#define GENERATION_BITS 20 /* the most: freeing an entry a million times retires it */
#define PROGRESS 4096      /* operations between two calls of progress */

/* A zspage, by its number on each side. */
struct pair {
	uint32_t id[2];
	uint32_t class;
	uint32_t group;
	bool held;
	uint32_t unused; /* the next one that isn't held */
};

struct object {
	uint32_t name;
	bool live;
	zs_handle handle[2]; /* 0: it never had one */
	uint64_t size;       /* asked for */
	size_t known;        /* bytes [0, known) were written */
	uint32_t pair;
	uint32_t slot;
};

struct lock {
	uint32_t pair;
	struct zs_page_ref page[2];
};

/* A class. */
struct shape {
	uint32_t groups;
	uint32_t pages;
	uint32_t held; /* zspages */
};

struct equal {
	struct oracle side[2]; /* backend, pool, page source, two buffers; no model */
	struct equal_options options;
	struct equal_result *result;
	struct equal_result closing; /* of the steps after the trace */
	struct object *objects;
	size_t objects_count, objects_room;
	struct map names; /* name + 1 -> object */
	struct pair *pairs;
	size_t pairs_count, pairs_room;
	uint32_t held, unused; /* pairs */
	struct map pair_of[2]; /* id + 1 -> pair */
	struct lock *locks;
	size_t locks_count, locks_room;
	uint32_t page_size;
	uint32_t classes; /* logical ones */
	struct shape shape[MODEL_CLASSES];
};

#define EACH(i) for (int i = 0; i < 2; i++)

/* A function of a side's backend on its pool. */
#define CALL(e, i, function, ...) \
	((e)->side[i].backend->function((e)->side[i].pool __VA_OPT__(, ) __VA_ARGS__))

/* ---- failing --------------------------------------------------------------------------------- */

const struct oracle_property equal_properties[EQUAL_COUNT] = { EQUALITIES(ORACLE_PROPERTY) };

typedef __attribute__((format(printf, 2, 3))) void failure(struct equal *e, const char *format,
							   ...);

#define EQUAL_DEFINE(function, id, meaning)                                                    \
	__attribute__((noinline, noreturn, format(printf, 2, 3))) static void fail_##function( \
		struct equal *e, const char *format, ...)                                      \
	{                                                                                      \
		va_list arguments;                                                             \
                                                                                               \
		va_start(arguments, format);                                                   \
		oracle_report(&e->side[0], id, format, arguments);                             \
	}
EQUALITIES(EQUAL_DEFINE)

static bool trusts(const struct equal *e, int i)
{
	return e->side[i].backend->traits & BACKEND_TRUSTS;
}

static const char *name_of(const struct equal *e, int i)
{
	return e->side[i].backend->name;
}

#define ULL(x) ((unsigned long long)(x))

static size_t size_of(uint64_t value)
{
	return value < SIZE_MAX ? (size_t)value : SIZE_MAX;
}

static void same(struct equal *e, failure *fail, const char *what, uint64_t a, uint64_t b)
{
	if (a != b)
		fail(e, "%s: %llu in %s, %llu in %s", what, ULL(a), name_of(e, 0), ULL(b),
		     name_of(e, 1));
}

static void same_of(struct equal *e, failure *fail, const char *what, uint32_t class, uint64_t a,
		    uint64_t b)
{
	if (a != b)
		fail(e, "%s of class %u: %llu in %s, %llu in %s", what, class, ULL(a),
		     name_of(e, 0), ULL(b), name_of(e, 1));
}

/* Compares two results, and tells the one. */
static int same_result(struct equal *e, const int got[2])
{
	if (got[0] != got[1])
		fail_result(e, "%s in %s, %s in %s", zs_error_name(got[0]), name_of(e, 0),
			    zs_error_name(got[1]), name_of(e, 1));
	return got[0];
}

/* ---- zspages --------------------------------------------------------------------------------- */

static uint32_t pair_of(const struct equal *e, int i, uint32_t id)
{
	return map_find(&e->pair_of[i], (uint64_t)id + 1);
}

/* The pair of two zspages that hold one object; a new one, if both are new. */
static uint32_t pair_up(struct equal *e, uint32_t class, const uint32_t id[2])
{
	uint32_t pair = pair_of(e, 0, id[0]);

	if (pair != pair_of(e, 1, id[1]))
		fail_place(e, "zspage %u in %s isn't zspage %u in %s", id[0], name_of(e, 0), id[1],
			   name_of(e, 1));
	if (pair != NONE)
		return pair;
	pair = e->unused;
	if (pair != NONE)
		e->unused = e->pairs[pair].unused;
	else
		pair = (uint32_t)e->pairs_count++;
	e->pairs[pair] = (struct pair){ { id[0], id[1] }, class, NONE, true, NONE };
	EACH (i)
		map_set(&e->pair_of[i], (uint64_t)id[i] + 1, pair);
	e->held++;
	e->shape[class].held++;
	return pair;
}

static void unpair(struct equal *e, uint32_t pair)
{
	struct pair *p = &e->pairs[pair];

	EACH (i)
		map_remove(&e->pair_of[i], (uint64_t)p->id[i] + 1);
	e->held--;
	e->shape[p->class].held--;
	p->held = false;
	p->unused = e->unused;
	e->unused = pair;
}

/* At most so many of a list's zspages; beyond them only how many there are. */
static void compare_list(struct equal *e, uint32_t class, uint32_t group, uint32_t most)
{
	uint32_t at[2], size[2], pair;

	EACH (i)
		size[i] = CALL(e, i, group_size, class, group);
	if (size[0] != size[1])
		fail_list(e, "group %u of class %u has %u zspages in %s, %u in %s", group, class,
			  size[0], name_of(e, 0), size[1], name_of(e, 1));
	EACH (i)
		at[i] = CALL(e, i, group_first, class, group);
	for (uint32_t n = 0; n < size[0] && n < most; n++) {
		pair = pair_of(e, 0, at[0]);
		if (pair == NONE || pair != pair_of(e, 1, at[1]))
			fail_list(e,
				  "place %u of group %u of class %u: zspage %u in %s, which isn't "
				  "zspage %u in %s",
				  n + 1, group, class, at[0], name_of(e, 0), at[1], name_of(e, 1));
		EACH (i)
			at[i] = CALL(e, i, group_next, at[i]);
	}
	if (size[0] <= most && (at[0] != ZS_NONE || at[1] != ZS_NONE))
		fail_list(e, "group %u of class %u has more than its %u zspages", group, class,
			  size[0]);
}

/* What follows a zspage in its list. */
static void compare_next(struct equal *e, const struct pair *p)
{
	uint32_t next[2];

	EACH (i)
		next[i] = CALL(e, i, group_next, p->id[i]);
	if ((next[0] == ZS_NONE) != (next[1] == ZS_NONE) ||
	    pair_of(e, 0, next[0]) != pair_of(e, 1, next[1]))
		fail_list(e,
			  "in group %u of class %u, zspage %d follows %u in %s, but %d %u in %s; "
			  "-1: none",
			  p->group, p->class, (int)next[0], p->id[0], name_of(e, 0), (int)next[1],
			  p->id[1], name_of(e, 1));
}

/* Is it still held by both? Then all there is to know of it. */
static bool compare_zspage(struct equal *e, struct pair *p)
{
	struct zs_zspage_info info[2];
	int error[2];

	EACH (i)
		error[i] = CALL(e, i, zspage_info, p->id[i], &info[i]);
	if (error[0] != error[1])
		fail_list(e, "zspage %u in %s gives %s, the same one, %u, in %s %s", p->id[0],
			  name_of(e, 0), zs_error_name(error[0]), p->id[1], name_of(e, 1),
			  zs_error_name(error[1]));
	if (error[0])
		return false;
	same_of(e, fail_counters, "objects in a zspage", p->class, info[0].inuse, info[1].inuse);
	same_of(e, fail_list, "a zspage's group", p->class, info[0].group, info[1].group);
	same_of(e, fail_place, "a zspage's class", p->class, info[0].index, info[1].index);
	same_of(e, fail_counters, "a zspage's locked pages", p->class, info[0].locked,
		info[1].locked);
	p->group = info[0].group;
	return true;
}

/* A zspage that an operation may have changed, and the lists that it left and joined. */
static void compare_touched(struct equal *e, uint32_t pair)
{
	struct pair *p = &e->pairs[pair];
	uint32_t class = p->class, left = p->group;
	bool held = compare_zspage(e, p);

	if (!held)
		unpair(e, pair);
	if (left != NONE && (!held || left != p->group))
		compare_list(e, class, left, SHORT);
	if (!held)
		return;
	compare_list(e, class, p->group, SHORT);
	compare_next(e, p);
}

static bool is_out(const struct source *source, uint32_t page)
{
	return page < source->fresh && source->pages[page].out;
}

static void compare_pages(struct equal *e, const struct pair *p)
{
	uint32_t page, pages = e->shape[p->class].pages;

	EACH (i) {
		for (uint32_t n = 0; n <= pages; n++) {
			page = CALL(e, i, zspage_page, p->id[i], n);
			if (n < pages ? is_out(&e->side[i].source, page) : page == ZS_NO_PAGE)
				continue;
			fail_pages(e, "page %u of zspage %u, which has %u, in %s is %u", n,
				   p->id[i], pages, name_of(e, i), page);
		}
	}
}

/* ---- objects --------------------------------------------------------------------------------- */

/* Where an object is. */
static void compare_place(struct equal *e, struct object *o)
{
	struct zs_location at[2];
	uint32_t id[2];
	int error[2];

	EACH (i) {
		error[i] = CALL(e, i, locate, o->handle[i], &at[i]);
		id[i] = at[i].zspage;
	}
	if (error[0] || error[1])
		fail_place(e, "name %u is found: %s in %s, %s in %s", o->name,
			   zs_error_name(error[0]), name_of(e, 0), zs_error_name(error[1]),
			   name_of(e, 1));
	same(e, fail_place, "an object's class", at[0].index, at[1].index);
	if (at[0].slot != at[1].slot)
		fail_place(e, "name %u is in slot %u of zspage %u in %s, slot %u of %u in %s",
			   o->name, at[0].slot, id[0], name_of(e, 0), at[1].slot, id[1],
			   name_of(e, 1));
	o->pair = pair_up(e, at[0].index, id);
	o->slot = at[0].slot;
}

/* Does each side know whose slot it is, and where its bytes begin? */
static void compare_slot(struct equal *e, const struct object *o)
{
	const uint32_t *id = e->pairs[o->pair].id;
	uint32_t page[2], offset[2];
	int error[2];

	EACH (i) {
		error[i] = CALL(e, i, slot_address, id[i], o->slot, &page[i], &offset[i]);
		if (CALL(e, i, slot_handle, id[i], o->slot) != o->handle[i])
			fail_place(e, "slot %u of zspage %u in %s isn't that of name %u", o->slot,
				   id[i], name_of(e, i), o->name);
	}
	if (error[0] || error[1] || offset[0] != offset[1])
		fail_place(e, "slot %u of zspage %u in %s is at offset %u, of %u in %s at %u",
			   o->slot, id[0], name_of(e, 0), offset[0], id[1], name_of(e, 1),
			   offset[1]);
}

/* Copies the first known bytes of an object, of as many as len says, out of a window. */
static int read_bytes(struct equal *e, int i, const struct object *o, uint64_t len, size_t known)
{
	struct oracle *side = &e->side[i];
	struct zs_view view;
	int error = CALL(e, i, read_begin, o->handle[i], size_of(len), side->bytes, &view);

	if (error)
		return error;
	if (view.len != len)
		fail_result(e, "a window of %zu bytes, not %llu, in %s", view.len, ULL(len),
			    name_of(e, i));
	memcpy(side->known, view.data, known);
	return CALL(e, i, read_end, &view);
}

/* The same on both; only bytes that were ever written must be the same. */
static int compare_bytes(struct equal *e, const struct object *o, uint64_t len)
{
	size_t known = len < o->known ? (size_t)len : o->known;
	int got[2];

	EACH (i)
		got[i] = read_bytes(e, i, o, len, known);
	if (same_result(e, got) == ZS_OK && memcmp(e->side[0].known, e->side[1].known, known) != 0)
		fail_content(e, "the first %zu bytes of name %u in %s aren't those in %s", known,
			     o->name, name_of(e, 0), name_of(e, 1));
	return got[0];
}

static void compare_known(struct equal *e, const struct object *o)
{
	if (o->known && compare_bytes(e, o, o->known) != ZS_OK)
		fail_result(e, "name %u can't be read", o->name);
}

/* ---- counters -------------------------------------------------------------------------------- */

static void compare_class(struct equal *e, uint32_t class)
{
	struct zs_class_stats got[2];
	int error[2];

	EACH (i)
		error[i] = CALL(e, i, class_stats, class, &got[i]);
	same_result(e, error);
	same_of(e, fail_counters, "objs_allocated", class, got[0].objs_allocated,
		got[1].objs_allocated);
	same_of(e, fail_counters, "objs_inuse", class, got[0].objs_inuse, got[1].objs_inuse);
	same_of(e, fail_counters, "zspages", class, got[0].zspages, got[1].zspages);
	same_of(e, fail_counters, "objs_moved", class, got[0].objs_moved, got[1].objs_moved);
	same_of(e, fail_counters, "pages_compacted", class, got[0].pages_compacted,
		got[1].pages_compacted);
	same_of(e, fail_counters, "compactable pages", class, CALL(e, 0, class_compactable, class),
		CALL(e, 1, class_compactable, class));
}

static void compare_pool(struct equal *e)
{
	struct zs_pool_stats got[2];
	int error[2];

	EACH (i)
		error[i] = CALL(e, i, pool_stats, &got[i]);
	same_result(e, error);
	same(e, fail_counters, "pages", got[0].pages, got[1].pages);
	same(e, fail_counters, "pages_peak", got[0].pages_peak, got[1].pages_peak);
	same(e, fail_counters, "objects", got[0].objects, got[1].objects);
	same(e, fail_counters, "zspages", got[0].zspages, got[1].zspages);
	same(e, fail_counters, "objs_moved", got[0].objs_moved, got[1].objs_moved);
	same(e, fail_counters, "pages_compacted", got[0].pages_compacted, got[1].pages_compacted);
	same(e, fail_counters, "pages_migrated", got[0].pages_migrated, got[1].pages_migrated);
	same(e, fail_counters, "zspages that were told apart", got[0].zspages, e->held);
}

/* Pages held, asked for, and out at the source. */
static void compare_held(struct equal *e)
{
	const struct source *a = &e->side[0].source, *b = &e->side[1].source;

	same(e, fail_counters, "total pages", CALL(e, 0, total_pages), CALL(e, 1, total_pages));
	same(e, fail_result, "requests for pages", a->gets, b->gets);
	same(e, fail_pages, "pages out at the source", a->count, b->count);
}

/* ---- everything ------------------------------------------------------------------------------ */

static void each_object(struct equal *e, void (*compare)(struct equal *e, struct object *o))
{
	for (size_t n = 0; n < e->objects_count; n++)
		if (e->objects[n].live)
			compare(e, &e->objects[n]);
}

static void compare_object(struct equal *e, struct object *o)
{
	compare_place(e, o);
	compare_slot(e, o);
}

static void compare_content(struct equal *e, struct object *o)
{
	compare_known(e, o);
}

static void compare_classes(struct equal *e)
{
	for (uint32_t index = 0; index < e->classes; index++) {
		if (!e->shape[index].held)
			continue;
		compare_class(e, index);
		for (uint32_t group = 0; group < e->shape[index].groups; group++)
			compare_list(e, index, group, UINT32_MAX);
	}
}

static void compare_zspages(struct equal *e)
{
	for (uint32_t pair = 0; pair < e->pairs_count; pair++) {
		if (!e->pairs[pair].held)
			continue;
		if (compare_zspage(e, &e->pairs[pair]))
			compare_pages(e, &e->pairs[pair]);
		else
			unpair(e, pair);
	}
}

/* A class without zspages has nothing to compare but counters, which only a use of it changes. */
static void compare_everything(struct equal *e)
{
	each_object(e, compare_object);
	compare_classes(e);
	compare_zspages(e);
	compare_pool(e);
	compare_held(e);
	same(e, fail_counters, "compactable pages", CALL(e, 0, compactable),
	     CALL(e, 1, compactable));
	each_object(e, compare_content);
	e->result->full_checks++;
}

static void check(struct equal *e)
{
	struct zs_broken broken = { "none", 0 };

	compare_everything(e);
	EACH (i)
		if (CALL(e, i, check, &broken))
			oracle_fail_check(&e->side[i], "%s at %llu in %s", broken.invariant,
					  ULL(broken.where), name_of(e, i));
}

/* ---- around each operation ------------------------------------------------------------------- */

/* After an operation of both on a zspage (NONE: on none) of a class. Returns 0, as a step done. */
static int settle(struct equal *e, int error, uint32_t pair, uint32_t class)
{
	e->result->operations++;
	e->result->failures += error != ZS_OK;
	if (pair != NONE)
		compare_touched(e, pair);
	if (class != NONE)
		compare_class(e, class);
	compare_held(e);
	EACH (i)
		source_begin(&e->side[i].source);
	return 0;
}

static int settle_object(struct equal *e, int error, const struct object *o)
{
	return settle(e, error, o->pair, e->pairs[o->pair].class);
}

/* Whoever looks at handles must refuse this one, unless it happens to be live. */
static void refuse(struct equal *e, int i, zs_handle handle)
{
	struct zs_location at;

	if (trusts(e, i) || CALL(e, i, locate, handle, &at) == ZS_OK)
		return;
	oracle_refused(&e->side[i], ORACLE_STALE, handle, ZS_OK);
}

static int run_refused(struct equal *e, const zs_handle handle[2])
{
	EACH (i)
		refuse(e, i, handle[i]);
	e->result->refused++;
	return 0;
}

/* ---- operations on objects ------------------------------------------------------------------- */

static struct object *object_of(struct equal *e, uint32_t name)
{
	uint32_t object = map_find(&e->names, (uint64_t)name + 1);

	if (object != NONE)
		return &e->objects[object];
	if (array_reserve(&e->objects, e->objects_count + 1, &e->objects_room,
			  sizeof(*e->objects)) ||
	    map_reserve(&e->names, e->objects_count + 1))
		return NULL;
	object = (uint32_t)e->objects_count++;
	e->objects[object] = (struct object){ .name = name, .pair = NONE };
	map_set(&e->names, (uint64_t)name + 1, object);
	return &e->objects[object];
}

/* Room for one more zspage. */
static int reserve_pair(struct equal *e)
{
	EACH (i)
		if (map_reserve(&e->pair_of[i], (size_t)e->held + 1))
			return -1;
	return array_reserve(&e->pairs, e->pairs_count + 1, &e->pairs_room, sizeof(*e->pairs));
}

static int run_free(struct equal *e, const struct op *op, struct object *o)
{
	int got[2];

	(void)op;
	EACH (i)
		got[i] = CALL(e, i, free, o->handle[i]);
	if (same_result(e, got) != ZS_OK)
		fail_result(e, "name %u can't be freed", o->name);
	o->live = false;
	return settle_object(e, ZS_OK, o);
}

/* The class that a size belongs to; NONE: to none. */
static uint32_t class_of(struct equal *e, uint64_t size)
{
	if (!size || size > e->page_size)
		return NONE;
	return CALL(e, 0, lookup_class_index, (size_t)size);
}

static int run_malloc(struct equal *e, const struct op *op, struct object *o)
{
	size_t usable[2];
	int got[2];

	if (o->live)
		run_free(e, op, o);
	if (reserve_pair(e))
		return -1;
	EACH (i)
		got[i] = CALL(e, i, malloc, size_of(op->value), &o->handle[i]);
	if (same_result(e, got) != ZS_OK)
		return settle(e, got[0], NONE, class_of(e, op->value));
	o->live = true;
	o->size = op->value;
	o->known = 0;
	compare_place(e, o);
	EACH (i)
		got[i] = CALL(e, i, usable_size, o->handle[i], &usable[i]);
	same_result(e, got);
	same(e, fail_result, "usable bytes", usable[0], usable[1]);
	return settle_object(e, ZS_OK, o);
}

static uint64_t length_of(const struct op *op, const struct object *o)
{
	return op->value == OP_ALL ? o->size : op->value;
}

static int run_write(struct equal *e, const struct op *op, struct object *o)
{
	uint64_t len = length_of(op, o);
	uint8_t *data = e->side[0].bytes;
	int got[2];

	op_bytes(op->extra, data, 0, len < e->page_size ? len : e->page_size);
	EACH (i)
		got[i] = CALL(e, i, write, o->handle[i], data, size_of(len));
	if (same_result(e, got) == ZS_OK) {
		if (o->known < len)
			o->known = (size_t)len;
		compare_bytes(e, o, len);
	}
	return settle_object(e, got[0], o);
}

static int run_read(struct equal *e, const struct op *op, struct object *o)
{
	return settle_object(e, compare_bytes(e, o, length_of(op, o)), o);
}

/* ---- operations on pages --------------------------------------------------------------------- */

static uint32_t index_of(uint64_t value)
{
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static int run_lock(struct equal *e, const struct op *op, struct object *o)
{
	struct lock lock = { .pair = o->pair };
	int got[2];

	if (array_reserve(&e->locks, e->locks_count + 1, &e->locks_room, sizeof(lock)))
		return -1;
	EACH (i)
		got[i] = CALL(e, i, page_lock, o->handle[i], index_of(op->value), &lock.page[i]);
	if (same_result(e, got) != ZS_OK)
		return settle_object(e, got[0], o);
	EACH (i)
		if (pair_of(e, i, lock.page[i].zspage) != o->pair)
			fail_place(e, "zspage %u, of which a page was locked, in %s isn't %u",
				   lock.page[i].zspage, name_of(e, i), e->pairs[o->pair].id[i]);
	same(e, fail_result, "number of the page locked", lock.page[0].index, lock.page[1].index);
	e->locks[e->locks_count++] = lock;
	return settle_object(e, ZS_OK, o);
}

/* The lock that I means, or none. */
static struct lock *lock_of(const struct equal *e, uint64_t i)
{
	return e->locks_count ? &e->locks[i % e->locks_count] : NULL;
}

/* Unlocks a page, or moves one elsewhere, that isn't locked. */
static int run_unlocked(struct equal *e, const struct op *op)
{
	struct zs_page_ref page = replay_made_up(op->value);

	EACH (i) {
		if (trusts(e, i))
			continue;
		oracle_result(&e->side[i], ORACLE_PLAIN, NONE, ZS_EINVAL,
			      op->code == OP_UNLOCK ? CALL(e, i, page_unlock, page)
						    : CALL(e, i, page_migrate, page));
	}
	e->result->refused++;
	return 0;
}

static int run_unlock(struct equal *e, const struct op *op, struct object *o)
{
	struct lock *lock = lock_of(e, op->value);
	uint32_t pair;
	int got[2];

	(void)o;
	if (!lock)
		return run_unlocked(e, op);
	pair = lock->pair;
	EACH (i)
		got[i] = CALL(e, i, page_unlock, lock->page[i]);
	if (same_result(e, got) != ZS_OK)
		fail_result(e, "a locked page can't be unlocked");
	e->locks_count--;
	memmove(lock, lock + 1, (size_t)(e->locks + e->locks_count - lock) * sizeof(*lock));
	return settle(e, ZS_OK, pair, e->pairs[pair].class);
}

static int run_migrate(struct equal *e, const struct op *op, struct object *o)
{
	const struct lock *lock = lock_of(e, op->value);
	int got[2];

	(void)o;
	if (!lock)
		return run_unlocked(e, op);
	EACH (i)
		got[i] = CALL(e, i, page_migrate, lock->page[i]);
	if (same_result(e, got) == ZS_OK) {
		compare_pages(e, &e->pairs[lock->pair]);
		compare_pool(e);
	}
	return settle(e, got[0], lock->pair, e->pairs[lock->pair].class);
}

static int run_fail(struct equal *e, const struct op *op, struct object *o)
{
	(void)o;
	EACH (i) {
		e->side[i].source.fail_after = op->extra ? op->value : 0;
		e->side[i].source.fail_count = op->extra;
	}
	return settle(e, ZS_OK, NONE, NONE);
}

/* ---- operations on the pool ------------------------------------------------------------------ */

static int run_compact(struct equal *e, const struct op *op, struct object *o)
{
	uint64_t freed[2];

	(void)op, (void)o;
	EACH (i)
		freed[i] = CALL(e, i, compact);
	same(e, fail_result, "pages freed", freed[0], freed[1]);
	compare_everything(e);
	return settle(e, ZS_OK, NONE, NONE);
}

static int run_compact_class(struct equal *e, const struct op *op, struct object *o)
{
	uint32_t class = index_of(op->value);
	uint64_t freed[2];
	int got[2];

	(void)o;
	EACH (i)
		got[i] = CALL(e, i, compact_class, class, &freed[i]);
	if (same_result(e, got) != ZS_OK)
		return settle(e, got[0], NONE, NONE);
	same(e, fail_result, "pages freed", freed[0], freed[1]);
	compare_everything(e);
	return settle(e, ZS_OK, NONE, NONE);
}

static int run_check(struct equal *e, const struct op *op, struct object *o)
{
	(void)op, (void)o;
	check(e);
	return settle(e, ZS_OK, NONE, NONE);
}

static int run_forge(struct equal *e, const struct op *op, struct object *o)
{
	const zs_handle forged[2] = { o->handle[0] ^ op->value, o->handle[1] ^ op->value };

	return run_refused(e, forged);
}

/*
 * The handle that the other side gave: the two pools have tags of their own. One that trusts gives
 * addresses, which aren't the same in each run; there it's 0.
 */
static int run_foreign(struct equal *e, const struct op *op, struct object *o)
{
	zs_handle foreign[2] = { 0, 0 };

	(void)op, (void)o;
	EACH (i)
		if (e->objects_count && !trusts(e, !i))
			foreign[i] = e->objects[e->objects_count - 1].handle[!i];
	return run_refused(e, foreign);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* On a name, whose object must be live unless dead names do too; unlisted ones do nothing. */
static const struct action {
	int (*run)(struct equal *e, const struct op *op, struct object *o);
	bool named;
	bool dead_too;
} actions[OP_CODES] = {
	[OP_MALLOC] = { run_malloc, true, true },
	[OP_FREE] = { run_free, true, false },
	[OP_WRITE] = { run_write, true, false },
	[OP_READ] = { run_read, true, false },
	[OP_PIN] = { run_read, true, false },
	[OP_LOCK] = { run_lock, true, false },
	[OP_UNLOCK] = { run_unlock, false, false },
	[OP_MIGRATE] = { run_migrate, false, false },
	[OP_COMPACT] = { run_compact, false, false },
	[OP_COMPACT_CLASS] = { run_compact_class, false, false },
	[OP_FORGE] = { run_forge, true, true },
	[OP_FOREIGN] = { run_foreign, false, false },
	[OP_FAIL] = { run_fail, false, false },
	[OP_CHECK] = { run_check, false, false },
};

/* 0, or -1 when memory is out. */
static int run(struct equal *e, const struct op *op)
{
	const struct action *action;
	struct object *o = NULL;

	if (op->code >= OP_CODES || !actions[op->code].run)
		return 0;
	action = &actions[op->code];
	EACH (i)
		if (source_reserve(&e->side[i].source))
			return -1;
	if (!action->named)
		return action->run(e, op, NULL);
	o = object_of(e, op->name);
	if (!o)
		return -1;
	return o->live || action->dead_too ? action->run(e, op, o) : run_refused(e, o->handle);
}

static int step(struct equal *e, const struct op *op)
{
	EACH (i) {
		e->side[i].op = *op;
		e->side[i].operation++;
	}
	if (run(e, op))
		return -1;
	if (e->options.full_every && e->side[0].operation % e->options.full_every == 0)
		compare_everything(e);
	return 0;
}

/* ---- what can be compared -------------------------------------------------------------------- */

#define WANTING                                                                                 \
	(BACKEND_NO_PAGES | BACKEND_NO_COMPACTION | BACKEND_NO_INSPECTION | BACKEND_NO_SOURCE | \
	 BACKEND_NO_HUGE)

bool equal_comparable(const struct backend *backend)
{
	return !(backend->traits & WANTING);
}

/* No entry is ever short or retired. */
static void widen_handles(struct zs_config *config)
{
	config->max_objects = 0;
	config->geometry.generation_bits = GENERATION_BITS;
}

/* Sizes and lengths up to a page as the same share of a page, and some bytes more for each name. */
static void scale(struct trace *trace, uint32_t from, uint32_t to)
{
	uint32_t times = to > from ? to / from : 1;

	for (size_t i = 0; i < trace->count && from != to; i++) {
		struct op *op = &trace->ops[i];
		bool sized = op->code == OP_MALLOC || op->code == OP_WRITE || op->code == OP_READ ||
			     op->code == OP_PIN;

		if (sized && op->value && op->value <= from)
			op->value = (op->value - 1) * to / from + op->name % times + 1;
	}
}

static const char *unfit(const struct zs_config *config, const struct backend *const backend[2])
{
	const char *why = backend_fits(backend[0], config);

	return why ? why : backend_fits(backend[1], config);
}

const char *equal_fit(struct trace *trace, const struct backend *const backend[2])
{
	struct zs_config *config = &trace->config;
	const struct zs_config had = *config;
	const char *why;

	widen_handles(config);
	why = unfit(config, backend);
	for (int i = 1; why && i >= 0; i--) {
		backend_preset(backend[i], config);
		widen_handles(config);
		config->max_pages = had.max_pages;
		config->tag = had.tag;
		why = unfit(config, backend);
	}
	if (!why)
		scale(trace, had.geometry.page_size, config->geometry.page_size);
	return why;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void compare_lookup(struct equal *e, size_t size)
{
	uint32_t index[2];

	EACH (i)
		index[i] = CALL(e, i, lookup_class_index, size);
	if (index[0] != index[1])
		fail_geometry(e, "size %zu is of class %u in %s, %u in %s", size, index[0],
			      name_of(e, 0), index[1], name_of(e, 1));
}

static void compare_shape(struct equal *e, uint32_t class, uint32_t header)
{
	struct zs_class_stats got[2];
	int error[2];

	EACH (i)
		error[i] = CALL(e, i, class_stats, class, &got[i]);
	same_result(e, error);
	same_of(e, fail_geometry, "index", class, got[0].index, got[1].index);
	same_of(e, fail_geometry, "size", class, got[0].size, got[1].size);
	same_of(e, fail_geometry, "pages_per_zspage", class, got[0].pages_per_zspage,
		got[1].pages_per_zspage);
	same_of(e, fail_geometry, "objs_per_zspage", class, got[0].objs_per_zspage,
		got[1].objs_per_zspage);
	same_of(e, fail_geometry, "groups", class, got[0].groups, got[1].groups);
	e->shape[class] =
		(struct shape){ .groups = got[0].groups, .pages = got[0].pages_per_zspage };
	compare_lookup(e, got[0].size - header);
	compare_lookup(e, got[0].size - header + 1);
}

static void compare_geometry(struct equal *e, const struct zs_geometry *geometry)
{
	e->page_size = geometry->page_size;
	e->classes = CALL(e, 0, class_count);
	same(e, fail_geometry, "classes", e->classes, CALL(e, 1, class_count));
	for (uint32_t index = 0; index < e->classes; index++)
		compare_shape(e, index, geometry->header);
	compare_lookup(e, geometry->page_size);
	same(e, fail_geometry, "huge class size", CALL(e, 0, huge_class_size),
	     CALL(e, 1, huge_class_size));
}

/* What a plug-in says against itself. */
static void hear(void *context, const char *text)
{
	fail_bug(context, "%s", text);
}

static void listen_to(const struct backend *backend, plugin_failure *hearer, void *context)
{
	const struct zsanity_plugin *plugin = plugin_of(backend);

	if (plugin && plugin->set_failure)
		plugin->set_failure(hearer, context);
}

static void discard(struct equal *e)
{
	EACH (i) {
		listen_to(e->options.backend[i], NULL, NULL);
		oracle_free(&e->side[i]);
		free(e->pair_of[i].entries);
	}
	free(e->names.entries);
	free(e->objects);
	free(e->pairs);
	free(e->locks);
	free(e);
}

/* Each side has a tag of its own. */
static int create(struct equal *e, int i, const struct zs_config *config)
{
	struct oracle *side = &e->side[i];
	struct zs_config own = *config;

	if (oracle_init(side, e->options.backend[i], config))
		return -1;
	own.source = source_interface(&side->source);
	widen_handles(&own);
	own.tag = (config->tag + (uint32_t)i) % (1u << config->geometry.tag_bits);
	return side->backend->create(&own, &side->pool) ? -1 : 0;
}

static struct equal *start(const struct zs_config *config, const struct equal_options *options,
			   struct equal_result *result)
{
	struct equal *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->options = *options;
	e->result = result;
	e->unused = NONE;
	EACH (i)
		listen_to(options->backend[i], hear, e);
	if (create(e, 0, config)) {
		discard(e);
		return NULL;
	}
	if (create(e, 1, config)) {
		CALL(e, 0, destroy);
		discard(e);
		return NULL;
	}
	compare_geometry(e, &config->geometry);
	compare_pool(e);
	return e;
}

/* Everything is closed through the interface; then there may be nothing left. */
static void finish(struct equal *e)
{
	struct op op = { .value = 0 };

	EACH (i)
		e->side[i].ending = true;
	check(e);
	CALL(e, 0, pool_stats, &e->result->stats);
	e->result = &e->closing;
	while (e->locks_count)
		run_unlock(e, &op, NULL);
	for (size_t n = 0; n < e->objects_count; n++)
		if (e->objects[n].live)
			run_free(e, &op, &e->objects[n]);
	EACH (i) {
		oracle_balance(&e->side[i]);
		if (CALL(e, i, destroy))
			fail_result(e, "an empty pool can't be destroyed in %s", name_of(e, i));
	}
}

int equal_run(const struct trace *trace, const struct equal_options *options,
	      struct equal_result *result)
{
	struct equal *e;
	int status = 0;
	size_t i;

	*result = (struct equal_result){ .operations = 0 };
	e = start(&trace->config, options, result);
	if (!e)
		return -1;
	for (i = 0; i < trace->count && !status; i++) {
		if (options->progress && i % PROGRESS == 0)
			options->progress(options->context, i, trace->count);
		status = step(e, &trace->ops[i]);
	}
	if (options->progress)
		options->progress(options->context, i, trace->count);
	finish(e);
	discard(e);
	return status;
}
