// SPDX-License-Identifier: GPL-2.0-or-later
/* The flow of a packet: see flow.h. */
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <stdio.h>
#include <string.h>

#include "../lib/units.h"
#include "address.h"
#include "cli.h"
#include "flow.h"

#define PORTS_LEN	4

static const uint8_t protocols[] = {
	IPPROTO_TCP, IPPROTO_UDP, IPPROTO_ICMP, IPPROTO_ICMPV6, IPPROTO_DCCP, IPPROTO_SCTP,
	IPPROTO_UDPLITE,
};

/* the words of protocols[] */
static const char *const protocol_words[] = {
	"tcp", "udp", "icmp", "icmpv6", "dccp", "sctp", "udplite", NULL,
};

const struct fl_option flow_option = {
	.word = "FLOW", .type = FL_WORD, .words = protocol_words, .def = FL_NO_DEFAULT,
};

static uint16_t get_u16(const uint8_t *at)
{
	return at[0] << 8 | at[1];
}

static bool protocol_has_ports(uint8_t protocol)
{
	switch (protocol) {
	case IPPROTO_TCP:
	case IPPROTO_UDP:
	case IPPROTO_DCCP:
	case IPPROTO_SCTP:
	case IPPROTO_UDPLITE:
		return true;
	default:
		return false;
	}
}

static void read_ports(struct flow *flow, const uint8_t *packet, size_t off, size_t len)
{
	flow->has_ports = protocol_has_ports(flow->protocol) && off + PORTS_LEN <= len;
	if (!flow->has_ports)
		return;
	flow->port[0] = get_u16(packet + off);
	flow->port[1] = get_u16(packet + off + 2);
}

static void read_ipv4(struct flow *flow, const uint8_t *packet, size_t len)
{
	struct ip ip;

	if (len < sizeof(ip))
		return;
	memcpy(&ip, packet, sizeof(ip));
	flow->is_ip = true;
	flow->protocol = ip.ip_p;
	flow->address[0] = address_map(ip.ip_src);
	flow->address[1] = address_map(ip.ip_dst);
	if (!(ntohs(ip.ip_off) & IP_OFFMASK) && ip.ip_hl * 4 >= sizeof(ip))
		read_ports(flow, packet, ip.ip_hl * 4, len);
}

/* Returns the length of an extension header, or 0 if the header is none. */
static size_t extension_len(uint8_t kind, const uint8_t *header)
{
	switch (kind) {
	case IPPROTO_HOPOPTS:
	case IPPROTO_ROUTING:
	case IPPROTO_DSTOPTS:
		return (header[1] + 1) * 8;
	case IPPROTO_FRAGMENT:
		return sizeof(struct ip6_frag);
	case IPPROTO_AH:
		return (header[1] + 2) * 4;
	default:
		return 0;
	}
}

static void read_ipv6(struct flow *flow, const uint8_t *packet, size_t len)
{
	size_t off = sizeof(struct ip6_hdr), step;
	bool first = true;
	struct ip6_hdr ip;

	if (len < sizeof(ip))
		return;
	memcpy(&ip, packet, sizeof(ip));
	flow->is_ip = true;
	flow->protocol = ip.ip6_nxt;
	flow->address[0] = ip.ip6_src;
	flow->address[1] = ip.ip6_dst;
	while (off + PORTS_LEN <= len) {
		step = extension_len(flow->protocol, packet + off);
		if (!step)
			break;
		if (flow->protocol == IPPROTO_FRAGMENT)
			first = !(get_u16(packet + off + 2) & ~7);
		flow->protocol = packet[off];
		off += step;
	}
	if (first)
		read_ports(flow, packet, off, len);
}

void flow_read(struct flow *flow, uint16_t ethertype, const uint8_t *packet, size_t len)
{
	*flow = (struct flow){ .ethertype = ethertype };
	if (ethertype == ETH_P_IP)
		read_ipv4(flow, packet, len);
	else if (ethertype == ETH_P_IPV6)
		read_ipv6(flow, packet, len);
}

/* Returns the protocol's word, or its number in @number. */
static const char *protocol_word(uint8_t protocol, char number[4])
{
	for (size_t i = 0; i < sizeof(protocols); i++)
		if (protocols[i] == protocol)
			return protocol_words[i];
	snprintf(number, 4, "%u", protocol);
	return number;
}

