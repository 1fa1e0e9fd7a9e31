// SPDX-License-Identifier: GPL-2.0
/*
 * Checks and counts the options of arriving packets. A lifetime longer than the cap of
 * the interface is shortened to the cap. An option without a lifetime gets the cap.
 */

#include <net/xlo_skb.h>
#include "config.h"
#include "event.h"
#include "lifetime.h"
#include "packet.h"

static enum xlo_stats xlo_ingress_kind(const struct xlo *opt)
{
	if (xlo_is_none(opt->lifetime))
		return XLO_STATS_NO_LIFETIME;
	return xlo_is_relative(opt->lifetime) ? XLO_STATS_RELATIVE :
						XLO_STATS_ABSOLUTE;
}

/* Limits a lifetime field to @cap ms. A relative lifetime remains relative, and an absolute
 * deadline remains absolute. The value "none" becomes the cap. Returns @lifetime itself if it does
 * not exceed the cap.
 */
static u32 xlo_ingress_capped(u8 type, u32 lifetime, u32 cap)
{
	u32 now;

	if (xlo_is_relative(lifetime))
		return min(lifetime, cap);
	if (xlo_is_none(lifetime))
		return xlo_encode_cap(type, cap, ktime_get_real_ns());
	now = xlo_ms_of_day(ktime_get_real_ns());
	if (xlo_absolute_delta_ms(lifetime, now) <= (s64)cap)
		return lifetime;
	return xlo_encode_absolute(now + cap);
}

/* Counts a packet that cannot be checked or capped. @err is -ENOMEM, or says that the packet is
 * malformed.
 */
static noinline void xlo_ingress_bad(const struct nf_hook_state *state,
				     struct xlo_net *xn, int err)
{
	if (err == -ENOMEM) {
		xlo_count(xn, XLO_STATS_NOMEM);
		return;
	}
	xlo_count(xn, XLO_STATS_MALFORMED);
	xlo_event_packet(state->net, xn, XLO_STATS_MALFORMED, state->in);
}

/* Shortens the lifetime to the cap of the interface. */
static noinline void xlo_ingress_cap(struct sk_buff *skb,
				     const struct nf_hook_state *state,
				     const struct xlo_config *config,
				     struct xlo_ref ref, u32 lifetime)
{
	struct xlo_net *xn = xlo_net(state->net);
	int cap = xlo_cap_find(config, state->in->ifindex);
	u32 capped;
	int err;

	if (cap < 0)
		return;
	capped = xlo_ingress_capped(ref.type, lifetime, config->caps[cap].ms);
	if (capped == lifetime)
		return;
	err = xlo_skb_ensure_writable(skb, 0, &ref);
	if (err) {
		xlo_ingress_bad(state, xn, err);
		return;
	}
	xlo_skb_set_lifetime(skb, 0, &ref, capped);
	xlo_count(xn, XLO_STATS_CAPPED);
}

/* Handles the frequent cases, and is inlined into its callers. Rare cases are separate functions.
 * The parameters of these separate functions are values instead of pointers, so that the compiler
 * can keep @ref and @opt in registers.
 */
static __always_inline unsigned int
xlo_ingress(struct sk_buff *skb, const struct nf_hook_state *state, int found,
	    const struct xlo_ref *ref, const struct xlo *opt)
{
	struct xlo_net *xn = xlo_net(state->net);
	const struct xlo_config *config = rcu_dereference(xn->config);

	if (found == XLO_NONE) {
		xlo_count(xn, XLO_STATS_NO_OPTION);
		return NF_ACCEPT;
	}
	if (found != XLO_FOUND) {
		xlo_ingress_bad(state, xn, found);
		return NF_ACCEPT;
	}
	xlo_count(xn, xlo_ingress_kind(opt));
	if (XLO_TREATMENT(opt->flags) == XLO_STALE_RESERVED)
		xlo_count(xn, XLO_STATS_RESERVED);
	if (config->cap_count)
		xlo_ingress_cap(skb, state, config, *ref, opt->lifetime);
	return NF_ACCEPT;
}

/* Checks an IPv4 packet that the quick check cannot decide about. */
static noinline unsigned int
xlo_ingress4_search(struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct xlo_ref ref;
	struct xlo opt;
	int found = xlo_skb_find4(skb, 0, &ref, &opt);

	return xlo_ingress(skb, state, found, &ref, &opt);
}

/**
 * xlo_ingress4() - netfilter hook for arriving IPv4 packets
 * @priv: unused
 * @skb: the packet, skb->data at its IP header
 * @state: state of the hook
 *
 * Context: under RCU
 *
 * Return: NF_ACCEPT
 */
unsigned int xlo_ingress4(void *priv, struct sk_buff *skb,
			  const struct nf_hook_state *state)
{
	struct xlo_ref ref;
	struct xlo opt;
	int found;

	if (!xlo_skb_find4_quick(skb, 0, &ref, &opt, &found))
		return xlo_ingress4_search(skb, state);
	return xlo_ingress(skb, state, found, &ref, &opt);
}

/**
 * xlo_ingress6() - netfilter hook for arriving IPv6 packets
 * @priv: unused
 * @skb: the packet, skb->data at its IP header
 * @state: state of the hook
 *
 * Context: under RCU
 *
 * Return: NF_ACCEPT
 */
unsigned int xlo_ingress6(void *priv, struct sk_buff *skb,
			  const struct nf_hook_state *state)
{
	struct xlo_ref ref;
	struct xlo opt;
	int found = xlo_skb_find6(skb, 0, &ref, &opt);

	return xlo_ingress(skb, state, found, &ref, &opt);
}
