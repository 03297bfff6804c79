/* SPDX-License-Identifier: BSD-3-Clause */
/* array - arrays that grow. */
#ifndef ARRAY_H
#define ARRAY_H

#include <stddef.h>

/*
 * Makes room for count elements of the size given in *array, a pointer to elements; *room is 0 and
 * the pointer NULL at first. Returns 0, or -1 when memory is out (nothing changed). Amortised
 * O(1).
 */
int array_reserve(void *array, size_t count, size_t *room, size_t element);

#endif
