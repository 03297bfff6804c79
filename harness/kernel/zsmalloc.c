/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The real mm/zsmalloc.c as a backend. It is included here, so that its static state is within reach; what it
 * copies while compacting is counted.
 */
#include "../backend_without.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the kernel's file ----------------------------------------------------------------------- */

static void copied(const void *to, size_t bytes);

static __always_inline void *counted_memcpy(const char *function, void *to, const void *from,
					    size_t bytes)
{
	if (!__builtin_strcmp(function, "zs_object_copy"))
		copied(to, bytes);
	return __builtin_memcpy(to, from, bytes);
}

#include "names.h"
#define memcpy(to, from, bytes) counted_memcpy(__func__, to, from, bytes)
#include SHIM_SOURCE
#undef memcpy
#include "names_end.h"
#include "wrapper.h"

#define HEADER ZS_HANDLE_SIZE
#define CLASSES ((uint32_t)ZS_SIZE_CLASSES)
#define GROUPS ARRAY_SIZE(((struct size_class *)NULL)->fullness_list)
#define FULL (GROUPS - 1)
/* What follows the groups in class->stats.objs. */
#define ALLOCATED GROUPS
#define INUSE (GROUPS + 1)

/* ---- pools ----------------------------------------------------------------------------------- */

struct moves {
	uint64_t copies, bytes; /* headers included */
	uint64_t pages_compacted;
};

struct kernel_pool {
	struct machine machine;
	struct linux_zs_pool *zs;
	uint64_t pages_peak, pages_migrated;
	size_t metadata_peak; /* bytes of handles and zspages */
	uint32_t locks;       /* pages locked */
	struct moves moves[CLASSES];
};

/* The window that's open; the kernel has one map area for each CPU. */
static SHIM_PER_THREAD struct {
	struct kernel_pool *pool;
	zs_handle handle;
	uint32_t zspage;
} window;

static struct kernel_pool *enter(void *pool)
{
	machine_enter(&((struct kernel_pool *)pool)->machine);
	return pool;
}

/* The class with that index of its own, as not merged into another; NULL: none. */
static struct size_class *class_at(const struct kernel_pool *pool, uint32_t index)
{
	struct size_class *class = index < CLASSES ? pool->zs->size_class[index] : NULL;

	return class && class->index == index ? class : NULL;
}

static uint64_t stat(const struct size_class *class, size_t item)
{
	return class->stats.objs[item];
}

static void copied(const void *to, size_t bytes)
{
	struct kernel_pool *pool = container_of(machine, struct kernel_pool, machine);
	struct moves *moves = &pool->moves[get_zspage(virt_to_page(to))->class];

	moves->copies++;
	moves->bytes += bytes;
}

/* Any copy of a part of an object counts for it in proportion. */
static uint64_t objs_moved(const struct kernel_pool *pool, const struct size_class *class)
{
	return pool->moves[class->index].bytes / class->size;
}

/* ---- places ---------------------------------------------------------------------------------- */

static struct zspage *held(const struct kernel_pool *pool, uint32_t zspage)
{
	return cache_object(pool->zs->zspage_cachep, zspage);
}

static uint32_t number_of(const struct kernel_pool *pool, const struct zspage *zspage)
{
	return cache_number(pool->zs->zspage_cachep, zspage);
}

static struct zspage *zspage_of(zs_handle handle, uint32_t *slot)
{
	struct page *page;

	obj_to_location(handle_to_obj(handle), &page, slot);
	return get_zspage(page);
}

/* The index-th page; NULL: it has fewer. */
static struct page *page_at(struct zspage *zspage, uint32_t index)
{
	struct page *page = get_first_page(zspage);

	while (page && index--)
		page = get_next_page(page);
	return page;
}

static uint32_t page_number(const struct page *page)
{
	return (uint32_t)(page - machine->map);
}

static size_t offset_of(const struct size_class *class, uint32_t slot)
{
	return class->size * slot;
}

