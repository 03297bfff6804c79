/* SPDX-License-Identifier: BSD-3-Clause */
/* A pointer is kept while compaction moves the object. */
#include "misuse.h"

enum { OBJECTS = 3 * 64 }; /* of 64 bytes, so three zspages */

int main(void)
{
	struct zs_pool *pool = make_pool(ZS_NATIVE);
	zs_handle handle[OBJECTS], moved;
	struct zs_location before, after;
	struct zs_view view;
	uint8_t first;
	const uint8_t *data;

	for (int i = 0; i < OBJECTS; i++)
		handle[i] = make_object(pool, 64, (uint8_t)i);
	for (int i = 0; i < OBJECTS; i++)
		if (i % 4 != 0)
			expect(ZS_OK, zs_free(pool, handle[i]));
	moved = handle[0];
	expect(ZS_OK, zs_locate(pool, moved, &before));
	data = look(pool, moved, 64, &view);
	expect(ZS_OK, zs_read_end(pool, &view));
	zs_compact(pool);
	expect(ZS_OK, zs_locate(pool, moved, &after));
	if (before.zspage == after.zspage)
		return 2;
	first = data[0]; /* asan: use-after-poison */
	if (first == 0)  /* msan: use-of-uninitialized-value from zs_compact */
		sink = 1;
	return zs_pool_destroy(pool);
}
