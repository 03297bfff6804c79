/* SPDX-License-Identifier: BSD-3-Clause */
/* forms - a trace printed and parsed, or encoded and decoded, is run just as it was. */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "generate.h"
#include "property.h"

#define OPS 200
#define BYTES (8 + 4 * 100)

static bool from_bytes(const struct property_place *place)
{
	return place->number % 2 != 0;
}

static void decode_random(uint64_t seed, uint32_t number, struct trace *trace)
{
	uint64_t state = property_seed(seed, number);
	uint8_t bytes[BYTES];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)generate_next(&state);
	if (number % 4 == 1)
		memset(bytes, 0, 8);
	if (trace_decode(trace, bytes, sizeof(bytes)))
		abort();
}

static void make(uint64_t seed, const struct property_place *place, struct trace *trace)
{
	if (from_bytes(place))
		decode_random(seed, place->number, trace);
	else
		property_generate(seed, place->number, OPS, trace);
}

static struct replay_result result_of(const struct trace *trace)
{
	const struct replay_options options = { .backend = &backend_core };

	return property_replay(trace, &options);
}

static void see_same(const char *form, const struct replay_result *expected,
		     const struct trace *trace)
{
	struct replay_result got = result_of(trace);

	if (memcmp(expected, &got, sizeof(got)) != 0)
		property_fail("form.replay",
			      "%s, it does %llu operations and %llu fail, not %llu, %llu", form,
			      (unsigned long long)got.operations, (unsigned long long)got.failures,
			      (unsigned long long)expected->operations,
			      (unsigned long long)expected->failures);
}

static void see_text(const struct trace *trace, const struct replay_result *expected)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	struct trace_error error;
	struct trace again;

	if (!file || trace_print(trace, file) || fclose(file))
		abort();
	if (trace_parse(&again, text, size, &error))
		property_fail("form.text", "what was printed is refused: %s", error.text);
	see_same("printed and parsed", expected, &again);
	trace_free(&again);
	free(text);
}

static void see_bytes(const struct trace *trace, const struct replay_result *expected)
{
	const char *why;
	struct trace again;
	uint8_t *bytes;
	size_t size;

	if (trace_encode(trace, &bytes, &size, &why))
		property_fail("form.bytes", "what was decoded has no byte form: %s", why);
	if (trace_decode(&again, bytes, size))
		abort();
	see_same("encoded and decoded", expected, &again);
	trace_free(&again);
	free(bytes);
}

static void run(uint64_t seed, struct property_place *place)
{
	struct replay_result expected;
	struct trace trace;

	make(seed, place, &trace);
	expected = result_of(&trace);
	see_text(&trace, &expected);
	if (from_bytes(place))
		see_bytes(&trace, &expected);
	trace_free(&trace);
}

const struct property_suite property_forms = {
	.name = "forms",
	.what = "a trace printed and parsed, or encoded and decoded, is run just as it was",
	.cases = 600,
	.make = make,
	.run = run,
};
