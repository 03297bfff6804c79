/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L

#include "property.h"

#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"

#define LARGE_PAGE 4096 /* from here on content takes the time, so sequences are shorter */
#define MOST_TEXT (1u << 20)

uint32_t property_generated;

uint64_t property_seed(uint64_t seed, uint32_t number)
{
	uint64_t state = seed + ((uint64_t)number << 32);

	return generate_next(&state);
}

void property_generate(uint64_t seed, uint32_t number, size_t ops, struct trace *trace)
{
	uint64_t own = property_seed(seed, number);

	trace_init(trace);
	generate_config_small(number % GENERATE_GEOMETRIES, own, &trace->config);
	generate_pair((uint32_t)((number + seed % GENERATE_PAIRS) % GENERATE_PAIRS),
		      &trace->config);
	if (trace->config.geometry.page_size >= LARGE_PAGE)
		ops /= 2;
	if (generate_ops(trace, own, ops))
		abort();
}

struct replay_result property_replay(const struct trace *trace,
				     const struct replay_options *options)
{
	struct replay_result result;

	memset(&result, 0, sizeof(result));
	if (replay(trace, options, &result))
		abort();
	return result;
}

/* ---- the corpus ------------------------------------------------------------------------------ */

static glob_t corpus;

uint32_t property_corpus_count(void)
{
	if (!corpus.gl_pathc && glob("corpus/traces/*.trace", 0, NULL, &corpus)) {
		fputs("property_test: no corpus/traces here; run it from the top folder\n", stderr);
		exit(2);
	}
	return (uint32_t)corpus.gl_pathc;
}

void property_corpus(uint32_t index, struct trace *trace)
{
	static char text[MOST_TEXT];
	struct trace_error error;
	const char *path;
	FILE *file;
	size_t size;

	if (index >= property_corpus_count()) {
		fputs("property_test: no such case\n", stderr);
		exit(2);
	}
	path = corpus.gl_pathv[index];
	file = fopen(path, "r");
	if (!file) {
		perror(path);
		exit(2);
	}
	size = fread(text, 1, sizeof(text), file);
	fclose(file);
	if (trace_parse(trace, text, size, &error)) {
		fprintf(stderr, "property_test: %s: %s\n", path, error.text);
		exit(2);
	}
}

/* ---- failing --------------------------------------------------------------------------------- */

void property_fail(const char *id, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "oracle %s: ", id);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	abort();
}
