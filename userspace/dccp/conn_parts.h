/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of a connection use of each other. */
#ifndef FDCCP_CONN_PARTS_H
#define FDCCP_CONN_PARTS_H

#include "conn.h"

#define FDCCP_SECOND		INT64_C(1000000000)
#define FDCCP_MSL		(120 * FDCCP_SECOND)	/* RFC 4340 section 3.4 */
#define FDCCP_BACKOFF_MAX	(64 * FDCCP_SECOND)	/* RFC 4340 sections 8.1.1 and 8.3 */
#define FDCCP_GIVE_UP		(180 * FDCCP_SECOND)	/* RFC 4340 section 8.1.1 */

/**
 * struct fdccp_incoming - a packet that is being processed
 * @packet: its header
 * @marked: it has the ECN mark CE
 * @cut: a router cut its data off
 * @length: bytes of data that a cut packet had, 0: unknown
 * @stamped: it had the lifetime option
 * @arrival: of a SyncAck: how its Sync arrived
 * @damaged: Data Checksum, or the CRC of the sensitive part, does not fit the data
 * @spoiled: the CRC of the sensitive part does not
 * @intact: bytes of the sensitive part, if it does
 * @slow: it has Slow Receiver
 * @had_features: it has feature options
 * @has_vector: it has an Ack Vector
 * @has_report: it has options of the CCID of this end's data
 * @ndp: NDP Count, -1: none
 * @elapsed: Elapsed Time in ns
 * @vector: the cells of its Ack Vectors
 * @dropped: the blocks of its Data Dropped options
 */
struct fdccp_incoming {
	const struct fdccp_packet *packet;
	bool marked, cut, damaged, spoiled, slow, had_features, has_vector, has_report, stamped;
	uint16_t length, intact;
	struct fdccp_arrival arrival;
	int64_t ndp;
	int64_t elapsed;
	size_t vector_len, dropped_len;
	uint8_t vector[FDCCP_OPTIONS_MAX], dropped[FDCCP_OPTIONS_MAX];
};

/* conn.c */

/* An event waits for the program. */
static inline void fdccp_conn_notify(struct fdccp_conn *conn, enum fdccp_event_type type)
{
	conn->events |= 1U << type;
}

/* The round-trip time: the rate control's, the handshake's, or RFC 4340's default. */
int64_t fdccp_conn_rtt(const struct fdccp_conn *conn);
/* Notes a round-trip time that was measured, if @sample > 0. */
void fdccp_conn_note_rtt(struct fdccp_conn *conn, int64_t sample);
/* The peer is a Freshlink end: it has changed the feature, or confirmed ours. Its Change may be
 * lost while the Confirm, which each Response has, arrives.
 */
static inline bool fdccp_conn_ours(const struct fdccp_conn *conn)
{
	return fdccp_features_get(&conn->features, FDCCP_FEAT_FRESHLINK, false) ||
	       fdccp_features_get(&conn->features, FDCCP_FEAT_FRESHLINK, true);
}

static inline bool fdccp_conn_by_udp(const struct fdccp_conn *conn)
{
	return fdccp_endpoint_config(conn->ep)->carrier == FDCCP_CARRIER_UDP;
}

/* Whether the endpoint takes datagrams without UDP's checksum. */
static inline bool fdccp_conn_may_be_bare(const struct fdccp_conn *conn)
{
	return fdccp_conn_by_udp(conn) && fdccp_endpoint_config(conn->ep)->no_udp_checksum;
}

/* The payload that a data packet has room for. */
static inline size_t fdccp_conn_payload_max(const struct fdccp_conn *conn)
{
	return conn->plpmtu.size > conn->overhead ? conn->plpmtu.size - conn->overhead : 0;
}

/* packets of each direction after which that has to be done */
#define FDCCP_CHARGE_INTERVAL	16

/* Charges the endpoint for what the connection's rings have grown. Ends the connection if the limit
 * does not allow it. Return: whether it did
 */
bool fdccp_conn_charge(struct fdccp_conn *conn);

/* Keeps a cookie to echo it. Return: whether there was memory. */
bool fdccp_conn_keep_cookie(struct fdccp_conn *conn, const struct fdccp_option *option);
/* Forgets all cookies. */
void fdccp_conn_forget_cookies(struct fdccp_conn *conn);

/* conn_close.c */

/* Makes a Reset with the code and Data 1 to 3 wait; the connection stays as it is. */
void fdccp_conn_send_reset(struct fdccp_conn *conn, uint8_t code, const uint8_t data[3],
			   uint64_t ack);
/* Ends the connection with a Reset. @data: Data 1 to 3, NULL: 0 */
void fdccp_conn_reset(struct fdccp_conn *conn, enum fdccp_reason reason, uint8_t code,
		      const uint8_t data[3]);
/* Ends the connection without a packet. */
void fdccp_conn_end(struct fdccp_conn *conn, enum fdccp_reason reason, uint8_t code);
/* Sends Close and waits for the Reset. */
void fdccp_conn_closing(struct fdccp_conn *conn);

/* conn_ack.c */

/* Tells rate control and program what a packet acknowledges. Return: 0 or the code of the Reset to
 * send
 */
int fdccp_conn_acked(struct fdccp_conn *conn, const struct fdccp_incoming *in, uint8_t data[3]);
/* Tells rate control, if @packet was sent with it, and counts. */
void fdccp_conn_tell_cause(struct fdccp_conn *conn, enum fdccp_cause cause,
			   const struct fdccp_sent_packet *packet);
