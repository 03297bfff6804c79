/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* htole64 */

#include "ops.h"

#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "wrap.h"

/* ---- traces ---------------------------------------------------------------------------------- */

#define TRACE_TAG 1u /* a trace says everything, so its tag is never ZS_TAG_AUTO */

static void config_from_preset(struct zs_config *config, enum zs_preset preset)
{
	zs_config_init(config, preset);
	config->tag = TRACE_TAG;
}

void trace_init(struct trace *trace)
{
	memset(trace, 0, sizeof(*trace));
	config_from_preset(&trace->config, ZS_NATIVE);
}

void trace_free(struct trace *trace)
{
	free(trace->ops);
	trace_init(trace);
}

int trace_add(struct trace *trace, struct op op)
{
	if (array_reserve(&trace->ops, trace->count + 1, &trace->room, sizeof(op)))
		return -1;
	trace->ops[trace->count++] = op;
	return 0;
}

/* ---- content --------------------------------------------------------------------------------- */

#define BLOCK 64 /* bytes made at a time */

static uint64_t pattern_word(uint32_t seed, uint64_t i)
{
	uint64_t x = wrap_mul(seed, 0x9e3779b97f4a7c15u) ^ wrap_mul(i, 0xbf58476d1ce4e5b9u);

	x = wrap_mul(x ^ x >> 32, 0x94d049bb133111ebu);
	return htole64(x ^ x >> 32);
}

void op_bytes(uint32_t seed, uint8_t *bytes, uint64_t from, uint64_t upto)
{
	uint64_t block[BLOCK / sizeof(uint64_t)];

	while (from < upto) {
		uint64_t first = from - from % BLOCK, left = first + BLOCK - from;

		for (size_t i = 0; i < BLOCK / sizeof(uint64_t); i++)
			block[i] = pattern_word(seed, first / sizeof(uint64_t) + i);
		left = left < upto - from ? left : upto - from;
		memcpy(bytes + from, (const uint8_t *)block + from % BLOCK, left);
		from += left;
	}
}

/* ---- the shape of each operation ------------------------------------------------------------- */

/* What an operand is, and so where it goes and what it may be. */
enum operand {
	NOTHING,
	NAME,   /* op.name */
	NUMBER, /* op.value, 64 bits */
	LENGTH, /* op.value, 64 bits or "all" */
	SMALL,  /* op.value, 32 bits */
	BITS,   /* op.value, 64 bits, printed in hexadecimal */
	SEED,   /* op.extra */
	COUNT,  /* op.extra, or "forever" */
};

#define MAX_OPERANDS 3

struct shape {
	const char *word;
	const char *wants;
	uint8_t operands[MAX_OPERANDS];
	const char *unfit; /* what is said when it has no byte form */
};

static const struct shape shapes[OP_CODES] = {
	[OP_MALLOC] = { "malloc",
			"NAME SIZE",
			{ NAME, NUMBER },
			"a malloc's SIZE has no byte form" },
	[OP_FREE] = { "free", "NAME", { NAME }, "a free has an operand too many" },
	[OP_WRITE] = { "write",
		       "NAME LEN SEED",
		       { NAME, LENGTH, SEED },
		       "a write's SEED is above 32767, or an explicit LEN isn't what the byte form "
		       "makes of SEED" },
	[OP_READ] = { "read", "NAME LEN", { NAME, LENGTH }, "a read's LEN has no byte form" },
	[OP_PIN] = { "pin", "NAME LEN", { NAME, LENGTH }, "a pin's LEN has no byte form" },
	[OP_UNPIN] = { "unpin", "I", { NUMBER }, "an unpin's I is above 65535" },
	[OP_LOCK] = { "lock", "NAME I", { NAME, SMALL }, "a lock's I has no byte form" },
	[OP_UNLOCK] = { "unlock", "I", { NUMBER }, "an unlock's I is above 65535" },
	[OP_MIGRATE] = { "migrate", "I", { NUMBER }, "a migrate's I is above 65535" },
	[OP_COMPACT] = { "compact", "nothing more", { NOTHING }, "a compact has an operand" },
	[OP_COMPACT_CLASS] = { "compact-class",
			       "INDEX",
			       { SMALL },
			       "a compact-class's INDEX has no byte form" },
	[OP_FORGE] = { "forge",
		       "NAME XOR",
		       { NAME, BITS },
		       "a forge's XOR isn't ten neighbouring bits" },
	[OP_FOREIGN] = { "foreign", "nothing more", { NOTHING }, "a foreign has an operand" },
	[OP_FAIL] = { "fail",
		      "AFTER COUNT",
		      { SMALL, COUNT },
		      "a fail's AFTER is above 31, or its COUNT above 15 and not forever" },
	[OP_CHECK] = { "check", "nothing more", { NOTHING }, "a check has an operand" },
};

