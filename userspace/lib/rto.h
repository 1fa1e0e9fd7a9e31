/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The module xlo_rto in user space: its words and its counters. */
#ifndef FRESHLINK_RTO_H
#define FRESHLINK_RTO_H

#include <linux/xlo_rto_genl.h>

#include "module_counter.h"

/** rto_accept_words - words, indexed by a bitwise or of XRTO_ACCEPT_* */
extern const char *const rto_accept_words[];

/** rto_encoding_words - words, indexed by XRTO_ENCODING_* */
extern const char *const rto_encoding_words[];

/** rto_early_words - words, indexed by XRTO_EARLY_* */
extern const char *const rto_early_words[];

/** rto_code_words - words, indexed by XRTO_CODE_* */
extern const char *const rto_code_words[];

/** rto_counters - counters, indexed by enum xrto_stats, up to XRTO_STATS_MAX */
extern const struct module_counter rto_counters[];

/** rto_notices - counters, indexed by enum xrto_notices, up to XRTO_NOTICES_MAX */
extern const struct module_counter rto_notices[];

#endif
