/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two cores are equal, on any trace and pool; and each equality is shown to be judged: the second
 * core does one thing otherwise, or lies about it, a few operations are run on both, and the handler
 * tells which oracle fired. Each case runs in a process of its own.
 */
#define _POSIX_C_SOURCE 200809L
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

#include "equal.h"
#include "generate.h"
#include "lies.h"
#include "plugin.h"

/* ---- other deeds ----------------------------------------------------------------------------- */

static int malloc_fails(void *pool, size_t size, zs_handle *handle)
{
	(void)pool, (void)size;
	*handle = 0;
	return ZS_ENOMEM;
}

static int malloc_asks_twice(void *pool, size_t size, zs_handle *handle)
{
	source.put(source.context, source.get(source.context, ZS_NO_PAGE));
	return backend_core.malloc(pool, size, handle);
}

static int malloc_leaks_a_page(void *pool, size_t size, zs_handle *handle)
{
	int error;

	source.get(source.context, ZS_NO_PAGE);
	error = backend_core.malloc(pool, size, handle);
	((struct source *)source.context)->gets--;
	return error;
}

/* The slot after the one that is due. */
static int malloc_skips_a_slot(void *pool, size_t size, zs_handle *handle)
{
	zs_handle first;
	int error = backend_core.malloc(pool, size, &first);

	if (!error)
		error = backend_core.malloc(pool, size, handle);
	return error ? error : backend_core.free(pool, first);
}

static int malloc_rounds_up(void *pool, size_t size, zs_handle *handle)
{
	return backend_core.malloc(pool, size + 8, handle);
}

static int free_refuses(void *pool, zs_handle handle)
{
	(void)pool, (void)handle;
	return ZS_ESTALE;
}

/* Then fills the first two zspages that have a slot free, and frees that again: they change places. */
static int free_reorders(void *pool, zs_handle handle)
{
	int error = backend_core.free(pool, handle);
	zs_handle first, second;

	if (backend_core.group_size(pool, 2, 9) < 2)
		return error;
	backend_core.malloc(pool, 24, &first);
	backend_core.malloc(pool, 24, &second);
	backend_core.free(pool, first);
	backend_core.free(pool, second);
	return error;
}

static int write_spoils(void *pool, zs_handle handle, const void *data, size_t len)
{
	const uint8_t wrong = *(const uint8_t *)data ^ 1;
	int error = backend_core.write(pool, handle, data, len);

	return error ? error : backend_core.write(pool, handle, &wrong, 1);
}

static uint64_t compact_does_nothing(void *pool)
{
	return backend_core.compactable(pool);
}

static uint64_t compact_damages(void *pool)
{
	uint64_t freed = backend_core.compact(pool);
	uint32_t full = backend_core.group_first(pool, 0, 11);

	for (uint32_t slot = 0; slot < 8; slot++)
		backend_core.write(pool, backend_core.slot_handle(pool, full, slot), "!", 1);
	return freed;
}

static int compact_class_does_nothing(void *pool, uint32_t index, uint64_t *freed)
{
	*freed = backend_core.class_compactable(pool, index);
	return ZS_OK;
}

static int migrate_does_nothing(void *pool, struct zs_page_ref page)
{
	(void)pool, (void)page;
	source.put(source.context, source.get(source.context, ZS_NO_PAGE));
	return ZS_OK;
}

static int page_unlock_does_nothing(void *pool, struct zs_page_ref page)
{
	(void)pool, (void)page;
	return ZS_OK;
}

static int destroy_leaves(void *pool)
{
	(void)pool;
	return ZS_EBUSY;
}

/* ---- lies ------------------------------------------------------------------------------------ */

static int locate_stays(void *pool, zs_handle handle, struct zs_location *location)
{
	static uint32_t first = ZS_NONE;
	int error = backend_core.locate(pool, handle, location);

	first = first == ZS_NONE ? location->zspage : first;
	location->zspage = first;
	return error;
}

static zs_handle slot_handle_slips(void *pool, uint32_t zspage, uint32_t slot)
{
	return backend_core.slot_handle(pool, zspage, slot + 1);
}

static int slot_address_slips(void *pool, uint32_t zspage, uint32_t slot, uint32_t *page,
			      uint32_t *offset)
{
	int error = backend_core.slot_address(pool, zspage, slot, page, offset);

	*offset += 8;
	return error;
}

static int zspage_info_locks(void *pool, uint32_t zspage, struct zs_zspage_info *info)
{
	int error = backend_core.zspage_info(pool, zspage, info);

	info->locked ^= 1;
	return error;
}

