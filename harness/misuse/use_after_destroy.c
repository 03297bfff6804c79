/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of zs_pool_create is gone with the pool. */
#include "misuse.h"

int main(void)
{
	struct zs_pool *pool = make_pool(ZS_NATIVE);
	zs_handle handle = make_object(pool, 64, 1);
	struct zs_view view;
	const uint8_t *data = look(pool, handle, 64, &view);

	expect(ZS_OK, zs_read_end(pool, &view));
	expect(ZS_OK, zs_pool_destroy(pool));
	sink = data[0]; /* asan: SEGV msan: SEGV release: SIGSEGV */
	return 0;
}
