/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ring - doubly linked rings over indices.
 *
 * Records 0 .. heads - 1 are list heads, the rest zspages; both live in the same columns, so that
 * no insertion or removal has a special case. A record is on at most one list; list[] says on
 * which. All functions are O(1) but ring_init, and guarded by whoever owns the list.
 */
#ifndef RING_H
#define RING_H

#include <stdbool.h>
#include <stdint.h>

#define RING_NONE UINT32_MAX /* in list[]: on no list */

struct ring {
	uint32_t *next;
	uint32_t *prev;
	uint32_t *list;  /* the head of the list a record is on, or RING_NONE */
	uint32_t *count; /* by head: records on its list */
	uint32_t heads;
};

/* Makes every head an empty list. O(heads). */
void ring_init(struct ring *ring);

/* Puts a record that is on no list first on head's. */
void ring_add(struct ring *ring, uint32_t head, uint32_t record);

/* Takes a record off the list it is on. */
void ring_del(struct ring *ring, uint32_t record);

/* The first record on head's list, or head itself if the list is empty. */
static inline uint32_t ring_first(const struct ring *ring, uint32_t head)
{
	return ring->next[head];
}

#endif
