/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "cli.h"
#include "cli_trace.h"

static const struct cli_choice choices[] = {
	{ CLI_BACKEND, "core", NULL }, { CLI_FULL_EVERY, NULL, NULL }, { CLI_JSON, NULL, NULL },
	{ CLI_BYTES, NULL, NULL },     { CLI_PRINT, NULL, NULL },      { CLI_ENCODE, NULL, NULL },
};

static int encode(const struct trace *trace, const char *from, const char *to)
{
	struct cli_output output;
	const char *why;
	uint8_t *bytes;
	size_t size;
	int status;

	if (trace_encode(trace, &bytes, &size, &why))
		return cli_error("%s: no byte form: %s", from, why);
	status = cli_output_open(&output, to);
	if (!status)
		status = cli_output_close(&output, fwrite(bytes, 1, size, output.file) != size);
	free(bytes);
	return status;
}

static int convert(const struct cli_arguments *arguments, const struct file_list *list)
{
	struct trace trace;
	int status;

	if (list->count != 1)
		return cli_misuse("replay", "--print and --encode take one trace, not %zu",
				  list->count);
	status = cli_trace_load(&list->entries[0], arguments->bytes, &trace);
	if (status)
		return status;
	if (arguments->encode)
		status = encode(&trace, list->entries[0].path, arguments->encode);
	if (!status && arguments->print)
		status = cli_trace_save(&trace, NULL);
	trace_free(&trace);
	return status;
}

static int replay(const struct cli_arguments *arguments)
{
	struct cli_series series = { .arguments = arguments, .each = true };
	struct file_list list;
	int status = cli_trace_list(arguments, &list);

	if (!status && (arguments->print || arguments->encode))
		status = convert(arguments, &list);
	else if (!status)
		status = cli_series_run(&series, &list);
	file_list_free(&list);
	return status;
}

const struct cli_command cli_replay = {
	.name = "replay",
	.summary = "run traces from files; convert between their two forms",
	.operands = "FILE|FOLDER...",
	.text = "Runs traces, of either form, on an allocator with all oracles; folders in order "
		"of "
		"name, without README.md and hidden files. Exit status 1: an oracle fired.\n",
	.examples = "zsanity replay corpus/traces\n"
		    "zsanity replay --print crash-1234 > crash.trace\n"
		    "zsanity replay --encode corpus/fuzz_ops/pins corpus/traces/pins.trace\n",
	.choices = choices,
	.choices_count = sizeof(choices) / sizeof(choices[0]),
	.main = replay,
};
