// SPDX-License-Identifier: GPL-2.0
/*
 * Writing the option into packets of this host and forwarded ones.
 *
 * A lifetime comes from, in this order,
 *   - the packet's own deadline (SO_TXTIME with its deadline flag),
 *   - the profile that its mark selects: a fixed time, or for TCP the
 *     retransmission timeout of the moment, in every segment or only in what that
 *     timeout sends again.
 * A packet that has an option keeps it; so nothing is written twice where a
 * packet passes again (tunnels, ESP).
 *
 * A packet that would go whole goes without the option rather than in fragments
 * or not at all; one that is to be fragmented is stamped before it is, and every
 * fragment carries the option.
 */

#include <net/fl_time.h>
#include <net/gso.h>
#include <net/ip.h>
#include <net/ip6_route.h>
#include <net/xlo_skb.h>
#include "config.h"
#include "event.h"
#include "insert.h"
#include "lifetime.h"
#include "packet.h"
#include "tcp.h"
#include "transport.h"

/**
 * struct xlo_stamping - a packet on its way through xlo_stamp()
 * @xn: its namespace
 * @skb: the packet
 * @state: of the hook
 * @profile: its profile, or NULL
 * @tcp: offset of its TCP header, 0 if it has none
 * @deadline: it has one of its own
 * @spared: it gets no option, but a later copy of it may
 * @clamped: it asks for more than can be written
 * @opt: what is to be written
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

/**
 * xlo_profile_match() - the profile of a packet
 * @config: the configuration
 * @mark: the packet's
 * @path: XLO_PATH_OUTPUT or XLO_PATH_FORWARD
 *
 * Return: the only one that matches, or NULL
 */
static const struct xlo_profile *
xlo_profile_match(const struct xlo_config *config, u32 mark, u8 path)
{
	const struct xlo_profile *p = config->profiles;
	const struct xlo_profile *end = p + config->profile_count;

	for (; p < end; p++)
		if ((mark & p->mask) == p->mark && p->path & path)
			return p;
	return NULL;
}

/**
 * xlo_count_profile() - count a packet that a profile stamped
 * @xn: the namespace
 * @slot: the profile's
 */
static void xlo_count_profile(const struct xlo_net *xn, u8 slot)
{
	struct xlo_counters *c = get_cpu_ptr(xn->counters);

	xlo_counter_add(c, &c->profile[slot]);
	put_cpu_ptr(xn->counters);
}

/* The time on a socket's clock; 0 for one that newer kernels refuse. */
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

/* Takes the packet's deadline: afterwards it is no departure time for fq or etf.
 * Returns whether there is one.
 */
static bool xlo_take_deadline(struct sk_buff *skb,
			      const struct nf_hook_state *state, u64 *ms)
{
	const struct sock *sk = state->sk;
	s64 now;

	/* TCP's time stamps are its pacing */
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

/* The lifetime that the profile asks for. */
static bool xlo_profile_lifetime(struct xlo_stamping *s, u64 *ms)
{
	struct xlo_tcp_timer timer;

	*ms = s->profile->lifetime;
	if (!s->profile->rto)
		return true;
	if (!s->tcp || !xlo_tcp_timer(s->skb, s->tcp, s->state, &timer)) {
		xlo_count(s->xn, XLO_STATS_NOT_TCP);
		return false;
	}
	*ms = timer.rto_ms;
	s->opt.reorder = timer.reorder;
	s->spared = s->profile->repeats &&
		    !xlo_tcp_timed_out(s->skb, s->tcp, s->state);
	return !s->spared;
}

/* Decides what is to be written. Returns whether anything is. */
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

/* Finds a place for the option. Returns a counter's number if there is none. */
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

/* Looks for an option in a packet that is not as most of them are. */
static noinline int xlo_search(struct sk_buff *skb, u8 pf)
{
	struct xlo_ref ref;
	struct xlo opt;

	return pf == NFPROTO_IPV4 ? xlo_skb_find4(skb, 0, &ref, &opt) :
				    xlo_skb_find6(skb, 0, &ref, &opt);
}

/* Looks for an option and, if there is none, for a place. */
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

/* Whether the packet goes out as it would without the option. */
static bool xlo_fits(struct xlo_stamping *s, unsigned int grow)
{
	const struct sk_buff *skb = s->skb;
	unsigned int mtu = xlo_mtu(s);

	if (skb_is_gso(skb))
		return skb_gso_validate_network_len(skb, mtu - grow);
	return skb->len + grow <= mtu || skb->len > mtu;
}

/* Makes room, where a TCP of this host can; returns whether there is any. */
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

/* Has a connection's segments leave room for the option of a later copy. Here it is
 * for TCP to cut them: this one does not grow.
 */
static void xlo_leave_room(struct xlo_stamping *s)
{
	struct sock *sk = xlo_tcp_sock(s->skb, s->state);
	struct xlo_place place;

	if (sk && !xlo_look(s, &place))
		xlo_tcp_make_room(sk, s->state->pf, place.grow);
}

/* Writes the option. Returns the counter of what came of it. */
static enum xlo_stats xlo_write_option(struct xlo_stamping *s, u8 path)
{
	/* copied, so that what is known of the packet can stay in registers */
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
	if (s->profile)
		xlo_count_profile(s->xn, s->profile->slot);
	return path == XLO_PATH_OUTPUT ? XLO_STATS_STAMPED_OUTPUT :
					 XLO_STATS_STAMPED_FORWARD;
}

/* Why a packet is not to be written into at all; 0 if it may be. Of a datagram in
 * pieces the queue would discard alone the one that has the option; packets that
 * GRO has chained have a header each.
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

/* Stamps a packet that some profile or the namespace's deadlines may be for. */
static void xlo_stamp_candidate(struct xlo_stamping *s, bool txtime, u8 path)
{
	struct xlo_transport t = xlo_transport(s->skb, s->state->pf);
	enum xlo_stats result;

	if (xlo_transport_is_link_local(s->skb, s->state->pf, &t))
		return;
	s->tcp = xlo_transport_tcp(s->skb, &t);
	if (s->tcp && !xlo_tcp_carries(s->skb, s->tcp))
		return;
	if (!xlo_decide(s, txtime)) {
		if (s->spared)
			xlo_leave_room(s);
		return;
	}
	result = xlo_untouchable(s->skb, &t, path);
	if (!result)
		result = xlo_write_option(s, path);
	xlo_count(s->xn, result);
	if (result == XLO_STATS_NO_ROOM_MTU || result == XLO_STATS_NO_ROOM_HEADER)
		xlo_event_packet(s->state->net, s->xn, result, s->state->out);
}

/**
 * xlo_stamp() - write the option into a packet, if it is to have one
 * @skb: the packet, skb->data at its IP header
 * @state: of the hook
 * @path: XLO_PATH_OUTPUT or XLO_PATH_FORWARD
 *
 * Context: under RCU; softirq, or process context with softirqs on
 */
void xlo_stamp(struct sk_buff *skb, const struct nf_hook_state *state, u8 path)
{
	struct xlo_net *xn = xlo_net(state->net);
	const struct xlo_config *config = rcu_dereference(xn->config);
	struct xlo_stamping s = {
		.xn = xn,
		.skb = skb,
		.state = state,
		.profile = xlo_profile_match(config, skb->mark, path),
	};
	bool txtime = config->txtime && path == XLO_PATH_OUTPUT;

	if (s.profile || txtime)
		xlo_stamp_candidate(&s, txtime, path);
}
