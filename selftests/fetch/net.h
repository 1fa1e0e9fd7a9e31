/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of the network stack that the parsers call. */
#ifndef FETCH_NET_H
#define FETCH_NET_H

#define IP_MF			0x2000
#define IP_OFFSET		0x1fff
#define IP6_MF			0x0001
#define IP6_OFFSET		0xfff8
#define IP_MAX_MTU		0xffff
#define IPV6_MIN_MTU		1280
#define NEXTHDR_HOP		0
#define NEXTHDR_ROUTING		43
#define NEXTHDR_FRAGMENT	44
#define NEXTHDR_AUTH		51
#define NEXTHDR_NONE		59
#define NEXTHDR_DEST		60
#define NDISC_REDIRECT		137
#define TCPOPT_EOL		0
#define TCPOPT_NOP		1
#define TCPOPT_TIMESTAMP	8
#define TCPOLEN_TIMESTAMP	10
#define TCP_MIN_SND_MSS		48
#define LL_MAX_HEADER		128

struct frag_hdr {
	u8 nexthdr;
	u8 reserved;
	__be16 frag_off;
	__be32 identification;
};

#define ipv6_optlen(p)		(((p)->hdrlen + 1) * 8)
#define ip_hdr(skb)		((struct iphdr *)skb_network_header(skb))
#define ipv6_hdr(skb)		((struct ipv6hdr *)skb_network_header(skb))
#define ip_hdrlen(skb)		(ip_hdr(skb)->ihl * 4)
#define tcp_hdrlen(skb)	\
	(((struct tcphdr *)skb_transport_header(skb))->doff * 4)

static inline bool ip_is_fragment(const struct iphdr *iph)
{
	return iph->frag_off & htons(IP_MF | IP_OFFSET);
}

static inline void ip_send_check(struct iphdr *iph)
{
	iph->check = 0;
	iph->check = ip_compute_csum(iph, iph->ihl * 4);
}

static inline bool ipv6_ext_hdr(u8 next)
{
	return next == NEXTHDR_HOP || next == NEXTHDR_ROUTING ||
	       next == NEXTHDR_FRAGMENT || next == NEXTHDR_AUTH ||
	       next == NEXTHDR_NONE || next == NEXTHDR_DEST;
}

/* net.c */
enum { IP6_FH_F_FRAG = 1, IP6_FH_F_AUTH = 2, IP6_FH_F_SKIP_RH = 4 };
int ipv6_find_hdr(const struct sk_buff *skb, unsigned int *at, int target,
		  unsigned short *fragment, int *flags);
int ipv6_skip_exthdr(const struct sk_buff *skb, int at, u8 *next,
		     __be16 *fragment);
__be16 __vlan_get_protocol(const struct sk_buff *skb, __be16 type, int *depth);

#define eth_type_vlan(t)	((t) == htons(ETH_P_8021Q) || \
				 (t) == htons(ETH_P_8021AD))
#define vlan_get_protocol(skb)	__vlan_get_protocol(skb, (skb)->protocol, NULL)

/* Addresses */
#define ipv4_is_multicast(a)	(((a) & htonl(0xf0000000)) == htonl(0xe0000000))
#define ipv4_is_lbcast(a)	((a) == 0xffffffff)
#define ipv4_is_zeronet(a)	(((a) & htonl(0xff000000)) == 0)
#define ipv4_is_loopback(a)	(((a) & htonl(0xff000000)) == htonl(0x7f000000))
#define ipv6_addr_is_multicast(a)	((a)->in6_u.u6_addr8[0] == 0xff)
#define ipv6_addr_equal(a, b)	(!memcmp(a, b, 16))

static inline bool ipv6_addr_any(const struct in6_addr *a)
{
	return ipv6_addr_equal(a, &(struct in6_addr){ 0 });
}

static inline bool ipv6_addr_loopback(const struct in6_addr *a)
{
	return ipv6_addr_equal(a, &(struct in6_addr){ .in6_u.u6_addr8[15] = 1 });
}

