// SPDX-License-Identifier: GPL-2.0
/* Caps over netlink. */

#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/netlink.h>
#include <net/sock.h>
#include "event.h"
#include "netlink.h"

const struct nla_policy xlo_cap_policy[XLO_A_MAX + 1] = {
	[XLO_A_IFINDEX]		= { .type = NLA_U32 },
	[XLO_A_CAP]		= { .type = NLA_U32 },
};

const struct nla_policy xlo_ifindex_policy[XLO_A_MAX + 1] = {
	[XLO_A_IFINDEX]		= { .type = NLA_U32 },
};

/**
 * xlo_put_cap() - a cap's attributes
 * @msg: room for them
 * @cap: the cap
 *
 * Return: 0 or -EMSGSIZE
 */
int xlo_put_cap(struct sk_buff *msg, const struct xlo_cap *cap)
{
	return nla_put_u32(msg, XLO_A_IFINDEX, cap->ifindex) ?:
	       nla_put_u32(msg, XLO_A_CAP, cap->ms);
}

/**
 * xlo_cap_dumpit() - XLO_CMD_CAP_GET
 * @skb: room for a part of the dump
 * @cb: where it stands
 *
 * Return: bytes in @skb
 */
int xlo_cap_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct xlo_config *config;
	void *hdr;
	int i;

	rcu_read_lock();
	config = rcu_dereference(xlo_net(sock_net(skb->sk))->config);
	cb->seq = config->generation;
	for (i = cb->args[0]; i < config->cap_count; i++) {
		hdr = xlo_dump_put(skb, cb, XLO_CMD_CAP_GET);
		if (!hdr || xlo_put_cap(skb, &config->caps[i])) {
			genlmsg_cancel(skb, hdr);
			break;
		}
		genlmsg_end(skb, hdr);
	}
	rcu_read_unlock();
	cb->args[0] = i;
	return skb->len;
}

static int xlo_read_ifindex(int *ifindex, struct genl_info *info)
{
	if (!info->attrs[XLO_A_IFINDEX])
		return XLO_MISSING(info, "ifindex");
	*ifindex = nla_get_u32(info->attrs[XLO_A_IFINDEX]);
	return 0;
}

static int xlo_read_cap(struct xlo_cap *cap, struct genl_info *info)
{
	int err = xlo_read_ifindex(&cap->ifindex, info);

	if (err)
		return err;
	if (!info->attrs[XLO_A_CAP])
		return XLO_MISSING(info, "cap");
	cap->ms = nla_get_u32(info->attrs[XLO_A_CAP]);
	if (!cap->ms || cap->ms > XLO_PROFILE_LIFETIME_MAX)
		return XLO_REFUSE(info, XLO_A_CAP, ERANGE,
				  "cap must be 1 to 43200000 ms");
	return 0;
}

/* Adds a cap or changes the one there is. */
static int xlo_set_cap(struct xlo_config *config, const struct xlo_cap *cap,
		       struct genl_info *info)
{
	int index = xlo_cap_find(config, cap->ifindex);

	if (index < 0 && config->cap_count == XLO_CAPS_MAX)
		return XLO_REFUSE(info, XLO_A_IFINDEX, ENOSPC,
				  "there are 64 caps already");
	if (index < 0)
		index = config->cap_count++;
	config->caps[index] = *cap;
	return 0;
}

/* Under RTNL, so that the interface is not gone before its cap is there, nor the
 * cap told to be gone before it is told to be there.
 */
static int xlo_cap_add(struct net *net, const struct xlo_cap *cap,
		       struct genl_info *info)
{
	struct xlo_net *xn = xlo_net(net);
	struct xlo_config *config;
	int err;

	if (!__dev_get_by_index(net, cap->ifindex))
		return XLO_REFUSE(info, XLO_A_IFINDEX, ENODEV,
				  "no interface has this index");
	config = xlo_config_begin(xn);
	if (!config)
		return xlo_no_change(info);
	err = xlo_set_cap(config, cap, info);
	if (err) {
		xlo_config_abort(xn, config);
		return err;
	}
	err = xlo_change(info, config);
	if (!err)
		xlo_event_cap(net, XLO_CMD_CAP_SET, cap);
	return err;
}

/**
 * xlo_cap_set_doit() - XLO_CMD_CAP_SET
 * @skb: the request
 * @info: what it says
 *
 * Return: 0, or an error that the extended ack explains
 */
int xlo_cap_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct net *net = genl_info_net(info);
	struct xlo_cap cap;
	int err;

	err = xlo_read_cap(&cap, info);
	if (err)
		return err;
	rtnl_lock();
	err = xlo_cap_add(net, &cap, info);
	rtnl_unlock();
	return err;
}

/* Removes an interface's cap. Returns -ENOENT if it has none. */
static int xlo_cap_remove(struct net *net, int ifindex)
{
	struct xlo_net *xn = xlo_net(net);
	struct xlo_config *config = xlo_config_begin(xn);
	struct xlo_cap gone;
	int index, err;

	if (!config)
		return -ENOMEM;
	index = xlo_cap_find(config, ifindex);
	if (index < 0) {
		xlo_config_abort(xn, config);
		return -ENOENT;
	}
	gone = config->caps[index];
	config->caps[index] = config->caps[--config->cap_count];
	err = xlo_config_commit(net, xn, config);
	if (!err)
		xlo_event_cap(net, XLO_CMD_CAP_DEL, &gone);
	return err;
}

/**
 * xlo_cap_del_doit() - XLO_CMD_CAP_DEL
 * @skb: the request
 * @info: what it says
 *
 * Return: 0, or an error that the extended ack explains
 */
int xlo_cap_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	int ifindex, err;

	err = xlo_read_ifindex(&ifindex, info);
	if (err)
		return err;
	err = xlo_cap_remove(genl_info_net(info), ifindex);
	if (err == -ENOENT)
		return XLO_REFUSE(info, XLO_A_IFINDEX, ENOENT,
				  "this interface has no cap");
	return err == -ENOMEM ? xlo_no_change(info) : err;
}

/**
 * xlo_cap_device_gone() - an interface is gone, and with it its cap
 * @net: the namespace it was in
 * @ifindex: the interface
 *
 * Without memory the cap stays, for an index that no packet has any more and
 * that may be deleted by hand.
 */
void xlo_cap_device_gone(struct net *net, int ifindex)
{
	const struct xlo_config *config;
	int index;

	rcu_read_lock();
	config = rcu_dereference(xlo_net(net)->config);
	index = xlo_cap_find(config, ifindex);
	rcu_read_unlock();
	if (index >= 0)
		xlo_cap_remove(net, ifindex);
}
