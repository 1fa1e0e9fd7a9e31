// SPDX-License-Identifier: GPL-2.0-or-later
/* Probes by ICMP echo requests, where no peer speaks DCCP: see probe.h. A reply has the data of its
 * request, so it tells how much arrived, but not whether the option did.
 */
#include <errno.h>
#include <time.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "probe.h"
#include "wait.h"

/* an option of raw sockets in <linux/icmp.h>, which does not go with the C library's headers */
#define ICMP_FILTER	1

#define SLICE	(5 * (int64_t)FL_MS)	/* time after which the error queue is looked at */

/**
 * struct echo - an echo request or reply; both families have the same fields at the same places
 * @header: type, checksum, identifier and number
 * @nonce: random, so that nobody answers what has not reached it
 * @filling: to cut off
 */
struct echo {
	struct icmphdr header;
	uint64_t nonce;
	uint8_t filling[PROBE_LEN - sizeof(uint64_t)];
} __attribute__((packed));

/**
 * struct by_icmp - the way
 * @way: as probe_run() sees it
 * @host: the host
 * @fd: a raw socket
 * @id: identifier of all requests
 * @nonce: of each request
 * @count: requests sent
 */
struct by_icmp {
	struct probe_way way;
	const struct probe_host *host;
	int fd;
	uint16_t id;
	uint64_t nonce[PROBE_MAX];
	unsigned int count;
};

static bool is_ipv4(const struct by_icmp *m)
{
	return m->host->remote.sa.sa_family == AF_INET;
}

static socklen_t address_size(const struct by_icmp *m)
{
	return is_ipv4(m) ? sizeof(m->host->remote.in) : sizeof(m->host->remote.in6);
}

/* RFC 1071; an even number of bytes */
static uint16_t checksum(const void *data, size_t len)
{
	const uint8_t *bytes = data;
	uint32_t sum = 0;

	for (size_t i = 0; i < len; i += 2)
		sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t)~sum);
}

static void write_echo(const struct by_icmp *m, unsigned int number, struct echo *echo)
{
	*echo = (struct echo){
		.header.type = is_ipv4(m) ? ICMP_ECHO : ICMP6_ECHO_REQUEST,
		.header.un.echo.id = m->id,
		.header.un.echo.sequence = htons((uint16_t)number),
		.nonce = m->nonce[number],
	};
	/* the kernel sums up over IPv6 */
	if (is_ipv4(m))
		echo->header.checksum = checksum(echo, sizeof(*echo));
}

static bool send_probe(struct probe_way *way, enum probe_kind kind, uint64_t *id)
{
	struct by_icmp *m = (struct by_icmp *)way;
	char control[FRESHLINK_OPTION_ROOM] __attribute__((aligned(8)));
	struct echo echo;
	struct iovec iov = { &echo, sizeof(echo) };
	struct msghdr msg = {
		.msg_name = (void *)&m->host->remote, .msg_namelen = address_size(m),
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
	};
	struct freshlink_lifetime lifetime = { .kind = FRESHLINK_RELATIVE };
	int64_t deadline = probe_lifetime_of(kind, &lifetime.stale), left = deadline - fl_now();

	lifetime.remaining_ms = left > 0 ? (int32_t)(left / (int64_t)FL_MS) : 0;
	if (kind != PROBE_PLAIN &&
	    freshlink_set_option(&msg, sizeof(control), m->host->remote.sa.sa_family, &lifetime))
		return false;
	*id = m->count++;
	write_echo(m, (unsigned int)*id, &echo);
	/* ENOBUFS: the queue of a device is full, so that this one is lost */
	return sendmsg(m->fd, &msg, 0) == sizeof(echo) || errno == ENOBUFS;
}

/* Reads a reply. Return: whether it answers one of the requests */
static bool read_reply(const struct by_icmp *m, const uint8_t *bytes, size_t len,
		       struct probe_answer *answer)
{
	struct echo echo = { 0 };
	unsigned int number;

	if (len < sizeof(echo.header) + sizeof(echo.nonce))
		return false;
	memcpy(&echo, bytes, len < sizeof(echo) ? len : sizeof(echo));
	number = ntohs(echo.header.un.echo.sequence);
	if (echo.header.type != (is_ipv4(m) ? ICMP_ECHOREPLY : ICMP6_ECHO_REPLY) ||
	    echo.header.un.echo.id != m->id || number >= m->count ||
	    echo.nonce != m->nonce[number])
		return false;
	*answer = (struct probe_answer){
		.id = number, .outcome = len < sizeof(echo) ? PROBE_HEADERS : PROBE_WHOLE,
	};
	return true;
}

/* A raw socket of IPv4 delivers the IP header. */
static size_t header_of(const struct by_icmp *m, const uint8_t *bytes, size_t len)
{
	size_t header = len && is_ipv4(m) ? (bytes[0] & 15) * 4u : 0;

	return header < len ? header : len;
}