struct limit {
	const char *label;
	const char *wants;
	uint64_t most;
	const char *keyword; /* a word that stands for most */
};

static const struct limit limits[] = {
	[NAME] = { "NAME", "a number below 67108864", TRACE_NAMES - 1, NULL },
	[NUMBER] = { "the value", "a number below 2^64", UINT64_MAX, NULL },
	[LENGTH] = { "LEN", "a number below 2^64 or 'all'", OP_ALL, "all" },
	[SMALL] = { "the value", "a number below 2^32", UINT32_MAX, NULL },
	[BITS] = { "XOR", "a number below 2^64", UINT64_MAX, NULL },
	[SEED] = { "SEED", "a number below 2^32", UINT32_MAX, NULL },
	[COUNT] = { "COUNT", "a number below 2^32 or 'forever'", OP_FOREVER, "forever" },
};

static uint64_t operand_get(const struct op *op, enum operand operand)
{
	switch (operand) {
	case NAME:
		return op->name;
	case SEED:
	case COUNT:
		return op->extra;
	default:
		return op->value;
	}
}

static void operand_set(struct op *op, enum operand operand, uint64_t value)
{
	switch (operand) {
	case NAME:
		op->name = (uint32_t)value;
		break;
	case SEED:
	case COUNT:
		op->extra = (uint32_t)value;
		break;
	default:
		op->value = value;
	}
}

static bool op_equal(const struct op *a, const struct op *b)
{
	return a->code == b->code && a->name == b->name && a->value == b->value &&
	       a->extra == b->extra;
}

/* ---- the pool's settings --------------------------------------------------------------------- */

struct setting {
	const char *key;
	size_t offset; /* of a uint32_t in struct zs_config */
	uint64_t most;
	const char *const *words; /* an enumeration's, NULL at the end */
	const char *wants;
};

static const char *const rule_words[] = { "least-waste", "used-percent", NULL };
static const char *const grouping_words[] = { "ratio", "threshold", "exact", NULL };
static const char *const algorithm_words[] = { "destination", "source", "optimal", NULL };
static const char *const preset_words[] = { "native", "kernel-6.1", "kernel-6.12", "tiny", NULL };

#define NUMERIC "a number below 2^32"
#define GEOMETRY(field) offsetof(struct zs_config, geometry.field)

static const struct setting settings[] = {
	{ "page", GEOMETRY(page_size), UINT32_MAX, NULL, NUMERIC },
	{ "min", GEOMETRY(min_size), UINT32_MAX, NULL, NUMERIC },
	{ "step", GEOMETRY(class_step), UINT32_MAX, NULL, NUMERIC },
	{ "header", GEOMETRY(header), UINT32_MAX, NULL, NUMERIC },
	{ "chain", GEOMETRY(chain), UINT32_MAX, NULL, NUMERIC },
	{ "rule", GEOMETRY(chain_rule), 0, rule_words, "least-waste or used-percent" },
	{ "tag-bits", GEOMETRY(tag_bits), UINT32_MAX, NULL, NUMERIC },
	{ "generation-bits", GEOMETRY(generation_bits), UINT32_MAX, NULL, NUMERIC },
	{ "grouping", offsetof(struct zs_config, grouping), 0, grouping_words,
	  "ratio, threshold or exact" },
	{ "algorithm", offsetof(struct zs_config, algorithm), 0, algorithm_words,
	  "destination, source or optimal" },
	{ "pages", offsetof(struct zs_config, max_pages), UINT32_MAX, NULL, NUMERIC },
	{ "objects", offsetof(struct zs_config, max_objects), UINT32_MAX, NULL, NUMERIC },
	{ "batch", offsetof(struct zs_config, handle_batch), UINT32_MAX, NULL, NUMERIC },
	{ "tag", offsetof(struct zs_config, tag), UINT32_MAX - 1, NULL, "a number below 2^32 - 1" },
};

#define SETTINGS (sizeof(settings) / sizeof(settings[0]))

static uint32_t setting_get(const struct zs_config *config, const struct setting *setting)
{
	uint32_t value;

	memcpy(&value, (const char *)config + setting->offset, sizeof(value));
	return value;
}

static void setting_set(struct zs_config *config, const struct setting *setting, uint32_t value)
{
	memcpy((char *)config + setting->offset, &value, sizeof(value));
}

