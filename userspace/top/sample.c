// SPDX-License-Identifier: GPL-2.0-or-later
/* The largest flows of a sample: see sample.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/text.h"
#include "sample.h"

#define FORMAT	"%-*s %6s %6s  %s"

static struct top_flow *find(struct top_sample *s, const struct flow *flow, unsigned int ifindex)
{
	for (int i = 0; i < s->count; i++)
		if (s->flows[i].ifindex == ifindex && flow_is_same(&s->flows[i].flow, flow))
			return &s->flows[i];
	return NULL;
}

static struct top_flow *smallest(struct top_sample *s)
{
	struct top_flow *least = s->flows;

	for (int i = 1; i < s->count; i++)
		if (s->flows[i].bytes < least->bytes)
			least = &s->flows[i];
	return least;
}

void top_sample_add(struct top_sample *s, const struct flow *flow, unsigned int ifindex,
		    uint32_t bytes)
{
	struct top_flow *f = find(s, flow, ifindex);

	s->packets++;
	s->bytes += bytes;
	if (!f && s->count < TOP_FLOWS)
		f = &s->flows[s->count++];
	else if (!f)
		f = smallest(s);
	f->flow = *flow;
	f->ifindex = ifindex;
	f->bytes += bytes;
}

static int compare(const void *a, const void *b)
{
	const struct top_flow *left = a, *right = b;

	return (left->bytes < right->bytes) - (left->bytes > right->bytes);
}

void top_sample_sort(struct top_sample *s)
{
	qsort(s->flows, s->count, sizeof(s->flows[0]), compare);
}

void top_flow_head(int device, char *line)
{
	snprintf(line, TOP_WIDTH, FORMAT, device, "DEVICE", "BIT/S", "SHARE", "FLOW");
}

void top_flow_line(const struct top_flow *f, const struct top_sample *s, uint32_t one_in,
		   int64_t ns, const char *name, int device, char *line)
{
	char shown[FL_ESCAPED(IF_NAMESIZE)], flow[FLOW_TEXT], number[TOP_NUMBER], share[TOP_NUMBER];

	snprintf(share, sizeof(share), "%.0f%%", f->bytes * 100.0 / s->bytes);
	snprintf(line, TOP_WIDTH, FORMAT, device,
		 fl_escape(name, strnlen(name, IF_NAMESIZE), shown),
		 top_bits(f->bytes * 1e9 * one_in / ns, number), share,
		 flow_format(&f->flow, flow));
}
