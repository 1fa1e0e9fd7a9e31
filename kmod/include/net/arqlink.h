/* SPDX-License-Identifier: GPL-2.0 */
/* Interface of the module arqlink for other modules, which can follow what happens to packets. */
#ifndef _NET_ARQLINK_H
#define _NET_ARQLINK_H

#include <linux/arqlink.h>
#include <linux/arqlink_genl.h>
#include <linux/netdevice.h>
#include <linux/notifier.h>
#include <linux/skbuff.h>

/**
 * struct arql_notice - what an arqlink device reports
 * @dev: the device
 * @skb: the packet, which is valid only during the call and must not be changed. skb->data points
 *	to its Ethernet header. NULL with ARQLINK_CMD_FLUSH, which has only @dev and @packets
 * @packets: number of packets, see ARQLINK_A_PACKETS
 * @result: enum arqlink_stats, see ARQLINK_A_RESULT
 * @network: offset of the network header from skb->data, negative if the packet has none
 * @protocol: type of the network header
 * @frames: frames that have had a piece of the packet
 * @transmissions: transmissions of all these frames
 * @attempts: transmissions of the frame that was sent most often
 * @accepted_at: time at which the device has accepted the packet, monotonic in ns
 * @deadline: end of the packet's lifetime, monotonic in ns, FL_NO_DEADLINE for none
 */
struct arql_notice {
	const struct net_device *dev;
	const struct sk_buff *skb;
	u32 packets;
	u16 result;
	int network;
	__be16 protocol;
	u32 frames;
	u32 transmissions;
	u32 attempts;
	s64 accepted_at;
	s64 deadline;
};

int arql_notifier_register(struct notifier_block *nb);
int arql_notifier_unregister(struct notifier_block *nb);

#endif /* _NET_ARQLINK_H */