static uint32_t group_size_grows(void *pool, uint32_t index, uint32_t group)
{
	return backend_core.group_size(pool, index, group) + 1;
}

static uint32_t group_first_skips(void *pool, uint32_t index, uint32_t group)
{
	return backend_core.group_next(pool, backend_core.group_first(pool, index, group));
}

/* The last of a long list is lost, which only a comparison of everything sees. */
static uint32_t group_next_loses_the_last(void *pool, uint32_t zspage)
{
	uint32_t next = backend_core.group_next(pool, zspage);

	if (backend_core.total_pages(pool) < 12 || backend_core.group_next(pool, next) != ZS_NONE)
		return next;
	return ZS_NONE;
}

static int class_stats_moved(void *pool, uint32_t index, struct zs_class_stats *stats)
{
	int error = backend_core.class_stats(pool, index, stats);

	stats->objs_moved++;
	return error;
}

static int class_stats_size(void *pool, uint32_t index, struct zs_class_stats *stats)
{
	int error = backend_core.class_stats(pool, index, stats);

	stats->size += 8;
	return error;
}

static uint64_t compactable_grows(void *pool)
{
	return backend_core.compactable(pool) + 1;
}

static uint64_t class_compactable_grows(void *pool, uint32_t index)
{
	return backend_core.class_compactable(pool, index) + 1;
}

static uint32_t zspage_page_never_ends(void *pool, uint32_t zspage, uint32_t index)
{
	(void)index;
	return backend_core.zspage_page(pool, zspage, 0);
}

/* ---- the cases ------------------------------------------------------------------------------- */

#define LIE(function, lie) offsetof(struct backend, function), (void (*)(void))(lie)

#define TWO "malloc 0 8\nmalloc 1 8\n"
#define WRITTEN "malloc 0 8\nwrite 0 8 1\n"
/* As many full zspages. */
#define TWELVE                                                                           \
	"malloc 0 64\nmalloc 1 64\nmalloc 2 64\nmalloc 3 64\nmalloc 4 64\nmalloc 5 64\n" \
	"malloc 6 64\nmalloc 7 64\nmalloc 8 64\nmalloc 9 64\nmalloc 10 64\nmalloc 11 64\n"
/* Three full zspages of class 24, which has 8 objects in 3 pages. */
#define THREE                                                                                  \
	"malloc 0 24\nmalloc 1 24\nmalloc 2 24\nmalloc 3 24\nmalloc 4 24\nmalloc 5 24\n"       \
	"malloc 6 24\nmalloc 7 24\nmalloc 8 24\nmalloc 9 24\nmalloc 10 24\nmalloc 11 24\n"     \
	"malloc 12 24\nmalloc 13 24\nmalloc 14 24\nmalloc 15 24\nmalloc 16 24\nmalloc 17 24\n" \
	"malloc 18 24\nmalloc 19 24\nmalloc 20 24\nmalloc 21 24\nmalloc 22 24\nmalloc 23 24\n"
/* Two zspages of class 8 that merge: 5 and 2 in use. */
#define MERGING                                                                    \
	"malloc 0 8\nmalloc 1 8\nmalloc 2 8\nmalloc 3 8\nmalloc 4 8\nmalloc 5 8\n" \
	"malloc 6 8\nmalloc 7 8\nmalloc 8 8\nmalloc 9 8\nwrite 9 8 5\nfree 1\nfree 3\nfree 5\n"

