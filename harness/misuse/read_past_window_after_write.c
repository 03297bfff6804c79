/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing a whole object doesn't widen a window on its head. */
#include "misuse.h"

int main(void)
{
	static const uint8_t data[100] = { 7 };
	struct zs_pool *pool = make_pool(ZS_NATIVE);
	zs_handle handle = make_object(pool, 100, 1);
	struct zs_view view;
	const uint8_t *window = look(pool, handle, 13, &view);

	expect(ZS_OK, zs_write(pool, handle, data, sizeof(data)));
	sink = window[12];
	sink = window[13]; /* asan: use-after-poison */
	expect(ZS_OK, zs_read_end(pool, &view));
	return zs_pool_destroy(pool);
}
