/* SPDX-License-Identifier: BSD-3-Clause */
/* Not with fts: MSan doesn't know what that fills in. */
#define _DEFAULT_SOURCE

#include "files.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
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

static int unreadable(const char *path)
{
	fprintf(stderr, "%s can't be read\n", path);
	return 2;
}

static int run_file(const char *path)
{
	struct stat status;
	uint8_t *bytes;

	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return unreadable(path);
	bytes = read_file(path, (size_t)status.st_size);
	if (bytes == NULL && status.st_size != 0)
		return unreadable(path);
	fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(bytes, (size_t)status.st_size);
	free(bytes);
	return 0;
}

static int is_input(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
	       strcmp(entry->d_name, "README.md") != 0;
}

static int run_folder(const char *folder)
{
	struct dirent **names;
	int status = 0, count = scandir(folder, &names, is_input, alphasort);
	char path[PATH_MAX];

	if (count < 0)
		return unreadable(folder);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		if (status == 0)
			status = run_file(path);
		free(names[i]);
	}
	free(names);
	return status;
}

int files_run(char **paths)
{
	struct stat status;
	int failed = 0;

	for (; *paths != NULL && failed == 0; paths++) {
		bool folder = stat(*paths, &status) == 0 && S_ISDIR(status.st_mode);

		failed = folder ? run_folder(*paths) : run_file(*paths);
	}
	return failed;
}
