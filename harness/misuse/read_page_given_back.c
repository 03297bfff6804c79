/* SPDX-License-Identifier: BSD-3-Clause */
/* The last object of a zspage is freed, its pages are back at the source. */
#include "misuse.h"

int main(void)
{
	struct zs_pool *pool = make_pool(ZS_NATIVE);
	zs_handle handle = make_object(pool, 64, 1);
	struct zs_view view;
	const uint8_t *data = look(pool, handle, 64, &view);

	expect(ZS_OK, zs_read_end(pool, &view));
	expect(ZS_OK, zs_free(pool, handle));
	expect(0, (int)zs_get_total_pages(pool));
	sink = data[0]; /* asan: use-after-poison */
	return zs_pool_destroy(pool);
}
