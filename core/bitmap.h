/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bitmap - a set of small numbers, a bit each, whose ends are found a word at a time.
 *
 * Bit i is bit i % 64 of word i / 64. Powers of two come from a table: nothing shifts by a runtime
 * value, which doesn't prove. Pure functions of the words given; the caller keeps the ranges,
 * nothing checks them. O(1) unless said.
 */
#ifndef BITMAP_H
#define BITMAP_H

#include <stdbool.h>
#include <stdint.h>

#define BITMAP_WORD 64

/* 2^i. */
extern const uint64_t bitmap_power[BITMAP_WORD];

/* Words for bits 0 .. last. */
static inline uint32_t bitmap_words(uint32_t last)
{
	return last / BITMAP_WORD + 1;
}

static inline bool bitmap_test(const uint64_t *word, uint32_t bit)
{
	return (word[bit / BITMAP_WORD] & bitmap_power[bit % BITMAP_WORD]) != 0;
}

static inline void bitmap_set(uint64_t *word, uint32_t bit)
{
	word[bit / BITMAP_WORD] |= bitmap_power[bit % BITMAP_WORD];
}

static inline void bitmap_clear(uint64_t *word, uint32_t bit)
{
	word[bit / BITMAP_WORD] &= ~bitmap_power[bit % BITMAP_WORD];
}

/* The lowest bit set in from .. end - 1, or end. There is a bit end. O(end / 64). */
uint32_t bitmap_first(const uint64_t *word, uint32_t from, uint32_t end);

/* The highest bit set in 0 .. end - 1, or end. There is a bit end. O(end / 64). */
static inline uint32_t bitmap_last(const uint64_t *word, uint32_t end)
{
	uint32_t i = end / BITMAP_WORD;
	uint64_t rest = word[i] & (bitmap_power[end % BITMAP_WORD] - 1);

	while (rest == 0 && i > 0)
		rest = word[--i];
	if (rest == 0)
		return end;
	return i * BITMAP_WORD + BITMAP_WORD - 1 - (uint32_t)__builtin_clzll(rest);
}

#endif
