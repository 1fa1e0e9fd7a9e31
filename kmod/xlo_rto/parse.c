// SPDX-License-Identifier: GPL-2.0
/*
 * Read messages (<linux/xlo_rto.h>) and the packets that they quote. All functions are pure. The
 * functions trust no byte of a message: each loop makes progress, and stays within the message. The
 * message is contiguous in memory.
 */

#include <linux/bitops.h>
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/siphash.h>
#include <linux/tcp.h>
#include <linux/types.h>
#include <linux/unaligned.h>
#include <linux/xlo_rto.h>
#include <net/checksum.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>
#include <net/tcp.h>
#include "parse.h"

const struct xrto_format xrto_format4 = {
	.native		= XRTO_TYPE_IPV4,
	.unreachable	= ICMP_DEST_UNREACH,
	.length_at	= 5,
	.length_unit	= 4,
};

const struct xrto_format xrto_format6 = {
	.native		= XRTO_TYPE_IPV6,
	.unreachable	= ICMPV6_DEST_UNREACH,
	.length_at	= 4,
	.length_unit	= 8,
};

#define XRTO_QUOTED_TCP		8	/* the quote must contain ports and sequence number */
#define XRTO_IPV6_EXT_UNIT	8

/* A header may be unaligned. The functions in this file therefore copy a header before they read
 * fields of several bytes.
 */
static bool xrto_quote4(const u8 *ip, u32 len, struct xrto_quote *quote)
{
	struct iphdr iph;
	u32 hlen;

	memcpy(&iph, ip, sizeof(iph));
	hlen = iph.ihl * 4;
	if (hlen < sizeof(iph) || hlen > len)
		return false;
	quote->pf = NFPROTO_IPV4;
	quote->proto = iph.protocol;
	quote->later = ntohs(iph.frag_off) & IP_OFFSET;
	quote->at = hlen;
	quote->saddr.ip = iph.saddr;
	quote->daddr.ip = iph.daddr;
	return true;
}

static bool xrto_is_extension(u8 next)
{
	return next == NEXTHDR_HOP || next == NEXTHDR_ROUTING ||
	       next == NEXTHDR_DEST || next == NEXTHDR_FRAGMENT;
}

/* Get the length of an extension header. The length exceeds @len if the header is cut off. The
 * struct of the header needs no alignment, because each of its fields has one byte.
 */
static u32 xrto_extension_len(const struct ipv6_opt_hdr *ext, u32 len, u8 kind)
{
	if (len < XRTO_IPV6_EXT_UNIT || kind == NEXTHDR_FRAGMENT)
		return XRTO_IPV6_EXT_UNIT;
	return ipv6_optlen(ext);
}

static bool xrto_is_later6(const u8 *ext)
{
	struct frag_hdr fh;

	memcpy(&fh, ext, sizeof(fh));
	return ntohs(fh.frag_off) & IP6_OFFSET;
}

/* Skip the extension headers. In a later fragment, the fragment header is the last header. */
static bool xrto_skip6(const u8 *ip, u32 len, struct xrto_quote *quote)
{
	const struct ipv6_opt_hdr *ext;
	u32 size;

	for (; xrto_is_extension(quote->proto) && !quote->later; quote->at += size) {
		ext = (const void *)(ip + quote->at);
		size = xrto_extension_len(ext, len - quote->at, quote->proto);
		if (size > len - quote->at)
			return false;
		if (quote->proto == NEXTHDR_FRAGMENT)
			quote->later = xrto_is_later6(ip + quote->at);
		quote->proto = ext->nexthdr;
	}
	return true;
}

static bool xrto_quote6(const u8 *ip, u32 len, struct xrto_quote *quote)
{
	struct ipv6hdr ip6h;

	if (len < sizeof(ip6h))
		return false;
	memcpy(&ip6h, ip, sizeof(ip6h));
	quote->pf = NFPROTO_IPV6;
	quote->proto = ip6h.nexthdr;
	quote->later = false;
	quote->at = sizeof(ip6h);
	quote->saddr.in6 = ip6h.saddr;
	quote->daddr.in6 = ip6h.daddr;
	return xrto_skip6(ip, len, quote);
}

/**
 * xrto_quote_packet() - read the IP headers of a packet
 * @ip: the packet from its IP header on; needs no alignment
 * @len: number of bytes
 * @quote: receives all fields except the fields of TCP
 *
 * Return: true if the packet is IPv4 or IPv6 and its IP headers are complete
 */
