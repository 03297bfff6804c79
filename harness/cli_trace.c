/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli_apart.h"
#include "guard.h"
#include "oracle.h"
#include "replay.h"

#define MOST_TEXT (2ULL << 30)
#define MOST_BYTES (1ULL << 20) /* far more than decoding looks at */
#define SURELY_TEXT 64          /* that many printable bytes are no fuzzer's input */

/* ---- loading and saving ---------------------------------------------------------------------- */

/* The whole of a file and a byte more, so that a file that grows is seen. NULL: errno says why. */
static char *read_whole(const char *path, size_t most, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *bytes = malloc(most + 1);

	if (file && bytes) {
		*size = fread(bytes, 1, most + 1, file);
		if (ferror(file)) {
			free(bytes);
			bytes = NULL;
		}
	} else {
		free(bytes);
		bytes = NULL;
	}
	if (file)
		fclose(file);
	return bytes;
}

static bool is_plain(char c)
{
	return (c >= ' ' && c <= '~') || c == '\t' || c == '\r' || c == '\n';
}

static bool is_plain_text(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!is_plain(bytes[i]))
			return false;
	return size >= SURELY_TEXT;
}

static int parse(const char *path, const char *text, size_t size, struct trace *trace)
{
	struct trace_error error;

	if (trace_parse(trace, text, size, &error))
		return cli_error("%s: %s", path, error.text);
	return 0;
}

static int decode(const char *path, const char *bytes, size_t size, struct trace *trace)
{
	if (size > MOST_BYTES)
		return cli_error(
			"%s: no trace: its first line isn't 'zsanity-trace 1', and it is too "
			"large for the byte form",
			path);
	if (trace_decode(trace, (const uint8_t *)bytes, size))
		return cli_error("out of memory");
	return 0;
}

int cli_trace_load(const struct file_entry *entry, bool bytes, struct trace *trace)
{
	size_t size = 0;
	char *content;
	int status;

	if (!entry->size)
		return cli_error("%s: empty", entry->path);
	if (entry->size > MOST_TEXT)
		return cli_error("%s: too large for a trace: %" PRIu64 " MiB, at most %llu",
				 entry->path, entry->size >> 20, MOST_TEXT >> 20);
	content = read_whole(entry->path, entry->size, &size);
	if (!content)
		return cli_error("%s: %s", entry->path, strerror(errno));
	if (!bytes && trace_is_text(content, size))
		status = parse(entry->path, content, size, trace);
	else if (!bytes && is_plain_text(content, size))
		status = cli_error(
			"%s: no trace: its first line isn't 'zsanity-trace 1' (--bytes takes "
			"it as the byte form)",
			entry->path);
	else
		status = decode(entry->path, content, size, trace);
	free(content);
	return status;
}

int cli_trace_save(const struct trace *trace, const char *path)
{
	struct cli_output output;

	if (cli_output_open(&output, path))
		return CLI_WRONG;
	return cli_output_close(&output, trace_print(trace, output.file) != 0);
}

/* In folders, what isn't meant as a trace is left out. */
static bool is_hidden(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return name[0] == '.' || !strcmp(name, "README.md");
}

static int add_path(struct file_list *list, const char *path)
{
	size_t first = list->count, kept = first;
	int status = file_list_add(list, path);

	for (size_t i = first; i < list->count; i++) {
		if (strcmp(list->entries[i].path, path) != 0 && is_hidden(list->entries[i].path))
			free(list->entries[i].path);
		else
			list->entries[kept++] = list->entries[i];
	}
	if (!status && kept == first)
		status = cli_error("%s: no traces in it", path);
	list->count = kept;
	return status;
}

int cli_trace_list(const struct cli_arguments *arguments, struct file_list *list)
{
	int status = 0;

	*list = (struct file_list){ .entries = NULL };
	if (!arguments->paths_count)
		return cli_misuse(arguments->command->name, "traces are wanted");
	for (size_t i = 0; i < arguments->paths_count && !status; i++)
		status = add_path(list, arguments->paths[i]);
	return status;
}

/* ---- running --------------------------------------------------------------------------------- */

