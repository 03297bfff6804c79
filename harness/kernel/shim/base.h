/* SPDX-License-Identifier: GPL-2.0 */
/* base - types, the compiler, arithmetic, errors as pointers. */
#ifndef SHIM_BASE_H
#define SHIM_BASE_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- types ----------------------------------------------------------------------------------- */

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;
typedef unsigned int gfp_t;
typedef unsigned int isolate_mode_t;
typedef struct {
	int counter;
} atomic_t;
typedef struct {
	long counter;
} atomic_long_t;
struct list_head {
	struct list_head *next, *prev;
};
struct hlist_node {
	struct hlist_node *next, **pprev;
};
struct hlist_head {
	struct hlist_node *first;
};
struct dentry;
struct module;
struct zone;

/* ---- compiler -------------------------------------------------------------------------------- */

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define __init
#define __exit
#define __maybe_unused __attribute__((unused))
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#define __acquires(lock)
#define __releases(lock)
#define data_race(x) (x)
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, value) (*(volatile __typeof__(x) *)&(x) = (value))
#define smp_load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, value) __atomic_store_n(p, value, __ATOMIC_RELEASE)
#define container_of(p, type, member) ((type *)((char *)(p)-offsetof(type, member)))
#define typeof_member(type, member) __typeof__(((type *)0)->member)
#define BUILD_BUG_ON(condition) _Static_assert(!(condition), #condition)
#ifndef static_assert
#define static_assert _Static_assert
#endif

/* IS_ENABLED(CONFIG_X): 1 if CONFIG_X is defined to be 1, else 0. */
#define SHIM_BEFORE_1 ~,
#define SHIM_SECOND(a, b, ...) b
#define SHIM_PROBE(before) SHIM_SECOND(before 1, 0, ~)
#define SHIM_ENABLED(value) SHIM_PROBE(SHIM_BEFORE_##value)
#define SHIM_EXPAND(value) SHIM_ENABLED(value)
#define IS_ENABLED(option) SHIM_EXPAND(option)

/* ---- arithmetic ------------------------------------------------------------------------------ */

#define BITS_PER_LONG 64
#define SZ_16M 0x01000000
#define SHIM_JOIN(a, b) a##b
#define _AC(x, suffix) SHIM_JOIN(x, suffix)
#define min_t(type, x, y)                      \
	({                                     \
		type min_x = (x), min_y = (y); \
		min_x < min_y ? min_x : min_y; \
	})
#define max_t(type, x, y)                      \
	({                                     \
		type max_x = (x), max_y = (y); \
		max_x > max_y ? max_x : max_y; \
	})
#define min(x, y) min_t(__typeof__((x) + (y)), x, y)
#define max(x, y) max_t(__typeof__((x) + (y)), x, y)
/* Constants, so without variables. */
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define DIV_ROUND_UP(n, d) (((n) + (d)-1) / (d))
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static inline bool is_power_of_2(unsigned long n)
{
	return n && !(n & (n - 1));
}

/* ---- errors as pointers ---------------------------------------------------------------------- */

#define MAX_ERRNO 4095
#define IS_ERR_VALUE(x) unlikely((unsigned long)(void *)(x) >= (unsigned long)-MAX_ERRNO)

static inline void *ERR_PTR(long error)
{
	return (void *)error;
}

static inline long PTR_ERR(const void *p)
{
	return (long)p;
}

static inline bool IS_ERR(const void *p)
{
	return IS_ERR_VALUE(p);
}

static inline bool IS_ERR_OR_NULL(const void *p)
{
	return !p || IS_ERR(p);
}

#endif
