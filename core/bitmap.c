/* SPDX-License-Identifier: BSD-3-Clause */
#include "bitmap.h"

uint32_t bitmap_first(const uint64_t *word, uint32_t from, uint32_t end)
{
	uint32_t i = from / BITMAP_WORD;
	uint64_t rest = word[i] >> from % BITMAP_WORD;

	/*@ loop invariant place: \at(from, Pre) <= from && from / 64 == i <= end / 64;
	    loop invariant rest: \forall integer b; from <= b < 64 * i + 64 ==>
	      (bits_has(rest, b - from) <==> bitmap_has(word, b));
	    loop invariant bits: \forall integer k; 0 <= k < 64 * i + 64 - from ==>
	      (bits_has(rest, k) <==> bitmap_has(word, from + k));
	    loop invariant above: \forall integer k; 64 * i + 64 - from <= k < 64 ==>
	      !bits_has(rest, k);
	    loop invariant none: bitmap_none(word, \at(from, Pre), from);
	    loop assigns from, i, rest;
	    loop variant end / 64 - i;
	*/
	while (rest == 0 && i < end / BITMAP_WORD) {
		rest = word[++i];
		from = i * BITMAP_WORD;
	}
	if (rest == 0)
		return end;
	from += (uint32_t)__builtin_ctzll(rest);
	return from < end ? from : end;
}
