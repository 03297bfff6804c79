/* SPDX-License-Identifier: BSD-3-Clause */
#include "class.h"
#include "lists.h"
#include "poison.h"

/*@
#include "object_slots.acsl"
#include "class_frames.acsl"
#include "class_ops.acsl"
#include "class_move.acsl"
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

/* ---- objects -------------------------------------------------------------------------------- */

/*
 * For the proof alone, as all ghost code: slots.h speaks of a zspage's row, class.acsl of places in the
 * column.
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

/* The slot that is next in a zspage with room. */
/*@ requires record: \valid_read(all) && \valid_read(all->slot_row + z) &&
      \valid_read(all->inuse + z);
    requires slot: \valid_read(all->at + all->slot_row[z] + all->inuse[z]) &&
      0 <= all->at[all->slot_row[z] + all->inuse[z]];
    terminates \true;
    assigns \nothing;
    ensures slot: \result == all->at[all->slot_row[z] + all->inuse[z]];
*/
static uint32_t next_slot(const struct zspages *all, uint32_t z)
{
	return slots_alloc(all->at + all->slot_row[z], all->inuse[z]);
}

/* Gives the slot that is next in a zspage to an entry. */
/*@ requires record: \valid_read(all) && \valid_read(all->slot_row + z) && \valid(all->inuse + z);
    requires at: slots_at(all->at + all->slot_row[z], all->pos + all->slot_row[z], capacity);
    requires pos: slots_pos(all->at + all->slot_row[z], all->pos + all->slot_row[z], capacity);
    requires slot: slot == all->at[all->slot_row[z] + all->inuse[z]] &&
      \valid(all->owner + all->slot_row[z] + slot);
    requires ranges: all->inuse[z] < capacity <= ENTRY_SLOTS &&
      all->slot_row[z] + capacity <= UINT32_MAX && entry <= INT32_MAX;
    terminates \true;
    assigns all->owner[all->slot_row[z] + slot], all->inuse[z];
    ensures owner: all->owner[all->slot_row[z] + slot] == entry;
    ensures more: all->inuse[z] == \old(all->inuse[z]) + 1;
    ensures live: \forall integer o; all->slot_row[z] <= o < all->slot_row[z] + capacity ==>
      (all->pos[o] < all->inuse[z] <==>
        \old(all->pos[o] < all->inuse[z]) || o == all->slot_row[z] + slot);
*/
static void own(struct zspages *all, uint32_t z, uint32_t slot, uint32_t entry)
/*@ ghost (uint32_t capacity) */
{
	/*@ ghost row_next(all->at, all->pos, all->slot_row[z], all->inuse[z], capacity); */
	all->owner[all->slot_row[z] + slot] = (int32_t)entry;
	all->inuse[z]++;
}

/* Takes a slot in use out of use. */
/*@ requires record: \valid_read(all) && \valid_read(all->slot_row + z) && \valid(all->inuse + z);
    requires row: slots_row(all->at + all->slot_row[z], all->pos + all->slot_row[z], capacity);
    requires at: slots_at(all->at + all->slot_row[z], all->pos + all->slot_row[z], capacity);
    requires pos: slots_pos(all->at + all->slot_row[z], all->pos + all->slot_row[z], capacity);
    requires slot: slot < capacity && all->slot_row[z] + capacity <= UINT32_MAX &&
      \valid(all->owner + all->slot_row[z] + slot);
    requires live: slots_in_use(all->pos + all->slot_row[z], all->inuse[z], slot) &&
      all->inuse[z] <= capacity;
    terminates \true;
    assigns all->owner[all->slot_row[z] + slot], all->inuse[z],
      all->at[all->slot_row[z] .. all->slot_row[z] + capacity - 1],
      all->pos[all->slot_row[z] .. all->slot_row[z] + capacity - 1];
    ensures owner: all->owner[all->slot_row[z] + slot] == CLASS_NO_OWNER;
    ensures less: all->inuse[z] == \old(all->inuse[z]) - 1;
    ensures at: slots_at(all->at + all->slot_row[z], all->pos + all->slot_row[z], capacity);
    ensures pos: slots_pos(all->at + all->slot_row[z], all->pos + all->slot_row[z], capacity);
    ensures live: \forall integer o;
      all->slot_row[z] <= o < all->slot_row[z] + capacity ==>
      (all->pos[o] < all->inuse[z] <==>
        \old(all->pos[o] < all->inuse[z]) && o != all->slot_row[z] + slot);
    ensures others: \forall int16_t *p; \separated(p,
        all->at + (all->slot_row[z] .. all->slot_row[z] + capacity - 1)) && \separated(p,
        all->pos + (all->slot_row[z] .. all->slot_row[z] + capacity - 1)) ==> *p == \old(*p);
*/
static void disown(struct zspages *all, uint32_t z, uint32_t slot)
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
	        \at(slots_in_use(all->pos + \at(row, Here), all->inuse[z], o - \at(row, Here)), Pre) &&
	        o - row != slot); */
	all->inuse[z]--;
}

