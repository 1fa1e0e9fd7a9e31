/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sender's clock, as the receiver sees it. The clocks need not agree. Messages that waited
 * nowhere took the least time, which the sender tells. They lie on a line,
 * because clocks drift; the other messages lie above it. So the line is the lower hull of what
 * arrived in a sliding window. Pure.
 */
#ifndef FSTREAM_CLOCK_H
#define FSTREAM_CLOCK_H

#include <stdbool.h>
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
 * @way: least one-way time of the window, in ns; 0: unknown
 * @way_since: when that was told
 * @told: the sender has told it
 */
struct fstream_clock {
	struct fstream_clock_point point[FSTREAM_CLOCK_POINTS];
	unsigned int count;
	uint32_t last;
	struct fstream_clock_point base;
	double drift;
	int64_t way, way_since;
	bool told;
};

/* A message with a higher number than all before it arrived. It was submitted at @us. */
void fstream_clock_learn(struct fstream_clock *clock, uint32_t us, int64_t now);

/* The sender says that messages which wait nowhere take the time @way, in ns; 0: unknown. */
void fstream_clock_way(struct fstream_clock *clock, int64_t way, int64_t now);

/* They take about @way: used until the sender says something. */
void fstream_clock_guess(struct fstream_clock *clock, int64_t way);

/* The time @us of the sender's clock, on this end's clock. The clock has learnt from a message. */
int64_t fstream_clock_here(const struct fstream_clock *clock, uint32_t us);

#endif
