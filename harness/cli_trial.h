/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cli_trial - a trial of zram.h's store on the pages of files: all are stored, some overwritten and freed by
 * the seed; then every slot is read back and compared, the backend checks itself, and all is freed.
 */
#ifndef CLI_TRIAL_H
#define CLI_TRIAL_H

#include <stdint.h>

#include <cjson/cJSON.h>

#include "cli_classes.h"
#include "cli_files.h"
#include "cli_options.h"
#include "device.h"
#include "input.h"
#include "zram.h"

/* How long the store took for some bytes, and the codec alone. */
struct timing {
	double store, codec;
	uint64_t bytes;
};

struct trial {
	const struct cli_arguments *arguments;

	/* What came of it. */
	uint32_t count;   /* pages */
	uint64_t refused; /* stores that found no room */
	uint64_t right;   /* pages read back and right */
	struct timing write, read;
	cJSON *samples;           /* each turn of store and codec */
	struct zram_mm_stat stat; /* before anything is read back */
	struct class_table classes;
	const char *oracle; /* that fired; NULL: none */
	char line[5000];    /* as printed */
	char *repeat;       /* the command that does it again */

	/* What it's done with. */
	const struct backend *backend;
	struct zs_config config; /* but for max_pages */
	struct codec *codec;
	struct zram *zram;
	struct file_list files;
	size_t page_size;
	uint64_t room;  /* pages that there may be */
	uint8_t *pages; /* all that is stored, to compare with */
	struct input_place *places;
	struct schedule schedule;
	uint32_t *holds; /* slot -> the page that it holds, or none */
};

/*
 * All of it, with the options of `zsanity zram` but for the backend's name. The exit status; what was
 * wrong has been told. trial_free is due in any case.
 */
int trial_run(struct trial *trial, const struct cli_arguments *arguments,
	      const struct backend *backend);
void trial_free(struct trial *trial);

#endif
