/* SPDX-License-Identifier: BSD-3-Clause */
/* fail - how fuzz_api says that a property doesn't hold: by the harness's oracle functions. */
#ifndef FAIL_H
#define FAIL_H

#include "oracle.h"

/*
 * property as in ORACLES of oracle.h; then a format, which is a literal, and its arguments. Doesn't
 * return.
 */
#define FAIL(caller, property, format, ...)                                                \
	oracle_fail_##property(                                                            \
		&(struct oracle){ .operation = (caller)->operation, .op.code = OP_CODES }, \
		"%s: " format, (caller)->doing __VA_OPT__(, ) __VA_ARGS__)

#endif
