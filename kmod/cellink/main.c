// SPDX-License-Identifier: GPL-2.0
/*
 * cellink: a cellular channel as a pair of network devices. See
 * Documentation/cellink.rst.
 *
 *	cell0 == channel of cell0 ==> cell1
 *	cell0 <== channel of cell1 == cell1
 */

#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/random.h>
#include <net/fl_version.h>
#include <net/genetlink.h>
#include <net/rtnetlink.h>
#include "device.h"
#include "family.h"
#include "netlink.h"

#define CELL_KIND	"cellink"

static void cell_config_init(struct cell_config *cfg)
{
	*cfg = (struct cell_config){
		.ring_packets = CELLINK_RING_PACKETS_DEFAULT,
		.seed = get_random_u32(),
		.outage.law = CELLINK_LAW_CONSTANT,
	};
}

/* The peer's part of a request. If the request does not describe the peer, @tb contains only NULL,
 * and @header is NULL.
 */
struct cell_peer {
	struct nlattr *tb[IFLA_MAX + 1];
	const struct ifinfomsg *header;
	struct cell_config cfg;
};

static int cell_validate(struct nlattr *tb[], struct nlattr *data[],
			 struct netlink_ext_ack *extack)
{
	if (tb[IFLA_ADDRESS]) {
		if (nla_len(tb[IFLA_ADDRESS]) != ETH_ALEN) {
			NL_SET_ERR_MSG_ATTR(extack, tb[IFLA_ADDRESS],
					    "cellink: address must have 6 bytes");
			return -EINVAL;
		}
		if (!is_valid_ether_addr(nla_data(tb[IFLA_ADDRESS]))) {
			NL_SET_ERR_MSG_ATTR(extack, tb[IFLA_ADDRESS],
					    "cellink: address must be a unicast address");
			return -EADDRNOTAVAIL;
		}
	}
	return 0;
}

static int cell_peer_read(struct cell_peer *peer, struct nlattr **data,
			  struct netlink_ext_ack *extack)
{
	const struct nlattr *attr = data ? data[CELLINK_PEER] : NULL;
	const struct nlattr *info = NULL;
	int err;

	memset(peer, 0, sizeof(*peer));
	cell_config_init(&peer->cfg);
	if (!attr)
		return 0;
	err = rtnl_nla_parse_ifinfomsg(peer->tb, attr, extack);
	if (err < 0)
		return err;
	peer->header = nla_data(attr);
	err = cell_validate(peer->tb, NULL, extack);
	if (err)
		return err;
	if (peer->tb[IFLA_LINKINFO])
		info = nla_find_nested(peer->tb[IFLA_LINKINFO], IFLA_INFO_DATA);
	return cell_netlink_parse(&peer->cfg, info, extack);
}

/* Register a device. If this fails, the caller frees the device. */
static int cell_register(struct net_device *dev, const struct cell_config *cfg,
			 struct nlattr **tb, struct netlink_ext_ack *extack)
{
	struct cell_channel *ch = netdev_priv(dev);

	if (dev->num_tx_queues > 1) {
		NL_SET_ERR_MSG_ATTR(extack, tb[IFLA_NUM_TX_QUEUES],
				    "cellink: numtxqueues must be 1: a radio sends one packet at a time");
		return -EINVAL;
	}
	cell_channel_setup(ch, cfg);
	if (!tb[IFLA_ADDRESS])
		eth_hw_addr_random(dev);
	netif_carrier_off(dev);
	return register_netdevice(dev);
}

static struct rtnl_link_ops cell_link_ops;

static struct net_device *cell_peer_create(struct net *net,
					   struct cell_peer *peer,
					   struct netlink_ext_ack *extack)
{
	bool named = peer->tb[IFLA_IFNAME];
	struct net_device *dev;
	char name[IFNAMSIZ];
	int err;

	if (named)
		nla_strscpy(name, peer->tb[IFLA_IFNAME], IFNAMSIZ);
	else
		strscpy(name, CELL_KIND "%d", IFNAMSIZ);
	dev = rtnl_create_link(net, name,
			       named ? NET_NAME_USER : NET_NAME_ENUM,
			       &cell_link_ops, peer->tb, extack);
	if (IS_ERR(dev))
		return dev;
	if (peer->header)
		dev->ifindex = peer->header->ifi_index;
	err = cell_register(dev, &peer->cfg, peer->tb, extack);
	if (err) {
		free_netdev(dev);
		return ERR_PTR(err);
	}
	err = rtnl_configure_link(dev, peer->header, 0, NULL);
	if (err < 0) {
		unregister_netdevice(dev);
		return ERR_PTR(err);
	}
	return dev;
}

