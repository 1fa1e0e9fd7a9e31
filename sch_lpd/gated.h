/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An lpd with a gate has other functions for enqueue and dequeue (qdisc.c). Therefore an lpd
 * without a gate spends no time on gates. The functions in gated.c segment GSO packets, queue
 * probes, send probes first, and hold the other packets back while the gate is closed.
 *
 * The caller of each function must hold the root lock of the qdisc tree, unless the
 * function's description says otherwise. Only a root has a gate, so this lock is the lock
 * of the qdisc itself.
 */
#ifndef _SCH_LPD_GATED_H
#define _SCH_LPD_GATED_H

#include "gate.h"
#include "queue.h"

/**
 * struct lpd_paths - enqueue and dequeue of an lpd with a gate, see struct Qdisc_ops
 * @enqueue: gives the packets for which lpd_gated_takes() is true to lpd_gated_enqueue()
 * @dequeue: calls lpd_gated_dequeue() if lpd_gated_holds() is true
 */
struct lpd_paths {
	int (*enqueue)(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free);
	struct sk_buff *(*dequeue)(struct Qdisc *sch);
};

/**
 * struct lpd_gated - the gate of an lpd
 * @gate: what the gate computes
 * @on: whether the gate limits the bytes; otherwise the gate is open
 * @probes: queued probes
 * @opens_at: when the gate opens by itself, monotonic ns, while it is @on
 * @timer: timer that opens the gate
 * @sch: the qdisc
 */
struct lpd_gated {
	struct lpd_gate gate;
	bool on;
	struct sk_buff_head probes;
	s64 opens_at;
	struct hrtimer timer;
	struct Qdisc *sch;
};

/**
 * struct lpd_gate_wish - the values of a request
 * @window: bytes
 * @rate: bytes/s, 0 for the old value
 * @delay: ns
 * @has_delay: whether the request has @delay
 * @probe: number of the answered probe
 * @has_probe: whether the request has @probe
 */
struct lpd_gate_wish {
	u64 window;
	u64 rate;
	u64 delay;
	bool has_delay;
	u32 probe;
	bool has_probe;
};

/**
 * struct lpd_gate_state - a gate as an answer describes it
 * @window: bytes
 * @rate: rate in use, bytes/s, 0 for unlimited
 * @delay: delay in use, ns
 * @bytes: bytes that lpd has sent
 * @acked: bytes that lpd had sent right after the newest acknowledged probe left
 * @backlog: queued bytes
 * @now: time of the answer, monotonic ns
 * @probe: the probe that the request names
 */
struct lpd_gate_state {
	u64 window;
	u64 rate;
	u64 delay;
	u64 bytes;
	u64 acked;
	u32 backlog;
	s64 now;
	struct lpd_probe probe;
};

int lpd_gated_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free);
struct sk_buff *lpd_gated_dequeue(struct Qdisc *sch);
struct lpd_gated *lpd_gated_alloc(void);
int lpd_gated_set(struct Qdisc *sch, const struct lpd_gate_wish *wish,
		  struct lpd_gated **spare, struct lpd_gate_state *state);
int lpd_gated_get(struct Qdisc *sch, struct lpd_gate_state *state);
int lpd_gated_del(struct Qdisc *sch);
void lpd_gated_renew(struct Qdisc *sch);
bool lpd_gated_count(struct Qdisc *sch, u64 *stats);
void lpd_gated_reset(struct lpd_sched_data *q);
void lpd_gated_destroy(struct lpd_sched_data *q);

/* Checks whether the link's rate and delay come from requests to a gate. */
static inline bool lpd_gated_on(const struct lpd_sched_data *q)
{
	return q->gated && q->gated->on;
}

/* Checks whether a packet is a GSO packet, or may be a probe. */
static inline bool lpd_gated_takes(const struct sk_buff *skb)
{
	return unlikely(skb_is_gso(skb) || skb->priority == LPD_PRIORITY_PROBE);
}

/* Returns the number of bytes that lpd has sent. The core never resets this number. */
static inline u64 lpd_bytes_sent(const struct Qdisc *sch)
{
	return u64_stats_read(&sch->bstats.bytes);
}

/* Checks whether probes are queued or the gate is closed. */
static inline bool lpd_gated_holds(struct Qdisc *sch)
{
	const struct lpd_sched_data *q = qdisc_priv(sch);

	return unlikely(lpd_bytes_sent(sch) >= q->gate_at);
}

#endif /* _SCH_LPD_GATED_H */
