// SPDX-License-Identifier: GPL-2.0-or-later
/* The carriers: what sockets send and receive is exactly what the core says and gets. */
#include "io_fake.h"

#include <sys/wait.h>

#define SERVER	6511

/* Data, addresses and ECN field arrive as they were sent, both ways. */
static bool exchange(enum fdccp_carrier carrier, const struct family *f)
{
	bool udp = carrier == FDCCP_CARRIER_UDP;
	union fdccp_address one = address(f->one, udp ? SERVER : 0);
	union fdccp_address two = address(f->two, udp ? 7000 : 0);
	struct fdccp_io *a = open_at(carrier, f->one, udp ? SERVER : 0);
	struct fdccp_io *b = open_at(carrier, f->two, udp ? 7000 : 0);
	uint8_t ecn;

	MUST(a && b);
	for (ecn = 0; ecn < 4; ecn++) {
		const char text[] = "a DCCP packet", answer[] = "an answer, and longer";

		add_packet(b, &two, &one, text, sizeof(text), ecn);
		run_round(b);
		MUST(await_received(a, ecn + 1));
		const struct seen *s = &a->ep->received[ecn];

		MUST(s->len == sizeof(text) && !memcmp(s->data, text, sizeof(text)));
		MUST(s->ecn == ecn);
		MUST(same(&s->path.local, &one) && same(&s->path.remote, &two));
		add_packet(a, &s->path.local, &s->path.remote, answer, sizeof(answer), 3 - ecn);
		run_round(a);
		MUST(await_received(b, ecn + 1));
		s = &b->ep->received[ecn];
		MUST(s->len == sizeof(answer) && !memcmp(s->data, answer, sizeof(answer)));
		MUST(s->ecn == 3 - ecn);
		MUST(same(&s->path.local, &two) && same(&s->path.remote, &one));
	}
	MUST(a->counter[FDCCP_IO_COUNT_sent] == 4 && a->counter[FDCCP_IO_COUNT_received] == 4);
	fdccp_io_close(a);
	fdccp_io_close(b);
	return true;
}

static bool test_exchange(void)
{
	for (size_t i = 0; i < FAMILIES; i++) {
		MUST(exchange(FDCCP_CARRIER_UDP, &families[i]));
		MUST(exchange(FDCCP_CARRIER_IP, &families[i]));
	}
	return true;
}

/* A socket bound to no address answers from the address that it was asked at, and connects from the
 * address of the route.
 */
static bool wildcard(enum fdccp_carrier carrier, const struct family *f)
{
	uint16_t port = carrier == FDCCP_CARRIER_UDP ? SERVER : 0, other = port ? 7000 : 0;
	union fdccp_address one = address(f->one, other), two = address(f->two, port);
	struct fdccp_io *server = open_at(carrier, f->any, port);
	struct fdccp_io *client = open_at(carrier, f->one, other);
	const struct seen *s;

	MUST(server && client);
	add_packet(client, &one, &two, "request", 7, 0);
	run_round(client);
	MUST(await_received(server, 1));
	s = &server->ep->received[0];
	MUST(same(&s->path.local, &two) && same(&s->path.remote, &one));
	add_packet(server, &s->path.local, &s->path.remote, "response", 8, 0);
	run_round(server);
	MUST(await_received(client, 1));
	MUST(same(&client->ep->received[0].path.remote, &two));
	MUST(!fdccp_io_connect(server, &one, 5001, 1, NULL, NULL));
	/* a host talks to itself from the address that it talks to */
	one = address(f->one, port);
	MUST(same(&server->ep->connected.local, &one));
	fdccp_io_close(server);
	fdccp_io_close(client);
	return true;
}

/* With the carrier ip, client and server would both get each other's and their own packets here. */
static bool test_wildcard(void)
{
	for (size_t i = 0; i < FAMILIES; i++)
		MUST(wildcard(FDCCP_CARRIER_UDP, &families[i]));
	return true;
}

