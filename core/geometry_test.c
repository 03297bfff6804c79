/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables are what the class set-up of the two kernel files computes (their own functions,
 * compiled apart, 4 KiB pages): highest logical index, size, pages per zspage, objects per zspage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geometry.h"

/* clang-format off */
static const struct geometry_class kernel_6_1[] = {
	{ 0, 32, 1, 128 }, { 1, 48, 3, 256 }, { 2, 64, 1, 64 }, { 3, 80, 1, 51 },
	{ 4, 96, 3, 128 }, { 5, 112, 2, 73 }, { 6, 128, 1, 32 }, { 7, 144, 3, 85 },
	{ 8, 160, 2, 51 }, { 9, 176, 4, 93 }, { 10, 192, 3, 64 }, { 11, 208, 2, 39 },
	{ 12, 224, 4, 73 }, { 13, 240, 1, 17 }, { 14, 256, 1, 16 }, { 15, 272, 1, 15 },
	{ 16, 288, 1, 14 }, { 17, 304, 3, 40 }, { 18, 320, 4, 51 }, { 19, 336, 1, 12 },
	{ 20, 352, 2, 23 }, { 21, 368, 1, 11 }, { 22, 384, 3, 32 }, { 23, 400, 1, 10 },
	{ 24, 416, 4, 39 }, { 25, 432, 3, 28 }, { 26, 448, 1, 9 }, { 27, 464, 4, 35 },
	{ 28, 480, 2, 17 }, { 29, 496, 4, 33 }, { 30, 512, 1, 8 }, { 31, 528, 4, 31 },
	{ 32, 544, 2, 15 }, { 33, 560, 4, 29 }, { 34, 576, 1, 7 }, { 35, 592, 4, 27 },
	{ 36, 608, 3, 20 }, { 37, 624, 2, 13 }, { 38, 640, 3, 19 }, { 40, 672, 1, 6 },
	{ 42, 704, 4, 23 }, { 43, 720, 3, 17 }, { 44, 736, 2, 11 }, { 46, 768, 3, 16 },
	{ 49, 816, 1, 5 }, { 51, 848, 4, 19 }, { 52, 864, 3, 14 }, { 54, 896, 2, 9 },
	{ 57, 944, 3, 13 }, { 58, 960, 4, 17 }, { 62, 1024, 1, 4 }, { 66, 1088, 4, 15 },
	{ 67, 1104, 3, 11 }, { 71, 1168, 2, 7 }, { 74, 1216, 3, 10 }, { 76, 1248, 4, 13 },
	{ 83, 1360, 1, 3 }, { 91, 1488, 4, 11 }, { 94, 1536, 3, 8 }, { 100, 1632, 2, 5 },
	{ 107, 1744, 3, 7 }, { 111, 1808, 4, 9 }, { 126, 2048, 1, 2 }, { 144, 2336, 4, 7 },
	{ 151, 2448, 3, 5 }, { 168, 2720, 2, 3 }, { 190, 3072, 3, 4 }, { 202, 3264, 4, 5 },
	{ 254, 4096, 1, 1 },
};