/* ---- printing -------------------------------------------------------------------------------- */

static size_t operand_format(char *text, size_t room, const struct op *op, enum operand operand)
{
	const struct limit *limit = &limits[operand];
	uint64_t value = operand_get(op, operand);

	if (limit->keyword && value == limit->most)
		return (size_t)snprintf(text, room, " %s", limit->keyword);
	if (operand == BITS)
		return (size_t)snprintf(text, room, " 0x%llx", (unsigned long long)value);
	return (size_t)snprintf(text, room, " %llu", (unsigned long long)value);
}

#define OP_TEXT 80 /* the longest is compact-class or write: two words, two numbers of 20 digits */

void op_format(const struct op *op, char *text, size_t room)
{
	char line[OP_TEXT] = "unknown";
	size_t length;

	if (op->code < OP_CODES) {
		const struct shape *shape = &shapes[op->code];

		length = (size_t)snprintf(line, sizeof(line), "%s", shape->word);
		for (int i = 0; i < MAX_OPERANDS && shape->operands[i] != NOTHING; i++)
			length += operand_format(line + length, sizeof(line) - length, op,
						 shape->operands[i]);
	}
	snprintf(text, room, "%s", line);
}

static int config_print(const struct zs_config *config, FILE *file)
{
	fputs("pool", file);
	for (size_t i = 0; i < SETTINGS; i++) {
		uint32_t value = setting_get(config, &settings[i]);
		const char *const *word = settings[i].words;

		if (!word) {
			fprintf(file, " %s %u", settings[i].key, value);
			continue;
		}
		for (uint32_t k = 0; k < value && *word; k++)
			word++;
		if (!*word) {
			errno = EINVAL;
			return -1;
		}
		fprintf(file, " %s %s", settings[i].key, *word);
	}
	return fputc('\n', file) == EOF ? -1 : 0;
}

int trace_print(const struct trace *trace, FILE *file)
{
	char line[OP_TEXT + 1];

	if (fputs("zsanity-trace 1\n", file) == EOF || config_print(&trace->config, file))
		return -1;
	for (size_t i = 0; i < trace->count; i++) {
		size_t length;

		op_format(&trace->ops[i], line, OP_TEXT);
		length = strlen(line);
		line[length] = '\n';
		if (fwrite(line, 1, length + 1, file) != length + 1)
			return -1;
	}
	return fflush(file) || ferror(file) ? -1 : 0;
}

/* ---- parsing --------------------------------------------------------------------------------- */

#define TEXT_MAGIC "zsanity-trace"
#define MAX_LINE 1000
#define MAX_WORDS 64

struct word {
	const char *text;
	size_t length;
};

struct parser {
	struct trace *trace;
	struct trace_error *error;
	size_t line;
	bool configured; /* a setting has been given */
	struct word words[MAX_WORDS];
	size_t count;
};

