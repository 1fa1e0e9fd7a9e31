// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family "lpd" sets gates: see <linux/lpd_genl.h>.
 *
 * A request does not take RTNL, because a program sends many requests a second, and other
 * programs may hold RTNL for long. A request finds the qdisc under RCU and takes its lock.
 * The core removes a root from its device under the same lock and destroys the root
 * afterwards. Therefore a qdisc that is still the root when its lock is held cannot be
 * destroyed until the lock is released. When a device is unregistered, the core removes the
 * root without the lock. But before that, the core removes the device from the table of devices and
 * waits for RCU.
 */

#include <linux/netdevice.h>
#include <net/genetlink.h>
#include <net/netlink.h>
#include "gated.h"
#include "genl.h"

static struct genl_family lpd_genl_family;
static const struct Qdisc_ops *lpd_genl_ops;

/* Refuses a request. Sets the attribute and the text of the extended ack, and returns the error. */
#define LPD_REFUSE(info, attr, err, why)				\
	({								\
		struct genl_info *info_ = (info);			\
									\
		NL_SET_ERR_MSG_ATTR(info_->extack, info_->attrs[attr],	\
				    "lpd: " why);			\
		-(err);							\
	})

#define LPD_MISSING(info, name)						\
	({								\
		GENL_SET_ERR_MSG(info, "lpd: " name " is missing");	\
		-EINVAL;						\
	})

/* Calls a function for the root qdisc of a device, under the root lock. Returns -EOPNOTSUPP if the
 * root is not an lpd. The caller must hold rcu_read_lock().
 */
static int lpd_call(const struct net_device *dev, int (*function)(struct Qdisc *sch, void *arg),
		    void *arg)
{
	struct Qdisc *sch = rcu_dereference(dev->qdisc);
	int err = -EOPNOTSUPP;

	if (sch->ops != lpd_genl_ops)
		return -EOPNOTSUPP;
	spin_lock_bh(qdisc_lock(sch));
	if (sch == qdisc_root_sleeping(sch))
		err = function(sch, arg);
	spin_unlock_bh(qdisc_lock(sch));
	return err;
}

/* Calls a function for the lpd that a request names, under the root lock. */
static int lpd_request(struct genl_info *info, int (*function)(struct Qdisc *sch, void *arg),
		       void *arg)
{
	const struct nlattr *ifindex = info->attrs[LPD_A_IFINDEX];
	const struct net_device *dev;
	int err;

	if (!ifindex)
		return LPD_MISSING(info, "ifindex");
	rcu_read_lock();
	dev = dev_get_by_index_rcu(genl_info_net(info), nla_get_u32(ifindex));
	err = dev ? lpd_call(dev, function, arg) : -ENODEV;
	rcu_read_unlock();
	if (err == -ENODEV)
		return LPD_REFUSE(info, LPD_A_IFINDEX, ENODEV, "no interface has this index");
	if (err == -EOPNOTSUPP)
		return LPD_REFUSE(info, LPD_A_IFINDEX, EOPNOTSUPP,
				  "only a root lpd has a gate: tc qdisc replace dev DEV root lpd");
	return err;
}

static int lpd_put_state(struct sk_buff *msg, u32 ifindex,
			 const struct lpd_gate_state *s)
{
	return nla_put_u32(msg, LPD_A_IFINDEX, ifindex) ?:
	       nla_put_u64_64bit(msg, LPD_A_WINDOW, s->window, LPD_A_PAD) ?:
	       nla_put_u64_64bit(msg, LPD_A_RATE, s->rate, LPD_A_PAD) ?:
	       nla_put_u64_64bit(msg, LPD_A_DELAY, s->delay, LPD_A_PAD) ?:
	       nla_put_u64_64bit(msg, LPD_A_BYTES, s->bytes, LPD_A_PAD) ?:
	       nla_put_u64_64bit(msg, LPD_A_ACKED, s->acked, LPD_A_PAD) ?:
	       nla_put_u32(msg, LPD_A_BACKLOG, s->backlog) ?:
	       nla_put_s64(msg, LPD_A_NOW, s->now, LPD_A_PAD);
}