/* 0: none. */
static zs_handle handle_in(const struct size_class *class, struct zspage *zspage, uint32_t slot)
{
	size_t offset = offset_of(class, slot);
	struct page *page = page_at(zspage, (uint32_t)(offset >> PAGE_SHIFT));
	char *address = page_address(page);
	unsigned long handle;

	return obj_allocated(page, address + offset_in_page(offset), &handle) ? handle : 0;
}

static size_t usable(const struct size_class *class, struct zspage *zspage)
{
	return class->size - (ZsHugePage(zspage) ? 0 : HEADER);
}

static size_t usable_of(const struct kernel_pool *pool, zs_handle handle)
{
	uint32_t slot;
	struct zspage *zspage = zspage_of(handle, &slot);

	return usable(zspage_class(pool->zs, zspage), zspage);
}

/* ---- configuration --------------------------------------------------------------------------- */

static int kernel_create(const struct zs_config *config, void **pool);
static int kernel_destroy(void *pool);

_Static_assert(GROUPS == 4 || GROUPS == 12, "groupings that zs.h has");

/* Pages of a zspage, by zs.h's rule. */
static uint32_t chain_by(uint32_t rule, uint32_t size)
{
	uint32_t pages = 1, best = rule == ZS_USED_PERCENT ? 0 : UINT32_MAX;

	if (rule == ZS_LEAST_WASTE && is_power_of_2(size))
		return 1;
	for (uint32_t i = 1; i <= ZS_MAX_PAGES_PER_ZSPAGE; i++) {
		uint32_t bytes = i * (uint32_t)PAGE_SIZE, waste = bytes % size;
		uint32_t percent = (uint32_t)((bytes - waste) * 100UL / bytes);
		bool better = rule == ZS_USED_PERCENT ? percent > best : waste < best;

		if (better) {
			best = rule == ZS_USED_PERCENT ? percent : waste;
			pages = i;
		}
	}
	return pages;
}

static bool follows(const struct kernel_pool *pool, uint32_t rule)
{
	const struct size_class *class;

	for (uint32_t i = 0; i < CLASSES; i++) {
		class = class_at(pool, i);
		if (class && chain_by(rule, class->size) != class->pages_per_zspage)
			return false;
	}
	return true;
}

static struct kernel_pool *make(const struct zs_config *config)
{
	uint64_t objects = config->max_pages * (PAGE_SIZE / ZS_MIN_ALLOC_SIZE);
	const struct machine_source source = source_of(config);
	struct kernel_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	if (!machine_init(&pool->machine, config->max_pages, min_t(uint32_t, objects, INT32_MAX),
			  &source)) {
		free(pool);
		return NULL;
	}
	enter(pool);
	pool->zs = linux_zs_create_pool("zsanity");
	if (pool->zs && config->max_objects)
		cache_limit(pool->zs->handle_cachep, config->max_objects);
	if (pool->zs)
		return pool;
	machine_end(&pool->machine);
	free(pool);
	return NULL;
}

/* The rule that its class table is of; seen once. ZS_LEAST_WASTE if it's none of them. */
static uint32_t rule_followed(void)
{
	static uint32_t rule = UINT32_MAX;
	const struct zs_config config = { .max_pages = 1 };
	struct kernel_pool *pool;

	if (rule != UINT32_MAX)
		return rule;
	pool = make(&config);
	if (!pool)
		return ZS_LEAST_WASTE;
	rule = follows(pool, ZS_USED_PERCENT) ? ZS_USED_PERCENT : ZS_LEAST_WASTE;
	kernel_destroy(pool);
	return rule;
}

static void kernel_preset(struct zs_config *config)
{
	*config = (struct zs_config){
		.geometry = {
			.page_size = PAGE_SIZE,
			.min_size = ZS_MIN_ALLOC_SIZE,
			.class_step = ZS_SIZE_CLASS_DELTA,
			.header = HEADER,
			.chain = ZS_MAX_PAGES_PER_ZSPAGE,
			.chain_rule = rule_followed(),
			.tag_bits = 12,
			.generation_bits = 20,
		},
		.grouping = GROUPS == 4 ? ZS_THRESHOLD : ZS_RATIO,
		.algorithm = GROUPS == 4 ? ZS_SOURCE : ZS_DESTINATION,
		.max_pages = 1u << 18,
		.handle_batch = 64,
		.tag = ZS_TAG_AUTO,
	};
}

