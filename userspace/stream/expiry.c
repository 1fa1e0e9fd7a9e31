// SPDX-License-Identifier: GPL-2.0-or-later
/* Persistent expiry: see expiry.h. */
#include "expiry.h"

#define NSEC_PER_SEC	1e9

/* What a part of the window has. */
struct sum {
	unsigned int rounds;
	uint64_t packets, stale;
	uint64_t place[FSTREAM_PLACES];
	unsigned int spread[FSTREAM_PLACES];
};

/* The round trip that is @age older than the newest. */
static struct fstream_round *round_of(const struct fstream_expiry *e, unsigned int age)
{
	unsigned int i = age <= e->newest ? e->newest - age :
					    e->newest + FSTREAM_EXPIRY_KEPT - age;

	return (struct fstream_round *)&e->ring[i];
}

static void count(uint32_t *counter)
{
	*counter += *counter < UINT32_MAX;
}

static uint64_t stale_in(const struct fstream_round *round)
{
	uint64_t stale = 0;

	for (int place = 0; place < FSTREAM_PLACES; place++)
		stale += round->stale[place];
	return stale;
}

static void add(struct sum *sum, const struct fstream_round *round)
{
	sum->rounds++;
	sum->packets += round->packets;
	sum->stale += stale_in(round);
	for (int place = 0; place < FSTREAM_PLACES; place++) {
		sum->place[place] += round->stale[place];
		sum->spread[place] += round->stale[place] > 0;
	}
}

/* Whether the window is full. The newest round trip has not ended. */
static bool is_full(const struct sum *sum)
{
	return sum->rounds > FSTREAM_EXPIRY_ROUNDS && sum->packets >= FSTREAM_EXPIRY_PACKETS;
}

/* Sums the window up. @from_stale: the part of it from the first stale packet's round trip on. */
static struct sum window(const struct fstream_expiry *e, struct sum *from_stale)
{
	struct sum sum = { 0 };

	*from_stale = sum;
	for (unsigned int age = 0; age < e->count && !is_full(&sum); age++) {
		const struct fstream_round *round = round_of(e, age);

		add(&sum, round);
		if (stale_in(round))
			*from_stale = sum;
	}
	return sum;
}

static enum fstream_place most(const struct sum *sum)
{
	int most = 0;

	for (int place = 1; place < FSTREAM_PLACES; place++)
		if (sum->place[place] > sum->place[most])
			most = place;
	return (enum fstream_place)most;
}

/* Whether expiry is persistent. @outage: something is stale for longer than an outage lasts. */
static bool judge(const struct fstream_expiry *e, bool outage,
		  struct fstream_expiry_verdict *verdict)
{
	struct sum from_stale, sum = window(e, &from_stale);
	enum fstream_place place = most(&sum);

	if (sum.packets < FSTREAM_EXPIRY_PACKETS ||
	    sum.stale * FSTREAM_EXPIRY_PART <= sum.packets)
		return false;
	if (!outage && (!is_full(&sum) || sum.spread[place] < FSTREAM_EXPIRY_SPREAD))
		return false;
	verdict->share = (unsigned int)(from_stale.stale * FSTREAM_SHARE_ONE / from_stale.packets);
	verdict->place = place;
	verdict->rounds = from_stale.rounds;
	return true;
}

void fstream_expiry_restart(struct fstream_expiry *e, int64_t now)
{
	*e = (struct fstream_expiry){
		.ring[0].begin = now, .count = 1, .unreported = 1, .from = now,
		.first = FDCCP_NEVER, .episode = e->episode,
	};
}

void fstream_expiry_taken(struct fstream_expiry *e, size_t len)
{
	round_of(e, 0)->taken += len;
}

static uint64_t rate(double bytes, int64_t time)
{
	return time > 0 ? (uint64_t)(bytes * NSEC_PER_SEC / (double)time) : 0;
}

uint64_t fstream_expiry_taken_rate(const struct fstream_expiry *e, int64_t now)
{
	double bytes = 0;

	for (unsigned int age = 0; age < e->count; age++)
		bytes += (double)round_of(e, age)->taken;
	return rate(bytes, now - round_of(e, e->count - 1)->begin);
}

