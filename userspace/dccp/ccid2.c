// SPDX-License-Identifier: GPL-2.0-or-later
/* CCID 2, TCP-like: the sending half (RFC 4341). */
#include "ccid2.h"
#include "pipe.h"
#include "rto.h"
#include "seq.h"

/* RFC 3390: the initial window in bytes, of at least 2 and at most 4 packets */
#define INITIAL_BYTES	4380

#define CWND_MAX	FDCCP_SENT_MAX

/**
 * struct ccid2_tx - what the sending half knows; windows are in packets
 * @cwnd: congestion window
 * @ssthresh: slow start threshold
 * @pipe: data packets in the network
 * @before_cwnd: @cwnd before the first timeout since data was acknowledged
 * @before_ssthresh: likewise
 * @before_rto: likewise
 * @revived: a link is back, and data sent since then was not acknowledged yet
 * @credit: packets acknowledged that count for the next increase of @cwnd
 * @fresh: the same, of the acknowledgment that is being processed
 * @progress: it acknowledged data
 * @recover: losses and marks up to this packet are those of the last congestion event
 * @has_recover: there was one
 * @full: the last packet that was sent or on the way when the window was full
 * @has_full: there is one
 * @window_end: the last packet of the window of data before this one
 * @size: payload of the last packet, in bytes
 * @rto: timeout
 * @full_at: when the window was full, or what it was not used for was taken back (RFC 2861)
 * @used: most of the window that was used since then
 * @slow_until: the receiver is slow: no increase until then
 * @ratio: Ack Ratio
 * @ack_loss: a packet of the peer without data was lost or marked in this window
 * @good_windows: windows without such a loss since @ratio has changed
 * @peer: the greatest number of the peer
 * @has_peer: there is one
 * @arrived: bits for @peer and 63 packets before it: it arrived, or counts as lost already
 */
struct ccid2_tx {
	uint32_t cwnd, ssthresh;
	struct fdccp_pipe pipe;
	uint32_t before_cwnd, before_ssthresh;
	struct fdccp_rto before_rto;
	bool revived;
	uint32_t credit, fresh;
	bool progress;
	bool has_recover, has_full;
	uint64_t recover, full, window_end;
	uint32_t size;
	struct fdccp_rto rto;
	int64_t full_at;
	uint32_t used;
	int64_t slow_until;
	uint16_t ratio;
	bool ack_loss;
	uint32_t good_windows;
	uint64_t peer;
	bool has_peer;
	uint64_t arrived;
};

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint32_t initial_window(uint32_t size)
{
	return size ? least(most(INITIAL_BYTES / size, 2), 4) : 4;
}

static void start(void *state, const struct fdccp_ccid_start *start)
{
	struct ccid2_tx *tx = state;

	tx->cwnd = initial_window(start->size);
	tx->ssthresh = UINT32_MAX;
	tx->credit = 0;
	tx->size = start->size;
	tx->pipe.sent_at = start->now;
	tx->pipe.paused = false;
	tx->pipe.since = INT64_MIN;
	tx->revived = false;
	tx->full_at = start->now;
	tx->used = 0;
	tx->slow_until = start->now;
	tx->ratio = FDCCP_ACK_RATIO_INITIAL;
	tx->ack_loss = false;
	tx->good_windows = 0;
	fdccp_rto_init(&tx->rto);
	if (start->rtt > 0)
		fdccp_rto_sample(&tx->rto, start->rtt);
	tx->window_end = tx->pipe.last;
	fdccp_pipe_forget(&tx->pipe);
}

/* After a link's message that it is back, one packet is sent, and the window when it is acknowledged:
 * the message may be wrong.
 */
static int64_t when(const void *state, int64_t now)
{
	const struct ccid2_tx *tx = state;

	return tx->pipe.packets < (tx->revived ? 1 : tx->cwnd) ? now : FDCCP_NEVER;
}

/* Section 6.1.2: at least two acknowledgments a window, and Ack Ratio 2 or more from four packets
 * on. 2 would always be acceptable. But a receiver that waits for the second packet, as Linux does,
 * would never acknowledge a window of one packet.
 */
