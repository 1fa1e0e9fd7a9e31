/* SPDX-License-Identifier: GPL-2.0 */
/* What follows the IP header. */
#ifndef _XLO_TRANSPORT_H
#define _XLO_TRANSPORT_H

#include <linux/skbuff.h>

/**
 * struct xlo_transport - what follows the IP header and its extension headers
 * @proto: its protocol
 * @fragment: the packet is a fragment
 * @authenticated: behind an Authentication Header, which covers the lengths of
 *	IP and IPv6's extension headers (RFC 4302 section 3.3.3)
 * @offset: where it begins, from skb->data on; 0 if it is not there
 */
struct xlo_transport {
	u8 proto;
	bool fragment;
	bool authenticated;
	int offset;
};

struct xlo_transport xlo_transport(const struct sk_buff *skb, u8 pf);
int xlo_transport_tcp(const struct sk_buff *skb, const struct xlo_transport *t);
bool xlo_transport_is_link_local(const struct sk_buff *skb, u8 pf,
				 const struct xlo_transport *t);

#endif /* _XLO_TRANSPORT_H */
