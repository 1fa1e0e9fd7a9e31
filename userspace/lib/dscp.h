/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DSCPs (RFC 2474) as they are typed: "ef" or "46", and sets of them such as "ef,af41,10". */
#ifndef FRESHLINK_DSCP_H
#define FRESHLINK_DSCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FL_DSCP_MAX	63

/* Size of the buffer for any set: 64 names of at most 4 characters, with a comma or the NUL. */
#define FL_DSCPS_LEN	(64 * 5)

/**
 * fl_dscp_parse - read a DSCP
 * @text: its name, or a number from 0 to 63
 * @dscp: written
 *
 * Return: whether @text is a DSCP
 */
bool fl_dscp_parse(const char *text, uint32_t *dscp);

/**
 * fl_dscp_name - print a DSCP
 * @dscp: 0 to 63
 * @buf: written if the DSCP has no name
 * @len: size of @buf
 *
 * Return: the usual name of the DSCP, or its number in @buf
 */
const char *fl_dscp_name(unsigned int dscp, char *buf, size_t len);

/**
 * fl_dscps_parse - read a set of DSCPs
 * @text: one or more DSCPs, separated by commas
 * @set: bit N is set if the DSCP N is in the set; written
 *
 * Return: whether @text is a set of DSCPs
 */
bool fl_dscps_parse(const char *text, uint64_t *set);

/**
 * fl_dscps_format - print a set of DSCPs in the format of fl_dscps_parse()
 * @set: the set, not empty
 * @buf: written
 * @len: size of @buf; FL_DSCPS_LEN is always enough
 *
 * Return: @buf
 */
const char *fl_dscps_format(uint64_t set, char *buf, size_t len);

#endif
