// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs KUnit suites in user space and prints TAP. Buffers of the cases have an
 * inaccessible page after their end.
 */
#include "kunit/test.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The mapping of a buffer, freed at the end of its case. */
struct buffer {
	struct buffer *next;
	void *mapping;
	size_t mapped;
};

static struct buffer *buffers;
static unsigned int results, failures;

static void kunit_die(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

void *kunit_kmalloc(struct kunit *test, size_t size, int flags)
{
	size_t page = sysconf(_SC_PAGESIZE);
	size_t usable = (size + page - 1) / page * page;
	struct buffer *buffer = malloc(sizeof(*buffer));
	__u8 *mapping;

	(void)test;
	(void)flags;
	mapping = mmap(NULL, usable + page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!buffer || mapping == MAP_FAILED ||
	    mprotect(mapping + usable, page, PROT_NONE))
		kunit_die("no memory");
	*buffer = (struct buffer){ buffers, mapping, usable + page };
	buffers = buffer;
	return mapping + usable - size;
}

static void kunit_free_all(void)
{
	while (buffers) {
		struct buffer *buffer = buffers;

		buffers = buffer->next;
		munmap(buffer->mapping, buffer->mapped);
		free(buffer);
	}
}

void kunit_fail(struct kunit *test, const char *file, int line,
		const char *what)
{
	printf("# %s:%d: expected %s\n", file, line, what);
	test->failed = true;
}

static void kunit_run_one(const struct kunit_case *test_case,
			  const void *param, const char *desc)
{
	struct kunit test = { .param_value = param };

	if (!setjmp(test.abort))
		test_case->run(&test);
	kunit_free_all();
	results++;
	failures += test.failed;
	printf("%sok %u - %s%s%s\n", test.failed ? "not " : "", results,
	       test_case->name, *desc ? ": " : "", desc);
	fflush(stdout);
}

static void kunit_run_case(const struct kunit_case *test_case)
{
	char desc[KUNIT_PARAM_DESC_SIZE] = "";
	const void *param = NULL;

	if (!test_case->generate) {
		kunit_run_one(test_case, NULL, desc);
		return;
	}
	while ((param = test_case->generate(param, desc)))
		kunit_run_one(test_case, param, desc);
}

static void kunit_run_suite(const struct kunit_suite *suite)
{
	const struct kunit_case *test_case;

	printf("# suite %s\n", suite->name);
	for (test_case = suite->test_cases; test_case->run; test_case++)
		kunit_run_case(test_case);
}

int kunit_run(struct kunit_suite *const *suites)
{
	while (*suites)
		kunit_run_suite(*suites++);
	printf("1..%u\n", results);
	return failures || !results;
}