__attribute__((format(printf, 2, 3))) static int complain(struct parser *parser, const char *format,
							  ...)
{
	struct trace_error *error = parser->error;
	int used = snprintf(error->text, sizeof(error->text), "line %zu: ", parser->line);
	va_list arguments;

	error->line = parser->line;
	va_start(arguments, format);
	vsnprintf(error->text + used, sizeof(error->text) - (size_t)used, format, arguments);
	va_end(arguments);
	/* Words of the trace are quoted in it, and they may be anything. */
	for (char *c = error->text; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return -1;
}

/* Precision and text of a word for "%.*s"; the head of a long one is enough. */
#define QUOTE(word) (int)((word).length < 40 ? (word).length : 40), (word).text

static bool word_is(const struct word *word, const char *text)
{
	return strlen(text) == word->length && !memcmp(word->text, text, word->length);
}

static bool digit_of(char c, unsigned int base, unsigned int *digit)
{
	if (c >= '0' && c <= '9')
		*digit = (unsigned int)(c - '0');
	else if (c >= 'a' && c <= 'f')
		*digit = (unsigned int)(c - 'a') + 10;
	else
		return false;
	return *digit < base;
}

static bool word_number(const struct word *word, uint64_t most, uint64_t *number)
{
	bool hex = word->length > 2 && word->text[0] == '0' && word->text[1] == 'x';
	unsigned int base = hex ? 16 : 10;
	uint64_t value = 0;

	for (size_t i = hex ? 2 : 0; i < word->length; i++) {
		unsigned int digit;

		if (!digit_of(word->text[i], base, &digit) || value > (most - digit) / base)
			return false;
		value = value * base + digit;
	}
	*number = value;
	return value <= most;
}

/* The place of a word in a NULL-terminated list. */
static bool word_among(const struct word *word, const char *const *list, uint32_t *index)
{
	for (uint32_t i = 0; list[i]; i++) {
		if (word_is(word, list[i])) {
			*index = i;
			return true;
		}
	}
	return false;
}

/* Splits a line into words; a word that begins with # ends it. */
static int split(struct parser *parser, const char *text, size_t length)
{
	const char *end = text + length;

	parser->count = 0;
	if (length > MAX_LINE)
		return complain(parser, "longer than %d bytes", MAX_LINE);
	if (memchr(text, '\0', length))
		return complain(parser, "a NUL byte; this is no text");
	for (;;) {
		const char *start;

		while (text < end && (*text == ' ' || *text == '\t'))
			text++;
		if (text == end || *text == '#')
			return 0;
		if (parser->count == MAX_WORDS)
			return complain(parser, "more than %d words", MAX_WORDS);
		start = text;
		while (text < end && *text != ' ' && *text != '\t')
			text++;
		parser->words[parser->count++] = (struct word){ start, (size_t)(text - start) };
	}
}

static int parse_setting(struct parser *parser, const struct word *key, const struct word *value)
{
	struct zs_config *config = &parser->trace->config;

	for (size_t i = 0; i < SETTINGS; i++) {
		const struct setting *setting = &settings[i];
		uint64_t number = 0;
		uint32_t index = 0;

		if (!word_is(key, setting->key))
			continue;
		if (setting->words ? !word_among(value, setting->words, &index)
				   : !word_number(value, setting->most, &number))
			return complain(parser, "%s wants %s, not '%.*s'", setting->key,
					setting->wants, QUOTE(*value));
		setting_set(config, setting, setting->words ? index : (uint32_t)number);
		return 0;
	}
	return complain(parser, "unknown pool setting '%.*s'", QUOTE(*key));
}

static int parse_preset(struct parser *parser, const struct word *value)
{
	uint32_t preset;

	if (parser->configured)
		return complain(parser, "preset comes before every other setting");
	if (!word_among(value, preset_words, &preset))
		return complain(parser,
				"preset wants native, kernel-6.1, kernel-6.12 or tiny, not '%.*s'",
				QUOTE(*value));
	config_from_preset(&parser->trace->config, (enum zs_preset)preset);
	return 0;
}

static int parse_pool(struct parser *parser)
{
	if (parser->trace->count)
		return complain(parser, "pool comes before every operation");
	if (parser->count < 3 || parser->count % 2 == 0)
		return complain(parser, "pool wants KEY VALUE ...");
	for (size_t i = 1; i < parser->count; i += 2) {
		const struct word *key = &parser->words[i];
		int result = word_is(key, "preset") ? parse_preset(parser, key + 1)
						    : parse_setting(parser, key, key + 1);

		if (result)
			return result;
		parser->configured = true;
	}
	return 0;
}

static int parse_operand(struct parser *parser, struct op *op, enum operand operand,
			 const struct word *word)
{
	const struct limit *limit = &limits[operand];
	uint64_t value;

	if (limit->keyword && word_is(word, limit->keyword))
		value = limit->most;
	else if (!word_number(word, limit->most, &value))
		return complain(parser, "%s of %s wants %s, not '%.*s'", limit->label,
				shapes[op->code].word, limit->wants, QUOTE(*word));
	operand_set(op, operand, value);
	return 0;
}

static int parse_op(struct parser *parser, uint8_t code)
{
	const struct shape *shape = &shapes[code];
	struct op op = { .code = code };
	size_t wanted = 0;

	while (wanted < MAX_OPERANDS && shape->operands[wanted] != NOTHING)
		wanted++;
	if (parser->count != 1 + wanted)
		return complain(parser, "%s wants %s", shape->word, shape->wants);
	for (size_t i = 0; i < wanted; i++)
		if (parse_operand(parser, &op, shape->operands[i], &parser->words[1 + i]))
			return -1;
	if (trace_add(parser->trace, op))
		return complain(parser, "out of memory");
	return 0;
}

static int parse_line(struct parser *parser, const char *text, size_t length)
{
	const struct word *word = &parser->words[0];

	if (split(parser, text, length))
		return -1;
	if (!parser->count)
		return 0;
	for (unsigned int code = 0; code < OP_CODES; code++)
		if (word_is(word, shapes[code].word))
			return parse_op(parser, (uint8_t)code);
	if (word_is(word, "pool"))
		return parse_pool(parser);
	return complain(parser, "unknown operation '%.*s'", QUOTE(*word));
}

int trace_is_text(const void *bytes, size_t size)
{
	size_t length = strlen(TEXT_MAGIC);

	return size > length && !memcmp(bytes, TEXT_MAGIC " ", length + 1);
}

static int parse_first(struct parser *parser, const char *text, size_t length)
{
	if (split(parser, text, length))
		return -1;
	if (parser->count != 2 || !trace_is_text(text, length))
		return complain(parser, "a trace begins with '%s 1'", TEXT_MAGIC);
	if (!word_is(&parser->words[1], "1"))
		return complain(parser, "trace version '%.*s'; only 1 is known",
				QUOTE(parser->words[1]));
	return 0;
}

static int parse_lines(struct parser *parser, const char *text, size_t size)
{
	const char *end = text + size;

	if (!size) {
		parser->line = 1;
		return complain(parser, "empty; a trace begins with '%s 1'", TEXT_MAGIC);
	}
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((newline ? newline : end) - text);

		parser->line++;
		if (parser->line == 1 ? parse_first(parser, text, length)
				      : parse_line(parser, text, length))
			return -1;
		if (!newline)
			return complain(parser, "cut short: no newline at the end");
		text = newline + 1;
	}
	return 0;
}

