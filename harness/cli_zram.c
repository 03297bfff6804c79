/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_classes.h"
#include "device.h"
#include "input.h"
#include "zram.h"

static const struct cli_choice choices[] = {
	{ CLI_FILES, NULL, NULL },
	{ CLI_CODEC, "lzo", NULL },
	{ CLI_GEOMETRY, "kernel-6.12", NULL },
	{ CLI_BACKEND, "core", NULL },
	{ CLI_LIMIT, NULL, "no limit" },
	{ CLI_MEM_LIMIT, NULL, "no limit" },
	{ CLI_SEED, "1", NULL },
	{ CLI_COMPACT, NULL, NULL },
	{ CLI_SPEED, NULL, NULL },
	{ CLI_JSON, NULL, NULL },
};

#define CHUNK_BYTES ((size_t)16 << 20) /* handled by the codec alone and by the store in turn */
#define NOTHING UINT32_MAX
#define POISON 0xa5 /* what a page holds before it's read */

/* How long the store took for some bytes, and the codec alone. */
struct timing {
	double store, codec;
	uint64_t bytes;
};

struct run {
	const struct cli_arguments *arguments;
	const struct backend *backend;
	struct codec *codec;
	struct zram *zram;
	struct file_list files;
	size_t page_size;
	uint8_t *pages; /* all that is stored, to compare with */
	struct input_place *places;
	uint32_t count;
	uint64_t room;
	struct schedule schedule;
	uint32_t *holds;     /* slot -> its page, or NOTHING */
	uint64_t refused;    /* stores that found no room */
	uint64_t right;      /* pages read back and right */
	struct chunk *chunk; /* of the slots that are read back */
	struct timing write, read;
	cJSON *samples;
	struct zram_mm_stat stat;
	struct class_table classes;
	const char *oracle; /* that fired */
	char line[5000];
};

/* ---- failures -------------------------------------------------------------------------------- */

/* "zsanity zram --codec lzo ...", to be freed. */
static char *repeat(const struct run *run)
{
	const struct cli_arguments *arguments = run->arguments;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	fprintf(file, "zsanity zram --codec %s --geometry %s --backend %s --seed %" PRIu64,
		arguments->codec, arguments->geometry, arguments->backend, arguments->seed);
	if (arguments->limit)
		fprintf(file, " --limit %" PRIu64, arguments->limit);
	if (arguments->mem_limit)
		fprintf(file, " --mem-limit %" PRIu64, arguments->mem_limit);
	fputs(arguments->compact ? " --compact" : "", file);
	for (size_t i = 0; i < arguments->paths_count; i++)
		fprintf(file, " '%s'", arguments->paths[i]);
	return fclose(file) ? NULL : text;
}

__attribute__((format(printf, 3, 4))) static int fail(struct run *run, const char *oracle,
						      const char *format, ...)
{
	va_list arguments;
	char *again = repeat(run);
	int start = snprintf(run->line, sizeof(run->line), "oracle %s: ", oracle);

	va_start(arguments, format);
	vsnprintf(run->line + start, sizeof(run->line) - (size_t)start, format, arguments);
	va_end(arguments);
	run->oracle = oracle;
	fprintf(stderr, "%s%s%s\nzsanity: again with: %s\n", cli_style(stderr, CLI_RED), run->line,
		cli_style(stderr, CLI_PLAIN), again ? again : "(out of memory)");
	free(again);
	return CLI_FAILED;
}

/* The same about a page; what: "page 3 of FILE" follows it. */
static int fail_page(struct run *run, const char *oracle, const char *what, uint32_t page,
		     uint32_t slot, const char *how)
{
	const struct input_place *place = &run->places[page];

	return fail(run, oracle, "%s page %" PRIu64 " of %s, slot %u: %s", what, place->page,
		    run->files.entries[place->part].path, slot, how);
}

static int out_of_memory(const struct run *run)
{
	char text[CLI_WORD];

	return cli_error("out of memory: the pages, %s, are kept to compare with; try --limit",
			 cli_bytes(run->room * run->page_size, text));
}

/* ---- the pages ------------------------------------------------------------------------------- */

static uint8_t *page_of(const struct run *run, uint32_t page)
{
	return run->pages + (size_t)page * run->page_size;
}

static int keep_page(void *context, const void *page, struct input_place place)
{
	struct run *run = context;

	if (run->count == run->room)
		return 0;
	memcpy(page_of(run, run->count), page, run->page_size);
	run->places[run->count++] = place;
	return 0;
}

