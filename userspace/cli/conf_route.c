// SPDX-License-Identifier: GPL-2.0-or-later
/* Devices arqlink and root qdiscs lpd as statements of configuration: see conf_state.h. */
#include <errno.h>
#include <linux/arqlink.h>
#include <linux/if_link.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <stdlib.h>
#include <string.h>

#include "../conf/words.h"
#include "../lib/arqlink.h"
#include "../lib/lpd.h"
#include "conf.h"
#include "conf_state.h"
#include "device.h"
#include "netlink.h"
#include "qdisc.h"

static uint64_t number_of(struct nlattr *attr)
{
	return fl_decode(nla_data(attr), nla_len(attr));
}

static void read_values(const struct fl_option *options, struct nlattr **attrs,
			struct fl_value *values)
{
	for (int i = 0; options[i].word; i++) {
		struct nlattr *attr = attrs[options[i].attr];

		values[i] = (struct fl_value){ .set = attr && options[i].type != FL_TEXT };
		if (!values[i].set)
			continue;
		values[i].number = number_of(attr);
		if (options[i].type == FL_MARK && attrs[options[i].mask_attr])
			values[i].second = number_of(attrs[options[i].mask_attr]);
	}
}

/* Returns the number in an attribute of a rule, or the default that an answer leaves out. */
static uint64_t rule_number(struct nlattr **attrs, int attr, uint64_t otherwise)
{
	return attrs[attr] ? number_of(attrs[attr]) : otherwise;
}

static void write_rule(struct nlattr *nest, FILE *out)
{
	static const uint16_t fields[] = {
		TCA_LPD_RULE_MARK, TCA_LPD_RULE_DSCP, TCA_LPD_RULE_PRIORITY,
	};
	struct nlattr *attrs[TCA_LPD_RULE_MAX + 1];
	struct lpd_rule rule = { 0 };

	if (nla_parse_nested(attrs, TCA_LPD_RULE_MAX, nest, NULL))
		return;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (attrs[fields[i]])
			rule.attr = fields[i];
	rule.value = rule_number(attrs, rule.attr, 0);
	rule.mask = rule_number(attrs, TCA_LPD_RULE_MASK, UINT32_MAX);
	rule.lifetime = rule_number(attrs, TCA_LPD_RULE_LIFETIME, 0);
	rule.stale = rule_number(attrs, TCA_LPD_RULE_STALE, TC_LPD_STALE_DISCARD);
	rule.importance = rule_number(attrs, TCA_LPD_RULE_IMPORTANCE, 0);
	if (rule.attr && rule.stale <= TC_LPD_STALE_MAX)
		conf_put_rule(&rule, out);
}

static void write_lpd(const char *name, struct nlattr *options, FILE *out)
{
	struct nlattr *attrs[TCA_LPD_MAX + 1], *rule;
	struct fl_value values[LPD_OPTIONS];
	int left;

	if (nla_parse_nested(attrs, TCA_LPD_MAX, options, NULL))
		return;
	read_values(lpd_options, attrs, values);
	fputs("qdisc ", out);
	conf_put_word(name, out);
	fputs(" root lpd", out);
	conf_put_options(lpd_options, values, out);
	if (attrs[TCA_LPD_MATCH])
		nla_for_each_nested(rule, attrs[TCA_LPD_MATCH], left)
			write_rule(rule, out);
	fputc('\n', out);
}

static void write_qdisc(const struct tcmsg *tcm, struct nlattr *options, FILE *out)
{
	char name[IF_NAMESIZE];

	device_name(tcm->tcm_ifindex, name);
	if (!conf_device_is_typed(name))
		fputs("# the lpd of a device whose name no line can have\n", out);
	else if (tcm->tcm_parent == TC_H_ROOT)
		write_lpd(name, options, out);
	else
		fprintf(out, "# %s: lpd with the parent %x:%x: no line can have it\n", name,
			tcm->tcm_parent >> 16, TC_H_MIN(tcm->tcm_parent));
}

/* The lpd of freshlink emulate ends with the emulation. */
static bool is_emulation(const struct tcmsg *tcm)
{
	return tcm->tcm_handle == QDISC_ROOT || TC_H_MAJ(tcm->tcm_parent) == QDISC_ROOT;
}

static int see_qdisc(struct nl_msg *msg, void *arg)
{
	const struct tcmsg *tcm = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *attrs[TCA_MAX + 1];

	if (!nlmsg_parse(nlmsg_hdr(msg), sizeof(*tcm), attrs, TCA_MAX, NULL) &&
	    attrs[TCA_KIND] && !strcmp(nla_get_string(attrs[TCA_KIND]), "lpd") &&
	    attrs[TCA_OPTIONS] && !is_emulation(tcm))
		write_qdisc(tcm, attrs[TCA_OPTIONS], arg);
	return NL_OK;
}