static const struct geometry_class kernel_6_12[] = {
	{ 0, 32, 1, 128 }, { 1, 48, 3, 256 }, { 2, 64, 1, 64 }, { 3, 80, 5, 256 },
	{ 4, 96, 3, 128 }, { 5, 112, 7, 256 }, { 6, 128, 1, 32 }, { 7, 144, 7, 199 },
	{ 8, 160, 5, 128 }, { 9, 176, 4, 93 }, { 10, 192, 3, 64 }, { 11, 208, 3, 59 },
	{ 12, 224, 7, 128 }, { 13, 240, 1, 17 }, { 14, 256, 1, 16 }, { 15, 272, 1, 15 },
	{ 16, 288, 5, 71 }, { 17, 304, 7, 94 }, { 18, 320, 5, 64 }, { 19, 336, 6, 73 },
	{ 20, 352, 8, 93 }, { 21, 368, 8, 89 }, { 22, 384, 3, 32 }, { 23, 400, 5, 51 },
	{ 24, 416, 6, 59 }, { 25, 432, 7, 66 }, { 26, 448, 7, 64 }, { 27, 464, 5, 44 },
	{ 28, 480, 2, 17 }, { 29, 496, 4, 33 }, { 30, 512, 1, 8 }, { 31, 528, 4, 31 },
	{ 32, 544, 2, 15 }, { 33, 560, 7, 51 }, { 34, 576, 1, 7 }, { 35, 592, 8, 55 },
	{ 36, 608, 7, 47 }, { 37, 624, 2, 13 }, { 38, 640, 5, 32 }, { 39, 656, 5, 31 },
	{ 40, 672, 1, 6 }, { 41, 688, 8, 47 }, { 42, 704, 5, 29 }, { 43, 720, 3, 17 },
	{ 44, 736, 2, 11 }, { 45, 752, 7, 38 }, { 46, 768, 3, 16 }, { 47, 784, 5, 26 },
	{ 49, 816, 1, 5 }, { 50, 832, 8, 39 }, { 51, 848, 5, 24 }, { 52, 864, 7, 33 },
	{ 53, 880, 8, 37 }, { 54, 896, 7, 32 }, { 55, 912, 7, 31 }, { 56, 928, 5, 22 },
	{ 57, 944, 3, 13 }, { 58, 960, 4, 17 }, { 59, 976, 6, 25 }, { 60, 992, 8, 33 },
	{ 62, 1024, 1, 4 }, { 64, 1056, 8, 31 }, { 65, 1072, 5, 19 }, { 66, 1088, 4, 15 },
	{ 67, 1104, 3, 11 }, { 68, 1120, 8, 29 }, { 69, 1136, 5, 18 }, { 71, 1168, 2, 7 },
	{ 72, 1184, 7, 24 }, { 73, 1200, 5, 17 }, { 74, 1216, 3, 10 }, { 75, 1232, 7, 23 },
	{ 76, 1248, 4, 13 }, { 78, 1280, 5, 16 }, { 79, 1296, 7, 22 }, { 83, 1360, 1, 3 },
	{ 87, 1424, 8, 23 }, { 88, 1440, 6, 17 }, { 89, 1456, 5, 14 }, { 91, 1488, 4, 11 },
	{ 92, 1504, 7, 19 }, { 94, 1536, 3, 8 }, { 95, 1552, 8, 21 }, { 96, 1568, 5, 13 },
	{ 97, 1584, 7, 18 }, { 100, 1632, 2, 5 }, { 103, 1680, 7, 17 }, { 104, 1696, 5, 12 },
	{ 105, 1712, 8, 19 }, { 107, 1744, 3, 7 }, { 110, 1792, 7, 16 }, { 111, 1808, 4, 9 },
	{ 114, 1856, 5, 11 }, { 116, 1888, 6, 13 }, { 117, 1904, 7, 15 }, { 118, 1920, 8, 17 },
	{ 126, 2048, 1, 2 }, { 134, 2176, 8, 15 }, { 135, 2192, 7, 13 }, { 137, 2224, 6, 11 },
	{ 140, 2272, 5, 9 }, { 144, 2336, 4, 7 }, { 147, 2384, 7, 12 }, { 151, 2448, 3, 5 },
	{ 155, 2512, 8, 13 }, { 158, 2560, 5, 8 }, { 160, 2592, 7, 11 }, { 168, 2720, 2, 3 },
	{ 177, 2864, 7, 10 }, { 180, 2912, 5, 7 }, { 184, 2976, 8, 11 }, { 190, 3072, 3, 4 },
	{ 197, 3184, 7, 9 }, { 202, 3264, 4, 5 }, { 211, 3408, 5, 6 }, { 217, 3504, 6, 7 },
	{ 222, 3584, 7, 8 }, { 225, 3632, 8, 9 }, { 254, 4096, 1, 1 },
};
/* clang-format on */

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static uint32_t merged(const struct zs_geometry *geometry, struct geometry_class *table)
{
	uint8_t class_of[GEOMETRY_CLASSES];

	return geometry_merge(geometry, table, class_of);
}

static void same_table(enum zs_preset preset, const struct geometry_class *expected, size_t count)
{
	struct geometry_class table[GEOMETRY_CLASSES];
	struct zs_geometry geometry;

	zs_geometry_init(&geometry, preset);
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
	same_table(ZS_KERNEL_6_1, kernel_6_1, COUNT(kernel_6_1));
	same_table(ZS_KERNEL_6_12, kernel_6_12, COUNT(kernel_6_12));
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
	static uint8_t page[GEOMETRY_CAPACITY];
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
		cmocka_unit_test(chain_of_ten),
		cmocka_unit_test(rules_differ_at_208),
		cmocka_unit_test(every_size_has_the_smallest_class_that_fits),
		cmocka_unit_test(slots_lie_where_the_formula_says),
		cmocka_unit_test(wrong_geometry_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
