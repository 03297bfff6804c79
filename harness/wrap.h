/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wrap - arithmetic modulo 2^64 and 2^32, as hashes and random numbers want it. Any other unsigned overflow
 * is taken for a mistake by the sanitizer builds.
 */
#ifndef WRAP_H
#define WRAP_H

#include <stdint.h>

static inline uint64_t wrap_add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	(void)__builtin_add_overflow(a, b, &sum);
	return sum;
}

static inline uint64_t wrap_mul(uint64_t a, uint64_t b)
{
	uint64_t product;

	(void)__builtin_mul_overflow(a, b, &product);
	return product;
}

/* FNV-1a, a step for each value: begin with HASH_START. */
#define HASH_START 0xcbf29ce484222325u

static inline uint64_t hash_add(uint64_t hash, uint64_t value)
{
	return wrap_mul(hash ^ value, 0x100000001b3u);
}

static inline uint32_t wrap_mul32(uint32_t a, uint32_t b)
{
	return (uint32_t)((uint64_t)a * b);
}

#endif
