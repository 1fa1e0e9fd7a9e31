// SPDX-License-Identifier: GPL-2.0-or-later
/* The round-trip times of a connection. */
#include "rtt.h"

#define SPAN	INT64_C(2000000000)

/* Begins the spans that have passed since the last sample. */
static void begin_spans(struct fdccp_rtts *rtts, int64_t now)
{
	int64_t passed = (now - rtts->since) / SPAN;

	rtts->since += passed * SPAN;
	for (int64_t i = 0; i < passed && i < FDCCP_RTT_SPANS; i++) {
		rtts->latest = (rtts->latest + 1) % FDCCP_RTT_SPANS;
		rtts->least[rtts->latest] = 0;
	}
}

void fdccp_rtts_add(struct fdccp_rtts *rtts, int64_t sample, int64_t now)
{
	int64_t *least;

	begin_spans(rtts, now);
	least = &rtts->least[rtts->latest];
	if (!*least || sample < *least)
		*least = sample;
	fdccp_rto_sample(&rtts->rto, sample);
	rtts->last = sample;
	rtts->count++;
}

void fdccp_rtts_restart(struct fdccp_rtts *rtts)
{
	*rtts = (struct fdccp_rtts){ .last = rtts->last, .count = rtts->count };
}

int64_t fdccp_rtts_least(const struct fdccp_rtts *rtts)
{
	int64_t least = 0;

	for (unsigned int i = 0; i < FDCCP_RTT_SPANS; i++)
		if (rtts->least[i] && (!least || rtts->least[i] < least))
			least = rtts->least[i];
	return least;
}
