// SPDX-License-Identifier: GPL-2.0
/* Reads the rules of a qdisc from netlink requests, and fills them into answers. */

#include <linux/pkt_sched_lpd.h>
#include <linux/slab.h>
#include "rules.h"

static const struct netlink_range_validation lpd_rule_lifetime_range = {
	.max = TC_LPD_LIFETIME_MAX,
};

static const struct nla_policy lpd_rule_policy[TCA_LPD_RULE_MAX + 1] = {
	/* accepted for the same reason as TCA_LPD_PAD in netlink.c */
	[TCA_LPD_RULE_PAD]	= { .type = NLA_FLAG },
	[TCA_LPD_RULE_MARK]	= { .type = NLA_U32 },
	[TCA_LPD_RULE_MASK]	= NLA_POLICY_MIN(NLA_U32, 1),
	[TCA_LPD_RULE_DSCP]	= NLA_POLICY_MAX(NLA_U8, TC_LPD_DSCP_MAX),
	[TCA_LPD_RULE_PRIORITY]	= { .type = NLA_U32 },
	[TCA_LPD_RULE_LIFETIME]	= NLA_POLICY_FULL_RANGE(NLA_U64,
							&lpd_rule_lifetime_range),
	[TCA_LPD_RULE_STALE]	= NLA_POLICY_RANGE(NLA_U8, TC_LPD_STALE_FORWARD,
						   TC_LPD_STALE_MAX),
	[TCA_LPD_RULE_IMPORTANCE] = NLA_POLICY_MAX(NLA_U8, TC_LPD_IMPORTANCE_MAX),
};

const struct nla_policy lpd_match_policy[TCA_LPD_MATCH_MAX + 1] = {
	[TCA_LPD_MATCH_RULE]	= NLA_POLICY_NESTED(lpd_rule_policy),
};

static void lpd_rule_compare(struct lpd_rule *rule, enum lpd_field field, u32 value, u32 mask)
{
	rule->field = field;
	rule->value = value;
	rule->mask = mask;
}

static int lpd_rule_read_mark(struct lpd_rule *rule, struct nlattr **tb,
			      struct netlink_ext_ack *extack)
{
	u32 mark = nla_get_u32(tb[TCA_LPD_RULE_MARK]), mask = U32_MAX;

	if (tb[TCA_LPD_RULE_MASK])
		mask = nla_get_u32(tb[TCA_LPD_RULE_MASK]);
	if (mark & ~mask) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_LPD_RULE_MARK],
				    "lpd: the mark of a rule must have no bit outside the mask");
		return -EINVAL;
	}
	lpd_rule_compare(rule, LPD_FIELD_MARK, mark, mask);
	return 0;
}

/* Reads the field that a rule compares. */
static int lpd_rule_read_field(struct lpd_rule *rule, const struct nlattr *attr,
			       struct nlattr **tb, struct netlink_ext_ack *extack)
{
	if (!!tb[TCA_LPD_RULE_MARK] + !!tb[TCA_LPD_RULE_DSCP] +
	    !!tb[TCA_LPD_RULE_PRIORITY] != 1) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "lpd: a rule must have one of mark, dscp and priority");
		return -EINVAL;
	}
	if (tb[TCA_LPD_RULE_MASK] && !tb[TCA_LPD_RULE_MARK]) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_LPD_RULE_MASK],
				    "lpd: only the mark of a rule has a mask");
		return -EINVAL;
	}
	if (tb[TCA_LPD_RULE_MARK])
		return lpd_rule_read_mark(rule, tb, extack);
	if (tb[TCA_LPD_RULE_DSCP])
		lpd_rule_compare(rule, LPD_FIELD_DSCP,
				 nla_get_u8(tb[TCA_LPD_RULE_DSCP]), U32_MAX);
	else
		lpd_rule_compare(rule, LPD_FIELD_PRIORITY,
				 nla_get_u32(tb[TCA_LPD_RULE_PRIORITY]), U32_MAX);
	return 0;
}

static int lpd_rule_read(struct lpd_rule *rule, const struct nlattr *attr,
			 struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_LPD_RULE_MAX + 1];
	int err;

	err = nla_parse_nested(tb, TCA_LPD_RULE_MAX, attr, lpd_rule_policy, extack);
	if (err < 0)
		return err;
	err = lpd_rule_read_field(rule, attr, tb, extack);
	if (err)
		return err;
	if (!tb[TCA_LPD_RULE_LIFETIME]) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "lpd: a rule must have a lifetime");
		return -EINVAL;
	}
	rule->lifetime = nla_get_u64(tb[TCA_LPD_RULE_LIFETIME]);
	rule->stale = TC_LPD_STALE_DISCARD;
	if (tb[TCA_LPD_RULE_STALE])
		rule->stale = nla_get_u8(tb[TCA_LPD_RULE_STALE]);
	if (tb[TCA_LPD_RULE_IMPORTANCE])
		rule->importance = nla_get_u8(tb[TCA_LPD_RULE_IMPORTANCE]);
	return 0;
}

