// SPDX-License-Identifier: GPL-2.0-or-later
/* ICMP messages and reports of this host's queue reach the core with the packet that they quote. */
#include "io_fake.h"

#define OURS		6511
#define PEER		7000
#define QUOTE		128	/* bytes of a quote before an extension */
#define DCCP_BYTES	"twenty bytes of DCCP"

/* A message to inject. */
struct message {
	uint8_t bytes[512];
	size_t len;
};

static uint16_t internet_checksum(const uint8_t *bytes, size_t len)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < len; i++)
		sum += i % 2 ? bytes[i] : bytes[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static void put16(uint8_t *to, uint16_t value)
{
	to[0] = value >> 8;
	to[1] = value;
}

/* Writes a packet as the adapter sends it. Return: its length. */
static size_t write_packet(uint8_t *to, const union fdccp_address *local,
			   const union fdccp_address *remote, enum fdccp_carrier carrier)
{
	bool ipv4 = local->sa.sa_family == AF_INET, udp = carrier == FDCCP_CARRIER_UDP;
	size_t header = ipv4 ? 20 : 40, upper = (udp ? 8 : 0) + strlen(DCCP_BYTES);

	if (ipv4) {
		to[0] = 0x45;
		put16(to + 2, header + upper);
		to[8] = 64;
		to[9] = udp ? IPPROTO_UDP : IPPROTO_DCCP;
		memcpy(to + 12, &local->in.sin_addr, 4);
		memcpy(to + 16, &remote->in.sin_addr, 4);
	} else {
		to[0] = 0x60;
		put16(to + 4, upper);
		to[6] = udp ? IPPROTO_UDP : IPPROTO_DCCP;
		to[7] = 64;
		memcpy(to + 8, &local->in6.sin6_addr, 16);
		memcpy(to + 24, &remote->in6.sin6_addr, 16);
	}
	if (udp) {
		put16(to + header, OURS);
		put16(to + header + 2, PEER);
		put16(to + header + 4, upper);
	}
	memcpy(to + header + upper - strlen(DCCP_BYTES), DCCP_BYTES, strlen(DCCP_BYTES));
	return header + upper;
}

/* Starts an ICMP message with a quote, padded if an extension shall follow. */
static struct message icmp_message(const union fdccp_address *local,
				   const union fdccp_address *remote, enum fdccp_carrier carrier,
				   uint8_t type, uint8_t code, bool extended)
{
	struct message m = { .bytes = { type, code } };
	bool ipv4 = local->sa.sa_family == AF_INET;
	size_t quoted = write_packet(m.bytes + 8, local, remote, carrier);

	if (extended)
		m.bytes[ipv4 ? 5 : 4] = QUOTE / (ipv4 ? 4 : 8);
	m.len = 8 + (extended ? QUOTE : quoted);
	return m;
}

/* Adds an extension structure with one object before ours, and with ours. */
static void add_extension(struct message *m, uint8_t class, uint8_t code, bool right)
{
	uint8_t *ext = m->bytes + m->len;
	const uint8_t objects[] = { 0, 8, 1, 1, 9, 9, 9, 9, 0, 4, class, code };

	ext[0] = 0x20;
	memcpy(ext + 4, objects, sizeof(objects));
	put16(ext + 2, internet_checksum(ext, 4 + sizeof(objects)) ^ !right);
	m->len += 4 + sizeof(objects);
}

static bool inject(struct message *m, const union fdccp_address *to)
{
	bool ipv4 = to->sa.sa_family == AF_INET;
	union fdccp_address there = *to;
	int fd = socket(to->sa.sa_family, SOCK_RAW, ipv4 ? IPPROTO_ICMP : IPPROTO_ICMPV6);
	bool sent;

	fdccp_set_port(&there, 0);
	/* the kernel writes the checksum of ICMPv6 */
	if (ipv4)
		put16(m->bytes + 2, internet_checksum(m->bytes, m->len));
	sent = sendto(fd, m->bytes, m->len, 0, &there.sa,
		      ipv4 ? sizeof(there.in) : sizeof(there.in6)) == (ssize_t)m->len;
	close(fd);
	return sent;
}

/* The ends of a connection in one family. */
struct ends {
	union fdccp_address local, remote;
	enum fdccp_carrier carrier;
	bool ipv4;
};

static struct ends make_ends(bool ipv4, enum fdccp_carrier carrier)
{
	bool udp = carrier == FDCCP_CARRIER_UDP;

	return (struct ends){
		.local = address(ipv4 ? "127.0.0.1" : "fd00::1", udp ? OURS : 0),
		.remote = address(ipv4 ? "127.0.0.2" : "fd00::2", udp ? PEER : 0),
		.carrier = carrier,
		.ipv4 = ipv4,
	};
}

static struct fdccp_io *open_ends(const struct ends *e, bool any)
{
	return open_at(e->carrier, e->ipv4 ? any ? "0.0.0.0" : "127.0.0.1" : any ? "::" : "fd00::1",
		       e->carrier == FDCCP_CARRIER_UDP ? OURS : 0);
}

/* Runs a check over both carriers and families. */
static bool everywhere(bool (*check)(const struct ends *e))
{
	for (int i = 0; i < 4; i++) {
		struct ends e = make_ends(i & 1, i & 2 ? FDCCP_CARRIER_IP : FDCCP_CARRIER_UDP);

		if (!check(&e)) {
			printf("# over %s, IPv%d\n", i & 2 ? "ip" : "udp", i & 1 ? 4 : 6);
			return false;
		}
	}
	return true;
}

/* The message has the addresses and the quote of our packet. */
static bool is_ours(const struct ends *e, const struct seen *s, uint8_t type, uint8_t code)
{
	MUST(s->icmp.family == (e->ipv4 ? AF_INET : AF_INET6) && !s->icmp.local);
	MUST(s->icmp.type == type && s->icmp.code == code);
	MUST(same(&s->path.local, &e->local) && same(&s->path.remote, &e->remote));
	MUST(s->len >= strlen(DCCP_BYTES) && !memcmp(s->data, DCCP_BYTES, strlen(DCCP_BYTES)));
	return true;
}

static bool unreachable(const struct ends *e)
{
	uint8_t type = e->ipv4 ? 3 : 1, code = e->ipv4 ? 3 : 4;
	struct fdccp_io *io = open_ends(e, true);

	MUST(io);
	add_packet(io, &e->local, &e->remote, DCCP_BYTES, strlen(DCCP_BYTES), 0);
	run_round(io);
	MUST(await_icmps(io, 1));
	MUST(is_ours(e, &io->ep->icmps[0], type, code));
	MUST(io->ep->icmps[0].len == strlen(DCCP_BYTES) && !io->ep->icmps[0].icmp.mtu);
	MUST(!readable(io, 0));
	fdccp_io_close(io);
	return true;
}

/* A port that nobody has: the kernel's message comes with addresses and quote, even to a socket
 * that is bound to no address. Afterwards the descriptor is quiet.
 */
static bool test_unreachable(void)
{
	struct ends v4 = make_ends(true, FDCCP_CARRIER_UDP);
	struct ends v6 = make_ends(false, FDCCP_CARRIER_UDP);

	return unreachable(&v4) && unreachable(&v6);
}

static bool too_big(const struct ends *e)
{
	struct message m = icmp_message(&e->local, &e->remote, e->carrier, e->ipv4 ? 3 : 2,
					e->ipv4 ? 4 : 0, false);
	struct fdccp_io *io = open_ends(e, false);

	MUST(io);
	put16(m.bytes + 6, 1380);
	MUST(inject(&m, &e->local) && await_icmps(io, 1));
	MUST(is_ours(e, &io->ep->icmps[0], e->ipv4 ? 3 : 2, e->ipv4 ? 4 : 0));
	MUST(io->ep->icmps[0].icmp.mtu == 1380);
	MUST(!readable(io, 0));
	fdccp_io_close(io);
	return true;
}

/* The MTU of the next hop comes with the message that a packet was too large. */
static bool test_too_big(void)
{
	return everywhere(too_big);
}

static bool extended(const struct ends *e)
{
	uint8_t type = e->ipv4 ? 3 : 1, native = e->ipv4 ? 253 : 200;
	const struct { uint8_t class, code; bool right; uint8_t type, expected; } cases[] = {
		{ 247, XRTO_CODE_DROP, true, native, 0 },
		{ 247, XRTO_CODE_DEFER, true, native, 1 },
		{ 247, XRTO_CODE_DISCARDED, true, native, 2 },
		{ 247, XRTO_CODE_LINK_UP, true, native, 3 },
		{ 246, 2, true, type, 0 },
		{ 247, 2, false, type, 0 },
	};
	struct fdccp_io *io = open_ends(e, false);

	MUST(io);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct message m = icmp_message(&e->local, &e->remote, e->carrier, type, 0, true);
		size_t headers = (e->ipv4 ? 20 : 40) + (e->carrier == FDCCP_CARRIER_UDP ? 8 : 0);

		add_extension(&m, cases[i].class, cases[i].code, cases[i].right);
		MUST(inject(&m, &e->local) && await_icmps(io, i + 1));
		MUST(is_ours(e, &io->ep->icmps[i], cases[i].type, cases[i].expected));
		/* without the extension */
		MUST(io->ep->icmps[i].len == QUOTE - headers);
	}
	fdccp_io_close(io);
	return true;
}