static const char *kernel_fits(const struct zs_config *config)
{
	static const char *const rules[] = { "least waste", "used percent" };
	static const char *const groupings[] = { "ratio", "threshold" };
	static const char *const algorithms[] = { "destination", "source" };
	static char text[100];
	struct zs_config mine;

	kernel_preset(&mine);
	const struct {
		const char *name;
		uint32_t wanted, got;
		const char *const *words;
	} fields[] = {
		{ "page_size", mine.geometry.page_size, config->geometry.page_size, NULL },
		{ "min_size", mine.geometry.min_size, config->geometry.min_size, NULL },
		{ "class_step", mine.geometry.class_step, config->geometry.class_step, NULL },
		{ "header", mine.geometry.header, config->geometry.header, NULL },
		{ "chain", mine.geometry.chain, config->geometry.chain, NULL },
		{ "chain_rule", mine.geometry.chain_rule, config->geometry.chain_rule, rules },
		{ "grouping", mine.grouping, config->grouping, groupings },
		{ "algorithm", mine.algorithm, config->algorithm, algorithms },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (fields[i].wanted == fields[i].got)
			continue;
		if (fields[i].words)
			snprintf(text, sizeof(text), "%s must be %s with %s", fields[i].name,
				 fields[i].words[fields[i].wanted], SHIM_NAME);
		else
			snprintf(text, sizeof(text), "%s must be %u with %s", fields[i].name,
				 fields[i].wanted, SHIM_NAME);
		return text;
	}
	return wrong_supply(config);
}

/* ---- creation, destruction ------------------------------------------------------------------- */

static int kernel_create(const struct zs_config *config, void **pool)
{
	struct kernel_pool *made;

	if (kernel_fits(config))
		return ZS_EINVAL;
	made = make(config);
	if (!made)
		return ZS_ENOMEM;
	*pool = made;
	return leave(ZS_OK);
}

static void free_objects(struct kernel_pool *pool, struct size_class *class, struct zspage *zspage)
{
	uint32_t left = zspage->inuse;

	for (uint32_t slot = 0; left; slot++) {
		zs_handle handle = handle_in(class, zspage, slot);

		if (!handle)
			continue;
		left--;
		linux_zs_free(pool->zs, handle);
	}
}

static void drain(struct kernel_pool *pool, struct size_class *class)
{
	for (size_t group = 1; group < GROUPS; group++) {
		struct list_head *list = &class->fullness_list[group];

		while (!list_empty(list))
			free_objects(pool, class, list_first_entry(list, struct zspage, list));
	}
}

static int kernel_destroy(void *opaque)
{
	struct kernel_pool *pool = enter(opaque);

	if (window.pool == pool || pool->locks)
		return ZS_EBUSY;
	for (uint32_t i = 0; i < CLASSES; i++)
		if (class_at(pool, i))
			drain(pool, class_at(pool, i));
	linux_zs_destroy_pool(pool->zs);
	if (pool->machine.out)
		SHIM_FAIL("%u pages are out after zs_destroy_pool", pool->machine.out);
	machine_end(&pool->machine);
	free(pool);
	return leave(ZS_OK);
}

/* ---- objects --------------------------------------------------------------------------------- */

static int error_of(long error, size_t size)
{
	if (error == -ENOMEM || !error)
		return ZS_ENOMEM;
	return size > PAGE_SIZE ? ZS_E2BIG : ZS_EINVAL;
}

