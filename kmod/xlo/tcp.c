// SPDX-License-Identifier: GPL-2.0
/*
 * Computes lifetimes of TCP segments, and reserves space for the option in TCP segments.
 *
 * The lifetime of a segment is the retransmission timeout at the time when the segment is sent.
 * After the timeout the sender has sent the segment again, so the first copy is useless (Gurtov and
 * Ludwig 2003, section III.B). But each acknowledgment of new data restarts the timer. A segment
 * may therefore become stale although its timer never fires (section IV.B). A segment that the
 * timer sends again is always the oldest segment, which each acknowledgment of new data confirms. A
 * segment that the timer sends again therefore becomes stale only when the timer fires. There is
 * one exception: Linux also restarts the timer if a SACK confirms a segment that was sent before
 * the copy.
 *
 * The stack adds the length of a socket's own IP options to icsk_ext_hdr_len. TCP computes the MSS
 * from icsk_ext_hdr_len. The module xlo also adds the length of its option to icsk_ext_hdr_len. The
 * MSS that is announced to the peer does not change (RFC 6691).
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

#define XLO_TCP_SIZE_MIN	TCP_MIN_SND_MSS	/* least data of a resized segment, in bytes */

/**
 * xlo_tcp_carries() - xlo_tcp_header_carries() for a header that may not be linear
 * @skb: the packet
 * @offset: offset of its TCP header
 */
bool xlo_tcp_carries(const struct sk_buff *skb, int offset)
{
	const struct tcphdr *th;
	struct tcphdr buf;

	th = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	return th && xlo_tcp_header_carries(th, skb->len - offset);
}

/* Returns the timeout that will apply to the segment that is being sent. When the timer fires, TCP
 * first sends the segment, and then doubles the timeout and restarts the timer. While TCP sends the
 * segment, no timer is pending. A packet does not show why TCP sends the packet. This function
 * therefore looks at the state of the timer. TCP does not double a timeout at its maximum, the
 * first timeouts of a SYN (tcp_syn_linear_timeouts), and timeouts of thin streams
 * (tcp_thin_linear_timeouts). The result is then longer than the timeout.
 */
static u32 xlo_tcp_rto(const struct sock *sk)
{
	const struct inet_connection_sock *icsk = inet_csk(sk);
	bool in_timer = READ_ONCE(icsk->icsk_retransmits) &&
			!READ_ONCE(icsk->icsk_pending);

	return READ_ONCE(icsk->icsk_rto) << in_timer;
}

/* Returns the request that a SYN-ACK answers, or NULL with a SYN cookie. */
static const struct request_sock *xlo_tcp_request(const struct sk_buff *skb)
{
	const struct sock *sk = skb->sk;

	return sk && sk->sk_state == TCP_NEW_SYN_RECV ? inet_reqsk(sk) : NULL;
}

/* Checks whether the request's timer has fired and sends this SYN-ACK. The timer is pending while
 * the first SYN-ACK is sent, and while another copy of the SYN is answered. With TFO (RFC 7413) the
 * connection's socket exists already and sends the first SYN-ACK. The timer of the connection's
 * socket sends the SYN-ACK again. This function cannot see the timer of that socket, and takes
 * every SYN-ACK of the request for a SYN-ACK that the timer sends.
 */
static bool xlo_tcp_request_in_timer(const struct request_sock *req)
{
	return tcp_rsk(req)->tfo_listener || !timer_pending(&req->rsk_timer);
}

/* Returns the timeout that will apply to a SYN-ACK. The timeout of a SYN-ACK doubles each time the
 * timer fires. Without a request, no timer runs, and the SYN-ACK is not sent again.
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
 * xlo_tcp_timer() - how long TCP waits before it sends a segment again
 * @skb: the segment
 * @offset: offset of its TCP header
 * @state: state of the hook
 * @timer: the result, valid only if the function returns true
 *
 * Return: whether TCP of this host sends the segment
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
 * xlo_tcp_timed_out() - whether the retransmission timer has fired and sends this segment
 * @skb: the segment, for which xlo_tcp_timer() has returned true
 * @offset: offset of its TCP header
 * @state: state of the hook
 *
 * The timer sends the oldest segment (RFC 6298 section 5.4), which begins at snd_una. While
 * no new data is acknowledged, the timeout applies to this segment.
 *
 * The result is false if duplicate acknowledgments or a probe have shown the loss of the segment.
 * After a timeout, TCP also sends a later segment whenever an acknowledgment arrives. The result is
 * false for such a later segment, because the acknowledgment has restarted the timer. New data
 * begins at snd_nxt, and the result is false for new data.
 *
 * Return: true for SYN, SYN-ACK, data and FIN that the timer sends again
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

/**
 * xlo_tcp_set_headers() - tell TCP how long the headers are that are not its own
 * @sk: from xlo_tcp_sock()
 * @len: the new icsk_ext_hdr_len
 *
 * This function changes the socket at the first segment of a connection. The first segment is the
 * SYN if this host opens the connection. Later segments already have space. Only new IP options of
 * the program can require another change.
 *
 * The function runs in a netfilter hook and writes a member of struct inet_connection_sock. The
 * socket's lock is not always held. The netdev maintainers would not accept this access, but a
 * module has no other way to reserve space. TCP computes the MSS from icsk_ext_hdr_len and knows no
 * other headers of IP. A patch to the core would add the option's size where the core sets this
 * field for the socket's IP options. The function does not call TCP, because the lock is not always
 * held. A changed icsk_pmtu_cookie makes TCP compute the MSS again. After a SYN, TCP computes the
 * MSS anyway, from icsk_pmtu_cookie.
 */
void xlo_tcp_set_headers(struct sock *sk, unsigned int len)
{
	struct inet_connection_sock *icsk = inet_csk(sk);

	WRITE_ONCE(icsk->icsk_ext_hdr_len, len);
	if (sk->sk_state != TCP_SYN_SENT)
		WRITE_ONCE(icsk->icsk_pmtu_cookie,
			   READ_ONCE(icsk->icsk_pmtu_cookie) - 1);
}

/**
 * xlo_tcp_resize() - make the segments of a GSO packet smaller
 * @skb: a packet of a TCP socket of this host
 * @offset: offset of its TCP header
 * @size: bytes by which each segment shrinks
 *
 * The side that accepts a connection sends its first data before its segments leave space
 * for the option. A GSO packet is not yet divided into segments. The function can therefore make
 * the segments smaller. TCP is not affected, because its sequence numbers count bytes. A packet of
 * one segment does not change.
 *
 * Return: whether the segments are smaller now
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
