/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lists - the lists of a class: one a fullness group, one of emptied and one of spare zspages.
 *
 * A bit a group says whether its list has a zspage. The caller holds the class's lock and keeps the
 * ranges; nothing fails. O(1) unless said.
 */
#ifndef LISTS_H
#define LISTS_H

#include "bitmap.h"
#include "zspages.h"

/*@
#include "lists.acsl"
*/

/* The head of one of the class's lists: a group, or groups + CLASS_EMPTIED or CLASS_SPARE. */
/*@ requires class: \valid_read(class);
    requires list: class->first_list + list <= UINT32_MAX;
    terminates \true;
    assigns \nothing;
    ensures head: \result == class->first_list + list;
*/
static inline uint32_t lists_head(const struct zs_class *class, uint32_t list)
{
	return class->first_list + list;
}

/*
 * The zspage that malloc uses: first of the fullest group with room, or RING_NONE. O(groups / 64).
 */
/*@
#include "class_memory.acsl"
    requires ring: ring_ok(&class->zspages->ring);
    requires occupied: class_occupied(class, -1);
    requires own: class_own_lists(class);
    requires groups: class_groups(class);
    requires placed: class_placed(class, -1);
    requires bounds: class_bounds(class);
    terminates \true;
    assigns \nothing;
    ensures none: \result == RING_NONE ==>
      \forall integer h; class->first_list <= h < class->first_list + class->groups - 1 ==>
        class->zspages->ring.next[h] == h;
    ensures record: \result != RING_NONE ==>
      class_record(class, \result) && class_listed(class, \result);
    ensures first: \result != RING_NONE ==>
      class->zspages->ring.next[class->zspages->ring.list[\result]] == \result;
    ensures room: \result != RING_NONE ==> class->zspages->inuse[\result] < class->capacity;
    ensures fullest: \result != RING_NONE ==>
      \forall integer h;
        class->zspages->ring.list[\result] < h < class->first_list + class->groups - 1 ==>
        class->zspages->ring.next[h] == h;
*/
uint32_t lists_pick(const struct zs_class *class);

/*
 * Puts a zspage on the list of its group, unless it is on that list: first; with ZS_THRESHOLD
 * second, behind one with more in use. Then it is held.
 */
/*@
#include "class_memory.acsl"
    requires ring: ring_ok(&class->zspages->ring);
    requires round: ring_round(&class->zspages->ring);
    requires groups: class_groups(class);
    requires bounds: class_bounds(class);
    requires occupied: class_occupied(class, -1);
    requires own: class_own_lists(class);
    requires placed: class_placed(class, z);
    requires record: class_record(class, z);
    requires listed: class_listed(class, z) || class_unlisted(class, z);
    terminates \true;
    assigns ring_stamp[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.next[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.prev[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.list[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.count[0 .. class->zspages->ring.heads - 1],
      class->occupied[0 .. (class->groups - 1) / 64];
#include "class_kept.acsl"
    ensures list: class->zspages->ring.list[z] ==
      class->first_list + class->group_of[class->zspages->inuse[z]];
    ensures others: class_others_list{Pre, Post}(class, z);
    ensures recounted: class_recounted{Pre, Post}(class, z);
    ensures next: class_others_next{Pre, Post}(class, \old(class->zspages->ring.list[z]),
      class->zspages->ring.list[z]);
    ensures stays: class->zspages->ring.list[z] == \old(class->zspages->ring.list[z]) ==>
      \forall integer r; 0 <= r < class->zspages->ring.records ==>
        class->zspages->ring.next[r] == \old(class->zspages->ring.next[r]);
    ensures first: \let head = class->zspages->ring.list[z];
      head != \old(class->zspages->ring.list[z]) && !class_behind{Pre}(class, head, z) ==>
        class->zspages->ring.next[head] == z &&
        class->zspages->ring.next[z] == \at(class->zspages->ring.next[\at(head, Post)], Pre);
    ensures second: \let head = class->zspages->ring.list[z];
      head != \old(class->zspages->ring.list[z]) && class_behind{Pre}(class, head, z) ==>
        class->zspages->ring.next[head] == \at(class->zspages->ring.next[\at(head, Post)], Pre) &&
        class->zspages->ring.next[class->zspages->ring.next[head]] == z;
    ensures occupied: class_occupied(class, -1);
    ensures own: class_own_lists(class);
    ensures placed: class_placed(class, -1);
*/
void lists_regroup(struct zs_class *class, uint32_t z);

