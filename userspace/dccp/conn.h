/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A connection: RFC 4340 section 8. */
#ifndef FDCCP_CONN_H
#define FDCCP_CONN_H

#include "ackvec.h"
#include "cause.h"
#include "ccid.h"
#include "cookie.h"
#include "endpoint.h"
#include "feature.h"
#include "flow.h"
#include "freshlink-dccp.h"
#include "hash.h"
#include "heap.h"
#include "list.h"
#include "plpmtu.h"
#include "rtt.h"
#include "sent.h"
#include "window.h"

/* Timers of a connection. Each is a time or FDCCP_NEVER. Features, rate controls and PLPMTU have
 * their own.
 */
enum fdccp_timer {
	FDCCP_TIMER_HANDSHAKE,		/* Request, PARTOPEN's Ack, Close or CloseReq again */
	FDCCP_TIMER_GIVE_UP,		/* the same, and RESPOND: for good */
	FDCCP_TIMER_KEEPALIVE,
	FDCCP_TIMER_SYNC,		/* a Sync that the limit delayed */
	FDCCP_TIMERS,
};

/* packets that wait for fdccp_conn_transmit(), in the order in which they are sent; a Reset ends it
 * all
 */
#define FDCCP_OUT_REQUEST	0x0001
#define FDCCP_OUT_RESPONSE	0x0002
#define FDCCP_OUT_SYNCACK	0x0004
#define FDCCP_OUT_SYNC		0x0008
#define FDCCP_OUT_ACK		0x0010
#define FDCCP_OUT_PROBE		0x0020
#define FDCCP_OUT_CLOSEREQ	0x0040
#define FDCCP_OUT_CLOSE		0x0080
#define FDCCP_OUT_RESET		0x0100

/* the most bytes of DCCP header and options in a data packet, so that a router that cuts packets to
 * their headers keeps them
 */
#define FDCCP_DATA_HEADER_MAX	64

#define FDCCP_TOKEN_SIZE	16
#define FDCCP_CHALLENGE_SIZE	8

/**
 * struct fdccp_reset_code - what a Reset says
 * @code: enum fdccp_reset
 * @data: Data 1 to 3
 * @ack: its Acknowledgment Number
 */
struct fdccp_reset_code {
	uint8_t code;
	uint8_t data[3];
	uint64_t ack;
};

/**
 * struct fdccp_arrival - how a Sync arrived
 * @told: the rest is known
 * @stamped: with the lifetime option
 * @len: bytes after its header
 */
struct fdccp_arrival {
	bool told, stamped;
	uint16_t len;
};

/**
 * struct fdccp_conn - a connection
 *
 * The first part belongs to the endpoint, the rest to conn.c and what it is split into.
 *
 * @ending: fdccp_close() or fdccp_abort() was called
 * @now: the time of the last call
 * @heard: when the last valid packet came
 * @backoff: the next interval of FDCCP_TIMER_HANDSHAKE
 * @rtt: round-trip time of the handshake, 0: unknown
 * @rtts: all round-trip times
 * @asked: when the Request or Response was sent whose answer gives @rtt
 * @asked_seq: its number, if @asked_seq_valid
 * @greatest: the greatest number received of an acknowledgeable packet (RFC 4340 section 7.4)
 * @osr: the first number that was received in OPEN (RFC 4340 section 8.5); in RESPOND that of the
 *	last Request
 * @ndp: packets without data that were sent since the last one with data
 * @timed: the last packet with data had a deadline
 * @sync_ack: Acknowledgment Number of the Sync that waits
 * @syncack_ack: of the SyncAck
 * @answer: Challenge Answer of the SyncAck
 * @has_answer: it has one
 * @syncs_due: state of the limit of Syncs
 * @arrived: how the last Sync arrived that asked for it, for its SyncAck
 * @reset: of the Reset that waits
 * @owed_at: when the next data packet acknowledges the peer's Acks, a round trip after @acked_at
 *	(RFC 4340 section 11.1); FDCCP_NEVER: there was none since then
 * @acked_at: when we last sent an acknowledgment
 * @unreported: data has come since we last sent an Ack Vector
 * @prompt: the program has asked for an Ack
 * @echo: the timestamp to echo
 * @echo_at: when it came; FDCCP_NEVER: there is none
 * @no_vectors: the peer has refused to send Ack Vectors
 * @tx_first: the first number that @tx_ccid controls
 * @window_asked: Sequence Window that was asked for
 * @sent_at: when the last data packet was sent
 * @round_at: when the round of acknowledgments begins: none is due before
 * @round_gss: the greatest number sent before that
 * @ratio_asked: Ack Ratio that was asked for
 * @messages_due: state of the limit of links' messages
 * @slow: the program wants Slow Receiver to be sent
 * @deaf: the program does not listen any more
 * @peer_deaf: nor does the peer's
 * @cookies: options Init Cookie to echo, as they came
 * @token: names the connection after a change of the peer's address
 * @peer_token: the token of the peer
 * @token_seq: the first packet that had @token, once @token_sent; it is sent until @token_acked
 * @data: the data of the event
 * @drop_seq: the packet of the last event FDCCP_EVENT_DATA
 * @probing: fdccp_probe() was called
 * @probed: of the event PROBED
 * @want_ready: the program waits for FDCCP_EVENT_READY
 * @ring_full: @sent has no room until a fate is told
 * @events: events that wait, a bit for each enum fdccp_event_type
 * @untold: fates that wait
 * @told: data packets of which something is known
 * @newly: data packets that the packet being processed has acknowledged
 * @sampled: number of the packet with which the last round-trip time was measured
 * @overhead: bytes of a data packet of the largest size that are not payload, from the IP header on
 * @charged: bytes of the endpoint's memory
 * @info: the counters of struct fdccp_info
 */
