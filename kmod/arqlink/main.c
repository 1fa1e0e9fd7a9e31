// SPDX-License-Identifier: GPL-2.0
/*
 * arqlink: a network device that sends its packets through a lower device, and retransmits what the
 * lower link loses. See Documentation/arqlink.rst.
 *
 *	arq0 (packets) ==> frames ==> lower device ~~> lower device ==> frames ==> arq0 (packets)
 */

#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/module.h>
#include <net/arqlink.h>
#include <net/fl_version.h>
#include <net/rtnetlink.h>
#include "device.h"
#include "engine.h"
#include "family.h"
#include "netlink.h"
#include "report.h"

#define ARQL_KIND	"arqlink"

static int arql_validate(struct nlattr *tb[], struct nlattr *data[],
			 struct netlink_ext_ack *extack)
{
	if (!tb[IFLA_ADDRESS])
		return 0;
	if (nla_len(tb[IFLA_ADDRESS]) != ETH_ALEN) {
		NL_SET_ERR_MSG_ATTR(extack, tb[IFLA_ADDRESS],
				    "arqlink: address must have 6 bytes");
		return -EINVAL;
	}
	if (!is_valid_ether_addr(nla_data(tb[IFLA_ADDRESS]))) {
		NL_SET_ERR_MSG_ATTR(extack, tb[IFLA_ADDRESS],
				    "arqlink: address must be a unicast address");
		return -EADDRNOTAVAIL;
	}
	return 0;
}

/* Bytes of a packet that fit into one frame of the lower device. */
static int arql_frame_room(const struct net_device *lower)
{
	return (int)READ_ONCE(lower->mtu) - ARQLINK_HLEN - ETH_HLEN;
}

static int arql_check_frame(const struct net_device *lower,
			    const struct arql_config *cfg, struct nlattr *attr,
			    struct netlink_ext_ack *extack)
{
	if ((int)cfg->frame <= arql_frame_room(lower))
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attr,
			    "arqlink: frame must be at most the MTU of the lower device - 38");
	return -EINVAL;
}

/* Finds the lower device of a request. */
static struct net_device *arql_find_lower(struct net *net, struct nlattr **tb,
					  struct netlink_ext_ack *extack)
{
	struct net_device *lower;

	if (!tb[IFLA_LINK]) {
		NL_SET_ERR_MSG(extack, "arqlink: link is missing: expected the lower device");
		return ERR_PTR(-EINVAL);
	}
	lower = __dev_get_by_index(net, nla_get_u32(tb[IFLA_LINK]));
	if (!lower) {
		NL_SET_ERR_MSG_ATTR(extack, tb[IFLA_LINK],
				    "arqlink: link must be a device of this namespace");
		return ERR_PTR(-ENODEV);
	}
	if (lower->type != ARPHRD_ETHER || lower->flags & IFF_LOOPBACK) {
		NL_SET_ERR_MSG_ATTR(extack, tb[IFLA_LINK],
				    "arqlink: link must be an Ethernet device");
		return ERR_PTR(-EINVAL);
	}
	return lower;
}

/* Prepares a device whose lower device and configuration are valid. */
static void arql_prepare(struct net_device *dev, struct net_device *lower,
			 const struct arql_config *cfg, struct nlattr **tb)
{
	struct arql_link *link = netdev_priv(dev);

	link->lower = lower;
	link->cfg = *cfg;
	if (!tb[IFLA_MTU])
		dev->mtu = min(arql_frame_room(lower), ARQLINK_MTU_MAX);
	if (!tb[IFLA_ADDRESS])
		eth_hw_addr_random(dev);
}

/* @attr is ARQLINK_NOTIFY of the request, or NULL. */
static int arql_register(struct net_device *dev, const struct nlattr *attr,
			 struct netlink_ext_ack *extack)
{
	struct arql_link *link = netdev_priv(dev);
	int err;

	err = register_netdevice(dev);
	if (err)
		return err;
	err = arql_report_change(link, link->cfg.notify, attr, extack);
	if (!err)
		err = arql_device_attach(dev, extack);
	if (err)
		unregister_netdevice(dev);
	return err;
}

static int arql_newlink(struct net_device *dev,
			struct rtnl_newlink_params *params,
			struct netlink_ext_ack *extack)
{
	struct nlattr **tb = params->tb, **data = params->data;
	struct arql_config cfg;
	struct net_device *lower;
	int err;

	lower = arql_find_lower(rtnl_newlink_link_net(params), tb, extack);
	if (IS_ERR(lower))
		return PTR_ERR(lower);
	arql_config_init(&cfg);
	err = arql_netlink_read(&cfg, data, extack);
	if (err)
		return err;
	err = arql_check_frame(lower, &cfg, data ? data[ARQLINK_FRAME] : NULL, extack);
	if (err)
		return err;
	if (dev->num_tx_queues != ARQLINK_QUEUES) {
		NL_SET_ERR_MSG_ATTR(extack, tb[IFLA_NUM_TX_QUEUES],
				    "arqlink: numtxqueues must be 2");
		return -EINVAL;
	}
	arql_prepare(dev, lower, &cfg, tb);
	return arql_register(dev, data ? data[ARQLINK_NOTIFY] : NULL, extack);
}

