/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L

#include "counters.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "target.h"

static struct counters unwatched;
static struct counters *counters = &unwatched;

static struct counters *map(const char *path)
{
	int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	void *mapped = MAP_FAILED;

	if (file < 0)
		return NULL;
	if (ftruncate(file, sizeof(*counters)) == 0)
		mapped = mmap(NULL, sizeof(*counters), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	return mapped == MAP_FAILED ? NULL : mapped;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the engines' signature */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *path = getenv("ZSANITY_COUNTERS");

	(void)argc;
	(void)argv;
	if (path == NULL)
		return 0;
	counters = map(path);
	if (counters == NULL) {
		perror(path);
		exit(2);
	}
	return 0;
}

void counters_add(uint64_t operations)
{
	counters->executions++;
	counters->operations += operations;
}
