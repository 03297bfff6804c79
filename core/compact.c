/* SPDX-License-Identifier: BSD-3-Clause */
#include "compact.h"
#include "slots.h"

/*@
#include "class_frames.acsl"
#include "class_ops.acsl"
#include "compact_frames.acsl"
*/

uint64_t compact_zspages(const struct zs_class *class)
{
	return (class->allocated - class->inuse) / class->capacity;
}

/* ---- choosing ------------------------------------------------------------------------------- */

/* True if a zspage is a better destination than another, or a better source. */
/*@ requires valid: \valid_read(class) && \valid_read(class->zspages) &&
      \valid_read(class->zspages->inuse + z) && \valid_read(class->zspages->inuse + than);
    terminates \true;
    assigns \nothing;
    ensures better: \result <==> (source ?
      class->zspages->inuse[z] < class->zspages->inuse[than] :
      class->zspages->inuse[z] > class->zspages->inuse[than]);
*/
static bool is_better(const struct zs_class *class, bool source, uint32_t z, uint32_t than)
{
	const uint16_t *inuse = class->zspages->inuse;

	return source ? inuse[z] < inuse[than] : inuse[z] > inuse[than];
}

/* True if no better one can be on the list of its group: it would be in the group beside. */
/*@
#include "class_memory.acsl"
#include "compact_lists.acsl"
    requires group: 0 < group < class->groups - 1;
    requires on: compact_on(class, z, class->first_list + group);
    terminates \true;
    assigns \nothing;
    ensures best: \result ==> \forall integer r;
      compact_on(class, r, class->first_list + group) ==> !compact_better(class, source, r, z);
*/
static bool is_best(const struct zs_class *class, bool source, uint32_t z, uint32_t group)
{
	uint32_t inuse = class->zspages->inuse[z];

	/*@ assert group: \forall integer r; compact_on(class, r, class->first_list + group) ==>
	      class->group_of[class->zspages->inuse[r]] == group &&
	      0 < class->zspages->inuse[r] < class->capacity; */
	/*@ assert beside: class->group_of[inuse - 1] <= group <= class->group_of[inuse + 1]; */
	/*@ assert lower: \forall integer n; 0 <= n < inuse ==>
	      class->group_of[n] <= class->group_of[inuse - 1]; */
	/*@ assert higher: \forall integer n; inuse < n <= class->capacity ==>
	      class->group_of[inuse + 1] <= class->group_of[n]; */
	return class->group_of[source ? inuse - 1 : inuse + 1] != group;
}

/*
 * The destination or source of a partial group: the first, but no source that a reader pins; ranked:
 * the first of the best. RING_NONE: there is none.
 */
/*@
#include "class_memory.acsl"
#include "compact_lists.acsl"
    requires group: 0 < group < class->groups - 1;
    terminates \true;
    assigns \nothing;
    ensures none: \result == RING_NONE ==> \forall integer r;
      compact_on(class, r, class->first_list + group) ==> source && class->zspages->pins[r] != 0;
    ensures record: \result != RING_NONE ==>
      class_record(class, \result) && compact_on(class, \result, class->first_list + group);
    ensures pins: \result != RING_NONE && source ==> class->zspages->pins[\result] == 0;
    ensures best: \result != RING_NONE && ranked ==> \forall integer r;
      compact_on(class, r, class->first_list + group) &&
      (source ==> class->zspages->pins[r] == 0) ==> !compact_better(class, source, r, \result);
*/
static uint32_t best_of(const struct zs_class *class, uint32_t group, bool source, bool ranked)
{
	const struct zspages *all = class->zspages;
	uint32_t head = lists_head(class, group), best = RING_NONE;

	/*@ assert head: all->ring.list[head] == head && head < all->ring.heads; */
	/*@ assert first: \forall integer r; compact_on(class, r, head) ==>
	      all->ring.heads <= all->ring.next[head] &&
	      ring_stamp[r] <= ring_stamp[all->ring.next[head]]; */
	/*@ loop invariant place: z < all->ring.records && all->ring.list[z] == head;
	    loop invariant best: best != RING_NONE ==> compact_on(class, best, head) &&
	      (source ==> all->pins[best] == 0);
	    loop invariant first: !ranked ==> best == RING_NONE;
	    loop invariant seen: \forall integer r; compact_on(class, r, head) &&
	      (z == head || ring_stamp[z] < ring_stamp[r]) && (source ==> all->pins[r] == 0) ==>
	        best != RING_NONE && !compact_better(class, source, r, best);
	    loop assigns z, best;
	    loop variant z == head ? 0 : ring_stamp[z] + 1;
	*/
	for (uint32_t z = all->ring.next[head]; z != head; z = all->ring.next[z]) {
		/*@ assert next: \forall integer r; compact_on(class, r, head) && r != z &&
		      ring_stamp[r] <= ring_stamp[z] ==> all->ring.heads <= all->ring.next[z] &&
		      ring_stamp[r] <= ring_stamp[all->ring.next[z]]; */
		if (source && sync_count(&all->pins[z]) != 0)
			continue;
		if (best == RING_NONE || is_better(class, source, z, best))
			best = z;
		if (!ranked || is_best(class, source, best, group))
			break;
	}
	return best;
}

/* A destination of the fullest partial group, or RING_NONE. */
/*@
#include "class_memory.acsl"
#include "compact_lists.acsl"
    terminates \true;
    assigns \nothing;
    ensures none: \result == RING_NONE ==>
      \forall integer z; !compact_partial(class, z);
    ensures partial: \result != RING_NONE ==> compact_partial(class, \result);
    ensures best: \result != RING_NONE && ranked ==> \forall integer z;
      compact_partial(class, z) ==> !compact_better(class, false, z, \result);
*/
static uint32_t find_destination(const struct zs_class *class, bool ranked)
{
	uint32_t full = class->groups - 1, group = bitmap_last(class->occupied, full);

	/*@ assert some: compact_some(class); */
	/*@ assert bits: compact_bits(class); */
	/*@ assert groups: compact_middle(class); */
	/*@ assert first: group < full ==> compact_on(class,
	      class->zspages->ring.next[class->first_list + group], class->first_list + group); */
	return group == full || group == 0 ? RING_NONE : best_of(class, group, false, ranked);
}

