/* SPDX-License-Identifier: GPL-2.0 */
/* One end of a link: what the sender, the receiver and the connection share. */
#ifndef _ARQLINK_LINK_H
#define _ARQLINK_LINK_H

#include <linux/hrtimer.h>
#include <linux/if_ether.h>
#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/timerqueue.h>
#include <net/fl_deadline.h>
#include <net/fl_inbox.h>
#include <net/xlo_rto.h>
#include "config.h"
#include "frame.h"
#include "lifetime.h"
#include "meter.h"
#include "number.h"
#include "order.h"
#include "quality.h"
#include "session.h"
#include "timer.h"

#define ARQL_NEVER	S64_MAX

/* Bytes of a frame in addition to its payload, in the lower device. */
#define ARQL_OVERHEAD	(ETH_HLEN + ARQLINK_HLEN)

/* The type of a job that belongs to struct arql_copy. */
#define ARQL_COPY	(ARQLINK_TYPE_MAX + 1)

/**
 * struct arql_job - a frame's place in the queue of frames
 * @list: empty if the frame does not wait
 * @type: enum arqlink_type or ARQL_COPY
 * @turn: number of frames that entered the queue before, modulo 2^32
 */
struct arql_job {
	struct list_head list;
	u8 type;
	u32 turn;
};

/**
 * struct arql_tries - how often a packet was sent
 * @frames: frames with a piece of the packet
 * @transmissions: transmissions of all these frames
 * @attempts: transmissions of the frame that was sent most often
 */
struct arql_tries {
	u32 frames;
	u32 transmissions;
	u32 attempts;
};

/**
 * struct arql_skb_cb - skb->cb of a packet to send; skb->tstamp is the time of its acceptance
 * @job: place in the queue of frames, only for BYPASS, and only while the packet waits
 * @tries: how often the packet was sent
 * @lifetime: its deadline decides how long the packet is retransmitted
 * @cut: bytes of the packet that are in the window
 * @headers: bytes of the headers of a packet whose payload may be damaged, 0 for other packets
 * @reliable: the lifetime does not limit retransmissions
 * @begun: a piece of the packet has been sent
 * @probing: the packet is sent again without a limit, to find out when the link is up
 * @given_up: no piece of the packet is sent any more
 */
struct arql_skb_cb {
	union {
		struct arql_job job;
		struct arql_tries tries;
	};
	struct arql_lifetime lifetime;
	u32 cut;
	u16 headers;
	bool reliable : 1;
	bool begun : 1;
	bool probing : 1;
	bool given_up : 1;
};

static inline struct arql_skb_cb *arql_skb_cb(const struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct arql_skb_cb) > sizeof(skb->cb));
	return (struct arql_skb_cb *)skb->cb;
}

/**
 * arql_deadline() - the time after which a packet is not sent any more
 * @skb: the packet
 *
 * Return: monotonic time in ns, FL_NO_DEADLINE if there is no such time
 */
static inline s64 arql_deadline(const struct sk_buff *skb)
{
	const struct arql_skb_cb *cb = arql_skb_cb(skb);

	return cb->reliable || cb->probing ? FL_NO_DEADLINE :
					     cb->lifetime.deadline;
}

/**
 * arql_bounded() - the flag of a packet that is useless after its lifetime
 * @skb: the packet
 *
 * Return: ARQLINK_FLAG_BOUNDED or 0
 */
static inline u8 arql_bounded(const struct sk_buff *skb)
{
	const struct arql_skb_cb *cb = arql_skb_cb(skb);

	return cb->reliable || cb->lifetime.deadline == FL_NO_DEADLINE ?
	       0 : ARQLINK_FLAG_BOUNDED;
}

/**
 * struct arql_piece - what a DATA frame contains, see piece.h
 * @skb: the packet, or the first of several; one reference to each packet
 * @offset: first byte of the piece in the packet
 * @length: bytes of the payload
 * @flags: ARQLINK_FLAG_*
 * @stamp: time of the transmission, see arql_stamp(); set when the piece leaves
 */
