/* SPDX-License-Identifier: BSD-3-Clause */
#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

/* ---- failing --------------------------------------------------------------------------------- */

const struct oracle_property oracle_properties[ORACLE_COUNT] = { ORACLES(ORACLE_PROPERTY) };

static oracle_handler *handler;
static void *handler_context;

void oracle_set_handler(oracle_handler *new_handler, void *context)
{
	handler = new_handler;
	handler_context = context;
}

static void when(const struct oracle *oracle, char *text, size_t room)
{
	char op[160];

	op_format(&oracle->op, op, sizeof(op));
	if (oracle->ending)
		snprintf(text, room, "at the end");
	else if (!oracle->operation)
		snprintf(text, room, "at creation");
	else if (oracle->op.code >= OP_CODES)
		snprintf(text, room, "call %llu", (unsigned long long)oracle->operation);
	else
		snprintf(text, room, "operation %llu: %s", (unsigned long long)oracle->operation,
			 op);
}

void oracle_report(const struct oracle *oracle, const char *id, const char *format,
		   va_list arguments)
{
	char line[800], text[400], place[200];

	when(oracle, place, sizeof(place));
	vsnprintf(text, sizeof(text), format, arguments);
	snprintf(line, sizeof(line), "oracle %s: %s (%s)", id, text, place);
	fprintf(stderr, "%s\n", line);
	if (handler)
		handler(handler_context, id, line);
	abort();
}

#define ORACLE_DEFINE(function, id, meaning)                                        \
	void oracle_fail_##function(struct oracle *oracle, const char *format, ...) \
	{                                                                           \
		va_list arguments;                                                  \
                                                                                    \
		va_start(arguments, format);                                        \
		oracle_report(oracle, id, format, arguments);                       \
	}
ORACLES(ORACLE_DEFINE)

/* Fails as the property named; as error.unchanged after an operation that failed. */
#define FAIL(oracle, function, ...)                                         \
	do {                                                                \
		if ((oracle)->failed)                                       \
			oracle_fail_error_unchanged((oracle), __VA_ARGS__); \
		oracle_fail_##function((oracle), __VA_ARGS__);              \
	} while (0)

#define ULL(x) ((unsigned long long)(x))

/* ---- the page source ------------------------------------------------------------------------- */

void source_init(struct source *source, struct oracle *oracle, uint32_t max)
{
	*source = (struct source){ .oracle = oracle, .max = max, .top = MODEL_NONE };
}

void source_free(struct source *source)
{
	free(source->pages);
	*source = (struct source){ 0 };
}

void source_begin(struct source *source)
{
	source->got_count = 0;
	source->disorder = false;
}

int source_reserve(struct source *source)
{
	return array_reserve(&source->pages, (size_t)source->fresh + MODEL_CHAIN, &source->room,
			     sizeof(*source->pages));
}

static bool source_refuses(struct source *source)
{
	if (source->count == source->max)
		return true;
	if (!source->fail_count)
		return false;
	if (source->fail_after) {
		source->fail_after--;
		return false;
	}
	source->fail_count -= source->fail_count != OP_FOREVER;
	return true;
}

static uint32_t source_get(void *context, uint32_t near)
{
	struct source *source = context;
	uint32_t page;

	(void)near;
	source->gets++;
	if (source_refuses(source))
		return ZS_NO_PAGE;
	if (source->got_count == MODEL_CHAIN)
		oracle_fail_pages_accounting(source->oracle, "more than %u pages taken at once",
					     MODEL_CHAIN);
	if (source->top != MODEL_NONE) {
		page = source->top;
		source->top = source->pages[page].below;
	} else {
		page = source->fresh++;
		source->pages[page].owner = MODEL_NONE;
	}
	source->pages[page].out = true;
	source->count++;
	source->got[source->got_count++] = page;
	return page;
}

static void source_put(void *context, uint32_t page)
{
	struct source *source = context;

	if (page >= source->fresh || !source->pages[page].out)
		oracle_fail_pages_accounting(source->oracle, "page %u is given back, but isn't out",
					     page);
	source->pages[page].out = false;
	source->pages[page].below = source->top;
	source->top = page;
	source->count--;
	if (source->got_count && source->got[source->got_count - 1] == page)
		source->got_count--;
	else
		source->disorder = true;
}

struct zs_page_source source_interface(struct source *source)
{
	return (struct zs_page_source){ source_get, source_put, source };
}

/* ---- results --------------------------------------------------------------------------------- */

int oracle_init(struct oracle *oracle, const struct backend *backend,
		const struct zs_config *config)
{
	*oracle = (struct oracle){ .backend = backend };
	source_init(&oracle->source, oracle, config->max_pages);
	oracle->bytes = malloc((size_t)config->geometry.page_size + 1);
	oracle->known = malloc(config->geometry.page_size);
	oracle->goals = calloc(MODEL_CLASSES, sizeof(*oracle->goals));
	if (!oracle->bytes || !oracle->known || !oracle->goals)
		return -1;
	return source_reserve(&oracle->source);
}

