/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Generic netlink family "lpd", which sets the gate of an lpd qdisc.
 *
 * A gate limits how many bytes wait below lpd, for example in a modem. A program sends probes
 * through the link and reports to lpd which probes were answered. The answer to a probe says
 * that all bytes sent before the probe have left the modem. lpd counts the bytes that it sends.
 * lpd sends packets while
 *
 *   bytes sent - bytes sent when the newest acknowledged probe left <= window
 *
 * After a packet has exceeded the window, lpd sends no packet except probes. Packets expire as
 * usual while the gate is closed. lpd segments GSO packets before the gate.
 *
 * A probe is a packet with the priority LPD_PRIORITY_PROBE, from a socket in the network namespace
 * of the device. lpd sends a probe before all other packets, even if the gate is closed. A probe
 * has no lifetime. At most LPD_PROBES_MAX probes are queued in lpd, and lpd drops further probes.
 * The limits of the queue do not count probes.
 * The socket that sends probes needs SO_TIMESTAMPING with SOF_TIMESTAMPING_OPT_ID and with
 * SOF_TIMESTAMPING_TX_SCHED or SOF_TIMESTAMPING_TX_SOFTWARE. The kernel then numbers the
 * datagrams of the socket from 0, and this number identifies the probe. lpd knows the last
 * LPD_PROBES_NOTED probes that left.
 *
 * Only the root qdisc of a device can have a gate. Below a parent, a closed gate would stop
 * the other classes. On a device with several queues the default root is mq. Replace mq by
 * one lpd: tc qdisc replace dev DEV root lpd.
 *
 * The first LPD_CMD_GATE_SET makes the gate. Before the first acknowledgment, the window limits
 * the bytes since the gate was made. The kernel opens the gate LPD_GATE_TIMEOUT_MS after the last
 * LPD_CMD_GATE_SET. An open gate is like no gate: probes are ordinary packets, and the
 * configuration's rate and delay apply. The next LPD_CMD_GATE_SET makes a new gate, which knows
 * no earlier probes.
 *
 *   LPD_CMD_GATE_SET needs IFINDEX and WINDOW. PROBE, RATE and DELAY are optional. A missing
 *   RATE or DELAY keeps the last value of the gate, at first the value of the qdisc's
 *   configuration. The answer has the attributes of LPD_CMD_GATE_GET. With PROBE, the answer also
 *   has PROBE_BYTES, PROBE_TIME and, if true, PROBE_IDLE of this probe.
 *
 *   LPD_CMD_GATE_GET needs IFINDEX. The answer has IFINDEX, WINDOW, RATE, DELAY, BYTES, ACKED,
 *   BACKLOG and NOW, which are all read at the same time. A dump has such an answer for each
 *   gate of the network namespace.
 *
 *   LPD_CMD_GATE_DEL needs IFINDEX and opens the gate.
 *
 * A change needs CAP_NET_ADMIN in the user namespace that owns the network namespace.
 * Reading needs no privilege. A request is applied as a whole or not at all. A refusal carries an
 * extended ack. If all needed attributes are there and in their ranges, the errors are ENODEV (no
 * such device), EOPNOTSUPP (the device's root qdisc is not lpd), ENOENT (lpd does not know the
 * probe, or there is no gate) and ENOMEM.
 */
#ifndef _UAPI_LINUX_LPD_GENL_H
#define _UAPI_LINUX_LPD_GENL_H

#include <linux/types.h>

#define LPD_GENL_NAME		"lpd"
#define LPD_GENL_VERSION	1

#define LPD_PRIORITY_PROBE	0x6c706470U	/* skb->priority of probes, above 6 */
#define LPD_PROBES_MAX		8		/* maximum number of probes queued in lpd */
#define LPD_PROBES_NOTED	256		/* number of sent probes that lpd knows */
#define LPD_GATE_TIMEOUT_MS	3000

/**
 * enum lpd_cmd - requests
 * @LPD_CMD_UNSPEC: unused
 * @LPD_CMD_GATE_SET: make or change a gate, and acknowledge a probe
 * @LPD_CMD_GATE_GET: read a gate, or dump all gates
 * @LPD_CMD_GATE_DEL: open a gate
 */
enum lpd_cmd {
	LPD_CMD_UNSPEC,
	LPD_CMD_GATE_SET,
	LPD_CMD_GATE_GET,
	LPD_CMD_GATE_DEL,

	__LPD_CMD_MAX,
};

#define LPD_CMD_MAX (__LPD_CMD_MAX - 1)

/**
 * enum lpd_attr - attributes of all messages
 * @LPD_A_UNSPEC: unused
 * @LPD_A_PAD: padding of 64-bit attributes
 * @LPD_A_IFINDEX: u32, index of an interface in the network namespace
 * @LPD_A_PROBE: u32, number of an answered probe
 * @LPD_A_WINDOW: u64, bytes
 * @LPD_A_RATE: u64, estimated rate of the link below in bytes/s, at least 1 in a request.
 *	While the gate exists, the estimate replaces the qdisc's TCA_LPD_RATE. lpd uses a new
 *	estimate when it differs by at least a quarter from the rate in use, and at most once a
 *	second. In answers: the rate in use, 0 for unlimited
 * @LPD_A_DELAY: u64, estimated delay of the link below in ns, at most TC_LPD_DELAY_MAX. While
 *	the gate exists, the estimate replaces the qdisc's TCA_LPD_DELAY
 * @LPD_A_PROBE_BYTES: u64, lpd's count of bytes sent when the probe left. The count includes
 *	the probe
 * @LPD_A_PROBE_TIME: s64, when the probe left, ns on CLOCK_MONOTONIC
 * @LPD_A_PROBE_IDLE: flag: between the previous probe and this one, the gate was open at a
 *	time when lpd had no packet to send
 * @LPD_A_BYTES: u64, lpd's count of bytes sent, which includes probes. The lengths are those
 *	that "tc -s" counts
 * @LPD_A_ACKED: u64, lpd's count of bytes sent when the newest acknowledged probe left. Before the
 *	first acknowledgment, the count when the gate was made
 * @LPD_A_BACKLOG: u32, bytes that wait in the qdisc
 * @LPD_A_NOW: s64, time of the answer, ns on CLOCK_MONOTONIC
 */
enum lpd_attr {
	LPD_A_UNSPEC,
	LPD_A_PAD,
	LPD_A_IFINDEX,
	LPD_A_PROBE,
	LPD_A_WINDOW,
	LPD_A_RATE,
	LPD_A_DELAY,
	LPD_A_PROBE_BYTES,
	LPD_A_PROBE_TIME,
	LPD_A_PROBE_IDLE,
	LPD_A_BYTES,
	LPD_A_ACKED,
	LPD_A_BACKLOG,
	LPD_A_NOW,

	__LPD_A_MAX,
};

#define LPD_A_MAX (__LPD_A_MAX - 1)

#endif /* _UAPI_LINUX_LPD_GENL_H */
