/* SPDX-License-Identifier: GPL-2.0 */
/* A link without a lower link, for the KUnit tests of the sender and the receiver. */
#ifndef _ARQLINK_TEST_LINK_H
#define _ARQLINK_TEST_LINK_H

#include <kunit/test.h>
#include <linux/etherdevice.h>
#include <net/sch_generic.h>
#include "link.h"

#define MS	((s64)NSEC_PER_MSEC)
#define NOW	(1000 * (s64)NSEC_PER_SEC)
#define TIMEOUT	(100 * MS)

static inline void arql_test_jobs(struct arql_link *link)
{
	int event;

	INIT_LIST_HEAD(&link->jobs);
	INIT_LIST_HEAD(&link->bypasses);
	arql_job_init(&link->hello, ARQLINK_HELLO);
	arql_job_init(&link->ack, ARQLINK_ACK);
	arql_job_init(&link->nack, ARQLINK_NACK);
	arql_job_init(&link->skip, ARQLINK_SKIP);
	for (event = 0; event < ARQL_EVENTS; event++)
		link->at[event] = ARQL_NEVER;
}

/* A device that is not registered. It is its own lower device. */
static inline struct arql_link *arql_test_device(struct kunit *test)
{
	struct net_device *dev = alloc_etherdev_mqs(sizeof(struct arql_link),
						    ARQLINK_QUEUES, 1);
	struct arql_link *link;
	int queue;

	KUNIT_ASSERT_NOT_NULL(test, dev);
	for (queue = 0; queue < ARQLINK_QUEUES; queue++)
		rcu_assign_pointer(netdev_get_tx_queue(dev, queue)->qdisc, &noop_qdisc);
	dev->flags |= IFF_UP;
	link = netdev_priv(dev);
	link->dev = dev;
	link->lower = dev;
	fl_inbox_init(&link->inbox, dev);
	link->inbox.open = true;
	return link;
}

/* A link that is up and connected, with a fixed timer and pieces of 100 bytes. */
static inline struct arql_link *arql_test_link(struct kunit *test, u32 window)
{
	struct arql_link *link = arql_test_device(test);

	spin_lock_init(&link->lock);
	link->cfg = (struct arql_config){
		.frame = 100, .window = window, .ring = 3000,
		.timer = { .kind = ARQLINK_TIMER_FIXED, .timeout = TIMEOUT,
			   .ceiling = ARQLINK_TIMEOUT_MAX },
	};
	link->peer = (struct arql_hello){ .window = ARQLINK_WINDOW_MAX, .piece = 9000 };
	link->up = true;
	link->connected = true;
	arql_test_jobs(link);
	timerqueue_init_head(&link->sender.timers);
	__skb_queue_head_init(&link->sender.ring);
	return link;
}

#endif /* _ARQLINK_TEST_LINK_H */