int trace_parse(struct trace *trace, const char *text, size_t size, struct trace_error *error)
{
	struct parser parser = { .trace = trace, .error = error };
	int result;

	trace_init(trace);
	result = parse_lines(&parser, text, size);
	if (result)
		trace_free(trace);
	return result;
}

/* ---- the byte form --------------------------------------------------------------------------- */

/*
 * A header of 8 bytes, then records of 4. The header's bytes are taken exclusive-or default_header,
 * and missing ones are 0: so zeros, which fuzzers are fond of, give a pool where much happens.
 *
 *   0 geometry, modulo 64: 0 .. 59 one of 12 with pages of up to 256 bytes, the rest a larger one,
 *     which takes far longer
 *   1 max_pages: 0 .. 63 give 1 .. 64, the rest 80, 128, 256 and 512 in turn
 *   2 max_objects: 0 .. 191 give 0 (enough), the rest 1 .. 64
 *   3 handle_batch: 1 + value modulo 64
 *   4, 5 little-endian mask of the operations left out, bit = enum op_code
 *   6 bits 0 .. 2: names have 1 .. 8 bits; bits 3 .. 7, modulo 9: grouping + 3 * algorithm
 *   7 sizes: bits 0, 1: 0 any, else 2, 4 or 8 sizes, evenly spaced from where bits 2 .. 7 say, in
 *     64ths of a page
 * Record: operation (low 5 bits) and repeat - 1 (high 3 bits), name, little-endian argument.
 * Repeats go to successive names; what has neither a name nor a hold's number isn't repeated.
 */
#define HEADER 8
#define RECORD 4

/* Tiny, 64 pages, batches of 2, 16 names, sizes of 8 and 40 bytes. */
static const uint8_t default_header[HEADER] = { 0, 63, 0, 1, 0, 0, 3, 8 << 2 | 1 };

/* Often what is frequent in life, and 32 in all. The first of each is what encoding uses. */
static const uint8_t op_table[32] = {
	OP_MALLOC, OP_MALLOC,  OP_MALLOC,  OP_MALLOC,  OP_MALLOC,  OP_MALLOC,  OP_FREE,
	OP_FREE,   OP_FREE,    OP_FREE,    OP_FREE,    OP_WRITE,   OP_WRITE,   OP_WRITE,
	OP_READ,   OP_READ,    OP_READ,    OP_PIN,     OP_PIN,     OP_UNPIN,   OP_UNPIN,
	OP_LOCK,   OP_UNLOCK,  OP_MIGRATE, OP_COMPACT, OP_COMPACT, OP_COMPACT, OP_COMPACT_CLASS,
	OP_FORGE,  OP_FOREIGN, OP_FAIL,    OP_CHECK,
};

/*
 * page, min, step, header, chain, rule, tag bits, generation bits. The first is ZS_TINY, those of
 * 4096-byte pages are ZS_NATIVE, ZS_KERNEL_6_1 and ZS_KERNEL_6_12.
 */
