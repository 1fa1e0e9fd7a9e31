// SPDX-License-Identifier: GPL-2.0
/*
 * A channel: one direction of a cellink.
 *
 *	qdisc --> ring --> [ rate or trace ] --> [ grant ] --> [ errors ] --> in flight --> peer
 *	  ^         |                              block                      (delay)
 *	  '- stop --' while the ring is full
 *
 * The ring is small, so packets wait in the qdisc above. With a modem's buffer the ring is as large
 * as the buffer, and packets that do not fit are dropped. The first packet in the ring is being
 * sent. When its last byte has been sent, the packet leaves, or waits in the block for the next
 * grant. When a packet leaves, the errors decide whether the packet is lost or damaged. Then the
 * packet is in flight for the propagation delay. With CELLINK_BER_STATE_BIT, whenever a state ends,
 * the errors decide about the bits that have been sent.
 *
 * Each event happens at the time that it would have on a real link, even if the timer fires later.
 * For example, the next packet starts at the time at which the previous packet has ended. Therefore
 * delays of the timer do not add up. If the timer is late, the channel processes the missed events
 * in order, each with its own time.
 */

#include <linux/etherdevice.h>
#include <net/fl_rate.h>
#include <net/sch_generic.h>
#include "channel.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

/* Maximum number of missed events that are processed in one run. Without this limit, the lock would
 * be held for a long time when the clock has jumped by hours. The peer empties its inbox only
 * between two runs, and this number of packets fits into the inbox.
 */
#define CELL_PORTION	256

/* skb->cb of a packet in the ring, in the block or in flight */
struct cell_skb_cb {
	s64 at;		/* time of delivery if in flight, otherwise time of arrival in the ring */
	u32 bytes;	/* on the wire */
	struct cell_check check;
};

static struct cell_skb_cb *cell_skb_cb(const struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct cell_skb_cb) > sizeof(skb->cb));
	return (struct cell_skb_cb *)skb->cb;
}

/* Make the timer fire at @at. If the timer is already set to an earlier time, this function does
 * not change it. When the timer has fired, it is set again.
 */
static void cell_arm(struct cell_channel *ch, s64 at)
{
	if (at >= ch->armed)
		return;
	ch->armed = at;
	/* pinned, because finding another CPU takes longer than the timer's own work */
	hrtimer_start(&ch->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_PINNED_SOFT);
}

static bool cell_ring_is_full(const struct cell_channel *ch)
{
	return skb_queue_len(&ch->ring) >= ch->room.packets ||
	       ch->ring_bytes >= ch->room.bytes;
}

/* The qdisc above runs while the ring has space. */
static void cell_backpressure(struct cell_channel *ch)
{
	if (cell_ring_is_full(ch))
		netif_stop_queue(ch->dev);
	else if (netif_queue_stopped(ch->dev))
		netif_wake_queue(ch->dev);
}

/* @dev is a cellink device. */
static struct fl_inbox *cell_inbox(const struct net_device *dev)
{
	struct cell_channel *ch = netdev_priv(dev);

	return &ch->inbox;
}

/* Pass a packet to the peer's inbox. If the packet is not accepted, count the reason. */
static void cell_deliver(struct cell_channel *ch, struct sk_buff *skb)
{
	const bool damaged = cell_skb_cb(skb)->check.damaged;
	const unsigned int len = skb->len;
	struct net_device *peer;
	int err = -ENETDOWN;

	rcu_read_lock();
	peer = rcu_dereference(ch->peer);
	if (peer)
		err = fl_inbox_put(cell_inbox(peer), skb);
	else
		kfree_skb(skb);
	rcu_read_unlock();
	if (err) {
		ch->stats[err == -ENETDOWN ? CELLINK_STATS_PEER_DOWN :
					     CELLINK_STATS_REFUSED]++;
		return;
	}
	ch->stats[CELLINK_STATS_DELIVERED]++;
	ch->stats[CELLINK_STATS_DELIVERED_BYTES] += len;
	ch->stats[CELLINK_STATS_DAMAGED] += damaged;
}

/* Returns the first time in a trace after @now, or CELL_NEVER if the trace has no later time. */
static s64 cell_trace_moment(const struct cell_trace *trace, s64 from, s64 now)
{
	const s64 next = cell_trace_next(trace, now - from);

	return next == CELL_NEVER ? CELL_NEVER : from + next;
}

/* The opportunities of a millisecond are for packets that are in the ring or in the qdisc when the
 * millisecond begins. Packets from the qdisc enter the ring when it has space, and can use the
 * opportunities until the millisecond ends. Packets that arrive during the millisecond cannot use
 * these opportunities.
 */
static void cell_trace_budget(struct cell_channel *ch, s64 now)
{
	ch->budget = cell_trace_bytes(&ch->trace, now - ch->trace_from);
	ch->budget_end = now + NSEC_PER_MSEC;
}

