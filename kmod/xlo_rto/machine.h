/* SPDX-License-Identifier: GPL-2.0 */
/* What a message does to a running retransmission timeout: see machine.c. */
#ifndef _XLO_RTO_MACHINE_H
#define _XLO_RTO_MACHINE_H

#include <linux/bits.h>
#include <linux/jiffies.h>
#include <linux/types.h>
#include <linux/xlo_rto.h>
#include <linux/xlo_rto_genl.h>

#define XRTO_DEFERRALS_MAX	3
/* Linux's own shortest timeout, TCP_RTO_MIN; in jiffies */
#define XRTO_EARLIEST		((u32)HZ / 5)
/* The longest timeout; of one that has run for almost twice as long four times that fit u32 */
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
 * struct xrto_timer - the retransmission timer that runs; all in jiffies
 * @rto: a, of which the machine takes note in NORMAL; at most XRTO_RTO_MAX
 * @run: b, the time since the timer began; less than 2 @rto
 * @due: when it expires, since it began; not less than @run
 * @rtt: the smoothed round-trip time; 0 if it is not known
 * @quarter: a DROP is early in the first quarter of @rto, as in the paper
 */
struct xrto_timer {
	u32 rto;
	u32 run;
	u32 due;
	u32 rtt;
	bool quarter;
};

/**
 * struct xrto_machine - where a connection's timeout stands; all 0 is NORMAL
 * @state: enum xrto_state
 * @deferrals: how often it was extended again, 0 to XRTO_DEFERRALS_MAX
 * @rto: a, the timeout that ran when NORMAL was left; jiffies
 * @premature: PREMATURE's timeout; jiffies since the timer began
 */
struct xrto_machine {
	u8 state;
	u8 deferrals;
	u32 rto;
	u32 premature;
};

/**
 * struct xrto_decision - what is to be done
 * @verdict: the counter of enum xrto_stats that says what
 * @move: the timer is to be set
 * @timeout: to what, jiffies since it began; not before now
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
