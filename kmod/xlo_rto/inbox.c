// SPDX-License-Identifier: GPL-2.0
/*
 * The path of a message from the hook to the timer of a socket. The hook may run while TCP holds
 * the lock of the socket. The hook therefore puts the message into a queue of fixed size. A work
 * item acts on the message in process context.
 *
 * The work item decides whether the message is trustworthy (RFC 5927 section 4) and how it changes
 * the timeout. The work item accesses fields of TCP only with the lock of the socket, and only
 * while no process owns the socket (sock_owned_by_user()). TCP follows the same rules when it
 * receives an ICMP error.
 *
 * The core has no function that changes a pending timeout because of a message. This file
 * therefore finds the socket and the segment, and writes icsk_rto and icsk_backoff itself.
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
 * @cookie: cookie of the socket; 0 if this entry is free. Another socket never gets the same
 *	cookie, but may get the same address and ports.
 * @timer: time at which the timer of @machine fires; jiffies
 * @begin: time at which the timer of @machine was set; jiffies
 * @snd_una: the first unacknowledged sequence number when the timer of @machine was set
 * @machine: the state of the timeout
 * @value: the value of the timeout (icsk_rto) before the first message; jiffies
 * @set: the value of the timeout that this file has set last; jiffies
 * @again: time from which another DROP or DEFER is accepted; 64-bit jiffies
 * @resume: time from which another LINK-UP is accepted; 64-bit jiffies
 * @until: time from which this entry may be deleted; 64-bit jiffies
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
 * struct xrto_flows - the connections of a network namespace whose timeouts have been moved
 * @flow: the connections, divided into sets; a hash of the socket's cookie selects the set
 *
 * A socket has no field for the state of a module. Therefore this table stores the state. The table
 * has a fixed size, so messages allocate no memory, and no memory is freed when a connection ends.
 * An entry expires when its timer is due, or a little later.
 */
struct xrto_flows {
	struct xrto_flow flow[XRTO_FLOW_SETS][XRTO_FLOW_WAYS];
};

/* Find the entry of a connection, or make a new entry. A new entry is all 0 except for its cookie.
 * Returns NULL if all entries of the connection's set are in use. A new entry replaces only an
 * expired entry. An attacker can own many connections with trusted messages, and must not be able
 * to evict other users' entries.
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

static_assert(TCP_RTO_MAX <= XRTO_RTO_MAX);

/* The connection states in which data may be in flight */
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

/* Find the segment in flight that contains this sequence number. */
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

/* Check whether the timestamp belongs to the segment's last transmission. The loss of an earlier
 * copy does not concern the pending timer.
 */
static bool xrto_timestamp_right(const struct sock *sk,
				 const struct xrto_quote *quote)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	const struct sk_buff *skb = xrto_segment(sk, quote->seq);

	return skb && tp->rx_opt.tstamp_ok &&
	       quote->tsval == tcp_skb_tsval(tp, skb);
}

/* Check whether the timestamp shows that the message belongs to this connection. If a key is set
 * and the connection uses timestamps, the quote must contain a timestamp. The token alone does not
 * identify the connection, because it covers no addresses and no ports. A link makes tokens for
 * every host that sends through this link. Each of these hosts can get a token for any sequence
 * number.
 */
static bool xrto_is_of_connection(const struct sock *sk,
				  const struct xrto_message *msg)
{
	if (msg->quote.has_tsval)
		return xrto_timestamp_right(sk, &msg->quote);
	return !msg->keyed || !tcp_sk(sk)->rx_opt.tstamp_ok;
}

/* Get the reason why a message is not trusted, or XRTO_STATS_UNSPEC if the message is trusted. */
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

/* Get the time since the last transmission of the oldest segment, in jiffies, rounded up. */
static u32 xrto_head_age(const struct sock *sk)
{
	const struct sk_buff *skb = tcp_rtx_queue_head(sk);
	s64 age = skb ? tcp_clock_us() - tcp_skb_timestamp_us(skb) : 0;

	return usecs_to_jiffies(clamp_t(s64, age, 0, UINT_MAX));
}

