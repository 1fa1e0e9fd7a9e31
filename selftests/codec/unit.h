/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of user space. They print TAP. */
#ifndef CODEC_UNIT_H
#define CODEC_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Ends a test as failed if the condition is false. */
#define MUST(condition)							\
	do {								\
		if (!(condition)) {					\
			printf("# %s:%d: %s\n", __FILE__, __LINE__,	\
			       #condition);				\
			return false;					\
		}							\
	} while (0)

/**
 * struct unit - a test
 * @name: its name
 * @test: function that returns whether the test passed
 */
struct unit {
	const char *name;
	bool (*test)(void);
};

/* Runs all tests and returns the number of failed tests. */
static inline int unit_run(const struct unit *tests, size_t count)
{
	int failures = 0;

	printf("1..%zu\n", count);
	for (size_t i = 0; i < count; i++) {
		bool good = tests[i].test();

		failures += !good;
		printf("%sok %zu - %s\n", good ? "" : "not ", i + 1,
		       tests[i].name);
		fflush(stdout);
	}
	return failures;
}

#endif