/* Does the qdisc have packets that it could pass to the device immediately? The core answers this
 * question only while a packet is sent (netdev_xmit_more()). Therefore this function reads the
 * length of the qdisc above, which also counts packets that a shaper holds back. If the modem has a
 * buffer, all packets that can be sent are in the buffer.
 */
static bool cell_waits_above(const struct cell_channel *ch)
{
	bool waits;

	if (ch->cfg.buffer)
		return false;
	rcu_read_lock();
	waits = qdisc_qlen_sum(rcu_dereference(netdev_get_tx_queue(ch->dev, 0)->qdisc));
	rcu_read_unlock();
	return waits || ch->more;
}

/* If no packet is waiting, the remaining opportunities of the same ms are lost. */
static void cell_trace_waste(struct cell_channel *ch)
{
	if (ch->budget && skb_queue_empty(&ch->ring) && !cell_waits_above(ch))
		ch->budget = 0;
}

/* The first packet in the ring uses the present opportunities. If the present opportunities are not
 * enough, the packet waits for the next opportunities.
 */
static void cell_trace_serve(struct cell_channel *ch, s64 now)
{
	u64 take;

	if (now >= ch->budget_end)
		ch->budget = 0;
	take = min(ch->budget, ch->left);
	ch->budget -= take;
	ch->left -= take;
	ch->at[CELL_RADIO] = ch->left ? cell_trace_moment(&ch->trace,
							  ch->trace_from, now) :
					now;
}

/* The ring is empty. An opportunity without a waiting packet is an event only if the tracepoint is
 * enabled.
 */
static void cell_rest(struct cell_channel *ch, s64 now)
{
	ch->at[CELL_RADIO] = CELL_NEVER;
	if (ch->trace.ms && !ch->down && trace_cell_opportunity_enabled())
		ch->at[CELL_RADIO] = cell_trace_moment(&ch->trace,
						       ch->trace_from, now);
}

static void cell_opportunity(struct cell_channel *ch, s64 now)
{
	const u32 bytes = ch->trace.opportunity;

	cell_trace_budget(ch, now);
	trace_cell_opportunity(ch->dev, now, bytes, div_u64(ch->budget, bytes));
	if (skb_queue_empty(&ch->ring))
		cell_rest(ch, now);
	else
		cell_trace_serve(ch, now);
}

/* Start the trace again. */
static void cell_trace_restart(struct cell_channel *ch, s64 now)
{
	ch->trace_from = now - ch->trace.offset;
	ch->budget = 0;
	/* the opportunities at position 0, which cell_trace_next() does not find */
	if (ch->trace.ms && !ch->trace.offset && !ch->down)
		cell_trace_budget(ch, now);
}

/* Send the rest of the first packet in the ring. @left is a time in ns, or with a trace a number of
 * bytes. During an outage the packet waits.
 */
static void cell_serve(struct cell_channel *ch, s64 now, u64 left)
{
	ch->left = left;
	if (ch->down)
		ch->at[CELL_RADIO] = CELL_NEVER;
	else if (ch->trace.ms)
		cell_trace_serve(ch, now);
	else
		ch->at[CELL_RADIO] = now + left;
}

/* Remaining time of the first packet in the ring, without a trace. */
static s64 cell_time_left(const struct cell_channel *ch, s64 now)
{
	if (ch->down)
		return ch->left;
	return max_t(s64, ch->at[CELL_RADIO] - now, 0);
}

/* Work of sending a whole packet: a time in ns, or with a trace a number of bytes. */
static u64 cell_need(struct cell_channel *ch, const struct sk_buff *skb)
{
	const u32 bytes = cell_skb_cb(skb)->bytes;

	if (ch->trace.ms)
		return bytes;
	return fl_work_time(fl_work(bytes), ch->cfg.rate, &ch->carry);
}

/* Start to send the first packet in the ring. The start is the packet's arrival or the end of the
 * previous packet, whichever is later.
 */
static void cell_start(struct cell_channel *ch)
{
	const struct sk_buff *skb = skb_peek(&ch->ring);
	const s64 came = cell_skb_cb(skb)->at;

	if (came > ch->free_at) {
		ch->free_at = came;
		ch->carry = 0;
	}
	cell_serve(ch, ch->free_at, cell_need(ch, skb));
}

/* A packet has been sent. The packet no longer counts against its socket's send buffer. The
 * packet's conntrack entry and delivery time are not valid at the peer.
 */
static void cell_release(struct cell_channel *ch, struct sk_buff *skb)
{
	ch->stats[CELLINK_STATS_SENT]++;
	ch->stats[CELLINK_STATS_SENT_BYTES] += skb->len;
	skb_orphan(skb);
	nf_reset_ct(skb);
	skb_set_delivery_time(skb, 0, 0);
}

/* Put a packet in flight. The packet never overtakes packets in flight, even if the delay has
 * become shorter. If the channel has no delay and no packets in flight, the packet is delivered
 * immediately.
 */