/* One adapter serves both families at one port, with answers in one batch. */
static bool test_both_families(void)
{
	const struct fdccp_io_config config = {
		.local.in.sin_port = htons(SERVER), .lifetimes = FDCCP_LIFETIMES_OFF,
	};
	struct fdccp_io *server, *client[2];

	MUST(!fdccp_io_open(&config, &server, NULL) && server->sockets == 2);
	for (size_t i = 0; i < FAMILIES; i++) {
		union fdccp_address one = address(families[i].one, 7000);
		union fdccp_address two = address(families[i].two, SERVER);

		client[i] = open_at(FDCCP_CARRIER_UDP, families[i].one, 7000);
		MUST(client[i]);
		add_packet(client[i], &one, &two, "request", 7, 0);
		run_round(client[i]);
		MUST(await_received(server, i + 1));
		MUST(same(&server->ep->received[i].path.local, &two));
	}
	for (unsigned int i = 0; i < 6; i++) {
		const struct fdccp_path *path = &server->ep->received[i % 2].path;

		add_packet(server, &path->local, &path->remote, "response", 8, 0);
	}
	run_round(server);
	for (size_t i = 0; i < FAMILIES; i++) {
		union fdccp_address one = address(families[i].one, SERVER);
		union fdccp_address two = address(families[i].two, SERVER);

		MUST(await_received(client[i], 3));
		MUST(same(&client[i]->ep->received[0].path.remote, &two));
		MUST(!fdccp_io_connect(server, &one, 5001, 1, NULL, NULL));
		MUST(same(&server->ep->connected.local, &one));
		fdccp_io_close(client[i]);
	}
	MUST(server->counter[FDCCP_IO_COUNT_sent] == 6);
	fdccp_io_close(server);
	return true;
}

/* IPv4 packets have don't-fragment. A packet above the MTU is not sent in fragments of either
 * family; the core learns that it was too large, with the packet as the quote.
 */
static bool unfragmented(enum fdccp_carrier carrier, const struct family *f)
{
	uint16_t port = carrier == FDCCP_CARRIER_UDP ? SERVER : 0;
	union fdccp_address one = address(f->one, port), two = address(f->two, 7000);
	struct fdccp_io *io = open_at(carrier, f->one, port);
	static uint8_t large[1600] = { 1, 2, 3 }, packet[2048];
	bool ipv4 = one.sa.sa_family == AF_INET;
	int wire = sniff();
	const struct seen *s;

	MUST(io && wire >= 0);
	if (!port)
		fdccp_set_port(&two, 0);
	add_packet(io, &one, &two, large, sizeof(large), 0);
	add_packet(io, &one, &two, "small", 5, 0);
	run_round(io);
	MUST(sniffed(wire, packet, sizeof(packet)) == (ipv4 ? 20 : 40) + (port ? 8 : 0) + 5);
	MUST(!ipv4 || (packet[6] == 0x40 && packet[7] == 0));
	MUST(io->counter[FDCCP_IO_COUNT_too_big] == 1 && io->counter[FDCCP_IO_COUNT_sent] == 1);
	MUST(io->ep->icmp_count == 1);
	s = &io->ep->icmps[0];
	MUST(s->icmp.type == (ipv4 ? 3 : 2) && s->icmp.code == (ipv4 ? 4 : 0) && !s->icmp.local);
	MUST(s->len == sizeof(large) && !memcmp(s->data, large, sizeof(large)));
	MUST(same(&s->path.local, &one) && same(&s->path.remote, &two));
	close(wire);
	fdccp_io_close(io);
	return true;
}

static bool test_unfragmented(void)
{
	for (size_t i = 0; i < FAMILIES; i++) {
		MUST(unfragmented(FDCCP_CARRIER_UDP, &families[i]));
		MUST(unfragmented(FDCCP_CARRIER_IP, &families[i]));
	}
	return true;
}

/* Sends a UDP datagram by a raw socket, with or without its checksum, and with @sum where DCCP's
 * checksum is.
 */
