/* SPDX-License-Identifier: BSD-3-Clause */
/* measure - one class compacted, and what that took, on any backend. */
#ifndef MEASURE_H
#define MEASURE_H

#include "backend.h"
#include "bound.h"

struct measure {
	struct zs_class_stats class; /* before compaction */
	struct bound bound;
	uint64_t pages_freed;
	uint64_t zspages_left;
	uint64_t moves;
	uint64_t copies;
	uint64_t bytes;
	/* In-use counts in order of zspage number, before and after (0: freed); see measure_end. */
	uint32_t *before;
	uint32_t *after;
};

/*
 * Compacts a class, index as in zs_class_stats. Returns 0 and *measure, or -1 with *why a sentence. O(the
 * class).
 */
int measure_class(const struct backend *backend, void *pool, uint32_t index,
		  struct measure *measure, const char **why);

void measure_end(struct measure *measure);

#endif
