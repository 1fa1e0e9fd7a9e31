// SPDX-License-Identifier: GPL-2.0-or-later
/* The stack's own functions that walk over headers. The functions read each header
 * without copying it.
 */

struct dst_entry fetch_dst = { .mtu = 1500 };

/* Get the size of an extension header and the type of the next header. Returns false if
 * the extension header is missing.
 */
static bool extension(const struct sk_buff *skb, u32 at, u8 kind, u8 *next,
		      u32 *size)
{
	u8 buf[2];
	const u8 *hdr = skb_header_pointer(skb, at, sizeof(buf), buf);

	if (!hdr)
		return false;
	*next = hdr[0];
	*size = (hdr[1] + 1) * 8;
	if (kind == NEXTHDR_FRAGMENT)
		*size = sizeof(struct frag_hdr);
	else if (kind == NEXTHDR_AUTH)
		*size = (hdr[1] + 2) * 4;
	return true;
}

static bool fragment_field(const struct sk_buff *skb, u32 at, __be16 *field)
{
	__be16 buf, *p = skb_header_pointer(skb, at + 2, sizeof(buf), &buf);

	if (p)
		*field = *p;
	return p;
}

static bool segments_left(const struct sk_buff *skb, u32 at)
{
	u8 buf, *p = skb_header_pointer(skb, at + 3, sizeof(buf), &buf);

	return p && *p;
}

int ipv6_find_hdr(const struct sk_buff *skb, unsigned int *at, int target,
		  unsigned short *fragment, int *flags)
{
	struct ipv6hdr buf, *ip6h = skb_header_pointer(skb, *at, sizeof(buf), &buf);
	u32 off = *at + sizeof(buf), size;
	u8 kind, next;
	__be16 field;

	if (fragment)
		*fragment = 0;
	if (!ip6h || ip6h->version != 6)
		return -EBADMSG;
	for (kind = ip6h->nexthdr; ipv6_ext_hdr(kind) && kind != NEXTHDR_NONE;
	     kind = next, off += size) {
		if (!extension(skb, off, kind, &next, &size))
			return -EBADMSG;
		if (kind == target && !(kind == NEXTHDR_ROUTING && flags &&
					*flags & IP6_FH_F_SKIP_RH &&
					!segments_left(skb, off)))
			break;
		if (kind == NEXTHDR_AUTH && target < 0 && flags &&
		    *flags & IP6_FH_F_AUTH)
			break;
		if (kind != NEXTHDR_FRAGMENT)
			continue;
		if (flags)
			*flags |= IP6_FH_F_FRAG;
		if (!fragment_field(skb, off, &field))
			return -EBADMSG;
		if (ntohs(field) & IP6_OFFSET) {
			if (target >= 0 || !fragment)
				return -ENOENT;
			*fragment = ntohs(field) & IP6_OFFSET;
			return next;
		}
	}
	if (target >= 0 && kind != target)
		return -ENOENT;
	*at = off;
	return kind;
}

int ipv6_skip_exthdr(const struct sk_buff *skb, int at, u8 *next,
		     __be16 *fragment)
{
	u8 kind = *next, after;
	u32 size;

	*fragment = 0;
	for (; ipv6_ext_hdr(kind); kind = after, at += size) {
		if (kind == NEXTHDR_NONE ||
		    !extension(skb, at, kind, &after, &size))
			return -1;
		if (kind != NEXTHDR_FRAGMENT)
			continue;
		if (!fragment_field(skb, at, fragment))
			return -1;
		if (*fragment & htons(IP6_OFFSET)) {
			kind = after;
			break;
		}
	}
	*next = kind;
	return at;
}

__be16 __vlan_get_protocol(const struct sk_buff *skb, __be16 type, int *depth)
{
	u32 at = skb->mac_len ? skb->mac_len : ETH_HLEN;
	__be16 buf, *p;

	for (; eth_type_vlan(type); at += 4) {
		p = skb_header_pointer(skb, at + 2, sizeof(buf), &buf);
		if (!p)
			return 0;
		type = *p;
	}
	if (depth)
		*depth = at;
	return type;
}
