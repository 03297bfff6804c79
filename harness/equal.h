/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * equal - a trace on two allocators in lockstep: is all that can be seen of them the same?
 *
 * Nothing is predicted here; each is the other's oracle. Zspages and handles may have other
 * numbers: which zspage of the one is which of the other is kept, one to one. Compared are
 *
 *  - after each operation: what it returned, how often it asked the page source; the bytes it
 *    read or wrote; a new object's place; of the zspage that it touched whether it's still held,
 *    its group, its objects, its locks; the first few zspages of the lists that it left or joined,
 *    and the one behind it; all counters of its class; pages held;
 *  - after a compaction, a check, every full_every operations, and at the end, besides: the place and
 *    the bytes of every object, every list in order, all counters, every page held; by a check and at
 *    the end also what each allocator's own check finds.
 *
 * What differs on purpose is in harness/README.md.
 */
#ifndef EQUAL_H
#define EQUAL_H

#include "backend.h"
#include "ops.h"
#include "oracle.h"

#define EQUALITIES(X)                                                                             \
	X(result, "equal.result", "an operation returns the same, at as many requests for pages") \
	X(place, "equal.place", "an object is in the same slot of the same zspage")               \
	X(list, "equal.list", "a group's list has the same zspages in the same order")            \
	X(counters, "equal.counters", "every count is the same")                                  \
	X(pages, "equal.pages", "a zspage has as many pages, and each is out at the source")      \
	X(content, "equal.content", "an object's bytes are the same")                             \
	X(geometry, "equal.geometry", "the class table is the same")                              \
	X(bug, "equal.bug", "the kernel's code says nothing against itself")

enum { EQUAL_COUNT = 0 EQUALITIES(ORACLE_COUNT_ONE) };

extern const struct oracle_property equal_properties[EQUAL_COUNT];

struct equal_options {
	const struct backend *backend[2]; /* both comparable */
	uint32_t full_every;              /* 0: only after compaction, check and at the end */
	void (*progress)(void *context, uint64_t done, uint64_t total); /* may be NULL */
	void *context;
};

struct equal_result {
	uint64_t operations; /* done by both, implicit frees included */
	uint64_t refused;    /* on wrong handles: those who look at them refused them */
	uint64_t failures;   /* of the operations, those that both answered with an error */
	uint64_t full_checks;
	struct zs_pool_stats stats; /* of the first, before teardown */
};

/* Whether a backend has all that is compared. */
bool equal_comparable(const struct backend *backend);

/*
 * Makes a trace one that both backends can run. Handle entries become enough. A pool that one can't
 * have is replaced by its preset, pages and tag apart; sizes up to a page of the trace's then become the same share of
 * its pages, and some bytes more by the name, so that all classes are reached. Returns NULL, or one
 * sentence that says why there is no pool that both can have. O(operations).
 */
const char *equal_fit(struct trace *trace, const struct backend *const backend[2]);

/*
 * 0: done, no difference. -1: a configuration was refused, or memory is out. A difference is told
 * through an oracle, which doesn't return (oracle_set_handler); result has counted up to there then. O(operations)
 * and O(everything) for each full comparison.
 */
int equal_run(const struct trace *trace, const struct equal_options *options,
	      struct equal_result *result);

#endif
