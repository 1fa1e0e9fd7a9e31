/* SPDX-License-Identifier: GPL-2.0 */
/* Writing the option into packets. */
#ifndef _XLO_STAMP_H
#define _XLO_STAMP_H

#include <linux/netfilter.h>
#include <linux/skbuff.h>

void xlo_stamp(struct sk_buff *skb, const struct nf_hook_state *state, u8 path);

#endif /* _XLO_STAMP_H */
