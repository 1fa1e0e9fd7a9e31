/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The cross-layer option (XLO): the best-before time of an IP packet.
 *
 * After A. Gurtov and R. Ludwig, "Lifetime Packet Discard for Efficient
 * Real-Time Transport over Cellular Links", 2003. The paper gives the fields
 * and their order; numbers and bit positions that it leaves open are set here.
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
 * header directly follows the IPv6 header (RFC 8200, section 4.3); one that
 * brings nothing else is XLO_IPV6_HBH_LEN bytes:
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
 * Type 0x1E carries an absolute deadline and does not change on the way, type
 * 0x3E a relative lifetime and may change; both are experimental (RFC 4727)
 * and skipped by nodes that do not know them. A sender aligns the option to 4n
 * bytes from the start of the hop-by-hop header. A receiver takes it at any
 * offset: reading it bytewise costs nothing and a misplaced option is no less
 * clear. It need not be the first option.
 *
 * reorder: how many packets of its flow may overtake or be overtaken by this
 * one before the transport takes it for lost (3 for standard TCP).
 *
 * flags: XLO_FLAG_CORRUPT_OK, the transport can use a damaged payload;
 * XLO_FLAG_CORRUPTED, set by a link that delivers a damaged one;
 * XLO_STALE_MASK, what to do with the packet once it is stale, see
 * enum xlo_stale; XLO_FLAG_SLOW, the flow responds slowly to congestion.
 * The other bits are sent as 0, ignored on receipt and left alone by routers.
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
 * Midnight itself would be 65535 and is written as the ms before it. An
 * absolute deadline names the instant nearest to now, up to 12 h either way;
 * one exactly 12 h away is in the future. It is never rewritten on the way, but
 * for a cap that a router's administrator has set on those who sent it.
 *
 * Nor is 65535, but for a cap, which is written in its place: as a relative lifetime in
 * IPv4 and in type 0x3E, where 65534 ms is the most; as an absolute deadline in type
 * 0x1E. In IPv4 a cap above 65534 ms is an absolute deadline, too.
 *
 * A router takes the delay that it adds off a relative lifetime. It subtracts
 * in its clock's own resolution and rounds what remains to the nearest ms, half
 * a ms up, with 0 as the floor: so the error of one hop is at most half a ms
 * and those of many hops cancel out instead of adding up. In IPv4 it then fixes
 * the header checksum.
 *
 * Malformed is, in either header,
 *   - an option of one of the types above whose length is not the one above,
 *   - a lifetime of 86465535 or more,
 *   - a second cross-layer option in the same header,
 *   - any option that runs past the end of the header, lacks its length byte
 *     or, in IPv4, states a length below 2,
 *   - an IPv4 or IPv6 header with another version, an IPv4 header that states
 *     a length below 20;
 * and in IPv6 only,
 *   - type 0x3E with an absolute deadline,
 *   - type 0x1E with a relative lifetime (65535 goes with both types).
 * A malformed packet is treated as one without the option, and counted. Bytes
 * behind an IPv4 End of Options List are padding and are not looked at.
 */
#ifndef _UAPI_LINUX_XLO_H
#define _UAPI_LINUX_XLO_H

#define XLO_TYPE_IPV4		158
#define XLO_TYPE_IPV6_ABSOLUTE	0x1E
#define XLO_TYPE_IPV6_RELATIVE	0x3E

#define XLO_LEN			8	/* type and length included */
#define XLO_IPV6_DATA_LEN	6	/* as an IPv6 option states it */
#define XLO_IPV6_HBH_LEN	16	/* hop-by-hop header with nothing else */

/* Where the fields are, from the type byte on. */
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

/* enum xlo_stale out of the flags, and into them. */
#define XLO_TREATMENT(flags)	(((flags) & XLO_STALE_MASK) >> XLO_STALE_SHIFT)
#define XLO_STALE_FLAGS(stale)	(((stale) << XLO_STALE_SHIFT) & XLO_STALE_MASK)

/**
 * enum xlo_stale - what the sender asks for once the packet is stale
 * @XLO_STALE_FORWARD: send it like any other
 * @XLO_STALE_DISCARD: discard it
 * @XLO_STALE_TRUNCATE: send only its IP and transport headers
 * @XLO_STALE_RESERVED: not to be sent; treated as forward, and counted
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
