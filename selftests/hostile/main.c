// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sends hostile packets through a machine and judges the packets that leave it.
 *
 *	packets --in FD --out FD --family 4|6 --way forward|output|qdisc|print --seed N
 *		--count N --corpus FILE [--profile MS] [--cap MS] [--mark N] [--strip] [--cut]
 *
 * --in and --out are the wires of two Ethernet devices (tap): packets arrive through the
 * first and leave through the second. --way output sends through a raw socket instead.
 * After each batch a valid packet must pass. Each line of the corpus is one packet in hex.
 * Prints the counts. If a packet is wrong, prints it and exits with status 1. --way print only
 * prints the packets, one per line. Each line contains the parts to write to a device such as
 * --in, in hex.
 */
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "judge.h"

#define TEMPLATES	64
#define FRAME_MAX	(1 << 17)
#define PATIENCE_MS	20
#define TRIES		500

#define MAC_IN		"\x02\0\0\0\0\x0a"
#define MAC_SENDER	"\x02\0\0\0\0\x01"

static struct rules rules = { .version = 4 };
static struct tally tally;
static struct packet templates[TEMPLATES];
static struct shot shots[SENTINEL];
static unsigned int template_count, mark;
static unsigned long count, refused, sent;
static int in = -1, out = -1, raw = -1;

__attribute__((noreturn, format(printf, 1, 2)))
static void die(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	exit(2);
}

static void read_template(struct packet *p, const char *hex)
{
	unsigned int byte;

	p->version = rules.version;
	for (p->len = 0; p->len < PACKET_MAX && sscanf(hex, "%2x", &byte) == 1; hex += 2)
		p->data[p->len++] = byte;
}

static void read_corpus(const char *path)
{
	static char line[2 * PACKET_MAX + 200];
	FILE *file = fopen(path, "r");

	if (!file)
		die("# %s: %s\n", path, strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		if (*line == '#' || *line == '\n')
			continue;
		if (template_count == TEMPLATES)
			die("# %s: more than %d packets\n", path, TEMPLATES);
		read_template(&templates[template_count++], line);
	}
	fclose(file);
	if (!template_count)
		die("# %s: no packet\n", path);
}

static void good_shot(struct shot *s, const struct packet *p, unsigned int name)
{
	static const uint8_t protocols[7][2] = { [4] = { 8, 0 }, [6] = { 0x86, 0xdd } };

	memset(s, 0, sizeof(*s));
	s->packet = *p;
	memcpy(s->link, MAC_IN, 6);
	memcpy(s->link + 6, MAC_SENDER, 6);
	memcpy(s->link + 12, protocols[rules.version], 2);
	s->link_len = 14;
	shot_name(&s->packet, name);
	packet_fix_header(&s->packet);
}

/* Divides the frame into pieces at the cuts of the shot. A tap device with IFF_NAPI_FRAGS makes a
 * fragment of an skb from each piece. The first piece begins with virtio's header. The pieces are
 * valid until the next call. Returns their number.
 */
static size_t frame_pieces(const struct shot *s, struct iovec *pieces)
{
	static uint8_t buffer[FRAME_MAX];
	size_t head = sizeof(s->virtio), total = head + s->link_len + s->packet.len, at = 0, i;

	memcpy(buffer, &s->virtio, head);
	memcpy(buffer + head, s->link, s->link_len);
	memcpy(buffer + head + s->link_len, s->packet.data, s->packet.len);
	for (i = 0; i <= s->cut_count; i++) {
		size_t end = i < s->cut_count ? head + s->cuts[i] : total;

		pieces[i] = (struct iovec){ buffer + at, end - at };
		at = end;
	}
	return i;
}

static int send_frame(const struct shot *s)
{
	size_t total = sizeof(s->virtio) + s->link_len + s->packet.len;
	struct iovec pieces[CUTS + 1];

	return writev(in, pieces, frame_pieces(s, pieces)) == (ssize_t)total;
}

static void print_frame(const struct shot *s)
{
	struct iovec pieces[CUTS + 1];
	size_t many = frame_pieces(s, pieces), i, at;

	for (i = 0; i < many; i++) {
		const uint8_t *bytes = pieces[i].iov_base;

		for (at = 0; at < pieces[i].iov_len; at++)
			printf("%02x", bytes[at]);
		putchar(i + 1 < many ? ' ' : '\n');
	}
}

/* Change the packet as a raw socket does before LOCAL_OUT. */
static void make_raw(struct packet *p)
{
	if (rules.version == 4 && p->len >= 20) {
		put16(p->data + 2, p->len);
		packet_fix_header(p);
	}
}

/* Send to the destination of the valid packets, even if the packet has another destination. */
static int send_raw(const struct shot *s)
{
	const uint8_t *target = templates[0].data + (rules.version == 4 ? 16 : 24);
	struct sockaddr_in6 to6 = { .sin6_family = AF_INET6 };
	struct sockaddr_in to4 = { .sin_family = AF_INET };

	memcpy(&to4.sin_addr, target, sizeof(to4.sin_addr));
	memcpy(&to6.sin6_addr, target, sizeof(to6.sin6_addr));
	return sendto(raw, s->packet.data, s->packet.len, 0,
		      rules.version == 4 ? (void *)&to4 : &to6,
		      rules.version == 4 ? sizeof(to4) : sizeof(to6)) >= 0;
}

