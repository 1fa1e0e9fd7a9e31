// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the two ways to stamp a packet. xlo_stamp_plain() and xlo_stamp_any() stamp two
 * equal random packets. Afterwards the packets, the counters and the socket are equal again.
 */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <net/route.h>
#include <net/sock.h>
/* the tests include these files, because the module does not export the functions under test */
#include "config.c"
#include "insert.c"
#include "plain.c"
#include "stamp.c"
#include "tcp.c"
#include "transport.c"

#define STAMP_TEST_ROUNDS	20000
#define STAMP_TEST_MAX		70000		/* length of a packet */
#define STAMP_TEST_STATS	(XLO_STATS_MAX + 2)	/* the last one counts the profile */
#define STAMP_TEST_LINEAR	100		/* bytes of random data, the others are equal */

static uint seed;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "Seed of the test, 0 (default) for a new one");

/* kinds of plain packets */
enum {
	STAMP_TEST_DATAGRAM,
	STAMP_TEST_CLONE,		/* of TCP */
	STAMP_TEST_SUPER,
	STAMP_TEST_LINKED,		/* with a link-layer header */
	STAMP_TEST_OTHER,
	STAMP_TEST_KINDS,
};

/**
 * struct stamp_test - the world of a packet
 * @rnd: state of the random number generator
 * @xn: data of the module
 * @state: state of the hook
 * @path: XLO_PATH_*
 * @dev: device that the packet leaves through
 * @rt: route of the packet
 * @sock: a TCP socket
 * @ext_hdr_len: the socket's icsk_ext_hdr_len before the packet
 * @bytes: two buffers for the bytes of packets
 */
struct stamp_test {
	struct rnd_state rnd;
	struct xlo_net *xn;
	struct nf_hook_state state;
	u8 path;
	struct net_device *dev;
	struct rtable rt;
	struct socket *sock;
	u16 ext_hdr_len;
	u8 *bytes[2];
};

/**
 * struct stamp_test_packet - a packet, and what it changes
 * @skb: the packet
 * @other: another user's clone of the packet, or NULL
 * @stats: what was added to the counters
 * @ext_hdr_len: icsk_ext_hdr_len of the socket
 * @cookie: what was added to icsk_pmtu_cookie
 */
struct stamp_test_packet {
	struct sk_buff *skb;
	struct sk_buff *other;
	u64 stats[STAMP_TEST_STATS];
	u16 ext_hdr_len;
	u32 cookie;
};

void xlo_event_packet(struct net *net, struct xlo_net *xn, enum xlo_stats cause,
		      const struct net_device *dev)
{
}

static u32 stamp_test_below(struct stamp_test *t, u32 limit)
{
	return prandom_u32_state(&t->rnd) % limit;
}

/* A property that makes a packet unusual. */
static bool stamp_test_odd(struct stamp_test *t)
{
	return !stamp_test_below(t, 16);
}

/* Words of zeros and ones make carries and both zeros of one's complement likely. */
static void stamp_test_words(struct stamp_test *t, u8 *at, u32 len)
{
	u32 i;

	for (i = 0; i + 2 <= len; i += 2)
		put_unaligned((u16)(stamp_test_below(t, 2) ? prandom_u32_state(&t->rnd) :
				    -stamp_test_below(t, 2)), (u16 *)(at + i));
}

