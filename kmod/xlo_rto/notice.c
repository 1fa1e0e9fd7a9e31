// SPDX-License-Identifier: GPL-2.0
/*
 * Write messages, and refuse messages about some packets. The rules for ICMP errors also apply to
 * messages (RFC 1122 section 3.2.2, RFC 4443 section 2.4 (e)). In addition, ICMP packets, and
 * segments that open or reset a connection, cause no message. TCP reads the messages about
 * segments. Programs read the messages about UDP and DCCP packets, and only programs that write the
 * cross-layer option receive them.
 */

#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/in.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <net/checksum.h>
#include <net/ipv6.h>
#include <net/xlo.h>
#include "notice.h"

#define XRTO_TCP_FLAGS	13	/* offset in the TCP header */
#define XRTO_TCP_SYN	BIT(1)
#define XRTO_TCP_RST	BIT(2)

/* RFC 768; RFC 4340 section 5.1: the header is longer if it has a 48-bit sequence number */
#define XRTO_UDP_HLEN	8
#define XRTO_DCCP_HLEN	12
#define XRTO_DCCP_LONG	16
#define XRTO_DCCP_X	BIT(0)
#define XRTO_DCCP_X_AT	8	/* offset in the DCCP header */

/* A program that sends DCCP in UDP (RFC 6773) needs the quoted sequence number, behind the longest
 * IPv4 header.
 */
#define XRTO_IPV4_MAX	60
#define XRTO_QUOTE_DCCP	(XRTO_IPV4_MAX + XRTO_UDP_HLEN + XRTO_DCCP_LONG)

/* Check whether the address can be that of a single host in a network. */
static bool xrto_is_host4(__be32 address)
{
	return !ipv4_is_multicast(address) && !ipv4_is_lbcast(address) &&
	       !ipv4_is_zeronet(address) && !ipv4_is_loopback(address);
}

static bool xrto_is_host6(const struct in6_addr *address)
{
	return !ipv6_addr_is_multicast(address) && !ipv6_addr_any(address) &&
	       !ipv6_addr_loopback(address);
}

static bool xrto_between_hosts(const struct xrto_quote *quote)
{
	if (quote->pf == NFPROTO_IPV4)
		return xrto_is_host4(quote->saddr.ip) &&
		       xrto_is_host4(quote->daddr.ip);
	return xrto_is_host6(&quote->saddr.in6) &&
	       xrto_is_host6(&quote->daddr.in6);
}

static bool xrto_is_icmp(const struct xrto_quote *quote)
{
	return quote->proto == IPPROTO_ICMP || quote->proto == IPPROTO_ICMPV6;
}

static enum xrto_notices xrto_segment_refusal(const u8 *ip, u32 len,
					      struct xrto_quote *quote)
{
	const u8 *tcp = ip + quote->at;

	if (len - quote->at <= XRTO_TCP_FLAGS ||
	    !xrto_quote_segment(ip, len, quote))
		return XRTO_NOTICES_MALFORMED;
	if (tcp[XRTO_TCP_FLAGS] & XRTO_TCP_SYN)
		return XRTO_NOTICES_SYN;
	if (tcp[XRTO_TCP_FLAGS] & XRTO_TCP_RST)
		return XRTO_NOTICES_RST;
	return XRTO_NOTICES_UNSPEC;
}

static u32 xrto_dccp_len(const u8 *dccp, u32 len)
{
	return len > XRTO_DCCP_X_AT && dccp[XRTO_DCCP_X_AT] & XRTO_DCCP_X ?
	       XRTO_DCCP_LONG : XRTO_DCCP_HLEN;
}

/* A program finds its packet by the ports, and DCCP also by the sequence number. */
static enum xrto_notices xrto_datagram_refusal(const u8 *ip, u32 len,
					       const struct xrto_quote *quote)
{
	u32 needed;

	len -= quote->at;
	if (quote->proto == IPPROTO_UDP)
		needed = XRTO_UDP_HLEN;
	else if (quote->proto == IPPROTO_DCCP)
		needed = xrto_dccp_len(ip + quote->at, len);
	else
		return XRTO_NOTICES_NOT_TCP;
	return len < needed ? XRTO_NOTICES_MALFORMED : XRTO_NOTICES_UNSPEC;
}

static bool xrto_has_option(const u8 *ip, u32 len, u8 pf)
{
	struct xlo_ref ref;
	struct xlo opt;

	if (pf == NFPROTO_IPV4)
		return xlo_find4(ip, len, &ref, &opt) == XLO_FOUND;
	return xlo_find6(ip, len, &ref, &opt) == XLO_FOUND;
}

/**
 * xrto_notice_to_program() - whether a program acts on a message, and not TCP
 * @code: XRTO_CODE_*
 * @quote: the result of xrto_quote_packet()
 *
 * Return: true if the message says what a link did to a packet that is not a TCP segment
 */
bool xrto_notice_to_program(u8 code, const struct xrto_quote *quote)
{
	return code != XRTO_CODE_DISCARDED && !xrto_quote_is_segment(quote);
}

