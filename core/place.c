/* SPDX-License-Identifier: BSD-3-Clause */
#include "place.h"
#include "poison.h"

/*@
#include "place_moves.acsl"
*/

/*
 * For the proof alone, as all ghost code: slots.h speaks of a zspage's row, place.acsl of places in
 * the column.
 */
/*@ ghost
  /@ terminates \true;
     assigns \nothing;
     ensures same: \forall integer o; row <= o < row + capacity ==>
       (pos[o] < inuse <==> slots_in_use(pos + row, inuse, o - row));
  @/
  void row_in_use(int16_t *pos, uint32_t row, uint32_t inuse, uint32_t capacity)
  {
  }
  /@ requires live: pos[row + slot] < inuse;
     terminates \true;
     assigns \nothing;
     ensures live: slots_in_use(pos + row, inuse, slot);
  @/
  void row_live(int16_t *pos, uint32_t row, uint32_t inuse, uint32_t slot)
  {
  }
  /@ requires row: slots_in_row(column + row, capacity, i);
     terminates \true;
     assigns \nothing;
     ensures slot: 0 <= column[row + i] < capacity;
  @/
  void row_holds(int16_t *column, uint32_t row, uint32_t capacity, uint32_t i)
  {
  }
  /@ requires at: slots_at(at + row, pos + row, capacity);
     requires pos: slots_pos(at + row, pos + row, capacity);
     requires room: inuse < capacity <= ENTRY_SLOTS && row + capacity <= UINT32_MAX;
     terminates \true;
     assigns \nothing;
     ensures slot: 0 <= at[row + inuse] < capacity;
     ensures free: !(pos[row + at[row + inuse]] < inuse);
     ensures next: \forall integer o; row <= o < row + capacity ==>
       (pos[o] < inuse + 1 <==> pos[o] < inuse || o == row + at[row + inuse]);
  @/
  void row_next(int16_t *at, int16_t *pos, uint32_t row, uint32_t inuse, uint32_t capacity)
  {
    /@ assert in: slots_in_row(at + row, capacity, inuse); @/
    row_holds(at, row, capacity, inuse);
    row_in_use(pos, row, inuse, capacity);
    row_in_use(pos, row, (uint32_t)(inuse + 1), capacity);
    /@ assert free: !slots_in_use(pos + row, inuse, at[row + inuse]); @/
    /@ assert next: \forall integer o; row <= o < row + capacity ==>
         (slots_in_use(pos + row, inuse + 1, o - row) <==>
           slots_in_use(pos + row, inuse, o - row) || o - row == at[row + inuse]); @/
  }
*/

void place_own(struct zspages *all, uint32_t z, uint32_t slot, uint32_t entry)
/*@ ghost (uint32_t capacity) */
{
	/*@ ghost row_next(all->at, all->pos, all->slot_row[z], all->inuse[z], capacity); */
	all->owner[all->slot_row[z] + slot] = (int32_t)entry;
	all->inuse[z]++;
}

void place_disown(struct zspages *all, uint32_t z, uint32_t slot)
/*@ ghost (uint32_t capacity) */
{
	uint32_t row = all->slot_row[z];

	/*@ assert place: slots_in_row(all->pos + row, capacity, slot); */
	/*@ assert last: slots_in_row(all->at + row, capacity, all->inuse[z] - 1); */
	/*@ ghost row_holds(all->pos, row, capacity, slot); */
	/*@ ghost row_holds(all->at, row, capacity, (uint32_t)(all->inuse[z] - 1)); */
	/*@ ghost row_in_use(all->pos, row, all->inuse[z], capacity); */
	all->owner[row + slot] = CLASS_NO_OWNER;
	slots_free(all->at + row, all->pos + row, all->inuse[z], slot) /*@ ghost (capacity) */;
	/*@ ghost row_in_use(all->pos, row, all->inuse[z] - 1, capacity); */
	/*@ assert live: \forall integer o; row <= o < row + capacity ==>
	      (slots_in_use(all->pos + row, all->inuse[z] - 1, o - row) <==>
	        \at(slots_in_use(all->pos + \at(row, Here), all->inuse[z], o - \at(row, Here)),
	              Pre) &&
	        o - row != slot); */
	all->inuse[z]--;
}

