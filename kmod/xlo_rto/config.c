// SPDX-License-Identifier: GPL-2.0
/* The settings of a network namespace. This file uses no other file of the module. */

#include <linux/slab.h>
#include "config.h"

unsigned int xrto_net_id __read_mostly;

/**
 * xrto_config_init() - set up the default settings, which accept no message
 * @net: the new network namespace
 *
 * Return: 0, or -ENOMEM
 */
int xrto_config_init(struct net *net)
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

/**
 * xrto_config_exit() - free the settings
 * @net: the network namespace, which has no users any more
 */
void xrto_config_exit(struct net *net)
{
	kfree(rcu_dereference_protected(xrto_net(net)->settings, true));
}

/**
 * xrto_config_replace() - activate new settings
 * @net: the network namespace; the caller holds the lock of its struct xrto_net
 * @settings: the new settings; the network namespace owns them from now on
 *
 * A reader sees either all old or all new settings.
 */
void xrto_config_replace(struct net *net, struct xrto_settings *settings)
{
	struct xrto_net *xn = xrto_net(net);

	settings = rcu_replace_pointer(xn->settings, settings,
				       lockdep_is_held(&xn->lock));
	kfree_rcu(settings, rcu);
}
