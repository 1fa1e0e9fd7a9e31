// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters of all modules: see snapshot.h. */
#include <errno.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/clock.h"
#include "device.h"
#include "qdiscs.h"
#include "rto_family.h"
#include "snapshot.h"
#include "xlo_family.h"

#define KIND	"arqlink"
#define TRIES	16	/* dumps of a list that changes all the time */

/* A state that is being read. */
struct reading {
	const struct cli_args *args;
	struct netlink route;
	unsigned int ifindex;
	struct state *state;
	bool no_memory;
};

static struct state_object *add(struct reading *r, enum state_kind kind, unsigned int ifindex)
{
	struct state_object *object = state_add(r->state, kind);

	r->no_memory |= !object;
	if (object && ifindex)
		device_name(ifindex, object->device);
	return object;
}

/* Takes over the u64 counters of a nest. A kernel may send fewer or more counters. */
static void take_counters(struct state_object *object, struct nlattr *nest, int max)
{
	struct nlattr *attr;
	int left;

	nla_for_each_nested(attr, nest, left)
		if (nla_type(attr) && nla_type(attr) <= max && nla_len(attr) == sizeof(uint64_t))
			state_set(object, nla_type(attr), nla_get_u64(attr));
}

static void take_histogram(struct state_object *object, struct nlattr *nest)
{
	struct nlattr *attr = nla_find(nla_data(nest), nla_len(nest), TCA_LPD_STATS_REMAINING);

	if (!attr)
		return;
	object->has[TCA_LPD_STATS_REMAINING] = true;
	nla_memcpy(object->remaining, attr, sizeof(object->remaining));
}

static void take_queue(struct state_object *object, const struct qdisc_view *q)
{
	struct gnet_stats_queue queue = qdisc_queue(q);

	object->handle = q->handle;
	object->parent = q->parent;
	state_set(object, STATE_BYTES, qdisc_basic(q).bytes);
	state_set(object, STATE_PACKETS, qdisc_packets(q));
	state_set(object, STATE_BACKLOG, queue.backlog);
	state_set(object, STATE_QUEUED, queue.qlen);
	state_set(object, STATE_DROPS, queue.drops);
}

static void see_qdisc(const struct qdisc_view *q, void *arg)
{
	struct nlattr *counters = q->stats[TCA_STATS_APP];
	struct state_object *object;
	struct reading *r = arg;

	if (strcmp(q->kind, "lpd"))
		return;
	object = add(r, STATE_LPD, q->ifindex);
	if (!object)
		return;
	take_queue(object, q);
	if (counters) {
		take_counters(object, counters, TCA_LPD_STATS_MAX);
		take_histogram(object, counters);
	}
}

static void see_class(const struct qdisc_view *q, void *arg)
{
	struct state_object *object;

	if (strcmp(q->kind, "lpd"))
		return;
	object = add(arg, STATE_CLASS, q->ifindex);
	if (object)
		take_queue(object, q);
}

static int see_link(struct nl_msg *msg, void *arg)
{
	const struct ifinfomsg *info = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *attrs[IFLA_MAX + 1], *kinds[IFLA_INFO_MAX + 1];
	struct state_object *object;
	struct reading *r = arg;

	if ((r->ifindex && info->ifi_index != (int)r->ifindex) ||
	    nlmsg_parse(nlmsg_hdr(msg), sizeof(*info), attrs, IFLA_MAX, NULL) ||
	    !attrs[IFLA_LINKINFO] ||
	    nla_parse_nested(kinds, IFLA_INFO_MAX, attrs[IFLA_LINKINFO], NULL) ||
	    !kinds[IFLA_INFO_KIND] || strcmp(nla_get_string(kinds[IFLA_INFO_KIND]), KIND) ||
	    !kinds[IFLA_INFO_XSTATS])
		return NL_OK;
	object = add(r, STATE_ARQ, info->ifi_index);
	if (object)
		take_counters(object, kinds[IFLA_INFO_XSTATS], ARQLINK_STATS_MAX);
	return NL_OK;
}

static bool list_qdiscs(struct reading *r)
{
	return qdiscs_each(&r->route, r->ifindex, see_qdisc, r);
}

static bool list_links(struct reading *r)
{
	const struct ifinfomsg info = { 0 };
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETLINK, 0);
	bool done;

	nlmsg_append(msg, (void *)&info, sizeof(info), NLMSG_ALIGNTO);
	done = netlink_dump(&r->route, msg, see_link, r);
	nlmsg_free(msg);
	return done;
}

