/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "oracle.h"

#define NOTHING 0xa5a5a5a5u /* output arguments before a call, to see that a failure leaves them */
#define SMALL 512           /* slots up to which the structure is compared after each operation */
#define PROGRESS 4096       /* operations between two calls of progress */

/* A window that pin left open. */
struct window {
	uint32_t object;
	uint32_t version; /* the object's, then */
	uint32_t zspage;
	struct zs_view view;
	void *local; /* NULL when the view points into the pool */
};

struct lock {
	uint32_t zspage;
	struct zs_page_ref page;
};

/* The other pool, whose handle `foreign` uses. */
struct twin {
	void *pool;
	struct source source;
	zs_handle handle;
};

struct replay {
	struct oracle oracle;
	struct model model;
	struct replay_options options;
	struct replay_result result;
	struct window *windows;
	size_t windows_count, windows_room;
	struct lock *locks;
	size_t locks_count, locks_room;
	struct twin twin;
	uint64_t compared; /* the operation after which everything was compared last */
	bool out_of_memory;
};

/* ---- around each operation ------------------------------------------------------------------- */

static void compare_everything(struct replay *r)
{
	oracle_everything(&r->oracle);
	r->result.full_checks++;
	r->compared = r->oracle.operation;
}

static bool full_due(const struct replay *r)
{
	return r->options.full_every && r->oracle.operation % r->options.full_every == 0;
}

/* What is short may be found out before the source is asked, or after; both are right. */
static void sync_switch(struct replay *r)
{
	r->model.fail_after = r->oracle.source.fail_after;
	r->model.fail_count = r->oracle.source.fail_count;
}

/* Counts an operation and compares what it may have changed. Returns 0, as a step that was done. */
static int settle(struct replay *r, int error)
{
	r->result.operations++;
	r->result.failures += error != ZS_OK;
	r->oracle.failed = error != ZS_OK;
	if (error == ZS_ENOMEM)
		sync_switch(r);
	oracle_touched(&r->oracle);
	if (full_due(r) || (error == ZS_ENOMEM && r->options.full_if_no_memory))
		compare_everything(r);
	else if (r->model.slots <= SMALL)
		oracle_structure(&r->oracle);
	r->oracle.failed = false;
	source_begin(&r->oracle.source);
	return 0;
}

static void expect(struct replay *r, int expected, int got)
{
	oracle_result(&r->oracle, ORACLE_PLAIN, MODEL_NONE, expected, got);
}

static void expect_handle(struct replay *r, uint32_t object, int expected, int got)
{
	oracle_result(&r->oracle, r->model.objects[object].live ? ORACLE_LIVE : ORACLE_STALE,
		      object, expected, got);
}

static void unchanged(struct replay *r, bool same)
{
	if (!same)
		oracle_fail_error_unchanged(&r->oracle, "a failure has changed an output argument");
}

/* Bytes that stand for a length that may be wrong: none is looked at then. */
static size_t buffer_size(const struct replay *r, uint64_t len)
{
	uint64_t most = (uint64_t)r->model.config.geometry.page_size + 1;

	return (size_t)(len < most ? len : most);
}

static void *new_buffer(const struct replay *r, uint64_t len)
{
	return malloc(len ? buffer_size(r, len) : 1);
}

static size_t size_of(uint64_t value)
{
	return value < SIZE_MAX ? (size_t)value : SIZE_MAX;
}

