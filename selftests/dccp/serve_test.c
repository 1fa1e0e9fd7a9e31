// SPDX-License-Identifier: GPL-2.0-or-later
/* The endpoint with real connections: servers without state, and peers behind a NAT that
 * renumbers.
 */
#include <arpa/inet.h>
#include <sanitizer/allocator_interface.h>
#include <string.h>

#include "../codec/unit.h"
#include "endpoint_state.h"

#define MS		INT64_C(1000000)
#define SECOND		(1000 * MS)
#define DELAY		(20 * MS)
#define PORT		5001
#define SERVICE		UINT32_C(0x66647a70)
#define FLIGHTS		256
#define SERVER		0
#define CLIENT		1

struct flight {
	int64_t when;
	int to;
	struct fdccp_path path;		/* as the receiver sees it */
	size_t len;
	uint8_t data[1600];
};

/* a server, a client, and the NAT between them */
static struct {
	struct fdccp_endpoint *ep[2];
	struct fdccp_conn *conn[2];
	unsigned int events[2][FDCCP_EVENT_CLOSED + 1];
	struct fdccp_event closed[2];
	struct flight flight[FLIGHTS];
	unsigned int first, next;
	struct flight last_cookie;	/* the client's last packet that had an Init Cookie */
	uint16_t nat;			/* the client's UDP port outside */
	int64_t now;
	uint64_t random;
} w;

static void random_bytes(void *context, void *buf, size_t len)
{
	uint8_t *at = buf;

	(void)context;
	while (len--) {
		w.random = w.random * UINT64_C(6364136223846793005) + 1442695040888963407;
		*at++ = w.random >> 56;
	}
}

static union fdccp_address address(uint32_t host, uint16_t port)
{
	union fdccp_address address = { .in = { .sin_family = AF_INET } };

	address.in.sin_addr.s_addr = htonl(host);
	address.in.sin_port = htons(port);
	return address;
}

/* the path of a packet that arrives */
static struct fdccp_path arriving(int to)
{
	struct fdccp_path path = {
		.local = to == SERVER ? address(1, 6511) : address(2, 6511),
		.remote = to == SERVER ? address(3, w.nat) : address(1, 6511),
	};

	return path;
}

static bool has_cookie(const uint8_t *data, size_t len)
{
	struct fdccp_packet packet;
	struct fdccp_option option;
	struct fdccp_option_walk walk;

	if (fdccp_packet_parse(&packet, data, len))
		return false;
	walk = (struct fdccp_option_walk){
		.at = packet.options, .end = packet.options + packet.options_len,
	};
	while (fdccp_option_next(&walk, &option) == 1)
		if (option.type == FDCCP_OPT_INIT_COOKIE)
			return true;
	return false;
}

/* What is sent to a port that the NAT does not have any more is lost. */
static void carry(int from, const struct fdccp_datagram *datagram)
{
	struct flight *flight = &w.flight[w.next % FLIGHTS];

	if (from == SERVER && (ntohs(datagram->path.remote.in.sin_port) != w.nat ||
			       ntohl(datagram->path.remote.in.sin_addr.s_addr) != 3))
		return;
	*flight = (struct flight){
		.when = w.now + DELAY, .to = !from, .path = arriving(!from), .len = datagram->len,
	};
	memcpy(flight->data, datagram->data, datagram->len);
	if (from == CLIENT && has_cookie(flight->data, flight->len))
		w.last_cookie = *flight;
	w.next++;
}

static void note(int side, const struct fdccp_event *event)
{
	w.events[side][event->type]++;
	if (event->type == FDCCP_EVENT_ACCEPTED)
		w.conn[side] = event->conn;
	if (event->type == FDCCP_EVENT_CLOSED) {
		w.closed[side] = *event;
		w.conn[side] = NULL;
	}
}

static void drain(void)
{
	static uint8_t out[FDCCP_DATAGRAM_MAX];

	for (int side = 0; side < 2; side++) {
		struct fdccp_datagram datagram = { .data = out, .size = sizeof(out) };
		struct fdccp_event event;

		while (fdccp_event(w.ep[side], &event))
			note(side, &event);
		while (fdccp_transmit(w.ep[side], &datagram, w.now))
			carry(side, &datagram);
		while (fdccp_event(w.ep[side], &event))
			note(side, &event);
	}
}

