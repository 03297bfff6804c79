/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "slots.h"

enum { CAPACITY = 5 };

static int16_t at[CAPACITY], pos[CAPACITY];

static int fresh(void **state)
{
	(void)state;
	slots_init(at, pos, CAPACITY);
	return 0;
}

static void assert_inverse(void)
{
	for (uint32_t i = 0; i < CAPACITY; i++) {
		assert_in_range(at[i], 0, CAPACITY - 1);
		assert_int_equal(pos[at[i]], i);
	}
}

static void a_new_zspage_ascends(void **state)
{
	(void)state;
	for (uint32_t inuse = 0; inuse < CAPACITY; inuse++)
		assert_int_equal(slots_alloc(at, inuse), inuse);
}

static void last_freed_is_first_used(void **state)
{
	(void)state;
	slots_free(at, pos, 5, 1);
	slots_free(at, pos, 4, 3);
	slots_free(at, pos, 3, 0);
	assert_inverse();
	assert_int_equal(slots_alloc(at, 2), 0);
	assert_int_equal(slots_alloc(at, 3), 3);
	assert_int_equal(slots_alloc(at, 4), 1);
}

/*
 * Every sequence of 7 operations from the empty set, against a list kept as the kernel keeps it.
 */
static void every_short_sequence(void **state)
{
	(void)state;
	for (uint32_t code = 0; code < 6 * 6 * 6 * 6 * 6 * 6 * 6; code++) {
		uint32_t free_list[CAPACITY] = { 4, 3, 2, 1, 0 }, inuse = 0;
		bool live[CAPACITY] = { false };

		slots_init(at, pos, CAPACITY);
		for (uint32_t rest = code, step = 0; step < 7; step++, rest /= 6) {
			uint32_t slot = rest % 6;

			if (slot == CAPACITY && inuse < CAPACITY) {
				slot = slots_alloc(at, inuse);
				assert_int_equal(slot, free_list[CAPACITY - 1 - inuse]);
				live[slot] = true;
				inuse++;
			} else if (slot < CAPACITY && live[slot]) {
				slots_free(at, pos, inuse, slot);
				live[slot] = false;
				inuse--;
				free_list[CAPACITY - 1 - inuse] = slot;
			}
			for (uint32_t s = 0; s < CAPACITY; s++)
				assert_int_equal(slots_live(pos, inuse, s), live[s]);
			assert_inverse();
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_new_zspage_ascends, fresh),
		cmocka_unit_test_setup(last_freed_is_first_used, fresh),
		cmocka_unit_test(every_short_sequence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
