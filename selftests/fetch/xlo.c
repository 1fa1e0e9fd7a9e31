// SPDX-License-Identifier: GPL-2.0-or-later
/* xlo: the parsers of packets that arrive, are forwarded, or are stamped. */
#include "parser.h"
#include "../../kmod/xlo/clamp.c"
#include "../../kmod/xlo/ingress.c"
#include "../../kmod/xlo/insert.c"
#include "../../kmod/xlo/stamp.c"
#include "../../kmod/xlo/tcp.c"
#include "../../kmod/xlo/transport.c"

unsigned int xlo_net_id;

static struct xlo_counters counters;
static struct xlo_config config = {
	.profile_count = 1,
	.cap_count = 1,
	.profiles[0] = {
		.mask = 1,
		.lifetime = 100,
		.clock = XLO_CLOCK_RELATIVE,
		.path = XLO_PATH_FORWARD,
	},
	.caps[0] = { .ifindex = 1, .ms = 10 },
};
static struct xlo_net xn = { .config = &config, .counters = &counters };
static struct net net = { .generic = &xn };
static struct net_device device = { .ifindex = 1, .mtu = 1400 };

/* Functions of xlo's other files, as simple as possible. */
int xlo_cap_find(const struct xlo_config *c, int ifindex)
{
	return c->caps[0].ifindex == ifindex ? 0 : -ENOENT;
}

void xlo_event_packet(struct net *n, struct xlo_net *x, enum xlo_stats cause,
		      const struct net_device *dev)
{
	(void)n;
	(void)x;
	(void)cause;
	(void)dev;
}

/* The increase of this counter since the last call. */
static u64 counted(enum xlo_stats which)
{
	u64 count = counters.count[which].count;

	counters.count[which].count = 0;
	return count;
}

static struct nf_hook_state hook(const struct packet *p)
{
	return (struct nf_hook_state){
		.pf = p->ipv6 ? NFPROTO_IPV6 : NFPROTO_IPV4,
		.in = &device,
		.out = &device,
		.net = &net,
	};
}

static void run_clamp(struct sk_buff *skb, const struct packet *p, u64 *state)
{
	struct nf_hook_state hooked = hook(p);

	(void)state;
	xlo_clamp(skb, &hooked);
	require(skb->len == p->len);
	fetch_reached(counted(XLO_STATS_MSS_CLAMPED));
}

static void run_place(struct sk_buff *skb, const struct packet *p, u64 *state)
{
	struct nf_hook_state hooked = hook(p);

	(void)state;
	xlo_stamp(skb, &hooked, XLO_PATH_FORWARD);
	require(skb->len >= p->len);
	fetch_reached(counted(XLO_STATS_STAMPED_FORWARD));
}

static void run_ingress(struct sk_buff *skb, const struct packet *p, u64 *state)
{
	struct nf_hook_state hooked = hook(p);

	(void)state;
	require((p->ipv6 ? xlo_ingress6 : xlo_ingress4)(NULL, skb, &hooked) ==
		NF_ACCEPT);
	require(skb->len == p->len);
	fetch_reached(counted(XLO_STATS_CAPPED));
}

const struct parser xlo_parsers[] = {
	{
		.name = "clamp",
		.packet = { .proto = IPPROTO_TCP, .syn = true },
		.run = run_clamp,
	},
	{ .name = "place", .run = run_place },
	{ .name = "ingress", .run = run_ingress },
	{ }
};
