/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of KUnit's interface that kmod/xlo/codec_test.c and tcp_cong_iftpv/decision_test.c
 * use, in user space. The same test cases therefore run without a kernel. Each case, or each
 * parameter of a case, is one TAP result.
 */
#ifndef CODEC_KUNIT_TEST_H
#define CODEC_KUNIT_TEST_H

#include <linux/types.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef unsigned int uint;

#define U16_MAX ((u16)~0)
#define U32_MAX ((u32)~0)
#define U64_MAX (~0ULL)

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define min_t(type, a, b) ((type)(a) < (type)(b) ? (type)(a) : (type)(b))

#define KUNIT_PARAM_DESC_SIZE 128
#define GFP_KERNEL 0

/**
 * struct kunit - a running case
 * @param_value: its parameter
 * @failed: whether an expectation has failed
 * @abort: where a failed assertion jumps to
 */
struct kunit {
	const void *param_value;
	bool failed;
	jmp_buf abort;
};

/**
 * struct kunit_case - one test
 * @run: the test
 * @name: its name
 * @generate: returns the parameter after @prev and its description, or NULL after the last
 *	parameter
 */
struct kunit_case {
	void (*run)(struct kunit *test);
	const char *name;
	const void *(*generate)(const void *prev, char *desc);
};

/**
 * struct kunit_suite - the tests of a file
 * @name: their common name
 * @test_cases: the cases, with an empty case at the end
 */
struct kunit_suite {
	const char *name;
	struct kunit_case *test_cases;
};

/**
 * kunit_kmalloc() - allocate memory with an inaccessible page after its end
 * @test: the case that owns the memory
 * @size: size in bytes
 * @flags: ignored
 *
 * If no memory is available, the function ends the process.
 */
void *kunit_kmalloc(struct kunit *test, size_t size, int flags);

/**
 * kunit_run() - run suites
 * @suites: the suites, with NULL at the end
 *
 * Return: the exit status for the process
 */
int kunit_run(struct kunit_suite *const *suites);

/**
 * kunit_fail() - report a failed expectation
 * @test: the case
 * @file: file of the expectation
 * @line: line of the expectation
 * @what: text of the expectation
 */
void kunit_fail(struct kunit *test, const char *file, int line,
		const char *what);

#define KUNIT_CASE(test) { .run = test, .name = #test }
#define KUNIT_CASE_PARAM(test, generator) \
	{ .run = test, .name = #test, .generate = generator }

#define KUNIT_ARRAY_PARAM(title, array, describe)			\
	static const void *title##_gen_params(const void *prev, char *desc) \
	{								\
		const typeof((array)[0]) *next = prev;			\
									\
		next = next ? next + 1 : (array);			\
		if (next == (array) + ARRAY_SIZE(array))		\
			return NULL;					\
		describe(next, desc);					\
		return next;						\
	}

#define kunit_test_suites(...)						\
	int main(void)							\
	{								\
		struct kunit_suite *const suites[] = { __VA_ARGS__, NULL }; \
									\
		return kunit_run(suites);				\
	}
#define kunit_test_suite(suite)	kunit_test_suites(&(suite))

#define kunit_info(test, format, ...) \
	((void)(test), printf("# " format "\n", __VA_ARGS__))

#define KUNIT_CHECK(test, left, op, right, stop, ...)			\
	do {								\
		typeof(left) left_ = (left);				\
		typeof(right) right_ = (right);				\
									\
		if (left_ op right_)					\
			break;						\
		kunit_fail(test, __FILE__, __LINE__,			\
			   #left " " #op " " #right);			\
		printf("# left 0x%llx, right 0x%llx ",			\
		       (unsigned long long)left_,			\
		       (unsigned long long)right_);			\
		printf(__VA_ARGS__);					\
		putchar('\n');						\
		if (stop)						\
			longjmp((test)->abort, 1);			\
	} while (0)

#define KUNIT_EXPECT_TRUE(test, condition) \
	KUNIT_CHECK(test, !!(condition), ==, true, false, "%s", "")
#define KUNIT_EXPECT_FALSE(test, condition) \
	KUNIT_CHECK(test, !!(condition), ==, false, false, "%s", "")
#define KUNIT_EXPECT_LT(test, left, right) \
	KUNIT_CHECK(test, left, <, right, false, "%s", "")
#define KUNIT_EXPECT_GT(test, left, right) \
	KUNIT_CHECK(test, left, >, right, false, "%s", "")
#define KUNIT_EXPECT_EQ(test, left, right) \
	KUNIT_CHECK(test, left, ==, right, false, "%s", "")
#define KUNIT_EXPECT_EQ_MSG(test, left, right, ...) \
	KUNIT_CHECK(test, left, ==, right, false, __VA_ARGS__)
#define KUNIT_ASSERT_EQ(test, left, right) \
	KUNIT_CHECK(test, left, ==, right, true, "%s", "")
#define KUNIT_ASSERT_EQ_MSG(test, left, right, ...) \
	KUNIT_CHECK(test, left, ==, right, true, __VA_ARGS__)
#define KUNIT_ASSERT_NE_MSG(test, left, right, ...) \
	KUNIT_CHECK(test, left, !=, right, true, __VA_ARGS__)

/* kunit_kmalloc() does not return without memory. */
#define KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pointer) \
	((void)(test), (void)(pointer))

#endif /* CODEC_KUNIT_TEST_H */
