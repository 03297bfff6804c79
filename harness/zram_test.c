/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device.h"
#include "generate.h"
#include "zram.h"

#define PAGE ((size_t)4096)
#define SLOTS 64

/* A device, and what each slot must read as. */
struct device {
	struct zram *zram;
	struct codec *codec;
	uint8_t expected[SLOTS][PAGE];
};

static struct device device;

static void start(const char *codec, uint32_t max_pages, uint64_t mem_limit)
{
	struct zram_options options = {
		.backend = &backend_core,
		.codec = device.codec = codec_open(codec, PAGE),
		.slots = SLOTS,
		.mem_limit = mem_limit,
	};

	assert_non_null(device.codec);
	zs_config_init(&options.config, ZS_KERNEL_6_12);
	options.config.max_pages = max_pages;
	memset(device.expected, 0, sizeof(device.expected));
	assert_int_equal(zram_create(&options, &device.zram), ZS_OK);
}

static int with_lzo(void **state)
{
	(void)state;
	start("lzo", 256, 0);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	assert_int_equal(zram_destroy(device.zram), ZS_OK);
	codec_close(device.codec);
	return 0;
}

/* A page of zeros, then bytes that don't compress. Any seed does. */
static void make_page(uint8_t page[PAGE], uint32_t noise, uint64_t seed)
{
	memset(page, 0, PAGE);
	for (uint32_t i = PAGE - noise; i < PAGE; i++)
		page[i] = (uint8_t)(generate_next(&seed) >> 56);
}

static void fill_words(uint8_t page[PAGE], unsigned long word)
{
	for (size_t i = 0; i < PAGE; i += sizeof(word))
		memcpy(page + i, &word, sizeof(word));
}

static void write_ok(uint32_t slot, const uint8_t page[PAGE])
{
	assert_int_equal(zram_write(device.zram, slot, page), ZS_OK);
	memcpy(device.expected[slot], page, PAGE);
}

static void write_noise(uint32_t slot, uint32_t noise, uint64_t seed)
{
	uint8_t page[PAGE];

	make_page(page, noise, seed);
	write_ok(slot, page);
}

static void free_ok(uint32_t slot)
{
	assert_int_equal(zram_free(device.zram, slot), ZS_OK);
	memset(device.expected[slot], 0, PAGE);
}

/* Every slot reads as it must, and the backend is content. */
static void assert_content(void)
{
	struct zs_broken broken;
	uint8_t page[PAGE];

	for (uint32_t slot = 0; slot < SLOTS; slot++) {
		memset(page, 0xa5, PAGE);
		assert_int_equal(zram_read(device.zram, slot, page), ZS_OK);
		assert_memory_equal(page, device.expected[slot], PAGE);
	}
	assert_int_equal(backend_core.check(zram_pool(device.zram), &broken), ZS_OK);
}

static struct zram_mm_stat stat(void)
{
	struct zram_mm_stat stat;

	zram_mm_stat(device.zram, &stat);
	return stat;
}

static void assert_stat(struct zram_mm_stat expected)
{
	struct zram_mm_stat got = stat();

#define SAME(name) assert_int_equal(got.name, expected.name);
	ZRAM_MM_STAT(SAME)
#undef SAME
}