static const struct lie {
	const char *id;
	const char *ops;
	size_t function; /* where in struct backend */
	void (*lie)(void);
} lies[] = {
	{ "equal.result", TWO, LIE(malloc, malloc_fails) },
	{ "equal.result", TWO, LIE(malloc, malloc_asks_twice) },
	{ "equal.result", TWO, LIE(free, free_refuses) },
	{ "equal.result", TWO, LIE(usable_size, usable_size_slips) },
	{ "equal.result", MERGING "compact\n", LIE(compact, compact_boasts) },
	{ "equal.result", TWO, LIE(destroy, destroy_leaves) },
	{ "equal.place", TWO, LIE(malloc, malloc_skips_a_slot) },
	{ "equal.place", TWO, LIE(malloc, malloc_rounds_up) },
	{ "equal.place", TWO, LIE(locate, locate_slips) },
	{ "equal.place", "malloc 0 8\nmalloc 1 16\n", LIE(locate, locate_stays) },
	{ "equal.place", TWO, LIE(slot_handle, slot_handle_slips) },
	{ "equal.place", TWO, LIE(slot_address, slot_address_slips) },
	{ "equal.place", MERGING "compact\n", LIE(compact, compact_does_nothing) },
	{ "equal.place", MERGING "compact-class 0\n",
	  LIE(compact_class, compact_class_does_nothing) },
	{ "equal.list", TWO, LIE(zspage_info, zspage_info_group) },
	{ "equal.list", TWO, LIE(group_size, group_size_grows) },
	{ "equal.list", "malloc 0 64\nmalloc 1 64\n", LIE(group_first, group_first_skips) },
	{ "equal.list", TWO, LIE(group_next, group_next_circles) },
	{ "equal.list", TWELVE, LIE(group_next, group_next_loses_the_last) },
	{ "equal.list", THREE "free 0\nfree 8\nfree 16\n", LIE(free, free_reorders) },
	{ "equal.list", "malloc 0 8\nlock 0 0\nfree 0\nunlock 0\n",
	  LIE(page_unlock, page_unlock_does_nothing) },
	{ "equal.counters", TWO, LIE(pool_stats, pool_stats_objects) },
	{ "equal.counters", TWO, LIE(class_stats, class_stats_moved) },
	{ "equal.counters", TWO, LIE(compactable, compactable_grows) },
	{ "equal.counters", TWO, LIE(class_compactable, class_compactable_grows) },
	{ "equal.counters", TWO, LIE(total_pages, total_pages_grows) },
	{ "equal.counters", TWO, LIE(zspage_info, zspage_info_locks) },
	{ "equal.counters", "malloc 0 8\nlock 0 0\nmigrate 0\n",
	  LIE(page_migrate, migrate_does_nothing) },
	{ "equal.pages", TWO, LIE(malloc, malloc_leaks_a_page) },
	{ "equal.pages", TWO, LIE(zspage_page, zspage_page_never_ends) },
	{ "equal.content", WRITTEN, LIE(write, write_spoils) },
	{ "equal.content", MERGING "malloc 10 8\nwrite 10 8 3\ncompact\n",
	  LIE(compact, compact_damages) },
	{ "equal.geometry", "", LIE(lookup_class_index, lookup_slips) },
	{ "equal.geometry", "", LIE(class_count, class_count_slips) },
	{ "equal.geometry", "", LIE(class_stats, class_stats_size) },
	{ "equal.geometry", "", LIE(huge_class_size, huge_slips) },
	{ "handle.stale", "malloc 0 8\nfree 0\nfree 0\n", LIE(free, free_accepts) },
	{ "handle.stale", "free 0\n", LIE(free, free_accepts) },
	{ "handle.stale", "malloc 0 8\nforge 0 0x400000000\n", LIE(free, free_accepts) },
	{ "handle.stale", "malloc 0 8\nforeign\n", LIE(free, free_accepts) },
	{ "check", TWO, LIE(check, check_complains) },
};

#define LIES (sizeof(lies) / sizeof(*lies))

static void parse(struct trace *trace, const char *ops)
{
	static const char header[] = "zsanity-trace 1\npool preset tiny pages 200 tag 1\n";
	char text[4000];
	struct trace_error error;
	int length = snprintf(text, sizeof(text), "%s%s", header, ops);

	if (trace_parse(trace, text, (size_t)length, &error)) {
		fprintf(stderr, "%s\n", error.text);
		abort();
	}
}

/* Tells the parent, through the pipe, which oracle fired. */
static void tell(void *context, const char *id, const char *line)
{
	size_t length = strlen(id);

	if (strncmp(line, "oracle ", 7) != 0 || strncmp(line + 7, id, length) != 0 ||
	    line[7 + length] != ':' || strchr(line, '\n') || line[strlen(line) - 1] != ')')
		id = "bad line";
	_exit(write(*(const int *)context, id, strlen(id)) > 0 ? 0 : 1);
}

static void run_and_tell(const struct backend *other, const char *ops, int pipe)
{
	struct equal_options options = { .backend = { &backend_core, other } };
	struct equal_result result;
	struct trace trace;

	if (!freopen("/dev/null", "w", stderr))
		_exit(1);
	oracle_set_handler(tell, &pipe);
	parse(&trace, ops);
	if (!equal_run(&trace, &options, &result))
		tell(&pipe, "none", "oracle none: (nothing)");
	_exit(1);
}

