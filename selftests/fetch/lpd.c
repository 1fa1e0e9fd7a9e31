// SPDX-License-Identifier: GPL-2.0-or-later
/* sch_lpd: the parsers of packets that are queued, cut or stripped. */
#include "parser.h"
#include "../../sch_lpd/adu.c"
#include "../../sch_lpd/cut.c"
#include "../../sch_lpd/match.c"
#include "../../sch_lpd/packet.c"
#include "../../sch_lpd/strip.c"

#define NOW	NSEC_PER_SEC

/* Offset of a cut packet's transport header. Everything before this header is linear. */
static u32 cut_transport(const struct sk_buff *skb)
{
	unsigned int at = ETH_HLEN;

	if (ip_hdr(skb)->version == 4)
		return at + ip_hdr(skb)->ihl * 4;
	require(ipv6_find_hdr(skb, &at, -1, NULL, NULL) >= 0);
	return at;
}

/* Check that the lengths in the headers agree with the packet's length. */
static void cut_well(const struct sk_buff *skb)
{
	const struct iphdr *iph = ip_hdr(skb);
	u32 at = cut_transport(skb);

	require(at + 8 <= skb_headlen(skb));
	if (iph->version == 4) {
		require(ntohs(iph->tot_len) == skb->len - ETH_HLEN);
		require(!ip_is_fragment(iph));
	} else {
		require(ntohs(ipv6_hdr(skb)->payload_len) ==
			skb->len - ETH_HLEN - 40);
	}
}

static void run_cut(struct sk_buff *skb, const struct packet *p, u64 *state)
{
	u32 keep = chance(state, 2) * 12;
	int bytes;

	if (chance(state, 2))
		lpd_cut_bytes(skb, p->ip, keep);
	bytes = lpd_cut(skb, p->ip, keep);
	require(skb->len == p->len - max(bytes, 0));
	if (bytes > 0)
		cut_well(skb);
	fetch_reached(bytes > 0);
}

static void run_packet(struct sk_buff *skb, const struct packet *p, u64 *state)
{
	(void)p;
	lpd_packet_read(skb, NOW, false);
	fetch_reached(lpd_skb_cb(skb)->relative);
	if (lpd_skb_cb(skb)->relative)
		lpd_packet_write_lifetime(skb, chance(state, 1000));
}

static void run_traits(struct sk_buff *skb, const struct packet *p, u64 *state)
{
	struct lpd_traits traits;

	(void)p;
	(void)state;
	lpd_packet_traits(skb, &traits);
	require(traits.of[LPD_FIELD_DSCP] < 64 || traits.of[LPD_FIELD_DSCP] == LPD_NO_DSCP);
	fetch_reached(traits.of[LPD_FIELD_DSCP] < 64);
}

static void run_strip(struct sk_buff *skb, const struct packet *p, u64 *state)
{
	const struct lpd_skb_cb *cb = lpd_skb_cb(skb);
	u32 bytes = 0;

	(void)state;
	if (lpd_packet_read(skb, NOW, true) == LPD_OPTION_GOOD)
		bytes = lpd_strip(skb, cb->ip_off, cb->opt_off);
	require(skb->len == p->len - bytes);
	fetch_reached(bytes);
}

static void run_adu(struct sk_buff *skb, const struct packet *p, u64 *state)
{
	static struct lpd_adus *adus;
	int adu;

	if (!adus)
		adus = lpd_adu_alloc(GFP_KERNEL);
	adu = lpd_adu_arrive(adus, skb, p->ip, chance(state, 2), NOW);
	require(adu <= LPD_ADUS);
	fetch_reached(adu > 0);
	if (adu > 0)
		lpd_adu_leave(adus, adu, true);
}

/* A packet that GRO has chained to another packet: its headers are linear, and its data begins
 * at the transport header.
 */
static struct sk_buff *chained(const u8 *form, const struct packet *p)
{
	const u8 *ip = form + p->ip;
	u32 headers = p->ip + lpd_strip_header_len(ip);
	struct sk_buff *skb;

	if (p->ipv6 && ip[6] != NEXTHDR_HOP)
		headers = p->ip + 40;
	headers = min(headers, p->len - 8);
	skb = skb_make(form, headers + 8, p->len, p->ip);
	__skb_pull(skb, headers);
	return skb;
}

/* GRO compares headers in the packet's memory and copies the headers afterwards, so the copies
 * may differ.
 */
static void run_chain(struct sk_buff *skb, const struct packet *p, u64 *state)
{
	const struct lpd_skb_cb *cb = lpd_skb_cb(skb);
	struct sk_buff **link = &skb_shinfo(skb)->frag_list;
	bool strip = chance(state, 2), alike = chance(state, 2);
	int i;

	pskb_may_pull(skb, p->len);
	skb_shinfo(skb)->gso_type = SKB_GSO_FRAGLIST;
	skb_shinfo(skb)->gso_size = 100;
	for (i = 1; i < FOREIGN_FORMS; i++, link = &(*link)->next)
		*link = chained(alike ? skb->data : foreign_forms[i], p);
	if (lpd_packet_read(skb, NOW, strip) != LPD_OPTION_GOOD)
		return;
	if (cb->strip && lpd_strip(skb, cb->ip_off, cb->opt_off))
		fetch_reached(true);
	else if (cb->relative)
		lpd_packet_write_lifetime(skb, chance(state, 1000));
}

const struct parser lpd_parsers[] = {
	{ .name = "cut", .packet.ip = ETH_HLEN, .run = run_cut },
	{ .name = "packet", .packet.ip = ETH_HLEN, .run = run_packet },
	{ .name = "traits", .packet.ip = ETH_HLEN, .run = run_traits },
	{ .name = "strip", .packet.ip = ETH_HLEN, .run = run_strip },
	{ .name = "chain", .packet.ip = ETH_HLEN, .run = run_chain },
	{ .name = "adu", .packet.ip = ETH_HLEN, .run = run_adu },
	{ }
};
