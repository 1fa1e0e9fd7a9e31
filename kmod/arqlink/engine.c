// SPDX-License-Identifier: GPL-2.0
/*
 * The engine of a link.
 *
 * Packets of the stack, frames of the peer and timers put frames into the queue of frames. Only
 * NAPI takes frames from this queue, without the link's lock, because the lower device may take
 * other locks.
 */

#include <linux/etherdevice.h>
#include <linux/string.h>
#include "classify.h"
#include "engine.h"
#include "headers.h"
#include "hello.h"
#include "input.h"
#include "lifetime.h"
#include "output.h"
#include "receiver.h"
#include "report.h"
#include "sender.h"

/* The time at which the link has to do something without a packet or frame. */
static s64 arql_next_event(const struct arql_link *link)
{
	s64 next = arql_sender_expires(link);
	int event;

	for (event = 0; event < ARQL_EVENTS; event++)
		next = min(next, link->at[event]);
	if (arql_output_paced(link))
		next = min(next, link->free_at);
	return next;
}

/* Makes the timer fire at the next event. A timer that fires too early is harmless. */
static void arql_arm(struct arql_link *link, s64 next)
{
	if (next >= link->armed)
		return;
	link->armed = next;
	hrtimer_start(&link->timer, ns_to_ktime(next), HRTIMER_MODE_ABS_PINNED_SOFT);
}

static enum hrtimer_restart arql_timer_fire(struct hrtimer *timer)
{
	struct arql_link *link = container_of(timer, struct arql_link, timer);

	spin_lock(&link->lock);
	link->armed = ARQL_NEVER;
	spin_unlock(&link->lock);
	napi_schedule(&link->napi);
	return HRTIMER_NORESTART;
}

/* Handles the events up to now. */
static void arql_run(struct arql_link *link, s64 now)
{
	if (link->at[ARQL_EVENT_HELLO] <= now)
		arql_hello_again(link, now);
	if (link->at[ARQL_EVENT_ACK] <= now) {
		link->at[ARQL_EVENT_ACK] = ARQL_NEVER;
		arql_job_add(link, &link->ack);
	}
	if (link->at[ARQL_EVENT_SKIP] <= now) {
		link->at[ARQL_EVENT_SKIP] = ARQL_NEVER;
		arql_job_add(link, &link->skip);
	}
	arql_sender_expire(link, now);
}

/* NAPI handles what is due now, and the timer handles the rest. */
static void arql_kick(struct arql_link *link, s64 now)
{
	const s64 next = arql_output_ready(link, now) ? now : arql_next_event(link);

	if (next <= now)
		napi_schedule(&link->napi);
	else
		arql_arm(link, next);
}

/* Passes a frame to the lower device, without the lock. */
static void arql_hand_down(struct arql_link *link, struct sk_buff *skb)
{
	int err;

	spin_unlock(&link->lock);
	err = dev_queue_xmit(skb);
	spin_lock(&link->lock);
	if (net_xmit_eval(err))
		link->stats[ARQLINK_STATS_SEND_FAILED]++;
}

static int arql_poll(struct napi_struct *napi, int budget)
{
	struct arql_link *link = container_of(napi, struct arql_link, napi);
	struct sk_buff *skb;
	int sent = 0;
	s64 now;

	spin_lock(&link->lock);
	now = ktime_get_ns();
	arql_run(link, now);
	while (sent < budget && (skb = arql_output_next(link, now))) {
		arql_hand_down(link, skb);
		sent++;
		if (!arql_output_wanted(link))
			break;
		now = ktime_get_ns();
	}
	arql_arm(link, arql_next_event(link));
	spin_unlock(&link->lock);
	if (sent < budget)
		napi_complete_done(napi, sent);
	return sent;
}

/* The packet is in the link from now on. */
static void arql_begin(struct arql_link *link, struct sk_buff *skb, s64 now)
{
	*arql_skb_cb(skb) = (struct arql_skb_cb){ .lifetime.deadline = FL_NO_DEADLINE };
	skb->tstamp = ns_to_ktime(now);
	link->stats[ARQLINK_STATS_PACKETS_IN]++;
	link->held++;
}

