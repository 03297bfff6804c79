/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Choices under ratio grouping and the destination algorithm. With 4 objects a zspage 1, 2, 3 in
 * use are groups 3, 6, 8 (25, 50, 75 %).
 */
#include "choice_test.h"

enum { EMPTY = 0, FULL = 11 };

static int fill(void **state)
{
	(void)state;
	make(ZS_RATIO, ZS_DESTINATION, 4, 5);
	return 0;
}

static int finish(void **state)
{
	(void)state;
	end();
	return 0;
}

static void malloc_takes_the_fullest_with_room(void **state)
{
	(void)state;
	leave('A', 1);
	leave('B', 3);
	leave('C', 2);
	assert_next('B', 3);
	assert_next('C', 3); /* last freed first */
	assert_next('C', 2);
	assert_next('A', 3);
}

static void a_changed_group_is_entered_at_its_head(void **state)
{
	(void)state;
	leave('B', 2);
	leave('D', 2);
	leave('A', 2);
	assert_list(6, "ADB");
	assert_list(FULL, "EC");
}

/* 3 + 2 + 1 + 1 objects fit in two zspages: the 3 is topped up from a 1, the 2 from the other. */
static void the_emptiest_go_into_the_fullest(void **state)
{
	(void)state;
	leave('A', 1);
	leave('B', 2);
	leave('C', 3);
	leave('D', 1);
	assert_int_equal(zs_class_compactable(pool, class_index), 2);
	assert_compacts(2, 2);
	assert_int_equal(where(object_at('D', 0)), 'C'); /* freed from last, so first on its list */
	assert_int_equal(where(object_at('A', 0)), 'B');
	for (uint32_t z = 0; z < 4; z++)
		assert_content(z * capacity);
	assert_compacts(0, 0);
}

/* Below a tenth is group 1, which takes more than 10 objects a zspage. */
static void a_lone_survivor_is_a_source(void **state)
{
	(void)state;
	make(ZS_RATIO, ZS_DESTINATION, 32, 2);
	leave('A', 1);
	leave('B', 24);
	assert_list(1, "A");
	assert_compacts(1, 1);
	end();
}

static void a_pinned_zspage_is_no_source(void **state)
{
	struct zs_view view;
	uint32_t local;

	(void)state;
	leave('A', 1);
	leave('B', 2);
	assert_int_equal(zs_read_begin(pool, handle[0], sizeof(local), &local, &view), ZS_OK);
	assert_compacts(0, 0); /* the 2 is the destination, the 1 can't move */
	assert_int_equal(zs_read_end(pool, &view), ZS_OK);
	assert_compacts(1, 1);
}

/* reference: an empty zspage with a locked page inflates what compaction thinks it can free. */
static void an_empty_locked_zspage_waits(void **state)
{
	struct zs_page_ref page;

	(void)state;
	assert_int_equal(zs_page_lock(pool, handle[0], 0, &page), ZS_OK);
	leave('A', 0);
	leave('B', 3);
	leave('C', 2);
	assert_list(EMPTY, "A");
	assert_int_equal(zs_get_total_pages(pool), zspages);
	assert_compacts(0, 1);
	assert_int_equal(zs_page_unlock(pool, page), ZS_OK);
	assert_int_equal(zs_get_total_pages(pool), zspages - 1);
	assert_compacts(0, 0);
}

static void malloc_revives_a_waiting_zspage(void **state)
{
	struct zs_page_ref page;

	(void)state;
	assert_int_equal(zs_page_lock(pool, handle[0], 0, &page), ZS_OK);
	leave('A', 0);
	assert_next('A', 3);
	assert_int_equal(zs_page_unlock(pool, page), ZS_OK);
	assert_int_equal(zs_get_total_pages(pool), zspages);
	assert_compacts(0, 0);
}

/* A source emptied while one of its pages is locked is counted, but kept. */
static void a_locked_source_is_counted_and_kept(void **state)
{
	struct zs_page_ref page;

	(void)state;
	leave('A', 1);
	leave('B', 3);
	assert_int_equal(zs_page_lock(pool, handle[0], 0, &page), ZS_OK);
	assert_compacts(1, 1);
	assert_int_equal(zs_get_total_pages(pool), zspages);
	assert_list(EMPTY, "A");
	assert_int_equal(zs_page_unlock(pool, page), ZS_OK);
	assert_int_equal(zs_get_total_pages(pool), zspages - 1);
	assert_content(object_at('A', 0));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fill, finish)
	const struct CMUnitTest tests[] = {
		TEST(malloc_takes_the_fullest_with_room),
		TEST(a_changed_group_is_entered_at_its_head),
		TEST(the_emptiest_go_into_the_fullest),
		cmocka_unit_test(a_lone_survivor_is_a_source),
		TEST(a_pinned_zspage_is_no_source),
		TEST(an_empty_locked_zspage_waits),
		TEST(malloc_revives_a_waiting_zspage),
		TEST(a_locked_source_is_counted_and_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
