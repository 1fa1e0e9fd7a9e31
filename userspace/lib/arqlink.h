/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arqlink in user space: the options and the counters of a device. */
#ifndef FRESHLINK_ARQLINK_H
#define FRESHLINK_ARQLINK_H

#include "options.h"
#include "payload.h"

/** arql_options - the options of "ip link ... type arqlink" */
extern const struct fl_option arql_options[];

#define ARQL_OPTIONS	31	/* rows of arql_options */

/** arql_counters - every counter of IFLA_INFO_XSTATS except ARQLINK_STATS_SRTTVAR, which has a sign */
extern const struct fl_counter arql_counters[];

#endif