/* What a page of this noise is stored in, by another codec of the same kind. */
static size_t compressed_size(const char *name, uint32_t noise, uint64_t seed)
{
	struct codec *codec = codec_open(name, PAGE);
	uint8_t page[PAGE];
	const void *out;
	size_t size;

	make_page(page, noise, seed);
	size = codec_compress(codec, page, PAGE, &out);
	codec_close(codec);
	return size;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void starts_empty(void **state)
{
	(void)state;
	assert_content();
	assert_stat((struct zram_mm_stat){ .objs_moved = 0 });
	free_ok(3);
	assert_stat((struct zram_mm_stat){ .objs_moved = 0 });
}

static void same_filled_pages_are_not_stored(void **state)
{
	uint8_t page[PAGE];

	(void)state;
	fill_words(page, 0x0123456789abcdef);
	write_ok(0, page);
	fill_words(page, 0);
	write_ok(1, page);
	assert_stat((struct zram_mm_stat){ .orig_data_size = 2 * PAGE, .same_pages = 2 });
	assert_content();

	/* One byte that differs, wherever it is, makes it a page like any other. */
	for (size_t at = 0; at < PAGE; at += PAGE - 1) {
		page[at] = 1;
		write_ok(1, page);
		page[at] = 0;
		assert_int_equal(stat().same_pages, 1);
		assert_content();
	}
	free_ok(0);
	free_ok(1);
	assert_int_equal(stat().orig_data_size, 0);
	assert_int_equal(stat().same_pages, 0);
}

static void incompressible_pages_are_stored_raw(void **state)
{
	(void)state;
	write_noise(0, PAGE, 1);
	assert_stat((struct zram_mm_stat){ .orig_data_size = PAGE,
					   .compr_data_size = PAGE,
					   .mem_used_total = PAGE,
					   .mem_used_max = PAGE,
					   .huge_pages = 1,
					   .huge_pages_since = 1 });
	write_noise(0, PAGE, 2);
	assert_int_equal(stat().huge_pages, 1);
	assert_int_equal(stat().huge_pages_since, 2);
	assert_content();
	write_noise(0, 100, 3);
	assert_int_equal(stat().huge_pages, 0);
	assert_int_equal(stat().huge_pages_since, 2);
	assert_content();
}

/* 6.12's huge class begins at 3625: the last size below is stored compressed, the next one raw. */
static void huge_begins_where_the_pool_says(void **state)
{
	size_t last = 0;
	uint32_t raw = 0;

	(void)state;
	for (uint32_t noise = 3500; noise < 3700; noise++) {
		size_t size = compressed_size("lzo", noise, noise);

		write_noise(0, noise, noise);
		assert_int_equal(stat().compr_data_size, size < 3625 ? size : PAGE);
		assert_int_equal(stat().huge_pages, size >= 3625);
		last = size < 3625 && size > last ? size : last;
		raw += size >= 3625;
	}
	assert_in_range(last, 3600, 3624);
	assert_in_range(raw, 1, 199);
	assert_content();
}

static void an_overwrite_frees_the_old_object(void **state)
{
	size_t old = compressed_size("lzo", 500, 1), new = compressed_size("lzo", 2000, 2);

	(void)state;
	write_noise(7, 500, 1);
	assert_int_equal(stat().compr_data_size, old);
	write_noise(7, 2000, 2);
	assert_int_equal(stat().compr_data_size, new);
	assert_int_equal(stat().orig_data_size, PAGE);
	assert_content();
	free_ok(7);
	assert_int_equal(stat().mem_used_total, 0);
	assert_int_equal(stat().compr_data_size, 0);
	assert_content();
}

/*
 * Objects of 41 to 56 bytes have a header of 8, so slots of 64: 64 of them in a zspage of one page. A
 * page stored raw takes one, a page of equal words none.
 */
static void counts_by_hand(void **state)
{
	size_t small = compressed_size("lzo", 1, 9);
	uint8_t page[PAGE];

	(void)state;
	assert_in_range(small, 41, 56);
	for (uint32_t slot = 0; slot < 33; slot++)
		write_noise(slot, 1, 9);
	write_noise(40, PAGE, 1);
	write_noise(41, PAGE, 2);
	fill_words(page, 5);
	write_ok(42, page);
	free_ok(41);
	free_ok(0);
	assert_stat((struct zram_mm_stat){ .orig_data_size = 34 * PAGE,
					   .compr_data_size = 32 * small + PAGE,
					   .mem_used_total = 2 * PAGE,
					   .mem_used_max = 3 * PAGE,
					   .same_pages = 1,
					   .huge_pages = 1,
					   .huge_pages_since = 2 });
	assert_content();
}

static void wrong_slots_are_refused(void **state)
{
	uint8_t page[PAGE];

	(void)state;
	make_page(page, 100, 1);
	assert_int_equal(zram_write(device.zram, SLOTS, page), ZS_EINVAL);
	assert_int_equal(zram_read(device.zram, SLOTS, page), ZS_EINVAL);
	assert_int_equal(zram_free(device.zram, SLOTS), ZS_EINVAL);
	assert_stat((struct zram_mm_stat){ .objs_moved = 0 });
}

/* A pool of two pages: the third raw page finds none, whether its slot is empty or not. */
static void out_of_pages_changes_nothing(void **state)
{
	struct zram_mm_stat before;
	uint8_t page[PAGE];

	(void)state;
	start("lz4", 2, 0);
	write_noise(0, PAGE, 1);
	write_noise(1, PAGE, 2);
	before = stat();
	make_page(page, PAGE, 3);
	assert_int_equal(zram_write(device.zram, 0, page), ZS_ENOMEM);
	assert_int_equal(zram_write(device.zram, 2, page), ZS_ENOMEM);
	assert_stat(before);
	assert_content();
	free_ok(1);
	write_noise(0, PAGE, 3);
	assert_content();
	stop(state);
}

/* As zram: the page is allocated, then counted, so mem_used_max shows the attempt. */
static void mem_limit_is_kept(void **state)
{
	struct zram_mm_stat before;
	uint8_t page[PAGE];

	(void)state;
	start("zstd", 256, 2 * PAGE);
	write_noise(0, PAGE, 1);
	write_noise(1, PAGE, 2);
	before = stat();
	assert_int_equal(before.mem_limit, 2 * PAGE);
	make_page(page, PAGE, 3);
	assert_int_equal(zram_write(device.zram, 0, page), ZS_ENOMEM);
	before.mem_used_max = 3 * PAGE;
	assert_stat(before);
	assert_content();
	stop(state);
}

/* Holes in every zspage; what is left of them is moved, and nothing of it changes. */
static void content_survives_compaction(void **state)
{
	static const char *const names[] = { "lzo", "lz4", "zstd" };
	uint64_t held, freed;

	for (size_t codec = 0; codec < 3; codec++) {
		start(names[codec], 256, 0);
		for (uint32_t slot = 0; slot < SLOTS; slot++)
			write_noise(slot, 1200 + slot % 3 * 700, slot);
		for (uint32_t slot = 0; slot < SLOTS; slot++)
			if (slot % 4)
				free_ok(slot);
		assert_content();
		held = stat().mem_used_total;
		freed = zram_compact(device.zram);
		assert_in_range(freed, 1, held / PAGE);
		assert_int_equal(stat().pages_compacted, freed);
		assert_int_equal(stat().mem_used_total, held - freed * PAGE);
		assert_in_range(stat().objs_moved, 1, SLOTS);
		assert_content();
		stop(state);
	}
}

/* ---- a backend that is wrong ----------------------------------------------------------------- */

static struct backend faulty;
static zs_handle swap[2]; /* handles that are taken for each other */
static int free_result;

static int read_swapped(void *pool, zs_handle handle, size_t len, void *local, struct zs_view *view)
{
	if (handle == swap[0])
		handle = swap[1];
	return backend_core.read_begin(pool, handle, len, local, view);
}

static int remember_handle(void *pool, size_t size, zs_handle *handle)
{
	int error = backend_core.malloc(pool, size, handle);

	swap[0] = swap[1];
	swap[1] = *handle;
	return error;
}

/* Fails once. */
static int free_or_not(void *pool, zs_handle handle)
{
	int error = free_result;

	free_result = ZS_OK;
	return error ? error : backend_core.free(pool, handle);
}

static void start_faulty(void)
{
	struct zram_options options = {
		.backend = &faulty,
		.codec = device.codec = codec_open("lzo", PAGE),
		.slots = SLOTS,
	};

	faulty = backend_core;
	zs_config_init(&options.config, ZS_KERNEL_6_12);
	options.config.max_pages = 16;
	assert_int_equal(zram_create(&options, &device.zram), ZS_OK);
}

/* The bytes of another page, cut to the size of this one: they don't decompress to a page. */
static void what_does_not_decompress_is_refused(void **state)
{
	uint8_t page[PAGE];

	(void)state;
	start_faulty();
	faulty.malloc = remember_handle;
	faulty.read_begin = read_swapped;
	make_page(page, 1000, 1);
	assert_int_equal(zram_write(device.zram, 0, page), ZS_OK);
	make_page(page, 2000, 2);
	assert_int_equal(zram_write(device.zram, 1, page), ZS_OK);
	assert_int_equal(zram_read(device.zram, 0, page), ZS_ECORRUPT);
	assert_int_equal(zram_read(device.zram, 1, page), ZS_OK);
	stop(state);
}

static void a_free_that_fails_leaves_the_slot(void **state)
{
	uint8_t page[PAGE], other[PAGE], read[PAGE];
	struct zram_mm_stat before;
	struct zs_pool_stats pool;

	(void)state;
	start_faulty();
	faulty.free = free_or_not;
	make_page(page, 1000, 1);
	make_page(other, 1000, 2);
	assert_int_equal(zram_write(device.zram, 0, page), ZS_OK);
	before = stat();
	free_result = ZS_ESTALE;
	assert_int_equal(zram_free(device.zram, 0), ZS_ESTALE);
	free_result = ZS_ESTALE;
	assert_int_equal(zram_write(device.zram, 0, other), ZS_ESTALE);
	assert_stat(before);
	backend_core.pool_stats(zram_pool(device.zram), &pool);
	assert_int_equal(pool.objects, 1);
	assert_int_equal(zram_read(device.zram, 0, read), ZS_OK);
	assert_memory_equal(read, page, PAGE);
	stop(state);
}

/* ---- codecs ---------------------------------------------------------------------------------- */

static void codecs_come_round_and_refuse_garbage(void **state)
{
	uint8_t page[PAGE], back[PAGE + 1], cut[2 * PAGE];

	(void)state;
	assert_null(codec_open("zip", PAGE));
	for (size_t i = 0; codec_name(i); i++) {
		struct codec *codec = codec_open(codec_name(i), PAGE);
		const void *out;
		size_t size;

		make_page(page, 1500, i);
		size = codec_compress(codec, page, PAGE, &out);
		assert_in_range(size, 1, codec_bound(codec));
		memcpy(cut, out, size);
		back[PAGE] = 0x5a;
		assert_int_equal(codec_decompress(codec, cut, size, back, PAGE), 0);
		assert_memory_equal(back, page, PAGE);
		assert_int_equal(codec_decompress(codec, cut, size, back, PAGE - 1), -1);
		assert_int_equal(codec_decompress(codec, cut, size - 20, back, PAGE), -1);
		assert_int_equal(codec_decompress(codec, page, PAGE, back, PAGE), -1);
		assert_int_equal(back[PAGE], 0x5a);
		codec_close(codec);
	}
}

/* ---- the schedule ---------------------------------------------------------------------------- */

/* Never frees or reads what isn't in use; the seed alone decides. */
static void the_schedule_keeps_its_books(void **state)
{
	struct schedule schedule = { .random = 1, .most = 100 }, again = schedule;
	bool used[100] = { false };
	uint32_t slot, other, frees = 0, reads = 0, overwrites = 0;

	(void)state;
	for (uint32_t i = 0; i < 4000; i++) {
		assert_int_equal(schedule_store(&schedule, &slot), 0);
		assert_int_equal(schedule_store(&again, &other), 0);
		assert_int_equal(slot, other);
		assert_in_range(slot, 0, 99);
		overwrites += used[slot];
		used[slot] = true;
		if (schedule_free(&schedule, &slot)) {
			assert_true(used[slot]);
			used[slot] = false;
			frees++;
		}
		schedule_free(&again, &other);
		if (schedule_read(&schedule, &slot)) {
			assert_true(used[slot]);
			reads++;
		}
		schedule_read(&again, &other);
	}
	assert_in_range(frees, 800, 1200);
	assert_in_range(reads, 400, 600);
	assert_in_range(overwrites, 2500, 3500);
	assert_int_equal(schedule.peak, 100);
	schedule_end(&schedule);
	schedule_end(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(starts_empty, with_lzo, stop),
		cmocka_unit_test_setup_teardown(same_filled_pages_are_not_stored, with_lzo, stop),
		cmocka_unit_test_setup_teardown(incompressible_pages_are_stored_raw, with_lzo,
						stop),
		cmocka_unit_test_setup_teardown(huge_begins_where_the_pool_says, with_lzo, stop),
		cmocka_unit_test_setup_teardown(an_overwrite_frees_the_old_object, with_lzo, stop),
		cmocka_unit_test_setup_teardown(counts_by_hand, with_lzo, stop),
		cmocka_unit_test_setup_teardown(wrong_slots_are_refused, with_lzo, stop),
		cmocka_unit_test(out_of_pages_changes_nothing),
		cmocka_unit_test(mem_limit_is_kept),
		cmocka_unit_test(content_survives_compaction),
		cmocka_unit_test(what_does_not_decompress_is_refused),
		cmocka_unit_test(a_free_that_fails_leaves_the_slot),
		cmocka_unit_test(codecs_come_round_and_refuse_garbage),
		cmocka_unit_test(the_schedule_keeps_its_books),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
