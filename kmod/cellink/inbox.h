/* SPDX-License-Identifier: GPL-2.0 */
/* Packets that have arrived at a device, on their way to the stack. */
#ifndef _CELLINK_INBOX_H
#define _CELLINK_INBOX_H

#include <linux/netdevice.h>

/**
 * struct cell_inbox - packets that have arrived at a device
 * @napi: hands them to the stack. It runs on one CPU at a time, so they stay in their order
 *	whatever CPUs put them here: a sender's, and that of a channel's timer
 * @packets: those that it has not handed over yet; its lock protects @open, too
 * @open: the device is up
 */
struct cell_inbox {
	struct napi_struct napi;
	struct sk_buff_head packets;
	bool open;
};

void cell_inbox_init(struct cell_inbox *inbox, struct net_device *dev);
void cell_inbox_open(struct cell_inbox *inbox);
void cell_inbox_close(struct cell_inbox *inbox);
int cell_inbox_put(struct cell_inbox *inbox, struct sk_buff *skb);

#endif /* _CELLINK_INBOX_H */
