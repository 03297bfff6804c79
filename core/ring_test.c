/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ring.h"

enum { HEADS = 3, RECORDS = 10 };

static uint32_t next[RECORDS], prev[RECORDS];
static int32_t list[RECORDS];
static uint64_t count[HEADS];
static struct ring ring = { next, prev, list, count, HEADS, 0 };

static int fresh(void **state)
{
	(void)state;
	ring_init(&ring);
	for (uint32_t i = HEADS; i < RECORDS; i++)
		assert_int_equal(ring_make(&ring), i);
	return 0;
}

static void assert_list(uint32_t head, const uint32_t *expected, uint32_t n)
{
	uint32_t at = head;

	assert_int_equal(count[head], n);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(next[at], expected[i]);
		assert_int_equal(prev[expected[i]], at);
		assert_int_equal(ring_list(&ring, expected[i]), head);
		at = expected[i];
	}
	assert_int_equal(next[at], head);
	assert_int_equal(prev[head], at);
}

#define ASSERT_LIST(head, ...)                         \
	assert_list(head, (uint32_t[]){ __VA_ARGS__ }, \
		    sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

static void starts_empty(void **state)
{
	(void)state;
	for (uint32_t head = 0; head < HEADS; head++) {
		assert_list(head, NULL, 0);
		assert_int_equal(ring_first(&ring, head), head);
	}
}

static void last_added_is_first(void **state)
{
	(void)state;
	ring_add(&ring, 1, 5);
	ring_add(&ring, 1, 7);
	ring_add(&ring, 2, 4);
	ring_add(&ring, 1, 6);
	ASSERT_LIST(1, 6, 7, 5);
	ASSERT_LIST(2, 4);
	assert_int_equal(ring_first(&ring, 1), 6);
	assert_list(0, NULL, 0);
}

static void removal_keeps_the_order(void **state)
{
	(void)state;
	for (uint32_t i = HEADS; i < RECORDS; i++)
		ring_add(&ring, 0, i);
	ring_del(&ring, 6); /* in the middle */
	ASSERT_LIST(0, 9, 8, 7, 5, 4, 3);
	ring_del(&ring, 9); /* the first */
	ring_del(&ring, 3); /* the last */
	ASSERT_LIST(0, 8, 7, 5, 4);
	assert_int_equal(ring_list(&ring, 6), RING_NONE);
	ring_add(&ring, 2, 6);
	ASSERT_LIST(2, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(starts_empty, fresh),
		cmocka_unit_test_setup(last_added_is_first, fresh),
		cmocka_unit_test_setup(removal_keeps_the_order, fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