/* Copies an object's bytes from one zspage to another. Returns the number of pieces. */
/*@ requires valid: class_valid(class) && class_valid_objects(class) && class_sizes(class);
    requires tables: class_tables(class);
    requires page_room: class_page_room(class);
    requires pages: class_pages(class, -1) && class_pages_apart(class, -1);
    requires records: class_record(class, z) && class_record(class, to) && z != to;
    requires some: 0 < class->zspages->inuse[z] && 0 < class->zspages->inuse[to];
    requires slots: from < class->capacity && slot < class->capacity;
    terminates \true;
    assigns class->space.arena[0 .. INT64_MAX];
    ensures moved: class_moved_bytes{Pre, Post}(class, z, from, to, slot);
    ensures pieces: 1 <= \result <= 3;
*/
static uint32_t copy(const struct zs_class *class, uint32_t z, uint32_t from, uint32_t to,
		     uint32_t slot)
{
	const uint64_t *source = class->zspages->page + class->zspages->page_row[z];
	const uint64_t *target = class->zspages->page + class->zspages->page_row[to];
	/*@ assert source: object_zspage(&class->space, source, class->capacity, class->size,
	      class->header, class->pages); */
	/*@ assert target: object_zspage(&class->space, target, class->capacity, class->size,
	      class->header, class->pages); */
	/*@ assert from: object_ok(&class->space, source, from, class->usable); */
	/*@ assert to: object_ok(&class->space, target, slot, class->usable); */
	/*@ assert chains: chains_apart(source, class->pages, target, class->pages,
	      class->space.page_size); */
	/*@ assert apart: objects_apart(&class->space, source, from, target, slot,
	      class->usable); */
	/*@ assert there: row_there(class->space.arena, target, class->pages,
	      class->space.page_size); */
	/*@ assert rest: slot_room(class, target, slot); */
	/*@ assert first: 0 <= object_first(&class->space, target, slot, 0) &&
	      object_first_end(&class->space, target, slot, class->usable) - 1 <= INT64_MAX; */
	/*@ assert second: 0 <= object_rest(&class->space, target, slot, 0) &&
	      (object_border(&class->space, slot) < class->usable ==>
	        object_rest_end(&class->space, target, slot, class->usable) - 1 <= INT64_MAX); */
	/*@ assert empty: class->usable <= object_border(&class->space, slot) ==>
	      object_rest_end(&class->space, target, slot, class->usable) ==
	      object_rest(&class->space, target, slot, 0); */
	uint32_t pieces = guarded_copy(&class->space, source, from, target, slot, class->usable);

	/*@ assert copied: object_copied{Pre, Here}(&class->space, source, from, target, slot,
	      class->usable); */
	/*@ assert only: slot_only{Pre, Here}(class, to, slot); */
	/*@ assert stay: bytes_stay_but{Pre, Here}(class, to, slot); */
	/*@ assert places: class_same_places{Pre, Here}(class); */
	return pieces;
}

