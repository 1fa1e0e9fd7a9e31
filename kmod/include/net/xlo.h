/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Codec of the cross-layer option, which finds, checks, reads and writes the option.
 *
 * The functions are pure, and their input is a pointer and a length. The kernel, user space and
 * the fuzzer compile this file. Therefore the file includes only uapi types and has its own
 * checksum function. The codec reads header fields byte by byte, because headers and options may be
 * at any address. The header <linux/xlo.h> describes the format and lists the malformed options.
 *
 * The functions read and write headers, not whole packets. The caller ensures that the header
 * belongs to a complete datagram and is writable. After a change the caller updates
 * CHECKSUM_COMPLETE.
 */
#ifndef _NET_XLO_H
#define _NET_XLO_H

#include <linux/types.h>
#include <linux/xlo.h>

#ifndef __KERNEL__
#include <stdbool.h>
#endif

enum {
	XLO_IPV4_HLEN = 20,		/* without options */
	XLO_IPV4_CHECK = 10,		/* offset of the header checksum */
	XLO_IPV4_EOL = 0,		/* options of one byte, RFC 791 */
	XLO_IPV4_NOP = 1,
	XLO_IPV6_HLEN = 40,
	XLO_IPV6_NEXTHDR = 6,		/* offset of the next header field */
	XLO_IPV6_HOPOPTS = 0,		/* next header: hop-by-hop options */
	XLO_IPV6_PAD1 = 0,		/* RFC 8200 section 4.2 */
	XLO_IPV6_PADN = 1,
};

/**
 * enum xlo_found - result of a search for the option
 * @XLO_NONE: the header is complete and has no cross-layer option
 * @XLO_FOUND: the header has one well-formed cross-layer option
 * @XLO_MALFORMED: the header or an option is malformed. The caller counts the packet and
 *	treats it as a packet without the option
 * @XLO_SHORT: the header is longer than the readable bytes
 */
enum xlo_found {
	XLO_NONE = 0,
	XLO_FOUND = 1,
	XLO_MALFORMED = -1,
	XLO_SHORT = -2,
};

/**
 * struct xlo_ref - position of an option
 * @off: offset of the type byte from the first byte of the IP header
 * @type: XLO_TYPE_* of the option
 */
struct xlo_ref {
	__u16 off;
	__u8 type;
};

/**
 * struct xlo - the fields of an option
 * @reorder: number of overtaking packets at which the transport assumes a loss
 * @flags: bits of XLO_FLAG_* and XLO_STALE_MASK; unknown bits are 0
 * @lifetime: value of the field in the packet, in host byte order
 */
struct xlo {
	__u8 reorder;
	__u8 flags;
	__u32 lifetime;
};

/**
 * xlo_is_relative() - whether a lifetime is a remaining time in ms
 * @lifetime: value of the field
 */
static inline bool xlo_is_relative(__u32 lifetime)
{
	return lifetime <= XLO_RELATIVE_MAX;
}

/**
 * xlo_is_absolute() - whether a lifetime is a deadline in the form of a time of day
 * @lifetime: value of the field
 */
static inline bool xlo_is_absolute(__u32 lifetime)
{
	return lifetime > XLO_LIFETIME_NONE && lifetime <= XLO_LIFETIME_MAX;
}

/**
 * xlo_is_none() - whether the lifetime field says that the packet has no lifetime
 * @lifetime: value of the field
 */
static inline bool xlo_is_none(__u32 lifetime)
{
	return lifetime == XLO_LIFETIME_NONE;
}

/**
 * xlo_encode_absolute() - compute the lifetime field of a deadline
 * @ms_of_day: the deadline in ms since midnight UT, taken modulo 24 h
 *
 * The field cannot carry midnight, so midnight becomes the ms before midnight.
 */
static inline __u32 xlo_encode_absolute(__u32 ms_of_day)
{
	__u32 ms = ms_of_day % XLO_DAY_MS;

	return XLO_LIFETIME_NONE + (ms ? ms : XLO_DAY_MS - 1);
}

/**
 * xlo_absolute_delta_ms() - the time until an absolute deadline
 * @lifetime: value of the field; xlo_is_absolute() is true for this value
 * @now_ms_of_day: the current time in ms since midnight UT, taken modulo 24 h
 *
 * A deadline is a time of day without a date. The function chooses the date nearest to now.
 *
 * Return: ms from now, negative if the deadline has passed, -43199999 to 43200000
 */
static inline __s32 xlo_absolute_delta_ms(__u32 lifetime, __u32 now_ms_of_day)
{
	__u32 deadline = lifetime - XLO_LIFETIME_NONE;
	__u32 ahead = (deadline + XLO_DAY_MS - now_ms_of_day % XLO_DAY_MS) %
		      XLO_DAY_MS;

	if (ahead > XLO_DAY_MS / 2)
		return -(__s32)(XLO_DAY_MS - ahead);
	return (__s32)ahead;
}

