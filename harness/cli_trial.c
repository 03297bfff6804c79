/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "cli_trial.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define CHUNK_BYTES ((size_t)16 << 20) /* handled by the codec alone and by the store in turn */
#define NOTHING UINT32_MAX
#define MOST_PAGES INT32_MAX /* a pool has no more handles */
#define POISON 0xa5          /* what a page holds before it's read */

/* ---- failures -------------------------------------------------------------------------------- */

/* "zsanity zram --codec lzo ...", to be freed; NULL: no memory. */
static char *repeat(const struct cli_arguments *arguments)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	fprintf(file, "zsanity zram --codec %s", arguments->codec);
	if (arguments->geometry)
		fprintf(file, " --geometry %s", arguments->geometry);
	fprintf(file, " --backend %s --seed %" PRIu64, arguments->backend, arguments->seed);
	if (arguments->limit)
		fprintf(file, " --limit %" PRIu64, arguments->limit);
	if (arguments->mem_limit)
		fprintf(file, " --mem-limit %" PRIu64, arguments->mem_limit);
	fputs(arguments->compact ? " --compact" : "", file);
	for (size_t i = 0; i < arguments->paths_count; i++)
		fprintf(file, " '%s'", arguments->paths[i]);
	return fclose(file) ? NULL : text;
}

__attribute__((format(printf, 3, 4))) static int fail(struct trial *trial, const char *oracle,
						      const char *format, ...)
{
	va_list arguments;
	int start = snprintf(trial->line, sizeof(trial->line), "oracle %s: ", oracle);

	va_start(arguments, format);
	vsnprintf(trial->line + start, sizeof(trial->line) - (size_t)start, format, arguments);
	va_end(arguments);
	trial->oracle = oracle;
	fprintf(stderr, "%s%s%s\nzsanity: again with: %s\n", cli_style(stderr, CLI_RED),
		trial->line, cli_style(stderr, CLI_PLAIN), trial->repeat);
	return CLI_FAILED;
}

/* What an error of the store means. */
static const char *oracle_of(int error)
{
	if (error == ZS_ESTALE || error == ZS_EINVAL)
		return "handle.stability";
	return error == ZS_ECORRUPT ? "content" : "result";
}

/* The same about a page; what: "page 3 of FILE" follows it. */
static int fail_page(struct trial *trial, const char *oracle, const char *what, uint32_t page,
		     uint32_t slot, const char *how)
{
	const struct input_place *place = &trial->places[page];

	return fail(trial, oracle, "%s page %" PRIu64 " of %s, slot %u: %s", what, place->page,
		    trial->files.entries[place->part].path, slot, how);
}

static int out_of_memory(const struct trial *trial)
{
	char text[CLI_WORD];

	return cli_error("out of memory: the pages, %s, are kept to compare with; try --limit",
			 cli_bytes(trial->room * trial->page_size, text));
}

/* ---- the pages ------------------------------------------------------------------------------- */

static uint8_t *page_of(const struct trial *trial, uint32_t page)
{
	return trial->pages + (size_t)page * trial->page_size;
}

static int keep_page(void *context, const void *page, struct input_place place)
{
	struct trial *trial = context;

	if (trial->count == trial->room)
		return 0;
	memcpy(page_of(trial, trial->count), page, trial->page_size);
	trial->places[trial->count++] = place;
	return 0;
}

static int load(struct trial *trial)
{
	struct cli_progress progress = { .what = "reading files", .start = cli_seconds() };
	struct input input;
	struct input_reader reader = {
		.page_size = trial->page_size,
		.limit = trial->arguments->limit ? trial->arguments->limit : UINT64_MAX,
		.take = keep_page,
		.progress = cli_progress,
		.context = trial,
		.progress_context = &progress,
	};
	int status;

	input_files(&input, &trial->files);
	trial->room = input_pages(&input, trial->page_size, reader.limit);
	if (trial->room > MOST_PAGES)
		return out_of_memory(trial);
	trial->pages = malloc(trial->room * trial->page_size + 1);
	trial->places = malloc(trial->room * sizeof(*trial->places) + 1);
	if (!trial->pages || !trial->places)
		return out_of_memory(trial);
	status = input_read(&input, &reader);
	cli_progress_end(&progress);
	cli_unreadable_total();
	if (status)
		return out_of_memory(trial);
	return trial->count ? 0 : cli_error("nothing to store: no page could be read");
}

