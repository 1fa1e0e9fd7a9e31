// SPDX-License-Identifier: GPL-2.0-or-later
/* Qdiscs, MTU and offloads of a device: see inspect.h. */
#include <linux/ethtool.h>
#include <linux/pkt_sched.h>
#include <linux/pkt_sched_lpd.h>
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
#include "qdiscs.h"

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

static void keep(const struct qdisc_view *q, void *arg)
{
	struct doctor_facts *facts = arg;
	struct doctor_qdisc *kept = &facts->qdiscs[facts->count];

	if (facts->count == DOCTOR_QDISCS)
		return;
	*kept = (struct doctor_qdisc){ .handle = q->handle, .parent = q->parent,
				       .backlog = qdisc_queue(q).backlog };
	snprintf(kept->kind, sizeof(kept->kind), "%s", q->kind);
	kept->shapes = is_shaper(kept->kind, q->options);
	if (!strcmp(kept->kind, "lpd") && !facts->lpd.packets) {
		read_options(&facts->lpd, q->options);
		read_counters(&facts->lpd, q->stats[TCA_STATS_APP]);
	}
	facts->count++;
}

bool inspect_qdiscs(struct netlink *nl, unsigned int ifindex, struct doctor_facts *facts)
{
	facts->count = 0;
	facts->lpd = (struct doctor_lpd){ 0 };
	return qdiscs_each(nl, ifindex, keep, facts);
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
