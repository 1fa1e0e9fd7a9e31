/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What user space knows of cellink: the options of a direction and its counters. */
#ifndef FRESHLINK_CELLINK_H
#define FRESHLINK_CELLINK_H

#include "options.h"
#include "payload.h"

/** cell_options - the options of "ip link ... type cellink" */
extern const struct fl_option cell_options[];

#define CELL_OPTIONS	13	/* rows of cell_options */

/** cell_counters - every counter of IFLA_INFO_XSTATS */
extern const struct fl_counter cell_counters[];

#endif
