// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Path MTU discovery by the transport (RFC 8899).
 *
 * The search tries the largest size first, because most paths take it, and then halves the range
 * that is left until the size is exact. A table of usual sizes would not do: tunnels take any
 * number of bytes from the usual ones. Halving 1280 to 1500 has 8 steps at most, 1280 to 9000 has
 * 13. A size is too large when MAX_PROBES probes of it were lost in a row.
 *
 * In the phase ERROR nothing is used above the smallest size, or above the largest data packet that
 * has arrived since BASE began: random loss of the probes shows no small MTU. BASE_PLPMTU is tried
 * every 30 s.
 */
#include "plpmtu.h"
#include "freshlink-dccp.h"

#define SECOND			INT64_C(1000000000)

#define MAX_PROBES		3
#define PROBE_TIMER		(16 * SECOND)	/* more than 15 s: RFC 8899 section 5.1.1 */
#define PMTU_RAISE_TIMER	(600 * SECOND)
#define ERROR_INTERVAL		(30 * SECOND)

#define BASE_PLPMTU		1280
#define MAX_PLPMTU		1500
#define MIN_IPV4		576	/* every host receives it: RFC 1122 section 3.3.2 */
#define MIN_IPV6		1280

/* So many packets lost in a row, over so long a time, are a black hole: congestion and the outages
 * of a cell are shorter, or let some packets pass.
 */
#define BLACK_HOLE_LOSSES	3
#define BLACK_HOLE_TIME		(3 * SECOND)

void fdccp_plpmtu_init(struct fdccp_plpmtu *m, bool ipv6, uint16_t base, uint16_t max)
{
	uint16_t min = ipv6 ? MIN_IPV6 : MIN_IPV4;

	base = base ? base : BASE_PLPMTU;
	base = base < min ? min : base < UINT16_MAX ? base : UINT16_MAX - 1;
	max = max ? max : MAX_PLPMTU;
	max = max < base ? base : max < UINT16_MAX ? max : UINT16_MAX - 1;
	*m = (struct fdccp_plpmtu){
		.phase = FDCCP_PLPMTU_BASE,
		.size = base,
		.base = base,
		.min = min,
		.max = max,
		.proven = min,
		.high = max + 1,
		.timer = FDCCP_NEVER,
	};
}

void fdccp_plpmtu_fix(struct fdccp_plpmtu *m, bool ipv6, uint16_t size)
{
	fdccp_plpmtu_init(m, ipv6, size, size);
	m->phase = FDCCP_PLPMTU_DISABLED;
}

/* No probe is on its way any more; the next one may follow at once, but a round trip later. */
static void end_probe(struct fdccp_plpmtu *m, int64_t now)
{
	m->probe = 0;
	m->timer = now > m->earliest ? now : m->earliest;
}

/* Changes the confirmed size. Return: whether it is another one. */
static bool set_size(struct fdccp_plpmtu *m, uint16_t size)
{
	bool changed = m->size != size;

	m->size = size;
	m->losses = 0;
	return changed;
}

/* Goes back to BASE: larger sizes are confirmed again, up to below @high. */
static bool fall(struct fdccp_plpmtu *m, uint16_t high, int64_t now)
{
	end_probe(m, now);
	m->phase = FDCCP_PLPMTU_BASE;
	m->failures = 0;
	m->high = high;
	m->proven = m->min;
	return set_size(m, m->base);
}

void fdccp_plpmtu_start(struct fdccp_plpmtu *m, int64_t now)
{
	if (m->phase == FDCCP_PLPMTU_DISABLED)
		return;
	m->earliest = now;
	fall(m, m->max + 1, now);
}

/* Ends the search if nothing is left to try. */
static void check_complete(struct fdccp_plpmtu *m, int64_t now)
{
	if (m->high - m->low > 1)
		return;
	m->phase = FDCCP_PLPMTU_COMPLETE;
	m->timer = m->size < m->max ? now + PMTU_RAISE_TIMER : FDCCP_NEVER;
}

/* Searches between the confirmed size and @high. */
static void search(struct fdccp_plpmtu *m, uint16_t high, int64_t now)
{
	m->phase = FDCCP_PLPMTU_SEARCHING;
	m->failures = 0;
	m->low = m->size;
	m->high = high;
	m->try_top = true;
	end_probe(m, now);
	check_complete(m, now);
}

uint16_t fdccp_plpmtu_due(const struct fdccp_plpmtu *m, int64_t now)
{
	if (m->probe || now < m->timer || m->phase == FDCCP_PLPMTU_COMPLETE)
		return 0;
	if (m->phase != FDCCP_PLPMTU_SEARCHING)
		return m->base;
	return m->try_top ? m->high - 1 : m->low + (m->high - m->low) / 2;
}

