// SPDX-License-Identifier: GPL-2.0-or-later
/* Data packets that leave and arrive as one message of the kernel. */
#include "io_fake.h"

#include <limits.h>

#define PORT	6511
#define SIZE	100

static struct fdccp_io *io, *peer;
static struct fdccp_conn conn;
static int wire;
static unsigned int sent;	/* packets, whose first byte counts them */

/* A connection whose rate allows every message, and which may send everything. */
static bool start(const struct family *f)
{
	io = open_at(FDCCP_CARRIER_UDP, f->one, PORT);
	peer = open_at(FDCCP_CARRIER_UDP, f->two, PORT);
	wire = sniff();
	MUST(io && peer && wire >= 0);
	conn = (struct fdccp_conn){
		.ep = io->ep, .path = { address(f->one, PORT), address(f->two, PORT) },
	};
	io->ep->rate = UINT32_MAX;
	io->ep->allowed = UINT_MAX;
	io->ep->payload_max = FDCCP_DATAGRAM_MAX;
	sent = 0;
	return true;
}

static bool stop(void)
{
	close(wire);
	fdccp_io_close(io);
	fdccp_io_close(peer);
	return true;
}

/* Packets leave at the end of a round. */
static bool begin_round(void)
{
	struct fdccp_event event;

	add_event(io->ep, FDCCP_EVENT_READY, &conn);
	return fdccp_io_event(io, &event);
}

static bool send_to(struct fdccp_conn *to, size_t len, int64_t deadline)
{
	const struct fdccp_message message = { .deadline = deadline, .stale = FRESHLINK_DISCARD };
	static uint8_t payload[FDCCP_DATAGRAM_MAX];

	payload[0] = sent++;
	return !fdccp_io_send(io, to, payload, len, &message);
}

static bool send_sizes(const size_t *sizes, unsigned int count)
{
	MUST(begin_round());
	for (unsigned int i = 0; i < count; i++)
		MUST(send_to(&conn, sizes[i], FDCCP_NEVER));
	run_round(io);
	return true;
}

static bool send_equal(unsigned int count, size_t size)
{
	MUST(begin_round());
	for (unsigned int i = 0; i < count; i++)
		MUST(send_to(&conn, size, FDCCP_NEVER));
	run_round(io);
	return true;
}

/* The next messages on the wire have these payloads. */
static bool left(const size_t *payloads, unsigned int count)
{
	static uint8_t packet[FDCCP_MESSAGE_MAX];
	size_t headers = 8 + (fdccp_is_ipv4(&conn.path.local) ? 20 : 40);

	for (unsigned int i = 0; i < count; i++)
		MUST(sniffed(wire, packet, sizeof(packet)) == (ssize_t)(headers + payloads[i]));
	return true;
}

/* As many messages as packets have left. */
static bool left_alone(unsigned int count, size_t size)
{
	for (unsigned int i = 0; i < count; i++)
		MUST(left(&size, 1));
	return true;
}

/* The peer's core was given these packets, in order and from the right address. */
static bool arrived(const size_t *sizes, unsigned int count)
{
	MUST(await_received(peer, count));
	for (unsigned int i = 0; i < count; i++) {
		const struct seen *s = &peer->ep->received[i];

		MUST(s->len == sizes[i] && s->data[0] == (uint8_t)i && s->ecn == io->ep->ecn);
		MUST(same(&s->path.remote, &conn.path.local));
		MUST(same(&s->path.local, &conn.path.remote));
	}
	MUST(peer->counter[FDCCP_IO_COUNT_received] == count);
	return true;
}

/* Packets of the same length leave as one message, and arrive one by one, with their ECN field. */
static bool equal_packets(const struct family *f)
{
	size_t sizes[20];

	for (unsigned int i = 0; i < 20; i++)
		sizes[i] = SIZE;
	MUST(start(f));
	io->ep->ecn = 2;
	MUST(send_equal(20, SIZE));
	MUST(left((size_t[]){ 20 * SIZE }, 1) && arrived(sizes, 20));
	MUST(io->counter[FDCCP_IO_COUNT_sent] == 20);
	/* the next packet begins a message of its own */
	MUST(send_equal(1, SIZE) && left((size_t[]){ SIZE }, 1));
	return stop();
}

static bool test_equal(void)
{
	return equal_packets(&families[0]) && equal_packets(&families[1]);
}

