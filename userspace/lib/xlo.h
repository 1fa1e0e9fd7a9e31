/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The module xlo in user space: its words and its counters. */
#ifndef FRESHLINK_XLO_H
#define FRESHLINK_XLO_H

#include <linux/xlo.h>
#include <linux/xlo_genl.h>

#include "module_counter.h"

/** xlo_stale_words - words, indexed by enum xlo_stale */
extern const char *const xlo_stale_words[];

/** xlo_clock_words - words, indexed by enum xlo_clock */
extern const char *const xlo_clock_words[];

/** xlo_path_words - words, indexed by XLO_PATH_* minus 1, because 0 is not a path */
extern const char *const xlo_path_words[];

/** xlo_switch_words - words, indexed by 0 and 1 */
extern const char *const xlo_switch_words[];

/** xlo_counters - counters, indexed by enum xlo_stats, up to XLO_STATS_MAX */
extern const struct module_counter xlo_counters[];

#endif
