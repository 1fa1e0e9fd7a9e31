// SPDX-License-Identifier: GPL-2.0-or-later
/* The keywords and names of counters of the module xlo_rto: see rto.h. */
#include <linux/xlo_rto.h>
#include <stddef.h>

#include "rto.h"

const char *const rto_accept_words[] = {
	[0] = "none", [XRTO_ACCEPT_NATIVE] = "native",
	[XRTO_ACCEPT_EXTENSION] = "extension", [XRTO_ACCEPT_ALL] = "both", NULL,
};

const struct module_counter rto_counters[] = {
	[XRTO_STATS_RECEIVED] = { "received", true, NULL },
	[XRTO_STATS_AT_ONCE] = { "at_once", false, NULL },
	[XRTO_STATS_SHORTENED] = { "shortened", false, NULL },
	[XRTO_STATS_IN_FLIGHT] = { "in_flight", false, NULL },
	[XRTO_STATS_DROP_AGAIN] = { "drop_again", false, NULL },
	[XRTO_STATS_CANCELLED] = { "cancelled", false, NULL },
	[XRTO_STATS_BACK] = { "back", true, NULL },
	[XRTO_STATS_EXTENDED] = { "extended", false, NULL },
	[XRTO_STATS_DEFER_AGAIN] = { "defer_again", false, NULL },
	[XRTO_STATS_DEFER_MOST] = { "defer_most", false, NULL },
	[XRTO_STATS_DEFER_NORMAL] = { "defer_normal", true, NULL },
	[XRTO_STATS_MALFORMED] = { "malformed", false, NULL },
	[XRTO_STATS_CHECKSUM] = { "checksum", false, NULL },
	[XRTO_STATS_CODE] = { "code", false, NULL },
	[XRTO_STATS_NOT_TCP] = { "not_tcp", false, NULL },
	[XRTO_STATS_NOT_OURS] = { "not_ours", false, NULL },
	[XRTO_STATS_HOPS] = { "hops", false, NULL },
	[XRTO_STATS_TOKEN] = { "token", true, NULL },
	[XRTO_STATS_HELD] = { "held", false, NULL },
	[XRTO_STATS_QUEUE_FULL] = { "queue_full", false, NULL },
	[XRTO_STATS_NO_SOCKET] = { "no_socket", false, NULL },
	[XRTO_STATS_BUSY] = { "busy", false, NULL },
	[XRTO_STATS_STATE] = { "state", true, NULL },
	[XRTO_STATS_SEQUENCE] = { "sequence", false, NULL },
	[XRTO_STATS_TIMESTAMP] = { "timestamp", false, NULL },
	[XRTO_STATS_OTHER_TIMER] = { "other_timer", false, NULL },
	[XRTO_STATS_EXPIRED] = { "expired", false, NULL },
	[XRTO_STATS_TOO_SOON] = { "too_soon", false, NULL },
	[XRTO_STATS_NO_ROOM] = { "no_room", false, NULL },
	[XRTO_STATS_LINK_UP] = { "link_up", true, NULL },
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

const struct module_counter rto_notices[] = {
	[XRTO_NOTICES_ASKED] = { "asked", false, NULL },
	[XRTO_NOTICES_SENT] = { "sent", true, NULL },
	[XRTO_NOTICES_MALFORMED] = { "malformed", false, NULL },
	[XRTO_NOTICES_FRAGMENT] = { "fragment", false, NULL },
	[XRTO_NOTICES_ICMP] = { "icmp", false, NULL },
	[XRTO_NOTICES_ADDRESS] = { "address", false, NULL },
	[XRTO_NOTICES_NOT_TCP] = { "not_tcp", false, NULL },
	[XRTO_NOTICES_SYN] = { "syn", false, NULL },
	[XRTO_NOTICES_RST] = { "rst", false, NULL },
	[XRTO_NOTICES_NO_OPTION] = { "no_option", true, NULL },
	[XRTO_NOTICES_HOST_LIMIT] = { "host_limit", false, NULL },
	[XRTO_NOTICES_LIMIT] = { "limit", false, NULL },
	[XRTO_NOTICES_QUEUE_FULL] = { "queue_full", false, NULL },
	[XRTO_NOTICES_NOMEM] = { "nomem", false, NULL },
	[XRTO_NOTICES_NO_ROUTE] = { "no_route", false, NULL },
	[XRTO_NOTICES_DROPPED] = { "dropped", true, NULL },
};

_Static_assert(sizeof(rto_notices) / sizeof(rto_notices[0]) ==
	       XRTO_NOTICES_MAX + 1, "a counter has no word");
