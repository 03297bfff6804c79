/* SPDX-License-Identifier: BSD-3-Clause */
/* A new object's bytes are used before they are written, in a slot where another's once were. */
#include "misuse.h"

int main(void)
{
	struct zs_pool *pool = make_pool(ZS_NATIVE);
	zs_handle handle;
	struct zs_view view;
	const uint8_t *data;

	make_object(pool, 64, 1);
	expect(ZS_OK, zs_free(pool, make_object(pool, 64, 2)));
	expect(ZS_OK, zs_malloc(pool, 64, &handle));
	expect(ZS_OK, zs_write(pool, handle, "head", 4));
	data = look(pool, handle, 64, &view);
	expect('h', data[0]);
	if (data[4] == 2) /* msan: use-of-uninitialized-value from zs_malloc */
		sink = 1;
	expect(ZS_OK, zs_read_end(pool, &view));
	return zs_pool_destroy(pool);
}