static void limit_ratio(struct ccid2_tx *tx)
{
	uint32_t floor = tx->cwnd < 4 ? 1 : FDCCP_ACK_RATIO_INITIAL;

	tx->ratio = (uint16_t)most(least(tx->ratio, (tx->cwnd + 1) / 2), floor);
}

static void set_cwnd(struct ccid2_tx *tx, uint32_t cwnd)
{
	tx->cwnd = least(most(cwnd, 1), CWND_MAX);
	limit_ratio(tx);
}

/* The window shrinks because it was not used: what was learnt of it stays in ssthresh. */
static void remember_window(struct ccid2_tx *tx)
{
	tx->ssthresh = most(tx->ssthresh, tx->cwnd * 3 / 4);
	tx->credit = 0;
}

/* Nothing was sent for a time: the window halves for each timeout that has passed (RFC 2861), down
 * to the window of a new connection.
 */
static void after_idle(struct ccid2_tx *tx, int64_t now)
{
	int64_t timeouts;
	uint32_t floor;

	if (tx->pipe.packets || now - tx->pipe.sent_at < tx->rto.rto)
		return;
	timeouts = (now - tx->pipe.sent_at) / tx->rto.rto;
	floor = least(initial_window(tx->size), tx->cwnd);
	remember_window(tx);
	for (; timeouts > 0 && tx->cwnd > floor; timeouts--)
		set_cwnd(tx, most(tx->cwnd / 2, floor));
	tx->full_at = now;
	tx->used = 0;
}

/* The program sends less than it may: after a timeout of that, the window goes halfway down to what
 * was used (RFC 2861), or to the window of a new connection if that is more.
 */
static void note_use(struct ccid2_tx *tx, int64_t now)
{
	if (tx->pipe.packets >= tx->cwnd) {
		tx->full = tx->pipe.last;
		tx->has_full = true;
	} else {
		tx->used = most(tx->used, tx->pipe.packets);
		if (now - tx->full_at < tx->rto.rto)
			return;
		tx->used = most(tx->used, least(initial_window(tx->size), tx->cwnd));
		remember_window(tx);
		set_cwnd(tx, (tx->cwnd + tx->used) / 2);
	}
	tx->full_at = now;
	tx->used = 0;
}

static void sent(void *state, const struct fdccp_sent_packet *packet, int64_t now)
{
	struct ccid2_tx *tx = state;

	if (!tx->pipe.has_last) {
		tx->window_end = fdccp_seq_add(packet->seq, -1);
		tx->full_at = now;
	} else {
		after_idle(tx, now);
	}
	tx->size = packet->size;
	fdccp_pipe_sent(&tx->pipe, packet->seq, tx->rto.rto, now);
	note_use(tx, now);
}

/* Section 5: losses and marks of packets that were sent before the first one was known are one
 * congestion event.
 */
static void congestion(struct ccid2_tx *tx, uint64_t seq)
{
	if (tx->has_recover && !fdccp_seq_after(seq, tx->recover))
		return;
	tx->recover = tx->pipe.last;
	tx->has_recover = true;
	tx->credit = 0;
	tx->fresh = 0;
	set_cwnd(tx, tx->cwnd / 2);
	tx->ssthresh = most(tx->cwnd, 2);
}

static void exit_slow_start(struct ccid2_tx *tx)
{
	tx->ssthresh = most(least(tx->ssthresh, tx->cwnd), 2);
}

/* Data Dropped: RFC 4340 section 11.7.2 and RFC 4341 section 5.2. */
static void dropped(struct ccid2_tx *tx, const struct fdccp_sent_packet *packet)
{
	switch (packet->drop) {
	case FDCCP_DROP_NOT_LISTENING:
		break;
	case FDCCP_DROP_RECEIVE_BUFFER:
		set_cwnd(tx, tx->cwnd - 1);
		break;
	default:
		congestion(tx, packet->seq);
	}
	exit_slow_start(tx);
}

static void received(struct ccid2_tx *tx, enum fdccp_cause why,
		     const struct fdccp_sent_packet *packet)
{
	bool fresh = why == FDCCP_CAUSE_ARRIVED || why == FDCCP_CAUSE_CUT;

	tx->progress = true;
	if (fresh) {
		if (tx->has_full && !fdccp_seq_after(packet->seq, tx->full))
			tx->fresh++;
		return;
	}
	if (packet->marked)
		congestion(tx, packet->seq);
	if (why != FDCCP_CAUSE_MARKED)
		dropped(tx, packet);
}