static void deliver(struct flight *flight)
{
	struct fdccp_datagram datagram = {
		.path = flight->path, .data = flight->data, .len = flight->len,
	};

	fdccp_receive(w.ep[flight->to], &datagram, w.now);
}

static void run(int64_t time)
{
	int64_t end = w.now + time;

	for (drain(); w.now < end; drain()) {
		int64_t next = end;

		for (int side = 0; side < 2; side++)
			if (fdccp_next_timer(w.ep[side]) < next)
				next = fdccp_next_timer(w.ep[side]);
		if (w.first < w.next && w.flight[w.first % FLIGHTS].when <= next) {
			w.now = w.flight[w.first % FLIGHTS].when;
			deliver(&w.flight[w.first++ % FLIGHTS]);
			continue;
		}
		w.now = next;
		for (int side = 0; side < 2; side++)
			fdccp_advance(w.ep[side], w.now);
	}
}

static bool send_one(int side)
{
	static const uint8_t payload[200];
	static uint8_t out[FDCCP_DATAGRAM_MAX];
	struct fdccp_datagram datagram = { .data = out, .size = sizeof(out) };

	if (fdccp_send(w.conn[side], payload, sizeof(payload), NULL, w.now, &datagram))
		return false;
	carry(side, &datagram);
	return true;
}

static struct fdccp_params with_ccids(uint8_t ccid, uint8_t peer_ccid)
{
	struct fdccp_params params;

	fdccp_params_init(&params);
	memset(params.ccids, 0, sizeof(params.ccids));
	memset(params.peer_ccids, 0, sizeof(params.peer_ccids));
	params.ccids[0] = ccid;
	params.peer_ccids[0] = peer_ccid;
	return params;
}

/* Makes the two endpoints, and a Request of a client that never comes back. */
static void begin(const struct fdccp_limits *limits, uint8_t ccid, uint8_t peer_ccid)
{
	struct fdccp_config config = { .random = random_bytes };
	struct fdccp_params params = with_ccids(peer_ccid, ccid);
	uint32_t service = SERVICE;

	memset(&w, 0, sizeof(w));
	w.now = SECOND;
	w.nat = 7000;
	w.ep[CLIENT] = fdccp_endpoint_new(&config, w.now);
	config.limits = *limits;
	w.ep[SERVER] = fdccp_endpoint_new(&config, w.now);
	fdccp_listen(w.ep[SERVER], PORT, &service, 1, &params);
}

static void end(void)
{
	fdccp_endpoint_free(w.ep[SERVER]);
	fdccp_endpoint_free(w.ep[CLIENT]);
}

/* a Request of a client without features, from @host */
static void request_from(uint32_t host)
{
	struct fdccp_packet packet = {
		.type = FDCCP_PKT_REQUEST, .source = 40000, .dest = PORT, .seq = host,
		.service = SERVICE,
	};
	struct flight flight = {
		.path = { .local = address(1, 6511), .remote = address(host, 6511) },
		.len = fdccp_header_size(FDCCP_PKT_REQUEST),
	};

	fdccp_packet_write(&packet, flight.data, 0);
	deliver(&flight);
}

static uint64_t counted(enum fdccp_counter_index counter)
{
	const char *name;

	return fdccp_counter(w.ep[SERVER], counter, &name);
}

static bool is_balanced(int side)
{
	const char *name;
	uint64_t sum = fdccp_counter(w.ep[side], FDCCP_COUNT_processed, &name);

	for (unsigned int i = FDCCP_CAUSE_FIRST; i <= FDCCP_CAUSE_LAST; i++)
		sum += fdccp_counter(w.ep[side], i, &name);
	return sum == fdccp_counter(w.ep[side], FDCCP_COUNT_received, &name);
}

