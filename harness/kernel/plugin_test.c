/* SPDX-License-Identifier: GPL-2.0 */
/* Every plug-in of a folder: plugin_test FOLDER */
#define _POSIX_C_SOURCE 200809L
#include <glob.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "backend.h"
#include "generate.h"
#include "plugin.h"

#define OBJECTS 600
#define PAGES 4096

static const struct backend *backend;
static void *pool;
static struct zs_config config;

/* ---- a page source that counts, and refuses -------------------------------------------------- */

static uint32_t free_pages[PAGES], free_count, gets, refuse_at;

static uint32_t get(void *context, uint32_t near)
{
	(void)context, (void)near;
	if (++gets == refuse_at)
		return ZS_NO_PAGE;
	return free_count ? free_pages[--free_count] : ZS_NO_PAGE;
}

static void put(void *context, uint32_t page)
{
	(void)context;
	free_pages[free_count++] = page;
}

static uint32_t pages_out(void)
{
	return PAGES - free_count;
}

static void configure(void)
{
	backend_preset(backend, &config);
	config.max_pages = PAGES;
	config.source = (struct zs_page_source){ .get = get, .put = put };
	free_count = refuse_at = gets = 0;
	for (uint32_t page = PAGES; page; page--)
		free_pages[free_count++] = page - 1;
}

static int start(void **state)
{
	(void)state;
	configure();
	return backend->create(&config, &pool);
}

static int end(void **state)
{
	(void)state;
	assert_int_equal(backend->destroy(pool), ZS_OK);
	assert_int_equal(pages_out(), 0);
	return 0;
}

/* ---- objects whose bytes are known ----------------------------------------------------------- */

struct object {
	zs_handle handle;
	size_t size; /* 0: none */
	uint8_t seed;
};

static struct object objects[OBJECTS];

static uint8_t byte_of(const struct object *object, size_t i)
{
	return (uint8_t)((object->seed + 7 * i) & 0xff);
}

static size_t largest(void)
{
	size_t huge = backend->huge_class_size(pool);

	return backend->traits & BACKEND_NO_HUGE ? huge - 1 : config.geometry.page_size;
}

static void fill(const struct object *object)
{
	uint8_t bytes[1 << 16];

	for (size_t i = 0; i < object->size; i++)
		bytes[i] = byte_of(object, i);
	assert_int_equal(backend->write(pool, object->handle, bytes, object->size), ZS_OK);
}

static void compare(const struct object *object)
{
	uint8_t local[1 << 16];
	struct zs_view view;
	const uint8_t *bytes;

	assert_int_equal(backend->read_begin(pool, object->handle, object->size, local, &view),
			 ZS_OK);
	assert_int_equal(view.len, object->size);
	bytes = view.data;
	for (size_t i = 0; i < object->size; i++)
		if (bytes[i] != byte_of(object, i))
			fail_msg("byte %zu of %zu is wrong", i, object->size);
	assert_int_equal(backend->read_end(pool, &view), ZS_OK);
}

static int make(struct object *object, size_t size, uint8_t seed)
{
	int error = backend->malloc(pool, size, &object->handle);

	if (error)
		return error;
	object->size = size;
	object->seed = seed;
	fill(object);
	return ZS_OK;
}

static void drop(struct object *object)
{
	assert_int_equal(backend->free(pool, object->handle), ZS_OK);
	object->size = 0;
}

static void drop_all(void)
{
	for (size_t i = 0; i < OBJECTS; i++)
		if (objects[i].size)
			drop(&objects[i]);
}

/* The allocator's counts are those of what is live and out; its own check agrees. */
static void account(void)
{
	struct zs_pool_stats stats;
	struct zs_broken broken = { NULL, 0 };
	uint64_t live = 0;

	for (size_t i = 0; i < OBJECTS; i++)
		live += objects[i].size != 0;
	assert_int_equal(backend->pool_stats(pool, &stats), ZS_OK);
	assert_int_equal(stats.objects, live);
	assert_int_equal(stats.pages, pages_out());
	assert_int_equal(backend->total_pages(pool), pages_out());
	assert_true(stats.pages_peak >= stats.pages);
	if (backend->check(pool, &broken))
		fail_msg("%s doesn't hold", broken.invariant);
}

static size_t draw_size(uint64_t *random)
{
	uint64_t word = generate_next(random) >> 16;

	return 1 + (size_t)(word >> 8) % (word & 3 ? largest() / 8 : largest());
}