/**
 * xlo_csum_replace() - update an Internet checksum after a 16-bit word has changed
 * @check: the old checksum
 * @from: the old word
 * @to: the new word
 *
 * This is equation 3 of RFC 1624 section 3, HC' = ~(~HC + ~m + m'). If the checksum over all words
 * is +0, this equation also gives +0, while the equation of RFC 1141 can give -0. All values have
 * the same byte order.
 */
static inline __u16 xlo_csum_replace(__u16 check, __u16 from, __u16 to)
{
	__u32 sum = (check ^ 0xffff) + (from ^ 0xffff) + to;

	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum ^ 0xffff;
}

static inline __u32 xlo_get_lifetime(const __u8 *option)
{
	const __u8 *p = option + XLO_OFF_LIFETIME;

	return (__u32)p[0] << 24 | (__u32)p[1] << 16 | (__u32)p[2] << 8 | p[3];
}

static inline void xlo_put_lifetime(__u8 *option, __u32 lifetime)
{
	__u8 *p = option + XLO_OFF_LIFETIME;

	p[0] = lifetime >> 24;
	p[1] = lifetime >> 16 & 0xff;
	p[2] = lifetime >> 8 & 0xff;
	p[3] = lifetime & 0xff;
}

static inline bool xlo_type_matches(__u8 type, bool ipv6)
{
	if (!ipv6)
		return type == XLO_TYPE_IPV4;
	return type == XLO_TYPE_IPV6_ABSOLUTE || type == XLO_TYPE_IPV6_RELATIVE;
}

/* Checks whether an option of this type may carry this lifetime. */
static inline bool xlo_lifetime_fits(__u8 type, __u32 lifetime)
{
	if (xlo_is_relative(lifetime))
		return type != XLO_TYPE_IPV6_ABSOLUTE;
	if (xlo_is_absolute(lifetime))
		return type != XLO_TYPE_IPV6_RELATIVE;
	return xlo_is_none(lifetime);
}

/* Returns the size of the option at @off in bytes, or 0 if the option is malformed. A walk over the
 * options therefore always makes progress or stops.
 */
static inline __u32 xlo_option_size(const __u8 *hdr, __u32 off, __u32 end,
				    bool ipv6)
{
	__u32 size;

	if (hdr[off] == (ipv6 ? XLO_IPV6_PAD1 : XLO_IPV4_NOP))
		return 1;
	if (!ipv6 && hdr[off] == XLO_IPV4_EOL)
		return end - off;
	if (end - off < 2)
		return 0;
	size = hdr[off + 1] + (ipv6 ? 2 : 0);
	return size >= 2 && size <= end - off ? size : 0;
}

static inline int xlo_read(const __u8 *hdr, __u32 off, struct xlo_ref *ref,
			   struct xlo *opt)
{
	ref->off = off;
	ref->type = hdr[off];
	opt->reorder = hdr[off + XLO_OFF_REORDER];
	opt->flags = hdr[off + XLO_OFF_FLAGS] & XLO_FLAGS_ALL;
	opt->lifetime = xlo_get_lifetime(hdr + off);
	return xlo_lifetime_fits(ref->type, opt->lifetime) ? XLO_FOUND :
							      XLO_MALFORMED;
}

/* Walks over the options from @off to @end. The caller has made these bytes readable. The walk does
 * not end at the cross-layer option, because a second cross-layer option or a malformed option
 * after it makes the header malformed.
 */
static inline int xlo_walk(const __u8 *hdr, __u32 off, __u32 end, bool ipv6,
			   struct xlo_ref *ref, struct xlo *opt)
{
	int found = XLO_NONE;
	__u32 size;

	for (; off < end; off += size) {
		size = xlo_option_size(hdr, off, end, ipv6);
		if (!size)
			return XLO_MALFORMED;
		if (!xlo_type_matches(hdr[off], ipv6))
			continue;
		if (found != XLO_NONE || size != XLO_LEN)
			return XLO_MALFORMED;
		found = xlo_read(hdr, off, ref, opt);
		if (found != XLO_FOUND)
			return found;
	}
	return found;
}

/**
 * xlo_find4_quick() - xlo_find4() for the two most common kinds of header
 * @hdr: the header
 * @len: number of readable bytes from @hdr on, at least XLO_IPV4_HLEN
 * @ref: position of the option, valid only with XLO_FOUND
 * @opt: fields of the option, valid only with XLO_FOUND
 * @found: the result of xlo_find4(), valid only if this function returns true
 *
 * Return: true if the header has no option at all, or only the cross-layer option
 */
