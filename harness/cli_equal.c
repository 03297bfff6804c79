/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "cli_apart.h"
#include "cli_trace.h"
#include "equal.h"
#include "generate.h"
#include "plugin.h"

#define REPORT "build/report/equality.json"
#define FINDINGS "build/findings"
#define SECONDS 60          /* that any trace may take, and */
#define SLOWEST 1000        /* operations that it does in a second more: else it hangs */
#define CRASH "equal.crash" /* the oracle of what ends without another's line */

static const struct cli_choice choices[] = {
	{ CLI_BACKEND, "kernel-6.12", NULL },
	{ CLI_AGAINST, "core", NULL },
	{ CLI_SEED, NULL, "a fresh one, which is told" },
	{ CLI_OPS, "10000", NULL },
	{ CLI_SEQUENCES, "1", NULL },
	{ CLI_FULL_EVERY, "1024", NULL },
	{ CLI_BYTES, NULL, NULL },
	{ CLI_JSON, NULL, NULL },
};

/* What becomes of a trace, in memory that the process it runs in shares with this one. */
struct outcome {
	struct equal_result result;
	int status;
	bool done;       /* no difference, all is counted */
	char oracle[40]; /* the one that fired; empty: none */
	char line[800];
};

struct comparison {
	const struct cli_arguments *arguments;
	struct equal_options options;
	struct outcome *outcome;
	uint64_t seed;
	uint64_t traces;
	struct equal_result all; /* sums */
	double start;
	char trace[4200];  /* where the one that failed is */
	char repeat[5000]; /* how to get it again */
};

/* ---- one trace ------------------------------------------------------------------------------- */

static void note(struct outcome *outcome, const char *oracle, const char *line)
{
	snprintf(outcome->oracle, sizeof(outcome->oracle), "%s", oracle);
	snprintf(outcome->line, sizeof(outcome->line), "%s", line);
}

static void oracle_fired(void *context, const char *id, const char *line)
{
	note(context, id, line);
	_exit(CLI_FAILED);
}

/* What the process that runs a trace is given. */
struct job {
	struct comparison *comparison;
	const struct trace *trace;
};

static void run_here(void *context)
{
	const struct job *job = context;
	struct comparison *c = job->comparison;

	alarm((unsigned int)(SECONDS + job->trace->count / SLOWEST));
	oracle_set_handler(oracle_fired, c->outcome);
	c->outcome->status = equal_run(job->trace, &c->options, &c->outcome->result);
	c->outcome->done = true;
}

/* What ended without a word of its own: by a signal, or by a sanitizer. */
static void note_crash(struct comparison *c, int status)
{
	char line[200], how[60];

	apart_how(status, how, sizeof(how));
	snprintf(line, sizeof(line), "oracle " CRASH ": %s (%s against %s)", how,
		 c->options.backend[0]->name, c->options.backend[1]->name);
	note(c->outcome, CRASH, line);
	fprintf(stderr, "%s\n", line);
}

/* Returns 0, CLI_FAILED, or CLI_WRONG after a line. */
static int run_apart(struct comparison *c, const struct trace *trace)
{
	struct job job = { c, trace };
	int status = 0;

	*c->outcome = (struct outcome){ .done = false };
	if (apart_run(run_here, &job, &status))
		return CLI_WRONG;
	if (!c->outcome->done && !c->outcome->oracle[0])
		note_crash(c, status);
	return c->outcome->done ? 0 : CLI_FAILED;
}

static void add(struct equal_result *all, const struct equal_result *one)
{
	all->operations += one->operations;
	all->refused += one->refused;
	all->failures += one->failures;
	all->full_checks += one->full_checks;
	all->stats.objs_moved += one->stats.objs_moved;
	all->stats.pages_compacted += one->stats.pages_compacted;
	all->stats.pages_migrated += one->stats.pages_migrated;
}

/* label: what it's called in a complaint. Returns 0, CLI_FAILED, or CLI_WRONG after a line. */
static int compare(struct comparison *c, struct trace *trace, const char *label)
{
	const char *why = equal_fit(trace, c->options.backend);
	int status = why ? cli_error("%s: %s", label, why) : run_apart(c, trace);

	c->traces++;
	add(&c->all, &c->outcome->result);
	if (!status && c->outcome->status)
		return cli_error("%s: out of memory", label);
	return status;
}

/* ---- where traces come from ------------------------------------------------------------------ */

static int save(const struct trace *trace, const char *path)
{
	if ((mkdir("build", 0777) && errno != EEXIST) || (mkdir(FINDINGS, 0777) && errno != EEXIST))
		return cli_error(FINDINGS ": %s", strerror(errno));
	return cli_trace_save(trace, path);
}

