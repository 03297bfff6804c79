/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * layout - where a pool's metadata lies in the memory it is given.
 *
 * Columns are as long as the pool could ever need: a class keeps the records it once had, so the
 * worst case is every class having held all pages in turn. That costs address space, not memory:
 * nothing past what is in use is touched. One pass does the measuring (without memory) and the
 * carving.
 */
#include <string.h>

#include "bitmap.h"
#include "fullness.h"
#include "pool.h"

#define ALIGNMENT 64

struct carver {
	uint8_t *memory; /* NULL: only measure */
	uint64_t at;
};

static void *carve(struct carver *carver, uint64_t count, size_t size)
{
	uint8_t *piece = carver->memory ? carver->memory + carver->at : NULL;

	carver->at += (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	return piece;
}

/* What a configuration needs at most, in counts. */
struct needs {
	struct geometry_class table[GEOMETRY_CLASSES];
	uint16_t class_of[GEOMETRY_CLASSES];
	uint32_t classes;
	uint32_t heads;
	uint32_t words;  /* of bitmaps */
	uint32_t tables; /* sum of capacities */
	uint32_t records, slots, pages, objects;
};

static uint32_t at_most(uint64_t n, uint64_t limit)
{
	return (uint32_t)(n < limit ? n : limit);
}

static void needs_of(const struct zs_config *config, struct needs *needs)
{
	uint64_t records = 0, slots = 0, pages = 0;

	memset(needs, 0, sizeof(*needs));
	needs->classes = geometry_merge(&config->geometry, needs->table, needs->class_of);
	for (uint32_t c = 0; c < needs->classes; c++) {
		const struct geometry_class *class = &needs->table[c];
		uint32_t groups = fullness_groups(config->grouping, class->capacity);
		uint64_t zspages = config->max_pages / class->pages;

		records += zspages;
		slots += zspages * class->capacity;
		pages += zspages * class->pages;
		needs->tables += class->capacity;
		needs->heads += groups + CLASS_MORE_LISTS;
		needs->words += bitmap_words(groups - 1);
	}
	needs->records = at_most(needs->heads + records, ENTRY_ZSPAGES - 1);
	needs->slots = at_most(slots, UINT32_MAX);
	needs->pages = at_most(pages, UINT32_MAX);
	needs->objects =
		at_most(slots + (uint64_t)needs->classes * config->handle_batch, INT32_MAX);
	if (config->max_objects != 0)
		needs->objects = config->max_objects;
}

static void carve_zspages(struct carver *carver, const struct needs *needs, struct zspages *all)
{
	all->max = needs->records;
	all->ring.heads = needs->heads;
	all->ring.count = carve(carver, needs->heads, sizeof(uint64_t));
	all->ring.next = carve(carver, needs->records, sizeof(uint32_t));
	all->ring.prev = carve(carver, needs->records, sizeof(uint32_t));
	all->ring.list = carve(carver, needs->records, sizeof(int32_t));
	all->inuse = carve(carver, needs->records, sizeof(uint16_t));
	all->pins = carve(carver, needs->records, sizeof(uint16_t));
	all->locked = carve(carver, needs->records, sizeof(uint16_t));
	all->class_of = carve(carver, needs->records, sizeof(uint16_t));
	all->slot_row = carve(carver, needs->records, sizeof(uint32_t));
	all->page_row = carve(carver, needs->records, sizeof(uint32_t));

	all->slots_max = needs->slots;
	all->at = carve(carver, needs->slots, sizeof(int16_t));
	all->pos = carve(carver, needs->slots, sizeof(int16_t));
	all->owner = carve(carver, needs->slots, sizeof(int32_t));

	all->pages_max = needs->pages;
	all->page = carve(carver, needs->pages, sizeof(uint64_t));
}

/* What is left of the classes' rows: bitmaps, and tables that never change. */
struct class_tables {
	uint64_t *occupied;
	uint16_t *group_of;
	uint16_t *at_byte;
	int8_t *in_page;
};

static void fill_class(struct zs_pool *pool, struct zs_class *class,
		       const struct geometry_class *geometry, struct class_tables *tables)
{
	const struct zs_config *config = &pool->config;
	uint32_t header = geometry_huge(geometry) ? 0 : config->geometry.header;

	class->zspages = &pool->zspages;
	class->handles = &pool->handles;
	class->space.page_size = config->geometry.page_size;
	class->number = (uint16_t)(class - pool->class);
	class->index = geometry->index;
	class->size = geometry->size;
	class->header = header;
	class->usable = geometry->size - header;
	class->pages = geometry->pages;
	class->capacity = geometry->capacity;
	class->grouping = config->grouping;
	class->groups = fullness_groups(config->grouping, geometry->capacity);
	class->occupied = tables->occupied;
	class->group_of = tables->group_of;
	class->space.in_page = tables->in_page;
	class->space.at_byte = tables->at_byte;
	class->free.top = HANDLE_NONE;

	for (uint32_t n = 0; n <= class->capacity; n++)
		tables->group_of[n] = (uint16_t)fullness(config->grouping, n, class->capacity);
	geometry_slots(&config->geometry, geometry, tables->in_page, tables->at_byte);
	tables->occupied += bitmap_words(class->groups - 1);
	tables->group_of += class->capacity + 1;
	tables->in_page += class->capacity;
	tables->at_byte += class->capacity;
}

static void fill_classes(struct zs_pool *pool, const struct needs *needs,
			 struct class_tables tables)
{
	uint32_t list = 0;

	for (uint32_t c = 0; c < needs->classes; c++) {
		const struct geometry_class *geometry = &needs->table[c];

		fill_class(pool, &pool->class[c], geometry, &tables);
		pool->class[c].first_list = list;
		list += pool->class[c].groups + CLASS_MORE_LISTS;
	}
	for (uint32_t i = 0; i <= pool->config.geometry.page_size / 8; i++)
		pool->class_of_eighths[i] =
			needs->class_of[geometry_class_of(&pool->config.geometry, (size_t)i * 8)];
}

static void fill_pool(struct zs_pool *pool, const struct zs_config *config,
		      const struct needs *needs)
{
	pool->config = *config;
	pool->classes = needs->classes;
	pool->logical = geometry_classes(&config->geometry);
	memcpy(pool->class_of, needs->class_of, sizeof(pool->class_of));
	ring_init(&pool->zspages.ring);
	pool->handles.max = needs->objects;
	pool->handles.batch = config->handle_batch;
	pool->handles.retired = (1u << config->geometry.generation_bits) - 1;
	pool->stack.max = config->max_pages;
	if (config->source.get == NULL)
		pool->config.source =
			(struct zs_page_source){ page_stack_get, page_stack_put, &pool->stack };
}

/* Measures and, if there is memory, carves and fills. Returns the bytes. */
static uint64_t lay_out(const struct zs_config *config, void *memory)
{
	struct carver carver = { memory, 0 };
	struct zs_pool scratch, *pool = memory ? memory : &scratch;
	struct class_tables tables;
	struct needs needs;

	needs_of(config, &needs);
	memset(pool, 0, sizeof(*pool));
	carve(&carver, 1, sizeof(*pool));
	pool->class = carve(&carver, needs.classes, sizeof(*pool->class));
	pool->class_of_eighths =
		carve(&carver, config->geometry.page_size / 8 + 1, sizeof(uint16_t));
	tables.occupied = carve(&carver, needs.words, sizeof(uint64_t));
	tables.group_of = carve(&carver, needs.tables + needs.classes, sizeof(uint16_t));
	tables.at_byte = carve(&carver, needs.tables, sizeof(uint16_t));
	tables.in_page = carve(&carver, needs.tables, sizeof(int8_t));
	pool->fixed_bytes = carver.at;
	carve_zspages(&carver, &needs, &pool->zspages);
	pool->handles.entry = carve(&carver, needs.objects, sizeof(uint64_t));
	pool->stack.page = carve(&carver, config->max_pages, sizeof(uint32_t));
	pool->seen = carve(&carver, config->max_pages / 8 + 1, 1);
	pool->poison.windows = carve(&carver, needs.slots, POISON_COUNT);
	if (memory == NULL)
		return carver.at;
	memset(pool->class, 0, needs.classes * sizeof(*pool->class));
	memset(tables.occupied, 0, needs.words * sizeof(*tables.occupied));
	fill_pool(pool, config, &needs);
	fill_classes(pool, &needs, tables);
	return carver.at;
}

uint64_t layout_bytes(const struct zs_config *config)
{
	return lay_out(config, NULL);
}

struct zs_pool *layout_pool(const struct zs_config *config, void *memory)
{
	lay_out(config, memory);
	return memory;
}
