/* SPDX-License-Identifier: BSD-3-Clause */
#include "guard.h"

#include <stdlib.h>

#include "array.h"
#include "model.h"

struct entry {
	zs_handle inner; /* 0: none */
	uint32_t generation;
};

struct guarded {
	void *pool;
	uint64_t tag;
	unsigned int generation_bits, entry_bits;
	struct entry *entries;
	size_t count, room;
	uint32_t *unused; /* entries, the one freed last at the end */
	size_t unused_count, unused_room;
	struct map outer; /* inner handle -> entry */
};

static const struct backend *inner;

/* ---- handles --------------------------------------------------------------------------------- */

static uint64_t low_bits(unsigned int bits)
{
	return (1ULL << bits) - 1;
}

static zs_handle handle_of(const struct guarded *guarded, uint32_t entry)
{
	return guarded->tag << (guarded->generation_bits + guarded->entry_bits) |
	       (uint64_t)guarded->entries[entry].generation << guarded->entry_bits | entry;
}

static int resolve(const struct guarded *guarded, zs_handle handle, uint32_t *entry)
{
	uint64_t index = handle & low_bits(guarded->entry_bits);

	if (!handle || handle >> (guarded->generation_bits + guarded->entry_bits) != guarded->tag ||
	    index >= guarded->count)
		return ZS_EINVAL;
	if (!guarded->entries[index].inner || handle_of(guarded, (uint32_t)index) != handle)
		return ZS_ESTALE;
	*entry = (uint32_t)index;
	return ZS_OK;
}

/* The other's handle of a live object. */
static int inner_of(const struct guarded *guarded, zs_handle handle, zs_handle *found)
{
	uint32_t entry;
	int error = resolve(guarded, handle, &entry);

	if (!error)
		*found = guarded->entries[entry].inner;
	return error;
}

/* Room for one more entry. */
static int reserve(struct guarded *guarded)
{
	return array_reserve(&guarded->entries, guarded->count + 1, &guarded->room,
			     sizeof(*guarded->entries)) ||
			       array_reserve(&guarded->unused, guarded->count + 1,
					     &guarded->unused_room, sizeof(*guarded->unused)) ||
			       map_reserve(&guarded->outer, guarded->count + 1)
		       ? ZS_ENOMEM
		       : ZS_OK;
}

static zs_handle issue(struct guarded *guarded, zs_handle handle)
{
	uint32_t entry;

	if (guarded->unused_count) {
		entry = guarded->unused[--guarded->unused_count];
	} else {
		entry = (uint32_t)guarded->count++;
		guarded->entries[entry].generation = 0;
	}
	guarded->entries[entry].inner = handle;
	guarded->entries[entry].generation++;
	map_set(&guarded->outer, handle, entry);
	return handle_of(guarded, entry);
}

/* ---- pools ----------------------------------------------------------------------------------- */

static const char *guard_fits(const struct zs_config *config)
{
	if (config->max_objects)
		return "max_objects must be 0 with an allocator that has no handle entries";
	if (config->geometry.generation_bits < 20)
		return "generation_bits must be 20 with an allocator that has no handle entries";
	return backend_fits(inner, config);
}

static void guard_preset(struct zs_config *config)
{
	backend_preset(inner, config);
}

static int guard_create(const struct zs_config *config, void **pool)
{
	struct guarded *guarded;
	int error;

	if (zs_config_complaint(config) || guard_fits(config))
		return ZS_EINVAL;
	guarded = calloc(1, sizeof(*guarded));
	if (!guarded)
		return ZS_ENOMEM;
	guarded->tag = config->tag & low_bits(config->geometry.tag_bits);
	guarded->generation_bits = config->geometry.generation_bits;
	guarded->entry_bits = 64 - config->geometry.tag_bits - guarded->generation_bits;
	error = inner->create(config, &guarded->pool);
	if (error)
		free(guarded);
	else
		*pool = guarded;
	return error;
}

static int guard_destroy(void *pool)
{
	struct guarded *guarded = pool;
	int error = inner->destroy(guarded->pool);

	if (error)
		return error;
	free(guarded->entries);
	free(guarded->unused);
	free(guarded->outer.entries);
	free(guarded);
	return ZS_OK;
}

/* ---- objects --------------------------------------------------------------------------------- */

static int guard_malloc(void *pool, size_t size, zs_handle *handle)
{
	struct guarded *guarded = pool;
	zs_handle got;
	int error = reserve(guarded);

	if (!error)
		error = inner->malloc(guarded->pool, size, &got);
	if (!error)
		*handle = issue(guarded, got);
	return error;
}

static int guard_free(void *pool, zs_handle handle)
{
	struct guarded *guarded = pool;
	uint32_t entry;
	int error = resolve(guarded, handle, &entry);

	if (!error)
		error = inner->free(guarded->pool, guarded->entries[entry].inner);
	if (error)
		return error;
	map_remove(&guarded->outer, guarded->entries[entry].inner);
	guarded->entries[entry].inner = 0;
	guarded->unused[guarded->unused_count++] = entry;
	return ZS_OK;
}