/* The ID of the oracle that fires, until the next call; or how the run ended. */
static const char *caught(const struct backend *other, const char *ops)
{
	static char id[40];
	int ends[2], status;
	ssize_t length;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		run_and_tell(other, ops, ends[1]);
	close(ends[1]);
	length = read(ends[0], id, sizeof(id) - 1);
	close(ends[0]);
	id[length > 0 ? length : 0] = '\0';
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) && !WEXITSTATUS(status) ? id : "killed";
}

static void each_difference_is_told_by_its_oracle(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (size_t i = 0; i < LIES; i++) {
		struct backend other = backend_core;
		const char *id;

		other.create = create_remembers;
		memcpy((char *)&other + lies[i].function, &lies[i].lie, sizeof(lies[i].lie));
		id = caught(&other, lies[i].ops);
		if (strcmp(id, lies[i].id) != 0) {
			print_error("lie %zu: %s instead of %s\n", i, id, lies[i].id);
			wrong++;
		}
	}
	assert_int_equal(wrong, 0);
}

static void without_a_difference_nothing_is_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < LIES; i++)
		assert_string_equal(caught(&backend_core, lies[i].ops), "none");
}

/* ---- plug-ins -------------------------------------------------------------------------------- */

static const struct zsanity_plugin *grumbler;

static int malloc_grumbles(void *pool, size_t size, zs_handle *handle)
{
	grumbler->fail_allocation(1);
	return backend_core.malloc(pool, size, handle);
}

static void what_a_plugin_says_is_told(void **state)
{
	char why[200];
	const struct backend *backend = backend_load(GRUMBLER, why, sizeof(why));

	(void)state;
	assert_non_null(backend);
	grumbler = plugin_of(backend);
	*(struct backend *)backend = backend_core;
	assert_string_equal(caught(backend, TWO), "none");
	((struct backend *)backend)->malloc = malloc_grumbles;
	assert_string_equal(caught(backend, TWO), "equal.bug");
}

static void every_equality_has_a_difference(void **state)
{
	size_t k;

	(void)state;
	for (int i = 0; i < EQUAL_COUNT; i++) {
		for (k = 0; k < LIES && strcmp(lies[k].id, equal_properties[i].id) != 0; k++)
			;
		if (k == LIES && strcmp(equal_properties[i].id, "equal.bug") != 0)
			fail_msg("no difference for %s", equal_properties[i].id);
	}
}

/* ---- what one that trusts its caller is given ------------------------------------------------ */

static void must_be_live(void *pool, zs_handle handle)
{
	struct zs_location at;

	assert_int_equal(backend_core.locate(pool, handle, &at), ZS_OK);
}

static int free_trusts(void *pool, zs_handle handle)
{
	must_be_live(pool, handle);
	return backend_core.free(pool, handle);
}

static int write_trusts(void *pool, zs_handle handle, const void *data, size_t len)
{
	must_be_live(pool, handle);
	return backend_core.write(pool, handle, data, len);
}

static int page_lock_trusts(void *pool, zs_handle handle, uint32_t index, struct zs_page_ref *page)
{
	must_be_live(pool, handle);
	return backend_core.page_lock(pool, handle, index, page);
}

static int usable_size_trusts(void *pool, zs_handle handle, size_t *size)
{
	must_be_live(pool, handle);
	return backend_core.usable_size(pool, handle, size);
}

/* Nor may a window be open at any other call. */
static int windows;

static int read_begin_trusts(void *pool, zs_handle handle, size_t len, void *local,
			     struct zs_view *view)
{
	int error;

	must_be_live(pool, handle);
	assert_int_equal(windows, 0);
	error = backend_core.read_begin(pool, handle, len, local, view);
	windows += error == ZS_OK;
	return error;
}

static int read_end_trusts(void *pool, const struct zs_view *view)
{
	windows--;
	return backend_core.read_end(pool, view);
}

static void compare(const struct zs_config *config, const struct backend *other, uint64_t seed,
		    size_t count, struct equal_result *result)
{
	struct equal_options options = { .backend = { &backend_core, other }, .full_every = 64 };
	struct trace trace;

	trace_init(&trace);
	trace.config = *config;
	assert_int_equal(generate_ops(&trace, seed, count), 0);
	assert_int_equal(equal_run(&trace, &options, result), 0);
	trace_free(&trace);
}

