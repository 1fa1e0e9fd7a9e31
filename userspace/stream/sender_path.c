// SPDX-License-Identifier: GPL-2.0-or-later
/* What a sender learns of the path, and what both ends tell each other beside messages. */
#include "sender.h"

/* changes of the one-way time that the receiver hears of, and how often */
#define TERMS_CHANGE	INT64_C(100000)
#define TERMS_INTERVAL	INT64_C(1000000000)
/* what is added to the one-way time: a part of the difference between pieces and small packets, and
 * what the bytes by which small packets differ take at 10 Mbit/s
 */
#define SAFE_PART	16
#define SAFE_TIME	INT64_C(20000)
#define ALPHA_ONE	1000
#define NSEC_PER_SEC	1000000000

static bool differs(int64_t a, int64_t b, int64_t limit)
{
	return a - b > limit || b - a > limit;
}

void fstream_tx_piece_rtt(struct fstream_tx *tx, int64_t rtt, int64_t now)
{
	fdccp_rtts_add(&tx->pieces, rtt, now);
}

static bool small_is_old(const struct fstream_tx *tx, int64_t now)
{
	return !tx->small || now - tx->small_at > FSTREAM_CLOCK_WINDOW;
}

void fstream_tx_small_rtt(struct fstream_tx *tx, int64_t rtt, int64_t now)
{
	if (rtt > tx->small && !small_is_old(tx, now))
		return;
	tx->small = rtt;
	tx->small_at = now;
}

void fstream_tx_forget_path(struct fstream_tx *tx)
{
	fdccp_rtts_restart(&tx->pieces);
	tx->small = 0;
}

/* How long the fastest pieces take. Their acknowledgments are small, so these take half of the
 * round-trip time of small packets. That half is rather too large, because an Ack is smaller than
 * a frame without a message. An error must not make messages late, so something is added.
 */
int64_t fstream_tx_least_way(const struct fstream_tx *tx)
{
	int64_t piece = fdccp_rtts_least(&tx->pieces);
	int64_t small = tx->small < piece ? tx->small : piece;

	if (!piece || !small)
		return 0;
	return piece - small / 2 + (piece - small) / SAFE_PART + SAFE_TIME;
}

/* Whether the receiver should hear of the path. A frame to it also tells how long small packets
 * take.
 */
static bool has_news(const struct fstream *s, int64_t way, int64_t now)
{
	const struct fstream_tx *tx = fstream_tx(s);

	if (!s->mine.srtt || (way && !s->mine.way))
		return true;
	return now >= tx->terms_at && (differs(way, s->mine.way, TERMS_CHANGE) ||
				       differs(tx->path.srtt, s->mine.srtt, s->mine.srtt / 4) ||
				       small_is_old(tx, now));
}

static void tell_path(struct fstream *s, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);
	int64_t way = fstream_tx_least_way(tx);

	if (!has_news(s, way, now))
		return;
	tx->terms_at = now + TERMS_INTERVAL;
	s->mine.way = way;
	s->mine.srtt = tx->path.srtt;
	fstream_post_terms(s);
}

void fstream_tx_look_at_path(struct fstream *s, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);
	int64_t change;

	s->link.measure(s->link.context, &tx->path);
	if (tx->path.samples == tx->samples)
		return;
	/* the handshake's */
	if (!tx->samples)
		fstream_tx_small_rtt(tx, tx->path.sample, now);
	tx->samples = tx->path.samples;
	tx->sampled_at = now;
	change = (tx->path.sample - tx->srtt) * s->config.alpha / ALPHA_ONE;
	tx->srtt = tx->srtt ? tx->srtt + change : tx->path.sample;
	tell_path(s, now);
}

void fstream_tx_ask_path(struct fstream *s, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);

	if (now - tx->sampled_at < FSTREAM_RTT_DEFAULT)
		return;
	tx->sampled_at = now;
	fstream_post_terms(s);
	fstream_post_send(s, now);
}

void fstream_tx_look_at_rate(struct fstream_tx *tx)
{
	uint64_t rate = tx->path.rate;
	size_t backlog = tx->box.backlog, limit = rate * (uint64_t)tx->path.srtt / NSEC_PER_SEC;

	if (limit < tx->told_backlog)
		limit = tx->told_backlog;
	if (!differs((int64_t)rate, (int64_t)tx->told_rate, (int64_t)tx->told_rate / 4) &&
	    !differs((int64_t)backlog, (int64_t)tx->told_backlog, (int64_t)limit / 4))
		return;
	tx->told_rate = rate;
	tx->told_backlog = backlog;
	tx->rate = true;
}

/* Totals count on; a report that another has overtaken is older. */
static void count_on(uint64_t *total, uint32_t wire)
{
	uint64_t value = fstream_frame_extend(wire, *total);

	if ((int64_t)(value - *total) > 0)
		*total = value;
}

bool fstream_tx_frame(struct fstream *s, const struct fstream_frame *frame, int64_t now)
{
	uint64_t on_time = s->totals.on_time, late = s->totals.late;
	struct fstream_tx *tx = fstream_tx(s);

	if (frame->type == FSTREAM_TERMS)
		return true;
	if (frame->type != FSTREAM_REPORT)
		return false;
	count_on(&on_time, frame->on_time);
	count_on(&late, frame->late);
	if (on_time + late > s->totals.submitted)
		return false;
	fstream_tx_note_report(s, late - s->totals.late, on_time - s->totals.on_time, now);
	s->totals.on_time = on_time;
	s->totals.late = late;
	if (frame->flags & FSTREAM_FINAL && tx->last_skip && !tx->reported) {
		tx->reported = true;
		tx->finished = true;
	}
	return true;
}

void fstream_tx_fill(struct fstream *s, struct fstream_frame *frame, int64_t now)
{
	(void)now;
	frame->number = (uint32_t)fstream_tx(s)->box.oldest;
}

int64_t fstream_tx_skip_timer(const struct fstream_tx *tx)
{
	if (tx->box.count || tx->last_skip)
		return FDCCP_NEVER;
	if (tx->finishing)
		return tx->flight.last_at;
	if (tx->given_up <= tx->unneeded)
		return FDCCP_NEVER;
	return (tx->flight.last_at > tx->skip_at ? tx->flight.last_at : tx->skip_at) +
	       (tx->path.srtt ? tx->path.srtt : FSTREAM_RTT_DEFAULT);
}

void fstream_tx_skip(struct fstream *s, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);

	if (fstream_tx_skip_timer(tx) > now)
		return;
	tx->last_skip = tx->finishing;
	tx->unneeded = tx->box.oldest;
	tx->skip_at = now;
	fstream_post(s, FSTREAM_SKIP, tx->finishing ? FSTREAM_FINAL : 0);
}
