/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rules that give a lifetime to packets without one, and an importance to all packets.
 * If several rules match a packet, the first of these rules applies.
 *
 * The functions only compute: they read no packet and need no lock.
 */
#ifndef _SCH_LPD_MATCH_H
#define _SCH_LPD_MATCH_H

#include <linux/if_ether.h>
#include <linux/limits.h>
#include <linux/types.h>

/* Stands for the DSCP of a packet without a DSCP. No rule has this DSCP. */
#define LPD_NO_DSCP	U32_MAX

/**
 * enum lpd_field - the property of a packet that a rule compares
 * @LPD_FIELD_MARK: skb->mark
 * @LPD_FIELD_DSCP: the DSCP of the IP header
 * @LPD_FIELD_PRIORITY: skb->priority
 * @LPD_FIELDS: number of enum values
 */
enum lpd_field {
	LPD_FIELD_MARK,
	LPD_FIELD_DSCP,
	LPD_FIELD_PRIORITY,
	LPD_FIELDS,
};

/**
 * struct lpd_traits - all properties of a packet that rules compare
 * @of: indexed by enum lpd_field
 */
struct lpd_traits {
	u32 of[LPD_FIELDS];
};

/**
 * struct lpd_rule - a rule
 * @value: value of the field, in the bits of @mask
 * @mask: bits of the field that the rule compares
 * @field: enum lpd_field
 * @stale: treatment of the packet when it is stale, as enum tc_lpd_stale; never
 *	TC_LPD_STALE_HONOR
 * @importance: importance of the packet with overflow least, 0..TC_LPD_IMPORTANCE_MAX
 * @lifetime: ns, 0 for none
 */
struct lpd_rule {
	u32 value;
	u32 mask;
	u8 field;
	u8 stale;
	u8 importance;
	u64 lifetime;
};

/**
 * struct lpd_rules - the rules of a qdisc
 * @count: number of rules, 1..TC_LPD_RULES_MAX
 * @rule: the rules in their order
 */
struct lpd_rules {
	u32 count;
	struct lpd_rule rule[];
};

u32 lpd_dscp(__be16 protocol, __be16 word);
const struct lpd_rule *lpd_match(const struct lpd_rules *rules,
				 const struct lpd_traits *traits);

#endif /* _SCH_LPD_MATCH_H */
