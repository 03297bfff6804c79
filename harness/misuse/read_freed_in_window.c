/* SPDX-License-Identifier: BSD-3-Clause */
/* An object freed within its own window shows undefined bytes: reading is right, deciding is not. */
#include "misuse.h"

int main(void)
{
	struct zs_pool *pool = make_pool(ZS_NATIVE);
	zs_handle handle = make_object(pool, 64, 1);
	struct zs_view view;
	const uint8_t *data = look(pool, handle, 64, &view);

	expect(ZS_OK, zs_free(pool, handle));
	sink = data[63];
	if (data[0] == 1) /* msan: use-of-uninitialized-value from zs_free */
		sink = 1;
	expect(ZS_OK, zs_read_end(pool, &view));
	return zs_pool_destroy(pool);
}
