/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * place - where in a zspage an object is: taken, given back, moved.
 *
 * An object's place is a slot, and its owner the handle entry that names this place. The caller
 * holds the class's lock and keeps the ranges; nothing fails. O(1) unless said.
 */
#ifndef PLACE_H
#define PLACE_H

#include "zspages.h"
#include "slots.h"

/*@
#include "place.acsl"
*/

/* The slot that is next in a zspage with room. */
/*@ requires record: \valid_read(all) && \valid_read(all->slot_row + z) &&
      \valid_read(all->inuse + z);
    requires slot: \valid_read(all->at + all->slot_row[z] + all->inuse[z]) &&
      0 <= all->at[all->slot_row[z] + all->inuse[z]];
    terminates \true;
    assigns \nothing;
    ensures slot: \result == all->at[all->slot_row[z] + all->inuse[z]];
*/
static inline uint32_t place_next(const struct zspages *all, uint32_t z)
{
	return slots_alloc(all->at + all->slot_row[z], all->inuse[z]);
}

/* Gives the slot that is next in a zspage to an entry. */
/*@ requires record: \valid_read(all) && \valid_read(all->slot_row + z) && \valid(all->inuse + z);
    requires at: slots_at(all->at + all->slot_row[z], all->pos + all->slot_row[z], capacity);
    requires pos: slots_pos(all->at + all->slot_row[z], all->pos + all->slot_row[z], capacity);
    requires slot: slot == all->at[all->slot_row[z] + all->inuse[z]] &&
      \valid(all->owner + all->slot_row[z] + slot);
    requires ranges: all->inuse[z] < capacity <= ENTRY_SLOTS &&
      all->slot_row[z] + capacity <= UINT32_MAX && entry <= INT32_MAX;
    terminates \true;
    assigns all->owner[all->slot_row[z] + slot], all->inuse[z];
    ensures owner: all->owner[all->slot_row[z] + slot] == entry;
    ensures more: all->inuse[z] == \old(all->inuse[z]) + 1;
    ensures live: \forall integer o; all->slot_row[z] <= o < all->slot_row[z] + capacity ==>
      (all->pos[o] < all->inuse[z] <==>
        \old(all->pos[o] < all->inuse[z]) || o == all->slot_row[z] + slot);
*/
void place_own(struct zspages *all, uint32_t z, uint32_t slot, uint32_t entry)
	/*@ ghost (uint32_t capacity) */;

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
    ensures others: \forall int16_t *p; \separated(p,
        all->at + (all->slot_row[z] .. all->slot_row[z] + capacity - 1)) && \separated(p,
        all->pos + (all->slot_row[z] .. all->slot_row[z] + capacity - 1)) ==> *p == \old(*p);
*/
void place_disown(struct zspages *all, uint32_t z, uint32_t slot) /*@ ghost (uint32_t capacity) */;

/*
 * Moves the object in slot `from` of zspage z, bytes and all, to another zspage, which has objects
 * and room. O(size).
 */
/*@
#include "place_needs.acsl"
    requires counters: class->moved < INT64_MAX && class->copies <= INT64_MAX - 3;
    terminates \true;
    assigns class->zspages->inuse[z], class->zspages->inuse[to],
      class->zspages->at[0 .. class->zspages->slots_max - 1],
      class->zspages->pos[0 .. class->zspages->slots_max - 1],
      class->zspages->owner[0 .. class->zspages->slots_max - 1],
      class->handles->entry[0 .. class->handles->max - 1], class->space.arena[0 .. INT64_MAX],
      class->moved, class->copies;
#include "place_kept.acsl"
    ensures moved: class->moved == \old(class->moved) + 1;
    ensures copies: \old(class->copies) < class->copies <= \old(class->copies) + 3;
    ensures stable: class_stable{Pre, Post}(class);
    ensures dead: class_dead{Pre, Post}(class);
    ensures others: class_others{Pre, Post}(class);
*/
void place_move(struct zs_class *class, uint32_t z, uint32_t from, uint32_t to);

#endif
