/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop of freshlink pace: sends probes, passes the answers to the model, and sets lpd's gate.
 *
 * The model is in ../pace/. The loop reads the clock, uses the sockets, and prints the messages.
 */
#ifndef FRESHLINK_PACER_H
#define FRESHLINK_PACER_H

#include <stdbool.h>
#include <stdint.h>

#include "../pace/model.h"
#include "gate.h"
#include "prober.h"

/**
 * struct pacer - a link that is being paced
 * @args: the command
 * @device: name of the device
 * @json: print JSON, and a line each second
 * @config: settings of the model
 * @model: the model
 * @gate: lpd's gate
 * @prober: the sockets
 * @route: socket for the device's counters
 * @seen: lpd's last answer
 * @after: lpd's count of bytes right after each of the last probes was sent, indexed by probe
 *	number
 * @lock: socket whose name says that the device is being paced
 * @is_there: the device and lpd exist
 * @trouble: errno value of the last failure
 * @host: index of the reflector that is asked
 * @received: packets that the device had received at the last check in an outage, or 0
 * @printed: state that was printed last
 * @gate_at: time at which the gate is to be set again
 * @retry_at: earliest time of the next probe after a failure
 * @log_at: time of the next line of the log
 * @answers: number of answers
 * @others: number of received packets that are not answers
 */
struct pacer {
	const struct cli_args *args;
	const char *device;
	bool json;
	struct pace_config config;
	struct pace model;
	struct gate gate;
	struct prober prober;
	struct netlink route;
	struct gate_state seen;
	uint64_t after[PACE_PROBES];
	int lock;
	bool is_there;
	int trouble;
	unsigned int host;
	uint64_t received;
	enum pace_state printed;
	int64_t gate_at;
	int64_t retry_at;
	int64_t log_at;
	uint64_t answers;
	uint64_t others;
};

/**
 * pacer_start - begin to pace the device
 * @p: the pacer. The caller sets @args, @device, @json, @config and the hosts of @prober
 *
 * Return: true if lpd has a gate now, or false after a message on standard error
 */
bool pacer_start(struct pacer *p);

/**
 * pacer_run - pace until a signal or a time
 * @p: the pacer after pacer_start()
 * @end: the time, CLOCK_MONOTONIC in ns, or FL_NEVER
 */
void pacer_run(struct pacer *p, int64_t end);

/** pacer_stop - open the gate and close the sockets */
void pacer_stop(struct pacer *p);

#endif
