// SPDX-License-Identifier: GPL-2.0-or-later
/* Probes and their answers: see prober.h. */
#include <errno.h>
#include <time.h>
#include <linux/errqueue.h>
#include <linux/lpd_genl.h>
#include <linux/net_tstamp.h>
#include <netdb.h>
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "../lib/clock.h"
#include "../lib/units.h"
#include "../stamp/timestamp.h"
#include "cli.h"
#include "key.h"
#include "prober.h"

#define KEY_MIN		16	/* bytes */
#define NONCE_BITS	16	/* random bits, which are 15 us of a time stamp */
#define LINK_BYTES	18	/* longest link-layer header: Ethernet with a tag */
#define LATE_MAX	(int64_t)FL_SEC	/* older time stamps are not used */

/* An ICMP echo request or reply. The header of ICMPv6 has the same fields at the same offsets. */
struct echo {
	struct icmphdr header;
	uint64_t nonce;
} __attribute__((packed));

/* A received message with its control messages. */
struct message {
	uint8_t bytes[256];
	char control[256] __attribute__((aligned(8)));
	struct sockaddr_storage from;
	struct iovec iov;
	struct msghdr hdr;
	ssize_t len;
};

static int family(const struct prober *p)
{
	return p->hosts[0].address.ss_family;
}

static bool find_host(struct prober_host *host, const char *who, uint16_t port)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_DGRAM };
	struct addrinfo *found;
	char text[8];
	int err;

	snprintf(text, sizeof(text), "%u", port);
	err = getaddrinfo(host->name, text, &hints, &found);
	if (err) {
		cli_error(who, "--reflector %s: expected an address or a known name: %s",
			  host->name, gai_strerror(err));
		return false;
	}
	memcpy(&host->address, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return true;
}

/* Copies the next word of a list and returns the rest, or NULL if the word is wrong. */
static const char *next_word(const char *list, char *word, size_t size)
{
	size_t len = strcspn(list, ",");

	if (!len || len >= size)
		return NULL;
	memcpy(word, list, len);
	word[len] = '\0';
	return list[len] ? list + len + 1 : list + len;
}

bool prober_find(struct prober *p, const char *who, const char *list,
		 uint16_t port)
{
	const char *rest = list;

	for (p->count = 0; p->count < PROBER_HOSTS; p->count++) {
		struct prober_host *host = &p->hosts[p->count];

		rest = next_word(rest, host->name, sizeof(host->name));
		if (!rest)
			break;
		if (!find_host(host, who, port))
			return false;
		if (host->address.ss_family != family(p)) {
			cli_error(who, "--reflector %s: expected addresses of the same family, IPv4 or IPv6",
				  list);
			return false;
		}
		if (!*rest && rest[-1] != ',') {
			p->count++;
			return true;
		}
	}
	cli_error(who, "--reflector %s: expected one to %d hosts, separated by commas",
		  list, PROBER_HOSTS);
	return false;
}

bool prober_read_key(struct prober *p, const char *who, const struct fl_value *value)
{
	static struct stamp_key ready;
	struct key key;

	if (!value->set)
		return true;
	if (!key_read(who, value->text, KEY_MIN, KEY_MAX, &key))
		return false;
	stamp_set_key(&ready, key.byte, key.len);
	p->key = &ready;
	return true;
}

uint32_t prober_bytes(const struct prober *p)
{
	uint32_t payload = p->echo ? sizeof(struct echo) : 8 + stamp_len(p->key);

	if (p->datagram)
		payload = 8 + p->datagram;
	return LINK_BYTES + (family(p) == AF_INET ? 20 : 40) + payload;
}

static int protocol(const struct prober *p)
{
	if (!p->echo)
		return IPPROTO_UDP;
	return family(p) == AF_INET ? IPPROTO_ICMP : IPPROTO_ICMPV6;
}

static bool set_int(int fd, int level, int name, int value)
{
	return !setsockopt(fd, level, name, &value, sizeof(value));
}

bool prober_open(struct prober *p, unsigned int ifindex)
{
	p->fd = socket(family(p), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
		       protocol(p));
	if (p->fd < 0)
		return false;
	memset(p->asked, 0, sizeof(p->asked));
	if (set_int(p->fd, SOL_SOCKET, SO_BINDTOIFINDEX, ifindex) &&
	    (p->ordinary ||
	     set_int(p->fd, SOL_SOCKET, SO_PRIORITY, LPD_PRIORITY_PROBE)) &&
	    set_int(p->fd, SOL_SOCKET, SO_TIMESTAMPING,
		    SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE |
		    (p->ordinary ? 0 : SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_TX_SCHED)))
		return true;
	prober_close(p);
	return false;
}

