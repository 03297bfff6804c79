/* SPDX-License-Identifier: BSD-3-Clause */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "wrap.h"

/* ---- the map --------------------------------------------------------------------------------- */

static size_t map_home(const struct map *map, uint64_t key)
{
	return (size_t)(wrap_mul(key, 0x9e3779b97f4a7c15u) >> 32) & (map->room - 1);
}

/* Where the key is, or the hole where it would go. */
static size_t map_seek(const struct map *map, uint64_t key)
{
	size_t i = map_home(map, key);

	while (map->entries[i].key && map->entries[i].key != key)
		i = (i + 1) & (map->room - 1);
	return i;
}

uint32_t map_find(const struct map *map, uint64_t key)
{
	size_t i;

	if (!map->room)
		return MODEL_NONE;
	i = map_seek(map, key);
	return map->entries[i].key ? map->entries[i].value : MODEL_NONE;
}

void map_set(struct map *map, uint64_t key, uint32_t value)
{
	size_t i = map_seek(map, key);

	map->entries[i] = (struct map_entry){ key, value };
}

/* From one place forward to another, around the end. */
static size_t map_steps(const struct map *map, size_t from, size_t to)
{
	return (map->room + to - from) & (map->room - 1);
}

void map_remove(struct map *map, uint64_t key)
{
	size_t i, hole, home;

	if (!map->room)
		return;
	hole = map_seek(map, key);
	if (!map->entries[hole].key)
		return;
	/* Entries after the hole move up, unless that took them before their home. */
	for (i = (hole + 1) & (map->room - 1); map->entries[i].key; i = (i + 1) & (map->room - 1)) {
		home = map_home(map, map->entries[i].key);
		if (map_steps(map, home, i) < map_steps(map, hole, i))
			continue;
		map->entries[hole] = map->entries[i];
		hole = i;
	}
	map->entries[hole].key = 0;
}

int map_reserve(struct map *map, size_t count)
{
	struct map larger = { .room = map->room ? map->room : 16 };
	size_t i;

	if (count * 2 <= map->room)
		return 0;
	while (larger.room < count * 2)
		larger.room *= 2;
	larger.entries = calloc(larger.room, sizeof(*larger.entries));
	if (!larger.entries)
		return -1;
	for (i = 0; i < map->room; i++)
		if (map->entries[i].key)
			map_set(&larger, map->entries[i].key, map->entries[i].value);
	free(map->entries);
	*map = larger;
	return 0;
}

/* ---- geometry -------------------------------------------------------------------------------- */

static bool power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

static uint32_t least_waste(uint32_t page, uint32_t size, uint32_t chain)
{
	uint32_t i, best = 1;

	if (power_of_two(size))
		return 1;
	for (i = 2; i <= chain; i++)
		if (i * page % size < best * page % size)
			best = i;
	return best;
}

static uint32_t used_percent(uint32_t page, uint32_t size, uint32_t chain)
{
	uint32_t i, percent, best = 1, best_percent = 0;

	for (i = 1; i <= chain; i++) {
		percent = i * page / size * size * 100 / (i * page);
		if (percent > best_percent) {
			best = i;
			best_percent = percent;
		}
	}
	return best;
}

/* Merged ones included. */
static uint32_t class_count(const struct zs_geometry *g)
{
	return (g->page_size - g->min_size + g->class_step - 1) / g->class_step + 1;
}

static void geometry_init(struct model *model)
{
	const struct zs_geometry *g = &model->config.geometry;
	struct model_class *class;
	uint32_t i, kept = MODEL_NONE;

	model->logical = class_count(g);
	for (i = model->logical; i > 0;) {
		class = &model->classes[--i];
		class->size = g->min_size + i * g->class_step;
		if (class->size > g->page_size)
			class->size = g->page_size;
		class->pages = g->chain_rule == ZS_LEAST_WASTE
				       ? least_waste(g->page_size, class->size, g->chain)
				       : used_percent(g->page_size, class->size, g->chain);
		class->objects = class->pages * g->page_size / class->size;
		if (kept == MODEL_NONE || class->pages != model->classes[kept].pages ||
		    class->objects != model->classes[kept].objects) {
			kept = i;
			model->physical[model->classes_left++] = i;
		}
		class->index = kept;
	}
}

static bool between(uint64_t value, uint64_t low, uint64_t high)
{
	return value >= low && value <= high;
}

