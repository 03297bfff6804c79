/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdlib.h>

#include "cli.h"
#include "cli_trace.h"
#include "generate.h"

static const char help[] =
	"usage: zsanity run [OPTIONS]\n"
	"\n"
	"Makes a random trace and runs it on the core with all oracles. Exit status 1: an oracle "
	"fired.\n"
	"\n"
	"  --seed N            the same seed and options make the same trace (a fresh one, which "
	"is told)\n"
	"  --ops N             operations of a trace (10000)\n"
	"  --sequences N       that many traces, of seeds N, N + 1, ... (1)\n"
	"  --geometry PRESET   native, kernel-6.1, kernel-6.12 or tiny (any, and odd ones, by the "
	"seed)\n"
	"  --full-every N      compare everything every N operations as well\n"
	"  --save FILE         write the trace too, before it runs\n"
	"  --json              report as JSON\n"
	"\n"
	"  zsanity run --sequences 1000\n"
	"  zsanity run --seed 7 --ops 1000000 --geometry kernel-6.12 --save seven.trace\n";

struct request {
	uint64_t seed, ops, sequences, full_every;
	const char *geometry; /* NULL: by the seed */
	enum zs_preset preset;
	const char *save;
	bool seeded, json;
};

static const struct option long_options[] = {
	{ "seed", required_argument, NULL, 's' },
	{ "ops", required_argument, NULL, 'o' },
	{ "sequences", required_argument, NULL, 'n' },
	{ "geometry", required_argument, NULL, 'g' },
	{ "full-every", required_argument, NULL, 'f' },
	{ "save", required_argument, NULL, 'w' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int take_option(struct request *request, int option)
{
	switch (option) {
	case 's':
		request->seeded = true;
		return cli_number(optarg, UINT64_MAX, false, &request->seed)
			       ? 0
			       : cli_wants("run", "seed", "a number");
	case 'o':
		return cli_number(optarg, UINT32_MAX, false, &request->ops)
			       ? 0
			       : cli_wants("run", "ops", "a number");
	case 'n':
		return cli_number(optarg, UINT32_MAX, false, &request->sequences) &&
				       request->sequences
			       ? 0
			       : cli_wants("run", "sequences", "a number above 0");
	case 'g':
		request->geometry = optarg;
		return cli_preset(optarg, &request->preset)
			       ? 0
			       : cli_wants("run", "geometry", "a preset");
	case 'f':
		return cli_number(optarg, UINT32_MAX, false, &request->full_every)
			       ? 0
			       : cli_wants("run", "full-every", "a number");
	case 'w':
		request->save = optarg;
		return 0;
	case 'j':
		request->json = true;
		return 0;
	default:
		return CLI_WRONG;
	}
}

static int make_trace(const struct request *request, uint64_t seed, struct trace *trace)
{
	trace_init(trace);
	if (request->geometry)
		generate_config_of(request->preset, seed, &trace->config);
	else
		generate_config(seed, &trace->config);
	if (generate_ops(trace, seed, request->ops))
		return cli_error("out of memory");
	return request->save ? cli_trace_save(trace, request->save) : 0;
}

static int run_one(const struct request *request, uint64_t seed, struct cli_series *series)
{
	char label[100], repeat[200];
	struct trace trace;
	int status = make_trace(request, seed, &trace);

	snprintf(label, sizeof(label), "seed %" PRIu64 " (pages of %u)", seed,
		 trace.config.geometry.page_size);
	snprintf(repeat, sizeof(repeat),
		 "zsanity run --seed %" PRIu64 " --ops %" PRIu64 "%s%s --full-every %" PRIu64, seed,
		 request->ops, request->geometry ? " --geometry " : "",
		 request->geometry ? request->geometry : "", request->full_every);
	if (!status)
		status = cli_series_add(series, &trace, label, repeat);
	trace_free(&trace);
	return status;
}

static int run_all(const struct request *request)
{
	struct cli_series series = {
		.command = "run",
		.full_every = (uint32_t)request->full_every,
		.json = request->json,
		.each = request->sequences == 1,
	};
	struct cli_progress progress = { .what = "run", .start = cli_seconds() };
	int status = 0;

	if (!request->seeded)
		fprintf(stderr, "seed %" PRIu64 "\n", request->seed);
	for (uint64_t i = 0; i < request->sequences && !status; i++) {
		status = run_one(request, request->seed + i, &series);
		cli_progress(&progress, i + 1, request->sequences);
	}
	cli_progress_end(&progress);
	if (cli_series_end(&series))
		return CLI_WRONG;
	return status;
}

int cli_run(int argc, char **argv)
{
	struct request request = { .seed = cli_fresh_seed(), .ops = 10000, .sequences = 1 };
	int option;

	while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		if (option == 'h')
			return fputs(help, stdout) == EOF ? CLI_WRONG : CLI_RIGHT;
		if (option == ':' || option == '?')
			return cli_bad_option("run", option, argv);
		if (take_option(&request, option))
			return CLI_WRONG;
	}
	if (optind < argc)
		return cli_misuse("run", "unknown operand '%s'", argv[optind]);
	if (request.save && request.sequences > 1)
		return cli_misuse("run", "--save takes one sequence");
	return run_all(&request);
}
