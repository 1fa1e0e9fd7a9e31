// SPDX-License-Identifier: GPL-2.0-or-later
/* freshlink monitor: prints the events of the modules xlo, xlo_rto and arqlink, or what happens to
 * each packet of arqlink. A module may be loaded or unloaded at any time.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <string.h>

#include "../advice/look.h"
#include "../lib/xlo.h"
#include "arq_event.h"
#include "device.h"
#include "rto_family.h"
#include "wait.h"
#include "xlo_family.h"

enum { DURATION, COUNT, PACKETS, JSON };

static const struct fl_option options[] = {
	[DURATION] = CLI_ROW_DURATION,
	[COUNT] = { .word = "--count", .type = FL_COUNT, .unit = "events",
		    .min = 1, .max = INT64_MAX, .def = FL_NO_DEFAULT,
		    .help = "end after this many events" },
	[PACKETS] = { .word = "--packets", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		      .help = "instead of events, the result of each packet of arqlink that matches all words FLOW" },
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "events as JSON, one object a line" },
	{ .word = NULL },
};

struct monitor;

/* A kernel module and its generic netlink family. */
struct module {
	const char *name;	/* of the module and of its family */
	const char *group;	/* name of the multicast group */
	void (*see)(struct monitor *m, struct nl_msg *msg);
	uint8_t listen;		/* the request for the events, 0 if there is none */
	int id;			/* number of the family, negative while the module is not loaded */
	bool is_heard;		/* the monitor receives the module's events */
	bool is_listed;		/* the kernel listed the family at the last see_families() */
};

/* One monitor at work. */
struct monitor {
	const struct cli_args *args;
	struct family x;	/* family of the monitor's socket */
	struct module *modules;
	int count;		/* number of modules */
	struct flow_filter filter;
	const char *gone;	/* name of the module that was unloaded last */
	uint64_t events;
	bool lost;		/* messages were lost after those that are still in the socket */
	bool advised[XLO_STATS_MAX + 1];	/* causes whose advice was printed */
};

static void report_packet(struct report *r, struct nlattr **attrs)
{
	unsigned int index = attrs[XLO_A_IFINDEX] ?
			     nla_get_u32(attrs[XLO_A_IFINDEX]) : 0;
	char name[IF_NAMESIZE];

	family_report_cause(r, attrs[XLO_A_CAUSE], xlo_counters, XLO_STATS_MAX);
	if (index)
		report_text(r, "dev", device_name(index, name));
}

struct kind {
	const char *word;
	void (*report)(struct report *r, struct nlattr **attrs);
};

static const struct kind xlo_kinds[XLO_CMD_MAX + 1] = {
	[XLO_CMD_PROFILE_ADD] = { "profile_add", xlo_report_profile },
	[XLO_CMD_PROFILE_DEL] = { "profile_del", xlo_report_profile },
	[XLO_CMD_CAP_SET] = { "cap_set", xlo_report_cap },
	[XLO_CMD_CAP_DEL] = { "cap_del", xlo_report_cap },
	[XLO_CMD_SET] = { "set", xlo_report_settings },
	[XLO_CMD_PACKET] = { "packet", report_packet },
};

static const struct kind rto_kinds[XRTO_CMD_MAX + 1] = {
	[XRTO_CMD_SET] = { "rto_set", rto_report_settings },
	[XRTO_CMD_MOVED] = { "rto_moved", rto_report_moved },
};

static const struct kind arq_kinds[ARQLINK_CMD_MAX + 1] = {
	[ARQLINK_CMD_DROP] = { "arq_drop", arq_event_report },
	[ARQLINK_CMD_FLUSH] = { "arq_flush", arq_event_report },
	[ARQLINK_CMD_RECOVER] = { "arq_recover", arq_event_report },
	[ARQLINK_CMD_BACKLOG] = { "arq_backlog", arq_event_report },
	[ARQLINK_CMD_LINK_UP] = { "arq_link_up", arq_event_report },
	[ARQLINK_CMD_PACKET] = { "arq_packet", arq_event_report },
};

