// SPDX-License-Identifier: GPL-2.0-or-later
/* A connection's packets to send. */
#include <errno.h>
#include <string.h>

#include "checksum.h"
#include "conn_parts.h"

#define ECN_ECT0	2

/* lifetime of a packet without data: the longest remaining time of the option */
#define EMPTY_LIFETIME	(FRESHLINK_RELATIVE_MAX * INT64_C(1000000))

/* the types of the packets that wait, by the bits of FDCCP_OUT_... */
static const uint8_t out_type[] = {
	FDCCP_PKT_REQUEST, FDCCP_PKT_RESPONSE, FDCCP_PKT_SYNCACK, FDCCP_PKT_SYNC, FDCCP_PKT_ACK,
	FDCCP_PKT_SYNC, FDCCP_PKT_CLOSEREQ, FDCCP_PKT_CLOSE, FDCCP_PKT_RESET,
};

static bool is_acknowledged(uint8_t type)
{
	return type == FDCCP_PKT_DATA || type == FDCCP_PKT_DATAACK || type == FDCCP_PKT_ACK;
}

static bool is_data_type(uint8_t type)
{
	return type == FDCCP_PKT_DATA || type == FDCCP_PKT_DATAACK ||
	       type == FDCCP_PKT_REQUEST || type == FDCCP_PKT_RESPONSE;
}

/* Marks count only where the peer can read them (RFC 4340 section 12.1) and this end obeys them. */
static uint8_t ecn_field(const struct fdccp_conn *conn, uint8_t type)
{
	if (!conn->params.ecn || !is_acknowledged(type) || !conn->tx_ccid->ecn ||
	    fdccp_features_get(&conn->features, FDCCP_FEAT_ECN_INCAPABLE, false))
		return 0;
	return ECN_ECT0;
}

static void count_ndp(struct fdccp_conn *conn, uint8_t type)
{
	if (is_data_type(type))
		conn->ndp = 0;
	else if (conn->ndp < UINT32_MAX)
		conn->ndp++;
}

/* Begins a packet of what fdccp_packet_write() reads, but for the fields of a Reset. */
static void begin(struct fdccp_conn *conn, struct fdccp_packet *p, uint8_t type)
{
	p->type = type;
	p->source = conn->local_port;
	p->dest = conn->remote_port;
	p->ccval = 0;
	p->coverage = 0;
	p->seq = fdccp_window_next(&conn->window);
	p->ack = conn->greatest;
	p->service = conn->service;
}

/* Starts a datagram with room for the header, and options up to @max bytes of both. */
static inline void start(struct fdccp_conn *conn, struct fdccp_writer *w,
			 struct fdccp_datagram *datagram, uint8_t type, size_t max)
{
	datagram->ecn = ecn_field(conn, type);
	datagram->deadline = FDCCP_NEVER;
	datagram->stale = FRESHLINK_FORWARD;
	datagram->slow = false;
	datagram->cut = false;
	datagram->corruptible = false;
	datagram->bare = false;
	w->start = w->at = datagram->data + fdccp_header_size(type);
	w->end = datagram->data + max / 4 * 4;
}

static inline void finish(struct fdccp_conn *conn, const struct fdccp_packet *p,
			  struct fdccp_writer *w, struct fdccp_datagram *datagram)
{
	fdccp_write_padding(w);
	fdccp_packet_write(p, datagram->data, (size_t)(w->at - w->start));
	datagram->len = (size_t)(w->at - datagram->data);
	count_ndp(conn, p->type);
	conn->info.packets_out++;
	/* each packet in PARTOPEN starts the timer anew (RFC 4340 section 8.1.5) */
	if (conn->state == FDCCP_PARTOPEN)
		conn->timer[FDCCP_TIMER_HANDSHAKE] = conn->now + conn->backoff;
}

