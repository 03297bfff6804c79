/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle.h"

/*@ requires fields: generation < HANDLE_GENERATIONS && zspage < ENTRY_ZSPAGES && slot < ENTRY_SLOTS;
    terminates \true;
    assigns \nothing;
    ensures live: entry_is_live(\result);
    ensures generation: entry_generation_of(\result) == generation;
    ensures location: entry_zspage_of(\result) == zspage && entry_slot_of(\result) == slot;
*/
static uint64_t entry_at(uint32_t generation, uint32_t zspage, uint32_t slot)
{
	return generation * ENTRY_GENERATION + ENTRY_LIVE + zspage * ENTRY_SLOTS + slot;
}

/*@ requires generation: generation < HANDLE_GENERATIONS;
    terminates \true;
    assigns \nothing;
    ensures dead: !entry_is_live(\result);
    ensures generation: entry_generation_of(\result) == generation;
    ensures next: entry_next_of(\result) == next;
*/
static uint64_t entry_free(uint32_t generation, uint32_t next)
{
	return generation * ENTRY_GENERATION + next;
}

int handle_resolve(const struct handles *handles, zs_handle handle, uint64_t *entry)
{
	uint32_t i = handle_index(handle);
	uint64_t word;

	if (handle == 0 || handle_tag(handle) != handles->tag || i >= handles->given)
		return ZS_EINVAL;
	word = sync_load(&handles->entry[i]);
	if (!entry_live(word) || entry_generation(word) != handle_generation(handle))
		return ZS_ESTALE;
	*entry = word;
	return ZS_OK;
}

zs_handle handle_of(const struct handles *handles, uint32_t index)
{
	uint64_t generation = entry_generation(sync_load(&handles->entry[index]));

	return (handles->tag * HANDLE_GENERATIONS + generation) * HANDLE_INDEX_SPAN + index;
}

bool handle_ready(const struct handles *handles, const struct handle_stack *stack)
{
	return stack->top != HANDLE_NONE || handles->given < handles->max;
}

/*@ requires entry: \valid(handles) && \valid(handles->entry + index);
    requires stack: \valid(stack) && \separated(handles, stack);
    requires generation: generation < HANDLE_GENERATIONS;
    terminates \true;
    assigns handles->entry[index], stack->top;
    ensures dead: !handles_live(handles, index);
    ensures generation: handles_generation(handles, index) == generation;
    ensures next: handles_next(handles, index) == \old(stack->top);
    ensures top: stack->top == index;
*/
static void push(struct handles *handles, struct handle_stack *stack, uint32_t index,
		 uint32_t generation)
{
	sync_publish(&handles->entry[index], entry_free(generation, stack->top));
	stack->top = index;
}

/* The lowest index of the batch is on top afterwards. */
/*@ requires ok: handles_ok(handles);
    requires stack: handles_stack(handles, stack) && stack->top == HANDLE_NONE;
    requires ready: handles->given < handles->max;
    terminates \true;
    assigns handles->given, handles->entry[0 .. handles->max - 1], stack->top;
    ensures columns: handles_columns(handles);
    ensures generations: handles_generations(handles);
    ensures retire: handles_retire(handles);
    ensures links: handles_links(handles);
    ensures apart: handles_apart(handles);
    ensures stack: handles_stack(handles, stack);
    ensures other_stacks: handles_other_stacks{Pre, Post}(handles, stack);
    ensures top: stack->top == \old(handles->given) < handles->given;
    ensures given: handles->given == (handles->max - \old(handles->given) < handles->batch ?
      handles->max : \old(handles->given) + handles->batch);
    ensures new: \forall integer i; \old(handles->given) <= i < handles->given ==>
      handles_free(handles, i) && handles_generation(handles, i) == 1 &&
      handles_next(handles, i) == (i + 1 < handles->given ? i + 1 : HANDLE_NONE);
    ensures others: \forall integer i; 0 <= i < \old(handles->given) ==>
      handles->entry[i] == \old(handles->entry[i]);
*/
static void refill(struct handles *handles, struct handle_stack *stack)
{
	uint32_t first = handles->given;
	uint32_t left = handles->max - first;
	uint32_t n = left < handles->batch ? left : handles->batch;

	handles->given = first + n;
	/*@ loop invariant place: 0 <= n <= handles->given - first;
	    loop invariant top: stack->top == (first + n < handles->given ? first + n : HANDLE_NONE);
	    loop invariant new: \forall integer i; first + n <= i < handles->given ==>
	      handles_free(handles, i) && handles_generation(handles, i) == 1 &&
	      handles_next(handles, i) == (i + 1 < handles->given ? i + 1 : HANDLE_NONE);
	    loop invariant others: \forall integer i; 0 <= i < first ==>
	      handles->entry[i] == \at(handles->entry[i], Pre);
	    loop assigns n, handles->entry[0 .. handles->max - 1], stack->top;
	    loop variant n;
	*/
	while (n > 0) {
		n--;
		push(handles, stack, first + n, 1);
	}
}