/* A handle that the other shows and never gave is shown as it is: it's no live one here. */
static zs_handle guard_slot_handle(void *pool, uint32_t zspage, uint32_t slot)
{
	const struct guarded *guarded = pool;
	zs_handle found = inner->slot_handle(guarded->pool, zspage, slot);
	uint32_t entry = found ? map_find(&guarded->outer, found) : MODEL_NONE;

	return entry == MODEL_NONE ? found : handle_of(guarded, entry);
}

/* ---- what is passed on ----------------------------------------------------------------------- */

#define PASS(type, name, parameters, ...)                                        \
	static type guard_##name parameters                                      \
	{                                                                        \
		return inner->name(((struct guarded *)pool)->pool, __VA_ARGS__); \
	}
#define PASS_POOL(type, name)                                       \
	static type guard_##name(void *pool)                        \
	{                                                           \
		return inner->name(((struct guarded *)pool)->pool); \
	}

/* The same, with the other's handle. */
#define PASS_HANDLE(name, parameters, ...)                                             \
	static int guard_##name parameters                                             \
	{                                                                              \
		const struct guarded *guarded = pool;                                  \
		zs_handle found;                                                       \
		int error = inner_of(guarded, handle, &found);                         \
                                                                                       \
		return error ? error : inner->name(guarded->pool, found, __VA_ARGS__); \
	}

PASS_HANDLE(usable_size, (void *pool, zs_handle handle, size_t *size), size)
PASS_HANDLE(read_begin,
	    (void *pool, zs_handle handle, size_t len, void *local, struct zs_view *view), len,
	    local, view)
PASS_HANDLE(write, (void *pool, zs_handle handle, const void *data, size_t len), data, len)
PASS_HANDLE(page_lock, (void *pool, zs_handle handle, uint32_t index, struct zs_page_ref *page),
	    index, page)
PASS_HANDLE(locate, (void *pool, zs_handle handle, struct zs_location *location), location)
PASS(int, zspage_info, (void *pool, uint32_t zspage, struct zs_zspage_info *info), zspage, info)
PASS(int, read_end, (void *pool, const struct zs_view *view), view)
PASS(int, page_unlock, (void *pool, struct zs_page_ref page), page)
PASS(int, page_migrate, (void *pool, struct zs_page_ref page), page)
PASS(int, compact_class, (void *pool, uint32_t index, uint64_t *freed), index, freed)
PASS(uint64_t, class_compactable, (void *pool, uint32_t index), index)
PASS(uint32_t, lookup_class_index, (void *pool, size_t size), size)
PASS(int, pool_stats, (void *pool, struct zs_pool_stats *stats), stats)
PASS(int, class_stats, (void *pool, uint32_t index, struct zs_class_stats *stats), index, stats)
PASS(int, slot_address,
     (void *pool, uint32_t zspage, uint32_t slot, uint32_t *page, uint32_t *offset), zspage, slot,
     page, offset)
PASS(uint32_t, zspage_page, (void *pool, uint32_t zspage, uint32_t index), zspage, index)
PASS(uint32_t, group_size, (void *pool, uint32_t index, uint32_t group), index, group)
PASS(uint32_t, group_first, (void *pool, uint32_t index, uint32_t group), index, group)
PASS(uint32_t, group_next, (void *pool, uint32_t zspage), zspage)
PASS(int, check, (void *pool, struct zs_broken *broken), broken)
PASS_POOL(uint64_t, compact)
PASS_POOL(uint64_t, compactable)
PASS_POOL(uint64_t, total_pages)
PASS_POOL(size_t, huge_class_size)
PASS_POOL(uint32_t, class_count)

const struct backend *guard(const struct backend *backend)
{
	static struct backend guarding = {
		.create = guard_create,
		.destroy = guard_destroy,
		.malloc = guard_malloc,
		.free = guard_free,
		.usable_size = guard_usable_size,
		.read_begin = guard_read_begin,
		.read_end = guard_read_end,
		.write = guard_write,
		.page_lock = guard_page_lock,
		.page_unlock = guard_page_unlock,
		.page_migrate = guard_page_migrate,
		.compact = guard_compact,
		.compact_class = guard_compact_class,
		.compactable = guard_compactable,
		.class_compactable = guard_class_compactable,
		.total_pages = guard_total_pages,
		.huge_class_size = guard_huge_class_size,
		.class_count = guard_class_count,
		.lookup_class_index = guard_lookup_class_index,
		.pool_stats = guard_pool_stats,
		.class_stats = guard_class_stats,
		.locate = guard_locate,
		.zspage_info = guard_zspage_info,
		.slot_handle = guard_slot_handle,
		.slot_address = guard_slot_address,
		.zspage_page = guard_zspage_page,
		.group_size = guard_group_size,
		.group_first = guard_group_first,
		.group_next = guard_group_next,
		.check = guard_check,
		.fits = guard_fits,
		.preset = guard_preset,
	};

	if (!(backend->traits & BACKEND_TRUSTS))
		return backend;
	inner = backend;
	guarding.name = backend->name;
	guarding.traits = backend->traits & ~(unsigned int)BACKEND_TRUSTS;
	return &guarding;
}
