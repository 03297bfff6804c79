/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object - where an object's bytes are, and copying them across page borders.
 *
 * A zspage's pages need not be neighbours: its row of the page table holds each one's byte offset
 * in the arena. The slot tables say in which page of the chain, and where in it, a slot's bytes
 * begin. A slot is at most a page long, so an object lies in at most two pages.
 */
#ifndef OBJECT_H
#define OBJECT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * All that is needed to find the objects of one class in a zspage, given its row of the page table: the
 * offset of each of its pages in the arena. in_page differs from the arena in type: the proof has one
 * memory a type, so what is written to an object can't seem to move it.
 */
struct object_space {
	uint8_t *arena;
	uint64_t page_size;
	const int8_t *in_page;   /* by slot: page of the chain */
	const uint16_t *at_byte; /* by slot: byte in that page */
};

/*@
#include "object.acsl"
*/

/* True if the first len bytes of a slot's object run on into the next page. O(1). */
/*@ requires ok: \valid_read(space) && \valid_read(space->at_byte + slot) &&
      len <= space->page_size <= 65536;
    terminates \true;
    assigns \nothing;
    ensures spans: \result <==> object_border(space, slot) < len;
*/
bool object_spans(const struct object_space *space, uint32_t slot, uint64_t len);

/* The object's first byte, as an offset in the arena. O(1). */
/*@ requires ok: object_ok(space, pages, slot, 0);
    terminates \true;
    assigns \nothing;
    ensures start: \result == object_at(space, pages, slot, 0);
*/
uint64_t object_start(const struct object_space *space, const uint64_t *pages, uint32_t slot);

/* Copies the first len bytes out of an object; len is at most its usable size. O(len). */
/*@ requires ok: object_ok(space, pages, slot, len);
    requires buffer: \valid(to + (0 .. len - 1)) && object_outside(space, pages, slot, 0, len, to);
    terminates \true;
    assigns to[0 .. len - 1];
    ensures read: \forall integer k; 0 <= k < len ==>
      to[k] == \old(space->arena[object_at(space, pages, slot, k)]);
*/
void object_read(const struct object_space *space, const uint64_t *pages, uint32_t slot,
		 uint8_t *to, uint64_t len);

/* Copies bytes into the first len of an object; len is at most its usable size. O(len). */
/*@ requires ok: object_ok(space, pages, slot, len);
    requires buffer: \valid_read(from + (0 .. len - 1)) &&
      object_outside(space, pages, slot, 0, len, from);
    terminates \true;
    assigns space->arena[object_first(space, pages, slot, 0) .. object_first_end(space, pages,
      slot, len) - 1],
      space->arena[object_rest(space, pages, slot, 0) .. object_rest_end(space, pages, slot,
        len) - 1];
    ensures written: \forall integer k; 0 <= k < len ==>
      space->arena[object_at(space, pages, slot, k)] == \old(from[k]);
    ensures others: object_only{Pre, Post}(space, pages, slot, 0, len);
*/
void object_write(const struct object_space *space, const uint64_t *pages, uint32_t slot,
		  const uint8_t *from, uint64_t len);

/*
 * Copies len bytes from one object to another; different slots, each at least that long. Returns
 * the number of pieces, 1 .. 3: a page border within either ends one. O(len).
 */
/*@ requires from: object_ok(space, from_pages, from, len) && 0 < len;
    requires to: object_ok(space, to_pages, to, len);
    requires apart: objects_apart(space, from_pages, from, to_pages, to, len);
    terminates \true;
    assigns space->arena[object_first(space, to_pages, to, 0) .. object_first_end(space, to_pages,
      to, len) - 1],
      space->arena[object_rest(space, to_pages, to, 0) .. object_rest_end(space, to_pages, to,
        len) - 1];
    ensures copied: \forall integer k; 0 <= k < len ==>
      space->arena[object_at(space, to_pages, to, k)] == \old(space->arena[object_at(space,
        from_pages, from, k)]);
    ensures others: object_only{Pre, Post}(space, to_pages, to, 0, len);
    ensures pieces: \result == 1 + (object_border(space, from) < len ? 1 : 0) +
      (object_border(space, to) < len &&
       object_border(space, to) != object_border(space, from) ? 1 : 0);
    ensures range: 1 <= \result <= 3;
*/
uint32_t object_copy(const struct object_space *space, const uint64_t *from_pages, uint32_t from,
		     const uint64_t *to_pages, uint32_t to, uint64_t len);

/* Copies a whole page to another place in the arena. O(page_size). */
/*@ requires pages: \valid_read(arena + (from .. from + page_size - 1)) &&
      \valid(arena + (to .. to + page_size - 1));
    requires apart: ranges_apart(from, from + page_size, to, to + page_size);
    terminates \true;
    assigns arena[to .. to + page_size - 1];
    ensures copied: \forall integer o; to <= o < to + page_size ==>
      arena[o] == \old(arena[from + (o - to)]);
    ensures others: \forall integer o; !(to <= o < to + page_size) ==>
      arena[o] == \old(arena[o]);
*/
void object_copy_page(uint8_t *arena, uint64_t page_size, uint64_t from, uint64_t to);

#endif