struct arql_piece {
	struct sk_buff *skb;
	u32 offset;
	u16 length;
	u8 flags;
	u32 stamp;
};

/**
 * struct arql_copy - a DATA frame that stays in the queue of frames whatever happens to its slot
 * @job: place in the queue of frames
 * @piece: what the frame contains
 * @queued_at: time at which the copy entered the queue, monotonic in ns
 * @number: number of the frame
 * @cause: enum arqlink_stats, which counts the transmission
 */
struct arql_copy {
	struct arql_job job;
	struct arql_piece piece;
	s64 queued_at;
	u16 number;
	u8 cause;
};

/**
 * struct arql_slot - a DATA frame in the sender's window; all times are monotonic, in ns
 * @job: place in the queue of frames
 * @timer: retransmission timer, in the sender's timers while it is pending; it also expires at a
 *	deadline
 * @piece: what the frame contains
 * @attempts: number of transmissions
 * @cause: enum arqlink_stats, which counts the next transmission
 * @first_at: time of the first transmission
 * @queued_at: time at which the frame last entered the queue of frames
 * @sent_at: time of the last transmission
 * @repeat_at: time at which the frame is sent again, valid while @timer is pending
 * @started_at: time from which a sample counts: of the last transmission, not of a frame that still
 *	waits
 * @copies: number of its copies in the queue of frames
 */
struct arql_slot {
	struct arql_job job;
	struct timerqueue_node timer;
	struct arql_piece piece;
	u8 cause;
	u32 attempts;
	s64 first_at;
	s64 queued_at;
	s64 sent_at;
	s64 repeat_at;
	s64 started_at;
	u16 copies;
};

/**
 * struct arql_sender - the window of DATA frames, and waiting packets
 * @slots: the window, indexed by the lower bits of a frame's number
 * @mask: number of slots - 1
 * @acked: number of the first frame that the peer has not acknowledged; at most @una
 * @una: number of the first frame of the window; all before it are acknowledged or given up, and it
 *	is not, except during a call of the sender
 * @next: number of the next frame; at most ARQLINK_AHEAD more than @acked
 * @told: the peer may acknowledge the frames before this number
 * @away: with a probe: a packet has failed, and none has arrived since
 * @timers: retransmission timers
 * @ring: packets that are not, or only partly, in the window
 * @estimate: estimates of the round-trip time
 */
struct arql_sender {
	struct arql_slot *slots;
	u16 mask;
	u16 acked;
	u16 una;
	u16 next;
	u16 told;
	bool away;
	struct timerqueue_head timers;
	struct sk_buff_head ring;
	struct arql_estimate estimate;
};

/**
 * struct arql_arrived - a DATA frame in the receiver's window
 * @skb: the frame, skb->data points to its payload; NULL if the frame is missing, or its packets
 *	have overtaken a missing frame
 * @here: the frame has arrived
 * @at: time of arrival, monotonic in ns
 * @flags: ARQLINK_FLAG_*
 * @early: packets that end in the frame and have overtaken a missing frame
 * @reported: a NACK has reported that the frame is missing
 * @damaged: the payload is damaged
 */
struct arql_arrived {
	struct sk_buff *skb;
	s64 at;
	u16 early;
	u8 flags;
	bool here;
	bool reported;
	bool damaged;
};

/**
 * struct arql_packet - a packet that is put together from its pieces
 * @skb: the pieces so far, NULL before the first piece
 * @at: time at which the first piece arrived, monotonic in ns
 * @bounded: the packet is useless after its lifetime
 * @damaged: a piece is damaged
 */
struct arql_packet {
	struct sk_buff *skb;
	s64 at;
	bool bounded;
	bool damaged;
};

/**
 * struct arql_echo - the peer's stamps
 * @stamp: the stamp that the next frame to the peer returns
 * @waits: there is such a stamp
 * @seen: the peer sends stamps, for which pieces leave room in their frames
 */
