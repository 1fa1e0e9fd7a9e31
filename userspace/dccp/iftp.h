/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The window of IFTP and IFTPV (ElAarag and Hogg, sections 3 and 4): the packets of a round trip.
 *
 * It doubles in slow start, grows by one packet in congestion avoidance, and stays at the maximum.
 * A loss halves it. With IFTPV, a loss that is random leaves it, or 4/5 of it. Nothing here reads a
 * clock or sends.
 */
#ifndef FDCCP_IFTP_H
#define FDCCP_IFTP_H

#include <stdbool.h>
#include <stdint.h>

#include <net/iftpv.h>

#include "freshlink-dccp.h"
#include "rtt.h"

/* ElAarag and Hogg, section 5 */
#define FDCCP_IFTP_THRESHOLD	32
#define FDCCP_IFTP_BETA		3
/* The paper prints no first window: that of a TCP of its time. */
#define FDCCP_IFTP_FIRST	2

/**
 * struct fdccp_iftp - the window; packets, unless a unit is told
 * @how: scale, tolerance and the maximum
 * @decides: IFTPV: the backlog decides whether a loss was congestion
 * @n: packets of this round trip
 * @threshold: slow start ends there
 * @credit: growth that is not a whole packet yet, in percent
 * @grows: it grows when this round trip ends
 * @course: how the tolerance changes the recovery
 * @losses: the losses of the flow
 * @epoch: just before the first time: the decisions count from there
 * @backlog: at the last loss, in 1/256 packet
 * @verdicts: how often each verdict fell
 */
struct fdccp_iftp {
	struct fdccp_iftp_params how;
	bool decides;
	uint32_t n, threshold, credit;
	bool grows;
	struct iftpv_course course;
	struct iftpv_losses losses;
	int64_t epoch;
	uint32_t backlog;
	uint64_t verdicts[FDCCP_VERDICTS];
};

void fdccp_iftp_init(struct fdccp_iftp *iftp, const struct fdccp_iftp_params *how, bool decides,
		     int64_t now);

/* A round-trip time was measured. */
void fdccp_iftp_sample(struct fdccp_iftp *iftp, const struct fdccp_rtts *rtts);

/* A round trip has passed. @used: packets that were sent in it */
void fdccp_iftp_round(struct fdccp_iftp *iftp, const struct fdccp_rtts *rtts, uint32_t used);

/* The first packet of a round trip is lost or marked. @congested: that is known to be congestion */
void fdccp_iftp_loss(struct fdccp_iftp *iftp, const struct fdccp_rtts *rtts, bool congested,
		     int64_t now);

/* A packet is missing. Called for each, after fdccp_iftp_loss() of its round trip. */
void fdccp_iftp_missing(struct fdccp_iftp *iftp);

/* A packet is known to be lost at random: once in a round trip. */
void fdccp_iftp_random(struct fdccp_iftp *iftp, int64_t now);

/* The receiver dropped a packet, because its buffer is full (RFC 4340 section 11.7.2). */
void fdccp_iftp_refused(struct fdccp_iftp *iftp);

/* The timeout has passed: slow start begins with one packet, and ends at half of the window. */
void fdccp_iftp_timeout(struct fdccp_iftp *iftp);

/* Nothing was sent for so many timeouts: the path may have changed (RFC 2861). */
void fdccp_iftp_idle(struct fdccp_iftp *iftp, int64_t timeouts);

#endif
