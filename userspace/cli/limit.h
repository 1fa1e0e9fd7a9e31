/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A limit of packets a second for each source. A source is an IPv4 address, or the /64 prefix of
 * an IPv6 address, because one host can have all addresses of a /64.
 *
 * The memory is fixed. An entry expires at most a second after the last packet of its source, so no
 * timer is needed. If there is no free entry for a source, the source gets the entry that would
 * expire first. The previous source of this entry then starts again without any packets counted. So
 * a flood of forged addresses makes the limit less strict, but does not prevent any source from
 * being served.
 */
#ifndef FRESHLINK_LIMIT_H
#define FRESHLINK_LIMIT_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#define LIMIT_SETS	1024
#define LIMIT_WAYS	4	/* sources that share a set, and may replace each other */

/**
 * struct limit_source - a source that has sent packets lately
 * @address: its address or prefix, an IPv4 address in its mapped form
 * @until: time at which its packets so far no longer count, CLOCK_MONOTONIC in ns
 */
struct limit_source {
	struct in6_addr address;
	int64_t until;
};

/**
 * struct limit - the limit and its sources
 * @interval: time between two packets at the limit, in ns
 * @secret: random number that decides which sources share a set
 * @sources: the entries
 */
struct limit {
	int64_t interval;
	uint64_t secret;
	struct limit_source sources[LIMIT_SETS][LIMIT_WAYS];
};

/**
 * limit_init - start without any source
 * @limit: written
 * @per_second: packets a second of a source, 1 to 10^9. A source may also send this number of
 *	packets in one burst.
 * @secret: a random number
 */
void limit_init(struct limit *limit, uint64_t per_second, uint64_t secret);

/**
 * limit_allows - account for a packet
 * @limit: the limit
 * @address: the packet's source
 * @now: CLOCK_MONOTONIC in ns
 *
 * Return: whether the packet is below the limit. A packet above the limit is not counted.
 */
bool limit_allows(struct limit *limit, const struct in6_addr *address,
		  int64_t now);

#endif
