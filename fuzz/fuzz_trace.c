/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_trace - any bytes to the parser of a trace's text form (ops.h). What it refuses leaves nothing
 * behind, and the line it names is the first that is wrong; what it accepts prints, parses, encodes
 * and decodes to the same trace.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "counters.h"
#include "fail.h"
#include "ops.h"
#include "target.h"

FAIL_DEFINE(refused, "trace.refused")
FAIL_DEFINE(accepted, "trace.accepted")
FAIL_DEFINE(meaning, "trace.meaning")
FAIL_DEFINE(round_trip, "trace.round-trip")
FAIL_DEFINE(bytes, "trace.bytes")

/* ---- texts ----------------------------------------------------------------------------------- */

struct text {
	const char *at;
	size_t size;
};

static size_t count_lines(struct text text)
{
	size_t lines = 0;

	for (size_t i = 0; i < text.size; i++)
		lines += text.at[i] == '\n';
	return lines;
}

/* Its first lines, the last one's newline included if there is one. */
static struct text first_lines(struct text text, size_t lines)
{
	size_t end = 0;

	while (lines > 0 && end < text.size)
		lines -= text.at[end++] == '\n';
	return (struct text){ text.at, end };
}

/* In memory of exactly its size, so that ASan sees a read past the end. */
static int parse(struct trace *trace, struct text text, struct trace_error *error)
{
	char *copy = malloc(text.size ? text.size : 1);
	int result;

	if (copy == NULL)
		abort();
	memcpy(copy, text.at, text.size);
	memset(error, 0xa5, sizeof(*error));
	result = trace_parse(trace, copy, text.size, error);
	free(copy);
	return result;
}

static char *print(const struct trace *trace, size_t *size)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, size);

	if (file == NULL)
		abort();
	if (trace_print(trace, file) != 0)
		fail_round_trip("what was accepted can't be printed");
	if (fclose(file) != 0)
		abort();
	return text;
}

/* The first count operations, and the configuration. */
static bool begin_alike(const struct trace *a, const struct trace *b, size_t count)
{
	if (memcmp(&a->config, &b->config, sizeof(a->config)) != 0)
		return false;
	for (size_t i = 0; i < count; i++)
		if (a->ops[i].code != b->ops[i].code || a->ops[i].name != b->ops[i].name ||
		    a->ops[i].value != b->ops[i].value || a->ops[i].extra != b->ops[i].extra)
			return false;
	return true;
}

