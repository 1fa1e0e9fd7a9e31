/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What user space knows of the qdisc lpd: its options and its counters. */
#ifndef FRESHLINK_LPD_H
#define FRESHLINK_LPD_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"

/** lpd_options - the options of "tc qdisc ... lpd" */
extern const struct fl_option lpd_options[];

#define LPD_OPTIONS	11	/* rows of lpd_options */

/**
 * struct lpd_counter - one counter of TCA_STATS_APP; a NULL key ends the table
 * @attr: its attribute
 * @key: its name in text and JSON
 * @ends_line: the last on its line of text
 */
struct lpd_counter {
	uint16_t attr;
	const char *key;
	bool ends_line;
};

/** lpd_counters - every counter but the histogram */
extern const struct lpd_counter lpd_counters[];

/**
 * union lpd_payload - the payload of an attribute of TCA_OPTIONS
 * @u8: of a word or switch
 * @u32: of a count or size
 * @u64: of a rate or time
 */
union lpd_payload {
	uint8_t u8;
	uint32_t u32;
	uint64_t u64;
};

/**
 * lpd_encode - turn a value into its attribute's payload
 * @opt: the option
 * @number: its value
 * @payload: written
 *
 * Return: bytes of @payload in use
 */
int lpd_encode(const struct fl_option *opt, uint64_t number,
	       union lpd_payload *payload);

/**
 * lpd_decode - turn an attribute's payload into a value
 * @data: the payload
 * @len: its length
 *
 * Return: the number it holds; 0 if its length is none of 1, 4, 8
 */
uint64_t lpd_decode(const void *data, int len);

#endif
