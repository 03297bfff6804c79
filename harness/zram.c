/* SPDX-License-Identifier: BSD-3-Clause */
#include "zram.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

struct entry {
	zs_handle handle;   /* of the object, if size isn't 0 */
	unsigned long word; /* what the page is filled with, if it is */
	uint32_t size;      /* of the object; a page's: stored raw */
	bool held;          /* the slot holds a page */
};

struct zram {
	struct zram_options options;
	void *pool;
	size_t page_size;
	size_t huge;
	void *local; /* a page, for objects that span two */
	struct entry *entries;
	struct zram_mm_stat stat; /* those that aren't the backend's to say */
};

/* ---- creation -------------------------------------------------------------------------------- */

static void release(struct zram *zram)
{
	free(zram->entries);
	free(zram->local);
	free(zram);
}

static int set_up(struct zram *zram)
{
	const struct zram_options *options = &zram->options;
	int error;

	zram->page_size = options->config.geometry.page_size;
	zram->entries = calloc(options->slots, sizeof(*zram->entries));
	zram->local = malloc(zram->page_size);
	if (!zram->entries || !zram->local)
		return ZS_ENOMEM;
	error = options->backend->create(&options->config, &zram->pool);
	if (!error)
		zram->huge = options->backend->huge_class_size(zram->pool);
	return error;
}

int zram_create(const struct zram_options *options, struct zram **zram)
{
	struct zram *made = calloc(1, sizeof(*made));
	int error;

	if (!made)
		return ZS_ENOMEM;
	made->options = *options;
	error = set_up(made);
	if (error)
		release(made);
	else
		*zram = made;
	return error;
}

int zram_destroy(struct zram *zram)
{
	int error = zram->options.backend->destroy(zram->pool);

	if (!error)
		release(zram);
	return error;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void adjust(uint64_t *sum, uint64_t by, bool more)
{
	*sum = more ? *sum + by : *sum - by;
}

/* Counts what an entry holds, or doesn't any more. */
static void count(struct zram *zram, const struct entry *entry, bool more)
{
	struct zram_mm_stat *stat = &zram->stat;

	if (!entry->held)
		return;
	adjust(&stat->orig_data_size, zram->page_size, more);
	adjust(&stat->compr_data_size, entry->size, more);
	adjust(&stat->same_pages, !entry->size, more);
	adjust(&stat->huge_pages, entry->size == zram->page_size, more);
}

/* An object of its own, within the limit. */
static int allocate(struct zram *zram, struct entry *entry)
{
	const struct backend *backend = zram->options.backend;
	uint64_t limit = zram->options.mem_limit, used;
	int error = backend->malloc(zram->pool, entry->size, &entry->handle);

	if (error)
		return error;
	used = backend->total_pages(zram->pool) * zram->page_size;
	if (used > zram->stat.mem_used_max)
		zram->stat.mem_used_max = used;
	if (!limit || used <= limit)
		return ZS_OK;
	backend->free(zram->pool, entry->handle);
	return ZS_ENOMEM;
}

static int store(struct zram *zram, const void *page, struct entry *entry)
{
	const struct backend *backend = zram->options.backend;
	const void *bytes;
	size_t compressed = codec_compress(zram->options.codec, page, zram->page_size, &bytes);
	int error;

	if (!compressed)
		return ZS_ECORRUPT;
	entry->size = (uint32_t)device_stored_size(compressed, zram->huge, zram->page_size);
	error = allocate(zram, entry);
	if (error)
		return error;
	if (entry->size == zram->page_size)
		bytes = page;
	error = backend->write(zram->pool, entry->handle, bytes, entry->size);
	if (error)
		backend->free(zram->pool, entry->handle);
	return error;
}

/* Puts an entry in place of a slot's, whose object goes. */
static int replace(struct zram *zram, uint32_t slot, struct entry entry)
{
	struct entry *old = &zram->entries[slot];
	int error = old->size ? zram->options.backend->free(zram->pool, old->handle) : ZS_OK;

	if (error)
		return error;
	count(zram, old, false);
	count(zram, &entry, true);
	*old = entry;
	return ZS_OK;
}

int zram_write(struct zram *zram, uint32_t slot, const void *page)
{
	struct entry entry = { .held = true };
	int error = ZS_OK;

	if (slot >= zram->options.slots)
		return ZS_EINVAL;
	if (device_same_filled(page, zram->page_size))
		memcpy(&entry.word, page, sizeof(entry.word));
	else
		error = store(zram, page, &entry);
	if (error)
		return error;
	error = replace(zram, slot, entry);
	if (error && entry.size)
		zram->options.backend->free(zram->pool, entry.handle);
	if (!error)
		zram->stat.huge_pages_since += entry.size == zram->page_size;
	return error;
}

int zram_free(struct zram *zram, uint32_t slot)
{
	if (slot >= zram->options.slots)
		return ZS_EINVAL;
	return replace(zram, slot, (struct entry){ .held = false });
}

/* ---- reading --------------------------------------------------------------------------------- */

static void fill(void *page, size_t size, unsigned long word)
{
	for (size_t i = 0; i < size; i += sizeof(word))
		memcpy((char *)page + i, &word, sizeof(word));
}

static int load(struct zram *zram, const struct entry *entry, void *page)
{
	const struct backend *backend = zram->options.backend;
	struct zs_view view;
	int error = backend->read_begin(zram->pool, entry->handle, entry->size, zram->local, &view);

	if (error)
		return error;
	if (entry->size == zram->page_size)
		memcpy(page, view.data, zram->page_size);
	else if (codec_decompress(zram->options.codec, view.data, entry->size, page,
				  zram->page_size))
		error = ZS_ECORRUPT;
	/* The window is open, so there is nothing else that it could say. */
	return backend->read_end(zram->pool, &view) ? ZS_EINVAL : error;
}

int zram_read(struct zram *zram, uint32_t slot, void *page)
{
	const struct entry *entry;

	if (slot >= zram->options.slots)
		return ZS_EINVAL;
	entry = &zram->entries[slot];
	if (entry->size)
		return load(zram, entry, page);
	fill(page, zram->page_size, entry->word);
	return ZS_OK;
}

/* ---- the rest -------------------------------------------------------------------------------- */

uint64_t zram_compact(struct zram *zram)
{
	return zram->options.backend->compact(zram->pool);
}

void *zram_pool(struct zram *zram)
{
	return zram->pool;
}

void zram_mm_stat(struct zram *zram, struct zram_mm_stat *stat)
{
	const struct backend *backend = zram->options.backend;
	struct zs_pool_stats pool = { .version = 0 };

	backend->pool_stats(zram->pool, &pool);
	*stat = zram->stat;
	stat->mem_used_total = backend->total_pages(zram->pool) * zram->page_size;
	stat->mem_limit = zram->options.mem_limit;
	stat->pages_compacted = pool.pages_compacted;
	stat->objs_moved = pool.objs_moved;
}
