// SPDX-License-Identifier: GPL-2.0-or-later
/* The model of an access link: see model.h. */
#include "model.h"

#define STEP_MAX	4	/* probes */
#define STEP_GAIN	0.0625
#define FIRST_WINDOW	(10 * PACE_PACKET)	/* TCP's initial window (RFC 6928) */

void pace_init(struct pace *p, const struct pace_config *config, int64_t now)
{
	*p = (struct pace){
		.config = *config,
		.window = FIRST_WINDOW,
		.credit = FIRST_WINDOW,
		.credit_at = now,
		.payload_at = INT64_MIN / 2,
		.step = 1,
	};
	pace_delay_init(&p->delay);
}

void pace_forget(struct pace *p)
{
	pace_delay_init(&p->delay);
	p->rate.count = 0;
	p->answered = p->probes;
}

/* Returns whether the reflector's times in an answer and in an answer some seconds before agree.
 * The delay to the reflector can change by at most the sum of the two round-trip delays.
 */
static bool is_plausible(const struct pace_answer *a,
			 const struct pace_answer *old)
{
	int64_t change, most;

	if (!a->has_times || !old)
		return a->has_times;
	change = (a->reached - a->sent) - (old->reached - old->sent);
	most = a->heard - a->sent + old->heard - old->sent;
	return old->has_times && change >= -most && change <= most;
}

/* Limits each step, because an outage does not count as a loss of many probes. */
static void count_losses(struct pace *p, uint32_t number)
{
	uint32_t step = number + 1 - p->answered;

	p->step += ((step < STEP_MAX ? step : STEP_MAX) - p->step) * STEP_GAIN;
	p->answered = number + 1;
}

void pace_answered(struct pace *p, const struct pace_answer *a)
{
	const struct pace_answer *last = pace_rate_last(&p->rate);
	bool plausible = is_plausible(a, pace_rate_oldest(&p->rate));

	p->state = PACE_RUNNING;
	p->others = 0;
	if (last && (a->sent <= last->sent || a->bytes < last->bytes))
		return;
	count_losses(p, a->number);
	pace_delay_take(&p->delay, a, last, plausible);
	if (pace_rate_take(&p->rate, a, plausible, pace_is_late(p)))
		pace_window_adapt(p, a, last);
}
