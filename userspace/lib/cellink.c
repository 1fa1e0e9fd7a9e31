// SPDX-License-Identifier: GPL-2.0-or-later
/* The options and counters of cellink: see cellink.h. */
#include <linux/cellink.h>
#include <stddef.h>

#include "cellink.h"

const struct fl_option cell_options[] = {
	{ .word = "rate", .attr = CELLINK_RATE, .type = FL_RATE,
	  .min = 1, .max = CELLINK_RATE_MAX, .def = 0, .zero = "unlimited",
	  .help = "rate, link-layer headers included" },
	{ .word = "delay", .attr = CELLINK_DELAY, .type = FL_TIME,
	  .min = 0, .max = CELLINK_DELAY_MAX, .def = 0,
	  .help = "propagation delay" },
	{ .word = "ring_packets", .attr = CELLINK_RING_PACKETS, .type = FL_COUNT,
	  .min = 1, .max = CELLINK_RING_PACKETS_MAX,
	  .def = CELLINK_RING_PACKETS_DEFAULT, .unit = "packets",
	  .help = "packets the device takes before it stops its queue" },
	{ .word = "ring_bytes", .attr = CELLINK_RING_BYTES, .type = FL_SIZE,
	  .min = 1, .max = CELLINK_RING_BYTES_MAX, .def = 0, .zero = "unlimited",
	  .help = "bytes likewise" },
	{ .word = NULL },
};

_Static_assert(sizeof(cell_options) / sizeof(cell_options[0]) == CELL_OPTIONS + 1,
	       "CELL_OPTIONS");

const struct fl_counter cell_counters[] = {
	{ CELLINK_STATS_PACKETS_IN, "packets_in", false },
	{ CELLINK_STATS_SENT, "sent", false },
	{ CELLINK_STATS_SENT_BYTES, "sent_bytes", false },
	{ CELLINK_STATS_DELIVERED, "delivered", false },
	{ CELLINK_STATS_DELIVERED_BYTES, "delivered_bytes", false },
	{ CELLINK_STATS_HELD, "held", true },
	{ CELLINK_STATS_PEER_DOWN, "peer_down", false },
	{ CELLINK_STATS_REFUSED, "refused", false },
	{ CELLINK_STATS_PURGED, "purged", true },
	{ 0, NULL, false },
};
