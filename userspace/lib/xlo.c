// SPDX-License-Identifier: GPL-2.0-or-later
/* The words and counters of the module xlo: see xlo.h. */
#include <stddef.h>

#include "xlo.h"

const char *const xlo_stale_words[] = {
	[XLO_STALE_FORWARD] = "forward", [XLO_STALE_DISCARD] = "discard",
	[XLO_STALE_TRUNCATE] = "truncate", NULL,
};

const char *const xlo_clock_words[] = {
	[XLO_CLOCK_RELATIVE] = "relative", [XLO_CLOCK_UTC] = "utc", NULL,
};

const char *const xlo_path_words[] = {
	[XLO_PATH_OUTPUT - 1] = "output", [XLO_PATH_FORWARD - 1] = "forward",
	[XLO_PATH_ALL - 1] = "both", NULL,
};

const char *const xlo_switch_words[] = { "off", "on", NULL };

const struct xlo_counter xlo_counters[] = {
	[XLO_STATS_STAMPED_OUTPUT] = { "stamped_output", false },
	[XLO_STATS_STAMPED_FORWARD] = { "stamped_forward", false },
	[XLO_STATS_DEADLINES] = { "deadlines", true },
	[XLO_STATS_PRESENT] = { "present", false },
	[XLO_STATS_NO_ROOM_MTU] = { "no_room_mtu", false },
	[XLO_STATS_NO_ROOM_HEADER] = { "no_room_header", false },
	[XLO_STATS_TOO_BIG] = { "too_big", true },
	[XLO_STATS_PIECES] = { "pieces", false },
	[XLO_STATS_AUTHENTICATED] = { "authenticated", false },
	[XLO_STATS_NOT_TCP] = { "not_tcp", false },
	[XLO_STATS_BAD_HEADER] = { "bad_header", false },
	[XLO_STATS_NOMEM] = { "nomem", true },
	[XLO_STATS_CLAMPED] = { "clamped", false },
	[XLO_STATS_RESIZED] = { "resized", false },
	[XLO_STATS_MSS_CLAMPED] = { "mss_clamped", true },
	[XLO_STATS_RELATIVE] = { "relative", false },
	[XLO_STATS_ABSOLUTE] = { "absolute", false },
	[XLO_STATS_NO_LIFETIME] = { "no_lifetime", false },
	[XLO_STATS_NO_OPTION] = { "no_option", false },
	[XLO_STATS_MALFORMED] = { "malformed", true },
	[XLO_STATS_RESERVED] = { "reserved", false },
	[XLO_STATS_CAPPED] = { "capped", false },
	[XLO_STATS_EVENTS_HELD] = { "events_held", true },
};

_Static_assert(sizeof(xlo_counters) / sizeof(xlo_counters[0]) ==
	       XLO_STATS_MAX + 1, "a counter has no word");
