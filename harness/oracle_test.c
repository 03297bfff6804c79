/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each oracle is shown to fire, and no other in its place: a backend around the core lies or
 * misbehaves in one way, a few operations are replayed on it, and the handler tells which oracle
 * it was. Each case runs in a process of its own, since what it leaves behind is anybody's guess.
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

#include "lies.h"
#include "oracle.h"
#include "replay.h"

#define NO_ORACLE 99 /* exit status: the replay ended; else the oracle's index */
#define BAD_LINE 98

static const char header[] = "zsanity-trace 1\n"
			     "pool page 64 min 8 step 8 header 0 chain 4 rule least-waste tag-bits "
			     "2 generation-bits 4 grouping ratio "
			     "algorithm destination pages 200 objects 0 batch 2 tag 1\n";

/* What a lie may need to remember. */
static zs_handle first_handle;
static uint32_t first_zspage = ZS_NONE;
static unsigned calls;

/* ---- lies about handles ---------------------------------------------------------------------- */

static int write_refuses(void *pool, zs_handle handle, const void *data, size_t len)
{
	(void)pool, (void)handle, (void)data, (void)len;
	return ZS_ESTALE;
}

static int free_refuses(void *pool, zs_handle handle)
{
	(void)pool, (void)handle;
	return ZS_EINVAL;
}

static int locate_loses(void *pool, zs_handle handle, struct zs_location *location)
{
	(void)pool, (void)handle, (void)location;
	return ZS_ESTALE;
}

static zs_handle slot_handle_slips(void *pool, uint32_t zspage, uint32_t slot)
{
	return backend_core.slot_handle(pool, zspage, slot ^ 1);
}

static int free_mistakes(void *pool, zs_handle handle)
{
	return backend_core.free(pool, handle) ? ZS_EINVAL : ZS_OK;
}

static int write_accepts(void *pool, zs_handle handle, const void *data, size_t len)
{
	backend_core.write(pool, handle, data, len);
	return ZS_OK;
}

static int malloc_repeats(void *pool, size_t size, zs_handle *handle)
{
	int error = backend_core.malloc(pool, size, handle);

	if (!first_handle)
		first_handle = *handle;
	*handle = first_handle;
	return error;
}

static int malloc_gives_nothing(void *pool, size_t size, zs_handle *handle)
{
	int error = backend_core.malloc(pool, size, handle);

	*handle = 0;
	return error;
}

/* ---- lies about bytes and places ------------------------------------------------------------- */

static int write_slips(void *pool, zs_handle handle, const void *data, size_t len)
{
	uint8_t copy[64];

	memcpy(copy, data, len);
	copy[len - 1] ^= 1;
	return backend_core.write(pool, handle, copy, len);
}

static int malloc_remembers(void *pool, size_t size, zs_handle *handle)
{
	int error = backend_core.malloc(pool, size, handle);

	first_handle = *handle;
	return error;
}

static uint64_t compact_damages(void *pool)
{
	uint8_t byte = 0;
	uint64_t freed = backend_core.compact(pool);

	backend_core.write(pool, first_handle, &byte, 1);
	return freed;
}

static int slot_address_stays(void *pool, uint32_t zspage, uint32_t slot, uint32_t *page,
			      uint32_t *offset)
{
	(void)slot;
	return backend_core.slot_address(pool, zspage, 0, page, offset);
}

static int slot_address_slips(void *pool, uint32_t zspage, uint32_t slot, uint32_t *page,
			      uint32_t *offset)
{
	int error = backend_core.slot_address(pool, zspage, slot, page, offset);

	*offset += 1;
	return error;
}

static uint32_t zspage_page_stays(void *pool, uint32_t zspage, uint32_t index)
{
	if (first_zspage == ZS_NONE)
		first_zspage = zspage;
	return backend_core.zspage_page(pool, index ? zspage : first_zspage, index);
}

static int read_begin_slips(void *pool, zs_handle handle, size_t len, void *local,
			    struct zs_view *view)
{
	int error = backend_core.read_begin(pool, handle, len, local, view);

	if (!error && calls++)
		view->data = (const uint8_t *)view->data + 8;
	return error;
}

static int read_begin_never_copies(void *pool, zs_handle handle, size_t len, void *local,
				   struct zs_view *view)
{
	int error = backend_core.read_begin(pool, handle, len, local, view);

