/* SPDX-License-Identifier: GPL-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

unsigned int shim_held;

static void tell(void *context, const char *text)
{
	(void)context;
	fprintf(stderr, "%s\n", text);
}

static void (*failure)(void *context, const char *text) = tell;
static void *failure_context;

void shim_set_failure(void (*to)(void *context, const char *text), void *context)
{
	failure = to ? to : tell;
	failure_context = context;
}

/* "mm/zsmalloc.c" of a longer path. */
static const char *short_path(const char *path)
{
	const char *end = path + strlen(path), *slash = end;

	for (int parts = 0; slash > path && parts < 2; parts += *slash == '/')
		slash--;
	return *slash == '/' ? slash + 1 : slash;
}

void shim_fail(const char *where, int line, const char *format, ...)
{
	char text[300];
	va_list arguments;
	int used;

	va_start(arguments, format);
	used = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	while (used > 0 && used < (int)sizeof(text) && text[used - 1] == '\n')
		used--;
	if (used >= 0 && used < (int)sizeof(text))
		snprintf(text + used, sizeof(text) - (size_t)used, " at %s:%d", short_path(where),
			 line);
	failure(failure_context, text);
	abort();
}