/* ---- storing --------------------------------------------------------------------------------- */

static int create(struct trial *trial)
{
	struct zram_options options = {
		.backend = trial->backend,
		.codec = trial->codec,
		.slots = trial->count,
		.mem_limit = (trial->arguments->mem_limit + trial->page_size - 1) /
			     trial->page_size * trial->page_size,
	};
	int error;

	options.config = trial->config;
	options.config.max_pages = device_pool_pages(trial->count);
	trial->schedule =
		(struct schedule){ .random = trial->arguments->seed, .most = trial->count };
	trial->holds = malloc(trial->count * sizeof(*trial->holds));
	error = trial->holds ? zram_create(&options, &trial->zram) : ZS_ENOMEM;
	if (error == ZS_ENOMEM)
		return out_of_memory(trial);
	if (error)
		return cli_error("%s refuses a pool of geometry %s: %s", trial->backend->name,
				 cli_geometry(trial->arguments), zs_error_name(error));
	memset(trial->holds, 0xff, trial->count * sizeof(*trial->holds));
	return 0;
}

/* Stores a page where the schedule says, and frees a slot when it says so. */
static int store_page(struct trial *trial, uint32_t page)
{
	uint32_t slot;
	int error;

	if (schedule_store(&trial->schedule, &slot))
		return out_of_memory(trial);
	error = zram_write(trial->zram, slot, page_of(trial, page));
	if ((error == ZS_ENOMEM && trial->arguments->mem_limit) ||
	    (error == ZS_E2BIG && trial->backend->traits & BACKEND_NO_HUGE))
		trial->refused++;
	else if (error)
		return fail_page(trial, oracle_of(error), "storing", page, slot,
				 zs_error_name(error));
	else
		trial->holds[slot] = page;
	if (!schedule_free(&trial->schedule, &slot))
		return 0;
	error = zram_free(trial->zram, slot);
	if (error)
		return fail(trial, oracle_of(error), "freeing slot %u: %s", slot,
			    zs_error_name(error));
	trial->holds[slot] = NOTHING;
	return 0;
}

static int store_chunk(struct trial *trial, uint32_t first, uint32_t last)
{
	double start = cli_seconds();
	int status = 0;

	for (uint32_t page = first; page < last && !status; page++)
		status = store_page(trial, page);
	trial->write.store += cli_seconds() - start;
	return status;
}

static void compress_chunk(struct trial *trial, uint32_t first, uint32_t last)
{
	double start = cli_seconds();
	const void *out;

	for (uint32_t page = first; page < last; page++)
		codec_compress(trial->codec, page_of(trial, page), trial->page_size, &out);
	trial->write.codec += cli_seconds() - start;
}

/* Pages, or slots, that are handled at a time. */
static uint32_t chunk_pages(const struct trial *trial)
{
	return (uint32_t)(CHUNK_BYTES / trial->page_size);
}

/* Adds what a chunk took to the samples; before: the timing as it was. */
static void sample(struct trial *trial, const char *what, const struct timing *before,
		   const struct timing *after)
{
	cJSON *object;

	if (!trial->arguments->speed)
		return;
	object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, "what", what);
	cJSON_AddNumberToObject(object, "bytes", (double)(after->bytes - before->bytes));
	cJSON_AddNumberToObject(object, "store_seconds", after->store - before->store);
	cJSON_AddNumberToObject(object, "codec_seconds", after->codec - before->codec);
	cJSON_AddItemToArray(trial->samples, object);
}

