// SPDX-License-Identifier: GPL-2.0-or-later
/* struct sk_buff in two parts: a buffer that has exactly the necessary size, and foreign
 * memory.
 */

/* bytes before the packet; the IP header is at a multiple of 4 */
#define HEADROOM	64

/* Move the linear part to a new buffer, with @headroom before the linear part, and
 * append a copy of @more bytes of foreign memory.
 */
static void skb_move(struct sk_buff *skb, u32 headroom, u32 more)
{
	u32 linear = skb_headlen(skb), front = min(headroom, skb_headroom(skb));
	int shift = (int)headroom - (int)skb_headroom(skb);
	u8 *head = malloc(headroom + linear + more);

	memcpy(head + headroom - front, skb->data - front, front + linear);
	if (more)
		foreign_read(skb->foreign, head + headroom + linear, more);
	free(skb->head);
	skb->head = head;
	skb->data = head + headroom;
	skb->data_len -= more;
	skb->foreign += more;
	skb->network_header += shift;
	skb->transport_header += shift;
	skb->csum_start += shift;
	if (skb_mac_header_was_set(skb))
		skb->mac_header += shift;
}

/* Make a packet of @len bytes: @linear bytes are copied from @bytes, and the rest is in
 * foreign memory. The IP header is at offset @ip.
 */
struct sk_buff *skb_make(const u8 *bytes, u32 linear, u32 len, u32 ip)
{
	struct sk_buff *skb = calloc(1, sizeof(*skb));
	u32 headroom = HEADROOM - ip % 4;

	skb->head = malloc(headroom + linear);
	skb->data = skb->head + headroom;
	memcpy(skb->data, bytes, linear);
	skb->len = len;
	skb->data_len = len - linear;
	skb->foreign = linear;
	skb->mac_header = ip ? headroom : 0xffff;
	skb->mac_len = ip;
	skb->network_header = headroom + ip;
	skb->transport_header = 0xffff;
	return skb;
}

void kfree_skb(struct sk_buff *skb)
{
	struct sk_buff *next;

	for (; skb; skb = next) {
		next = skb->next;
		kfree_skb(skb->shared.frag_list);
		free(skb->head);
		free(skb);
	}
}

struct sk_buff *alloc_skb(u32 size, int flags)
{
	struct sk_buff *skb = calloc(1, sizeof(*skb));

	(void)flags;
	skb->head = malloc(size);
	skb->data = skb->head;
	return skb;
}

bool pskb_may_pull(struct sk_buff *skb, u32 len)
{
	if (len <= skb_headlen(skb))
		return true;
	if (len > skb->len)
		return false;
	skb_move(skb, skb_headroom(skb), len - skb_headlen(skb));
	return true;
}

int skb_ensure_writable(struct sk_buff *skb, u32 len)
{
	return pskb_may_pull(skb, len) ? skb_unclone(skb, 0) : -ENOMEM;
}

int skb_unclone(struct sk_buff *skb, int flags)
{
	(void)flags;
	skb_move(skb, skb_headroom(skb), 0);
	return 0;
}

int skb_cow_head(struct sk_buff *skb, u32 headroom)
{
	skb_move(skb, max(headroom, skb_headroom(skb)), 0);
	return 0;
}

int pskb_trim(struct sk_buff *skb, u32 len)
{
	u32 linear = min(len, skb_headlen(skb));

	if (len >= skb->len)
		return 0;
	skb->len = len;
	skb->data_len = len - linear;
	skb_move(skb, skb_headroom(skb), 0);
	return 0;
}

int skb_copy_bits(const struct sk_buff *skb, u32 at, void *to, u32 len)
{
	u32 linear = skb_headlen(skb), own = 0;

	if (at > skb->len || len > skb->len - at)
		return -EFAULT;
	if (at < linear) {
		own = min(len, linear - at);
		memcpy(to, skb->data + at, own);
	}
	if (own < len)
		foreign_read(skb->foreign + at + own - linear, (u8 *)to + own,
			     len - own);
	return 0;
}

void *skb_header_pointer(const struct sk_buff *skb, u32 at, u32 len, void *to)
{
	u32 linear = skb_headlen(skb);

	if (at <= linear && len <= linear - at)
		return skb->data + at;
	return skb_copy_bits(skb, at, to, len) ? NULL : to;
}

__wsum skb_checksum(const struct sk_buff *skb, u32 at, u32 len, __wsum sum)
{
	u8 *bytes = malloc(len);

	if (skb_copy_bits(skb, at, bytes, len))
		abort();
	sum = csum_partial(bytes, len, sum);
	free(bytes);
	return sum;
}