static const char *format_address(const struct in6_addr *address, char text[INET6_ADDRSTRLEN])
{
	struct in_addr ipv4 = address_unmap(address);

	if (IN6_IS_ADDR_V4MAPPED(address))
		return inet_ntop(AF_INET, &ipv4, text, INET6_ADDRSTRLEN);
	return inet_ntop(AF_INET6, address, text, INET6_ADDRSTRLEN);
}

void flow_report(struct report *r, const struct flow *flow)
{
	static const char *const keys[2][2] = {
		{ "source", "source_port" }, { "destination", "destination_port" },
	};
	char ethertype[8], number[4], address[INET6_ADDRSTRLEN];

	if (!flow->is_ip) {
		snprintf(ethertype, sizeof(ethertype), "0x%04x", flow->ethertype);
		report_text(r, "ethertype", ethertype);
		return;
	}
	report_text(r, "protocol", protocol_word(flow->protocol, number));
	for (int i = 0; i < 2; i++) {
		report_text(r, keys[i][0], format_address(&flow->address[i], address));
		if (flow->has_ports)
			report_number(r, keys[i][1], flow->port[i]);
	}
}

/* Only an IPv6 address with a port needs brackets. */
static const char *format_end(const struct flow *flow, int end, char *buf, size_t len)
{
	bool brackets = flow->has_ports && !IN6_IS_ADDR_V4MAPPED(&flow->address[end]);
	char address[INET6_ADDRSTRLEN], port[8] = "";

	if (flow->has_ports)
		snprintf(port, sizeof(port), ":%u", flow->port[end]);
	snprintf(buf, len, "%s%s%s%s", brackets ? "[" : "",
		 format_address(&flow->address[end], address), brackets ? "]" : "", port);
	return buf;
}

const char *flow_format(const struct flow *flow, char buf[FLOW_TEXT])
{
	char number[4], end[2][INET6_ADDRSTRLEN + 8];

	if (!flow->is_ip)
		snprintf(buf, FLOW_TEXT, "0x%04x", flow->ethertype);
	else
		snprintf(buf, FLOW_TEXT, "%s %s > %s", protocol_word(flow->protocol, number),
			 format_end(flow, 0, end[0], sizeof(end[0])),
			 format_end(flow, 1, end[1], sizeof(end[1])));
	return buf;
}

bool flow_is_same(const struct flow *a, const struct flow *b)
{
	return a->ethertype == b->ethertype && a->is_ip == b->is_ip &&
	       a->protocol == b->protocol && a->has_ports == b->has_ports &&
	       !memcmp(a->port, b->port, sizeof(a->port)) &&
	       !memcmp(a->address, b->address, sizeof(a->address));
}

static bool parse_protocol(const char *text, struct flow_word *word)
{
	for (int i = 0; protocol_words[i]; i++)
		if (!strcmp(protocol_words[i], text)) {
			word->protocol = protocols[i];
			return true;
		}
	return false;
}

static bool parse_port(const char *text, struct flow_word *word)
{
	uint64_t number;

	if (!fl_parse(text, fl_units_none, &number) || !number || number > UINT16_MAX)
		return false;
	word->port = number;
	return true;
}

static bool parse_word(const char *text, struct flow_word *word)
{
	*word = (struct flow_word){ 0 };
	return parse_protocol(text, word) || parse_port(text, word) ||
	       prefix_parse(text, &word->prefix);
}

bool flow_filter_parse(struct flow_filter *filter, const char *who, char **words, int count)
{
	if (count > FLOW_WORDS_MAX) {
		cli_error(who, "too many words FLOW: expected at most %d", FLOW_WORDS_MAX);
		return false;
	}
	filter->count = count;
	for (int i = 0; i < count; i++) {
		if (parse_word(words[i], &filter->word[i]))
			continue;
		cli_error(who, "FLOW %s: expected tcp, udp, icmp, icmpv6, dccp, sctp, udplite, a port from 1 to 65535, an address, or a prefix such as 192.0.2.0/24 or 2001:db8::/32",
			  words[i]);
		return false;
	}
	return true;
}

static bool word_has(const struct flow_word *word, const struct flow *flow)
{
	if (word->protocol)
		return flow->protocol == word->protocol;
	for (int i = 0; i < 2; i++)
		if (word->port ? flow->has_ports && flow->port[i] == word->port :
				 prefix_has(&word->prefix, &flow->address[i]))
			return true;
	return false;
}

bool flow_filter_has(const struct flow_filter *filter, const struct flow *flow)
{
	for (int i = 0; i < filter->count; i++)
		if (!flow->is_ip || !word_has(&filter->word[i], flow))
			return false;
	return true;
}