static bool connect_client(uint8_t ccid, uint8_t peer_ccid)
{
	struct fdccp_path path = { .local = address(2, 6511), .remote = address(1, 6511) };
	struct fdccp_params params = with_ccids(ccid, peer_ccid);

	if (fdccp_connect(w.ep[CLIENT], &path, PORT, SERVICE, &params, w.now, &w.conn[CLIENT]))
		return false;
	run(SECOND);
	return w.events[CLIENT][FDCCP_EVENT_CONNECTED] == 1 &&
	       w.events[SERVER][FDCCP_EVENT_ACCEPTED] == 1 &&
	       w.conn[CLIENT]->state == FDCCP_OPEN && w.conn[SERVER]->state == FDCCP_OPEN;
}

/* Sends a packet as soon as the rate control allows, within 5 s. */
static bool send_soon(int side)
{
	for (int64_t give_up = w.now + 5 * SECOND; w.now < give_up; run(10 * MS))
		if (send_one(side))
			return true;
	return false;
}

/* Sends @count packets each way, one in 100 ms. Return: whether all arrived, and every packet ever
 * sent has its fate
 */
static bool transfer(unsigned int count)
{
	unsigned int data[2];
	struct fdccp_info info;

	for (int side = 0; side < 2; side++)
		data[side] = w.events[side][FDCCP_EVENT_DATA] + count;
	for (unsigned int i = 0; i < count; i++) {
		if (!send_soon(SERVER) || !send_soon(CLIENT))
			return false;
		run(100 * MS);
	}
	run(2 * SECOND);
	for (int side = 0; side < 2; side++) {
		fdccp_info(w.conn[side], &info);
		if (w.events[side][FDCCP_EVENT_DATA] != data[side] || info.in_flight ||
		    w.events[side][FDCCP_EVENT_FATE] != info.sent)
			return false;
	}
	return true;
}

static bool close_client(void)
{
	fdccp_close(w.conn[CLIENT], w.now);
	run(SECOND);
	return w.closed[CLIENT].reason == FDCCP_REASON_CLOSED && !w.conn[CLIENT] &&
	       w.closed[SERVER].reason == FDCCP_REASON_CLOSED && !w.conn[SERVER];
}

static const struct fdccp_limits stateless = { .stateless = 1 };

static bool by_cookie(uint8_t ccid, uint8_t peer_ccid)
{
	struct fdccp_info by_state, without;

	for (int cookie = 0; cookie < 2; cookie++) {
		begin(&stateless, ccid, peer_ccid);
		if (cookie)
			request_from(9);
		MUST(connect_client(ccid, peer_ccid));
		MUST(counted(FDCCP_COUNT_cookies_sent) == (uint64_t)cookie);
		fdccp_info(w.conn[SERVER], cookie ? &without : &by_state);
		MUST(transfer(20));
		MUST(close_client());
		MUST(is_balanced(SERVER) && is_balanced(CLIENT));
		end();
	}
	MUST(without.ccid == by_state.ccid && without.peer_ccid == by_state.peer_ccid);
	MUST(without.ours && by_state.ours);
	MUST(without.ack_vector == by_state.ack_vector);
	MUST(without.peer_coverage == by_state.peer_coverage);
	MUST(without.peer_sequence_window == by_state.peer_sequence_window);
	MUST(without.service == SERVICE);
	return true;
}

/* A connection that was made by an Init Cookie agrees on the same as one with state, carries data
 * both ways, and closes.
 */
static bool cookies(void)
{
	for (uint8_t ccid = 2; ccid <= 3; ccid++)
		for (uint8_t peer_ccid = 2; peer_ccid <= 3; peer_ccid++)
			MUST(by_cookie(ccid, peer_ccid));
	return true;
}

/* The client's packet with the cookie, sent again after the end of the connection, makes none. */
static bool cookie_replayed(void)
{
	begin(&stateless, 2, 2);
	request_from(9);
	MUST(connect_client(2, 2) && w.last_cookie.len);
	MUST(close_client());
	MUST(w.ep[SERVER]->by_flow.count == 1);
	deliver(&w.last_cookie);
	MUST(w.ep[SERVER]->by_flow.count == 1 && counted(FDCCP_COUNT_timewait) == 1);
	end();
	return true;
}