static int lpd_put_probe(struct sk_buff *msg, const struct lpd_probe *p)
{
	int err = nla_put_u64_64bit(msg, LPD_A_PROBE_BYTES, p->bytes, LPD_A_PAD) ?:
		  nla_put_s64(msg, LPD_A_PROBE_TIME, p->time, LPD_A_PAD);

	if (!err && p->idle)
		err = nla_put_flag(msg, LPD_A_PROBE_IDLE);
	return err;
}

/* Allocates an answer. lpd_gate_set_doit() does this before it applies the request, so that a lack
 * of memory refuses the whole request.
 */
static struct sk_buff *lpd_answer_new(struct genl_info *info)
{
	struct sk_buff *msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);

	if (!msg)
		GENL_SET_ERR_MSG(info, "lpd: no memory for the answer");
	return msg;
}

static int lpd_answer(struct sk_buff *msg, struct genl_info *info, enum lpd_cmd cmd,
		      const struct lpd_gate_state *state)
{
	void *hdr = genlmsg_put_reply(msg, info, &lpd_genl_family, 0, cmd);
	int err = hdr ? 0 : -EMSGSIZE;

	if (!err)
		err = lpd_put_state(msg, nla_get_u32(info->attrs[LPD_A_IFINDEX]), state);
	if (!err && info->attrs[LPD_A_PROBE])
		err = lpd_put_probe(msg, &state->probe);
	if (err) {
		nlmsg_free(msg);
		return err;
	}
	genlmsg_end(msg, hdr);
	return genlmsg_reply(msg, info);
}

static const struct netlink_range_validation lpd_rate_range = {
	.min = 1,
	.max = U64_MAX,
};

static const struct netlink_range_validation lpd_delay_range = {
	.max = TC_LPD_DELAY_MAX,
};

static const struct nla_policy lpd_gate_policy[LPD_A_MAX + 1] = {
	[LPD_A_IFINDEX]	= { .type = NLA_U32 },
	[LPD_A_PROBE]	= { .type = NLA_U32 },
	[LPD_A_WINDOW]	= { .type = NLA_U64 },
	[LPD_A_RATE]	= NLA_POLICY_FULL_RANGE(NLA_U64, &lpd_rate_range),
	[LPD_A_DELAY]	= NLA_POLICY_FULL_RANGE(NLA_U64, &lpd_delay_range),
};

static const struct nla_policy lpd_ifindex_policy[LPD_A_MAX + 1] = {
	[LPD_A_IFINDEX]	= { .type = NLA_U32 },
};

static int lpd_read_wish(struct lpd_gate_wish *wish, struct genl_info *info)
{
	struct nlattr **tb = info->attrs;

	if (!tb[LPD_A_WINDOW])
		return LPD_MISSING(info, "window");
	*wish = (struct lpd_gate_wish){
		.window = nla_get_u64(tb[LPD_A_WINDOW]),
		.has_delay = tb[LPD_A_DELAY],
		.has_probe = tb[LPD_A_PROBE],
	};
	if (tb[LPD_A_RATE])
		wish->rate = nla_get_u64(tb[LPD_A_RATE]);
	if (tb[LPD_A_DELAY])
		wish->delay = nla_get_u64(tb[LPD_A_DELAY]);
	if (tb[LPD_A_PROBE])
		wish->probe = nla_get_u32(tb[LPD_A_PROBE]);
	return 0;
}

/* The arguments of lpd_gated_set() */
struct lpd_set {
	struct lpd_gate_wish wish;
	struct lpd_gated *spare;
	struct lpd_gate_state state;
};

static int lpd_call_set(struct Qdisc *sch, void *arg)
{
	struct lpd_set *set = arg;

	return lpd_gated_set(sch, &set->wish, &set->spare, &set->state);
}

/* Applies a request. The first request needs a new gate, which cannot be allocated under the
 * lock.
 */
static int lpd_apply_set(struct genl_info *info, struct lpd_set *set)
{
	int err = lpd_request(info, lpd_call_set, set);

	if (err == -EAGAIN) {
		set->spare = lpd_gated_alloc();
		if (!set->spare) {
			GENL_SET_ERR_MSG(info, "lpd: no memory for the gate");
			return -ENOMEM;
		}
		err = lpd_request(info, lpd_call_set, set);
		kvfree(set->spare);
	}
	if (err == -ENOENT)
		return LPD_REFUSE(info, LPD_A_PROBE, ENOENT,
				  "probe is not one of the last 256 that left through the gate");
	return err;
}

