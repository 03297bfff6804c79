/* SPDX-License-Identifier: BSD-3-Clause */
#include "poison.h"

/* ---- what the sanitizers understand --------------------------------------------------------- */

#if POISON_ASAN || POISON_MSAN

/* What one of them has no notion of. */
static void nothing(const uint8_t *start, uint64_t len)
{
	(void)start, (void)len;
}

#if POISON_ASAN

#include <sanitizer/asan_interface.h>

static void hide(const uint8_t *start, uint64_t len)
{
	__asan_poison_memory_region(start, len);
}

static void show(const uint8_t *start, uint64_t len)
{
	__asan_unpoison_memory_region(start, len);
}

/* How many bytes from start on, up to len, may be used. */
static uint64_t shown(uint8_t *start, uint64_t len)
{
	const uint8_t *hidden = __asan_region_is_poisoned(start, len);

	return hidden ? (uint64_t)(hidden - start) : len;
}

#define forget nothing

#else

#include <sanitizer/msan_interface.h>

#define hide nothing
#define show nothing

static uint64_t shown(const uint8_t *start, uint64_t len)
{
	(void)start;
	return len;
}

/* Reports with origins name the caller as where the bytes came from. */
static void forget(const uint8_t *start, uint64_t len)
{
	__msan_allocated_memory(start, len);
}

#endif

/* ---- objects -------------------------------------------------------------------------------- */

static uint8_t *start_of(const struct object_space *space, const uint64_t *pages, uint32_t slot)
{
	return space->arena + object_start(space, pages, slot);
}

/* How many of an object's first len bytes lie in the page where it begins. */
static uint64_t in_first_page(const struct object_space *space, uint32_t slot, uint64_t len)
{
	return object_spans(space, slot, len) ? space->page_size - space->at_byte[slot] : len;
}

/* Tells a sanitizer something about an object's first len bytes, in one page or two. */
static void tell(void (*what)(const uint8_t *start, uint64_t len), const struct object_space *space,
		 const uint64_t *pages, uint32_t slot, uint64_t len)
{
	uint64_t first = in_first_page(space, slot, len);

	what(start_of(space, pages, slot), first);
	if (first < len)
		what(space->arena + pages[space->in_page[slot] + 1], len - first);
}

/* Opens an object to the core; returns how much of it windows show, all that is in one page. */
static uint64_t lift(const struct object_space *space, const uint64_t *pages, uint32_t slot,
		     uint64_t len)
{
	uint64_t open = shown(start_of(space, pages, slot), in_first_page(space, slot, len));

	tell(show, space, pages, slot, len);
	return open;
}

/* Undoes that. */
static void lower(const struct object_space *space, const uint64_t *pages, uint32_t slot,
		  uint64_t len, uint64_t open)
{
	if (open == len)
		return;
	tell(hide, space, pages, slot, len);
	show(start_of(space, pages, slot), open);
}

void guarded_read(const struct object_space *space, const uint64_t *pages, uint32_t slot,
		  uint8_t *to, uint64_t len)
{
	uint64_t open = lift(space, pages, slot, len);

	object_read(space, pages, slot, to, len);
	lower(space, pages, slot, len, open);
}

void guarded_write(const struct object_space *space, const uint64_t *pages, uint32_t slot,
		   const uint8_t *from, uint64_t len)
{
	uint64_t open = lift(space, pages, slot, len);

	object_write(space, pages, slot, from, len);
	lower(space, pages, slot, len, open);
}

uint32_t guarded_copy(const struct object_space *space, const uint64_t *from_pages, uint32_t from,
		      const uint64_t *to_pages, uint32_t to, uint64_t len)
{
	uint64_t from_open = lift(space, from_pages, from, len);
	uint64_t to_open = lift(space, to_pages, to, len);
	uint32_t pieces = object_copy(space, from_pages, from, to_pages, to, len);

	lower(space, from_pages, from, len, from_open);
	lower(space, to_pages, to, len, to_open);
	tell(forget, space, from_pages, from, len);
	return pieces;
}

void poison_forget(const struct zs_class *class, uint32_t entry)
{
	uint64_t word = sync_load(&class->handles->entry[entry]);
	const uint64_t *pages = zspage_pages(class->zspages, entry_zspage(word));

	tell(forget, &class->space, pages, entry_slot(word), class->usable);
}

/* ---- pages ---------------------------------------------------------------------------------- */

static void hide_page(struct poison *poison, const uint8_t *arena, uint64_t page_size, uint64_t at)
{
	hide(arena + at, page_size);
	if (poison->reached < at + page_size)
		poison->reached = at + page_size;
}

void poison_get(struct poison *poison, const struct zs_class *class, uint32_t z)
{
	const uint64_t *pages = zspage_pages(class->zspages, z);

	for (uint32_t i = 0; i < class->pages; i++) {
		hide_page(poison, class->space.arena, class->space.page_size, pages[i]);
		forget(class->space.arena + pages[i], class->space.page_size);
	}
	for (uint32_t slot = 0; slot < class->capacity; slot++)
		poison->windows[class->zspages->slot_row[z] + slot] = 0;
}

void poison_end(const struct poison *poison, const uint8_t *arena)
{
	show(arena, poison->reached);
}

void guarded_copy_page(struct poison *poison, uint8_t *arena, uint64_t page_size, uint64_t from,
		       uint64_t to)
{
	show(arena + from, page_size);
	show(arena + to, page_size);
	object_copy_page(arena, page_size, from, to);
	hide(arena + from, page_size);
	hide_page(poison, arena, page_size, to);
	forget(arena + from, page_size);
}

/* ---- windows -------------------------------------------------------------------------------- */

void poison_open(struct poison *poison, const struct zs_class *class, uint32_t z, uint32_t slot,
		 uint64_t len)
{
	uint16_t *windows = &poison->windows[class->zspages->slot_row[z] + slot];
	const uint64_t *pages = zspage_pages(class->zspages, z);

	tell(show, &class->space, pages, slot, len);
	if (*windows < UINT16_MAX) /* as it always is, unless views were made up */
		++*windows;
}

/* The slot of a zspage whose object starts at a byte of the arena; capacity if there is none. */
static uint32_t slot_at(const struct zs_class *class, const uint64_t *pages, uint64_t at)
{
	uint64_t byte = at % class->space.page_size, slot;
	uint32_t page = 0;

	while (page < class->pages && pages[page] != at - byte)
		page++;
	if (page == class->pages)
		return class->capacity;
	slot = (page * class->space.page_size + byte) / class->size;
	if (slot >= class->capacity || object_start(&class->space, pages, (uint32_t)slot) != at)
		return class->capacity;
	return (uint32_t)slot;
}

void poison_close(struct poison *poison, const struct zs_class *class, uint32_t z, const void *data)
{
	uint16_t *windows = poison->windows + class->zspages->slot_row[z];
	const uint64_t *pages = zspage_pages(class->zspages, z);
	uintptr_t at = (uintptr_t)data, arena = (uintptr_t) class->space.arena;
	uint32_t slot;

	slot = at < arena ? class->capacity : slot_at(class, pages, at - arena);
	if (slot == class->capacity || windows[slot] == 0)
		return;
	windows[slot]--;
	if (windows[slot] == 0)
		tell(hide, &class->space, pages, slot, class->usable);
}

#endif
