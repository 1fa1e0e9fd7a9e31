// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CCIDs 248 and 249: IFTP and IFTPV of ElAarag and Hogg, without retransmission. The numbers are for
 * experiments (RFC 4340 section 10).
 *
 * The packets of a round trip are sent at even gaps: R/n from first bit to first bit, so that the
 * time to send a packet need not be known (section 3, equations 1 to 3). As in TCP, no more than the
 * window are in the network: when the path stalls, the sender does. IFTP takes what is missing for
 * congestion; IFTPV decides by the backlog, unless it is told the cause. IFTP-W is IFTP with a
 * sensitive part. The receiving half is that of CCID 2.
 */
#include <string.h>

#include "ccid2.h"
#include "iftp.h"
#include "pipe.h"
#include "seq.h"

#define SECOND	1e9
/* A late program may use this much of the past. */
#define CREDIT	INT64_C(1000000)

/**
 * struct iftp_tx - the sending half
 * @window: the window
 * @pipe: data packets in the network
 * @rtts: round-trip times: R, the least one, and the timeout
 * @size: payload of the last packet
 * @next: when the next packet may be sent
 * @used: packets that were sent in this round trip
 * @round_end: the last packet that was sent before it began
 * @has_round: there is one
 * @recover: losses and marks up to this packet belong to the last verdict
 * @has_recover: there was one
 * @random: a packet of this round trip is known to be lost at random
 * @progress: the acknowledgment that is being processed has acknowledged data
 * @slow_until: the receiver is slow: no growth until then
 * @before_n: the window before the first timeout since data was acknowledged
 * @before_threshold: likewise
 * @before_rto: likewise
 * @revived: a link is back, and data sent since then was not acknowledged yet
 */
struct iftp_tx {
	struct fdccp_iftp window;
	struct fdccp_pipe pipe;
	struct fdccp_rtts rtts;
	uint32_t size;
	int64_t next;
	uint32_t used;
	uint64_t round_end;
	uint64_t recover;
	bool has_round, has_recover, random, progress, revived;
	int64_t slow_until;
	uint32_t before_n, before_threshold;
	struct fdccp_rto before_rto;
};

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t smoothed(const struct iftp_tx *tx)
{
	return tx->rtts.rto.srtt ? tx->rtts.rto.srtt : FDCCP_RTT_DEFAULT;
}

/* From first bit to first bit: tau drops out of the paper's equations. */
static int64_t gap(const struct iftp_tx *tx)
{
	return smoothed(tx) / tx->window.n;
}

/* The packets that were sent before this round trip are followed by those of it. */
static void begin_round(struct iftp_tx *tx)
{
	tx->round_end = tx->pipe.last;
	tx->has_round = tx->pipe.has_last;
	tx->used = 0;
	tx->random = false;
}

static void start(struct iftp_tx *tx, const struct fdccp_ccid_start *start, bool decides)
{
	uint64_t last = tx->pipe.last;
	bool has_last = tx->pipe.has_last;

	*tx = (struct iftp_tx){
		.pipe = { .last = last, .has_last = has_last, .sent_at = start->now,
			  .since = INT64_MIN },
		.size = start->size,
		.next = start->now,
		.slow_until = start->now,
	};
	fdccp_pipe_forget(&tx->pipe);
	fdccp_rto_init(&tx->rtts.rto);
	if (start->rtt > 0)
		fdccp_rtts_add(&tx->rtts, start->rtt, start->now);
	fdccp_iftp_init(&tx->window, &start->iftp, decides, start->now);
	begin_round(tx);
}

static void start_iftp(void *state, const struct fdccp_ccid_start *how)
{
	start(state, how, false);
}

static void start_iftpv(void *state, const struct fdccp_ccid_start *how)
{
	start(state, how, true);
}

/* After a link's message that it is back, one packet is sent, and the others when it is acknowledged:
 * the message may be wrong. The gaps say when packets leave, and the window only stops a path that
 * stalls: so it has room for the packets that one acknowledgment answers. With less, each second packet
 * would wait for one, a little longer each round trip.
 */
static uint32_t pipe_max(const struct iftp_tx *tx)
{
	uint32_t n = tx->window.n;

	return tx->revived ? 1 : n < 4 ? n : n + FDCCP_ACK_RATIO_INITIAL;
}

static int64_t when(const void *state, int64_t now)
{
	const struct iftp_tx *tx = state;

	(void)now;
	return tx->pipe.packets < pipe_max(tx) ? tx->next : FDCCP_NEVER;
}

static void after_idle(struct iftp_tx *tx, int64_t now)
{
	int64_t idle = now - tx->pipe.sent_at;

	if (!tx->pipe.packets && idle >= tx->rtts.rto.rto)
		fdccp_iftp_idle(&tx->window, idle / tx->rtts.rto.rto);
}