/* A shorter packet ends a message, a longer one begins another. */
static bool test_lengths(void)
{
	static const size_t sizes[] = { 100, 100, 60, 60, 100, 100, 101, 100, 1 };

	MUST(start(&families[0]));
	MUST(send_sizes(sizes, 9));
	MUST(left((size_t[]){ 260, 60, 200, 201, 1 }, 5) && arrived(sizes, 9));
	return stop();
}

/* Packets of two connections, to two addresses or with two ECN fields leave alone, and so do
 * packets with lifetimes, packets without UDP's checksum, and packets that the protocol sends
 * without data.
 */
static bool test_unlike(void)
{
	struct fdccp_conn other;
	uint8_t bytes[SIZE - 1] = { 0 };

	MUST(start(&families[0]));
	other = conn;
	MUST(begin_round());
	MUST(send_to(&conn, SIZE, FDCCP_NEVER) && send_to(&other, SIZE, FDCCP_NEVER));
	other.path.remote = address("127.0.0.3", PORT);
	MUST(send_to(&other, SIZE, FDCCP_NEVER));
	io->ep->ecn = 1;
	MUST(send_to(&other, SIZE, FDCCP_NEVER));
	MUST(!freshlink_enable_deadlines(io->socket[0].fd, CLOCK_MONOTONIC));
	io->lifetimes = FDCCP_LIFETIMES_DEADLINE;
	for (int i = 0; i < 2; i++)
		MUST(send_to(&other, SIZE, fdccp_io_now(io) + 9000 * MSEC));
	MUST(send_to(&other, SIZE, FDCCP_NEVER));
	io->ep->bare = true;
	for (int i = 0; i < 2; i++)
		MUST(send_to(&other, SIZE, FDCCP_NEVER));
	for (int i = 0; i < 2; i++) {
		add_packet(io, &other.path.local, &other.path.remote, bytes, SIZE - 1, 1);
		io->ep->out[i].conn = &other;
	}
	run_round(io);
	MUST(left_alone(9, SIZE) && left_alone(2, SIZE - 1));
	MUST(io->counter[FDCCP_IO_COUNT_sent] == 11);
	return stop();
}

/* Where no packet carries its lifetime, those that have one leave together like others. */
static bool test_lifetimes_off(void)
{
	MUST(start(&families[0]));
	MUST(io->lifetimes == FDCCP_LIFETIMES_OFF && begin_round());
	for (int i = 0; i < 3; i++)
		MUST(send_to(&conn, SIZE, fdccp_io_now(io) + (9000 + i) * MSEC));
	run_round(io);
	MUST(left((size_t[]){ 3 * SIZE }, 1));
	return stop();
}

/* What a program sends leaves at once, or after fdccp_io_hold() together in the next round. */
static bool test_hold(void)
{
	MUST(start(&families[0]));
	for (int i = 0; i < 2; i++)
		MUST(send_to(&conn, SIZE, FDCCP_NEVER));
	MUST(left_alone(2, SIZE));
	MUST(await_received(peer, 2));
	run_round(peer);
	fdccp_io_hold(io);
	for (int i = 0; i < 2; i++)
		MUST(send_to(&conn, SIZE, FDCCP_NEVER));
	MUST(!readable(peer, 0));
	run_round(io);
	MUST(left((size_t[]){ 2 * SIZE }, 1));
	MUST(send_to(&conn, SIZE, FDCCP_NEVER) && left_alone(1, SIZE));
	return stop();
}

/* A message has at most the bytes that the rate gives in 1 ms, and a rate that nobody knows gives
 * none.
 */
static bool test_rate(void)
{
	MUST(start(&families[0]));
	io->ep->rate = 3 * SIZE * 1000;
	MUST(send_equal(7, SIZE));
	MUST(left((size_t[]){ 3 * SIZE, 3 * SIZE, SIZE }, 3));
	io->ep->rate = 2 * SIZE * 1000 - 1000;
	MUST(send_equal(2, SIZE) && left_alone(2, SIZE));
	io->ep->rate = 0;
	MUST(send_equal(2, SIZE) && left_alone(2, SIZE));
	return stop();
}

/* A message has at most 65000 bytes. The device takes it whole. */
static bool test_longest(void)
{
	static size_t sizes[] = { 9000, 9000, 9000, 9000, 9000, 9000, 9000, 2000 };

	MUST(command("ip link set lo mtu 16000") && start(&families[1]));
	MUST(send_sizes(sizes, 8));
	MUST(left((size_t[]){ 65000 }, 1) && arrived(sizes, 8));
	sizes[7]++;
	MUST(send_sizes(sizes, 8) && left((size_t[]){ 63000, 2001 }, 2));
	return stop() && command("ip link set lo mtu 1500");
}

