/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What user space knows of the module xlo: its words and its counters. */
#ifndef FRESHLINK_XLO_H
#define FRESHLINK_XLO_H

#include <linux/xlo.h>
#include <linux/xlo_genl.h>
#include <stdbool.h>

/** xlo_stale_words - by enum xlo_stale */
extern const char *const xlo_stale_words[];

/** xlo_clock_words - by enum xlo_clock */
extern const char *const xlo_clock_words[];

/** xlo_path_words - by XLO_PATH_* less 1, since 0 is none of them */
extern const char *const xlo_path_words[];

/** xlo_switch_words - by 0 and 1 */
extern const char *const xlo_switch_words[];

/**
 * struct xlo_counter - one counter of enum xlo_stats
 * @word: its name in text and JSON, NULL for what is none
 * @ends_line: the last on its line of text
 * @advice: what it means that it counts, and what to do; NULL where nothing is to be done
 */
struct xlo_counter {
	const char *word;
	bool ends_line;
	const char *advice;
};

/** xlo_counters - by enum xlo_stats, up to XLO_STATS_MAX */
extern const struct xlo_counter xlo_counters[];

#endif
