/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * place - where in a zspage an object is: taken, given back, moved.
 *
 * An object's place is a slot, and its owner the handle entry that names this place. The caller holds
 * the class's lock and keeps the ranges; nothing fails. O(1) unless said.
 */
#ifndef PLACE_H
#define PLACE_H

#include "class.h"
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
 * Moves the object in slot `from` of zspage z, bytes and all, to another zspage, which has objects and
 * room. O(size).
 */
/*@ requires sizes: class_sizes(class);
    requires valid: class_valid(class);
    requires valid_objects: class_valid_objects(class);
    requires apart_number: class_apart_number(class);
    requires apart_inuse: class_apart_inuse(class);
    requires apart_words: class_apart_words(class);
    requires apart_count: class_apart_count(class);
    requires apart_entry: class_apart_entry(class);
    requires apart_entries: class_apart_entries(class);
    requires apart_owner: class_apart_owner(class);
    requires apart_slots: class_apart_slots(class);
    requires apart_tables: class_apart_tables(class);
    requires tables: class_tables(class);
    requires slot_rows: class_slot_rows(class);
    requires slot_room: class_slot_room(class);
    requires page_room: class_page_room(class);
    requires at: class_at(class);
    requires pos: class_pos(class);
    requires bounds: class_bounds(class);
    requires owned: class_owned(class);
    requires owners: class_owners(class);
    requires entries: class_entries(class);
    requires handles: handles_ok(class->handles);
    requires stack: handles_stack(class->handles, &class->free);
    requires pages: class_pages(class, -1) && class_pages_apart(class, -1);
    requires records: class_record(class, z) && class_record(class, to) && z != to;
    requires from: from < class->capacity && class_live(class, z, from);
    requires room: 0 < class->zspages->inuse[to] < class->capacity;
    requires counters: class->moved < INT64_MAX && class->copies <= INT64_MAX - 3;
    terminates \true;
    assigns class->zspages->inuse[z], class->zspages->inuse[to],
      class->zspages->at[0 .. class->zspages->slots_max - 1],
      class->zspages->pos[0 .. class->zspages->slots_max - 1],
      class->zspages->owner[0 .. class->zspages->slots_max - 1],
      class->handles->entry[0 .. class->handles->max - 1], class->space.arena[0 .. INT64_MAX],
      class->moved, class->copies;
    ensures sizes: class_sizes(class);
    ensures valid: class_valid(class);
    ensures valid_objects: class_valid_objects(class);
    ensures apart_words: class_apart_words(class);
    ensures apart_count: class_apart_count(class);
    ensures tables: class_tables(class);
    ensures slot_rows: class_slot_rows(class);
    ensures slot_room: class_slot_room(class);
    ensures page_room: class_page_room(class);
    ensures at: class_at(class);
    ensures pos: class_pos(class);
    ensures bounds: class_bounds(class);
    ensures owned: class_owned(class);
    ensures owners: class_owners(class);
    ensures entries: class_entries(class);
    ensures handles: handles_ok(class->handles);
    ensures stacks: \forall integer top;
      \old(handles_top(class->handles, top)) ==> handles_top(class->handles, top);
    ensures pages: class_pages(class, -1) && class_pages_apart(class, -1);
    ensures same: class_same{Pre, Post}(class);
    ensures same_zspages: class_same_zspages{Pre, Post}(class);
    ensures same_ring: class_same_ring{Pre, Post}(class);
    ensures same_objects: class_same_objects{Pre, Post}(class);
    ensures same_rows: class_same_rows{Pre, Post}(class);
    ensures same_pages: class_same_pages{Pre, Post}(class);
    ensures same_tables: class_same_tables{Pre, Post}(class);
    ensures same_lists: class_same_lists{Pre, Post}(class);
    ensures words: class_words_but{Pre, Post}(class,
      \old(class->zspages->owner[class->zspages->slot_row[z] + from]));
    ensures halves: class_halves_but{Pre, Post}(class, z, to);
    ensures less: class->zspages->inuse[z] == \old(class->zspages->inuse[z]) - 1;
    ensures more: class->zspages->inuse[to] == \old(class->zspages->inuse[to]) + 1;
    ensures live: \forall integer s; 0 <= s < class->capacity ==>
      (class_live(class, z, s) <==> \old(class_live(class, z, s)) && s != from);
    ensures moved: class->moved == \old(class->moved) + 1;
    ensures copies: \old(class->copies) < class->copies <= \old(class->copies) + 3;
    ensures others: class_others{Pre, Post}(class);
    ensures aged: handles_aged{Pre, Post}(class->handles);
    ensures stable: class_stable{Pre, Post}(class);
    ensures dead: class_dead{Pre, Post}(class);
*/
void place_move(struct zs_class *class, uint32_t z, uint32_t from, uint32_t to);

#endif
