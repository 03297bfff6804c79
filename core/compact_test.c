/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * malloc's and compaction's choices, told apart by the lists they leave. The class used: 1024
 * bytes of 4096-byte pages, 4 objects a zspage, so that 1, 2, 3 of 4 in use are groups 3, 6, 8
 * (25, 50, 75 %).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "zs.h"

enum { SIZE = 1024, N = 4, ZSPAGES = 5, EMPTY = 0, FULL = 11 };

static struct zs_pool *pool;
static uint32_t class_index;
static zs_handle handle[ZSPAGES * N]; /* handle[z * N + s]: slot s of the z-th zspage made */

static int fill(void **state)
{
	struct zs_config config;

	(void)state;
	zs_config_init(&config, ZS_NATIVE);
	assert_int_equal(zs_pool_create(&config, &pool), ZS_OK);
	class_index = zs_lookup_class_index(pool, SIZE);
	for (uint32_t i = 0; i < ZSPAGES * N; i++) {
		assert_int_equal(zs_malloc(pool, SIZE, &handle[i]), ZS_OK);
		assert_int_equal(zs_write(pool, handle[i], &i, sizeof(i)), ZS_OK);
	}
	return 0;
}

static int empty(void **state)
{
	(void)state;
	return zs_pool_destroy(pool);
}

static uint32_t zspage_of(uint32_t object)
{
	struct zs_location location;

	assert_int_equal(zs_locate(pool, handle[object], &location), ZS_OK);
	return location.zspage;
}

static uint32_t slot_of(uint32_t object)
{
	struct zs_location location;

	assert_int_equal(zs_locate(pool, handle[object], &location), ZS_OK);
	return location.slot;
}

/* Leaves the zspage with so many objects, the ones in its first slots. */
static void leave(uint32_t zspage, uint32_t objects)
{
	for (uint32_t s = objects; s < N; s++)
		assert_int_equal(zs_free(pool, handle[zspage * N + s]), ZS_OK);
}

static uint64_t moved(void)
{
	struct zs_pool_stats stats;
	struct zs_broken broken = { "none", 0 };

	assert_int_equal(zs_check(pool, &broken), ZS_OK);
	assert_int_equal(zs_pool_stats(pool, &stats, sizeof(stats)), ZS_OK);
	return stats.objs_moved;
}

static void assert_content(uint32_t object)
{
	uint32_t local, content;
	struct zs_view view;

	assert_int_equal(zs_read_begin(pool, handle[object], sizeof(local), &local, &view), ZS_OK);
	memcpy(&content, view.data, sizeof(content));
	assert_int_equal(content, object);
	assert_int_equal(zs_read_end(pool, &view), ZS_OK);
}

static void malloc_takes_the_fullest_with_room(void **state)
{
	(void)state;
	leave(0, 1);
	leave(1, 3);
	leave(2, 2);
	uint32_t fullest = zspage_of(1 * N), next = zspage_of(2 * N), last = zspage_of(0);
	static const uint32_t free_slots[] = { 3, 2 };

	assert_int_equal(zs_malloc(pool, SIZE, &handle[7]), ZS_OK);
	assert_int_equal(zspage_of(7), fullest);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(zs_malloc(pool, SIZE, &handle[10 + i]), ZS_OK);
		assert_int_equal(zspage_of(10 + i), next);
		assert_int_equal(slot_of(10 + i), free_slots[i]); /* last freed first */
	}
	assert_int_equal(zs_malloc(pool, SIZE, &handle[1]), ZS_OK);
	assert_int_equal(zspage_of(1), last);
}

static void a_changed_group_is_entered_at_its_head(void **state)
{
	uint32_t z[ZSPAGES];

	(void)state;
	for (uint32_t i = 0; i < ZSPAGES; i++)
		z[i] = zspage_of(i * N);
	leave(1, 2);
	leave(3, 2);
	leave(0, 2);
	assert_int_equal(zs_group_size(pool, class_index, 6), 3);
	assert_int_equal(zs_group_first(pool, class_index, 6), z[0]);
	assert_int_equal(zs_group_next(pool, z[0]), z[3]);
	assert_int_equal(zs_group_next(pool, z[3]), z[1]);
	assert_int_equal(zs_group_next(pool, z[1]), ZS_NONE);
	assert_int_equal(zs_group_size(pool, class_index, FULL), 2);
}