static inline bool xlo_find4_quick(const __u8 *hdr, __u32 len,
				   struct xlo_ref *ref, struct xlo *opt,
				   int *found)
{
	const __u8 *option = hdr + XLO_IPV4_HLEN;

	if (hdr[0] == (4 << 4 | XLO_IPV4_HLEN / 4)) {
		*found = XLO_NONE;
		return true;
	}
	if (hdr[0] != (4 << 4 | (XLO_IPV4_HLEN + XLO_LEN) / 4) ||
	    len < XLO_IPV4_HLEN + XLO_LEN ||
	    option[XLO_OFF_TYPE] != XLO_TYPE_IPV4 ||
	    option[XLO_OFF_LENGTH] != XLO_LEN)
		return false;
	*found = xlo_read(hdr, XLO_IPV4_HLEN, ref, opt);
	return true;
}

/**
 * xlo_find4() - search for the option in an IPv4 header
 * @iph: the header
 * @len: number of readable bytes from @iph on
 * @ref: position of the option, valid only with XLO_FOUND
 * @opt: fields of the option, valid only with XLO_FOUND
 *
 * Return: enum xlo_found
 */
static inline int xlo_find4(const void *iph, __u32 len, struct xlo_ref *ref,
			    struct xlo *opt)
{
	const __u8 *hdr = iph;
	__u32 end;
	int found;

	if (len < XLO_IPV4_HLEN)
		return XLO_SHORT;
	if (xlo_find4_quick(hdr, len, ref, opt, &found))
		return found;
	end = (hdr[0] & 0x0f) * 4;
	if (hdr[0] >> 4 != 4 || end < XLO_IPV4_HLEN)
		return XLO_MALFORMED;
	if (len < end)
		return XLO_SHORT;
	return xlo_walk(hdr, XLO_IPV4_HLEN, end, false, ref, opt);
}

static inline bool xlo_is_ipv6(const __u8 *hdr)
{
	return hdr[0] >> 4 == 6;
}

/**
 * xlo_hdrlen6() - how many bytes of an IPv6 packet xlo_find6() has to read
 * @ip6h: the IPv6 header
 * @len: number of readable bytes from @ip6h on
 *
 * After XLO_SHORT the caller makes 40 bytes readable and calls again. If 40 bytes are already
 * readable, the caller makes 48 bytes readable. The function needs at most 42 bytes. A hop-by-hop
 * header has at least 8 bytes, so 48 bytes are always present.
 *
 * Return: 40 without a hop-by-hop header, or 40 plus the length of the hop-by-hop header. The
 * function returns XLO_SHORT if @len is too small
 */
static inline int xlo_hdrlen6(const void *ip6h, __u32 len)
{
	const __u8 *hdr = ip6h;

	if (len < XLO_IPV6_HLEN)
		return XLO_SHORT;
	if (!xlo_is_ipv6(hdr) || hdr[XLO_IPV6_NEXTHDR] != XLO_IPV6_HOPOPTS)
		return XLO_IPV6_HLEN;
	if (len < XLO_IPV6_HLEN + 2)
		return XLO_SHORT;
	return XLO_IPV6_HLEN + (hdr[XLO_IPV6_HLEN + 1] + 1) * 8;
}

/**
 * xlo_find6() - search for the option after an IPv6 header
 * @ip6h: the IPv6 header
 * @len: number of readable bytes from @ip6h on
 * @ref: position of the option, valid only with XLO_FOUND
 * @opt: fields of the option, valid only with XLO_FOUND
 *
 * The function reads a hop-by-hop header only directly after the IPv6 header. RFC 8200 section 4.1
 * allows no other position for a hop-by-hop header.
 *
 * Return: enum xlo_found
 */
static inline int xlo_find6(const void *ip6h, __u32 len, struct xlo_ref *ref,
			    struct xlo *opt)
{
	const __u8 *hdr = ip6h;
	int end = xlo_hdrlen6(ip6h, len);

	if (end < 0)
		return end;
	if (!xlo_is_ipv6(hdr))
		return XLO_MALFORMED;
	if (end == XLO_IPV6_HLEN)
		return XLO_NONE;
	if (len < (__u32)end)
		return XLO_SHORT;
	return xlo_walk(hdr, XLO_IPV6_HLEN + 2, end, true, ref, opt);
}

/* Computes the value that the four bytes of a lifetime at @off add to a sum of 16-bit words. At an
 * odd offset the bytes belong to three words. The first byte is the lower half of its word, and the
 * last byte is the upper half of its word. After a rotation of the lifetime by one byte, the first
 * and the last byte form one word. The sum does not change.
 */
static inline __u32 xlo_lifetime_sum(__u32 off, __u32 lifetime)
{
	__u32 turn = (off & 1) * 8;

	lifetime = lifetime >> turn | lifetime << (-turn & 31);
	return (lifetime >> 16) + (lifetime & 0xffff);
}

