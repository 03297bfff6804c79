/* SPDX-License-Identifier: BSD-3-Clause */
#include "ring.h"

/*@
#include "ring_rounds.acsl"
*/

/*
 * For the proof alone, as all ghost code: what is counted wants induction, so a loop. A list's count
 * is at most the number of records, less if one of them is elsewhere, and not 0 if one is on it.
 */
/*@ ghost
  /@ requires columns: ring_columns(ring, ring->records);
     requires lists: ring_lists(ring) && ring_heads(ring) && ring_counts(ring);
     terminates \true;
     assigns \nothing;
     ensures bounds: \forall integer h; 0 <= h < ring->heads ==>
       0 <= ring->count[h] <= ring->records - ring->heads;
     ensures free: \forall integer h, r; 0 <= h < ring->heads && ring->heads <= r < ring->records &&
       ring->list[r] != h ==> ring->count[h] < ring->records - ring->heads;
     ensures some: \forall integer r; ring->heads <= r < ring->records && ring_listed(ring, r) ==>
       0 < ring->count[ring->list[r]];
  @/
  void bound_counts(struct ring *ring)
  {
    /@ loop invariant place: ring->heads <= i <= ring->records;
       loop invariant bounds: \forall integer h; 0 <= h < ring->heads ==>
         0 <= ring_tally(ring->list, h, ring->heads, i) <= i - ring->heads;
       loop invariant free: \forall integer h, r; 0 <= h < ring->heads && ring->heads <= r < i &&
         ring->list[r] != h ==> ring_tally(ring->list, h, ring->heads, i) < i - ring->heads;
       loop invariant some: \forall integer h, r; 0 <= h < ring->heads && ring->heads <= r < i &&
         ring->list[r] == h ==> 0 < ring_tally(ring->list, h, ring->heads, i);
       loop assigns i;
       loop variant ring->records - i;
    @/
    for (uint64_t i = ring->heads; i < ring->records; i++)
      ;
  }
*/

/* Links a record between two others, or between one and itself. */
/*@ requires columns: ring_columns(ring, ring->records);
    requires records: before < ring->records && record < ring->records && after < ring->records;
    requires new: record != before && record != after;
    terminates \true;
    assigns ring->next[record], ring->prev[record], ring->prev[after], ring->next[before];
    ensures next: \forall integer r; 0 <= r < ring->records ==> ring->next[r] ==
      (r == before ? record : r == record ? after : \old(ring->next[r]));
    ensures prev: \forall integer r; 0 <= r < ring->records ==> ring->prev[r] ==
      (r == after ? record : r == record ? before : \old(ring->prev[r]));
*/
static void insert(struct ring *ring, uint32_t before, uint32_t record, uint32_t after)
{
	ring->next[record] = after;
	ring->prev[record] = before;
	ring->prev[after] = record;
	ring->next[before] = record;
}

/* Makes after follow before. */
/*@ requires columns: ring_columns(ring, ring->records);
    requires records: before < ring->records && after < ring->records;
    terminates \true;
    assigns ring->next[before], ring->prev[after];
    ensures next: \forall integer r; 0 <= r < ring->records ==>
      ring->next[r] == (r == before ? after : \old(ring->next[r]));
    ensures prev: \forall integer r; 0 <= r < ring->records ==>
      ring->prev[r] == (r == after ? before : \old(ring->prev[r]));
*/
static void join(struct ring *ring, uint32_t before, uint32_t after)
{
	ring->next[before] = after;
	ring->prev[after] = before;
}

void ring_init(struct ring *ring)
{
	ring->records = ring->heads;
	/*@ loop invariant size: ring->records == ring->heads == \at(ring->heads, Pre);
	    loop invariant place: 0 <= head <= ring->heads;
	    loop invariant next: \forall integer h; 0 <= h < head ==> ring->next[h] == h;
	    loop invariant prev: \forall integer h; 0 <= h < head ==> ring->prev[h] == h;
	    loop invariant list: \forall integer h; 0 <= h < head ==> ring->list[h] == h;
	    loop invariant count: \forall integer h; 0 <= h < head ==> ring->count[h] == 0;
	    loop invariant stamp: \forall integer h; 0 <= h < head ==> ring_stamp[h] == 0;
	    loop assigns head, ring_stamp[0 .. \at(ring->heads, Pre) - 1],
	      ring->next[0 .. \at(ring->heads, Pre) - 1],
	      ring->prev[0 .. \at(ring->heads, Pre) - 1],
	      ring->list[0 .. \at(ring->heads, Pre) - 1],
	      ring->count[0 .. \at(ring->heads, Pre) - 1];
	    loop variant ring->heads - head;
	*/
	for (uint32_t head = 0; head < ring->heads; head++) {
		ring->next[head] = head;
		ring->prev[head] = head;
		ring->list[head] = (int32_t)head;
		ring->count[head] = 0;
		/*@ ghost ring_stamp[head] = 0; */
	}
}

