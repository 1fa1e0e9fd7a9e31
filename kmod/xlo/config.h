/* SPDX-License-Identifier: GPL-2.0 */
/* What a network namespace has configured, and its counters. */
#ifndef _XLO_CONFIG_H
#define _XLO_CONFIG_H

#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/u64_stats_sync.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <linux/xlo_genl.h>

/**
 * struct xlo_profile - which packets are stamped, and with what
 * @name: unique in the namespace
 * @mark: of the packets, under @mask
 * @mask: not 0
 * @lifetime: ms, unless @rto
 * @rto: the TCP socket's retransmission timeout, and its reordering degree
 * @repeats: that only of what is sent again because the timeout expired
 * @reorder: packets
 * @flags: as in the option
 * @clock: enum xlo_clock
 * @path: XLO_PATH_*
 * @slot: its counter
 * @base: what that counter was when the profile began
 */
struct xlo_profile {
	char name[XLO_NAME_LEN];
	u32 mark;
	u32 mask;
	u32 lifetime;
	bool rto;
	bool repeats;
	u8 reorder;
	u8 flags;
	u8 clock;
	u8 path;
	u8 slot;
	u64 base;
};

/**
 * struct xlo_cap - longest lifetime that is believed
 * @ifindex: interface the packets come in by
 * @ms: the longest
 */
struct xlo_cap {
	int ifindex;
	u32 ms;
};

/**
 * struct xlo_config - all that can be set; never changed once it is in use
 * @rcu: for its end
 * @generation: another number after each change
 * @txtime: SO_TXTIME deadlines are lifetimes
 * @validate: arriving options are checked
 * @profile_count: how many of @profiles
 * @cap_count: how many of @caps
 * @profiles: no packet matches two of them on one path
 * @caps: one an interface
 */
struct xlo_config {
	struct rcu_head rcu;
	u32 generation;
	bool txtime;
	bool validate;
	u8 profile_count;
	u8 cap_count;
	struct xlo_profile profiles[XLO_PROFILES_MAX];
	struct xlo_cap caps[XLO_CAPS_MAX];
};

/**
 * struct xlo_counters - one CPU's part of the counters
 * @syncp: for readers on 32-bit machines
 * @count: by enum xlo_stats
 * @profile: packets stamped, by the profile's slot
 */
struct xlo_counters {
	struct u64_stats_sync syncp;
	u64_stats_t count[XLO_STATS_MAX + 1];
	u64_stats_t profile[XLO_PROFILES_MAX];
};

/**
 * struct xlo_net - a network namespace
 * @lock: serialises changes of @config and @hooks, each with its event; taken inside
 *	RTNL where both are needed
 * @config: read under RCU
 * @hooks: XLO_HOOK_* that are registered
 * @leaving: the namespace is going, no change takes place any more
 * @counters: per CPU
 * @events_since: jiffies when the current period of packet events began
 * @events: how many went out in it
 */
struct xlo_net {
	struct mutex lock;	/* see above */
	struct xlo_config __rcu *config;
	unsigned int hooks;
	bool leaving;
	struct xlo_counters __percpu *counters;
	unsigned long events_since;
	atomic_t events;
};

extern unsigned int xlo_net_id;

/**
 * xlo_net() - what xlo has of a namespace
 * @net: the namespace
 */
static inline struct xlo_net *xlo_net(const struct net *net)
{
	return net_generic(net, xlo_net_id);
}

struct xlo_config *xlo_config_begin(struct xlo_net *xn);
void xlo_config_abort(struct xlo_net *xn, struct xlo_config *config);
void xlo_config_end(struct xlo_net *xn);
int xlo_config_init(struct xlo_net *xn);
void xlo_config_exit(struct xlo_net *xn);

int xlo_profile_find(const struct xlo_config *config, const char *name);
int xlo_profile_overlap(const struct xlo_config *config,
			const struct xlo_profile *profile);
void xlo_profile_add(const struct xlo_net *xn, struct xlo_config *config,
		     const struct xlo_profile *profile);
void xlo_profile_remove(struct xlo_config *config, int index);

int xlo_cap_find(const struct xlo_config *config, int ifindex);

u64 xlo_counter(const struct xlo_net *xn, enum xlo_stats which);
u64 xlo_counter_profile(const struct xlo_net *xn, u8 slot);

/* Packets of this host pass in process context too, and softirqs count in between:
 * on 64-bit machines that harms nothing, on others interrupts are off meanwhile.
 */
static inline void xlo_counter_add(struct xlo_counters *c, u64_stats_t *counter)
{
	unsigned long flags = u64_stats_update_begin_irqsave(&c->syncp);

	u64_stats_inc(counter);
	u64_stats_update_end_irqrestore(&c->syncp, flags);
}

/**
 * xlo_count() - count one more
 * @xn: the namespace
 * @which: the counter
 */
static inline void xlo_count(const struct xlo_net *xn, enum xlo_stats which)
{
	struct xlo_counters *c = get_cpu_ptr(xn->counters);

	xlo_counter_add(c, &c->count[which]);
	put_cpu_ptr(xn->counters);
}

#endif /* _XLO_CONFIG_H */
