// SPDX-License-Identifier: GPL-2.0-or-later
/* What an endpoint does around its connections, which are stubs here. */
#include <arpa/inet.h>
#include <errno.h>
#include <sanitizer/allocator_interface.h>
#include <string.h>

#include "../codec/unit.h"
#include "checksum.h"
#include "conn_stub.h"

#define SECOND		INT64_C(1000000000)
#define SERVER		UINT32_C(0x0a000001)	/* its address */
#define PORT		5001			/* and DCCP port */
#define SERVICE		UINT32_C(0x66647a70)
#define CLIENT_PORT	40000

static const struct fdccp_params params = { .ccids = { 2 }, .peer_ccids = { 2 } };

static uint64_t random_state;

static uint64_t random_number(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void random_bytes(void *context, void *buf, size_t len)
{
	uint8_t *at = buf;

	(void)context;
	while (len--)
		*at++ = random_number();
}

static struct fdccp_endpoint *new_endpoint(enum fdccp_carrier carrier,
					   const struct fdccp_limits *limits)
{
	struct fdccp_config config = { .carrier = carrier, .random = random_bytes };
	struct fdccp_endpoint *ep;
	uint32_t service = SERVICE;

	if (limits)
		config.limits = *limits;
	random_state = 88172645463325252;
	stub_size = 3000;
	ep = fdccp_endpoint_new(&config, 0);
	fdccp_listen(ep, PORT, &service, 1, &params);
	return ep;
}

static uint64_t counted(struct fdccp_endpoint *ep, enum fdccp_counter_index counter)
{
	const char *name;

	return fdccp_counter(ep, counter, &name);
}

/* Each packet was processed or counted once as refused. */
static bool is_balanced(struct fdccp_endpoint *ep)
{
	uint64_t sum = counted(ep, FDCCP_COUNT_processed);

	for (unsigned int i = FDCCP_CAUSE_FIRST; i <= FDCCP_CAUSE_LAST; i++)
		sum += counted(ep, i);
	return sum == counted(ep, FDCCP_COUNT_received);
}

/* Frees an endpoint. Return: whether its counters agree, and nothing of it is left */
static bool is_clean_end(struct fdccp_endpoint *ep)
{
	bool balanced = is_balanced(ep);

	fdccp_endpoint_free(ep);
	return balanced && !stub_live;
}

static struct fdccp_path path_from(uint32_t client, uint16_t udp)
{
	struct fdccp_path path = { 0 };

	path.local.in = (struct sockaddr_in){
		.sin_family = AF_INET, .sin_port = htons(6511), .sin_addr.s_addr = htonl(SERVER),
	};
	path.remote.in = (struct sockaddr_in){
		.sin_family = AF_INET, .sin_port = htons(udp), .sin_addr.s_addr = htonl(client),
	};
	return path;
}

static struct fdccp_path path6_from(uint64_t prefix, uint64_t host)
{
	struct fdccp_path path = { 0 };

	path.local.in6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(6511) };
	path.remote.in6 = path.local.in6;
	path.local.in6.sin6_addr.s6_addr[15] = 1;
	fdccp_put_number(path.remote.in6.sin6_addr.s6_addr, 8, prefix);
	fdccp_put_number(path.remote.in6.sin6_addr.s6_addr + 8, 8, host);
	return path;
}

/* a packet of a client to the server */
struct out {
	struct fdccp_packet packet;
	struct fdccp_path path;
	uint8_t option;
	const uint8_t *value;
	size_t value_len;
	size_t data_len;
	uint8_t bytes[1500];
	size_t len;
};

static struct out packet_of(uint8_t type, uint32_t client, uint64_t seq)
{
	struct out out = {
		.packet = {
			.type = type, .source = CLIENT_PORT, .dest = PORT, .extended = true,
			.seq = seq, .ack = 7, .service = SERVICE,
		},
		.path = path_from(client, 6511),
	};

	return out;
}

static void build(struct out *out)
{
	size_t header = fdccp_header_size(out->packet.type);
	struct fdccp_writer w = {
		.start = out->bytes + header, .at = out->bytes + header,
		.end = out->bytes + 512,
	};

	if (out->option)
		fdccp_write_option(&w, out->option, out->value, out->value_len);
	fdccp_write_padding(&w);
	fdccp_packet_write(&out->packet, out->bytes, w.at - w.start);
	out->len = header + (w.at - w.start) + out->data_len;
}

static void hand_over(struct fdccp_endpoint *ep, struct out *out, int64_t now)
{
	struct fdccp_datagram datagram = { .path = out->path, .data = out->bytes, .len = out->len };

	fdccp_receive(ep, &datagram, now);
}

static void receive(struct fdccp_endpoint *ep, struct out *out, int64_t now)
{
	build(out);
	hand_over(ep, out, now);
}

/* what the endpoint sends */
struct in {
	uint8_t bytes[FDCCP_DATAGRAM_MAX];
	struct fdccp_datagram datagram;
	struct fdccp_packet packet;
};

static bool transmit(struct fdccp_endpoint *ep, struct in *in, int64_t now)
{
	in->datagram = (struct fdccp_datagram){ .data = in->bytes, .size = sizeof(in->bytes) };
	return fdccp_transmit(ep, &in->datagram, now) &&
	       !fdccp_packet_parse(&in->packet, in->bytes, in->datagram.len);
}

static unsigned int drain(struct fdccp_endpoint *ep, int64_t now)
{
	unsigned int count = 0;
	struct in in;

	while (transmit(ep, &in, now))
		count++;
	return count;
}

/* Receives a packet. Return: the code of the only Reset that answers it, or -1 */
static int reset_for(struct fdccp_endpoint *ep, struct out *out, int64_t now)
{
	struct in in;

	receive(ep, out, now);
	if (!transmit(ep, &in, now) || in.packet.type != FDCCP_PKT_RESET)
		return -1;
	return drain(ep, now) ? -1 : in.packet.reset_code;
}

/* Opens a connection of a client. Return: it or NULL */
static struct fdccp_conn *open_from(struct fdccp_endpoint *ep, struct fdccp_path path, int64_t now)
{
	struct out request = packet_of(FDCCP_PKT_REQUEST, 0, 1000);
	struct out ack = packet_of(FDCCP_PKT_ACK, 0, 1001);
	struct fdccp_event event;

	request.path = ack.path = path;
	receive(ep, &request, now);
	drain(ep, now);
	receive(ep, &ack, now);
	if (!fdccp_event(ep, &event) || event.type != FDCCP_EVENT_ACCEPTED)
		return NULL;
	return event.conn;
}

/* Each malformed packet, and each wrong checksum, is counted and has no answer. */
static bool header_checks(void)
{
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_IP, NULL);
	struct out out = packet_of(FDCCP_PKT_REQUEST, 1, 5);
	uint16_t sum;

	out.packet.coverage = 0;
	build(&out);
	sum = fdccp_checksum(&out.path, out.bytes, out.len, out.len);
	memcpy(out.bytes + 6, &sum, 2);
	out.bytes[7] ^= 1;
	hand_over(ep, &out, 0);
	MUST(counted(ep, FDCCP_COUNT_checksum) == 1);
	out.bytes[7] ^= 1;
	out.bytes[5] = 15;	/* more than the packet has */
	hand_over(ep, &out, 0);
	MUST(counted(ep, FDCCP_COUNT_coverage) == 1);
	out.bytes[5] = 0;
	out.bytes[8] = 10 << 1 | 1;
	hand_over(ep, &out, 0);
	out.len = 11;
	hand_over(ep, &out, 0);
	MUST(counted(ep, FDCCP_COUNT_malformed) == 2);
	MUST(!drain(ep, 0) && !ep->by_flow.count);
	out.len = 20;
	out.bytes[8] = 1;
	hand_over(ep, &out, 0);
	MUST(counted(ep, FDCCP_COUNT_processed) == 1 && ep->by_flow.count == 1);
	return is_clean_end(ep);
}

