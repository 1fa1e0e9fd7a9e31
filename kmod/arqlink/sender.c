// SPDX-License-Identifier: GPL-2.0
/*
 * The sender.
 *
 *	qdisc --> ring --> [ cut into pieces ] --> window --> queue of frames --> lower device
 *	  ^         |                               ^   |          ^
 *	  '- stop --'                         ACK --'   '- timer, NACK
 *
 * A packet waits in the ring until all its pieces are in the window. A piece stays in the window
 * until the peer acknowledges it, or until it and all pieces before it are given up. The peer still
 * waits for the number of a piece that was given up. The number "oldest" in each frame, which is
 * that of the first piece in the window, tells the peer not to wait.
 *
 * Packets that share a frame have their own deadlines, and are given up one by one.
 */

#include <linux/etherdevice.h>
#include <linux/slab.h>
#include "persist.h"
#include "piece.h"
#include "report.h"
#include "sender.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

/* Copies in the queue of frames, as many as packets in a queue of the paper's simulator, ns-2 */
#define ARQL_COPIES_MAX	50

static struct arql_slot *arql_slot(const struct arql_sender *s, u16 number)
{
	return &s->slots[number & s->mask];
}

static u16 arql_slot_number(const struct arql_sender *s,
			    const struct arql_slot *slot)
{
	return s->una + ((slot - s->slots - s->una) & s->mask);
}

static u32 arql_flight(const struct arql_sender *s)
{
	return (u16)(s->next - s->una);
}

static bool arql_slot_given_up(const struct arql_slot *slot)
{
	return arql_piece_given_up(&slot->piece);
}

/* The time that a frame takes to the peer. Without a sample it counts as 1 ns, so that a packet
 * whose deadline is now is late.
 */
static s64 arql_way(const struct arql_link *link)
{
	return max_t(s64, link->sender.estimate.least / 2, 1);
}

/* Returns 0 if a frame may be sent with the packet @skb, or the counter for the reason to give the
 * packet up.
 */
static int arql_verdict(const struct arql_link *link, const struct arql_slot *slot,
			const struct sk_buff *skb, s64 now)
{
	const struct arql_skb_cb *cb = arql_skb_cb(skb);
	const struct arql_past past = {
		.attempts = slot->attempts,
		.first_at = slot->first_at,
		.deadline = arql_deadline(skb),
		.slow = cb->lifetime.slow,
		.begun = cb->begun,
	};

	return cb->probing ? 0 : arql_persist(&past, &link->cfg, now, arql_way(link));
}

static bool arql_timer_is_pending(const struct arql_slot *slot)
{
	return !RB_EMPTY_NODE(&slot->timer.node);
}

static void arql_timer_stop(struct arql_sender *s, struct arql_slot *slot)
{
	if (!arql_timer_is_pending(slot))
		return;
	timerqueue_del(&s->timers, &slot->timer);
	RB_CLEAR_NODE(&slot->timer.node);
}

/* Lets the timer of a frame expire when the frame is sent again. At its deadline a packet is
 * useless, even if that is earlier.
 */
static void arql_timer_set(struct arql_sender *s, struct arql_slot *slot)
{
	s64 expires = slot->repeat_at;
	const struct sk_buff *skb;

	arql_for_each_live(skb, &slot->piece)
		expires = min(expires, arql_deadline(skb));
	arql_timer_stop(s, slot);
	slot->timer.expires = expires;
	timerqueue_add(&s->timers, &slot->timer);
}

static void arql_timer_start(struct arql_link *link, struct arql_slot *slot,
			     s64 now)
{
	slot->repeat_at = now + arql_timeout(link);
	arql_timer_set(&link->sender, slot);
}

/* Puts a copy of a frame into the queue of frames. Returns false if memory is short, or too many
 * copies wait.
 */
static bool arql_copy_add(struct arql_link *link, struct arql_slot *slot, int cause)
{
	struct arql_copy *copy;

	if (link->copies >= ARQL_COPIES_MAX)
		return false;
	copy = kmalloc(sizeof(*copy), GFP_ATOMIC);
	if (!copy)
		return false;
	arql_job_init(&copy->job, ARQL_COPY);
	copy->piece = slot->piece;
	copy->queued_at = slot->queued_at;
	copy->number = arql_slot_number(&link->sender, slot);
	copy->cause = cause;
	arql_piece_get(&copy->piece);
	slot->copies++;
	link->copies++;
	arql_job_add(link, &copy->job);
	return true;
}

