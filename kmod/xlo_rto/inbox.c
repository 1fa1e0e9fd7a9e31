// SPDX-License-Identifier: GPL-2.0
/*
 * Between the hook, which may run while TCP holds the socket's lock, and the socket: a queue
 * of a fixed size, emptied in process context.
 */

#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/kfifo.h>
#include <linux/mm.h>
#include <linux/ratelimit.h>
#include <linux/rbtree.h>
#include <linux/slab.h>
#include <linux/sock_diag.h>
#include <linux/typecheck.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <net/inet6_hashtables.h>
#include <net/inet_connection_sock.h>
#include <net/inet_hashtables.h>
#include <net/net_namespace.h>
#include <net/tcp.h>
#include "config.h"
#include "event.h"
#include "inbox.h"
#include "machine.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

#define XRTO_FLOW_SETS_BITS	8
#define XRTO_FLOW_SETS		BIT(XRTO_FLOW_SETS_BITS)
#define XRTO_FLOW_WAYS		4	/* 1024 connections in all */

/**
 * struct xrto_flow - a connection whose timeout a message has moved
 * @cookie: its socket's, which no other socket ever has: the next one may have its address
 *	and ports; 0 where there is none
 * @timer: when the timer is due that @machine is about; jiffies
 * @begin: when that timer began; jiffies
 * @snd_una: what was acknowledged then
 * @machine: where its timeout stands
 * @value: the timeout's value (icsk_rto) before the first message; jiffies
 * @set: the value that @machine has set last; jiffies
 * @again: from when on another DROP or DEFER is accepted; 64-bit jiffies
 * @resume: from when on another LINK-UP is accepted; 64-bit jiffies
 * @until: when there is nothing to remember any more; 64-bit jiffies
 */
struct xrto_flow {
	u64 cookie;
	unsigned long timer;
	unsigned long begin;
	u32 snd_una;
	struct xrto_machine machine;
	u32 value;
	u32 set;
	u64 again;
	u64 resume;
	u64 until;
};

/**
 * struct xrto_flows - those of a namespace
 * @flow: in sets, by their socket's cookie
 *
 * Of a fixed size: nothing is allocated for a message, and nothing has to be freed with a
 * connection. Who has set a timer knows when it is due, and until when it is worth knowing.
 */
struct xrto_flows {
	struct xrto_flow flow[XRTO_FLOW_SETS][XRTO_FLOW_WAYS];
};

/**
 * xrto_flow_find() - what is remembered of a connection, or room for it
 * @flows: the table; only one at a time uses it
 * @cookie: that of the connection's socket
 * @now: 64-bit jiffies
 *
 * What is forgotten by now makes room, no other does: else who can make messages believed
 * for many connections would have those of others forgotten.
 *
 * Return: the flow, all 0 but @cookie if it is new; NULL where there is no room
 */
static struct xrto_flow *xrto_flow_find(struct xrto_flows *flows, u64 cookie,
					u64 now)
{
	struct xrto_flow *set =
		flows->flow[hash_64(cookie, XRTO_FLOW_SETS_BITS)];
	struct xrto_flow *room = NULL;
	int i;

	for (i = 0; i < XRTO_FLOW_WAYS; i++) {
		if (set[i].cookie == cookie)
			return &set[i];
		if (!set[i].cookie || time_after_eq64(now, set[i].until))
			room = &set[i];
	}
	if (room)
		*room = (struct xrto_flow){ .cookie = cookie };
	return room;
}

/*
 * From a message to a socket's timer: whether the message is believed (RFC 5927 section 4),
 * and what becomes of the timeout. All that is read or set of TCP is under the socket's lock
 * while no program uses the socket, as where TCP itself receives an ICMP error.
 */

static_assert(TCP_RTO_MAX <= XRTO_RTO_MAX);

/* Connections that are open and may have data under way. */
#define XRTO_STATES	(TCPF_ESTABLISHED | TCPF_FIN_WAIT1 | TCPF_CLOSE_WAIT | \
			 TCPF_CLOSING | TCPF_LAST_ACK)

static struct sock *xrto_lookup(struct net *net, const struct xrto_message *msg)
{
	const struct xrto_quote *quote = &msg->quote;
	u16 port = ntohs(quote->sport);

	if (quote->pf == NFPROTO_IPV4)
		return __inet_lookup_established(net, quote->daddr.ip,
						 quote->dport, quote->saddr.ip,
						 port, msg->dif, msg->sdif);
	return __inet6_lookup_established(net, &quote->daddr.in6, quote->dport,
					  &quote->saddr.in6, port, msg->dif,
					  msg->sdif);
}

