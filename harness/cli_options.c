/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli_options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "cli.h"
#include "codec.h"
#include "ops.h"

#define WIDTH 100 /* of help, in characters */

/* ---- values ---------------------------------------------------------------------------------- */

struct kind {
	const char *name;
	const char *value; /* what stands for it in the help; NULL: it takes none */
	const char *help;
	const char *wants; /* what its value must be; of named values, their list says it */
	const char *(*names)(size_t index);
	/* False: text isn't what it wants. */
	bool (*take)(struct cli_arguments *arguments, const struct kind *kind, const char *text);
	size_t field; /* of struct cli_arguments */
	uint64_t least, most;
};

static void *field(struct cli_arguments *arguments, const struct kind *kind)
{
	return (char *)arguments + kind->field;
}

static bool take_flag(struct cli_arguments *arguments, const struct kind *kind, const char *text)
{
	(void)text;
	*(bool *)field(arguments, kind) = true;
	return true;
}

static bool take_text(struct cli_arguments *arguments, const struct kind *kind, const char *text)
{
	*(const char **)field(arguments, kind) = text;
	return true;
}

static bool take_name(struct cli_arguments *arguments, const struct kind *kind, const char *text)
{
	for (size_t i = 0; kind->names(i); i++)
		if (!strcmp(text, kind->names(i)))
			return take_text(arguments, kind, text);
	return false;
}

static bool take_path(struct cli_arguments *arguments, const struct kind *kind, const char *text)
{
	(void)kind;
	arguments->paths[arguments->paths_count++] = text;
	return true;
}

static bool take_json(struct cli_arguments *arguments, const struct kind *kind, const char *text)
{
	arguments->json = true;
	return take_text(arguments, kind, text);
}

/* Decimal digits. Returns what follows them; NULL: there are none, or too many. */
static const char *take_digits(const char *text, uint64_t *value)
{
	const char *c = text;

	*value = 0;
	for (; *c >= '0' && *c <= '9'; c++) {
		uint64_t digit = (uint64_t)(*c - '0');

		if (*value > (UINT64_MAX - digit) / 10)
			return NULL;
		*value = *value * 10 + digit;
	}
	return c == text ? NULL : c;
}

static bool take_shifted(struct cli_arguments *arguments, const struct kind *kind, uint64_t value,
			 unsigned int shift)
{
	if (value > kind->most >> shift || value << shift < kind->least)
		return false;
	*(uint64_t *)field(arguments, kind) = value << shift;
	return true;
}

static bool take_number(struct cli_arguments *arguments, const struct kind *kind, const char *text)
{
	uint64_t value;
	const char *rest = take_digits(text, &value);

	return rest && !*rest && take_shifted(arguments, kind, value, 0);
}

/* A number with a suffix K, M or G, powers of 1024, or none. */
static bool take_size(struct cli_arguments *arguments, const struct kind *kind, const char *text)
{
	static const char suffixes[] = "KMG";
	uint64_t value;
	const char *rest = take_digits(text, &value);
	const char *found = rest && *rest ? strchr(suffixes, *rest) : NULL;

	if (!rest || (*rest && (!found || rest[1])))
		return false;
	return take_shifted(arguments, kind, value,
			    found ? 10 * (unsigned int)(found - suffixes + 1) : 0);
}

const char *cli_preset_name(size_t index)
{
	static const char *const names[] = {
		[ZS_NATIVE] = "native",
		[ZS_KERNEL_6_1] = "kernel-6.1",
		[ZS_KERNEL_6_12] = "kernel-6.12",
		[ZS_TINY] = "tiny",
	};

	return index < sizeof(names) / sizeof(names[0]) ? names[index] : NULL;
}

enum zs_preset cli_preset(const char *name)
{
	size_t i = 0;

	while (strcmp(cli_preset_name(i), name) != 0)
		i++;
	return (enum zs_preset)i;
}

/* ---- the table ------------------------------------------------------------------------------- */

#define TAKES(how, name) .take = take_##how, .field = offsetof(struct cli_arguments, name)
#define NUMBER(name, from, to) TAKES(number, name), .least = (from), .most = (to)
#define SIZE(name) TAKES(size, name), .least = 1, .most = INT64_MAX

