/* SPDX-License-Identifier: BSD-3-Clause */
/* Every invariant is broken once, by hand, under each grouping, and zs_check must say which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lists.h"
#include "pool.h"

enum { NO_GROUP = 2 }; /* the group of none of the zspages, under each grouping */

static struct zs_pool *pool;
static struct zspages *all;
static struct zs_class *class;
static zs_handle handle[5];
static uint32_t grouping;
static uint32_t full;    /* a zspage with its 4 slots in use */
static uint32_t partial; /* one with 1 */

/* Two zspages of 4 slots, 5 objects, one entry retired, one spare record; all of it right. */
static int make(void **state)
{
	struct zs_location location;
	struct zs_config config;
	struct zs_broken broken;
	zs_handle gone;

	(void)state;
	zs_config_init(&config, ZS_TINY);
	config.grouping = grouping;
	assert_int_equal(zs_pool_create(&config, &pool), ZS_OK);
	all = &pool->zspages;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(zs_malloc(pool, 64, &gone), ZS_OK);
		assert_int_equal(zs_free(pool, gone), ZS_OK);
	}
	for (int i = 0; i < 5; i++)
		assert_int_equal(zs_malloc(pool, 16, &handle[i]), ZS_OK);
	zs_locate(pool, handle[0], &location);
	full = location.zspage;
	zs_locate(pool, handle[4], &location);
	partial = location.zspage;
	class = &pool->class[all->class_of[full]];
	assert_int_equal(class->capacity, 4);
	assert_int_equal(zs_check(pool, &broken), ZS_OK);
	return 0;
}

static int end(void **state)
{
	struct zs_broken broken = { NULL, 0 };

	assert_int_equal(zs_check(pool, &broken), ZS_ECORRUPT);
	assert_string_equal(broken.invariant, *state);
	return zs_pool_destroy(pool);
}

static uint64_t *entry_of(int i)
{
	return &pool->handles.entry[handle_index(handle[i])];
}

static uint32_t head_of(uint32_t z)
{
	return ring_list(&all->ring, z);
}

/* Puts a zspage on a list of its class where it doesn't belong. */
static void misplace(struct zs_class *its, uint32_t list, uint32_t z)
{
	if (head_of(z) < its->first_list + its->groups)
		lists_leave(its, z);
	else
		ring_del(&all->ring, z);
	ring_add(&all->ring, lists_head(its, list), z);
	if (list < its->groups)
		bitmap_set(its->occupied, list);
}

#define BREAK(name, damage)            \
	static void name(void **state) \
	{                              \
		(void)state;           \
		damage;                \
	}

BREAK(link_astray, all->ring.next[full] = UINT32_MAX)
BREAK(link_not_undone, all->ring.prev[full] = partial)
BREAK(list_unknown, all->ring.list[full] = (int32_t)head_of(partial))
BREAK(list_uncounted, all->ring.count[head_of(full)]++)
BREAK(wrong_class, all->class_of[full]++)
BREAK(bit_missing, bitmap_clear(class->occupied, class->group_of[1]))
BREAK(bit_left, bitmap_set(class->occupied, NO_GROUP))
BREAK(record_lost, lists_leave(class, partial); class->inuse -= 1; class->held -= 1;
      class->allocated -= 4)
BREAK(spare_in_use, all->inuse[all->ring.heads] = 1)
BREAK(emptied_left, uint32_t spare = (uint32_t)all->ring.heads;
      struct zs_class *its = &pool->class[all->class_of[spare]];
      misplace(its, its->groups + CLASS_EMPTIED, spare))
