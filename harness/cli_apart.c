/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli_apart.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "guard.h"
#include "plugin.h"

/* What the process shares with the one that waits for it. */
struct shared {
	struct apart apart;
	size_t operation; /* the current one, from 1; 0: creation; above all: the end */
	bool done;
	char bug[300]; /* what the kernel's code said */
};

static const struct backend *allocator;

static void read_classes(void *context, void *pool)
{
	class_table_read(&((struct shared *)context)->apart.classes, allocator, pool);
}

/* The program's own handler tells what it has to, and ends the process. */
static void note_fired(void *context, const char *id, const char *line)
{
	struct shared *shared = context;

	shared->apart.fired = true;
	shared->apart.handler(shared->apart.context, id, line);
}

static void keep_bug(void *context, const char *text)
{
	snprintf(((struct shared *)context)->bug, sizeof(((struct shared *)context)->bug), "%s",
		 text);
	_exit(CLI_FAILED);
}

static int run(const struct trace *trace, const struct replay_options *options,
	       struct shared *shared)
{
	struct replay *replay = replay_start(&trace->config, options);

	if (!replay)
		return -1;
	for (shared->operation = 1; shared->operation <= trace->count; shared->operation++)
		if (replay_step(replay, &trace->ops[shared->operation - 1]))
			break;
	return replay_finish(replay, &shared->apart.result);
}

static void run_here(const struct trace *trace, const struct replay_options *options,
		     struct shared *shared)
{
	struct replay_options with_classes = *options;
	const struct zsanity_plugin *plugin = plugin_of(options->backend);

	allocator = with_classes.backend = guard(options->backend);
	with_classes.inspect = read_classes;
	with_classes.inspect_context = shared;
	with_classes.progress = NULL;
	oracle_set_handler(note_fired, shared);
	if (plugin)
		plugin->set_failure(keep_bug, shared);
	shared->apart.status = run(trace, &with_classes, shared);
	shared->done = true;
	fflush(NULL);
	_exit(CLI_RIGHT);
}

/* "operation 7: free 3" */
static void place(const struct shared *shared, const struct trace *trace, char *text, size_t room)
{
	char op[160];

	if (!shared->operation || shared->operation > trace->count) {
		snprintf(text, room, "at %s", shared->operation ? "the end" : "creation");
		return;
	}
	op_format(&trace->ops[shared->operation - 1], op, sizeof(op));
	snprintf(text, room, "operation %zu: %s", shared->operation, op);
}

/* "oracle backend.crash: kernel-6.12: Segmentation fault (operation 7: free 3)" */
static void describe(struct shared *shared, const struct trace *trace, const char *name, int status)
{
	char how[320], when[200];

	place(shared, trace, when, sizeof(when));
	if (shared->bug[0])
		snprintf(how, sizeof(how), "%s", shared->bug);
	else if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "%s", strsignal(WTERMSIG(status)));
	else
		snprintf(how, sizeof(how), "exit status %d", WEXITSTATUS(status));
	snprintf(shared->apart.crash, sizeof(shared->apart.crash),
		 "oracle " APART_CRASH ": %s: %s (%s)", name, how, when);
}

static int wait_for(pid_t child, int *status)
{
	while (waitpid(child, status, 0) < 0)
		if (errno != EINTR)
			return cli_error("waitpid: %s", strerror(errno));
	return 0;
}

static int run_apart(const struct trace *trace, const struct replay_options *options,
		     struct shared *shared)
{
	pid_t child;
	int status;

	fflush(NULL);
	child = fork();
	if (child < 0)
		return cli_error("fork: %s", strerror(errno));
	if (!child)
		run_here(trace, options, shared);
	if (wait_for(child, &status))
		return CLI_WRONG;
	if (!shared->done && !shared->apart.fired)
		describe(shared, trace, options->backend->name, status);
	return 0;
}

int apart_replay(const struct trace *trace, const struct replay_options *options,
		 struct apart *apart)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;

	if (shared == MAP_FAILED)
		return cli_error("out of memory");
	shared->apart = *apart;
	status = run_apart(trace, options, shared);
	*apart = shared->apart;
	munmap(shared, sizeof(*shared));
	return status;
}