static void random_step(uint64_t *random)
{
	struct object *object = &objects[(generate_next(random) >> 33) % OBJECTS];

	if (!object->size) {
		assert_int_equal(
			make(object, draw_size(random), (uint8_t)(generate_next(random) >> 56)),
			ZS_OK);
		return;
	}
	compare(object);
	drop(object);
}

static void contents(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (int i = 0; i < 6000; i++) {
		random_step(&random);
		if (i % 500 == 499) {
			backend->compact(pool);
			account();
		}
	}
	for (size_t i = 0; i < OBJECTS; i++)
		if (objects[i].size)
			compare(&objects[i]);
	drop_all();
	account();
	assert_int_equal(pages_out(), 0);
}

/* ---- running it the same twice --------------------------------------------------------------- */

static uint64_t fingerprint(void)
{
	uint64_t random = 2, sum = 0;
	struct zs_location location;

	for (int i = 0; i < 1500; i++)
		random_step(&random);
	sum = backend->compact(pool);
	for (size_t i = 0; i < OBJECTS; i++) {
		if (!objects[i].size || backend->locate(pool, objects[i].handle, &location))
			continue;
		sum = (sum * 31 + location.zspage * 257UL + location.slot) % 1000000007;
	}
	drop_all();
	return sum;
}

static void renew(void **state)
{
	end(state);
	configure();
	assert_int_equal(backend->create(&config, &pool), ZS_OK);
}

static void a_new_pool_does_the_same(void **state)
{
	uint64_t first = fingerprint();

	renew(state);
	assert_int_equal(fingerprint(), first);
}

static void two_pools_share_nothing(void **state)
{
	uint64_t first = fingerprint();
	struct zs_config other = config;
	struct object object;
	void *kept, *second;

	renew(state);
	kept = pool;
	other.source = (struct zs_page_source){ .get = NULL };
	assert_int_equal(backend->create(&other, &second), ZS_OK);
	pool = second;
	assert_int_equal(make(&object, 40, 2), ZS_OK);
	pool = kept;
	assert_int_equal(fingerprint(), first);
	pool = second;
	compare(&object);
	assert_int_equal(backend->destroy(second), ZS_OK);
	pool = kept;
}

static void a_thousand_pools(void **state)
{
	void *kept = pool;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(backend->create(&config, &pool), ZS_OK);
		for (size_t k = 0; k < 3; k++)
			assert_int_equal(make(&objects[k], 100 * (k + 1), (uint8_t)k), ZS_OK);
		compare(&objects[2]);
		assert_int_equal(backend->destroy(pool), ZS_OK);
		assert_int_equal(pages_out(), 0);
	}
	memset(objects, 0, sizeof(objects));
	pool = kept;
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void wrong_sizes(void **state)
{
	zs_handle handle = 5;

	(void)state;
	assert_int_equal(backend->malloc(pool, 0, &handle), ZS_EINVAL);
	assert_int_equal(backend->malloc(pool, largest() + 1, &handle), ZS_E2BIG);
	assert_int_equal(backend->malloc(pool, SIZE_MAX / 2, &handle), ZS_E2BIG);
	assert_int_equal(handle, 5);
	assert_int_equal(pages_out(), 0);
	assert_int_equal(make(&objects[0], 100, 3), ZS_OK);
	assert_int_equal(backend->write(pool, objects[0].handle, "", 0), ZS_EINVAL);
	assert_int_equal(backend->write(pool, objects[0].handle, "", largest() + 1), ZS_EINVAL);
	compare(&objects[0]);
	drop(&objects[0]);
}

/* A write of fewer bytes leaves the rest, across pages too. */
static void short_writes(void **state)
{
	uint64_t random = 3;

	(void)state;
	for (size_t i = 0; i < 64; i++)
		assert_int_equal(
			make(&objects[i], 2 + draw_size(&random) % (largest() - 2), (uint8_t)i),
			ZS_OK);
	for (size_t i = 0; i < 64; i++) {
		assert_int_equal(backend->write(pool, objects[i].handle, &objects[i].seed, 1),
				 ZS_OK);
		compare(&objects[i]);
	}
	drop_all();
}

static void config_that_does_not_fit(void **state)
{
	struct zs_config other = config;
	void *made = &made;

	(void)state;
	assert_null(backend_fits(backend, &config));
	other.geometry.page_size *= 2;
	assert_non_null(backend_fits(backend, &other));
	assert_int_equal(backend->create(&other, &made), ZS_EINVAL);
	other = config;
	other.max_pages = 0;
	assert_non_null(backend_fits(backend, &other));
	other = config;
	other.source.put = NULL;
	assert_non_null(backend_fits(backend, &other));
	assert_ptr_equal(made, &made);
}

