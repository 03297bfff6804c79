/* SPDX-License-Identifier: BSD-3-Clause */
/* cli_files - files and folders named on the command line, as one list of regular files. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include <stddef.h>
#include <stdint.h>

struct file_entry {
	char *path;
	uint64_t size;
};

struct file_list {
	struct file_entry *entries;
	size_t count;
	size_t room;
};

/*
 * Adds a file, or every regular file under a folder, in order of name. Links are followed when they
 * are named here, not inside a folder; other file systems aren't entered. Returns 0, or CLI_WRONG
 * after a line that says why: nothing of that name, or neither file nor folder. What can't be read
 * inside a folder is a warning.
 */
int file_list_add(struct file_list *list, const char *path);

/* A new list of all of these. The same returns; file_list_free is due either way. */
int file_list_make(struct file_list *list, const char *const *paths, size_t count);

void file_list_free(struct file_list *list);

#endif