static void cell_take_off(struct cell_channel *ch, struct sk_buff *skb, s64 now)
{
	const struct sk_buff *last = skb_peek_tail(&ch->flight);
	s64 at = now + ch->cfg.delay;

	if (last) {
		at = max(at, cell_skb_cb(last)->at);
	} else if (at > now) {
		ch->at[CELL_ARRIVAL] = at;
	} else {
		cell_deliver(ch, skb);
		return;
	}
	cell_skb_cb(skb)->at = at;
	__skb_queue_tail(&ch->flight, skb);
}

/* Returns 0 if the packet is to be delivered. Otherwise the packet is lost, or is dropped because
 * of bad bits, and the function returns the counter to increment.
 */
static int cell_judge(struct cell_channel *ch, struct sk_buff *skb)
{
	struct cell_check *check = &cell_skb_cb(skb)->check;

	if (cell_errors_loses(&ch->errors, &ch->cfg.errors))
		return CELLINK_STATS_LOST;
	cell_errors_check_rest(&ch->errors, skb, check, ch->cfg.corrupt);
	return check->corrupted ? CELLINK_STATS_CORRUPTED : 0;
}

static void cell_drop(struct cell_channel *ch, struct sk_buff *skb, s64 now,
		      int cause)
{
	ch->stats[cause]++;
	trace_cell_drop(ch->dev, now, skb, cell_skb_cb(skb)->bytes, cause);
	kfree_skb(skb);
}

/* A packet leaves the radio. */
static void cell_depart(struct cell_channel *ch, struct sk_buff *skb, s64 now)
{
	int cause;

	cell_release(ch, skb);
	cause = cell_judge(ch, skb);
	if (cause) {
		cell_drop(ch, skb, now, cause);
		return;
	}
	trace_cell_departure(ch->dev, now, cell_skb_cb(skb)->at,
			     cell_skb_cb(skb)->bytes);
	cell_take_off(ch, skb, now);
}

/* Computes the time of the grant that sends the block. In an outage there are no grants. */
static void cell_grant_plan(struct cell_channel *ch, s64 now)
{
	ch->at[CELL_GRANT] = CELL_NEVER;
	if (!ch->down && !skb_queue_empty(&ch->block))
		ch->at[CELL_GRANT] = ch->grants_from +
			cell_modem_grant(&ch->cfg, now - ch->grants_from);
}

/* Start the grants again. The first grant is now. */
static void cell_grants_restart(struct cell_channel *ch, s64 now)
{
	ch->grants_from = now;
	cell_grant_plan(ch, now);
}

/* A packet waits in the block for the next grant. A modem's buffer limits the bytes in the block.
 * Without a buffer, only the rate and the time between grants limit these bytes. The number of
 * packets always has a limit.
 */
static void cell_await_grant(struct cell_channel *ch, struct sk_buff *skb,
			     s64 now)
{
	if (skb_queue_len(&ch->block) >= CELLINK_RING_PACKETS_MAX) {
		cell_drop(ch, skb, now, CELLINK_STATS_OVERFLOW);
		return;
	}
	ch->block_bytes += cell_skb_cb(skb)->bytes;
	__skb_queue_tail(&ch->block, skb);
	if (skb_queue_len(&ch->block) == 1)
		cell_grant_plan(ch, now);
}

/* Removes and returns the first packet of the block. The other packets leave at the same time. Each
 * packet has a separate event, so that a large block is processed in portions.
 */
static struct sk_buff *cell_granted(struct cell_channel *ch)
{
	struct sk_buff *skb = __skb_dequeue(&ch->block);

	ch->block_bytes -= cell_skb_cb(skb)->bytes;
	if (skb_queue_empty(&ch->block))
		ch->at[CELL_GRANT] = CELL_NEVER;
	return skb;
}

/* The last byte of the first packet in the ring has been sent. Returns the packet if it leaves
 * now.
 */
static struct sk_buff *cell_sent(struct cell_channel *ch, s64 now)
{
	struct sk_buff *skb = __skb_dequeue(&ch->ring);

	ch->ring_bytes -= cell_skb_cb(skb)->bytes;
	ch->free_at = now;
	if (skb_queue_empty(&ch->ring))
		cell_rest(ch, now);
	else
		cell_start(ch);
	if (!ch->cfg.grant)
		return skb;
	cell_await_grant(ch, skb, now);
	return NULL;
}

/* Returns the packet that leaves now, or NULL. With a trace, the first packet in the ring has been
 * sent completely when @left is 0.
 */
static struct sk_buff *cell_radio(struct cell_channel *ch, s64 now)
{
	if (!ch->trace.ms || (!ch->left && !skb_queue_empty(&ch->ring)))
		return cell_sent(ch, now);
	cell_opportunity(ch, now);
	return NULL;
}

static void cell_arrive(struct cell_channel *ch)
{
	const struct sk_buff *next;

	cell_deliver(ch, __skb_dequeue(&ch->flight));
	next = skb_peek(&ch->flight);
	ch->at[CELL_ARRIVAL] = next ? cell_skb_cb(next)->at : CELL_NEVER;
}

