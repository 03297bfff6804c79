/* SPDX-License-Identifier: BSD-3-Clause */
/* cli_trace - traces from files, traces run with all oracles, and what is said about it. */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli.h"
#include "cli_classes.h"
#include "cli_files.h"
#include "ops.h"

/*
 * Reads a trace of either form. Text that isn't a trace is refused unless bytes is set, since any
 * bytes would do for the byte form. Returns 0, or CLI_WRONG after a line that says why.
 */
int cli_trace_load(const struct file_entry *entry, bool bytes, struct trace *trace);

/*
 * The traces that the operands name: a file as it is, of a folder what isn't hidden or a README.md.
 * Returns 0, or CLI_WRONG after a line; file_list_free is due either way.
 */
int cli_trace_list(const struct cli_arguments *arguments, struct file_list *list);

/* Writes the text form to a file or, NULL, to stdout. Returns 0, or CLI_WRONG after a line. */
int cli_trace_save(const struct trace *trace, const char *path);

struct cli_tally {
	uint64_t traces;
	uint64_t operations;
	uint64_t failures;
	uint64_t full_checks;
	uint64_t pages;
	uint64_t pages_peak;
	uint64_t moves;
	double seconds;
};

/* A series of replays. Set the first three, the rest 0. */
struct cli_series {
	const struct cli_arguments
		*arguments;          /* their backend, full_every, bytes, json, json_file */
	bool each;                   /* a line for each trace, not only for all */
	struct class_table *classes; /* read and told after each trace; NULL: not wanted */
	const char *label;           /* of the current trace */
	const char *repeat;          /* how to get the current trace again */
	struct cli_tally all;
	cJSON *results;
};

/*
 * Replays a trace. Returns 0, or CLI_WRONG after a line. Does not return when an oracle fires: says
 * where and how to repeat it, and exits with CLI_FAILED.
 */
int cli_series_add(struct cli_series *series, const struct trace *trace, const char *label,
		   const char *repeat);

/* Prints the totals, or all as JSON. Returns 0, or CLI_WRONG after a line. */
int cli_series_end(struct cli_series *series);

/* Replays all of a list, then ends. The same returns. */
int cli_series_run(struct cli_series *series, const struct file_list *list);

#endif
