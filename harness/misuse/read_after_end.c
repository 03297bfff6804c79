/* SPDX-License-Identifier: BSD-3-Clause */
/* A window is closed, its pointer used once more. */
#include "misuse.h"

int main(void)
{
	struct zs_pool *pool = make_pool(ZS_NATIVE);
	zs_handle handle = make_object(pool, 100, 1);
	struct zs_view view;
	const uint8_t *data = look(pool, handle, 100, &view);

	sink = data[99];
	expect(ZS_OK, zs_read_end(pool, &view));
	sink = data[0]; /* asan: use-after-poison */
	return zs_pool_destroy(pool);
}
