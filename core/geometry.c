/* SPDX-License-Identifier: BSD-3-Clause */
#include "geometry.h"

/*@ requires 0 < n <= 65536;
    terminates \true;
    assigns \nothing;
    ensures \result <==> power_of_two(n);
*/
static bool is_power_of_two(uint32_t n)
{
	/*@ loop invariant range: 0 < n <= 65536;
	    loop invariant halved: power_of_two(n) <==> power_of_two(\at(n, Pre));
	    loop assigns n;
	    loop variant n;
	*/
	while (n > 1 && n % 2 == 0)
		n /= 2;
	return n == 1;
}

/*@ terminates \true;
    assigns \nothing;
    ensures \result <==> is_step(n, page_size);
*/
static bool is_step(uint32_t n, uint32_t page_size)
{
	return n >= 8 && n <= page_size && n % 8 == 0;
}

const char *geometry_complaint(const struct zs_geometry *g)
{
	if (g->page_size < 64 || g->page_size > 65536 || !is_power_of_two(g->page_size))
		return "page_size must be a power of two, 64 to 65536";
	if (!is_step(g->min_size, g->page_size))
		return "min_size must be a multiple of 8, 8 to page_size";
	if (!is_step(g->class_step, g->page_size))
		return "class_step must be a multiple of 8, 8 to page_size";
	if (geometry_classes(g) > GEOMETRY_CLASSES)
		return "min_size and class_step make more than 257 classes";
	if ((g->header != 0 && g->header != 8) || g->header >= g->min_size)
		return "header must be 0 or 8, and less than min_size";
	if (g->chain < 1 || g->chain > GEOMETRY_CHAIN)
		return "chain must be 1 to 16";
	if (g->chain * g->page_size / g->min_size > GEOMETRY_CAPACITY)
		return "chain * page_size / min_size must be at most 32768";
	if (g->chain_rule > ZS_USED_PERCENT)
		return "chain_rule must be least waste (0) or used percent (1)";
	if (g->tag_bits < 2 || g->tag_bits > 12)
		return "tag_bits must be 2 to 12";
	if (g->generation_bits < 2 || g->generation_bits > 20)
		return "generation_bits must be 2 to 20";
	return NULL;
}

/*@ requires n <= 65536 && 0 < by <= 65536;
    terminates \true;
    assigns \nothing;
    ensures \result == quotient_up(n, by);
*/
static uint32_t divide_up(uint32_t n, uint32_t by)
{
	return (n + by - 1) / by;
}

uint32_t geometry_classes(const struct zs_geometry *g)
{
	return divide_up(g->page_size - g->min_size, g->class_step) + 1;
}

uint32_t geometry_class_size(const struct zs_geometry *g, uint32_t i)
{
	uint32_t size = g->min_size + i * g->class_step;

	return size > g->page_size ? g->page_size : size;
}

uint32_t geometry_class_of(const struct zs_geometry *g, size_t size)
{
	if (size <= g->min_size)
		return 0;
	if (size >= g->page_size)
		return geometry_classes(g) - 1;
	return divide_up((uint32_t)size - g->min_size, g->class_step);
}

/*@ requires \valid_read(g) && 64 <= g->page_size <= 65536 && 1 <= pages <= GEOMETRY_CHAIN;
    terminates \true;
    assigns \nothing;
    ensures bytes: \result == zspage_bytes(*g, pages);
    ensures range: 64 <= \result <= GEOMETRY_CHAIN * 65536;
*/
static uint32_t zspage_bytes(const struct zs_geometry *g, uint32_t pages)
{
	return pages * g->page_size;
}

/* What a rule wants least of: bytes left over (6.12), or percent not used, in integers (6.1). */
/*@ requires \valid_read(g) && right(*g) && 0 < size <= g->page_size && 1 <= pages <= g->chain;
    terminates \true;
    assigns \nothing;
    ensures \result == loss(*g, size, pages);
*/
static uint32_t loss(const struct zs_geometry *g, uint32_t size, uint32_t pages)
{
	uint32_t bytes = zspage_bytes(g, pages), waste = bytes % size;

	return g->chain_rule == ZS_USED_PERCENT ? 100 - (bytes - waste) * 100 / bytes : waste;
}

/* 6.12 takes one page for a power of two at once; it wastes nothing, so it comes out here too. */
uint32_t geometry_chain(const struct zs_geometry *g, uint32_t size)
{
	uint32_t best = 1;

	/*@ loop invariant range: 2 <= pages <= g->chain + 1;
	    loop invariant chain: least_loss(*g, size, pages - 1, best);
	    loop assigns pages, best;
	    loop variant g->chain - pages;
	*/
	for (uint32_t pages = 2; pages <= g->chain; pages++) {
		if (loss(g, size, pages) < loss(g, size, best))
			best = pages;
	}
	return best;
}

/*@ requires \valid_read(g) && right(*g) && g->min_size <= size <= g->page_size;
    requires 1 <= pages <= g->chain;
    terminates \true;
    assigns \nothing;
    ensures capacity: \result == capacity(*g, size, pages);
    ensures range: 1 <= \result <= GEOMETRY_CAPACITY;
*/
static uint32_t capacity(const struct zs_geometry *g, uint32_t size, uint32_t pages)
{
	return zspage_bytes(g, pages) / size;
}

