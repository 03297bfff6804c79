/* SPDX-License-Identifier: GPL-2.0 */
/* locks_pthread - many threads: real locks, and atomics that are. A thread stands for a CPU. */
#ifndef SHIM_LOCKS_H
#define SHIM_LOCKS_H

#include <pthread.h>
#include <sched.h>

#include "base.h"

#define SHIM_PER_THREAD __thread

#define shim_fetch_add(p, value) __atomic_fetch_add(p, value, __ATOMIC_SEQ_CST)
#define shim_fetch_or(p, value) __atomic_fetch_or(p, value, __ATOMIC_SEQ_CST)
#define shim_fetch_and(p, value) __atomic_fetch_and(p, value, __ATOMIC_SEQ_CST)
#define shim_exchange(p, value) __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST)

/* waiting: threads that want it and haven't got it, for the kernel's is_contended. */
typedef struct {
	pthread_mutex_t mutex;
	int waiting;
	bool held;
} spinlock_t;
typedef struct {
	pthread_rwlock_t lock;
	int waiting;
} rwlock_t;
typedef struct {
	bool held; /* by this thread, as each has its own */
} local_lock_t;
#define DEFINE_SPINLOCK(name) spinlock_t name = { .mutex = PTHREAD_MUTEX_INITIALIZER }
#define INIT_LOCAL_LOCK(name) \
	{                     \
		false         \
	}

static inline void spin_lock_init(spinlock_t *lock)
{
	pthread_mutex_init(&lock->mutex, NULL);
	lock->waiting = 0;
	lock->held = false;
}

static inline void spin_lock(spinlock_t *lock)
{
	shim_fetch_add(&lock->waiting, 1);
	pthread_mutex_lock(&lock->mutex);
	shim_fetch_add(&lock->waiting, -1);
	lock->held = true;
}

static inline void spin_unlock(spinlock_t *lock)
{
	lock->held = false;
	pthread_mutex_unlock(&lock->mutex);
}

static inline void rwlock_init(rwlock_t *lock)
{
	pthread_rwlock_init(&lock->lock, NULL);
	lock->waiting = 0;
}

static inline void read_lock(rwlock_t *lock)
{
	shim_fetch_add(&lock->waiting, 1);
	pthread_rwlock_rdlock(&lock->lock);
	shim_fetch_add(&lock->waiting, -1);
}

static inline void write_lock(rwlock_t *lock)
{
	shim_fetch_add(&lock->waiting, 1);
	pthread_rwlock_wrlock(&lock->lock);
	shim_fetch_add(&lock->waiting, -1);
}

static inline void read_unlock(rwlock_t *lock)
{
	pthread_rwlock_unlock(&lock->lock);
}

static inline void write_unlock(rwlock_t *lock)
{
	pthread_rwlock_unlock(&lock->lock);
}

#define assert_spin_locked(lock) BUG_ON(!(lock)->held)
#define local_lock(lock) \
	((void)SHIM_CHECK((lock)->held, "local_lock: held"), (void)((lock)->held = true))
#define local_unlock(lock) ((void)((lock)->held = false))
#define SINGLE_DEPTH_NESTING 1
#define write_lock_nested(lock, depth) write_lock(lock)
#define spin_is_contended(lock) (__atomic_load_n(&(lock)->waiting, __ATOMIC_RELAXED) > 0)
#define rwlock_is_contended spin_is_contended
#define cond_resched() sched_yield()

#define shim_locks_held() 0
#define shim_wait() sched_yield()

#endif
