/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <lz4.h>
#include <lzo/lzo1x.h>
#include <zstd.h>

#define ZSTD_LEVEL 3 /* zram's default */
#define WRONG SIZE_MAX

/* compress returns 0, decompress WRONG, when it fails; else both return the bytes that came out. */
struct kind {
	const char *name;
	size_t work_size;
	size_t (*bound)(size_t size);
	size_t (*compress)(struct codec *codec, const void *data, size_t size);
	size_t (*decompress)(struct codec *codec, const void *data, size_t size, void *out,
			     size_t room);
};

struct codec {
	const struct kind *kind;
	size_t room;
	void *out;
	void *work;
	ZSTD_CCtx *compressor;
	ZSTD_DCtx *decompressor;
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

static size_t lzo_decompress(struct codec *codec, const void *data, size_t size, void *out,
			     size_t room)
{
	lzo_uint length = room;

	if (lzo1x_decompress_safe(data, size, out, &length, codec->work) != LZO_E_OK)
		return WRONG;
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

static size_t lz4_decompress(struct codec *codec, const void *data, size_t size, void *out,
			     size_t room)
{
	int length = LZ4_decompress_safe(data, out, (int)size, (int)room);

	(void)codec;
	return length < 0 ? WRONG : (size_t)length;
}

static size_t zstd_compress(struct codec *codec, const void *data, size_t size)
{
	size_t length = ZSTD_compressCCtx(codec->compressor, codec->out, codec->room, data, size,
					  ZSTD_LEVEL);

	return ZSTD_isError(length) ? 0 : length;
}

static size_t zstd_decompress(struct codec *codec, const void *data, size_t size, void *out,
			      size_t room)
{
	size_t length = ZSTD_decompressDCtx(codec->decompressor, out, room, data, size);

	return ZSTD_isError(length) ? WRONG : length;
}

static const struct kind kinds[] = {
	{ "lzo", LZO1X_1_MEM_COMPRESS, lzo_bound, lzo_compress, lzo_decompress },
	{ "lz4", 0, lz4_bound, lz4_compress, lz4_decompress },
	{ "zstd", 0, ZSTD_compressBound, zstd_compress, zstd_decompress },
};

const char *codec_name(size_t index)
{
	return index < sizeof(kinds) / sizeof(kinds[0]) ? kinds[index].name : NULL;
}

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; codec_name(i); i++)
		if (!strcmp(codec_name(i), name))
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
	codec->compressor = ZSTD_createCCtx();
	codec->decompressor = ZSTD_createDCtx();
	if (codec->out && codec->work && codec->compressor && codec->decompressor)
		return codec;
	codec_close(codec);
	errno = ENOMEM;
	return NULL;
}

void codec_close(struct codec *codec)
{
	ZSTD_freeDCtx(codec->decompressor);
	ZSTD_freeCCtx(codec->compressor);
	free(codec->work);
	free(codec->out);
	free(codec);
}

size_t codec_bound(const struct codec *codec)
{
	return codec->room;
}

size_t codec_compress(struct codec *codec, const void *data, size_t size, const void **out)
{
	*out = codec->out;
	return codec->kind->compress(codec, data, size);
}

int codec_decompress(struct codec *codec, const void *data, size_t size, void *out, size_t room)
{
	return codec->kind->decompress(codec, data, size, out, room) == room ? 0 : -1;
}
