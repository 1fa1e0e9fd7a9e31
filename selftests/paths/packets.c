// SPDX-License-Identifier: GPL-2.0-or-later
/* Random packets. Each sequence draws a mix, which says how many of its packets are of which kind. In
 * many mixes nearly all packets are usual: IPv4 with the option alone.
 */

#include <linux/dccp.h>
#include <linux/if_vlan.h>
#include <linux/lpd_genl.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <linux/xlo.h>
#include <net/checksum.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>
#include <net/pkt_sched.h>
#include "sim.h"

#define SIM_HEADROOM	96
#define SIM_LONGEST	65000
#define SIM_HELD	64

/* The mix of a sequence; shares are in percent. */
struct sim_mix {
	u32 plain, none, absolute, beside, malformed, six, tagged, tunnelled, fragments, super;
	u32 cloned, split, socket, odd_sums, odd_offsets, padded;
	u32 treatments[4];
	u32 lifetimes[4];	/* ms */
	u32 spread;		/* ms by which lifetimes differ */
	u32 len;		/* bytes of payload, or 0 for random lengths */
	u32 flows;
	int reorder;		/* or -1 for random values */
	u32 kinds;		/* number of marks, DSCPs and priorities */
	bool udp;		/* all packets are UDP, and their checksums complete */
};

static struct sim_mix sim_mix;
static s64 sim_serial;
/* The datagram whose fragments are sent, and the number of its next fragment */
static u32 sim_datagram, sim_at;

/* Originals of clones, which other users hold */
static struct sim_held {
	struct sk_buff *skb;
	u64 bytes;
} sim_held[SIM_HELD];

/* A packet while it is made */
struct sim_frame {
	u8 bytes[SIM_LONGEST + 512];
	u32 len;
	u32 network, transport, payload;	/* offsets */
	u32 transport_len;			/* of its header */
	__be16 protocol;
	__be16 outer_type;			/* EtherType, at the start of tags */
	u8 proto;
	bool six, fragment, later, super, tunnelled;
	u32 size;				/* payload of a segment */
};

static struct sim_frame f;

static u32 sim_share(u32 often)
{
	static const u32 shares[] = { 1, 3, 10, 30, 100 };

	return sim_percent(often) ? sim_pick(shares) : 0;
}

/* Draws the mix of a sequence. */
void sim_mix_draw(void)
{
	static const u32 lifetimes[] = {
		0, 1, 5, 20, 20, 50, 100, 200, 500, 1000, 5000, 10000, 65000, 65534,
	};
	static const u32 spreads[] = { 0, 0, 1, 5, 20, 100, 1000, 10000 };
	static const u32 lens[] = { 0, 0, 60, 100, 500, 1400 };
	static const int reorders[] = { -1, 0, 1, 3, 3, 255 };
	bool odd = sim_percent(70);
	u32 i;

	sim_mix = (struct sim_mix){
		.plain = sim_share(40), .none = sim_share(20),
		.spread = sim_pick(spreads), .len = sim_pick(lens),
		.flows = 1 + sim_pick_wide(30), .reorder = sim_pick(reorders),
		.kinds = sim_percent(50) ? 1 : 5,
	};
	for (i = 0; i < 4; i++) {
		sim_mix.treatments[i] = sim_percent(50) ? XLO_STALE_DISCARD : sim_below(4);
		sim_mix.lifetimes[i] = i && sim_percent(50) ? sim_mix.lifetimes[0] :
							       sim_pick(lifetimes);
	}
	if (!odd)
		return;
	sim_mix.absolute = sim_share(20);
	sim_mix.beside = sim_share(20);
	sim_mix.malformed = sim_share(15) / 3;
	sim_mix.six = sim_share(25);
	sim_mix.tagged = sim_share(20);
	sim_mix.tunnelled = sim_share(15);
	sim_mix.fragments = sim_share(20);
	sim_mix.super = sim_share(20);
	sim_mix.cloned = sim_share(30);
	sim_mix.split = sim_share(25);
	sim_mix.socket = sim_share(30);
	sim_mix.odd_sums = sim_share(40);
	sim_mix.odd_offsets = sim_share(10) / 3;
	sim_mix.padded = sim_share(20);
}

