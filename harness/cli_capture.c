/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "cli.h"
#include "cli_trace.h"

static const char help[] =
	"usage: zsanity capture [OPTIONS] FILE|FOLDER...\n"
	"       zsanity capture [OPTIONS] --pid N\n"
	"\n"
	"Compresses files, or the anonymous memory of a process, page by page as zram does, and "
	"writes the\n"
	"trace of stores, overwrites, frees, reads and compactions that a device would make of "
	"them.\n"
	"\n"
	"  --codec lzo|lz4|zstd   compressor (lzo)\n"
	"  --geometry PRESET      native, kernel-6.1, kernel-6.12 or tiny (kernel-6.12)\n"
	"  --limit SIZE           read at most that much, as in 50M (no limit)\n"
	"  --names N              slots of the device; a full one is overwritten (as many as "
	"wanted)\n"
	"  --compact-every N      compact after every N stores; 0: never (4096)\n"
	"  --seed N               of overwrites, frees and reads (1)\n"
	"  --output FILE          written whole or not at all (stdout)\n"
	"\n"
	"Folders are walked in order of name; links inside them aren't followed.\n"
	"\n"
	"  zsanity capture --limit 50M --output lib.trace /usr/lib && zsanity replay lib.trace\n"
	"  zsanity capture --pid $$ --codec zstd | head\n";

struct request {
	const char *codec;
	const char *output;
	enum zs_preset preset;
	uint64_t limit, names, compact_every, seed, pid;
};

static const struct option long_options[] = {
	{ "codec", required_argument, NULL, 'c' },
	{ "geometry", required_argument, NULL, 'g' },
	{ "limit", required_argument, NULL, 'l' },
	{ "names", required_argument, NULL, 'n' },
	{ "compact-every", required_argument, NULL, 'e' },
	{ "seed", required_argument, NULL, 's' },
	{ "output", required_argument, NULL, 'o' },
	{ "pid", required_argument, NULL, 'p' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int take_option(struct request *request, int option)
{
	switch (option) {
	case 'c':
		request->codec = optarg;
		return 0;
	case 'o':
		request->output = optarg;
		return 0;
	case 'g':
		return cli_preset(optarg, &request->preset)
			       ? 0
			       : cli_wants("capture", "geometry", "a preset");
	case 'l':
		return cli_number(optarg, UINT64_MAX, true, &request->limit) && request->limit
			       ? 0
			       : cli_wants("capture", "limit", "a size such as 50M");
	case 'n':
		return cli_number(optarg, TRACE_NAMES, false, &request->names) && request->names
			       ? 0
			       : cli_wants("capture", "names", "1 .. 67108864");
	case 'e':
		return cli_number(optarg, UINT32_MAX, false, &request->compact_every)
			       ? 0
			       : cli_wants("capture", "compact-every", "a number");
	case 's':
		return cli_number(optarg, UINT64_MAX, false, &request->seed)
			       ? 0
			       : cli_wants("capture", "seed", "a number");
	case 'p':
		return cli_number(optarg, INT32_MAX, false, &request->pid) && request->pid
			       ? 0
			       : cli_wants("capture", "pid", "a process number");
	default:
		return CLI_WRONG;
	}
}

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

static int capture_input(const struct request *request, const struct input *input,
			 struct codec *codec)
{
	struct cli_progress progress = { .what = "capture", .start = cli_seconds() };
	struct capture_options options = {
		.codec = codec,
		.limit = request->limit,
		.seed = request->seed,
		.names = (uint32_t)request->names,
		.compact_every = (uint32_t)request->compact_every,
		.progress = cli_progress,
		.context = &progress,
	};
	struct capture_summary summary;
	struct trace trace;
	const char *why;
	int status;

	trace_init(&trace);
	zs_geometry_init(&trace.config.geometry, request->preset);
	status = capture(&trace, input, &options, &summary, &why);
	cli_progress_end(&progress);
	if (status) {
		trace_free(&trace);
		return cli_error("%s", why);
	}
	status = cli_trace_save(&trace, request->output);
	if (!status)
		summarize(&summary, &trace);
	trace_free(&trace);
	return status;
}

static int with_codec(const struct request *request, const struct input *input)
{
	struct codec *codec = codec_open(request->codec, 65536);
	int status;

	if (!codec && errno == EINVAL)
		return cli_misuse("capture", "--codec wants lzo, lz4 or zstd, not '%s'",
				  request->codec);
	if (!codec)
		return cli_error("out of memory");
	status = capture_input(request, input, codec);
	codec_close(codec);
	return status;
}

static int capture_process(const struct request *request)
{
	struct input input;
	int status;

	if (input_process(&input, (long)request->pid))
		return cli_error("process %" PRIu64 ": %s", request->pid,
				 errno == ENOENT ? "no such process" : strerror(errno));
	status = with_codec(request, &input);
	input_close(&input);
	return status;
}

static int capture_files(const struct request *request, int count, char **paths)
{
	struct file_list list = { .entries = NULL };
	struct input input;
	int status = 0;

	for (int i = 0; i < count && !status; i++)
		status = file_list_add(&list, paths[i]);
	input_files(&input, &list);
	if (!status)
		status = with_codec(request, &input);
	file_list_free(&list);
	return status;
}

int cli_capture(int argc, char **argv)
{
	struct request request = {
		.codec = "lzo",
		.preset = ZS_KERNEL_6_12,
		.limit = UINT64_MAX,
		.names = TRACE_NAMES,
		.compact_every = 4096,
		.seed = 1,
	};
	int option;

	while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		if (option == 'h')
			return fputs(help, stdout) == EOF ? CLI_WRONG : CLI_RIGHT;
		if (option == ':' || option == '?')
			return cli_bad_option("capture", option, argv);
		if (take_option(&request, option))
			return CLI_WRONG;
	}
	if (request.pid ? optind < argc : optind == argc)
		return cli_misuse("capture", "files or folders, or a process, are wanted");
	if (request.output && cli_output_try(request.output))
		return CLI_WRONG;
	if (request.pid)
		return capture_process(&request);
	return capture_files(&request, argc - optind, argv + optind);
}