void oracle_free(struct oracle *oracle)
{
	source_free(&oracle->source);
	free(oracle->bytes);
	free(oracle->known);
	free(oracle->goals);
	free(oracle->inuse);
}

/* Would the allocator say that a live handle isn't one? */
static bool disowned(struct oracle *oracle, uint32_t object, int got)
{
	size_t size;

	return got == ZS_ESTALE ||
	       (got == ZS_EINVAL &&
		oracle->backend->usable_size(oracle->pool, oracle->model->objects[object].handle,
					     &size) != ZS_OK);
}

void oracle_result(struct oracle *oracle, enum oracle_subject subject, uint32_t object,
		   int expected, int got)
{
	if (got == expected)
		return;
	if (subject == ORACLE_LIVE && disowned(oracle, object, got))
		oracle_fail_handle_stability(
			oracle, "live handle %#llx of name %u is refused with %s",
			ULL(oracle->model->objects[object].handle),
			oracle->model->objects[object].name, zs_error_name(got));
	if (subject == ORACLE_STALE)
		oracle_fail_handle_stale(oracle, "a dead handle gives %s, not %s",
					 zs_error_name(got), zs_error_name(expected));
	if (subject == ORACLE_FOREIGN)
		oracle_fail_handle_foreign(oracle, "another pool's handle gives %s, not %s",
					   zs_error_name(got), zs_error_name(expected));
	oracle_fail_result(oracle, "%s returned, not %s", zs_error_name(got),
			   zs_error_name(expected));
}

static void refuse(struct oracle *oracle, enum oracle_subject subject, int expected, int got)
{
	oracle_result(oracle, subject, MODEL_NONE, expected, got);
}

void oracle_refused(struct oracle *oracle, enum oracle_subject subject, zs_handle handle,
		    int expected)
{
	const struct backend *backend = oracle->backend;
	struct zs_location location = { 1, 2, 3 };
	struct zs_page_ref page = { 1, 2 };
	struct zs_view view = { NULL, 1, 2 };
	uint8_t byte = 0x5a;
	size_t size = 1;
	int got = backend->free(oracle->pool, handle);

	if (expected == ZS_OK)
		expected = got == ZS_ESTALE ? ZS_ESTALE : ZS_EINVAL;
	refuse(oracle, subject, expected, got);
	refuse(oracle, subject, expected, backend->write(oracle->pool, handle, &byte, 1));
	refuse(oracle, subject, expected,
	       backend->read_begin(oracle->pool, handle, 1, &byte, &view));
	refuse(oracle, subject, expected, backend->usable_size(oracle->pool, handle, &size));
	refuse(oracle, subject, expected, backend->page_lock(oracle->pool, handle, 0, &page));
	refuse(oracle, subject, expected, backend->locate(oracle->pool, handle, &location));
	if (byte != 0x5a || size != 1 || view.data || view.len != 1 || view.zspage != 2 ||
	    page.zspage != 1 || page.index != 2 || location.index != 1 || location.zspage != 2 ||
	    location.slot != 3)
		oracle_fail_error_unchanged(oracle,
					    "a refused handle has changed an output argument");
}

/* ---- places ---------------------------------------------------------------------------------- */

static const struct model_zspage *zspage_of(const struct oracle *oracle, uint32_t object)
{
	return &oracle->model->zspages[oracle->model->objects[object].zspage];
}

/* Does another live object of the zspage say that its bytes begin less than a slot away? */
static bool shares_bytes(struct oracle *oracle, const struct model_zspage *z, uint32_t slot,
			 uint32_t page, uint32_t offset)
{
	const struct model_class *class = &oracle->model->classes[z->class];
	uint32_t i, other_page, other;

	for (i = 0; i < class->objects; i++) {
		if (i == slot || z->slots[i] == MODEL_NONE ||
		    oracle->backend->slot_address(oracle->pool, z->id, i, &other_page, &other))
			continue;
		if (other_page == page && other < offset + class->size &&
		    offset < other + class->size)
			return true;
	}
	return false;
}

static void check_address(struct oracle *oracle, uint32_t object)
{
	const struct model_object *o = &oracle->model->objects[object];
	const struct model_zspage *z = zspage_of(oracle, object);
	uint32_t index, offset, page = ZS_NO_PAGE, at = 0;
	int error = oracle->backend->slot_address(oracle->pool, z->id, o->slot, &page, &at);

	model_slot_place(oracle->model, o->zspage, o->slot, &index, &offset);
	if (!error && page == z->pages[index] && at == offset)
		return;
	if (!error && shares_bytes(oracle, z, o->slot, page, at))
		FAIL(oracle, overlap,
		     "name %u at page %u + %u shares bytes with another object of zspage %u",
		     o->name, page, at, z->id);
	FAIL(oracle, span, "slot %u of zspage %u is at page %u + %u (%s), not at page %u + %u",
	     o->slot, z->id, page, at, zs_error_name(error), z->pages[index], offset);
}