/* Lets all packets be usual or plain, and contain UDP. */
void sim_mix_usual(const struct sim_usual *usual)
{
	u32 i;

	sim_mix = (struct sim_mix){
		.udp = true, .plain = usual->plain, .spread = usual->spread, .len = usual->len,
		.flows = 16, .reorder = usual->reorder, .kinds = 1,
	};
	for (i = 0; i < 4; i++) {
		sim_mix.lifetimes[i] = usual->lifetime;
		sim_mix.treatments[i] = usual->treatment;
	}
}

/* Returns a typical lifetime of the mix in ns. */
u64 sim_mix_lifetime(void)
{
	return (u64)sim_pick(sim_mix.lifetimes) * NSEC_PER_MSEC;
}

static void sim_put(const void *bytes, u32 len)
{
	memcpy(f.bytes + f.len, bytes, len);
	f.len += len;
}

static void *sim_space(u32 len)
{
	memset(f.bytes + f.len, 0, len);
	f.len += len;
	return f.bytes + f.len - len;
}

/* The option */

static u32 sim_lifetime_field(void)
{
	u32 ms = sim_pick(sim_mix.lifetimes) + sim_below(sim_mix.spread + 1);
	u64 day;

	if (sim_percent(sim_mix.none))
		return XLO_LIFETIME_NONE;
	if (!sim_percent(sim_mix.absolute))
		return min(ms, XLO_RELATIVE_MAX);
	day = div_u64(ktime_mono_to_any(sim_now, TK_OFFS_REAL), NSEC_PER_MSEC);
	day = (day + ms) % XLO_DAY_MS ?: XLO_DAY_MS;
	return XLO_LIFETIME_NONE + day;
}

static void sim_option(u8 *option, u32 lifetime)
{
	u8 flags = sim_pick(sim_mix.treatments) << XLO_STALE_SHIFT;
	__be32 field = htonl(lifetime);

	option[XLO_OFF_REORDER] = sim_mix.reorder < 0 ? sim_below(256) : sim_mix.reorder;
	option[XLO_OFF_FLAGS] = flags | (sim_percent(10) ? sim_below(256) & ~XLO_STALE_MASK : 0);
	memcpy(option + XLO_OFF_LIFETIME, &field, sizeof(field));
}

static void sim_option4(bool bad)
{
	u8 *option = sim_space(XLO_LEN);

	option[XLO_OFF_TYPE] = XLO_TYPE_IPV4;
	option[XLO_OFF_LENGTH] = XLO_LEN;
	sim_option(option, sim_lifetime_field());
	if (bad && sim_percent(50))
		option[XLO_OFF_LENGTH] = sim_below(12);
	else if (bad)
		memset(option + XLO_OFF_LIFETIME, 0xff, 4);
}

static void sim_other_option4(void)
{
	static const u8 router_alert[] = { 148, 4, 0, 0 };
	static const u8 record_route[] = { 7, 7, 4, 0, 0, 0, 0 };
	static const u8 no_operation[] = { 1, 1, 1 };

	switch (sim_below(3)) {
	case 0: return sim_put(router_alert, sizeof(router_alert));
	case 1: return sim_put(record_route, sizeof(record_route));
	case 2: return sim_put(no_operation, 1 + sim_below(3));
	}
}

/* Writes the options of an IPv4 header, up to a length that is a multiple of 4. */
static void sim_options4(u32 start)
{
	bool bad = sim_percent(sim_mix.malformed), beside = sim_percent(sim_mix.beside);

	if (beside && sim_percent(50))
		sim_other_option4();
	if (!sim_percent(sim_mix.plain)) {
		sim_option4(bad);
		if (bad && sim_percent(20))
			sim_option4(false);
	}
	if (beside && sim_percent(60))
		sim_other_option4();
	while ((f.len - start) % 4)
		f.bytes[f.len++] = sim_percent(50);
}

/* Headers of the network */

/* Draws the identification of a fragmented datagram, and the place of a fragment in it. */
static u16 sim_fragment(u32 *id, bool *more)
{
	f.fragment = true;
	*id = sim_datagram;
	*more = sim_percent(65);
	if (sim_percent(10))
		*id -= sim_below(4);
	else
		sim_at = *more ? sim_at + 1 : 0;
	sim_datagram += !*more;
	f.later = *more ? sim_at > 1 : sim_at > 0 || sim_percent(80);
	return f.later ? (1 + sim_below(1000)) : 0;
}

