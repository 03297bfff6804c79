/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_geometry - any settings of a pool: accepted, and then right; or refused, and then for the
 * reason given. What is right is the reference model's to say (model.h), which knows zs.h alone.
 *
 * Input: a header of HEADER bytes, then records of 4, one operation each. The header:
 *   0, 1   little-endian mask: fields taken as they are, bit = enum model_field
 *   2      bit 0: the arena is aligned to 8 bytes only
 *   3      the classes whose slots are looked at, if not all: every so many-th
 *   4 ..   a little-endian value of 32 bits a field
 * A field that isn't taken as it is comes from the field's range, or from its borders when the
 * value's top four bits are set. Zeros are a pool that can be.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdbool.h>
#include <string.h>

#include "backend.h"
#include "counters.h"
#include "fail.h"
#include "model.h"
#include "replay.h"
#include "target.h"

FAIL_DEFINE(complaint, "config.complaint")
FAIL_DEFINE(result, "config.result")
FAIL_DEFINE(unchanged, "config.unchanged")
FAIL_DEFINE(footprint, "config.footprint")
FAIL_DEFINE(slots, "config.slots")

#define FIELDS MODEL_FIELDS
#define HEADER (4 + 4 * FIELDS)
#define RECORD 4
#define MOST_OPS 24              /* all is compared after each */
#define SMALL_BYTES (1u << 20)   /* of a pool that is filled with life */
#define MOST_SLOTS 4096          /* looked at in a pool */
#define CHECKED_PAGES (1u << 16) /* most of a pool that is walked: a bit for each is cleared then */
#define UNTOUCHED 0xa5

/* ---- settings -------------------------------------------------------------------------------- */