static const struct kind kinds[CLI_OPTIONS] = {
	[CLI_BACKEND] = { "backend", "NAME", "the allocator, or the path of a plug-in",
			  TAKES(text, backend), .names = backend_name },
	[CLI_BYTES] = { "bytes", NULL, "take files as the byte form, whatever they look like",
			TAKES(flag, bytes) },
	[CLI_CODEC] = { "codec", "NAME", "the compressor", TAKES(name, codec),
			.names = codec_name },
	[CLI_COMPACT] = { "compact", NULL, "compact when all is stored", TAKES(flag, compact) },
	[CLI_COMPACT_EVERY] = { "compact-every", "N", "compact after every N stores; 0: never",
				"a number", NUMBER(compact_every, 0, UINT32_MAX) },
	[CLI_ENCODE] = { "encode", "FILE", "write the byte form of one trace, don't run it",
			 TAKES(text, encode) },
	[CLI_FILES] = { "files", "PATH", "a file or folder; may be given again",
			.take = take_path },
	[CLI_FULL_EVERY] = { "full-every", "N",
			     "compare everything every N operations too, not only after "
			     "compactions, at a check and at the end",
			     "a number", NUMBER(full_every, 0, UINT32_MAX) },
	[CLI_GEOMETRY] = { "geometry", "PRESET", "page size and size classes",
			   TAKES(name, geometry), .names = cli_preset_name },
	[CLI_JSON] = { "json", "[=FILE]",
		       "report as JSON: to FILE, written whole or not at all, or in place of the "
		       "text",
		       TAKES(json, json_file) },
	[CLI_LIMIT] = { "limit", "SIZE", "read at most that much, as in 50M", "a size such as 50M",
			SIZE(limit) },
	[CLI_MEM_LIMIT] = { "mem-limit", "SIZE",
			    "the store holds at most that much; what finds no room isn't stored",
			    "a size such as 50M", SIZE(mem_limit) },
	[CLI_NAMES] = { "names", "N", "slots of the device; a full one is overwritten",
			"1 .. 67108864", NUMBER(names, 1, TRACE_NAMES) },
	[CLI_OPS] = { "ops", "N", "operations of a trace", "a number", NUMBER(ops, 0, UINT32_MAX) },
	[CLI_OUTPUT] = { "output", "FILE", "where to write it, whole or not at all",
			 TAKES(text, output) },
	[CLI_PID] = { "pid", "N", "a process, whose anonymous memory is read", "a process number",
		      NUMBER(pid, 1, INT32_MAX) },
	[CLI_PRINT] = { "print", NULL, "print the text form of one trace, don't run it",
			TAKES(flag, print) },
	[CLI_SAVE] = { "save", "FILE", "write the trace too, before it runs", TAKES(text, save) },
	[CLI_SEED] = { "seed", "N", "of all that is random: the same seed and options do the same",
		       "a number", NUMBER(seed, 0, UINT64_MAX) },
	[CLI_SEQUENCES] = { "sequences", "N", "that many traces, of seeds N, N + 1, ...",
			    "a number above 0", NUMBER(sequences, 1, UINT32_MAX) },
	[CLI_SPEED] = { "speed", NULL,
			"measure the codec alone too, on the same pages in turn with the store",
			TAKES(flag, speed) },
	[CLI_TABLE] = { "table", NULL, "print the size classes of a geometry", TAKES(flag, table) },
};

/* ---- names that are nearly right ------------------------------------------------------------- */

