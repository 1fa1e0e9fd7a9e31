// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the arithmetic with numbers of frames. */

#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/module.h>
#include "number.h"

static const u16 arql_bases[] = { 0, 1, 4095, 32767, 32768, 61440, 65535 };

/* The distance is exact for each base and each distance up to half of the range. */
static void arql_test_ahead(struct kunit *test)
{
	int wrong = 0, i, n;

	for (i = 0; i < ARRAY_SIZE(arql_bases); i++)
		for (n = S16_MIN; n <= S16_MAX; n++)
			wrong += arql_ahead(arql_bases[i] + n, arql_bases[i]) != n;
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

/* The order of two numbers of a window does not depend on where the window starts. */
static void arql_test_order(struct kunit *test)
{
	const int distances[] = { 1, 2, 4095, 4096, 8192 };
	int wrong = 0, base, i;

	for (base = 0; base <= U16_MAX; base++) {
		wrong += arql_ahead(base, base) != 0;
		for (i = 0; i < ARRAY_SIZE(distances); i++) {
			wrong += arql_ahead(base + distances[i], base) != distances[i];
			wrong += arql_ahead(base, base + distances[i]) != -distances[i];
		}
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

/* Counts the numbers for which arql_within() differs from a walk through the window. */
static int arql_within_errors(u16 base, u32 size)
{
	u16 number = base;
	int wrong = 0;
	u32 i;

	for (i = 0; i <= U16_MAX; i++)
		wrong += arql_within(number++, base, size) != (i < size);
	return wrong;
}

/* A window contains its size of numbers from its base on, and no other of the 65536 numbers. */
static void arql_test_within(struct kunit *test)
{
	const u32 sizes[] = { 0, 1, 2, 3, 8, 4095, ARQLINK_WINDOW_MAX, 2 * ARQLINK_WINDOW_MAX + 1 };
	int i, j;

	for (i = 0; i < ARRAY_SIZE(arql_bases); i++)
		for (j = 0; j < ARRAY_SIZE(sizes); j++)
			KUNIT_EXPECT_EQ_MSG(test, 0, arql_within_errors(arql_bases[i], sizes[j]),
					    "base %u, size %u", arql_bases[i], sizes[j]);
}

/* The edges of each window from 1 to 4096 are exact, also where the numbers wrap. */
static void arql_test_edges(struct kunit *test)
{
	int wrong = 0, i;
	u32 size;

	for (size = 1; size <= ARQLINK_WINDOW_MAX; size++) {
		for (i = 0; i < ARRAY_SIZE(arql_bases); i++) {
			const u16 base = arql_bases[i];

			wrong += arql_within(base - 1, base, size);
			wrong += !arql_within(base, base, size);
			wrong += !arql_within(base + size - 1, base, size);
			wrong += arql_within(base + size, base, size);
		}
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

static struct kunit_case arql_number_cases[] = {
	KUNIT_CASE(arql_test_ahead),
	KUNIT_CASE(arql_test_order),
	KUNIT_CASE(arql_test_within),
	KUNIT_CASE(arql_test_edges),
	{}
};

static struct kunit_suite arql_number_suite = {
	.name = "arqlink_number",
	.test_cases = arql_number_cases,
};

kunit_test_suite(arql_number_suite);

MODULE_DESCRIPTION("KUnit tests of arqlink's numbers");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
