// SPDX-License-Identifier: GPL-2.0-or-later
/* The options and counters of cellink: see cellink.h. */
#include <linux/cellink.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cellink.h"
#include "text.h"

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

static const char *const ber_state_words[] = {
	[CELLINK_BER_STATE_PACKET] = "packet",
	[CELLINK_BER_STATE_BIT] = "bit",
	NULL,
};

static const char *const handover_words[] = {
	[CELLINK_HANDOVER_KEEP] = "keep",
	[CELLINK_HANDOVER_LOSE] = "lose",
	NULL,
};

const struct fl_option cell_options[] = {
	{ .word = "rate", .attr = CELLINK_RATE, .type = FL_RATE,
	  .min = 1, .max = CELLINK_RATE_MAX, .def = 0, .zero = "unlimited",
	  .help = "rate, including link-layer headers" },
	{ .word = "delay", .attr = CELLINK_DELAY, .type = FL_TIME,
	  .min = 0, .max = CELLINK_DELAY_MAX, .def = 0,
	  .help = "propagation delay" },
	{ .word = "ring_packets", .attr = CELLINK_RING_PACKETS, .type = FL_COUNT,
	  .min = 1, .max = CELLINK_RING_PACKETS_MAX,
	  .def = CELLINK_RING_PACKETS_DEFAULT, .unit = "packets",
	  .help = "packets the device accepts before it stops its queue" },
	{ .word = "ring_bytes", .attr = CELLINK_RING_BYTES, .type = FL_SIZE,
	  .min = 1, .max = CELLINK_RING_BYTES_MAX, .def = 0, .zero = "unlimited",
	  .help = "bytes the device accepts before it stops its queue" },
	{ .word = "buffer", .attr = CELLINK_BUFFER, .type = FL_SIZE,
	  .min = 1, .max = CELLINK_BUFFER_MAX, .def = 0, .zero = "none",
	  .help = "size of a modem's own buffer, which accepts packets at once and drops those that do not fit" },
	{ .word = "grant", .attr = CELLINK_GRANT, .type = FL_TIME,
	  .min = 1, .max = CELLINK_GRANT_MAX, .def = 0, .zero = "none",
	  .help = "time between two grants, at which packets leave in bursts" },
	{ .word = "loss", .attr = CELLINK_LOSS, .type = FL_PERCENT,
	  .min = 0, .max = CELLINK_LOSS_MAX, .def = 0,
	  .help = "share of the packets that are lost; if there is a bad state, only in the good state" },
	{ .word = "ber", .attr = CELLINK_BER, .type = FL_FRACTION,
	  .min = 0, .max = CELLINK_BER_MAX, .def = 0,
	  .help = "share of the bits that are bad; if there is a bad state, only in the good state" },
	{ .word = "good", .attr = CELLINK_GOOD, .type = FL_TIME,
	  .min = CELLINK_SOJOURN_MIN, .max = CELLINK_SOJOURN_MAX, .def = 0,
	  .zero = "always", .help = "mean time that the good state lasts" },
	{ .word = "bad", .attr = CELLINK_BAD, .type = FL_TIME,
	  .min = CELLINK_SOJOURN_MIN, .max = CELLINK_SOJOURN_MAX, .def = 0,
	  .zero = "never", .help = "mean time that the bad state lasts" },
	{ .word = "bad_loss", .attr = CELLINK_BAD_LOSS, .type = FL_PERCENT,
	  .min = 0, .max = CELLINK_LOSS_MAX, .def = 0,
	  .help = "share of the packets that are lost in the bad state" },
	{ .word = "bad_ber", .attr = CELLINK_BAD_BER, .type = FL_FRACTION,
	  .min = 0, .max = CELLINK_BER_MAX, .def = 0,
	  .help = "share of the bits that are bad in the bad state" },
	{ .word = "ber_state", .attr = CELLINK_BER_STATE, .type = FL_WORD,
	  .words = ber_state_words, .def = CELLINK_BER_STATE_PACKET,
	  .help = "state whose share of bad bits applies; packet: to all bits, the state in which the packet leaves; bit: to each bit, the state in which the bit is sent" },
	{ .word = "sojourn", .attr = CELLINK_SOJOURN, .type = FL_WORD,
	  .words = law_words, .def = CELLINK_LAW_EXPONENTIAL,
	  .help = "distribution of the times in both states" },
	{ .word = "corrupt", .attr = CELLINK_CORRUPT, .type = FL_WORD,
	  .words = corrupt_words, .def = CELLINK_CORRUPT_DROP,
	  .help = "what the device does with a packet that has bad bits; tolerant: it delivers the packet if its option says that a damaged payload is useful" },
	{ .word = "seed", .attr = CELLINK_SEED, .type = FL_COUNT,
	  .min = 0, .max = UINT32_MAX, .def = FL_NO_DEFAULT,
	  .help = "seed of all random numbers; by default a random number" },
	{ .word = "outage", .attr = CELLINK_OUTAGE, .type = FL_TIME,
	  .min = 1, .max = CELLINK_OUTAGE_TIME_MAX, .def = 0, .zero = "none",
	  .help = "length of an outage, during which nothing is sent" },
	{ .word = "outage_start", .attr = CELLINK_OUTAGE_START, .type = FL_TIME,
	  .min = 0, .max = CELLINK_OUTAGE_TIME_MAX, .def = 0,
	  .help = "time until the first outage" },
	{ .word = "outage_every", .attr = CELLINK_OUTAGE_EVERY, .type = FL_TIME,
	  .min = CELLINK_OUTAGE_EVERY_MIN, .max = CELLINK_OUTAGE_TIME_MAX,
	  .def = 0, .zero = "once",
	  .help = "time from the start of an outage to the start of the next" },
	{ .word = "outage_jitter", .attr = CELLINK_OUTAGE_JITTER,
	  .type = FL_TIME, .min = 0, .max = CELLINK_OUTAGE_TIME_MAX, .def = 0,
	  .help = "each outage starts later by up to this time; only with outage_law constant" },
	{ .word = "outage_law", .attr = CELLINK_OUTAGE_LAW, .type = FL_WORD,
	  .words = law_words, .def = CELLINK_LAW_CONSTANT,
	  .help = "distribution of the lengths of outages and of the times between them" },
	{ .word = "outages", .attr = CELLINK_OUTAGES, .type = FL_TEXT,
	  .def = FL_NO_DEFAULT, .unit = "start+length,...",
	  .help = "up to 32 outages by their times, instead of the options above; or none" },
	{ .word = "handover", .attr = CELLINK_HANDOVER, .type = FL_WORD,
	  .words = handover_words, .def = CELLINK_HANDOVER_KEEP,
	  .help = "what happens to packets under way when this change is made" },
	{ .word = NULL },
};

