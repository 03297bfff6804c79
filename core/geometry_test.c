/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geometry_test.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static uint32_t merged(const struct zs_geometry *geometry, struct geometry_class *table)
{
	uint16_t class_of[GEOMETRY_CLASSES];

	return geometry_merge(geometry, table, class_of);
}

/* A step is page_size / 256 (ZS_SIZE_CLASS_DELTA): 255 classes at 4 KiB, 257 at 16 and 64 KiB. */
static struct zs_geometry kernel(enum zs_preset preset, uint32_t page_size)
{
	struct zs_geometry geometry;

	zs_geometry_init(&geometry, preset);
	geometry.page_size = page_size;
	geometry.class_step = page_size / 256;
	return geometry;
}

static void same_table(struct zs_geometry geometry, const struct geometry_class *expected,
		       size_t count)
{
	struct geometry_class table[GEOMETRY_CLASSES];

	assert_null(geometry_complaint(&geometry));
	assert_int_equal(merged(&geometry, table), count);
	for (size_t c = 0; c < count; c++) {
		assert_int_equal(table[c].index, expected[c].index);
		assert_int_equal(table[c].size, expected[c].size);
		assert_int_equal(table[c].pages, expected[c].pages);
		assert_int_equal(table[c].capacity, expected[c].capacity);
	}
}

static void kernel_tables(void **state)
{
	(void)state;
	assert_int_equal(COUNT(kernel_6_1), 69);
	assert_int_equal(COUNT(kernel_6_12), 119);
	same_table(kernel(ZS_KERNEL_6_1, 4096), kernel_6_1, COUNT(kernel_6_1));
	same_table(kernel(ZS_KERNEL_6_12, 4096), kernel_6_12, COUNT(kernel_6_12));
}

static void kernel_tables_of_larger_pages(void **state)
{
	(void)state;
	assert_int_equal(COUNT(kernel_6_1_16k), 70);
	assert_int_equal(COUNT(kernel_6_1_64k), 72);
	assert_int_equal(COUNT(kernel_6_12_16k), 121);
	assert_int_equal(COUNT(kernel_6_12_64k), 123);
	same_table(kernel(ZS_KERNEL_6_1, 16384), kernel_6_1_16k, COUNT(kernel_6_1_16k));
	same_table(kernel(ZS_KERNEL_6_1, 65536), kernel_6_1_64k, COUNT(kernel_6_1_64k));
	same_table(kernel(ZS_KERNEL_6_12, 16384), kernel_6_12_16k, COUNT(kernel_6_12_16k));
	same_table(kernel(ZS_KERNEL_6_12, 65536), kernel_6_12_64k, COUNT(kernel_6_12_64k));
}

/* Chain 10 of the 2023 measurements: 141 classes, 140 of them not huge. */
static void chain_of_ten(void **state)
{
	struct geometry_class table[GEOMETRY_CLASSES];
	struct zs_geometry geometry;
	uint32_t huge = 0, count;

	(void)state;
	zs_geometry_init(&geometry, ZS_KERNEL_6_12);
	geometry.chain = 10;
	count = merged(&geometry, table);
	for (uint32_t c = 0; c < count; c++)
		huge += geometry_huge(&table[c]);
	assert_int_equal(count, 141);
	assert_int_equal(huge, 1);
}

/* At chain 4 the two rules differ for class 208 only. */
static void rules_differ_at_208(void **state)
{
	struct zs_geometry old, new;

	(void)state;
	zs_geometry_init(&old, ZS_KERNEL_6_1);
	new = old;
	new.chain_rule = ZS_LEAST_WASTE;
	for (uint32_t i = 0; i < geometry_classes(&old); i++) {
		uint32_t size = geometry_class_size(&old, i);

		if (size == 208)
			assert_int_not_equal(geometry_chain(&old, size),
					     geometry_chain(&new, size));
		else
			assert_int_equal(geometry_chain(&old, size), geometry_chain(&new, size));
	}
}