static double rate(const struct cli_tally *tally)
{
	return tally->seconds > 0 ? (double)tally->operations / tally->seconds : 0;
}

static cJSON *tally_json(const struct cli_tally *tally)
{
	cJSON *object = cJSON_CreateObject();

	cJSON_AddNumberToObject(object, "traces", (double)tally->traces);
	cJSON_AddNumberToObject(object, "operations", (double)tally->operations);
	cJSON_AddNumberToObject(object, "seconds", tally->seconds);
	cJSON_AddNumberToObject(object, "operations_per_second", rate(tally));
	cJSON_AddNumberToObject(object, "failures", (double)tally->failures);
	cJSON_AddNumberToObject(object, "full_checks", (double)tally->full_checks);
	cJSON_AddNumberToObject(object, "pages", (double)tally->pages);
	cJSON_AddNumberToObject(object, "pages_peak", (double)tally->pages_peak);
	cJSON_AddNumberToObject(object, "moves", (double)tally->moves);
	return object;
}

static void print_tally(const char *label, const struct cli_tally *tally)
{
	printf("%s: %" PRIu64 " operations in %.2f s (%.0f/s), %" PRIu64
	       " errors as predicted, %" PRIu64 " full checks, %" PRIu64 " pages (peak %" PRIu64
	       "), %" PRIu64 " moves\n",
	       label, tally->operations, tally->seconds, rate(tally), tally->failures,
	       tally->full_checks, tally->pages, tally->pages_peak, tally->moves);
}

static int write_json(const struct cli_series *series, cJSON *failure)
{
	cJSON *report = cJSON_CreateObject();

	cJSON_AddStringToObject(report, "command", series->arguments->command->name);
	cJSON_AddItemReferenceToObject(report, "results", series->results);
	cJSON_AddItemToObject(report, "total", tally_json(&series->all));
	cJSON_AddItemToObject(report, "failure", failure);
	return cli_json_write(report, series->arguments->json_file);
}

/* The oracle has printed its line, which has the operation's number. */
static void oracle_fired(void *context, const char *id, const char *line)
{
	const struct cli_series *series = context;

	fprintf(stderr, "zsanity: %s failed; again with: %s\n", series->label, series->repeat);
	if (series->arguments->json) {
		cJSON *failure = cJSON_CreateObject();

		cJSON_AddStringToObject(failure, "trace", series->label);
		cJSON_AddStringToObject(failure, "oracle", id);
		cJSON_AddStringToObject(failure, "line", line);
		cJSON_AddStringToObject(failure, "repeat", series->repeat);
		write_json(series, failure);
	}
	exit(CLI_FAILED);
}

static int refused(const char *label, const struct zs_config *config)
{
	const char *complaint = zs_config_complaint(config);
	size_t metadata, arena;

	if (complaint)
		return cli_error("%s: the pool can't be as configured: %s", label, complaint);
	if (zs_pool_footprint(config, &metadata, &arena) == -95)
		return cli_error(
			"%s: the core doesn't implement the pool's grouping or algorithm yet",
			label);
	return cli_error("%s: out of memory", label);
}

static void add_to_all(struct cli_series *series, const struct cli_tally *one)
{
	struct cli_tally *all = &series->all;

	all->traces++;
	all->operations += one->operations;
	all->failures += one->failures;
	all->full_checks += one->full_checks;
	all->pages += one->pages;
	all->pages_peak += one->pages_peak;
	all->moves += one->moves;
	all->seconds += one->seconds;
}

static void tell_json(struct cli_series *series, const struct cli_tally *one)
{
	cJSON *object = tally_json(one);

	cJSON_AddStringToObject(object, "trace", series->label);
	if (series->classes) {
		cJSON_AddItemToObject(object, "pool", class_table_json_pool(series->classes));
		cJSON_AddItemToObject(object, "classes", class_table_json(series->classes));
	}
	cJSON_AddItemToArray(series->results, object);
}