/* A slot in use goes out of use, and the next one of another zspage gets its entry. */
/*@ requires records: \valid_read(all) && \valid_read(all->slot_row + z) &&
      \valid_read(all->slot_row + to) && \valid(all->inuse + z) && \valid(all->inuse + to) &&
      z != to;
    requires row: slots_row(all->at + all->slot_row[z], all->pos + all->slot_row[z], capacity);
    requires at_z: slots_at(all->at + all->slot_row[z], all->pos + all->slot_row[z], capacity);
    requires pos_z: slots_pos(all->at + all->slot_row[z], all->pos + all->slot_row[z], capacity);
    requires at_to: slots_at(all->at + all->slot_row[to], all->pos + all->slot_row[to], capacity);
    requires pos_to: slots_pos(all->at + all->slot_row[to], all->pos + all->slot_row[to], capacity);
    requires rows: all->slot_row[z] + capacity <= all->slot_row[to] ||
      all->slot_row[to] + capacity <= all->slot_row[z];
    requires ends: all->slot_row[z] + capacity <= UINT32_MAX &&
      all->slot_row[to] + capacity <= UINT32_MAX;
    requires apart: \separated(
      all->pos + (all->slot_row[to] .. all->slot_row[to] + capacity - 1),
      all->at + (all->slot_row[z] .. all->slot_row[z] + capacity - 1));
    requires from: from < capacity && all->pos[all->slot_row[z] + from] < all->inuse[z] <= capacity;
    requires slot: slot == all->at[all->slot_row[to] + all->inuse[to]];
    requires room: all->inuse[to] < capacity && entry <= INT32_MAX;
    requires owners: \valid(all->owner + all->slot_row[z] + from) &&
      \valid(all->owner + all->slot_row[to] + slot);
    requires class_of: \separated(all->inuse + (0 .. all->max - 1),
      all->class_of + (0 .. all->max - 1)) &&
      \valid_read(all->class_of + (0 .. all->max - 1)) && z < all->max && to < all->max;
    requires number: all->class_of[z] == number && all->class_of[to] == number;
    requires counted: heads <= z < records && heads <= to < records <= all->max;
    terminates \true;
    assigns all->inuse[z], all->inuse[to], all->owner[all->slot_row[z] + from],
      all->owner[all->slot_row[to] + slot],
      all->at[all->slot_row[z] .. all->slot_row[z] + capacity - 1],
      all->pos[all->slot_row[z] .. all->slot_row[z] + capacity - 1];
    ensures total: class_total(all->inuse, all->class_of, number, heads, records) ==
      \old(class_total(all->inuse, all->class_of, number, heads, records));
    ensures less: all->inuse[z] == \old(all->inuse[z]) - 1;
    ensures more: all->inuse[to] == \old(all->inuse[to]) + 1;
    ensures owner: all->owner[all->slot_row[to] + slot] == entry;
    ensures none: all->owner[all->slot_row[z] + from] == CLASS_NO_OWNER;
    ensures at: slots_at(all->at + all->slot_row[z], all->pos + all->slot_row[z], capacity);
    ensures pos: slots_pos(all->at + all->slot_row[z], all->pos + all->slot_row[z], capacity);
    ensures live_from: \forall integer o; all->slot_row[z] <= o < all->slot_row[z] + capacity ==>
      (all->pos[o] < all->inuse[z] <==>
        \old(all->pos[o] < all->inuse[z]) && o != all->slot_row[z] + from);
    ensures live_to: \forall integer o; all->slot_row[to] <= o < all->slot_row[to] + capacity ==>
      (all->pos[o] < all->inuse[to] <==>
        \old(all->pos[o] < all->inuse[to]) || o == all->slot_row[to] + slot);
    ensures others: \forall int16_t *p; \separated(p,
        all->at + (all->slot_row[z] .. all->slot_row[z] + capacity - 1)) && \separated(p,
        all->pos + (all->slot_row[z] .. all->slot_row[z] + capacity - 1)) ==> *p == \old(*p);
*/
static void rehouse(struct zspages *all, uint32_t z, uint32_t from, uint32_t to, uint32_t slot,
		    uint32_t entry)
/*@ ghost (uint32_t capacity, uint16_t number, uint64_t heads, uint64_t records) */
{
	/*@ assert from_at: \forall integer o;
	      all->slot_row[to] <= o < all->slot_row[to] + capacity ==> \separated(all->pos + o,
	        all->at + (all->slot_row[z] .. all->slot_row[z] + capacity - 1)); */
	/*@ assert from_pos: \forall integer o;
	      all->slot_row[to] <= o < all->slot_row[to] + capacity ==> \separated(all->pos + o,
	        all->pos + (all->slot_row[z] .. all->slot_row[z] + capacity - 1)); */
	/*@ ghost row_live(all->pos, all->slot_row[z], all->inuse[z], from); */
	/*@ ghost row_next(all->at, all->pos, all->slot_row[to], all->inuse[to], capacity); */
	place_own(all, to, slot, entry) /*@ ghost (capacity) */;
	/*@ assert live: \forall integer o;
	      all->slot_row[to] <= o < all->slot_row[to] + capacity ==>
	      (all->pos[o] < all->inuse[to] <==> \at(all->pos[o] < all->inuse[to], Pre) ||
	        o == all->slot_row[to] + slot); */
	place_disown(all, z, from) /*@ ghost (capacity) */;
	/*@ assert same_pos: \forall integer o;
	      all->slot_row[to] <= o < all->slot_row[to] + capacity ==>
	      all->pos[o] == \at(all->pos[o], Pre); */
	/*@ assert more: all->inuse[to] == \at(all->inuse[to], Pre) + 1; */
	/*@ ghost
	  uint64_t i = heads;
	  /@ loop invariant range: heads <= i <= records;
	     loop invariant total: class_total(all->inuse, all->class_of, number, heads, i) ==
	       \at(class_total(all->inuse, all->class_of, number, heads, \at(i, Here)), Pre) +
	       (to < i ? 1 : 0) - (z < i ? 1 : 0);
	     loop assigns i;
	     loop variant records - i;
	  @/
	  while (i < records)
	    i++;
	*/
}

