/* SPDX-License-Identifier: GPL-2.0 */
/* locks_none - one thread, which nobody watches: locks are nothing. For measuring. */
#ifndef SHIM_LOCKS_H
#define SHIM_LOCKS_H

#include "atomic_plain.h"

#define SHIM_PER_THREAD

typedef struct {
} spinlock_t, rwlock_t, local_lock_t;
#define DEFINE_SPINLOCK(name) spinlock_t name __attribute__((unused))
#define INIT_LOCAL_LOCK(name) \
	{                     \
	}

#define SHIM_NOTHING(lock) ((void)(lock))
#define spin_lock_init SHIM_NOTHING
#define spin_lock SHIM_NOTHING
#define spin_unlock SHIM_NOTHING
#define assert_spin_locked SHIM_NOTHING
#define rwlock_init SHIM_NOTHING
#define read_lock SHIM_NOTHING
#define read_unlock SHIM_NOTHING
#define write_lock SHIM_NOTHING
#define write_unlock SHIM_NOTHING
#define local_lock SHIM_NOTHING
#define local_unlock SHIM_NOTHING
#define SINGLE_DEPTH_NESTING 1
#define write_lock_nested(lock, depth) write_lock(lock)
#define spin_is_contended(lock) 0
#define rwlock_is_contended(lock) 0
#define cond_resched() ((void)0)

#define shim_locks_held() 0
#define shim_wait() SHIM_FAIL("waits for a page that nobody will unlock")

#endif
