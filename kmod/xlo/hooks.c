// SPDX-License-Identifier: GPL-2.0
/*
 * Netfilter hooks. A network namespace registers a hook only while its configuration needs the
 * hook. The hooks drop no packets. A packet that has no space for the option is forwarded without
 * the option.
 *
 * The IP layer writes only the options that a socket has set (ip_options_build()). A module
 * cannot make the IP layer write another option. Only hooks give a module access to the packets of
 * all sockets and to all forwarded packets.
 */

#include <linux/netfilter.h>
#include <linux/if_ether.h>
#include <linux/netfilter_bridge.h>
#include <linux/netfilter_ipv4.h>
#include <linux/slab.h>
#include <net/dst_metadata.h>
#include "hooks.h"
#include "packet.h"

#define XLO_HOOK_OUTPUT		BIT(0)
#define XLO_HOOK_FORWARD	BIT(1)
#define XLO_HOOK_INGRESS	BIT(2)

static unsigned int xlo_hook_output(void *priv, struct sk_buff *skb,
				    const struct nf_hook_state *state)
{
	/* a packet that leaves through a VRF passes this hook again, with its final route */
	if (!netif_is_l3_master(skb_dst_dev(skb)))
		xlo_stamp_output(skb, state);
	return NF_ACCEPT;
}

/* Checks whether a forwarded packet can be stamped. A bridged packet may have no route, and
 * therefore no MTU. A PPPoE header has its own length field, which would be wrong for a longer
 * packet.
 */
static bool xlo_forwardable(const struct sk_buff *skb)
{
#if IS_ENABLED(CONFIG_BRIDGE_NETFILTER)
	const struct nf_bridge_info *bridge = nf_bridge_info_get(skb);

	if (bridge && bridge->orig_proto == BRNF_PROTO_PPPOE)
		return false;
#endif
	return skb_valid_dst(skb);
}

static unsigned int xlo_hook_forward(void *priv, struct sk_buff *skb,
				     const struct nf_hook_state *state)
{
	if (xlo_forwardable(skb)) {
		xlo_clamp(skb, state);
		xlo_stamp_forward(skb, state);
	}
	return NF_ACCEPT;
}

/* Packets are stamped after the hooks that set marks and reroute packets. Options of arriving
 * packets are checked before routing, so that local sockets and the queues of all output interfaces
 * find the capped lifetimes.
 */
static const struct nf_hook_ops xlo_hook_ops[][2] = {
	{
		{
			.hook		= xlo_hook_output,
			.pf		= NFPROTO_IPV4,
			.hooknum	= NF_INET_LOCAL_OUT,
			.priority	= NF_IP_PRI_SELINUX_LAST,
		},
		{
			.hook		= xlo_hook_output,
			.pf		= NFPROTO_IPV6,
			.hooknum	= NF_INET_LOCAL_OUT,
			.priority	= NF_IP_PRI_SELINUX_LAST,
		},
	}, {
		{
			.hook		= xlo_hook_forward,
			.pf		= NFPROTO_IPV4,
			.hooknum	= NF_INET_FORWARD,
			.priority	= NF_IP_PRI_SELINUX_LAST,
		},
		{
			.hook		= xlo_hook_forward,
			.pf		= NFPROTO_IPV6,
			.hooknum	= NF_INET_FORWARD,
			.priority	= NF_IP_PRI_SELINUX_LAST,
		},
	}, {
		{
			.hook		= xlo_ingress4,
			.pf		= NFPROTO_IPV4,
			.hooknum	= NF_INET_PRE_ROUTING,
			.priority	= NF_IP_PRI_MANGLE,
		},
		{
			.hook		= xlo_ingress6,
			.pf		= NFPROTO_IPV6,
			.hooknum	= NF_INET_PRE_ROUTING,
			.priority	= NF_IP_PRI_MANGLE,
		},
	},
};

/* Returns the bit mask of the hooks (XLO_HOOK_*) that a configuration needs. */
static unsigned int xlo_hooks_needed(const struct xlo_config *config)
{
	unsigned int hooks = 0;
	int i;

	for (i = 0; i < config->profile_count; i++) {
		if (config->profiles[i].path & XLO_PATH_OUTPUT)
			hooks |= XLO_HOOK_OUTPUT;
		if (config->profiles[i].path & XLO_PATH_FORWARD)
			hooks |= XLO_HOOK_FORWARD;
	}
	if (config->txtime)
		hooks |= XLO_HOOK_OUTPUT;
	if (config->validate || config->cap_count)
		hooks |= XLO_HOOK_INGRESS;
	return hooks;
}

static void xlo_hooks_unregister(struct net *net, unsigned int hooks)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(xlo_hook_ops); i++)
		if (hooks & BIT(i))
			nf_unregister_net_hooks(net, xlo_hook_ops[i],
						ARRAY_SIZE(xlo_hook_ops[i]));
}

/* Registers all hooks in the bit mask @hooks. After an error, none of the hooks in @hooks is
 * registered.
 */
static int xlo_hooks_register(struct net *net, unsigned int hooks)
{
	int i, err;

	for (i = 0; i < ARRAY_SIZE(xlo_hook_ops); i++) {
		if (!(hooks & BIT(i)))
			continue;
		err = nf_register_net_hooks(net, xlo_hook_ops[i],
					    ARRAY_SIZE(xlo_hook_ops[i]));
		if (err) {
			xlo_hooks_unregister(net, hooks & (BIT(i) - 1));
			return err;
		}
	}
	return 0;
}

/**
 * xlo_hooks_commit() - activate a configuration
 * @net: the network namespace
 * @xn: xlo's data of @net
 * @config: the modified configuration from xlo_config_begin(); the function activates or frees it
 *
 * The function registers new hooks before packets see the configuration. The function unregisters
 * unneeded hooks after packets see the configuration.
 *
 * Return: 0, and the lock stays held until xlo_config_end(). If a hook cannot be registered, the
 * function changes nothing, releases the lock and returns the error
 */
int xlo_hooks_commit(struct net *net, struct xlo_net *xn,
		     struct xlo_config *config)
{
	unsigned int hooks = xlo_hooks_needed(config);
	struct xlo_config *old;
	int err;

	err = xlo_hooks_register(net, hooks & ~xn->hooks);
	if (err) {
		xlo_config_abort(xn, config);
		return err;
	}
	old = rcu_replace_pointer(xn->config, config,
				  lockdep_is_held(&xn->lock));
	xlo_hooks_unregister(net, xn->hooks & ~hooks);
	xn->hooks = hooks;
	kfree_rcu(old, rcu);
	return 0;
}

/**
 * xlo_hooks_leave() - unregister all hooks of a network namespace that is being removed
 * @net: the network namespace
 * @xn: xlo's data of @net; all later changes are refused
 */
void xlo_hooks_leave(struct net *net, struct xlo_net *xn)
{
	mutex_lock(&xn->lock);
	xn->leaving = true;
	xlo_hooks_unregister(net, xn->hooks);
	mutex_unlock(&xn->lock);
}
