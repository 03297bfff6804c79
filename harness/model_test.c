/* SPDX-License-Identifier: BSD-3-Clause */
/* The model against facts about the kernel's file, found without it. No allocator takes part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model.h"

static const struct zs_config kernel_6_1 = {
	.geometry = { 4096, 32, 16, 8, 4, ZS_USED_PERCENT, 12, 20 },
	.max_pages = 1024,
	.handle_batch = 64,
};
static const struct zs_config kernel_6_12 = {
	.geometry = { 4096, 32, 16, 8, 8, ZS_LEAST_WASTE, 12, 20 },
	.max_pages = 1024,
	.handle_batch = 64,
};
/* "a 6" in a comment below: zspage a with 6 of its slots in use. */
/* Class 8: 8 objects on one page; class 16: 4; class 24: 8 on 3 pages. */
static const struct zs_config tiny = {
	.geometry = { 64, 8, 8, 0, 4, ZS_LEAST_WASTE, 2, 2 },
	.max_pages = 16,
	.handle_batch = 2,
};

static struct model *new_model(const struct zs_config *config)
{
	struct model *model = malloc(sizeof(*model));

	assert_non_null(model);
	assert_int_equal(model_init(model, config), ZS_OK);
	return model;
}

static struct model *new_pair(const struct zs_config *base, uint32_t grouping, uint32_t algorithm)
{
	struct zs_config config = *base;

	config.grouping = grouping;
	config.algorithm = algorithm;
	return new_model(&config);
}

static void delete_model(struct model *model)
{
	model_free_all(model);
	free(model);
}

/* Mallocs size bytes for each of the names from .. to - 1. */
static void fill(struct model *model, uint32_t from, uint32_t to, uint64_t size)
{
	for (; from < to; from++)
		assert_int_equal(model_malloc(model, model_object(model, from), size), ZS_OK);
}

static void drop(struct model *model, uint32_t from, uint32_t to)
{
	for (; from < to; from++)
		assert_int_equal(model_free(model, model_object(model, from)), ZS_OK);
}

static const struct model_object *named(struct model *model, uint32_t name)
{
	return &model->objects[model_object(model, name)];
}

static void assert_class(const struct model *model, uint32_t size, uint32_t pages, uint32_t objects)
{
	const struct model_class *class = &model->classes[(size - 32) / 16];

	assert_int_equal(class->size, size);
	assert_int_equal(class->pages, pages);
	assert_int_equal(class->objects, objects);
}

/* ---- geometry -------------------------------------------------------------------------------- */

static void classes_are_the_kernels(void **state)
{
	struct model *before = new_model(&kernel_6_1), *since = new_model(&kernel_6_12);

	(void)state;
	assert_int_equal(before->logical, 255);
	assert_int_equal(before->classes_left, 69);
	assert_int_equal(since->classes_left, 119);
	assert_int_equal(model_huge_class_size(before), 3257);
	assert_int_equal(model_huge_class_size(since), 3625);
	/* The largest that isn't huge is the one below the last. */
	assert_true(model_huge(&before->classes[before->physical[0]]));
	assert_int_equal(before->classes[before->physical[1]].size, 3264);
	assert_int_equal(since->classes[since->physical[1]].size, 3632);
	delete_model(before);
	delete_model(since);
}

static void assert_classes(struct zs_config config, uint32_t page_size, uint32_t left)
{
	struct model *model;

	config.geometry.page_size = page_size;
	config.geometry.class_step = page_size / 256;
	model = new_model(&config);
	assert_int_equal(model->logical, 257);
	assert_int_equal(model->classes_left, left);
	assert_int_equal(model_class_index(model, page_size), 256);
	delete_model(model);
}

static void larger_pages_have_the_kernels_classes_too(void **state)
{
	(void)state;
	assert_classes(kernel_6_1, 16384, 70);
	assert_classes(kernel_6_1, 65536, 72);
	assert_classes(kernel_6_12, 16384, 121);
	assert_classes(kernel_6_12, 65536, 123);
}

static void a_258th_class_is_one_too_many(void **state)
{
	struct zs_config config = kernel_6_12;

	(void)state;
	config.geometry.class_step = 8;
	config.geometry.min_size = 2048;
	assert_int_equal(model_wrong_fields(&config), 0);
	config.geometry.min_size = 2040;
	assert_int_equal(model_wrong_fields(&config),
			 1u << MODEL_MIN_SIZE | 1u << MODEL_CLASS_STEP);
}

static void a_chain_of_ten_has_141_classes(void **state)
{
	struct zs_config config = kernel_6_12;
	struct model *model;

	(void)state;
	config.geometry.chain = 10;
	model = new_model(&config);
	assert_int_equal(model->classes_left, 141);
	assert_true(model_huge(&model->classes[model->physical[0]]));
	assert_false(model_huge(&model->classes[model->physical[1]]));
	delete_model(model);
}

