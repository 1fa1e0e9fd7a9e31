/* SPDX-License-Identifier: GPL-2.0 */
/* Packets with the cross-layer option, for KUnit tests. */
#ifndef _ARQLINK_TEST_PACKET_H
#define _ARQLINK_TEST_PACKET_H

#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <net/checksum.h>
#include <net/xlo.h>

#define ARQL_TEST_IP4	(ETH_HLEN + XLO_IPV4_HLEN + XLO_LEN)
#define ARQL_TEST_IP6	(ETH_HLEN + XLO_IPV6_HLEN + XLO_IPV6_HBH_LEN)

/* Writes an Ethernet header and an IPv4 header with the option: ARQL_TEST_IP4 bytes. */
static inline void arql_test_ip4(u8 *p, const struct xlo *opt)
{
	struct iphdr *ip = (struct iphdr *)(p + ETH_HLEN);

	memset(p, 0, ARQL_TEST_IP4);
	((struct ethhdr *)p)->h_proto = htons(ETH_P_IP);
	ip->version = 4;
	ip->ihl = (XLO_IPV4_HLEN + XLO_LEN) / 4;
	ip->tot_len = htons(XLO_IPV4_HLEN + XLO_LEN);
	ip->protocol = IPPROTO_UDP;
	xlo_write4(p + ETH_HLEN + XLO_IPV4_HLEN, opt);
	ip->check = ip_fast_csum(ip, ip->ihl);
}

/* Writes an Ethernet header and an IPv6 header with the option: ARQL_TEST_IP6 bytes. */
static inline void arql_test_ip6(u8 *p, const struct xlo *opt)
{
	struct ipv6hdr *ip = (struct ipv6hdr *)(p + ETH_HLEN);

	memset(p, 0, ARQL_TEST_IP6);
	((struct ethhdr *)p)->h_proto = htons(ETH_P_IPV6);
	ip->version = 6;
	ip->nexthdr = NEXTHDR_HOP;
	ip->payload_len = htons(XLO_IPV6_HBH_LEN);
	xlo_write6(p + ETH_HLEN + XLO_IPV6_HLEN, NEXTHDR_NONE, opt);
}

/* Reads the lifetime in the option that the functions above have written. */
static inline u32 arql_test_lifetime(const u8 *p)
{
	const int ip6 = ARQL_TEST_IP6 - XLO_IPV6_HBH_LEN + 4;

	return xlo_get_lifetime(p + (p[ETH_HLEN] >> 4 == 4 ? ARQL_TEST_IP4 - XLO_LEN : ip6));
}

#endif /* _ARQLINK_TEST_PACKET_H */
