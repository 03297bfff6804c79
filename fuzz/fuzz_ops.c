/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_ops - any bytes, decoded to a trace (ops.h), run on the core and held against the reference
 * model after each operation. A property that doesn't hold aborts, its ID on stderr.
 */
#include "backend.h"
#include "counters.h"
#include "ops.h"
#include "replay.h"
#include "target.h"

/*
 * Operations between two comparisons of everything, contents included; what an operation touched,
 * and a small pool's structure, are compared after each one. With 1 the corpus takes five times as
 * long.
 */
#define FULL_EVERY 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct replay_options options = { .backend = &backend_core,
						.full_every = FULL_EVERY };
	struct replay_result result = { .operations = 0 };
	struct trace trace;

	if (trace_decode(&trace, data, size) != 0)
		return 0;
	replay(&trace, &options, &result);
	counters_add(result.operations);
	trace_free(&trace);
	return 0;
}
