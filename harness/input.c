/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "cli.h"

#define CHUNK ((size_t)256 * 1024)

void input_files(struct input *input, const struct file_list *files)
{
	*input = (struct input){ .files = files, .memory = -1 };
	for (size_t i = 0; i < files->count; i++)
		input->total += files->entries[i].size;
}

void input_close(struct input *input)
{
	free(input->extents);
	if (input->memory >= 0)
		close(input->memory);
}

/* ---- which memory ---------------------------------------------------------------------------- */

/* Bits of a /proc/PID/pagemap entry. */
#define PAGEMAP_FILE (1ull << 61)
#define PAGEMAP_SWAPPED (1ull << 62)
#define PAGEMAP_PRESENT (1ull << 63)

static bool is_anonymous(uint64_t entry)
{
	return entry & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED) && !(entry & PAGEMAP_FILE);
}

/* Adds a page, to the last extent where it touches it. */
static int extents_add(struct input *input, uint64_t start, uint64_t size)
{
	input->total += size;
	if (input->count) {
		struct extent *last = &input->extents[input->count - 1];

		if (last->start + last->size == start) {
			last->size += size;
			return 0;
		}
	}
	if (array_reserve(&input->extents, input->count + 1, &input->room, sizeof(struct extent)))
		return -1;
	input->extents[input->count++] = (struct extent){ start, size };
	return 0;
}

/* A mapping of untouched address space may be huge, so its entries come by the thousand. */
static int add_mapping(struct input *input, int pagemap, uint64_t start, uint64_t end)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t entries[4096];

	while (start < end) {
		uint64_t left = (end - start) / page;
		size_t wanted = left < 4096 ? left : 4096;
		ssize_t got = pread(pagemap, entries, wanted * 8, (off_t)(start / page * 8));

		if (got < 8)
			return got < 0 ? -1 : 0;
		for (size_t i = 0; i < (size_t)got / 8; i++)
			if (is_anonymous(entries[i]) && extents_add(input, start + i * page, page))
				return -1;
		start += (uint64_t)got / 8 * page;
	}
	return 0;
}

/*
 * "START-END rwxp ...", numbers in hexadecimal. The kernel's own pages ([vdso] and such) are no
 * memory.
 */
static bool parse_mapping(const char *line, uint64_t *start, uint64_t *end)
{
	char *at;

	*start = strtoull(line, &at, 16);
	if (*at != '-')
		return false;
	*end = strtoull(at + 1, &at, 16);
	return strlen(at) > 5 && at[1] == 'r' && at[4] == 'p' && !strstr(at, "[v");
}

static int add_mappings(struct input *input, FILE *maps, int pagemap)
{
	char line[512];
	bool whole = true; /* a long path makes a line come in pieces */

	while (fgets(line, sizeof(line), maps)) {
		bool start_of_line = whole;
		uint64_t start, end;

		whole = strchr(line, '\n') != NULL;
		if (start_of_line && parse_mapping(line, &start, &end) &&
		    add_mapping(input, pagemap, start, end))
			return -1;
	}
	return 0;
}

static int open_proc(long pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/%s", pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

int input_process(struct input *input, long pid)
{
	int maps = open_proc(pid, "maps"), pagemap = open_proc(pid, "pagemap");
	FILE *file = maps < 0 ? NULL : fdopen(maps, "r");
	int result = -1;

	*input = (struct input){ .memory = open_proc(pid, "mem") };
	if (file && pagemap >= 0 && input->memory >= 0)
		result = add_mappings(input, file, pagemap);
	if (file)
		fclose(file);
	if (pagemap >= 0)
		close(pagemap);
	if (result) {
		int saved = errno;

		input_close(input);
		errno = saved;
	}
	return result;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
	const struct input_reader *reader;
	struct input_place place;
	uint64_t done, total; /* bytes */
	size_t filled;        /* bytes of page */
	uint8_t *page;
	uint8_t *chunk;
};

static int give_page(struct reading *reading)
{
	const struct input_reader *reader = reading->reader;

	memset(reading->page + reading->filled, 0, reader->page_size - reading->filled);
	reading->filled = 0;
	if (reader->take(reader->context, reading->page, reading->place))
		return -1;
	reading->place.page++;
	return 0;
}

/* Takes what is in the chunk. Returns 0 to go on, 1 when there's enough, -1 when the reader has ended it. */
static int take_chunk(struct reading *reading, size_t size)
{
	const struct input_reader *reader = reading->reader;
	const uint8_t *bytes = reading->chunk;
	uint64_t left = reading->total - reading->done;

	size = size < left ? size : left;
	reading->done += size;
	while (size) {
		size_t space = reader->page_size - reading->filled;
		size_t some = size < space ? size : space;

		memcpy(reading->page + reading->filled, bytes, some);
		reading->filled += some;
		bytes += some;
		size -= some;
		if (reading->filled == reader->page_size && give_page(reading))
			return -1;
	}
	if (reader->progress)
		reader->progress(reader->progress_context, reading->done, reading->total);
	return reading->done == reading->total;
}

static int read_file(const struct input *input, size_t part, struct reading *reading)
{
	const char *path = input->files->entries[part].path;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int result = 0;
	ssize_t got = -1;

	while (fd >= 0 && !result && (got = read(fd, reading->chunk, CHUNK)) > 0)
		result = take_chunk(reading, (size_t)got);
	if (got < 0)
		cli_unreadable(path, errno);
	if (fd >= 0)
		close(fd);
	return result;
}

static int read_extent(const struct input *input, size_t part, struct reading *reading)
{
	const struct extent *extent = &input->extents[part];
	int result = 0;

	for (uint64_t at = 0; at < extent->size && !result;) {
		uint64_t left = extent->size - at;
		ssize_t got = pread(input->memory, reading->chunk, left < CHUNK ? left : CHUNK,
				    (off_t)(extent->start + at));

		/* The process may have unmapped it, or ended, meanwhile. */
		if (got <= 0)
			break;
		result = take_chunk(reading, (size_t)got);
		at += (uint64_t)got;
	}
	return result;
}

static int read_part(const struct input *input, size_t part, struct reading *reading)
{
	int result;

	reading->place = (struct input_place){ .part = part };
	result = input->files ? read_file(input, part, reading) : read_extent(input, part, reading);
	if (result >= 0 && reading->filled && give_page(reading))
		return -1;
	return result;
}

int input_read(const struct input *input, const struct input_reader *reader)
{
	struct reading reading = {
		.reader = reader,
		.total = input->total < reader->limit ? input->total : reader->limit,
		.page = malloc(reader->page_size),
		.chunk = malloc(CHUNK),
	};
	size_t count = input->files ? input->files->count : input->count;
	int result = reading.page && reading.chunk ? 0 : -1;

	for (size_t i = 0; i < count && !result; i++)
		result = read_part(input, i, &reading);
	free(reading.page);
	free(reading.chunk);
	return result < 0 ? -1 : 0;
}

/* Each file may end within a page, so the limit is looked at file by file. */
uint64_t input_pages(const struct input *input, size_t page_size, uint64_t limit)
{
	size_t count = input->files ? input->files->count : input->count;
	uint64_t pages = 0, left = limit;

	for (size_t i = 0; i < count && left; i++) {
		uint64_t size =
			input->files ? input->files->entries[i].size : input->extents[i].size;

		size = size < left ? size : left;
		left -= size;
		pages += size / page_size + (size % page_size != 0);
	}
	return pages;
}
