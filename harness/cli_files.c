/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "cli_files.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "array.h"
#include "cli.h"

static int add_entry(struct file_list *list, const char *path, off_t size)
{
	if (array_reserve(&list->entries, list->count + 1, &list->room, sizeof(struct file_entry)))
		return -1;
	list->entries[list->count].path = strdup(path);
	list->entries[list->count].size = (uint64_t)size;
	return list->entries[list->count].path && ++list->count ? 0 : -1;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* One step of the walk. What is wrong with the name given itself is an error. */
static int add_found(struct file_list *list, const FTSENT *found)
{
	switch (found->fts_info) {
	case FTS_F:
		if (add_entry(list, found->fts_path, found->fts_statp->st_size))
			return cli_error("out of memory");
		return 0;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		if (found->fts_level == FTS_ROOTLEVEL)
			return cli_error("%s: %s", found->fts_path, strerror(found->fts_errno));
		cli_unreadable(found->fts_path, found->fts_errno);
		return 0;
	case FTS_SLNONE:
	case FTS_DEFAULT:
		if (found->fts_level == FTS_ROOTLEVEL)
			return cli_error("%s: neither a regular file nor a folder",
					 found->fts_path);
		return 0;
	default:
		return 0;
	}
}

int file_list_add(struct file_list *list, const char *path)
{
	char *roots[] = { strdup(path), NULL };
	int options = FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR | FTS_XDEV;
	FTS *walk = roots[0] && *path ? fts_open(roots, options, by_name) : NULL;
	int status = 0;

	errno = *path ? errno : ENOENT;
	if (!walk)
		status = cli_error("'%s': %s", path, strerror(errno));
	while (walk && !status) {
		const FTSENT *found = fts_read(walk);

		if (!found)
			break;
		status = add_found(list, found);
	}
	if (walk)
		fts_close(walk);
	free(roots[0]);
	return status;
}

int file_list_make(struct file_list *list, const char *const *paths, size_t count)
{
	int status = 0;

	*list = (struct file_list){ .entries = NULL };
	for (size_t i = 0; i < count && !status; i++)
		status = file_list_add(list, paths[i]);
	return status;
}

void file_list_free(struct file_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->entries[i].path);
	free(list->entries);
	*list = (struct file_list){ .entries = NULL };
}
