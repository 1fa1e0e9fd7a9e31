// SPDX-License-Identifier: GPL-2.0-or-later
/* freshlink notify: sends a message to the source of a packet, as a link does. The message says
 * what has happened to the packet.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netlink/attr.h>
#include <stdio.h>
#include <string.h>

#include "../lib/rto.h"
#include "rto_family.h"

enum { PACKET };

static const struct fl_option options[] = {
	[PACKET] = { .word = "--packet", .type = FL_TEXT, .attr = XRTO_A_PACKET,
		     .unit = "file", .def = FL_NO_DEFAULT, .required = true,
		     .help = "the packet's bytes from its IP header on; - for standard input" },
	{ .word = NULL },
};

CLI_FITS(options);

static const struct fl_option code = {
	.word = "CODE", .type = FL_WORD, .attr = XRTO_A_CODE,
	.words = rto_code_words, .def = FL_NO_DEFAULT,
};

struct packet {
	uint8_t byte[XRTO_PACKET_MAX];
	size_t len;
};

/* Reads the first XRTO_PACKET_MAX bytes of the packet, because the message needs no more bytes. */
static bool read_packet(const struct cli_args *args, struct packet *packet)
{
	const char *path = args->values[PACKET].text;
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	bool read;

	if (file) {
		packet->len = fread(packet->byte, 1, sizeof(packet->byte), file);
		read = !ferror(file);
		if (file != stdin)
			fclose(file);
		if (read)
			return true;
	}
	cli_error(args->who, "--packet %s: expected a file that can be read: %s",
		  path, strerror(errno));
	return false;
}

/* Prints the source address of an IP packet. Returns false for other packets. */
static bool source_of(const struct packet *packet, char *text, size_t len)
{
	if (packet->len >= sizeof(struct ip) && packet->byte[0] >> 4 == 4)
		return inet_ntop(AF_INET, packet->byte +
				 offsetof(struct ip, ip_src), text, len);
	if (packet->len >= sizeof(struct ip6_hdr) && packet->byte[0] >> 4 == 6)
		return inet_ntop(AF_INET6, packet->byte +
				 offsetof(struct ip6_hdr, ip6_src), text, len);
	return false;
}

/* Prints an address in the same form as source_of(). */
static bool plain_address(const char *host, char *text, size_t len)
{
	struct in6_addr address;
	int family = strchr(host, ':') ? AF_INET6 : AF_INET;

	return inet_pton(family, host, &address) == 1 &&
	       inet_ntop(family, &address, text, len);
}

/* Checks that the packet is from the host, because a host must not receive messages about
 * packets of other hosts.
 */
static bool check_host(const struct cli_args *args, const struct packet *packet)
{
	char host[INET6_ADDRSTRLEN], source[INET6_ADDRSTRLEN];

	if (!plain_address(args->operand, host, sizeof(host))) {
		cli_error(args->who, "HOST %s: expected an IPv4 or IPv6 address",
			  args->operand);
		return false;
	}
	if (!source_of(packet, source, sizeof(source))) {
		cli_error(args->who, "--packet %s: expected an IP packet, from its IP header on",
			  args->values[PACKET].text);
		return false;
	}
	if (!strcmp(host, source))
		return true;
	cli_error(args->who, "--packet %s: expected a packet from %s, this one is from %s",
		  args->values[PACKET].text, host, source);
	return false;
}

static int run(const struct cli_args *args)
{
	struct packet packet;
	struct nl_msg *msg;
	struct family x;
	bool done;

	if (!read_packet(args, &packet) || !check_host(args, &packet) ||
	    !rto_open(&x, args))
		return EXIT_FAILED;
	msg = family_message(&x, XRTO_CMD_NOTIFY);
	nla_put_u8(msg, XRTO_A_CODE, args->verb.number);
	nla_put(msg, XRTO_A_PACKET, packet.len, packet.byte);
	done = family_request(&x, msg);
	family_close(&x);
	return done ? EXIT_OK : EXIT_FAILED;
}

const struct command notify_command = {
	.name = "notify",
	.operand = "HOST",
	.verb = &code,
	.summary = "inform a host about the fate of a packet that it has sent",
	.options = options,
	.run = run,
};
