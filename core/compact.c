/* SPDX-License-Identifier: BSD-3-Clause */
#include "compact.h"
#include "slots.h"

uint64_t compact_zspages(const struct zs_class *class)
{
	return (class->allocated - class->inuse) / class->capacity;
}

/* The fullest zspage that has room and isn't empty, off its list; or RING_NONE. */
static uint32_t take_destination(struct zs_class *class)
{
	struct ring *ring = &class->zspages->ring;

	for (uint32_t group = class->groups - 2; group > 0; group--) {
		uint32_t head = class_list(class, group);
		uint32_t z = ring_first(ring, head);

		if (z != head) {
			ring_del(ring, z);
			return z;
		}
	}
	return RING_NONE;
}

/* The first zspage of a list that no reader pins, or RING_NONE. */
static uint32_t first_unpinned(const struct zspages *all, uint32_t head)
{
	for (uint32_t z = all->ring.next[head]; z != head; z = all->ring.next[z])
		if (sync_count(&all->pins[z]) == 0)
			return z;
	return RING_NONE;
}

/* The emptiest zspage that isn't empty, full or pinned, off its list; or RING_NONE. */
static uint32_t take_source(struct zs_class *class)
{
	for (uint32_t group = 1; group < class->groups - 1; group++) {
		uint32_t z = first_unpinned(class->zspages, class_list(class, group));

		if (z != RING_NONE) {
			ring_del(&class->zspages->ring, z);
			return z;
		}
	}
	return RING_NONE;
}

/* Moves objects, ascending slots, until the source is empty or the destination full. */
static void drain(struct zs_class *class, uint32_t source, uint32_t destination)
{
	const uint16_t *inuse = class->zspages->inuse;
	const uint16_t *pos = class->zspages->pos + class->zspages->slot_row[source];

	for (uint32_t slot = 0; inuse[source] > 0 && inuse[destination] < class->capacity; slot++)
		if (slots_live(pos, inuse[source], slot))
			class_move(class, source, slot, destination);
}

/* Puts a drained source back. Returns the pages of one that is empty. */
static uint64_t put_back(struct zs_class *class, uint32_t source)
{
	class_regroup(class, source);
	if (class->zspages->inuse[source] != 0)
		return 0;
	class_discard(class, source);
	return class->pages;
}

uint64_t compact_destination(struct zs_class *class)
{
	const uint16_t *inuse = class->zspages->inuse;
	uint32_t destination = RING_NONE;
	uint64_t freed = 0;

	while (compact_zspages(class) > 0) {
		if (destination == RING_NONE)
			destination = take_destination(class);
		if (destination == RING_NONE)
			break;
		uint32_t source = take_source(class);
		if (source == RING_NONE)
			break;
		drain(class, source, destination);
		freed += put_back(class, source);
		if (inuse[destination] == class->capacity) {
			class_regroup(class, destination);
			destination = RING_NONE;
		}
	}
	if (destination != RING_NONE)
		class_regroup(class, destination);
	class->compacted += freed;
	return freed;
}
