/* SPDX-License-Identifier: BSD-3-Clause */
#include "pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"
#include "wrap.h"

/* What a family's function works on. An object's name in the trace is its number. */
struct life {
	struct trace *trace;
	struct pattern_class class;
	uint32_t objects;
	const uint32_t *number; /* the pattern's */
	uint64_t random;
	bool *live;
	int status; /* -1 once memory is out */
};

struct pattern_family {
	const char *usage;
	const char *what;
	uint32_t numbers;
	uint32_t most[PATTERN_NUMBERS]; /* what a number can be: 0 or least .. most */
	uint32_t least;
	bool seeded;
	void (*live)(struct life *life); /* NULL: pooled */
};

/* ---- the steps of a life --------------------------------------------------------------------- */

/* 0 .. below - 1. */
static uint32_t draw(uint64_t *random, uint32_t below)
{
	return (uint32_t)((generate_next(random) >> 32) * below >> 32);
}

static bool chance(struct life *life, uint32_t percent)
{
	return draw(&life->random, 100) < percent;
}

static void add(struct life *life, uint8_t code, uint32_t name, uint64_t value)
{
	if (trace_add(life->trace, (struct op){ .code = code, .name = name, .value = value }))
		life->status = -1;
}

static void allocate(struct life *life, uint32_t object)
{
	life->live[object] = true;
	add(life, OP_MALLOC, object, life->class.size);
}

static void release(struct life *life, uint32_t object)
{
	life->live[object] = false;
	add(life, OP_FREE, object, 0);
}

static void fill(struct life *life)
{
	for (uint32_t i = 0; i < life->objects; i++)
		allocate(life, i);
}

/* Frees each live object, in order of allocation, with that probability. */
static void thin(struct life *life, uint32_t percent)
{
	for (uint32_t i = 0; i < life->objects; i++)
		if (life->live[i] && chance(life, percent))
			release(life, i);
}

/* ---- families of one class ------------------------------------------------------------------- */

static void live_random(struct life *life)
{
	fill(life);
	thin(life, life->number[0]);
}

/* As live_random, but exactly that share, in random order. */
static void live_shuffled(struct life *life)
{
	uint32_t wanted = (uint32_t)((uint64_t)life->objects * life->number[0] / 100);

	fill(life);
	while (wanted > 0) {
		uint32_t object = draw(&life->random, life->objects);

		if (life->live[object]) {
			release(life, object);
			wanted--;
		}
	}
}

static void live_sawtooth(struct life *life)
{
	uint32_t length = life->number[0];

	fill(life);
	for (uint32_t i = 0; i < life->objects; i++)
		if (draw(&life->random, length) < i % length)
			release(life, i);
}

/* Runs of neighbours that are kept and freed in turn. */
static void live_runs(struct life *life)
{
	uint32_t keep = life->number[0], period = keep + life->number[1];

	fill(life);
	for (uint32_t i = 0; i < life->objects; i++)
		if (i % period >= keep)
			release(life, i);
}

static void live_every(struct life *life)
{
	fill(life);
	for (uint32_t i = 0; i < life->objects; i++)
		if (i % life->number[0] == 0)
			release(life, i);
}

/* A zspage keeps its first objects: a share that goes from one number to the other over the class. */
static void live_gradient(struct life *life)
{
	uint64_t capacity = life->class.capacity;
	uint64_t last = life->objects / capacity > 1 ? life->objects / capacity - 1 : 1;

	fill(life);
	for (uint32_t i = 0; i < life->objects; i++) {
		uint64_t z = i / capacity < last ? i / capacity : last;
		uint64_t keep = life->number[0] * (last - z) + life->number[1] * z;

		if (i % capacity * 100 * last >= keep * capacity)
			release(life, i);
	}
}

/* A zspage keeps a random share of its objects, drawn between the two numbers. */
static void live_uneven(struct life *life)
{
	uint32_t least = life->number[0], most = life->number[1], keep = 0;

	fill(life);
	for (uint32_t i = 0; i < life->objects; i++) {
		if (i % life->class.capacity == 0)
			keep = least < most ? least + draw(&life->random, most - least + 1) : least;
		if (!chance(life, keep))
			release(life, i);
	}
}

/* Objects allocated one after another die together, in runs of random length. */
static void live_bursts(struct life *life)
{
	uint32_t i = 0;

	fill(life);
	while (i < life->objects) {
		bool dies = chance(life, life->number[0]);
		uint32_t end = i + 1 + draw(&life->random, 2 * life->number[1] - 1);

		for (; i < end && i < life->objects; i++)
			if (dies)
				release(life, i);
	}
}

