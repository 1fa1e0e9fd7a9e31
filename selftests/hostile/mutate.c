// SPDX-License-Identifier: GPL-2.0-or-later
/* See mutate.h. */
#include "mutate.h"

#include <string.h>
#include <time.h>

#define COUNT(array)	(sizeof(array) / sizeof(*(array)))
#define DAY_MS		86400000U
#define SEGMENTS	250

#ifndef VIRTIO_NET_HDR_GSO_UDP_L4
#define VIRTIO_NET_HDR_GSO_UDP_L4	5	/* not in Debian 12's headers */
#endif

static uint64_t state;

void random_seed(uint64_t seed)
{
	state = seed * 2 + 1;
}

/* Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014 */
static uint32_t random_word(void)
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) >> 32;
}

uint32_t random_below(uint32_t limit)
{
	return random_word() % limit;
}

static int one_in(uint32_t n)
{
	return !random_below(n);
}

static uint8_t some_byte(void)
{
	static const uint8_t known[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 40, 0x1e, 0x3e,
					 0x7f, 0x80, 0x83, 0x89, 0x94, 0x9e, 0xc2, 0xff };

	return one_in(2) ? random_word() : known[random_below(COUNT(known))];
}

/* A lifetime field: often a lifetime that expires within a batch, or 65535 (none), or any
 * value.
 */
static uint32_t some_lifetime(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	switch (random_below(8)) {
	case 0: case 1: case 2:
		return random_below(60);
	case 3:
		return random_below(65536);
	case 4:
		return 65535;
	case 5:
		return 65535 + (now.tv_sec % 86400 * 1000 + random_below(200)) % DAY_MS;
	case 6:
		return 65535 + random_below(DAY_MS + 2);
	default:
		return random_word();
	}
}

static void put_lifetime(uint8_t *at)
{
	uint32_t lifetime = some_lifetime();

	put16(at, lifetime >> 16);
	put16(at + 2, lifetime);
}

/* Write our option, in most cases well formed. */
static void put_xlo(uint8_t *at, int version)
{
	at[0] = version == 4 ? 0x9e : one_in(3) ? 0x1e : 0x3e;
	at[1] = one_in(8) ? some_byte() : version == 4 ? 8 : 6;
	at[2] = random_below(5);
	at[3] = one_in(4) ? random_word() : random_below(4) << 2;
	put_lifetime(at + 4);
	if (version == 6 && !one_in(8))
		at[0] = get16(at + 4) ? 0x1e : 0x3e;
}

/* Fill @room with options of any kind. */
static void put_options(uint8_t *at, size_t room, int version)
{
	size_t size;

	for (; room; at += size, room -= size) {
		size = 1;
		if (room >= 8 && one_in(2)) {
			put_xlo(at, version);
			size = 8;
			continue;
		}
		at[0] = version == 4 ? 1 : 0;
		if (room < 2 || one_in(3))
			continue;
		size = 2 + random_below(room - 1 < 10 ? room - 1 : 10);
		memset(at, 0, size);
		at[0] = some_byte();
		at[1] = one_in(6) ? some_byte() : version == 4 ? size : size - 2;
	}
}

/* Insert a gap. Returns 0 if there is no space for it. */
static int insert(struct packet *p, size_t at, size_t size)
{
	if (at > p->len || p->len + size > PACKET_MAX)
		return 0;
	memmove(p->data + at + size, p->data + at, p->len - at);
	p->len += size;
	return 1;
}

static void options4(struct packet *p)
{
	size_t header = p->data[0] % 16 * 4, more = 4 * random_below(11);

	if (header < 20 || header > p->len)
		return;
	if (header + more <= 60 && insert(p, header, more)) {
		header += more;
		p->data[0] = 0x40 | header / 4;
	}
	put_options(p->data + 20, header - 20, 4);
}

/* Insert an extension header, or replace the contents of the hop-by-hop header. */
static void options6(struct packet *p)
{
	static const uint8_t known[] = { 0, 0, 43, 44, 51, 60, 60 };
	size_t size = 8 + 8 * random_below(one_in(16) ? 200 : 4), at = 40;
	uint8_t *next = p->data + 6;

	if (p->len < 48)
		return;
	if (!*next && one_in(2)) {
		size = 8 + 8 * p->data[41];
		if (40 + size <= p->len)
			put_options(p->data + 42, size - 2, 6);
		return;
	}
	if (!*next && one_in(2)) {
		at += 8 + 8 * p->data[41];
		next = p->data + 40;
	}
	if (!insert(p, at, size))
		return;
	p->data[at] = *next;
	p->data[at + 1] = one_in(8) ? some_byte() : size / 8 - 1;
	*next = at == 40 && one_in(2) ? 0 : known[random_below(COUNT(known))];
	put_options(p->data + at + 2, size - 2, 6);
}

/* Change a field of the IP header on which other fields depend. */
static void field(struct packet *p)
{
	static const uint8_t protocols[] = { 0, 1, 4, 6, 17, 33, 41, 43, 44, 47, 50, 51, 58, 59, 60,
					     132, 135 };
	size_t length = p->version == 4 ? 2 : 4, proto = p->version == 4 ? 9 : 6;

	if (p->len < 20)
		return;
	switch (random_below(5)) {
	case 0:
		put16(p->data + length, one_in(2) ? random_below(2 * p->len) : some_byte());
		break;
	case 1:
		p->data[proto] = protocols[random_below(COUNT(protocols))];
		break;
	case 2:
		p->data[0] = one_in(4) ? random_word() : p->version << 4 | random_below(16);
		break;
	case 3:
		if (p->version == 4)
			put16(p->data + 6, one_in(2) ? 0x2000 : random_word());
		break;
	default:
		p->data[p->version == 4 ? 8 : 7] = random_below(3);
	}
}

