/* SPDX-License-Identifier: BSD-3-Clause */
#include "slots.h"

void slots_init(uint16_t *at, uint16_t *pos, uint32_t capacity)
{
	for (uint32_t s = 0; s < capacity; s++) {
		at[s] = (uint16_t)s;
		pos[s] = (uint16_t)s;
	}
}

/* The slot changes places with the last live one. */
void slots_free(uint16_t *at, uint16_t *pos, uint32_t inuse, uint32_t slot)
{
	uint16_t hole = pos[slot];
	uint16_t last = at[inuse - 1];

	at[hole] = last;
	pos[last] = hole;
	at[inuse - 1] = (uint16_t)slot;
	pos[slot] = (uint16_t)(inuse - 1);
}
