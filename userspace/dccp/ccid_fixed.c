// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CCID 254, a fixed rate, for experiments between ends of this library. Losses and marks do not
 * slow it down, so a circuit breaker guards it (RFC 8084). The number is one for experiments (RFC
 * 4340 section 10).
 *
 * The receiving half is that of CCID 2. The sender asks for one acknowledgment in a round-trip time,
 * or in 5 ms, by Ack Ratio: nothing depends on more. What is missing is told at once. The last
 * packets of a burst, which are fewer than Ack Ratio, wait for four of these times at most.
 * Acknowledgments are acknowledged where that makes them shorter.
 */
#include "breaker.h"
#include "ccid2.h"
#include "rto.h"

#define SECOND	1e9
/* A late packet may use this much of the past. So no burst has more than the rate gives in 1 ms,
 * and a packet.
 */
#define CREDIT	INT64_C(1000000)
/* An option with so many bytes of Ack Vector takes one word of the header, which no acknowledgment of
 * it can save.
 */
#define SHORT_VECTOR	2
/* On a short path, an acknowledgment of each packet would cost both ends more than the packet. */
#define FEEDBACK	INT64_C(5000000)
/* Packets without payload have headers. */
#define SIZE_MIN	64

/**
 * struct fixed_tx - the sending half
 * @rate: payload in bytes a second
 * @size: payload of the last packet
 * @next: when the next packet may be sent
 * @rto: round-trip time
 * @sampled: when it was measured last
 * @sent: packets since then
 * @ratio: Ack Ratio
 * @breaker: circuit breaker
 */
struct fixed_tx {
	uint64_t rate;
	uint32_t size;
	int64_t next;
	struct fdccp_rto rto;
	int64_t sampled;
	uint32_t sent;
	uint16_t ratio;
	struct fdccp_breaker breaker;
};

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static uint32_t counted_size(uint32_t size)
{
	return size > SIZE_MIN ? size : SIZE_MIN;
}

static void start(void *state, const struct fdccp_ccid_start *start)
{
	struct fixed_tx *tx = state;

	*tx = (struct fixed_tx){
		.rate = start->rate,
		.size = counted_size(start->size),
		.next = start->now,
		.sampled = start->now,
		.ratio = FDCCP_ACK_RATIO_INITIAL,
	};
	fdccp_breaker_init(&tx->breaker);
	fdccp_rto_init(&tx->rto);
	if (start->rtt > 0)
		fdccp_rto_sample(&tx->rto, start->rtt);
}

static int64_t when(const void *state, int64_t now)
{
	(void)now;
	return ((const struct fixed_tx *)state)->next;
}

static void sent(void *state, const struct fdccp_sent_packet *packet, int64_t now)
{
	struct fixed_tx *tx = state;

	tx->size = counted_size(packet->size);
	tx->next = later(tx->next, now - CREDIT) + (int64_t)(tx->size * SECOND / tx->rate);
	tx->sent++;
	fdccp_breaker_sent(&tx->breaker, now);
}

/* What became stale in a queue of this host was not lost by the network. */
static void cause(void *state, enum fdccp_cause why, const struct fdccp_sent_packet *packet,
		  int64_t now)
{
	struct fixed_tx *tx = state;

	(void)why;
	(void)now;
	if (!packet->data)
		return;
	if (packet->received)
		fdccp_breaker_received(&tx->breaker, packet->at);
	else if (packet->fate == FDCCP_FATE_EXPIRED)
		fdccp_breaker_unsent(&tx->breaker, packet->at);
}

/* The CCID has no options. */
static int option(void *state, const struct fdccp_option *option, uint64_t ack, int64_t now)
{
	(void)state;
	(void)ack;
	(void)now;
	return option->mandatory ? FDCCP_RESET_MANDATORY_ERROR : 0;
}

/* The packets of 5/4 of a round-trip time, both ends included: one that has no successor by then is
 * acknowledged alone. Each change is negotiated, so small ones are left out.
 */
