/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shim over <net/sch_generic.h>; not needed from 7.2 on, except qdisc_set_pkt_segs(), which
 * replaces an assignment.
 *
 * Stable series backport some of these functions with other types. Therefore each function has its
 * own name here, and replaces the original function if the header has it.
 */
#ifndef _COMPAT_NET_SCH_GENERIC_H
#define _COMPAT_NET_SCH_GENERIC_H

#include_next <net/sch_generic.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)

/* Linux 6.1 and 6.12 have the same drop reason for all qdiscs. */
#define QDISC_DROP_GENERIC	SKB_DROP_REASON_QDISC_DROP
#define QDISC_DROP_OVERLIMIT	SKB_DROP_REASON_QDISC_DROP

#define qdisc_drop_reason compat_qdisc_drop_reason
static inline int qdisc_drop_reason(struct sk_buff *skb, struct Qdisc *sch,
				    struct sk_buff **to_free,
				    enum skb_drop_reason reason)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	tcf_set_drop_reason(skb, reason);
#endif
	return qdisc_drop(skb, sch, to_free);
}

/* In Linux 6.1 and 6.12, dequeue frees dropped packets under the root lock. */
#ifndef TCQ_F_DEQUEUE_DROPS
#define TCQ_F_DEQUEUE_DROPS	0
#endif

#define qdisc_dequeue_drop compat_qdisc_dequeue_drop
static inline void qdisc_dequeue_drop(struct Qdisc *q, struct sk_buff *skb,
				      enum skb_drop_reason reason)
{
	kfree_skb_reason(skb, reason);
}

#define qdisc_qlen_inc compat_qdisc_qlen_inc
static inline void qdisc_qlen_inc(struct Qdisc *q)
{
	q->q.qlen++;
}

#define qdisc_qlen_dec compat_qdisc_qlen_dec
static inline void qdisc_qlen_dec(struct Qdisc *q)
{
	q->q.qlen--;
}

/* In Linux 6.1 and 6.12, the number of segments is read from the packet itself. In packets from
 * user space this number may be 0. If the number is 0, it is computed from the length of the packet
 * with its headers, and may be too high.
 */
#define qdisc_pkt_segs compat_qdisc_pkt_segs
static inline unsigned int qdisc_pkt_segs(const struct sk_buff *skb)
{
	const struct skb_shared_info *shinfo = skb_shinfo(skb);

	if (!skb_is_gso(skb))
		return 1;
	return shinfo->gso_segs ?: DIV_ROUND_UP(skb->len, shinfo->gso_size);
}

static inline void qdisc_set_pkt_segs(struct sk_buff *skb, u16 segs)
{
}

#else

static inline void qdisc_set_pkt_segs(struct sk_buff *skb, u16 segs)
{
	qdisc_skb_cb(skb)->pkt_segs = segs;
}

#endif /* < 7.2 */

#endif /* _COMPAT_NET_SCH_GENERIC_H */
