/* SPDX-License-Identifier: GPL-2.0 */
/* The functions that the hooks call for each packet. */
#ifndef _XLO_PACKET_H
#define _XLO_PACKET_H

#include <linux/netfilter.h>
#include <linux/skbuff.h>

struct xlo_profile;

/* plain.c */
void xlo_stamp_output(struct sk_buff *skb, const struct nf_hook_state *state);
void xlo_stamp_forward(struct sk_buff *skb, const struct nf_hook_state *state);

/* stamp.c */
void xlo_stamp_any(struct sk_buff *skb, const struct nf_hook_state *state,
		   const struct xlo_profile *profile, bool txtime, u8 path);

/* clamp.c */
void xlo_clamp(struct sk_buff *skb, const struct nf_hook_state *state);

/* ingress.c */
unsigned int xlo_ingress4(void *priv, struct sk_buff *skb,
			  const struct nf_hook_state *state);
unsigned int xlo_ingress6(void *priv, struct sk_buff *skb,
			  const struct nf_hook_state *state);

#endif /* _XLO_PACKET_H */
