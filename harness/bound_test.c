/* SPDX-License-Identifier: BSD-3-Clause */
/* The bound against examples, and against every way there is to move objects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bound.h"

static void assert_bound(const uint32_t *inuse, size_t count, uint32_t objects, uint64_t zspages,
			 uint64_t moves)
{
	uint32_t copy[8];
	struct bound bound;

	memcpy(copy, inuse, count * sizeof(*inuse));
	bound = bound_of(copy, count, objects);
	assert_int_equal(bound.zspages, zspages);
	assert_int_equal(bound.moves, moves);
}

static void examples(void **state)
{
	(void)state;
	assert_bound((uint32_t[]){ 8 }, 0, 8, 0, 0);
	assert_bound((uint32_t[]){ 8 }, 1, 8, 1, 0);
	assert_bound((uint32_t[]){ 2, 6, 3 }, 3, 8, 2, 2);
	assert_bound((uint32_t[]){ 5, 5 }, 2, 8, 2, 0);
	assert_bound((uint32_t[]){ 1, 8, 1, 8, 1 }, 5, 8, 3, 2);
	assert_bound((uint32_t[]){ 3, 0, 4 }, 3, 8, 1, 3);
	assert_bound((uint32_t[]){ 1, 1, 1, 1 }, 4, 4, 1, 3);
}

/* ---- every way ------------------------------------------------------------------------------- */

#define ZSPAGES 4
#define SLOTS 4
#define STATES 625 /* (SLOTS + 1) to the power of ZSPAGES */

/* A number for what is in use in each zspage, and back. */
static uint32_t number_of(const uint32_t inuse[ZSPAGES])
{
	uint32_t number = 0;

	for (int i = 0; i < ZSPAGES; i++)
		number = number * (SLOTS + 1) + inuse[i];
	return number;
}

static void split(uint32_t number, uint32_t inuse[ZSPAGES])
{
	for (int i = ZSPAGES - 1; i >= 0; i--) {
		inuse[i] = number % (SLOTS + 1);
		number /= SLOTS + 1;
	}
}

static uint32_t used(const uint32_t inuse[ZSPAGES])
{
	uint32_t count = 0;

	for (int i = 0; i < ZSPAGES; i++)
		count += inuse[i] != 0;
	return count;
}

/* Adds what one move makes of a state to the queue, unless it was there; returns its new end. */
static size_t spread(const uint32_t *from, uint32_t *queue, size_t end, uint32_t moves[STATES])
{
	uint32_t inuse[ZSPAGES], start = number_of(from);

	for (int i = 0; i < ZSPAGES * ZSPAGES; i++) {
		memcpy(inuse, from, sizeof(inuse));
		if (!inuse[i / ZSPAGES] || inuse[i % ZSPAGES] == SLOTS)
			continue;
		inuse[i / ZSPAGES]--;
		inuse[i % ZSPAGES]++;
		if (moves[number_of(inuse)] != UINT32_MAX)
			continue;
		moves[number_of(inuse)] = moves[start] + 1;
		queue[end++] = number_of(inuse);
	}
	return end;
}

/* The fewest zspages that can be reached, and the fewest moves that reach so few. */
static struct bound search(uint32_t start)
{
	struct bound best = { UINT64_MAX, 0 };
	uint32_t moves[STATES], queue[STATES], inuse[ZSPAGES];
	size_t end = 1;

	memset(moves, 0xff, sizeof(moves));
	moves[start] = 0;
	queue[0] = start;
	for (size_t i = 0; i < end; i++) {
		split(queue[i], inuse);
		if (used(inuse) < best.zspages)
			best = (struct bound){ used(inuse), moves[queue[i]] };
		end = spread(inuse, queue, end, moves);
	}
	return best;
}

static void no_search_finds_less(void **state)
{
	uint32_t inuse[ZSPAGES];

	(void)state;
	for (uint32_t start = 0; start < STATES; start++) {
		struct bound best = search(start);

		split(start, inuse);
		assert_bound(inuse, ZSPAGES, SLOTS, best.zspages, best.moves);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples),
		cmocka_unit_test(no_search_finds_less),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
