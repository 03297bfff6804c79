/* SPDX-License-Identifier: BSD-3-Clause */
/* A window closed twice, or one that never was, is refused and nothing changes. */
#include "misuse.h"

int main(void)
{
	struct zs_pool *pool = make_pool(ZS_NATIVE);
	zs_handle handle = make_object(pool, 64, 1);
	struct zs_view view, never;
	struct zs_pool_stats stats;

	look(pool, handle, 64, &view);
	expect(ZS_OK, zs_read_end(pool, &view));
	expect(ZS_OK, zs_pool_stats(pool, &stats, sizeof(stats)));
	expect(ZS_EINVAL, zs_read_end(pool, &view));
	never = (struct zs_view){ &never, 1, UINT32_MAX };
	expect(ZS_EINVAL, zs_read_end(pool, &never));
	expect_unchanged(pool, &stats);
	expect_intact(pool, handle, 64, 1);
	return zs_pool_destroy(pool);
}