/* Puts a frame into the queue of frames. A frame for which the queue has no place gets another
 * chance when its timer expires.
 */
static void arql_slot_queue(struct arql_link *link, struct arql_slot *slot,
			    int cause, s64 now)
{
	bool waits = true;

	slot->cause = cause;
	slot->queued_at = now;
	if (link->cfg.copies)
		waits = arql_copy_add(link, slot, cause);
	else
		arql_job_add(link, &slot->job);
	if (link->cfg.clock == ARQLINK_CLOCK_QUEUED || !waits)
		arql_timer_start(link, slot, now);
	else
		arql_timer_stop(&link->sender, slot);
}

static struct sk_buff *arql_ring_remove(struct arql_link *link, struct sk_buff *skb)
{
	__skb_unlink(skb, &link->sender.ring);
	arql_ring_leave(link, ARQLINK_QUEUE_ARQ, skb->len);
	return skb;
}

/* Removes the first packet of the ring. */
static struct sk_buff *arql_ring_pop(struct arql_link *link)
{
	return arql_ring_remove(link, skb_peek(&link->sender.ring));
}

/* Bytes of the words that a DATA frame with a piece of the packet has. */
static u32 arql_words_len(const struct arql_link *link, const struct sk_buff *skb)
{
	const u32 words = !!arql_skb_cb(skb)->headers +
			  (link->cfg.estimate == ARQLINK_ESTIMATE_STAMP) +
			  link->receiver.echo.seen;

	return words * ARQLINK_WORD_LEN;
}

/* A DATA frame of the peer's and of our lower device can have this many bytes of a packet, in
 * addition to an Ethernet header.
 */
static u32 arql_piece_max(const struct arql_link *link, const struct sk_buff *skb)
{
	const u32 head = ARQLINK_HLEN + arql_words_len(link, skb) + ETH_HLEN;

	return min(link->cfg.frame, arql_frame_max(link) - head);
}

static bool arql_has_expired(const struct arql_link *link,
			     const struct sk_buff *skb, s64 now)
{
	return arql_deadline(skb) - now < arql_way(link);
}

/* The lifetime of a packet ends before its acknowledgment. If only acknowledged packets counted,
 * the delays would seem short just when few packets are in time. If a packet that has been sent
 * has arrived, it has needed no longer than until now. Nobody knows how much longer a packet that
 * has not been sent would have waited: maybe as long again.
 */
static void arql_packet_late(struct arql_link *link, const struct sk_buff *skb, s64 now)
{
	const s64 age = now - ktime_to_ns(skb->tstamp);

	arql_quality_late(&link->quality, arql_skb_cb(skb)->begun ? age :
						  2 * (age + arql_way(link)), skb->len);
}

/* Returns the first packet of the ring that has not expired. A packet that has expired in the ring
 * gets no number.
 */
static struct sk_buff *arql_ring_first(struct arql_link *link, s64 now)
{
	struct sk_buff *skb;

	while ((skb = skb_peek(&link->sender.ring)) && !arql_skb_cb(skb)->cut &&
	       arql_has_expired(link, skb, now)) {
		arql_packet_late(link, skb, now);
		arql_packet_ends(link, skb, ARQLINK_STATS_EXPIRED);
		kfree_skb(arql_ring_pop(link));
	}
	return skb;
}

/* May a packet share a frame? The checksum of a list also covers payload that may be damaged. */
static bool arql_shares(const struct sk_buff *skb)
{
	return !arql_skb_cb(skb)->headers;
}

/* Puts packets that wait into the frame of a whole packet, as far as they fit. */
static void arql_pack(struct arql_link *link, struct arql_piece *piece, u32 room, s64 now)
{
	struct sk_buff *last = piece->skb, *skb;
	u32 length = ARQLINK_ITEM_LEN + last->len;
	unsigned int count = 1;

	while ((skb = arql_ring_first(link, now)) && arql_shares(skb) &&
	       length + ARQLINK_ITEM_LEN + skb->len <= room) {
		last->next = arql_ring_pop(link);
		last = skb;
		arql_skb_cb(skb)->tries.frames++;
		length += ARQLINK_ITEM_LEN + skb->len;
		count++;
	}
	if (count == 1)
		return;
	piece->length = length;
	piece->flags = ARQLINK_FLAG_FIRST | ARQLINK_FLAG_LAST | ARQLINK_FLAG_PACKED;
	link->stats[ARQLINK_STATS_PACKED] += count;
}

