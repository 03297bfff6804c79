/* SPDX-License-Identifier: BSD-3-Clause */
#include "choose.h"

/*@
#include "choose_steps.acsl"
*/

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
/*@
#include "class_memory.acsl"
#include "choose_lists.acsl"
    requires group: 0 < group < class->groups - 1;
    requires on: choose_on(class, z, class->first_list + group);
    terminates \true;
    assigns \nothing;
    ensures best: \result ==> \forall integer r;
      choose_on(class, r, class->first_list + group) ==> !choose_better(class, source, r, z);
*/
static bool is_best(const struct zs_class *class, bool source, uint32_t z, uint32_t group)
{
	uint32_t inuse = class->zspages->inuse[z];

	/*@ assert group: \forall integer r; choose_on(class, r, class->first_list + group) ==>
	      class->group_of[class->zspages->inuse[r]] == group &&
	      0 < class->zspages->inuse[r] < class->capacity; */
	/*@ assert rises: choose_rises(class->group_of, class->capacity); */
	/*@ assert this: class->group_of[inuse] == group && 0 < inuse < class->capacity; */
	/*@ assert below: class->group_of[inuse - 1] <= class->group_of[inuse]; */
	/*@ assert above: class->group_of[inuse] <= class->group_of[inuse + 1]; */
	/*@ assert lower: \forall integer n; 0 <= n < inuse ==>
	      class->group_of[n] <= class->group_of[inuse - 1]; */
	/*@ assert higher: \forall integer n; inuse < n <= class->capacity ==>
	      class->group_of[inuse + 1] <= class->group_of[n]; */
	return class->group_of[source ? inuse - 1 : inuse + 1] != group;
}

/*
 * The destination or source of a partial group: the first, but no source that a reader pins;
 * ranked, the first of the best. RING_NONE: there is none.
 */
/*@
#include "class_memory.acsl"
#include "choose_lists.acsl"
    requires group: 0 < group < class->groups - 1;
    terminates \true;
    assigns \nothing;
    ensures none: \result == RING_NONE ==> \forall integer r;
      choose_on(class, r, class->first_list + group) ==> source && class->zspages->pins[r] != 0;
    ensures record: \result != RING_NONE ==>
      class_record(class, \result) && choose_on(class, \result, class->first_list + group);
    ensures pins: \result != RING_NONE && source ==> class->zspages->pins[\result] == 0;
    ensures first: \result != RING_NONE ==> choose_first(class, source, ranked, \result);
    ensures best: \result != RING_NONE && ranked ==> \forall integer r;
      choose_on(class, r, class->first_list + group) &&
      (source ==> class->zspages->pins[r] == 0) ==> !choose_better(class, source, r, \result);
*/
static uint32_t best_of(const struct zs_class *class, uint32_t group, bool source, bool ranked)
{
	const struct zspages *all = class->zspages;
	uint32_t head = lists_head(class, group), best = RING_NONE;

	/*@ assert head: all->ring.list[head] == head && head < all->ring.heads; */
	/*@ assert first: \forall integer r; choose_on(class, r, head) ==>
	      all->ring.heads <= all->ring.next[head] &&
	      ring_stamp[r] <= ring_stamp[all->ring.next[head]]; */
	/*@ loop invariant place: z < all->ring.records && all->ring.list[z] == head;
	    loop invariant best: best != RING_NONE ==> choose_on(class, best, head) &&
	      (source ==> all->pins[best] == 0);
	    loop invariant none: !ranked ==> best == RING_NONE;
	    loop invariant first: best != RING_NONE ==> choose_first(class, source, ranked, best);
	    loop invariant seen: \forall integer r; choose_on(class, r, head) &&
	      (z == head || ring_stamp[z] < ring_stamp[r]) && (source ==> all->pins[r] == 0) ==>
	        best != RING_NONE && !choose_better(class, source, r, best);
	    loop assigns z, best;
	    loop variant z == head ? 0 : ring_stamp[z] + 1;
	*/
	for (uint32_t z = all->ring.next[head]; z != head; z = all->ring.next[z]) {
		/*@ assert next: \forall integer r; choose_on(class, r, head) && r != z &&
		      ring_stamp[r] <= ring_stamp[z] ==> all->ring.heads <= all->ring.next[z] &&
		      ring_stamp[r] <= ring_stamp[all->ring.next[z]]; */
		if (source && sync_count(&all->pins[z]) != 0)
			continue;
		if (best == RING_NONE || is_better(class, source, z, best))
			best = z;
		/*@ assert earlier: choose_first(class, source, ranked, best); */
		if (!ranked || is_best(class, source, best, group))
			break;
	}
	return best;
}

uint32_t choose_destination(const struct zs_class *class, bool ranked)
{
	uint32_t full = class->groups - 1, group = bitmap_last(class->occupied, full);

	/*@ assert some: choose_some(class); */
	/*@ assert bits: choose_bits(class); */
	/*@ assert groups: choose_middle(class); */
	/*@ assert bit: group < full ==> bitmap_has(class->occupied, group); */
	/*@ assert head: class->zspages->ring.list[class->first_list + group] ==
	      class->first_list + group; */
	/*@ assert occupied: class_occupied_at(class, class->first_list + group); */
	/*@ assert first: group < full ==> choose_on(class,
	      class->zspages->ring.next[class->first_list + group], class->first_list + group); */
	return group == full || group == 0 ? RING_NONE : best_of(class, group, false, ranked);
}

uint32_t choose_source(const struct zs_class *class, bool ranked)
{
	uint32_t full = class->groups - 1, group = bitmap_first(class->occupied, 1, full);

	/*@ assert some: choose_some(class); */
	/*@ assert bits: choose_bits(class); */
	/*@ assert groups: choose_middle(class); */
	/*@ loop invariant place: 0 < group <= full;
	    loop invariant pinned: \forall integer r; choose_partial(class, r) &&
	      class->zspages->ring.list[r] < class->first_list + group ==> class->zspages->pins[r] != 0;
	    loop assigns group;
	    loop variant full - group;
	*/
	for (; group < full; group = bitmap_first(class->occupied, group + 1, full)) {
		uint32_t z = best_of(class, group, true, ranked);

		if (z != RING_NONE)
			return z;
	}
	return RING_NONE;
}
