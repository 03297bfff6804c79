/* SPDX-License-Identifier: BSD-3-Clause */
/* The three groupings: which list a zspage is on, where on it, and what malloc makes of that. */
#include "choice_test.h"

/* ---- threshold ------------------------------------------------------------------------------ */

/* Up to 4 objects a zspage all that is partial is almost empty: group 2 is never reached. */
static void threshold_small_is_almost_empty(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= 4; n++) {
		make(ZS_THRESHOLD, ZS_SOURCE, n, 3);
		assert_int_equal(class_stats().groups, 4);
		leave('A', n - 1);
		leave('B', 1);
		assert_list(1, "BA");
		assert_list(2, "");
		assert_list(3, "C");
		end();
	}
}

static void threshold_five_can_be_almost_full(void **state)
{
	(void)state;
	make(ZS_THRESHOLD, ZS_DESTINATION, 5, 4);
	leave('A', 4);
	leave('B', 3);
	leave('C', 4);
	assert_list(1, "B");
	assert_list(2, "CA");
	assert_list(3, "D");
	assert_next('C', 4);
	assert_next('A', 4);
	assert_next('B', 4);
	assert_next('B', 3);
	end();
}

/* A compaction that frees nothing puts its source back: behind the head if that has more in use. */
static void threshold_fuller_head_stays_first(void **state)
{
	(void)state;
	make(ZS_THRESHOLD, ZS_SOURCE, 8, 3);
	leave('C', 6);
	leave('B', 6);
	leave('A', 5);
	assert_list(1, "ABC");
	assert_compacts(0, 0);
	assert_list(1, "BAC");
	assert_next('B', 7);
	assert_list(1, "AC");
	assert_list(2, "B");
	end();
}

static void threshold_equal_head_does_not(void **state)
{
	(void)state;
	make(ZS_THRESHOLD, ZS_SOURCE, 8, 3);
	leave('C', 6);
	leave('B', 6);
	leave('A', 6);
	assert_list(1, "ABC");
	assert_compacts(0, 0);
	assert_list(1, "ABC");
	end();
}

/* The same under ratio, where 41 and 45 of 64 are group 7: always the head. */
static void ratio_has_no_such_rule(void **state)
{
	(void)state;
	make(ZS_RATIO, ZS_SOURCE, 64, 2);
	leave('B', 44);
	leave('A', 41);
	assert_list(7, "AB");
	assert_compacts(0, 0);
	assert_list(7, "AB");
	end();
}

/* ---- exact ---------------------------------------------------------------------------------- */

static void exact_has_a_group_a_count(void **state)
{
	(void)state;
	make(ZS_EXACT, ZS_DESTINATION, 8, 5);
	assert_int_equal(class_stats().groups, 9);
	leave('A', 1);
	leave('B', 3);
	leave('C', 2);
	leave('D', 3);
	assert_list(1, "A");
	assert_list(2, "C");
	assert_list(3, "DB");
	assert_list(8, "E");
	assert_int_equal(zs_group_first(pool, class_index, 9), ZS_NONE);
	assert_next('D', 7);
	assert_list(4, "D");
	assert_list(3, "B");
	assert_next('D', 6);
	end();
}

/* One object a zspage: empty or full, nothing between, so nothing to compact. */
static void exact_of_one_object(void **state)
{
	(void)state;
	for (uint32_t algorithm = ZS_DESTINATION; algorithm <= ZS_OPTIMAL; algorithm++) {
		make(ZS_EXACT, algorithm, 1, 3);
		assert_int_equal(class_stats().groups, 2);
		assert_list(1, "CBA");
		leave('B', 0);
		assert_list(0, "");
		assert_list(1, "CA");
		assert_compacts(0, 0);
		assert_list(1, "CA");
		end();
	}
}

static void exact_of_two_objects(void **state)
{
	(void)state;
	for (uint32_t algorithm = ZS_DESTINATION; algorithm <= ZS_OPTIMAL; algorithm++) {
		make(ZS_EXACT, algorithm, 2, 4);
		assert_int_equal(class_stats().groups, 3);
		leave('A', 1);
		leave('B', 1);
		leave('C', 1);
		assert_list(1, "CBA");
		assert_list(2, "D");
		assert_compacts(1, 1);
		assert_list(1, "A");
		assert_int_equal(where(object_at('B', 0)), where(object_at('C', 0)));
		end();
	}
}

/* 8-byte slots of 64 KiB pages: 8192 a zspage, the most that a geometry gives. */
static struct zs_config many_objects(uint32_t grouping)
{
	struct zs_config config;

	zs_config_init(&config, ZS_NATIVE);
	config.geometry.page_size = 65536;
	config.geometry.min_size = 8;
	config.geometry.class_step = 264;
	config.geometry.chain = 4;
	config.grouping = grouping;
	return config;
}

static void exact_of_many_objects(void **state)
{
	struct zs_config config = many_objects(ZS_EXACT);

	(void)state;
	make_pool(&config, 8, 2);
	assert_int_equal(capacity, 8192);
	assert_int_equal(class_stats().groups, 8193);
	assert_list(8192, "BA");
	leave('A', 8191);
	assert_list(8191, "A");
	assert_next('A', 8191);
	leave('A', 64);
	assert_list(64, "A");
	leave('B', 8128);
	assert_list(8128, "B");
	assert_next('B', 8191);
	assert_list(8129, "B");
	drop('B', 8191);
	assert_compacts(1, 64);
	assert_list(8192, "B");
	assert_list(0, "");
	assert_int_equal(zs_class_compactable(pool, class_index), 0);
	end();
}

/* The lists of all those groups cost less than the records of 64 Ki zspages: 35 bytes a head. */
static void exact_footprint_is_that_of_its_lists(void **state)
{
	struct zs_config ratio = many_objects(ZS_RATIO), exact = many_objects(ZS_EXACT);
	size_t less, more, arena;

	(void)state;
	assert_int_equal(zs_pool_footprint(&ratio, &less, &arena), ZS_OK);
	assert_int_equal(zs_pool_footprint(&exact, &more, &arena), ZS_OK);
	assert_in_range(more - less, 8192 * 35, 65536 * 35);
}

/* ---- all ------------------------------------------------------------------------------------ */

/* An emptied zspage with a locked page is in group 0 and the last that malloc takes. */
static void a_waiting_zspage_is_taken_last(void **state)
{
	struct zs_page_ref page;

	(void)state;
	for (uint32_t grouping = ZS_RATIO; grouping <= ZS_EXACT; grouping++) {
		make(grouping, ZS_DESTINATION, 4, 3);
		assert_int_equal(zs_page_lock(pool, handle[0], 0, &page), ZS_OK);
		leave('A', 0);
		leave('B', 3);
		assert_list(0, "A");
		assert_next('B', 3);
		assert_next('A', 3);
		assert_list(0, "");
		assert_int_equal(zs_page_unlock(pool, page), ZS_OK);
		end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threshold_small_is_almost_empty),
		cmocka_unit_test(threshold_five_can_be_almost_full),
		cmocka_unit_test(threshold_fuller_head_stays_first),
		cmocka_unit_test(threshold_equal_head_does_not),
		cmocka_unit_test(ratio_has_no_such_rule),
		cmocka_unit_test(exact_has_a_group_a_count),
		cmocka_unit_test(exact_of_one_object),
		cmocka_unit_test(exact_of_two_objects),
		cmocka_unit_test(exact_of_many_objects),
		cmocka_unit_test(exact_footprint_is_that_of_its_lists),
		cmocka_unit_test(a_waiting_zspage_is_taken_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