/* Takes the checksum from the packets of a socket. The kernel joins only packets with checksums. */
static bool drop_checksum(const struct fdccp_socket *s)
{
	const int on = 1;

	if (fdccp_is_ipv4(&s->local))
		return !setsockopt(s->fd, SOL_SOCKET, SO_NO_CHECK, &on, sizeof(on));
	return !setsockopt(s->fd, IPPROTO_UDP, UDP_NO_CHECK6_TX, &on, sizeof(on));
}

/* If the kernel refuses joined packets, all leave alone, those that wait and all later ones. */
static bool refused(const struct family *f)
{
	MUST(start(f));
	MUST(drop_checksum(&io->socket[0]));
	MUST(begin_round() && send_to(&conn, 50, FDCCP_NEVER));
	for (int i = 0; i < 5; i++)
		MUST(send_to(&conn, SIZE, FDCCP_NEVER));
	run_round(io);
	MUST(left_alone(1, 50) && left_alone(5, SIZE));
	MUST(!io->socket[0].joins && io->counter[FDCCP_IO_COUNT_sent] == 6);
	MUST(send_equal(3, SIZE) && left_alone(3, SIZE));
	MUST(io->counter[FDCCP_IO_COUNT_sent] == 9 && !io->counter[FDCCP_IO_COUNT_unsent]);
	return stop();
}

static bool test_refused(void)
{
	return refused(&families[0]) && refused(&families[1]);
}

/* Joined packets that the interface does not take as too large are reported one by one. */
static bool test_too_large(void)
{
	MUST(start(&families[0]));
	MUST(send_equal(3, 1600));
	MUST(io->counter[FDCCP_IO_COUNT_too_big] == 3 && io->ep->icmp_count == 3);
	for (unsigned int i = 0; i < 3; i++)
		MUST(io->ep->icmps[i].len == 1600 && io->ep->icmps[i].data[0] == i);
	return stop();
}

/* Each packet of a message that a queue of this host drops is counted, and none is sent again. */
static bool test_dropped(void)
{
	MUST(start(&families[0]));
	MUST(command("tc qdisc add dev lo root pfifo limit 0"));
	MUST(send_equal(3, SIZE));
	MUST(io->counter[FDCCP_IO_COUNT_unsent] == 3 && !io->counter[FDCCP_IO_COUNT_sent]);
	MUST(command("tc -s qdisc show dev lo | grep -q 'dropped 1,'"));
	MUST(command("tc qdisc del dev lo root"));
	return stop();
}

/* Tells the adapter that it has received a message of datagrams of @size bytes. */
static void add_message_of(unsigned int len, int size)
{
	struct fdccp_rx *rx = io->rx;
	unsigned int i = rx->count++;
	struct msghdr *msg = &rx->msg[i].msg_hdr;
	struct in_pktinfo info = { .ipi_addr = conn.path.local.in.sin_addr };

	for (unsigned int k = 0; k < len; k++)
		rx->data[i][k] = k;
	rx->msg[i].msg_len = len;
	rx->name[i] = conn.path.remote;
	*msg = (struct msghdr){ .msg_control = rx->control[i] };
	info.ipi_spec_dst = info.ipi_addr;
	append(msg, IPPROTO_IP, IP_PKTINFO, &info, sizeof(info));
	append(msg, IPPROTO_UDP, UDP_GRO, &size, sizeof(size));
}

/* The core was given datagrams of @size bytes, the last one shorter, and no byte twice or never. */
static bool divided(unsigned int len, unsigned int size)
{
	unsigned int count = len / size + (len % size > 0);

	MUST(await_received(io, count));
	for (unsigned int i = 0; i < count; i++) {
		const struct seen *s = &io->ep->received[i];

		MUST(s->len == (i + 1 < count ? size : len - i * size));
		for (size_t k = 0; k < s->len; k++)
			MUST(s->data[k] == (uint8_t)(i * size + k));
		MUST(same(&s->path.remote, &conn.path.remote));
		MUST(same(&s->path.local, &conn.path.local));
	}
	MUST(io->counter[FDCCP_IO_COUNT_received] == count);
	return true;
}

