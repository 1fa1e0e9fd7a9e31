// SPDX-License-Identifier: GPL-2.0
/*
 * TCP and lifetimes.
 *
 * A segment's lifetime is the retransmission timeout that runs when it is sent:
 * later the sender has sent it again, and the copy on its way is worth nothing
 * (Gurtov and Ludwig 2003, section III.B). But each acknowledgment starts the
 * timer anew, and so a segment may die whose timer never expires (section IV.B).
 * Not so what the timer itself has sent: that is the oldest segment, and the first
 * acknowledgment of new data, which starts the timer anew, says that it has come.
 *
 * Room for the option is made the way the stack makes it for a socket's own IP
 * options: in icsk_ext_hdr_len, which the MSS is computed from. The MSS that is
 * announced to the peer stays (RFC 6691).
 */

#include <linux/ip.h>
#include <linux/tcp.h>
#include <net/inet_connection_sock.h>
#include <net/ipv6.h>
#include <net/psp.h>
#include <net/request_sock.h>
#include <net/tcp.h>
#include <net/xlo.h>
#include "tcp.h"

#define XLO_TCP_SIZE_MIN	TCP_MIN_SND_MSS	/* bytes of a resized segment */

/**
 * xlo_tcp_carries() - whether a segment is worth a lifetime
 * @skb: the packet
 * @offset: of its TCP header
 *
 * Return: true for data, SYN and FIN; false for what only acknowledges, and for
 * RST, which is not sent again
 */
bool xlo_tcp_carries(const struct sk_buff *skb, int offset)
{
	const struct tcphdr *th;
	struct tcphdr buf;

	th = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	if (!th || th->rst)
		return false;
	return th->syn || th->fin || skb->len > offset + th->doff * 4;
}

/**
 * xlo_tcp_sock() - the connection a packet comes from
 * @skb: the packet
 * @state: of the hook
 *
 * In a tunnel skb->sk is an inner packet's, in a SYN-ACK state->sk may be the
 * listener: only where both agree is it the segment's own. The sockets by which
 * the stack answers for no connection are raw ones.
 *
 * Context: the socket is locked by TCP which sends the segment, but not where the
 * packet comes back from NFQUEUE: nothing of it may be taken for stable.
 *
 * Return: a TCP socket, or NULL
 */
struct sock *xlo_tcp_sock(const struct sk_buff *skb,
			  const struct nf_hook_state *state)
{
	struct sock *sk = state->sk;

	if (!sk || sk != skb->sk || !sk_fullsock(sk) ||
	    sk->sk_type != SOCK_STREAM || sk->sk_protocol != IPPROTO_TCP)
		return NULL;
	return sk;
}

/* The timeout that will run for what is sent now. A timer that has expired sends
 * first, then it doubles its time and is set; until then no timer is.
 */
static u32 xlo_tcp_rto(const struct sock *sk)
{
	const struct inet_connection_sock *icsk = inet_csk(sk);
	bool in_timer = READ_ONCE(icsk->icsk_retransmits) &&
			!READ_ONCE(icsk->icsk_pending);

	return READ_ONCE(icsk->icsk_rto) << in_timer;
}

/* What a SYN-ACK answers; NULL with a SYN cookie, which keeps no request. */
static const struct request_sock *xlo_tcp_request(const struct sk_buff *skb)
{
	const struct sock *sk = skb->sk;

	return sk && sk->sk_state == TCP_NEW_SYN_RECV ? inet_reqsk(sk) : NULL;
}

/* Whether a SYN-ACK's timer has expired and sends it. It is its request's, and
 * pending while the first one is sent and where another copy of the SYN is
 * answered. With TFO (RFC 7413) the connection is there already: it sends the first
 * one, and its timer, which is not known here, the others.
 */
static bool xlo_tcp_request_in_timer(const struct request_sock *req)
{
	return tcp_rsk(req)->tfo_listener || !timer_pending(&req->rsk_timer);
}

/* A SYN-ACK's timer doubles its time likewise. Without a request there is none, and
 * the SYN-ACK will not be sent again.
 */
static u32 xlo_tcp_request_rto(const struct sk_buff *skb)
{
	const struct request_sock *req = xlo_tcp_request(skb);
	unsigned int doublings;

	if (!req)
		return TCP_TIMEOUT_INIT;
	doublings = req->num_timeout + xlo_tcp_request_in_timer(req);
	return min_t(u64, (u64)req->timeout << min(doublings, 16U),
		     TCP_RTO_MAX);
}

/**
 * xlo_tcp_timer() - how long the sender of a segment waits before the next copy
 * @skb: the segment
 * @offset: of its TCP header
 * @state: of the hook
 * @timer: written with true
 *
 * Return: whether this host's TCP sends it
 */
