// SPDX-License-Identifier: GPL-2.0
/* Packets that have arrived at a device, handed to the stack in their order. */

#include <linux/cellink.h>
#include "inbox.h"

/* As many as the kernel's own input queues take (net.core.netdev_max_backlog). */
#define CELL_INBOX_MAX	1000

static int cell_inbox_poll(struct napi_struct *napi, int budget)
{
	struct cell_inbox *inbox = container_of(napi, struct cell_inbox, napi);
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
 * cell_inbox_init() - make an inbox that takes nothing yet
 * @inbox: of @dev's private data
 * @dev: a new device
 */
void cell_inbox_init(struct cell_inbox *inbox, struct net_device *dev)
{
	skb_queue_head_init(&inbox->packets);
	netif_napi_add(dev, &inbox->napi, cell_inbox_poll);
}

/**
 * cell_inbox_open() - take packets from now on
 * @inbox: an inbox that does not
 *
 * Process context.
 */
void cell_inbox_open(struct cell_inbox *inbox)
{
	napi_enable(&inbox->napi);
	spin_lock_bh(&inbox->packets.lock);
	inbox->open = true;
	spin_unlock_bh(&inbox->packets.lock);
}

/**
 * cell_inbox_close() - take none any more
 * @inbox: an inbox that does; what it holds is dropped, and counted by the device
 *
 * Process context.
 */
void cell_inbox_close(struct cell_inbox *inbox)
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

static int cell_inbox_take(struct cell_inbox *inbox, struct sk_buff *skb)
{
	if (!inbox->open) {
		kfree_skb(skb);
		return CELLINK_STATS_PEER_DOWN;
	}
	if (skb_queue_len(&inbox->packets) >= CELL_INBOX_MAX) {
		kfree_skb(skb);
		return CELLINK_STATS_REFUSED;
	}
	if (__dev_forward_skb(inbox->napi.dev, skb))
		return CELLINK_STATS_REFUSED;
	__skb_queue_tail(&inbox->packets, skb);
	return 0;
}

/**
 * cell_inbox_put() - a packet arrives
 * @inbox: where
 * @skb: the packet, which is the inbox's from now on
 *
 * Bottom halves are off.
 *
 * Return: 0, or the counter of enum cellink_stats for why it is not taken
 */
int cell_inbox_put(struct cell_inbox *inbox, struct sk_buff *skb)
{
	int cause;

	spin_lock(&inbox->packets.lock);
	cause = cell_inbox_take(inbox, skb);
	spin_unlock(&inbox->packets.lock);
	if (!cause)
		napi_schedule(&inbox->napi);
	return cause;
}
