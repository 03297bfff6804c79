/* SPDX-License-Identifier: BSD-3-Clause */
#include "backend.h"

#include <string.h>

static const struct backend *const backends[] = { &backend_core };

const char *backend_name(size_t index)
{
	return index < sizeof(backends) / sizeof(backends[0]) ? backends[index]->name : NULL;
}

const struct backend *backend_find(const char *name)
{
	for (size_t i = 0; backend_name(i); i++)
		if (!strcmp(backend_name(i), name))
			return backends[i];
	return NULL;
}
