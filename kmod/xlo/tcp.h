/* SPDX-License-Identifier: GPL-2.0 */
/* TCP segments: which segments get a lifetime, its length, and space for the option. */
#ifndef _XLO_TCP_H
#define _XLO_TCP_H

#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <net/inet_connection_sock.h>
#include <net/ipv6.h>
#include <net/psp.h>
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

/**
 * xlo_tcp_sock() - the socket of the connection that a packet belongs to
 * @skb: the packet
 * @state: state of the hook
 *
 * In a tunnel, skb->sk is the socket of the inner packet. For a SYN-ACK, state->sk may be the
 * listener. A packet belongs to a socket only if skb->sk and state->sk are the same. For segments
 * without a connection, the stack uses its own sockets, which are raw.
 *
 * Context: TCP holds the socket's lock while it sends the segment. If the packet returns from
 * NFQUEUE, nobody holds the socket's lock. The socket's fields may therefore change at any time.
 *
 * Return: a TCP socket, or NULL
 */
static inline struct sock *xlo_tcp_sock(const struct sk_buff *skb,
					const struct nf_hook_state *state)
{
	struct sock *sk = state->sk;

	if (!sk || sk != skb->sk || !sk_fullsock(sk) ||
	    sk->sk_type != SOCK_STREAM || sk->sk_protocol != IPPROTO_TCP)
		return NULL;
	return sk;
}

/**
 * xlo_tcp_header_carries() - whether a segment may get a lifetime
 * @th: its header
 * @len: bytes from the header on
 *
 * Return: true for data, SYN and FIN. A pure acknowledgment and a RST get no lifetime, because
 * TCP does not retransmit them
 */
static inline bool xlo_tcp_header_carries(const struct tcphdr *th,
					  unsigned int len)
{
	return !th->rst && (len > th->doff * 4 || th->syn || th->fin);
}

bool xlo_tcp_carries(const struct sk_buff *skb, int offset);
bool xlo_tcp_timer(const struct sk_buff *skb, int offset,
		   const struct nf_hook_state *state,
		   struct xlo_tcp_timer *timer);
bool xlo_tcp_timed_out(const struct sk_buff *skb, int offset,
		       const struct nf_hook_state *state);
void xlo_tcp_set_headers(struct sock *sk, unsigned int len);
bool xlo_tcp_resize(struct sk_buff *skb, int offset, unsigned int size);

/* Returns the part of icsk_ext_hdr_len that the stack needs: the socket's own IP options and the
 * headers of PSP.
 */
static inline unsigned int xlo_tcp_own_headers(const struct sock *sk, u8 pf)
{
	const struct ip_options_rcu *inet_opt;
	const struct ipv6_txoptions *opt;

	if (pf == NFPROTO_IPV4) {
		inet_opt = rcu_dereference(inet_sk(sk)->inet_opt);
		return psp_sk_overhead(sk) +
		       (inet_opt ? inet_opt->opt.optlen : 0);
	}
	opt = inet6_sk(sk) ? rcu_dereference(inet6_sk(sk)->opt) : NULL;
	return psp_sk_overhead(sk) + (opt ? opt->opt_flen + opt->opt_nflen : 0);
}

/**
 * xlo_tcp_make_room() - reserve space for the option in a connection's segments
 * @sk: from xlo_tcp_sock()
 * @pf: NFPROTO_IPV4 or NFPROTO_IPV6
 * @size: bytes that the option adds to a packet
 */
static inline void xlo_tcp_make_room(struct sock *sk, u8 pf, unsigned int size)
{
	unsigned int len = xlo_tcp_own_headers(sk, pf) + size;

	if (unlikely(READ_ONCE(inet_csk(sk)->icsk_ext_hdr_len) != len))
		xlo_tcp_set_headers(sk, len);
}

#endif /* _XLO_TCP_H */
