/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The retransmission timeout of RFC 2988 (Paxson and Allman, November 2000), section 2:
 *
 *	first sample R	SRTT = R, RTTVAR = R/2
 *	next samples	RTTVAR = 3/4 RTTVAR + 1/4 |SRTT - R|, then SRTT = 7/8 SRTT + 1/8 R
 *	the timeout	RTO = SRTT + max(G, 4 RTTVAR), at least 1 s; 3 s before any sample
 *	an expiry	doubles the timeout (5.5), up to a maximum of at least 60 s
 *
 * Linux's timeout differs. Linux adds at least the route's rto_min (200 ms by default; the
 * lab sets 1 s) to SRTT, keeps the largest deviation of a round trip, and gives less weight
 * to round trips that become shorter.
 */
#ifndef _LAB_RFC2988_H
#define _LAB_RFC2988_H

#include <linux/jiffies.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>

#define RFC2988_INITIAL_US	(3 * USEC_PER_SEC)
#define RFC2988_MIN_US		USEC_PER_SEC
#define RFC2988_MAX_US		(120 * USEC_PER_SEC)	/* Linux's */
#define RFC2988_G_US		(USEC_PER_SEC / HZ)	/* the timer's granularity */
#define RFC2988_SAMPLE_MAX	RFC2988_MAX_US

/**
 * struct rfc2988 - the round-trip times of a connection
 * @srtt: smoothed round-trip time, us; 0 before the first sample
 * @rttvar: variation of the round-trip time, us
 * @expiries: how often the timer has fired since the last sample
 */
struct rfc2988 {
	u32 srtt;
	u32 rttvar;
	u32 expiries;
};

/**
 * rfc2988_sample() - update the estimate with a sample (section 2, rules 2.2 and 2.3)
 * @timer: the connection's estimate
 * @us: measured round-trip time, us
 */
static inline void rfc2988_sample(struct rfc2988 *timer, u64 us)
{
	u32 r = clamp_t(u64, us, 1, RFC2988_SAMPLE_MAX);
	s32 error;

	timer->expiries = 0;
	if (!timer->srtt) {
		timer->srtt = r;
		timer->rttvar = r / 2;
		return;
	}
	error = (s32)r - (s32)timer->srtt;
	timer->rttvar += (abs(error) - (s32)timer->rttvar) / 4;
	timer->srtt += error / 8;
}

/**
 * rfc2988_timeout() - compute the retransmission timeout
 * @timer: the connection's estimate
 *
 * Return: the timeout in us, doubled for each time that the timer has fired
 */
static inline u32 rfc2988_timeout(const struct rfc2988 *timer)
{
	u64 rto = RFC2988_INITIAL_US;

	if (timer->srtt)
		rto = max_t(u64, RFC2988_MIN_US, timer->srtt +
			    max_t(u64, RFC2988_G_US, 4ULL * timer->rttvar));
	return min_t(u64, rto << min(timer->expiries, 7U), RFC2988_MAX_US);
}

#endif
