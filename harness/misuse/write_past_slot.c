/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing through a window, and on into the next slot. */
#include "misuse.h"

int main(void)
{
	struct zs_pool *pool = make_pool(ZS_NATIVE);
	zs_handle handle = make_object(pool, 64, 1);
	struct zs_view view;
	uint8_t *data;

	make_object(pool, 64, 2);
	data = (uint8_t *)look(pool, handle, 64, &view);
	data[63] = 9;
	data[64] = 9; /* asan: use-after-poison */
	expect(ZS_OK, zs_read_end(pool, &view));
	return zs_pool_destroy(pool);
}