/* A message is divided as the kernel says, whatever it says. */
static bool test_divided(void)
{
	static const struct { unsigned int len; int size; unsigned int expected; } cases[] = {
		{ 90, 30, 30 }, { 91, 30, 30 }, { 89, 30, 30 }, { 40, 1, 1 }, { 40, 39, 39 },
		{ 40, 40, 40 }, { 40, 41, 40 }, { 40, INT_MAX, 40 }, { 40, 0, 40 }, { 40, -1, 40 },
		{ 40, INT_MIN, 40 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		MUST(start(&families[0]));
		add_message_of(cases[i].len, cases[i].size);
		run_round(io);
		MUST(divided(cases[i].len, cases[i].expected));
		MUST(stop());
	}
	return true;
}

/* An empty datagram is one datagram. One that is longer than any DCCP packet is counted, and those
 * after it in the message are delivered.
 */
static bool test_extremes(void)
{
	MUST(start(&families[0]));
	add_message_of(0, 0);
	add_message_of(0, 7);
	add_message_of(FDCCP_MESSAGE_MAX, 0);
	add_message_of(20001, 10000);
	add_message_of(5, 0);
	io->rx->msg[4].msg_hdr.msg_flags = MSG_TRUNC;
	run_round(io);
	MUST(io->counter[FDCCP_IO_COUNT_received] == 7);
	MUST(io->counter[FDCCP_IO_COUNT_too_long] == 4 && io->ep->receiveds == 3);
	MUST(!io->ep->received[0].len && !io->ep->received[1].len);
	MUST(io->ep->received[2].len == 1);
	return stop();
}

/* A round gives the core 32 datagrams of a message, and the next one begins at once. An ICMP
 * message that comes meanwhile does no harm to the rest.
 */
static bool test_rounds(void)
{
	union fdccp_address closed = address("127.0.0.2", PORT + 1);
	uint8_t quoted[100] = { 0 };

	MUST(start(&families[0]));
	add_packet(io, &conn.path.local, &closed, quoted, sizeof(quoted), 0);
	add_message_of(80, 1);
	run_round(io);
	MUST(io->ep->receiveds == FDCCP_RECEIVES && readable(io, 5000));
	run_round(io);
	MUST(io->ep->receiveds == 2 * FDCCP_RECEIVES && readable(io, 5000));
	run_round(io);
	MUST(divided(80, 1) && await_icmps(io, 1));
	MUST(!readable(io, 0));
	return stop();
}

/* Two sockets are read in turn: the messages of one do not keep the other one waiting. */
static bool test_turns(void)
{
	const struct fdccp_io_config config = {
		.local.in.sin_port = htons(PORT), .lifetimes = FDCCP_LIFETIMES_OFF,
	};
	union fdccp_address one, two;

	MUST(!fdccp_io_open(&config, &io, NULL) && io->sockets == 2);
	for (size_t i = 0; i < FAMILIES; i++) {
		one = address(families[i].one, PORT);
		two = address(families[i].two, 7000);
		peer = open_at(FDCCP_CARRIER_UDP, families[i].two, 7000);
		MUST(peer);
		for (int k = 0; k < 100; k++)
			add_packet(peer, &two, &one, i ? "6" : "4", 1, 0);
		run_round(peer);
		fdccp_io_close(peer);
	}
	for (int i = 0; i < 2; i++)
		run_round(io);
	MUST(io->ep->receiveds == 2 * FDCCP_RECEIVES);
	MUST(io->ep->received[0].data[0] != io->ep->received[FDCCP_RECEIVES].data[0]);
	fdccp_io_close(io);
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "packets of one length leave as one message", test_equal },
		{ "a shorter packet ends a message", test_lengths },
		{ "packets that differ leave alone", test_unlike },
		{ "lifetimes that nothing carries", test_lifetimes_off },
		{ "packets that are held leave together", test_hold },
		{ "a message has what the rate gives in 1 ms", test_rate },
		{ "a message has at most 65000 bytes", test_longest },
		{ "packets leave alone where the kernel does not join them", test_refused },
		{ "joined packets that are too large are reported", test_too_large },
		{ "joined packets that are dropped are counted", test_dropped },
		{ "a message is divided as the kernel says", test_divided },
		{ "empty and too long datagrams are counted", test_extremes },
		{ "a message is read in several rounds", test_rounds },
		{ "two sockets are read in turn", test_turns },
	};

	if (!enter_namespace()) {
		printf("Bail out! cannot make a network namespace\n");
		return 1;
	}
	return unit_run(tests, sizeof(tests) / sizeof(*tests)) > 0;
}