/* Measure the timeout of the pending timer, and the time since the timer was set. The timeout is
 * icsk_rto, which TCP rarely changes without setting the timer again. TCP_USER_TIMEOUT can make the
 * timer shorter. With a shorter timer, the timeout runs from the last transmission of the oldest
 * segment until the timer fires. Pacing can make the timer longer than icsk_rto. While more than
 * icsk_rto is left until the timer fires, the timeout has not begun yet.
 */
static void xrto_measure(const struct sock *sk, unsigned long now, u32 *rto,
			 u32 *run)
{
	u32 left = tcp_timeout_expires(sk) - now;

	*rto = min(inet_csk(sk)->icsk_rto, left + xrto_head_age(sk));
	*run = *rto > left ? *rto - left : 0;
}

/* Check whether the pending timer is still the timer that this file has set. TCP sets the timer
 * again when it fires, and when an acknowledgment restarts it.
 */
static bool xrto_is_current(const struct xrto_flow *flow, const struct sock *sk)
{
	return flow->machine.state != XRTO_NORMAL &&
	       flow->timer == tcp_timeout_expires(sk) &&
	       flow->snd_una == tcp_sk(sk)->snd_una;
}

/* Get the longest time to which the timer may be set, in jiffies from now. TCP_USER_TIMEOUT starts
 * at the first retransmission. TCP makes the timer fire when TCP_USER_TIMEOUT ends.
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

/* Get TCP's own estimate of the timeout without back-off, in jiffies. */
static u32 xrto_estimate(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 estimate = tp->srtt_us ? __tcp_set_rto(tp) : TCP_TIMEOUT_INIT;

	return min_t(u32, estimate, tcp_rto_max(sk));
}

/* Set the value of the timeout, unless TCP has changed the value since this file last set it. TCP
 * changes the value when TCP measures a round trip.
 */
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

/* Start again with the current timer, because TCP has set the timer again. */
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

/* Change the state of the connection, and then its timer and the value of its timeout. */
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
	trace_xrto_decision(sk, msg->event, &flow->machine, &timer, &decision);
	return decision;
}

/* Remember a message that has moved a timer. An ignored message is not remembered. Another DROP or
 * DEFER is accepted after an eighth of the timeout, and another LINK-UP after a round-trip time,
 * or after XRTO_EARLIEST if that is longer.
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

/* Get the cookie of a socket. The core does not export __sock_gen_cookie(), only this wrapper. */
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

/* Act on a message. Returns the counter that describes the action or the refusal. */
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

#define XRTO_INBOX_SIZE		64	/* number of messages, a power of 2 */
/* Act on at most 1000 messages per second, from all sources together. A connection accepts at most
 * eight messages per timeout, and a timeout is rarely shorter than 200 ms.
 *
 * A shared limit can be a side channel. The limit of ICMP errors was a side channel
 * (CVE-2020-25705). The limit of this file reveals only the number of received messages. A message
 * is counted before it is compared with any connection, so the limit reveals no ports and no
 * sequence numbers. Random variation of the limit would not hide anything else.
 */
#define XRTO_INBOX_BURST	100
#define XRTO_INBOX_PERIOD	(HZ / 10)

/**
 * struct xrto_inbox - the accepted messages of a network namespace
 * @net: the network namespace
 * @work: acts on the messages
 * @lock: serialises the functions that add to @messages
 * @messages: the messages, first in, first out
 * @rate: limits the rate of messages
 * @flows: connections whose timeouts have been moved; only @work uses them
 */
struct xrto_inbox {
	struct net *net;
	struct work_struct work;
	spinlock_t lock;	/* serialises the functions that add to @messages */
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
 * xrto_inbox_new() - make an empty inbox
 * @net: the network namespace of the inbox
 *
 * Context: process
 *
 * Return: the inbox, or NULL if no memory is available
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
	/* a counter replaces the log message about suppressed calls */
	ratelimit_set_flags(&inbox->rate, RATELIMIT_MSG_ON_RELEASE);
	return inbox;
}

/**
 * xrto_inbox_free() - act on all pending messages, and free the inbox
 * @inbox: the inbox, to which no more messages are added
 *
 * Context: process
 */
void xrto_inbox_free(struct xrto_inbox *inbox)
{
	flush_work(&inbox->work);
	kvfree(inbox);
}

/**
 * xrto_inbox_add() - add a message, or count the message if a limit refuses it
 * @inbox: the inbox
 * @msg: the message; the function copies it
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
