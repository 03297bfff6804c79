/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>

#include "cli.h"
#include "cli_trial.h"

static const struct cli_choice choices[] = {
	{ CLI_FILES, NULL, NULL },
	{ CLI_CODEC, "lzo", NULL },
	{ CLI_GEOMETRY, "kernel-6.12", "kernel-6.12, or a plug-in's own" },
	{ CLI_BACKEND, "core", NULL },
	{ CLI_LIMIT, NULL, "no limit" },
	{ CLI_MEM_LIMIT, NULL, "no limit" },
	{ CLI_SEED, "1", NULL },
	{ CLI_COMPACT, NULL, NULL },
	{ CLI_SPEED, NULL, NULL },
	{ CLI_JSON, NULL, NULL },
};

/* ---- what is told ---------------------------------------------------------------------------- */

static double rate(uint64_t bytes, double seconds)
{
	return seconds > 0 ? (double)bytes / seconds / 1e6 : 0;
}

static double percent(const struct timing *timing)
{
	return timing->store > 0 ? 100 * timing->codec / timing->store : 0;
}

static struct timing overall(const struct trial *trial)
{
	return (struct timing){ trial->write.store + trial->read.store,
				trial->write.codec + trial->read.codec,
				trial->write.bytes + trial->read.bytes };
}

static void print_timing(const char *what, const struct timing *timing)
{
	printf("%-8s %10.1f %10.1f %8.1f %%\n", what, rate(timing->bytes, timing->store),
	       rate(timing->bytes, timing->codec), percent(timing));
}

static void print_speed(const struct trial *trial)
{
	struct timing all = overall(trial);

	printf("\n%s%-8s %10s %10s %10s%s\n", cli_style(stdout, CLI_BOLD), "MB/s", "store", "codec",
	       "share", cli_style(stdout, CLI_PLAIN));
	print_timing("write", &trial->write);
	print_timing("read", &trial->read);
	print_timing("overall", &all);
}

