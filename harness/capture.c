/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"
#include "wrap.h"

#define MOST_PAGES (1u << 26) /* of a pool */

struct capture {
	const struct capture_options *options;
	struct capture_summary *summary;
	struct trace *trace;
	const char *why;
	size_t huge;   /* compressed sizes from here on are stored as a page */
	uint64_t size; /* input bytes that there will be */
	uint64_t done;
	uint64_t random;
	uint8_t *page;
	size_t page_size;
	size_t filled;  /* bytes of page */
	uint32_t *live; /* names in use, then (from the end) names used and freed */
	uint32_t count; /* names in use */
	uint32_t known; /* names ever used */
	uint32_t room;
	uint32_t peak;
	uint64_t stores;
};

static uint32_t draw(struct capture *capture, uint32_t below)
{
	return (uint32_t)(generate_next(&capture->random) >> 32) % below;
}

static int out_of_memory(struct capture *capture)
{
	capture->why = "out of memory";
	return -1;
}

static int emit(struct capture *capture, struct op op)
{
	return trace_add(capture->trace, op) ? out_of_memory(capture) : 0;
}

/* ---- the device ------------------------------------------------------------------------------ */

/* live[] is a permutation of the known names: those in use, then those that aren't. */
static int learn_name(struct capture *capture)
{
	if (capture->known == capture->room) {
		uint32_t room = 2 * capture->room + 1024;
		uint32_t *live = realloc(capture->live, room * sizeof(*live));

		if (!live)
			return out_of_memory(capture);
		capture->live = live;
		capture->room = room;
	}
	capture->live[capture->known] = capture->known;
	capture->known++;
	return 0;
}

/* The name that the next page goes to: one in use now and then, or when there is no other. */
static int choose_name(struct capture *capture, uint32_t *name)
{
	bool full = capture->count == capture->options->names;

	if (capture->count && (full || !draw(capture, CAPTURE_OVERWRITE))) {
		*name = capture->live[draw(capture, capture->count)];
		return 0;
	}
	if (capture->count == capture->known && learn_name(capture))
		return -1;
	*name = capture->live[capture->count++];
	if (capture->count > capture->peak)
		capture->peak = capture->count;
	return 0;
}

static int free_some_name(struct capture *capture)
{
	uint32_t place = draw(capture, capture->count);
	uint32_t name = capture->live[place];

	capture->live[place] = capture->live[--capture->count];
	capture->live[capture->count] = name;
	return emit(capture, (struct op){ .code = OP_FREE, .name = name });
}

static int read_some_name(struct capture *capture)
{
	uint32_t name = capture->live[draw(capture, capture->count)];

	return emit(capture, (struct op){ .code = OP_READ, .name = name, .value = OP_ALL });
}

/* What a device does between two stores. */
static int live_on(struct capture *capture)
{
	uint32_t every = capture->options->compact_every;

	if (!draw(capture, CAPTURE_FREE) && free_some_name(capture))
		return -1;
	if (!draw(capture, CAPTURE_READ) && capture->count && read_some_name(capture))
		return -1;
	if (every && capture->stores % every == 0)
		return emit(capture, (struct op){ .code = OP_COMPACT });
	return 0;
}