static u8 sim_traffic_class(void)
{
	return sim_mix.kinds > 1 ? sim_below(sim_mix.kinds) << 2 : 0;
}

static void sim_header4(u8 proto)
{
	u32 start = f.len, id = sim_below(65536);
	struct iphdr *iph = sim_space(sizeof(*iph));
	bool more;

	f.network = start;
	f.protocol = htons(ETH_P_IP);
	sim_options4(start);
	iph->version = 4;
	iph->ihl = (f.len - start) / 4;
	iph->tos = sim_traffic_class();
	iph->ttl = 64;
	iph->protocol = proto;
	iph->saddr = htonl(0x0a000001);
	iph->daddr = htonl(0x0a000002 + sim_below(2));
	if (!f.super && sim_percent(sim_mix.fragments)) {
		iph->frag_off = htons(sim_fragment(&id, &more));
		iph->frag_off |= more ? htons(IP_MF) : 0;
	} else if (sim_percent(50)) {
		iph->frag_off = htons(IP_DF);
	}
	iph->id = htons(id);
}

static void sim_option6(u32 lifetime)
{
	u8 *option = sim_space(XLO_LEN);
	bool relative = lifetime < XLO_LIFETIME_NONE;

	if (sim_percent(sim_mix.malformed))
		relative = !relative;
	option[XLO_OFF_TYPE] = relative ? XLO_TYPE_IPV6_RELATIVE : XLO_TYPE_IPV6_ABSOLUTE;
	option[XLO_OFF_LENGTH] = XLO_IPV6_DATA_LEN;
	sim_option(option, lifetime);
}

static void sim_pad6(u32 start)
{
	u32 missing = -(f.len - start) & 7;
	u8 *pad = sim_space(missing);

	if (missing > 1) {
		pad[0] = 1;
		pad[1] = missing - 2;
	}
}

static u8 sim_extension6(u8 *next, u8 type)
{
	*next = type;
	return type;
}

/* Writes the hop-by-hop header. @next is the field that says what follows. Returns the offset of the
 * next such field.
 */
static u32 sim_hop6(u32 next)
{
	static const u8 other[] = { 0x05, 2, 0, 0 };
	u32 start = f.len;

	sim_extension6(f.bytes + next, NEXTHDR_HOP);
	sim_space(2);
	if (sim_percent(sim_mix.beside))
		sim_put(other, sizeof(other));
	else
		sim_put("\1", 2);
	sim_option6(sim_lifetime_field());
	sim_pad6(start);
	f.bytes[start + 1] = (f.len - start) / 8 - 1;
	return start;
}

static u32 sim_fragment6(u32 next)
{
	u32 start = f.len, id;
	struct frag_hdr *fh = sim_space(sizeof(*fh));
	bool more;

	sim_extension6(f.bytes + next, NEXTHDR_FRAGMENT);
	fh->frag_off = htons(sim_fragment(&id, &more) << 3 | more);
	fh->identification = htonl(id);
	return start;
}

static void sim_header6(u8 proto)
{
	u32 start = f.len, next = start + offsetof(struct ipv6hdr, nexthdr);
	struct ipv6hdr *ip6h = sim_space(sizeof(*ip6h));

	f.network = start;
	f.protocol = htons(ETH_P_IPV6);
	ip6h->version = 6;
	ip6h->priority = sim_traffic_class() >> 4;
	ip6h->hop_limit = 64;
	ip6h->saddr.s6_addr[15] = 1;
	ip6h->daddr.s6_addr[15] = 2;
	if (!sim_percent(sim_mix.plain))
		next = sim_hop6(next);
	if (!f.super && sim_percent(sim_mix.fragments))
		next = sim_fragment6(next);
	sim_extension6(f.bytes + next, proto);
}

/* Headers of the transport */

static void sim_udp(u32 payload)
{
	struct udphdr *uh = sim_space(sizeof(*uh));

	uh->source = htons(1000 + sim_below(16));
	uh->dest = htons(2000);
	uh->len = htons(sizeof(*uh) + payload + (f.fragment ? sim_below(2) * 1000 : 0));
}