/* A source of the emptiest partial group that has one, or RING_NONE. */
/*@
#include "class_memory.acsl"
#include "compact_lists.acsl"
    terminates \true;
    assigns \nothing;
    ensures none: \result == RING_NONE ==> \forall integer z;
      compact_partial(class, z) ==> class->zspages->pins[z] != 0;
    ensures partial: \result != RING_NONE ==> compact_partial(class, \result);
    ensures pins: \result != RING_NONE ==> class->zspages->pins[\result] == 0;
    ensures best: \result != RING_NONE && ranked ==> \forall integer z;
      compact_partial(class, z) && class->zspages->pins[z] == 0 ==>
        !compact_better(class, true, z, \result);
*/
static uint32_t find_source(const struct zs_class *class, bool ranked)
{
	uint32_t full = class->groups - 1, group = bitmap_first(class->occupied, 1, full);
	uint32_t z = RING_NONE;

	/*@ assert some: compact_some(class); */
	/*@ assert bits: compact_bits(class); */
	/*@ assert groups: compact_middle(class); */
	/*@ loop invariant place: 0 < group <= full;
	    loop invariant pinned: z == RING_NONE ==> \forall integer r;
	      compact_partial(class, r) && class->zspages->ring.list[r] < class->first_list + group ==>
	        class->zspages->pins[r] != 0;
	    loop invariant partial: z != RING_NONE ==> compact_partial(class, z);
	    loop invariant pins: z != RING_NONE ==> class->zspages->pins[z] == 0;
	    loop invariant best: z != RING_NONE && ranked ==> \forall integer r;
	      compact_partial(class, r) && class->zspages->pins[r] == 0 ==>
	        !compact_better(class, true, r, z);
	    loop assigns z, group;
	    loop variant z == RING_NONE ? full - group + 1 : 0;
	*/
	for (; group < full && z == RING_NONE; group = bitmap_first(class->occupied, group + 1, full))
		z = best_of(class, group, true, ranked);
	return z;
}

/* Takes a zspage off its list. */
/*@
#include "class_memory.acsl"
#include "compact_more.acsl"
    requires listed: class_listed(class, z);
    terminates \true;
    assigns
#include "compact_links.acsl"
#include "class_kept.acsl"
#include "compact_still.acsl"
    ensures none: class_unlisted(class, z);
    ensures on: on(class) == \old(on(class)) - 1;
*/
static void leave(struct zs_class *class, uint32_t z)
{
	/*@ assert apart: compact_apart_counters(class); */
	/*@ assert constants: compact_apart_constants(class); */
	/*@ assert cells: \forall uint64_t *p; compact_apart_word(class, p) ==>
	      p != class->zspages->ring.count + class->zspages->ring.list[z]; */
	/*@ assert owner: \forall integer o; 0 <= o < class->zspages->slots_max ==>
	      class->zspages->owner + o != class->zspages->ring.list + z; */
	lists_leave(class, z);
	/*@ assert words: compact_words_but{Pre, Here}(class); */
	/*@ assert links: compact_links_but{Pre, Here}(class); */
	/*@ assert more: class_apart_lists(class); */
	/*@ assert constants: compact_same_constants{Pre, Here}(class); */
	/*@ assert counters: compact_same_counters{Pre, Here}(class); */
	/*@ assert entries: compact_same_entries{Pre, Here}(class); */
	/*@ assert pages: compact_same_pages{Pre, Here}(class); */
	/*@ assert rows: compact_same_rows{Pre, Here}(class); */
	/*@ assert owners: compact_same_owners{Pre, Here}(class); */
	/*@ assert objects: class_same_objects{Pre, Here}(class); */
	/*@ assert columns: class_same_columns{Pre, Here}(class); */
	/*@ assert same_rows: class_same_rows{Pre, Here}(class); */
	/*@ assert slots: class_same_slots{Pre, Here}(class); */
	/*@ assert inuse: class_same_inuse{Pre, Here}(class); */
	/*@ assert same_entries: class_same_entries{Pre, Here}(class); */
	/*@ assert all: class_same_all{Pre, Here}(class); */
	/*@ assert frozen: handles_frozen{Pre, Here}(class->handles); */
	/*@ assert tables: class_same_tables{Pre, Here}(class); */
	/*@ assert data: class_same_data{Pre, Here}(class); */
	/*@ assert valid: class_same_valid{Pre, Here}(class); */
	/*@ ghost
	  /@ loop invariant place: class->zspages->ring.heads <= i <= class->zspages->ring.records;
	     loop invariant on: on_to(class, \at(i, Here)) ==
	       on_to{Pre}(class, \at(i, Here)) - (z < i ? 1 : 0);
	     loop assigns i;
	     loop variant class->zspages->ring.records - i;
	  @/
	  for (uint64_t i = class->zspages->ring.heads; i < class->zspages->ring.records; i++) {
	    /@ assert now: on_to(class, \at(i, Here) + 1) == on_to(class, \at(i, Here)) +
	         compact_listed(class, \at(i, Here)); @/
	    /@ assert then: on_to{Pre}(class, \at(i, Here) + 1) == on_to{Pre}(class, \at(i, Here)) +
	         compact_listed{Pre}(class, \at(i, Here)); @/
	    /@ assert other: compact_listed(class, \at(i, Here)) ==
	         compact_listed{Pre}(class, \at(i, Here)) - (i == z ? 1 : 0); @/
	  }
	*/
}

