// SPDX-License-Identifier: GPL-2.0
/* The generic netlink family "xlo_rto": settings, counters, and messages to send. */

#include <linux/slab.h>
#include <linux/skbuff.h>
#include <linux/xlo_rto.h>
#include <net/genetlink.h>
#include <net/netlink.h>
#include "config.h"
#include "event.h"
#include "inbox.h"
#include "netlink.h"
#include "outbox.h"
#include "parse.h"

static const struct nla_policy xrto_settings_policy[XRTO_A_MAX + 1] = {
	[XRTO_A_ACCEPT]		= NLA_POLICY_MAX(NLA_U8, XRTO_ACCEPT_ALL),
	[XRTO_A_ONE_HOP]	= NLA_POLICY_MAX(NLA_U8, 1),
	[XRTO_A_KEY]		= { .type = NLA_BINARY },
	[XRTO_A_ENCODING]	= NLA_POLICY_MAX(NLA_U8, XRTO_ENCODING_EXTENSION),
	[XRTO_A_EARLY]		= NLA_POLICY_MAX(NLA_U8, XRTO_EARLY_QUARTER),
};

/* Read a number from the request, if the request contains the number. */
static void xrto_read(u8 *value, const struct nlattr *attr)
{
	if (attr)
		*value = nla_get_u8(attr);
}

/* Read the key from the request, if the request contains a key. An empty key removes the key. A
 * netlink policy cannot express that a key has exactly 16 bytes or 0 bytes.
 */
static int xrto_read_key(struct xrto_settings *settings,
			 const struct nlattr *attr,
			 struct netlink_ext_ack *extack)
{
	if (!attr)
		return 0;
	if (nla_len(attr) && nla_len(attr) != XRTO_KEY_LEN) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "xlo_rto: key must have 16 bytes or none");
		return -ERANGE;
	}
	settings->keyed = nla_len(attr);
	if (settings->keyed)
		settings->key = xrto_token_key(nla_data(attr));
	return 0;
}

static int xrto_read_settings(struct xrto_settings *settings,
			      struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;

	xrto_read(&settings->accept, attrs[XRTO_A_ACCEPT]);
	xrto_read(&settings->one_hop, attrs[XRTO_A_ONE_HOP]);
	xrto_read(&settings->encoding, attrs[XRTO_A_ENCODING]);
	xrto_read(&settings->early, attrs[XRTO_A_EARLY]);
	return xrto_read_key(settings, attrs[XRTO_A_KEY], info->extack);
}

/* Activate new settings, which belong to the network namespace from now on. A reader sees either
 * all old or all new settings. The caller holds the lock of the namespace's struct xrto_net.
 */
static void xrto_config_replace(struct net *net, struct xrto_settings *settings)
{
	struct xrto_net *xn = xrto_net(net);

	settings = rcu_replace_pointer(xn->settings, settings,
				       lockdep_is_held(&xn->lock));
	kfree_rcu(settings, rcu);
}

/* Change all settings. After an error, no setting has changed. Timeouts that messages have already
 * moved do not change.
 */
static int xrto_configure(struct net *net, const struct xrto_settings *settings)
{
	struct xrto_settings *copy;
	int err;

	copy = kmemdup(settings, sizeof(*settings), GFP_KERNEL_ACCOUNT);
	if (!copy)
		return -ENOMEM;
	err = settings->accept ? xrto_hooks_start(net) : 0;
	if (err) {
		kfree(copy);
		return err;
	}
	xrto_config_replace(net, copy);
	if (!settings->accept)
		xrto_hooks_stop(net);
	return 0;
}

static int xrto_set_locked(struct net *net, struct genl_info *info)
{
	struct xrto_net *xn = xrto_net(net);
	struct xrto_settings settings;
	int err;

	settings = *rcu_dereference_protected(xn->settings,
					      lockdep_is_held(&xn->lock));
	err = xrto_read_settings(&settings, info);
	if (err)
		return err;
	err = xrto_configure(net, &settings);
	if (err)
		GENL_SET_ERR_MSG(info, "xlo_rto: no memory, or netfilter refuses the hooks");
	else
		xrto_event_settings(net, &settings);
	return err;
}

static int xrto_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct net *net = genl_info_net(info);
	struct xrto_net *xn = xrto_net(net);
	int err;

	mutex_lock(&xn->lock);
	err = xrto_set_locked(net, info);
	mutex_unlock(&xn->lock);
	return err;
}

