/* SPDX-License-Identifier: GPL-2.0 */
/* Packets that arrive: their options counted, too long lifetimes shortened. */
#ifndef _XLO_INGRESS_H
#define _XLO_INGRESS_H

#include <linux/netfilter.h>
#include <linux/skbuff.h>

unsigned int xlo_ingress4(void *priv, struct sk_buff *skb,
			  const struct nf_hook_state *state);
unsigned int xlo_ingress6(void *priv, struct sk_buff *skb,
			  const struct nf_hook_state *state);

#endif /* _XLO_INGRESS_H */
