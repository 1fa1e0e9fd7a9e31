/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The gate of lpd, through the generic netlink family of lpd (<linux/lpd_genl.h>). */
#ifndef FRESHLINK_GATE_H
#define FRESHLINK_GATE_H

#include <linux/lpd_genl.h>
#include <stdbool.h>
#include <stdint.h>

#include "family.h"

/**
 * struct gate - the gate of a device
 * @family: socket of the family
 * @ifindex: index of the device
 */
struct gate {
	struct family family;
	unsigned int ifindex;
};

/**
 * struct gate_request - what to set
 * @has_probe: a probe was answered
 * @probe: number that the kernel gave to this probe
 * @window: bytes that lpd may send after the newest answered probe
 * @rate: estimated rate of the link in bytes/s, 0 for none
 * @delay: estimated delay of the link in ns
 */
struct gate_request {
	bool has_probe;
	uint32_t probe;
	uint64_t window;
	uint64_t rate;
	int64_t delay;
};

/**
 * struct gate_state - answer of the kernel
 * @window: the window
 * @rate: rate that lpd uses, in bytes/s, 0 for unlimited
 * @delay: delay that lpd uses, in ns
 * @bytes: lpd's count of bytes sent
 * @acked: value of @bytes when the newest answered probe left
 * @backlog: bytes that are queued in lpd
 * @now: time of the answer, CLOCK_MONOTONIC in ns
 * @probe_bytes: value of @bytes when the probe of the request left
 * @probe_time: time at which this probe left, CLOCK_MONOTONIC in ns
 * @probe_idle: between the previous probe and this probe, lpd once had no packet to send
 */
struct gate_state {
	uint64_t window;
	uint64_t rate;
	int64_t delay;
	uint64_t bytes;
	uint64_t acked;
	uint32_t backlog;
	int64_t now;
	uint64_t probe_bytes;
	int64_t probe_time;
	bool probe_idle;
};

/**
 * gate_open - connect to the family
 * @gate: written, except @gate->ifindex
 * @args: the command
 *
 * Return: true on success, or false after a message on standard error
 */
bool gate_open(struct gate *gate, const struct cli_args *args);

/** gate_close - disconnect; the gate stays as it is */
void gate_close(struct gate *gate);

/**
 * gate_set - set the gate
 * @gate: the gate
 * @request: what to set
 * @state: written
 *
 * Return: 0, or an errno value: ENODEV without the device, EOPNOTSUPP if the device's root qdisc is
 * not lpd, ENOENT if lpd does not know the probe
 */
int gate_set(struct gate *gate, const struct gate_request *request,
	     struct gate_state *state);

/** gate_get - read the gate; returns the same values as gate_set(), and ENOENT without a gate */
int gate_get(struct gate *gate, struct gate_state *state);

/** gate_delete - open the gate; returns the same values as gate_set() */
int gate_delete(struct gate *gate);

#endif
