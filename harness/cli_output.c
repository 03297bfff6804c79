/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

/* A kill must not leave the temporary behind; what can be held back, waits. */
static void hold_signals(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(how, &set, NULL);
}

static bool is_replaceable(const char *path)
{
	struct stat found;

	return stat(path, &found) || S_ISREG(found.st_mode);
}

/* The file that a link names, so that it isn't the link that is replaced. */
static char *final_path(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : strdup(path);
}

static FILE *open_temporary(struct cli_output *output)
{
	size_t room = strlen(output->path) + sizeof(".XXXXXX");
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	output->temporary = malloc(room);
	if (!output->temporary)
		return NULL;
	hold_signals(SIG_BLOCK);
	snprintf(output->temporary, room, "%s.XXXXXX", output->path);
	fd = mkstemp(output->temporary);
	if (fd < 0) {
		free(output->temporary);
		output->temporary = NULL;
		return NULL;
	}
	return fchmod(fd, 0666 & ~mask) ? NULL : fdopen(fd, "w");
}

int cli_output_open(struct cli_output *output, const char *path)
{
	*output = (struct cli_output){ .file = stdout, .name = path ? path : "stdout" };
	if (!path)
		return 0;
	output->path = final_path(path);
	if (output->path && !is_replaceable(path))
		output->file = fopen(path, "w");
	else if (output->path)
		output->file = open_temporary(output);
	else
		output->file = NULL;
	return output->file ? 0 : cli_output_close(output, true);
}

static bool finish(struct cli_output *output)
{
	if (fflush(output->file) || ferror(output->file))
		return false;
	if (!output->temporary)
		return true;
	if (fsync(fileno(output->file)) || rename(output->temporary, output->path))
		return false;
	free(output->temporary);
	output->temporary = NULL;
	return true;
}

/* Frees what there is, and the temporary if it's still there. */
static void discard(struct cli_output *output)
{
	if (output->temporary)
		unlink(output->temporary);
	if (output->file && output->file != stdout)
		fclose(output->file);
	free(output->temporary);
	free(output->path);
	*output = (struct cli_output){ .file = NULL };
	hold_signals(SIG_UNBLOCK);
}

int cli_output_close(struct cli_output *output, bool failed)
{
	bool done = !failed && finish(output);

	if (!done)
		cli_error("%s: %s%s", output->name, strerror(errno),
			  output->temporary ? "; nothing was written" : "");
	discard(output);
	return done ? 0 : CLI_WRONG;
}

int cli_output_try(const char *path)
{
	struct cli_output output;
	struct stat found;

	if (!stat(path, &found) && S_ISDIR(found.st_mode))
		return cli_error("%s: %s", path, strerror(EISDIR));
	/* Opening and closing a pipe would be an end of file to its reader. */
	if (!is_replaceable(path))
		return access(path, W_OK) ? cli_error("%s: %s", path, strerror(errno)) : 0;
	if (cli_output_open(&output, path))
		return CLI_WRONG;
	discard(&output);
	return 0;
}

int cli_json_write(cJSON *report, const char *path)
{
	char *text = cJSON_Print(report);
	struct cli_output output;
	int status = CLI_WRONG;

	cJSON_Delete(report);
	if (!text)
		return cli_error("out of memory");
	if (!cli_output_open(&output, path))
		status = cli_output_close(&output, fprintf(output.file, "%s\n", text) < 0);
	free(text);
	return status;
}