static uint32_t index_of(uint64_t value)
{
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static uint64_t length_of(const struct replay *r, const struct op *op, uint32_t object)
{
	return op->value == OP_ALL ? r->model.objects[object].size : op->value;
}

/* Whether the backend does such an operation at all. */
static bool able(const struct replay *r, uint8_t code)
{
	unsigned int traits = r->options.backend->traits;

	if (code == OP_PIN || code == OP_UNPIN)
		return !(traits & BACKEND_ONE_WINDOW);
	if (code == OP_LOCK || code == OP_UNLOCK || code == OP_MIGRATE)
		return !(traits & BACKEND_NO_PAGES);
	return true;
}

/* ---- objects --------------------------------------------------------------------------------- */

static int run_free(struct replay *r, const struct op *op, uint32_t object)
{
	const struct backend *backend = r->oracle.backend;
	zs_handle handle = r->model.objects[object].handle;
	bool live = r->model.objects[object].live;
	int expected = model_free(&r->model, object);
	int got = backend->free(r->oracle.pool, handle);
	size_t size;

	(void)op;
	/* oracle_result can't tell: the handle is dead if free only returned the wrong thing. */
	if (live && (got == ZS_ESTALE || got == ZS_EINVAL))
		oracle_fail_handle_stability(&r->oracle,
					     "live handle of name %u can't be freed: %s",
					     r->model.objects[object].name, zs_error_name(got));
	oracle_result(&r->oracle, live ? ORACLE_PLAIN : ORACLE_STALE, object, expected, got);
	got = backend->usable_size(r->oracle.pool, handle, &size);
	expect_handle(r, object, model_handle(&r->model, object), got);
	return settle(r, expected);
}

static int run_malloc(struct replay *r, const struct op *op, uint32_t object)
{
	zs_handle handle = NOTHING;
	int expected, got;

	if (r->model.objects[object].live)
		run_free(r, op, object);
	expected = model_malloc(&r->model, object, op->value);
	if (expected == MODEL_NO_MEMORY)
		return -1;
	got = r->oracle.backend->malloc(r->oracle.pool, size_of(op->value), &handle);
	expect(r, expected, got);
	if (got == ZS_OK)
		oracle_new_object(&r->oracle, object, handle);
	else
		unchanged(r, handle == NOTHING);
	return settle(r, expected);
}

static int run_write(struct replay *r, const struct op *op, uint32_t object)
{
	uint64_t len = length_of(r, op, object);
	size_t size = buffer_size(r, len);
	/* At the buffer's end, so that reading one byte more is out of bounds. */
	uint8_t *data = r->oracle.bytes + r->model.config.geometry.page_size + 1 - size;
	int expected = model_write(&r->model, object, len, op->extra), got;

	if (expected == MODEL_NO_MEMORY)
		return -1;
	op_bytes(op->extra, data, 0, size);
	got = r->oracle.backend->write(r->oracle.pool, r->model.objects[object].handle, data,
				       size_of(len));
	expect_handle(r, object, expected, got);
	if (got == ZS_OK)
		oracle_content(&r->oracle, object, (size_t)len);
	return settle(r, expected);
}

/* ---- windows --------------------------------------------------------------------------------- */

static int open_view(struct replay *r, uint32_t object, uint64_t len, void *local,
		     struct zs_view *view)
{
	int expected = model_read_begin(&r->model, object, len, local != NULL), got;

	*view = (struct zs_view){ NULL, NOTHING, NOTHING };
	got = r->oracle.backend->read_begin(r->oracle.pool, r->model.objects[object].handle,
					    size_of(len), local, view);
	expect_handle(r, object, expected, got);
	if (got == ZS_OK) {
		oracle_view(&r->oracle, object, (size_t)len, local, view);
		oracle_bytes(&r->oracle, object, view->data, (size_t)len);
	} else {
		unchanged(r, !view->data && view->len == NOTHING && view->zspage == NOTHING);
	}
	return expected;
}

static int close_view(struct replay *r, uint32_t zspage, const struct zs_view *view)
{
	int expected = model_read_end(&r->model, zspage);

	expect(r, expected, r->oracle.backend->read_end(r->oracle.pool, view));
	return expected;
}

/* Once with a local buffer of exactly the length, once without, if it makes a difference. */
static int run_read(struct replay *r, const struct op *op, uint32_t object)
{
	uint64_t len = length_of(r, op, object);
	uint32_t zspage = r->model.objects[object].zspage;
	void *local = new_buffer(r, len);
	struct zs_view view;
	int error;

	if (!local)
		return -1;
	error = open_view(r, object, len, local, &view);
	if (!error)
		close_view(r, zspage, &view);
	free(local);
	if (able(r, OP_PIN) && !open_view(r, object, len, NULL, &view))
		close_view(r, zspage, &view);
	return settle(r, error);
}

static int run_pin(struct replay *r, const struct op *op, uint32_t object)
{
	const struct model_object *o = &r->model.objects[object];
	uint64_t len = length_of(r, op, object);
	struct window window = { .object = object, .version = o->version, .zspage = o->zspage };
	int error;

	if (array_reserve(&r->windows, r->windows_count + 1, &r->windows_room, sizeof(window)))
		return -1;
	window.local = new_buffer(r, len);
	if (!window.local)
		return -1;
	error = open_view(r, object, len, window.local, &window.view);
	if (error || window.view.data != window.local) {
		free(window.local);
		window.local = NULL;
	}
	r->windows[r->windows_count] = window;
	r->windows_count += !error;
	return settle(r, error);
}

static int run_unpin(struct replay *r, const struct op *op, uint32_t object)
{
	struct zs_view made_up = { NULL, 1, replay_made_up(op->value).zspage };
	struct window window;
	size_t i;

	(void)object;
	if (!r->windows_count)
		return settle(r, close_view(r, MODEL_NONE, &made_up));
	i = (size_t)(op->value % r->windows_count--);
	window = r->windows[i];
	memmove(&r->windows[i], &r->windows[i + 1], (r->windows_count - i) * sizeof(window));
	if (r->model.objects[window.object].version == window.version)
		oracle_bytes(&r->oracle, window.object, window.view.data, window.view.len);
	close_view(r, window.zspage, &window.view);
	free(window.local);
	return settle(r, ZS_OK);
}

/* ---- pages ----------------------------------------------------------------------------------- */

static int run_lock(struct replay *r, const struct op *op, uint32_t object)
{
	uint32_t index = index_of(op->value);
	struct lock lock = { r->model.objects[object].zspage, { NOTHING, NOTHING } };
	int expected, got;

	if (array_reserve(&r->locks, r->locks_count + 1, &r->locks_room, sizeof(lock)))
		return -1;
	expected = model_page_lock(&r->model, object, index);
	got = r->oracle.backend->page_lock(r->oracle.pool, r->model.objects[object].handle, index,
					   &lock.page);
	expect_handle(r, object, expected, got);
	if (got)
		unchanged(r, lock.page.zspage == NOTHING && lock.page.index == NOTHING);
	else if (lock.page.zspage != r->model.zspages[lock.zspage].id || lock.page.index != index)
		oracle_fail_result(&r->oracle, "page %u of zspage %u was locked, not page %u of %u",
				   lock.page.index, lock.page.zspage, index,
				   r->model.zspages[lock.zspage].id);
	r->locks[r->locks_count] = lock;
	r->locks_count += !expected;
	return settle(r, expected);
}

/* The lock that I means; a made-up one when none is held. */
static struct lock lock_of(const struct replay *r, uint64_t i)
{
	if (r->locks_count)
		return r->locks[i % r->locks_count];
	return (struct lock){ MODEL_NONE, replay_made_up(i) };
}

static int run_unlock(struct replay *r, const struct op *op, uint32_t object)
{
	struct lock lock = lock_of(r, op->value);
	int expected = model_page_unlock(&r->model, lock.zspage, lock.page.index);
	size_t i;

	(void)object;
	expect(r, expected, r->oracle.backend->page_unlock(r->oracle.pool, lock.page));
	if (r->locks_count) {
		i = (size_t)(op->value % r->locks_count--);
		memmove(&r->locks[i], &r->locks[i + 1], (r->locks_count - i) * sizeof(lock));
	}
	return settle(r, expected);
}

static int run_migrate(struct replay *r, const struct op *op, uint32_t object)
{
	struct lock lock = lock_of(r, op->value);
	int expected = model_page_migrate(&r->model, lock.zspage, lock.page.index);

	(void)object;
	expect(r, expected, r->oracle.backend->page_migrate(r->oracle.pool, lock.page));
	if (!expected)
		oracle_migrated(&r->oracle, lock.zspage, lock.page.index);
	return settle(r, expected);
}

static int run_fail(struct replay *r, const struct op *op, uint32_t object)
{
	(void)object;
	r->oracle.source.fail_after = op->extra ? op->value : 0;
	r->oracle.source.fail_count = op->extra;
	model_fail(&r->model, op->extra ? op->value : 0, op->extra);
	return settle(r, ZS_OK);
}

/* ---- compaction ------------------------------------------------------------------------------ */

static int run_compact(struct replay *r, const struct op *op, uint32_t object)
{
	uint64_t expected, got;

	(void)op, (void)object;
	if (oracle_compacting(&r->oracle, MODEL_NONE))
		return -1;
	expected = model_compact(&r->model);
	got = r->oracle.backend->compact(r->oracle.pool);
	oracle_compacted(&r->oracle, MODEL_NONE, expected, got);
	r->result.full_checks++;
	return settle(r, ZS_OK);
}

static int run_compact_class(struct replay *r, const struct op *op, uint32_t object)
{
	uint64_t expected_freed = NOTHING, got_freed = NOTHING;
	uint32_t index = index_of(op->value);
	int expected, got;

	(void)object;
	if (oracle_compacting(&r->oracle, index))
		return -1;
	expected = model_compact_class(&r->model, index, &expected_freed);
	got = r->oracle.backend->compact_class(r->oracle.pool, index, &got_freed);
	expect(r, expected, got);
	if (expected) {
		unchanged(r, got_freed == NOTHING);
	} else {
		oracle_compacted(&r->oracle, index, expected_freed, got_freed);
		r->result.full_checks++;
	}
	return settle(r, expected);
}

static int run_check(struct replay *r, const struct op *op, uint32_t object)
{
	(void)op, (void)object;
	compare_everything(r);
	r->result.operations++;
	return 0;
}

/* ---- wrong handles --------------------------------------------------------------------------- */

static int settle_refused(struct replay *r)
{
	r->model.touched_class = MODEL_NONE;
	r->model.touched_zspage = MODEL_NONE;
	return settle(r, ZS_EINVAL);
}

static int run_forge(struct replay *r, const struct op *op, uint32_t object)
{
	zs_handle handle = r->model.objects[object].handle ^ op->value;
	uint32_t other = map_find(&r->model.handles, handle);
	int expected = ZS_OK; /* either error */

	if (other != MODEL_NONE && r->model.objects[other].live)
		return 0;
	if (!handle)
		expected = ZS_EINVAL;
	if (other != MODEL_NONE)
		expected = ZS_ESTALE;
	oracle_refused(&r->oracle, ORACLE_STALE, handle, expected);
	return settle_refused(r);
}

static int twin_create(struct replay *r)
{
	const struct backend *backend = r->oracle.backend;
	struct zs_config config = r->model.config;
	struct twin *twin = &r->twin;
	void *pool;

	config.tag = (config.tag + 1) % (1u << config.geometry.tag_bits);
	source_free(&twin->source);
	source_init(&twin->source, &r->oracle, config.max_pages);
	if (source_reserve(&twin->source))
		return -1;
	config.source = source_interface(&twin->source);
	if (backend->create(&config, &pool))
		return -1;
	twin->pool = pool;
	/* An object that fills a page: one page is all that it needs, whatever the geometry. */
	expect(r, ZS_OK, backend->malloc(pool, config.geometry.page_size, &twin->handle));
	return 0;
}

static int run_foreign(struct replay *r, const struct op *op, uint32_t object)
{
	(void)op, (void)object;
	if (!r->twin.pool && twin_create(r))
		return -1;
	oracle_refused(&r->oracle, ORACLE_FOREIGN, r->twin.handle, ZS_EINVAL);
	return settle_refused(r);
}

/* With its object still live: everything goes back to the source all the same. */
static void twin_destroy(struct replay *r)
{
	if (!r->twin.pool)
		return;
	expect(r, ZS_OK, r->oracle.backend->destroy(r->twin.pool));
	if (r->twin.source.count)
		oracle_fail_balance(&r->oracle, "%u pages of a destroyed pool are out",
				    r->twin.source.count);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static const struct action {
	int (*run)(struct replay *r, const struct op *op, uint32_t object);
	bool named;
} actions[OP_CODES] = {
	[OP_MALLOC] = { run_malloc, true },
	[OP_FREE] = { run_free, true },
	[OP_WRITE] = { run_write, true },
	[OP_READ] = { run_read, true },
	[OP_PIN] = { run_pin, true },
	[OP_UNPIN] = { run_unpin, false },
	[OP_LOCK] = { run_lock, true },
	[OP_UNLOCK] = { run_unlock, false },
	[OP_MIGRATE] = { run_migrate, false },
	[OP_COMPACT] = { run_compact, false },
	[OP_COMPACT_CLASS] = { run_compact_class, false },
	[OP_FORGE] = { run_forge, true },
	[OP_FOREIGN] = { run_foreign, false },
	[OP_FAIL] = { run_fail, false },
	[OP_CHECK] = { run_check, false },
};

static int run(struct replay *r, const struct op *op)
{
	const struct action *action;
	uint32_t object = MODEL_NONE;

	if (op->code >= OP_CODES || !able(r, op->code))
		return 0;
	action = &actions[op->code];
	if (action->named) {
		object = model_object(&r->model, op->name);
		if (object == MODEL_NONE)
			return -1;
	}
	return source_reserve(&r->oracle.source) ? -1 : action->run(r, op, object);
}

int replay_step(struct replay *r, const struct op *op)
{
	r->oracle.op = *op;
	r->oracle.operation++;
	if (run(r, op)) {
		r->out_of_memory = true;
		return -1;
	}
	if (full_due(r) && r->compared != r->oracle.operation)
		compare_everything(r);
	return 0;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

void replay_discard(struct replay *r)
{
	size_t i;

	for (i = 0; i < r->windows_count; i++)
		free(r->windows[i].local);
	free(r->windows);
	free(r->locks);
	source_free(&r->twin.source);
	model_free_all(&r->model);
	oracle_free(&r->oracle);
	free(r);
}

static int create(struct replay *r, const struct zs_config *config)
{
	struct zs_config with_source = *config;
	int expected = model_init(&r->model, config), got;

	if (expected == MODEL_NO_MEMORY ||
	    (expected == ZS_OK && oracle_init(&r->oracle, r->options.backend, config)))
		return -1;
	r->oracle.model = &r->model;
	with_source.source = source_interface(&r->oracle.source);
	got = r->options.backend->create(&with_source, &r->oracle.pool);
	if (expected == ZS_OK && got == ZS_ENOMEM)
		return -1;
	expect(r, expected, got);
	return expected == ZS_OK ? 0 : -1;
}

struct replay *replay_start(const struct zs_config *config, const struct replay_options *options)
{
	struct replay *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->options = *options;
	if (create(r, config)) {
		replay_discard(r);
		return NULL;
	}
	oracle_geometry(&r->oracle);
	oracle_everything(&r->oracle);
	return r;
}

/* While a page is locked or a window open, a pool isn't destroyed. */
static void try_to_destroy(struct replay *r)
{
	if (!r->windows_count && !r->locks_count)
		return;
	expect(r, ZS_EBUSY, r->oracle.backend->destroy(r->oracle.pool));
	r->oracle.failed = true;
	oracle_structure(&r->oracle);
	r->oracle.failed = false;
	compare_everything(r);
}

/* The last one first: no other has to move up. */
static void close_all(struct replay *r)
{
	struct op op = { 0 };

	while (r->windows_count) {
		op.value = r->windows_count - 1;
		run_unpin(r, &op, MODEL_NONE);
	}
	while (r->locks_count) {
		op.value = r->locks_count - 1;
		run_unlock(r, &op, MODEL_NONE);
	}
}

/* Frees what is live, but first tries what the trace may have left out: to destroy too soon. */
static void free_objects(struct replay *r)
{
	struct op op = { .value = 1 };
	uint32_t i, first = 0;

	while (first < r->model.objects_count && !r->model.objects[first].live)
		first++;
	if (first == r->model.objects_count)
		return;
	if (able(r, OP_PIN) && !run_pin(r, &op, first)) {
		try_to_destroy(r);
		run_unpin(r, &op, MODEL_NONE);
	}
	op.value = 0;
	if (able(r, OP_LOCK) && !run_lock(r, &op, first)) {
		try_to_destroy(r);
		run_unlock(r, &op, MODEL_NONE);
	}
	for (i = first; i < r->model.objects_count; i++)
		if (r->model.objects[i].live)
			run_free(r, &op, i);
}

int replay_finish(struct replay *r, struct replay_result *result)
{
	struct replay_result counted;
	int status = r->out_of_memory ? -1 : 0;

	r->oracle.ending = true;
	compare_everything(r);
	r->oracle.backend->pool_stats(r->oracle.pool, &r->result.stats);
	r->result.gets = r->oracle.source.gets;
	r->result.entries = r->model.entries_taken;
	counted = r->result;
	if (r->options.inspect)
		r->options.inspect(r->options.inspect_context, r->oracle.pool);
	try_to_destroy(r);
	close_all(r);
	free_objects(r);
	oracle_balance(&r->oracle);
	compare_everything(r);
	expect(r, ZS_OK, r->oracle.backend->destroy(r->oracle.pool));
	if (r->oracle.source.count)
		oracle_fail_balance(&r->oracle, "%u pages are still out", r->oracle.source.count);
	twin_destroy(r);
	if (result)
		*result = counted;
	replay_discard(r);
	return status;
}

int replay(const struct trace *trace, const struct replay_options *options,
	   struct replay_result *result)
{
	struct replay *r = replay_start(&trace->config, options);
	size_t i;

	if (!r)
		return -1;
	for (i = 0; i < trace->count; i++) {
		if (options->progress && i % PROGRESS == 0)
			options->progress(options->context, i, trace->count);
		if (replay_step(r, &trace->ops[i]))
			break;
	}
	if (options->progress)
		options->progress(options->context, i, trace->count);
	return replay_finish(r, result);
}
