/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inspect - the part of the public API that only looks.
 */
#include <string.h>

#include "compact.h"
#include "lists.h"
#include "pool.h"

const char *zs_error_name(int error)
{
	static const char *const names[] = { [-ZS_OK] = "ZS_OK",
					     [-ZS_E2BIG] = "ZS_E2BIG",
					     [-ZS_ENOMEM] = "ZS_ENOMEM",
					     [-ZS_EBUSY] = "ZS_EBUSY",
					     [-ZS_EINVAL] = "ZS_EINVAL",
					     [-ZS_ESTALE] = "ZS_ESTALE",
					     [-ZS_ECORRUPT] = "ZS_ECORRUPT" };
	bool known = error <= ZS_OK && error >= ZS_ECORRUPT && names[-error] != NULL;

	return known ? names[-error] : "unknown";
}

/* ---- classes -------------------------------------------------------------------------------- */

struct zs_class *pool_class(const struct zs_pool *pool, uint32_t index)
{
	return index < pool->logical ? &pool->class[pool->class_of[index]] : NULL;
}

/* A class by its own index: one that was merged away has none. */
static struct zs_class *kept_class(const struct zs_pool *pool, uint32_t index)
{
	struct zs_class *class = pool_class(pool, index);

	return class != NULL && class->index == index ? class : NULL;
}

uint32_t zs_class_count(const struct zs_pool *pool)
{
	return pool->logical;
}

uint32_t zs_lookup_class_index(const struct zs_pool *pool, size_t size)
{
	uint32_t page_size = pool->config.geometry.page_size;

	return pool_class_of_size(pool, size > page_size ? page_size : size)->index;
}

size_t zs_huge_class_size(const struct zs_pool *pool)
{
	for (uint32_t c = pool->classes; c > 0; c--) {
		const struct zs_class *class = &pool->class[c - 1];

		if (class->pages != 1 && class->capacity != 1)
			return class->size - class->header + 1;
	}
	return 0;
}

uint64_t zs_class_compactable(const struct zs_pool *pool, uint32_t index)
{
	const struct zs_class *class = kept_class(pool, index);

	return class ? compact_zspages(class) * class->pages : 0;
}

uint64_t zs_compactable(const struct zs_pool *pool)
{
	uint64_t pages = 0;

	for (uint32_t c = 0; c < pool->classes; c++)
		pages += compact_zspages(&pool->class[c]) * pool->class[c].pages;
	return pages;
}

/* ---- statistics ----------------------------------------------------------------------------- */

uint64_t zs_get_total_pages(const struct zs_pool *pool)
{
	return pool->pages;
}

static uint64_t metadata_bytes(const struct zs_pool *pool)
{
	const struct zspages *all = &pool->zspages;
	uint64_t record = 5 * sizeof(uint32_t) + 4 * sizeof(uint16_t);
	uint64_t slot = 2 * sizeof(uint16_t) + sizeof(int32_t);

	return pool->fixed_bytes + all->ring.heads * sizeof(uint64_t) + all->ring.records * record +
	       all->slots_made * slot + all->pages_made * sizeof(uint64_t) +
	       pool->handles.given * sizeof(uint64_t) + pool->pages_peak * sizeof(uint32_t);
}

/* Copies the whole fields, all multiples of 4 bytes and in pairs of 8, that a caller knows. */
static int give(void *to, const void *from, size_t room, size_t size)
{
	size_t whole = room < size ? room - room % 8 : size;

	if (room < 8)
		return ZS_EINVAL;
	memcpy(to, from, whole);
	return ZS_OK;
}

int zs_pool_stats(const struct zs_pool *pool, struct zs_pool_stats *stats, size_t size)
{
	struct zs_pool_stats now = {
		.version = ZS_STATS_VERSION,
		.classes = pool->classes,
		.pages = pool->pages,
		.pages_peak = pool->pages_peak,
		.pages_migrated = pool->pages_migrated,
		.metadata_bytes = metadata_bytes(pool),
	};

	for (uint32_t c = 0; c < pool->classes; c++) {
		const struct zs_class *class = &pool->class[c];

		now.objects += class->inuse;
		now.zspages += class->held;
		now.objs_moved += (uint64_t) class->moved;
		now.pages_compacted += class->compacted;
		now.handles_retired += class->retired;
	}
	return give(stats, &now, size, sizeof(now));
}