static bool is_from(const struct by_icmp *m, const union fdccp_address *from)
{
	if (from->sa.sa_family != m->host->remote.sa.sa_family)
		return false;
	return is_ipv4(m) ? from->in.sin_addr.s_addr == m->host->remote.in.sin_addr.s_addr :
			    IN6_ARE_ADDR_EQUAL(&from->in6.sin6_addr,
					       &m->host->remote.in6.sin6_addr);
}

static bool take_reply(const struct by_icmp *m, struct probe_answer *answer)
{
	uint8_t bytes[2048];
	union fdccp_address from = { 0 };
	socklen_t size = sizeof(from);
	ssize_t len;

	while ((len = recvfrom(m->fd, bytes, sizeof(bytes), MSG_DONTWAIT, &from.sa, &size)) >= 0) {
		size_t header = header_of(m, bytes, (size_t)len);

		if (is_from(m, &from) &&
		    read_reply(m, bytes + header, (size_t)len - header, answer))
			return true;
		size = sizeof(from);
	}
	return false;
}

static bool is_expired(struct msghdr *msg)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		struct sock_extended_err ee;

		if (c->cmsg_len < CMSG_LEN(sizeof(ee)))
			continue;
		memcpy(&ee, CMSG_DATA(c), sizeof(ee));
		if (ee.ee_origin == SO_EE_ORIGIN_TXTIME && ee.ee_code == SO_EE_CODE_TXTIME_MISSED)
			return true;
	}
	return false;
}

/* Takes a report of a queue of this host. The nonce tells which request it quotes, wherever the
 * link's header ends.
 */
static bool take_report(const struct by_icmp *m, struct probe_answer *answer)
{
	char control[512] __attribute__((aligned(8)));
	uint8_t bytes[512];
	struct iovec iov = { bytes, sizeof(bytes) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t len;

	for (;;) {
		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
		len = recvmsg(m->fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT);
		if (len < 0)
			return false;
		for (unsigned int i = 0; is_expired(&msg) && i < m->count; i++) {
			if (!memmem(bytes, (size_t)len, &m->nonce[i], sizeof(m->nonce[i])))
				continue;
			*answer = (struct probe_answer){ .id = i, .here = true };
			return true;
		}
	}
}

static bool next_answer(struct probe_way *way, int64_t until, struct probe_answer *answer,
			int *signal)
{
	const struct by_icmp *m = (const struct by_icmp *)way;

	*signal = 0;
	for (;;) {
		int64_t soon = fl_now() + SLICE;

		if (take_report(m, answer) || take_reply(m, answer))
			return true;
		if (*signal || fl_now() >= until)
			return false;
		wait_input(m->fd, soon < until ? soon : until, signal);
	}
}

/* Lets the socket take replies alone, and report what expires in a queue of this host. */
static bool prepare(const struct by_icmp *m)
{
	const struct sock_txtime txtime = {
		.clockid = CLOCK_MONOTONIC,
		.flags = SOF_TXTIME_DEADLINE_MODE | SOF_TXTIME_REPORT_ERRORS,
	};
	const uint32_t filter = ~(1U << ICMP_ECHOREPLY);
	struct icmp6_filter filter6;

	ICMP6_FILTER_SETBLOCKALL(&filter6);
	ICMP6_FILTER_SETPASS(ICMP6_ECHO_REPLY, &filter6);
	if (is_ipv4(m) ? setsockopt(m->fd, SOL_RAW, ICMP_FILTER, &filter, sizeof(filter)) :
			 setsockopt(m->fd, IPPROTO_ICMPV6, ICMP6_FILTER, &filter6, sizeof(filter6)))
		return false;
	return !setsockopt(m->fd, SOL_SOCKET, SO_TXTIME, &txtime, sizeof(txtime));
}

static bool open_socket(struct by_icmp *m, const char *who)
{
	m->fd = socket(m->host->remote.sa.sa_family, SOCK_RAW | SOCK_CLOEXEC,
		       is_ipv4(m) ? IPPROTO_ICMP : IPPROTO_ICMPV6);
	if (m->fd < 0) {
		cli_error(who, "echo requests with a lifetime need CAP_NET_RAW: %s",
			  strerror(errno));
		return false;
	}
	if (prepare(m) && getrandom(m->nonce, sizeof(m->nonce), 0) == sizeof(m->nonce) &&
	    getrandom(&m->id, sizeof(m->id), 0) == sizeof(m->id))
		return true;
	cli_error(who, "cannot prepare the socket for echo requests: %s", strerror(errno));
	close(m->fd);
	return false;
}

enum probe_reached probe_by_icmp(const char *who, const struct probe_host *host,
				 struct probe_result *result)
{
	struct by_icmp m = {
		.way = { .send = send_probe, .next = next_answer, .tells_length = true },
		.host = host,
	};

	if (!open_socket(&m, who))
		return PROBE_FAILED;
	probe_run(&m.way, result);
	close(m.fd);
	return PROBE_REACHED;
}