/* Sets what the packet's option asks for. A packet without a lifetime gets the default. */
static void arql_give_lifetime(const struct arql_config *cfg, struct sk_buff *skb,
			       s64 now)
{
	struct arql_skb_cb *cb = arql_skb_cb(skb);

	arql_lifetime_read(&cb->lifetime, skb, now);
	cb->reliable = arql_matches(&cfg->reliable, skb);
	if (cb->lifetime.deadline == FL_NO_DEADLINE && cfg->lifetime)
		cb->lifetime.deadline = now + cfg->lifetime;
	if (cb->lifetime.corrupt_ok)
		cb->headers = arql_headers(skb, cb->lifetime.ip);
}

/* Returns 0 if the device can send a packet, or the counter for the reason to drop it. */
static int arql_send_verdict(const struct arql_link *link, struct sk_buff *skb,
			     bool bypass)
{
	if (!link->up || !link->connected)
		return ARQLINK_STATS_PURGED;
	if (skb->len < ETH_HLEN)
		return ARQLINK_STATS_UNFIT;
	if (bypass && skb->len > READ_ONCE(link->lower->mtu) - ARQLINK_HLEN)
		return ARQLINK_STATS_UNFIT;
	return skb_linearize(skb) ? ARQLINK_STATS_NOMEM : 0;
}

/* The packet is no longer in its socket's send buffer. */
static void arql_accept(struct arql_link *link, struct sk_buff *skb, bool bypass,
			s64 now)
{
	skb_tx_timestamp(skb);
	skb_orphan(skb);
	/* a report needs the packet's connection, see xlo_notify() */
	if (!link->notify)
		nf_reset_ct(skb);
	arql_give_lifetime(&link->cfg, skb, now);
	if (bypass)
		arql_output_bypass(link, skb);
	else
		arql_sender_add(link, skb, now);
	arql_kick(link, now);
}

/**
 * arql_engine_bypasses() - check whether a packet is of the class "bypass"
 * @link: the link
 * @skb: the packet; skb->data points to its Ethernet header
 *
 * The fields of the match belong together, so they are read under the lock.
 */
bool arql_engine_bypasses(struct arql_link *link, const struct sk_buff *skb)
{
	struct arql_match bypass;

	spin_lock_bh(&link->lock);
	bypass = link->cfg.bypass;
	spin_unlock_bh(&link->lock);
	return arql_matches(&bypass, skb);
}

/**
 * arql_engine_send() - accept a packet from a transmit queue
 * @link: the link
 * @skb: the packet; skb->data points to its Ethernet header; consumed
 * @bypass: the packet is of the class "bypass"
 *
 * The caller has disabled bottom halves. A packet of a program (XDP) can arrive while the device is
 * down or its queue is stopped.
 */
void arql_engine_send(struct arql_link *link, struct sk_buff *skb, bool bypass)
{
	int cause;
	s64 now;

	spin_lock(&link->lock);
	now = ktime_get_ns();
	arql_begin(link, skb, now);
	cause = arql_send_verdict(link, skb, bypass);
	if (cause) {
		arql_packet_ends(link, skb, cause);
		kfree_skb(skb);
	} else {
		arql_accept(link, skb, bypass, now);
	}
	spin_unlock(&link->lock);
}

/**
 * arql_engine_receive() - handle a frame of the lower device
 * @link: the link
 * @skb: the frame, not shared; skb->data points behind its Ethernet header; consumed
 *
 * The caller has disabled bottom halves.
 */
void arql_engine_receive(struct arql_link *link, struct sk_buff *skb)
{
	const s64 now = ktime_get_ns();
	bool linear;

	/* The frame may be stored. It must not count as a frame that the lower device of a peer on
	 * this host has not sent yet.
	 */
	skb_orphan(skb);
	/* a sender on this host may still write into the frame's pages, so they are copied first */
	linear = !skb_linearize(skb);
	spin_lock(&link->lock);
	if (linear) {
		arql_input(link, skb, now);
		if (link->up)
			arql_kick(link, now);
	} else {
		link->stats[ARQLINK_STATS_FRAMES_IN]++;
		link->stats[ARQLINK_STATS_IN_NOMEM]++;
		kfree_skb(skb);
	}
	spin_unlock(&link->lock);
}

/**
 * arql_engine_init() - initialise a link
 * @link: the private data of @dev
 * @dev: a new device
 */