static void live_survivor(struct life *life)
{
	uint32_t survivor = 0;

	fill(life);
	for (uint32_t i = 0; i < life->objects; i++) {
		uint32_t slot = i % life->class.capacity;

		if (slot == 0)
			survivor = draw(&life->random, life->class.capacity);
		if (slot != survivor)
			release(life, i);
	}
}

/* Half full, then each step frees or allocates a random object; at the end some are freed. */
static void live_churn(struct life *life)
{
	for (uint32_t i = 0; i < life->objects / 2; i++)
		allocate(life, i);
	for (uint64_t step = 0; step < (uint64_t)life->number[1] * life->objects; step++) {
		uint32_t object = draw(&life->random, life->objects);

		if (life->live[object])
			release(life, object);
		else
			allocate(life, object);
	}
	thin(life, life->number[0]);
}

/* Rounds in which a share is freed and half of the free names are allocated again; at the end one is freed. */
static void live_waves(struct life *life)
{
	fill(life);
	for (uint32_t round = 0; round < life->number[1]; round++) {
		thin(life, life->number[0]);
		for (uint32_t i = 0; i < life->objects; i++)
			if (!life->live[i] && chance(life, 50))
				allocate(life, i);
	}
	thin(life, life->number[0]);
}

static const struct pattern_family families[] = {
	{ "random:PERCENT",
	  "each object is freed with that probability",
	  1,
	  { 100 },
	  0,
	  true,
	  live_random },
	{ "shuffled:PERCENT",
	  "exactly that share is freed, in random order",
	  1,
	  { 100 },
	  0,
	  true,
	  live_shuffled },
	{ "sawtooth:LENGTH",
	  "the probability of being freed rises from 0 to 1 over that many",
	  1,
	  { 65536 },
	  1,
	  true,
	  live_sawtooth },
	{ "runs:KEEP:FREE",
	  "so many neighbours are kept, so many freed, in turn",
	  2,
	  { 65536, 65536 },
	  1,
	  false,
	  live_runs },
	{ "every:K", "every K-th is freed", 1, { 65536 }, 1, false, live_every },
	{ "gradient:FIRST:LAST",
	  "the share that a zspage keeps goes from one to the other",
	  2,
	  { 100, 100 },
	  0,
	  false,
	  live_gradient },
	{ "uneven:LEAST:MOST",
	  "each zspage keeps a share of its own, drawn between the two",
	  2,
	  { 100, 100 },
	  0,
	  true,
	  live_uneven },
	{ "bursts:PERCENT:LENGTH",
	  "neighbours die together, in runs of that mean length",
	  2,
	  { 100, 65536 },
	  1,
	  true,
	  live_bursts },
	{ "survivor", "one object a zspage is left", 0, { 0 }, 0, true, live_survivor },
	{ "churn:PERCENT:ROUNDS",
	  "half full, objects come and go that often, then a share is freed",
	  2,
	  { 100, 1000 },
	  0,
	  true,
	  live_churn },
	{ "waves:PERCENT:ROUNDS",
	  "a share is freed, half of the room refilled, that often; then freed",
	  2,
	  { 100, 1000 },
	  0,
	  true,
	  live_waves },
	{ "drift:PERCENT",
	  "the sizes drift over the classes; that share dies after a while",
	  1,
	  { 100 },
	  0,
	  true,
	  NULL },
};

int pattern_class(const struct pattern *pattern, const struct pattern_class *class,
		  uint32_t objects, struct trace *trace)
{
	struct life life = { .trace = trace,
			     .class = *class,
			     .objects = objects,
			     .number = pattern->number,
			     .random = hash_add(hash_add(HASH_START, pattern->seed), class->size),
			     .live = calloc(objects, sizeof(bool)) };

	if (!life.live)
		return -1;
	pattern->family->live(&life);
	free(life.live);
	return life.status;
}

/* ---- any trace -------------------------------------------------------------------------------- */

uint32_t pattern_names(const struct trace *trace)
{
	uint32_t names = 0;

	for (size_t i = 0; i < trace->count; i++)
		if (trace->ops[i].name >= names)
			names = trace->ops[i].name + 1;
	return names;
}

int pattern_thin(uint32_t percent, uint64_t seed, struct trace *trace)
{
	struct life life = { .trace = trace,
			     .objects = pattern_names(trace),
			     .random = hash_add(HASH_START, seed) };

	life.live = calloc((size_t)life.objects + 1, sizeof(bool));
	if (!life.live)
		return -1;
	for (size_t i = 0; i < trace->count; i++)
		if (trace->ops[i].code == OP_MALLOC || trace->ops[i].code == OP_FREE)
			life.live[trace->ops[i].name] = trace->ops[i].code == OP_MALLOC;
	thin(&life, percent);
	free(life.live);
	return life.status;
}

