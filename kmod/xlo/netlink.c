// SPDX-License-Identifier: GPL-2.0
/* The generic netlink family "xlo": profiles, caps, settings and counters. */

#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/genetlink.h>
#include <net/netlink.h>
#include <net/sock.h>
#include <net/xlo.h>
#include "event.h"
#include "hooks.h"
#include "netlink.h"

static struct genl_family xlo_genl_family;

/* Refuses a request. Sets the attribute and the text of the extended ack, and returns the error. */
#define XLO_REFUSE(info, attr, err, why)				\
	({								\
		struct genl_info *info_ = (info);			\
									\
		NL_SET_ERR_MSG_ATTR(info_->extack, info_->attrs[attr],	\
				    "xlo: " why);			\
		-(err);							\
	})

#define XLO_MISSING(info, name)						\
	({								\
		GENL_SET_ERR_MSG(info, "xlo: " name " is missing");	\
		-EINVAL;						\
	})

static int xlo_no_change(struct genl_info *info)
{
	GENL_SET_ERR_MSG(info, "xlo: no memory for a new configuration");
	return -ENOMEM;
}

/* Calls xlo_hooks_commit() for a request. The extended ack explains an error. */
static int xlo_change(struct genl_info *info, struct xlo_config *config)
{
	struct net *net = genl_info_net(info);
	int err = xlo_hooks_commit(net, xlo_net(net), config);

	if (err)
		GENL_SET_ERR_MSG(info, "xlo: a netfilter hook cannot be registered");
	return err;
}

/* Begins a message of a dump. The seq of @cb is the configuration's generation. A change between
 * two parts of the dump is reported as an interrupted dump. Returns NULL if @skb is full.
 */
static void *xlo_dump_put(struct sk_buff *skb, struct netlink_callback *cb,
			  enum xlo_cmd cmd)
{
	void *hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				cb->nlh->nlmsg_seq, &xlo_genl_family,
				NLM_F_MULTI, cmd);

	if (hdr)
		genl_dump_check_consistent(cb, hdr);
	return hdr;
}

static const struct netlink_range_validation xlo_lifetime_range = {
	.max = XLO_PROFILE_LIFETIME_MAX,
};

static const struct nla_policy xlo_profile_policy[XLO_A_MAX + 1] = {
	[XLO_A_PROFILE_NAME]	= { .type = NLA_NUL_STRING,
				    .len = XLO_NAME_LEN - 1 },
	[XLO_A_MARK]		= { .type = NLA_U32 },
	[XLO_A_MASK]		= NLA_POLICY_MIN(NLA_U32, 1),
	[XLO_A_LIFETIME]	= NLA_POLICY_FULL_RANGE(NLA_U32,
							&xlo_lifetime_range),
	[XLO_A_RTO]		= { .type = NLA_FLAG },
	[XLO_A_REORDER]		= { .type = NLA_U8 },
	[XLO_A_STALE]		= NLA_POLICY_MAX(NLA_U8, XLO_STALE_TRUNCATE),
	[XLO_A_SLOW]		= { .type = NLA_FLAG },
	[XLO_A_CORRUPT_OK]	= { .type = NLA_FLAG },
	[XLO_A_CLOCK]		= NLA_POLICY_MAX(NLA_U8, XLO_CLOCK_UTC),
	[XLO_A_PATH]		= NLA_POLICY_RANGE(NLA_U8, XLO_PATH_OUTPUT,
						   XLO_PATH_ALL),
	[XLO_A_REPEATS]		= { .type = NLA_FLAG },
};

static const struct nla_policy xlo_name_policy[XLO_A_MAX + 1] = {
	[XLO_A_PROFILE_NAME]	= { .type = NLA_NUL_STRING,
				    .len = XLO_NAME_LEN - 1 },
};

/* Checks whether a name is valid. A name has no blanks, so it is a single word in every output. */
static bool xlo_name_good(const char *name)
{
	const char *c;

	for (c = name; *c; c++)
		if (!isascii(*c) || !isgraph(*c))
			return false;
	return c > name;
}

static int xlo_read_mark(struct xlo_profile *p, struct genl_info *info)
{
	struct nlattr **tb = info->attrs;

	if (!tb[XLO_A_MARK])
		return XLO_MISSING(info, "mark");
	if (!tb[XLO_A_MASK])
		return XLO_MISSING(info, "mask");
	p->mark = nla_get_u32(tb[XLO_A_MARK]);
	p->mask = nla_get_u32(tb[XLO_A_MASK]);
	if (p->mark & ~p->mask)
		return XLO_REFUSE(info, XLO_A_MARK, EINVAL,
				  "mark must have no bit outside the mask");
	return 0;
}

