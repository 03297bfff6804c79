/* SPDX-License-Identifier: BSD-3-Clause */
#include "compact.h"
#include "lists.h"
#include "slots.h"

uint64_t compact_zspages(const struct zs_class *class)
{
	return (class->allocated - class->inuse) / class->capacity;
}

/* ---- choosing ------------------------------------------------------------------------------- */

/* True if a zspage is a better destination than another, or a better source. */
/*@ requires valid: \valid_read(class) && \valid_read(class->zspages) &&
      \valid_read(class->zspages->inuse + z) && \valid_read(class->zspages->inuse + than);
    terminates \true;
    assigns \nothing;
    ensures better: \result <==> (source ?
      class->zspages->inuse[z] < class->zspages->inuse[than] :
      class->zspages->inuse[z] > class->zspages->inuse[than]);
*/
static bool is_better(const struct zs_class *class, bool source, uint32_t z, uint32_t than)
{
	const uint16_t *inuse = class->zspages->inuse;

	return source ? inuse[z] < inuse[than] : inuse[z] > inuse[than];
}

/* True if no better one can be on the list of its group: it would be in the group beside. */
/*@ requires valid: \valid_read(class) && \valid_read(class->zspages) &&
      \valid_read(class->zspages->inuse + z) && \valid_read(class->group_of + (0 .. class->capacity));
    requires partial: 0 < class->zspages->inuse[z] < class->capacity;
    terminates \true;
    assigns \nothing;
    ensures best: \result <==>
      class->group_of[class->zspages->inuse[z] + (source ? -1 : 1)] != group;
*/
static bool is_best(const struct zs_class *class, bool source, uint32_t z, uint32_t group)
{
	uint32_t inuse = class->zspages->inuse[z];

	return class->group_of[source ? inuse - 1 : inuse + 1] != group;
}

/*
 * The destination or source of a partial group: the first, but no source that a reader pins; ranked:
 * the first of the best. RING_NONE: there is none.
 */
/*@
#include "class_memory.acsl"
#include "compact_lists.acsl"
    requires group: 0 < group < class->groups - 1;
    terminates \true;
    assigns \nothing;
    ensures none: \result == RING_NONE ==> \forall integer r;
      compact_on(class, r, class->first_list + group) ==> source && class->zspages->pins[r] != 0;
    ensures record: \result != RING_NONE ==>
      class_record(class, \result) && compact_on(class, \result, class->first_list + group);
    ensures pins: \result != RING_NONE && source ==> class->zspages->pins[\result] == 0;
    ensures best: \result != RING_NONE && ranked ==> \forall integer r;
      compact_on(class, r, class->first_list + group) &&
      (source ==> class->zspages->pins[r] == 0) ==> !compact_better(class, source, r, \result);
*/
static uint32_t best_of(const struct zs_class *class, uint32_t group, bool source, bool ranked)
{
	const struct zspages *all = class->zspages;
	uint32_t head = lists_head(class, group), best = RING_NONE;

	/*@ loop invariant place: z < all->ring.records && all->ring.list[z] == head;
	    loop invariant best: best != RING_NONE ==> compact_on(class, best, head) &&
	      (source ==> all->pins[best] == 0);
	    loop invariant first: !ranked ==> best == RING_NONE;
	    loop invariant seen: \forall integer r; compact_on(class, r, head) &&
	      (z == head || ring_stamp[z] < ring_stamp[r]) && (source ==> all->pins[r] == 0) ==>
	        best != RING_NONE && !compact_better(class, source, r, best);
	    loop assigns z, best;
	    loop variant z == head ? 0 : ring_stamp[z] + 1;
	*/
	for (uint32_t z = all->ring.next[head]; z != head; z = all->ring.next[z]) {
		if (source && sync_count(&all->pins[z]) != 0)
			continue;
		if (best == RING_NONE || is_better(class, source, z, best))
			best = z;
		if (!ranked || is_best(class, source, best, group))
			break;
	}
	return best;
}

/* A destination of the fullest partial group, or RING_NONE. */
/*@
#include "class_memory.acsl"
#include "compact_lists.acsl"
    terminates \true;
    assigns \nothing;
    ensures none: \result == RING_NONE ==>
      \forall integer z; !compact_partial(class, z);
    ensures partial: \result != RING_NONE ==> compact_partial(class, \result);
    ensures best: \result != RING_NONE && ranked ==> \forall integer z;
      compact_partial(class, z) ==> !compact_better(class, false, z, \result);
*/
static uint32_t find_destination(const struct zs_class *class, bool ranked)
{
	uint32_t full = class->groups - 1, group = bitmap_last(class->occupied, full);

	return group == full || group == 0 ? RING_NONE : best_of(class, group, false, ranked);
}

