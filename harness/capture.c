/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture.h"

#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "wrap.h"

struct capture {
	const struct capture_options *options;
	struct capture_summary *summary;
	struct trace *trace;
	struct schedule schedule;
	const char *why;
	size_t page_size;
	size_t huge; /* the pool's huge class's size */
	uint64_t stores;
};

static int out_of_memory(struct capture *capture)
{
	capture->why = "out of memory";
	return -1;
}

static int emit(struct capture *capture, struct op op)
{
	return trace_add(capture->trace, op) ? out_of_memory(capture) : 0;
}

/* What a device does between two stores. */
static int live_on(struct capture *capture)
{
	uint32_t every = capture->options->compact_every, name;

	if (schedule_free(&capture->schedule, &name) &&
	    emit(capture, (struct op){ .code = OP_FREE, .name = name }))
		return -1;
	if (schedule_read(&capture->schedule, &name) &&
	    emit(capture, (struct op){ .code = OP_READ, .name = name, .value = OP_ALL }))
		return -1;
	if (every && capture->stores % every == 0)
		return emit(capture, (struct op){ .code = OP_COMPACT });
	return 0;
}

static int store(struct capture *capture, size_t size, uint32_t seed)
{
	uint32_t name;

	if (schedule_store(&capture->schedule, &name))
		return out_of_memory(capture);
	capture->stores++;
	if (emit(capture, (struct op){ .code = OP_MALLOC, .name = name, .value = size }) ||
	    emit(capture,
		 (struct op){ .code = OP_WRITE, .name = name, .value = OP_ALL, .extra = seed }))
		return -1;
	return live_on(capture);
}

/* FNV-1a by words, folded to what the byte form of a trace has room for. */
static uint32_t content_seed(const uint8_t *page, size_t size)
{
	uint64_t hash = HASH_START, word;

	for (size_t i = 0; i < size; i += sizeof(word)) {
		memcpy(&word, page + i, sizeof(word));
		hash = hash_add(hash, word);
		hash ^= hash >> 32;
	}
	return (uint32_t)hash & 0x7fff;
}

static int take_page(void *context, const void *page, struct input_place place)
{
	struct capture *capture = context;
	struct capture_summary *summary = capture->summary;
	size_t size = capture->page_size, compressed, stored;
	const void *out;

	(void)place;
	summary->pages++;
	if (device_same_filled(page, size)) {
		summary->same_filled++;
		return 0;
	}
	compressed = codec_compress(capture->options->codec, page, size, &out);
	if (!compressed) {
		capture->why = "the codec failed";
		return -1;
	}
	stored = device_stored_size(compressed, capture->huge, size);
	if (stored == size)
		summary->incompressible++;
	else
		summary->compressed_bytes += stored;
	return store(capture, stored, content_seed(page, size));
}

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
	return 0;
}

static int run(struct capture *capture, const struct input *input)
{
	struct input_reader reader = {
		.page_size = capture->page_size,
		.limit = capture->options->limit,
		.take = take_page,
		.progress = capture->options->progress,
		.context = capture,
		.progress_context = capture->options->context,
	};

	if (find_huge(capture))
		return -1;
	if (input_read(input, &reader))
		return capture->why ? -1 : out_of_memory(capture);
	if (!capture->summary->pages) {
		capture->why = "nothing to capture: no page could be read";
		return -1;
	}
	capture->trace->config.max_pages = device_pool_pages(capture->schedule.peak);
	return 0;
}

int capture(struct trace *trace, const struct input *input, const struct capture_options *options,
	    struct capture_summary *summary, const char **why)
{
	struct capture capture = {
		.options = options,
		.summary = summary,
		.trace = trace,
		.schedule = { .random = options->seed, .most = options->names },
		.page_size = trace->config.geometry.page_size,
	};
	int result;

	*summary = (struct capture_summary){ .pages = 0 };
	result = run(&capture, input);
	schedule_end(&capture.schedule);
	*why = capture.why;
	return result;
}
