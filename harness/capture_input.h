/* SPDX-License-Identifier: BSD-3-Clause */
/* capture_input - the bytes that a capture is made of: files, or the memory of a process. */
#ifndef CAPTURE_INPUT_H
#define CAPTURE_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "cli_files.h"

struct extent {
	uint64_t start;
	uint64_t size;
};

struct input {
	const struct file_list *files; /* NULL: a process */
	struct extent *extents;        /* of the process's memory */
	size_t count;
	size_t room;
	int memory;     /* /proc/PID/mem */
	uint64_t total; /* bytes */
};

/* The files of a list, which stays the caller's. */
void input_files(struct input *input, const struct file_list *files);

/*
 * The anonymous memory of a process, which is what a system would put in zram: readable private
 * mappings, pages present or swapped out, no file's. Returns 0, or -1 with errno set. The process
 * isn't stopped.
 */
int input_process(struct input *input, long pid);

void input_close(struct input *input);

struct sink {
	/* Takes bytes. Returns 0 to go on, 1 to be given no more, -1 to fail. */
	int (*bytes)(void *context, const void *data, size_t size);
	/* A file or extent ends here. Returns the same. */
	int (*end)(void *context);
	void *context;
};

/*
 * Gives everything to the sink. What can't be read is left out, with a warning. Returns 0, or the
 * sink's -1.
 */
int input_read(const struct input *input, const struct sink *sink);

#endif
