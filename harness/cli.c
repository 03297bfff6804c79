/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_command *const commands[] = { &cli_run,     &cli_replay, &cli_equal,
						      &cli_capture, &cli_zram,   &cli_stat };

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* Whatever may stand in a command's place. */
static const char *first_word(size_t index)
{
	static const char *const others[] = { "help", "--help", "--version", NULL };

	return index < COMMANDS ? commands[index]->name : others[index - COMMANDS];
}

static const struct cli_command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(name, commands[i]->name))
			return commands[i];
	cli_misuse_near("", cli_nearest(name, first_word), "unknown command '%s'", name);
	return NULL;
}

static int list_commands(void)
{
	puts("usage: zsanity COMMAND [OPTIONS]\n");
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %s%-9s%s %s\n", cli_style(stdout, CLI_BOLD), commands[i]->name,
		       cli_style(stdout, CLI_PLAIN), commands[i]->summary);
	cli_print_wrapped(
		"\nzsanity help COMMAND tells more, zsanity --version which one this is. Exit "
		"status: 0 as expected, 1 a property failed, 2 wrong use or something missing, "
		"which one line tells.\n\n"
		"  zsanity run --sequences 100\n"
		"  zsanity zram --files /usr/lib --limit 200M --compact\n",
		0);
	return CLI_RIGHT;
}

static int help(const char *name)
{
	const struct cli_command *command = name ? find_command(name) : NULL;

	if (!name)
		return list_commands();
	if (!command)
		return CLI_WRONG;
	cli_help(command);
	return CLI_RIGHT;
}

static int start(const struct cli_command *command, int argc, char **argv)
{
	struct cli_arguments arguments;
	int status;

	if (!cli_parse(command, argc, argv, &arguments, &status))
		return status;
	if (arguments.json_file && cli_output_try(arguments.json_file))
		status = CLI_WRONG;
	else
		status = command->main(&arguments);
	free(arguments.paths);
	return status;
}

static int dispatch(int argc, char **argv)
{
	const struct cli_command *command;

	if (argc < 2)
		return cli_misuse("", "a command is wanted");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return help(argv[2]);
	if (!strcmp(argv[1], "--version"))
		return puts("zsanity " ZSANITY_VERSION) < 0 ? CLI_WRONG : CLI_RIGHT;
	command = find_command(argv[1]);
	return command ? start(command, argc - 1, argv + 1) : CLI_WRONG;
}

/* A stream that was closed must not share its number with a file; writing to it still fails. */
static void keep_numbers(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	close(fd);
}

int main(int argc, char **argv)
{
	int status;

	keep_numbers();
	status = dispatch(argc, argv);
	/* Whatever was wrong before has been told. */
	if (status == CLI_RIGHT && (fflush(stdout) || ferror(stdout)))
		return cli_error("stdout: %s", strerror(errno));
	return status;
}