static int xlo_read_lifetime(struct xlo_profile *p, struct genl_info *info)
{
	struct nlattr **tb = info->attrs;

	p->repeats = nla_get_flag(tb[XLO_A_REPEATS]);
	p->rto = p->repeats || nla_get_flag(tb[XLO_A_RTO]);
	if (p->rto && tb[XLO_A_LIFETIME])
		return XLO_REFUSE(info, XLO_A_LIFETIME, EINVAL,
				  "lifetime must be one of a time, rto and repeats");
	if (p->repeats && tb[XLO_A_RTO])
		return XLO_REFUSE(info, XLO_A_RTO, EINVAL,
				  "lifetime must be one of a time, rto and repeats");
	if (p->rto)
		return 0;
	if (!tb[XLO_A_LIFETIME])
		return XLO_MISSING(info, "lifetime");
	p->lifetime = nla_get_u32(tb[XLO_A_LIFETIME]);
	return 0;
}

static void xlo_read_flags(struct xlo_profile *p, struct genl_info *info)
{
	struct nlattr **tb = info->attrs;
	u8 stale = XLO_STALE_DISCARD;

	if (tb[XLO_A_STALE])
		stale = nla_get_u8(tb[XLO_A_STALE]);
	p->flags = XLO_STALE_FLAGS(stale) |
		   (nla_get_flag(tb[XLO_A_SLOW]) ? XLO_FLAG_SLOW : 0) |
		   (nla_get_flag(tb[XLO_A_CORRUPT_OK]) ?
		    XLO_FLAG_CORRUPT_OK : 0);
}

static int xlo_read_form(struct xlo_profile *p, struct genl_info *info)
{
	struct nlattr **tb = info->attrs;

	if (p->rto && tb[XLO_A_REORDER])
		return XLO_REFUSE(info, XLO_A_REORDER, EINVAL,
				  "reorder is TCP's own with lifetime rto or repeats");
	if (tb[XLO_A_REORDER])
		p->reorder = nla_get_u8(tb[XLO_A_REORDER]);
	if (tb[XLO_A_CLOCK])
		p->clock = nla_get_u8(tb[XLO_A_CLOCK]);
	p->path = XLO_PATH_OUTPUT;
	if (tb[XLO_A_PATH])
		p->path = nla_get_u8(tb[XLO_A_PATH]);
	if (p->rto && p->path != XLO_PATH_OUTPUT)
		return XLO_REFUSE(info, XLO_A_PATH, EINVAL,
				  "path must be output with lifetime rto or repeats");
	return 0;
}

static int xlo_read_name(char *name, struct genl_info *info)
{
	if (!info->attrs[XLO_A_PROFILE_NAME])
		return XLO_MISSING(info, "name");
	nla_strscpy(name, info->attrs[XLO_A_PROFILE_NAME], XLO_NAME_LEN);
	if (!xlo_name_good(name))
		return XLO_REFUSE(info, XLO_A_PROFILE_NAME, EINVAL,
				  "name must be 1 to 31 visible ASCII characters");
	return 0;
}

static int xlo_read_profile(struct xlo_profile *p, struct genl_info *info)
{
	int err;

	*p = (struct xlo_profile){ };
	err = xlo_read_name(p->name, info);
	if (!err)
		err = xlo_read_mark(p, info);
	if (!err)
		err = xlo_read_lifetime(p, info);
	if (err)
		return err;
	xlo_read_flags(p, info);
	return xlo_read_form(p, info);
}

static int xlo_put_profile_lifetime(struct sk_buff *msg,
				    const struct xlo_profile *p)
{
	if (p->rto)
		return nla_put_flag(msg, p->repeats ? XLO_A_REPEATS : XLO_A_RTO);
	return nla_put_u32(msg, XLO_A_LIFETIME, p->lifetime) ?:
	       nla_put_u8(msg, XLO_A_REORDER, p->reorder);
}

static int xlo_put_profile(struct sk_buff *msg, const struct xlo_profile *p)
{
	if (nla_put_string(msg, XLO_A_PROFILE_NAME, p->name) ||
	    nla_put_u32(msg, XLO_A_MARK, p->mark) ||
	    nla_put_u32(msg, XLO_A_MASK, p->mask) ||
	    xlo_put_profile_lifetime(msg, p) ||
	    nla_put_u8(msg, XLO_A_STALE, XLO_TREATMENT(p->flags)) ||
	    (p->flags & XLO_FLAG_SLOW && nla_put_flag(msg, XLO_A_SLOW)) ||
	    (p->flags & XLO_FLAG_CORRUPT_OK &&
	     nla_put_flag(msg, XLO_A_CORRUPT_OK)) ||
	    nla_put_u8(msg, XLO_A_CLOCK, p->clock) ||
	    nla_put_u8(msg, XLO_A_PATH, p->path))
		return -EMSGSIZE;
	return 0;
}

