/* SPDX-License-Identifier: GPL-2.0 */
/* A channel: one direction of a cellink, from a device's transmit queue to its peer. */
#ifndef _CELLINK_CHANNEL_H
#define _CELLINK_CHANNEL_H

#include <linux/hrtimer.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <net/fl_inbox.h>
#include "config.h"
#include "errors.h"
#include "modem.h"
#include "opportunity.h"
#include "outage.h"

/* Events of a channel. Events with the same time are processed in this order. */
enum cell_event {
	CELL_TURN,	/* the state changes between good and bad */
	CELL_ARRIVAL,	/* the first packet in flight arrives */
	CELL_GRANT,	/* the first packet of the block leaves, before packets still in the ring */
	CELL_RADIO,	/* the last byte of the first packet in the ring is sent, or the trace has
			 * its next opportunity
			 */
	CELL_OUTAGE,	/* an outage begins or ends */

	CELL_EVENTS,
};

/**
 * struct cell_channel - one direction; all times are in ns on CLOCK_MONOTONIC
 * @lock: protects all fields except @peer and @inbox; taken with bottom halves off, inside the
 *	transmit queue's lock
 * @timer: fires at the next event, or earlier
 * @armed: time at which @timer fires, CELL_NEVER if it is not pending
 * @dev: the device that transmits; this structure is its private data
 * @peer: the device that receives, NULL before the pairing and after it; RCU, written under RTNL
 * @cfg: the configuration; written under RTNL and @lock
 * @direct: @cfg passes each packet immediately and undamaged
 * @up: the device is up: the channel accepts packets, and @timer may run
 * @at: time of each event, CELL_NEVER for no event
 * @free_at: time at which the last packet was sent
 * @errors: losses, bit errors and the state
 * @state_since: in the present state, the time up to which @stats already counts the state
 * @grants_from: time from which the times of the grants are counted
 * @outages: the outages
 * @outages_from: time from which the times of the outages are counted
 * @outage: the next outage, or the present outage
 * @down: the outage has begun
 * @down_since: during an outage, the time up to which @stats already counts the outage
 * @left: remaining work of the first packet in the ring. Without a trace: time in ns, valid during
 *	an outage. With a trace: bytes, always valid
 * @trace: trace of opportunities, which replaces the rate, or no trace; written under RTNL and
 *	@lock
 * @trace_from: time at which the first pass through @trace starts
 * @turns: trace of the times at which the state changes, or no trace; written under RTNL and @lock
 * @turns_from: time at which the first pass through @turns starts
 * @budget: bytes that may still be sent with the present opportunities
 * @budget_end: time at which the present opportunities expire
 * @more: the core will pass another packet directly after the last accepted packet
 * @list: memory for the schedule of outages in @cfg
 * @carry: remainder of the last division by the rate, see fl_work_time()
 * @room: size of @ring at which the queue stops, computed from @cfg
 * @ring: accepted packets; the first packet is being sent
 * @ring_bytes: length on the wire of the packets in @ring
 * @block: packets that have been sent by rate or trace and wait for the next grant
 * @block_bytes: length on the wire of the packets in @block
 * @flight: packets that have been sent and not delivered yet, in order of delivery
 * @stats: counters, indexed by enum cellink_stats; HELD, STATE and DOWN are computed when they are
 *	read
 * @inbox: packets of the other direction, which arrive at @dev; has its own lock
 */
struct cell_channel {
	spinlock_t lock; /* protects all fields below except peer and inbox */
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
	s64 grants_from;
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
	struct cell_room room;
	struct sk_buff_head ring;
	u32 ring_bytes;
	struct sk_buff_head block;
	u64 block_bytes;
	struct sk_buff_head flight;
	u64 stats[CELLINK_STATS_MAX + 1];
	struct fl_inbox inbox;
};

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
