/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_kernel - any bytes, decoded to a trace (ops.h), run on the core and on the kernel's own
 * mm/zsmalloc.c in lockstep (equal.h). The top bits of the first byte, which mean nothing in a trace,
 * choose the kernel; `zsanity equal --bytes --backend NAME FILE` runs the same.
 */
#include <stdlib.h>

#include "counters.h"
#include "equal.h"
#include "target.h"

#define FULL_EVERY 64 /* operations between two comparisons of everything */

static const char *const names[] = { "kernel-6.12", "kernel-6.12-16k", "kernel-6.1",
				     "kernel-6.1-16k" };

#define NAMES (sizeof(names) / sizeof(names[0]))

static const struct backend *kernels[NAMES];
static size_t count;

static uint64_t run(struct trace *trace, const struct backend *kernel)
{
	const struct equal_options options = { .backend = { kernel, &backend_core },
					       .full_every = FULL_EVERY };
	struct equal_result result = { .operations = 0 };

	if (equal_fit(trace, options.backend) == NULL)
		equal_run(trace, &options, &result);
	return result.operations;
}

/*
 * Before the engine starts, which must know of all code that there is to cover; and once through what
 * a plug-in does only the first time, so that no execution differs from the next.
 */
__attribute__((constructor)) static void load(void)
{
	struct trace trace;
	char why[400];

	for (size_t i = 0; i < NAMES; i++) {
		kernels[count] = backend_load(names[i], why, sizeof(why));
		if (kernels[count] == NULL)
			continue;
		trace_init(&trace);
		trace.config.max_pages = 1;
		run(&trace, kernels[count++]);
	}
	if (count)
		return;
	fprintf(stderr, "fuzz_kernel: %s\n", why);
	exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct backend *kernel = kernels[(size ? data[0] >> 6 : 0) % count];
	struct trace trace;

	if (trace_decode(&trace, data, size) != 0)
		return 0;
	counters_add(run(&trace, kernel));
	trace_free(&trace);
	return 0;
}
