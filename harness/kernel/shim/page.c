/* SPDX-License-Identifier: GPL-2.0 */
/* A machine's pages. */
#include <sys/mman.h>

#include "poison.h"

#define FIRST_PFN 0x100000UL /* so that no location is 0 */

SHIM_PER_THREAD struct machine *machine;

/* ---- machines -------------------------------------------------------------------------------- */

bool machine_init(struct machine *made, uint32_t pages, uint32_t objects,
		  const struct machine_source *source)
{
	size_t map = (pages * sizeof(struct page) + PAGE_SIZE - 1) & PAGE_MASK;
	size_t bytes = map + ((size_t)pages + 1) * PAGE_SIZE;
	void *reserved = shim_reserve(bytes);

	if (!reserved)
		return false;
	*made = (struct machine){
		.map = reserved,
		.reserved = reserved,
		.reserved_bytes = bytes,
		.memory = (char *)(((uintptr_t)reserved + map + PAGE_SIZE - 1) & PAGE_MASK),
		.pages = pages,
		.objects = objects,
		.source = *source,
		.top = SHIM_NO_PAGE,
	};
	spin_lock_init(&made->lock);
	return true;
}

void machine_end(struct machine *ended)
{
	unpoison(ended->memory, ended->touched * PAGE_SIZE);
	shim_release(ended->reserved, ended->reserved_bytes);
}

unsigned long page_to_pfn(const struct page *page)
{
	return (unsigned long)(page - machine->map) + FIRST_PFN;
}

struct page *pfn_to_page(unsigned long pfn)
{
	VM_BUG_ON(pfn - FIRST_PFN >= machine->pages);
	return machine->map + (pfn - FIRST_PFN);
}

void *page_address(const struct page *page)
{
	VM_BUG_ON((size_t)(page - machine->map) >= machine->pages);
	return machine->memory + (size_t)(page - machine->map) * PAGE_SIZE;
}

struct page *virt_to_page(const void *address)
{
	return machine->map + (size_t)((const char *)address - machine->memory) / PAGE_SIZE;
}

/* ---- allocation ------------------------------------------------------------------------------ */

static uint32_t take(void)
{
	uint32_t page = machine->top;

	if (machine->source.get)
		return machine->source.get(machine->source.context, SHIM_NO_PAGE);
	if (page != SHIM_NO_PAGE)
		machine->top = (uint32_t)machine->map[page].memcg_data;
	else if (machine->fresh < machine->pages)
		page = machine->fresh++;
	return page;
}

static void give(uint32_t page)
{
	if (machine->source.put) {
		machine->source.put(machine->source.context, page);
		return;
	}
	machine->map[page].memcg_data = machine->top;
	machine->top = page;
}

/* Poisons what is used for the first time, and the page after it. */
static void touch(uint32_t page)
{
	uint32_t end = page + 2 < machine->pages ? page + 2 : machine->pages;

	if (end <= machine->touched)
		return;
	poison(machine->memory + machine->touched * PAGE_SIZE,
	       (end - machine->touched) * PAGE_SIZE);
	machine->touched = end;
}

struct page *alloc_page(gfp_t gfp)
{
	struct page *page;
	uint32_t number;

	spin_lock(&machine->lock);
	number = take();
	if (number != SHIM_NO_PAGE) {
		touch(number);
		machine->out++;
	}
	spin_unlock(&machine->lock);
	if (number == SHIM_NO_PAGE)
		return NULL;
	BUG_ON(number >= machine->pages);
	page = machine->map + number;
	BUG_ON(page->_refcount.counter);
	*page = (struct page){ .page_type = UINT_MAX, ._refcount = { 1 } };
	unpoison(page_address(page), PAGE_SIZE);
	fill_undefined(page_address(page), PAGE_SIZE);
	if (gfp & __GFP_ZERO)
		clear_page(page_address(page));
	return page;
}

/* What the kernel's free_page_is_bad looks at must be as it was. */
static void release(struct page *page)
{
	BUG_ON(page->_refcount.counter);
	BUG_ON(page->flags);
	BUG_ON(page->mapping);
	BUG_ON(page->page_type != UINT_MAX);
	poison(page_address(page), PAGE_SIZE);
	spin_lock(&machine->lock);
	give((uint32_t)(page - machine->map));
	machine->out--;
	spin_unlock(&machine->lock);
}

void put_page(struct page *page)
{
	BUG_ON(page->_refcount.counter <= 0);
	if (atomic_dec_and_test(&page->_refcount))
		release(page);
}

void __free_page(struct page *page)
{
	BUG_ON(page->_refcount.counter != 1);
	put_page(page);
}

/* ---- migration ------------------------------------------------------------------------------- */

static int move_to_new_page(struct page *to, struct page *from)
{
	const struct movable_operations *operations = page_movable_ops(from);
	int error;

	if (!operations->isolate_page(from, 0))
		return -EBUSY;
	get_page(from);
	SetPageIsolated(from);
	error = operations->migrate_page(to, from, MIGRATE_SYNC);
	if (error)
		operations->putback_page(from);
	ClearPageIsolated(from);
	if (!error)
		unlock_page(from);
	put_page(from);
	return error;
}

int shim_migrate(struct page *page)
{
	struct page *to = alloc_page(__GFP_MOVABLE);
	int error;

	if (!to)
		return -ENOMEM;
	lock_page(to);
	error = move_to_new_page(to, page);
	if (error)
		unlock_page(to);
	put_page(to);
	return error;
}
