/* SPDX-License-Identifier: BSD-3-Clause */
#include "bound.h"

#include <stdlib.h>

static int fuller_first(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return (left < right) - (left > right);
}

struct bound bound_of(uint32_t *inuse, size_t count, uint32_t objects)
{
	struct bound bound = { 0, 0 };
	uint64_t live = 0;

	if (count)
		qsort(inuse, count, sizeof(*inuse), fuller_first);
	for (size_t i = 0; i < count; i++)
		live += inuse[i];
	bound.zspages = (live + objects - 1) / objects;
	/* Whatever is kept as it is must be in these; the fullest hold the most. */
	for (size_t i = (size_t)bound.zspages; i < count; i++)
		bound.moves += inuse[i];
	return bound;
}