/* Add the time since the last update to the counter of the present state. */
static void cell_count_state(struct cell_channel *ch, s64 now)
{
	ch->stats[CELLINK_STATS_GOOD_NS + ch->errors.state] +=
		now - ch->state_since;
	ch->state_since = now;
}

/* The time at which the present state ends. */
static s64 cell_next_turn(struct cell_channel *ch, s64 now)
{
	if (ch->turns.ms)
		return cell_trace_moment(&ch->turns, ch->turns_from, now);
	if (!cell_config_has_states(&ch->cfg))
		return CELL_NEVER;
	return now + cell_errors_sojourn(&ch->errors, &ch->cfg.errors);
}

/* Does the state change now? If a trace lists a time twice, the state does not change. */
static bool cell_turns(const struct cell_channel *ch, s64 now)
{
	return !ch->turns.ms ||
	       cell_trace_is_odd(&ch->turns, now - ch->turns_from) !=
	       (ch->errors.state == CELLINK_STATE_BAD);
}

/* Remaining work of the first packet in the ring, see fl_work(). Without rate and trace, a packet
 * is sent at the moment at which it leaves.
 */
static u64 cell_work_left(const struct cell_channel *ch, s64 now)
{
	if (ch->trace.ms)
		return fl_work(ch->left);
	if (!ch->cfg.rate)
		return fl_work(cell_skb_cb(skb_peek(&ch->ring))->bytes);
	return fl_work_left(cell_time_left(ch, now), ch->cfg.rate);
}

/* The present state ends. With CELLINK_BER_STATE_BIT, the bits that have been sent are checked in
 * this state. With grants there are no such bits, because a packet goes over the air at its grant.
 */
static void cell_check_sent(struct cell_channel *ch, s64 now)
{
	struct sk_buff *skb = skb_peek(&ch->ring);

	if (ch->cfg.ber_state == CELLINK_BER_STATE_BIT && !ch->cfg.grant && skb)
		cell_errors_check_sent(&ch->errors, skb, &cell_skb_cb(skb)->check,
				       cell_work_left(ch, now), ch->cfg.corrupt);
}

/* Start the errors again. A trace of turns continues. */
static void cell_errors_restart(struct cell_channel *ch, s64 now)
{
	cell_check_sent(ch, now);
	cell_errors_start(&ch->errors, &ch->cfg.errors, ch->cfg.seed);
	ch->state_since = now;
	if (ch->turns.ms && cell_turns(ch, now))
		cell_errors_turn(&ch->errors);
	ch->at[CELL_TURN] = cell_next_turn(ch, now);
}

/* Start the errors and the trace of turns again. */
static void cell_turns_restart(struct cell_channel *ch, s64 now)
{
	ch->turns_from = now - ch->turns.offset;
	cell_errors_restart(ch, now);
}

static void cell_turn(struct cell_channel *ch, s64 now)
{
	if (cell_turns(ch, now)) {
		cell_count_state(ch, now);
		cell_check_sent(ch, now);
		cell_errors_turn(&ch->errors);
		trace_cell_state(ch->dev, now, ch->errors.state);
	}
	ch->at[CELL_TURN] = cell_next_turn(ch, now);
}

/* Add the time since the last update to the counter of outages. */
static void cell_count_outage(struct cell_channel *ch, s64 now)
{
	if (!ch->down)
		return;
	ch->stats[CELLINK_STATS_OUTAGE_NS] += now - ch->down_since;
	ch->down_since = now;
}

static void cell_outage_plan(struct cell_channel *ch)
{
	ch->at[CELL_OUTAGE] = CELL_NEVER;
	if (cell_outages_next(&ch->outages, &ch->cfg.outage, &ch->outage))
		ch->at[CELL_OUTAGE] = ch->outages_from + ch->outage.start;
}

/* The present packet stops, and no packet is sent until the outage ends. */
static void cell_outage_begin(struct cell_channel *ch, s64 now)
{
	if (!skb_queue_empty(&ch->ring) && !ch->trace.ms)
		ch->left = ch->at[CELL_RADIO] - now;
	ch->at[CELL_RADIO] = CELL_NEVER;
	ch->at[CELL_GRANT] = CELL_NEVER;
	ch->down = true;
	ch->down_since = now;
	ch->stats[CELLINK_STATS_OUTAGES]++;
	trace_cell_outage(ch->dev, now, true);
}

/* After the outage the packet continues where it stopped. */
static void cell_outage_end(struct cell_channel *ch, s64 now)
{
	cell_count_outage(ch, now);
	ch->down = false;
	ch->free_at = now;
	if (skb_queue_empty(&ch->ring))
		cell_rest(ch, now);
	else
		cell_serve(ch, now, ch->left);
	cell_grant_plan(ch, now);
	trace_cell_outage(ch->dev, now, false);
}

