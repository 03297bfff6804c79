/* SPDX-License-Identifier: BSD-3-Clause */
#include "compact.h"
#include "slots.h"

/*@
#include "compact_steps.acsl"
*/

uint64_t compact_zspages(const struct zs_class *class)
{
	return (class->allocated - class->inuse) / class->capacity;
}

/*
 * For the proof alone: sums want induction, so loops. No more is in use than there are slots, and each
 * zspage with objects is held.
 */
/*@ ghost
  /@
#include "compact_ok.acsl"
     requires waiting: class_waiting(class, one, RING_NONE);
     requires one: one != RING_NONE ==> compact_taken(class, one);
     requires off: class_off(class) == (one == RING_NONE ? 0 : 1);
     terminates \true;
     assigns \nothing;
     ensures count: compact_count(class);
  @/
  void count(const struct zs_class *class, uint32_t one)
  {
    /@ loop invariant place: class->zspages->ring.heads <= i <= class->zspages->ring.records;
       loop invariant total: total_to(class, \at(i, Here)) <=
         times(busy_to(class, \at(i, Here)), class->capacity);
       loop invariant mixed: 0 <= mixed_to(class, \at(i, Here)) <= busy_to(class, \at(i, Here)) <=
         i - class->zspages->ring.heads;
       loop invariant busy: busy_to(class, \at(i, Here)) <=
         class_on_to(class, \at(i, Here)) + (one < i ? 1 : 0);
       loop assigns i;
       loop variant class->zspages->ring.records - i;
    @/
    for (uint64_t i = class->zspages->ring.heads; i < class->zspages->ring.records; i++) {
      /@ assert more: times(busy_to(class, \at(i, Here)) + 1, class->capacity) ==
           times(busy_to(class, \at(i, Here)), class->capacity) + class->capacity; @/
      /@ assert step: busy_to(class, \at(i, Here) + 1) == busy_to(class, \at(i, Here)) +
           busy_one(class, \at(i, Here)); @/
      /@ assert product: times(busy_to(class, \at(i, Here) + 1), class->capacity) ==
           times(busy_to(class, \at(i, Here)), class->capacity) +
           (busy_one(class, \at(i, Here)) == 1 ? class->capacity : 0); @/
      /@ assert sum: total_to(class, \at(i, Here) + 1) == total_to(class, \at(i, Here)) +
           (class->zspages->class_of[i] == class->number ? class->zspages->inuse[i] : 0); @/
    }
    /@ assert fits: times(busy(class), class->capacity) <= times(class->held, class->capacity); @/
  }
*/

/* If all zspages with objects are full but one, fewer slots are unused than one has. */
/*@ ghost
  /@
#include "compact_ok.acsl"
     requires one: one != RING_NONE ==> class_record(class, one);
     terminates \true;
     assigns \nothing;
     ensures full: compact_idle(class) && compact_full_but(class, one) &&
       (one != RING_NONE ==> 0 < class->zspages->inuse[one]) ==>
         class->allocated - class->inuse < class->capacity;
  @/
  void full(const struct zs_class *class, uint32_t one)
  {
    /@ loop invariant place: class->zspages->ring.heads <= i <= class->zspages->ring.records;
       loop invariant total: compact_full_but(class, one) &&
         (one != RING_NONE ==> 0 < class->zspages->inuse[one]) ==> total_to(class, \at(i, Here)) ==
         times(busy_to(class, \at(i, Here)), class->capacity) -
         (one < i ? class->capacity - class->zspages->inuse[one] : 0);
       loop assigns i;
       loop variant class->zspages->ring.records - i;
    @/
    for (uint64_t i = class->zspages->ring.heads; i < class->zspages->ring.records; i++) {
      /@ assert more: times(busy_to(class, \at(i, Here)) + 1, class->capacity) ==
           times(busy_to(class, \at(i, Here)), class->capacity) + class->capacity; @/
      /@ assert step: busy_to(class, \at(i, Here) + 1) == busy_to(class, \at(i, Here)) +
           busy_one(class, \at(i, Here)); @/
      /@ assert product: times(busy_to(class, \at(i, Here) + 1), class->capacity) ==
           times(busy_to(class, \at(i, Here)), class->capacity) +
           (busy_one(class, \at(i, Here)) == 1 ? class->capacity : 0); @/
      /@ assert sum: total_to(class, \at(i, Here) + 1) == total_to(class, \at(i, Here)) +
           (class->zspages->class_of[i] == class->number ? class->zspages->inuse[i] : 0); @/
    }
  }
*/

/* ---- moving --------------------------------------------------------------------------------- */