/* A source of the emptiest partial group that has one, or RING_NONE. */
/*@
#include "class_memory.acsl"
#include "compact_lists.acsl"
    terminates \true;
    assigns \nothing;
    ensures none: \result == RING_NONE ==> \forall integer z;
      compact_partial(class, z) ==> class->zspages->pins[z] != 0;
    ensures partial: \result != RING_NONE ==> compact_partial(class, \result);
    ensures pins: \result != RING_NONE ==> class->zspages->pins[\result] == 0;
    ensures best: \result != RING_NONE && ranked ==> \forall integer z;
      compact_partial(class, z) && class->zspages->pins[z] == 0 ==>
        !compact_better(class, true, z, \result);
*/
static uint32_t find_source(const struct zs_class *class, bool ranked)
{
	uint32_t full = class->groups - 1, group = bitmap_first(class->occupied, 1, full);
	uint32_t z = RING_NONE;

	/*@ loop invariant place: 0 < group <= full;
	    loop invariant pinned: z == RING_NONE ==> \forall integer r;
	      compact_partial(class, r) && class->zspages->ring.list[r] < class->first_list + group ==>
	        class->zspages->pins[r] != 0;
	    loop invariant partial: z != RING_NONE ==> compact_partial(class, z);
	    loop invariant pins: z != RING_NONE ==> class->zspages->pins[z] == 0;
	    loop invariant best: z != RING_NONE && ranked ==> \forall integer r;
	      compact_partial(class, r) && class->zspages->pins[r] == 0 ==>
	        !compact_better(class, true, r, z);
	    loop assigns z, group;
	    loop variant z == RING_NONE ? full - group + 1 : 0;
	*/
	for (; group < full && z == RING_NONE; group = bitmap_first(class->occupied, group + 1, full))
		z = best_of(class, group, true, ranked);
	return z;
}

/* Takes a zspage that is chosen off its list, if there is one, and returns it. */
static uint32_t take(struct zs_class *class, uint32_t z)
{
	if (z != RING_NONE)
		lists_leave(class, z);
	return z;
}

/* ---- moving --------------------------------------------------------------------------------- */

/* Moves objects, ascending slots, until the source is empty or the destination full. */
static void drain(struct zs_class *class, uint32_t source, uint32_t destination)
{
	const uint16_t *inuse = class->zspages->inuse;
	const int16_t *pos = class->zspages->pos + class->zspages->slot_row[source];

	for (uint32_t slot = 0; inuse[source] > 0 && inuse[destination] < class->capacity; slot++)
		if (slots_live(pos, inuse[source], slot))
			class_move(class, source, slot, destination);
}

/* Puts a zspage back that was taken. Returns the pages of one that is empty. */
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
			destination = take(class, find_destination(class, ranked));
		if (destination == RING_NONE)
			break;
		uint32_t source = take(class, find_source(class, ranked));
		if (source == RING_NONE)
			break;
		drain(class, source, destination);
		freed += put_back(class, source);
		if (inuse[destination] == class->capacity) {
			put_back(class, destination);
			destination = RING_NONE;
		}
	}
	if (destination != RING_NONE)
		put_back(class, destination);
	return freed;
}

/* Empties a source into the fullest zspages with room. Returns false if these run out. */
static bool empty(struct zs_class *class, uint32_t source)
{
	while (class->zspages->inuse[source] > 0) {
		uint32_t destination = take(class, find_destination(class, false));

		if (destination == RING_NONE)
			return false;
		drain(class, source, destination);
		put_back(class, destination);
	}
	return true;
}

/* Empties one zspage after the other. Returns the pages freed. */
static uint64_t empty_sources(struct zs_class *class)
{
	uint32_t source = take(class, find_source(class, false));
	uint64_t freed = 0;

	while (source != RING_NONE && compact_zspages(class) > 0 && empty(class, source)) {
		freed += put_back(class, source);
		source = take(class, find_source(class, false));
	}
	if (source != RING_NONE)
		put_back(class, source);
	return freed;
}

uint64_t compact(struct zs_class *class, uint32_t algorithm)
{
	uint64_t freed = algorithm == ZS_SOURCE ? empty_sources(class)
						: fill_destinations(class, algorithm == ZS_OPTIMAL);

	class->compacted += freed;
	return freed;
}
