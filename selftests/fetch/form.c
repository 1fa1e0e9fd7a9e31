// SPDX-License-Identifier: GPL-2.0-or-later
/* Forms of packets: headers of many kinds and lengths, one after the other. In a quarter of the
 * forms one byte is random.
 */
#include "kernel.h"
#include "parser.h"
#include <net/xlo.h>

/**
 * struct form - a packet that is being written
 * @at: its first byte
 * @len: bytes written so far
 * @max: bytes of the whole packet
 * @next: where to write the type of the next header
 */
struct form {
	u8 *at;
	u32 len;
	u32 max;
	u8 *next;
};

/* Append @len zeroed bytes. Returns NULL if the bytes do not fit. */
static u8 *add(struct form *f, u32 len)
{
	u8 *at = f->at + f->len;

	if (len > f->max - f->len)
		return NULL;
	memset(at, 0, len);
	f->len += len;
	return at;
}

static void write_option(u8 *at, u8 type, u8 length, u64 *state)
{
	at[0] = type;
	at[1] = length;
	at[2] = 3;
	at[3] = chance(state, 64) & ~XLO_STALE_MASK;
	put_unaligned_be32(chance(state, 2000), at + 4);
}

/* An IPv4 header: without options, or with padding and in most cases our option. */
static void add_ipv4(struct form *f, const struct packet *p, u64 *state)
{
	u32 words = chance(state, 2) ? chance(state, 11) : 2 * chance(state, 2);
	u8 *ip = add(f, 20 + words * 4);

	ip[0] = 0x45 + words;
	put_unaligned_be16(p->len - p->ip, ip + 2);
	if (!chance(state, 4))
		put_unaligned_be16(chance(state, 3) ? IP_MF : 3, ip + 6);
	ip[8] = 64;
	put_unaligned_be32(0xc0000201, ip + 12);
	put_unaligned_be32(0xc6336407, ip + 16);
	memset(ip + 20, XLO_IPV4_NOP, words * 4);
	if (words >= 2)
		write_option(ip + 20 + chance(state, words - 1) * 4,
			     XLO_TYPE_IPV4, XLO_LEN, state);
	f->next = ip + 9;
}

/* A hop-by-hop header with our option, if it fits, and padding. */
static void fill_hop(u8 *hdr, u32 size, u64 *state)
{
	u32 at = 4, pad;

	hdr[2] = XLO_IPV6_PADN;
	if (size >= 16) {
		write_option(hdr + 4, XLO_TYPE_IPV6_RELATIVE, XLO_IPV6_DATA_LEN,
			     state);
		at = 12;
	}
	for (; at < size; at += pad) {
		pad = min(size - at, 4U);
		hdr[at] = XLO_IPV6_PADN;
		hdr[at + 1] = pad - 2;
	}
}

static bool add_extension(struct form *f, u8 kind, u64 *state)
{
	u32 size = kind == NEXTHDR_FRAGMENT ? 8 : 8 + chance(state, 8) * 8;
	u8 *hdr = add(f, size);

	if (!hdr)
		return false;
	*f->next = kind;
	f->next = hdr;
	if (kind == NEXTHDR_FRAGMENT) {
		hdr[3] = !chance(state, 2);
		return true;
	}
	hdr[1] = size / 8 - 1;
	if (kind == NEXTHDR_HOP)
		fill_hop(hdr, size, state);
	else if (kind == NEXTHDR_ROUTING)
		hdr[3] = !chance(state, 4);
	return true;
}

static void add_ipv6(struct form *f, const struct packet *p, u64 *state)
{
	static const u8 kinds[] = { NEXTHDR_ROUTING, NEXTHDR_DEST,
				    NEXTHDR_FRAGMENT, NEXTHDR_FRAGMENT };
	u8 *ip = add(f, 40);
	int more;

	ip[0] = 0x60;
	put_unaligned_be16(p->len - p->ip - 40, ip + 4);
	ip[7] = 64;
	ip[8] = 0x20;
	ip[24] = 0x20;
	f->next = ip + 6;
	if (chance(state, 3))
		add_extension(f, NEXTHDR_HOP, state);
	for (more = chance(state, 4); more; more--)
		if (!add_extension(f, kinds[chance(state, sizeof(kinds))],
				   state))
			break;
}

/* A TCP header whose options have an MSS at a random position. */
static void add_tcp(struct form *f, const struct packet *p, u64 *state)
{
	u32 words = chance(state, 11), mss = chance(state, words * 4 + 1);
	u8 *tcp = add(f, 20 + words * 4);

	if (!tcp)
		return;
	tcp[12] = (5 + words) << 4;
	tcp[13] = p->syn ? 2 : 16;
	memset(tcp + 20, TCPOPT_NOP, words * 4);
	if (mss + 4 > words * 4)
		return;
	tcp[20 + mss] = 2;
	tcp[21 + mss] = 4;
	put_unaligned_be16(1460, tcp + 22 + mss);
}

static void add_udp(struct form *f, u64 *state)
{
	u32 rest = f->max - f->len;
	u8 *udp = add(f, 8);

	if (!udp)
		return;
	put_unaligned_be16(chance(state, 4) ? rest : chance(state, rest), udp + 4);
	put_unaligned_be16(0x1234, udp + 6);
}

static void add_dccp(struct form *f, u64 *state)
{
	u8 *dccp = add(f, 24);

	if (!dccp)
		return;
	dccp[4] = 4 + chance(state, 12);
	dccp[5] = chance(state, 16);
	dccp[8] = chance(state, 2);
}

static void add_transport(struct form *f, const struct packet *p, u64 *state)
{
	static const u8 protos[] = { IPPROTO_TCP, IPPROTO_UDP, IPPROTO_DCCP };

	*f->next = p->proto ?: protos[chance(state, sizeof(protos))];
	if (*f->next == IPPROTO_TCP)
		add_tcp(f, p, state);
	else if (*f->next == IPPROTO_UDP)
		add_udp(f, state);
	else
		add_dccp(f, state);
}

void form_packet(u8 *at, const struct packet *p, u64 *state)
{
	struct form f = { .at = at, .max = p->len };
	u32 first;

	memset(at, chance(state, 256), p->len);
	if (p->ip)
		put_unaligned_be16(p->ipv6 ? ETH_P_IPV6 : ETH_P_IP,
				   add(&f, p->ip) + 12);
	if (p->ipv6)
		add_ipv6(&f, p, state);
	else
		add_ipv4(&f, p, state);
	add_transport(&f, p, state);
	/* sometimes break one byte, but not the version that the stack checks before a hook */
	first = p->ip ?: 1;
	if (!chance(state, 4))
		at[first + chance(state, f.len - first)] = chance(state, 256);
}
