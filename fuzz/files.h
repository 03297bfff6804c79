/* SPDX-License-Identifier: BSD-3-Clause */
/* files - gives files to a fuzz target, without any engine. */
#ifndef FILES_H
#define FILES_H

/*
 * Runs the target once on each file named and each file in a folder named, in order of name, and
 * says each one's name on stderr first. README.md is left out. The list of paths ends with NULL.
 * Returns 0, or 2 when one can't be read.
 */
int files_run(char **paths);

#endif
