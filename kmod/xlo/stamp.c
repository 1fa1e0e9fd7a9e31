// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the option into packets of this host and into forwarded packets.
 *
 * A packet's own deadline (SO_TXTIME with its deadline flag) sets its lifetime. A packet without
 * a deadline gets the lifetime of the profile that its mark selects. A profile sets a fixed time
 * or, for TCP, the current retransmission timeout. With "repeats" a segment gets the option only
 * when the retransmission timer sends it again.
 *
 * A packet that already carries the option keeps this option. Therefore the option is written
 * only once if a packet passes the hook several times (tunnels, ESP).
 *
 * If the option would make a packet exceed the MTU, the packet is sent without the option. The
 * packet is not fragmented or dropped because of the option. A packet that is fragmented anyway is
 * stamped before fragmentation. Every fragment then carries the option.
 */

#include <linux/icmpv6.h>
#include <net/fl_time.h>
#include <net/gso.h>
#include <net/ip.h>
#include <net/ip6_route.h>
#include <net/ndisc.h>
#include <net/xlo_skb.h>
#include "config.h"
#include "event.h"
#include "insert.h"
#include "lifetime.h"
#include "packet.h"
#include "tcp.h"
#include "transport.h"

#define XLO_ICMPV6_MLD2_REPORT	143	/* RFC 3810 section 5.2 */

/**
 * struct xlo_stamping - the state of xlo_stamp_any() for one packet
 * @xn: data of the module for the packet's network namespace
 * @skb: the packet
 * @state: state of the hook
 * @profile: profile of the packet, or NULL
 * @tcp: offset of the TCP header, 0 without a TCP header
 * @deadline: the packet has its own deadline
 * @spared: the packet gets no option, but a retransmission of the packet may get one
 * @clamped: the lifetime is longer than the option can carry
 * @opt: option to be written
 */
struct xlo_stamping {
	struct xlo_net *xn;
	struct sk_buff *skb;
	const struct nf_hook_state *state;
	const struct xlo_profile *profile;
	int tcp;
	bool deadline;
	bool spared;
	bool clamped;
	struct xlo opt;
};

/* Returns the time of a socket's clock in ns, or 0 for any other clock. Only older kernels let a
 * socket choose another clock.
 */
static s64 xlo_clock_ns(clockid_t clock)
{
	switch (clock) {
	case CLOCK_MONOTONIC:
		return ktime_get_ns();
	case CLOCK_REALTIME:
		return ktime_get_real_ns();
	case CLOCK_TAI:
		return ktime_get_clocktai_ns();
	default:
		return 0;
	}
}

/* Reads the deadline and removes it from the packet. A packet has one field for deadline and
 * departure time (skb->tstamp), and only the socket knows the meaning of the field. If the deadline
 * stayed in the packet, fq would hold the packet until the deadline. Returns false if the packet
 * has no deadline.
 */
static bool xlo_take_deadline(struct sk_buff *skb,
			      const struct nf_hook_state *state, u64 *ms)
{
	const struct sock *sk = state->sk;
	s64 now;

	/* in TCP packets skb->tstamp is the pacing time, not a deadline */
	if (!sk || !sk_fullsock(sk) || !sock_flag(sk, SOCK_TXTIME) ||
	    !sk->sk_txtime_deadline_mode || !skb->tstamp ||
	    (sk->sk_type != SOCK_DGRAM && sk->sk_type != SOCK_RAW))
		return false;
	now = xlo_clock_ns(sk->sk_clockid);
	if (!now)
		return false;
	*ms = fl_ms_left(skb->tstamp, now);
	skb_set_delivery_time(skb, 0, 0);
	return true;
}

/* Finds the lifetime in ms that the profile sets. Returns false if the packet gets no option. */
static bool xlo_profile_lifetime(struct xlo_stamping *s, u64 *ms)
{
	struct xlo_tcp_timer timer;

	*ms = s->profile->lifetime;
	if (!s->profile->rto)
		return true;
	if (!s->tcp || !xlo_tcp_timer(s->skb, s->tcp, s->state, &timer))
		return false;
	*ms = timer.rto_ms;
	s->opt.reorder = timer.reorder;
	s->spared = s->profile->repeats &&
		    !xlo_tcp_timed_out(s->skb, s->tcp, s->state);
	return !s->spared;
}