struct arql_echo {
	u32 stamp;
	bool waits;
	bool seen;
};

/**
 * struct arql_receiver - DATA frames that arrived out of sequence, and the present packet
 * @slots: the window, indexed by the lower bits of a frame's number
 * @mask: number of slots - 1
 * @window: frames that the peer may send from @next on: the largest window since the device went
 *	up, because the peer may not have heard of a smaller one
 * @next: number of the first missing frame
 * @end: number after the last frame that has arrived
 * @packet: pieces of the packet whose last piece is missing
 * @early: delivered packets that have overtaken the first missing frame
 * @held_back: a packet may wait only because others have overtaken the first missing frame
 * @unacked: DATA frames that have arrived since the last acknowledgment was sent
 * @echo: stamps of the DATA frames that have arrived
 */
struct arql_receiver {
	struct arql_arrived *slots;
	u16 mask;
	u16 window;
	u16 next;
	u16 end;
	struct arql_packet packet;
	u32 early;
	bool held_back;
	u32 unacked;
	struct arql_echo echo;
};

/* Events of a link that have a time. */
enum arql_event {
	ARQL_EVENT_HELLO,	/* HELLO is sent again */
	ARQL_EVENT_ACK,		/* an acknowledgment does not wait any longer */
	ARQL_EVENT_SKIP,	/* SKIP is sent again */

	ARQL_EVENTS,
};

/**
 * struct arql_link - one end of a link, the private data of the device; all times are monotonic, in
 *	ns
 * @lock: protects all fields below @inbox; taken with bottom halves off, inside the transmit
 *	queues' locks
 * @dev: the device
 * @lower: the lower device; the device is unregistered before the lower device
 * @tracker: the reference to @lower
 * @cfg: the configuration; written under RTNL and @lock
 * @napi: sends frames; NAPI runs on one CPU at a time, so frames leave in order
 * @timer: schedules @napi at the next event
 * @meter: frames that the lower device has
 * @inbox: received packets; has its own lock
 * @up: the device is up
 * @connected: the peer knows our session
 * @session: sessions of the connection
 * @peer_address: address of the peer, broadcast while it is not known
 * @peer: what the peer accepts
 * @hello_address: receiver of the waiting HELLO
 * @hello_session: session of the receiver of the waiting HELLO
 * @hello_flags: ARQLINK_FLAG_ASK or 0
 * @told_window: window in the last HELLO to the peer, or to any node while the peer is not known
 * @asked_at: time of the last HELLO that answered a frame of a wrong session
 * @at: time of each event, ARQL_NEVER for no event
 * @armed: time at which @timer fires, ARQL_NEVER if it is not pending
 * @jobs: queue of frames, except BYPASS frames
 * @bypasses: queue of BYPASS frames
 * @order: how both queues share the link
 * @hello: the waiting HELLO
 * @ack: the waiting ACK
 * @nack: the waiting NACK
 * @skip: the waiting SKIP
 * @copies: number of struct arql_copy in @jobs
 * @ring_bytes: for each transmit queue, bytes of its packets in the sender's ring or in @bypasses
 * @free_at: time at which the next frame may leave, if there is a rate
 * @carry: remainder of the last division by the rate, see fl_work_time()
 * @sender: DATA frames to send
 * @receiver: DATA frames that arrive
 * @quality: recent quality of the link
 * @notify: sends reports to the sources of packets, NULL for no reports
 * @held: packets that are not sent or given up yet
 * @stats: counters, indexed by enum arqlink_stats; gauges are computed when they are read
 */
