/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queue of packets that have arrived at a device. NAPI passes the packets to the stack in order.
 * This code is in a header, so that a module that uses it depends on no other module.
 */
#ifndef _NET_FL_INBOX_H
#define _NET_FL_INBOX_H

#include <linux/netdevice.h>

/* The limit is the default length of the kernel's input queues (net.core.netdev_max_backlog). */
#define FL_INBOX_MAX	1000

/**
 * struct fl_inbox - queue of packets that have arrived at a device
 * @napi: passes the packets to the stack. NAPI runs on one CPU at a time, so the packets stay in
 *	order even if several CPUs add packets
 * @packets: packets that @napi has not passed on yet; the lock of this list also protects @open
 * @open: whether the device is up
 */
struct fl_inbox {
	struct napi_struct napi;
	struct sk_buff_head packets;
	bool open;
};

/* Takes the first packet. The lock is never taken in an interrupt, unlike that of other queues. */
static inline struct sk_buff *fl_inbox_get(struct fl_inbox *inbox)
{
	struct sk_buff *skb;

	spin_lock(&inbox->packets.lock);
	skb = __skb_dequeue(&inbox->packets);
	spin_unlock(&inbox->packets.lock);
	return skb;
}

static inline int fl_inbox_poll(struct napi_struct *napi, int budget)
{
	struct fl_inbox *inbox = container_of(napi, struct fl_inbox, napi);
	struct sk_buff *skb;
	int done = 0;

	while (done < budget && (skb = fl_inbox_get(inbox))) {
		netif_receive_skb(skb);
		done++;
	}
	if (done < budget)
		napi_complete_done(napi, done);
	return done;
}

/**
 * fl_inbox_init() - initialize a closed inbox
 * @inbox: the inbox, which is in the private data of @dev
 * @dev: a new device
 */
static inline void fl_inbox_init(struct fl_inbox *inbox, struct net_device *dev)
{
	skb_queue_head_init(&inbox->packets);
	netif_napi_add(dev, &inbox->napi, fl_inbox_poll);
}

/**
 * fl_inbox_open() - start to accept packets
 * @inbox: a closed inbox
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
 * fl_inbox_close() - stop accepting packets
 * @inbox: an open inbox; its packets are dropped, and the device counts them as rx_dropped
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
 * fl_inbox_put() - add an arriving packet
 * @inbox: the inbox
 * @skb: the packet; this function always consumes it
 *
 * The caller has disabled bottom halves.
 *
 * Return: 0; -ENETDOWN if the inbox is closed; -ENOBUFS if the inbox is full or the device does not
 * accept the packet (longer than the MTU of the device). After an error the packet is dropped
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
