/* SPDX-License-Identifier: GPL-2.0 */
/* Cuts packets to their IP and transport headers ("headercasting"). */
#ifndef _SCH_LPD_CUT_H
#define _SCH_LPD_CUT_H

#include <linux/skbuff.h>
#include <linux/types.h>

int lpd_cut_bytes(struct sk_buff *skb, int ip_off, u32 keep);
int lpd_cut(struct sk_buff *skb, int ip_off, u32 keep);

#endif /* _SCH_LPD_CUT_H */