/* Puts a zspage on the list of its group. */
/*@
#include "class_memory.acsl"
#include "compact_more.acsl"
    requires groups: class_groups(class);
    requires bounds: class_bounds(class);
    requires unlisted: class_unlisted(class, z);
    terminates \true;
    assigns
#include "compact_links.acsl"
#include "class_kept.acsl"
#include "compact_still.acsl"
    ensures listed: class_listed(class, z);
    ensures on: on(class) == \old(on(class)) + 1;
*/
static void enter(struct zs_class *class, uint32_t z)
{
	/*@ assert apart: compact_apart_counters(class); */
	/*@ assert constants: compact_apart_constants(class); */
	lists_regroup(class, z);
	/*@ assert links: compact_links_but{Pre, Here}(class); */
	/*@ assert constant: class_constant{Pre, Here}(class); */
	/*@ assert more: class_apart_lists(class); */
	/*@ assert more_entries: class_apart_entries(class); */
	/*@ assert words: compact_words_but{Pre, Here}(class); */
	/*@ assert members: compact_members_but{Pre, Here}(class); */
	/*@ assert constants: compact_same_constants{Pre, Here}(class); */
	/*@ assert counters: compact_same_counters{Pre, Here}(class); */
	/*@ assert entries: compact_same_entries{Pre, Here}(class); */
	/*@ assert pages: compact_same_pages{Pre, Here}(class); */
	/*@ assert rows: compact_same_rows{Pre, Here}(class); */
	/*@ assert owners: compact_same_owners{Pre, Here}(class); */
	/*@ assert objects: class_same_objects{Pre, Here}(class); */
	/*@ assert columns: class_same_columns{Pre, Here}(class); */
	/*@ assert same_rows: class_same_rows{Pre, Here}(class); */
	/*@ assert slots: class_same_slots{Pre, Here}(class); */
	/*@ assert inuse: class_same_inuse{Pre, Here}(class); */
	/*@ assert same_entries: class_same_entries{Pre, Here}(class); */
	/*@ assert all: class_same_all{Pre, Here}(class); */
	/*@ assert frozen: handles_frozen{Pre, Here}(class->handles); */
	/*@ assert tables: class_same_tables{Pre, Here}(class); */
	/*@ assert data: class_same_data{Pre, Here}(class); */
	/*@ assert valid: class_same_valid{Pre, Here}(class); */
	/*@ assert listed: class_listed(class, z); */
	/*@ assert had: class_unlisted{Pre}(class, z); */
	/*@ ghost
	  /@ loop invariant place: class->zspages->ring.heads <= i <= class->zspages->ring.records;
	     loop invariant on: on_to(class, \at(i, Here)) ==
	       on_to{Pre}(class, \at(i, Here)) + (z < i ? 1 : 0);
	     loop assigns i;
	     loop variant class->zspages->ring.records - i;
	  @/
	  for (uint64_t i = class->zspages->ring.heads; i < class->zspages->ring.records; i++) {
	    /@ assert now: on_to(class, \at(i, Here) + 1) == on_to(class, \at(i, Here)) +
	         compact_listed(class, \at(i, Here)); @/
	    /@ assert then: on_to{Pre}(class, \at(i, Here) + 1) == on_to{Pre}(class, \at(i, Here)) +
	         compact_listed{Pre}(class, \at(i, Here)); @/
	    /@ assert other: compact_listed(class, \at(i, Here)) ==
	         compact_listed{Pre}(class, \at(i, Here)) + (i == z ? 1 : 0); @/
	  }
	*/
}

/* Takes a zspage that is chosen off its list, if there is one, and returns it. */
/*@
#include "compact_ok.acsl"
    requires listed: z != RING_NONE ==> class_record(class, z) && class_listed(class, z);
    terminates \true;
    assigns
#include "compact_links.acsl"
#include "compact_kept.acsl"
    ensures same_zspage: \result == z;
    ensures taken: z != RING_NONE ==> class_unlisted(class, z);
    ensures others: class_others_list{Pre, Post}(class, z);
    ensures off: class_off(class) == \old(class_off(class)) + (z == RING_NONE ? 0 : 1);
    ensures counts: compact_same_counters{Pre, Post}(class);
    ensures counted: compact_counted{Pre, Post}(class);
    ensures keeps: compact_same_keeps{Pre, Post}(class);
    ensures steady: compact_steady{Pre, Post}(class);
*/
static uint32_t take(struct zs_class *class, uint32_t z)
{
	if (z == RING_NONE)
		return z;
	/*@ assert positive: handles_positive(class->handles); */
	leave(class, z);
	/*@ assert same: compact_same{Pre, Here}(class); */
	/*@ assert bounds: class_bounds(class); */
	/*@ assert below: class->zspages->ring.list[z] < class->first_list + class->groups; */
	/*@ assert groups: class_groups(class); */
	/*@ assert ends: compact_groups(class); */
	/*@ assert sums: busy(class) == busy{Pre}(class) && mixed(class) == mixed{Pre}(class) &&
	      total(class) == total{Pre}(class); */
	/*@ assert home: compact_home(class); */
	/*@ assert waiting: class_waiting(class); */
	/*@ assert stack: handles_stack(class->handles, &class->free); */
	/*@ assert pieces: compact_pieces(class); */
	return z;
}

/* ---- moving --------------------------------------------------------------------------------- */

/*
 * For the proof alone: sums want induction, so loops. No more is in use than there are slots, and each
 * zspage with objects is held. If all of these are full but one, less than a zspage's slots are free.
 */
