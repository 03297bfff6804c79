/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * compact - empties zspages of a class into others, so that their pages can go back.
 *
 * Guarded by the class's lock. Emptied zspages are left on the class's list of emptied ones: the
 * caller collects their pages once the lock is dropped.
 */
#ifndef COMPACT_H
#define COMPACT_H

#include "class.h"

/*
 * Zspages that compaction could free: unused slots / capacity. Source: zs_can_compact (6.12).
 * O(1).
 */
uint64_t compact_zspages(const struct zs_class *class);

/*
 * Destination algorithm, as zs.h says at zs_compact. Returns the pages of the zspages emptied,
 * those that must be kept included. O(zspages + objects moved * size).
 */
uint64_t compact_destination(struct zs_class *class);

#endif