static void send_shot(const struct shot *s)
{
	sent++;
	if (!(rules.way == WAY_OUTPUT ? send_raw(s) : send_frame(s)))
		refused++;
}

/* Read and judge the packets that leave, until the valid packet leaves or no packet leaves for
 * @ms. Returns whether the valid packet left.
 */
static int receive(int ms)
{
	static uint8_t frame[FRAME_MAX];
	struct pollfd wire = { .fd = out, .events = POLLIN };
	ssize_t len;

	while (poll(&wire, 1, ms) == 1) {
		len = read(out, frame, sizeof(frame));
		if (len < 0)
			die("# reading from --out: %s\n", strerror(errno));
		if (judge(&rules, &tally, shots, frame, len) == SENTINEL)
			return 1;
	}
	return 0;
}

static void hostile_shot(struct shot *s, unsigned int name)
{
	good_shot(s, &templates[random_below(template_count)], name);
	shot_mutate(s, rules.way == WAY_QDISC);
	if (rules.way == WAY_OUTPUT)
		make_raw(&s->packet);
	else
		shot_offload(s);
}

static void batch(unsigned int size)
{
	unsigned int i;

	for (i = 0; i < size; i++) {
		hostile_shot(&shots[i], 1 + i);
		send_shot(&shots[i]);
	}
	good_shot(&shots[SENTINEL - 1], &templates[0], SENTINEL);
	for (i = 0; i < TRIES; i++) {
		send_shot(&shots[SENTINEL - 1]);
		if (receive(PATIENCE_MS))
			break;
	}
	if (i == TRIES) {
		printf("# no good packet passes any more\n");
		exit(1);
	}
	/* discard late packets, because the next batch uses the same names */
	receive(PATIENCE_MS);
	while (receive(PATIENCE_MS))
		;
}

static void open_raw(void)
{
	raw = socket(rules.version == 4 ? AF_INET : AF_INET6, SOCK_RAW, IPPROTO_RAW);
	if (raw < 0 || setsockopt(raw, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)))
		die("# raw socket: %s\n", strerror(errno));
}

static enum way way_named(const char *name)
{
	static const char *const names[] = { "forward", "output", "qdisc", "print" };
	int i;

	for (i = 0; i < 4; i++)
		if (!strcmp(name, names[i]))
			return i;
	die("# --way %s: expected forward, output, qdisc or print\n", name);
}

static void option(int letter, const char *value)
{
	unsigned long number = value ? strtoul(value, NULL, 0) : 0;

	switch (letter) {
	case 'i': in = number; break;
	case 'o': out = number; break;
	case 'f': rules.version = number; break;
	case 'w': rules.way = way_named(value); break;
	case 's': random_seed(number); break;
	case 'n': count = number; break;
	case 'c': read_corpus(value); break;
	case 'p': rules.profile = number; break;
	case 'a': rules.cap = number; break;
	case 'm': mark = number; break;
	case 'x': rules.strip = 1; break;
	case 't': rules.cut = 1; break;
	default: exit(2);
	}
}

static int print_all(void)
{
	unsigned long done;

	for (done = 0; done < count; done++) {
		hostile_shot(shots, 1 + done % SHOTS);
		print_frame(shots);
	}
	return 0;
}

int main(int argc, char *argv[])
{
	static const struct option options[] = {
		{ "in", 1, 0, 'i' }, { "out", 1, 0, 'o' }, { "family", 1, 0, 'f' },
		{ "way", 1, 0, 'w' }, { "seed", 1, 0, 's' }, { "count", 1, 0, 'n' },
		{ "corpus", 1, 0, 'c' }, { "profile", 1, 0, 'p' }, { "cap", 1, 0, 'a' },
		{ "mark", 1, 0, 'm' }, { "strip", 0, 0, 'x' }, { "cut", 0, 0, 't' }, { 0 },
	};
	unsigned long done;
	int letter;

	while ((letter = getopt_long(argc, argv, "", options, NULL)) != -1)
		option(letter, optarg);
	if (template_count && rules.way == WAY_PRINT)
		return print_all();
	if (out < 0 || !template_count || (rules.way != WAY_OUTPUT && in < 0))
		die("# expected --out, --corpus and, except with --way output, --in\n");
	if (rules.way == WAY_OUTPUT)
		open_raw();
	for (done = 0; done < count; done += SHOTS)
		batch(count - done < SHOTS ? count - done : SHOTS);
	printf("sent %lu refused %lu came %lu own %lu cut %lu stamped %lu stripped %lu capped %lu sums %lu\n",
	       sent, refused, tally.came, tally.own, tally.cut, tally.stamped, tally.stripped,
	       tally.capped, tally.sums);
	return 0;
}
