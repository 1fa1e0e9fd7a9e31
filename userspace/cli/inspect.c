// SPDX-License-Identifier: GPL-2.0-or-later
/* Qdiscs, MTU and offloads of a device: see inspect.h. */
#include <linux/ethtool.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/pkt_sched_lpd.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/route/link.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "device.h"
#include "inspect.h"

struct look {
	unsigned int ifindex;
	struct doctor_facts *facts;
};

static bool in_list(const char *kind, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(kind, *list))
			return true;
	return false;
}

/* cake may limit the rate, too. */
static bool has_rate(struct nlattr *options)
{
	struct nlattr *attrs[TCA_CAKE_MAX + 1];

	return options && !nla_parse_nested(attrs, TCA_CAKE_MAX, options, NULL) &&
	       attrs[TCA_CAKE_BASE_RATE64] && nla_get_u64(attrs[TCA_CAKE_BASE_RATE64]);
}

static bool is_shaper(const char *kind, struct nlattr *options)
{
	static const char *const shapers[] = { "tbf", "htb", "hfsc", "netem", NULL };

	return in_list(kind, shapers) || (!strcmp(kind, "cake") && has_rate(options));
}

static uint32_t backlog_of(struct nlattr **stats)
{
	struct gnet_stats_queue queue = { 0 };

	if (stats[TCA_STATS_QUEUE])
		nla_memcpy(&queue, stats[TCA_STATS_QUEUE], sizeof(queue));
	return queue.backlog;
}

static void read_options(struct doctor_lpd *lpd, struct nlattr *options)
{
	struct nlattr *attrs[TCA_LPD_MAX + 1];

	if (!options || nla_parse_nested(attrs, TCA_LPD_MAX, options, NULL))
		return;
	lpd->strip = attrs[TCA_LPD_STRIP] && nla_get_u8(attrs[TCA_LPD_STRIP]);
	lpd->has_rule = (attrs[TCA_LPD_MATCH] && nla_len(attrs[TCA_LPD_MATCH])) ||
			(attrs[TCA_LPD_LIFETIME] && nla_get_u64(attrs[TCA_LPD_LIFETIME]));
}

static uint64_t counter(struct nlattr **attrs, int number)
{
	return attrs[number] ? nla_get_u64(attrs[number]) : 0;
}

static void read_counters(struct doctor_lpd *lpd, struct nlattr *counters)
{
	struct nlattr *attrs[TCA_LPD_STATS_MAX + 1];

	if (!counters || nla_parse_nested(attrs, TCA_LPD_STATS_MAX, counters, NULL))
		return;
	lpd->packets = counter(attrs, TCA_LPD_STATS_PACKETS_IN);
	lpd->no_lifetime = counter(attrs, TCA_LPD_STATS_NO_LIFETIME);
	lpd->gate = counter(attrs, TCA_LPD_STATS_GATE);
}

static void keep(struct doctor_facts *facts, const struct tcmsg *tcm, struct nlattr **attrs)
{
	struct doctor_qdisc *q = &facts->qdiscs[facts->count];
	struct nlattr *stats[TCA_STATS_MAX + 1] = { NULL };

	if (attrs[TCA_STATS2])
		nla_parse_nested(stats, TCA_STATS_MAX, attrs[TCA_STATS2], NULL);
	*q = (struct doctor_qdisc){ .handle = tcm->tcm_handle, .parent = tcm->tcm_parent,
				    .backlog = backlog_of(stats) };
	snprintf(q->kind, sizeof(q->kind), "%s", nla_get_string(attrs[TCA_KIND]));
	q->shapes = is_shaper(q->kind, attrs[TCA_OPTIONS]);
	if (!strcmp(q->kind, "lpd") && !facts->lpd.packets) {
		read_options(&facts->lpd, attrs[TCA_OPTIONS]);
		read_counters(&facts->lpd, stats[TCA_STATS_APP]);
	}
	facts->count++;
}

static int see_qdisc(struct nl_msg *msg, void *arg)
{
	const struct look *look = arg;
	const struct tcmsg *tcm = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *attrs[TCA_MAX + 1];

	if (tcm->tcm_ifindex == (int)look->ifindex && tcm->tcm_parent != TC_H_INGRESS &&
	    look->facts->count < DOCTOR_QDISCS &&
	    !nlmsg_parse(nlmsg_hdr(msg), sizeof(*tcm), attrs, TCA_MAX, NULL) && attrs[TCA_KIND])
		keep(look->facts, tcm, attrs);
	return NL_OK;
}

bool inspect_qdiscs(struct netlink *nl, unsigned int ifindex, struct doctor_facts *facts)
{
	const struct tcmsg tcm = { .tcm_ifindex = ifindex };
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETQDISC, 0);
	struct look look = { ifindex, facts };
	bool done;

	facts->count = 0;
	facts->lpd = (struct doctor_lpd){ 0 };
	nlmsg_append(msg, (void *)&tcm, sizeof(tcm), NLMSG_ALIGNTO);
	done = netlink_dump(nl, msg, see_qdisc, &look);
	nlmsg_free(msg);
	return done;
}

uint32_t inspect_backlog(struct netlink *nl, unsigned int ifindex, struct doctor_facts *facts)
{
	uint32_t backlog = 0;

	if (!inspect_qdiscs(nl, ifindex, facts))
		return 0;
	for (size_t i = 0; i < facts->count; i++)
		if (facts->qdiscs[i].parent == TC_H_ROOT)
			backlog = facts->qdiscs[i].backlog;
	if (backlog < facts->present)
		facts->present = backlog;
	return backlog;
}

/* Asks a yes-or-no question with the ioctl SIOCETHTOOL. Such questions need no privilege. */
static enum doctor_answer ask_ethtool(const char *dev, uint32_t question)
{
	struct ethtool_value value = { .cmd = question };
	struct ifreq request = { .ifr_data = (void *)&value };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), error;

	if (fd < 0)
		return DOCTOR_UNKNOWN;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", dev);
	error = ioctl(fd, SIOCETHTOOL, &request);
	close(fd);
	if (error)
		return DOCTOR_UNKNOWN;
	return value.data ? DOCTOR_YES : DOCTOR_NO;
}

bool inspect_device(struct netlink *nl, unsigned int ifindex, struct doctor_facts *facts)
{
	char name[IF_NAMESIZE];
	struct rtnl_link *link;

	if (rtnl_link_get_kernel(nl->sock, ifindex, NULL, &link))
		return false;
	facts->mtu = rtnl_link_get_mtu(link);
	rtnl_link_put(link);
	device_name(ifindex, name);
	facts->segments = ask_ethtool(name, ETHTOOL_GGSO);
	if (facts->segments != DOCTOR_YES)
		facts->segments = ask_ethtool(name, ETHTOOL_GTSO);
	facts->merges = ask_ethtool(name, ETHTOOL_GGRO);
	return true;
}
