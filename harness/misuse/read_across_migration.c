/* SPDX-License-Identifier: BSD-3-Clause */
/* A pointer is kept while the object's page migrates. */
#include "misuse.h"

int main(void)
{
	struct zs_pool *pool = make_pool(ZS_NATIVE);
	zs_handle handle = make_object(pool, 64, 1);
	struct zs_page_ref page;
	struct zs_view view;
	uint8_t first;
	const uint8_t *data = look(pool, handle, 64, &view);

	expect(ZS_OK, zs_read_end(pool, &view));
	expect(ZS_OK, zs_page_lock(pool, handle, 0, &page));
	expect(ZS_OK, zs_page_migrate(pool, page));
	expect(ZS_OK, zs_page_unlock(pool, page));
	expect_intact(pool, handle, 64, 1);
	first = data[0]; /* asan: use-after-poison */
	if (first == 1)  /* msan: use-of-uninitialized-value from zs_page_migrate */
		sink = 1;
	return zs_pool_destroy(pool);
}