uint64_t fstream_expiry_came_rate(const struct fstream_expiry *e, unsigned int rounds, int64_t now)
{
	unsigned int count = rounds < e->count ? rounds : e->count;
	double bytes = 0;

	for (unsigned int age = 0; age < count; age++)
		bytes += (double)round_of(e, age)->bytes;
	return count ? rate(bytes, now - round_of(e, count - 1)->begin) : 0;
}

bool fstream_expiry_stale(struct fstream_expiry *e, enum fstream_place place, int64_t at,
			  int64_t lifetime, struct fstream_expiry_verdict *verdict)
{
	struct fstream_round *round = round_of(e, 0);

	if (at < e->from)
		return false;
	if (e->first == FDCCP_NEVER)
		e->first = at;
	count(&round->packets);
	count(&round->stale[place]);
	return judge(e, at - e->first - lifetime > FSTREAM_EXPIRY_OUTAGE, verdict);
}

bool fstream_expiry_late(struct fstream_expiry *e, uint64_t late, uint64_t on_time,
			 struct fstream_expiry_verdict *verdict)
{
	uint64_t came = 0, left;

	for (unsigned int age = 0; age < e->unreported; age++)
		came += round_of(e, age)->came;
	left = late ? (uint64_t)((double)came * (double)late / ((double)late + (double)on_time)) : 0;
	late = left;
	for (unsigned int age = 0; age < e->unreported; age++) {
		struct fstream_round *round = round_of(e, age);
		uint32_t stale = left < round->came ? (uint32_t)left : round->came;

		left -= stale;
		round->stale[FSTREAM_PLACE_RECEIVER] += stale;
		round->came = 0;
	}
	e->unreported = 1;
	return late && judge(e, false, verdict);
}

void fstream_expiry_lost(struct fstream_expiry *e, int64_t at)
{
	if (at >= e->from)
		count(&round_of(e, 0)->packets);
}

void fstream_expiry_slow(struct fstream_expiry *e, int64_t at)
{
	if (at >= e->from)
		round_of(e, 0)->slow = true;
}

/* Ends an episode where hardly anything is stale any more. */
static void calm_down(struct fstream_expiry *e)
{
	struct sum unused, sum;

	if (!e->episode)
		return;
	sum = window(e, &unused);
	if (is_full(&sum) && sum.stale * FSTREAM_EXPIRY_OVER <= sum.packets)
		e->episode = false;
}

static void next_round(struct fstream_expiry *e, int64_t now)
{
	e->newest = e->newest + 1 < FSTREAM_EXPIRY_KEPT ? e->newest + 1 : 0;
	e->ring[e->newest] = (struct fstream_round){ .begin = now };
	e->first = FDCCP_NEVER;
	e->count += e->count < FSTREAM_EXPIRY_KEPT;
	e->unreported += e->unreported < FSTREAM_EXPIRY_KEPT;
}

void fstream_expiry_cut(struct fstream_expiry *e, int64_t at, size_t len)
{
	if (at >= e->from)
		round_of(e, 0)->bytes += len < FSTREAM_EXPIRY_HEADERS ? len :
									FSTREAM_EXPIRY_HEADERS;
}

void fstream_expiry_came(struct fstream_expiry *e, int64_t at, size_t len)
{
	struct fstream_round *round = round_of(e, 0);

	if (at < e->from)
		return;
	count(&round->packets);
	count(&round->came);
	round->bytes += len;
}

bool fstream_expiry_turn(struct fstream_expiry *e, int64_t at, int64_t now, bool *clean)
{
	const struct fstream_round *round = round_of(e, 0);

	if (at < round->begin)
		return false;
	*clean = !round->slow && !stale_in(round);
	next_round(e, now);
	calm_down(e);
	return true;
}

int64_t fstream_expiry_longer(int64_t lifetime, int64_t max)
{
	if (lifetime >= max)
		return lifetime;
	return max - lifetime > lifetime / 2 ? lifetime + lifetime / 2 : max;
}