static int load(struct run *run)
{
	struct cli_progress progress = { .what = "reading files", .start = cli_seconds() };
	struct input input;
	struct input_reader reader = {
		.page_size = run->page_size,
		.limit = run->arguments->limit ? run->arguments->limit : UINT64_MAX,
		.take = keep_page,
		.progress = cli_progress,
		.context = run,
		.progress_context = &progress,
	};
	int status;

	input_files(&input, &run->files);
	run->room = input_pages(&input, run->page_size, reader.limit);
	if (run->room >= NOTHING)
		return out_of_memory(run);
	run->pages = malloc(run->room * run->page_size + 1);
	run->places = malloc(run->room * sizeof(*run->places) + 1);
	if (!run->pages || !run->places)
		return out_of_memory(run);
	status = input_read(&input, &reader);
	cli_progress_end(&progress);
	cli_unreadable_total();
	if (status)
		return out_of_memory(run);
	return run->count ? 0 : cli_error("nothing to store: no page could be read");
}

/* ---- storing --------------------------------------------------------------------------------- */

static int create(struct run *run)
{
	struct zram_options options = {
		.backend = run->backend,
		.codec = run->codec,
		.slots = run->count,
		.mem_limit = run->arguments->mem_limit / run->page_size * run->page_size,
	};

	zs_config_init(&options.config, cli_preset(run->arguments->geometry));
	options.config.max_pages = device_pool_pages(run->count);
	run->schedule = (struct schedule){ .random = run->arguments->seed, .most = run->count };
	run->holds = malloc(run->count * sizeof(*run->holds));
	if (!run->holds || zram_create(&options, &run->zram))
		return out_of_memory(run);
	memset(run->holds, 0xff, run->count * sizeof(*run->holds));
	return 0;
}

/* Stores a page where the schedule says, and frees a slot when it says so. */
static int store_page(struct run *run, uint32_t page)
{
	uint32_t slot;
	int error;

	if (schedule_store(&run->schedule, &slot))
		return out_of_memory(run);
	error = zram_write(run->zram, slot, page_of(run, page));
	if (error == ZS_ENOMEM && run->arguments->mem_limit)
		run->refused++;
	else if (error)
		return fail_page(run, "result", "storing", page, slot, zs_error_name(error));
	else
		run->holds[slot] = page;
	if (!schedule_free(&run->schedule, &slot))
		return 0;
	error = zram_free(run->zram, slot);
	if (error)
		return fail(run, "handle.stability", "freeing slot %u: %s", slot,
			    zs_error_name(error));
	run->holds[slot] = NOTHING;
	return 0;
}

static int store_chunk(struct run *run, uint32_t first, uint32_t last)
{
	double start = cli_seconds();
	int status = 0;

	for (uint32_t page = first; page < last && !status; page++)
		status = store_page(run, page);
	run->write.store += cli_seconds() - start;
	return status;
}

static void compress_chunk(struct run *run, uint32_t first, uint32_t last)
{
	double start = cli_seconds();
	const void *out;

	for (uint32_t page = first; page < last; page++)
		codec_compress(run->codec, page_of(run, page), run->page_size, &out);
	run->write.codec += cli_seconds() - start;
}

/* Pages, or slots, that are handled at a time. */
static uint32_t chunk_pages(const struct run *run)
{
	return (uint32_t)(CHUNK_BYTES / run->page_size);
}

/* Adds what a chunk took to the samples; before: the timing as it was. */
static void sample(struct run *run, const char *what, const struct timing *before,
		   const struct timing *after)
{
	cJSON *object = cJSON_CreateObject();

	if (!run->arguments->speed)
		return cJSON_Delete(object);
	cJSON_AddStringToObject(object, "what", what);
	cJSON_AddNumberToObject(object, "bytes", (double)(after->bytes - before->bytes));
	cJSON_AddNumberToObject(object, "store_seconds", after->store - before->store);
	cJSON_AddNumberToObject(object, "codec_seconds", after->codec - before->codec);
	cJSON_AddItemToArray(run->samples, object);
}

