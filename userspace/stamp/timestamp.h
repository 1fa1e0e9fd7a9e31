/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time stamps of STAMP's packets, and the estimate of their error. */
#ifndef FRESHLINK_STAMP_TIMESTAMP_H
#define FRESHLINK_STAMP_TIMESTAMP_H

#include <stdbool.h>
#include <stdint.h>

/**
 * stamp_time - a time in the format of NTP (RFC 5905 section 6)
 * @real_ns: CLOCK_REALTIME in ns, not negative
 *
 * Return: the time since the year 1900 in units of 2^-32 s, to the nearest unit. The time begins
 * again at 0 in the year 2036.
 */
uint64_t stamp_time(int64_t real_ns);

/**
 * stamp_error - an estimate of a clock's error (RFC 4656 section 4.1.2)
 * @error_ns: the greatest error in ns
 * @is_synchronized: the clock is synchronized to UTC by an external source
 *
 * Return: the estimate, rounded up to the next value of the format. The bit Z of RFC 8186 is 0,
 * so time stamps have the format of NTP.
 */
uint16_t stamp_error(uint64_t error_ns, bool is_synchronized);

#endif
