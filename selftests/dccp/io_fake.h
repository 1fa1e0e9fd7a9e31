/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The adapter with a core that does what a test tells it and remembers what it was told, so that
 * tests see exactly what passes between sockets and core. Tests run in a network namespace of their
 * own.
 */
#ifndef DCCP_IO_FAKE_H
#define DCCP_IO_FAKE_H

#include "../../userspace/dccp/io/io.c"
#include "../../userspace/dccp/io/io_error.c"
#include "../../userspace/dccp/io/io_genl.c"
#include "../../userspace/dccp/io/io_ip.c"
#include "../../userspace/dccp/io/io_join.c"
#include "../../userspace/dccp/io/io_lifetime.c"
#include "../../userspace/dccp/io/io_queue.c"
#include "../../userspace/dccp/io/io_receive.c"
#include "../../userspace/dccp/io/io_send.c"
#include "../../userspace/dccp/io/io_socket.c"
#include "../../userspace/dccp/io/io_udp.c"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>

#include "../codec/unit.h"

#define MSEC	NSEC_PER_MSEC
#define SOME	128	/* things that the fake remembers */

/**
 * struct seen - a datagram or ICMP message that the core was given
 * @path: addresses
 * @ecn: of a datagram
 * @stamped: of a datagram
 * @icmp: of an ICMP message: all but @quoted
 * @len: bytes of payload or quote
 * @data: their beginning
 */
struct seen {
	struct fdccp_path path;
	uint8_t ecn;
	bool stamped;
	struct fdccp_icmp icmp;
	size_t len;
	uint8_t data[2048];
};

/**
 * struct fdccp_endpoint - the fake core
 * @received: datagrams that it was given
 * @icmps: ICMP messages
 * @out: what it has to send
 * @out_data: payload of these
 * @events: events for the program
 * @allowed: packets that fdccp_send() may send
 * @rate: of the connections, in bytes a second
 * @ecn: ECN field of packets of fdccp_send()
 * @bare: these leave without UDP's checksum
 * @payload_max: largest payload
 * @connected: path of the last connection
 * @timer: its next timer
 * @advanced: calls of fdccp_advance()
 * @closed: calls of fdccp_close()
 */
struct fdccp_endpoint {
	struct seen received[SOME], icmps[SOME];
	unsigned int receiveds, icmp_count;
	struct fdccp_datagram out[SOME];
	uint8_t out_data[SOME][2048];
	unsigned int outs, outs_done;
	struct fdccp_event events[SOME];
	unsigned int event_count, events_done;
	unsigned int allowed;
	uint64_t rate;
	uint8_t ecn;
	bool bare;
	size_t payload_max;
	struct fdccp_path connected;
	int64_t timer;
	unsigned int advanced, closed;
};

struct fdccp_endpoint *fdccp_endpoint_new(const struct fdccp_config *config, int64_t now)
{
	struct fdccp_endpoint *ep = calloc(1, sizeof(*ep));

	(void)now;
	config->random(config->context, ep->out_data[0], sizeof(ep->out_data[0]));
	ep->timer = FDCCP_NEVER;
	ep->payload_max = 1400;
	return ep;
}

void fdccp_endpoint_free(struct fdccp_endpoint *ep)
{
	free(ep);
}

void fdccp_receive(struct fdccp_endpoint *ep, const struct fdccp_datagram *d, int64_t now)
{
	struct seen *s = &ep->received[ep->receiveds++ % SOME];

	(void)now;
	*s = (struct seen){ .path = d->path, .ecn = d->ecn, .stamped = d->stamped,
		.len = d->len };
	memcpy(s->data, d->data, d->len < sizeof(s->data) ? d->len : sizeof(s->data));
}

void fdccp_icmp(struct fdccp_endpoint *ep, const struct fdccp_icmp *icmp, int64_t now)
{
	struct seen *s = &ep->icmps[ep->icmp_count++ % SOME];

	(void)now;
	*s = (struct seen){ .path = icmp->path, .icmp = *icmp, .len = icmp->quoted_len };
	memcpy(s->data, icmp->quoted, s->len < sizeof(s->data) ? s->len : sizeof(s->data));
}

bool fdccp_transmit(struct fdccp_endpoint *ep, struct fdccp_datagram *d, int64_t now)
{
	const struct fdccp_datagram *out = &ep->out[ep->outs_done % SOME];
	uint8_t *data = d->data;

	(void)now;
	if (ep->outs_done == ep->outs)
		return false;
	ep->outs_done++;
	memcpy(data, out->data, out->len);
	*d = *out;
	d->data = data;
	return true;
}

