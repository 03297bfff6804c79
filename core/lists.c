/* SPDX-License-Identifier: BSD-3-Clause */
#include "lists.h"

/*@
#include "lists_steps.acsl"
*/

uint32_t lists_pick(const struct zs_class *class)
{
	uint32_t full = class->groups - 1, group = bitmap_last(class->occupied, full);

	/*@ assert at: \forall integer h;
	      class->first_list <= h < class->first_list + class->groups ==>
	      class_occupied_at(class, h); */
	/*@ assert off: \forall integer h; class->first_list <= h < class->first_list + full &&
	      (h > class->first_list + group || group == full) ==> !class_bit(class, h); */
	/*@ assert empty: \forall integer h; class->first_list <= h < class->first_list + full &&
	      (h > class->first_list + group || group == full) ==>
	      class_occupied_at(class, h) && !class_bit(class, h) &&
	      class->zspages->ring.next[h] == h; */
	/*@ assert bit: group != full ==> class_bit(class, class->first_list + group); */
	/*@ assert some: group != full ==>
	      class->zspages->ring.next[class->first_list + group] != class->first_list + group; */
	if (group == full)
		return RING_NONE;
	return ring_first(&class->zspages->ring, lists_head(class, group));
}

/* Puts a zspage that is on no list first on one. */
/*@
#include "class_memory.acsl"
    requires ring: ring_ok(&class->zspages->ring);
    requires round: ring_round(&class->zspages->ring);
    requires head: class->first_list <= head < class->first_list + class->groups + CLASS_MORE_LISTS;
    requires record: class_record(class, z) && class_unlisted(class, z);
    requires occupied: class_occupied(class, head);
    requires bit: head < class->first_list + class->groups ==> class_bit(class, head);
    terminates \true;
    assigns ring_stamp[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.next[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.prev[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.list[z], class->zspages->ring.count[head];
#include "class_kept.acsl"
    ensures list: class->zspages->ring.list[z] == head;
    ensures others: class_others_list{Pre, Post}(class, z);
    ensures recounted: class_recounted{Pre, Post}(class, z);
    ensures next: class_others_next{Pre, Post}(class, head, -1);
    ensures occupied: class_occupied(class, -1);
    ensures first: class->zspages->ring.next[head] == z;
    ensures rest: class->zspages->ring.next[z] == \old(class->zspages->ring.next[head]);
    ensures links: \forall integer r;
      0 <= r < class->zspages->ring.records && r != z && r != head ==>
      class->zspages->ring.next[r] == \old(class->zspages->ring.next[r]);
    ensures firsts: class_same_firsts{Pre, Post}(class, head);
    ensures bits: class_same_bits{Pre, Post}(class);
*/
static void put_first(struct zs_class *class, uint32_t head, uint32_t z)
{
	/*@ assert link: class->zspages->ring.next[head] < class->zspages->ring.records; */
	ring_add(&class->zspages->ring, head, z);
	/*@ assert same: class_same{Pre, Here}(class); */
	/*@ assert same_zspages: class_same_zspages{Pre, Here}(class); */
	/*@ assert same_ring: class_same_ring{Pre, Here}(class); */
	/*@ assert words: class_same_words{Pre, Here}(class); */
	/*@ assert bits: class_same_bits{Pre, Here}(class); */
	/*@ assert others: class_same_firsts{Pre, Here}(class, head); */
	/*@ assert linked: class->zspages->ring.next[head] != head; */
	/*@ assert had: \at(class->first_list, Pre) <= head <
	      \at(class->first_list, Pre) + \at(class->groups, Pre) ==>
	      bitmap_has{Pre}(\at(class->occupied, Pre), head - \at(class->first_list, Pre)); */
	/*@ assert bit: class->first_list <= head < class->first_list + class->groups ==>
	      bitmap_has(class->occupied, head - class->first_list); */
	/*@ assert but: class_occupied(class, head); */
}