/* The source refuses each of the pages that an object needs, in turn. */
static void no_page(void **state)
{
	uint32_t chain = 0;
	size_t size = 1, best = 1;
	struct zs_class_stats stats;

	(void)state;
	for (size = 1; size <= largest(); size++)
		if (!backend->class_stats(pool, backend->lookup_class_index(pool, size), &stats) &&
		    stats.pages_per_zspage > chain) {
			chain = stats.pages_per_zspage;
			best = size;
		}
	for (uint32_t n = 1; n <= (chain ? chain : 1); n++) {
		refuse_at = gets + n;
		assert_int_equal(backend->malloc(pool, best, &objects[0].handle), ZS_ENOMEM);
		account();
		assert_int_equal(pages_out(), 0);
	}
	refuse_at = 0;
	assert_int_equal(make(&objects[0], best, 1), ZS_OK);
	assert_int_equal(pages_out(), chain ? chain : 1);
	compare(&objects[0]);
	drop(&objects[0]);
}

/* Each allocation of metadata that creating a pool and an object need fails, in turn. */
static void no_metadata(void **state)
{
	const struct zsanity_plugin *plugin = plugin_of(backend);
	void *kept = pool;
	uint64_t n;

	(void)state;
	for (n = 1; plugin->fail_allocation(n), backend->create(&config, &pool); n++)
		assert_int_equal(pages_out(), 0);
	assert_true(n > 1);
	assert_int_equal(backend->destroy(pool), ZS_OK);
	pool = kept;
	for (n = 1; plugin->fail_allocation(n), make(&objects[0], 64, 1); n++)
		account();
	plugin->fail_allocation(0);
	compare(&objects[0]);
	drop(&objects[0]);
}

static void no_more_handles(void **state)
{
	struct zs_config few = config;
	void *kept = pool;
	uint32_t n = 0;

	(void)state;
	few.max_objects = 10;
	assert_int_equal(backend->create(&few, &pool), ZS_OK);
	while (n < 11 && !make(&objects[n], 64, 1))
		n++;
	assert_int_equal(n, 10);
	account();
	drop(&objects[3]);
	assert_int_equal(make(&objects[3], 64, 1), ZS_OK);
	assert_int_equal(backend->destroy(pool), ZS_OK);
	memset(objects, 0, sizeof(objects));
	pool = kept;
}

/* ---- compaction ------------------------------------------------------------------------------ */

/* Fills four zspages of a class, and frees all but one object of each. Returns the class. */
static struct zs_class_stats scatter(void)
{
	struct zs_class_stats stats;
	uint32_t index = backend->lookup_class_index(pool, config.geometry.page_size / 4);

	assert_int_equal(backend->class_stats(pool, index, &stats), ZS_OK);
	assert_true(4 * stats.objs_per_zspage <= OBJECTS);
	for (uint32_t i = 0; i < 4 * stats.objs_per_zspage; i++)
		assert_int_equal(make(&objects[i], config.geometry.page_size / 4, (uint8_t)i),
				 ZS_OK);
	for (uint32_t i = 0; i < 4 * stats.objs_per_zspage; i++)
		if (i % stats.objs_per_zspage)
			drop(&objects[i]);
	return stats;
}

/* The object that scatter left in one of the four. */
static struct object *survivor(const struct zs_class_stats *class, size_t zspage)
{
	return &objects[zspage * class->objs_per_zspage];
}

static void compaction(void **state)
{
	struct zs_class_stats before = scatter(), after;
	uint32_t out = pages_out();
	struct zs_pool_stats stats;
	/* Before 6.3 the zspage just filled is the next source: 1 + 2 + 3. */
	uint64_t freed, moves = config.algorithm == ZS_SOURCE ? 6 : 3;

	(void)state;
	assert_int_equal(backend->class_compactable(pool, before.index),
			 3 * before.pages_per_zspage);
	assert_int_equal(backend->compactable(pool), 3 * before.pages_per_zspage);
	freed = backend->compact(pool);
	assert_int_equal(freed, 3 * before.pages_per_zspage);
	assert_int_equal(pages_out(), out - freed);
	backend->class_stats(pool, before.index, &after);
	backend->pool_stats(pool, &stats);
	assert_int_equal(after.objs_moved, moves);
	assert_int_equal(after.pages_compacted, freed);
	assert_true(after.copies >= moves);
	assert_int_equal(after.bytes_moved, moves * (after.size - config.geometry.header));
	assert_int_equal(stats.objs_moved, moves);
	assert_int_equal(stats.pages_compacted, freed);
	account();
	for (uint32_t i = 0; i < 4; i++)
		compare(survivor(&before, i));
	assert_int_equal(backend->compact(pool), 0);
	drop_all();
}

