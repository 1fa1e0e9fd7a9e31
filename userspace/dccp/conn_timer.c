// SPDX-License-Identifier: GPL-2.0-or-later
/* What a connection does when time has passed. */
#include "conn_parts.h"
#include "limit.h"

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Whether data may be sent and rate controls run. */
static bool is_open(const struct fdccp_conn *conn)
{
	return conn->state >= FDCCP_PARTOPEN && conn->state <= FDCCP_CLOSING;
}

void fdccp_conn_retry(struct fdccp_conn *conn, int64_t interval)
{
	conn->backoff = earlier(interval, FDCCP_BACKOFF_MAX);
	conn->timer[FDCCP_TIMER_HANDSHAKE] = conn->now + conn->backoff;
}

void fdccp_conn_bound(struct fdccp_conn *conn, int64_t time)
{
	int64_t silence = conn->params.silence;

	conn->timer[FDCCP_TIMER_GIVE_UP] = conn->now + (silence ? earlier(silence, time) : time);
}

bool fdccp_conn_limit(struct fdccp_conn *conn)
{
	if (fdccp_limit_take(&conn->syncs_due, FDCCP_SYNCS_A_SECOND, conn->now))
		return true;
	fdccp_count(conn->ep, FDCCP_COUNT_syncs_limited);
	return false;
}

void fdccp_conn_sync(struct fdccp_conn *conn, uint64_t ack)
{
	conn->sync_ack = ack;
	if (fdccp_conn_limit(conn))
		conn->out |= FDCCP_OUT_SYNC;
	else
		conn->timer[FDCCP_TIMER_SYNC] = fdccp_limit_when(conn->syncs_due,
								 FDCCP_SYNCS_A_SECOND);
}

/* RFC 4340 section 7.5.2. A peer may leave acknowledgments without an answer, so their number is
 * limited by time: after half a window of packets, the next round begins a round trip after the
 * last one. So no round trip has more packets than the window.
 */
void fdccp_conn_note_round(struct fdccp_conn *conn)
{
	int64_t sent = fdccp_seq_diff(conn->window.gss, conn->round_gss);

	if (sent < (int64_t)conn->window.local / 2)
		return;
	conn->round_gss = conn->window.gss;
	conn->round_at = later(conn->now, conn->round_at + fdccp_conn_rtt(conn));
}

/* When an Ack has to be made. */
static inline int64_t ack_timer(const struct fdccp_conn *conn)
{
	int64_t when = conn->prompt ? conn->now : fdccp_features_timer(&conn->features);

	if (conn->rx)
		when = earlier(when, conn->rx_ccid->rx_when(conn->rx));
	return later(when, conn->round_at);
}

int64_t fdccp_conn_timer(const struct fdccp_conn *conn)
{
	int64_t when = conn->timer[0];

#pragma GCC unroll 4
	for (int i = 1; i < FDCCP_TIMERS; i++)
		when = earlier(when, conn->timer[i]);
	if (!is_open(conn))
		return when;
	if (conn->state == FDCCP_OPEN && !(conn->out & FDCCP_OUT_PROBE))
		when = earlier(when, fdccp_plpmtu_timer(&conn->plpmtu));
	if (!(conn->out & FDCCP_OUT_ACK))
		when = earlier(when, ack_timer(conn));
	if (conn->tx)
		when = earlier(when, conn->tx_ccid->tx_timer(conn->tx));
	return conn->want_ready ? earlier(when, fdccp_conn_ready_at(conn)) : when;
}

void fdccp_conn_due(struct fdccp_conn *conn)
{
	if (!is_open(conn))
		return;
	if (ack_timer(conn) <= conn->now)
		conn->out |= FDCCP_OUT_ACK;
	if (conn->state == FDCCP_OPEN && fdccp_plpmtu_timer(&conn->plpmtu) <= conn->now &&
	    fdccp_plpmtu_due(&conn->plpmtu, conn->now))
		conn->out |= FDCCP_OUT_PROBE;
	if (conn->want_ready)
		fdccp_conn_check_ready(conn);
}

static void send_again(struct fdccp_conn *conn)
{
	static const unsigned int packet[] = {
		[FDCCP_REQUEST] = FDCCP_OUT_REQUEST,
		[FDCCP_PARTOPEN] = FDCCP_OUT_ACK,
		[FDCCP_CLOSEREQ] = FDCCP_OUT_CLOSEREQ,
		[FDCCP_CLOSING] = FDCCP_OUT_CLOSE,
		[FDCCP_TIMEWAIT] = 0,
	};

	conn->out |= packet[conn->state];
	fdccp_conn_retry(conn, 2 * conn->backoff);
}

static void give_up(struct fdccp_conn *conn)
{
	fdccp_conn_reset(conn, FDCCP_REASON_TIMEOUT, FDCCP_RESET_ABORTED, NULL);
}

/* When a peer that stays silent counts as gone. If the program does not say, this is as long as
 * PARTOPEN may last, and until two Syncs were left without answer.
 */
static bool is_gone(const struct fdccp_conn *conn)
{
	const struct fdccp_params *p = &conn->params;
	int64_t silence = p->silence ? p->silence : 4 * FDCCP_MSL + 2 * p->keepalive;

	return conn->now - conn->heard >= silence;
}

static void keep_alive(struct fdccp_conn *conn)
{
	int64_t interval = conn->params.keepalive, next = conn->heard + interval;

	if (is_gone(conn)) {
		give_up(conn);
		return;
	}
	if (next <= conn->now) {
		fdccp_conn_sync(conn, conn->window.gsr);
		next = conn->now + interval;
	}
	if (conn->params.silence)
		next = earlier(next, conn->heard + conn->params.silence);
	conn->timer[FDCCP_TIMER_KEEPALIVE] = next;
}

static bool take(struct fdccp_conn *conn, enum fdccp_timer timer)
{
	if (conn->timer[timer] > conn->now)
		return false;
	conn->timer[timer] = FDCCP_NEVER;
	return true;
}

static void run_rates(struct fdccp_conn *conn)
{
	/* a full ring has to empty with every rate control, or the program could not send again */
	if (conn->tx && conn->tx_ccid->tx_timer(conn->tx) <= conn->now &&
	    (conn->tx_ccid->tx_expire(conn->tx, conn->now) || conn->ring_full))
		fdccp_conn_timeout(conn);
	if (fdccp_plpmtu_expire(&conn->plpmtu, conn->now))
		fdccp_conn_notify(conn, FDCCP_EVENT_SIZE);
	if (conn->tx && conn->tx_ccid->tx_broken && conn->tx_ccid->tx_broken(conn->tx))
		fdccp_conn_reset(conn, FDCCP_REASON_CIRCUIT_BREAKER, FDCCP_RESET_ABORTED, NULL);
	fdccp_conn_adapt(conn);
}

void fdccp_conn_advance(struct fdccp_conn *conn, int64_t now)
{
	conn->now = now;
	if (conn->state == FDCCP_CLOSED || conn->state == FDCCP_TIMEWAIT)
		return;
	if (take(conn, FDCCP_TIMER_GIVE_UP))
		give_up(conn);
	if (take(conn, FDCCP_TIMER_HANDSHAKE))
		send_again(conn);
	if (take(conn, FDCCP_TIMER_KEEPALIVE))
		keep_alive(conn);
	if (take(conn, FDCCP_TIMER_SYNC))
		fdccp_conn_sync(conn, conn->sync_ack);
	if (is_open(conn))
		run_rates(conn);
	fdccp_conn_due(conn);
	fdccp_endpoint_update(conn->ep, conn);
}
