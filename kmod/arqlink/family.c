// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family "arqlink", which sends the notices of the notifier chain to programs.
 *
 * A message is built only if a network namespace has a listener in the group. The number of events
 * has no limit of its own: each belongs to a packet from a local queue, which costs more than the
 * event, and listeners are privileged.
 */

#include <linux/ktime.h>
#include <net/fl_deadline.h>
#include <net/fl_genl.h>
#include <net/genetlink.h>
#include "family.h"
#include "notice.h"

enum { ARQL_GROUP_EVENTS, ARQL_GROUP_PACKETS };

static const struct genl_multicast_group arql_family_groups[] = {
	[ARQL_GROUP_EVENTS]	= { .name = ARQLINK_GENL_EVENTS,
				    .flags = GENL_MCAST_CAP_NET_ADMIN },
	[ARQL_GROUP_PACKETS]	= { .name = ARQLINK_GENL_PACKETS,
				    .flags = GENL_MCAST_CAP_NET_ADMIN },
};

/* ARQLINK_CMD_LISTEN*: have no effect on Linux 6.8 and later, which need no request to listen. */
static int arql_listen_doit(struct sk_buff *skb, struct genl_info *info)
{
	const int group = info->genlhdr->cmd == ARQLINK_CMD_LISTEN ? ARQL_GROUP_EVENTS :
								     ARQL_GROUP_PACKETS;
	int err = genl_listener_add(genl_info_net(info), NETLINK_CB(skb).sk, group);

	if (err)
		GENL_SET_ERR_MSG(info,
				 "arqlink: 8 sockets listen in this namespace: close one first");
	return err;
}

static const struct genl_ops arql_family_ops[] = {
	{
		.cmd	= ARQLINK_CMD_LISTEN,
		.doit	= arql_listen_doit,
		.flags	= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd	= ARQLINK_CMD_LISTEN_PACKETS,
		.doit	= arql_listen_doit,
		.flags	= GENL_UNS_ADMIN_PERM,
	},
};

static struct genl_family arql_family __ro_after_init = {
	.name		= ARQLINK_GENL_NAME,
	.version	= ARQLINK_GENL_VERSION,
	.module		= THIS_MODULE,
	.netnsok	= true,
	.ops		= arql_family_ops,
	.n_ops		= ARRAY_SIZE(arql_family_ops),
	.mcgrps		= arql_family_groups,
	.n_mcgrps	= ARRAY_SIZE(arql_family_groups),
};

/* Adds the beginning of the packet from its network header on. */
static int arql_put_beginning(struct sk_buff *msg, const struct arql_notice *notice)
{
	const struct sk_buff *skb = notice->skb;
	const int off = max(notice->network, 0);
	const unsigned int len = skb->len - off;
	u8 data[ARQLINK_PACKET_MAX];
	const unsigned int count = min_t(unsigned int, len, sizeof(data));

	if (nla_put_u32(msg, ARQLINK_A_LENGTH, len))
		return -EMSGSIZE;
	if (notice->network < 0 || skb_copy_bits(skb, off, data, count))
		return 0;
	return nla_put_u16(msg, ARQLINK_A_PROTOCOL, ntohs(notice->protocol)) ?:
	       nla_put(msg, ARQLINK_A_PACKET, count, data);
}

static int arql_put_times(struct sk_buff *msg, const struct arql_notice *notice)
{
	const s64 now = ktime_get_ns();
	int err = nla_put_u64_64bit(msg, ARQLINK_A_AGE, now - notice->accepted_at, ARQLINK_A_PAD);

	if (err || notice->deadline == FL_NO_DEADLINE)
		return err;
	return nla_put_s64(msg, ARQLINK_A_LEFT, notice->deadline - now, ARQLINK_A_PAD);
}

static int arql_put_packet(struct sk_buff *msg, const struct arql_notice *notice)
{
	return arql_put_beginning(msg, notice) ?:
	       nla_put_u32(msg, ARQLINK_A_FRAMES, notice->frames) ?:
	       nla_put_u32(msg, ARQLINK_A_TRANSMISSIONS, notice->transmissions) ?:
	       nla_put_u32(msg, ARQLINK_A_ATTEMPTS, notice->attempts) ?:
	       arql_put_times(msg, notice);
}

static int arql_put_notice(struct sk_buff *msg, u8 event, const struct arql_notice *notice)
{
	int err = nla_put_u32(msg, ARQLINK_A_IFINDEX, notice->dev->ifindex);

	if (!err && (event == ARQLINK_CMD_FLUSH || event == ARQLINK_CMD_BACKLOG))
		err = nla_put_u32(msg, ARQLINK_A_PACKETS, notice->packets);
	if (!err && event == ARQLINK_CMD_PACKET)
		err = nla_put_u16(msg, ARQLINK_A_RESULT, notice->result);
	if (!err && notice->skb)
		err = arql_put_packet(msg, notice);
	return err;
}

static void arql_family_send(u8 event, const struct arql_notice *notice, int group)
{
	struct sk_buff *msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_ATOMIC);
	struct net *net = dev_net(notice->dev);
	void *hdr;

	if (!msg)
		return;
	hdr = genlmsg_put(msg, 0, 0, &arql_family, 0, event);
	if (!hdr || arql_put_notice(msg, event, notice)) {
		nlmsg_free(msg);
		return;
	}
	genlmsg_end(msg, hdr);
	genlmsg_multicast_netns_filtered(&arql_family, net, msg, 0, group, GFP_ATOMIC,
					 fl_genl_withheld, net);
}

static int arql_family_notice(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct arql_notice *notice = data;
	const int group = event == ARQLINK_CMD_PACKET ? ARQL_GROUP_PACKETS : ARQL_GROUP_EVENTS;

	if (genl_has_listeners(&arql_family, dev_net(notice->dev), group))
		arql_family_send(event, notice, group);
	return NOTIFY_DONE;
}

static struct notifier_block arql_family_notifier = {
	.notifier_call = arql_family_notice,
};

/**
 * arql_family_init() - register the family, before the first device
 *
 * Return: 0 or an error
 */
int arql_family_init(void)
{
	int err = genl_listeners_init();

	if (err)
		return err;
	err = genl_register_family(&arql_family);
	if (err)
		goto err_listeners;
	err = arql_notifier_register(&arql_family_notifier);
	if (err)
		goto err_family;
	return 0;

err_family:
	genl_unregister_family(&arql_family);
err_listeners:
	genl_listeners_exit();
	return err;
}

/** arql_family_exit() - unregister the family, after the last device */
void arql_family_exit(void)
{
	arql_notifier_unregister(&arql_family_notifier);
	genl_unregister_family(&arql_family);
	genl_listeners_exit();
}
