/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * class - one size class: malloc, free and move on its zspages.
 *
 * A zspage is a number: its record in columns shared by the classes of a pool. A record, and the
 * row of slots and of page table that goes with it, is made for one class and stays with it;
 * zspage `z` of a class is *held* while it is on one of the class's group lists, or taken off for
 * a moment by compaction. Otherwise it waits: emptied, for its pages to be collected; or spare,
 * for the next zspage.
 *
 * Everything here is guarded by the class's lock, except pins and handle entries (sync.h), and
 * works on memory that is given; nothing calls out. O(1) unless said.
 */
#ifndef CLASS_H
#define CLASS_H

#include "bitmap.h"
#include "geometry.h"
#include "handle.h"
#include "object.h"
#include "ring.h"
#include "slots.h"

#define CLASS_NO_OWNER (-1)

/* Lists of a class besides those of its groups, numbered after them. */
enum { CLASS_EMPTIED, CLASS_SPARE, CLASS_MORE_LISTS };

/* The columns. Records 0 .. ring.heads - 1 are list heads. */
struct zspages {
	struct ring ring;
	uint16_t *inuse;    /* live objects */
	uint16_t *pins;     /* open read windows */
	uint16_t *locked;   /* bit i: page i is locked */
	uint16_t *class_of; /* position of the class in the pool's table */
	uint32_t *slot_row; /* first of its slots */
	uint32_t *page_row; /* first of its pages in the page table */
	uint32_t max;       /* records there is room for */

	int16_t *at;    /* by slot row + i: slots.h */
	int16_t *pos;   /* by slot row + slot: slots.h */
	int32_t *owner; /* by slot row + slot: handle entry, or CLASS_NO_OWNER */
	uint32_t slots_made;
	uint32_t slots_max;

	uint64_t *page; /* by page row + i: byte offset in the arena */
	uint32_t pages_made;
	uint32_t pages_max;
};

struct zs_class {
	struct zspages *zspages;
	struct handles *handles;
	struct object_space space; /* where the objects of any of its zspages are */

	uint16_t number; /* position in the pool's table */
	uint32_t index;  /* highest logical class merged into this one */
	uint32_t size;   /* of a slot, bytes */
	uint32_t usable; /* size less header */
	uint32_t header;
	uint32_t pages;    /* of a zspage */
	uint32_t capacity; /* objects of a zspage */
	uint32_t grouping; /* enum zs_grouping */
	uint32_t groups;
	uint32_t first_list; /* head of group 0; the other lists follow, see class_list */
	uint64_t *occupied;  /* bit i: group i has zspages */

	const uint16_t *group_of; /* by in-use count */

	struct handle_stack free; /* handle entries */
	uint64_t allocated;       /* slots of held zspages */
	uint64_t inuse;           /* live objects */
	uint64_t held;            /* zspages */
	uint64_t moved;           /* objects, by compaction */
	uint64_t copies;          /* pieces copied for these */
	uint64_t compacted;       /* pages, by compaction */
	uint64_t retired;         /* handle entries */
};

/*@
#include "memory.acsl"
#include "lists.acsl"
#include "class.acsl"
*/

/* True if the zspage must keep its pages though it is empty: a window is open or a page locked. */
/*@ requires columns: \valid_read(all) && \valid_read(all->pins + z) && \valid_read(all->locked + z);
    terminates \true;
    assigns \nothing;
    ensures kept: \result <==> all->pins[z] != 0 || all->locked[z] != 0;
*/
static inline bool zspage_is_kept(const struct zspages *all, uint32_t z)
{
	return sync_count(&all->pins[z]) != 0 || all->locked[z] != 0;
}

/* A zspage's row of the page table. */
/*@ requires columns: \valid_read(all) && \valid_read(all->page_row + z);
    terminates \true;
    assigns \nothing;
    ensures row: \result == all->page + all->page_row[z];
*/
static inline const uint64_t *zspage_pages(const struct zspages *all, uint32_t z)
{
	return all->page + all->page_row[z];
}