#define LONGEST 31 /* of a name that is compared */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Letters to insert, remove, change or swap with the next to make one text the other. */
static size_t distance(const char *a, const char *b)
{
	size_t rows[LONGEST + 1][LONGEST + 1], m = strlen(a), n = strlen(b);

	if (m > LONGEST || n > LONGEST)
		return SIZE_MAX;
	for (size_t i = 0; i <= m; i++) {
		for (size_t j = 0; j <= n; j++) {
			size_t *here = &rows[i][j];

			*here = i ? i : j;
			if (!i || !j)
				continue;
			*here = least(least(rows[i - 1][j], rows[i][j - 1]) + 1,
				      rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				*here = least(*here, rows[i - 2][j - 2] + 1);
		}
	}
	return rows[m][n];
}

/* Near: no more than a third of its letters are wrong, or one of two. */
static const char *nearer(const char *text, const char *name, const char *best)
{
	size_t far = distance(text, name), length = strlen(name);

	if (far > (length < 3 ? 1 : length / 3))
		return best;
	return !best || far < distance(text, best) ? name : best;
}

const char *cli_nearest(const char *text, const char *(*name)(size_t index))
{
	const char *best = NULL;

	for (size_t i = 0; name(i); i++)
		best = nearer(text, name(i), best);
	return best;
}

/* ---- complaints ------------------------------------------------------------------------------ */

/* "lzo, lz4 or zstd" */
static const char *list_names(const struct kind *kind, char *text, size_t room)
{
	size_t used = 0;

	for (size_t i = 0; kind->names(i) && used < room; i++) {
		const char *joint = !i ? "" : kind->names(i + 1) ? ", " : " or ";

		used += (size_t)snprintf(text + used, room - used, "%s%s", joint, kind->names(i));
	}
	return text;
}

static int bad_value(const struct cli_command *command, const struct kind *kind, const char *text)
{
	const char *nearest = kind->names ? cli_nearest(text, kind->names) : NULL;
	char names[200], quoted[LONGEST + 3];

	if (nearest)
		snprintf(quoted, sizeof(quoted), "'%s'", nearest);
	return cli_misuse_near(
		command->name, nearest ? quoted : NULL, "--%s wants %s, not '%s'", kind->name,
		kind->names ? list_names(kind, names, sizeof(names)) : kind->wants, text);
}

static int unknown_option(const struct cli_command *command, const char *option)
{
	const char *best = NULL;
	char text[LONGEST + 3], letter[] = { '-', (char)optopt, '\0' };

	if (optopt && strncmp(option, "--", 2) != 0)
		return cli_misuse(command->name, "unknown option '%s'", letter);
	for (size_t i = 0; i < command->choices_count; i++)
		best = nearer(option + 2, kinds[command->choices[i].option].name, best);
	if (best)
		snprintf(text, sizeof(text), "--%s", best);
	return cli_misuse_near(command->name, best ? text : NULL, "unknown option '%s'", option);
}

/* ---- parsing --------------------------------------------------------------------------------- */

#define HELP 'h'
#define FIRST 256 /* getopt_long's value of option 0, above every letter */

static int take(struct cli_arguments *arguments, enum cli_option option, const char *text)
{
	const struct kind *kind = &kinds[option];

	if (!kind->take(arguments, kind, text))
		return bad_value(arguments->command, kind, text);
	return 0;
}

static int take_initials(struct cli_arguments *arguments)
{
	const struct cli_command *command = arguments->command;
	int status = 0;

	for (size_t i = 0; i < command->choices_count && !status; i++)
		if (command->choices[i].initial)
			status = take(arguments, command->choices[i].option,
				      command->choices[i].initial);
	return status;
}

static int argument_of(const struct kind *kind)
{
	if (!kind->value)
		return no_argument;
	return *kind->value == '[' ? optional_argument : required_argument;
}

/* A command's choices, help, and the end. */
static void list_options(const struct cli_command *command, struct option *list)
{
	size_t count = command->choices_count;

	for (size_t i = 0; i < count; i++) {
		const struct kind *kind = &kinds[command->choices[i].option];

		list[i] = (struct option){ kind->name, argument_of(kind), NULL,
					   FIRST + (int)command->choices[i].option };
	}
	list[count] = (struct option){ "help", no_argument, NULL, HELP };
	list[count + 1] = (struct option){ NULL, 0, NULL, 0 };
}

/* Returns 0, at the end or at --help, or CLI_WRONG after a line. */
static int take_options(struct cli_arguments *arguments, int argc, char **argv, bool *help)
{
	struct option list[CLI_OPTIONS + 2];
	int option, status = 0;

	list_options(arguments->command, list);
	while (!status && (option = getopt_long(argc, argv, ":h", list, NULL)) != -1) {
		if (option == HELP) {
			*help = true;
			return 0;
		}
		if (option == '?')
			return unknown_option(arguments->command, argv[optind - 1]);
		if (option == ':')
			return cli_misuse(arguments->command->name, "option '%s' wants a value",
					  argv[optind - 1]);
		arguments->given |= 1ULL << (option - FIRST);
		status = take(arguments, (enum cli_option)(option - FIRST), optarg);
	}
	return status;
}

static int take_operands(struct cli_arguments *arguments, int argc, char **argv)
{
	if (optind < argc && !arguments->command->operands)
		return cli_misuse(arguments->command->name, "unknown operand '%s'", argv[optind]);
	while (optind < argc)
		arguments->paths[arguments->paths_count++] = argv[optind++];
	return 0;
}

/* Whatever was given last is the one that counts. */
static int load_backend(struct cli_arguments *arguments)
{
	char why[400];

	if (!arguments->backend)
		return 0;
	arguments->allocator = backend_load(arguments->backend, why, sizeof(why));
	if (arguments->allocator && arguments->allocator->preset &&
	    !cli_given(arguments, CLI_GEOMETRY))
		arguments->geometry = NULL;
	if (arguments->allocator)
		return 0;
	return *why ? cli_error("%s", why)
		    : bad_value(arguments->command, &kinds[CLI_BACKEND], arguments->backend);
}

bool cli_parse(const struct cli_command *command, int argc, char **argv,
	       struct cli_arguments *arguments, int *status)
{
	bool help = false;

	*arguments = (struct cli_arguments){ .command = command };
	arguments->paths = calloc((size_t)argc + 1, sizeof(*arguments->paths));
	if (!arguments->paths) {
		*status = cli_error("out of memory");
		return false;
	}
	*status = take_initials(arguments);
	if (!*status)
		*status = take_options(arguments, argc, argv, &help);
	if (!*status && !help)
		*status = take_operands(arguments, argc, argv);
	if (!*status && !help)
		*status = load_backend(arguments);
	if (help)
		cli_help(command);
	if (!*status && !help)
		return true;
	free(arguments->paths);
	return false;
}

int cli_config(const struct cli_arguments *arguments, const struct backend *backend,
	       struct zs_config *config)
{
	const char *complaint;

	if (arguments->geometry)
		zs_config_init(config, cli_preset(arguments->geometry));
	else
		backend_preset(backend, config);
	complaint = backend_fits(backend, config);
	return complaint ? cli_error("--backend %s: %s", arguments->backend, complaint) : 0;
}

/* ---- help ------------------------------------------------------------------------------------ */

/* How much of a line's text goes into that many characters, broken at a space if there's one. */
static size_t fitting(const char *text, size_t length, size_t room)
{
	size_t fits = room;

	if (length <= room)
		return length;
	while (fits && text[fits] != ' ')
		fits--;
	return fits ? fits : length;
}

void cli_print_wrapped(const char *text, int indent)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		size_t fits = fitting(text, length, (size_t)(WIDTH - indent));

		printf("%.*s\n", (int)fits, text);
		text += fits;
		if (*text)
			text++;
		if (*text && *text != '\n')
			printf("%*s", indent, "");
	}
}

