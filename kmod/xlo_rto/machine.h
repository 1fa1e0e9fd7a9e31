/* SPDX-License-Identifier: GPL-2.0 */
/* The state machine of a retransmission timeout. The table of its transitions is in machine.c. */
#ifndef _XLO_RTO_MACHINE_H
#define _XLO_RTO_MACHINE_H

#include <linux/bits.h>
#include <linux/jiffies.h>
#include <linux/types.h>
#include <linux/xlo_rto.h>
#include <linux/xlo_rto_genl.h>

#define XRTO_DEFERRALS_MAX	3
/* the default minimum timeout of Linux (TCP_RTO_MIN) in jiffies */
#define XRTO_EARLIEST		((u32)HZ / 5)
/* The longest timeout. A timer may have run for almost twice the timeout, and four times this
 * duration must fit into u32.
 */
#define XRTO_RTO_MAX		((u32)BIT(29))

enum xrto_state {
	XRTO_NORMAL,
	XRTO_PREMATURE,
	XRTO_WAITING,
	XRTO_EXTENDED,
	XRTO_RESUMED,
};

enum xrto_event {
	XRTO_DROP = XRTO_CODE_DROP,
	XRTO_DEFER = XRTO_CODE_DEFER,
	XRTO_LINK_UP = XRTO_CODE_LINK_UP,
	XRTO_REARMED,
};

/**
 * struct xrto_timer - the pending retransmission timer; all times in jiffies
 * @rto: the timeout, a in the table, at most XRTO_RTO_MAX; read only in the state NORMAL and for
 *	LINK-UP
 * @run: b in the table, the time since the timer was set, less than 2 @rto
 * @due: the time between setting and firing of the timer, at least @run
 * @rtt: the smoothed round-trip time, or 0 if it is unknown
 * @quarter: whether a DROP is early during the first quarter of @rto, as in the paper
 */
struct xrto_timer {
	u32 rto;
	u32 run;
	u32 due;
	u32 rtt;
	bool quarter;
};

/**
 * struct xrto_machine - the state of a connection's timeout; all bytes 0 is NORMAL
 * @state: enum xrto_state
 * @deferrals: number of deferrals after the first deferral, 0 to XRTO_DEFERRALS_MAX
 * @rto: a in the table, the timeout that was running when the machine left NORMAL, in jiffies
 * @premature: the timeout in PREMATURE in jiffies, counted from the time at which the timer was set
 */
struct xrto_machine {
	u8 state;
	u8 deferrals;
	u32 rto;
	u32 premature;
};

/**
 * struct xrto_decision - instructions for the caller
 * @verdict: the counter to increment
 * @move: whether to set the timer
 * @timeout: the new timeout in jiffies, counted from the time at which the timer was set; not less
 *	than the time that has passed since then
 */
struct xrto_decision {
	enum xrto_stats verdict;
	bool move;
	u32 timeout;
};

struct xrto_decision xrto_step(struct xrto_machine *m, enum xrto_event event,
			       const struct xrto_timer *timer);
u32 xrto_value(const struct xrto_machine *m, u32 value, u32 least);

#endif /* _XLO_RTO_MACHINE_H */
