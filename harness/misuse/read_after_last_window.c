/* SPDX-License-Identifier: BSD-3-Clause */
/* Nested windows on one object: it stays readable until the last one closes, not longer. */
#include "misuse.h"

int main(void)
{
	struct zs_pool *pool = make_pool(ZS_NATIVE);
	zs_handle handle = make_object(pool, 64, 1);
	struct zs_view outer, inner;
	const uint8_t *data = look(pool, handle, 64, &outer);

	look(pool, handle, 8, &inner);
	expect(ZS_OK, zs_read_end(pool, &outer));
	sink = data[7];
	expect(ZS_OK, zs_read_end(pool, &inner));
	sink = data[7]; /* asan: use-after-poison */
	return zs_pool_destroy(pool);
}
