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

/* All that is needed to find the objects of one class in one zspage. */
struct object_space {
	uint8_t *arena;
	uint64_t page_size;
	const uint64_t *pages;   /* the zspage's row: offset of each page in the arena */
	const uint8_t *in_page;  /* by slot: page of the chain */
	const uint16_t *at_byte; /* by slot: byte in that page */
};

/* True if the first len bytes of a slot's object run on into the next page. O(1). */
bool object_spans(const struct object_space *space, uint32_t slot, uint64_t len);

/* The object's first byte, as an offset in the arena. O(1). */
uint64_t object_start(const struct object_space *space, uint32_t slot);

/*
 * Copies the first len bytes out of, and into, an object; len is at most its usable size. O(len).
 */
void object_read(const struct object_space *space, uint32_t slot, uint8_t *to, uint64_t len);
void object_write(const struct object_space *space, uint32_t slot, const uint8_t *from,
		  uint64_t len);

/*
 * Copies len bytes from one object to another; different slots, each at least that long. Returns
 * the number of pieces, 1 .. 3: a page border within either ends one. O(len).
 */
uint32_t object_copy(const struct object_space *from, uint32_t from_slot,
		     const struct object_space *to, uint32_t to_slot, uint64_t len);

/* Copies a whole page to another place in the arena. O(page_size). */
void object_copy_page(uint8_t *arena, uint64_t page_size, uint64_t from, uint64_t to);

#endif