static void compaction_of_one_class(void **state)
{
	struct zs_class_stats class = scatter();
	struct zs_pool_stats stats;
	uint64_t freed = 77;

	(void)state;
	assert_int_equal(backend->compact_class(pool, backend->class_count(pool), &freed),
			 ZS_EINVAL);
	assert_int_equal(freed, 77);
	assert_int_equal(backend->compact_class(pool, class.index, &freed), ZS_OK);
	assert_int_equal(freed, 3 * class.pages_per_zspage);
	backend->pool_stats(pool, &stats);
	assert_int_equal(stats.pages_compacted, freed);
	account();
	drop_all();
}

/* ---- inspection ------------------------------------------------------------------------------ */

static void places(void **state)
{
	struct zs_class_stats class = scatter();
	uint32_t listed = 0, page, offset;

	(void)state;
	for (uint32_t group = 0; group < class.groups; group++) {
		uint32_t zspage = backend->group_first(pool, class.index, group), count = 0;

		for (; zspage != ZS_NONE; zspage = backend->group_next(pool, zspage)) {
			struct zs_zspage_info info;

			assert_int_equal(backend->zspage_info(pool, zspage, &info), ZS_OK);
			assert_int_equal(info.index, class.index);
			assert_int_equal(info.group, group);
			assert_int_equal(info.inuse, 1);
			assert_int_equal(info.locked, 0);
			count++;
		}
		assert_int_equal(backend->group_size(pool, class.index, group), count);
		listed += count;
	}
	assert_int_equal(listed, 4);
	for (uint32_t i = 0; i < 4; i++) {
		const struct object *object = survivor(&class, i);
		struct zs_location at;

		assert_int_equal(backend->locate(pool, object->handle, &at), ZS_OK);
		assert_int_equal(at.index, class.index);
		assert_int_equal(backend->slot_handle(pool, at.zspage, at.slot), object->handle);
		assert_int_equal(backend->slot_handle(pool, at.zspage, at.slot ^ 1), 0);
		assert_int_equal(backend->slot_address(pool, at.zspage, at.slot, &page, &offset),
				 ZS_OK);
		assert_int_equal(page, backend->zspage_page(pool, at.zspage, 0));
		assert_int_equal(offset, at.slot * class.size);
	}
	assert_int_equal(backend->zspage_page(pool, 0, class.pages_per_zspage), ZS_NO_PAGE);
	assert_int_equal(backend->slot_handle(pool, 4000, 0), 0);
	assert_int_equal(backend->group_size(pool, class.index, class.groups), 0);
	drop_all();
	assert_int_equal(backend->zspage_page(pool, 0, 0), ZS_NO_PAGE);
}

static void windows(void **state)
{
	struct zs_view view, second;

	(void)state;
	assert_int_equal(make(&objects[0], 100, 1), ZS_OK);
	assert_int_equal(backend->read_begin(pool, objects[0].handle, 100, NULL, &view), ZS_OK);
	assert_int_equal(backend->read_begin(pool, objects[0].handle, 100, NULL, &second),
			 ZS_EBUSY);
	assert_int_equal(backend->destroy(pool), ZS_EBUSY);
	assert_int_equal(backend->compact(pool), 0);
	assert_int_equal(backend->read_end(pool, &view), ZS_OK);
	assert_int_equal(backend->read_end(pool, &view), ZS_EINVAL);
	drop(&objects[0]);
}

/* ---- locked pages ---------------------------------------------------------------------------- */