static void cell_outage(struct cell_channel *ch, s64 now)
{
	if (ch->down) {
		cell_outage_end(ch, now);
		cell_outage_plan(ch);
	} else {
		cell_outage_begin(ch, now);
		ch->at[CELL_OUTAGE] = now + ch->outage.length;
	}
}

/* Start the outages again. */
static void cell_outages_restart(struct cell_channel *ch, s64 now)
{
	if (ch->down)
		cell_outage_end(ch, now);
	cell_outages_start(&ch->outages, ch->cfg.seed);
	ch->outages_from = now;
	cell_outage_plan(ch);
}

static void cell_happen(struct cell_channel *ch, enum cell_event event)
{
	const s64 now = ch->at[event];
	struct sk_buff *skb = NULL;

	switch (event) {
	case CELL_TURN:
		cell_turn(ch, now);
		break;
	case CELL_ARRIVAL:
		cell_arrive(ch);
		break;
	case CELL_GRANT:
		skb = cell_granted(ch);
		break;
	case CELL_OUTAGE:
		cell_outage(ch, now);
		break;
	default:
		skb = cell_radio(ch, now);
	}
	if (skb)
		cell_depart(ch, skb, now);
}

/* Returns the earlier of two events, or @one if both events have the same time. */
static enum cell_event cell_earlier(const struct cell_channel *ch,
				    enum cell_event one, enum cell_event other)
{
	return ch->at[other] < ch->at[one] ? other : one;
}

/* Without a loop, because this function runs several times for every packet. */
static enum cell_event cell_next_event(const struct cell_channel *ch)
{
	enum cell_event next = cell_earlier(ch, CELL_TURN, CELL_ARRIVAL);

	next = cell_earlier(ch, next, CELL_GRANT);
	next = cell_earlier(ch, next, CELL_RADIO);
	return cell_earlier(ch, next, CELL_OUTAGE);
}

/* Called if there are more missed events than one run processes. Packets stay in the qdisc until
 * all missed events are processed. The timer fires 1 ns from now: if it were already due, it would
 * fire again before other softirqs can run.
 */
static void cell_hold_up(struct cell_channel *ch, s64 now)
{
	netif_stop_queue(ch->dev);
	cell_arm(ch, now + 1);
}

/* Process all events up to now, in order. Returns the time of the next event, or @now if there were
 * too many events for one run.
 */
static s64 cell_catch_up(struct cell_channel *ch, s64 now)
{
	enum cell_event event = cell_next_event(ch);
	int events = 0;

	while (ch->at[event] <= now) {
		if (events++ == CELL_PORTION) {
			cell_hold_up(ch, now);
			return now;
		}
		cell_happen(ch, event);
		event = cell_next_event(ch);
	}
	return ch->at[event];
}

/* Process all events up to now, then update queue and timer. Returns false if there were too many
 * events for one run.
 */
static bool cell_run(struct cell_channel *ch, s64 now)
{
	const s64 next = cell_catch_up(ch, now);

	if (next <= now)
		return false;
	cell_trace_waste(ch);
	cell_backpressure(ch);
	cell_arm(ch, next);
	return true;
}

static enum hrtimer_restart cell_timer_fire(struct hrtimer *timer)
{
	struct cell_channel *ch = container_of(timer, struct cell_channel,
					       timer);

	spin_lock(&ch->lock);
	ch->armed = CELL_NEVER;
	if (ch->up)
		cell_run(ch, ktime_get_ns());
	spin_unlock(&ch->lock);
	return HRTIMER_NORESTART;
}

/* Number of packets in the channel. */
static u32 cell_held(const struct cell_channel *ch)
{
	return skb_queue_len(&ch->ring) + skb_queue_len(&ch->block) +
	       skb_queue_len(&ch->flight);
}

/* Can a packet be delivered immediately? No packet may overtake a packet in the channel. */
static bool cell_is_direct(const struct cell_channel *ch)
{
	return ch->direct && !cell_held(ch);
}

/* Tracepoints of a packet that is delivered immediately. */
static void cell_trace_direct(const struct cell_channel *ch,
			      const struct sk_buff *skb)
{
	const u32 bytes = fl_wire_bytes(skb);
	const s64 now = ktime_get_ns();

	trace_cell_arrival(ch->dev, now, bytes);
	trace_cell_departure(ch->dev, now, now, bytes);
}

/* Does the modem's buffer accept a packet? The modem has taken the packet from the host, so the
 * packet no longer counts against its socket's send buffer.
 */
static bool cell_buffer_takes(const struct cell_channel *ch, struct sk_buff *skb)
{
	const struct cell_load load = {
		.packets = skb_queue_len(&ch->ring) + skb_queue_len(&ch->block),
		.bytes = (u64)ch->ring_bytes + ch->block_bytes,
	};

	if (!cell_modem_fits(&ch->cfg, load, cell_skb_cb(skb)->bytes))
		return false;
	skb_orphan(skb);
	return true;
}

