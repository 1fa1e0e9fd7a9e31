// SPDX-License-Identifier: GPL-2.0-or-later
/* The words and counters of the module xlo_rto: see rto.h. */
#include <linux/xlo_rto.h>
#include <stddef.h>

#include "rto.h"

const char *const rto_accept_words[] = {
	[0] = "none", [XRTO_ACCEPT_NATIVE] = "native",
	[XRTO_ACCEPT_EXTENSION] = "extension", [XRTO_ACCEPT_ALL] = "both", NULL,
};

const struct rto_counter rto_counters[] = {
	[XRTO_STATS_RECEIVED] = { "received", true },
	[XRTO_STATS_AT_ONCE] = { "at_once", false },
	[XRTO_STATS_SHORTENED] = { "shortened", false },
	[XRTO_STATS_IN_FLIGHT] = { "in_flight", false },
	[XRTO_STATS_DROP_AGAIN] = { "drop_again", false },
	[XRTO_STATS_CANCELLED] = { "cancelled", false },
	[XRTO_STATS_BACK] = { "back", true },
	[XRTO_STATS_EXTENDED] = { "extended", false },
	[XRTO_STATS_DEFER_AGAIN] = { "defer_again", false },
	[XRTO_STATS_DEFER_MOST] = { "defer_most", false },
	[XRTO_STATS_DEFER_NORMAL] = { "defer_normal", true },
	[XRTO_STATS_MALFORMED] = { "malformed", false },
	[XRTO_STATS_CHECKSUM] = { "checksum", false },
	[XRTO_STATS_CODE] = { "code", false },
	[XRTO_STATS_NOT_TCP] = { "not_tcp", false },
	[XRTO_STATS_NOT_OURS] = { "not_ours", false },
	[XRTO_STATS_HOPS] = { "hops", false },
	[XRTO_STATS_TOKEN] = { "token", true },
	[XRTO_STATS_HELD] = { "held", false },
	[XRTO_STATS_QUEUE_FULL] = { "queue_full", false },
	[XRTO_STATS_NO_SOCKET] = { "no_socket", false },
	[XRTO_STATS_BUSY] = { "busy", false },
	[XRTO_STATS_STATE] = { "state", true },
	[XRTO_STATS_SEQUENCE] = { "sequence", false },
	[XRTO_STATS_TIMESTAMP] = { "timestamp", false },
	[XRTO_STATS_OTHER_TIMER] = { "other_timer", false },
	[XRTO_STATS_EXPIRED] = { "expired", false },
	[XRTO_STATS_TOO_SOON] = { "too_soon", false },
	[XRTO_STATS_NO_ROOM] = { "no_room", false },
	[XRTO_STATS_LINK_UP] = { "link_up", true },
};

_Static_assert(sizeof(rto_counters) / sizeof(rto_counters[0]) ==
	       XRTO_STATS_MAX + 1, "a counter has no word");

const char *const rto_encoding_words[] = {
	[XRTO_ENCODING_NATIVE] = "native",
	[XRTO_ENCODING_EXTENSION] = "extension", NULL,
};

const char *const rto_early_words[] = {
	[XRTO_EARLY_RTT] = "rtt", [XRTO_EARLY_QUARTER] = "quarter", NULL,
};

const char *const rto_code_words[] = {
	[XRTO_CODE_DROP] = "drop", [XRTO_CODE_DEFER] = "defer",
	[XRTO_CODE_DISCARDED] = "discarded",
	[XRTO_CODE_LINK_UP] = "link-up", NULL,
};

const struct rto_counter rto_notices[] = {
	[XRTO_NOTICES_ASKED] = { "asked", false },
	[XRTO_NOTICES_SENT] = { "sent", true },
	[XRTO_NOTICES_MALFORMED] = { "malformed", false },
	[XRTO_NOTICES_FRAGMENT] = { "fragment", false },
	[XRTO_NOTICES_ICMP] = { "icmp", false },
	[XRTO_NOTICES_ADDRESS] = { "address", false },
	[XRTO_NOTICES_NOT_TCP] = { "not_tcp", false },
	[XRTO_NOTICES_SYN] = { "syn", false },
	[XRTO_NOTICES_RST] = { "rst", false },
	[XRTO_NOTICES_NO_OPTION] = { "no_option", true },
	[XRTO_NOTICES_HOST_LIMIT] = { "host_limit", false },
	[XRTO_NOTICES_LIMIT] = { "limit", false },
	[XRTO_NOTICES_QUEUE_FULL] = { "queue_full", false },
	[XRTO_NOTICES_NOMEM] = { "nomem", false },
	[XRTO_NOTICES_NO_ROUTE] = { "no_route", false },
	[XRTO_NOTICES_DROPPED] = { "dropped", true },
};

_Static_assert(sizeof(rto_notices) / sizeof(rto_notices[0]) ==
	       XRTO_NOTICES_MAX + 1, "a counter has no word");