/* Bytes of a packet without data: up to the size that the path carries, and the format. */
static size_t header_max(const struct fdccp_conn *conn, const struct fdccp_datagram *datagram)
{
	size_t max = fdccp_conn_payload_max(conn) + FDCCP_DATA_HEADER_MAX;

	if (max > FDCCP_HEADER_MAX)
		max = FDCCP_HEADER_MAX;
	return max < datagram->size ? max : datagram->size;
}

/* Acknowledgment numbers that are not the greatest number received. */
static void set_ack(struct fdccp_conn *conn, struct fdccp_packet *p, unsigned int flag)
{
	if (flag == FDCCP_OUT_SYNC)
		p->ack = conn->sync_ack;
	if (flag == FDCCP_OUT_SYNCACK)
		p->ack = conn->syncack_ack;
	if (flag != FDCCP_OUT_RESET)
		return;
	p->ack = conn->reset.ack;
	p->reset_code = conn->reset.code;
	memcpy(p->reset_data, conn->reset.data, sizeof(p->reset_data));
	fdccp_count(conn->ep, FDCCP_COUNT_resets_sent);
}

/* The answer to the last Request or Response gives a round-trip time. */
static void note_question(struct fdccp_conn *conn, const struct fdccp_packet *p)
{
	if (p->type != FDCCP_PKT_REQUEST && p->type != FDCCP_PKT_RESPONSE)
		return;
	conn->asked = conn->now;
	conn->asked_seq = p->seq;
	conn->asked_seq_valid = true;
}

/* A Sync as large as the size that is tried: RFC 4340 section 14.1. Without room for that it stays
 * as it is, and the probe fails by its timer.
 */
static void pad_probe(struct fdccp_conn *conn, const struct fdccp_packet *p,
		      struct fdccp_datagram *datagram)
{
	uint16_t size = fdccp_plpmtu_due(&conn->plpmtu, conn->now);
	size_t headers = conn->overhead - FDCCP_DATA_HEADER_MAX;
	struct fdccp_sent_packet *sent;

	if (!size)
		return;
	fdccp_plpmtu_sent(&conn->plpmtu, p->seq, conn->now, fdccp_conn_rtt(conn));
	if (size > datagram->size || size < headers + datagram->len)
		return;
	memset(datagram->data + datagram->len, 0, size - headers - datagram->len);
	datagram->len = size - headers;
	sent = fdccp_sent_add(conn->sent, p->seq, conn->now);
	if (sent)
		sent->probe = size;
}

/* lpd queues packets without a lifetime apart, so that they may overtake data. Data that three Acks
 * overtake counts as lost (RFC 4341 section 5), and data that a Close overtakes is not received.
 * With a lifetime, a packet without data waits behind the data.
 */
static void stay_behind_data(const struct fdccp_conn *conn, struct fdccp_datagram *datagram)
{
	if (conn->timed)
		datagram->deadline = conn->now + EMPTY_LIFETIME;
}

static void write_packet(struct fdccp_conn *conn, struct fdccp_datagram *datagram,
			 unsigned int flag, uint8_t type)
{
	struct fdccp_writer w;
	struct fdccp_packet p;

	/* answers alone move a receiver's numbers on */
	if (conn->rx)
		fdccp_conn_adapt(conn);
	begin(conn, &p, type);
	start(conn, &w, datagram, type, header_max(conn, datagram));
	datagram->path = conn->path;
	stay_behind_data(conn, datagram);
	set_ack(conn, &p, flag);
	fdccp_conn_write_options(conn, &w, &p);
	note_question(conn, &p);
	finish(conn, &p, &w, datagram);
	if (flag == FDCCP_OUT_PROBE)
		pad_probe(conn, &p, datagram);
}

