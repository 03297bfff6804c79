/* SPDX-License-Identifier: BSD-3-Clause */
/* Every way in which a trial can fail, each by a backend that is wrong in one way. */
#define _XOPEN_SOURCE 700
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli.h"
#include "cli_trial.h"
#include "generate.h"

#define PAGES 100
#define PAGE ((size_t)4096)
#define FIRST 7 /* mallocs that succeed */

static char path[PATH_MAX];
static struct backend faulty;
static uint32_t mallocs;

/* Pages of which the second half are zeros, and every eighth doesn't compress at all. */
static int make_file(void **state)
{
	uint8_t bytes[PAGE];
	uint64_t random = 1;
	const char *folder = getenv("TMPDIR");
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/cli_trial_test.XXXXXX", folder ? folder : P_tmpdir);
	fd = mkstemp(path);
	assert_true(fd >= 0);
	for (uint32_t page = 0; page < PAGES; page++) {
		memset(bytes, 0, PAGE);
		for (size_t i = 0; i < (page % 8 ? PAGE / 2 : PAGE); i++)
			bytes[i] = (uint8_t)(generate_next(&random) >> 56);
		assert_int_equal(write(fd, bytes, PAGE), PAGE);
	}
	assert_int_equal(close(fd), 0);
	return 0;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static int start(void **state)
{
	(void)state;
	faulty = backend_core;
	mallocs = 0;
	return 0;
}

/* Runs a trial; oracle is the one that must fire, or NULL. */
static void run(const char *oracle)
{
	static struct trial trial;
	const char *paths[] = { path };
	struct cli_arguments arguments = {
		.command = &cli_zram,
		.paths = paths,
		.paths_count = 1,
		.backend = "faulty",
		.codec = "lzo",
		.geometry = "kernel-6.12",
		.seed = 1,
		.compact = true,
	};

	assert_int_equal(trial_run(&trial, &arguments, &faulty), oracle ? CLI_FAILED : CLI_RIGHT);
	assert_int_equal(trial.count, PAGES);
	if (oracle) {
		assert_string_equal(trial.oracle, oracle);
		assert_non_null(strstr(trial.line, oracle));
	} else {
		assert_null(trial.oracle);
		assert_in_range(trial.right, PAGES / 2, PAGES);
		assert_int_equal(trial.stat.orig_data_size, trial.right * PAGE);
	}
	trial_free(&trial);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static int write_wrong_byte(void *pool, zs_handle handle, const void *data, size_t len)
{
	uint8_t bytes[PAGE];

	if (len < PAGE)
		return backend_core.write(pool, handle, data, len);
	memcpy(bytes, data, PAGE);
	bytes[1234] ^= 1;
	return backend_core.write(pool, handle, bytes, len);
}

static int write_half(void *pool, zs_handle handle, const void *data, size_t len)
{
	return backend_core.write(pool, handle, data, len / 2);
}

static int refuse_read(void *pool, zs_handle handle, size_t len, void *local, struct zs_view *view)
{
	(void)pool, (void)handle, (void)len, (void)local, (void)view;
	return ZS_ESTALE;
}

static int malloc_now_and_then(void *pool, size_t size, zs_handle *handle)
{
	return mallocs++ == FIRST ? ZS_ENOMEM : backend_core.malloc(pool, size, handle);
}

static int free_nothing(void *pool, zs_handle handle)
{
	(void)pool, (void)handle;
	return ZS_OK;
}

static int refuse_free(void *pool, zs_handle handle)
{
	(void)pool, (void)handle;
	return ZS_ESTALE;
}

static int find_broken(void *pool, struct zs_broken *broken)
{
	(void)pool;
	*broken = (struct zs_broken){ "ring.links", 5 };
	return ZS_ECORRUPT;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void all_is_right(void **state)
{
	(void)state;
	run(NULL);
}

static void a_wrong_byte_is_found(void **state)
{
	(void)state;
	faulty.write = write_wrong_byte;
	run("content");
}

static void what_does_not_decompress_is_found(void **state)
{
	(void)state;
	faulty.write = write_half;
	run("content");
}

static void a_refused_handle_is_found(void **state)
{
	(void)state;
	faulty.read_begin = refuse_read;
	run("handle.stability");
	faulty = backend_core;
	faulty.free = refuse_free;
	run("handle.stability");
}

static void a_page_too_few_is_found(void **state)
{
	(void)state;
	faulty.malloc = malloc_now_and_then;
	run("result");
}

static void what_is_left_over_is_found(void **state)
{
	(void)state;
	faulty.free = free_nothing;
	run("balance");
}

static void a_broken_invariant_is_found(void **state)
{
	(void)state;
	faulty.check = find_broken;
	run("check");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(all_is_right, start),
		cmocka_unit_test_setup(a_wrong_byte_is_found, start),
		cmocka_unit_test_setup(what_does_not_decompress_is_found, start),
		cmocka_unit_test_setup(a_refused_handle_is_found, start),
		cmocka_unit_test_setup(a_page_too_few_is_found, start),
		cmocka_unit_test_setup(what_is_left_over_is_found, start),
		cmocka_unit_test_setup(a_broken_invariant_is_found, start),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
