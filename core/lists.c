/* SPDX-License-Identifier: BSD-3-Clause */
#include "lists.h"

uint32_t lists_pick(const struct zs_class *class)
{
	uint32_t full = class->groups - 1, group = bitmap_last(class->occupied, full);

	if (group == full)
		return RING_NONE;
	return ring_first(&class->zspages->ring, lists_head(class, group));
}

/* Puts a zspage that is on no list first on one. */
/*@
#include "class_memory.acsl"
    requires ring: ring_ok(&class->zspages->ring);
    requires head: class->first_list <= head < class->first_list + class->groups + CLASS_MORE_LISTS;
    requires record: class_record(class, z) && class_unlisted(class, z);
    requires occupied: class_occupied(class, head);
    requires bit: head < class->first_list + class->groups ==> class_bit(class, head);
    terminates \true;
    assigns class->zspages->ring.next[0 .. class->zspages->ring.records - 1],
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
	/*@ assert heads: class_same_heads{Pre, Here}(class, head); */
	/*@ assert linked: class->zspages->ring.next[head] != head; */
	/*@ assert had: \at(class->first_list, Pre) <= head <
	      \at(class->first_list, Pre) + \at(class->groups, Pre) ==>
	      bitmap_has{Pre}(\at(class->occupied, Pre), head - \at(class->first_list, Pre)); */
	/*@ assert bit: class->first_list <= head < class->first_list + class->groups ==>
	      bitmap_has(class->occupied, head - class->first_list); */
	/*@ assert but: class_occupied(class, head); */
}

/* Takes a zspage off its list. */
/*@
#include "class_memory.acsl"
    requires ring: ring_ok(&class->zspages->ring);
    requires occupied: class_occupied(class, -1);
    requires record: class_record(class, z) && ring_listed(&class->zspages->ring, z);
    terminates \true;
    assigns class->zspages->ring.next[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.prev[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.list[z], class->zspages->ring.count[class->zspages->ring.list[z]];
#include "class_kept.acsl"
    ensures none: class_unlisted(class, z);
    ensures others: class_others_list{Pre, Post}(class, z);
    ensures recounted: class_recounted{Pre, Post}(class, z);
    ensures next: class_others_next{Pre, Post}(class, \old(class->zspages->ring.list[z]), -1);
    ensures occupied: class_occupied(class, \old(class->zspages->ring.list[z]));
    ensures bits: class_same_bits{Pre, Post}(class);
    ensures firsts: class_same_firsts{Pre, Post}(class, \old(class->zspages->ring.list[z]));
    ensures first: \let head = \old(class->zspages->ring.list[z]);
      \old(class->zspages->ring.next[class->zspages->ring.list[z]]) == z ==>
        class->zspages->ring.next[head] == \old(class->zspages->ring.next[z]);
    ensures still: \let head = \old(class->zspages->ring.list[z]);
      class->zspages->ring.next[head] != head ==>
        \old(class->zspages->ring.next[class->zspages->ring.list[z]]) != head;
*/
static void take_off(struct zs_class *class, uint32_t z)
{
	/*@ assert next: class->zspages->ring.next[z] < class->zspages->ring.records; */
	/*@ assert prev: class->zspages->ring.prev[z] < class->zspages->ring.records; */
	/*@ assert head: class->zspages->ring.prev[z] < class->zspages->ring.heads ==>
	      class->zspages->ring.prev[z] == class->zspages->ring.list[z]; */
	ring_del(&class->zspages->ring, z);
	/*@ assert same: class_same{Pre, Here}(class); */
	/*@ assert same_zspages: class_same_zspages{Pre, Here}(class); */
	/*@ assert same_ring: class_same_ring{Pre, Here}(class); */
	/*@ assert words: class_same_words{Pre, Here}(class); */
	/*@ assert bits: class_same_bits{Pre, Here}(class); */
	/*@ assert others: class_same_firsts{Pre, Here}(class,
	      \at(class->zspages->ring.list[z], Pre)); */
	/*@ assert heads: class_same_heads{Pre, Here}(class,
	      \at(class->zspages->ring.list[z], Pre)); */
}

/* Notes that a list of a group has become empty, if it has. */
/*@
#include "class_memory.acsl"
    requires ring: ring_ok(&class->zspages->ring);
    requires head: class->first_list <= head < class->first_list + class->groups;
    requires occupied: class_occupied(class, head);
    requires bit: class->zspages->ring.next[head] != head ==> class_bit(class, head);
    terminates \true;
    assigns class->occupied[(head - class->first_list) / 64];
#include "class_kept.acsl"
    ensures occupied: class_occupied(class, -1);
*/
static void note_empty(struct zs_class *class, uint32_t head)
{
	if (ring_first(&class->zspages->ring, head) == head)
		bitmap_clear(class->occupied, head - class->first_list);
	/*@ assert same: class_same{Pre, Here}(class); */
	/*@ assert same_zspages: class_same_zspages{Pre, Here}(class); */
	/*@ assert same_ring: class_same_ring{Pre, Here}(class); */
}

void lists_leave(struct zs_class *class, uint32_t z)
{
	uint32_t head = ring_list(&class->zspages->ring, z);

	take_off(class, z);
	note_empty(class, head);
}

/* Notes that a list of a group is about to have a zspage. */
/*@
#include "class_memory.acsl"
    requires ring: ring_ok(&class->zspages->ring);
    requires head: class->first_list <= head < class->first_list + class->groups;
    requires occupied: class_occupied(class, -1);
    terminates \true;
    assigns class->occupied[(head - class->first_list) / 64];
#include "class_kept.acsl"
    ensures occupied: class_occupied(class, head);
    ensures bit: class_bit(class, head);
*/
static void note_used(struct zs_class *class, uint32_t head)
{
	bitmap_set(class->occupied, head - class->first_list);
	/*@ assert same: class_same{Pre, Here}(class); */
	/*@ assert same_zspages: class_same_zspages{Pre, Here}(class); */
	/*@ assert same_ring: class_same_ring{Pre, Here}(class); */
}

/* Puts a zspage behind the first on the list of a group: that is taken off, and added again. */
/*@
#include "class_memory.acsl"
    requires ring: ring_ok(&class->zspages->ring);
    requires occupied: class_occupied(class, -1);
    requires head: class->first_list <= head < class->first_list + class->groups;
    requires own: class_own_lists(class);
    requires record: class_record(class, z) && class_unlisted(class, z);
    requires first: class->zspages->ring.next[head] == first && first != head;
    terminates \true;
    assigns class->zspages->ring.next[0 .. class->zspages->ring.records - 1],
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
	take_off(class, first);
	put_first(class, head, z);
	put_first(class, head, first);
}

/* Puts a zspage that is on no list on that of a group. */
/*@
#include "class_memory.acsl"
    requires ring: ring_ok(&class->zspages->ring);
    requires occupied: class_occupied(class, -1);
    requires head: class->first_list <= head < class->first_list + class->groups;
    requires own: class_own_lists(class);
    requires record: class_record(class, z) && class_unlisted(class, z);
    terminates \true;
    assigns class->zspages->ring.next[0 .. class->zspages->ring.records - 1],
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
		put_first(class, head, z);
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
	enter(class, head, z);
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
	take_off(class, z);
	return z;
}

void lists_empty(struct zs_class *class, uint32_t z)
{
	lists_leave(class, z);
	put_first(class, lists_head(class, class->groups + CLASS_EMPTIED), z);
}