/* "--seed N" */
static int format_option(const struct kind *kind, char *text, size_t room)
{
	const char *value = kind->value ? kind->value : "";

	return snprintf(text, room, "--%s%s%s", kind->name, *value && *value != '[' ? " " : "",
			value);
}

static int widest_option(const struct cli_command *command)
{
	char text[80];
	int widest = 0;

	for (size_t i = 0; i < command->choices_count; i++) {
		int width = format_option(&kinds[command->choices[i].option], text, sizeof(text));

		widest = width > widest ? width : widest;
	}
	return widest;
}

static void print_option(const struct cli_choice *choice, int widest)
{
	const struct kind *kind = &kinds[choice->option];
	const char *unless = choice->meaning ? choice->meaning : choice->initial;
	char option[80], names[200] = "", help[500];

	format_option(kind, option, sizeof(option));
	if (kind->names)
		list_names(kind, names, sizeof(names));
	snprintf(help, sizeof(help), "%s%s%s%s%s%s", kind->help, *names ? ": " : "", names,
		 unless ? " (" : "", unless ? unless : "", unless ? ")" : "");
	printf("  %-*s   ", widest, option);
	cli_print_wrapped(help, widest + 5);
}

static void print_examples(const char *examples)
{
	while (*examples) {
		size_t length = strcspn(examples, "\n");

		printf("  %.*s\n", (int)length, examples);
		examples += length + (examples[length] == '\n');
	}
}

static void heading(const char *text)
{
	printf("\n%s%s%s\n", cli_style(stdout, CLI_BOLD), text, cli_style(stdout, CLI_PLAIN));
}

void cli_help(const struct cli_command *command)
{
	printf("usage: zsanity %s [OPTIONS]%s%s\n\n", command->name, command->operands ? " " : "",
	       command->operands ? command->operands : "");
	cli_print_wrapped(command->text, 0);
	heading("options");
	for (size_t i = 0; i < command->choices_count; i++)
		print_option(&command->choices[i], widest_option(command));
	heading("examples");
	print_examples(command->examples);
}
