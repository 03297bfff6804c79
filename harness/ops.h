/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ops - the operation language: what a trace says, apart from what runs it.
 *
 * A trace is a configuration and a list of operations on *names* (small numbers that stand for the
 * caller's variables: a name keeps the last handle it was given, also after the object is freed). It has
 * two forms. The text form says everything in full and is what people read, diff and keep. The byte form
 * is what fuzzers mutate: decoding is total (any bytes are a trace) and every mutation stays one.
 * print, then parse: the same trace. encode, then decode: the same trace, if it fits in bytes.
 */
#ifndef OPS_H
#define OPS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "zs.h"

enum op_code {
	OP_MALLOC, /* malloc NAME SIZE      a live NAME is freed first, as an overwrite does */
	OP_FREE, /* free NAME             whatever NAME's handle is: live, stale, or 0 if it never had one */
	OP_WRITE, /* write NAME LEN SEED   LEN "all": the size asked for in malloc */
	OP_READ,  /* read NAME LEN         a window opened, compared and closed */
	OP_PIN,   /* pin NAME LEN          a window left open */
	OP_UNPIN, /* unpin I               closes the (I mod n)-th of the n open windows; n = 0: a made-up one */
	OP_LOCK, /* lock NAME I           page I of its zspage; I isn't reduced */
	OP_UNLOCK, /* unlock I              the (I mod n)-th of the n locks held; n = 0: a made-up one */
	OP_MIGRATE, /* migrate I             the page of the (I mod n)-th lock; n = 0: a made-up one */
	OP_COMPACT,       /* compact */
	OP_COMPACT_CLASS, /* compact-class INDEX   a logical class index; may be out of range */
	OP_FORGE, /* forge NAME XOR        free, write, read with NAME's handle ^ XOR; left out when that is a live handle */
	OP_FOREIGN, /* foreign               the same three with a live handle of another pool of the same kind */
	OP_FAIL, /* fail AFTER COUNT      the page source gives AFTER more pages, then refuses COUNT times */
	OP_CHECK, /* check                 the full walk now */
	OP_CODES
};

#define OP_ALL UINT64_MAX     /* LEN "all" */
#define OP_FOREVER UINT32_MAX /* COUNT "forever" */

/* Fields that an operation doesn't have are 0. */
struct op {
	uint8_t code;   /* enum op_code */
	uint32_t name;  /* NAME */
	uint64_t value; /* SIZE, LEN, I, INDEX, XOR or AFTER */
	uint32_t extra; /* SEED or COUNT */
};

#define TRACE_NAMES (1u << 26) /* names are below this */

struct trace {
	struct zs_config config; /* source unset; tag explicit */
	struct op *ops;
	size_t count;
	size_t room;
};

/* An empty trace with the native configuration. */
void trace_init(struct trace *trace);
void trace_free(struct trace *trace);

/* Appends one operation. Returns 0, or -1 when memory is out (nothing changed). Amortised O(1). */
int trace_add(struct trace *trace, struct op op);

/*
 * Decodes any bytes, size 0 included, to a fresh trace. Returns 0, or -1 when memory is out. The result depends on
 * nothing but the bytes. At most TRACE_BYTES_OPS operations come out. O(size).
 */
#define TRACE_BYTES_OPS 8192
int trace_decode(struct trace *trace, const uint8_t *bytes, size_t size);

/* Encodes. Returns 0 and a malloc'ed buffer, or -1 with *why a sentence that says what doesn't fit. O(n). */
int trace_encode(const struct trace *trace, uint8_t **bytes, size_t *size, const char **why);

/* Where a text is wrong: "line 7: write wants NAME LEN SEED". */
struct trace_error {
	size_t line;
	char text[160];
};

/*
 * Parses a text of size bytes (NUL bytes and overlong lines are errors). Returns 0, or -1 with *error filled
 * and *trace empty. O(size).
 */
int trace_parse(struct trace *trace, const char *text, size_t size, struct trace_error *error);

/* Prints the text form. Returns 0, or -1 on a write error (errno says which). O(n). */
int trace_print(const struct trace *trace, FILE *file);

/* One operation in text, without the newline, NUL-terminated, cut to room. */
void op_format(const struct op *op, char *text, size_t room);

/* True if the bytes begin as the text form does. */
int trace_is_text(const void *bytes, size_t size);

/*
 * The content that `write NAME LEN SEED` stores: makes bytes[from .. upto - 1] those of pattern SEED.
 * The same everywhere. O(upto - from).
 */
void op_bytes(uint32_t seed, uint8_t *bytes, uint64_t from, uint64_t upto);

#endif