/* The qdiscs come before the classes, so the classes of each device with an lpd are listed once. */
static bool list_classes(struct reading *r)
{
	size_t count = r->state->count;

	for (size_t i = 0; i < count; i++) {
		const struct state_object *lpd = &r->state->objects[i];
		unsigned int ifindex = device_index(lpd->device);

		if (lpd->kind != STATE_LPD ||
		    (i && !strcmp(lpd[-1].device, lpd->device)))
			continue;
		if (ifindex && !classes_each(&r->route, ifindex, see_class, r))
			return false;
	}
	return true;
}

/* Makes a list, and makes it anew if it has changed meanwhile. */
static bool list(struct reading *r, bool (*fill)(struct reading *r))
{
	size_t count = r->state->count;

	for (int i = 0; i < TRIES; i++) {
		if (fill(r))
			return true;
		r->state->count = count;
		if (r->route.error != EAGAIN)
			break;
	}
	cli_error(r->args->who, "cannot list qdiscs and devices: %s", netlink_reason(&r->route));
	return false;
}

static bool read_devices(struct reading *r)
{
	bool done;

	if (!netlink_open(&r->route, NETLINK_ROUTE, -1)) {
		cli_error(r->args->who, "cannot open a netlink socket: %s",
			  netlink_reason(&r->route));
		return false;
	}
	done = list(r, list_qdiscs) && list(r, list_classes) && list(r, list_links);
	netlink_close(&r->route);
	return done;
}

static void take_profile(struct reading *r, struct nl_msg *msg)
{
	struct nlattr *attrs[XLO_A_MAX + 1];
	struct state_object *object;

	if (!xlo_parse(msg, attrs) || !attrs[XLO_A_PROFILE_NAME] || !attrs[XLO_A_PACKETS])
		return;
	object = add(r, STATE_PROFILE, 0);
	if (!object)
		return;
	snprintf(object->name, sizeof(object->name), "%s",
		 nla_get_string(attrs[XLO_A_PROFILE_NAME]));
	state_set(object, STATE_PACKETS, nla_get_u64(attrs[XLO_A_PACKETS]));
}

static void take_nest(struct reading *r, enum state_kind kind, struct nlattr *nest, int max)
{
	struct state_object *object = nest ? add(r, kind, 0) : NULL;

	if (object)
		take_counters(object, nest, max);
}

static void take_xlo(struct reading *r, const struct xlo_answers *state,
		     const struct xlo_answers *profiles)
{
	struct nlattr *attrs[XLO_A_MAX + 1];

	if (state->count && xlo_parse(state->msgs[0], attrs))
		take_nest(r, STATE_XLO, attrs[XLO_A_STATS], XLO_STATS_MAX);
	for (size_t i = 0; i < profiles->count; i++)
		take_profile(r, profiles->msgs[i]);
}

static bool read_xlo(struct reading *r, struct family *x)
{
	struct xlo_answers state = { 0 }, profiles = { 0 };
	bool done = xlo_read(x, XLO_CMD_GET, &state) &&
		    xlo_read(x, XLO_CMD_PROFILE_GET, &profiles);

	if (done)
		take_xlo(r, &state, &profiles);
	xlo_forget(&state);
	xlo_forget(&profiles);
	return done;
}

static bool read_rto(struct reading *r)
{
	struct nl_msg *told = rto_read(r->args);
	struct nlattr *attrs[XRTO_A_MAX + 1];

	if (told && rto_parse(told, attrs)) {
		take_nest(r, STATE_RTO, attrs[XRTO_A_STATS], XRTO_STATS_MAX);
		take_nest(r, STATE_NOTICES, attrs[XRTO_A_NOTICES], XRTO_NOTICES_MAX);
	}
	nlmsg_free(told);
	return told;
}

static bool read_modules(struct reading *r)
{
	struct family x;
	bool done;

	if (!xlo_open_if_loaded(&x, r->args))
		return false;
	done = (x.id < 0 || read_xlo(r, &x)) &&
	       (!family_is_there(&x, XRTO_GENL_NAME) || read_rto(r));
	family_close(&x);
	return done;
}

bool snapshot_read(const struct cli_args *args, unsigned int ifindex, struct state *state)
{
	struct reading r = { .args = args, .ifindex = ifindex, .state = state };

	*state = (struct state){ .time = fl_now() };
	if (!read_devices(&r) || !read_modules(&r))
		return false;
	if (r.no_memory)
		cli_error(args->who, "out of memory");
	return !r.no_memory;
}
