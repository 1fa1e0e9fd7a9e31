/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sender's clock, as the receiver sees it. The clocks need not agree. Messages that waited
 * nowhere took the least time, which is half of the least round-trip time. They lie on a line,
 * because clocks drift; the other messages lie above it. So the line is the lower hull of what
 * arrived in a sliding window. Pure.
 */
#ifndef FSTREAM_CLOCK_H
#define FSTREAM_CLOCK_H

#include <stdint.h>

#define FSTREAM_CLOCK_WINDOW	INT64_C(60000000000)	/* ns */
#define FSTREAM_CLOCK_DRIFT	500	/* ppm, at most (RFC 5905 section 7.2) */
#define FSTREAM_CLOCK_POINTS	32	/* more than random delays leave on the hull */

/**
 * struct fstream_clock_point - a message that may have waited nowhere
 * @us: when it was submitted, in us on the sender's clock, mod 2^32
 * @arrival: when it arrived, in ns on this end's clock
 */
struct fstream_clock_point {
	uint32_t us;
	int64_t arrival;
};

/**
 * struct fstream_clock - the estimate. Initialize to zeros
 * @point: the hull, the oldest point first
 * @count: points
 * @last: submission of the newest message
 * @base: a point of the line
 * @drift: by how much this end's clock is faster than the sender's, 0.0001 for 100 ppm
 * @rtt_min: least round-trip time of the window, in ns; 0: unknown
 * @rtt_since: when that was told
 */
struct fstream_clock {
	struct fstream_clock_point point[FSTREAM_CLOCK_POINTS];
	unsigned int count;
	uint32_t last;
	struct fstream_clock_point base;
	double drift;
	int64_t rtt_min, rtt_since;
};

/* A message with a higher number than all before it arrived. It was submitted at @us. */
void fstream_clock_learn(struct fstream_clock *clock, uint32_t us, int64_t now);

/* The least round-trip time is @rtt_min, in ns; 0: unknown. */
void fstream_clock_rtt(struct fstream_clock *clock, int64_t rtt_min, int64_t now);

/* The time @us of the sender's clock, on this end's clock. The clock has learnt from a message. */
int64_t fstream_clock_here(const struct fstream_clock *clock, uint32_t us);

#endif
