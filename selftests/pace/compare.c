// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compare RULE TRACE: prints a line of a table: what the rule that this program is linked with
 * achieves on a trace, compared with lpd directly above the radio. The video has 0.6 times the mean
 * rate of the trace.
 */
#include <stdio.h>
#include <string.h>

#include "../../userspace/pace/model.h"
#include "link.h"

static const struct setup usual = {
	.seed = 1, .length = 140 * SEC, .buffer = 1000000, .delay = 20 * MS,
	.start = SEC, .lifetime = 300 * MS,
};

static double mean_rate(const struct trace *t)
{
	return (double)t->count * PACE_PACKET * 1000 / t->ms[t->count - 1];
}

int main(int argc, char **argv)
{
	struct setup setup = usual;
	struct result upload, video, best;
	struct trace trace;

	if (argc != 3) {
		fputs("usage: compare RULE TRACE\n", stderr);
		return 2;
	}
	trace = trace_load(argv[2]);
	setup.trace = &trace;
	setup.place = strcmp(argv[1], "none") ? PLACE_PACE : PLACE_MODEM;
	upload = link_run(&setup);
	setup.video = 0.6 * mean_rate(&trace);
	video = link_run(&setup);
	setup.place = PLACE_RADIO;
	best = link_run(&setup);
	printf("%-8s  %6.3f  %8.0f  %8.0f  %5.3f  %6.3f  %11.0f\n", argv[1],
	       upload.used, (double)upload.queue_p50 / MS,
	       (double)upload.queue_p95 / MS, video.video,
	       video.video / best.video, (double)video.control_p99 / MS);
	return 0;
}
