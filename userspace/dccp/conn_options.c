// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of a connection's packets: RFC 4340 section 5.8. */
#include <string.h>

#include "checksum.h"
#include "conn_parts.h"

#define UNIT		INT64_C(10000)	/* of timing options: 10 us (RFC 4340 section 13) */
#define SHORT_ELAPSED	0xffff

/* bytes of Init Cookies, so that FDCCP_ACKVEC_ROOM and feature options fit beside them */
#define COOKIES_MAX	400

/* options of a CCID's receiver to its sender: RFC 4340 section 10.3 */
#define FIRST_OF_RECEIVER	192

/* what became of an option; Reset codes are the third possibility */
enum {
	DONE = 0,
	IGNORED = -1,		/* not understood or invalid; fatal if it is mandatory */
};

static bool is_feature(uint8_t type)
{
	return type >= FDCCP_OPT_CHANGE_L && type <= FDCCP_OPT_CONFIRM_R;
}

static bool is_of_ack(uint8_t type)
{
	return type == FDCCP_OPT_ACK_VECTOR_0 || type == FDCCP_OPT_ACK_VECTOR_1 ||
	       type == FDCCP_OPT_DATA_DROPPED || type == FDCCP_OPT_ELAPSED_TIME;
}

/* Whether an option means something on its packet's type: table 3 of RFC 4340 section 5.8. */
static bool is_allowed(const struct fdccp_packet *packet, uint8_t type)
{
	if (!packet->has_ack && (is_of_ack(type) || type >= FIRST_OF_RECEIVER))
		return false;
	return packet->type != FDCCP_PKT_DATA || !is_feature(type);
}

static int append(uint8_t *list, size_t *len, const struct fdccp_option *option)
{
	memcpy(&list[*len], option->value, option->len);
	*len += option->len;
	return DONE;
}

/* The client keeps the cookies of a Response with their types and lengths, to echo them. All others
 * are ignored. Cookies that leave too little room for other options end the connection.
 */
static int read_cookie(struct fdccp_conn *conn, const struct fdccp_incoming *in,
		       const struct fdccp_option *option)
{
	if (in->packet->type != FDCCP_PKT_RESPONSE || in->packet->seq != conn->window.gsr)
		return DONE;
	if (conn->cookies_len + 2 + option->len > COOKIES_MAX ||
	    !fdccp_conn_keep_cookie(conn, option))
		return FDCCP_RESET_ABORTED;
	return DONE;
}

static int read_feature(struct fdccp_conn *conn, struct fdccp_incoming *in,
			const struct fdccp_option *option)
{
	const struct fdccp_packet *p = in->packet;
	unsigned int changed = 0;
	int code = fdccp_features_option(&conn->features, option, p->seq, p->ack, p->has_ack,
					 &changed);

	in->had_features = true;
	if (!code && changed)
		code = fdccp_conn_feature_changed(conn, changed);
	return code;
}

static int read_ndp(struct fdccp_incoming *in, const struct fdccp_option *option)
{
	if (option->len < 1 || option->len > 6)
		return IGNORED;
	in->ndp = fdccp_get_number(option->value, option->len);
	return DONE;
}

static int read_timestamp(struct fdccp_conn *conn, const struct fdccp_option *option)
{
	if (option->len != 4)
		return IGNORED;
	conn->echo = fdccp_get_number(option->value, 4);
	conn->echo_at = conn->now;
	return DONE;
}

static int read_elapsed(struct fdccp_incoming *in, const struct fdccp_option *option)
{
	if (option->len != 2 && option->len != 4)
		return IGNORED;
	in->elapsed = (int64_t)fdccp_get_number(option->value, option->len) * UNIT;
	return DONE;
}

static int read_checksum(struct fdccp_incoming *in, const struct fdccp_option *option)
{
	const struct fdccp_packet *p = in->packet;

	if (option->len != 4)
		return IGNORED;
	in->damaged = fdccp_get_number(option->value, 4) != fdccp_crc32c(p->data, p->data_len);
	return DONE;
}

/* The headers are covered by the checksum, so it is the data that does not fit. */
static int read_sensitive(struct fdccp_incoming *in, const struct fdccp_option *option)
{
	const struct fdccp_packet *p = in->packet;
	size_t len;

	if (option->len != FDCCP_SENSITIVE_VALUE)
		return IGNORED;
	len = fdccp_get_16(option->value);
	in->intact = len;
	in->spoiled = len > p->data_len ||
		      fdccp_get_32(option->value + 2) != fdccp_crc32c(p->data, len);
	return DONE;
}