static int store(struct capture *capture, size_t size, uint32_t seed)
{
	uint32_t name;

	if (choose_name(capture, &name))
		return -1;
	capture->stores++;
	if (emit(capture, (struct op){ .code = OP_MALLOC, .name = name, .value = size }) ||
	    emit(capture,
		 (struct op){ .code = OP_WRITE, .name = name, .value = OP_ALL, .extra = seed }))
		return -1;
	return live_on(capture);
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* As zram's page_same_filled: every word is the first. */
static bool is_same_filled(const uint8_t *page, size_t size)
{
	return !memcmp(page, page + sizeof(long), size - sizeof(long));
}

/* FNV-1a by words, folded to what the byte form of a trace has room for. */
static uint32_t content_seed(const uint8_t *page, size_t size)
{
	uint64_t hash = 0xcbf29ce484222325ULL, word;

	for (size_t i = 0; i < size; i += sizeof(word)) {
		memcpy(&word, page + i, sizeof(word));
		hash = wrap_mul(hash ^ word, 0x100000001b3ULL);
		hash ^= hash >> 32;
	}
	return (uint32_t)hash & 0x7fff;
}

static int take_page(struct capture *capture)
{
	struct capture_summary *summary = capture->summary;
	size_t size = capture->page_size, compressed;

	capture->filled = 0;
	summary->pages++;
	if (is_same_filled(capture->page, size)) {
		summary->same_filled++;
		return 0;
	}
	compressed = codec_compress(capture->options->codec, capture->page, size);
	if (!compressed) {
		capture->why = "the codec failed";
		return -1;
	}
	if (compressed >= capture->huge) {
		summary->incompressible++;
		compressed = size;
	} else {
		summary->compressed_bytes += compressed;
	}
	return store(capture, compressed, content_seed(capture->page, size));
}

static int take_bytes(void *context, const void *data, size_t size)
{
	struct capture *capture = context;
	const uint8_t *bytes = data;
	uint64_t left = capture->size - capture->done;

	size = size < left ? size : left;
	capture->done += size;
	while (size) {
		size_t space = capture->page_size - capture->filled;
		size_t some = size < space ? size : space;

		memcpy(capture->page + capture->filled, bytes, some);
		capture->filled += some;
		bytes += some;
		size -= some;
		if (capture->filled == capture->page_size && take_page(capture))
			return -1;
	}
	if (capture->options->progress)
		capture->options->progress(capture->options->context, capture->done, capture->size);
	return capture->done == capture->size;
}

/* The page cache fills the last page of a file with zeros. */
static int take_end(void *context)
{
	struct capture *capture = context;

	if (!capture->filled)
		return 0;
	memset(capture->page + capture->filled, 0, capture->page_size - capture->filled);
	return take_page(capture);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Asked of a pool, since it depends on every class. */
static int find_huge(struct capture *capture)
{
	struct zs_config config = capture->trace->config;
	struct zs_pool *pool;

	config.max_pages = 1;
	if (zs_pool_create(&config, &pool))
		return out_of_memory(capture);
	capture->huge = zs_huge_class_size(pool);
	zs_pool_destroy(pool);
	if (!capture->huge || capture->huge > capture->page_size)
		capture->huge = capture->page_size;
	return 0;
}

/* Twice what the objects would need if each took a page. */
static uint32_t pages_for(uint32_t objects)
{
	uint32_t pages = 256; /* enough for small ones, whose objects hardly share zspages */

	while (pages < MOST_PAGES && pages / 2 < objects)
		pages *= 2;
	return pages;
}

static int run(struct capture *capture, const struct input *input)
{
	struct sink sink = { take_bytes, take_end, capture };

	capture->page = malloc(capture->page_size);
	if (!capture->page)
		return out_of_memory(capture);
	if (find_huge(capture))
		return -1;
	if (input_read(input, &sink))
		return capture->why ? -1 : out_of_memory(capture);
	if (!capture->summary->pages) {
		capture->why = "nothing to capture: no page could be read";
		return -1;
	}
	capture->trace->config.max_pages = pages_for(capture->peak);
	return 0;
}

int capture(struct trace *trace, const struct input *input, const struct capture_options *options,
	    struct capture_summary *summary, const char **why)
{
	struct capture capture = {
		.options = options,
		.summary = summary,
		.trace = trace,
		.size = input->total < options->limit ? input->total : options->limit,
		.random = options->seed,
		.page_size = trace->config.geometry.page_size,
	};
	int result;

	*summary = (struct capture_summary){ .pages = 0 };
	result = run(&capture, input);
	free(capture.page);
	free(capture.live);
	*why = capture.why;
	return result;
}
