/* SPDX-License-Identifier: GPL-2.0 */
/* The tracepoint of xlo_rto, which reports each trusted message and its effect. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM xlo_rto

#if !defined(_XLO_RTO_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _XLO_RTO_TRACE_H

#include <linux/jiffies.h>
#include <linux/tracepoint.h>
#include <net/inet_sock.h>
#include "machine.h"

/* perf and trace-cmd need the numbers of these names */
TRACE_DEFINE_ENUM(XRTO_NORMAL);
TRACE_DEFINE_ENUM(XRTO_PREMATURE);
TRACE_DEFINE_ENUM(XRTO_WAITING);
TRACE_DEFINE_ENUM(XRTO_EXTENDED);
TRACE_DEFINE_ENUM(XRTO_RESUMED);
TRACE_DEFINE_ENUM(XRTO_DROP);
TRACE_DEFINE_ENUM(XRTO_DEFER);
TRACE_DEFINE_ENUM(XRTO_LINK_UP);
TRACE_DEFINE_ENUM(XRTO_STATS_AT_ONCE);
TRACE_DEFINE_ENUM(XRTO_STATS_SHORTENED);
TRACE_DEFINE_ENUM(XRTO_STATS_IN_FLIGHT);
TRACE_DEFINE_ENUM(XRTO_STATS_DROP_AGAIN);
TRACE_DEFINE_ENUM(XRTO_STATS_CANCELLED);
TRACE_DEFINE_ENUM(XRTO_STATS_BACK);
TRACE_DEFINE_ENUM(XRTO_STATS_EXTENDED);
TRACE_DEFINE_ENUM(XRTO_STATS_DEFER_AGAIN);
TRACE_DEFINE_ENUM(XRTO_STATS_DEFER_MOST);
TRACE_DEFINE_ENUM(XRTO_STATS_DEFER_NORMAL);
TRACE_DEFINE_ENUM(XRTO_STATS_LINK_UP);

#define XRTO_TRACE_EVENTS					\
	{ XRTO_DROP,			"drop" },		\
	{ XRTO_DEFER,			"defer" },		\
	{ XRTO_LINK_UP,			"link_up" }

#define XRTO_TRACE_STATES					\
	{ XRTO_NORMAL,			"normal" },		\
	{ XRTO_PREMATURE,		"premature" },		\
	{ XRTO_WAITING,			"waiting" },		\
	{ XRTO_EXTENDED,		"extended" },		\
	{ XRTO_RESUMED,			"resumed" }

#define XRTO_TRACE_VERDICTS					\
	{ XRTO_STATS_AT_ONCE,		"at_once" },		\
	{ XRTO_STATS_SHORTENED,		"shortened" },		\
	{ XRTO_STATS_IN_FLIGHT,		"in_flight" },		\
	{ XRTO_STATS_DROP_AGAIN,	"drop_again" },		\
	{ XRTO_STATS_CANCELLED,		"cancelled" },		\
	{ XRTO_STATS_BACK,		"back" },		\
	{ XRTO_STATS_EXTENDED,		"extended" },		\
	{ XRTO_STATS_DEFER_AGAIN,	"defer_again" },	\
	{ XRTO_STATS_DEFER_MOST,	"defer_most" },		\
	{ XRTO_STATS_DEFER_NORMAL,	"defer_normal" },	\
	{ XRTO_STATS_LINK_UP,		"link_up" }

/* Reports a trusted message. The timer of the timeout "rto" was set "run" ago. "state" is the new
 * state. "timeout" is the time from the setting of the timer until it fires, or 0 if the timer was
 * not moved. All times in the event are in ms.
 */
TRACE_EVENT(xrto_decision,
	TP_PROTO(const struct sock *sk, int event,
		 const struct xrto_machine *machine,
		 const struct xrto_timer *timer,
		 const struct xrto_decision *decision),
	TP_ARGS(sk, event, machine, timer, decision),
	TP_STRUCT__entry(
		__field(const void *, skaddr)
		__field(u16, sport)
		__field(u16, dport)
		__field(int, event)
		__field(u32, rto)
		__field(u32, run)
		__field(int, verdict)
		__field(u8, state)
		__field(u32, timeout)
	),
	TP_fast_assign(
		__entry->skaddr = sk;
		__entry->sport = ntohs(inet_sk(sk)->inet_sport);
		__entry->dport = ntohs(inet_sk(sk)->inet_dport);
		__entry->event = event;
		__entry->rto = jiffies_to_msecs(timer->rto);
		__entry->run = jiffies_to_msecs(timer->run);
		__entry->verdict = decision->verdict;
		__entry->state = machine->state;
		__entry->timeout = jiffies_to_msecs(decision->timeout);
	),
	TP_printk("skaddr=%p sport=%u dport=%u event=%s rto=%u run=%u verdict=%s state=%s timeout=%u",
		  __entry->skaddr, __entry->sport, __entry->dport,
		  __print_symbolic(__entry->event, XRTO_TRACE_EVENTS),
		  __entry->rto, __entry->run,
		  __print_symbolic(__entry->verdict, XRTO_TRACE_VERDICTS),
		  __print_symbolic(__entry->state, XRTO_TRACE_STATES),
		  __entry->timeout)
);

#endif /* _XLO_RTO_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