_Static_assert(sizeof(cell_options) / sizeof(cell_options[0]) == CELL_OPTIONS + 1,
	       "CELL_OPTIONS");

static const char *const once_words[] = { "no", "yes", NULL };

#define TRACE_OPTIONS(name)						\
	{ .word = name "_lines", .attr = CELLINK_A_COUNT,		\
	  .type = FL_COUNT },						\
	{ .word = name "_length", .attr = CELLINK_A_LENGTH,		\
	  .type = FL_TIME },						\
	{ .word = name "_size", .attr = CELLINK_A_OPPORTUNITY,		\
	  .type = FL_SIZE },						\
	{ .word = name "_once", .attr = CELLINK_A_ONCE,			\
	  .type = FL_WORD, .words = once_words },			\
	{ .word = name "_start", .attr = CELLINK_A_OFFSET,		\
	  .type = FL_TIME },						\
	{ .word = name "_position", .attr = CELLINK_A_POSITION,		\
	  .type = FL_TIME },						\
	{ .word = NULL }

const struct fl_option cell_trace_options[] = { TRACE_OPTIONS("trace") };
const struct fl_option cell_turns_options[] = { TRACE_OPTIONS("turns") };

static bool parse_outage(const char *text, size_t len,
			 struct cellink_outage *outage)
{
	uint64_t start, length;
	char buf[64], *plus;

	if (len >= sizeof(buf))
		return false;
	memcpy(buf, text, len);
	buf[len] = '\0';
	plus = strchr(buf, '+');
	if (!plus)
		return false;
	*plus = '\0';
	if (!fl_parse(buf, fl_units_time, &start) ||
	    !fl_parse(plus + 1, fl_units_time, &length))
		return false;
	*outage = (struct cellink_outage){ .start = start, .length = length };
	return true;
}

int cell_parse_outages(const char *text, struct cellink_outage *list)
{
	const char *at = text;
	int count = 0;

	if (!strcmp(text, "none"))
		return 0;
	for (;;) {
		size_t len = strcspn(at, ",");

		if (count == CELLINK_OUTAGES_MAX ||
		    !parse_outage(at, len, &list[count++]))
			break;
		if (!at[len])
			return count;
		at += len + 1;
	}
	fl_error("cellink", "outages %s: expected up to %d of START+LENGTH, separated by commas, times in s, ms, us or ns; or none",
		 text, CELLINK_OUTAGES_MAX);
	return -1;
}

const char *cell_format_outages(const struct cellink_outage *list, int count,
				char *buf, size_t len)
{
	char start[32], length[32];
	size_t used = 0;

	snprintf(buf, len, "none");
	for (int i = 0; i < count && used < len; i++)
		used += snprintf(buf + used, len - used, "%s%s+%s",
				 i ? "," : "",
				 fl_format(list[i].start, fl_units_time, start,
					   sizeof(start)),
				 fl_format(list[i].length, fl_units_time,
					   length, sizeof(length)));
	return buf;
}

const struct fl_counter cell_counters[] = {
	{ CELLINK_STATS_PACKETS_IN, "packets_in", false },
	{ CELLINK_STATS_SENT, "sent", false },
	{ CELLINK_STATS_SENT_BYTES, "sent_bytes", false },
	{ CELLINK_STATS_DELIVERED, "delivered", false },
	{ CELLINK_STATS_DELIVERED_BYTES, "delivered_bytes", false },
	{ CELLINK_STATS_DAMAGED, "damaged", false },
	{ CELLINK_STATS_HELD, "held", true },
	{ CELLINK_STATS_OVERFLOW, "overflow", false },
	{ CELLINK_STATS_LOST, "lost", false },
	{ CELLINK_STATS_CORRUPTED, "corrupted", false },
	{ CELLINK_STATS_HANDOVER, "handover", false },
	{ CELLINK_STATS_PEER_DOWN, "peer_down", false },
	{ CELLINK_STATS_REFUSED, "refused", false },
	{ CELLINK_STATS_PURGED, "purged", true },
	{ CELLINK_STATS_STATE, "state", false },
	{ CELLINK_STATS_GOOD_NS, "good_ns", false },
	{ CELLINK_STATS_BAD_NS, "bad_ns", false },
	{ CELLINK_STATS_DOWN, "down", false },
	{ CELLINK_STATS_OUTAGES, "outages", false },
	{ CELLINK_STATS_OUTAGE_NS, "outage_ns", true },
	{ 0, NULL, false },
};
