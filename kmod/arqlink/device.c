// SPDX-License-Identifier: GPL-2.0
/* The network device of an arqlink: net_device_ops, and its place above the lower device. */

#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/if_vlan.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include "device.h"
#include "engine.h"
#include "report.h"

/* The reference lasts until the device is freed, because others may ask for the lower device until
 * then.
 */
static int arql_init(struct net_device *dev)
{
	struct arql_link *link = netdev_priv(dev);

	netdev_hold(link->lower, &link->tracker, GFP_KERNEL);
	return 0;
}

static int arql_open(struct net_device *dev)
{
	return arql_engine_open(netdev_priv(dev));
}

static int arql_stop(struct net_device *dev)
{
	arql_engine_close(netdev_priv(dev));
	return 0;
}

/* The class decides, even if a program has set another queue. */
static u16 arql_select_queue(struct net_device *dev, struct sk_buff *skb,
			     struct net_device *above)
{
	return arql_engine_bypasses(netdev_priv(dev), skb) ? ARQLINK_QUEUE_BYPASS :
							     ARQLINK_QUEUE_ARQ;
}

static netdev_tx_t arql_start_xmit(struct sk_buff *skb, struct net_device *dev)
{
	arql_engine_send(netdev_priv(dev), skb,
			 skb_get_queue_mapping(skb) == ARQLINK_QUEUE_BYPASS);
	return NETDEV_TX_OK;
}

static void arql_get_stats64(struct net_device *dev,
			     struct rtnl_link_stats64 *total)
{
	struct arql_link *link = netdev_priv(dev);
	u64 stats[ARQLINK_STATS_MAX + 1];
	int cause;

	arql_engine_stats(link, stats);
	total->tx_packets = stats[ARQLINK_STATS_SENT] +
			    stats[ARQLINK_STATS_BYPASSED];
	total->tx_bytes = stats[ARQLINK_STATS_SENT_BYTES];
	for (cause = ARQLINK_STATS_EXPIRED; cause < ARQLINK_STATS_HELD; cause++)
		total->tx_dropped += stats[cause];
	total->rx_packets = stats[ARQLINK_STATS_DELIVERED];
	total->rx_bytes = stats[ARQLINK_STATS_DELIVERED_BYTES];
	total->rx_dropped = stats[ARQLINK_STATS_INCOMPLETE] +
			    stats[ARQLINK_STATS_STALE] +
			    stats[ARQLINK_STATS_REFUSED];
}

static int arql_get_iflink(const struct net_device *dev)
{
	const struct arql_link *link = netdev_priv(dev);

	return READ_ONCE(link->lower->ifindex);
}

/* Without this function, the ioctl SIOCADDMULTI would fail. The function is empty, because only
 * hardware filters by multicast groups.
 */
static void arql_set_rx_mode(struct net_device *dev)
{
}

static const struct net_device_ops arql_netdev_ops = {
	.ndo_init		= arql_init,
	.ndo_open		= arql_open,
	.ndo_stop		= arql_stop,
	.ndo_select_queue	= arql_select_queue,
	.ndo_start_xmit		= arql_start_xmit,
	.ndo_get_stats64	= arql_get_stats64,
	.ndo_get_iflink		= arql_get_iflink,
	.ndo_set_rx_mode	= arql_set_rx_mode,
	.ndo_set_mac_address	= eth_mac_addr,
	.ndo_validate_addr	= eth_validate_addr,
};

static const struct ethtool_ops arql_ethtool_ops = {
	.get_link		= ethtool_op_get_link,
	.get_ts_info		= ethtool_op_get_ts_info,
};

static void arql_device_free(struct net_device *dev)
{
	struct arql_link *link = netdev_priv(dev);

	arql_report_end(link);
	netdev_put(link->lower, &link->tracker);
}

/**
 * arql_device_setup() - set up an arqlink device, for rtnl_link_ops
 * @dev: a new device
 */
