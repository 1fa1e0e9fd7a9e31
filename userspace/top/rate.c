// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of the screen from two looks at the counters: see top.h. */
#include <linux/pkt_sched.h>
#include <stdio.h>
#include <string.h>

#include "../metrics/metric.h"
#include "top.h"

/* A counter falls when the object was made anew under the same name. */
static uint64_t increase(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

double top_rate(const struct state_object *now, const struct state_object *before,
		unsigned int number, int64_t ns)
{
	if (!before)
		return 0;
	return increase(now->number[number], before->number[number]) * 1e9 / ns;
}

static const struct metric *find_metric(const char *name)
{
	const struct metric *m = metric_table;

	while (m->name && strcmp(m->name, name))
		m++;
	return m;
}

/* Puts a cause in its place. There are few. */
static void insert(struct top_cause *causes, int count, const char *word, double rate)
{
	for (; count && causes[count - 1].rate < rate; count--)
		causes[count] = causes[count - 1];
	causes[count] = (struct top_cause){ word, rate };
}

int top_causes(struct top_cause *causes, const char *name, const struct state_object *now,
	       const struct state_object *before, int64_t ns)
{
	const struct metric *m = find_metric(name);
	int count = 0;

	for (const uint16_t *number = m->numbers; *number && count < TOP_CAUSES; number++) {
		double rate = top_rate(now, before, *number, ns);

		if (rate > 0)
			insert(causes, count++, metric_word(m->kind, *number), rate);
	}
	return count;
}

void top_histogram(const uint64_t *now, const uint64_t *before, char text[TOP_LEFT + 1])
{
	uint64_t pairs[TOP_LEFT] = { 0 }, sum = 0;

	for (int i = 0; i < TC_LPD_HIST_BUCKETS; i++) {
		uint64_t count = increase(now[i], before ? before[i] : now[i]);

		pairs[i / 2] += count;
		sum += count;
	}
	memset(text, 0, TOP_LEFT + 1);
	for (int i = 0; sum && i < TOP_LEFT; i++) {
		text[i] = '.';
		if (pairs[i])
			text[i] = pairs[i] == sum ? '#' : '0' + (int)(pairs[i] * 10.0 / sum);
	}
}

static void sum_causes(struct top_row *row)
{
	for (int i = 0; i < row->causes; i++)
		row->lost += row->cause[i].rate;
}

static void name_handle(struct top_row *row, uint32_t handle)
{
	unsigned int minor = TC_H_MIN(handle);

	snprintf(row->handle, sizeof(row->handle), minor ? "%x:%x" : "%x:",
		 TC_H_MAJ(handle) >> 16, minor);
}

static void fill_queue(struct top_row *row, const struct state_object *now)
{
	name_handle(row, now->handle);
	row->has_bytes = true;
	row->backlog = now->number[STATE_BACKLOG];
	row->packets = now->number[STATE_QUEUED];
}

/* The gate's estimate comes from freshlink pace, and the link's own from the device below. */
static void fill_lpd(struct top_row *row, const struct state_object *now,
		     const struct state_object *before, int64_t ns)
{
	bool gate = now->number[TCA_LPD_STATS_GATE];

	fill_queue(row, now);
	row->packets = now->number[TCA_LPD_STATS_QUEUED];
	row->link_rate = now->number[gate ? TCA_LPD_STATS_GATE_RATE : TCA_LPD_STATS_LINK_RATE];
	row->link_delay = now->number[gate ? TCA_LPD_STATS_GATE_DELAY : TCA_LPD_STATS_LINK_DELAY];
	row->causes = top_causes(row->cause, "lpd_discarded_packets_total", now, before, ns);
	if (before)
		top_histogram(now->remaining, before->remaining, row->left);
}

static void fill_class(struct top_row *row, const struct state_object *now,
		       const struct state_object *before, int64_t ns)
{
	double drops = top_rate(now, before, STATE_DROPS, ns);

	fill_queue(row, now);
	if (drops > 0)
		row->cause[row->causes++] = (struct top_cause){ "drops", drops };
}

static void fill_arq(struct top_row *row, const struct state_object *now,
		     const struct state_object *before, int64_t ns)
{
	snprintf(row->handle, sizeof(row->handle), "arqlink");
	row->rate = top_rate(now, before, ARQLINK_STATS_SENT_BYTES, ns);
	row->packets = now->number[ARQLINK_STATS_HELD];
	row->link_rate = now->number[ARQLINK_STATS_EFFECTIVE_RATE];
	row->link_delay = now->number[ARQLINK_STATS_DELAY_50];
	row->causes = top_causes(row->cause, "arq_discarded_packets_total", now, before, ns);
}

void top_row_make(struct top_row *row, const struct state_object *now,
		  const struct state_object *before, int64_t ns)
{
	*row = (struct top_row){ .rate = top_rate(now, before, STATE_BYTES, ns) };
	memcpy(row->device, now->device, sizeof(row->device));
	if (now->kind == STATE_LPD)
		fill_lpd(row, now, before, ns);
	else if (now->kind == STATE_CLASS)
		fill_class(row, now, before, ns);
	else
		fill_arq(row, now, before, ns);
	sum_causes(row);
}

bool top_row_is_idle(const struct top_row *row)
{
	return !(row->rate > 0) && !(row->lost > 0) && !row->packets;
}
