/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A simulated access link, in steps of a quarter of a millisecond.
 *
 *   source -> lpd -> gate -> modem -> radio -> network -> reflector
 *
 * The modem dequeues packets immediately, as many as fit into its buffer. The radio sends them at
 * a rate or at the opportunities of a trace. The random numbers depend only on the seed.
 */
#ifndef SELFTESTS_PACE_LINK_H
#define SELFTESTS_PACE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MS	INT64_C(1000000)
#define SEC	INT64_C(1000000000)

/**
 * enum place - what limits the packets in the modem
 * @PLACE_PACE: the model under test
 * @PLACE_RADIO: lpd is directly above the radio, and there is no modem
 * @PLACE_MODEM: nothing
 */
enum place { PLACE_PACE, PLACE_RADIO, PLACE_MODEM };

/**
 * enum lie - what is wrong with the reflector's clock
 * @LIE_NOT: nothing; the clock differs from ours
 * @LIE_RANDOM: each time is random
 * @LIE_STILL: the clock stands still
 * @LIE_BACKWARDS: the clock runs backwards
 * @LIE_STEPS: every 5 s, the clock steps by an hour, alternately forwards and backwards
 */
enum lie { LIE_NOT, LIE_RANDOM, LIE_STILL, LIE_BACKWARDS, LIE_STEPS };

/**
 * struct trace - opportunities to send a packet of 1514 bytes, in mahimahi's format
 * @ms: times of the opportunities
 * @count: number of the opportunities; the last one is the end of the trace, which repeats
 */
struct trace {
	uint32_t *ms;
	size_t count;
};

/**
 * struct setup - a link and its traffic; all times are in ns since the start of the simulation
 * @place: what limits the packets in the modem
 * @seed: seed of the random numbers
 * @length: length of the simulation
 * @buffer: size of the modem's buffer in bytes
 * @trace: opportunities, or NULL for @rate
 * @rate: bytes/s
 * @grant: the radio sends only once per interval of this length, as many bytes as @rate allows
 * @turn: time at which @rate is multiplied by @factor, 0 for never
 * @factor: see @turn
 * @outage: beginning of an outage, 0 for none
 * @outage_length: length of the outage
 * @delay: delay of the network in one direction
 * @move: time at which @delay triples, 0 for never
 * @down: maximum delay of a queue on the return path; the delay rises and falls
 * @lose: share of the probes that the network loses
 * @reorder: a tenth of the answers is late by up to this time
 * @dead: time after which the reflector is silent, 0 for never
 * @others: other packets arrive while the link is up
 * @echo: the reflector does not report its times
 * @lie: what is wrong with the reflector's clock
 * @video: bytes/s of a video of 30 frames a second, with 50 control packets a second; 0 for an
 *	upload that always has packets
 * @lifetime: lifetime of the packets of the video
 * @start: time at which the traffic begins
 * @cold: the results include the first 3 s
 */
struct setup {
	enum place place;
	uint64_t seed;
	int64_t length;
	uint64_t buffer;
	const struct trace *trace;
	double rate;
	int64_t grant;
	int64_t turn;
	double factor;
	int64_t outage;
	int64_t outage_length;
	int64_t delay;
	int64_t move;
	int64_t down;
	double lose;
	int64_t reorder;
	int64_t dead;
	bool others;
	bool echo;
	enum lie lie;
	double video;
	int64_t lifetime;
	int64_t start;
	bool cold;
};

/**
 * struct result - the measured values, without the first 3 s unless @cold
 * @used: share of the link's capacity that was used
 * @queue_p50: median time in the modem, in ns
 * @queue_p95: 95th percentile of this time
 * @queue_p99: 99th percentile of this time
 * @video: share of the packets of the video that arrived within their lifetime
 * @control: share of the control packets that arrived within 200 ms
 * @control_p99: 99th percentile of the delay of the control packets that arrived
 * @fresh: time from the end of the outage until the first fresh packet, or -1. A packet of the
 *	video or a control packet is fresh if it arrives within 300 ms. A packet of an upload is
 *	fresh if it entered the modem after the outage
 * @probes: number of probes
 * @opened: time at which the gate was first open after the first answer, -1 for never
 * @used_at_end: share of the link's capacity that was used in the last 5 s
 */
struct result {
	double used;
	int64_t queue_p50;
	int64_t queue_p95;
	int64_t queue_p99;
	double video;
	double control;
	int64_t control_p99;
	int64_t fresh;
	uint32_t probes;
	int64_t opened;
	double used_at_end;
};

/** link_run - simulate */
struct result link_run(const struct setup *setup);

/** trace_load - read a trace; exits with a message if this is impossible */
struct trace trace_load(const char *path);

#endif