/* Gives the next piece of the first packet in the ring a number. */
static void arql_cut(struct arql_link *link, struct sk_buff *skb, s64 now)
{
	struct arql_sender *s = &link->sender;
	struct arql_skb_cb *cb = arql_skb_cb(skb);
	struct arql_slot *slot = arql_slot(s, s->next++);
	const u32 room = arql_piece_max(link, skb) + (cb->cut ? 0 : ETH_HLEN);

	slot->piece.skb = skb_get(skb);
	slot->piece.offset = cb->cut;
	slot->piece.length = min(room, skb->len - cb->cut);
	slot->attempts = 0;
	slot->copies = 0;
	cb->cut += slot->piece.length;
	cb->tries.frames++;
	slot->piece.flags = (slot->piece.offset ? 0 : ARQLINK_FLAG_FIRST | arql_bounded(skb)) |
		      (cb->cut < skb->len ? 0 : ARQLINK_FLAG_LAST);
	if (cb->cut == skb->len)
		consume_skb(arql_ring_pop(link));
	if (link->cfg.pack && slot->piece.length == skb->len && arql_shares(skb))
		arql_pack(link, &slot->piece, room, now);
	arql_slot_queue(link, slot, ARQLINK_STATS_DATA, now);
}

/* May another frame get a number? If the peer hears nothing, the numbers must not run so far ahead
 * that it refuses them.
 */
static bool arql_has_space(const struct arql_link *link)
{
	const struct arql_sender *s = &link->sender;

	return link->connected && arql_flight(s) < arql_window(link) &&
	       (u16)(s->next - s->acked) < ARQLINK_AHEAD;
}

/**
 * arql_sender_fill() - move packets from the ring to the window, as far as it has space
 * @link: the link, locked
 * @now: the time
 */
void arql_sender_fill(struct arql_link *link, s64 now)
{
	struct sk_buff *skb;

	while (arql_has_space(link) && (skb = arql_ring_first(link, now)))
		arql_cut(link, skb, now);
}

/* Removes the first frame of the window. */
static void arql_release(struct arql_link *link)
{
	struct arql_sender *s = &link->sender;
	struct arql_slot *slot = arql_slot(s, s->una++);

	arql_timer_stop(s, slot);
	arql_job_del(&slot->job);
	arql_piece_put(&slot->piece);
	slot->piece = (struct arql_piece){};
}

/* Removes frames that are given up from the start of the window, and tells the peer not to wait for
 * them. SKIP is repeated until the peer has acknowledged all frames before the window.
 */
static void arql_skip(struct arql_link *link)
{
	struct arql_sender *s = &link->sender;
	const u16 before = s->una;

	while (s->una != s->next && arql_slot_given_up(arql_slot(s, s->una)))
		arql_release(link);
	if (s->una == s->acked) {
		arql_job_del(&link->skip);
		link->at[ARQL_EVENT_SKIP] = ARQL_NEVER;
	} else if (s->una != before) {
		arql_job_add(link, &link->skip);
	}
}

/* Gives the places of frames that are acknowledged or given up to the next packets. Frames leave
 * the window, so the caller must not use a slot any more.
 */
static void arql_move_on(struct arql_link *link, s64 now)
{
	arql_skip(link);
	arql_sender_fill(link, now);
}

/* Number of the first piece of a packet that is in the window. */
static u16 arql_packet_begin(const struct arql_sender *s, u16 number)
{
	while (number != s->una &&
	       arql_slot(s, number - 1)->piece.skb == arql_slot(s, number)->piece.skb)
		number--;
	return number;
}

/* The frames of the packet of the frame @number leave no more, unless they have other packets. */
static void arql_packet_stop(struct arql_sender *s, u16 number)
{
	const struct sk_buff *skb = arql_slot(s, number)->piece.skb;
	struct arql_slot *slot;
	u16 i;

	for (i = arql_packet_begin(s, number); i != s->next; i++) {
		slot = arql_slot(s, i);
		if (slot->piece.skb != skb || !arql_slot_given_up(slot))
			break;
		arql_timer_stop(s, slot);
		arql_job_del(&slot->job);
	}
}

/* Gives up a live packet of the frame @number. The frame stays in the window, because callers loop
 * over its packets. In the end they call arql_skip().
 */
