/* SPDX-License-Identifier: BSD-3-Clause */
#include "slots.h"

void slots_init(int16_t *at, int16_t *pos, uint32_t capacity)
{
	/*@ loop invariant place: 0 <= s <= capacity;
	    loop invariant at: \forall integer i; 0 <= i < s ==> at[i] == i;
	    loop invariant pos: \forall integer i; 0 <= i < s ==> pos[i] == i;
	    loop assigns s, at[0 .. capacity - 1], pos[0 .. capacity - 1];
	    loop variant capacity - s;
	*/
	for (uint32_t s = 0; s < capacity; s++) {
		at[s] = (int16_t)s;
		pos[s] = (int16_t)s;
	}
}

/* The slot changes places with the last live one. */
void slots_free(int16_t *at, int16_t *pos, uint32_t inuse, uint32_t slot)
/*@ ghost (uint32_t capacity) */
{
	int16_t hole = pos[slot];
	int16_t last = at[inuse - 1];

	at[hole] = last;
	pos[last] = hole;
	at[inuse - 1] = (int16_t)slot;
	pos[slot] = (int16_t)(inuse - 1);
}