static int arql_changelink(struct net_device *dev, struct nlattr *tb[],
			   struct nlattr *data[], struct netlink_ext_ack *extack)
{
	struct arql_link *link = netdev_priv(dev);
	struct arql_config cfg = link->cfg;
	int err;

	if (!data)
		return 0;
	err = arql_netlink_read(&cfg, data, extack);
	if (err)
		return err;
	err = arql_check_frame(link->lower, &cfg, data[ARQLINK_FRAME], extack) ?:
	      arql_engine_reserve(link, cfg.window) ?:
	      arql_report_change(link, cfg.notify, data[ARQLINK_NOTIFY], extack);
	if (err)
		return err;
	arql_engine_change(link, &cfg);
	return 0;
}

static void arql_dellink(struct net_device *dev, struct list_head *head)
{
	arql_device_detach(dev);
	unregister_netdevice_queue(dev, head);
}

static struct net *arql_get_link_net(const struct net_device *dev)
{
	const struct arql_link *link = netdev_priv(dev);

	return dev_net(link->lower);
}

static unsigned int arql_get_num_queues(void)
{
	return ARQLINK_QUEUES;
}

RTNL_NEWLINK_ALONE(arql_newlink)

static struct rtnl_link_ops arql_link_ops = {
	.kind			= ARQL_KIND,
	.priv_size		= sizeof(struct arql_link),
	.setup			= arql_device_setup,
	.validate		= arql_validate,
	.maxtype		= ARQLINK_MAX,
	.policy			= arql_policy,
	RTNL_NEWLINK_OP(arql_newlink),
	.changelink		= arql_changelink,
	.dellink		= arql_dellink,
	.get_link_net		= arql_get_link_net,
	.get_num_tx_queues	= arql_get_num_queues,
	.get_size		= arql_netlink_size,
	.fill_info		= arql_netlink_fill,
	.get_xstats_size	= arql_netlink_stats_size,
	.fill_xstats		= arql_netlink_fill_stats,
};

/* The lower device must stay large enough for frames that have a number already. */
static int arql_check_lower_mtu(const struct net_device *dev)
{
	const struct arql_link *link = netdev_priv(dev);

	if ((int)link->cfg.frame > arql_frame_room(link->lower))
		return notifier_from_errno(-EINVAL);
	return NOTIFY_DONE;
}

/* Follows the events of the lower device. A lower device that moves to another namespace stays. */
static int arql_lower_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *lower = netdev_notifier_info_to_dev(ptr);
	struct net_device *dev = arql_device_above(lower);
	LIST_HEAD(list);

	if (!dev)
		return NOTIFY_DONE;
	switch (event) {
	case NETDEV_UNREGISTER:
		if (lower->reg_state != NETREG_UNREGISTERING)
			break;
		arql_dellink(dev, &list);
		unregister_netdevice_many(&list);
		break;
	case NETDEV_CHANGEADDR:
		/* the peer accepts frames from the old address only */
		arql_engine_restart(netdev_priv(dev));
		break;
	case NETDEV_CHANGEMTU:
		/* NETDEV_PRECHANGEMTU does not say the new MTU; a refusal restores the old MTU */
		return arql_check_lower_mtu(dev);
	}
	return NOTIFY_DONE;
}

static struct notifier_block arql_notifier = {
	.notifier_call = arql_lower_event,
};

static int __init arql_module_init(void)
{
	int err;

	err = register_netdevice_notifier(&arql_notifier);
	if (err)
		return err;
	/* devices may report events from the first to the last moment */
	err = arql_family_init();
	if (err)
		goto err_notifier;
	err = rtnl_link_register(&arql_link_ops);
	if (err)
		goto err_family;
	return 0;

err_family:
	arql_family_exit();
err_notifier:
	unregister_netdevice_notifier(&arql_notifier);
	return err;
}

static void __exit arql_module_exit(void)
{
	rtnl_link_unregister(&arql_link_ops);
	arql_family_exit();
	unregister_netdevice_notifier(&arql_notifier);
}

/* here, because the KUnit tests include the file of these functions */
EXPORT_SYMBOL_GPL(arql_notifier_register);
EXPORT_SYMBOL_GPL(arql_notifier_unregister);

module_init(arql_module_init);
module_exit(arql_module_exit);

MODULE_DESCRIPTION("Link layer that retransmits while it is worth it");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(FL_VERSION);
MODULE_ALIAS_RTNL_LINK(ARQL_KIND);
