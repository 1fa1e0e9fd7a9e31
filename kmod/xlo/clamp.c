// SPDX-License-Identifier: GPL-2.0
/*
 * Makes space for the option in forwarded TCP segments. The rest of the path may be unable to carry
 * segments that are longer than the MSS of a SYN allows. This file therefore lowers the MSS by the
 * option's size. If necessary, this file lowers the MSS further, until a segment with the option
 * fits both links of this router.
 *
 * The MSS of a SYN limits the segments in the opposite direction. A router before a slow link
 * mainly stamps segments in this opposite direction. The SYN itself may have another mark or no
 * mark. Therefore every forwarded SYN is clamped while any profile stamps forwarded packets.
 *
 * The kernel clamps the MSS in static functions of xt_TCPMSS and nft_exthdr, which other modules
 * cannot call. A firewall rule would have to repeat the size of the option.
 */

#include <linux/tcp.h>
#include <linux/unaligned.h>
#include <net/dst.h>
#include <net/tcp.h>
#include <net/xlo.h>
#include "config.h"
#include "packet.h"
#include "transport.h"

enum {
	XLO_TCP_EOL = 0,		/* RFC 9293 section 3.1 */
	XLO_TCP_NOP = 1,
	XLO_TCP_MSS = 2,
	XLO_TCP_MSS_LEN = 4,
	XLO_TCP_AO = 29,		/* RFC 5925 section 2.2 */
};

/* Finds the offset of the MSS in a TCP header of @len bytes. Returns 0 if the header has no MSS, or
 * has TCP-AO, which may authenticate the options. TCP MD5 does not cover the options (RFC 2385
 * section 2.0).
 */
static unsigned int xlo_clamp_find(const u8 *th, unsigned int len)
{
	unsigned int off, size, mss = 0;

	for (off = sizeof(struct tcphdr); off < len; off += size) {
		if (th[off] == XLO_TCP_EOL)
			break;
		size = 1;
		if (th[off] == XLO_TCP_NOP)
			continue;
		if (len - off < 2 || th[off + 1] < 2 || th[off + 1] > len - off)
			break;
		size = th[off + 1];
		if (th[off] == XLO_TCP_AO)
			return 0;
		if (th[off] == XLO_TCP_MSS && size == XLO_TCP_MSS_LEN && !mss)
			mss = off + 2;
	}
	return mss;
}

/* Computes the largest allowed MSS, at least TCP_MIN_SND_MSS. A segment of this size with the
 * option must fit @announced and the MTUs of both links.
 */
static unsigned int xlo_clamp_mss(const struct sk_buff *skb,
				  const struct nf_hook_state *state,
				  unsigned int announced)
{
	bool ipv4 = state->pf == NFPROTO_IPV4;
	int mtu = min(dst_mtu(skb_dst(skb)), state->in->mtu);
	int headers = sizeof(struct tcphdr) +
		      (ipv4 ? XLO_IPV4_HLEN : XLO_IPV6_HLEN);
	int room = min_t(int, announced, mtu - headers);

	return max(room - (ipv4 ? XLO_LEN : XLO_IPV6_HBH_LEN), TCP_MIN_SND_MSS);
}

/* Writes the MSS and updates the checksum. At an odd offset, the two bytes of the MSS belong to two
 * different 16-bit words of the checksum. If the bytes are swapped, the sum changes by the right
 * amount.
 */
static void xlo_clamp_write(struct sk_buff *skb, struct tcphdr *th,
			    unsigned int off, u16 mss)
{
	u8 *field = (u8 *)th + off;
	__be16 from = get_unaligned((__be16 *)field), to = htons(mss);

	put_unaligned(to, (__be16 *)field);
	if (off & 1) {
		from = (__force __be16)swab16((__force u16)from);
		to = (__force __be16)swab16((__force u16)to);
	}
	inet_proto_csum_replace2(&th->check, skb, from, to, false);
}

/* Returns the writable TCP header of a SYN with options, or NULL for any other packet. */
static struct tcphdr *xlo_clamp_syn(struct sk_buff *skb, struct xlo_net *xn,
				    u8 pf)
{
	struct xlo_transport t = xlo_transport(skb, pf);
	int offset = xlo_transport_tcp(skb, &t);
	const struct tcphdr *th;

	if (!offset)
		return NULL;
	/* make the header linear, because a sender could still change its length in shared
	 * memory
	 */
	if (!pskb_may_pull(skb, offset + sizeof(*th)))
		goto nomem;
	th = (const struct tcphdr *)(skb->data + offset);
	if (!th->syn || th->doff * 4 <= sizeof(*th) ||
	    offset + th->doff * 4 > skb->len)
		return NULL;
	if (skb_ensure_writable(skb, offset + th->doff * 4))
		goto nomem;
	return (struct tcphdr *)(skb->data + offset);

nomem:
	xlo_count(xn, XLO_STATS_NOMEM);
	return NULL;
}

/**
 * xlo_clamp() - lower the MSS of a forwarded SYN, and do not change any other packet
 * @skb: the forwarded packet, skb->data at its IP header
 * @state: state of the hook
 *
 * Context: under RCU
 */
void xlo_clamp(struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct xlo_net *xn = xlo_net(state->net);
	unsigned int off, announced, mss;
	struct tcphdr *th;

	th = xlo_clamp_syn(skb, xn, state->pf);
	if (!th)
		return;
	off = xlo_clamp_find((const u8 *)th, th->doff * 4);
	if (!off)
		return;
	announced = get_unaligned_be16((const u8 *)th + off);
	mss = xlo_clamp_mss(skb, state, announced);
	if (announced <= mss)
		return;
	xlo_clamp_write(skb, th, off, mss);
	xlo_count(xn, XLO_STATS_MSS_CLAMPED);
}