/* Does the allocator know the object at all, and does its place know the object? */
static void check_identity(struct oracle *oracle, uint32_t object, struct zs_location *at)
{
	const struct model_object *o = &oracle->model->objects[object];
	int error = oracle->backend->locate(oracle->pool, o->handle, at);
	zs_handle there;

	if (error)
		FAIL(oracle, handle_stability, "live handle %#llx of name %u can't be located: %s",
		     ULL(o->handle), o->name, zs_error_name(error));
	there = oracle->backend->slot_handle(oracle->pool, at->zspage, at->slot);
	if (there != o->handle)
		FAIL(oracle, handle_stability,
		     "name %u is said to be in zspage %u slot %u, where %#llx is", o->name,
		     at->zspage, at->slot, ULL(there));
}

void oracle_place(struct oracle *oracle, uint32_t object)
{
	const struct model_object *o = &oracle->model->objects[object];
	const struct model_zspage *z = zspage_of(oracle, object);
	struct zs_location at;

	check_identity(oracle, object, &at);
	if (at.index != z->class || at.zspage != z->id || at.slot != o->slot)
		FAIL(oracle, handle_stability,
		     "name %u is in class %u zspage %u slot %u, not in %u, %u, %u", o->name,
		     at.index, at.zspage, at.slot, z->class, z->id, o->slot);
	check_address(oracle, object);
}

/* Notes the page that a zspage is said to have; the source must have given it to this zspage. */
static void learn_page(struct oracle *oracle, uint32_t zspage, uint32_t index)
{
	struct model_zspage *z = &oracle->model->zspages[zspage];
	uint32_t page = oracle->backend->zspage_page(oracle->pool, z->id, index);
	const struct model_zspage *owner;
	uint32_t i, owner_pages;

	if (page >= oracle->source.fresh || !oracle->source.pages[page].out)
		oracle_fail_pages_accounting(oracle,
					     "zspage %u has page %u, which isn't out at the source",
					     z->id, page);
	if (oracle->source.pages[page].owner != MODEL_NONE) {
		owner = &oracle->model->zspages[oracle->source.pages[page].owner];
		owner_pages = owner->held ? oracle->model->classes[owner->class].pages : 0;
		for (i = 0; i < owner_pages; i++)
			if (owner->pages[i] == page && !(owner == z && i >= index))
				oracle_fail_overlap(oracle, "zspages %u and %u both have page %u",
						    z->id, owner->id, page);
	}
	oracle->source.pages[page].owner = zspage;
	z->pages[index] = page;
}

static void learn_zspage(struct oracle *oracle, uint32_t zspage, uint32_t id)
{
	struct model_zspage *z = &oracle->model->zspages[zspage];
	uint32_t i;

	if (map_find(&oracle->model->ids, (uint64_t)id + 1) != MODEL_NONE)
		oracle_fail_select(oracle, "the object went to zspage %u, though a new one was due",
				   id);
	model_identify(oracle->model, zspage, id);
	memset(z->pages, 0xff, sizeof(z->pages));
	for (i = 0; i < oracle->model->classes[z->class].pages; i++)
		learn_page(oracle, zspage, i);
}

void oracle_new_object(struct oracle *oracle, uint32_t object, zs_handle handle)
{
	const struct model_object *o = &oracle->model->objects[object];
	const struct model_zspage *z = zspage_of(oracle, object);
	struct zs_location at;
	size_t size = 0;
	int error;

	if (!handle || map_find(&oracle->model->handles, handle) != MODEL_NONE)
		oracle_fail_handle_unique(oracle, "handle %#llx isn't new", ULL(handle));
	model_bind(oracle->model, object, handle);
	check_identity(oracle, object, &at);
	if (at.index != z->class)
		oracle_fail_geometry(oracle, "size %llu went to class %u, not to %u", ULL(o->size),
				     at.index, z->class);
	if (oracle->model->touched_new)
		learn_zspage(oracle, o->zspage, at.zspage);
	if (at.zspage != z->id)
		oracle_fail_select(oracle, "the object went to zspage %u, not to %u", at.zspage,
				   z->id);
	if (at.slot != o->slot)
		oracle_fail_slot_order(oracle, "the object got slot %u, not %u", at.slot, o->slot);
	check_address(oracle, object);
	error = oracle->backend->usable_size(oracle->pool, handle, &size);
	if (error || size != model_usable_size(oracle->model, object))
		oracle_fail_geometry(oracle, "usable size %zu (%s), not %u", size,
				     zs_error_name(error),
				     model_usable_size(oracle->model, object));
}

void oracle_migrated(struct oracle *oracle, uint32_t zspage, uint32_t index)
{
	struct model_zspage *z = &oracle->model->zspages[zspage];
	uint32_t old = z->pages[index];

	learn_page(oracle, zspage, index);
	if (z->pages[index] == old)
		oracle_fail_pages_accounting(oracle, "page %u of zspage %u wasn't replaced", index,
					     z->id);
}

/* ---- content --------------------------------------------------------------------------------- */