/* Over UDP, DCCP's checksum is ignored and left 0; a packet with 24-bit numbers is dropped. */
static bool header_checks_udp(void)
{
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, NULL);
	struct out out = packet_of(FDCCP_PKT_REQUEST, 1, 5);
	uint8_t brief[12] = { 0x9c, 0x40, 0x13, 0x89, 3, 0, 0, 0, FDCCP_PKT_DATA << 1 };
	struct fdccp_datagram datagram = { .data = brief, .len = sizeof(brief) };
	struct in in;

	build(&out);
	out.bytes[6] = 0x12;
	hand_over(ep, &out, 0);
	MUST(counted(ep, FDCCP_COUNT_processed) == 1);
	MUST(transmit(ep, &in, 0) && in.packet.type == FDCCP_PKT_RESPONSE);
	MUST(!in.bytes[6] && !in.bytes[7] && !in.datagram.conn);
	datagram.path = out.path;
	fdccp_receive(ep, &datagram, 0);
	MUST(counted(ep, FDCCP_COUNT_short_seq) == 1 && !drain(ep, 0));
	return is_clean_end(ep);
}

/* With the carrier ip, what is sent has a right checksum, and packets to ports that this endpoint
 * does not listen to have no answer: they may be another program's.
 */
static bool carrier_ip(void)
{
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_IP, NULL);
	struct out out = packet_of(FDCCP_PKT_SYNC, 1, 5);
	uint16_t sum;
	struct in in;

	for (int listening = 0; listening < 2; listening++) {
		out.packet.dest = listening ? PORT : PORT + 1;
		build(&out);
		sum = fdccp_checksum(&out.path, out.bytes, out.len, out.len);
		memcpy(out.bytes + 6, &sum, 2);
		hand_over(ep, &out, 0);
		MUST(counted(ep, FDCCP_COUNT_no_connection) == 1u + listening);
		MUST(transmit(ep, &in, 0) == listening);
	}
	MUST(in.packet.type == FDCCP_PKT_RESET);
	MUST(!fdccp_checksum(&in.datagram.path, in.bytes, in.datagram.len, in.datagram.len));
	return is_clean_end(ep);
}

/* A Reset without connection takes its numbers from the packet: RFC 4340 section 8.3.1. */
static bool reset_numbers(void)
{
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, NULL);
	struct out out = packet_of(FDCCP_PKT_ACK, 1, 500);
	struct in in;

	out.packet.ack = FDCCP_SEQ_MASK;
	receive(ep, &out, 0);
	MUST(transmit(ep, &in, 0));
	MUST(in.packet.type == FDCCP_PKT_RESET && in.packet.reset_code == 3);
	MUST(in.packet.seq == 0 && in.packet.ack == 500);
	MUST(in.packet.source == PORT && in.packet.dest == CLIENT_PORT);
	MUST(!memcmp(&in.datagram.path, &out.path, sizeof(out.path)) && !in.datagram.conn);
	MUST(in.datagram.len == 28);
	out.packet.ack = 41;
	receive(ep, &out, 0);
	MUST(transmit(ep, &in, 0) && in.packet.seq == 42);
	out = packet_of(FDCCP_PKT_DATA, 1, 501);
	receive(ep, &out, 0);
	MUST(transmit(ep, &in, 0) && in.packet.seq == 0 && in.packet.ack == 501);
	MUST(counted(ep, FDCCP_COUNT_no_connection) == 3);
	MUST(counted(ep, FDCCP_COUNT_resets_sent) == 3 && counted(ep, FDCCP_COUNT_sent) == 3);
	return is_clean_end(ep);
}

/* A Request that nobody serves gets Reset 7, of another service 8. */
static bool refused_requests(void)
{
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, NULL);
	struct out out = packet_of(FDCCP_PKT_REQUEST, 1, 5);

	out.packet.dest = PORT + 1;
	MUST(reset_for(ep, &out, 0) == FDCCP_RESET_CONNECTION_REFUSED);
	MUST(counted(ep, FDCCP_COUNT_not_listening) == 1);
	out.packet.dest = PORT;
	out.packet.service++;
	MUST(reset_for(ep, &out, 0) == FDCCP_RESET_BAD_SERVICE_CODE);
	out.packet.service = FDCCP_SERVICE_INVALID;
	MUST(reset_for(ep, &out, 0) == FDCCP_RESET_BAD_SERVICE_CODE);
	MUST(counted(ep, FDCCP_COUNT_bad_service) == 2);
	out.packet.service = SERVICE;
	fdccp_unlisten(ep, PORT);
	MUST(reset_for(ep, &out, 0) == FDCCP_RESET_CONNECTION_REFUSED);
	MUST(!ep->by_flow.count);
	return is_clean_end(ep);
}

/* fdccp_listen() and fdccp_connect() refuse what cannot work, and say why. */
static bool bad_arguments(void)
{
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, NULL);
	struct fdccp_path path = path_from(1, 6511), mixed = path;
	struct fdccp_params bad = params;
	uint32_t services[17] = { SERVICE }, invalid = FDCCP_SERVICE_INVALID;
	struct fdccp_conn *conn;

	mixed.local.sa.sa_family = AF_INET6;
	MUST(fdccp_listen(ep, PORT, services, 1, &params) == -EADDRINUSE);
	MUST(fdccp_listen(ep, 0, services, 1, &params) == -EINVAL);
	MUST(fdccp_listen(ep, 7, services, 0, &params) == -EINVAL);
	MUST(fdccp_listen(ep, 7, services, 17, &params) == -EINVAL);
	MUST(fdccp_listen(ep, 7, &invalid, 1, &params) == -EINVAL);
	MUST(fdccp_connect(ep, &path, 9, invalid, &params, 0, &conn) == -EINVAL);
	MUST(fdccp_connect(ep, &mixed, 9, SERVICE, &params, 0, &conn) == -EINVAL);
	bad.coverage = 1;
	MUST(fdccp_connect(ep, &path, 9, SERVICE, &bad, 0, &conn) == -EINVAL);
	bad = params;
	bad.peer_ccids[1] = 9;
	MUST(fdccp_connect(ep, &path, 9, SERVICE, &bad, 0, &conn) == -EINVAL);
	bad = params;
	bad.forgive_stale = true;	/* with CCID 2 */
	MUST(fdccp_connect(ep, &path, 9, SERVICE, &bad, 0, &conn) == -EINVAL);
	bad = params;
	bad.undo = FDCCP_UNDO_ON + 1;
	MUST(fdccp_connect(ep, &path, 9, SERVICE, &bad, 0, &conn) == -EINVAL);
	bad = params;
	bad.ccids[0] = FDCCP_CCID_IFTPV;
	for (int i = 0; i < 4; i++) {
		static const struct fdccp_iftp_params beyond[] = {
			{ 99, 0, 50 }, { 1001, 0, 50 }, { 100, 128, 50 }, { 100, 0, 1 },
		};

		bad.iftp = beyond[i];
		MUST(fdccp_connect(ep, &path, 9, SERVICE, &bad, 0, &conn) == -EINVAL);
	}
	bad = params;
	bad.ccids[0] = 0;
	MUST(fdccp_listen(ep, 7, services, 1, &bad) == -EINVAL);
	MUST(fdccp_listen(ep, 7, services, 16, &params) == 0);
	MUST(!stub_live);
	return is_clean_end(ep);
}

