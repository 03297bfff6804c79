/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zs.h - a moving allocator of compressed-page-sized objects, after Linux's mm/zsmalloc.c.
 *
 * A pool cuts chains of pages (zspages) into equal slots, one slot size a class. Callers hold
 * opaque handles. Compaction moves objects between the zspages of a class and gives the emptied
 * pages back; a handle stays true all the while. Nothing of the allocator lives inside an object.
 *
 * Rules that hold for every function below:
 *  - Errors are values. A function that fails changes nothing: no byte, no counter, no output
 *    argument.
 *  - A handle or reference may be anything at all; a wrong one is refused with an error.
 *  - Pointers given must be valid for the size named and must not overlap the pool's memory.
 *  - A pool is used by one thread at a time (locking is a later room; sync.h is its door). Two
 *    pools share nothing.
 *  - O(1) means: independent of the number of objects, zspages and pages in the pool. A new zspage
 *    costs its own pages and slots besides.
 */
#ifndef ZS_H
#define ZS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- results -------------------------------------------------------------------------------- */

/* The numbers are Linux's errno values, negated. */
enum zs_error {
	ZS_OK = 0,
	ZS_E2BIG = -7,     /* a size above the page size (the kernel's zs_malloc says -ENOSPC) */
	ZS_ENOMEM = -12,   /* no page, no handle or no zspage record left */
	ZS_EBUSY = -16,    /* pinned, locked, or a count is at its maximum; try again later */
	ZS_EINVAL = -22,   /* an argument that can never be right in this pool */
	ZS_ESTALE = -116,  /* a handle whose entry has another generation or no object */
	ZS_ECORRUPT = -117 /* zs_check found a broken invariant */
};

/* "ZS_ENOMEM" and so on; "unknown" for any other value. */
const char *zs_error_name(int error);

/* ---- geometry ------------------------------------------------------------------------------- */

/* How many pages a zspage of a class gets; the kernel's two rules (reference: mm/zsmalloc.c). */
enum zs_chain_rule {
	ZS_LEAST_WASTE,  /* 6.12: 1 page for a power of two, else least pages % size; tie: fewer */
	ZS_USED_PERCENT, /* 6.1: the highest integer percentage used; tie: fewer pages */
};

/*
 * Sizes are bytes. Logical classes i = 0 .. n - 1 have size min(min_size + i * class_step,
 * page_size), n = ceil((page_size - min_size) / class_step) + 1. Walking down from the largest, a
 * class whose pages and objects per zspage both equal those of the class kept last is merged into
 * that one. Objects per zspage = pages * page_size / size, rounded down; at most 32768 for the
 * longest chain of the smallest size.
 */
struct zs_geometry {
	uint32_t page_size;  /* a power of two, 64 .. 65536 */
	uint32_t min_size;   /* smallest slot; a multiple of 8, 8 .. page_size */
	uint32_t class_step; /* a multiple of 8, 8 .. page_size; n must be at most 257 */
	uint32_t header; /* unused bytes before each object that isn't huge: 0, or 8 < min_size */
	uint32_t chain;  /* most pages of a zspage, 1 .. 16 */
	uint32_t chain_rule;      /* enum zs_chain_rule */
	uint32_t tag_bits;        /* width of a handle's pool tag, 2 .. 12 */
	uint32_t generation_bits; /* width of a handle's generation, 2 .. 20 */
};

enum zs_preset {
	ZS_NATIVE, /* 4096-byte pages, 32 + 16 i, no header, chain 8, least waste, 12 and 20 bits */
	ZS_KERNEL_6_1,  /* the same with header 8, chain 4, used percent: 69 classes */
	ZS_KERNEL_6_12, /* the same with header 8, chain 8, least waste: 119 classes */
	ZS_TINY,        /* 64-byte pages, 8 + 8 i, no header, chain 4, least waste, 2 and 2 bits */
};

/* ---- pools ---------------------------------------------------------------------------------- */

/*
 * How in-use counts map to fullness groups (N = objects per zspage, n = in use). Group 0 is empty,
 * the last one full; those between are partial. A zspage is put into a group's list at its head;
 * ZS_THRESHOLD: behind the head, if that has more in use.
 */