static void arql_give_up(struct arql_link *link, u16 number, struct sk_buff *skb,
			 int cause)
{
	struct arql_sender *s = &link->sender;
	const struct arql_slot *slot = arql_slot(s, number);

	arql_skb_cb(skb)->given_up = true;
	arql_packet_stop(s, number);
	trace_arql_give_up(link->dev, number, cause);
	if (arql_slot_given_up(slot) && slot->attempts && cause <= ARQLINK_STATS_PERSIST)
		arql_quality_failed(&link->quality);
	arql_packet_ends(link, skb, cause);
	/* the rest of the packet has no number */
	if (skb_peek(&s->ring) == skb)
		kfree_skb(arql_ring_pop(link));
}

/* Gives up all packets but one. */
static void arql_flush_others(struct arql_link *link, const struct sk_buff *skb)
{
	const u64 before = link->stats[ARQLINK_STATS_FLUSHED];
	struct arql_sender *s = &link->sender;
	struct sk_buff *other, *next;
	u16 i;

	for (i = s->una; i != s->next; i++) {
		const struct arql_piece *piece = &arql_slot(s, i)->piece;

		arql_for_each_live(other, piece)
			if (other != skb)
				arql_give_up(link, i, other, ARQLINK_STATS_FLUSHED);
	}
	skb_queue_walk_safe(&s->ring, other, next) {
		if (other == skb)
			continue;
		arql_packet_ends(link, other, ARQLINK_STATS_FLUSHED);
		kfree_skb(arql_ring_remove(link, other));
	}
	arql_report_flush(link, link->stats[ARQLINK_STATS_FLUSHED] - before);
}

/* All transmissions of a packet have failed. With a flush, the link begins anew, as the base
 * station of V. Prabhakar et al. does. The last packet can go on as a probe.
 */
static void arql_exhausted(struct arql_link *link, u16 number, struct sk_buff *skb)
{
	arql_report(link, skb, ARQLINK_CMD_DROP);
	if (link->cfg.flush != ARQLINK_FLUSH_NO)
		arql_flush_others(link, skb);
	link->sender.away = link->cfg.flush == ARQLINK_FLUSH_PROBE;
	if (link->sender.away)
		arql_skb_cb(skb)->probing = true;
	else
		arql_give_up(link, number, skb, ARQLINK_STATS_ATTEMPTS);
}

/* Gives up the packets of a frame that may not be sent any more. Returns true if a packet is left.
 */
static bool arql_slot_judge(struct arql_link *link, const struct arql_slot *slot, s64 now)
{
	const u16 number = arql_slot_number(&link->sender, slot);
	struct sk_buff *skb;

	arql_for_each_live(skb, &slot->piece) {
		const int verdict = arql_verdict(link, slot, skb, now);

		if (verdict == ARQLINK_STATS_EXPIRED || verdict == ARQLINK_STATS_LATE)
			arql_packet_late(link, skb, now);
		if (verdict == ARQLINK_STATS_ATTEMPTS)
			arql_exhausted(link, number, skb);
		else if (verdict)
			arql_give_up(link, number, skb, verdict);
	}
	return !arql_slot_given_up(slot);
}

/* Sends a frame again, or gives its packets up. */
static void arql_repeat(struct arql_link *link, struct arql_slot *slot,
			int cause, s64 now)
{
	if (arql_slot_judge(link, slot, now))
		arql_slot_queue(link, slot, cause, now);
}

/* A new packet takes the place of a packet that only probes the link. */
static void arql_probe_end(struct arql_link *link)
{
	const struct arql_sender *s = &link->sender;
	const struct arql_piece *piece = &arql_slot(s, s->una)->piece;
	struct sk_buff *skb;

	if (s->una == s->next)
		return;
	skb = arql_packet_live(piece, piece->skb);
	if (!arql_skb_cb(skb)->probing)
		return;
	arql_give_up(link, s->una, skb, ARQLINK_STATS_ATTEMPTS);
	arql_skip(link);
}

/**
 * arql_sender_add() - accept a packet
 * @link: the link, locked and up
 * @skb: the packet, linear; its deadline is set
 * @now: the time
 */
void arql_sender_add(struct arql_link *link, struct sk_buff *skb, s64 now)
{
	struct arql_sender *s = &link->sender;

	arql_probe_end(link);
	if (link->cfg.backlog && link->held >= link->cfg.backlog)
		arql_report(link, skb, ARQLINK_CMD_BACKLOG);
	arql_ring_enter(link, ARQLINK_QUEUE_ARQ, skb->len);
	__skb_queue_tail(&s->ring, skb);
	arql_sender_fill(link, now);
	arql_backpressure(link, ARQLINK_QUEUE_ARQ);
}