/* Each limit refuses the connection above it by Reset 9, and counts it. */
static bool limit_connections(void)
{
	struct fdccp_limits limits = { .connections = 3 };
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, &limits);
	struct fdccp_path path = path_from(9, 6511);
	struct fdccp_conn *conn;
	struct out out;

	for (uint32_t i = 0; i < 3; i++)
		MUST(open_from(ep, path_from(10 + i, 6511), 0));
	out = packet_of(FDCCP_PKT_REQUEST, 1, 5);
	MUST(reset_for(ep, &out, 0) == FDCCP_RESET_TOO_BUSY);
	MUST(counted(ep, FDCCP_COUNT_too_busy) == 1);
	MUST(fdccp_connect(ep, &path, 9, SERVICE, &params, 0, &conn) == -ENOBUFS);
	return is_clean_end(ep);
}

static bool limit_half_open(void)
{
	struct fdccp_limits limits = { .half_open = 2, .stateless = 4 };
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, &limits);
	struct out out;

	for (uint32_t i = 0; i < 2; i++) {
		out = packet_of(FDCCP_PKT_REQUEST, 10 + i, 5);
		receive(ep, &out, 0);
		MUST(drain(ep, 0) == 1);
	}
	out = packet_of(FDCCP_PKT_REQUEST, 1, 5);
	MUST(reset_for(ep, &out, 0) == FDCCP_RESET_TOO_BUSY);
	MUST(counted(ep, FDCCP_COUNT_too_busy) == 1);
	/* one opens, so there is room for another */
	out = packet_of(FDCCP_PKT_ACK, 10, 6);
	receive(ep, &out, 0);
	out = packet_of(FDCCP_PKT_REQUEST, 1, 5);
	receive(ep, &out, 0);
	MUST(ep->by_flow.count == 3 && ep->half_open == 2);
	return is_clean_end(ep);
}

static bool limit_per_source(void)
{
	struct fdccp_limits limits = { .per_source = 2 };
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, &limits);
	struct out out = packet_of(FDCCP_PKT_REQUEST, 10, 5);

	/* an IPv4 address counts alone, whatever its UDP port is */
	MUST(open_from(ep, path_from(10, 1), 0) && open_from(ep, path_from(10, 2), 0));
	MUST(reset_for(ep, &out, 0) == FDCCP_RESET_TOO_BUSY);
	MUST(open_from(ep, path_from(11, 1), 0));
	/* an IPv6 /64 counts as one */
	MUST(open_from(ep, path6_from(7, 1), 0) && open_from(ep, path6_from(7, 2), 0));
	out.path = path6_from(7, 3);
	MUST(reset_for(ep, &out, 0) == FDCCP_RESET_TOO_BUSY);
	MUST(open_from(ep, path6_from(8, 3), 0));
	MUST(counted(ep, FDCCP_COUNT_too_busy) == 2);
	MUST(ep->sources.count == 4);
	return is_clean_end(ep);
}

/* A connection that ends makes room for its source, and its source is forgotten. */
static bool source_is_forgotten(void)
{
	struct fdccp_limits limits = { .per_source = 1 };
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, &limits);
	struct out out = packet_of(FDCCP_PKT_CLOSE, 10, 1002);
	struct fdccp_event event;
	size_t memory = ep->memory;

	MUST(open_from(ep, path_from(10, 6511), 0));
	receive(ep, &out, 0);
	MUST(drain(ep, 0) == 1);
	MUST(fdccp_event(ep, &event) && event.type == FDCCP_EVENT_CLOSED);
	MUST(!fdccp_event(ep, &event) && !stub_live);
	MUST(!ep->sources.count && ep->memory == memory);
	MUST(open_from(ep, path_from(10, 6511), 0));
	return is_clean_end(ep);
}

static bool limit_memory(void)
{
	struct fdccp_limits limits = { .memory = sizeof(struct fdccp_endpoint) + 8000 };
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, &limits);
	struct fdccp_path path = path_from(9, 6511);
	struct fdccp_conn *conn;
	struct out out;
	size_t memory;

	MUST(open_from(ep, path_from(10, 6511), 0) && open_from(ep, path_from(11, 6511), 0));
	memory = ep->memory;
	for (size_t size = 3000; size > 1000; size -= 100) {
		stub_size = size;
		out = packet_of(FDCCP_PKT_REQUEST, 1, 5);
		if (ep->memory + size > limits.memory)
			MUST(fdccp_connect(ep, &path, 9, SERVICE, &params, 0, &conn) == -ENOMEM);
	}
	stub_size = 3000;
	MUST(ep->memory == memory);
	MUST(reset_for(ep, &out, 0) == FDCCP_RESET_TOO_BUSY);
	MUST(counted(ep, FDCCP_COUNT_too_busy) == 1 && ep->memory == memory);
	/* what the tables need does not fit either */
	stub_size = limits.memory - memory;
	MUST(fdccp_connect(ep, &path, 9, SERVICE, &params, 0, &conn) == -ENOMEM);
	stub_size = limits.memory - memory - 6 * sizeof(void *);
	MUST(fdccp_connect(ep, &path, 9, SERVICE, &params, 0, &conn) == -ENOMEM);
	MUST(ep->memory == memory && stub_live == 2);
	stub_size = 3000;
	return is_clean_end(ep);
}

/* Sends @count Requests, each of another source, one in @step. Return: cookies that were sent */
static uint64_t flood(struct fdccp_endpoint *ep, unsigned int count, int64_t now, int64_t step)
{
	uint64_t before = counted(ep, FDCCP_COUNT_cookies_sent);
	struct out out = packet_of(FDCCP_PKT_REQUEST, 0, 77);

	for (unsigned int i = 0; i < count; i++, now += step) {
		out.path = path_from(0x20000000 + i, 6511);
		receive(ep, &out, now);
		drain(ep, now);
	}
	return counted(ep, FDCCP_COUNT_cookies_sent) - before;
}

/* the client's answer to a stateless Response to its Request number 1000 * @client */
static struct out cookie_ack(const struct in *response, uint32_t client, uint64_t later)
{
	struct out ack = packet_of(FDCCP_PKT_ACK, client, 1000 * client + later);

	ack.packet.ack = response->packet.seq;
	ack.option = FDCCP_OPT_INIT_COOKIE;
	ack.value = response->packet.options + 2;
	ack.value_len = FDCCP_COOKIE_SIZE;
	return ack;
}

/* Fetches a stateless Response to a Request of @client. Return: whether there was one */
static bool get_cookie(struct fdccp_endpoint *ep, struct in *response, uint32_t client, int64_t now)
{
	struct out request = packet_of(FDCCP_PKT_REQUEST, client, 1000 * client);
	size_t count = ep->by_flow.count;

	receive(ep, &request, now);
	return transmit(ep, response, now) && response->packet.type == FDCCP_PKT_RESPONSE &&
	       response->packet.options[0] == FDCCP_OPT_INIT_COOKIE &&
	       response->datagram.len <= 3 * request.len && ep->by_flow.count == count;
}

