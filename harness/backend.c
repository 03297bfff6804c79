/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "backend.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "plugin.h"

/* ---- what every backend has ------------------------------------------------------------------ */

const char *backend_fits(const struct backend *backend, const struct zs_config *config)
{
	return backend->fits ? backend->fits(config) : zs_config_complaint(config);
}

void backend_preset(const struct backend *backend, struct zs_config *config)
{
	if (backend->preset)
		backend->preset(config);
	else
		zs_config_init(config, ZS_NATIVE);
}

/* ---- names ----------------------------------------------------------------------------------- */

static const struct backend *const built_in[] = { &backend_core, &backend_malloc };

/* Variants have a suffix: kernel-6.12-16k. */
static const char *const plugins[] = { "kernel-6.1", "kernel-6.12", "kernel-6.1-zbud",
				       "kernel-6.12-zbud", "kernel-tree" };

#define BUILT_IN (sizeof(built_in) / sizeof(built_in[0]))
#define PLUGINS (sizeof(plugins) / sizeof(plugins[0]))

const char *backend_name(size_t index)
{
	if (index < BUILT_IN)
		return built_in[index]->name;
	return index - BUILT_IN < PLUGINS ? plugins[index - BUILT_IN] : NULL;
}

static bool is_plugin(const char *spec)
{
	for (size_t i = 0; i < PLUGINS; i++) {
		size_t length = strlen(plugins[i]);

		if (!strncmp(spec, plugins[i], length) && (!spec[length] || spec[length] == '-'))
			return true;
	}
	return false;
}

/* ---- plug-ins -------------------------------------------------------------------------------- */

#define ABOVE 4 /* folders above the program's that may be the build tree's top */

struct loaded {
	char *spec;
	const struct zsanity_plugin *plugin;
};

static struct loaded *loaded;
static size_t loaded_count, loaded_room;

const struct zsanity_plugin *plugin_of(const struct backend *backend)
{
	for (size_t i = 0; i < loaded_count; i++)
		if (loaded[i].plugin->backend == backend)
			return loaded[i].plugin;
	return NULL;
}

__attribute__((format(printf, 3, 4))) static const struct backend *refuse(char *why, size_t room,
									  const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, room, format, arguments);
	va_end(arguments);
	return NULL;
}

static bool is_path(const char *spec)
{
	size_t length = strlen(spec);

	return strchr(spec, '/') || (length > 3 && !strcmp(spec + length - 3, ".so"));
}

/* FOLDER/kernel/NAME.so, FOLDER being one of those that the running program is in. */
static bool find_beside(const char *spec, char path[PATH_MAX])
{
	char folder[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);

	folder[length > 0 ? length : 0] = '\0';
	for (int i = 0; i < ABOVE; i++) {
		char *slash = strrchr(folder, '/');

		if (!slash)
			return false;
		*slash = '\0';
		if ((size_t)snprintf(path, PATH_MAX, "%s/kernel/" PLUGINS_FOLDER "%s.so", folder,
				     spec) < PATH_MAX &&
		    !access(path, R_OK))
			return true;
	}
	return false;
}

/* The environment's ZSANITY_KERNEL is the folder, if it's set. */
static bool find_plugin(const char *spec, char path[PATH_MAX])
{
	const char *folder = getenv("ZSANITY_KERNEL");

	if (!folder)
		return find_beside(spec, path);
	return (size_t)snprintf(path, PATH_MAX, "%s/" PLUGINS_FOLDER "%s.so", folder, spec) <
		       PATH_MAX &&
	       !access(path, R_OK);
}

static const struct backend *keep(const char *spec, const struct zsanity_plugin *plugin, char *why,
				  size_t room)
{
	char *copy = strdup(spec);

	if (!copy || array_reserve(&loaded, loaded_count + 1, &loaded_room, sizeof(*loaded))) {
		free(copy);
		return refuse(why, room, "out of memory");
	}
	loaded[loaded_count++] = (struct loaded){ copy, plugin };
	return plugin->backend;
}

static const struct backend *open_plugin(const char *spec, const char *path, char *why, size_t room)
{
	const struct zsanity_plugin *plugin;
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!object)
		return refuse(why, room, "%s", dlerror());
	plugin = dlsym(object, "zsanity_plugin");
	if (!plugin)
		return refuse(why, room, "%s: no plug-in: it has no zsanity_plugin", path);
	if (plugin->version != PLUGIN_VERSION)
		return refuse(why, room,
			      "%s: plug-in of version %u, this program wants %d: run make kernel",
			      path, plugin->version, PLUGIN_VERSION);
	return keep(spec, plugin, why, room);
}

const struct backend *backend_load(const char *spec, char *why, size_t room)
{
	char path[PATH_MAX];

	*why = '\0';
	for (size_t i = 0; i < BUILT_IN; i++)
		if (!strcmp(built_in[i]->name, spec))
			return built_in[i];
	for (size_t i = 0; i < loaded_count; i++)
		if (!strcmp(loaded[i].spec, spec))
			return loaded[i].plugin->backend;
	if (is_path(spec)) {
		snprintf(path, sizeof(path), "%s%s", strchr(spec, '/') ? "" : "./", spec);
		return open_plugin(spec, path, why, room);
	}
	if (!is_plugin(spec))
		return NULL;
	if (!find_plugin(spec, path))
		return refuse(why, room, "%s isn't built: run make kernel", spec);
	return open_plugin(spec, path, why, room);
}