static int read_length(struct fdccp_incoming *in, const struct fdccp_option *option)
{
	if (option->len != 2)
		return IGNORED;
	in->length = (uint16_t)fdccp_get_number(option->value, 2);
	in->cut |= in->packet->data_len < in->length;
	return DONE;
}

static int read_token(struct fdccp_conn *conn, const struct fdccp_option *option)
{
	if (option->len != FDCCP_TOKEN_SIZE)
		return IGNORED;
	if (!conn->has_peer_token)
		memcpy(conn->peer_token, option->value, FDCCP_TOKEN_SIZE);
	conn->has_peer_token = true;
	return DONE;
}

/* A Challenge is answered by the SyncAck, with the token that the challenger has given. */
static int read_challenge(struct fdccp_conn *conn, const struct fdccp_incoming *in,
			  const struct fdccp_option *option)
{
	const struct fdccp_packet *p = in->packet;

	if (option->len != FDCCP_CHALLENGE_SIZE || p->type != FDCCP_PKT_SYNC ||
	    !conn->has_peer_token)
		return IGNORED;
	fdccp_challenge_answer(conn->peer_token, option->value, conn->remote_port,
			       conn->local_port, conn->answer);
	conn->has_answer = true;
	return DONE;
}

/* Options 192 to 255 are the receiver's; those of a sender, 128 to 191, no CCID here has. They wait
 * until the packet's other options are known.
 */
static int note_ccid(const struct fdccp_conn *conn, struct fdccp_incoming *in,
		     const struct fdccp_option *option)
{
	uint8_t type = in->packet->type;

	if (option->type < FIRST_OF_RECEIVER || !conn->tx ||
	    (type != FDCCP_PKT_ACK && type != FDCCP_PKT_DATAACK))
		return IGNORED;
	in->has_report = true;
	return DONE;
}

static int read_option(struct fdccp_conn *conn, struct fdccp_incoming *in,
		       const struct fdccp_option *option)
{
	switch (option->type) {
	case FDCCP_OPT_SLOW_RECEIVER:
		in->slow = true;
		return DONE;
	case FDCCP_OPT_CHANGE_L:
	case FDCCP_OPT_CONFIRM_L:
	case FDCCP_OPT_CHANGE_R:
	case FDCCP_OPT_CONFIRM_R:
		return read_feature(conn, in, option);
	case FDCCP_OPT_INIT_COOKIE:
		return read_cookie(conn, in, option);
	case FDCCP_OPT_NDP_COUNT:
		return read_ndp(in, option);
	case FDCCP_OPT_ACK_VECTOR_0:
	case FDCCP_OPT_ACK_VECTOR_1:
		in->has_vector = true;
		return append(in->vector, &in->vector_len, option);
	case FDCCP_OPT_DATA_DROPPED:
		return append(in->dropped, &in->dropped_len, option);
	case FDCCP_OPT_TIMESTAMP:
		return read_timestamp(conn, option);
	case FDCCP_OPT_TIMESTAMP_ECHO:
		return DONE;
	case FDCCP_OPT_ELAPSED_TIME:
		return read_elapsed(in, option);
	case FDCCP_OPT_DATA_CHECKSUM:
		return read_checksum(in, option);
	case FDCCP_OPT_LENGTH:
		return read_length(in, option);
	case FDCCP_OPT_SENSITIVE:
		return read_sensitive(in, option);
	case FDCCP_OPT_MOVE_TOKEN:
		return read_token(conn, option);
	case FDCCP_OPT_CHALLENGE:
		return read_challenge(conn, in, option);
	case FDCCP_OPT_ARRIVED:
		return fdccp_conn_read_arrived(conn, in, option) ? DONE : IGNORED;
	case FDCCP_OPT_CHALLENGE_ANSWER:
		return DONE;	/* the endpoint looks for it, in packets from new addresses */
	default:
		return note_ccid(conn, in, option);
	}
}

/* Resets 5 and 6 tell the option: type, and the first two bytes of its value. */
static void describe(uint8_t data[3], const struct fdccp_option *option)
{
	data[0] = option->type;
	data[1] = option->len > 0 ? option->value[0] : 0;
	data[2] = option->len > 1 ? option->value[1] : 0;
}

