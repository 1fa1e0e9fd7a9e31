// SPDX-License-Identifier: GPL-2.0-or-later
/* xlo_rto: packets that messages are written about. */
#include "parser.h"
#include "../../kmod/xlo_rto/notice.c"
#include "../../kmod/xlo_rto/outbox.c"
#include "../../kmod/xlo_rto/quote.c"

unsigned int xrto_net_id;

static struct xrto_settings settings = { .accept = XRTO_ACCEPT_NATIVE };
static struct xrto_net xn = { .settings = &settings };
static struct net net = { .generic = &xn };

enum xrto_notices xrto_send(struct net *n, struct sk_buff *skb)
{
	(void)n;
	(void)skb;
	return XRTO_NOTICES_SENT;
}

static void run_notice(struct sk_buff *skb, const struct packet *p, u64 *state)
{
	memset(&xn.outbox, 0, sizeof(xn.outbox));
	fetch_reached(xlo_notify(&net, skb, p->ip, chance(state, 3)));
	require(skb->len == p->len);
}

const struct parser rto_parsers[] = {
	{ .name = "notice", .packet.ip = ETH_HLEN, .run = run_notice },
	{ }
};