static void every_size_has_the_smallest_class_that_fits(void **state)
{
	struct zs_geometry geometry;

	(void)state;
	for (int preset = ZS_NATIVE; preset <= ZS_TINY; preset++) {
		zs_geometry_init(&geometry, (enum zs_preset)preset);
		for (uint32_t size = 0; size <= geometry.page_size; size++) {
			uint32_t i = geometry_class_of(&geometry, size);

			assert_in_range(i, 0, geometry_classes(&geometry) - 1);
			assert_true(geometry_class_size(&geometry, i) >= size);
			assert_true(i == 0 || geometry_class_size(&geometry, i - 1) < size);
		}
		assert_int_equal(geometry_class_of(&geometry, SIZE_MAX),
				 geometry_classes(&geometry) - 1);
	}
}

/* The tables, filled by addition, against the formula: slot s starts at byte s * size. */
static void slots_lie_where_the_formula_says(void **state)
{
	static int8_t page[GEOMETRY_CAPACITY];
	static uint16_t offset[GEOMETRY_CAPACITY];
	struct geometry_class table[GEOMETRY_CLASSES];
	struct zs_geometry geometry;

	(void)state;
	for (int preset = ZS_NATIVE; preset <= ZS_TINY; preset++) {
		zs_geometry_init(&geometry, (enum zs_preset)preset);
		uint32_t classes = merged(&geometry, table);

		for (uint32_t c = 0; c < classes; c++) {
			uint32_t header = geometry_huge(&table[c]) ? 0 : geometry.header;

			geometry_slots(&geometry, &table[c], page, offset);
			for (uint32_t s = 0; s < table[c].capacity; s++) {
				uint32_t byte = s * table[c].size + header;

				assert_int_equal(page[s], byte / geometry.page_size);
				assert_int_equal(offset[s], byte % geometry.page_size);
			}
		}
	}
}

static void classes_are_at_most_257(void **state)
{
	struct zs_geometry geometry = kernel(ZS_KERNEL_6_12, 4096);

	(void)state;
	geometry.class_step = 8;
	geometry.min_size = 2048;
	assert_int_equal(geometry_classes(&geometry), 257);
	assert_null(geometry_complaint(&geometry));
	geometry.min_size = 2040;
	assert_int_equal(geometry_classes(&geometry), 258);
	assert_string_equal(geometry_complaint(&geometry),
			    "min_size and class_step make more than 257 classes");
}

static void wrong_geometry_is_named(void **state)
{
	struct zs_geometry good, bad;

	(void)state;
	zs_geometry_init(&good, ZS_NATIVE);
	assert_null(geometry_complaint(&good));
#define REFUSED(field, value) \
	(bad = good, bad.field = (value), assert_non_null(geometry_complaint(&bad)))
	REFUSED(page_size, 0);
	REFUSED(page_size, 4095);
	REFUSED(page_size, 131072);
	REFUSED(min_size, 0);
	REFUSED(min_size, 12);
	REFUSED(min_size, 8192);
	REFUSED(class_step, 0);
	REFUSED(class_step, 8);
	REFUSED(header, 4);
	REFUSED(chain, 0);
	REFUSED(chain, 17);
	REFUSED(chain_rule, 2);
	REFUSED(tag_bits, 1);
	REFUSED(tag_bits, 13);
	REFUSED(generation_bits, 1);
	REFUSED(generation_bits, 21);
#undef REFUSED
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_tables),
		cmocka_unit_test(kernel_tables_of_larger_pages),
		cmocka_unit_test(chain_of_ten),
		cmocka_unit_test(rules_differ_at_208),
		cmocka_unit_test(every_size_has_the_smallest_class_that_fits),
		cmocka_unit_test(slots_lie_where_the_formula_says),
		cmocka_unit_test(classes_are_at_most_257),
		cmocka_unit_test(wrong_geometry_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