/* The owner of slot `from` of z, a live entry, now has the next slot of another zspage. */
/*@ requires sizes: class_sizes(class);
    requires valid: class_valid(class);
    requires inuse: class_apart_inuse(class);
    requires entry: class_apart_entry(class);
    requires slots: class_apart_slots(class);
    requires slot_rows: class_slot_rows(class);
    requires slot_room: class_slot_room(class);
    requires at: class_at(class);
    requires pos: class_pos(class);
    requires bounds: class_bounds(class);
    requires handles: handles_ok(class->handles);
    requires records: class_record(class, z) && class_record(class, to) && z != to;
    requires from: from < class->capacity && class_live(class, z, from);
    requires room: class->zspages->inuse[to] < class->capacity;
    requires slot: slot ==
      class->zspages->at[class->zspages->slot_row[to] + class->zspages->inuse[to]];
    requires owner: entry < class->handles->given && handles_live(class->handles, entry);
    terminates \true;
    assigns class->zspages->inuse[z], class->zspages->inuse[to],
      class->zspages->owner[class->zspages->slot_row[z] + from],
      class->zspages->owner[class->zspages->slot_row[to] + slot],
      class->handles->entry[entry],
      class->zspages->at[class->zspages->slot_row[z] ..
        class->zspages->slot_row[z] + class->capacity - 1],
      class->zspages->pos[class->zspages->slot_row[z] ..
        class->zspages->slot_row[z] + class->capacity - 1];
    ensures total: class_total(class->zspages->inuse, class->zspages->class_of,
        \old(class->number), \old(class->zspages->ring.heads),
          \old(class->zspages->ring.records)) ==
      \old(class_total(class->zspages->inuse, class->zspages->class_of, class->number,
        class->zspages->ring.heads, class->zspages->ring.records));
    ensures halves: class_halves_but{Pre, Post}(class, z, to);
    ensures ints: class_ints_but{Pre, Post}(class, class->zspages->slot_row[z] + from,
      class->zspages->slot_row[to] + slot);
    ensures words: class_words_but{Pre, Post}(class, entry);
    ensures others: class_other_slots{Pre, Post}(class, z);
    ensures less: class->zspages->inuse[z] == \old(class->zspages->inuse[z]) - 1;
    ensures more: class->zspages->inuse[to] == \old(class->zspages->inuse[to]) + 1;
    ensures owner: class->zspages->owner[class->zspages->slot_row[to] + slot] == entry;
    ensures none: class->zspages->owner[class->zspages->slot_row[z] + from] == CLASS_NO_OWNER;
    ensures at: slots_at(class->zspages->at + class->zspages->slot_row[z],
      class->zspages->pos + class->zspages->slot_row[z], class->capacity);
    ensures pos: slots_pos(class->zspages->at + class->zspages->slot_row[z],
      class->zspages->pos + class->zspages->slot_row[z], class->capacity);
    ensures live_from: row_live_but{Pre, Post}(class, z, class->zspages->slot_row[z] + from);
    ensures live_to: row_live_also{Pre, Post}(class, to, class->zspages->slot_row[to] + slot);
    ensures live: handles_live(class->handles, entry);
    ensures place: handles_zspage(class->handles, entry) == to &&
      handles_slot(class->handles, entry) == slot;
    ensures generation: handles_generation(class->handles, entry) ==
      \old(handles_generation(class->handles, entry));
    ensures handles: handles_ok(class->handles);
    ensures stacks: \forall integer top;
      \old(handles_top(class->handles, top)) ==> handles_top(class->handles, top);
    ensures aged: handles_aged{Pre, Post}(class->handles);
    ensures still_valid: class_still_valid{Pre, Post}(class);
*/
static void relocate(struct zs_class *class, uint32_t z, uint32_t from, uint32_t to, uint32_t slot,
		     uint32_t entry)
{
	struct zspages *all = class->zspages;
	/*@ assert apart: all->slot_row[z] + class->capacity <= all->slot_row[to] ||
	      all->slot_row[to] + class->capacity <= all->slot_row[z]; */
	/*@ assert room: all->slot_row[z] + class->capacity <= all->slots_max &&
	      all->slot_row[to] + class->capacity <= all->slots_max; */
	/*@ assert at_pos: \separated(all->pos + (all->slot_row[to] ..
	        all->slot_row[to] + class->capacity - 1),
	      all->at + (all->slot_row[z] .. all->slot_row[z] + class->capacity - 1)); */
	/*@ assert row: slots_row(all->at + all->slot_row[z], all->pos + all->slot_row[z],
	      class->capacity); */
	/*@ assert at_z: slots_at(all->at + all->slot_row[z], all->pos + all->slot_row[z],
	      class->capacity); */
	/*@ assert pos_z: slots_pos(all->at + all->slot_row[z], all->pos + all->slot_row[z],
	      class->capacity); */
	/*@ assert at_to: slots_at(all->at + all->slot_row[to], all->pos + all->slot_row[to],
	      class->capacity); */
	/*@ assert pos_to: slots_pos(all->at + all->slot_row[to], all->pos + all->slot_row[to],
	      class->capacity); */
	/*@ ghost row_next(all->at, all->pos, all->slot_row[to], all->inuse[to],
	      class->capacity); */
	/*@ assert place_z: all->slot_row[z] + from < all->slots_max; */
	/*@ assert place_to: all->slot_row[to] + slot < all->slots_max; */
	/*@ assert owner_z: \valid(all->owner + all->slot_row[z] + from); */
	/*@ assert owner_to: \valid(all->owner + all->slot_row[to] + slot); */
	rehouse(all, z, from, to, slot, entry)
		/*@ ghost (class->capacity, class->number, all->ring.heads, all->ring.records) */;
	handle_move(class->handles, entry, to, slot);
}

