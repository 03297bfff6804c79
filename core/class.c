/* SPDX-License-Identifier: BSD-3-Clause */
#include "class.h"
#include "slots.h"

/*@
#include "class_steps.acsl"
*/

/* ---- zspages -------------------------------------------------------------------------------- */

/* A record that never was: its rows are made with it and stay with it. */
static uint32_t make_record(struct zs_class *class)
{
	struct zspages *all = class->zspages;
	uint32_t z, row = all->slots_made;

	if (all->ring.records == all->max || all->slots_max - row < class->capacity ||
	    all->pages_max - all->pages_made < class->pages)
		return RING_NONE;
	z = ring_make(&all->ring);
	all->class_of[z] = class->number;
	all->slot_row[z] = row;
	all->page_row[z] = all->pages_made;
	all->slots_made += class->capacity;
	all->pages_made += class->pages;
	for (uint32_t s = 0; s < class->capacity; s++)
		all->owner[row + s] = CLASS_NO_OWNER;
	return z;
}

uint32_t class_new_zspage(struct zs_class *class)
{
	struct zspages *all = class->zspages;
	uint32_t z = lists_take_spare(class);

	if (z == RING_NONE)
		z = make_record(class);
	if (z == RING_NONE)
		return RING_NONE;
	all->inuse[z] = 0;
	all->pins[z] = 0;
	all->locked[z] = 0;
	slots_init(all->at + all->slot_row[z], all->pos + all->slot_row[z], class->capacity);
	return z;
}

/*@ ghost
  /@ requires live: pos[row + slot] < inuse;
     terminates \true;
     assigns \nothing;
     ensures live: slots_in_use(pos + row, inuse, slot);
  @/
  void row_live(int16_t *pos, uint32_t row, uint32_t inuse, uint32_t slot)
  {
  }
*/

/* ---- objects -------------------------------------------------------------------------------- */

uint32_t class_malloc(struct zs_class *class, uint32_t z)
{
	uint32_t slot = place_next(class->zspages, z);
	uint32_t entry = handle_take(class->handles, &class->free, z, slot);

	if (ring_list(&class->zspages->ring, z) == RING_NONE) {
		class->held++;
		class->allocated += class->capacity;
	}
	place_own(class->zspages, z, slot, entry) /*@ ghost (class->capacity) */;
	class->inuse++;
	held_put(class, z);
	return entry;
}