static void xlo_tell_profile(struct net *net, enum xlo_cmd cmd,
			     const struct xlo_profile *p)
{
	struct sk_buff *msg;

	if (!xlo_event_heard(net))
		return;
	msg = xlo_event_new(cmd, GFP_KERNEL);
	xlo_event_finish(net, msg, msg ? xlo_put_profile(msg, p) : -ENOMEM);
}

/* Refuses a profile that conflicts with a profile in @config. */
static int xlo_check_profile(const struct xlo_config *config,
			     const struct xlo_profile *p,
			     struct genl_info *info)
{
	if (xlo_profile_find(config, p->name) >= 0)
		return XLO_REFUSE(info, XLO_A_PROFILE_NAME, EEXIST,
				  "a profile has this name already");
	if (xlo_profile_overlap(config, p) >= 0)
		return XLO_REFUSE(info, XLO_A_MARK, EEXIST,
				  "mark and mask match packets of another profile");
	if (config->profile_count == XLO_PROFILES_MAX)
		return XLO_REFUSE(info, XLO_A_PROFILE_NAME, ENOSPC,
				  "there are 64 profiles already");
	return 0;
}

static int xlo_profile_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct net *net = genl_info_net(info);
	struct xlo_net *xn = xlo_net(net);
	struct xlo_config *config;
	struct xlo_profile p;
	int err;

	err = xlo_read_profile(&p, info);
	if (err)
		return err;
	config = xlo_config_begin(xn);
	if (!config)
		return xlo_no_change(info);
	err = xlo_check_profile(config, &p, info);
	if (err) {
		xlo_config_abort(xn, config);
		return err;
	}
	xlo_profile_add(xn, config, &p);
	err = xlo_change(info, config);
	if (err)
		return err;
	xlo_tell_profile(net, XLO_CMD_PROFILE_ADD, &p);
	xlo_config_end(xn);
	return 0;
}

static int xlo_profile_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct net *net = genl_info_net(info);
	struct xlo_net *xn = xlo_net(net);
	struct xlo_config *config;
	struct xlo_profile gone;
	int err, index;

	err = xlo_read_name(gone.name, info);
	if (err)
		return err;
	config = xlo_config_begin(xn);
	if (!config)
		return xlo_no_change(info);
	index = xlo_profile_find(config, gone.name);
	if (index < 0) {
		xlo_config_abort(xn, config);
		return XLO_REFUSE(info, XLO_A_PROFILE_NAME, ENOENT,
				  "no profile has this name");
	}
	gone = config->profiles[index];
	xlo_profile_remove(config, index);
	err = xlo_change(info, config);
	if (err)
		return err;
	xlo_tell_profile(net, XLO_CMD_PROFILE_DEL, &gone);
	xlo_config_end(xn);
	return 0;
}

static int xlo_put_profile_packets(struct sk_buff *msg, struct xlo_net *xn,
				   const struct xlo_profile *p)
{
	int err = xlo_put_profile(msg, p);

	if (err)
		return err;
	return nla_put_u64_64bit(msg, XLO_A_PACKETS,
				 xlo_counter_profile(xn, p->slot) - p->base,
				 XLO_A_PAD);
}

static int xlo_profile_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct xlo_net *xn = xlo_net(sock_net(skb->sk));
	const struct xlo_config *config;
	void *hdr;
	int i;

	rcu_read_lock();
	config = rcu_dereference(xn->config);
	cb->seq = config->generation;
	for (i = cb->args[0]; i < config->profile_count; i++) {
		hdr = xlo_dump_put(skb, cb, XLO_CMD_PROFILE_GET);
		if (!hdr || xlo_put_profile_packets(skb, xn,
						    &config->profiles[i])) {
			genlmsg_cancel(skb, hdr);
			break;
		}
		genlmsg_end(skb, hdr);
	}
	rcu_read_unlock();
	cb->args[0] = i;
	return skb->len;
}

static const struct netlink_range_validation xlo_cap_range = {
	.min = 1,
	.max = XLO_PROFILE_LIFETIME_MAX,
};

static const struct nla_policy xlo_cap_policy[XLO_A_MAX + 1] = {
	[XLO_A_IFINDEX]		= { .type = NLA_U32 },
	[XLO_A_CAP]		= NLA_POLICY_FULL_RANGE(NLA_U32, &xlo_cap_range),
};

static const struct nla_policy xlo_ifindex_policy[XLO_A_MAX + 1] = {
	[XLO_A_IFINDEX]		= { .type = NLA_U32 },
};

static int xlo_put_cap(struct sk_buff *msg, const struct xlo_cap *cap)
{
	return nla_put_u32(msg, XLO_A_IFINDEX, cap->ifindex) ?:
	       nla_put_u32(msg, XLO_A_CAP, cap->ms);
}

