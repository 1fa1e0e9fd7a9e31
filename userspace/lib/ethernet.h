/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unicast addresses of network devices as they are typed, such as 02:00:00:00:00:01. As a number,
 * the first byte of an address is the most significant of 48 bits.
 */
#ifndef FRESHLINK_ETHERNET_H
#define FRESHLINK_ETHERNET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * fl_ethernet_parse - read an address
 * @text: six bytes in hexadecimal, separated by colons
 * @address: written
 *
 * Return: whether @text is a unicast address
 */
bool fl_ethernet_parse(const char *text, uint64_t *address);

/**
 * fl_ethernet_format - print an address
 * @address: 48 bits
 * @buf: written
 * @len: size of @buf
 *
 * Return: @buf
 */
const char *fl_ethernet_format(uint64_t address, char *buf, size_t len);

#endif
