// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that arrive: their options are checked and counted; a lifetime longer
 * than their interface is believed (its cap) is shortened to that.
 */

#include <net/xlo_skb.h>
#include "config.h"
#include "event.h"
#include "ingress.h"
#include "lifetime.h"

static enum xlo_stats xlo_ingress_kind(int found, const struct xlo *opt)
{
	switch (found) {
	case XLO_NONE:
		return XLO_STATS_NO_OPTION;
	case XLO_FOUND:
		if (xlo_is_none(opt->lifetime))
			return XLO_STATS_NO_LIFETIME;
		return xlo_is_relative(opt->lifetime) ? XLO_STATS_RELATIVE :
							XLO_STATS_ABSOLUTE;
	case -ENOMEM:
		return XLO_STATS_NOMEM;
	default:
		return XLO_STATS_MALFORMED;
	}
}

/* The option's field for a lifetime of @cap ms; the same kind as @lifetime, of
 * which no more than that is to be left. @lifetime itself if it is no more.
 */
static u32 xlo_ingress_capped(u32 lifetime, u32 cap)
{
	u32 now;

	if (xlo_is_none(lifetime))
		return lifetime;
	if (xlo_is_relative(lifetime))
		return min(lifetime, cap);
	now = xlo_ms_of_day(ktime_get_real_ns());
	if (xlo_absolute_delta_ms(lifetime, now) <= (s64)cap)
		return lifetime;
	return xlo_encode_absolute(now + cap);
}

static void xlo_ingress_cap(struct sk_buff *skb, struct xlo_net *xn, u32 cap,
			    const struct xlo_ref *ref, u32 lifetime)
{
	u32 capped = xlo_ingress_capped(lifetime, cap);

	if (capped == lifetime)
		return;
	if (xlo_skb_ensure_writable(skb, 0, ref)) {
		xlo_count(xn, XLO_STATS_NOMEM);
		return;
	}
	xlo_skb_set_lifetime(skb, 0, ref, capped);
	xlo_count(xn, XLO_STATS_CAPPED);
}

/**
 * xlo_ingress() - look at a packet that arrives
 * @skb: the packet, skb->data at its IP header
 * @state: of the hook
 *
 * Context: under RCU
 */
void xlo_ingress(struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct xlo_net *xn = xlo_net(state->net);
	const struct xlo_config *config = rcu_dereference(xn->config);
	enum xlo_stats kind;
	struct xlo_ref ref;
	struct xlo opt;
	int found, cap;

	found = state->pf == NFPROTO_IPV4 ? xlo_skb_find4(skb, 0, &ref, &opt) :
					    xlo_skb_find6(skb, 0, &ref, &opt);
	kind = xlo_ingress_kind(found, &opt);
	xlo_count(xn, kind);
	if (kind == XLO_STATS_MALFORMED)
		xlo_event_packet(state->net, xn, kind, state->in);
	if (found != XLO_FOUND)
		return;
	if (XLO_TREATMENT(opt.flags) == XLO_STALE_RESERVED)
		xlo_count(xn, XLO_STATS_RESERVED);
	cap = xlo_cap_find(config, state->in->ifindex);
	if (cap >= 0)
		xlo_ingress_cap(skb, xn, config->caps[cap].ms, &ref,
				opt.lifetime);
}
