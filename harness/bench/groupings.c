/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_groupings - fragments every size class of one allocator by each pattern named, compacts class by
 * class, and prints what that took: a header line, then tab-separated values, one line a pattern and class.
 *
 * Classes with one object per zspage have nothing to compact and are left out.
 */
#define _POSIX_C_SOURCE 200809L

#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "model.h"
#include "pattern.h"

enum { RIGHT, FAILED, WRONG };

static const char usage[] =
	"usage: bench_groupings [OPTION...] PATTERN...\n"
	"  --backend NAME      the allocator; default core\n"
	"  --grouping NAME     ratio (default), threshold or exact\n"
	"  --algorithm NAME    destination (default), source or optimal\n"
	"  --chain N           most pages of a zspage, 1 .. 16; default 8\n"
	"  --rule NAME         of chains: least-waste (default) or used-percent\n"
	"  --objects N         in each class; default 4096\n"
	"  --class SIZE        only the class of this slot size\n"
	"  --pictures          two more columns: in use in each zspage, before and after\n"
	"PATTERN is FAMILY[:NUMBER...][@SEED]:\n";

/* A choice of words, in the order of the enumeration in zs.h. */
static const char *const groupings[] = { "ratio", "threshold", "exact", NULL };
static const char *const algorithms[] = { "destination", "source", "optimal", NULL };
static const char *const rules[] = { "least-waste", "used-percent", NULL };

struct options {
	const struct backend *backend;
	struct zs_config config;
	uint32_t objects;
	uint32_t only; /* slot size of the only class wanted; 0: all */
	bool pictures;
};

/* Those with more than one object per zspage, ascending. */
struct classes {
	struct pattern_class each[MODEL_CLASSES];
	uint32_t count;
};

/* Prints one line. Returns WRONG. */
__attribute__((format(printf, 1, 2))) static int wrong(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "bench_groupings: ");
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	return WRONG;
}

/* ---- classes --------------------------------------------------------------------------------- */

/*
 * As the core has them with the rule of 6.12, whatever the backend's rule: every backend gets the same
 * operations.
 */
static int find_classes(const struct options *options, struct classes *classes)
{
	struct zs_config config = options->config;
	struct zs_class_stats stats;
	bool found = false;
	void *pool;

	config.grouping = ZS_RATIO;
	config.algorithm = ZS_DESTINATION;
	config.geometry.chain_rule = ZS_LEAST_WASTE;
	config.max_pages = 1;
	if (backend_core.create(&config, &pool))
		return wrong("out of memory");
	for (uint32_t i = 0; i < backend_core.class_count(pool); i++) {
		if (backend_core.class_stats(pool, i, &stats) || stats.index != i ||
		    stats.objs_per_zspage < 2)
			continue;
		found |= !options->only || options->only == stats.size;
		classes->each[classes->count++] =
			(struct pattern_class){ .size = stats.size - config.geometry.header,
						.capacity = stats.objs_per_zspage };
	}
	backend_core.destroy(pool);
	return found ? RIGHT
		     : wrong("no class of more than one object has slots of %" PRIu32 " bytes",
			     options->only);
}

static bool is_wanted(const struct options *options, const struct pattern_class *class)
{
	return !options->only || options->only == class->size + options->config.geometry.header;
}

/* ---- a life, run ----------------------------------------------------------------------------- */

static int run_op(const struct backend *backend, void *pool, const struct op *op, zs_handle *handle)
{
	int error = ZS_OK;

	if (op->code != OP_MALLOC && op->code != OP_FREE)
		return ZS_OK;
	if (*handle)
		error = backend->free(pool, *handle);
	*handle = 0;
	if (!error && op->code == OP_MALLOC)
		error = backend->malloc(pool, op->value, handle);
	return error;
}

static int run_trace(const struct backend *backend, void *pool, const struct trace *trace)
{
	zs_handle *handles = calloc((size_t)pattern_names(trace) + 1, sizeof(*handles));
	int error = handles ? ZS_OK : ZS_ENOMEM;

	for (size_t i = 0; i < trace->count && !error; i++)
		error = run_op(backend, pool, &trace->ops[i], &handles[trace->ops[i].name]);
	free(handles);
	return error;
}

/* ---- measuring ------------------------------------------------------------------------------- */

static void print_header(bool pictures)
{
	printf("pattern\tindex\tclass\tpages\tcapacity\tobjects\tzspages\tk\tbound\tmoves\tcopies\t"
	       "bytes\tpages_freed\tzspages_left%s\n",
	       pictures ? "\tbefore\tafter" : "");
}

static void print_counts(const uint32_t *inuse, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		printf("%c%" PRIu32, i ? ',' : '\t', inuse[i]);
}

