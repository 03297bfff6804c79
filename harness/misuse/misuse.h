/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * misuse - what the programs here share. Each does one thing wrong with zs.h, in a line that ends
 * with a comment such as
 *
 *	asan: use-after-poison
 *
 * which `run` reads: in that build this line must be reported so, in any other build the program
 * must end well and say nothing.
 */
#ifndef MISUSE_H
#define MISUSE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zs.h"

/* Where bytes go that are read for the sake of reading them. */
static volatile uint8_t sink;

/* What is right must stay right. */
static inline void expect(int expected, int got)
{
	if (got == expected)
		return;
	fprintf(stderr, "%s instead of %s\n", zs_error_name(got), zs_error_name(expected));
	exit(2);
}

static inline struct zs_pool *make_pool(enum zs_preset preset)
{
	struct zs_config config;
	struct zs_pool *pool;

	zs_config_init(&config, preset);
	expect(ZS_OK, zs_pool_create(&config, &pool));
	return pool;
}

/* An object of size bytes, each of them `byte`. */
static inline zs_handle make_object(struct zs_pool *pool, size_t size, uint8_t byte)
{
	uint8_t data[4096];
	zs_handle handle;

	memset(data, byte, size);
	expect(ZS_OK, zs_malloc(pool, size, &handle));
	expect(ZS_OK, zs_write(pool, handle, data, size));
	return handle;
}

/* Opens a window that doesn't span pages. */
static inline const uint8_t *look(struct zs_pool *pool, zs_handle handle, size_t len,
				  struct zs_view *view)
{
	expect(ZS_OK, zs_read_begin(pool, handle, len, NULL, view));
	return view->data;
}

/* The object still holds what make_object wrote, and the pool is sound. */
static inline void expect_intact(struct zs_pool *pool, zs_handle handle, size_t size, uint8_t byte)
{
	struct zs_broken broken;
	uint8_t local[4096];
	struct zs_view view;

	expect(ZS_OK, zs_check(pool, &broken));
	expect(ZS_OK, zs_read_begin(pool, handle, size, local, &view));
	for (size_t i = 0; i < size; i++)
		expect(byte, ((const uint8_t *)view.data)[i]);
	expect(ZS_OK, zs_read_end(pool, &view));
}

/* Nothing that a pool counts has changed. */
static inline void expect_unchanged(struct zs_pool *pool, const struct zs_pool_stats *before)
{
	struct zs_pool_stats now;

	expect(ZS_OK, zs_pool_stats(pool, &now, sizeof(now)));
	expect(0, memcmp(&now, before, sizeof(now)));
}

#endif