/* A message of xlo_rto in the extension encoding has the native type and the object's code; an object
 * of another class or a wrong checksum leaves an ordinary message.
 */
static bool test_extended(void)
{
	return everywhere(extended);
}

/* The kernel gives a message in the native encoding to no socket of a carrier. */
static bool native(const struct ends *e)
{
	struct message m = icmp_message(&e->local, &e->remote, e->carrier, e->ipv4 ? 253 : 200,
					XRTO_CODE_DROP, false);
	struct message last = icmp_message(&e->local, &e->remote, e->carrier, e->ipv4 ? 3 : 2,
					   e->ipv4 ? 4 : 0, false);
	struct fdccp_io *io = open_ends(e, false);

	MUST(io);
	MUST(inject(&m, &e->local) && inject(&last, &e->local) && await_icmps(io, 1));
	MUST(is_ours(e, &io->ep->icmps[0], e->ipv4 ? 3 : 2, e->ipv4 ? 4 : 0));
	MUST(io->counter[FDCCP_IO_COUNT_errors] == 1);
	fdccp_io_close(io);
	return true;
}

static bool test_native(void)
{
	return everywhere(native);
}

/* The error that one peer's ICMP message left behind costs no packet to another peer. */
static bool test_pending_error(void)
{
	struct ends e = make_ends(true, FDCCP_CARRIER_UDP);
	union fdccp_address other = address("127.0.0.1", 7001);
	struct fdccp_io *io = open_ends(&e, false);
	struct fdccp_io *peer = open_at(FDCCP_CARRIER_UDP, "127.0.0.1", 7001);

	MUST(io && peer);
	for (unsigned int i = 0; i < 50; i++) {
		add_packet(io, &e.local, &e.remote, DCCP_BYTES, strlen(DCCP_BYTES), 0);
		fdccp_io_settle(io);
		/* the next call of the socket reports the error */
		add_packet(io, &e.local, &other, "to a peer", 9, 0);
		fdccp_io_settle(io);
		add_packet(peer, &other, &e.local, "from a peer", 11, 0);
		run_round(peer);
	}
	MUST(await_received(peer, 50) && await_received(io, 50));
	MUST(io->counter[FDCCP_IO_COUNT_sent] == 100 && !io->counter[FDCCP_IO_COUNT_unsent]);
	MUST(await_icmps(io, 50));
	fdccp_io_close(peer);
	fdccp_io_close(io);
	return true;
}

