/* SPDX-License-Identifier: BSD-3-Clause */
/* input - real pages, of files or of the memory of a process. */
#ifndef INPUT_H
#define INPUT_H

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

/* Where a page comes from: the page-th of a file, or of an extent of memory. */
struct input_place {
	size_t part;
	uint64_t page;
};

struct input_reader {
	size_t page_size; /* a power of two */
	uint64_t limit;   /* most bytes read */
	/* Takes a page. Returns 0, or -1 to end the reading. */
	int (*take)(void *context, const void *page, struct input_place place);
	void (*progress)(void *context, uint64_t done, uint64_t total); /* may be NULL */
	void *context;                                                  /* of take */
	void *progress_context;
};

/*
 * Gives page after page to the reader; the last one of a file is filled up with zeros, as in the page
 * cache. What can't be read is left out, with a warning; what files grow by meanwhile, too. Returns
 * 0, or -1: take did, or memory is out.
 */
int input_read(const struct input *input, const struct input_reader *reader);

/* Pages that there will be at most. O(files). */
uint64_t input_pages(const struct input *input, size_t page_size, uint64_t limit);

#endif