/*
 * A record for a new zspage: on no list, no object in it, its page row to be filled by the caller.
 * A spare one, or a new one; RING_NONE when there is no room for more. O(capacity).
 */
/*@
#include "class_memory.acsl"
#include "class_objects.acsl"
#include "class_lists.acsl"
    requires placed: class_placed(class, -1);
    requires pages: class_pages(class, -1) && class_pages_apart(class, -1);
    requires used: class_used(class);
    terminates \true;
    assigns class->zspages->ring.next[0 .. class->zspages->max - 1],
      class->zspages->ring.prev[0 .. class->zspages->max - 1],
      class->zspages->ring.list[0 .. class->zspages->max - 1],
      class->zspages->ring.count[class->first_list + class->groups + CLASS_SPARE],
      class->zspages->ring.records, class->zspages->slots_made, class->zspages->pages_made,
      class->zspages->class_of[0 .. class->zspages->max - 1],
      class->zspages->slot_row[0 .. class->zspages->max - 1],
      class->zspages->page_row[0 .. class->zspages->max - 1],
      class->zspages->inuse[0 .. class->zspages->max - 1],
      class->zspages->pins[0 .. class->zspages->max - 1],
      class->zspages->locked[0 .. class->zspages->max - 1],
      class->zspages->at[0 .. class->zspages->slots_max - 1],
      class->zspages->pos[0 .. class->zspages->slots_max - 1],
      class->zspages->owner[0 .. class->zspages->slots_max - 1];
#include "class_objects_kept.acsl"
#include "class_lists_kept.acsl"
    ensures ring: ring_ok(&class->zspages->ring);
    ensures placed: class_placed(class, -1);
    ensures pages: class_pages(class, -1) && class_pages_apart(class, -1);
    ensures used: class_used(class);
    ensures held: class_off(class) == \old(class_off(class));
    ensures record: \result != RING_NONE ==>
      class_record(class, \result) && class_unlisted(class, \result);
    ensures empty: \result != RING_NONE ==> class->zspages->inuse[\result] == 0 &&
      class->zspages->pins[\result] == 0 && class->zspages->locked[\result] == 0;
    ensures ascending: \result != RING_NONE ==> \forall integer i; 0 <= i < class->capacity ==>
      class->zspages->at[class->zspages->slot_row[\result] + i] == i;
    ensures stable: class_stable{Pre, Post}(class);
    ensures dead: class_dead{Pre, Post}(class);
*/
uint32_t class_new_zspage(struct zs_class *class);

/*
 * Puts an object in a zspage with room (held, or new: then it becomes held) and returns its entry;
 * the caller has seen handle_ready. O(handle batch).
 */
/*@
#include "class_memory.acsl"
#include "class_objects.acsl"
#include "class_lists.acsl"
    requires placed: class_placed(class, z);
    requires record: class_record(class, z);
    requires listed: class_listed(class, z) || class_unlisted(class, z);
    requires room: class->zspages->inuse[z] < class->capacity;
    requires ready: class->free.top != HANDLE_NONE || class->handles->given < class->handles->max;
    requires pages: class_pages(class, z) && class_pages_apart(class, z);
    requires used: class_used(class);
    requires held: 0 <= class_off(class) && class_room(class);
    terminates \true;
    assigns class->zspages->ring.next[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.prev[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.list[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.count[0 .. class->zspages->ring.heads - 1],
      class->occupied[0 .. (class->groups - 1) / 64], class->zspages->inuse[z],
      class->zspages->owner[class->zspages->slot_row[z] +
        class->zspages->at[class->zspages->slot_row[z] + class->zspages->inuse[z]]],
      class->handles->given, class->handles->entry[0 .. class->handles->max - 1],
      class->free.top, class->held, class->allocated, class->inuse;
#include "class_kept.acsl"
#include "class_objects_kept.acsl"
#include "class_lists_kept.acsl"
    ensures placed: class_placed(class, -1);
    ensures pages: class_pages(class, -1) && class_pages_apart(class, -1);
    ensures used: class_used(class);
    ensures held: class_off(class) == \old(class_off(class)) && class_room(class);
    ensures entry: class_has(class, \result);
    ensures place: handles_zspage(class->handles, \result) == z &&
      handles_slot(class->handles, \result) ==
        \old(class->zspages->at[class->zspages->slot_row[z] + class->zspages->inuse[z]]);
    ensures more: class->zspages->inuse[z] == \old(class->zspages->inuse[z]) + 1 &&
      class->inuse == \old(class->inuse) + 1;
    ensures list: class->zspages->ring.list[z] ==
      class->first_list + class->group_of[class->zspages->inuse[z]];
    ensures others_list: class_others_list{Pre, Post}(class, z);
    ensures others: class_others{Pre, Post}(class);
    ensures stable: class_stable{Pre, Post}(class);
    ensures dead: class_dead_but{Pre, Post}(class, \result);
*/
uint32_t class_malloc(struct zs_class *class, uint32_t z);

