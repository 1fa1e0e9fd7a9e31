/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An endpoint: finds the connection of a packet, keeps limits, and orders timers and output. */
#ifndef FDCCP_ENDPOINT_H
#define FDCCP_ENDPOINT_H

#include "cookie.h"
#include "freshlink-dccp.h"
#include "wire.h"

/* Counters: name for programs, what it counts. Each received packet is counted as received, and
 * either as processed or in exactly one of those from malformed to moves_refused.
 */
#define FDCCP_COUNTERS(X) \
	X(received, "packets received") \
	X(processed, "of these, processed") \
	X(sent, "packets sent") \
	X(malformed, "header or Data Offset wrong, or type unknown") \
	X(short_seq, "24-bit sequence number") \
	X(checksum, "wrong checksum, or none of UDP without agreement") \
	X(coverage, "Checksum Coverage beyond the packet, or less than this end accepts") \
	X(no_connection, "no such connection") \
	X(not_listening, "no such port") \
	X(bad_service, "service code that nobody offers") \
	X(too_busy, "above a limit of connections") \
	X(bad_cookie, "Init Cookie that this end did not make") \
	X(seq_invalid, "sequence or acknowledgment number outside its window") \
	X(unexpected, "type that does not fit the state") \
	X(duplicate, "sequence number received before") \
	X(bad_option, "options that break the protocol") \
	X(timewait, "packet of an ended connection") \
	X(port_reuse, "packet of a connection from another UDP port (RFC 6773 section 3.8)") \
	X(challenged, "packet from a new address, which has to answer a Challenge") \
	X(moves_refused, "packet from a new address, without the right answer or above a limit") \
	X(strangers_limited, "answers to packets without a connection that the limit forbade") \
	X(syncs_limited, "Syncs that the limit of 8 a second forbade") \
	X(contradictions, "acknowledgments that report data as dropped of a missing packet") \
	X(icmp_ignored, "ICMP messages that quote no packet in flight, or cannot be true") \
	X(icmp_believed, "ICMP messages that counted") \
	X(resets_sent, "Resets sent") \
	X(cookies_sent, "Responses without state") \
	X(moves, "address changes followed")

enum fdccp_counter_index {
#define FDCCP_COUNTER_ENUM(name, text) FDCCP_COUNT_##name,
	FDCCP_COUNTERS(FDCCP_COUNTER_ENUM)
#undef FDCCP_COUNTER_ENUM
	FDCCP_COUNT_MAX,
	FDCCP_CAUSE_FIRST = FDCCP_COUNT_malformed,
	FDCCP_CAUSE_LAST = FDCCP_COUNT_moves_refused,
};

/**
 * struct fdccp_listener - a listening port
 */
struct fdccp_listener {
	uint16_t port;
	uint8_t count;
	uint32_t services[16];
	struct fdccp_params params;
	struct fdccp_listener *next;
};

/* The inside of struct fdccp_endpoint belongs to endpoint.c and what it is split into. What
 * connections use of it:
 */
const struct fdccp_config *fdccp_endpoint_config(const struct fdccp_endpoint *ep);
const struct fdccp_secrets *fdccp_endpoint_secrets(const struct fdccp_endpoint *ep);
void fdccp_count(struct fdccp_endpoint *ep, enum fdccp_counter_index counter);

/* Finishes a packet that is about to be sent: the checksum, with the carrier ip, and the
 * counter.
 */
void fdccp_endpoint_seal(struct fdccp_endpoint *ep, struct fdccp_datagram *datagram);

/**
 * fdccp_endpoint_update() - a connection's next timer, output or events have changed
 * @ep: the endpoint
 * @conn: the connection, which fdccp_conn_timer(), fdccp_conn_has_output() and
 *	fdccp_conn_has_event() describe
 *
 * To be called at the end of each function that changes a connection.
 */
void fdccp_endpoint_update(struct fdccp_endpoint *ep, struct fdccp_conn *conn);

/* Takes @bytes from the endpoint's memory. Return: whether the limit allows it. */
bool fdccp_endpoint_charge(struct fdccp_endpoint *ep, size_t bytes);
void fdccp_endpoint_uncharge(struct fdccp_endpoint *ep, size_t bytes);

/* The handshake is complete: the connection is not half-open any more. */
void fdccp_endpoint_established(struct fdccp_endpoint *ep, struct fdccp_conn *conn);

/**
 * fdccp_endpoint_timewait() - keep the numbers of a connection that has ended
 * @ep: the endpoint
 * @conn: the connection, which the caller frees
 * @now: the time
 *
 * For 4 minutes (2 MSL), packets of the connection get a Reset (RFC 4340 section 8.5 step 2); at
 * most 96 bytes.
 */
void fdccp_endpoint_timewait(struct fdccp_endpoint *ep, const struct fdccp_conn *conn, int64_t now);

#endif
