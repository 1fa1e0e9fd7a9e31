/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output as text or JSON by the same calls: a report is one line of text
 * ("key value key value") or one JSON object on a line of its own.
 */
#ifndef FRESHLINK_REPORT_H
#define FRESHLINK_REPORT_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct report - a report being printed
 * @json: as JSON
 * @any: something is on the line already
 */
struct report {
	bool json;
	bool any;
};

/** report_begin - open a report on standard output */
struct report report_begin(bool json);

/** report_number - add a whole number */
void report_number(struct report *r, const char *key, int64_t value);

/** report_seconds - add a time given in ns, shown in seconds */
void report_seconds(struct report *r, const char *key, int64_t ns);

/** report_text - add a text */
void report_text(struct report *r, const char *key, const char *text);

/** report_end - close and flush it */
void report_end(struct report *r);

#endif
