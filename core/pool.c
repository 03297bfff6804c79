/* SPDX-License-Identifier: BSD-3-Clause */
#include "pool.h"

#include "class.h"
#include "compact.h"
#include "held.h"
#include "os.h"

/* ---- making and ending ---------------------------------------------------------------------- */

#define MAX_PAGES (1u << 26)
#define DIRTY_PAGES 512 /* freed pages kept before their memory goes back to the OS */

void zs_geometry_init(struct zs_geometry *geometry, enum zs_preset preset)
{
	*geometry = (struct zs_geometry){
		.page_size = 4096,
		.min_size = 32,
		.class_step = 16,
		.chain = 8,
		.chain_rule = ZS_LEAST_WASTE,
		.tag_bits = 12,
		.generation_bits = 20,
	};
	if (preset == ZS_KERNEL_6_1 || preset == ZS_KERNEL_6_12)
		geometry->header = 8;
	if (preset == ZS_KERNEL_6_1) {
		geometry->chain = 4;
		geometry->chain_rule = ZS_USED_PERCENT;
	}
	if (preset == ZS_TINY) {
		geometry->page_size = 64;
		geometry->min_size = 8;
		geometry->class_step = 8;
		geometry->chain = 4;
		geometry->tag_bits = 2;
		geometry->generation_bits = 2;
	}
}

void zs_config_init(struct zs_config *config, enum zs_preset preset)
{
	*config = (struct zs_config){
		.grouping = ZS_RATIO,
		.algorithm = ZS_DESTINATION,
		.max_pages = preset == ZS_TINY ? 256 : 1u << 18,
		.handle_batch = preset == ZS_TINY ? 2 : 64,
		.tag = ZS_TAG_AUTO,
	};
	zs_geometry_init(&config->geometry, preset);
}

const char *zs_config_complaint(const struct zs_config *config)
{
	const char *complaint = geometry_complaint(&config->geometry);

	if (complaint)
		return complaint;
	if (config->grouping > ZS_EXACT)
		return "grouping must be ratio (0), threshold (1) or exact (2)";
	if (config->algorithm > ZS_OPTIMAL)
		return "algorithm must be destination (0), source (1) or optimal (2)";
	if (config->max_pages < 1 || config->max_pages > MAX_PAGES)
		return "max_pages must be 1 to 2^26";
	if (config->max_objects > INT32_MAX)
		return "max_objects must be at most 2^31 - 1";
	if (config->handle_batch < 1 || config->handle_batch > 64)
		return "handle_batch must be 1 to 64";
	if (config->tag != ZS_TAG_AUTO && config->tag >> config->geometry.tag_bits != 0)
		return "tag must be below 2^tag_bits, or ZS_TAG_AUTO";
	if ((config->source.get == NULL) != (config->source.put == NULL))
		return "source must have both get and put, or neither";
	return NULL;
}

int zs_pool_footprint(const struct zs_config *config, size_t *metadata_bytes, size_t *arena_bytes)
{
	uint64_t metadata, arena;

	if (zs_config_complaint(config))
		return ZS_EINVAL;
	metadata = layout_bytes(config);
	arena = (uint64_t)config->max_pages * config->geometry.page_size;
	if (metadata > SIZE_MAX / 2 || arena > SIZE_MAX / 2)
		return ZS_EINVAL;
	*metadata_bytes = (size_t)metadata;
	*arena_bytes = (size_t)arena;
	return ZS_OK;
}

/* A tag for pools that were given none: the address, mixed (Knuth's multiplicative hash). */
static uint32_t tag_of_address(const struct zs_pool *pool)
{
	uint64_t mixed = (uint64_t)(uint32_t)((uintptr_t)pool / 64) * 0x9e3779b1u;

	return (uint32_t)mixed >> (32 - pool->config.geometry.tag_bits);
}

