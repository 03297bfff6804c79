/* SPDX-License-Identifier: BSD-3-Clause */
/* generate - random traces, longer and more like a life than what random bytes decode to. */
#ifndef GENERATE_H
#define GENERATE_H

#include "ops.h"

/* splitmix64: any state does. */
uint64_t generate_next(uint64_t *state);

#define GENERATE_GEOMETRIES (4 + 11 * 16 * 2)

/*
 * The presets, then each page size with each chain and each rule; smallest sizes, steps (most of them
 * odd), headers and widths in turn. index below GENERATE_GEOMETRIES.
 */
void generate_geometry(uint32_t index, struct zs_geometry *geometry);

#define GENERATE_PAIRS 9

/* Each grouping with each algorithm; index below GENERATE_PAIRS, 0: ratio with destination. */
void generate_pair(uint32_t index, struct zs_config *config);

/*
 * A pool of that geometry that a short trace fills now and then: few pages, by the seed also few
 * handle entries.
 */
void generate_config_small(uint32_t index, uint64_t seed, struct zs_config *config);

/*
 * A configuration of the byte form's, of any pair, by the seed; now and then with more pages,
 * mostly with wide generations, since a long trace uses up narrow ones.
 */
void generate_config(uint64_t seed, struct zs_config *config);

/* The same with a preset's geometry, and an arena of a size that sanitizers bear. */
void generate_config_of(enum zs_preset preset, uint64_t seed, struct zs_config *config);

/*
 * Fills an empty trace, whose configuration is set, with count operations. The seed also chooses
 * how many names and sizes there are and which rare operations are left out; mallocs and frees
 * prevail in turn, so that the pool fills and drains. Returns 0, or -1 when memory is out. The
 * result depends on nothing but the arguments.
 */
int generate_ops(struct trace *trace, uint64_t seed, size_t count);

#endif
