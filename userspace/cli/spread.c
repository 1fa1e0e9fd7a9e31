// SPDX-License-Identifier: GPL-2.0-or-later
/* The distribution of times: see spread.h. */
#include "spread.h"

/* Times below SPREAD_STEPS have a bucket each. Above, a power of two has SPREAD_STEPS buckets. */
static unsigned int bucket_of(uint64_t ns)
{
	unsigned int bits, shift;

	if (ns < SPREAD_STEPS)
		return (unsigned int)ns;
	bits = 63 - (unsigned int)__builtin_clzll(ns);
	shift = bits - (63 - (unsigned int)__builtin_clzll(SPREAD_STEPS));
	return (shift + 1) * SPREAD_STEPS + (unsigned int)((ns >> shift) - SPREAD_STEPS);
}

static int64_t middle_of(unsigned int bucket)
{
	unsigned int shift;

	if (bucket < SPREAD_STEPS)
		return bucket;
	shift = bucket / SPREAD_STEPS - 1;
	return ((int64_t)(SPREAD_STEPS + bucket % SPREAD_STEPS) << shift) +
	       ((INT64_C(1) << shift) >> 1);
}

void spread_add(struct spread *s, int64_t ns)
{
	if (ns < 0)
		ns = 0;
	if (!s->count || ns < s->least)
		s->least = ns;
	if (ns > s->greatest)
		s->greatest = ns;
	s->count++;
	s->sum += ns;
	s->bucket[bucket_of((uint64_t)ns)]++;
}

int64_t spread_percentile(const struct spread *s, unsigned int percent)
{
	uint64_t wanted = s->count * percent / 100, seen = 0;
	int64_t ns = s->greatest;

	for (unsigned int i = 0; i < SPREAD_BUCKETS; i++) {
		seen += s->bucket[i];
		if (seen > wanted) {
			ns = middle_of(i);
			break;
		}
	}
	if (ns < s->least)
		return s->least;
	return ns < s->greatest ? ns : s->greatest;
}

void spread_report(struct report *r, const char *key, const struct spread *s)
{
	report_open(r, key);
	report_seconds(r, "mean", s->count ? s->sum / (int64_t)s->count : 0);
	report_seconds(r, "min", s->least);
	report_seconds(r, "p5", spread_percentile(s, 5));
	report_seconds(r, "p95", spread_percentile(s, 95));
	report_seconds(r, "max", s->greatest);
	report_close(r);
}