/* The store comes first in every other chunk, since the second of the two may find warmer caches. */
static int store_all(struct trial *trial)
{
	struct cli_progress progress = { .what = "storing", .start = cli_seconds() };
	uint32_t step = chunk_pages(trial);
	bool codec_first = false;
	int status = 0;

	for (uint32_t first = 0; first < trial->count && !status; first += step) {
		uint32_t last = trial->count - first < step ? trial->count : first + step;
		struct timing before = trial->write;

		codec_first = !codec_first;
		if (trial->arguments->speed && codec_first)
			compress_chunk(trial, first, last);
		status = store_chunk(trial, first, last);
		if (trial->arguments->speed && !codec_first)
			compress_chunk(trial, first, last);
		trial->write.bytes += (uint64_t)(last - first) * trial->page_size;
		sample(trial, "write", &before, &trial->write);
		cli_progress(&progress, last, trial->count);
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

static bool chunk_init(struct chunk *chunk, const struct trial *trial)
{
	size_t pages = chunk_pages(trial);

	*chunk = (struct chunk){
		.slots = malloc(pages * sizeof(*chunk->slots)),
		.read = malloc(pages * trial->page_size),
		.errors = malloc(pages * sizeof(*chunk->errors)),
	};
	if (!trial->arguments->speed)
		return chunk->slots && chunk->read && chunk->errors;
	chunk->compressed = malloc(pages * codec_bound(trial->codec));
	chunk->sizes = malloc(pages * sizeof(*chunk->sizes));
	chunk->decompressed = malloc(pages * trial->page_size);
	return chunk->slots && chunk->read && chunk->errors && chunk->compressed && chunk->sizes &&
	       chunk->decompressed;
}

static void read_chunk(struct trial *trial, struct chunk *chunk)
{
	double start;

	memset(chunk->read, POISON, chunk->count * trial->page_size);
	start = cli_seconds();
	for (uint32_t i = 0; i < chunk->count; i++)
		chunk->errors[i] =
			zram_read(trial->zram, chunk->slots[i], chunk->read + i * trial->page_size);
	trial->read.store += cli_seconds() - start;
}

/* Compressing them again isn't measured. */
static void decompress_chunk(struct trial *trial, struct chunk *chunk)
{
	uint8_t *at = chunk->compressed;
	const void *out;
	double start;

	for (uint32_t i = 0; i < chunk->count; i++) {
		chunk->sizes[i] =
			codec_compress(trial->codec, page_of(trial, trial->holds[chunk->slots[i]]),
				       trial->page_size, &out);
		memcpy(at, out, chunk->sizes[i]);
		at += chunk->sizes[i];
	}
	at = chunk->compressed;
	start = cli_seconds();
	for (uint32_t i = 0; i < chunk->count; i++) {
		codec_decompress(trial->codec, at, chunk->sizes[i],
				 chunk->decompressed + i * trial->page_size, trial->page_size);
		at += chunk->sizes[i];
	}
	trial->read.codec += cli_seconds() - start;
}

static int compare_page(struct trial *trial, uint32_t slot, int error, const uint8_t *read)
{
	uint32_t page = trial->holds[slot];
	const uint8_t *stored = page_of(trial, page);
	char how[80];
	size_t at = 0;

	if (error)
		return fail_page(trial, oracle_of(error), "reading", page, slot,
				 error == ZS_ECORRUPT ? "it doesn't decompress"
						      : zs_error_name(error));
	if (!memcmp(read, stored, trial->page_size)) {
		trial->right++;
		return 0;
	}
	while (read[at] == stored[at])
		at++;
	snprintf(how, sizeof(how), "byte %zu is 0x%02x, was 0x%02x", at, read[at], stored[at]);
	return fail_page(trial, "content", "reading", page, slot, how);
}

static int compare_chunk(struct trial *trial, const struct chunk *chunk)
{
	int status = 0;

	for (uint32_t i = 0; i < chunk->count && !status; i++)
		status = compare_page(trial, chunk->slots[i], chunk->errors[i],
				      chunk->read + i * trial->page_size);
	return status;
}

/* A slot that holds nothing reads as zeros. */
static int check_empty(struct trial *trial, uint32_t slot, uint8_t *page)
{
	int error;

	memset(page, POISON, trial->page_size);
	error = zram_read(trial->zram, slot, page);
	if (error || page[0] || !device_same_filled(page, trial->page_size))
		return fail(trial, "content", "slot %u is empty, but doesn't read as zeros: %s",
			    slot, zs_error_name(error));
	return 0;
}

/* Fills the chunk with the slots of first .. last that hold a page; the others are checked now. */
static int choose_slots(struct trial *trial, struct chunk *chunk, uint32_t first, uint32_t last)
{
	int status = 0;

	chunk->count = 0;
	for (uint32_t slot = first; slot < last && !status; slot++) {
		if (trial->holds[slot] == NOTHING)
			status = check_empty(trial, slot, chunk->read);
		else
			chunk->slots[chunk->count++] = slot;
	}
	return status;
}

static int read_slots(struct trial *trial, struct chunk *chunk, uint32_t first, uint32_t last,
		      bool codec_first)
{
	struct timing before = trial->read;
	int status = choose_slots(trial, chunk, first, last);

	if (status)
		return status;
	if (trial->arguments->speed && codec_first)
		decompress_chunk(trial, chunk);
	read_chunk(trial, chunk);
	status = compare_chunk(trial, chunk);
	if (trial->arguments->speed && !codec_first)
		decompress_chunk(trial, chunk);
	trial->read.bytes += (uint64_t)chunk->count * trial->page_size;
	sample(trial, "read", &before, &trial->read);
	return status;
}

static int read_all(struct trial *trial)
{
	struct cli_progress progress = { .what = "reading back", .start = cli_seconds() };
	uint32_t step = chunk_pages(trial);
	bool codec_first = false;
	struct chunk chunk;
	int status = chunk_init(&chunk, trial) ? 0 : out_of_memory(trial);

	for (uint32_t first = 0; first < trial->count && !status; first += step) {
		uint32_t last = trial->count - first < step ? trial->count : first + step;

		codec_first = !codec_first;
		status = read_slots(trial, &chunk, first, last, codec_first);
		cli_progress(&progress, last, trial->count);
	}
	cli_progress_end(&progress);
	chunk_free(&chunk);
	return status;
}

/* ---- the end --------------------------------------------------------------------------------- */

static int check(struct trial *trial)
{
	struct zs_broken broken;

	if (trial->backend->check(zram_pool(trial->zram), &broken))
		return fail(trial, "check", "%s doesn't hold at %" PRIu64, broken.invariant,
			    broken.where);
	return 0;
}

/* When every slot is empty, nothing may be held. */
static int empty(struct trial *trial)
{
	struct zram_mm_stat stat;

	for (uint32_t slot = 0; slot < trial->count; slot++) {
		int error = zram_free(trial->zram, slot);

		if (error)
			return fail(trial, oracle_of(error), "freeing slot %u: %s", slot,
				    zs_error_name(error));
	}
	zram_mm_stat(trial->zram, &stat);
	if (stat.mem_used_total || stat.orig_data_size || stat.compr_data_size)
		return fail(trial, "balance",
			    "all is freed, but orig_data_size is %" PRIu64
			    ", compr_data_size %" PRIu64 ", mem_used_total %" PRIu64,
			    stat.orig_data_size, stat.compr_data_size, stat.mem_used_total);
	return check(trial);
}

static int carry_out(struct trial *trial)
{
	int status = store_all(trial);

	if (!status && trial->arguments->compact)
		zram_compact(trial->zram);
	zram_mm_stat(trial->zram, &trial->stat);
	class_table_read(&trial->classes, trial->backend, zram_pool(trial->zram));
	if (!status)
		status = read_all(trial);
	if (!status)
		status = check(trial);
	return status ? status : empty(trial);
}

/* ---- the whole ------------------------------------------------------------------------------- */

int trial_run(struct trial *trial, const struct cli_arguments *arguments,
	      const struct backend *backend)
{
	int status;

	*trial = (struct trial){
		.arguments = arguments,
		.backend = backend,
		.samples = cJSON_CreateArray(),
		.repeat = repeat(arguments),
	};
	if (cli_config(arguments, backend, &trial->config))
		return CLI_WRONG;
	trial->page_size = trial->config.geometry.page_size;
	trial->codec = codec_open(arguments->codec, trial->page_size);
	if (!trial->codec || !trial->samples || !trial->repeat)
		return cli_error("out of memory");
	status = file_list_make(&trial->files, arguments->paths, arguments->paths_count);
	if (!status)
		status = load(trial);
	if (!status)
		status = create(trial);
	return status ? status : carry_out(trial);
}

void trial_free(struct trial *trial)
{
	if (trial->zram)
		zram_destroy(trial->zram);
	if (trial->codec)
		codec_close(trial->codec);
	cJSON_Delete(trial->samples);
	schedule_end(&trial->schedule);
	free(trial->holds);
	free(trial->pages);
	free(trial->places);
	free(trial->repeat);
	file_list_free(&trial->files);
}
