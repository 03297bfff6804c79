/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check - walks a whole pool and recounts it: zs_check.
 *
 * Every index is looked at before it is used, so that a broken pool is reported, not followed. The
 * IDs are those of the table in README.md.
 */
#include <string.h>

#include "lists.h"
#include "pool.h"
#include "slots.h"

struct walk {
	const struct zs_pool *pool;
	struct zs_broken *broken;
	uint64_t records; /* met on lists */
	uint64_t pages;   /* of held zspages */
	uint64_t live;    /* objects in held zspages */
	uint64_t free;    /* entries met on stacks */
};

/* Notes what broke. Returns false, so that a failed check reads as one expression. */
static bool broke(struct walk *walk, const char *invariant, uint64_t where)
{
	walk->broken->invariant = invariant;
	walk->broken->where = where;
	return false;
}

/* ---- one zspage ----------------------------------------------------------------------------- */

/* Each place's slot is in range and has that place: so both rows are permutations. */
static bool check_slots(struct walk *walk, const struct zs_class *class, uint32_t z)
{
	const struct zspages *all = class->zspages;
	const int16_t *at = all->at + all->slot_row[z], *pos = all->pos + all->slot_row[z];

	for (uint32_t s = 0; s < class->capacity; s++)
		if ((uint32_t)at[s] >= class->capacity || (uint32_t)pos[at[s]] != s)
			return broke(walk, "slots.permutation", z);
	return true;
}

/* A live slot's owner is a live entry that points back; a free slot has none. */
static bool check_owner(struct walk *walk, const struct zs_class *class, uint32_t z, uint32_t slot)
{
	const struct zspages *all = class->zspages;
	const struct handles *handles = class->handles;
	uint32_t row = all->slot_row[z];
	int32_t owner = all->owner[row + slot];
	uint64_t entry;

	if (!slots_live(all->pos + row, all->inuse[z], slot))
		return owner == CLASS_NO_OWNER || broke(walk, "slots.owner", z);
	if (owner < 0 || (uint32_t)owner >= handles->given)
		return broke(walk, "slots.owner", z);
	entry = sync_load(&handles->entry[owner]);
	if (!entry_live(entry) || entry_zspage(entry) != z || entry_slot(entry) != slot)
		return broke(walk, "handle.location", (uint64_t)owner);
	return true;
}

static bool check_pages(struct walk *walk, const struct zs_class *class, uint32_t z)
{
	const struct zs_pool *pool = walk->pool;

	for (uint32_t i = 0; i < class->pages; i++) {
		uint64_t start = pool->zspages.page[pool->zspages.page_row[z] + i];
		uint64_t page = start / class->space.page_size;

		if (start % class->space.page_size != 0 || page >= pool->config.max_pages)
			return broke(walk, "page.range", z);
		if (pool->seen[page / 8] >> page % 8 & 1)
			return broke(walk, "page.once", page);
		pool->seen[page / 8] |= (uint8_t)(1u << page % 8);
	}
	return true;
}

static bool check_held(struct walk *walk, const struct zs_class *class, uint32_t z, uint32_t group)
{
	const struct zspages *all = class->zspages;

	if (all->inuse[z] > class->capacity)
		return broke(walk, "slots.inuse", z);
	if (class->group_of[all->inuse[z]] != group)
		return broke(walk, "fullness.group", z);
	if (all->inuse[z] == 0 && !zspage_is_kept(all, z))
		return broke(walk, "zspage.deferred", z);
	if (!check_slots(walk, class, z) || !check_pages(walk, class, z))
		return false;
	for (uint32_t s = 0; s < class->capacity; s++)
		if (!check_owner(walk, class, z, s))
			return false;
	walk->live += all->inuse[z];
	return true;
}

/* A waiting record holds nothing. */
static bool check_waiting(struct walk *walk, const struct zs_class *class, uint32_t z)
{
	const struct zspages *all = class->zspages;

	return (all->inuse[z] == 0 && !zspage_is_kept(all, z)) || broke(walk, "zspage.spare", z);
}

/* ---- lists ---------------------------------------------------------------------------------- */