static uint32_t two_bytes(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

static bool at_border(uint32_t value)
{
	return value >> 28 == 15;
}

/* low, low + step, .. high; or a value at a border or just past it. */
static uint32_t within(uint32_t value, uint32_t low, uint32_t high, uint32_t step)
{
	const int64_t l = low, h = high;
	const int64_t borders[] = { l - step, l - 1, l, l + 1, h - 1, h, h + 1, h + step };

	if (at_border(value))
		return (uint32_t)borders[value % 8];
	return low + value % ((high - low) / step + 1) * step;
}

/* Mostly below few; the rest of the range when the value's top four bits are 14. */
static uint32_t mostly_few(uint32_t value, uint32_t low, uint32_t high, uint32_t few)
{
	return within(value, low, value >> 28 == 14 || at_border(value) ? high : few, 1);
}

static uint32_t page_size(uint32_t value)
{
	uint32_t exponent = within(value, 6, 16, 1);

	return (1u << exponent) + (at_border(value) && value & 8 ? 8 : 0);
}

/* The smallest step that makes no more than 257 classes. */
static uint32_t least_step(const struct zs_geometry *g)
{
	return ((g->page_size - g->min_size + 255) / 256 + 7) / 8 * 8;
}

static void choose_geometry(struct zs_geometry *g, const uint32_t *values)
{
	uint32_t page = g->page_size = page_size(values[MODEL_PAGE_SIZE]);
	uint32_t least;

	g->min_size = within(values[MODEL_MIN_SIZE], 8, page, 8);
	least = g->min_size < page ? least_step(g) : 8;
	g->class_step = within(values[MODEL_CLASS_STEP], least < page ? least : 8, page, 8);
	g->header = within(values[MODEL_HEADER], 0, g->min_size > 8 ? 8 : 0, 8);
	g->chain = within(values[MODEL_CHAIN_LENGTH], 1, 16, 1);
	g->chain_rule = within(values[MODEL_CHAIN_RULE], ZS_LEAST_WASTE, ZS_USED_PERCENT, 1);
	g->tag_bits = within(values[MODEL_TAG_BITS], 2, 12, 1);
	g->generation_bits = within(values[MODEL_GENERATION_BITS], 2, 20, 1);
}

static void choose_config(struct zs_config *config, const uint32_t *values)
{
	memset(config, 0, sizeof(*config));
	choose_geometry(&config->geometry, values);
	config->grouping = within(values[MODEL_GROUPING], ZS_RATIO, ZS_EXACT, 1);
	config->algorithm = within(values[MODEL_ALGORITHM], ZS_DESTINATION, ZS_OPTIMAL, 1);
	config->max_pages = mostly_few(values[MODEL_MAX_PAGES], 1, 1u << 26, 64);
	config->max_objects = mostly_few(values[MODEL_MAX_OBJECTS], 0, INT32_MAX, 64);
	config->handle_batch = within(values[MODEL_HANDLE_BATCH], 1, 64, 1);
	config->tag = within(values[MODEL_TAG], 0, (1u << config->geometry.tag_bits) - 1, 1);
}

/* What the mask says is taken as it is. */
static void take_raw(struct zs_config *config, const uint32_t *values, uint32_t mask)
{
	struct zs_geometry *g = &config->geometry;
	uint32_t *const fields[FIELDS] = {
		[MODEL_PAGE_SIZE] = &g->page_size,
		[MODEL_MIN_SIZE] = &g->min_size,
		[MODEL_CLASS_STEP] = &g->class_step,
		[MODEL_HEADER] = &g->header,
		[MODEL_CHAIN_LENGTH] = &g->chain,
		[MODEL_CHAIN_RULE] = &g->chain_rule,
		[MODEL_TAG_BITS] = &g->tag_bits,
		[MODEL_GENERATION_BITS] = &g->generation_bits,
		[MODEL_GROUPING] = &config->grouping,
		[MODEL_ALGORITHM] = &config->algorithm,
		[MODEL_MAX_PAGES] = &config->max_pages,
		[MODEL_MAX_OBJECTS] = &config->max_objects,
		[MODEL_HANDLE_BATCH] = &config->handle_batch,
		[MODEL_TAG] = &config->tag,
	};

	for (uint32_t field = 0; field < FIELDS; field++)
		if (mask >> field & 1)
			*fields[field] = values[field];
}

static void decode_config(struct zs_config *config, const uint8_t *header)
{
	const uint8_t *at = header + 4;
	uint32_t values[FIELDS];

	for (uint32_t field = 0; field < FIELDS; field++, at += 4)
		values[field] = two_bytes(at) | two_bytes(at + 2) << 16;
	choose_config(config, values);
	take_raw(config, values, two_bytes(header));
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static bool in_word(char c)
{
	return (c >= 'a' && c <= 'z') || c == '_';
}

/* The field that a sentence names first, or FIELDS. */
static uint32_t first_named(const char *sentence)
{
	while (*sentence != '\0') {
		size_t length = 0;

		while (in_word(sentence[length]))
			length++;
		for (uint32_t field = 0; field < FIELDS; field++)
			if (length == strlen(model_field_names[field]) &&
			    strncmp(sentence, model_field_names[field], length) == 0)
				return field;
		sentence += length > 0 ? length : 1;
	}
	return FIELDS;
}

static void see_complaint(const struct zs_config *config)
{
	const char *complaint = zs_config_complaint(config);
	uint32_t wrong = model_wrong_fields(config);

	if (complaint == NULL && wrong != 0)
		fail_complaint("none about fields %#x (%s, ..)", wrong,
			       model_field_names[__builtin_ctz(wrong)]);
	if (complaint != NULL && !(wrong >> first_named(complaint) & 1))
		fail_complaint("'%s', but wrong are fields %#x", complaint, wrong);
}

static void see_result(const char *function, int expected, int got)
{
	if (got != expected)
		fail_result("%s returned %s, not %s", function, zs_error_name(got),
			    zs_error_name(expected));
}

static void see_footprint(const struct zs_config *config, int expected, size_t *metadata,
			  size_t *arena)
{
	const size_t page = config->geometry.page_size;

	*metadata = *arena = UNTOUCHED;
	see_result("zs_pool_footprint", expected, zs_pool_footprint(config, metadata, arena));
	if (expected != ZS_OK && (*metadata != UNTOUCHED || *arena != UNTOUCHED))
		fail_unchanged("a failed zs_pool_footprint stored a size");
	if (expected == ZS_OK && (*metadata == 0 || *arena / page < config->max_pages))
		fail_footprint("%zu bytes of metadata and %zu for %u pages of %zu", *metadata,
			       *arena, config->max_pages, page);
}

/* No pool comes of a configuration that is refused, and nothing is written. */
static void see_refused(const struct zs_config *config, int expected)
{
	_Alignas(64) uint8_t memory[2][64];
	struct zs_pool *pool = NULL;

	memset(memory, UNTOUCHED, sizeof(memory));
	see_result("zs_pool_create", expected, zs_pool_create(config, &pool));
	see_result("zs_pool_init", expected,
		   zs_pool_init(config, memory[0], SIZE_MAX, memory[1], SIZE_MAX, &pool));
	if (pool != NULL)
		fail_unchanged("a refused configuration gave a pool");
	for (size_t i = 0; i < sizeof(memory); i++)
		if (memory[i / 64][i % 64] != UNTOUCHED)
			fail_unchanged("a refused configuration wrote byte %zu", i);
}

/* ---- a pool of any size ---------------------------------------------------------------------- */

static void see_check(const struct zs_pool *pool)
{
	struct zs_broken broken = { "none", 0 };

	if (zs_check(pool, &broken) != ZS_OK)
		fail_result("zs_check finds %s broken at %llu", broken.invariant,
			    (unsigned long long)broken.where);
}

/* Address space is all it takes until it's used; when there is none, there is no pool. */
static void see_reserved(const struct zs_config *config)
{
	struct zs_pool *pool = NULL;
	zs_handle handle;
	int got = zs_pool_create(config, &pool);

	if (got == ZS_ENOMEM && pool == NULL)
		return;
	see_result("zs_pool_create", ZS_OK, got);
	got = zs_malloc(pool, 1, &handle);
	if (got == ZS_OK) {
		see_result("zs_write", ZS_OK, zs_write(pool, handle, "", 1));
		if (config->max_pages <= CHECKED_PAGES)
			see_check(pool);
		see_result("zs_free", ZS_OK, zs_free(pool, handle));
	} else {
		see_result("zs_malloc", ZS_ENOMEM, got);
	}
	see_result("zs_pool_destroy", ZS_OK, zs_pool_destroy(pool));
}

/* The same settings, fewer pages and objects. */
static void make_small(struct zs_config *config)
{
	uint32_t pages = SMALL_BYTES / config->geometry.page_size;

	if (config->max_pages > pages)
		config->max_pages = pages;
	if (config->max_objects > pages)
		config->max_objects = pages;
	if (config->tag == ZS_TAG_AUTO)
		config->tag =
			0; /* that of the other pool in replay mustn't be the same by chance */
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* Every slot begins where the one before it ends, in pages that are the zspage's and differ. */
static void see_slots(const struct zs_pool *pool, const struct zs_config *config, uint32_t zspage,
		      const struct zs_class_stats *class)
{
	uint32_t page_size = config->geometry.page_size, page, offset;

	for (uint32_t i = 0; i < class->pages_per_zspage; i++) {
		page = zs_zspage_page(pool, zspage, i);
		for (uint32_t j = 0; j < i; j++)
			if (zs_zspage_page(pool, zspage, j) == page)
				fail_slots("pages %u and %u of a zspage are one", j, i);
		if (page >= config->max_pages)
			fail_slots("page %u of a zspage is %u of %u", i, page, config->max_pages);
	}
	for (uint32_t slot = 0; slot < class->objs_per_zspage; slot++) {
		uint32_t start = slot * class->size;

		see_result("zs_slot_address", ZS_OK,
			   zs_slot_address(pool, zspage, slot, &page, &offset));
		if (page != zs_zspage_page(pool, zspage, start / page_size) ||
		    offset != start % page_size)
			fail_slots("slot %u of %u bytes is at page %u, %u, not at byte %u", slot,
				   class->size, page, offset, start);
	}
	see_result("zs_slot_address of a slot too many", ZS_EINVAL,
		   zs_slot_address(pool, zspage, class->objs_per_zspage, &page, &offset));
	if (class->objs_per_zspage * class->size > class->pages_per_zspage * page_size)
		fail_slots("%u slots of %u bytes in %u pages", class->objs_per_zspage, class->size,
			   class->pages_per_zspage);
}

/* One object of the class, alone in the pool; fails when the pool is shorter than its chain. */
static void see_class(struct zs_pool *pool, const struct zs_config *config,
		      const struct zs_class_stats *class)
{
	size_t size = class->size - config->geometry.header;
	struct zs_location at;
	zs_handle handle;
	int expected = class->pages_per_zspage > config->max_pages ? ZS_ENOMEM : ZS_OK;
	int got = zs_malloc(pool, size, &handle);

	/* Handle entries stay with the class that took them. */
	if (got == ZS_ENOMEM && config->max_objects != 0)
		return;
	see_result("zs_malloc", expected, got);
	if (expected != ZS_OK)
		return;
	see_result("zs_locate", ZS_OK, zs_locate(pool, handle, &at));
	see_slots(pool, config, at.zspage, class);
	see_result("zs_free", ZS_OK, zs_free(pool, handle));
}

static void see_classes(struct zs_pool *pool, const struct zs_config *config, uint32_t every)
{
	uint32_t slots = 0;

	for (uint32_t i = 0; i < zs_class_count(pool) && slots < MOST_SLOTS; i += every) {
		struct zs_class_stats class;

		see_result("zs_class_stats", ZS_OK, zs_class_stats(pool, i, &class, sizeof(class)));
		if (class.index != i)
			continue;
		see_class(pool, config, &class);
		slots += class.objs_per_zspage;
	}
	see_check(pool);
}

/* ---- a pool in memory of exactly its footprint ------------------------------------------------ */

static void see_less_refused(const struct zs_config *config, uint8_t *metadata,
			     size_t metadata_bytes, uint8_t *arena, size_t arena_bytes)
{
	struct zs_pool *pool = NULL;

	see_result("zs_pool_init with a byte of metadata less", ZS_EINVAL,
		   zs_pool_init(config, metadata, metadata_bytes - 1, arena, arena_bytes, &pool));
	see_result("zs_pool_init with a byte of arena less", ZS_EINVAL,
		   zs_pool_init(config, metadata, metadata_bytes, arena, arena_bytes - 1, &pool));
	see_result("zs_pool_init with metadata aligned to 8", ZS_EINVAL,
		   zs_pool_init(config, metadata + 8, metadata_bytes, arena, arena_bytes, &pool));
	see_result("zs_pool_init with an arena aligned to 4", ZS_EINVAL,
		   zs_pool_init(config, metadata, metadata_bytes, arena + 4, arena_bytes, &pool));
	if (pool != NULL)
		fail_unchanged("a refused footprint gave a pool");
}

static void see_exact(const struct zs_config *config, const uint8_t *header)
{
	size_t metadata_bytes, arena_bytes, shift = header[2] & 1 ? 8 : 0;
	struct zs_pool *pool = NULL;
	void *metadata, *memory;

	see_footprint(config, ZS_OK, &metadata_bytes, &arena_bytes);
	memory = malloc(shift + arena_bytes);
	if (memory == NULL || posix_memalign(&metadata, 64, metadata_bytes) != 0)
		abort();
	see_less_refused(config, metadata, metadata_bytes, (uint8_t *)memory + shift, arena_bytes);
	see_result("zs_pool_init", ZS_OK,
		   zs_pool_init(config, metadata, metadata_bytes, (uint8_t *)memory + shift,
				arena_bytes, &pool));
	see_classes(pool, config, header[3] + 1u);
	see_result("zs_pool_destroy", ZS_OK, zs_pool_destroy(pool));
	free(metadata);
	free(memory);
}

/* ---- life ------------------------------------------------------------------------------------ */

static struct op decode_op(const struct zs_geometry *g, const uint8_t *record)
{
	uint64_t value = two_bytes(record + 2);
	struct op op = { .code = record[0] % OP_CODES, .name = record[1] % 16, .value = value };

	switch (op.code) {
	case OP_MALLOC:
		op.value = value * (g->page_size + 2) / 65536 + 1;
		break;
	case OP_READ:
	case OP_PIN:
		op.value = value * (g->page_size + 2) / 65536;
		break;
	case OP_WRITE:
		op.value = OP_ALL;
		op.extra = (uint32_t)value;
		break;
	case OP_LOCK:
		op.value = value % (g->chain + 1);
		break;
	case OP_FAIL:
		op.value = value % 32;
		op.extra = (uint32_t)value / 256 % 4;
		break;
	}
	return op;
}

/* The class table, then operations, everything compared with the model after each. */
static uint64_t live(const struct zs_config *config, const uint8_t *data, size_t size)
{
	const struct replay_options options = { .backend = &backend_core, .full_every = 1 };
	struct replay_result result = { .operations = 0 };
	struct trace trace;

	trace_init(&trace);
	trace.config = *config;
	for (; size >= RECORD && trace.count < MOST_OPS; data += RECORD, size -= RECORD)
		if (trace_add(&trace, decode_op(&config->geometry, data)) != 0)
			abort();
	if (replay(&trace, &options, &result) != 0)
		abort();
	trace_free(&trace);
	return result.operations;
}

/* Life comes first: its oracles say most about a cause. */
static uint64_t see_accepted(const struct zs_config *config, const uint8_t *data, size_t size)
{
	struct zs_config small = *config;
	uint64_t operations;

	make_small(&small);
	operations = live(&small, data + HEADER, size - HEADER);
	see_exact(&small, data);
	see_reserved(config);
	return operations;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t metadata, arena;
	struct zs_config config;
	uint64_t operations = 0;
	int expected;

	if (size < HEADER)
		return 0;
	decode_config(&config, data);
	expected = model_config_error(&config);
	see_complaint(&config);
	see_footprint(&config, expected, &metadata, &arena);
	if (expected == ZS_OK)
		operations = see_accepted(&config, data, size);
	else
		see_refused(&config, expected);
	counters_add(operations + 1);
	return 0;
}
