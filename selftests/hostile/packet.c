// SPDX-License-Identifier: GPL-2.0-or-later
/* See packet.h. */
#include "packet.h"

#include <string.h>

#include "../codec/reference.h"

enum {
	NO_OPERATION = 1,
	HOP_BY_HOP = 0,
	TCP = 6,
	UDP = 17,
	DCCP = 33,
	ROUTING = 43,
	FRAGMENT = 44,
	AUTHENTICATION = 51,
	DESTINATION = 60,
	LOOSE_ROUTE = 131,
	STRICT_ROUTE = 137,
};

unsigned int get16(const uint8_t *at)
{
	return at[0] << 8 | at[1];
}

void put16(uint8_t *at, unsigned int value)
{
	at[0] = value >> 8;
	at[1] = value & 0xff;
}

/* Whether a header of this length has a source route or unreadable options. */
static int source_routed(const uint8_t *data, size_t header)
{
	size_t at = 20;

	while (at < header && data[at]) {
		if (data[at] == LOOSE_ROUTE || data[at] == STRICT_ROUTE)
			return 1;
		if (data[at] != NO_OPERATION && (at + 1 == header || data[at + 1] < 2))
			return 1;
		at += data[at] == NO_OPERATION ? 1 : data[at + 1];
	}
	return 0;
}

static void view4(const struct packet *p, struct view *v)
{
	size_t header = p->data[0] % 16 * 4;
	unsigned int field = get16(p->data + 6);

	v->rest = header;
	v->end = get16(p->data + 2);
	v->whole = header >= 20 && v->end >= header && v->end <= p->len;
	v->proto = p->data[9];
	v->fragment = field & 0x3fff;
	v->transport = field & 0x1fff ? 0 : header;
	v->routed = v->whole && source_routed(p->data, header);
}

/* Length of the extension header at @at, which may exceed the packet. 0 if there is no extension
 * header, or if its first 8 bytes are not in the packet.
 */
static size_t extension(const struct packet *p, const struct view *v, size_t at)
{
	if (at + 8 > v->end)
		return 0;
	switch (v->proto) {
	case HOP_BY_HOP:
	case ROUTING:
	case DESTINATION:
		return 8 + 8 * p->data[at + 1];
	case FRAGMENT:
		return 8;
	case AUTHENTICATION:
		return 8 + 4 * p->data[at + 1];
	default:
		return 0;
	}
}

static void view6(const struct packet *p, struct view *v)
{
	int later = 0;
	size_t at, size;

	v->rest = reference_header_size(p->data, p->len, 6);
	v->end = 40 + get16(p->data + 4);
	v->whole = v->end <= p->len && v->rest && v->rest <= v->end;
	v->proto = p->data[6];
	if (!v->whole)
		return;
	for (at = 40; !later && (size = extension(p, v, at)); at += size) {
		if (v->proto == ROUTING)
			v->routed = 1;
		if (v->proto == FRAGMENT && get16(p->data + at + 2) & ~6U) {
			v->fragment = 1;
			later = get16(p->data + at + 2) & ~7U;
		}
		v->proto = p->data[at];
	}
	v->transport = later || at > v->end ? 0 : at;
}

struct view packet_view(const struct packet *p)
{
	struct view v = { 0 };

	if (p->len < (p->version == 4 ? 20 : 40) || p->data[0] / 16 != p->version)
		return v;
	if (p->version == 4)
		view4(p, &v);
	else
		view6(p, &v);
	return v;
}

size_t packet_check_offset(unsigned int proto)
{
	return proto == TCP ? 16 : proto == UDP || proto == DCCP ? 6 : 0;
}

static uint64_t sum_bytes(const uint8_t *data, size_t size)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < size; i++)
		sum += (uint64_t)data[i] << (i % 2 ? 0 : 8);
	return sum;
}

static unsigned int fold(uint64_t sum)
{
	return sum ? (sum - 1) % 65535 + 1 : 0;
}

static uint64_t sum_pseudo(const struct packet *p, const struct view *v, size_t len)
{
	return (p->version == 4 ? sum_bytes(p->data + 12, 8) : sum_bytes(p->data + 8, 32)) +
	       len + v->proto;
}

/* Get the length for the pseudo header and the number of bytes that the checksum covers.
 * Returns 0 if the length or the number is unknown.
 */
static int coverage(const struct packet *p, const struct view *v, size_t *len, size_t *covered)
{
	const uint8_t *header = p->data + v->transport;
	size_t room = v->end - v->transport;

	if (!v->whole || !v->transport || v->fragment || v->routed ||
	    !packet_check_offset(v->proto) || room < (v->proto == TCP ? 20 : v->proto == UDP ? 8 : 12))
		return 0;
	*len = *covered = room;
	if (v->proto == UDP) {
		*len = *covered = get16(header + 4);
		return *len >= 8 && *len <= room;
	}
	if (v->proto == TCP)
		return header[12] / 16 * 4 >= 20 && header[12] / 16 * 4U <= room;
	if (header[5] % 16)
		*covered = header[4] * 4 + (header[5] % 16 - 1) * 4;
	return header[4] >= 3 && header[4] * 4U <= room && *covered <= room;
}

enum sum packet_sum(const struct packet *p, const struct view *v)
{
	size_t len, covered;
	uint64_t sum;

	if (!coverage(p, v, &len, &covered))
		return SUM_UNKNOWN;
	if (v->proto == UDP && !get16(p->data + v->transport + 6))
		return SUM_ABSENT;
	sum = sum_pseudo(p, v, len) + sum_bytes(p->data + v->transport, covered);
	return fold(sum) == 0xffff ? SUM_RIGHT : SUM_WRONG;
}

int packet_header_sum_right(const struct packet *p)
{
	return reference_ipv4_sum(p->data, p->data[0] % 16 * 4, 1) == 0xffff;
}

void packet_fix_header(struct packet *p)
{
	size_t header = p->data[0] % 16 * 4;

	if (p->version == 4 && header >= 20 && header <= p->len)
		put16(p->data + 10, 0xffff - reference_ipv4_sum(p->data, header, 0));
}

void packet_fix_sum(struct packet *p, const struct view *v)
{
	uint8_t *check = p->data + v->transport + packet_check_offset(v->proto);
	size_t len, covered;
	unsigned int sum;

	if (!coverage(p, v, &len, &covered))
		return;
	put16(check, 0);
	sum = 0xffff - fold(sum_pseudo(p, v, len) + sum_bytes(p->data + v->transport, covered));
	put16(check, !sum && v->proto == UDP ? 0xffff : sum);
}

void packet_begin_sum(struct packet *p, const struct view *v)
{
	uint8_t *check = p->data + v->transport + packet_check_offset(v->proto);

	put16(check, fold(sum_pseudo(p, v, v->end - v->transport)));
}
