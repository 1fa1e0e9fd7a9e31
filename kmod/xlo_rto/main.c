// SPDX-License-Identifier: GPL-2.0
/*
 * The module xlo_rto adjusts TCP's retransmission timeout when a link sends an ICMP message. See
 * Documentation/xlo_rto.rst.
 */

#include <linux/module.h>
#include <linux/slab.h>
#include <net/fl_version.h>
#include <net/genetlink.h>
#include "config.h"
#include "inbox.h"
#include "netlink.h"
#include "outbox.h"

unsigned int xrto_net_id __read_mostly;

/* Set up the default settings, which accept no message. */
static int xrto_config_init(struct net *net)
{
	struct xrto_net *xn = xrto_net(net);
	struct xrto_settings *settings;

	settings = kzalloc(sizeof(*settings), GFP_KERNEL_ACCOUNT);
	if (!settings)
		return -ENOMEM;
	mutex_init(&xn->lock);
	RCU_INIT_POINTER(xn->settings, settings);
	return 0;
}

/* Free the settings. The network namespace has no users any more. */
static void xrto_config_exit(struct net *net)
{
	kfree(rcu_dereference_protected(xrto_net(net)->settings, true));
}

static int __net_init xrto_net_init(struct net *net)
{
	struct xrto_net *xn = xrto_net(net);
	int err;

	xn->outbox = xrto_outbox_new(net);
	if (!xn->outbox)
		return -ENOMEM;
	err = xrto_config_init(net);
	if (err)
		xrto_outbox_free(xn->outbox);
	return err;
}

static void __net_exit xrto_net_exit(struct net *net)
{
	xrto_outbox_free(xrto_net(net)->outbox);
	xrto_hooks_exit(net);
	xrto_config_exit(net);
}

static struct pernet_operations xrto_net_ops = {
	.init		= xrto_net_init,
	.pre_exit	= xrto_hooks_leave,
	.exit		= xrto_net_exit,
	.id		= &xrto_net_id,
	.size		= sizeof(struct xrto_net),
};

static int __init xrto_module_init(void)
{
	int err;

	err = register_pernet_subsys(&xrto_net_ops);
	if (err)
		return err;
	err = xrto_netlink_init();
	if (err)
		unregister_pernet_subsys(&xrto_net_ops);
	return err;
}

static void __exit xrto_module_exit(void)
{
	xrto_netlink_exit();
	unregister_pernet_subsys(&xrto_net_ops);
}

module_init(xrto_module_init);
module_exit(xrto_module_exit);

MODULE_DESCRIPTION("TCP retransmission timeouts adjusted by links");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(FL_VERSION);