static void sent(void *state, const struct fdccp_sent_packet *packet, int64_t now)
{
	struct iftp_tx *tx = state;

	if (tx->pipe.has_last)
		after_idle(tx, now);
	if (!tx->has_round) {
		tx->round_end = fdccp_seq_add(packet->seq, -1);
		tx->has_round = true;
	}
	fdccp_pipe_sent(&tx->pipe, packet->seq, tx->rtts.rto.rto, now);
	tx->size = packet->size;
	tx->used++;
	tx->next = later(tx->next, now - CREDIT) + gap(tx);
}

/* One verdict a round trip: losses and marks of packets that were sent before it belong to it. */
static void judge(struct iftp_tx *tx, uint64_t seq, bool congested, int64_t now)
{
	if (tx->has_recover && !fdccp_seq_after(seq, tx->recover))
		return;
	fdccp_iftp_loss(&tx->window, &tx->rtts, congested, now);
	tx->recover = tx->pipe.last;
	tx->has_recover = true;
	begin_round(tx);
}

/* A loss that is known to be random. One that is not may follow in the same round trip. */
static void lost_at_random(struct iftp_tx *tx, int64_t now)
{
	if (!tx->random)
		fdccp_iftp_random(&tx->window, now);
	tx->random = true;
}

/* IFTP takes all that the program did not get for congestion, but what the receiver refused. */
static void judge_iftp(struct iftp_tx *tx, enum fdccp_cause why, uint64_t seq, int64_t now)
{
	switch (why) {
	case FDCCP_CAUSE_DAMAGED:
	case FDCCP_CAUSE_STALE:
	case FDCCP_CAUSE_OVERDUE:
	case FDCCP_CAUSE_GIVEN_UP:
	case FDCCP_CAUSE_MISSING:
		judge(tx, seq, true, now);
		break;
	default:
		break;
	}
}

/* What is stale is no congestion, as long as it is a tenth of the flow at most. */
static void judge_iftpv(struct iftp_tx *tx, enum fdccp_cause why, uint64_t seq, int64_t now)
{
	switch (why) {
	case FDCCP_CAUSE_DAMAGED:
	case FDCCP_CAUSE_GIVEN_UP:
		lost_at_random(tx, now);
		break;
	case FDCCP_CAUSE_OVERDUE:
	case FDCCP_CAUSE_MISSING:
		judge(tx, seq, why == FDCCP_CAUSE_OVERDUE, now);
		fdccp_iftp_missing(&tx->window);
		break;
	default:
		break;
	}
}

static void left_the_pipe(struct iftp_tx *tx, enum fdccp_cause why,
			  const struct fdccp_sent_packet *packet, int64_t now)
{
	tx->progress |= packet->received;
	if (packet->marked)
		judge(tx, packet->seq, true, now);
	if (why == FDCCP_CAUSE_REFUSED && packet->drop == FDCCP_DROP_RECEIVE_BUFFER)
		fdccp_iftp_refused(&tx->window);
	if (tx->window.decides)
		judge_iftpv(tx, why, packet->seq, now);
	else
		judge_iftp(tx, why, packet->seq, now);
}

/* A link is back after timeouts: the window is that of before, and the next packet may go. So is the
 * round-trip time, because acknowledgments from before may have waited at the link, too.
 */
static void revive(struct iftp_tx *tx, int64_t now)
{
	if (!fdccp_pipe_revive(&tx->pipe, now))
		return;
	tx->revived = true;
	tx->window.n = tx->before_n;
	tx->window.threshold = tx->before_threshold;
	tx->next = now;
	tx->rtts.rto = tx->before_rto;
	fdccp_rto_end_backoff(&tx->rtts.rto);
}

/* A timeout is congestion, and the packets that it made void are lost to it. */
static void cause(void *state, enum fdccp_cause why, const struct fdccp_sent_packet *packet,
		  int64_t now)
{
	struct iftp_tx *tx = state;

	if (why == FDCCP_CAUSE_DEFER)
		fdccp_pipe_defer(&tx->pipe, tx->rtts.rto.rto);
	else if (why == FDCCP_CAUSE_LINK_UP)
		revive(tx, now);
	else if (fdccp_pipe_leave(&tx->pipe, why, packet))
		left_the_pipe(tx, why, packet, now);
	else if (packet->data && why == FDCCP_CAUSE_MISSING)
		fdccp_iftp_missing(&tx->window);
}

/* The CCIDs have no options. */
static int option(void *state, const struct fdccp_option *option, uint64_t ack, int64_t now)
{
	(void)state;
	(void)ack;
	(void)now;
	return option->mandatory ? FDCCP_RESET_MANDATORY_ERROR : 0;
}