static int kernel_malloc(void *opaque, size_t size, zs_handle *handle)
{
	struct kernel_pool *pool = enter(opaque);
	unsigned long got =
		linux_zs_malloc(pool->zs, size, GFP_KERNEL | __GFP_HIGHMEM | __GFP_MOVABLE);

	if (IS_ERR_OR_NULL((void *)got))
		return leave(error_of((long)got, size));
	pool->pages_peak = max(pool->pages_peak, linux_zs_get_total_pages(pool->zs));
	pool->metadata_peak =
		max(pool->metadata_peak,
		    cache_bytes(pool->zs->handle_cachep) + cache_bytes(pool->zs->zspage_cachep));
	*handle = got;
	return leave(ZS_OK);
}

static int kernel_free(void *opaque, zs_handle handle)
{
	struct kernel_pool *pool = enter(opaque);

	linux_zs_free(pool->zs, handle);
	return leave(ZS_OK);
}

static int kernel_usable_size(void *opaque, zs_handle handle, size_t *size)
{
	*size = usable_of(enter(opaque), handle);
	return ZS_OK;
}

static int kernel_read_begin(void *opaque, zs_handle handle, size_t len, void *local,
			     struct zs_view *view)
{
	struct kernel_pool *pool = enter(opaque);
	uint32_t slot;

	(void)local;
	if (window.pool)
		return ZS_EBUSY;
	if (!len || len > usable_of(pool, handle))
		return ZS_EINVAL;
	window.pool = pool;
	window.handle = handle;
	window.zspage = number_of(pool, zspage_of(handle, &slot));
	*view = (struct zs_view){ zs_map_object(pool->zs, handle, ZS_MM_RO), len, window.zspage };
	return ZS_OK;
}

static int kernel_read_end(void *opaque, const struct zs_view *view)
{
	struct kernel_pool *pool = enter(opaque);

	if (window.pool != pool || window.zspage != view->zspage)
		return ZS_EINVAL;
	zs_unmap_object(pool->zs, window.handle);
	window.pool = NULL;
	return leave(ZS_OK);
}

/* Only what's written whole need not be read first. */
static int kernel_write(void *opaque, zs_handle handle, const void *data, size_t len)
{
	struct kernel_pool *pool = enter(opaque);
	size_t room = usable_of(pool, handle);

	if (!len || len > room)
		return ZS_EINVAL;
	memcpy(zs_map_object(pool->zs, handle, len == room ? ZS_MM_WO : ZS_MM_RW), data, len);
	zs_unmap_object(pool->zs, handle);
	return leave(ZS_OK);
}

/* ---- pages ----------------------------------------------------------------------------------- */

#ifdef CONFIG_COMPACTION

static bool any_locked(struct zspage *zspage)
{
	struct page *page = get_first_page(zspage);

	while (page && !PageLocked(page))
		page = get_next_page(page);
	return page;
}

static void set_aside(struct size_class *class, struct list_head *aside)
{
	struct zspage *zspage, *next;

	list_for_each_entry_safe(zspage, next, &class->fullness_list[0], list)
		if (any_locked(zspage))
			list_move_tail(&zspage->list, aside);
}

/*
 * The kernel's worker waits for each lock in turn. Nobody else runs here, so those it would wait for are
 * out of its sight for the time, and it stays due.
 */
static void run_deferred(struct kernel_pool *pool)
{
	LIST_HEAD(aside);
	struct zspage *zspage, *next;

	for (uint32_t i = 0; i < CLASSES; i++)
		if (class_at(pool, i))
			set_aside(class_at(pool, i), &aside);
	flush_work(&pool->zs->free_work);
	if (!list_empty(&aside))
		schedule_work(&pool->zs->free_work);
	list_for_each_entry_safe(zspage, next, &aside, list)
		list_move_tail(&zspage->list, &zspage_class(pool->zs, zspage)->fullness_list[0]);
}

static int kernel_page_lock(void *opaque, zs_handle handle, uint32_t index, struct zs_page_ref *ref)
{
	struct kernel_pool *pool = enter(opaque);
	uint32_t slot;
	struct zspage *zspage = zspage_of(handle, &slot);
	struct page *page = page_at(zspage, index);

	if (!page)
		return ZS_EINVAL;
	if (!trylock_page(page))
		return ZS_EBUSY;
	pool->locks++;
	*ref = (struct zs_page_ref){ number_of(pool, zspage), index };
	return ZS_OK;
}

