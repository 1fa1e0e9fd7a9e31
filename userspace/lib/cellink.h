/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cellink in user space: the options and the counters of a direction. */
#ifndef FRESHLINK_CELLINK_H
#define FRESHLINK_CELLINK_H

#include <linux/cellink.h>

#include "options.h"
#include "payload.h"

/** cell_options - the options of "ip link ... type cellink" */
extern const struct fl_option cell_options[];

#define CELL_OPTIONS	23	/* rows of cell_options */

/** cell_trace_options - shown values of a trace loaded with "freshlink trace load" */
extern const struct fl_option cell_trace_options[];

/** cell_turns_options - shown values of a trace loaded with --turns */
extern const struct fl_option cell_turns_options[];

/**
 * cell_parse_outages - read "START+LENGTH,START+LENGTH", or "none"
 * @text: as typed
 * @list: space for CELLINK_OUTAGES_MAX, written
 *
 * Return: the number of outages, or -1 after a message on standard error about what is expected
 */
int cell_parse_outages(const char *text, struct cellink_outage *list);

/**
 * cell_format_outages - print outages in the format of cell_parse_outages()
 * @list: outages
 * @count: number of outages, up to CELLINK_OUTAGES_MAX
 * @buf: written
 * @len: size of @buf; CELL_OUTAGES_LEN is always enough
 *
 * Return: @buf
 */
const char *cell_format_outages(const struct cellink_outage *list, int count,
				char *buf, size_t len);

#define CELL_OUTAGES_LEN	(CELLINK_OUTAGES_MAX * 48)

/** cell_counters - every counter of IFLA_INFO_XSTATS */
extern const struct fl_counter cell_counters[];

#endif