/**
 * arql_sender_accepts() - check an acknowledgment
 * @link: the link, locked
 * @ack: the acknowledgment
 *
 * Return: true if the acknowledgment is of a frame that was sent, or of frames that "oldest" has
 * passed over, or is a repeated one
 */
bool arql_sender_accepts(const struct arql_link *link, u16 ack)
{
	const struct arql_sender *s = &link->sender;

	return arql_within(ack, s->acked - ARQLINK_WINDOW_MAX,
			   ARQLINK_WINDOW_MAX + (u16)(s->told - s->acked) + 1);
}

/* Takes a sample of the round-trip time. */
static void arql_measured(struct arql_link *link, s64 sample, s64 now)
{
	struct arql_estimate *e = &link->sender.estimate;

	link->stats[ARQLINK_STATS_SAMPLES]++;
	arql_estimate_sample(e, &link->cfg.timer, sample);
	trace_arql_sample(link->dev, now, sample, e, arql_timeout(link));
}

/* Takes a sample from the last frame that an acknowledgment covers (section V of the paper). The
 * least round-trip time counts only frames that were sent once, because the acknowledgment may be
 * an answer to the first of several transmissions.
 */
static void arql_sample(struct arql_link *link, const struct arql_slot *slot,
			s64 now)
{
	if (!slot->attempts || arql_slot_given_up(slot))
		return;
	if (link->cfg.estimate == ARQLINK_ESTIMATE_ACK)
		arql_measured(link, now - slot->started_at, now);
	if (slot->attempts == 1)
		arql_estimate_least(&link->sender.estimate, now - slot->sent_at);
}

/**
 * arql_sender_echoed() - handle a stamp that the peer has returned
 * @link: the link, locked
 * @stamp: the stamp
 * @now: the time
 *
 * With ARQLINK_CLOCK_QUEUED the time since the stamp contains the time in the queue of frames.
 * Therefore the stamp does not tell the least round-trip time.
 */
void arql_sender_echoed(struct arql_link *link, u32 stamp, s64 now)
{
	const s64 age = arql_stamp_age(stamp, now);

	if (link->cfg.estimate == ARQLINK_ESTIMATE_STAMP && age >= 0)
		arql_measured(link, age, now);
}

/* The peer has all pieces of a packet. The way of the acknowledgment does not count as a delay. */
static void arql_packet_sent(struct arql_link *link, const struct sk_buff *skb)
{
	const s64 delay = link->quality.acked_at - ktime_to_ns(skb->tstamp);

	arql_packet_ends(link, skb, ARQLINK_STATS_SENT);
	link->stats[ARQLINK_STATS_SENT_BYTES] += skb->len;
	arql_quality_packet(&link->quality, delay - link->sender.estimate.least / 2, skb->len);
}

/* The peer has a frame with a live packet. After an outage, that need not be the probe: a new
 * packet may have taken its place.
 */
static void arql_arrived_there(struct arql_link *link, const struct arql_slot *slot,
			       const struct sk_buff *skb)
{
	const u32 last = link->cfg.attempts << arql_skb_cb(skb)->lifetime.slow;

	if (last && slot->attempts == last && !link->sender.away)
		arql_report(link, skb, ARQLINK_CMD_RECOVER);
	if (!(slot->piece.flags & ARQLINK_FLAG_LAST))
		return;
	if (link->sender.away)
		arql_report(link, skb, ARQLINK_CMD_LINK_UP);
	link->sender.away = false;
	arql_packet_sent(link, skb);
}

/* The peer has a frame. */
static void arql_slot_acked(struct arql_link *link, const struct arql_slot *slot)
{
	const struct sk_buff *skb;

	if (!arql_slot_given_up(slot))
		arql_quality_frame(&link->quality, slot->attempts);
	arql_for_each_live(skb, &slot->piece)
		arql_arrived_there(link, slot, skb);
}

/* The peer has the frames of the window before @ack. */
static void arql_window_acked(struct arql_link *link, u16 ack, bool samples, s64 now)
{
	struct arql_sender *s = &link->sender;

	if (samples)
		arql_sample(link, arql_slot(s, ack - 1), now);
	while (s->una != ack) {
		arql_slot_acked(link, arql_slot(s, s->una));
		arql_release(link);
	}
}

/**
 * arql_sender_acked() - handle an acknowledgment
 * @link: the link, locked
 * @ack: number of the first frame that the peer misses; arql_sender_accepts() is true for it
 * @samples: the acknowledgment gives a sample of the round-trip time
 * @now: the time
 */
