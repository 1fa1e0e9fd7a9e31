/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Errors of a radio link, which loses packets and flips bits. In the bad state of the link, losses
 * and bad bits are more frequent than in the good state.
 *
 * The two states alternate (Gilbert 1960, Elliott 1963; in continuous time, as in the model of
 * Xylomenos). The times that the states last, the sojourns, are exponential or constant. A channel
 * without a bad state is always in the good state. Bit errors are independent of each other, so the
 * number of good bits before the next bad bit has a geometric distribution. One random number gives
 * this number of bits:
 *
 *	gap = floor(e / -ln(1 - p)),	e exponential with mean 1, p the bit error rate
 *
 * Losses, bit errors and sojourns have separate generators. Therefore a sojourn does not use up a
 * random number of the losses.
 *
 * The bits of a packet are checked in order. If the state changes while the packet is being sent,
 * the sent bits can be checked in the old state, and the other bits in the new state.
 */
#ifndef _CELLINK_ERRORS_H
#define _CELLINK_ERRORS_H

#include <linux/bits.h>
#include <linux/cellink.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/skbuff.h>
#include <linux/time64.h>
#include <net/fl_random.h>

/* Streams of a direction's seed, one for each generator; outage.h defines the next stream. */
enum {
	CELL_STREAM_LOSS,
	CELL_STREAM_BITS,
	CELL_STREAM_SOJOURNS,
};

/**
 * struct cell_state_config - configuration of a state
 * @sojourn: mean time in ns that the state lasts; 0 in both states if only a trace of turns can
 *	change the state
 * @ber: probability that a bit is bad, in 10^-12
 * @loss: probability that a packet is lost, in millionths
 */
struct cell_state_config {
	u64 sojourn;
	u64 ber;
	u32 loss;
};

/**
 * struct cell_errors_config - configuration of a channel's errors
 * @state: indexed by enum cellink_state; the bad state is used only if both sojourns are set, or
 *	if the channel follows a trace of turns
 * @law: enum cellink_law: distribution of the sojourns
 */
struct cell_errors_config {
	struct cell_state_config state[CELLINK_STATES];
	u8 law;
};

/**
 * struct cell_errors - state of a channel's errors
 * @loss: generator for lost packets
 * @bits: generator for bad bits
 * @sojourns: generator for the times that states last
 * @state: present state, enum cellink_state
 * @decay: for each state -ln(1 - bit error rate) * 2^64, or 0 without bit errors
 * @gap: number of good bits before the next bad bit; meaningful if @decay is not 0
 */
struct cell_errors {
	struct fl_random loss;
	struct fl_random bits;
	struct fl_random sojourns;
	int state;
	u64 decay[CELLINK_STATES];
	u64 gap;
};

/**
 * struct cell_check - result of checking the bits of a packet
 * @bits: number of bits that have been checked
 * @damaged: the packet has bad bits, which have been flipped
 * @corrupted: the packet has a bad bit, and is to be dropped
 */
struct cell_check {
	u32 bits;
	bool damaged;
	bool corrupted;
};

static inline void cell_errors_draw_gap(struct cell_errors *e)
{
	u64 decay = e->decay[e->state];

	/* scaled for the highest precision in 64 bits: 45 * 2^32 * 2^25 < 2^63 */
	if (decay)
		e->gap = div64_u64(fl_random_exponential(&e->bits) << 25,
				   decay >> 7);
}

/**
 * cell_errors_loses() - is the next packet lost?
 * @e: the channel's errors
 * @cfg: the same configuration as for cell_errors_start()
 */
static inline bool cell_errors_loses(struct cell_errors *e,
				     const struct cell_errors_config *cfg)
{
	const u32 loss = cfg->state[e->state].loss;

	return loss && fl_random_below(&e->loss, 1000000) < loss;
}

/**
 * cell_errors_bad_bit() - look for the next bad bit
 * @e: the channel's errors
 * @bits: number of bits to check
 * @at: set to the number of good bits before the bad bit, if there is one
 *
 * Return: true if there is a bad bit. The caller then has to check the bits after the bad bit.
 */
static inline bool cell_errors_bad_bit(struct cell_errors *e, u64 bits, u64 *at)
{
	if (!e->decay[e->state])
		return false;
	if (e->gap >= bits) {
		e->gap -= bits;
		return false;
	}
	*at = e->gap;
	cell_errors_draw_gap(e);
	return true;
}

/**
 * cell_bits_sent() - number of bits of a packet that have been sent
 * @bits: number of bits of the packet
 * @left: remaining work of the packet, see fl_work(); it may exceed @bits by the VLAN tag
 *
 * A bit that is being sent does not count.
 */
static inline u64 cell_bits_sent(u64 bits, u64 left)
{
	const u64 unsent = DIV64_U64_ROUND_UP(left, NSEC_PER_SEC / BITS_PER_BYTE);

	return bits - min(bits, unsent);
}

void cell_damage(struct cell_errors *e, struct sk_buff *skb,
		 struct cell_check *check, u64 end, u8 corrupt);
void cell_errors_check_sent(struct cell_errors *e, struct sk_buff *skb,
			    struct cell_check *check, u64 left, u8 corrupt);

/**
 * cell_errors_check_rest() - check the bits of a packet that have not been checked yet
 * @e: the channel's errors
 * @skb: the packet, with skb->data at its link-layer header
 * @check: the result of the bits that have been checked; @damaged and @corrupted are updated
 * @corrupt: enum cellink_corrupt
 */
static inline void cell_errors_check_rest(struct cell_errors *e,
					  struct sk_buff *skb,
					  struct cell_check *check, u8 corrupt)
{
	const u64 bits = skb->len * 8ULL;
	u64 good;

	if (!cell_errors_bad_bit(e, bits - check->bits, &good))
		return;
	check->bits += good;
	cell_damage(e, skb, check, bits, corrupt);
}

void cell_errors_start(struct cell_errors *e,
		       const struct cell_errors_config *cfg, u32 seed);
u64 cell_errors_sojourn(struct cell_errors *e,
			const struct cell_errors_config *cfg);
void cell_errors_turn(struct cell_errors *e);

#endif /* _CELLINK_ERRORS_H */
