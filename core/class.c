/* SPDX-License-Identifier: BSD-3-Clause */
#include "class.h"
#include "lists.h"
#include "poison.h"

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

/* The slot that is next in a zspage with room. */
/*@ requires record: \valid_read(all) && \valid_read(all->slot_row + z) &&
      \valid_read(all->inuse + z);
    requires slot: \valid_read(all->at + all->slot_row[z] + all->inuse[z]) &&
      0 <= all->at[all->slot_row[z] + all->inuse[z]];
    terminates \true;
    assigns \nothing;
    ensures slot: \result == all->at[all->slot_row[z] + all->inuse[z]];
*/
static uint32_t next_slot(const struct zspages *all, uint32_t z)
{
	return slots_alloc(all->at + all->slot_row[z], all->inuse[z]);
}

/* Gives the slot that is next in a zspage to an entry. */
/*@ requires record: \valid_read(all) && \valid_read(all->slot_row + z) && \valid(all->inuse + z);
    requires slot: \valid(all->owner + all->slot_row[z] + slot) &&
      all->slot_row[z] + slot <= UINT32_MAX;
    requires ranges: all->inuse[z] < UINT16_MAX && entry <= INT32_MAX;
    terminates \true;
    assigns all->owner[all->slot_row[z] + slot], all->inuse[z];
    ensures owner: all->owner[all->slot_row[z] + slot] == entry;
    ensures more: all->inuse[z] == \old(all->inuse[z]) + 1;
*/
static void own(struct zspages *all, uint32_t z, uint32_t slot, uint32_t entry)
{
	all->owner[all->slot_row[z] + slot] = (int32_t)entry;
	all->inuse[z]++;
}

/* Takes a slot in use out of use. */
/*@ requires record: \valid_read(all) && \valid_read(all->slot_row + z) && \valid(all->inuse + z);
    requires row: slots_row(all->at + all->slot_row[z], all->pos + all->slot_row[z], capacity);
    requires at: slots_at(all->at + all->slot_row[z], all->pos + all->slot_row[z], capacity);
    requires pos: slots_pos(all->at + all->slot_row[z], all->pos + all->slot_row[z], capacity);
    requires slot: slot < capacity && all->slot_row[z] + capacity <= UINT32_MAX &&
      \valid(all->owner + all->slot_row[z] + slot);
    requires live: slots_in_use(all->pos + all->slot_row[z], all->inuse[z], slot) &&
      all->inuse[z] <= capacity;
    terminates \true;
    assigns all->owner[all->slot_row[z] + slot], all->inuse[z],
      all->at[all->slot_row[z] .. all->slot_row[z] + capacity - 1],
      all->pos[all->slot_row[z] .. all->slot_row[z] + capacity - 1];
    ensures owner: all->owner[all->slot_row[z] + slot] == CLASS_NO_OWNER;
    ensures less: all->inuse[z] == \old(all->inuse[z]) - 1;
    ensures at: slots_at(all->at + all->slot_row[z], all->pos + all->slot_row[z], capacity);
    ensures pos: slots_pos(all->at + all->slot_row[z], all->pos + all->slot_row[z], capacity);
    ensures live: \forall integer o;
      all->slot_row[z] <= o < all->slot_row[z] + capacity ==>
      (all->pos[o] < all->inuse[z] <==>
        \old(all->pos[o] < all->inuse[z]) && o != all->slot_row[z] + slot);
*/
static void disown(struct zspages *all, uint32_t z, uint32_t slot) /*@ ghost (uint32_t capacity) */
{
	uint32_t row = all->slot_row[z];

	all->owner[row + slot] = CLASS_NO_OWNER;
	slots_free(all->at + row, all->pos + row, all->inuse[z], slot) /*@ ghost (capacity) */;
	all->inuse[z]--;
}

uint32_t class_malloc(struct zs_class *class, uint32_t z)
{
	uint32_t slot = next_slot(class->zspages, z);
	uint32_t entry = handle_take(class->handles, &class->free, z, slot);

	if (ring_list(&class->zspages->ring, z) == RING_NONE) {
		class->held++;
		class->allocated += class->capacity;
	}
	own(class->zspages, z, slot, entry);
	class->inuse++;
	lists_regroup(class, z);
	return entry;
}

bool class_free(struct zs_class *class, uint32_t entry)
{
	uint64_t word = sync_load(&class->handles->entry[entry]);
	uint32_t z = entry_zspage(word);

	disown(class->zspages, z, entry_slot(word)) /*@ ghost (class->capacity) */;
	class->retired += handle_kill(class->handles, &class->free, entry);
	class->inuse--;
	if (class_discard(class, z))
		return true;
	lists_regroup(class, z);
	return false;
}

/* Copies an object's bytes. Returns the number of pieces. */
static uint32_t copy(const struct zs_class *class, uint32_t z, uint32_t from, uint32_t to,
		     uint32_t slot)
{
	struct object_space source = class_space(class, z), target = class_space(class, to);

	return guarded_copy(&source, from, &target, slot, class->usable);
}

/* The object in slot `from` of z is now that in the next slot of another zspage. */
static void relocate(struct zs_class *class, uint32_t z, uint32_t from, uint32_t to, uint32_t slot)
{
	struct zspages *all = class->zspages;
	uint32_t entry = (uint32_t)all->owner[all->slot_row[z] + from];

	own(all, to, slot, entry);
	handle_move(class->handles, entry, to, slot);
	disown(all, z, from) /*@ ghost (class->capacity) */;
}

void class_move(struct zs_class *class, uint32_t z, uint32_t from, uint32_t to)
{
	uint32_t slot = next_slot(class->zspages, to);

	class->copies += copy(class, z, from, to, slot);
	class->moved++;
	relocate(class, z, from, to, slot);
}

bool class_discard(struct zs_class *class, uint32_t z)
{
	if (class->zspages->inuse[z] != 0 || zspage_is_kept(class->zspages, z))
		return false;
	lists_empty(class, z);
	class->held--;
	class->allocated -= class->capacity;
	return true;
}
