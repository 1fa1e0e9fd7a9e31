// SPDX-License-Identifier: GPL-2.0
/* Errors of a radio link, except for the decisions about each packet, which errors.h inlines. */

#include <net/xlo_skb.h>
#include "errors.h"

/* Returns -ln(1 - p) * 2^64, by the series p + p^2 / 2 + p^3 / 3 + ... The bit error rate p = @ber
 * is in 10^-12, at most CELLINK_BER_MAX.
 */
static u64 cell_decay(u64 ber)
{
	/* the constant is 2^96 / 10^12, or 2^64 / 10^12 with 32 fractional bits */
	const u64 p = mul_u64_u64_shr(ber, 79228162514264338ULL, 32);
	u64 power = p, sum = p;
	int k;

	for (k = 2; power; k++) {
		power = mul_u64_u64_shr(power, p, 64);
		sum += div_u64(power, k);
	}
	return sum;
}

/**
 * cell_errors_start() - start all generators again, in the good state
 * @e: the channel's errors; written
 * @cfg: the configuration
 * @seed: seed of the direction
 */
void cell_errors_start(struct cell_errors *e,
		       const struct cell_errors_config *cfg, u32 seed)
{
	int state;

	fl_random_seed(&e->loss, seed, CELL_STREAM_LOSS);
	fl_random_seed(&e->bits, seed, CELL_STREAM_BITS);
	fl_random_seed(&e->sojourns, seed, CELL_STREAM_SOJOURNS);
	e->state = CELLINK_STATE_GOOD;
	for (state = 0; state < CELLINK_STATES; state++)
		e->decay[state] = cell_decay(cfg->state[state].ber);
	cell_errors_draw_gap(e);
}

/**
 * cell_errors_sojourn() - time that the present state will last
 * @e: the channel's errors; the state has just begun
 * @cfg: the same configuration as for cell_errors_start(), with a bad state
 *
 * Return: in ns
 */
u64 cell_errors_sojourn(struct cell_errors *e,
			const struct cell_errors_config *cfg)
{
	const u64 mean = cfg->state[e->state].sojourn;

	if (cfg->law == CELLINK_LAW_CONSTANT)
		return mean;
	return fl_random_time(&e->sojourns, mean);
}

/**
 * cell_errors_turn() - change to the other state
 * @e: the channel's errors
 */
void cell_errors_turn(struct cell_errors *e)
{
	e->state = !e->state;
	cell_errors_draw_gap(e);
}

/* The cross-layer option of a packet whose receiver accepts a damaged payload. */
struct cell_tolerance {
	struct xlo_ref ref;
	struct xlo opt;
	int ip_off;
	u32 headers;	/* bytes of the link-layer header and the IP headers */
};

static bool cell_tolerance_find(struct sk_buff *skb, struct cell_tolerance *t)
{
	__be16 proto;
	int found;

	t->ip_off = xlo_skb_network_offset(skb, &proto);
	if (proto == htons(ETH_P_IP))
		found = xlo_skb_find4(skb, t->ip_off, &t->ref, &t->opt);
	else if (proto == htons(ETH_P_IPV6))
		found = xlo_skb_find6(skb, t->ip_off, &t->ref, &t->opt);
	else
		return false;
	if (found != XLO_FOUND || !(t->opt.flags & XLO_FLAG_CORRUPT_OK))
		return false;
	t->headers = t->ip_off +
		(t->ref.type == XLO_TYPE_IPV4 ?
		 (skb->data[t->ip_off] & 0xf) * 4 :
		 xlo_hdrlen6(skb->data + t->ip_off, skb_headlen(skb) - t->ip_off));
	return true;
}

/* The first bad bit of a packet, bit @at, decides whether the packet is delivered. If so, this
 * function prepares the packet, so that its bits can be flipped.
 */
static bool cell_damage_begin(struct sk_buff *skb, u64 at, u8 corrupt)
{
	struct cell_tolerance t;

	if (corrupt == CELLINK_CORRUPT_DROP)
		return false;
	/* usually the core has completed the checksum, except if the features have just changed */
	if (skb->ip_summed == CHECKSUM_PARTIAL ||
	    skb_ensure_writable(skb, skb->len))
		return false;
	if (corrupt == CELLINK_CORRUPT_TOLERANT) {
		if (!cell_tolerance_find(skb, &t) || at < t.headers * 8ULL)
			return false;
		xlo_skb_set_corrupted(skb, t.ip_off, &t.ref);
	}
	/* nobody has verified the checksum of the damaged packet */
	skb->ip_summed = CHECKSUM_NONE;
	return true;
}

/**
 * cell_damage() - flip the bad bits of a packet, or mark the packet as corrupted
 * @e: the channel's errors; if the packet is to be delivered, all bits before @end are checked
 * @skb: the packet, with skb->data at its link-layer header
 * @check: the result of earlier bits, with @bits at the first bad bit; @damaged or @corrupted is
 *	set
 * @end: number of the bit after the last bit to check
 * @corrupt: enum cellink_corrupt; CELLINK_CORRUPT_TOLERANT delivers the packet only if its option
 *	has XLO_FLAG_CORRUPT_OK and its headers up to the IP header have no bad bit. The option
 *	then gets XLO_FLAG_CORRUPTED
 */
void cell_damage(struct cell_errors *e, struct sk_buff *skb,
		 struct cell_check *check, u64 end, u8 corrupt)
{
	u64 at = check->bits, good = 0;

	if (!check->damaged && !check->corrupted)
		check->damaged = cell_damage_begin(skb, at, corrupt);
	if (!check->damaged) {
		check->corrupted = true;
		return;
	}
	do {
		at += good;
		skb->data[at / 8] ^= 0x80 >> (at % 8);
		at++;
	} while (cell_errors_bad_bit(e, end - at, &good));
}

/**
 * cell_errors_check_sent() - check the bits of a packet that have been sent, when the state ends
 * @e: the channel's errors
 * @skb: the packet that is being sent, with skb->data at its link-layer header
 * @check: the result of the bits that have been checked; updated
 * @left: remaining work of the packet, see fl_work()
 * @corrupt: enum cellink_corrupt
 */
void cell_errors_check_sent(struct cell_errors *e, struct sk_buff *skb,
			    struct cell_check *check, u64 left, u8 corrupt)
{
	const u64 sent = cell_bits_sent(skb->len * 8ULL, left);
	u64 good;

	if (sent <= check->bits)
		return;
	if (cell_errors_bad_bit(e, sent - check->bits, &good)) {
		check->bits += good;
		cell_damage(e, skb, check, sent, corrupt);
	}
	check->bits = sent;
}
