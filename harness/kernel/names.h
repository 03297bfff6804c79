/* SPDX-License-Identifier: GPL-2.0 */
/* names - the kernel's public names that zs.h has too get a prefix while its file is compiled. */
#define zs_pool linux_zs_pool
#define zs_pool_stats linux_zs_pool_stats
#define zs_create_pool linux_zs_create_pool
#define zs_destroy_pool linux_zs_destroy_pool
#define zs_malloc linux_zs_malloc
#define zs_free linux_zs_free
#define zs_compact linux_zs_compact
#define zs_get_total_pages linux_zs_get_total_pages
#define zs_huge_class_size linux_zs_huge_class_size
#define zs_lookup_class_index linux_zs_lookup_class_index
#define zs_page_migrate linux_zs_page_migrate
