// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "clock.h"

#define NS_PER_US	1000
#define DRIFT_MAX	(FSTREAM_CLOCK_DRIFT / 1e6)

/* From @a to @b on the sender's clock, in ns. */
static int64_t between(uint32_t a, uint32_t b)
{
	return (int64_t)(int32_t)(b - a) * NS_PER_US;
}

/* How much faster this end's clock was from @a to @b, if neither of them waited. */
static double slope(const struct fstream_clock_point *a, const struct fstream_clock_point *b)
{
	int64_t theirs = between(a->us, b->us);

	return (double)(b->arrival - a->arrival - theirs) / (double)theirs;
}

static void drop_first(struct fstream_clock *clock)
{
	clock->count--;
	memmove(clock->point, clock->point + 1, clock->count * sizeof(clock->point[0]));
}

static void drop_old(struct fstream_clock *clock, int64_t now)
{
	while (clock->count && now - clock->point[0].arrival > FSTREAM_CLOCK_WINDOW)
		drop_first(clock);
}

/* Whether the last point lies above the hull of the others and @p, so that its message waited. */
static bool last_waited(const struct fstream_clock *clock, const struct fstream_clock_point *p)
{
	const struct fstream_clock_point *last = &clock->point[clock->count - 1];
	double to = slope(last, p);

	return to < -DRIFT_MAX || (clock->count > 1 && slope(last - 1, last) >= to);
}

static void add(struct fstream_clock *clock, const struct fstream_clock_point *p)
{
	while (clock->count && last_waited(clock, p))
		clock->count--;
	if (clock->count == FSTREAM_CLOCK_POINTS)
		drop_first(clock);
	clock->point[clock->count++] = *p;
}

/* The edge over the middle of the window has the least sum of distances to all messages. */
static void set_line(struct fstream_clock *clock)
{
	const struct fstream_clock_point *p = clock->point;
	int64_t half = between(p[0].us, p[clock->count - 1].us) / 2;
	unsigned int i = 1;

	clock->drift = 0;
	if (clock->count > 1) {
		while (between(p[0].us, p[i].us) < half)
			i++;
		clock->drift = slope(&p[i - 1], &p[i]);
	}
	clock->base = p[i - 1];
}

void fstream_clock_learn(struct fstream_clock *clock, uint32_t us, int64_t now)
{
	struct fstream_clock_point p = { us, now };

	/* messages are submitted in the order of their numbers: the sender's clock went back */
	if (between(clock->last, us) < 0)
		clock->count = 0;
	clock->last = us;
	drop_old(clock, now);
	/* clocks do not drift so much: this message waited */
	if (clock->count && (us == clock->point[clock->count - 1].us ||
			     slope(&clock->point[clock->count - 1], &p) > DRIFT_MAX))
		return;
	add(clock, &p);
	set_line(clock);
}

void fstream_clock_way(struct fstream_clock *clock, int64_t way, int64_t now)
{
	if (!way)
		return;
	if (clock->told && way > clock->way && now - clock->way_since <= FSTREAM_CLOCK_WINDOW)
		return;
	clock->told = true;
	clock->way = way;
	clock->way_since = now;
}

void fstream_clock_guess(struct fstream_clock *clock, int64_t way)
{
	if (!clock->told)
		clock->way = way;
}

int64_t fstream_clock_here(const struct fstream_clock *clock, uint32_t us)
{
	int64_t since = between(clock->base.us, us);

	return clock->base.arrival + since + (int64_t)(clock->drift * (double)since) -
	       clock->way;
}