/* The segment in flight that this sequence number is of. */
static struct sk_buff *xrto_segment(const struct sock *sk, u32 seq)
{
	struct rb_node *node = sk->tcp_rtx_queue.rb_node;

	while (node) {
		struct sk_buff *skb = rb_to_skb(node);

		if (before(seq, TCP_SKB_CB(skb)->seq))
			node = node->rb_left;
		else if (!before(seq, TCP_SKB_CB(skb)->end_seq))
			node = node->rb_right;
		else
			return skb;
	}
	return NULL;
}

/* Whether the time stamp is that of the segment's last copy. What befell an earlier one says
 * nothing of the timeout that runs.
 */
static bool xrto_timestamp_right(const struct sock *sk,
				 const struct xrto_quote *quote)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	const struct sk_buff *skb = xrto_segment(sk, quote->seq);

	return skb && tp->rx_opt.tstamp_ok &&
	       quote->tsval == tcp_skb_tsval(tp, skb);
}

/* Whether the message says of the connection what its time stamp says. Of whom a token was
 * made for it does not tell, but for that: a link makes them for whoever sends across it, of
 * sequence numbers that he chooses.
 */
static bool xrto_is_of_connection(const struct sock *sk,
				  const struct xrto_message *msg)
{
	if (msg->quote.has_tsval)
		return xrto_timestamp_right(sk, &msg->quote);
	return !msg->keyed || !tcp_sk(sk)->rx_opt.tstamp_ok;
}

/* Why a message is not believed, XRTO_STATS_UNSPEC if it is. */
static enum xrto_stats xrto_disbelief(const struct sock *sk,
				      const struct xrto_message *msg,
				      unsigned long now)
{
	const struct xrto_quote *quote = &msg->quote;
	const struct tcp_sock *tp = tcp_sk(sk);

	if (!((1 << sk->sk_state) & XRTO_STATES) ||
	    sock_flag(sk, SOCK_DEAD) || tp->repair)
		return XRTO_STATS_STATE;
	if (before(quote->seq, tp->snd_una) || !before(quote->seq, tp->snd_nxt))
		return XRTO_STATS_SEQUENCE;
	if (!xrto_is_of_connection(sk, msg))
		return XRTO_STATS_TIMESTAMP;
	if (inet_csk(sk)->icsk_pending != ICSK_TIME_RETRANS)
		return XRTO_STATS_OTHER_TIMER;
	if (time_before_eq(tcp_timeout_expires(sk), now))
		return XRTO_STATS_EXPIRED;
	return XRTO_STATS_UNSPEC;
}

/* How long ago the oldest segment was sent last; jiffies, rounded up. */
static u32 xrto_head_age(const struct sock *sk)
{
	const struct sk_buff *skb = tcp_rtx_queue_head(sk);
	s64 age = skb ? tcp_clock_us() - tcp_skb_timestamp_us(skb) : 0;

	return usecs_to_jiffies(clamp_t(s64, age, 0, UINT_MAX));
}

/* The timeout that runs, and for how long it has: icsk_rto, which was the same when the timer
 * was set, before it is due; or less of it, where TCP_USER_TIMEOUT does not leave as much,
 * since the oldest segment was sent. Pacing may set the timer later; then it has not begun.
 */
static void xrto_measure(const struct sock *sk, unsigned long now, u32 *rto,
			 u32 *run)
{
	u32 left = tcp_timeout_expires(sk) - now;

	*rto = min(inet_csk(sk)->icsk_rto, left + xrto_head_age(sk));
	*run = *rto > left ? *rto - left : 0;
}

/* Whether the timer is still the one that the flow has set: TCP sets it anew when it expires,
 * and when new data are acknowledged.
 */
static bool xrto_is_current(const struct xrto_flow *flow, const struct sock *sk)
{
	return flow->machine.state != XRTO_NORMAL &&
	       flow->timer == tcp_timeout_expires(sk) &&
	       flow->snd_una == tcp_sk(sk)->snd_una;
}

/* How far from now the timer may be set, in jiffies: to where TCP_USER_TIMEOUT, which counts from
 * the first retransmission on, ends the connection, as where TCP itself sets it.
 */
static u32 xrto_farthest(const struct sock *sk)
{
	u32 user = READ_ONCE(inet_csk(sk)->icsk_user_timeout);
	u32 farthest = tcp_rto_max(sk), elapsed;

	if (!user || !tcp_sk(sk)->retrans_stamp)
		return farthest;
	elapsed = tcp_retrans_elapsed(tcp_sk(sk));
	return min_t(u32, farthest,
		     user > elapsed ? msecs_to_jiffies(user - elapsed) : 0);
}