void arql_sender_acked(struct arql_link *link, u16 ack, bool samples, s64 now)
{
	struct arql_sender *s = &link->sender;

	if (arql_ahead(ack, s->acked) <= 0)
		return;
	s->acked = ack;
	arql_quality_acked(&link->quality, !skb_queue_empty(&s->ring), now);
	if (arql_ahead(ack, s->una) > 0)
		arql_window_acked(link, ack, samples, now);
	arql_move_on(link, now);
}

/* Handles the report that a frame is missing. The report is about an earlier transmission if the
 * frame waits to be sent again, or was sent again less than a round trip ago.
 */
static void arql_slot_nacked(struct arql_link *link, struct arql_slot *slot,
			     s64 now)
{
	if (arql_slot_given_up(slot) || arql_job_waits(&slot->job) || slot->copies ||
	    (slot->attempts > 1 && now - slot->sent_at < link->sender.estimate.least)) {
		link->stats[ARQLINK_STATS_NACKS_IGNORED]++;
		return;
	}
	arql_repeat(link, slot, ARQLINK_STATS_REPEATS_NACK, now);
}

/**
 * arql_sender_nacked() - handle the report that frames are missing
 * @link: the link, locked
 * @range: the frames; frames that are acknowledged or not sent yet are ignored
 * @now: the time
 */
void arql_sender_nacked(struct arql_link *link, const struct arql_range *range,
			s64 now)
{
	struct arql_sender *s = &link->sender;
	u32 i;

	for (i = 0; i < min_t(u32, range->count, ARQLINK_WINDOW_MAX); i++) {
		const u16 number = range->first + i;

		if (arql_within(number, s->una, arql_flight(s)) &&
		    arql_ahead(number, s->told) < 0)
			arql_slot_nacked(link, arql_slot(s, number), now);
	}
	arql_move_on(link, now);
}

/**
 * arql_sender_expires() - the time at which the next retransmission timer expires
 * @link: the link, locked
 *
 * Return: monotonic time in ns, ARQL_NEVER if no timer is pending
 */
s64 arql_sender_expires(const struct arql_link *link)
{
	const struct timerqueue_node *first =
		timerqueue_getnext((struct timerqueue_head *)&link->sender.timers);

	return first ? first->expires : ARQL_NEVER;
}

/* Gives up the packets of a frame whose lifetime has ended. Returns true if a packet is left. */
static bool arql_slot_ages(struct arql_link *link, const struct arql_slot *slot, s64 now)
{
	const u16 number = arql_slot_number(&link->sender, slot);
	struct sk_buff *skb;

	arql_for_each_live(skb, &slot->piece) {
		if (arql_deadline(skb) > now)
			continue;
		arql_packet_late(link, skb, now);
		arql_give_up(link, number, skb, arql_verdict(link, slot, skb, now));
	}
	return !arql_slot_given_up(slot);
}

/**
 * arql_sender_expire() - handle the retransmission timers that have expired
 * @link: the link, locked
 * @now: the time
 *
 * If a frame still waits in the queue of frames, its timer starts again when it leaves. Each timer
 * that starts here expires later than @now, so the loop ends.
 */
void arql_sender_expire(struct arql_link *link, s64 now)
{
	struct arql_sender *s = &link->sender;

	if (arql_sender_expires(link) > now)
		return;
	while (arql_sender_expires(link) <= now) {
		struct arql_slot *slot = container_of(timerqueue_getnext(&s->timers),
						      struct arql_slot, timer);

		arql_timer_stop(s, slot);
		if (!arql_slot_ages(link, slot, now))
			continue;
		if (slot->repeat_at > now)
			arql_timer_set(s, slot);
		else if (!arql_job_waits(&slot->job))
			arql_repeat(link, slot, ARQLINK_STATS_REPEATS_TIMER, now);
	}
	arql_move_on(link, now);
}

/**
 * arql_sender_told() - note what the peer may acknowledge
 * @link: the link, locked
 * @number: a frame with this number as "oldest", or as the number after its own, is sent
 */
void arql_sender_told(struct arql_link *link, u16 number)
{
	struct arql_sender *s = &link->sender;

	if (arql_ahead(number, s->told) > 0)
		s->told = number;
}

/* Writes the remaining lifetimes. The whole option has to be in the first piece, which also has the
 * checksum of the IP header. Otherwise the pieces could contradict each other.
 */
