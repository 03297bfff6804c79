/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fullness.h - from the number of slots in use to the fullness group of a zspage.
 *
 * Source of the formulas: mm/zsmalloc.c, get_fullness_group() of Linux 6.1 (threshold) and 6.12
 * (ratio); where its comments and its code disagree, the code is followed. Pure functions: no
 * state, safe from any thread, O(1). No errors: the caller keeps the ranges given, nothing checks
 * them.
 */
#ifndef ZS_FULLNESS_H
#define ZS_FULLNESS_H

#include <stdint.h>

#include "zs.h"

/*@
#include "fullness.acsl"
*/

/* The most slots a zspage can have: 16 pages of 64 KiB in slots of 32 bytes. */
#define FULLNESS_MAX_CAPACITY 32768

/*
 * The fullness group of a zspage with inuse of its capacity slots in use, both in objects;
 * 0 < capacity <= FULLNESS_MAX_CAPACITY, inuse <= capacity. grouping is an enum zs_grouping:
 *  ZS_RATIO      0 empty; 11 full; else 100 * inuse / capacity / 10 + 1: group g holds the ratios
 *                inuse / capacity from (g - 1) / 10 up to, but not including, g / 10
 *  ZS_THRESHOLD  0 empty; 3 full; 1 up to and including three quarters; 2 above, which no
 *                capacity <= 4 reaches
 *  ZS_EXACT      inuse itself
 * 0 is empty and the last group is full in all three, and more in use never gives a lower group.
 */
/*@ requires grouping: grouping == ZS_RATIO || grouping == ZS_THRESHOLD || grouping == ZS_EXACT;
    requires capacity: 0 < capacity <= FULLNESS_MAX_CAPACITY;
    requires inuse: inuse <= capacity;
    terminates \true;
    assigns \nothing;
    ensures group: \result == group_of(grouping, inuse, capacity);
    ensures range: 0 <= \result < group_count(grouping, capacity);
    ensures empty: \result == 0 <==> inuse == 0;
    ensures full: \result == group_count(grouping, capacity) - 1 <==> inuse == capacity;
    behavior ratio:
      assumes grouping == ZS_RATIO;
      ensures exact: 0 < inuse < capacity ==>
        (\result - 1) * capacity <= 10 * inuse < \result * capacity;
      ensures real: 0 < inuse < capacity ==>
        \result - 1 <= 10 * real_ratio(inuse, capacity) < \result;
    behavior threshold:
      assumes grouping == ZS_THRESHOLD;
      ensures almost_empty: \result == 1 <==> 0 < inuse && 4 * inuse <= 3 * capacity;
      ensures almost_full: \result == 2 <==> 3 * capacity < 4 * inuse && inuse < capacity;
      ensures real: 0 < inuse ==> (\result == 1 <==> real_ratio(inuse, capacity) <= 0.75);
      ensures small: capacity <= 4 ==> \result != 2;
    behavior exact:
      assumes grouping == ZS_EXACT;
      ensures identity: \result == inuse;
    complete behaviors;
    disjoint behaviors;
*/
uint32_t fullness(uint32_t grouping, uint32_t inuse, uint32_t capacity);

/* The number of groups for zspages of capacity slots, ranges as above: 12, 4, capacity + 1. */
/*@ requires grouping: grouping == ZS_RATIO || grouping == ZS_THRESHOLD || grouping == ZS_EXACT;
    requires capacity: 0 < capacity <= FULLNESS_MAX_CAPACITY;
    terminates \true;
    assigns \nothing;
    ensures groups: \result == group_count(grouping, capacity);
    ensures ratio: grouping == ZS_RATIO ==> \result == 12;
    ensures threshold: grouping == ZS_THRESHOLD ==> \result == 4;
    ensures exact: grouping == ZS_EXACT ==> \result == capacity + 1;
*/
uint32_t fullness_groups(uint32_t grouping, uint32_t capacity);

#endif