bool fdccp_conn_challenge(struct fdccp_conn *conn, const struct fdccp_packet *packet,
			  const uint8_t challenge[8], struct fdccp_datagram *datagram, int64_t now)
{
	struct fdccp_writer w;
	struct fdccp_packet p;

	begin(conn, &p, FDCCP_PKT_SYNC);
	start(conn, &w, datagram, FDCCP_PKT_SYNC, header_max(conn, datagram));
	conn->now = now;
	p.ack = packet->seq;
	fdccp_conn_write_ndp(conn, &w);
	if (fdccp_write_option(&w, FDCCP_OPT_CHALLENGE, challenge, FDCCP_CHALLENGE_SIZE))
		return false;
	finish(conn, &p, &w, datagram);
	return true;
}

int fdccp_probe(struct fdccp_conn *conn, const struct fdccp_probe *probe, int64_t now,
		struct fdccp_datagram *datagram, uint64_t *seq)
{
	struct fdccp_writer w;
	struct fdccp_packet p;

	/* Linux sends nothing that ends PARTOPEN before it is asked */
	if (conn->state != FDCCP_OPEN && (conn->state != FDCCP_PARTOPEN || conn->cookies))
		return -ENOTCONN;
	if (conn->ending)
		return -ESHUTDOWN;
	if (probe->len > fdccp_conn_payload_max(conn) ||
	    probe->len + FDCCP_DATA_HEADER_MAX > datagram->size)
		return -EMSGSIZE;
	conn->now = now;
	conn->probing = true;
	begin(conn, &p, FDCCP_PKT_SYNC);
	start(conn, &w, datagram, FDCCP_PKT_SYNC, FDCCP_DATA_HEADER_MAX);
	fdccp_conn_write_ndp(conn, &w);
	if (fdccp_conn_ours(conn))
		fdccp_write_option(&w, FDCCP_OPT_ARRIVED, NULL, 0);
	finish(conn, &p, &w, datagram);
	memset(datagram->data + datagram->len, 0, probe->len);
	datagram->len += probe->len;
	datagram->path = conn->path;
	datagram->conn = conn;
	datagram->deadline = probe->deadline;
	datagram->stale = probe->stale;
	*seq = p.seq;
	fdccp_endpoint_seal(conn->ep, datagram);
	fdccp_endpoint_update(conn->ep, conn);
	return 0;
}

bool fdccp_conn_transmit(struct fdccp_conn *conn, struct fdccp_datagram *datagram, int64_t now)
{
	int first;

	if (!conn->out)
		return false;
	conn->now = now;
	first = __builtin_ctz(conn->out);
	conn->out &= conn->out - 1;
	write_packet(conn, datagram, 1U << first, out_type[first]);
	fdccp_endpoint_update(conn->ep, conn);
	return true;
}

static bool has_length(const struct fdccp_conn *conn, const struct fdccp_message *message)
{
	return message && message->stale == FRESHLINK_TRUNCATE && fdccp_conn_ours(conn);
}

/* Bytes of the payload that are sensitive, of a connection whose packets have such a part. */
static size_t sensitive_part(const struct fdccp_conn *conn, size_t len,
			     const struct fdccp_message *message)
{
	uint16_t sensitive = conn->params.sensitive;

	if (message && message->has_sensitive)
		sensitive = message->sensitive;
	return sensitive == FDCCP_SENSITIVE_ALL ? len : sensitive;
}

static void write_sensitive(struct fdccp_writer *w, const void *payload, size_t sensitive)
{
	uint8_t value[FDCCP_SENSITIVE_VALUE];

	fdccp_put_16(value, sensitive);
	fdccp_put_32(value + 2, fdccp_crc32c(payload, sensitive));
	fdccp_write_option(w, FDCCP_OPT_SENSITIVE, value, sizeof(value));
}

/* The options that a data packet must have. */
static void write_data_options(struct fdccp_conn *conn, struct fdccp_writer *w,
			       const void *payload, size_t len,
			       const struct fdccp_message *message)
{
	uint8_t value[4];

	if (has_length(conn, message)) {
		fdccp_put_number(value, 2, len);
		fdccp_write_option(w, FDCCP_OPT_LENGTH, value, 2);
	}
	if (conn->params.data_checksum && fdccp_conn_ours(conn)) {
		fdccp_put_number(value, 4, fdccp_crc32c(payload, len));
		fdccp_write_option(w, FDCCP_OPT_DATA_CHECKSUM, value, 4);
	}
}