bool xlo_tcp_timer(const struct sk_buff *skb, int offset,
		   const struct nf_hook_state *state,
		   struct xlo_tcp_timer *timer)
{
	const struct sock *sk = xlo_tcp_sock(skb, state);
	const struct tcphdr *th;
	struct tcphdr buf;

	if (sk) {
		timer->rto_ms = jiffies_to_msecs(xlo_tcp_rto(sk));
		timer->reorder = min_t(u32, READ_ONCE(tcp_sk(sk)->reordering),
				       U8_MAX);
		return true;
	}
	th = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	if (!th || !th->syn || !th->ack)
		return false;
	timer->rto_ms = jiffies_to_msecs(xlo_tcp_request_rto(skb));
	timer->reorder = XLO_REORDER_TCP;
	return true;
}

/**
 * xlo_tcp_timed_out() - whether a segment is sent again since its timer has expired
 * @skb: the segment, of which xlo_tcp_timer() has told
 * @offset: of its TCP header
 * @state: of the hook
 *
 * What the timer sends is the oldest segment (RFC 6298 section 5.4), and as long
 * as nothing new is acknowledged the timeout is its own. A loss that duplicate
 * acknowledgments or a probe have shown is not the timer's; nor is what
 * acknowledgments then clock out behind a segment that was, of which each starts
 * the timer anew. What is sent for the first time begins where all sent data end.
 *
 * Return: true for SYN, SYN-ACK, data and FIN that are sent again for that reason
 */
bool xlo_tcp_timed_out(const struct sk_buff *skb, int offset,
		       const struct nf_hook_state *state)
{
	const struct request_sock *req = xlo_tcp_request(skb);
	const struct sock *sk = xlo_tcp_sock(skb, state);
	const struct tcphdr *th;
	struct tcphdr buf;
	u32 seq;

	if (!sk)
		return req && xlo_tcp_request_in_timer(req);
	th = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	if (!th || !READ_ONCE(inet_csk(sk)->icsk_retransmits))
		return false;
	seq = ntohl(th->seq);
	return seq == READ_ONCE(tcp_sk(sk)->snd_una) &&
	       seq != READ_ONCE(tcp_sk(sk)->snd_nxt);
}

/* What the stack itself puts there: the socket's own IP options, and PSP's. */
static unsigned int xlo_tcp_own_headers(const struct sock *sk, u8 pf)
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
 * xlo_tcp_make_room() - have a connection's segments leave room for the option
 * @sk: of xlo_tcp_sock()
 * @pf: NFPROTO_IPV4 or NFPROTO_IPV6
 * @size: what the option adds to a packet
 *
 * On a connection's first segment; the SYN, if this host opens it. Afterwards
 * there is room already, unless the socket's own options were set anew. TCP is
 * not called, since its lock may not be held: it computes the MSS again when the
 * MTU seems to have changed, and in any case when a SYN is answered.
 */
void xlo_tcp_make_room(struct sock *sk, u8 pf, unsigned int size)
{
	struct inet_connection_sock *icsk = inet_csk(sk);
	unsigned int len = xlo_tcp_own_headers(sk, pf) + size;

	if (likely(READ_ONCE(icsk->icsk_ext_hdr_len) == len))
		return;
	WRITE_ONCE(icsk->icsk_ext_hdr_len, len);
	if (sk->sk_state != TCP_SYN_SENT)
		WRITE_ONCE(icsk->icsk_pmtu_cookie,
			   READ_ONCE(icsk->icsk_pmtu_cookie) - 1);
}

/**
 * xlo_tcp_resize() - make the segments of a packet of several smaller
 * @skb: a packet of a TCP socket of this host
 * @offset: of its TCP header
 * @size: by how much
 *
 * Who accepts a connection sends its first data before there is room: then the
 * packet's cut into segments, which is yet to come, is moved. TCP knows bytes
 * and is not concerned. A segment that is cut already stays as it is.
 *
 * Return: whether it was done
 */
bool xlo_tcp_resize(struct sk_buff *skb, int offset, unsigned int size)
{
	struct skb_shared_info *shinfo = skb_shinfo(skb);

	if (!skb_is_gso(skb) || !skb_is_gso_tcp(skb) || skb->encapsulation ||
	    shinfo->gso_size < size + XLO_TCP_SIZE_MIN)
		return false;
	skb_decrease_gso_size(shinfo, size);
	shinfo->gso_segs = DIV_ROUND_UP(skb->len - offset - tcp_hdrlen(skb),
					shinfo->gso_size);
	return true;
}