static void arql_piece_age(const struct arql_piece *piece, s64 now)
{
	struct sk_buff *skb;

	arql_for_each_live(skb, piece) {
		const struct arql_lifetime *lifetime = &arql_skb_cb(skb)->lifetime;
		const u32 end = lifetime->ip + lifetime->option + XLO_LEN;

		if (!piece->offset && end <= arql_piece_part(piece, skb))
			arql_lifetime_write(lifetime, skb, now);
	}
}

/* The packets of a frame are about to leave. */
static void arql_slot_begun(const struct arql_link *link, const struct arql_slot *slot,
			    s64 now)
{
	const u16 number = arql_slot_number(&link->sender, slot);
	struct sk_buff *skb;

	arql_for_each_live(skb, &slot->piece) {
		struct arql_skb_cb *cb = arql_skb_cb(skb);

		cb->begun = true;
		cb->tries.transmissions++;
		cb->tries.attempts = max(cb->tries.attempts, slot->attempts);
		trace_arql_send(link->dev, now, number, slot, skb);
	}
}

/* The time from which timers and samples of a frame count. */
static s64 arql_started(const struct arql_link *link, s64 queued_at, s64 now)
{
	return link->cfg.clock == ARQLINK_CLOCK_QUEUED ? queued_at : now;
}

/* A frame of the window that entered the queue at @queued_at is about to leave. Returns false if it
 * is too late for all its packets.
 */
static bool arql_slot_leave(struct arql_link *link, struct arql_slot *slot,
			    s64 queued_at, s64 now)
{
	if (!arql_slot_judge(link, slot, now))
		return false;
	if (!slot->attempts++)
		slot->first_at = now;
	slot->sent_at = now;
	slot->started_at = arql_started(link, queued_at, now);
	if (!arql_timer_is_pending(slot))
		arql_timer_start(link, slot, now);
	arql_sender_told(link, arql_slot_number(&link->sender, slot) + 1);
	arql_slot_begun(link, slot, now);
	return true;
}

/* Has a packet of a frame had all its attempts? */
static bool arql_slot_exhausted(const struct arql_link *link, const struct arql_slot *slot,
				s64 now)
{
	const struct sk_buff *skb;

	arql_for_each_live(skb, &slot->piece)
		if (arql_verdict(link, slot, skb, now) == ARQLINK_STATS_ATTEMPTS)
			return true;
	return false;
}

/* A copy leaves even if its frame has been acknowledged, but not if its packets are given up. If
 * the copies before it were the last attempts, their timer decides.
 */
static bool arql_copy_leave(struct arql_link *link, const struct arql_copy *copy,
			    s64 now)
{
	struct arql_sender *s = &link->sender;
	struct arql_slot *slot;

	if (arql_piece_given_up(&copy->piece))
		return false;
	if (!arql_within(copy->number, s->una, arql_flight(s)))
		return true;
	slot = arql_slot(s, copy->number);
	slot->copies--;
	if (arql_timer_is_pending(slot) && arql_slot_exhausted(link, slot, now))
		return false;
	return arql_slot_leave(link, slot, copy->queued_at, now);
}

static void arql_copy_free(struct arql_link *link, struct arql_copy *copy)
{
	link->copies--;
	arql_piece_put(&copy->piece);
	kfree(copy);
}

/* Takes what is left of a frame that entered the queue at @queued_at and is about to leave. */
static void arql_take(const struct arql_link *link, struct arql_piece *to,
		      const struct arql_piece *piece, s64 queued_at, s64 now)
{
	*to = arql_piece_left(piece);
	to->stamp = arql_stamp(arql_started(link, queued_at, now));
	arql_piece_get(to);
	arql_piece_age(to, now);
}

/* Takes what a frame contains, and the frame's number. Returns the counter of the frame, or 0 if
 * the frame does not leave.
 */
static int arql_take_copy(struct arql_link *link, struct arql_copy *copy,
			  struct arql_piece *piece, u16 *number, s64 now)
{
	const int counter = arql_copy_leave(link, copy, now) ? copy->cause : 0;

	if (counter)
		arql_take(link, piece, &copy->piece, copy->queued_at, now);
	*number = copy->number;
	arql_copy_free(link, copy);
	return counter;
}

static int arql_take_slot(struct arql_link *link, struct arql_slot *slot,
			  struct arql_piece *piece, u16 *number, s64 now)
{
	if (!arql_slot_leave(link, slot, slot->queued_at, now))
		return 0;
	arql_take(link, piece, &slot->piece, slot->queued_at, now);
	*number = arql_slot_number(&link->sender, slot);
	return slot->cause;
}