/* 3 + 2 + 1 + 1 objects fit in two zspages: the 3 is topped up from a 1, the 2 from the other. */
static void the_emptiest_go_into_the_fullest(void **state)
{
	(void)state;
	leave(0, 1);
	leave(1, 2);
	leave(2, 3);
	leave(3, 1);
	uint32_t three = zspage_of(2 * N), two = zspage_of(1 * N);

	assert_int_equal(zs_class_compactable(pool, class_index), 2);
	assert_int_equal(zs_compact(pool), 2);
	assert_int_equal(moved(), 2);
	assert_int_equal(zspage_of(3 * N), three); /* freed from last, so first on its list */
	assert_int_equal(zspage_of(0), two);
	for (uint32_t i = 0; i < 2; i++)
		assert_content(i * N);
	assert_content(3 * N);
	assert_int_equal(zs_compact(pool), 0);
	assert_int_equal(moved(), 2);
}

/* Below a tenth is group 1, which takes more than 10 objects a zspage: 32 of 128 bytes. */
static void a_lone_survivor_is_a_source(void **state)
{
	zs_handle small[64];

	(void)state;
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(zs_malloc(pool, 128, &small[i]), ZS_OK);
	for (uint32_t i = 1; i < 40; i++)
		assert_int_equal(zs_free(pool, small[i]), ZS_OK);
	assert_int_equal(zs_group_size(pool, zs_lookup_class_index(pool, 128), 1), 1);
	assert_int_equal(zs_compact(pool), 1);
	assert_int_equal(moved(), 1);
}

static void a_pinned_zspage_is_no_source(void **state)
{
	struct zs_view view;
	uint32_t local;

	(void)state;
	leave(0, 1);
	leave(1, 2);
	assert_int_equal(zs_read_begin(pool, handle[0], sizeof(local), &local, &view), ZS_OK);
	assert_int_equal(zs_compact(pool), 0); /* the 2 is the destination, the 1 can't move */
	assert_int_equal(moved(), 0);
	assert_int_equal(zs_read_end(pool, &view), ZS_OK);
	assert_int_equal(zs_compact(pool), 1);
	assert_int_equal(moved(), 1);
}

/* reference: an empty zspage with a locked page inflates what compaction thinks it can free. */
static void an_empty_locked_zspage_waits(void **state)
{
	struct zs_page_ref page;

	(void)state;
	assert_int_equal(zs_page_lock(pool, handle[0], 0, &page), ZS_OK);
	leave(0, 0);
	leave(1, 3);
	leave(2, 2);
	assert_int_equal(zs_group_first(pool, class_index, EMPTY), page.zspage);
	assert_int_equal(zs_get_total_pages(pool), ZSPAGES);
	assert_int_equal(zs_compact(pool), 0);
	assert_int_equal(moved(), 1);
	assert_int_equal(zs_page_unlock(pool, page), ZS_OK);
	assert_int_equal(zs_get_total_pages(pool), ZSPAGES - 1);
	assert_int_equal(moved(), 1);
}

static void malloc_revives_a_waiting_zspage(void **state)
{
	struct zs_page_ref page;

	(void)state;
	assert_int_equal(zs_page_lock(pool, handle[0], 0, &page), ZS_OK);
	leave(0, 0);
	assert_int_equal(zs_malloc(pool, SIZE, &handle[0]), ZS_OK);
	assert_int_equal(zspage_of(0), page.zspage);
	assert_int_equal(zs_page_unlock(pool, page), ZS_OK);
	assert_int_equal(zs_get_total_pages(pool), ZSPAGES);
	assert_int_equal(moved(), 0);
}

/* A source emptied while one of its pages is locked is counted, but kept. */
static void a_locked_source_is_counted_and_kept(void **state)
{
	struct zs_page_ref page;

	(void)state;
	leave(0, 1);
	leave(1, 3);
	assert_int_equal(zs_page_lock(pool, handle[0], 0, &page), ZS_OK);
	assert_int_equal(zs_compact(pool), 1);
	assert_int_equal(zs_get_total_pages(pool), ZSPAGES);
	assert_int_equal(zs_group_size(pool, class_index, EMPTY), 1);
	assert_int_equal(zs_page_unlock(pool, page), ZS_OK);
	assert_int_equal(zs_get_total_pages(pool), ZSPAGES - 1);
	assert_content(0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fill, empty)
	const struct CMUnitTest tests[] = {
		TEST(malloc_takes_the_fullest_with_room),
		TEST(a_changed_group_is_entered_at_its_head),
		TEST(the_emptiest_go_into_the_fullest),
		TEST(a_lone_survivor_is_a_source),
		TEST(a_pinned_zspage_is_no_source),
		TEST(an_empty_locked_zspage_waits),
		TEST(malloc_revives_a_waiting_zspage),
		TEST(a_locked_source_is_counted_and_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