struct fdccp_conn {
	/* the endpoint's */
	struct fdccp_endpoint *ep;
	struct fdccp_hash_node by_flow, by_ports;
	struct fdccp_flow flow;
	struct fdccp_source *source;
	struct fdccp_link output, event;	/* waiting for fdccp_transmit(), fdccp_event() */
	struct fdccp_conn *older, *newer;	/* half-open connections by age */
	struct fdccp_heap_entry heap;
	int64_t made;				/* when */
	int64_t challenged;			/* when a Challenge was last sent */
	bool half_open;
	bool by_cookie;				/* made by an Init Cookie: could be replayed */
	bool ended;				/* FDCCP_EVENT_CLOSED was fetched */

	struct fdccp_path path;
	uint16_t local_port, remote_port;
	uint32_t service;
	void *user;
	void *adapter;		/* the adapter's queue of packets */

	bool server;
	bool ending;
	uint8_t state;
	struct fdccp_params params;
	struct fdccp_window window;
	struct fdccp_features features;
	struct fdccp_ackvec *ackvec;
	struct fdccp_sent *sent;
	struct fdccp_stale_share stale;
	uint64_t told;
	const struct fdccp_ccid *tx_ccid, *rx_ccid;
	void *tx, *rx;
	struct fdccp_plpmtu plpmtu;
	int64_t timer[FDCCP_TIMERS];
	unsigned int out;

	int64_t now, heard, backoff, rtt, asked;
	struct fdccp_rtts rtts;
	uint64_t asked_seq;
	bool asked_seq_valid;
	uint64_t greatest, osr;
	uint32_t ndp;
	bool timed;

	uint64_t sync_ack, syncack_ack;
	uint8_t answer[FDCCP_CHALLENGE_SIZE];
	bool has_answer;
	struct fdccp_arrival arrived;
	int64_t syncs_due, messages_due;
	struct fdccp_reset_code reset;

	uint64_t tx_first, window_asked;
	int64_t sent_at, round_at;
	uint64_t round_gss;
	uint16_t ratio_asked;
	bool no_vectors;

	bool unreported, prompt;
	int64_t owed_at, acked_at;
	uint32_t echo;
	int64_t echo_at;
	bool slow, deaf, peer_deaf;
	uint8_t *cookies;
	size_t cookies_len;
	uint8_t token[FDCCP_TOKEN_SIZE], peer_token[FDCCP_TOKEN_SIZE];
	bool has_peer_token, token_sent, token_acked;
	uint64_t token_seq;

	struct {
		const uint8_t *data;
		size_t len;
		uint8_t ecn;
		bool damaged;
		size_t intact;
	} data;
	uint64_t drop_seq;
	bool probing;
	struct {
		uint64_t seq;
		enum fdccp_fate fate;
		struct fdccp_arrival arrival;
	} probed;
	bool want_ready, ring_full;
	unsigned int events;
	uint64_t untold;
	uint64_t sampled;
	uint32_t newly;

	enum fdccp_reason reason;
	uint8_t reset_code;
	uint16_t overhead;
	size_t charged;
	struct {
		uint64_t sent, fate[FDCCP_FATES], cause[FDCCP_CAUSES];
		uint64_t received, received_bytes;
		uint64_t packets_in, packets_out;
	} info;
};

/* For the endpoint: */

