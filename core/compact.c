/* SPDX-License-Identifier: BSD-3-Clause */
#include "compact.h"
#include "lists.h"
#include "place.h"
#include "slots.h"

uint64_t compact_zspages(const struct zs_class *class)
{
	return (class->allocated - class->inuse) / class->capacity;
}

/* ---- choosing ------------------------------------------------------------------------------- */

/* True if a zspage is a better destination than another, or a better source. */
static bool is_better(const struct zs_class *class, bool source, uint32_t z, uint32_t than)
{
	const uint16_t *inuse = class->zspages->inuse;

	return source ? inuse[z] < inuse[than] : inuse[z] > inuse[than];
}

/* True if no better one can be on the list of its group: it would be in the group beside. */
static bool is_best(const struct zs_class *class, bool source, uint32_t z, uint32_t group)
{
	uint32_t inuse = class->zspages->inuse[z];

	return class->group_of[source ? inuse - 1 : inuse + 1] != group;
}

/*
 * Takes a destination or source off the list of a partial group: the first, but no source that a
 * reader pins; ranked: the first of the best. RING_NONE: there is none.
 */
static uint32_t take(struct zs_class *class, uint32_t group, bool source, bool ranked)
{
	const struct zspages *all = class->zspages;
	uint32_t head = lists_head(class, group), best = RING_NONE;

	for (uint32_t z = all->ring.next[head]; z != head; z = all->ring.next[z]) {
		if (source && sync_count(&all->pins[z]) != 0)
			continue;
		if (best == RING_NONE || is_better(class, source, z, best))
			best = z;
		if (!ranked || is_best(class, source, best, group))
			break;
	}
	if (best != RING_NONE)
		lists_leave(class, best);
	return best;
}

/* A destination of the fullest partial group, or RING_NONE. */
static uint32_t take_destination(struct zs_class *class, bool ranked)
{
	uint32_t full = class->groups - 1, group = bitmap_last(class->occupied, full);

	return group == full || group == 0 ? RING_NONE : take(class, group, false, ranked);
}

/* A source of the emptiest partial group that has one, or RING_NONE. */
static uint32_t take_source(struct zs_class *class, bool ranked)
{
	uint32_t full = class->groups - 1, group = bitmap_first(class->occupied, 1, full);

	for (; group < full; group = bitmap_first(class->occupied, group + 1, full)) {
		uint32_t z = take(class, group, true, ranked);

		if (z != RING_NONE)
			return z;
	}
	return RING_NONE;
}

/* ---- moving --------------------------------------------------------------------------------- */

/* Moves objects, ascending slots, until the source is empty or the destination full. */
static void drain(struct zs_class *class, uint32_t source, uint32_t destination)
{
	const uint16_t *inuse = class->zspages->inuse;
	const int16_t *pos = class->zspages->pos + class->zspages->slot_row[source];

	for (uint32_t slot = 0; inuse[source] > 0 && inuse[destination] < class->capacity; slot++)
		if (slots_live(pos, inuse[source], slot))
			place_move(class, source, slot, destination);
}

/* Puts a drained source back. Returns the pages of one that is empty. */
static uint64_t put_back(struct zs_class *class, uint32_t source)
{
	lists_regroup(class, source);
	if (class->zspages->inuse[source] != 0)
		return 0;
	class_discard(class, source);
	return class->pages;
}

/* Fills one zspage after the other from the emptiest. Returns the pages freed. */
static uint64_t fill_destinations(struct zs_class *class, bool ranked)
{
	const uint16_t *inuse = class->zspages->inuse;
	uint32_t destination = RING_NONE;
	uint64_t freed = 0;

	while (compact_zspages(class) > 0) {
		if (destination == RING_NONE)
			destination = take_destination(class, ranked);
		if (destination == RING_NONE)
			break;
		uint32_t source = take_source(class, ranked);
		if (source == RING_NONE)
			break;
		drain(class, source, destination);
		freed += put_back(class, source);
		if (inuse[destination] == class->capacity) {
			lists_regroup(class, destination);
			destination = RING_NONE;
		}
	}
	if (destination != RING_NONE)
		lists_regroup(class, destination);
	return freed;
}

/* Empties a source into the fullest zspages with room. Returns false if these run out. */
static bool empty(struct zs_class *class, uint32_t source)
{
	while (class->zspages->inuse[source] > 0) {
		uint32_t destination = take_destination(class, false);

		if (destination == RING_NONE)
			return false;
		drain(class, source, destination);
		lists_regroup(class, destination);
	}
	return true;
}

/* Empties one zspage after the other. Returns the pages freed. */
static uint64_t empty_sources(struct zs_class *class)
{
	uint32_t source = take_source(class, false);
	uint64_t freed = 0;

	while (source != RING_NONE && compact_zspages(class) > 0 && empty(class, source)) {
		freed += put_back(class, source);
		source = take_source(class, false);
	}
	if (source != RING_NONE)
		lists_regroup(class, source);
	return freed;
}

uint64_t compact(struct zs_class *class, uint32_t algorithm)
{
	uint64_t freed = algorithm == ZS_SOURCE ? empty_sources(class)
						: fill_destinations(class, algorithm == ZS_OPTIMAL);

	class->compacted += freed;
	return freed;
}
