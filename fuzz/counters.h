/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counters - how much a fuzz target has done, for whoever watches it.
 *
 * With ZSANITY_COUNTERS=path the two counters live in that file, mapped shared; they add up over
 * all processes that name it one after another. Without, they count where nobody looks. They are
 * the only thing that outlives an execution, and nothing depends on them. LLVMFuzzerInitialize maps
 * the file.
 */
#ifndef COUNTERS_H
#define COUNTERS_H

#include <stdint.h>

struct counters {
	uint64_t executions;
	uint64_t operations;
};

/* Adds one execution of so many operations. O(1). */
void counters_add(uint64_t operations);

#endif
