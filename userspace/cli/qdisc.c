// SPDX-License-Identifier: GPL-2.0-or-later
/* Qdisc requests: see qdisc.h. */
#include <errno.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <stdio.h>
#include <string.h>

#include "../advice/look.h"
#include "cli.h"
#include "qdisc.h"

#define NETEM_SEED	14	/* TCA_NETEM_PRNG_SEED, from Linux 6.6 on */

struct nl_msg *qdisc_message(const struct port *port, int type, int flags,
			     uint32_t parent, uint32_t handle, const char *kind)
{
	struct tcmsg tcm = {
		.tcm_ifindex = port->ifindex,
		.tcm_parent = parent,
		.tcm_handle = handle,
	};
	struct nl_msg *msg = nlmsg_alloc_simple(type, flags);

	nlmsg_append(msg, &tcm, sizeof(tcm), NLMSG_ALIGNTO);
	if (kind)
		nla_put_string(msg, TCA_KIND, kind);
	return msg;
}

/* Returns the name of the option that the kernel refused, or NULL. */
static const char *refused_word(const struct netlink *nl, struct nl_msg *msg,
				const struct fl_option *options)
{
	int opt = -1;

	if (options)
		opt = fl_find_attr(options, netlink_refused_attr(nl, msg));
	return opt < 0 ? NULL : options[opt].word;
}

static void explain_unknown(const struct port *port, const char *kind)
{
	char module[64];

	snprintf(module, sizeof(module), "sch_%s", kind);
	cli_error(port->who, "%s: the kernel does not know the qdisc %s: %s", port->name, kind,
		  look_for_module(module));
}

static void explain(const struct port *port, const struct netlink *nl,
		    bool creating, const char *kind, const char *word)
{
	if (nl->error == ENOENT && creating)
		explain_unknown(port, kind);
	else if (nl->error == EPERM)
		cli_error(port->who, "%s: %s", port->name,
			  look_for_right("changing qdiscs needs", "CAP_NET_ADMIN"));
	else
		cli_error(port->who, "%s: the kernel refused qdisc %s%s%s: %s%s%s",
			  port->name, kind, word ? ", option " : "",
			  word ? word : "", nl->text, *nl->text ? ": " : "",
			  strerror(nl->error));
}

bool qdisc_send(const struct port *port, struct netlink *nl,
		struct nl_msg *msg, const char *kind,
		const struct fl_option *options)
{
	bool done = netlink_request(nl, msg);

	if (!done)
		explain(port, nl, nlmsg_hdr(msg)->nlmsg_flags & NLM_F_CREATE,
			kind, refused_word(nl, msg, options));
	nlmsg_free(msg);
	return done;
}

bool qdisc_set_tbf(const struct port *port, struct netlink *nl, int flags,
		   const struct tbf *tbf)
{
	struct nl_msg *msg = qdisc_message(port, RTM_NEWQDISC, flags, TC_H_ROOT,
					   QDISC_ROOT, "tbf");
	struct nlattr *nest = nla_nest_start(msg, TCA_OPTIONS | NLA_F_NESTED);
	struct tc_tbf_qopt opt = {
		.rate = {
			/* with this link layer the kernel needs no rate table */
			.linklayer = TC_LINKLAYER_ETHERNET,
			.rate = tbf->rate,
		},
		.limit = tbf->fifo_limit,
	};

	nla_put(msg, TCA_TBF_PARMS, sizeof(opt), &opt);
	nla_put_u32(msg, TCA_TBF_BURST, tbf->burst);
	nla_nest_end(msg, nest);
	return qdisc_send(port, nl, msg, "tbf", NULL);
}

bool qdisc_set_mq(const struct port *port, struct netlink *nl)
{
	struct nl_msg *msg = qdisc_message(port, RTM_NEWQDISC,
					   NLM_F_CREATE | NLM_F_EXCL, TC_H_ROOT,
					   QDISC_ROOT, "mq");

	return qdisc_send(port, nl, msg, "mq", NULL);
}

static uint32_t to_probability(uint32_t millionths)
{
	return (uint64_t)millionths * UINT32_MAX / 1000000;
}

bool qdisc_set_netem(const struct port *port, struct netlink *nl, int flags,
		     const struct netem *netem)
{
	struct nl_msg *msg = qdisc_message(port, RTM_NEWQDISC, flags, TC_H_ROOT,
					   QDISC_ROOT, "netem");
	struct nlattr *nest = nla_nest_start(msg, TCA_OPTIONS | NLA_F_NESTED);
	struct tc_netem_qopt opt = {
		.limit = netem->limit,
		.loss = to_probability(netem->loss),
	};
	struct tc_netem_rate rate = { .rate = netem->rate };

	/* the nested attribute has the struct of netem, then netem's attributes */
	nlmsg_append(msg, &opt, sizeof(opt), NLMSG_ALIGNTO);
	nla_put_u64(msg, TCA_NETEM_LATENCY64, netem->delay);
	nla_put(msg, TCA_NETEM_RATE, sizeof(rate), &rate);
	nla_put_u64(msg, NETEM_SEED, netem->seed);
	nla_nest_end(msg, nest);
	return qdisc_send(port, nl, msg, "netem", NULL);
}

static bool send_child(const struct port *port, struct netlink *nl,
		       struct nl_msg *msg, const struct child *child)
{
	const struct child_kind *kind = child->kind;

	kind->put(msg, child);
	return qdisc_send(port, nl, msg, kind->name, kind->options);
}

bool qdisc_add_child(const struct port *port, struct netlink *nl,
		     const struct child *child)
{
	return send_child(port, nl,
			  qdisc_message(port, RTM_NEWQDISC,
					NLM_F_CREATE | NLM_F_EXCL,
					QDISC_ROOT | 1, QDISC_CHILD,
					child->kind->name), child);
}

bool qdisc_set_child(const struct port *port, struct netlink *nl, int flags,
		     const struct child *child)
{
	return send_child(port, nl,
			  qdisc_message(port, RTM_NEWQDISC, flags, TC_H_ROOT,
					QDISC_ROOT, child->kind->name), child);
}