static void resize(struct packet *p)
{
	size_t len = one_in(4) ? random_below(PACKET_MAX) : random_below(one_in(2) ? 100 : 1600);

	for (; p->len < len; p->len++)
		p->data[p->len] = random_word();
	/* after a VLAN tag, the kernel drops shorter packets before our code sees them */
	p->len = len > 2 ? len : 2;
}

/* Change a byte, in most cases of the headers. */
static void damage(struct packet *p)
{
	size_t at = random_below(one_in(4) || p->len < 80 ? p->len : 80);

	if (one_in(2))
		p->data[at] ^= 1 << random_below(8);
	else
		p->data[at] = some_byte();
}

static void mutate_once(struct packet *p)
{
	switch (random_below(8)) {
	case 0: case 1: case 2:
		if (p->version == 4)
			options4(p);
		else
			options6(p);
		break;
	case 3: case 4:
		field(p);
		break;
	case 5:
		resize(p);
		break;
	default:
		damage(p);
	}
}

void shot_name(struct packet *p, unsigned int name)
{
	size_t at = p->version == 4 ? 4 : 2;

	if (p->len < at + 2)
		return;
	p->data[at] = name;
	p->data[at + 1] = 0;
}

unsigned int shot_named(const struct packet *p)
{
	size_t at = p->version == 4 ? 4 : 2;

	return p->len < at + 2 ? 0 : p->data[at];
}

static void fix(struct packet *p)
{
	struct view v;

	if (p->len >= 40 && !one_in(8))
		put16(p->data + (p->version == 4 ? 2 : 4), p->version == 4 ? p->len : p->len - 40);
	v = packet_view(p);
	if (v.whole && v.proto == 17 && v.transport && v.end - v.transport >= 8 && !one_in(8))
		put16(p->data + v.transport + 4, v.end - v.transport);
	if (!one_in(4))
		packet_fix_sum(p, &v);
	if (!one_in(16))
		packet_fix_header(p);
}

static void put_tags(struct shot *s)
{
	size_t tags = 1 + random_below(2);

	memmove(s->link + 12 + 4 * tags, s->link + 12, 2);
	s->link_len += 4 * tags;
	put16(s->link + 12, one_in(2) ? 0x8100 : 0x88a8);
	put16(s->link + 14, 1 + random_below(4000));
	if (tags == 2) {
		put16(s->link + 16, 0x8100);
		put16(s->link + 18, 1 + random_below(4000));
	}
}

void shot_mutate(struct shot *s, int tags)
{
	struct packet *p = &s->packet;
	unsigned int name = shot_named(p), i;

	for (i = random_below(6); i; i--)
		mutate_once(p);
	shot_name(p, name);
	fix(p);
	if (tags && one_in(8))
		put_tags(s);
}

/* Let a device complete a checksum: the transport checksum, or a checksum at another
 * position.
 */
static void begin(struct shot *s, const struct view *v)
{
	struct packet *p = &s->packet;

	s->virtio.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
	if (one_in(8) || packet_sum(p, v) == SUM_UNKNOWN) {
		/* the checksum must not overwrite the packet's name */
		s->virtio.csum_start = s->link_len + random_below(p->len);
		s->virtio.csum_offset = 8 + random_below(12);
		return;
	}
	packet_begin_sum(p, v);
	s->virtio.csum_start = s->link_len + v->transport;
	s->virtio.csum_offset = packet_check_offset(v->proto);
	/* a device can compute no partial checksums, and no checksums of packets with padding
	 */
	s->begun = v->end == p->len && v->proto != 33 &&
		   (v->proto != 17 || get16(p->data + v->transport + 4) == v->end - v->transport);
}

static void segment(struct shot *s, const struct view *v)
{
	const struct packet *p = &s->packet;

	if (v->proto == 6 && s->begun)
		s->virtio.gso_type = p->version == 4 ? VIRTIO_NET_HDR_GSO_TCPV4 :
						       VIRTIO_NET_HDR_GSO_TCPV6;
	else if (v->proto == 17 && s->begun)
		s->virtio.gso_type = VIRTIO_NET_HDR_GSO_UDP_L4;
	if (one_in(16))
		s->virtio.gso_type = random_below(6);
	s->virtio.gso_size = one_in(16) ? random_below(20) : 20 + random_below(1400);
	/* one byte of the field with the name contains the segment's number */
	if (s->virtio.gso_size < p->len / SEGMENTS)
		s->virtio.gso_size = p->len / SEGMENTS + 1;
	s->virtio.hdr_len = s->link_len + v->transport;
}

void shot_offload(struct shot *s)
{
	size_t frame = s->link_len + s->packet.len, i, at = s->link_len;
	struct view v = packet_view(&s->packet);

	if (v.whole && v.transport && one_in(6)) {
		begin(s, &v);
		if (one_in(2))
			segment(s, &v);
	}
	/* the kernel expects the link-layer header in one piece */
	for (i = one_in(2) ? 1 + random_below(CUTS) : 0; i && at < frame; i--) {
		at += random_below(one_in(4) ? frame - at : 30);
		if (at < frame && (!s->cut_count || at > s->cuts[s->cut_count - 1]))
			s->cuts[s->cut_count++] = at;
	}
}
