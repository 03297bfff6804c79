/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ring - doubly linked rings over indices.
 *
 * Records 0 .. heads - 1 are list heads, the rest zspages; both live in the same columns, so that
 * no insertion or removal has a special case. A record is on at most one list; list[] says on
 * which. All functions are O(1) but ring_init, and guarded by whoever owns the list. They can't
 * fail: the caller keeps the ranges given, nothing checks them.
 */
#ifndef RING_H
#define RING_H

#include <stdbool.h>
#include <stdint.h>

#define RING_NONE UINT32_MAX /* no record; on no list */

/*
 * Links, lists and numbers differ in type: the proof has one memory a type, so a write to one of them
 * can't seem to change the others.
 */
struct ring {
	uint32_t *next;
	uint32_t *prev;
	int32_t *list;   /* the head of the list a record is on, or -1: none; read by ring_list */
	uint64_t *count; /* by head: records on its list */
	uint64_t heads;
	uint64_t records; /* made so far, heads included */
};

/* For the proof alone: see ring_round. */
/*@ ghost int64_t ring_stamp[INT32_MAX]; */

/*@
#include "ring.acsl"
*/

/* Makes every head an empty list; there are no other records then. O(heads). */
/*@ requires columns: ring_columns(ring, ring->heads);
    terminates \true;
    assigns ring->records, ring->next[0 .. ring->heads - 1], ring->prev[0 .. ring->heads - 1],
      ring->list[0 .. ring->heads - 1], ring->count[0 .. ring->heads - 1],
      ring_stamp[0 .. ring->heads - 1];
    ensures columns: ring_columns(ring, ring->records);
    ensures records: ring->records == ring->heads == \old(ring->heads);
    ensures lists: ring_lists(ring);
    ensures heads: ring_heads(ring);
    ensures range: ring_range(ring);
    ensures next_prev: ring_next_prev(ring);
    ensures prev_next: ring_prev_next(ring);
    ensures next_list: ring_next_list(ring);
    ensures prev_list: ring_prev_list(ring);
    ensures counts: ring_counts(ring);
    ensures round: ring_round(ring);
    ensures empty: \forall integer h; 0 <= h < ring->heads ==>
      ring->next[h] == h && ring->count[h] == 0;
*/
void ring_init(struct ring *ring);

/* Makes one more record, on no list, and returns it. The columns have room, below INT32_MAX. */
/*@ requires ok: ring_ok(ring);
    requires room: ring_columns(ring, ring->records + 1);
    requires round: ring_round(ring);
    terminates \true;
    assigns ring->records, ring->list[ring->records], ring_stamp[ring->records];
    ensures columns: ring_columns(ring, ring->records);
    ensures lists: ring_lists(ring);
    ensures heads: ring_heads(ring);
    ensures range: ring_range(ring);
    ensures next_prev: ring_next_prev(ring);
    ensures prev_next: ring_prev_next(ring);
    ensures next_list: ring_next_list(ring);
    ensures prev_list: ring_prev_list(ring);
    ensures counts: ring_counts(ring);
    ensures round: ring_round(ring);
    ensures new: \result == \old(ring->records) && ring->records == \result + 1;
    ensures none: !ring_listed(ring, \result);
*/
uint32_t ring_make(struct ring *ring);

