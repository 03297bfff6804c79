/* SPDX-License-Identifier: BSD-3-Clause */
/* bound - what the best compaction of a class comes to, found by sorting. */
#ifndef BOUND_H
#define BOUND_H

#include <stddef.h>
#include <stdint.h>

struct bound {
	uint64_t zspages; /* fewest that hold all objects */
	uint64_t moves;   /* fewest after which no other zspage holds one */
};

/*
 * inuse: the objects in each zspage of the class, in any order; in descending order afterwards.
 * objects: the slots of a zspage, not 0. O(count log count).
 */
struct bound bound_of(uint32_t *inuse, size_t count, uint32_t objects);

#endif
