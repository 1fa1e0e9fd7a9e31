// SPDX-License-Identifier: GPL-2.0
/*
 * Between the hook, which may run while TCP holds the socket's lock, and the socket: a queue
 * of a fixed size, emptied in process context.
 */

#include <linux/mm.h>
#include <linux/slab.h>
#include "config.h"
#include "inbox.h"
#include "socket.h"

static void xrto_inbox_work(struct work_struct *work)
{
	struct xrto_inbox *inbox = container_of(work, struct xrto_inbox, work);
	struct xrto_net *xn = xrto_net(inbox->net);
	struct xrto_message msg;

	while (kfifo_get(&inbox->messages, &msg)) {
		xrto_count(xn, xrto_socket_message(inbox->net, &inbox->flows,
						   &msg));
		cond_resched();
	}
}

/**
 * xrto_inbox_new() - make an empty one
 * @net: the namespace
 *
 * Return: the inbox, NULL without memory
 */
struct xrto_inbox *xrto_inbox_new(struct net *net)
{
	struct xrto_inbox *inbox = kvzalloc(sizeof(*inbox), GFP_KERNEL_ACCOUNT);

	if (!inbox)
		return NULL;
	inbox->net = net;
	INIT_WORK(&inbox->work, xrto_inbox_work);
	spin_lock_init(&inbox->lock);
	INIT_KFIFO(inbox->messages);
	ratelimit_state_init(&inbox->rate, XRTO_INBOX_PERIOD, XRTO_INBOX_BURST);
	/* what it suppresses is counted, not logged */
	ratelimit_set_flags(&inbox->rate, RATELIMIT_MSG_ON_RELEASE);
	return inbox;
}

/**
 * xrto_inbox_free() - the end of one that nobody adds to any more
 * @inbox: the inbox; what waits in it is acted on first
 *
 * Context: process
 */
void xrto_inbox_free(struct xrto_inbox *inbox)
{
	flush_work(&inbox->work);
	kvfree(inbox);
}

/**
 * xrto_inbox_add() - have a message acted on
 * @inbox: the inbox
 * @msg: the message
 *
 * One that there is no room or no time for is counted.
 *
 * Context: any
 */
void xrto_inbox_add(struct xrto_inbox *inbox, const struct xrto_message *msg)
{
	struct xrto_net *xn = xrto_net(inbox->net);

	if (!__ratelimit(&inbox->rate))
		xrto_count(xn, XRTO_STATS_HELD);
	else if (!kfifo_in_spinlocked(&inbox->messages, msg, 1, &inbox->lock))
		xrto_count(xn, XRTO_STATS_QUEUE_FULL);
	else
		schedule_work(&inbox->work);
}