/* A link is back after timeouts: the window is that of before, and nobody left it unused. So is the
 * round-trip time, because acknowledgments from before may have waited at the link, too.
 */
static void revive(struct ccid2_tx *tx, int64_t now)
{
	if (!fdccp_pipe_revive(&tx->pipe, now))
		return;
	tx->revived = true;
	tx->full_at = now;
	tx->used = 0;
	tx->ssthresh = tx->before_ssthresh;
	set_cwnd(tx, tx->before_cwnd);
	tx->rto = tx->before_rto;
	fdccp_rto_end_backoff(&tx->rto);
}

/* A message of a link. */
static __attribute__((noinline)) void heed(struct ccid2_tx *tx, enum fdccp_cause why, int64_t now)
{
	if (why == FDCCP_CAUSE_DEFER)
		fdccp_pipe_defer(&tx->pipe, tx->rto.rto);
	else
		revive(tx, now);
}

/* Whatever is missing counts as lost. */
static void cause(void *state, enum fdccp_cause why, const struct fdccp_sent_packet *packet,
		  int64_t now)
{
	struct ccid2_tx *tx = state;

	if (why >= FDCCP_CAUSE_DEFER)
		heed(tx, why, now);
	else if (!fdccp_pipe_leave(&tx->pipe, why, packet))
		return;
	else if (packet->received)
		received(tx, why, packet);
	else
		congestion(tx, packet->seq);
}

/* CCID 2 has no options. */
static int option(void *state, const struct fdccp_option *option, uint64_t ack, int64_t now)
{
	(void)state;
	(void)ack;
	(void)now;
	return option->mandatory ? FDCCP_RESET_MANDATORY_ERROR : 0;
}

/* Section 6.1.1: a number of the peer is lost once three greater ones have arrived. Without better
 * information a lost packet counts as one without data.
 */
static void peer_packet(void *state, const struct fdccp_rx_packet *packet)
{
	struct ccid2_tx *tx = state;
	int64_t ahead = tx->has_peer ? fdccp_seq_diff(packet->seq, tx->peer) : 64;
	bool jump = tx->has_peer && ahead >= 64;
	uint64_t third, lost;

	if (packet->marked && !packet->data)
		tx->ack_loss = true;
	if (ahead > 0) {
		tx->arrived = ahead < 64 ? tx->arrived << ahead | 1 : UINT64_MAX;
		tx->peer = packet->seq;
		tx->has_peer = true;
	} else if (ahead > -64) {
		tx->arrived |= UINT64_C(1) << -ahead;
	}
	third = tx->arrived & (tx->arrived - 1);
	third &= third - 1;
	lost = ~tx->arrived & ~(third ^ (third - 1));
	tx->ack_loss |= lost || jump;
	tx->arrived |= lost;
}

/* Section 5: in slow start one packet for two acknowledged, of at most Ack Ratio for each
 * acknowledgment; then one for each window.
 */
static void increase(struct ccid2_tx *tx)
{
	bool slow_start = tx->cwnd < tx->ssthresh;

	tx->credit += slow_start ? least(tx->fresh, tx->ratio) : tx->fresh;
	for (; tx->cwnd < tx->ssthresh && tx->credit >= 2; tx->credit -= 2)
		set_cwnd(tx, tx->cwnd + 1);
	if (!slow_start && tx->credit >= tx->cwnd) {
		tx->credit -= tx->cwnd;
		set_cwnd(tx, tx->cwnd + 1);
	}
}

/* Section 6.1.2, once for each window of data. */
static void change_ratio(struct ccid2_tx *tx)
{
	uint32_t r = tx->ratio;

	if (tx->ack_loss) {
		tx->ratio = (uint16_t)least(2 * r, UINT16_MAX);
		limit_ratio(tx);
		tx->good_windows = 0;
	} else if (r > FDCCP_ACK_RATIO_INITIAL && ++tx->good_windows >= tx->cwnd / (r * r - r)) {
		tx->ratio--;
		tx->good_windows = 0;
	}
	tx->ack_loss = false;
}

