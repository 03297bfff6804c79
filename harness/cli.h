/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cli - what the subcommands of `zsanity` share.
 *
 * Each returns the exit status: 0 as expected, 1 a property failed, 2 wrong use or something
 * missing, with one line on stderr that says what.
 */
#ifndef CLI_H
#define CLI_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "zs.h"

enum { CLI_RIGHT, CLI_FAILED, CLI_WRONG };

int cli_run(int argc, char **argv);
int cli_replay(int argc, char **argv);
int cli_capture(int argc, char **argv);

/* Prints "zsanity: ..." to stderr. Returns CLI_WRONG. */
__attribute__((format(printf, 1, 2))) int cli_error(const char *format, ...);

/* The same, followed by what to try: for unknown options and operands. */
__attribute__((format(printf, 2, 3))) int cli_misuse(const char *command, const char *format, ...);

/* The same for an option's value, optarg: "--seed wants a number, not 'x'". */
int cli_wants(const char *command, const char *option, const char *what);

/* After getopt_long returned ':' or '?'; its short options must begin with ":". */
int cli_bad_option(const char *command, int result, char **argv);

/* Warns of a file that is left out: the first few by name, the rest are counted. */
void cli_unreadable(const char *path, int error);
/* How many there were; says so when not all were named. */
uint64_t cli_unreadable_total(void);

/*
 * A number in decimal, with a suffix K, M or G (powers of 1024) if suffixes. False: it isn't one.
 */
bool cli_number(const char *text, uint64_t most, bool suffixes, uint64_t *number);

/* "native", "kernel-6.1", "kernel-6.12" or "tiny". */
bool cli_preset(const char *text, enum zs_preset *preset);

/* A seed that differs from call to call. */
uint64_t cli_fresh_seed(void);

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

#endif