/* A backend's own configuration, of few pages or many by the seed. */
static int make_trace(const struct comparison *c, uint64_t seed, struct trace *trace)
{
	uint64_t state = seed;

	trace_init(trace);
	backend_preset(c->options.backend[0], &trace->config);
	trace->config.tag = 1;
	trace->config.max_pages = 16u << generate_next(&state) % 11;
	return generate_ops(trace, seed, c->arguments->ops) ? cli_error("out of memory") : 0;
}

static int compare_random(struct comparison *c, uint64_t seed)
{
	struct trace trace;
	char label[40];
	int status = make_trace(c, seed, &trace);

	snprintf(label, sizeof(label), "seed %" PRIu64, seed);
	if (!status)
		status = compare(c, &trace, label);
	if (status == CLI_FAILED) {
		snprintf(c->trace, sizeof(c->trace), FINDINGS "/equal-%" PRIu64 ".trace", seed);
		if (save(&trace, c->trace))
			status = CLI_WRONG;
	}
	trace_free(&trace);
	return status;
}

static int compare_all_random(struct comparison *c)
{
	const struct cli_arguments *arguments = c->arguments;
	struct cli_progress progress = { .what = "equal", .start = c->start };
	int status = 0;

	c->seed = cli_given(arguments, CLI_SEED) ? arguments->seed : cli_fresh_seed();
	if (!cli_given(arguments, CLI_SEED))
		fprintf(stderr, "seed %" PRIu64 "\n", c->seed);
	if (arguments->sequences == 1) {
		c->options.progress = cli_progress;
		c->options.context = &progress;
	}
	for (uint64_t i = 0; i < arguments->sequences && !status; i++) {
		status = compare_random(c, c->seed + i);
		cli_progress(&progress, i + 1, arguments->sequences);
	}
	cli_progress_end(&progress);
	return status;
}

static int compare_file(struct comparison *c, const struct file_entry *entry)
{
	struct trace trace;
	int status = cli_trace_load(entry, c->arguments->bytes, &trace);

	if (status)
		return status;
	status = compare(c, &trace, entry->path);
	if (status == CLI_FAILED)
		snprintf(c->trace, sizeof(c->trace), "%s", entry->path);
	trace_free(&trace);
	return status;
}

static int compare_files(struct comparison *c)
{
	struct file_list list;
	int status = cli_trace_list(c->arguments, &list);

	for (size_t i = 0; i < list.count && !status; i++)
		status = compare_file(c, &list.entries[i]);
	file_list_free(&list);
	return status;
}

/* ---- what is said ---------------------------------------------------------------------------- */

static const char *source_of(const struct backend *backend)
{
	const struct zsanity_plugin *plugin = plugin_of(backend);

	return plugin ? plugin->source : backend->name;
}

static cJSON *failure_json(const struct comparison *c)
{
	cJSON *failure = cJSON_CreateObject();

	cJSON_AddStringToObject(failure, "trace", c->trace);
	cJSON_AddStringToObject(failure, "oracle", c->outcome->oracle);
	cJSON_AddStringToObject(failure, "line", c->outcome->line);
	cJSON_AddStringToObject(failure, "repeat", c->repeat);
	return failure;
}

static cJSON *entry_json(const struct comparison *c, double seconds)
{
	cJSON *entry = cJSON_CreateObject();

	cJSON_AddStringToObject(entry, "backend", c->arguments->backend);
	cJSON_AddStringToObject(entry, "source", source_of(c->options.backend[0]));
	cJSON_AddStringToObject(entry, "against", c->arguments->against);
	cJSON_AddNumberToObject(entry, "seed", (double)c->seed);
	cJSON_AddNumberToObject(entry, "traces", (double)c->traces);
	cJSON_AddNumberToObject(entry, "operations", (double)c->all.operations);
	cJSON_AddNumberToObject(entry, "differences", c->outcome->oracle[0] != '\0');
	cJSON_AddNumberToObject(entry, "failures", (double)c->all.failures);
	cJSON_AddNumberToObject(entry, "refused", (double)c->all.refused);
	cJSON_AddNumberToObject(entry, "full_checks", (double)c->all.full_checks);
	cJSON_AddNumberToObject(entry, "moves", (double)c->all.stats.objs_moved);
	cJSON_AddNumberToObject(entry, "pages_compacted", (double)c->all.stats.pages_compacted);
	cJSON_AddNumberToObject(entry, "pages_migrated", (double)c->all.stats.pages_migrated);
	cJSON_AddNumberToObject(entry, "seconds", seconds);
	cJSON_AddItemToObject(entry, "failure",
			      c->outcome->oracle[0] ? failure_json(c) : cJSON_CreateNull());
	return entry;
}

