/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the nofeedback timers of CCID 3 took, and when it is given back.
 *
 * Routers with headercasting send on the headers of stale packets (Gurtov and Ludwig 2003, section
 * III.E and figure 7). So the first feedback after a delay spike can show that the path was late,
 * and has lost nothing. Then the sender goes on as before the spike. So it does when a link says that
 * it is back.
 */
#ifndef FDCCP_UNDO_H
#define FDCCP_UNDO_H

#include <stdbool.h>

#include "recv_set.h"

/**
 * struct fdccp_rates - what a spike changes
 * @rate: allowed rate, in bytes a second
 * @rtt: round-trip time, in ns
 * @root: average of the square root of the round-trip time
 * @set: recent receive rates
 */
struct fdccp_rates {
	double rate;
	int64_t rtt;
	double root;
	struct fdccp_recv_set set;
};

/**
 * struct fdccp_undo - what nofeedback timers took since the last feedback
 * @taken: they took something that can be given back
 * @by_feedback: feedback may give it back, and not a link alone
 * @before: as it was before the first of them
 * @last: the latest data packet that was sent before it
 * @heard: a packet up to @last has arrived, as became known since
 * @complete: @last has
 * @since: when something was given back last; packets from before it tell no round-trip time
 * @until: until when that holds
 */
struct fdccp_undo {
	bool taken, by_feedback;
	struct fdccp_rates before;
	uint64_t last;
	bool heard, complete;
	int64_t since, until;
};

void fdccp_undo_init(struct fdccp_undo *undo);

/**
 * fdccp_undo_take() - a timer is about to take
 * @undo: what the timers before took
 * @rates: from these
 * @last: the latest data packet
 * @by_feedback: feedback may give it back
 */
void fdccp_undo_take(struct fdccp_undo *undo, const struct fdccp_rates *rates, uint64_t last,
		     bool by_feedback);

/* What was taken is not given back. */
void fdccp_undo_forget(struct fdccp_undo *undo);

/* A data packet has arrived. */
void fdccp_undo_heard(struct fdccp_undo *undo, uint64_t seq);

/**
 * fdccp_undo_feedback() - decide with each feedback whether something is given back
 * @undo: what was taken
 * @ack: the Acknowledgment Number
 * @event: the feedback reports a new loss event
 * @now: the time
 *
 * The feedback has to acknowledge a packet that was sent before the first timer. If it acknowledges
 * a later one, too, the last packet sent before has to be among those that arrived: after an outage
 * that has lost packets, a later packet arrives, and the loss is not known yet.
 *
 * The first feedback decides. Feedback about packets from before the timers that gives nothing back, such
 * as one that waited at a link that was away, leaves it to a link.
 *
 * Return: whether the rates are @before again, for two of its round-trip times
 */
bool fdccp_undo_feedback(struct fdccp_undo *undo, uint64_t ack, bool event, int64_t now);

/* A link says that it is back. No packet that was sent after the first timer has been acknowledged yet.
 * Return: as fdccp_undo_feedback()
 */
bool fdccp_undo_link_up(struct fdccp_undo *undo, int64_t now);

/* Whether the receive rates that were given back still hold. */
bool fdccp_undo_holds(const struct fdccp_undo *undo, int64_t now);

#endif