const char *const model_field_names[MODEL_FIELDS] = {
	[MODEL_PAGE_SIZE] = "page_size",       [MODEL_MIN_SIZE] = "min_size",
	[MODEL_CLASS_STEP] = "class_step",     [MODEL_HEADER] = "header",
	[MODEL_CHAIN_LENGTH] = "chain",        [MODEL_CHAIN_RULE] = "chain_rule",
	[MODEL_TAG_BITS] = "tag_bits",         [MODEL_GENERATION_BITS] = "generation_bits",
	[MODEL_GROUPING] = "grouping",         [MODEL_ALGORITHM] = "algorithm",
	[MODEL_MAX_PAGES] = "max_pages",       [MODEL_MAX_OBJECTS] = "max_objects",
	[MODEL_HANDLE_BATCH] = "handle_batch", [MODEL_TAG] = "tag",
};

/* Each field by itself, or against one named before it. */
static uint32_t wrong_alone(const struct zs_config *c)
{
	const struct zs_geometry *g = &c->geometry;
	const bool right[MODEL_FIELDS] = {
		[MODEL_PAGE_SIZE] = power_of_two(g->page_size) && between(g->page_size, 64, 65536),
		[MODEL_MIN_SIZE] = between(g->min_size, 8, g->page_size) && g->min_size % 8 == 0,
		[MODEL_CLASS_STEP] =
			between(g->class_step, 8, g->page_size) && g->class_step % 8 == 0,
		[MODEL_HEADER] = g->header == 0 || (g->header == 8 && g->min_size > 8),
		[MODEL_CHAIN_LENGTH] = between(g->chain, 1, MODEL_CHAIN),
		[MODEL_CHAIN_RULE] = g->chain_rule <= ZS_USED_PERCENT,
		[MODEL_TAG_BITS] = between(g->tag_bits, 2, 12),
		[MODEL_GENERATION_BITS] = between(g->generation_bits, 2, 20),
		[MODEL_GROUPING] = c->grouping <= ZS_EXACT,
		[MODEL_ALGORITHM] = c->algorithm <= ZS_OPTIMAL,
		[MODEL_MAX_PAGES] = between(c->max_pages, 1, 1u << 26),
		[MODEL_MAX_OBJECTS] = c->max_objects <= INT32_MAX,
		[MODEL_HANDLE_BATCH] = between(c->handle_batch, 1, 64),
		[MODEL_TAG] = c->tag == ZS_TAG_AUTO || g->tag_bits > 31 || !(c->tag >> g->tag_bits),
	};
	uint32_t field, wrong = 0;

	for (field = 0; field < MODEL_FIELDS; field++)
		wrong |= (uint32_t)!right[field] << field;
	return wrong;
}

uint32_t model_wrong_fields(const struct zs_config *config)
{
	const uint32_t classes = 1u << MODEL_MIN_SIZE | 1u << MODEL_CLASS_STEP;
	const uint32_t slots = 1u << MODEL_MIN_SIZE | 1u << MODEL_CHAIN_LENGTH;
	const struct zs_geometry *g = &config->geometry;
	uint32_t alone = wrong_alone(config), wrong = alone;

	if (alone & (1u << MODEL_PAGE_SIZE))
		return wrong;
	if (!(alone & classes) && class_count(g) > MODEL_CLASSES)
		wrong |= classes;
	if (!(alone & slots) && g->chain * g->page_size / g->min_size > MODEL_SLOTS)
		wrong |= slots;
	return wrong;
}

int model_config_error(const struct zs_config *config)
{
	return model_wrong_fields(config) ? ZS_EINVAL : ZS_OK;
}

bool model_huge(const struct model_class *class)
{
	return class->pages == 1 && class->objects == 1;
}

uint32_t model_class_index(const struct model *model, uint64_t size)
{
	const struct zs_geometry *g = &model->config.geometry;
	uint64_t i;

	if (size > g->page_size)
		size = g->page_size;
	if (size + g->header <= g->min_size)
		return model->classes[0].index;
	i = (size + g->header - g->min_size + g->class_step - 1) / g->class_step;
	return model->classes[i < model->logical ? i : model->logical - 1].index;
}

size_t model_huge_class_size(const struct model *model)
{
	const struct model_class *class;
	uint32_t i;

	for (i = 0; i < model->classes_left; i++) {
		class = &model->classes[model->physical[i]];
		if (class->pages > 1 && class->objects > 1)
			return class->size - model->config.geometry.header + 1;
	}
	return 0;
}

void model_slot_place(const struct model *model, uint32_t zspage, uint32_t slot, uint32_t *page,
		      uint32_t *offset)
{
	uint32_t start = slot * model->classes[model->zspages[zspage].class].size;

	*page = start / model->config.geometry.page_size;
	*offset = start % model->config.geometry.page_size;
}

