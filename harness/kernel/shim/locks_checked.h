/* SPDX-License-Identifier: GPL-2.0 */
/*
 * locks_checked - one thread: a lock that is taken twice, given back without being held, or still held when
 * a call returns is a bug in the kernel's file.
 */
#ifndef SHIM_LOCKS_H
#define SHIM_LOCKS_H

#include "atomic_plain.h"
#include "bug.h"

#define SHIM_PER_THREAD

typedef struct {
	bool held;
} spinlock_t, local_lock_t;
typedef struct {
	unsigned int readers;
	bool written;
} rwlock_t;
#define DEFINE_SPINLOCK(name) spinlock_t name
#define INIT_LOCAL_LOCK(name) \
	{                     \
		false         \
	}

#define shim_locks_held() shim_held

#define SHIM_TAKE(taken, condition, what) \
	((void)SHIM_CHECK(condition, what), (taken), (void)shim_held++)
#define SHIM_GIVE(given, condition, what) \
	((void)SHIM_CHECK(condition, what), (given), (void)shim_held--)

#define spin_lock_init(lock) ((void)((lock)->held = false))
#define spin_lock(lock) \
	SHIM_TAKE((lock)->held = true, (lock)->held, "spin_lock(" #lock "): held already")
#define spin_unlock(lock) \
	SHIM_GIVE((lock)->held = false, !(lock)->held, "spin_unlock(" #lock "): not held")
#define assert_spin_locked(lock) BUG_ON(!(lock)->held)
#define rwlock_init(lock) ((void)(*(lock) = (rwlock_t){ 0 }))
#define read_lock(lock) \
	SHIM_TAKE((lock)->readers++, (lock)->written, "read_lock(" #lock "): write-locked")
#define read_unlock(lock) \
	SHIM_GIVE((lock)->readers--, !(lock)->readers, "read_unlock(" #lock "): not held")
#define write_lock(lock)                                                      \
	SHIM_TAKE((lock)->written = true, (lock)->written || (lock)->readers, \
		  "write_lock(" #lock "): held already")
#define write_unlock(lock) \
	SHIM_GIVE((lock)->written = false, !(lock)->written, "write_unlock(" #lock "): not held")
#define local_lock spin_lock
#define local_unlock spin_unlock
#define SINGLE_DEPTH_NESTING 1
#define write_lock_nested(lock, depth) write_lock(lock)
#define spin_is_contended(lock) 0
#define rwlock_is_contended(lock) 0
#define cond_resched() BUG_ON(shim_held)

#define shim_wait() SHIM_FAIL("waits for a page that nobody will unlock")

#endif