/* The kernel's line, its columns as wide as their names. */
static void print_mm_stat(const struct zram_mm_stat *stat)
{
#define NAME(name) printf("%8s ", #name);
#define VALUE(name) \
	printf("%*" PRIu64 " ", (int)(sizeof(#name) < 9 ? 8 : sizeof(#name) - 1), stat->name);
	fputs(cli_style(stdout, CLI_BOLD), stdout);
	ZRAM_MM_STAT(NAME)
	printf("%s\n", cli_style(stdout, CLI_PLAIN));
	ZRAM_MM_STAT(VALUE)
	puts("\n");
#undef NAME
#undef VALUE
}

static void print_verdict(const struct trial *trial)
{
	char a[CLI_WORD], b[CLI_WORD];

	printf("\nstored %s in %s; ", cli_bytes(trial->stat.orig_data_size, a),
	       cli_bytes(trial->stat.mem_used_total, b));
	if (trial->arguments->compact)
		printf("compaction reclaimed %s pages with %s moves; ",
		       cli_thousands(trial->stat.pages_compacted, a),
		       cli_thousands(trial->stat.objs_moved, b));
	if (trial->refused)
		printf("%s pages found no room; ", cli_thousands(trial->refused, a));
	printf("%sall %s pages read back right%s (seed %" PRIu64 ")\n",
	       cli_style(stdout, CLI_GREEN), cli_thousands(trial->right, a),
	       cli_style(stdout, CLI_PLAIN), trial->arguments->seed);
}

static void tell(const struct trial *trial)
{
	print_mm_stat(&trial->stat);
	if (!(trial->backend->traits & BACKEND_NO_INSPECTION))
		class_table_print(&trial->classes);
	if (trial->arguments->speed)
		print_speed(trial);
	print_verdict(trial);
}

static cJSON *timing_json(const struct timing *timing)
{
	cJSON *object = cJSON_CreateObject();

	cJSON_AddNumberToObject(object, "bytes", (double)timing->bytes);
	cJSON_AddNumberToObject(object, "store_seconds", timing->store);
	cJSON_AddNumberToObject(object, "codec_seconds", timing->codec);
	cJSON_AddNumberToObject(object, "percent", percent(timing));
	return object;
}

static cJSON *speed_json(struct trial *trial)
{
	cJSON *object = cJSON_CreateObject();
	struct timing all = overall(trial);

	cJSON_AddItemToObject(object, "write", timing_json(&trial->write));
	cJSON_AddItemToObject(object, "read", timing_json(&trial->read));
	cJSON_AddItemToObject(object, "overall", timing_json(&all));
	cJSON_AddItemReferenceToObject(object, "samples", trial->samples);
	return object;
}

static cJSON *failure_json(const struct trial *trial)
{
	cJSON *object = cJSON_CreateObject();

	cJSON_AddStringToObject(object, "oracle", trial->oracle);
	cJSON_AddStringToObject(object, "line", trial->line);
	cJSON_AddStringToObject(object, "repeat", trial->repeat);
	return object;
}

static cJSON *mm_stat_json(const struct zram_mm_stat *stat)
{
	cJSON *object = cJSON_CreateObject();

#define ADD(name) cJSON_AddNumberToObject(object, #name, (double)stat->name);
	ZRAM_MM_STAT(ADD)
#undef ADD
	return object;
}

static int write_json(struct trial *trial)
{
	const struct cli_arguments *arguments = trial->arguments;
	cJSON *report = cJSON_CreateObject();

	cJSON_AddStringToObject(report, "command", "zram");
	cJSON_AddStringToObject(report, "codec", arguments->codec);
	cJSON_AddStringToObject(report, "geometry", cli_geometry(arguments));
	cJSON_AddStringToObject(report, "backend", arguments->backend);
	cJSON_AddNumberToObject(report, "seed", (double)arguments->seed);
	cJSON_AddBoolToObject(report, "compacted", arguments->compact);
	cJSON_AddNumberToObject(report, "pages", trial->count);
	cJSON_AddNumberToObject(report, "no_room", (double)trial->refused);
	cJSON_AddNumberToObject(report, "pages_right", (double)trial->right);
	cJSON_AddItemToObject(report, "mm_stat", mm_stat_json(&trial->stat));
	cJSON_AddItemToObject(report, "classes", class_table_json(&trial->classes));
	cJSON_AddItemToObject(report, "speed",
			      arguments->speed ? speed_json(trial) : cJSON_CreateNull());
	cJSON_AddItemToObject(report, "failure",
			      trial->oracle ? failure_json(trial) : cJSON_CreateNull());
	return cli_json_write(report, arguments->json_file);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int zram(const struct cli_arguments *arguments)
{
	static struct trial trial;
	int status;

	if (!arguments->paths_count)
		return cli_misuse("zram", "files or folders are wanted");
	status = trial_run(&trial, arguments, arguments->allocator);
	if (!status && cli_wants_text(arguments))
		tell(&trial);
	if (status != CLI_WRONG && arguments->json && write_json(&trial))
		status = CLI_WRONG;
	trial_free(&trial);
	return status;
}

const struct cli_command cli_zram = {
	.name = "zram",
	.summary = "store files as zram does, and see that every page comes back",
	.operands = "FILE|FOLDER...",
	.text = "Stores the pages of files in a compressed device over an allocator, as Linux's "
		"zram does: "
		"pages of equal words aren't stored, those that hardly compress are stored raw. "
		"One store "
		"in 8 overwrites a slot, after one in 4 a slot is freed. Then all is read back and "
		"compared with the pages as they were read, which are kept in memory: it takes as "
		"much "
		"as the files, and the store. In the end the allocator's own check runs, and all "
		"is "
		"freed. Exit status 1: a page was wrong, or an operation.\n\n"
		"The first line is zram's mm_stat, in bytes unless it says pages: orig_data_size "
		"(pages "
		"stored), compr_data_size (their objects), mem_used_total (pages of the "
		"allocator), "
		"mem_limit, mem_used_max, same_pages (of equal words), pages_compacted, huge_pages "
		"(stored "
		"raw), huge_pages_since (ever); and objs_moved, which isn't zram's: objects that "
		"compaction moved.\n\n" CLASSES_HELP "\n"
		"--speed tells the MB/s (10^6 bytes of pages) of the store and of the codec alone, "
		"and "
		"how many percent the one is of the other.\n",
	.examples =
		"zsanity zram --files /usr/lib --limit 200M --codec lzo --compact\n"
		"zsanity zram --files /usr/lib --limit 1G --codec zstd --speed --json=zram.json\n",
	.choices = choices,
	.choices_count = sizeof(choices) / sizeof(choices[0]),
	.main = zram,
};
