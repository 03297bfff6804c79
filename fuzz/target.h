/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * target - what a fuzz target is, by the names that libFuzzer and OSS-Fuzz know.
 */
#ifndef TARGET_H
#define TARGET_H

#include <stddef.h>
#include <stdint.h>

/*
 * Before the first execution: maps the counters, or ends the program, status 2; returns 0.
 * counters.c has it.
 */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* One execution on any bytes; returns 0, or aborts after a line `oracle ID: ...` on stderr. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
