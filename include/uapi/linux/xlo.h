/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The cross-layer option (XLO): the best-before time of an IP packet.
 *
 * Source: A. Gurtov and R. Ludwig, "Lifetime Packet Discard for Efficient
 * Real-Time Transport over Cellular Links", 2003. The paper gives the fields
 * and their order. This header sets the numbers and bit positions that the paper
 * leaves open.
 *
 * In IPv4 the option is XLO_LEN bytes, fields big endian, at any offset among
 * the header's options:
 *
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------+---------------+---------------+---------------+
 *   |   type 158    |   length 8    |    reorder    |     flags     |
 *   +---------------+---------------+---------------+---------------+
 *   |                           lifetime                            |
 *   +---------------------------------------------------------------+
 *
 * Type 158 is experimental (RFC 4727) and copied into every fragment.
 *
 * In IPv6 it is a hop-by-hop option with the same fields. The hop-by-hop
 * header directly follows the IPv6 header (RFC 8200, section 4.3). A hop-by-hop
 * header with no other option is XLO_IPV6_HBH_LEN bytes:
 *
 *   +---------------+---------------+---------------+---------------+
 *   |  next header  |  hdr len = 1  |   PadN = 1    |     0 bytes   |
 *   +---------------+---------------+---------------+---------------+
 *   | 0x1E or 0x3E  |  data len 6   |    reorder    |     flags     |
 *   +---------------+---------------+---------------+---------------+
 *   |                           lifetime                            |
 *   +---------------+---------------+---------------+---------------+
 *   |   PadN = 1    |    2 bytes    |       0       |       0       |
 *   +---------------+---------------+---------------+---------------+
 *
 * Type 0x1E carries an absolute deadline and does not change on the way. Type
 * 0x3E carries a relative lifetime and may change. Both are experimental
 * (RFC 4727), and nodes that do not know them skip them. A sender aligns the
 * option to 4n bytes from the start of the hop-by-hop header. A receiver accepts
 * the option at any offset, because it can read bytewise and a misaligned option
 * is still unambiguous. The option need not be the first one.
 *
 * reorder: how many packets of the flow may overtake this packet, or be overtaken
 * by it, before the transport treats it as lost (3 for standard TCP).
 *
 * flags: XLO_FLAG_CORRUPT_OK, the transport can use a damaged payload;
 * XLO_FLAG_CORRUPTED, set by a link that delivers a damaged payload;
 * XLO_STALE_MASK, what to do with the packet once it is stale, see
 * enum xlo_stale; XLO_FLAG_SLOW, the flow responds slowly to congestion.
 * The other bits are sent as 0, ignored on receipt and left unchanged by routers.
 *
 * lifetime, 32 bits:
 *
 *   0                      relative, already expired
 *   1 .. 65534             relative: this many ms remain
 *   65535                  no lifetime; the other fields still count
 *   65536 .. 86465534      absolute: deadline in ms since midnight UT, modulo
 *                          24 h, plus 65535
 *   86465535 ..            malformed
 *
 * Midnight itself would be 65535, so it is written as the ms before it. An
 * absolute deadline means the instant nearest to now with this time of day, up to
 * 12 h in the past or the future. A deadline exactly 12 h away is in the future.
 *
 * Routers do not rewrite an absolute deadline or the value 65535, with one
 * exception: the administrator of a router can set a cap on the lifetimes of
 * packets from an interface. A cap replaces 65535 by a relative lifetime in IPv4
 * and in type 0x3E, and by an absolute deadline in type 0x1E. If the cap is above
 * 65534 ms, it becomes an absolute deadline in IPv4, and 65534 ms in type 0x3E.
 *
 * A router subtracts the delay that it adds from a relative lifetime. It subtracts
 * in its clock's own resolution and rounds the result to the nearest ms, half
 * a ms up, with 0 as the minimum. So the error of one hop is at most half a ms,
 * and the errors of many hops cancel out instead of adding up. In IPv4 the router
 * then updates the header checksum.
 *
 * In both headers these are malformed:
 *   - an option of one of the types above whose length is not the one above,
 *   - a lifetime of 86465535 or more,
 *   - a second cross-layer option in the same header,
 *   - any option that runs past the end of the header, lacks its length byte
 *     or, in IPv4, states a length below 2,
 *   - an IPv4 or IPv6 header with another version, an IPv4 header that states
 *     a length below 20;
 * and in IPv6 also:
 *   - type 0x3E with an absolute deadline,
 *   - type 0x1E with a relative lifetime (65535 goes with both types).
 * A malformed packet is counted and treated as a packet without the option. Bytes
 * behind an IPv4 End of Options List are padding and are ignored.
 */
#ifndef _UAPI_LINUX_XLO_H
#define _UAPI_LINUX_XLO_H

#define XLO_TYPE_IPV4		158
#define XLO_TYPE_IPV6_ABSOLUTE	0x1E
#define XLO_TYPE_IPV6_RELATIVE	0x3E

#define XLO_LEN			8	/* type and length included */
#define XLO_IPV6_DATA_LEN	6	/* value of the length field in IPv6 */
#define XLO_IPV6_HBH_LEN	16	/* hop-by-hop header with this option only */

/* Offsets of the fields from the type byte. */
#define XLO_OFF_TYPE		0
#define XLO_OFF_LENGTH		1
#define XLO_OFF_REORDER		2
#define XLO_OFF_FLAGS		3
#define XLO_OFF_LIFETIME	4

#define XLO_FLAG_CORRUPT_OK	0x01
#define XLO_FLAG_CORRUPTED	0x02
#define XLO_STALE_MASK		0x0c
#define XLO_STALE_SHIFT		2
#define XLO_FLAG_SLOW		0x10
#define XLO_FLAGS_ALL		0x1f

/* Read enum xlo_stale from the flags, and convert it to flags. */
#define XLO_TREATMENT(flags)	(((flags) & XLO_STALE_MASK) >> XLO_STALE_SHIFT)
#define XLO_STALE_FLAGS(stale)	(((stale) << XLO_STALE_SHIFT) & XLO_STALE_MASK)

/**
 * enum xlo_stale - how routers shall treat the packet once it is stale
 * @XLO_STALE_FORWARD: send it like any other
 * @XLO_STALE_DISCARD: discard it
 * @XLO_STALE_TRUNCATE: send only its IP and transport headers
 * @XLO_STALE_RESERVED: must not be sent; treated as forward, and counted
 */
enum xlo_stale {
	XLO_STALE_FORWARD,
	XLO_STALE_DISCARD,
	XLO_STALE_TRUNCATE,
	XLO_STALE_RESERVED,
};

#define XLO_DAY_MS		86400000U
#define XLO_RELATIVE_MAX	65534U
#define XLO_LIFETIME_NONE	65535U
#define XLO_LIFETIME_MAX	(XLO_LIFETIME_NONE + XLO_DAY_MS - 1)

#define XLO_REORDER_TCP		3	/* dupthresh, RFC 5681 section 3.2 */

#endif /* _UAPI_LINUX_XLO_H */