static void cell_ring_add(struct cell_channel *ch, struct sk_buff *skb)
{
	ch->ring_bytes += cell_skb_cb(skb)->bytes;
	__skb_queue_tail(&ch->ring, skb);
	if (skb_queue_len(&ch->ring) == 1)
		cell_start(ch);
}

/* Returns false if the channel does not accept the packet, because some missed events are not
 * processed yet.
 */
static bool cell_enqueue(struct cell_channel *ch, struct sk_buff *skb)
{
	struct cell_skb_cb *cb = cell_skb_cb(skb);
	const s64 budget_end = ch->budget_end;
	s64 now = ktime_get_ns();

	/* first process the events that a late timer has missed, because they happened before this
	 * packet arrived
	 */
	if (cell_catch_up(ch, now) <= now)
		return false;
	/* this packet must not use opportunities that were among these events, because it arrived
	 * after them
	 */
	if (ch->budget_end != budget_end)
		cell_trace_waste(ch);
	skb_tx_timestamp(skb);
	*cb = (struct cell_skb_cb){ .at = now, .bytes = fl_wire_bytes(skb) };
	trace_cell_arrival(ch->dev, now, cb->bytes);
	if (ch->cfg.buffer && !cell_buffer_takes(ch, skb))
		cell_drop(ch, skb, now, CELLINK_STATS_OVERFLOW);
	else
		cell_ring_add(ch, skb);
	cell_run(ch, now);
	return true;
}

/**
 * cell_channel_send() - accept a packet from the device's transmit queue
 * @ch: the channel, with space in its ring
 * @skb: the packet
 * @more: the core will pass another packet directly after @skb
 *
 * The caller has disabled bottom halves. Packets that bypass the qdisc, such as packets of an XDP
 * program, may still arrive when the device is down.
 *
 * Return: true if the channel has consumed the packet; false if the channel has not consumed the
 *	packet and has stopped the queue
 */
bool cell_channel_send(struct cell_channel *ch, struct sk_buff *skb, bool more)
{
	bool accepted = true;

	spin_lock(&ch->lock);
	ch->more = more;
	if (unlikely(!ch->up)) {
		ch->stats[CELLINK_STATS_PURGED]++;
		kfree_skb(skb);
	} else if (unlikely(!pskb_may_pull(skb, ETH_HLEN))) {
		ch->stats[CELLINK_STATS_REFUSED]++;
		kfree_skb(skb);
	} else if (cell_is_direct(ch)) {
		skb_tx_timestamp(skb);
		cell_skb_cb(skb)->check.damaged = false;
		if (trace_cell_departure_enabled())
			cell_trace_direct(ch, skb);
		cell_release(ch, skb);
		cell_deliver(ch, skb);
	} else {
		accepted = cell_enqueue(ch, skb);
	}
	ch->stats[CELLINK_STATS_PACKETS_IN] += accepted;
	spin_unlock(&ch->lock);
	return accepted;
}

/* A handover in which the old cell does not forward the packets in flight. */
static void cell_lose_flight(struct cell_channel *ch, struct sk_buff_head *lost)
{
	ch->stats[CELLINK_STATS_HANDOVER] += skb_queue_len(&ch->flight);
	skb_queue_splice_tail_init(&ch->flight, lost);
	ch->at[CELL_ARRIVAL] = CELL_NEVER;
}

/* The caller does not hold the lock, because freeing many packets takes long. */
static void cell_free_lost(const struct cell_channel *ch,
			   struct sk_buff_head *lost, s64 at)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(lost))) {
		trace_cell_drop(ch->dev, at, skb, cell_skb_cb(skb)->bytes,
				CELLINK_STATS_HANDOVER);
		kfree_skb(skb);
		cond_resched();
	}
}

/* The remaining work of the packet that is being sent does not change, only the rate. */
static void cell_change_rate(struct cell_channel *ch, u64 rate, s64 now)
{
	u64 left;

	ch->carry = 0;
	if (skb_queue_empty(&ch->ring))
		return;
	left = fl_work_left(cell_time_left(ch, now), ch->cfg.rate);
	left = fl_work_time(left, rate, &ch->carry);
	cell_serve(ch, now, left);
}

static bool cell_config_same_errors(const struct cell_config *one,
				    const struct cell_config *other)
{
	const struct cell_errors_config *a = &one->errors, *b = &other->errors;
	int i;

	for (i = 0; i < CELLINK_STATES; i++)
		if (a->state[i].sojourn != b->state[i].sojourn ||
		    a->state[i].ber != b->state[i].ber ||
		    a->state[i].loss != b->state[i].loss)
			return false;
	return one->seed == other->seed && a->law == b->law;
}

static bool cell_config_has_outages(const struct cell_config *cfg)
{
	return cfg->outage.length || cfg->outage.schedule.count;
}