enum zs_grouping {
	ZS_RATIO,     /* since 6.3: 0 -> 0; N -> 11; else 100 * n / N / 10 + 1, so 1 .. 10 */
	ZS_THRESHOLD, /* before: 0 -> 0 empty; N -> 3 full; n <= 3 * N / 4 -> 1 almost empty; else 2 */
	ZS_EXACT,     /* n itself, 0 .. N */
};

/* What zs_compact does; see there. Any grouping goes with any algorithm. */
enum zs_algorithm {
	ZS_DESTINATION, /* since 6.3: fill the fullest zspage from the emptiest, by group */
	ZS_SOURCE,      /* before: empty a zspage into whatever has room */
	ZS_OPTIMAL,     /* fill the fullest from the emptiest, by in-use count: the fewest moves */
};

#define ZS_NO_PAGE UINT32_MAX

/*
 * Where pages come from. get returns a page number below the pool's max_pages that isn't out
 * already, or ZS_NO_PAGE; near is a page number it may prefer to be next to, or ZS_NO_PAGE. put
 * takes one back. Both must not call into the pool. Either both are given or neither; then the pool
 * has a stack of its own: lowest numbers first, then last in first out.
 */
struct zs_page_source {
	uint32_t (*get)(void *context, uint32_t near);
	void (*put)(void *context, uint32_t page);
	void *context;
};

#define ZS_TAG_AUTO UINT32_MAX

/*
 * max_objects bounds the handle entries ever used: live, free in a class, or retired. 0 stands for
 * the sum over classes of (max_pages / pages) * objects per zspage + handle_batch, which is never
 * short unless entries are retired.
 */
struct zs_config {
	struct zs_geometry geometry;
	uint32_t grouping;     /* enum zs_grouping */
	uint32_t algorithm;    /* enum zs_algorithm */
	uint32_t max_pages;    /* 1 .. 2^26; reserved as address space, committed as used */
	uint32_t max_objects;  /* up to 2^31 - 1 */
	uint32_t handle_batch; /* handle entries a class takes from the pool at a time, 1 .. 64 */
	uint32_t tag;          /* below 2^tag_bits; ZS_TAG_AUTO: made from the pool's address */
	struct zs_page_source source;
};

struct zs_pool;

/* Fills geometry from a preset; an unknown preset is taken as ZS_NATIVE. */
void zs_geometry_init(struct zs_geometry *geometry, enum zs_preset preset);

/*
 * A usable configuration: the preset, ratio, destination, 2^18 pages (ZS_TINY: 256), max_objects
 * 0, batch 64 (ZS_TINY: 2), ZS_TAG_AUTO, own page source.
 */
void zs_config_init(struct zs_config *config, enum zs_preset preset);

/*
 * Bytes of metadata that a pool with this configuration needs, for zs_pool_init; and of arena.
 * ZS_EINVAL: a field is outside its range (zs_config_complaint says which).
 */
int zs_pool_footprint(const struct zs_config *config, size_t *metadata_bytes, size_t *arena_bytes);

/* NULL when every field is in its range, else one sentence that names the field and its range. */
const char *zs_config_complaint(const struct zs_config *config);

/*
 * Makes a pool in memory that the caller gives; no OS call is made. metadata must be aligned to
 * 64 bytes, arena to 8; both at least as large as zs_pool_footprint says, else ZS_EINVAL. The
 * memory is the caller's again after zs_pool_destroy. O(classes and their slots).
 */
int zs_pool_init(const struct zs_config *config, void *metadata, size_t metadata_bytes, void *arena,
		 size_t arena_bytes, struct zs_pool **pool);

/* The same in memory reserved from the OS; ZS_ENOMEM when it has no address space to give. */
int zs_pool_create(const struct zs_config *config, struct zs_pool **pool);

/*
 * Ends a pool; live objects go with it, pages go back to the source. ZS_EBUSY while any zspage is
 * pinned or any page locked. O(zspages).
 */
int zs_pool_destroy(struct zs_pool *pool);

