/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pattern - how the objects of a class come and go, so that its zspages are fragmented.
 *
 * A pattern is named FAMILY[:NUMBER...][@SEED]: "random:60@2", "sawtooth:64", "survivor". What it makes is
 * a trace of mallocs and frees, which depends on the pattern, the class and the number of objects alone,
 * never on what runs it.
 */
#ifndef PATTERN_H
#define PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "ops.h"

/* A class as a pattern sees it. */
struct pattern_class {
	uint32_t size;     /* of an object, bytes */
	uint32_t capacity; /* objects per zspage, at least 2 */
};

struct pattern_family;

#define PATTERN_NUMBERS 2

struct pattern {
	const struct pattern_family *family;
	uint32_t number[PATTERN_NUMBERS]; /* of those that the family wants */
	uint64_t seed;                    /* 1 when none is given */
	const char *name;                 /* as given to pattern_parse, the caller's */
};

/* Returns 0, or -1 with *why what is wanted instead. */
int pattern_parse(struct pattern *pattern, const char *name, const char **why);

/* The index-th family: "NAME:NUMBER:NUMBER", and what it does in *what. NULL past the last. */
const char *pattern_family(size_t index, const char **what);

/* True when the pattern is one trace over all classes; pattern_pool makes it, else pattern_class. */
bool pattern_is_pooled(const struct pattern *pattern);

#define PATTERN_OBJECTS (1u << 20)

/*
 * Adds the life of objects objects (1 .. PATTERN_OBJECTS) of one class to a trace. Returns 0, or -1
 * when memory is out.
 */
int pattern_class(const struct pattern *pattern, const struct pattern_class *class,
		  uint32_t objects, struct trace *trace);

/*
 * Adds frees to any trace: each object that it leaves live goes with that probability, in order of
 * names. The same returns.
 */
int pattern_thin(uint32_t percent, uint64_t seed, struct trace *trace);

/* The names of a trace are below this. O(its operations). */
uint32_t pattern_names(const struct trace *trace);

/* As pattern_class, for objects objects in each of count classes, ascending by size, that live side by side. */
int pattern_pool(const struct pattern *pattern, const struct pattern_class *classes, uint32_t count,
		 uint32_t objects, struct trace *trace);

#endif