/* Gives the free entry on top to an object. */
/*@ requires ok: handles_ok(handles);
    requires stack: handles_stack(handles, stack) && stack->top != HANDLE_NONE;
    requires location: zspage < ENTRY_ZSPAGES && slot < ENTRY_SLOTS;
    terminates \true;
    assigns handles->entry[stack->top], stack->top;
    ensures columns: handles_columns(handles);
    ensures top: \result == \old(stack->top) && stack->top == \old(handles_next(handles, stack->top));
    ensures generations: handles_generations(handles);
    ensures retire: handles_retire(handles);
    ensures links: handles_links(handles);
    ensures apart: handles_apart(handles);
    ensures stack: handles_stack(handles, stack);
    ensures other_stacks: handles_other_stacks{Pre, Post}(handles, stack);
    ensures live: handles_live(handles, \result);
    ensures location: handles_zspage(handles, \result) == zspage &&
      handles_slot(handles, \result) == slot;
    ensures generation: handles_generation(handles, \result) ==
      \old(handles_generation(handles, stack->top));
    ensures others: \forall integer i; 0 <= i < handles->given && i != \result ==>
      handles->entry[i] == \old(handles->entry[i]);
*/
static uint32_t issue(struct handles *handles, struct handle_stack *stack, uint32_t zspage,
		      uint32_t slot)
{
	uint32_t index = stack->top;
	uint64_t entry = sync_load(&handles->entry[index]);

	stack->top = entry_next(entry);
	/*@ assert next: stack->top == HANDLE_NONE || (\forall integer i; 0 <= i < handles->given &&
	      i != index && handles_free(handles, i) ==> handles_next(handles, i) != stack->top); */
	sync_publish(&handles->entry[index], entry_at(entry_generation(entry), zspage, slot));
	return index;
}

uint32_t handle_take(struct handles *handles, struct handle_stack *stack, uint32_t zspage,
		     uint32_t slot)
{
	if (stack->top == HANDLE_NONE)
		refill(handles, stack);
	return issue(handles, stack, zspage, slot);
}

void handle_move(struct handles *handles, uint32_t index, uint32_t zspage, uint32_t slot)
{
	uint32_t generation = entry_generation(sync_load(&handles->entry[index]));

	sync_publish(&handles->entry[index], entry_at(generation, zspage, slot));
}

bool handle_kill(struct handles *handles, struct handle_stack *stack, uint32_t index)
{
	uint32_t generation = entry_generation(sync_load(&handles->entry[index])) + 1;

	/*@ assert unlinked: handles_unlinked(handles, index); */
	if (generation == handles->retired) {
		sync_publish(&handles->entry[index], entry_free(generation, HANDLE_NONE));
		return true;
	}
	push(handles, stack, index, generation);
	/*@ assert rest: \forall integer i; 0 <= i < handles->given && i != index &&
	      handles_free(handles, i) ==> \at(handles_free(handles, i), Pre) &&
	      handles_next(handles, i) == \at(handles_next(handles, i), Pre); */
	/*@ assert only: \forall integer i; 0 <= i < handles->given && handles_free(handles, i) &&
	      handles_next(handles, i) != HANDLE_NONE &&
	      handles_next(handles, i) == handles_next(handles, index) ==> i == index; */
	/*@ assert apart: handles_apart(handles); */
	return false;
}
