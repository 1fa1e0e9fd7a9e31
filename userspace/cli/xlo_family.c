// SPDX-License-Identifier: GPL-2.0-or-later
/* The module xlo through generic netlink: see xlo_family.h. */
#include <errno.h>
#include <netlink/errno.h>
#include <netlink/genl/genl.h>
#include <stdlib.h>

#include "xlo_family.h"

static void name_family(struct family *x)
{
	static const uint16_t operands[] = {
		XLO_A_PROFILE_NAME, XLO_A_IFINDEX, 0,
	};

	x->name = XLO_GENL_NAME;
	x->operands = operands;
}

bool xlo_open(struct family *x, const struct cli_args *args)
{
	name_family(x);
	return family_open(x, args);
}

bool xlo_open_if_loaded(struct family *x, const struct cli_args *args)
{
	name_family(x);
	return family_open_if_loaded(x, args);
}

int xlo_change(const struct cli_args *args, uint8_t cmd,
	       void (*put)(struct nl_msg *msg, const struct cli_args *args))
{
	struct nl_msg *msg;
	struct family x;
	bool done;

	if (!xlo_open(&x, args))
		return EXIT_FAILED;
	msg = family_message(&x, cmd);
	put(msg, args);
	done = family_request(&x, msg);
	family_close(&x);
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

static bool try_to_read(struct family *x, uint8_t cmd,
			struct xlo_answers *answers)
{
	struct nl_msg *msg = family_message(x, cmd);
	bool done;

	xlo_forget(answers);
	done = cmd == XLO_CMD_GET ?
	       netlink_ask(&x->nl, msg, keep_answer, answers) :
	       netlink_dump(&x->nl, msg, keep_answer, answers);
	if (!done && x->nl.error != EAGAIN)
		family_explain(x, msg);
	nlmsg_free(msg);
	return done;
}

bool xlo_read(struct family *x, uint8_t cmd, struct xlo_answers *answers)
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