static void the_rules_differ_for_class_208_alone(void **state)
{
	struct zs_config config = kernel_6_1;
	struct model *percent = new_model(&config), *waste;
	uint32_t i;

	(void)state;
	config.geometry.chain_rule = ZS_LEAST_WASTE;
	waste = new_model(&config);
	assert_class(percent, 208, 2, 39);
	assert_class(waste, 208, 3, 59);
	for (i = 0; i < 255; i++)
		if (waste->classes[i].size != 208)
			assert_int_equal(waste->classes[i].pages, percent->classes[i].pages);
	delete_model(percent);
	delete_model(waste);
}

static void sizes_find_their_class(void **state)
{
	struct model *model = new_model(&kernel_6_12);

	(void)state;
	assert_int_equal(model_class_index(model, 1), model_class_index(model, 24));
	assert_int_equal(model->classes[model_class_index(model, 24)].size, 32);
	assert_int_equal(model->classes[model_class_index(model, 25)].size, 48);
	assert_int_equal(model->classes[model_class_index(model, 3624)].size, 3632);
	assert_int_equal(model_class_index(model, 3625), 254);
	assert_int_equal(model_class_index(model, 4096), 254);
	assert_int_equal(model_class_index(model, 1000000), 254);
	delete_model(model);
}

static void a_huge_object_has_no_header(void **state)
{
	struct model *model = new_model(&kernel_6_12);

	(void)state;
	fill(model, 0, 1, 4096);
	assert_int_equal(model_usable_size(model, model_object(model, 0)), 4096);
	assert_false(model_spans(model, model_object(model, 0), 4096));
	fill(model, 1, 3, 3624);
	assert_int_equal(model_usable_size(model, model_object(model, 1)), 3624);
	assert_false(model_spans(model, model_object(model, 1), 3624));
	/* Slot 1 of class 3632 has its bytes at 3640: 456 of them are on the first page. */
	assert_false(model_spans(model, model_object(model, 2), 456));
	assert_true(model_spans(model, model_object(model, 2), 457));
	delete_model(model);
}

static void wrong_configurations_are_refused(void **state)
{
	struct model *model = malloc(sizeof(*model));
	struct zs_config config = tiny;

	(void)state;
	assert_non_null(model);
	config.grouping = ZS_EXACT + 1;
	assert_int_equal(model_init(model, &config), ZS_EINVAL);
	config = tiny;
	config.algorithm = ZS_OPTIMAL + 1;
	assert_int_equal(model_init(model, &config), ZS_EINVAL);
	config = tiny;
	config.geometry.header = 8;
	assert_int_equal(model_init(model, &config), ZS_EINVAL);
	config = tiny;
	config.tag = 4;
	assert_int_equal(model_init(model, &config), ZS_EINVAL);
	config = kernel_6_12;
	config.geometry.class_step = 8;
	assert_int_equal(model_init(model, &config), ZS_EINVAL);
	free(model);
}

/* ---- groups, slots, selection ---------------------------------------------------------------- */

static void ratio_groups_are_those_of_6_12(void **state)
{
	(void)state;
	assert_int_equal(model_groups(ZS_RATIO, 10), 12);
	assert_int_equal(model_group(ZS_RATIO, 0, 10), 0);
	assert_int_equal(model_group(ZS_RATIO, 1, 100), 1);
	assert_int_equal(model_group(ZS_RATIO, 9, 100), 1);
	assert_int_equal(model_group(ZS_RATIO, 1, 10), 2);
	assert_int_equal(model_group(ZS_RATIO, 1, 2), 6);
	assert_int_equal(model_group(ZS_RATIO, 99, 100), 10);
	assert_int_equal(model_group(ZS_RATIO, 1, 1), 11);
	assert_int_equal(model_group(ZS_RATIO, 128, 128), 11);
	assert_int_equal(model_group(ZS_RATIO, 32767, 32768), 10);
}

static void threshold_groups_are_those_of_6_1(void **state)
{
	(void)state;
	assert_int_equal(model_groups(ZS_THRESHOLD, 10), 4);
	assert_int_equal(model_group(ZS_THRESHOLD, 0, 10), 0);
	assert_int_equal(model_group(ZS_THRESHOLD, 1, 10), 1);
	assert_int_equal(model_group(ZS_THRESHOLD, 7, 10), 1);
	assert_int_equal(model_group(ZS_THRESHOLD, 8, 10), 2);
	assert_int_equal(model_group(ZS_THRESHOLD, 9, 10), 2);
	assert_int_equal(model_group(ZS_THRESHOLD, 10, 10), 3);
	/* Up to four objects nothing is almost full; five are the fewest with which it is. */
	assert_int_equal(model_group(ZS_THRESHOLD, 1, 1), 3);
	assert_int_equal(model_group(ZS_THRESHOLD, 1, 2), 1);
	assert_int_equal(model_group(ZS_THRESHOLD, 2, 3), 1);
	assert_int_equal(model_group(ZS_THRESHOLD, 3, 4), 1);
	assert_int_equal(model_group(ZS_THRESHOLD, 4, 5), 2);
	assert_int_equal(model_group(ZS_THRESHOLD, 24576, 32768), 1);
	assert_int_equal(model_group(ZS_THRESHOLD, 24577, 32768), 2);
}

