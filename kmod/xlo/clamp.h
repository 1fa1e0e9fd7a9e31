/* SPDX-License-Identifier: GPL-2.0 */
/* Room for the option in forwarded TCP. */
#ifndef _XLO_CLAMP_H
#define _XLO_CLAMP_H

#include <linux/netfilter.h>
#include <linux/skbuff.h>

void xlo_clamp(struct sk_buff *skb, const struct nf_hook_state *state);

#endif /* _XLO_CLAMP_H */
