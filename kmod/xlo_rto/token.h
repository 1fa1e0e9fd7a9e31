/* SPDX-License-Identifier: GPL-2.0 */
/* What proves that a message's sender has the key: see <linux/xlo_rto.h>. */
#ifndef _XLO_RTO_TOKEN_H
#define _XLO_RTO_TOKEN_H

#include <linux/siphash.h>
#include <linux/unaligned.h>
#include <linux/xlo_rto.h>
#include "quote.h"

/* A key out of its XRTO_KEY_LEN bytes. */
static inline siphash_key_t xrto_token_key(const u8 *bytes)
{
	return (siphash_key_t){ .key = {
		get_unaligned_le64(bytes),
		get_unaligned_le64(bytes + sizeof(u64)),
	} };
}

/**
 * xrto_token() - the token of a message
 * @key: which both ends have
 * @code: the message's
 * @quote: the segment that it quotes
 *
 * Not of addresses and ports, which NATs translate within a quote as well.
 */
static inline u32 xrto_token(const siphash_key_t *key, u8 code,
			     const struct xrto_quote *quote)
{
	return siphash_3u32(code, quote->seq,
			    quote->has_tsval ? quote->tsval : 0, key);
}

#endif /* _XLO_RTO_TOKEN_H */
