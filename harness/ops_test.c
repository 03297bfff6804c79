/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "generate.h"
#include "ops.h"

#define ROUNDS 4000
#define MOST_BYTES 600

static uint64_t next(uint64_t *state)
{
	return generate_next(state);
}

/* Random bytes; half of the time nothing is masked, so that there is something to look at. */
static size_t random_bytes(uint64_t *state, uint8_t bytes[MOST_BYTES])
{
	size_t size = next(state) % MOST_BYTES;

	for (size_t i = 0; i < MOST_BYTES; i++)
		bytes[i] = (uint8_t)next(state);
	if (next(state) % 2)
		bytes[4] = bytes[5] = 0;
	return size;
}

static void assert_same(const struct trace *a, const struct trace *b)
{
	assert_memory_equal(&a->config, &b->config, sizeof(a->config));
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		assert_int_equal(a->ops[i].code, b->ops[i].code);
		assert_int_equal(a->ops[i].name, b->ops[i].name);
		assert_int_equal(a->ops[i].value, b->ops[i].value);
		assert_int_equal(a->ops[i].extra, b->ops[i].extra);
	}
}

static char *print_to_memory(const struct trace *trace, size_t *size)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, size);

	assert_non_null(file);
	assert_int_equal(trace_print(trace, file), 0);
	assert_int_equal(fclose(file), 0);
	return text;
}

static void parse_ok(struct trace *trace, const char *text)
{
	struct trace_error error = { 0 };

	if (trace_parse(trace, text, strlen(text), &error))
		fail_msg("%s", error.text);
}

static void parse_fails(const char *text, size_t line, const char *complaint)
{
	struct trace_error error = { 0 };
	struct trace trace;

	assert_int_equal(trace_parse(&trace, text, strlen(text), &error), -1);
	assert_string_equal(error.text, complaint);
	assert_int_equal(error.line, line);
	assert_int_equal(trace.count, 0);
	assert_null(trace.ops);
}

/* ---- properties ------------------------------------------------------------------------------ */

static void decode_print_parse(void **unused)
{
	uint64_t state = 1;

	(void)unused;
	for (int round = 0; round < ROUNDS; round++) {
		uint8_t bytes[MOST_BYTES];
		size_t size = random_bytes(&state, bytes);
		struct trace decoded, parsed;
		struct trace_error error;
		size_t length;
		char *text;

		assert_int_equal(trace_decode(&decoded, bytes, size), 0);
		text = print_to_memory(&decoded, &length);
		assert_true(trace_is_text(text, length));
		assert_int_equal(trace_parse(&parsed, text, length, &error), 0);
		assert_same(&decoded, &parsed);
		free(text);
		trace_free(&decoded);
		trace_free(&parsed);
	}
}

static void decode_encode_decode(void **unused)
{
	uint64_t state = 2;

	(void)unused;
	for (int round = 0; round < ROUNDS; round++) {
		uint8_t bytes[MOST_BYTES], *encoded;
		size_t size = random_bytes(&state, bytes), encoded_size;
		struct trace first, second;
		const char *why = NULL;

		assert_int_equal(trace_decode(&first, bytes, size), 0);
		if (trace_encode(&first, &encoded, &encoded_size, &why))
			fail_msg("round %d: %s", round, why);
		assert_int_equal(trace_decode(&second, encoded, encoded_size), 0);
		assert_same(&first, &second);
		free(encoded);
		trace_free(&first);
		trace_free(&second);
	}
}

/*
 * Every argument of every operation under every geometry and size rule, not only those met by
 * chance.
 */
static void every_record_encodes(void **unused)
{
	(void)unused;
	for (unsigned int geometry = 0; geometry < 16; geometry++) {
		uint8_t bytes[8 + 4 * 32] = { [3] = 62 };

		bytes[0] = (uint8_t)(geometry < 12 ? geometry : 48 + geometry);
		bytes[6] = (uint8_t)(4 | geometry << 3);
		for (uint32_t argument = 0; argument < 65536;
		     argument += argument < 65472 ? 13 : 1) {
			struct trace first, second;
			uint8_t *encoded;
			const char *why;
			size_t size;

			bytes[7] = (uint8_t)(argument * 37);
			for (unsigned int op = 0; op < 32; op++) {
				bytes[8 + 4 * op] = (uint8_t)op;
				bytes[8 + 4 * op + 2] = (uint8_t)argument;
				bytes[8 + 4 * op + 3] = (uint8_t)(argument >> 8);
			}
			assert_int_equal(trace_decode(&first, bytes, sizeof(bytes)), 0);
			assert_int_equal(first.count, 32);
			assert_int_equal(trace_encode(&first, &encoded, &size, &why), 0);
			assert_int_equal(trace_decode(&second, encoded, size), 0);
			assert_same(&first, &second);
			free(encoded);
			trace_free(&first);
			trace_free(&second);
		}
	}
}

