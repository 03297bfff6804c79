/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sync - the only way to words that more than one thread may touch one day: handle entries and pin
 * counts.
 *
 * Single-threaded for now, so each is a plain access. Publishing readers' data needs a release
 * store, and resolving a handle an acquire load: the names say which, so that a later build can
 * supply them.
 */
#ifndef SYNC_H
#define SYNC_H

#include <stdint.h>

/* Reads an entry that another thread may publish. */
/*@ requires word: \valid_read(word);
    terminates \true;
    assigns \nothing;
    ensures value: \result == *word;
*/
static inline uint64_t sync_load(const uint64_t *word)
{
	return *word;
}

/* Makes an entry, and all that was written before it, visible. */
/*@ requires word: \valid(word);
    terminates \true;
    assigns *word;
    ensures value: *word == value;
*/
static inline void sync_publish(uint64_t *word, uint64_t value)
{
	*word = value;
}

/* Reads a count that others change relatively. */
/*@ requires count: \valid_read(count);
    terminates \true;
    assigns \nothing;
    ensures value: \result == *count;
*/
static inline uint16_t sync_count(const uint16_t *count)
{
	return *count;
}

/* Raises a count by one, unless it is at its maximum: then 0 is returned, else 1. */
/*@ requires count: \valid(count);
    terminates \true;
    assigns *count;
    ensures pinned: \result == (\old(*count) == UINT16_MAX ? 0 : 1);
    ensures count: *count == \old(*count) + \result;
*/
static inline int sync_pin(uint16_t *count)
{
	if (*count == UINT16_MAX)
		return 0;
	++*count;
	return 1;
}

/* Lowers a count that is above 0 by one. */
/*@ requires count: \valid(count) && *count > 0;
    terminates \true;
    assigns *count;
    ensures count: *count == \old(*count) - 1;
*/
static inline void sync_unpin(uint16_t *count)
{
	--*count;
}

#endif
