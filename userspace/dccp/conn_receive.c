// SPDX-License-Identifier: GPL-2.0-or-later
/* A connection's received packets: steps 4 to 16 of RFC 4340 section 8.5. The endpoint has done the
 * steps before.
 */
#include <stdlib.h>

#include "conn_parts.h"

#define ECN_CE		3
#define PARTOPEN_TIMER	(FDCCP_SECOND / 5)	/* RFC 4340 section 8.1.5 */
#define ACTIVE_RTTS	3			/* RFC 4340 section 7.5.3 */

/* what became of a packet, or the counter of the cause why it was not processed */
enum { PROCESSED = -1 };

bool fdccp_conn_meet(struct fdccp_conn *conn, uint64_t isr, uint64_t gar)
{
	if (!conn->ackvec)
		conn->ackvec = fdccp_ackvec_new(isr);
	if (!conn->ackvec)
		return false;
	fdccp_window_peer(&conn->window, isr, gar);
	conn->greatest = isr;
	fdccp_features_peer(&conn->features, isr);
	return fdccp_conn_charge(conn);
}

/* Step 4. Return: whether the packet may be processed. */
static bool answers_request(struct fdccp_conn *conn, const struct fdccp_packet *p)
{
	const uint8_t data[3] = { p->type };

	/* a Reset must follow the greatest number received to be valid, so that is set before it */
	if ((p->type == FDCCP_PKT_RESPONSE || p->type == FDCCP_PKT_RESET) &&
	    fdccp_seq_between(conn->window.iss, p->ack, conn->window.gss))
		return fdccp_conn_meet(conn, fdccp_seq_add(p->seq, -(p->type == FDCCP_PKT_RESET)),
				       p->ack);
	if (p->type != FDCCP_PKT_RESET && fdccp_conn_limit(conn))
		fdccp_conn_send_reset(conn, FDCCP_RESET_PACKET_ERROR, data, p->seq);
	return false;
}

bool fdccp_conn_active(const struct fdccp_conn *conn, int64_t now)
{
	return now - conn->heard <= ACTIVE_RTTS * fdccp_conn_rtt(conn);
}

/* Steps 5 and 6. Return: whether the numbers are valid. */
static bool check_numbers(struct fdccp_conn *conn, const struct fdccp_packet *p)
{
	bool active = !fdccp_is_sync(p) || fdccp_conn_active(conn, conn->now);

	if (fdccp_window_valid(&conn->window, p, active))
		return true;
	if (!fdccp_is_sync(p))
		fdccp_conn_sync(conn, p->type == FDCCP_PKT_RESET ? conn->window.gsr : p->seq);
	return false;
}

/* Step 7 */
static bool is_expected(const struct fdccp_conn *conn, const struct fdccp_packet *p)
{
	if (p->type == FDCCP_PKT_DATA)
		return conn->state != FDCCP_RESPOND;
	if (p->type == FDCCP_PKT_CLOSEREQ)
		return !conn->server;
	if (p->type != FDCCP_PKT_REQUEST && p->type != FDCCP_PKT_RESPONSE)
		return true;
	return conn->server == (p->type == FDCCP_PKT_REQUEST) &&
	       (conn->state < FDCCP_OPEN || fdccp_seq_before(p->seq, conn->osr));
}

/* A round-trip time, if the packet acknowledges the last Request or Response. */
static void measure_handshake(struct fdccp_conn *conn, const struct fdccp_packet *p)
{
	if (!p->has_ack || p->ack != conn->asked_seq || conn->now <= conn->asked)
		return;
	conn->rtt = conn->now - conn->asked;
	fdccp_conn_note_rtt(conn, conn->rtt);
}

/* Step 10. Return: 0 or the code of the Reset to send */
static int enter_partopen(struct fdccp_conn *conn, const struct fdccp_packet *p)
{
	int code;

	measure_handshake(conn, p);
	conn->state = FDCCP_PARTOPEN;
	conn->out &= ~FDCCP_OUT_REQUEST;
	fdccp_conn_retry(conn, PARTOPEN_TIMER);
	fdccp_conn_bound(conn, 4 * FDCCP_MSL);
	code = fdccp_conn_start_halves(conn);
	if (code)
		return code;
	fdccp_conn_features_need(conn);
	fdccp_features_repeat(&conn->features, !fdccp_conn_ours(conn));
	fdccp_endpoint_established(conn->ep, conn);
	fdccp_conn_notify(conn, FDCCP_EVENT_CONNECTED);
	return 0;
}