/* Cuts, flips, doubles and drops bytes of a good text. */
static size_t mutate(uint64_t *state, char *text, size_t size)
{
	static const char spice[] = "0189 \n\t#-xallforevertiny\0\xff";
	int edits = 1 + (int)(next(state) % 4);

	for (int i = 0; i < edits && size > 2; i++) {
		size_t at = next(state) % (size - 1);

		switch (next(state) % 4) {
		case 0:
			text[at] = (char)next(state);
			break;
		case 1:
			text[at] = spice[next(state) % sizeof(spice)];
			break;
		case 2:
			memmove(text + at, text + at + 1, size - at - 1);
			size--;
			break;
		default:
			size = at + 1;
		}
	}
	return size;
}

static void parse_is_total(void **unused)
{
	uint64_t state = 3;
	int refused = 0;

	(void)unused;
	for (int round = 0; round < 2 * ROUNDS; round++) {
		uint8_t bytes[MOST_BYTES];
		struct trace trace;
		struct trace_error error = { 0 };
		size_t size = random_bytes(&state, bytes) / 8;
		char *text, *exact;

		assert_int_equal(trace_decode(&trace, bytes, size), 0);
		text = print_to_memory(&trace, &size);
		trace_free(&trace);
		size = mutate(&state, text, size);
		/* A block of just that size, so that a sanitizer sees a read behind it. */
		exact = malloc(size);
		assert_non_null(exact);
		memcpy(exact, text, size);
		if (trace_parse(&trace, exact, size, &error)) {
			refused++;
			assert_int_not_equal(error.line, 0);
			assert_int_equal(strncmp(error.text, "line ", 5), 0);
			assert_null(strchr(error.text, '\n'));
		}
		trace_free(&trace);
		free(text);
		free(exact);
	}
	assert_true(refused > ROUNDS);
}

/* ---- examples -------------------------------------------------------------------------------- */

static void text_in_full(void **unused)
{
	static const char text[] =
		"zsanity-trace 1\n"
		"pool page 4096 min 32 step 16 header 0 chain 8 rule least-waste tag-bits 12"
		" generation-bits 20 grouping ratio algorithm destination pages 262144 objects 0"
		" batch 64 tag 1\n"
		"malloc 0 18446744073709551615\n"
		"free 67108863\n"
		"write 1 all 4294967295\n"
		"write 1 12 0\n"
		"read 2 100\n"
		"pin 3 all\n"
		"unpin 18446744073709551615\n"
		"lock 4 4294967295\n"
		"unlock 5\n"
		"migrate 6\n"
		"compact\n"
		"compact-class 254\n"
		"forge 7 0xffffffffffffffff\n"
		"foreign\n"
		"fail 3 forever\n"
		"fail 0 4\n"
		"check\n";
	struct trace trace;
	size_t size;
	char *again;

	(void)unused;
	parse_ok(&trace, text);
	assert_int_equal(trace.count, 17);
	again = print_to_memory(&trace, &size);
	assert_string_equal(again, text);
	free(again);
	trace_free(&trace);
}

static void presets_and_overrides(void **unused)
{
	struct trace trace;
	struct zs_config expected;

	(void)unused;
	parse_ok(&trace, "zsanity-trace 1 # made by hand\n\n# a comment\n"
			 "pool preset tiny chain 2\npool rule used-percent pages 0x10\n"
			 "\tmalloc  1 8 # eight\n");
	zs_config_init(&expected, ZS_TINY);
	expected.geometry.chain = 2;
	expected.geometry.chain_rule = ZS_USED_PERCENT;
	expected.max_pages = 16;
	expected.tag = 1;
	assert_memory_equal(&trace.config, &expected, sizeof(expected));
	assert_int_equal(trace.count, 1);
	trace_free(&trace);

	parse_ok(&trace, "zsanity-trace 1\n");
	zs_config_init(&expected, ZS_NATIVE);
	expected.tag = 1;
	assert_memory_equal(&trace.config, &expected, sizeof(expected));
	trace_free(&trace);
}