/* The entries of other backends in the report that is there; a new list if there is none. */
static cJSON *other_entries(const char *backend)
{
	FILE *file = fopen(REPORT, "r");
	char *text = NULL;
	size_t room = 0;
	cJSON *list = NULL, *entry;

	if (file && getdelim(&text, &room, '\0', file) > 0)
		list = cJSON_Parse(text);
	if (file)
		fclose(file);
	free(text);
	if (!cJSON_IsArray(list)) {
		cJSON_Delete(list);
		return cJSON_CreateArray();
	}
	for (int i = cJSON_GetArraySize(list); i > 0; i--) {
		entry = cJSON_GetObjectItem(cJSON_GetArrayItem(list, i - 1), "backend");
		if (!cJSON_IsString(entry) || !strcmp(entry->valuestring, backend))
			cJSON_DeleteItemFromArray(list, i - 1);
	}
	return list;
}

/* Traces named by hand say nothing of a backend as a whole, so only random ones are reported. */
static int write_report(const struct comparison *c, double seconds)
{
	cJSON *list;

	if (c->arguments->paths_count)
		return 0;
	if ((mkdir("build", 0777) && errno != EEXIST) ||
	    (mkdir("build/report", 0777) && errno != EEXIST))
		return cli_error("build/report: %s", strerror(errno));
	list = other_entries(c->arguments->backend);
	cJSON_AddItemToArray(list, entry_json(c, seconds));
	return cli_json_write(list, REPORT);
}

static void print(const struct comparison *c, double seconds)
{
	const struct equal_result *all = &c->all;

	printf("%s against %s: %" PRIu64 " traces, %" PRIu64 " operations in %.1f s (%.0f/s), of "
	       "them %" PRIu64 " errors, %" PRIu64 " full comparisons, %" PRIu64 " moves, %" PRIu64
	       " pages migrated: %s\n",
	       c->arguments->backend, c->arguments->against, c->traces, all->operations, seconds,
	       seconds > 0 ? (double)all->operations / seconds : 0, all->failures, all->full_checks,
	       all->stats.objs_moved, all->stats.pages_migrated,
	       c->outcome->oracle[0] ? "different" : "equal");
}

static int conclude(struct comparison *c)
{
	double seconds = cli_seconds() - c->start;
	int status = 0;

	if (c->outcome->oracle[0]) {
		snprintf(c->repeat, sizeof(c->repeat),
			 "zsanity equal --backend %s --against %s --full-every %" PRIu64 " %s'%s'",
			 c->arguments->backend, c->arguments->against, c->arguments->full_every,
			 c->arguments->bytes ? "--bytes " : "", c->trace);
		fprintf(stderr, "zsanity: again with: %s\n", c->repeat);
	}
	if (cli_wants_text(c->arguments))
		print(c, seconds);
	if (c->arguments->json)
		status = cli_json_write(entry_json(c, seconds), c->arguments->json_file);
	return write_report(c, seconds) ? CLI_WRONG : status;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int run(const struct cli_arguments *arguments)
{
	struct comparison c = {
		.arguments = arguments,
		.options = { .backend = { arguments->allocator, arguments->other },
			     .full_every = (uint32_t)arguments->full_every },
		.start = cli_seconds(),
	};
	int status;

	for (int i = 0; i < 2; i++)
		if (!equal_comparable(c.options.backend[i]))
			return cli_error("%s has no page locks or no zspages to compare",
					 c.options.backend[i]->name);
	c.outcome = apart_memory(sizeof(*c.outcome));
	if (!c.outcome)
		return cli_error("out of memory");
	status = arguments->paths_count ? compare_files(&c) : compare_all_random(&c);
	if (status != CLI_WRONG && conclude(&c))
		status = CLI_WRONG;
	munmap(c.outcome, sizeof(*c.outcome));
	return status;
}

const struct cli_command cli_equal = {
	.name = "equal",
	.summary = "run traces on two allocators and compare all that can be seen",
	.operands = "[FILE|FOLDER...]",
	.text = "Runs traces, or random ones, on two allocators in lockstep. After each operation "
		"results, places, lists, counters and bytes must be the same; page and zspage "
		"numbers and handles may differ. Exit status 1: something differs, or an allocator "
		"crashed.\n\n"
		"A trace whose pool one of them can't have runs in that one's own pool, its sizes "
		"scaled to the pages there. Random ones also write " REPORT ", and the trace that "
		"failed to " FINDINGS "/.\n",
	.examples = "zsanity equal --sequences 1000\n"
		    "zsanity equal --backend kernel-6.1 --seed 7 --ops 1000000\n"
		    "zsanity equal corpus/traces\n",
	.choices = choices,
	.choices_count = sizeof(choices) / sizeof(choices[0]),
	.main = run,
};
