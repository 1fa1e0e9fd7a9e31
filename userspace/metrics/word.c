// SPDX-License-Identifier: GPL-2.0-or-later
/* Words of the numbers: see metric.h. */
#include "../lib/arqlink.h"
#include "../lib/lpd.h"
#include "../lib/rto.h"
#include "../lib/xlo.h"
#include "metric.h"

static const char *word_of(const struct fl_counter *table, unsigned int number)
{
	for (; table->key; table++)
		if (table->attr == number)
			return table->key;
	return NULL;
}

static const char *module_word(const struct module_counter *table, unsigned int max,
			       unsigned int number)
{
	return number <= max ? table[number].word : NULL;
}

const char *metric_word(enum state_kind kind, unsigned int number)
{
	switch (kind) {
	case STATE_LPD:
		return word_of(lpd_counters, number);
	case STATE_ARQ:
		return word_of(arql_counters, number);
	case STATE_XLO:
		return module_word(xlo_counters, XLO_STATS_MAX, number);
	case STATE_RTO:
		return module_word(rto_counters, XRTO_STATS_MAX, number);
	case STATE_NOTICES:
		return module_word(rto_notices, XRTO_NOTICES_MAX, number);
	default:
		return NULL;
	}
}
