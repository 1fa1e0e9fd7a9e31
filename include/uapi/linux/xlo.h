/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Wire format of the cross-layer option (XLO), which carries the best-before time of an IP
 * packet.
 *
 * Source: A. Gurtov and R. Ludwig, "Lifetime Packet Discard for Efficient
 * Real-Time Transport over Cellular Links", 2003. The paper names the fields
 * and their order. This header sets the numbers and bit positions that the paper
 * leaves open.
 *
 * In IPv4 the option has XLO_LEN bytes. All fields of the option are big endian. The
 * option may start at any offset in the header's options.
 *
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------+---------------+---------------+---------------+
 *   |   type 158    |   length 8    |    reorder    |     flags     |
 *   +---------------+---------------+---------------+---------------+
 *   |                           lifetime                            |
 *   +---------------------------------------------------------------+
 *
 * Option type 158 is experimental (RFC 4727). Each fragment of a packet carries a copy of
 * the option.
 *
 * In IPv6 the option is a hop-by-hop option with the same fields. The hop-by-hop
 * header directly follows the IPv6 header (RFC 8200, section 4.3). A hop-by-hop header
 * that contains only the cross-layer option has XLO_IPV6_HBH_LEN bytes.
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
 * Option type 0x1E carries an absolute deadline, which does not change on the path.
 * Option type 0x3E carries a relative lifetime, which routers may change. The
 * types 0x1E and 0x3E are experimental (RFC 4727). A node that does not know a
 * type skips the option. A sender aligns the option to 4n bytes from the start of
 * the hop-by-hop header. A receiver accepts the option at any offset, because a
 * misaligned option is still unambiguous. The cross-layer option can follow other
 * options.
 *
 * The field "reorder" is a number of packets. If this number of later packets of the
 * same flow overtakes the packet, the transport assumes that the packet is lost. A router
 * therefore lets fewer packets overtake the packet. The values 0 and 1 forbid reordering.
 * Standard TCP uses 3.
 *
 * The field "flags" has these bits:
 *
 *   XLO_FLAG_CORRUPT_OK: the transport can use a damaged payload.
 *   XLO_FLAG_CORRUPTED: a link has delivered the packet with a damaged payload.
 *   XLO_STALE_MASK: how to treat the packet when it is stale, see enum xlo_stale.
 *   XLO_FLAG_SLOW: the flow responds slowly to congestion.
 *
 * A sender sets unknown flag bits to 0. Receivers ignore unknown flag bits, and routers
 * do not change them.
 *
 * The field "lifetime" has 32 bits:
 *
 *   0                      relative, already expired
 *   1 .. 65534             relative: remaining time in ms
 *   65535                  no lifetime; all other fields are still valid
 *   65536 .. 86465534      absolute: deadline in ms since midnight UT, modulo
 *                          24 h, plus 65535
 *   86465535 ..            malformed
 *
 * A deadline at exactly midnight would have the value 65535. A sender therefore
 * writes midnight as the ms before midnight. An absolute deadline is a time of
 * day without a date. A reader takes the time that is nearest to now, at most 12 h in the
 * past or in the future. A deadline exactly 12 h away is in the future.
 *
 * Routers rewrite an absolute deadline or the value 65535 only because of a cap. The
 * administrator of a router can set a cap on the lifetimes of packets from an interface.
 * In IPv4 and in type 0x3E, a cap of at most 65534 ms replaces 65535 by a relative lifetime.
 * A cap above 65534 ms replaces 65535 by an absolute deadline in IPv4, and by 65534 ms in
 * type 0x3E. In type 0x1E, every cap replaces 65535 by an absolute deadline.
 *
 * A router subtracts its own delay from a relative lifetime. The router subtracts
 * with the resolution of its clock and rounds the result to the nearest ms. Half
 * a ms is rounded up, and the result is at least 0. The error of one hop is
 * therefore at most half a ms. The errors of many hops cancel each other out
 * instead of adding up. In IPv4 a router updates the header checksum after it has
 * rewritten the lifetime.
 *
 * Each of the following makes an IPv4 or IPv6 packet malformed:
 *   - a cross-layer option whose length is not the length given above
 *   - a lifetime of 86465535 or more
 *   - a second cross-layer option in the same header
 *   - any option that exceeds the header or lacks its length byte
 *   - an IPv4 option that states a length below 2
 *   - an IP header with a wrong version
 *   - an IPv4 header that states a length below 20
 *   - an IPv6 option of type 0x3E with an absolute deadline
 *   - an IPv6 option of type 0x1E with a relative lifetime. Both types allow 65535.
 *
 * A malformed packet is counted and treated as a packet without the option. Bytes after an IPv4
 * End of Options List are padding and are ignored.
 */
#ifndef _UAPI_LINUX_XLO_H
#define _UAPI_LINUX_XLO_H

#define XLO_TYPE_IPV4		158
#define XLO_TYPE_IPV6_ABSOLUTE	0x1E
#define XLO_TYPE_IPV6_RELATIVE	0x3E

#define XLO_LEN			8	/* type and length included */
#define XLO_IPV6_DATA_LEN	6	/* value of the length field in IPv6 */
#define XLO_IPV6_HBH_LEN	16	/* hop-by-hop header with this option only */

/* Offsets of the fields, counted from the type byte. */
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

/* Extract enum xlo_stale from the flags, and convert enum xlo_stale to flags. */
#define XLO_TREATMENT(flags)	(((flags) & XLO_STALE_MASK) >> XLO_STALE_SHIFT)
#define XLO_STALE_FLAGS(stale)	(((stale) << XLO_STALE_SHIFT) & XLO_STALE_MASK)

/**
 * enum xlo_stale - how routers treat a stale packet
 * @XLO_STALE_FORWARD: send the packet like any other packet
 * @XLO_STALE_DISCARD: discard the packet
 * @XLO_STALE_TRUNCATE: send only the packet's IP and transport headers
 * @XLO_STALE_RESERVED: must not be used by a sender; treated as forward, and counted
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
