/* SPDX-License-Identifier: GPL-2.0 */
/* page - struct page, its flags and counts, atomics, page migration's side of it. */
#ifndef SHIM_PAGE_H
#define SHIM_PAGE_H

#include "base.h"
#include "bug.h"

/* ---- atomics --------------------------------------------------------------------------------- */

#define atomic_read(p) READ_ONCE((p)->counter)
#define atomic_set(p, value) WRITE_ONCE((p)->counter, (value))
#define atomic_inc(p) ((void)shim_fetch_add(&(p)->counter, 1))
#define atomic_dec(p) ((void)shim_fetch_add(&(p)->counter, -1))
#define atomic_dec_and_test(p) (shim_fetch_add(&(p)->counter, -1) == 1)
#define atomic_xchg(p, value) shim_exchange(&(p)->counter, value)
#define atomic_long_read atomic_read
#define atomic_long_set atomic_set
#define atomic_long_add(value, p) ((void)shim_fetch_add(&(p)->counter, (long)(value)))
#define atomic_long_sub(value, p) ((void)shim_fetch_add(&(p)->counter, -(long)(value)))

/* ---- sizes, places --------------------------------------------------------------------------- */

#define PAGE_SIZE (1UL << PAGE_SHIFT)
#define PAGE_MASK (~(PAGE_SIZE - 1))
#define offset_in_page(p) ((unsigned long)(p) & ~PAGE_MASK)
#define MAX_POSSIBLE_PHYSMEM_BITS 52 /* x86-64 with five levels */

#define GFP_KERNEL 0x01u
#define __GFP_HIGHMEM 0x02u
#define __GFP_MOVABLE 0x04u
#define __GFP_ZERO 0x08u
#define __GFP_NOWARN 0x10u

struct page {
	unsigned long flags;
	struct list_head lru;
	void *mapping;
	unsigned long index;
	unsigned long private;
	union {
		unsigned int page_type; /* UINT_MAX: none */
		atomic_t _mapcount;
	};
	atomic_t _refcount;
	unsigned long memcg_data;
};

/* Of the current machine. */
struct page *pfn_to_page(unsigned long pfn);
unsigned long page_to_pfn(const struct page *page);
void *page_address(const struct page *page);
struct page *virt_to_page(const void *address);

#define kmap_atomic page_address
#define kmap_local_page page_address
#define kunmap_atomic(address) ((void)(address))
#define kunmap_local(address) ((void)(address))
#define pagefault_disable() ((void)0)
#define pagefault_enable() ((void)0)
#define copy_page(to, from) ((void)__builtin_memcpy(to, from, PAGE_SIZE))
#define clear_page(page) ((void)__builtin_memset(page, 0, PAGE_SIZE))
#define kmsan_copy_page_meta(to, from) ((void)0)

/* NULL: the machine has none. */
struct page *alloc_page(gfp_t gfp);
void __free_page(struct page *page);

static inline void get_page(struct page *page)
{
	atomic_inc(&page->_refcount);
}

void put_page(struct page *page);

/* ---- flags ----------------------------------------------------------------------------------- */

enum { PG_locked, PG_private, PG_owner_priv_1, PG_isolated };

#define SHIM_PAGE_FLAG(Name, bit)                                    \
	static inline bool Page##Name(const struct page *page)       \
	{                                                            \
		return READ_ONCE(page->flags) >> (bit)&1;            \
	}                                                            \
	static inline void SetPage##Name(struct page *page)          \
	{                                                            \
		(void)shim_fetch_or(&page->flags, 1UL << (bit));     \
	}                                                            \
	static inline void ClearPage##Name(struct page *page)        \
	{                                                            \
		(void)shim_fetch_and(&page->flags, ~(1UL << (bit))); \
	}
SHIM_PAGE_FLAG(Locked, PG_locked)
SHIM_PAGE_FLAG(Private, PG_private)
SHIM_PAGE_FLAG(OwnerPriv1, PG_owner_priv_1)
SHIM_PAGE_FLAG(Isolated, PG_isolated)

static inline bool trylock_page(struct page *page)
{
	return !(shim_fetch_or(&page->flags, 1UL << PG_locked) >> PG_locked & 1);
}

static inline void unlock_page(struct page *page)
{
	BUG_ON(!PageLocked(page));
	ClearPageLocked(page);
}

static inline void wait_on_page_locked(const struct page *page)
{
	while (PageLocked(page))
		shim_wait();
}

static inline void lock_page(struct page *page)
{
	while (!trylock_page(page))
		wait_on_page_locked(page);
}

/* ---- what pages are used for ----------------------------------------------------------------- */

#define page_private(page) ((page)->private)
#define set_page_private(page, value) ((void)((page)->private = (value)))
#define page_mapcount_reset(page) ((void)((page)->_mapcount.counter = -1))

#define PGTY_zsmalloc 0xf6u

static inline bool PageZsmalloc(const struct page *page)
{
	return page->page_type >> 24 == PGTY_zsmalloc;
}

static inline void __SetPageZsmalloc(struct page *page)
{
	BUG_ON(page->page_type != UINT_MAX);
	page->page_type = PGTY_zsmalloc << 24;
}

static inline void __ClearPageZsmalloc(struct page *page)
{
	BUG_ON(!PageZsmalloc(page));
	page->page_type = UINT_MAX;
}

#define NR_ZSPAGES 0
#define page_zone(page) ((void)(page), (struct zone *)NULL)
#define inc_zone_page_state(page, item) ((void)0)
#define dec_zone_page_state(page, item) ((void)0)

/* ---- migration ------------------------------------------------------------------------------- */

enum migrate_mode { MIGRATE_ASYNC, MIGRATE_SYNC_LIGHT, MIGRATE_SYNC, MIGRATE_SYNC_NO_COPY };
#define MIGRATEPAGE_SUCCESS 0

struct movable_operations {
	bool (*isolate_page)(struct page *page, isolate_mode_t mode);
	int (*migrate_page)(struct page *to, struct page *from, enum migrate_mode mode);
	void (*putback_page)(struct page *page);
};

#define PAGE_MAPPING_MOVABLE 2UL

static inline bool PageMovable(const struct page *page)
{
	return (unsigned long)page->mapping & PAGE_MAPPING_MOVABLE;
}

static inline const struct movable_operations *page_movable_ops(const struct page *page)
{
	BUG_ON(!PageMovable(page));
	return (const void *)((unsigned long)page->mapping - PAGE_MAPPING_MOVABLE);
}

static inline void __SetPageMovable(struct page *page, const struct movable_operations *operations)
{
	page->mapping = (void *)((unsigned long)operations | PAGE_MAPPING_MOVABLE);
}

static inline void __ClearPageMovable(struct page *page)
{
	page->mapping = NULL;
}

/*
 * As mm/migrate.c moves a locked page, but for unlocking the new one. 0, or what the operations
 * returned; -EBUSY: not to be isolated; -ENOMEM.
 */
int shim_migrate(struct page *page);

#endif
