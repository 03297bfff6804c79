/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zspages - what a size class is made of: its record, and columns with those of all zspages.
 *
 * A zspage is a number: its record in columns shared by the classes of a pool. A record, and the
 * row of slots and of page table that goes with it, is made for one class and stays with it;
 * zspage `z` of a class is *held* while it is on one of the class's group lists, or taken off for
 * a moment by compaction. Otherwise it waits: emptied, for its pages to be collected; or spare,
 * for the next zspage.
 *
 * Everything here is guarded by the class's lock, except pins and handle entries (sync.h), and
 * lies in memory that is given.
 */
#ifndef ZSPAGES_H
#define ZSPAGES_H

#include "handle.h"
#include "object.h"
#include "ring.h"

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
	int64_t moved;            /* objects, by compaction; of a type of its own for the proof */
	int64_t copies;           /* pieces copied for these */
	uint64_t compacted;       /* pages, by compaction */
	uint64_t retired;         /* handle entries */
};

/*@
#include "memory.acsl"
*/

/* True if the zspage must keep its pages though it is empty: a window is open or a page locked. */
static inline bool zspage_is_kept(const struct zspages *all, uint32_t z)
{
	return sync_count(&all->pins[z]) != 0 || all->locked[z] != 0;
}

/* A zspage's row of the page table. */
static inline const uint64_t *zspage_pages(const struct zspages *all, uint32_t z)
{
	return all->page + all->page_row[z];
}

#endif
