/* SPDX-License-Identifier: BSD-3-Clause */
/* cli_classes - a pool's statistics by size class, as the kernel's debugfs shows them. */
#ifndef CLI_CLASSES_H
#define CLI_CLASSES_H

#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "backend.h"

#define CLASSES_MOST 257
#define CLASSES_GROUPS \
	12 /* by the share in use: 0 %, up to but not including 10, 20 .. 100 %, 100 % */

/* The columns, for the help of commands. */
#define CLASSES_HELP                                                                              \
	"Columns of the classes, as in the kernel's debugfs: class, size (of a slot, in bytes); " \
	"10% "                                                                                    \
	".. 90%, 99%, 100%: zspages whose slots are in use up to but not including that share, "  \
	"at "                                                                                     \
	"100% all of them; obj_allocated (slots), obj_used (objects), pages_used, "               \
	"pages_per_zspage, "                                                                      \
	"freeable (pages that compaction could free). The last one, 0%, isn't the kernel's: "     \
	"empty "                                                                                  \
	"zspages, whose pages are locked or being read.\n"

struct class_row {
	uint32_t index;
	uint32_t size;                   /* of a slot, bytes */
	uint64_t groups[CLASSES_GROUPS]; /* zspages in each */
	uint64_t obj_allocated;          /* slots */
	uint64_t obj_used;               /* objects */
	uint64_t pages_used;
	uint32_t pages_per_zspage;
	uint64_t freeable; /* pages that compaction could free, as the backend says */
};

struct class_table {
	struct class_row
		rows[CLASSES_MOST]; /* from the smallest size up; none for merged classes */
	size_t count;
	struct class_row total; /* of what can be summed */
	struct zs_pool_stats pool;
};

/*
 * Reads it all through the interface. Whatever the backend's grouping is, the groups are those of the
 * kernel's in-use ratio. O(classes and zspages).
 */
void class_table_read(struct class_table *table, const struct backend *backend, void *pool);

/* The layout of 6.12's zs_stats_size_show, with group 0 behind its last column. */
void class_table_print(const struct class_table *table);

/* An array of the rows. */
cJSON *class_table_json(const struct class_table *table);

/* The pool's own statistics: a sentence, and an object. */
void class_table_print_pool(const struct class_table *table);
cJSON *class_table_json_pool(const struct class_table *table);

#endif
