// SPDX-License-Identifier: GPL-2.0-or-later
/* How a connection ends: RFC 4340 section 8.3. */
#include <string.h>

#include "conn_parts.h"

void fdccp_conn_send_reset(struct fdccp_conn *conn, uint8_t code, const uint8_t data[3],
			   uint64_t ack)
{
	conn->reset.code = code;
	conn->reset.ack = ack;
	memset(conn->reset.data, 0, sizeof(conn->reset.data));
	if (data)
		memcpy(conn->reset.data, data, sizeof(conn->reset.data));
	conn->out |= FDCCP_OUT_RESET;
}

void fdccp_conn_end(struct fdccp_conn *conn, enum fdccp_reason reason, uint8_t code)
{
	if (conn->state == FDCCP_CLOSED || conn->state == FDCCP_TIMEWAIT)
		return;
	conn->state = FDCCP_CLOSED;
	conn->out = 0;
	conn->reset.code = 0;
	conn->want_ready = false;
	for (int i = 0; i < FDCCP_TIMERS; i++)
		conn->timer[i] = FDCCP_NEVER;
	conn->untold += fdccp_sent_open(conn->sent);
	if (conn->untold)
		fdccp_conn_notify(conn, FDCCP_EVENT_FATE);
	fdccp_sent_end(conn->sent, conn->info.fate);
	conn->reason = reason;
	conn->reset_code = code;
	conn->events &= ~(1U << FDCCP_EVENT_READY);
	fdccp_conn_notify(conn, FDCCP_EVENT_CLOSED);
}

void fdccp_conn_reset(struct fdccp_conn *conn, enum fdccp_reason reason, uint8_t code,
		      const uint8_t data[3])
{
	if (conn->state == FDCCP_CLOSED || conn->state == FDCCP_TIMEWAIT)
		return;
	fdccp_conn_end(conn, reason, code);
	/* without a packet of the peer, the number is 0 (RFC 4340 section 8.1.1) */
	fdccp_conn_send_reset(conn, code, data, conn->window.has_peer ? conn->greatest : 0);
}

static void start_end(struct fdccp_conn *conn, uint8_t state, unsigned int out)
{
	conn->state = state;
	conn->ending = true;
	conn->want_ready = false;
	conn->events &= ~(1U << FDCCP_EVENT_READY);
	conn->out = (conn->out & ~(FDCCP_OUT_ACK | FDCCP_OUT_PROBE)) | out;
	/* two round trips at first, RFC 4340 section 8.3 */
	fdccp_conn_retry(conn, 2 * fdccp_conn_rtt(conn));
	fdccp_conn_bound(conn, FDCCP_GIVE_UP);
	conn->timer[FDCCP_TIMER_KEEPALIVE] = FDCCP_NEVER;
}

void fdccp_conn_closing(struct fdccp_conn *conn)
{
	start_end(conn, FDCCP_CLOSING, FDCCP_OUT_CLOSE);
}

void fdccp_close(struct fdccp_conn *conn, int64_t now)
{
	conn->now = now;
	switch (conn->state) {
	case FDCCP_REQUEST:
	case FDCCP_RESPOND:
		fdccp_conn_reset(conn, FDCCP_REASON_CLOSED, FDCCP_RESET_ABORTED, NULL);
		break;
	case FDCCP_PARTOPEN:
	case FDCCP_OPEN:
		if (conn->server && conn->params.linger)
			start_end(conn, FDCCP_CLOSEREQ, FDCCP_OUT_CLOSEREQ);
		else
			fdccp_conn_closing(conn);
		break;
	default:
		break;
	}
	fdccp_endpoint_update(conn->ep, conn);
}

void fdccp_abort(struct fdccp_conn *conn, int64_t now)
{
	conn->now = now;
	fdccp_conn_reset(conn, FDCCP_REASON_ABORTED, FDCCP_RESET_ABORTED, NULL);
	fdccp_endpoint_update(conn->ep, conn);
}
