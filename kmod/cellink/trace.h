/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints of cellink: packets, and changes of a channel. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM cellink

#if !defined(_CELLINK_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _CELLINK_TRACE_H

#include <linux/cellink.h>
#include <linux/netdevice.h>
#include <linux/tracepoint.h>

/* so that perf and trace-cmd can print names instead of numbers */
TRACE_DEFINE_ENUM(CELLINK_STATE_GOOD);
TRACE_DEFINE_ENUM(CELLINK_STATE_BAD);
TRACE_DEFINE_ENUM(CELLINK_STATS_LOST);
TRACE_DEFINE_ENUM(CELLINK_STATS_CORRUPTED);
TRACE_DEFINE_ENUM(CELLINK_STATS_HANDOVER);
TRACE_DEFINE_ENUM(CELLINK_STATS_OVERFLOW);

#define CELL_STATES						\
	{ CELLINK_STATE_GOOD,		"good" },		\
	{ CELLINK_STATE_BAD,		"bad" }

#define CELL_CAUSES						\
	{ CELLINK_STATS_LOST,		"lost" },		\
	{ CELLINK_STATS_CORRUPTED,	"corrupted" },		\
	{ CELLINK_STATS_HANDOVER,	"handover" },	\
	{ CELLINK_STATS_OVERFLOW,	"overflow" }

/* A state begins. In this and all other events, @at is the time of the event on the channel, in ns
 * on CLOCK_MONOTONIC. If the timer fires late, the tracepoint is hit after @at.
 */
TRACE_EVENT(cell_state,
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

/* An outage begins or ends. */
TRACE_EVENT(cell_outage,
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

/* A packet arrives from the qdisc. It enters the ring, is delivered immediately, or is dropped
 * because the buffer is full. @bytes is its length on the wire. Devices in different netns may have
 * the same ifindex, so the event also has the cookie of the netns (SO_NETNS_COOKIE).
 */
TRACE_EVENT(cell_arrival,
	TP_PROTO(const struct net_device *dev, s64 at, u32 bytes),
	TP_ARGS(dev, at, bytes),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u64, netns)
		__field(s64, at)
		__field(u32, bytes)
	),
	TP_fast_assign(
		__entry->ifindex = dev->ifindex;
		__entry->netns = dev_net(dev)->net_cookie;
		__entry->at = at;
		__entry->bytes = bytes;
	),
	TP_printk("ifindex=%d netns=%llu at=%lld bytes=%u", __entry->ifindex,
		  __entry->netns, __entry->at, __entry->bytes)
);

/* A packet that arrived at @came has been sent, and is now in flight. */
TRACE_EVENT(cell_departure,
	TP_PROTO(const struct net_device *dev, s64 at, s64 came, u32 bytes),
	TP_ARGS(dev, at, came, bytes),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u64, netns)
		__field(s64, at)
		__field(s64, came)
		__field(u32, bytes)
	),
	TP_fast_assign(
		__entry->ifindex = dev->ifindex;
		__entry->netns = dev_net(dev)->net_cookie;
		__entry->at = at;
		__entry->came = came;
		__entry->bytes = bytes;
	),
	TP_printk("ifindex=%d netns=%llu at=%lld bytes=%u came=%lld",
		  __entry->ifindex, __entry->netns, __entry->at,
		  __entry->bytes, __entry->came)
);

/* A trace has @count opportunities of @bytes each. After the first packet that is sent while the
 * event is enabled, the event also reports opportunities for which no packet is waiting.
 */
TRACE_EVENT(cell_opportunity,
	TP_PROTO(const struct net_device *dev, s64 at, u32 bytes, u32 count),
	TP_ARGS(dev, at, bytes, count),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u64, netns)
		__field(s64, at)
		__field(u32, bytes)
		__field(u32, count)
	),
	TP_fast_assign(
		__entry->ifindex = dev->ifindex;
		__entry->netns = dev_net(dev)->net_cookie;
		__entry->at = at;
		__entry->bytes = bytes;
		__entry->count = count;
	),
	TP_printk("ifindex=%d netns=%llu at=%lld bytes=%u count=%u",
		  __entry->ifindex, __entry->netns, __entry->at,
		  __entry->bytes, __entry->count)
);

/* A packet is not delivered. Losses, and drops because of bad bits, happen when the packet leaves
 * the radio. Packets are also lost in a handover, or dropped because the buffer or the block is
 * full.
 */
TRACE_EVENT(cell_drop,
	TP_PROTO(const struct net_device *dev, s64 at,
		 const struct sk_buff *skb, u32 bytes, int cause),
	TP_ARGS(dev, at, skb, bytes, cause),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u64, netns)
		__field(s64, at)
		__field(const void *, skbaddr)
		__field(u32, bytes)
		__field(int, cause)
	),
	TP_fast_assign(
		__entry->ifindex = dev->ifindex;
		__entry->netns = dev_net(dev)->net_cookie;
		__entry->at = at;
		__entry->skbaddr = skb;
		__entry->bytes = bytes;
		__entry->cause = cause;
	),
	TP_printk("ifindex=%d netns=%llu at=%lld bytes=%u skbaddr=%p cause=%s",
		  __entry->ifindex, __entry->netns, __entry->at, __entry->bytes,
		  __entry->skbaddr,
		  __print_symbolic(__entry->cause, CELL_CAUSES))
);

#endif /* _CELLINK_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
