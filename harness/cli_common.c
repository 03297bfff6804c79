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
	fprintf(stderr, "%szsanity:%s ", cli_style(stderr, CLI_RED), cli_style(stderr, CLI_PLAIN));
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

static int misuse(const char *command, const char *nearest, const char *format, va_list arguments)
{
	complain(format, arguments);
	if (nearest)
		fprintf(stderr, "; did you mean %s?\n", nearest);
	else
		fprintf(stderr, "; try 'zsanity%s%s --help'\n", *command ? " " : "", command);
	return CLI_WRONG;
}

int cli_misuse(const char *command, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	misuse(command, NULL, format, arguments);
	va_end(arguments);
	return CLI_WRONG;
}

int cli_misuse_near(const char *command, const char *nearest, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	misuse(command, nearest, format, arguments);
	va_end(arguments);
	return CLI_WRONG;
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

/* ---- words for people ------------------------------------------------------------------------ */

const char *cli_style(FILE *stream, enum cli_style style)
{
	static const char *const codes[] = {
		[CLI_PLAIN] = "\033[0m",
		[CLI_BOLD] = "\033[1m",
		[CLI_GREEN] = "\033[32m",
		[CLI_RED] = "\033[31m",
	};
	const char *off = getenv("NO_COLOR");

	return (!off || !*off) && isatty(fileno(stream)) ? codes[style] : "";
}

const char *cli_thousands(uint64_t number, char text[CLI_WORD])
{
	char digits[CLI_WORD];
	size_t count = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, number), used = 0;

	for (size_t i = 0; i < count; i++) {
		if (i && (count - i) % 3 == 0)
			text[used++] = ',';
		text[used++] = digits[i];
	}
	text[used] = '\0';
	return text;
}

const char *cli_bytes(uint64_t bytes, char text[CLI_WORD])
{
	double mib = (double)bytes / (1 << 20);

	if (mib < 1)
		snprintf(text, CLI_WORD, "%.0f KiB", mib * 1024);
	else
		snprintf(text, CLI_WORD, "%.*f MiB", mib < 10, mib);
	return text;
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
