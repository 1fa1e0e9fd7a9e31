// SPDX-License-Identifier: GPL-2.0-or-later
/* sch_lpd: the short way of usual packets does what packet.c does for all packets. */
#include "parser.h"
#include "../../sch_lpd/usual.h"

#define NOW	NSEC_PER_SEC

/* A usual header. In half of the forms one bit is wrong. NOPs follow, so that the header may be
 * longer than the usual one.
 */
static void form_usual(u8 *at, const struct packet *p, u64 *state)
{
	u8 *ip = at + p->ip, *option = ip + XLO_IPV4_HLEN;
	u32 ms = chance(state, 4) ? chance(state, XLO_RELATIVE_MAX + 2) : chance(state, 2);

	memset(at, 0, p->len);
	memset(option, XLO_IPV4_NOP, p->len - p->ip - XLO_IPV4_HLEN);
	put_unaligned_be16(ETH_P_IP, at + 12);
	ip[0] = 0x47;
	ip[6] = chance(state, 2) << 6;
	put_unaligned_be16(chance(state, 4) ? chance(state, 0x10000) : -chance(state, 2),
			   ip + XLO_IPV4_CHECK);
	option[XLO_OFF_TYPE] = XLO_TYPE_IPV4;
	option[XLO_OFF_LENGTH] = XLO_LEN;
	option[XLO_OFF_REORDER] = chance(state, 256);
	option[XLO_OFF_FLAGS] = chance(state, 256);
	put_unaligned_be32(ms, option + XLO_OFF_LIFETIME);
	if (chance(state, 2))
		ip[chance(state, LPD_USUAL_HLEN)] ^= BIT(chance(state, 8));
}

/* The flags with which a queue takes a packet for usual, if its configuration allows all. */
static u32 flags_allowed(void)
{
	u32 allowed = 0, flags;

	for (flags = 0; flags <= XLO_FLAGS_ALL; flags++)
		if (XLO_TREATMENT(flags) != XLO_STALE_RESERVED)
			allowed |= BIT(flags);
	return allowed;
}

/* Read a usual packet the short way. Returns false if the packet is not usual. */
static bool read_usual(struct sk_buff *skb)
{
	const u8 *hdr = skb_network_header(skb);
	u64 ms;

	if (!lpd_usual_read(skb, hdr, &ms) || lpd_usual_shared(skb) ||
	    !lpd_usual_heeded(hdr, flags_allowed()) || !ms)
		return false;
	lpd_skb_cb(skb)->deadline = NOW + ms * NSEC_PER_MSEC;
	lpd_usual_fill(skb, false);
	return true;
}

/* Choose a new lifetime. With the last two kinds, the new checksum is 0 or -1 in one's complement,
 * in the byte order of the machine. There the most borrows happen in lpd_usual_write().
 */
static u32 new_lifetime(const u8 *hdr, u64 *state)
{
	u32 old = get_unaligned_be16(hdr + XLO_IPV4_HLEN + XLO_OFF_LIFETIME + 2);

	switch (chance(state, 4)) {
	case 0:
		return chance(state, 2) ? XLO_RELATIVE_MAX : 0;
	case 1:
		return old;
	case 2:
		return chance(state, XLO_RELATIVE_MAX + 1);
	default:
		return (old + get_unaligned_be16(hdr + XLO_IPV4_CHECK) +
			chance(state, 2) * htons(1)) % U16_MAX;
	}
}

/* Both ways write the same bytes into a packet that is sent as a usual one. */
static void write_usual(struct sk_buff *skb, u64 *state)
{
	u8 *hdr = skb->data + lpd_skb_cb(skb)->ip_off, copy[LPD_USUAL_HLEN];
	u32 ms = new_lifetime(hdr, state);

	memcpy(copy, hdr, sizeof(copy));
	lpd_usual_write(copy, ms);
	lpd_packet_write_lifetime(skb, ms);
	require(!memcmp(copy, hdr, sizeof(copy)));
}

static void run_usual(struct sk_buff *skb, const struct packet *p, u64 *state)
{
	const struct lpd_skb_cb *cb = lpd_skb_cb(skb);
	enum lpd_option found;
	struct lpd_skb_cb short_cb;
	bool usual;

	if (chance(state, 8))
		skb->protocol = htons(ETH_P_IP);
	skb->truesize = chance(state, 8) ? SKB_TRUESIZE(p->len) : p->len;
	usual = read_usual(skb);
	short_cb = *cb;
	found = lpd_packet_read(skb, NOW, false);
	if (usual) {
		require(found == LPD_OPTION_GOOD);
		require(!memcmp(&short_cb, cb, sizeof(short_cb)));
		require(lpd_packet_memory(skb) == skb->truesize);
		require(lpd_usual_departs(skb));
	}
	if (lpd_usual_departs(skb) && cb->relative)
		write_usual(skb, state);
	fetch_reached(usual);
}

const struct parser usual_parsers[] = {
	{ .name = "usual", .packet.ip = ETH_HLEN, .form = form_usual, .run = run_usual },
	{ }
};