void arql_device_setup(struct net_device *dev)
{
	ether_setup(dev);
	/* the device writes lifetimes into the packets that it holds */
	dev->priv_flags &= ~IFF_TX_SKB_SHARING;
	dev->priv_flags |= IFF_LIVE_ADDR_CHANGE;
	/* netpoll sends with interrupts off, maybe while this CPU holds the link's lock */
	dev->priv_flags |= IFF_DISABLE_NETPOLL;
	dev->netdev_ops = &arql_netdev_ops;
	dev->ethtool_ops = &arql_ethtool_ops;
	/* packets are copied into frames, which needs complete packets without gaps */
	dev->features |= NETIF_F_HIGHDMA;
	dev->max_mtu = ARQLINK_MTU_MAX;
	dev->needs_free_netdev = true;
	dev->priv_destructor = arql_device_free;
	netif_carrier_off(dev);
	arql_engine_init(netdev_priv(dev), dev);
}

/**
 * arql_device_config() - the configuration of a device
 * @dev: the device
 *
 * RTNL held.
 */
const struct arql_config *arql_device_config(const struct net_device *dev)
{
	const struct arql_link *link = netdev_priv(dev);

	return &link->cfg;
}

/**
 * arql_device_stats() - read the counters of a device
 * @dev: the device
 * @stats: written, indexed by enum arqlink_stats
 */
void arql_device_stats(const struct net_device *dev,
		       u64 stats[ARQLINK_STATS_MAX + 1])
{
	arql_engine_stats(netdev_priv(dev), stats);
}

/**
 * fl_link_quality() - read the quality of a link
 * @dev: any device
 * @quality: written if @dev is an arqlink device
 *
 * Context: any except hard interrupts; the caller holds rcu_read_lock() or a reference to @dev
 *
 * Return: whether @dev is an arqlink device
 */
bool fl_link_quality(const struct net_device *dev, struct fl_link_quality *quality)
{
	if (dev->netdev_ops != &arql_netdev_ops)
		return false;
	arql_engine_quality(netdev_priv(dev), quality);
	return true;
}
EXPORT_SYMBOL_GPL(fl_link_quality);

/* Takes the frames of arqlink from the lower device. All other frames go on to the stack. */
static rx_handler_result_t arql_handle_frame(struct sk_buff **pskb)
{
	struct sk_buff *skb = *pskb;
	struct net_device *dev;

	if (skb->protocol != htons(ARQLINK_ETHERTYPE) || skb_vlan_tag_present(skb) ||
	    skb->pkt_type == PACKET_OTHERHOST || skb->pkt_type == PACKET_LOOPBACK)
		return RX_HANDLER_PASS;
	skb = skb_share_check(skb, GFP_ATOMIC);
	if (!skb)
		return RX_HANDLER_CONSUMED;
	*pskb = skb;
	dev = rcu_dereference(skb->dev->rx_handler_data);
	arql_engine_receive(netdev_priv(dev), skb);
	return RX_HANDLER_CONSUMED;
}

/**
 * arql_device_attach() - put a device above a lower device
 * @dev: a registered device, whose lower device is set
 * @extack: gets the reason of a refusal
 *
 * RTNL held.
 *
 * Return: 0 or an error, for example for a loop of devices
 */
int arql_device_attach(struct net_device *dev, struct netlink_ext_ack *extack)
{
	struct arql_link *link = netdev_priv(dev);
	int err;

	err = netdev_rx_handler_register(link->lower, arql_handle_frame, dev);
	if (err) {
		NL_SET_ERR_MSG(extack,
			       "arqlink: link must be a device that no bridge, bond or other device uses");
		return err;
	}
	err = netdev_upper_dev_link(link->lower, dev, extack);
	if (err)
		netdev_rx_handler_unregister(link->lower);
	return err;
}

/**
 * arql_device_detach() - take a device away from its lower device
 * @dev: the device
 *
 * RTNL held.
 */
void arql_device_detach(struct net_device *dev)
{
	struct arql_link *link = netdev_priv(dev);

	netdev_rx_handler_unregister(link->lower);
	netdev_upper_dev_unlink(link->lower, dev);
}

/**
 * arql_device_above() - the arqlink device above a device
 * @lower: the device
 *
 * RTNL held.
 *
 * Return: the device, NULL if there is none
 */
struct net_device *arql_device_above(const struct net_device *lower)
{
	if (rcu_access_pointer(lower->rx_handler) != arql_handle_frame)
		return NULL;
	return rtnl_dereference(lower->rx_handler_data);
}
