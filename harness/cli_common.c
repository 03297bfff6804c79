/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

/* ---- complaints ------------------------------------------------------------------------------ */

static void complain(const char *format, va_list arguments)
{
	fputs("zsanity: ", stderr);
	vfprintf(stderr, format, arguments);
}

int cli_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	complain(format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	return CLI_WRONG;
}

int cli_misuse(const char *command, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	complain(format, arguments);
	va_end(arguments);
	fprintf(stderr, "; try 'zsanity%s%s --help'\n", *command ? " " : "", command);
	return CLI_WRONG;
}

int cli_wants(const char *command, const char *option, const char *what)
{
	return cli_misuse(command, "--%s wants %s, not '%s'", option, what, optarg);
}

int cli_bad_option(const char *command, int result, char **argv)
{
	const char *option = argv[optind - 1];
	char letter[] = { '-', (char)optopt, '\0' };

	if (optopt && strncmp(option, "--", 2) != 0)
		option = letter;
	if (result == ':')
		return cli_misuse(command, "option '%s' wants a value", option);
	return cli_misuse(command, "unknown option '%s'", option);
}

static uint64_t unreadable;

#define NAMED 5

void cli_unreadable(const char *path, int error)
{
	if (unreadable++ < NAMED)
		fprintf(stderr, "zsanity: left out %s: %s\n", path, strerror(error));
}

uint64_t cli_unreadable_total(void)
{
	if (unreadable > NAMED)
		fprintf(stderr, "zsanity: left out %" PRIu64 " files in all\n", unreadable);
	return unreadable;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool take_suffix(const char *text, unsigned int *shift)
{
	static const char suffixes[] = "KMG";
	const char *found = *text ? strchr(suffixes, *text) : NULL;

	*shift = found ? 10 * (unsigned int)(found - suffixes + 1) : 0;
	return !*text || (found && !text[1]);
}

bool cli_number(const char *text, uint64_t most, bool suffixes, uint64_t *number)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	const char *c = text;

	for (; *c >= '0' && *c <= '9'; c++) {
		uint64_t digit = (uint64_t)(*c - '0');

		if (value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	if (c == text || (suffixes ? !take_suffix(c, &shift) : *c) || value > most >> shift)
		return false;
	*number = value << shift;
	return true;
}

bool cli_preset(const char *text, enum zs_preset *preset)
{
	static const char *const names[] = {
		[ZS_NATIVE] = "native",
		[ZS_KERNEL_6_1] = "kernel-6.1",
		[ZS_KERNEL_6_12] = "kernel-6.12",
		[ZS_TINY] = "tiny",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(text, names[i])) {
			*preset = (enum zs_preset)i;
			return true;
		}
	}
	return false;
}

/* Short enough to be typed again. */
uint64_t cli_fresh_seed(void)
{
	uint32_t seed;

	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = (uint32_t)time(NULL);
	return seed;
}

/* ---- progress -------------------------------------------------------------------------------- */

double cli_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void cli_progress(void *context, uint64_t done, uint64_t total)
{
	struct cli_progress *progress = context;
	double now = cli_seconds(), elapsed = now - progress->start, pause = now - progress->shown;
	bool terminal;

	if (elapsed < 5 || pause < 0.2 || !done || done == total)
		return;
	terminal = isatty(STDERR_FILENO);
	if (!terminal && pause < 10)
		return;
	progress->shown = now;
	fprintf(stderr, "%s%s: %.0f %%, %.0f s left%s", terminal ? "\r" : "", progress->what,
		100.0 * (double)done / (double)total,
		elapsed * (double)(total - done) / (double)done, terminal ? "   " : "\n");
	progress->drawn = terminal;
}

void cli_progress_end(struct cli_progress *progress)
{
	if (progress->drawn)
		fputs("\r\033[K", stderr);
	progress->drawn = false;
}