static bool cell_config_same_outages(const struct cell_config *one,
				     const struct cell_config *other)
{
	const struct cell_outage_config *a = &one->outage, *b = &other->outage;

	return one->seed == other->seed && a->length == b->length &&
	       a->start == b->start && a->every == b->every &&
	       a->jitter == b->jitter && a->law == b->law &&
	       a->schedule.count == b->schedule.count &&
	       !memcmp(a->schedule.list, b->schedule.list,
		       a->schedule.count * sizeof(*a->schedule.list));
}

/* Does this configuration pass each packet immediately and undamaged? */
static bool cell_config_is_direct(const struct cell_config *cfg)
{
	return !cfg->rate && !cfg->delay && !cfg->grant &&
	       !cell_config_judges(cfg) && !cell_config_has_outages(cfg);
}

/**
 * cell_channel_setup() - store a configuration
 * @ch: the channel, of a device that is not registered yet, or with its lock held
 * @cfg: the configuration, complete and checked; the schedule's list is copied
 */
void cell_channel_setup(struct cell_channel *ch, const struct cell_config *cfg)
{
	ch->cfg = *cfg;
	memmove(ch->list, cfg->outage.schedule.list,
		cfg->outage.schedule.count * sizeof(*ch->list));
	ch->cfg.outage.schedule.list = ch->list;
	ch->direct = cell_config_is_direct(cfg) && !ch->trace.ms;
	ch->room = cell_modem_room(cfg);
}

/* Take the lock and process all events up to now, however long this takes. Returns the present
 * time.
 */
static s64 cell_lock_settled(struct cell_channel *ch)
	__acquires(&ch->lock)
{
	s64 now;

	for (;;) {
		spin_lock_bh(&ch->lock);
		now = ktime_get_ns();
		if (!ch->up || cell_run(ch, now))
			return now;
		spin_unlock_bh(&ch->lock);
		cond_resched();
	}
}

/* Process the consequences of a change, then release the lock. */
static void cell_unlock_changed(struct cell_channel *ch, s64 now)
	__releases(&ch->lock)
{
	if (ch->up)
		cell_run(ch, now);
	spin_unlock_bh(&ch->lock);
}

/**
 * cell_channel_change() - change the configuration
 * @ch: the channel
 * @cfg: the new configuration, complete and checked
 *
 * Process context, RTNL held. The channel keeps its packets, except that CELLINK_HANDOVER_LOSE
 * drops the packets in flight.
 */
void cell_channel_change(struct cell_channel *ch,
			 const struct cell_config *cfg)
{
	const bool same_outages = cell_config_same_outages(cfg, &ch->cfg);
	const bool same_errors = cell_config_same_errors(cfg, &ch->cfg);
	const bool same_grants = cfg->grant == ch->cfg.grant;
	const s64 now = cell_lock_settled(ch);
	struct sk_buff_head lost;

	__skb_queue_head_init(&lost);
	if (cfg->handover == CELLINK_HANDOVER_LOSE)
		cell_lose_flight(ch, &lost);
	if (cfg->rate != ch->cfg.rate)
		cell_change_rate(ch, cfg->rate, now);
	cell_channel_setup(ch, cfg);
	if (ch->up && !same_errors) {
		cell_count_state(ch, now);
		cell_errors_restart(ch, now);
	}
	if (ch->up && !same_grants)
		cell_grants_restart(ch, now);
	if (ch->up && !same_outages)
		cell_outages_restart(ch, now);
	cell_unlock_changed(ch, now);
	cell_free_lost(ch, &lost, now);
}

/* Returns the remaining work of the packet that is being sent, with the new trace. There is no
 * rate, so without a trace the packet needs no time. If there was no trace before, no byte of the
 * packet has been sent.
 */
static u64 cell_trace_left(struct cell_channel *ch, const struct cell_trace *trace)
{
	if (!trace->ms)
		return 0;
	if (ch->trace.ms)
		return ch->left;
	return cell_skb_cb(skb_peek(&ch->ring))->bytes;
}

/**
 * cell_channel_follow() - follow another trace of opportunities, or no trace
 * @ch: the channel, without a rate
 * @trace: the new trace, checked; exchanged for the old trace, which the caller has to free
 *
 * Process context, RTNL held. Bytes of the first packet in the ring that have already been sent are
 * not sent again.
 */
void cell_channel_follow(struct cell_channel *ch, struct cell_trace *trace)
{
	const s64 now = cell_lock_settled(ch);
	u64 left = 0;

	if (!skb_queue_empty(&ch->ring))
		left = cell_trace_left(ch, trace);
	swap(ch->trace, *trace);
	ch->direct = cell_config_is_direct(&ch->cfg) && !ch->trace.ms;
	cell_trace_restart(ch, now);
	if (!skb_queue_empty(&ch->ring))
		cell_serve(ch, now, left);
	else if (ch->up)
		cell_rest(ch, now);
	cell_unlock_changed(ch, now);
}