static void complaints(void **unused)
{
	(void)unused;
	parse_fails("", 1, "line 1: empty; a trace begins with 'zsanity-trace 1'");
	parse_fails("malloc 1 2\n", 1, "line 1: a trace begins with 'zsanity-trace 1'");
	parse_fails("\tzsanity-trace 1\n", 1, "line 1: a trace begins with 'zsanity-trace 1'");
	parse_fails("zsanity-trace\t1\n", 1, "line 1: a trace begins with 'zsanity-trace 1'");
	parse_fails("zsanity-trace 2\n", 1, "line 1: trace version '2'; only 1 is known");
	parse_fails("zsanity-trace 1", 1, "line 1: cut short: no newline at the end");
	parse_fails("zsanity-trace 1\nwrite 1 2\n", 2, "line 2: write wants NAME LEN SEED");
	parse_fails("zsanity-trace 1\n\ncompact 1\n", 3, "line 3: compact wants nothing more");
	parse_fails("zsanity-trace 1\nfree 67108864\n", 2,
		    "line 2: NAME of free wants a number below 67108864, not '67108864'");
	parse_fails("zsanity-trace 1\nmalloc 1 18446744073709551616\n", 2,
		    "line 2: the value of malloc wants a number below 2^64, not "
		    "'18446744073709551616'");
	parse_fails("zsanity-trace 1\nmalloc 1 -1\n", 2,
		    "line 2: the value of malloc wants a number below 2^64, not '-1'");
	parse_fails("zsanity-trace 1\nread 1 some\n", 2,
		    "line 2: LEN of read wants a number below 2^64 or 'all', not 'some'");
	parse_fails("zsanity-trace 1\nlock 1 4294967296\n", 2,
		    "line 2: the value of lock wants a number below 2^32, not '4294967296'");
	parse_fails("zsanity-trace 1\nfrob\x01 1\n", 2, "line 2: unknown operation 'frob?'");
	parse_fails("zsanity-trace 1\ncheck\r\n", 2, "line 2: unknown operation 'check?'");
	parse_fails("zsanity-trace 1\npool pages\n", 2, "line 2: pool wants KEY VALUE ...");
	parse_fails("zsanity-trace 1\npool pagez 1\n", 2, "line 2: unknown pool setting 'pagez'");
	parse_fails("zsanity-trace 1\npool rule 1\n", 2,
		    "line 2: rule wants least-waste or used-percent, not '1'");
	parse_fails("zsanity-trace 1\npool tag 4294967295\n", 2,
		    "line 2: tag wants a number below 2^32 - 1, not '4294967295'");
	parse_fails("zsanity-trace 1\npool pages 9 preset tiny\n", 2,
		    "line 2: preset comes before every other setting");
	parse_fails("zsanity-trace 1\ncheck\npool pages 9\n", 3,
		    "line 3: pool comes before every operation");
}

static void strange_lines(void **unused)
{
	static const char nul[] = "zsanity-trace 1\nche\0ck\n";
	struct trace_error error;
	struct trace trace;
	char text[1200];

	(void)unused;
	assert_int_equal(trace_parse(&trace, nul, sizeof(nul) - 1, &error), -1);
	assert_string_equal(error.text, "line 2: a NUL byte; this is no text");
	snprintf(text, sizeof(text), "zsanity-trace 1\n#%01000d\n", 0);
	parse_fails(text, 2, "line 2: longer than 1000 bytes");
	snprintf(text, sizeof(text), "zsanity-trace 1\n#%0999d\n", 0);
	parse_ok(&trace, text);
	trace_free(&trace);
	for (size_t i = 0; i < 130; i++)
		text[16 + i] = i % 2 ? ' ' : '1';
	text[16 + 130] = '\n';
	text[16 + 131] = '\0';
	parse_fails(text, 2, "line 2: more than 64 words");
}