static void xrto_set_timer(struct sock *sk, struct xrto_flow *flow,
			   unsigned long now, u32 timeout)
{
	inet_csk_reset_xmit_timer(sk, ICSK_TIME_RETRANS,
				  flow->begin + timeout - now, tcp_rto_max(sk));
	flow->timer = tcp_timeout_expires(sk);
	flow->snd_una = tcp_sk(sk)->snd_una;
}

/* What TCP's own estimate gives, without back-off; jiffies. */
static u32 xrto_estimate(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 estimate = tp->srtt_us ? __tcp_set_rto(tp) : TCP_TIMEOUT_INIT;

	return min_t(u32, estimate, tcp_rto_max(sk));
}

/* Set the timeout's value, unless TCP has set another one since: it has measured a round trip. */
static void xrto_set_value(struct sock *sk, struct xrto_flow *flow)
{
	struct inet_connection_sock *icsk = inet_csk(sk);

	if (icsk->icsk_rto != flow->set)
		return;
	icsk->icsk_rto = xrto_value(&flow->machine, flow->value,
				    xrto_estimate(sk));
	flow->set = icsk->icsk_rto;
	if (flow->machine.state == XRTO_RESUMED)
		icsk->icsk_backoff = 0;
}

/* The timer is another one than the flow has set: begin anew with this one. */
static void xrto_rearmed(const struct sock *sk, struct xrto_flow *flow,
			 struct xrto_timer *timer, unsigned long now)
{
	xrto_measure(sk, now, &timer->rto, &timer->run);
	xrto_step(&flow->machine, XRTO_REARMED, timer);
	flow->begin = now - timer->run;
	flow->value = inet_csk(sk)->icsk_rto;
	flow->set = flow->value;
}

static u32 xrto_rtt(const struct sock *sk)
{
	return usecs_to_jiffies(tcp_sk(sk)->srtt_us >> 3);
}

/* Let the connection's state change, and its timer and the timeout's value follow. */
static struct xrto_decision xrto_decide(struct sock *sk, struct xrto_flow *flow,
					const struct xrto_message *msg,
					unsigned long now)
{
	struct xrto_timer timer = {
		.rto = flow->machine.rto, .rtt = xrto_rtt(sk),
		.quarter = msg->quarter,
	};
	struct xrto_decision decision;

	if (!xrto_is_current(flow, sk))
		xrto_rearmed(sk, flow, &timer, now);
	timer.run = now - flow->begin;
	timer.due = tcp_timeout_expires(sk) - flow->begin;
	decision = xrto_step(&flow->machine, msg->event, &timer);
	if (decision.move) {
		decision.timeout = min(decision.timeout,
				       timer.run + xrto_farthest(sk));
		xrto_set_timer(sk, flow, now, decision.timeout);
		xrto_set_value(sk, flow);
	}
	trace_decision(sk, msg->event, &flow->machine, &timer, &decision);
	return decision;
}

/* Another DROP or DEFER is accepted after an eighth of the timeout, another LINK-UP after a
 * round-trip time. Of what was ignored there is nothing to remember.
 */
static void xrto_remember(struct xrto_flow *flow, const struct sock *sk,
			  enum xrto_event event, u64 now)
{
	if (event == XRTO_LINK_UP)
		flow->resume = now + max(xrto_rtt(sk), XRTO_EARLIEST);
	flow->again = now + DIV_ROUND_UP(inet_csk(sk)->icsk_rto, 8);
	flow->until = max3(flow->again, flow->resume,
			   now + (tcp_timeout_expires(sk) - (unsigned long)now));
}

static bool xrto_is_too_soon(const struct xrto_flow *flow,
			     enum xrto_event event, u64 now)
{
	return time_before64(now, event == XRTO_LINK_UP ? flow->resume :
							  flow->again);
}

static u64 xrto_cookie(struct sock *sk)
{
	u32 halves[2];

	sock_diag_save_cookie(sk, halves);
	return (u64)halves[1] << 32 | halves[0];
}

static enum xrto_stats xrto_believe(struct sock *sk, struct xrto_flows *flows,
				    const struct xrto_message *msg)
{
	u64 now = get_jiffies_64();
	enum xrto_stats verdict = xrto_disbelief(sk, msg, now);
	struct xrto_decision decision;
	struct xrto_flow *flow;

	if (verdict != XRTO_STATS_UNSPEC)
		return verdict;
	flow = xrto_flow_find(flows, xrto_cookie(sk), now);
	if (!flow)
		return XRTO_STATS_NO_ROOM;
	if (xrto_is_too_soon(flow, msg->event, now))
		return XRTO_STATS_TOO_SOON;
	decision = xrto_decide(sk, flow, msg, now);
	if (decision.move) {
		xrto_remember(flow, sk, msg->event, now);
		xrto_event_moved(sock_net(sk), &msg->quote, flow->machine.rto,
				 (unsigned long)now - flow->begin, &decision);
	}
	return decision.verdict;
}