static void print_event(struct monitor *m, const struct kind *kind,
			struct nlattr **attrs)
{
	struct report r;

	r = report_event(m->args->values[JSON].set, kind->word, fl_real());
	kind->report(&r, attrs);
	report_end(&r);
	m->events++;
}

/* Prints the advice about a cause once. */
static void advise(struct monitor *m, uint16_t cause)
{
	if (cause > XLO_STATS_MAX || !xlo_counters[cause].advice ||
	    m->advised[cause])
		return;
	m->advised[cause] = true;
	cli_error(m->args->who, "%s: %s", xlo_counters[cause].word,
		  xlo_counters[cause].advice);
}

static void see_xlo(struct monitor *m, struct nl_msg *msg)
{
	uint8_t cmd = genlmsg_hdr(nlmsg_hdr(msg))->cmd;
	struct nlattr *attrs[XLO_A_MAX + 1];

	if (cmd > XLO_CMD_MAX || !xlo_kinds[cmd].word || !xlo_parse(msg, attrs))
		return;
	print_event(m, &xlo_kinds[cmd], attrs);
	if (attrs[XLO_A_CAUSE])
		advise(m, nla_get_u16(attrs[XLO_A_CAUSE]));
}

static void see_rto(struct monitor *m, struct nl_msg *msg)
{
	uint8_t cmd = genlmsg_hdr(nlmsg_hdr(msg))->cmd;
	struct nlattr *attrs[XRTO_A_MAX + 1];

	if (cmd <= XRTO_CMD_MAX && rto_kinds[cmd].word && rto_parse(msg, attrs))
		print_event(m, &rto_kinds[cmd], attrs);
}

static void see_arq(struct monitor *m, struct nl_msg *msg)
{
	uint8_t cmd = genlmsg_hdr(nlmsg_hdr(msg))->cmd;
	struct nlattr *attrs[ARQLINK_A_MAX + 1];
	struct flow flow;

	if (cmd > ARQLINK_CMD_MAX || !arq_kinds[cmd].word || !arq_event_parse(msg, attrs))
		return;
	arq_event_flow(attrs, &flow);
	if (flow_filter_has(&m->filter, &flow))
		print_event(m, &arq_kinds[cmd], attrs);
}

/* Returns the number of a module's multicast group in an answer of nlctrl, or 0 if the group is
 * missing.
 */
static int find_group(const struct module *module, struct nlattr *groups)
{
	struct nlattr *attrs[CTRL_ATTR_MCAST_GRP_MAX + 1], *group;
	int left;

	if (!groups)
		return 0;
	nla_for_each_nested(group, groups, left)
		if (!nla_parse_nested(attrs, CTRL_ATTR_MCAST_GRP_MAX, group,
				      NULL) &&
		    attrs[CTRL_ATTR_MCAST_GRP_NAME] &&
		    attrs[CTRL_ATTR_MCAST_GRP_ID] &&
		    !nla_strcmp(attrs[CTRL_ATTR_MCAST_GRP_NAME],
				module->group))
			return nla_get_u32(attrs[CTRL_ATTR_MCAST_GRP_ID]);
	return 0;
}

/* Requests the events of a module. Kernels before 6.8 need such a request from each socket. */
static void ask(struct monitor *m, const struct module *module)
{
	const struct family family = { .id = module->id };
	struct nl_msg *msg = family_message(&family, module->listen);

	netlink_tell(&m->x.nl, msg);
	nlmsg_free(msg);
}

static void say_unheard(const struct monitor *m, struct module *module,
			const char *reason)
{
	module->is_heard = false;
	cli_error(m->args->who,
		  "the events of the kernel module %s cannot be received: %s",
		  module->name, reason);
}

/* Joins the multicast group of a module, if the privilege is sufficient and the module is still
 * loaded.
 */
static void follow(struct monitor *m, struct module *module, int id, int group)
{
	int err = nl_socket_add_membership(m->x.nl.sock, group);

	module->id = id;
	module->is_heard = !err;
	if (err == -NLE_PERM)
		say_unheard(m, module, look_for_right("that needs", "CAP_NET_ADMIN"));
	else if (!err && module->listen)
		ask(m, module);
}

