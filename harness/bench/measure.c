/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure.h"

#include <stdlib.h>

/* ---- looking at a class ---------------------------------------------------------------------- */

static int by_number(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

/* The numbers of a class's zspages, ascending. There are as many as the class says, or it returns -1. */
static int list_zspages(const struct backend *backend, void *pool,
			const struct zs_class_stats *class, uint32_t *zspages)
{
	uint64_t count = 0;

	for (uint32_t group = 0; group < class->groups; group++) {
		uint32_t z = backend->group_first(pool, class->index, group);

		for (; z != ZS_NONE; z = backend->group_next(pool, z)) {
			if (count == class->zspages)
				return -1;
			zspages[count++] = z;
		}
	}
	qsort(zspages, count, sizeof(*zspages), by_number);
	return count == class->zspages ? 0 : -1;
}

/* In-use counts of those zspages; 0 for one that isn't there any more. */
static void read_inuse(const struct backend *backend, void *pool, const uint32_t *zspages,
		       uint64_t count, uint32_t *inuse)
{
	for (uint64_t i = 0; i < count; i++) {
		struct zs_zspage_info info;

		inuse[i] = backend->zspage_info(pool, zspages[i], &info) ? 0 : info.inuse;
	}
}

/* ---- compacting it --------------------------------------------------------------------------- */

static int compact(const struct backend *backend, void *pool, struct measure *measure,
		   const uint32_t *zspages)
{
	const struct zs_class_stats *before = &measure->class;
	struct zs_class_stats after;

	read_inuse(backend, pool, zspages, before->zspages, measure->before);
	if (backend->compact_class(pool, before->index, &measure->pages_freed) ||
	    backend->class_stats(pool, before->index, &after))
		return -1;
	read_inuse(backend, pool, zspages, before->zspages, measure->after);
	measure->zspages_left = after.zspages;
	measure->moves = after.objs_moved - before->objs_moved;
	measure->copies = after.copies - before->copies;
	measure->bytes = after.bytes_moved - before->bytes_moved;
	return 0;
}

/* The bound, from a copy: it sorts. */
static void find_bound(struct measure *measure, uint32_t *scratch)
{
	for (uint64_t i = 0; i < measure->class.zspages; i++)
		scratch[i] = measure->before[i];
	measure->bound = bound_of(scratch, measure->class.zspages, measure->class.objs_per_zspage);
}

int measure_class(const struct backend *backend, void *pool, uint32_t index,
		  struct measure *measure, const char **why)
{
	uint32_t *zspages;
	int status;

	*measure = (struct measure){ 0 };
	*why = "the class has no statistics";
	if (backend->class_stats(pool, index, &measure->class))
		return -1;
	zspages = calloc(measure->class.zspages + 1, sizeof(uint32_t));
	measure->before = calloc(measure->class.zspages + 1, sizeof(uint32_t));
	measure->after = calloc(measure->class.zspages + 1, sizeof(uint32_t));
	*why = "out of memory";
	status = zspages && measure->before && measure->after ? 0 : -1;
	if (!status) {
		*why = "the class's lists don't hold its zspages";
		status = list_zspages(backend, pool, &measure->class, zspages);
	}
	if (!status) {
		*why = "compaction failed";
		status = compact(backend, pool, measure, zspages);
	}
	if (!status)
		find_bound(measure, zspages);
	free(zspages);
	if (status)
		measure_end(measure);
	return status;
}

void measure_end(struct measure *measure)
{
	free(measure->before);
	free(measure->after);
	*measure = (struct measure){ 0 };
}
