/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture_codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <lz4.h>
#include <lzo/lzo1x.h>
#include <zstd.h>

#define ZSTD_LEVEL 3 /* zram's default */

struct kind {
	const char *name;
	size_t work_size;
	size_t (*bound)(size_t size);
	size_t (*compress)(struct codec *codec, const void *data, size_t size);
};

struct codec {
	const struct kind *kind;
	size_t room;
	void *out;
	void *work;
	ZSTD_CCtx *zstd;
};

/* The bound that LZO's author gives. */
static size_t lzo_bound(size_t size)
{
	return size + size / 16 + 64 + 3;
}

static size_t lzo_compress(struct codec *codec, const void *data, size_t size)
{
	lzo_uint length = codec->room;

	if (lzo1x_1_compress(data, size, codec->out, &length, codec->work) != LZO_E_OK)
		return 0;
	return length;
}

static size_t lz4_bound(size_t size)
{
	return (size_t)LZ4_compressBound((int)size);
}

static size_t lz4_compress(struct codec *codec, const void *data, size_t size)
{
	return (size_t)LZ4_compress_default(data, codec->out, (int)size, (int)codec->room);
}

static size_t zstd_compress(struct codec *codec, const void *data, size_t size)
{
	size_t length =
		ZSTD_compressCCtx(codec->zstd, codec->out, codec->room, data, size, ZSTD_LEVEL);

	return ZSTD_isError(length) ? 0 : length;
}

static const struct kind kinds[] = {
	{ "lzo", LZO1X_1_MEM_COMPRESS, lzo_bound, lzo_compress },
	{ "lz4", 0, lz4_bound, lz4_compress },
	{ "zstd", 0, ZSTD_compressBound, zstd_compress },
};

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	errno = EINVAL;
	return NULL;
}

struct codec *codec_open(const char *name, size_t most)
{
	const struct kind *kind = find_kind(name);
	struct codec *codec;

	if (!kind)
		return NULL;
	codec = calloc(1, sizeof(*codec));
	if (!codec)
		return NULL;
	codec->kind = kind;
	codec->room = kind->bound(most);
	codec->out = malloc(codec->room);
	codec->work = malloc(kind->work_size + 1);
	codec->zstd = ZSTD_createCCtx();
	if (codec->out && codec->work && codec->zstd)
		return codec;
	codec_close(codec);
	errno = ENOMEM;
	return NULL;
}

void codec_close(struct codec *codec)
{
	ZSTD_freeCCtx(codec->zstd);
	free(codec->work);
	free(codec->out);
	free(codec);
}

size_t codec_compress(struct codec *codec, const void *data, size_t size)
{
	return codec->kind->compress(codec, data, size);
}