/* 10^6 Requests of as many sources leave the memory where it was, and a client that comes back with
 * its cookie gets in.
 */
static bool million_requests(void)
{
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, NULL);
	size_t memory, allocated;
	struct fdccp_event event;
	struct in response;
	struct out ack;

	flood(ep, 128, 0, 0);
	memory = ep->memory;
	allocated = __sanitizer_get_current_allocated_bytes();
	MUST(ep->half_open == 128 && !counted(ep, FDCCP_COUNT_cookies_sent));
	MUST(flood(ep, 1000000, 0, 1000) == 1000000 - 128);
	MUST(ep->memory == memory && ep->by_flow.count == 128 && !ep->timewait.count);
	MUST(__sanitizer_get_current_allocated_bytes() == allocated);

	MUST(get_cookie(ep, &response, 5, SECOND));
	ack = cookie_ack(&response, 5, 1);
	receive(ep, &ack, SECOND);
	MUST(fdccp_event(ep, &event) && event.type == FDCCP_EVENT_ACCEPTED);
	MUST(event.conn->service == SERVICE && event.conn->window.gsr == 5001);
	MUST(event.conn->window.iss == response.packet.seq);
	MUST(ep->by_flow.count == 129 && ep->half_open == 128);
	return is_clean_end(ep);
}

/* Half-open connections with state keep it for 8 s; after that the oldest give way, one for each
 * Request.
 */
static bool oldest_gives_way(void)
{
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, NULL);
	struct out first = packet_of(FDCCP_PKT_ACK, 0, 78), second = first, ack;

	first.path = path_from(0x20000000, 6511);
	second.path = path_from(0x20000001, 6511);
	flood(ep, 128, 0, 1);
	ack = packet_of(FDCCP_PKT_REQUEST, 9, 5);
	receive(ep, &ack, 8 * SECOND - 1);
	MUST(counted(ep, FDCCP_COUNT_cookies_sent) == 1);
	receive(ep, &ack, 8 * SECOND);
	MUST(counted(ep, FDCCP_COUNT_cookies_sent) == 1 && ep->half_open == 128);
	drain(ep, 8 * SECOND);
	/* the others have the same ports, so that this may be one that moves: see move_crowded() */
	receive(ep, &first, 8 * SECOND);
	MUST(!drain(ep, 8 * SECOND) && counted(ep, FDCCP_COUNT_moves_refused) == 1);
	receive(ep, &second, 8 * SECOND);
	MUST(ep->half_open == 127 && ep->by_flow.count == 128);
	return is_clean_end(ep);
}

static struct fdccp_endpoint *stateless_endpoint(void)
{
	struct fdccp_limits limits = { .stateless = 1 };
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, &limits);

	flood(ep, 1, 0, 0);
	return ep;
}

/* The packet with a cookie makes one connection: sent again it is that connection's, and after its
 * end it gets a Reset.
 */
static bool cookie_replayed(void)
{
	struct fdccp_endpoint *ep = stateless_endpoint();
	struct fdccp_event event;
	struct in response;
	struct out ack, end;

	MUST(get_cookie(ep, &response, 5, 0));
	ack = cookie_ack(&response, 5, 1);
	receive(ep, &ack, 0);
	receive(ep, &ack, 0);
	MUST(ep->by_flow.count == 2);
	MUST(fdccp_event(ep, &event) && event.type == FDCCP_EVENT_ACCEPTED);
	MUST(stub_of(event.conn)->received == 2);
	end = packet_of(FDCCP_PKT_CLOSE, 5, 5002);
	receive(ep, &end, 0);
	/* also before the program has heard of its end */
	receive(ep, &ack, 0);
	MUST(ep->by_flow.count == 2 && counted(ep, FDCCP_COUNT_timewait) == 1);
	MUST(drain(ep, 0) == 2);
	MUST(fdccp_event(ep, &event) && event.type == FDCCP_EVENT_CLOSED);
	MUST(reset_for(ep, &ack, 0) == FDCCP_RESET_NO_CONNECTION);
	MUST(counted(ep, FDCCP_COUNT_timewait) == 2 && ep->by_flow.count == 1);
	/* when the numbers are forgotten the cookie is too old */
	MUST(reset_for(ep, &ack, 240 * SECOND) == FDCCP_RESET_BAD_INIT_COOKIE);
	return is_clean_end(ep);
}

/* A cookie of other ports, another Response, or 120 s ago gets Reset 10; so does a changed one. */
static bool cookie_refused(void)
{
	struct fdccp_endpoint *ep = stateless_endpoint();
	struct in response;
	struct out ack;

	MUST(get_cookie(ep, &response, 5, 0));
	ack = cookie_ack(&response, 5, 1);
	ack.packet.source++;
	MUST(reset_for(ep, &ack, 0) == FDCCP_RESET_BAD_INIT_COOKIE);
	ack = cookie_ack(&response, 5, 1);
	ack.path = path_from(5, 7777);
	MUST(reset_for(ep, &ack, 0) == FDCCP_RESET_BAD_INIT_COOKIE);
	ack = cookie_ack(&response, 5, 1);
	ack.packet.ack++;
	MUST(reset_for(ep, &ack, 0) == FDCCP_RESET_BAD_INIT_COOKIE);
	ack = cookie_ack(&response, 5, 1);
	ack.value_len--;
	MUST(reset_for(ep, &ack, 0) == FDCCP_RESET_BAD_INIT_COOKIE);
	ack = cookie_ack(&response, 5, 1);
	MUST(reset_for(ep, &ack, 120 * SECOND) == FDCCP_RESET_BAD_INIT_COOKIE);
	MUST(counted(ep, FDCCP_COUNT_bad_cookie) == 5 && ep->by_flow.count == 1);
	return is_clean_end(ep);
}

/* A cookie counts on packets of PARTOPEN only, and one that does not open a connection, because its
 * packet's number is wrong, leaves no state.
 */
static bool cookie_elsewhere(void)
{
	static const uint8_t others[] = { FDCCP_PKT_DATA, FDCCP_PKT_RESET, FDCCP_PKT_CLOSEREQ };
	struct fdccp_endpoint *ep = stateless_endpoint();
	struct in response;
	struct out ack;

	MUST(get_cookie(ep, &response, 5, 0));
	ack = cookie_ack(&response, 5, 1);
	for (size_t i = 0; i < sizeof(others); i++) {
		ack.packet.type = others[i];
		receive(ep, &ack, 0);
		MUST(counted(ep, FDCCP_COUNT_no_connection) == i + 1);
	}
	drain(ep, 0);
	ack = cookie_ack(&response, 5, 500);
	receive(ep, &ack, 0);
	MUST(counted(ep, FDCCP_COUNT_seq_invalid) == 1 && ep->by_flow.count == 1);
	MUST(!drain(ep, 0) && !ep->timewait.count);
	/* that did not spoil the cookie */
	ack = cookie_ack(&response, 5, 1);
	receive(ep, &ack, 0);
	MUST(ep->by_flow.count == 2 && ep->half_open == 1);
	return is_clean_end(ep);
}

