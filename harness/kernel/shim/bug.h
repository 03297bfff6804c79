/* SPDX-License-Identifier: GPL-2.0 */
/* bug - assertions and messages. Each that fires goes to the host's callback (struct zsanity_plugin). */
#ifndef SHIM_BUG_H
#define SHIM_BUG_H

#include "base.h"

/* One line; where is a file, of which the last two parts are told. */
__attribute__((noreturn, cold, format(printf, 3, 4))) void shim_fail(const char *where, int line,
								     const char *format, ...);
void shim_set_failure(void (*failure)(void *context, const char *text), void *context);

extern unsigned int shim_held; /* locks, as locks_checked.h counts them */

#define SHIM_FAIL(...) shim_fail(__FILE__, __LINE__, __VA_ARGS__)
#define SHIM_CHECK(condition, what)            \
	({                                     \
		bool fired = !!(condition);    \
		if (unlikely(fired))           \
			SHIM_FAIL("%s", what); \
		fired;                         \
	})

#define BUG() SHIM_FAIL("BUG()")
#define BUG_ON(condition) ((void)SHIM_CHECK(condition, "BUG_ON(" #condition ")"))
#define WARN_ON(condition) SHIM_CHECK(condition, "WARN_ON(" #condition ")")
#define WARN_ON_ONCE WARN_ON

/* What only kernels with CONFIG_DEBUG_VM check. */
#if SHIM_CHECKS
#define VM_BUG_ON BUG_ON
#define VM_WARN_ON_ONCE WARN_ON
#else
#define VM_BUG_ON(condition) ((void)sizeof((long)(condition)))
#define VM_WARN_ON_ONCE VM_BUG_ON
#endif
#define VM_BUG_ON_PAGE(condition, page) VM_BUG_ON(condition)

/* A kernel that complains has found something; the rest is chatter. */
#define KBUILD_MODNAME "shim"
#define pr_err(...) SHIM_FAIL(__VA_ARGS__)
#define pr_warn pr_err
#define pr_info(...) ((void)0)
#define pr_debug pr_info

#endif
