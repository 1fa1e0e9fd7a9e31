/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Path MTU discovery by the transport: RFC 8899; probes are padded Syncs (RFC 4340 section 14). */
#ifndef FDCCP_PLPMTU_H
#define FDCCP_PLPMTU_H

#include <stdbool.h>
#include <stdint.h>

/* RFC 8899 sections 5.1 and 5.2 */
enum fdccp_plpmtu_phase {
	FDCCP_PLPMTU_DISABLED,
	FDCCP_PLPMTU_BASE,
	FDCCP_PLPMTU_SEARCHING,
	FDCCP_PLPMTU_COMPLETE,
	FDCCP_PLPMTU_ERROR,
};

/**
 * struct fdccp_plpmtu - the search for a path's MTU; all sizes are those of IP packets, in bytes
 * @phase: phase
 * @size: confirmed size (PLPMTU)
 * @base: BASE_PLPMTU
 * @min: smallest size: of IPv4 576, of IPv6 1280
 * @max: largest that is tried
 * @proven: largest data packet that arrived in the phases BASE and ERROR, from @min to @base
 * @low: largest size confirmed in this search
 * @high: smallest size known to be too large, or @max + 1
 * @probe: size on the way, 0: none
 * @probe_seq: its sequence number
 * @failures: probes of one size lost in a row
 * @try_top: the next probe tries the largest size that is left, not the middle
 * @timer: when the probe counts as lost, or without one when the next step is due
 * @earliest: no probe before that: one a round trip
 * @losses: data packets lost in a row
 * @lost_size: size of the smallest of them
 * @lost_since: when the first of them was reported
 */
struct fdccp_plpmtu {
	uint8_t phase;
	uint16_t size, base, min, max, proven, low, high;
	uint16_t probe;
	uint64_t probe_seq;
	uint8_t failures;
	bool try_top;
	int64_t timer;
	int64_t earliest;
	uint8_t losses;
	uint16_t lost_size;
	int64_t lost_since;
};

/* Prepares a search, which starts with fdccp_plpmtu_start(). @base 0: 1280; @max 0: 1500. */
void fdccp_plpmtu_init(struct fdccp_plpmtu *m, bool ipv6, uint16_t base, uint16_t max);

/* Prepares a path whose MTU is known: @size stays, whatever is lost, and nothing is probed. */
void fdccp_plpmtu_fix(struct fdccp_plpmtu *m, bool ipv6, uint16_t size);

/* The connection is open, or its path has changed: the search starts, unless the MTU is known. */
void fdccp_plpmtu_start(struct fdccp_plpmtu *m, int64_t now);

/* The size of a probe to send at @now, or 0. */
uint16_t fdccp_plpmtu_due(const struct fdccp_plpmtu *m, int64_t now);

/* When fdccp_plpmtu_due() or fdccp_plpmtu_expire() has something to do, or FDCCP_NEVER. */
static inline int64_t fdccp_plpmtu_timer(const struct fdccp_plpmtu *m)
{
	return m->timer;
}

void fdccp_plpmtu_sent(struct fdccp_plpmtu *m, uint64_t seq, int64_t now, int64_t rtt);

/* Each returns whether the confirmed size has changed. */
bool fdccp_plpmtu_acked(struct fdccp_plpmtu *m, uint64_t seq, int64_t now);
bool fdccp_plpmtu_lost(struct fdccp_plpmtu *m, uint64_t seq, int64_t now);
bool fdccp_plpmtu_expire(struct fdccp_plpmtu *m, int64_t now);
/* An ICMP message about a packet of @size bytes that was in flight: the next hop takes @mtu, 0 if
 * that is not known. The message never sets the confirmed size: at most it is reduced to @base, and
 * the search goes on with a probe of @mtu.
 */
bool fdccp_plpmtu_too_big(struct fdccp_plpmtu *m, uint16_t size, uint16_t mtu, int64_t now);
/* A data packet in an IP packet of @size bytes was acknowledged, or lost: finds black holes, and
 * what passes although probes are lost.
 */
bool fdccp_plpmtu_data(struct fdccp_plpmtu *m, uint16_t size, bool received, int64_t now);

/* Whether data packets that arrive matter. They are the most, and so are not told without need. */
static inline bool fdccp_plpmtu_doubts(const struct fdccp_plpmtu *m)
{
	return m->losses || m->phase == FDCCP_PLPMTU_BASE || m->phase == FDCCP_PLPMTU_ERROR;
}

#endif