/* The store comes first in every other chunk, since the second of the two may find warmer caches. */
static int store_all(struct run *run)
{
	struct cli_progress progress = { .what = "storing", .start = cli_seconds() };
	uint32_t step = chunk_pages(run);
	int status = 0;

	for (uint32_t first = 0; first < run->count && !status; first += step) {
		uint32_t last = run->count - first < step ? run->count : first + step;
		bool codec_first = first / step % 2 == 0;
		struct timing before = run->write;

		if (run->arguments->speed && codec_first)
			compress_chunk(run, first, last);
		status = store_chunk(run, first, last);
		if (run->arguments->speed && !codec_first)
			compress_chunk(run, first, last);
		run->write.bytes += (uint64_t)(last - first) * run->page_size;
		sample(run, "write", &before, &run->write);
		cli_progress(&progress, last, run->count);
	}
	cli_progress_end(&progress);
	return status;
}

/* ---- reading back ---------------------------------------------------------------------------- */

/* Slots that hold a page, and room for what is read from them. */
struct chunk {
	uint32_t *slots;
	uint32_t count;
	uint8_t *read;
	int *errors;
	uint8_t *compressed; /* by the codec alone, one after the other; NULL: not wanted */
	size_t *sizes;
	uint8_t *decompressed;
};

static void chunk_free(struct chunk *chunk)
{
	free(chunk->slots);
	free(chunk->read);
	free(chunk->errors);
	free(chunk->compressed);
	free(chunk->sizes);
	free(chunk->decompressed);
}

static bool chunk_init(struct chunk *chunk, const struct run *run)
{
	size_t pages = chunk_pages(run);

	*chunk = (struct chunk){
		.slots = malloc(pages * sizeof(*chunk->slots)),
		.read = malloc(pages * run->page_size),
		.errors = malloc(pages * sizeof(*chunk->errors)),
	};
	if (!run->arguments->speed)
		return chunk->slots && chunk->read && chunk->errors;
	chunk->compressed = malloc(pages * codec_bound(run->codec));
	chunk->sizes = malloc(pages * sizeof(*chunk->sizes));
	chunk->decompressed = malloc(pages * run->page_size);
	return chunk->slots && chunk->read && chunk->errors && chunk->compressed && chunk->sizes &&
	       chunk->decompressed;
}

static void read_chunk(struct run *run, struct chunk *chunk)
{
	double start;

	memset(chunk->read, POISON, chunk->count * run->page_size);
	start = cli_seconds();
	for (uint32_t i = 0; i < chunk->count; i++)
		chunk->errors[i] =
			zram_read(run->zram, chunk->slots[i], chunk->read + i * run->page_size);
	run->read.store += cli_seconds() - start;
}

/* Compressing them again isn't measured. */
static void decompress_chunk(struct run *run, struct chunk *chunk)
{
	uint8_t *at = chunk->compressed;
	const void *out;
	double start;

	for (uint32_t i = 0; i < chunk->count; i++) {
		chunk->sizes[i] =
			codec_compress(run->codec, page_of(run, run->holds[chunk->slots[i]]),
				       run->page_size, &out);
		memcpy(at, out, chunk->sizes[i]);
		at += chunk->sizes[i];
	}
	at = chunk->compressed;
	start = cli_seconds();
	for (uint32_t i = 0; i < chunk->count; i++) {
		codec_decompress(run->codec, at, chunk->sizes[i],
				 chunk->decompressed + i * run->page_size, run->page_size);
		at += chunk->sizes[i];
	}
	run->read.codec += cli_seconds() - start;
}

static int compare_page(struct run *run, uint32_t slot, int error, const uint8_t *read)
{
	uint32_t page = run->holds[slot];
	const uint8_t *stored = page_of(run, page);
	char how[80];
	size_t at = 0;

	if (error && error != ZS_ECORRUPT)
		return fail_page(run, "handle.stability", "reading", page, slot,
				 zs_error_name(error));
	if (error)
		return fail_page(run, "content", "reading", page, slot, "it doesn't decompress");
	if (!memcmp(read, stored, run->page_size)) {
		run->right++;
		return 0;
	}
	while (read[at] == stored[at])
		at++;
	snprintf(how, sizeof(how), "byte %zu is 0x%02x, was 0x%02x", at, read[at], stored[at]);
	return fail_page(run, "content", "reading", page, slot, how);
}

static int compare_chunk(struct run *run, const struct chunk *chunk)
{
	int status = 0;

	for (uint32_t i = 0; i < chunk->count && !status; i++)
		status = compare_page(run, chunk->slots[i], chunk->errors[i],
				      chunk->read + i * run->page_size);
	return status;
}