static bool same(const struct trace *a, const struct trace *b)
{
	return a->count == b->count && begin_alike(a, b, a->count);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void see_complaint(const struct trace_error *error, size_t lines)
{
	char place[40];
	int length = snprintf(place, sizeof(place), "line %zu: ", error->line);
	size_t end = 0;

	if (error->line < 1 || error->line > lines + 1)
		fail_refused("line %zu of %zu is named", error->line, lines);
	while (end < sizeof(error->text) && error->text[end] >= ' ' && error->text[end] <= '~')
		end++;
	if (end == sizeof(error->text) || error->text[end] != '\0')
		fail_refused("the complaint has a wrong character at %zu, or no end", end);
	if (strncmp(error->text, place, (size_t)length) != 0 || end == (size_t)length)
		fail_refused("'%s' doesn't begin with '%s' and go on", error->text, place);
}

static void see_nothing(const struct trace *trace)
{
	struct trace fresh;

	trace_init(&fresh);
	if (trace->ops != NULL || trace->room != 0 || trace->count != 0 ||
	    memcmp(&trace->config, &fresh.config, sizeof(fresh.config)) != 0)
		fail_refused("a refused text has left something in the trace");
}

static void see_lines_before(struct text text, const struct trace_error *error)
{
	struct trace_error again;
	struct trace trace;

	if (parse(&trace, first_lines(text, error->line - 1), &again) != 0)
		fail_refused("'%s', but also without that line: '%s'", error->text, again.text);
	trace_free(&trace);
}

/* What comes after it doesn't matter. */
static void see_line(struct text text, const struct trace_error *error)
{
	struct trace_error again;
	struct trace trace;

	if (parse(&trace, first_lines(text, error->line), &again) == 0)
		fail_refused("'%s', but accepted up to that line", error->text);
	if (again.line != error->line || strcmp(again.text, error->text) != 0)
		fail_refused("'%s' in full, '%s' up to that line", error->text, again.text);
}

static void see_refused(const struct trace *trace, struct text text,
			const struct trace_error *error)
{
	see_complaint(error, count_lines(text));
	see_nothing(trace);
	if (error->line > 1)
		see_lines_before(text, error);
	see_line(text, error);
}

/* ---- what is accepted ------------------------------------------------------------------------ */

static void see_sound(const struct trace *trace, struct text text)
{
	if (text.size == 0 || !trace_is_text(text.at, text.size) ||
	    text.at[text.size - 1] != '\n' || memchr(text.at, '\0', text.size) != NULL)
		fail_accepted("this is no text of whole lines");
	if (trace->count >= count_lines(text) || trace->room > 2 * trace->count + 64)
		fail_accepted("%zu operations, room for %zu, in %zu lines", trace->count,
			      trace->room, count_lines(text));
	if (trace->config.tag == ZS_TAG_AUTO || trace->config.source.get != NULL)
		fail_accepted("the tag or the page source isn't one that a trace can have");
	for (size_t i = 0; i < trace->count; i++)
		if (trace->ops[i].code >= OP_CODES || trace->ops[i].name >= TRACE_NAMES)
			fail_accepted("operation %zu isn't one of the language", i + 1);
}

/* Half of the lines are half of the trace. */
static void see_half(const struct trace *whole, struct text text)
{
	size_t lines = count_lines(text);
	struct text half = first_lines(text, (lines + 1) / 2);
	struct trace_error error;
	struct trace trace;

	if (parse(&trace, half, &error) != 0)
		fail_accepted("%zu lines are accepted, the first half isn't: '%s'", lines,
			      error.text);
	if (trace.count > whole->count ||
	    (trace.count > 0 && !begin_alike(&trace, whole, trace.count)))
		fail_accepted("the first half of %zu lines is another trace", lines);
	trace_free(&trace);
}

#define MOST_LINE 1000
#define MOST_WORDS 4 /* of an operation */

/* A line's words up to a comment; one too many is counted, too. Cuts the line. */
static size_t split(char *line, const char *words[MOST_WORDS + 1])
{
	size_t count = 0;
	char *rest = line;

	for (char *word = strtok_r(line, " \t", &rest); word != NULL && word[0] != '#';
	     word = strtok_r(NULL, " \t", &rest)) {
		if (count <= MOST_WORDS)
			words[count] = word;
		count += count <= MOST_WORDS;
	}
	return count;
}

/* What the C library takes a word for. */
static uint64_t number(const char *word)
{
	unsigned long long value;
	char *end;

	if (strcmp(word, "all") == 0)
		return OP_ALL;
	if (strcmp(word, "forever") == 0)
		return OP_FOREVER;
	errno = 0;
	value = strtoull(word, &end, strncmp(word, "0x", 2) == 0 ? 16 : 10);
	if (word[0] < '0' || word[0] > '9' || *end != '\0' || errno != 0)
		fail_meaning("'%s' is accepted as a number", word);
	return value;
}

static void see_operation(const struct op *op, const char *const *words, size_t count)
{
	const char *printed[MOST_WORDS + 1];
	char text[100];

	op_format(op, text, sizeof(text));
	if (split(text, printed) != count || strcmp(printed[0], words[0]) != 0)
		fail_meaning("a line of %zu words that begins with '%s' is another operation",
			     count, words[0]);
	for (size_t i = 1; i < count; i++)
		if (number(words[i]) != number(printed[i]))
			fail_meaning("'%s' of %s is taken for %s", words[i], words[0], printed[i]);
}

/* Every line is one operation, the one that it says, unless it's the first, empty or the pool's. */
static void see_meaning(const struct trace *trace, struct text text)
{
	const char *words[MOST_WORDS + 1];
	char line[MOST_LINE + 1];
	size_t done = 0;

	for (size_t at = first_lines(text, 1).size, length; at < text.size; at += length) {
		struct text rest = { text.at + at, text.size - at };
		size_t count;

		length = first_lines(rest, 1).size;
		if (length > sizeof(line))
			fail_accepted("a line of %zu bytes", length);
		memcpy(line, rest.at, length);
		line[length - 1] = '\0';
		count = split(line, words);
		if (count == 0 || strcmp(words[0], "pool") == 0)
			continue;
		if (done == trace->count)
			fail_meaning("there are more lines than operations");
		see_operation(&trace->ops[done++], words, count);
	}
	if (done != trace->count)
		fail_meaning("%zu lines, %zu operations", done, trace->count);
}

static void see_round_trip(const struct trace *trace)
{
	size_t size, size_again;
	char *text = print(trace, &size), *text_again;
	struct trace_error error;
	struct trace again;

	if (parse(&again, (struct text){ text, size }, &error) != 0)
		fail_round_trip("what was printed is refused: '%s'", error.text);
	if (!same(trace, &again))
		fail_round_trip("what was printed is another trace");
	text_again = print(&again, &size_again);
	if (size != size_again || memcmp(text, text_again, size) != 0)
		fail_round_trip("printed twice, it's two texts, of %zu and %zu bytes", size,
				size_again);
	free(text);
	free(text_again);
	trace_free(&again);
}

static void see_bytes(const struct trace *trace)
{
	const char *why = NULL;
	struct trace again;
	uint8_t *bytes = NULL;
	size_t size = 0;

	if (trace_encode(trace, &bytes, &size, &why) != 0) {
		if (why == NULL || why[0] == '\0' || bytes != NULL || size != 0)
			fail_bytes("it has no byte form, and the reason or the output is wrong");
		return;
	}
	if (trace_decode(&again, bytes, size) != 0)
		abort();
	if (!same(trace, &again))
		fail_bytes("%zu bytes decode to another trace", size);
	free(bytes);
	trace_free(&again);
}

static void see_accepted(const struct trace *trace, struct text text)
{
	see_sound(trace, text);
	see_half(trace, text);
	see_meaning(trace, text);
	see_round_trip(trace);
	see_bytes(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct text text = { size ? (const char *)data : "", size };
	struct trace_error error;
	struct trace trace;

	if (parse(&trace, text, &error) != 0)
		see_refused(&trace, text, &error);
	else
		see_accepted(&trace, text);
	counters_add(trace.count);
	trace_free(&trace);
	return 0;
}
