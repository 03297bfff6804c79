/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * class - one size class: malloc and free on its zspages.
 *
 * The caller holds the class's lock and keeps the ranges; nothing calls out. O(1) unless said.
 */
#ifndef CLASS_H
#define CLASS_H

#include "held.h"

/*@
#include "class_ops.acsl"
*/

/*
 * A record for a new zspage: on no list, no object in it, its page row to be filled by the caller.
 * A spare one, or a new one; RING_NONE when there is no room for more. O(capacity).
 */
uint32_t class_new_zspage(struct zs_class *class);

/*
 * Puts an object in a zspage with room (held, or new: then it becomes held) and returns its entry;
 * the caller has seen handle_ready. O(handle batch).
 */
uint32_t class_malloc(struct zs_class *class, uint32_t z);

/* Frees the object of a live entry of this class; then held_discard, and returns as that does. */
/*@
#include "held_needs.acsl"
    requires lists: class_lists(class, -1);
    requires waiting: class_waiting(class, RING_NONE, RING_NONE);
    requires entry: class_has(class, entry);
    requires off: 0 <= class_off(class);
    requires retired: class->retired < UINT64_MAX;
    terminates \true;
    assigns class->inuse, class->retired, class->held, class->allocated, class->free.top,
      class->zspages->inuse[0 .. class->zspages->max - 1],
      class->zspages->at[0 .. class->zspages->slots_max - 1],
      class->zspages->pos[0 .. class->zspages->slots_max - 1],
      class->zspages->owner[0 .. class->zspages->slots_max - 1],
      class->handles->entry[0 .. class->handles->max - 1],
#include "held_cells.acsl"
    ensures memory: class_memory(class);
    ensures lists: class_lists(class, -1);
    ensures objects: class_objects(class);
    ensures table: class_table(class);
    ensures used: class_used(class);
    ensures room: class_room(class);
    ensures waiting: class_waiting(class, RING_NONE, RING_NONE);
    ensures steady: class_steady{Pre, Post}(class);
    ensures gone: \forall integer h; 0 <= h && \old(handle_valid(class->handles, h)) &&
      handle_index_of(h) == entry ==> handle_gone(class->handles, h);
    ensures stable: class_stable_but{Pre, Post}(class, entry);
    ensures dead: class_dead{Pre, Post}(class);
    ensures others: class_others{Pre, Post}(class);
    ensures count: class->inuse == \old(class->inuse) - 1;
    ensures less: class_counted{Pre, Post}(class, \old(handles_zspage(class->handles, entry)), -1);
    ensures off: class_off(class) == \old(class_off(class));
    ensures held: class->held == \old(class->held) - (\result ? 1 : 0);
    ensures list: \let z = \old(handles_zspage(class->handles, entry));
      class->zspages->ring.list[z] == class->first_list +
        (\result ? class->groups + CLASS_EMPTIED : class->group_of[class->zspages->inuse[z]]);
    ensures discarded: \let z = \old(handles_zspage(class->handles, entry));
      \result <==> class->zspages->inuse[z] == 0 && class->zspages->pins[z] == 0 &&
        class->zspages->locked[z] == 0;
*/
bool class_free(struct zs_class *class, uint32_t entry);

#endif
