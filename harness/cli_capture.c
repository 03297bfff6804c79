/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "cli.h"
#include "cli_trace.h"

static const struct cli_choice choices[] = {
	{ CLI_FILES, NULL, NULL },           { CLI_PID, NULL, NULL },
	{ CLI_CODEC, "lzo", NULL },          { CLI_GEOMETRY, "kernel-6.12", NULL },
	{ CLI_LIMIT, NULL, "no limit" },     { CLI_NAMES, NULL, "as many as wanted" },
	{ CLI_COMPACT_EVERY, "4096", NULL }, { CLI_SEED, "1", NULL },
	{ CLI_OUTPUT, NULL, "stdout" },
};

static void summarize(const struct capture_summary *summary, const struct trace *trace)
{
	uint64_t compressed = summary->pages - summary->same_filled - summary->incompressible;

	fprintf(stderr,
		"%" PRIu64 " pages, %" PRIu64 " same-filled, %" PRIu64
		" compressed to %.0f bytes on average, %" PRIu64
		" incompressible, %zu operations\n",
		summary->pages, summary->same_filled, compressed,
		compressed ? (double)summary->compressed_bytes / (double)compressed : 0.0,
		summary->incompressible, trace->count);
	cli_unreadable_total();
}

static int capture_input(const struct cli_arguments *arguments, const struct input *input,
			 struct codec *codec)
{
	struct cli_progress progress = { .what = "capture", .start = cli_seconds() };
	struct capture_options options = {
		.codec = codec,
		.limit = arguments->limit ? arguments->limit : UINT64_MAX,
		.seed = arguments->seed,
		.names = arguments->names ? (uint32_t)arguments->names : TRACE_NAMES,
		.compact_every = (uint32_t)arguments->compact_every,
		.progress = cli_progress,
		.context = &progress,
	};
	struct capture_summary summary;
	struct trace trace;
	const char *why;
	int status;

	trace_init(&trace);
	zs_geometry_init(&trace.config.geometry, cli_preset(arguments->geometry));
	status = capture(&trace, input, &options, &summary, &why);
	cli_progress_end(&progress);
	if (status) {
		trace_free(&trace);
		return cli_error("%s", why);
	}
	status = cli_trace_save(&trace, arguments->output);
	if (!status)
		summarize(&summary, &trace);
	trace_free(&trace);
	return status;
}

static int with_codec(const struct cli_arguments *arguments, const struct input *input)
{
	struct codec *codec = codec_open(arguments->codec, 65536);
	int status;

	if (!codec)
		return cli_error("out of memory");
	status = capture_input(arguments, input, codec);
	codec_close(codec);
	return status;
}

static int capture_process(const struct cli_arguments *arguments)
{
	struct input input;
	int status;

	if (input_process(&input, (long)arguments->pid))
		return cli_error("process %" PRIu64 ": %s", arguments->pid,
				 errno == ENOENT ? "no such process" : strerror(errno));
	status = with_codec(arguments, &input);
	input_close(&input);
	return status;
}

static int capture_files(const struct cli_arguments *arguments)
{
	struct file_list list;
	struct input input;
	int status = file_list_make(&list, arguments->paths, arguments->paths_count);

	input_files(&input, &list);
	if (!status)
		status = with_codec(arguments, &input);
	file_list_free(&list);
	return status;
}

static int run(const struct cli_arguments *arguments)
{
	if (!arguments->pid == !arguments->paths_count)
		return cli_misuse("capture", "files or folders, or a process, are wanted");
	if (arguments->output && cli_output_try(arguments->output))
		return CLI_WRONG;
	return arguments->pid ? capture_process(arguments) : capture_files(arguments);
}

const struct cli_command cli_capture = {
	.name = "capture",
	.summary = "make a trace from files or a process, as zram would use the allocator",
	.operands = "FILE|FOLDER... | --pid N",
	.text = "Compresses files, or the anonymous memory of a process, page by page as zram "
		"does, and "
		"writes the trace of stores, overwrites, frees, reads and compactions that a "
		"device "
		"would make of them.\n\n"
		"Folders are walked in order of name; links inside them aren't followed.\n",
	.examples = "zsanity capture --limit 50M --output lib.trace /usr/lib && zsanity replay "
		    "lib.trace\n"
		    "zsanity capture --pid $$ --codec zstd | head\n",
	.choices = choices,
	.choices_count = sizeof(choices) / sizeof(choices[0]),
	.main = run,
};
