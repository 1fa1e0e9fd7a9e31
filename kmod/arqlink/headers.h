/* SPDX-License-Identifier: GPL-2.0 */
/* Where the payload of a packet begins. */
#ifndef _ARQLINK_HEADERS_H
#define _ARQLINK_HEADERS_H

#include <linux/skbuff.h>

u32 arql_headers(const struct sk_buff *skb, unsigned int ip);

#endif /* _ARQLINK_HEADERS_H */