/* Mandatory makes the difference, except on Data packets (RFC 4340 section 5.8.2). */
static int judge(const struct fdccp_incoming *in, const struct fdccp_option *option, int code)
{
	if (code != IGNORED)
		return code;
	return option->mandatory && in->packet->type != FDCCP_PKT_DATA ?
		FDCCP_RESET_MANDATORY_ERROR : DONE;
}

static int process(struct fdccp_conn *conn, struct fdccp_incoming *in,
		   const struct fdccp_option *option)
{
	return judge(in, option, is_allowed(in->packet, option->type) ?
				 read_option(conn, in, option) : IGNORED);
}

/* The walk has stopped. Return: 0 or the code of the Reset to send. */
static int stopped(const struct fdccp_incoming *in, const struct fdccp_option *option)
{
	if (in->packet->type == FDCCP_PKT_DATA)
		return 0;
	if (option->type == FDCCP_OPT_MANDATORY)
		return FDCCP_RESET_OPTION_ERROR;
	return option->mandatory ? FDCCP_RESET_MANDATORY_ERROR : 0;
}

int fdccp_conn_options(struct fdccp_conn *conn, struct fdccp_incoming *in, uint8_t data[3])
{
	const struct fdccp_packet *p = in->packet;
	struct fdccp_option_walk walk = { p->options, p->options + p->options_len };
	struct fdccp_option option;
	int found, code = 0;

	while (!code && (found = fdccp_option_next(&walk, &option)) != 0) {
		code = found > 0 ? process(conn, in, &option) : stopped(in, &option);
		if (code)
			describe(data, &option);
		else if (found < 0 && option.type != FDCCP_OPT_MANDATORY)
			break;
	}
	if (!code && in->had_features)
		fdccp_features_packet_done(&conn->features, p->seq, true);
	return code;
}

int fdccp_conn_report(struct fdccp_conn *conn, const struct fdccp_incoming *in, uint8_t data[3])
{
	const struct fdccp_packet *p = in->packet;
	struct fdccp_option_walk walk = { p->options, p->options + p->options_len };
	struct fdccp_option option;

	/* an option before may have changed the CCID */
	while (conn->tx && fdccp_option_next(&walk, &option) == 1) {
		int code;

		if (option.type < FIRST_OF_RECEIVER)
			continue;
		code = judge(in, &option, conn->tx_ccid->tx_option(conn->tx, &option, p->ack,
								   conn->now));
		if (code) {
			describe(data, &option);
			return code;
		}
	}
	return 0;
}

void fdccp_conn_write_ndp(struct fdccp_conn *conn, struct fdccp_writer *w)
{
	uint8_t value[6];
	size_t len = 1;

	if (!conn->ndp || !fdccp_features_get(&conn->features, FDCCP_FEAT_SEND_NDP_COUNT, true))
		return;
	while (len < sizeof(conn->ndp) && conn->ndp >> 8 * len)
		len++;
	fdccp_put_number(value, len, conn->ndp);
	fdccp_write_option(w, FDCCP_OPT_NDP_COUNT, value, len);
}

static void write_echo(struct fdccp_conn *conn, struct fdccp_writer *w)
{
	uint8_t value[8];
	uint64_t elapsed;
	size_t len;

	elapsed = (uint64_t)(conn->now - conn->echo_at) / UNIT;
	len = elapsed == 0 ? 0 : elapsed <= SHORT_ELAPSED ? 2 : 4;
	if (elapsed > UINT32_MAX)
		elapsed = UINT32_MAX;
	fdccp_put_number(value, 4, conn->echo);
	if (len)
		fdccp_put_number(&value[4], len, elapsed);
	if (!fdccp_write_option(w, FDCCP_OPT_TIMESTAMP_ECHO, value, 4 + len))
		conn->echo_at = FDCCP_NEVER;
}

/* The token is repeated until a packet is acknowledged from the first that had it on. */
static void write_token(struct fdccp_conn *conn, struct fdccp_writer *w, uint64_t seq)
{
	if (!fdccp_conn_ours(conn) ||
	    fdccp_write_option(w, FDCCP_OPT_MOVE_TOKEN, conn->token, FDCCP_TOKEN_SIZE))
		return;
	if (!conn->token_sent)
		conn->token_seq = seq;
	conn->token_sent = true;
}

