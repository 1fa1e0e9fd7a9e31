// SPDX-License-Identifier: GPL-2.0
/* The generic netlink family "cellink": load and unload traces. */

#include <linux/rtnetlink.h>
#include <linux/vmalloc.h>
#include <net/genetlink.h>
#include "channel.h"
#include "device.h"
#include "family.h"
#include "upload.h"

/* Refuse a request because of an attribute. */
#define CELL_REFUSE(info, attr, err, why)				\
	({								\
		struct genl_info *info_ = (info);			\
									\
		NL_SET_ERR_MSG_ATTR(info_->extack, info_->attrs[attr],	\
				    "cellink: " why);			\
		-(err);							\
	})

/* Refuse a request for a reason that concerns no single attribute. */
#define CELL_REFUSE_ALL(info, err, why)					\
	({								\
		GENL_SET_ERR_MSG(info, "cellink: " why);		\
		-(err);							\
	})

static const struct netlink_range_validation cell_count_range = {
	.min = 1,
	.max = CELLINK_TRACE_MAX,
};

static const struct netlink_range_validation cell_opportunity_range = {
	.min = 1,
	.max = CELLINK_OPPORTUNITY_MAX,
};

static const struct nla_policy cell_start_policy[CELLINK_A_MAX + 1] = {
	[CELLINK_A_COUNT]	= NLA_POLICY_FULL_RANGE(NLA_U32, &cell_count_range),
};

static const struct nla_policy cell_add_policy[CELLINK_A_MAX + 1] = {
	[CELLINK_A_TIMES]	= { .type = NLA_BINARY },
};

static const struct nla_policy cell_commit_policy[CELLINK_A_MAX + 1] = {
	[CELLINK_A_PAD]		= { .type = NLA_FLAG },
	[CELLINK_A_IFINDEX]	= { .type = NLA_U32 },
	[CELLINK_A_OPPORTUNITY]	= NLA_POLICY_FULL_RANGE(NLA_U32, &cell_opportunity_range),
	[CELLINK_A_ONCE]	= NLA_POLICY_MAX(NLA_U8, 1),
	[CELLINK_A_OFFSET]	= { .type = NLA_U64 },
	[CELLINK_A_TURNS]	= NLA_POLICY_MAX(NLA_U8, 1),
};

static const struct nla_policy cell_del_policy[CELLINK_A_MAX + 1] = {
	[CELLINK_A_IFINDEX]	= { .type = NLA_U32 },
	[CELLINK_A_TURNS]	= NLA_POLICY_MAX(NLA_U8, 1),
};

static struct cell_upload *cell_upload_of(struct genl_info *info)
{
	return cell_upload_find(genl_info_net(info), info->snd_portid);
}

static int cell_start_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct cell_upload *upload;
	int err;

	if (!info->attrs[CELLINK_A_COUNT])
		return CELL_REFUSE_ALL(info, EINVAL, "count is missing");
	upload = cell_upload_alloc(nla_get_u32(info->attrs[CELLINK_A_COUNT]));
	if (!upload)
		return CELL_REFUSE(info, CELLINK_A_COUNT, ENOMEM,
				   "not enough memory for so many opportunities");
	cell_uploads_lock();
	err = cell_upload_start(upload, genl_info_net(info), info->snd_portid);
	if (err)
		cell_upload_forget(upload);
	cell_uploads_unlock();
	if (err)
		return CELL_REFUSE_ALL(info, EBUSY,
				       "the namespace has 8 uploads already: expected one of them to end first");
	return 0;
}

static int cell_add(struct genl_info *info, const struct nlattr *times)
{
	struct cell_upload *upload = cell_upload_of(info);
	int err;

	if (!upload)
		return CELL_REFUSE_ALL(info, ENOENT,
				       "this socket has no upload: expected TRACE_START first");
	err = cell_upload_add(upload, nla_data(times),
			      nla_len(times) / sizeof(u32));
	if (err == -E2BIG)
		return CELL_REFUSE(info, CELLINK_A_TIMES, E2BIG,
				   "times must not be more than count");
	if (err)
		return CELL_REFUSE(info, CELLINK_A_TIMES, EINVAL,
				   "times must not decrease");
	return 0;
}

static int cell_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *times = info->attrs[CELLINK_A_TIMES];
	int err;

	if (!times)
		return CELL_REFUSE_ALL(info, EINVAL, "times are missing");
	if (!nla_len(times) || nla_len(times) % sizeof(u32))
		return CELL_REFUSE(info, CELLINK_A_TIMES, EINVAL,
				   "times must have 4 bytes each");
	cell_uploads_lock();
	err = cell_add(info, times);
	cell_uploads_unlock();
	return err;
}

static struct net_device *cell_device_of(struct genl_info *info)
{
	const struct nlattr *ifindex = info->attrs[CELLINK_A_IFINDEX];

	return ifindex ? cell_device_find(genl_info_net(info),
					  nla_get_u32(ifindex)) : NULL;
}

static int cell_no_device(struct genl_info *info)
{
	if (!info->attrs[CELLINK_A_IFINDEX])
		return CELL_REFUSE_ALL(info, EINVAL, "ifindex is missing");
	return CELL_REFUSE(info, CELLINK_A_IFINDEX, ENODEV,
			   "ifindex must be that of a cellink device in this namespace");
}

/* Is the request about a trace of turns? */
static bool cell_is_turns(struct genl_info *info)
{
	const struct nlattr *turns = info->attrs[CELLINK_A_TURNS];

	return turns && nla_get_u8(turns);
}

