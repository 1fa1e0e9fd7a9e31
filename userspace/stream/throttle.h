/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rate of what a stream takes while expiry is persistent. It falls by the share that did not
 * come, that is to the rate of what came, and by a tenth at least. What came too late counts as
 * what came, because the path has carried it.
 *
 * After ten clean round trips, in which nothing was stale or slow, each one adds a tenth of what
 * was taken before there was a limit. These are at most ten, so that the limit ends after twenty. A
 * round trip that is not clean ends the rise: packets wait longer and longer, so the path is busy,
 * and what has come lately tells what it carries.
 *
 * Lowering the rate to what the path carries leaves its queue as long as it was, and each packet as
 * old as its lifetime allows. So with each fall, and after each round trip that is not clean,
 * nothing is taken for the time in which the queue empties. The link does not idle meanwhile.
 *
 * Pure: reads no clock.
 */
#ifndef FSTREAM_THROTTLE_H
#define FSTREAM_THROTTLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FSTREAM_CLEAN_ROUNDS	10	/* before the rate comes back */
#define FSTREAM_RAISES		10	/* from nothing to all, by a tenth each */
#define FSTREAM_FALL_PART	10	/* the rate falls by a tenth, or to a tenth, or between */

/**
 * struct fstream_throttle - the limit
 * @limit: bytes a second; 0: none
 * @before: what was taken without it
 * @least: what came; the rise begins here
 * @burst: messages may come in bursts, as a picture of a video does; a burst may be ahead of the
 *	rate by this, in ns, and one message. Set by the owner
 * @hold: until then nothing is taken
 * @next: when the next message is due at this rate
 * @clean: clean round trips in a row
 * @ignore: the next round trip tells of what was sent before the last change
 */
struct fstream_throttle {
	uint64_t limit;
	uint64_t before;
	uint64_t least;
	int64_t burst;
	int64_t hold;
	int64_t next;
	unsigned int clean;
	bool ignore;
};

/**
 * fstream_throttle_fall() - less is taken
 * @t: the limit
 * @taken: bytes a second that were taken
 * @came: bytes a second that came
 * @queue: how long the queue takes to empty, ns
 * @now: the time
 */
void fstream_throttle_fall(struct fstream_throttle *t, uint64_t taken, uint64_t came, int64_t queue,
			   int64_t now);

/* The round trips since the rise began; 0: the rate does not rise. */
unsigned int fstream_throttle_raises(const struct fstream_throttle *t);

/**
 * fstream_throttle_round() - a round trip has ended
 * @t: the limit
 * @clean: nothing in it was stale or slow
 * @came: bytes a second that came lately
 * @queue: as above
 * @now: the time
 */
void fstream_throttle_round(struct fstream_throttle *t, bool clean, uint64_t came, int64_t queue,
			    int64_t now);

/* When a message may be taken; up to now: at once. */
int64_t fstream_throttle_when(const struct fstream_throttle *t, size_t len);

/* A message was taken. */
void fstream_throttle_taken(struct fstream_throttle *t, size_t len, int64_t now);

#endif
