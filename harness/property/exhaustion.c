/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exhaustion - nothing is lost when something runs out, wherever in a trace it does. Pages: the
 * source refuses at each request in turn, once and for ever. Handles: the pool has each number of
 * entries up to what the trace needs. The model says what must fail; all is compared after each
 * operation, so a failure that changed anything is seen at once, and what comes after it goes on.
 */
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "property.h"

#define OPS 80
#define CORPUS_STEPS 24 /* of a corpus trace that needs more, every so many-th is tried */

/* place->variant and place->step of the pages suite. */
enum { WHOLE, ONCE, FOR_EVER, VARIANTS };

static void make_base(uint64_t seed, uint32_t number, struct trace *trace)
{
	if (number < property_generated)
		property_generate(seed, number, OPS, trace);
	else
		property_corpus(number - property_generated, trace);
}

/* The trace without its own failures, after `fail AFTER COUNT` unless COUNT is 0. */
static void make_refused(struct trace *trace, uint64_t after, uint32_t count)
{
	struct trace whole = *trace;

	trace_init(trace);
	trace->config = whole.config;
	if (count &&
	    trace_add(trace, (struct op){ .code = OP_FAIL, .value = after, .extra = count }))
		abort();
	for (size_t i = 0; i < whole.count; i++)
		if (whole.ops[i].code != OP_FAIL && trace_add(trace, whole.ops[i]))
			abort();
	trace_free(&whole);
}

static void make_pages(uint64_t seed, const struct property_place *place, struct trace *trace)
{
	static const uint32_t counts[VARIANTS] = { 0, 1, OP_FOREVER };

	make_base(seed, place->number, trace);
	make_refused(trace, place->step, counts[place->variant]);
}

/* What is short of handles doesn't ask for pages, so refusals would come later than in the whole run. */
static void make_handles(uint64_t seed, const struct property_place *place, struct trace *trace)
{
	make_base(seed, place->number, trace);
	make_refused(trace, 0, 0);
	if (place->step)
		trace->config.max_objects = (uint32_t)place->step;
}

/* Runs the trace that the suite makes for the place. */
static struct replay_result result_at(const struct property_suite *suite, uint64_t seed,
				      const struct property_place *place)
{
	const struct replay_options options = { .backend = &backend_core,
						.full_if_no_memory = true };
	struct replay_result result;
	struct trace trace;

	suite->make(seed, place, &trace);
	result = property_replay(&trace, &options);
	trace_free(&trace);
	return result;
}

/* From one step to the next: each, of a generated trace. */
static uint64_t stride(const struct property_place *place, uint64_t steps)
{
	return place->number < property_generated ? 1 : 1 + steps / CORPUS_STEPS;
}

static void run_pages(uint64_t seed, struct property_place *place)
{
	uint64_t gets, by;

	place->variant = WHOLE;
	gets = result_at(&property_pages, seed, place).gets;
	by = stride(place, gets);
	for (place->variant = ONCE; place->variant <= FOR_EVER; place->variant++)
		for (place->step = 0; place->step < gets; place->step += by)
			if (result_at(&property_pages, seed, place).gets <= place->step)
				property_fail("exhaustion.reached", "request %llu never came",
					      (unsigned long long)place->step);
}

/* With as many entries as it takes, all goes as it did. */
static void see_enough(const struct replay_result *expected, const struct replay_result *got)
{
	if (got->failures != expected->failures ||
	    memcmp(&got->stats, &expected->stats, offsetof(struct zs_pool_stats, metadata_bytes)) !=
		    0)
		property_fail("exhaustion.enough",
			      "%llu entries were taken, but with so many other operations fail",
			      (unsigned long long)expected->entries);
}

static void run_handles(uint64_t seed, struct property_place *place)
{
	struct replay_result whole = result_at(&property_handles, seed, place), result = whole;
	uint64_t by = stride(place, whole.entries);

	for (place->step = 1; place->step < whole.entries; place->step += by) {
		result = result_at(&property_handles, seed, place);
		if (result.entries > place->step)
			property_fail("exhaustion.entries", "%llu handle entries of %llu",
				      (unsigned long long)result.entries,
				      (unsigned long long)place->step);
	}
	place->step = whole.entries;
	result = result_at(&property_handles, seed, place);
	see_enough(&whole, &result);
}

const struct property_suite property_pages = {
	.name = "pages",
	.what = "a page refused, at each request of a trace, once and for ever",
	.cases = 32,
	.of_corpus = true,
	.replayable = true,
	.make = make_pages,
	.run = run_pages,
};

const struct property_suite property_handles = {
	.name = "handles",
	.what = "handle entries out, at each number that a trace needs",
	.cases = 32,
	.of_corpus = true,
	.replayable = true,
	.make = make_handles,
	.run = run_handles,
};