static uint32_t header_of(const struct model *model, const struct model_class *class)
{
	return model_huge(class) ? 0 : model->config.geometry.header;
}

uint32_t model_usable_size(const struct model *model, uint32_t object)
{
	const struct model_class *class;

	class = &model->classes[model->zspages[model->objects[object].zspage].class];
	return class->size - header_of(model, class);
}

bool model_spans(const struct model *model, uint32_t object, uint64_t len)
{
	const struct model_object *o = &model->objects[object];
	const struct model_class *class = &model->classes[model->zspages[o->zspage].class];
	uint64_t start = (uint64_t)o->slot * class->size + header_of(model, class);

	return start / model->config.geometry.page_size !=
	       (start + len - 1) / model->config.geometry.page_size;
}

/* ---- fullness groups and their lists --------------------------------------------------------- */

uint32_t model_groups(uint32_t grouping, uint32_t objects)
{
	switch (grouping) {
	case ZS_RATIO:
		return 12;
	case ZS_THRESHOLD:
		return 4;
	default:
		return objects + 1;
	}
}

uint32_t model_group(uint32_t grouping, uint32_t inuse, uint32_t objects)
{
	if (inuse == 0)
		return 0;
	if (inuse == objects)
		return model_groups(grouping, objects) - 1;
	switch (grouping) {
	case ZS_RATIO:
		return 100 * inuse / objects / 10 + 1;
	case ZS_THRESHOLD:
		return inuse <= 3 * objects / 4 ? 1 : 2;
	default:
		return inuse;
	}
}

static uint32_t group_of(const struct model *model, uint32_t zspage)
{
	const struct model_zspage *z = &model->zspages[zspage];

	return model_group(model->config.grouping, z->inuse, model->classes[z->class].objects);
}

/* Empty lists for every class that is left. Returns 0, or -1 when memory is out. */
static int lists_init(struct model *model)
{
	struct model_class *class;
	uint32_t i, groups = 0;

	for (i = 0; i < model->classes_left; i++) {
		class = &model->classes[model->physical[i]];
		class->groups = model_groups(model->config.grouping, class->objects);
		groups += class->groups;
	}
	/* NOLINTNEXTLINE(clang-analyzer-optin.portability.UnixAPI): there always is a class */
	model->firsts = malloc(groups * sizeof(*model->firsts));
	model->counts = calloc(groups, sizeof(*model->counts));
	if (!model->firsts || !model->counts)
		return -1;
	memset(model->firsts, 0xff, groups * sizeof(*model->firsts));
	for (i = 0, groups = 0; i < model->classes_left; groups += class->groups, i++) {
		class = &model->classes[model->physical[i]];
		class->first = &model->firsts[groups];
		class->count = &model->counts[groups];
	}
	return 0;
}

static void list_remove(struct model *model, uint32_t zspage)
{
	struct model_zspage *z = &model->zspages[zspage];
	struct model_class *class = &model->classes[z->class];

	if (z->prev == MODEL_NONE)
		class->first[z->group] = z->next;
	else
		model->zspages[z->prev].next = z->next;
	if (z->next != MODEL_NONE)
		model->zspages[z->next].prev = z->prev;
	class->count[z->group]--;
}

/* Into its group's list: behind the one before, or at the head if that is MODEL_NONE. */
static void list_link(struct model *model, uint32_t zspage, uint32_t before)
{
	struct model_zspage *z = &model->zspages[zspage];
	struct model_class *class = &model->classes[z->class];
	uint32_t *link =
		before == MODEL_NONE ? &class->first[z->group] : &model->zspages[before].next;

	z->prev = before;
	z->next = *link;
	*link = zspage;
	if (z->next != MODEL_NONE)
		model->zspages[z->next].prev = zspage;
	class->count[z->group]++;
}

/*
 * To the list of the group that its in-use count says: at the head, or behind it by the rule of the
 * kernels before 6.3.
 */
static void list_insert(struct model *model, uint32_t zspage)
{
	struct model_zspage *z = &model->zspages[zspage];
	uint32_t head;

	z->group = group_of(model, zspage);
	head = model->classes[z->class].first[z->group];
	if (model->config.grouping == ZS_THRESHOLD && head != MODEL_NONE &&
	    model->zspages[head].inuse > z->inuse)
		list_link(model, zspage, head);
	else
		list_link(model, zspage, MODEL_NONE);
}

static void regroup(struct model *model, uint32_t zspage)
{
	if (model->zspages[zspage].group == group_of(model, zspage))
		return;
	list_remove(model, zspage);
	list_insert(model, zspage);
}