static const struct zs_geometry geometries[] = {
	{ 64, 8, 8, 0, 4, ZS_LEAST_WASTE, 2, 2 },
	{ 64, 8, 8, 0, 1, ZS_LEAST_WASTE, 2, 2 },
	{ 64, 16, 8, 8, 4, ZS_USED_PERCENT, 2, 2 },
	{ 64, 8, 24, 0, 3, ZS_LEAST_WASTE, 2, 3 },
	{ 64, 64, 8, 0, 16, ZS_USED_PERCENT, 2, 2 },
	{ 128, 16, 8, 8, 4, ZS_USED_PERCENT, 2, 3 },
	{ 128, 8, 8, 0, 16, ZS_LEAST_WASTE, 2, 2 },
	{ 128, 8, 40, 0, 5, ZS_USED_PERCENT, 3, 2 },
	{ 256, 16, 16, 8, 8, ZS_LEAST_WASTE, 2, 4 },
	{ 256, 16, 16, 8, 4, ZS_USED_PERCENT, 2, 2 },
	{ 256, 8, 8, 0, 16, ZS_USED_PERCENT, 2, 3 },
	{ 256, 32, 256, 0, 2, ZS_LEAST_WASTE, 2, 2 },
	{ 4096, 32, 16, 0, 8, ZS_LEAST_WASTE, 12, 20 },
	{ 4096, 32, 16, 8, 4, ZS_USED_PERCENT, 12, 20 },
	{ 4096, 32, 16, 8, 8, ZS_LEAST_WASTE, 12, 20 },
	{ 65536, 256, 256, 8, 4, ZS_USED_PERCENT, 12, 20 },
};

#define SMALL_GEOMETRIES 12
#define LARGE_FROM 60 /* of 64 values of the byte */

_Static_assert(sizeof(geometries) / sizeof(geometries[0]) == SMALL_GEOMETRIES + 64 - LARGE_FROM,
	       "each value has its geometry");

static struct zs_geometry byte_geometry(uint8_t byte)
{
	uint32_t value = byte % 64;

	return geometries[value < LARGE_FROM ? value % SMALL_GEOMETRIES
					     : SMALL_GEOMETRIES + value - LARGE_FROM];
}

static uint32_t byte_pages(uint8_t byte)
{
	static const uint32_t larger[] = { 80, 128, 256, 512 };

	return byte < 64 ? byte + 1u : larger[byte % 4];
}

static uint32_t byte_objects(uint8_t byte)
{
	return byte < 192 ? 0 : byte - 191u;
}

#define GROUPINGS 3u
#define PAIRS 9u /* of a grouping and an algorithm */

static uint32_t byte_pair(uint8_t byte)
{
	return (byte >> 3) % PAIRS;
}

/* What records mean under a header. */
struct layout {
	struct zs_config config;
	uint32_t omitted;
	uint32_t names; /* mask */
	uint32_t sizes; /* 0: any */
	uint32_t first_size;
	uint32_t classes;
};

static void layout_init(struct layout *layout, const uint8_t header[HEADER])
{
	struct zs_geometry geometry = byte_geometry(header[0]);

	config_from_preset(&layout->config, ZS_TINY);
	layout->config.geometry = geometry;
	layout->config.max_pages = byte_pages(header[1]);
	layout->config.max_objects = byte_objects(header[2]);
	layout->config.handle_batch = header[3] % 64 + 1u;
	layout->config.grouping = byte_pair(header[6]) % GROUPINGS;
	layout->config.algorithm = byte_pair(header[6]) / GROUPINGS;
	layout->omitted = header[4] | (uint32_t)header[5] << 8;
	layout->names = (2u << (header[6] & 7)) - 1;
	layout->sizes = header[7] & 3 ? 1u << (header[7] & 3) : 0;
	layout->first_size = (header[7] >> 2) * (geometry.page_size / 64);
	layout->classes = (geometry.page_size - geometry.min_size + geometry.class_step - 1) /
				  geometry.class_step +
			  1;
}

/* The top of an argument's range stands for sizes that no arithmetic on 16 bits reaches. */
#define CORNERS 16

static uint64_t corner(const struct layout *layout, uint32_t index)
{
	uint64_t page = layout->config.geometry.page_size;
	const uint64_t corners[CORNERS] = {
		page - 1,          page,           page + 1,           2 * page,
		page * 16,         UINT32_MAX,     UINT32_MAX + 1ull,  UINT32_MAX + 2ull,
		UINT32_MAX + page, UINT64_MAX / 2, UINT64_MAX / 2 + 1, UINT64_MAX - page,
		UINT64_MAX - 15,   UINT64_MAX - 7, UINT64_MAX - 1,     UINT64_MAX,
	};

	return corners[index];
}

