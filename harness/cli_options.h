/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cli_options - the options of all commands: one table says each one's name, value, help and how it is
 * read; a command chooses from it.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend.h"

enum cli_option {
	CLI_BACKEND,
	CLI_BYTES,
	CLI_CODEC,
	CLI_COMPACT,
	CLI_COMPACT_EVERY,
	CLI_ENCODE,
	CLI_FILES,
	CLI_FULL_EVERY,
	CLI_GEOMETRY,
	CLI_JSON,
	CLI_LIMIT,
	CLI_MEM_LIMIT,
	CLI_NAMES,
	CLI_OPS,
	CLI_OUTPUT,
	CLI_PID,
	CLI_PRINT,
	CLI_SAVE,
	CLI_SEED,
	CLI_SEQUENCES,
	CLI_SPEED,
	CLI_TABLE,
	CLI_OPTIONS
};

/* An option of a command. */
struct cli_choice {
	enum cli_option option;
	const char
		*initial; /* its value unless given, as it would be typed; NULL: 0, false, none */
	const char *meaning; /* what that means, when the value alone doesn't tell */
};

struct cli_arguments;

struct cli_command {
	const char *name;
	const char *summary;  /* a few words for the list of commands */
	const char *operands; /* "FILE|FOLDER..."; NULL: it takes none */
	const char *text;     /* paragraphs, ended by newlines; lines are broken here */
	const char *examples; /* lines, without the leading spaces */
	const struct cli_choice *choices;
	size_t choices_count;
	int (*main)(const struct cli_arguments *arguments);
};

/* What was given, or is the command's initial value. Names are checked, numbers in their range. */
struct cli_arguments {
	const struct cli_command *command;
	const char **paths; /* operands, and --files */
	size_t paths_count;
	uint64_t given; /* bit i: option i */
	const char *backend, *codec;
	const struct backend *allocator; /* that backend names */
	const char *geometry;            /* NULL: the allocator's own */
	const char *encode, *json_file, *output, *save;
	uint64_t compact_every, full_every, names, ops, pid, seed, sequences;
	uint64_t limit, mem_limit; /* bytes */
	bool bytes, compact, json, print, speed, table;
};

static inline bool cli_given(const struct cli_arguments *arguments, enum cli_option option)
{
	return arguments->given >> option & 1;
}

/* The name of the geometry, for people and reports. */
static inline const char *cli_geometry(const struct cli_arguments *arguments)
{
	return arguments->geometry ? arguments->geometry : arguments->backend;
}

/* Whether people are to be told on stdout, not only programs. */
static inline bool cli_wants_text(const struct cli_arguments *arguments)
{
	return !arguments->json || arguments->json_file;
}

/*
 * Reads a command's options and operands, argv[0] being its name, or prints its help. True: go on, and
 * free arguments->paths in the end. False: *status is the exit status.
 */
bool cli_parse(const struct cli_command *command, int argc, char **argv,
	       struct cli_arguments *arguments, int *status);

/*
 * The configuration that --geometry means, else the backend's own. Returns 0, or CLI_WRONG after a line: the
 * backend doesn't take it.
 */
int cli_config(const struct cli_arguments *arguments, const struct backend *backend,
	       struct zs_config *config);

/* Prints a command's help. */
void cli_help(const struct cli_command *command);

/* Prints a text, its lines broken where they are too long and indented by that much. */
void cli_print_wrapped(const char *text, int indent);

/* The index-th preset's name, in the order of enum zs_preset; NULL past the last. */
const char *cli_preset_name(size_t index);
/* The preset of a name that is one. */
enum zs_preset cli_preset(const char *name);

/* Of the names (NULL past the last), the one that text seems to mean; NULL if none is near. */
const char *cli_nearest(const char *text, const char *(*name)(size_t index));

#endif
