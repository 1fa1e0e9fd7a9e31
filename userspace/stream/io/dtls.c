// SPDX-License-Identifier: GPL-2.0-or-later
/* A session: the handshake, and records. */
#include <errno.h>
#include <gnutls/dtls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dtls.h"

#define NSEC_PER_MSEC	INT64_C(1000000)

/* RFC 6347 section 4.1 */
#define RECORD_HEADER	13
#define TYPE_FIRST	20	/* change_cipher_spec */
#define TYPE_LAST	23	/* application_data */
#define VERSION_MAJOR	254

/* A flight of the handshake is sent again after two round trips, within these bounds, and from then
 * on after twice the time before, up to the upper bound. With one packet in five lost both ways, 16
 * attempts fit into HANDSHAKE_MS. RFC 6347 section 4.2.4.1 begins with 1 s, where the round trip is
 * unknown, and doubles up to 60 s, where nothing else keeps repeats from congesting the path. DCCP
 * measures the one and does the other (RFC 5238 section 3.3).
 */
#define REPEAT_MIN	(200 * NSEC_PER_MSEC)
#define REPEAT_MAX	(1000 * NSEC_PER_MSEC)
/* GnuTLS, too, waits before it sends a flight again, and doubles that: short, so that it seldom
 * adds to the above.
 */
#define GNUTLS_REPEAT_MS	1
#define HANDSHAKE_MS	60000
#define HANDSHAKE_MAX	16384	/* bytes of a message that a stranger may let GnuTLS keep */
#define RECEIVE_BUFFER	2	/* the drop code, RFC 4340 section 11.7 */

/* A client with a pre-shared key sends the end of its handshake in one packet. If a server cannot
 * open three records of this packet and its repeats, the keys differ.
 */
#define WRONG_KEY	3

/* an error besides those of GnuTLS */
#define TOO_MANY	GNUTLS_E_APPLICATION_ERROR_MAX

enum session_state {
	SESSION_NEW,
	SESSION_SHAKING,
	SESSION_OPEN,
	SESSION_FAILED,
};

/**
 * struct fstream_session - a session
 * @dtls: keys
 * @room: of all sessions of the adapter
 * @dccp: the adapter below
 * @conn: the connection, of the last event
 * @tls: GnuTLS's part
 * @state: state
 * @opening: CONNECTED or ACCEPTED, for the stream when the handshake is over
 * @timer: when the handshake continues without a packet
 * @repeat: after how long the flight is sent again
 * @flight: the last message of the flight, by GnuTLS
 * @sent: the flight was sent (again), and its timer begins
 * @blocked: DCCP does not send now, so the flight waits there and is not sent again
 * @end: when it is given up
 * @event: the last of fstream_session_put()
 * @pending: fstream_session_get() may have something of it
 * @in: records of the packet that GnuTLS has not fetched
 * @in_len: bytes of them
 * @broken: the packet has something else, too
 * @discarded: of GnuTLS's counter, what was counted
 * @info: for the program
 * @failure: for @info
 * @out_len: bytes in @room->out, 0 between calls
 */
struct fstream_session {
	struct fstream_dtls *dtls;
	struct fstream_dtls_room *room;
	struct fdccp_io *dccp;
	struct fdccp_conn *conn;
	gnutls_session_t tls;
	enum session_state state;
	enum fdccp_event_type opening;
	int64_t timer, repeat, end;
	int flight;
	bool sent, blocked;
	struct fdccp_event event;
	bool pending;
	const uint8_t *in;
	size_t in_len;
	bool broken;
	unsigned int discarded;
	struct fstream_dtls_info info;
	char failure[FSTREAM_WHY_MAX];
	size_t out_len;
};

/* Whether GnuTLS sends a flight that was sent before. */
static bool is_repeat(const struct fstream_session *d)
{
	return (int)gnutls_handshake_get_last_out(d->tls) == d->flight;
}

/* Sends the collected records. What finds no room is lost, and DTLS repeats it. */
static void flush(struct fstream_session *d)
{
	const struct fdccp_message message = {
		.handle = FSTREAM_HANDLE_DTLS, .deadline = FDCCP_NEVER,
	};

	if (d->out_len && !(d->blocked && is_repeat(d)))
		fdccp_io_send(d->dccp, d->conn, d->room->out, d->out_len, &message);
	d->out_len = 0;
}

/* Several records fit in a packet (RFC 5238 section 3), but each in one. */
static ssize_t push(gnutls_transport_ptr_t context, const void *data, size_t len)
{
	struct fstream_session *d = context;

	d->sent = true;
	if (d->out_len + len > fdccp_payload_max(d->conn))
		flush(d);
	if (len > sizeof(d->room->out))
		return len;
	memcpy(&d->room->out[d->out_len], data, len);
	d->out_len += len;
	return len;
}