/* A size or length from an argument below range. */
static uint64_t any_size(const struct layout *layout, uint32_t argument, uint32_t range)
{
	if (argument >= range - CORNERS)
		return corner(layout, argument - (range - CORNERS));
	return argument % (layout->config.geometry.page_size + 2);
}

static uint64_t size_decode(const struct layout *layout, uint32_t argument)
{
	uint32_t page = layout->config.geometry.page_size;

	if (!layout->sizes || argument >= 65536 - CORNERS)
		return any_size(layout, argument, 65536);
	return (layout->first_size + argument % layout->sizes * (page / layout->sizes)) %
	       (page + 2);
}

static uint32_t size_encode(const struct layout *layout, uint64_t size)
{
	for (uint32_t i = 0; i < CORNERS; i++)
		if (corner(layout, i) == size)
			return 65536 - CORNERS + i;
	return (uint32_t)size;
}

#define WRITES 32768u /* arguments of each of the two kinds of write */

/* Bit 0 of the argument is the kind. Repeats step the argument, so that names differ in content. */
static void write_decode(const struct layout *layout, struct op *op, uint32_t argument,
			 uint32_t repeat)
{
	op->extra = (argument / 2 + repeat) % WRITES;
	op->value = argument % 2 ? any_size(layout, op->extra, WRITES) : OP_ALL;
}

static uint64_t rotate(uint64_t value, uint32_t by)
{
	by %= 64;
	return (value & UINT64_MAX >> by) << by | value >> (64 - by) % 64;
}

/* Ten bits anywhere in the handle. */
static uint64_t forge_decode(uint32_t argument)
{
	return rotate(argument / 64, argument % 64);
}

static uint32_t forge_encode(uint64_t bits)
{
	for (uint32_t by = 0; by < 64; by++)
		if (rotate(bits, 64 - by) < 1024)
			return (uint32_t)rotate(bits, 64 - by) * 64 + by;
	return 0;
}

static void fail_decode(struct op *op, uint32_t argument)
{
	op->value = argument % 32;
	op->extra = argument / 256 == 255 ? OP_FOREVER : argument / 256 % 16;
}

static uint32_t fail_encode(const struct op *op)
{
	uint32_t count = op->extra == OP_FOREVER ? 255 : op->extra % 16;

	return (uint32_t)op->value % 32 + count * 256;
}

static void argument_decode(const struct layout *layout, struct op *op, uint32_t argument,
			    uint32_t repeat)
{
	switch (op->code) {
	case OP_MALLOC:
	case OP_READ:
	case OP_PIN:
		op->value = size_decode(layout, argument);
		break;
	case OP_WRITE:
		write_decode(layout, op, argument, repeat);
		break;
	case OP_UNPIN:
	case OP_UNLOCK:
	case OP_MIGRATE:
		op->value = argument;
		break;
	case OP_LOCK:
		op->value = argument == 65535 ? UINT32_MAX
					      : argument % (layout->config.geometry.chain + 1);
		break;
	case OP_COMPACT_CLASS:
		op->value = argument == 65535 ? UINT32_MAX : argument % (layout->classes + 1);
		break;
	case OP_FORGE:
		op->value = forge_decode(argument);
		break;
	case OP_FAIL:
		fail_decode(op, argument);
		break;
	}
}

/* An argument that gives the operation, if there is one; else any. */
static uint32_t argument_encode(const struct layout *layout, const struct op *op)
{
	switch (op->code) {
	case OP_MALLOC:
	case OP_READ:
	case OP_PIN:
		return size_encode(layout, op->value);
	case OP_WRITE:
		return op->extra * 2 + (op->value != OP_ALL);
	case OP_FORGE:
		return forge_encode(op->value);
	case OP_FAIL:
		return fail_encode(op);
	default:
		return (uint32_t)op->value;
	}
}

static void record_decode(const struct layout *layout, const uint8_t record[RECORD],
			  uint32_t repeat, struct op *op)
{
	*op = (struct op){ .code = op_table[record[0] % 32] };
	if (shapes[op->code].operands[0] == NAME)
		op->name = (record[1] + repeat) & layout->names;
	argument_decode(layout, op, record[2] | (uint32_t)record[3] << 8, repeat);
}

/* What concerns the whole pool is costly and does nothing the second time. */
static bool is_repeated(uint8_t code)
{
	return shapes[code].operands[0] == NAME || shapes[code].operands[0] == NUMBER;
}

