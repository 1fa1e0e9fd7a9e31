// SPDX-License-Identifier: GPL-2.0-or-later
/* A pair of arqlink devices: see arq.h. */
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <stdlib.h>
#include <string.h>

#include "../advice/look.h"
#include "arq.h"
#include "cli.h"

#define KIND		"arqlink"
#define PREFIX		"arq-"
#define WORDS_MAX	(2 * ARQL_OPTIONS + 1)

bool arq_parse(struct arq *arq, const char *who, const char *text)
{
	/* the values point into the copy, so it is never freed */
	char *copy = strdup(text), *words[WORDS_MAX], name[64];
	int n = 0;

	if (!copy) {
		cli_error(who, "out of memory");
		return false;
	}
	/* an option beyond WORDS_MAX would be the second one of its name, or unknown */
	for (char *word = strtok(copy, " "); word && n < WORDS_MAX;
	     word = strtok(NULL, " "))
		words[n++] = word;
	snprintf(name, sizeof(name), "%s: --arq", who);
	arq->wanted = true;
	return fl_set_words(name, arql_options, n, words, arq->values);
}

static bool find_end(struct arq_end *end)
{
	const struct port *lower = &end->lower;
	struct netlink nl;
	bool found;

	if (strlen(lower->name) + strlen(PREFIX) >= IFNAMSIZ) {
		cli_error(lower->who, "%s: with --arq, expected a name of at most %zu characters",
			  lower->name, IFNAMSIZ - 1 - strlen(PREFIX));
		return false;
	}
	snprintf(end->name, sizeof(end->name), PREFIX "%s", lower->name);
	end->upper = (struct port){ .who = lower->who, .name = end->name,
				    .netns = lower->netns };
	if (!port_connect(lower, &nl))
		return false;
	found = port_look_up(&end->lower, &nl);
	netlink_close(&nl);
	return found;
}

bool arq_find(struct arq *arq)
{
	return find_end(&arq->near) && find_end(&arq->far);
}

static void put_options(struct nl_msg *msg, const struct fl_value *values)
{
	const struct fl_option *opt = arql_options;
	union fl_payload payload;

	for (int i = 0; i < ARQL_OPTIONS; i++) {
		if (!values[i].set)
			continue;
		nla_put(msg, opt[i].attr,
			fl_encode(&opt[i], values[i].number, &payload), &payload);
		if (opt[i].type == FL_MARK)
			nla_put_u32(msg, opt[i].mask_attr, values[i].second);
	}
}

/* The request for a device, which is up from the beginning. */
static struct nl_msg *new_device(const struct arq_end *end,
				 const struct fl_value *values)
{
	const struct ifinfomsg ifi = { .ifi_flags = IFF_UP, .ifi_change = IFF_UP };
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_NEWLINK,
						NLM_F_CREATE | NLM_F_EXCL);
	struct nlattr *info, *data;

	nlmsg_append(msg, (void *)&ifi, sizeof(ifi), NLMSG_ALIGNTO);
	nla_put_string(msg, IFLA_IFNAME, end->name);
	nla_put_u32(msg, IFLA_LINK, end->lower.ifindex);
	info = nla_nest_start(msg, IFLA_LINKINFO | NLA_F_NESTED);
	nla_put_string(msg, IFLA_INFO_KIND, KIND);
	data = nla_nest_start(msg, IFLA_INFO_DATA | NLA_F_NESTED);
	put_options(msg, values);
	nla_nest_end(msg, data);
	nla_nest_end(msg, info);
	return msg;
}

static const char *reason(const struct netlink *nl)
{
	return nl->error == EPERM ? look_for_right("it needs", "CAP_NET_ADMIN") :
	       strerror(nl->error);
}

static bool create(struct arq_end *end, struct netlink *nl,
		   const struct fl_value *values)
{
	struct nl_msg *msg = new_device(end, values);

	/* set before the request, because this process may be killed during the request */
	end->upper.made = true;
	end->upper.made = netlink_request(nl, msg);
	nlmsg_free(msg);
	if (end->upper.made)
		return port_look_up(&end->upper, nl);
	if (nl->error == EOPNOTSUPP && !*nl->text)
		cli_error(end->upper.who, "%s: the kernel does not know this kind of device: %s",
			  end->name, look_for_module(KIND));
	else
		cli_error(end->upper.who, "%s: the kernel refused the device: %s%s%s",
			  end->name, nl->text, *nl->text ? ": " : "", reason(nl));
	return false;
}

static bool set_up_end(struct arq_end *end, const struct fl_value *values)
{
	struct netlink nl;
	bool done;

	if (!port_connect(&end->upper, &nl))
		return false;
	done = create(end, &nl, values);
	netlink_close(&nl);
	return done;
}

bool arq_set_up(struct arq *arq)
{
	return set_up_end(&arq->far, arq->values) &&
	       set_up_end(&arq->near, arq->values);
}

static bool delete(const struct arq_end *end, struct netlink *nl, bool *changed)
{
	const struct ifinfomsg ifi = { 0 };
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_DELLINK, 0);
	bool done;

	nlmsg_append(msg, (void *)&ifi, sizeof(ifi), NLMSG_ALIGNTO);
	nla_put_string(msg, IFLA_IFNAME, end->name);
	done = netlink_request(nl, msg);
	nlmsg_free(msg);
	if (done)
		*changed = true;
	/* the device below may have been deleted, and this one with it */
	if (done || nl->error == ENODEV)
		return true;
	cli_error(end->upper.who, "%s: the kernel did not delete the device: %s",
		  end->name, reason(nl));
	return false;
}

static bool remove_end(const struct arq_end *end, bool *changed)
{
	struct netlink nl;
	bool done;

	if (!end->upper.made)
		return true;
	if (!port_connect(&end->upper, &nl))
		return false;
	done = delete(end, &nl, changed);
	netlink_close(&nl);
	return done;
}

bool arq_remove(const struct arq *arq, bool *changed)
{
	bool near = remove_end(&arq->near, changed);

	return remove_end(&arq->far, changed) && near;
}
