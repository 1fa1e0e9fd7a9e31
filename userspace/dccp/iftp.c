// SPDX-License-Identifier: GPL-2.0-or-later
/* The window of IFTP and IFTPV. */
#include "iftp.h"

#define EASE	80		/* percent: 4n/5 */
#define US	1000		/* ns */

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint32_t in_us(int64_t time)
{
	return time / US < UINT32_MAX ? (uint32_t)(time / US) : UINT32_MAX;
}

static uint32_t backlog(const struct fdccp_iftp *iftp, const struct fdccp_rtts *rtts)
{
	return iftpv_backlog(iftp->n, in_us(rtts->rto.srtt), in_us(fdccp_rtts_least(rtts)));
}

static uint16_t queue(const struct fdccp_rtts *rtts)
{
	return iftpv_gate_queue(in_us(rtts->rto.srtt), in_us(fdccp_rtts_least(rtts)));
}

static uint32_t beta(const struct fdccp_iftp *iftp)
{
	return iftpv_tolerance_beta(iftp->how.tolerance, FDCCP_IFTP_BETA, iftp->n);
}

void fdccp_iftp_init(struct fdccp_iftp *iftp, const struct fdccp_iftp_params *how, bool decides,
		     int64_t now)
{
	*iftp = (struct fdccp_iftp){
		.how = *how,
		.decides = decides,
		.n = FDCCP_IFTP_FIRST,
		.threshold = FDCCP_IFTP_THRESHOLD,
		.grows = true,
		.epoch = now - US,
	};
	iftpv_gate_init(&iftp->losses);
}

void fdccp_iftp_sample(struct fdccp_iftp *iftp, const struct fdccp_rtts *rtts)
{
	iftpv_gate_see(&iftp->losses, queue(rtts));
}

static bool in_slow_start(const struct fdccp_iftp *iftp)
{
	return iftp->n < iftp->threshold;
}

/* With a tolerance, random losses do not end slow start, so that a queue has to. */
static bool starts_too_long(const struct fdccp_iftp *iftp, const struct fdccp_rtts *rtts)
{
	return iftp->how.tolerance & IFTPV_PART_START && iftpv_gate_is_open(&iftp->losses) &&
	       iftpv_is_backlogged(backlog(iftp, rtts), beta(iftp));
}

/* n + s, where a scale s that is no whole number of flows adds up. */
static void grow_by_scale(struct fdccp_iftp *iftp)
{
	iftp->credit += iftp->how.scale;
	iftp->n += iftp->credit / 100;
	iftp->credit %= 100;
}

static void grow(struct fdccp_iftp *iftp)
{
	uint32_t doubled = iftpv_gap_packets(IFTPV_SLOW_START, iftp->n, iftp->how.scale);

	if (in_slow_start(iftp))
		iftp->n = least(doubled, iftp->threshold);
	else
		grow_by_scale(iftp);
	iftp->n = least(iftp->n, iftp->how.window_max);
}

/* A window of which less than half was used is no sign that the path carries more (RFC 7661
 * section 4.3).
 */
void fdccp_iftp_round(struct fdccp_iftp *iftp, const struct fdccp_rtts *rtts, uint32_t used)
{
	if (in_slow_start(iftp) && starts_too_long(iftp, rtts))
		iftp->threshold = iftp->n;
	if (iftp->grows && used > iftp->n / 2)
		grow(iftp);
	iftp->grows = true;
}

static uint32_t left(const struct fdccp_iftp *iftp, enum iftpv_verdict verdict)
{
	uint32_t half = iftpv_scale_loss(iftp->n, IFTPV_HALVE, EASE, iftp->how.scale);

	if (verdict == IFTPV_DRAIN)
		return iftpv_tolerance_drain(iftp->n, half, iftp->backlog);
	return iftpv_scale_loss(iftp->n, verdict, EASE, iftp->how.scale);
}

/* The window is not smaller than two packets, but after a timeout: a verdict does not make it larger.
 * A window that stays goes on in its phase, in slow start, too.
 */
static void apply(struct fdccp_iftp *iftp, enum iftpv_verdict verdict)
{
	iftp->verdicts[verdict]++;
	iftp->grows = iftp->course.grows;
	if (verdict == IFTPV_KEEP)
		return;
	iftp->n = least(iftp->n, left(iftp, verdict));
	iftp->threshold = most(iftp->n, IFTPV_WINDOW_MIN);
}

static enum iftpv_verdict judge(struct fdccp_iftp *iftp, struct iftpv_lost lost, int64_t now)
{
	lost.now = (uint64_t)(now - iftp->epoch) / US;
	lost.beta = beta(iftp);
	lost.slow_start = in_slow_start(iftp);
	return iftpv_tolerance_judge(&iftp->losses, iftp->how.tolerance, &lost, &iftp->course);
}

void fdccp_iftp_loss(struct fdccp_iftp *iftp, const struct fdccp_rtts *rtts, bool congested,
		     int64_t now)
{
	struct iftpv_lost lost = {
		.congested = congested || !iftp->decides,
		.queue = queue(rtts),
	};

	iftp->backlog = lost.backlog = backlog(iftp, rtts);
	apply(iftp, judge(iftp, lost, now));
}

void fdccp_iftp_missing(struct fdccp_iftp *iftp)
{
	iftpv_losses_count(&iftp->losses, 1);
}

/* No queue has to be looked at. */
void fdccp_iftp_random(struct fdccp_iftp *iftp, int64_t now)
{
	apply(iftp, judge(iftp, (struct iftpv_lost){ 0 }, now));
}

void fdccp_iftp_refused(struct fdccp_iftp *iftp)
{
	iftp->n = most(iftp->n - 1, 1);
	iftp->threshold = most(least(iftp->threshold, iftp->n), IFTPV_WINDOW_MIN);
}

void fdccp_iftp_timeout(struct fdccp_iftp *iftp)
{
	iftp->verdicts[FDCCP_VERDICT_TIMEOUT]++;
	iftp->threshold = most(iftp->n / 2, IFTPV_WINDOW_MIN);
	iftp->n = 1;
	iftp->credit = 0;
	iftp->losses.congestion = true;
	iftp->course = (struct iftpv_course){ 0 };
}

void fdccp_iftp_idle(struct fdccp_iftp *iftp, int64_t timeouts)
{
	uint32_t floor = least(iftp->n, FDCCP_IFTP_FIRST);

	iftp->threshold = most(iftp->threshold, iftp->n * 3 / 4);
	for (; timeouts > 0 && iftp->n > floor; timeouts--)
		iftp->n = most(iftp->n / 2, floor);
}