/* Moves the object of a slot, if it has one. */
/*@ requires memory: class_memory(class) && compact_apart(class);
    requires objects: class_objects(class) && class_table(class);
    requires counters: class_used(class) && class_room(class);
    requires source: class_record(class, source) && slot < class->capacity;
    requires destination: class_record(class, destination) && source != destination &&
      0 < class->zspages->inuse[destination] < class->capacity;
    requires room: class->moved < INT64_MAX && class->copies <= INT64_MAX - 3;
    terminates \true;
    assigns
#include "compact_moved.acsl"
#include "compact_objects.acsl"
#include "compact_still.acsl"
    ensures live: \forall integer s; 0 <= s < class->capacity ==>
      (class_live(class, source, s) <==> \old(class_live(class, source, s)) && s != slot);
    ensures moved: class->moved == \old(class->moved) + \old(compact_lives(class, source, slot));
    ensures less: class->zspages->inuse[source] ==
      \old(class->zspages->inuse[source]) - (class->moved - \old(class->moved));
    ensures more: class->zspages->inuse[destination] ==
      \old(class->zspages->inuse[destination]) + (class->moved - \old(class->moved));
    ensures copies: 0 <= class->copies - \old(class->copies) <=
      3 * (class->moved - \old(class->moved));
*/
static void move(struct zs_class *class, uint32_t source, uint32_t slot, uint32_t destination)
{
	const struct zspages *all = class->zspages;

	/*@ assert there: all->slot_row[source] + class->capacity <= all->slots_max; */
	/*@ assert row: slots_row(all->at + all->slot_row[source], all->pos + all->slot_row[source],
	      class->capacity); */
	/*@ assert pos: slots_pos(all->at + all->slot_row[source], all->pos + all->slot_row[source],
	      class->capacity); */
	/*@ assert position: slots_in_row(all->pos + all->slot_row[source], class->capacity, slot); */
	/*@ assert read: \valid_read((all->pos + all->slot_row[source]) + slot); */
	/*@ assert zero: 0 <= (all->pos + all->slot_row[source])[slot]; */
	/*@ assert live: slots_in_use(all->pos + all->slot_row[source], all->inuse[source], slot) <==>
	      live_at(all->pos, all->slot_row[source] + slot, all->inuse[source]); */
	if (!slots_live(all->pos + all->slot_row[source], all->inuse[source], slot))
		return;
	place_move(class, source, slot, destination);
	/*@ assert apart: class_apart_links(class) && class_apart_rows(class) &&
	      class_apart_number(class) && class_apart_inuse(class); */
	/*@ assert words: class_apart_bits(class) && class_apart_entry(class) &&
	      class_apart_entries(class) && class_apart_owner(class); */
	/*@ assert slots: class_apart_slots(class) && class_apart_tables(class) &&
	      class_apart_pages(class); */
	/*@ assert lists: class_apart_lists(class) && class_apart_constants(class); */
	/*@ assert made: class_apart_given(class) && class_apart_made(class); */
	/*@ assert columns: class_same_columns{Pre, Here}(class); */
	/*@ assert marks: class_same_marks{Pre, Here}(class); */
	/*@ assert steady: class_steady{Pre, Here}(class); */
	/*@ assert counters: class->inuse == \at(class->inuse, Pre) &&
	      class->compacted == \at(class->compacted, Pre) &&
	      class->retired == \at(class->retired, Pre); */
}

/* A zspage with objects has one behind those slots that have none: the owner of its first. */
/*@ ghost
  /@ requires memory: class_memory(class);
     requires objects: class_objects(class);
     requires record: class_record(class, z) && 0 < class->zspages->inuse[z];
     requires passed: slot <= class->capacity &&
       \forall integer s; 0 <= s < slot ==> !class_live(class, z, s);
     terminates \true;
     assigns \nothing;
     ensures more: slot < class->capacity;
  @/
  void some(const struct zs_class *class, uint32_t z, uint32_t slot)
  {
    /@ assert at: slots_at(class->zspages->at + class->zspages->slot_row[z],
         class->zspages->pos + class->zspages->slot_row[z], class->capacity); @/
    /@ assert first: slots_in_row(class->zspages->at + class->zspages->slot_row[z],
         class->capacity, 0); @/
    /@ assert used: slots_in_use(class->zspages->pos + class->zspages->slot_row[z],
         class->zspages->inuse[z], (class->zspages->at + class->zspages->slot_row[z])[0]); @/
    /@ assert live: live_at(class->zspages->pos, class->zspages->slot_row[z] +
         (class->zspages->at + class->zspages->slot_row[z])[0], class->zspages->inuse[z]); @/
    /@ assert some: \let s = (class->zspages->at + class->zspages->slot_row[z])[0];
         class_live(class, z, s) && 0 <= s < class->capacity; @/
  }
*/

