/* SPDX-License-Identifier: GPL-2.0 */
/* Messages that wait to be acted on. */
#ifndef _XLO_RTO_INBOX_H
#define _XLO_RTO_INBOX_H

#include <linux/kfifo.h>
#include <linux/ratelimit.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include "flow.h"
#include "message.h"

#define XRTO_INBOX_SIZE		64	/* messages, a power of 2 */
/* No more than 1000 messages a second are looked into, of whatever origin: a connection
 * takes eight per timeout, and 200 ms are the shortest.
 */
#define XRTO_INBOX_BURST	100
#define XRTO_INBOX_PERIOD	(HZ / 10)

/**
 * struct xrto_inbox - a namespace's
 * @net: the namespace
 * @work: empties it
 * @lock: of those who add to @messages
 * @messages: first in, first out
 * @rate: how many may come
 * @flows: used by @work alone
 */
struct xrto_inbox {
	struct net *net;
	struct work_struct work;
	spinlock_t lock;	/* see above */
	DECLARE_KFIFO(messages, struct xrto_message, XRTO_INBOX_SIZE);
	struct ratelimit_state rate;
	struct xrto_flows flows;
};

struct xrto_inbox *xrto_inbox_new(struct net *net);
void xrto_inbox_free(struct xrto_inbox *inbox);
void xrto_inbox_add(struct xrto_inbox *inbox, const struct xrto_message *msg);

#endif /* _XLO_RTO_INBOX_H */
