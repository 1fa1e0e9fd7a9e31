// SPDX-License-Identifier: GPL-2.0
/*
 * The module xlo writes the cross-layer option, which carries a packet's lifetime, into packets.
 * The module also checks the options of arriving packets. See Documentation/xlo.rst.
 */

#include <linux/module.h>
#include <linux/netdevice.h>
#include <net/fl_version.h>
#include "config.h"
#include "hooks.h"
#include "netlink.h"

static int __net_init xlo_net_init(struct net *net)
{
	return xlo_config_init(xlo_net(net));
}

/* Packets may be in the hooks until the core has waited for RCU. The core waits for RCU after
 * this function and before xlo_net_exit(). Between the two functions the core also removes
 * interfaces, and xlo_device_event() reads the configuration.
 */
static void __net_exit xlo_net_pre_exit(struct net *net)
{
	xlo_hooks_leave(net, xlo_net(net));
}

static void __net_exit xlo_net_exit(struct net *net)
{
	xlo_config_exit(xlo_net(net));
}

static struct pernet_operations xlo_net_ops = {
	.init		= xlo_net_init,
	.pre_exit	= xlo_net_pre_exit,
	.exit		= xlo_net_exit,
	.id		= &xlo_net_id,
	.size		= sizeof(struct xlo_net),
};

/* Removes the cap of an interface that is unregistered. */
static int xlo_device_event(struct notifier_block *nb, unsigned long event,
			    void *ptr)
{
	const struct net_device *dev = netdev_notifier_info_to_dev(ptr);

	if (event == NETDEV_UNREGISTER)
		xlo_cap_device_gone(dev_net(dev), dev->ifindex);
	return NOTIFY_DONE;
}

static struct notifier_block xlo_device_notifier = {
	.notifier_call = xlo_device_event,
};

static int __init xlo_module_init(void)
{
	int err;

	err = register_pernet_subsys(&xlo_net_ops);
	if (err)
		return err;
	err = register_netdevice_notifier(&xlo_device_notifier);
	if (err)
		goto err_pernet;
	err = xlo_netlink_init();
	if (err)
		goto err_notifier;
	return 0;

err_notifier:
	unregister_netdevice_notifier(&xlo_device_notifier);
err_pernet:
	unregister_pernet_subsys(&xlo_net_ops);
	return err;
}

static void __exit xlo_module_exit(void)
{
	xlo_netlink_exit();
	unregister_netdevice_notifier(&xlo_device_notifier);
	unregister_pernet_subsys(&xlo_net_ops);
}

module_init(xlo_module_init);
module_exit(xlo_module_exit);

MODULE_DESCRIPTION("Cross-layer option: lifetimes of IP packets");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(FL_VERSION);