static void enter_open(struct fdccp_conn *conn, const struct fdccp_packet *p)
{
	conn->state = FDCCP_OPEN;
	conn->osr = p->seq;
	conn->timer[FDCCP_TIMER_HANDSHAKE] = FDCCP_NEVER;
	conn->timer[FDCCP_TIMER_GIVE_UP] = FDCCP_NEVER;
	if (conn->params.keepalive)
		conn->timer[FDCCP_TIMER_KEEPALIVE] = conn->now + conn->params.keepalive;
	fdccp_features_repeat(&conn->features, false);
	fdccp_plpmtu_start(&conn->plpmtu, conn->now);
}

/* The second half of step 11. The Ack lets the client leave PARTOPEN even if it gets no data. */
static int enter_accepted(struct fdccp_conn *conn, const struct fdccp_packet *p)
{
	const struct fdccp_rx_packet request = { .now = conn->now, .seq = conn->osr, .ndp = -1 };
	int code;

	measure_handshake(conn, p);
	code = fdccp_conn_start_halves(conn);
	if (code)
		return code;
	/* the receiving half begins with the Request, to see that the first data packet was lost */
	conn->rx_ccid->rx_packet(conn->rx, &request);
	enter_open(conn, p);
	conn->out = (conn->out & ~FDCCP_OUT_RESPONSE) | FDCCP_OUT_ACK;
	fdccp_endpoint_established(conn->ep, conn);
	fdccp_conn_notify(conn, FDCCP_EVENT_ACCEPTED);
	return 0;
}

/* Step 11 */
static int respond(struct fdccp_conn *conn, const struct fdccp_packet *p)
{
	if (p->type != FDCCP_PKT_REQUEST)
		return enter_accepted(conn, p);
	if (!conn->asked_seq_valid)
		fdccp_conn_features_respond(conn);
	/* a Request that comes again has had no Response */
	fdccp_features_lost(&conn->features, conn->now);
	conn->osr = p->seq;
	conn->out |= FDCCP_OUT_RESPONSE;
	return 0;
}

/* Whether a packet shows the client that its server has left RESPOND. */
static bool ends_handshake(const struct fdccp_packet *p)
{
	return p->type != FDCCP_PKT_RESPONSE && p->type != FDCCP_PKT_SYNC;
}

/* Step 12 */
static void leave_partopen(struct fdccp_conn *conn, const struct fdccp_packet *p)
{
	if (p->type == FDCCP_PKT_RESPONSE)
		conn->out |= FDCCP_OUT_ACK;
	else if (ends_handshake(p))
		enter_open(conn, p);
}

/* Whether a Reset ends the connection in order. A peer whose Reset 1 was lost does not know the
 * connection any more when Close comes again.
 */
static bool is_orderly(const struct fdccp_conn *conn, const struct fdccp_packet *p)
{
	return p->reset_code == FDCCP_RESET_CLOSED ||
	       (conn->state == FDCCP_CLOSING && p->reset_code == FDCCP_RESET_NO_CONNECTION);
}

/* Step 9 */
static void end_by_reset(struct fdccp_conn *conn, const struct fdccp_packet *p)
{
	fdccp_conn_end(conn, is_orderly(conn, p) ? FDCCP_REASON_CLOSED : FDCCP_REASON_RESET,
		       p->reset_code);
	conn->state = FDCCP_TIMEWAIT;
	/* nor if its options exceeded the limit of memory */
	conn->out = 0;
	fdccp_endpoint_timewait(conn->ep, conn, conn->now);
}

/* Step 14 */
static void end_by_close(struct fdccp_conn *conn)
{
	fdccp_conn_reset(conn, FDCCP_REASON_CLOSED, FDCCP_RESET_CLOSED, NULL);
}

static bool is_data(const struct fdccp_packet *p)
{
	return p->type == FDCCP_PKT_DATA || p->type == FDCCP_PKT_DATAACK;
}

/* Steps 9 to 15. Return: 0 or the code of the Reset to send */
static int run_states(struct fdccp_conn *conn, const struct fdccp_packet *p)
{
	int code = 0;

	if (conn->state == FDCCP_OPEN && (is_data(p) || p->type == FDCCP_PKT_ACK))
		return 0;
	if (p->type == FDCCP_PKT_RESET) {
		end_by_reset(conn, p);
		return 0;
	}
	if (conn->state == FDCCP_REQUEST)
		code = enter_partopen(conn, p);
	if (conn->state == FDCCP_RESPOND)
		code = respond(conn, p);
	if (code)
		return code;
	if (conn->cookies && ends_handshake(p))
		fdccp_conn_forget_cookies(conn);
	if (conn->state == FDCCP_PARTOPEN)
		leave_partopen(conn, p);
	if (p->type == FDCCP_PKT_CLOSEREQ && conn->state < FDCCP_CLOSEREQ)
		fdccp_conn_closing(conn);
	if (p->type == FDCCP_PKT_CLOSE)
		end_by_close(conn);
	if (p->type == FDCCP_PKT_SYNC) {
		conn->syncack_ack = p->seq;
		conn->out |= FDCCP_OUT_SYNCACK;
	}
	return 0;
}

