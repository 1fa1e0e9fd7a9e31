/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The qdisc lpd in user space: its options and its counters. */
#ifndef FRESHLINK_LPD_H
#define FRESHLINK_LPD_H

#include "match.h"
#include "options.h"
#include "payload.h"

/** lpd_options - the options of "tc qdisc ... lpd" */
extern const struct fl_option lpd_options[];

#define LPD_OPTIONS	15	/* rows of lpd_options */

/** lpd_counters - every counter except the histogram */
extern const struct fl_counter lpd_counters[];

#endif
