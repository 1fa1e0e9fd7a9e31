// SPDX-License-Identifier: GPL-2.0-or-later
/* The model of an access link: see model.h. */
#include "model.h"

#define FIRST_WINDOW	(10 * PACE_PACKET)	/* as TCP begins (RFC 6928) */

void pace_init(struct pace *p, const struct pace_config *config, int64_t now)
{
	*p = (struct pace){
		.config = *config,
		.window = FIRST_WINDOW,
		.credit = FIRST_WINDOW,
		.credit_at = now,
		.payload_at = now,
		.heard_at = now,
	};
	pace_delay_init(&p->delay);
}

void pace_forget(struct pace *p)
{
	pace_delay_init(&p->delay);
	p->rate.count = 0;
	p->answered = p->probes;
}

void pace_answered(struct pace *p, const struct pace_answer *a)
{
	const struct pace_answer *last = pace_rate_last(&p->rate);

	p->state = PACE_RUNNING;
	p->others = 0;
	p->heard_at = a->heard;
	if (last && (a->sent <= last->sent || a->bytes < last->bytes))
		return;
	p->answered = a->number + 1;
	pace_delay_take(&p->delay, a, last, pace_rate_oldest(&p->rate));
	if (pace_rate_take(&p->rate, a, pace_is_late(p)))
		pace_window_adapt(p, a, last);
}