/**
 * cell_channel_turn() - follow another trace of turns, or no trace
 * @ch: the channel, without sojourns
 * @turns: the new trace, checked; exchanged for the old trace, which the caller has to free
 *
 * Process context, RTNL held. The errors start again.
 */
void cell_channel_turn(struct cell_channel *ch, struct cell_trace *turns)
{
	const s64 now = cell_lock_settled(ch);

	if (ch->up)
		cell_count_state(ch, now);
	swap(ch->turns, *turns);
	if (ch->up)
		cell_turns_restart(ch, now);
	cell_unlock_changed(ch, now);
}

/**
 * cell_channel_position() - position of a channel in one of its traces
 * @ch: the channel
 * @trace: the trace
 * @from: @trace_from or @turns_from of @ch; used only while the channel is up
 *
 * RTNL held.
 *
 * Return: in ns, at most the length of the trace
 */
s64 cell_channel_position(struct cell_channel *ch,
			  const struct cell_trace *trace, const s64 *from)
{
	s64 elapsed = trace->offset;

	spin_lock_bh(&ch->lock);
	if (ch->up)
		elapsed = ktime_get_ns() - *from;
	spin_unlock_bh(&ch->lock);
	return min(cell_trace_position(trace, elapsed),
		   cell_trace_length(trace));
}

/**
 * cell_channel_open() - the device goes up
 * @ch: the channel, without packets
 *
 * Process context, RTNL held.
 */
void cell_channel_open(struct cell_channel *ch)
{
	s64 now;

	spin_lock_bh(&ch->lock);
	now = ktime_get_ns();
	ch->up = true;
	cell_turns_restart(ch, now);
	cell_grants_restart(ch, now);
	cell_outages_restart(ch, now);
	cell_trace_restart(ch, now);
	cell_arm(ch, ch->at[cell_next_event(ch)]);
	netif_start_queue(ch->dev);
	spin_unlock_bh(&ch->lock);
}

/* Forget all pending events, and when the last packet was sent. */
static void cell_forget(struct cell_channel *ch)
{
	enum cell_event event;

	for (event = 0; event < CELL_EVENTS; event++)
		ch->at[event] = CELL_NEVER;
	ch->free_at = 0;
}

/**
 * cell_channel_close() - the device goes down
 * @ch: the channel; its packets are dropped
 *
 * Process context, RTNL held. After this call, the queue stays stopped and the channel accepts no
 * packets.
 */
void cell_channel_close(struct cell_channel *ch)
{
	struct sk_buff_head lost;
	s64 now;

	__skb_queue_head_init(&lost);
	spin_lock_bh(&ch->lock);
	now = ktime_get_ns();
	ch->up = false;
	netif_stop_queue(ch->dev);
	cell_count_state(ch, now);
	cell_count_outage(ch, now);
	ch->down = false;
	skb_queue_splice_tail_init(&ch->ring, &lost);
	skb_queue_splice_tail_init(&ch->block, &lost);
	skb_queue_splice_tail_init(&ch->flight, &lost);
	ch->ring_bytes = 0;
	ch->block_bytes = 0;
	cell_forget(ch);
	ch->stats[CELLINK_STATS_PURGED] += skb_queue_len(&lost);
	spin_unlock_bh(&ch->lock);
	hrtimer_cancel(&ch->timer);
	ch->armed = CELL_NEVER;
	__skb_queue_purge(&lost);
}

/**
 * cell_channel_stats() - read the counters
 * @ch: the channel
 * @stats: indexed by enum cellink_stats; written; all values are read at the same time
 */
void cell_channel_stats(struct cell_channel *ch,
			u64 stats[CELLINK_STATS_MAX + 1])
{
	s64 now;

	spin_lock_bh(&ch->lock);
	now = ktime_get_ns();
	/* if the timer is late, count only up to the event that it has not processed yet */
	if (ch->up)
		cell_count_state(ch, min(now, ch->at[CELL_TURN]));
	cell_count_outage(ch, min(now, ch->at[CELL_OUTAGE]));
	memcpy(stats, ch->stats, sizeof(ch->stats));
	stats[CELLINK_STATS_STATE] = ch->errors.state;
	stats[CELLINK_STATS_DOWN] = ch->down;
	stats[CELLINK_STATS_HELD] = cell_held(ch);
	spin_unlock_bh(&ch->lock);
}

/**
 * cell_channel_init() - initialize a channel without a configuration
 * @ch: the private data of @dev
 * @dev: the device that transmits
 */
void cell_channel_init(struct cell_channel *ch, struct net_device *dev)
{
	spin_lock_init(&ch->lock);
	fl_inbox_init(&ch->inbox, dev);
	hrtimer_setup(&ch->timer, cell_timer_fire, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_SOFT);
	ch->armed = CELL_NEVER;
	ch->dev = dev;
	__skb_queue_head_init(&ch->ring);
	__skb_queue_head_init(&ch->block);
	__skb_queue_head_init(&ch->flight);
	cell_forget(ch);
}
