/* SPDX-License-Identifier: BSD-3-Clause */
#include "class.h"
#include "slots.h"

/*@
#include "class_steps.acsl"
*/

/* ---- zspages -------------------------------------------------------------------------------- */

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
	uint32_t z = lists_take_spare(class);

	if (z == RING_NONE)
		z = make_record(class);
	if (z == RING_NONE)
		return RING_NONE;
	all->inuse[z] = 0;
	all->pins[z] = 0;
	all->locked[z] = 0;
	slots_init(all->at + all->slot_row[z], all->pos + all->slot_row[z], class->capacity);
	return z;
}

/* ---- objects -------------------------------------------------------------------------------- */

uint32_t class_malloc(struct zs_class *class, uint32_t z)
{
	uint32_t slot = place_next(class->zspages, z);
	uint32_t entry = handle_take(class->handles, &class->free, z, slot);

	if (ring_list(&class->zspages->ring, z) == RING_NONE) {
		class->held++;
		class->allocated += class->capacity;
	}
	place_own(class->zspages, z, slot, entry) /*@ ghost (class->capacity) */;
	class->inuse++;
	held_put(class, z);
	return entry;
}

bool class_free(struct zs_class *class, uint32_t entry)
{
	uint64_t word = sync_load(&class->handles->entry[entry]);
	uint32_t z = entry_zspage(word);

	place_disown(class->zspages, z, entry_slot(word)) /*@ ghost (class->capacity) */;
	class->retired += handle_kill(class->handles, &class->free, entry);
	class->inuse--;
	if (held_discard(class, z))
		return true;
	held_put(class, z);
	return false;
}
