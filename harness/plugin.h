/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plugin - what a shared object exports to be a backend: one symbol, zsanity_plugin.
 *
 * harness/kernel builds such objects from the kernel's files; anybody else's do as well.
 */
#ifndef PLUGIN_H
#define PLUGIN_H

#include "backend.h"

/* Changes with this struct, struct backend, or the types in zs.h that they use. */
#define PLUGIN_VERSION 1

/* Told of a failed BUG_ON, WARN_ON or a lock used wrongly; text is one line. Need not return. */
typedef void plugin_failure(void *context, const char *text);

struct zsanity_plugin {
	uint32_t version;   /* PLUGIN_VERSION; stays the first field for ever */
	const char *name;   /* of the backend */
	const char *source; /* what it was built from */
	const struct backend *backend;

	/* NULL: one line to stderr, and abort(), which also follows when the function returns. */
	void (*set_failure)(plugin_failure *failure, void *context);
	/* The nth allocation of metadata from now on fails, then none; 1: the next; 0: none. */
	void (*fail_allocation)(uint64_t nth);
};

extern const struct zsanity_plugin zsanity_plugin;

/* The plug-in that a backend came from; NULL: none. */
const struct zsanity_plugin *plugin_of(const struct backend *backend);

#endif