static void sim_tcp(void)
{
	struct tcphdr *th = sim_space(sizeof(*th));
	u32 words = sim_below(4);

	memset(sim_space(words * 4), 1, words * 4);
	th->source = htons(3000);
	th->seq = htonl(sim_below(U32_MAX));
	th->doff = sizeof(*th) / 4 + words;
	th->ack = 1;
	th->syn = sim_percent(3);
	th->fin = sim_percent(3);
	th->psh = sim_percent(30);
}

static void sim_dccp(void)
{
	struct dccp_hdr *dh = sim_space(sizeof(*dh) + sizeof(struct dccp_hdr_ext));

	dh->dccph_doff = 4;
	dh->dccph_x = 1;
	dh->dccph_cscov = sim_below(3);
}

static u32 sim_check_offset(void)
{
	switch (f.proto) {
	case IPPROTO_TCP: return offsetof(struct tcphdr, check);
	case IPPROTO_UDP: return offsetof(struct udphdr, check);
	default: return offsetof(struct dccp_hdr, dccph_checksum);
	}
}

static u8 sim_transport_proto(void)
{
	static const u8 protos[] = {
		IPPROTO_UDP, IPPROTO_UDP, IPPROTO_UDP, IPPROTO_UDP, IPPROTO_TCP, IPPROTO_TCP,
		IPPROTO_DCCP, IPPROTO_ICMP,
	};

	if (sim_mix.udp)
		return IPPROTO_UDP;
	if (f.super)
		return sim_percent(50) ? IPPROTO_UDP : IPPROTO_TCP;
	return sim_pick(protos);
}

static u32 sim_payload_len(void)
{
	if (f.super)
		return f.size * (1 + sim_below(sim_percent(90) ? 6 : 30)) + sim_below(f.size);
	return sim_mix.len ?: sim_below(sim_percent(80) ? 200 : 1450);
}

static void sim_transport(u32 payload)
{
	f.transport = f.len;
	if (f.later)
		return;
	if (f.proto == IPPROTO_UDP)
		sim_udp(payload);
	else if (f.proto == IPPROTO_TCP)
		sim_tcp();
	else if (f.proto == IPPROTO_DCCP)
		sim_dccp();
	f.transport_len = f.len - f.transport;
}

static void sim_payload(u32 len)
{
	u64 word = (u64)sim_serial * 0x9e3779b97f4a7c15u;
	u32 i;

	f.payload = f.len;
	for (i = 0; i < len; i += sizeof(word), word = word * 5 + 1)
		memcpy(f.bytes + f.len + i, &word, sizeof(word));
	f.len += len;
}

/* Sums */

static __sum16 sim_pseudo(u32 len)
{
	const struct iphdr *iph = (void *)f.bytes + f.network;
	const struct ipv6hdr *ip6h = (void *)iph;

	if (f.six)
		return ~csum_ipv6_magic(&ip6h->saddr, &ip6h->daddr, len, f.proto, 0);
	return ~csum_tcpudp_magic(iph->saddr, iph->daddr, len, f.proto, 0);
}

/* Lets the sum of a UDP packet be 0 or nearly 0 once the packet is cut to its headers. */
static void sim_sum_hard_udp(void)
{
	struct udphdr *uh = (void *)f.bytes + f.transport;
	struct udphdr cut = { .dest = uh->dest, .len = htons(sizeof(cut)) };

	cut.check = sim_pseudo(sizeof(cut));
	uh->source = csum_fold(csum_partial(&cut, sizeof(cut), sim_below(3)));
}

/* Completes the sum of the transport. @partial leaves it to the device. */
static void sim_sum_transport(bool partial)
{
	__sum16 *check = (void *)f.bytes + f.transport + sim_check_offset();
	u32 len = f.len - f.transport;

	if (!f.transport_len || f.proto == IPPROTO_ICMP)
		return;
	if (f.proto == IPPROTO_UDP && sim_percent(sim_mix.odd_sums / 3))
		sim_sum_hard_udp();
	*check = sim_pseudo(len);
	if (!partial && !f.fragment)
		*check = csum_fold(csum_partial(f.bytes + f.transport, len, 0));
	if (!partial && f.proto == IPPROTO_UDP && !f.six && sim_percent(5))
		*check = 0;
}