static int cell_newlink(struct net_device *dev,
			struct rtnl_newlink_params *params,
			struct netlink_ext_ack *extack)
{
	struct net_device *other;
	struct cell_config cfg;
	struct cell_peer *peer;
	int err;

	cell_config_init(&cfg);
	err = cell_netlink_read(&cfg, params->data, extack);
	if (err)
		return err;
	/* too large for the stack */
	peer = kmalloc(sizeof(*peer), GFP_KERNEL);
	if (!peer)
		return -ENOMEM;
	err = cell_peer_read(peer, params->data, extack);
	if (err)
		goto out_free;
	other = cell_peer_create(rtnl_newlink_peer_net(params), peer, extack);
	if (IS_ERR(other)) {
		err = PTR_ERR(other);
		goto out_free;
	}
	err = cell_register(dev, &cfg, params->tb, extack);
	if (err)
		unregister_netdevice(other);
	else
		cell_device_join(dev, other);
out_free:
	kfree(peer);
	return err;
}

/* A trace replaces the rate, and a trace of turns replaces the sojourns. */
static int cell_check_traces(const struct cell_channel *ch,
			     const struct cell_config *cfg,
			     struct nlattr *data[],
			     struct netlink_ext_ack *extack)
{
	if (cfg->rate && ch->trace.ms) {
		NL_SET_ERR_MSG_ATTR(extack, data[CELLINK_RATE],
				    "cellink: rate must be 0 (unlimited) with a trace");
		return -EINVAL;
	}
	if (cell_config_has_states(cfg) && ch->turns.ms) {
		NL_SET_ERR_MSG_ATTR(extack, data[CELLINK_BAD],
				    "cellink: good and bad must be 0 with a trace of turns");
		return -EINVAL;
	}
	return 0;
}

static int cell_changelink(struct net_device *dev, struct nlattr *tb[],
			   struct nlattr *data[],
			   struct netlink_ext_ack *extack)
{
	struct cell_channel *ch = netdev_priv(dev);
	struct cell_config cfg = ch->cfg;
	int err;

	if (data && data[CELLINK_PEER]) {
		NL_SET_ERR_MSG_ATTR(extack, data[CELLINK_PEER],
				    "cellink: peer must be given at creation only");
		return -EINVAL;
	}
	err = cell_netlink_read(&cfg, data, extack);
	if (err)
		return err;
	err = cell_check_traces(ch, &cfg, data, extack);
	if (err)
		return err;
	cell_channel_change(ch, &cfg);
	/* the features depend on the configuration, see cell_fix_features() */
	netdev_update_features(dev);
	return 0;
}

static void cell_dellink(struct net_device *dev, struct list_head *head)
{
	struct net_device *peer = cell_device_part(dev);

	unregister_netdevice_queue(dev, head);
	if (peer)
		unregister_netdevice_queue(peer, head);
}

static struct net *cell_get_link_net(const struct net_device *dev)
{
	const struct cell_channel *ch = netdev_priv(dev);
	struct net_device *peer = rcu_dereference_rtnl(ch->peer);

	return peer ? dev_net(peer) : dev_net(dev);
}

RTNL_NEWLINK_PEER(cell_newlink, CELLINK_PEER)

static struct rtnl_link_ops cell_link_ops = {
	.kind			= CELL_KIND,
	.priv_size		= sizeof(struct cell_channel),
	.setup			= cell_device_setup,
	.validate		= cell_validate,
	.maxtype		= CELLINK_MAX,
	.policy			= cell_policy,
	RTNL_NEWLINK(cell_newlink, CELLINK_PEER),
	.changelink		= cell_changelink,
	.dellink		= cell_dellink,
	.get_link_net		= cell_get_link_net,
	.get_size		= cell_netlink_size,
	.fill_info		= cell_netlink_fill,
	.get_xstats_size	= cell_netlink_stats_size,
	.fill_xstats		= cell_netlink_fill_stats,
};

static int __init cell_module_init(void)
{
	int err;

	err = rtnl_link_register(&cell_link_ops);
	if (err)
		return err;
	err = cell_family_init();
	if (err)
		rtnl_link_unregister(&cell_link_ops);
	return err;
}

static void __exit cell_module_exit(void)
{
	cell_family_exit();
	rtnl_link_unregister(&cell_link_ops);
}

module_init(cell_module_init);
module_exit(cell_module_exit);

MODULE_DESCRIPTION("Cellular channel as a pair of network devices");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(FL_VERSION);
MODULE_ALIAS_RTNL_LINK(CELL_KIND);
