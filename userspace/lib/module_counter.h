/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters of the modules xlo and xlo_rto. */
#ifndef FRESHLINK_MODULE_COUNTER_H
#define FRESHLINK_MODULE_COUNTER_H

#include <stdbool.h>

/**
 * struct module_counter - a counter, in a table by its number
 * @word: its name in text and JSON, NULL if the number is not a counter
 * @ends_line: the counter is the last counter on its line of text
 * @advice: what the counter means and what to do; NULL if nothing needs to be done
 */
struct module_counter {
	const char *word;
	bool ends_line;
	const char *advice;
};

#endif