BREAK(empty_held, all->inuse[partial] = 0; misplace(class, 0, partial))
BREAK(wrong_group, misplace(class, NO_GROUP, partial))
BREAK(too_many_in_use, all->inuse[full] = 5)
BREAK(slot_twice, all->at[all->slot_row[full]] = 1)
BREAK(slot_outside, all->pos[all->slot_row[full]] = -1)
BREAK(slot_unowned, all->owner[all->slot_row[full]] = CLASS_NO_OWNER)
BREAK(free_slot_owned, all->owner[all->slot_row[partial] + 3] = 0)
BREAK(location_elsewhere, *entry_of(0) += 1)
BREAK(owner_dead, *entry_of(0) -= ENTRY_LIVE)
BREAK(free_entry_out_of_range, class->free.top = pool->handles.given)
BREAK(free_entry_twice, pool->handles.entry[class->free.top] = ENTRY_GENERATION + class->free.top)
BREAK(free_entry_lost, class->free.top = HANDLE_NONE)
BREAK(free_entry_shared, pool->class[0].free.top = class->free.top)
BREAK(free_entry_live, class->free.top = handle_index(handle[0]))
BREAK(retired_but_live, *entry_of(0) = *entry_of(0) % ENTRY_GENERATION + 3 * ENTRY_GENERATION)
BREAK(entry_uncounted, pool->handles.given++; pool->handles.entry[pool->handles.given - 1] = 0)
BREAK(retired_uncounted, class->retired++)
BREAK(objects_uncounted, class->inuse++)
BREAK(zspages_uncounted, class->held++)
BREAK(slots_uncounted, class->allocated++)
BREAK(page_outside, all->page[all->page_row[full]] = pool->config.max_pages * 64ull)
BREAK(page_crooked, all->page[all->page_row[full]] += 8)
BREAK(page_twice, all->page[all->page_row[full]] = all->page[all->page_row[partial]])
BREAK(pages_uncounted, pool->pages++)
BREAK(peak_too_low, pool->pages_peak = 1)

int main(void)
{
#define TEST(name, id) cmocka_unit_test_prestate_setup_teardown(name, make, end, id)
	const struct CMUnitTest tests[] = {
		TEST(link_astray, "ring.links"),
		TEST(link_not_undone, "ring.links"),
		TEST(list_unknown, "ring.list"),
		TEST(list_uncounted, "ring.count"),
		TEST(bit_missing, "list.occupied"),
		TEST(bit_left, "list.occupied"),
		TEST(wrong_class, "zspage.class"),
		TEST(record_lost, "zspage.lost"),
		TEST(spare_in_use, "zspage.spare"),
		TEST(emptied_left, "zspage.emptied"),
		TEST(empty_held, "zspage.deferred"),
		TEST(wrong_group, "fullness.group"),
		TEST(too_many_in_use, "slots.inuse"),
		TEST(slot_twice, "slots.permutation"),
		TEST(slot_outside, "slots.permutation"),
		TEST(slot_unowned, "slots.owner"),
		TEST(free_slot_owned, "slots.owner"),
		TEST(location_elsewhere, "handle.location"),
		TEST(owner_dead, "handle.location"),
		TEST(free_entry_out_of_range, "handle.free"),
		TEST(free_entry_twice, "handle.free"),
		TEST(free_entry_live, "handle.free"),
		TEST(free_entry_lost, "handle.count"),
		TEST(free_entry_shared, "handle.count"),
		TEST(retired_but_live, "handle.generation"),
		TEST(entry_uncounted, "handle.count"),
		TEST(retired_uncounted, "handle.retired"),
		TEST(objects_uncounted, "class.inuse"),
		TEST(zspages_uncounted, "class.zspages"),
		TEST(slots_uncounted, "class.zspages"),
		TEST(page_outside, "page.range"),
		TEST(page_crooked, "page.range"),
		TEST(page_twice, "page.once"),
		TEST(pages_uncounted, "pool.pages"),
		TEST(peak_too_low, "pool.pages"),
	};

	int failed = 0;

	for (grouping = ZS_RATIO; grouping <= ZS_EXACT; grouping++)
		failed += cmocka_run_group_tests(tests, NULL, NULL);
	return failed;
}
