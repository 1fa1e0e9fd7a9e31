/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trial of freshlink doctor: probes without load, packets with the option, and a load with
 * probes behind it.
 *
 * All packets are test packets of STAMP. The packets of the load have the length of the MTU, and
 * wait in the qdiscs as other packets do. The answers say how late each packet was on the way to
 * the reflector.
 */
#ifndef FRESHLINK_TRIAL_H
#define FRESHLINK_TRIAL_H

#include "../doctor/facts.h"
#include "netlink.h"
#include "prober.h"

/**
 * struct shot - a packet
 * @sent: time at which the program sent the packet
 * @reached: time at which the reflector received the packet, on the reflector's clock
 * @heard: time at which the answer arrived, 0 without an answer
 */
struct shot {
	int64_t sent;
	int64_t reached;
	int64_t heard;
};

/**
 * struct shots - the packets of one socket
 * @prober: the socket
 * @count: number of packets
 * @list: the packets
 */
struct shots {
	struct prober prober;
	uint32_t count;
	struct shot list[PROBER_ASKED];
};

/**
 * struct trial - a trial
 * @facts: the facts; the trial writes @trial and the qdiscs
 * @route: a socket of NETLINK_ROUTE
 * @ifindex: index of the device
 * @probe: probes, which lpd sends before all other packets, unless freshlink pace is running
 * @option: packets with the option
 * @load: packets of the load
 * @loaded: time at which the newest load was sent, 0 without load
 * @forward: least delay of a probe on the way to the reflector, plus the difference of the clocks
 */
struct trial {
	struct doctor_facts *facts;
	struct netlink *route;
	unsigned int ifindex;
	struct shots probe;
	struct shots option;
	struct shots load;
	int64_t loaded;
	int64_t forward;
};

#define TRIAL_SECONDS	12	/* longest time of a trial */

/**
 * trial_open - open the sockets
 * @t: the trial. The caller sets @facts, @route, @ifindex, and the hosts and the key of the prober
 *	of @probe
 *
 * Return: whether trial_run() may be called. If not, the state in the facts has the reason
 */
bool trial_open(struct trial *t);

/** trial_bytes - greatest number of bytes that the trial sends, with the headers of the link */
uint32_t trial_bytes(const struct trial *t);

/**
 * trial_run - send all packets, and write the results into the facts
 *
 * Return: false after a signal
 */
bool trial_run(struct trial *t);

/** trial_close - close the sockets */
void trial_close(struct trial *t);

#endif