	if (!error && view->data == local)
		view->data = (const uint8_t *)local - 1;
	return error;
}

/* Fills what is there with objects of its own, so that the next one needs a new zspage. */
static int malloc_picks_another(void *pool, size_t size, zs_handle *handle)
{
	zs_handle mine[7];
	int error, i;

	if (!calls++)
		return backend_core.malloc(pool, size, handle);
	for (i = 0; i < 7; i++)
		backend_core.malloc(pool, size, &mine[i]);
	error = backend_core.malloc(pool, size, handle);
	for (i = 0; i < 7; i++)
		backend_core.free(pool, mine[i]);
	return error;
}

/* ---- lies about groups, lists, counters ------------------------------------------------------ */

static int zspage_info_pins(void *pool, uint32_t zspage, struct zs_zspage_info *info)
{
	int error = backend_core.zspage_info(pool, zspage, info);

	info->pins++;
	return error;
}

static int zspage_info_denies(void *pool, uint32_t zspage, struct zs_zspage_info *info)
{
	(void)pool, (void)zspage, (void)info;
	return ZS_EINVAL;
}

static uint32_t group_first_loses(void *pool, uint32_t index, uint32_t group)
{
	(void)pool, (void)index, (void)group;
	return ZS_NONE;
}

static uint32_t group_size_grows(void *pool, uint32_t index, uint32_t group)
{
	uint32_t count = backend_core.group_size(pool, index, group);

	return count + (count > 0);
}

static int class_stats_inuse(void *pool, uint32_t index, struct zs_class_stats *stats)
{
	int error = backend_core.class_stats(pool, index, stats);

	stats->objs_inuse++;
	return error;
}

static int pool_stats_metadata(void *pool, struct zs_pool_stats *stats)
{
	int error = backend_core.pool_stats(pool, stats);

	stats->metadata_bytes -= calls++;
	return error;
}

/* ---- lies about pages ------------------------------------------------------------------------ */

static int malloc_takes_a_page(void *pool, size_t size, zs_handle *handle)
{
	source.get(source.context, ZS_NO_PAGE);
	return backend_core.malloc(pool, size, handle);
}

static int free_puts_twice(void *pool, zs_handle handle)
{
	int error = backend_core.free(pool, handle);

	source.put(source.context, 0);
	return error;
}

static int migrate_does_nothing(void *pool, struct zs_page_ref page)
{
	(void)pool, (void)page;
	return ZS_OK;
}

static int destroy_keeps_a_page(void *pool)
{
	int error = backend_core.destroy(pool);

	if (!error)
		source.get(source.context, ZS_NO_PAGE);
	return error;
}

/* ---- lies about results ---------------------------------------------------------------------- */

static int malloc_mistakes(void *pool, size_t size, zs_handle *handle)
{
	int error = backend_core.malloc(pool, size, handle);

	return error ? ZS_EBUSY : ZS_OK;
}

static int malloc_fails_with_effect(void *pool, size_t size, zs_handle *handle)
{
	zs_handle mine;
	int error = backend_core.malloc(pool, size, handle);

	if (error)
		backend_core.malloc(pool, 8, &mine);
	return error;
}

static int malloc_fails_with_output(void *pool, size_t size, zs_handle *handle)
{
	*handle = 0;
	return backend_core.malloc(pool, size, handle);
}

static int destroy_has_effect(void *pool)
{
	zs_handle mine;
	int error = backend_core.destroy(pool);

	if (error)
		backend_core.malloc(pool, 8, &mine);
	return error;
}

static int read_end_mistakes(void *pool, const struct zs_view *view)
{
	backend_core.read_end(pool, view);
	return ZS_EBUSY;
}

/* ---- lies about compaction ------------------------------------------------------------------- */

static int compact_class_boasts(void *pool, uint32_t index, uint64_t *freed)
{
	int error = backend_core.compact_class(pool, index, freed);

	*freed += error == ZS_OK;
	return error;
}

static uint64_t compact_boasts_later(void *pool)
{
	return backend_core.compact(pool) + (calls++ > 0);
}

static uint64_t compact_counts_calls(void *pool)
{
	calls++;
	return backend_core.compact(pool);
}

static int pool_stats_moves(void *pool, struct zs_pool_stats *stats)
{
	int error = backend_core.pool_stats(pool, stats);

	stats->objs_moved += calls;
	return error;
}