/* ---- zspages and their slots ----------------------------------------------------------------- */

/* The source's answers to count calls of get, up to the first refusal. */
static bool get_pages(struct model *model, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		if (model->pages + i == model->config.max_pages)
			return false;
		if (!model->fail_count)
			continue;
		if (!model->fail_after) {
			model->fail_count -= model->fail_count != OP_FOREVER;
			return false;
		}
		model->fail_after--;
	}
	return true;
}

/* A record for one more zspage, with slots for a class; in no list, holding nothing. */
static uint32_t zspage_record(struct model *model, const struct model_class *class)
{
	uint32_t i, zspage = model->zspages_unused;
	struct model_zspage *z;
	uint32_t *slots;

	if (map_reserve(&model->ids, (size_t)model->held + 1))
		return MODEL_NONE;
	if (zspage == MODEL_NONE && array_reserve(&model->zspages, (size_t)model->zspages_count + 1,
						  &model->zspages_room, sizeof(*model->zspages)))
		return MODEL_NONE;
	slots = malloc(2 * sizeof(*slots) * class->objects);
	if (!slots)
		return MODEL_NONE;
	if (zspage == MODEL_NONE)
		zspage = model->zspages_count++;
	else
		model->zspages_unused = model->zspages[zspage].next;
	z = &model->zspages[zspage];
	*z = (struct model_zspage){ .class = class->index,
				    .slots = slots,
				    .free = slots + class->objects };
	for (i = 0; i < class->objects; i++) {
		z->slots[i] = MODEL_NONE;
		z->free[i] = class->objects - 1 - i;
	}
	return zspage;
}

static void zspage_discard(struct model *model, uint32_t zspage)
{
	struct model_zspage *z = &model->zspages[zspage];

	free(z->slots);
	z->slots = NULL;
	z->held = false;
	z->next = model->zspages_unused;
	model->zspages_unused = zspage;
}

static void zspage_hold(struct model *model, uint32_t zspage)
{
	struct model_class *class = &model->classes[model->zspages[zspage].class];

	model->zspages[zspage].held = true;
	model->held++;
	model->slots += class->objects;
	class->zspages++;
	model->pages += class->pages;
	if (model->pages > model->pages_peak)
		model->pages_peak = model->pages;
}

/* Gives an empty zspage back, unless something holds it. */
static void release_if_idle(struct model *model, uint32_t zspage)
{
	struct model_zspage *z = &model->zspages[zspage];
	struct model_class *class = &model->classes[z->class];

	if (z->inuse || z->pins || z->locked)
		return;
	list_remove(model, zspage);
	map_remove(&model->ids, (uint64_t)z->id + 1);
	model->held--;
	model->slots -= class->objects;
	class->zspages--;
	model->pages -= class->pages;
	zspage_discard(model, zspage);
}

static void slot_take(struct model *model, uint32_t zspage, uint32_t object)
{
	struct model_zspage *z = &model->zspages[zspage];
	uint32_t left = model->classes[z->class].objects - z->inuse;
	uint32_t slot = z->free[left - 1];

	z->inuse++;
	z->slots[slot] = object;
	model->objects[object].zspage = zspage;
	model->objects[object].slot = slot;
}

static void slot_give(struct model *model, uint32_t zspage, uint32_t slot)
{
	struct model_zspage *z = &model->zspages[zspage];

	z->slots[slot] = MODEL_NONE;
	z->free[model->classes[z->class].objects - z->inuse] = slot;
	z->inuse--;
}

/* ---- handles --------------------------------------------------------------------------------- */

int model_handle(const struct model *model, uint32_t object)
{
	if (model->objects[object].live)
		return ZS_OK;
	return model->objects[object].issued ? ZS_ESTALE : ZS_EINVAL;
}

uint32_t model_object(struct model *model, uint32_t name)
{
	uint32_t object = map_find(&model->names, (uint64_t)name + 1);

	if (object != MODEL_NONE)
		return object;
	if (array_reserve(&model->objects, (size_t)model->objects_count + 1, &model->objects_room,
			  sizeof(*model->objects)) ||
	    map_reserve(&model->names, (size_t)model->objects_count + 1) ||
	    map_reserve(&model->handles, (size_t)model->objects_count + 1))
		return MODEL_NONE;
	object = model->objects_count++;
	model->objects[object] = (struct model_object){ .name = name };
	map_set(&model->names, (uint64_t)name + 1, object);
	return object;
}