/* Returns a sum that is hard to update: 0, 0xffff, or one that becomes such a sum if the packet is cut
 * or its lifetime decreases. Borrows and carries of both byte orders are hard, too.
 */
static __sum16 sim_hard_sum(void)
{
	static const u16 hard[] = { 0xffff, 0xfffe, 0xfeff, 0x0001, 0x0100 };

	switch (sim_below(3)) {
	case 0: return (__force __sum16)(sim_below(4) - 2);
	case 1: return (__force __sum16)htons(0xffff - (f.len - f.payload));
	default: return (__force __sum16)htons(sim_pick(hard) - sim_pick_wide(1000));
	}
}

/* Completes the header of IPv4. Its sum is sometimes hard to update, whether it is right or wrong. */
static void sim_sum_header(u32 network)
{
	struct iphdr *iph = (void *)f.bytes + network;
	__wsum sum;

	iph->tot_len = htons(f.len - network - (sim_percent(sim_mix.odd_sums / 10) ? sim_below(12) : 0));
	iph->check = 0;
	iph->check = csum_fold(csum_partial(iph, iph->ihl * 4, 0));
	if (!sim_percent(sim_mix.odd_sums))
		return;
	if (sim_percent(50) && !f.fragment) {
		sum = csum_sub(csum_unfold(iph->check), csum_unfold(sim_hard_sum()));
		sum = csum_add(sum, csum_unfold((__force __sum16)iph->id));
		iph->id = (__force __be16)~csum_fold(sum);
		iph->check = 0;
		iph->check = csum_fold(csum_partial(iph, iph->ihl * 4, 0));
	} else {
		iph->check = sim_hard_sum();
	}
}

static void sim_lengths(u32 outer)
{
	struct ipv6hdr *ip6h = (void *)f.bytes + f.network;

	if (f.six)
		ip6h->payload_len = htons(f.len - f.network - sizeof(*ip6h));
	else
		sim_sum_header(f.network);
	if (f.tunnelled)
		sim_sum_header(outer);
}

/* The frame */

/* Writes the header of the link, with or without tags. */
static void sim_link_header(void)
{
	u32 tags = sim_percent(sim_mix.tagged) ? 1 + sim_percent(20) : 0;
	__be16 tpid = htons(ETH_P_8021Q);
	u8 *mac = sim_space(ETH_HLEN);

	mac[0] = 2;
	mac[12] = 0x08;
	f.outer_type = tags ? tpid : 0;
	while (tags--) {
		memcpy(f.bytes + f.len - 2, &tpid, 2);
		sim_space(4);
	}
}

/* Writes the EtherType in front of the network header. */
static void sim_link_type(u32 network)
{
	__be16 type = f.six && !f.tunnelled ? htons(ETH_P_IPV6) : htons(ETH_P_IP);

	f.protocol = type;
	if (network >= 2)
		memcpy(f.bytes + network - 2, &type, 2);
}

static void sim_frame_draw(bool partial)
{
	u32 payload, outer;

	f.len = f.transport_len = 0;
	f.fragment = f.later = false;
	f.outer_type = 0;
	f.super = sim_percent(sim_mix.super);
	f.size = 100 + sim_below(1300);
	f.six = sim_percent(sim_mix.six);
	f.tunnelled = !f.super && sim_percent(sim_mix.tunnelled);
	payload = sim_payload_len();
	if (sim_mix.udp || sim_percent(98))
		sim_link_header();
	outer = f.len;
	if (f.tunnelled)
		sim_header4(f.six ? IPPROTO_IPV6 : IPPROTO_IPIP);
	f.proto = sim_transport_proto();
	if (f.six)
		sim_header6(f.proto);
	else
		sim_header4(f.proto);
	sim_transport(payload);
	sim_payload(payload);
	sim_lengths(outer);
	sim_sum_transport(partial || f.super);
	sim_link_type(outer);
	if (f.tunnelled)
		f.network = outer;
	if (sim_percent(sim_mix.padded))
		sim_space(sim_below(20));
}

/* Buffers */

/* Draws how many bytes of the frame are in the linear part. */
static u32 sim_linear(void)
{
	if (!sim_percent(sim_mix.split))
		return f.len;
	switch (sim_below(4)) {
	case 0: return f.payload;
	case 1: return f.transport;
	case 2: return min(f.network + 20, f.len);
	default: return ETH_HLEN + sim_below(f.len - ETH_HLEN);
	}
}

