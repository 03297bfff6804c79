/* SPDX-License-Identifier: BSD-3-Clause */
/* sequences - every oracle after every operation, over the whole list of geometries. */
#include "backend.h"
#include "generate.h"
#include "property.h"

#define OPS 240

static void make(uint64_t seed, const struct property_place *place, struct trace *trace)
{
	property_generate(seed, place->number, OPS, trace);
}

static void run(uint64_t seed, struct property_place *place)
{
	const struct replay_options options = { .backend = &backend_core, .full_every = 1 };
	struct trace trace;

	make(seed, place, &trace);
	property_replay(&trace, &options);
	trace_free(&trace);
}

const struct property_suite property_sequences = {
	.name = "sequences",
	.what = "the core does as the model, all compared after each operation",
	.cases = 2 * GENERATE_GEOMETRIES,
	.replayable = true,
	.make = make,
	.run = run,
};
