/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Judges whether a packet that leaves is a right result of one that came in. */
#ifndef HOSTILE_JUDGE_H
#define HOSTILE_JUDGE_H

#include "mutate.h"

#define SHOTS		251	/* of a batch; they are named 1 and so on */
#define SENTINEL	(SHOTS + 1)

enum way {
	WAY_FORWARD,	/* PRE_ROUTING, FORWARD, the qdisc */
	WAY_OUTPUT,	/* LOCAL_OUT, the qdisc */
	WAY_QDISC,	/* the qdisc alone */
	WAY_PRINT,	/* none: the reader sends them */
};

/**
 * struct rules - what the machine may do
 * @version: 4 or 6
 * @way: where packets go
 * @profile: ms, the longest lifetime that a packet without one may get; 0 if none
 * @cap: ms, the longest lifetime that a packet that came in may keep; 0 if none is set
 * @strip: options are taken out
 * @cut: packets are cut to their headers
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
 * struct tally - the packets that have left
 * @came: belong to a packet that was sent
 * @own: the machine's own packets
 * @cut: were cut
 * @stamped: sent packets that came out with an option they did not have
 * @stripped: left without the option they had
 * @capped: have an absolute deadline nearer than before
 * @sums: had a right transport checksum, and still have one
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

/* Compare a frame that left with the shots that may have become this frame. The first
 * shot is named 1. If no shot can have, prints both packets and ends the program.
 *
 * Return: the name, 0 for one of the machine's own
 */
unsigned int judge(const struct rules *rules, struct tally *tally, const struct shot *shots,
		   const uint8_t *frame, size_t len);

#endif /* HOSTILE_JUDGE_H */