/* The rate control's timer ran out: all packets in flight may be lost. */
void fdccp_conn_timeout(struct fdccp_conn *conn);
/* Whether the peer reports each packet. */
static inline bool fdccp_conn_sends_vectors(const struct fdccp_conn *conn)
{
	return fdccp_features_get(&conn->features, FDCCP_FEAT_SEND_ACK_VECTOR, false);
}

/* Whether the handshake holds back the program's data.
 *
 * CCID 2 begins when the peer has confirmed that it sends Ack Vectors (RFC 4341 section 4). In
 * PARTOPEN a cookie takes the room of data. And Linux never acknowledges the packet that completes
 * the handshake, so that one has no data.
 */
static inline bool fdccp_conn_holds_data(const struct fdccp_conn *conn)
{
	return conn->cookies || (conn->tx_ccid->ack_vector && !fdccp_conn_sends_vectors(conn)) ||
	       (conn->state == FDCCP_PARTOPEN && conn->out & FDCCP_OUT_ACK &&
		!fdccp_conn_ours(conn));
}
/* When a full Sequence Window allows the next data packet. */
int64_t fdccp_conn_window_at(const struct fdccp_conn *conn);
/* When the program may send again, if it waits for that; else FDCCP_NEVER. */
int64_t fdccp_conn_ready_at(const struct fdccp_conn *conn);
/* Tells the program that it may send again, if it waits for that and it may. */
void fdccp_conn_check_ready(struct fdccp_conn *conn);

/* conn_feature.c */

/* Opens the negotiations of a new connection. */
void fdccp_conn_features_open(struct fdccp_conn *conn);
/* Whether the CCIDs have values that this end accepts. */
bool fdccp_conn_agrees(const struct fdccp_conn *conn);
/* The server has seen the Request: opens what the Request left to it. */
void fdccp_conn_features_respond(struct fdccp_conn *conn);
/* Asks again, as the halves have started, for what they cannot do without. */
void fdccp_conn_features_need(struct fdccp_conn *conn);
/* A feature has a new value, or was confirmed. Return: 0 or the code of the Reset to send */
int fdccp_conn_feature_changed(struct fdccp_conn *conn, unsigned int changed);
/* The handshake is complete as far as this end sees: starts the receiving half.
 * Return: 0 or the code of the Reset to send
 */
int fdccp_conn_start_halves(struct fdccp_conn *conn);
/* The program sends for the first time: starts the sending half, which takes no memory before.
 * Return: whether there was memory; if not, the connection may have ended
 */
bool fdccp_conn_start_tx(struct fdccp_conn *conn);
/* Asks for what the rate control, or the packets sent, want now: Sequence Window and Ack Ratio. */
void fdccp_conn_adapt(struct fdccp_conn *conn);

/* conn_options.c */

/* Processes a packet's options. Return: 0 or the code of the Reset to send, with @data for it */
int fdccp_conn_options(struct fdccp_conn *conn, struct fdccp_incoming *in, uint8_t data[3]);
/* Processes what the receiver of this end's data reports by its CCID's options. Return: as above */
int fdccp_conn_report(struct fdccp_conn *conn, const struct fdccp_incoming *in, uint8_t data[3]);
/* Writes the options of a packet that is not Data. */
void fdccp_conn_write_options(struct fdccp_conn *conn, struct fdccp_writer *w,
			      const struct fdccp_packet *packet);
void fdccp_conn_write_ndp(struct fdccp_conn *conn, struct fdccp_writer *w);
/* Writes what an acknowledgment says of the peer's packets. */
void fdccp_conn_write_acks(struct fdccp_conn *conn, struct fdccp_writer *w,
			   const struct fdccp_packet *packet);

/* conn_probe.c */

/* Reads the option Arrived. Return: whether it is right */
bool fdccp_conn_read_arrived(struct fdccp_conn *conn, struct fdccp_incoming *in,
			     const struct fdccp_option *option);
/* Writes it in a SyncAck, if its Sync has asked. */
void fdccp_conn_write_arrived(struct fdccp_conn *conn, struct fdccp_writer *w);
/* Tells the program what became of the probe @seq, if it probes; @in: the SyncAck, or NULL */
void fdccp_conn_probed(struct fdccp_conn *conn, uint64_t seq, enum fdccp_fate fate,
		       const struct fdccp_incoming *in);

/* conn_receive.c */

/* The first packet of the peer has come, or a cookie tells of it: its numbers begin. @gar: what it
 * acknowledges. Return: whether there was memory
 */
bool fdccp_conn_meet(struct fdccp_conn *conn, uint64_t isr, uint64_t gar);
/* Whether valid packets came within the last three round trips: RFC 4340 section 7.5.3. */
bool fdccp_conn_active(const struct fdccp_conn *conn, int64_t now);

/* conn_timer.c */

/* Takes one of the Syncs, and other answers to wrong packets, of a second. Return: whether one was
 * left.
 */
bool fdccp_conn_limit(struct fdccp_conn *conn);

/* Starts the timer that sends the packet of the handshake again, after @interval. */
void fdccp_conn_retry(struct fdccp_conn *conn, int64_t interval);

/* Gives up after @time, or after the silence that the program allows if that is shorter. */
void fdccp_conn_bound(struct fdccp_conn *conn, int64_t time);
/* Makes a Sync wait that acknowledges @ack, at most 8 a second. */
void fdccp_conn_sync(struct fdccp_conn *conn, uint64_t ack);
/* An acknowledgment is sent: ends the round of acknowledgments if that is full. */
void fdccp_conn_note_round(struct fdccp_conn *conn);
/* Makes packets wait whose time has come: acknowledgments, features, probes. */
void fdccp_conn_due(struct fdccp_conn *conn);

#endif
