/* SPDX-License-Identifier: BSD-3-Clause */
/* fail - how a fuzz target says that a property doesn't hold. */
#ifndef FAIL_H
#define FAIL_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "oracle.h"

/*
 * By the harness's oracle functions, for fuzz_api. property as in ORACLES of oracle.h; then a
 * format, which is a literal, and its arguments. Doesn't return.
 */
#define FAIL(caller, property, format, ...)                                                \
	oracle_fail_##property(                                                            \
		&(struct oracle){ .operation = (caller)->operation, .op.code = OP_CODES }, \
		"%s: " format, (caller)->doing __VA_OPT__(, ) __VA_ARGS__)

/*
 * For what the harness has no oracle for: defines fail_NAME(format, ...), which says so under the
 * ID and doesn't return. A function for each, so that crash stacks differ.
 */
#define FAIL_DEFINE(name, id)                                                              \
	__attribute__((noinline, noreturn, format(printf, 1, 2))) static void fail_##name( \
		const char *format, ...)                                                   \
	{                                                                                  \
		va_list arguments;                                                         \
                                                                                           \
		fputs("oracle " id ": ", stderr);                                          \
		va_start(arguments, format);                                               \
		vfprintf(stderr, format, arguments);                                       \
		va_end(arguments);                                                         \
		fputc('\n', stderr);                                                       \
		abort();                                                                   \
	}

#endif
