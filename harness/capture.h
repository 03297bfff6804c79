/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * capture - from the pages of files or a process to a trace of what zram would ask of its
 * allocator.
 *
 * Each page goes to a slot of a compressed device, whose names are the trace's. Same-filled pages
 * (all machine words equal) are counted and not stored; a page that compresses to the huge class's
 * size or more is stored raw; any other as its compressed size. Overwrites, frees and reads are
 * those of device.h's schedule. The content of an object is a pattern whose seed comes from the
 * page's content.
 */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stdint.h>

#include "codec.h"
#include "input.h"
#include "ops.h"

struct capture_options {
	struct codec *codec;
	uint64_t limit; /* most bytes of input */
	uint64_t seed;
	uint32_t names;         /* slots of the device, 1 .. TRACE_NAMES */
	uint32_t compact_every; /* stores between compactions; 0: none */
	void (*progress)(void *context, uint64_t done, uint64_t total);
	void *context;
};

struct capture_summary {
	uint64_t pages; /* all; the last of a file is filled up with zeros */
	uint64_t same_filled;
	uint64_t incompressible;
	uint64_t compressed_bytes; /* of the pages neither same-filled nor incompressible */
};

/*
 * Makes a trace with the configuration that *trace has; its max_pages is raised or lowered to what
 * the trace needs. Returns 0, or -1 with a sentence in *why.
 */
int capture(struct trace *trace, const struct input *input, const struct capture_options *options,
	    struct capture_summary *summary, const char **why);

#endif