void oracle_bytes(struct oracle *oracle, uint32_t object, const void *bytes, size_t len)
{
	uint32_t known = model_content(oracle->model, object, oracle->known, (uint32_t)len);
	const uint8_t *got = bytes;
	uint32_t k = 0;

	if (!memcmp(got, oracle->known, known))
		return;
	while (got[k] == oracle->known[k])
		k++;
	FAIL(oracle, content, "byte %u of name %u (zspage %u slot %u) is %#04x, not %#04x", k,
	     oracle->model->objects[object].name, zspage_of(oracle, object)->id,
	     oracle->model->objects[object].slot, got[k], oracle->known[k]);
}

/* A window into the pool must be where slot_address says, counted from the same place for all. */
static void check_arena(struct oracle *oracle, uint32_t object, const struct zs_view *view)
{
	const struct zs_geometry *g = &oracle->model->config.geometry;
	const struct model_object *o = &oracle->model->objects[object];
	const struct model_zspage *z = zspage_of(oracle, object);
	uint32_t index, offset;
	uintptr_t arena;

	model_slot_place(oracle->model, o->zspage, o->slot, &index, &offset);
	offset += oracle->model->classes[z->class].size - model_usable_size(oracle->model, object);
	index += offset / g->page_size;
	offset %= g->page_size;
	arena = (uintptr_t)view->data - (uintptr_t)z->pages[index] * g->page_size - offset;
	if (!oracle->arena)
		oracle->arena = arena;
	if (arena != oracle->arena)
		FAIL(oracle, span, "the window on name %u isn't at page %u + %u", o->name,
		     z->pages[index], offset);
}

void oracle_view(struct oracle *oracle, uint32_t object, size_t len, const void *local,
		 const struct zs_view *view)
{
	bool spans = model_spans(oracle->model, object, len);

	if (view->zspage != zspage_of(oracle, object)->id)
		FAIL(oracle, handle_stability, "the window on name %u names zspage %u, not %u",
		     oracle->model->objects[object].name, view->zspage,
		     zspage_of(oracle, object)->id);
	if (view->len != len)
		FAIL(oracle, result, "the window has %zu bytes, not %zu", view->len, len);
	if (oracle->backend->traits & BACKEND_ONE_WINDOW)
		return; /* it has a buffer of its own */
	if (spans && view->data != local)
		FAIL(oracle, span, "a window across pages isn't the local buffer");
	if (!spans)
		check_arena(oracle, object, view);
}

void oracle_content(struct oracle *oracle, uint32_t object, size_t len)
{
	const struct backend *backend = oracle->backend;
	zs_handle handle = oracle->model->objects[object].handle;
	/* So that a copy of one byte more is out of bounds. */
	uint8_t *local = oracle->bytes + oracle->model->config.geometry.page_size + 1 - len;
	struct zs_view view;
	int error;

	if (!len || zspage_of(oracle, object)->pins == MODEL_PINS)
		return;
	error = backend->read_begin(oracle->pool, handle, len, local, &view);
	oracle_result(oracle, ORACLE_LIVE, object, ZS_OK, error);
	oracle_view(oracle, object, len, local, &view);
	oracle_bytes(oracle, object, view.data, len);
	error = backend->read_end(oracle->pool, &view);
	oracle_result(oracle, ORACLE_PLAIN, object, ZS_OK, error);
}

/* ---- zspages, lists, counters ---------------------------------------------------------------- */

static void check_fullness(struct oracle *oracle, const struct model_zspage *z)
{
	uint32_t objects = oracle->model->classes[z->class].objects, group;
	struct zs_zspage_info info;

	if (oracle->backend->zspage_info(oracle->pool, z->id, &info))
		return;
	group = model_group(oracle->model->config.grouping, info.inuse, objects);
	if (info.group != group)
		FAIL(oracle, fullness_group,
		     "zspage %u with %u of %u in use is in group %u, not %u", z->id, info.inuse,
		     objects, info.group, group);
}

static void check_zspage(struct oracle *oracle, const struct model_zspage *z)
{
	struct zs_zspage_info info;

	if (oracle->backend->zspage_info(oracle->pool, z->id, &info))
		FAIL(oracle, list_membership, "zspage %u isn't held, but must be, in group %u",
		     z->id, z->group);
	if (info.index != z->class)
		FAIL(oracle, list_membership, "zspage %u is in class %u, not %u", z->id, info.index,
		     z->class);
	if (info.inuse != z->inuse || info.pins != z->pins || info.locked != z->locked)
		FAIL(oracle, counters, "zspage %u: in use %u, pins %u, locked %#x; not %u, %u, %#x",
		     z->id, info.inuse, info.pins, info.locked, z->inuse, z->pins, z->locked);
}

static void check_released(struct oracle *oracle, const struct model_zspage *z)
{
	struct zs_zspage_info info;
	uint32_t i;

	if (oracle->backend->zspage_info(oracle->pool, z->id, &info) == ZS_OK)
		FAIL(oracle, pages_accounting, "zspage %u is still held, with %u in use", z->id,
		     info.inuse);
	for (i = 0; i < oracle->model->classes[z->class].pages; i++)
		if (oracle->source.pages[z->pages[i]].out)
			FAIL(oracle, pages_accounting,
			     "page %u of zspage %u, which is gone, is still out", z->pages[i],
			     z->id);
}

