/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L

#include "player.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"
#include "property.h"
#include "wrap.h"

/* ---- playing --------------------------------------------------------------------------------- */

void player_expect(const char *function, int expected, int got)
{
	if (got != expected)
		property_fail("relation.result", "%s returned %s, not %s", function,
			      zs_error_name(got), zs_error_name(expected));
}

void player_start(struct player *player, const struct zs_config *config)
{
	memset(player, 0, sizeof(*player));
	player->config = *config;
	player_expect("zs_pool_create", ZS_OK, zs_pool_create(config, &player->pool));
}

void player_end(struct player *player)
{
	struct zs_broken broken = { "none", 0 };

	if (zs_check(player->pool, &broken))
		property_fail("relation.check", "%s at %" PRIu64, broken.invariant, broken.where);
	player_expect("zs_pool_destroy", ZS_OK, zs_pool_destroy(player->pool));
}

static void do_free(struct player *player, struct player_object *object)
{
	if (object->live)
		player_expect("zs_free", ZS_OK, zs_free(player->pool, object->handle));
	object->live = false;
}

static void do_malloc(struct player *player, struct player_object *object, uint64_t size)
{
	do_free(player, object);
	if (!size || size > player->config.geometry.page_size)
		return;
	player_expect("zs_malloc", ZS_OK, zs_malloc(player->pool, (size_t)size, &object->handle));
	object->size = (size_t)size;
	object->known = 0;
	object->live = true;
}

static void do_write(struct player *player, struct player_object *object, uint64_t len,
		     uint32_t seed)
{
	uint8_t *data;

	if (!object->live || (len > object->size && len != OP_ALL))
		return;
	if (len == OP_ALL)
		len = object->size;
	if (!len)
		return;
	data = malloc((size_t)len);
	if (!data)
		abort();
	op_bytes(seed, data, 0, len);
	player_expect("zs_write", ZS_OK, zs_write(player->pool, object->handle, data, (size_t)len));
	if (object->known < len)
		object->known = (size_t)len;
	free(data);
}

void player_do(struct player *player, const struct op *op)
{
	struct player_object *object = &player->objects[op->name % PLAYER_NAMES];
	uint64_t freed;

	switch (op->code) {
	case OP_MALLOC:
		do_malloc(player, object, op->value);
		break;
	case OP_FREE:
		do_free(player, object);
		break;
	case OP_WRITE:
		do_write(player, object, op->value, op->extra);
		break;
	case OP_COMPACT:
		zs_compact(player->pool);
		break;
	case OP_COMPACT_CLASS:
		if (op->value < zs_class_count(player->pool))
			player_expect("zs_compact_class", ZS_OK,
				      zs_compact_class(player->pool, (uint32_t)op->value, &freed));
		break;
	}
}

void player_drain(struct player *player, uint64_t seed)
{
	uint32_t start = (uint32_t)(generate_next(&seed) % PLAYER_NAMES);
	uint32_t step = (uint32_t)(generate_next(&seed) % PLAYER_NAMES) | 1;

	for (uint32_t i = 0; i < PLAYER_NAMES; i++)
		do_free(player, &player->objects[(start + i * step) % PLAYER_NAMES]);
}

/* ---- looking --------------------------------------------------------------------------------- */

struct zs_pool_stats player_stats(const struct player *player)
{
	struct zs_pool_stats stats;

	player_expect("zs_pool_stats", ZS_OK, zs_pool_stats(player->pool, &stats, sizeof(stats)));
	return stats;
}

struct zs_location player_locate(const struct player *player, uint32_t name)
{
	struct zs_location at;

	player_expect("zs_locate", ZS_OK,
		      zs_locate(player->pool, player->objects[name].handle, &at));
	return at;
}

static uint64_t digest(const struct player *player, const struct player_object *object)
{
	uint64_t sum = HASH_START;
	struct zs_view view;
	uint8_t *local;

	if (!object->known)
		return 0;
	local = malloc(object->known);
	if (!local)
		abort();
	player_expect("zs_read_begin", ZS_OK,
		      zs_read_begin(player->pool, object->handle, object->known, local, &view));
	for (size_t k = 0; k < object->known; k++)
		sum = hash_add(sum, ((const uint8_t *)view.data)[k]);
	player_expect("zs_read_end", ZS_OK, zs_read_end(player->pool, &view));
	free(local);
	return sum;
}

