// SPDX-License-Identifier: GPL-2.0
/*
 * The retransmission timeout (Xylomenos 2006, section V). The paper's equations are
 *
 *	srtt = 0.875 * srtt + 0.125 * sample				(1)
 *	srttvar = 0.75 * srttvar + 0.25 * (sample - srtt)		(2)
 *	timeout = a * srtt + b * srttvar				(3), (4)
 *
 * The paper prints (2) without an absolute value. Equation (2) uses the mean before the sample, as
 * in V. Jacobson, "Congestion avoidance and control", 1988.
 */

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include "timer.h"

#define ARQL_THOUSAND	1000

/* A longer sample counts as this one, so that no product overflows: an hour in ns times
 * ARQLINK_FACTOR_MAX is less than 2^59.
 */
#define ARQL_SAMPLE_MAX	ARQLINK_PERSIST_MAX

/* Shifts that divide by the inverse of each gain, indexed by enum arqlink_gains. */
static const struct {
	u8 mean;
	u8 deviation;
} arql_gains[] = {
	[ARQLINK_GAINS_STANDARD] = { 3, 2 },
	[ARQLINK_GAINS_FAST] = { 2, 1 },
	[ARQLINK_GAINS_SLOW] = { 4, 3 },
};

/* Without a deviation, a signed estimate starts at its neutral value. An absolute estimate starts
 * at half of the mean (RFC 6298, section 2.2).
 */
static void arql_estimate_first(struct arql_estimate *e,
				const struct arql_timer_config *cfg, s64 sample)
{
	e->srtt = sample;
	e->srttvar = cfg->variance == ARQLINK_VARIANCE_SIGNED ? 0 : sample / 2;
}

/**
 * arql_estimate_sample() - take a sample of the round-trip time
 * @e: the estimates
 * @cfg: gains and kind of deviation
 * @sample: the sample in ns
 */
void arql_estimate_sample(struct arql_estimate *e,
			  const struct arql_timer_config *cfg, s64 sample)
{
	const s64 mean = 1 << arql_gains[cfg->gains].mean;
	const s64 deviation = 1 << arql_gains[cfg->gains].deviation;
	s64 err;

	sample = min_t(s64, sample, ARQL_SAMPLE_MAX);
	if (!e->samples++) {
		arql_estimate_first(e, cfg, sample);
		return;
	}
	err = sample - e->srtt;
	e->srtt += div64_s64(err, mean);
	if (cfg->variance == ARQLINK_VARIANCE_ABSOLUTE)
		err = abs(err);
	e->srttvar += div64_s64(err - e->srttvar, deviation);
}

/**
 * arql_estimate_least() - learn an upper bound of the least round-trip time
 * @e: the estimates
 * @rtt: time in ns from the transmission of a frame to an answer that this transmission caused
 */
void arql_estimate_least(struct arql_estimate *e, s64 rtt)
{
	if (!e->least || rtt < e->least)
		e->least = max_t(s64, rtt, 1);
}

/**
 * arql_estimate_timeout() - the timeout of a transmission that starts now
 * @e: the estimates
 * @cfg: the timer
 *
 * Return: time in ns
 */
u64 arql_estimate_timeout(const struct arql_estimate *e,
			  const struct arql_timer_config *cfg)
{
	s64 timeout;

	if (cfg->kind == ARQLINK_TIMER_FIXED || !e->samples)
		return cfg->timeout;
	timeout = div_s64(e->srtt * cfg->mean + e->srttvar * cfg->deviation,
			  ARQL_THOUSAND);
	return clamp_t(s64, timeout, cfg->floor, cfg->ceiling);
}

/**
 * arql_stamp() - a time as a stamp in a frame
 * @time: monotonic, in ns
 *
 * Return: the time in us modulo 2^32
 */
u32 arql_stamp(s64 time)
{
	return div_s64(time, NSEC_PER_USEC);
}

/**
 * arql_stamp_age() - the time since a stamp
 * @stamp: the stamp, as the peer has returned it
 * @now: the time, monotonic in ns
 *
 * Return: time in ns, or -1 if the stamp cannot be ours, because it is in the future or older than
 * ARQLINK_TIMEOUT_MAX
 */
s64 arql_stamp_age(u32 stamp, s64 now)
{
	const u64 age = (u64)(u32)(arql_stamp(now) - stamp) * NSEC_PER_USEC;

	return age <= ARQLINK_TIMEOUT_MAX ? age : -1;
}