static bool send_udp(const union fdccp_address *from, const union fdccp_address *to, bool checksum,
		     uint16_t sum_of_dccp)
{
	struct { struct udphdr udp; char text[6]; uint16_t sum; } packet = {
		.udp = { .uh_sport = fdccp_port(from), .uh_dport = fdccp_port(to),
			 .uh_ulen = htons(sizeof(packet)) },
		.text = "packet", .sum = sum_of_dccp,
	};
	union fdccp_address there = *to, here = *from;
	int family = to->sa.sa_family, at = 6;
	int fd = socket(family, SOCK_RAW, IPPROTO_UDP);
	size_t size = family == AF_INET ? sizeof(to->in) : sizeof(to->in6);
	bool sent;

	fdccp_set_port(&there, 0);
	fdccp_set_port(&here, 0);
	if (checksum && family == AF_INET) {
		const uint16_t *word = (const void *)&packet;
		uint32_t sum = htons(IPPROTO_UDP) + packet.udp.uh_ulen;

		for (size_t i = 0; i < sizeof(packet) / 2; i++)
			sum += word[i];
		for (int i = 0; i < 2; i++) {
			sum += ((const uint16_t *)&from->in.sin_addr)[i];
			sum += ((const uint16_t *)&to->in.sin_addr)[i];
		}
		sum = (sum & 0xffff) + (sum >> 16);
		packet.udp.uh_sum = ~(uint16_t)((sum & 0xffff) + (sum >> 16));
	} else if (checksum) {
		setsockopt(fd, IPPROTO_IPV6, IPV6_CHECKSUM, &at, sizeof(at));
	}
	sent = !bind(fd, &here.sa, size) &&
	       sendto(fd, &packet, sizeof(packet), 0, &there.sa, size) == sizeof(packet);
	close(fd);
	return sent;
}

/* A datagram without UDP checksum does not reach the core, one with a checksum does. Where the
 * adapter does without, one that has DCCP's checksum does, too.
 */
static bool checksum(const struct family *f, bool may_be_bare)
{
	union fdccp_address one = address(f->one, SERVER), two = address(f->two, 7000);
	struct fdccp_io *io;

	no_udp_checksum = may_be_bare;
	io = open_at(FDCCP_CARRIER_UDP, f->one, SERVER);
	no_udp_checksum = false;
	MUST(io);
	MUST(send_udp(&two, &one, false, 0) && send_udp(&two, &one, false, 0x1234));
	MUST(send_udp(&two, &one, true, 0));
	MUST(await_received(io, 1 + may_be_bare));
	MUST(!readable(io, 0));
	for (int i = 0; i < 1 + may_be_bare; i++)
		MUST(io->ep->received[i].len == 8 &&
		     !memcmp(io->ep->received[i].data, "packet", 6));
	MUST(io->ep->received[may_be_bare].data[6] == 0);
	fdccp_io_close(io);
	return true;
}

static bool test_checksum(void)
{
	for (size_t i = 0; i < FAMILIES; i++)
		MUST(checksum(&families[i], false) && checksum(&families[i], true));
	return true;
}

/* Of datagrams that leave together, exactly those that the core says have no UDP checksum. */
static bool test_bare(void)
{
	no_udp_checksum = true;
	for (size_t i = 0; i < FAMILIES; i++) {
		union fdccp_address one = address(families[i].one, SERVER);
		union fdccp_address two = address(families[i].two, 7000);
		struct fdccp_io *io = open_at(FDCCP_CARRIER_UDP, families[i].one, SERVER);
		size_t udp = one.sa.sa_family == AF_INET ? 20 : 40;
		static const bool bare[] = { true, true, false, true, false };
		static uint8_t packet[2048];
		int wire = sniff();

		MUST(io && wire >= 0);
		for (int k = 0; k < 5; k++) {
			add_packet(io, &one, &two, "small", 5, 0);
			io->ep->out[k].bare = bare[k];
		}
		run_round(io);
		for (int k = 0; k < 5; k++) {
			MUST(sniffed(wire, packet, sizeof(packet)) == (int)udp + 8 + 5);
			MUST((packet[udp + 6] || packet[udp + 7]) == !bare[k]);
		}
		MUST(io->counter[FDCCP_IO_COUNT_sent] == 5);
		close(wire);
		fdccp_io_close(io);
	}
	no_udp_checksum = false;
	return true;
}