static void sim_fill(struct sk_buff *skb)
{
	const skb_frag_t *frag = &skb_shinfo(skb)->frags[0];
	u32 linear = skb_headlen(skb);

	memcpy(skb->data, f.bytes, linear);
	if (skb->data_len)
		sim_part_fill(frag, f.bytes + linear, skb->data_len);
}

static void sim_set_offsets(struct sk_buff *skb)
{
	static const int odd[] = { 0, -4, 4, 60000 };

	skb->protocol = f.outer_type ?: f.protocol;
	skb_reset_mac_header(skb);
	/* a packet socket leaves the network header at the tag */
	skb_set_network_header(skb, f.outer_type && sim_percent(50) ? ETH_HLEN : f.network);
	skb_set_transport_header(skb, f.transport);
	/* segmentation needs the offset */
	if (!f.super && sim_percent(sim_mix.odd_offsets))
		skb->network_header = skb_headroom(skb) + sim_pick(odd);
	/* in a tunnel over UDP, only the offsets tell of the inner packet */
	if (f.tunnelled || sim_percent(sim_mix.tunnelled)) {
		skb->encapsulation = 1;
		skb_set_inner_network_header(skb, f.transport);
	}
	if (!f.outer_type && sim_percent(sim_mix.tagged))
		__vlan_hwaccel_put_tag(skb, htons(ETH_P_8021Q), 5);
}

static void sim_set_sum(struct sk_buff *skb, bool partial)
{
	static const u8 kinds[] = {
		CHECKSUM_NONE, CHECKSUM_NONE, CHECKSUM_NONE, CHECKSUM_UNNECESSARY, CHECKSUM_COMPLETE,
	};

	skb->ip_summed = sim_pick(kinds);
	if ((partial || f.super) && f.transport_len && f.proto != IPPROTO_ICMP) {
		skb->ip_summed = CHECKSUM_PARTIAL;
		/* in a tunnel, a device may complete the checksum of the inner packet */
		skb->csum_start = skb_headroom(skb) + f.transport +
				  (!f.super && sim_percent(sim_mix.tunnelled) ? 8 : 0);
		skb->csum_offset = sim_check_offset();
	} else if (skb->ip_summed == CHECKSUM_COMPLETE) {
		skb->csum = csum_partial(f.bytes + f.network, f.len - f.network, 0);
	}
}

static void sim_set_super(struct sk_buff *skb)
{
	struct skb_shared_info *shared = skb_shinfo(skb);
	u32 headers = f.transport + f.transport_len;

	memset(skb->cb, 0xa5, sizeof(skb->cb));	/* other layers have used it */
	qdisc_skb_cb(skb)->pkt_len = skb->len;
	if (!f.super)
		return;
	shared->gso_size = f.size;
	shared->gso_segs = DIV_ROUND_UP(f.len - headers, f.size);
	shared->gso_type = f.proto == IPPROTO_UDP ? SKB_GSO_UDP_L4 :
			   f.six ? SKB_GSO_TCPV6 : SKB_GSO_TCPV4;
	qdisc_skb_cb(skb)->pkt_len += (shared->gso_segs - 1) * headers;
}

static void sim_socket_freed(struct sk_buff *skb)
{
	sim_sock.sk_drops.counter++;
}

static void sim_set_owner(struct sk_buff *skb)
{
	static const int clocks[] = { CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_TAI };
	u32 flow = sim_below(sim_mix.flows);

	skb->tstamp = ++sim_serial;
	skb->dev = &sim_dev;
	skb->hash = flow * 0x9e3779b1U;
	skb->l4_hash = sim_mix.udp || !sim_percent(5);
	skb->mark = sim_below(sim_mix.kinds);
	skb->priority = sim_below(sim_mix.kinds);
	if (!sim_mix.udp && sim_percent(2))
		skb->truesize = 2;	/* a pure ACK of TCP */
	if (!sim_percent(sim_mix.socket))
		return;
	sim_sock.sk_state = TCP_ESTABLISHED;
	sim_sock.sk_txtime_report_errors = 1;
	sim_sock.sk_clockid = sim_pick(clocks);
	skb->sk = &sim_sock;
	skb->destructor = sim_socket_freed;
	if (sim_percent(5)) {
		skb->priority = LPD_PRIORITY_PROBE;
		skb_shinfo(skb)->tskey = sim_below(20);
	}
}