/* At the third packet the limits and the service codes count again. */
static bool cookie_too_late(void)
{
	struct fdccp_limits limits = { .stateless = 1, .connections = 2 };
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, &limits);
	uint32_t other = SERVICE + 1;
	struct in response, second;
	struct out ack;

	flood(ep, 1, 0, 0);
	MUST(get_cookie(ep, &response, 5, 0) && get_cookie(ep, &second, 6, 0));
	ack = cookie_ack(&second, 6, 1);
	receive(ep, &ack, 0);
	MUST(ep->by_flow.count == 2);
	ack = cookie_ack(&response, 5, 1);
	MUST(reset_for(ep, &ack, 0) == FDCCP_RESET_TOO_BUSY);
	fdccp_unlisten(ep, PORT);
	fdccp_listen(ep, PORT, &other, 1, &params);
	MUST(reset_for(ep, &ack, 0) == FDCCP_RESET_BAD_SERVICE_CODE);
	MUST(counted(ep, FDCCP_COUNT_too_busy) == 1 && counted(ep, FDCCP_COUNT_bad_service) == 1);
	return is_clean_end(ep);
}

/* 10^5 packets of strangers of a type within 2 s have at most 100 answers in any second, none over
 * three times as long as the packet. Resets have none.
 */
static bool strangers_of(uint8_t type)
{
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, NULL);
	struct out out = packet_of(type, 0, 5);
	int64_t sent[400], now;
	unsigned int answers = 0;
	struct in in;

	out.packet.dest = PORT + 1;
	for (int i = 0; i < 100000; i++) {
		now = i * INT64_C(20000);
		out.path = path_from(random_number(), random_number());
		out.data_len = random_number() % 8;
		receive(ep, &out, now);
		if (!transmit(ep, &in, now))
			continue;
		MUST(in.packet.type == FDCCP_PKT_RESET && in.datagram.len <= 3 * out.len);
		MUST(answers < 400);
		sent[answers++] = now;
		MUST(answers <= 100 || now - sent[answers - 101] >= SECOND);
	}
	MUST(type == FDCCP_PKT_RESET ? !answers : answers == 149);
	MUST(counted(ep, FDCCP_COUNT_strangers_limited) ==
	     (type == FDCCP_PKT_RESET ? 0 : 100000 - answers));
	MUST(counted(ep, FDCCP_COUNT_resets_sent) == answers && ep->memory == sizeof(*ep));
	return is_clean_end(ep);
}

static bool strangers(void)
{
	for (uint8_t type = 0; type < FDCCP_PKT_TYPES; type++)
		MUST(strangers_of(type));
	return true;
}

/* The limit of answers is the program's: also one a second, and an uneven one. */
static bool strangers_limit(void)
{
	for (unsigned int limit = 1; limit < 8; limit++) {
		struct fdccp_limits limits = { .strangers = limit };
		struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, &limits);
		struct out out = packet_of(FDCCP_PKT_SYNC, 1, 5);
		unsigned int first = 0, answers = 0;

		for (int64_t now = 0; now < 100 * SECOND; now += SECOND / 1000) {
			receive(ep, &out, now);
			answers += drain(ep, now);
			if (now < SECOND)
				first = answers;
		}
		MUST(first == limit || (limit > 1 && first == limit - 1));
		MUST(answers <= 100 * limit && answers >= 100 * (limit / 2));
		MUST(is_clean_end(ep));
	}
	return true;
}

/* Answers that nobody fetches are dropped from the 65th on; those before are sent in order. */
static bool answers_are_bounded(void)
{
	struct fdccp_limits limits = { .strangers = 1000 };
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, &limits);
	struct out out = packet_of(FDCCP_PKT_SYNC, 1, 0);
	struct in in;

	for (uint64_t round = 0; round < 3; round++) {
		for (uint64_t i = 0; i < 100; i++) {
			out.packet.seq = 1000 * round + i;
			receive(ep, &out, round * SECOND);
		}
		for (uint64_t i = 0; i < 64; i++)
			MUST(transmit(ep, &in, round * SECOND) &&
			     in.packet.ack == 1000 * round + i);
		MUST(!transmit(ep, &in, round * SECOND));
	}
	MUST(counted(ep, FDCCP_COUNT_resets_sent) == 192);
	return is_clean_end(ep);
}

/* A packet other than a Request from another UDP port of a connection's host gets Reset 12; a
 * Request from there makes a connection of its own.
 */
static bool port_reuse(void)
{
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, NULL);
	struct out out = packet_of(FDCCP_PKT_ACK, 10, 999999);
	struct out request = packet_of(FDCCP_PKT_REQUEST, 10, 1002);

	MUST(open_from(ep, path_from(10, 6511), 0));
	out.path = path_from(10, 6512);
	MUST(reset_for(ep, &out, 0) == FDCCP_RESET_ENCAPSULATED_PORT_REUSE);
	MUST(counted(ep, FDCCP_COUNT_port_reuse) == 1);
	out.path = path_from(11, 6512);
	MUST(reset_for(ep, &out, 0) == FDCCP_RESET_NO_CONNECTION);
	request.path = path_from(10, 6512);
	receive(ep, &request, 0);
	MUST(ep->by_flow.count == 2);
	drain(ep, 0);
	/* connections that have ended count no more */
	out = packet_of(FDCCP_PKT_RESET, 10, 1003);
	receive(ep, &out, 0);
	out.path = path_from(10, 6512);
	receive(ep, &out, 0);
	out = packet_of(FDCCP_PKT_ACK, 10, 999999);
	out.path = path_from(10, 6513);
	MUST(reset_for(ep, &out, 0) == FDCCP_RESET_NO_CONNECTION);
	return is_clean_end(ep);
}

/* A connection that the peer ended by a Reset is in TIMEWAIT for 4 minutes, in 96 bytes at most,
 * and answers all but Resets by Reset 3.
 */
static bool timewait(void)
{
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, NULL);
	struct out reset = packet_of(FDCCP_PKT_RESET, 10, 1002);
	struct out request = packet_of(FDCCP_PKT_REQUEST, 10, 5000);
	struct fdccp_event event;
	size_t memory = ep->memory;

	MUST(open_from(ep, path_from(10, 6511), SECOND));
	receive(ep, &reset, SECOND);
	MUST(fdccp_event(ep, &event) && event.type == FDCCP_EVENT_CLOSED);
	MUST(!drain(ep, SECOND) && !stub_live);
	MUST(ep->timewait.count == 1 && ep->memory - memory <= 96);
	MUST(__sanitizer_get_allocated_size(ep->timewait_oldest) <= 96);
	MUST(reset_for(ep, &request, 241 * SECOND - 1) == FDCCP_RESET_NO_CONNECTION);
	receive(ep, &reset, 241 * SECOND - 1);
	MUST(!drain(ep, 241 * SECOND - 1) && counted(ep, FDCCP_COUNT_timewait) == 2);
	receive(ep, &request, 241 * SECOND);
	MUST(ep->by_flow.count == 1 && !ep->timewait.count);
	return is_clean_end(ep);
}