struct arql_link {
	spinlock_t lock; /* protects all fields below inbox */
	struct net_device *dev;
	struct net_device *lower;
	netdevice_tracker tracker;
	struct arql_config cfg;
	struct napi_struct napi;
	struct hrtimer timer;
	struct arql_meter *meter;
	struct fl_inbox inbox;
	bool up;
	bool connected;
	struct arql_session session;
	u8 peer_address[ETH_ALEN];
	struct arql_hello peer;
	u8 hello_address[ETH_ALEN];
	u32 hello_session;
	u8 hello_flags;
	u16 told_window;
	s64 asked_at;
	s64 at[ARQL_EVENTS];
	s64 armed;
	struct list_head jobs;
	struct list_head bypasses;
	struct arql_order order;
	struct arql_job hello;
	struct arql_job ack;
	struct arql_job nack;
	struct arql_job skip;
	u32 copies;
	u32 ring_bytes[ARQLINK_QUEUES];
	s64 free_at;
	u64 carry;
	struct arql_sender sender;
	struct arql_receiver receiver;
	struct arql_quality quality;
	xlo_notify_fn *notify;
	u64 held;
	u64 stats[ARQLINK_STATS_MAX + 1];
};

static inline void arql_job_init(struct arql_job *job, u8 type)
{
	INIT_LIST_HEAD(&job->list);
	job->type = type;
}

static inline bool arql_job_waits(const struct arql_job *job)
{
	return !list_empty(&job->list);
}

/**
 * arql_job_add() - put a frame at the end of the queue of frames
 * @link: the link, locked
 * @job: the frame; a frame that waits already keeps its place
 */
static inline void arql_job_add(struct arql_link *link, struct arql_job *job)
{
	if (arql_job_waits(job))
		return;
	job->turn = link->order.turns++;
	list_add_tail(&job->list,
		      job->type == ARQLINK_BYPASS ? &link->bypasses : &link->jobs);
}

static inline void arql_job_del(struct arql_job *job)
{
	list_del_init(&job->list);
}

/**
 * arql_backpressure() - stop a transmit queue while its ring is full
 * @link: the link, locked
 * @queue: ARQLINK_QUEUE_ARQ or ARQLINK_QUEUE_BYPASS
 *
 * BQL can stop the queue earlier, see arql_ring_limit().
 */
static inline void arql_backpressure(struct arql_link *link, u16 queue)
{
	if (link->ring_bytes[queue] >= link->cfg.ring)
		netif_stop_subqueue(link->dev, queue);
	else if (__netif_subqueue_stopped(link->dev, queue))
		netif_wake_subqueue(link->dev, queue);
}

/**
 * arql_ring_enter() - count a packet that waits from now on
 * @link: the link, locked. The caller calls arql_backpressure() at the end
 * @queue: the transmit queue of the packet's class
 * @bytes: bytes of the packet
 */
static inline void arql_ring_enter(struct arql_link *link, u16 queue, u32 bytes)
{
	link->ring_bytes[queue] += bytes;
	netdev_tx_sent_queue(netdev_get_tx_queue(link->dev, queue), bytes);
}

/**
 * arql_ring_leave() - count a packet that does not wait any more
 * @link: the link, locked
 * @queue: as for arql_ring_enter()
 * @bytes: as for arql_ring_enter()
 */
static inline void arql_ring_leave(struct arql_link *link, u16 queue, u32 bytes)
{
	link->ring_bytes[queue] -= bytes;
	netdev_tx_completed_queue(netdev_get_tx_queue(link->dev, queue), 1, bytes);
	arql_backpressure(link, queue);
}

/** arql_window() - the number of frames that may be in flight in both directions */
static inline u32 arql_window(const struct arql_link *link)
{
	return min_t(u32, link->cfg.window, link->peer.window);
}

/** arql_frame_max() - bytes of the longest frame that both lower devices carry */
static inline u32 arql_frame_max(const struct arql_link *link)
{
	return min_t(u32, READ_ONCE(link->lower->mtu), ARQLINK_HLEN + link->peer.piece);
}

/** arql_timeout() - the timeout of a frame that is sent now, in ns */
static inline u64 arql_timeout(const struct arql_link *link)
{
	return arql_estimate_timeout(&link->sender.estimate, &link->cfg.timer);
}

#endif /* _ARQLINK_LINK_H */
