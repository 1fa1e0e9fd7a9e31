/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the rules of a qdisc from netlink requests, and fills them into answers. */
#ifndef _SCH_LPD_RULES_H
#define _SCH_LPD_RULES_H

#include <net/netlink.h>
#include "match.h"

extern const struct nla_policy lpd_match_policy[TCA_LPD_MATCH_MAX + 1];

struct lpd_rules *lpd_rules_read(const struct nlattr *match, gfp_t gfp,
				 struct netlink_ext_ack *extack);
int lpd_rules_dump(struct sk_buff *skb, const struct lpd_rules *rules);

#endif /* _SCH_LPD_RULES_H */
