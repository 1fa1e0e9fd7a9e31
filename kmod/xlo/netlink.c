// SPDX-License-Identifier: GPL-2.0
/* The generic netlink family "xlo": its operations, settings and counters. */

#include <net/netlink.h>
#include "event.h"
#include "netlink.h"

static const struct nla_policy xlo_settings_policy[XLO_A_MAX + 1] = {
	[XLO_A_TXTIME]		= { .type = NLA_U8 },
	[XLO_A_VALIDATE]	= { .type = NLA_U8 },
};

/**
 * xlo_no_change() - refuse a change for want of memory
 * @info: the request
 *
 * Return: -ENOMEM
 */
int xlo_no_change(struct genl_info *info)
{
	GENL_SET_ERR_MSG(info, "xlo: no memory for a new configuration");
	return -ENOMEM;
}

/**
 * xlo_change() - end a change: packets see it from now on
 * @info: the request
 * @config: of xlo_config_begin(), altered; in use or freed afterwards
 *
 * Return: 0, or an error that the extended ack explains, and nothing is changed
 */
int xlo_change(struct genl_info *info, struct xlo_config *config)
{
	struct net *net = genl_info_net(info);
	int err = xlo_config_commit(net, xlo_net(net), config);

	if (err)
		GENL_SET_ERR_MSG(info, "xlo: a netfilter hook is not to be had");
	return err;
}

/**
 * xlo_dump_put() - begin a message of a dump
 * @skb: room for it
 * @cb: the dump; its seq is the configuration's generation, so that a change
 *	between two parts shows as an interrupted dump
 * @cmd: the message's command
 *
 * Return: its header, NULL if it does not fit
 */
void *xlo_dump_put(struct sk_buff *skb, struct netlink_callback *cb,
		   enum xlo_cmd cmd)
{
	void *hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				cb->nlh->nlmsg_seq, &xlo_genl_family,
				NLM_F_MULTI, cmd);

	if (hdr)
		genl_dump_check_consistent(cb, hdr);
	return hdr;
}

static int xlo_read_switch(bool *on, struct nlattr *attr)
{
	u8 value = attr ? nla_get_u8(attr) : *on;

	*on = value;
	return value > 1 ? -ERANGE : 0;
}

static int xlo_read_settings(struct xlo_config *config, struct genl_info *info)
{
	if (xlo_read_switch(&config->txtime, info->attrs[XLO_A_TXTIME]))
		return XLO_REFUSE(info, XLO_A_TXTIME, ERANGE,
				  "txtime must be 0 or 1");
	if (xlo_read_switch(&config->validate, info->attrs[XLO_A_VALIDATE]))
		return XLO_REFUSE(info, XLO_A_VALIDATE, ERANGE,
				  "validate must be 0 or 1");
	return 0;
}

static int xlo_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct net *net = genl_info_net(info);
	struct xlo_net *xn = xlo_net(net);
	struct xlo_config *config;
	int err;

	config = xlo_config_begin(xn);
	if (!config)
		return xlo_no_change(info);
	err = xlo_read_settings(config, info);
	if (err) {
		xlo_config_abort(xn, config);
		return err;
	}
	err = xlo_change(info, config);
	if (!err)
		xlo_event_settings(net, xn);
	return err;
}

/**
 * xlo_put_settings() - the attributes of the settings
 * @msg: room for them
 * @xn: the namespace
 *
 * Return: 0 or -EMSGSIZE
 */
int xlo_put_settings(struct sk_buff *msg, struct xlo_net *xn)
{
	const struct xlo_config *config;
	bool txtime, validate;

	rcu_read_lock();
	config = rcu_dereference(xn->config);
	txtime = config->txtime;
	validate = config->validate;
	rcu_read_unlock();
	return nla_put_u8(msg, XLO_A_TXTIME, txtime) ?:
	       nla_put_u8(msg, XLO_A_VALIDATE, validate);
}

static int xlo_put_stats(struct sk_buff *msg, const struct xlo_net *xn)
{
	struct nlattr *nest = nla_nest_start(msg, XLO_A_STATS);
	int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = XLO_STATS_PAD + 1; i <= XLO_STATS_MAX; i++)
		if (nla_put_u64_64bit(msg, i, xlo_counter(xn, i),
				      XLO_STATS_PAD))
			return -EMSGSIZE;
	nla_nest_end(msg, nest);
	return 0;
}

static int xlo_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct xlo_net *xn = xlo_net(genl_info_net(info));
	struct sk_buff *msg;
	void *hdr;

	msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	hdr = genlmsg_put_reply(msg, info, &xlo_genl_family, 0, XLO_CMD_GET);
	if (!hdr || xlo_put_settings(msg, xn) || xlo_put_stats(msg, xn)) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	genlmsg_end(msg, hdr);
	return genlmsg_reply(msg, info);
}

static const struct genl_ops xlo_genl_ops[] = {
	{
		.cmd		= XLO_CMD_PROFILE_ADD,
		.doit		= xlo_profile_add_doit,
		.policy		= xlo_profile_policy,
		.maxattr	= XLO_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= XLO_CMD_PROFILE_DEL,
		.doit		= xlo_profile_del_doit,
		.policy		= xlo_name_policy,
		.maxattr	= XLO_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= XLO_CMD_CAP_SET,
		.doit		= xlo_cap_set_doit,
		.policy		= xlo_cap_policy,
		.maxattr	= XLO_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= XLO_CMD_CAP_DEL,
		.doit		= xlo_cap_del_doit,
		.policy		= xlo_ifindex_policy,
		.maxattr	= XLO_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= XLO_CMD_SET,
		.doit		= xlo_set_doit,
		.policy		= xlo_settings_policy,
		.maxattr	= XLO_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	/* anybody may read */
	{
		.cmd		= XLO_CMD_PROFILE_GET,
		.dumpit		= xlo_profile_dumpit,
	},
	{
		.cmd		= XLO_CMD_CAP_GET,
		.dumpit		= xlo_cap_dumpit,
	},
	{
		.cmd		= XLO_CMD_GET,
		.doit		= xlo_get_doit,
	},
};

static const struct genl_multicast_group xlo_genl_groups[] = {
	{ .name = XLO_GENL_GROUP },
};

struct genl_family xlo_genl_family __ro_after_init = {
	.name		= XLO_GENL_NAME,
	.version	= XLO_GENL_VERSION,
	.module		= THIS_MODULE,
	.netnsok	= true,
	.ops		= xlo_genl_ops,
	.n_ops		= ARRAY_SIZE(xlo_genl_ops),
	.mcgrps		= xlo_genl_groups,
	.n_mcgrps	= ARRAY_SIZE(xlo_genl_groups),
};

/**
 * xlo_netlink_init() - offer the family
 *
 * Return: 0 or an error
 */
int xlo_netlink_init(void)
{
	int err = genl_register_family(&xlo_genl_family);

	if (!err)
		xlo_event_start();
	return err;
}

/** xlo_netlink_exit() - withdraw the family */
void xlo_netlink_exit(void)
{
	xlo_event_stop();
	genl_unregister_family(&xlo_genl_family);
}