/* NULL: not a locked page. */
static struct page *locked_page(struct kernel_pool *pool, struct zs_page_ref ref)
{
	struct zspage *zspage = held(pool, ref.zspage);
	struct page *page = zspage ? page_at(zspage, ref.index) : NULL;

	return page && PageLocked(page) ? page : NULL;
}

static int kernel_page_unlock(void *opaque, struct zs_page_ref ref)
{
	struct kernel_pool *pool = enter(opaque);
	struct page *page = locked_page(pool, ref);

	if (!page)
		return ZS_EINVAL;
	unlock_page(page);
	pool->locks--;
	if (pool->zs->free_work.pending)
		run_deferred(pool);
	return leave(ZS_OK);
}

static int kernel_page_migrate(void *opaque, struct zs_page_ref ref)
{
	struct kernel_pool *pool = enter(opaque);
	struct page *page = locked_page(pool, ref);
	int error;

	if (!page)
		return ZS_EINVAL;
	if (window.pool)
		return ZS_EBUSY;
	error = shim_migrate(page);
	pool->pages_migrated += !error;
	if (error)
		error = error == -ENOMEM ? ZS_ENOMEM : ZS_EBUSY;
	return leave(error);
}

#define PAGES                                                             \
	.page_lock = kernel_page_lock, .page_unlock = kernel_page_unlock, \
	.page_migrate = kernel_page_migrate
#define PAGES_TRAIT 0

#else

#define PAGES BACKEND_WITHOUT_PAGES
#define PAGES_TRAIT BACKEND_NO_PAGES

#endif

/* ---- compaction ------------------------------------------------------------------------------ */

/* Those that compaction makes fewer; each one that it empties it frees, or counts as freed. */
static uint64_t zspages_with_objects(const struct size_class *class)
{
	uint64_t zspages = 0;

	for (size_t group = 1; group < GROUPS; group++)
		zspages += stat(class, group);
	return zspages;
}

static uint64_t kernel_compact(void *opaque)
{
	struct kernel_pool *pool = enter(opaque);
	uint64_t before[CLASSES], freed;

	if (window.pool)
		return 0;
	for (uint32_t i = 0; i < CLASSES; i++)
		if (class_at(pool, i))
			before[i] = zspages_with_objects(class_at(pool, i));
	freed = linux_zs_compact(pool->zs);
	for (uint32_t i = 0; i < CLASSES; i++) {
		const struct size_class *class = class_at(pool, i);

		if (class)
			pool->moves[i].pages_compacted +=
				(before[i] - zspages_with_objects(class)) * class->pages_per_zspage;
	}
	leave(ZS_OK);
	return freed;
}

static int kernel_compact_class(void *opaque, uint32_t index, uint64_t *pages_freed)
{
	struct kernel_pool *pool = enter(opaque);
	struct size_class *class = index < CLASSES ? pool->zs->size_class[index] : NULL;

	if (!class)
		return ZS_EINVAL;
	if (window.pool)
		return ZS_EBUSY;
	*pages_freed = __zs_compact(pool->zs, class);
	pool->moves[class->index].pages_compacted += *pages_freed;
	atomic_long_add(*pages_freed, &pool->zs->stats.pages_compacted);
	return leave(ZS_OK);
}

/* ---- queries --------------------------------------------------------------------------------- */

static uint64_t kernel_class_compactable(void *opaque, uint32_t index)
{
	struct size_class *class = class_at(enter(opaque), index);

	return class ? zs_can_compact(class) : 0;
}

static uint64_t kernel_compactable(void *opaque)
{
	uint64_t pages = 0;

	for (uint32_t i = 0; i < CLASSES; i++)
		pages += kernel_class_compactable(opaque, i);
	return pages;
}

static uint64_t kernel_total_pages(void *opaque)
{
	return linux_zs_get_total_pages(enter(opaque)->zs);
}

