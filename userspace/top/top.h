/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The screen of freshlink top.
 *
 * The files of this folder only compute. They read no clock, and do no input or output.
 */
#ifndef FRESHLINK_TOP_H
#define FRESHLINK_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../metrics/state.h"

#define TOP_CAUSES	16	/* causes of a row; no object has more */
#define TOP_LEFT	(TC_LPD_HIST_BUCKETS / 2)	/* characters of a histogram */
#define TOP_NUMBER	16	/* bytes of a formatted number */
#define TOP_WIDTH	512	/* columns of a line, at most */

/* Rates: rate.c */

/**
 * top_rate - how fast a number rises
 * @now: the object
 * @before: the same object earlier, or NULL
 * @number: the number
 * @ns: time between the two, above 0
 *
 * Return: the increase in a second, 0 if the number fell or @before is NULL
 */
double top_rate(const struct state_object *now, const struct state_object *before,
		unsigned int number, int64_t ns);

/**
 * struct top_cause - a cause and the packets that it takes
 * @word: the cause
 * @rate: packets in a second
 */
struct top_cause {
	const char *word;
	double rate;
};

/**
 * struct top_row - a line of the screen: a device or class
 * @device: name of the device
 * @handle: handle of the qdisc or class, or "arqlink"
 * @rate: bytes sent in a second
 * @backlog: what waits, in bytes
 * @packets: what waits, in packets
 * @has_bytes: @backlog is known
 * @left: share of the packets sent since the last look that had so much lifetime left, one
 *	character for two buckets of TCA_LPD_STATS_REMAINING, see top_histogram(); or ""
 * @link_rate: estimated rate of the link, in bytes/s, 0 if unknown
 * @link_delay: estimated delay of the link in ns, 0 if unknown
 * @lost: discarded packets in a second, the sum of @cause
 * @cause: causes with a rate above 0, the highest rate first
 * @causes: number of @cause
 */
struct top_row {
	char device[IF_NAMESIZE];
	char handle[16];
	double rate;
	uint64_t backlog;
	uint64_t packets;
	bool has_bytes;
	char left[TOP_LEFT + 1];
	uint64_t link_rate;
	uint64_t link_delay;
	double lost;
	struct top_cause cause[TOP_CAUSES];
	int causes;
};

/**
 * top_row_make - compute a row
 * @row: written
 * @now: the object: an lpd, a class or an arqlink
 * @before: the same object earlier, or NULL
 * @ns: time between the two
 */
void top_row_make(struct top_row *row, const struct state_object *now,
		  const struct state_object *before, int64_t ns);

/** top_row_is_idle - whether nothing was sent or discarded, and nothing waits */
bool top_row_is_idle(const struct top_row *row);

/**
 * top_causes - collect rates by cause
 * @causes: TOP_CAUSES entries, written in falling order
 * @name: name of a metric with the label "cause"
 * @now: the object
 * @before: the same object earlier, or NULL
 * @ns: time between the two
 *
 * Return: number of causes with a rate above 0
 */
int top_causes(struct top_cause *causes, const char *name, const struct state_object *now,
	       const struct state_object *before, int64_t ns);

/**
 * top_histogram - shares of a histogram as characters
 * @now: buckets now
 * @before: buckets earlier, or NULL
 * @text: written: "." for no packet, a digit for so many tenths of the packets, rounded down, "#"
 *	for all; "" if there is no packet at all
 */
void top_histogram(const uint64_t *now, const uint64_t *before, char text[TOP_LEFT + 1]);

/* Numbers: format.c */

/** top_bits - format a rate given in bytes/s as bit/s in at most 6 characters, such as "2.05M" */
const char *top_bits(double rate, char buf[TOP_NUMBER]);

/** top_bytes - format bytes in at most 6 characters, such as "12.3k", where k is 1024 */
const char *top_bytes(double bytes, char buf[TOP_NUMBER]);

/** top_count - format a number of packets in at most 6 characters, such as "0.25" or "1.2M" */
const char *top_count(double packets, char buf[TOP_NUMBER]);

/** top_time - format a time in ns in at most 6 characters, such as "20ms" */
const char *top_time(uint64_t ns, char buf[TOP_NUMBER]);

/* Lines: line.c */

/** top_device_width - columns that a name of a device needs when it is shown */
int top_device_width(const char *device);

/**
 * top_head - the head of the table
 * @device: width of the column of devices
 * @line: written, TOP_WIDTH bytes
 */
void top_head(int device, char *line);

/** top_line - a row of the table, like top_head() */
void top_line(const struct top_row *row, int device, char *line);

/* Delay as typed: prompt.c */

#define TOP_PROMPT	12	/* bytes of a typed delay */

/**
 * struct top_prompt - a delay that is being typed
 * @text: what was typed so far
 * @len: its length
 */
struct top_prompt {
	char text[TOP_PROMPT];
	size_t len;
};

/** enum top_typed - result of a key */
enum top_typed {
	TOP_TYPING,
	TOP_DONE,
	TOP_CANCELLED,
};

#define TOP_DELAY_MIN	100000000ULL		/* ns */
#define TOP_DELAY_MAX	3600000000000ULL

/**
 * top_prompt_key - take a key
 * @p: the delay
 * @key: the key; Return ends, Escape cancels, Backspace removes the last character
 * @delay: written with TOP_DONE, in ns
 *
 * Return: what the key did. A delay that is no number of seconds from 0.1 to 3600 cancels
 */
enum top_typed top_prompt_key(struct top_prompt *p, int key, int64_t *delay);

#endif