static void bytes_in_short(void **unused)
{
	struct trace trace, one;
	static const uint8_t only_geometry[] = { 60, 0xff ^ 63, 0xff };
	struct zs_geometry native;

	(void)unused;
	assert_int_equal(trace_decode(&trace, NULL, 0), 0);
	assert_int_equal(trace.count, 0);
	assert_int_equal(trace.config.geometry.page_size, 64);
	assert_int_equal(trace.config.max_pages, 64);
	assert_int_equal(trace.config.grouping, ZS_RATIO);
	assert_int_equal(trace.config.algorithm, ZS_DESTINATION);

	assert_int_equal(trace_decode(&one, only_geometry, 3), 0);
	zs_geometry_init(&native, ZS_NATIVE);
	assert_memory_equal(&one.config.geometry, &native, sizeof(native));
	assert_int_equal(one.config.max_pages, 512);
	assert_int_equal(one.config.max_objects, 64);
	trace_free(&one);
	trace_free(&trace);
}

/* Five bits for nine pairs; a file from before they had a meaning has zeros there. */
static void each_pair_has_bits(void **unused)
{
	(void)unused;
	for (unsigned int i = 0; i < 32; i++) {
		const uint8_t bytes[8] = { [6] = (uint8_t)(i << 3) };
		struct trace trace, again;
		uint8_t *encoded;
		const char *why;
		size_t size;

		assert_int_equal(trace_decode(&trace, bytes, sizeof(bytes)), 0);
		assert_int_equal(trace.config.grouping, i % 9 % 3);
		assert_int_equal(trace.config.algorithm, i % 9 / 3);
		assert_int_equal(trace_encode(&trace, &encoded, &size, &why), 0);
		assert_int_equal(trace_decode(&again, encoded, size), 0);
		assert_same(&trace, &again);
		free(encoded);
		trace_free(&trace);
		trace_free(&again);
	}
}

static void every_geometry_is_right(void **unused)
{
	int tiny = 0;

	(void)unused;
	for (unsigned int i = 0; i < 256; i++) {
		uint8_t byte = (uint8_t)i;
		struct trace trace;
		size_t metadata, arena;

		assert_int_equal(trace_decode(&trace, &byte, 1), 0);
		assert_null(zs_config_complaint(&trace.config));
		assert_int_equal(zs_pool_footprint(&trace.config, &metadata, &arena), ZS_OK);
		tiny += trace.config.geometry.page_size <= 256;
		trace_free(&trace);
	}
	assert_int_equal(tiny, 240);
}

/* Repeats, masks and the cap on operations. */
static void repeats_masks_and_cap(void **unused)
{
	uint8_t bytes[8 + 4 * 2000] = { 0, 0, 0, 0, 1 << OP_FREE, 0, 2, 33 };
	struct trace trace;

	(void)unused;
	memcpy(bytes + 8, (uint8_t[]){ 0 | 7 << 5, 2, 5, 0, 6, 0, 0, 0 }, 8);
	assert_int_equal(trace_decode(&trace, bytes, 8 + 8 + 3), 0);
	assert_int_equal(trace.count, 8);
	for (size_t i = 0; i < trace.count; i++) {
		assert_int_equal(trace.ops[i].code, OP_MALLOC);
		assert_int_equal(trace.ops[i].name, (2 + i) % 4);
		assert_int_equal(trace.ops[i].value, 5);
	}
	trace_free(&trace);

	memcpy(bytes + 8, (uint8_t[]){ 31 | 7 << 5, 0, 0, 0 }, 4);
	assert_int_equal(trace_decode(&trace, bytes, 8 + 4), 0);
	assert_int_equal(trace.count, 1);
	assert_int_equal(trace.ops[0].code, OP_CHECK);
	trace_free(&trace);

	memset(bytes + 8, 0xe0, sizeof(bytes) - 8);
	assert_int_equal(trace_decode(&trace, bytes, sizeof(bytes)), 0);
	assert_int_equal(trace.count, TRACE_BYTES_OPS);
	trace_free(&trace);
}

static void unfit(const char *line, const char *complaint)
{
	char text[200];
	struct trace trace;
	uint8_t *bytes;
	size_t size;
	const char *why = NULL;

	snprintf(text, sizeof(text), "zsanity-trace 1\npool preset tiny pages 64 %s\n", line);
	parse_ok(&trace, text);
	assert_int_equal(trace_encode(&trace, &bytes, &size, &why), -1);
	assert_string_equal(why, complaint);
	trace_free(&trace);
}