/* An object's slot and its entry are free. */
/*@
#include "held_needs.acsl"
    requires lists: class_lists(class, -1);
    requires waiting: class_waiting(class, RING_NONE, RING_NONE);
    requires entry: class_has(class, entry) && z == handles_zspage(class->handles, entry) &&
      slot == handles_slot(class->handles, entry);
    requires retired: class->retired < UINT64_MAX;
    terminates \true;
    assigns class->inuse, class->retired, class->free.top, class->zspages->inuse[z],
      class->zspages->at[0 .. class->zspages->slots_max - 1],
      class->zspages->pos[0 .. class->zspages->slots_max - 1],
      class->zspages->owner[0 .. class->zspages->slots_max - 1],
      class->handles->entry[entry];
    ensures memory: class_memory(class);
    ensures lists: class_lists(class, z);
    ensures objects: class_objects(class);
    ensures table: class_table(class);
    ensures used: class_used(class);
    ensures room: class_room(class);
    ensures waiting: class_waiting(class, RING_NONE, RING_NONE);
    ensures steady: class_steady{Pre, Post}(class);
    ensures listed: class_record(class, z) && class_listed(class, z);
    ensures gone: \forall integer h; 0 <= h && \old(handle_valid(class->handles, h)) &&
      handle_index_of(h) == entry ==> handle_gone(class->handles, h);
    ensures stable: class_stable_but{Pre, Post}(class, entry);
    ensures dead: class_dead{Pre, Post}(class);
    ensures others: class_others{Pre, Post}(class);
    ensures count: class->inuse == \old(class->inuse) - 1;
    ensures less: class_counted{Pre, Post}(class, z, -1);
    ensures off: class_off(class) == \old(class_off(class)) && class->held == \old(class->held);
*/
static void release(struct zs_class *class, uint32_t z, uint32_t slot, uint32_t entry)
{
	/*@ ghost struct zspages *all = class->zspages; */
	/*@ ghost uint32_t f = (uint32_t)(all->slot_row[z] + slot); */
	/*@ assert needs: frame_needs(class); */
	/*@ assert apart: class_apart_entry(class); */
	/*@ assert positive: handles_positive(class->handles); */
	/*@ assert found: class_found(class); */
	/*@ assert place: entry_found(class, entry); */
	/*@ assert in: class_in_row(class, z, f) && slot < class->capacity; */
	/*@ assert room: all->slot_row[z] + class->capacity <= all->slots_max; */
	/*@ assert owner: all->owner[f] == entry; */
	/*@ assert names: owner_names(class, z, f, entry); */
	/*@ assert other: no_other(class, f, entry); */
	/*@ assert only: class_only_row(class, z, f); */
	/*@ assert live: all->pos[f] < all->inuse[z]; */
	/*@ assert position: 0 <= all->pos[f]; */
	/*@ assert listed: class_listed(class, z); */
	/*@ assert row: slots_row(all->at + all->slot_row[z], all->pos + all->slot_row[z],
	      class->capacity); */
	/*@ ghost row_live(all->pos, all->slot_row[z], all->inuse[z], slot); */
	place_disown(class->zspages, z, slot) /*@ ghost (class->capacity) */;
	/*@ assert pointers: same_pointers{Pre, Here}; */
	/*@ assert halves: class_halves_but{Pre, Here}(class, z, z); */
	/*@ assert ints: class_ints_but{Pre, Here}(class, f, f); */
	/*@ assert on: same_on{Pre, Here}(class); */
	/*@ assert class_of: same_class_of{Pre, Here}(class); */
	/*@ assert less: all->inuse[z] == \at(class->zspages->inuse[z], Pre) - 1; */
	/*@ ghost
	  uint64_t i = all->ring.heads;
	  /@ loop invariant range: all->ring.heads <= i <= all->ring.records;
	     loop invariant some: 0 <= class_total(all->inuse, all->class_of, class->number,
	       all->ring.heads, i);
	     loop invariant total: class_total(all->inuse, all->class_of, class->number,
	       all->ring.heads, i) == \at(class_total(class->zspages->inuse,
	         class->zspages->class_of, class->number, class->zspages->ring.heads,
	         \at(i, Here)), Pre) - (z < i ? 1 : 0);
	     loop invariant on: class_on_to(class, i) == \at(class_on_to(class, \at(i, Here)), Pre);
	     loop invariant tally: \forall integer h; ring_tally(all->ring.list, h,
	       all->ring.heads, i) == \at(ring_tally(class->zspages->ring.list, h,
	         class->zspages->ring.heads, \at(i, Here)), Pre);
	     loop assigns i;
	     loop variant all->ring.records - i;
	  @/
	  while (i < all->ring.records)
	    i++;
	*/
	/*@ assert on_all: class_on(\at(class->zspages->ring.list, Pre), \at(class->first_list, Pre),
	      \at(class->first_list + class->groups, Pre), \at(class->zspages->ring.heads, Pre),
	      \at(class->zspages->ring.records, Pre)) == \at(class_on(class->zspages->ring.list,
	        class->first_list, class->first_list + class->groups, class->zspages->ring.heads,
	        class->zspages->ring.records), Pre); */
	bool retired = handle_kill(class->handles, &class->free, entry);
	/*@ ghost Killed: ; */
	/*@ assert counters: class->inuse == \at(class->inuse, Pre) &&
	      class->retired == \at(class->retired, Pre) && class->held == \at(class->held, Pre) &&
	      class->allocated == \at(class->allocated, Pre); */
	/*@ assert others_killed: \forall integer i; 0 <= i < class->handles->given && i != entry ==>
	      class->handles->entry[i] == \at(class->handles->entry[i], Pre); */
	/*@ assert still_positive: handles_positive(class->handles); */
	class->retired += retired;
	class->inuse--;
	/*@ assert entries_stay: \forall integer e; 0 <= e < class->handles->max ==>
	      class->handles->entry[e] == \at(class->handles->entry[e], Killed); */
	/*@ assert alloc: same_alloc{Pre, Here}; */
	/*@ assert alloc_killed: same_alloc{Killed, Here}; */
	/*@ assert frozen: handles_frozen{Killed, Here}(class->handles); */
	/*@ assert small: same_small{Pre, Here}; */
	/*@ assert bytes: same_bytes{Pre, Here}; */
	/*@ assert stamps: same_stamps{Pre, Here}; */
	/*@ assert there: same_valid{Pre, Here}; */
	/*@ assert numbers: numbers_but{Pre, Here}(class); */
	/*@ assert words: words_besides{Pre, Here}(class); */
	/*@ assert frame: object_frame{Pre, Here}(class, z, f); */
	/*@ assert same: object_same{Pre, Here}(class); */
	/*@ assert kept: rows_kept{Pre, Here}(class); */
	/*@ assert inuse: inuse_but{Pre, Here}(class, z); */
	/*@ assert other_slots: class_other_slots{Pre, Here}(class, z); */
	/*@ assert record: class_record{Pre}(class, z); */
	/*@ assert other_rows: class_other_rows{Pre, Here}(class, z); */
	/*@ assert other_places: class_other_places{Pre, Here}(class, z); */
	/*@ assert row_live: row_live_but{Pre, Here}(class, z, f); */
	/*@ assert one_live: one_live{Pre, Here}(class, f); */
	/*@ assert one_owner: one_owner{Pre, Here}(class, f); */
	/*@ assert owned_at: owned_at(class, z, f); */
	/*@ assert given: class->handles->given == \at(class->handles->given, Pre) &&
	      class->handles->given <= class->handles->max; */
	/*@ assert others: \forall integer i; 0 <= i < class->handles->given && i != entry ==>
	      class->handles->entry[i] == \at(class->handles->entry[i], Pre); */
	/*@ assert entries: entries_but{Pre, Here}(class, entry); */
	/*@ assert leads: owner_leads(class, z, f); */
	/*@ assert killed: !entry_is_live(class->handles->entry[entry]); */
	/*@ assert not_found: entry_found(class, entry); */
	/*@ assert had: had_but{Pre, Here}(class, -1); */
	/*@ assert valid: class_valid(class) && class_valid_objects(class); */
	/*@ assert columns: ring_columns(&all->ring, all->ring.records); */
	/*@ assert tallies: same_tallies{Pre, Here}(&all->ring); */
	/*@ assert links: links_positive{Pre}(&all->ring); */
	/*@ assert positive_inuse: inuse_positive{Pre}(class); */
	/*@ assert placed: class_placed(class, z); */
	/*@ assert first_list: 0 <= \at(class->first_list, Pre); */
	/*@ assert ring: ring_ok(&class->zspages->ring); */
	/*@ assert round: ring_round(&class->zspages->ring); */
	/*@ assert bits: same_bits{Pre, Here}(class); */
	/*@ assert firsts: firsts_same{Pre, Here}(class); */
	/*@ assert occupied: class_occupied(class, -1); */
	/*@ assert all_found: class_found(class); */
	/*@ assert owned: class_owned(class); */
	/*@ assert owners: class_owners_name(class); */
	/*@ assert rows: class_same_rows{Pre, Here}(class); */
	/*@ assert slot_row: all->slot_row[z] == \at(class->zspages->slot_row[z], Pre); */
	/*@ assert at_z: slots_at(all->at + all->slot_row[z], all->pos + all->slot_row[z],
	      class->capacity); */
	/*@ assert pos_z: slots_pos(all->at + all->slot_row[z], all->pos + all->slot_row[z],
	      class->capacity); */
	/*@ assert at: class_at(class); */
	/*@ assert pos: class_pos(class); */
	/*@ assert bounds: class_bounds(class); */
	/*@ assert pages: class_pages(class, -1) && class_pages_apart(class, -1); */
	/*@ assert dead_but: class_dead_but{Pre, Here}(class, entry); */
}