/* Add counters as a nest. Attribute 1 is padding, and the attributes 2 to @max are counters. */
static int xrto_put_counters(struct sk_buff *msg, int type,
			     const atomic64_t *count, int max)
{
	struct nlattr *nest = nla_nest_start(msg, type);
	int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = XRTO_STATS_PAD + 1; i <= max; i++)
		if (nla_put_u64_64bit(msg, i, atomic64_read(&count[i]),
				      XRTO_STATS_PAD))
			return -EMSGSIZE;
	nla_nest_end(msg, nest);
	return 0;
}

static int xrto_put_stats(struct sk_buff *msg, const struct xrto_net *xn)
{
	BUILD_BUG_ON((int)XRTO_STATS_PAD != (int)XRTO_NOTICES_PAD);
	return xrto_put_counters(msg, XRTO_A_STATS, xn->count,
				 XRTO_STATS_MAX) ?:
	       xrto_put_counters(msg, XRTO_A_NOTICES, xn->notices,
				 XRTO_NOTICES_MAX);
}

/* Check whether the sender of a request may see the counters. The counters reveal whether a guessed
 * sequence number was right, for connections of all users.
 */
static bool xrto_may_count(const struct sk_buff *skb, const struct net *net)
{
	return netlink_ns_capable(skb, net->user_ns, CAP_NET_ADMIN);
}

/* Add the settings, and the counters if @count is set. */
static int xrto_put_answer(struct sk_buff *msg, const struct xrto_net *xn,
			   bool count)
{
	int err;

	rcu_read_lock();
	err = xrto_put_settings(msg, rcu_dereference(xn->settings));
	rcu_read_unlock();
	if (!err && count)
		err = xrto_put_stats(msg, xn);
	return err;
}

static struct genl_family xrto_genl_family;

static int xrto_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct net *net = genl_info_net(info);
	struct sk_buff *msg;
	void *hdr;

	msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	hdr = genlmsg_put_reply(msg, info, &xrto_genl_family, 0, XRTO_CMD_GET);
	if (!hdr ||
	    xrto_put_answer(msg, xrto_net(net), xrto_may_count(skb, net))) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	genlmsg_end(msg, hdr);
	return genlmsg_reply(msg, info);
}

static const struct nla_policy xrto_notify_policy[XRTO_A_MAX + 1] = {
	[XRTO_A_CODE]	= NLA_POLICY_MAX(NLA_U8, XRTO_CODE_LINK_UP),
	[XRTO_A_PACKET]	= NLA_POLICY_RANGE(NLA_BINARY, 1, XRTO_PACKET_MAX),
};

static int xrto_refuse_packet(struct netlink_ext_ack *extack,
			      const struct nlattr *packet,
			      enum xrto_notices refusal)
{
	switch (refusal) {
	case XRTO_NOTICES_FRAGMENT:
		NL_SET_ERR_MSG_ATTR(extack, packet,
				    "xlo_rto: packet must not be a fragment other than the first");
		break;
	case XRTO_NOTICES_ICMP:
		NL_SET_ERR_MSG_ATTR(extack, packet,
				    "xlo_rto: packet must not be ICMP");
		break;
	case XRTO_NOTICES_ADDRESS:
		NL_SET_ERR_MSG_ATTR(extack, packet,
				    "xlo_rto: packet must be unicast, from one host to one host");
		break;
	case XRTO_NOTICES_NOT_TCP:
		NL_SET_ERR_MSG_ATTR(extack, packet,
				    "xlo_rto: packet must be TCP, UDP or DCCP unless code is discarded");
		break;
	case XRTO_NOTICES_SYN:
		NL_SET_ERR_MSG_ATTR(extack, packet,
				    "xlo_rto: packet must not be a SYN");
		break;
	case XRTO_NOTICES_RST:
		NL_SET_ERR_MSG_ATTR(extack, packet,
				    "xlo_rto: packet must not be a RST");
		break;
	case XRTO_NOTICES_NO_OPTION:
		NL_SET_ERR_MSG_ATTR(extack, packet,
				    "xlo_rto: packet must carry the cross-layer option: code is defer, or packet is not TCP");
		break;
	default:
		NL_SET_ERR_MSG_ATTR(extack, packet,
				    "xlo_rto: packet must be IP from its header on, with the header of TCP, UDP or DCCP");
		break;
	}
	return -EINVAL;
}

