// SPDX-License-Identifier: GPL-2.0
/* The recent quality of the link: see quality.h. */

#include <linux/bitops.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include "quality.h"

#define ARQL_MILLION	1000000
#define ARQL_THOUSAND	1000

/* Delays are counted in units of 1024 ns. A bucket is at most an eighth of its delays wide. The
 * last bucket ends at 2^32 units, more than an hour.
 */
#define ARQL_DELAY_SHIFT	10
#define ARQL_EIGHTHS		8

/* A shorter time does not tell a rate. */
#define ARQL_BUSY_MIN		NSEC_PER_MSEC

static struct arql_tally *arql_present(struct arql_quality *q)
{
	return &q->tally[q->present];
}

/* Delays below 16 units have buckets of one unit. Each following octave has eight buckets. */
static u32 arql_delay_bucket(s64 delay)
{
	const u32 units = clamp_t(s64, delay >> ARQL_DELAY_SHIFT, 0, U32_MAX);
	const int shift = units < 2 * ARQL_EIGHTHS ? 0 : fls(units) - 4;

	return ARQL_EIGHTHS * shift + (units >> shift);
}

/* The delays of a bucket are at least @low and less than @low + @width, in ns. */
static void arql_bucket_delays(u32 bucket, u64 *low, u64 *width)
{
	const int shift = bucket < 2 * ARQL_EIGHTHS ? 0 : bucket / ARQL_EIGHTHS - 1;

	*low = (u64)(bucket - ARQL_EIGHTHS * shift) << (shift + ARQL_DELAY_SHIFT);
	*width = 1ULL << (shift + ARQL_DELAY_SHIFT);
}

/**
 * arql_quality_sent() - count a transmission of a DATA frame
 * @q: the quality
 * @again: the frame was sent before, so the transmission before has failed
 */
void arql_quality_sent(struct arql_quality *q, bool again)
{
	arql_present(q)->sent++;
	arql_present(q)->failed += again;
}

/**
 * arql_quality_failed() - count the last transmission of a frame that is given up
 * @q: the quality
 */
void arql_quality_failed(struct arql_quality *q)
{
	arql_present(q)->failed++;
}

/**
 * arql_quality_acked() - handle an acknowledgment of new frames, before the frames are counted
 * @q: the quality
 * @waits: packets wait because the window is full
 * @now: monotonic time in ns
 *
 * The link is busy from one acknowledgment to the next if packets wait at both. A longer pause than
 * the horizon says how long the link failed, and nothing about its rate.
 */
void arql_quality_acked(struct arql_quality *q, bool waits, s64 now)
{
	const s64 pause = now - q->acked_at;

	if (now - q->began_at >= ARQL_HORIZON) {
		q->present ^= 1;
		*arql_present(q) = (struct arql_tally){};
		q->began_at = now;
	}
	q->busy = waits && q->waited && pause <= ARQL_HORIZON;
	if (q->busy)
		arql_present(q)->busy_ns += pause;
	q->waited = waits;
	q->acked_at = now;
}

/**
 * arql_quality_frame() - count a frame that is acknowledged
 * @q: the quality
 * @attempts: its transmissions
 */
void arql_quality_frame(struct arql_quality *q, u32 attempts)
{
	arql_present(q)->frames++;
	arql_present(q)->attempts += attempts;
}

/**
 * arql_quality_packet() - count a packet whose last piece is acknowledged
 * @q: the quality
 * @delay: its delay, in ns
 * @bytes: its length
 */
void arql_quality_packet(struct arql_quality *q, s64 delay, u32 bytes)
{
	arql_present(q)->busy_bytes += q->busy ? bytes : 0;
	arql_quality_late(q, delay, bytes);
}

/**
 * arql_quality_late() - count a packet whose lifetime ends before its acknowledgment
 * @q: the quality
 * @delay: its delay, as far as it is known, in ns
 * @bytes: its length
 */
void arql_quality_late(struct arql_quality *q, s64 delay, u32 bytes)
{
	struct arql_tally *t = arql_present(q);

	t->packets++;
	t->bytes += bytes;
	t->delays[arql_delay_bucket(delay)]++;
}

/* Finds the delay that @percent of the packets do not exceed. Assumes that the delays in a bucket
 * are evenly distributed.
 */
static u64 arql_percentile(const struct arql_quality *q, u64 packets, u32 percent)
{
	u64 rank = div_u64(packets * percent + 99, 100), low, width;
	u32 i, count = 0;

	if (!packets)
		return 0;
	for (i = 0; i < ARQL_DELAY_BUCKETS; i++) {
		count = q->tally[0].delays[i] + q->tally[1].delays[i];
		if (rank <= count)
			break;
		rank -= count;
	}
	arql_bucket_delays(i, &low, &width);
	return max_t(u64, low + mul_u64_u64_div_u64(width, rank, count), 1);
}

/* Divides, if there is anything to divide by. */
static u64 arql_ratio(u64 part, u64 factor, u64 whole)
{
	return whole ? mul_u64_u64_div_u64(part, factor, whole) : 0;
}

/**
 * arql_quality_read() - compute the quality
 * @q: the quality
 * @quality: written; @quality->least and @quality->idle are set to 0
 */
void arql_quality_read(const struct arql_quality *q, struct fl_link_quality *quality)
{
	const struct arql_tally *a = &q->tally[0], *b = &q->tally[1];
	const u64 packets = a->packets + b->packets, busy_ns = a->busy_ns + b->busy_ns;

	*quality = (struct fl_link_quality){};
	/* a transmission may fail after its tally has ended */
	quality->loss = min_t(u64, arql_ratio(a->failed + b->failed, ARQL_MILLION,
					      a->sent + b->sent), ARQL_MILLION);
	quality->attempts = arql_ratio(a->attempts + b->attempts, ARQL_THOUSAND,
				       a->frames + b->frames);
	quality->delay_50 = arql_percentile(q, packets, 50);
	quality->delay_90 = arql_percentile(q, packets, 90);
	quality->delay_99 = arql_percentile(q, packets, 99);
	if (busy_ns >= ARQL_BUSY_MIN)
		quality->rate = arql_ratio(a->busy_bytes + b->busy_bytes, NSEC_PER_SEC, busy_ns);
	quality->length = arql_ratio(a->bytes + b->bytes, 1, packets);
}