void prober_close(struct prober *p)
{
	int error = errno;

	close(p->fd);
	p->fd = -1;
	errno = error;
}

static bool read_message(struct prober *p, struct message *m, int flags)
{
	m->iov = (struct iovec){ m->bytes, sizeof(m->bytes) };
	m->hdr = (struct msghdr){
		.msg_name = &m->from, .msg_namelen = sizeof(m->from),
		.msg_iov = &m->iov, .msg_iovlen = 1,
		.msg_control = m->control, .msg_controllen = sizeof(m->control),
	};
	m->len = recvmsg(p->fd, &m->hdr, MSG_DONTWAIT | flags);
	return m->len >= 0;
}

static const struct cmsghdr *find_control(struct message *m, int level, int type)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(&m->hdr);

	for (; c; c = CMSG_NXTHDR(&m->hdr, c))
		if (c->cmsg_level == level && c->cmsg_type == type)
			return c;
	return NULL;
}

/* Reads the kernel's number of a packet from the packet's time stamp in the error queue. */
static bool read_id(struct message *m, uint32_t *id)
{
	const struct cmsghdr *c = find_control(m, IPPROTO_IP, IP_RECVERR);
	struct sock_extended_err error;

	if (!c)
		c = find_control(m, IPPROTO_IPV6, IPV6_RECVERR);
	if (!c || c->cmsg_len < CMSG_LEN(sizeof(error)))
		return false;
	memcpy(&error, CMSG_DATA(c), sizeof(error));
	*id = error.ee_data;
	return error.ee_origin == SO_EE_ORIGIN_TIMESTAMPING;
}

static size_t write_probe(const struct prober *p, const struct asked *asked,
			  uint8_t *bytes)
{
	struct echo echo = { .nonce = asked->nonce };

	if (p->echo) {
		echo.header.type = family(p) == AF_INET ? ICMP_ECHO :
				   ICMP6_ECHO_REQUEST;
		echo.header.un.echo.sequence = htons(asked->number);
		memcpy(bytes, &echo, sizeof(echo));
		return sizeof(echo);
	}
	stamp_put_test(bytes, p->key, &(struct stamp_test){
		.sequence = asked->number, .timestamp = asked->nonce,
		.error = stamp_error(FL_SEC, false) });
	return stamp_len(p->key);
}

/* Reads number and nonce of a probe that the kernel returned with its headers. */
static bool read_own(const struct prober *p, const struct message *m,
		     uint32_t *number, uint64_t *nonce)
{
	size_t len = p->echo ? sizeof(struct echo) : stamp_len(p->key);
	const uint8_t *probe = m->bytes + m->len - len;
	struct stamp_test test;
	struct echo echo;

	if ((size_t)m->len < len)
		return false;
	if (p->echo) {
		memcpy(&echo, probe, sizeof(echo));
		*number = ntohs(echo.header.un.echo.sequence);
		*nonce = echo.nonce;
		return true;
	}
	if (stamp_get_test(probe, len, p->key, &test) != STAMP_GOOD)
		return false;
	*number = test.sequence;
	*nonce = test.timestamp;
	return true;
}

/* Learns the numbers that the kernel gave to probes, from the time stamps in the error queue. */
static void learn_ids(struct prober *p)
{
	uint32_t id, number;
	struct message m;
	uint64_t nonce;

	while (read_message(p, &m, MSG_ERRQUEUE)) {
		struct asked *asked;

		if (!read_id(&m, &id) || !read_own(p, &m, &number, &nonce))
			continue;
		asked = &p->asked[number % PROBER_ASKED];
		if (asked->nonce != nonce)
			continue;
		asked->id = id;
		asked->waits = true;
	}
}

/* The low bits of the time stamp are random, so that only a host on the path can answer. */
static bool make_nonce(uint64_t *nonce)
{
	uint64_t random, low = (1 << NONCE_BITS) - 1;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return false;
	*nonce = (stamp_time(fl_real()) & ~low) | (random & low);
	return true;
}