/* Refuse a request whose message is not sent. */
static int xrto_notify_refuse(struct netlink_ext_ack *extack,
			      const struct nlattr *packet,
			      enum xrto_notices refusal)
{
	switch (refusal) {
	case XRTO_NOTICES_HOST_LIMIT:
		NL_SET_ERR_MSG_ATTR(extack, packet,
				    "xlo_rto: too many messages to this host: at most 10 a second");
		return -EBUSY;
	case XRTO_NOTICES_LIMIT:
		NL_SET_ERR_MSG_ATTR(extack, packet,
				    "xlo_rto: too many messages: at most 1000 a second");
		return -EBUSY;
	case XRTO_NOTICES_QUEUE_FULL:
		NL_SET_ERR_MSG_ATTR(extack, packet,
				    "xlo_rto: too many messages wait to be sent");
		return -EBUSY;
	case XRTO_NOTICES_NOMEM:
		NL_SET_ERR_MSG_ATTR(extack, packet,
				    "xlo_rto: no memory");
		return -ENOMEM;
	default:
		return xrto_refuse_packet(extack, packet, refusal);
	}
}

/* XRTO_CMD_NOTIFY: send a message for a program, in the same way as for a link. The request
 * succeeds only if the message is queued.
 */
static int xrto_notify_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[XRTO_A_PACKET];
	enum xrto_notices refusal;
	struct sk_buff *packet;

	if (GENL_REQ_ATTR_CHECK(info, XRTO_A_CODE) ||
	    GENL_REQ_ATTR_CHECK(info, XRTO_A_PACKET))
		return -EINVAL;
	packet = alloc_skb(nla_len(attr), GFP_KERNEL);
	if (!packet)
		return -ENOMEM;
	skb_put_data(packet, nla_data(attr), nla_len(attr));
	refusal = xrto_outbox_add(genl_info_net(info), packet, 0,
				  nla_get_u8(info->attrs[XRTO_A_CODE]));
	kfree_skb(packet);
	return refusal ? xrto_notify_refuse(info->extack, attr, refusal) : 0;
}

/* XRTO_CMD_LISTEN: has no effect on Linux 6.8 and later, which need no request to listen. */
static int xrto_listen_doit(struct sk_buff *skb, struct genl_info *info)
{
	int err = genl_listener_add(genl_info_net(info), NETLINK_CB(skb).sk, 0);

	if (err)
		GENL_SET_ERR_MSG(info,
				 "xlo_rto: 8 sockets listen in this namespace: close one first");
	return err;
}

static const struct genl_ops xrto_genl_ops[] = {
	{
		.cmd		= XRTO_CMD_SET,
		.doit		= xrto_set_doit,
		.policy		= xrto_settings_policy,
		.maxattr	= XRTO_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	/* reading the settings needs no privilege */
	{
		.cmd		= XRTO_CMD_GET,
		.doit		= xrto_get_doit,
	},
	{
		.cmd		= XRTO_CMD_NOTIFY,
		.doit		= xrto_notify_doit,
		.policy		= xrto_notify_policy,
		.maxattr	= XRTO_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= XRTO_CMD_LISTEN,
		.doit		= xrto_listen_doit,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
};

static const struct genl_multicast_group xrto_genl_groups[] = {
	{ .name = XRTO_GENL_GROUP, .flags = GENL_MCAST_CAP_NET_ADMIN },
};

static struct genl_family xrto_genl_family __ro_after_init = {
	.name		= XRTO_GENL_NAME,
	.version	= XRTO_GENL_VERSION,
	.module		= THIS_MODULE,
	.netnsok	= true,
	/* SET waits for RCU grace periods, and must not block commands of other families */
	.parallel_ops	= true,
	.ops		= xrto_genl_ops,
	.n_ops		= ARRAY_SIZE(xrto_genl_ops),
	.mcgrps		= xrto_genl_groups,
	.n_mcgrps	= ARRAY_SIZE(xrto_genl_groups),
};

/**
 * xrto_netlink_init() - register the family
 *
 * Return: 0 or an error
 */
int xrto_netlink_init(void)
{
	int err = genl_listeners_init();

	if (err)
		return err;
	err = genl_register_family(&xrto_genl_family);
	if (err)
		genl_listeners_exit();
	else
		xrto_event_start(&xrto_genl_family);
	return err;
}

/** xrto_netlink_exit() - unregister the family */
void xrto_netlink_exit(void)
{
	xrto_event_stop();
	genl_unregister_family(&xrto_genl_family);
	genl_listeners_exit();
}
