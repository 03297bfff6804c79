/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>

#include "cli.h"
#include "cli_trace.h"
#include "generate.h"

static const struct cli_choice choices[] = {
	{ CLI_SEED, NULL, "a fresh one, which is told" },
	{ CLI_OPS, "10000", NULL },
	{ CLI_SEQUENCES, "1", NULL },
	{ CLI_GEOMETRY, NULL, "any, and odd ones, by the seed; a plug-in's own" },
	{ CLI_BACKEND, "core", NULL },
	{ CLI_FULL_EVERY, NULL, NULL },
	{ CLI_SAVE, NULL, NULL },
	{ CLI_JSON, NULL, NULL },
};

static void own_config(const struct backend *backend, struct zs_config *config)
{
	backend_preset(backend, config);
	config->max_pages = 1024;
	config->tag = 1;
}

static int make_trace(const struct cli_arguments *arguments, uint64_t seed, struct trace *trace)
{
	trace_init(trace);
	if (arguments->geometry)
		generate_config_of(cli_preset(arguments->geometry), seed, &trace->config);
	else if (arguments->allocator->preset)
		own_config(arguments->allocator, &trace->config);
	else
		generate_config(seed, &trace->config);
	if (generate_ops(trace, seed, arguments->ops))
		return cli_error("out of memory");
	return arguments->save ? cli_trace_save(trace, arguments->save) : 0;
}

static int run_one(const struct cli_arguments *arguments, uint64_t seed, struct cli_series *series)
{
	char label[100], repeat[200];
	struct trace trace;
	int status = make_trace(arguments, seed, &trace);

	snprintf(label, sizeof(label), "seed %" PRIu64 " (pages of %u)", seed,
		 trace.config.geometry.page_size);
	snprintf(repeat, sizeof(repeat),
		 "zsanity run --seed %" PRIu64 " --ops %" PRIu64
		 "%s%s --backend %s --full-every %" PRIu64,
		 seed, arguments->ops, arguments->geometry ? " --geometry " : "",
		 arguments->geometry ? arguments->geometry : "", arguments->backend,
		 arguments->full_every);
	if (!status)
		status = cli_series_add(series, &trace, label, repeat);
	trace_free(&trace);
	return status;
}

static int run(const struct cli_arguments *arguments)
{
	uint64_t seed = cli_given(arguments, CLI_SEED) ? arguments->seed : cli_fresh_seed();
	struct cli_series series = {
		.arguments = arguments,
		.each = arguments->sequences == 1,
	};
	struct cli_progress progress = { .what = "run", .start = cli_seconds() };
	int status = 0;

	if (arguments->save && arguments->sequences > 1)
		return cli_misuse("run", "--save takes one sequence");
	if (!cli_given(arguments, CLI_SEED))
		fprintf(stderr, "seed %" PRIu64 "\n", seed);
	for (uint64_t i = 0; i < arguments->sequences && !status; i++) {
		status = run_one(arguments, seed + i, &series);
		cli_progress(&progress, i + 1, arguments->sequences);
	}
	cli_progress_end(&progress);
	if (cli_series_end(&series))
		return CLI_WRONG;
	return status;
}

const struct cli_command cli_run = {
	.name = "run",
	.summary = "make random traces and run them with all oracles",
	.text = "Makes a random trace and runs it on an allocator with all oracles. "
		"Exit status 1: an oracle fired.\n",
	.examples =
		"zsanity run --sequences 1000\n"
		"zsanity run --seed 7 --ops 1000000 --geometry kernel-6.12 --save seven.trace\n",
	.choices = choices,
	.choices_count = sizeof(choices) / sizeof(choices[0]),
	.main = run,
};