/* Decides which option the packet gets. Returns false if the packet gets no option. */
static bool xlo_decide(struct xlo_stamping *s, bool txtime)
{
	const struct xlo_profile *profile = s->profile;
	u8 clock = profile ? profile->clock : XLO_CLOCK_RELATIVE;
	u64 ms;

	s->opt.reorder = profile ? profile->reorder : 0;
	s->opt.flags = profile ? profile->flags :
				 XLO_STALE_FLAGS(XLO_STALE_DISCARD);
	if (txtime && xlo_take_deadline(s->skb, s->state, &ms))
		s->deadline = true;
	else if (!profile || !xlo_profile_lifetime(s, &ms))
		return false;
	s->opt.lifetime = xlo_encode(ms, clock, clock == XLO_CLOCK_UTC ?
				     ktime_get_real_ns() : 0, &s->clamped);
	return true;
}

/* Finds a place for the option. Returns 0, or the counter that explains why no place was found. */
static enum xlo_stats xlo_find_place(struct xlo_stamping *s,
				     struct xlo_place *place)
{
	const u8 *hdr = skb_network_header(s->skb);

	switch (s->state->pf == NFPROTO_IPV4 ? xlo_place4(hdr, place) :
					       xlo_place6(hdr, place)) {
	case XLO_PLACE_FULL:
		return XLO_STATS_NO_ROOM_HEADER;
	case XLO_PLACE_JUMBO:
		return XLO_STATS_TOO_BIG;
	default:
		return s->skb->len + place->grow > IP_MAX_MTU ?
		       XLO_STATS_TOO_BIG : 0;
	}
}

/* Searches for an option in a packet that the quick check cannot decide about. */
static noinline int xlo_search(struct sk_buff *skb, u8 pf)
{
	struct xlo_ref ref;
	struct xlo opt;

	return pf == NFPROTO_IPV4 ? xlo_skb_find4(skb, 0, &ref, &opt) :
				    xlo_skb_find6(skb, 0, &ref, &opt);
}

/* Finds a place for the option. Returns 0, or the counter that explains why the option cannot be
 * written. For example, the packet may already carry an option.
 */
static enum xlo_stats xlo_look(struct xlo_stamping *s, struct xlo_place *place)
{
	struct xlo_ref ref;
	struct xlo opt;
	int found;

	if (s->state->pf != NFPROTO_IPV4 ||
	    !xlo_skb_find4_quick(s->skb, 0, &ref, &opt, &found))
		found = xlo_search(s->skb, s->state->pf);
	switch (found) {
	case XLO_NONE:
		return xlo_find_place(s, place);
	case XLO_FOUND:
		return XLO_STATS_PRESENT;
	case -ENOMEM:
		return XLO_STATS_NOMEM;
	default:
		return XLO_STATS_BAD_HEADER;
	}
}

static unsigned int xlo_mtu(const struct xlo_stamping *s)
{
	if (s->state->pf == NFPROTO_IPV4)
		return ip_skb_dst_mtu(s->state->sk, s->skb);
	return ip6_skb_dst_mtu(s->skb);
}

/* Checks whether the packet with the option fits the MTU. A packet that is too long even without
 * the option is fragmented or refused anyway, and passes the check. Each segment of a GSO packet
 * must fit.
 */
static bool xlo_fits(struct xlo_stamping *s, unsigned int grow)
{
	const struct sk_buff *skb = s->skb;
	unsigned int mtu = xlo_mtu(s);

	if (skb_is_gso(skb))
		return skb_gso_validate_network_len(skb, mtu - grow);
	return skb->len + grow <= mtu || skb->len > mtu;
}

/* Checks whether the packet has space for the option. A TCP socket of this host can make space. */
static bool xlo_make_room(struct xlo_stamping *s, unsigned int grow)
{
	struct sock *sk = s->tcp ? xlo_tcp_sock(s->skb, s->state) : NULL;

	if (sk)
		xlo_tcp_make_room(sk, s->state->pf, grow);
	if (xlo_fits(s, grow))
		return true;
	if (!sk || !xlo_tcp_resize(s->skb, s->tcp, grow))
		return false;
	xlo_count(s->xn, XLO_STATS_RESIZED);
	return true;
}

/* Makes later segments of the connection leave space for the option. A retransmission can then
 * carry the option. The current segment does not grow.
 */
static void xlo_leave_room(struct xlo_stamping *s)
{
	struct sock *sk = xlo_tcp_sock(s->skb, s->state);
	struct xlo_place place;

	if (sk && !xlo_look(s, &place))
		xlo_tcp_make_room(sk, s->state->pf, place.grow);
}

/* Writes the option. Returns 0, or the counter that explains why the option was not written. */
static enum xlo_stats xlo_write_option(struct xlo_stamping *s, u8 path)
{
	/* a copy of the option, so that the compiler can keep its fields in registers */
	struct xlo opt = s->opt;
	struct xlo_place place;
	enum xlo_stats why;