void fdccp_plpmtu_sent(struct fdccp_plpmtu *m, uint64_t seq, int64_t now, int64_t rtt)
{
	m->probe = fdccp_plpmtu_due(m, now);
	m->probe_seq = seq;
	m->earliest = now + rtt;
	m->timer = now + (2 * rtt > PROBE_TIMER ? 2 * rtt : PROBE_TIMER);
}

bool fdccp_plpmtu_acked(struct fdccp_plpmtu *m, uint64_t seq, int64_t now)
{
	uint16_t probe = m->probe;
	bool changed;

	if (!probe || seq != m->probe_seq)
		return false;
	changed = set_size(m, probe);
	if (m->phase != FDCCP_PLPMTU_SEARCHING) {
		search(m, m->high, now);
		return changed;
	}
	end_probe(m, now);
	m->failures = 0;
	m->low = probe;
	check_complete(m, now);
	return changed;
}

/* Notes that the probe was lost. Return: whether the confirmed size has changed. */
static bool failed(struct fdccp_plpmtu *m, int64_t now)
{
	uint16_t probe = m->probe;

	end_probe(m, now);
	if (m->phase == FDCCP_PLPMTU_ERROR) {
		m->timer = now + ERROR_INTERVAL;
		return false;
	}
	if (++m->failures < MAX_PROBES)
		return false;
	m->failures = 0;
	if (m->phase == FDCCP_PLPMTU_BASE) {
		m->phase = FDCCP_PLPMTU_ERROR;
		m->timer = now + ERROR_INTERVAL;
		return set_size(m, m->proven);
	}
	m->high = probe;
	m->try_top = false;
	check_complete(m, now);
	return false;
}

bool fdccp_plpmtu_lost(struct fdccp_plpmtu *m, uint64_t seq, int64_t now)
{
	return m->probe && seq == m->probe_seq && failed(m, now);
}

bool fdccp_plpmtu_expire(struct fdccp_plpmtu *m, int64_t now)
{
	if (now < m->timer)
		return false;
	if (m->probe)
		return failed(m, now);
	if (m->phase == FDCCP_PLPMTU_COMPLETE)
		search(m, m->max + 1, now);
	return false;
}

/* Whether something above the smallest size is in use, and not in doubt already. */
static bool reducible(const struct fdccp_plpmtu *m)
{
	return m->phase == FDCCP_PLPMTU_SEARCHING || m->phase == FDCCP_PLPMTU_COMPLETE;
}

/* A router says that the probe was too large. */
static bool probe_too_big(struct fdccp_plpmtu *m, uint16_t mtu, int64_t now)
{
	if (!mtu || !reducible(m))
		return failed(m, now);
	if (mtu < m->base)
		return fall(m, m->max + 1, now);
	if (mtu < m->size)
		return fall(m, mtu + 1, now);
	search(m, mtu + 1, now);
	return false;
}

bool fdccp_plpmtu_too_big(struct fdccp_plpmtu *m, uint16_t size, uint16_t mtu, int64_t now)
{
	if (mtu && (mtu < m->min || mtu >= size))
		return false;
	if (m->probe && size == m->probe)
		return probe_too_big(m, mtu, now);
	if (size > m->size || !reducible(m))
		return false;
	return fall(m, mtu < m->base ? m->max + 1 : mtu + 1, now);
}

/* A size that arrives is no black hole, and in doubt it is proven. */
static bool arrived(struct fdccp_plpmtu *m, uint16_t size)
{
	if (size >= m->lost_size)
		m->losses = 0;
	if (reducible(m) || size <= m->proven)
		return false;
	m->proven = size < m->base ? size : m->base;
	return m->phase == FDCCP_PLPMTU_ERROR && set_size(m, m->proven);
}

/* A black hole. Return: whether the confirmed size has changed. */
static bool reduce(struct fdccp_plpmtu *m, int64_t now)
{
	if (reducible(m))
		return fall(m, m->max + 1, now);
	m->proven = m->min;
	return set_size(m, m->min);
}

bool fdccp_plpmtu_data(struct fdccp_plpmtu *m, uint16_t size, bool received, int64_t now)
{
	if (size <= m->min || m->phase == FDCCP_PLPMTU_DISABLED)
		return false;
	if (received)
		return arrived(m, size);
	if (size > m->size || m->phase == FDCCP_PLPMTU_BASE)
		return false;
	if (!m->losses) {
		m->lost_since = now;
		m->lost_size = size;
	}
	m->lost_size = size < m->lost_size ? size : m->lost_size;
	m->losses += m->losses < BLACK_HOLE_LOSSES;
	return m->losses == BLACK_HOLE_LOSSES && now - m->lost_since >= BLACK_HOLE_TIME &&
	       reduce(m, now);
}
