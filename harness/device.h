/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device - what a compressed block device asks of its allocator, whatever the allocator is: which
 * pages it stores in how many bytes, and the seeded life of its slots.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- pages ----------------------------------------------------------------------------------- */

/* As zram's page_same_filled: every machine word is the first. Such a page isn't stored. O(size). */
bool device_same_filled(const void *page, size_t size);

/*
 * Bytes that a page which compresses to that many is stored in: it is stored raw from the huge class's
 * size on. huge: as zs_huge_class_size says, so 0 when there is no such class.
 */
size_t device_stored_size(size_t compressed, size_t huge, size_t page_size);

/* max_pages of a pool for that many objects: twice what they need if each takes a page. */
uint32_t device_pool_pages(uint32_t objects);

/* ---- slots ----------------------------------------------------------------------------------- */

/*
 * So that the pool fragments as a used device's does, one store in OVERWRITE goes to a slot in use, after
 * one in FREE some slot is freed, after one in READ some slot is read.
 */
#define DEVICE_OVERWRITE 8
#define DEVICE_FREE 4
#define DEVICE_READ 8

/* Set random and most, the rest 0. */
struct schedule {
	uint64_t random; /* the seed */
	uint32_t most;   /* slots of the device; at least 1 */
	uint32_t *slots; /* a permutation of those ever used: those in use, then the others */
	uint32_t count;  /* in use */
	uint32_t known;  /* ever used, numbered from 0 */
	size_t room;
	uint32_t peak; /* most in use at once */
};

void schedule_end(struct schedule *schedule);

/* The slot that the next page goes to. Returns 0, or -1 when memory is out. Amortised O(1). */
int schedule_store(struct schedule *schedule, uint32_t *slot);

/* After a store: true when some slot, which is in use no more, is to be freed. */
bool schedule_free(struct schedule *schedule, uint32_t *slot);

/* After that: true when some slot is to be read. */
bool schedule_read(struct schedule *schedule, uint32_t *slot);

#endif