/* ---- objects -------------------------------------------------------------------------------- */

/*
 * pool tag | generation | entry index. Never 0. Valid from zs_malloc until zs_free, wherever the
 * object moves.
 */
typedef uint64_t zs_handle;

/*
 * Allocates size bytes (1 .. page_size) and stores the handle. The bytes are undefined. The class
 * is that of size + header: index 0 up to min_size, else ceil((size + header - min_size) / step),
 * at most the last. The object goes to the first zspage of the fullest group that isn't full, down
 * to group 0 inclusive; without one a new zspage is made of pages_per_zspage pages, got one by
 * one, and inserted after its first object is in it. Within a zspage the slot freed last is used
 * first; a new one hands out slots in ascending order. A zspage that changes its group goes to the
 * new group's list, one that doesn't stays in its place. ZS_EINVAL: size 0. ZS_E2BIG: size above
 * page_size. ZS_ENOMEM: the class has no free handle entry and the pool none to give it; or the
 * source has no page (pages got so far go back, last one first). O(1).
 */
int zs_malloc(struct zs_pool *pool, size_t size, zs_handle *handle);

/*
 * Frees an object; its handle is stale from here on. An emptied zspage goes back to the page
 * source, unless it is pinned or one of its pages is locked: then it stays in group 0, where
 * malloc may revive it, and goes back with the last read_end or unlock that finds it still empty.
 * ZS_EINVAL: 0, another pool's tag, or an entry never given out. ZS_ESTALE: the entry holds no
 * object of this generation. The same two errors come from every function that takes a handle. An
 * entry is free to be issued again with the next generation. Generations run from 1 to
 * 2^generation_bits - 2; freeing an object of the last one retires its entry for ever (it stays
 * used). A class reuses its entry freed last first. O(1).
 */
int zs_free(struct zs_pool *pool, zs_handle handle);

/*
 * Bytes of the object that may be read and written: its slot, less the header unless it is huge.
 * O(1).
 */
int zs_usable_size(const struct zs_pool *pool, zs_handle handle, size_t *size);

/* A read window. Fields are to be read only. */
struct zs_view {
	const void *data; /* the object's first len bytes */
	size_t len;
	uint32_t zspage;
};

/*
 * Opens a window on the object's first len bytes (1 .. usable size, else ZS_EINVAL). data points
 * into the pool or, when those len bytes span two pages, to local, to which they have been copied;
 * local may be NULL when the caller knows that they don't (else ZS_EINVAL), and must hold len
 * bytes. The object's zspage is pinned: its objects aren't moved away and its pages neither
 * migrate nor go back. A window may stay open as long as wanted; windows nest and overlap freely.
 * Freeing or writing the object meanwhile is allowed, the window then shows undefined bytes.
 * ZS_EBUSY: 65535 windows are open on that zspage. O(1) + the copy.
 *
 * Built with ASan, the library reports any use of the pool's bytes that no open window covers, at
 * once. Built with MSan, bytes of an object never written, freed or moved away are uninitialised.
 */
int zs_read_begin(struct zs_pool *pool, zs_handle handle, size_t len, void *local,
		  struct zs_view *view);

/* Closes a window. ZS_EINVAL: view names no pinned zspage. O(1). */
int zs_read_end(struct zs_pool *pool, const struct zs_view *view);

/*
 * Copies len bytes (1 .. usable size, else ZS_EINVAL) to the object's start; the rest stays.
 * O(len).
 */
int zs_write(struct zs_pool *pool, zs_handle handle, const void *data, size_t len);

/* ---- pages ---------------------------------------------------------------------------------- */

/* One locked page: the index-th of a zspage. Valid until unlocked, wherever the objects go. */
struct zs_page_ref {
	uint32_t zspage;
	uint32_t index;
};

/*
 * Locks the index-th page of the zspage that holds the object, as the kernel's page lock does: the
 * zspage isn't given back until it is unlocked. Objects still come, go and move. ZS_EINVAL: index
 * not below the class's pages per zspage. ZS_EBUSY: locked already. O(1).
 */
