/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bitmap - a set of small numbers, a bit each, whose ends are found a word at a time.
 *
 * Bit i is bit i % 64 of word i / 64. Pure functions of the words given; the caller keeps the ranges,
 * nothing checks them. O(1) unless said.
 */
#ifndef BITMAP_H
#define BITMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "bits.h"

#define BITMAP_WORD 64

/*@
#include "bitmap.acsl"
*/

/*
 * For the proof alone: a power of two below 2^64 fits a word, as does what is shifted right and left
 * again. That wants induction, so a loop.
 */
/*@ ghost
  /@ requires shift: shift < 64;
     terminates \true;
     assigns \nothing;
     ensures power: 0 < (1 << shift) <= (1 << 63);
     ensures rounded: \forall integer x; 0 <= x ==> 0 <= (x >> shift << shift) <= x;
  @/
  static inline void shift_fits(uint32_t shift)
  {
    /@ loop invariant place: 0 <= n <= 63;
       loop invariant power: \forall integer k; 0 <= k <= n ==> 0 < (1 << k) <= (1 << \at(n, Here));
       loop invariant rounded: \forall integer x, k; 0 <= x && 0 <= k <= n ==>
         0 <= (x >> k << k) <= x;
       loop assigns n;
       loop variant 63 - n;
    @/
    for (uint32_t n = 0; n < 63; n++) {
      /@ assert twice: \forall integer x; (x << n + 1) == (x << \at(n, Here) << 1); @/
      /@ assert left: \forall integer x; (x << n + 1) == 2 * (x << \at(n, Here)); @/
      /@ assert right: \forall integer x; 0 <= x ==> (x >> n + 1) == (x / 2 >> \at(n, Here)); @/
    }
  }
*/

/* Words for bits 0 .. last. */
/*@ terminates \true;
    assigns \nothing;
    ensures words: \result == last / 64 + 1;
*/
static inline uint32_t bitmap_words(uint32_t last)
{
	return last / BITMAP_WORD + 1;
}

/*@ requires word: \valid_read(word + bit / 64);
    terminates \true;
    assigns \nothing;
    ensures has: \result <==> bitmap_has(word, bit);
*/
static inline bool bitmap_test(const uint64_t *word, uint32_t bit)
{
	/*@ ghost shift_fits(bit % BITMAP_WORD); */
	return (word[bit / BITMAP_WORD] & 1ull << bit % BITMAP_WORD) != 0;
}

/*@ requires word: \valid(word + bit / 64);
    terminates \true;
    assigns word[bit / 64];
    ensures set: \forall integer b; 0 <= b ==>
      (bitmap_has(word, b) <==> b == bit || \old(bitmap_has(word, b)));
*/
static inline void bitmap_set(uint64_t *word, uint32_t bit)
{
	/*@ ghost shift_fits(bit % BITMAP_WORD); */
	word[bit / BITMAP_WORD] |= 1ull << bit % BITMAP_WORD;
}

/*@ requires word: \valid(word + bit / 64);
    terminates \true;
    assigns word[bit / 64];
    ensures cleared: \forall integer b; 0 <= b ==>
      (bitmap_has(word, b) <==> b != bit && \old(bitmap_has(word, b)));
*/
static inline void bitmap_clear(uint64_t *word, uint32_t bit)
{
	/*@ ghost shift_fits(bit % BITMAP_WORD); */
	word[bit / BITMAP_WORD] &= ~(1ull << bit % BITMAP_WORD);
}

/* The lowest bit set in from .. end - 1, or end. from <= end; there is a bit end. O(end / 64). */
/*@ requires range: from <= end;
    requires words: \valid_read(word + (0 .. end / 64));
    terminates \true;
    assigns \nothing;
    ensures range: from <= \result <= end;
    ensures has: \result < end ==> bitmap_has(word, \result);
    ensures first: bitmap_none(word, from, \result);
*/
uint32_t bitmap_first(const uint64_t *word, uint32_t from, uint32_t end);

/* The highest bit set in 0 .. end - 1, or end. There is a bit end. O(end / 64). */
/*@ requires words: \valid_read(word + (0 .. end / 64));
    terminates \true;
    assigns \nothing;
    ensures range: \result <= end;
    ensures has: \result < end ==> bitmap_has(word, \result);
    ensures last: bitmap_none(word, \result == end ? 0 : \result + 1, end);
*/
static inline uint32_t bitmap_last(const uint64_t *word, uint32_t end)
{
	uint32_t i = end / BITMAP_WORD, k = end % BITMAP_WORD;
	uint64_t rest;

	/*@ ghost shift_fits(k); */
	rest = word[i] ^ word[i] >> k << k;
	/*@ loop invariant place: 0 <= i <= end / 64;
	    loop invariant rest: \forall integer b; 64 * i <= b < 64 * i + 64 ==>
	      (bits_has(rest, b - 64 * i) <==> b < end && bitmap_has(word, b));
	    loop invariant bits: \forall integer k; 0 <= k < 64 ==>
	      (bits_has(rest, k) <==> 64 * i + k < end && bitmap_has(word, 64 * i + k));
	    loop invariant none: bitmap_none(word, 64 * i + 64, end);
	    loop assigns i, rest;
	    loop variant i;
	*/
	while (rest == 0 && i > 0)
		rest = word[--i];
	if (rest == 0)
		return end;
	return i * BITMAP_WORD + (BITMAP_WORD - 1 - (uint32_t)__builtin_clzll(rest));
}

#endif