static void exact_groups_are_the_counts(void **state)
{
	const struct zs_config large = {
		.geometry = { 65536, 8, 65536, 0, 4, ZS_LEAST_WASTE, 2, 2 },
		.grouping = ZS_EXACT,
		.max_pages = 8,
		.handle_batch = 2,
	};
	struct model *model = new_model(&large);
	struct zs_class_stats stats;

	(void)state;
	assert_int_equal(model_groups(ZS_EXACT, 32768), 32769);
	assert_int_equal(model_groups(ZS_EXACT, 1), 2);
	assert_int_equal(model_group(ZS_EXACT, 0, 8), 0);
	assert_int_equal(model_group(ZS_EXACT, 5, 8), 5);
	assert_int_equal(model_group(ZS_EXACT, 8, 8), 8);
	fill(model, 0, 3, 8);
	model_class_stats(model, 0, &stats);
	assert_int_equal(stats.groups, 8193);
	assert_int_equal(model->zspages[named(model, 0)->zspage].group, 3);
	assert_int_equal(model->classes[0].count[3], 1);
	drop(model, 0, 1);
	assert_int_equal(model->classes[0].count[3], 0);
	assert_int_equal(model->classes[0].first[2], named(model, 1)->zspage);
	delete_model(model);
}

/* Names 0 .. 23 fill three zspages of 8. */
static void three_full(struct model *model, uint32_t *a, uint32_t *b, uint32_t *c)
{
	fill(model, 0, 24, 8);
	*a = named(model, 0)->zspage;
	*b = named(model, 8)->zspage;
	*c = named(model, 16)->zspage;
}

static void slots_ascend_then_the_last_freed_is_first(void **state)
{
	struct model *model = new_model(&tiny);

	(void)state;
	fill(model, 0, 6, 8);
	assert_int_equal(named(model, 0)->slot, 0);
	assert_int_equal(named(model, 5)->slot, 5);
	drop(model, 1, 2);
	drop(model, 4, 5);
	fill(model, 6, 9, 8);
	assert_int_equal(named(model, 6)->slot, 4);
	assert_int_equal(named(model, 7)->slot, 1);
	assert_int_equal(named(model, 8)->slot, 6);
	delete_model(model);
}

static void malloc_picks_the_fullest_that_is_not_full(void **state)
{
	struct model *model = new_model(&tiny);
	uint32_t a, b, c;

	(void)state;
	three_full(model, &a, &b, &c);
	drop(model, 0, 1);
	drop(model, 16, 18);
	drop(model, 8, 10);
	/* 7 of 8: group 9; 6 of 8, twice: group 8, the one that came last at the head. */
	assert_int_equal(model->zspages[a].group, 9);
	assert_int_equal(model->zspages[b].group, 8);
	assert_int_equal(model->classes[0].first[8], b);
	assert_int_equal(model->zspages[b].next, c);
	fill(model, 24, 26, 8);
	assert_int_equal(named(model, 24)->zspage, a);
	assert_int_equal(named(model, 25)->zspage, b);
	fill(model, 26, 27, 8);
	assert_int_equal(named(model, 26)->zspage, b);
	fill(model, 27, 28, 8);
	assert_int_equal(named(model, 27)->zspage, c);
	delete_model(model);
}

/* ---- compaction ------------------------------------------------------------------------------ */

static void compaction_fills_the_fullest_from_the_emptiest(void **state)
{
	struct model *model = new_model(&tiny);
	uint32_t a, b, c;

	(void)state;
	three_full(model, &a, &b, &c);
	drop(model, 0, 2);   /* 6 in a, its slot 1 freed last */
	drop(model, 8, 13);  /* 3 in b */
	drop(model, 16, 22); /* 2 in c, slots 6 and 7 */
	assert_int_equal(model_compactable(model), 1);
	assert_int_equal(model_compact(model), 1);
	assert_int_equal(model->moved, 2);
	assert_int_equal(named(model, 22)->zspage, a);
	assert_int_equal(named(model, 22)->slot, 1);
	assert_int_equal(named(model, 23)->slot, 0);
	assert_false(model->zspages[c].held);
	assert_int_equal(model->zspages[a].group, 11);
	assert_int_equal(model->zspages[b].inuse, 3);
	assert_int_equal(model->pages, 2);
	assert_int_equal(model_compact(model), 0);
	assert_int_equal(model->moved, 2);
	delete_model(model);
}

/* One empty zspage with a locked page, two that don't merge: 2 objects copied, 0 pages freed. */
static void a_deferred_zspage_makes_compaction_work_in_vain(void **state)
{
	struct model *model = new_model(&tiny);
	uint32_t empty;

	(void)state;
	fill(model, 0, 24, 8);
	empty = named(model, 0)->zspage;
	assert_int_equal(model_page_lock(model, model_object(model, 0), 0), ZS_OK);
	drop(model, 0, 8);
	drop(model, 8, 11);  /* 5 */
	drop(model, 16, 18); /* 6 */
	assert_true(model->zspages[empty].held);
	assert_int_equal(model->zspages[empty].group, 0);
	assert_int_equal(model_compactable(model), 1);
	assert_int_equal(model_compact(model), 0);
	assert_int_equal(model->moved, 2);
	assert_int_equal(model->pages, 3);
	assert_int_equal(model_page_unlock(model, empty, 0), ZS_OK);
	assert_int_equal(model->pages, 2);
	assert_int_equal(model->compacted, 0);
	delete_model(model);
}

