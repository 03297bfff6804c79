/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * class - one size class: malloc and free on its zspages.
 *
 * The caller holds the class's lock and keeps the ranges; nothing calls out. O(1) unless said.
 */
#ifndef CLASS_H
#define CLASS_H

#include "held.h"

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
bool class_free(struct zs_class *class, uint32_t entry);

#endif
