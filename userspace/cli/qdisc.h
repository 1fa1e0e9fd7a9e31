/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests to the kernel for tbf, netem and the qdisc under test. */
#ifndef FRESHLINK_QDISC_H
#define FRESHLINK_QDISC_H

#include <netlink/msg.h>
#include <stdbool.h>
#include <stdint.h>

#include "child.h"
#include "netlink.h"
#include "port.h"

/* Handles that distinguish the qdiscs of this program from other qdiscs. */
#define QDISC_ROOT	0x7f010000U
#define QDISC_CHILD	0x7f020000U

#define NETEM_LIMIT	1000	/* limit of netem in packets, the same as the default of tc */

/**
 * qdisc_message - begin a request about a qdisc
 * @port: its device
 * @type: RTM_NEWQDISC or another type
 * @flags: NLM_F_CREATE and others
 * @parent: its parent
 * @handle: its handle
 * @kind: its kind, or NULL
 */
struct nl_msg *qdisc_message(const struct port *port, int type, int flags,
			     uint32_t parent, uint32_t handle,
			     const char *kind);

/**
 * qdisc_send - send a request and free it
 * @port: the device
 * @nl: a socket from port_connect()
 * @msg: the request
 * @kind: the qdisc's kind
 * @options: the table of the qdisc's options, or NULL
 *
 * Return: true if the kernel accepted the request. False after a message on standard error,
 * which names the refused option and has the kernel's text
 */
bool qdisc_send(const struct port *port, struct netlink *nl,
		struct nl_msg *msg, const char *kind,
		const struct fl_option *options);

/**
 * struct tbf - a token bucket
 * @rate: bytes/s
 * @burst: bytes
 * @fifo_limit: limit of a child fifo, which tbf sets on each change
 */
struct tbf {
	uint32_t rate;
	uint32_t burst;
	uint32_t fifo_limit;
};

/**
 * struct netem - settings of a netem
 * @limit: maximum number of packets in the queue, including delayed packets
 * @delay: ns
 * @loss: millionths
 * @rate: bytes/s, 0 for unlimited
 * @seed: seed of the loss, which kernels before 6.6 ignore
 */
struct netem {
	uint32_t limit;
	uint64_t delay;
	uint32_t loss;
	uint32_t rate;
	uint64_t seed;
};

/**
 * qdisc_set_tbf - create or change the root qdisc tbf of this program
 * @port: the device
 * @nl: a socket from port_connect()
 * @flags: NLM_F_CREATE and others, 0 to change
 * @tbf: its parameters
 *
 * Return: true if the kernel accepted the request, or false after a message on standard error
 */
bool qdisc_set_tbf(const struct port *port, struct netlink *nl, int flags,
		   const struct tbf *tbf);

/** qdisc_set_netem - create or change a root netem, like qdisc_set_tbf() */
bool qdisc_set_netem(const struct port *port, struct netlink *nl, int flags,
		     const struct netem *netem);

/** qdisc_set_mq - create the root qdisc mq of this program, like qdisc_set_tbf() */
bool qdisc_set_mq(const struct port *port, struct netlink *nl);

/** qdisc_add_child - create the qdisc under test as the child of the root tbf or mq */
bool qdisc_add_child(const struct port *port, struct netlink *nl,
		     const struct child *child);

/** qdisc_set_child - create the qdisc under test as the root, like qdisc_set_tbf() */
bool qdisc_set_child(const struct port *port, struct netlink *nl, int flags,
		     const struct child *child);

#endif