/* Moves objects, ascending slots, until the source is empty or the destination full. */
/*@
#include "compact_ok.acsl"
    requires source: compact_taken(class, source) &&
      0 < class->zspages->inuse[source] < class->capacity;
    requires destination: compact_taken(class, destination) && source != destination &&
      0 < class->zspages->inuse[destination] < class->capacity;
    requires room: class->moved <= INT64_MAX - ENTRY_SLOTS &&
      class->copies <= INT64_MAX - 3 * ENTRY_SLOTS;
    terminates \true;
    assigns
#include "compact_moved.acsl"
#include "compact_kept.acsl"
#include "compact_still.acsl"
    ensures less: class->zspages->inuse[source] ==
      \old(class->zspages->inuse[source]) - (class->moved - \old(class->moved));
    ensures more: class->zspages->inuse[destination] ==
      \old(class->zspages->inuse[destination]) + (class->moved - \old(class->moved));
    ensures copies: 0 <= class->copies - \old(class->copies) <=
      3 * (class->moved - \old(class->moved));
    ensures end: class->zspages->inuse[source] == 0 ||
      class->zspages->inuse[destination] == class->capacity;
    ensures moved: \old(class->moved) < class->moved;
    ensures range: 0 < class->zspages->inuse[destination] <= class->capacity;
    ensures taken: compact_taken(class, source) && compact_taken(class, destination);
    ensures waiting: \old(class_waiting(class, destination, source)) ==>
      class_waiting(class, destination, source);
    ensures off: class_off(class) == \old(class_off(class));
    ensures busy: busy(class) == \old(busy(class)) - (class->zspages->inuse[source] == 0 ? 1 : 0);
    ensures mixed: mixed(class) == \old(mixed(class)) -
      (class->zspages->inuse[source] == 0 ? 1 : 0) -
      (class->zspages->inuse[destination] == class->capacity ? 1 : 0);
*/
static void drain(struct zs_class *class, uint32_t source, uint32_t destination)
{
	const uint16_t *inuse = class->zspages->inuse;

	/*@ loop invariant memory: class_memory(class) && compact_apart(class);
	    loop invariant objects: class_objects(class) && class_table(class);
	    loop invariant counters: class_used(class) && class_room(class);
	    loop invariant step: compact_step{Pre, Here}(class);
	    loop invariant held: class->held == \at(class->held, Pre) &&
	      class->allocated == \at(class->allocated, Pre);
	    loop invariant same_lists: class_same_lists{Pre, Here}(class);
	    loop invariant halves: class_halves_but{Pre, Here}(class, source, destination);
	    loop invariant words: class_same_words{Pre, Here}(class);
	    loop invariant slot: 0 <= slot <= class->capacity;
	    loop invariant passed: \forall integer s; 0 <= s < slot ==> !class_live(class, source, s);
	    loop invariant less: inuse[source] ==
	      \at(class->zspages->inuse[source], Pre) - (class->moved - \at(class->moved, Pre));
	    loop invariant more: inuse[destination] ==
	      \at(class->zspages->inuse[destination], Pre) + (class->moved - \at(class->moved, Pre));
	    loop invariant copies: 0 <= class->copies - \at(class->copies, Pre) <=
	      3 * (class->moved - \at(class->moved, Pre));
	    loop invariant moved: \at(class->moved, Pre) <= class->moved;
	    loop invariant range: inuse[destination] <= class->capacity;
	    loop assigns slot,
#include "compact_moved.acsl"
	    loop variant class->capacity - slot;
	*/
	for (uint32_t slot = 0; inuse[source] > 0 && inuse[destination] < class->capacity; slot++) {
		/*@ ghost some(class, source, slot); */
		move(class, source, slot, destination);
	}
	/*@ assert columns: class_same_columns{Pre, Here}(class); */
	/*@ assert still: ring_still{Pre, Here}(&class->zspages->ring); */
	/*@ assert groups: class_same_groups{Pre, Here}(class); */

	/*@ ghost
	  /@ loop invariant place: class->zspages->ring.heads <= i <= class->zspages->ring.records;
	     loop invariant tally: \forall integer h; ring_tally(class->zspages->ring.list, h,
	         class->zspages->ring.heads, \at(i, Here)) ==
	       ring_tally{Pre}(\at(class->zspages->ring.list, Pre), h,
	         \at(class->zspages->ring.heads, Pre), \at(i, Here));
	     loop invariant on: class_on_to(class, \at(i, Here)) == class_on_to{Pre}(class, \at(i, Here));
	     loop invariant busy: busy_to(class, \at(i, Here)) == busy_to{Pre}(class, \at(i, Here)) -
	       (source < i && inuse[source] == 0 ? 1 : 0);
	     loop invariant mixed: mixed_to(class, \at(i, Here)) == mixed_to{Pre}(class, \at(i, Here)) -
	       (source < i && inuse[source] == 0 ? 1 : 0) -
	       (destination < i && inuse[destination] == class->capacity ? 1 : 0);
	     loop assigns i;
	     loop variant class->zspages->ring.records - i;
	  @/
	  for (uint64_t i = class->zspages->ring.heads; i < class->zspages->ring.records; i++) {
	    /@ assert busy_now: busy_to(class, \at(i, Here) + 1) ==
	         busy_to(class, \at(i, Here)) + busy_one(class, \at(i, Here)); @/
	    /@ assert busy_then: busy_to{Pre}(class, \at(i, Here) + 1) ==
	         busy_to{Pre}(class, \at(i, Here)) + busy_one{Pre}(class, \at(i, Here)); @/
	    /@ assert busy_other: busy_one(class, \at(i, Here)) ==
	         busy_one{Pre}(class, \at(i, Here)) -
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
	/*@ assert tallies: ring_same_tallies{Pre, Here}(&class->zspages->ring); */
	/*@ assert counts: ring_counts(&class->zspages->ring); */
	/*@ assert columns_still: ring_columns(&class->zspages->ring, class->zspages->ring.records); */
	/*@ assert range: ring_lists(&class->zspages->ring) && ring_heads(&class->zspages->ring) &&
	      ring_range(&class->zspages->ring); */
	/*@ assert links: ring_next_prev(&class->zspages->ring) &&
	      ring_prev_next(&class->zspages->ring); */
	/*@ assert on: ring_next_list(&class->zspages->ring) &&
	      ring_prev_list(&class->zspages->ring); */
	/*@ assert round: ring_round(&class->zspages->ring); */
	/*@ assert ring: ring_ok(&class->zspages->ring); */
	/*@ assert same: class_same{Pre, Here}(class) && class_same_marks{Pre, Here}(class); */
	/*@ assert bits: class_same_bits{Pre, Here}(class); */
	/*@ assert firsts: class_same_firsts{Pre, Here}(class); */
	/*@ assert occupied: class_occupied(class, -1); */
	/*@ assert listed: class_same_listed{Pre, Here}(class); */
	/*@ assert had: class_own_lists{Pre}(class) && class_sizes{Pre}(class) && class_bounds{Pre}(class) &&
	      class_placed{Pre}(class, -1) && 0 <= \at(class->zspages->ring.heads, Pre) &&
	      0 <= \at(class->first_list, Pre); */
	/*@ assert own: class_own_lists(class); */
	/*@ assert placed: class_placed(class, -1); */
}

