/* SPDX-License-Identifier: BSD-3-Clause */
/* capture_codec - the compressors that zram offers, as far as only the size matters. */
#ifndef CAPTURE_CODEC_H
#define CAPTURE_CODEC_H

#include <stddef.h>

struct codec;

/*
 * "lzo", "lz4" or "zstd", for inputs of up to most bytes. NULL: another name (errno EINVAL) or no
 * memory.
 */
struct codec *codec_open(const char *name, size_t most);
void codec_close(struct codec *codec);

/*
 * Compressed size of size bytes (1 .. most), as zram's default level gives it; 0 when the codec
 * failed.
 */
size_t codec_compress(struct codec *codec, const void *data, size_t size);

#endif
