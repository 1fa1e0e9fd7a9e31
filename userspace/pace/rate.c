// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rate of a link.
 *
 * A sample is computed as in BBR (draft-ietf-ccwg-bbr, "Delivery Rate Samples"): the bytes
 * between two answered probes, divided by the longer of the time between their departures and
 * the time between their arrivals. The earlier probe is the probe whose answer was the newest
 * answer when the later probe left. The estimate is the maximum of the samples of 600 ms, because a
 * sample can only be too low. A sample during which lpd was empty is not the rate of the link, but
 * a lower bound. If the modem had a queue during the whole sample, however, the sample is the rate.
 */
#include "model.h"

#define PART		(75 * (int64_t)FL_MS)	/* an eighth of the time that the maximum covers */
#define BURST_DECAY	0.9			/* factor of the measured burst per answer */
#define BURST_MAX	(100 * FL_MS)		/* longest burst, as time at the estimated rate */

const struct pace_answer *pace_rate_last(const struct pace_rate *r)
{
	return r->count ? &r->marks[(r->count - 1) % PACE_MARKS] : NULL;
}

const struct pace_answer *pace_rate_oldest(const struct pace_rate *r)
{
	if (r->count <= PACE_MARKS)
		return r->count ? &r->marks[0] : NULL;
	return &r->marks[r->count % PACE_MARKS];
}

/* Returns the rate between two answers. The reflector's times of arrival are better than our own
 * times, because the delay on the way back may change. They are used only if they agree with our
 * own times.
 */
static double sample(const struct pace_answer *from, const struct pace_answer *to,
		     bool is_plausible)
{
	int64_t departures = to->sent - from->sent;
	int64_t time = to->heard - from->heard;
	int64_t most = to->heard - to->sent + from->heard - from->sent;
	int64_t reached = to->reached - from->reached;

	if (is_plausible && from->has_times && reached >= time - most &&
	    reached <= time + most)
		time = reached;
	if (time < departures)
		time = departures;
	return (double)(to->bytes - from->bytes) * FL_SEC / time;
}

/* Returns the newest mark whose answer was known when the probe of @a left, or the oldest mark.
 * Sets r->limited.
 */
static const struct pace_answer *earlier(struct pace_rate *r,
					 const struct pace_answer *a)
{
	uint64_t i = r->count - 1;

	r->limited = a->idle;
	for (; i && r->count - i < PACE_MARKS; i--) {
		const struct pace_answer *mark = &r->marks[i % PACE_MARKS];

		if (mark->heard <= a->sent)
			return mark;
		r->limited |= mark->idle;
	}
	return &r->marks[i % PACE_MARKS];
}

static void take_peak(struct pace_rate *r, double rate, int64_t now)
{
	if (now - r->peak_from >= PART) {
		r->peak_from = now;
		r->peak = (r->peak + 1) % PACE_PEAKS;
		r->peaks[r->peak] = 0;
	}
	if (rate > r->peaks[r->peak])
		r->peaks[r->peak] = rate;
	r->bytes_per_s = 0;
	for (int i = 0; i < PACE_PEAKS; i++)
		if (r->peaks[i] > r->bytes_per_s)
			r->bytes_per_s = r->peaks[i];
}

/* Measures bursts. A link that several users share by turns delivers bytes late, and then many
 * bytes together.
 */
static void take_burst(struct pace_rate *r, const struct pace_answer *a,
		       const struct pace_answer *last)
{
	double most = r->bytes_per_s * BURST_MAX / FL_SEC;
	double due = r->bytes_per_s * (a->heard - last->heard) / FL_SEC;

	r->ahead += a->bytes - last->bytes - due;
	if (r->ahead < 0)
		r->ahead = 0;
	if (r->ahead > most)
		r->ahead = most;
	r->burst *= BURST_DECAY;
	if (r->burst < r->ahead)
		r->burst = r->ahead;
}

bool pace_rate_take(struct pace_rate *r, const struct pace_answer *a,
		    bool is_plausible, bool late)
{
	const struct pace_answer *last = pace_rate_last(r);

	if (last) {
		double rate = sample(earlier(r, a), a, is_plausible);

		r->known |= !r->limited || late;
		if (!r->limited || late || rate >= r->bytes_per_s)
			take_peak(r, rate, a->heard);
		take_burst(r, a, last);
	}
	r->marks[r->count++ % PACE_MARKS] = *a;
	return last;
}