static void write_cookies(struct fdccp_conn *conn, struct fdccp_writer *w)
{
	if (conn->cookies_len > (size_t)(w->end - w->at))
		return;
	if (conn->cookies_len)
		memcpy(w->at, conn->cookies, conn->cookies_len);
	w->at += conn->cookies_len;
}

static void write_vector(struct fdccp_conn *conn, struct fdccp_writer *w, uint64_t seq)
{
	fdccp_ackvec_write(conn->ackvec, w, seq, fdccp_conn_ours(conn));
	conn->unreported = conn->prompt = false;
}

void fdccp_conn_write_acks(struct fdccp_conn *conn, struct fdccp_writer *w,
			   const struct fdccp_packet *packet)
{
	bool ours = fdccp_conn_ours(conn), data = packet->type == FDCCP_PKT_DATAACK;

	if (conn->slow && ours)
		fdccp_write_flag(w, FDCCP_OPT_SLOW_RECEIVER);
	/* the reports of a CCID without Ack Vectors fill a DataAck */
	if (conn->rx_ccid->ack_vector || !data)
		conn->rx_ccid->rx_write(conn->rx, w, data, conn->now);
	/* A vector without its Data Dropped would say that data arrived which was dropped, and so
	 * would the acknowledgment number alone.
	 */
	if (fdccp_features_get(&conn->features, FDCCP_FEAT_SEND_ACK_VECTOR, true) &&
	    (!data || fdccp_ackvec_size(conn->ackvec) <= (size_t)(w->end - w->at)))
		write_vector(conn, w, packet->seq);
	else if (ours)
		fdccp_ackvec_write_dropped(conn->ackvec, w);
	if (conn->rx_ccid->ack_vector || !data)
		conn->rx_ccid->rx_sent(conn->rx, packet->seq, conn->now);
	conn->owed_at = FDCCP_NEVER;
	conn->acked_at = conn->now;
	/* an Ack says all that it can */
	conn->prompt = conn->prompt && data;
	fdccp_conn_note_round(conn);
}

static bool has_features(uint8_t type)
{
	return type == FDCCP_PKT_REQUEST || type == FDCCP_PKT_RESPONSE ||
	       type == FDCCP_PKT_ACK || type == FDCCP_PKT_DATAACK;
}

/* Acknowledgments say how packets arrived; those of Sync and SyncAck do not count backwards from
 * the greatest number received. In PARTOPEN only the Response has arrived. Linux reads an Ack
 * Vector of the packet that makes its connection again after it has freed the packet, so it gets
 * none.
 */
static bool has_acks(const struct fdccp_conn *conn, uint8_t type)
{
	if (conn->state == FDCCP_PARTOPEN && !fdccp_conn_ours(conn))
		return false;
	return conn->rx && type != FDCCP_PKT_RESPONSE && type != FDCCP_PKT_SYNC &&
	       type != FDCCP_PKT_SYNCACK;
}

void fdccp_conn_write_options(struct fdccp_conn *conn, struct fdccp_writer *w,
			      const struct fdccp_packet *packet)
{
	bool ack = packet->type != FDCCP_PKT_REQUEST;

	fdccp_conn_write_ndp(conn, w);
	if (ack)
		write_cookies(conn, w);
	if (packet->type == FDCCP_PKT_SYNCACK && conn->has_answer) {
		fdccp_write_option(w, FDCCP_OPT_CHALLENGE_ANSWER, conn->answer,
				   FDCCP_CHALLENGE_SIZE);
		conn->has_answer = false;
	}
	if (packet->type == FDCCP_PKT_SYNCACK)
		fdccp_conn_write_arrived(conn, w);
	if (has_features(packet->type)) {
		if (fdccp_features_wait(&conn->features))
			fdccp_features_write(&conn->features, w, packet->seq, packet->ack, ack,
					     conn->now, fdccp_conn_rtt(conn));
		if (ack && !conn->token_acked)
			write_token(conn, w, packet->seq);
	}
	if (conn->echo_at != FDCCP_NEVER)
		write_echo(conn, w);
	if (ack && has_acks(conn, packet->type))
		fdccp_conn_write_acks(conn, w, packet);
	/* the data of all Requests: RFC 4340 section 8.1.3 */
	if (packet->type == FDCCP_PKT_RESPONSE)
		fdccp_ackvec_write_dropped(conn->ackvec, w);
}