void model_bind(struct model *model, uint32_t object, zs_handle handle)
{
	map_remove(&model->handles, model->objects[object].handle);
	model->objects[object].handle = handle;
	map_set(&model->handles, handle, object);
}

void model_identify(struct model *model, uint32_t zspage, uint32_t id)
{
	model->zspages[zspage].id = id;
	map_set(&model->ids, (uint64_t)id + 1, zspage);
}

/* How many fresh handle entries the class would take to have one. */
static uint32_t entries_wanted(const struct model *model, const struct model_class *class)
{
	uint64_t left = model->entries_most - model->entries_taken;
	uint32_t batch = model->config.handle_batch;

	if (class->entries)
		return 0;
	return left < batch ? (uint32_t)left : batch;
}

static void entry_take(struct model *model, struct model_class *class, uint32_t object,
		       uint32_t fresh)
{
	model->entries_taken += fresh;
	for (; fresh > 0; fresh--)
		class->generations[class->entries++] = 1;
	model->objects[object].generation = class->generations[--class->entries];
}

static void entry_give(struct model *model, struct model_class *class, uint32_t object)
{
	uint32_t next = model->objects[object].generation + 1;

	if (next == (1u << model->config.geometry.generation_bits) - 1)
		model->retired++;
	else
		class->generations[class->entries++] = next;
}

/* ---- malloc and free ------------------------------------------------------------------------- */

static void touch(struct model *model, uint32_t class, uint32_t zspage)
{
	model->touched_class = class;
	model->touched_zspage = zspage;
	model->touched_new = false;
}

/* What model_handle says; the object's zspage is touched, if it has one. */
static int resolve(struct model *model, uint32_t object)
{
	uint32_t zspage = model->objects[object].zspage;

	touch(model, MODEL_NONE, MODEL_NONE);
	if (model->objects[object].live)
		touch(model, model->zspages[zspage].class, zspage);
	return model_handle(model, object);
}

static uint32_t pick(const struct model_class *class)
{
	uint32_t group;

	for (group = class->groups - 1; group > 0; group--)
		if (class->first[group - 1] != MODEL_NONE)
			return class->first[group - 1];
	return MODEL_NONE;
}

static void content_drop(struct model_object *o, uint64_t len)
{
	struct model_piece *piece;

	while (o->pieces && o->pieces->len <= len) {
		piece = o->pieces;
		o->pieces = piece->below;
		free(piece);
	}
}

static void object_begin(struct model *model, struct model_class *class, uint32_t object,
			 uint64_t size)
{
	struct model_object *o = &model->objects[object];

	o->live = true;
	o->issued = true;
	o->size = size;
	o->version++;
	class->inuse++;
	model->live++;
}

static int malloc_new(struct model *model, struct model_class *class, uint32_t object)
{
	uint32_t zspage = zspage_record(model, class);

	if (zspage == MODEL_NONE)
		return MODEL_NO_MEMORY;
	touch(model, class->index, MODEL_NONE);
	if (!get_pages(model, class->pages)) {
		zspage_discard(model, zspage);
		return ZS_ENOMEM;
	}
	touch(model, class->index, zspage);
	model->touched_new = true;
	zspage_hold(model, zspage);
	slot_take(model, zspage, object);
	list_insert(model, zspage);
	return ZS_OK;
}

int model_malloc(struct model *model, uint32_t object, uint64_t size)
{
	struct model_class *class = &model->classes[model_class_index(model, size)];
	uint32_t fresh = entries_wanted(model, class);
	uint32_t zspage = pick(class);
	int error;

	touch(model, class->index, zspage);
	if (!size)
		return ZS_EINVAL;
	if (size > model->config.geometry.page_size)
		return ZS_E2BIG;
	if (!class->entries && !fresh)
		return ZS_ENOMEM;
	if (array_reserve(&class->generations, class->inuse + class->entries + fresh + 1,
			  &class->entries_room, sizeof(*class->generations)))
		return MODEL_NO_MEMORY;
	if (zspage == MODEL_NONE) {
		error = malloc_new(model, class, object);
		if (error)
			return error;
	} else {
		slot_take(model, zspage, object);
		regroup(model, zspage);
	}
	entry_take(model, class, object, fresh);
	object_begin(model, class, object, size);
	return ZS_OK;
}

int model_free(struct model *model, uint32_t object)
{
	struct model_object *o = &model->objects[object];
	struct model_class *class;
	int error = resolve(model, object);

	if (error)
		return error;
	class = &model->classes[model->touched_class];
	o->live = false;
	o->version++;
	content_drop(o, UINT64_MAX);
	entry_give(model, class, object);
	class->inuse--;
	model->live--;
	slot_give(model, o->zspage, o->slot);
	regroup(model, o->zspage);
	release_if_idle(model, o->zspage);
	return ZS_OK;
}