/* Adds what a record says. Returns 0, or -1 when memory is out. */
static int add_record(struct trace *trace, const struct layout *layout,
		      const uint8_t record[RECORD])
{
	uint8_t code = op_table[record[0] % 32];
	uint32_t repeats = is_repeated(code) ? record[0] / 32 + 1u : 1;

	if (layout->omitted >> code & 1)
		return 0;
	for (uint32_t i = 0; i < repeats && trace->count < TRACE_BYTES_OPS; i++) {
		struct op op;

		record_decode(layout, record, i, &op);
		if (trace_add(trace, op))
			return -1;
	}
	return 0;
}

int trace_decode(struct trace *trace, const uint8_t *bytes, size_t size)
{
	uint8_t header[HEADER];
	struct layout layout;

	trace_init(trace);
	for (size_t i = 0; i < HEADER; i++)
		header[i] = default_header[i] ^ (i < size ? bytes[i] : 0);
	layout_init(&layout, header);
	trace->config = layout.config;
	for (size_t at = HEADER; at + RECORD <= size; at += RECORD) {
		if (add_record(trace, &layout, bytes + at)) {
			trace_free(trace);
			return -1;
		}
	}
	return 0;
}

/* The first byte that decode maps to a wanted value; false when none does. */
static bool find_byte(uint32_t (*decode)(uint8_t byte), uint32_t wanted, uint8_t *byte)
{
	for (unsigned int i = 0; i < 256; i++) {
		if (decode((uint8_t)i) == wanted) {
			*byte = (uint8_t)i;
			return true;
		}
	}
	return false;
}

static bool find_geometry(const struct zs_geometry *wanted, uint8_t *byte)
{
	for (unsigned int i = 0; i < 64; i++) {
		struct zs_geometry geometry = byte_geometry((uint8_t)i);

		if (!memcmp(&geometry, wanted, sizeof(geometry))) {
			*byte = (uint8_t)i;
			return true;
		}
	}
	return false;
}

static const char *header_encode(const struct zs_config *config, uint8_t header[HEADER])
{
	memset(header, 0, HEADER);
	if (!find_geometry(&config->geometry, &header[0]))
		return "the geometry isn't one of the byte form's";
	if (!find_byte(byte_pages, config->max_pages, &header[1]))
		return "pages isn't 1 .. 64, 80, 128, 256 or 512";
	if (!find_byte(byte_objects, config->max_objects, &header[2]))
		return "objects is above 64";
	if (config->handle_batch < 1 || config->handle_batch > 64)
		return "batch isn't 1 .. 64";
	header[3] = (uint8_t)(config->handle_batch - 1);
	if (config->grouping > ZS_EXACT || config->algorithm > ZS_OPTIMAL)
		return "the grouping or the algorithm isn't known";
	/* All names; sizes are any, and no operation is left out. */
	header[6] = (uint8_t)(7 | (config->grouping + GROUPINGS * config->algorithm) << 3);
	if (config->tag != TRACE_TAG)
		return "the byte form has only tag 1";
	return NULL;
}

static const char *record_encode(const struct layout *layout, const struct op *op,
				 uint8_t record[RECORD])
{
	uint32_t argument = argument_encode(layout, op);
	struct op back;

	if (op->code >= OP_CODES)
		return "an unknown operation";
	if (op->name > 255)
		return "a NAME is above 255";
	record[0] = 0;
	while (op_table[record[0]] != op->code)
		record[0]++;
	record[1] = (uint8_t)op->name;
	record[2] = (uint8_t)argument;
	record[3] = (uint8_t)(argument >> 8);
	/* Whatever doesn't fit comes back as something else. */
	record_decode(layout, record, 0, &back);
	return op_equal(op, &back) ? NULL : shapes[op->code].unfit;
}

int trace_encode(const struct trace *trace, uint8_t **bytes, size_t *size, const char **why)
{
	size_t length = HEADER + RECORD * trace->count;
	struct layout layout;
	uint8_t *buffer;

	if (trace->count > TRACE_BYTES_OPS) {
		*why = "more than 8192 operations";
		return -1;
	}
	buffer = malloc(length);
	if (!buffer) {
		*why = "out of memory";
		return -1;
	}
	*why = header_encode(&trace->config, buffer);
	if (!*why)
		layout_init(&layout, buffer);
	for (size_t i = 0; i < trace->count && !*why; i++)
		*why = record_encode(&layout, &trace->ops[i], buffer + HEADER + RECORD * i);
	if (*why) {
		free(buffer);
		return -1;
	}
	for (size_t i = 0; i < HEADER; i++)
		buffer[i] ^= default_header[i];
	*bytes = buffer;
	*size = length;
	return 0;
}