/* Takes a zspage off its list. For the proof alone, the caller names that. */
/*@
#include "class_memory.acsl"
    requires ring: ring_ok(&class->zspages->ring);
    requires round: ring_round(&class->zspages->ring);
    requires head: head < class->zspages->ring.heads;
    requires occupied: class_occupied(class, -1);
    requires record: class_record(class, z) && class->zspages->ring.list[z] == head;
    terminates \true;
    assigns ring_stamp[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.next[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.prev[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.list[z], class->zspages->ring.count[head];
#include "class_kept.acsl"
    ensures none: class_unlisted(class, z);
    ensures others: class_others_list{Pre, Post}(class, z);
    ensures recounted: class_recounted{Pre, Post}(class, z);
    ensures next: class_others_next{Pre, Post}(class, head, -1);
    ensures occupied: class_occupied(class, head);
    ensures bits: class_same_bits{Pre, Post}(class);
    ensures firsts: class_same_firsts{Pre, Post}(class, head);
    ensures first: \old(class->zspages->ring.next[head]) == z ==>
      class->zspages->ring.next[head] == \old(class->zspages->ring.next[z]);
    ensures bit: class->first_list <= head < class->first_list + class->groups &&
      class->zspages->ring.next[head] != head ==> class_bit(class, head);
*/
static void take_off(struct zs_class *class, uint32_t z) /*@ ghost (uint32_t head) */
{
	/*@ assert next: 0 <= class->zspages->ring.next[z] <= class->zspages->ring.records - 1; */
	/*@ assert prev: 0 <= class->zspages->ring.prev[z] <= class->zspages->ring.records - 1; */
	/*@ assert head: class->zspages->ring.prev[z] < class->zspages->ring.heads ==>
	      class->zspages->ring.prev[z] == head; */
	/*@ assert had: class->first_list <= head < class->first_list + class->groups ==>
	      class_occupied_at(class, head); */
	ring_del(&class->zspages->ring, z);
	/*@ assert same: class_same{Pre, Here}(class); */
	/*@ assert same_zspages: class_same_zspages{Pre, Here}(class); */
	/*@ assert same_ring: class_same_ring{Pre, Here}(class); */
	/*@ assert words: class_same_words{Pre, Here}(class); */
	/*@ assert bits: class_same_bits{Pre, Here}(class); */
	/*@ assert others: class_same_firsts{Pre, Here}(class, head); */
	/*@ assert still: class->zspages->ring.next[head] != head ==>
	      \at(class->zspages->ring.next[head], Pre) != head; */
	/*@ assert had_at: \at(class_occupied(class, head), Pre); */
}

/* Notes that a list of a group has become empty, if it has. */
/*@
#include "class_memory.acsl"
    requires ring: ring_ok(&class->zspages->ring);
    requires round: ring_round(&class->zspages->ring);
    requires head: class->first_list <= head < class->first_list + class->groups;
    requires occupied: class_occupied(class, head);
    requires bit: class->zspages->ring.next[head] != head ==> class_bit(class, head);
    terminates \true;
    assigns class->occupied[(head - class->first_list) / 64];
#include "class_kept.acsl"
    ensures occupied: class_occupied(class, -1);
    ensures kept: class_same_counts{Pre, Post}(class);
*/
static void note_empty(struct zs_class *class, uint32_t head)
{
	if (ring_first(&class->zspages->ring, head) == head)
		bitmap_clear(class->occupied, head - class->first_list);
	/*@ assert same: class_same{Pre, Here}(class); */
	/*@ assert same_zspages: class_same_zspages{Pre, Here}(class); */
	/*@ assert same_ring: class_same_ring{Pre, Here}(class); */
	/*@ assert ring: ring_same{Pre, Here}(&class->zspages->ring); */
	/*@ assert this: class_occupied_at(class, head); */
	/*@ assert others: \forall integer h;
	      class->first_list <= h < class->first_list + class->groups && h != head &&
	      \at(class_occupied_at(class, h), Pre) ==> class_occupied_at(class, h); */
	/*@ assert but: class_occupied(class, head); */
}

void lists_leave(struct zs_class *class, uint32_t z)
{
	uint32_t head = ring_list(&class->zspages->ring, z);

	take_off(class, z) /*@ ghost (head) */;
	note_empty(class, head);
}

/* Notes that a list of a group is about to have a zspage. */
/*@
#include "class_memory.acsl"
    requires ring: ring_ok(&class->zspages->ring);
    requires round: ring_round(&class->zspages->ring);
    requires head: class->first_list <= head < class->first_list + class->groups;
    requires occupied: class_occupied(class, -1);
    terminates \true;
    assigns class->occupied[(head - class->first_list) / 64];
#include "class_kept.acsl"
    ensures occupied: class_occupied(class, head);
    ensures bit: class_bit(class, head);
    ensures kept: class_same_counts{Pre, Post}(class);
*/
static void note_used(struct zs_class *class, uint32_t head)
{
	bitmap_set(class->occupied, head - class->first_list);
	/*@ assert same: class_same{Pre, Here}(class); */
	/*@ assert same_zspages: class_same_zspages{Pre, Here}(class); */
	/*@ assert same_ring: class_same_ring{Pre, Here}(class); */
	/*@ assert ring: ring_same{Pre, Here}(&class->zspages->ring); */
}