static enum xrto_stats xrto_socket_locked(struct sock *sk,
					  struct xrto_flows *flows,
					  const struct xrto_message *msg)
{
	enum xrto_stats verdict = XRTO_STATS_BUSY;

	bh_lock_sock(sk);
	if (!sock_owned_by_user(sk))
		verdict = xrto_believe(sk, flows, msg);
	bh_unlock_sock(sk);
	return verdict;
}

/**
 * xrto_socket_message() - act on a message
 * @net: the namespace
 * @flows: of this namespace; only one at a time uses it
 * @msg: the message
 *
 * Context: process
 *
 * Return: what was done, or why nothing was
 */
static enum xrto_stats xrto_socket_message(struct net *net,
					   struct xrto_flows *flows,
					   const struct xrto_message *msg)
{
	enum xrto_stats verdict = XRTO_STATS_STATE;
	struct sock *sk;

	local_bh_disable();
	rcu_read_lock();
	sk = xrto_lookup(net, msg);
	if (sk && sk_fullsock(sk))
		verdict = xrto_socket_locked(sk, flows, msg);
	rcu_read_unlock();
	local_bh_enable();
	if (!sk)
		return XRTO_STATS_NO_SOCKET;
	sock_gen_put(sk);
	return verdict;
}

#define XRTO_INBOX_SIZE		64	/* messages, a power of 2 */
/* No more than 1000 messages a second are looked into, of whatever origin: a connection
 * takes eight per timeout, and 200 ms are the shortest.
 */
#define XRTO_INBOX_BURST	100
#define XRTO_INBOX_PERIOD	(HZ / 10)

/**
 * struct xrto_inbox - a namespace's
 * @net: the namespace
 * @work: empties it
 * @lock: of those who add to @messages
 * @messages: first in, first out
 * @rate: how many may come
 * @flows: used by @work alone
 */
struct xrto_inbox {
	struct net *net;
	struct work_struct work;
	spinlock_t lock;	/* see above */
	DECLARE_KFIFO(messages, struct xrto_message, XRTO_INBOX_SIZE);
	struct ratelimit_state rate;
	struct xrto_flows flows;
};

static void xrto_inbox_work(struct work_struct *work)
{
	struct xrto_inbox *inbox = container_of(work, struct xrto_inbox, work);
	struct xrto_net *xn = xrto_net(inbox->net);
	struct xrto_message msg;

	while (kfifo_get(&inbox->messages, &msg)) {
		xrto_count(xn, xrto_socket_message(inbox->net, &inbox->flows,
						   &msg));
		cond_resched();
	}
}

/**
 * xrto_inbox_new() - make an empty one
 * @net: the namespace
 *
 * Return: the inbox, NULL without memory
 */
struct xrto_inbox *xrto_inbox_new(struct net *net)
{
	struct xrto_inbox *inbox = kvzalloc(sizeof(*inbox), GFP_KERNEL_ACCOUNT);

	if (!inbox)
		return NULL;
	inbox->net = net;
	INIT_WORK(&inbox->work, xrto_inbox_work);
	spin_lock_init(&inbox->lock);
	INIT_KFIFO(inbox->messages);
	ratelimit_state_init(&inbox->rate, XRTO_INBOX_PERIOD, XRTO_INBOX_BURST);
	/* what it suppresses is counted, not logged */
	ratelimit_set_flags(&inbox->rate, RATELIMIT_MSG_ON_RELEASE);
	return inbox;
}

/**
 * xrto_inbox_free() - the end of one that nobody adds to any more
 * @inbox: the inbox; what waits in it is acted on first
 *
 * Context: process
 */
void xrto_inbox_free(struct xrto_inbox *inbox)
{
	flush_work(&inbox->work);
	kvfree(inbox);
}

/**
 * xrto_inbox_add() - have a message acted on
 * @inbox: the inbox
 * @msg: the message
 *
 * One that there is no room or no time for is counted.
 *
 * Context: any
 */
void xrto_inbox_add(struct xrto_inbox *inbox, const struct xrto_message *msg)
{
	struct xrto_net *xn = xrto_net(inbox->net);

	if (!__ratelimit(&inbox->rate))
		xrto_count(xn, XRTO_STATS_HELD);
	else if (!kfifo_in_spinlocked(&inbox->messages, msg, 1, &inbox->lock))
		xrto_count(xn, XRTO_STATS_QUEUE_FULL);
	else
		schedule_work(&inbox->work);
}
