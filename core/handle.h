/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * handle - the table behind the handles: one 64-bit entry an object.
 *
 *   handle      tag (12 bits)   | generation (20)    | entry index (32)
 *   live entry  generation (20) | 1 (1 bit)          | zspage (28) | slot (15)
 *   free entry  generation (20) | 0 (1 bit)          | index of the next free entry (43)
 *
 * Generations start at 1, so no handle is 0. An entry belongs to one class from its first use; the
 * free ones of a class are a stack, linked through their own words. An entry that has used up its
 * generations is retired: it carries the generation that is never issued, and is on no stack.
 *
 * Fields are taken apart by division and remainder: constants, so shifts in machine code, and
 * provable.
 */
#ifndef HANDLE_H
#define HANDLE_H

#include "sync.h"
#include "zs.h"

#define HANDLE_INDEX_SPAN 0x100000000ull   /* 2^32 */
#define HANDLE_GENERATIONS 0x100000ull     /* 2^20 */
#define ENTRY_SLOTS 0x8000ull              /* 2^15 */
#define ENTRY_ZSPAGES 0x10000000ull        /* 2^28 */
#define ENTRY_LIVE 0x80000000000ull        /* 2^43 */
#define ENTRY_GENERATION 0x100000000000ull /* 2^44 */
#define HANDLE_NONE UINT32_MAX             /* end of a stack */

struct handles {
	uint64_t *entry;
	uint32_t given;   /* entries ever given to a class: 0 .. given - 1 */
	uint32_t max;     /* entries there are room for */
	uint32_t batch;   /* entries given to a class at a time */
	uint32_t retired; /* the generation that is never issued, 2^generation_bits - 1 */
	uint32_t tag;
};

/* A class's free entries. */
struct handle_stack {
	uint32_t top; /* HANDLE_NONE: empty */
	uint32_t count;
};

static inline uint32_t handle_index(zs_handle handle)
{
	return (uint32_t)(handle % HANDLE_INDEX_SPAN);
}

static inline uint32_t handle_generation(zs_handle handle)
{
	return handle / HANDLE_INDEX_SPAN % HANDLE_GENERATIONS;
}

static inline uint32_t handle_tag(zs_handle handle)
{
	return (uint32_t)(handle / HANDLE_INDEX_SPAN / HANDLE_GENERATIONS);
}

static inline uint32_t entry_generation(uint64_t entry)
{
	return (uint32_t)(entry / ENTRY_GENERATION);
}

static inline bool entry_live(uint64_t entry)
{
	return entry / ENTRY_LIVE % 2 != 0;
}

static inline uint32_t entry_zspage(uint64_t entry)
{
	return entry / ENTRY_SLOTS % ENTRY_ZSPAGES;
}

static inline uint32_t entry_slot(uint64_t entry)
{
	return entry % ENTRY_SLOTS;
}

/* The next free entry of one that isn't live, or HANDLE_NONE. */
static inline uint32_t entry_next(uint64_t entry)
{
	return (uint32_t)(entry % HANDLE_INDEX_SPAN);
}

/*
 * Reads the entry of a handle, once. Returns ZS_OK with *entry as it was then, or ZS_EINVAL (0, another
 * tag, an index never given to a class) or ZS_ESTALE (other generation, or nothing live). Needs no
 * lock. O(1).
 */
int handle_resolve(const struct handles *handles, zs_handle handle, uint64_t *entry);

/* The handle that names a live entry now. O(1). */
zs_handle handle_of(const struct handles *handles, uint32_t index);

/* True if a class can take an entry: it has a free one, or the pool one to give. O(1). */
bool handle_ready(const struct handles *handles, const struct handle_stack *stack);

/*
 * Takes an entry for an object at (zspage, slot), after handle_ready. Returns its index. O(batch).
 */
uint32_t handle_take(struct handles *handles, struct handle_stack *stack, uint32_t zspage,
		     uint32_t slot);

/* Gives a live entry a new location: the one store that moves an object for everybody. O(1). */
void handle_move(struct handles *handles, uint32_t index, uint32_t zspage, uint32_t slot);

/* Kills a live entry: its handle is stale for ever. Returns true if the entry is retired. O(1). */
bool handle_kill(struct handles *handles, struct handle_stack *stack, uint32_t index);

#endif