static bool soft_error(const struct ends *e)
{
	static const uint8_t codes[] = { XRTO_CODE_DROP, XRTO_CODE_DEFER, XRTO_CODE_LINK_UP };
	const unsigned int rounds = 20 * sizeof(codes);
	struct fdccp_io *io = open_ends(e, false);
	struct fdccp_io *peer = open_at(e->carrier, e->ipv4 ? "127.0.0.2" : "fd00::2",
					e->carrier == FDCCP_CARRIER_UDP ? PEER : 0);

	MUST(io && peer);
	for (unsigned int i = 0; i < rounds; i++) {
		struct message m = icmp_message(&e->local, &e->remote, e->carrier,
						e->ipv4 ? 3 : 1, 0, true);

		add_extension(&m, XRTO_OBJECT_CLASS, codes[i % sizeof(codes)], true);
		MUST(inject(&m, &e->local));
		/* the error waits for this packet */
		add_packet(io, &e->local, &e->remote, DCCP_BYTES, strlen(DCCP_BYTES), 0);
		fdccp_io_settle(io);
		MUST(await_icmps(io, i + 1));
		MUST(io->ep->icmps[i].icmp.code == codes[i % sizeof(codes)]);
	}
	MUST(await_received(peer, rounds));
	MUST(io->counter[FDCCP_IO_COUNT_sent] == rounds);
	MUST(!io->counter[FDCCP_IO_COUNT_no_route] && !io->counter[FDCCP_IO_COUNT_unsent]);
	fdccp_io_close(peer);
	fdccp_io_close(io);
	return true;
}

