// SPDX-License-Identifier: GPL-2.0-or-later
/* cellink: the parser of packets with bit errors. */
#include "parser.h"
#include "../../kmod/cellink/errors.c"

static void run_damage(struct sk_buff *skb, const struct packet *p, u64 *state)
{
	struct cell_errors_config cfg = {};
	const u64 bits = p->len * 8ULL;
	struct cell_check check = {};
	struct cell_errors errors;
	u64 at;

	/* about one bad bit in 1000 bits */
	cfg.state[CELLINK_STATE_GOOD].ber = 1000000000;
	cell_errors_start(&errors, &cfg, *state);
	if (cell_errors_bad_bit(&errors, bits, &at)) {
		check.bits = at;
		cell_damage(&errors, skb, &check, bits, chance(state, 4));
		fetch_reached(check.damaged);
	}
	require(skb->len == p->len);
}

const struct parser cell_parsers[] = {
	{ .name = "damage", .packet.ip = ETH_HLEN, .run = run_damage },
	{ }
};