/* ---- content and windows --------------------------------------------------------------------- */

int model_write(struct model *model, uint32_t object, uint64_t len, uint32_t seed)
{
	struct model_object *o = &model->objects[object];
	struct model_piece *piece;
	int error = resolve(model, object);

	if (error)
		return error;
	if (!between(len, 1, model_usable_size(model, object)))
		return ZS_EINVAL;
	piece = malloc(sizeof(*piece));
	if (!piece)
		return MODEL_NO_MEMORY;
	content_drop(o, len);
	*piece = (struct model_piece){ o->pieces, (uint32_t)len, seed };
	o->pieces = piece;
	o->version++;
	return ZS_OK;
}

uint32_t model_known(const struct model *model, uint32_t object)
{
	const struct model_piece *piece;
	uint32_t known = 0;

	for (piece = model->objects[object].pieces; piece; piece = piece->below)
		known = piece->len;
	return known;
}

uint32_t model_content(const struct model *model, uint32_t object, uint8_t *bytes, uint32_t len)
{
	const struct model_piece *piece;
	uint32_t k = 0, upto;

	for (piece = model->objects[object].pieces; piece; piece = piece->below) {
		upto = piece->len < len ? piece->len : len;
		op_bytes(piece->seed, bytes, k, upto);
		k = upto;
	}
	return k;
}

int model_read_begin(struct model *model, uint32_t object, uint64_t len, bool local)
{
	struct model_zspage *z;
	int error = resolve(model, object);

	if (error)
		return error;
	if (!between(len, 1, model_usable_size(model, object)))
		return ZS_EINVAL;
	if (!local && model_spans(model, object, len))
		return ZS_EINVAL;
	z = &model->zspages[model->touched_zspage];
	if (z->pins == MODEL_PINS)
		return ZS_EBUSY;
	z->pins++;
	model->windows++;
	return ZS_OK;
}

/* zspage: a held one, or MODEL_NONE. */
static void resolve_zspage(struct model *model, uint32_t zspage)
{
	touch(model, MODEL_NONE, MODEL_NONE);
	if (zspage != MODEL_NONE)
		touch(model, model->zspages[zspage].class, zspage);
}

int model_read_end(struct model *model, uint32_t zspage)
{
	resolve_zspage(model, zspage);
	if (zspage == MODEL_NONE || !model->zspages[zspage].pins)
		return ZS_EINVAL;
	model->zspages[zspage].pins--;
	model->windows--;
	release_if_idle(model, zspage);
	return ZS_OK;
}

/* ---- pages ----------------------------------------------------------------------------------- */

int model_page_lock(struct model *model, uint32_t object, uint64_t index)
{
	struct model_zspage *z;
	int error = resolve(model, object);

	if (error)
		return error;
	if (index >= model->classes[model->touched_class].pages)
		return ZS_EINVAL;
	z = &model->zspages[model->touched_zspage];
	if (z->locked >> index & 1)
		return ZS_EBUSY;
	z->locked |= 1u << index;
	model->locks++;
	return ZS_OK;
}

static bool page_locked(const struct model *model, uint32_t zspage, uint32_t index)
{
	return zspage != MODEL_NONE && index < MODEL_CHAIN &&
	       (model->zspages[zspage].locked >> index & 1);
}

int model_page_unlock(struct model *model, uint32_t zspage, uint32_t index)
{
	resolve_zspage(model, zspage);
	if (!page_locked(model, zspage, index))
		return ZS_EINVAL;
	model->zspages[zspage].locked &= ~(1u << index);
	model->locks--;
	release_if_idle(model, zspage);
	return ZS_OK;
}

int model_page_migrate(struct model *model, uint32_t zspage, uint32_t index)
{
	resolve_zspage(model, zspage);
	if (!page_locked(model, zspage, index))
		return ZS_EINVAL;
	if (model->zspages[zspage].pins)
		return ZS_EBUSY;
	if (!get_pages(model, 1))
		return ZS_ENOMEM;
	model->migrated++;
	return ZS_OK;
}

void model_fail(struct model *model, uint64_t after, uint32_t count)
{
	touch(model, MODEL_NONE, MODEL_NONE);
	model->fail_after = after;
	model->fail_count = count;
}

/* ---- compaction ------------------------------------------------------------------------------ */

uint64_t model_class_compactable(const struct model_class *class)
{
	return (class->zspages * class->objects - class->inuse) / class->objects * class->pages;
}

