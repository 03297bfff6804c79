/* SPDX-License-Identifier: BSD-3-Clause */
/* The public API on pools from the OS; the fuzzers and harness/ test it far harder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "zs.h"

static struct zs_pool *make(const struct zs_config *config)
{
	struct zs_pool *pool;

	assert_int_equal(zs_pool_create(config, &pool), ZS_OK);
	return pool;
}

static struct zs_pool *make_preset(enum zs_preset preset)
{
	struct zs_config config;

	zs_config_init(&config, preset);
	return make(&config);
}

static zs_handle get(struct zs_pool *pool, size_t size)
{
	zs_handle handle;

	assert_int_equal(zs_malloc(pool, size, &handle), ZS_OK);
	return handle;
}

static void check(const struct zs_pool *pool)
{
	struct zs_broken broken = { "none", 0 };

	if (zs_check(pool, &broken) != ZS_OK)
		fail_msg("%s at %llu", broken.invariant, (unsigned long long)broken.where);
}

static void put(struct zs_pool *pool, zs_handle handle, uint8_t byte, size_t len)
{
	uint8_t data[4096];

	memset(data, byte, len);
	assert_int_equal(zs_write(pool, handle, data, len), ZS_OK);
}

static void assert_holds(struct zs_pool *pool, zs_handle handle, uint8_t byte, size_t len)
{
	uint8_t local[4096];
	struct zs_view view;

	assert_int_equal(zs_read_begin(pool, handle, len, local, &view), ZS_OK);
	assert_int_equal(view.len, len);
	for (size_t i = 0; i < len; i++)
		assert_int_equal(((const uint8_t *)view.data)[i], byte);
	assert_int_equal(zs_read_end(pool, &view), ZS_OK);
}

static void huge_sizes_are_the_kernels(void **state)
{
	static const struct {
		enum zs_preset preset;
		uint32_t page_size;
		size_t huge;
		uint32_t classes;
		uint32_t logical;
	} kernels[] = {
		{ ZS_KERNEL_6_1, 4096, 3257, 69, 255 },
		{ ZS_KERNEL_6_1, 16384, 13081, 70, 257 },
		{ ZS_KERNEL_6_1, 65536, 52249, 72, 257 },
		{ ZS_KERNEL_6_12, 4096, 3625, 119, 255 },
		{ ZS_KERNEL_6_12, 16384, 14553, 121, 257 },
		{ ZS_KERNEL_6_12, 65536, 58137, 123, 257 },
	};

	(void)state;
	for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++) {
		size_t huge = kernels[k].huge;
		uint32_t last = kernels[k].logical - 1;
		struct zs_pool_stats stats;
		struct zs_config config;
		struct zs_pool *pool;

		zs_config_init(&config, kernels[k].preset);
		config.geometry.page_size = kernels[k].page_size;
		config.geometry.class_step = kernels[k].page_size / 256;
		config.max_pages = 64;
		pool = make(&config);
		assert_int_equal(zs_huge_class_size(pool), huge);
		assert_int_equal(zs_lookup_class_index(pool, huge), last);
		assert_int_not_equal(zs_lookup_class_index(pool, huge - 1), last);
		assert_int_equal(zs_pool_stats(pool, &stats, sizeof(stats)), ZS_OK);
		assert_int_equal(stats.classes, kernels[k].classes);
		assert_int_equal(zs_class_count(pool), kernels[k].logical);
		assert_int_equal(zs_pool_destroy(pool), ZS_OK);
	}
}

/* Every size, written, compacted around, read back. */
static void objects_survive_compaction(void **state)
{
	static zs_handle handles[4096];
	struct zs_pool *pool = make_preset(ZS_NATIVE);
	uint64_t pages, freed;

	(void)state;
	for (size_t i = 0; i < 4096; i++) {
		handles[i] = get(pool, i + 1);
		put(pool, handles[i], (uint8_t)(i * 7), i + 1);
	}
	for (size_t i = 0; i < 4096; i++)
		if (i % 3 != 0)
			assert_int_equal(zs_free(pool, handles[i]), ZS_OK);
	check(pool);
	pages = zs_get_total_pages(pool);
	freed = zs_compact(pool);
	assert_int_not_equal(freed, 0);
	assert_int_equal(zs_get_total_pages(pool), pages - freed);
	assert_int_equal(zs_compact(pool), 0);
	check(pool);
	for (size_t i = 0; i < 4096; i += 3)
		assert_holds(pool, handles[i], (uint8_t)(i * 7), i + 1);
	for (size_t i = 0; i < 4096; i++)
		assert_int_equal(zs_free(pool, handles[i]), i % 3 == 0 ? ZS_OK : ZS_ESTALE);
	assert_int_equal(zs_get_total_pages(pool), 0);
	check(pool);
	assert_int_equal(zs_pool_destroy(pool), ZS_OK);
}

