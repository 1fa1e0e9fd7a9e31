// SPDX-License-Identifier: GPL-2.0
/* A namespace's settings. */

#include <linux/slab.h>
#include "config.h"

unsigned int xrto_net_id __read_mostly;

/**
 * xrto_config_init() - begin with nothing accepted
 * @net: the namespace
 *
 * Return: 0 or an error
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
 * @net: the namespace, which nobody uses any more
 */
void xrto_config_exit(struct net *net)
{
	kfree(rcu_dereference_protected(xrto_net(net)->settings, true));
}

/**
 * xrto_config_replace() - let new settings be in force
 * @net: the namespace; its xrto_net's lock is held
 * @settings: the new ones, which are the namespace's from now on
 *
 * Those who read the settings get the old ones or all of these.
 */
void xrto_config_replace(struct net *net, struct xrto_settings *settings)
{
	struct xrto_net *xn = xrto_net(net);

	settings = rcu_replace_pointer(xn->settings, settings,
				       lockdep_is_held(&xn->lock));
	kfree_rcu(settings, rcu);
}
