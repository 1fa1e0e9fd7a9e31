// SPDX-License-Identifier: GPL-2.0
/*
 * Reading messages (<linux/xlo_rto.h>). Nothing in them is trusted: each walk makes
 * progress and stays within the message, which is contiguous in memory.
 */

#include <linux/bitops.h>
#include <linux/unaligned.h>
#include <linux/xlo_rto.h>
#include <net/checksum.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>
#include "format.h"
#include "message.h"

/* The code of the only object of ours in an extension structure, and its token; -ENOENT without
 * one, -EINVAL with two or where the structure is not as it should be.
 */
static int xrto_object_code(const u8 *ext, u32 len, u32 *token)
{
	int code = -ENOENT;
	u32 at, size;

	if (len < XRTO_EXT_HLEN || ext[0] >> 4 != XRTO_EXT_VERSION)
		return -EINVAL;
	if (get_unaligned_be16(ext + 2) && ip_compute_csum(ext, len))
		return -EINVAL;
	for (at = XRTO_EXT_HLEN; at < len; at += size) {
		if (len - at < XRTO_OBJECT_LEN)
			return -EINVAL;
		size = get_unaligned_be16(ext + at);
		if (size < XRTO_OBJECT_LEN || size > len - at)
			return -EINVAL;
		if (ext[at + 2] != XRTO_OBJECT_CLASS)
			continue;
		if (code >= 0)
			return -EINVAL;
		code = ext[at + 3];
		*token = size < XRTO_OBJECT_KEYED ? 0 :
			 get_unaligned_be32(ext + at + XRTO_OBJECT_LEN);
	}
	return code;
}

/* Find a message's code, its token, and how long its quote is. */
static int xrto_find_code(const struct xrto_format *f, const u8 *icmp, u32 len,
			  u32 *quoted, u32 *token)
{
	if (icmp[0] == f->native) {
		*quoted = len - XRTO_HLEN;
		*token = get_unaligned_be32(icmp + XRTO_NATIVE_TOKEN);
		return icmp[1];
	}
	*quoted = icmp[f->length_at] * f->length_unit;
	if (icmp[0] != f->unreachable || icmp[1] || !*quoted)
		return -ENOENT;
	if (*quoted < XRTO_QUOTE_MIN || *quoted > len - XRTO_HLEN)
		return -EINVAL;
	return xrto_object_code(icmp + XRTO_HLEN + *quoted,
				len - XRTO_HLEN - *quoted, token);
}

/* Look for a message: 0, or what xrto_parse4() returns. */
static int xrto_find(const struct xrto_format *f, const u8 *icmp, u32 len,
		     u32 *quoted, struct xrto_message *msg)
{
	int code;

	if (len < XRTO_HLEN)
		return icmp[0] == f->native ? XRTO_STATS_MALFORMED : -ENOENT;
	code = xrto_find_code(f, icmp, len, quoted, &msg->token);
	if (code == -ENOENT)
		return code;
	if (code < 0)
		return XRTO_STATS_MALFORMED;
	if (code != XRTO_CODE_DROP && code != XRTO_CODE_DEFER &&
	    code != XRTO_CODE_LINK_UP)
		return XRTO_STATS_CODE;
	msg->native = icmp[0] == f->native;
	msg->event = code;
	return 0;
}

/* The quoted packet: 0 or the refusal. */
static int xrto_quoted(u8 pf, const u8 *ip, u32 len, struct xrto_quote *quote)
{
	if (!xrto_quote_packet(ip, len, quote) || quote->pf != pf)
		return XRTO_STATS_MALFORMED;
	if (!xrto_quote_is_segment(quote))
		return XRTO_STATS_NOT_TCP;
	return xrto_quote_segment(ip, len, quote) ? 0 : XRTO_STATS_MALFORMED;
}

/**
 * xrto_parse4() - read a message out of an ICMP packet
 * @icmp: its ICMP header
 * @len: bytes from there to the packet's end, 1 to XRTO_MESSAGE_MAX
 * @daddr: whom the packet came to
 * @msg: written, but for what is not in the message
 *
 * Return: 0, enum xrto_stats of a refusal, or -ENOENT for other packets
 */
int xrto_parse4(const u8 *icmp, u32 len, __be32 daddr,
		struct xrto_message *msg)
{
	u32 quoted;
	int err = xrto_find(&xrto_format4, icmp, len, &quoted, msg);

	if (err)
		return err;
	if (ip_compute_csum(icmp, len))
		return XRTO_STATS_CHECKSUM;
	err = xrto_quoted(NFPROTO_IPV4, icmp + XRTO_HLEN, quoted, &msg->quote);
	if (err)
		return err;
	return msg->quote.saddr.ip == daddr ? 0 : XRTO_STATS_NOT_OURS;
}

/**
 * xrto_parse6() - read a message out of an ICMPv6 packet
 * @icmp: its ICMPv6 header
 * @len: bytes from there to the packet's end, 1 to XRTO_MESSAGE_MAX
 * @saddr: whom the packet came from
 * @daddr: whom it came to
 * @msg: written, but for what is not in the message
 *
 * Return: as xrto_parse4()
 */
int xrto_parse6(const u8 *icmp, u32 len, const struct in6_addr *saddr,
		const struct in6_addr *daddr, struct xrto_message *msg)
{
	u32 quoted;
	int err = xrto_find(&xrto_format6, icmp, len, &quoted, msg);

	if (err)
		return err;
	if (csum_ipv6_magic(saddr, daddr, len, IPPROTO_ICMPV6,
			    csum_partial(icmp, len, 0)))
		return XRTO_STATS_CHECKSUM;
	err = xrto_quoted(NFPROTO_IPV6, icmp + XRTO_HLEN, quoted, &msg->quote);
	if (err)
		return err;
	return ipv6_addr_equal(&msg->quote.saddr.in6, daddr) ?
	       0 : XRTO_STATS_NOT_OURS;
}