static size_t kernel_huge_class_size(void *opaque)
{
	return linux_zs_huge_class_size(enter(opaque)->zs);
}

static uint32_t kernel_class_count(void *opaque)
{
	(void)opaque;
	return CLASSES;
}

static uint32_t kernel_lookup_class_index(void *opaque, size_t size)
{
	struct kernel_pool *pool = enter(opaque);
	int index = get_size_class_index((int)(min(size, PAGE_SIZE) + HEADER));

	return pool->zs->size_class[index]->index;
}

static int kernel_pool_stats(void *opaque, struct zs_pool_stats *stats)
{
	struct kernel_pool *pool = enter(opaque);

	*stats = (struct zs_pool_stats){
		.version = ZS_STATS_VERSION,
		.pages = linux_zs_get_total_pages(pool->zs),
		.pages_peak = pool->pages_peak,
		.pages_compacted = (uint64_t)atomic_long_read(&pool->zs->stats.pages_compacted),
		.pages_migrated = pool->pages_migrated,
		.metadata_bytes = sizeof(*pool->zs) + pool->metadata_peak,
	};
	for (uint32_t i = 0; i < CLASSES; i++) {
		const struct size_class *class = class_at(pool, i);

		if (!class)
			continue;
		stats->classes++;
		stats->metadata_bytes += sizeof(*class);
		stats->objects += stat(class, INUSE);
		stats->zspages += stat(class, ALLOCATED) / class->objs_per_zspage;
		stats->objs_moved += objs_moved(pool, class);
	}
	return ZS_OK;
}

static int kernel_class_stats(void *opaque, uint32_t index, struct zs_class_stats *stats)
{
	struct kernel_pool *pool = enter(opaque);
	const struct size_class *class = index < CLASSES ? pool->zs->size_class[index] : NULL;
	const struct moves *moves;

	if (!class)
		return ZS_EINVAL;
	moves = &pool->moves[class->index];
	*stats = (struct zs_class_stats){
		.version = ZS_STATS_VERSION,
		.index = class->index,
		.size = class->size,
		.pages_per_zspage = class->pages_per_zspage,
		.objs_per_zspage = class->objs_per_zspage,
		.groups = GROUPS,
		.objs_allocated = stat(class, ALLOCATED),
		.objs_inuse = stat(class, INUSE),
		.zspages = stat(class, ALLOCATED) / class->objs_per_zspage,
		.objs_moved = objs_moved(pool, class),
		.pages_compacted = moves->pages_compacted,
		.copies = moves->copies,
		.bytes_moved = moves->bytes - objs_moved(pool, class) * HEADER,
	};
	return ZS_OK;
}

/* ---- inspection ------------------------------------------------------------------------------ */

static int kernel_locate(void *opaque, zs_handle handle, struct zs_location *location)
{
	struct kernel_pool *pool = enter(opaque);
	const struct zspage *zspage = zspage_of(handle, &location->slot);

	location->index = zspage->class;
	location->zspage = number_of(pool, zspage);
	return ZS_OK;
}

static int kernel_zspage_info(void *opaque, uint32_t number, struct zs_zspage_info *info)
{
	struct kernel_pool *pool = enter(opaque);
	struct zspage *zspage = held(pool, number);
	struct page *page;

	if (!zspage)
		return ZS_EINVAL;
	*info = (struct zs_zspage_info){
		.index = zspage->class,
		.group = zspage->fullness,
		.inuse = zspage->inuse,
		.pins = window.pool == pool && window.zspage == number,
	};
	page = get_first_page(zspage);
	for (uint32_t i = 0; page; i++, page = get_next_page(page))
		info->locked |= (uint32_t)PageLocked(page) << i;
	return ZS_OK;
}

/* The class of a slot that there is; NULL: there's no such slot. */
static const struct size_class *class_of_slot(const struct kernel_pool *pool, uint32_t zspage,
					      uint32_t slot)
{
	const struct size_class *class =
		held(pool, zspage) ? zspage_class(pool->zs, held(pool, zspage)) : NULL;

	return class && slot < class->objs_per_zspage ? class : NULL;
}

