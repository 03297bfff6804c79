/* SPDX-License-Identifier: BSD-3-Clause */
/* The byte after a window's last, though the object has it. */
#include "misuse.h"

int main(void)
{
	struct zs_pool *pool = make_pool(ZS_NATIVE);
	zs_handle handle = make_object(pool, 100, 1);
	struct zs_view view;
	const uint8_t *data = look(pool, handle, 61, &view);

	sink = data[60];
	sink = data[61]; /* asan: use-after-poison */
	expect(ZS_OK, zs_read_end(pool, &view));
	return zs_pool_destroy(pool);
}
