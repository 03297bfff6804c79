/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * geometry - what a pool's parameters make of sizes: classes, chain lengths, slot addresses.
 *
 * All of it is worked out once, when a pool is made; nothing here runs on the way of an allocation
 * but geometry_class_of. Pure functions: no state, safe from any thread. Sizes are bytes. A
 * geometry is *right* if geometry_complaint returns NULL for it, which every other function
 * requires.
 */
#ifndef GEOMETRY_H
#define GEOMETRY_H

#include "zs.h"

#define GEOMETRY_CLASSES 257    /* most logical classes */
#define GEOMETRY_CAPACITY 32768 /* most objects of a zspage */
#define GEOMETRY_CHAIN 16       /* most pages of a zspage */

/* One class that is left after merging. */
struct geometry_class {
	uint32_t index;    /* the highest logical class merged into it */
	uint32_t size;     /* of a slot */
	uint32_t pages;    /* of a zspage */
	uint32_t capacity; /* objects of a zspage, 1 .. GEOMETRY_CAPACITY */
};

/*@
#include "geometry.acsl"
*/

/* NULL, or one sentence naming the field that is out of range. O(1). */
/*@ requires \valid_read(geometry);
    terminates \true;
    assigns \nothing;
    ensures right: \result == \null <==> right(*geometry);
*/
const char *geometry_complaint(const struct zs_geometry *geometry);

/* Number of logical classes, 1 .. 257 (kernel: ZS_SIZE_CLASSES). */
/*@ requires \valid_read(geometry) && right_sizes(*geometry);
    terminates \true;
    assigns \nothing;
    ensures count: \result == class_count(*geometry);
    ensures last: class_size(*geometry, \result - 1) == geometry->page_size;
    ensures first: 1 < \result ==> class_size(*geometry, \result - 2) < geometry->page_size;
    ensures range: 1 <= \result <= 8192;
*/
uint32_t geometry_classes(const struct zs_geometry *geometry);

/* Slot size of logical class i < geometry_classes; min_size .. page_size. */
/*@ requires \valid_read(geometry) && i < GEOMETRY_CLASSES;
    requires geometry->min_size <= geometry->page_size <= 65536 && geometry->class_step <= 65536;
    terminates \true;
    assigns \nothing;
    ensures size: \result == class_size(*geometry, i);
    ensures range: geometry->min_size <= \result <= geometry->page_size;
*/
uint32_t geometry_class_size(const struct zs_geometry *geometry, uint32_t i);

/*
 * Logical class for size bytes of slot, header included; any size (kernel: get_size_class_index).
 * O(1).
 */
/*@ requires \valid_read(geometry) && right_sizes(*geometry);
    terminates \true;
    assigns \nothing;
    ensures range: \result < class_count(*geometry);
    ensures fits: size <= geometry->page_size ==> size <= class_size(*geometry, \result);
    ensures smallest: 0 < \result ==> class_size(*geometry, \result - 1) < size;
    ensures large: geometry->page_size <= size ==> \result == class_count(*geometry) - 1;
*/
uint32_t geometry_class_of(const struct zs_geometry *geometry, size_t size);

/*
 * Pages of a zspage with slots of this size, 1 .. chain. Source: calculate_zspage_chain_size
 * (6.12) and get_pages_per_zspage (6.1). O(chain).
 */
/*@ requires \valid_read(geometry) && right(*geometry) && 0 < size <= geometry->page_size;
    terminates \true;
    assigns \nothing;
    ensures range: 1 <= \result <= geometry->chain;
    ensures chain: is_chain(*geometry, size, \result);
    ensures power: geometry->chain_rule == ZS_LEAST_WASTE && power_of_two(size) ==> \result == 1;
*/
uint32_t geometry_chain(const struct zs_geometry *geometry, uint32_t size);

/*
 * True for a class whose object has a page for itself; its slot has no header (kernel:
 * ZsHugePage).
 */
/*@ requires \valid_read(class);
    terminates \true;
    assigns \nothing;
    ensures \result <==> class->pages == 1 && class->capacity == 1;
*/
static inline bool geometry_huge(const struct geometry_class *class)
{
	return class->pages == 1 && class->capacity == 1;
}

/*
 * Fills table with the classes left after merging, smallest size first, and class_of[i] with the
 * position in table of logical class i, for all geometry_classes. Both hold GEOMETRY_CLASSES.
 * Returns the number of classes. Source: zs_create_pool (6.12). O(classes * chain).
 */
/*@ requires \valid_read(geometry) && right(*geometry);
    requires \valid(table + (0 .. GEOMETRY_CLASSES - 1));
    requires \valid(class_of + (0 .. GEOMETRY_CLASSES - 1));
    requires \separated(geometry, table + (0 .. GEOMETRY_CLASSES - 1),
                        class_of + (0 .. GEOMETRY_CLASSES - 1));
    terminates \true;
    assigns table[0 .. class_count(*geometry) - 1], class_of[0 .. class_count(*geometry) - 1];
    ensures count: 1 <= \result <= GEOMETRY_CLASSES;
    ensures entries: entries(*geometry, table, class_count(*geometry), \result);
    ensures ascending: ascending_entries(table, \result);
    ensures unlike: unlike_neighbours(table, \result);
    ensures positions: positions(table, class_of, class_count(*geometry), \result);
    ensures order: in_order(class_of, class_count(*geometry));
    ensures alike: merged_alike(*geometry, table, class_of, class_count(*geometry));
    ensures big: big_enough(*geometry, table, class_of, class_count(*geometry));
    ensures own: own_entries(table, class_of, \result);
*/
uint32_t geometry_merge(const struct zs_geometry *geometry, struct geometry_class *table,
			uint16_t *class_of);

/*
 * The slot tables of a class: page[s] and offset[s] say where slot s begins, its header left out.
 * By addition, no division: the next slot is size further on. Each holds class->capacity.
 * O(capacity).
 */
/*@ requires \valid_read(geometry) && right(*geometry);
    requires \valid_read(class) && class_range(*geometry, *class);
    requires \valid(page + (0 .. class->capacity - 1));
    requires \valid(offset + (0 .. class->capacity - 1));
    terminates \true;
    assigns page[0 .. class->capacity - 1], offset[0 .. class->capacity - 1];
    ensures slots: slots(*geometry, *class, page, offset, class->capacity);
*/
void geometry_slots(const struct zs_geometry *geometry, const struct geometry_class *class,
		    int8_t *page, uint16_t *offset);

#endif
