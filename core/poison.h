/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * poison - what a sanitizer is told about the arena. In a build without one all of it is nothing.
 *
 * ASan: every byte of a page that a zspage has had is poisoned, but for those that an open read
 * window covers. So malloc and free have nothing to tell. A slot's open windows are counted; how
 * many of its bytes they show (the longest window's) is in ASan's own shadow memory. The core's
 * copies go through the guarded_ functions below: they open the bytes that the copy may touch for
 * as long as it lasts, so an overrun of the core's own traps as well.
 *
 * MSan: a zspage's pages are uninitialised when it gets them, and an object's bytes from zs_malloc
 * on until they are written, and in a slot left by free or a move.
 */
#ifndef POISON_H
#define POISON_H

#include "zspages.h"

#ifndef __has_feature
#define __has_feature(feature) 0 /* clang's; gcc defines __SANITIZE_ADDRESS__ */
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define POISON_ASAN 1
#define POISON_MSAN 0
#else
#define POISON_ASAN 0
#define POISON_MSAN __has_feature(memory_sanitizer)
#endif

/* A pool's part in it; looked at in sanitizer builds only. */
struct poison {
	uint16_t *windows; /* by slot row + slot: open windows */
	uint64_t reached;  /* no byte of the arena from here on was ever poisoned */
};

#if POISON_ASAN || POISON_MSAN

enum { POISON_COUNT = sizeof(uint16_t) }; /* bytes of one count in the column of windows */

/* A zspage has got its pages. O(its bytes / 8 + its slots). */
void poison_get(struct poison *poison, const struct zs_class *class, uint32_t z);

/* The pool ends: the arena is ordinary memory again. O(bytes ever held / 8). */
void poison_end(const struct poison *poison, const uint8_t *arena);

/* The bytes of a live entry's object mean nothing: it is new, or about to be freed. O(size). */
void poison_forget(const struct zs_class *class, uint32_t entry);

/* A window opens on the first len bytes in a slot, which lie in one page. O(len / 8). */
void poison_open(struct poison *poison, const struct zs_class *class, uint32_t z, uint32_t slot,
		 uint64_t len);

/*
 * A window that showed `data` closes on a held zspage; data that isn't where one is open, as that
 * of a copy or of a view made up, is passed over. O(size / 8).
 */
void poison_close(struct poison *poison, const struct zs_class *class, uint32_t z,
		  const void *data);

/* As object_read, object_write, object_copy (which leaves the source free) and object_copy_page. */
void guarded_read(const struct object_space *space, const uint64_t *pages, uint32_t slot,
		  uint8_t *to, uint64_t len);
void guarded_write(const struct object_space *space, const uint64_t *pages, uint32_t slot,
		   const uint8_t *from, uint64_t len);
uint32_t guarded_copy(const struct object_space *space, const uint64_t *from_pages, uint32_t from,
		      const uint64_t *to_pages, uint32_t to, uint64_t len);
void guarded_copy_page(struct poison *poison, uint8_t *arena, uint64_t page_size, uint64_t from,
		       uint64_t to);

#else

enum { POISON_COUNT = 0 };

#define poison_get(poison, class, z) ((void)0)
#define poison_end(poison, arena) ((void)0)
#define poison_forget(class, entry) ((void)0)
#define poison_open(poison, class, z, slot, len) ((void)0)
#define poison_close(poison, class, z, data) ((void)0)
#define guarded_read object_read
#define guarded_write object_write
#define guarded_copy object_copy
#define guarded_copy_page(poison, arena, page_size, from, to) \
	object_copy_page(arena, page_size, from, to)

#endif

#endif