static void a_locked_page_defers(void **state)
{
	struct zs_page_ref first, second, again;
	struct zs_zspage_info info;
	struct zs_class_stats class;
	struct zs_location at;
	uint32_t out;

	(void)state;
	class = scatter();
	for (uint32_t i = 0; i < 2; i++)
		drop(survivor(&class, i + 2));
	out = pages_out();
	assert_int_equal(backend->page_lock(pool, objects[0].handle, 16, &first), ZS_EINVAL);
	assert_int_equal(backend->page_lock(pool, objects[0].handle, 0, &first), ZS_OK);
	assert_int_equal(backend->page_lock(pool, objects[0].handle, 0, &again), ZS_EBUSY);
	assert_int_equal(backend->page_lock(pool, survivor(&class, 1)->handle, 0, &second), ZS_OK);
	assert_int_equal(backend->destroy(pool), ZS_EBUSY);
	drop_all();
	assert_int_equal(pages_out(), out);
	assert_int_equal(backend->group_size(pool, class.index, 0), 2);
	assert_int_equal(backend->group_first(pool, class.index, 0), second.zspage);
	account();
	/* Brought back by malloc, and given back at once when that is freed and it is unlocked. */
	assert_int_equal(make(&objects[0], class.size - 8, 1), ZS_OK);
	assert_int_equal(backend->locate(pool, objects[0].handle, &at), ZS_OK);
	assert_int_equal(at.zspage, second.zspage);
	assert_int_equal(backend->page_unlock(pool, second), ZS_OK);
	assert_int_equal(backend->page_unlock(pool, second), ZS_EINVAL);
	assert_int_equal(backend->zspage_info(pool, first.zspage, &info), ZS_OK);
	assert_int_equal(info.locked, 1);
	drop(&objects[0]);
	assert_int_equal(pages_out(), out / 2);
	assert_int_equal(backend->page_unlock(pool, first), ZS_OK);
	assert_int_equal(pages_out(), 0);
	account();
}

/* Of several empty ones only the one that's unlocked goes; the others keep their order. */
static void only_the_unlocked_goes(void **state)
{
	struct zs_class_stats class = scatter();
	struct zs_page_ref refs[4];

	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(backend->page_lock(pool, survivor(&class, i)->handle, 0, &refs[i]),
				 ZS_OK);
	drop_all();
	assert_int_equal(backend->page_unlock(pool, refs[1]), ZS_OK);
	assert_int_equal(backend->group_size(pool, class.index, 0), 3);
	assert_int_equal(backend->group_first(pool, class.index, 0), refs[3].zspage);
	assert_int_equal(backend->group_next(pool, refs[3].zspage), refs[2].zspage);
	assert_int_equal(backend->group_next(pool, refs[2].zspage), refs[0].zspage);
	account();
	assert_int_equal(backend->page_unlock(pool, refs[3]), ZS_OK);
	assert_int_equal(backend->page_unlock(pool, refs[0]), ZS_OK);
	assert_int_equal(backend->page_unlock(pool, refs[2]), ZS_OK);
	assert_int_equal(pages_out(), 0);
	account();
}

static void migration(void **state)
{
	struct zs_class_stats class = scatter();
	struct zs_page_ref ref;
	uint32_t out = pages_out(), page;
	struct zs_pool_stats stats;

	(void)state;
	assert_int_equal(backend->page_lock(pool, objects[0].handle, 0, &ref), ZS_OK);
	page = backend->zspage_page(pool, ref.zspage, 0);
	refuse_at = gets + 1;
	assert_int_equal(backend->page_migrate(pool, ref), ZS_ENOMEM);
	assert_int_equal(backend->zspage_page(pool, ref.zspage, 0), page);
	refuse_at = 0;
	assert_int_equal(backend->page_migrate(pool, ref), ZS_OK);
	assert_int_not_equal(backend->zspage_page(pool, ref.zspage, 0), page);
	assert_int_equal(pages_out(), out);
	compare(&objects[0]);
	account();
	backend->pool_stats(pool, &stats);
	assert_int_equal(stats.pages_migrated, 1);
	assert_int_equal(backend->page_unlock(pool, ref), ZS_OK);
	assert_int_equal(backend->page_migrate(pool, ref), ZS_EINVAL);
	assert_int_equal(backend->compact(pool), 3 * class.pages_per_zspage);
	for (uint32_t i = 0; i < 4; i++)
		compare(survivor(&class, i));
	drop_all();
}

static void no_pages_to_lock(void **state)
{
	struct zs_page_ref ref = { 1, 2 };

	(void)state;
	assert_int_equal(make(&objects[0], 100, 1), ZS_OK);
	assert_int_equal(backend->page_lock(pool, objects[0].handle, 0, &ref), ZS_EINVAL);
	assert_int_equal(ref.zspage, 1);
	drop(&objects[0]);
}

