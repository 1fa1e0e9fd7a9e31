// SPDX-License-Identifier: GPL-2.0-or-later
/* Qdiscs and classes of the kernel: see qdiscs.h. */
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include "qdiscs.h"

struct look {
	unsigned int ifindex;
	qdisc_see_fn see;
	void *arg;
};

static bool is_wanted(const struct look *look, const struct tcmsg *tcm)
{
	/* the kernel lists the qdiscs of all devices */
	return (!look->ifindex || tcm->tcm_ifindex == (int)look->ifindex) &&
	       tcm->tcm_parent != TC_H_INGRESS;
}

static int see_message(struct nl_msg *msg, void *arg)
{
	const struct tcmsg *tcm = nlmsg_data(nlmsg_hdr(msg));
	const struct look *look = arg;
	struct nlattr *attrs[TCA_MAX + 1];
	struct qdisc_view q = { 0 };

	if (nlmsg_parse(nlmsg_hdr(msg), sizeof(*tcm), attrs, TCA_MAX, NULL) || !attrs[TCA_KIND] ||
	    !is_wanted(look, tcm))
		return NL_OK;
	q.ifindex = tcm->tcm_ifindex;
	q.handle = tcm->tcm_handle;
	q.parent = tcm->tcm_parent;
	q.kind = nla_get_string(attrs[TCA_KIND]);
	q.options = attrs[TCA_OPTIONS];
	if (attrs[TCA_STATS2])
		nla_parse_nested(q.stats, TCA_STATS_MAX, attrs[TCA_STATS2], NULL);
	look->see(&q, look->arg);
	return NL_OK;
}

static bool dump(struct netlink *nl, int type, struct look *look)
{
	const struct tcmsg tcm = { .tcm_ifindex = look->ifindex };
	struct nl_msg *msg = nlmsg_alloc_simple(type, 0);
	bool done;

	nlmsg_append(msg, (void *)&tcm, sizeof(tcm), NLMSG_ALIGNTO);
	done = netlink_dump(nl, msg, see_message, look);
	nlmsg_free(msg);
	return done;
}

bool qdiscs_each(struct netlink *nl, unsigned int ifindex, qdisc_see_fn see, void *arg)
{
	return dump(nl, RTM_GETQDISC, &(struct look){ ifindex, see, arg });
}

bool classes_each(struct netlink *nl, unsigned int ifindex, qdisc_see_fn see, void *arg)
{
	return dump(nl, RTM_GETTCLASS, &(struct look){ ifindex, see, arg });
}

struct gnet_stats_queue qdisc_queue(const struct qdisc_view *q)
{
	struct gnet_stats_queue queue = { 0 };

	if (q->stats[TCA_STATS_QUEUE])
		nla_memcpy(&queue, q->stats[TCA_STATS_QUEUE], sizeof(queue));
	return queue;
}

struct gnet_stats_basic qdisc_basic(const struct qdisc_view *q)
{
	struct gnet_stats_basic basic = { 0 };

	if (q->stats[TCA_STATS_BASIC])
		nla_memcpy(&basic, q->stats[TCA_STATS_BASIC], sizeof(basic));
	return basic;
}

uint64_t qdisc_packets(const struct qdisc_view *q)
{
	if (q->stats[TCA_STATS_PKT64])
		return nla_get_u64(q->stats[TCA_STATS_PKT64]);
	return qdisc_basic(q).packets;
}
