/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of measure: the bound against counting by hand, and the algorithms against the bound. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "measure.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void bound_by_hand(void **state)
{
	uint32_t mixed[] = { 3, 16, 0, 10, 7, 1 }; /* 37 objects of 16 a zspage: 3 zspages stay */
	uint32_t full[] = { 4, 4, 4 };
	uint32_t ones[] = { 1, 1, 1, 1, 1 };
	uint32_t exact[] = { 1, 3, 2, 2 }; /* 8 of 4: exactly 2 stay */
	struct bound bound;

	(void)state;
	bound = bound_of(mixed, COUNT(mixed), 16);
	assert_int_equal(bound.zspages, 3);
	assert_int_equal(bound.moves, 3 + 1);
	bound = bound_of(full, COUNT(full), 4);
	assert_int_equal(bound.zspages, 3);
	assert_int_equal(bound.moves, 0);
	bound = bound_of(ones, COUNT(ones), 4);
	assert_int_equal(bound.zspages, 2);
	assert_int_equal(bound.moves, 3);
	bound = bound_of(exact, COUNT(exact), 4);
	assert_int_equal(bound.zspages, 2);
	assert_int_equal(bound.moves, 1 + 2);
	bound = bound_of(full, 0, 4);
	assert_int_equal(bound.zspages, 0);
	assert_int_equal(bound.moves, 0);
}

/* A pool whose class of 1024 bytes (4 a zspage) has zspages with 1, 2, 3 and 4 objects. */
static void *staircase(uint32_t algorithm)
{
	zs_handle handles[16];
	struct zs_config config;
	void *pool;

	zs_config_init(&config, ZS_KERNEL_6_12);
	config.max_pages = 64;
	config.algorithm = algorithm;
	assert_int_equal(backend_core.create(&config, &pool), ZS_OK);
	for (uint32_t i = 0; i < COUNT(handles); i++)
		assert_int_equal(backend_core.malloc(pool, 1016, &handles[i]), ZS_OK);
	for (uint32_t i = 0; i < COUNT(handles); i++)
		if (i % 4 > i / 4)
			assert_int_equal(backend_core.free(pool, handles[i]), ZS_OK);
	return pool;
}

static void one_class(void **state)
{
	static const uint32_t before[] = { 1, 2, 3, 4 }, after[] = { 0, 2, 4, 4 };
	void *pool = staircase(ZS_OPTIMAL);
	struct measure measure;
	const char *why;

	(void)state;
	assert_int_equal(measure_class(&backend_core, pool,
				       backend_core.lookup_class_index(pool, 1016), &measure, &why),
			 0);
	assert_int_equal(measure.class.size, 1024);
	assert_int_equal(measure.class.objs_inuse, 10);
	assert_int_equal(measure.bound.zspages, 3);
	assert_int_equal(measure.bound.moves, 1);
	assert_int_equal(measure.moves, 1);
	assert_int_equal(measure.copies, 1);
	assert_int_equal(measure.bytes, 1016);
	assert_int_equal(measure.zspages_left, 3);
	assert_int_equal(measure.pages_freed, 1);
	assert_memory_equal(measure.before, before, sizeof(before));
	assert_memory_equal(measure.after, after, sizeof(after));
	measure_end(&measure);
	assert_int_equal(backend_core.destroy(pool), ZS_OK);
}

static void no_class(void **state)
{
	void *pool = staircase(ZS_SOURCE);
	struct measure measure;
	const char *why;

	(void)state;
	assert_int_equal(measure_class(&backend_core, pool, 1000, &measure, &why), -1);
	assert_string_equal(why, "the class has no statistics");
	assert_null(measure.before);
	assert_int_equal(backend_core.destroy(pool), ZS_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bound_by_hand),
		cmocka_unit_test(one_class),
		cmocka_unit_test(no_class),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