int64_t fdccp_next_timer(struct fdccp_endpoint *ep)
{
	return ep->timer;
}

void fdccp_advance(struct fdccp_endpoint *ep, int64_t now)
{
	if (now < ep->timer)
		return;
	ep->timer = FDCCP_NEVER;
	ep->advanced++;
}

bool fdccp_event(struct fdccp_endpoint *ep, struct fdccp_event *event)
{
	if (ep->events_done == ep->event_count)
		return false;
	*event = ep->events[ep->events_done++ % SOME];
	return true;
}

int fdccp_connect(struct fdccp_endpoint *ep, const struct fdccp_path *path, uint16_t port,
		  uint32_t service, const struct fdccp_params *params, int64_t now,
		  struct fdccp_conn **conn)
{
	(void)port, (void)service, (void)params, (void)now, (void)conn;
	ep->connected = *path;
	return 0;
}

int fdccp_may_send(struct fdccp_conn *conn, int64_t now)
{
	(void)now;
	return conn->ep->allowed ? 0 : -EAGAIN;
}

int fdccp_send(struct fdccp_conn *conn, const void *payload, size_t len,
	       const struct fdccp_message *message, int64_t now, struct fdccp_datagram *d)
{
	(void)now;
	if (len > fdccp_payload_max(conn))
		return -EMSGSIZE;
	if (!conn->ep->allowed)
		return -EAGAIN;
	conn->ep->allowed--;
	d->path = conn->path;
	d->conn = conn;
	d->ecn = conn->ep->ecn;
	d->bare = conn->ep->bare;
	d->len = len;
	memcpy(d->data, payload, len);
	d->deadline = message ? message->deadline : FDCCP_NEVER;
	d->stale = message ? message->stale : FRESHLINK_FORWARD;
	return 0;
}

int fdccp_probe(struct fdccp_conn *conn, const struct fdccp_probe *probe, int64_t now,
		struct fdccp_datagram *d, uint64_t *seq)
{
	(void)now;
	d->path = conn->path;
	d->conn = conn;
	d->len = probe->len;
	memset(d->data, 'p', probe->len);
	d->deadline = probe->deadline;
	d->stale = probe->stale;
	*seq = 7;
	return 0;
}

uint64_t fdccp_conn_rate(const struct fdccp_conn *conn)
{
	return conn->ep->rate;
}

size_t fdccp_payload_max(const struct fdccp_conn *conn)
{
	return conn->ep->payload_max;
}

void fdccp_close(struct fdccp_conn *conn, int64_t now)
{
	(void)now;
	conn->ep->closed++;
}

static inline void add_event(struct fdccp_endpoint *ep, enum fdccp_event_type type,
			     struct fdccp_conn *conn)
{
	ep->events[ep->event_count++ % SOME] = (struct fdccp_event){ .type = type, .conn = conn };
}

static inline union fdccp_address address(const char *text, uint16_t port)
{
	union fdccp_address a = { 0 };

	if (strchr(text, ':')) {
		a.in6.sin6_family = AF_INET6;
		a.in6.sin6_port = htons(port);
		inet_pton(AF_INET6, text, &a.in6.sin6_addr);
	} else {
		a.in.sin_family = AF_INET;
		a.in.sin_port = htons(port);
		inet_pton(AF_INET, text, &a.in.sin_addr);
	}
	return a;
}

/* Whether two addresses are the same host and port. */
static inline bool same(const union fdccp_address *a, const union fdccp_address *b)
{
	if (a->sa.sa_family != b->sa.sa_family || fdccp_port(a) != fdccp_port(b))
		return false;
	if (a->sa.sa_family == AF_INET)
		return a->in.sin_addr.s_addr == b->in.sin_addr.s_addr;
	return IN6_ARE_ADDR_EQUAL(&a->in6.sin6_addr, &b->in6.sin6_addr);
}

static inline void put_packet(struct fdccp_endpoint *ep, const struct fdccp_path *path,
			      const void *data, size_t len, uint8_t ecn)
{
	unsigned int i = ep->outs++ % SOME;

	memcpy(ep->out_data[i], data, len);
	ep->out[i] = (struct fdccp_datagram){
		.path = *path, .data = ep->out_data[i], .len = len, .ecn = ecn,
		.deadline = FDCCP_NEVER,
	};
}

/* Tells the core to send a packet. */
static inline void add_packet(struct fdccp_io *io, const union fdccp_address *local,
			      const union fdccp_address *remote, const void *data, size_t len,
			      uint8_t ecn)
{
	const struct fdccp_path path = { *local, *remote };

	put_packet(io->ep, &path, data, len, ecn);
}

