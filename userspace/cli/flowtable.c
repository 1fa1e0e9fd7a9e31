// SPDX-License-Identifier: GPL-2.0-or-later
/* Flowtables of nft: see inspect.h. */
#include <errno.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <netlink/attr.h>
#include <stdio.h>
#include <string.h>

#include "inspect.h"

#define PREFIX	2	/* NFTA_DEVICE_PREFIX, of newer kernels */

struct search {
	const char *dev;
	struct doctor_flowtable *found;
};

static const char *family_word(uint8_t family)
{
	switch (family) {
	case AF_INET:
		return "ip";
	case AF_INET6:
		return "ip6";
	default:
		return "inet";
	}
}

/* Returns whether an attribute of a flowtable is the name of the device, or a prefix of it. */
static bool is_dev(const struct nlattr *attr, const char *dev)
{
	char name[32];

	nla_strlcpy(name, attr, sizeof(name));
	if (nla_type(attr) == PREFIX)
		return !strncmp(dev, name, strlen(name));
	return !strcmp(dev, name);
}

static bool has_dev(struct nlattr *hook, const char *dev)
{
	struct nlattr *attrs[NFTA_FLOWTABLE_HOOK_MAX + 1], *attr;
	int left;

	if (!hook || nla_parse_nested(attrs, NFTA_FLOWTABLE_HOOK_MAX, hook, NULL) ||
	    !attrs[NFTA_FLOWTABLE_HOOK_DEVS])
		return false;
	nla_for_each_nested(attr, attrs[NFTA_FLOWTABLE_HOOK_DEVS], left)
		if (is_dev(attr, dev))
			return true;
	return false;
}

static bool is_offloaded(struct nlattr *flags)
{
	return flags && ntohl(nla_get_u32(flags)) & NFT_FLOWTABLE_HW_OFFLOAD;
}

static int see_flowtable(struct nl_msg *msg, void *arg)
{
	const struct nfgenmsg *header = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *attrs[NFTA_FLOWTABLE_MAX + 1];
	const struct search *search = arg;
	struct doctor_flowtable *found = search->found;

	if (nlmsg_parse(nlmsg_hdr(msg), sizeof(*header), attrs, NFTA_FLOWTABLE_MAX, NULL) ||
	    !attrs[NFTA_FLOWTABLE_TABLE] || !attrs[NFTA_FLOWTABLE_NAME] || found->hardware ||
	    !has_dev(attrs[NFTA_FLOWTABLE_HOOK], search->dev))
		return NL_OK;
	found->there = DOCTOR_YES;
	found->family = family_word(header->nfgen_family);
	found->hardware = is_offloaded(attrs[NFTA_FLOWTABLE_FLAGS]);
	nla_strlcpy(found->table, attrs[NFTA_FLOWTABLE_TABLE], sizeof(found->table));
	nla_strlcpy(found->name, attrs[NFTA_FLOWTABLE_NAME], sizeof(found->name));
	return NL_OK;
}

static enum doctor_answer explain(const struct netlink *nl)
{
	return nl->error == EPERM ? DOCTOR_FORBIDDEN : DOCTOR_UNKNOWN;
}

void inspect_flowtables(const char *dev, struct doctor_flowtable *flowtable)
{
	const struct nfgenmsg header = { .nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0 };
	struct search search = { dev, flowtable };
	struct nl_msg *msg;
	struct netlink nl;

	flowtable->there = DOCTOR_UNKNOWN;
	if (!netlink_open(&nl, NETLINK_NETFILTER, -1))
		return;
	flowtable->there = DOCTOR_NO;
	msg = nlmsg_alloc_simple(NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETFLOWTABLE, 0);
	nlmsg_append(msg, (void *)&header, sizeof(header), NLMSG_ALIGNTO);
	if (!netlink_dump(&nl, msg, see_flowtable, &search))
		flowtable->there = explain(&nl);
	nlmsg_free(msg);
	netlink_close(&nl);
}