static uint32_t id_of(const struct oracle *oracle, uint32_t zspage)
{
	return zspage == MODEL_NONE ? ZS_NONE : oracle->model->zspages[zspage].id;
}

static void check_next(struct oracle *oracle, const struct model_zspage *z)
{
	uint32_t next = oracle->backend->group_next(oracle->pool, z->id);

	if (next != id_of(oracle, z->next))
		FAIL(oracle, list_membership,
		     "in group %u of class %u, zspage %u follows %u, not %u", z->group, z->class,
		     next, z->id, id_of(oracle, z->next));
}

static void check_heads(struct oracle *oracle, const struct model_class *class)
{
	const struct backend *backend = oracle->backend;
	uint32_t index = class->index, groups = class->groups, group, first, count;
	void *pool = oracle->pool;

	for (group = 0; group < groups; group++) {
		first = backend->group_first(pool, index, group);
		if (first != id_of(oracle, class->first[group]))
			FAIL(oracle, list_membership,
			     "group %u of class %u begins with zspage %u, not %u", group, index,
			     first, id_of(oracle, class->first[group]));
	}
	for (group = 0; group < groups; group++) {
		count = backend->group_size(pool, index, group);
		if (count != class->count[group])
			FAIL(oracle, counters, "group %u of class %u has %u zspages, not %u", group,
			     index, count, class->count[group]);
	}
}

static void check_count(struct oracle *oracle, const char *what, uint64_t got, uint64_t expected)
{
	if (got != expected)
		FAIL(oracle, counters, "%s is %llu, not %llu", what, ULL(got), ULL(expected));
}

static void check_class_shape(struct oracle *oracle, uint32_t index, struct zs_class_stats *got,
			      struct zs_class_stats *expected)
{
	int error = oracle->backend->class_stats(oracle->pool, index, got);

	if (error)
		oracle_fail_geometry(oracle, "class %u has no statistics: %s", index,
				     zs_error_name(error));
	model_class_stats(oracle->model, index, expected);
	if (got->version != expected->version || got->index != expected->index ||
	    got->size != expected->size || got->pages_per_zspage != expected->pages_per_zspage ||
	    got->objs_per_zspage != expected->objs_per_zspage || got->groups != expected->groups)
		oracle_fail_geometry(
			oracle,
			"class %u: size %u, %u pages, %u objects, %u groups; not %u, %u, %u, %u",
			index, got->size, got->pages_per_zspage, got->objs_per_zspage, got->groups,
			expected->size, expected->pages_per_zspage, expected->objs_per_zspage,
			expected->groups);
}

static void check_class(struct oracle *oracle, const struct model_class *class)
{
	struct zs_class_stats got, expected;

	check_class_shape(oracle, class->index, &got, &expected);
	check_count(oracle, "objs_inuse of the class", got.objs_inuse, expected.objs_inuse);
	check_count(oracle, "objs_allocated of the class", got.objs_allocated,
		    expected.objs_allocated);
	check_count(oracle, "zspages of the class", got.zspages, expected.zspages);
	check_count(oracle, "objs_moved of the class", got.objs_moved, expected.objs_moved);
	check_count(oracle, "pages_compacted of the class", got.pages_compacted,
		    expected.pages_compacted);
	check_count(oracle, "copies of the class", got.copies, expected.copies);
	check_count(oracle, "bytes_moved of the class", got.bytes_moved, expected.bytes_moved);
	check_count(oracle, "compactable pages of the class",
		    oracle->backend->class_compactable(oracle->pool, class->index),
		    model_class_compactable(class));
}

static struct zs_pool_stats stats_of(struct oracle *oracle)
{
	struct zs_pool_stats stats = { 0 };
	int error = oracle->backend->pool_stats(oracle->pool, &stats);

	oracle_result(oracle, ORACLE_PLAIN, MODEL_NONE, ZS_OK, error);
	return stats;
}

static void check_pool(struct oracle *oracle)
{
	struct zs_pool_stats got = stats_of(oracle), expected;

	model_pool_stats(oracle->model, &expected);
	if (got.version != expected.version || got.classes != expected.classes)
		oracle_fail_geometry(oracle, "version %u, %u classes; not %u, %u", got.version,
				     got.classes, expected.version, expected.classes);
	if (got.pages != expected.pages ||
	    oracle->backend->total_pages(oracle->pool) != expected.pages)
		FAIL(oracle, pages_accounting, "%llu pages held (total %llu), not %llu",
		     ULL(got.pages), ULL(oracle->backend->total_pages(oracle->pool)),
		     ULL(expected.pages));
	check_count(oracle, "objects", got.objects, expected.objects);
	check_count(oracle, "zspages", got.zspages, expected.zspages);
	check_count(oracle, "pages_peak", got.pages_peak, expected.pages_peak);
	check_count(oracle, "objs_moved", got.objs_moved, expected.objs_moved);
	check_count(oracle, "pages_compacted", got.pages_compacted, expected.pages_compacted);
	check_count(oracle, "pages_migrated", got.pages_migrated, expected.pages_migrated);
	check_count(oracle, "handles_retired", got.handles_retired, expected.handles_retired);
	if (got.metadata_bytes < oracle->metadata_bytes)
		FAIL(oracle, counters, "metadata_bytes fell from %llu to %llu",
		     ULL(oracle->metadata_bytes), ULL(got.metadata_bytes));
	if (oracle->failed && got.metadata_bytes != oracle->metadata_bytes)
		FAIL(oracle, counters, "metadata_bytes rose from %llu to %llu",
		     ULL(oracle->metadata_bytes), ULL(got.metadata_bytes));
	oracle->metadata_bytes = got.metadata_bytes;
}

