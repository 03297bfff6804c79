/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * guard - a backend in front of one that trusts its callers: its handles are checked as zs.h says.
 *
 * A handle is tag | generation | entry, as zs.h has it; the handle that the other backend gave is kept in the
 * entry. Everything else is passed on.
 */
#ifndef GUARD_H
#define GUARD_H

#include "backend.h"

/*
 * The backend to use in place of one: itself, if it doesn't trust. For one at a time: a guard that was made
 * for another backend must not be used any more.
 */
const struct backend *guard(const struct backend *backend);

#endif
