/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TCP's throughput equation as TFRC uses it: RFC 5348 section 3.1, with b = 1 and t_RTO = 4 R.
 *
 * Rates are doubles: they span ten decades, and p seven, for which integers would need a table.
 * Only +, -, *, / and sqrt() are used. IEEE 754 rounds all of them correctly, so that every build
 * with the same contraction of multiply and add computes the same rates.
 */
#ifndef FDCCP_TFRC_H
#define FDCCP_TFRC_H

#include <stdint.h>

/* the longest loss interval that the option Loss Intervals can report, in packets */
#define FDCCP_INTERVAL_MAX	UINT32_C(0xffffff)

/**
 * fdccp_tfrc_rate() - the rate that TCP would have
 * @size: segment size s, in bytes
 * @rtt: round-trip time R, in ns, above 0
 * @p: loss event rate, above 0; more than 1 counts as 1
 *
 * Return: X_Bps, in bytes a second
 */
double fdccp_tfrc_rate(double size, int64_t rtt, double p);

/**
 * fdccp_tfrc_interval() - the loss interval with which TCP would have a rate
 * @size: segment size s, in bytes
 * @rtt: round-trip time R, in ns, above 0
 * @rate: X_target of RFC 5348 section 6.3.1, in bytes a second; less than half a packet for a
 *	round-trip time counts as that
 *
 * Return: 1/p, in packets, from 1 to FDCCP_INTERVAL_MAX
 */
uint32_t fdccp_tfrc_interval(double size, int64_t rtt, double rate);

#endif
