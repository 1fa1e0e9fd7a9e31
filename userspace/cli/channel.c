// SPDX-License-Identifier: GPL-2.0-or-later
/* Settings of a cellink device: see channel.h. */
#include <errno.h>
#include <linux/cellink.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <string.h>

#include "../advice/look.h"
#include "channel.h"
#include "cli.h"

#define KIND	"cellink"

static struct nl_msg *link_message(int type, int ifindex)
{
	struct ifinfomsg ifi = { .ifi_index = ifindex };
	struct nl_msg *msg = nlmsg_alloc_simple(type, 0);

	nlmsg_append(msg, &ifi, sizeof(ifi), NLMSG_ALIGNTO);
	return msg;
}

/* Traces are not restored. Attributes of traces exist only in answers of the kernel, and their
 * values change with time.
 */
static bool is_trace(const struct nlattr *attr)
{
	return nla_type(attr) == CELLINK_TRACE || nla_type(attr) == CELLINK_TURNS;
}

static void keep(struct channel *ch, struct nlattr *data)
{
	struct nlattr *attr;
	int left;

	ch->there = nla_len(data) <= (int)sizeof(ch->data);
	if (!ch->there)
		return;
	ch->len = 0;
	nla_for_each_nested(attr, data, left)
		if (!is_trace(attr)) {
			memcpy(ch->data + ch->len, attr,
			       nla_total_size(nla_len(attr)));
			ch->len += nla_total_size(nla_len(attr));
		}
}

static int see_link(struct nl_msg *msg, void *arg)
{
	struct nlattr *attrs[IFLA_MAX + 1], *info[IFLA_INFO_MAX + 1];

	if (nlmsg_parse(nlmsg_hdr(msg), sizeof(struct ifinfomsg), attrs,
			IFLA_MAX, NULL) || !attrs[IFLA_LINKINFO] ||
	    nla_parse_nested(info, IFLA_INFO_MAX, attrs[IFLA_LINKINFO], NULL))
		return NL_OK;
	if (info[IFLA_INFO_KIND] && info[IFLA_INFO_DATA] &&
	    !strcmp(nla_get_string(info[IFLA_INFO_KIND]), KIND))
		keep(arg, info[IFLA_INFO_DATA]);
	return NL_OK;
}

static void read_channel(struct channel *ch, struct netlink *nl,
			 const char *name)
{
	struct nl_msg *msg = link_message(RTM_GETLINK, 0);

	*ch = (struct channel){ .there = false };
	nla_put_string(msg, IFLA_IFNAME, name);
	netlink_ask(nl, msg, see_link, ch);
	nlmsg_free(msg);
}

void channel_find(struct channel *ch, const char *name)
{
	struct netlink nl;

	*ch = (struct channel){ .there = false };
	if (!netlink_open(&nl, NETLINK_ROUTE, -1))
		return;
	read_channel(ch, &nl, name);
	netlink_close(&nl);
}

/* A request to change a device, to which the caller adds the settings. */
struct change {
	struct nl_msg *msg;
	struct nlattr *info;
	struct nlattr *data;
};

static struct change change_start(const struct port *port)
{
	struct change c = { .msg = link_message(RTM_NEWLINK, port->ifindex) };

	c.info = nla_nest_start(c.msg, IFLA_LINKINFO | NLA_F_NESTED);
	nla_put_string(c.msg, IFLA_INFO_KIND, KIND);
	c.data = nla_nest_start(c.msg, IFLA_INFO_DATA | NLA_F_NESTED);
	return c;
}

static bool change_send(const struct port *port, struct netlink *nl,
			struct change *c)
{
	bool done;

	nla_nest_end(c->msg, c->data);
	nla_nest_end(c->msg, c->info);
	done = netlink_request(nl, c->msg);
	nlmsg_free(c->msg);
	if (!done)
		cli_error(port->who, "%s: the kernel refused the change: %s%s%s",
			  port->name, nl->text, *nl->text ? ": " : "",
			  nl->error == EPERM ?
			  look_for_right("it needs", "CAP_NET_ADMIN") :
			  strerror(nl->error));
	return done;
}

/* Adds one outage of @length ns, which begins now, to the request. A @length of 0 removes all
 * outages.
 */
static void put_outage(struct nl_msg *msg, uint64_t length)
{
	nla_put(msg, CELLINK_OUTAGES, 0, NULL);
	nla_put_u64(msg, CELLINK_OUTAGE, length);
	nla_put_u64(msg, CELLINK_OUTAGE_START, 0);
	nla_put_u64(msg, CELLINK_OUTAGE_EVERY, 0);
	nla_put_u64(msg, CELLINK_OUTAGE_JITTER, 0);
	nla_put_u8(msg, CELLINK_OUTAGE_LAW, CELLINK_LAW_CONSTANT);
}

bool channel_set(const struct port *port, struct netlink *nl,
		 const struct channel_settings *set)
{
	struct change c = change_start(port);

	nla_put_u64(c.msg, CELLINK_RATE, set->rate);
	if (set->delay)
		nla_put_u64(c.msg, CELLINK_DELAY, *set->delay);
	if (set->loss)
		nla_put_u32(c.msg, CELLINK_LOSS, *set->loss);
	nla_put_u32(c.msg, CELLINK_SEED, set->seed);
	put_outage(c.msg, 0);
	return change_send(port, nl, &c);
}

/* The first request removes the outage, because the kernel does not restart an outage that is set
 * again.
 */
bool channel_stop(const struct port *port, struct netlink *nl, uint64_t length)
{
	struct change none = change_start(port), c = change_start(port);

	put_outage(none.msg, 0);
	put_outage(c.msg, length);
	if (change_send(port, nl, &none))
		return change_send(port, nl, &c);
	nlmsg_free(c.msg);
	return false;
}

static bool put_back(const struct channel *ch, const struct port *port,
		     struct netlink *nl)
{
	struct change c = change_start(port);
	struct channel now;

	nlmsg_append(c.msg, (void *)ch->data, ch->len, NLMSG_ALIGNTO);
	if (!change_send(port, nl, &c))
		return false;
	read_channel(&now, nl, port->name);
	if (now.there && now.len == ch->len &&
	    !memcmp(now.data, ch->data, ch->len))
		return true;
	cli_error(port->who, "%s: its settings differ from those before: see \"ip -d link show %s\"",
		  port->name, port->name);
	return false;
}

bool channel_restore(const struct channel *ch, const struct port *port)
{
	struct netlink nl;
	bool done;

	if (!ch->made)
		return true;
	if (!port_connect(port, &nl))
		return false;
	done = put_back(ch, port, &nl);
	netlink_close(&nl);
	return done;
}
