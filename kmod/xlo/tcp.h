/* SPDX-License-Identifier: GPL-2.0 */
/* TCP segments: which segments get a lifetime, its length, and space for the option. */
#ifndef _XLO_TCP_H
#define _XLO_TCP_H

#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <net/sock.h>

/**
 * struct xlo_tcp_timer - how long a TCP sender waits for an acknowledgment
 * @rto_ms: retransmission timeout in ms
 * @reorder: reordering degree in packets
 */
struct xlo_tcp_timer {
	u32 rto_ms;
	u8 reorder;
};

bool xlo_tcp_carries(const struct sk_buff *skb, int offset);
struct sock *xlo_tcp_sock(const struct sk_buff *skb,
			  const struct nf_hook_state *state);
bool xlo_tcp_timer(const struct sk_buff *skb, int offset,
		   const struct nf_hook_state *state,
		   struct xlo_tcp_timer *timer);
bool xlo_tcp_timed_out(const struct sk_buff *skb, int offset,
		       const struct nf_hook_state *state);
void xlo_tcp_make_room(struct sock *sk, u8 pf, unsigned int size);
bool xlo_tcp_resize(struct sk_buff *skb, int offset, unsigned int size);

#endif /* _XLO_TCP_H */