static int class_stats_moves(void *pool, uint32_t index, struct zs_class_stats *stats)
{
	int error = backend_core.class_stats(pool, index, stats);

	stats->objs_moved += calls;
	return error;
}

static uint64_t compact_forgets(void *pool)
{
	(void)pool;
	return 0;
}

static int class_stats_moves_less(void *pool, uint32_t index, struct zs_class_stats *stats)
{
	int error = backend_core.class_stats(pool, index, stats);

	stats->objs_moved -= calls;
	return error;
}

static int class_stats_copies(void *pool, uint32_t index, struct zs_class_stats *stats)
{
	int error = backend_core.class_stats(pool, index, stats);

	stats->copies += calls;
	return error;
}

static int class_stats_bytes(void *pool, uint32_t index, struct zs_class_stats *stats)
{
	int error = backend_core.class_stats(pool, index, stats);

	stats->bytes_moved += calls;
	return error;
}

static uint64_t compact_allocates(void *pool)
{
	uint64_t freed = backend_core.compact(pool);
	zs_handle mine;

	backend_core.malloc(pool, 64, &mine);
	backend_core.malloc(pool, 64, &mine);
	return freed;
}

/* Before the source is drained, an object more is put where the first one would have gone. */
static uint64_t compact_in_another_order(void *pool)
{
	uint64_t freed;
	zs_handle mine;

	backend_core.malloc(pool, 8, &mine);
	freed = backend_core.compact(pool);
	backend_core.free(pool, mine);
	return freed;
}

/* ---- the cases ------------------------------------------------------------------------------- */

#define TWO "malloc 0 8\nmalloc 1 8\n"
#define WRITTEN "malloc 0 8\nwrite 0 8 1\n"
/* Two zspages of class 8 that merge: 5 and 2 in use. */
#define MERGING                                                                    \
	"malloc 0 8\nmalloc 1 8\nmalloc 2 8\nmalloc 3 8\nmalloc 4 8\nmalloc 5 8\n" \
	"malloc 6 8\nmalloc 7 8\nmalloc 8 8\nmalloc 9 8\nwrite 9 8 5\nfree 1\nfree 3\nfree 5\n"

#define LIE(...)                            \
	{                                   \
		.name = "liar", __VA_ARGS__ \
	}

