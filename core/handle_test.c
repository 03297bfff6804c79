/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "handle.h"

enum { ENTRIES = 5, BATCH = 2, RETIRED = 3, TAG = 1 };

static uint64_t entry[ENTRIES];
static struct handles handles;
static struct handle_stack stack;

static int fresh(void **state)
{
	(void)state;
	handles = (struct handles){
		.entry = entry, .max = ENTRIES, .batch = BATCH, .retired = RETIRED, .tag = TAG
	};
	stack = (struct handle_stack){ HANDLE_NONE };
	return 0;
}

static void assert_at(zs_handle handle, uint32_t zspage, uint32_t slot)
{
	uint64_t word;

	assert_int_equal(handle_resolve(&handles, handle, &word), ZS_OK);
	assert_int_equal(word, entry[handle_index(handle)]);
	assert_int_equal(entry_zspage(word), zspage);
	assert_int_equal(entry_slot(word), slot);
}

static void assert_refused(zs_handle handle, int error)
{
	uint64_t word = 12345;

	assert_int_equal(handle_resolve(&handles, handle, &word), error);
	assert_int_equal(word, 12345);
}

static void names_a_place_until_killed(void **state)
{
	uint32_t i = handle_take(&handles, &stack, 268435455, 32767);
	zs_handle handle = handle_of(&handles, i);

	(void)state;
	assert_int_not_equal(handle, 0);
	assert_at(handle, 268435455, 32767);
	handle_move(&handles, i, 7, 0);
	assert_at(handle, 7, 0);
	assert_false(handle_kill(&handles, &stack, i));
	assert_refused(handle, ZS_ESTALE);
}

static void wrong_handles_are_refused(void **state)
{
	zs_handle handle = handle_of(&handles, handle_take(&handles, &stack, 7, 1));

	(void)state;
	assert_refused(0, ZS_EINVAL);
	assert_refused(handle ^ 1ull << 52, ZS_EINVAL); /* another tag */
	assert_refused(handle + ENTRIES, ZS_EINVAL);    /* an entry never given */
	assert_refused(handle ^ 1ull << 32, ZS_ESTALE); /* another generation */
	assert_refused(handle + 1, ZS_ESTALE);          /* an entry that is free */
	assert_refused(UINT64_MAX, ZS_EINVAL);
}

static void a_generation_is_issued_once(void **state)
{
	uint32_t i = handle_take(&handles, &stack, 7, 1);
	zs_handle first = handle_of(&handles, i), second;

	(void)state;
	handle_kill(&handles, &stack, i);
	assert_int_equal(handle_take(&handles, &stack, 7, 1), i);
	second = handle_of(&handles, i);
	assert_int_not_equal(first, second);
	assert_refused(first, ZS_ESTALE);
	assert_true(handle_kill(&handles, &stack, i)); /* generations 1 and 2 are used up */
	assert_refused(second, ZS_ESTALE);
	assert_int_not_equal(handle_take(&handles, &stack, 7, 1), i);
}

static void entries_run_out(void **state)
{
	(void)state;
	for (uint32_t n = 0; n < ENTRIES; n++) {
		assert_true(handle_ready(&handles, &stack));
		assert_int_equal(handle_take(&handles, &stack, n, n), n);
	}
	assert_false(handle_ready(&handles, &stack));
	handle_kill(&handles, &stack, 3);
	assert_true(handle_ready(&handles, &stack));
	assert_int_equal(handle_take(&handles, &stack, 9, 9), 3);
	assert_false(handle_ready(&handles, &stack));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(names_a_place_until_killed, fresh),
		cmocka_unit_test_setup(wrong_handles_are_refused, fresh),
		cmocka_unit_test_setup(a_generation_is_issued_once, fresh),
		cmocka_unit_test_setup(entries_run_out, fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
