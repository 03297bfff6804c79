/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * relations - what must hold between two runs, or two moments of one, whatever a model says: these
 * properties name no right answer, only what mustn't make a difference.
 */
#include <stdlib.h>
#include <string.h>

#include "bound.h"
#include "generate.h"
#include "player.h"
#include "property.h"

#define OPS 240
#define EVERY 24 /* operations between two looks at a run */
#define PINS 3

/* A pool that nothing is ever short in, so that no operation fails. */
static void make(uint64_t seed, const struct property_place *place, struct trace *trace)
{
	property_generate(seed, place->number, OPS, trace);
	trace->config.max_pages = 2 * PLAYER_NAMES * trace->config.geometry.chain;
	trace->config.max_objects = 0;
	trace->config.geometry.generation_bits = 20;
	for (size_t i = 0; i < trace->count; i++)
		trace->ops[i].name %= PLAYER_NAMES;
}

static void play(struct player *player, const struct trace *trace)
{
	for (size_t i = 0; i < trace->count; i++)
		player_do(player, &trace->ops[i]);
}

/* Plays a trace and looks every few operations, and at the end. */
static void play_and_look(const struct trace *trace, uint64_t seed,
			  void (*look)(struct player *player, uint64_t *state))
{
	struct player player;

	player_start(&player, &trace->config);
	for (size_t i = 0; i < trace->count; i++) {
		player_do(&player, &trace->ops[i]);
		if (i % EVERY == EVERY - 1 || i + 1 == trace->count)
			look(&player, &seed);
	}
	player_end(&player);
}

/* ---- compaction: nothing changes but pages and places ----------------------------------------- */

/* In-use counts of a class's zspages. */
static uint32_t gather(const struct player *player, uint32_t index, uint32_t groups,
		       uint32_t *inuse)
{
	uint32_t count = 0, zspage;
	struct zs_zspage_info info;

	for (uint32_t group = 0; group < groups; group++)
		for (zspage = zs_group_first(player->pool, index, group); zspage != ZS_NONE;
		     zspage = zs_group_next(player->pool, zspage)) {
			if (count == PLAYER_NAMES || zs_zspage_info(player->pool, zspage, &info))
				property_fail("relation.lists", "class %u has too many zspages",
					      index);
			inuse[count++] = info.inuse;
		}
	return count;
}

/* The best that a compaction of all classes can come to. */
static struct bound best_of(const struct player *player)
{
	struct bound best = { 0, 0 }, one;
	uint32_t inuse[PLAYER_NAMES], count;

	for (uint32_t i = 0; i < zs_class_count(player->pool); i++) {
		struct zs_class_stats class;

		if (zs_class_stats(player->pool, i, &class, sizeof(class)) || class.index != i)
			continue;
		count = gather(player, i, class.groups, inuse);
		one = bound_of(inuse, count, class.objs_per_zspage);
		best.zspages += one.zspages;
		best.moves += one.moves;
	}
	return best;
}

static void see_freed(const struct player *player, const struct zs_pool_stats *before,
		      const struct zs_pool_stats *after, uint64_t claimed, uint64_t freed)
{
	if (after->pages + freed != before->pages || freed != claimed ||
	    after->pages_compacted - before->pages_compacted != freed)
		property_fail(
			"relation.freed",
			"%llu pages could be freed, %llu were said to be, of %llu %llu are left",
			(unsigned long long)claimed, (unsigned long long)freed,
			(unsigned long long)before->pages, (unsigned long long)after->pages);
	if (zs_compactable(player->pool))
		property_fail("relation.freed", "%llu pages can still be freed",
			      (unsigned long long)zs_compactable(player->pool));
}

static void see_best(const struct player *player, uint64_t zspages, uint64_t moves,
		     const struct bound *best)
{
	bool optimal = player->config.algorithm == ZS_OPTIMAL;

	if (zspages != best->zspages)
		property_fail("relation.freed", "%llu zspages are left, where %llu would do",
			      (unsigned long long)zspages, (unsigned long long)best->zspages);
	if (moves < best->moves || (optimal && moves > best->moves))
		property_fail("relation.moves", "%llu moves for what takes %llu",
			      (unsigned long long)moves, (unsigned long long)best->moves);
}

static void compact_once(const struct player *player)
{
	struct zs_pool_stats before = player_stats(player), after;
	uint64_t claimed = zs_compactable(player->pool), freed;
	struct bound best = best_of(player);

	freed = zs_compact(player->pool);
	after = player_stats(player);
	see_freed(player, &before, &after, claimed, freed);
	see_best(player, after.zspages, after.objs_moved - before.objs_moved, &best);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): as play_and_look calls it */
static void compact_twice(struct player *player, uint64_t *state)
{
	const unsigned int places = PLAYER_WHERE | PLAYER_LISTS | PLAYER_COUNTERS | PLAYER_MOVES;
	char *picture = player_picture(player, PLAYER_CONTENT | PLAYER_HANDLES);

	(void)state;
	compact_once(player);
	player_same("relation.compacted", picture,
		    player_picture(player, PLAYER_CONTENT | PLAYER_HANDLES));
	picture = player_picture(player, places);
	if (zs_compact(player->pool))
		property_fail("relation.twice", "the second compaction says that it freed pages");
	player_same("relation.twice", picture, player_picture(player, places));
}

