/* SPDX-License-Identifier: BSD-3-Clause */
#include "generate.h"

#include <stdbool.h>
#include <stdlib.h>

#include "wrap.h"

#define MOST_SIZES 16
#define MOST_NAMES (1u << 14)

struct generator {
	uint64_t state;
	const struct zs_geometry *geometry;
	uint32_t names;
	uint32_t sizes[MOST_SIZES];
	uint32_t size_count; /* 0: any */
	uint32_t weights[OP_CODES];
	size_t period; /* operations of filling, then as many of draining */
	uint32_t live; /* so many at the front of order[] are thought live */
	uint32_t order[MOST_NAMES];
	uint32_t place[MOST_NAMES]; /* order's inverse */
};

uint64_t generate_next(uint64_t *state)
{
	uint64_t x = *state = wrap_add(*state, 0x9e3779b97f4a7c15ULL);

	x = wrap_mul(x ^ (x >> 30), 0xbf58476d1ce4e5b9ULL);
	x = wrap_mul(x ^ (x >> 27), 0x94d049bb133111ebULL);
	return x ^ (x >> 31);
}

static uint32_t draw(uint64_t *state, uint32_t limit)
{
	return (uint32_t)(generate_next(state) >> 32) % limit;
}

static uint32_t below(struct generator *g, uint32_t limit)
{
	return draw(&g->state, limit);
}

static bool one_in(struct generator *g, uint32_t n)
{
	return below(g, n) == 0;
}

/* ---- the configuration ----------------------------------------------------------------------- */

#define ARENA_BYTES (1u << 28) /* most that a generated pool reserves */

#define WIDE_GENERATIONS 20

static void widen(uint64_t *state, struct zs_config *config)
{
	if (draw(state, 4))
		config->geometry.generation_bits = WIDE_GENERATIONS;
}

void generate_config(uint64_t seed, struct zs_config *config)
{
	uint64_t state = seed, header = generate_next(&state);
	struct trace trace;

	/* Decoding a header without records takes no memory, so it can't fail. */
	trace_decode(&trace, (const uint8_t *)&header, sizeof(header));
	*config = trace.config;
	if (!draw(&state, 2))
		config->max_pages = ARENA_BYTES / 65536;
	if (!draw(&state, 4))
		config->max_pages = ARENA_BYTES / config->geometry.page_size / 16;
	widen(&state, config);
}

void generate_pair(uint32_t index, struct zs_config *config)
{
	config->grouping = index % 3;
	config->algorithm = index / 3;
}

void generate_config_of(enum zs_preset preset, uint64_t seed, struct zs_config *config)
{
	uint32_t most;

	zs_config_init(config, preset);
	generate_pair(draw(&seed, GENERATE_PAIRS), config);
	most = ARENA_BYTES / config->geometry.page_size;
	if (config->max_pages > most)
		config->max_pages = most;
	config->tag = 1;
	widen(&seed, config);
}

static uint32_t at_most(uint32_t value, uint32_t most)
{
	return value < most ? value : most;
}

static uint32_t at_least(uint32_t value, uint32_t least)
{
	return value > least ? value : least;
}

static uint32_t to_eight(uint32_t value)
{
	return (value + 7) / 8 * 8;
}

void generate_geometry(uint32_t index, struct zs_geometry *geometry)
{
	static const uint32_t sizes[] = { 8, 16, 24, 32, 56, 128, UINT32_MAX };
	static const uint32_t steps[] = { 8, 24, 16, 40, 104, 56, 8, 248, UINT32_MAX };
	uint32_t i, page, header, least;

	if (index < 4) {
		zs_geometry_init(geometry, (enum zs_preset)index);
		return;
	}
	i = index - 4;
	page = 64u << (i % 11);
	header = i / 11 % 2 * 8;
	*geometry = (struct zs_geometry){
		.page_size = page,
		.header = header,
		.chain = 1 + i % 16,
		.chain_rule = i / 176,
		.tag_bits = 2 + i / 2 % 11,
		.generation_bits = 2 + i / 3 % 19,
	};
	/* No more than 32768 slots in a zspage, nor than 257 classes. */
	least = at_least(to_eight(geometry->chain * page / 32768), 8 + header);
	geometry->min_size = at_most(at_least(sizes[i % 7], least), page);
	least = at_least(to_eight((page - geometry->min_size + 255) / 256), 8);
	geometry->class_step = at_most(at_least(steps[i % 9], least), page);
}

