/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints of cellink: what its channels do to packets, and when they change. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM cellink

#if !defined(_CELLINK_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _CELLINK_TRACE_H

#include <linux/cellink.h>
#include <linux/netdevice.h>
#include <linux/tracepoint.h>

/* numbers in place of the names, for perf and trace-cmd */
TRACE_DEFINE_ENUM(CELLINK_STATE_GOOD);
TRACE_DEFINE_ENUM(CELLINK_STATE_BAD);
TRACE_DEFINE_ENUM(CELLINK_STATS_LOST);
TRACE_DEFINE_ENUM(CELLINK_STATS_CORRUPTED);
TRACE_DEFINE_ENUM(CELLINK_STATS_HANDOVER);

#define CELL_STATES						\
	{ CELLINK_STATE_GOOD,		"good" },		\
	{ CELLINK_STATE_BAD,		"bad" }

#define CELL_CAUSES						\
	{ CELLINK_STATS_LOST,		"lost" },		\
	{ CELLINK_STATS_CORRUPTED,	"corrupted" },		\
	{ CELLINK_STATS_HANDOVER,	"handover" }

/* A state begins. @at is the moment on the monotonic clock at which it does, in ns; the event
 * is seen when the timer has fired.
 */
TRACE_EVENT(state,
	TP_PROTO(const struct net_device *dev, s64 at, int state),
	TP_ARGS(dev, at, state),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(s64, at)
		__field(int, state)
	),
	TP_fast_assign(
		__entry->ifindex = dev->ifindex;
		__entry->at = at;
		__entry->state = state;
	),
	TP_printk("ifindex=%d at=%lld state=%s", __entry->ifindex, __entry->at,
		  __print_symbolic(__entry->state, CELL_STATES))
);

/* An outage begins or ends. @at is when, likewise. */
TRACE_EVENT(outage,
	TP_PROTO(const struct net_device *dev, s64 at, bool down),
	TP_ARGS(dev, at, down),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(s64, at)
		__field(bool, down)
	),
	TP_fast_assign(
		__entry->ifindex = dev->ifindex;
		__entry->at = at;
		__entry->down = down;
	),
	TP_printk("ifindex=%d at=%lld down=%d", __entry->ifindex, __entry->at,
		  __entry->down)
);

/* Chance takes a packet whose last byte was sent @at, or a handover @at takes it. */
TRACE_EVENT(drop,
	TP_PROTO(const struct net_device *dev, s64 at,
		 const struct sk_buff *skb, int cause),
	TP_ARGS(dev, at, skb, cause),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(s64, at)
		__field(const void *, skbaddr)
		__field(unsigned int, len)
		__field(int, cause)
	),
	TP_fast_assign(
		__entry->ifindex = dev->ifindex;
		__entry->at = at;
		__entry->skbaddr = skb;
		__entry->len = skb->len;
		__entry->cause = cause;
	),
	TP_printk("ifindex=%d at=%lld skbaddr=%p len=%u cause=%s",
		  __entry->ifindex, __entry->at, __entry->skbaddr, __entry->len,
		  __print_symbolic(__entry->cause, CELL_CAUSES))
);

#endif /* _CELLINK_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
