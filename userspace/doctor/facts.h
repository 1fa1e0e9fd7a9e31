/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What freshlink doctor has seen of a device, and of the link behind it.
 *
 * The files of this folder only compute. They read no clock, and do no input or output.
 */
#ifndef FRESHLINK_DOCTOR_FACTS_H
#define FRESHLINK_DOCTOR_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../advice/advice.h"

#define DOCTOR_QDISCS	64	/* further qdiscs are not looked at */
#define DOCTOR_KIND	16	/* bytes of the name of a kind of qdisc */
#define DOCTOR_TABLE	64	/* bytes of the names of a flowtable and of its table */
#define DOCTOR_PARTS	3	/* parts of an installation */
#define DOCTOR_PRESENT	3000	/* if so many bytes wait all the time, there is other load */

/**
 * struct doctor_qdisc - a qdisc of the device
 * @kind: its kind
 * @handle: its handle
 * @parent: its parent, UINT32_MAX at the root
 * @backlog: bytes that wait in the qdisc and below it
 * @shapes: the qdisc limits the rate
 */
struct doctor_qdisc {
	char kind[DOCTOR_KIND];
	uint32_t handle;
	uint32_t parent;
	uint32_t backlog;
	bool shapes;
};

/**
 * struct doctor_lpd - settings and counters of the device's first lpd that has received packets, or
 *	of the last lpd if none has
 * @strip: lpd removes the option
 * @has_rule: a rule or the parameter "lifetime" gives packets a lifetime
 * @gate: freshlink pace has set a gate
 * @packets: packets offered to lpd
 * @no_lifetime: packets without a lifetime
 */
struct doctor_lpd {
	bool strip;
	bool has_rule;
	bool gate;
	uint64_t packets;
	uint64_t no_lifetime;
};

/**
 * enum doctor_answer - answer to a question
 * @DOCTOR_UNKNOWN: the kernel did not tell
 * @DOCTOR_NO: no
 * @DOCTOR_YES: yes
 * @DOCTOR_FORBIDDEN: the kernel tells only a process with CAP_NET_ADMIN
 */
enum doctor_answer {
	DOCTOR_UNKNOWN,
	DOCTOR_NO,
	DOCTOR_YES,
	DOCTOR_FORBIDDEN,
};

/**
 * struct doctor_flowtable - a flowtable of nft that has the device
 * @there: there is one
 * @hardware: its flows are offloaded to hardware
 * @family: word of the table's family, as nft has it
 * @table: name of the table
 * @name: name of the flowtable
 */
struct doctor_flowtable {
	enum doctor_answer there;
	bool hardware;
	const char *family;
	char table[DOCTOR_TABLE];
	char name[DOCTOR_TABLE];
};

/**
 * enum doctor_trial_state - what became of the trial with probes
 * @DOCTOR_NO_REFLECTOR: the user has named no reflector
 * @DOCTOR_NO_PRIVILEGE: probes need CAP_NET_ADMIN
 * @DOCTOR_NO_SOCKET: the kernel refused a socket for another reason
 * @DOCTOR_NO_ANSWER: no probe was answered
 * @DOCTOR_BUSY: packets of other programs waited in a qdisc all the time, so there was no load
 * @DOCTOR_LOADED: the load was sent
 */
enum doctor_trial_state {
	DOCTOR_NO_REFLECTOR,
	DOCTOR_NO_PRIVILEGE,
	DOCTOR_NO_SOCKET,
	DOCTOR_NO_ANSWER,
	DOCTOR_BUSY,
	DOCTOR_LOADED,
};

/**
 * struct doctor_count - packets and their answers
 * @sent: number of packets
 * @answered: number of answers
 */
struct doctor_count {
	uint32_t sent;
	uint32_t answered;
};

/**
 * struct doctor_trial - results of the trial; times in ns
 * @state: what became of the trial
 * @small: probes without load
 * @option: packets with the option, sent between these probes
 * @can_option: the kernel sent packets with the option
 * @base: least delay of a probe and its answer
 * @spread: by how much the delays of the probes differed on the way to the reflector
 * @load: packets of the load
 * @load_bytes: bytes of the load up to the last answered packet
 * @load_late: delay of this packet beyond the delay without load
 * @has_probe: a probe that followed the load was answered
 * @probe_late: greatest delay of such a probe beyond the delay without load
 * @waiting: bytes that waited in the qdiscs right behind the load
 * @held: upper bound of the time after which less than a full packet waited there
 * @rate: rate at which the load arrived, in bytes/s, 0 if unknown
 */
struct doctor_trial {
	enum doctor_trial_state state;
	struct doctor_count small;
	struct doctor_count option;
	bool can_option;
	int64_t base;
	int64_t spread;
	struct doctor_count load;
	uint32_t load_bytes;
	int64_t load_late;
	bool has_probe;
	int64_t probe_late;
	uint32_t waiting;
	int64_t held;
	uint64_t rate;
};

/**
 * struct doctor_installation - what is missing of Freshlink
 * @right: words that follow the name of a capability that the process lacks
 * @missing: the missing parts, and how to get them
 * @count: number of @missing
 */
struct doctor_installation {
	const char *right;
	struct advice missing[DOCTOR_PARTS];
	size_t count;
};

/**
 * struct doctor_facts - everything that was seen
 * @dev: name of the device
 * @reflector: the reflector as typed, or NULL
 * @mtu: MTU of the device
 * @segments: the device takes packets of more than the MTU (GSO or TSO)
 * @merges: the device merges received packets (GRO)
 * @qdiscs: the qdiscs of the device, with their backlog right behind the load, or else without
 *	load
 * @count: number of @qdiscs
 * @present: least number of bytes that waited in the qdiscs during a second without load
 * @lpd: settings and counters of an lpd, if there is one
 * @flowtable: a flowtable with the device
 * @installation: what is missing of Freshlink
 * @trial: the trial
 */
struct doctor_facts {
	const char *dev;
	const char *reflector;
	uint32_t mtu;
	enum doctor_answer segments;
	enum doctor_answer merges;
	struct doctor_qdisc qdiscs[DOCTOR_QDISCS];
	size_t count;
	uint32_t present;
	struct doctor_lpd lpd;
	struct doctor_flowtable flowtable;
	struct doctor_installation installation;
	struct doctor_trial trial;
};

#endif