static void sizes_out_of_range(void **state)
{
	struct zs_pool *pool = make_preset(ZS_NATIVE);
	zs_handle handle = 77;

	(void)state;
	assert_int_equal(zs_malloc(pool, 0, &handle), ZS_EINVAL);
	assert_int_equal(zs_malloc(pool, 4097, &handle), ZS_E2BIG);
	assert_int_equal(zs_malloc(pool, SIZE_MAX, &handle), ZS_E2BIG);
	assert_int_equal(handle, 77);
	assert_int_equal(zs_malloc(pool, 4096, &handle), ZS_OK);
	assert_int_equal(zs_pool_destroy(pool), ZS_OK);
}

static void windows_and_locks_keep_a_zspage(void **state)
{
	struct zs_pool *pool = make_preset(ZS_NATIVE);
	zs_handle handle = get(pool, 4000);
	struct zs_page_ref page;
	struct zs_view view;
	uint8_t local[8];

	(void)state;
	put(pool, handle, 9, 8);
	assert_int_equal(zs_read_begin(pool, handle, 8, local, &view), ZS_OK);
	assert_int_equal(zs_page_lock(pool, handle, 0, &page), ZS_OK);
	assert_int_equal(zs_page_lock(pool, handle, 0, &page), ZS_EBUSY);
	assert_int_equal(zs_page_lock(pool, handle, 1, &page), ZS_EINVAL);
	assert_int_equal(zs_page_migrate(pool, page), ZS_EBUSY);
	assert_int_equal(zs_pool_destroy(pool), ZS_EBUSY);
	assert_int_equal(zs_free(pool, handle), ZS_OK);
	assert_int_equal(zs_get_total_pages(pool), 1);
	assert_int_equal(zs_group_size(pool, 254, 0), 1);
	assert_int_equal(zs_read_end(pool, &view), ZS_OK);
	assert_int_equal(zs_read_end(pool, &view), ZS_EINVAL);
	assert_int_equal(zs_get_total_pages(pool), 1);
	check(pool);
	assert_int_equal(zs_page_unlock(pool, page), ZS_OK);
	assert_int_equal(zs_page_unlock(pool, page), ZS_EINVAL);
	assert_int_equal(zs_get_total_pages(pool), 0);
	assert_int_equal(zs_pool_destroy(pool), ZS_OK);
}

static void migration_keeps_the_bytes(void **state)
{
	struct zs_pool *pool = make_preset(ZS_NATIVE);
	zs_handle handle = get(pool, 3000);
	struct zs_location location;
	struct zs_page_ref page;
	uint32_t before;

	(void)state;
	put(pool, handle, 42, 3000);
	assert_int_equal(zs_locate(pool, handle, &location), ZS_OK);
	before = zs_zspage_page(pool, location.zspage, 0);
	assert_int_equal(zs_page_lock(pool, handle, 0, &page), ZS_OK);
	assert_int_equal(zs_page_migrate(pool, page), ZS_OK);
	assert_int_not_equal(zs_zspage_page(pool, location.zspage, 0), before);
	assert_holds(pool, handle, 42, 3000);
	assert_int_equal(zs_page_unlock(pool, page), ZS_OK);
	check(pool);
	assert_int_equal(zs_pool_destroy(pool), ZS_OK);
}

static void memory_runs_out_and_comes_back(void **state)
{
	struct zs_config config;
	struct zs_pool *pool;
	zs_handle handle, extra = 77;
	struct zs_pool_stats before, after;

	(void)state;
	zs_config_init(&config, ZS_NATIVE);
	config.max_pages = 7; /* 3000 bytes want 3 pages a zspage: one is left over */
	pool = make(&config);
	for (uint32_t i = 0; i < 8; i++)
		handle = get(pool, 3000);
	assert_int_equal(zs_pool_stats(pool, &before, sizeof(before)), ZS_OK);
	assert_int_equal(before.pages, 6);
	assert_int_equal(zs_malloc(pool, 3000, &extra), ZS_ENOMEM);
	assert_int_equal(zs_malloc(pool, 2400, &extra), ZS_ENOMEM); /* a class never used yet */
	assert_int_equal(extra, 77);
	assert_int_equal(zs_pool_stats(pool, &after, sizeof(after)), ZS_OK);
	assert_memory_equal(&before, &after, sizeof(before));
	check(pool);
	get(pool, 4096);
	assert_int_equal(zs_malloc(pool, 4096, &extra), ZS_ENOMEM);
	assert_int_equal(zs_free(pool, handle), ZS_OK);
	get(pool, 3000);
	assert_int_equal(zs_pool_destroy(pool), ZS_OK);
}

