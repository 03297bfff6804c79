/* SPDX-License-Identifier: BSD-3-Clause */
/* An object is freed; its slot is free. */
#include "misuse.h"

int main(void)
{
	struct zs_pool *pool = make_pool(ZS_NATIVE);
	zs_handle handle = make_object(pool, 64, 1);
	struct zs_view view;
	const uint8_t *data = look(pool, handle, 64, &view);

	make_object(pool, 64, 2);
	expect(ZS_OK, zs_read_end(pool, &view));
	expect(ZS_OK, zs_free(pool, handle));
	if (data[0] == 1) /* asan: use-after-poison msan: use-of-uninitialized-value from zs_free */
		sink = 1;
	return zs_pool_destroy(pool);
}
