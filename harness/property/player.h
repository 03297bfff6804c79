/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * player - a pool used without a model beside it: what two runs, or two moments of one, have in
 * common is seen by comparing pictures of them.
 */
#ifndef PLAYER_H
#define PLAYER_H

#include <stdbool.h>

#include "ops.h"

#define PLAYER_NAMES 64

struct player_object {
	zs_handle handle;
	size_t size;
	size_t known; /* so many bytes from its start were written */
	bool live;
};

struct player {
	struct zs_config config;
	struct zs_pool *pool;
	struct player_object objects[PLAYER_NAMES]; /* by name */
};

/* The pool has a page source of its own. Aborts when memory is out. */
void player_start(struct player *player, const struct zs_config *config);

/* malloc, free, write, compact and compact-class; others do nothing. Results are seen to be right. */
void player_do(struct player *player, const struct op *op);

/* Frees all, in an order by the seed. */
void player_drain(struct player *player, uint64_t seed);

void player_end(struct player *player);

/* Fails with relation.result unless a function returned what it must. */
void player_expect(const char *function, int expected, int got);

/* What a picture shows. */
enum player_view {
	PLAYER_CONTENT = 1, /* live names, sizes, the bytes that are known */
	PLAYER_HANDLES = 2, /* their handles */
	PLAYER_WHERE = 4,   /* zspage number and slot of each */
	PLAYER_LISTS = 8, /* each list in order: zspages in use so far, and who is in which slot */
	PLAYER_COUNTERS = 16, /* of what there is now */
	PLAYER_MOVES = 32,    /* of what compaction did so far */
};

/* Text, a line for each thing shown; to be freed. O(everything). */
char *player_picture(const struct player *player, unsigned int view);

/* Fails with the ID and the first line that differs; frees both. */
void player_same(const char *id, char *expected, char *got);

struct zs_pool_stats player_stats(const struct player *player);
struct zs_location player_locate(const struct player *player, uint32_t name);

#endif
