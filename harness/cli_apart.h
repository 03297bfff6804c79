/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cli_apart - what runs in a process of its own, since an allocator's code may take the process with it.
 * For a replay that is a finding, of the oracle backend.crash.
 */
#ifndef CLI_APART_H
#define CLI_APART_H

#include "cli_classes.h"
#include "oracle.h"
#include "replay.h"

typedef void apart_function(void *context);

/*
 * Runs a function in a process of its own, which then ends with 0, and waits for it. Returns 0 with its
 * wait status, or CLI_WRONG after a line.
 */
int apart_run(apart_function *function, void *context, int *status);

/* Zeroed memory that both see; munmap it. NULL: there is none. */
void *apart_memory(size_t size);

/* How a process ended: "Segmentation fault", "it doesn't end" (by an alarm), "exit status 3". */
void apart_how(int status, char *text, size_t room);

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