/* Clones */

static void sim_release(struct sim_held *held)
{
	if (!held->skb)
		return;
	if (sim_skb_bytes(held->skb) != held->bytes)
		sim_fail("the module has changed bytes of #%lld that another user shares",
			 held->skb->tstamp);
	sim_skb_free(held->skb);
	held->skb = NULL;
}

static void sim_hold(struct sk_buff *skb)
{
	struct sim_held *held = &sim_held[sim_below(SIM_HELD)];

	sim_release(held);
	*held = (struct sim_held){ skb, sim_skb_bytes(skb) };
}

static struct sk_buff *sim_clone_of(struct sk_buff *skb)
{
	struct sk_buff *clone = skb_clone(skb, GFP_ATOMIC);

	swap(clone->sk, skb->sk);
	swap(clone->destructor, skb->destructor);
	return clone;
}

/* As TCP does it: the original has no header, and the clone may write to the headers. */
static struct sk_buff *sim_clone_of_tcp(struct sk_buff *skb)
{
	u32 headers = min(f.payload, skb_headlen(skb));
	struct sk_buff *clone;

	__skb_pull(skb, headers);
	skb->nohdr = 1;
	atomic_add(1 << SKB_DATAREF_SHIFT, &skb_shinfo(skb)->dataref);
	clone = sim_clone_of(skb);
	__skb_push(clone, headers);
	return clone;
}

/* Returns a clone instead of the packet, and keeps the original, or frees it. */
static struct sk_buff *sim_cloned(struct sk_buff *skb)
{
	struct sk_buff *clone;

	if (!sim_percent(sim_mix.cloned))
		return skb;
	clone = sim_percent(50) ? sim_clone_of(skb) : sim_clone_of_tcp(skb);
	if (sim_percent(80))
		sim_hold(skb);
	else
		sim_skb_free(skb);
	return clone;
}

struct sk_buff *sim_packet(void)
{
	bool partial = !sim_mix.udp && sim_percent(30);
	struct sk_buff *skb;
	u32 linear;

	sim_frame_draw(partial);
	linear = sim_linear();
	skb = sim_skb_new(SIM_HEADROOM, linear, f.len - linear);
	sim_fill(skb);
	sim_set_offsets(skb);
	sim_set_sum(skb, partial);
	sim_set_super(skb);
	sim_set_owner(skb);
	sim_say("#%lld:%u%s%s%s", sim_serial, f.len, f.six ? " IPv6" : "", f.super ? " super" : "",
		f.fragment ? " fragment" : "");
	return sim_cloned(skb);
}

static void sim_show_headers(const struct sk_buff *skb)
{
	u32 i;

	sim_show(" headers");
	for (i = 0; i < min(skb_headlen(skb), 80U); i++)
		sim_show("%s%02x", i % 4 ? "" : " ", skb->data[i]);
}

/* Takes a packet that the module has sent. */
void sim_sent(struct sk_buff *skb)
{
	sim_say(" sent #%lld%s len %u pkt_len %u priority %u sum %u/%x true %u at %d/%d bytes %016llx",
		skb->tstamp, skb->encapsulation ? " tunnel" : "", skb->len, qdisc_pkt_len(skb), skb->priority, skb->ip_summed,
		skb->ip_summed == CHECKSUM_PARTIAL ? skb->csum_offset : (__force u32)skb->csum,
		skb->truesize, skb_network_offset(skb), skb_transport_offset(skb),
		sim_skb_bytes(skb));
	sim_show_headers(skb);
	sim_check_device(skb);
	if (skb->next || skb->prev)
		sim_fail("#%lld leaves on a list", skb->tstamp);
	sim_skb_free(skb);
}

void sim_packets_begin(void)
{
	sim_serial = 0;
	sim_datagram = sim_at = 0;
}

/* Frees the packets of other users. */
void sim_packets_end(void)
{
	u32 i;

	for (i = 0; i < SIM_HELD; i++)
		sim_release(&sim_held[i]);
}
