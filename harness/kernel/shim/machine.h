/* SPDX-License-Identifier: GPL-2.0 */
/*
 * machine - the memory of one pool: its pages, and where they come from. Every function that takes none
 * works on the current one, which is the calling thread's.
 */
#ifndef SHIM_MACHINE_H
#define SHIM_MACHINE_H

#include "base.h"
#include "page.h"
#include "slab.h"

#define SHIM_NO_PAGE UINT32_MAX

/* As struct zs_page_source. */
struct machine_source {
	uint32_t (*get)(void *context, uint32_t near);
	void (*put)(void *context, uint32_t page);
	void *context;
};

struct machine {
	struct page *map; /* a page each, all of one reservation */
	char *memory;
	void *reserved;
	size_t reserved_bytes;
	uint32_t pages;               /* there are */
	uint32_t objects;             /* most of a slab cache */
	uint32_t out;                 /* pages that are not free */
	struct machine_source source; /* get is NULL: the stack below */
	uint32_t fresh;               /* pages below were out before */
	uint32_t top;                 /* the page given back last */
	uint32_t touched;             /* pages below were unpoisoned or poisoned */
	spinlock_t lock;
};

extern SHIM_PER_THREAD struct machine *machine;

/* Reserves address space only. False: there's none. O(1). */
bool machine_init(struct machine *made, uint32_t pages, uint32_t objects,
		  const struct machine_source *source);
/* O(pages that were out). */
void machine_end(struct machine *ended);

/* Makes it the current one, and the thread a CPU that is up. */
void machine_enter(struct machine *entered);

#endif
