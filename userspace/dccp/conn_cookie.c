// SPDX-License-Identifier: GPL-2.0-or-later
/* What a connection puts into an Init Cookie, and how it starts from one (RFC 4340, 8.1.4). */
#include "conn_parts.h"

#define CLOCK_UNIT	INT64_C(10000)
#define CLOCK_MASK	UINT32_C(0xffffff)

/* features at this end and at the peer that a cookie knows, as flags */
static const struct {
	uint8_t flag, number;
	bool local;
} flags[] = {
	{ FDCCP_COOKIE_OURS, FDCCP_FEAT_FRESHLINK, false },
	{ FDCCP_COOKIE_ECN_INCAPABLE, FDCCP_FEAT_ECN_INCAPABLE, true },
	{ FDCCP_COOKIE_PEER_ECN_INCAPABLE, FDCCP_FEAT_ECN_INCAPABLE, false },
	{ FDCCP_COOKIE_ACK_VECTOR, FDCCP_FEAT_SEND_ACK_VECTOR, true },
	{ FDCCP_COOKIE_PEER_ACK_VECTOR, FDCCP_FEAT_SEND_ACK_VECTOR, false },
	{ FDCCP_COOKIE_NDP, FDCCP_FEAT_SEND_NDP_COUNT, true },
	{ FDCCP_COOKIE_PEER_NDP, FDCCP_FEAT_SEND_NDP_COUNT, false },
	{ FDCCP_COOKIE_DATA_CHECKSUM, FDCCP_FEAT_CHECK_DATA_CHECKSUM, true },
};

#define FLAGS	(sizeof(flags) / sizeof(flags[0]))

static uint32_t rtt_clock(int64_t now)
{
	return (uint32_t)(now / CLOCK_UNIT) & CLOCK_MASK;
}

static struct fdccp_cookie describe(const struct fdccp_conn *conn)
{
	const struct fdccp_features *f = &conn->features;
	struct fdccp_cookie cookie = {
		.isr = conn->window.isr,
		.iss = conn->window.iss,
		.service = conn->service,
		.ccid = fdccp_features_get(f, FDCCP_FEAT_CCID, true),
		.peer_ccid = fdccp_features_get(f, FDCCP_FEAT_CCID, false),
		.peer_window = conn->window.remote,
		.min_coverage = {
			fdccp_features_get(f, FDCCP_FEAT_MIN_COVERAGE, false),
			fdccp_features_get(f, FDCCP_FEAT_MIN_COVERAGE, true),
		},
		.rtt_clock = rtt_clock(conn->now),
	};

	for (size_t i = 0; i < FLAGS; i++)
		if (fdccp_features_get(f, flags[i].number, flags[i].local))
			cookie.flags |= flags[i].flag;
	return cookie;
}

bool fdccp_conn_transmit_cookie(struct fdccp_conn *conn, struct fdccp_datagram *datagram,
				int64_t now)
{
	struct fdccp_cookie cookie = describe(conn);
	uint8_t value[FDCCP_COOKIE_SIZE];
	struct fdccp_option option = { .type = FDCCP_OPT_INIT_COOKIE, .value = value };

	/* a cookie cannot wait for the end of a negotiation */
	if (!fdccp_conn_agrees(conn))
		return false;
	option.len = fdccp_cookie_write(fdccp_endpoint_secrets(conn->ep), &cookie, &conn->path,
					conn->local_port, conn->remote_port, value);
	return fdccp_conn_keep_cookie(conn, &option) && fdccp_conn_transmit(conn, datagram, now);
}

static void agree(struct fdccp_conn *conn, const struct fdccp_cookie *cookie)
{
	struct fdccp_features *f = &conn->features;

	fdccp_features_agree(f, FDCCP_FEAT_CCID, true, cookie->ccid);
	fdccp_features_agree(f, FDCCP_FEAT_CCID, false, cookie->peer_ccid);
	fdccp_features_agree(f, FDCCP_FEAT_SEQUENCE_WINDOW, false, cookie->peer_window);
	if (cookie->min_coverage[0])
		fdccp_features_agree(f, FDCCP_FEAT_MIN_COVERAGE, false, cookie->min_coverage[0]);
	if (cookie->min_coverage[1])
		fdccp_features_agree(f, FDCCP_FEAT_MIN_COVERAGE, true, cookie->min_coverage[1]);
	for (size_t i = 0; i < FLAGS; i++)
		if (cookie->flags & flags[i].flag)
			fdccp_features_agree(f, flags[i].number, flags[i].local, 1);
	/* the cookie has no room for these; who does not need them does without */
	if (cookie->min_coverage[1] && fdccp_conn_may_be_bare(conn))
		fdccp_features_agree(f, FDCCP_FEAT_NO_UDP_CHECKSUM, true, 1);
	if (cookie->peer_ccid == FDCCP_CCID3)
		fdccp_features_agree(f, FDCCP_FEAT_SEND_LOSS_EVENT_RATE, true, 1);
}

void fdccp_conn_from_cookie(struct fdccp_conn *conn, const struct fdccp_cookie *cookie)
{
	uint32_t age = (rtt_clock(conn->now) - cookie->rtt_clock) & CLOCK_MASK;

	agree(conn, cookie);
	conn->window.remote = cookie->peer_window;
	conn->asked_seq = fdccp_window_next(&conn->window);
	conn->asked = conn->now - (int64_t)age * CLOCK_UNIT;
	if (!fdccp_conn_meet(conn, cookie->isr, conn->window.iss)) {
		fdccp_conn_reset(conn, FDCCP_REASON_ABORTED, FDCCP_RESET_ABORTED, NULL);
		fdccp_endpoint_update(conn->ep, conn);
		return;
	}
	fdccp_features_packet_done(&conn->features, cookie->isr, true);
	fdccp_ackvec_add(conn->ackvec, cookie->isr, false);
	conn->osr = cookie->isr;
	fdccp_conn_features_respond(conn);
}
