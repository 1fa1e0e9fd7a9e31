// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the rules that give lifetimes. */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/slab.h>
/* the tests call functions that the module does not export */
#include "match.c"

#define SECOND	1000000000ULL

/* Makes a set of rules with the lifetimes 1, 2, 3, ... s. */
static struct lpd_rules *lpd_match_test_rules(struct kunit *test,
					      const struct lpd_rule *rule, u32 count)
{
	struct lpd_rules *rules = kunit_kzalloc(test, struct_size(rules, rule, count),
						GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, rules);
	rules->count = count;
	for (i = 0; i < count; i++) {
		rules->rule[i] = rule[i];
		rules->rule[i].lifetime = (i + 1) * SECOND;
	}
	return rules;
}

/* The lifetime in s of the rule that applies to a packet, or 0 without a rule. */
static u64 lpd_match_test_seconds(const struct lpd_rules *rules, u32 mark, u32 dscp,
				  u32 priority)
{
	const struct lpd_traits traits = { .of = {
		[LPD_FIELD_MARK] = mark,
		[LPD_FIELD_DSCP] = dscp,
		[LPD_FIELD_PRIORITY] = priority,
	} };
	const struct lpd_rule *rule = lpd_match(rules, &traits);

	return rule ? rule->lifetime / SECOND : 0;
}

/* A rule compares its own field only. */
static void lpd_match_test_fields(struct kunit *test)
{
	static const struct lpd_rule rule[] = {
		{ .field = LPD_FIELD_MARK, .value = 40, .mask = U32_MAX },
		{ .field = LPD_FIELD_DSCP, .value = 41, .mask = U32_MAX },
		{ .field = LPD_FIELD_PRIORITY, .value = 42, .mask = U32_MAX },
	};
	struct lpd_rules *rules = lpd_match_test_rules(test, rule, ARRAY_SIZE(rule));

	KUNIT_EXPECT_EQ(test, lpd_match_test_seconds(rules, 40, 0, 0), 1);
	KUNIT_EXPECT_EQ(test, lpd_match_test_seconds(rules, 0, 41, 0), 2);
	KUNIT_EXPECT_EQ(test, lpd_match_test_seconds(rules, 0, 0, 42), 3);
	KUNIT_EXPECT_EQ(test, lpd_match_test_seconds(rules, 41, 42, 40), 0);
	KUNIT_EXPECT_EQ(test, lpd_match_test_seconds(rules, 0, LPD_NO_DSCP, 0), 0);
}

/* If several rules match a packet, the first of these rules applies, even if a later rule is more
 * specific.
 */
static void lpd_match_test_first(struct kunit *test)
{
	static const struct lpd_rule rule[] = {
		{ .field = LPD_FIELD_MARK, .value = 0x10, .mask = 0xf0 },
		{ .field = LPD_FIELD_MARK, .value = 0x12, .mask = U32_MAX },
		{ .field = LPD_FIELD_PRIORITY, .value = 6, .mask = U32_MAX },
		{ .field = LPD_FIELD_MARK, .value = 0x20, .mask = 0xf0 },
	};
	struct lpd_rules *rules = lpd_match_test_rules(test, rule, ARRAY_SIZE(rule));

	KUNIT_EXPECT_EQ(test, lpd_match_test_seconds(rules, 0x12, 0, 0), 1);
	KUNIT_EXPECT_EQ(test, lpd_match_test_seconds(rules, 0x12, 0, 6), 1);
	KUNIT_EXPECT_EQ(test, lpd_match_test_seconds(rules, 0x25, 0, 6), 3);
	KUNIT_EXPECT_EQ(test, lpd_match_test_seconds(rules, 0x25, 0, 0), 4);
}

/* Bits outside the mask do not matter, and all bits in the mask matter. */
static void lpd_match_test_mask(struct kunit *test)
{
	static const struct lpd_rule rule[] = {
		{ .field = LPD_FIELD_MARK, .value = 0x80000001, .mask = 0x800000ff },
	};
	struct lpd_rules *rules = lpd_match_test_rules(test, rule, ARRAY_SIZE(rule));
	int bit;

	for (bit = 0; bit < 32; bit++)
		KUNIT_EXPECT_EQ_MSG(test,
				    lpd_match_test_seconds(rules, 0x80000001 ^ 1U << bit, 0, 0),
				    !(rule[0].mask & 1U << bit), "bit %d", bit);
}

/* lpd_dscp() extracts each value of the DSCP, with any version and ECN bits. */
static void lpd_match_test_dscp(struct kunit *test)
{
	u32 dscp, ecn;

	for (dscp = 0; dscp < 64; dscp++)
		for (ecn = 0; ecn < 4; ecn++) {
			u16 v4 = 0x4500 | dscp << 2 | ecn;
			u16 v6 = 0x600f | dscp << 6 | ecn << 4;

			KUNIT_EXPECT_EQ(test, lpd_dscp(htons(ETH_P_IP), htons(v4)), dscp);
			KUNIT_EXPECT_EQ(test, lpd_dscp(htons(ETH_P_IPV6), htons(v6)), dscp);
		}
}

static struct kunit_case lpd_match_test_cases[] = {
	KUNIT_CASE(lpd_match_test_fields),
	KUNIT_CASE(lpd_match_test_first),
	KUNIT_CASE(lpd_match_test_mask),
	KUNIT_CASE(lpd_match_test_dscp),
	{}
};

static struct kunit_suite lpd_match_test_suite = {
	.name = "lpd_match",
	.test_cases = lpd_match_test_cases,
};

kunit_test_suite(lpd_match_test_suite);

MODULE_DESCRIPTION("KUnit tests of sch_lpd's rules");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