static void compaction(const struct trace *trace, uint64_t seed)
{
	play_and_look(trace, seed, compact_twice);
}

/* ---- windows: what is pinned stays ------------------------------------------------------------ */

/* Opens a window on a live object's first byte, if the name has one; a byte never spans pages. */
static bool pin(const struct player *player, uint32_t name, struct zs_view *view)
{
	return player->objects[name].live &&
	       !zs_read_begin(player->pool, player->objects[name].handle, 1, NULL, view);
}

/* The places of those in pinned zspages, ZS_NONE for others. */
static void note_pinned(const struct player *player, struct zs_location at[PLAYER_NAMES])
{
	for (uint32_t name = 0; name < PLAYER_NAMES; name++) {
		struct zs_zspage_info info = { .pins = 0 };

		at[name].zspage = ZS_NONE;
		if (!player->objects[name].live)
			continue;
		at[name] = player_locate(player, name);
		if (zs_zspage_info(player->pool, at[name].zspage, &info) || !info.pins)
			at[name].zspage = ZS_NONE;
	}
}

static void see_pinned(const struct player *player, const struct zs_location at[PLAYER_NAMES])
{
	for (uint32_t name = 0; name < PLAYER_NAMES; name++) {
		struct zs_location now;

		if (at[name].zspage == ZS_NONE)
			continue;
		now = player_locate(player, name);
		if (now.zspage != at[name].zspage || now.slot != at[name].slot)
			property_fail("relation.pinned",
				      "name %u, pinned, moved from %u:%u to %u:%u", name,
				      at[name].zspage, at[name].slot, now.zspage, now.slot);
	}
}

static void compact_around_pins(struct player *player, uint64_t *state)
{
	char *picture = player_picture(player, PLAYER_CONTENT | PLAYER_HANDLES);
	uint64_t pages = zs_get_total_pages(player->pool), freed;
	struct zs_location at[PLAYER_NAMES];
	struct zs_view views[PINS];
	uint32_t count = 0;

	for (int i = 0; i < PINS; i++)
		count += pin(player, generate_next(state) % PLAYER_NAMES, &views[count]);
	note_pinned(player, at);
	freed = zs_compact(player->pool);
	if (zs_get_total_pages(player->pool) + freed != pages)
		property_fail("relation.freed", "%llu pages were said to be freed, not by windows",
			      (unsigned long long)freed);
	see_pinned(player, at);
	while (count > 0)
		player_expect("zs_read_end", ZS_OK, zs_read_end(player->pool, &views[--count]));
	player_same("relation.compacted", picture,
		    player_picture(player, PLAYER_CONTENT | PLAYER_HANDLES));
}

static void windows(const struct trace *trace, uint64_t seed)
{
	play_and_look(trace, seed, compact_around_pins);
}

/* ---- migration: nothing changes but page numbers ---------------------------------------------- */

static void migrate_page(const struct player *player, zs_handle handle, uint32_t index)
{
	struct zs_page_ref ref;
	uint32_t old;

	player_expect("zs_page_lock", ZS_OK, zs_page_lock(player->pool, handle, index, &ref));
	old = zs_zspage_page(player->pool, ref.zspage, index);
	player_expect("zs_page_migrate", ZS_OK, zs_page_migrate(player->pool, ref));
	if (zs_zspage_page(player->pool, ref.zspage, index) == old)
		property_fail("relation.migrated", "page %u is where it was", index);
	player_expect("zs_page_unlock", ZS_OK, zs_page_unlock(player->pool, ref));
}

static void migrate_zspage(struct player *player, uint64_t *state)
{
	const unsigned int all = PLAYER_CONTENT | PLAYER_HANDLES | PLAYER_WHERE | PLAYER_LISTS |
				 PLAYER_COUNTERS | PLAYER_MOVES;
	uint32_t name = (uint32_t)(generate_next(state) % PLAYER_NAMES), tries = 0;
	struct zs_class_stats class;
	char *picture;

	while (!player->objects[name].live && tries++ < PLAYER_NAMES)
		name = (name + 1) % PLAYER_NAMES;
	if (!player->objects[name].live)
		return;
	picture = player_picture(player, all);
	player_expect("zs_class_stats", ZS_OK,
		      zs_class_stats(player->pool, player_locate(player, name).index, &class,
				     sizeof(class)));
	for (uint32_t i = 0; i < class.pages_per_zspage; i++)
		migrate_page(player, player->objects[name].handle, i);
	player_same("relation.migrated", picture, player_picture(player, all));
}

static void migration(const struct trace *trace, uint64_t seed)
{
	play_and_look(trace, seed, migrate_zspage);
}

/* ---- order: operations that share neither a name nor a class commute --------------------------- */

/* The classes whose lists an operation may change; ZS_NONE: none. */
struct touch {
	uint32_t freed, used;
};

