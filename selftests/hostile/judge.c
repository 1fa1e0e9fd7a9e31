// SPDX-License-Identifier: GPL-2.0-or-later
/* See judge.h. */
#include "judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../codec/reference.h"

#define UDP		17
#define MTU		1500	/* of the device by which packets leave */
#define SYN_AT		13	/* offset of the flags in a TCP header */

/* A packet that arrived, and the packet that left as its result. */
struct pair {
	const struct rules *rules;
	struct tally *tally;
	const struct shot *shot;
	const struct packet *in, *out;
	struct view before, after;
};

static void print_packet(const char *what, const struct packet *p)
{
	size_t i;

	printf("# %s: ", what);
	for (i = 0; i < p->len; i++)
		printf("%02x", p->data[i]);
	printf("\n");
}

__attribute__((noreturn))
static void wrong(const struct pair *pair, const char *what, int line)
{
	size_t i;

	printf("# judge.c:%d: is not true: %s\n", line, what);
	if (pair->in) {
		printf("# virtio: flags %d type %d size %d start %d offset %d; pieces end at",
		       pair->shot->virtio.flags, pair->shot->virtio.gso_type,
		       pair->shot->virtio.gso_size, pair->shot->virtio.csum_start,
		       pair->shot->virtio.csum_offset);
		for (i = 0; i < pair->shot->cut_count; i++)
			printf(" %zu", pair->shot->cuts[i]);
		printf("\n");
		print_packet("came", pair->in);
	}
	print_packet("left", pair->out);
	exit(1);
}

