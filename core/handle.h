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
 * generations is retired: it carries the generation that is never issued, and is on no stack. Only
 * handle_resolve checks what it is given; elsewhere the caller keeps the ranges.
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
};

/*@
#include "handle.acsl"
*/

/*@ terminates \true;
    assigns \nothing;
    ensures index: \result == handle_index_of(handle);
*/
static inline uint32_t handle_index(zs_handle handle)
{
	return (uint32_t)(handle % HANDLE_INDEX_SPAN);
}

/*@ terminates \true;
    assigns \nothing;
    ensures generation: \result == handle_generation_of(handle);
*/
static inline uint32_t handle_generation(zs_handle handle)
{
	return handle / HANDLE_INDEX_SPAN % HANDLE_GENERATIONS;
}

/*@ terminates \true;
    assigns \nothing;
    ensures tag: \result == handle_tag_of(handle);
*/
static inline uint32_t handle_tag(zs_handle handle)
{
	return (uint32_t)(handle / HANDLE_INDEX_SPAN / HANDLE_GENERATIONS);
}

/*@ terminates \true;
    assigns \nothing;
    ensures generation: \result == entry_generation_of(entry);
*/
static inline uint32_t entry_generation(uint64_t entry)
{
	return (uint32_t)(entry / ENTRY_GENERATION);
}

/*@ terminates \true;
    assigns \nothing;
    ensures live: \result <==> entry_is_live(entry);
*/
static inline bool entry_live(uint64_t entry)
{
	return entry / ENTRY_LIVE % 2 != 0;
}

/*@ terminates \true;
    assigns \nothing;
    ensures zspage: \result == entry_zspage_of(entry);
*/
static inline uint32_t entry_zspage(uint64_t entry)
{
	return entry / ENTRY_SLOTS % ENTRY_ZSPAGES;
}

/*@ terminates \true;
    assigns \nothing;
    ensures slot: \result == entry_slot_of(entry);
*/
static inline uint32_t entry_slot(uint64_t entry)
{
	return entry % ENTRY_SLOTS;
}

/* The next free entry of one that isn't live, or HANDLE_NONE. */
/*@ terminates \true;
    assigns \nothing;
    ensures next: \result == entry_next_of(entry);
*/
static inline uint32_t entry_next(uint64_t entry)
{
	return (uint32_t)(entry % HANDLE_INDEX_SPAN);
}

/*
 * Reads the entry of a handle, once. Returns ZS_OK with *entry as it was then, or ZS_EINVAL (0, another
 * tag, an index never given to a class) or ZS_ESTALE (other generation, or nothing live). Needs no
 * lock. O(1).
 */
/*@ requires ok: handles_ok(handles);
    requires entry: \valid(entry) && \separated(entry, handles->entry + (0 .. handles->max - 1));
    terminates \true;
    assigns *entry;
    ensures valid: \result == ZS_OK <==> handle_valid(handles, handle);
    ensures wrong: \result == ZS_EINVAL <==> handle == 0 ||
      handle_tag_of(handle) != handles->tag || handle_index_of(handle) >= handles->given;
    ensures stale: \result == ZS_OK || \result == ZS_EINVAL || \result == ZS_ESTALE;
    ensures entry: \result == ZS_OK ==> *entry == handles->entry[handle_index_of(handle)];
    ensures unchanged: \result != ZS_OK ==> *entry == \old(*entry);
*/
int handle_resolve(const struct handles *handles, zs_handle handle, uint64_t *entry);

/* The handle that names a live entry now: no other does. O(1). */
/*@ requires ok: handles_ok(handles);
    requires live: index < handles->given && handles_live(handles, index);
    terminates \true;
    assigns \nothing;
    ensures some: \result != 0;
    ensures index: handle_index_of(\result) == index;
    ensures valid: handle_valid(handles, \result);
    ensures only: \forall integer h;
      0 <= h && handle_valid(handles, h) && handle_index_of(h) == index ==> h == \result;
*/
zs_handle handle_of(const struct handles *handles, uint32_t index);

/* True if a class can take an entry: it has a free one, or the pool one to give. O(1). */
/*@ requires ok: handles_ok(handles);
    requires stack: handles_stack(handles, stack);
    terminates \true;
    assigns \nothing;
    ensures ready: \result <==> stack->top != HANDLE_NONE || handles->given < handles->max;
*/
bool handle_ready(const struct handles *handles, const struct handle_stack *stack);

/*
 * Takes an entry for an object at (zspage, slot), below 2^28 and 2^15, after handle_ready: the one
 * killed last, else the lowest never given. Returns its index. O(batch).
 */
