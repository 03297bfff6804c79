/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * os - the only file that calls the operating system. Bytes everywhere. Thread-safe, as the OS is.
 */
#ifndef OS_H
#define OS_H

#include <stddef.h>

/* Zeroed address space, committed page by page as it is touched; NULL when there is none left. */
void *os_reserve(size_t bytes);

/* Gives back what os_reserve returned, whole. */
void os_unreserve(void *start, size_t bytes);

/*
 * Lets the OS have the memory, not the addresses, of the whole OS pages in a range: it reads as
 * zeros later.
 */
void os_release(void *start, size_t bytes);

#endif
