/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <errno.h>
#include <string.h>

static const char help[] =
	"usage: zsanity COMMAND [OPTIONS]\n"
	"\n"
	"  run       make random traces and run them on the core with all oracles\n"
	"  replay    run traces from files; convert between their two forms\n"
	"  capture   make a trace from files or a process, as zram would use the allocator\n"
	"\n"
	"zsanity COMMAND --help tells more. Exit status: 0 as expected, 1 a property failed, 2 "
	"wrong use or\n"
	"something missing, which one line tells.\n";

static const struct command {
	const char *name;
	int (*main)(int argc, char **argv);
} commands[] = {
	{ "run", cli_run },
	{ "replay", cli_replay },
	{ "capture", cli_capture },
};

static int dispatch(int argc, char **argv)
{
	if (argc < 2)
		return cli_misuse("", "a command is wanted");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return fputs(help, stdout) == EOF ? CLI_WRONG : CLI_RIGHT;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].main(argc - 1, argv + 1);
	return cli_misuse("", "unknown command '%s'", argv[1]);
}

int main(int argc, char **argv)
{
	int status = dispatch(argc, argv);

	/* Whatever was wrong before has been told. */
	if (status == CLI_RIGHT && (fflush(stdout) || ferror(stdout)))
		return cli_error("stdout: %s", strerror(errno));
	return status;
}