static void what_does_not_fit(void **unused)
{
	struct trace trace;
	uint8_t *bytes;
	size_t size;
	const char *why = NULL;

	(void)unused;
	unfit("page 128", "the geometry isn't one of the byte form's");
	unfit("pages 65", "pages isn't 1 .. 64, 80, 128, 256 or 512");
	unfit("objects 65", "objects is above 64");
	unfit("batch 65", "batch isn't 1 .. 64");
	unfit("tag 2", "the byte form has only tag 1");
	unfit("\nfree 256", "a NAME is above 255");
	unfit("\nmalloc 1 67", "a malloc's SIZE has no byte form");
	unfit("\nwrite 1 3 4", "a write's SEED is above 32767, or an explicit LEN isn't what the "
			       "byte form makes of SEED");
	unfit("\nunlock 65536", "an unlock's I is above 65535");
	unfit("\nlock 1 5", "a lock's I has no byte form");
	unfit("\nforge 1 0x801", "a forge's XOR isn't ten neighbouring bits");
	unfit("\nfail 32 1", "a fail's AFTER is above 31, or its COUNT above 15 and not forever");

	trace_init(&trace);
	trace.config.grouping = ZS_EXACT + 1;
	trace.config.max_pages = 64;
	assert_int_equal(trace_encode(&trace, &bytes, &size, &why), -1);
	assert_string_equal(why, "the grouping or the algorithm isn't known");
	trace.config.grouping = ZS_EXACT;
	for (size_t i = 0; i <= TRACE_BYTES_OPS; i++)
		assert_int_equal(trace_add(&trace, (struct op){ .code = OP_CHECK }), 0);
	assert_int_equal(trace_encode(&trace, &bytes, &size, &why), -1);
	assert_string_equal(why, "more than 8192 operations");
	trace_free(&trace);
}

static void formats(void **unused)
{
	struct op op = { .code = OP_WRITE, .name = 12, .value = OP_ALL, .extra = 7 };
	char text[32];

	(void)unused;
	op_format(&op, text, sizeof(text));
	assert_string_equal(text, "write 12 all 7");
	op_format(&op, text, 6);
	assert_string_equal(text, "write");
	op.code = OP_CODES;
	op_format(&op, text, sizeof(text));
	assert_string_equal(text, "unknown");
}

static void printing_fails_on_a_full_disk(void **unused)
{
	FILE *file = fopen("/dev/full", "w");
	struct trace trace;

	(void)unused;
	trace_init(&trace);
	assert_non_null(file);
	assert_int_equal(trace_print(&trace, file), -1);
	fclose(file);

	trace.config.grouping = 3;
	file = fopen("/dev/null", "w");
	assert_non_null(file);
	assert_int_equal(trace_print(&trace, file), -1);
	fclose(file);
}

/* ---- the fuzzer's dictionary ----------------------------------------------------------------- */

/* Each word of a text that begins with a letter, quoted, on a line of its own. */
static void add_words(FILE *words, char *text)
{
	char *rest = text;

	for (char *word = strtok_r(text, " ,\n", &rest); word; word = strtok_r(NULL, " ,\n", &rest))
		if (word[0] >= 'a' && word[0] <= 'z')
			fprintf(words, "\"%s\"\n", word);
}

/* Those of the settings and operations, the first word of the text apart. */
static void add_printed(FILE *words, const struct trace *trace)
{
	size_t size;
	char *text = print_to_memory(trace, &size);

	add_words(words, text + strlen("zsanity-trace 1\n"));
	free(text);
}

/* The parser tells them when it gets none of them; nothing prints them. */
static void add_presets(FILE *words)
{
	static const char wrong[] = "zsanity-trace 1\npool preset ?\n";
	struct trace_error error;
	struct trace trace;
	char *rest, *word, text[100];

	assert_int_equal(trace_parse(&trace, wrong, strlen(wrong), &error), -1);
	for (word = strtok_r(error.text, " ,", &rest); word; word = strtok_r(NULL, " ,", &rest)) {
		struct trace_error ignored;

		snprintf(text, sizeof(text), "zsanity-trace 1\npool preset %s\n", word);
		if (!trace_parse(&trace, text, strlen(text), &ignored))
			add_words(words, word);
		trace_free(&trace);
	}
}

