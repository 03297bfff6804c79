/* SPDX-License-Identifier: GPL-2.0 */
/* atomic_plain - read, modify, write in one thread. */
#ifndef SHIM_ATOMIC_H
#define SHIM_ATOMIC_H

#define shim_fetch_add(p, value)             \
	({                                   \
		__typeof__(*(p)) old = *(p); \
		*(p) += (value);             \
		old;                         \
	})
#define shim_fetch_or(p, value)              \
	({                                   \
		__typeof__(*(p)) old = *(p); \
		*(p) |= (value);             \
		old;                         \
	})
#define shim_fetch_and(p, value)             \
	({                                   \
		__typeof__(*(p)) old = *(p); \
		*(p) &= (value);             \
		old;                         \
	})
#define shim_exchange(p, value)              \
	({                                   \
		__typeof__(*(p)) old = *(p); \
		*(p) = (value);              \
		old;                         \
	})

#endif