/* TIMEWAIT has as many entries as there may be connections; the oldest gives way. */
static bool timewait_is_bounded(void)
{
	struct fdccp_limits limits = { .connections = 100 };
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, &limits);
	struct out request = packet_of(FDCCP_PKT_REQUEST, 0, 5000);
	struct fdccp_flow flow;

	for (uint32_t i = 0; i < 1000; i++) {
		struct fdccp_path path = path_from(i, 6511);

		fdccp_flow_set(&flow, &path, PORT, CLIENT_PORT);
		fdccp_timewait_add(ep, &flow);
		fdccp_timewait_add(ep, &flow);
		MUST(ep->timewait.count == (i < 100 ? i + 1 : 100));
		MUST(ep->memory == sizeof(*ep) +
		     ep->timewait.count * sizeof(struct fdccp_timewait));
	}
	request.path = path_from(900, 6511);
	MUST(reset_for(ep, &request, 0) == FDCCP_RESET_NO_CONNECTION);
	request.path = path_from(899, 6511);
	receive(ep, &request, 0);
	MUST(ep->by_flow.count == 1);
	return is_clean_end(ep);
}

/* Clients have ports from 1024 on at random, never one that listens, is in use or in TIMEWAIT; if
 * none is left, fdccp_connect() says so.
 */
static bool ephemeral_ports(void)
{
	struct fdccp_limits limits = { .connections = 70000, .per_source = 70000 };
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, &limits);
	struct fdccp_path path = path_from(9, 6511);
	static bool used[65536];
	unsigned int quarter[4] = { 0 };
	struct fdccp_flow flow;
	struct fdccp_conn *conn;

	memset(used, 0, sizeof(used));
	for (int i = 0; i < 4000; i++) {
		MUST(!fdccp_connect(ep, &path, 9, SERVICE, &params, 0, &conn));
		MUST(conn->local_port >= 1024 && conn->local_port != PORT);
		MUST(!used[conn->local_port]);
		used[conn->local_port] = true;
		quarter[(conn->local_port - 1024) / 16128]++;
	}
	for (int i = 0; i < 4; i++)
		MUST(quarter[i] > 850 && quarter[i] < 1150);
	for (unsigned int port = 1024; port < 65536; port++) {
		fdccp_flow_set(&flow, &path, port, 9);
		if (!used[port] && port != 33333 && port != PORT)
			fdccp_timewait_add(ep, &flow);
	}
	MUST(!fdccp_connect(ep, &path, 9, SERVICE, &params, 0, &conn));
	MUST(conn->local_port == 33333);
	MUST(fdccp_connect(ep, &path, 9, SERVICE, &params, 0, &conn) == -EADDRNOTAVAIL);
	/* another server is another matter */
	MUST(!fdccp_connect(ep, &path, 10, SERVICE, &params, 0, &conn));
	MUST(drain(ep, 0) == 4002);
	return is_clean_end(ep);
}

static struct out moved_packet(uint16_t udp, uint64_t seq)
{
	struct out out = packet_of(FDCCP_PKT_DATAACK, 10, seq);

	out.path = path_from(10, udp);
	return out;
}

/* The next packet of the endpoint is a Challenge to @path. Return: whether it is */
static bool get_challenge(struct fdccp_endpoint *ep, uint8_t value[8],
			  const struct fdccp_path *path, int64_t now)
{
	struct in in;

	if (!transmit(ep, &in, now) || in.packet.type != FDCCP_PKT_SYNC ||
	    memcmp(&in.datagram.path, path, sizeof(*path)) || in.packet.options_len != 12)
		return false;
	memcpy(value, in.packet.options + 2, 8);
	return !drain(ep, now);
}

/* A peer behind a new UDP port is challenged, and the right answer from there moves the connection:
 * it is found by its new numbers, no longer by the old ones.
 */
static bool move(void)
{
	struct fdccp_limits limits = { .per_source = 1 };
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, &limits);
	struct out out = moved_packet(7000, 1002), old = moved_packet(6511, 1004);
	struct fdccp_conn *conn = open_from(ep, path_from(10, 6511), 0);
	struct fdccp_event event;
	uint8_t value[8];

	receive(ep, &out, 59 * SECOND);
	MUST(counted(ep, FDCCP_COUNT_challenged) == 1 && stub_of(conn)->received == 2);
	MUST(get_challenge(ep, value, &out.path, 59 * SECOND));
	/* the answer comes after the change of the secret */
	out = moved_packet(7000, 1003);
	out.option = FDCCP_OPT_CHALLENGE_ANSWER;
	out.value = value;
	out.value_len = 8;
	receive(ep, &out, 61 * SECOND);
	MUST(counted(ep, FDCCP_COUNT_moves) == 1 && stub_of(conn)->received == 3);
	MUST(fdccp_event(ep, &event) && event.type == FDCCP_EVENT_MOVED);
	MUST(conn->path.remote.in.sin_port == htons(7000));
	out = moved_packet(7000, 1004);
	receive(ep, &out, 61 * SECOND);
	MUST(stub_of(conn)->received == 4 && ep->by_flow.count == 1);
	receive(ep, &old, 62 * SECOND);
	MUST(stub_of(conn)->received == 4 && counted(ep, FDCCP_COUNT_challenged) == 2);
	return is_clean_end(ep);
}

/* A wrong answer, an answer of another address, one that is older than 120 s, and a packet of a
 * source that has its limit of connections move nothing.
 */
static bool move_refused(void)
{
	struct fdccp_limits limits = { .per_source = 1 };
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, &limits);
	struct out out = moved_packet(7000, 1002), answer = moved_packet(7000, 1003);
	struct fdccp_conn *conn = open_from(ep, path_from(10, 6511), 0);
	struct out full = answer;
	uint8_t value[8];

	answer.option = FDCCP_OPT_CHALLENGE_ANSWER;
	answer.value = value;
	answer.value_len = 8;
	receive(ep, &out, SECOND);
	MUST(get_challenge(ep, value, &out.path, SECOND));
	value[0] ^= 1;
	receive(ep, &answer, SECOND);
	value[0] ^= 1;
	answer.path = path_from(10, 7001);
	receive(ep, &answer, SECOND);
	MUST(counted(ep, FDCCP_COUNT_moves_refused) == 2);
	answer.path = path_from(10, 7000);
	answer.packet.seq = 1001;	/* sent again by somebody who saw it */
	receive(ep, &answer, SECOND);
	answer.packet.seq = 1003;
	receive(ep, &answer, 120 * SECOND);
	MUST(!counted(ep, FDCCP_COUNT_moves) && conn->path.remote.in.sin_port == htons(6511));
	drain(ep, 120 * SECOND);

	/* another host has a connection, whose numbers are others */
	MUST(open_from(ep, path_from(11, 7000), 130 * SECOND));
	full = moved_packet(7000, 1101);
	full.path = path_from(11, 7000);
	receive(ep, &full, 130 * SECOND);
	full = moved_packet(7001, 1002);
	full.path = path_from(11, 7001);
	receive(ep, &full, 130 * SECOND);
	MUST(get_challenge(ep, value, &full.path, 130 * SECOND));
	answer.path = full.path;
	receive(ep, &answer, 130 * SECOND);
	MUST(!counted(ep, FDCCP_COUNT_moves) && ep->by_flow.count == 2);
	return is_clean_end(ep);
}

/* However many packets come from new addresses, a connection sends at most 8 Challenges a second,
 * each at most three times as long as the packet before it; no Reset ends the connection
 * meanwhile.
 */
