/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE

#include "files.h"

#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "target.h"

/* The whole of a file in memory of exactly its size, so that ASan sees a read past the end. */
static uint8_t *read_file(const char *path, size_t size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc(size);

	if (file != NULL && bytes != NULL && fread(bytes, 1, size, file) == size) {
		fclose(file);
		return bytes;
	}
	if (file != NULL)
		fclose(file);
	free(bytes);
	return NULL;
}

static int run_file(const char *path, size_t size)
{
	uint8_t *bytes = read_file(path, size);

	if (bytes == NULL && size != 0)
		return -1;
	fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(bytes, size);
	free(bytes);
	return 0;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int run_entry(const FTSENT *entry)
{
	switch (entry->fts_info) {
	case FTS_F:
		if (strcmp(entry->fts_name, "README.md") == 0)
			return 0;
		return run_file(entry->fts_accpath, (size_t)entry->fts_statp->st_size);
	case FTS_D:
	case FTS_DP:
		return 0;
	default:
		return -1;
	}
}

int files_run(char **paths)
{
	FTS *walk = fts_open(paths, FTS_LOGICAL | FTS_NOCHDIR, by_name);
	FTSENT *entry;
	int status = 0;

	if (walk == NULL)
		return 2;
	while (status == 0 && (entry = fts_read(walk)) != NULL)
		if (run_entry(entry) != 0) {
			fprintf(stderr, "%s can't be read\n", entry->fts_path);
			status = 2;
		}
	fts_close(walk);
	return status;
}
