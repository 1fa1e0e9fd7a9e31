// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether packets from a new address are the peer's: see endpoint_move.c. */
#include "conn_parts.h"

bool fdccp_conn_claims(const struct fdccp_conn *conn, const struct fdccp_packet *packet,
		       int64_t now)
{
	return conn->state >= FDCCP_PARTOPEN && conn->state <= FDCCP_CLOSING &&
	       conn->token_acked && packet->extended &&
	       fdccp_window_valid(&conn->window, packet, fdccp_conn_active(conn, now));
}

bool fdccp_conn_answers(const struct fdccp_conn *conn, const struct fdccp_packet *packet,
			const uint8_t challenge[8])
{
	uint8_t answer[FDCCP_CHALLENGE_SIZE];
	struct fdccp_option option;

	if (packet->type != FDCCP_PKT_SYNCACK || !fdccp_seq_after(packet->seq, conn->window.gsr))
		return false;
	fdccp_challenge_answer(conn->token, challenge, conn->local_port, conn->remote_port, answer);
	return fdccp_option_find(packet, FDCCP_OPT_CHALLENGE_ANSWER, &option) &&
	       option.len == FDCCP_CHALLENGE_SIZE &&
	       fdccp_equal(option.value, answer, FDCCP_CHALLENGE_SIZE);
}