static void a_locked_source_counts_as_freed_but_stays(void **state)
{
	struct model *model = new_model(&tiny);
	uint32_t source;

	(void)state;
	fill(model, 0, 16, 8);
	source = named(model, 8)->zspage;
	drop(model, 0, 3);
	drop(model, 8, 13);
	assert_int_equal(model_page_lock(model, model_object(model, 13), 0), ZS_OK);
	assert_int_equal(model_compact(model), 1);
	assert_int_equal(model->compacted, 1);
	assert_int_equal(model->pages, 2);
	assert_int_equal(model->zspages[source].group, 0);
	/* malloc revives it; then the unlock doesn't give it back. */
	fill(model, 30, 31, 8);
	assert_int_equal(named(model, 30)->zspage, source);
	assert_int_equal(model_page_unlock(model, source, 0), ZS_OK);
	assert_true(model->zspages[source].held);
	delete_model(model);
}

static void a_pinned_zspage_is_a_destination_never_a_source(void **state)
{
	struct model *model = new_model(&tiny);
	uint32_t fuller, emptier;

	(void)state;
	fill(model, 0, 16, 8);
	fuller = named(model, 0)->zspage;
	emptier = named(model, 8)->zspage;
	drop(model, 0, 3);
	drop(model, 8, 13);
	assert_int_equal(model_read_begin(model, model_object(model, 15), 8, false), ZS_OK);
	assert_int_equal(model_compact(model), 0);
	assert_int_equal(model->moved, 0);
	assert_int_equal(model_read_end(model, emptier), ZS_OK);
	assert_int_equal(model_read_begin(model, model_object(model, 7), 8, false), ZS_OK);
	assert_int_equal(model_compact(model), 1);
	assert_int_equal(named(model, 15)->zspage, fuller);
	delete_model(model);
}

/* Names 0 .. 23 of class 8 in three zspages, f 6, e 2, s 1; threshold has them in one group: s e f. */
static void f_e_and_s(struct model *model, uint32_t *f, uint32_t *e, uint32_t *s)
{
	three_full(model, f, e, s);
	drop(model, 0, 2);
	drop(model, 8, 14);
	drop(model, 16, 23);
}

/* One pool, every grouping with every algorithm: who is emptied, and into whom. */
static void each_pair_has_its_own_way(void **state)
{
	enum { F, E, S };
	static const struct {
		uint32_t grouping, algorithm;
		int gone, fuller;
		uint64_t moved;
	} ways[] = {
		{ ZS_RATIO, ZS_DESTINATION, S, F, 1 },     { ZS_RATIO, ZS_SOURCE, S, F, 1 },
		{ ZS_RATIO, ZS_OPTIMAL, S, F, 1 },         { ZS_EXACT, ZS_DESTINATION, S, F, 1 },
		{ ZS_EXACT, ZS_SOURCE, S, F, 1 },          { ZS_EXACT, ZS_OPTIMAL, S, F, 1 },
		{ ZS_THRESHOLD, ZS_DESTINATION, E, S, 2 }, { ZS_THRESHOLD, ZS_SOURCE, S, E, 1 },
		{ ZS_THRESHOLD, ZS_OPTIMAL, S, F, 1 },
	};
	static const uint32_t inuse[] = { [F] = 6, [E] = 2, [S] = 1 };
	uint32_t zspages[3];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct model *model = new_pair(&tiny, ways[i].grouping, ways[i].algorithm);

		f_e_and_s(model, &zspages[F], &zspages[E], &zspages[S]);
		assert_int_equal(model_compact(model), 1);
		assert_int_equal(model->moved, ways[i].moved);
		assert_false(model->zspages[zspages[ways[i].gone]].held);
		assert_int_equal(model->zspages[zspages[ways[i].fuller]].inuse,
				 inuse[ways[i].fuller] + ways[i].moved);
		assert_int_equal(model_compact(model), 0);
		assert_int_equal(model->moved, ways[i].moved);
		delete_model(model);
	}
}

/* threshold: a destination that is put back goes behind the head, if that has more in use. */
static void a_zspage_goes_behind_a_fuller_head(void **state)
{
	struct model *model = new_pair(&tiny, ZS_THRESHOLD, ZS_DESTINATION);
	uint32_t f, e, s;

	(void)state;
	f_e_and_s(model, &f, &e, &s);
	assert_int_equal(model->classes[0].first[1], s);
	assert_int_equal(model->zspages[s].next, e);
	assert_int_equal(model->zspages[e].next, f);
	model_compact(model);
	assert_int_equal(model->zspages[s].inuse, 3);
	assert_int_equal(model->classes[0].first[1], f);
	assert_int_equal(model->zspages[f].next, s);
	assert_int_equal(model->zspages[s].next, MODEL_NONE);
	assert_int_equal(model->zspages[s].prev, f);
	assert_int_equal(model->classes[0].count[1], 2);
	delete_model(model);
}