/* Frees the object of a live entry of this class; then class_discard, and returns as that does. */
/*@
#include "class_memory.acsl"
#include "class_objects.acsl"
#include "class_lists.acsl"
    requires placed: class_placed(class, -1);
    requires entry: class_has(class, entry);
    requires listed: class_listed(class, handles_zspage(class->handles, entry));
    requires pages: class_pages(class, -1) && class_pages_apart(class, -1);
    requires used: class_used(class);
    requires held: 0 <= class_off(class) && class_room(class);
    requires retired: class->retired < UINT64_MAX;
    terminates \true;
    assigns class->zspages->ring.next[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.prev[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.list[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.count[0 .. class->zspages->ring.heads - 1],
      class->occupied[0 .. (class->groups - 1) / 64],
      class->zspages->inuse[entry_zspage_of(class->handles->entry[entry])],
      class->zspages->at[0 .. class->zspages->slots_max - 1],
      class->zspages->pos[0 .. class->zspages->slots_max - 1],
      class->zspages->owner[class->zspages->slot_row[entry_zspage_of(class->handles->entry[entry])] +
        entry_slot_of(class->handles->entry[entry])],
      class->handles->entry[entry], class->free.top, class->held, class->allocated, class->inuse,
      class->retired;
#include "class_kept.acsl"
#include "class_objects_kept.acsl"
#include "class_lists_kept.acsl"
    ensures placed: class_placed(class, -1);
    ensures pages: class_pages(class, -1) && class_pages_apart(class, -1);
    ensures used: class_used(class);
    ensures held: class_off(class) == \old(class_off(class)) && class_room(class);
    ensures gone: \forall integer h; 0 <= h && \old(handle_valid(class->handles, h)) &&
      handle_index_of(h) == entry ==> handle_gone(class->handles, h);
    ensures less: class->inuse == \old(class->inuse) - 1 &&
      class->zspages->inuse[\old(handles_zspage(class->handles, entry))] ==
      \old(class->zspages->inuse[handles_zspage(class->handles, entry)]) - 1;
    ensures discarded: \result <==>
      class->zspages->inuse[\old(handles_zspage(class->handles, entry))] == 0 &&
      \old(class->zspages->pins[handles_zspage(class->handles, entry)]) == 0 &&
      \old(class->zspages->locked[handles_zspage(class->handles, entry)]) == 0;
    ensures emptied: \result ==>
      class->zspages->ring.list[\old(handles_zspage(class->handles, entry))] ==
        class->first_list + class->groups + CLASS_EMPTIED && class->held == \old(class->held) - 1;
    ensures listed: !\result ==>
      class_listed(class, \old(handles_zspage(class->handles, entry))) &&
      class->held == \old(class->held);
    ensures others: class_others{Pre, Post}(class);
    ensures stable: class_stable_but{Pre, Post}(class, entry);
    ensures dead: class_dead{Pre, Post}(class);
*/
bool class_free(struct zs_class *class, uint32_t entry);

/*
 * Moves the object in slot `from` of zspage z, bytes and all, to another zspage with room. Both are
 * off their lists. O(size).
 */
