/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output as text or JSON by the same calls: a report is one line of text
 * ("key value key value") or one JSON object on a line of its own.
 */
#ifndef FRESHLINK_REPORT_H
#define FRESHLINK_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "../lib/options.h"

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

/**
 * report_event - open the report of an event
 * @json: as JSON
 * @event: what happened
 * @time_ns: when, CLOCK_REALTIME
 */
struct report report_event(bool json, const char *event, int64_t time_ns);

/** report_number - add a whole number */
void report_number(struct report *r, const char *key, int64_t value);

/** report_seconds - add a time given in ns, shown in seconds */
void report_seconds(struct report *r, const char *key, int64_t ns);

/** report_share - add @part of @whole, shown as a fraction of 1 */
void report_share(struct report *r, const char *key, uint32_t part,
		  uint32_t whole);

/** report_text - add a text */
void report_text(struct report *r, const char *key, const char *text);

/**
 * report_value - add an option's value
 * @r: the report
 * @key: its key
 * @opt: the option
 * @value: the value
 *
 * Numbers go into JSON in base units, into text the way they are typed; a word
 * is a word in both. A flag is true or false, and yes or no in text. A mark has
 * its mask in JSON as a key of its own.
 */
void report_value(struct report *r, const char *key,
		  const struct fl_option *opt, const struct fl_value *value);

/** report_option - report_value() under the option's word, "corrupt_ok" */
void report_option(struct report *r, const struct fl_option *opt,
		   const struct fl_value *value);

/** report_advice - in text a line of its own about a key; none in JSON */
void report_advice(struct report *r, const char *key, const char *advice);

/** report_open - open an object whose members follow; in text they just do */
void report_open(struct report *r, const char *key);

/** report_close - close it; one without members is "none" in text */
void report_close(struct report *r);

/** report_break - go on in a new line of text; none in JSON */
void report_break(struct report *r);

/** report_end - close and flush it */
void report_end(struct report *r);

#endif
