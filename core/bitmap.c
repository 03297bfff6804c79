/* SPDX-License-Identifier: BSD-3-Clause */
#include "bitmap.h"

/* Four powers, from 2^i. */
#define FROM(i) 1ull << (i), 2ull << (i), 4ull << (i), 8ull << (i)

const uint64_t bitmap_power[BITMAP_WORD] = { FROM(0),  FROM(4),  FROM(8),  FROM(12),
					     FROM(16), FROM(20), FROM(24), FROM(28),
					     FROM(32), FROM(36), FROM(40), FROM(44),
					     FROM(48), FROM(52), FROM(56), FROM(60) };

uint32_t bitmap_first(const uint64_t *word, uint32_t from, uint32_t end)
{
	uint32_t i = from / BITMAP_WORD;
	uint64_t rest = word[i] - word[i] % bitmap_power[from % BITMAP_WORD];

	while (rest == 0 && i < end / BITMAP_WORD)
		rest = word[++i];
	if (rest == 0)
		return end;
	i = i * BITMAP_WORD + (uint32_t)__builtin_ctzll(rest);
	return i < end ? i : end;
}