static void check_source(struct oracle *oracle)
{
	const struct source *source = &oracle->source;

	if (source->count != oracle->model->pages)
		FAIL(oracle, pages_accounting, "%u pages are out at the source, not %llu",
		     source->count, ULL(oracle->model->pages));
	if (oracle->failed && (source->got_count || source->disorder))
		FAIL(oracle, pages_accounting, "pages didn't go back to the source last one first");
	if (source->fail_after != oracle->model->fail_after ||
	    source->fail_count != oracle->model->fail_count)
		FAIL(oracle, pages_accounting,
		     "the source was asked for more or fewer pages than it must");
}

void oracle_touched(struct oracle *oracle)
{
	const struct model *model = oracle->model;
	const struct model_zspage *z;

	if (model->touched_zspage != MODEL_NONE) {
		z = &model->zspages[model->touched_zspage];
		if (z->held) {
			check_fullness(oracle, z);
			check_zspage(oracle, z);
			check_next(oracle, z);
		} else {
			check_released(oracle, z);
		}
	}
	if (model->touched_class != MODEL_NONE) {
		check_heads(oracle, &model->classes[model->touched_class]);
		check_class(oracle, &model->classes[model->touched_class]);
	}
	check_pool(oracle);
	check_source(oracle);
}

/* ---- everything ------------------------------------------------------------------------------ */

typedef void zspage_check(struct oracle *oracle, const struct model_zspage *z);

static void each_zspage(struct oracle *oracle, zspage_check *check)
{
	uint32_t i;

	for (i = 0; i < oracle->model->zspages_count; i++)
		if (oracle->model->zspages[i].held)
			check(oracle, &oracle->model->zspages[i]);
}

static void check_pages(struct oracle *oracle, const struct model_zspage *z)
{
	uint32_t i, page, pages = oracle->model->classes[z->class].pages;

	for (i = 0; i < pages; i++) {
		page = oracle->backend->zspage_page(oracle->pool, z->id, i);
		if (page == z->pages[i] && oracle->source.pages[page].out)
			continue;
		if (page < oracle->source.fresh && oracle->source.pages[page].out &&
		    oracle->model->zspages[oracle->source.pages[page].owner].id != z->id)
			FAIL(oracle, overlap,
			     "page %u of zspage %u is page %u, which zspage %u has", i, z->id, page,
			     oracle->model->zspages[oracle->source.pages[page].owner].id);
		FAIL(oracle, pages_accounting, "page %u of zspage %u is page %u, not %u", i, z->id,
		     page, z->pages[i]);
	}
	if (oracle->backend->zspage_page(oracle->pool, z->id, pages) != ZS_NO_PAGE)
		FAIL(oracle, pages_accounting, "zspage %u has more than %u pages", z->id, pages);
}

static void check_slots(struct oracle *oracle, const struct model_zspage *z)
{
	uint32_t slot, objects = oracle->model->classes[z->class].objects;
	zs_handle handle;

	for (slot = 0; slot < objects; slot++) {
		if (z->slots[slot] != MODEL_NONE) {
			oracle_place(oracle, z->slots[slot]);
			continue;
		}
		handle = oracle->backend->slot_handle(oracle->pool, z->id, slot);
		if (handle)
			FAIL(oracle, handle_stability,
			     "%#llx is in zspage %u slot %u, which is free", ULL(handle), z->id,
			     slot);
	}
	if (oracle->backend->slot_handle(oracle->pool, z->id, objects))
		FAIL(oracle, span, "zspage %u has more than %u slots", z->id, objects);
}

static void check_contents(struct oracle *oracle, const struct model_zspage *z)
{
	uint32_t slot;

	for (slot = 0; slot < oracle->model->classes[z->class].objects; slot++)
		if (z->slots[slot] != MODEL_NONE)
			oracle_content(oracle, z->slots[slot],
				       model_known(oracle->model, z->slots[slot]));
}

/* Those with zspages, or all: an empty class costs as much as a full one. */
static void check_classes(struct oracle *oracle, bool all)
{
	const struct model_class *class;
	uint32_t i;

	for (i = 0; i < oracle->model->classes_left; i++) {
		class = &oracle->model->classes[oracle->model->physical[i]];
		if (!all && !class->zspages)
			continue;
		check_heads(oracle, class);
		check_class(oracle, class);
	}
}