#define SMALL_ARENA_BYTES (1u << 22)

void generate_config_small(uint32_t index, uint64_t seed, struct zs_config *config)
{
	uint32_t few = draw(&seed, 8) ? 64 : 4;

	zs_config_init(config, ZS_TINY);
	generate_geometry(index, &config->geometry);
	config->max_pages =
		at_most(1 + draw(&seed, few), SMALL_ARENA_BYTES / config->geometry.page_size);
	config->max_objects = draw(&seed, 4) ? 0 : 1 + draw(&seed, 48);
	config->handle_batch = 1 + draw(&seed, draw(&seed, 2) ? 4 : 64);
	config->tag = draw(&seed, 1u << config->geometry.tag_bits);
}

/* ---- the character of a trace ---------------------------------------------------------------- */

/* Out of some thousands. */
static const uint32_t usual_weights[OP_CODES] = {
	[OP_MALLOC] = 1000, [OP_FREE] = 1000,         [OP_WRITE] = 800, [OP_READ] = 800,
	[OP_PIN] = 150,     [OP_UNPIN] = 300,         [OP_LOCK] = 100,  [OP_UNLOCK] = 200,
	[OP_MIGRATE] = 100, [OP_COMPACT_CLASS] = 100, [OP_FORGE] = 60,  [OP_FOREIGN] = 20,
	[OP_FAIL] = 20,
};

static void choose_weights(struct generator *g)
{
	uint32_t total = 0, whole;

	for (uint32_t code = 0; code < OP_CODES; code++) {
		g->weights[code] = usual_weights[code];
		if (code > OP_READ && one_in(g, 3))
			g->weights[code] = 0;
		total += g->weights[code];
	}
	/* These look at every object, so the more names, the rarer. */
	whole = g->names < 32 ? 32 : g->names;
	g->weights[OP_COMPACT] = 1 + 2 * total / whole;
	g->weights[OP_CHECK] = 1 + total / whole / 2;
	g->weights[OP_COMPACT_CLASS] = g->weights[OP_COMPACT_CLASS] * 32 / whole;
}

static void choose_sizes(struct generator *g)
{
	static const uint32_t counts[] = { 0, 1, 2, 4, 16 };

	g->size_count = counts[below(g, sizeof(counts) / sizeof(counts[0]))];
	for (uint32_t i = 0; i < g->size_count; i++)
		g->sizes[i] = 1 + below(g, g->geometry->page_size >> below(g, 5));
}

/* Enough names to fill a pool to the last page now and then, not so many that it's always full. */
static uint32_t choose_names(struct generator *g, const struct zs_config *config, size_t count)
{
	uint64_t most = 2ULL * config->max_pages;
	uint32_t names = 16u << below(g, 11);

	if (config->max_objects && config->max_objects < most)
		most = config->max_objects + config->max_objects / 4;
	if (count / 4 < most)
		most = count / 4;
	while (names > 4 && names > most)
		names /= 2;
	return names;
}

static void choose_character(struct generator *g, const struct zs_config *config, size_t count)
{
	g->geometry = &config->geometry;
	g->names = choose_names(g, config, count);
	for (uint32_t name = 0; name < g->names; name++)
		g->order[name] = g->place[name] = name;
	g->period = (size_t)g->names * (1 + below(g, 8)) + 16;
	choose_sizes(g);
	choose_weights(g);
}

/* ---- names ----------------------------------------------------------------------------------- */

static void swap_places(struct generator *g, uint32_t a, uint32_t b)
{
	uint32_t name = g->order[a];

	g->order[a] = g->order[b];
	g->order[b] = name;
	g->place[g->order[a]] = a;
	g->place[name] = b;
}

