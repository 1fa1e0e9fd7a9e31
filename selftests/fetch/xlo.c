// SPDX-License-Identifier: GPL-2.0-or-later
/* xlo: the parsers of packets that arrive, are forwarded, or are stamped. */
#include "parser.h"
#include "../../kmod/xlo/clamp.c"
#include "../../kmod/xlo/ingress.c"
#include "../../kmod/xlo/insert.c"
#include "../../kmod/xlo/plain.c"
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

/* Store the option as xlo_profile_add() does. */
static void store_option(struct xlo_profile *profile)
{
	const struct xlo opt = { .lifetime = profile->lifetime };

	xlo_write4(&profile->option, &opt);
}

/* Stamp a packet. Returns true if the packet was stamped the general way (@moves is true) or the
 * fast way. Only the general way moves the packet to a new buffer.
 */
static bool stamp(struct sk_buff *skb, const struct packet *p, bool moves)
{
	struct nf_hook_state hooked = hook(p);
	const u8 *head = skb->head;

	store_option(&config.profiles[0]);
	xlo_stamp_forward(skb, &hooked);
	require(skb->len >= p->len);
	return counted(XLO_STATS_STAMPED_FORWARD) && moves == (skb->head != head);
}

static void run_place(struct sk_buff *skb, const struct packet *p, u64 *state)
{
	(void)state;
	fetch_reached(stamp(skb, p, true));
}

/* The general way stamps a plain packet with the same bytes. */
static void run_plain(struct sk_buff *skb, const struct packet *p, u64 *state)
{
	struct sk_buff *twin = skb_make(skb->data, skb_headlen(skb), p->len, p->ip);
	struct nf_hook_state hooked = hook(p);
	bool plain = stamp(skb, p, false);

	(void)state;
	if (plain) {
		xlo_stamp_any(twin, &hooked, &config.profiles[0], false, XLO_PATH_FORWARD);
		require(counted(XLO_STATS_STAMPED_FORWARD));
		require(skb->len == twin->len && skb_headlen(skb) == skb_headlen(twin));
		require(!memcmp(skb->data, twin->data, skb_headlen(skb)));
	}
	kfree_skb(twin);
	fetch_reached(plain);
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
	{ .name = "plain", .run = run_plain },
	{ .name = "ingress", .run = run_ingress },
	{ }
};
