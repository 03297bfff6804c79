/* SPDX-License-Identifier: BSD-3-Clause */
#include "held.h"

/*@
#include "held_steps.acsl"
*/

uint32_t held_take(struct zs_class *class, uint32_t z)
{
	/*@ assert given: class->handles->given <= class->handles->max; */
	/*@ assert positive: handles_positive(class->handles); */
	/*@ assert fields: fields_stay(class) && counters_stay(class); */
	/*@ assert head: z != RING_NONE ==> 0 <= class->zspages->ring.list[z] <
	      class->zspages->ring.heads && z < class->zspages->ring.records; */
	if (z != RING_NONE) {
		lists_leave(class, z);
		/*@ assert numbers: held_numbers{Pre, Here}(class); */
		/*@ assert ints: held_ints{Pre, Here}(class); */
		/*@ assert words: held_words{Pre, Here}(class); */
		/*@ assert counts: class->held == \at(class->held, Pre) &&
		      class->allocated == \at(class->allocated, Pre); */
	}
	/*@ assert numbers: held_numbers{Pre, Here}(class); */
	/*@ assert ints: held_ints{Pre, Here}(class); */
	/*@ assert words: held_words{Pre, Here}(class); */
	/*@ assert counts: class->held == \at(class->held, Pre) &&
	      class->allocated == \at(class->allocated, Pre); */
	/*@ assert others: class_others_list{Pre, Here}(class, z); */
	/*@ assert frame: held_frame{Pre, Here}(class); */
	/*@ assert same: held_same{Pre, Here}(class); */
	/*@ assert apart: held_apart(class); */
	/*@ assert one: z != RING_NONE ==> counts(class, z) == 0 && counts{Pre}(class, z) == 1; */
	/*@ ghost
	  /@ loop invariant place: class->zspages->ring.heads <= i <= class->zspages->ring.records;
	     loop invariant on: class_on_to(class, \at(i, Here)) ==
	       class_on_to{Pre}(class, \at(i, Here)) - (z < i ? 1 : 0);
	     loop assigns i;
	     loop variant class->zspages->ring.records - i;
	  @/
	  for (uint64_t i = class->zspages->ring.heads; i < class->zspages->ring.records; i++) {
	    /@ assert now: class_on_to(class, \at(i, Here) + 1) == class_on_to(class, \at(i, Here)) +
	         counts(class, \at(i, Here)); @/
	    /@ assert then: class_on_to{Pre}(class, \at(i, Here) + 1) ==
	         class_on_to{Pre}(class, \at(i, Here)) + counts{Pre}(class, \at(i, Here)); @/
	    /@ assert other: i != z ==> counts(class, \at(i, Here)) ==
	         counts{Pre}(class, \at(i, Here)); @/
	    /@ assert this: i == z ==> counts(class, \at(i, Here)) == 0 &&
	         counts{Pre}(class, \at(i, Here)) == 1; @/
	  }
	*/
	return z;
}

void held_put(struct zs_class *class, uint32_t z)
{
	/*@ assert given: class->handles->given <= class->handles->max; */
	/*@ assert positive: handles_positive(class->handles); */
	/*@ assert fields: fields_stay(class) && counters_stay(class); */
	lists_regroup(class, z);
	/*@ assert numbers: held_numbers{Pre, Here}(class); */
	/*@ assert ints: held_ints{Pre, Here}(class); */
	/*@ assert words: held_words{Pre, Here}(class); */
	/*@ assert counts: class->held == \at(class->held, Pre) &&
	      class->allocated == \at(class->allocated, Pre); */
	/*@ assert others: class_others_list{Pre, Here}(class, z); */
	/*@ assert frame: held_frame{Pre, Here}(class); */
	/*@ assert same: held_same{Pre, Here}(class); */
	/*@ assert apart: held_apart(class); */
	/*@ ghost
	  /@ loop invariant place: class->zspages->ring.heads <= i <= class->zspages->ring.records;
	     loop invariant on: class_on_to(class, \at(i, Here)) ==
	       class_on_to{Pre}(class, \at(i, Here)) + (\at(class->zspages->ring.list[z], Pre) < 0 && z < i ? 1 : 0);
	     loop assigns i;
	     loop variant class->zspages->ring.records - i;
	  @/
	  for (uint64_t i = class->zspages->ring.heads; i < class->zspages->ring.records; i++) {
	    /@ assert now: class_on_to(class, \at(i, Here) + 1) == class_on_to(class, \at(i, Here)) +
	         counts(class, \at(i, Here)); @/
	    /@ assert then: class_on_to{Pre}(class, \at(i, Here) + 1) ==
	         class_on_to{Pre}(class, \at(i, Here)) + counts{Pre}(class, \at(i, Here)); @/
	    /@ assert other: counts(class, \at(i, Here)) == counts{Pre}(class, \at(i, Here)) +
	         (\at(class->zspages->ring.list[z], Pre) < 0 && i == z ? 1 : 0); @/
	  }
	*/
}

bool held_discard(struct zs_class *class, uint32_t z)
{
	if (class->zspages->inuse[z] != 0 || zspage_is_kept(class->zspages, z))
		return false;
	lists_empty(class, z);
	class->held--;
	class->allocated -= class->capacity;
	return true;
}