uint64_t model_compactable(const struct model *model)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < model->classes_left; i++)
		sum += model_class_compactable(&model->classes[model->physical[i]]);
	return sum;
}

/* The emptier source, or the fuller destination. */
static bool better(const struct model *model, uint32_t zspage, uint32_t than, bool source)
{
	uint32_t inuse = model->zspages[zspage].inuse, other = model->zspages[than].inuse;

	return source ? inuse < other : inuse > other;
}

/*
 * Takes one of a group's list off it: the first, or the best with ZS_OPTIMAL. A source can't be
 * pinned. MODEL_NONE: there is none.
 */
static uint32_t take(struct model *model, const struct model_class *class, uint32_t group,
		     bool source)
{
	bool optimal = model->config.algorithm == ZS_OPTIMAL;
	uint32_t zspage = class->first[group], best = MODEL_NONE;

	for (; zspage != MODEL_NONE && (optimal || best == MODEL_NONE);
	     zspage = model->zspages[zspage].next)
		if (!(source && model->zspages[zspage].pins) &&
		    (best == MODEL_NONE || better(model, zspage, best, source)))
			best = zspage;
	if (best != MODEL_NONE)
		list_remove(model, best);
	return best;
}

static uint32_t take_destination(struct model *model, const struct model_class *class)
{
	uint32_t group, zspage = MODEL_NONE;

	for (group = class->groups - 2; group > 0 && zspage == MODEL_NONE; group--)
		zspage = take(model, class, group, false);
	return zspage;
}

static uint32_t take_source(struct model *model, const struct model_class *class)
{
	uint32_t group, zspage = MODEL_NONE;

	for (group = 1; group < class->groups - 1 && zspage == MODEL_NONE; group++)
		zspage = take(model, class, group, true);
	return zspage;
}

/* How many pieces an object is copied in: one ends where a page of either side does. */
static uint32_t pieces(const struct model *model, const struct model_class *class, uint32_t from,
		       uint32_t to)
{
	uint32_t page = model->config.geometry.page_size, header = header_of(model, class);
	uint32_t read = from * class->size + header, write = to * class->size + header;
	uint32_t left = class->size - header, count = 0, piece;

	for (; left > 0; left -= piece, count++) {
		piece = page - read % page;
		if (piece > page - write % page)
			piece = page - write % page;
		if (piece > left)
			piece = left;
		read += piece;
		write += piece;
	}
	return count;
}

static void move_object(struct model *model, struct model_class *class, uint32_t slot,
			uint32_t from, uint32_t to)
{
	uint32_t object = model->zspages[from].slots[slot];

	slot_take(model, to, object);
	slot_give(model, from, slot);
	class->moved++;
	model->moved++;
	class->copies += pieces(model, class, slot, model->objects[object].slot);
	class->bytes_moved += class->size - header_of(model, class);
}

static bool is_full(const struct model *model, uint32_t zspage)
{
	const struct model_zspage *z = &model->zspages[zspage];

	return z->inuse == model->classes[z->class].objects;
}

/* Until the one is empty or the other full. */
static void move_objects(struct model *model, struct model_class *class, uint32_t from, uint32_t to)
{
	uint32_t slot;

	for (slot = 0; slot < class->objects; slot++)
		if (model->zspages[from].slots[slot] != MODEL_NONE && !is_full(model, to))
			move_object(model, class, slot, from, to);
}

/* Back to the lists; the pages that count as freed. */
static uint64_t put_source(struct model *model, struct model_class *class, uint32_t from)
{
	list_insert(model, from);
	if (model->zspages[from].inuse)
		return 0;
	release_if_idle(model, from);
	return class->pages;
}

/* ZS_DESTINATION and ZS_OPTIMAL: what is kept is the destination. */
static uint64_t fill_destinations(struct model *model, struct model_class *class)
{
	uint32_t from, to = MODEL_NONE;
	uint64_t freed = 0;

	while (model_class_compactable(class)) {
		if (to == MODEL_NONE)
			to = take_destination(model, class);
		if (to == MODEL_NONE)
			break;
		from = take_source(model, class);
		if (from == MODEL_NONE)
			break;
		move_objects(model, class, from, to);
		freed += put_source(model, class, from);
		if (is_full(model, to)) {
			list_insert(model, to);
			to = MODEL_NONE;
		}
	}
	if (to != MODEL_NONE)
		list_insert(model, to);
	return freed;
}

