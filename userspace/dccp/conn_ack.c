// SPDX-License-Identifier: GPL-2.0-or-later
/* What becomes known of the packets that a connection has sent. */
#include "conn_parts.h"

/* A packet that counted as lost arrived after all; its fate remains. */
static bool is_late(const struct fdccp_sent_packet *packet)
{
	const unsigned int open = 1U << FDCCP_FATE_LOST | 1U << FDCCP_FATE_EXPIRED |
				  1U << FDCCP_FATE_DISCARDED | 1U << FDCCP_FATE_UNKNOWN;

	return packet->received && 1U << packet->fate & open;
}

static void note_size(struct fdccp_conn *conn, bool changed)
{
	if (changed)
		fdccp_conn_notify(conn, FDCCP_EVENT_SIZE);
}

static void probe_verdict(struct fdccp_conn *conn, const struct fdccp_sent_packet *packet)
{
	if (packet->received)
		note_size(conn, fdccp_plpmtu_acked(&conn->plpmtu, packet->seq, conn->now));
	else
		note_size(conn, fdccp_plpmtu_lost(&conn->plpmtu, packet->seq, conn->now));
}

/* A packet may be lost because it is too large. */
static void doubt(void *context, const struct fdccp_sent_packet *packet)
{
	struct fdccp_conn *conn = context;
	size_t size = packet->size + conn->overhead;

	note_size(conn, fdccp_plpmtu_data(&conn->plpmtu, size, false, conn->now));
}

static inline void tell(struct fdccp_conn *conn, enum fdccp_cause cause,
			const struct fdccp_sent_packet *packet)
{
	if (!conn->tx || fdccp_seq_before(packet->seq, conn->tx_first))
		return;
	conn->info.cause[cause] += packet->data;
	conn->tx_ccid->tx_cause(conn->tx, cause, packet, conn->now);
}

void fdccp_conn_tell_cause(struct fdccp_conn *conn, enum fdccp_cause cause,
			   const struct fdccp_sent_packet *packet)
{
	tell(conn, cause, packet);
}

/* The cause of a packet about which an acknowledgment tells more than that it arrived. */
static __attribute__((noinline)) enum fdccp_cause
find_cause(struct fdccp_conn *conn, const struct fdccp_sent_packet *packet)
{
	enum fdccp_cause cause = fdccp_cause_of(packet);

	if (!conn->params.causes)
		cause = fdccp_cause_untold(cause);
	if (cause == FDCCP_CAUSE_STALE && packet->data)
		cause = fdccp_stale_judge(&conn->stale, conn->told);
	return cause;
}

static inline void note_fate(struct fdccp_conn *conn, enum fdccp_fate fate)
{
	conn->info.fate[fate]++;
	conn->untold++;
	fdccp_conn_notify(conn, FDCCP_EVENT_FATE);
}

/* A packet whose size says something of the path's MTU. */
static void note_data_size(struct fdccp_conn *conn, const struct fdccp_sent_packet *packet)
{
	note_size(conn, fdccp_plpmtu_data(&conn->plpmtu, packet->size + conn->overhead,
					  packet->received, conn->now));
}

/* The same as verdict(), of a packet that has arrived, and of which nothing else is to be told. */
static inline void arrived(struct fdccp_conn *conn, const struct fdccp_sent_packet *packet)
{
	note_fate(conn, FDCCP_FATE_ACKNOWLEDGED);
	conn->newly++;
	conn->told++;
	if (fdccp_plpmtu_doubts(&conn->plpmtu))
		note_data_size(conn, packet);
	tell(conn, FDCCP_CAUSE_ARRIVED, packet);
}

static void verdict(void *context, const struct fdccp_sent_packet *packet)
{
	struct fdccp_conn *conn = context;

	if (packet->fate == FDCCP_FATE_ACKNOWLEDGED && packet->data) {
		arrived(conn, packet);
		return;
	}
	if (packet->probe) {
		probe_verdict(conn, packet);
		return;
	}
	if (!is_late(packet))
		note_fate(conn, packet->fate);
	conn->newly += packet->received;
	conn->told += packet->data;
	conn->peer_deaf |= packet->drop == FDCCP_DROP_NOT_LISTENING;
	if (packet->received ? fdccp_plpmtu_doubts(&conn->plpmtu) :
			       packet->fate == FDCCP_FATE_LOST && !packet->doubted)
		note_data_size(conn, packet);
	if (packet->fate != FDCCP_FATE_UNKNOWN)
		tell(conn, find_cause(conn, packet), packet);
}

static int64_t sent_at(const struct fdccp_conn *conn, uint64_t seq)
{
	const struct fdccp_sent_packet *packet = fdccp_sent_find(conn->sent, seq);

	return packet ? packet->at : FDCCP_NEVER;
}

/* Without Ack Vectors, packets that were sent a round trip before one that was acknowledged are not
 * heard of any more.
 */
static void forget(struct fdccp_conn *conn, int64_t at)
{
	if (at != FDCCP_NEVER && !fdccp_conn_sends_vectors(conn))
		fdccp_sent_forget(conn->sent, at - fdccp_conn_rtt(conn), verdict, conn);
}

/* An acknowledgment of packets that were not known to have arrived tells a round-trip time. A peer
 * that says it waited for all of it is not believed.
 */