static void check_structure(struct oracle *oracle, bool all)
{
	each_zspage(oracle, check_fullness);
	each_zspage(oracle, check_zspage);
	each_zspage(oracle, check_next);
	check_classes(oracle, all);
	check_pool(oracle);
	check_source(oracle);
	check_count(oracle, "compactable pages", oracle->backend->compactable(oracle->pool),
		    model_compactable(oracle->model));
	each_zspage(oracle, check_pages);
	each_zspage(oracle, check_slots);
}

void oracle_structure(struct oracle *oracle)
{
	check_structure(oracle, false);
}

void oracle_everything(struct oracle *oracle)
{
	struct zs_broken broken = { "none", 0 };
	int error;

	check_structure(oracle, true);
	each_zspage(oracle, check_contents);
	error = oracle->backend->check(oracle->pool, &broken);
	if (error)
		oracle_fail_check(oracle, "%s: %s at %llu", zs_error_name(error), broken.invariant,
				  ULL(broken.where));
}

/* ---- compaction ------------------------------------------------------------------------------ */

/* What the allocator says of each zspage of a class; false if one of them is held or empty. */
static bool gather(struct oracle *oracle, const struct model_class *class)
{
	const struct model *model = oracle->model;
	struct zs_zspage_info info = { .pins = 1 };
	uint32_t group, zspage, count = 0;

	for (group = 0; group < class->groups; group++) {
		zspage = class->first[group];
		for (; zspage != MODEL_NONE; zspage = model->zspages[zspage].next) {
			if (oracle->backend->zspage_info(oracle->pool, model->zspages[zspage].id,
							 &info) ||
			    info.pins || info.locked || !info.inuse)
				return false;
			oracle->inuse[count++] = info.inuse;
		}
	}
	return true;
}

static int set_goal(struct oracle *oracle, const struct model_class *class)
{
	struct oracle_goal *goal = &oracle->goals[class->index];
	uint64_t zspages = class->zspages;
	struct zs_class_stats stats;

	if (!zspages)
		return 0;
	if (array_reserve(&oracle->inuse, (size_t)zspages, &oracle->inuse_room,
			  sizeof(*oracle->inuse)))
		return -1;
	goal->set = gather(oracle, class) &&
		    !oracle->backend->class_stats(oracle->pool, class->index, &stats);
	if (!goal->set)
		return 0;
	goal->bound = bound_of(oracle->inuse, (size_t)zspages, class->objects);
	goal->moved = stats.objs_moved;
	return 0;
}

int oracle_compacting(struct oracle *oracle, uint32_t index)
{
	const struct model *model = oracle->model;
	uint32_t i;

	model_pool_stats(model, &oracle->before);
	memset(oracle->goals, 0, MODEL_CLASSES * sizeof(*oracle->goals));
	if (index < model->logical)
		return set_goal(oracle, &model->classes[model->classes[index].index]);
	for (i = 0; i < model->classes_left && index == MODEL_NONE; i++)
		if (set_goal(oracle, &model->classes[model->physical[i]]))
			return -1;
	return 0;
}

static void check_goals(struct oracle *oracle)
{
	const struct oracle_goal *goal;
	struct zs_class_stats got, expected;
	bool optimal = oracle->model->config.algorithm == ZS_OPTIMAL;
	uint64_t moves;
	uint32_t i;

	for (i = 0; i < oracle->model->logical; i++) {
		goal = &oracle->goals[i];
		if (!goal->set)
			continue;
		check_class_shape(oracle, i, &got, &expected);
		if (got.zspages != goal->bound.zspages)
			oracle_fail_compact_least(
				oracle, "class %u has %llu zspages left, where %llu would do", i,
				ULL(got.zspages), ULL(goal->bound.zspages));
		moves = got.objs_moved - goal->moved;
		if (moves < goal->bound.moves || (optimal && moves > goal->bound.moves))
			oracle_fail_compact_bound(
				oracle, "class %u has %llu objects moved, where %llu moves do", i,
				ULL(moves), ULL(goal->bound.moves));
	}
}

/* First whether each object is where the allocator says, then whether that's the right place. */
static void check_moved(struct oracle *oracle, const struct model_zspage *z)
{
	struct zs_location at;
	uint32_t slot, object;

	for (slot = 0; slot < oracle->model->classes[z->class].objects; slot++) {
		object = z->slots[slot];
		if (object == MODEL_NONE)
			continue;
		check_identity(oracle, object, &at);
		if (at.index == z->class && at.zspage == z->id && at.slot == slot)
			continue;
		if (at.zspage != z->id)
			oracle_fail_select(oracle,
					   "name %u is in zspage %u after compaction, not in %u",
					   oracle->model->objects[object].name, at.zspage, z->id);
		oracle_fail_slot_order(oracle, "name %u is in slot %u after compaction, not in %u",
				       oracle->model->objects[object].name, at.slot, slot);
	}
}