/* A function left out is the core's. */
static const struct lie {
	const char *id;
	const char *ops;
	struct backend liar;
} lies[] = {
	{ "handle.stability", WRITTEN, LIE(.write = write_refuses) },
	{ "handle.stability", "malloc 0 8\nfree 0\n", LIE(.free = free_refuses) },
	{ "handle.stability", TWO, LIE(.locate = locate_loses) },
	{ "handle.stability", TWO, LIE(.locate = locate_slips) },
	{ "handle.stale", "malloc 0 8\nfree 0\nfree 0\n", LIE(.free = free_accepts) },
	{ "handle.stale", "malloc 0 8\nfree 0\nfree 0\n", LIE(.free = free_mistakes) },
	{ "handle.stale", "free 0\n", LIE(.free = free_accepts) },
	{ "handle.stale", "malloc 0 8\nforge 0 0x400000000\n", LIE(.write = write_accepts) },
	{ "handle.foreign", "malloc 0 8\nforeign\n", LIE(.write = write_accepts) },
	{ "handle.unique", TWO, LIE(.malloc = malloc_repeats) },
	{ "handle.unique", TWO, LIE(.malloc = malloc_gives_nothing) },
	{ "content", WRITTEN, LIE(.write = write_slips) },
	{ "content", MERGING "compact\n",
	  LIE(.malloc = malloc_remembers, .compact = compact_damages) },
	{ "fullness.group", TWO, LIE(.zspage_info = zspage_info_group) },
	{ "list.membership", TWO, LIE(.zspage_info = zspage_info_denies) },
	{ "list.membership", TWO, LIE(.group_first = group_first_loses) },
	{ "list.membership", TWO, LIE(.group_next = group_next_circles) },
	{ "counters", TWO, LIE(.zspage_info = zspage_info_pins) },
	{ "counters", TWO, LIE(.group_size = group_size_grows) },
	{ "counters", TWO, LIE(.class_stats = class_stats_inuse) },
	{ "counters", TWO, LIE(.pool_stats = pool_stats_objects) },
	{ "counters", TWO, LIE(.pool_stats = pool_stats_metadata) },
	{ "pages.accounting", TWO, LIE(.total_pages = total_pages_grows) },
	{ "pages.accounting", TWO, LIE(.create = create_remembers, .malloc = malloc_takes_a_page) },
	{ "pages.accounting", "malloc 0 8\nfree 0\n",
	  LIE(.create = create_remembers, .free = free_puts_twice) },
	{ "pages.accounting", "malloc 0 8\nlock 0 0\nmigrate 0\n",
	  LIE(.page_migrate = migrate_does_nothing) },
	{ "overlap", TWO, LIE(.slot_address = slot_address_stays) },
	{ "overlap", "malloc 0 8\nmalloc 1 16\n", LIE(.zspage_page = zspage_page_stays) },
	{ "span", TWO, LIE(.slot_address = slot_address_slips) },
	{ "span", TWO "write 0 8 1\nwrite 1 8 1\n", LIE(.read_begin = read_begin_slips) },
	{ "span", "malloc 0 24\nmalloc 1 24\nmalloc 2 24\nread 2 24\n",
	  LIE(.read_begin = read_begin_never_copies) },
	{ "slot.order", TWO, LIE(.locate = locate_slips, .slot_handle = slot_handle_slips) },
	{ "slot.order", MERGING "compact\n", LIE(.compact = compact_in_another_order) },
	{ "select", TWO, LIE(.malloc = malloc_picks_another) },
	{ "error.unchanged", TWO "malloc 2 0\n", LIE(.malloc = malloc_fails_with_effect) },
	{ "error.unchanged", "malloc 0 0\n", LIE(.malloc = malloc_fails_with_output) },
	{ "error.unchanged", "malloc 0 8\n", LIE(.destroy = destroy_has_effect) },
	{ "result", "malloc 0 65\n", LIE(.malloc = malloc_mistakes) },
	{ "result", WRITTEN "read 0 8\n", LIE(.read_end = read_end_mistakes) },
	{ "compact.freed", MERGING "compact\n", LIE(.compact = compact_boasts) },
	{ "compact.freed", MERGING "compact-class 0\n",
	  LIE(.compact_class = compact_class_boasts) },
	{ "compact.moves", MERGING "compact\n",
	  LIE(.compact = compact_counts_calls, .pool_stats = pool_stats_moves) },
	{ "compact.least", MERGING "compact\n", LIE(.compact = compact_forgets) },
	{ "compact.least", "pool grouping threshold algorithm source\n" MERGING "compact\n",
	  LIE(.compact = compact_forgets) },
	{ "compact.bound", "pool algorithm optimal\n" MERGING "compact\n",
	  LIE(.compact = compact_counts_calls, .class_stats = class_stats_moves) },
	{ "compact.bound", MERGING "compact\n",
	  LIE(.compact = compact_counts_calls, .class_stats = class_stats_moves_less) },
	{ "counters", MERGING "compact\n",
	  LIE(.compact = compact_counts_calls, .class_stats = class_stats_moves) },
	{ "counters", MERGING "compact\n",
	  LIE(.compact = compact_counts_calls, .class_stats = class_stats_copies) },
	{ "counters", MERGING "compact\n",
	  LIE(.compact = compact_counts_calls, .class_stats = class_stats_bytes) },
	{ "compact.idempotent", MERGING "compact\n", LIE(.compact = compact_boasts_later) },
	{ "compact.pages", MERGING "compact\n", LIE(.compact = compact_allocates) },
	{ "balance", TWO, LIE(.create = create_remembers, .destroy = destroy_keeps_a_page) },
	{ "check", TWO, LIE(.check = check_complains) },
	{ "geometry", "", LIE(.lookup_class_index = lookup_slips) },
	{ "geometry", "", LIE(.class_count = class_count_slips) },
	{ "geometry", "", LIE(.huge_class_size = huge_slips) },
	{ "geometry", TWO, LIE(.usable_size = usable_size_slips) },
};

#define LIES (sizeof(lies) / sizeof(*lies))

/* Functions are all that follows the name, and all are pointers of one size. */
static struct backend complete(const struct backend *liar)
{
	struct backend backend = *liar;
	size_t offset = offsetof(struct backend, create);

	for (; offset < sizeof(backend); offset += sizeof(void (*)(void)))
		if (!memcmp((char *)&backend + offset, &(void *){ NULL }, sizeof(void *)))
			memcpy((char *)&backend + offset, (const char *)&backend_core + offset,
			       sizeof(void *));
	return backend;
}