/* A link is right if it leads to a zspage of this class, or to the head, and back. */
static bool check_link(struct walk *walk, const struct zs_class *class, uint32_t head,
		       uint32_t from)
{
	const struct zspages *all = class->zspages;
	uint32_t to = all->ring.next[from];

	if ((to != head && (to < all->ring.heads || to >= all->ring.records)) ||
	    all->ring.prev[to] != from)
		return broke(walk, "ring.links", from);
	if (ring_list(&all->ring, to) != head)
		return broke(walk, "ring.list", to);
	if (to != head && all->class_of[to] != class->number)
		return broke(walk, "zspage.class", to);
	return true;
}

static bool check_list(struct walk *walk, const struct zs_class *class, uint32_t list)
{
	const struct ring *ring = &class->zspages->ring;
	uint32_t head = lists_head(class, list), count = 0;
	bool held = list < class->groups;

	for (uint32_t z = head;; count++) {
		if (!check_link(walk, class, head, z))
			return false;
		z = ring->next[z];
		if (z == head)
			break;
		if (walk->records++ >= ring->records)
			return broke(walk, "ring.links", z);
		if (!(held ? check_held(walk, class, z, list) : check_waiting(walk, class, z)))
			return false;
	}
	if (count != ring->count[head])
		return broke(walk, "ring.count", head);
	if (held && bitmap_test(class->occupied, list) != (count != 0))
		return broke(walk, "list.occupied", head);
	if (list == class->groups + CLASS_EMPTIED && count != 0)
		return broke(walk, "zspage.emptied", head);
	return true;
}

/* ---- classes -------------------------------------------------------------------------------- */

/* The class's free entries: dead, not retired. All stacks together have no more than were given. */
static bool check_free_entries(struct walk *walk, const struct zs_class *class)
{
	const struct handles *handles = class->handles;

	for (uint32_t i = class->free.top; i != HANDLE_NONE;) {
		if (i >= handles->given || walk->free++ >= handles->given)
			return broke(walk, "handle.free", class->index);
		uint64_t entry = sync_load(&handles->entry[i]);
		if (entry_live(entry) || entry_generation(entry) == 0 ||
		    entry_generation(entry) >= handles->retired)
			return broke(walk, "handle.free", class->index);
		i = entry_next(entry);
	}
	return true;
}

static bool check_class(struct walk *walk, const struct zs_class *class)
{
	uint64_t held = 0, live = walk->live;

	for (uint32_t list = 0; list < class->groups + CLASS_MORE_LISTS; list++) {
		if (!check_list(walk, class, list))
			return false;
		if (list < class->groups)
			held += class->zspages->ring.count[lists_head(class, list)];
	}
	if (walk->live - live != class->inuse)
		return broke(walk, "class.inuse", class->index);
	if (held != class->held || held * class->capacity != class->allocated)
		return broke(walk, "class.zspages", class->index);
	walk->pages += held * class->pages;
	return check_free_entries(walk, class);
}

/* ---- the pool ------------------------------------------------------------------------------- */

/* Every entry is live, on a stack or retired; live and retired ones are as many as the classes say. */
static bool check_entries(struct walk *walk)
{
	const struct handles *handles = &walk->pool->handles;
	uint64_t live = 0, retired = 0, expected = 0;

	for (uint32_t i = 0; i < handles->given; i++) {
		uint64_t entry = sync_load(&handles->entry[i]);

		live += entry_live(entry);
		retired += entry_generation(entry) == handles->retired;
		if (entry_live(entry) && entry_generation(entry) == handles->retired)
			return broke(walk, "handle.generation", i);
	}
	for (uint32_t c = 0; c < walk->pool->classes; c++)
		expected += walk->pool->class[c].retired;
	if (live != walk->live || live + walk->free + retired != handles->given)
		return broke(walk, "handle.count", live);
	return retired == expected || broke(walk, "handle.retired", retired);
}

static bool check_pool(struct walk *walk)
{
	const struct zs_pool *pool = walk->pool;

	memset(pool->seen, 0, pool->config.max_pages / 8 + 1);
	for (uint32_t c = 0; c < pool->classes; c++)
		if (!check_class(walk, &pool->class[c]))
			return false;
	if (walk->records != pool->zspages.ring.records - pool->zspages.ring.heads)
		return broke(walk, "zspage.lost", walk->records);
	if (walk->pages != pool->pages || pool->pages > pool->pages_peak)
		return broke(walk, "pool.pages", walk->pages);
	return check_entries(walk);
}

int zs_check(const struct zs_pool *pool, struct zs_broken *broken)
{
	struct walk walk = { .pool = pool, .broken = broken };

	return check_pool(&walk) ? ZS_OK : ZS_ECORRUPT;
}