bool class_free(struct zs_class *class, uint32_t entry)
{
	/*@ assert table: handles_columns(class->handles) && entry < class->handles->max; */
	uint64_t word = sync_load(&class->handles->entry[entry]);
	uint32_t z = entry_zspage(word);

	/*@ assert record: class_record(class, z) && z < class->zspages->max; */
	release(class, z, entry_slot(word), entry);
	/*@ ghost Released: ; */
	/*@ assert sizes: class->zspages->ring.records == \at(class->zspages->ring.records, Pre) &&
	      class->zspages->ring.heads == \at(class->zspages->ring.heads, Pre) &&
	      class->groups == \at(class->groups, Pre); */
	/*@ assert spot: class_spot{Pre, Here}(class); */
	/*@ assert gone_released: entry_gone{Pre, Here}(class->handles, entry); */
	/*@ assert range: 0 <= entry < class->handles->max; */
	/*@ assert apart: entry_apart(class, entry); */
	/*@ assert separated: \separated(&class->handles->entry[entry], class->zspages->ring.count +
	      (0 .. class->zspages->ring.heads - 1)) && \separated(&class->handles->entry[entry],
	      class->occupied + (0 .. (class->groups - 1) / 64)) &&
	      &class->handles->entry[entry] != &class->held &&
	      &class->handles->entry[entry] != &class->allocated; */
	bool discarded = held_discard(class, z);
	/*@ assert word: class->handles->entry[entry] ==
	      \at(class->handles->entry[entry], Released); */
	/*@ assert frozen: entry_frozen{Released, Here}(class->handles, entry); */
	/*@ assert steady: class_steady{Pre, Here}(class); */
	/*@ assert stable: class_stable_but{Pre, Here}(class, entry); */
	/*@ assert dead: class_dead{Pre, Here}(class); */
	/*@ assert others: class_others{Pre, Here}(class); */
	/*@ assert less: class_counted{Pre, Here}(class, z, -1); */
	/*@ assert gone: entry_gone{Pre, Here}(class->handles, entry); */
	/*@ assert off: class_off(class) == \at(class_off(class), Pre); */
	/*@ assert waiting: class_waiting(class, RING_NONE, RING_NONE); */
	/*@ assert count: class->inuse == \at(class->inuse, Pre) - 1; */
	/*@ ghost Discarded: ; */
	if (discarded)
		return true;
	/*@ assert sizes_put: class->zspages->ring.records == \at(class->zspages->ring.records, Pre) &&
	      class->zspages->ring.heads == \at(class->zspages->ring.heads, Pre) &&
	      class->groups == \at(class->groups, Pre); */
	/*@ assert on_list: 0 <= class->zspages->ring.list[z]; */
	/*@ assert more: class_waiting(class, RING_NONE, z); */
	/*@ assert spot_discarded: class_spot{Pre, Here}(class); */
	/*@ assert range_put: 0 <= entry < class->handles->max; */
	/*@ assert apart_put: entry_apart(class, entry); */
	/*@ assert separated_put: \separated(&class->handles->entry[entry], class->zspages->ring.count +
	      (0 .. class->zspages->ring.heads - 1)) && \separated(&class->handles->entry[entry],
	      class->occupied + (0 .. (class->groups - 1) / 64)) &&
	      &class->handles->entry[entry] != &class->held &&
	      &class->handles->entry[entry] != &class->allocated; */
	held_put(class, z);
	/*@ assert word_put: class->handles->entry[entry] ==
	      \at(class->handles->entry[entry], Discarded); */
	/*@ assert frozen_put: entry_frozen{Discarded, Here}(class->handles, entry); */
	/*@ assert steady_put: class_steady{Pre, Here}(class); */
	/*@ assert stable_put: class_stable_but{Pre, Here}(class, entry); */
	/*@ assert dead_put: class_dead{Pre, Here}(class); */
	/*@ assert others_put: class_others{Pre, Here}(class); */
	/*@ assert less_put: class_counted{Pre, Here}(class, z, -1); */
	/*@ assert gone_put: entry_gone{Pre, Here}(class->handles, entry); */
	/*@ assert off_put: class_off(class) == \at(class_off(class), Pre); */
	/*@ assert waiting_put: class_waiting(class, RING_NONE, RING_NONE); */
	/*@ assert count_put: class->inuse == \at(class->inuse, Pre) - 1; */
	return false;
}