	why = xlo_look(s, &place);
	if (why)
		return why;
	if (!xlo_make_room(s, place.grow))
		return XLO_STATS_NO_ROOM_MTU;
	if (xlo_insert(s->skb, s->state->pf, &place, &opt))
		return XLO_STATS_NOMEM;
	if (s->deadline)
		xlo_count(s->xn, XLO_STATS_DEADLINES);
	if (s->clamped)
		xlo_count(s->xn, XLO_STATS_CLAMPED);
	xlo_count_stamped(s->xn, path, s->profile);
	return 0;
}

/* Returns the counter that explains why a packet must not be changed, or 0 if it may be changed. If
 * xlo stamped single fragments of a forwarded datagram, a queue would discard only these fragments.
 * In a chain of packets that GRO has made (SKB_GSO_FRAGLIST), each packet has its own header, but
 * xlo writes only into the first header.
 */
static enum xlo_stats xlo_untouchable(const struct sk_buff *skb,
				      const struct xlo_transport *t, u8 path)
{
	if (t->authenticated)
		return XLO_STATS_AUTHENTICATED;
	if ((path == XLO_PATH_FORWARD && t->fragment) ||
	    skb_shinfo(skb)->gso_type & SKB_GSO_FRAGLIST)
		return XLO_STATS_PIECES;
	return 0;
}

/* Checks whether an IPv6 packet belongs to neighbour discovery or MLD. */
static bool xlo_transport_is_link_local6(const struct sk_buff *skb, u8 proto,
					 int offset)
{
	const u8 *type;
	u8 buf;

	if (proto != IPPROTO_ICMPV6 || !offset)
		return false;
	type = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	return type && ((*type >= ICMPV6_MGM_QUERY &&
			 *type <= NDISC_REDIRECT) ||
			*type == XLO_ICMPV6_MLD2_REPORT);
}

/* Checks whether a packet belongs to neighbour discovery, MLD or IGMP. Packets of these protocols
 * get no option. These packets never become stale and never leave the link. Switches read the
 * fields of these packets at fixed offsets.
 */
static bool xlo_transport_is_link_local(const struct sk_buff *skb, u8 pf,
					const struct xlo_transport *t)
{
	return pf == NFPROTO_IPV4 ? t->proto == IPPROTO_IGMP :
	       xlo_transport_is_link_local6(skb, t->proto, t->offset);
}

/* Called for a packet that gets no lifetime. xlo does not look for TCP behind an Authentication
 * Header, so such a packet may also come from TCP.
 */
static void xlo_stamp_not(struct xlo_stamping *s, bool authenticated)
{
	if (s->spared)
		xlo_leave_room(s);
	else if (s->profile)
		xlo_count(s->xn, authenticated ? XLO_STATS_AUTHENTICATED :
						 XLO_STATS_NOT_TCP);
}

/* Called for a packet that has a lifetime but cannot carry the option. */
static void xlo_stamp_refused(const struct xlo_stamping *s, enum xlo_stats why)
{
	xlo_count(s->xn, why);
	if (why == XLO_STATS_NO_ROOM_MTU || why == XLO_STATS_NO_ROOM_HEADER)
		xlo_event_packet(s->state->net, s->xn, why, s->state->out);
}

/**
 * xlo_stamp_any() - stamp any packet that has a profile, or may have a deadline
 * @skb: the packet, skb->data at its IP header
 * @state: state of the hook
 * @profile: profile of the packet, or NULL
 * @txtime: the packet's own deadline becomes its lifetime
 * @path: XLO_PATH_OUTPUT or XLO_PATH_FORWARD
 *
 * Context: under RCU, in softirq or in process context
 */
void xlo_stamp_any(struct sk_buff *skb, const struct nf_hook_state *state,
		   const struct xlo_profile *profile, bool txtime, u8 path)
{
	struct xlo_transport t = xlo_transport(skb, state->pf);
	struct xlo_stamping s = {
		.xn = xlo_net(state->net),
		.skb = skb,
		.state = state,
		.profile = profile,
	};
	enum xlo_stats why;

	if (xlo_transport_is_link_local(skb, state->pf, &t))
		return;
	s.tcp = xlo_transport_tcp(skb, &t);
	if (s.tcp && !xlo_tcp_carries(skb, s.tcp))
		return;
	if (!xlo_decide(&s, txtime)) {
		xlo_stamp_not(&s, t.authenticated);
		return;
	}
	why = xlo_untouchable(skb, &t, path);
	if (!why)
		why = xlo_write_option(&s, path);
	if (why)
		xlo_stamp_refused(&s, why);
}