/*@
#include "class_memory.acsl"
#include "class_objects.acsl"
#include "class_lists.acsl"
    requires placed: class_placed(class, -1);
    requires records: class_record(class, z) && class_record(class, to) && z != to;
    requires unlisted: class_unlisted(class, z) && class_unlisted(class, to);
    requires from: from < class->capacity && class_live(class, z, from);
    requires room: class->zspages->inuse[to] < class->capacity;
    requires some: 0 < class->zspages->inuse[to];
    requires pages: class_pages(class, -1) && class_pages_apart(class, -1);
    requires used: class_used(class);
    requires counters: class->moved < UINT64_MAX && class->copies <= UINT64_MAX - 3;
    terminates \true;
    assigns class->zspages->inuse[z], class->zspages->inuse[to],
      class->zspages->at[0 .. class->zspages->slots_max - 1],
      class->zspages->pos[0 .. class->zspages->slots_max - 1],
      class->zspages->owner[0 .. class->zspages->slots_max - 1],
      class->handles->entry[0 .. class->handles->max - 1], class->space.arena[0 .. INT64_MAX],
      class->moved, class->copies;
#include "class_kept.acsl"
#include "class_objects_kept.acsl"
#include "class_lists_kept.acsl"
    ensures placed: class_placed(class, -1);
    ensures pages: class_pages(class, -1) && class_pages_apart(class, -1);
    ensures used: class_used(class);
    ensures less: class->zspages->inuse[z] == \old(class->zspages->inuse[z]) - 1;
    ensures more: class->zspages->inuse[to] == \old(class->zspages->inuse[to]) + 1;
    ensures live: \forall integer s; 0 <= s < class->capacity ==>
      (class_live(class, z, s) <==> \old(class_live(class, z, s)) && s != from);
    ensures moved: class->moved == \old(class->moved) + 1;
    ensures copies: \old(class->copies) < class->copies <= \old(class->copies) + 3;
    ensures others: class_others{Pre, Post}(class);
    ensures stable: class_stable{Pre, Post}(class);
    ensures dead: class_dead{Pre, Post}(class);
*/
void class_move(struct zs_class *class, uint32_t z, uint32_t from, uint32_t to);

/*
 * If a held zspage is empty and not kept: off to the emptied ones, for its pages to be collected.
 * Returns whether.
 */
/*@
#include "class_memory.acsl"
#include "class_objects.acsl"
#include "class_lists.acsl"
    requires placed: class_placed(class, z);
    requires record: class_record(class, z) && class_listed(class, z);
    requires pages: class_pages(class, -1) && class_pages_apart(class, -1);
    requires used: class_used(class);
    requires held: 0 <= class_off(class) && class_room(class);
    terminates \true;
    assigns class->zspages->ring.next[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.prev[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.list[z],
      class->zspages->ring.count[0 .. class->zspages->ring.heads - 1],
      class->occupied[0 .. (class->groups - 1) / 64], class->held, class->allocated,
      ring_stamp[0 .. class->zspages->ring.records - 1];
#include "class_kept.acsl"
#include "class_objects_kept.acsl"
#include "class_lists_kept.acsl"
    ensures placed: class_placed(class, \result ? -1 : (integer)z);
    ensures pages: class_pages(class, -1) && class_pages_apart(class, -1);
    ensures used: class_used(class);
    ensures held: class_off(class) == \old(class_off(class)) && class_room(class);
    ensures discarded: \result <==> class->zspages->inuse[z] == 0 && class->zspages->pins[z] == 0 &&
      class->zspages->locked[z] == 0;
    ensures emptied: \result ==> class->zspages->ring.list[z] ==
      class->first_list + class->groups + CLASS_EMPTIED && class->held == \old(class->held) - 1;
    ensures unchanged: !\result ==> class->zspages->ring.list[z] ==
      \old(class->zspages->ring.list[z]) && class->held == \old(class->held);
    ensures others_list: class_others_list{Pre, Post}(class, z);
    ensures others: class_others{Pre, Post}(class);
    ensures stable: class_stable{Pre, Post}(class);
    ensures dead: class_dead{Pre, Post}(class);
*/
bool class_discard(struct zs_class *class, uint32_t z);

#endif
