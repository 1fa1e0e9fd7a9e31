// SPDX-License-Identifier: GPL-2.0-or-later
/* The module xlo through generic netlink: see xlo_family.h. */
#include <errno.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <stdlib.h>
#include <string.h>

#include "xlo_family.h"

static const char *reason(const struct netlink *nl)
{
	return *nl->text ? nl->text : strerror(nl->error);
}

bool xlo_open(struct xlo_family *x, const struct cli_args *args)
{
	x->args = args;
	if (!netlink_open(&x->nl, NETLINK_GENERIC, -1)) {
		cli_error(args->who, "cannot open netlink: %s", reason(&x->nl));
		return false;
	}
	/* the kernel loads a module that is installed when asked for it */
	x->id = genl_ctrl_resolve(x->nl.sock, XLO_GENL_NAME);
	if (x->id >= 0)
		return true;
	if (x->nl.error == ENOENT)
		cli_error(args->who, "the kernel module xlo is not loaded: modprobe xlo");
	else
		cli_error(args->who, "cannot find the kernel module xlo: %s",
			  nl_geterror(x->id));
	xlo_close(x);
	return false;
}

void xlo_close(struct xlo_family *x)
{
	netlink_close(&x->nl);
}

static struct nl_msg *begin_message(const struct xlo_family *x,
				    uint8_t cmd)
{
	struct nl_msg *msg = nlmsg_alloc();

	genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, x->id, 0, 0, cmd,
		    XLO_GENL_VERSION);
	return msg;
}

/* Prints the word of the command line that an attribute was made of. */
static void describe(const struct cli_args *args, uint16_t attr, char *buf,
		     size_t len)
{
	const struct fl_option *options = args->command->options;
	int opt = fl_find_attr(options, attr);

	if (attr == XLO_A_PROFILE_NAME || attr == XLO_A_IFINDEX)
		snprintf(buf, len, "%s %s: ", args->command->operand,
			 args->operand);
	else if (opt >= 0 && options[opt].type != FL_FLAG)
		snprintf(buf, len, "%s %s: ", options[opt].word,
			 args->values[opt].text);
	else
		snprintf(buf, len, "%s%s", opt < 0 ? "" : options[opt].word,
			 opt < 0 ? "" : ": ");
}

static void explain(const struct xlo_family *x, struct nl_msg *msg)
{
	char words[128];

	if (x->nl.error == EPERM) {
		cli_error(x->args->who, "changing the module xlo needs CAP_NET_ADMIN (root has it)");
		return;
	}
	describe(x->args, netlink_refused_attr(&x->nl, msg), words,
		 sizeof(words));
	cli_error(x->args->who, "%sthe kernel refused it: %s", words,
		  reason(&x->nl));
}

int xlo_change(const struct cli_args *args, uint8_t cmd,
	       void (*put)(struct nl_msg *msg, const struct cli_args *args))
{
	struct xlo_family x;
	struct nl_msg *msg;
	bool done;

	if (!xlo_open(&x, args))
		return EXIT_FAILED;
	msg = begin_message(&x, cmd);
	put(msg, args);
	done = netlink_request(&x.nl, msg);
	if (!done)
		explain(&x, msg);
	nlmsg_free(msg);
	xlo_close(&x);
	return done ? EXIT_OK : EXIT_FAILED;
}

static int keep_answer(struct nl_msg *msg, void *arg)
{
	struct xlo_answers *a = arg;
	struct nl_msg **grown = reallocarray(a->msgs, a->count + 1,
					     sizeof(*grown));

	if (!grown)
		return -NLE_NOMEM;
	nlmsg_get(msg);
	a->msgs = grown;
	a->msgs[a->count++] = msg;
	return NL_OK;
}

static bool try_to_read(struct xlo_family *x, uint8_t cmd,
			struct xlo_answers *answers)
{
	struct nl_msg *msg = begin_message(x, cmd);
	bool done;

	xlo_forget(answers);
	done = cmd == XLO_CMD_GET ?
	       netlink_ask(&x->nl, msg, keep_answer, answers) :
	       netlink_dump(&x->nl, msg, keep_answer, answers);
	if (!done && x->nl.error != EAGAIN)
		explain(x, msg);
	nlmsg_free(msg);
	return done;
}

bool xlo_read(struct xlo_family *x, uint8_t cmd, struct xlo_answers *answers)
{
	bool done;

	do {
		done = try_to_read(x, cmd, answers);
	} while (!done && x->nl.error == EAGAIN);
	return done;
}

void xlo_forget(struct xlo_answers *answers)
{
	for (size_t i = 0; i < answers->count; i++)
		nlmsg_free(answers->msgs[i]);
	free(answers->msgs);
	*answers = (struct xlo_answers){ 0 };
}

bool xlo_parse(struct nl_msg *msg, struct nlattr **attrs)
{
	return genlmsg_parse(nlmsg_hdr(msg), 0, attrs, XLO_A_MAX, NULL) >= 0;
}