void arql_engine_init(struct arql_link *link, struct net_device *dev)
{
	int event;

	spin_lock_init(&link->lock);
	link->dev = dev;
	fl_inbox_init(&link->inbox, dev);
	netif_napi_add_tx(dev, &link->napi, arql_poll);
	hrtimer_setup(&link->timer, arql_timer_fire, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_SOFT);
	link->armed = ARQL_NEVER;
	for (event = 0; event < ARQL_EVENTS; event++)
		link->at[event] = ARQL_NEVER;
	INIT_LIST_HEAD(&link->jobs);
	INIT_LIST_HEAD(&link->bypasses);
	arql_job_init(&link->hello, ARQLINK_HELLO);
	arql_job_init(&link->ack, ARQLINK_ACK);
	arql_job_init(&link->nack, ARQLINK_NACK);
	arql_job_init(&link->skip, ARQLINK_SKIP);
	timerqueue_init_head(&link->sender.timers);
	__skb_queue_head_init(&link->sender.ring);
}

/* Lets BQL (byte queue limits) accept as many bytes as the rings. The administrator can set a lower
 * limit by limit_max in sysfs. BQL looks at its limits only when bytes leave.
 */
static void arql_ring_limit(struct arql_link *link)
{
	struct netdev_queue *txq;
	u16 queue;

	for (queue = 0; queue < ARQLINK_QUEUES; queue++) {
		txq = netdev_get_tx_queue(link->dev, queue);
		netdev_queue_set_dql_min_limit(txq, link->cfg.ring);
		netdev_tx_sent_queue(txq, 1);
		netdev_tx_completed_queue(txq, 1, 1);
		arql_backpressure(link, queue);
	}
}

/* Ends BQL. All packets have left. */
static void arql_ring_close(struct arql_link *link)
{
	u16 queue;

	for (queue = 0; queue < ARQLINK_QUEUES; queue++)
		netdev_tx_reset_queue(netdev_get_tx_queue(link->dev, queue));
}

static void arql_windows_free(struct arql_link *link)
{
	kvfree(link->sender.slots);
	link->sender.slots = NULL;
	kvfree(link->receiver.slots);
	link->receiver.slots = NULL;
	arql_meter_free(link->meter);
	link->meter = NULL;
}

/* Gives the sender and the receiver new arrays. The lock is not held while memory is allocated and
 * freed. Returns 0, or -ENOMEM and nothing has changed.
 */
static int arql_windows_alloc(struct arql_link *link, u32 window)
{
	const u32 count = roundup_pow_of_two(window);
	struct arql_slot *slots = arql_slots_alloc(count);
	struct arql_arrived *arrived = kvcalloc(count, sizeof(*arrived), GFP_KERNEL);
	const bool ok = slots && arrived;

	if (ok) {
		spin_lock_bh(&link->lock);
		slots = arql_sender_move(link, slots, count);
		arrived = arql_receiver_move(link, arrived, count);
		spin_unlock_bh(&link->lock);
	}
	kvfree(slots);
	kvfree(arrived);
	return ok ? 0 : -ENOMEM;
}

/**
 * arql_engine_open() - start a link
 * @link: the link; its device goes up
 *
 * Process context.
 *
 * Return: 0 or -ENOMEM
 */
int arql_engine_open(struct arql_link *link)
{
	link->meter = arql_meter_alloc(&link->napi);
	if (!link->meter || arql_windows_alloc(link, link->cfg.window)) {
		arql_windows_free(link);
		return -ENOMEM;
	}
	link->receiver.window = link->cfg.window;
	fl_inbox_open(&link->inbox);
	napi_enable(&link->napi);
	spin_lock_bh(&link->lock);
	link->up = true;
	arql_ring_limit(link);
	arql_hello_begin(link);
	arql_kick(link, ktime_get_ns());
	spin_unlock_bh(&link->lock);
	return 0;
}

/* Forgets the connection and gives up all packets. */
static void arql_disconnect(struct arql_link *link)
{
	int event;

	for (event = 0; event < ARQL_EVENTS; event++)
		link->at[event] = ARQL_NEVER;
	arql_sender_close(link);
	arql_receiver_reset(link);
	arql_output_purge(link);
}

/**
 * arql_engine_close() - stop a link
 * @link: the link; its device goes down
 *
 * Process context. The lower device may still have frames of the link.
 */
void arql_engine_close(struct arql_link *link)
{
	spin_lock_bh(&link->lock);
	link->up = false;
	link->connected = false;
	netif_carrier_off(link->dev);
	spin_unlock_bh(&link->lock);
	napi_disable(&link->napi);
	hrtimer_cancel(&link->timer);
	spin_lock_bh(&link->lock);
	link->armed = ARQL_NEVER;
	arql_disconnect(link);
	arql_ring_close(link);
	spin_unlock_bh(&link->lock);
	fl_inbox_close(&link->inbox);
	arql_windows_free(link);
}