static void show_names(FILE *file, const struct player *player, unsigned int view)
{
	for (uint32_t name = 0; name < PLAYER_NAMES; name++) {
		const struct player_object *object = &player->objects[name];
		struct zs_location at;

		if (!object->live)
			continue;
		at = player_locate(player, name);
		fprintf(file, "name %u of class %u:", name, at.index);
		if (view & PLAYER_CONTENT)
			fprintf(file, " %zu bytes, %zu known, digest %#" PRIx64, object->size,
				object->known, digest(player, object));
		if (view & PLAYER_HANDLES)
			fprintf(file, " handle %#" PRIx64, object->handle);
		if (view & PLAYER_WHERE)
			fprintf(file, " zspage %u slot %u", at.zspage, at.slot);
		fputc('\n', file);
	}
}

/* Without numbers, which are the pool's own affair. */
static void show_zspage(FILE *file, const struct player *player, uint32_t zspage)
{
	fputs(" [", file);
	for (uint32_t name = 0; name < PLAYER_NAMES; name++) {
		struct zs_location at;

		if (!player->objects[name].live)
			continue;
		at = player_locate(player, name);
		if (at.zspage == zspage)
			fprintf(file, " %u@%u", name, at.slot);
	}
	fputs(" ]", file);
}

static void show_class(FILE *file, const struct player *player, uint32_t index, unsigned int view)
{
	struct zs_class_stats stats;

	player_expect("zs_class_stats", ZS_OK,
		      zs_class_stats(player->pool, index, &stats, sizeof(stats)));
	if (stats.index != index)
		return;
	if (view & PLAYER_COUNTERS && stats.zspages)
		fprintf(file,
			"class %u: %" PRIu64 " objects, %" PRIu64 " slots, %" PRIu64
			" zspages, %" PRIu64 " pages compactable\n",
			index, stats.objs_inuse, stats.objs_allocated, stats.zspages,
			zs_class_compactable(player->pool, index));
	if (view & PLAYER_MOVES && stats.objs_moved)
		fprintf(file,
			"class %u: %" PRIu64 " moved, %" PRIu64 " bytes in %" PRIu64
			" pieces, %" PRIu64 " compacted\n",
			index, stats.objs_moved, stats.bytes_moved, stats.copies,
			stats.pages_compacted);
	for (uint32_t group = 0; view & PLAYER_LISTS && group < stats.groups; group++) {
		uint32_t zspage = zs_group_first(player->pool, index, group);

		if (zspage == ZS_NONE)
			continue;
		fprintf(file, "class %u group %u, %u zspages:", index, group,
			zs_group_size(player->pool, index, group));
		for (; zspage != ZS_NONE; zspage = zs_group_next(player->pool, zspage))
			show_zspage(file, player, zspage);
		fputc('\n', file);
	}
}

char *player_picture(const struct player *player, unsigned int view)
{
	struct zs_pool_stats stats = player_stats(player);
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		abort();
	if (view & PLAYER_COUNTERS)
		fprintf(file,
			"%" PRIu64 " objects, %" PRIu64 " pages, %" PRIu64 " zspages, %" PRIu64
			" pages compactable\n",
			stats.objects, stats.pages, stats.zspages, zs_compactable(player->pool));
	if (view & PLAYER_MOVES)
		fprintf(file, "%" PRIu64 " moved, %" PRIu64 " compacted, %" PRIu64 " retired\n",
			stats.objs_moved, stats.pages_compacted, stats.handles_retired);
	show_names(file, player, view);
	for (uint32_t i = 0; i < zs_class_count(player->pool); i++)
		show_class(file, player, i, view);
	if (fclose(file))
		abort();
	return text;
}

void player_same(const char *id, char *expected, char *got)
{
	const char *a = expected, *b = got;

	while (*a && strcspn(a, "\n") == strcspn(b, "\n") && !strncmp(a, b, strcspn(a, "\n") + 1)) {
		b += strcspn(b, "\n") + 1;
		a += strcspn(a, "\n") + 1;
	}
	if (*a || *b)
		property_fail(id, "'%.*s' instead of '%.*s'", (int)strcspn(b, "\n"), b,
			      (int)strcspn(a, "\n"), a);
	free(expected);
	free(got);
}
