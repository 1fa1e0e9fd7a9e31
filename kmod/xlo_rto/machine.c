// SPDX-License-Identifier: GPL-2.0
/*
 * The state machine of a retransmission timeout. The state machine decides how a message changes
 * the pending timer.
 *
 * Source: T. V. Prabhakar, J. Kuri et al., "An Adaptive Timeout Scheme for Short TCP
 * Flows over 3G Wireless Networks", section II. In the table, a is the timeout, and b is the time
 * since the timer was set. The numbers in the table are the paper's cases.
 *
 *   NORMAL    DROP    early           3  ignored, packets may be in flight
 *                     b > 3a/4        1  time out immediately: PREMATURE
 *                     b <= 3a/4       2  time out at b + a/4: PREMATURE
 *             DEFER                      ignored
 *   PREMATURE DROP                    4  ignored
 *             DEFER                   6  the short timeout is cancelled: WAITING
 *   WAITING   DROP                   11  PREMATURE, with the same short timeout
 *             DEFER                  12  ignored
 *             b = a                      EXTENDED
 *   EXTENDED  DROP                    7  PREMATURE, with the same short timeout
 *             DEFER                  10  one more deferral, at most 3
 *   any       the timer fires 8, 9, or TCP sets it again because an acknowledgment of
 *             new data arrived 5         NORMAL
 *
 * In EXTENDED the timer fires at a + (1 + deferrals) a/4. No event occurs at b = a. The state
 * WAITING has already set the timer to a + a/4, and is treated as EXTENDED from b = a on. No
 * timeout moves beyond 2a. A message never moves a timeout to a time before XRTO_EARLIEST. An
 * original timeout before XRTO_EARLIEST does not move to a later time because of this limit. After
 * a timeout, TCP alone decides about back-off and congestion control.
 *
 * A DROP is early while b is less than the smoothed round-trip time. In the paper a DROP is early
 * while b is less than a/4. After several back-offs, however, a/4 is longer than a link tries to
 * send a packet. The paper's rule would then ignore each DROP. The paper's rule applies only if the
 * user has chosen it (XRTO_EARLY_QUARTER), or if no round trip has been measured.
 *
 * In PREMATURE, TCP doubles the short timeout to compute the next timeout (xrto_value()).
 *
 * LINK-UP is not in the paper. LINK-UP says that the channel is good again. After a LINK-UP in any
 * state, TCP times out immediately, and its back-off ends. This timeout is delayed only until both
 * a round-trip time and XRTO_EARLIEST have passed since the timer was set. The state after a
 * LINK-UP is RESUMED, in which DROP and DEFER are ignored.
 */

#include <linux/minmax.h>
#include "machine.h"

static struct xrto_decision xrto_ignore(enum xrto_stats verdict)
{
	return (struct xrto_decision){ .verdict = verdict };
}

/* Make TCP time out at @timeout, or now if @timeout has passed. */
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

/* Make TCP time out as soon as both a round-trip time and XRTO_EARLIEST have passed since the timer
 * was set, because TCP must not send a second copy of a segment earlier. The timeout is never later
 * than without the message.
 */
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
 * xrto_step() - change the state after a message, or after TCP has set the timer again
 * @m: the state of the connection; the function updates it
 * @event: a message, or XRTO_REARMED if TCP has set the timer since the last change of @m
 * @timer: the current timer
 *
 * Return: instructions for the caller. After XRTO_REARMED the caller does nothing, and the verdict
 * is XRTO_STATS_UNSPEC
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
 * xrto_value() - the value of TCP's timeout (icsk_rto) in a state
 * @m: the state of the connection
 * @value: the value before the first message, in jiffies
 * @least: TCP's estimate of the value without back-off, in jiffies
 *
 * TCP doubles the value for the next timeout.
 *
 * Return: the value in jiffies, at most @value, and at least the minimum of @value and @least
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