int zs_page_lock(struct zs_pool *pool, zs_handle handle, uint32_t index, struct zs_page_ref *page);

/*
 * ZS_EINVAL: not a locked page. Frees the zspage if it is empty and nothing else holds it. O(1).
 */
int zs_page_unlock(struct zs_pool *pool, struct zs_page_ref page);

/*
 * Moves the bytes of a locked page to a new page from the source (got before the old one goes
 * back); the page stays locked, handles and slots stay as they are. ZS_EINVAL: not locked.
 * ZS_EBUSY: the zspage is pinned. ZS_ENOMEM: no page. O(page_size).
 */
int zs_page_migrate(struct zs_pool *pool, struct zs_page_ref page);

/* ---- compaction ----------------------------------------------------------------------------- */

/*
 * Compacts every class, from the largest size to the smallest, and returns the pages freed (which
 * also adds to pages_compacted). Each object moved adds one to objs_moved. A destination is a
 * partial zspage of the fullest partial group that has any; a source an unpinned partial zspage of
 * the emptiest partial group that has one; the first of the list, or with ZS_OPTIMAL the one of
 * that list with the most (source: fewest) in use, of equals the first. Both are off their lists
 * until put back. A pinned zspage can be a destination, never a source. Objects move in ascending
 * slot order.
 *
 * ZS_DESTINATION and ZS_OPTIMAL, per class, while zs_class_compactable isn't 0:
 *  1. without a destination, take one; none: end;
 *  2. take a source; none: end;
 *  3. move objects until the destination is full or the source empty;
 *  4. put the source back; if its group is 0 now count its pages as freed and free it (it stays in
 *     group 0 if a page is locked; it is counted all the same, as the kernel does);
 *  5. put a full destination back.
 * A destination left over is put back.
 *
 * ZS_SOURCE, per class:
 *  1. take a source; none: end; if zs_class_compactable is 0, put it back: end;
 *  2. take a destination; none: put the source back: end;
 *  3. move objects until the source is empty or the destination full;
 *  4. put the destination back; if the source isn't empty, go to 2;
 *  5. put the source back, count its pages as freed and free it, as above; go to 1.
 */
uint64_t zs_compact(struct zs_pool *pool);

/* The same for one class; index as in zs_class_stats, else ZS_EINVAL. */
int zs_compact_class(struct zs_pool *pool, uint32_t index, uint64_t *pages_freed);

/* ---- queries -------------------------------------------------------------------------------- */

/* Pages held by zspages now, as the kernel's zs_get_total_pages. */
uint64_t zs_get_total_pages(const struct zs_pool *pool);

/*
 * The smallest object size that ends up in a page of its own though it need not be a whole page,
 * as the kernel's: size of the largest class with more than one page and more than one object per
 * zspage, less header, plus 1; 0 if there is none.
 */
size_t zs_huge_class_size(const struct zs_pool *pool);

/* Number of logical classes, merged ones included. */
uint32_t zs_class_count(const struct zs_pool *pool);

/*
 * The class that zs_malloc(size) would use: its index, the highest of the logical classes merged
 * into it. Sizes outside 1 .. page_size give the first and the last.
 */
uint32_t zs_lookup_class_index(const struct zs_pool *pool, size_t size);

/*
 * What compaction could free, in pages, as the kernel's zs_can_compact: (allocated - used) / N *
 * pages, over the whole class, so pinned and deferred zspages count too; 0 for an index out of
 * range or merged away.
 */
uint64_t zs_class_compactable(const struct zs_pool *pool, uint32_t index);

/* The sum over all classes. */
uint64_t zs_compactable(const struct zs_pool *pool);

#define ZS_STATS_VERSION 2

struct zs_pool_stats {
	uint32_t version;         /* ZS_STATS_VERSION of the library */
	uint32_t classes;         /* classes left after merging */
	uint64_t pages;           /* held now */
	uint64_t pages_peak;      /* the most held at once (a page being migrated counts once) */
	uint64_t objects;         /* live */
	uint64_t zspages;         /* held now */
	uint64_t objs_moved;      /* by compaction, since creation */
	uint64_t pages_compacted; /* by compaction, since creation */
	uint64_t pages_migrated;  /* by zs_page_migrate, since creation */
	uint64_t handles_retired; /* entries that will never be issued again */
	uint64_t metadata_bytes;  /* the fixed part, and entries, records and rows ever used */
};