/* Puts a drained source back. Returns the pages of one that is empty. */
/*@
#include "compact_ok.acsl"
    requires taken: compact_taken(class, source);
    requires off: 1 <= class_off(class);
    terminates \true;
    assigns class->held, class->allocated,
#include "held_cells.acsl"
#include "compact_kept.acsl"
#include "compact_listed.acsl"
    ensures pages: \result == (class->zspages->inuse[source] == 0 ? class->pages : 0);
    ensures off: class_off(class) == \old(class_off(class)) - 1;
    ensures held: class->held == \old(class->held) - (class->zspages->inuse[source] == 0 &&
      class->zspages->pins[source] == 0 && class->zspages->locked[source] == 0 ? 1 : 0);
    ensures unused: class->zspages->inuse[source] != 0 ==>
      class->allocated == \old(class->allocated);
    ensures waiting: \forall integer one; \old(class_waiting(class, one, source)) ==>
      class_waiting(class, one, RING_NONE);
    ensures taken: \forall integer one; one != source && \old(compact_taken(class, one)) ==>
      compact_taken(class, one);
*/
static uint64_t put_back(struct zs_class *class, uint32_t source)
{
	held_put(class, source);
	/*@ assert step: compact_step{Pre, Here}(class); */
	/*@ assert placed: class_placed(class, -1); */
	/*@ assert sums: busy(class) == busy{Pre}(class) && mixed(class) == mixed{Pre}(class); */
	if (class->zspages->inuse[source] != 0)
		return 0;
	/*@ ghost Put: ; */
	held_discard(class, source);
	/*@ assert discarded: compact_step{Put, Here}(class); */
	return class->pages;
}