/* An IPv4 header, in most cases without options. A few options are the cross-layer option. */
static u32 stamp_test_ip(struct stamp_test *t, struct iphdr *iph, u32 len)
{
	static const u8 protocols[] = { IPPROTO_UDP, IPPROTO_UDP, IPPROTO_TCP, IPPROTO_TCP,
					IPPROTO_TCP, IPPROTO_ICMP, IPPROTO_IGMP, IPPROTO_AH };
	u32 hlen = sizeof(*iph);

	stamp_test_words(t, (u8 *)iph, hlen);
	if (stamp_test_odd(t)) {
		hlen += 4 * stamp_test_below(t, 11);
		memset(iph + 1, XLO_IPV4_NOP, hlen - sizeof(*iph));
		if (hlen == XLO_IPV4_HLEN + XLO_LEN && stamp_test_below(t, 2))
			xlo_write4(iph + 1, &(struct xlo){ .lifetime = 5 });
	}
	iph->version = 4;
	iph->ihl = hlen / 4;
	iph->protocol = protocols[stamp_test_below(t, ARRAY_SIZE(protocols))];
	iph->frag_off = stamp_test_odd(t) ? htons(stamp_test_below(t, 65536)) :
			htons(stamp_test_below(t, 2) ? IP_DF : 0);
	/* not the length of the packet, and in some packets so large that 8 more do not fit */
	iph->tot_len = htons(stamp_test_odd(t) ? U16_MAX - stamp_test_below(t, 16) : len + hlen);
	ip_send_check(iph);
	if (stamp_test_odd(t))
		iph->check ^= (__force __sum16)htons(1 << stamp_test_below(t, 16));
	return hlen;
}

static void stamp_test_tcp(struct stamp_test *t, struct tcphdr *th)
{
	th->doff = stamp_test_odd(t) ? stamp_test_below(t, 16) : 5 + stamp_test_below(t, 4);
	th->rst = stamp_test_odd(t);
	th->syn = stamp_test_odd(t);
	th->fin = stamp_test_odd(t);
}

static void stamp_test_checksum(struct stamp_test *t, struct sk_buff *skb)
{
	static const u8 kinds[] = { CHECKSUM_PARTIAL, CHECKSUM_NONE, CHECKSUM_UNNECESSARY };

	skb->ip_summed = stamp_test_odd(t) ? CHECKSUM_COMPLETE :
			 kinds[stamp_test_below(t, ARRAY_SIZE(kinds))];
	if (skb->ip_summed == CHECKSUM_COMPLETE) {
		skb->csum = skb_checksum(skb, 0, skb->len, 0);
	} else {
		skb->csum_start = skb_transport_header(skb) - skb->head;
		skb->csum_offset = offsetof(struct udphdr, check);
	}
}

/* A super-packet, a chain, or a packet whose gso_type nobody has cleared. */
static void stamp_test_gso(struct stamp_test *t, struct sk_buff *skb, bool super)
{
	static const unsigned int types[] = { SKB_GSO_TCPV4, SKB_GSO_UDP_L4, SKB_GSO_FRAGLIST,
					      SKB_GSO_TCPV4 | SKB_GSO_FRAGLIST, 0 };
	struct skb_shared_info *shinfo = skb_shinfo(skb);

	if (super) {
		shinfo->gso_size = stamp_test_odd(t) ? 1 + stamp_test_below(t, U16_MAX) :
						       500 + stamp_test_below(t, 900);
		shinfo->gso_segs = DIV_ROUND_UP(skb->len, shinfo->gso_size);
		shinfo->gso_type = SKB_GSO_TCPV4;
		if (stamp_test_odd(t))
			skb->ip_summed = CHECKSUM_PARTIAL;
	}
	if (stamp_test_odd(t))
		shinfo->gso_type = types[stamp_test_below(t, ARRAY_SIZE(types))];
	skb->encapsulation = stamp_test_odd(t);
	skb->inner_network_header = skb->network_header;
	skb->inner_transport_header = skb->transport_header + 4 * stamp_test_below(t, 3);
}

/* Link-layer headers of Ethernet, with a VLAN tag, and too long for one. mac_header may also point
 * behind the IP header.
 */
static u32 stamp_test_link(struct stamp_test *t)
{
	static const u8 lengths[] = { 0, 0, ETH_HLEN, VLAN_ETH_HLEN, XLO_LINK_MAX,
				      XLO_LINK_MAX + 1 };

	return lengths[stamp_test_below(t, ARRAY_SIZE(lengths))];
}