/* ---- families of all classes at once --------------------------------------------------------- */

#define DRIFT_WINDOW 8 /* classes that are allocated from side by side */
#define DRIFT_LIFE 4   /* longest life, in times that a class's objects take to be allocated */
#define NOBODY UINT32_MAX

/* Which objects die after which allocation: a list a step. */
struct deaths {
	uint32_t *first; /* by step */
	uint32_t *next;  /* by object */
};

static int deaths_begin(struct deaths *deaths, uint32_t steps)
{
	deaths->first = malloc(steps * sizeof(uint32_t));
	deaths->next = malloc(steps * sizeof(uint32_t));
	if (!deaths->first || !deaths->next)
		return -1;
	memset(deaths->first, 0xff, steps * sizeof(uint32_t));
	return 0;
}

static void deaths_end(struct deaths *deaths)
{
	free(deaths->first);
	free(deaths->next);
}

/* The class of the allocation at that step: near one that moves from the smallest to the largest. */
static uint32_t drift_class(uint64_t *random, uint32_t step, uint32_t objects, uint32_t count)
{
	uint32_t place = step / objects + draw(random, DRIFT_WINDOW);

	if (place < DRIFT_WINDOW / 2)
		return 0;
	place -= DRIFT_WINDOW / 2;
	return place < count ? place : count - 1;
}

static int drift(const struct pattern *pattern, const struct pattern_class *classes, uint32_t count,
		 uint32_t objects, struct trace *trace, struct deaths *deaths)
{
	uint64_t random = hash_add(HASH_START, pattern->seed);
	uint32_t steps = objects * count;
	int status = 0;

	for (uint32_t i = 0; i < steps && !status; i++) {
		uint32_t class = drift_class(&random, i, objects, count);
		bool dies = draw(&random, 100) < pattern->number[0];
		uint32_t death = i + draw(&random, DRIFT_LIFE * objects);

		status = trace_add(
			trace,
			(struct op){ .code = OP_MALLOC, .name = i, .value = classes[class].size });
		if (dies && death < steps) {
			deaths->next[i] = deaths->first[death];
			deaths->first[death] = i;
		}
		for (uint32_t dead = deaths->first[i]; dead != NOBODY && !status;
		     dead = deaths->next[dead])
			status = trace_add(trace, (struct op){ .code = OP_FREE, .name = dead });
	}
	return status;
}

int pattern_pool(const struct pattern *pattern, const struct pattern_class *classes, uint32_t count,
		 uint32_t objects, struct trace *trace)
{
	struct deaths deaths;
	int status = deaths_begin(&deaths, objects * count);

	if (!status)
		status = drift(pattern, classes, count, objects, trace, &deaths);
	deaths_end(&deaths);
	return status;
}

/* ---- names ----------------------------------------------------------------------------------- */

bool pattern_is_pooled(const struct pattern *pattern)
{
	return !pattern->family->live;
}

const char *pattern_family(size_t index, const char **what)
{
	if (index >= sizeof(families) / sizeof(families[0]))
		return NULL;
	*what = families[index].what;
	return families[index].usage;
}

static const struct pattern_family *find_family(const char *name)
{
	size_t length = strcspn(name, ":@");

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (strcspn(families[i].usage, ":") == length &&
		    !strncmp(families[i].usage, name, length))
			return &families[i];
	return NULL;
}

/* Digits at *text, no sign or space; steps over them. */
static int parse_number(const char **text, uint64_t most, uint64_t *number)
{
	size_t digits = strspn(*text, "0123456789");
	uint64_t value = 0;

	if (digits == 0 || digits > 18)
		return -1;
	for (size_t i = 0; i < digits; i++)
		value = value * 10 + (uint64_t)((*text)[i] - '0');
	if (value > most)
		return -1;
	*text += digits;
	*number = value;
	return 0;
}

int pattern_parse(struct pattern *pattern, const char *name, const char **why)
{
	const struct pattern_family *family = find_family(name);
	const char *at = name + strcspn(name, ":@");
	uint64_t number;

	*pattern = (struct pattern){ .family = family, .seed = 1, .name = name };
	*why = "one of the families that --help lists";
	if (!family)
		return -1;
	*why = family->usage;
	for (uint32_t i = 0; i < family->numbers; i++) {
		if (*at++ != ':' || parse_number(&at, family->most[i], &number) ||
		    number < family->least)
			return -1;
		pattern->number[i] = (uint32_t)number;
	}
	if (*at == '@' && family->seeded) {
		at++;
		if (parse_number(&at, UINT64_MAX, &pattern->seed))
			return -1;
	}
	return *at ? -1 : 0;
}