static void tell(struct cli_series *series, const struct cli_tally *one)
{
	add_to_all(series, one);
	if (series->arguments->json)
		tell_json(series, one);
	if (!series->each || !cli_wants_text(series->arguments))
		return;
	print_tally(series->label, one);
	if (series->classes) {
		class_table_print_pool(series->classes);
		class_table_print(series->classes);
	}
}

static void inspect(void *context, void *pool)
{
	const struct cli_series *series = context;

	if (series->classes)
		class_table_read(series->classes, series->arguments->allocator, pool);
}

/* The classes that there are, and the line of the crash that came instead. */
static int replay_apart(struct cli_series *series, const struct trace *trace,
			const struct replay_options *options, struct replay_result *result,
			int *status)
{
	static struct apart apart;

	apart = (struct apart){ .handler = oracle_fired, .context = series };
	if (apart_replay(trace, options, &apart))
		return CLI_WRONG;
	if (apart.crash[0]) {
		fprintf(stderr, "%s\n", apart.crash);
		oracle_fired(series, APART_CRASH, apart.crash);
	}
	if (apart.fired)
		exit(CLI_FAILED);
	if (series->classes)
		*series->classes = apart.classes;
	*result = apart.result;
	*status = apart.status;
	return 0;
}

int cli_series_add(struct cli_series *series, const struct trace *trace, const char *label,
		   const char *repeat)
{
	struct cli_progress progress = { .what = label, .start = cli_seconds() };
	struct replay_options options = {
		.backend = series->arguments->allocator,
		.full_every = (uint32_t)series->arguments->full_every,
		.progress = cli_progress,
		.context = &progress,
		.inspect = inspect,
		.inspect_context = series,
	};
	const struct backend *checked = guard(options.backend);
	const char *complaint = checked->fits ? checked->fits(&trace->config) : NULL;
	struct replay_result result;
	int status;

	if (checked->traits & BACKEND_NO_INSPECTION)
		return cli_error("--backend %s has no zspages to compare with the model's",
				 series->arguments->backend);
	if (complaint)
		return cli_error("%s: --backend %s: %s", label, series->arguments->backend,
				 complaint);
	series->label = label;
	series->repeat = repeat;
	if (!series->results)
		series->results = cJSON_CreateArray();
	oracle_set_handler(oracle_fired, series);
	if (!(options.backend->traits & BACKEND_TRUSTS))
		status = replay(trace, &options, &result);
	else if (replay_apart(series, trace, &options, &result, &status))
		return CLI_WRONG;
	cli_progress_end(&progress);
	if (status)
		return refused(label, &trace->config);
	tell(series, &(struct cli_tally){
			     .traces = 1,
			     .operations = result.operations,
			     .failures = result.failures,
			     .full_checks = result.full_checks,
			     .pages = result.stats.pages,
			     .pages_peak = result.stats.pages_peak,
			     .moves = result.stats.objs_moved,
			     .seconds = cli_seconds() - progress.start,
		     });
	return 0;
}

int cli_series_end(struct cli_series *series)
{
	char label[64];
	int status = 0;

	snprintf(label, sizeof(label), "%" PRIu64 " traces", series->all.traces);
	if (cli_wants_text(series->arguments) && (!series->each || series->all.traces > 1))
		print_tally(label, &series->all);
	if (series->arguments->json)
		status = write_json(series, cJSON_CreateNull());
	cJSON_Delete(series->results);
	series->results = NULL;
	return status;
}

int cli_series_run(struct cli_series *series, const struct file_list *list)
{
	const struct cli_arguments *arguments = series->arguments;
	int status = 0;

	for (size_t i = 0; i < list->count && !status; i++) {
		const char *path = list->entries[i].path;
		char repeat[4200];
		struct trace trace;

		status = cli_trace_load(&list->entries[i], arguments->bytes, &trace);
		if (status)
			break;
		snprintf(repeat, sizeof(repeat), "zsanity %s --backend %s %s'%s'",
			 arguments->command->name, arguments->backend,
			 arguments->bytes ? "--bytes " : "", path);
		status = cli_series_add(series, &trace, path, repeat);
		trace_free(&trace);
	}
	return cli_series_end(series) ? CLI_WRONG : status;
}