static void older_callers_get_what_they_know(void **state)
{
	struct zs_pool *pool = make_preset(ZS_TINY);
	struct zs_pool_stats stats;
	struct zs_class_stats class;

	(void)state;
	memset(&stats, 0xee, sizeof(stats));
	assert_int_equal(zs_pool_stats(pool, &stats, 7), ZS_EINVAL);
	assert_int_equal(zs_pool_stats(pool, &stats, 17), ZS_OK);
	assert_int_equal(stats.version, ZS_STATS_VERSION);
	assert_int_equal(stats.pages, 0);
	assert_int_equal(stats.pages_peak, 0xeeeeeeeeeeeeeeee);
	assert_int_equal(zs_class_stats(pool, 8, &class, sizeof(class)), ZS_EINVAL);
	assert_int_equal(zs_class_stats(pool, 7, &class, sizeof(class)), ZS_OK);
	assert_int_equal(class.version, 2);
	assert_int_equal(class.size, 64);
	assert_int_equal(class.bytes_moved, 0);
	memset(&class, 0xee, sizeof(class));
	assert_int_equal(zs_class_stats(pool, 7, &class, 64), ZS_OK); /* as version 1 had it */
	assert_int_equal(class.pages_compacted, 0);
	assert_int_equal(class.copies, 0xeeeeeeeeeeeeeeee);
	assert_int_equal(zs_class_stats(pool, 7, &class, 64 + 8 + 7), ZS_OK);
	assert_int_equal(class.copies, 0);
	assert_int_equal(class.bytes_moved, 0xeeeeeeeeeeeeeeee);
	assert_int_equal(zs_pool_destroy(pool), ZS_OK);
}

static void wrong_configurations_say_why(void **state)
{
	struct zs_config good, bad;
	struct zs_pool *pool = NULL;

	(void)state;
	zs_config_init(&good, ZS_NATIVE);
	assert_null(zs_config_complaint(&good));
#define REFUSED(field, value, error) \
	(bad = good, bad.field = (value), assert_int_equal(zs_pool_create(&bad, &pool), error))
	REFUSED(max_pages, 0, ZS_EINVAL);
	REFUSED(max_pages, UINT32_MAX, ZS_EINVAL);
	REFUSED(max_objects, UINT32_MAX, ZS_EINVAL);
	REFUSED(handle_batch, 0, ZS_EINVAL);
	REFUSED(handle_batch, 65, ZS_EINVAL);
	REFUSED(tag, 4096, ZS_EINVAL);
	REFUSED(grouping, 3, ZS_EINVAL);
	REFUSED(algorithm, 3, ZS_EINVAL);
	REFUSED(geometry.page_size, 100, ZS_EINVAL);
#undef REFUSED
	assert_null(pool);
}

static void given_memory_is_enough(void **state)
{
	static _Alignas(64) uint8_t metadata[1 << 16];
	static _Alignas(64) uint8_t arena[8 * 64];
	size_t metadata_bytes, arena_bytes;
	struct zs_config config;
	struct zs_pool *pool;

	(void)state;
	zs_config_init(&config, ZS_TINY);
	config.max_pages = 8;
	assert_int_equal(zs_pool_footprint(&config, &metadata_bytes, &arena_bytes), ZS_OK);
	assert_int_equal(arena_bytes, sizeof(arena));
	assert_in_range(metadata_bytes, 1, sizeof(metadata));
	memset(metadata, 0xa5, sizeof(metadata)); /* needn't be zeroed */
	assert_int_equal(
		zs_pool_init(&config, metadata, metadata_bytes - 1, arena, arena_bytes, &pool),
		ZS_EINVAL);
	assert_int_equal(
		zs_pool_init(&config, metadata + 8, metadata_bytes, arena, arena_bytes, &pool),
		ZS_EINVAL);
	assert_int_equal(zs_pool_init(&config, metadata, metadata_bytes, arena, arena_bytes, &pool),
			 ZS_OK);
	check(pool);
	for (uint32_t i = 0; i < 8; i++)
		put(pool, get(pool, 64), (uint8_t)i, 64);
	check(pool);
	assert_int_equal(zs_pool_destroy(pool), ZS_OK);
	for (size_t i = metadata_bytes; i < sizeof(metadata); i++)
		assert_int_equal(metadata[i], 0xa5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(huge_sizes_are_the_kernels),
		cmocka_unit_test(objects_survive_compaction),
		cmocka_unit_test(sizes_out_of_range),
		cmocka_unit_test(windows_and_locks_keep_a_zspage),
		cmocka_unit_test(migration_keeps_the_bytes),
		cmocka_unit_test(memory_runs_out_and_comes_back),
		cmocka_unit_test(older_callers_get_what_they_know),
		cmocka_unit_test(wrong_configurations_say_why),
		cmocka_unit_test(given_memory_is_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