/*@ ghost
  /@
#include "compact_ok.acsl"
     requires one: one != RING_NONE ==> compact_in_hand(class, one);
     requires taken: compact_taken(class, one, RING_NONE);
     requires off: class_off(class) == (one == RING_NONE ? 0 : 1);
     terminates \true;
     assigns \nothing;
     ensures count: compact_count(class);
  @/
  static void count(struct zs_class *class, uint32_t one)
  {
    /@ loop invariant place: class->zspages->ring.heads <= i <= class->zspages->ring.records;
       loop invariant total: total_to(class, \at(i, Here)) <=
         multiple(busy_to(class, \at(i, Here)), class->capacity);
       loop invariant busy: 0 <= mixed_to(class, \at(i, Here)) <= busy_to(class, \at(i, Here)) <=
         on_to(class, \at(i, Here)) + (one < i ? 1 : 0);
       loop invariant on: on_to(class, \at(i, Here)) <= i - class->zspages->ring.heads;
       loop assigns i;
       loop variant class->zspages->ring.records - i;
    @/
    for (uint64_t i = class->zspages->ring.heads; i < class->zspages->ring.records; i++) {
      /@ assert more: multiple(busy_to(class, \at(i, Here)) + 1, class->capacity) ==
           multiple(busy_to(class, \at(i, Here)), class->capacity) + class->capacity; @/
      /@ assert step: busy_to(class, \at(i, Here) + 1) == busy_to(class, \at(i, Here)) +
           (class->zspages->class_of[i] == class->number && 0 < class->zspages->inuse[i] ? 1 : 0); @/
      /@ assert product: multiple(busy_to(class, \at(i, Here) + 1), class->capacity) ==
           multiple(busy_to(class, \at(i, Here)), class->capacity) +
           (class->zspages->class_of[i] == class->number && 0 < class->zspages->inuse[i] ?
             class->capacity : 0); @/
      /@ assert sum: total_to(class, \at(i, Here) + 1) == total_to(class, \at(i, Here)) +
           (class->zspages->class_of[i] == class->number ? class->zspages->inuse[i] : 0); @/
    }
    /@ assert held: class->held == on_to(class, class->zspages->ring.records) + class_off(class); @/
    /@ assert fits: multiple(busy(class), class->capacity) <=
         multiple(class->held, class->capacity); @/
  }
*/
/*@ ghost
  /@
#include "compact_ok.acsl"
     requires idle: compact_idle(class);
     requires one: one != RING_NONE ==> class_record(class, one) && 0 < class->zspages->inuse[one];
     requires full: compact_full_but(class, one);
     terminates \true;
     assigns \nothing;
     ensures full: class->allocated - class->inuse < class->capacity;
  @/
  static void fill(struct zs_class *class, uint32_t one)
  {
    /@ loop invariant place: class->zspages->ring.heads <= i <= class->zspages->ring.records;
       loop invariant total: total_to(class, \at(i, Here)) ==
         multiple(busy_to(class, \at(i, Here)), class->capacity) -
         (one < i ? class->capacity - class->zspages->inuse[one] : 0);
       loop assigns i;
       loop variant class->zspages->ring.records - i;
    @/
    for (uint64_t i = class->zspages->ring.heads; i < class->zspages->ring.records; i++) {
      /@ assert more: multiple(busy_to(class, \at(i, Here)) + 1, class->capacity) ==
           multiple(busy_to(class, \at(i, Here)), class->capacity) + class->capacity; @/
      /@ assert step: busy_to(class, \at(i, Here) + 1) == busy_to(class, \at(i, Here)) +
           (class->zspages->class_of[i] == class->number && 0 < class->zspages->inuse[i] ? 1 : 0); @/
      /@ assert product: multiple(busy_to(class, \at(i, Here) + 1), class->capacity) ==
           multiple(busy_to(class, \at(i, Here)), class->capacity) +
           (class->zspages->class_of[i] == class->number && 0 < class->zspages->inuse[i] ?
             class->capacity : 0); @/
      /@ assert sum: total_to(class, \at(i, Here) + 1) == total_to(class, \at(i, Here)) +
           (class->zspages->class_of[i] == class->number ? class->zspages->inuse[i] : 0); @/
    }
  }
*/

/* Moves one object, in slot `from` of z. */
/*@
#include "compact_ok.acsl"
    requires source: compact_in_hand(class, z) && compact_in_hand(class, to) && z != to;
    requires from: from < class->capacity && class_live(class, z, from);
    requires room: 0 < class->zspages->inuse[to] < class->capacity;
    requires countable: class->moved < UINT64_MAX && class->copies <= UINT64_MAX - 3;
    terminates \true;
    assigns
#include "compact_moved.acsl"
#include "compact_kept.acsl"
    ensures less: class->zspages->inuse[z] == \old(class->zspages->inuse[z]) - 1;
    ensures more: class->zspages->inuse[to] == \old(class->zspages->inuse[to]) + 1;
    ensures live: \forall integer s; 0 <= s < class->capacity ==>
      (class_live(class, z, s) <==> \old(class_live(class, z, s)) && s != from);
    ensures moved: class->moved == \old(class->moved) + 1;
    ensures copies: \old(class->copies) < class->copies <= \old(class->copies) + 3;
    ensures counters: class->held == \old(class->held) && class->allocated == \old(class->allocated);
    ensures numbers: compact_numbers_but{Pre, Post}(class, z, to);
    ensures list: compact_same_list{Pre, Post}(class);
    ensures keeps: compact_same_keeps{Pre, Post}(class);
*/
static void move(struct zs_class *class, uint32_t z, uint32_t from, uint32_t to)
{
	/*@ assert inuse: \separated(&class->inuse, class->handles->entry +
	      (0 .. class->handles->max - 1)); */
	/*@ assert held: \separated(&class->held, class->handles->entry +
	      (0 .. class->handles->max - 1)); */
	/*@ assert allocated: \separated(&class->allocated, class->handles->entry +
	      (0 .. class->handles->max - 1)); */
	class_move(class, z, from, to);
	/*@ assert held_still: class->held == \at(class->held, Pre) &&
	      class->allocated == \at(class->allocated, Pre) &&
	      class->inuse == \at(class->inuse, Pre); */
	/*@ assert numbers: compact_numbers_but{Pre, Here}(class, z, to); */
	/*@ assert list: compact_same_list{Pre, Here}(class); */
	/*@ assert same: compact_same{Pre, Here}(class); */
	/*@ assert keeps: compact_same_keeps{Pre, Here}(class); */
	/*@ assert groups: compact_groups(class); */
	/*@ assert home: compact_home(class); */
	/*@ assert used: class_used(class); */
	/*@ assert room: class_room(class); */
}