/* Puts the end of a packet into a page. */
static void stamp_test_page(struct stamp_test *t, struct kunit *test, struct sk_buff *skb,
			    u32 hlen)
{
	u32 len = stamp_test_below(t, min_t(u32, skb->len - hlen, PAGE_SIZE) + 1);
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	memcpy(page_address(page), skb_tail_pointer(skb) - len, len);
	skb_trim(skb, skb->len - len);
	skb_add_rx_frag(skb, 0, page, 0, len, PAGE_SIZE);
}

/* Gives another user a clone of the packet, or takes a clone as TCP does. */
static void stamp_test_share(struct stamp_test *t, struct kunit *test,
			     struct stamp_test_packet *p, u32 headers)
{
	struct sk_buff *clone;

	if (stamp_test_below(t, 2))
		return;
	if (!stamp_test_odd(t))
		__skb_header_release(p->skb);
	clone = skb_clone(p->skb, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, clone);
	p->other = p->skb;
	p->skb = clone;
	/* TCP uses only the data of its own packet */
	if (p->other->nohdr)
		__skb_pull(p->other, min(headers, skb_headlen(p->other)));
}

/* Sets an MTU that the packet or its segments exceed or fit by a few bytes, or the largest MTU. */
static void stamp_test_mtu(struct stamp_test *t, const struct sk_buff *skb)
{
	u32 len = skb_is_gso(skb) ? skb_network_header_len(skb) + tcp_hdrlen(skb) +
				    skb_shinfo(skb)->gso_size : skb->len;

	t->dev->mtu = stamp_test_below(t, 2) ? IP_MAX_MTU : max(len + stamp_test_below(t, 17), 68U);
}

/* Makes the socket of the connection the sender, or not. */
static void stamp_test_socket(struct stamp_test *t, struct sk_buff *skb)
{
	struct sock *sk = t->sock->sk;

	t->path = 1 + stamp_test_below(t, 2);
	t->state.sk = NULL;
	if (t->path == XLO_PATH_FORWARD || !stamp_test_below(t, 4))
		return;
	if (!stamp_test_odd(t))
		t->state.sk = sk;
	if (stamp_test_odd(t))
		return;
	sock_hold(sk);
	skb->sk = sk;
	skb->destructor = sock_efree;
}