static void forget(struct monitor *m, struct module *module)
{
	module->id = -1;
	module->is_heard = false;
	m->gone = module->name;
}

/* Handles the kernel's message about a family that was registered or removed. */
static void see_family(struct monitor *m, struct nl_msg *msg)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	bool goes = genlmsg_hdr(hdr)->cmd == CTRL_CMD_DELFAMILY;
	struct nlattr *attrs[CTRL_ATTR_MAX + 1];
	int id;

	if ((!goes && genlmsg_hdr(hdr)->cmd != CTRL_CMD_NEWFAMILY) ||
	    genlmsg_parse(hdr, 0, attrs, CTRL_ATTR_MAX, NULL) < 0 ||
	    !attrs[CTRL_ATTR_FAMILY_ID] || !attrs[CTRL_ATTR_FAMILY_NAME])
		return;
	id = nla_get_u16(attrs[CTRL_ATTR_FAMILY_ID]);
	for (int i = 0; i < m->count; i++) {
		struct module *module = &m->modules[i];

		if (nla_strcmp(attrs[CTRL_ATTR_FAMILY_NAME], module->name))
			continue;
		module->is_listed = !goes;
		/* the kernel may report a family twice */
		if (goes && id == module->id)
			forget(m, module);
		else if (!goes && id != module->id)
			follow(m, module, id,
			       find_group(module,
					  attrs[CTRL_ATTR_MCAST_GROUPS]));
	}
}

static struct module *find_module(struct monitor *m, int id)
{
	for (int i = 0; i < m->count; i++)
		if (m->modules[i].id == id)
			return &m->modules[i];
	return NULL;
}

static int see(struct nl_msg *msg, void *arg)
{
	int id = nlmsg_hdr(msg)->nlmsg_type;
	struct monitor *m = arg;
	struct module *module = find_module(m, id);

	if (id == GENL_ID_CTRL)
		see_family(m, msg);
	else if (module)
		module->see(m, msg);
	return NL_OK;
}

/* Requests a list of all families from the kernel. The entries of the list have the format of
 * events. The request needs a second socket, because events arrive on the first socket.
 */
static bool see_families(struct monitor *m)
{
	struct family nlctrl = { .name = "nlctrl" };
	struct nl_msg *msg;
	bool done;

	for (int i = 0; i < m->count; i++)
		m->modules[i].is_listed = false;
	if (!family_open(&nlctrl, m->args))
		return false;
	msg = family_message(&nlctrl, CTRL_CMD_GETFAMILY);
	done = netlink_dump(&nlctrl.nl, msg, see, m);
	if (!done)
		cli_error(m->args->who, "cannot list families of generic netlink: %s",
			  nlctrl.nl.text);
	nlmsg_free(msg);
	family_close(&nlctrl);
	for (int i = 0; done && i < m->count; i++)
		if (!m->modules[i].is_listed && m->modules[i].id >= 0)
			forget(m, &m->modules[i]);
	return done;
}

static bool hears_any(const struct monitor *m)
{
	for (int i = 0; i < m->count; i++)
		if (m->modules[i].is_heard)
			return true;
	return false;
}

static bool is_any_loaded(const struct monitor *m)
{
	for (int i = 0; i < m->count; i++)
		if (m->modules[i].id >= 0)
			return true;
	return false;
}

static bool listen_events(struct monitor *m)
{
	struct netlink *nl = &m->x.nl;
	int groups[] = {
		genl_ctrl_resolve_grp(nl->sock, "nlctrl", "notify"), 0,
	};

	if (groups[0] <= 0 || !netlink_listen(nl, groups, see, m)) {
		cli_error(m->args->who, "cannot receive events of generic netlink");
		return false;
	}
	if (!see_families(m))
		return false;
	if (!is_any_loaded(m))
		family_explain_absence(&m->x);
	return hears_any(m);
}

static bool wants_more(const struct monitor *m)
{
	return hears_any(m) && m->events < m->args->values[COUNT].number;
}

