/* SPDX-License-Identifier: BSD-3-Clause */
/* property_test - runs suites of properties, each in a process of its own, and tells what failed. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "property.h"

static const struct property_suite *const suites[] = {
	&property_sequences, &property_relations, &property_forms,
	&property_pages,     &property_handles,
};

#define SUITES (sizeof(suites) / sizeof(suites[0]))
#define CASE_SECONDS 60 /* of processor time; a case that takes longer hangs */
#define FINDINGS "build/findings"

static const char help[] =
	"usage: property_test [OPTIONS] [SUITE...]\n"
	"\n"
	"Tries properties of the core on sequences made by a seed; to be run from the top folder. "
	"A\n"
	"sequence that fails is told, and written to " FINDINGS "/. Exit status 1: one failed.\n"
	"\n"
	"  --seed N        other sequences (1)\n"
	"  --sequences N   so many a suite\n"
	"  --case N        this one only\n"
	"\n"
	"Suites (all):\n";

struct request {
	uint64_t seed;
	uint32_t sequences; /* 0: as many as the suite says */
	uint32_t only;      /* UINT32_MAX: all cases */
};

/* ---- running --------------------------------------------------------------------------------- */

/* SIGPROF ends a process that uses more. Not by the clock: a machine may be busy, or stopped. */
static void limit_time(void)
{
	const struct itimerval limit = { .it_value.tv_sec = CASE_SECONDS };

	setitimer(ITIMER_PROF, &limit, NULL);
}

static void run_cases(const struct property_suite *suite, const struct request *request,
		      struct property_place *place)
{
	uint32_t end = property_generated + (suite->of_corpus ? property_corpus_count() : 0);
	uint32_t first = 0;

	if (request->only != UINT32_MAX) {
		first = request->only;
		end = first + 1;
	}
	for (uint32_t number = first; number < end; number++) {
		*place = (struct property_place){ .number = number };
		limit_time();
		suite->run(request->seed, place);
	}
}

/* In a process of its own, so that whatever ends it is noticed. Returns what wait says. */
static int run_apart(const struct property_suite *suite, const struct request *request,
		     struct property_place *place)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		run_cases(suite, request, place);
		exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child) {
		perror("property_test");
		exit(2);
	}
	return status;
}

/* ---- telling --------------------------------------------------------------------------------- */

static void tell_end(const struct property_suite *suite, const struct request *request,
		     const struct property_place *place, int status)
{
	fprintf(stderr, "property_test: %s failed at seed %" PRIu64 ", case %u", suite->name,
		request->seed, place->number);
	if (place->variant || place->step)
		fprintf(stderr, " (variant %u, step %" PRIu64 ")", place->variant, place->step);
	if (WIFSIGNALED(status))
		fprintf(stderr, ": %s\n", strsignal(WTERMSIG(status)));
	else
		fprintf(stderr, ": exit status %d\n", WEXITSTATUS(status));
}

static int save(const struct trace *trace, const char *path)
{
	FILE *file;
	int result;

	if ((mkdir("build", 0777) && errno != EEXIST) || (mkdir(FINDINGS, 0777) && errno != EEXIST))
		return -1;
	file = fopen(path, "w");
	if (!file)
		return -1;
	result = trace_print(trace, file);
	return fclose(file) || result ? -1 : 0;
}

/* The case's trace is made again from the seed. */
static void tell(const char *program, const struct property_suite *suite,
		 const struct request *request, const struct property_place *place, int status)
{
	struct trace trace, pool;
	char path[200];

	snprintf(path, sizeof(path), FINDINGS "/property-%s-%" PRIu64 "-%u.trace", suite->name,
		 request->seed, place->number);
	suite->make(request->seed, place, &trace);
	pool = (struct trace){ .config = trace.config };
	tell_end(suite, request, place, status);
	trace_print(&pool, stderr);
	if (save(&trace, path))
		perror(path);
	fprintf(stderr, "again: %s --seed %" PRIu64 " --sequences %u --case %u %s\n", program,
		request->seed, property_generated, place->number, suite->name);
	fprintf(stderr,
		suite->replayable ? "again: build/release/zsanity replay --full-every 1 %s\n"
				  : "its trace: %s\n",
		path);
	trace_free(&trace);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int run_suite(const char *program, const struct property_suite *suite,
		     const struct request *request, struct property_place *place)
{
	int status;

	property_generated = request->sequences ? request->sequences : suite->cases;
	status = run_apart(suite, request, place);
	if (status && WIFEXITED(status) && WEXITSTATUS(status) == 2)
		return 2;
	if (status) {
		tell(program, suite, request, place, status);
		return 1;
	}
	printf("%s: %s: right, %u cases, seed %" PRIu64 "\n", suite->name, suite->what,
	       request->only == UINT32_MAX ? place->number + 1 : 1, request->seed);
	return fflush(stdout) ? 2 : 0;
}

static int misuse(const char *what, const char *word)
{
	fprintf(stderr, "property_test: %s '%s'; try --help\n", what, word);
	return 2;
}

static bool number(const char *text, uint64_t most, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && !*end && !errno && *value <= most;
}

static const struct property_suite *find(const char *name)
{
	for (size_t i = 0; i < SUITES; i++)
		if (!strcmp(suites[i]->name, name))
			return suites[i];
	return NULL;
}

static int print_help(void)
{
	fputs(help, stdout);
	for (size_t i = 0; i < SUITES; i++)
		printf("  %-14s  %s\n", suites[i]->name, suites[i]->what);
	return fflush(stdout) ? 2 : 0;
}

static int take_option(struct request *request, int option)
{
	uint64_t value;

	if (!number(optarg, option == 's' ? UINT64_MAX : UINT32_MAX - 1, &value) ||
	    (option == 'n' && !value))
		return misuse("a number is wanted, not", optarg);
	if (option == 's')
		request->seed = value;
	else if (option == 'n')
		request->sequences = (uint32_t)value;
	else
		request->only = (uint32_t)value;
	return 0;
}

static int run_all(char **argv, int first, int count, const struct request *request)
{
	struct property_place *place = mmap(NULL, sizeof(*place), PROT_READ | PROT_WRITE,
					    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 0;

	if (place == MAP_FAILED) {
		perror("property_test");
		return 2;
	}
	for (int i = first; i < count && !status; i++)
		if (!find(argv[i]))
			return misuse("no suite is called", argv[i]);
	for (int i = first; i < count && !status; i++)
		status = run_suite(argv[0], find(argv[i]), request, place);
	for (size_t i = 0; i < SUITES && !status && first == count; i++)
		status = run_suite(argv[0], suites[i], request, place);
	return status;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "sequences", required_argument, NULL, 'n' },
		{ "case", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct request request = { .seed = 1, .only = UINT32_MAX };
	int option, status;

	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (option == 'h')
			return print_help();
		if (option == ':' || option == '?')
			return misuse(option == ':' ? "a value is wanted by" : "unknown option",
				      argv[optind - 1]);
		status = take_option(&request, option);
		if (status)
			return status;
	}
	return run_all(argv, optind, argc, &request);
}
