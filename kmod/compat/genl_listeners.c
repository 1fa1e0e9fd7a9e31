// SPDX-License-Identifier: GPL-2.0
/*
 * For kernels before 6.8: a list of the sockets that receive a module's privileged messages. Each
 * namespace has a short list, and each module that links this file has its own lists.
 *
 * The list holds a reference to the socket, not its port number, because after a close another
 * socket may get the same port number. Netlink's notifier reports a closed socket, and the list
 * then drops its reference.
 */

#include <net/genetlink.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#include <linux/spinlock.h>
#include <net/netns/generic.h>
#include <net/sock.h>

#define GENL_LISTENERS_MAX	8

/* The listeners of a namespace; an unused entry is NULL. */
struct genl_listeners {
	spinlock_t lock;	/* protects all members */
	struct sock *sk[GENL_LISTENERS_MAX];
	unsigned int groups[GENL_LISTENERS_MAX];	/* bit N: of the group N of the family */
};

static unsigned int genl_listeners_id __read_mostly;

static struct genl_listeners *genl_listeners(const struct net *net)
{
	return net_generic(net, genl_listeners_id);
}

/* Drops the references to closed sockets, or to all sockets. */
static void genl_listeners_drop(struct genl_listeners *listeners, bool all)
{
	struct sock *sk;
	int i;

	for (i = 0; i < GENL_LISTENERS_MAX; i++) {
		spin_lock_bh(&listeners->lock);
		sk = listeners->sk[i];
		if (sk && (all || sock_flag(sk, SOCK_DEAD)))
			listeners->sk[i] = NULL;
		else
			sk = NULL;
		spin_unlock_bh(&listeners->lock);
		if (sk)
			sock_put(sk);
	}
}

static int genl_listeners_event(struct notifier_block *nb, unsigned long event,
				void *ptr)
{
	const struct netlink_notify *notify = ptr;

	if (event == NETLINK_URELEASE && notify->protocol == NETLINK_GENERIC)
		genl_listeners_drop(genl_listeners(notify->net), false);
	return NOTIFY_DONE;
}

static struct notifier_block genl_listeners_notifier = {
	.notifier_call = genl_listeners_event,
};

static int __net_init genl_listeners_net_init(struct net *net)
{
	spin_lock_init(&genl_listeners(net)->lock);
	return 0;
}

static void __net_exit genl_listeners_net_exit(struct net *net)
{
	genl_listeners_drop(genl_listeners(net), true);
}

static struct pernet_operations genl_listeners_ops = {
	.init	= genl_listeners_net_init,
	.exit	= genl_listeners_net_exit,
	.id	= &genl_listeners_id,
	.size	= sizeof(struct genl_listeners),
};

/**
 * genl_listeners_init() - set up empty lists
 *
 * Context: process, before the family is registered
 *
 * Return: 0 or an error
 */
int genl_listeners_init(void)
{
	int err = register_pernet_subsys(&genl_listeners_ops);

	if (err)
		return err;
	err = netlink_register_notifier(&genl_listeners_notifier);
	if (err)
		unregister_pernet_subsys(&genl_listeners_ops);
	return err;
}

/**
 * genl_listeners_exit() - drop all listeners
 *
 * Context: process, after the family is unregistered and nothing is sent any more
 */
void genl_listeners_exit(void)
{
	netlink_unregister_notifier(&genl_listeners_notifier);
	unregister_pernet_subsys(&genl_listeners_ops);
}

/**
 * genl_listener_add() - send the messages of a group to a socket from now on
 * @net: namespace of the socket
 * @sk: the socket, open and with its privilege checked; may be a listener already
 * @group: the group's number in the family
 *
 * Context: process
 *
 * Return: 0, or -EBUSY if the namespace has GENL_LISTENERS_MAX listeners
 */
int genl_listener_add(struct net *net, struct sock *sk, unsigned int group)
{
	struct genl_listeners *listeners = genl_listeners(net);
	int room = -1, i;

	spin_lock_bh(&listeners->lock);
	for (i = 0; i < GENL_LISTENERS_MAX && listeners->sk[i] != sk; i++)
		if (!listeners->sk[i])
			room = i;
	if (i == GENL_LISTENERS_MAX && room >= 0) {
		sock_hold(sk);
		i = room;
		listeners->sk[i] = sk;
		listeners->groups[i] = 0;
	}
	if (i < GENL_LISTENERS_MAX)
		listeners->groups[i] |= BIT(group);
	spin_unlock_bh(&listeners->lock);
	return i == GENL_LISTENERS_MAX ? -EBUSY : 0;
}

/* Checks whether a socket is closed or filtered out. The callback lock protects the parts of the
 * socket that the filter reads.
 */
static bool genl_listener_filtered(struct sock *sk, struct sk_buff *skb,
				   netlink_filter_fn filter, void *data)
{
	bool filtered;

	read_lock_bh(&sk->sk_callback_lock);
	filtered = sock_flag(sk, SOCK_DEAD) || filter(sk, skb, data);
	read_unlock_bh(&sk->sk_callback_lock);
	return filtered;
}

/* If the socket's buffer is full, its next receive fails with ENOBUFS, as in a group. */
static void genl_listener_send(struct sock *sk, struct sk_buff *skb)
{
	struct sk_buff *copy = skb_clone(skb, GFP_ATOMIC);
	int err = copy ? sock_queue_rcv_skb(sk, copy) : -ENOBUFS;

	if (!err)
		return;
	kfree_skb(copy);
	/* the socket's own filter refused the message, so the socket has missed nothing */
	if (err == -EPERM)
		return;
	sk->sk_err = ENOBUFS;
	sk_error_report(sk);
}

/**
 * compat_multicast_filtered() - send a message to the listeners instead of the group's members
 * @family: the family
 * @net: the namespace
 * @skb: the message; freed
 * @portid: unused; 0 for no sender
 * @group: the group's number in the family
 * @flags: unused; GFP_ATOMIC is needed, because the list is locked
 * @filter: returns a value other than 0 for a socket that must not receive the message
 * @filter_data: argument of @filter
 *
 * Context: any but hard interrupts
 *
 * Return: 0
 */
int compat_multicast_filtered(const struct genl_family *family, struct net *net,
			      struct sk_buff *skb, u32 portid,
			      unsigned int group, gfp_t flags,
			      netlink_filter_fn filter, void *filter_data)
{
	struct genl_listeners *listeners = genl_listeners(net);
	int i;

	NETLINK_CB(skb).dst_group = family->mcgrp_offset + group;
	spin_lock_bh(&listeners->lock);
	for (i = 0; i < GENL_LISTENERS_MAX; i++) {
		struct sock *sk = listeners->sk[i];

		if (sk && listeners->groups[i] & BIT(group) &&
		    !genl_listener_filtered(sk, skb, filter, filter_data))
			genl_listener_send(sk, skb);
	}
	spin_unlock_bh(&listeners->lock);
	consume_skb(skb);
	return 0;
}
#endif
