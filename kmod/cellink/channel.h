/* SPDX-License-Identifier: GPL-2.0 */
/* One direction of a cellink: from a device's transmit queue to its peer. */
#ifndef _CELLINK_CHANNEL_H
#define _CELLINK_CHANNEL_H

#include <linux/hrtimer.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <net/fl_inbox.h>
#include "config.h"
#include "errors.h"
#include "opportunity.h"
#include "outage.h"

/* What can happen on a channel; at the same moment in this order. */
enum cell_event {
	CELL_TURN,	/* a good or bad state ends */
	CELL_ARRIVAL,	/* the first packet in flight arrives */
	CELL_SENT,	/* the last byte of the first packet in the ring is sent */
	CELL_OPPORTUNITY, /* the trace lets something through for which that packet waits */
	CELL_OUTAGE,	/* an outage begins or ends */

	CELL_EVENTS,
};

/**
 * struct cell_channel - one direction
 * @lock: protects all below but @peer and @inbox; taken with bottom halves off, below the
 *	transmit queue's lock
 * @timer: fires at the next moment at which something happens, or before
 * @armed: when it fires, CELL_NEVER if it does not
 * @dev: the device that transmits; its private data is this
 * @peer: the device that receives, NULL before there is one and when it is gone;
 *	RCU, written under RTNL
 * @cfg: as it is set; written under RTNL and @lock
 * @direct: nothing of it holds a packet up or decides about one
 * @up: the device is; packets are taken and the timer may run
 * @at: when each event is to happen, CELL_NEVER for none
 * @free_at: when the last packet was sent
 * @errors: where its chances stand
 * @state_since: since when its state lasts, as far as @stats does not know yet
 * @outages: where its outages stand
 * @outages_from: since when their times count
 * @outage: the one that is next, or lasts
 * @down: it lasts
 * @down_since: since when, as far as @stats does not know yet
 * @left: meanwhile the ns that the first packet in the ring still needs; with a trace,
 *	always, its bytes
 * @trace: opportunities in place of a rate, if any; written under RTNL and @lock
 * @trace_from: when its first time through began, or would have
 * @turns: times at which its state turns, in place of sojourns, if any; likewise
 * @turns_from: when its first time through began, or would have
 * @budget: bytes that the opportunities of the moment are still good for
 * @budget_end: when they are not any more
 * @more: the core has another packet to follow the last one
 * @list: a schedule of outages, @cfg refers to it
 * @carry: work that the packets sent so far left undone, see fl_rate.h
 * @ring: packets taken, of which the first is being sent
 * @ring_bytes: what they take on the wire
 * @flight: packets sent that have not arrived, in the order they arrive
 * @stats: by enum cellink_stats
 * @inbox: of the other direction: what arrives at @dev; has a lock of its own
 */
struct cell_channel {
	spinlock_t lock; /* of all below but @peer and @inbox */
	struct hrtimer timer;
	s64 armed;
	struct net_device *dev;
	struct net_device __rcu *peer;
	struct cell_config cfg;
	bool direct;
	bool up;
	s64 at[CELL_EVENTS];
	s64 free_at;
	u64 carry;
	struct cell_errors errors;
	s64 state_since;
	struct cell_outages outages;
	s64 outages_from;
	struct cellink_outage outage;
	bool down;
	s64 down_since;
	u64 left;
	struct cell_trace trace;
	s64 trace_from;
	struct cell_trace turns;
	s64 turns_from;
	u64 budget;
	s64 budget_end;
	bool more;
	struct cellink_outage list[CELLINK_OUTAGES_MAX];
	struct sk_buff_head ring;
	u32 ring_bytes;
	struct sk_buff_head flight;
	u64 stats[CELLINK_STATS_HELD];
	struct fl_inbox inbox;
};

/* Of a device of this kind. */
static inline struct fl_inbox *cell_inbox(const struct net_device *dev)
{
	struct cell_channel *ch = netdev_priv(dev);

	return &ch->inbox;
}

void cell_channel_init(struct cell_channel *ch, struct net_device *dev);
void cell_channel_open(struct cell_channel *ch);
void cell_channel_close(struct cell_channel *ch);
void cell_channel_setup(struct cell_channel *ch, const struct cell_config *cfg);
void cell_channel_change(struct cell_channel *ch,
			 const struct cell_config *cfg);
void cell_channel_follow(struct cell_channel *ch, struct cell_trace *trace);
void cell_channel_turn(struct cell_channel *ch, struct cell_trace *turns);
s64 cell_channel_position(struct cell_channel *ch,
			  const struct cell_trace *trace, const s64 *from);
bool cell_channel_send(struct cell_channel *ch, struct sk_buff *skb, bool more);
void cell_channel_stats(struct cell_channel *ch,
			u64 stats[CELLINK_STATS_MAX + 1]);

#endif /* _CELLINK_CHANNEL_H */
