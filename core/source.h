/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source - the pool's own page source: a stack of page numbers.
 *
 * Pages never used yet come lowest first, after those put back, which come last in first out. The
 * bottom `clean` pages of the stack have been released to the OS already; the ones above hold
 * memory. All O(1).
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdint.h>

struct page_stack {
	uint32_t *page;
	uint32_t count;
	uint32_t clean;
	uint32_t fresh; /* pages below were given out at least once */
	uint32_t max;
};

/* As zs_page_source: context is a struct page_stack. near is not looked at. */
uint32_t page_stack_get(void *context, uint32_t near);
void page_stack_put(void *context, uint32_t page);

/*
 * Takes the next page that still holds memory and counts it as clean; ZS_NO_PAGE if there is none.
 */
uint32_t page_stack_clean(struct page_stack *stack);

#endif
