// SPDX-License-Identifier: GPL-2.0-or-later
/* The options and counters of the qdisc lpd: see lpd.h. */
#include <linux/pkt_sched_lpd.h>
#include <string.h>

#include "lpd.h"

#define LPD_RATE_MAX	125000000000ULL		/* 1 Tbit/s in bytes/s */

static const char *const stale_words[] = {
	[TC_LPD_STALE_HONOR] = "honor",
	[TC_LPD_STALE_FORWARD] = "forward",
	[TC_LPD_STALE_DISCARD] = "discard",
	[TC_LPD_STALE_TRUNCATE] = "truncate",
	NULL,
};

static const char *const order_words[] = {
	[TC_LPD_ORDER_FIFO] = "fifo",
	[TC_LPD_ORDER_EDF] = "edf",
	NULL,
};

static const char *const overflow_words[] = {
	[TC_LPD_OVERFLOW_TAIL] = "tail",
	[TC_LPD_OVERFLOW_HEAD] = "head",
	[TC_LPD_OVERFLOW_STALEST] = "stalest",
	[TC_LPD_OVERFLOW_LEAST] = "least",
	NULL,
};

/* words that replace a rate or a time: FL_OTHER is TC_LPD_LINK */
static const char *const link_words[] = { "link", NULL };

_Static_assert(FL_OTHER == TC_LPD_LINK, "link");

const struct fl_option lpd_options[] = {
	{ .word = "limit", .attr = TCA_LPD_LIMIT, .type = FL_COUNT,
	  .min = 1, .max = TC_LPD_LIMIT_MAX, .def = TC_LPD_LIMIT_DEFAULT,
	  .unit = "packets", .help = "packets the queue holds" },
	{ .word = "memory", .attr = TCA_LPD_MEMORY, .type = FL_SIZE,
	  .min = TC_LPD_MEMORY_MIN, .max = UINT32_MAX,
	  .def = TC_LPD_MEMORY_DEFAULT,
	  .help = "buffer memory the queue holds" },
	{ .word = "order", .attr = TCA_LPD_ORDER, .type = FL_WORD,
	  .words = order_words, .def = TC_LPD_ORDER_FIFO,
	  .help = "which packet is sent next; fifo: the one that arrived first, edf: the one with the earliest deadline" },
	{ .word = "overflow", .attr = TCA_LPD_OVERFLOW, .type = FL_WORD,
	  .words = overflow_words, .def = TC_LPD_OVERFLOW_TAIL,
	  .help = "which packet is dropped when the queue is full; tail: the one that arrives, head: the one to be sent next, stalest: the one that becomes stale first, least: the one with the least importance" },
	{ .word = "rate", .attr = TCA_LPD_RATE, .type = FL_RATE,
	  .min = 1, .max = LPD_RATE_MAX, .def = 0, .zero = "unlimited", .words = link_words,
	  .help = "rate of the link below; a packet's transmission time is subtracted from its lifetime; link: lpd asks the device, an arqlink" },
	{ .word = "delay", .attr = TCA_LPD_DELAY, .type = FL_TIME,
	  .min = 0, .max = TC_LPD_DELAY_MAX, .def = 0, .words = link_words,
	  .help = "delay of the link below; it is subtracted from the lifetime, too; link: lpd asks the device, an arqlink" },
	{ .word = "stale", .attr = TCA_LPD_STALE, .type = FL_WORD,
	  .words = stale_words, .def = TC_LPD_STALE_HONOR,
	  .help = "what lpd does with a stale packet; honor: what the packet's option or rule asks for, truncate: it sends only the headers" },
	{ .word = "keep", .attr = TCA_LPD_KEEP, .type = FL_SIZE,
	  .min = 0, .max = TC_LPD_KEEP_MAX, .def = 0,
	  .help = "payload that stays in a UDP packet cut to its headers" },
	{ .word = "lifetime", .attr = TCA_LPD_LIFETIME, .type = FL_TIME,
	  .min = 1, .max = TC_LPD_LIFETIME_MAX, .def = 0, .zero = "none",
	  .help = "lifetime of IP packets that carry no option, or one that says \"none\"" },
	{ .word = "exempt", .attr = TCA_LPD_EXEMPT, .type = FL_SWITCH, .def = 0,
	  .help = "do not apply lifetime and match to packets whose option says \"none\"" },
	{ .word = "match", .attr = TCA_LPD_MATCH, .type = FL_TEXT, .unit = "rule",
	  .def = FL_NO_DEFAULT,
	  .help = "lifetime of IP packets that match a rule and carry no option, or one that says \"none\"; RULE: mark VALUE[/MASK]|dscp DSCP|priority NUMBER, then TIME|none, then [forward|discard|truncate] [importance NUMBER]; 1 to 32 rules, or none" },
	{ .word = "adu", .attr = TCA_LPD_ADU, .type = FL_SWITCH, .def = 1,
	  .help = "if one fragment is dropped, drop all fragments of the datagram" },
	{ .word = "strip", .attr = TCA_LPD_STRIP, .type = FL_SWITCH, .def = 0,
	  .help = "remove the option from packets that leave" },
	{ .word = "notify", .attr = TCA_LPD_NOTIFY, .type = FL_SWITCH, .def = 0,
	  .help = "inform the source of each packet that was discarded because it was stale" },
	{ .word = "share", .attr = TCA_LPD_SHARE, .type = FL_COUNT,
	  .min = 0, .max = TC_LPD_SHARE_MAX, .def = TC_LPD_SHARE_DEFAULT,
	  .unit = "percent", .help = "share of the link for the class :1, which holds the packets without a lifetime; 0: no class" },
	{ .word = NULL },
};