/* Read how to follow the trace, except for the offset, whose maximum depends on the length. */
static int cell_trace_read(struct cell_trace *trace, struct genl_info *info)
{
	const struct nlattr *opportunity = info->attrs[CELLINK_A_OPPORTUNITY];
	const struct nlattr *once = info->attrs[CELLINK_A_ONCE];

	if (opportunity && cell_is_turns(info))
		return CELL_REFUSE(info, CELLINK_A_OPPORTUNITY, EINVAL,
				   "opportunity must not be given with turns");
	if (opportunity)
		trace->opportunity = nla_get_u32(opportunity);
	else if (!cell_is_turns(info))
		trace->opportunity = CELLINK_OPPORTUNITY_DEFAULT;
	if (once)
		trace->once = nla_get_u8(once);
	return 0;
}

static int cell_trace_take(struct cell_trace *trace, struct genl_info *info,
			   const struct cell_upload *upload)
{
	const struct nlattr *offset = info->attrs[CELLINK_A_OFFSET];

	if (!upload)
		return CELL_REFUSE_ALL(info, ENOENT,
				       "this socket has no upload: expected TRACE_START first");
	if (upload->filled < upload->count)
		return CELL_REFUSE_ALL(info, EINVAL, "times are fewer than count");
	trace->ms = upload->ms;
	trace->count = upload->count;
	if (!cell_trace_length(trace))
		return CELL_REFUSE_ALL(info, EINVAL,
				       "the last time must be more than 0, because the trace repeats there");
	if (!offset)
		return 0;
	if (nla_get_u64(offset) >= cell_trace_length(trace))
		return CELL_REFUSE(info, CELLINK_A_OFFSET, ERANGE,
				   "offset must be less than the trace's length");
	trace->offset = nla_get_u64(offset);
	return 0;
}

static int cell_commit_turns(struct genl_info *info, struct cell_channel *ch,
			     struct cell_trace *turns)
{
	if (cell_config_has_states(&ch->cfg))
		return CELL_REFUSE(info, CELLINK_A_IFINDEX, EINVAL,
				   "the device has good and bad: expected neither with turns");
	cell_channel_turn(ch, turns);
	return 0;
}

static int cell_commit(struct genl_info *info, struct cell_trace *trace)
{
	struct net_device *dev = cell_device_of(info);
	struct cell_channel *ch;

	if (!dev)
		return cell_no_device(info);
	ch = netdev_priv(dev);
	if (cell_is_turns(info))
		return cell_commit_turns(info, ch, trace);
	if (ch->cfg.rate)
		return CELL_REFUSE(info, CELLINK_A_IFINDEX, EINVAL,
				   "the device has a rate: expected none (unlimited) with a trace");
	cell_channel_follow(ch, trace);
	return 0;
}

static int cell_commit_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct cell_trace trace = {};
	struct cell_upload *upload;
	int err;

	err = cell_trace_read(&trace, info);
	if (err)
		return err;
	cell_uploads_lock();
	upload = cell_upload_of(info);
	err = cell_trace_take(&trace, info, upload);
	if (!err) {
		rtnl_lock();
		err = cell_commit(info, &trace);
		rtnl_unlock();
	}
	if (!err) {
		/* @trace is now the old trace, if any: free it with the upload */
		upload->ms = trace.ms;
		cell_upload_forget(upload);
	}
	cell_uploads_unlock();
	return err;
}

static int cell_del(struct genl_info *info, struct cell_trace *trace)
{
	struct net_device *dev = cell_device_of(info);
	struct cell_channel *ch;

	if (!dev)
		return cell_no_device(info);
	ch = netdev_priv(dev);
	if (cell_is_turns(info) ? !ch->turns.ms : !ch->trace.ms)
		return CELL_REFUSE(info, CELLINK_A_IFINDEX, ENOENT,
				   "the device follows no such trace");
	if (cell_is_turns(info))
		cell_channel_turn(ch, trace);
	else
		cell_channel_follow(ch, trace);
	return 0;
}

static int cell_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct cell_trace trace = {};
	int err;

	rtnl_lock();
	err = cell_del(info, &trace);
	rtnl_unlock();
	vfree(trace.ms);
	return err;
}

static const struct genl_ops cell_family_ops[] = {
	{
		.cmd		= CELLINK_CMD_TRACE_START,
		.doit		= cell_start_doit,
		.policy		= cell_start_policy,
		.maxattr	= CELLINK_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= CELLINK_CMD_TRACE_ADD,
		.doit		= cell_add_doit,
		.policy		= cell_add_policy,
		.maxattr	= CELLINK_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= CELLINK_CMD_TRACE_COMMIT,
		.doit		= cell_commit_doit,
		.policy		= cell_commit_policy,
		.maxattr	= CELLINK_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= CELLINK_CMD_TRACE_DEL,
		.doit		= cell_del_doit,
		.policy		= cell_del_policy,
		.maxattr	= CELLINK_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
};

static struct genl_family cell_family __ro_after_init = {
	.name		= CELLINK_GENL_NAME,
	.version	= CELLINK_GENL_VERSION,
	.module		= THIS_MODULE,
	.netnsok	= true,
	/* requests take their own locks, so that an upload does not block other families */
	.parallel_ops	= true,
	.ops		= cell_family_ops,
	.n_ops		= ARRAY_SIZE(cell_family_ops),
};

/**
 * cell_family_init() - register the family
 *
 * Return: 0 or an error
 */
int cell_family_init(void)
{
	int err = cell_uploads_init();

	if (err)
		return err;
	err = genl_register_family(&cell_family);
	if (err)
		cell_uploads_exit();
	return err;
}

/** cell_family_exit() - unregister the family, and delete all uploads */
void cell_family_exit(void)
{
	genl_unregister_family(&cell_family);
	cell_uploads_exit();
}