/* A slot that holds nothing reads as zeros. */
static int check_empty(struct run *run, uint32_t slot, uint8_t *page)
{
	int error;

	memset(page, POISON, run->page_size);
	error = zram_read(run->zram, slot, page);
	if (error || page[0] || !device_same_filled(page, run->page_size))
		return fail(run, "content", "slot %u is empty, but doesn't read as zeros: %s", slot,
			    zs_error_name(error));
	return 0;
}

/* Fills the chunk with the slots of first .. last that hold a page; the others are checked now. */
static int choose_slots(struct run *run, struct chunk *chunk, uint32_t first, uint32_t last)
{
	int status = 0;

	chunk->count = 0;
	for (uint32_t slot = first; slot < last && !status; slot++) {
		if (run->holds[slot] == NOTHING)
			status = check_empty(run, slot, chunk->read);
		else
			chunk->slots[chunk->count++] = slot;
	}
	return status;
}

static int read_slots(struct run *run, struct chunk *chunk, uint32_t first, uint32_t last,
		      bool codec_first)
{
	struct timing before = run->read;
	int status = choose_slots(run, chunk, first, last);

	if (status)
		return status;
	if (run->arguments->speed && codec_first)
		decompress_chunk(run, chunk);
	read_chunk(run, chunk);
	status = compare_chunk(run, chunk);
	if (run->arguments->speed && !codec_first)
		decompress_chunk(run, chunk);
	run->read.bytes += (uint64_t)chunk->count * run->page_size;
	sample(run, "read", &before, &run->read);
	return status;
}

static int read_all(struct run *run)
{
	struct cli_progress progress = { .what = "reading back", .start = cli_seconds() };
	uint32_t step = chunk_pages(run);
	struct chunk chunk;
	int status = chunk_init(&chunk, run) ? 0 : out_of_memory(run);

	for (uint32_t first = 0; first < run->count && !status; first += step) {
		uint32_t last = run->count - first < step ? run->count : first + step;

		status = read_slots(run, &chunk, first, last, first / step % 2 == 0);
		cli_progress(&progress, last, run->count);
	}
	cli_progress_end(&progress);
	chunk_free(&chunk);
	return status;
}

/* ---- the end --------------------------------------------------------------------------------- */

static int check(struct run *run)
{
	struct zs_broken broken;

	if (run->backend->check(zram_pool(run->zram), &broken))
		return fail(run, "check", "%s doesn't hold at %" PRIu64, broken.invariant,
			    broken.where);
	return 0;
}

/* When every slot is empty, nothing may be held. */
static int empty(struct run *run)
{
	struct zram_mm_stat stat;

	for (uint32_t slot = 0; slot < run->count; slot++) {
		int error = zram_free(run->zram, slot);

		if (error)
			return fail(run, "handle.stability", "freeing slot %u: %s", slot,
				    zs_error_name(error));
	}
	zram_mm_stat(run->zram, &stat);
	if (stat.mem_used_total || stat.orig_data_size || stat.compr_data_size)
		return fail(run, "balance", "%" PRIu64 " bytes are held though all is freed",
			    stat.mem_used_total);
	return check(run);
}

static int carry_out(struct run *run)
{
	int status = store_all(run);

	if (status)
		return status;
	if (run->arguments->compact)
		zram_compact(run->zram);
	zram_mm_stat(run->zram, &run->stat);
	class_table_read(&run->classes, run->backend, zram_pool(run->zram));
	status = read_all(run);
	if (!status)
		status = check(run);
	return status ? status : empty(run);
}

/* ---- what is told ---------------------------------------------------------------------------- */

static double rate(uint64_t bytes, double seconds)
{
	return seconds > 0 ? (double)bytes / seconds / 1e6 : 0;
}

static double percent(const struct timing *timing)
{
	return timing->store > 0 ? 100 * timing->codec / timing->store : 0;
}

static struct timing overall(const struct run *run)
{
	return (struct timing){ run->write.store + run->read.store,
				run->write.codec + run->read.codec,
				run->write.bytes + run->read.bytes };
}

static void print_timing(const char *what, const struct timing *timing)
{
	printf("%-8s %10.1f %10.1f %8.1f %%\n", what, rate(timing->bytes, timing->store),
	       rate(timing->bytes, timing->codec), percent(timing));
}

