/* SPDX-License-Identifier: BSD-3-Clause */
/* Two windows on one zspage: the one still open doesn't cover the object of the other. */
#include "misuse.h"

int main(void)
{
	struct zs_pool *pool = make_pool(ZS_NATIVE);
	zs_handle a = make_object(pool, 64, 1), b = make_object(pool, 64, 2);
	struct zs_view view_a, view_b;
	const uint8_t *data_a = look(pool, a, 64, &view_a), *data_b = look(pool, b, 64, &view_b);

	expect(ZS_OK, zs_read_end(pool, &view_a));
	sink = data_b[63];
	sink = data_a[0]; /* asan: use-after-poison */
	expect(ZS_OK, zs_read_end(pool, &view_b));
	return zs_pool_destroy(pool);
}