/* The soft error that a message of a link leaves behind costs no packet, and no error of this host is
 * reported.
 */
static bool test_soft_error(void)
{
	return everywhere(soft_error);
}

/* Expects the core's view of a frame that the queue of this host has quoted. */
static bool frame_is(const struct fdccp_io *io, const struct ends *e, const uint8_t *frame,
		     size_t len)
{
	struct fdccp_icmp icmp = { .family = e->ipv4 ? AF_INET : AF_INET6 };

	MUST(read_frame(io, frame, len, &icmp));
	MUST(icmp.local);
	MUST(same(&icmp.path.local, &e->local) && same(&icmp.path.remote, &e->remote));
	MUST(icmp.quoted_len == strlen(DCCP_BYTES));
	MUST(!memcmp(icmp.quoted, DCCP_BYTES, icmp.quoted_len));
	return true;
}

static bool quoted_frame(const struct ends *e)
{
	const struct fdccp_io io = { .carrier = e->carrier };
	static const size_t links[] = { 0, 14, 18, 22 };
	struct fdccp_icmp icmp = { .family = e->ipv4 ? AF_INET : AF_INET6 };

	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		uint8_t packet[256] = { 0 };
		size_t len = links[i] + write_packet(packet + links[i], &e->local, &e->remote,
						     e->carrier);
		uint8_t *copy = malloc(len);

		memcpy(copy, packet, len);
		MUST(frame_is(&io, e, copy, len));
		/* any beginning of it: nothing is read beyond, and nothing is found */
		for (size_t cut = 0; cut < len; cut++) {
			uint8_t *part = malloc(cut + 1);

			memcpy(part, packet, cut);
			part = realloc(part, cut ? cut : 1);
			MUST(!read_frame(&io, part, cut, &icmp));
			free(part);
		}
		free(copy);
	}
	return true;
}

/* A report on a packet that became stale in a queue of this host quotes the frame; the packet is
 * found behind a link header of any length, but not in a part of it.
 */
static bool test_frame(void)
{
	return everywhere(quoted_frame);
}

/* The lifetime, an IPv4 option or a hop-by-hop header, is skipped. */
static bool test_frame_with_option(void)
{
	struct ends e4 = make_ends(true, FDCCP_CARRIER_UDP);
	struct ends e6 = make_ends(false, FDCCP_CARRIER_UDP);
	const struct fdccp_io io = { .carrier = FDCCP_CARRIER_UDP };
	uint8_t packet[256] = { 0 }, *ip = packet + 14;
	size_t len = write_packet(ip, &e4.local, &e4.remote, FDCCP_CARRIER_UDP);

	memmove(ip + 28, ip + 20, len - 20);
	memset(ip + 20, 1, 8);
	ip[0] = 0x47;
	put16(ip + 2, len + 8);
	MUST(frame_is(&io, &e4, packet, 14 + len + 8));
	len = write_packet(ip, &e6.local, &e6.remote, FDCCP_CARRIER_UDP);
	memmove(ip + 56, ip + 40, len - 40);
	memset(ip + 40, 0, 16);
	ip[40] = IPPROTO_UDP;
	ip[41] = 1;
	ip[6] = IPPROTO_HOPOPTS;
	put16(ip + 4, len + 16 - 40);
	MUST(frame_is(&io, &e6, packet, 14 + len + 16));
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "an unreachable port comes with addresses and quote", test_unreachable },
		{ "the next hop's MTU is known", test_too_big },
		{ "xlo_rto's code in an extension is found", test_extended },
		{ "a message in the native encoding is not heard", test_native },
		{ "an error of one peer costs no packet of another", test_pending_error },
		{ "the soft error of a link's message costs no packet", test_soft_error },
		{ "a quoted frame is read", test_frame },
		{ "a quoted frame with a lifetime is read", test_frame_with_option },
	};

	if (!enter_namespace()) {
		printf("Bail out! cannot make a network namespace\n");
		return 1;
	}
	return unit_run(tests, sizeof(tests) / sizeof(*tests)) > 0;
}