/* threshold with source: nothing can be freed, but what malloc picks next is another. a 5, b 6. */
static void source_reorders_without_freeing(void **state)
{
	struct model *model = new_pair(&tiny, ZS_THRESHOLD, ZS_SOURCE);
	uint32_t a, b;

	(void)state;
	fill(model, 0, 16, 8);
	a = named(model, 0)->zspage;
	b = named(model, 8)->zspage;
	drop(model, 8, 10);
	drop(model, 0, 3);
	assert_int_equal(model->classes[0].first[1], a);
	assert_int_equal(model_compact(model), 0);
	assert_int_equal(model->moved, 0);
	assert_int_equal(model->classes[0].first[1], b);
	assert_int_equal(model->zspages[b].next, a);
	/* The second time it is b that is put back, and stays. */
	assert_int_equal(model_compact(model), 0);
	assert_int_equal(model->classes[0].first[1], b);
	fill(model, 16, 17, 8);
	assert_int_equal(named(model, 16)->zspage, b);
	assert_int_equal(model->zspages[b].group, 2);
	delete_model(model);
}

/* The source is the first of the list, b 6; its last object fills the destination, a 2. */
static void the_last_object_may_fill_the_destination(void **state)
{
	struct model *model = new_pair(&tiny, ZS_THRESHOLD, ZS_SOURCE);
	uint32_t a, b, name;

	(void)state;
	fill(model, 0, 16, 8);
	a = named(model, 0)->zspage;
	b = named(model, 8)->zspage;
	drop(model, 2, 8);
	drop(model, 14, 16);
	assert_int_equal(model->classes[0].first[1], b);
	assert_int_equal(model_compact(model), 1);
	assert_int_equal(model->moved, 6);
	assert_int_equal(model->pages, 1);
	assert_int_equal(model->zspages[a].group, 3);
	/* In ascending order, each to the slot of a that was freed last. */
	for (name = 8; name < 14; name++)
		assert_int_equal(named(model, name)->slot, 7 - (name - 8));
	delete_model(model);
}

/* d 7 is almost full and takes one; the rest goes to e 5. Both are full then, e in front. */
static void a_source_fills_one_destination_after_another(void **state)
{
	struct model *model = new_pair(&tiny, ZS_THRESHOLD, ZS_SOURCE);
	uint32_t d, e, s;

	(void)state;
	three_full(model, &d, &e, &s);
	drop(model, 0, 1);
	drop(model, 8, 11);
	drop(model, 16, 20);
	assert_int_equal(model->classes[0].first[1], s);
	assert_int_equal(model_compact(model), 1);
	assert_int_equal(model->moved, 4);
	assert_int_equal(named(model, 20)->zspage, d);
	assert_int_equal(named(model, 20)->slot, 0);
	assert_int_equal(named(model, 21)->zspage, e);
	assert_int_equal(named(model, 21)->slot, 2);
	assert_int_equal(named(model, 23)->slot, 0);
	assert_int_equal(model->classes[0].first[3], e);
	assert_int_equal(model->zspages[e].next, d);
	delete_model(model);
}

/* An empty zspage with a locked page makes s 4 a source; d 6 has room for two, and there is no other. */
static void without_a_destination_the_source_goes_back_partly_drained(void **state)
{
	struct model *model = new_pair(&tiny, ZS_THRESHOLD, ZS_SOURCE);
	uint32_t empty, d, s;

	(void)state;
	three_full(model, &empty, &d, &s);
	assert_int_equal(model_page_lock(model, model_object(model, 0), 0), ZS_OK);
	drop(model, 0, 8);
	drop(model, 8, 10);
	drop(model, 16, 20);
	assert_int_equal(model_compactable(model), 1);
	assert_int_equal(model_compact(model), 0);
	assert_int_equal(model->moved, 2);
	assert_int_equal(named(model, 20)->zspage, d);
	assert_int_equal(named(model, 20)->slot, 1);
	assert_int_equal(named(model, 21)->slot, 0);
	assert_int_equal(named(model, 22)->zspage, s);
	assert_int_equal(model->zspages[s].inuse, 2);
	assert_int_equal(model->classes[0].first[1], s);
	assert_int_equal(model->classes[0].first[3], d);
	assert_int_equal(model->pages, 3);
	assert_int_equal(model_page_unlock(model, empty, 0), ZS_OK);
	assert_int_equal(model->pages, 2);
	delete_model(model);
}

