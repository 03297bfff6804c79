/* SPDX-License-Identifier: BSD-3-Clause */
#include "object.h"

/* A loop that the compiler knows as memcpy, and the prover as a loop. */
/*@ requires bytes: \valid(to + (0 .. len - 1)) && \valid_read(from + (0 .. len - 1));
    requires apart: \separated(to + (0 .. len - 1), from + (0 .. len - 1));
    terminates \true;
    assigns to[0 .. len - 1];
    ensures copied: copied{Pre, Post}(to, from, len);
*/
static void copy_bytes(uint8_t *restrict to, const uint8_t *restrict from, uint64_t len)
{
	/*@ loop invariant range: 0 <= i <= len;
	    loop invariant copied: \forall integer j; 0 <= j < i ==> to[j] == \at(from[j], Pre);
	    loop assigns i, to[0 .. len - 1];
	    loop variant len - i;
	*/
	for (uint64_t i = 0; i < len; i++)
		to[i] = from[i];
}

/*@ terminates \true;
    assigns \nothing;
    ensures least: \result == \min(a, b);
*/
static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The offset in the arena of an object's k-th byte. */
/*@ requires ok: object_ok(space, pages, slot, 0) && k < space->page_size;
    requires there: object_border(space, slot) <= k ==> object_ok(space, pages, slot, k + 1);
    terminates \true;
    assigns \nothing;
    ensures at: \result == object_at(space, pages, slot, k);
*/
static uint64_t place(const struct object_space *space, const uint64_t *pages, uint32_t slot,
		      uint64_t k)
{
	const uint64_t *page = pages + space->in_page[slot];
	uint64_t byte = space->at_byte[slot] + k;

	return byte < space->page_size ? page[0] + byte : page[1] + (byte - space->page_size);
}

/* Bytes from an object's k-th to the end of the page that it is in. */
/*@ requires ok: object_ok(space, pages, slot, 0) && k < space->page_size;
    terminates \true;
    assigns \nothing;
    ensures left: \result == object_left(space, slot, k);
    ensures row: \forall integer j; k <= j < k + \result ==>
      object_at(space, pages, slot, j) == object_at(space, pages, slot, k) + (j - k);
*/
static uint64_t left(const struct object_space *space, uint32_t slot, uint64_t k)
/*@ ghost (const uint64_t *pages) */
{
	uint64_t byte = space->at_byte[slot] + k;

	return byte < space->page_size ? space->page_size - byte : 2 * space->page_size - byte;
}

bool object_spans(const struct object_space *space, uint32_t slot, uint64_t len)
{
	return space->at_byte[slot] + len > space->page_size;
}

uint64_t object_start(const struct object_space *space, const uint64_t *pages, uint32_t slot)
{
	return pages[space->in_page[slot]] + space->at_byte[slot];
}

/* Copies an object's bytes from its k-th on, up to a page's end or len. Returns how many. */
/*@ requires ok: object_ok(space, pages, slot, k + len);
    requires some: k < object_border(space, slot) || 0 < len;
    requires buffer: \valid(to + (0 .. len - 1)) && object_outside(space, pages, slot, k, k + len,
      to);
    terminates \true;
    assigns to[0 .. \min(object_left(space, slot, k), len) - 1];
    ensures n: \result == \min(object_left(space, slot, k), len);
    ensures read: \forall integer j; k <= j < k + \result ==>
      to[j - k] == \old(space->arena[object_at(space, pages, slot, j)]);
*/
static inline uint64_t read_piece(const struct object_space *space, const uint64_t *pages,
				  uint32_t slot, uint64_t k, uint8_t *to, uint64_t len)
{
	uint64_t n = least(left(space, slot, k) /*@ ghost (pages) */, len);

	copy_bytes(to, space->arena + place(space, pages, slot, k), n);
	return n;
}

/* The other way round. */
/*@ requires ok: object_ok(space, pages, slot, k + len);
    requires some: k < object_border(space, slot) || 0 < len;
    requires buffer: \valid_read(from + (0 .. len - 1)) &&
      object_outside(space, pages, slot, k, k + len, from);
    terminates \true;
    assigns space->arena[object_at(space, pages, slot, k) ..
      object_at(space, pages, slot, k) + \min(object_left(space, slot, k), len) - 1];
    ensures n: \result == \min(object_left(space, slot, k), len);
    ensures written: \forall integer j; k <= j < k + \result ==>
      space->arena[object_at(space, pages, slot, j)] == \old(from[j - k]);
    ensures others: object_only{Pre, Post}(space, pages, slot, k, k + \result);
*/
static inline uint64_t write_piece(const struct object_space *space, const uint64_t *pages,
				   uint32_t slot, uint64_t k, const uint8_t *from, uint64_t len)
{
	uint64_t n = least(left(space, slot, k) /*@ ghost (pages) */, len);

	copy_bytes(space->arena + place(space, pages, slot, k), from, n);
	return n;
}

