/* SPDX-License-Identifier: BSD-3-Clause */
#include "choose.h"
#include "compact.h"
#include "held.h"
#include "slots.h"

uint64_t compact_zspages(const struct zs_class *class)
{
	return (class->allocated - class->inuse) / class->capacity;
}

/* ---- moving --------------------------------------------------------------------------------- */

/* Moves objects, ascending slots, until the source is empty or the destination full. */
static void drain(struct zs_class *class, uint32_t source, uint32_t destination)
{
	const uint16_t *inuse = class->zspages->inuse;
	const int16_t *pos = class->zspages->pos + class->zspages->slot_row[source];

	for (uint32_t slot = 0; inuse[source] > 0 && inuse[destination] < class->capacity; slot++)
		if (slots_live(pos, inuse[source], slot))
			place_move(class, source, slot, destination);
}

/* Puts a drained source back. Returns the pages of one that is empty. */
static uint64_t put_back(struct zs_class *class, uint32_t source)
{
	held_put(class, source);
	if (class->zspages->inuse[source] != 0)
		return 0;
	held_discard(class, source);
	return class->pages;
}

/* Fills one zspage after the other from the emptiest. Returns the pages freed. */
static uint64_t fill_destinations(struct zs_class *class, bool ranked)
{
	const uint16_t *inuse = class->zspages->inuse;
	uint32_t destination = RING_NONE;
	uint64_t freed = 0;

	while (compact_zspages(class) > 0) {
		if (destination == RING_NONE)
			destination = held_take(class, choose_destination(class, ranked));
		if (destination == RING_NONE)
			break;
		uint32_t source = held_take(class, choose_source(class, ranked));
		if (source == RING_NONE)
			break;
		drain(class, source, destination);
		freed += put_back(class, source);
		if (inuse[destination] == class->capacity) {
			held_put(class, destination);
			destination = RING_NONE;
		}
	}
	if (destination != RING_NONE)
		held_put(class, destination);
	return freed;
}

/* Empties a source into the fullest zspages with room. Returns false if these run out. */
static bool empty(struct zs_class *class, uint32_t source)
{
	while (class->zspages->inuse[source] > 0) {
		uint32_t destination = held_take(class, choose_destination(class, false));

		if (destination == RING_NONE)
			return false;
		drain(class, source, destination);
		held_put(class, destination);
	}
	return true;
}

/* Empties one zspage after the other. Returns the pages freed. */
static uint64_t empty_sources(struct zs_class *class)
{
	uint32_t source = held_take(class, choose_source(class, false));
	uint64_t freed = 0;

	while (source != RING_NONE && compact_zspages(class) > 0 && empty(class, source)) {
		freed += put_back(class, source);
		source = held_take(class, choose_source(class, false));
	}
	if (source != RING_NONE)
		held_put(class, source);
	return freed;
}

uint64_t compact(struct zs_class *class, uint32_t algorithm)
{
	uint64_t freed = algorithm == ZS_SOURCE ? empty_sources(class)
						: fill_destinations(class, algorithm == ZS_OPTIMAL);

	class->compacted += freed;
	return freed;
}
