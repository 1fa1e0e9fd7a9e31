// SPDX-License-Identifier: GPL-2.0-or-later
/* The keywords and names of counters of the module xlo: see xlo.h. */
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

const struct module_counter xlo_counters[] = {
	[XLO_STATS_STAMPED_OUTPUT] = { "stamped_output", false, NULL },
	[XLO_STATS_STAMPED_FORWARD] = { "stamped_forward", false, NULL },
	[XLO_STATS_DEADLINES] = { "deadlines", true, NULL },
	[XLO_STATS_PRESENT] = { "present", false, NULL },
	/* 1436 is 1500 minus 48 for IPv6 and UDP, and 16 for the option */
	[XLO_STATS_NO_ROOM_MTU] = { "no_room_mtu", false,
		"packets left without a lifetime, because with the option they would exceed the MTU; send packets that leave 8 bytes of it (IPv6: 16), from ffmpeg with pkt_size=1436" },
	[XLO_STATS_NO_ROOM_HEADER] = { "no_room_header", false, NULL },
	[XLO_STATS_TOO_BIG] = { "too_big", true, NULL },
	[XLO_STATS_PIECES] = { "pieces", false, NULL },
	[XLO_STATS_AUTHENTICATED] = { "authenticated", false, NULL },
	[XLO_STATS_NOT_TCP] = { "not_tcp", false, NULL },
	[XLO_STATS_BAD_HEADER] = { "bad_header", false, NULL },
	[XLO_STATS_NOMEM] = { "nomem", true, NULL },
	[XLO_STATS_CLAMPED] = { "clamped", false, NULL },
	[XLO_STATS_RESIZED] = { "resized", false, NULL },
	[XLO_STATS_MSS_CLAMPED] = { "mss_clamped", true, NULL },
	[XLO_STATS_RELATIVE] = { "relative", false, NULL },
	[XLO_STATS_ABSOLUTE] = { "absolute", false, NULL },
	[XLO_STATS_NO_LIFETIME] = { "no_lifetime", false, NULL },
	[XLO_STATS_NO_OPTION] = { "no_option", false, NULL },
	[XLO_STATS_MALFORMED] = { "malformed", true, NULL },
	[XLO_STATS_RESERVED] = { "reserved", false, NULL },
	[XLO_STATS_CAPPED] = { "capped", false, NULL },
	[XLO_STATS_EVENTS_HELD] = { "events_held", true, NULL },
};

_Static_assert(sizeof(xlo_counters) / sizeof(xlo_counters[0]) ==
	       XLO_STATS_MAX + 1, "a counter has no word");
