/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of an endpoint, for endpoint*.c only. */
#ifndef FDCCP_ENDPOINT_STATE_H
#define FDCCP_ENDPOINT_STATE_H

#include "conn.h"
#include "endpoint.h"

/* answers without a connection that wait for fdccp_transmit() */
#define FDCCP_ANSWERS		64
#define FDCCP_ANSWER_SIZE	256

/* an answer is at most so many times as long as the packet that it answers */
#define FDCCP_AMPLIFICATION	3

/* RFC 4340 section 8.3: 2 MSL */
#define FDCCP_TIMEWAIT_LIFETIME	INT64_C(240000000000)

/**
 * struct fdccp_source - connections of one IPv4 address, or of one IPv6 /64
 * @node: in the endpoint's table
 * @address: as in struct fdccp_flow, the last half of IPv6 is 0
 * @count: connections
 */
struct fdccp_source {
	struct fdccp_hash_node node;
	uint8_t address[16];
	unsigned int count;
};

/**
 * struct fdccp_timewait - a connection that has ended
 * @node: in the endpoint's table
 * @newer: the next one by age
 * @flow: its six numbers
 * @until: when it is forgotten
 */
struct fdccp_timewait {
	struct fdccp_hash_node node;
	struct fdccp_timewait *newer;
	struct fdccp_flow flow;
	int64_t until;
};

/* Resets of connections that are remembered */
#define FDCCP_FAREWELLS		64

/**
 * struct fdccp_farewell - the Reset of a connection that this end has ended
 * @flow: its six numbers
 * @code: enum fdccp_reset, 0: none
 * @data: Data 1 to 3
 */
struct fdccp_farewell {
	struct fdccp_flow flow;
	uint8_t code;
	uint8_t data[3];
};

/**
 * struct fdccp_answer - a packet without a connection
 * @path: its addresses
 * @len: its length
 * @data: the packet
 */
struct fdccp_answer {
	struct fdccp_path path;
	size_t len;
	uint8_t data[FDCCP_ANSWER_SIZE];
};

/**
 * struct fdccp_endpoint - an endpoint
 * @config: configuration, with the defaults filled in
 * @now: time of the last call
 * @secrets: secrets
 * @hash_key: key of the hash tables: strangers cannot choose where their connections go
 * @memory: bytes in use
 * @by_flow: connections by their six numbers
 * @by_ports: connections by their two DCCP ports
 * @recent: the connection of the last packet
 * @sources: struct fdccp_source by address
 * @heap: connections by time. No connection's time is later than its timer, but it may be earlier
 * @touched: a connection whose timer may have changed, NULL: none. It is looked at when somebody
 *	asks, or another connection is touched: packets come in trains
 * @output: connections with packets
 * @events: connections with events
 * @ended: connections that are freed when their last packet has left
 * @oldest: half-open connections of servers
 * @newest: the last of them
 * @half_open: their number
 * @listeners: listening ports
 * @timewait: connections that have ended, by their six numbers
 * @timewait_oldest: the same by age
 * @timewait_newest: the last of them
 * @answer: answers without a connection, a ring
 * @answers: their number
 * @answers_first: index of the first
 * @farewell: the latest Resets of connections, a ring
 * @farewells: count of Resets that came into it
 * @strangers_due: state of the limit of answers to strangers
 * @refused: the packet being received was counted as not processed
 * @counter: counters
 */
struct fdccp_endpoint {
	struct fdccp_config config;
	int64_t now;
	struct fdccp_secrets secrets;
	uint8_t hash_key[16];
	size_t memory;
	struct fdccp_hash by_flow, by_ports;
	struct fdccp_conn *recent;
	struct fdccp_hash sources;
	struct fdccp_heap heap;
	struct fdccp_conn *touched;
	struct fdccp_list output, events, ended;
	struct fdccp_conn *oldest, *newest;
	unsigned int half_open;
	struct fdccp_listener *listeners;
	struct fdccp_hash timewait;
	struct fdccp_timewait *timewait_oldest, *timewait_newest;
	struct fdccp_answer answer[FDCCP_ANSWERS];
	unsigned int answers, answers_first;
	struct fdccp_farewell farewell[FDCCP_FAREWELLS];
	unsigned int farewells;
	int64_t strangers_due;
	bool refused;
	uint64_t counter[FDCCP_COUNT_MAX];
};

/* endpoint_table.c */

uint64_t fdccp_endpoint_hash(const struct fdccp_endpoint *ep, const void *key, size_t len);

static inline bool fdccp_endpoint_is_live(const struct fdccp_conn *conn)
{
	return conn->state != FDCCP_CLOSED && conn->state != FDCCP_TIMEWAIT;
}