static int lpd_gate_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct lpd_set set = {};
	struct sk_buff *msg;
	int err;

	err = lpd_read_wish(&set.wish, info);
	if (err)
		return err;
	msg = lpd_answer_new(info);
	if (!msg)
		return -ENOMEM;
	err = lpd_apply_set(info, &set);
	if (!err)
		return lpd_answer(msg, info, LPD_CMD_GATE_SET, &set.state);
	nlmsg_free(msg);
	return err;
}

static int lpd_no_gate(struct genl_info *info)
{
	return LPD_REFUSE(info, LPD_A_IFINDEX, ENOENT, "this lpd has no gate");
}

static int lpd_call_del(struct Qdisc *sch, void *unused)
{
	return lpd_gated_del(sch);
}

static int lpd_gate_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	int err = lpd_request(info, lpd_call_del, NULL);

	return err == -ENOENT ? lpd_no_gate(info) : err;
}

static int lpd_call_get(struct Qdisc *sch, void *state)
{
	return lpd_gated_get(sch, state);
}

static int lpd_gate_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct lpd_gate_state state;
	struct sk_buff *msg;
	int err;

	err = lpd_request(info, lpd_call_get, &state);
	if (err)
		return err == -ENOENT ? lpd_no_gate(info) : err;
	msg = lpd_answer_new(info);
	return msg ? lpd_answer(msg, info, LPD_CMD_GATE_GET, &state) : -ENOMEM;
}

/* Adds the gate of a device to a dump, if the device has a gate. */
static int lpd_dump_gate(struct sk_buff *skb, struct netlink_callback *cb,
			 const struct net_device *dev)
{
	struct lpd_gate_state state;
	void *hdr;
	int err;

	if (lpd_call(dev, lpd_call_get, &state))
		return 0;
	hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			  &lpd_genl_family, NLM_F_MULTI, LPD_CMD_GATE_GET);
	if (!hdr)
		return -EMSGSIZE;
	err = lpd_put_state(skb, dev->ifindex, &state);
	if (err)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return err;
}

static int lpd_gate_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct net_device *dev;
	long index = 0;

	rcu_read_lock();
	for_each_netdev_rcu(sock_net(skb->sk), dev) {
		if (index >= cb->args[0] && lpd_dump_gate(skb, cb, dev))
			break;
		index++;
	}
	rcu_read_unlock();
	cb->args[0] = index;
	return skb->len;
}

static const struct genl_ops lpd_gate_ops[] = {
	{
		.cmd		= LPD_CMD_GATE_SET,
		.doit		= lpd_gate_set_doit,
		.policy		= lpd_gate_policy,
		.maxattr	= LPD_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= LPD_CMD_GATE_DEL,
		.doit		= lpd_gate_del_doit,
		.policy		= lpd_ifindex_policy,
		.maxattr	= LPD_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	/* reading needs no privilege */
	{
		.cmd		= LPD_CMD_GATE_GET,
		.doit		= lpd_gate_get_doit,
		.dumpit		= lpd_gate_dumpit,
		.policy		= lpd_ifindex_policy,
		.maxattr	= LPD_A_MAX,
	},
};

static struct genl_family lpd_genl_family __ro_after_init = {
	.name		= LPD_GENL_NAME,
	.version	= LPD_GENL_VERSION,
	.module		= THIS_MODULE,
	.netnsok	= true,
	.parallel_ops	= true,
	.ops		= lpd_gate_ops,
	.n_ops		= ARRAY_SIZE(lpd_gate_ops),
};

/**
 * lpd_genl_init() - register the family
 * @ops: the operations of lpd, by which the family recognizes an lpd
 *
 * Return: 0 or an error
 */
int lpd_genl_init(const struct Qdisc_ops *ops)
{
	lpd_genl_ops = ops;
	return genl_register_family(&lpd_genl_family);
}

/** lpd_genl_exit() - unregister the family */
void lpd_genl_exit(void)
{
	genl_unregister_family(&lpd_genl_family);
}