/* Moves a source's objects to one destination after another; false: there are too few. */
static bool drain(struct model *model, struct model_class *class, uint32_t from)
{
	uint32_t to;

	while (model->zspages[from].inuse) {
		to = take_destination(model, class);
		if (to == MODEL_NONE)
			return false;
		move_objects(model, class, from, to);
		list_insert(model, to);
	}
	return true;
}

/* ZS_SOURCE. The last source is put back too, and may have another place then. */
static uint64_t empty_sources(struct model *model, struct model_class *class)
{
	uint64_t freed = 0;
	uint32_t from;
	bool more = true;

	while (more) {
		from = take_source(model, class);
		if (from == MODEL_NONE)
			break;
		more = model_class_compactable(class) && drain(model, class, from);
		freed += put_source(model, class, from);
	}
	return freed;
}

static uint64_t compact_class(struct model *model, struct model_class *class)
{
	uint64_t freed = model->config.algorithm == ZS_SOURCE ? empty_sources(model, class)
							      : fill_destinations(model, class);

	class->compacted += freed;
	model->compacted += freed;
	return freed;
}

int model_compact_class(struct model *model, uint32_t index, uint64_t *freed)
{
	touch(model, MODEL_NONE, MODEL_NONE);
	if (index >= model->logical)
		return ZS_EINVAL;
	*freed = compact_class(model, &model->classes[model->classes[index].index]);
	return ZS_OK;
}

uint64_t model_compact(struct model *model)
{
	uint64_t freed = 0;
	uint32_t i;

	touch(model, MODEL_NONE, MODEL_NONE);
	for (i = 0; i < model->classes_left; i++)
		freed += compact_class(model, &model->classes[model->physical[i]]);
	return freed;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Without retired entries, max_objects 0 never runs short. */
static uint64_t entries_most(const struct model *model)
{
	const struct model_class *class;
	uint64_t sum = (uint64_t)model->classes_left * model->config.handle_batch;
	uint32_t i;

	if (model->config.max_objects)
		return model->config.max_objects;
	for (i = 0; i < model->classes_left; i++) {
		class = &model->classes[model->physical[i]];
		sum += (uint64_t)(model->config.max_pages / class->pages) * class->objects;
	}
	return sum;
}

void model_free_all(struct model *model)
{
	uint32_t i;

	for (i = 0; i < model->objects_count; i++)
		content_drop(&model->objects[i], UINT64_MAX);
	for (i = 0; i < model->zspages_count; i++)
		free(model->zspages[i].slots);
	for (i = 0; i < model->logical; i++)
		free(model->classes[i].generations);
	free(model->firsts);
	free(model->counts);
	free(model->objects);
	free(model->zspages);
	free(model->names.entries);
	free(model->handles.entries);
	free(model->ids.entries);
}

int model_init(struct model *model, const struct zs_config *config)
{
	int error = model_config_error(config);

	if (error)
		return error;
	memset(model, 0, sizeof(*model));
	model->config = *config;
	model->zspages_unused = MODEL_NONE;
	geometry_init(model);
	if (lists_init(model)) {
		model_free_all(model);
		memset(model, 0, sizeof(*model));
		return MODEL_NO_MEMORY;
	}
	model->entries_most = entries_most(model);
	touch(model, MODEL_NONE, MODEL_NONE);
	return ZS_OK;
}

int model_destroy(const struct model *model)
{
	return model->windows || model->locks ? ZS_EBUSY : ZS_OK;
}

void model_pool_stats(const struct model *model, struct zs_pool_stats *stats)
{
	*stats = (struct zs_pool_stats){
		.version = ZS_STATS_VERSION,
		.classes = model->classes_left,
		.pages = model->pages,
		.pages_peak = model->pages_peak,
		.objects = model->live,
		.zspages = model->held,
		.objs_moved = model->moved,
		.pages_compacted = model->compacted,
		.pages_migrated = model->migrated,
		.handles_retired = model->retired,
	};
}

void model_class_stats(const struct model *model, uint32_t index, struct zs_class_stats *stats)
{
	const struct model_class *class = &model->classes[model->classes[index].index];

	*stats = (struct zs_class_stats){
		.version = ZS_STATS_VERSION,
		.index = class->index,
		.size = class->size,
		.pages_per_zspage = class->pages,
		.objs_per_zspage = class->objects,
		.groups = class->groups,
		.objs_allocated = class->zspages * class->objects,
		.objs_inuse = class->inuse,
		.zspages = class->zspages,
		.objs_moved = class->moved,
		.pages_compacted = class->compacted,
		.copies = class->copies,
		.bytes_moved = class->bytes_moved,
	};
}