/* The connection of a flow that has not ended. Return: it or NULL. */
struct fdccp_conn *fdccp_endpoint_find(struct fdccp_endpoint *ep, const struct fdccp_flow *flow);

/* Whether a connection of a flow has ended, and its program has not heard of it yet. */
bool fdccp_endpoint_has_ended(const struct fdccp_endpoint *ep, const struct fdccp_flow *flow);

/* The next connection with the DCCP ports of @flow; @conn is the last one, NULL at first. */
struct fdccp_conn *fdccp_endpoint_find_ports(struct fdccp_endpoint *ep,
					     const struct fdccp_flow *flow,
					     struct fdccp_conn *conn);

/* Whether the limits for connections and each source allow a connection. */
bool fdccp_endpoint_has_room(const struct fdccp_endpoint *ep, const struct fdccp_flow *flow);

/* Puts a new connection into the tables. Return: whether there was memory. */
bool fdccp_endpoint_add(struct fdccp_endpoint *ep, struct fdccp_conn *conn);

/* Takes a connection out of all tables and lists, and frees it. */
void fdccp_endpoint_forget(struct fdccp_endpoint *ep, struct fdccp_conn *conn);

/* Gives a connection another path. Return: whether the limits and memory allow it. */
bool fdccp_endpoint_rename(struct fdccp_endpoint *ep, struct fdccp_conn *conn,
			   const struct fdccp_flow *flow);

/* endpoint_queue.c */

/* Takes a connection out of all lists. */
void fdccp_unqueue(struct fdccp_endpoint *ep, struct fdccp_conn *conn);
/* Frees the connections that have ended. */
void fdccp_endpoint_reap(struct fdccp_endpoint *ep);

/* Each call of the program starts with it. */
static inline void fdccp_endpoint_begin(struct fdccp_endpoint *ep, int64_t now)
{
	ep->now = now;
	if (ep->ended.first)
		fdccp_endpoint_reap(ep);
}

/* endpoint_listen.c */

bool fdccp_params_valid(const struct fdccp_endpoint *ep, const struct fdccp_params *params);
bool fdccp_is_listening(const struct fdccp_endpoint *ep, uint16_t port);
void fdccp_half_open_remove(struct fdccp_endpoint *ep, struct fdccp_conn *conn);

/* A packet without a connection. Return: whether it was for a listener: a Request, or with an Init
 * Cookie.
 */
bool fdccp_listen_receive(struct fdccp_endpoint *ep, const struct fdccp_packet *packet,
			  const struct fdccp_datagram *datagram, const struct fdccp_flow *flow);

/* endpoint_stranger.c */

/* Prepares @answer to a packet without a connection: its @size is at most three times that of the
 * packet. Return: whether there is room
 */
bool fdccp_answer_begin(struct fdccp_endpoint *ep, const struct fdccp_datagram *received,
			struct fdccp_datagram *answer);
/* Queues the answer that fdccp_answer_begin() has prepared, and that has a length now. */
void fdccp_answer_end(struct fdccp_endpoint *ep, const struct fdccp_datagram *answer);
/* Fetches an answer. Return: whether there was one. */
bool fdccp_answer_fetch(struct fdccp_endpoint *ep, struct fdccp_datagram *datagram);

/* Whether the limit of answers to strangers allows one; it counts then. */
bool fdccp_stranger_allowed(struct fdccp_endpoint *ep);
/* Remembers the Reset of a connection that is freed, if it has sent one. */
void fdccp_stranger_note_reset(struct fdccp_endpoint *ep, const struct fdccp_conn *conn);
/* Answers a packet with a Reset, and counts the packet. */
void fdccp_stranger_reset(struct fdccp_endpoint *ep, const struct fdccp_packet *packet,
			  const struct fdccp_datagram *received, enum fdccp_reset code,
			  enum fdccp_counter_index cause);
/* A packet that nobody expects. */
void fdccp_stranger_receive(struct fdccp_endpoint *ep, const struct fdccp_packet *packet,
			    const struct fdccp_datagram *received, const struct fdccp_flow *flow);

/* endpoint_timewait.c */

bool fdccp_timewait_has(struct fdccp_endpoint *ep, const struct fdccp_flow *flow);
void fdccp_timewait_add(struct fdccp_endpoint *ep, const struct fdccp_flow *flow);
void fdccp_timewait_clear(struct fdccp_endpoint *ep);

/* endpoint_move.c */

/* A packet without a connection. Return: whether a peer may have sent it from a new address. */
bool fdccp_move_receive(struct fdccp_endpoint *ep, const struct fdccp_packet *packet,
			const struct fdccp_datagram *datagram, const struct fdccp_flow *flow);

#endif
