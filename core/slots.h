/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slots - which slots of one zspage are in use: a sparse set.
 *
 * at[] is a permutation of the slots 0 .. capacity - 1 whose first inuse entries are live; pos[]
 * is its inverse. So a slot s is live if and only if pos[s] < inuse. The order of the free part is
 * the kernel's free list: last freed, first used; a new zspage hands out slots in ascending order.
 * The caller keeps inuse. All functions are O(1) but slots_init, and guarded by the class's lock.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdbool.h>
#include <stdint.h>

/* Makes all slots free, in ascending order. capacity is 1 .. 32768. O(capacity). */
void slots_init(uint16_t *at, uint16_t *pos, uint32_t capacity);

/* The slot that the next object gets; inuse < capacity. The caller raises inuse by one. */
static inline uint32_t slots_alloc(const uint16_t *at, uint32_t inuse)
{
	return at[inuse];
}

/* Frees a live slot. The caller lowers inuse, which is given as it was before, by one. */
void slots_free(uint16_t *at, uint16_t *pos, uint32_t inuse, uint32_t slot);

static inline bool slots_live(const uint16_t *pos, uint32_t inuse, uint32_t slot)
{
	return pos[slot] < inuse;
}

#endif
