/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cli - what the subcommands of `zsanity` share.
 *
 * Each returns the exit status: 0 as expected, 1 a property failed, 2 wrong use or something
 * missing, with one line on stderr that says what.
 */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "cli_options.h"

enum { CLI_RIGHT, CLI_FAILED, CLI_WRONG };

extern const struct cli_command cli_run, cli_replay, cli_equal, cli_capture, cli_zram, cli_stat;

/* ---- complaints ------------------------------------------------------------------------------ */

/* Prints "zsanity: ..." to stderr. Returns CLI_WRONG. */
__attribute__((format(printf, 1, 2))) int cli_error(const char *format, ...);

/* The same, followed by what to try: for unknown options and operands. */
__attribute__((format(printf, 2, 3))) int cli_misuse(const char *command, const char *format, ...);

/* The same, or "did you mean NEAREST?" if it isn't NULL. */
__attribute__((format(printf, 3, 4))) int cli_misuse_near(const char *command, const char *nearest,
							  const char *format, ...);

/* Warns of a file that is left out: the first few by name, the rest are counted. */
void cli_unreadable(const char *path, int error);
/* How many there were; says so when not all were named. */
uint64_t cli_unreadable_total(void);

/* ---- words for people ------------------------------------------------------------------------ */

enum cli_style { CLI_PLAIN, CLI_BOLD, CLI_GREEN, CLI_RED };

/* What switches a stream to that style; "" unless it is a terminal and NO_COLOR isn't set. */
const char *cli_style(FILE *stream, enum cli_style style);

/* "5,120"; "812 MiB", "9.5 MiB", "17 KiB". Returns text. */
#define CLI_WORD 32
const char *cli_thousands(uint64_t number, char text[CLI_WORD]);
const char *cli_bytes(uint64_t bytes, char text[CLI_WORD]);

/* A seed that differs from call to call. */
uint64_t cli_fresh_seed(void);

/* ---- time ------------------------------------------------------------------------------------ */

/* Seconds since some fixed moment. */
double cli_seconds(void);

/*
 * Progress on stderr, from the fifth second on: a line that is rewritten on a terminal, else one
 * line every ten seconds. All zero but for the first two to begin with.
 */
struct cli_progress {
	const char *what;
	double start; /* as cli_seconds */
	double shown;
	bool drawn; /* there is a line to end */
};

void cli_progress(void *context, uint64_t done, uint64_t total);
void cli_progress_end(struct cli_progress *progress);

/* ---- output ---------------------------------------------------------------------------------- */

/*
 * A file that is there whole or not at all: it's written to a temporary beside it, which is renamed
 * at the end. What isn't a regular file (a device, a pipe) is written directly; NULL stands for
 * stdout.
 */
struct cli_output {
	FILE *file;
	const char *name; /* as given, for messages */
	char *path;
	char *temporary; /* NULL: written directly */
};

/*
 * Returns 0, or CLI_WRONG after a line that says why. With a temporary, INT, TERM and HUP wait
 * until the end.
 */
int cli_output_open(struct cli_output *output, const char *path);
/* Ends it; failed: a write failed, with errno set. The same returns. */
int cli_output_close(struct cli_output *output, bool failed);
/* Can it be opened? For use before a long computation. The same returns; leaves nothing. */
int cli_output_try(const char *path);

/* Writes a report to a file or, NULL, to stdout, and deletes it. Returns 0, or CLI_WRONG after a line. */
int cli_json_write(cJSON *report, const char *path);

#endif