int zs_pool_init(const struct zs_config *config, void *metadata, size_t metadata_bytes, void *arena,
		 size_t arena_bytes, struct zs_pool **pool)
{
	size_t metadata_needed, arena_needed;
	int error = zs_pool_footprint(config, &metadata_needed, &arena_needed);

	if (error)
		return error;
	if (metadata_bytes < metadata_needed || arena_bytes < arena_needed ||
	    (uintptr_t)metadata % 64 != 0 || (uintptr_t)arena % 8 != 0)
		return ZS_EINVAL;
	*pool = layout_pool(config, metadata);
	(*pool)->arena = arena;
	for (uint32_t c = 0; c < (*pool)->classes; c++)
		(*pool)->class[c].space.arena = arena;
	(*pool)->handles.tag = config->tag == ZS_TAG_AUTO ? tag_of_address(*pool) : config->tag;
	return ZS_OK;
}

int zs_pool_create(const struct zs_config *config, struct zs_pool **pool)
{
	size_t metadata, arena, page = 65536;
	uint8_t *memory;
	int error = zs_pool_footprint(config, &metadata, &arena);

	if (error)
		return error;
	metadata = (metadata + page - 1) / page * page;
	memory = os_reserve(metadata + arena);
	if (memory == NULL)
		return ZS_ENOMEM;
	error = zs_pool_init(config, memory, metadata, memory + metadata, arena, pool);
	if (error)
		return error;
	(*pool)->mapped_bytes = metadata + arena;
	return ZS_OK;
}

/* ---- pages ---------------------------------------------------------------------------------- */

bool pool_holds(const struct zs_pool *pool, uint32_t zspage)
{
	const struct zspages *all = &pool->zspages;
	const struct zs_class *class;
	uint32_t list;

	if (zspage < all->ring.heads || zspage >= all->ring.records)
		return false;
	class = &pool->class[all->class_of[zspage]];
	list = ring_list(&all->ring, zspage);
	return list >= class->first_list && list - class->first_list < class->groups;
}

/* Last one first. */
static void put_pages(struct zs_pool *pool, uint32_t count, const uint32_t *page)
{
	const struct zs_page_source *source = &pool->config.source;

	for (; count > 0; count--)
		source->put(source->context, page[count - 1]);
}

/* All of them or none. */
static bool get_pages(struct zs_pool *pool, uint32_t count, uint32_t *page)
{
	const struct zs_page_source *source = &pool->config.source;
	uint32_t near = ZS_NO_PAGE;

	for (uint32_t i = 0; i < count; i++) {
		near = page[i] = source->get(source->context, near);
		if (near == ZS_NO_PAGE) {
			put_pages(pool, i, page);
			return false;
		}
	}
	return true;
}

/* A new zspage with its pages, on no list yet; or RING_NONE. */
static uint32_t make_zspage(struct zs_pool *pool, struct zs_class *class)
{
	uint32_t page[GEOMETRY_CHAIN], pages = class->pages, z;

	if (!get_pages(pool, pages, page))
		return RING_NONE;
	z = class_new_zspage(class);
	if (z == RING_NONE) {
		put_pages(pool, pages, page);
		return RING_NONE;
	}
	for (uint32_t i = 0; i < pages; i++)
		pool->zspages.page[pool->zspages.page_row[z] + i] =
			page[i] * class->space.page_size;
	poison_get(&pool->poison, class, z);
	pool->pages += pages;
	if (pool->pages > pool->pages_peak)
		pool->pages_peak = pool->pages;
	return z;
}

/* Gives a zspage's pages back to the source. */
static void put_zspage(struct zs_pool *pool, const struct zs_class *class, uint32_t z)
{
	uint32_t page[GEOMETRY_CHAIN];

	for (uint32_t i = 0; i < class->pages; i++)
		page[i] = pool_page(pool, z, i);
	put_pages(pool, class->pages, page);
}

/* Gives freed pages' memory back to the OS once there are more than `keep`; under no lock. */
static void release_memory(struct zs_pool *pool, uint32_t keep)
{
	uint64_t page_size = pool->config.geometry.page_size;
	uint32_t page;

	if (pool->mapped_bytes == 0 || pool->stack.count - pool->stack.clean <= keep)
		return;
	while ((page = page_stack_clean(&pool->stack)) != ZS_NO_PAGE)
		os_release(pool->arena + page * page_size, page_size);
}