/* Empties a source into a destination as far as it has room. Returns the pages if that's all. */
/*@
#include "compact_ok.acsl"
    requires destination: compact_taken(class, destination) &&
      0 < class->zspages->inuse[destination] < class->capacity;
    requires waiting: class_waiting(class, destination, RING_NONE) && class_off(class) == 1;
    requires source: choose_partial(class, source) && class->zspages->pins[source] == 0;
    requires countable: compact_countable(class) && compact_count(class);
    terminates \true;
    assigns
#include "compact_cells.acsl"
#include "compact_kept.acsl"
#include "compact_freed.acsl"
    ensures destination: compact_taken(class, destination) &&
      0 < class->zspages->inuse[destination] <= class->capacity;
    ensures waiting: class_waiting(class, destination, RING_NONE) && class_off(class) == 1;
    ensures less: mixed(class) < \old(mixed(class));
    ensures one: \old(busy(class)) - busy(class) <= 1;
*/
static uint64_t spill(struct zs_class *class, uint32_t source, uint32_t destination)
{
	held_take(class, source);
	/*@ assert took: compact_step{Pre, Here}(class); */
	/*@ assert groups: choose_groups(class); */
	/*@ assert sums: busy(class) == \at(busy(class), Pre) && mixed(class) == \at(mixed(class), Pre); */
	/*@ assert other: source != destination; */
	/*@ assert on: class->zspages->ring.list[destination] ==
	      \at(class->zspages->ring.list[destination], Pre); */
	/*@ assert record: class_record(class, destination); */
	/*@ assert hand: compact_taken(class, destination); */
	/*@ assert moves: class->moved == \at(class->moved, Pre) &&
	      class->copies == \at(class->copies, Pre); */
	/*@ assert waiting: class_waiting(class, destination, source); */
	drain(class, source, destination);
	/*@ assert step: compact_step{Pre, Here}(class); */
	/*@ assert paid: compact_paid{Pre, Here}(class); */
	/*@ assert size: class->zspages->ring.records == \at(class->zspages->ring.records, Pre) &&
	      class->zspages->ring.heads == \at(class->zspages->ring.heads, Pre); */
	/*@ assert free: compact_idle{Pre}(class) ==> compact_free(class); */
	/*@ assert unkept: compact_idle{Pre}(class) ==>
	      class->zspages->pins[source] == 0 && class->zspages->locked[source] == 0; */
	/*@ assert spent: times(busy{Pre}(class) - busy(class), class->pages) ==
	      (class->zspages->inuse[source] == 0 ? class->pages : 0); */
	/*@ assert held: compact_idle{Pre}(class) ==>
	      class->held == busy(class) + (class->zspages->inuse[source] == 0 ? 1 : 0); */
	return put_back(class, source);
}

/* ---- algorithms ----------------------------------------------------------------------------- */

/* Fills a destination from the emptiest zspages. Returns the pages freed. */
/*@
#include "compact_ok.acsl"
    requires destination: compact_taken(class, destination) &&
      0 < class->zspages->inuse[destination] < class->capacity;
    requires waiting: class_waiting(class, destination, RING_NONE) && class_off(class) == 1;
    requires countable: compact_countable(class);
    terminates \true;
    assigns
#include "compact_cells.acsl"
#include "compact_kept.acsl"
#include "compact_freed.acsl"
    ensures destination: compact_taken(class, destination) &&
      0 < class->zspages->inuse[destination] <= class->capacity;
    ensures waiting: class_waiting(class, destination, RING_NONE) && class_off(class) == 1;
    ensures less: class->zspages->inuse[destination] < class->capacity ||
      mixed(class) < \old(mixed(class));
    ensures end: class->zspages->inuse[destination] < class->capacity ==>
      class->allocated - class->inuse < class->capacity || compact_no_source(class);
    ensures some: 0 <= busy(class);
*/
static uint64_t fill(struct zs_class *class, uint32_t destination, bool ranked)
{
	uint64_t freed = 0;

	/*@ ghost count(class, destination); */
	/*@
#include "compact_loop.acsl"
	    loop invariant destination: compact_taken(class, destination) &&
	      0 < class->zspages->inuse[destination] <= class->capacity;
	    loop invariant waiting: class_waiting(class, destination, RING_NONE) &&
	      class_off(class) == 1;
	    loop invariant less: class->zspages->inuse[destination] < class->capacity ||
	      mixed(class) < \at(mixed(class), Pre);
	    loop assigns freed,
#include "compact_cells.acsl"
	    loop variant mixed(class);
	*/
	while (class->zspages->inuse[destination] < class->capacity && compact_zspages(class) > 0) {
		uint32_t source = choose_source(class, ranked);

		if (source == RING_NONE)
			break;
		/*@ ghost Chosen: ; */
		freed += spill(class, source, destination);
		/*@ assert less: mixed(class) < \at(mixed(class), Chosen); */
		/*@ ghost count(class, destination); */
	}
	return freed;
}

