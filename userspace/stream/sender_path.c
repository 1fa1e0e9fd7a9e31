// SPDX-License-Identifier: GPL-2.0-or-later
/* What a sender learns of the path, and what both ends tell each other beside messages. */
#include "sender.h"

/* changes of round-trip times that the receiver hears of, and how often */
#define TERMS_CHANGE	INT64_C(500000)
#define TERMS_INTERVAL	INT64_C(1000000000)
#define ALPHA_ONE	1000
#define NSEC_PER_SEC	1000000000

static bool differs(int64_t a, int64_t b, int64_t limit)
{
	return a - b > limit || b - a > limit;
}

/* Tells the receiver the round-trip times, if they differ from those that it knows. */
static void tell_rtt(struct fstream *s, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);
	bool known = s->mine.srtt != 0;

	if (known && (now < tx->terms_at ||
		      (!differs(tx->path.rtt_min, s->mine.rtt_min, TERMS_CHANGE) &&
		       !differs(tx->path.srtt, s->mine.srtt, s->mine.srtt / 4))))
		return;
	tx->terms_at = now + TERMS_INTERVAL;
	s->mine.rtt_min = tx->path.rtt_min;
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
	tx->samples = tx->path.samples;
	change = (tx->path.sample - tx->srtt) * s->config.alpha / ALPHA_ONE;
	tx->srtt = tx->srtt ? tx->srtt + change : tx->path.sample;
	tell_rtt(s, now);
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

	(void)now;
	if (frame->type != FSTREAM_REPORT)
		return false;
	count_on(&on_time, frame->on_time);
	count_on(&late, frame->late);
	if (on_time + late > s->totals.submitted)
		return false;
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
