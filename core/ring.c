/* SPDX-License-Identifier: BSD-3-Clause */
#include "ring.h"

void ring_init(struct ring *ring)
{
	for (uint32_t head = 0; head < ring->heads; head++) {
		ring->next[head] = head;
		ring->prev[head] = head;
		ring->list[head] = head;
		ring->count[head] = 0;
	}
}

void ring_add(struct ring *ring, uint32_t head, uint32_t record)
{
	uint32_t first = ring->next[head];

	ring->next[record] = first;
	ring->prev[record] = head;
	ring->list[record] = head;
	ring->prev[first] = record;
	ring->next[head] = record;
	ring->count[head]++;
}

void ring_del(struct ring *ring, uint32_t record)
{
	uint32_t before = ring->prev[record], after = ring->next[record];

	ring->next[before] = after;
	ring->prev[after] = before;
	ring->count[ring->list[record]]--;
	ring->list[record] = RING_NONE;
}
