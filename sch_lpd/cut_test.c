// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of headercasting. The tests build the expected packet byte by byte, and
 * compute its checksums in a simple way. Then the tests cut a long packet, and compare the
 * result with the expected packet. The tests cover every protocol, every layout of the skb,
 * and every state of the checksum. A test with random packets compares the quick way with the
 * general way.
 */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/pkt_sched_lpd.h>
#include <linux/prandom.h>
#include <linux/random.h>
/* the tests call static functions of these files */
#include "cut.c"

#define LPD_CUT_TEST_MAX	4096	/* maximum bytes of a frame or page fragment */
#define LPD_CUT_TEST_HEADROOM	128
#define LPD_CUT_TEST_REST	2000	/* payload in the other fragments */
#define LPD_CUT_TEST_RANDOM	10000	/* random packets */

/* lpd_cut_shape.piece */
enum { LPD_CUT_WHOLE, LPD_CUT_FIRST, LPD_CUT_ATOMIC };

/**
 * struct lpd_cut_shape - the form of a packet, without its payload
 * @version: 4 or 6
 * @extended: has IPv4 options, or IPv6 hop-by-hop and destination options
 * @vlans: number of VLAN tags in the frame
 * @proto: TCP with options, UDP, or DCCP DataAck
 * @coverage: DCCP's CsCov
 * @unsummed: UDP without a checksum
 * @partial: the checksum field contains the sum over the pseudo header
 * @piece: a whole packet, a first fragment, or a first fragment after the cut
 * @surplus: bytes beyond the UDP length
 * @padding: bytes after the IP packet
 * @chain: additional bytes of IPv6 hop-by-hop options, a multiple of 8
 */
struct lpd_cut_shape {
	u8 version;
	bool extended;
	u8 vlans;
	u8 proto;
	u8 coverage;
	bool unsummed;
	bool partial;
	u8 piece;
	u32 surplus;
	u32 padding;
	u32 chain;
};

/**
 * struct lpd_cut_frame - the bytes of a packet
 * @data: the bytes, from the link-layer header on
 * @len: number of bytes
 * @ip: offset of the IP header
 * @transport: offset of the transport header
 * @header: bytes of the transport header
 * @end: offset of the end of the IP packet
 */
struct lpd_cut_frame {
	u8 data[LPD_CUT_TEST_MAX];
	u32 len;
	u32 ip;
	u32 transport;
	u32 header;
	u32 end;
};

static void lpd_cut_test_put16(u8 *at, u32 value)
{
	at[0] = value >> 8;
	at[1] = value;
}

static u32 lpd_cut_test_get16(const u8 *at)
{
	return at[0] << 8 | at[1];
}

