/* SPDX-License-Identifier: GPL-2.0 */
/*
 * shim - all of the kernel that mm/zsmalloc.c and mm/zbud.c ask for. Included before the first line of each
 * translation unit (-include), so that the kernel's files compile as they are; what they include from
 * <linux/...> and <asm/...> is empty, but for a few headers of their own tree.
 *
 * The build sets PAGE_SHIFT, SHIM_LOCKS (the header of one kind of locks) and the kernel's CONFIG_ names.
 */
#ifndef SHIM_H
#define SHIM_H

#define _GNU_SOURCE

#include "base.h"
#include "bug.h"
#include SHIM_LOCKS
#include "page.h"
#include "slab.h"
#include "machine.h"
#include "module.h"

#include <linux/list.h> /* the tree's own; the kernel's files get it from elsewhere */

#endif