static zs_handle kernel_slot_handle(void *opaque, uint32_t zspage, uint32_t slot)
{
	struct kernel_pool *pool = enter(opaque);
	const struct size_class *class = class_of_slot(pool, zspage, slot);

	return class ? handle_in(class, held(pool, zspage), slot) : 0;
}

static int kernel_slot_address(void *opaque, uint32_t zspage, uint32_t slot, uint32_t *page,
			       uint32_t *offset)
{
	struct kernel_pool *pool = enter(opaque);
	const struct size_class *class = class_of_slot(pool, zspage, slot);
	size_t bytes;

	if (!class)
		return ZS_EINVAL;
	bytes = offset_of(class, slot);
	*page = page_number(page_at(held(pool, zspage), (uint32_t)(bytes >> PAGE_SHIFT)));
	*offset = (uint32_t)offset_in_page(bytes);
	return ZS_OK;
}

static uint32_t kernel_zspage_page(void *opaque, uint32_t number, uint32_t index)
{
	struct zspage *zspage = held(enter(opaque), number);
	const struct page *page = zspage ? page_at(zspage, index) : NULL;

	return page ? page_number(page) : ZS_NO_PAGE;
}

/* NULL: out of range. */
static struct list_head *list_at(const struct kernel_pool *pool, uint32_t index, uint32_t group)
{
	struct size_class *class = class_at(pool, index);

	return class && group < GROUPS ? &class->fullness_list[group] : NULL;
}

/* 6.1 doesn't count down the empty ones that its worker frees, and nothing reads that; so they're walked. */
static uint32_t kernel_group_size(void *opaque, uint32_t index, uint32_t group)
{
	const struct kernel_pool *pool = enter(opaque);
	const struct list_head *list = list_at(pool, index, group), *at;
	uint32_t count = 0;

	if (!list)
		return 0;
	if (group)
		return (uint32_t)stat(class_at(pool, index), group);
	list_for_each(at, list)
		count++;
	return count;
}

static uint32_t number_in(const struct kernel_pool *pool, const struct list_head *list,
			  const struct list_head *at)
{
	return at == list ? ZS_NONE : number_of(pool, list_entry(at, struct zspage, list));
}

static uint32_t kernel_group_first(void *opaque, uint32_t index, uint32_t group)
{
	const struct kernel_pool *pool = enter(opaque);
	const struct list_head *list = list_at(pool, index, group);

	return list ? number_in(pool, list, list->next) : ZS_NONE;
}

static uint32_t kernel_group_next(void *opaque, uint32_t number)
{
	const struct kernel_pool *pool = enter(opaque);
	const struct zspage *zspage = held(pool, number);

	if (!zspage)
		return ZS_NONE;
	return number_in(pool, list_at(pool, zspage->class, zspage->fullness), zspage->list.next);
}

/* ---- the check ------------------------------------------------------------------------------- */

/* Sums of a class, to be compared with its own. */
struct recount {
	uint64_t zspages[GROUPS];
	uint64_t all, inuse;
};

/* Every slot is in use and named by its own handle, or free. */
static const char *slots_broken(const struct kernel_pool *pool, const struct size_class *class,
				struct zspage *zspage)
{
	uint32_t inuse = 0, slot;

	for (uint32_t i = 0; i < class->objs_per_zspage; i++) {
		zs_handle handle = handle_in(class, zspage, i);

		if (!handle)
			continue;
		inuse++;
		if (!cache_object(pool->zs->handle_cachep,
				  cache_number(pool->zs->handle_cachep, (void *)handle)) ||
		    zspage_of(handle, &slot) != zspage || slot != i)
			return "kernel.handle";
	}
	return inuse == zspage->inuse ? NULL : "kernel.inuse";
}