static void xlo_tell_cap(struct net *net, enum xlo_cmd cmd,
			 const struct xlo_cap *cap)
{
	struct sk_buff *msg;

	if (!xlo_event_heard(net))
		return;
	msg = xlo_event_new(cmd, GFP_KERNEL);
	xlo_event_finish(net, msg, msg ? xlo_put_cap(msg, cap) : -ENOMEM);
}

static int xlo_cap_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
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
	return 0;
}

/* Adds a cap to an interface, or changes the existing cap of the interface. */
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

/* The caller holds RTNL. Without RTNL, the interface could be removed before its cap is active, and
 * the cap would remain.
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
	if (err)
		return err;
	xlo_tell_cap(net, XLO_CMD_CAP_SET, cap);
	xlo_config_end(xn);
	return 0;
}

static int xlo_cap_set_doit(struct sk_buff *skb, struct genl_info *info)
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

/* Removes the cap of an interface. Returns -ENOENT if the interface has no cap. */
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
	err = xlo_hooks_commit(net, xn, config);
	if (err)
		return err;
	xlo_tell_cap(net, XLO_CMD_CAP_DEL, &gone);
	xlo_config_end(xn);
	return 0;
}

static int xlo_cap_del_doit(struct sk_buff *skb, struct genl_info *info)
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
 * xlo_cap_device_gone() - remove the cap of an interface that is unregistered
 * @net: the network namespace of the interface
 * @ifindex: the interface
 *
 * If no memory is available, the cap remains. No packet with this interface index arrives any more,
 * unless a new interface gets the same index. A request can still delete the cap.
 *
 * Context: process, under RTNL
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

static const struct nla_policy xlo_settings_policy[XLO_A_MAX + 1] = {
	[XLO_A_TXTIME]		= NLA_POLICY_MAX(NLA_U8, 1),
	[XLO_A_VALIDATE]	= NLA_POLICY_MAX(NLA_U8, 1),
};

static void xlo_read_settings(struct xlo_config *config,
			      struct genl_info *info)
{
	struct nlattr **tb = info->attrs;

	if (tb[XLO_A_TXTIME])
		config->txtime = nla_get_u8(tb[XLO_A_TXTIME]);
	if (tb[XLO_A_VALIDATE])
		config->validate = nla_get_u8(tb[XLO_A_VALIDATE]);
}

static int xlo_put_settings(struct sk_buff *msg,
			    const struct xlo_config *config)
{
	return nla_put_u8(msg, XLO_A_TXTIME, config->txtime) ?:
	       nla_put_u8(msg, XLO_A_VALIDATE, config->validate);
}

static void xlo_tell_settings(struct net *net, const struct xlo_config *config)
{
	struct sk_buff *msg;

	if (!xlo_event_heard(net))
		return;
	msg = xlo_event_new(XLO_CMD_SET, GFP_KERNEL);
	xlo_event_finish(net, msg, msg ? xlo_put_settings(msg, config) : -ENOMEM);
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
	xlo_read_settings(config, info);
	err = xlo_change(info, config);
	if (err)
		return err;
	xlo_tell_settings(net, config);
	xlo_config_end(xn);
	return 0;
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

static int xlo_put_settings_now(struct sk_buff *msg, const struct xlo_net *xn)
{
	int err;

	rcu_read_lock();
	err = xlo_put_settings(msg, rcu_dereference(xn->config));
	rcu_read_unlock();
	return err;
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
	if (!hdr || xlo_put_settings_now(msg, xn) || xlo_put_stats(msg, xn)) {
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
	/* reading needs no privilege */
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

/* Requests run in parallel, because they do not depend on genl_mutex. A change holds the lock of
 * its network namespace from the copy of the configuration until its event is sent. Events are
 * therefore sent in the order of the changes. Packets and reading requests use RCU. The core
 * waits for requests before it removes the family. A dump holds a module reference.
 */
static struct genl_family xlo_genl_family __ro_after_init = {
	.name		= XLO_GENL_NAME,
	.version	= XLO_GENL_VERSION,
	.module		= THIS_MODULE,
	.netnsok	= true,
	.parallel_ops	= true,
	.ops		= xlo_genl_ops,
	.n_ops		= ARRAY_SIZE(xlo_genl_ops),
	.mcgrps		= xlo_genl_groups,
	.n_mcgrps	= ARRAY_SIZE(xlo_genl_groups),
};

/**
 * xlo_netlink_init() - register the family and allow events
 *
 * Return: 0 or an error
 */
int xlo_netlink_init(void)
{
	int err = genl_register_family(&xlo_genl_family);

	if (!err)
		xlo_event_start(&xlo_genl_family);
	return err;
}

/** xlo_netlink_exit() - stop events and unregister the family */
void xlo_netlink_exit(void)
{
	xlo_event_stop();
	genl_unregister_family(&xlo_genl_family);
}