static void parse(struct trace *trace, const char *ops)
{
	char text[2000];
	struct trace_error error;
	int length = snprintf(text, sizeof(text), "%s%s", header, ops);

	if (trace_parse(trace, text, (size_t)length, &error)) {
		fprintf(stderr, "%s\n", error.text);
		abort();
	}
}

static void exit_with_oracle(void *context, const char *id, const char *line)
{
	size_t length = strlen(id);
	int i;

	(void)context;
	if (strncmp(line, "oracle ", 7) != 0 || strncmp(line + 7, id, length) != 0 ||
	    line[7 + length] != ':' || strchr(line, '\n') || line[strlen(line) - 1] != ')')
		_exit(BAD_LINE);
	for (i = 0; i < ORACLE_COUNT; i++)
		if (!strcmp(oracle_properties[i].id, id))
			_exit(i);
	_exit(BAD_LINE);
}

/* The ID of the oracle that fires. */
static const char *caught(const struct backend *backend, const char *ops)
{
	struct replay_options options = { .backend = backend, .full_every = 1 };
	struct trace trace;
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(BAD_LINE);
		oracle_set_handler(exit_with_oracle, NULL);
		parse(&trace, ops);
		_exit(replay(&trace, &options, NULL) ? BAD_LINE : NO_ORACLE);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (!WIFEXITED(status))
		return "killed";
	if (WEXITSTATUS(status) >= ORACLE_COUNT)
		return WEXITSTATUS(status) == NO_ORACLE ? "none" : "bad line";
	return oracle_properties[WEXITSTATUS(status)].id;
}

static void each_lie_is_caught_by_its_oracle(void **state)
{
	struct backend backend;
	unsigned wrong = 0;
	const char *id;
	size_t i;

	(void)state;
	for (i = 0; i < LIES; i++) {
		backend = complete(&lies[i].liar);
		id = caught(&backend, lies[i].ops);
		if (strcmp(id, lies[i].id) != 0) {
			print_error("lie %zu: %s instead of %s\n", i, id, lies[i].id);
			wrong++;
		}
	}
	assert_int_equal(wrong, 0);
}

static void the_truth_is_not_caught(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < LIES; i++)
		assert_string_equal(caught(&backend_core, lies[i].ops), "none");
}

static void every_oracle_has_a_lie(void **state)
{
	int i;
	size_t k;

	(void)state;
	for (i = 0; i < ORACLE_COUNT; i++) {
		for (k = 0; k < LIES && strcmp(lies[k].id, oracle_properties[i].id) != 0; k++)
			;
		if (k == LIES)
			fail_msg("no lie for %s", oracle_properties[i].id);
	}
}

/* ---- leaving by longjmp ---------------------------------------------------------------------- */

static jmp_buf caught_here;
static void *pool_left;

static int create_and_tell(const struct zs_config *config, void **pool)
{
	int error = backend_core.create(config, pool);

	pool_left = *pool;
	return error;
}

static void jump(void *context, const char *id, const char *line)
{
	(void)line;
	snprintf(context, 40, "%s", id);
	longjmp(caught_here, 1);
}

static void a_handler_may_leave_by_longjmp(void **state)
{
	struct backend backend = backend_core;
	struct replay_options options = { .backend = &backend };
	struct replay *volatile replay;
	struct trace trace;
	char id[40] = "";
	size_t i;

	(void)state;
	backend.create = create_and_tell;
	backend.group_size = group_size_grows;
	parse(&trace, TWO);
	oracle_set_handler(jump, id);
	replay = replay_start(&trace.config, &options);
	assert_non_null(replay);
	if (!setjmp(caught_here)) {
		for (i = 0; i < trace.count; i++)
			replay_step(replay, &trace.ops[i]);
		fail();
	}
	oracle_set_handler(NULL, NULL);
	assert_string_equal(id, "counters");
	assert_int_equal(backend_core.destroy(pool_left), ZS_OK);
	replay_discard(replay);
	trace_free(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_lie_is_caught_by_its_oracle),
		cmocka_unit_test(the_truth_is_not_caught),
		cmocka_unit_test(every_oracle_has_a_lie),
		cmocka_unit_test(a_handler_may_leave_by_longjmp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