/* RFC 4340 section 9.2.1 */
static bool is_covered(const struct fdccp_conn *conn, const struct fdccp_packet *p)
{
	uint64_t min;

	if (!p->coverage)
		return true;
	min = fdccp_features_get(&conn->features, FDCCP_FEAT_MIN_COVERAGE, true);
	return min && p->coverage >= min;
}

/* Whether the packet's data reaches the program. Otherwise it is reported as dropped. */
static bool takes_data(const struct fdccp_conn *conn, const struct fdccp_incoming *in)
{
	if (conn->deaf || !is_data(in->packet) || in->cut || in->spoiled ||
	    !is_covered(conn, in->packet))
		return false;
	/* who accepts packets that the checksum covers in part, wants damaged data */
	return !in->damaged || conn->params.min_coverage;
}

static void deliver(struct fdccp_conn *conn, const struct fdccp_incoming *in, uint8_t ecn)
{
	const struct fdccp_packet *p = in->packet;

	if (in->damaged)
		fdccp_ackvec_drop(conn->ackvec, p->seq, FDCCP_DROP_DELIVERED_CORRUPT);
	conn->data.data = p->data;
	conn->data.len = p->data_len;
	conn->data.ecn = ecn;
	conn->data.damaged = in->damaged;
	conn->data.intact = in->intact;
	conn->drop_seq = p->seq;
	conn->info.received++;
	conn->info.received_bytes += p->data_len;
	fdccp_conn_notify(conn, FDCCP_EVENT_DATA);
}

static struct fdccp_rx_packet for_rate(const struct fdccp_conn *conn,
				       const struct fdccp_incoming *in)
{
	return (struct fdccp_rx_packet){
		.now = conn->now,
		.seq = in->packet->seq,
		.ndp = in->ndp,
		.ccval = in->packet->ccval,
		.data = is_data(in->packet),
		/* damage counts as a mark (RFC 4340 section 11.7.2) */
		.marked = in->marked || in->damaged,
		.cut = in->cut,
		.size = in->packet->data_len,
	};
}

/* Step 16, and the rate control's receiving half. Return: as receive() */
static int take_data(struct fdccp_conn *conn, const struct fdccp_incoming *in,
		     struct fdccp_rx_packet *packet, uint8_t ecn)
{
	const struct fdccp_packet *p = in->packet;
	unsigned int code = conn->deaf ? FDCCP_DROP_NOT_LISTENING :
			    in->damaged ? FDCCP_DROP_CORRUPT : FDCCP_DROP_PROTOCOL;

	conn->unreported |= packet->data;
	if (takes_data(conn, in)) {
		deliver(conn, in, ecn);
	} else {
		/* a cut packet was received (RFC 4340 section 11.7.2), but not its data */
		packet->size = 0;
		if (packet->data || (p->data_len && p->type <= FDCCP_PKT_RESPONSE) || in->damaged)
			fdccp_ackvec_drop(conn->ackvec, p->seq, code);
	}
	if (conn->rx)
		conn->rx_ccid->rx_packet(conn->rx, packet);
	return packet->data && !is_covered(conn, p) ? (int)FDCCP_COUNT_coverage : PROCESSED;
}

static int break_off(struct fdccp_conn *conn, int code, const uint8_t data[3])
{
	fdccp_conn_reset(conn, code == FDCCP_RESET_ABORTED ? FDCCP_REASON_ABORTED :
			 FDCCP_REASON_ERROR, code, data);
	return FDCCP_COUNT_bad_option;
}

/* The second half of step 8: the packet is acknowledgeable. */
static void acknowledge(struct fdccp_conn *conn, const struct fdccp_incoming *in)
{
	uint64_t seq = in->packet->seq;

	fdccp_ackvec_add(conn->ackvec, seq, in->marked);
	if (fdccp_seq_after(seq, conn->greatest))
		conn->greatest = seq;
}

static bool is_newest_response(const struct fdccp_conn *conn, const struct fdccp_packet *p)
{
	return p->type == FDCCP_PKT_RESPONSE && p->seq == conn->window.gsr;
}