/* Collects the pages of the class's emptied zspages. */
static void collect(struct zs_pool *pool, struct zs_class *class)
{
	struct ring *ring = &pool->zspages.ring;
	uint32_t head = lists_head(class, class->groups + CLASS_EMPTIED), z;

	while ((z = ring_first(ring, head)) != head) {
		ring_del(ring, z);
		put_zspage(pool, class, z);
		pool->pages -= class->pages;
		lists_spare(class, z);
	}
}

/* Frees the class's emptied zspages. */
static void free_emptied(struct zs_pool *pool, struct zs_class *class)
{
	collect(pool, class);
	release_memory(pool, DIRTY_PAGES);
}

int zs_pool_destroy(struct zs_pool *pool)
{
	const struct zspages *all = &pool->zspages;

	for (uint32_t z = (uint32_t)all->ring.heads; z < all->ring.records; z++)
		if (zspage_is_kept(all, z))
			return ZS_EBUSY;
	for (uint32_t z = (uint32_t)all->ring.heads; z < all->ring.records; z++)
		if (pool_holds(pool, z))
			put_zspage(pool, &pool->class[all->class_of[z]], z);
	poison_end(&pool->poison, pool->arena);
	if (pool->mapped_bytes > 0)
		os_unreserve(pool, pool->mapped_bytes);
	return ZS_OK;
}

/* ---- objects -------------------------------------------------------------------------------- */

int pool_find(const struct zs_pool *pool, zs_handle handle, struct pool_object *object)
{
	uint64_t entry;
	int error = handle_resolve(&pool->handles, handle, &entry);

	if (error)
		return error;
	object->entry = handle_index(handle);
	object->z = entry_zspage(entry);
	object->slot = entry_slot(entry);
	object->class = &pool->class[pool->zspages.class_of[object->z]];
	return ZS_OK;
}

int zs_malloc(struct zs_pool *pool, size_t size, zs_handle *handle)
{
	const struct zs_geometry *geometry = &pool->config.geometry;
	struct zs_class *class;
	uint32_t z, entry;

	if (size == 0)
		return ZS_EINVAL;
	if (size > geometry->page_size)
		return ZS_E2BIG;
	class = pool_class_of_size(pool, size);
	if (!handle_ready(&pool->handles, &class->free))
		return ZS_ENOMEM;
	z = lists_pick(class);
	if (z == RING_NONE)
		z = make_zspage(pool, class);
	if (z == RING_NONE)
		return ZS_ENOMEM;
	entry = class_malloc(class, z);
	poison_forget(class, entry);
	*handle = handle_of(&pool->handles, entry);
	return ZS_OK;
}

int zs_free(struct zs_pool *pool, zs_handle handle)
{
	struct pool_object object;
	int error = pool_find(pool, handle, &object);

	if (error)
		return error;
	poison_forget(object.class, object.entry);
	if (class_free(object.class, object.entry))
		free_emptied(pool, object.class);
	return ZS_OK;
}

int zs_usable_size(const struct zs_pool *pool, zs_handle handle, size_t *size)
{
	struct pool_object object;
	int error = pool_find(pool, handle, &object);

	if (error)
		return error;
	*size = object.class->usable;
	return ZS_OK;
}

int zs_read_begin(struct zs_pool *pool, zs_handle handle, size_t len, void *local,
		  struct zs_view *view)
{
	const uint64_t *pages;
	struct pool_object object;
	int error = pool_find(pool, handle, &object);
	bool spans;

	if (error)
		return error;
	if (len == 0 || len > object.class->usable)
		return ZS_EINVAL;
	pages = zspage_pages(&pool->zspages, object.z);
	spans = object_spans(&object.class->space, object.slot, len);
	if (spans && local == NULL)
		return ZS_EINVAL;
	if (!sync_pin(&pool->zspages.pins[object.z]))
		return ZS_EBUSY;
	if (spans)
		guarded_read(&object.class->space, pages, object.slot, local, len);
	else
		poison_open(&pool->poison, object.class, object.z, object.slot, len);
	view->data = spans ? local
			   : pool->arena + object_start(&object.class->space, pages, object.slot);
	view->len = len;
	view->zspage = object.z;
	return ZS_OK;
}

