/* SPDX-License-Identifier: BSD-3-Clause */
/* standalone - the main of a fuzz target without an engine: replays the files and folders named. */
#include <stdio.h>

#include "files.h"
#include "target.h"

int main(int argc, char **argv)
{
	LLVMFuzzerInitialize(&argc, &argv);
	if (argc < 2) {
		fprintf(stderr, "usage: %s FILE-OR-FOLDER...\n", argv[0]);
		return 2;
	}
	return files_run(argv + 1);
}