void object_read(const struct object_space *space, const uint64_t *pages, uint32_t slot,
		 uint8_t *to, uint64_t len)
{
	uint64_t n = read_piece(space, pages, slot, 0, to, len);

	if (n < len)
		read_piece(space, pages, slot, n, to + n, len - n);
}

/* Copies bytes into an object from its k-th on. Returns the number of pieces, 1 or 2. */
/*@ requires ok: object_ok(space, pages, slot, k + len);
    requires some: k < object_border(space, slot) || 0 < len;
    requires buffer: \valid_read(from + (0 .. len - 1)) &&
      object_outside(space, pages, slot, k, k + len, from);
    terminates \true;
    assigns
      space->arena[object_first(space, pages, slot, k) .. object_first_end(space, pages, slot,
        k + len) - 1],
      space->arena[object_rest(space, pages, slot, k) .. object_rest_end(space, pages, slot,
        k + len) - 1];
    ensures written: \forall integer j; k <= j < k + len ==>
      space->arena[object_at(space, pages, slot, j)] == \old(from[j - k]);
    ensures others: object_only{Pre, Post}(space, pages, slot, k, k + len);
    ensures pieces: \result ==
      (k < object_border(space, slot) && object_border(space, slot) < k + len ? 2 : 1);
*/
static inline uint32_t write_pieces(const struct object_space *space, const uint64_t *pages,
				    uint32_t slot, uint64_t k, const uint8_t *from, uint64_t len)
{
	uint64_t n = write_piece(space, pages, slot, k, from, len);

	/*@ assert source: \forall integer i; n <= i < len ==> from[i] == \at(from[i], Pre); */
	if (n == len)
		return 1;
	write_piece(space, pages, slot, k + n, from + n, len - n);
	return 2;
}

void object_write(const struct object_space *space, const uint64_t *pages, uint32_t slot,
		  const uint8_t *from, uint64_t len)
{
	write_pieces(space, pages, slot, 0, from, len);
}

uint32_t object_copy(const struct object_space *space, const uint64_t *from_pages, uint32_t from,
		     const uint64_t *to_pages, uint32_t to, uint64_t len)
{
	uint64_t n = least(left(space, from, 0) /*@ ghost (from_pages) */, len);
	uint32_t pieces = write_pieces(space, to_pages, to, 0,
				       space->arena + place(space, from_pages, from, 0), n);

	/*@ assert first: \forall integer k; 0 <= k < n ==>
	      space->arena[object_at(space, to_pages, to, k)] ==
	      \at(space->arena[object_at(space, from_pages, from, k)], Pre); */
	/*@ assert others: object_only{Pre, Here}(space, to_pages, to, 0, len); */
	/*@ assert source: \forall integer k; n <= k < len ==>
	      space->arena[object_at(space, from_pages, from, k)] ==
	      \at(space->arena[object_at(space, from_pages, from, k)], Pre); */
	if (n == len)
		return pieces;
	/*@ assert row: \forall integer k; n <= k < len ==>
	      object_at(space, from_pages, from, k) ==
	      object_at(space, from_pages, from, n) + (k - n); */
	/*@ assert left: \forall integer k; n <= k < len ==>
	      space->arena[object_at(space, from_pages, from, n) + (k - n)] ==
	      \at(space->arena[object_at(space, from_pages, from, k)], Pre); */
	/*@ assert kept: \forall integer k; 0 <= k < n ==>
	      !object_has(space, to_pages, to, n, len, object_at(space, to_pages, to, k)); */
	pieces += write_pieces(space, to_pages, to, n,
			       space->arena + place(space, from_pages, from, n), len - n);
	/*@ assert still: \forall integer k; 0 <= k < n ==>
	      space->arena[object_at(space, to_pages, to, k)] ==
	      \at(space->arena[object_at(space, from_pages, from, k)], Pre); */
	/*@ assert rest: \forall integer k; n <= k < len ==>
	      space->arena[object_at(space, to_pages, to, k)] ==
	      \at(space->arena[object_at(space, from_pages, from, k)], Pre); */
	return pieces;
}

void object_copy_page(uint8_t *arena, uint64_t page_size, uint64_t from, uint64_t to)
{
	copy_bytes(arena + to, arena + from, page_size);
}