/* Fills a destination, which is taken meanwhile. Returns the pages freed. */
/*@
#include "compact_ok.acsl"
    requires destination: choose_partial(class, destination);
    requires waiting: class_waiting(class, RING_NONE, RING_NONE) && class_off(class) == 0;
    requires countable: compact_countable(class);
    terminates \true;
    assigns
#include "compact_cells.acsl"
#include "compact_kept.acsl"
#include "compact_freed.acsl"
    ensures waiting: class_waiting(class, RING_NONE, RING_NONE) && class_off(class) == 0;
    ensures less: class->zspages->inuse[destination] < class->capacity ||
      mixed(class) < \old(mixed(class));
    ensures end: \old(compact_idle(class)) &&
      class->zspages->inuse[destination] < class->capacity ==>
        class->allocated - class->inuse < class->capacity;
    ensures some: 0 <= busy(class);
*/
static uint64_t refill(struct zs_class *class, uint32_t destination, bool ranked)
{
	held_take(class, destination);
	/*@ assert took: compact_step{Pre, Here}(class); */
	/*@ assert groups: choose_groups(class); */
	/*@ assert sums: busy(class) == \at(busy(class), Pre) && mixed(class) == \at(mixed(class), Pre); */
	/*@ assert moves: class->moved == \at(class->moved, Pre) &&
	      class->copies == \at(class->copies, Pre); */
	/*@ assert waiting: class_waiting(class, destination, RING_NONE); */
	/*@ assert idle: \at(compact_idle(class), Pre) ==> compact_idle(class); */
	uint64_t freed = fill(class, destination, ranked);
	/*@ ghost full(class, destination); */
	/*@ assert end: compact_idle(class) && class->zspages->inuse[destination] < class->capacity ==>
	      class->allocated - class->inuse < class->capacity; */
	/*@ assert step: compact_step{Pre, Here}(class); */
	/*@ assert size: class->zspages->ring.records == \at(class->zspages->ring.records, Pre) &&
	      class->zspages->ring.heads == \at(class->zspages->ring.heads, Pre); */
	/*@ assert pages: class->pages == \at(class->pages, Pre); */
	/*@ assert swapped: class_waiting(class, RING_NONE, destination); */
	/*@ assert placed: class_placed(class, destination); */
	/*@ assert lists: class_lists(class, destination); */
	/*@ ghost Filled: ; */
	held_put(class, destination);
	/*@ assert put: compact_step{Filled, Here}(class); */
	/*@ assert put_groups: choose_groups(class); */
	/*@ assert put_size: class->zspages->ring.records == \at(class->zspages->ring.records, Filled) &&
	      class->zspages->ring.heads == \at(class->zspages->ring.heads, Filled) &&
	      class->capacity == \at(class->capacity, Filled) &&
	      class->number == \at(class->number, Filled); */
	/*@ assert put_busy: busy(class) == \at(busy(class), Filled); */
	/*@ assert put_mixed: mixed(class) == \at(mixed(class), Filled); */
	/*@ assert put_moves: class->moved == \at(class->moved, Filled) &&
	      class->copies == \at(class->copies, Filled); */
	/*@ assert put_waiting: class_waiting(class, RING_NONE, RING_NONE); */
	/*@ assert put_off: class_off(class) == 0; */
	return freed;
}

/* Fills one zspage after the other. Returns the pages freed. */
/*@
#include "compact_ok.acsl"
    requires waiting: class_waiting(class, RING_NONE, RING_NONE) && class_off(class) == 0;
    requires countable: compact_countable(class);
    terminates \true;
    assigns
#include "compact_cells.acsl"
#include "compact_kept.acsl"
#include "compact_freed.acsl"
    ensures waiting: class_waiting(class, RING_NONE, RING_NONE) && class_off(class) == 0;
    ensures end: \old(compact_idle(class)) ==> class->allocated - class->inuse < class->capacity;
    ensures some: 0 <= busy(class);
*/
static uint64_t fill_destinations(struct zs_class *class, bool ranked)
{
	uint64_t freed = 0;

	/*@ ghost count(class, RING_NONE); */
	/*@ ghost full(class, RING_NONE); */
	/*@
#include "compact_loop.acsl"
	    loop invariant waiting: class_waiting(class, RING_NONE, RING_NONE) &&
	      class_off(class) == 0;
	    loop invariant full: compact_idle(class) && compact_full_but(class, RING_NONE) ==>
	      class->allocated - class->inuse < class->capacity;
	    loop assigns freed,
#include "compact_cells.acsl"
	    loop variant mixed(class);
	*/
	while (compact_zspages(class) > 0) {
		uint32_t destination = choose_destination(class, ranked);

		if (destination == RING_NONE)
			break;
		freed += refill(class, destination, ranked);
		if (class->zspages->inuse[destination] < class->capacity)
			break;
		/*@ ghost count(class, RING_NONE); */
		/*@ ghost full(class, RING_NONE); */
	}
	return freed;
}

