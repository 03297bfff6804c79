/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cli_apart - a replay in a process of its own, for allocators whose code may take the process with it. That is
 * a finding then, of the oracle backend.crash.
 */
#ifndef CLI_APART_H
#define CLI_APART_H

#include "cli_classes.h"
#include "oracle.h"
#include "replay.h"

#define APART_CRASH "backend.crash"

struct apart {
	oracle_handler *handler; /* in that process, when an oracle fires; it exits */
	void *context;
	int status; /* as replay's */
	bool fired; /* an oracle did, and has told everything */
	struct replay_result result;
	struct class_table classes; /* before teardown */
	char crash[700];            /* the oracle's line; empty: none */
};

/*
 * Replays a trace; handler and context must be set. options->inspect isn't used, options->progress neither. Returns 0, or CLI_WRONG after a line:
 * no process, no memory.
 */
int apart_replay(const struct trace *trace, const struct replay_options *options,
		 struct apart *apart);

#endif
