// SPDX-License-Identifier: GPL-2.0
/* The network device at each end of a cellink: net_device_ops, and the pairing of devices. */

#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include <linux/vmalloc.h>
#include "channel.h"
#include "device.h"

#define CELL_VLAN_FEATURES						\
	(NETIF_F_HW_VLAN_CTAG_TX | NETIF_F_HW_VLAN_CTAG_RX |		\
	 NETIF_F_HW_VLAN_STAG_TX | NETIF_F_HW_VLAN_STAG_RX)

/* Packets can pass without complete checksums and unsegmented, because the peer is on this host. */
#define CELL_FEATURES							\
	(NETIF_F_SG | NETIF_F_FRAGLIST | NETIF_F_HW_CSUM | NETIF_F_RXCSUM | \
	 NETIF_F_SCTP_CRC | NETIF_F_HIGHDMA | NETIF_F_GSO_SOFTWARE |	\
	 NETIF_F_GSO_ENCAP_ALL | CELL_VLAN_FEATURES)

/* The carrier is on while both ends are up. Outages do not change the carrier, because a modem does
 * not report outages to its host either.
 */
static int cell_open(struct net_device *dev)
{
	struct cell_channel *ch = netdev_priv(dev);
	struct net_device *peer = rtnl_dereference(ch->peer);

	if (!peer)
		return -ENOTCONN;
	fl_inbox_open(&ch->inbox);
	cell_channel_open(ch);
	if (peer->flags & IFF_UP) {
		netif_carrier_on(dev);
		netif_carrier_on(peer);
	}
	return 0;
}

static int cell_stop(struct net_device *dev)
{
	struct cell_channel *ch = netdev_priv(dev);
	struct net_device *peer = rtnl_dereference(ch->peer);

	netif_carrier_off(dev);
	if (peer)
		netif_carrier_off(peer);
	cell_channel_close(ch);
	fl_inbox_close(&ch->inbox);
	return 0;
}

/* The traces are not in use: the device is down, and no netlink request can find the device. */
static void cell_uninit(struct net_device *dev)
{
	struct cell_channel *ch = netdev_priv(dev);

	vfree(ch->trace.ms);
	ch->trace.ms = NULL;
	vfree(ch->turns.ms);
	ch->turns.ms = NULL;
}

/* The core holds the lock of the transmit queue (no lltx). If the core finds that the queue is not
 * stopped, no other packet can take the space in the ring.
 */
static netdev_tx_t cell_start_xmit(struct sk_buff *skb, struct net_device *dev)
{
	if (!cell_channel_send(netdev_priv(dev), skb, netdev_xmit_more()))
		return NETDEV_TX_BUSY;
	return NETDEV_TX_OK;
}

static void cell_get_stats64(struct net_device *dev,
			     struct rtnl_link_stats64 *total)
{
	struct cell_channel *ch = netdev_priv(dev);
	u64 stats[CELLINK_STATS_MAX + 1];
	struct net_device *peer;
	int cause;

	cell_channel_stats(ch, stats);
	total->tx_packets = stats[CELLINK_STATS_SENT];
	total->tx_bytes = stats[CELLINK_STATS_SENT_BYTES];
	for (cause = CELLINK_STATS_LOST; cause <= CELLINK_STATS_PURGED; cause++)
		total->tx_dropped += stats[cause];
	total->tx_dropped += stats[CELLINK_STATS_OVERFLOW];

	rcu_read_lock();
	peer = rcu_dereference(ch->peer);
	if (peer) {
		cell_channel_stats(netdev_priv(peer), stats);
		total->rx_packets = stats[CELLINK_STATS_DELIVERED];
		total->rx_bytes = stats[CELLINK_STATS_DELIVERED_BYTES];
	}
	rcu_read_unlock();
}

static int cell_get_iflink(const struct net_device *dev)
{
	const struct cell_channel *ch = netdev_priv(dev);
	const struct net_device *peer;
	int iflink = 0;

	rcu_read_lock();
	peer = rcu_dereference(ch->peer);
	if (peer)
		iflink = READ_ONCE(peer->ifindex);
	rcu_read_unlock();
	return iflink;
}

/* Without this function, the ioctl SIOCADDMULTI would fail. The function is empty, because only
 * hardware filters by multicast groups.
 */
static void cell_set_rx_mode(struct net_device *dev)
{
}

/* Check whether GSO packets must be segmented before they enter the channel. */
static bool cell_config_segments(const struct cell_config *cfg)
{
	return cell_config_judges(cfg) || cfg->buffer || cfg->grant;
}