/* ---- failures in the kernel's file ----------------------------------------------------------- */

static void told(void *context, const char *text)
{
	(void)context;
	_exit(strstr(text, " at ") ? 7 : 8);
}

/* A page that the source gives out twice. */
static void a_bug_reaches_the_host(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (!child) {
		plugin_of(backend)->set_failure(told, NULL);
		make(&objects[0], largest(), 1);
		free_pages[free_count - 1] = 0;
		make(&objects[1], largest(), 1);
		_exit(9);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

/* ---- threads --------------------------------------------------------------------------------- */

static void *churn(void *context)
{
	struct object *mine = context;
	uint64_t random = (uint64_t)(mine - objects) + 1;

	for (int i = 0; i < 4000; i++) {
		struct object *object = &mine[(generate_next(&random) >> 33) % (OBJECTS / 2)];

		if (object->size) {
			compare(object);
			drop(object);
		} else {
			make(object, draw_size(&random), (uint8_t)(generate_next(&random) >> 56));
		}
	}
	return NULL;
}

static void threads(void **state)
{
	pthread_t thread[2];

	(void)state;
	/* The source isn't made for threads. */
	end(state);
	config.source = (struct zs_page_source){ .get = NULL };
	assert_int_equal(backend->create(&config, &pool), ZS_OK);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, churn, &objects[i * OBJECTS / 2]),
				 0);
	for (int i = 0; i < 50; i++)
		backend->compact(pool);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(pthread_join(thread[i], NULL), 0);
	for (size_t i = 0; i < OBJECTS; i++)
		if (objects[i].size)
			compare(&objects[i]);
	drop_all();
	assert_int_equal(backend->total_pages(pool), 0);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static const struct {
	const char *name;
	CMUnitTestFunction function;
	unsigned int not_with; /* traits */
} tests[] = {
#define TEST(function, not_with)              \
	{                                     \
#function, function, not_with \
	}
	TEST(contents, 0),
	TEST(a_new_pool_does_the_same, 0),
	TEST(two_pools_share_nothing, 0),
	TEST(a_thousand_pools, 0),
	TEST(wrong_sizes, 0),
	TEST(short_writes, 0),
	TEST(config_that_does_not_fit, 0),
	TEST(no_page, 0),
	TEST(no_metadata, 0),
	TEST(no_more_handles, BACKEND_NO_INSPECTION),
	TEST(compaction, BACKEND_NO_COMPACTION),
	TEST(compaction_of_one_class, BACKEND_NO_COMPACTION),
	TEST(places, BACKEND_NO_INSPECTION),
	TEST(windows, BACKEND_NO_INSPECTION),
	TEST(a_locked_page_defers, BACKEND_NO_PAGES),
	TEST(only_the_unlocked_goes, BACKEND_NO_PAGES),
	TEST(migration, BACKEND_NO_PAGES),
	TEST(a_bug_reaches_the_host, 0),
};

#define TESTS (sizeof(tests) / sizeof(tests[0]))

static struct CMUnitTest case_of(const char *name, CMUnitTestFunction function)
{
	return (struct CMUnitTest){ name, function, start, end, NULL };
}

static int test(const char *path)
{
	struct CMUnitTest cases[TESTS + 2];
	size_t count = 0;
	char why[400];

	backend = backend_load(path, why, sizeof(why));
	if (!backend) {
		fprintf(stderr, "%s\n", why);
		return 1;
	}
	for (size_t i = 0; i < TESTS; i++)
		if (!(backend->traits & tests[i].not_with))
			cases[count++] = case_of(tests[i].name, tests[i].function);
	if (backend->traits & BACKEND_NO_PAGES)
		cases[count++] = case_of("no_pages_to_lock", no_pages_to_lock);
	if (strstr(path, "-pthread"))
		cases[count++] = case_of("threads", threads);
	return _cmocka_run_group_tests(path, cases, count, NULL, NULL) != 0;
}

int main(int argc, char **argv)
{
	char pattern[PATH_MAX];
	glob_t found;
	int failed = 0;

	snprintf(pattern, sizeof(pattern), "%s/*.so", argc > 1 ? argv[1] : ".");
	if (glob(pattern, 0, NULL, &found)) {
		fprintf(stderr, "plugin_test: no %s: run make kernel\n", pattern);
		return 2;
	}
	for (size_t i = 0; i < found.gl_pathc; i++)
		failed |= test(found.gl_pathv[i]);
	globfree(&found);
	return failed;
}
