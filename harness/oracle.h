/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * oracle - the properties, each with a stable ID, and the comparison of an allocator with the
 * model.
 *
 * Each property has a noinline failure function of its own, so that crash stacks differ. It prints
 * one line to stderr, "oracle ID: explanation (operation K: TEXT)", and calls the handler, which
 * doesn't return. K counts the trace's operations from 1; the closing steps say "at the end" in
 * place of the number.
 *
 * What is compared first decides which ID is reported. A zspage's group is held against the in-use
 * count that the allocator itself reports, before anything is held against the model; then place,
 * lists, counters, pages, content; the allocator's own check comes last, since it says least about
 * the cause. What differs after an operation that failed as predicted is reported as
 * error.unchanged.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdarg.h>

#include "backend.h"
#include "bound.h"
#include "model.h"

#define ORACLES(X)                                                                            \
	X(handle_stability, "handle.stability",                                               \
	  "a live handle is accepted and names its object, in the place where it must be")    \
	X(handle_stale, "handle.stale",                                                       \
	  "a stale, forged or never issued handle is refused with the right error")           \
	X(handle_foreign, "handle.foreign", "a handle of another pool is refused")            \
	X(handle_unique, "handle.unique",                                                     \
	  "a new handle is not 0 and differs from all that are live or known to be stale")    \
	X(content, "content", "an object's bytes are those written last")                     \
	X(fullness_group, "fullness.group", "a zspage's group is what its in-use count says") \
	X(list_membership, "list.membership",                                                 \
	  "a zspage is held, in exactly its group's list, in the right order")                \
	X(counters, "counters", "every count is the number of what it counts")                \
	X(pages_accounting, "pages.accounting",                                               \
	  "the pages held are those that are out at the source, each once")                   \
	X(overlap, "overlap", "no two live objects share a byte, no two zspages a page")      \
	X(span, "span", "an object lies at its slot's address, inside its zspage")            \
	X(slot_order, "slot.order",                                                           \
	  "an object gets the slot that was freed last, else the lowest")                     \
	X(select, "select", "malloc and compaction choose the zspages they must")             \
	X(error_unchanged, "error.unchanged", "an operation that fails changes nothing")      \
	X(result, "result", "an operation returns what it must")                              \
	X(compact_freed, "compact.freed",                                                     \
	  "compaction frees the pages that it must and that it says")                         \
	X(compact_moves, "compact.moves", "compaction moves as many objects as it must")      \
	X(compact_least, "compact.least",                                                     \
	  "compaction leaves no more zspages than the objects fill, when nothing is held")    \
	X(compact_bound, "compact.bound",                                                     \
	  "it never moves fewer objects than that takes, and optimal moves no more")          \
	X(compact_idempotent, "compact.idempotent", "a second compaction does nothing")       \
	X(compact_pages, "compact.pages", "compaction never raises the pages held")           \
	X(balance, "balance", "when all is freed, everything has come back")                  \
	X(check, "check", "the allocator's own check finds no broken invariant")              \
	X(geometry, "geometry", "the class table is what the configuration says")

struct oracle_property {
	const char *id;
	const char *meaning;
};

#define ORACLE_COUNT_ONE(function, id, meaning) +1
#define ORACLE_PROPERTY(function, id, meaning) { id, meaning },
enum { ORACLE_COUNT = 0 ORACLES(ORACLE_COUNT_ONE) };

extern const struct oracle_property oracle_properties[ORACLE_COUNT];

/* Called after the line is printed; must not return (the program is aborted if it does). */
typedef void oracle_handler(void *context, const char *id, const char *line);

/* NULL: abort(), which is the default. For the whole process. */
void oracle_set_handler(oracle_handler *handler, void *context);

/* ---- the page source ------------------------------------------------------------------------- */

struct oracle;

struct source_page {
	bool out;
	uint32_t owner; /* the zspage that had it last, in the model's numbers */
	uint32_t below; /* the page to give after this one, when it isn't out */
};

/* A stack of max pages, lowest first, of which only those that were ever out take memory. */
struct source {
	struct oracle *oracle;
	uint32_t max;
	struct source_page *pages;
	size_t room;
	uint32_t fresh; /* pages below were out at least once */
	uint32_t top;   /* the page given back last */
	uint32_t count; /* pages out */
	uint64_t gets;  /* calls of get */
	uint64_t fail_after;
	uint32_t fail_count;
	uint32_t got[MODEL_CHAIN]; /* pages got and not put by the current operation, in order */
	uint32_t got_count;
	bool disorder; /* a page was put that wasn't the one got last */
};

