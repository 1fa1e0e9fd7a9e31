// SPDX-License-Identifier: GPL-2.0
/* The lifetime of a packet. A relative lifetime gets shorter by the time that a packet waits, as in
 * every router (linux/xlo.h).
 */

#include <net/fl_deadline.h>
#include <net/xlo_skb.h>
#include "lifetime.h"

/* Finds the option of a packet. Returns enum xlo_found, or -ENOMEM. */
static int arql_option_find(struct sk_buff *skb, int off, __be16 proto,
			    struct xlo_ref *ref, struct xlo *opt)
{
	if (off < 0 || off > U16_MAX)
		return XLO_NONE;
	if (proto == htons(ETH_P_IP))
		return xlo_skb_find4(skb, off, ref, opt);
	if (proto == htons(ETH_P_IPV6))
		return xlo_skb_find6(skb, off, ref, opt);
	return XLO_NONE;
}

/**
 * arql_lifetime_read() - read the lifetime of a packet
 * @lifetime: written; without a valid option, the packet has no deadline
 * @skb: the packet, linear; skb->data points to its Ethernet header, and the network header is set.
 *	The option is made writable if it has a relative lifetime
 * @now: time of arrival, monotonic in ns
 */
void arql_lifetime_read(struct arql_lifetime *lifetime, struct sk_buff *skb, s64 now)
{
	struct xlo_ref ref;
	struct xlo opt;
	__be16 proto;
	int off;

	*lifetime = (struct arql_lifetime){ .deadline = FL_NO_DEADLINE };
	off = xlo_skb_network_offset(skb, &proto);
	if (arql_option_find(skb, off, proto, &ref, &opt) != XLO_FOUND)
		return;
	lifetime->deadline = fl_deadline(opt.lifetime, now);
	lifetime->ip = off;
	lifetime->option = ref.off;
	lifetime->type = ref.type;
	lifetime->reorder = opt.reorder;
	lifetime->slow = opt.flags & XLO_FLAG_SLOW;
	lifetime->corrupt_ok = opt.flags & XLO_FLAG_CORRUPT_OK;
	lifetime->relative = xlo_is_relative(opt.lifetime) &&
			     !xlo_skb_ensure_writable(skb, off, &ref);
}

static struct xlo_ref arql_option_ref(const struct arql_lifetime *lifetime)
{
	return (struct xlo_ref){ .off = lifetime->option, .type = lifetime->type };
}

/**
 * arql_corrupted_write() - write into a packet's option that the payload is damaged
 * @lifetime: from arql_lifetime_read(), @corrupt_ok is set
 * @skb: the packet, not shared
 */
void arql_corrupted_write(const struct arql_lifetime *lifetime, struct sk_buff *skb)
{
	const struct xlo_ref ref = arql_option_ref(lifetime);

	xlo_skb_set_corrupted(skb, lifetime->ip, &ref);
}

/**
 * arql_lifetime_write() - write the remaining lifetime into a packet
 * @lifetime: from arql_lifetime_read()
 * @skb: the packet
 * @now: the time, monotonic in ns
 */
void arql_lifetime_write(const struct arql_lifetime *lifetime, struct sk_buff *skb,
			 s64 now)
{
	const struct xlo_ref ref = arql_option_ref(lifetime);

	if (lifetime->relative)
		xlo_skb_set_lifetime(skb, lifetime->ip, &ref,
				     fl_remaining_ms(lifetime->deadline, now));
}
