/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * afl_main - the main of a fuzz target under AFL++: persistent mode, inputs in shared memory, the
 * fork server started after all that needs doing once. With arguments it replays files, as
 * standalone does.
 */
#include <limits.h>
#include <unistd.h>

#include "files.h"
#include "target.h"

__AFL_FUZZ_INIT();

/*
 * Executions before a fresh process. Nothing survives one, so this only bounds what a leak could
 * cost.
 */
#define LOOP 100000

int main(int argc, char **argv)
{
	const uint8_t *data;

	LLVMFuzzerInitialize(&argc, &argv);
	if (argc > 1)
		return files_run(argv + 1);
	__AFL_INIT();
	data = __AFL_FUZZ_TESTCASE_BUF;
	while (__AFL_LOOP(LOOP)) {
		size_t size = (size_t)__AFL_FUZZ_TESTCASE_LEN;

		LLVMFuzzerTestOneInput(data, size);
	}
	return 0;
}