static void sample_rtt(struct fdccp_conn *conn, const struct fdccp_incoming *in, int64_t at)
{
	int64_t whole = conn->now - at;

	if (at == FDCCP_NEVER || !conn->newly)
		return;
	fdccp_conn_note_rtt(conn, in->elapsed < whole ? whole - in->elapsed : whole);
	conn->sampled = in->packet->ack;
}

static void tell_rate(struct fdccp_conn *conn, const struct fdccp_incoming *in, int64_t at)
{
	struct fdccp_tx_ack ack = {
		.now = conn->now,
		.seq = in->packet->seq,
		.ack = in->packet->ack,
		.sent_at = at,
		.elapsed = in->elapsed,
		.newly = conn->newly,
		.has_vector = in->has_vector,
		.slow_receiver = in->slow,
	};

	sample_rtt(conn, in, at);
	conn->tx_ccid->tx_ack(conn->tx, &ack);
	fdccp_conn_adapt(conn);
}

/* Whether the peer should hear of its acknowledgment in a round trip, so that its Ack Vectors remain
 * short (RFC 4341 section 6.2).
 */
static bool owes(const struct fdccp_conn *conn, const struct fdccp_incoming *in)
{
	size_t enough = conn->tx_ccid ? conn->tx_ccid->short_vector : 0;

	return in->has_vector && in->vector_len > enough && conn->owed_at == FDCCP_NEVER;
}

/* What an acknowledgment number says alone. */
static void note_ack(struct fdccp_conn *conn, const struct fdccp_incoming *in)
{
	uint64_t ack = in->packet->ack;

	if (in->has_vector)
		fdccp_ackvec_acked_by(conn->ackvec, ack, in->vector, in->vector_len);
	else
		fdccp_ackvec_acked(conn->ackvec, ack);
	conn->ring_full = false;
	if (owes(conn, in))
		conn->owed_at = conn->acked_at + fdccp_conn_rtt(conn);
	if (conn->token_sent && !fdccp_seq_before(ack, conn->token_seq))
		conn->token_acked = true;
}

/* Where the peer sends vectors, a number alone does not say what became of the data. */
static bool says_fates(const struct fdccp_conn *conn, const struct fdccp_incoming *in)
{
	return in->has_vector || in->packet->type == FDCCP_PKT_SYNCACK || !fdccp_conn_sends_vectors(conn);
}

int fdccp_conn_acked(struct fdccp_conn *conn, const struct fdccp_incoming *in, uint8_t data[3])
{
	const struct fdccp_packet *p = in->packet;
	struct fdccp_acks acks = {
		.iss = conn->window.iss,
		.gss = conn->window.gss,
		.ack = p->ack,
		.vector = in->has_vector ? in->vector : NULL,
		.vector_len = in->vector_len,
		.dropped = in->dropped,
		.dropped_len = in->dropped_len,
	};
	int64_t at;
	int found = 0;

	/* a Sync, and a Reset of an end without the connection, may acknowledge what was not
	 * processed: RFC 4340 sections 5.7 and 8.3.1
	 */
	if (!p->has_ack || p->type == FDCCP_PKT_SYNC ||
	    (p->type == FDCCP_PKT_RESET && !in->has_vector))
		return 0;
	at = sent_at(conn, p->ack);
	conn->newly = 0;
	if (conn->now >= conn->stale.next)
		fdccp_stale_advance(&conn->stale, conn->told, fdccp_conn_rtt(conn), conn->now);
	if (says_fates(conn, in))
		found = fdccp_sent_acknowledge(conn->sent, &acks, verdict, conn);
	if (found > 0)
		fdccp_count(conn->ep, FDCCP_COUNT_contradictions);
	if (found < 0) {
		data[0] = FDCCP_OPT_ACK_VECTOR_0;
		return FDCCP_RESET_OPTION_ERROR;
	}
	if (!in->has_vector)
		forget(conn, at);
	note_ack(conn, in);
	if (conn->tx && (p->type == FDCCP_PKT_ACK || p->type == FDCCP_PKT_DATAACK))
		tell_rate(conn, in, at);
	return 0;
}

void fdccp_conn_timeout(struct fdccp_conn *conn)
{
	fdccp_sent_doubt(conn->sent, doubt, conn);
	if (!conn->ring_full)
		return;
	fdccp_sent_give_up(conn->sent, conn->now, verdict, conn);
	conn->ring_full = false;
}

/* A sender does not run ahead of a Sequence Window that the peer has not confirmed yet (RFC 4340
 * section 7.5.2). While the window is full, one packet in a round trip goes on asking. Without it,
 * a loss of all acknowledgments would end the connection's data for good.
 */
int64_t fdccp_conn_window_at(const struct fdccp_conn *conn)
{
	return conn->sent_at + fdccp_conn_rtt(conn);
}

int64_t fdccp_conn_ready_at(const struct fdccp_conn *conn)
{
	int64_t when;

	if (!conn->want_ready || conn->ring_full || fdccp_conn_holds_data(conn))
		return FDCCP_NEVER;
	/* a half that has not started may send */
	when = conn->tx ? conn->tx_ccid->tx_when(conn->tx, conn->now) : conn->now;
	if (fdccp_window_full(&conn->window) && fdccp_conn_window_at(conn) > when)
		return fdccp_conn_window_at(conn);
	return when;
}

void fdccp_conn_check_ready(struct fdccp_conn *conn)
{
	if (fdccp_conn_ready_at(conn) > conn->now)
		return;
	conn->want_ready = false;
	fdccp_conn_notify(conn, FDCCP_EVENT_READY);
}
