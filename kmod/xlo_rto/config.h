/* SPDX-License-Identifier: GPL-2.0 */
/* What a network namespace has configured, and its counters. */
#ifndef _XLO_RTO_CONFIG_H
#define _XLO_RTO_CONFIG_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/siphash.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <linux/xlo_rto_genl.h>
#include "outbox.h"

struct xrto_inbox;

/**
 * struct xrto_settings - all that can be set
 * @rcu: to free them
 * @accept: XRTO_ACCEPT_*
 * @one_hop: 0 or 1
 * @encoding: XRTO_ENCODING_*, of what is sent
 * @early: XRTO_EARLY_*
 * @keyed: there is a key
 * @key: it
 */
struct xrto_settings {
	struct rcu_head rcu;
	u8 accept;
	u8 one_hop;
	u8 encoding;
	u8 early;
	bool keyed;
	siphash_key_t key;
};

/**
 * struct xrto_net - a network namespace
 * @lock: serialises changes
 * @settings: under RCU, never altered
 * @inbox: while messages are accepted, and the hooks are registered; under RCU
 * @outbox: messages to be sent
 * @count: by enum xrto_stats
 * @notices: by enum xrto_notices
 */
struct xrto_net {
	struct mutex lock;	/* see above */
	struct xrto_settings __rcu *settings;
	struct xrto_inbox __rcu *inbox;
	struct xrto_outbox outbox;
	atomic64_t count[XRTO_STATS_MAX + 1];
	atomic64_t notices[XRTO_NOTICES_MAX + 1];
};

extern unsigned int xrto_net_id;

/**
 * xrto_net() - what xlo_rto has of a namespace
 * @net: the namespace
 */
static inline struct xrto_net *xrto_net(const struct net *net)
{
	return net_generic(net, xrto_net_id);
}

/**
 * xrto_count() - count one more
 * @xn: the namespace
 * @which: the counter
 *
 * Context: any
 */
static inline void xrto_count(struct xrto_net *xn, enum xrto_stats which)
{
	atomic64_inc(&xn->count[which]);
}

/**
 * xrto_count_notice() - count one more message that was to be sent
 * @xn: the namespace
 * @which: the counter
 *
 * Context: any
 */
static inline void xrto_count_notice(struct xrto_net *xn,
				     enum xrto_notices which)
{
	atomic64_inc(&xn->notices[which]);
}

int xrto_config_init(struct net *net);
void xrto_config_exit(struct net *net);
void xrto_config_replace(struct net *net, struct xrto_settings *settings);

#endif /* _XLO_RTO_CONFIG_H */
