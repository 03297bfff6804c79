/* SPDX-License-Identifier: BSD-3-Clause */
#include "held.h"

/*@
#include "held_steps.acsl"
*/

uint32_t held_take(struct zs_class *class, uint32_t z)
{
	if (z != RING_NONE)
		lists_leave(class, z);
	return z;
}

void held_put(struct zs_class *class, uint32_t z)
{
	lists_regroup(class, z);
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