static struct touch touch_of(const struct player *player, const struct op *op)
{
	struct touch touch = { ZS_NONE, ZS_NONE };

	if (op->code != OP_MALLOC && op->code != OP_FREE && op->code != OP_COMPACT_CLASS)
		return touch;
	if (op->code == OP_COMPACT_CLASS) {
		struct zs_class_stats class;

		if (op->value < zs_class_count(player->pool) &&
		    !zs_class_stats(player->pool, (uint32_t)op->value, &class, sizeof(class)))
			touch.used = class.index;
		return touch;
	}
	if (player->objects[op->name].live)
		touch.freed = player_locate(player, op->name).index;
	if (op->code == OP_MALLOC)
		touch.used = zs_lookup_class_index(player->pool, (size_t)op->value);
	return touch;
}

static bool disjoint(struct touch a, struct touch b)
{
	return (a.freed == ZS_NONE || (a.freed != b.freed && a.freed != b.used)) &&
	       (a.used == ZS_NONE || (a.used != b.freed && a.used != b.used));
}

static bool share_name(const struct op *a, const struct op *b)
{
	return a->code != OP_COMPACT_CLASS && b->code != OP_COMPACT_CLASS && a->name == b->name;
}

/* Drops what concerns all classes, plays the rest and notes what each operation touches. */
static void play_and_note(struct player *player, struct trace *trace, struct touch *touches)
{
	size_t kept = 0;

	for (size_t i = 0; i < trace->count; i++) {
		const struct op op = trace->ops[i];

		if (op.code != OP_MALLOC && op.code != OP_FREE && op.code != OP_WRITE &&
		    op.code != OP_COMPACT_CLASS)
			continue;
		touches[kept] = touch_of(player, &op);
		player_do(player, &op);
		trace->ops[kept++] = op;
	}
	trace->count = kept;
}

/* Neighbours change places as long as neither minds. */
static void shuffle(struct trace *trace, struct touch *touches, uint64_t seed)
{
	for (size_t tries = 0; tries < 30 * trace->count && trace->count > 1; tries++) {
		size_t i = generate_next(&seed) % (trace->count - 1);
		struct op op = trace->ops[i];
		struct touch touch = touches[i];

		if (!disjoint(touch, touches[i + 1]) || share_name(&op, &trace->ops[i + 1]))
			continue;
		trace->ops[i] = trace->ops[i + 1];
		touches[i] = touches[i + 1];
		trace->ops[i + 1] = op;
		touches[i + 1] = touch;
	}
}

static void order(const struct trace *trace, uint64_t seed)
{
	const unsigned int all = PLAYER_CONTENT | PLAYER_LISTS | PLAYER_COUNTERS | PLAYER_MOVES;
	struct touch touches[OPS];
	struct player one, other;
	struct trace shuffled;

	trace_init(&shuffled);
	shuffled.config = trace->config;
	for (size_t i = 0; i < trace->count; i++)
		if (trace_add(&shuffled, trace->ops[i]))
			abort();
	player_start(&one, &trace->config);
	player_start(&other, &trace->config);
	play_and_note(&one, &shuffled, touches);
	shuffle(&shuffled, touches, seed);
	play(&other, &shuffled);
	player_same("relation.order", player_picture(&one, all), player_picture(&other, all));
	player_end(&one);
	player_end(&other);
	trace_free(&shuffled);
}

/* ---- drained: a pool that was used and emptied is as good as a new one -------------------------- */

static void see_empty(const struct player *player)
{
	struct zs_pool_stats stats = player_stats(player);

	if (stats.pages || stats.objects || stats.zspages || zs_compactable(player->pool))
		property_fail("relation.drained",
			      "all is freed, but %llu pages, %llu zspages are left",
			      (unsigned long long)stats.pages, (unsigned long long)stats.zspages);
}

static void drained(const struct trace *trace, uint64_t seed)
{
	const unsigned int now = PLAYER_CONTENT | PLAYER_LISTS | PLAYER_COUNTERS;
	struct player used, fresh;

	player_start(&used, &trace->config);
	player_start(&fresh, &trace->config);
	play(&used, trace);
	player_drain(&used, seed);
	see_empty(&used);
	play(&used, trace);
	play(&fresh, trace);
	player_same("relation.drained", player_picture(&fresh, now), player_picture(&used, now));
	player_end(&used);
	player_end(&fresh);
}

/* ---- the suite ------------------------------------------------------------------------------- */

static void (*const relations[])(const struct trace *trace, uint64_t seed) = {
	compaction, windows, migration, order, drained,
};

static void run(uint64_t seed, struct property_place *place)
{
	struct trace trace;

	make(seed, place, &trace);
	for (place->variant = 0; place->variant < sizeof(relations) / sizeof(relations[0]);
	     place->variant++)
		relations[place->variant](&trace, property_seed(seed, place->number));
	trace_free(&trace);
}

const struct property_suite property_relations = {
	.name = "relations",
	.what = "compaction, windows, migration, order and earlier use don't matter where they "
		"mustn't",
	.cases = 400,
	.make = make,
	.run = run,
};