static char *every_word(void)
{
	char *words = NULL;
	size_t size;
	FILE *file = open_memstream(&words, &size);
	struct trace trace;

	assert_non_null(file);
	trace_init(&trace);
	for (uint32_t code = 0; code < OP_CODES; code++)
		assert_int_equal(trace_add(&trace, (struct op){ .code = (uint8_t)code,
								.value = OP_ALL,
								.extra = OP_FOREVER }),
				 0);
	/* An enumeration of fewer values stays at its last. */
	for (uint32_t i = 0; i < 3; i++) {
		trace.config.geometry.chain_rule = i < 2 ? i : 1;
		trace.config.grouping = trace.config.algorithm = i;
		add_printed(file, &trace);
	}
	fputs("\"pool\"\n\"preset\"\n", file);
	add_presets(file);
	assert_int_equal(fclose(file), 0);
	trace_free(&trace);
	return words;
}

/* Every line of the one that begins with a quote is a line of the other. */
static void assert_lines_within(const char *some, const char *all)
{
	for (const char *line = strchr(some, '"'); line; line = strstr(line, "\n\"")) {
		char wanted[100];

		line += *line == '\n';
		snprintf(wanted, sizeof(wanted), "\n%.*s", (int)(strchr(line, '\n') + 1 - line),
			 line);
		if (!strstr(all, wanted))
			fail_msg("not in both: %s", wanted + 1);
	}
}

static void the_dictionary_has_every_word(void **unused)
{
	char text[2000] = "\n", *words = every_word(), listed[2000];
	FILE *file = fopen("fuzz/fuzz_trace.dict", "r");
	size_t length;

	(void)unused;
	assert_non_null(file);
	length = fread(text + 1, 1, sizeof(text) - 2, file);
	fclose(file);
	assert_in_range(length, 1, sizeof(text) - 3);
	snprintf(listed, sizeof(listed), "\n\"zsanity-trace 1\\x0a\"\n%s", words);
	assert_lines_within(text, listed);
	assert_lines_within(listed, text);
	free(words);
}

/* Any part of a pattern is that part of the whole; other bytes stay; patterns differ. */
static void content_in_parts(void **unused)
{
	enum { LEN = 200 };
	uint8_t whole[LEN], part[LEN], other[LEN];
	uint32_t same = 0;

	(void)unused;
	op_bytes(7, whole, 0, LEN);
	op_bytes(8, other, 0, LEN);
	for (uint32_t k = 0; k < LEN; k++)
		same += whole[k] == other[k];
	assert_in_range(same, 0, 5);
	for (uint32_t from = 0; from <= LEN; from++)
		for (uint32_t upto = from; upto <= LEN; upto++) {
			memset(part, 0x5a, LEN);
			op_bytes(7, part, from, upto);
			for (uint32_t k = 0; k < LEN; k++)
				if (part[k] != (from <= k && k < upto ? whole[k] : 0x5a))
					fail_msg("byte %u of %u .. %u", k, from, upto);
		}
}

static void a_million_lines(void **unused)
{
	struct trace trace, parsed;
	struct trace_error error;
	struct timespec before, after;
	uint64_t state = 4;
	size_t size;
	char *text;

	(void)unused;
	trace_init(&trace);
	for (int i = 0; i < 1000000; i++)
		assert_int_equal(trace_add(&trace, (struct op){ .code = OP_WRITE,
								.name = (uint32_t)i,
								.value = next(&state),
								.extra = (uint32_t)next(&state) }),
				 0);
	text = print_to_memory(&trace, &size);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	assert_int_equal(trace_parse(&parsed, text, size, &error), 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	print_message("parsed 10^6 lines, %zu bytes, in %.2f s\n", size,
		      (double)(after.tv_sec - before.tv_sec) +
			      (double)(after.tv_nsec - before.tv_nsec) / 1e9);
	assert_same(&trace, &parsed);
	free(text);
	trace_free(&trace);
	trace_free(&parsed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decode_print_parse),
		cmocka_unit_test(decode_encode_decode),
		cmocka_unit_test(every_record_encodes),
		cmocka_unit_test(parse_is_total),
		cmocka_unit_test(text_in_full),
		cmocka_unit_test(presets_and_overrides),
		cmocka_unit_test(complaints),
		cmocka_unit_test(strange_lines),
		cmocka_unit_test(bytes_in_short),
		cmocka_unit_test(each_pair_has_bits),
		cmocka_unit_test(every_geometry_is_right),
		cmocka_unit_test(repeats_masks_and_cap),
		cmocka_unit_test(what_does_not_fit),
		cmocka_unit_test(formats),
		cmocka_unit_test(printing_fails_on_a_full_disk),
		cmocka_unit_test(the_dictionary_has_every_word),
		cmocka_unit_test(content_in_parts),
		cmocka_unit_test(a_million_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
