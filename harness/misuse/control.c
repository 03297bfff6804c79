/* SPDX-License-Identifier: BSD-3-Clause */
/* All that is allowed, however odd: every build must be silent. */
#include "misuse.h"

enum { OBJECTS = 200 };

/* Windows nest and overlap; a write shows through. */
static void windows(struct zs_pool *pool)
{
	zs_handle handle = make_object(pool, 64, 1), next = make_object(pool, 64, 2);
	struct zs_view outer, inner, other;
	const uint8_t *data = look(pool, handle, 64, &outer);

	look(pool, handle, 32, &inner);
	look(pool, next, 64, &other);
	expect(ZS_OK, zs_write(pool, handle, "new", 4));
	expect(ZS_OK, zs_write(pool, next, "new", 4));
	expect(ZS_OK, zs_read_end(pool, &inner));
	expect(ZS_OK, zs_read_end(pool, &other));
	expect('n', data[0]);
	expect(1, data[63]);
	expect(ZS_OK, zs_read_end(pool, &outer));
	expect(ZS_OK, zs_free(pool, handle));
	expect(ZS_OK, zs_free(pool, next));
}

/* An object freed in its window stays readable, also when its slot is another's. */
static void freed_in_window(struct zs_pool *pool)
{
	zs_handle handle = make_object(pool, 64, 1), next;
	struct zs_view view, view_next;
	const uint8_t *data = look(pool, handle, 64, &view);

	expect(ZS_OK, zs_free(pool, handle));
	sink = data[0];
	next = make_object(pool, 64, 2);
	sink = data[63];
	look(pool, next, 64, &view_next);
	expect(ZS_OK, zs_read_end(pool, &view_next));
	sink = data[63];
	expect(ZS_OK, zs_free(pool, next));
	zs_compact(pool);
	sink = data[0];
	expect(ZS_OK, zs_read_end(pool, &view));
	expect(0, (int)zs_get_total_pages(pool));
}

/* Objects of every kind of size, freed, migrated and moved about, a window open on one of them. */
static void moving(struct zs_pool *pool, size_t size)
{
	zs_handle handle[OBJECTS];
	struct zs_page_ref page;
	uint8_t local[4096];
	struct zs_view view;

	for (int i = 0; i < OBJECTS; i++)
		handle[i] = make_object(pool, size, (uint8_t)i);
	for (int i = 0; i < OBJECTS; i++)
		if (i % 5 != 0)
			expect(ZS_OK, zs_free(pool, handle[i]));
	expect(ZS_OK, zs_page_lock(pool, handle[0], 0, &page));
	expect(ZS_OK, zs_page_migrate(pool, page));
	expect(ZS_OK, zs_read_begin(pool, handle[5], size, local, &view));
	zs_compact(pool);
	for (size_t k = 0; k < size; k++)
		expect(5, ((const uint8_t *)view.data)[k]);
	for (int i = 0; i < OBJECTS; i += 5)
		expect_intact(pool, handle[i], size, (uint8_t)i);
	expect(ZS_OK, zs_read_end(pool, &view));
	expect(ZS_OK, zs_page_unlock(pool, page));
	zs_compact(pool);
	for (int i = 0; i < OBJECTS; i += 5) {
		expect_intact(pool, handle[i], size, (uint8_t)i);
		expect(ZS_OK, zs_free(pool, handle[i]));
	}
	expect(0, (int)zs_get_total_pages(pool));
}

/* Memory that was given is the caller's again, all of it, with live objects or without. */
static void memory_comes_back(void)
{
	size_t metadata_bytes, arena_bytes;
	struct zs_page_ref page;
	struct zs_config config;
	struct zs_pool *pool;
	void *metadata;
	uint8_t *arena;

	zs_config_init(&config, ZS_TINY);
	expect(ZS_OK, zs_pool_footprint(&config, &metadata_bytes, &arena_bytes));
	metadata = aligned_alloc(64, (metadata_bytes + 63) / 64 * 64);
	arena = malloc(arena_bytes);
	expect(ZS_OK, zs_pool_init(&config, metadata, metadata_bytes, arena, arena_bytes, &pool));
	for (size_t size = 1; size <= 64; size++)
		make_object(pool, size, 1);
	expect(ZS_OK, zs_page_lock(pool, make_object(pool, 64, 1), 0, &page));
	expect(ZS_OK, zs_page_migrate(pool, page));
	expect(ZS_OK, zs_page_unlock(pool, page));
	expect(ZS_OK, zs_pool_destroy(pool));
	for (size_t i = 0; i < arena_bytes; i++)
		arena[i] = 1;
	free(metadata);
	free(arena);
}

int main(void)
{
	static const enum zs_preset presets[] = { ZS_NATIVE, ZS_KERNEL_6_1, ZS_KERNEL_6_12 };

	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++) {
		struct zs_pool *pool = make_pool(presets[i]);

		windows(pool);
		freed_in_window(pool);
		for (size_t size = 1; size <= 4096; size = size * 5 / 4 + 1)
			moving(pool, size);
		expect(ZS_OK, zs_pool_destroy(pool));
	}
	memory_comes_back();
	return 0;
}
