/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * choice_test - what the tests of malloc's and compaction's choices share: a pool, and zspages of
 * one of its classes that are called 'A', 'B', .. in the order in which they were made and filled.
 *
 * A list is written as its zspages' letters, first one first. zs_check runs with every compaction.
 */
#ifndef CHOICE_TEST_H
#define CHOICE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "zs.h"

enum { MOST_ZSPAGES = 16, MOST_OBJECTS = 2 * 8192 };

static struct zs_pool *pool;
static uint32_t class_index, capacity, zspages;
static zs_handle handle[MOST_OBJECTS]; /* by zspage and slot at first, see object_at */
static uint32_t number[MOST_ZSPAGES];

static inline uint32_t object_at(char zspage, uint32_t slot)
{
	return (uint32_t)(zspage - 'A') * capacity + slot;
}

static inline struct zs_location location_of(uint32_t object)
{
	struct zs_location location;

	assert_int_equal(zs_locate(pool, handle[object], &location), ZS_OK);
	return location;
}

static inline char letter_of(uint32_t zspage)
{
	for (uint32_t z = 0; z < zspages; z++)
		if (number[z] == zspage)
			return (char)('A' + z);
	return '?';
}

/* The zspage that an object is in now. */
static inline char where(uint32_t object)
{
	return letter_of(location_of(object).zspage);
}

static inline struct zs_class_stats class_stats(void)
{
	struct zs_class_stats stats;

	assert_int_equal(zs_class_stats(pool, class_index, &stats, sizeof(stats)), ZS_OK);
	return stats;
}

/* Makes a pool with so many full zspages of the class of a size; an object holds its number. */
static inline void make_pool(const struct zs_config *config, uint32_t size, uint32_t count)
{
	assert_int_equal(zs_pool_create(config, &pool), ZS_OK);
	class_index = zs_lookup_class_index(pool, size);
	capacity = class_stats().objs_per_zspage;
	zspages = count;
	assert_in_range(count * capacity, 1, MOST_OBJECTS);
	for (uint32_t i = 0; i < count * capacity; i++) {
		assert_int_equal(zs_malloc(pool, size, &handle[i]), ZS_OK);
		assert_int_equal(zs_write(pool, handle[i], &i, sizeof(i)), ZS_OK);
		number[i / capacity] = location_of(i).zspage;
		assert_int_equal(location_of(i).slot, i % capacity);
	}
}

/* The same with n objects a zspage, which is a 4096-byte page: their size is a multiple of 16. */
static inline void make(uint32_t grouping, uint32_t algorithm, uint32_t n, uint32_t count)
{
	struct zs_config config;

	zs_config_init(&config, ZS_NATIVE);
	config.geometry.chain = 1;
	config.grouping = grouping;
	config.algorithm = algorithm;
	make_pool(&config, 4096 / n / 16 * 16, count);
	assert_int_equal(capacity, n);
}

static inline void end(void)
{
	assert_int_equal(zs_pool_destroy(pool), ZS_OK);
}

static inline void drop(char zspage, uint32_t slot)
{
	assert_int_equal(zs_free(pool, handle[object_at(zspage, slot)]), ZS_OK);
}

/* Leaves a full zspage with so many objects, the ones in its first slots. */
static inline void leave(char zspage, uint32_t objects)
{
	for (uint32_t s = objects; s < capacity; s++)
		drop(zspage, s);
}

/* The next object goes into this slot. */
static inline void assert_next(char zspage, uint32_t slot)
{
	zs_handle *next = &handle[object_at(zspage, slot)];

	assert_int_equal(zs_malloc(pool, class_stats().size, next), ZS_OK);
	assert_int_equal(where(object_at(zspage, slot)), zspage);
	assert_int_equal(location_of(object_at(zspage, slot)).slot, slot);
}

static inline void assert_list(uint32_t group, const char *letters)
{
	char list[MOST_ZSPAGES + 1] = "";
	uint32_t z = zs_group_first(pool, class_index, group), count = 0;

	for (; z != ZS_NONE && count < MOST_ZSPAGES; z = zs_group_next(pool, z))
		list[count++] = letter_of(z);
	assert_string_equal(list, letters);
	assert_int_equal(zs_group_size(pool, class_index, group), count);
}

static inline void assert_content(uint32_t object)
{
	uint32_t local, content;
	struct zs_view view;

	assert_int_equal(zs_read_begin(pool, handle[object], sizeof(local), &local, &view), ZS_OK);
	memcpy(&content, view.data, sizeof(content));
	assert_int_equal(content, object);
	assert_int_equal(zs_read_end(pool, &view), ZS_OK);
}

/* Compaction frees so many zspages and moves so many objects. */
static inline void assert_compacts(uint32_t freed, uint32_t moves)
{
	uint64_t moved = class_stats().objs_moved, pages = 0;
	struct zs_broken broken = { "none", 0 };

	assert_int_equal(zs_compact_class(pool, class_index, &pages), ZS_OK);
	assert_int_equal(pages, freed * class_stats().pages_per_zspage);
	assert_int_equal(class_stats().objs_moved - moved, moves);
	zs_check(pool, &broken);
	assert_string_equal(broken.invariant, "none");
}

#endif
