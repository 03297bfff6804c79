/* SPDX-License-Identifier: BSD-3-Clause */
#include "array.h"

#include <stdlib.h>
#include <string.h>

int array_reserve(void *array, size_t count, size_t *room, size_t element)
{
	size_t larger = *room ? *room : 16;
	void *moved, *old;

	while (larger < count)
		larger *= 2;
	if (larger == *room)
		return 0;
	memcpy(&old, array, sizeof(old));
	moved = realloc(old, larger * element);
	if (!moved)
		return -1;
	memcpy(array, &moved, sizeof(moved));
	*room = larger;
	return 0;
}