/* Queueing */
struct qdisc_skb_cb {
	u32 pkt_len;
	u8 data[20];
};
#define qdisc_skb_cb(skb)	((struct qdisc_skb_cb *)(skb)->cb)
#define qdisc_cb_private_validate(skb, size) \
	BUILD_BUG_ON((size) > sizeof(((struct qdisc_skb_cb *)0)->data))

/* Namespaces, devices and sockets, with the few members that the packets here
 * use
 */
struct net { void *generic; };
struct net_device { int ifindex; unsigned int mtu; };
struct dst_entry { unsigned int mtu; };
struct ip_options_rcu { struct { u8 optlen; } opt; };
struct ipv6_txoptions { u16 opt_flen, opt_nflen; };
struct inet_connection_sock {
	u8 icsk_retransmits, icsk_pending;
	u32 icsk_rto, icsk_pmtu_cookie;
	u16 icsk_ext_hdr_len;
};
struct request_sock { bool tfo_listener; u8 num_timeout; u32 timeout; int rsk_timer; };
struct sock {
	int sk_type, sk_protocol, sk_state, sk_clockid;
	bool sk_txtime_deadline_mode;
	u32 reordering, snd_una, snd_nxt;
	struct ip_options_rcu *inet_opt;
	struct ipv6_txoptions *opt;
	struct inet_connection_sock connection;
	struct request_sock request;
};
struct nf_hook_state {
	u8 pf;
	struct net_device *in;
	struct net_device *out;
	struct sock *sk;
	struct net *net;
};
struct nf_hook_ops {
	unsigned int (*hook)(void *priv, struct sk_buff *skb,
			     const struct nf_hook_state *state);
	int pf;
	int hooknum;
	int priority;
};
extern struct dst_entry fetch_dst;
enum { SOCK_TXTIME = 1, TCP_SYN_SENT = 2, TCP_NEW_SYN_RECV = 12 };
#define TCP_TIMEOUT_INIT	HZ
#define TCP_RTO_MAX		(120 * HZ)
#define inet_csk(sk)		(&(sk)->connection)
#define inet_reqsk(sk)		(&(sk)->request)
#define inet_sk(sk)		(sk)
#define inet6_sk(sk)		(sk)
#define tcp_sk(sk)		(sk)
#define tcp_rsk(req)		(req)
#define psp_sk_overhead(sk)	((void)(sk), 0)
#define timer_pending(t)	(*(t))
#define jiffies_to_msecs(j)	(j)
#define net_generic(net, id)	((void)(id), (net)->generic)
#define sk_fullsock(sk)		((void)(sk), false)
#define sock_flag(sk, flag)	((void)(sk), false)
#define skb_dst(skb)		((void)(skb), &fetch_dst)
#define dst_mtu(dst)		((int)(dst)->mtu)
#define ip_skb_dst_mtu(sk, skb)	((void)(sk), fetch_dst.mtu)
#define ip6_skb_dst_mtu(skb)	(fetch_dst.mtu)
#define skb_gso_validate_network_len(skb, mtu)	((void)(skb), (void)(mtu), true)
#define xfrm4_policy_check(sk, dir, skb)	((void)(skb), true)
#define xfrm6_policy_check(sk, dir, skb)	((void)(skb), true)
#define inet_iif(skb)		((void)(skb), 1)
#define inet_sdif(skb)		((void)(skb), 0)
#define inet6_iif(skb)		((void)(skb), 1)
#define inet6_sdif(skb)		((void)(skb), 0)
#define nf_ct_attach(to, from)	((void)(to), (void)(from))
enum ip_conntrack_info { IP_CT_ESTABLISHED };
struct nf_conn { struct net *net; };
#define nf_ct_get(skb, info)	((void)(skb), (void)(info), (struct nf_conn *)NULL)
#define nf_ct_net(ct)		((ct)->net)
#define net_eq(a, b)		((a) == (b))
#define nf_register_net_hooks(net, ops, n)	((void)(net), (void)(ops), 0)
#define nf_unregister_net_hooks(net, ops, n)	((void)(net), (void)(ops))

#endif /* FETCH_NET_H */
