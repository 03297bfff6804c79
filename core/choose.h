/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * choose - which zspage compaction fills next, and which it empties.
 *
 * Partial ones are neither empty nor full. Of a group's list the first is chosen; ranked, the first
 * of the best. The caller holds the class's lock; nothing changes and nothing fails. O(groups / 64),
 * ranked besides O(zspages on a list) unless ZS_EXACT.
 */
#ifndef CHOOSE_H
#define CHOOSE_H

#include "lists.h"

/*@
#include "choose.acsl"
*/

/* A destination: partial, of the fullest group that has one, or RING_NONE. */
/*@
#include "class_memory.acsl"
#include "choose_lists.acsl"
    terminates \true;
    assigns \nothing;
    ensures none: \result == RING_NONE ==>
      \forall integer z; !choose_partial(class, z);
    ensures partial: \result != RING_NONE ==> choose_partial(class, \result);
    ensures group: \result != RING_NONE ==> \forall integer z; choose_partial(class, z) ==>
      class->zspages->ring.list[z] <= class->zspages->ring.list[\result];
    ensures first: \result != RING_NONE ==> choose_first(class, false, ranked, \result);
    ensures best: \result != RING_NONE && ranked ==> \forall integer z;
      choose_partial(class, z) ==> !choose_better(class, false, z, \result);
*/
uint32_t choose_destination(const struct zs_class *class, bool ranked);

/*
 * A source: partial, of the emptiest group that has one that no reader pins, or RING_NONE. Besides,
 * O(pinned zspages before it).
 */
/*@
#include "class_memory.acsl"
#include "choose_lists.acsl"
    terminates \true;
    assigns \nothing;
    ensures none: \result == RING_NONE ==> \forall integer z;
      choose_partial(class, z) ==> class->zspages->pins[z] != 0;
    ensures partial: \result != RING_NONE ==> choose_partial(class, \result);
    ensures pins: \result != RING_NONE ==> class->zspages->pins[\result] == 0;
    ensures group: \result != RING_NONE ==> \forall integer z;
      choose_partial(class, z) && class->zspages->pins[z] == 0 ==>
        class->zspages->ring.list[z] >= class->zspages->ring.list[\result];
    ensures first: \result != RING_NONE ==> choose_first(class, true, ranked, \result);
    ensures best: \result != RING_NONE && ranked ==> \forall integer z;
      choose_partial(class, z) && class->zspages->pins[z] == 0 ==>
        !choose_better(class, true, z, \result);
*/
uint32_t choose_source(const struct zs_class *class, bool ranked);

#endif
