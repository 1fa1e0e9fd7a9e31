// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compare RULE CASE|TRACE: prints a line of a table: the results of the rule that this program is
 * linked with, in a case or on a trace. The video has 0.6 times the mean rate.
 */
#include <stdio.h>
#include <string.h>

#include "../../userspace/pace/model.h"
#include "link.h"

#define USUAL								\
	.seed = 1, .buffer = 1000000, .delay = 20 * MS, .start = SEC,	\
	.lifetime = 300 * MS
#define STEADY	USUAL, .length = 40 * SEC, .rate = 625000

static const struct {
	const char *name;
	struct setup setup;
} cases[] = {
	{ "steady", { STEADY } },
	{ "fall", { STEADY, .turn = 20 * SEC, .factor = 0.1 } },
	{ "handover", { STEADY, .move = 20 * SEC } },
	{ "bursts", { STEADY, .grant = 40 * MS } },
	{ "downlink", { STEADY, .down = 300 * MS } },
	{ "echo", { STEADY, .echo = true } },
	{ "echo-downlink", { STEADY, .down = 300 * MS, .echo = true } },
	{ "losses", { STEADY, .lose = 0.1 } },
};

static double mean_rate(const struct setup *s)
{
	double turned = s->turn ? (s->length - s->turn) / (double)s->length : 0;

	if (s->trace)
		return (double)s->trace->count * PACE_PACKET * 1000 /
		       s->trace->ms[s->trace->count - 1];
	return s->rate * (1 - turned + turned * s->factor);
}

static struct setup find(const char *name, struct trace *trace)
{
	struct setup setup = { USUAL, .length = 140 * SEC };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(cases[i].name, name))
			return cases[i].setup;
	*trace = trace_load(name);
	setup.trace = trace;
	return setup;
}

int main(int argc, char **argv)
{
	struct result upload, video, best;
	struct trace trace;
	struct setup setup;

	if (argc != 3) {
		fputs("usage: compare RULE CASE|TRACE\n", stderr);
		return 2;
	}
	setup = find(argv[2], &trace);
	setup.place = strcmp(argv[1], "none") ? PLACE_PACE : PLACE_MODEM;
	upload = link_run(&setup);
	setup.video = 0.6 * mean_rate(&setup);
	video = link_run(&setup);
	setup.place = PLACE_RADIO;
	best = link_run(&setup);
	printf("%-8s  %5.3f  %6.0f  %6.0f  %6.0f  %5.3f  %7.3f  %11.0f\n",
	       argv[1], upload.used, (double)upload.queue_p50 / MS,
	       (double)upload.queue_p95 / MS, (double)upload.queue_p99 / MS,
	       video.video, video.video / best.video,
	       (double)video.control_p99 / MS);
	return 0;
}
