// SPDX-License-Identifier: GPL-2.0-or-later
/* What a sender notes of packets that go stale, and what it does when that is persistent. */
#include "sender.h"

#define NSEC_PER_SEC	1e9
/* A burst may take this part of a lifetime longer than the rate says. */
#define BURST_PART	8
#define SLOW_PART	4

void fstream_tx_restart_expiry(struct fstream_tx *tx, int64_t now)
{
	tx->throttle = (struct fstream_throttle){ 0 };
	tx->expiry.episode = false;
	fstream_expiry_restart(&tx->expiry, now);
}

/* How long what is on its way, and what waits here for the connection, keeps the path busy. What
 * waits is stale after a lifetime, whatever the rate: it may be tiny, as after a timeout of CCID 2.
 */
static int64_t queue_of(const struct fstream *s)
{
	const struct fstream_tx *tx = fstream_tx(s);
	int64_t lifetime = fstream_tx_lifetime(s, FSTREAM_ANY);
	int64_t on_way = tx->path.rtt_min ? tx->path.sample - tx->path.rtt_min : 0;
	double here = tx->path.rate ? (double)tx->box.backlog * NSEC_PER_SEC /
				      (double)tx->path.rate : 0;

	return (on_way > 0 ? on_way : 0) + (here < (double)lifetime ? (int64_t)here : lifetime);
}

static void remedy(struct fstream *s, const struct fstream_expiry_verdict *verdict, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);

	switch (s->config.remedy) {
	case FSTREAM_REMEDY_LIFETIME:
		tx->longer = fstream_expiry_longer(fstream_tx_lifetime(s, FSTREAM_ANY),
						   s->config.lifetime_max);
		break;
	case FSTREAM_REMEDY_RATE:
		tx->throttle.burst = fstream_tx_lifetime(s, FSTREAM_ANY) / BURST_PART;
		fstream_throttle_fall(&tx->throttle, fstream_expiry_taken_rate(&tx->expiry, now),
				      fstream_expiry_came_rate(&tx->expiry, verdict->rounds, now),
				      queue_of(s), now);
		break;
	default:
		break;
	}
}

/* Expiry is persistent. What was sent before is no reason to do more. */
static void persistent(struct fstream *s, const struct fstream_expiry_verdict *verdict,
		       int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);

	tx->verdict = *verdict;
	if (!tx->expiry.episode) {
		s->totals.expiries++;
		tx->expired = true;
	}
	tx->expiry.episode = true;
	remedy(s, verdict, now);
	fstream_expiry_restart(&tx->expiry, now);
}

static void stale(struct fstream *s, enum fstream_place place, int64_t at, int64_t now)
{
	struct fstream_expiry_verdict verdict;
	int64_t lifetime = fstream_tx_lifetime(s, FSTREAM_ANY);

	if (fstream_expiry_stale(&fstream_tx(s)->expiry, place, at, lifetime, &verdict))
		persistent(s, &verdict, now);
}

/* A round trip has ended, and the next one has nothing yet. While the rate rises, the path is busy
 * in the second half of the rise at the latest, because only then packets wait longer.
 */
static void look_at_round(struct fstream *s, bool clean, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);
	unsigned int half;

	/* most streams have no limit, and a round trip may end with each acknowledgment */
	if (!tx->throttle.limit)
		return;
	half = (fstream_throttle_raises(&tx->throttle) + 1) / 2;
	fstream_throttle_round(&tx->throttle, clean,
			       fstream_expiry_came_rate(&tx->expiry, half + 1, now),
			       queue_of(s), now);
}

/* Something arrived that was sent at @at. */
static void arrived(struct fstream *s, int64_t at, int64_t now)
{
	bool clean;

	if (fstream_expiry_turn(&fstream_tx(s)->expiry, at, now, &clean))
		look_at_round(s, clean, now);
}

void fstream_tx_note_fate(struct fstream *s, const struct fstream_sent *sent, enum fdccp_fate fate,
			  int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);

	switch (fate) {
	case FDCCP_FATE_EXPIRED:
		stale(s, FSTREAM_PLACE_HOST, sent->at, now);
		break;
	case FDCCP_FATE_DISCARDED:
		stale(s, FSTREAM_PLACE_ROUTER, sent->at, now);
		break;
	case FDCCP_FATE_CUT:
		fstream_expiry_cut(&tx->expiry, sent->at, sent->len);
		stale(s, FSTREAM_PLACE_ROUTER, sent->at, now);
		arrived(s, sent->at, now);
		break;
	case FDCCP_FATE_LOST:
		fstream_expiry_lost(&tx->expiry, sent->at);
		break;
	case FDCCP_FATE_UNKNOWN:
		break;
	default:
		fstream_expiry_came(&tx->expiry, sent->at, sent->len);
		arrived(s, sent->at, now);
		break;
	}
}

void fstream_tx_end_unsent(struct fstream *s, struct fstream_out *out, enum fstream_end end,
			   int64_t now)
{
	if (s->open)
		stale(s, FSTREAM_PLACE_HOST, out->submitted, now);
	fstream_tx_end(s, out, end);
}

void fstream_tx_note_report(struct fstream *s, uint64_t late, uint64_t on_time, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);
	struct fstream_expiry_verdict verdict;

	if (fstream_expiry_late(&tx->expiry, late, on_time, &verdict))
		persistent(s, &verdict, now);
	else if (late)
		look_at_round(s, false, now);
}

/* Waiting here and in queues may take half of what the fastest packet leaves of a lifetime. A queue
 * that takes the other half as well says so in this way, before anything is stale.
 */
void fstream_tx_note_rtt(struct fstream *s, const struct fstream_out *out,
			 const struct fstream_sent *sent, int64_t rtt)
{
	struct fstream_tx *tx = fstream_tx(s);
	int64_t least = tx->path.rtt_min, lifetime = out->deadline - out->submitted;

	if (out->piece[sent->piece].attempts == 1 &&
	    SLOW_PART * (sent->at - out->submitted + rtt - least) > lifetime - least)
		fstream_expiry_slow(&tx->expiry, sent->at);
}

int64_t fstream_tx_admit_timer(const struct fstream_tx *tx)
{
	if (!tx->starved || !tx->throttle.limit)
		return FDCCP_NEVER;
	return fstream_throttle_when(&tx->throttle, tx->starved);
}