/**
 * xlo_set_lifetime4() - rewrite the lifetime in an IPv4 header
 * @iph: the writable header
 * @ref: result of xlo_find4() on this header
 * @lifetime: the new value of the field, at most XLO_LIFETIME_MAX
 *
 * The function updates the header checksum incrementally, like xlo_csum_replace(), but for two
 * words. A header that was damaged on the path therefore still has a wrong checksum afterwards.
 */
static inline void xlo_set_lifetime4(void *iph, const struct xlo_ref *ref,
				     __u32 lifetime)
{
	__u8 *hdr = iph;
	__u32 before = xlo_get_lifetime(hdr + ref->off);
	__u32 sum = hdr[XLO_IPV4_CHECK] << 8 | hdr[XLO_IPV4_CHECK + 1];

	sum = (sum ^ 0xffff) + xlo_lifetime_sum(ref->off, ~before) +
	      xlo_lifetime_sum(ref->off, lifetime);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	sum ^= 0xffff;
	hdr[XLO_IPV4_CHECK] = sum >> 8;
	hdr[XLO_IPV4_CHECK + 1] = sum & 0xff;
	xlo_put_lifetime(hdr + ref->off, lifetime);
}

/**
 * xlo_set_lifetime6() - rewrite the lifetime in the option after an IPv6 header
 * @ip6h: the IPv6 header, writable up to the end of the option
 * @ref: result of xlo_find6() on this header
 * @lifetime: the new value of the field, of a kind that @ref->type allows
 */
static inline void xlo_set_lifetime6(void *ip6h, const struct xlo_ref *ref,
				     __u32 lifetime)
{
	xlo_put_lifetime((__u8 *)ip6h + ref->off, lifetime);
}

static inline void xlo_write(__u8 *option, __u8 type, __u8 length,
			     const struct xlo *opt)
{
	option[XLO_OFF_TYPE] = type;
	option[XLO_OFF_LENGTH] = length;
	option[XLO_OFF_REORDER] = opt->reorder;
	option[XLO_OFF_FLAGS] = opt->flags & XLO_FLAGS_ALL;
	xlo_put_lifetime(option, opt->lifetime);
}

/**
 * xlo_write4() - format an IPv4 option
 * @buf: space for XLO_LEN bytes
 * @opt: fields of the option; unknown flags are written as 0
 *
 * Return: XLO_LEN. If the lifetime is above XLO_LIFETIME_MAX, the function writes nothing and
 * returns XLO_MALFORMED
 */
static inline int xlo_write4(void *buf, const struct xlo *opt)
{
	if (opt->lifetime > XLO_LIFETIME_MAX)
		return XLO_MALFORMED;
	xlo_write(buf, XLO_TYPE_IPV4, XLO_LEN, opt);
	return XLO_LEN;
}

/**
 * xlo_write6_option() - format an IPv6 option
 * @buf: space for XLO_LEN bytes
 * @opt: fields of the option, with a lifetime of at most XLO_LIFETIME_MAX; unknown
 *	flags are written as 0
 *
 * The lifetime determines the type of the option. XLO_LIFETIME_NONE has the type
 * XLO_TYPE_IPV6_ABSOLUTE, because this value, like a deadline, does not decrease on the path.
 */
static inline void xlo_write6_option(void *buf, const struct xlo *opt)
{
	xlo_write(buf, xlo_is_relative(opt->lifetime) ?
		  XLO_TYPE_IPV6_RELATIVE : XLO_TYPE_IPV6_ABSOLUTE,
		  XLO_IPV6_DATA_LEN, opt);
}

/**
 * xlo_write6() - format a hop-by-hop header with this option only
 * @buf: space for XLO_IPV6_HBH_LEN bytes
 * @nexthdr: protocol of the header after the hop-by-hop header
 * @opt: fields of the option, as for xlo_write6_option()
 *
 * Return: XLO_IPV6_HBH_LEN. If the lifetime is above XLO_LIFETIME_MAX, the function writes nothing
 * and returns XLO_MALFORMED
 */
static inline int xlo_write6(void *buf, __u8 nexthdr, const struct xlo *opt)
{
	__u8 *hbh = buf;

	if (opt->lifetime > XLO_LIFETIME_MAX)
		return XLO_MALFORMED;
	hbh[0] = nexthdr;
	hbh[1] = XLO_IPV6_HBH_LEN / 8 - 1;
	hbh[2] = XLO_IPV6_PADN;
	hbh[3] = 0;
	xlo_write6_option(hbh + 4, opt);
	hbh[12] = XLO_IPV6_PADN;
	hbh[13] = 2;
	hbh[14] = 0;
	hbh[15] = 0;
	return XLO_IPV6_HBH_LEN;
}

#endif /* _NET_XLO_H */
