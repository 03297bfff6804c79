/* SPDX-License-Identifier: GPL-2.0 */
/* poison - memory that must not be used, for ASan; memory with no meaning yet; address space. */
#ifndef SHIM_POISON_H
#define SHIM_POISON_H

#include "base.h"

#ifdef SHIM_SANITIZED
#include <sanitizer/asan_interface.h>

#define poison(p, bytes) ASAN_POISON_MEMORY_REGION(p, bytes)
#define unpoison(p, bytes) ASAN_UNPOISON_MEMORY_REGION(p, bytes)
#define fill_undefined(p, bytes) ((void)__builtin_memset(p, 0xa5, bytes))
#else
#define poison(p, bytes) ((void)(p))
#define unpoison(p, bytes) ((void)(p))
#define fill_undefined(p, bytes) ((void)(p))
#endif

/* Zeroed, committed as it's used. NULL: there's none. */
void *shim_reserve(size_t bytes);
void shim_release(void *p, size_t bytes);

#endif