/* Takes a held zspage off the list of its group, until lists_regroup. */
/*@
#include "class_memory.acsl"
    requires ring: ring_ok(&class->zspages->ring);
    requires round: ring_round(&class->zspages->ring);
    requires occupied: class_occupied(class, -1);
    requires own: class_own_lists(class);
    requires placed: class_placed(class, z);
    requires record: class_record(class, z) && class_listed(class, z);
    terminates \true;
    assigns ring_stamp[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.next[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.prev[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.list[z], class->zspages->ring.count[class->zspages->ring.list[z]],
      class->occupied[0 .. (class->groups - 1) / 64];
#include "class_kept.acsl"
    ensures none: class_unlisted(class, z);
    ensures others: class_others_list{Pre, Post}(class, z);
    ensures recounted: class_recounted{Pre, Post}(class, z);
    ensures next: class_others_next{Pre, Post}(class, \old(class->zspages->ring.list[z]), -1);
    ensures occupied: class_occupied(class, -1);
    ensures own: class_own_lists(class);
    ensures placed: class_placed(class, -1);
*/
void lists_leave(struct zs_class *class, uint32_t z);

/* Takes an empty held zspage off the list of its group, to the emptied ones: its pages can go. */
/*@
#include "class_memory.acsl"
    requires ring: ring_ok(&class->zspages->ring);
    requires round: ring_round(&class->zspages->ring);
    requires occupied: class_occupied(class, -1);
    requires own: class_own_lists(class);
    requires placed: class_placed(class, z);
    requires record: class_record(class, z) && class_listed(class, z);
    terminates \true;
    assigns ring_stamp[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.next[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.prev[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.list[z], class->zspages->ring.count[class->zspages->ring.list[z]],
      class->zspages->ring.count[class->first_list + class->groups + CLASS_EMPTIED],
      class->occupied[0 .. (class->groups - 1) / 64];
#include "class_kept.acsl"
    ensures list: class->zspages->ring.list[z] == class->first_list + class->groups + CLASS_EMPTIED;
    ensures others: class_others_list{Pre, Post}(class, z);
    ensures recounted: class_recounted{Pre, Post}(class, z);
    ensures next: class_others_next{Pre, Post}(class, \old(class->zspages->ring.list[z]),
      class->zspages->ring.list[z]);
    ensures occupied: class_occupied(class, -1);
    ensures own: class_own_lists(class);
    ensures placed: class_placed(class, -1);
*/
void lists_empty(struct zs_class *class, uint32_t z);

/* Keeps a record that is on no list and whose pages are gone for the class's next zspage. */
/*@
#include "class_memory.acsl"
    requires ring: ring_ok(&class->zspages->ring);
    requires round: ring_round(&class->zspages->ring);
    requires record: class_record(class, z) && class_unlisted(class, z);
    requires occupied: class_occupied(class, -1);
    requires own: class_own_lists(class);
    requires placed: class_placed(class, z);
    terminates \true;
    assigns ring_stamp[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.next[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.prev[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.list[z],
      class->zspages->ring.count[class->first_list + class->groups + CLASS_SPARE];
#include "class_kept.acsl"
    ensures list: class->zspages->ring.list[z] == class->first_list + class->groups + CLASS_SPARE;
    ensures others: class_others_list{Pre, Post}(class, z);
    ensures recounted: class_recounted{Pre, Post}(class, z);
    ensures next: class_others_next{Pre, Post}(class, class->zspages->ring.list[z], -1);
    ensures occupied: class_occupied(class, -1);
    ensures own: class_own_lists(class);
    ensures placed: class_placed(class, -1);
*/
void lists_spare(struct zs_class *class, uint32_t z);

/* Takes a spare record off its list, or returns RING_NONE: there is none, and nothing changes. */
/*@
#include "class_memory.acsl"
    requires ring: ring_ok(&class->zspages->ring);
    requires round: ring_round(&class->zspages->ring);
    requires occupied: class_occupied(class, -1);
    requires own: class_own_lists(class);
    requires placed: class_placed(class, -1);
    terminates \true;
    assigns ring_stamp[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.next[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.prev[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.list[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.count[class->first_list + class->groups + CLASS_SPARE];
#include "class_kept.acsl"
    ensures none: \result == RING_NONE ==>
      class->zspages->ring.next[class->first_list + class->groups + CLASS_SPARE] ==
        class->first_list + class->groups + CLASS_SPARE;
    ensures unchanged: \result == RING_NONE ==>
      \forall integer r; 0 <= r < class->zspages->ring.records ==>
        class->zspages->ring.next[r] == \old(class->zspages->ring.next[r]) &&
        class->zspages->ring.list[r] == \old(class->zspages->ring.list[r]);
    ensures record: \result != RING_NONE ==>
      class_record(class, \result) && class_unlisted(class, \result);
    ensures spare: \forall integer r; r == \result && r != RING_NONE ==>
      \old(class->zspages->ring.list[r]) == class->first_list + class->groups + CLASS_SPARE;
    ensures others: class_others_list{Pre, Post}(class, \result);
    ensures next: class_others_next{Pre, Post}(class,
      class->first_list + class->groups + CLASS_SPARE, -1);
    ensures occupied: class_occupied(class, -1);
    ensures own: class_own_lists(class);
    ensures placed: class_placed(class, -1);
*/
uint32_t lists_take_spare(struct zs_class *class);

#endif
