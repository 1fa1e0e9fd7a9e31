/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel modules count, read once: input of freshlink export and freshlink top.
 *
 * The files of this folder only compute. They read no clock, and do no input or output.
 */
#ifndef FRESHLINK_STATE_H
#define FRESHLINK_STATE_H

#include <linux/arqlink.h>
#include <linux/pkt_sched_lpd.h>
#include <linux/xlo_genl.h>
#include <linux/xlo_rto_genl.h>
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * enum state_kind - what an object is, and so what its numbers are
 * @STATE_LPD: a qdisc lpd; enum tca_lpd_stats and enum state_number
 * @STATE_CLASS: the class of a qdisc lpd; enum state_number
 * @STATE_ARQ: a device of arqlink; enum arqlink_stats
 * @STATE_XLO: the module xlo; enum xlo_stats
 * @STATE_PROFILE: a profile of xlo; enum state_number
 * @STATE_RTO: received messages of xlo_rto; enum xrto_stats
 * @STATE_NOTICES: messages that xlo_rto was asked to send; enum xrto_notices
 */
enum state_kind {
	STATE_LPD,
	STATE_CLASS,
	STATE_ARQ,
	STATE_XLO,
	STATE_PROFILE,
	STATE_RTO,
	STATE_NOTICES,
};

/**
 * enum state_number - numbers that are not counters of a module's own enum
 * @STATE_BYTES: sent bytes
 * @STATE_PACKETS: sent packets; of a profile, stamped packets
 * @STATE_BACKLOG: bytes that wait
 * @STATE_QUEUED: packets that wait
 * @STATE_DROPS: dropped packets
 */
enum state_number {
	STATE_BYTES = 72,
	STATE_PACKETS,
	STATE_BACKLOG,
	STATE_QUEUED,
	STATE_DROPS,
	STATE_NUMBERS,
};

_Static_assert(TCA_LPD_STATS_MAX < STATE_BYTES && ARQLINK_STATS_MAX < STATE_BYTES &&
	       XLO_STATS_MAX < STATE_BYTES && XRTO_STATS_MAX < STATE_BYTES &&
	       XRTO_NOTICES_MAX < STATE_BYTES, "STATE_BYTES");

/**
 * struct state_object - an object that counts
 * @kind: what it is
 * @device: name of its device, "" if it has no device
 * @handle: handle of the qdisc or class, or 0
 * @parent: parent of the qdisc or class, or 0
 * @name: name of the profile, or ""
 * @has: the kernel has sent this number
 * @number: the numbers
 * @remaining: histogram of remaining lifetimes, see TCA_LPD_STATS_REMAINING
 */
struct state_object {
	enum state_kind kind;
	char device[IF_NAMESIZE];
	uint32_t handle;
	uint32_t parent;
	char name[XLO_NAME_LEN];
	bool has[STATE_NUMBERS];
	uint64_t number[STATE_NUMBERS];
	uint64_t remaining[TC_LPD_HIST_BUCKETS];
};

/**
 * struct state - all objects of a network namespace; initialized with 0
 * @time: time at which the kernel was asked, CLOCK_MONOTONIC in ns
 * @objects: the objects, in the order of the kernel's answers
 * @count: number of @objects
 */
struct state {
	int64_t time;
	struct state_object *objects;
	size_t count;
};

/**
 * state_add - add an object
 * @state: the state
 * @kind: what the object is
 *
 * Return: the object, whose other members are 0. The pointer is valid until the next object is
 * added. NULL without memory
 */
struct state_object *state_add(struct state *state, enum state_kind kind);

/** state_set - set a number of an object */
void state_set(struct state_object *object, unsigned int number, uint64_t value);

/** state_forget - free the objects */
void state_forget(struct state *state);

/**
 * state_same - find an object in an earlier state
 * @state: the earlier state
 * @object: the object
 *
 * Return: the earlier object of the same kind, device, handle, parent and name, or NULL
 */
const struct state_object *state_same(const struct state *state, const struct state_object *object);

#endif