/* Check whether a message may be sent only about a packet with the cross-layer option. A sender
 * without the option has asked neither for messages to its programs, nor to defer its timeout.
 */
static bool xrto_needs_option(u8 code, const struct xrto_quote *quote)
{
	return code == XRTO_CODE_DEFER || xrto_notice_to_program(code, quote);
}

static enum xrto_notices xrto_transport_refusal(const u8 *ip, u32 len, u8 code,
						struct xrto_quote *quote)
{
	if (xrto_quote_is_segment(quote))
		return xrto_segment_refusal(ip, len, quote);
	if (xrto_notice_to_program(code, quote))
		return xrto_datagram_refusal(ip, len, quote);
	return XRTO_NOTICES_UNSPEC;
}

/**
 * xrto_notice_refusal() - decide whether a message about a packet may be sent
 * @ip: the packet from its IP header on; needs no alignment
 * @len: number of bytes
 * @code: XRTO_CODE_*
 * @quote: receives the fields of the packet if the packet is not malformed
 *
 * Return: the counter of the refusal, or XRTO_NOTICES_UNSPEC if the message may be sent
 */
enum xrto_notices xrto_notice_refusal(const u8 *ip, u32 len, u8 code,
				      struct xrto_quote *quote)
{
	enum xrto_notices refusal;

	if (!xrto_quote_packet(ip, len, quote))
		return XRTO_NOTICES_MALFORMED;
	if (quote->later)
		return XRTO_NOTICES_FRAGMENT;
	if (xrto_is_icmp(quote))
		return XRTO_NOTICES_ICMP;
	if (!xrto_between_hosts(quote))
		return XRTO_NOTICES_ADDRESS;
	refusal = xrto_transport_refusal(ip, len, code, quote);
	if (refusal)
		return refusal;
	if (xrto_needs_option(code, quote) &&
	    !xrto_has_option(ip, len, quote->pf))
		return XRTO_NOTICES_NO_OPTION;
	return XRTO_NOTICES_UNSPEC;
}

static u32 xrto_write_native(u8 *icmp, const struct xrto_format *f,
			     const struct xrto_notice *notice)
{
	icmp[0] = f->native;
	icmp[1] = notice->code;
	if (notice->keyed)
		put_unaligned_be32(notice->token, icmp + XRTO_NATIVE_TOKEN);
	memcpy(icmp + XRTO_HLEN, notice->ip, notice->len);
	return XRTO_HLEN + notice->len;
}

/* Write the extension structure of RFC 4884 section 7, with one object. */
static u32 xrto_write_structure(u8 *ext, const struct xrto_notice *notice)
{
	u8 *object = ext + XRTO_EXT_HLEN;
	u32 len = notice->keyed ? XRTO_OBJECT_KEYED : XRTO_OBJECT_LEN;
	u16 sum;

	ext[0] = XRTO_EXT_VERSION << 4;
	put_unaligned_be16(len, object);
	object[2] = XRTO_OBJECT_CLASS;
	object[3] = notice->code;
	if (notice->keyed)
		put_unaligned_be32(notice->token, object + XRTO_OBJECT_LEN);
	sum = (__force u16)ip_compute_csum(ext, XRTO_EXT_HLEN + len);
	memcpy(ext + 2, &sum, sizeof(sum));
	return XRTO_EXT_HLEN + len;
}

static u32 xrto_write_extension(u8 *icmp, const struct xrto_format *f,
				const struct xrto_notice *notice)
{
	BUILD_BUG_ON(XRTO_QUOTE_MIN < XRTO_QUOTE_DCCP);
	icmp[0] = f->unreachable;
	icmp[f->length_at] = XRTO_QUOTE_MIN / f->length_unit;
	memcpy(icmp + XRTO_HLEN, notice->ip, notice->len);
	return XRTO_HLEN + XRTO_QUOTE_MIN +
	       xrto_write_structure(icmp + XRTO_HLEN + XRTO_QUOTE_MIN, notice);
}

/**
 * xrto_notice_write() - write a message whose checksum is still 0
 * @icmp: buffer of XRTO_NOTICE_MAX bytes; the bytes after the message become 0
 * @notice: the content of the message
 *
 * Return: the length of the message in bytes
 */
u32 xrto_notice_write(u8 *icmp, const struct xrto_notice *notice)
{
	const struct xrto_format *f = notice->ipv6 ? &xrto_format6 :
						     &xrto_format4;

	memset(icmp, 0, XRTO_NOTICE_MAX);
	return notice->extension ? xrto_write_extension(icmp, f, notice) :
				   xrto_write_native(icmp, f, notice);
}

/**
 * xrto_bucket_take() - take a token from a token bucket
 * @full: time when the bucket is full again, in ns; the function updates it
 * @now: current time on the same clock, in ns
 * @period: time between two new tokens, in ns
 * @size: maximum number of tokens in the bucket, at least 1
 *
 * Return: true if the bucket had a token
 */
bool xrto_bucket_take(u64 *full, u64 now, u64 period, u32 size)
{
	u64 from = max(*full, now);

	if (from - now > period * (size - 1))
		return false;
	*full = from + period;
	return true;
}
