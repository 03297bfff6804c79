/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bitmap.h"

enum { BITS = 200, WORDS = 4 };

static uint64_t word[WORDS];

static void words_for_the_last_bit(void **state)
{
	(void)state;
	assert_int_equal(bitmap_words(0), 1);
	assert_int_equal(bitmap_words(63), 1);
	assert_int_equal(bitmap_words(64), 2);
	assert_int_equal(bitmap_words(32768), 513);
}

static void a_bit_is_set_and_cleared_alone(void **state)
{
	(void)state;
	memset(word, 0, sizeof(word));
	bitmap_set(word, 63);
	bitmap_set(word, 64);
	bitmap_set(word, 64);
	assert_int_equal(word[0], 0x8000000000000000);
	assert_int_equal(word[1], 1);
	bitmap_clear(word, 63);
	bitmap_clear(word, 62);
	assert_int_equal(word[0], 0);
	assert_int_equal(word[1], 1);
	assert_true(bitmap_test(word, 64));
	assert_false(bitmap_test(word, 63));
	assert_false(bitmap_test(word, 65));
}

static void clearing_a_bit_leaves_its_neighbours(void **state)
{
	(void)state;
	for (uint32_t bit = 0; bit < BITS; bit++) {
		memset(word, 0xff, sizeof(word));
		bitmap_clear(word, bit);
		for (uint32_t b = 0; b < BITS; b++)
			assert_int_equal(bitmap_test(word, b), b != bit);
	}
}

static void an_empty_range_has_neither(void **state)
{
	(void)state;
	memset(word, 0, sizeof(word));
	for (uint32_t end = 0; end <= BITS; end++) {
		assert_int_equal(bitmap_last(word, end), end);
		for (uint32_t from = 0; from <= end; from++)
			assert_int_equal(bitmap_first(word, from, end), end);
	}
}

/* Two bits, every range: the first and last of those of the two that lie in it. */
static void the_ends_of_pairs(uint32_t low, uint32_t high)
{
	memset(word, 0, sizeof(word));
	bitmap_set(word, low);
	bitmap_set(word, high);
	for (uint32_t end = 0; end <= BITS; end++) {
		assert_int_equal(bitmap_last(word, end), high < end ? high : low < end ? low : end);
		for (uint32_t from = 0; from <= end; from++) {
			uint32_t first = from <= low ? low : from <= high ? high : end;

			assert_int_equal(bitmap_first(word, from, end), first < end ? first : end);
		}
	}
}

static void the_ends_of_a_range(void **state)
{
	static const uint32_t pairs[][2] = {
		{ 0, 0 },   { 0, 1 },    { 0, 199 },  { 1, 11 },    { 5, 5 },     { 62, 63 },
		{ 63, 64 }, { 64, 127 }, { 63, 128 }, { 127, 128 }, { 100, 190 }, { 199, 199 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		the_ends_of_pairs(pairs[i][0], pairs[i][1]);
}

static void a_full_word_ends_at_its_ends(void **state)
{
	(void)state;
	memset(word, 0xff, sizeof(word));
	assert_int_equal(bitmap_last(word, 0), 0);
	assert_int_equal(bitmap_last(word, 64), 63);
	assert_int_equal(bitmap_last(word, 199), 198);
	assert_int_equal(bitmap_first(word, 0, 199), 0);
	assert_int_equal(bitmap_first(word, 64, 199), 64);
	assert_int_equal(bitmap_first(word, 191, 192), 191);
	assert_int_equal(bitmap_first(word, 192, 192), 192);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_for_the_last_bit),
		cmocka_unit_test(a_bit_is_set_and_cleared_alone),
		cmocka_unit_test(clearing_a_bit_leaves_its_neighbours),
		cmocka_unit_test(an_empty_range_has_neither),
		cmocka_unit_test(the_ends_of_a_range),
		cmocka_unit_test(a_full_word_ends_at_its_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