/* Moves objects, ascending slots, until the source is empty or the destination full. */
/*@
#include "compact_ok.acsl"
    requires source: compact_in_hand(class, source) && 0 < class->zspages->inuse[source];
    requires destination: compact_in_hand(class, destination) &&
      0 < class->zspages->inuse[destination] < class->capacity;
    requires two: source != destination;
    requires room: class->moved <= UINT64_MAX - ENTRY_SLOTS &&
      class->copies <= UINT64_MAX - 3 * ENTRY_SLOTS;
    terminates \true;
    assigns
#include "compact_moved.acsl"
#include "compact_kept.acsl"
    ensures moves: class->moved - \old(class->moved) ==
      \old(class->zspages->inuse[source]) - class->zspages->inuse[source] ==
      class->zspages->inuse[destination] - \old(class->zspages->inuse[destination]);
    ensures copies: class->copies - \old(class->copies) <= 3 * (class->moved - \old(class->moved));
    ensures range: 0 < class->zspages->inuse[destination] <= class->capacity;
    ensures end: class->zspages->inuse[source] == 0 ||
      class->zspages->inuse[destination] == class->capacity;
    ensures held: class->held == \old(class->held);
    ensures numbers: compact_numbers_but{Pre, Post}(class, source, destination);
    ensures list: compact_same_list{Pre, Post}(class);
    ensures keeps: compact_same_keeps{Pre, Post}(class);
*/
static void pour(struct zs_class *class, uint32_t source, uint32_t destination)
{
	const uint16_t *inuse = class->zspages->inuse;
	const int16_t *pos = class->zspages->pos + class->zspages->slot_row[source];

	/*@ loop invariant memory: compact_memory(class);
	    loop invariant lists: compact_lists(class);
	    loop invariant objects: compact_objects(class);
	    loop invariant counters: compact_counters(class);
	    loop invariant same: compact_same{Pre, Here}(class);
	    loop invariant stable: class_stable{Pre, Here}(class);
	    loop invariant dead: class_dead{Pre, Here}(class);
	    loop invariant keeps: compact_same_keeps{Pre, Here}(class);
	    loop invariant list: compact_same_list{Pre, Here}(class);
	    loop invariant numbers: compact_numbers_but{Pre, Here}(class, source, destination);
	    loop invariant slot: 0 <= slot <= class->capacity;
	    loop invariant passed: \forall integer s; 0 <= s < slot ==> !class_live(class, source, s);
	    loop invariant moves: class->moved - \at(class->moved, Pre) ==
	      \at(class->zspages->inuse[source], Pre) - inuse[source] ==
	      inuse[destination] - \at(class->zspages->inuse[destination], Pre);
	    loop invariant copies: class->copies - \at(class->copies, Pre) <=
	      3 * (class->moved - \at(class->moved, Pre));
	    loop invariant held: class->held == \at(class->held, Pre);
	    loop invariant range: 0 < inuse[destination] <= class->capacity;
	    loop assigns slot,
#include "compact_moved.acsl"
	    loop variant class->capacity - slot;
	*/
	for (uint32_t slot = 0; inuse[source] > 0 && inuse[destination] < class->capacity; slot++) {
		/*@ assert row: slots_at(class->zspages->at + class->zspages->slot_row[source],
		      class->zspages->pos + class->zspages->slot_row[source], class->capacity); */
		/*@ assert room: class->zspages->slot_row[source] + class->capacity <=
		      class->zspages->slots_max; */
		/*@ assert hands: compact_in_hand(class, source) && compact_in_hand(class, destination); */
		/*@ assert zero: \let s = (class->zspages->at + class->zspages->slot_row[source])[0];
		      0 <= s < class->capacity &&
		      (class->zspages->pos + class->zspages->slot_row[source])[s] == 0; */
		/*@ assert first: \let s = (class->zspages->at + class->zspages->slot_row[source])[0];
		      0 <= s < class->capacity && class_live(class, source, s); */
		/*@ assert slot: slot < class->capacity; */
		if (slots_live(pos, inuse[source], slot))
			move(class, source, slot, destination);
	}
}

