/* SPDX-License-Identifier: BSD-3-Clause */
#include "source.h"
#include "zs.h"

uint32_t page_stack_get(void *context, uint32_t near)
{
	struct page_stack *stack = context;

	(void)near;
	if (stack->count > 0) {
		stack->count--;
		if (stack->clean > stack->count)
			stack->clean = stack->count;
		return stack->page[stack->count];
	}
	return stack->fresh < stack->max ? stack->fresh++ : ZS_NO_PAGE;
}

void page_stack_put(void *context, uint32_t page)
{
	struct page_stack *stack = context;

	stack->page[stack->count++] = page;
}

uint32_t page_stack_clean(struct page_stack *stack)
{
	return stack->clean < stack->count ? stack->page[stack->clean++] : ZS_NO_PAGE;
}