/* Receives a message. Returns whether the monitor can continue. The only request that the kernel
 * can refuse is the request of ask(). The kernel refuses it if the module is no longer loaded,
 * if there are too many monitors, or if an older module does not know the request.
 */
static bool receive(struct monitor *m)
{
	struct netlink *nl = &m->x.nl;
	struct module *module;

	if (netlink_receive(nl))
		return true;
	switch (nl->error) {
	case EAGAIN:
	case ENOENT:
		return true;
	case ENOBUFS:
		m->lost = true;
		return true;
	case EIO:
		cli_error(m->args->who, "cannot receive events: %s", nl->text);
		return false;
	default:
		module = find_module(m, nl->refused);
		if (module)
			say_unheard(m, module, netlink_reason(nl));
		return true;
	}
}

/* Reports that messages were lost, and reads all families, because a lost message may have been
 * about a family.
 */
static bool report_lost(struct monitor *m)
{
	struct report r = report_event(m->args->values[JSON].set, "lost",
				       fl_real());

	report_end(&r);
	m->lost = false;
	return see_families(m);
}

/* Returns true if the monitor ended at its limit or on a signal. After a loss of messages, the
 * socket receives no new message until the monitor has read all earlier messages.
 */
static bool run_loop(struct monitor *m)
{
	const struct fl_value *v = m->args->values;
	int fd = nl_socket_get_fd(m->x.nl.sock), signal;
	int64_t end = FL_NEVER;

	if (v[DURATION].set)
		end = fl_now() + v[DURATION].number;
	while (wants_more(m)) {
		bool more = wait_input(fd, m->lost ? 0 : end, &signal);

		if (signal || fl_now() >= end)
			return true;
		if (more && !receive(m))
			return false;
		if (!more && m->lost && !report_lost(m))
			return false;
	}
	if (!is_any_loaded(m))
		cli_error(m->args->who, "the kernel module %s has been unloaded",
			  m->gone);
	return hears_any(m);
}

/* Chooses the modules and their groups, and reads the words FLOW. Returns false after a message on
 * standard error.
 */
static bool choose(struct monitor *m)
{
	static struct module events[] = {
		{ XLO_GENL_NAME, XLO_GENL_GROUP, see_xlo, .id = -1 },
		{ XRTO_GENL_NAME, XRTO_GENL_GROUP, see_rto, XRTO_CMD_LISTEN, .id = -1 },
		{ ARQLINK_GENL_NAME, ARQLINK_GENL_EVENTS, see_arq, ARQLINK_CMD_LISTEN, .id = -1 },
	};
	static struct module packets[] = {
		{ ARQLINK_GENL_NAME, ARQLINK_GENL_PACKETS, see_arq, ARQLINK_CMD_LISTEN_PACKETS,
		  .id = -1 },
	};
	const struct cli_args *args = m->args;

	m->modules = events;
	m->count = sizeof(events) / sizeof(events[0]);
	if (args->values[PACKETS].set) {
		m->modules = packets;
		m->count = 1;
	} else if (args->word_count) {
		cli_error(args->who, "FLOW %s: expected with --packets", args->words[0]);
		return false;
	}
	return flow_filter_parse(&m->filter, args->who, args->words, args->word_count);
}

static int run_monitor(const struct cli_args *args)
{
	static const uint16_t no_operands[] = { 0 };
	struct monitor m = { .args = args };
	bool good;

	if (!choose(&m))
		return EXIT_USAGE;
	wait_hold_signals();
	m.x = (struct family){ .name = m.modules[0].name, .operands = no_operands };
	if (!family_open_if_loaded(&m.x, args))
		return EXIT_FAILED;
	good = listen_events(&m);
	if (good) {
		fputs("listening for events\n", stderr);
		good = run_loop(&m);
	}
	family_close(&m.x);
	return good ? EXIT_OK : EXIT_FAILED;
}

const struct command monitor_command = {
	.name = "monitor",
	.words = &flow_option,
	.summary = "print the modules' changes and events as they happen",
	.options = options,
	.run = run_monitor,
};
