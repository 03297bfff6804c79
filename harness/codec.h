/* SPDX-License-Identifier: BSD-3-Clause */
/* codec - the compressors that zram offers, at the levels that it uses. */
#ifndef CODEC_H
#define CODEC_H

#include <stddef.h>

struct codec;

/* The index-th codec's name: "lzo", "lz4", "zstd", then NULL. */
const char *codec_name(size_t index);

/* For inputs of up to most bytes. NULL: no codec of that name (errno EINVAL), or no memory. */
struct codec *codec_open(const char *name, size_t most);
void codec_close(struct codec *codec);

/* Bytes that an input may grow to, at most. */
size_t codec_bound(const struct codec *codec);

/*
 * Compresses size bytes (1 .. most) and returns their compressed size; 0 when the codec failed. *out
 * is where they are until the next call. O(size).
 */
size_t codec_compress(struct codec *codec, const void *data, size_t size, const void **out);

/*
 * Decompresses size bytes, whatever they are, to room bytes. Returns 0, or -1 when they aren't what
 * exactly that many bytes compress to (out is undefined then, nothing beyond it is touched).
 * O(size + room).
 */
int codec_decompress(struct codec *codec, const void *data, size_t size, void *out, size_t room);

#endif
