/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * model - the reference model: an executable zs.h in the plainest code.
 *
 * Written from zs.h and the kernel file alone; it shares no code with the core. Each model_
 * operation below predicts what the zs_ function of the same name returns and carries out its
 * effect on the model: which slot every object is in, the partition into zspages, the order of
 * every group list, every counter (metadata_bytes apart), every byte that was written. An
 * operation that fails changes nothing but the page source's fail switch. What an allocator may
 * choose (handle values, zspage and page numbers) is written into the model by whoever compares:
 * the fields marked "chosen".
 *
 * Objects are known by a number that stands for a name; zspages by a number of the model's own.
 * Everything is O(1) in the number of objects and zspages unless it says otherwise; whatever looks
 * for a group is O(groups).
 */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops.h"
#include "zs.h"

#define MODEL_NONE UINT32_MAX
#define MODEL_NO_MEMORY 1 /* the model itself has no memory; nothing changed */
#define MODEL_CLASSES 257
#define MODEL_CHAIN 16
#define MODEL_PINS 65535
#define MODEL_SLOTS 32768 /* most slots of a zspage */

/* ---- maps from numbers to numbers ------------------------------------------------------------ */

struct map_entry {
	uint64_t key;
	uint32_t value;
};

/* Open addressing, at most half full. Keys are not 0. All zero: an empty map. */
struct map {
	struct map_entry *entries;
	size_t room; /* a power of two, or 0 */
};

/*
 * Room for count keys, so that map_set can't fail. Returns 0, or -1 when memory is out. Amortised
 * O(1).
 */
int map_reserve(struct map *map, size_t count);
void map_set(struct map *map, uint64_t key, uint32_t value);
void map_remove(struct map *map, uint64_t key);
/* MODEL_NONE when the key isn't there. */
uint32_t map_find(const struct map *map, uint64_t key);

/* ---- the state ------------------------------------------------------------------------------- */

/*
 * Bytes [0, len) hold pattern seed, but for those that pieces above it (shorter, written later)
 * cover.
 */
struct model_piece {
	struct model_piece *below;
	uint32_t len;
	uint32_t seed;
};

struct model_object {
	uint32_t name;
	bool issued;     /* it had a handle once */
	bool live;       /* and has one now */
	uint32_t zspage; /* where it is, and was last */
	uint32_t slot;
	uint32_t generation;
	uint32_t version; /* changes with every malloc, free and write */
	uint64_t size;    /* asked for in malloc */
	zs_handle handle; /* chosen; set by model_bind */
	struct model_piece *pieces;
};

struct model_zspage {
	bool held;
	uint32_t class;
	uint32_t group;
	uint32_t next, prev; /* in the group's list; or next unused record */
	uint32_t inuse;
	uint32_t pins;
	uint32_t locked;             /* bit i: page i */
	uint32_t *slots;             /* the object in each slot, or MODEL_NONE */
	uint32_t *free;              /* free slots, the next one last; objects - inuse of them */
	uint32_t id;                 /* chosen; set by model_identify */
	uint32_t pages[MODEL_CHAIN]; /* chosen */
};

struct model_class {
	uint32_t index; /* of the class this one was merged into; its own if none */
	uint32_t size;
	uint32_t pages;   /* per zspage */
	uint32_t objects; /* per zspage */
	uint32_t groups;
	uint32_t *first; /* of the lists, by group; none for a class that was merged */
	uint32_t *count;
	uint64_t zspages;
	uint64_t inuse;
	uint64_t moved;
	uint64_t compacted;
	uint64_t copies;
	uint64_t bytes_moved;
	uint32_t *generations; /* of the free handle entries, the next one last */
	size_t entries;
	size_t entries_room;
};

struct model {
	struct zs_config config;
	struct model_class classes[MODEL_CLASSES];
	uint32_t logical;                 /* classes, merged ones included */
	uint32_t physical[MODEL_CLASSES]; /* indices of those left, from the largest down */
	uint32_t classes_left;
	uint32_t *firsts, *counts; /* of all classes */

	struct model_object *objects; /* one a name that was ever used */
	uint32_t objects_count;
	size_t objects_room;
	struct map names;   /* name + 1 -> object */
	struct map handles; /* handle -> object, live or stale, as long as a name keeps it */

	struct model_zspage *zspages;
	uint32_t zspages_count;
	size_t zspages_room;
	uint32_t zspages_unused; /* first record to use again */
	struct map ids;          /* id + 1 -> zspage held */

	uint64_t entries_most;  /* max_objects, or what 0 stands for */
	uint64_t entries_taken; /* by classes from the pool */
	uint64_t fail_after;    /* the page source's switch */
	uint32_t fail_count;
	uint64_t windows; /* open, over all zspages */
	uint64_t locks;

	uint64_t live, held, slots, pages, pages_peak, moved, compacted, migrated, retired;