static bool move_limits(void)
{
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, NULL);
	struct out out = moved_packet(7000, 1002);
	unsigned int challenges = 0;
	struct in in;

	MUST(open_from(ep, path_from(10, 6511), 0));
	for (int i = 0; i < 40000; i++) {
		int64_t now = i * (SECOND / 10000);

		out.path = path_from(10, 7000 + i % 100);
		out.packet.type = i % 2 ? FDCCP_PKT_DATA : FDCCP_PKT_SYNC;
		receive(ep, &out, now);
		while (transmit(ep, &in, now)) {
			MUST(in.packet.type == FDCCP_PKT_SYNC && in.datagram.len <= 3 * out.len);
			challenges++;
		}
	}
	MUST(challenges == 32 && counted(ep, FDCCP_COUNT_challenged) == 32);
	MUST(counted(ep, FDCCP_COUNT_moves_refused) == 40000 - 32);
	return is_clean_end(ep);
}

/* However many connections have the ports of a packet from a new address, none of them makes this
 * end answer it with a Reset, which would end the connection that moves. A packet that no
 * connection claims gets its Reset as long as all were asked.
 */
static bool move_crowded(void)
{
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, NULL);
	struct out out = moved_packet(7000, 9000000);

	out.path = path_from(99, 7000);
	for (uint32_t i = 0; i < 16; i++)
		MUST(open_from(ep, path_from(10 + i, 6511), 0));
	MUST(reset_for(ep, &out, SECOND) == FDCCP_RESET_NO_CONNECTION);
	MUST(open_from(ep, path_from(26, 6511), SECOND));
	receive(ep, &out, SECOND);
	MUST(!drain(ep, SECOND) && counted(ep, FDCCP_COUNT_moves_refused) == 1);
	return is_clean_end(ep);
}

/* An ICMP message counts for the connection whose ports it quotes, from 8 bytes on; a sequence
 * number needs 16.
 */
static bool icmp(void)
{
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, NULL);
	struct fdccp_conn *conn = open_from(ep, path_from(10, 6511), 0);
	struct fdccp_packet packet = {
		.type = FDCCP_PKT_DATA, .source = PORT, .dest = CLIENT_PORT,
		.seq = UINT64_C(0x123456789abc),
	};
	uint8_t quoted[16];
	struct fdccp_icmp message = { .path = conn->path, .family = AF_INET, .quoted = quoted };

	fdccp_packet_write(&packet, quoted, 0);
	for (message.quoted_len = 0; message.quoted_len <= 16; message.quoted_len++) {
		fdccp_icmp(ep, &message, 0);
		MUST(stub_of(conn)->icmp == (message.quoted_len < 8 ? 0 : message.quoted_len - 7));
		MUST(stub_of(conn)->quoted_has_seq == (message.quoted_len == 16));
	}
	MUST(stub_of(conn)->quoted_seq == packet.seq);
	message.quoted_len = 16;
	quoted[8] &= ~1;	/* 24-bit numbers, which are not ours */
	fdccp_icmp(ep, &message, 0);
	MUST(!stub_of(conn)->quoted_has_seq && counted(ep, FDCCP_COUNT_icmp_ignored) == 8);
	quoted[1] ^= 1;
	fdccp_icmp(ep, &message, 0);
	message.path.remote.in.sin_port ^= 1;
	quoted[1] ^= 1;
	fdccp_icmp(ep, &message, 0);
	MUST(counted(ep, FDCCP_COUNT_icmp_ignored) == 10 && stub_of(conn)->icmp == 10);
	return is_clean_end(ep);
}

/* fdccp_next_timer() is never later than a connection's timer; fdccp_advance() runs all that are
 * due once, and no other.
 */
static bool timers(void)
{
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, NULL);
	struct fdccp_conn *conn[50];
	int64_t now = 0;

	for (uint32_t i = 0; i < 50; i++)
		MUST((conn[i] = open_from(ep, path_from(10 + i, 6511), 0)));
	MUST(fdccp_next_timer(ep) == FDCCP_NEVER);
	for (int step = 0; step < 20000; step++) {
		struct stub *stub = stub_of(conn[random_number() % 50]);
		int64_t earliest = FDCCP_NEVER;
		unsigned int due = 0, expired = 0;

		stub->timer = random_number() % 8 ? now + 1 + (int64_t)(random_number() % 1000) :
			      FDCCP_NEVER;
		fdccp_endpoint_update(ep, &stub->conn);
		for (int i = 0; i < 50; i++)
			if (stub_of(conn[i])->timer < earliest)
				earliest = stub_of(conn[i])->timer;
		MUST(fdccp_next_timer(ep) <= earliest);
		now += random_number() % 50;
		for (int i = 0; i < 50; i++) {
			due += stub_of(conn[i])->timer <= now;
			expired -= stub_of(conn[i])->expired;
		}
		fdccp_advance(ep, now);
		for (int i = 0; i < 50; i++)
			expired += stub_of(conn[i])->expired;
		MUST(expired == due && fdccp_next_timer(ep) > now);
	}
	return is_clean_end(ep);
}

/* A timer that is due until a packet was sent, such as a rate control's, is run once and does not
 * keep fdccp_advance() busy; after the packet, fdccp_next_timer() is exact again.
 */
static bool timer_until_sent(void)
{
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, NULL);
	struct fdccp_conn *conn = open_from(ep, path_from(10, 6511), 0);
	struct in in;

	stub_of(conn)->acknowledges = true;
	stub_of(conn)->timer = 500;
	fdccp_endpoint_update(ep, conn);
	MUST(fdccp_next_timer(ep) == 500);
	fdccp_advance(ep, 500);
	MUST(stub_of(conn)->expired == 1 && fdccp_next_timer(ep) == 501);
	MUST(transmit(ep, &in, 500) && in.packet.type == FDCCP_PKT_ACK);
	MUST(in.datagram.conn == conn && fdccp_next_timer(ep) == 1500);
	return is_clean_end(ep);
}

/* A list keeps the order in which links were added, whichever are removed. */
static bool list_model(void)
{
	struct fdccp_list list = { NULL, NULL };
	struct fdccp_link link[20] = { 0 };
	unsigned int order[20], count = 0;

	for (int step = 0; step < 100000; step++) {
		unsigned int at = random_number() % 20, i = 0;

		if (link[at].listed) {
			while (order[i] != at)
				i++;
			memmove(&order[i], &order[i + 1], (--count - i) * sizeof(*order));
			fdccp_list_remove(&list, &link[at]);
		} else {
			order[count++] = at;
			fdccp_list_add(&list, &link[at]);
			fdccp_list_add(&list, &link[at]);
		}
		i = 0;
		for (struct fdccp_link *l = list.first; l; l = l->next)
			MUST(i < count && l == &link[order[i++]]);
		MUST(i == count);
	}
	return true;
}

/* The heap gives the same order as sorting, whatever is added, changed and removed, in no more room
 * than it needs.
 */
