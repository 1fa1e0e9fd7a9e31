/* SPDX-License-Identifier: GPL-2.0 */
/* Where the timeouts of connections stand, apart from their sockets. */
#ifndef _XLO_RTO_FLOW_H
#define _XLO_RTO_FLOW_H

#include <linux/bits.h>
#include <linux/types.h>
#include "machine.h"

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

struct xrto_flow *xrto_flow_find(struct xrto_flows *flows, u64 cookie, u64 now);

#endif /* _XLO_RTO_FLOW_H */