uint32_t ring_make(struct ring *ring)
{
	uint32_t record = (uint32_t)ring->records++;

	ring->list[record] = -1;
	/*@ ghost ring_stamp[record] = 0; */
	/*@ assert made: ring_made{Pre, Here}(ring); */
	/*@ ghost
	  /@ loop invariant place: ring->heads <= i <= record;
	     loop invariant same: \forall integer h; 0 <= h < ring->heads ==>
	       ring_tally(ring->list, h, ring->heads, \at(i, Here)) ==
	         ring_tally{Pre}(ring->list, h, ring->heads, \at(i, Here));
	     loop assigns i;
	     loop variant record - i;
	  @/
	  for (uint64_t i = ring->heads; i < record; i++)
	    ;
	*/
	return record;
}

/* Notes that a record is on head's list, but doesn't link it. */
/*@ requires columns: ring_columns(ring, ring->records);
    requires lists: ring_lists(ring) && ring_heads(ring) && ring_counts(ring);
    requires head: head < ring->heads;
    requires record: ring->heads <= record < ring->records && !ring_listed(ring, record);
    terminates \true;
    assigns ring->list[record], ring->count[head];
    ensures columns: ring_columns(ring, ring->records) && ring_same_size{Pre, Post}(ring);
    ensures lists: ring_lists(ring);
    ensures heads: ring_heads(ring);
    ensures counts: ring_counts(ring);
    ensures list: ring->list[record] == head;
    ensures count: ring->count[head] == \old(ring->count[head]) + 1 <= INT32_MAX;
    ensures others_list: \forall integer r; 0 <= r < ring->records && r != record ==>
      ring->list[r] == \old(ring->list[r]);
    ensures others_count: \forall integer h; 0 <= h < ring->heads && h != head ==>
      ring->count[h] == \old(ring->count[h]);
*/
static void enter(struct ring *ring, uint32_t head, uint32_t record)
{
	/*@ ghost bound_counts(ring); */
	ring->list[record] = (int32_t)head;
	ring->count[head]++;
	/*@ ghost
	  /@ loop invariant place: ring->heads <= i <= ring->records;
	     loop invariant tally: \forall integer h; 0 <= h < ring->heads ==>
	       ring_tally(ring->list, h, ring->heads, \at(i, Here)) ==
	         ring_tally{Pre}(ring->list, h, ring->heads, \at(i, Here)) +
	         (h == head && record < i ? 1 : 0);
	     loop assigns i;
	     loop variant ring->records - i;
	  @/
	  for (uint64_t i = ring->heads; i < ring->records; i++)
	    ;
	*/
}

/* Notes that a record is on no list any more, but leaves the links alone. */
/*@ requires columns: ring_columns(ring, ring->records);
    requires lists: ring_lists(ring) && ring_heads(ring) && ring_counts(ring);
    requires record: ring->heads <= record < ring->records && ring_listed(ring, record);
    terminates \true;
    assigns ring->list[record], ring->count[ring->list[record]];
    ensures columns: ring_columns(ring, ring->records) && ring_same_size{Pre, Post}(ring);
    ensures lists: ring_lists(ring);
    ensures heads: ring_heads(ring);
    ensures counts: ring_counts(ring);
    ensures list: !ring_listed(ring, record);
    ensures count: ring->count[\old(ring->list[record])] ==
      \old(ring->count[ring->list[record]]) - 1;
    ensures others_list: \forall integer r; 0 <= r < ring->records && r != record ==>
      ring->list[r] == \old(ring->list[r]);
    ensures others_count: \forall integer h; 0 <= h < ring->heads &&
      h != \old(ring->list[record]) ==> ring->count[h] == \old(ring->count[h]);
*/
static void leave(struct ring *ring, uint32_t record)
{
	/*@ ghost bound_counts(ring); */
	ring->count[ring->list[record]]--;
	ring->list[record] = -1;
	/*@ ghost
	  /@ loop invariant place: ring->heads <= i <= ring->records;
	     loop invariant tally: \forall integer h; 0 <= h < ring->heads ==>
	       ring_tally(ring->list, h, ring->heads, \at(i, Here)) ==
	         ring_tally{Pre}(ring->list, h, ring->heads, \at(i, Here)) -
	         (h == \at(ring->list[record], Pre) && record < i ? 1 : 0);
	     loop assigns i;
	     loop variant ring->records - i;
	  @/
	  for (uint64_t i = ring->heads; i < ring->records; i++)
	    ;
	*/
}