void source_init(struct source *source, struct oracle *oracle, uint32_t max);
void source_free(struct source *source);
/* Room for all that one operation may get. Returns 0, or -1 when memory is out. Amortised O(1). */
int source_reserve(struct source *source);
/* Starts an operation. */
void source_begin(struct source *source);
/* The interface for struct zs_config. */
struct zs_page_source source_interface(struct source *source);

/* ---- the comparison -------------------------------------------------------------------------- */

/* What the compaction of a class must come to, whatever way it goes. */
struct oracle_goal {
	bool set; /* it is compacted, and nothing in it is pinned, locked or empty */
	struct bound bound;
	uint64_t moved; /* so far */
};

struct oracle {
	const struct backend *backend;
	void *pool;
	struct model *model;
	struct source source;
	uint64_t operation; /* 0: creation */
	bool ending;
	bool failed; /* the current operation failed, as predicted */
	struct op op;
	uint64_t metadata_bytes;     /* as reported last */
	uintptr_t arena;             /* where page 0 is, once it's known */
	struct zs_pool_stats before; /* the compaction, by the model */
	struct oracle_goal *goals;   /* by class */
	uint32_t *inuse;             /* of a class's zspages */
	size_t inuse_room;
	uint8_t *bytes; /* a page and one byte more */
	uint8_t *known; /* a page */
};

/*
 * Returns 0, or -1 when memory is out; oracle_free is due either way. model and pool are set by
 * the caller.
 */
int oracle_init(struct oracle *oracle, const struct backend *backend,
		const struct zs_config *config);
void oracle_free(struct oracle *oracle);

/* What an operation was done with, to tell what a wrong result means. */
enum oracle_subject {
	ORACLE_PLAIN,   /* no handle, or one whose object may just have been freed */
	ORACLE_LIVE,    /* the handle of an object that is still live */
	ORACLE_STALE,   /* a handle that must be refused */
	ORACLE_FOREIGN, /* the same, of another pool */
};

/* Compares results. object matters for ORACLE_LIVE only. */
void oracle_result(struct oracle *oracle, enum oracle_subject subject, uint32_t object,
		   int expected, int got);

/*
 * Every function that takes a handle must refuse this one with expected, or with ZS_EINVAL or
 * ZS_ESTALE if expected is ZS_OK. free, write and read come first, in this order.
 */
void oracle_refused(struct oracle *oracle, enum oracle_subject subject, zs_handle handle,
		    int expected);

/*
 * After a malloc that succeeded: is the handle new, the place right? Binds handle and zspage to
 * the model.
 */
void oracle_new_object(struct oracle *oracle, uint32_t object, zs_handle handle);

/* Is a window what it must be? local as given to read_begin. */
void oracle_view(struct oracle *oracle, uint32_t object, size_t len, const void *local,
		 const struct zs_view *view);

/* Compares bytes [0, len) of an object with what is known of them. O(len). */
void oracle_bytes(struct oracle *oracle, uint32_t object, const void *bytes, size_t len);

/* The same through a window opened for it. O(len). */
void oracle_content(struct oracle *oracle, uint32_t object, size_t len);

/* Is a live object where it must be? O(1). */
void oracle_place(struct oracle *oracle, uint32_t object);

/* After a page migration that succeeded: notes the page's new number. */
void oracle_migrated(struct oracle *oracle, uint32_t zspage, uint32_t index);

/* The class table and the queries about it. O(classes). */
void oracle_geometry(struct oracle *oracle);

/* What the last operation touched: its zspage, class, lists, and the pool's counters. O(groups). */
void oracle_touched(struct oracle *oracle);

/*
 * Every zspage, place, page, and the lists and counters of classes that have any. O(classes +
 * zspages + slots).
 */
void oracle_structure(struct oracle *oracle);

/* That, of all classes; every object's content; and the allocator's own check. O(everything). */
void oracle_everything(struct oracle *oracle);

/*
 * Before a compaction of one class, or of all (index MODEL_NONE), by model and allocator. Returns
 * 0, or -1 when memory is out. O(groups + zspages log zspages).
 */
int oracle_compacting(struct oracle *oracle, uint32_t index);

/* After it. O(everything). */
void oracle_compacted(struct oracle *oracle, uint32_t index, uint64_t expected, uint64_t got);

/* When every object is freed, nothing is pinned or locked. */
void oracle_balance(struct oracle *oracle);

/* ---- failing --------------------------------------------------------------------------------- */

/* What a failure function does; of oracle only the operation is used. */
__attribute__((noreturn, format(printf, 3, 0))) void
oracle_report(const struct oracle *oracle, const char *id, const char *format, va_list arguments);

#define ORACLE_DECLARE(function, id, meaning)                                                  \
	__attribute__((noinline, noreturn, format(printf, 2, 3))) void oracle_fail_##function( \
		struct oracle *oracle, const char *format, ...);
ORACLES(ORACLE_DECLARE)

#endif
