/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * compact - empties zspages of a class into others, so that their pages can go back.
 *
 * Guarded by the class's lock. Emptied zspages are left on the class's list of emptied ones: the
 * caller collects their pages once the lock is dropped.
 */
#ifndef COMPACT_H
#define COMPACT_H

#include "choose.h"
#include "held.h"

/*@
#include "compact.acsl"
*/

/*
 * Zspages that compaction could free: unused slots / capacity. Source: zs_can_compact (6.12).
 * O(1).
 */
/*@ requires valid: \valid_read(class);
    requires counters: class->inuse <= class->allocated && 0 < class->capacity;
    terminates \true;
    assigns \nothing;
    ensures zspages: \result == (class->allocated - class->inuse) / class->capacity;
*/
uint64_t compact_zspages(const struct zs_class *class);

/*
 * Compacts by an algorithm of enum zs_algorithm, as zs.h says at zs_compact. Returns the pages of
 * the zspages emptied, those that must be kept included. O(zspages * capacity + objects moved *
 * size); besides, for each source taken the pinned zspages before it are passed over, and
 * ZS_OPTIMAL may look at all of a list for each zspage that it takes: O(zspages^2) at worst, but
 * not with ZS_EXACT.
 */
/*@
#include "compact_ok.acsl"
    requires waiting: class_waiting(class, RING_NONE, RING_NONE) && class_off(class) == 0;
    requires moves: class->moved <= INT64_MAX - ENTRY_SLOTS * (ENTRY_ZSPAGES + 1) &&
      class->copies <= INT64_MAX - 3 * ENTRY_SLOTS * (ENTRY_ZSPAGES + 1);
    requires compacted: class->compacted <= UINT64_MAX - 32 * ENTRY_ZSPAGES;
    terminates \true;
    assigns class->compacted,
#include "compact_cells.acsl"
    ensures memory: class_memory(class);
    ensures lists: class_lists(class, -1) && choose_groups(class);
    ensures objects: class_objects(class) && class_table(class);
    ensures counters: class_used(class) && class_room(class);
    ensures waiting: class_waiting(class, RING_NONE, RING_NONE) && class_off(class) == 0;
    ensures steady: class_steady{Pre, Post}(class);
    ensures stable: class_stable{Pre, Post}(class);
    ensures dead: class_dead{Pre, Post}(class);
    ensures others: class_others{Pre, Post}(class);
    ensures inuse: class->inuse == \old(class->inuse) && class->retired == \old(class->retired);
    ensures held: class->held <= \old(class->held);
    ensures freed: \result == times(\old(busy(class)) - busy(class), class->pages);
    ensures compacted: class->compacted == \old(class->compacted) + \result;
    ensures moved: \old(class->moved) <= class->moved && \old(class->copies) <= class->copies;
    ensures idle: \old(compact_idle(class)) ==> compact_idle(class);
    ensures end: \old(compact_idle(class)) ==> class->allocated - class->inuse < class->capacity;
*/
uint64_t compact(struct zs_class *class, uint32_t algorithm);

#endif