/* The object in slot `from` of z is now that in the next slot of another zspage. */
/*@
#include "place_needs.acsl"
    requires slot: slot ==
      class->zspages->at[class->zspages->slot_row[to] + class->zspages->inuse[to]];
    terminates \true;
    assigns class->zspages->inuse[z], class->zspages->inuse[to],
      class->zspages->at[0 .. class->zspages->slots_max - 1],
      class->zspages->pos[0 .. class->zspages->slots_max - 1],
      class->zspages->owner[0 .. class->zspages->slots_max - 1],
      class->handles->entry[0 .. class->handles->max - 1];
#include "place_kept.acsl"
    ensures still_valid: class_still_valid{Pre, Post}(class);
    ensures rehoused: class_rehoused{Pre, Post}(class, z, from, to, slot);
    ensures kept: class_rows_kept{Pre, Post}(class);
    ensures dead: class_dead{Pre, Post}(class);
    ensures others: class_others{Pre, Post}(class);
*/
static void settle(struct zs_class *class, uint32_t z, uint32_t from, uint32_t to, uint32_t slot)
{
	const struct zspages *all = class->zspages;
	/*@ assert at_to: slots_at(all->at + all->slot_row[to], all->pos + all->slot_row[to],
	      class->capacity); */
	/*@ assert pos_to: slots_pos(all->at + all->slot_row[to], all->pos + all->slot_row[to],
	      class->capacity); */
	/*@ ghost row_next(all->at, all->pos, all->slot_row[to], all->inuse[to],
	      class->capacity); */
	/*@ assert in_z: class_in_row(class, z, all->slot_row[z] + from); */
	/*@ assert in_to: class_in_row(class, to, all->slot_row[to] + slot); */
	/*@ assert room_z: all->slot_row[z] + class->capacity <= all->slots_max; */
	/*@ assert from_max: all->slot_row[z] + from < all->slots_max; */
	/*@ assert to_max: all->slot_row[to] + slot < all->slots_max; */
	/*@ assert unused: !(all->pos[all->slot_row[to] + slot] < all->inuse[to]); */
	/*@ assert used: all->pos[all->slot_row[z] + from] < all->inuse[z]; */
	/*@ assert free: all->owner[all->slot_row[to] + slot] == CLASS_NO_OWNER; */
	/*@ assert taken: all->owner[all->slot_row[z] + from] != CLASS_NO_OWNER; */
	/*@ assert named: class_named(class); */
	/*@ assert slot: slot_owner(class, to, slot, CLASS_NO_OWNER); */
	/*@ assert untaken: class_untaken(class, to, slot); */
	/*@ assert owns: owner_names(class, z, all->slot_row[z] + from,
	      all->owner[all->slot_row[z] + from]); */
	uint32_t entry = (uint32_t)all->owner[all->slot_row[z] + from];

	/*@ assert owner: entry == all->owner[all->slot_row[z] + from]; */
	/*@ assert has: class_has(class, entry) && handles_zspage(class->handles, entry) == z &&
	      handles_slot(class->handles, entry) == from; */
	/*@ assert only_f: class_only_row(class, z, all->slot_row[z] + from); */
	/*@ assert only_g: class_only_row(class, to, all->slot_row[to] + slot); */
	/*@ assert only_owner: class_only_owner(class, all->slot_row[z] + from); */
	relocate(class, z, from, to, slot, entry);
	/*@ assert pointers: same_pointers{Pre, Here}; */
	/*@ assert numbers: same_numbers{Pre, Here}; */
	/*@ assert small: same_small{Pre, Here}; */
	/*@ assert same_ring: class_same_ring{Pre, Here}(class); */
	/*@ assert same_rows: class_same_rows{Pre, Here}(class); */
	/*@ assert same_pages: class_same_pages{Pre, Here}(class); */
	/*@ assert same_tables: class_same_tables{Pre, Here}(class); */
	/*@ assert on: class_same_on{Pre, Here}(class); */
	/*@ assert count: class_same_count{Pre, Here}(class); */
	/*@ assert same_lists: class_same_lists{Pre, Here}(class); */
	/*@ assert kept: class_rows_kept{Pre, Here}(class); */
	/*@ assert page_cells: class_row_cells{Pre, Here}(class); */
	/*@ assert there: same_valid{Pre, Here}; */
	/*@ assert moved_owner: class_moved_owner{Pre, Here}(class, all->slot_row[z] + from,
	      all->slot_row[to] + slot); */
	/*@ assert moved_entry: class_moved_entry{Pre, Here}(class, entry, to,
	      all->slot_row[to] + slot); */
	/*@ assert entries_but: class_entries_but{Pre, Here}(class, entry); */
	/*@ assert moved_inuse: class_moved_inuse{Pre, Here}(class, z, to); */
	/*@ assert had: class_had{Pre, Here}(class); */
	/*@ assert other_rows: class_other_rows{Pre, Here}(class, z); */
	/*@ assert other_places: class_other_places{Pre, Here}(class, z); */
	/*@ assert moved_live: class_moved_live{Pre, Here}(class, all->slot_row[z] + from,
	      all->slot_row[to] + slot); */
	/*@ assert found: entry_found(class, entry); */
	/*@ assert pages: class_pages(class, -1); */
	/*@ assert pages_apart: class_pages_apart(class, -1); */
}