static void set_ratio(struct fixed_tx *tx, int64_t rtt, int64_t now)
{
	int64_t wanted = 1 + tx->sent * later(rtt * 5 / 4, FEEDBACK) / (now - tx->sampled);

	if (wanted > UINT16_MAX)
		wanted = UINT16_MAX;
	if (wanted >= 2u * tx->ratio || 2 * wanted <= tx->ratio)
		tx->ratio = (uint16_t)wanted;
}

/* The round-trip time is measured once in a round-trip time. */
static void ack(void *state, const struct fdccp_tx_ack *ack)
{
	struct fixed_tx *tx = state;
	int64_t rtt;

	if (ack->sent_at == FDCCP_NEVER || ack->sent_at < tx->sampled)
		return;
	rtt = ack->now - ack->sent_at - ack->elapsed;
	if (rtt <= 0)
		return;
	fdccp_rto_sample(&tx->rto, rtt);
	set_ratio(tx, rtt, ack->now);
	tx->sampled = ack->now;
	tx->sent = 0;
}

static int64_t timer(const void *state)
{
	return ((const struct fixed_tx *)state)->breaker.end;
}

static bool expire(void *state, int64_t now)
{
	struct fixed_tx *tx = state;

	return fdccp_breaker_expire(&tx->breaker, now, tx->rto.rto);
}

static bool broken(const void *state)
{
	return ((const struct fixed_tx *)state)->breaker.tripped;
}

static uint8_t ccval(const void *state, int64_t now)
{
	(void)state;
	(void)now;
	return 0;
}

static uint16_t ack_ratio(const void *state)
{
	return ((const struct fixed_tx *)state)->ratio;
}

static uint64_t window(const void *state)
{
	const struct fixed_tx *tx = state;
	int64_t rtt = tx->rto.srtt ? tx->rto.srtt : FDCCP_RTT_DEFAULT;
	double packets = (double)tx->rate * rtt / SECOND / tx->size;

	return packets < FDCCP_SENT_MAX ? packets + 1 : FDCCP_SENT_MAX;
}

static int64_t rtt(const void *state)
{
	return ((const struct fixed_tx *)state)->rto.srtt;
}

static void info(const void *state, struct fdccp_info *info)
{
	info->rate = ((const struct fixed_tx *)state)->rate;
}

static void rx_start(void *rx, const struct fdccp_ccid_start *start)
{
	struct fdccp_ccid2_rx *r = rx;
	int64_t delay;

	fdccp_ccid2_rx_start(rx, start);
	delay = later(4 * r->rtt, FEEDBACK);
	if (delay < r->delay)
		r->delay = delay;
}

const struct fdccp_ccid fdccp_ccid_fixed = {
	.id = FDCCP_CCID_FIXED,
	.name = "fixed",
	.ack_vector = true,
	.slow = true,
	.short_vector = SHORT_VECTOR,
	.tx_size = sizeof(struct fixed_tx),
	.rx_size = sizeof(struct fdccp_ccid2_rx),
	.tx_start = start,
	.tx_when = when,
	.tx_sent = sent,
	.tx_cause = cause,
	.tx_option = option,
	.tx_ack = ack,
	.tx_timer = timer,
	.tx_expire = expire,
	.tx_broken = broken,
	.tx_restart = start,
	.tx_ccval = ccval,
	.tx_ack_ratio = ack_ratio,
	.tx_window = window,
	.tx_rtt = rtt,
	.tx_info = info,
	.rx_start = rx_start,
	.rx_packet = fdccp_ccid2_rx_packet,
	.rx_when = fdccp_ccid2_rx_when,
	.rx_write = fdccp_ccid2_rx_write,
	.rx_sent = fdccp_ccid2_rx_sent,
	.rx_ack_ratio = fdccp_ccid2_rx_ack_ratio,
};