_Static_assert(sizeof(lpd_options) / sizeof(lpd_options[0]) == LPD_OPTIONS + 1,
	       "LPD_OPTIONS");

const struct fl_counter lpd_counters[] = {
	{ TCA_LPD_STATS_PACKETS_IN, "packets_in", false },
	{ TCA_LPD_STATS_PACKETS_OUT, "packets_out", false },
	{ TCA_LPD_STATS_QUEUED, "queued", true },
	{ TCA_LPD_STATS_STALE_ENQUEUE, "stale_enqueue", false },
	{ TCA_LPD_STATS_STALE_DEQUEUE, "stale_dequeue", false },
	{ TCA_LPD_STATS_STALE_PEEK, "stale_peek", false },
	{ TCA_LPD_STATS_STALE_PURGE, "stale_purge", false },
	{ TCA_LPD_STATS_STALE_TIMER, "stale_timer", false },
	{ TCA_LPD_STATS_UNCUTTABLE, "uncuttable", true },
	{ TCA_LPD_STATS_ADU, "adu", false },
	{ TCA_LPD_STATS_OVERFLOW_LIMIT, "overflow_limit", false },
	{ TCA_LPD_STATS_OVERFLOW_MEMORY, "overflow_memory", false },
	{ TCA_LPD_STATS_NOMEM, "nomem", false },
	{ TCA_LPD_STATS_CLASS_DROPS, "class_drops", false },
	{ TCA_LPD_STATS_RESET, "reset", true },
	{ TCA_LPD_STATS_STALE_FORWARDED, "stale_forwarded", false },
	{ TCA_LPD_STATS_TRUNCATED, "truncated", false },
	{ TCA_LPD_STATS_TRUNCATED_BYTES, "truncated_bytes", true },
	{ TCA_LPD_STATS_REORDERED, "reordered", false },
	{ TCA_LPD_STATS_STRIPPED, "stripped", false },
	{ TCA_LPD_STATS_REWRITTEN, "rewritten", false },
	{ TCA_LPD_STATS_NOTIFIED, "notified", true },
	{ TCA_LPD_STATS_NO_LIFETIME, "no_lifetime", false },
	{ TCA_LPD_STATS_DEFAULT_LIFETIME, "default_lifetime", false },
	{ TCA_LPD_STATS_MATCHED, "matched", false },
	{ TCA_LPD_STATS_MALFORMED, "malformed", false },
	{ TCA_LPD_STATS_RESERVED, "reserved", false },
	{ TCA_LPD_STATS_UNTRACKED, "untracked", true },
	{ TCA_LPD_STATS_FAST, "fast", false },
	{ TCA_LPD_STATS_SLOW_FORM, "slow_form", false },
	{ TCA_LPD_STATS_SLOW_SHARED, "slow_shared", false },
	{ TCA_LPD_STATS_SLOW_ORDER, "slow_order", false },
	{ TCA_LPD_STATS_SLOW_CONFIG, "slow_config", true },
	{ TCA_LPD_STATS_PROBES, "probes", false },
	{ TCA_LPD_STATS_PROBE_OVERFLOW, "probe_overflow", false },
	{ TCA_LPD_STATS_UNSEGMENTED, "unsegmented", true },
	{ TCA_LPD_STATS_GATE, "gate", false },
	{ TCA_LPD_STATS_GATE_WINDOW, "gate_window", false },
	{ TCA_LPD_STATS_GATE_RATE, "gate_rate", false },
	{ TCA_LPD_STATS_GATE_DELAY, "gate_delay", true },
	{ TCA_LPD_STATS_GATE_BYTES, "gate_bytes", false },
	{ TCA_LPD_STATS_GATE_ACKED, "gate_acked", false },
	{ TCA_LPD_STATS_GATE_CLOSED_NS, "gate_closed_ns", false },
	{ TCA_LPD_STATS_GATE_TIMEOUTS, "gate_timeouts", true },
	{ TCA_LPD_STATS_LINK_RATE, "link_rate", false },
	{ TCA_LPD_STATS_LINK_DELAY, "link_delay", true },
	{ 0, NULL, false },
};