static void print_row(const char *pattern, const struct measure *measure, bool pictures)
{
	const struct zs_class_stats *class = &measure->class;

	printf("%s\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64
	       "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
	       "\t%" PRIu64,
	       pattern, class->index, class->size, class->pages_per_zspage, class->objs_per_zspage,
	       class->objs_inuse, class->zspages, measure->bound.zspages, measure->bound.moves,
	       measure->moves, measure->copies, measure->bytes, measure->pages_freed,
	       measure->zspages_left);
	if (pictures) {
		print_counts(measure->before, class->zspages);
		print_counts(measure->after, class->zspages);
	}
	putchar('\n');
}

/* Compacts the classes of a pool, one by one. */
static int measure_classes(const struct options *options, void *pool, const char *pattern,
			   const struct pattern_class *classes, uint32_t count)
{
	const struct backend *backend = options->backend;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t index = backend->lookup_class_index(pool, classes[i].size);
		struct measure measure;
		const char *why;

		if (!is_wanted(options, &classes[i]))
			continue;
		if (measure_class(backend, pool, index, &measure, &why))
			return wrong("%s, class %" PRIu32 ": %s", pattern, index, why);
		print_row(pattern, &measure, options->pictures);
		measure_end(&measure);
	}
	return RIGHT;
}

/* Runs a trace in a pool of its own and compacts what it leaves. */
static int run(const struct options *options, const char *pattern, const struct trace *trace,
	       const struct pattern_class *classes, uint32_t count)
{
	struct zs_config config = options->config;
	const char *complaint;
	void *pool;
	int error, status;

	/* An object takes less than a page, but each class may have a zspage that is hardly used. */
	config.max_pages = pattern_names(trace) + count * config.geometry.chain;
	complaint = backend_fits(options->backend, &config);
	if (complaint)
		return wrong("%s can't make such a pool: %s", options->backend->name, complaint);
	error = options->backend->create(&config, &pool);
	if (error)
		return wrong("%s: no pool: %s", options->backend->name, zs_error_name(error));
	error = run_trace(options->backend, pool, trace);
	status = error ? wrong("%s: %s", pattern, zs_error_name(error))
		       : measure_classes(options, pool, pattern, classes, count);
	options->backend->destroy(pool);
	return status;
}

/* ---- one pattern, or a capture --------------------------------------------------------------- */

/* An operand. */
struct work {
	const char *name;
	const char *path; /* of a capture; NULL: a pattern */
	uint32_t percent; /* of its objects to be freed at the end */
	struct pattern pattern;
};

#define CAPTURE "capture:"

static int parse_capture(const char *name, struct work *work)
{
	const char *percent = name + strlen(CAPTURE);
	char *end;
	unsigned long value = strtoul(percent, &end, 10);

	if (*percent < '0' || *percent > '9' || value > 100 || *end != ':')
		return wrong("pattern '%s': wanted capture:PERCENT:FILE", name);
	work->percent = (uint32_t)value;
	work->path = end + 1;
	return RIGHT;
}

static int parse_work(const char *name, struct work *work)
{
	const char *why;

	*work = (struct work){ .name = name };
	if (!strncmp(name, CAPTURE, strlen(CAPTURE)))
		return parse_capture(name, work);
	if (pattern_parse(&work->pattern, name, &why))
		return wrong("pattern '%s': wanted %s", name, why);
	return RIGHT;
}

/* All operands, before the first is run. */
static int parse_works(char **names, int count, struct work **works)
{
	int status = count ? RIGHT : wrong("a pattern is wanted; try --help");

	*works = calloc((size_t)count + 1, sizeof(**works));
	if (!*works)
		return wrong("out of memory");
	for (int i = 0; i < count && !status; i++)
		status = parse_work(names[i], &(*works)[i]);
	return status;
}

static int run_each_class(const struct options *options, const struct pattern *pattern,
			  const struct classes *classes)
{
	int status = RIGHT;

	for (uint32_t i = 0; i < classes->count && !status; i++) {
		struct trace trace;

		if (!is_wanted(options, &classes->each[i]))
			continue;
		trace_init(&trace);
		status = pattern_class(pattern, &classes->each[i], options->objects, &trace)
				 ? wrong("out of memory")
				 : run(options, pattern->name, &trace, &classes->each[i], 1);
		trace_free(&trace);
	}
	return status;
}

static int run_pooled(const struct options *options, const struct pattern *pattern,
		      const struct classes *classes)
{
	struct trace trace;
	int status;

	trace_init(&trace);
	status = pattern_pool(pattern, classes->each, classes->count, options->objects, &trace)
			 ? wrong("out of memory")
			 : run(options, pattern->name, &trace, classes->each, classes->count);
	trace_free(&trace);
	return status;
}