/* bytes of a DataAck that other options than an Ack Vector may need */
#define DATAACK_RESERVE	(FDCCP_ACK_HEADER + 24)

static size_t dataack_reserve(const struct fdccp_conn *conn)
{
	return DATAACK_RESERVE + (conn->params.has_sensitive ? 2 + FDCCP_SENSITIVE_VALUE : 0);
}

/* A data packet is a DataAck if an acknowledgment is due and fits, and always in PARTOPEN. The
 * reports of a CCID that does without Ack Vectors have no room in it. What does not fit goes in an
 * Ack of its own.
 */
static uint8_t data_type(struct fdccp_conn *conn)
{
	bool due = conn->out & FDCCP_OUT_ACK && conn->rx_ccid->ack_vector;
	bool owes = conn->now >= conn->owed_at;

	if (conn->state == FDCCP_PARTOPEN)
		return FDCCP_PKT_DATAACK;
	if (!due && !owes)
		return FDCCP_PKT_DATA;
	if (dataack_reserve(conn) + fdccp_ackvec_size(conn->ackvec) <= FDCCP_DATA_HEADER_MAX)
		return FDCCP_PKT_DATAACK;
	conn->out |= FDCCP_OUT_ACK;
	return FDCCP_PKT_DATA;
}

/* Whether the peer can take partial coverage: over UDP without UDP's checksum, and with a sensitive
 * part only an end of ours.
 */
static bool takes_partial(const struct fdccp_conn *conn)
{
	if (fdccp_conn_by_udp(conn) &&
	    !fdccp_features_get(&conn->features, FDCCP_FEAT_NO_UDP_CHECKSUM, false))
		return false;
	return !conn->params.has_sensitive || fdccp_conn_ours(conn);
}

/* What the program asks for, if the peer accepts so little and there is as much data; else 0, which
 * covers everything (RFC 4340 section 9.2).
 */
static uint8_t coverage(const struct fdccp_conn *conn, size_t len)
{
	uint8_t wanted = conn->params.coverage;
	uint64_t least;

	if (!wanted || !takes_partial(conn))
		return 0;
	least = fdccp_features_get(&conn->features, FDCCP_FEAT_MIN_COVERAGE, false);
	return least && wanted >= least && (wanted - 1u) * 4 <= len ? wanted : 0;
}

static void note_sent(struct fdccp_conn *conn, struct fdccp_sent_packet *sent, size_t len,
		      const struct fdccp_message *message)
{
	sent->size = len;
	sent->data = true;
	if (message) {
		sent->handle = message->handle;
		sent->truncate = message->stale == FRESHLINK_TRUNCATE;
		sent->stamped = conn->params.lifetimes && message->deadline != FDCCP_NEVER;
	}
	conn->info.sent++;
	conn->sent_at = conn->now;
	conn->tx_ccid->tx_sent(conn->tx, sent, conn->now);
}

/* Bytes of a data packet's header. In PARTOPEN, all that the payload leaves may be needed for
 * Confirms to an end that is not ours.
 */
static size_t data_header_max(const struct fdccp_conn *conn, size_t len,
			      const struct fdccp_datagram *datagram)
{
	size_t max;

	if (conn->state != FDCCP_PARTOPEN || fdccp_conn_ours(conn))
		return FDCCP_DATA_HEADER_MAX;
	max = fdccp_conn_payload_max(conn) + FDCCP_DATA_HEADER_MAX;
	if (max > datagram->size)
		max = datagram->size;
	return max - len < FDCCP_HEADER_MAX ? max - len : FDCCP_HEADER_MAX;
}

