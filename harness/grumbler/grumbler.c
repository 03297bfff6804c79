/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plug-in for tests. Its backend has no function, so that any call of one crashes, unless the
 * loader puts some in; asked for a failing allocation it complains instead, as the kernel's code
 * does by BUG_ON.
 */
#include "plugin.h"

static plugin_failure *complain;
static void *complain_context;

static void set_failure(plugin_failure *failure, void *context)
{
	complain = failure;
	complain_context = context;
}

static void fail_allocation(uint64_t nth)
{
	if (nth && complain)
		complain(complain_context, "made up");
}

static struct backend backend = { .name = "grumbler" };

const struct zsanity_plugin zsanity_plugin = {
	.version = PLUGIN_VERSION,
	.name = "grumbler",
	.source = "nothing",
	.backend = &backend,
	.set_failure = set_failure,
	.fail_allocation = fail_allocation,
};
