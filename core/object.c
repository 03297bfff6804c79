/* SPDX-License-Identifier: BSD-3-Clause */
#include "object.h"

/* A loop that the compiler knows as memcpy, and the prover as a loop. */
static void copy_bytes(uint8_t *restrict to, const uint8_t *restrict from, uint64_t len)
{
	for (uint64_t i = 0; i < len; i++)
		to[i] = from[i];
}

/* Bytes from an object's k-th byte to the end of the page it is in, and where that byte is. */
static uint64_t piece(const struct object_space *space, uint32_t slot, uint64_t k, uint64_t *at)
{
	uint32_t page = space->in_page[slot];
	uint64_t byte = space->at_byte[slot] + k;

	if (byte >= space->page_size) {
		byte -= space->page_size;
		page++;
	}
	*at = space->pages[page] + byte;
	return space->page_size - byte;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

bool object_spans(const struct object_space *space, uint32_t slot, uint64_t len)
{
	return space->at_byte[slot] + len > space->page_size;
}

uint64_t object_start(const struct object_space *space, uint32_t slot)
{
	return space->pages[space->in_page[slot]] + space->at_byte[slot];
}

void object_read(const struct object_space *space, uint32_t slot, uint8_t *to, uint64_t len)
{
	uint64_t at, n;

	for (uint64_t k = 0; k < len; k += n) {
		n = least(piece(space, slot, k, &at), len - k);
		copy_bytes(to + k, space->arena + at, n);
	}
}

void object_write(const struct object_space *space, uint32_t slot, const uint8_t *from,
		  uint64_t len)
{
	uint64_t at, n;

	for (uint64_t k = 0; k < len; k += n) {
		n = least(piece(space, slot, k, &at), len - k);
		copy_bytes(space->arena + at, from + k, n);
	}
}

uint32_t object_copy(const struct object_space *from, uint32_t from_slot,
		     const struct object_space *to, uint32_t to_slot, uint64_t len)
{
	uint64_t source, target, n;
	uint32_t pieces = 0;

	for (uint64_t k = 0; k < len; k += n) {
		n = least(piece(from, from_slot, k, &source), len - k);
		n = least(piece(to, to_slot, k, &target), n);
		copy_bytes(to->arena + target, from->arena + source, n);
		pieces++;
	}
	return pieces;
}

void object_copy_page(uint8_t *arena, uint64_t page_size, uint64_t from, uint64_t to)
{
	copy_bytes(arena + to, arena + from, page_size);
}
