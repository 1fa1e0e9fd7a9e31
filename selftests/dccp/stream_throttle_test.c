// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rate of what a stream takes falls, stays and comes back by the numbers in the comments, which
 * were worked out by hand. Prints TAP.
 */
#include "../../userspace/stream/throttle.h"

#include "../codec/unit.h"

#define MS	INT64_C(1000000)
#define SEC	INT64_C(1000000000)
#define START	(5 * SEC)

static struct fstream_throttle t;

/* 60 kbit/s were taken, of which @came bytes a second came. */
static void fall(uint64_t came)
{
	t = (struct fstream_throttle){ .burst = 250 * MS };
	fstream_throttle_fall(&t, 7500, came, 0, START);
}

static void clean(unsigned int rounds)
{
	while (rounds--)
		fstream_throttle_round(&t, true, 0, 0, START);
}

/* The rate falls to what came, at least by a tenth and at most by nine. */
static bool test_fall(void)
{
	static const struct {
		uint64_t came, limit;
	} to[] = {
		{ 3750, 3750 }, { 6750, 6750 }, { 6751, 6750 }, { 7500, 6750 }, { UINT64_MAX, 6750 },
		{ 750, 750 }, { 749, 750 }, { 0, 750 },
	};

	for (unsigned int i = 0; i < sizeof(to) / sizeof(*to); i++) {
		fall(to[i].came);
		MUST(t.limit == to[i].limit && t.before == 7500);
	}
	/* from the limit, not from what is taken */
	fall(3750);
	fstream_throttle_fall(&t, 7500, 3700, 0, START);
	MUST(t.limit == 3375 && t.before == 7500);
	/* never to nothing, which means no limit */
	t = (struct fstream_throttle){ 0 };
	fstream_throttle_fall(&t, 0, 0, 0, START);
	MUST(t.limit == 1);
	return true;
}

/* Nothing is taken while the queue empties. Then two messages may go, and one each 500 / 3750 s. */
static bool test_hold(void)
{
	int64_t when = START + 900 * MS;

	t = (struct fstream_throttle){ .burst = 250 * MS };
	MUST(!fstream_throttle_when(&t, 500));
	fstream_throttle_fall(&t, 7500, 3750, 900 * MS, START);
	MUST(fstream_throttle_when(&t, 500) == when);
	fstream_throttle_taken(&t, 500, when);
	MUST(fstream_throttle_when(&t, 500) == when);
	fstream_throttle_taken(&t, 500, when);
	MUST(fstream_throttle_when(&t, 500) == when + 133333333);
	fstream_throttle_taken(&t, 500, when + 200 * MS);
	MUST(fstream_throttle_when(&t, 500) == when + 2 * INT64_C(133333333));
	/* after a pause, what takes 250 ms and one message: 937 + 500 bytes */
	when += 10 * SEC;
	for (int i = 0; i < 2; i++) {
		MUST(fstream_throttle_when(&t, 500) <= when);
		fstream_throttle_taken(&t, 500, when);
	}
	MUST(fstream_throttle_when(&t, 500) <= when && fstream_throttle_when(&t, 437) <= when + MS);
	fstream_throttle_taken(&t, 500, when);
	MUST(fstream_throttle_when(&t, 500) == when + 3 * INT64_C(133333333) - 250 * MS -
	     133333333);
	return true;
}

/* Messages of 500 bytes, 15 a second, at 3750 bytes a second: 7.5 a second are taken, and one, and
 * what the burst allows. A message of a megabyte at a byte a second does not overflow.
 */
static bool test_rate(void)
{
	int taken = 0;

	fall(3750);
	for (int64_t now = START; now < START + 1000 * SEC; now += SEC / 15) {
		if (fstream_throttle_when(&t, 500) > now)
			continue;
		fstream_throttle_taken(&t, 500, now);
		taken++;
	}
	MUST(taken >= 7500 && taken <= 7502);
	t = (struct fstream_throttle){ 0 };
	fstream_throttle_fall(&t, 1, 1, 0, START);
	for (int i = 0; i < 3; i++)
		fstream_throttle_taken(&t, 1048576, START);
	MUST(fstream_throttle_when(&t, 1) == START + 3 * 1048576 * SEC - SEC);
	fstream_throttle_taken(&t, SIZE_MAX, START);
	MUST(fstream_throttle_when(&t, SIZE_MAX) > START);
	return true;
}

/* From 3750, the round trip after the fall tells nothing. The tenth clean one adds 750, as those
 * after it do: 4500 ... 7500 with the 14th. With the 20th there is no limit.
 */
static bool test_rise(void)
{
	fall(3750);
	clean(1 + 9);
	MUST(t.limit == 3750 && !fstream_throttle_raises(&t));
	clean(1);
	MUST(t.limit == 4500 && fstream_throttle_raises(&t) == 1);
	clean(3);
	MUST(t.limit == 6750 && fstream_throttle_raises(&t) == 4);
	clean(1);
	MUST(t.limit == 7500);
	clean(5);
	MUST(t.limit == 7500);
	clean(1);
	MUST(!t.limit && !fstream_throttle_when(&t, 500));
	clean(100);
	MUST(!t.limit);
	/* from a tenth, the rise is over just before */
	fall(0);
	clean(1 + 18);
	MUST(t.limit == 7500);
	return true;
}

/* One that is not clean ends the rise at what came, but not below its begin. The next ten count
 * anew, after the one that tells of the time before.
 */
static bool test_end(void)
{
	static const struct {
		uint64_t came, limit;
	} to[] = { { 4000, 4000 }, { 3000, 3750 }, { 6000, 5250 } };

	for (unsigned int i = 0; i < sizeof(to) / sizeof(*to); i++) {
		fall(3750);
		clean(1 + 11);
		MUST(t.limit == 5250);
		fstream_throttle_round(&t, false, to[i].came, 400 * MS, START + SEC);
		MUST(t.limit == to[i].limit);
		MUST(fstream_throttle_when(&t, 500) == START + 1400 * MS);
		fstream_throttle_round(&t, false, 1, 900 * MS, START + SEC);
		MUST(t.limit == to[i].limit);
		MUST(fstream_throttle_when(&t, 500) == START + 1400 * MS);
		clean(9);
		MUST(t.limit == to[i].limit);
		clean(1);
		MUST(t.limit == to[i].limit + 750);
	}
	return true;
}

/* Before a rise, it changes no rate, and the queue empties. Without a limit it does nothing. */
static bool test_unclean(void)
{
	fall(3750);
	clean(1 + 5);
	fstream_throttle_round(&t, false, 100, 300 * MS, START + SEC);
	MUST(t.limit == 3750 && fstream_throttle_when(&t, 500) == START + 1300 * MS);
	clean(1 + 9);
	MUST(t.limit == 3750);
	t = (struct fstream_throttle){ 0 };
	fstream_throttle_round(&t, false, 100, 300 * MS, START);
	MUST(!t.limit && !fstream_throttle_when(&t, 500));
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "the rate falls to what came", test_fall },
		{ "the queue empties", test_hold },
		{ "the rate is kept", test_rate },
		{ "ten clean round trips, and ten raises", test_rise },
		{ "the end of a rise", test_end },
		{ "before a rise", test_unclean },
	};

	return unit_run(tests, sizeof(tests) / sizeof(*tests)) != 0;
}