/* Moves what fits from a source to a destination, which is taken meanwhile. */
/*@
#include "compact_ok.acsl"
    requires source: compact_taken(class, source) &&
      0 < class->zspages->inuse[source] < class->capacity;
    requires waiting: class_waiting(class, source, RING_NONE) && class_off(class) == 1;
    requires destination: choose_partial(class, destination);
    requires countable: compact_countable(class) && compact_count(class);
    terminates \true;
    assigns
#include "compact_cells.acsl"
#include "compact_kept.acsl"
    ensures source: compact_taken(class, source) &&
      class->zspages->inuse[source] < \old(class->zspages->inuse[source]);
    ensures waiting: class_waiting(class, source, RING_NONE) && class_off(class) == 1;
    ensures paid: compact_paid{Pre, Post}(class);
    ensures busy: busy(class) == \old(busy(class)) - (class->zspages->inuse[source] == 0 ? 1 : 0);
    ensures held: class->held == \old(class->held) && class->allocated == \old(class->allocated);
*/
static void pour(struct zs_class *class, uint32_t source, uint32_t destination)
{
	held_take(class, destination);
	/*@ assert took: compact_step{Pre, Here}(class); */
	/*@ assert groups: choose_groups(class); */
	/*@ assert sums: busy(class) == \at(busy(class), Pre) && mixed(class) == \at(mixed(class), Pre); */
	/*@ assert other: source != destination; */
	/*@ assert on: class->zspages->ring.list[source] ==
	      \at(class->zspages->ring.list[source], Pre); */
	/*@ assert record: class_record(class, source); */
	/*@ assert hand: compact_taken(class, source); */
	/*@ assert moves: class->moved == \at(class->moved, Pre) &&
	      class->copies == \at(class->copies, Pre); */
	/*@ assert waiting: class_waiting(class, destination, source); */
	drain(class, source, destination);
	/*@ assert step: compact_step{Pre, Here}(class); */
	/*@ assert paid: compact_paid{Pre, Here}(class); */
	/*@ assert busy: busy(class) ==
	      \at(busy(class), Pre) - (class->zspages->inuse[source] == 0 ? 1 : 0); */
	/*@ assert size: class->zspages->ring.records == \at(class->zspages->ring.records, Pre) &&
	      class->zspages->ring.heads == \at(class->zspages->ring.heads, Pre); */
	/*@ assert held: class->held == \at(class->held, Pre) &&
	      class->allocated == \at(class->allocated, Pre); */
	/*@ assert still: class_waiting(class, source, destination); */
	/*@ ghost Drained: ; */
	held_put(class, destination);
	/*@ assert put_on: class->zspages->ring.list[source] ==
	      \at(class->zspages->ring.list[source], Drained); */
	/*@ assert put_record: class_record(class, source); */
	/*@ assert put_taken: compact_taken(class, source); */
	/*@ assert put_less: class->zspages->inuse[source] <
	      \at(class->zspages->inuse[source], Pre); */
	/*@ assert put: compact_step{Drained, Here}(class); */
	/*@ assert put_groups: choose_groups(class); */
	/*@ assert put_sums: busy(class) == \at(busy(class), Drained) &&
	      mixed(class) == \at(mixed(class), Drained); */
	/*@ assert put_moves: class->moved == \at(class->moved, Drained) &&
	      class->copies == \at(class->copies, Drained); */
}

/* Empties a source into the fullest zspages, until these run out. */
/*@
#include "compact_ok.acsl"
    requires source: compact_taken(class, source) &&
      0 < class->zspages->inuse[source] < class->capacity;
    requires waiting: class_waiting(class, source, RING_NONE) && class_off(class) == 1;
    requires countable: compact_countable(class);
    terminates \true;
    assigns
#include "compact_cells.acsl"
#include "compact_kept.acsl"
    ensures source: compact_taken(class, source) &&
      class->zspages->inuse[source] < class->capacity;
    ensures waiting: class_waiting(class, source, RING_NONE) && class_off(class) == 1;
    ensures paid: compact_paid{Pre, Post}(class);
    ensures busy: busy(class) == \old(busy(class)) - (class->zspages->inuse[source] == 0 ? 1 : 0);
    ensures held: class->held == \old(class->held) && class->allocated == \old(class->allocated);
    ensures end: class->zspages->inuse[source] == 0 ||
      \forall integer z; !choose_partial(class, z);
*/
static void empty(struct zs_class *class, uint32_t source)
{
	/*@ loop invariant memory: class_memory(class) && compact_apart(class);
	    loop invariant lists: class_lists(class, -1) && choose_groups(class);
	    loop invariant objects: class_objects(class) && class_table(class);
	    loop invariant counters: class_used(class) && class_room(class);
	    loop invariant step: compact_step{Pre, Here}(class);
	    loop invariant paid: compact_paid{Pre, Here}(class);
	    loop invariant size: class->zspages->ring.records == \at(class->zspages->ring.records, Pre) &&
	      class->zspages->ring.heads == \at(class->zspages->ring.heads, Pre) &&
	      class->groups == \at(class->groups, Pre);
	    loop invariant read: \valid_read(class->zspages->inuse + source);
	    loop invariant source: compact_taken(class, source) &&
	      class->zspages->inuse[source] < class->capacity;
	    loop invariant waiting: class_waiting(class, source, RING_NONE) && class_off(class) == 1;
	    loop invariant busy: busy(class) ==
	      \at(busy(class), Pre) - (class->zspages->inuse[source] == 0 ? 1 : 0);
	    loop invariant held: class->held == \at(class->held, Pre) &&
	      class->allocated == \at(class->allocated, Pre);
	    loop assigns
#include "compact_cells.acsl"
	    loop variant class->zspages->inuse[source];
	*/
	while (class->zspages->inuse[source] > 0) {
		uint32_t destination = choose_destination(class, false);

		if (destination == RING_NONE)
			break;
		/*@ ghost count(class, source); */
		pour(class, source, destination);
		/*@ assert step: compact_step{Pre, Here}(class); */
		/*@ assert source: compact_taken(class, source); */
	}
}