static void measure(struct iftp_tx *tx, const struct fdccp_tx_ack *ack)
{
	int64_t rtt = fdccp_pipe_measures(&tx->pipe, ack->sent_at) ?
		ack->now - ack->sent_at - ack->elapsed : 0;

	if (rtt <= 0 || !ack->newly)
		return;
	fdccp_rtts_add(&tx->rtts, rtt, ack->now);
	fdccp_iftp_sample(&tx->window, &tx->rtts);
}

static void ack(void *state, const struct fdccp_tx_ack *ack)
{
	struct iftp_tx *tx = state;

	measure(tx, ack);
	if (ack->slow_receiver)
		tx->slow_until = ack->now + smoothed(tx);
	if (tx->has_round && fdccp_seq_after(ack->ack, tx->round_end)) {
		fdccp_iftp_round(&tx->window, &tx->rtts,
				 ack->now >= tx->slow_until ? tx->used : 0);
		begin_round(tx);
	}
	fdccp_pipe_acked(&tx->pipe, tx->progress, tx->rtts.rto.rto, ack->now);
	tx->revived = tx->revived && !tx->progress;
	tx->progress = false;
}

static int64_t timer(const void *state)
{
	return ((const struct iftp_tx *)state)->pipe.timer;
}

static bool expire(void *state, int64_t now)
{
	struct iftp_tx *tx = state;

	if (now < tx->pipe.timer)
		return false;
	if (!tx->pipe.paused) {
		tx->before_n = tx->window.n;
		tx->before_threshold = tx->window.threshold;
		tx->before_rto = tx->rtts.rto;
	}
	fdccp_iftp_timeout(&tx->window);
	tx->recover = tx->pipe.last;
	tx->has_recover = true;
	tx->revived = false;
	tx->next = now;
	fdccp_rto_back_off(&tx->rtts.rto);
	fdccp_pipe_timeout(&tx->pipe);
	begin_round(tx);
	return true;
}

static void restart(void *state, const struct fdccp_ccid_start *how)
{
	start(state, how, ((const struct iftp_tx *)state)->window.decides);
}

static uint8_t ccval(const void *state, int64_t now)
{
	(void)state;
	(void)now;
	return 0;
}

/* TCP acknowledges each second packet. A small window would wait for its second one. */
static uint16_t ack_ratio(const void *state)
{
	return ((const struct iftp_tx *)state)->window.n < 4 ? 1 : FDCCP_ACK_RATIO_INITIAL;
}

static uint64_t window(const void *state)
{
	return ((const struct iftp_tx *)state)->window.n;
}

static int64_t rtt(const void *state)
{
	return ((const struct iftp_tx *)state)->rtts.rto.srtt;
}

static void info(const void *state, struct fdccp_info *info)
{
	const struct iftp_tx *tx = state;

	info->cwnd = tx->window.n;
	info->size = tx->size;
	info->backlog = tx->window.backlog;
	memcpy(info->verdict, tx->window.verdicts, sizeof(info->verdict));
	info->rate = (uint64_t)(tx->window.n * (double)tx->size * SECOND / smoothed(tx));
}

#define IFTP_CCID								\
	.ack_vector = true,							\
	.ecn = true,								\
	.tx_size = sizeof(struct iftp_tx),					\
	.rx_size = sizeof(struct fdccp_ccid2_rx),				\
	.tx_when = when,							\
	.tx_sent = sent,							\
	.tx_cause = cause,							\
	.tx_option = option,							\
	.tx_ack = ack,								\
	.tx_timer = timer,							\
	.tx_expire = expire,							\
	.tx_restart = restart,							\
	.tx_ccval = ccval,							\
	.tx_ack_ratio = ack_ratio,						\
	.tx_window = window,							\
	.tx_rtt = rtt,								\
	.tx_info = info,							\
	.rx_start = fdccp_ccid2_rx_start,					\
	.rx_packet = fdccp_ccid2_rx_packet,					\
	.rx_when = fdccp_ccid2_rx_when,						\
	.rx_write = fdccp_ccid2_rx_write,					\
	.rx_sent = fdccp_ccid2_rx_sent,						\
	.rx_ack_ratio = fdccp_ccid2_rx_ack_ratio

const struct fdccp_ccid fdccp_ccid_iftp = {
	.id = FDCCP_CCID_IFTP,
	.name = "iftp",
	.tx_start = start_iftp,
	IFTP_CCID,
};

const struct fdccp_ccid fdccp_ccid_iftpv = {
	.id = FDCCP_CCID_IFTPV,
	.name = "iftpv",
	.tx_start = start_iftpv,
	IFTP_CCID,
};
