/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Judges whether a packet that leaves is a right result of a packet that arrived. */
#ifndef HOSTILE_JUDGE_H
#define HOSTILE_JUDGE_H

#include "mutate.h"

#define SHOTS		251	/* in a batch; their names are 1 to SHOTS */
#define SENTINEL	(SHOTS + 1)

enum way {
	WAY_FORWARD,	/* PRE_ROUTING, FORWARD, the qdisc */
	WAY_OUTPUT,	/* LOCAL_OUT, the qdisc */
	WAY_QDISC,	/* the qdisc alone */
	WAY_PRINT,	/* no way: the program only prints the packets */
};

/**
 * struct rules - the changes that the machine may make
 * @version: IP version, 4 or 6
 * @way: the way that packets take
 * @profile: longest lifetime that a packet without a lifetime may get, in ms; 0 for
 *	no lifetime
 * @cap: longest lifetime that an arriving packet may keep, in ms; 0 for no limit
 * @strip: whether options are removed
 * @cut: whether packets are cut to their headers
 */
struct rules {
	int version;
	enum way way;
	uint32_t profile;
	uint32_t cap;
	int strip;
	int cut;
};

/**
 * struct tally - numbers of packets that have left
 * @came: packets that result from a packet that was sent
 * @own: the machine's own packets
 * @cut: packets that were cut
 * @stamped: packets that got the option
 * @stripped: packets whose option was removed
 * @capped: packets whose deadline or unlimited lifetime was capped
 * @sums: packets whose transport checksum was right and still is
 */
struct tally {
	unsigned long came;
	unsigned long own;
	unsigned long cut;
	unsigned long stamped;
	unsigned long stripped;
	unsigned long capped;
	unsigned long sums;
};

/* Compare a frame that left with the shot whose name it bears. The first shot has the
 * name 1. If the frame is not a right result, print both packets and end the program.
 *
 * Return: the name, 0 for one of the machine's own packets
 */
unsigned int judge(const struct rules *rules, struct tally *tally, const struct shot *shots,
		   const uint8_t *frame, size_t len);

#endif /* HOSTILE_JUDGE_H */
