// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A transmission counts as lost at the time at which its acknowledgment would have come, if a later
 * one was acknowledged, and SRTT/4 later where packets have changed their order; a tail is found
 * after the timeout. Each is found once. Prints TAP.
 */
#include "../../userspace/stream/flight.c"

#include "../codec/unit.h"
#include "seeded.h"

#define MS	INT64_C(1000000)
#define SRTT	(100 * MS)
#define TIMEOUT	(150 * MS)
#define T0	(INT64_C(1) << 42)
#define LATER	(T0 + 100000 * MS)

/* Sends so many transmissions, @spacing apart from @at on; their numbers are their handles + 7. */
static bool send_many(struct fstream_flight *f, unsigned int count, int64_t at, int64_t spacing)
{
	for (; count; count--, at += spacing) {
		MUST(fstream_flight_reserve(f));
		fstream_flight_add(f, &(struct fstream_sent){
			.number = f->next + 7, .at = at, .state = FSTREAM_SENT_OPEN,
		});
	}
	return true;
}

/* Checks that @handle is the next that counts as lost, from @when on. */
static bool expect_lost(struct fstream_flight *f, uint64_t expected, int64_t when)
{
	uint64_t handle = ~UINT64_C(0);
	struct fstream_sent *sent;

	MUST(fstream_flight_timer(f, SRTT, TIMEOUT) == when);
	MUST(!fstream_flight_overtaken(f, SRTT, when - 1, &handle));
	sent = fstream_flight_overtaken(f, SRTT, when, &handle);
	MUST(sent && handle == expected && sent->number == expected + 7);
	return true;
}

static bool quiet(struct fstream_flight *f)
{
	uint64_t handle;

	MUST(fstream_flight_timer(f, SRTT, TIMEOUT) == FDCCP_NEVER);
	MUST(!fstream_flight_overtaken(f, SRTT, LATER, &handle));
	MUST(!fstream_flight_tail(f, TIMEOUT, LATER, &handle));
	return true;
}

/* Two of four sent at once were overtaken: they are lost at once, or 25 ms after the last
 * acknowledgment.
 */
static bool overtaken(bool wary)
{
	struct fstream_flight f = { .wary = wary };
	int64_t when = T0 + (wary ? 120 : 95) * MS;

	MUST(send_many(&f, 4, T0, 0));
	fstream_flight_close(&f, 1, true, T0 + 90 * MS);
	fstream_flight_close(&f, 3, true, T0 + 95 * MS);
	MUST(expect_lost(&f, 0, when) && expect_lost(&f, 2, when) && quiet(&f));
	fstream_flight_free(&f);
	return true;
}

static bool test_overtaken(void)
{
	return overtaken(false) && overtaken(true);
}

/* An older one was due earlier: 10 ms for each 10 ms between them. */
static bool test_spacing(void)
{
	struct fstream_flight f = { .wary = 1 };

	MUST(send_many(&f, 3, T0, 10 * MS));
	fstream_flight_close(&f, 2, true, T0 + 120 * MS);
	MUST(expect_lost(&f, 0, T0 + 125 * MS) && expect_lost(&f, 1, T0 + 135 * MS) && quiet(&f));
	fstream_flight_free(&f);
	return true;
}

/* What is acknowledged in time was not lost; an older acknowledgment changes no time. */
static bool test_reordered(void)
{
	struct fstream_flight f = { .wary = 1 };

	MUST(send_many(&f, 3, T0, 0));
	fstream_flight_close(&f, 2, true, T0 + 100 * MS);
	fstream_flight_close(&f, 0, true, T0 + 124 * MS);
	MUST(expect_lost(&f, 1, T0 + 125 * MS) && quiet(&f));
	/* lost is only what DCCP has not told of */
	MUST(send_many(&f, 2, T0, 0));
	fstream_flight_close(&f, 3, false, T0 + 101 * MS);
	fstream_flight_close(&f, 4, true, T0 + 100 * MS);
	MUST(quiet(&f));
	fstream_flight_free(&f);
	return true;
}

/* Sends two, of which the second arrives, and then the first or never. */
static bool overtake(struct fstream_flight *f, bool arrives)
{
	uint64_t first = f->next;

	MUST(send_many(f, 2, T0, 0));
	fstream_flight_close(f, first + 1, true, T0 + 100 * MS);
	fstream_flight_close(f, first, arrives, T0 + 101 * MS);
	return true;
}

/* One that arrives although it was overtaken makes SRTT/4 be waited for, until there were losses in
 * 16 round trips and no such arrival; losses of one round trip count once.
 */