bool xrto_quote_packet(const u8 *ip, u32 len, struct xrto_quote *quote)
{
	if (len < sizeof(struct iphdr))
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
 * xrto_quote_is_segment() - whether a TCP header follows the IP headers
 * @quote: the result of xrto_quote_packet()
 *
 * Return: true if a TCP header follows the IP headers
 */
bool xrto_quote_is_segment(const struct xrto_quote *quote)
{
	return quote->proto == IPPROTO_TCP && !quote->later;
}

/* Search for a timestamp in the quoted TCP options. */
static bool xrto_find_tsval(const u8 *tcp, u32 len, u32 *tsval)
{
	struct tcphdr th;
	u32 at = sizeof(th), size;

	if (len < sizeof(th))
		return false;
	memcpy(&th, tcp, sizeof(th));
	len = min_t(u32, len, th.doff * 4);
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
 * xrto_quote_segment() - read the TCP header of a packet
 * @ip: the packet, as for xrto_quote_packet()
 * @len: number of bytes
 * @quote: the result of xrto_quote_packet(), for which xrto_quote_is_segment() is true;
 *	receives the TCP fields
 *
 * Return: true if the packet contains at least the ports and the sequence number
 */
bool xrto_quote_segment(const u8 *ip, u32 len, struct xrto_quote *quote)
{
	const u8 *tcp = ip + quote->at;

	len -= quote->at;
	if (len < XRTO_QUOTED_TCP)
		return false;
	/* the remaining fields of struct tcphdr may be missing */
	memcpy(&quote->sport, tcp + offsetof(struct tcphdr, source),
	       sizeof(quote->sport));
	memcpy(&quote->dport, tcp + offsetof(struct tcphdr, dest),
	       sizeof(quote->dport));
	quote->seq = get_unaligned_be32(tcp + offsetof(struct tcphdr, seq));
	quote->tsval = 0;
	quote->has_tsval = xrto_find_tsval(tcp, len, &quote->tsval);
	return true;
}

/* Find the object of class XRTO_OBJECT_CLASS in an extension structure. Writes the object's token,
 * and returns its code. Returns -ENOENT if the structure has no object of this class. Returns
 * -EINVAL if the structure is malformed or has two objects of this class.
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

/* Find the code and the token of a message, and the length of the quote. */
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

/* Search for a message. Returns the same values as xrto_parse4(). */
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

/* Read the quoted packet. Returns 0, or the counter of the refusal. */
static int xrto_quoted(u8 pf, const u8 *ip, u32 len, struct xrto_quote *quote)
{
	if (!xrto_quote_packet(ip, len, quote) || quote->pf != pf)
		return XRTO_STATS_MALFORMED;
	if (!xrto_quote_is_segment(quote))
		return XRTO_STATS_NOT_TCP;
	return xrto_quote_segment(ip, len, quote) ? 0 : XRTO_STATS_MALFORMED;
}

/**
 * xrto_parse4() - read a message from an ICMP packet
 * @icmp: the ICMP header; needs no alignment
 * @len: number of bytes from @icmp to the end of the packet, 1 to XRTO_MESSAGE_MAX
 * @daddr: destination address of the packet
 * @msg: receives the fields of the message
 *
 * Return: 0; the counter (enum xrto_stats) of a refusal; or -ENOENT if the packet is not a message
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
 * xrto_parse6() - read a message from an ICMPv6 packet
 * @icmp: the ICMPv6 header; needs no alignment
 * @len: number of bytes from @icmp to the end of the packet, 1 to XRTO_MESSAGE_MAX
 * @saddr: source address of the packet
 * @daddr: destination address of the packet
 * @msg: receives the fields of the message
 *
 * Return: the same values as xrto_parse4()
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

/**
 * xrto_token_key() - make a key from its bytes
 * @bytes: array of XRTO_KEY_LEN bytes; needs no alignment
 *
 * Return: the key
 */
siphash_key_t xrto_token_key(const u8 *bytes)
{
	return (siphash_key_t){ .key = {
		get_unaligned_le64(bytes),
		get_unaligned_le64(bytes + sizeof(u64)),
	} };
}

/**
 * xrto_token() - compute the token that proves that the sender of a message has the key
 * @key: the key, which sender and receiver share
 * @code: the code of the message
 * @quote: the segment that the message quotes
 *
 * The token does not cover addresses and ports, because NATs also translate addresses and ports in
 * a quote.
 *
 * Return: the token, see <linux/xlo_rto.h>
 */
u32 xrto_token(const siphash_key_t *key, u8 code,
	       const struct xrto_quote *quote)
{
	return siphash_3u32(code, quote->seq,
			    quote->has_tsval ? quote->tsval : 0, key);
}