/* The same: what it makes of the class's counts, for the proof, wants induction. */
/*@
#include "compact_ok.acsl"
    requires source: compact_in_hand(class, source) &&
      0 < class->zspages->inuse[source] < class->capacity;
    requires destination: compact_in_hand(class, destination) &&
      0 < class->zspages->inuse[destination] < class->capacity;
    requires two: source != destination;
    requires room: class->moved <= UINT64_MAX - ENTRY_SLOTS &&
      class->copies <= UINT64_MAX - 3 * ENTRY_SLOTS;
    terminates \true;
    assigns
#include "compact_moved.acsl"
#include "compact_kept.acsl"
    ensures moves: class->moved - \old(class->moved) ==
      \old(class->zspages->inuse[source]) - class->zspages->inuse[source] ==
      class->zspages->inuse[destination] - \old(class->zspages->inuse[destination]);
    ensures range: 0 < class->zspages->inuse[destination] <= class->capacity;
    ensures end: class->zspages->inuse[source] == 0 ||
      class->zspages->inuse[destination] == class->capacity;
    ensures held: class->held == \old(class->held);
    ensures busy: busy(class) == \old(busy(class)) - (class->zspages->inuse[source] == 0 ? 1 : 0);
    ensures mixed: mixed(class) == \old(mixed(class)) -
      (class->zspages->inuse[source] == 0 ? 1 : 0) -
      (class->zspages->inuse[destination] == class->capacity ? 1 : 0);
    ensures counted: compact_counted{Pre, Post}(class);
    ensures numbers: compact_numbers_but{Pre, Post}(class, source, destination);
    ensures list: compact_same_list{Pre, Post}(class);
    ensures keeps: compact_same_keeps{Pre, Post}(class);
*/
static void drain(struct zs_class *class, uint32_t source, uint32_t destination)
{
	pour(class, source, destination);
	/*@ assert valid: class_valid(class) && class_sizes(class); */
	/*@ assert records: class_record(class, source) && class_record(class, destination); */
	/*@ assert others: \forall integer r; r != source && r != destination ==>
	      class->zspages->inuse[r] == \at(class->zspages->inuse[r], Pre); */
	/*@ ghost
	  /@ loop invariant place: class->zspages->ring.heads <= i <= class->zspages->ring.records;
	     loop invariant busy: busy_to(class, \at(i, Here)) == busy_to{Pre}(class, \at(i, Here)) -
	       (source < i && class->zspages->inuse[source] == 0 ? 1 : 0);
	     loop invariant mixed: mixed_to(class, \at(i, Here)) ==
	       mixed_to{Pre}(class, \at(i, Here)) -
	       (source < i && class->zspages->inuse[source] == 0 ? 1 : 0) -
	       (destination < i && class->zspages->inuse[destination] == class->capacity ? 1 : 0);
	     loop assigns i;
	     loop variant class->zspages->ring.records - i;
	  @/
	  for (uint64_t i = class->zspages->ring.heads; i < class->zspages->ring.records; i++) {
	    /@ assert busy_now: busy_to(class, \at(i, Here) + 1) ==
	         busy_to(class, \at(i, Here)) + busy_one(class, \at(i, Here)); @/
	    /@ assert busy_then: busy_to{Pre}(class, \at(i, Here) + 1) ==
	         busy_to{Pre}(class, \at(i, Here)) + busy_one{Pre}(class, \at(i, Here)); @/
	    /@ assert busy_other: busy_one(class, \at(i, Here)) == busy_one{Pre}(class, \at(i, Here)) -
	         (source == i && class->zspages->inuse[source] == 0 ? 1 : 0); @/
	    /@ assert mixed_now: mixed_to(class, \at(i, Here) + 1) ==
	         mixed_to(class, \at(i, Here)) + mixed_one(class, \at(i, Here)); @/
	    /@ assert mixed_then: mixed_to{Pre}(class, \at(i, Here) + 1) ==
	         mixed_to{Pre}(class, \at(i, Here)) + mixed_one{Pre}(class, \at(i, Here)); @/
	    /@ assert mixed_other: mixed_one(class, \at(i, Here)) ==
	         mixed_one{Pre}(class, \at(i, Here)) -
	         (source == i && class->zspages->inuse[source] == 0 ? 1 : 0) -
	         (destination == i && class->zspages->inuse[destination] == class->capacity ? 1 : 0); @/
	  }
	*/
}

/* Puts a zspage back on the list of its group. */
/*@
#include "compact_ok.acsl"
    requires in_hand: compact_in_hand(class, z);
    terminates \true;
    assigns
#include "compact_links.acsl"
#include "compact_kept.acsl"
    ensures listed: class_listed(class, z);
    ensures others: class_others_list{Pre, Post}(class, z);
    ensures off: class_off(class) == \old(class_off(class)) - 1;
    ensures counts: compact_same_counters{Pre, Post}(class);
    ensures counted: compact_counted{Pre, Post}(class);
    ensures keeps: compact_same_keeps{Pre, Post}(class);
    ensures steady: compact_steady{Pre, Post}(class);
*/
static void give_back(struct zs_class *class, uint32_t z)
{
	/*@ assert positive: handles_positive(class->handles); */
	enter(class, z);
	/*@ assert same: compact_same{Pre, Here}(class); */
	/*@ assert bounds: class_bounds(class); */
	/*@ assert below: class->zspages->ring.list[z] < class->first_list + class->groups; */
	/*@ assert groups: class_groups(class); */
	/*@ assert ends: compact_groups(class); */
	/*@ assert sums: busy(class) == busy{Pre}(class) && mixed(class) == mixed{Pre}(class) &&
	      total(class) == total{Pre}(class); */
	/*@ assert home: compact_home(class); */
	/*@ assert waiting: class_waiting(class); */
	/*@ assert stack: handles_stack(class->handles, &class->free); */
	/*@ assert pieces: compact_pieces(class); */
	/*@ assert off: class_off(class) == class_off{Pre}(class) - 1; */
}