static int load_capture(const char *path, struct trace *trace)
{
	FILE *file = fopen(path, "r");
	struct trace_error error;
	char *text = NULL;
	size_t room = 0;
	ssize_t size;

	if (!file)
		return wrong("%s: no such trace", path);
	size = getdelim(&text, &room, '\0', file);
	fclose(file);
	if (size < 0 || trace_parse(trace, text, (size_t)size, &error)) {
		wrong("%s: %s", path, size < 0 ? "nothing in it" : error.text);
		free(text);
		return WRONG;
	}
	free(text);
	return RIGHT;
}

static int run_capture(const struct options *options, const struct work *work,
		       const struct classes *classes)
{
	struct trace trace;
	int status;

	trace_init(&trace);
	status = load_capture(work->path, &trace);
	if (!status && pattern_thin(work->percent, 1, &trace))
		status = wrong("out of memory");
	if (!status)
		status = run(options, work->name, &trace, classes->each, classes->count);
	trace_free(&trace);
	return status;
}

static int run_work(const struct options *options, const struct work *work,
		    const struct classes *classes)
{
	if (work->path)
		return run_capture(options, work, classes);
	return pattern_is_pooled(&work->pattern) ? run_pooled(options, &work->pattern, classes)
						 : run_each_class(options, &work->pattern, classes);
}

/* ---- options --------------------------------------------------------------------------------- */

static int help(void)
{
	const char *what;

	fputs(usage, stdout);
	for (size_t i = 0; pattern_family(i, &what); i++)
		printf("  %-22s %s\n", pattern_family(i, &what), what);
	printf("  %-22s %s\n", "capture:PERCENT:FILE",
	       "the mallocs and frees of a trace, then that share of what is left is freed");
	return RIGHT;
}

static int parse_word(const char *option, const char *const *words, const char *text,
		      uint32_t *value)
{
	for (uint32_t i = 0; words[i]; i++)
		if (!strcmp(words[i], text)) {
			*value = i;
			return RIGHT;
		}
	return wrong("--%s: no such name as '%s'; try --help", option, text);
}

static int parse_count(const char *option, uint32_t most, const char *text, uint32_t *value)
{
	char *end;
	unsigned long long number = strtoull(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || number < 1 || number > most)
		return wrong("--%s wants a number, 1 .. %" PRIu32 ", not '%s'", option, most, text);
	*value = (uint32_t)number;
	return RIGHT;
}

static int parse_backend(const char *text, const struct backend **backend)
{
	char why[512];

	*backend = backend_load(text, why, sizeof(why));
	if (*backend)
		return RIGHT;
	return *why ? wrong("%s", why) : wrong("there is no backend '%s'", text);
}

static const struct option long_options[] = {
	{ "backend", required_argument, NULL, 'b' },
	{ "grouping", required_argument, NULL, 'g' },
	{ "algorithm", required_argument, NULL, 'a' },
	{ "chain", required_argument, NULL, 'c' },
	{ "rule", required_argument, NULL, 'r' },
	{ "objects", required_argument, NULL, 'o' },
	{ "class", required_argument, NULL, 's' },
	{ "pictures", no_argument, NULL, 'p' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int set_option(struct options *options, int option)
{
	struct zs_config *config = &options->config;

	switch (option) {
	case 'b':
		return parse_backend(optarg, &options->backend);
	case 'g':
		return parse_word("grouping", groupings, optarg, &config->grouping);
	case 'a':
		return parse_word("algorithm", algorithms, optarg, &config->algorithm);
	case 'c':
		return parse_count("chain", 16, optarg, &config->geometry.chain);
	case 'r':
		return parse_word("rule", rules, optarg, &config->geometry.chain_rule);
	case 'o':
		return parse_count("objects", PATTERN_OBJECTS, optarg, &options->objects);
	case 's':
		return parse_count("class", config->geometry.page_size, optarg, &options->only);
	case 'p':
		options->pictures = true;
		return RIGHT;
	default:
		return WRONG; /* getopt_long has said why */
	}
}

int main(int argc, char **argv)
{
	struct options options = { .backend = &backend_core, .objects = 4096 };
	struct classes classes = { .count = 0 };
	struct work *works = NULL;
	int option, status = RIGHT;

	zs_config_init(&options.config, ZS_KERNEL_6_12);
	while (!status && (option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (option == 'h')
			return help();
		status = set_option(&options, option);
	}
	if (!status)
		status = parse_works(argv + optind, argc - optind, &works);
	if (!status)
		status = find_classes(&options, &classes);
	if (!status)
		print_header(options.pictures);
	for (int i = optind; i < argc && !status; i++)
		status = run_work(&options, &works[i - optind], &classes);
	free(works);
	if (!status && (fflush(stdout) || ferror(stdout)))
		status = wrong("can't write to stdout");
	return status;
}