/*
 * For the proof alone: lowers the stamps above a record's on its list, to stay below the count
 * when it is off.
 */
/*@ ghost
  /@ requires columns: ring_columns(ring, ring->records);
     requires record: record < ring->records;
     requires stamps: ring_stamps(ring);
     terminates \true;
     assigns ring_stamp[0 .. ring->records - 1];
     ensures stamps: ring_stamps(ring);
     ensures stamp: \forall integer r; 0 <= r < ring->records ==>
       ring_stamp[r] == \old(ring_stamp[r]) -
       (ring->list[r] == ring->list[record] && \old(ring_stamp[r] > ring_stamp[record]) ? 1 : 0);
  @/
  void lower(struct ring *ring, uint32_t record)
  {
    /@ loop invariant place: 0 <= i <= ring->records;
       loop invariant stamps: ring_stamps(ring);
       loop invariant rest: \forall integer r; i <= r < ring->records ==>
         ring_stamp[r] == \at(ring_stamp[r], Pre);
       loop invariant stamp: \forall integer r; 0 <= r < i ==>
         ring_stamp[r] == \at(ring_stamp[r], Pre) -
         (ring->list[r] == ring->list[record] &&
           \at(ring_stamp[r], Pre) > \at(ring_stamp[record], Pre) ? 1 : 0);
       loop assigns i, ring_stamp[0 .. ring->records - 1];
       loop variant ring->records - i;
    @/
    for (uint64_t i = 0; i < ring->records; i++)
      if (ring->list[i] == ring->list[record] && ring_stamp[i] > ring_stamp[record])
        ring_stamp[i]--;
  }
*/

void ring_add(struct ring *ring, uint32_t head, uint32_t record)
{
	uint32_t first = ring->next[head];

	/*@ assert unlinked: \forall integer r; 0 <= r < ring->records && ring_listed(ring, r) ==>
	      ring->next[r] != record && ring->prev[r] != record; */
	/*@ assert only: \forall integer r; 0 <= r < ring->records && ring_listed(ring, r) ==>
	      (ring->next[r] == first ==> r == head) && (ring->prev[r] == head ==> r == first); */
	insert(ring, head, record, first);
	/*@ assert next_prev: ring_next_prev(ring) && ring->next[ring->prev[record]] == record; */
	/*@ assert prev_next: ring_prev_next(ring) && ring->prev[ring->next[record]] == record; */
	/*@ assert next_list: ring->list[ring->next[record]] == head && \forall integer r;
	      0 <= r < ring->records && ring_listed(ring, r) && r != head ==>
	      ring->next[r] != record && ring->list[ring->next[r]] == ring->list[r]; */
	/*@ assert prev_list: ring->list[ring->prev[record]] == head && \forall integer r;
	      0 <= r < ring->records && ring_listed(ring, r) && r != first ==>
	      ring->prev[r] != record && ring->list[ring->prev[r]] == ring->list[r]; */
	enter(ring, head, record);
	/*@ ghost ring_stamp[record] = ring->count[head] - 1; */
	/*@ assert added: ring_added{Pre, Here}(ring, head, record); */
}

void ring_del(struct ring *ring, uint32_t record)
{
	/*@ ghost lower(ring, record); */
	join(ring, ring->prev[record], ring->next[record]);
	/*@ assert prev_list: \forall integer r;
	      0 <= r < ring->records && ring_listed(ring, r) && r != record ==>
	      ring->prev[r] != record && ring->list[ring->prev[r]] == ring->list[r]; */
	leave(ring, record);
	/*@ assert removed: ring_removed{Pre, Here}(ring, record); */
}
