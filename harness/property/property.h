/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * property - properties of the core that hold for any sequence of operations, tried on many that a
 * seed makes. A suite is a property or a kin of them; its cases are independent of each other and
 * depend on the seed and their number alone.
 */
#ifndef PROPERTY_H
#define PROPERTY_H

#include <stdbool.h>

#include "ops.h"
#include "replay.h"

/* Where a suite is; kept where it outlives the process that runs it. */
struct property_place {
	uint32_t number;  /* of the case */
	uint32_t variant; /* what a suite tries a case's trace with; it says what these mean */
	uint64_t step;
};

struct property_suite {
	const char *name;
	const char *what;
	uint32_t cases;  /* usually */
	bool of_corpus;  /* the traces of corpus/traces are cases too, after those */
	bool replayable; /* a failing trace fails by itself in `zsanity replay` */
	/* The trace that a case runs at that place. Aborts when memory is out. */
	void (*make)(uint64_t seed, const struct property_place *place, struct trace *trace);
	/* Runs a whole case; place->number is given, the rest kept up to date. Aborts on failure. */
	void (*run)(uint64_t seed, struct property_place *place);
};

extern const struct property_suite property_sequences;
extern const struct property_suite property_relations;
extern const struct property_suite property_forms;
extern const struct property_suite property_pages;
extern const struct property_suite property_handles;

/* A seed of its own for each case. */
uint64_t property_seed(uint64_t seed, uint32_t number);

/*
 * A generated trace of the geometry list, by the number, and of each pair of grouping and
 * algorithm in turn, by number and seed; ops is for small pages, large ones get fewer. Aborts when
 * memory is out.
 */
void property_generate(uint64_t seed, uint32_t number, size_t ops, struct trace *trace);

/* Runs a trace against the model and every oracle. Aborts when memory is out. */
struct replay_result property_replay(const struct trace *trace,
				     const struct replay_options *options);

/*
 * The corpus, from the top folder: how many traces, and one of them. Ends the program, status 2, when
 * it can't be read.
 */
uint32_t property_corpus_count(void);
void property_corpus(uint32_t index, struct trace *trace);

/* How many cases were asked for, of a suite that has corpus cases too. */
extern uint32_t property_generated;

/* Says that a property doesn't hold, as an oracle does, and aborts. */
__attribute__((noreturn, format(printf, 2, 3))) void property_fail(const char *id,
								   const char *format, ...);

#endif