static uint64_t compact_again(struct oracle *oracle, uint32_t index)
{
	uint64_t freed = 0;
	int error;

	if (index == MODEL_NONE)
		return oracle->backend->compact(oracle->pool);
	error = oracle->backend->compact_class(oracle->pool, index, &freed);
	oracle_result(oracle, ORACLE_PLAIN, MODEL_NONE, ZS_OK, error);
	return freed;
}

static void check_idempotent(struct oracle *oracle, uint32_t index)
{
	uint64_t freed = compact_again(oracle, index);
	struct zs_pool_stats got = stats_of(oracle);

	if (freed || got.objs_moved != oracle->model->moved || got.pages != oracle->model->pages)
		oracle_fail_compact_idempotent(
			oracle, "a second compaction moved %llu and freed %llu",
			ULL(got.objs_moved - oracle->model->moved), ULL(freed));
}

void oracle_compacted(struct oracle *oracle, uint32_t index, uint64_t expected, uint64_t got)
{
	const struct zs_pool_stats *before = &oracle->before;
	const struct model *model = oracle->model;
	struct zs_pool_stats stats = stats_of(oracle);

	each_zspage(oracle, check_fullness);
	if (stats.pages > before->pages)
		oracle_fail_compact_pages(oracle, "pages held grew from %llu to %llu",
					  ULL(before->pages), ULL(stats.pages));
	check_goals(oracle);
	if (got != expected || stats.pages != model->pages ||
	    stats.pages_compacted != model->compacted)
		oracle_fail_compact_freed(
			oracle,
			"%llu said to be freed, %llu counted, %llu gone; not %llu, %llu, %llu",
			ULL(got), ULL(stats.pages_compacted - before->pages_compacted),
			ULL(before->pages - stats.pages), ULL(expected),
			ULL(model->compacted - before->pages_compacted),
			ULL(before->pages - model->pages));
	if (stats.objs_moved != model->moved)
		oracle_fail_compact_moves(oracle, "%llu objects moved, not %llu",
					  ULL(stats.objs_moved - before->objs_moved),
					  ULL(model->moved - before->objs_moved));
	each_zspage(oracle, check_moved);
	oracle_everything(oracle);
	if (!model->windows && !model->locks) {
		check_idempotent(oracle, index);
		oracle_structure(oracle);
	}
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void check_lookup(struct oracle *oracle, uint64_t size)
{
	uint32_t index = oracle->backend->lookup_class_index(oracle->pool, (size_t)size);

	if (index != model_class_index(oracle->model, size))
		oracle_fail_geometry(oracle, "size %llu is of class %u, not %u", ULL(size), index,
				     model_class_index(oracle->model, size));
}

static void check_out_of_range(struct oracle *oracle)
{
	const struct backend *backend = oracle->backend;
	uint32_t last = oracle->model->logical - 1;
	uint32_t groups = oracle->model->classes[last].groups;
	struct zs_class_stats stats;

	if (backend->class_stats(oracle->pool, last + 1, &stats) != ZS_EINVAL ||
	    backend->class_compactable(oracle->pool, last + 1) ||
	    backend->group_size(oracle->pool, last + 1, 0) ||
	    backend->group_size(oracle->pool, last, groups) ||
	    backend->group_first(oracle->pool, last + 1, 0) != ZS_NONE ||
	    backend->group_first(oracle->pool, last, groups) != ZS_NONE)
		oracle_fail_geometry(oracle,
				     "class %u or group %u is answered for, but doesn't exist",
				     last + 1, groups);
}

void oracle_geometry(struct oracle *oracle)
{
	const struct model *model = oracle->model;
	struct zs_class_stats got, expected;
	size_t huge = oracle->backend->huge_class_size(oracle->pool);
	uint32_t i, count = oracle->backend->class_count(oracle->pool);

	if (count != model->logical)
		oracle_fail_geometry(oracle, "%u classes, not %u", count, model->logical);
	for (i = 0; i < count; i++) {
		check_class_shape(oracle, i, &got, &expected);
		check_lookup(oracle, model->classes[i].size - model->config.geometry.header);
		check_lookup(oracle, model->classes[i].size - model->config.geometry.header + 1);
	}
	check_lookup(oracle, 0);
	check_lookup(oracle, model->config.geometry.page_size);
	check_lookup(oracle, (uint64_t)model->config.geometry.page_size + 1);
	check_lookup(oracle, SIZE_MAX);
	if (huge != model_huge_class_size(model))
		oracle_fail_geometry(oracle, "huge class size is %zu, not %zu", huge,
				     model_huge_class_size(model));
	check_out_of_range(oracle);
}

void oracle_balance(struct oracle *oracle)
{
	struct zs_pool_stats got = stats_of(oracle);

	if (got.pages || got.objects || got.zspages || oracle->source.count)
		oracle_fail_balance(
			oracle,
			"left over: %llu pages, %llu objects, %llu zspages, %u at the source",
			ULL(got.pages), ULL(got.objects), ULL(got.zspages), oracle->source.count);
}