/* The free list has each free slot once. */
static const char *free_list_broken(const struct size_class *class, struct zspage *zspage)
{
	uint32_t objects = class->objs_per_zspage, at = zspage->freeobj;
	bool seen[objects];

	memset(seen, 0, sizeof(seen));
	for (uint32_t left = objects - zspage->inuse; left; left--) {
		size_t offset = offset_of(class, at);
		const struct link_free *link;

		if (at >= objects || seen[at] || handle_in(class, zspage, at))
			return "kernel.freelist";
		seen[at] = true;
		link = page_address(page_at(zspage, (uint32_t)(offset >> PAGE_SHIFT))) +
		       offset_in_page(offset);
		at = (uint32_t)(link->next >> OBJ_TAG_BITS);
	}
	return NULL;
}

static const char *zspage_broken(const struct kernel_pool *pool, struct size_class *class,
				 struct zspage *zspage, size_t group, struct recount *recount)
{
	const char *broken;

	if (zspage->class != class->index || zspage->fullness != group ||
	    zspage->inuse > class->objs_per_zspage ||
	    (size_t)get_fullness_group(class, zspage) != group)
		return "kernel.group";
	recount->zspages[group]++;
	recount->all++;
	recount->inuse += zspage->inuse;
	broken = slots_broken(pool, class, zspage);
	return broken ? broken : free_list_broken(class, zspage);
}

static const char *class_broken(const struct kernel_pool *pool, struct size_class *class,
				struct recount *recount)
{
	struct zspage *zspage;

	for (size_t group = 0; group < GROUPS; group++) {
		list_for_each_entry(zspage, &class->fullness_list[group], list) {
			const char *broken = zspage_broken(pool, class, zspage, group, recount);

			if (broken)
				return broken;
		}
		if (group && recount->zspages[group] != stat(class, group))
			return "kernel.stats";
	}
	if (recount->all * class->objs_per_zspage != stat(class, ALLOCATED) ||
	    recount->inuse != stat(class, INUSE))
		return "kernel.stats";
	return NULL;
}

static int kernel_check(void *opaque, struct zs_broken *broken)
{
	struct kernel_pool *pool = enter(opaque);
	uint64_t pages = 0;

	for (uint32_t i = 0; i < CLASSES; i++) {
		struct size_class *class = class_at(pool, i);
		struct recount recount = { .all = 0 };

		if (!class)
			continue;
		broken->invariant = class_broken(pool, class, &recount);
		broken->where = i;
		if (broken->invariant)
			return ZS_ECORRUPT;
		pages += recount.all * class->pages_per_zspage;
	}
	if (pages == linux_zs_get_total_pages(pool->zs) && pages == pool->machine.out)
		return ZS_OK;
	*broken = (struct zs_broken){ "kernel.pages", pages };
	return ZS_ECORRUPT;
}

/* ---- the plug-in ----------------------------------------------------------------------------- */

static const struct backend backend = {
	.name = SHIM_NAME,
	.create = kernel_create,
	.destroy = kernel_destroy,
	.malloc = kernel_malloc,
	.free = kernel_free,
	.usable_size = kernel_usable_size,
	.read_begin = kernel_read_begin,
	.read_end = kernel_read_end,
	.write = kernel_write,
	PAGES,
	.compact = kernel_compact,
	.compact_class = kernel_compact_class,
	.compactable = kernel_compactable,
	.class_compactable = kernel_class_compactable,
	.total_pages = kernel_total_pages,
	.huge_class_size = kernel_huge_class_size,
	.class_count = kernel_class_count,
	.lookup_class_index = kernel_lookup_class_index,
	.pool_stats = kernel_pool_stats,
	.class_stats = kernel_class_stats,
	.locate = kernel_locate,
	.zspage_info = kernel_zspage_info,
	.slot_handle = kernel_slot_handle,
	.slot_address = kernel_slot_address,
	.zspage_page = kernel_zspage_page,
	.group_size = kernel_group_size,
	.group_first = kernel_group_first,
	.group_next = kernel_group_next,
	.check = kernel_check,
	.traits = BACKEND_TRUSTS | BACKEND_ONE_WINDOW | PAGES_TRAIT,
	.fits = kernel_fits,
	.preset = kernel_preset,
};

EXPORT_PLUGIN(backend);
