/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli_apart.h"

#include <errno.h>
#include <signal.h>
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

/* What the process that runs a replay is given. */
struct job {
	const struct trace *trace;
	const struct replay_options *options;
	struct shared *shared;
};

static const struct backend *allocator;

/* ---- a process of its own -------------------------------------------------------------------- */

int apart_run(apart_function *function, void *context, int *status)
{
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child < 0)
		return cli_error("fork: %s", strerror(errno));
	if (!child) {
		function(context);
		fflush(NULL);
		_exit(CLI_RIGHT);
	}
	while (waitpid(child, status, 0) < 0)
		if (errno != EINTR)
			return cli_error("waitpid: %s", strerror(errno));
	return 0;
}

void *apart_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void apart_how(int status, char *text, size_t room)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		snprintf(text, room, "it doesn't end");
	else if (WIFSIGNALED(status))
		snprintf(text, room, "%s", strsignal(WTERMSIG(status)));
	else
		snprintf(text, room, "exit status %d", WEXITSTATUS(status));
}

/* ---- a replay -------------------------------------------------------------------------------- */

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

static void run_here(void *context)
{
	const struct job *job = context;
	struct shared *shared = job->shared;
	struct replay_options with_classes = *job->options;
	const struct zsanity_plugin *plugin = plugin_of(with_classes.backend);

	allocator = with_classes.backend = guard(with_classes.backend);
	with_classes.inspect = read_classes;
	with_classes.inspect_context = shared;
	with_classes.progress = NULL;
	oracle_set_handler(note_fired, shared);
	if (plugin)
		plugin->set_failure(keep_bug, shared);
	shared->apart.status = run(job->trace, &with_classes, shared);
	shared->done = true;
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
	apart_how(status, how, sizeof(how));
	if (shared->bug[0])
		snprintf(how, sizeof(how), "%s", shared->bug);
	snprintf(shared->apart.crash, sizeof(shared->apart.crash),
		 "oracle " APART_CRASH ": %s: %s (%s)", name, how, when);
}

int apart_replay(const struct trace *trace, const struct replay_options *options,
		 struct apart *apart)
{
	struct shared *shared = apart_memory(sizeof(*shared));
	struct job job = { trace, options, shared };
	int failed, status = 0;

	if (!shared)
		return cli_error("out of memory");
	shared->apart = *apart;
	failed = apart_run(run_here, &job, &status);
	if (!failed && !shared->done && !shared->apart.fired)
		describe(shared, trace, options->backend->name, status);
	*apart = shared->apart;
	munmap(shared, sizeof(*shared));
	return failed;
}
