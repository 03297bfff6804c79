/* SPDX-License-Identifier: BSD-3-Clause */
/* The header before an object isn't the caller's. */
#include "misuse.h"

int main(void)
{
	struct zs_pool *pool = make_pool(ZS_KERNEL_6_12);
	zs_handle handle;
	struct zs_view view;
	const uint8_t *data;

	make_object(pool, 56, 1);
	handle = make_object(pool, 56, 2);
	data = look(pool, handle, 56, &view);
	sink = data[0];
	sink = data[-1]; /* asan: use-after-poison */
	expect(ZS_OK, zs_read_end(pool, &view));
	return zs_pool_destroy(pool);
}
