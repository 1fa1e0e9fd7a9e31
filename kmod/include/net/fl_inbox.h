/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets that have arrived at a device, handed to the stack in their order. A header, since
 * Kbuild makes an object a part of one module only.
 */
#ifndef _NET_FL_INBOX_H
#define _NET_FL_INBOX_H

#include <linux/netdevice.h>

/* As many as the kernel's own input queues take (net.core.netdev_max_backlog). */
#define FL_INBOX_MAX	1000

/**
 * struct fl_inbox - packets that have arrived at a device
 * @napi: hands them to the stack. It runs on one CPU at a time, so they stay in their order
 *	whatever CPUs put them here: a sender's, and that of a channel's timer
 * @packets: those that it has not handed over yet; its lock protects @open, too
 * @open: the device is up
 */
struct fl_inbox {
	struct napi_struct napi;
	struct sk_buff_head packets;
	bool open;
};

static inline int fl_inbox_poll(struct napi_struct *napi, int budget)
{
	struct fl_inbox *inbox = container_of(napi, struct fl_inbox, napi);
	struct sk_buff *skb;
	int done = 0;

	while (done < budget && (skb = skb_dequeue(&inbox->packets))) {
		netif_receive_skb(skb);
		done++;
	}
	if (done < budget)
		napi_complete_done(napi, done);
	return done;
}

/**
 * fl_inbox_init() - make an inbox that takes nothing yet
 * @inbox: of @dev's private data
 * @dev: a new device
 */
static inline void fl_inbox_init(struct fl_inbox *inbox, struct net_device *dev)
{
	skb_queue_head_init(&inbox->packets);
	netif_napi_add(dev, &inbox->napi, fl_inbox_poll);
}

/**
 * fl_inbox_open() - take packets from now on
 * @inbox: an inbox that does not
 *
 * Process context.
 */
static inline void fl_inbox_open(struct fl_inbox *inbox)
{
	napi_enable(&inbox->napi);
	spin_lock_bh(&inbox->packets.lock);
	inbox->open = true;
	spin_unlock_bh(&inbox->packets.lock);
}

/**
 * fl_inbox_close() - take none any more
 * @inbox: an inbox that does; what it holds is dropped, and counted by the device
 *
 * Process context.
 */
static inline void fl_inbox_close(struct fl_inbox *inbox)
{
	struct sk_buff *skb;

	spin_lock_bh(&inbox->packets.lock);
	inbox->open = false;
	spin_unlock_bh(&inbox->packets.lock);
	napi_disable(&inbox->napi);
	while ((skb = skb_dequeue(&inbox->packets))) {
		dev_core_stats_rx_dropped_inc(inbox->napi.dev);
		kfree_skb(skb);
	}
}

static inline int fl_inbox_take(struct fl_inbox *inbox, struct sk_buff *skb)
{
	if (!inbox->open) {
		kfree_skb(skb);
		return -ENETDOWN;
	}
	if (skb_queue_len(&inbox->packets) >= FL_INBOX_MAX) {
		kfree_skb(skb);
		return -ENOBUFS;
	}
	if (__dev_forward_skb(inbox->napi.dev, skb))
		return -ENOBUFS;
	__skb_queue_tail(&inbox->packets, skb);
	return 0;
}

/**
 * fl_inbox_put() - a packet arrives
 * @inbox: where
 * @skb: the packet, which is the inbox's from now on
 *
 * Bottom halves are off.
 *
 * Return: 0; or it is dropped: -ENETDOWN if the inbox is not open, -ENOBUFS if it is full or the
 * packet longer than the device takes
 */
static inline int fl_inbox_put(struct fl_inbox *inbox, struct sk_buff *skb)
{
	int err;

	spin_lock(&inbox->packets.lock);
	err = fl_inbox_take(inbox, skb);
	spin_unlock(&inbox->packets.lock);
	if (!err)
		napi_schedule(&inbox->napi);
	return err;
}

#endif /* _NET_FL_INBOX_H */