static bool test_wary(void)
{
	struct fstream_flight f = { 0 };

	MUST(overtake(&f, false) && f.wary == 0 && overtake(&f, true) && f.wary == 16);
	for (unsigned int i = 0; i < 15; i++)
		MUST(overtake(&f, false));
	MUST(f.wary == 1 && overtake(&f, true) && f.wary == 16);
	MUST(send_many(&f, 20, T0, 0));
	for (uint64_t handle = f.next - 20; handle < f.next; handle++)
		fstream_flight_close(&f, handle, false, T0 + 100 * MS);
	MUST(f.wary == 15);
	for (unsigned int i = 0; i < 15; i++)
		MUST(f.wary == 15 - i && overtake(&f, false));
	MUST(f.wary == 0 && overtake(&f, false) && f.wary == 0);
	fstream_flight_free(&f);
	return true;
}

/* A tail is found TIMEOUT after the last transmission, the oldest first, and not if overtaken. */
static bool test_tail(void)
{
	struct fstream_flight f = { 0 };
	uint64_t handle;

	MUST(send_many(&f, 3, T0, 10 * MS));
	MUST(fstream_flight_timer(&f, SRTT, TIMEOUT) == T0 + 20 * MS + TIMEOUT);
	MUST(!fstream_flight_tail(&f, TIMEOUT, T0 + 20 * MS + TIMEOUT - 1, &handle));
	MUST(fstream_flight_tail(&f, TIMEOUT, T0 + 20 * MS + TIMEOUT, &handle) && handle == 0);
	fstream_flight_close(&f, 2, true, T0 + 171 * MS);
	MUST(!fstream_flight_tail(&f, TIMEOUT, LATER, &handle));
	MUST(expect_lost(&f, 1, T0 + 161 * MS) && quiet(&f));
	fstream_flight_free(&f);
	return true;
}

/* A handle is found until its fate is known, also after it was found lost. */
static bool test_find(void)
{
	struct fstream_flight f = { 0 };
	uint64_t handle;

	MUST(!fstream_flight_find(&f, 0) && quiet(&f));
	MUST(send_many(&f, 2, T0, 0));
	MUST(fstream_flight_find(&f, 1) && !fstream_flight_find(&f, 2));
	fstream_flight_close(&f, 1, true, T0);
	MUST(!fstream_flight_find(&f, 1));
	MUST(fstream_flight_overtaken(&f, SRTT, LATER, &handle));
	MUST(fstream_flight_find(&f, 0)->number == 7);
	fstream_flight_close(&f, 0, false, T0);
	MUST(!fstream_flight_find(&f, 0) && f.oldest == 2);
	fstream_flight_free(&f);
	return true;
}

/* The ring grows with what is in flight, keeps it, and shrinks again. */
static bool test_room(void)
{
	struct fstream_flight f = { 0 };

	for (int round = 0; round < 3; round++) {
		uint64_t first = f.next;

		MUST(send_many(&f, 1000, T0, 0));
		MUST(f.room == 1024);
		for (uint64_t handle = first; handle < first + 1000; handle++) {
			MUST(fstream_flight_find(&f, handle)->number == handle + 7);
			fstream_flight_close(&f, handle, false, T0);
		}
		MUST(f.room == 64);
	}
	fstream_flight_free(&f);
	return true;
}

/* Fates in any order: each transmission is found at most once, and none with a fate. */
static bool test_random(void)
{
	static bool closed[20000], found[20000];
	struct fstream_flight f = { 0 };
	int64_t now = T0;
	uint64_t handle;

	seeded_state = 26;
	for (int i = 0; i < 20000; i++, now += 10 * MS) {
		MUST(send_many(&f, 1, now, 0));
		handle = (uint64_t)i - seeded_below(30);
		if (handle < 20000 && !closed[handle]) {
			closed[handle] = true;
			fstream_flight_close(&f, handle, seeded_chance(500000), now);
		}
		while (fstream_flight_overtaken(&f, SRTT, now, &handle) ||
		       fstream_flight_tail(&f, TIMEOUT, now, &handle)) {
			MUST(!closed[handle] && !found[handle]);
			found[handle] = true;
		}
		MUST(fstream_flight_timer(&f, SRTT, TIMEOUT) > now);
	}
	fstream_flight_free(&f);
	return true;
}

static const struct unit tests[] = {
	{ "overtaken", test_overtaken },
	{ "overtaken by one that was sent later", test_spacing },
	{ "reordered", test_reordered },
	{ "where packets change their order", test_wary },
	{ "a tail", test_tail },
	{ "handles", test_find },
	{ "room", test_room },
	{ "fates in any order", test_random },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) ? 1 : 0;
}
