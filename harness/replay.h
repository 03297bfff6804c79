/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay - runs a trace on a backend, against the model and the oracles.
 *
 * Every operation is carried out by the model first, then by the backend, then both are compared:
 * what it touched after each operation, everything after a compaction, a check, every full_every
 * operations, and at the end; a small pool's structure after each operation. At the end everything
 * is closed, unlocked and freed through the interface, and nothing may be left over. Nothing
 * survives a replay; its memory is bounded by the trace (a page at most for each open window).
 */
#ifndef REPLAY_H
#define REPLAY_H

#include <stdbool.h>

#include "backend.h"
#include "ops.h"

struct replay_options {
	const struct backend *backend;
	uint32_t full_every;    /* 0: only after compaction, check and at the end */
	bool full_if_no_memory; /* as well after each operation that fails with ZS_ENOMEM */
	void (*progress)(void *context, uint64_t done, uint64_t total); /* may be NULL */
	void *context;
	void (*inspect)(void *context, void *pool); /* called before teardown; may be NULL */
	void *inspect_context;
};

struct replay_result {
	uint64_t operations;  /* done, with implicit frees; a forged handle that is live is none */
	uint64_t failures;    /* operations that returned an error, as predicted */
	uint64_t full_checks; /* comparisons of everything */
	uint64_t gets;        /* pages asked for at the source, those refused included */
	uint64_t entries;     /* handle entries that classes took from the pool */
	struct zs_pool_stats stats; /* before teardown */
};

/*
 * 0: done. -1: the backend refused the configuration, as the model predicted, or memory is out. An
 * oracle that fires doesn't return (see oracle_set_handler). result may be NULL.
 */
int replay(const struct trace *trace, const struct replay_options *options,
	   struct replay_result *result);

/* The same step by step. NULL: as replay's -1. O(classes). */
struct replay *replay_start(const struct zs_config *config, const struct replay_options *options);

/* 0, or -1 when memory is out (the step isn't done; go on, or finish). */
int replay_step(struct replay *replay, const struct op *op);

/*
 * Tears down, compares for the last time, frees replay. 0, or -1 when memory was out in a step.
 * O(everything).
 */
int replay_finish(struct replay *replay, struct replay_result *result);

/*
 * For a handler that leaves by longjmp: frees the harness's side of a replay, the page source with
 * it, and leaves the pool alone; what becomes of the pool must be done before.
 */
void replay_discard(struct replay *replay);

/*
 * The page that `unlock I` and `migrate I` name when no lock is held; `unpin I` takes its zspage.
 */
static inline struct zs_page_ref replay_made_up(uint64_t i)
{
	return (struct zs_page_ref){ (uint32_t)(i >> 6), (uint32_t)(i & 63) };
}

#endif