/* Makes a linear packet. Returns the length of its IP header. */
static u32 stamp_test_fill(struct stamp_test *t, struct kunit *test, struct stamp_test_packet *p,
			   bool super)
{
	u32 link = stamp_test_link(t);
	u32 len = 8 + stamp_test_below(t, 1500);
	u32 headroom = stamp_test_odd(t) ? stamp_test_below(t, 16) : 32;
	struct sk_buff *skb;
	u32 hlen;
	u8 *data;

	/* a fourth of the super-packets are about as long as IPv4 allows */
	if (super)
		len = stamp_test_below(t, 4) ? 2000 + len :
					       IP_MAX_MTU - 40 + stamp_test_below(t, 40);
	skb = alloc_skb(headroom + link + 60 + len, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	p->skb = skb;
	skb_reserve(skb, headroom);
	stamp_test_words(t, skb_put(skb, link), link);
	__skb_pull(skb, link);
	skb_reset_network_header(skb);
	hlen = stamp_test_ip(t, (struct iphdr *)skb->data, len);
	skb_put(skb, hlen);
	skb_set_transport_header(skb, hlen);
	data = skb_put(skb, len);
	memset(data, 0x5a, len);
	stamp_test_words(t, data, min_t(u32, len, STAMP_TEST_LINEAR));
	stamp_test_tcp(t, (struct tcphdr *)data);
	if (link)
		skb_set_mac_header(skb, stamp_test_odd(t) ? 4 : -(int)link);
	return hlen;
}

/* Makes a packet. The same state of the random number generator makes an equal packet. */
static void stamp_test_make(struct stamp_test *t, struct kunit *test, struct stamp_test_packet *p)
{
	bool super = !stamp_test_below(t, 4);
	u32 hlen;

	memset(p, 0, sizeof(*p));
	hlen = stamp_test_fill(t, test, p, super);
	stamp_test_checksum(t, p->skb);
	stamp_test_gso(t, p->skb, super);
	if (stamp_test_odd(t))
		stamp_test_page(t, test, p->skb, hlen);
	stamp_test_share(t, test, p, hlen + sizeof(struct tcphdr));
	stamp_test_mtu(t, p->skb);
	stamp_test_socket(t, p->skb);
	t->ext_hdr_len = stamp_test_below(t, 2) * XLO_LEN;
	/* a raw socket of IPv6 can send an IPv4 header */
	t->state.pf = stamp_test_odd(t) ? NFPROTO_IPV6 : NFPROTO_IPV4;
	rcu_read_lock();
	skb_dst_set_noref(p->skb, &t->rt.dst);
	rcu_read_unlock();
}

static u64 stamp_test_stat(const struct stamp_test *t, const struct xlo_profile *profile, int i)
{
	return i <= XLO_STATS_MAX ? xlo_counter(t->xn, i) :
				    xlo_counter_profile(t->xn, profile->slot);
}

/* Stamps a packet, as a plain packet or as any packet, and stores what has changed. Returns false
 * if the packet is not plain.
 */
static bool stamp_test_stamp(struct stamp_test *t, const struct xlo_profile *profile,
			     struct stamp_test_packet *p, bool plain)
{
	struct inet_connection_sock *icsk = inet_csk(t->sock->sk);
	u32 cookie = icsk->icsk_pmtu_cookie;
	bool done = true;
	int i;

	for (i = 0; i < STAMP_TEST_STATS; i++)
		p->stats[i] = -stamp_test_stat(t, profile, i);
	icsk->icsk_ext_hdr_len = t->ext_hdr_len;
	rcu_read_lock();
	if (plain)
		done = xlo_stamp_plain(t->xn, profile, p->skb, &t->state, t->path);
	else
		xlo_stamp_any(p->skb, &t->state, profile, false, t->path);
	rcu_read_unlock();
	p->ext_hdr_len = icsk->icsk_ext_hdr_len;
	p->cookie = icsk->icsk_pmtu_cookie - cookie;
	for (i = 0; i < STAMP_TEST_STATS; i++)
		p->stats[i] += stamp_test_stat(t, profile, i);
	return done;
}

/* Expects that two packets have the same bytes, with their link-layer headers. */
static void stamp_test_same_bytes(struct stamp_test *t, struct kunit *test,
				  const struct sk_buff *a, const struct sk_buff *b, int link)
{
	KUNIT_ASSERT_EQ(test, a->len, b->len);
	KUNIT_ASSERT_EQ(test, skb_copy_bits(a, -link, t->bytes[0], link + a->len), 0);
	KUNIT_ASSERT_EQ(test, skb_copy_bits(b, -link, t->bytes[1], link + b->len), 0);
	KUNIT_ASSERT_EQ(test, memcmp(t->bytes[0], t->bytes[1], link + a->len), 0);
}

/* Expects that two packets have the same offsets, checksums and segments. */
static void stamp_test_same_fields(struct kunit *test, const struct sk_buff *a,
				   const struct sk_buff *b)
{
	KUNIT_ASSERT_EQ(test, skb_headroom(a), skb_headroom(b));
	KUNIT_ASSERT_EQ(test, a->data_len, b->data_len);
	KUNIT_ASSERT_EQ(test, a->mac_header, b->mac_header);
	KUNIT_ASSERT_EQ(test, a->network_header, b->network_header);
	KUNIT_ASSERT_EQ(test, a->transport_header, b->transport_header);
	KUNIT_ASSERT_EQ(test, a->inner_transport_header, b->inner_transport_header);
	KUNIT_ASSERT_EQ(test, (u8)a->ip_summed, (u8)b->ip_summed);
	KUNIT_ASSERT_EQ(test, (__force u32)a->csum, (__force u32)b->csum);
	KUNIT_ASSERT_EQ(test, skb_shinfo(a)->gso_type, skb_shinfo(b)->gso_type);
	KUNIT_ASSERT_EQ(test, skb_shinfo(a)->gso_size, skb_shinfo(b)->gso_size);
	KUNIT_ASSERT_EQ(test, skb_shinfo(a)->gso_segs, skb_shinfo(b)->gso_segs);
}

static void stamp_test_same(struct stamp_test *t, struct kunit *test,
			    const struct stamp_test_packet *a, const struct stamp_test_packet *b)
{
	stamp_test_same_fields(test, a->skb, b->skb);
	stamp_test_same_bytes(t, test, a->skb, b->skb, xlo_insert_link_len(a->skb));
	if (a->other)
		stamp_test_same_bytes(t, test, a->other, b->other, 0);
}

static void stamp_test_free(struct stamp_test_packet *p)
{
	kfree_skb(p->skb);
	kfree_skb(p->other);
}

static int stamp_test_kind(const struct stamp_test_packet *p)
{
	if (skb_is_gso(p->skb))
		return STAMP_TEST_SUPER;
	if (p->other)
		return STAMP_TEST_CLONE;
	if (xlo_insert_link_len(p->skb))
		return STAMP_TEST_LINKED;
	return ip_hdr(p->skb)->protocol == IPPROTO_UDP ? STAMP_TEST_DATAGRAM : STAMP_TEST_OTHER;
}

/* Stamps two equal packets. Returns the kind of the packet, or -1 if the packet is not plain or
 * gets no option. A packet that is not plain has not changed.
 */
static int stamp_test_try(struct stamp_test *t, struct kunit *test,
			  const struct xlo_profile *profile)
{
	struct rnd_state rnd = t->rnd;
	struct stamp_test_packet a, b;
	bool plain;
	int kind = -1;

	stamp_test_make(t, test, &a);
	plain = stamp_test_stamp(t, profile, &a, true);
	t->rnd = rnd;
	stamp_test_make(t, test, &b);
	if (plain) {
		stamp_test_stamp(t, profile, &b, false);
		KUNIT_ASSERT_EQ(test, memcmp(a.stats, b.stats, sizeof(a.stats)), 0);
		KUNIT_ASSERT_EQ(test, a.ext_hdr_len, b.ext_hdr_len);
		KUNIT_ASSERT_EQ(test, a.cookie, b.cookie);
		if (a.stats[STAMP_TEST_STATS - 1])
			kind = stamp_test_kind(&a);
	}
	stamp_test_same(t, test, &a, &b);
	stamp_test_free(&a);
	stamp_test_free(&b);
	return kind;
}

static struct xlo_profile *stamp_test_profile(struct stamp_test *t, const struct xlo_profile *p)
{
	struct xlo_config *config = rcu_dereference_protected(t->xn->config, true);

	config->profile_count = 0;
	xlo_profile_add(t->xn, config, p);
	return config->profiles;
}

static struct stamp_test *stamp_test_begin(struct kunit *test)
{
	struct stamp_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->dev = kunit_kzalloc(test, sizeof(*t->dev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->dev);
	for (i = 0; i < ARRAY_SIZE(t->bytes); i++) {
		t->bytes[i] = kunit_kzalloc(test, STAMP_TEST_MAX, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, t->bytes[i]);
	}
	if (!seed)
		seed = get_random_u32() | 1;
	kunit_info(test, "seed=%u", seed);
	prandom_seed_state(&t->rnd, seed);
	t->xn = xlo_net(&init_net);
	t->state.net = &init_net;
	dev_net_set(t->dev, &init_net);
	t->rt.dst.dev = t->dev;
	dst_init_metrics(&t->rt.dst, dst_default_metrics.metrics, true);
	return t;
}

/* A plain packet is stamped like any other packet. Many datagrams, clones and super-packets of TCP,
 * and packets with a link-layer header are plain.
 */
static void stamp_test_both_ways(struct kunit *test)
{
	struct stamp_test *t = stamp_test_begin(test);
	u32 met[STAMP_TEST_KINDS] = { 0 };
	int i, kind;

	KUNIT_ASSERT_EQ(test, sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_TCP,
					       &t->sock), 0);
	for (i = 0; i < STAMP_TEST_ROUNDS; i++) {
		struct xlo_profile p = {
			.lifetime = stamp_test_below(t, XLO_RELATIVE_MAX + 2),
			.reorder = stamp_test_below(t, 256),
			.flags = stamp_test_below(t, XLO_FLAGS_ALL + 1),
			.path = XLO_PATH_ALL,
			.rto = stamp_test_odd(t),
		};

		kind = stamp_test_try(t, test, stamp_test_profile(t, &p));
		if (kind >= 0)
			met[kind]++;
	}
	sock_release(t->sock);
	for (i = 0; i < STAMP_TEST_KINDS; i++)
		KUNIT_EXPECT_GT_MSG(test, met[i], STAMP_TEST_ROUNDS / 100U, "kind %d", i);
}

/* A profile stores its option only if the option is the same in each packet, and carries the whole
 * lifetime.
 */
static void stamp_test_option(struct kunit *test)
{
	static const u8 bytes[] = { XLO_TYPE_IPV4, XLO_LEN, 7, XLO_FLAG_SLOW, 0, 0, 1, 44 };
	static const struct xlo_profile constant = {
		.lifetime = 300,
		.reorder = 7,
		.flags = XLO_FLAG_SLOW,
	};
	struct stamp_test *t = stamp_test_begin(test);
	struct xlo_profile p = constant;

	KUNIT_EXPECT_EQ(test, memcmp(&stamp_test_profile(t, &p)->option, bytes, sizeof(bytes)), 0);
	p.lifetime = XLO_RELATIVE_MAX;
	KUNIT_EXPECT_NE(test, stamp_test_profile(t, &p)->option, 0ULL);
	p.lifetime = XLO_RELATIVE_MAX + 1;
	KUNIT_EXPECT_EQ(test, stamp_test_profile(t, &p)->option, 0ULL);
	p = constant;
	p.clock = XLO_CLOCK_UTC;
	KUNIT_EXPECT_EQ(test, stamp_test_profile(t, &p)->option, 0ULL);
	p = constant;
	p.rto = true;
	KUNIT_EXPECT_EQ(test, stamp_test_profile(t, &p)->option, 0ULL);
}

static int __net_init stamp_test_net_init(struct net *net)
{
	return xlo_config_init(xlo_net(net));
}

static void __net_exit stamp_test_net_exit(struct net *net)
{
	xlo_config_exit(xlo_net(net));
}

static struct pernet_operations stamp_test_net_ops = {
	.init	= stamp_test_net_init,
	.exit	= stamp_test_net_exit,
	.id	= &xlo_net_id,
	.size	= sizeof(struct xlo_net),
};

static int stamp_test_init(struct kunit_suite *suite)
{
	return register_pernet_subsys(&stamp_test_net_ops);
}

static void stamp_test_exit(struct kunit_suite *suite)
{
	unregister_pernet_subsys(&stamp_test_net_ops);
}

static struct kunit_case stamp_test_cases[] = {
	KUNIT_CASE(stamp_test_both_ways),
	KUNIT_CASE(stamp_test_option),
	{}
};

static struct kunit_suite stamp_test_suite = {
	.name = "xlo_stamp",
	.suite_init = stamp_test_init,
	.suite_exit = stamp_test_exit,
	.test_cases = stamp_test_cases,
};

kunit_test_suite(stamp_test_suite);

MODULE_DESCRIPTION("KUnit tests of the ways in which xlo stamps packets");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
