// SPDX-License-Identifier: GPL-2.0
/*
 * What a message does to a running retransmission timeout.
 *
 * After T. V. Prabhakar, J. Kuri et al., "An Adaptive Timeout Scheme for Short TCP
 * Flows over 3G Wireless Networks", section II. a is the timeout that runs, b how far
 * it has run; the numbers are the paper's cases:
 *
 *   NORMAL    DROP    early           3  ignored, packets are in flight
 *                     b > 3a/4        1  time out at once
 *                     b <= 3a/4       2  time out at b + a/4: PREMATURE
 *             DEFER                      ignored
 *   PREMATURE DROP                    4  ignored
 *             DEFER                   6  its timeout is off: WAITING
 *   WAITING   DROP                   11  PREMATURE and its timeout
 *             DEFER                  12  ignored
 *             a has run out              EXTENDED
 *   EXTENDED  DROP                    7  PREMATURE and its timeout
 *             DEFER                  10  one deferral more, at most 3
 *   any       the timer has expired 8, 9, or is set anew for an acknowledgment of new
 *             data 5                     NORMAL
 *
 * EXTENDED times out at a + (1 + deferrals) a/4. Nobody needs to see a run out: WAITING
 * sets the timer to that already, and is EXTENDED from b = a on. No timeout is moved to
 * before XRTO_EARLIEST, unless it was there, nor beyond 2a. What follows a timeout, back-off
 * and congestion control, is TCP's own.
 *
 * A DROP is early while b is less than the smoothed round-trip time. In the paper it is while b
 * is less than a/4; but after some back-off a/4 is longer than a link takes to give up.
 *
 * In PREMATURE the value that TCP doubles for the next timeout is the shortened one (xrto_value()).
 *
 * LINK-UP, which the paper does not have, says that the channel is good again. In any state TCP
 * times out at once, though not before its last transmission is a round-trip time old, and has no
 * back-off any more: RESUMED. There nothing else counts.
 */

#include <linux/minmax.h>
#include "machine.h"

static struct xrto_decision xrto_ignore(enum xrto_stats verdict)
{
	return (struct xrto_decision){ .verdict = verdict };
}

/* Time out at @timeout, or now if that has passed. */
static struct xrto_decision xrto_move(enum xrto_stats verdict,
				      u32 timeout, u32 run)
{
	return (struct xrto_decision){
		.verdict = verdict, .move = true, .timeout = max(timeout, run),
	};
}

static struct xrto_decision xrto_shorten(struct xrto_machine *m,
					 enum xrto_stats verdict,
					 u32 timeout, u32 rto, u32 run)
{
	m->state = XRTO_PREMATURE;
	m->rto = rto;
	m->premature = max(timeout, min(rto, XRTO_EARLIEST));
	return xrto_move(verdict, m->premature, run);
}

static struct xrto_decision xrto_extend(struct xrto_machine *m,
					enum xrto_stats verdict, u32 run)
{
	return xrto_move(verdict,
			 m->rto + (1 + m->deferrals) * m->rto / 4, run);
}

static bool xrto_is_early(const struct xrto_timer *timer)
{
	if (timer->quarter || !timer->rtt)
		return 4 * timer->run < timer->rto;
	return timer->run < timer->rtt;
}

static struct xrto_decision
xrto_step_normal(struct xrto_machine *m, enum xrto_event event,
		 const struct xrto_timer *timer)
{
	u32 rto = timer->rto, run = timer->run;

	if (event == XRTO_DEFER)
		return xrto_ignore(XRTO_STATS_DEFER_NORMAL);
	if (xrto_is_early(timer))
		return xrto_ignore(XRTO_STATS_IN_FLIGHT);
	if (4 * run > 3 * rto)
		return xrto_shorten(m, XRTO_STATS_AT_ONCE, run, rto, run);
	return xrto_shorten(m, XRTO_STATS_SHORTENED, run + rto / 4, rto, run);
}

static struct xrto_decision
xrto_step_premature(struct xrto_machine *m, enum xrto_event event, u32 run)
{
	if (event == XRTO_DROP)
		return xrto_ignore(XRTO_STATS_DROP_AGAIN);
	m->state = XRTO_WAITING;
	return xrto_extend(m, XRTO_STATS_CANCELLED, run);
}

static struct xrto_decision xrto_back(struct xrto_machine *m, u32 run)
{
	m->state = XRTO_PREMATURE;
	return xrto_move(XRTO_STATS_BACK, m->premature, run);
}

static struct xrto_decision
xrto_step_extended(struct xrto_machine *m, enum xrto_event event, u32 run)
{
	if (event == XRTO_DROP)
		return xrto_back(m, run);
	if (m->deferrals == XRTO_DEFERRALS_MAX)
		return xrto_ignore(XRTO_STATS_DEFER_MOST);
	m->deferrals++;
	return xrto_extend(m, XRTO_STATS_EXTENDED, run);
}

/* At once, but neither later than without the message, nor a second copy within a round trip. */
static struct xrto_decision
xrto_resume(struct xrto_machine *m, const struct xrto_timer *timer)
{
	u32 timeout = max(timer->rtt, XRTO_EARLIEST);

	m->state = XRTO_RESUMED;
	m->rto = timer->rto;
	return xrto_move(XRTO_STATS_LINK_UP, min(timeout, timer->due),
			 timer->run);
}

static struct xrto_decision xrto_step_resumed(enum xrto_event event)
{
	return xrto_ignore(event == XRTO_DROP ? XRTO_STATS_DROP_AGAIN :
						XRTO_STATS_DEFER_NORMAL);
}

/**
 * xrto_step() - let a message or the timer's end change the state
 * @m: the connection's; altered
 * @event: XRTO_REARMED says that the timer is not the one that @m is about
 * @timer: the timer as it runs now
 *
 * Return: what is to be done; nothing, and no verdict, for XRTO_REARMED
 */
struct xrto_decision xrto_step(struct xrto_machine *m, enum xrto_event event,
			       const struct xrto_timer *timer)
{
	u32 run = timer->run;

	if (event == XRTO_REARMED) {
		*m = (struct xrto_machine){ 0 };
		return xrto_ignore(XRTO_STATS_UNSPEC);
	}
	if (event == XRTO_LINK_UP)
		return xrto_resume(m, timer);
	if (m->state == XRTO_WAITING && run >= m->rto)
		m->state = XRTO_EXTENDED;
	switch (m->state) {
	case XRTO_PREMATURE:
		return xrto_step_premature(m, event, run);
	case XRTO_WAITING:
		return event == XRTO_DROP ? xrto_back(m, run) :
					    xrto_ignore(XRTO_STATS_DEFER_AGAIN);
	case XRTO_EXTENDED:
		return xrto_step_extended(m, event, run);
	case XRTO_RESUMED:
		return xrto_step_resumed(event);
	default:
		return xrto_step_normal(m, event, timer);
	}
}

/**
 * xrto_value() - the timeout's value that goes with a state; TCP doubles it for the next timeout
 * @m: the connection's
 * @value: what it was before any message; jiffies
 * @least: what TCP's estimate gives without back-off; jiffies
 *
 * Return: the value; never more than @value, nor less than @least unless @value is
 */
u32 xrto_value(const struct xrto_machine *m, u32 value, u32 least)
{
	switch (m->state) {
	case XRTO_PREMATURE:
		return min(value, max(m->premature, least));
	case XRTO_RESUMED:
		return min(value, least);
	default:
		return value;
	}
}