/* Computes the checksum of RFC 1071 in the same way as the code in the RFC. */
static u32 lpd_cut_test_sum(const u8 *at, u32 len, u32 sum)
{
	u32 i;

	for (i = 0; i < len; i++)
		sum += i & 1 ? at[i] : at[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static u8 *lpd_cut_test_add(struct lpd_cut_frame *f, const u8 *bytes, u32 len)
{
	u8 *at = f->data + f->len;

	if (bytes)
		memcpy(at, bytes, len);
	else
		memset(at, 0, len);
	f->len += len;
	return at;
}

static void lpd_cut_test_link(struct lpd_cut_frame *f,
			      const struct lpd_cut_shape *s)
{
	static const u8 addresses[] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1 };
	static const u8 tag[] = { 0x81, 0x00, 0x00, 0x05 };
	int i;

	lpd_cut_test_add(f, addresses, sizeof(addresses));
	for (i = 0; i < s->vlans; i++)
		lpd_cut_test_add(f, tag, sizeof(tag));
	lpd_cut_test_put16(lpd_cut_test_add(f, NULL, 2),
			   s->version == 4 ? ETH_P_IP : ETH_P_IPV6);
	f->ip = f->len;
}

static void lpd_cut_test_ipv4(struct lpd_cut_frame *f,
			      const struct lpd_cut_shape *s)
{
	static const u8 options[] = { 0x9e, 8, 3, 8, 0, 0, 1, 0, 1, 1, 0, 0 };
	const u8 header[] = { s->extended ? 0x48 : 0x45, 0x10, 0, 0, 0x12, 0x34,
			      s->piece == LPD_CUT_FIRST ? 0x20 : 0, 0, 64,
			      s->proto, 0, 0, 192, 0, 2, 1, 198, 51, 100, 7 };

	lpd_cut_test_add(f, header, sizeof(header));
	if (s->extended)
		lpd_cut_test_add(f, options, sizeof(options));
}

/* The first byte of each extension header is the type of the next header. */
static void lpd_cut_test_ipv6(struct lpd_cut_frame *f,
			      const struct lpd_cut_shape *s)
{
	static const u8 header[40] = { 0x60, 0, 0, 9, 0, 0, 0, 64, 0x20, 1, 0xd,
				       0xb8, [23] = 1, 0x20, 1, 0xd, 0xb8,
				       [39] = 2 };
	static const u8 hop[] = { 0, 1, 0x3e, 6, 3, 8, 0, 0,
				  1, 0, 1, 4, 0, 0, 0, 0 };
	static const u8 pad[] = { 0, 0, 1, 4, 0, 0, 0, 0 };
	const u8 fragment[] = { 0, 0, 0, s->piece == LPD_CUT_FIRST, 1, 2, 3, 4 };
	u8 *next = lpd_cut_test_add(f, header, sizeof(header)) + 6;

	if (s->extended) {
		*next = NEXTHDR_HOP;
		next = lpd_cut_test_add(f, hop, sizeof(hop));
		next[1] += s->chain / 8;
		lpd_cut_test_add(f, NULL, s->chain);
	}
	if (s->piece != LPD_CUT_WHOLE) {
		*next = NEXTHDR_FRAGMENT;
		next = lpd_cut_test_add(f, fragment, sizeof(fragment));
	}
	if (s->extended) {
		*next = NEXTHDR_DEST;
		next = lpd_cut_test_add(f, pad, sizeof(pad));
	}
	*next = s->proto;
}

/* Adds ports, sequence numbers, flags and options, but no checksum and no length. */
static void lpd_cut_test_transport(struct lpd_cut_frame *f,
				   const struct lpd_cut_shape *s)
{
	static const u8 tcp[] = { 0x0f, 0xa0, 0x13, 0x88, 1, 2, 3, 4, 5, 6, 7,
				  8, 0x80, 0x18, 0x10, 0, 0, 0, 0, 0, 1, 1, 8,
				  10, 0, 0, 0, 9, 0, 0, 0, 8 };
	static const u8 udp[] = { 0x0f, 0xa0, 0x13, 0x88, 0, 0, 0, 0 };
	const u8 dccp[] = { 0x0f, 0xa0, 0x13, 0x88, 6, 0x50 | s->coverage, 0, 0,
			    DCCP_PKT_DATAACK << 1 | 1, 0, 0, 1, 2, 3, 4, 5, 0,
			    0, 0, 1, 2, 3, 4, 4 };

	f->transport = f->len;
	if (s->proto == IPPROTO_TCP)
		lpd_cut_test_add(f, tcp, sizeof(tcp));
	else if (s->proto == IPPROTO_UDP)
		lpd_cut_test_add(f, udp, sizeof(udp));
	else
		lpd_cut_test_add(f, dccp, sizeof(dccp));
	f->header = f->len - f->transport;
}

static void lpd_cut_test_payload(struct lpd_cut_frame *f, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		f->data[f->len++] = i * 167 + (i >> 8) * 31 + 5;
}

static void lpd_cut_test_lengths(struct lpd_cut_frame *f,
				 const struct lpd_cut_shape *s, u32 udp_len)
{
	u8 *ip = f->data + f->ip;
	u32 len = f->end - f->ip;

	if (s->version == 4)
		lpd_cut_test_put16(ip + 2, len);
	else
		lpd_cut_test_put16(ip + 4, len - 40);
	if (s->version == 4)
		lpd_cut_test_put16(ip + 10, ~lpd_cut_test_sum(ip, f->transport -
							      f->ip, 0));
	if (s->proto == IPPROTO_UDP)
		lpd_cut_test_put16(f->data + f->transport + 4, udp_len);
}

static u32 lpd_cut_test_pseudo(const struct lpd_cut_frame *f,
			       const struct lpd_cut_shape *s, u32 len)
{
	u32 addresses = s->version == 4 ? 12 : 8;

	return lpd_cut_test_sum(f->data + f->ip + addresses,
				s->version == 4 ? 8 : 32, len + s->proto);
}

static u32 lpd_cut_test_covered(const struct lpd_cut_frame *f,
				const struct lpd_cut_shape *s, u32 len)
{
	return s->proto == IPPROTO_DCCP && s->coverage ?
	       f->header + (s->coverage - 1) * 4 : len;
}

static u8 *lpd_cut_test_check(struct lpd_cut_frame *f,
			      const struct lpd_cut_shape *s)
{
	return f->data + f->transport + (s->proto == IPPROTO_TCP ? 16 : 6);
}

/* Sets the checksum. @len is the length in the pseudo header. A first fragment does not contain all
 * bytes that its checksum covers, so its checksum is arbitrary here. The cut computes a new one.
 */
static void lpd_cut_test_checksum(struct lpd_cut_frame *f,
				  const struct lpd_cut_shape *s, u32 len)
{
	u32 sum = lpd_cut_test_pseudo(f, s, len);

	lpd_cut_test_put16(lpd_cut_test_check(f, s), 0);
	if (s->unsummed)
		return;
	if (s->partial) {
		lpd_cut_test_put16(lpd_cut_test_check(f, s), sum);
		return;
	}
	if (s->piece == LPD_CUT_FIRST)
		len = f->end - f->transport;
	sum = lpd_cut_test_sum(f->data + f->transport,
			       lpd_cut_test_covered(f, s, len), sum);
	if (s->proto == IPPROTO_UDP && sum == 0xffff)
		sum = 0;
	lpd_cut_test_put16(lpd_cut_test_check(f, s), ~sum);
}

static void lpd_cut_test_build(struct lpd_cut_frame *f,
			       const struct lpd_cut_shape *s, u32 payload)
{
	u32 rest = s->piece == LPD_CUT_FIRST ? LPD_CUT_TEST_REST : 0;
	u32 len;

	memset(f, 0, sizeof(*f));
	lpd_cut_test_link(f, s);
	if (s->version == 4)
		lpd_cut_test_ipv4(f, s);
	else
		lpd_cut_test_ipv6(f, s);
	lpd_cut_test_transport(f, s);
	lpd_cut_test_payload(f, payload + s->surplus);
	f->end = f->len;
	len = f->header + payload + rest;
	lpd_cut_test_lengths(f, s, len);
	lpd_cut_test_checksum(f, s, len);
	memset(lpd_cut_test_add(f, NULL, s->padding), 0xee, s->padding);
}

/* Builds the expected packet after the cut. */
static void lpd_cut_test_build_cut(struct lpd_cut_frame *f,
				   const struct lpd_cut_shape *s, u32 payload)
{
	struct lpd_cut_shape cut = *s;

	cut.surplus = 0;
	cut.padding = 0;
	cut.coverage = min_t(u8, s->coverage, 1);
	if (s->piece == LPD_CUT_FIRST)
		cut.piece = LPD_CUT_ATOMIC;
	lpd_cut_test_build(f, &cut, payload);
}

/* The ways in which an skb can store its bytes. */
enum { LPD_CUT_LINEAR, LPD_CUT_PAGED, LPD_CUT_LIST, LPD_CUT_LAYOUTS };

static struct sk_buff *lpd_cut_test_linear(struct kunit *test, const u8 *bytes,
					   u32 len)
{
	struct sk_buff *skb = alloc_skb(LPD_CUT_TEST_HEADROOM + len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_reserve(skb, LPD_CUT_TEST_HEADROOM);
	skb_put_data(skb, bytes, len);
	return skb;
}

static void lpd_cut_test_add_page(struct kunit *test, struct sk_buff *skb,
				  const u8 *bytes, u32 len)
{
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	memcpy(page_address(page), bytes, len);
	skb_add_rx_frag(skb, skb_shinfo(skb)->nr_frags, page, 0, len, PAGE_SIZE);
}

static void lpd_cut_test_add_skb(struct kunit *test, struct sk_buff *skb,
				 const u8 *bytes, u32 len)
{
	struct sk_buff **link = &skb_shinfo(skb)->frag_list;

	while (*link)
		link = &(*link)->next;
	*link = lpd_cut_test_linear(test, bytes, len);
	skb->len += len;
	skb->data_len += len;
	skb->truesize += (*link)->truesize;
}

/* Makes an skb. In an skb that is not linear, only the start of the IP header is in the
 * linear part. The other bytes are in parts of odd size. The first of these parts ends in
 * the payload.
 */
static struct sk_buff *lpd_cut_test_skb(struct kunit *test,
					const struct lpd_cut_frame *f,
					int layout)
{
	u32 head = layout == LPD_CUT_LINEAR ? f->len : f->ip + 24;
	u32 piece = f->transport + f->header + 5 - head;
	struct sk_buff *skb = lpd_cut_test_linear(test, f->data, head);

	while (skb->len < f->len) {
		piece = min(piece, f->len - skb->len);
		if (layout == LPD_CUT_PAGED)
			lpd_cut_test_add_page(test, skb, f->data + skb->len,
					      piece);
		else
			lpd_cut_test_add_skb(test, skb, f->data + skb->len,
					     piece);
		piece = 333;
	}
	skb->protocol = htons(lpd_cut_test_get16(f->data + 12));
	skb_reset_mac_header(skb);
	skb->mac_len = ETH_HLEN;
	skb_set_network_header(skb, ETH_HLEN);
	return skb;
}

static void lpd_cut_test_sum_state(struct sk_buff *skb,
				   const struct lpd_cut_frame *f,
				   const struct lpd_cut_shape *s, u8 ip_summed)
{
	skb->ip_summed = ip_summed;
	if (ip_summed == CHECKSUM_PARTIAL) {
		skb->csum_start = skb_headroom(skb) + f->transport;
		skb->csum_offset = s->proto == IPPROTO_TCP ? 16 : 6;
	}
}

static void lpd_cut_test_expect_bytes(struct kunit *test,
				      const struct sk_buff *skb,
				      const struct lpd_cut_frame *f)
{
	u8 *bytes = kunit_kzalloc(test, LPD_CUT_TEST_MAX, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	KUNIT_ASSERT_EQ(test, skb->len, f->len);
	KUNIT_ASSERT_EQ(test, skb_copy_bits(skb, 0, bytes, f->len), 0);
	for (i = 0; i < f->len; i++)
		KUNIT_ASSERT_EQ_MSG(test, bytes[i], f->data[i],
				    "byte %u, transport header at %u", i,
				    f->transport);
	kunit_kfree(test, bytes);
}

struct lpd_cut_frames {
	struct lpd_cut_frame before;
	struct lpd_cut_frame after;
};

static struct lpd_cut_frames *lpd_cut_test_frames(struct kunit *test)
{
	struct lpd_cut_frames *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	return f;
}

/* Cuts one packet and checks every byte. */
static void lpd_cut_test_one(struct kunit *test, struct lpd_cut_frames *f,
			     const struct lpd_cut_shape *s, u32 payload,
			     u32 keep, int layout, u8 ip_summed)
{
	u32 stays = s->proto == IPPROTO_UDP ? min(keep, payload) : 0;
	struct sk_buff *skb;
	int lost;

	lpd_cut_test_build(&f->before, s, payload);
	lpd_cut_test_build_cut(&f->after, s, stays);
	lost = f->before.len - f->after.len;
	skb = lpd_cut_test_skb(test, &f->before, layout);
	lpd_cut_test_sum_state(skb, &f->before, s, ip_summed);
	KUNIT_ASSERT_EQ(test, lpd_cut_bytes(skb, f->before.ip, keep), lost);
	/* headers that lpd has read must be in the linear part, where the sender cannot
	 * change them
	 */
	KUNIT_ASSERT_GE(test, skb_headlen(skb),
			f->before.transport + lpd_cut_fixed(s->proto));
	lpd_cut_test_expect_bytes(test, skb, &f->before);
	KUNIT_ASSERT_EQ(test, lpd_cut(skb, f->before.ip, keep), lost);
	lpd_cut_test_expect_bytes(test, skb, &f->after);
	KUNIT_ASSERT_EQ(test, (int)skb->ip_summed,
			ip_summed == CHECKSUM_COMPLETE ? CHECKSUM_NONE :
							 (int)ip_summed);
	if (ip_summed == CHECKSUM_PARTIAL)
		KUNIT_ASSERT_EQ(test, skb_checksum_start_offset(skb),
				(int)f->after.transport);
	kfree_skb(skb);
}

/* Cuts a packet in every layout, with every state of the checksum. */
static void lpd_cut_test_states(struct kunit *test, struct lpd_cut_frames *f,
				struct lpd_cut_shape *s, u32 payload, u32 keep)
{
	static const u8 states[] = { CHECKSUM_NONE, CHECKSUM_UNNECESSARY,
				     CHECKSUM_COMPLETE, CHECKSUM_PARTIAL };
	int layout, i;

	for (layout = 0; layout < LPD_CUT_LAYOUTS; layout++) {
		for (i = 0; i < ARRAY_SIZE(states); i++) {
			s->partial = states[i] == CHECKSUM_PARTIAL;
			if (!s->partial || !s->unsummed)
				lpd_cut_test_one(test, f, s, payload, keep,
						 layout, states[i]);
		}
	}
}

/* Cuts a packet with every kind of network header. */
static void lpd_cut_test_networks(struct kunit *test,
				  const struct lpd_cut_shape *shape,
				  u32 payload, u32 keep)
{
	struct lpd_cut_frames *f = lpd_cut_test_frames(test);
	struct lpd_cut_shape s = *shape;

	for (s.version = 4; s.version <= 6; s.version += 2)
		for (s.vlans = 0; s.vlans <= 2; s.vlans++) {
			s.extended = false;
			lpd_cut_test_states(test, f, &s, payload, keep);
			s.extended = true;
			lpd_cut_test_states(test, f, &s, payload, keep);
		}
	kunit_kfree(test, f);
}

/* Cuts payloads of odd size and even size, and a payload that loses only one byte. */
static void lpd_cut_test_sizes(struct kunit *test,
			       const struct lpd_cut_shape *s, u32 keep)
{
	lpd_cut_test_networks(test, s, 1000, keep);
	lpd_cut_test_networks(test, s, 1001, keep);
	lpd_cut_test_networks(test, s, keep + 1, keep);
}

/* A TCP segment is cut to its header with all options. */
static void lpd_cut_test_case_tcp(struct kunit *test)
{
	lpd_cut_test_sizes(test, &(struct lpd_cut_shape){
				.proto = IPPROTO_TCP }, 0);
}

/* A UDP datagram is cut to its header, and its length is updated. */
static void lpd_cut_test_case_udp(struct kunit *test)
{
	lpd_cut_test_sizes(test, &(struct lpd_cut_shape){
				.proto = IPPROTO_UDP }, 0);
}

/* The configured number of UDP payload bytes stays, even if the number is odd. */
static void lpd_cut_test_case_keep(struct kunit *test)
{
	const struct lpd_cut_shape s = { .proto = IPPROTO_UDP };

	lpd_cut_test_sizes(test, &s, 12);
	lpd_cut_test_sizes(test, &s, 13);
}

/* A UDP checksum of 0 means "no checksum" and stays 0. */
static void lpd_cut_test_case_unsummed(struct kunit *test)
{
	lpd_cut_test_sizes(test, &(struct lpd_cut_shape){
				.proto = IPPROTO_UDP, .unsummed = true }, 7);
}

/* Bytes beyond the UDP length, which no checksum covers, are cut off. */
static void lpd_cut_test_case_surplus(struct kunit *test)
{
	const struct lpd_cut_shape s = { .proto = IPPROTO_UDP, .surplus = 33 };

	lpd_cut_test_sizes(test, &s, 5);
	lpd_cut_test_networks(test, &s, 4, 5);
}

/* A DCCP packet is cut to its header with all options. The checksum coverage of the packet is
 * reduced to the bytes that stay.
 */
static void lpd_cut_test_case_dccp(struct kunit *test)
{
	struct lpd_cut_shape s = { .proto = IPPROTO_DCCP };

	lpd_cut_test_sizes(test, &s, 0);
	for (s.coverage = 1; s.coverage < 16; s.coverage++)
		lpd_cut_test_networks(test, &s, 57, 0);
}

/* The first fragment of a datagram becomes a whole packet. The packet's checksum is
 * computed again, because the checksum of the datagram covers other fragments.
 */
static void lpd_cut_test_case_fragment(struct kunit *test)
{
	struct lpd_cut_shape s = { .piece = LPD_CUT_FIRST };

	s.proto = IPPROTO_TCP;
	lpd_cut_test_networks(test, &s, 1000, 0);
	s.proto = IPPROTO_UDP;
	lpd_cut_test_networks(test, &s, 1000, 13);
	lpd_cut_test_networks(test, &s, 8, 13);
	lpd_cut_test_networks(test, &s, 0, 0);
	s.unsummed = true;
	lpd_cut_test_networks(test, &s, 1000, 0);
	s.unsummed = false;
	s.proto = IPPROTO_DCCP;
	for (s.coverage = 0; s.coverage < 3; s.coverage++)
		lpd_cut_test_networks(test, &s, 1000, 0);
	s.coverage = 15;
	lpd_cut_test_networks(test, &s, 8, 0);
}

/* An IPv6 packet whose fragment header describes a whole packet is cut like a whole packet. */
static void lpd_cut_test_case_atomic(struct kunit *test)
{
	lpd_cut_test_networks(test, &(struct lpd_cut_shape){
				.proto = IPPROTO_UDP, .piece = LPD_CUT_ATOMIC },
			      1000, 13);
}

/* Bytes after the IP packet, which no checksum covers, are cut off with the payload. */
static void lpd_cut_test_case_padding(struct kunit *test)
{
	struct lpd_cut_shape s = { .padding = 9 };

	s.proto = IPPROTO_TCP;
	lpd_cut_test_sizes(test, &s, 0);
	s.proto = IPPROTO_UDP;
	lpd_cut_test_sizes(test, &s, 3);
	s.piece = LPD_CUT_FIRST;
	lpd_cut_test_networks(test, &s, 8, 13);
}

/* A UDP checksum of 0 is sent as all ones, because 0 means "no checksum". */
static void lpd_cut_test_case_all_ones(struct kunit *test)
{
	struct lpd_cut_frames *f = lpd_cut_test_frames(test);
	struct lpd_cut_shape s = { .proto = IPPROTO_UDP };
	struct sk_buff *skb;
	int layout;
	u8 *port;

	for (s.version = 4; s.version <= 6; s.version += 2) {
		lpd_cut_test_build(&f->before, &s, 100);
		lpd_cut_test_build_cut(&f->after, &s, 0);
		port = f->after.data + f->after.transport;
		/* adding the checksum to the port makes the sum all ones, and the checksum 0 */
		lpd_cut_test_put16(port, lpd_cut_test_sum(port + 6, 2,
							  0x0fa0));
		lpd_cut_test_checksum(&f->after, &s, 8);
		KUNIT_ASSERT_EQ(test, lpd_cut_test_get16(port + 6), 0xffff);
		memcpy(f->before.data + f->before.transport, port, 2);
		lpd_cut_test_checksum(&f->before, &s, 108);
		for (layout = 0; layout < LPD_CUT_LAYOUTS; layout++) {
			skb = lpd_cut_test_skb(test, &f->before, layout);
			KUNIT_EXPECT_EQ(test, lpd_cut(skb, f->before.ip, 0), 100);
			lpd_cut_test_expect_bytes(test, skb, &f->after);
			kfree_skb(skb);
		}
	}
}

/* An IPv4 header checksum of 0 is sent as 0, because all ones would be another number. */
static void lpd_cut_test_case_zero(struct kunit *test)
{
	struct lpd_cut_shape s = { .version = 4, .proto = IPPROTO_UDP };
	struct lpd_cut_frames *f = lpd_cut_test_frames(test);
	struct sk_buff *skb;
	int layout;
	u8 *ip;

	lpd_cut_test_build_cut(&f->after, &s, 0);
	ip = f->after.data + f->after.ip;
	/* adding the checksum to the identification makes the sum all ones */
	lpd_cut_test_put16(ip + 4, lpd_cut_test_sum(ip + 10, 2, lpd_cut_test_get16(ip + 4)));
	lpd_cut_test_put16(ip + 10, 0);
	lpd_cut_test_build(&f->before, &s, 100);
	memcpy(f->before.data + f->before.ip + 4, ip + 4, 2);
	lpd_cut_test_put16(f->before.data + f->before.ip + 10, 0);
	lpd_cut_test_lengths(&f->before, &s, 108);
	for (layout = 0; layout < LPD_CUT_LAYOUTS; layout++) {
		skb = lpd_cut_test_skb(test, &f->before, layout);
		KUNIT_EXPECT_EQ(test, lpd_cut(skb, f->before.ip, 0), 100);
		lpd_cut_test_expect_bytes(test, skb, &f->after);
		kfree_skb(skb);
	}
}

static void lpd_cut_test_unchanged(struct kunit *test, const struct lpd_cut_frame *f, u32 keep)
{
	struct sk_buff *skb;
	int layout;

	for (layout = 0; layout < LPD_CUT_LAYOUTS; layout++) {
		skb = lpd_cut_test_skb(test, f, layout);
		KUNIT_EXPECT_EQ(test, lpd_cut_bytes(skb, f->ip, keep), 0);
		KUNIT_EXPECT_EQ(test, lpd_cut(skb, f->ip, keep), 0);
		lpd_cut_test_expect_bytes(test, skb, f);
		kfree_skb(skb);
	}
}

/* A packet without payload stays unchanged, including its padding. */
static void lpd_cut_test_case_nothing(struct kunit *test)
{
	static const u8 protos[] = { IPPROTO_TCP, IPPROTO_UDP, IPPROTO_DCCP };
	struct lpd_cut_frame *f = &lpd_cut_test_frames(test)->before;
	struct lpd_cut_shape s = {};
	int i;

	for (i = 0; i < ARRAY_SIZE(protos); i++) {
		for (s.version = 4; s.version <= 6; s.version += 2) {
			for (s.padding = 0; s.padding <= 6; s.padding += 6) {
				s.proto = protos[i];
				lpd_cut_test_build(f, &s, s.proto == IPPROTO_UDP ? 20 : 0);
				lpd_cut_test_unchanged(test, f, 20);
				lpd_cut_test_unchanged(test, f, TC_LPD_KEEP_MAX);
			}
		}
	}
}

/* Checks a packet's checksums in the same way as a receiver. */
static bool lpd_cut_test_right(const struct sk_buff *skb,
			       const struct lpd_cut_frame *f,
			       const struct lpd_cut_shape *s)
{
	u32 len = skb->len - f->transport;
	struct lpd_cut_frame *seen = kmalloc(sizeof(*seen), GFP_KERNEL);
	bool right;

	if (!seen)
		return false;
	*seen = *f;
	skb_copy_bits(skb, 0, seen->data, skb->len);
	right = lpd_cut_test_sum(seen->data + f->transport, len,
				 lpd_cut_test_pseudo(seen, s, len)) == 0xffff &&
		(s->version == 6 ||
		 lpd_cut_test_sum(seen->data + f->ip, f->transport - f->ip,
				  0) == 0xffff);
	kfree(seen);
	return right;
}

/* Checks whether damage to a byte changes how the packet is cut: the data offset and the flags of
 * TCP, and the UDP length.
 */
static bool lpd_cut_test_decisive(const struct lpd_cut_frame *f, const struct lpd_cut_shape *s,
				  u32 at)
{
	u32 first = f->transport + (s->proto == IPPROTO_TCP ? 12 : 4);

	return at == first || at == first + 1;
}

static void lpd_cut_test_damage(struct kunit *test, struct lpd_cut_frame *f,
				const struct lpd_cut_shape *s)
{
	struct sk_buff *skb;
	u32 at;

	lpd_cut_test_build(f, s, 500);
	skb = lpd_cut_test_skb(test, f, LPD_CUT_LINEAR);
	KUNIT_EXPECT_GT(test, lpd_cut(skb, 14, 0), 0);
	KUNIT_EXPECT_TRUE(test, lpd_cut_test_right(skb, f, s));
	kfree_skb(skb);
	/* all bytes from byte 15 of the packet on */
	for (at = f->ip + 15; at < f->len; at++) {
		if (lpd_cut_test_decisive(f, s, at))
			continue;
		f->data[at] ^= 0x40;
		skb = lpd_cut_test_skb(test, f, LPD_CUT_LINEAR);
		KUNIT_ASSERT_GT(test, lpd_cut(skb, 14, 0), 0);
		KUNIT_ASSERT_FALSE_MSG(test, lpd_cut_test_right(skb, f, s), "damage at %u", at);
		kfree_skb(skb);
		f->data[at] ^= 0x40;
	}
}

/* A receiver still detects that a packet was damaged before the cut. If the damage were random, the
 * receiver would not detect 1 case in 65535.
 */
static void lpd_cut_test_case_damage(struct kunit *test)
{
	struct lpd_cut_frame *f = &lpd_cut_test_frames(test)->before;
	struct lpd_cut_shape s = {};

	for (s.version = 4; s.version <= 6; s.version += 2) {
		s.proto = IPPROTO_TCP;
		lpd_cut_test_damage(test, f, &s);
		s.proto = IPPROTO_UDP;
		lpd_cut_test_damage(test, f, &s);
	}
}

/* A clone of the packet is not changed. */
static void lpd_cut_test_case_clone(struct kunit *test)
{
	struct lpd_cut_frames *f = lpd_cut_test_frames(test);
	struct lpd_cut_shape s = { .version = 4, .proto = IPPROTO_UDP };
	struct sk_buff *skb, *clone;
	int layout;

	lpd_cut_test_build(&f->before, &s, 1001);
	lpd_cut_test_build_cut(&f->after, &s, 13);
	for (layout = 0; layout < LPD_CUT_LAYOUTS; layout++) {
		skb = lpd_cut_test_skb(test, &f->before, layout);
		clone = skb_clone(skb, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, clone);
		KUNIT_EXPECT_EQ(test, lpd_cut(skb, 14, 13), 988);
		lpd_cut_test_expect_bytes(test, skb, &f->after);
		lpd_cut_test_expect_bytes(test, clone, &f->before);
		kfree_skb(clone);
		kfree_skb(skb);
	}
}

/* TCP keeps the payload for retransmission. TCP sends a clone that has its headers in the
 * headroom of the same buffer. Cutting the clone does not change the payload that TCP
 * keeps.
 */
static void lpd_cut_test_case_retransmission(struct kunit *test)
{
	struct lpd_cut_frames *f = lpd_cut_test_frames(test);
	struct lpd_cut_shape s = { .version = 4, .proto = IPPROTO_TCP };
	struct sk_buff *kept, *sent;
	u32 headers, i;
	u8 byte;

	lpd_cut_test_build(&f->before, &s, 1000);
	lpd_cut_test_build_cut(&f->after, &s, 0);
	headers = f->after.len;
	kept = lpd_cut_test_linear(test, NULL, 0);
	lpd_cut_test_add_page(test, kept, f->before.data + headers, 1000);
	__skb_header_release(kept);
	sent = skb_clone(kept, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, sent);
	memcpy(skb_push(sent, headers), f->before.data, headers);
	sent->protocol = htons(ETH_P_IP);
	KUNIT_EXPECT_EQ(test, lpd_cut(sent, 14, 0), 1000);
	lpd_cut_test_expect_bytes(test, sent, &f->after);
	kfree_skb(sent);
	KUNIT_ASSERT_EQ(test, kept->len, 1000);
	for (i = 0; i < 1000; i++) {
		KUNIT_ASSERT_EQ(test, skb_copy_bits(kept, i, &byte, 1), 0);
		KUNIT_ASSERT_EQ(test, byte, f->before.data[headers + i]);
	}
	kfree_skb(kept);
}

/* the header to which the offset of a changed byte refers */
enum { LPD_CUT_IP, LPD_CUT_TRANSPORT };

#define V4(proto_)	.shape = { .version = 4, .proto = IPPROTO_##proto_ }
#define V6(proto_)	.shape = { .version = 6, .proto = IPPROTO_##proto_ }
#define V6X(proto_)	.shape = { .version = 6, .proto = IPPROTO_##proto_, \
				   .extended = true }

static const struct {
	const char *what;
	struct lpd_cut_shape shape;
	u8 from;
	u8 at;
	u8 value;
} lpd_cut_test_uncuttable[] = {
	{ "FIN", V4(TCP), LPD_CUT_TRANSPORT, 13, 0x11 },
	{ "SYN", V4(TCP), LPD_CUT_TRANSPORT, 13, 0x02 },
	{ "RST", V6(TCP), LPD_CUT_TRANSPORT, 13, 0x14 },
	{ "URG", V6(TCP), LPD_CUT_TRANSPORT, 13, 0x30 },
	{ "TCP header too short", V4(TCP), LPD_CUT_TRANSPORT, 12, 0x40 },
	{ "UDP length 7", V4(UDP), LPD_CUT_TRANSPORT, 5, 7 },
	{ "UDP length 65288", V6(UDP), LPD_CUT_TRANSPORT, 4, 0xff },
	{ "DCCP header too short", V4(DCCP), LPD_CUT_TRANSPORT, 4, 3 },
	{ "DCCP header too long", V6(DCCP), LPD_CUT_TRANSPORT, 4, 255 },
	{ "IPv4 version", V4(TCP), LPD_CUT_IP, 0, 0x65 },
	{ "IPv6 version", V6(TCP), LPD_CUT_IP, 0, 0x45 },
	{ "IPv4 header too short", V4(TCP), LPD_CUT_IP, 0, 0x44 },
	{ "IPv4 header too long", V4(TCP), LPD_CUT_IP, 0, 0x4f },
	{ "IPv4 length too small", V4(UDP), LPD_CUT_IP, 3, 19 },
	{ "IPv4 length too large", V4(UDP), LPD_CUT_IP, 2, 1 },
	{ "IPv6 length too large", V6(UDP), LPD_CUT_IP, 4, 1 },
	{ "later fragment", V4(UDP), LPD_CUT_IP, 7, 1 },
	{ "later fragment of more", V4(TCP), LPD_CUT_IP, 6, 0x30 },
	{ "ESP", V4(TCP), LPD_CUT_IP, 9, IPPROTO_ESP },
	{ "AH", V4(TCP), LPD_CUT_IP, 9, IPPROTO_AH },
	{ "ICMP", V4(UDP), LPD_CUT_IP, 9, IPPROTO_ICMP },
	{ "UDP-Lite", V4(UDP), LPD_CUT_IP, 9, IPPROTO_UDPLITE },
	{ "IPv6 ESP", V6(UDP), LPD_CUT_IP, 6, IPPROTO_ESP },
	{ "IPv6 AH", V6(UDP), LPD_CUT_IP, 6, IPPROTO_AH },
	{ "IPv6 no next header", V6(UDP), LPD_CUT_IP, 6, NEXTHDR_NONE },
	{ "AH among extensions", V6X(UDP), LPD_CUT_IP, 40, IPPROTO_AH },
	{ "later fragment among extensions", V6X(UDP), LPD_CUT_IP, 40,
	  NEXTHDR_FRAGMENT },
	{ "extensions beyond the packet", V6X(UDP), LPD_CUT_IP, 41, 0xff },
};

/* Expect that lpd_cut() refuses a packet and leaves it unchanged, in every layout of the
 * skb.
 */
static void lpd_cut_test_refused(struct kunit *test,
				 const struct lpd_cut_frame *f, const char *what)
{
	struct sk_buff *skb;
	int layout;

	for (layout = 0; layout < LPD_CUT_LAYOUTS; layout++) {
		skb = lpd_cut_test_skb(test, f, layout);
		KUNIT_EXPECT_EQ_MSG(test, lpd_cut_bytes(skb, f->ip, 0),
				    -EOPNOTSUPP, "%s", what);
		KUNIT_EXPECT_EQ_MSG(test, lpd_cut(skb, f->ip, 0), -EOPNOTSUPP,
				    "%s", what);
		lpd_cut_test_expect_bytes(test, skb, f);
		kfree_skb(skb);
	}
}

/* Malformed headers, protocols that cannot be cut, and segments that change the
 * connection's state are refused.
 */
static void lpd_cut_test_case_uncuttable(struct kunit *test)
{
	struct lpd_cut_frame *f = &lpd_cut_test_frames(test)->before;
	int i;

	for (i = 0; i < ARRAY_SIZE(lpd_cut_test_uncuttable); i++) {
		u32 from;

		lpd_cut_test_build(f, &lpd_cut_test_uncuttable[i].shape, 5);
		from = lpd_cut_test_uncuttable[i].from == LPD_CUT_IP ?
		       f->ip : f->transport;
		f->data[from + lpd_cut_test_uncuttable[i].at] =
			lpd_cut_test_uncuttable[i].value;
		lpd_cut_test_refused(test, f, lpd_cut_test_uncuttable[i].what);
	}
}

/* A truncated packet is refused, for every length above 24 bytes of its IP packet. */
static void lpd_cut_test_case_short(struct kunit *test)
{
	struct lpd_cut_frame *f = &lpd_cut_test_frames(test)->before;
	static const u8 protos[] = { IPPROTO_TCP, IPPROTO_UDP, IPPROTO_DCCP };
	struct lpd_cut_shape s = { .extended = true };
	int i;

	for (i = 0; i < ARRAY_SIZE(protos); i++) {
		for (s.version = 4; s.version <= 6; s.version += 2) {
			s.proto = protos[i];
			lpd_cut_test_build(f, &s, 50);
			while (--f->len > f->ip + 24)
				lpd_cut_test_refused(test, f, "too short");
		}
	}
}

/* A first fragment with an incomplete transport header is not cut. */
static void lpd_cut_test_case_tiny(struct kunit *test)
{
	struct lpd_cut_frame *f = &lpd_cut_test_frames(test)->before;
	struct lpd_cut_shape s = { .proto = IPPROTO_TCP,
				   .piece = LPD_CUT_FIRST };

	for (s.version = 4; s.version <= 6; s.version += 2) {
		lpd_cut_test_build(f, &s, 0);
		f->len = f->transport + 24;
		f->end = f->len;
		lpd_cut_test_lengths(f, &s, 0);
		lpd_cut_test_refused(test, f, "tiny fragment");
	}
	/* padding follows the incomplete header */
	s.proto = IPPROTO_UDP;
	for (s.version = 4; s.version <= 6; s.version += 2) {
		lpd_cut_test_build(f, &s, 20);
		f->end = f->transport + 4;
		lpd_cut_test_lengths(f, &s, 2000);
		lpd_cut_test_refused(test, f, "tiny fragment");
	}
}

/* A frame whose EtherType does not match its packet is not cut. */
static void lpd_cut_test_case_ethertype(struct kunit *test)
{
	struct lpd_cut_frame *f = &lpd_cut_test_frames(test)->before;
	struct lpd_cut_shape s = { .proto = IPPROTO_UDP };

	for (s.version = 4; s.version <= 6; s.version += 2) {
		lpd_cut_test_build(f, &s, 100);
		lpd_cut_test_put16(f->data + 12, s.version == 4 ? ETH_P_IPV6 :
								  ETH_P_IP);
		lpd_cut_test_refused(test, f, "ethertype");
		lpd_cut_test_put16(f->data + 12, ETH_P_ARP);
		lpd_cut_test_refused(test, f, "ARP");
	}
}

/* A DCCP packet is malformed if its checksum covers more data than the packet has. */
static void lpd_cut_test_case_coverage(struct kunit *test)
{
	struct lpd_cut_frame *f = &lpd_cut_test_frames(test)->before;
	struct lpd_cut_shape s = { .version = 4, .proto = IPPROTO_DCCP,
				   .coverage = 10 };

	lpd_cut_test_build(f, &s, 35);
	lpd_cut_test_refused(test, f, "coverage");
}

/* A first fragment is not cut if its addresses will change on the way, because the checksum
 * covers the final addresses. If the source route of a first fragment is used up,
 * the addresses are final, and the fragment is cut.
 */
static void lpd_cut_test_case_rerouted(struct kunit *test)
{
	struct lpd_cut_frame *f = &lpd_cut_test_frames(test)->before;
	struct lpd_cut_shape s = { .version = 4, .proto = IPPROTO_UDP,
				   .extended = true, .piece = LPD_CUT_FIRST };
	struct sk_buff *skb;

	lpd_cut_test_build(f, &s, 100);
	f->data[f->ip + 20] = IPOPT_LSRR;
	lpd_cut_test_refused(test, f, "loose source route");
	f->data[f->ip + 20] = IPOPT_SSRR;
	lpd_cut_test_refused(test, f, "strict source route");
	s.version = 6;
	lpd_cut_test_build(f, &s, 100);
	f->data[f->ip + 6] = NEXTHDR_DEST;
	lpd_cut_test_refused(test, f, "destination options");
	f->data[f->ip + 6] = NEXTHDR_ROUTING;
	/* type 4, one segment left */
	f->data[f->ip + 42] = 4;
	f->data[f->ip + 43] = 1;
	lpd_cut_test_refused(test, f, "routing header");
	f->data[f->ip + 43] = 0;
	skb = lpd_cut_test_skb(test, f, LPD_CUT_LINEAR);
	KUNIT_EXPECT_EQ(test, lpd_cut_bytes(skb, f->ip, 0), 100);
	kfree_skb(skb);
}

/* A packet whose extension headers are longer than the minimum MTU is refused. A packet
 * with two fragment headers is also refused.
 */
static void lpd_cut_test_case_chain(struct kunit *test)
{
	struct lpd_cut_frame *f = &lpd_cut_test_frames(test)->before;
	struct lpd_cut_shape s = { .version = 6, .proto = IPPROTO_UDP,
				   .extended = true };
	struct sk_buff *skb;

	/* without @chain, 40 + 16 + 8 bytes are in front of the transport header */
	s.chain = 1280 - 64;
	lpd_cut_test_build(f, &s, 100);
	skb = lpd_cut_test_skb(test, f, LPD_CUT_LINEAR);
	KUNIT_EXPECT_EQ(test, lpd_cut_bytes(skb, f->ip, 0), 100);
	kfree_skb(skb);
	s.chain += 8;
	lpd_cut_test_build(f, &s, 100);
	lpd_cut_test_refused(test, f, "chain of 1288 bytes");
	s.chain = 0;
	s.piece = LPD_CUT_ATOMIC;
	lpd_cut_test_build(f, &s, 100);
	f->data[f->ip + 56] = NEXTHDR_FRAGMENT;
	lpd_cut_test_refused(test, f, "two fragment headers");
}

/* A jumbogram is refused, because its length is in an option. */
static void lpd_cut_test_case_jumbogram(struct kunit *test)
{
	struct lpd_cut_frame *f = &lpd_cut_test_frames(test)->before;
	static const u8 jumbo[] = { 0xc2, 4, 0, 1, 0, 0 };
	struct lpd_cut_shape s = { .version = 6, .proto = IPPROTO_UDP,
				   .extended = true };

	lpd_cut_test_build(f, &s, 100);
	memcpy(f->data + f->ip + 42, jumbo, sizeof(jumbo));
	lpd_cut_test_put16(f->data + f->ip + 4, 0);
	lpd_cut_test_refused(test, f, "jumbogram");
}

/* A packet is refused if the device must complete the checksum of an encapsulated header.
 * The cut would remove that header, and the device would write outside of the packet. After
 * a cut, skb->encapsulation is 0.
 */
static void lpd_cut_test_case_encapsulated(struct kunit *test)
{
	struct lpd_cut_frame *f = &lpd_cut_test_frames(test)->before;
	struct lpd_cut_shape s = { .version = 4, .proto = IPPROTO_UDP };
	struct sk_buff *skb;

	lpd_cut_test_build(f, &s, 200);
	skb = lpd_cut_test_skb(test, f, LPD_CUT_LINEAR);
	lpd_cut_test_sum_state(skb, f, &s, CHECKSUM_PARTIAL);
	skb->csum_start += 50;
	KUNIT_EXPECT_EQ(test, lpd_cut_bytes(skb, f->ip, 0), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, lpd_cut(skb, f->ip, 0), -EOPNOTSUPP);
	lpd_cut_test_expect_bytes(test, skb, f);
	skb->csum_start -= 50;
	skb->csum_offset = 16;
	KUNIT_EXPECT_EQ(test, lpd_cut(skb, f->ip, 0), -EOPNOTSUPP);
	skb->ip_summed = CHECKSUM_NONE;
	skb->encapsulation = 1;
	KUNIT_EXPECT_EQ(test, lpd_cut(skb, f->ip, 0), 200);
	KUNIT_EXPECT_EQ(test, (int)skb->encapsulation, 0);
	kfree_skb(skb);
}

/* lpd_cut_bytes() accepts a super-packet if its segments can be cut. The last segment may
 * have FIN, and the total length may be too long for the field. lpd_cut() refuses every
 * super-packet.
 */
static void lpd_cut_test_case_super(struct kunit *test)
{
	struct lpd_cut_frame *f = &lpd_cut_test_frames(test)->before;
	struct lpd_cut_shape s = { .proto = IPPROTO_TCP };
	struct sk_buff *skb;

	for (s.version = 4; s.version <= 6; s.version += 2) {
		lpd_cut_test_build(f, &s, 1000);
		f->data[f->transport + 13] |= 1;
		lpd_cut_test_put16(f->data + f->ip + s.version - 2, 0);
		skb = lpd_cut_test_skb(test, f, LPD_CUT_PAGED);
		skb_shinfo(skb)->gso_size = 300;
		KUNIT_EXPECT_EQ(test, lpd_cut_bytes(skb, f->ip, 0), 1000);
		KUNIT_EXPECT_EQ(test, lpd_cut(skb, f->ip, 0), -EOPNOTSUPP);
		kfree_skb(skb);
		f->data[f->transport + 13] |= 4;
		skb = lpd_cut_test_skb(test, f, LPD_CUT_PAGED);
		skb_shinfo(skb)->gso_size = 300;
		KUNIT_EXPECT_EQ(test, lpd_cut_bytes(skb, f->ip, 0),
				-EOPNOTSUPP);
		kfree_skb(skb);
	}
}

/* Each segment of a UDP super-packet keeps the configured number of bytes. */
static void lpd_cut_test_case_super_keep(struct kunit *test)
{
	static const struct {
		u32 keep;
		int lost;
	} cases[] = { { 0, 1000 }, { 12, 952 }, { 100, 600 }, { 299, 3 },
		      { 300, 0 }, { 400, 0 } };
	struct lpd_cut_frame *f = &lpd_cut_test_frames(test)->before;
	struct lpd_cut_shape s = { .version = 4, .proto = IPPROTO_UDP };
	struct sk_buff *skb;
	int i;

	lpd_cut_test_build(f, &s, 1000);
	skb = lpd_cut_test_skb(test, f, LPD_CUT_LIST);
	skb_shinfo(skb)->gso_size = 300;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ(test, lpd_cut_bytes(skb, f->ip, cases[i].keep),
				cases[i].lost);
	kfree_skb(skb);
	skb = lpd_cut_test_skb(test, f, LPD_CUT_LINEAR);
	skb_shinfo(skb)->gso_size = 300;
	KUNIT_EXPECT_EQ(test, lpd_cut(skb, f->ip, 0), -EOPNOTSUPP);
	lpd_cut_test_expect_bytes(test, skb, f);
	kfree_skb(skb);
}

/* UDP over IPv4 in a linear skb takes the quick way, whoever computes the checksum. */
static void lpd_cut_test_case_quick(struct kunit *test)
{
	static const u8 states[] = { CHECKSUM_NONE, CHECKSUM_UNNECESSARY, CHECKSUM_PARTIAL };
	struct lpd_cut_shape s = { .version = 4, .proto = IPPROTO_UDP, .extended = true };
	struct lpd_cut_frames *f = lpd_cut_test_frames(test);
	struct sk_buff *skb;
	u32 keep;
	int i;

	if (!LPD_FAST)
		kunit_skip(test, "built without the quick way");
	for (i = 0; i < ARRAY_SIZE(states); i++) {
		for (keep = 0; keep < 100; keep++) {
			s.partial = states[i] == CHECKSUM_PARTIAL;
			lpd_cut_test_build(&f->before, &s, 100);
			lpd_cut_test_build_cut(&f->after, &s, keep);
			skb = lpd_cut_test_skb(test, &f->before, LPD_CUT_LINEAR);
			lpd_cut_test_sum_state(skb, &f->before, &s, states[i]);
			KUNIT_ASSERT_EQ(test, lpd_cut_quick(skb, f->before.ip, keep), 100 - keep);
			lpd_cut_test_expect_bytes(test, skb, &f->after);
			kfree_skb(skb);
		}
	}
}

/* Expects that a linear packet does not take the quick way, and stays unchanged. */
static void lpd_cut_test_not_quick(struct kunit *test, const struct lpd_cut_frame *f,
				   const char *what)
{
	struct sk_buff *skb = lpd_cut_test_skb(test, f, LPD_CUT_LINEAR);

	KUNIT_EXPECT_EQ_MSG(test, lpd_cut_quick(skb, f->ip, 0), 0, "%s", what);
	lpd_cut_test_expect_bytes(test, skb, f);
	kfree_skb(skb);
}

/* A packet takes the quick way only if each of its headers says so, even if all lengths match. */
static void lpd_cut_test_case_not_quick(struct kunit *test)
{
	struct lpd_cut_shape s = { .version = 4, .proto = IPPROTO_UDP };
	struct lpd_cut_frame *f = &lpd_cut_test_frames(test)->before;

	lpd_cut_test_build(f, &s, 100);
	f->data[f->ip + 6] = 0x20;
	lpd_cut_test_not_quick(test, f, "first fragment");
	f->data[f->ip + 6] = 0;
	f->data[f->ip + 7] = 1;
	lpd_cut_test_not_quick(test, f, "last fragment");
	f->data[f->ip + 7] = 0;
	f->data[f->ip] = 0x44;
	lpd_cut_test_put16(f->data + f->ip + 20, f->len - f->ip - 16);
	lpd_cut_test_not_quick(test, f, "IPv4 header of 16 bytes, then a UDP length");
	lpd_cut_test_build(f, &s, 100);
	f->data[f->ip] = 0x65;
	lpd_cut_test_not_quick(test, f, "version 6");
	lpd_cut_test_build(f, &s, 100);
	lpd_cut_test_put16(f->data + f->ip + 2, 20);
	lpd_cut_test_not_quick(test, f, "padding that looks like UDP");
	/* the UDP length would be behind the end */
	lpd_cut_test_build(f, &s, 0);
	f->data[f->ip] = 0x47;
	lpd_cut_test_not_quick(test, f, "no UDP header");
}

/**
 * struct lpd_cut_random - a random packet, and how it is cut
 * @shape: its form
 * @layout: its layout
 * @ip_summed: state of its checksum
 * @keep: bytes of payload that stay
 * @cloned: whether a clone of the packet exists
 * @gso: whether the packet is a super-packet
 * @ip: offset of the IP header; sometimes wrong
 */
struct lpd_cut_random {
	struct lpd_cut_shape shape;
	int layout;
	u8 ip_summed;
	u32 keep;
	bool cloned;
	bool gso;
	u32 ip;
};

/* Returns true in one of @times calls. */
static bool lpd_cut_test_rarely(struct rnd_state *rnd, u32 times)
{
	return !(prandom_u32_state(rnd) % times);
}

/* Half of the packets can take the quick way. */
static void lpd_cut_test_draw(struct rnd_state *rnd, struct lpd_cut_random *r)
{
	static const u8 protos[] = { IPPROTO_UDP, IPPROTO_TCP, IPPROTO_DCCP };

	*r = (struct lpd_cut_random){
		.shape = {
			.version = lpd_cut_test_rarely(rnd, 20) ? 6 : 4,
			.extended = lpd_cut_test_rarely(rnd, 2),
			.vlans = lpd_cut_test_rarely(rnd, 20),
			.proto = protos[lpd_cut_test_rarely(rnd, 20) +
					lpd_cut_test_rarely(rnd, 20)],
			.unsummed = lpd_cut_test_rarely(rnd, 10),
			.piece = lpd_cut_test_rarely(rnd, 20) ? LPD_CUT_FIRST : LPD_CUT_WHOLE,
			.surplus = lpd_cut_test_rarely(rnd, 20),
			.padding = lpd_cut_test_rarely(rnd, 20),
		},
		.layout = lpd_cut_test_rarely(rnd, 20) ? LPD_CUT_PAGED : LPD_CUT_LINEAR,
		.ip_summed = prandom_u32_state(rnd) % 4,
		.keep = prandom_u32_state(rnd) % 20,
		.cloned = lpd_cut_test_rarely(rnd, 20),
		.gso = lpd_cut_test_rarely(rnd, 20),
	};
	r->shape.partial = r->ip_summed == CHECKSUM_PARTIAL && !r->shape.unsummed;
}

/* Builds the packet, and in every second packet changes a byte: any byte, or more often a byte of
 * the headers.
 */
static void lpd_cut_test_build_random(struct rnd_state *rnd, struct lpd_cut_frame *f,
				      struct lpd_cut_random *r)
{
	static const u8 values[] = { 0, 1, 0x40, 0xff };
	u32 at;

	lpd_cut_test_build(f, &r->shape, prandom_u32_state(rnd) % 600);
	r->ip = lpd_cut_test_rarely(rnd, 50) ? prandom_u32_state(rnd) % 1000 : f->ip;
	if (lpd_cut_test_rarely(rnd, 2))
		return;
	at = prandom_u32_state(rnd) % (lpd_cut_test_rarely(rnd, 4) ? f->len : 60);
	if (at < f->len)
		f->data[at] = values[prandom_u32_state(rnd) % ARRAY_SIZE(values)];
}

static struct sk_buff *lpd_cut_test_random_skb(struct kunit *test, const struct lpd_cut_frame *f,
					       const struct lpd_cut_random *r)
{
	struct sk_buff *skb = lpd_cut_test_skb(test, f, r->layout);

	lpd_cut_test_sum_state(skb, f, &r->shape, r->ip_summed);
	skb->encapsulation = r->keep & 1;
	if (r->gso)
		skb_shinfo(skb)->gso_size = 100;
	return skb;
}

static void lpd_cut_test_expect_same(struct kunit *test, const struct sk_buff *quick,
				     const struct sk_buff *general)
{
	KUNIT_ASSERT_EQ(test, quick->len, general->len);
	KUNIT_ASSERT_EQ(test, skb_headlen(quick), skb_headlen(general));
	KUNIT_ASSERT_EQ(test, memcmp(quick->data, general->data, skb_headlen(quick)), 0);
	KUNIT_ASSERT_EQ(test, skb_tailroom(quick), skb_tailroom(general));
	KUNIT_ASSERT_EQ(test, quick->truesize, general->truesize);
	KUNIT_ASSERT_EQ(test, (int)quick->ip_summed, (int)general->ip_summed);
	KUNIT_ASSERT_EQ(test, (int)quick->encapsulation, (int)general->encapsulation);
}

/* Cuts a packet both ways. Returns whether it took the quick way. */
static bool lpd_cut_test_both(struct kunit *test, struct lpd_cut_frame *f,
			      const struct lpd_cut_random *r)
{
	struct sk_buff *quick = lpd_cut_test_random_skb(test, f, r);
	struct sk_buff *general = lpd_cut_test_random_skb(test, f, r);
	struct sk_buff *clone = r->cloned ? skb_clone(quick, GFP_KERNEL) : NULL;
	u32 bytes = lpd_cut_quick(quick, r->ip, r->keep);

	if (bytes) {
		KUNIT_ASSERT_EQ(test, lpd_cut_general(general, r->ip, r->keep), bytes);
		lpd_cut_test_expect_same(test, quick, general);
	} else {
		lpd_cut_test_expect_bytes(test, quick, f);
	}
	if (clone)
		lpd_cut_test_expect_bytes(test, clone, f);
	kfree_skb(clone);
	kfree_skb(general);
	kfree_skb(quick);
	return bytes;
}

/* The quick way has the same result as the general way, for random packets with random damage. */
static void lpd_cut_test_case_same(struct kunit *test)
{
	struct lpd_cut_frame *f = &lpd_cut_test_frames(test)->before;
	u32 seed = get_random_u32(), quick = 0, i;
	struct lpd_cut_random r;
	struct rnd_state rnd;

	kunit_info(test, "seed %u", seed);
	prandom_seed_state(&rnd, seed);
	for (i = 0; i < LPD_CUT_TEST_RANDOM; i++) {
		lpd_cut_test_draw(&rnd, &r);
		lpd_cut_test_build_random(&rnd, f, &r);
		quick += lpd_cut_test_both(test, f, &r);
	}
	if (LPD_FAST)
		KUNIT_EXPECT_GT(test, quick, LPD_CUT_TEST_RANDOM / 5);
}

static struct kunit_case lpd_cut_test_cases[] = {
	KUNIT_CASE(lpd_cut_test_case_tcp),
	KUNIT_CASE(lpd_cut_test_case_udp),
	KUNIT_CASE(lpd_cut_test_case_keep),
	KUNIT_CASE(lpd_cut_test_case_unsummed),
	KUNIT_CASE(lpd_cut_test_case_surplus),
	KUNIT_CASE(lpd_cut_test_case_dccp),
	KUNIT_CASE(lpd_cut_test_case_fragment),
	KUNIT_CASE(lpd_cut_test_case_atomic),
	KUNIT_CASE(lpd_cut_test_case_padding),
	KUNIT_CASE(lpd_cut_test_case_all_ones),
	KUNIT_CASE(lpd_cut_test_case_zero),
	KUNIT_CASE(lpd_cut_test_case_nothing),
	KUNIT_CASE(lpd_cut_test_case_damage),
	KUNIT_CASE(lpd_cut_test_case_clone),
	KUNIT_CASE(lpd_cut_test_case_retransmission),
	KUNIT_CASE(lpd_cut_test_case_uncuttable),
	KUNIT_CASE(lpd_cut_test_case_short),
	KUNIT_CASE(lpd_cut_test_case_tiny),
	KUNIT_CASE(lpd_cut_test_case_ethertype),
	KUNIT_CASE(lpd_cut_test_case_coverage),
	KUNIT_CASE(lpd_cut_test_case_rerouted),
	KUNIT_CASE(lpd_cut_test_case_chain),
	KUNIT_CASE(lpd_cut_test_case_jumbogram),
	KUNIT_CASE(lpd_cut_test_case_encapsulated),
	KUNIT_CASE(lpd_cut_test_case_super),
	KUNIT_CASE(lpd_cut_test_case_super_keep),
	KUNIT_CASE(lpd_cut_test_case_quick),
	KUNIT_CASE(lpd_cut_test_case_not_quick),
	KUNIT_CASE(lpd_cut_test_case_same),
	{}
};

static struct kunit_suite lpd_cut_test_suite = {
	.name = "lpd_cut",
	.test_cases = lpd_cut_test_cases,
};

kunit_test_suite(lpd_cut_test_suite);

MODULE_DESCRIPTION("KUnit tests of headercasting");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