/* If a zspage that was put back is empty and not kept: off to the emptied ones. */
/*@
#include "compact_ok.acsl"
    requires record: class_record(class, z) && class_listed(class, z);
    requires off: 0 <= class_off(class);
    terminates \true;
    assigns class->held, class->allocated,
#include "compact_links.acsl"
#include "compact_kept.acsl"
    ensures home: !class_unlisted(class, z);
    ensures others: class_others_list{Pre, Post}(class, z);
    ensures off: class_off(class) == \old(class_off(class));
    ensures held: class->held == \old(class->held) - (class->zspages->inuse[z] == 0 &&
      class->zspages->pins[z] == 0 && class->zspages->locked[z] == 0 ? 1 : 0);
    ensures counts: class->moved == \old(class->moved) && class->copies == \old(class->copies);
    ensures counted: compact_counted{Pre, Post}(class);
    ensures keeps: compact_same_keeps{Pre, Post}(class);
    ensures steady: compact_steady{Pre, Post}(class);
*/
static void discard(struct zs_class *class, uint32_t z)
{
	/*@ assert at: class->zspages->ring.list[z] ==
	      class->first_list + class->group_of[class->zspages->inuse[z]]; */
	/*@ assert apart: compact_apart_counters(class); */
	/*@ assert moved: \separated(&class->moved, &class->held, &class->allocated); */
	class_discard(class, z);
	/*@ assert constant: class_constant{Pre, Here}(class); */
	/*@ assert counts: class->moved == \at(class->moved, Pre) &&
	      class->copies == \at(class->copies, Pre) && class->inuse == \at(class->inuse, Pre); */
	/*@ assert sums: busy(class) == busy{Pre}(class) && mixed(class) == mixed{Pre}(class); */
	/*@ assert ends: compact_groups(class); */
	/*@ assert home: compact_home(class); */
	/*@ assert place: class_placed(class, -1) || class->zspages->ring.list[z] ==
	      class->first_list + class->group_of[class->zspages->inuse[z]]; */
	/*@ assert placed: class_placed(class, -1); */
}

/* Puts a zspage back that was taken. Returns the pages of one that is empty. */
/*@
#include "compact_ok.acsl"
    requires in_hand: compact_in_hand(class, z);
    requires off: 1 <= class_off(class);
    terminates \true;
    assigns class->held, class->allocated,
#include "compact_links.acsl"
#include "compact_kept.acsl"
    ensures pages: \result == (class->zspages->inuse[z] == 0 ? class->pages : 0);
    ensures home: !class_unlisted(class, z);
    ensures listed: class->zspages->inuse[z] != 0 ==> class_listed(class, z);
    ensures others: class_others_list{Pre, Post}(class, z);
    ensures off: class_off(class) == \old(class_off(class)) - 1;
    ensures held: class->held == \old(class->held) - (class->zspages->inuse[z] == 0 &&
      class->zspages->pins[z] == 0 && class->zspages->locked[z] == 0 ? 1 : 0);
    ensures counts: class->moved == \old(class->moved) && class->copies == \old(class->copies);
    ensures counted: compact_counted{Pre, Post}(class);
    ensures keeps: compact_same_keeps{Pre, Post}(class);
    ensures steady: compact_steady{Pre, Post}(class);
*/
static uint64_t put_back(struct zs_class *class, uint32_t z)
{
	give_back(class, z);
	/*@ assert given: compact_same{Pre, Here}(class); */
	/*@ assert valid: class_valid(class) && class_sizes(class) && class_record(class, z); */
	if (class->zspages->inuse[z] != 0)
		return 0;
	discard(class, z);
	/*@ assert valid: class_valid(class); */
	return class->pages;
}

/* Fills one zspage after the other from the emptiest. Returns the pages freed. */
/*@
#include "compact_ok.acsl"
    requires taken: compact_taken(class, RING_NONE, RING_NONE) && class_off(class) == 0;
    requires countable: compact_countable(class);
    terminates \true;
    assigns
#include "compact_cells.acsl"
#include "compact_kept.acsl"
    ensures taken: compact_taken(class, RING_NONE, RING_NONE) && class_off(class) == 0;
    ensures freed: \result == multiple(\old(busy(class)) - busy(class), class->pages);
    ensures held: class->held <= \old(class->held);
    ensures keeps: compact_same_keeps{Pre, Post}(class);
    ensures end: \old(compact_idle(class)) ==> compact_idle(class) &&
      class->allocated - class->inuse < class->capacity;
*/
static uint64_t fill_destinations(struct zs_class *class, bool ranked)
{
	const uint16_t *inuse = class->zspages->inuse;
	uint32_t destination = RING_NONE;
	uint64_t freed = 0;
	/*@ ghost count(class, destination); */
	/*@ loop invariant memory: compact_memory(class);
	    loop invariant lists: compact_lists(class);
	    loop invariant objects: compact_objects(class);
	    loop invariant counters: compact_counters(class);
	    loop invariant same: compact_same{Pre, Here}(class);
	    loop invariant keeps: compact_same_keeps{Pre, Here}(class);
	    loop invariant stable: class_stable{Pre, Here}(class);
	    loop invariant dead: class_dead{Pre, Here}(class);
	    loop invariant destination: destination != RING_NONE ==>
	      compact_in_hand(class, destination) && 0 < inuse[destination] < class->capacity;
	    loop invariant taken: compact_taken(class, destination, RING_NONE);
	    loop invariant off: class_off(class) == (destination == RING_NONE ? 0 : 1);
	    loop invariant count: compact_count(class);
	    loop invariant counted: compact_counted{Pre, Here}(class);
	    loop invariant busy: busy(class) <= \at(busy(class), Pre);
	    loop invariant freed: freed == multiple(\at(busy(class), Pre) - busy(class), class->pages);
	    loop invariant held: class->held <= \at(class->held, Pre);
	    loop invariant idle: \at(compact_idle(class), Pre) ==> compact_idle(class);
	    loop assigns destination, freed,
#include "compact_cells.acsl"
	    loop variant mixed(class);
	*/
	while (compact_zspages(class) > 0) {
		if (destination == RING_NONE)
			destination = take(class, find_destination(class, ranked));
		if (destination == RING_NONE)
			break;
		uint32_t source = take(class, find_source(class, ranked));
		if (source == RING_NONE)
			break;
		drain(class, source, destination);
		freed += put_back(class, source);
		if (inuse[destination] == class->capacity) {
			put_back(class, destination);
			destination = RING_NONE;
		}
		/*@ ghost count(class, destination); */
	}
	if (destination != RING_NONE)
		put_back(class, destination);
	return freed;
}