/**
 * fdccp_conn_new() - make a connection
 * @ep: the endpoint, whose limits were checked
 * @path: addresses
 * @local_port: port here
 * @remote_port: port of the peer
 * @service: service code
 * @params: how it starts
 * @server: this end is the server; it then waits in RESPOND for fdccp_conn_receive() of the Request
 * @iss: initial sequence number
 * @now: the time
 *
 * Return: the connection, or NULL without memory
 */
struct fdccp_conn *fdccp_conn_new(struct fdccp_endpoint *ep, const struct fdccp_path *path,
				  uint16_t local_port, uint16_t remote_port, uint32_t service,
				  const struct fdccp_params *params, bool server, uint64_t iss,
				  int64_t now);

/* Puts a server's connection into the state after the Response that @cookie describes; the third
 * packet follows by fdccp_conn_receive().
 */
void fdccp_conn_from_cookie(struct fdccp_conn *conn, const struct fdccp_cookie *cookie);

/**
 * fdccp_conn_transmit_cookie() - write the Response of a server that keeps no state
 * @conn: in RESPOND, after fdccp_conn_receive() of the Request; the endpoint frees it afterwards
 * @datagram: as for fdccp_conn_transmit()
 * @now: the time
 *
 * Return: whether there is a Response; false: a cookie cannot describe what the Request asked for
 */
bool fdccp_conn_transmit_cookie(struct fdccp_conn *conn, struct fdccp_datagram *datagram,
				int64_t now);

/* Frees a connection; the endpoint has removed it from its tables. */
void fdccp_conn_free(struct fdccp_conn *conn);

/* A packet whose checksum was right and whose six numbers are the connection's. */
void fdccp_conn_receive(struct fdccp_conn *conn, const struct fdccp_packet *packet,
			const struct fdccp_datagram *datagram, int64_t now);

void fdccp_conn_icmp(struct fdccp_conn *conn, const struct fdccp_icmp *icmp, uint64_t quoted_seq,
		     bool has_seq, int64_t now);

/* Address changes; see endpoint_move.c: */

/* Whether a packet from another address may be the peer's: the peer is a Freshlink end that has our
 * token, and the packet's numbers are valid. Changes nothing.
 */
bool fdccp_conn_claims(const struct fdccp_conn *conn, const struct fdccp_packet *packet,
		       int64_t now);

/* Writes a Sync that acknowledges @packet, with the option Challenge. Return: whether it fits. */
bool fdccp_conn_challenge(struct fdccp_conn *conn, const struct fdccp_packet *packet,
			  const uint8_t challenge[8], struct fdccp_datagram *datagram, int64_t now);

/* Whether a packet has the right Challenge Answer, and is newer than all others of the peer: the
 * replay of an old answer moves nothing.
 */
bool fdccp_conn_answers(const struct fdccp_conn *conn, const struct fdccp_packet *packet,
			const uint8_t challenge[8]);

/* The peer has a new address: rate control and PLPMTUD start anew, FDCCP_EVENT_MOVED follows. */
void fdccp_conn_moved(struct fdccp_conn *conn, const struct fdccp_path *path, int64_t now);

static inline bool fdccp_conn_has_output(const struct fdccp_conn *conn)
{
	return conn->out;
}

bool fdccp_conn_transmit(struct fdccp_conn *conn, struct fdccp_datagram *datagram, int64_t now);

/* CLOSED is the last event: it waits until the Reset was sent. */
static inline bool fdccp_conn_has_event(const struct fdccp_conn *conn)
{
	return conn->events & ((1U << FDCCP_EVENT_CLOSED) - 1) || (conn->events && !conn->out);
}

/* Whether the program is told nothing of the connection, because a client probes the path by it. */
static inline bool fdccp_conn_is_hidden(const struct fdccp_conn *conn)
{
	return conn->server && conn->service == FDCCP_SERVICE_PROBE;
}

/* Fetches the next event. After FDCCP_EVENT_CLOSED the endpoint frees the connection at its next
 * call. Return: whether there was one; a notice may be about packets whose fate was told since.
 */
bool fdccp_conn_event(struct fdccp_conn *conn, struct fdccp_event *event);

/* The allowed sending rate in bytes a second, 0: not known, as in struct fdccp_info. */
uint64_t fdccp_conn_rate(const struct fdccp_conn *conn);

int64_t fdccp_conn_timer(const struct fdccp_conn *conn);
void fdccp_conn_advance(struct fdccp_conn *conn, int64_t now);
/* Whether fdccp_send() would send a packet now. Return: 0, or as fdccp_send(); after -EAGAIN the
 * event FDCCP_EVENT_READY follows.
 */
int fdccp_may_send(struct fdccp_conn *conn, int64_t now);

#endif
