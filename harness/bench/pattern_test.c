/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of pattern: what each family leaves alive, the same each time, and names that are refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "pattern.h"

#define OBJECTS 1000
#define CAPACITY 10

static const struct pattern_class one_class = { .size = 100, .capacity = CAPACITY };
static const struct pattern_class three_classes[] = { { 24, 128 }, { 100, 40 }, { 1000, 4 } };

static void make(const char *name, struct trace *trace)
{
	struct pattern pattern;
	const char *why;

	trace_init(trace);
	assert_int_equal(pattern_parse(&pattern, name, &why), 0);
	if (pattern_is_pooled(&pattern))
		assert_int_equal(pattern_pool(&pattern, three_classes, 3, OBJECTS, trace), 0);
	else
		assert_int_equal(pattern_class(&pattern, &one_class, OBJECTS, trace), 0);
}

/* Which objects a trace leaves alive: none is freed that isn't, none allocated twice. */
static uint32_t run(const struct trace *trace, bool *live)
{
	uint32_t count = 0;

	for (size_t i = 0; i < trace->count; i++) {
		const struct op *op = &trace->ops[i];
		bool *object = &live[op->name];

		assert_true(op->code == OP_MALLOC || op->code == OP_FREE);
		assert_int_equal(*object, op->code == OP_FREE);
		*object = !*object;
		count = *object ? count + 1 : count - 1;
	}
	return count;
}

/* The live objects of a pattern of one class. */
static uint32_t survivors(const char *name, bool live[OBJECTS])
{
	struct trace trace;
	uint32_t count;

	memset(live, 0, OBJECTS * sizeof(bool));
	make(name, &trace);
	count = run(&trace, live);
	trace_free(&trace);
	return count;
}

static void counted(void **state)
{
	bool live[OBJECTS];

	(void)state;
	assert_int_equal(survivors("random:0", live), OBJECTS);
	assert_int_equal(survivors("random:100", live), 0);
	assert_in_range(survivors("random:60", live), 350, 450);
	assert_int_equal(survivors("shuffled:60", live), 400);
	assert_int_equal(survivors("every:2", live), 500);
	assert_int_equal(survivors("survivor", live), OBJECTS / CAPACITY);
	assert_in_range(survivors("sawtooth:64", live), 450, 550);
	assert_in_range(survivors("uneven:30:60", live), 400, 500);
	assert_in_range(survivors("bursts:50:4", live), 400, 600);
	assert_in_range(survivors("churn:0:4", live), 450, 550);
	assert_in_range(survivors("waves:30:5", live), 300, 600);
}

static void placed(void **state)
{
	bool live[OBJECTS];

	(void)state;
	assert_int_equal(survivors("runs:2:3", live), 400);
	for (uint32_t i = 0; i < OBJECTS; i++)
		assert_int_equal(live[i], i % 5 < 2);
	survivors("gradient:0:100", live);
	assert_false(live[0]);
	for (uint32_t i = OBJECTS - CAPACITY; i < OBJECTS; i++)
		assert_true(live[i]);
	for (uint32_t i = OBJECTS / 2 - CAPACITY; i < OBJECTS / 2; i++)
		assert_int_equal(live[i], i % CAPACITY < CAPACITY / 2);
	survivors("survivor", live);
	for (uint32_t z = 0; z < OBJECTS; z += CAPACITY) {
		uint32_t left = 0;

		for (uint32_t i = 0; i < CAPACITY; i++)
			left += live[z + i];
		assert_int_equal(left, 1);
	}
}

/* Every class gets about as many objects; at most that share of them dies. */
static void drifted(void **state)
{
	bool *live = calloc(3, OBJECTS * sizeof(bool));
	uint32_t born[3] = { 0 };
	struct trace trace;

	(void)state;
	make("drift:75", &trace);
	for (size_t i = 0; i < trace.count; i++)
		for (uint32_t class = 0; class < 3; class ++)
			born[class] += trace.ops[i].code == OP_MALLOC &&
				       trace.ops[i].value == three_classes[class].size;
	assert_int_equal(born[0] + born[1] + born[2], 3 * OBJECTS);
	assert_true(born[0] && born[1] && born[2]);
	assert_in_range(run(&trace, live), 3 * OBJECTS / 5, 3 * OBJECTS);
	trace_free(&trace);
	free(live);
}

static void thinned(void **state)
{
	bool live[OBJECTS] = { false };
	struct trace trace;

	(void)state;
	make("every:2", &trace);
	assert_int_equal(pattern_names(&trace), OBJECTS);
	assert_int_equal(pattern_thin(0, 1, &trace), 0);
	assert_int_equal(run(&trace, live), 500);
	assert_int_equal(pattern_thin(100, 1, &trace), 0);
	memset(live, 0, sizeof(live));
	assert_int_equal(run(&trace, live), 0);
	trace_free(&trace);
}

static bool same(const struct trace *a, const struct trace *b)
{
	for (size_t i = 0; i < a->count && i < b->count; i++)
		if (a->ops[i].code != b->ops[i].code || a->ops[i].name != b->ops[i].name ||
		    a->ops[i].value != b->ops[i].value)
			return false;
	return a->count == b->count;
}

/* The same name makes the same operations, another seed others. */
static void repeated(void **state)
{
	struct trace first, again, other;

	(void)state;
	make("random:60", &first);
	make("random:60@1", &again);
	make("random:60@2", &other);
	assert_true(same(&first, &again));
	assert_false(same(&first, &other));
	trace_free(&first);
	trace_free(&again);
	trace_free(&other);
}

static void refused(void **state)
{
	static const char *const names[] = { "",
					     "rand:60",
					     "random",
					     "random:",
					     "random:101",
					     "random:-1",
					     "random: 1",
					     "random:60:1",
					     "random:60@",
					     "random:60@x",
					     "every:0",
					     "every:2@1",
					     "gradient:0",
					     "survivor:1",
					     "runs:1:0",
					     "random:60@1 ",
					     "random:60@99999999999999999999" };
	struct pattern pattern;
	const char *why;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(pattern_parse(&pattern, names[i], &why), -1);
	assert_int_equal(pattern_parse(&pattern, "random", &why), -1);
	assert_string_equal(why, "random:PERCENT");
	for (size_t i = 0; pattern_family(i, &why); i++)
		assert_true(strlen(why) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counted), cmocka_unit_test(placed),   cmocka_unit_test(drifted),
		cmocka_unit_test(thinned), cmocka_unit_test(repeated), cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
