/* SPDX-License-Identifier: GPL-2.0 */
/* CPUs, and what is entered with them. */
#include <linux/zpool.h>

#include <pthread.h>

static int (*cpu_up)(unsigned int), (*cpu_down)(unsigned int);
static SHIM_PER_THREAD bool up;
static pthread_key_t at_end; /* of a thread */

static void go_down(void *unused)
{
	(void)unused;
	if (up && cpu_down)
		cpu_down(0);
	up = false;
}

int cpuhp_setup_state(int state, const char *name, int (*to_up)(unsigned int),
		      int (*to_down)(unsigned int))
{
	(void)state, (void)name;
	cpu_up = to_up;
	cpu_down = to_down;
	return pthread_key_create(&at_end, go_down);
}

void cpuhp_remove_state(int state)
{
	(void)state;
	go_down(NULL);
	pthread_key_delete(at_end);
}

void machine_enter(struct machine *entered)
{
	machine = entered;
	if (likely(up) || !cpu_up)
		return;
	BUG_ON(cpu_up(0));
	up = true;
	pthread_setspecific(at_end, &up);
}

/* Allocators are called directly, so the list of them isn't kept. */
void zpool_register_driver(struct zpool_driver *driver)
{
	(void)driver;
}

int zpool_unregister_driver(struct zpool_driver *driver)
{
	(void)driver;
	return 0;
}
