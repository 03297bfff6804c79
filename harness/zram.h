/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zram - a compressed page store over a backend, as Linux's zram driver is one over zsmalloc.
 *
 * A device is an array of slots, each of which holds a page or nothing; what holds nothing reads as
 * zeros. A page of equal machine words is kept in its slot's entry. Any other is compressed and
 * stored as an object of the compressed size, or raw if that is the huge class's size or more. The
 * new object is stored before the old one is freed.
 *
 * Functions return ZS_OK or an error; one that fails changes no slot and no count, but for
 * mem_used_max. O(1) means: one call of each backend function, one of the codec's, at most.
 */
#ifndef ZRAM_H
#define ZRAM_H

#include <stdint.h>

#include "backend.h"
#include "codec.h"

struct zram;

/* What a device is made of; the backend and the codec stay the caller's. */
struct zram_options {
	const struct backend *backend;
	struct codec *codec;     /* for inputs of a page */
	struct zs_config config; /* its page size is the device's */
	uint32_t slots;
	uint64_t mem_limit; /* bytes of pages held; a multiple of the page size; 0: no limit */
};

/* The backend's error, or ZS_ENOMEM. O(slots). */
int zram_create(const struct zram_options *options, struct zram **zram);

/* Ends it with all that it holds, whatever is in it. The backend's error. */
int zram_destroy(struct zram *zram);

/*
 * Stores a page, in place of what the slot holds. ZS_EINVAL: no such slot. ZS_ENOMEM: the backend has
 * no room, or holds more than mem_limit afterwards, as zram looks at it. ZS_ECORRUPT: the codec
 * failed. Any other: the backend refused what it must do. O(1).
 */
int zram_write(struct zram *zram, uint32_t slot, const void *page);

/*
 * Reads a slot, zeros if it holds nothing. ZS_EINVAL: no such slot. ZS_ECORRUPT: the bytes stored don't
 * decompress to a page. Any other: the backend's. page is undefined after an error. O(1).
 */
int zram_read(struct zram *zram, uint32_t slot, void *page);

/* Empties a slot. ZS_EINVAL: no such slot. Any other: the backend's. O(1). */
int zram_free(struct zram *zram, uint32_t slot);

/* Compacts; returns the pages freed. */
uint64_t zram_compact(struct zram *zram);

/* The backend's pool, for looking at it. */
void *zram_pool(struct zram *zram);

/* zram's mm_stat: in its order, as far as pages_compacted in its units; objs_moved is ours. */
#define ZRAM_MM_STAT(X)                                                                     \
	X(orig_data_size)   /* bytes of the pages that slots hold */                        \
	X(compr_data_size)  /* bytes of the objects that they are stored in */              \
	X(mem_used_total)   /* bytes of pages that the backend holds */                     \
	X(mem_limit)        /* bytes, 0: none */                                            \
	X(mem_used_max)     /* the most of mem_used_total after any allocation, in bytes */ \
	X(same_pages)       /* slots with a page of equal words */                          \
	X(pages_compacted)  /* pages freed by compaction */                                 \
	X(huge_pages)       /* slots with a page stored raw */                              \
	X(huge_pages_since) /* the same, counted at each store, never down */               \
	X(objs_moved)       /* objects moved by compaction */

#define ZRAM_FIELD(name) uint64_t name;
struct zram_mm_stat {
	ZRAM_MM_STAT(ZRAM_FIELD)
};

void zram_mm_stat(struct zram *zram, struct zram_mm_stat *stat);

#endif
