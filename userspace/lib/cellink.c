// SPDX-License-Identifier: GPL-2.0-or-later
/* The options and counters of cellink: see cellink.h. */
#include <linux/cellink.h>
#include <stddef.h>

#include "cellink.h"

static const char *const law_words[] = {
	[CELLINK_LAW_EXPONENTIAL] = "exponential",
	[CELLINK_LAW_CONSTANT] = "constant",
	NULL,
};

static const char *const corrupt_words[] = {
	[CELLINK_CORRUPT_DROP] = "drop",
	[CELLINK_CORRUPT_DELIVER] = "deliver",
	[CELLINK_CORRUPT_TOLERANT] = "tolerant",
	NULL,
};

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
	{ .word = "loss", .attr = CELLINK_LOSS, .type = FL_PERCENT,
	  .min = 0, .max = CELLINK_LOSS_MAX, .def = 0,
	  .help = "packets lost; with bad, in the good state" },
	{ .word = "ber", .attr = CELLINK_BER, .type = FL_FRACTION,
	  .min = 0, .max = CELLINK_BER_MAX, .def = 0,
	  .help = "bits that are bad; likewise" },
	{ .word = "good", .attr = CELLINK_GOOD, .type = FL_TIME,
	  .min = CELLINK_SOJOURN_MIN, .max = CELLINK_SOJOURN_MAX, .def = 0,
	  .zero = "always", .help = "mean time that the good state lasts" },
	{ .word = "bad", .attr = CELLINK_BAD, .type = FL_TIME,
	  .min = CELLINK_SOJOURN_MIN, .max = CELLINK_SOJOURN_MAX, .def = 0,
	  .zero = "never", .help = "mean time that the bad state lasts" },
	{ .word = "bad_loss", .attr = CELLINK_BAD_LOSS, .type = FL_PERCENT,
	  .min = 0, .max = CELLINK_LOSS_MAX, .def = 0,
	  .help = "packets lost in the bad state" },
	{ .word = "bad_ber", .attr = CELLINK_BAD_BER, .type = FL_FRACTION,
	  .min = 0, .max = CELLINK_BER_MAX, .def = 0,
	  .help = "bits that are bad in the bad state" },
	{ .word = "sojourn", .attr = CELLINK_SOJOURN, .type = FL_WORD,
	  .words = law_words, .def = CELLINK_LAW_EXPONENTIAL,
	  .help = "how the times of both states are distributed" },
	{ .word = "corrupt", .attr = CELLINK_CORRUPT, .type = FL_WORD,
	  .words = corrupt_words, .def = CELLINK_CORRUPT_DROP,
	  .help = "what becomes of a packet with bad bits; tolerant: delivered if its option says that a damaged payload is of use" },
	{ .word = "seed", .attr = CELLINK_SEED, .type = FL_COUNT,
	  .min = 0, .max = UINT32_MAX, .def = FL_NO_DEFAULT,
	  .help = "what all chances begin with; by default a random number" },
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
	{ CELLINK_STATS_DAMAGED, "damaged", false },
	{ CELLINK_STATS_HELD, "held", true },
	{ CELLINK_STATS_LOST, "lost", false },
	{ CELLINK_STATS_CORRUPTED, "corrupted", false },
	{ CELLINK_STATS_PEER_DOWN, "peer_down", false },
	{ CELLINK_STATS_REFUSED, "refused", false },
	{ CELLINK_STATS_PURGED, "purged", true },
	{ CELLINK_STATS_STATE, "state", false },
	{ CELLINK_STATS_GOOD_NS, "good_ns", false },
	{ CELLINK_STATS_BAD_NS, "bad_ns", true },
	{ 0, NULL, false },
};
