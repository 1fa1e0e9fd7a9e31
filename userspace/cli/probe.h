/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of freshlink probe share: the host, the two ways of probing, and the rounds. */
#ifndef FRESHLINK_PROBE_H
#define FRESHLINK_PROBE_H

#include "../dccp/freshlink-dccp.h"
#include "../probe/cache.h"
#include "../probe/judge.h"
#include "../probe/plan.h"
#include "cli.h"

#define PROBE_LEN	100	/* bytes of a probe behind its header, for routers to cut off */

/**
 * struct probe_host - the host to ask
 * @name: as typed
 * @remote: its address, without a port
 * @local: the address that packets to it leave from, likewise
 */
struct probe_host {
	const char *name;
	union fdccp_address remote, local;
};

/**
 * probe_find_host - look up a host, and refuse what cannot be probed
 * @host: written, with @name
 * @who: prefix of error messages
 * @name: an address or a name
 *
 * Return: true, or false after a message on standard error: the name is not known, there is no
 * route, or it is a group or this host
 */
bool probe_find_host(struct probe_host *host, const char *who, const char *name);

/** probe_find_local - ask the kernel for the local address to @remote, with a socket that sends
 * nothing. Return: false with errno: there is no route
 */
bool probe_find_local(struct probe_host *host);

/** probe_mapped - an address as struct probe_entry has it */
struct in6_addr probe_mapped(const union fdccp_address *address);

/**
 * struct probe_answer - what became of a probe
 * @id: of the probe
 * @here: a queue of this host discarded it as stale
 * @outcome: otherwise how it arrived
 */
struct probe_answer {
	uint64_t id;
	bool here;
	enum probe_outcome outcome;
};

/**
 * struct probe_way - a way of probing; the first member of a struct with its state
 * @send: sends a probe and writes its @id. Return: whether it was sent
 * @next: waits for an answer until a time. Return: whether there was one; else @signal tells whether
 *	a signal ended the wait
 * @tells_length: answers tell how much of a probe arrived
 * @tells_option: and whether it had the option
 * @rtt: round-trip time, ns; 0: not known
 * @unanswered: plain packets that were sent before, and had no answer
 */
struct probe_way {
	bool (*send)(struct probe_way *way, enum probe_kind kind, uint64_t *id);
	bool (*next)(struct probe_way *way, int64_t until, struct probe_answer *answer,
		     int *signal);
	bool tells_length, tells_option;
	int64_t rtt;
	unsigned int unanswered;
};

/**
 * struct probe_result - what all rounds have shown
 * @verdict: the verdict
 * @wrong: probability that it is wrong
 * @sent: probes sent
 * @answered: of these, answered
 * @here: discarded by a queue of this host
 * @signal: the signal that ended the rounds, or 0
 */
struct probe_result {
	enum probe_verdict verdict;
	double wrong;
	unsigned int sent, answered, here;
	int signal;
};

/** probe_run - send rounds of probes until the verdict is clear, or PROBE_TIME is over */
void probe_run(struct probe_way *way, struct probe_result *result);

/** probe_lifetime_of - when a probe of a kind becomes stale, and what happens then. Return: ns of
 * CLOCK_MONOTONIC, or FDCCP_NEVER
 */
int64_t probe_lifetime_of(enum probe_kind kind, enum freshlink_stale *stale);

/**
 * enum probe_reached - whether a way could be tried
 * @PROBE_REACHED: the result is written
 * @PROBE_NO_PEER: nobody there speaks DCCP, or nobody answers
 * @PROBE_FAILED: after a message on standard error
 */
enum probe_reached {
	PROBE_REACHED,
	PROBE_NO_PEER,
	PROBE_FAILED,
};

/**
 * struct probe_dccp_config - how to reach the DCCP peer
 * @carrier: what DCCP travels in
 * @kernel_silent: as in struct fdccp_io_config
 * @udp_port: of the peer, with FDCCP_CARRIER_UDP
 * @port: DCCP port
 * @service: service code
 */
struct probe_dccp_config {
	enum fdccp_carrier carrier;
	bool kernel_silent;
	uint16_t udp_port, port;
	uint32_t service;
};

/**
 * probe_by_dccp - probe with Syncs
 * @who: prefix of error messages
 * @host: the host
 * @config: how to reach it
 * @result: written; with PROBE_NO_PEER the verdict too, if nobody answers
 * @why: written with PROBE_NO_PEER: what was wrong, a constant text
 */
enum probe_reached probe_by_dccp(const char *who, const struct probe_host *host,
				 const struct probe_dccp_config *config,
				 struct probe_result *result, const char **why);

/** probe_by_icmp - probe with echo requests. Return: PROBE_REACHED or PROBE_FAILED */
enum probe_reached probe_by_icmp(const char *who, const struct probe_host *host,
				 struct probe_result *result);

#endif