static void arql_restart(struct arql_link *link)
{
	arql_disconnect(link);
	arql_hello_begin(link);
}

/**
 * arql_engine_restart() - look for a peer again, because our address has changed
 * @link: the link
 *
 * Process context.
 */
void arql_engine_restart(struct arql_link *link)
{
	spin_lock_bh(&link->lock);
	if (link->up) {
		arql_restart(link);
		napi_schedule(&link->napi);
	}
	spin_unlock_bh(&link->lock);
}

/**
 * arql_engine_reserve() - make space for a window
 * @link: the link
 * @window: frames
 *
 * Process context, RTNL held. The limits of the window stay. Space is never given back while the
 * device is up.
 *
 * Return: 0, or -ENOMEM and nothing has changed
 */
int arql_engine_reserve(struct arql_link *link, u32 window)
{
	if (!link->up || window <= link->sender.mask + 1)
		return 0;
	return arql_windows_alloc(link, window);
}

/**
 * arql_engine_change() - apply a new configuration
 * @link: the link
 * @cfg: the configuration; arql_engine_reserve() was called for its window
 *
 * RTNL held. Running timers and numbered frames keep their values. With another peer, the
 * connection begins anew. With another window, the peer is told.
 */
void arql_engine_change(struct arql_link *link, const struct arql_config *cfg)
{
	const bool moves = !ether_addr_equal_unaligned(cfg->remote, link->cfg.remote);
	const bool resized = cfg->ring != link->cfg.ring;
	const bool tells = cfg->window != link->cfg.window;

	spin_lock_bh(&link->lock);
	if (cfg->rate != link->cfg.rate)
		link->free_at = 0;
	link->cfg = *cfg;
	if (link->up) {
		link->receiver.window = max_t(u32, link->receiver.window, cfg->window);
		if (moves)
			arql_restart(link);
		else if (tells)
			arql_hello_resized(link);
		if (resized)
			arql_ring_limit(link);
		arql_sender_fill(link, ktime_get_ns());
		napi_schedule(&link->napi);
	}
	spin_unlock_bh(&link->lock);
}

/**
 * arql_engine_stats() - read all counters
 * @link: the link
 * @stats: written, indexed by enum arqlink_stats
 */
void arql_engine_stats(struct arql_link *link, u64 stats[ARQLINK_STATS_MAX + 1])
{
	const struct arql_estimate *e = &link->sender.estimate;
	struct fl_link_quality quality;

	spin_lock_bh(&link->lock);
	memcpy(stats, link->stats, sizeof(link->stats));
	stats[ARQLINK_STATS_HELD] = link->held;
	stats[ARQLINK_STATS_SRTT] = e->srtt;
	stats[ARQLINK_STATS_SRTTVAR] = e->srttvar;
	stats[ARQLINK_STATS_TIMEOUT] = arql_timeout(link);
	stats[ARQLINK_STATS_LEAST_RTT] = e->least;
	stats[ARQLINK_STATS_CONNECTED] = link->connected;
	stats[ARQLINK_STATS_FLIGHT] = (u16)(link->sender.next - link->sender.una);
	arql_quality_read(&link->quality, &quality);
	spin_unlock_bh(&link->lock);
	stats[ARQLINK_STATS_LOSS] = quality.loss;
	stats[ARQLINK_STATS_MEAN_ATTEMPTS] = quality.attempts;
	stats[ARQLINK_STATS_DELAY_50] = quality.delay_50;
	stats[ARQLINK_STATS_DELAY_90] = quality.delay_90;
	stats[ARQLINK_STATS_DELAY_99] = quality.delay_99;
	stats[ARQLINK_STATS_EFFECTIVE_RATE] = quality.rate;
}

/**
 * arql_engine_quality() - read the quality of the link
 * @link: the link
 * @quality: written
 */
void arql_engine_quality(struct arql_link *link, struct fl_link_quality *quality)
{
	spin_lock_bh(&link->lock);
	arql_quality_read(&link->quality, quality);
	quality->least = link->sender.estimate.least / 2;
	quality->idle = !link->held;
	spin_unlock_bh(&link->lock);
}
