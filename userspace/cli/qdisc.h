/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Qdisc requests: tbf, netem, the qdisc under test. */
#ifndef FRESHLINK_QDISC_H
#define FRESHLINK_QDISC_H

#include <netlink/msg.h>
#include <stdbool.h>
#include <stdint.h>

#include "child.h"
#include "netlink.h"
#include "port.h"

/* Handles that distinguish our qdiscs from others. */
#define QDISC_ROOT	0x7f010000U
#define QDISC_CHILD	0x7f020000U

#define NETEM_LIMIT	1000	/* packets, as tc's default */

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
 * @nl: a socket of port_connect()
 * @msg: the request
 * @kind: the qdisc's kind
 * @options: the table of its options, or NULL
 *
 * Return: whether the kernel accepted it; if not, standard error says why, with
 * the kernel's own text if there is one, and names the refused option
 */
bool qdisc_send(const struct port *port, struct netlink *nl,
		struct nl_msg *msg, const char *kind,
		const struct fl_option *options);

/**
 * struct tbf - a token bucket
 * @rate: bytes/s
 * @burst: bytes
 * @fifo_limit: limit of a child fifo; tbf sets it on each change
 */
struct tbf {
	uint32_t rate;
	uint32_t burst;
	uint32_t fifo_limit;
};

/**
 * struct netem - an impairment
 * @limit: packets, including those that are being delayed
 * @delay: ns
 * @loss: millionths
 * @rate: bytes/s, 0 for unlimited
 * @seed: seed of the loss; kernels before 6.7 choose their own
 */
struct netem {
	uint32_t limit;
	uint64_t delay;
	uint32_t loss;
	uint32_t rate;
	uint64_t seed;
};

/**
 * qdisc_set_tbf - make or change our root tbf
 * @port: the device
 * @nl: a socket of port_connect()
 * @flags: NLM_F_CREATE and others, 0 to change
 * @tbf: its parameters
 *
 * Return: whether it worked; if not, standard error says why
 */
bool qdisc_set_tbf(const struct port *port, struct netlink *nl, int flags,
		   const struct tbf *tbf);

/** qdisc_set_netem - make or change our root netem, as qdisc_set_tbf() */
bool qdisc_set_netem(const struct port *port, struct netlink *nl, int flags,
		     const struct netem *netem);

/** qdisc_add_child - make the qdisc under test the child of our root tbf */
bool qdisc_add_child(const struct port *port, struct netlink *nl,
		     const struct child *child);

/** qdisc_set_child - make the qdisc under test our root, as qdisc_set_tbf() */
bool qdisc_set_child(const struct port *port, struct netlink *nl, int flags,
		     const struct child *child);

#endif
