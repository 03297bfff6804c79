/* SPDX-License-Identifier: BSD-3-Clause */
#include "fullness.h"

/*@ requires 0 < capacity <= FULLNESS_MAX_CAPACITY && inuse <= capacity;
    terminates \true;
    assigns \nothing;
    ensures group: \result == ratio_group(inuse, capacity);
*/
static uint32_t ratio_fullness(uint32_t inuse, uint32_t capacity)
{
	if (inuse == 0)
		return 0;
	if (inuse == capacity)
		return 11;
	/* Two divisions, as in the kernel; 10 * inuse / capacity is the same (lemma tenths). */
	return 100 * inuse / capacity / 10 + 1;
}

/*@ requires 0 < capacity <= FULLNESS_MAX_CAPACITY && inuse <= capacity;
    terminates \true;
    assigns \nothing;
    ensures group: \result == threshold_group(inuse, capacity);
*/
static uint32_t threshold_fullness(uint32_t inuse, uint32_t capacity)
{
	if (inuse == 0)
		return 0;
	if (inuse == capacity)
		return 3;
	return inuse <= 3 * capacity / 4 ? 1 : 2;
}

uint32_t fullness(uint32_t grouping, uint32_t inuse, uint32_t capacity)
{
	if (grouping == ZS_RATIO)
		return ratio_fullness(inuse, capacity);
	if (grouping == ZS_THRESHOLD)
		return threshold_fullness(inuse, capacity);
	return inuse;
}

uint32_t fullness_groups(uint32_t grouping, uint32_t capacity)
{
	if (grouping == ZS_RATIO)
		return 12;
	if (grouping == ZS_THRESHOLD)
		return 4;
	return capacity + 1;
}