static void set_live(struct generator *g, uint32_t name, bool live)
{
	if (live == (g->place[name] < g->live))
		return;
	if (live)
		swap_places(g, g->place[name], g->live++);
	else
		swap_places(g, g->place[name], --g->live);
}

/* Mostly a live one, so that most operations do something. */
static uint32_t used_name(struct generator *g)
{
	if (!g->live || one_in(g, 10))
		return below(g, g->names);
	return g->order[below(g, g->live)];
}

/* Mostly a dead one; a live one makes it an overwrite. */
static uint32_t new_name(struct generator *g)
{
	if (g->live == g->names || one_in(g, 5))
		return below(g, g->names);
	return g->order[g->live + below(g, g->names - g->live)];
}

/* ---- operations ------------------------------------------------------------------------------ */

static uint8_t choose_code(struct generator *g, size_t place)
{
	bool filling = place / g->period % 2 == 0;
	uint32_t weights[OP_CODES], total = 0, drawn;
	uint8_t code = 0;

	for (uint32_t i = 0; i < OP_CODES; i++) {
		weights[i] = g->weights[i];
		if (i == (filling ? OP_MALLOC : OP_FREE))
			weights[i] *= 3;
		total += weights[i];
	}
	drawn = below(g, total);
	while (drawn >= weights[code])
		drawn -= weights[code++];
	return code;
}

/* Mostly a size that a pool of this geometry takes, else one just outside or far outside. */
static uint64_t choose_size(struct generator *g)
{
	uint32_t page = g->geometry->page_size;

	if (one_in(g, 64))
		return one_in(g, 2) ? UINT64_MAX - below(g, 2 * page) : generate_next(&g->state);
	if (one_in(g, 32) || !g->size_count)
		return below(g, page + 2);
	return g->sizes[below(g, g->size_count)];
}

static uint64_t choose_length(struct generator *g)
{
	return one_in(g, 3) ? below(g, g->geometry->page_size + 2) : OP_ALL;
}

static uint64_t choose_class(struct generator *g)
{
	uint32_t span = g->geometry->page_size - g->geometry->min_size;

	return below(g, span / g->geometry->class_step + 3);
}

/* One bit or two, so that tag, generation and index are all hit. */
static uint64_t choose_bits(struct generator *g)
{
	uint64_t bits = 1ULL << below(g, 64);

	return one_in(g, 2) ? bits : bits ^ 1ULL << below(g, 64);
}

static struct op choose_op(struct generator *g, size_t place)
{
	struct op op = { .code = choose_code(g, place) };

	switch (op.code) {
	case OP_MALLOC:
		op.name = new_name(g);
		op.value = choose_size(g);
		set_live(g, op.name, op.value && op.value <= g->geometry->page_size);
		break;
	case OP_FREE:
		op.name = used_name(g);
		set_live(g, op.name, false);
		break;
	case OP_WRITE:
		op.extra = (uint32_t)generate_next(&g->state);
		/* fall through */
	case OP_READ:
	case OP_PIN:
		op.name = used_name(g);
		op.value = choose_length(g);
		break;
	case OP_LOCK:
		op.name = used_name(g);
		op.value = below(g, g->geometry->chain + 1);
		break;
	case OP_UNPIN:
	case OP_UNLOCK:
	case OP_MIGRATE:
		op.value = below(g, 1u << 16);
		break;
	case OP_COMPACT_CLASS:
		op.value = choose_class(g);
		break;
	case OP_FORGE:
		op.name = below(g, g->names);
		op.value = choose_bits(g);
		break;
	case OP_FAIL:
		op.value = below(g, 2 * g->geometry->chain);
		op.extra = one_in(g, 16) ? OP_FOREVER : below(g, 8);
		break;
	}
	return op;
}

int generate_ops(struct trace *trace, uint64_t seed, size_t count)
{
	struct generator *g = calloc(1, sizeof(*g));
	int result = g ? 0 : -1;

	if (g) {
		g->state = ~seed;
		choose_character(g, &trace->config, count);
	}
	for (size_t i = 0; i < count && !result; i++)
		result = trace_add(trace, choose_op(g, i));
	free(g);
	return result;
}