/* Steps 8 to 16, of a packet whose numbers and type fit. */
static int process(struct fdccp_conn *conn, const struct fdccp_packet *p,
		   const struct fdccp_datagram *datagram)
{
	struct fdccp_incoming in;
	struct fdccp_rx_packet packet;
	uint8_t data[3] = { 0 };
	int code = 0;

	in.packet = p;
	in.marked = datagram->ecn == ECN_CE;
	in.cut = datagram->cut;
	in.stamped = datagram->stamped;
	in.arrival = (struct fdccp_arrival){ 0 };
	in.damaged = in.spoiled = in.slow = in.had_features = in.has_vector = in.has_report = false;
	in.ndp = -1;
	in.elapsed = 0;
	in.length = in.intact = 0;
	in.vector_len = in.dropped_len = 0;
	/* the cookies are those of the Response that is acknowledged (RFC 4340 section 8.1.4) */
	if (is_newest_response(conn, p))
		fdccp_conn_forget_cookies(conn);
	if (p->options_len)
		code = fdccp_conn_options(conn, &in, data);
	/* a router cut the data off, so that no checksum of it can fit */
	in.spoiled = in.spoiled && !in.cut;
	in.damaged = (in.damaged && !in.cut) || in.spoiled;
	packet = for_rate(conn, &in);
	/* the sending half learns of lost acknowledgments by it */
	if (conn->tx && conn->tx_ccid->tx_peer)
		conn->tx_ccid->tx_peer(conn->tx, &packet);
	if (!code && in.has_report)
		code = fdccp_conn_report(conn, &in, data);
	if (!code && p->has_ack)
		code = fdccp_conn_acked(conn, &in, data);
	/* nothing answers a Reset */
	if (code && p->type != FDCCP_PKT_RESET)
		return break_off(conn, code, data);
	acknowledge(conn, &in);
	code = run_states(conn, p);
	if (code)
		return break_off(conn, code, data);
	if (conn->state == FDCCP_CLOSED || conn->state == FDCCP_TIMEWAIT)
		return PROCESSED;
	if (p->type == FDCCP_PKT_SYNCACK)
		fdccp_conn_probed(conn, p->ack, FDCCP_FATE_ACKNOWLEDGED, &in);
	return take_data(conn, &in, &packet, datagram->ecn);
}

/* Whether this is another Response of a server without state. Such a server begins each Response
 * with other numbers. The connection goes on with the numbers of the Response that came first, and
 * this number may then be that of a data packet. SCTP discards a second INIT ACK, too (RFC 9260
 * section 5.2.3).
 */
static bool has_other_cookie(const struct fdccp_conn *conn, const struct fdccp_packet *p)
{
	struct fdccp_option option;

	return conn->cookies && p->type == FDCCP_PKT_RESPONSE &&
	       fdccp_option_find(p, FDCCP_OPT_INIT_COOKIE, &option);
}

static int receive(struct fdccp_conn *conn, const struct fdccp_packet *p,
		   const struct fdccp_datagram *datagram)
{
	if (p->bare && !fdccp_features_get(&conn->features, FDCCP_FEAT_NO_UDP_CHECKSUM, true))
		return FDCCP_COUNT_checksum;
	if (conn->state == FDCCP_REQUEST && !answers_request(conn, p))
		return FDCCP_COUNT_unexpected;
	if (conn->state == FDCCP_RESPOND && !conn->window.has_peer &&
	    !fdccp_conn_meet(conn, p->seq, conn->window.iss))
		return FDCCP_COUNT_too_busy;
	if (!check_numbers(conn, p))
		return FDCCP_COUNT_seq_invalid;
	if (!is_expected(conn, p)) {
		fdccp_window_received(&conn->window, p);
		fdccp_conn_sync(conn, p->seq);
		return FDCCP_COUNT_unexpected;
	}
	if (fdccp_ackvec_seen(conn->ackvec, p->seq))
		return FDCCP_COUNT_duplicate;
	if (has_other_cookie(conn, p))
		return FDCCP_COUNT_unexpected;
	fdccp_window_received(&conn->window, p);
	conn->heard = conn->now;
	return process(conn, p, datagram);
}

void fdccp_conn_receive(struct fdccp_conn *conn, const struct fdccp_packet *packet,
			const struct fdccp_datagram *datagram, int64_t now)
{
	int cause;

	if (conn->state == FDCCP_CLOSED || conn->state == FDCCP_TIMEWAIT)
		return;
	conn->now = now;
	conn->info.packets_in++;
	cause = receive(conn, packet, datagram);
	if (cause != PROCESSED)
		fdccp_count(conn->ep, cause);
	if (conn->info.packets_in % FDCCP_CHARGE_INTERVAL == 0)
		fdccp_conn_charge(conn);
	fdccp_conn_due(conn);
	fdccp_endpoint_update(conn->ep, conn);
}
