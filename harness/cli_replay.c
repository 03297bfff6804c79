/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_trace.h"

static const char help[] =
	"usage: zsanity replay [OPTIONS] FILE|FOLDER...\n"
	"\n"
	"Runs traces, of either form, on the core with all oracles; folders in order of name, "
	"without\n"
	"README.md and hidden files. Exit status 1: an oracle fired.\n"
	"\n"
	"  --full-every N   compare everything every N operations, not only after compactions, at "
	"a\n"
	"                   check and at the end\n"
	"  --json           report as JSON\n"
	"  --bytes          take files as the byte form, whatever they look like\n"
	"  --print          print the text form of one trace, don't run it\n"
	"  --encode FILE    write the byte form of one trace, don't run it\n"
	"\n"
	"  zsanity replay corpus/traces\n"
	"  zsanity replay --print crash-1234 > crash.trace\n"
	"  zsanity replay --encode corpus/fuzz_ops/pins corpus/traces/pins.trace\n";

struct request {
	uint64_t full_every;
	bool json, bytes, print;
	const char *encode;
};

static const struct option long_options[] = {
	{ "full-every", required_argument, NULL, 'f' },
	{ "json", no_argument, NULL, 'j' },
	{ "bytes", no_argument, NULL, 'b' },
	{ "print", no_argument, NULL, 'p' },
	{ "encode", required_argument, NULL, 'e' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int take_option(struct request *request, int option)
{
	switch (option) {
	case 'f':
		if (cli_number(optarg, UINT32_MAX, false, &request->full_every))
			return 0;
		return cli_wants("replay", "full-every", "a number");
	case 'j':
		request->json = true;
		return 0;
	case 'b':
		request->bytes = true;
		return 0;
	case 'p':
		request->print = true;
		return 0;
	case 'e':
		request->encode = optarg;
		return 0;
	default:
		return CLI_WRONG;
	}
}

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

static bool is_hidden(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return name[0] == '.' || !strcmp(name, "README.md");
}

static int replay_list(const struct request *request, const struct file_list *list)
{
	struct cli_series series = {
		.command = "replay",
		.full_every = (uint32_t)request->full_every,
		.json = request->json,
		.each = true,
	};
	int status = 0;

	for (size_t i = 0; i < list->count && !status; i++) {
		const struct file_entry *entry = &list->entries[i];
		char repeat[4200];
		struct trace trace;

		status = cli_trace_load(entry, request->bytes, &trace);
		if (status)
			break;
		snprintf(repeat, sizeof(repeat), "zsanity replay %s'%s'",
			 request->bytes ? "--bytes " : "", entry->path);
		status = cli_series_add(&series, &trace, entry->path, repeat);
		trace_free(&trace);
	}
	if (cli_series_end(&series))
		return CLI_WRONG;
	return status;
}

static int convert(const struct request *request, const struct file_list *list)
{
	struct trace trace;
	int status;

	if (list->count != 1)
		return cli_misuse("replay", "--print and --encode take one trace, not %zu",
				  list->count);
	status = cli_trace_load(&list->entries[0], request->bytes, &trace);
	if (status)
		return status;
	if (request->encode)
		status = encode(&trace, list->entries[0].path, request->encode);
	if (!status && request->print)
		status = cli_trace_save(&trace, NULL);
	trace_free(&trace);
	return status;
}

/* A file named is taken as it is; in folders, what isn't meant is left out. */
static int add_path(struct file_list *list, const char *path)
{
	size_t first = list->count, kept = first;
	int status = file_list_add(list, path);

	for (size_t i = first; i < list->count; i++) {
		if (strcmp(list->entries[i].path, path) != 0 && is_hidden(list->entries[i].path))
			free(list->entries[i].path);
		else
			list->entries[kept++] = list->entries[i];
	}
	if (!status && kept == first)
		status = cli_error("%s: no traces in it", path);
	list->count = kept;
	return status;
}

int cli_replay(int argc, char **argv)
{
	struct request request = { .full_every = 0 };
	struct file_list list = { .entries = NULL };
	int option, status = 0;

	while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		if (option == 'h')
			return fputs(help, stdout) == EOF ? CLI_WRONG : CLI_RIGHT;
		if (option == ':' || option == '?')
			return cli_bad_option("replay", option, argv);
		if (take_option(&request, option))
			return CLI_WRONG;
	}
	if (optind == argc)
		return cli_misuse("replay", "traces are wanted");
	for (int i = optind; i < argc && !status; i++)
		status = add_path(&list, argv[i]);
	if (!status && (request.print || request.encode))
		status = convert(&request, &list);
	else if (!status)
		status = replay_list(&request, &list);
	file_list_free(&list);
	return status;
}
