/* SPDX-License-Identifier: GPL-2.0 */
/* A message to be sent: whether there is to be one, and its bytes. */
#ifndef _XLO_RTO_NOTICE_H
#define _XLO_RTO_NOTICE_H

#include <linux/types.h>
#include <linux/xlo_rto.h>
#include <linux/xlo_rto_genl.h>
#include "parse.h"

#define XRTO_NOTICE_MAX	(XRTO_HLEN + XRTO_QUOTE_MIN + XRTO_EXT_HLEN + \
			 XRTO_OBJECT_KEYED)

/**
 * struct xrto_notice - what is to be written
 * @code: XRTO_CODE_*
 * @ipv6: the packet is IPv6
 * @extension: in that encoding, not in the native one
 * @keyed: with a token
 * @token: it
 * @ip: the packet that it is about, from its IP header on
 * @len: bytes of it to be quoted, at most XRTO_QUOTE_MIN
 */
struct xrto_notice {
	u8 code;
	bool ipv6;
	bool extension;
	bool keyed;
	u32 token;
	const u8 *ip;
	u32 len;
};

enum xrto_notices xrto_notice_refusal(const u8 *ip, u32 len, u8 code,
				      struct xrto_quote *quote);
u32 xrto_notice_write(u8 *icmp, const struct xrto_notice *notice);
bool xrto_bucket_take(u64 *full, u64 now, u64 period, u32 size);

#endif /* _XLO_RTO_NOTICE_H */