	/* What the last operation was about, for comparing. MODEL_NONE: nothing. */
	uint32_t touched_class;
	uint32_t touched_zspage; /* may just have been freed: held is false then */
	bool touched_new;
};

/* ---- creation -------------------------------------------------------------------------------- */

/* The fields of struct zs_config that have a range. */
enum model_field {
	MODEL_PAGE_SIZE,
	MODEL_MIN_SIZE,
	MODEL_CLASS_STEP,
	MODEL_HEADER,
	MODEL_CHAIN_LENGTH,
	MODEL_CHAIN_RULE,
	MODEL_TAG_BITS,
	MODEL_GENERATION_BITS,
	MODEL_GROUPING,
	MODEL_ALGORITHM,
	MODEL_MAX_PAGES,
	MODEL_MAX_OBJECTS,
	MODEL_HANDLE_BATCH,
	MODEL_TAG,
	MODEL_FIELDS
};

/* As zs.h spells them. */
extern const char *const model_field_names[MODEL_FIELDS];

/*
 * The fields that are outside their range, as bits; of a limit on several together (classes, slots
 * of a zspage) each that could be changed to meet it. O(1).
 */
uint32_t model_wrong_fields(const struct zs_config *config);

/* ZS_OK, or ZS_EINVAL: a field is outside its range. O(1). */
int model_config_error(const struct zs_config *config);

/*
 * ZS_OK, else model_config_error's error or MODEL_NO_MEMORY, and nothing is to be freed. O(classes
 * and their groups).
 */
int model_init(struct model *model, const struct zs_config *config);
/* O(everything). */
void model_free_all(struct model *model);

/* ---- operations ------------------------------------------------------------------------------ */

/* The object that stands for a name, made when new. MODEL_NONE: no memory. */
uint32_t model_object(struct model *model, uint32_t name);
/* The allocator's choice of handle for a fresh object. The handle must not be in model->handles. */
void model_bind(struct model *model, uint32_t object, zs_handle handle);
/* The allocator's choice of number for a fresh zspage. It must not be in model->ids. */
void model_identify(struct model *model, uint32_t zspage, uint32_t id);

/* The object must not be live. Besides zs_malloc's results: MODEL_NO_MEMORY. */
int model_malloc(struct model *model, uint32_t object, uint64_t size);
int model_free(struct model *model, uint32_t object);
/* Besides zs_write's results: MODEL_NO_MEMORY. */
int model_write(struct model *model, uint32_t object, uint64_t len, uint32_t seed);
int model_read_begin(struct model *model, uint32_t object, uint64_t len, bool local);
int model_read_end(struct model *model, uint32_t zspage);
int model_page_lock(struct model *model, uint32_t object, uint64_t index);
int model_page_unlock(struct model *model, uint32_t zspage, uint32_t index);
int model_page_migrate(struct model *model, uint32_t zspage, uint32_t index);
/* O(zspages and slots of the class), with ZS_OPTIMAL the square of its zspages. */
int model_compact_class(struct model *model, uint32_t index, uint64_t *freed);
uint64_t model_compact(struct model *model);
/* `fail AFTER COUNT`. */
void model_fail(struct model *model, uint64_t after, uint32_t count);
int model_destroy(const struct model *model);

/* ---- queries --------------------------------------------------------------------------------- */

/* ZS_OK for a live object, else what every function that takes its handle returns. */
int model_handle(const struct model *model, uint32_t object);
/* How many groups there are, and which one of them, for so many objects a zspage. */
uint32_t model_groups(uint32_t grouping, uint32_t objects);
uint32_t model_group(uint32_t grouping, uint32_t inuse, uint32_t objects);
uint32_t model_class_index(const struct model *model, uint64_t size);
size_t model_huge_class_size(const struct model *model);
bool model_huge(const struct model_class *class);
/* Of a live object. */
uint32_t model_usable_size(const struct model *model, uint32_t object);
/* True if the first len bytes of a live object lie on two pages or more. */
bool model_spans(const struct model *model, uint32_t object, uint64_t len);
/* The page in the chain and the offset in it where a slot starts. */
void model_slot_place(const struct model *model, uint32_t zspage, uint32_t slot, uint32_t *page,
		      uint32_t *offset);
uint64_t model_class_compactable(const struct model_class *class);
/* O(classes). */
uint64_t model_compactable(const struct model *model);
/* Everything but metadata_bytes, which is left 0. */
void model_pool_stats(const struct model *model, struct zs_pool_stats *stats);
void model_class_stats(const struct model *model, uint32_t index, struct zs_class_stats *stats);

/*
 * How many bytes from an object's start are known: as many as the longest write. O(writes of
 * falling length).
 */
uint32_t model_known(const struct model *model, uint32_t object);
/* Writes those of bytes [0, len) that are known, and returns their number. O(len). */
uint32_t model_content(const struct model *model, uint32_t object, uint8_t *bytes, uint32_t len);

#endif