/* A datagram that is sent has a UDP checksum: RFC 6773 section 3.3. */
static bool test_sent_checksum(void)
{
	for (size_t i = 0; i < FAMILIES; i++) {
		union fdccp_address one = address(families[i].one, SERVER);
		union fdccp_address two = address(families[i].two, 7000);
		struct fdccp_io *io = open_at(FDCCP_CARRIER_UDP, families[i].one, SERVER);
		size_t udp = one.sa.sa_family == AF_INET ? 20 : 40;
		static uint8_t packet[2048];
		int wire = sniff();

		MUST(io && wire >= 0);
		add_packet(io, &one, &two, "small", 5, 0);
		run_round(io);
		MUST(sniffed(wire, packet, sizeof(packet)) == (int)udp + 8 + 5);
		MUST(packet[udp + 6] || packet[udp + 7]);
		close(wire);
		fdccp_io_close(io);
	}
	return true;
}

/* Runs a function in a process without privilege. */
static bool unprivileged(bool (*function)(void))
{
	int status = 1;
	pid_t child = fork();

	if (!child) {
		/* CAP_NET_RAW of the namespace is lost with the change of the user namespace */
		fflush(stdout);
		_exit(unshare(CLONE_NEWUSER) || !function());
	}
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

static int refusal(struct fdccp_io_config config, const char *expected)
{
	struct fdccp_io *io = NULL;
	const char *why = NULL;
	int err = fdccp_io_open(&config, &io, &why);

	if (!err)
		fdccp_io_close(io);
	else if (!why || !strstr(why, expected))
		return 1;
	return err;
}

static bool refused_without_privilege(void)
{
	struct fdccp_io_config config = { .local = address("127.0.0.1", 0) };
	struct fdccp_io *io;

	config.carrier = FDCCP_CARRIER_IP;
	MUST(refusal(config, "CAP_NET_RAW") == -EPERM);
	config.carrier = FDCCP_CARRIER_UDP;
	config.lifetimes = FDCCP_LIFETIMES_OPTION;
	MUST(refusal(config, "CAP_NET_RAW") == -EPERM);
	config.local = address("::1", 0);
	MUST(refusal(config, "CAP_NET_RAW") == -EPERM);
	config.lifetimes = FDCCP_LIFETIMES_AUTO;
	MUST(!fdccp_io_open(&config, &io, NULL));
	MUST(fdccp_io_lifetimes(io) == FDCCP_LIFETIMES_OFF);
	fdccp_io_close(io);
	return true;
}

/* What cannot work is refused, with what was expected. */
static bool test_refusals(void)
{
	struct fdccp_io_config config = { .local.sa.sa_family = AF_UNIX };

	MUST(unprivileged(refused_without_privilege));
	MUST(refusal(config, "IPv4 nor IPv6") == -EINVAL);
	config.local = address("::ffff:127.0.0.1", 0);
	MUST(refusal(config, "mapped") == -EINVAL);
	config.local = address("10.9.9.9", 0);
	MUST(refusal(config, "cannot be bound") == -EADDRNOTAVAIL);
	config.local = address("127.0.0.1", 0);
	config.queue = 65536;
	MUST(refusal(config, "65535") == -EINVAL);
	config.queue = 0;
	config.no_udp_checksum = true;
	config.carrier = FDCCP_CARRIER_IP;
	MUST(refusal(config, "no UDP checksum") == -EINVAL);
	config.no_udp_checksum = false;
	config.carrier = FDCCP_CARRIER_UDP;
	config.lifetimes = 9;
	MUST(refusal(config, "no such way") == -EINVAL);
	config.lifetimes = FDCCP_LIFETIMES_OFF;
	config.carrier = FDCCP_CARRIER_IP;
	config.local = address("127.0.0.1", 5);
	MUST(refusal(config, "port 0") == -EINVAL);
	return true;
}

/* The kernel's DCCP is recognized in the list of protocols, other names are not. */
static bool test_kernel_dccp(void)
{
	MUST(is_kernel_dccp("DCCP      1440      0      -1   NI     128   yes  dccp_ipv4   y\n"));
	MUST(is_kernel_dccp("DCCPv6    1592      0      -1   NI     128   yes  dccp_ipv6   y\n"));
	MUST(!is_kernel_dccp("UDP       1344      0       0   NI       0   yes  kernel      y\n"));
	MUST(!is_kernel_dccp("SDCCP     1344      0       0   NI       0   yes  kernel      y\n"));
	return true;
}

/* The option in a packet says the remaining ms, the treatment, reorder 3 and the flags. */
static bool option(const struct family *f, int64_t lifetime, unsigned int least, unsigned int most,
		   bool corruptible)
{
	bool limited = lifetime != FDCCP_NEVER;
	struct fdccp_io_config config = {
		.local = address(f->one, SERVER), .lifetimes = FDCCP_LIFETIMES_OPTION,
	};
	union fdccp_address two = address(f->two, 7000);
	int wire = sniff();
	struct fdccp_datagram *d;
	struct freshlink_lifetime read;
	char control[128] __attribute__((aligned(8)));
	struct cmsghdr *c = (void *)control;
	struct msghdr msg = { .msg_control = control };
	struct fdccp_io *io;
	uint8_t packet[256];

	MUST(!fdccp_io_open(&config, &io, NULL) && wire >= 0);
	d = fdccp_tx_reserve(io);
	d->path = (struct fdccp_path){ config.local, two };
	d->len = 0;
	d->deadline = limited ? fdccp_io_now(io) + lifetime : FDCCP_NEVER;
	d->corruptible = corruptible;
	d->stale = FRESHLINK_TRUNCATE;
	d->slow = true;
	fdccp_tx_commit(io, true);
	fdccp_tx_flush(io);
	MUST(sniffed(wire, packet, sizeof(packet)) > 0);
	/* as recvmsg() delivers it */
	c->cmsg_level = packet[0] >> 4 == 4 ? IPPROTO_IP : IPPROTO_IPV6;
	c->cmsg_type = packet[0] >> 4 == 4 ? IP_RECVOPTS : IPV6_HOPOPTS;
	c->cmsg_len = CMSG_LEN(packet[0] >> 4 == 4 ? 8 : 16);
	memcpy(CMSG_DATA(c), packet + (packet[0] >> 4 == 4 ? 20 : 40), 16);
	msg.msg_controllen = c->cmsg_len;
	MUST(freshlink_get_lifetime(&msg, &read) == FRESHLINK_FOUND);
	MUST(read.kind == (limited ? FRESHLINK_RELATIVE : FRESHLINK_UNLIMITED));
	MUST(read.stale == FRESHLINK_TRUNCATE && read.reorder == 3);
	MUST(read.flags == (FRESHLINK_SLOW | (corruptible ? FRESHLINK_CORRUPT_OK : 0)));
	MUST(read.remaining_ms >= (int)least && read.remaining_ms <= (int)most);
	close(wire);
	fdccp_io_close(io);
	return true;
}

static bool test_option(void)
{
	for (size_t i = 0; i < FAMILIES; i++) {
		/* a machine that is slow may lose all of the lifetime before the packet is written
		 */
		MUST(option(&families[i], 60000 * MSEC, 1, 60000, false));
		MUST(option(&families[i], 900000 * MSEC, 65534, 65534, true));
		MUST(option(&families[i], -MSEC, 0, 0, false));
		/* damage behind the sensitive part is tolerable, whatever the lifetime */
		MUST(option(&families[i], FDCCP_NEVER, 0, 0, true));
	}
	return true;
}

/* Packets carry no option while the program says so. */
static bool stamp(const struct family *f)
{
	const struct fdccp_io_config config = {
		.local = address(f->one, SERVER), .lifetimes = FDCCP_LIFETIMES_OPTION,
	};
	int wire = sniff();
	struct fdccp_io *io;
	uint8_t packet[256];

	MUST(!fdccp_io_open(&config, &io, NULL) && wire >= 0);
	for (int on = 0; on < 2; on++) {
		struct fdccp_datagram *d;
		bool bare;

		fdccp_io_stamp(io, on);
		d = fdccp_tx_reserve(io);
		d->path = (struct fdccp_path){ config.local, address(f->two, 7000) };
		d->len = 0;
		d->deadline = fdccp_io_now(io) + 60000 * MSEC;
		fdccp_tx_commit(io, true);
		fdccp_tx_flush(io);
		MUST(sniffed(wire, packet, sizeof(packet)) > 0);
		bare = packet[0] >> 4 == 4 ? packet[0] == 0x45 : packet[6] == IPPROTO_UDP;
		MUST(bare == !on);
	}
	close(wire);
	fdccp_io_close(io);
	return true;
}

static bool test_stamp(void)
{
	for (size_t i = 0; i < FAMILIES; i++)
		MUST(stamp(&families[i]));
	return true;
}

/* A probe leaves with its lifetime, and the receiver's core learns whether a packet had one. Without
 * the way to write every lifetime, a probe with one is refused.
 */
static bool probe(enum fdccp_carrier carrier, const struct family *f)
{
	struct fdccp_probe probe = { .deadline = 0, .stale = FRESHLINK_DISCARD, .len = 9 };
	uint16_t port = carrier == FDCCP_CARRIER_UDP ? SERVER : 0;
	struct fdccp_io_config config = { .carrier = carrier, .local = address(f->two, port) };
	struct fdccp_io *a = open_at(carrier, f->one, port), *b = NULL, *off;
	struct fdccp_conn conn = { .path = { address(f->two, port), address(f->one, port) } };
	uint64_t seq = 0;

	MUST(a && !fdccp_io_open(&config, &b, NULL) && b->lifetimes == FDCCP_LIFETIMES_OPTION);
	conn.ep = b->ep;
	MUST(fdccp_io_probe(b, &conn, &probe, &seq) == 0 && seq == 7);
	MUST(await_received(a, 1));
	MUST(a->ep->received[0].stamped && a->ep->received[0].len == 9);
	probe.deadline = FDCCP_NEVER;
	MUST(fdccp_io_probe(b, &conn, &probe, &seq) == 0);
	MUST(await_received(a, 2));
	MUST(!a->ep->received[1].stamped && a->ep->received[1].len == 9);
	fdccp_io_close(b);
	off = open_at(carrier, f->two, port);
	conn.ep = off->ep;
	MUST(fdccp_io_probe(off, &conn, &probe, &seq) == 0);
	probe.deadline = 0;
	MUST(fdccp_io_probe(off, &conn, &probe, &seq) == -EOPNOTSUPP);
	fdccp_io_close(off);
	fdccp_io_close(a);
	return true;
}

static bool test_probe(void)
{
	for (size_t i = 0; i < FAMILIES; i++) {
		MUST(probe(FDCCP_CARRIER_UDP, &families[i]));
		MUST(probe(FDCCP_CARRIER_IP, &families[i]));
	}
	return true;
}

/* A packet to a broadcast or multicast address does not reach the core. */
static bool test_multicast(void)
{
	struct fdccp_io *io = open_at(FDCCP_CARRIER_UDP, "0.0.0.0", SERVER);
	union fdccp_address to = address("127.255.255.255", SERVER);
	int fd = socket(AF_INET, SOCK_DGRAM, 0), on = 1;

	MUST(io);
	setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on));
	MUST(sendto(fd, "x", 1, 0, &to.sa, sizeof(to.in)) == 1);
	to = address("127.0.0.1", SERVER);
	MUST(sendto(fd, "y", 1, 0, &to.sa, sizeof(to.in)) == 1);
	MUST(await_received(io, 1));
	MUST(io->ep->received[0].data[0] == 'y' && io->counter[FDCCP_IO_COUNT_multicast] == 1);
	close(fd);
	fdccp_io_close(io);
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "data, addresses and ECN field arrive as they were sent", test_exchange },
		{ "a wildcard socket answers from the right address", test_wildcard },
		{ "one adapter serves both families", test_both_families },
		{ "no packet is fragmented, and the core learns the failure", test_unfragmented },
		{ "a datagram without UDP checksum is dropped", test_checksum },
		{ "a datagram has a UDP checksum", test_sent_checksum },
		{ "a bare datagram has none, and others beside it have", test_bare },
		{ "a broadcast is dropped", test_multicast },
		{ "the option carries what the core says", test_option },
		{ "no option while the program says so", test_stamp },
		{ "a probe, and whether a packet had the option", test_probe },
		{ "what cannot work is refused", test_refusals },
		{ "the kernel's DCCP is recognized", test_kernel_dccp },
	};

	if (!enter_namespace()) {
		printf("Bail out! cannot make a network namespace\n");
		return 1;
	}
	return unit_run(tests, sizeof(tests) / sizeof(*tests)) > 0;
}
