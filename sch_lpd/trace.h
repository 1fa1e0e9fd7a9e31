/* SPDX-License-Identifier: GPL-2.0 */
/* The tracepoints of lpd show which packets are discarded or cut, and where lpd found them. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM lpd

#if !defined(_SCH_LPD_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _SCH_LPD_TRACE_H

#include <linux/netdevice.h>
#include <linux/tracepoint.h>
#include <net/sch_generic.h>
#include "verdict.h"

/* exports the enum values to perf and trace-cmd, which read the format of the events */
TRACE_DEFINE_ENUM(TCA_LPD_STATS_STALE_ENQUEUE);
TRACE_DEFINE_ENUM(TCA_LPD_STATS_STALE_DEQUEUE);
TRACE_DEFINE_ENUM(TCA_LPD_STATS_STALE_PEEK);
TRACE_DEFINE_ENUM(TCA_LPD_STATS_STALE_PURGE);
TRACE_DEFINE_ENUM(TCA_LPD_STATS_STALE_TIMER);

#define LPD_STALE_CAUSES					\
	{ TCA_LPD_STATS_STALE_ENQUEUE,	"enqueue" },		\
	{ TCA_LPD_STATS_STALE_DEQUEUE,	"dequeue" },		\
	{ TCA_LPD_STATS_STALE_PEEK,	"peek" },		\
	{ TCA_LPD_STATS_STALE_PURGE,	"purge" },		\
	{ TCA_LPD_STATS_STALE_TIMER,	"timer" }

/* Fields that all events have: the queue, and the packet at the time of the event. */
#define LPD_TRACE_FIELDS					\
	__field(int, ifindex)					\
	__field(u32, handle)					\
	__field(u32, parent)					\
	__field(const void *, skbaddr)				\
	__field(unsigned int, len)

/* sets the common fields from the arguments sch and skb, which all events have */
#define LPD_TRACE_ASSIGN					\
	do {							\
		__entry->ifindex = qdisc_dev(sch)->ifindex;	\
		__entry->handle = sch->handle;			\
		__entry->parent = sch->parent;			\
		__entry->skbaddr = skb;				\
		__entry->len = qdisc_pkt_len(skb);		\
	} while (0)

#define LPD_TRACE_FORMAT					\
	"ifindex=%d handle=0x%X parent=0x%X skbaddr=%p len=%u"
#define LPD_TRACE_VALUES					\
	__entry->ifindex, __entry->handle, __entry->parent,	\
	__entry->skbaddr, __entry->len

/* A stale packet is discarded. @late is the time since the packet's deadline in ns. @late
 * is negative if the packet can no longer meet a deadline that is still in the future.
 */
TRACE_EVENT(lpd_expire,
	TP_PROTO(struct Qdisc *sch, const struct sk_buff *skb,
		 enum lpd_verdict found, s64 late),
	TP_ARGS(sch, skb, found, late),
	TP_STRUCT__entry(
		LPD_TRACE_FIELDS
		__field(int, cause)
		__field(s64, late)
	),
	TP_fast_assign(
		LPD_TRACE_ASSIGN;
		__entry->cause = lpd_counter(found);
		__entry->late = late;
	),
	TP_printk(LPD_TRACE_FORMAT " cause=%s late_ns=%lld", LPD_TRACE_VALUES,
		  __print_symbolic(__entry->cause, LPD_STALE_CAUSES),
		  __entry->late)
);

/* A stale packet was cut to its headers. The field len is the packet's length after the
 * cut. @cut is the number of bytes that were cut off.
 */
TRACE_EVENT(lpd_truncate,
	TP_PROTO(struct Qdisc *sch, const struct sk_buff *skb,
		 enum lpd_verdict found, unsigned int cut),
	TP_ARGS(sch, skb, found, cut),
	TP_STRUCT__entry(
		LPD_TRACE_FIELDS
		__field(int, cause)
		__field(unsigned int, cut)
	),
	TP_fast_assign(
		LPD_TRACE_ASSIGN;
		__entry->cause = lpd_counter(found);
		__entry->cut = cut;
	),
	TP_printk(LPD_TRACE_FORMAT " cause=%s cut=%u", LPD_TRACE_VALUES,
		  __print_symbolic(__entry->cause, LPD_STALE_CAUSES),
		  __entry->cut)
);

/* A fragment is dropped because another fragment of its datagram was dropped. */
TRACE_EVENT(lpd_adu,
	TP_PROTO(struct Qdisc *sch, const struct sk_buff *skb),
	TP_ARGS(sch, skb),
	TP_STRUCT__entry(
		LPD_TRACE_FIELDS
	),
	TP_fast_assign(
		LPD_TRACE_ASSIGN;
	),
	TP_printk(LPD_TRACE_FORMAT, LPD_TRACE_VALUES)
);

#endif /* _SCH_LPD_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
