/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>

#include "cli.h"
#include "cli_trace.h"

static const struct cli_choice choices[] = {
	{ CLI_TABLE, NULL, NULL },
	{ CLI_GEOMETRY, "kernel-6.12", "of --table: kernel-6.12, or a plug-in's own" },
	{ CLI_BACKEND, "core", NULL },
	{ CLI_FULL_EVERY, NULL, NULL },
	{ CLI_BYTES, NULL, NULL },
	{ CLI_JSON, NULL, NULL },
};

/* ---- the classes of a geometry --------------------------------------------------------------- */

static uint32_t largest_object(const struct backend *backend, void *pool, uint32_t index,
			       uint32_t page_size)
{
	uint32_t size = page_size;

	while (size > 1 && backend->lookup_class_index(pool, size) != index)
		size--;
	return size;
}

static cJSON *class_json(const struct backend *backend, void *pool,
			 const struct zs_class_stats *stats, uint32_t page_size)
{
	uint32_t pages = stats->pages_per_zspage, objects = stats->objs_per_zspage;
	cJSON *object = cJSON_CreateObject();

	cJSON_AddNumberToObject(object, "class", stats->index);
	cJSON_AddNumberToObject(object, "size", stats->size);
	cJSON_AddNumberToObject(object, "largest_object",
				largest_object(backend, pool, stats->index, page_size));
	cJSON_AddNumberToObject(object, "pages_per_zspage", pages);
	cJSON_AddNumberToObject(object, "objs_per_zspage", objects);
	cJSON_AddNumberToObject(object, "wasted", pages * page_size - objects * stats->size);
	cJSON_AddBoolToObject(object, "huge", pages == 1 && objects == 1);
	return object;
}

static cJSON *geometry_json(const struct cli_arguments *arguments, const struct backend *backend,
			    void *pool, uint32_t page_size)
{
	cJSON *report = cJSON_CreateObject(), *rows;
	uint32_t count = backend->class_count(pool);
	struct zs_class_stats stats;

	cJSON_AddStringToObject(report, "command", "stat");
	cJSON_AddStringToObject(report, "geometry", cli_geometry(arguments));
	cJSON_AddNumberToObject(report, "page_size", page_size);
	rows = cJSON_AddArrayToObject(report, "classes");
	for (uint32_t i = 0; i < count; i++)
		if (!backend->class_stats(pool, i, &stats) && stats.index == i)
			cJSON_AddItemToArray(rows, class_json(backend, pool, &stats, page_size));
	cJSON_AddNumberToObject(report, "count", cJSON_GetArraySize(rows));
	cJSON_AddNumberToObject(report, "huge_class_size", (double)backend->huge_class_size(pool));
	return report;
}

static double number(const cJSON *object, const char *name)
{
	return cJSON_GetNumberValue(cJSON_GetObjectItem(object, name));
}

static void print_geometry(const cJSON *report)
{
	static const char *const columns[] = { "class",           "size",
					       "largest_object",  "pages_per_zspage",
					       "objs_per_zspage", "wasted" };
	const size_t count = sizeof(columns) / sizeof(columns[0]);
	const cJSON *row;

	fputs(cli_style(stdout, CLI_BOLD), stdout);
	for (size_t i = 0; i < count; i++)
		printf("%*s ", i ? 16 : 6, columns[i]);
	printf("%5s%s\n", "huge", cli_style(stdout, CLI_PLAIN));
	cJSON_ArrayForEach(row, cJSON_GetObjectItem(report, "classes"))
	{
		for (size_t i = 0; i < count; i++)
			printf("%*.0f ", i ? 16 : 6, number(row, columns[i]));
		printf("%5s\n", cJSON_IsTrue(cJSON_GetObjectItem(row, "huge")) ? "yes" : "no");
	}
	printf("%.0f classes, zs_huge_class_size %.0f\n", number(report, "count"),
	       number(report, "huge_class_size"));
}

static int table(const struct cli_arguments *arguments)
{
	const struct backend *backend = arguments->allocator;
	struct zs_config config;
	cJSON *report;
	void *pool;
	int error;

	if (arguments->paths_count)
		return cli_misuse("stat", "--table takes no traces");
	if (backend->traits & BACKEND_NO_INSPECTION)
		return cli_error("--backend %s has no size classes", arguments->backend);
	if (cli_config(arguments, backend, &config))
		return CLI_WRONG;
	config.max_pages = 1;
	error = backend->create(&config, &pool);
	if (error)
		return cli_error("%s refuses a pool of geometry %s: %s", backend->name,
				 cli_geometry(arguments), zs_error_name(error));
	report = geometry_json(arguments, backend, pool, config.geometry.page_size);
	backend->destroy(pool);
	if (cli_wants_text(arguments))
		print_geometry(report);
	if (arguments->json)
		return cli_json_write(report, arguments->json_file);
	cJSON_Delete(report);
	return 0;
}

/* ---- traces ---------------------------------------------------------------------------------- */

static int stat(const struct cli_arguments *arguments)
{
	static struct class_table classes;
	struct cli_series series = { .arguments = arguments, .each = true, .classes = &classes };
	struct file_list list;
	int status;

	if (arguments->table)
		return table(arguments);
	if (cli_given(arguments, CLI_GEOMETRY))
		return cli_misuse("stat", "--geometry goes with --table; a trace has its own");
	status = cli_trace_list(arguments, &list);
	if (!status)
		status = cli_series_run(&series, &list);
	file_list_free(&list);
	return status;
}

const struct cli_command cli_stat = {
	.name = "stat",
	.summary = "print the size classes of a geometry, or of a pool after a trace",
	.operands = "--table | FILE|FOLDER...",
	.text = "Prints the size classes of a geometry; or replays traces with all oracles and "
		"prints "
		"what the pool looks like at the end of each, before it is emptied. Exit status 1: "
		"an "
		"oracle fired.\n\n"
		"Columns of --table: class (the highest index of those merged into it), size (of a "
		"slot), largest_object (that it serves), pages_per_zspage, objs_per_zspage, wasted "
		"(bytes of a zspage that are in no slot), huge (an object has a page alone). Sizes "
		"are "
		"bytes.\n\n" CLASSES_HELP,
	.examples = "zsanity stat --table --geometry kernel-6.1\n"
		    "zsanity stat corpus/traces/survivors.trace\n",
	.choices = choices,
	.choices_count = sizeof(choices) / sizeof(choices[0]),
	.main = stat,
};
