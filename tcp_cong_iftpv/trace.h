/* SPDX-License-Identifier: GPL-2.0 */
/* The tracepoint of tcp_iftpv reports the verdict about each loss. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM tcp_iftpv

#if !defined(_TCP_IFTPV_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TCP_IFTPV_TRACE_H

#include <linux/tcp.h>
#include <linux/tracepoint.h>
#include <net/iftpv.h>
#include <net/inet_sock.h>

/* exported so that perf and trace-cmd can print names instead of numbers */
TRACE_DEFINE_ENUM(IFTPV_KEEP);
TRACE_DEFINE_ENUM(IFTPV_EASE);
TRACE_DEFINE_ENUM(IFTPV_HALVE);
TRACE_DEFINE_ENUM(IFTPV_DRAIN);
TRACE_DEFINE_ENUM(IFTPV_TIMEOUT);

#define IFTPV_VERDICTS						\
	{ IFTPV_KEEP,		"keep" },			\
	{ IFTPV_EASE,		"ease" },			\
	{ IFTPV_HALVE,		"halve" },			\
	{ IFTPV_DRAIN,		"drain" },			\
	{ IFTPV_TIMEOUT,	"timeout" }

/* The event occurs when any other congestion control would reduce the window. @backlog is
 * in packets << IFTPV_SHIFT, and windows are in packets. The fields previous_* and
 * current_* are the two newest congestion loss rates, after the update at a random loss.
 * Each rate consists of a number of packets and a time in us. The number and the time are 0
 * if the rate does not exist yet. The field share comes from struct iftpv_losses.
 */
TRACE_EVENT(iftpv_loss,
	TP_PROTO(const struct sock *sk, const struct iftpv_losses *losses,
		 u32 backlog, u32 after, int verdict),
	TP_ARGS(sk, losses, backlog, after, verdict),
	TP_STRUCT__entry(
		__field(const void *, skaddr)
		__field(u16, sport)
		__field(u16, dport)
		__field(u32, backlog)
		__field(u32, previous_lost)
		__field(u32, previous_us)
		__field(u32, current_lost)
		__field(u32, current_us)
		__field(u32, before)
		__field(u32, after)
		__field(int, verdict)
		__field(u8, share)
	),
	TP_fast_assign(
		__entry->skaddr = sk;
		__entry->sport = ntohs(inet_sk(sk)->inet_sport);
		__entry->dport = ntohs(inet_sk(sk)->inet_dport);
		__entry->backlog = backlog;
		__entry->previous_lost = losses->previous_rate.lost;
		__entry->previous_us = losses->previous_rate.us;
		__entry->current_lost = losses->current_rate.lost;
		__entry->current_us = losses->current_rate.us;
		__entry->before = tcp_sk(sk)->prior_cwnd;
		__entry->after = after;
		__entry->verdict = verdict;
		__entry->share = losses->share;
	),
	TP_printk("skaddr=%p sport=%u dport=%u backlog=%u.%02u previous=%u/%uus current=%u/%uus before=%u after=%u verdict=%s random=%u%%",
		  __entry->skaddr, __entry->sport, __entry->dport,
		  __entry->backlog >> IFTPV_SHIFT,
		  (__entry->backlog & ((1 << IFTPV_SHIFT) - 1)) * 100 >>
		  IFTPV_SHIFT,
		  __entry->previous_lost, __entry->previous_us,
		  __entry->current_lost, __entry->current_us,
		  __entry->before, __entry->after,
		  __print_symbolic(__entry->verdict, IFTPV_VERDICTS),
		  __entry->share * 100 / IFTPV_SHARE_MAX)
);

#endif /* _TCP_IFTPV_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
