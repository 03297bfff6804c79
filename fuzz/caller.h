/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * caller - what a careful caller of zs.h knows about one pool, and no more: the handles it was
 * given, the head of the bytes it wrote, the windows and locks it holds, the page source it lent.
 * fuzz_api holds the pool to that; the model of harness/ has no part in it.
 */
#ifndef CALLER_H
#define CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "zs.h"

#define CALLER_OBJECTS 128
#define CALLER_KNOWN 64 /* bytes remembered of each object */
#define CALLER_WINDOWS 32
#define CALLER_HOLDS 32
#define CALLER_PAGES 64 /* most pages of a pool */

/* A handle, live or dead, and what is known of a live one. All zero: never used. */
struct caller_object {
	zs_handle handle;
	size_t usable;
	uint32_t version; /* changes whenever the bytes may */
	uint32_t known;   /* so many of bytes are what the object begins with */
	bool live;
	uint8_t bytes[CALLER_KNOWN];
};

/* A window left open. */
struct caller_window {
	struct zs_view view;
	uint8_t *local;
	uint32_t object;
	uint32_t version;
	bool open;
};

/* A zspage with windows or locks of ours; all zero: unused. */
struct caller_hold {
	uint32_t zspage;
	uint32_t pins;
	uint32_t locked; /* bit i: page i */
};

/* A page source that hands its pages out in no good order, and refuses when told to. */
struct caller_source {
	uint32_t free[CALLER_PAGES];
	uint32_t count;
	uint32_t turn;
	uint32_t refuse_after;
	uint32_t refuse_count;
};

struct caller {
	struct zs_config config;
	bool own_source; /* the pool's own, not ours */
	bool from_os;    /* memory from zs_pool_create, else from here */
	struct zs_pool *pool;
	uint8_t *metadata;
	uint64_t *arena;
	size_t metadata_bytes, arena_bytes;
	struct zs_pool_stats stats_before; /* the four of caller_remember */
	uint64_t digest_before;
	uint64_t *arena_before;
	bool remembered;
	struct caller_object objects[CALLER_OBJECTS];
	struct caller_window windows[CALLER_WINDOWS];
	struct caller_hold holds[CALLER_HOLDS];
	struct caller_source source;
	uint64_t operation; /* for messages */
	const char *doing;
};

/* What a call must return, besides one value of enum zs_error. */
#define EXPECT_REFUSED 1   /* ZS_EINVAL or ZS_ESTALE */
#define EXPECT_NO_MEMORY 2 /* ZS_OK or ZS_ENOMEM */

/* Makes the pool that config says. Returns 0, or -1 when memory is out. O(pool). */
int caller_create(struct caller *caller);

/* Destroys the pool, which must succeed if and only if nothing is held. Returns true if it did. */
bool caller_destroy(struct caller *caller);

/* Closes, unlocks and frees all, sees that everything came back, destroys. O(pool). */
void caller_end(struct caller *caller);

/*
 * Before a call that may fail: notes the counters; wholly: also lists, places and bytes, O(pool).
 */
void caller_remember(struct caller *caller, bool wholly);

/*
 * After it: the result is one of those expected; nothing changed if it is an error. Returns true
 * for ZS_OK.
 */
bool caller_judge(struct caller *caller, int expected, int got);

/* The live object with this handle, or NULL. O(CALLER_OBJECTS). */
struct caller_object *caller_find(struct caller *caller, zs_handle handle);
uint32_t caller_live(const struct caller *caller);

/* The hold on a zspage: there already, or an unused one; NULL when all are in use by others. */
struct caller_hold *caller_hold(struct caller *caller, uint32_t zspage);
bool caller_holds(const struct caller *caller);

/* An object's bytes, as far as they are known. O(known). */
void caller_bytes(struct caller *caller, const struct caller_object *object, const void *data,
		  size_t len);

/* The pool's counters against ours, then its own walk, which says least of a cause. O(pool). */
void caller_check(struct caller *caller);

/* Every object, hold and open window, then that. O(pool + objects). */
void caller_check_all(struct caller *caller);

/* Closes an open window after a last look through it. */
void caller_close(struct caller *caller, struct caller_window *window);

#endif
