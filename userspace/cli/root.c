// SPDX-License-Identifier: GPL-2.0-or-later
/* The root qdisc of a device: see root.h. */
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <string.h>

#include "cli.h"
#include "qdisc.h"
#include "root.h"

static bool has_estimator(struct nlattr *statistics)
{
	struct nlattr *attrs[TCA_STATS_MAX + 1];

	return statistics &&
	       !nla_parse_nested(attrs, TCA_STATS_MAX, statistics, NULL) &&
	       attrs[TCA_STATS_RATE_EST];
}

static void keep_root(struct root_qdisc *root, const struct tcmsg *tcm,
		      struct nlattr **attrs)
{
	struct nlattr *options = attrs[TCA_OPTIONS];

	snprintf(root->kind, sizeof(root->kind), "%s",
		 attrs[TCA_KIND] ? nla_get_string(attrs[TCA_KIND]) : "");
	root->handle = tcm->tcm_handle;
	if (attrs[TCA_STAB] || has_estimator(attrs[TCA_STATS2]))
		root->has_more = true;
	root->options_len = options ? nla_len(options) : 0;
	if (root->options_len > (int)sizeof(root->options))
		root->options_len = -1;
	else if (options)
		memcpy(root->options, nla_data(options), root->options_len);
}

struct find_root {
	int ifindex;
	struct root_qdisc *root;
};

static int see_qdisc(struct nl_msg *msg, void *arg)
{
	const struct find_root *find = arg;
	const struct tcmsg *tcm = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *attrs[TCA_MAX + 1];

	if (tcm->tcm_ifindex != find->ifindex ||
	    nlmsg_parse(nlmsg_hdr(msg), sizeof(*tcm), attrs, TCA_MAX, NULL))
		return NL_OK;
	if (tcm->tcm_parent == TC_H_ROOT)
		keep_root(find->root, tcm, attrs);
	else if (tcm->tcm_parent != TC_H_INGRESS && tcm->tcm_handle)
		find->root->has_more = true;
	return NL_OK;
}

static bool read_root(const struct port *port, struct netlink *nl,
		      struct root_qdisc *root)
{
	struct find_root find = { port->ifindex, root };
	struct nl_msg *msg = qdisc_message(port, RTM_GETQDISC, 0, 0, 0, NULL);
	bool done;

	*root = (struct root_qdisc){ 0 };
	done = netlink_dump(nl, msg, see_qdisc, &find);
	nlmsg_free(msg);
	if (!done)
		cli_error(port->who, "%s: cannot list its qdiscs: %s",
			  port->name,
			  netlink_reason(nl));
	return done;
}

/* Kinds of qdisc whose options can be restored exactly. These kinds report all of their
 * options, and accept the reported options again without a change. All other kinds are
 * refused. The codel family and pie round their times down each time the times are set. cake
 * increases its overhead. netem, red and choke do not report a table. sfq reports counters
 * among its options. Some kinds also have filters.
 */
#define RESTORABLE	" pfifo bfifo pfifo_head_drop pfifo_fast noqueue fq lpd "

static bool is_restorable(const struct root_qdisc *root)
{
	char word[sizeof(root->kind) + 2];

	snprintf(word, sizeof(word), " %s ", root->kind);
	return strstr(RESTORABLE, word) && !root->has_more &&
	       root->options_len >= 0;
}

static bool check_root(const struct port *port, bool replace)
{
	const struct root_qdisc *root = &port->before;
	unsigned int major = root->handle >> 16;

	if (!root->handle || (replace && is_restorable(root)))
		return true;
	if (root->handle == QDISC_ROOT)
		cli_error(port->who, "%s: freshlink emulate is running on this device, or was killed with its parent: remove its qdisc with \"tc qdisc del dev %s root\"",
			  port->name, port->name);
	else if (replace)
		cli_error(port->who, "%s: its root qdisc %s %x: could not be restored exactly: expected one of" RESTORABLE "without size table, estimator and child qdiscs: remove it first",
			  port->name, root->kind, major);
	else
		cli_error(port->who, "%s: the root qdisc %s %x: exists already: remove it, or use --replace",
			  port->name, root->kind, major);
	return false;
}

bool root_save(struct port *port, bool replace)
{
	struct netlink nl;
	bool found;

	if (!port_connect(port, &nl))
		return false;
	found = port_look_up(port, &nl) && read_root(port, &nl, &port->before) &&
		check_root(port, replace);
	netlink_close(&nl);
	return found;
}

/* Returns whether two root qdiscs are the same. Two default qdiscs are always the same, because
 * the kernel may change the default qdisc with the link's state.
 */
static bool is_same(const struct root_qdisc *a, const struct root_qdisc *b)
{
	if (!a->handle && !b->handle)
		return true;
	return a->handle == b->handle && !strcmp(a->kind, b->kind) &&
	       a->options_len == b->options_len &&
	       (a->options_len <= 0 ||
		!memcmp(a->options, b->options, a->options_len));
}

static bool put_back(const struct port *port, struct netlink *nl)
{
	const struct root_qdisc *before = &port->before;
	struct nl_msg *msg;

	if (!before->handle) {
		msg = qdisc_message(port, RTM_DELQDISC, 0, TC_H_ROOT,
				    QDISC_ROOT, NULL);
		return qdisc_send(port, nl, msg, "of ours", NULL);
	}
	msg = qdisc_message(port, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE,
			    TC_H_ROOT, before->handle, before->kind);
	if (before->options_len)
		nla_put(msg, TCA_OPTIONS, before->options_len, before->options);
	return qdisc_send(port, nl, msg, before->kind, NULL);
}

static bool restore(const struct port *port, struct netlink *nl, bool *changed)
{
	struct root_qdisc now;

	if (!port->made)
		return true;
	if (!read_root(port, nl, &now))
		return false;
	if (now.handle == QDISC_ROOT) {
		*changed = true;
		if (!put_back(port, nl) || !read_root(port, nl, &now))
			return false;
	}
	if (is_same(&now, &port->before))
		return true;
	cli_error(port->who, "%s: its root qdisc is %s %x: now, expected %s %x: as before",
		  port->name, now.kind, now.handle >> 16, port->before.kind,
		  port->before.handle >> 16);
	return false;
}

bool root_restore(const struct port *port, bool *changed)
{
	struct netlink nl;
	bool done;

	if (!port_connect(port, &nl))
		return false;
	done = restore(port, &nl, changed);
	netlink_close(&nl);
	return done;
}