/* Puts a zspage behind the first on the list of a group: that is taken off, and added again. */
/*@
#include "class_memory.acsl"
    requires ring: ring_ok(&class->zspages->ring);
    requires round: ring_round(&class->zspages->ring);
    requires occupied: class_occupied(class, -1);
    requires head: class->first_list <= head < class->first_list + class->groups;
    requires own: class_own_lists(class);
    requires record: class_record(class, z) && class_unlisted(class, z);
    requires first: class->zspages->ring.next[head] == first && first != head;
    terminates \true;
    assigns ring_stamp[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.next[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.prev[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.list[z], class->zspages->ring.list[first],
      class->zspages->ring.count[head];
#include "class_kept.acsl"
    ensures list: class->zspages->ring.list[z] == head;
    ensures others: class_others_list{Pre, Post}(class, z);
    ensures recounted: class_recounted{Pre, Post}(class, z);
    ensures next: class_others_next{Pre, Post}(class, head, -1);
    ensures occupied: class_occupied(class, -1);
    ensures first: class->zspages->ring.next[head] == first;
    ensures second: class->zspages->ring.next[first] == z;
    ensures rest: class->zspages->ring.next[z] == \old(class->zspages->ring.next[first]);
*/
static void put_second(struct zs_class *class, uint32_t head, uint32_t first, uint32_t z)
{
	/*@ assert on: class->zspages->ring.list[first] == head; */
	/*@ assert apart: first != z &&
	      class->zspages->ring.heads <= first < class->zspages->ring.records; */
	/*@ assert used: class_occupied_at(class, head) && class_bit(class, head); */
	take_off(class, first) /*@ ghost (head) */;
	/*@ assert less: class->zspages->ring.count[head] ==
	      \at(class->zspages->ring.count[head], Pre) - 1; */
	put_first(class, head, z);
	/*@ assert equal: class->zspages->ring.count[head] ==
	      \at(class->zspages->ring.count[head], Pre); */
	put_first(class, head, first);
	/*@ assert more: class->zspages->ring.count[head] ==
	      \at(class->zspages->ring.count[head], Pre) + 1; */
}

/* Puts a zspage that is on no list on that of a group. */
/*@
#include "class_memory.acsl"
    requires ring: ring_ok(&class->zspages->ring);
    requires round: ring_round(&class->zspages->ring);
    requires occupied: class_occupied(class, -1);
    requires head: class->first_list <= head < class->first_list + class->groups;
    requires own: class_own_lists(class);
    requires record: class_record(class, z) && class_unlisted(class, z);
    terminates \true;
    assigns ring_stamp[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.next[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.prev[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.list[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.count[head], class->occupied[(head - class->first_list) / 64];
#include "class_kept.acsl"
    ensures list: class->zspages->ring.list[z] == head;
    ensures others: class_others_list{Pre, Post}(class, z);
    ensures recounted: class_recounted{Pre, Post}(class, z);
    ensures next: class_others_next{Pre, Post}(class, head, -1);
    ensures occupied: class_occupied(class, -1);
    ensures first: !class_behind{Pre}(class, head, z) ==>
      class->zspages->ring.next[head] == z &&
      class->zspages->ring.next[z] == \old(class->zspages->ring.next[head]);
    ensures second: class_behind{Pre}(class, head, z) ==>
      class->zspages->ring.next[head] == \old(class->zspages->ring.next[head]) &&
      class->zspages->ring.next[class->zspages->ring.next[head]] == z;
*/
static void enter(struct zs_class *class, uint32_t head, uint32_t z)
{
	const uint16_t *inuse = class->zspages->inuse;
	uint32_t first = ring_first(&class->zspages->ring, head);

	if (class->grouping == ZS_THRESHOLD && first != head && inuse[first] > inuse[z]) {
		put_second(class, head, first, z);
	} else {
		note_used(class, head);
		/*@ assert room: class_same_ring{Pre, Here}(class); */
		put_first(class, head, z);
		/*@ assert list: class_others_list{Pre, Here}(class, z); */
		/*@ assert count: class_recounted{Pre, Here}(class, z); */
		/*@ assert order: class_others_next{Pre, Here}(class, head, -1); */
	}
}

void lists_regroup(struct zs_class *class, uint32_t z)
{
	uint32_t head = lists_head(class, class->group_of[class->zspages->inuse[z]]);
	uint32_t list = ring_list(&class->zspages->ring, z);

	if (list == head)
		return;
	if (list != RING_NONE)
		lists_leave(class, z);
	/*@ assert left: class_others_list{Pre, Here}(class, z) &&
	      class_others_next{Pre, Here}(class, \at(class->zspages->ring.list[z], Pre), -1); */
	/*@ assert own: class_own_lists(class) && class_placed(class, -1); */
	/*@ assert front: class->zspages->ring.next[head] ==
	      \at(class->zspages->ring.next[\at(head, Here)], Pre); */
	/*@ assert behind: class_behind(class, head, z) <==> class_behind{Pre}(class, head, z); */
	/*@ ghost off: ; */
	enter(class, head, z);
	/*@ assert entered: class_others_list{off, Here}(class, z); */
	/*@ assert groups: class_same_groups{off, Here}(class); */
	/*@ assert but: class_placed(class, z); */
	/*@ assert order: class_others_next{Pre, Here}(class,
	      \at(class->zspages->ring.list[z], Pre), head); */
}

void lists_spare(struct zs_class *class, uint32_t z)
{
	put_first(class, lists_head(class, class->groups + CLASS_SPARE), z);
}

uint32_t lists_take_spare(struct zs_class *class)
{
	uint32_t head = lists_head(class, class->groups + CLASS_SPARE);
	uint32_t z = ring_first(&class->zspages->ring, head);

	if (z == head)
		return RING_NONE;
	take_off(class, z) /*@ ghost (head) */;
	return z;
}

void lists_empty(struct zs_class *class, uint32_t z)
{
	lists_leave(class, z);
	put_first(class, lists_head(class, class->groups + CLASS_EMPTIED), z);
}