/* Empties a zspage into others, as far as they have room; it is taken meanwhile. Returns its pages. */
/*@
#include "compact_ok.acsl"
    requires source: choose_partial(class, source) && class->zspages->pins[source] == 0;
    requires waiting: class_waiting(class, RING_NONE, RING_NONE) && class_off(class) == 0;
    requires countable: compact_countable(class);
    requires count: compact_count(class);
    terminates \true;
    assigns
#include "compact_cells.acsl"
#include "compact_kept.acsl"
#include "compact_freed.acsl"
    ensures waiting: class_waiting(class, RING_NONE, RING_NONE) && class_off(class) == 0;
    ensures one: busy(class) == \old(busy(class)) - (class->zspages->inuse[source] == 0 ? 1 : 0);
    ensures end: \old(compact_idle(class)) && class->zspages->inuse[source] != 0 ==>
      class->allocated - class->inuse < class->capacity;
*/
static uint64_t empty_source(struct zs_class *class, uint32_t source)
{
	held_take(class, source);
	/*@ assert took: compact_step{Pre, Here}(class); */
	/*@ assert groups: choose_groups(class); */
	/*@ assert took_size: class->zspages->ring.records == \at(class->zspages->ring.records, Pre) &&
	      class->zspages->ring.heads == \at(class->zspages->ring.heads, Pre); */
	/*@ assert sums: busy(class) == \at(busy(class), Pre) && mixed(class) == \at(mixed(class), Pre); */
	/*@ assert moves: class->moved == \at(class->moved, Pre) &&
	      class->copies == \at(class->copies, Pre); */
	/*@ assert waiting: class_waiting(class, source, RING_NONE); */
	if (compact_zspages(class) > 0)
		empty(class, source);
	/*@ assert step: compact_step{Pre, Here}(class); */
	/*@ assert paid: compact_paid{Pre, Here}(class); */
	/*@ assert size: class->zspages->ring.records == \at(class->zspages->ring.records, Pre) &&
	      class->zspages->ring.heads == \at(class->zspages->ring.heads, Pre); */
	/*@ assert held: class->held == \at(class->held, Pre) &&
	      class->allocated == \at(class->allocated, Pre); */
	/*@ assert free: compact_idle{Pre}(class) ==> compact_free(class); */
	/*@ assert unkept: compact_idle{Pre}(class) ==>
	      class->zspages->pins[source] == 0 && class->zspages->locked[source] == 0; */
	/*@ ghost full(class, source); */
	/*@ assert end: compact_idle{Pre}(class) && class->zspages->inuse[source] != 0 ==>
	      class->allocated - class->inuse < class->capacity; */
	/*@ assert spent: times(busy{Pre}(class) - busy(class), class->pages) ==
	      (class->zspages->inuse[source] == 0 ? class->pages : 0); */
	/*@ assert swapped: class_waiting(class, RING_NONE, source); */
	return put_back(class, source);
}

/* Empties one zspage after the other. Returns the pages freed. */
/*@
#include "compact_ok.acsl"
    requires waiting: class_waiting(class, RING_NONE, RING_NONE) && class_off(class) == 0;
    requires countable: compact_countable(class);
    terminates \true;
    assigns
#include "compact_cells.acsl"
#include "compact_kept.acsl"
#include "compact_freed.acsl"
    ensures waiting: class_waiting(class, RING_NONE, RING_NONE) && class_off(class) == 0;
    ensures end: \old(compact_idle(class)) ==> class->allocated - class->inuse < class->capacity;
    ensures some: 0 <= busy(class);
*/
static uint64_t empty_sources(struct zs_class *class)
{
	uint64_t freed = 0;

	/*@ ghost count(class, RING_NONE); */
	/*@ ghost full(class, RING_NONE); */
	/*@
#include "compact_loop.acsl"
	    loop invariant waiting: class_waiting(class, RING_NONE, RING_NONE) &&
	      class_off(class) == 0;
	    loop invariant full: compact_idle(class) && compact_full_but(class, RING_NONE) ==>
	      class->allocated - class->inuse < class->capacity;
	    loop assigns freed,
#include "compact_cells.acsl"
	    loop variant busy(class);
	*/
	for (;;) {
		uint32_t source = choose_source(class, false);

		if (source == RING_NONE)
			break;
		freed += empty_source(class, source);
		/*@ ghost count(class, RING_NONE); */
		if (class->zspages->inuse[source] != 0)
			break;
		/*@ ghost full(class, RING_NONE); */
	}
	return freed;
}

uint64_t compact(struct zs_class *class, uint32_t algorithm)
{
	uint64_t freed = algorithm == ZS_SOURCE ? empty_sources(class)
						: fill_destinations(class, algorithm == ZS_OPTIMAL);

	class->compacted += freed;
	return freed;
}