/* A pinned head is passed over for the next of its group. */
static void a_source_is_the_first_that_is_not_pinned(void **state)
{
	struct model *model = new_pair(&tiny, ZS_THRESHOLD, ZS_SOURCE);
	uint32_t f, e, s;

	(void)state;
	f_e_and_s(model, &f, &e, &s);
	assert_int_equal(model_read_begin(model, model_object(model, 23), 8, false), ZS_OK);
	assert_int_equal(model_compact(model), 1);
	/* e 2 into s 1, which may be a destination. */
	assert_false(model->zspages[e].held);
	assert_int_equal(named(model, 14)->zspage, s);
	assert_int_equal(model->zspages[s].inuse, 3);
	delete_model(model);
}

/* ---- optimal --------------------------------------------------------------------------------- */

/* Class 8: 32 objects on a page. Ratio has 1 .. 3 in group 1, and 29 .. 31 in group 10. */
static const struct zs_config wide = {
	.geometry = { 256, 8, 8, 0, 4, ZS_LEAST_WASTE, 2, 4 },
	.max_pages = 16,
	.handle_batch = 2,
};

/* Names 0 .. 95: d 30; a 3, b 1 in one group, a in front. */
static uint64_t moves_of_two_sources(uint32_t algorithm)
{
	struct model *model = new_pair(&wide, ZS_RATIO, algorithm);
	uint64_t moved;

	fill(model, 0, 96, 8);
	drop(model, 0, 2);
	drop(model, 65, 96);
	drop(model, 32, 61);
	assert_int_equal(model->classes[0].first[1], named(model, 61)->zspage);
	assert_int_equal(model->classes[0].count[1], 2);
	assert_int_equal(model_compact(model), 1);
	moved = model->moved;
	delete_model(model);
	return moved;
}

static void optimal_empties_the_emptiest_of_a_group(void **state)
{
	(void)state;
	assert_int_equal(moves_of_two_sources(ZS_DESTINATION), 3);
	assert_int_equal(moves_of_two_sources(ZS_OPTIMAL), 1);
}

/* Names 0 .. 95: x 29, y 31 in one group, x in front; s 2 holds names 94 and 95. */
static void optimal_fills_the_fullest_of_a_group(void **state)
{
	struct model *model = new_pair(&wide, ZS_RATIO, ZS_OPTIMAL);
	uint32_t x, y;

	(void)state;
	fill(model, 0, 96, 8);
	x = named(model, 0)->zspage;
	y = named(model, 32)->zspage;
	drop(model, 32, 33);
	drop(model, 0, 3);
	drop(model, 64, 94);
	assert_int_equal(model->classes[0].first[10], x);
	assert_int_equal(model_compact(model), 1);
	assert_int_equal(model->moved, 2);
	assert_int_equal(named(model, 94)->zspage, y);
	assert_int_equal(named(model, 94)->slot, 0);
	assert_int_equal(named(model, 95)->zspage, x);
	assert_int_equal(named(model, 95)->slot, 2);
	assert_int_equal(model->classes[0].first[11], y);
	delete_model(model);
}