/*@ requires \valid_read(g) && right(*g) && i < class_count(*g);
    terminates \true;
    assigns \nothing;
    ensures is: is_class(*g, \result, i);
    ensures range: class_range(*g, \result);
*/
static struct geometry_class class_at(const struct zs_geometry *g, uint32_t i)
{
	struct geometry_class class = { .index = i, .size = geometry_class_size(g, i) };

	class.pages = geometry_chain(g, class.size);
	class.capacity = capacity(g, class.size, class.pages);
	return class;
}

/*@ terminates \true;
    assigns \nothing;
    ensures \result <==> mergeable(a, b);
*/
static bool mergeable(struct geometry_class a, struct geometry_class b)
{
	return a.pages == b.pages && a.capacity == b.capacity;
}

/* Puts the next larger class into the table, over the last one if they merge; the new count. */
/*@ requires \valid(table + (0 .. count));
    requires count < GEOMETRY_CLASSES;
    terminates \true;
    assigns table[0 .. count];
    ensures put{Pre, Post}(table, count, \result, class);
*/
static uint32_t put_class(struct geometry_class *table, uint32_t count, struct geometry_class class)
{
	if (count == 0 || !mergeable(table[count - 1], class))
		count++;
	table[count - 1] = class;
	return count;
}

/* Equality is transitive, so runs are the same from either end: up as well as the kernel's down. */
/*@ requires \valid_read(g) && right(*g);
    requires \valid(table + (0 .. class_count(*g) - 1));
    requires \separated(g, table + (0 .. class_count(*g) - 1));
    terminates \true;
    assigns table[0 .. class_count(*g) - 1];
    ensures range: 1 <= \result <= class_count(*g);
    ensures last: table[\result - 1].index == class_count(*g) - 1;
    ensures entries: entries(*g, table, class_count(*g), \result);
    ensures ascending: ascending_entries(table, \result);
    ensures unlike: unlike_neighbours(table, \result);
    ensures runs: runs(*g, table, \result);
*/
static uint32_t fill_table(const struct zs_geometry *g, struct geometry_class *table)
{
	uint32_t n = geometry_classes(g), count = 0;

	/*@ loop invariant geometry: *g == \at(*g, Pre);
	    loop invariant range: 0 <= i <= n && 0 <= count <= i && (0 < i ==> 0 < count);
	    loop invariant last: 0 < i ==> i - 1 <= table[count - 1].index;
	    loop invariant entries: entries(*g, table, i, count);
	    loop invariant ascending: ascending_entries(table, count);
	    loop invariant unlike: unlike_neighbours(table, count);
	    loop invariant runs: runs(*g, table, count);
	    loop assigns i, count, table[0 .. n - 1];
	    loop variant n - i;
	*/
	for (uint32_t i = 0; i < n; i++)
		count = put_class(table, count, class_at(g, i));
	return count;
}

/*@ requires \valid_read(table + (0 .. count - 1)) && 0 < count <= GEOMETRY_CLASSES;
    requires \valid(class_of + (0 .. table[count - 1].index));
    requires index: \forall integer c; 0 <= c < count ==> table[c].index < GEOMETRY_CLASSES;
    requires ascending: ascending_entries(table, count);
    requires \separated(table + (0 .. count - 1), class_of + (0 .. table[count - 1].index));
    terminates \true;
    assigns class_of[0 .. table[count - 1].index];
    ensures positions: positions(table, class_of, table[count - 1].index + 1, count);
*/
static void fill_positions(const struct geometry_class *table, uint32_t count, uint16_t *class_of)
{
	/*@ loop invariant range: 0 <= c <= count && i <= table[count - 1].index + 1;
	    loop invariant after: \forall integer b; 0 <= b < c ==> table[b].index < i;
	    loop invariant upto: c < count ==> i <= table[c].index;
	    loop invariant positions: positions(table, class_of, i, count);
	    loop assigns c, i, class_of[0 .. table[count - 1].index];
	    loop variant table[count - 1].index + 1 - i;
	*/
	for (uint32_t i = 0, c = 0; c < count; i++) {
		class_of[i] = (uint16_t)c;
		if (i == table[c].index)
			c++;
	}
}

uint32_t geometry_merge(const struct zs_geometry *g, struct geometry_class *table,
			uint16_t *class_of)
{
	uint32_t count = fill_table(g, table);

	fill_positions(table, count, class_of);
	return count;
}

void geometry_slots(const struct zs_geometry *g, const struct geometry_class *class, int8_t *page,
		    uint16_t *offset)
{
	uint32_t in_page = geometry_huge(class) ? 0 : g->header;
	uint32_t at = 0;

	/*@ loop invariant range: 0 <= s <= class->capacity && at <= class->pages;
	    loop invariant at: slot_at(*g, *class, s, at, in_page);
	    loop invariant slots: slots(*g, *class, page, offset, s);
	    loop assigns s, in_page, at, page[0 .. class->capacity - 1],
			 offset[0 .. class->capacity - 1];
	    loop variant class->capacity - s;
	*/
	for (uint32_t s = 0; s < class->capacity; s++) {
		page[s] = (int8_t)at;
		offset[s] = (uint16_t)in_page;
		//@ assert before: slots(*g, *class, page, offset, s);
		//@ assert next: page[s] < class->pages && slot_at(*g, *class, s, page[s], offset[s]);
		in_page += class->size;
		if (in_page >= g->page_size) {
			in_page -= g->page_size;
			at++;
		}
	}
}
