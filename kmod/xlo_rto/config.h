/* SPDX-License-Identifier: GPL-2.0 */
/* The settings and the counters of a network namespace. */
#ifndef _XLO_RTO_CONFIG_H
#define _XLO_RTO_CONFIG_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/siphash.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <linux/xlo_rto_genl.h>

struct xrto_inbox;
struct xrto_outbox;

/**
 * struct xrto_settings - the settings of a network namespace
 * @rcu: frees the settings after a grace period
 * @accept: XRTO_ACCEPT_*, the accepted encodings
 * @one_hop: 0 or 1, accept only messages with the hop limit 255
 * @encoding: XRTO_ENCODING_*, the encoding of sent messages
 * @early: XRTO_EARLY_*, how long a DROP is early
 * @keyed: whether a key is set
 * @key: the key of the tokens
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
 * struct xrto_net - the state of a network namespace
 * @lock: serialises changes of the settings
 * @settings: protected by RCU; a change replaces the whole structure
 * @inbox: accepted messages, protected by RCU; NULL while the hooks are not registered
 * @outbox: messages to be sent; never replaced
 * @count: counters of received messages, indexed by enum xrto_stats
 * @notices: counters of requested messages, indexed by enum xrto_notices
 */
struct xrto_net {
	struct mutex lock;	/* see above */
	struct xrto_settings __rcu *settings;
	struct xrto_inbox __rcu *inbox;
	struct xrto_outbox *outbox;
	atomic64_t count[XRTO_STATS_MAX + 1];
	atomic64_t notices[XRTO_NOTICES_MAX + 1];
};

extern unsigned int xrto_net_id;

static inline struct xrto_net *xrto_net(const struct net *net)
{
	return net_generic(net, xrto_net_id);
}

/* Count a received message. Callable from any context. */
static inline void xrto_count(struct xrto_net *xn, enum xrto_stats which)
{
	atomic64_inc(&xn->count[which]);
}

#endif /* _XLO_RTO_CONFIG_H */