static void print_speed(const struct run *run)
{
	struct timing all = overall(run);

	printf("\n%s%-8s %10s %10s %10s%s\n", cli_style(stdout, CLI_BOLD), "MB/s", "store", "codec",
	       "share", cli_style(stdout, CLI_PLAIN));
	print_timing("write", &run->write);
	print_timing("read", &run->read);
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

static void print_verdict(const struct run *run)
{
	char a[CLI_WORD], b[CLI_WORD];

	printf("\nstored %s in %s; ", cli_bytes(run->stat.orig_data_size, a),
	       cli_bytes(run->stat.mem_used_total, b));
	if (run->arguments->compact)
		printf("compaction reclaimed %s pages with %s moves; ",
		       cli_thousands(run->stat.pages_compacted, a),
		       cli_thousands(run->stat.objs_moved, b));
	if (run->refused)
		printf("%s pages found no room; ", cli_thousands(run->refused, a));
	printf("%sall %s pages read back right%s (seed %" PRIu64 ")\n",
	       cli_style(stdout, CLI_GREEN), cli_thousands(run->right, a),
	       cli_style(stdout, CLI_PLAIN), run->arguments->seed);
}

static void tell(const struct run *run)
{
	print_mm_stat(&run->stat);
	class_table_print(&run->classes);
	if (run->arguments->speed)
		print_speed(run);
	print_verdict(run);
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

static cJSON *speed_json(struct run *run)
{
	cJSON *object = cJSON_CreateObject();
	struct timing all = overall(run);

	cJSON_AddItemToObject(object, "write", timing_json(&run->write));
	cJSON_AddItemToObject(object, "read", timing_json(&run->read));
	cJSON_AddItemToObject(object, "overall", timing_json(&all));
	cJSON_AddItemReferenceToObject(object, "samples", run->samples);
	return object;
}

static cJSON *failure_json(const struct run *run)
{
	cJSON *object = cJSON_CreateObject();
	char *again = repeat(run);

	cJSON_AddStringToObject(object, "oracle", run->oracle);
	cJSON_AddStringToObject(object, "line", run->line);
	cJSON_AddStringToObject(object, "repeat", again ? again : "");
	free(again);
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

static int write_json(struct run *run)
{
	const struct cli_arguments *arguments = run->arguments;
	cJSON *report = cJSON_CreateObject();

	cJSON_AddStringToObject(report, "command", "zram");
	cJSON_AddStringToObject(report, "codec", arguments->codec);
	cJSON_AddStringToObject(report, "geometry", arguments->geometry);
	cJSON_AddStringToObject(report, "backend", arguments->backend);
	cJSON_AddNumberToObject(report, "seed", (double)arguments->seed);
	cJSON_AddBoolToObject(report, "compacted", arguments->compact);
	cJSON_AddNumberToObject(report, "pages", run->count);
	cJSON_AddNumberToObject(report, "no_room", (double)run->refused);
	cJSON_AddNumberToObject(report, "pages_right", (double)run->right);
	cJSON_AddItemToObject(report, "mm_stat", mm_stat_json(&run->stat));
	cJSON_AddItemToObject(report, "classes", class_table_json(&run->classes));
	cJSON_AddItemToObject(report, "speed",
			      arguments->speed ? speed_json(run) : cJSON_CreateNull());
	cJSON_AddItemToObject(report, "failure",
			      run->oracle ? failure_json(run) : cJSON_CreateNull());
	return cli_json_write(report, arguments->json_file);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int run_with(struct run *run)
{
	const struct cli_arguments *arguments = run->arguments;
	int status = file_list_make(&run->files, arguments->paths, arguments->paths_count);

	if (!status)
		status = load(run);
	if (!status)
		status = create(run);
	if (!status)
		status = carry_out(run);
	if (!status && cli_wants_text(arguments))
		tell(run);
	if (status != CLI_WRONG && arguments->json && write_json(run))
		status = CLI_WRONG;
	return status;
}

static int zram(const struct cli_arguments *arguments)
{
	struct run run = { .arguments = arguments, .backend = backend_find(arguments->backend) };
	struct zs_config config;
	int status;

	if (!arguments->paths_count)
		return cli_misuse("zram", "files or folders are wanted");
	zs_config_init(&config, cli_preset(arguments->geometry));
	run.page_size = config.geometry.page_size;
	run.codec = codec_open(arguments->codec, run.page_size);
	run.samples = cJSON_CreateArray();
	status = run.codec && run.samples ? run_with(&run) : cli_error("out of memory");
	if (run.zram)
		zram_destroy(run.zram);
	if (run.codec)
		codec_close(run.codec);
	cJSON_Delete(run.samples);
	schedule_end(&run.schedule);
	free(run.holds);
	free(run.pages);
	free(run.places);
	file_list_free(&run.files);
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
