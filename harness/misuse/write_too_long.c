/* SPDX-License-Identifier: BSD-3-Clause */
/* A write longer than the object's slot is refused and changes nothing. */
#include "misuse.h"

int main(void)
{
	static const uint8_t data[4096];
	struct zs_pool *pool = make_pool(ZS_NATIVE);
	zs_handle handle = make_object(pool, 64, 1), next = make_object(pool, 64, 2);
	struct zs_pool_stats stats;
	struct zs_view view;
	size_t usable;

	expect(ZS_OK, zs_usable_size(pool, handle, &usable));
	expect(ZS_OK, zs_pool_stats(pool, &stats, sizeof(stats)));
	expect(ZS_EINVAL, zs_write(pool, handle, data, usable + 1));
	expect(ZS_EINVAL, zs_write(pool, handle, data, SIZE_MAX));
	expect(ZS_EINVAL, zs_read_begin(pool, handle, usable + 1, NULL, &view));
	expect_unchanged(pool, &stats);
	expect_intact(pool, handle, 64, 1);
	expect_intact(pool, next, 64, 2);
	return zs_pool_destroy(pool);
}
