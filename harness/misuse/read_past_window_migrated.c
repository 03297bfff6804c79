/* SPDX-License-Identifier: BSD-3-Clause */
/* The byte after a window's last, in a page that the object migrated to. */
#include "misuse.h"

int main(void)
{
	struct zs_pool *pool = make_pool(ZS_NATIVE);
	zs_handle handle = make_object(pool, 64, 1);
	struct zs_page_ref page;
	struct zs_view view;
	const uint8_t *data;

	expect(ZS_OK, zs_page_lock(pool, handle, 0, &page));
	expect(ZS_OK, zs_page_migrate(pool, page));
	expect(ZS_OK, zs_page_unlock(pool, page));
	data = look(pool, handle, 16, &view);
	sink = data[15];
	sink = data[16]; /* asan: use-after-poison */
	expect(ZS_OK, zs_read_end(pool, &view));
	return zs_pool_destroy(pool);
}