/* 10^6 Requests of as many sources leave the memory where it was, and a client gets in. */
static bool million_requests(void)
{
	static const struct fdccp_limits defaults;
	size_t memory, allocated;

	begin(&defaults, 2, 2);
	for (uint32_t i = 0; i < 1000; i++) {
		request_from(100 + i);
		drain();
	}
	memory = w.ep[SERVER]->memory;
	allocated = __sanitizer_get_current_allocated_bytes();
	for (uint32_t i = 0; i < 1000000; i++) {
		w.now += 1000;
		request_from(10000 + i);
		drain();
	}
	MUST(counted(FDCCP_COUNT_cookies_sent) == 1001000 - 128);
	MUST(w.ep[SERVER]->memory == memory && w.ep[SERVER]->by_flow.count == 128);
	MUST(__sanitizer_get_current_allocated_bytes() == allocated);
	MUST(connect_client(2, 2) && transfer(5));
	end();
	return true;
}

static bool moves(uint8_t ccid, uint8_t peer_ccid)
{
	static const struct fdccp_limits defaults;

	begin(&defaults, ccid, peer_ccid);
	MUST(connect_client(ccid, peer_ccid) && transfer(10));
	for (int i = 1; i <= 3; i++) {
		w.nat++;
		/* the first packet, which shows the new address, is lost for the connection */
		for (int packet = 0; packet < 5; packet++) {
			MUST(send_soon(CLIENT));
			run(100 * MS);
		}
		run(4 * SECOND);
		MUST(counted(FDCCP_COUNT_moves) == (uint64_t)i);
		MUST(w.events[SERVER][FDCCP_EVENT_MOVED] == (unsigned int)i);
		MUST(!w.events[CLIENT][FDCCP_EVENT_MOVED]);
		MUST(ntohs(w.conn[SERVER]->path.remote.in.sin_port) == w.nat);
		MUST(transfer(10));
	}
	MUST(counted(FDCCP_COUNT_challenged) == 3);
	MUST(close_client());
	MUST(is_balanced(SERVER) && is_balanced(CLIENT));
	end();
	return true;
}

/* A connection survives its NAT's new numbers: one Challenge, one answer, and data flows both ways
 * again.
 */
static bool nat(void)
{
	for (uint8_t ccid = 2; ccid <= 3; ccid++)
		for (uint8_t peer_ccid = 2; peer_ccid <= 3; peer_ccid++)
			MUST(moves(ccid, peer_ccid));
	return true;
}

/* 10^5 packets of an attacker who knows addresses and both ports, but no number, from the right and
 * from other addresses, move nothing and end nothing.
 */
static bool attacker(void)
{
	static const struct fdccp_limits defaults;

	begin(&defaults, 2, 2);
	MUST(connect_client(2, 2));
	for (int i = 0; i < 100000; i++) {
		struct fdccp_packet packet = {
			.type = i % FDCCP_PKT_TYPES, .source = w.conn[SERVER]->remote_port,
			.dest = PORT, .service = SERVICE,
		};
		struct flight flight = { .path = arriving(SERVER) };

		random_bytes(NULL, &packet.seq, 6);
		random_bytes(NULL, &packet.ack, 6);
		if (packet.type != FDCCP_PKT_REQUEST && i / 10 % 2)
			flight.path.remote = address(3, 9999);
		flight.len = fdccp_header_size(packet.type);
		fdccp_packet_write(&packet, flight.data, 0);
		deliver(&flight);
		w.now += MS;
		if (i % 100 == 0)
			run(MS);
		else
			drain();
	}
	run(SECOND);
	MUST(!counted(FDCCP_COUNT_challenged) && !counted(FDCCP_COUNT_moves));
	MUST(w.conn[SERVER] && w.conn[CLIENT] && transfer(10));
	MUST(is_balanced(SERVER) && is_balanced(CLIENT));
	end();
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "cookies", cookies },
		{ "cookie_replayed", cookie_replayed },
		{ "million_requests", million_requests },
		{ "nat", nat },
		{ "attacker", attacker },
	};

	return unit_run(tests, sizeof(tests) / sizeof(*tests));
}
