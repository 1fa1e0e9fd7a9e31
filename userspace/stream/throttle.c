// SPDX-License-Identifier: GPL-2.0-or-later
#include "throttle.h"

#define NSEC_PER_SEC	1e9
/* no message takes longer, in ns: 73 years */
#define TIME_MAX	((double)INT64_MAX / 4)

static uint64_t clamp(uint64_t value, uint64_t least, uint64_t most)
{
	if (value > most)
		value = most;
	return value > least ? value : least;
}

/* How long a message takes at the limit. */
static int64_t time_of(const struct fstream_throttle *t, size_t len)
{
	double time = (double)len * NSEC_PER_SEC / (double)t->limit;

	return time < TIME_MAX ? (int64_t)time : (int64_t)TIME_MAX;
}

static void set(struct fstream_throttle *t, uint64_t limit, int64_t queue, int64_t now)
{
	t->limit = t->least = limit ? limit : 1;
	t->hold = now + queue;
	t->next = t->hold + t->burst;
	t->clean = 0;
	t->ignore = true;
}

void fstream_throttle_fall(struct fstream_throttle *t, uint64_t taken, uint64_t came, int64_t queue,
			   int64_t now)
{
	uint64_t tenth;

	if (!t->limit)
		t->limit = t->before = taken;
	tenth = t->limit / FSTREAM_FALL_PART;
	set(t, clamp(came, tenth, t->limit - tenth), queue, now);
}

unsigned int fstream_throttle_raises(const struct fstream_throttle *t)
{
	return t->clean < FSTREAM_CLEAN_ROUNDS ? 0 : t->clean - FSTREAM_CLEAN_ROUNDS + 1;
}

static void rise(struct fstream_throttle *t)
{
	uint64_t most = t->before > t->limit ? t->before : t->limit;

	t->limit = clamp(t->limit + t->before / FSTREAM_RAISES, 1, most);
}

void fstream_throttle_round(struct fstream_throttle *t, bool clean, uint64_t came, int64_t queue,
			    int64_t now)
{
	if (!t->limit)
		return;
	if (t->ignore) {
		t->ignore = false;
		return;
	}
	if (!clean) {
		set(t, clamp(came, t->least, t->limit), queue, now);
		return;
	}
	t->clean++;
	if (t->clean >= FSTREAM_CLEAN_ROUNDS + FSTREAM_RAISES)
		*t = (struct fstream_throttle){ 0 };
	else if (t->clean >= FSTREAM_CLEAN_ROUNDS)
		rise(t);
}

int64_t fstream_throttle_when(const struct fstream_throttle *t, size_t len)
{
	int64_t when = t->limit ? t->next - t->burst - time_of(t, len) : 0;

	return when > t->hold ? when : t->hold;
}

void fstream_throttle_taken(struct fstream_throttle *t, size_t len, int64_t now)
{
	if (t->limit)
		t->next = (t->next > now ? t->next : now) + time_of(t, len);
}
