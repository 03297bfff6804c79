/* SPDX-License-Identifier: BSD-3-Clause */
/* The three algorithms: what each moves, where to, and what it leaves behind. */
#include "choice_test.h"

/* ---- source --------------------------------------------------------------------------------- */

/* Emptied by the move that fills the destination, with no other one left: a success. */
static void source_and_destination_end_together(void **state)
{
	(void)state;
	make(ZS_THRESHOLD, ZS_SOURCE, 4, 2);
	leave('B', 3);
	leave('A', 1);
	assert_list(1, "AB");
	assert_compacts(1, 1);
	assert_list(1, "");
	assert_list(3, "B");
	assert_int_equal(where(object_at('A', 0)), 'B');
	assert_content(object_at('A', 0));
	end();
}

/* It empties the first of the emptiest group, be that as full as it may. */
static void source_is_the_first_not_the_emptiest(void **state)
{
	(void)state;
	make(ZS_THRESHOLD, ZS_SOURCE, 4, 2);
	leave('B', 1);
	leave('A', 3);
	assert_list(1, "AB");
	assert_compacts(1, 3);
	assert_list(3, "B");
	end();
}

static void source_goes_into_one_after_the_other(void **state)
{
	(void)state;
	make(ZS_THRESHOLD, ZS_SOURCE, 4, 3);
	leave('C', 3);
	leave('B', 3);
	leave('A', 2);
	assert_list(1, "ABC");
	assert_compacts(1, 2);
	assert_list(3, "CB");
	assert_int_equal(where(object_at('A', 0)), 'B');
	assert_int_equal(where(object_at('A', 1)), 'C');
	end();
}

/* Two objects of three find no room, as an empty locked zspage promises too much. */
static void source_without_room_is_put_back(void **state)
{
	struct zs_page_ref page;

	(void)state;
	make(ZS_THRESHOLD, ZS_SOURCE, 4, 3);
	assert_int_equal(zs_page_lock(pool, handle[object_at('C', 0)], 0, &page), ZS_OK);
	leave('C', 0);
	leave('B', 3);
	leave('A', 3);
	assert_int_equal(zs_class_compactable(pool, class_index), 1);
	assert_compacts(0, 1);
	assert_list(0, "C");
	assert_list(1, "A");
	assert_list(3, "B");
	assert_int_equal(where(object_at('A', 0)), 'B');
	assert_next('A', 0); /* the slot moved from is the one freed last */
	assert_int_equal(zs_page_unlock(pool, page), ZS_OK);
	end();
}

/* A pinned source is passed over, within a list and for a fuller group. */
static void source_is_never_pinned(void **state)
{
	struct zs_view view;
	uint32_t local;

	(void)state;
	make(ZS_EXACT, ZS_SOURCE, 4, 4);
	leave('A', 1);
	leave('B', 2);
	leave('C', 2);
	assert_int_equal(zs_read_begin(pool, handle[0], sizeof(local), &local, &view), ZS_OK);
	assert_compacts(1, 2);
	assert_list(1, "A");
	assert_list(4, "BD");
	assert_int_equal(zs_read_end(pool, &view), ZS_OK);
	end();
}

/* ---- optimal -------------------------------------------------------------------------------- */

/* Of a list the fullest is the destination, the emptiest the source; of equals the first. */
static void optimal_ranks_within_a_list(void **state)
{
	(void)state;
	make(ZS_THRESHOLD, ZS_OPTIMAL, 8, 5);
	leave('E', 2);
	leave('D', 5);
	leave('C', 5);
	leave('B', 2);
	leave('A', 4);
	assert_list(1, "ABCDE");
	assert_compacts(2, 4);
	assert_list(1, "DA");
	assert_list(2, "");
	assert_list(3, "C");
	assert_int_equal(where(object_at('B', 0)), 'C');
	assert_int_equal(where(object_at('B', 1)), 'C');
	assert_int_equal(where(object_at('E', 0)), 'C');
	assert_int_equal(where(object_at('E', 1)), 'D');
	end();
}

/* In-use counts, ended by 0; the sum of all but the ceil(sum / n) highest is what must move. */
struct distribution {
	uint32_t n;
	uint32_t inuse[MOST_ZSPAGES];
	uint32_t freed;
	uint32_t bound;
};

static const struct distribution distributions[] = {
	{ 4, { 1, 1, 1, 1 }, 3, 3 },
	{ 4, { 3, 3, 3, 3 }, 1, 3 },
	{ 4, { 2, 3, 3 }, 1, 2 }, /* the source is spread over two */
	{ 4, { 4, 1, 4, 1, 2 }, 2, 2 },
	{ 4, { 3, 4, 2 }, 0, 0 },
	{ 1, { 1, 1 }, 0, 0 },
	{ 2, { 1, 1, 1 }, 1, 1 },
	{ 10, { 9, 7, 7, 5, 3, 2, 1 }, 3, 6 },
	{ 16, { 8, 8, 8, 8, 8, 8, 8, 8 }, 4, 32 },
	{ 16, { 15, 1, 14, 2, 13, 3, 12, 4 }, 4, 10 },
	{ 42, { 31, 18, 34, 23, 10, 25, 1, 24, 31 }, 4, 52 },
	{ 42, { 41, 1, 41, 41, 41, 1 }, 2, 2 },
	{ 64, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 }, 9, 45 },
};

