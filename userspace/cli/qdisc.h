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

/* Our own handles, so that ours is never taken for somebody's. */
#define QDISC_ROOT	0x7f010000U
#define QDISC_CHILD	0x7f020000U

#define NETEM_LIMIT	1000	/* packets, tc's default too */

/**
 * qdisc_message - begin a request about a qdisc
 * @port: its device
 * @type: RTM_NEWQDISC and such
 * @flags: NLM_F_CREATE and such
 * @parent: its parent
 * @handle: its handle
 * @kind: its kind, or NULL
 */
struct nl_msg *qdisc_message(const struct port *port, int type, int flags,
			     uint32_t parent, uint32_t handle,
			     const char *kind);

/**
 * qdisc_send - send a request and free it
 * @port: the device it is about
 * @nl: a socket of port_connect()
 * @msg: the request
 * @kind: the qdisc's kind
 * @options: its options, NULL if they are not of a table
 *
 * Return: whether the kernel took it; if not, standard error says why, in the
 * kernel's words where it has some, and names the refused option
 */
bool qdisc_send(const struct port *port, struct netlink *nl,
		struct nl_msg *msg, const char *kind,
		const struct fl_option *options);

/**
 * struct tbf - a token bucket
 * @rate: bytes/s
 * @burst: bytes
 * @fifo_limit: what a fifo below is limited to: tbf sets it on each change
 */
struct tbf {
	uint32_t rate;
	uint32_t burst;
	uint32_t fifo_limit;
};

/**
 * struct netem - an impairment
 * @limit: packets, those in their delay included
 * @delay: ns
 * @loss: millionths
 * @rate: bytes/s, 0 for unlimited
 * @seed: of the loss; kernels before 6.7 choose their own
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
 * @flags: NLM_F_CREATE and such, 0 to change
 * @tbf: its parameters
 *
 * Return: whether it worked; if not, standard error says why
 */
bool qdisc_set_tbf(const struct port *port, struct netlink *nl, int flags,
		   const struct tbf *tbf);

/** qdisc_set_netem - make or change our root netem, as qdisc_set_tbf() */
bool qdisc_set_netem(const struct port *port, struct netlink *nl, int flags,
		     const struct netem *netem);

/** qdisc_add_child - put the qdisc under test below our root tbf */
bool qdisc_add_child(const struct port *port, struct netlink *nl,
		     const struct child *child);

/** qdisc_set_child - make the qdisc under test our root, as qdisc_set_tbf() */
bool qdisc_set_child(const struct port *port, struct netlink *nl, int flags,
		     const struct child *child);

#endif
