/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles of another pool, never given out, or 0 are refused and nothing changes. */
#include "misuse.h"

int main(void)
{
	struct zs_config config;
	struct zs_pool *pool, *other;
	struct zs_pool_stats stats;
	zs_handle handle, foreign;

	zs_config_init(&config, ZS_NATIVE);
	config.tag = 1;
	expect(ZS_OK, zs_pool_create(&config, &pool));
	config.tag = 2;
	expect(ZS_OK, zs_pool_create(&config, &other));
	handle = make_object(pool, 64, 1);
	foreign = make_object(other, 64, 2);
	expect(ZS_OK, zs_pool_stats(pool, &stats, sizeof(stats)));
	expect(ZS_EINVAL, zs_free(pool, foreign));
	expect(ZS_EINVAL, zs_free(pool, 0));
	expect(ZS_EINVAL, zs_free(pool, handle + 1000));
	expect_unchanged(pool, &stats);
	expect_intact(pool, handle, 64, 1);
	expect_intact(other, foreign, 64, 2);
	expect(ZS_OK, zs_pool_destroy(other));
	return zs_pool_destroy(pool);
}
