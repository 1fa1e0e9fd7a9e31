/* SPDX-License-Identifier: GPL-2.0 */
/* The configuration and the counters of a network namespace. */
#ifndef _XLO_CONFIG_H
#define _XLO_CONFIG_H

#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/u64_stats_sync.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <linux/xlo_genl.h>

/**
 * struct xlo_profile - which packets are stamped, and with what option
 * @name: name, unique in the network namespace
 * @mark: mark of the profile's packets, compared under @mask
 * @mask: bits of the mark to compare; not 0
 * @lifetime: lifetime in ms, valid only if @rto is not set
 * @rto: the lifetime is the TCP socket's retransmission timeout, and the option carries
 *	the socket's reordering degree
 * @repeats: set only together with @rto: a segment is stamped only when the retransmission
 *	timer sends it again
 * @reorder: reordering degree in packets, used only if @rto is not set
 * @flags: flags of the option
 * @clock: enum xlo_clock
 * @path: bitwise or of XLO_PATH_*
 * @slot: index of the profile's counter
 * @base: value of the profile's counter when the profile was added
 * @option: the bytes of the option in IPv4, if they are the same in each packet; 0 if not
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
	u64 option;
};

/**
 * struct xlo_cap - maximum lifetime of packets from an interface
 * @ifindex: index of the interface on which the packets arrive
 * @ms: maximum lifetime in ms
 */
struct xlo_cap {
	int ifindex;
	u32 ms;
};

/**
 * struct xlo_config - the configuration; constant as soon as packets can see it
 * @rcu: frees the configuration after a grace period
 * @generation: number that each change increments
 * @txtime: SO_TXTIME deadlines become lifetimes
 * @validate: options of arriving packets are checked
 * @profile_count: number of used entries in @profiles
 * @cap_count: number of used entries in @caps
 * @profiles: profiles; on each path a packet matches at most one profile
 * @caps: caps, at most one for each interface
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
 * @syncp: lets 32-bit CPUs read 64-bit counters consistently
 * @count: counters, indexed by enum xlo_stats
 * @profile: numbers of stamped packets, indexed by the profile's slot
 */
struct xlo_counters {
	struct u64_stats_sync syncp;
	u64_stats_t count[XLO_STATS_MAX + 1];
	u64_stats_t profile[XLO_PROFILES_MAX];
};

/**
 * struct xlo_net - xlo's data of a network namespace
 * @lock: serialises changes of @config and @hooks, together with their events; a caller
 *	that needs RTNL locks RTNL before @lock
 * @config: the configuration, read under RCU
 * @hooks: bit mask of the registered hooks, XLO_HOOK_*
 * @leaving: the network namespace is being removed, and changes are refused
 * @counters: counters of each CPU
 * @events_since: start of the current period of events about packets, in jiffies
 * @events: number of events about packets that were sent in the current period
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
 * xlo_net() - get xlo's data of a network namespace
 * @net: the network namespace
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

/* A softirq may interrupt a process during this function. A 64-bit CPU increments the counter in
 * one step. A 32-bit CPU disables interrupts while it increments the counter.
 */
static inline void xlo_counter_add(struct xlo_counters *c, u64_stats_t *counter)
{
	unsigned long flags = u64_stats_update_begin_irqsave(&c->syncp);

	u64_stats_inc(counter);
	u64_stats_update_end_irqrestore(&c->syncp, flags);
}

/**
 * xlo_count() - increment a counter
 * @xn: data of the network namespace
 * @which: the counter
 *
 * Context: any
 */
static inline void xlo_count(const struct xlo_net *xn, enum xlo_stats which)
{
	struct xlo_counters *c = get_cpu_ptr(xn->counters);

	xlo_counter_add(c, &c->count[which]);
	put_cpu_ptr(xn->counters);
}

/**
 * xlo_count_stamped() - count a stamped packet
 * @xn: data of the network namespace
 * @path: XLO_PATH_OUTPUT or XLO_PATH_FORWARD
 * @profile: profile of the packet, or NULL
 *
 * Context: any
 */
static inline void xlo_count_stamped(const struct xlo_net *xn, u8 path,
				     const struct xlo_profile *profile)
{
	struct xlo_counters *c = get_cpu_ptr(xn->counters);

	xlo_counter_add(c, &c->count[path == XLO_PATH_OUTPUT ?
				     XLO_STATS_STAMPED_OUTPUT :
				     XLO_STATS_STAMPED_FORWARD]);
	if (profile)
		xlo_counter_add(c, &c->profile[profile->slot]);
	put_cpu_ptr(xn->counters);
}

#endif /* _XLO_CONFIG_H */