/**
 * arql_sender_send() - take a DATA frame from the queue of frames
 * @link: the link, locked
 * @job: the frame's place in the queue, which it has left
 * @piece: set to what the frame contains if it is to be sent; the caller calls arql_piece_put()
 * @number: set to the number of the frame
 * @now: the time
 *
 * Return: true if the frame is to be sent; false if it is too late, and its packets are given up
 */
bool arql_sender_send(struct arql_link *link, struct arql_job *job,
		      struct arql_piece *piece, u16 *number, s64 now)
{
	int counter;

	if (job->type == ARQL_COPY)
		counter = arql_take_copy(link, container_of(job, struct arql_copy, job),
					 piece, number, now);
	else
		counter = arql_take_slot(link, container_of(job, struct arql_slot, job),
					 piece, number, now);
	if (!counter) {
		arql_move_on(link, now);
		return false;
	}
	link->stats[counter]++;
	arql_quality_sent(&link->quality, counter != ARQLINK_STATS_DATA);
	return true;
}

static void arql_copies_free(struct arql_link *link)
{
	struct arql_job *job, *next;

	list_for_each_entry_safe(job, next, &link->jobs, list) {
		if (job->type != ARQL_COPY)
			continue;
		arql_job_del(job);
		arql_copy_free(link, container_of(job, struct arql_copy, job));
	}
}

/* Removes all frames of the window. */
static void arql_window_flush(struct arql_link *link, int cause)
{
	struct arql_sender *s = &link->sender;
	struct sk_buff *skb;

	arql_copies_free(link);
	while (s->una != s->next) {
		arql_for_each_live(skb, &arql_slot(s, s->una)->piece)
			arql_give_up(link, s->una, skb, cause);
		arql_release(link);
	}
}

/**
 * arql_sender_reset() - count from 0, because the connection is a new one
 * @link: the link, locked
 *
 * Packets in the window are given up. Packets in the ring are sent to the new peer.
 */
void arql_sender_reset(struct arql_link *link)
{
	struct arql_sender *s = &link->sender;

	arql_window_flush(link, ARQLINK_STATS_RESET);
	s->acked = 0;
	s->una = 0;
	s->next = 0;
	s->told = 0;
	s->away = false;
	arql_skip(link);
	s->estimate = (struct arql_estimate){};
	link->quality = (struct arql_quality){};
}

/**
 * arql_slots_alloc() - allocate a window
 * @count: number of slots
 *
 * Process context.
 *
 * Return: the slots, NULL if memory is short; the caller frees them with kvfree()
 */
struct arql_slot *arql_slots_alloc(u32 count)
{
	struct arql_slot *slots = kvcalloc(count, sizeof(*slots), GFP_KERNEL);
	u32 i;

	for (i = 0; slots && i < count; i++) {
		arql_job_init(&slots[i].job, ARQLINK_DATA);
		timerqueue_init(&slots[i].timer);
	}
	return slots;
}

/* Moves a frame, its place in the queue of frames and its timer to another slot. */
static void arql_slot_move(struct arql_sender *s, struct arql_slot *to,
			   struct arql_slot *from)
{
	const bool pending = arql_timer_is_pending(from);

	arql_timer_stop(s, from);
	*to = *from;
	list_replace_init(&from->job.list, &to->job.list);
	RB_CLEAR_NODE(&to->timer.node);
	if (pending)
		timerqueue_add(&s->timers, &to->timer);
}

/**
 * arql_sender_move() - move the frames to a larger window
 * @link: the link, locked
 * @slots: the window, from arql_slots_alloc()
 * @count: number of slots, a power of two
 *
 * Return: the window before, for the caller to free
 */
struct arql_slot *arql_sender_move(struct arql_link *link, struct arql_slot *slots,
				   u32 count)
{
	struct arql_sender *s = &link->sender;
	struct arql_slot *old = s->slots;
	u16 i;

	for (i = s->una; i != s->next; i++)
		arql_slot_move(s, &slots[i & (count - 1)], arql_slot(s, i));
	s->slots = slots;
	s->mask = count - 1;
	return old;
}

/**
 * arql_sender_close() - give up all packets
 * @link: the link, locked; the device goes down. The caller frees the window
 */
void arql_sender_close(struct arql_link *link)
{
	struct arql_sender *s = &link->sender;

	arql_window_flush(link, ARQLINK_STATS_PURGED);
	while (!skb_queue_empty(&s->ring)) {
		arql_packet_ends(link, skb_peek(&s->ring), ARQLINK_STATS_PURGED);
		kfree_skb(arql_ring_pop(link));
	}
}
