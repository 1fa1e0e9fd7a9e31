// SPDX-License-Identifier: GPL-2.0-or-later
/* sch_lpd: what it reads of a packet that it queues, cuts and strips. */
#include "parser.h"
#include "../../sch_lpd/adu.c"
#include "../../sch_lpd/packet.c"
#include "../../sch_lpd/strip.c"

#define NOW	NSEC_PER_SEC

static void run_packet(struct sk_buff *skb, const struct packet *p, u64 *state)
{
	(void)p;
	lpd_packet_read(skb, NOW, false);
	fetch_reached(lpd_skb_cb(skb)->relative);
	if (lpd_skb_cb(skb)->relative)
		lpd_packet_write_lifetime(skb, chance(state, 1000));
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

	(void)state;
	if (!adus)
		adus = lpd_adu_alloc();
	adu = lpd_adu_arrive(adus, skb, p->ip, NOW);
	require(adu <= LPD_ADUS);
	fetch_reached(adu > 0);
	if (adu > 0)
		lpd_adu_leave(adus, adu, true);
}

const struct parser lpd_parsers[] = {
	{ .name = "packet", .packet.ip = ETH_HLEN, .run = run_packet },
	{ .name = "strip", .packet.ip = ETH_HLEN, .run = run_strip },
	{ .name = "adu", .packet.ip = ETH_HLEN, .run = run_adu },
	{ }
};