/*@ requires ok: handles_ok(handles);
    requires stack: handles_stack(handles, stack);
    requires ready: stack->top != HANDLE_NONE || handles->given < handles->max;
    requires location: zspage < ENTRY_ZSPAGES && slot < ENTRY_SLOTS;
    terminates \true;
    assigns handles->given, handles->entry[0 .. handles->max - 1], stack->top;
    ensures columns: handles_columns(handles);
    ensures generations: handles_generations(handles);
    ensures retire: handles_retire(handles);
    ensures links: handles_links(handles);
    ensures apart: handles_apart(handles);
    ensures stack: handles_stack(handles, stack);
    ensures other_stacks: handles_other_stacks{Pre, Post}(handles, stack);
    ensures live: \result < handles->given && handles_live(handles, \result);
    ensures location: handles_zspage(handles, \result) == zspage &&
      handles_slot(handles, \result) == slot;
    ensures first: \result == (\old(stack->top) != HANDLE_NONE ? \old(stack->top) :
      \old(handles->given));
    ensures free: \result < \old(handles->given) ==> \old(handles_free(handles, \at(\result, Post)));
    ensures generation: handles_generation(handles, \result) == (\result < \old(handles->given) ?
      \old(handles_generation(handles, \at(\result, Post))) : 1);
    ensures rest: stack->top == (\old(stack->top) != HANDLE_NONE ?
      \old(handles_next(handles, stack->top)) :
      \result + 1 < handles->given ? \result + 1 : HANDLE_NONE);
    ensures given: handles->given == (\old(stack->top) != HANDLE_NONE ? \old(handles->given) :
      handles->max - \old(handles->given) < handles->batch ? handles->max :
      \old(handles->given) + handles->batch);
    ensures new: \forall integer i; \old(handles->given) <= i < handles->given && i != \result ==>
      handles_free(handles, i) && handles_generation(handles, i) == 1 &&
      handles_next(handles, i) == (i + 1 < handles->given ? i + 1 : HANDLE_NONE);
    ensures others: \forall integer i; 0 <= i < \old(handles->given) && i != \result ==>
      handles->entry[i] == \old(handles->entry[i]);
    ensures aged: handles_aged{Pre, Post}(handles);
    ensures stay: \forall integer h; 0 <= h ==> handle_stays{Pre, Post}(handles, h);
*/
uint32_t handle_take(struct handles *handles, struct handle_stack *stack, uint32_t zspage,
		     uint32_t slot);

/*
 * Gives a live entry a new location, zspage below 2^28 and slot below 2^15: the one store that moves
 * an object for everybody. O(1).
 */
/*@ requires ok: handles_ok(handles);
    requires live: index < handles->given && handles_live(handles, index);
    requires location: zspage < ENTRY_ZSPAGES && slot < ENTRY_SLOTS;
    terminates \true;
    assigns handles->entry[index];
    ensures columns: handles_columns(handles);
    ensures generations: handles_generations(handles);
    ensures retire: handles_retire(handles);
    ensures links: handles_links(handles);
    ensures apart: handles_apart(handles);
    ensures stacks: \forall integer top;
      \old(handles_top(handles, top)) ==> handles_top(handles, top);
    ensures live: handles_live(handles, index);
    ensures location: handles_zspage(handles, index) == zspage &&
      handles_slot(handles, index) == slot;
    ensures generation: handles_generation(handles, index) ==
      \old(handles_generation(handles, index));
    ensures others: \forall integer i; 0 <= i < handles->given && i != index ==>
      handles->entry[i] == \old(handles->entry[i]);
    ensures aged: handles_aged{Pre, Post}(handles);
    ensures still_valid: \forall integer h; 0 <= h && \old(handle_valid(handles, h)) ==>
      handle_valid(handles, h);
    ensures stay: \forall integer h; 0 <= h && handle_index_of(h) != index ==>
      handle_stays{Pre, Post}(handles, h);
*/
void handle_move(struct handles *handles, uint32_t index, uint32_t zspage, uint32_t slot);

/* Kills a live entry: its handle is stale for ever. Returns true if the entry is retired. O(1). */
/*@ requires ok: handles_ok(handles);
    requires stack: handles_stack(handles, stack);
    requires live: index < handles->given && handles_live(handles, index);
    terminates \true;
    assigns handles->entry[index], stack->top;
    ensures columns: handles_columns(handles);
    ensures generations: handles_generations(handles);
    ensures retire: handles_retire(handles);
    ensures links: handles_links(handles);
    ensures apart: handles_apart(handles);
    ensures stack: handles_stack(handles, stack);
    ensures other_stacks: handles_other_stacks{Pre, Post}(handles, stack);
    ensures dead: !handles_live(handles, index);
    ensures generation: handles_generation(handles, index) ==
      \old(handles_generation(handles, index)) + 1;
    ensures retired: \result <==> handles_generation(handles, index) == handles->retired;
    ensures top: stack->top == (\result ? \old(stack->top) : index);
    ensures next: !\result ==> handles_next(handles, index) == \old(stack->top);
    ensures others: \forall integer i; 0 <= i < handles->given && i != index ==>
      handles->entry[i] == \old(handles->entry[i]);
    ensures aged: handles_aged{Pre, Post}(handles);
    ensures gone: \forall integer h; 0 <= h && \old(handle_valid(handles, h)) &&
      handle_index_of(h) == index ==> handle_gone(handles, h);
    ensures stay: \forall integer h; 0 <= h && handle_index_of(h) != index ==>
      handle_stays{Pre, Post}(handles, h);
*/
bool handle_kill(struct handles *handles, struct handle_stack *stack, uint32_t index);

#endif
