/* SPDX-License-Identifier: BSD-3-Clause */
/* A second free is refused, whether the slot is free or another's, and changes nothing. */
#include "misuse.h"

int main(void)
{
	struct zs_pool *pool = make_pool(ZS_NATIVE);
	zs_handle kept = make_object(pool, 64, 1), handle = make_object(pool, 64, 2), next;
	struct zs_pool_stats stats;

	expect(ZS_OK, zs_free(pool, handle));
	expect(ZS_OK, zs_pool_stats(pool, &stats, sizeof(stats)));
	expect(ZS_ESTALE, zs_free(pool, handle));
	expect_unchanged(pool, &stats);
	next = make_object(pool, 64, 3);
	expect(ZS_OK, zs_pool_stats(pool, &stats, sizeof(stats)));
	expect(ZS_ESTALE, zs_free(pool, handle));
	expect_unchanged(pool, &stats);
	expect_intact(pool, kept, 64, 1);
	expect_intact(pool, next, 64, 3);
	return zs_pool_destroy(pool);
}
