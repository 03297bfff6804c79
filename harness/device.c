/* SPDX-License-Identifier: BSD-3-Clause */
#include "device.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "generate.h"

#define MOST_PAGES (1u << 26) /* of a pool */

/* ---- pages ----------------------------------------------------------------------------------- */

bool device_same_filled(const void *page, size_t size)
{
	return !memcmp(page, (const char *)page + sizeof(long), size - sizeof(long));
}

size_t device_stored_size(size_t compressed, size_t huge, size_t page_size)
{
	return compressed >= page_size || (huge && compressed >= huge) ? page_size : compressed;
}

uint32_t device_pool_pages(uint32_t objects)
{
	uint32_t pages = 256; /* enough for small ones, whose objects hardly share zspages */

	while (pages < MOST_PAGES && pages / 2 < objects)
		pages *= 2;
	return pages;
}

/* ---- slots ----------------------------------------------------------------------------------- */

static uint32_t draw(struct schedule *schedule, uint32_t below)
{
	return (uint32_t)(generate_next(&schedule->random) >> 32) % below;
}

void schedule_end(struct schedule *schedule)
{
	free(schedule->slots);
}

static int learn_slot(struct schedule *schedule)
{
	if (array_reserve(&schedule->slots, (size_t)schedule->known + 1, &schedule->room,
			  sizeof(uint32_t)))
		return -1;
	schedule->slots[schedule->known] = schedule->known;
	schedule->known++;
	return 0;
}

/* One in use now and then, or when there is no other. */
int schedule_store(struct schedule *schedule, uint32_t *slot)
{
	bool full = schedule->count == schedule->most;

	if (schedule->count && (full || !draw(schedule, DEVICE_OVERWRITE))) {
		*slot = schedule->slots[draw(schedule, schedule->count)];
		return 0;
	}
	if (schedule->count == schedule->known && learn_slot(schedule))
		return -1;
	*slot = schedule->slots[schedule->count++];
	if (schedule->count > schedule->peak)
		schedule->peak = schedule->count;
	return 0;
}

bool schedule_free(struct schedule *schedule, uint32_t *slot)
{
	uint32_t place;

	if (draw(schedule, DEVICE_FREE))
		return false;
	place = draw(schedule, schedule->count);
	*slot = schedule->slots[place];
	schedule->slots[place] = schedule->slots[--schedule->count];
	schedule->slots[schedule->count] = *slot;
	return true;
}

bool schedule_read(struct schedule *schedule, uint32_t *slot)
{
	if (draw(schedule, DEVICE_READ) || !schedule->count)
		return false;
	*slot = schedule->slots[draw(schedule, schedule->count)];
	return true;
}
