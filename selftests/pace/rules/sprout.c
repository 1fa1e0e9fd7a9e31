// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sprout (Winstein, Sivaraman, Balakrishnan 2013), with the moving average of "Sprout-EWMA" and
 * the caution of Sprout: the window is the number of bytes that the link delivers in the next
 * 100 ms with a probability of 95 %, if the rate changes like a Brownian motion.
 */
#include <math.h>

#include "../../../userspace/pace/model.h"

#define GAIN	0.125		/* per tick of 20 ms */
#define TICK	(20.0 * FL_MS)
#define HORIZON	(100.0 * FL_MS)
#define CAUTION	1.645		/* standard deviations */

double pace_rule(const struct pace *p, double round)
{
	static double mean, variance;
	const struct pace_answer *now = pace_rate_last(&p->rate);
	const struct pace_answer *last;
	double time, rate, gain, error, sure;

	(void)round;
	if (p->rate.count < 3)
		mean = variance = 0;
	last = &p->rate.marks[(p->rate.count - 2) % PACE_MARKS];
	time = now->reached - last->reached;
	if (!now->has_times || time < FL_MS)
		time = now->heard - last->heard;
	if (time < FL_MS)
		time = FL_MS;
	rate = (now->bytes - last->bytes) * FL_SEC / time;
	gain = 1 - exp(-GAIN * time / TICK);
	error = rate - mean;
	mean += gain * error;
	variance += gain * (error * error * time / HORIZON - variance);
	sure = mean - CAUTION * sqrt(variance);
	if (sure < 0)
		sure = 0;
	return mean * p->delay.base / FL_SEC + sure * HORIZON / FL_SEC;
}
