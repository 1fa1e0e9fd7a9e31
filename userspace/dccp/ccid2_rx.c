// SPDX-License-Identifier: GPL-2.0-or-later
/* CCID 2's receiving half: when data is acknowledged (RFC 4341 section 6). */
#include "ccid2.h"
#include "seq.h"

/* Shorter pauses of a sender do not matter: no sender repeats a packet so soon. */
#define PAUSE_MIN	INT64_C(8000000)
/* round trips that a source may send on after a pause, and pause again */
#define BURST		4
#define PROMPT_MIN	INT64_C(1000000)

/* the unit of Elapsed Time, and delays that are worth the option */
#define ELAPSED_UNIT	INT64_C(10000)
#define ELAPSED_MIN	INT64_C(1000000)
#define ELAPSED_SHORT	(INT64_C(500000000) / ELAPSED_UNIT)

void fdccp_ccid2_rx_start(void *rx, const struct fdccp_ccid_start *start)
{
	*(struct fdccp_ccid2_rx *)rx = (struct fdccp_ccid2_rx){
		.ratio = FDCCP_ACK_RATIO_INITIAL,
		.delay = FDCCP_ACK_DELAY,
		.when = FDCCP_NEVER,
		.mark_after = start->now,
		.rtt = start->rtt ? start->rtt : FDCCP_RTT_DEFAULT,
	};
}

/* Notes a packet's number. Return: whether it is not the one that was expected. */
static bool out_of_order(struct fdccp_ccid2_rx *r, const struct fdccp_rx_packet *packet)
{
	bool first = !r->has_greatest;
	int64_t ahead = first ? 1 : fdccp_seq_diff(packet->seq, r->greatest);

	if (ahead > 0) {
		r->greatest = packet->seq;
		r->greatest_at = packet->now;
		r->has_greatest = true;
	}
	return ahead != 1;
}

/* Whether a mark is to be told at once: once in a round-trip time. */
static bool urgent_mark(struct fdccp_ccid2_rx *r, const struct fdccp_rx_packet *packet)
{
	if (!packet->marked || packet->now < r->mark_after)
		return false;
	r->mark_after = packet->now + r->rtt;
	return true;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* How long a data packet waits for a second one. After a pause of more than a round trip the next
 * pause may be near, and the sender would take the last packet before it for lost.
 */
static int64_t patience(struct fdccp_ccid2_rx *r, int64_t now)
{
	if (r->heard && now - r->heard > most(r->rtt, PAUSE_MIN))
		r->prompt_until = now + BURST * r->rtt;
	r->heard = now;
	return now < r->prompt_until ? most(r->rtt / 16, PROMPT_MIN) : r->delay;
}

/* Packets without data alone need no acknowledgment: two silent ends would never stop. */
void fdccp_ccid2_rx_packet(void *rx, const struct fdccp_rx_packet *packet)
{
	struct fdccp_ccid2_rx *r = rx;
	bool odd = out_of_order(r, packet);
	int64_t wait = packet->data ? patience(r, packet->now) : 0;

	if (packet->data && !r->waiting++)
		r->when = packet->now + wait;
	if (r->waiting && (r->waiting >= r->ratio || odd || urgent_mark(r, packet)))
		r->when = packet->now;
}

int64_t fdccp_ccid2_rx_when(const void *rx)
{
	return ((const struct fdccp_ccid2_rx *)rx)->when;
}

/* Elapsed Time takes the wait for more packets out of the sender's round-trip times. */
void fdccp_ccid2_rx_write(void *rx, struct fdccp_writer *w, bool data, int64_t now)
{
	const struct fdccp_ccid2_rx *r = rx;
	int64_t elapsed = now - r->greatest_at;
	uint8_t value[4];
	size_t len;

	(void)data;
	if (!r->has_greatest || elapsed < ELAPSED_MIN)
		return;
	elapsed /= ELAPSED_UNIT;
	if (elapsed > UINT32_MAX)
		elapsed = UINT32_MAX;
	len = elapsed < ELAPSED_SHORT ? 2 : 4;
	fdccp_put_number(value, len, (uint64_t)elapsed);
	fdccp_write_option(w, FDCCP_OPT_ELAPSED_TIME, value, len);
}

void fdccp_ccid2_rx_sent(void *rx, uint64_t seq, int64_t now)
{
	struct fdccp_ccid2_rx *r = rx;

	(void)seq;
	(void)now;
	r->waiting = 0;
	r->when = FDCCP_NEVER;
}

/* 0 leaves the rate of acknowledgments to this end (RFC 4340 section 11.3). */
void fdccp_ccid2_rx_ack_ratio(void *rx, uint16_t ratio)
{
	struct fdccp_ccid2_rx *r = rx;

	r->ratio = ratio ? ratio : FDCCP_ACK_RATIO_INITIAL;
}