uint32_t class_malloc(struct zs_class *class, uint32_t z)
{
	uint32_t slot = next_slot(class->zspages, z);
	uint32_t entry = handle_take(class->handles, &class->free, z, slot);

	if (ring_list(&class->zspages->ring, z) == RING_NONE) {
		class->held++;
		class->allocated += class->capacity;
	}
	own(class->zspages, z, slot, entry) /*@ ghost (class->capacity) */;
	class->inuse++;
	lists_regroup(class, z);
	return entry;
}

bool class_free(struct zs_class *class, uint32_t entry)
{
	uint64_t word = sync_load(&class->handles->entry[entry]);
	uint32_t z = entry_zspage(word);

	disown(class->zspages, z, entry_slot(word)) /*@ ghost (class->capacity) */;
	class->retired += handle_kill(class->handles, &class->free, entry);
	class->inuse--;
	if (class_discard(class, z))
		return true;
	lists_regroup(class, z);
	return false;
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
    ensures copied: \forall integer k; 0 <= k < class->usable ==>
      class_byte(class, to, slot, k) == \old(class_byte(class, z, from, k));
    ensures kept: \forall integer y, s, k;
      class->zspages->ring.heads <= y < class->zspages->ring.records &&
      class->zspages->class_of[y] == class->number && 0 < class->zspages->inuse[y] &&
      0 <= s < class->capacity && 0 <= k < class->usable && (y != to || s != slot) ==>
        class_byte(class, y, s, k) == \old(class_byte(class, y, s, k));
    ensures pieces: 1 <= \result <= 3;
*/
static uint32_t copy(const struct zs_class *class, uint32_t z, uint32_t from, uint32_t to,
		     uint32_t slot)
{
	const uint64_t *source = zspage_pages(class->zspages, z);
	const uint64_t *target = zspage_pages(class->zspages, to);
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
	uint32_t pieces = guarded_copy(&class->space, source, from, target, slot, class->usable);

	/*@ assert only: place_only{Pre, Here}(class->space.arena, target, class->space.page_size,
	      class->space.in_page[slot], class->space.at_byte[slot],
	      class->space.at_byte[slot] + class->size - class->header); */
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
    terminates \true;
    assigns all->inuse[z], all->inuse[to], all->owner[all->slot_row[z] + from],
      all->owner[all->slot_row[to] + slot],
      all->at[all->slot_row[z] .. all->slot_row[z] + capacity - 1],
      all->pos[all->slot_row[z] .. all->slot_row[z] + capacity - 1];
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
		    uint32_t entry) /*@ ghost (uint32_t capacity) */
{
	/*@ assert from_at: \forall integer o;
	      all->slot_row[to] <= o < all->slot_row[to] + capacity ==> \separated(all->pos + o,
	        all->at + (all->slot_row[z] .. all->slot_row[z] + capacity - 1)); */
	/*@ assert from_pos: \forall integer o;
	      all->slot_row[to] <= o < all->slot_row[to] + capacity ==> \separated(all->pos + o,
	        all->pos + (all->slot_row[z] .. all->slot_row[z] + capacity - 1)); */
	/*@ ghost row_live(all->pos, all->slot_row[z], all->inuse[z], from); */
	/*@ ghost row_next(all->at, all->pos, all->slot_row[to], all->inuse[to], capacity); */
	own(all, to, slot, entry) /*@ ghost (capacity) */;
	/*@ assert live: \forall integer o;
	      all->slot_row[to] <= o < all->slot_row[to] + capacity ==>
	      (all->pos[o] < all->inuse[to] <==> \at(all->pos[o] < all->inuse[to], Pre) ||
	        o == all->slot_row[to] + slot); */
	disown(all, z, from) /*@ ghost (capacity) */;
	/*@ assert same_pos: \forall integer o;
	      all->slot_row[to] <= o < all->slot_row[to] + capacity ==>
	      all->pos[o] == \at(all->pos[o], Pre); */
	/*@ assert more: all->inuse[to] == \at(all->inuse[to], Pre) + 1; */
}

/* The object in slot `from` of z is now that in the next slot of another zspage. */
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
    requires owned: class_owned(class);
    requires owners: class_owners(class);
    requires handles: handles_ok(class->handles);
    requires records: class_record(class, z) && class_record(class, to) && z != to;
    requires from: from < class->capacity && class_live(class, z, from);
    requires room: class->zspages->inuse[to] < class->capacity;
    requires slot: slot ==
      class->zspages->at[class->zspages->slot_row[to] + class->zspages->inuse[to]];
    terminates \true;
    assigns class->zspages->inuse[z], class->zspages->inuse[to],
      class->zspages->owner[class->zspages->slot_row[z] + from],
      class->zspages->owner[class->zspages->slot_row[to] + slot],
      class->handles->entry[class->zspages->owner[class->zspages->slot_row[z] + from]],
      class->zspages->at[class->zspages->slot_row[z] ..
        class->zspages->slot_row[z] + class->capacity - 1],
      class->zspages->pos[class->zspages->slot_row[z] ..
        class->zspages->slot_row[z] + class->capacity - 1];
    ensures less: class->zspages->inuse[z] == \old(class->zspages->inuse[z]) - 1;
    ensures more: class->zspages->inuse[to] == \old(class->zspages->inuse[to]) + 1;
    ensures owner: class->zspages->owner[class->zspages->slot_row[to] + slot] ==
      \old(class->zspages->owner[class->zspages->slot_row[z] + from]);
    ensures none: class->zspages->owner[class->zspages->slot_row[z] + from] == CLASS_NO_OWNER;
    ensures was: \old(class_has(class, class->zspages->owner[class->zspages->slot_row[z] + from]));
    ensures entry: handles_live(class->handles,
        \old(class->zspages->owner[class->zspages->slot_row[z] + from])) &&
      handles_zspage(class->handles,
        \old(class->zspages->owner[class->zspages->slot_row[z] + from])) == to &&
      handles_slot(class->handles,
        \old(class->zspages->owner[class->zspages->slot_row[z] + from])) == slot;
    ensures at: slots_at(class->zspages->at + class->zspages->slot_row[z],
      class->zspages->pos + class->zspages->slot_row[z], class->capacity);
    ensures pos: slots_pos(class->zspages->at + class->zspages->slot_row[z],
      class->zspages->pos + class->zspages->slot_row[z], class->capacity);
    ensures live_from: \forall integer o; class->zspages->slot_row[z] <= o <
        class->zspages->slot_row[z] + class->capacity ==>
      (class->zspages->pos[o] < class->zspages->inuse[z] <==>
        \old(class->zspages->pos[o] < class->zspages->inuse[z]) &&
        o != class->zspages->slot_row[z] + from);
    ensures live_to: \forall integer o; class->zspages->slot_row[to] <= o <
        class->zspages->slot_row[to] + class->capacity ==>
      (class->zspages->pos[o] < class->zspages->inuse[to] <==>
        \old(class->zspages->pos[o] < class->zspages->inuse[to]) ||
        o == class->zspages->slot_row[to] + slot);
    ensures columns: handles_columns(class->handles);
    ensures generations: handles_generations(class->handles);
    ensures retire: handles_retire(class->handles);
    ensures links: handles_links(class->handles);
    ensures apart: handles_apart(class->handles);
    ensures stacks: \forall integer top;
      \old(handles_top(class->handles, top)) ==> handles_top(class->handles, top);
    ensures aged: handles_aged{Pre, Post}(class->handles);
    ensures still_valid: \forall integer h; 0 <= h && \old(handle_valid(class->handles, h)) ==>
      handle_valid(class->handles, h);
    ensures generation: handles_generation(class->handles,
        \old(class->zspages->owner[class->zspages->slot_row[z] + from])) ==
      \old(handles_generation(class->handles,
        class->zspages->owner[class->zspages->slot_row[z] + from]));
    ensures others: class_other_slots{Pre, Post}(class, z);
    ensures entries: \forall integer i; 0 <= i < class->handles->given &&
      i != \old(class->zspages->owner[class->zspages->slot_row[z] + from]) ==>
      class->handles->entry[i] == \old(class->handles->entry[i]);
*/
static void relocate(struct zs_class *class, uint32_t z, uint32_t from, uint32_t to, uint32_t slot)
{
	struct zspages *all = class->zspages;
	/*@ assert apart: all->slot_row[z] + class->capacity <= all->slot_row[to] ||
	      all->slot_row[to] + class->capacity <= all->slot_row[z]; */
	/*@ assert room: all->slot_row[z] + class->capacity <= all->slots_max &&
	      all->slot_row[to] + class->capacity <= all->slots_max; */
	/*@ assert at_pos: \separated(all->pos + (all->slot_row[to] ..
	        all->slot_row[to] + class->capacity - 1),
	      all->at + (all->slot_row[z] .. all->slot_row[z] + class->capacity - 1)); */
	/*@ assert place: all->slot_row[z] + from < all->slots_max <= UINT32_MAX; */
	/*@ assert owner: all->owner[all->slot_row[z] + from] != CLASS_NO_OWNER; */
	/*@ assert owns: 0 <= all->owner[all->slot_row[z] + from]; */
	/*@ assert cast: (uint32_t)(all->slot_row[z] + from) == all->slot_row[z] + from; */
	uint32_t entry = (uint32_t)all->owner[all->slot_row[z] + from];

	/*@ assert entry: entry < class->handles->given && handles_live(class->handles, entry) &&
	      handles_zspage(class->handles, entry) == z &&
	      handles_slot(class->handles, entry) == from; */
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
	/*@ ghost row_next(all->at, all->pos, all->slot_row[to], all->inuse[to], class->capacity); */
	/*@ assert place_to: all->slot_row[to] + slot < all->slots_max; */
	rehouse(all, z, from, to, slot, entry) /*@ ghost (class->capacity) */;
	handle_move(class->handles, entry, to, slot);
}

void class_move(struct zs_class *class, uint32_t z, uint32_t from, uint32_t to)
{
	/*@ assert at_to: slots_at(class->zspages->at + class->zspages->slot_row[to],
	      class->zspages->pos + class->zspages->slot_row[to], class->capacity); */
	/*@ assert pos_to: slots_pos(class->zspages->at + class->zspages->slot_row[to],
	      class->zspages->pos + class->zspages->slot_row[to], class->capacity); */
	/*@ ghost row_next(class->zspages->at, class->zspages->pos, class->zspages->slot_row[to],
	      class->zspages->inuse[to], class->capacity); */
	uint32_t slot = next_slot(class->zspages, to);
	uint32_t pieces = copy(class, z, from, to, slot);

	/*@ ghost Copied: ; */
	/*@ assert bytes: class_moved_bytes{Pre, Here}(class, z, from, to, slot); */
	relocate(class, z, from, to, slot);
	class->copies += pieces;
	class->moved++;
	/*@ assert same: class_same{Pre, Here}(class); */
	/*@ assert same_zspages: class_same_zspages{Pre, Here}(class); */
	/*@ assert same_ring: class_same_ring{Pre, Here}(class); */
	/*@ assert same_rows: class_same_rows{Pre, Here}(class); */
	/*@ assert same_pages: class_same_pages{Copied, Here}(class); */
	/*@ assert same_tables: class_same_tables{Copied, Here}(class); */
	/*@ assert same_lists: class_same_lists{Pre, Here}(class); */
	/*@ assert rows: class_rows_kept{Pre, Here}(class); */
	/*@ assert other_slots: class_other_slots{Pre, Here}(class, z); */
	/*@ assert other_rows: class_other_rows{Pre, Here}(class, z); */
	/*@ assert other_places: class_other_places{Pre, Here}(class, z); */
	/*@ assert at: class_at(class); */
	/*@ assert pos: class_pos(class); */
	/*@ assert inuse: class_moved_inuse{Pre, Here}(class, z, to); */
	/*@ assert owner: class_moved_owner{Pre, Here}(class, class->zspages->slot_row[z] + from,
	      class->zspages->slot_row[to] + slot); */
	/*@ assert live: class_moved_live{Pre, Here}(class, class->zspages->slot_row[z] + from,
	      class->zspages->slot_row[to] + slot); */
	/*@ assert entry: class_moved_entry{Pre, Here}(class,
	      \at(class->zspages->owner[class->zspages->slot_row[z] + from], Pre), to, class->zspages->slot_row[to] + slot); */
	/*@ assert in_z: class_in_row{Pre}(class, z, \at(class->zspages->slot_row[z] + from, Pre)); */
	/*@ assert in_to: class_in_row{Pre}(class, to, \at(class->zspages->slot_row[to], Pre) + slot); */
	/*@ assert kept: class_bytes_kept{Copied, Here}(class); */
	/*@ assert moved: class_moved_bytes{Pre, Here}(class, z, from, to, slot); */
	/*@ assert named: class_named{Pre}(class); */
	/*@ assert valid: class_still_valid{Pre, Here}(class); */
	/*@ assert stable: class_stable{Pre, Here}(class); */
	/*@ assert dead: class_dead{Pre, Here}(class); */
}

/* A listed zspage is one of those held: counted by induction, for the proof alone. */
/*@ ghost
  /@ requires ring: \valid_read(list + (0 .. records - 1));
     requires z: heads <= z < records && first <= list[z] < end;
     terminates \true;
     assigns \nothing;
     ensures some: 1 <= class_on(list, first, end, heads, records);
  @/
  void count_held(int32_t *list, uint64_t heads, uint64_t records, uint32_t z, int64_t first,
		  int64_t end)
  {
    /@ loop invariant place: heads <= i <= records;
       loop invariant on: (z < i ? 1 : 0) <= class_on(list, first, end, heads, i);
       loop assigns i;
       loop variant records - i;
    @/
    for (uint64_t i = heads; i < records; i++)
      ;
  }
*/

/* One zspage fewer is held. */
/*@
#include "class_memory.acsl"
    requires ring: ring_ok(&class->zspages->ring);
    requires occupied: class_occupied(class, -1);
    requires some: 0 < class->held && class->capacity <= class->allocated;
    terminates \true;
    assigns class->held, class->allocated;
#include "class_kept.acsl"
    ensures occupied: class_occupied(class, -1);
    ensures held: class->held == \old(class->held) - 1;
    ensures allocated: class->allocated == \old(class->allocated) - class->capacity;
    ensures words: \forall uint64_t *p; p != &class->held && p != &class->allocated ==>
      *p == \old(*p);
*/
static void unhold(struct zs_class *class)
{
	class->held--;
	class->allocated -= class->capacity;
	/*@ assert same: class_same{Pre, Here}(class); */
	/*@ assert same_ring: class_same_ring{Pre, Here}(class); */
	/*@ assert counts: class_same_counts{Pre, Here}(class); */
	/*@ assert words: class_same_words{Pre, Here}(class); */
	/*@ assert bits: class_same_bits{Pre, Here}(class); */
	/*@ assert firsts: class_same_firsts{Pre, Here}(class, -1); */
}

/* Takes a held zspage off to the emptied ones. */
/*@
#include "class_memory.acsl"
    requires ring: ring_ok(&class->zspages->ring);
    requires occupied: class_occupied(class, -1);
    requires own: class_own_lists(class);
    requires placed: class_placed(class, z);
    requires record: class_record(class, z) && class_listed(class, z);
    terminates \true;
    assigns class->zspages->ring.next[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.prev[0 .. class->zspages->ring.records - 1],
      class->zspages->ring.list[z], class->zspages->ring.count[class->zspages->ring.list[z]],
      class->zspages->ring.count[class->first_list + class->groups + CLASS_EMPTIED],
      class->occupied[0 .. (class->groups - 1) / 64];
#include "class_kept.acsl"
    ensures list: class->zspages->ring.list[z] == class->first_list + class->groups + CLASS_EMPTIED;
    ensures others: class_others_list{Pre, Post}(class, z);
    ensures occupied: class_occupied(class, -1);
    ensures own: class_own_lists(class);
    ensures placed: class_placed(class, -1);
    ensures words: class_same_words_but{Pre, Post}(class);
    ensures links: class_same_links_but{Pre, Post}(class);
    ensures on: class_on_to(class, class->zspages->ring.records) ==
      \old(class_on_to(class, class->zspages->ring.records)) - 1;
*/
static void drop(struct zs_class *class, uint32_t z)
{
	/*@ assert cells: \forall uint64_t *p; \separated(p,
	      class->zspages->ring.count + (0 .. class->zspages->ring.heads - 1)) ==>
	      p != class->zspages->ring.count + class->zspages->ring.list[z] && p !=
	        class->zspages->ring.count + (class->first_list + class->groups + CLASS_EMPTIED); */
	lists_empty(class, z);
	/*@ assert words: class_same_words_but{Pre, Here}(class); */
	/*@ assert links: class_same_links_but{Pre, Here}(class); */
	/*@ ghost
	  /@ loop invariant place: class->zspages->ring.heads <= i <= class->zspages->ring.records;
	     loop invariant on: class_on_to(class, \at(i, Here)) ==
	       class_on_to{Pre}(class, \at(i, Here)) - (z < i ? 1 : 0);
	     loop assigns i;
	     loop variant class->zspages->ring.records - i;
	  @/
	  for (uint64_t i = class->zspages->ring.heads; i < class->zspages->ring.records; i++)
	    ;
	*/
}

bool class_discard(struct zs_class *class, uint32_t z)
{
	if (class->zspages->inuse[z] != 0 || zspage_is_kept(class->zspages, z))
		return false;
	/*@ ghost count_held(class->zspages->ring.list, class->zspages->ring.heads,
	      class->zspages->ring.records, z, class->first_list,
	      (int64_t)class->first_list + class->groups); */
	/*@ assert on: 1 <= class_on_to(class, class->zspages->ring.records); */
	/*@ assert some: 0 < class->held; */
	/*@ assert room: class->capacity <= class->allocated; */
	/*@ assert positive: handles_positive{Here}(class->handles); */
	unhold(class);
	drop(class, z);
	/*@ assert same: class_same{Pre, Here}(class); */
	/*@ assert same_zspages: class_same_zspages{Pre, Here}(class); */
	/*@ assert same_ring: class_same_ring{Pre, Here}(class); */
	/*@ assert same_columns: class_same_columns{Pre, Here}(class); */
	/*@ assert same_objects: class_same_objects{Pre, Here}(class); */
	/*@ assert same_rows: class_same_rows{Pre, Here}(class); */
	/*@ assert same_slots: class_same_slots{Pre, Here}(class); */
	/*@ assert same_inuse: class_same_inuse{Pre, Here}(class); */
	/*@ assert same_entries: class_same_entries{Pre, Here}(class); */
	/*@ assert same_pages: class_same_pages{Pre, Here}(class); */
	/*@ assert same_tables: class_same_tables{Pre, Here}(class); */
	/*@ assert same_data: class_same_data{Pre, Here}(class); */
	/*@ assert frozen: handles_frozen{Pre, Here}(class->handles); */
	/*@ assert valid: class_same_valid{Pre, Here}(class); */
	/*@ assert all: class_same_all{Pre, Here}(class); */
	return true;
}