/* Puts a record that is on no list first on head's. head < heads <= record < records. */
/*@ requires ok: ring_ok(ring);
    requires head: head < ring->heads;
    requires record: ring->heads <= record < ring->records;
    requires none: !ring_listed(ring, record);
    requires round: ring_round(ring);
    terminates \true;
    assigns ring->next[record], ring->prev[record], ring->list[record],
      ring->prev[ring->next[head]], ring->next[head], ring->count[head], ring_stamp[record];
    ensures columns: ring_columns(ring, ring->records) && ring_same_size{Pre, Post}(ring);
    ensures lists: ring_lists(ring);
    ensures heads: ring_heads(ring);
    ensures range: ring_range(ring);
    ensures next_prev: ring_next_prev(ring);
    ensures prev_next: ring_prev_next(ring);
    ensures next_list: ring_next_list(ring);
    ensures prev_list: ring_prev_list(ring);
    ensures counts: ring_counts(ring);
    ensures round: ring_round(ring);
    ensures first: ring->next[head] == record && ring->prev[record] == head;
    ensures list: ring->list[record] == head;
    ensures rest: ring->next[record] == \old(ring->next[head]);
    ensures count: ring->count[head] == \old(ring->count[head]) + 1;
    ensures others_next: \forall integer r; 0 <= r < ring->records && r != record && r != head ==>
      ring->next[r] == \old(ring->next[r]);
    ensures others_prev: \forall integer r; 0 <= r < ring->records && r != record &&
      r != \old(ring->next[head]) ==> ring->prev[r] == \old(ring->prev[r]);
    ensures others_list: \forall integer r; 0 <= r < ring->records && r != record ==>
      ring->list[r] == \old(ring->list[r]);
    ensures others_count: \forall integer h; 0 <= h < ring->heads && h != head ==>
      ring->count[h] == \old(ring->count[h]);
*/
void ring_add(struct ring *ring, uint32_t head, uint32_t record);

/* Takes a record off the list it is on. heads <= record < records. */
/*@ requires ok: ring_ok(ring);
    requires record: ring->heads <= record < ring->records;
    requires listed: ring_listed(ring, record);
    requires round: ring_round(ring);
    terminates \true;
    assigns ring->next[ring->prev[record]], ring->prev[ring->next[record]], ring->list[record],
      ring->count[ring->list[record]], ring_stamp[0 .. ring->records - 1];
    ensures columns: ring_columns(ring, ring->records) && ring_same_size{Pre, Post}(ring);
    ensures lists: ring_lists(ring);
    ensures heads: ring_heads(ring);
    ensures range: ring_range(ring);
    ensures next_prev: ring_next_prev(ring);
    ensures prev_next: ring_prev_next(ring);
    ensures next_list: ring_next_list(ring);
    ensures prev_list: ring_prev_list(ring);
    ensures counts: ring_counts(ring);
    ensures round: ring_round(ring);
    ensures none: !ring_listed(ring, record);
    ensures closed: ring->next[\old(ring->prev[record])] == \old(ring->next[record]) &&
      ring->prev[\old(ring->next[record])] == \old(ring->prev[record]);
    ensures count: ring->count[\old(ring->list[record])] ==
      \old(ring->count[ring->list[record]]) - 1;
    ensures others_next: \forall integer r; 0 <= r < ring->records &&
      r != \old(ring->prev[record]) ==> ring->next[r] == \old(ring->next[r]);
    ensures others_prev: \forall integer r; 0 <= r < ring->records &&
      r != \old(ring->next[record]) ==> ring->prev[r] == \old(ring->prev[r]);
    ensures others_list: \forall integer r; 0 <= r < ring->records && r != record ==>
      ring->list[r] == \old(ring->list[r]);
    ensures others_count: \forall integer h; 0 <= h < ring->heads &&
      h != \old(ring->list[record]) ==> ring->count[h] == \old(ring->count[h]);
*/
void ring_del(struct ring *ring, uint32_t record);

/* The head of the list a record is on, or RING_NONE. record < records. */
/*@ requires ok: ring_ok(ring);
    requires record: record < ring->records;
    terminates \true;
    assigns \nothing;
    ensures list: ring_listed(ring, record) ==> \result == ring->list[record] < ring->heads;
    ensures none: !ring_listed(ring, record) ==> \result == RING_NONE;
*/
static inline uint32_t ring_list(const struct ring *ring, uint32_t record)
{
	return ring->list[record] < 0 ? RING_NONE : (uint32_t)ring->list[record];
}

/* The first record on head's list, or head itself if the list is empty. head < heads. */
/*@ requires ok: ring_ok(ring);
    requires head: head < ring->heads;
    terminates \true;
    assigns \nothing;
    ensures first: \result == ring->next[head];
    ensures list: \result < ring->records && ring->list[\result] == head;
    ensures empty: \result < ring->heads ==> \result == head;
*/
static inline uint32_t ring_first(const struct ring *ring, uint32_t head)
{
	return ring->next[head];
}

#endif
