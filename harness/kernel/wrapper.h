/* SPDX-License-Identifier: GPL-2.0 */
/* wrapper - what the backends around the kernel's files have in common. */
#ifndef WRAPPER_H
#define WRAPPER_H

#include "../plugin.h"

/* What a call of the backend returns; by then the kernel's code holds no lock any more. */
static inline int leave(int result)
{
	if (shim_locks_held())
		SHIM_FAIL("the call returns with %u locks held", shim_locks_held());
	return result;
}

/* NULL, or what is wrong with the part of a configuration that no geometry decides. */
static inline const char *wrong_supply(const struct zs_config *config)
{
	if (!config->max_pages || config->max_pages > 1u << 26)
		return "max_pages must be 1 to 67108864";
	return !config->source.get == !config->source.put ? NULL
							  : "source wants both of get and put";
}

static inline struct machine_source source_of(const struct zs_config *config)
{
	return (struct machine_source){ config->source.get, config->source.put,
					config->source.context };
}

#define EXPORT_PLUGIN(of)                                                                     \
	__attribute__((visibility("default"))) const struct zsanity_plugin zsanity_plugin = { \
		.version = PLUGIN_VERSION,                                                    \
		.name = SHIM_NAME,                                                            \
		.source = SHIM_FROM,                                                          \
		.backend = &(of),                                                             \
		.set_failure = shim_set_failure,                                              \
		.fail_allocation = shim_fail_allocation,                                      \
	}

#endif
