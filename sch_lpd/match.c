// SPDX-License-Identifier: GPL-2.0
/* Finds the rule that applies to a packet: see match.h. */

#include "match.h"

/**
 * lpd_dscp() - extract the DSCP from an IP header (RFC 2474)
 * @protocol: ETH_P_IP or ETH_P_IPV6
 * @word: the first 16 bits of the header
 *
 * IPv4 has the DSCP in the upper 6 bits of the second byte. IPv6 has the DSCP in the 6 bits
 * after the version.
 *
 * Return: 0..63
 */
u32 lpd_dscp(__be16 protocol, __be16 word)
{
	unsigned int shift = protocol == htons(ETH_P_IP) ? 2 : 6;

	return ntohs(word) >> shift & 0x3f;
}

/**
 * lpd_match() - find the rule that applies to a packet
 * @rules: the rules
 * @traits: the packet
 *
 * Return: the first rule that the packet matches, or NULL
 */
const struct lpd_rule *lpd_match(const struct lpd_rules *rules,
				 const struct lpd_traits *traits)
{
	const struct lpd_rule *rule = rules->rule;
	const struct lpd_rule *end = rule + rules->count;

	for (; rule < end; rule++)
		if ((traits->of[rule->field] & rule->mask) == rule->value)
			return rule;
	return NULL;
}
