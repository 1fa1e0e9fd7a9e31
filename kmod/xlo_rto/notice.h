/* SPDX-License-Identifier: GPL-2.0 */
/* Messages to be sent: the decision to send a message, and its bytes. All functions are pure. */
#ifndef _XLO_RTO_NOTICE_H
#define _XLO_RTO_NOTICE_H

#include <linux/types.h>
#include <linux/xlo_rto.h>
#include <linux/xlo_rto_genl.h>
#include "parse.h"

#define XRTO_NOTICE_MAX	(XRTO_HLEN + XRTO_QUOTE_MIN + XRTO_EXT_HLEN + \
			 XRTO_OBJECT_KEYED)

/**
 * struct xrto_notice - the content of a message to be sent
 * @code: XRTO_CODE_*
 * @ipv6: whether the quoted packet is IPv6
 * @extension: true for the extension encoding, false for the native encoding
 * @keyed: whether the message carries a token
 * @token: the token, valid only if @keyed is true
 * @ip: the quoted packet, from its IP header on
 * @len: number of quoted bytes, at most XRTO_QUOTE_MIN
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

bool xrto_notice_to_program(u8 code, const struct xrto_quote *quote);
enum xrto_notices xrto_notice_refusal(const u8 *ip, u32 len, u8 code,
				      struct xrto_quote *quote);
u32 xrto_notice_write(u8 *icmp, const struct xrto_notice *notice);
bool xrto_bucket_take(u64 *full, u64 now, u64 period, u32 size);

#endif /* _XLO_RTO_NOTICE_H */
