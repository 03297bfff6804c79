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
uint64_t compact(struct zs_class *class, uint32_t algorithm);

#endif