int zs_class_stats(const struct zs_pool *pool, uint32_t index, struct zs_class_stats *stats,
		   size_t size)
{
	const struct zs_class *class = pool_class(pool, index);

	if (class == NULL)
		return ZS_EINVAL;
	struct zs_class_stats now = {
		.version = ZS_STATS_VERSION,
		.index = class->index,
		.size = class->size,
		.pages_per_zspage = class->pages,
		.objs_per_zspage = class->capacity,
		.groups = class->groups,
		.objs_allocated = class->allocated,
		.objs_inuse = class->inuse,
		.zspages = class->held,
		.objs_moved = (uint64_t) class->moved,
		.pages_compacted = class->compacted,
		.copies = (uint64_t) class->copies,
		.bytes_moved = (uint64_t) class->moved * class->usable,
	};
	return give(stats, &now, size, sizeof(now));
}

/* ---- objects and zspages -------------------------------------------------------------------- */

int zs_locate(const struct zs_pool *pool, zs_handle handle, struct zs_location *location)
{
	struct pool_object object;
	int error = pool_find(pool, handle, &object);

	if (error)
		return error;
	*location = (struct zs_location){ object.class->index, object.z, object.slot };
	return ZS_OK;
}

/* The class of a held zspage, else NULL. */
static const struct zs_class *class_of_held(const struct zs_pool *pool, uint32_t zspage)
{
	return pool_holds(pool, zspage) ? &pool->class[pool->zspages.class_of[zspage]] : NULL;
}

int zs_zspage_info(const struct zs_pool *pool, uint32_t zspage, struct zs_zspage_info *info)
{
	const struct zspages *all = &pool->zspages;
	const struct zs_class *class = class_of_held(pool, zspage);

	if (class == NULL)
		return ZS_EINVAL;
	info->index = class->index;
	info->group = ring_list(&all->ring, zspage) - class->first_list;
	info->inuse = all->inuse[zspage];
	info->pins = sync_count(&all->pins[zspage]);
	info->locked = all->locked[zspage];
	return ZS_OK;
}

zs_handle zs_slot_handle(const struct zs_pool *pool, uint32_t zspage, uint32_t slot)
{
	const struct zspages *all = &pool->zspages;
	const struct zs_class *class = class_of_held(pool, zspage);
	int32_t owner;

	if (class == NULL || slot >= class->capacity)
		return 0;
	owner = all->owner[all->slot_row[zspage] + slot];
	return owner == CLASS_NO_OWNER ? 0 : handle_of(&pool->handles, (uint32_t)owner);
}

uint32_t zs_zspage_page(const struct zs_pool *pool, uint32_t zspage, uint32_t index)
{
	const struct zs_class *class = class_of_held(pool, zspage);

	if (class == NULL || index >= class->pages)
		return ZS_NO_PAGE;
	return pool_page(pool, zspage, index);
}

int zs_slot_address(const struct zs_pool *pool, uint32_t zspage, uint32_t slot, uint32_t *page,
		    uint32_t *offset)
{
	const struct zs_class *class = class_of_held(pool, zspage);
	uint32_t in_page, at_byte;

	if (class == NULL || slot >= class->capacity)
		return ZS_EINVAL;
	in_page = (uint32_t) class->space.in_page[slot];
	at_byte = class->space.at_byte[slot];
	if (at_byte < class->header) {
		at_byte += pool->config.geometry.page_size;
		in_page--;
	}
	*page = zs_zspage_page(pool, zspage, in_page);
	*offset = at_byte - class->header;
	return ZS_OK;
}

/* ---- lists ---------------------------------------------------------------------------------- */

/* The head of a group's list, or ZS_NONE if the class or the group isn't there. */
static uint32_t group_head(const struct zs_pool *pool, uint32_t index, uint32_t group)
{
	const struct zs_class *class = kept_class(pool, index);

	return class != NULL && group < class->groups ? lists_head(class, group) : ZS_NONE;
}

uint32_t zs_group_size(const struct zs_pool *pool, uint32_t index, uint32_t group)
{
	uint32_t head = group_head(pool, index, group);

	return head == ZS_NONE ? 0 : (uint32_t)pool->zspages.ring.count[head];
}

static uint32_t after(const struct zs_pool *pool, uint32_t record)
{
	uint32_t next = pool->zspages.ring.next[record];

	return next < pool->zspages.ring.heads ? ZS_NONE : next;
}

uint32_t zs_group_first(const struct zs_pool *pool, uint32_t index, uint32_t group)
{
	uint32_t head = group_head(pool, index, group);

	return head == ZS_NONE ? ZS_NONE : after(pool, head);
}

uint32_t zs_group_next(const struct zs_pool *pool, uint32_t zspage)
{
	return pool_holds(pool, zspage) ? after(pool, zspage) : ZS_NONE;
}
