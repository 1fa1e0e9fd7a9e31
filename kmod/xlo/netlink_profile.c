// SPDX-License-Identifier: GPL-2.0
/* Profiles over netlink. */

#include <net/netlink.h>
#include <net/sock.h>
#include <net/xlo.h>
#include "event.h"
#include "netlink.h"

/* Types and lengths only: ranges are checked by hand, for words that name them. */
const struct nla_policy xlo_profile_policy[XLO_A_MAX + 1] = {
	[XLO_A_PROFILE_NAME]	= { .type = NLA_NUL_STRING,
				    .len = XLO_NAME_LEN - 1 },
	[XLO_A_MARK]		= { .type = NLA_U32 },
	[XLO_A_MASK]		= { .type = NLA_U32 },
	[XLO_A_LIFETIME]	= { .type = NLA_U32 },
	[XLO_A_RTO]		= { .type = NLA_FLAG },
	[XLO_A_REORDER]		= { .type = NLA_U8 },
	[XLO_A_STALE]		= { .type = NLA_U8 },
	[XLO_A_SLOW]		= { .type = NLA_FLAG },
	[XLO_A_CORRUPT_OK]	= { .type = NLA_FLAG },
	[XLO_A_CLOCK]		= { .type = NLA_U8 },
	[XLO_A_PATH]		= { .type = NLA_U8 },
	[XLO_A_REPEATS]		= { .type = NLA_FLAG },
};

const struct nla_policy xlo_name_policy[XLO_A_MAX + 1] = {
	[XLO_A_PROFILE_NAME]	= { .type = NLA_NUL_STRING,
				    .len = XLO_NAME_LEN - 1 },
};

/* A name is one word in every output. */
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
	if (!p->mask)
		return XLO_REFUSE(info, XLO_A_MASK, ERANGE,
				  "mask must be 1 to 0xffffffff");
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
	if (p->lifetime > XLO_PROFILE_LIFETIME_MAX)
		return XLO_REFUSE(info, XLO_A_LIFETIME, ERANGE,
				  "lifetime must be 0 to 43200000 ms");
	return 0;
}

static int xlo_read_flags(struct xlo_profile *p, struct genl_info *info)
{
	struct nlattr **tb = info->attrs;
	u8 stale = XLO_STALE_DISCARD;

	if (tb[XLO_A_STALE])
		stale = nla_get_u8(tb[XLO_A_STALE]);
	if (stale >= XLO_STALE_RESERVED)
		return XLO_REFUSE(info, XLO_A_STALE, ERANGE,
				  "stale must be 0 (forward), 1 (discard) or 2 (truncate)");
	p->flags = XLO_STALE_FLAGS(stale) |
		   (nla_get_flag(tb[XLO_A_SLOW]) ? XLO_FLAG_SLOW : 0) |
		   (nla_get_flag(tb[XLO_A_CORRUPT_OK]) ?
		    XLO_FLAG_CORRUPT_OK : 0);
	return 0;
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
	if (p->clock > XLO_CLOCK_UTC)
		return XLO_REFUSE(info, XLO_A_CLOCK, ERANGE,
				  "clock must be 0 (relative) or 1 (utc)");
	p->path = XLO_PATH_OUTPUT;
	if (tb[XLO_A_PATH])
		p->path = nla_get_u8(tb[XLO_A_PATH]);
	if (!p->path || p->path > XLO_PATH_ALL)
		return XLO_REFUSE(info, XLO_A_PATH, ERANGE,
				  "path must be 1 (output), 2 (forward) or 3 (both)");
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
	if (!err)
		err = xlo_read_flags(p, info);
	if (!err)
		err = xlo_read_form(p, info);
	return err;
}

/* Whether a profile can be added to those there are. */
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

/**
 * xlo_profile_add_doit() - XLO_CMD_PROFILE_ADD
 * @skb: the request
 * @info: what it says
 *
 * Return: 0, or an error that the extended ack explains
 */
int xlo_profile_add_doit(struct sk_buff *skb, struct genl_info *info)
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
	if (!err)
		xlo_event_profile(net, XLO_CMD_PROFILE_ADD, &p);
	return err;
}

/**
 * xlo_profile_del_doit() - XLO_CMD_PROFILE_DEL
 * @skb: the request
 * @info: what it says
 *
 * Return: 0, or an error that the extended ack explains
 */
int xlo_profile_del_doit(struct sk_buff *skb, struct genl_info *info)
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
	if (!err)
		xlo_event_profile(net, XLO_CMD_PROFILE_DEL, &gone);
	return err;
}

static int xlo_put_profile_lifetime(struct sk_buff *msg,
				    const struct xlo_profile *p)
{
	if (p->rto)
		return nla_put_flag(msg, p->repeats ? XLO_A_REPEATS : XLO_A_RTO);
	return nla_put_u32(msg, XLO_A_LIFETIME, p->lifetime) ?:
	       nla_put_u8(msg, XLO_A_REORDER, p->reorder);
}

/**
 * xlo_put_profile() - a profile's attributes
 * @msg: room for them
 * @p: the profile
 *
 * Return: 0 or -EMSGSIZE
 */
int xlo_put_profile(struct sk_buff *msg, const struct xlo_profile *p)
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

/**
 * xlo_profile_dumpit() - XLO_CMD_PROFILE_GET
 * @skb: room for a part of the dump
 * @cb: where it stands
 *
 * Return: bytes in @skb
 */
int xlo_profile_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
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