/* GSO has to be off if packets can be lost or get bit errors, because the decision is made for each
 * packet separately. GSO also has to be off with a modem's buffer or grants: a modem drops single
 * packets, and a GSO packet may be longer than a grant. If bits are flipped, the core has to
 * complete the checksums first.
 */
static netdev_features_t cell_fix_features(struct net_device *dev,
					   netdev_features_t features)
{
	const struct cell_channel *ch = netdev_priv(dev);

	if (cell_config_segments(&ch->cfg))
		features &= ~NETIF_F_GSO_MASK;
	if (cell_config_judges(&ch->cfg) &&
	    ch->cfg.corrupt != CELLINK_CORRUPT_DROP)
		features &= ~(NETIF_F_HW_CSUM | NETIF_F_SCTP_CRC);
	return features;
}

static const struct net_device_ops cell_netdev_ops = {
	.ndo_uninit		= cell_uninit,
	.ndo_open		= cell_open,
	.ndo_stop		= cell_stop,
	.ndo_start_xmit		= cell_start_xmit,
	.ndo_get_stats64	= cell_get_stats64,
	.ndo_get_iflink		= cell_get_iflink,
	.ndo_set_rx_mode	= cell_set_rx_mode,
	.ndo_set_mac_address	= eth_mac_addr,
	.ndo_validate_addr	= eth_validate_addr,
	.ndo_fix_features	= cell_fix_features,
	.ndo_features_check	= passthru_features_check,
};

static const struct ethtool_ops cell_ethtool_ops = {
	.get_link		= ethtool_op_get_link,
	.get_ts_info		= ethtool_op_get_ts_info,
};

/**
 * cell_device_setup() - set up a cellink device, for rtnl_link_ops
 * @dev: a new device
 */
void cell_device_setup(struct net_device *dev)
{
	ether_setup(dev);
	/* the channel modifies the packets that it holds, so these packets must not be shared */
	dev->priv_flags &= ~IFF_TX_SKB_SHARING;
	dev->priv_flags |= IFF_LIVE_ADDR_CHANGE;
	/* netpoll sends with interrupts off, maybe while this CPU holds the channel's lock */
	dev->priv_flags |= IFF_DISABLE_NETPOLL;
	dev->netdev_ops = &cell_netdev_ops;
	dev->ethtool_ops = &cell_ethtool_ops;
	dev->features |= CELL_FEATURES;
	dev->hw_features = CELL_FEATURES;
	dev->hw_enc_features = CELL_FEATURES;
	dev->vlan_features = CELL_FEATURES & ~CELL_VLAN_FEATURES;
	dev->mpls_features = NETIF_F_HW_CSUM | NETIF_F_GSO_SOFTWARE;
	dev->max_mtu = ETH_MAX_MTU;
	dev->needs_free_netdev = true;
	netif_set_tso_max_size(dev, GSO_MAX_SIZE);
	cell_channel_init(netdev_priv(dev), dev);
}

/**
 * cell_device_find() - find a cellink device
 * @net: the netns
 * @ifindex: index of the device
 *
 * RTNL held.
 *
 * Return: the device, NULL if there is no cellink device with this index
 */
struct net_device *cell_device_find(struct net *net, int ifindex)
{
	struct net_device *dev = __dev_get_by_index(net, ifindex);

	return dev && dev->netdev_ops == &cell_netdev_ops ? dev : NULL;
}

/**
 * cell_device_join() - make two devices a pair
 * @one: a registered device without a peer
 * @other: another registered device without a peer
 *
 * RTNL held.
 */
void cell_device_join(struct net_device *one, struct net_device *other)
{
	struct cell_channel *there = netdev_priv(other);
	struct cell_channel *here = netdev_priv(one);

	rcu_assign_pointer(here->peer, other);
	rcu_assign_pointer(there->peer, one);
}

/**
 * cell_device_part() - separate a device from its peer
 * @dev: the device
 *
 * RTNL held. Packets may still go to the peer until an RCU grace period has passed. The core waits
 * for the grace period before it frees a device.
 *
 * Return: the former peer, NULL if the device had no peer
 */
struct net_device *cell_device_part(struct net_device *dev)
{
	struct cell_channel *ch = netdev_priv(dev);
	struct net_device *peer = rtnl_dereference(ch->peer);
	struct cell_channel *there;

	if (!peer)
		return NULL;
	there = netdev_priv(peer);
	RCU_INIT_POINTER(ch->peer, NULL);
	RCU_INIT_POINTER(there->peer, NULL);
	return peer;
}