/* A window of data has passed: a round-trip time is measured, and Ack Ratio changes. */
static void next_window(struct ccid2_tx *tx, const struct fdccp_tx_ack *ack)
{
	int64_t rtt = fdccp_pipe_measures(&tx->pipe, ack->sent_at) ?
		ack->now - ack->sent_at - ack->elapsed : 0;

	if (rtt > 0)
		fdccp_rto_sample(&tx->rto, rtt);
	change_ratio(tx);
	tx->window_end = fdccp_seq_after(ack->ack, tx->pipe.last) ? ack->ack : tx->pipe.last;
}

static void ack(void *state, const struct fdccp_tx_ack *ack)
{
	struct ccid2_tx *tx = state;

	if (ack->slow_receiver) {
		exit_slow_start(tx);
		tx->slow_until = ack->now + (tx->rto.srtt ? tx->rto.srtt : FDCCP_RTT_DEFAULT);
	}
	if (ack->now >= tx->slow_until)
		increase(tx);
	if (tx->pipe.has_last && fdccp_seq_after(ack->ack, tx->window_end))
		next_window(tx, ack);
	fdccp_pipe_acked(&tx->pipe, tx->progress, tx->rto.rto, ack->now);
	tx->revived = tx->revived && !tx->progress;
	tx->fresh = 0;
	tx->progress = false;
}

static int64_t timer(const void *state)
{
	return ((const struct ccid2_tx *)state)->pipe.timer;
}

static bool expire(void *state, int64_t now)
{
	struct ccid2_tx *tx = state;

	if (now < tx->pipe.timer)
		return false;
	if (!tx->pipe.paused) {
		tx->before_cwnd = tx->cwnd;
		tx->before_ssthresh = tx->ssthresh;
		tx->before_rto = tx->rto;
	}
	tx->revived = false;
	tx->ssthresh = most(tx->cwnd / 2, 2);
	set_cwnd(tx, 1);
	tx->credit = 0;
	tx->recover = tx->pipe.last;
	tx->has_recover = true;
	fdccp_rto_back_off(&tx->rto);
	fdccp_pipe_timeout(&tx->pipe);
	return true;
}

static uint8_t ccval(const void *state, int64_t now)
{
	(void)state;
	(void)now;
	return 0;
}

static uint16_t ack_ratio(const void *state)
{
	return ((const struct ccid2_tx *)state)->ratio;
}

static uint64_t window(const void *state)
{
	return ((const struct ccid2_tx *)state)->cwnd;
}

static int64_t rtt(const void *state)
{
	return ((const struct ccid2_tx *)state)->rto.srtt;
}

static void info(const void *state, struct fdccp_info *info)
{
	const struct ccid2_tx *tx = state;

	info->cwnd = tx->cwnd;
	info->size = tx->size;
	if (tx->rto.srtt)
		info->rate = (uint64_t)tx->cwnd * tx->size * 1000000000 / (uint64_t)tx->rto.srtt;
}

const struct fdccp_ccid fdccp_ccid2 = {
	.id = FDCCP_CCID2,
	.name = "ccid2",
	.ack_vector = true,
	.ecn = true,
	.tx_size = sizeof(struct ccid2_tx),
	.rx_size = sizeof(struct fdccp_ccid2_rx),
	.tx_start = start,
	.tx_when = when,
	.tx_sent = sent,
	.tx_cause = cause,
	.tx_peer = peer_packet,
	.tx_option = option,
	.tx_ack = ack,
	.tx_timer = timer,
	.tx_expire = expire,
	.tx_restart = start,
	.tx_ccval = ccval,
	.tx_ack_ratio = ack_ratio,
	.tx_window = window,
	.tx_rtt = rtt,
	.tx_info = info,
	.rx_start = fdccp_ccid2_rx_start,
	.rx_packet = fdccp_ccid2_rx_packet,
	.rx_when = fdccp_ccid2_rx_when,
	.rx_write = fdccp_ccid2_rx_write,
	.rx_sent = fdccp_ccid2_rx_sent,
	.rx_ack_ratio = fdccp_ccid2_rx_ack_ratio,
};