static uint32_t make_distribution(uint32_t grouping, uint32_t algorithm,
				  const struct distribution *given)
{
	uint32_t count = 0;

	while (given->inuse[count] != 0)
		count++;
	make(grouping, algorithm, given->n, count);
	for (uint32_t z = 0; z < count; z++)
		leave((char)('A' + z), given->inuse[z]);
	return count;
}

static void optimal_moves_the_fewest(void **state)
{
	(void)state;
	for (uint32_t grouping = ZS_RATIO; grouping <= ZS_EXACT; grouping++)
		for (size_t d = 0; d < sizeof(distributions) / sizeof(distributions[0]); d++) {
			const struct distribution *given = &distributions[d];
			uint32_t count = make_distribution(grouping, ZS_OPTIMAL, given);

			assert_compacts(given->freed, given->bound);
			assert_int_equal(class_stats().zspages, count - given->freed);
			assert_compacts(0, 0);
			end();
		}
}

/* ---- any pair ------------------------------------------------------------------------------- */

/* All end with as few zspages; what they move for it differs where a group has many counts. */
static void every_pair_moves_its_own(void **state)
{
	static const struct distribution given = {
		42,
		{ 31, 18, 34, 23, 10, 25, 1, 24, 31 },
		4,
		52,
	};
	static const uint32_t moves[3][3] = {
		[ZS_RATIO] = { [ZS_DESTINATION] = 55, [ZS_SOURCE] = 53, [ZS_OPTIMAL] = 52 },
		[ZS_THRESHOLD] = { [ZS_DESTINATION] = 81, [ZS_SOURCE] = 110, [ZS_OPTIMAL] = 52 },
		[ZS_EXACT] = { [ZS_DESTINATION] = 52, [ZS_SOURCE] = 52, [ZS_OPTIMAL] = 52 },
	};

	(void)state;
	for (uint32_t grouping = ZS_RATIO; grouping <= ZS_EXACT; grouping++)
		for (uint32_t algorithm = ZS_DESTINATION; algorithm <= ZS_OPTIMAL; algorithm++) {
			make_distribution(grouping, algorithm, &given);
			assert_compacts(given.freed, moves[grouping][algorithm]);
			for (uint32_t z = 0; z < zspages; z++)
				for (uint32_t s = 0; s < given.inuse[z]; s++)
					assert_content(object_at((char)('A' + z), s));
			end();
		}
}

/* ---- statistics ----------------------------------------------------------------------------- */

/*
 * Slots of 3072 bytes in three pages, header 8: slots 1 and 2 cross a page border, after 1016 and
 * 2040 bytes of their object. One object moves from a slot to another.
 */
static void pieces_end_at_page_borders(void **state)
{
	static const struct {
		uint32_t from, to, pieces;
	} rows[] = {
		{ 0, 0, 1 }, { 0, 3, 1 }, { 3, 0, 1 }, { 0, 1, 2 }, { 1, 0, 2 }, { 3, 2, 2 },
		{ 2, 3, 2 }, { 1, 1, 2 }, { 2, 2, 2 }, { 1, 2, 3 }, { 2, 1, 3 },
	};
	struct zs_config config;

	(void)state;
	zs_config_init(&config, ZS_KERNEL_6_12);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make_pool(&config, 3072 - 8, 2);
		assert_int_equal(capacity, 4);
		for (uint32_t s = 0; s < 4; s++)
			if (s != rows[i].from)
				drop('A', s);
		drop('B', rows[i].to);
		assert_compacts(1, 1);
		assert_int_equal(class_stats().copies, rows[i].pieces);
		assert_int_equal(class_stats().bytes_moved, 3064);
		assert_content(object_at('A', rows[i].from));
		end();
	}
}

static void moves_add_up(void **state)
{
	(void)state;
	make(ZS_RATIO, ZS_DESTINATION, 8, 3);
	leave('A', 2);
	leave('B', 3);
	assert_compacts(1, 2);
	leave('C', 1);
	assert_compacts(1, 1);
	assert_int_equal(class_stats().objs_moved, 3);
	assert_int_equal(class_stats().copies, 3);
	assert_int_equal(class_stats().bytes_moved, 3 * 512);
	assert_int_equal(class_stats().pages_compacted, 2);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(source_and_destination_end_together),
		cmocka_unit_test(source_is_the_first_not_the_emptiest),
		cmocka_unit_test(source_goes_into_one_after_the_other),
		cmocka_unit_test(source_without_room_is_put_back),
		cmocka_unit_test(source_is_never_pinned),
		cmocka_unit_test(optimal_ranks_within_a_list),
		cmocka_unit_test(optimal_moves_the_fewest),
		cmocka_unit_test(every_pair_moves_its_own),
		cmocka_unit_test(pieces_end_at_page_borders),
		cmocka_unit_test(moves_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
