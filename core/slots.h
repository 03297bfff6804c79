/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slots - which slots of one zspage are in use: a sparse set.
 *
 * at[] is a permutation of the slots 0 .. capacity - 1 whose first inuse entries are live; pos[]
 * is its inverse. So a slot s is live if and only if pos[s] < inuse. The order of the free part is
 * the kernel's free list: last freed, first used; a new zspage hands out slots in ascending order.
 * The caller keeps inuse. All functions are O(1) but slots_init, and guarded by the class's lock.
 *
 * The columns are int16_t, as nothing else is: the proof has one memory a type, so what is written here
 * can't seem to change another's.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdbool.h>
#include <stdint.h>

/*@
#include "slots.acsl"
*/

/* Makes all slots free, in ascending order. capacity is 1 .. 32768. O(capacity). */
/*@ requires row: slots_row(at, pos, capacity);
    terminates \true;
    assigns at[0 .. capacity - 1], pos[0 .. capacity - 1];
    ensures at: slots_at(at, pos, capacity);
    ensures pos: slots_pos(at, pos, capacity);
    ensures ascending: \forall integer i; 0 <= i < capacity ==> at[i] == i;
*/
void slots_init(int16_t *at, int16_t *pos, uint32_t capacity);

/* The slot that the next object gets; inuse < capacity. The caller raises inuse by one. */
/*@ requires slot: \valid_read(at + inuse) && 0 <= at[inuse];
    terminates \true;
    assigns \nothing;
    ensures slot: \result == at[inuse];
*/
static inline uint32_t slots_alloc(const int16_t *at, uint32_t inuse)
{
	return (uint32_t)at[inuse];
}

/* Frees a live slot. The caller lowers inuse, which is given as it was before, by one. */
/*@ requires row: slots_row(at, pos, capacity);
    requires at: slots_at(at, pos, capacity);
    requires pos: slots_pos(at, pos, capacity);
    requires slot: slot < capacity && slots_in_use(pos, inuse, slot) && inuse <= capacity;
    terminates \true;
    assigns at[pos[slot]], at[inuse - 1], pos[slot], pos[at[inuse - 1]];
    ensures at: slots_at(at, pos, capacity);
    ensures pos: slots_pos(at, pos, capacity);
    ensures live: \forall integer s; 0 <= s < capacity ==>
      (slots_in_use(pos, inuse - 1, s) <==> \old(slots_in_use(pos, inuse, s)) && s != slot);
    ensures first: at[inuse - 1] == slot;
    ensures order: \forall integer i; inuse <= i < capacity ==> at[i] == \old(at[i]);
*/
void slots_free(int16_t *at, int16_t *pos, uint32_t inuse, uint32_t slot)
	/*@ ghost (uint32_t capacity) */;

/* True if a slot is in use. */
/*@ requires slot: \valid_read(pos + slot) && 0 <= pos[slot];
    terminates \true;
    assigns \nothing;
    ensures live: \result <==> slots_in_use(pos, inuse, slot);
*/
static inline bool slots_live(const int16_t *pos, uint32_t inuse, uint32_t slot)
{
	return (uint32_t)pos[slot] < inuse;
}

#endif
