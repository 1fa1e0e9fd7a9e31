/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints of arqlink. Times are in ns on CLOCK_MONOTONIC. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM arqlink

#if !defined(_ARQLINK_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _ARQLINK_TRACE_H

#include <linux/arqlink.h>
#include <linux/netdevice.h>
#include <linux/tracepoint.h>
#include "link.h"
#include "piece.h"

/* so that perf and trace-cmd can print names instead of numbers */
TRACE_DEFINE_ENUM(ARQLINK_STATS_EXPIRED);
TRACE_DEFINE_ENUM(ARQLINK_STATS_LATE);
TRACE_DEFINE_ENUM(ARQLINK_STATS_ATTEMPTS);
TRACE_DEFINE_ENUM(ARQLINK_STATS_PERSIST);
TRACE_DEFINE_ENUM(ARQLINK_STATS_FLUSHED);
TRACE_DEFINE_ENUM(ARQLINK_STATS_RESET);
TRACE_DEFINE_ENUM(ARQLINK_STATS_PURGED);

#define ARQL_CAUSES						\
	{ ARQLINK_STATS_EXPIRED,	"expired" },		\
	{ ARQLINK_STATS_LATE,		"late" },		\
	{ ARQLINK_STATS_ATTEMPTS,	"attempts" },		\
	{ ARQLINK_STATS_PERSIST,	"persist" },		\
	{ ARQLINK_STATS_FLUSHED,	"flushed" },		\
	{ ARQLINK_STATS_RESET,		"reset" },		\
	{ ARQLINK_STATS_PURGED,		"purged" }

/* A packet, or a piece of it, leaves for the lower device in the DATA frame @number. @length is the
 * number of its bytes in the frame. @left is the packet's remaining lifetime in ns, or -1 if the
 * lifetime does not count.
 */
TRACE_EVENT(arql_send,
	TP_PROTO(const struct net_device *dev, s64 at, u16 number,
		 const struct arql_slot *slot, const struct sk_buff *skb),
	TP_ARGS(dev, at, number, slot, skb),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(s64, at)
		__field(u16, number)
		__field(u16, length)
		__field(u32, attempt)
		__field(s64, left)
	),
	TP_fast_assign(
		const s64 deadline = arql_deadline(skb);

		__entry->ifindex = dev->ifindex;
		__entry->at = at;
		__entry->number = number;
		__entry->length = arql_piece_part(&slot->piece, skb);
		__entry->attempt = slot->attempts;
		__entry->left = deadline == FL_NO_DEADLINE ? -1 : deadline - at;
	),
	TP_printk("ifindex=%d at=%lld number=%u length=%u attempt=%u left=%lld",
		  __entry->ifindex, __entry->at, __entry->number,
		  __entry->length, __entry->attempt, __entry->left)
);

/* A sample of the round-trip time has changed the estimates. All values are in ns. */
TRACE_EVENT(arql_sample,
	TP_PROTO(const struct net_device *dev, s64 at, s64 sample,
		 const struct arql_estimate *e, u64 timeout),
	TP_ARGS(dev, at, sample, e, timeout),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(s64, at)
		__field(s64, sample)
		__field(s64, srtt)
		__field(s64, srttvar)
		__field(u64, timeout)
	),
	TP_fast_assign(
		__entry->ifindex = dev->ifindex;
		__entry->at = at;
		__entry->sample = sample;
		__entry->srtt = e->srtt;
		__entry->srttvar = e->srttvar;
		__entry->timeout = timeout;
	),
	TP_printk("ifindex=%d at=%lld sample=%lld srtt=%lld srttvar=%lld timeout=%llu",
		  __entry->ifindex, __entry->at, __entry->sample,
		  __entry->srtt, __entry->srttvar, __entry->timeout)
);

/* A packet of the DATA frame @number is given up. */
TRACE_EVENT(arql_give_up,
	TP_PROTO(const struct net_device *dev, u16 number, int cause),
	TP_ARGS(dev, number, cause),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u16, number)
		__field(int, cause)
	),
	TP_fast_assign(
		__entry->ifindex = dev->ifindex;
		__entry->number = number;
		__entry->cause = cause;
	),
	TP_printk("ifindex=%d number=%u cause=%s", __entry->ifindex,
		  __entry->number,
		  __print_symbolic(__entry->cause, ARQL_CAUSES))
);

#endif /* _ARQLINK_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
