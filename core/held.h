/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * held - the zspages that a class holds: on the list of their group, or taken off it for a moment by
 * compaction; and those it holds no more.
 *
 * Objects and counters stay right meanwhile, and handles name the same bytes. The caller holds the
 * class's lock and keeps the ranges; nothing fails. O(1).
 */
#ifndef HELD_H
#define HELD_H

#include "lists.h"
#include "place.h"

/*@
#include "held.acsl"
*/

/* Takes a zspage that was chosen, if one was, off its list, until held_put. Returns it. */
/*@
#include "held_needs.acsl"
    requires lists: class_lists(class, -1);
    requires listed: z != RING_NONE ==> class_record(class, z) && class_listed(class, z);
    terminates \true;
    assigns
#include "held_cells.acsl"
#include "held_kept.acsl"
    ensures lists: class_lists(class, -1);
    ensures zspage: \result == z;
    ensures taken: z != RING_NONE ==> class_unlisted(class, z);
    ensures held: class->held == \old(class->held);
    ensures off: class_off(class) == \old(class_off(class)) + (z == RING_NONE ? 0 : 1);
    ensures waiting: \forall integer one; \old(class_waiting(class, one, RING_NONE)) ==>
      class_waiting(class, one, z);
*/
uint32_t held_take(struct zs_class *class, uint32_t z);

/* Puts a zspage, on another list of its class's groups or on none, on that of its group. */
/*@
#include "held_needs.acsl"
    requires lists: class_lists(class, z);
    requires record: class_record(class, z);
    requires listed: class_listed(class, z) || class_unlisted(class, z);
    terminates \true;
    assigns
#include "held_cells.acsl"
#include "held_kept.acsl"
    ensures lists: class_lists(class, -1);
    ensures list: class->zspages->ring.list[z] ==
      class->first_list + class->group_of[class->zspages->inuse[z]];
    ensures listed: class_listed(class, z);
    ensures held: class->held == \old(class->held);
    ensures off: class_off(class) == \old(class_off(class)) - \old(class->zspages->ring.list[z] < 0 ? 1 : 0);
    ensures waiting: \forall integer one; \old(class_waiting(class, one, z)) ==>
      class_waiting(class, one, RING_NONE);
*/
void held_put(struct zs_class *class, uint32_t z);

/*
 * If a listed zspage is empty and not kept: off to the emptied ones, for its pages to be collected.
 * Returns whether.
 */
/*@
#include "held_needs.acsl"
    requires lists: class_lists(class, z);
    requires record: class_record(class, z) && class_listed(class, z);
    requires off: 0 <= class_off(class);
    terminates \true;
    assigns class->held, class->allocated,
#include "held_cells.acsl"
    ensures discarded: \result <==> class->zspages->inuse[z] == 0 &&
      class->zspages->pins[z] == 0 && class->zspages->locked[z] == 0;
#include "held_kept.acsl"
    ensures lists: class_lists(class, z);
    ensures placed: \result || \old(class_placed(class, -1)) ==> class_placed(class, -1);
    ensures listed: !\result ==> class_listed(class, z);
    ensures list: \result ==>
      class->zspages->ring.list[z] == class->first_list + class->groups + CLASS_EMPTIED;
    ensures held: class->held == \old(class->held) - (\result ? 1 : 0);
    ensures off: class_off(class) == \old(class_off(class));
    ensures waiting: \forall integer one, other; \old(class_waiting(class, one, other)) ==>
      class_waiting(class, one, other);
*/
bool held_discard(struct zs_class *class, uint32_t z);

#endif