/* The length of the first record in @in, or 0: it is none (RFC 6347 section 4.1). */
static size_t record_len(const struct fstream_session *d)
{
	size_t len;

	if (d->in_len < RECORD_HEADER || d->in[0] < TYPE_FIRST || d->in[0] > TYPE_LAST ||
	    d->in[1] != VERSION_MAJOR)
		return 0;
	len = RECORD_HEADER + (d->in[11] << 8 | d->in[12]);
	return len <= d->in_len ? len : 0;
}

/* GnuTLS gets one record at a time: it ends the session, or forgets the rest of the packet, if it
 * gets what is none.
 */
static ssize_t pull(gnutls_transport_ptr_t context, void *data, size_t size)
{
	struct fstream_session *d = context;
	size_t len = record_len(d);

	if (!len || len > size) {
		d->broken |= d->in_len > 0;
		d->in_len = 0;
		gnutls_transport_set_errno(d->tls, EAGAIN);
		return -1;
	}
	memcpy(data, d->in, len);
	d->in += len;
	d->in_len -= len;
	return len;
}

/* GnuTLS must not wait. */
static int pull_timeout(gnutls_transport_ptr_t context, unsigned int ms)
{
	struct fstream_session *d = context;

	(void)ms;
	return d->in_len ? 1 : 0;
}

int fstream_session_new(struct fstream_dtls *dtls, struct fstream_dtls_room *room,
			struct fdccp_io *dccp, struct fstream_session **session)
{
	struct fstream_session *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	*d = (struct fstream_session){
		.dtls = dtls, .room = room, .dccp = dccp, .timer = FDCCP_NEVER,
	};
	if (gnutls_init(&d->tls, (dtls->server ? GNUTLS_SERVER : GNUTLS_CLIENT) | GNUTLS_DATAGRAM |
			GNUTLS_NONBLOCK | GNUTLS_NO_TICKETS | GNUTLS_NO_SIGNAL) ||
	    fstream_dtls_apply(dtls, d->tls)) {
		fstream_session_free(d);
		return -ENOMEM;
	}
	gnutls_transport_set_ptr(d->tls, d);
	gnutls_transport_set_push_function(d->tls, push);
	gnutls_transport_set_pull_function(d->tls, pull);
	gnutls_transport_set_pull_timeout_function(d->tls, pull_timeout);
	gnutls_dtls_set_timeouts(d->tls, GNUTLS_REPEAT_MS, HANDSHAKE_MS);
	gnutls_handshake_set_max_packet_length(d->tls, HANDSHAKE_MAX);
	*session = d;
	return 0;
}

/* The handshake is over. */
static void settle(struct fstream_session *d, enum session_state state)
{
	if (d->state == SESSION_SHAKING)
		d->room->shaking--;
	d->state = state;
	d->timer = FDCCP_NEVER;
}

void fstream_session_free(struct fstream_session *d)
{
	if (!d)
		return;
	settle(d, SESSION_FAILED);
	if (d->tls)
		gnutls_deinit(d->tls);
	free(d);
}

/* Says in words why GnuTLS did not accept the peer's certificate. */
static void explain_certificate(struct fstream_session *d)
{
	gnutls_datum_t text = { 0 };

	gnutls_certificate_verification_status_print(gnutls_session_get_verify_cert_status(d->tls),
						     GNUTLS_CRT_X509, &text, 0);
	snprintf(d->failure, sizeof(d->failure), "the peer's certificate: %s",
		 text.data ? (const char *)text.data : "not verified");
	gnutls_free(text.data);
}

/* An alert of a handshake, in words. */
static const char *alert_text(gnutls_alert_description_t alert)
{
	switch (alert) {
	case GNUTLS_A_BAD_RECORD_MAC:
		return "another key for this identity";
	case GNUTLS_A_UNKNOWN_PSK_IDENTITY:
		return "no key for this identity";
	default:
		return gnutls_alert_get_name(alert);
	}
}

