/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads and writes the values of options and counters in the payload of netlink attributes. */
#ifndef FRESHLINK_PAYLOAD_H
#define FRESHLINK_PAYLOAD_H

#include <linux/if_ether.h>
#include <stdbool.h>
#include <stdint.h>

#include "options.h"

/**
 * struct fl_counter - one counter of the kernel; a NULL key ends a table
 * @attr: its attribute
 * @key: its name in text and JSON
 * @ends_line: the counter is the last counter on its line of text
 */
struct fl_counter {
	uint16_t attr;
	const char *key;
	bool ends_line;
};

/**
 * union fl_payload - the payload of an attribute
 * @u8: a word or switch
 * @u32: a count, size, percentage, factor or mark
 * @u64: a rate, time, fraction or set of DSCPs
 * @address: an address
 */
union fl_payload {
	uint8_t u8;
	uint32_t u32;
	uint64_t u64;
	uint8_t address[ETH_ALEN];
};

/**
 * fl_encode - turn a value into its attribute's payload
 * @opt: the option
 * @number: its value
 * @payload: written
 *
 * Return: number of bytes used in @payload
 */
int fl_encode(const struct fl_option *opt, uint64_t number,
	      union fl_payload *payload);

/**
 * fl_decode - turn an attribute's payload into a value
 * @data: the payload
 * @len: its length
 *
 * Return: the number; 0 if the length is not 1, 4, 6 or 8
 */
uint64_t fl_decode(const void *data, int len);

#endif
