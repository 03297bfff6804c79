/* SPDX-License-Identifier: BSD-3-Clause */
/* Expectations are literals from the two kernels' code, not a second copy of the formulas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fullness.h"

#define LOOP_CAPACITY 512

struct row {
	uint32_t inuse;
	uint32_t capacity;
	uint32_t group;
};

static void check_rows(uint32_t grouping, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t group = fullness(grouping, rows[i].inuse, rows[i].capacity);

		if (group != rows[i].group)
			fail_msg("grouping %u: %u of %u is in group %u, not %u", grouping,
				 rows[i].inuse, rows[i].capacity, group, rows[i].group);
	}
}

#define CHECK_ROWS(grouping, rows) check_rows(grouping, rows, sizeof(rows) / sizeof((rows)[0]))

static void ratio_examples(void **state)
{
	static const struct row rows[] = {
		{ 0, 1, 0 },                       /* empty */
		{ 1, 1, 11 },                      /* full at once */
		{ 1, 2, 6 },                       /* half full */
		{ 1, 3, 4 },          { 2, 3, 7 }, /* 33 %, 66 % */
		{ 1, 10, 2 },                      /* exactly 10 % is the second group */
		{ 2, 10, 3 },         { 9, 10, 10 },        { 10, 10, 11 },
		{ 1, 11, 1 }, /* 9.09 % */
		{ 1, 100, 1 },        { 9, 100, 1 },        { 10, 100, 2 },
		{ 19, 100, 2 },       { 20, 100, 3 },       { 89, 100, 9 },
		{ 90, 100, 10 },      { 99, 100, 10 },      { 100, 100, 11 },
		{ 13, 140, 1 },       { 14, 140, 2 },       { 125, 140, 9 },
		{ 126, 140, 10 },     { 139, 140, 10 },     { 140, 140, 11 },
		{ 1, 32768, 1 },      { 3276, 32768, 1 },   { 3277, 32768, 2 },
		{ 16384, 32768, 6 },  { 29491, 32768, 9 },  { 29492, 32768, 10 },
		{ 32767, 32768, 10 }, { 32768, 32768, 11 },
	};

	(void)state;
	CHECK_ROWS(ZS_RATIO, rows);
}

static void threshold_examples(void **state)
{
	static const struct row rows[] = {
		{ 0, 1, 0 },         { 1, 1, 3 },         { 1, 2, 1 },         { 2, 2, 3 },
		{ 1, 3, 1 },         { 2, 3, 1 },         { 3, 3, 3 }, /* 2 of 3: 9 / 4 is 2 */
		{ 3, 4, 1 },         { 4, 4, 3 },                      /* exactly three quarters */
		{ 3, 5, 1 },         { 4, 5, 2 },         { 5, 5, 3 }, /* the first almost full */
		{ 6, 8, 1 },         { 7, 8, 2 },         { 8, 8, 3 },         { 75, 100, 1 },
		{ 76, 100, 2 },      { 99, 100, 2 },      { 105, 140, 1 },     { 106, 140, 2 },
		{ 140, 140, 3 },     { 0, 32768, 0 },     { 24576, 32768, 1 }, { 24577, 32768, 2 },
		{ 32767, 32768, 2 }, { 32768, 32768, 3 },
	};

	(void)state;
	CHECK_ROWS(ZS_THRESHOLD, rows);
}

static void threshold_small_is_never_almost_full(void **state)
{
	(void)state;
	for (uint32_t capacity = 1; capacity <= 4; capacity++)
		for (uint32_t inuse = 0; inuse <= capacity; inuse++)
			assert_int_not_equal(fullness(ZS_THRESHOLD, inuse, capacity), 2);
}

static void exact_examples(void **state)
{
	static const struct row rows[] = {
		{ 0, 1, 0 },   { 1, 1, 1 },     { 1, 2, 1 },
		{ 0, 140, 0 }, { 77, 140, 77 }, { 32768, 32768, 32768 },
	};

	(void)state;
	CHECK_ROWS(ZS_EXACT, rows);
}

static void group_counts(void **state)
{
	(void)state;
	assert_int_equal(fullness_groups(ZS_RATIO, 1), 12);
	assert_int_equal(fullness_groups(ZS_RATIO, 32768), 12);
	assert_int_equal(fullness_groups(ZS_THRESHOLD, 1), 4);
	assert_int_equal(fullness_groups(ZS_THRESHOLD, 32768), 4);
	assert_int_equal(fullness_groups(ZS_EXACT, 1), 2);
	assert_int_equal(fullness_groups(ZS_EXACT, 32768), 32769);
}

/* First is empty and only that, last is full and only that, and never down: every n of every N. */
static void check_capacity(uint32_t grouping, uint32_t capacity)
{
	uint32_t last = fullness_groups(grouping, capacity) - 1;
	uint32_t before = 0;

	for (uint32_t inuse = 0; inuse <= capacity; inuse++) {
		uint32_t group = fullness(grouping, inuse, capacity);

		assert_true(group <= last);
		assert_true(group >= before);
		assert_int_equal(group == 0, inuse == 0);
		assert_int_equal(group == last, inuse == capacity);
		before = group;
	}
}

static void all_small_capacities(void **state)
{
	(void)state;
	for (uint32_t grouping = ZS_RATIO; grouping <= ZS_EXACT; grouping++) {
		for (uint32_t capacity = 1; capacity <= LOOP_CAPACITY; capacity++)
			check_capacity(grouping, capacity);
		check_capacity(grouping, FULLNESS_MAX_CAPACITY);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ratio_examples),
		cmocka_unit_test(threshold_examples),
		cmocka_unit_test(threshold_small_is_never_almost_full),
		cmocka_unit_test(exact_examples),
		cmocka_unit_test(group_counts),
		cmocka_unit_test(all_small_capacities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
