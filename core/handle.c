/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle.h"

static uint64_t entry_at(uint32_t generation, uint32_t zspage, uint32_t slot)
{
	return generation * ENTRY_GENERATION + ENTRY_LIVE + zspage * ENTRY_SLOTS + slot;
}

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
	return stack->count > 0 || handles->given < handles->max;
}

static void push(struct handles *handles, struct handle_stack *stack, uint32_t index,
		 uint32_t generation)
{
	sync_publish(&handles->entry[index], entry_free(generation, stack->top));
	stack->top = index;
	stack->count++;
}

/* The lowest index of the batch is on top afterwards. */
static void refill(struct handles *handles, struct handle_stack *stack)
{
	uint32_t first = handles->given;
	uint32_t left = handles->max - first;
	uint32_t n = left < handles->batch ? left : handles->batch;

	handles->given = first + n;
	while (n > 0) {
		n--;
		push(handles, stack, first + n, 1);
	}
}

uint32_t handle_take(struct handles *handles, struct handle_stack *stack, uint32_t zspage,
		     uint32_t slot)
{
	uint32_t index;
	uint64_t entry;

	if (stack->count == 0)
		refill(handles, stack);
	index = stack->top;
	entry = sync_load(&handles->entry[index]);
	stack->top = entry_next(entry);
	stack->count--;
	sync_publish(&handles->entry[index], entry_at(entry_generation(entry), zspage, slot));
	return index;
}

void handle_move(struct handles *handles, uint32_t index, uint32_t zspage, uint32_t slot)
{
	uint32_t generation = entry_generation(sync_load(&handles->entry[index]));

	sync_publish(&handles->entry[index], entry_at(generation, zspage, slot));
}

bool handle_kill(struct handles *handles, struct handle_stack *stack, uint32_t index)
{
	uint32_t generation = entry_generation(sync_load(&handles->entry[index])) + 1;

	if (generation == handles->retired) {
		sync_publish(&handles->entry[index], entry_free(generation, HANDLE_NONE));
		return true;
	}
	push(handles, stack, index, generation);
	return false;
}