int zs_read_end(struct zs_pool *pool, const struct zs_view *view)
{
	struct zspages *all = &pool->zspages;
	uint32_t z = view->zspage;
	struct zs_class *class;

	if (!pool_holds(pool, z) || sync_count(&all->pins[z]) == 0)
		return ZS_EINVAL;
	class = &pool->class[all->class_of[z]];
	poison_close(&pool->poison, class, z, view->data);
	sync_unpin(&all->pins[z]);
	if (held_discard(class, z))
		free_emptied(pool, class);
	return ZS_OK;
}

int zs_write(struct zs_pool *pool, zs_handle handle, const void *data, size_t len)
{
	struct pool_object object;
	int error = pool_find(pool, handle, &object);

	if (error)
		return error;
	if (len == 0 || len > object.class->usable)
		return ZS_EINVAL;
	guarded_write(&object.class->space, zspage_pages(&pool->zspages, object.z), object.slot,
		      data, len);
	return ZS_OK;
}

/* ---- page locks and migration --------------------------------------------------------------- */

int zs_page_lock(struct zs_pool *pool, zs_handle handle, uint32_t index, struct zs_page_ref *page)
{
	struct pool_object object;
	int error = pool_find(pool, handle, &object);

	if (error)
		return error;
	if (index >= object.class->pages)
		return ZS_EINVAL;
	if (pool->zspages.locked[object.z] >> index & 1)
		return ZS_EBUSY;
	pool->zspages.locked[object.z] |= (uint16_t)(1u << index);
	*page = (struct zs_page_ref){ object.z, index };
	return ZS_OK;
}

static bool is_locked(const struct zs_pool *pool, struct zs_page_ref page)
{
	return pool_holds(pool, page.zspage) && page.index < GEOMETRY_CHAIN &&
	       (pool->zspages.locked[page.zspage] >> page.index & 1) != 0;
}

int zs_page_unlock(struct zs_pool *pool, struct zs_page_ref page)
{
	struct zspages *all = &pool->zspages;
	struct zs_class *class;

	if (!is_locked(pool, page))
		return ZS_EINVAL;
	class = &pool->class[all->class_of[page.zspage]];
	all->locked[page.zspage] &= (uint16_t) ~(1u << page.index);
	if (held_discard(class, page.zspage))
		free_emptied(pool, class);
	return ZS_OK;
}

int zs_page_migrate(struct zs_pool *pool, struct zs_page_ref page)
{
	const struct zs_page_source *source = &pool->config.source;
	uint64_t page_size = pool->config.geometry.page_size;
	struct zspages *all = &pool->zspages;
	uint64_t *place;
	uint32_t old, new;

	if (!is_locked(pool, page))
		return ZS_EINVAL;
	if (sync_count(&all->pins[page.zspage]) != 0)
		return ZS_EBUSY;
	place = &all->page[all->page_row[page.zspage] + page.index];
	old = pool_page(pool, page.zspage, page.index);
	new = source->get(source->context, old);
	if (new == ZS_NO_PAGE)
		return ZS_ENOMEM;
	guarded_copy_page(&pool->poison, pool->arena, page_size, *place, new *page_size);
	*place = new *page_size;
	source->put(source->context, old);
	pool->pages_migrated++;
	return ZS_OK;
}

/* ---- compaction ----------------------------------------------------------------------------- */

static uint64_t compact_one(struct zs_pool *pool, struct zs_class *class)
{
	uint64_t freed = compact(class, pool->config.algorithm);

	collect(pool, class);
	return freed;
}

uint64_t zs_compact(struct zs_pool *pool)
{
	uint64_t freed = 0;

	for (uint32_t c = pool->classes; c > 0; c--)
		freed += compact_one(pool, &pool->class[c - 1]);
	release_memory(pool, 0);
	return freed;
}

int zs_compact_class(struct zs_pool *pool, uint32_t index, uint64_t *pages_freed)
{
	struct zs_class *class = pool_class(pool, index);

	if (class == NULL)
		return ZS_EINVAL;
	*pages_freed = compact_one(pool, class);
	release_memory(pool, 0);
	return ZS_OK;
}