static void write_arqlink(const char *name, int lower, struct nlattr *data, FILE *out)
{
	struct nlattr *attrs[ARQLINK_MAX + 1];
	struct fl_value values[ARQL_OPTIONS];
	char lower_name[IF_NAMESIZE];

	device_name(lower, lower_name);
	if (nla_parse_nested(attrs, ARQLINK_MAX, data, NULL))
		return;
	if (!conf_device_is_typed(name) || !conf_device_is_typed(lower_name)) {
		fputs("# an arqlink with a name that no line can have\n", out);
		return;
	}
	read_values(arql_options, attrs, values);
	fputs("link ", out);
	conf_put_word(name, out);
	fputs(" link ", out);
	conf_put_word(lower_name, out);
	fputs(" type arqlink", out);
	conf_put_options(arql_options, values, out);
	fputc('\n', out);
}

static int see_link(struct nl_msg *msg, void *arg)
{
	struct nlattr *attrs[IFLA_MAX + 1], *info[IFLA_INFO_MAX + 1];

	if (nlmsg_parse(nlmsg_hdr(msg), sizeof(struct ifinfomsg), attrs, IFLA_MAX, NULL) ||
	    !attrs[IFLA_IFNAME] || !attrs[IFLA_LINK] || !attrs[IFLA_LINKINFO] ||
	    nla_parse_nested(info, IFLA_INFO_MAX, attrs[IFLA_LINKINFO], NULL) ||
	    !info[IFLA_INFO_KIND] || strcmp(nla_get_string(info[IFLA_INFO_KIND]), "arqlink") ||
	    !info[IFLA_INFO_DATA])
		return NL_OK;
	if (attrs[IFLA_LINK_NETNSID])
		fputs("# an arqlink above a device of another network namespace\n", arg);
	else
		write_arqlink(nla_get_string(attrs[IFLA_IFNAME]), nla_get_u32(attrs[IFLA_LINK]),
			      info[IFLA_INFO_DATA], arg);
	return NL_OK;
}

/* Lists all objects of a kind. The header of the request is 0 for "all". */
static bool try_to_list(struct netlink *nl, int type, size_t header, nl_recvmsg_msg_cb_t see,
			void *arg)
{
	static const char zero[sizeof(struct ifinfomsg) + sizeof(struct tcmsg)];
	struct nl_msg *msg = nlmsg_alloc_simple(type, 0);
	bool done;

	nlmsg_append(msg, (void *)zero, header, NLMSG_ALIGNTO);
	done = netlink_dump(nl, msg, see, arg);
	nlmsg_free(msg);
	return done;
}

/* A list that changed meanwhile is listed again. */
static bool list(const struct cli_args *args, struct netlink *nl, int type, size_t header,
		 nl_recvmsg_msg_cb_t see, FILE *out)
{
	char *text = NULL;
	size_t len;
	bool done;

	do {
		FILE *part;

		free(text);
		part = open_memstream(&text, &len);
		done = part && try_to_list(nl, type, header, see, part);
		if (part)
			fclose(part);
	} while (!done && nl->error == EAGAIN);
	if (done)
		fwrite(text, 1, len, out);
	else
		cli_error(args->who, "cannot list devices and qdiscs: %s", netlink_reason(nl));
	free(text);
	return done;
}

/* The root qdisc of a device. */
struct root {
	int ifindex;
	uint32_t handle;
	char kind[32];
};

static int see_root(struct nl_msg *msg, void *arg)
{
	const struct tcmsg *tcm = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *attrs[TCA_MAX + 1];
	struct root *root = arg;

	if (nlmsg_parse(nlmsg_hdr(msg), sizeof(*tcm), attrs, TCA_MAX, NULL) ||
	    tcm->tcm_ifindex != root->ifindex || tcm->tcm_parent != TC_H_ROOT)
		return NL_OK;
	root->handle = tcm->tcm_handle;
	snprintf(root->kind, sizeof(root->kind), "%s",
		 attrs[TCA_KIND] ? nla_get_string(attrs[TCA_KIND]) : "");
	return NL_OK;
}

/* The kernel's default qdisc has the handle 0. */
bool conf_route_has_root(const char *who, const char *device)
{
	struct root root = { .ifindex = if_nametoindex(device) };
	struct netlink nl;
	bool done;

	if (!netlink_open(&nl, NETLINK_ROUTE, -1)) {
		cli_error(who, "cannot open a netlink socket: %s", netlink_reason(&nl));
		return true;
	}
	do {
		done = try_to_list(&nl, RTM_GETQDISC, sizeof(struct tcmsg), see_root, &root);
	} while (!done && nl.error == EAGAIN);
	if (!done)
		cli_error(who, "cannot list qdiscs: %s", netlink_reason(&nl));
	else if (root.handle)
		cli_error(who, "%s has the root qdisc %s %x:, expected lpd or none of its own: remove it: tc qdisc del dev %s root",
			  device, root.kind, root.handle >> 16, device);
	netlink_close(&nl);
	return !done || root.handle;
}

bool conf_route_write(const struct cli_args *args, FILE *out)
{
	struct netlink nl;
	bool done;

	if (!netlink_open(&nl, NETLINK_ROUTE, -1)) {
		cli_error(args->who, "cannot open a netlink socket: %s", netlink_reason(&nl));
		return false;
	}
	done = list(args, &nl, RTM_GETLINK, sizeof(struct ifinfomsg), see_link, out) &&
	       list(args, &nl, RTM_GETQDISC, sizeof(struct tcmsg), see_qdisc, out);
	netlink_close(&nl);
	return done;
}