bool prober_send(struct prober *p, uint32_t number, unsigned int host)
{
	struct asked *asked = &p->asked[number % PROBER_ASKED];
	const struct sockaddr_storage *to = &p->hosts[host].address;
	static uint8_t bytes[PROBER_DATAGRAM];
	size_t len;

	*asked = (struct asked){ .number = number, .host = host };
	if (!make_nonce(&asked->nonce))
		return false;
	len = write_probe(p, asked, bytes);
	if (sendto(p->fd, bytes, p->datagram ? p->datagram : len, 0, (const struct sockaddr *)to,
		   to->ss_family == AF_INET ? sizeof(struct sockaddr_in) :
					      sizeof(struct sockaddr_in6)) < 0)
		return false;
	if (p->ordinary)
		asked->waits = true;
	else
		learn_ids(p);
	return true;
}

static bool same_address(const struct sockaddr_storage *a,
			 const struct sockaddr_storage *b, bool with_port)
{
	const struct sockaddr_in *a4 = (const void *)a, *b4 = (const void *)b;
	const struct sockaddr_in6 *a6 = (const void *)a, *b6 = (const void *)b;

	/* the port is at the same offset in both families */
	if (a->ss_family != b->ss_family ||
	    (with_port && a4->sin_port != b4->sin_port))
		return false;
	if (a->ss_family == AF_INET)
		return a4->sin_addr.s_addr == b4->sin_addr.s_addr;
	return !memcmp(&a6->sin6_addr, &b6->sin6_addr, sizeof(a6->sin6_addr));
}

/* Finds the probe with a number and a nonce, if it expects an answer of this host. Then the probe
 * expects no further answer.
 */
static struct asked *take_asked(struct prober *p, const struct message *m,
				uint32_t number, uint64_t nonce)
{
	uint32_t mask = p->echo ? UINT16_MAX : UINT32_MAX;
	struct asked *asked = &p->asked[number % PROBER_ASKED];

	if (!asked->waits || (asked->number & mask) != number ||
	    asked->nonce != nonce ||
	    !same_address(&m->from, &p->hosts[asked->host].address, !p->echo))
		return NULL;
	asked->waits = false;
	return asked;
}

/* Returns the time on CLOCK_MONOTONIC at which a message arrived. The kernel's time stamp is
 * CLOCK_REALTIME.
 */
static int64_t heard_at(struct message *m)
{
	const struct cmsghdr *c = find_control(m, SOL_SOCKET, SCM_TIMESTAMPING);
	int64_t now = fl_now(), late;
	struct scm_timestamping stamps;

	if (!c || c->cmsg_len < CMSG_LEN(sizeof(stamps)))
		return now;
	memcpy(&stamps, CMSG_DATA(c), sizeof(stamps));
	late = fl_real() - (stamps.ts[0].tv_sec * (int64_t)FL_SEC +
			    stamps.ts[0].tv_nsec);
	return late > 0 && late < LATE_MAX ? now - late : now;
}

static int64_t ns_of(uint64_t stamp)
{
	return (stamp >> 32) * FL_SEC + ((stamp & UINT32_MAX) * FL_SEC >> 32);
}

static struct asked *read_echo(struct prober *p, const struct message *m)
{
	struct echo echo;
	uint8_t reply = family(p) == AF_INET ? ICMP_ECHOREPLY :
					       ICMP6_ECHO_REPLY;

	if ((size_t)m->len < sizeof(echo))
		return NULL;
	memcpy(&echo, m->bytes, sizeof(echo));
	if (echo.header.type != reply)
		return NULL;
	return take_asked(p, m, ntohs(echo.header.un.echo.sequence), echo.nonce);
}

static struct asked *read_reflected(struct prober *p, const struct message *m,
				    struct prober_answer *answer)
{
	struct stamp_reflected r;

	if (stamp_get_reflected(m->bytes, m->len, p->key, &r) != STAMP_GOOD)
		return NULL;
	answer->has_times = true;
	answer->reached = ns_of(r.received);
	return take_asked(p, m, r.test.sequence, r.test.timestamp);
}

enum prober_event prober_receive(struct prober *p, struct prober_answer *answer)
{
	struct asked *asked;
	struct message m;

	if (!read_message(p, &m, 0))
		return PROBER_NOTHING;
	*answer = (struct prober_answer){ 0 };
	asked = p->echo ? read_echo(p, &m) : read_reflected(p, &m, answer);
	if (!asked)
		return PROBER_OTHER;
	answer->number = asked->number;
	answer->id = asked->id;
	answer->host = asked->host;
	answer->heard = heard_at(&m);
	return PROBER_ANSWER;
}