/* Says in words why the handshake failed. */
static void explain(struct fstream_session *d, int err)
{
	const char *text = gnutls_strerror(err);

	d->info.failure = d->failure;
	switch (err) {
	case GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR:
		explain_certificate(d);
		return;
	case GNUTLS_E_FATAL_ALERT_RECEIVED:
		snprintf(d->failure, sizeof(d->failure), "the peer refused: %s",
			 alert_text(gnutls_alert_get(d->tls)));
		return;
	case GNUTLS_E_DECRYPTION_FAILED:
		text = "the peer has another key for this identity";
		break;
	case GNUTLS_E_SRP_PWD_ERROR:
		text = "this end has no key for the peer's identity";
		break;
	case GNUTLS_E_NO_CERTIFICATE_FOUND:
		text = "the peer has no certificate";
		break;
	case TOO_MANY:
		text = "too many handshakes at once";
		break;
	case GNUTLS_E_TIMEDOUT:
		snprintf(d->failure, sizeof(d->failure), "the handshake had no end within %d s",
			 HANDSHAKE_MS / 1000);
		return;
	}
	snprintf(d->failure, sizeof(d->failure), "%s", text);
}

/* Tells the peer why, unless the peer has ended it, is silent, or is one of too many. */
static void send_alert(struct fstream_session *d, int err)
{
	switch (err) {
	case GNUTLS_E_FATAL_ALERT_RECEIVED:
	case GNUTLS_E_TIMEDOUT:
	case TOO_MANY:
		return;
	case GNUTLS_E_SRP_PWD_ERROR:
		gnutls_alert_send(d->tls, GNUTLS_AL_FATAL, GNUTLS_A_UNKNOWN_PSK_IDENTITY);
		break;
	case GNUTLS_E_NO_CERTIFICATE_FOUND:
		/* RFC 5246 section 7.4.6 */
		gnutls_alert_send(d->tls, GNUTLS_AL_FATAL, GNUTLS_A_HANDSHAKE_FAILURE);
		break;
	default:
		gnutls_alert_send_appropriate(d->tls, err);
	}
	flush(d);
}

/* Ends the connection. */
static void fail(struct fstream_session *d, int err, int64_t now)
{
	explain(d, err);
	settle(d, SESSION_FAILED);
	send_alert(d, err);
	fdccp_abort(d->conn, now);
}

/* Counts what GnuTLS discarded and what was no record. The peer's DCCP hears that the packet came
 * to nothing.
 */
static void count_discarded(struct fstream_session *d)
{
	unsigned int discarded = gnutls_record_get_discarded(d->tls);

	if (discarded == d->discarded && !d->broken)
		return;
	d->info.refused += discarded - d->discarded + d->broken;
	d->discarded = discarded;
	d->broken = false;
	if (d->event.type == FDCCP_EVENT_DATA && d->pending)
		fdccp_report_dropped(d->conn, RECEIVE_BUFFER);
}

/* How long to wait for the answer of a flight at first. */
static int64_t first_repeat(const struct fstream_session *d)
{
	struct fdccp_measure measure;

	fdccp_measure(d->conn, &measure);
	if (!measure.srtt || 2 * measure.srtt > REPEAT_MAX)
		return REPEAT_MAX;
	return 2 * measure.srtt < REPEAT_MIN ? REPEAT_MIN : 2 * measure.srtt;
}

static void set_timer(struct fstream_session *d, int64_t now)
{
	/* a packet that changes nothing must not delay the repeat */
	if (!d->sent && now < d->timer)
		return;
	if (!is_repeat(d) || !d->repeat)
		d->repeat = first_repeat(d);
	d->flight = gnutls_handshake_get_last_out(d->tls);
	d->sent = false;
	d->timer = now + d->repeat;
	if (d->timer > d->end)
		d->timer = d->end;
}

/* A record must not be larger than what DCCP sends now (RFC 5238 section 3.5). */
static void set_mtu(struct fstream_session *d)
{
	gnutls_dtls_set_mtu(d->tls, fdccp_payload_max(d->conn));
}

static void open_session(struct fstream_session *d)
{
	settle(d, SESSION_OPEN);
	d->info.suite = gnutls_ciphersuite_get(d->tls);
}

/* Why the handshake cannot go on. Return: an error of GnuTLS, or 0: it can */
static int hopeless(const struct fstream_session *d, int err, int64_t now)
{
	if (gnutls_error_is_fatal(err))
		return err;
	if (now >= d->end)
		return GNUTLS_E_TIMEDOUT;
	return d->dtls->psk_server && d->discarded >= WRONG_KEY ? GNUTLS_E_DECRYPTION_FAILED : 0;
}

/* Gives the packet in @in to GnuTLS, which answers, or sends the flight again without a packet.
 * What still waits for DCCP must not be sent twice (RFC 5238 section 3.3).
 */
static int handshake(struct fstream_session *d)
{
	size_t before;
	int err;

	d->blocked = fdccp_io_may_send(d->dccp, d->conn) == -EAGAIN;
	do {
		before = d->in_len;
		err = gnutls_handshake(d->tls);
	} while (err && !gnutls_error_is_fatal(err) && d->in_len && d->in_len != before);
	flush(d);
	d->blocked = false;
	return err;
}