/* a 2 and b 2, b in front, and d 30: either would do. */
static void of_equals_optimal_takes_the_first(void **state)
{
	struct model *model = new_pair(&wide, ZS_RATIO, ZS_OPTIMAL);
	uint32_t a, b;

	(void)state;
	fill(model, 0, 96, 8);
	a = named(model, 0)->zspage;
	b = named(model, 32)->zspage;
	drop(model, 0, 30);
	drop(model, 32, 62);
	drop(model, 64, 66);
	assert_int_equal(model->classes[0].first[1], b);
	assert_int_equal(model->zspages[b].next, a);
	assert_int_equal(model_compact(model), 1);
	assert_int_equal(model->moved, 2);
	assert_true(model->zspages[a].held);
	assert_false(model->zspages[b].held);
	delete_model(model);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* The pieces of one object's move from one slot to another, in slots of 24 bytes on pages of 64. */
static void assert_pieces(uint32_t header, uint32_t from, uint32_t to, uint64_t copies)
{
	struct zs_config config = tiny;
	struct model *model;
	struct zs_class_stats stats;
	uint32_t index;

	config.geometry.min_size = 16;
	config.geometry.header = header;
	model = new_model(&config);
	index = model_class_index(model, 24 - header);
	fill(model, 0, 16, 24 - header);
	drop(model, to, to + 1);
	drop(model, 8, 8 + from);
	drop(model, 8 + from + 1, 16);
	assert_int_equal(model_compact(model), 3);
	model_class_stats(model, index, &stats);
	assert_int_equal(stats.objs_moved, 1);
	assert_int_equal(stats.copies, copies);
	assert_int_equal(stats.bytes_moved, 24 - header);
	delete_model(model);
}

static void a_page_border_of_either_side_ends_a_piece(void **state)
{
	(void)state;
	/* Slot 2 is bytes 48 .. 71, slot 5 is 120 .. 143; borders at 64 and 128. */
	assert_pieces(0, 0, 1, 1);
	assert_pieces(0, 0, 2, 2);
	assert_pieces(0, 2, 0, 2);
	assert_pieces(0, 2, 2, 2);
	assert_pieces(0, 2, 5, 3);
	assert_pieces(0, 7, 4, 1);
	/* Less 8 bytes: 56 .. 71; 128 .. 143, which has no border inside; 176 .. 191, up to one. */
	assert_pieces(8, 2, 0, 2);
	assert_pieces(8, 2, 5, 2);
	assert_pieces(8, 5, 7, 1);
}

/* Class 3264: 5 objects on 4 pages; slot 1 is bytes 3264 .. 6527, slot 2 up to 9791. */
static void pieces_of_a_kernels_class(void **state)
{
	struct model *model = new_model(&kernel_6_1);
	uint32_t index = model_class_index(model, 3256);
	struct zs_class_stats stats;

	(void)state;
	fill(model, 0, 10, 3256);
	assert_int_equal(model->classes[index].objects, 5);
	drop(model, 1, 2);
	drop(model, 5, 7);
	drop(model, 8, 10);
	/* Slot 2 to slot 1: bytes 6536 .. 8191 .. 9791 to 3272 .. 4095 .. 6527. */
	assert_int_equal(model_compact(model), 4);
	model_class_stats(model, index, &stats);
	assert_int_equal(stats.objs_moved, 1);
	assert_int_equal(stats.copies, 3);
	assert_int_equal(stats.bytes_moved, 3256);
	delete_model(model);
}

/* ---- pages, pins, entries -------------------------------------------------------------------- */

static void a_malloc_that_fails_changes_nothing(void **state)
{
	struct model *model = new_model(&tiny);
	uint32_t object = model_object(model, 0);
	struct zs_pool_stats before, after;

	(void)state;
	model_pool_stats(model, &before);
	model_fail(model, 2, 1);
	assert_int_equal(model_malloc(model, object, 24), ZS_ENOMEM);
	model_pool_stats(model, &after);
	assert_memory_equal(&before, &after, sizeof(before));
	assert_int_equal(model->entries_taken, 0);
	assert_int_equal(model_handle(model, object), ZS_EINVAL);
	assert_int_equal(model_malloc(model, object, 0), ZS_EINVAL);
	assert_int_equal(model_malloc(model, object, 65), ZS_E2BIG);
	assert_int_equal(model_malloc(model, object, 24), ZS_OK);
	assert_int_equal(model->pages, 3);
	model_fail(model, 0, OP_FOREVER);
	assert_int_equal(model_malloc(model, model_object(model, 1), 8), ZS_ENOMEM);
	assert_int_equal(model_malloc(model, model_object(model, 1), 8), ZS_ENOMEM);
	model_fail(model, 0, 0);
	assert_int_equal(model_malloc(model, model_object(model, 1), 8), ZS_OK);
	delete_model(model);
}

static void pages_end_at_max_pages(void **state)
{
	struct model *model = new_model(&tiny);
	uint32_t object = model_object(model, 0), zspage;

	(void)state;
	fill(model, 0, 16, 64);
	assert_int_equal(model_malloc(model, model_object(model, 16), 64), ZS_ENOMEM);
	assert_int_equal(model_page_lock(model, object, 0), ZS_OK);
	zspage = model->objects[object].zspage;
	assert_int_equal(model_page_migrate(model, zspage, 0), ZS_ENOMEM);
	drop(model, 15, 16);
	assert_int_equal(model_page_migrate(model, zspage, 0), ZS_OK);
	assert_int_equal(model->pages_peak, 16);
	assert_int_equal(model_read_begin(model, object, 64, false), ZS_OK);
	assert_int_equal(model_page_migrate(model, zspage, 0), ZS_EBUSY);
	assert_int_equal(model_destroy(model), ZS_EBUSY);
	delete_model(model);
}

static void locks_and_pins_have_limits(void **state)
{
	struct model *model = new_model(&tiny);
	uint32_t i, object = model_object(model, 0);

	(void)state;
	fill(model, 0, 1, 24);
	assert_int_equal(model_page_lock(model, object, 3), ZS_EINVAL);
	assert_int_equal(model_page_lock(model, object, 2), ZS_OK);
	assert_int_equal(model_page_lock(model, object, 2), ZS_EBUSY);
	assert_int_equal(model_page_unlock(model, model->objects[object].zspage, 1), ZS_EINVAL);
	assert_int_equal(model_read_begin(model, object, 25, true), ZS_EINVAL);
	for (i = 0; i < 65535; i++)
		assert_int_equal(model_read_begin(model, object, 24, false), ZS_OK);
	assert_int_equal(model_read_begin(model, object, 24, false), ZS_EBUSY);
	assert_int_equal(model_read_end(model, model->objects[object].zspage), ZS_OK);
	assert_int_equal(model_read_begin(model, object, 24, false), ZS_OK);
	delete_model(model);
}

static void entries_come_in_batches_and_retire(void **state)
{
	struct zs_config config = tiny;
	struct model *model;

	(void)state;
	config.max_objects = 3;
	model = new_model(&config);
	fill(model, 0, 1, 8);
	fill(model, 1, 2, 16);
	assert_int_equal(model->entries_taken, 3);
	assert_int_equal(model_malloc(model, model_object(model, 2), 16), ZS_ENOMEM);
	fill(model, 2, 3, 8);
	assert_int_equal(model_malloc(model, model_object(model, 3), 8), ZS_ENOMEM);
	/* Generations 1 and 2, then never again. */
	drop(model, 1, 2);
	assert_int_equal(model_handle(model, model_object(model, 1)), ZS_ESTALE);
	assert_int_equal(model->retired, 0);
	fill(model, 1, 2, 16);
	drop(model, 1, 2);
	assert_int_equal(model->retired, 1);
	assert_int_equal(model_malloc(model, model_object(model, 1), 16), ZS_ENOMEM);
	delete_model(model);
}

static void content_is_what_was_written_last(void **state)
{
	struct model *model = new_model(&kernel_6_12);
	uint32_t object = model_object(model, 0);
	uint8_t bytes[100], expected[80];

	(void)state;
	fill(model, 0, 1, 100);
	assert_int_equal(model_known(model, object), 0);
	assert_int_equal(model_write(model, object, 60, 1), ZS_OK);
	assert_int_equal(model_write(model, object, 80, 2), ZS_OK);
	assert_int_equal(model_write(model, object, 10, 3), ZS_OK);
	assert_int_equal(model_write(model, object, 20, 4), ZS_OK);
	assert_int_equal(model_write(model, object, 5, 5), ZS_OK);
	assert_int_equal(model_write(model, object, 0, 6), ZS_EINVAL);
	assert_int_equal(model_content(model, object, bytes, 100), 80);
	op_bytes(5, expected, 0, 5);
	op_bytes(4, expected, 5, 20);
	op_bytes(2, expected, 20, 80);
	assert_memory_equal(bytes, expected, 80);
	assert_int_equal(model_content(model, object, bytes, 7), 7);
	delete_model(model);
}

static void the_map_keeps_what_it_is_given(void **state)
{
	struct map map = { 0 };
	uint32_t i;

	(void)state;
	assert_int_equal(map_find(&map, 1), MODEL_NONE);
	for (i = 1; i <= 1000; i++) {
		assert_int_equal(map_reserve(&map, i), 0);
		map_set(&map, (uint64_t)i << 32, i);
	}
	for (i = 1; i <= 1000; i += 3)
		map_remove(&map, (uint64_t)i << 32);
	for (i = 1; i <= 1000; i++)
		assert_int_equal(map_find(&map, (uint64_t)i << 32), i % 3 == 1 ? MODEL_NONE : i);
	free(map.entries);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_are_the_kernels),
		cmocka_unit_test(larger_pages_have_the_kernels_classes_too),
		cmocka_unit_test(a_258th_class_is_one_too_many),
		cmocka_unit_test(a_chain_of_ten_has_141_classes),
		cmocka_unit_test(the_rules_differ_for_class_208_alone),
		cmocka_unit_test(sizes_find_their_class),
		cmocka_unit_test(a_huge_object_has_no_header),
		cmocka_unit_test(wrong_configurations_are_refused),
		cmocka_unit_test(ratio_groups_are_those_of_6_12),
		cmocka_unit_test(threshold_groups_are_those_of_6_1),
		cmocka_unit_test(exact_groups_are_the_counts),
		cmocka_unit_test(slots_ascend_then_the_last_freed_is_first),
		cmocka_unit_test(malloc_picks_the_fullest_that_is_not_full),
		cmocka_unit_test(compaction_fills_the_fullest_from_the_emptiest),
		cmocka_unit_test(a_deferred_zspage_makes_compaction_work_in_vain),
		cmocka_unit_test(a_locked_source_counts_as_freed_but_stays),
		cmocka_unit_test(a_pinned_zspage_is_a_destination_never_a_source),
		cmocka_unit_test(each_pair_has_its_own_way),
		cmocka_unit_test(a_zspage_goes_behind_a_fuller_head),
		cmocka_unit_test(source_reorders_without_freeing),
		cmocka_unit_test(the_last_object_may_fill_the_destination),
		cmocka_unit_test(a_source_fills_one_destination_after_another),
		cmocka_unit_test(without_a_destination_the_source_goes_back_partly_drained),
		cmocka_unit_test(a_source_is_the_first_that_is_not_pinned),
		cmocka_unit_test(optimal_empties_the_emptiest_of_a_group),
		cmocka_unit_test(optimal_fills_the_fullest_of_a_group),
		cmocka_unit_test(of_equals_optimal_takes_the_first),
		cmocka_unit_test(a_page_border_of_either_side_ends_a_piece),
		cmocka_unit_test(pieces_of_a_kernels_class),
		cmocka_unit_test(a_malloc_that_fails_changes_nothing),
		cmocka_unit_test(pages_end_at_max_pages),
		cmocka_unit_test(locks_and_pins_have_limits),
		cmocka_unit_test(entries_come_in_batches_and_retire),
		cmocka_unit_test(content_is_what_was_written_last),
		cmocka_unit_test(the_map_keeps_what_it_is_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
