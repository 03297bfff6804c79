/* SPDX-License-Identifier: BSD-3-Clause */
#include "bitmap.h"

#define POWERS_4(i) 1ull << (i), 1ull << ((i) + 1), 1ull << ((i) + 2), 1ull << ((i) + 3)
#define POWERS_16(i) POWERS_4(i), POWERS_4((i) + 4), POWERS_4((i) + 8), POWERS_4((i) + 12)

const uint64_t bitmap_power[BITMAP_WORD] = {
	POWERS_16(0),
	POWERS_16(16),
	POWERS_16(32),
	POWERS_16(48),
};

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
