/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli_classes.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli.h"
#include "model.h"

/* ---- reading --------------------------------------------------------------------------------- */

static void count_zspages(struct class_row *row, const struct zs_class_stats *stats,
			  const struct backend *backend, void *pool)
{
	struct zs_zspage_info info;

	for (uint32_t group = 0; group < stats->groups; group++) {
		uint32_t left = backend->group_size(pool, stats->index, group);
		uint32_t zspage = backend->group_first(pool, stats->index, group);

		for (; left && zspage != ZS_NONE;
		     left--, zspage = backend->group_next(pool, zspage))
			if (!backend->zspage_info(pool, zspage, &info))
				row->groups[model_group(ZS_RATIO, info.inuse,
							stats->objs_per_zspage)]++;
	}
}

static void add(struct class_row *total, const struct class_row *row)
{
	for (size_t group = 0; group < CLASSES_GROUPS; group++)
		total->groups[group] += row->groups[group];
	total->obj_allocated += row->obj_allocated;
	total->obj_used += row->obj_used;
	total->pages_used += row->pages_used;
	total->freeable += row->freeable;
}

void class_table_read(struct class_table *table, const struct backend *backend, void *pool)
{
	uint32_t count = backend->class_count(pool);

	*table = (struct class_table){ .count = 0 };
	backend->pool_stats(pool, &table->pool);
	for (uint32_t i = 0; i < count && i < CLASSES_MOST; i++) {
		struct class_row *row = &table->rows[table->count];
		struct zs_class_stats stats;

		if (backend->class_stats(pool, i, &stats) || stats.index != i)
			continue;
		*row = (struct class_row){
			.index = i,
			.size = stats.size,
			.obj_allocated = stats.objs_allocated,
			.obj_used = stats.objs_inuse,
			.pages_used = stats.objs_allocated / stats.objs_per_zspage *
				      stats.pages_per_zspage,
			.pages_per_zspage = stats.pages_per_zspage,
			.freeable = backend->class_compactable(pool, i),
		};
		count_zspages(row, &stats, backend, pool);
		add(&table->total, row);
		table->count++;
	}
}

/* ---- printing -------------------------------------------------------------------------------- */

/* Group 0's column comes last; the kernel has none. */
static const char *const group_names[CLASSES_GROUPS] = {
	"0%", "10%", "20%", "30%", "40%", "50%", "60%", "70%", "80%", "90%", "99%", "100%"
};

static void print_groups(const struct class_row *row)
{
	for (size_t group = 1; group < CLASSES_GROUPS; group++)
		printf("%9" PRIu64 " ", row->groups[group]);
}

static void print_counts(const struct class_row *row)
{
	printf("%13" PRIu64 " %10" PRIu64 " %10" PRIu64 " ", row->obj_allocated, row->obj_used,
	       row->pages_used);
}

void class_table_print(const struct class_table *table)
{
	printf("%s %5s %5s", cli_style(stdout, CLI_BOLD), "class", "size");
	for (size_t group = 1; group < CLASSES_GROUPS; group++)
		printf(" %9s", group_names[group]);
	printf(" %13s %10s %10s %16s %8s %9s%s\n", "obj_allocated", "obj_used", "pages_used",
	       "pages_per_zspage", "freeable", group_names[0], cli_style(stdout, CLI_PLAIN));
	for (size_t i = 0; i < table->count; i++) {
		const struct class_row *row = &table->rows[i];

		printf(" %5u %5u ", row->index, row->size);
		print_groups(row);
		print_counts(row);
		printf("%16u %8" PRIu64 " %9" PRIu64 "\n", row->pages_per_zspage, row->freeable,
		       row->groups[0]);
	}
	printf("\n %5s %5s ", "Total", "");
	print_groups(&table->total);
	print_counts(&table->total);
	printf("%16s %8" PRIu64 " %9" PRIu64 "\n", "", table->total.freeable,
	       table->total.groups[0]);
}

void class_table_print_pool(const struct class_table *table)
{
	const struct zs_pool_stats *pool = &table->pool;

	printf("%" PRIu64 " objects in %" PRIu64 " zspages of %" PRIu64 " pages (peak %" PRIu64
	       "); compaction freed %" PRIu64 " pages with %" PRIu64 " moves; %" PRIu64
	       " pages migrated, %" PRIu64 " handles retired, %" PRIu64 " bytes of metadata\n",
	       pool->objects, pool->zspages, pool->pages, pool->pages_peak, pool->pages_compacted,
	       pool->objs_moved, pool->pages_migrated, pool->handles_retired, pool->metadata_bytes);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static cJSON *row_json(const struct class_row *row)
{
	cJSON *object = cJSON_CreateObject();
	cJSON *groups = cJSON_AddObjectToObject(object, "zspages");

	cJSON_AddNumberToObject(object, "class", row->index);
	cJSON_AddNumberToObject(object, "size", row->size);
	for (size_t group = 0; group < CLASSES_GROUPS; group++)
		cJSON_AddNumberToObject(groups, group_names[group], (double)row->groups[group]);
	cJSON_AddNumberToObject(object, "obj_allocated", (double)row->obj_allocated);
	cJSON_AddNumberToObject(object, "obj_used", (double)row->obj_used);
	cJSON_AddNumberToObject(object, "pages_used", (double)row->pages_used);
	cJSON_AddNumberToObject(object, "pages_per_zspage", row->pages_per_zspage);
	cJSON_AddNumberToObject(object, "freeable", (double)row->freeable);
	return object;
}

cJSON *class_table_json(const struct class_table *table)
{
	cJSON *rows = cJSON_CreateArray();

	for (size_t i = 0; i < table->count; i++)
		cJSON_AddItemToArray(rows, row_json(&table->rows[i]));
	return rows;
}

cJSON *class_table_json_pool(const struct class_table *table)
{
	const struct zs_pool_stats *pool = &table->pool;
	cJSON *object = cJSON_CreateObject();

	cJSON_AddNumberToObject(object, "classes", pool->classes);
	cJSON_AddNumberToObject(object, "pages", (double)pool->pages);
	cJSON_AddNumberToObject(object, "pages_peak", (double)pool->pages_peak);
	cJSON_AddNumberToObject(object, "objects", (double)pool->objects);
	cJSON_AddNumberToObject(object, "zspages", (double)pool->zspages);
	cJSON_AddNumberToObject(object, "objs_moved", (double)pool->objs_moved);
	cJSON_AddNumberToObject(object, "pages_compacted", (double)pool->pages_compacted);
	cJSON_AddNumberToObject(object, "pages_migrated", (double)pool->pages_migrated);
	cJSON_AddNumberToObject(object, "handles_retired", (double)pool->handles_retired);
	cJSON_AddNumberToObject(object, "metadata_bytes", (double)pool->metadata_bytes);
	return object;
}