static void wrong_handles_are_for_those_who_look(void **state)
{
	struct backend other = backend_core;
	uint64_t refused = 0, operations = 0;

	(void)state;
	other.traits = BACKEND_TRUSTS | BACKEND_ONE_WINDOW;
	other.free = free_trusts;
	other.write = write_trusts;
	other.page_lock = page_lock_trusts;
	other.usable_size = usable_size_trusts;
	other.read_begin = read_begin_trusts;
	other.read_end = read_end_trusts;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct equal_result result;
		struct zs_config config;

		generate_config(seed, &config);
		compare(&config, &other, seed, 500, &result);
		assert_int_equal(windows, 0);
		refused += result.refused;
		operations += result.operations;
	}
	assert_in_range(refused, 1000, operations);
}

/* ---- two that are equal ---------------------------------------------------------------------- */

static void two_cores_are_equal(void **state)
{
	struct equal_result result, sum = { 0 };

	(void)state;
	for (uint32_t geometry = 0; geometry < GENERATE_GEOMETRIES; geometry++) {
		struct zs_config config;

		generate_config_small(geometry, geometry, &config);
		compare(&config, &backend_core, geometry, 300, &result);
		sum.operations += result.operations;
		sum.failures += result.failures;
		sum.full_checks += result.full_checks;
		sum.stats.objs_moved += result.stats.objs_moved;
		sum.stats.pages_migrated += result.stats.pages_migrated;
	}
	assert_true(sum.operations > 80000);
	assert_in_range(sum.failures, 1000, sum.operations);
	assert_true(sum.full_checks > 5000);
	assert_true(sum.stats.objs_moved > 200);
	assert_true(sum.stats.pages_migrated > 50);
}

static void a_pool_that_cannot_be_is_refused(void **state)
{
	struct equal_options options = { .backend = { &backend_core, &backend_core } };
	struct equal_result result;
	struct trace trace;

	(void)state;
	trace_init(&trace);
	trace.config.geometry.chain = 17;
	assert_int_equal(equal_run(&trace, &options, &result), -1);
}

/* ---- pools that one of two can't have --------------------------------------------------------- */

static void preset_of_6_12(struct zs_config *config)
{
	zs_config_init(config, ZS_KERNEL_6_12);
}

static const char *fits_6_12(const struct zs_config *config)
{
	struct zs_geometry wanted;

	zs_geometry_init(&wanted, ZS_KERNEL_6_12);
	return memcmp(&wanted, &config->geometry, sizeof(wanted)) ? "not 6.12's" : NULL;
}

static const char *fits_nothing(const struct zs_config *config)
{
	(void)config;
	return "nothing fits";
}

/* From pages of 64 bytes to those of 4096. */
static void a_trace_is_made_to_fit(void **state)
{
	struct backend other = backend_core;
	const struct backend *both[2] = { &other, &backend_core };
	bool reached[MODEL_CLASSES] = { false };
	struct trace trace;
	unsigned count = 0;
	void *pool;

	(void)state;
	other.fits = fits_6_12;
	other.preset = preset_of_6_12;
	parse(&trace, "");
	for (uint32_t name = 0; name < 64; name++)
		for (uint32_t size = 0; size <= 66; size++)
			trace_add(&trace, (struct op){ OP_MALLOC, name, size, 0 });
	assert_null(equal_fit(&trace, both));
	assert_null(fits_6_12(&trace.config));
	assert_int_equal(trace.config.max_pages, 200);
	assert_int_equal(other.create(&trace.config, &pool), ZS_OK);
	for (size_t i = 0; i < trace.count; i++) {
		uint32_t index = other.lookup_class_index(pool, trace.ops[i].value);

		count += !reached[index];
		reached[index] = true;
	}
	assert_int_equal(count, 119);
	assert_int_equal(other.destroy(pool), ZS_OK);
	assert_int_equal(trace.ops[0].value, 0);
	assert_int_equal(trace.ops[1].value, 1);
	assert_int_equal(trace.ops[trace.count - 3].value, 4096);
	assert_int_equal(trace.ops[trace.count - 1].value, 66);
	assert_null(equal_fit(&trace, both));
	assert_int_equal(trace.ops[trace.count - 3].value, 4096);
	other.fits = fits_nothing;
	assert_string_equal(equal_fit(&trace, both), "nothing fits");
	trace_free(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_difference_is_told_by_its_oracle),
		cmocka_unit_test(without_a_difference_nothing_is_told),
		cmocka_unit_test(what_a_plugin_says_is_told),
		cmocka_unit_test(every_equality_has_a_difference),
		cmocka_unit_test(wrong_handles_are_for_those_who_look),
		cmocka_unit_test(two_cores_are_equal),
		cmocka_unit_test(a_pool_that_cannot_be_is_refused),
		cmocka_unit_test(a_trace_is_made_to_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
