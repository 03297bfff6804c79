/* SPDX-License-Identifier: BSD-3-Clause */
#include "class.h"
#include "poison.h"
#include "slots.h"

struct object_space class_space(const struct zs_class *class, uint32_t z)
{
	return (struct object_space){
		.arena = class->arena,
		.page_size = class->page_size,
		.pages = class->zspages->page + class->zspages->page_row[z],
		.in_page = class->in_page,
		.at_byte = class->at_byte,
	};
}

/* ---- lists ---------------------------------------------------------------------------------- */

/* Puts a zspage that is on no list on that of a group. */
static void enter(struct zs_class *class, uint32_t group, uint32_t z)
{
	const uint16_t *inuse = class->zspages->inuse;
	struct ring *ring = &class->zspages->ring;
	uint32_t head = class_list(class, group), first = ring_first(ring, head);

	bitmap_set(class->occupied, group);
	if (class->grouping == ZS_THRESHOLD && first != head && inuse[first] > inuse[z]) {
		/* The one that stays first is taken off, and added again after this one. */
		ring_del(ring, first);
		ring_add(ring, head, z);
		z = first;
	}
	ring_add(ring, head, z);
}

void class_leave(struct zs_class *class, uint32_t z)
{
	struct ring *ring = &class->zspages->ring;
	uint32_t head = ring_list(ring, z);

	if (ring->count[head] == 1)
		bitmap_clear(class->occupied, head - class->first_list);
	ring_del(ring, z);
}

void class_regroup(struct zs_class *class, uint32_t z)
{
	uint32_t group = class->group_of[class->zspages->inuse[z]];
	uint32_t list = ring_list(&class->zspages->ring, z);

	if (list == class_list(class, group))
		return;
	if (list != RING_NONE)
		class_leave(class, z);
	enter(class, group, z);
}

/* ---- zspages -------------------------------------------------------------------------------- */

uint32_t class_pick(const struct zs_class *class)
{
	uint32_t full = class->groups - 1, group = bitmap_last(class->occupied, full);

	if (group == full)
		return RING_NONE;
	return ring_first(&class->zspages->ring, class_list(class, group));
}

/* A record that never was: its rows are made with it and stay with it. */
static uint32_t make_record(struct zs_class *class)
{
	struct zspages *all = class->zspages;
	uint32_t z, row = all->slots_made;

	if (all->ring.records == all->max || all->slots_max - row < class->capacity ||
	    all->pages_max - all->pages_made < class->pages)
		return RING_NONE;
	z = ring_make(&all->ring);
	all->class_of[z] = class->number;
	all->slot_row[z] = row;
	all->page_row[z] = all->pages_made;
	all->slots_made += class->capacity;
	all->pages_made += class->pages;
	for (uint32_t s = 0; s < class->capacity; s++)
		all->owner[row + s] = CLASS_NO_OWNER;
	return z;
}

uint32_t class_new_zspage(struct zs_class *class)
{
	struct zspages *all = class->zspages;
	uint32_t spare = class_list(class, class->groups + CLASS_SPARE);
	uint32_t z = ring_first(&all->ring, spare);

	if (z != spare)
		ring_del(&all->ring, z);
	else
		z = make_record(class);
	if (z == RING_NONE)
		return RING_NONE;
	all->inuse[z] = 0;
	all->pins[z] = 0;
	all->locked[z] = 0;
	slots_init(all->at + all->slot_row[z], all->pos + all->slot_row[z], class->capacity);
	return z;
}

void class_spare(struct zs_class *class, uint32_t z)
{
	ring_add(&class->zspages->ring, class_list(class, class->groups + CLASS_SPARE), z);
}

/* ---- objects -------------------------------------------------------------------------------- */

/* Gives the slot that is next in a zspage to an entry. */
static void own(struct zs_class *class, uint32_t z, uint32_t slot, uint32_t entry)
{
	class->zspages->owner[class->zspages->slot_row[z] + slot] = (int32_t)entry;
	class->zspages->inuse[z]++;
}

static void disown(struct zs_class *class, uint32_t z, uint32_t slot)
{
	struct zspages *all = class->zspages;
	uint32_t row = all->slot_row[z];

	all->owner[row + slot] = CLASS_NO_OWNER;
	slots_free(all->at + row, all->pos + row, all->inuse[z],
		   slot) /*@ ghost (class->capacity) */;
	all->inuse[z]--;
}

static uint32_t next_slot(const struct zs_class *class, uint32_t z)
{
	return slots_alloc(class->zspages->at + class->zspages->slot_row[z],
			   class->zspages->inuse[z]);
}

uint32_t class_malloc(struct zs_class *class, uint32_t z)
{
	uint32_t slot = next_slot(class, z);
	uint32_t entry = handle_take(class->handles, &class->free, z, slot);

	if (ring_list(&class->zspages->ring, z) == RING_NONE) {
		class->held++;
		class->allocated += class->capacity;
	}
	own(class, z, slot, entry);
	class->inuse++;
	class_regroup(class, z);
	return entry;
}

bool class_free(struct zs_class *class, uint32_t entry)
{
	uint64_t word = sync_load(&class->handles->entry[entry]);
	uint32_t z = entry_zspage(word);

	disown(class, z, entry_slot(word));
	class->retired += handle_kill(class->handles, &class->free, entry);
	class->inuse--;
	if (class_discard(class, z))
		return true;
	class_regroup(class, z);
	return false;
}

void class_move(struct zs_class *class, uint32_t z, uint32_t from, uint32_t to)
{
	struct object_space source = class_space(class, z), target = class_space(class, to);
	uint32_t entry = (uint32_t) class->zspages->owner[class->zspages->slot_row[z] + from];
	uint32_t slot = next_slot(class, to);

	class->copies += guarded_copy(&source, from, &target, slot, class->usable);
	own(class, to, slot, entry);
	handle_move(class->handles, entry, to, slot);
	disown(class, z, from);
	class->moved++;
}

bool class_discard(struct zs_class *class, uint32_t z)
{
	if (class->zspages->inuse[z] != 0 || zspage_is_kept(class->zspages, z))
		return false;
	class_leave(class, z);
	ring_add(&class->zspages->ring, class_list(class, class->groups + CLASS_EMPTIED), z);
	class->held--;
	class->allocated -= class->capacity;
	return true;
}
