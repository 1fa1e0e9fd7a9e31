// SPDX-License-Identifier: GPL-2.0-or-later
/* Answers to packets without a connection. Nobody may use them to multiply traffic: each is at most
 * three times as long as the packet it answers, and Resets have a limit a second.
 */
#include <string.h>

#include "endpoint_state.h"
#include "limit.h"

static struct fdccp_answer *next_answer(struct fdccp_endpoint *ep)
{
	return &ep->answer[(ep->answers_first + ep->answers) % FDCCP_ANSWERS];
}

bool fdccp_answer_begin(struct fdccp_endpoint *ep, const struct fdccp_datagram *received,
			struct fdccp_datagram *answer)
{
	size_t size = FDCCP_AMPLIFICATION * received->len;

	if (ep->answers == FDCCP_ANSWERS)
		return false;
	*answer = (struct fdccp_datagram){
		.path = received->path,
		.data = next_answer(ep)->data,
		.size = size < FDCCP_ANSWER_SIZE ? size : FDCCP_ANSWER_SIZE,
	};
	return true;
}

void fdccp_answer_end(struct fdccp_endpoint *ep, const struct fdccp_datagram *answer)
{
	next_answer(ep)->path = answer->path;
	next_answer(ep)->len = answer->len;
	ep->answers++;
}

bool fdccp_answer_fetch(struct fdccp_endpoint *ep, struct fdccp_datagram *datagram)
{
	const struct fdccp_answer *answer = &ep->answer[ep->answers_first];

	if (!ep->answers)
		return false;
	*datagram = (struct fdccp_datagram){
		.path = answer->path, .data = datagram->data, .size = datagram->size,
		.len = answer->len, .deadline = FDCCP_NEVER,
	};
	memcpy(datagram->data, answer->data, answer->len);
	ep->answers_first = (ep->answers_first + 1) % FDCCP_ANSWERS;
	ep->answers--;
	return true;
}

bool fdccp_stranger_allowed(struct fdccp_endpoint *ep)
{
	if (fdccp_limit_take(&ep->strangers_due, ep->config.limits.strangers, ep->now))
		return true;
	fdccp_count(ep, FDCCP_COUNT_strangers_limited);
	return false;
}

/* With the carrier ip each endpoint of the host sees all packets. Those to ports that it does not
 * have may be another one's.
 */
static bool is_ours(const struct fdccp_endpoint *ep, uint16_t port,
		    enum fdccp_counter_index cause)
{
	return ep->config.carrier == FDCCP_CARRIER_UDP || cause == FDCCP_COUNT_timewait ||
	       fdccp_is_listening(ep, port);
}

void fdccp_stranger_note_reset(struct fdccp_endpoint *ep, const struct fdccp_conn *conn)
{
	struct fdccp_farewell *farewell = &ep->farewell[ep->farewells % FDCCP_FAREWELLS];

	if (conn->state != FDCCP_CLOSED || !conn->reset.code)
		return;
	farewell->flow = conn->flow;
	farewell->code = conn->reset.code;
	memcpy(farewell->data, conn->reset.data, sizeof(farewell->data));
	ep->farewells++;
}

/* A peer to which the numbers of a Reset are invalid asks by a Sync. The next Reset has the code of
 * the first one: RFC 4340 section 7.5.4.
 */
static void repeat_reset(const struct fdccp_endpoint *ep, const struct fdccp_flow *flow,
			 struct fdccp_packet *reset)
{
	for (unsigned int i = 1; i <= FDCCP_FAREWELLS; i++) {
		unsigned int at = (ep->farewells - i) % FDCCP_FAREWELLS;
		const struct fdccp_farewell *farewell = &ep->farewell[at];

		if (!farewell->code || memcmp(&farewell->flow, flow, sizeof(*flow)))
			continue;
		reset->reset_code = farewell->code;
		memcpy(reset->reset_data, farewell->data, sizeof(reset->reset_data));
		return;
	}
}

/* RFC 4340 section 8.3.1: the numbers come from the packet */
void fdccp_stranger_reset(struct fdccp_endpoint *ep, const struct fdccp_packet *packet,
			  const struct fdccp_datagram *received, enum fdccp_reset code,
			  enum fdccp_counter_index cause)
{
	struct fdccp_packet reset = {
		.type = FDCCP_PKT_RESET,
		.source = packet->dest,
		.dest = packet->source,
		.extended = true,
		.seq = packet->has_ack ? fdccp_seq_add(packet->ack, 1) : 0,
		.ack = packet->seq,
		.reset_code = code,
	};
	struct fdccp_datagram answer;
	struct fdccp_flow flow;

	fdccp_count(ep, cause);
	if (packet->type == FDCCP_PKT_RESET || !is_ours(ep, packet->dest, cause) ||
	    !fdccp_stranger_allowed(ep))
		return;
	if (!fdccp_answer_begin(ep, received, &answer))
		return;
	if (packet->type == FDCCP_PKT_SYNC) {
		fdccp_flow_set(&flow, &received->path, packet->dest, packet->source);
		repeat_reset(ep, &flow, &reset);
	}
	answer.len = fdccp_header_size(FDCCP_PKT_RESET);
	fdccp_packet_write(&reset, answer.data, 0);
	fdccp_answer_end(ep, &answer);
	fdccp_count(ep, FDCCP_COUNT_resets_sent);
}

/* A connection of the same hosts and DCCP ports at another UDP port: the peer's NAT has given it a
 * new one, and it can not move. This endpoint tells all six numbers apart, so it cannot know the
 * packet's connection; it says so by Reset 12 (RFC 6773 section 3.8).
 */
static bool reuses_port(struct fdccp_endpoint *ep, const struct fdccp_flow *flow)
{
	const struct fdccp_conn *conn = fdccp_endpoint_find_ports(ep, flow, NULL);

	return conn && fdccp_flow_same_hosts(&conn->flow, flow);
}

void fdccp_stranger_receive(struct fdccp_endpoint *ep, const struct fdccp_packet *packet,
			    const struct fdccp_datagram *received, const struct fdccp_flow *flow)
{
	if (ep->config.carrier == FDCCP_CARRIER_UDP && reuses_port(ep, flow))
		fdccp_stranger_reset(ep, packet, received, FDCCP_RESET_ENCAPSULATED_PORT_REUSE,
				     FDCCP_COUNT_port_reuse);
	else
		fdccp_stranger_reset(ep, packet, received, FDCCP_RESET_NO_CONNECTION,
				     FDCCP_COUNT_no_connection);
}