static void write_data(struct fdccp_conn *conn, const void *payload, size_t len,
		       const struct fdccp_message *message, struct fdccp_datagram *datagram)
{
	uint8_t type = data_type(conn);
	struct fdccp_writer w;
	struct fdccp_packet p;

	begin(conn, &p, type);
	start(conn, &w, datagram, type, data_header_max(conn, len, datagram));
	datagram->path = conn->path;
	datagram->conn = conn;
	p.ccval = conn->tx_ccid->tx_ccval(conn->tx, conn->now);
	p.coverage = coverage(conn, len);
	if (p.coverage) {
		datagram->bare = fdccp_conn_by_udp(conn);
		datagram->corruptible = conn->params.has_sensitive;
	}
	write_data_options(conn, &w, payload, len, message);
	if (datagram->corruptible)
		write_sensitive(&w, payload, sensitive_part(conn, len, message));
	if (type == FDCCP_PKT_DATAACK) {
		fdccp_conn_write_options(conn, &w, &p);
		if (conn->rx_ccid->ack_vector)
			conn->out &= ~FDCCP_OUT_ACK;
	} else if (conn->ndp) {
		fdccp_conn_write_ndp(conn, &w);
	}
	finish(conn, &p, &w, datagram);
	if (len)
		memcpy(datagram->data + datagram->len, payload, len);
	datagram->len += len;
	if (message) {
		datagram->deadline = message->deadline;
		datagram->stale = message->stale;
	}
	datagram->slow = conn->tx_ccid->slow;
	conn->timed = datagram->deadline != FDCCP_NEVER;
}

/* Whether data may be sent in this state. */
static int check_state(const struct fdccp_conn *conn)
{
	if (conn->ending)
		return -ESHUTDOWN;
	if (conn->state != FDCCP_OPEN && conn->state != FDCCP_PARTOPEN)
		return -ENOTCONN;
	/* RFC 4340 section 11.7.2: no more data would ever reach the program */
	return conn->peer_deaf ? -EPIPE : 0;
}

static int wait_ready(struct fdccp_conn *conn)
{
	conn->want_ready = true;
	fdccp_endpoint_update(conn->ep, conn);
	return -EAGAIN;
}

/* Whether data may be sent now. */
static int check_rate(struct fdccp_conn *conn, int64_t now)
{
	conn->now = now;
	if (!conn->tx && !fdccp_conn_start_tx(conn)) {
		fdccp_endpoint_update(conn->ep, conn);
		return -ENOMEM;
	}
	if (fdccp_conn_holds_data(conn) || conn->tx_ccid->tx_when(conn->tx, now) > now ||
	    (fdccp_window_full(&conn->window) && fdccp_conn_window_at(conn) > now))
		return wait_ready(conn);
	return 0;
}

int fdccp_may_send(struct fdccp_conn *conn, int64_t now)
{
	int error = check_state(conn);

	return error ? error : check_rate(conn, now);
}

int fdccp_send(struct fdccp_conn *conn, const void *payload, size_t len,
	       const struct fdccp_message *message, int64_t now, struct fdccp_datagram *datagram)
{
	struct fdccp_sent_packet *sent;
	int error = check_state(conn);

	if (error)
		return error;
	if (conn->params.has_sensitive && sensitive_part(conn, len, message) > len)
		return -EINVAL;
	if (len > fdccp_conn_payload_max(conn) || len + FDCCP_DATA_HEADER_MAX > datagram->size)
		return -EMSGSIZE;
	error = check_rate(conn, now);
	if (error)
		return error;
	sent = fdccp_sent_add(conn->sent, fdccp_seq_add(conn->window.gss, 1), now);
	if (!sent) {
		conn->ring_full = true;
		return wait_ready(conn);
	}
	write_data(conn, payload, len, message, datagram);
	note_sent(conn, sent, len, message);
	if (sent->seq % FDCCP_CHARGE_INTERVAL == 0)
		fdccp_conn_charge(conn);
	fdccp_endpoint_seal(conn->ep, datagram);
	fdccp_endpoint_update(conn->ep, conn);
	return 0;
}