void place_move(struct zs_class *class, uint32_t z, uint32_t from, uint32_t to)
{
	const struct zspages *all = class->zspages;
	/*@ assert at_to: slots_at(all->at + all->slot_row[to], all->pos + all->slot_row[to],
	      class->capacity); */
	/*@ assert pos_to: slots_pos(all->at + all->slot_row[to], all->pos + all->slot_row[to],
	      class->capacity); */
	/*@ ghost row_next(all->at, all->pos, all->slot_row[to], all->inuse[to],
	      class->capacity); */
	/*@ assert place: all->slot_row[to] + all->inuse[to] < all->slots_max; */
	uint32_t slot = place_next(all, to);
	/*@ assert positions: class_placed_at(class); */
	/*@ assert in_z: class_in_row(class, z, all->slot_row[z] + from); */
	/*@ assert position: 0 <= all->pos[all->slot_row[z] + from]; */
	/*@ assert some: 0 < all->inuse[z]; */
	uint32_t pieces = copy(class, z, from, to, slot);

	/*@ ghost Copied: ; */
	settle(class, z, from, to, slot);
	class->copies += pieces;
	class->moved++;
	/*@ assert arena: class_same_arena{Copied, Here}(class); */
	/*@ assert kept: class_bytes_kept{Copied, Here}(class); */
	/*@ assert bytes: class_moved_bytes{Pre, Here}(class, z, from, to, slot); */
	/*@ assert all_bytes: class_all_bytes{Pre, Here}(class); */
}