static u32 lpd_rules_count(const struct nlattr *match)
{
	const struct nlattr *attr;
	u32 count = 0;
	int left;

	nla_for_each_nested(attr, match, left)
		count++;
	return count;
}

static struct lpd_rules *lpd_rules_alloc(const struct nlattr *match, u32 count, gfp_t gfp,
					 struct netlink_ext_ack *extack)
{
	struct lpd_rules *rules;

	if (count > TC_LPD_RULES_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, match, "lpd: more than 32 rules");
		return ERR_PTR(-E2BIG);
	}
	rules = kzalloc(struct_size(rules, rule, count), gfp);
	if (!rules) {
		NL_SET_ERR_MSG_ATTR(extack, match, "lpd: no memory for the rules");
		return ERR_PTR(-ENOMEM);
	}
	rules->count = count;
	return rules;
}

/**
 * lpd_rules_read() - read all rules from a request
 * @match: TCA_LPD_MATCH, checked with lpd_match_policy
 * @gfp: flags for the memory
 * @extack: set to the wrong attribute if the request is refused
 *
 * Return: the rules, which the caller frees with kfree(); NULL for no rules; or an error
 * pointer
 */
struct lpd_rules *lpd_rules_read(const struct nlattr *match, gfp_t gfp,
				 struct netlink_ext_ack *extack)
{
	u32 count = lpd_rules_count(match), i = 0;
	const struct nlattr *attr;
	struct lpd_rules *rules;
	int left, err;

	static_assert(TC_LPD_RULES_MAX == 32);
	if (!count)
		return NULL;
	rules = lpd_rules_alloc(match, count, gfp, extack);
	if (IS_ERR(rules))
		return rules;
	nla_for_each_nested(attr, match, left) {
		err = lpd_rule_read(&rules->rule[i++], attr, extack);
		if (err) {
			kfree(rules);
			return ERR_PTR(err);
		}
	}
	return rules;
}

static int lpd_rule_dump_field(struct sk_buff *skb, const struct lpd_rule *rule)
{
	switch (rule->field) {
	case LPD_FIELD_MARK:
		if (rule->mask != U32_MAX && nla_put_u32(skb, TCA_LPD_RULE_MASK, rule->mask))
			return -EMSGSIZE;
		return nla_put_u32(skb, TCA_LPD_RULE_MARK, rule->value);
	case LPD_FIELD_DSCP:
		return nla_put_u8(skb, TCA_LPD_RULE_DSCP, rule->value);
	default:
		return nla_put_u32(skb, TCA_LPD_RULE_PRIORITY, rule->value);
	}
}

static int lpd_rule_dump_treatment(struct sk_buff *skb, const struct lpd_rule *rule)
{
	if (rule->stale != TC_LPD_STALE_DISCARD &&
	    nla_put_u8(skb, TCA_LPD_RULE_STALE, rule->stale))
		return -EMSGSIZE;
	return rule->importance ? nla_put_u8(skb, TCA_LPD_RULE_IMPORTANCE, rule->importance) : 0;
}

/* Leaves out default values. When a qdisc replaces another qdisc, the core puts both into one
 * notification of at most NLMSG_GOODSIZE, or sends none. Thus two lists of 32 short rules fit.
 */
static int lpd_rule_dump(struct sk_buff *skb, const struct lpd_rule *rule)
{
	struct nlattr *nest = nla_nest_start(skb, TCA_LPD_MATCH_RULE);

	if (!nest || lpd_rule_dump_field(skb, rule) ||
	    nla_put_u64_64bit(skb, TCA_LPD_RULE_LIFETIME, rule->lifetime,
			      TCA_LPD_RULE_PAD) ||
	    lpd_rule_dump_treatment(skb, rule))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * lpd_rules_dump() - fill in TCA_LPD_MATCH
 * @skb: the answer
 * @rules: the rules, or NULL for none
 *
 * Return: 0, or -EMSGSIZE if the answer is full; the caller then cancels the answer's nest
 */
int lpd_rules_dump(struct sk_buff *skb, const struct lpd_rules *rules)
{
	struct nlattr *match = nla_nest_start(skb, TCA_LPD_MATCH);
	u32 i;

	if (!match)
		return -EMSGSIZE;
	for (i = 0; rules && i < rules->count; i++)
		if (lpd_rule_dump(skb, &rules->rule[i]))
			return -EMSGSIZE;
	nla_nest_end(skb, match);
	return 0;
}
