/* SPDX-License-Identifier: GPL-2.0 */
/* The two encodings of <linux/xlo_rto.h>, in ICMP and in ICMPv6. */
#ifndef _XLO_RTO_FORMAT_H
#define _XLO_RTO_FORMAT_H

#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/types.h>
#include <linux/xlo_rto.h>

#define XRTO_NATIVE_TOKEN	4	/* offset in the ICMP header */
#define XRTO_EXT_VERSION	2

/**
 * struct xrto_format - where ICMP and ICMPv6 differ
 * @native: type of messages
 * @unreachable: type that carries an extension, code 0
 * @length_at: where that says how long its quote is (RFC 4884 section 4)
 * @length_unit: in how many bytes
 */
struct xrto_format {
	u8 native;
	u8 unreachable;
	u8 length_at;
	u8 length_unit;
};

static const struct xrto_format xrto_format4 = {
	.native		= XRTO_TYPE_IPV4,
	.unreachable	= ICMP_DEST_UNREACH,
	.length_at	= 5,
	.length_unit	= 4,
};

static const struct xrto_format xrto_format6 = {
	.native		= XRTO_TYPE_IPV6,
	.unreachable	= ICMPV6_DEST_UNREACH,
	.length_at	= 4,
	.length_unit	= 8,
};

#endif /* _XLO_RTO_FORMAT_H */