/* Continues the handshake. */
static void shake(struct fstream_session *d, int64_t now)
{
	int err, end;

	set_mtu(d);
	err = handshake(d);
	count_discarded(d);
	end = err ? hopeless(d, err, now) : 0;
	if (end)
		fail(d, end, now);
	else if (err)
		set_timer(d, now);
	else
		open_session(d);
}

static void start(struct fstream_session *d, int64_t now)
{
	if (d->dtls->server && d->room->shaking >= FSTREAM_HANDSHAKES_MAX) {
		fail(d, TOO_MANY, now);
		return;
	}
	d->room->shaking++;
	d->opening = d->event.type;
	d->state = SESSION_SHAKING;
	d->end = now + HANDSHAKE_MS * NSEC_PER_MSEC;
	shake(d, now);
}

void fstream_session_put(struct fstream_session *d, const struct fdccp_event *event, int64_t now)
{
	d->event = *event;
	d->conn = event->conn;
	d->pending = true;
	d->in = event->data;
	d->in_len = event->type == FDCCP_EVENT_DATA ? event->len : 0;
	if (event->type == FDCCP_EVENT_CONNECTED || event->type == FDCCP_EVENT_ACCEPTED)
		start(d, now);
}

/* Opens the next record of the packet. */
static bool open_record(struct fstream_session *d, struct fdccp_event *event, int64_t now)
{
	size_t before;
	ssize_t len;

	/* 0: the peer has said that no more follows */
	do {
		before = d->in_len;
		len = gnutls_record_recv(d->tls, d->room->plain, sizeof(d->room->plain));
	} while (len < 0 && !gnutls_error_is_fatal(len) && d->in_len && d->in_len != before);
	count_discarded(d);
	flush(d);
	if (len > 0) {
		event->data = d->room->plain;
		event->len = len;
		return true;
	}
	if (len < 0 && gnutls_error_is_fatal(len))
		fail(d, len, now);
	return false;
}

static bool get_data(struct fstream_session *d, struct fdccp_event *event, int64_t now)
{
	if (d->state == SESSION_OPEN)
		return open_record(d, event, now);
	if (d->state == SESSION_SHAKING)
		shake(d, now);
	event->type = d->opening;
	return d->state == SESSION_OPEN;
}

bool fstream_session_get(struct fstream_session *d, struct fdccp_event *event, int64_t now)
{
	if (!d->pending)
		return false;
	*event = d->event;
	if (event->type == FDCCP_EVENT_DATA) {
		d->pending = get_data(d, event, now);
		/* what GnuTLS did not fetch is gone with the packet */
		d->in_len = d->pending ? d->in_len : 0;
		return d->pending;
	}
	d->pending = false;
	if (event->type == FDCCP_EVENT_FATE || event->type == FDCCP_EVENT_NOTICE)
		return event->handle != FSTREAM_HANDLE_DTLS;
	return d->state == SESSION_OPEN || event->type == FDCCP_EVENT_CLOSED;
}

int64_t fstream_session_timer(const struct fstream_session *d)
{
	return d->timer;
}

void fstream_session_advance(struct fstream_session *d, int64_t now)
{
	if (d->state != SESSION_SHAKING || now < d->timer)
		return;
	/* what waits for DCCP has not had its chance yet */
	if (now < d->end && fdccp_io_may_send(d->dccp, d->conn) == -EAGAIN) {
		set_timer(d, now);
		return;
	}
	d->repeat = 2 * d->repeat < REPEAT_MAX ? 2 * d->repeat : REPEAT_MAX;
	shake(d, now);
}

int fstream_session_seal(struct fstream_session *d, const void **payload, size_t *len)
{
	ssize_t sent;

	if (d->state != SESSION_OPEN)
		return -ENOTCONN;
	flush(d);
	set_mtu(d);
	sent = gnutls_record_send(d->tls, *payload, *len);
	if (sent < 0)
		return sent == GNUTLS_E_LARGE_PACKET ? -EMSGSIZE : -ENOTCONN;
	*payload = d->room->out;
	*len = d->out_len;
	d->out_len = 0;
	return 0;
}

size_t fstream_session_payload_max(struct fstream_session *d)
{
	if (d->state != SESSION_OPEN)
		return 0;
	set_mtu(d);
	return gnutls_dtls_get_data_mtu(d->tls);
}

void fstream_session_bye(struct fstream_session *d)
{
	if (d->state != SESSION_OPEN)
		return;
	gnutls_bye(d->tls, GNUTLS_SHUT_WR);
	flush(d);
}

void fstream_session_info(const struct fstream_session *d, struct fstream_dtls_info *info)
{
	*info = d->info;
}
