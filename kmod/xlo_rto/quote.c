// SPDX-License-Identifier: GPL-2.0
/*
 * Reading quoted packets. Nothing in them is trusted: each walk makes progress and stays
 * within what is quoted, which is contiguous in memory.
 */

#include <linux/in.h>
#include <linux/ipv6.h>
#include <linux/unaligned.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/tcp.h>
#include "quote.h"

#define XRTO_QUOTED_TCP		8	/* what must be quoted: ports and sequence number */

/* Offsets in IPv4's and IPv6's headers, an IPv6 extension header's, TCP's */
#define XRTO_IPV4_FRAG		6
#define XRTO_IPV4_PROTO		9
#define XRTO_IPV4_SADDR		12
#define XRTO_IPV4_DADDR		16
#define XRTO_IPV4_HLEN		20
#define XRTO_IPV6_NEXT		6
#define XRTO_IPV6_SADDR		8
#define XRTO_IPV6_DADDR		24
#define XRTO_IPV6_HLEN		40
#define XRTO_IPV6_EXT_UNIT	8
#define XRTO_IPV6_FRAG		2
#define XRTO_TCP_SEQ		4
#define XRTO_TCP_DOFF		12

static bool xrto_quote4(const u8 *ip, u32 len, struct xrto_quote *quote)
{
	u32 hlen = (ip[0] & 15) * 4;

	if (hlen < XRTO_IPV4_HLEN || hlen > len)
		return false;
	quote->pf = NFPROTO_IPV4;
	quote->proto = ip[XRTO_IPV4_PROTO];
	quote->later = get_unaligned_be16(ip + XRTO_IPV4_FRAG) & IP_OFFSET;
	quote->at = hlen;
	memcpy(&quote->saddr.in, ip + XRTO_IPV4_SADDR, sizeof(quote->saddr.in));
	memcpy(&quote->daddr.in, ip + XRTO_IPV4_DADDR, sizeof(quote->daddr.in));
	return true;
}

static bool xrto_is_extension(u8 next)
{
	return next == NEXTHDR_HOP || next == NEXTHDR_ROUTING ||
	       next == NEXTHDR_DEST || next == NEXTHDR_FRAGMENT;
}

/* The length of an extension header of this kind; more than there is if it is cut off. */
static u32 xrto_extension_len(const u8 *ext, u32 len, u8 kind)
{
	if (len < XRTO_IPV6_EXT_UNIT || kind == NEXTHDR_FRAGMENT)
		return XRTO_IPV6_EXT_UNIT;
	return (ext[1] + 1) * XRTO_IPV6_EXT_UNIT;
}

/* Behind the extension headers, or where a later fragment's end. */
static bool xrto_skip6(const u8 *ip, u32 len, struct xrto_quote *quote)
{
	const u8 *ext;
	u32 size;

	for (; xrto_is_extension(quote->proto) && !quote->later; quote->at += size) {
		ext = ip + quote->at;
		size = xrto_extension_len(ext, len - quote->at, quote->proto);
		if (size > len - quote->at)
			return false;
		if (quote->proto == NEXTHDR_FRAGMENT)
			quote->later = get_unaligned_be16(ext + XRTO_IPV6_FRAG) &
				       IP6_OFFSET;
		quote->proto = ext[0];
	}
	return true;
}

static bool xrto_quote6(const u8 *ip, u32 len, struct xrto_quote *quote)
{
	if (len < XRTO_IPV6_HLEN)
		return false;
	quote->pf = NFPROTO_IPV6;
	quote->proto = ip[XRTO_IPV6_NEXT];
	quote->later = false;
	quote->at = XRTO_IPV6_HLEN;
	memcpy(&quote->saddr.in6, ip + XRTO_IPV6_SADDR, sizeof(quote->saddr.in6));
	memcpy(&quote->daddr.in6, ip + XRTO_IPV6_DADDR, sizeof(quote->daddr.in6));
	return xrto_skip6(ip, len, quote);
}

/**
 * xrto_quote_packet() - read a packet's IP headers
 * @ip: from its IP header on
 * @len: bytes of it that there are
 * @quote: written, but for what is TCP's
 *
 * Return: whether it is IPv4 or IPv6, and its IP headers are whole
 */
bool xrto_quote_packet(const u8 *ip, u32 len, struct xrto_quote *quote)
{
	if (len < XRTO_IPV4_HLEN)
		return false;
	switch (ip[0] >> 4) {
	case 4:
		return xrto_quote4(ip, len, quote);
	case 6:
		return xrto_quote6(ip, len, quote);
	default:
		return false;
	}
}

/**
 * xrto_quote_is_segment() - whether a TCP header follows
 * @quote: of xrto_quote_packet()
 */
bool xrto_quote_is_segment(const struct xrto_quote *quote)
{
	return quote->proto == IPPROTO_TCP && !quote->later;
}

/* A time stamp among the options that are quoted. */
static bool xrto_find_tsval(const u8 *tcp, u32 len, u32 *tsval)
{
	u32 at = XRTO_TCP_HLEN, size;

	if (len < XRTO_TCP_HLEN)
		return false;
	len = min_t(u32, len, (tcp[XRTO_TCP_DOFF] >> 4) * 4);
	for (; at < len && tcp[at] != TCPOPT_EOL; at += size) {
		if (tcp[at] == TCPOPT_NOP) {
			size = 1;
			continue;
		}
		size = at + 1 < len ? tcp[at + 1] : 0;
		if (size < 2 || size > len - at)
			return false;
		if (tcp[at] == TCPOPT_TIMESTAMP && size == TCPOLEN_TIMESTAMP) {
			*tsval = get_unaligned_be32(tcp + at + 2);
			return true;
		}
	}
	return false;
}

/**
 * xrto_quote_segment() - read a segment's TCP header
 * @ip: as for xrto_quote_packet()
 * @len: likewise
 * @quote: of xrto_quote_packet(), xrto_quote_is_segment(); the rest is written
 *
 * Return: whether as much of it is there as must be
 */
bool xrto_quote_segment(const u8 *ip, u32 len, struct xrto_quote *quote)
{
	const u8 *tcp = ip + quote->at;

	len -= quote->at;
	if (len < XRTO_QUOTED_TCP)
		return false;
	memcpy(&quote->sport, tcp, sizeof(quote->sport));
	memcpy(&quote->dport, tcp + sizeof(quote->sport), sizeof(quote->dport));
	quote->seq = get_unaligned_be32(tcp + XRTO_TCP_SEQ);
	quote->tsval = 0;
	quote->has_tsval = xrto_find_tsval(tcp, len, &quote->tsval);
	return true;
}