struct zs_class_stats {
	uint32_t version;
	uint32_t index; /* highest logical index of those merged into this class */
	uint32_t size;  /* of a slot, bytes */
	uint32_t pages_per_zspage;
	uint32_t objs_per_zspage;
	uint32_t groups;          /* number of fullness groups */
	uint64_t objs_allocated;  /* slots in zspages held */
	uint64_t objs_inuse;      /* live objects */
	uint64_t zspages;         /* held */
	uint64_t objs_moved;      /* by compaction, since creation */
	uint64_t pages_compacted; /* by compaction, since creation */
	/* Since version 2. */
	uint64_t copies; /* pieces copied for these moves; a page border on either side ends one */
	uint64_t bytes_moved; /* objs_moved times a slot's bytes, less its header unless huge */
};

/*
 * size is sizeof *stats as the caller knows it; at most that much is written, whole fields only,
 * newer fields last. ZS_EINVAL: size below 8.
 */
int zs_pool_stats(const struct zs_pool *pool, struct zs_pool_stats *stats, size_t size);

/*
 * index is any logical one; a merged one gives the class it went to. ZS_EINVAL: out of range, size
 * below 8.
 */
int zs_class_stats(const struct zs_pool *pool, uint32_t index, struct zs_class_stats *stats,
		   size_t size);

/* ---- inspection (tests, fuzzers, debuggers) ------------------------------------------------- */

#define ZS_NONE UINT32_MAX

struct zs_location {
	uint32_t index;  /* class, as in zs_class_stats */
	uint32_t zspage; /* its number; stays the same while the zspage lives */
	uint32_t slot;   /* 0 .. objs_per_zspage - 1 */
};

struct zs_zspage_info {
	uint32_t index; /* class */
	uint32_t group; /* fullness group whose list it is on */
	uint32_t inuse;
	uint32_t pins;   /* open windows */
	uint32_t locked; /* bit i: page i is locked */
};

/* Where an object is now. O(1). */
int zs_locate(const struct zs_pool *pool, zs_handle handle, struct zs_location *location);

/* ZS_EINVAL: no zspage of this number is held. O(1). */
int zs_zspage_info(const struct zs_pool *pool, uint32_t zspage, struct zs_zspage_info *info);

/* The handle of the object in a slot; 0: none, or no such slot. O(1). */
zs_handle zs_slot_handle(const struct zs_pool *pool, uint32_t zspage, uint32_t slot);

/*
 * Where a slot's bytes start: page number in the arena and offset in that page. ZS_EINVAL: no such
 * slot.
 */
int zs_slot_address(const struct zs_pool *pool, uint32_t zspage, uint32_t slot, uint32_t *page,
		    uint32_t *offset);

/* The page number of a zspage's index-th page; ZS_NO_PAGE: no such page. O(1). */
uint32_t zs_zspage_page(const struct zs_pool *pool, uint32_t zspage, uint32_t index);

/* Number of zspages on a group's list; 0 for a group or class out of range. O(1). */
uint32_t zs_group_size(const struct zs_pool *pool, uint32_t index, uint32_t group);

/* First zspage of a group's list, and the one after; ZS_NONE at the end or out of range. O(1). */
uint32_t zs_group_first(const struct zs_pool *pool, uint32_t index, uint32_t group);
uint32_t zs_group_next(const struct zs_pool *pool, uint32_t zspage);

struct zs_broken {
	const char *invariant; /* its ID, as in core/README.md */
	uint64_t where;        /* a zspage, entry, page or class, as that table says */
};

/*
 * Walks everything and recounts it. ZS_ECORRUPT: *broken names the first invariant that doesn't
 * hold. Never loops or reads outside the pool, whatever the metadata says. O(everything).
 */
int zs_check(const struct zs_pool *pool, struct zs_broken *broken);

#ifdef __cplusplus
}
#endif

#endif