#define MUST(pair, condition)						\
	do {								\
		if (!(condition))					\
			wrong(pair, #condition, __LINE__);		\
	} while (0)

static int64_t left_ms(const struct reference *option)
{
	struct timespec now;

	if (option->lifetime < 65536)
		return option->lifetime;
	clock_gettime(CLOCK_REALTIME, &now);
	return reference_delta_ms(option->lifetime,
				  now.tv_sec % 86400 * 1000 + now.tv_nsec / 1000000);
}

static void judge_lifetime(const struct pair *pair, const struct reference *had,
			   const struct reference *has)
{
	uint32_t cap = pair->rules->way == WAY_FORWARD ? pair->rules->cap : 0;

	MUST(pair, had->type == has->type && had->flags == has->flags &&
	     had->reorder == has->reorder);
	MUST(pair, (has->lifetime == 65535) == (had->lifetime == 65535 && !cap));
	if (has->lifetime == 65535)
		return;
	MUST(pair, !cap || left_ms(has) <= cap);
	if (had->lifetime == 65535) {
		pair->tally->capped++;
		return;
	}
	MUST(pair, (had->lifetime < 65535) == (has->lifetime < 65535));
	if (had->lifetime < 65535) {
		MUST(pair, has->lifetime <= had->lifetime);
	} else if (had->lifetime != has->lifetime) {
		MUST(pair, cap && left_ms(has) <= left_ms(had));
		pair->tally->capped++;
	}
}

/* No packet leaves with a longer lifetime, and no malformed option becomes a valid option. */
static void judge_option(const struct pair *pair)
{
	int version = pair->rules->version;
	struct reference had = reference_find(pair->in->data, pair->in->len, version);
	struct reference has = reference_find(pair->out->data, pair->out->len, version);

	switch (had.found) {
	case REFERENCE_FOUND:
		if (has.found == REFERENCE_FOUND) {
			judge_lifetime(pair, &had, &has);
			break;
		}
		MUST(pair, has.found == REFERENCE_NONE && pair->rules->strip);
		pair->tally->stripped++;
		break;
	case REFERENCE_NONE:
		if (has.found == REFERENCE_NONE)
			break;
		MUST(pair, has.found == REFERENCE_FOUND && pair->rules->profile);
		MUST(pair, left_ms(&has) <= pair->rules->profile);
		pair->tally->stamped++;
		break;
	default:
		MUST(pair, has.found != REFERENCE_FOUND && has.found != REFERENCE_NONE);
	}
}

/* If the packet that arrived has right headers, the packet that leaves also has right headers.
 * (The headers may also become right: a length of 0 has another meaning with a hop-by-hop
 * header than without.)
 */
static void judge_headers(const struct pair *pair)
{
	MUST(pair, pair->after.whole || !pair->before.whole);
	if (pair->rules->version == 4 && pair->after.whole && packet_header_sum_right(pair->in))
		MUST(pair, packet_header_sum_right(pair->out));
}

static void judge_sum(const struct pair *pair)
{
	enum sum had = packet_sum(pair->in, &pair->before);
	enum sum has = packet_sum(pair->out, &pair->after);

	/* if a first fragment has become a whole packet, its checksum must not be wrong */
	if (pair->before.fragment)
		MUST(pair, has != SUM_WRONG || pair->before.routed);
	if (had == SUM_UNKNOWN || pair->after.fragment)
		return;
	if (pair->shot->begun)
		had = SUM_RIGHT;
	MUST(pair, (had == SUM_ABSENT) == (has == SUM_ABSENT));
	if (had == SUM_RIGHT) {
		MUST(pair, has == SUM_RIGHT);
		pair->tally->sums++;
	}
}

/* Whether the bytes after the options are the same except the transport's checksum. */
static int same(const struct pair *pair, size_t len)
{
	const struct view *b = &pair->before, *a = &pair->after;
	size_t check = packet_check_offset(b->proto), at, i;

	at = check && b->transport ? b->transport - b->rest + check : len;
	for (i = 0; i < len; i++)
		if (i != at && i != at + 1 &&
		    pair->in->data[b->rest + i] != pair->out->data[a->rest + i])
			return 0;
	return 1;
}

static int is_syn(const struct pair *pair)
{
	const struct view *v = &pair->before;

	return v->proto == 6 && v->transport && v->transport + SYN_AT < v->end &&
	       pair->in->data[v->transport + SYN_AT] & 2;
}

/* The bytes after the options are unchanged, or cut to the headers. */
static void judge_rest(const struct pair *pair)
{
	const struct view *b = &pair->before, *a = &pair->after;
	size_t had = b->end - b->rest, has = a->end - a->rest;

	/* the packet was segmented, or the router fragmented it */
	if (pair->shot->virtio.gso_type || (a->fragment && pair->in->len > MTU))
		return;
	if (had == has && a->fragment == b->fragment) {
		/* the MSS of a SYN may be lowered */
		MUST(pair, same(pair, had) || (is_syn(pair) && pair->rules->profile));
		return;
	}
	MUST(pair, pair->rules->cut && has <= had && packet_check_offset(b->proto));
	MUST(pair, b->transport && a->transport && b->proto == a->proto);
	MUST(pair, a->end >= a->transport + (a->proto == UDP ? 8 : 12));
	MUST(pair, !memcmp(pair->in->data + b->transport, pair->out->data + a->transport, 4));
	if (a->proto == UDP)
		MUST(pair, get16(pair->out->data + a->transport + 4) == a->end - a->transport);
	pair->tally->cut++;
}

/* Whether the machine itself has sent the packet. Its IPv4 addresses end in 254. Its IPv6 addresses
 * begin with fe (link-local), or end in 00fe or 0000 (the address of all routers of a link).
 */
static int is_own(const struct packet *p)
{
	if (p->version == 4)
		return p->len >= 20 && p->data[15] == 254;
	return p->len >= 40 && (p->data[8] == 0xfe || (!p->data[22] && (p->data[23] == 0xfe || !p->data[23])));
}

static int unframe(struct packet *out, const struct rules *rules, const uint8_t *frame,
		   size_t len, size_t *link)
{
	static const uint16_t protocols[] = { [4] = 0x0800, [6] = 0x86dd };

	for (*link = 14; *link < len && *link < LINK_MAX; *link += 4)
		if (get16(frame + *link - 2) != 0x8100 && get16(frame + *link - 2) != 0x88a8)
			break;
	if (*link >= len || get16(frame + *link - 2) != protocols[rules->version] ||
	    len - *link > PACKET_MAX)
		return 0;
	out->version = rules->version;
	out->len = len - *link;
	memcpy(out->data, frame + *link, out->len);
	return 1;
}

static void judge_pair(struct pair *pair, const uint8_t *frame, size_t link)
{
	pair->in = &pair->shot->packet;
	pair->before = packet_view(pair->in);
	pair->after = packet_view(pair->out);
	/* the device's checksum overwrites other data */
	if (pair->shot->virtio.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM && !pair->shot->begun)
		return;
	if (pair->rules->way == WAY_QDISC)
		MUST(pair, link == pair->shot->link_len && !memcmp(frame, pair->shot->link, link));
	judge_option(pair);
	judge_headers(pair);
	if (!pair->before.whole || !pair->after.whole)
		return;
	judge_sum(pair);
	judge_rest(pair);
}

unsigned int judge(const struct rules *rules, struct tally *tally, const struct shot *shots,
		   const uint8_t *frame, size_t len)
{
	static struct packet out;
	struct pair pair = { .rules = rules, .tally = tally, .out = &out };
	unsigned int name;
	size_t link;

	if (!unframe(&out, rules, frame, len, &link) ||
	    (rules->way != WAY_QDISC && is_own(&out))) {
		tally->own++;
		return 0;
	}
	name = shot_named(&out);
	/* the packet is too short to contain a name */
	if (!name && rules->way == WAY_QDISC && out.len < 6)
		return 0;
	MUST(&pair, name >= 1 && name <= SENTINEL);
	pair.shot = &shots[name - 1];
	judge_pair(&pair, frame, link);
	tally->came++;
	return name;
}
