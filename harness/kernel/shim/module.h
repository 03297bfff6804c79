/* SPDX-License-Identifier: GPL-2.0 */
/* module - loading, CPUs, deferred work, shrinkers, zpool. */
#ifndef SHIM_MODULE_H
#define SHIM_MODULE_H

#include "base.h"
#include "bug.h"
#include "slab.h"

struct zpool_driver; /* <linux/zpool.h> has it, where there is one */

/* ---- modules --------------------------------------------------------------------------------- */

#define THIS_MODULE ((struct module *)NULL)
#define SHIM_NO_MORE(x) _Static_assert(1, "")
#define EXPORT_SYMBOL SHIM_NO_MORE
#define EXPORT_SYMBOL_GPL SHIM_NO_MORE
#define MODULE_ALIAS SHIM_NO_MORE
#define MODULE_LICENSE SHIM_NO_MORE
#define MODULE_AUTHOR SHIM_NO_MORE
#define MODULE_DESCRIPTION SHIM_NO_MORE
#define module_init(function)                                    \
	__attribute__((constructor)) static void shim_load(void) \
	{                                                        \
		BUG_ON(function());                              \
	}
#define module_exit(function)                                     \
	__attribute__((destructor)) static void shim_unload(void) \
	{                                                         \
		function();                                       \
	}

/* ---- CPUs ------------------------------------------------------------------------------------ */

/* A thread is a CPU: it is up from its first machine_enter to its end. */
#define DEFINE_PER_CPU(type, name) SHIM_PER_THREAD type name
#define this_cpu_ptr(p) (p)
#define per_cpu(name, cpu) (*((void)(cpu), &(name)))
#define in_interrupt() 0
#define CPUHP_MM_ZS_PREPARE 1
int cpuhp_setup_state(int state, const char *name, int (*up)(unsigned int),
		      int (*down)(unsigned int));
void cpuhp_remove_state(int state);

/* ---- deferred work --------------------------------------------------------------------------- */

/* It runs when it is flushed, never by itself. */
struct work_struct {
	void (*run)(struct work_struct *work);
	bool pending;
};
#define INIT_WORK(work, function) ((void)(*(work) = (struct work_struct){ function, false }))

/* False: it was pending already. */
static inline bool schedule_work(struct work_struct *work)
{
	return !shim_exchange(&work->pending, true);
}

/* False: it wasn't pending. */
static inline bool flush_work(struct work_struct *work)
{
	bool pending = shim_exchange(&work->pending, false);

	if (pending)
		work->run(work);
	return pending;
}

/* ---- shrinkers ------------------------------------------------------------------------------- */

/* Of both interfaces; there's no memory pressure, so nobody calls them. */
struct shrink_control {
	gfp_t gfp_mask;
	int nid;
	unsigned long nr_to_scan, nr_scanned;
};

struct shrinker {
	unsigned long (*count_objects)(struct shrinker *shrinker, struct shrink_control *control);
	unsigned long (*scan_objects)(struct shrinker *shrinker, struct shrink_control *control);
	long batch;
	int seeks;
	unsigned int flags;
	void *private_data;
};
#define SHRINK_STOP (~0UL)
#define DEFAULT_SEEKS 2
#define register_shrinker(shrinker, ...) ((void)(shrinker), 0)
#define unregister_shrinker(shrinker) ((void)(shrinker))
#define shrinker_alloc(flags, ...) ((struct shrinker *)kzalloc(sizeof(struct shrinker), GFP_KERNEL))
#define shrinker_register(shrinker) ((void)(shrinker))
#define shrinker_free(shrinker) kfree(shrinker)

#endif
