/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The simulated kernel below and around the module: its clock, its timers, its packets, and the tree
 * of qdiscs.
 */
#ifndef _PATHS_SIM_H
#define _PATHS_SIM_H

#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/fl_link.h>
#include <net/pkt_sched.h>
#include <net/sock.h>
#include "host.h"

/* kernel.c */
extern s64 sim_now;		/* monotonic ns */
extern bool sim_no_memory;	/* whether each allocation fails */
extern long sim_allocations;	/* allocations that have not been freed */
s64 sim_next_timer(void);
bool sim_fire_timer(void);
u32 sim_timers(void);
s64 sim_timer_at(u32 i);

/* outcome.c */
void sim_say(const char *format, ...) __printf(1, 2);
void sim_show(const char *format, ...) __printf(1, 2);
void sim_begin(bool show);
u64 sim_digest(void);
void sim_fail(const char *format, ...) __printf(1, 2) __noreturn;
u64 sim_hash(const void *bytes, size_t len, u64 hash);

/* random.c */
void sim_seed(u64 seed);
u32 sim_below(u32 bound);
bool sim_percent(u32 percent);
u64 sim_pick_wide(u64 bound);
#define sim_pick(array) ((array)[sim_below(ARRAY_SIZE(array))])

/* buffers.c */
extern long sim_skbs;		/* sk_buffs that have not been freed */
struct sk_buff *sim_skb_new(u32 headroom, u32 linear, u32 paged);
void sim_part_fill(const skb_frag_t *frag, const void *bytes, u32 len);
struct sk_buff *sim_skb_empty(u32 size);
void sim_check_device(const struct sk_buff *skb);
void sim_skb_free(struct sk_buff *skb);
u64 sim_skb_bytes(const struct sk_buff *skb);

/* tree.c */
extern struct net_device sim_dev;
extern struct sock sim_sock;
extern bool sim_link_tells;
extern struct fl_link_quality sim_link;
extern struct Qdisc *sim_lpd;

/* How the parents of the qdisc behave. */
enum sim_parents {
	SIM_ROOT,		/* the qdisc is the root */
	SIM_PARENT,		/* parents count a packet when the child has it, or has lost it */
	SIM_EARLY,		/* parents count before they ask the child, as QFQ */
	SIM_SEGMENTS,		/* parents count several packets later, as TBF */
};

int sim_create(enum sim_parents parents, struct nlattr *options);
int sim_change(struct nlattr *options);
void sim_destroy(void);
void sim_reset(void);
void sim_enqueue(struct sk_buff *skb);
void sim_count_enqueued(void);
struct sk_buff *sim_dequeue(bool by_ops);
struct sk_buff *sim_peek(void);
u32 sim_limit_class(u32 limit);
void sim_check_parents(void);

/* gate.c */
void sim_gate(void);

/* internals.c */
u64 sim_memory(struct Qdisc *sch);

/* counters.c */
void sim_counters_begin(void);
void sim_counters(void);
void sim_counters_end(void);

/* packets.c */
void sim_mix_draw(void);

/* Packets for count.c */
struct sim_usual {
	u32 plain;		/* percent */
	u32 lifetime, spread;	/* ms */
	u32 len;		/* bytes of payload */
	u8 reorder;
	u8 treatment;		/* enum xlo_stale */
};

void sim_mix_usual(const struct sim_usual *usual);
u64 sim_mix_lifetime(void);
void sim_packets_begin(void);
struct sk_buff *sim_packet(void);
void sim_packets_end(void);
void sim_sent(struct sk_buff *skb);

/* configuration.c */
struct nlattr *sim_configuration(bool first);

/* A configuration for count.c */
struct sim_simple {
	bool edf, strip;
	u32 share;		/* percent */
	u64 rate, delay;	/* bytes/s, ns */
};

struct nlattr *sim_simple_configuration(const struct sim_simple *simple);

#endif /* _PATHS_SIM_H */