/* Empties a source into the fullest zspages with room. Returns false if these run out. */
/*@
#include "compact_ok.acsl"
    requires source: compact_in_hand(class, source);
    requires taken: compact_taken(class, source, RING_NONE) && class_off(class) == 1;
    requires room: class->inuse <= class->allocated;
    requires countable: class->moved + ENTRY_SLOTS * mixed(class) <= UINT64_MAX &&
      class->copies + 3 * ENTRY_SLOTS * mixed(class) <= UINT64_MAX;
    requires mixed: 0 <= mixed(class);
    terminates \true;
    assigns
#include "compact_cells.acsl"
#include "compact_kept.acsl"
    ensures empty: \result <==> class->zspages->inuse[source] == 0;
    ensures source: compact_in_hand(class, source);
    ensures taken: compact_taken(class, source, RING_NONE) && class_off(class) == 1;
    ensures counted: compact_counted{Pre, Post}(class);
    ensures mixed: 0 <= mixed(class);
    ensures busy: busy(class) == \old(busy(class)) -
      (\old(class->zspages->inuse[source]) != 0 && class->zspages->inuse[source] == 0 ? 1 : 0);
    ensures held: class->held == \old(class->held);
    ensures keeps: compact_same_keeps{Pre, Post}(class);
    ensures full: !\result ==> compact_full_but(class, source);
*/
static bool empty(struct zs_class *class, uint32_t source)
{
	/*@ loop invariant memory: compact_memory(class);
	    loop invariant lists: compact_lists(class);
	    loop invariant objects: compact_objects(class);
	    loop invariant counters: compact_counters(class);
	    loop invariant same: compact_same{Pre, Here}(class);
	    loop invariant keeps: compact_same_keeps{Pre, Here}(class);
	    loop invariant stable: class_stable{Pre, Here}(class);
	    loop invariant dead: class_dead{Pre, Here}(class);
	    loop invariant source: compact_in_hand(class, source);
	    loop invariant taken: compact_taken(class, source, RING_NONE);
	    loop invariant off: class_off(class) == 1;
	    loop invariant counted: compact_counted{Pre, Here}(class);
	    loop invariant mixed: 0 <= mixed(class);
	    loop invariant busy: busy(class) == \at(busy(class), Pre) -
	      (\at(class->zspages->inuse[source], Pre) != 0 && class->zspages->inuse[source] == 0 ? 1 : 0);
	    loop invariant held: class->held == \at(class->held, Pre);
	    loop assigns
#include "compact_cells.acsl"
	    loop variant class->zspages->inuse[source];
	*/
	while (class->zspages->inuse[source] > 0) {
		uint32_t destination = take(class, find_destination(class, false));

		if (destination == RING_NONE)
			return false;
		drain(class, source, destination);
		put_back(class, destination);
	}
	return true;
}

/* Empties one zspage after the other. Returns the pages freed. */
/*@
#include "compact_ok.acsl"
    requires taken: compact_taken(class, RING_NONE, RING_NONE) && class_off(class) == 0;
    requires countable: compact_countable(class);
    terminates \true;
    assigns
#include "compact_cells.acsl"
#include "compact_kept.acsl"
    ensures taken: compact_taken(class, RING_NONE, RING_NONE) && class_off(class) == 0;
    ensures freed: \result == multiple(\old(busy(class)) - busy(class), class->pages);
    ensures held: class->held <= \old(class->held);
    ensures keeps: compact_same_keeps{Pre, Post}(class);
    ensures end: \old(compact_idle(class)) ==> compact_idle(class) &&
      class->allocated - class->inuse < class->capacity;
*/
static uint64_t empty_sources(struct zs_class *class)
{
	uint32_t source = take(class, find_source(class, false));
	uint64_t freed = 0;

	/*@ ghost count(class, source); */
	/*@ loop invariant memory: compact_memory(class);
	    loop invariant lists: compact_lists(class);
	    loop invariant objects: compact_objects(class);
	    loop invariant counters: compact_counters(class);
	    loop invariant same: compact_same{Pre, Here}(class);
	    loop invariant keeps: compact_same_keeps{Pre, Here}(class);
	    loop invariant stable: class_stable{Pre, Here}(class);
	    loop invariant dead: class_dead{Pre, Here}(class);
	    loop invariant source: source != RING_NONE ==>
	      compact_in_hand(class, source) && 0 < class->zspages->inuse[source] < class->capacity;
	    loop invariant taken: compact_taken(class, source, RING_NONE);
	    loop invariant off: class_off(class) == (source == RING_NONE ? 0 : 1);
	    loop invariant count: compact_count(class);
	    loop invariant counted: compact_counted{Pre, Here}(class);
	    loop invariant busy: busy(class) <= \at(busy(class), Pre);
	    loop invariant freed: freed == multiple(\at(busy(class), Pre) - busy(class), class->pages);
	    loop invariant held: class->held <= \at(class->held, Pre);
	    loop invariant idle: \at(compact_idle(class), Pre) ==> compact_idle(class);
	    loop invariant full: source == RING_NONE && compact_idle(class) ==>
	      compact_full_but(class, RING_NONE);
	    loop assigns source, freed,
#include "compact_cells.acsl"
	    loop variant busy(class);
	*/
	while (source != RING_NONE && compact_zspages(class) > 0 && empty(class, source)) {
		freed += put_back(class, source);
		source = take(class, find_source(class, false));
		/*@ ghost count(class, source); */
	}
	if (source != RING_NONE)
		put_back(class, source);
	return freed;
}

uint64_t compact(struct zs_class *class, uint32_t algorithm)
{
	return algorithm == ZS_SOURCE ? empty_sources(class)
				      : fill_destinations(class, algorithm == ZS_OPTIMAL);
}
