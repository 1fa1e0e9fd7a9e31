/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output as text or as JSON, by calls of the same functions. A report is one line of text ("key
 * value key value") or one JSON object on a line.
 */
#ifndef FRESHLINK_REPORT_H
#define FRESHLINK_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "../lib/options.h"

/**
 * struct report - a report that is being printed
 * @json: print JSON
 * @any: the line or object already has a member
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
 * @event: name of the event
 * @time_ns: time of the event, CLOCK_REALTIME
 */
struct report report_event(bool json, const char *event, int64_t time_ns);

/** report_number - add a whole number */
void report_number(struct report *r, const char *key, int64_t value);

/** report_seconds - add a time, given in ns and printed in seconds */
void report_seconds(struct report *r, const char *key, int64_t ns);

/** report_share - add the share of @part in @whole, printed as a fraction of 1 */
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
 * JSON has numbers in base units. Text has numbers as the user types them. A word is the same
 * in JSON and in text. A flag is true or false in JSON, yes or no in text. A mark in JSON has
 * its mask as a separate key.
 */
void report_value(struct report *r, const char *key,
		  const struct fl_option *opt, const struct fl_value *value);

/** report_option - add an option's value, with a key such as "corrupt_ok" for --corrupt-ok */
void report_option(struct report *r, const struct fl_option *opt,
		   const struct fl_value *value);

/** report_advice - add a line of advice about a key, in text only */
void report_advice(struct report *r, const char *key, const char *advice);

/** report_open - open an object for the following members. Text has only the key of the object */
void report_open(struct report *r, const char *key);

/** report_close - close the object. An empty object is "none" in text */
void report_close(struct report *r);

/** report_break - start a new line, in text only */
void report_break(struct report *r);

/** report_end - close the report and flush standard output */
void report_end(struct report *r);

#endif
