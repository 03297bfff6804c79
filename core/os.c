/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, madvise */
#include "os.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void *os_reserve(size_t bytes)
{
	void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return start == MAP_FAILED ? NULL : start;
}

void os_unreserve(void *start, size_t bytes)
{
	munmap(start, bytes);
}

void os_release(void *start, size_t bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = ((uintptr_t)start + page - 1) / page * page;
	uintptr_t to = ((uintptr_t)start + bytes) / page * page;

	if (from < to)
		madvise((char *)start + (from - (uintptr_t)start), to - from, MADV_DONTNEED);
}
