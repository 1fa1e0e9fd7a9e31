// SPDX-License-Identifier: GPL-2.0-or-later
/* The gate of lpd: see gate.h. */
#include <errno.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>

#include "gate.h"

static uint64_t get_u64(struct nlattr **attrs, int attr)
{
	return attrs[attr] ? nla_get_u64(attrs[attr]) : 0;
}

static int see_state(struct nl_msg *msg, void *arg)
{
	struct nlattr *attrs[LPD_A_MAX + 1];
	struct gate_state *state = arg;

	if (genlmsg_parse(nlmsg_hdr(msg), 0, attrs, LPD_A_MAX, NULL) < 0)
		return NL_SKIP;
	*state = (struct gate_state){
		.window = get_u64(attrs, LPD_A_WINDOW),
		.rate = get_u64(attrs, LPD_A_RATE),
		.delay = get_u64(attrs, LPD_A_DELAY),
		.bytes = get_u64(attrs, LPD_A_BYTES),
		.acked = get_u64(attrs, LPD_A_ACKED),
		.backlog = attrs[LPD_A_BACKLOG] ?
			   nla_get_u32(attrs[LPD_A_BACKLOG]) : 0,
		.now = get_u64(attrs, LPD_A_NOW),
		.probe_bytes = get_u64(attrs, LPD_A_PROBE_BYTES),
		.probe_time = get_u64(attrs, LPD_A_PROBE_TIME),
		.probe_idle = attrs[LPD_A_PROBE_IDLE],
	};
	return NL_OK;
}

static struct nl_msg *message(const struct gate *gate, uint8_t cmd)
{
	struct nl_msg *msg = family_message(&gate->family, cmd);

	nla_put_u32(msg, LPD_A_IFINDEX, gate->ifindex);
	return msg;
}

static int ask(struct gate *gate, struct nl_msg *msg, struct gate_state *state)
{
	bool done = netlink_ask(&gate->family.nl, msg, see_state, state);

	nlmsg_free(msg);
	return done ? 0 : gate->family.nl.error;
}

bool gate_open(struct gate *gate, const struct cli_args *args)
{
	static const uint16_t operands[] = { LPD_A_IFINDEX, 0 };

	gate->family.name = LPD_GENL_NAME;
	gate->family.operands = operands;
	if (!family_open_if_loaded(&gate->family, args))
		return false;
	if (gate->family.id >= 0)
		return true;
	cli_error(args->who, "%s has no gate: expected lpd as its root qdisc: tc qdisc replace dev %s root lpd",
		  args->operand, args->operand);
	gate_close(gate);
	return false;
}

void gate_close(struct gate *gate)
{
	family_close(&gate->family);
}

int gate_set(struct gate *gate, const struct gate_request *request,
	     struct gate_state *state)
{
	struct nl_msg *msg = message(gate, LPD_CMD_GATE_SET);

	nla_put_u64(msg, LPD_A_WINDOW, request->window);
	if (request->has_probe)
		nla_put_u32(msg, LPD_A_PROBE, request->probe);
	if (request->rate) {
		nla_put_u64(msg, LPD_A_RATE, request->rate);
		nla_put_u64(msg, LPD_A_DELAY, request->delay);
	}
	return ask(gate, msg, state);
}

int gate_get(struct gate *gate, struct gate_state *state)
{
	return ask(gate, message(gate, LPD_CMD_GATE_GET), state);
}

int gate_delete(struct gate *gate)
{
	struct nl_msg *msg = message(gate, LPD_CMD_GATE_DEL);
	bool done = netlink_request(&gate->family.nl, msg);

	nlmsg_free(msg);
	return done ? 0 : gate->family.nl.error;
}
