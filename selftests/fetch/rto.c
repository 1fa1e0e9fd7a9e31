// SPDX-License-Identifier: GPL-2.0-or-later
/* xlo_rto: the parsers of packets that a message quotes, and of messages that arrive. */
#include "parser.h"

/* hooks.c calls these functions when messages are switched on or off, which these tests
 * never do
 */
#define lockdep_is_held(lock)			true
#define rcu_access_pointer(p)			(p)
#define rcu_assign_pointer(p, v)		((p) = (v))
#define rcu_dereference_protected(p, held)	(p)
#define RCU_INIT_POINTER(p, v)			((p) = (v))
#define synchronize_net()			((void)0)

#include "../../kmod/xlo_rto/hooks.c"
#include "../../kmod/xlo_rto/notice.c"
#include "../../kmod/xlo_rto/outbox.c"
#include "../../kmod/xlo_rto/parse.c"

unsigned int xrto_net_id;

static struct xrto_settings settings = { .accept = XRTO_ACCEPT_NATIVE };
static struct xrto_outbox outbox;
static struct xrto_net xn = { .settings = &settings, .outbox = &outbox };
static struct net net = { .generic = &xn };

enum xrto_notices xrto_send(struct net *n, struct sk_buff *skb)
{
	(void)n;
	(void)skb;
	return XRTO_NOTICES_SENT;
}

struct xrto_inbox *xrto_inbox_new(struct net *n)
{
	(void)n;
	return NULL;
}

void xrto_inbox_free(struct xrto_inbox *inbox)
{
	(void)inbox;
}

/* Only one of the two encodings is accepted. */
void xrto_inbox_add(struct xrto_inbox *inbox, const struct xrto_message *msg)
{
	(void)inbox;
	require(msg->native);
	fetch_reached(true);
}

static void run_notice(struct sk_buff *skb, const struct packet *p, u64 *state)
{
	memset(xn.outbox, 0, sizeof(*xn.outbox));
	fetch_reached(xlo_notify(&net, skb, p->ip, chance(state, 3)));
	require(skb->len == p->len);
}

static void form_icmp_header(u8 *at, const struct packet *p)
{
	put_unaligned_be16(p->len - (p->ipv6 ? 40 : 0), at + (p->ipv6 ? 4 : 2));
	if (p->ipv6) {
		at[0] = 0x60;
		at[6] = IPPROTO_ICMPV6;
		at[8] = 0x20;
		at[24] = 0x20;
		return;
	}
	at[0] = 0x45;
	at[9] = IPPROTO_ICMP;
	put_unaligned_be32(0xc6336407, at + 12);
	put_unaligned_be32(0xc0000201, at + 16);
}

static void form_icmp_checksum(u8 *at, const struct packet *p)
{
	const struct ipv6hdr *ip6h = (const void *)at;
	u8 *icmp = at + (p->ipv6 ? 40 : 20);
	u32 len = p->len - (icmp - at);
	__sum16 sum;

	memset(icmp + 2, 0, sizeof(sum));
	sum = p->ipv6 ? csum_ipv6_magic(&ip6h->saddr, &ip6h->daddr, len,
					IPPROTO_ICMPV6,
					csum_partial(icmp, len, 0)) :
			ip_compute_csum(icmp, len);
	memcpy(icmp + 2, &sum, sizeof(sum));
}

/* A message in either encoding, about a segment of this host. */
static void form_message(u8 *at, const struct packet *p, u64 *state)
{
	const struct packet quoted = { .ipv6 = p->ipv6, .proto = IPPROTO_TCP,
				       .len = XRTO_QUOTE_MIN };
	static u8 ip[FOREIGN_MAX];
	u8 icmp[XRTO_NOTICE_MAX];
	struct xrto_notice notice = {
		.code = XRTO_CODE_DROP,
		.ipv6 = p->ipv6,
		.extension = chance(state, 2),
		.ip = ip,
		.len = quoted.len,
	};
	u32 header = p->ipv6 ? 40 : 20;
	u32 len;

	form_packet(ip, &quoted, state);
	memset(at, 0, p->len);
	form_icmp_header(at, p);
	len = xrto_notice_write(icmp, &notice);
	memcpy(at + header, icmp, min(len, p->len - header));
	form_icmp_checksum(at, p);
}

static void run_message(struct sk_buff *skb, const struct packet *p, u64 *state)
{
	const struct nf_hook_state hooked = { .net = &net };

	settings.one_hop = !chance(state, 4);
	(p->ipv6 ? xrto_hook6 : xrto_hook4)(NULL, skb, &hooked);
}

const struct parser rto_parsers[] = {
	{ .name = "notice", .packet.ip = ETH_HLEN, .run = run_notice },
	{ .name = "message", .form = form_message, .run = run_message },
	{ }
};