/* The Ack is the byte '!'. */
void fdccp_acknowledge(struct fdccp_conn *conn, int64_t now)
{
	(void)now;
	put_packet(conn->ep, &conn->path, "!", 1, 0);
}

/* Runs a round of the adapter. Return: the number of events. */
static inline unsigned int run_round(struct fdccp_io *io)
{
	struct fdccp_event event;
	unsigned int count = 0;

	while (fdccp_io_event(io, &event))
		count++;
	return count;
}

/* Whether the adapter's descriptor becomes readable within some ms, -1: wait for it. */
static inline bool readable(const struct fdccp_io *io, int ms)
{
	struct pollfd p = { .fd = fdccp_io_fd(io), .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

/* Runs rounds until the core was given a number of datagrams, at most 5 s without any. */
static inline bool await_received(struct fdccp_io *io, unsigned int count)
{
	while (io->ep->receiveds < count) {
		if (!readable(io, 5000))
			return false;
		run_round(io);
	}
	return io->ep->receiveds == count;
}

static inline bool await_icmps(struct fdccp_io *io, unsigned int count)
{
	while (io->ep->icmp_count < count) {
		if (!readable(io, 5000))
			return false;
		run_round(io);
	}
	return io->ep->icmp_count == count;
}

static bool no_udp_checksum;	/* of the next adapters */

static inline struct fdccp_io *open_at(enum fdccp_carrier carrier, const char *text, uint16_t port)
{
	const struct fdccp_io_config config = {
		.carrier = carrier, .local = address(text, port),
		.lifetimes = FDCCP_LIFETIMES_OFF, .no_udp_checksum = no_udp_checksum,
	};
	struct fdccp_io *io = NULL;
	const char *why;

	if (fdccp_io_open(&config, &io, &why))
		printf("# %s port %u: %s\n", text, port, why);
	return io;
}

static inline bool command(const char *line)
{
	return !system(line);
}

/**
 * struct family - the addresses of a family in the tests' namespace
 */
struct family {
	const char *any, *one, *two;
};

static const struct family families[] = {
	{ "0.0.0.0", "127.0.0.1", "127.0.0.2" },
	{ "::", "fd00::1", "fd00::2" },
};

#define FAMILIES	(sizeof(families) / sizeof(*families))

/* Opens a socket that sees every IP packet on the wire. */
static inline int sniff(void)
{
	return socket(AF_PACKET, SOCK_DGRAM, htons(ETH_P_ALL));
}

/* Reads the next UDP or DCCP packet that left. Return: its length, -1 for none within 5 s. */
static inline ssize_t sniffed(int fd, uint8_t *packet, size_t size)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	while (poll(&p, 1, 5000) == 1) {
		struct sockaddr_ll from;
		socklen_t fromlen = sizeof(from);
		ssize_t len = recvfrom(fd, packet, size, 0, (void *)&from, &fromlen);
		uint8_t protocol = packet[0] >> 4 == 4 ? packet[9] : packet[6];

		if (len > 0 && from.sll_pkttype == PACKET_OUTGOING && protocol != IPPROTO_ICMP &&
		    protocol != IPPROTO_ICMPV6)
			return len;
	}
	return -1;
}

/* Whether the kernel has a route that delivers packets to an IPv6 address to this host. */
static inline bool is_local(const char *hex)
{
	FILE *file = fopen("/proc/self/net/ipv6_route", "re");
	char line[256], destination[33];
	unsigned int flags;
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%32s %*s %*s %*s %*s %*s %*s %*s %x", destination,
			       &flags) == 2 &&
			flags & 0x80000000 /* RTF_LOCAL */ && !strcmp(destination, hex);
	if (file)
		fclose(file);
	return found;
}

/* Waits until the kernel uses an IPv6 address, which takes some time after it was set. */
static inline bool await_address(const char *hex)
{
	for (int i = 0; i < 1000 && !is_local(hex); i++)
		usleep(5000);
	return is_local(hex);
}

/* Enters a network namespace with two addresses of each family on the loopback device. */
static inline bool enter_namespace(void)
{
	if (unshare(CLONE_NEWNET | (geteuid() ? CLONE_NEWUSER : 0)))
		return false;
	return command("ip link set lo up mtu 1500") &&
	       command("ip addr add fd00::1/128 dev lo nodad") &&
	       command("ip addr add fd00::2/128 dev lo nodad") &&
	       await_address("fd000000000000000000000000000001") &&
	       await_address("fd000000000000000000000000000002");
}

#endif
