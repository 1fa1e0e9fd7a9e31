/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The whole screen of freshlink top, as lines of text. */
#ifndef FRESHLINK_VIEW_H
#define FRESHLINK_VIEW_H

#include <stdio.h>

#include "sample.h"
#include "top.h"

/**
 * struct top_view - what is shown
 * @now: the counters
 * @before: the counters at the last look, without objects at the first look
 * @hide_idle: leave out rows for which top_row_is_idle() is true
 * @sample: the sample of packets, sorted, or NULL
 * @one_device: the sample is of one device, and all its flows are shown; otherwise those of the rows
 * @one_in: one in so many packets is in the sample
 * @sample_ns: time in which the sample was taken, above 0
 * @lost: packets of the sample that were lost
 * @flows: number of flows that are shown at most
 * @device_name: function that writes the name of the device with an index into IF_NAMESIZE bytes,
 *	and returns it
 */
struct top_view {
	const struct state *now;
	const struct state *before;
	bool hide_idle;
	const struct top_sample *sample;
	bool one_device;
	uint32_t one_in;
	int64_t sample_ns;
	uint32_t lost;
	int flows;
	const char *(*device_name)(unsigned int index, char *buf);
};

/** top_view_print - print the lines of the screen below its first line */
void top_view_print(const struct top_view *v, FILE *out);

#endif
