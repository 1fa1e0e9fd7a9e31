/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The distribution of times, in constant memory: mean, least, greatest and percentiles. */
#ifndef FRESHLINK_SPREAD_H
#define FRESHLINK_SPREAD_H

#include <stdint.h>

#include "report.h"

#define SPREAD_STEPS	64	/* buckets from a power of two to the next: an error of 0.8 % */
#define SPREAD_BUCKETS	(64 * SPREAD_STEPS)

/**
 * struct spread - a distribution
 * @count: times
 * @sum: of all, in ns
 * @least: the least
 * @greatest: the greatest
 * @bucket: times of about the same length
 */
struct spread {
	uint64_t count;
	int64_t sum, least, greatest;
	uint32_t bucket[SPREAD_BUCKETS];
};

/** spread_add - add a time in ns; less than 0 counts as 0 */
void spread_add(struct spread *s, int64_t ns);

/**
 * spread_percentile - the time below which a share of all times are
 * @s: the distribution
 * @percent: 0 to 100
 *
 * Return: the middle of the bucket, within @least and @greatest; 0 without times
 */
int64_t spread_percentile(const struct spread *s, unsigned int percent);

/** spread_report - add mean, least, greatest, 5th and 95th percentile to a report, as an object */
void spread_report(struct report *r, const char *key, const struct spread *s);

#endif