static bool heap_model(void)
{
	struct fdccp_heap_entry entry[200];
	struct fdccp_heap heap = { 0 };

	for (int i = 0; i < 200; i++)
		entry[i] = (struct fdccp_heap_entry){ .index = FDCCP_HEAP_OUT };
	for (int step = 0; step < 100000; step++) {
		struct fdccp_heap_entry *e = &entry[random_number() % 200], *first;
		int64_t earliest = FDCCP_NEVER;
		unsigned int count = 0;

		MUST(fdccp_heap_reserve(&heap, heap.count + 1));
		/* it fills for 1000 steps, then empties */
		if (random_number() % 4 > (step / 1000 % 2 ? 2 : 0))
			fdccp_heap_set(&heap, e, random_number() % 1000);
		else
			fdccp_heap_remove(&heap, e);
		fdccp_heap_shrink(&heap, heap.count);
		MUST(heap.room <= 16 || heap.count >= heap.room / 8);
		for (int i = 0; i < 200; i++) {
			if (entry[i].index == FDCCP_HEAP_OUT)
				continue;
			MUST(heap.entry[entry[i].index] == &entry[i]);
			MUST(entry[i].index == 1 ||
			     heap.entry[entry[i].index / 2]->when <= entry[i].when);
			count++;
			earliest = entry[i].when < earliest ? entry[i].when : earliest;
		}
		first = fdccp_heap_first(&heap);
		MUST(heap.count == count && (count ? first->when == earliest : !first));
	}
	fdccp_heap_free(&heap);
	return true;
}

/* The table holds what was added and not removed, also with equal hashes, while it grows. */
static bool hash_model(void)
{
	static struct fdccp_hash_node node[3000];
	static bool in[3000];
	struct fdccp_hash table;
	size_t count = 0;

	memset(in, 0, sizeof(in));
	MUST(fdccp_hash_init(&table));
	for (int step = 0; step < 60000; step++) {
		size_t at = random_number() % 3000, seen = 0;
		uint64_t hash = at % 1000 * UINT64_C(0x9e3779b97f4a7c15);

		if (in[at])
			fdccp_hash_remove(&table, &node[at]);
		else
			fdccp_hash_add(&table, &node[at], hash);
		count += in[at] ? -1 : 1;
		in[at] = !in[at];
		for (struct fdccp_hash_node *n = fdccp_hash_first(&table, hash); n;
		     n = fdccp_hash_next(n)) {
			MUST(in[n - node] && (size_t)(n - node) % 1000 == at % 1000);
			seen++;
		}
		MUST(seen == 0u + in[at % 1000] + in[at % 1000 + 1000] + in[at % 1000 + 2000]);
		MUST(table.count == count && table.size >= count);
	}
	MUST(table.size == 2048);
	fdccp_hash_free(&table);
	return true;
}

/* The program never hears of a half-open connection that ends. */
static bool half_open_ends_silently(void)
{
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, NULL);
	struct out out = packet_of(FDCCP_PKT_REQUEST, 10, 5);
	struct fdccp_event event;

	receive(ep, &out, 0);
	drain(ep, 0);
	ep->oldest->state = FDCCP_CLOSED;
	ep->oldest->events = 1U << FDCCP_EVENT_CLOSED;
	fdccp_endpoint_update(ep, ep->oldest);
	MUST(!fdccp_event(ep, &event));
	MUST(!fdccp_event(ep, &event) && !stub_live && !ep->half_open);
	return is_clean_end(ep);
}

/* A connection that ends tells so after its last packet, and is freed at the next call. */
static bool last_packet(void)
{
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, NULL);
	struct out out = packet_of(FDCCP_PKT_CLOSE, 10, 1002);
	struct fdccp_event event;
	struct in in;

	MUST(open_from(ep, path_from(10, 6511), 0) && open_from(ep, path_from(11, 6511), 0));
	receive(ep, &out, 0);
	MUST(!fdccp_event(ep, &event));
	MUST(transmit(ep, &in, 0) && in.packet.type == FDCCP_PKT_RESET && in.datagram.conn);
	MUST(fdccp_event(ep, &event) && event.type == FDCCP_EVENT_CLOSED && stub_live == 2);
	MUST(!transmit(ep, &in, 0) && stub_live == 1 && ep->by_flow.count == 1);
	return is_clean_end(ep);
}

/* Packets of all kinds, damaged or not, are each counted once. */
static bool counters_add_up(void)
{
	struct fdccp_limits limits = { .stateless = 4, .per_source = 2, .connections = 10 };
	struct fdccp_endpoint *ep = new_endpoint(FDCCP_CARRIER_UDP, &limits);
	uint8_t value[FDCCP_COOKIE_SIZE] = { 0 };
	struct fdccp_event event;
	int64_t now = 0;

	for (int i = 0; i < 300000; i++) {
		uint64_t dice = random_number();
		struct out out = packet_of(dice % FDCCP_PKT_TYPES, 1 + dice / 16 % 8,
					   1000 + dice / 128 % 60);

		out.path = path_from(1 + dice / 16 % 8, 6511 + dice / 8192 % 4);
		out.packet.dest = PORT + !(dice / 65536 % 16);
		out.packet.service = SERVICE + !(dice / 1048576 % 16);
		out.option = dice >> 24 & 1 ? FDCCP_OPT_INIT_COOKIE : 0;
		out.value = value;
		out.value_len = sizeof(value);
		build(&out);
		if (dice >> 25 & 1)
			out.bytes[(dice >> 26) % out.len] ^= dice >> 40;
		now += dice >> 44;
		hand_over(ep, &out, now);
		MUST(counted(ep, FDCCP_COUNT_received) == i + 1u && is_balanced(ep));
		while (fdccp_event(ep, &event))
			;
		drain(ep, now);
	}
	for (unsigned int cause = FDCCP_CAUSE_FIRST; cause <= FDCCP_CAUSE_LAST; cause++)
		MUST(counted(ep, cause) || cause == FDCCP_COUNT_checksum ||
		     cause == FDCCP_COUNT_unexpected || cause == FDCCP_COUNT_duplicate ||
		     cause == FDCCP_COUNT_bad_option);
	return is_clean_end(ep);
}

int main(void)
{
	static const struct unit tests[] = {
		{ "header_checks", header_checks },
		{ "header_checks_udp", header_checks_udp },
		{ "carrier_ip", carrier_ip },
		{ "reset_numbers", reset_numbers },
		{ "refused_requests", refused_requests },
		{ "bad_arguments", bad_arguments },
		{ "limit_connections", limit_connections },
		{ "limit_half_open", limit_half_open },
		{ "limit_per_source", limit_per_source },
		{ "source_is_forgotten", source_is_forgotten },
		{ "limit_memory", limit_memory },
		{ "million_requests", million_requests },
		{ "oldest_gives_way", oldest_gives_way },
		{ "cookie_replayed", cookie_replayed },
		{ "cookie_refused", cookie_refused },
		{ "cookie_elsewhere", cookie_elsewhere },
		{ "cookie_too_late", cookie_too_late },
		{ "strangers", strangers },
		{ "strangers_limit", strangers_limit },
		{ "answers_are_bounded", answers_are_bounded },
		{ "port_reuse", port_reuse },
		{ "timewait", timewait },
		{ "timewait_is_bounded", timewait_is_bounded },
		{ "ephemeral_ports", ephemeral_ports },
		{ "move", move },
		{ "move_refused", move_refused },
		{ "move_limits", move_limits },
		{ "move_crowded", move_crowded },
		{ "icmp", icmp },
		{ "timers", timers },
		{ "timer_until_sent", timer_until_sent },
		{ "list_model", list_model },
		{ "heap_model", heap_model },
		{ "hash_model", hash_model },
		{ "half_open_ends_silently", half_open_ends_silently },
		{ "last_packet", last_packet },
		{ "counters_add_up", counters_add_up },
	};

	return unit_run(tests, sizeof(tests) / sizeof(*tests));
}
