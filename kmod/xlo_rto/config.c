// SPDX-License-Identifier: GPL-2.0
/* A namespace's settings, and what it has only while they are on. */

#include <linux/slab.h>
#include "config.h"
#include "hooks.h"
#include "inbox.h"

static struct xrto_inbox *xrto_inbox_locked(struct xrto_net *xn)
{
	return rcu_dereference_protected(xn->inbox,
					 lockdep_is_held(&xn->lock));
}

/* Let new settings, of which those who read get the old ones or all of these, be in force. */
static void xrto_settings_replace(struct xrto_net *xn,
				  struct xrto_settings *settings)
{
	settings = rcu_replace_pointer(xn->settings, settings,
				       lockdep_is_held(&xn->lock));
	kfree_rcu(settings, rcu);
}

/* No hook is registered any more. Packets are in them until RCU's grace period ends. */
static void xrto_inbox_end(struct xrto_net *xn)
{
	struct xrto_inbox *inbox = xrto_inbox_locked(xn);

	synchronize_net();
	RCU_INIT_POINTER(xn->inbox, NULL);
	xrto_inbox_free(inbox);
}

static int xrto_start(struct net *net, struct xrto_net *xn)
{
	struct xrto_inbox *inbox = xrto_inbox_new(net);
	int err;

	if (!inbox)
		return -ENOMEM;
	rcu_assign_pointer(xn->inbox, inbox);
	err = xrto_hooks_register(net);
	if (err)
		xrto_inbox_end(xn);
	return err;
}

static void xrto_stop(struct net *net, struct xrto_net *xn)
{
	if (!xrto_inbox_locked(xn))
		return;
	xrto_hooks_unregister(net);
	xrto_inbox_end(xn);
}

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
 * xrto_config_leave() - the namespace is going: see no more messages
 * @net: the namespace; nobody configures it any more
 *
 * Packets may be in the hooks until RCU's grace period ends. The core waits for one before it has
 * namespaces exit, however many these are.
 */
void xrto_config_leave(struct net *net)
{
	if (rcu_access_pointer(xrto_net(net)->inbox))
		xrto_hooks_unregister(net);
}

/**
 * xrto_config_exit() - free what is on, and the settings
 * @net: the namespace, a grace period after xrto_config_leave()
 */
void xrto_config_exit(struct net *net)
{
	struct xrto_net *xn = xrto_net(net);
	struct xrto_inbox *inbox = rcu_dereference_protected(xn->inbox, true);

	if (inbox)
		xrto_inbox_free(inbox);
	kfree(rcu_dereference_protected(xn->settings, true));
}

/**
 * xrto_configure() - change the settings
 * @net: the namespace; its xrto_net's lock is held
 * @settings: the new ones; copied
 *
 * Timeouts that have been moved stay where they are.
 *
 * Return: 0, or an error and nothing is changed
 */
int xrto_configure(struct net *net, const struct xrto_settings *settings)
{
	struct xrto_net *xn = xrto_net(net);
	struct xrto_settings *copy;
	int err;

	copy = kmemdup(settings, sizeof(*settings), GFP_KERNEL_ACCOUNT);
	if (!copy)
		return -ENOMEM;
	if (settings->accept && !xrto_inbox_locked(xn)) {
		err = xrto_start(net, xn);
		if (err) {
			kfree(copy);
			return err;
		}
	}
	xrto_settings_replace(xn, copy);
	if (!settings->accept)
		xrto_stop(net, xn);
	return 0;
}
