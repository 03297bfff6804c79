/* SPDX-License-Identifier: GPL-2.0 */
/* names_end - the kernel's public names that zs.h has too lose their prefix again. */
#undef zs_pool
#undef zs_pool_stats
#undef zs_create_pool
#undef zs_destroy_pool
#undef zs_malloc
#undef zs_free
#undef zs_compact
#undef zs_get_total_pages
#undef zs_huge_class_size
#undef zs_lookup_class_index
#undef zs_page_migrate
