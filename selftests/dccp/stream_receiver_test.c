// SPDX-License-Identifier: GPL-2.0-or-later
/* A receiver delivers each message at most once and never after its deadline, in the order and at
 * the times that its configuration says, tells gaps and totals, and refuses what is wrong without
 * any effect. A fake connection; time is simulated. Prints TAP.
 */
#include "../codec/unit.h"
#include "inbox.h"
#include "stream_peer.h"

#define LIFETIME	(200 * MS)
#define DELAY		(50 * MS)

static struct peer peer;

/* Makes a receiver that knows that the path takes DELAY each way. */
static struct fstream_config open_with(enum fstream_order order, int64_t latency, bool late)
{
	struct fstream_config config;

	fstream_config_init(&config, false);
	config.order = order;
	config.latency = latency;
	config.late = late;
	peer_open(&peer, &config);
	peer_terms(&peer, FSTREAM_ANY, FSTREAM_ANY, DELAY, 2 * DELAY);
	peer_idle(&peer);
	return config;
}

/* A message of one piece arrives that was submitted @age ago. */
static void arrives(uint64_t number, int64_t age)
{
	peer_message(&peer, number, peer.now - age, LIFETIME);
}

/* Message @number, submitted now, is delivered at once after DELAY: the clock is known. */
static void warm_up(uint64_t number)
{
	struct fstream_event event;

	peer.now += DELAY;
	arrives(number, DELAY);
	while (peer_wait(&peer, peer.now + LIFETIME, &event))
		;
}

static bool totals_are(uint64_t on_time, uint64_t late, uint64_t missing)
{
	struct fstream_totals t = peer_info(&peer).totals;

	if (t.on_time == on_time && t.late == late && t.missing == missing)
		return true;
	printf("# on time %llu late %llu missing %llu\n", (unsigned long long)t.on_time,
	       (unsigned long long)t.late, (unsigned long long)t.missing);
	return false;
}

/* Nothing is left, and the receiver can be freed. */
static bool ends_empty(void)
{
	bool empty = peer_idle(&peer) && peer_info(&peer).memory == 0;

	fstream_free(peer.s);
	return empty;
}

/* A message is delivered when it arrives, with all that is known of it. */
static bool test_message(void)
{
	struct fstream_frame frame;
	struct fstream_event event;

	open_with(FSTREAM_ORDER_ASAP, FSTREAM_ANY, false);
	frame = peer_piece(0, 0, 1, peer.now, LIFETIME);
	frame.attempt = 3;
	peer.now += DELAY;
	MUST(peer_frame(&peer, &frame));
	MUST(fstream_event(peer.s, &event) && peer_is_message(&event, 0, PEER_PIECE - 1));
	MUST(event.submitted == peer.now - DELAY && event.arrived == peer.now);
	MUST(event.deadline == peer.now - DELAY + LIFETIME);
	MUST(event.attempts == 4 && !event.late);
	MUST(peer_info(&peer).memory == PEER_PIECE - 1);
	MUST(peer_info(&peer).one_way == DELAY);
	MUST(peer_info(&peer).totals.pieces == 1 && peer_info(&peer).totals.repeats == 1);
	MUST(peer_info(&peer).totals.bytes == PEER_PIECE - 1);
	MUST(totals_are(1, 0, 0) && peer_info(&peer).totals.delivered == 1);
	return ends_empty();
}

/* A message without a deadline has none at the receiver; the largest lifetime is no overflow. */
static bool test_lifetimes(void)
{
	struct fstream_event event;

	open_with(FSTREAM_ORDER_ASAP, FSTREAM_ANY, false);
	peer_message(&peer, 0, peer.now - DELAY, 0);
	MUST(fstream_event(peer.s, &event) && event.deadline == FDCCP_NEVER);
	peer_message(&peer, 1, peer.now - DELAY, FSTREAM_LIFETIME_MAX);
	MUST(fstream_event(peer.s, &event));
	MUST(event.deadline == peer.now - DELAY + FSTREAM_LIFETIME_MAX);
	return ends_empty();
}

/* Up to its deadline a message is on time; 1 us after, it is dropped, or told to be late. */
static bool test_late(void)
{
	struct fstream_event event;

	for (int late = 0; late < 2; late++) {
		open_with(FSTREAM_ORDER_ASAP, FSTREAM_ANY, late);
		warm_up(0);
		arrives(1, LIFETIME);
		MUST(fstream_event(peer.s, &event) && event.number == 1 && !event.late);
		peer.now += MS;
		arrives(2, LIFETIME + US);
		MUST(fstream_event(peer.s, &event) == late);
		MUST(!late || (event.number == 2 && event.late));
		MUST(totals_are(2, 1, 0));
		MUST(peer_info(&peer).totals.delivered == 2U + late);
		arrives(2, LIFETIME + US);
		MUST(peer_info(&peer).totals.needless == 1);
		MUST(ends_empty());
	}
	return true;
}

/* In order: a missing message is waited for until its deadline, which the next one tells. */
static bool test_ordered(void)
{
	struct fstream_event event;
	int64_t submitted;

	open_with(FSTREAM_ORDER_ORDERED, FSTREAM_ANY, false);
	warm_up(0);
	submitted = peer.now;
	peer.now += DELAY;
	peer_message(&peer, 2, submitted, LIFETIME);
	peer_message(&peer, 3, submitted + 10 * MS, LIFETIME);
	MUST(peer_idle(&peer));
	MUST(peer_wait(&peer, peer.now + SEC, &event) && peer_is_message(&event, 2, 99));
	MUST(peer.now == submitted + LIFETIME);
	MUST(peer_gets(&peer, 3, 99));
	/* too late for its place */
	peer_message(&peer, 1, submitted, LIFETIME);
	MUST(peer_idle(&peer) && totals_are(3, 1, 0));
	return ends_empty();
}

/* In order: of what is missing, the nearest message after it tells the deadline, whole or not. */
static bool test_ordered_nearest(void)
{
	struct fstream_frame half;
	struct fstream_event event;
	int64_t submitted;

	open_with(FSTREAM_ORDER_ORDERED, FSTREAM_ANY, false);
	warm_up(0);
	submitted = peer.now;
	peer.now += DELAY + 50 * MS;
	peer_message(&peer, 4, submitted + 50 * MS, LIFETIME);
	half = peer_piece(3, 0, 2, submitted + 10 * MS, LIFETIME);
	peer_frame(&peer, &half);
	MUST(peer_wait(&peer, peer.now + SEC, &event) && peer_is_message(&event, 4, 99));
	MUST(peer.now == submitted + 10 * MS + LIFETIME);
	peer_frame(&peer, &(struct fstream_frame){ .type = FSTREAM_SKIP, .number = 5 });
	MUST(totals_are(2, 0, 3));
	return ends_empty();
}

/* In order: what was missing comes in time, and all follows at once. */
static bool test_ordered_filled(void)
{
	open_with(FSTREAM_ORDER_ORDERED, FSTREAM_ANY, false);
	warm_up(0);
	for (uint64_t number = 9; number > 1; number--)
		arrives(number, DELAY);
	MUST(peer_idle(&peer));
	arrives(1, LIFETIME);
	for (uint64_t number = 1; number < 10; number++)
		MUST(peer_gets(&peer, number, 99));
	MUST(totals_are(10, 0, 0));
	return ends_empty();
}

/* In order: the sender has given up what is missing, so that nothing is waited for. */
static bool test_ordered_given_up(void)
{
	struct fstream_frame frame;

	open_with(FSTREAM_ORDER_ORDERED, FSTREAM_ANY, false);
	warm_up(0);
	arrives(3, DELAY);
	frame = peer_piece(4, 0, 1, peer.now - DELAY, LIFETIME);
	frame.unfinished = 2;
	peer_frame(&peer, &frame);
	MUST(peer_idle(&peer) && totals_are(3, 0, 1));
	peer_frame(&peer, &(struct fstream_frame){ .type = FSTREAM_SKIP, .number = 3 });
	MUST(peer_gets(&peer, 3, 99) && peer_gets(&peer, 4, 99));
	MUST(totals_are(3, 0, 2));
	return ends_empty();
}

/* In order, with lifetimes that differ: a message is never held beyond its own deadline. */
static bool test_ordered_short_lifetime(void)
{
	struct fstream_frame half = peer_piece(1, 0, 2, 0, 0);
	struct fstream_event event;
	int64_t start;

	open_with(FSTREAM_ORDER_ORDERED, FSTREAM_ANY, false);
	warm_up(0);
	start = peer.now;
	half = peer_piece(1, 0, 2, start - DELAY, 10 * SEC);
	peer_frame(&peer, &half);
	peer_message(&peer, 2, start - DELAY, SEC);
	peer_message(&peer, 3, start - DELAY, 100 * MS);
	MUST(peer_wait(&peer, start + SEC, &event) && peer_is_message(&event, 2, 99));
	MUST(peer.now == start - DELAY + 100 * MS);
	MUST(peer_gets(&peer, 3, 99) && peer_idle(&peer));
	peer_frame(&peer, &(struct fstream_frame){ .type = FSTREAM_SKIP, .number = 4 });
	MUST(totals_are(3, 0, 1));
	return ends_empty();
}

/* Without deadlines, in order: everything is waited for, however long. */
static bool test_ordered_reliable(void)
{
	struct fstream_event event;

	open_with(FSTREAM_ORDER_ORDERED, FSTREAM_ANY, false);
	peer_message(&peer, 1, peer.now - DELAY, 0);
	MUST(!peer_wait(&peer, peer.now + 3600 * SEC, &event));
	peer_message(&peer, 0, peer.now - 3600 * SEC, 0);
	MUST(peer_gets(&peer, 0, 99) && peer_gets(&peer, 1, 99));
	MUST(totals_are(2, 0, 0));
	return ends_empty();
}

/* Each message of a paced stream is delivered at its submission + latency, whenever it arrived. */
static bool test_paced(void)
{
	uint64_t seed = 1;
	struct fstream_event event;
	int64_t start, last = 0;

	open_with(FSTREAM_ORDER_PACED, 150 * MS, false);
	warm_up(0);
	start = peer.now;
	for (uint64_t n = 1; n < 1000; n++) {
		int64_t submitted = start + (int64_t)n * 10 * MS;
		int64_t arrival = submitted + DELAY + (int64_t)path_below(&seed, 100 * MS);

		/* what is due before this arrival; arrivals do not overtake each other here */
		last = arrival > last ? arrival : last;
		while (peer_wait(&peer, last - 1, &event)) {
			MUST(event.type == FSTREAM_EVENT_MESSAGE);
			MUST(peer.now == start + (int64_t)event.number * 10 * MS + 150 * MS);
			MUST(event.submitted == peer.now - 150 * MS);
		}
		peer.now = last;
		peer_message(&peer, n, submitted, LIFETIME);
	}
	while (peer_wait(&peer, peer.now + SEC, &event))
		MUST(peer.now == start + (int64_t)event.number * 10 * MS + 150 * MS);
	MUST(totals_are(1000, 0, 0) && peer_info(&peer).totals.delivered == 1000);
	return ends_empty();
}

/* Paced: reordered messages are delivered by number. What misses its time is late. */
static bool test_paced_order(void)
{
	struct fstream_event event;
	int64_t submitted;

	open_with(FSTREAM_ORDER_PACED, 100 * MS, false);
	warm_up(0);
	submitted = peer.now;
	peer.now += DELAY;
	for (uint64_t number = 5; number > 1; number--)
		peer_message(&peer, number, submitted, LIFETIME);
	MUST(peer_idle(&peer));
	MUST(peer_wait(&peer, peer.now + SEC, &event) && peer_is_message(&event, 2, 99));
	MUST(peer.now == submitted + 100 * MS);
	for (uint64_t number = 3; number < 6; number++)
		MUST(peer_gets(&peer, number, 99));
	peer_message(&peer, 1, submitted, LIFETIME);
	peer_message(&peer, 6, submitted, LIFETIME);
	MUST(peer_gets(&peer, 6, 99) && peer_idle(&peer));
	peer.now++;
	peer_message(&peer, 7, submitted, LIFETIME);
	MUST(peer_idle(&peer) && totals_are(6, 2, 0));
	return ends_empty();
}

/* Paced: one that seems to be submitted later than those after it holds none of them up. */
static bool test_paced_estimate(void)
{
	struct fstream_event event;
	int64_t submitted;

	open_with(FSTREAM_ORDER_PACED, 100 * MS, false);
	warm_up(0);
	submitted = peer.now;
	/* the newest has waited nowhere, so that the clock stays as it is */
	peer.now += DELAY + 10 * MS;
	peer_message(&peer, 3, submitted + 10 * MS, LIFETIME);
	peer_message(&peer, 1, submitted + 5 * MS, LIFETIME);
	peer_message(&peer, 2, submitted, LIFETIME);
	MUST(peer_wait(&peer, peer.now + SEC, &event) && peer_is_message(&event, 1, 99));
	MUST(peer.now == submitted + 100 * MS && peer_gets(&peer, 2, 99) && peer_idle(&peer));
	MUST(peer_wait(&peer, peer.now + SEC, &event) && peer_is_message(&event, 3, 99));
	MUST(peer.now == submitted + 110 * MS);
	return ends_empty();
}

/* The latency is what the receiver says, else what the sender wishes, else the lifetime. The
 * smaller lifetime counts. Both may change while messages wait.
 */
static bool test_terms(void)
{
	struct fstream_event event;
	int64_t submitted;

	open_with(FSTREAM_ORDER_PACED, FSTREAM_ANY, false);
	warm_up(0);
	submitted = peer.now;
	peer.now += DELAY;
	for (uint64_t number = 1; number < 6; number++)
		peer_message(&peer, number, submitted, LIFETIME);
	MUST(fstream_next_timer(peer.s) == submitted + LIFETIME);
	MUST(peer_info(&peer).latency == LIFETIME && peer_info(&peer).lifetime == LIFETIME);
	peer_terms(&peer, FSTREAM_ANY, 150 * MS, DELAY, 2 * DELAY);
	MUST(fstream_event(peer.s, &event) && event.type == FSTREAM_EVENT_TERMS);
	MUST(fstream_next_timer(peer.s) == submitted + 150 * MS);
	MUST(peer_info(&peer).latency == 150 * MS);
	MUST(!fstream_set_terms(peer.s, FSTREAM_ANY, 180 * MS, peer.now));
	MUST(fstream_next_timer(peer.s) == submitted + 180 * MS);
	MUST(!fstream_set_terms(peer.s, 120 * MS, 180 * MS, peer.now));
	MUST(fstream_next_timer(peer.s) == submitted + 120 * MS);
	MUST(peer_info(&peer).lifetime == 120 * MS);
	MUST(peer_last(&peer, FSTREAM_TERMS)->lifetime == 120 * MS / US);
	MUST(peer_last(&peer, FSTREAM_TERMS)->latency == 180 * MS / US);
	peer.now = submitted + 110 * MS;
	MUST(!fstream_set_terms(peer.s, 120 * MS, 60 * MS, peer.now));
	for (uint64_t number = 1; number < 6; number++)
		MUST(peer_gets(&peer, number, 99));
	return ends_empty();
}

/* A message without a deadline waits before one that has a deadline. The lifetime that the program
 * wants makes this deadline earlier. Both messages are delivered by then, whether the program says so
 * before or after they arrive.
 */
static bool test_terms_without_deadline(void)
{
	static const enum fstream_order orders[] = { FSTREAM_ORDER_ORDERED, FSTREAM_ORDER_PACED };
	struct fstream_event event;
	int64_t submitted;

	for (int i = 0; i < 4; i++) {
		bool before = i & 1;

		open_with(orders[i / 2], 10 * SEC, false);
		if (before)
			MUST(!fstream_set_terms(peer.s, LIFETIME, 10 * SEC, peer.now));
		warm_up(0);
		submitted = peer.now;
		peer.now += DELAY;
		/* message 1 is missing */
		peer_message(&peer, 2, submitted, 0);
		peer.now += 10 * MS;
		peer_message(&peer, 3, submitted + 10 * MS, 5 * SEC);
		if (!before)
			MUST(!fstream_set_terms(peer.s, LIFETIME, 10 * SEC, peer.now));
		MUST(peer_wait(&peer, submitted + SEC, &event) && peer_is_message(&event, 2, 99));
		MUST(peer.now == submitted + 10 * MS + LIFETIME && event.deadline == FDCCP_NEVER);
		MUST(fstream_event(peer.s, &event) && peer_is_message(&event, 3, 99));
		MUST(event.deadline == peer.now && !event.late);
		peer_frame(&peer, &(struct fstream_frame){ .type = FSTREAM_SKIP, .number = 4 });
		MUST(totals_are(3, 0, 1) && ends_empty());
	}
	return true;
}

/* A gap is acknowledged at once, a quarter of a round trip later, and then each @pause, while
 * something is missing and something arrives; without a gap nothing is.
 */
static bool gap(uint8_t ccid, int64_t pause)
{
	struct fstream_event event;
	int64_t start;

	open_with(FSTREAM_ORDER_ASAP, FSTREAM_ANY, false);
	peer.measure.peer_ccid = ccid;
	for (uint64_t number = 0; number < 100; number++)
		arrives(number, DELAY);
	while (fstream_event(peer.s, &event))
		;
	MUST(peer.acks == 0);
	start = peer.now;
	arrives(101, DELAY);
	MUST(peer.acks == 1);
	for (uint64_t number = 102; number < 110; number++, peer.now += 5 * MS)
		arrives(number, DELAY);
	/* 40 ms have passed: after 25 ms the timer was due, and the arrival after it was told */
	MUST(peer.acks == 2 && peer.acked_at == start + 25 * MS);
	MUST(fstream_next_timer(peer.s) == start + 25 * MS + pause);
	while (peer_wait(&peer, start + 10 * SEC, &event))
		;
	MUST(peer.acks == 3 && peer.acked_at == start + 25 * MS + pause);
	arrives(100, DELAY);
	arrives(110, DELAY);
	MUST(peer.acks == 3 && totals_are(111, 0, 0));
	MUST(peer_gets(&peer, 100, 99) && peer_gets(&peer, 110, 99));
	return ends_empty();
}

static bool test_gaps(void)
{
	return gap(FDCCP_CCID_FIXED, 50 * MS) && gap(FDCCP_CCID2, 25 * MS) &&
	       gap(FDCCP_CCID3, 25 * MS);
}

/* What has no successor for a sixteenth of a round trip, and 1 ms at least, is acknowledged once, also a
 * piece that was there before, and what is no piece; a message that is late is not. Rate controls other
 * than CCID 3 acknowledge it themselves. An outage makes the mean round-trip time long, and no matter.
 */
static bool tail(uint8_t ccid, int64_t srtt, int64_t wait)
{
	unsigned int once = ccid == FDCCP_CCID3;
	struct fstream_event event;
	int64_t last;

	open_with(FSTREAM_ORDER_ASAP, FSTREAM_ANY, false);
	peer_terms(&peer, FSTREAM_ANY, FSTREAM_ANY, srtt / 2, srtt);
	peer.measure.peer_ccid = ccid;
	for (uint64_t number = 0; number < 100; number++) {
		arrives(number, srtt / 2);
		last = peer.now;
		while (peer_wait(&peer, last + wait - 1, &event))
			;
	}
	MUST(peer.acks == 0);
	while (peer_wait(&peer, last + SEC, &event))
		;
	MUST(peer.acks == once && (!once || peer.acked_at == last + wait));
	arrives(99, srtt / 2);
	last = peer.now;
	while (peer_wait(&peer, last + SEC, &event))
		;
	MUST(peer.acks == 2 * once && (!once || peer.acked_at == last + wait));
	peer_terms(&peer, FSTREAM_ANY, FSTREAM_ANY, srtt / 2, 10 * SEC);
	last = peer.now;
	while (peer_wait(&peer, last + SEC, &event))
		;
	MUST(peer.acks == 3 * once && (!once || peer.acked_at == last + wait));
	arrives(100, LIFETIME + MS);
	while (peer_wait(&peer, peer.now + SEC, &event))
		;
	MUST(peer.acks == 3 * once && peer_info(&peer).totals.late == 1);
	return ends_empty();
}

static bool test_tails(void)
{
	return tail(FDCCP_CCID3, 100 * MS, 6250 * US) && tail(FDCCP_CCID3, 4 * MS, MS) &&
	       tail(FDCCP_CCID2, 100 * MS, 6250 * US) &&
	       tail(FDCCP_CCID_FIXED, 100 * MS, 6250 * US);
}

/* Pieces that arrive in order leave no gap, others do. A message that has begun before the newest
 * is missing something.
 */
static bool test_gaps_of_pieces(void)
{
	struct fstream_frame frame;

	open_with(FSTREAM_ORDER_ASAP, FSTREAM_ANY, false);
	for (uint16_t piece = 0; piece < 3; piece++) {
		frame = peer_piece(0, piece, 6, peer.now, LIFETIME);
		peer_frame(&peer, &frame);
		MUST(peer.acks == 0);
	}
	frame = peer_piece(0, 4, 6, peer.now, LIFETIME);
	peer_frame(&peer, &frame);
	MUST(peer.acks == 1);
	frame = peer_piece(0, 3, 6, peer.now, LIFETIME);
	peer_frame(&peer, &frame);
	arrives(1, 0);
	MUST(peer.acks == 2);
	frame = peer_piece(0, 5, 6, peer.now, LIFETIME);
	peer_frame(&peer, &frame);
	MUST(peer.acks == 2 && totals_are(2, 0, 0));
	MUST(peer_gets(&peer, 1, 99) && peer_gets(&peer, 0, 599));
	return ends_empty();
}

/* Totals are told once a second while they change, and at the end. */
static bool test_reports(void)
{
	struct fstream_event event;
	int64_t start;
	unsigned int before;

	open_with(FSTREAM_ORDER_ASAP, FSTREAM_ANY, false);
	start = peer.now;
	before = peer.posts;
	for (uint64_t number = 0; number < 500; number++) {
		if (number % 10)
			arrives(number, DELAY);
		while (peer_wait(&peer, start + (int64_t)(number + 1) * 10 * MS, &event))
			;
	}
	MUST(peer.posts == before + 5);
	for (unsigned int i = 0; i < 5; i++)
		MUST(peer.post[before + i].at == start + (i + 1) * SEC);
	while (peer_wait(&peer, peer.now + 100 * SEC, &event))
		;
	MUST(peer.posts == before + 5);
	MUST(peer_last(&peer, FSTREAM_REPORT)->on_time == 450);
	before = peer.posts;
	peer_frame(&peer, &(struct fstream_frame){ .type = FSTREAM_SKIP, .flags = FSTREAM_FINAL,
						   .number = 510 });
	MUST(peer.posts == before + 1 && peer_last(&peer, FSTREAM_REPORT)->missing == 60);
	MUST(peer_last(&peer, FSTREAM_REPORT)->flags == FSTREAM_FINAL);
	MUST(fstream_event(peer.s, &event) && event.type == FSTREAM_EVENT_FINISHED);
	MUST(fstream_next_timer(peer.s) == FDCCP_NEVER && totals_are(450, 0, 60));
	return ends_empty();
}

/* A connection that takes no packet delays the report, and nothing else. */
static bool test_blocked(void)
{
	struct fstream_event event;
	int64_t start;

	open_with(FSTREAM_ORDER_PACED, 2 * SEC, false);
	start = peer.now;
	peer.blocked = true;
	peer_message(&peer, 0, peer.now - DELAY, 10 * SEC);
	MUST(peer_wait(&peer, start + 10 * SEC, &event) && event.number == 0);
	MUST(peer.now == start - DELAY + 2 * SEC);
	MUST(!peer_wait(&peer, start + 10 * SEC, &event));
	MUST(!peer_last(&peer, FSTREAM_REPORT));
	peer.blocked = false;
	peer_event(&peer, &(struct fdccp_event){ .type = FDCCP_EVENT_READY });
	MUST(peer_last(&peer, FSTREAM_REPORT)->on_time == 1);
	return ends_empty();
}

/* The end of the connection ends what is missing; what is whole is still delivered. */
static bool test_closed(void)
{
	struct fstream_event event;
	struct fstream_frame frame;

	open_with(FSTREAM_ORDER_ORDERED, FSTREAM_ANY, false);
	warm_up(0);
	frame = peer_piece(2, 0, 2, peer.now, LIFETIME);
	peer_frame(&peer, &frame);
	arrives(3, DELAY);
	MUST(peer_idle(&peer));
	peer_event(&peer, &(struct fdccp_event){ .type = FDCCP_EVENT_CLOSED });
	MUST(peer_gets(&peer, 3, 99) && !fstream_event(peer.s, &event));
	MUST(totals_are(2, 0, 2) && fstream_next_timer(peer.s) == FDCCP_NEVER);
	return ends_empty();
}

/* While the program is slow, messages wait until there is no room, and the peer hears of it. Then it
 * gets those that are not stale, or with @late all.
 */
static bool slow_program(bool late)
{
	struct fstream_config config = open_with(FSTREAM_ORDER_ASAP, FSTREAM_ANY, late);
	struct fstream_event event;

	warm_up(0);
	fstream_slow_receiver(peer.s, true, peer.now);
	MUST(peer.slow);
	for (uint64_t number = 1; number <= config.messages; number++) {
		arrives(number, DELAY);
		peer.now += number == 5 ? LIFETIME : 0;
	}
	MUST(!peer.drops && !fstream_event(peer.s, &event));
	/* the next one may be kept */
	peer_message(&peer, config.messages + 2, peer.now, LIFETIME);
	MUST(peer.drops == 1 && peer_info(&peer).totals.full == 1);
	fstream_slow_receiver(peer.s, false, peer.now);
	MUST(!peer.slow && peer_info(&peer).totals.overdue == (late ? 0 : 5));
	for (uint64_t number = late ? 1 : 6; number <= config.messages; number++)
		MUST(peer_gets(&peer, number, 99));
	MUST(!fstream_event(peer.s, &event) && totals_are(config.messages + 1, 0, 0));
	return ends_empty();
}

static bool test_slow(void)
{
	return slow_program(false) && slow_program(true);
}

/* The final report and the end wait for a slow program, and so do messages after the connection. */
static bool test_slow_end(void)
{
	struct fstream_event event;

	open_with(FSTREAM_ORDER_ORDERED, FSTREAM_ANY, false);
	warm_up(0);
	fstream_slow_receiver(peer.s, true, peer.now);
	arrives(1, DELAY);
	peer_frame(&peer, &(struct fstream_frame){ .type = FSTREAM_SKIP, .flags = FSTREAM_FINAL,
						   .number = 2 });
	MUST(!fstream_event(peer.s, &event) && !peer_last(&peer, FSTREAM_REPORT));
	fstream_slow_receiver(peer.s, false, peer.now);
	MUST(peer_last(&peer, FSTREAM_REPORT)->flags == FSTREAM_FINAL);
	fstream_slow_receiver(peer.s, true, peer.now);
	peer_event(&peer, &(struct fdccp_event){ .type = FDCCP_EVENT_CLOSED });
	MUST(!fstream_event(peer.s, &event));
	fstream_slow_receiver(peer.s, false, peer.now);
	MUST(peer_gets(&peer, 1, 99));
	MUST(fstream_event(peer.s, &event) && event.type == FSTREAM_EVENT_FINISHED);
	MUST(totals_are(2, 0, 0));
	return ends_empty();
}

/* The program hears of the sender's wishes when they change, not of its round-trip times. */
static bool test_wishes(void)
{
	struct fstream_event event;

	open_with(FSTREAM_ORDER_ASAP, FSTREAM_ANY, false);
	peer_terms(&peer, FSTREAM_ANY, SEC, DELAY, DELAY);
	MUST(fstream_event(peer.s, &event) && event.type == FSTREAM_EVENT_TERMS);
	peer_terms(&peer, FSTREAM_ANY, SEC, DELAY, 2 * DELAY);
	MUST(!fstream_event(peer.s, &event) && peer_info(&peer).srtt == 2 * DELAY);
	peer_terms(&peer, SEC, SEC, DELAY, 2 * DELAY);
	MUST(fstream_event(peer.s, &event) && event.type == FSTREAM_EVENT_TERMS);
	MUST(!fstream_event(peer.s, &event));
	return ends_empty();
}

/* What waits for its time is not lost when the connection ends. */
static bool test_closed_paced(void)
{
	struct fstream_event event;

	open_with(FSTREAM_ORDER_PACED, 100 * MS, false);
	warm_up(0);
	arrives(2, DELAY);
	arrives(1, DELAY);
	MUST(peer_idle(&peer));
	peer_event(&peer, &(struct fdccp_event){ .type = FDCCP_EVENT_CLOSED });
	MUST(peer_gets(&peer, 1, 99) && peer_gets(&peer, 2, 99) && !fstream_event(peer.s, &event));
	MUST(totals_are(3, 0, 0) && fstream_next_timer(peer.s) == FDCCP_NEVER);
	return ends_empty();
}

/* FINISHED and the final report come after the last message, which waits for its time. */
static bool test_finished(void)
{
	struct fstream_event event;

	open_with(FSTREAM_ORDER_PACED, 100 * MS, false);
	warm_up(0);
	arrives(1, DELAY);
	peer_frame(&peer, &(struct fstream_frame){ .type = FSTREAM_SKIP, .flags = FSTREAM_FINAL,
						   .number = 3 });
	MUST(totals_are(2, 0, 1));
	MUST(!peer_last(&peer, FSTREAM_REPORT));
	MUST(peer_wait(&peer, peer.now + SEC, &event) && peer_is_message(&event, 1, 99));
	MUST(peer_last(&peer, FSTREAM_REPORT)->flags == FSTREAM_FINAL);
	MUST(peer_last(&peer, FSTREAM_REPORT)->on_time == 2);
	MUST(fstream_event(peer.s, &event) && event.type == FSTREAM_EVENT_FINISHED);
	/* the final report is the last */
	MUST(!fstream_event(peer.s, &event) && fstream_next_timer(peer.s) == FDCCP_NEVER);
	return ends_empty();
}

/* Moves the receiver to numbers before 2^32, over messages that were never sent. */
static void go_to(uint64_t number)
{
	for (uint64_t at = 0; at < number; at += 1U << 23)
		peer_frame(&peer, &(struct fstream_frame){ .type = FSTREAM_SKIP,
							   .number = (uint32_t)at });
	peer_frame(&peer, &(struct fstream_frame){ .type = FSTREAM_SKIP,
						   .number = (uint32_t)number });
}

/* Numbers and times wrap in each order, without a message lost, doubled or late. */
static bool test_wrap(void)
{
	static const enum fstream_order orders[] = { FSTREAM_ORDER_ASAP, FSTREAM_ORDER_ORDERED,
		FSTREAM_ORDER_PACED };
	uint64_t start = (UINT64_C(1) << 32) - 50;

	for (size_t i = 0; i < 3; i++) {
		struct fstream_event event;
		uint64_t next = start;

		open_with(orders[i], FSTREAM_ANY, false);
		go_to(start);
		/* so that times wrap after half of the messages */
		peer.now += ((INT64_C(1) << 32) - (uint32_t)(peer.now / US)) * US - 500 * MS;
		for (uint64_t n = start; n < start + 100; n += 2, peer.now += 20 * MS) {
			arrives(n + 1, DELAY);
			arrives(n, DELAY);
			while (orders[i] != FSTREAM_ORDER_ASAP &&
			       peer_wait(&peer, peer.now, &event))
				MUST(peer_is_message(&event, next++, 99));
			while (orders[i] == FSTREAM_ORDER_ASAP &&
			       peer_wait(&peer, peer.now, &event))
				next += peer_is_message(&event, next ^ 1, 99);
		}
		while (peer_wait(&peer, peer.now + SEC, &event))
			MUST(peer_is_message(&event, next++, 99));
		MUST(next == start + 100 && totals_are(100, 0, start));
		MUST(ends_empty());
	}
	return true;
}

/* What a program sees of a receiver, except for the count of refused packets. */
static bool unchanged(const struct fstream_info *before, int64_t timer, unsigned int acks)
{
	struct fstream_info now = peer_info(&peer);

	now.totals.refused = before->totals.refused;
	return !memcmp(&now, before, sizeof(now)) && fstream_next_timer(peer.s) == timer &&
	       peer.acks == acks && peer_idle(&peer);
}

#define BAD_MAX	32

/* Frames that are refused after those of begin_bad(). Return: how many */
static unsigned int bad_frames(struct fstream_frame *bad, struct fstream_frame good)
{
	static const uint8_t many[60000];
	struct fstream_frame large = { .type = FSTREAM_MESSAGE, .number = 9, .payload = many,
		.unfinished = UINT16_MAX };
	unsigned int count = 0;

#define ADD(base, ...)							\
	do {								\
		struct fstream_frame f = base;				\
									\
		__VA_ARGS__;						\
		bad[count++] = f;					\
	} while (0)
	ADD(good, f.piece = 5); /* piece 5 of 5 */
	ADD(good, f.piece = f.pieces = 65535);
	ADD(good, f.pieces = 0);
	/* what contradicts the other pieces */
	ADD(good, f.pieces = 4);
	ADD(good, f.pieces = 6);
	ADD(good, f.len = 0);
	ADD(good, f.len = 99);
	ADD(good, f.submitted++);
	ADD(good, f.lifetime++);
	ADD(good, f.piece = 4, f.len = 98);
	ADD(good, f.piece = 4, f.len = 100);
	ADD(good, f.number = 4, f.pieces = 2, f.piece = 1, f.len = 101, f.payload = many);
	/* numbers before the first message, or far ahead */
	ADD(good, f.unfinished = 6);
	ADD(good, f.number = UINT32_MAX);
	ADD(good, f.number = (uint32_t)FSTREAM_INBOX_JUMP + 9);
	ADD(good, f.number = UINT32_C(0x80000000));
	/* longer than 1 MiB */
	ADD(large, f.len = 52430, f.pieces = 21);
	ADD(large, f.len = 60000, f.pieces = 18, f.piece = 17);
	/* an oldest number far ahead, or before the first */
	ADD(((struct fstream_frame){ .type = FSTREAM_SKIP }),
	    f.number = (uint32_t)FSTREAM_INBOX_JUMP + 9);
	ADD(((struct fstream_frame){ .type = FSTREAM_SKIP }), f.number = UINT32_MAX);
	/* fewer messages than have arrived; a frame of receivers */
	ADD(((struct fstream_frame){ .type = FSTREAM_SKIP, .flags = FSTREAM_FINAL }), f.number = 8);
	ADD(((struct fstream_frame){ .type = FSTREAM_REPORT }), (void)f);
#undef ADD
	return count;
}

/* Of the messages 4 and 5, pieces are here, and 6 to 8 are delivered. Return: a piece that is not.
 */
static struct fstream_frame begin_bad(void)
{
	int64_t submitted = peer.now;
	struct fstream_frame frame = peer_piece(4, 0, 2, submitted, LIFETIME);

	peer_frame(&peer, &frame);
	for (uint16_t piece = 1; piece < 5; piece += 3) {
		frame = peer_piece(5, piece, 5, submitted, LIFETIME);
		peer_frame(&peer, &frame);
	}
	for (uint64_t number = 6; number < 9; number++) {
		arrives(number, 0);
		if (!peer_gets(&peer, number, 99) || !peer_idle(&peer))
			abort();
	}
	return peer_piece(5, 2, 5, submitted, LIFETIME);
}

/* Each bad frame is refused, counted, and has no effect. */
static bool test_refused(void)
{
	struct fstream_frame bad[BAD_MAX], good;
	unsigned int count;

	open_with(FSTREAM_ORDER_ASAP, FSTREAM_ANY, false);
	good = begin_bad();
	count = bad_frames(bad, good);
	for (unsigned int i = 0; i < count; i++) {
		struct fstream_info before = peer_info(&peer);
		int64_t timer = fstream_next_timer(peer.s);
		unsigned int acks = peer.acks;

		MUST(peer_frame(&peer, &bad[i]));
		if (!unchanged(&before, timer, acks) ||
		    peer_info(&peer).totals.refused != before.totals.refused + 1) {
			printf("# bad frame %u had an effect\n", i);
			return false;
		}
	}
	peer_frame(&peer, &good);
	MUST(peer_info(&peer).totals.refused == count && count == 22);
	MUST(peer_info(&peer).memory == 7 * PEER_PIECE);
	fstream_free(peer.s);
	return true;
}

/* After its end, a stream has no further message and no other end. */
static bool test_refused_after_end(void)
{
	open_with(FSTREAM_ORDER_ASAP, FSTREAM_ANY, false);
	peer_frame(&peer, &(struct fstream_frame){ .type = FSTREAM_SKIP, .flags = FSTREAM_FINAL,
						   .number = 7 });
	arrives(7, 0);
	peer_frame(&peer, &(struct fstream_frame){ .type = FSTREAM_SKIP, .flags = FSTREAM_FINAL,
						   .number = 8 });
	peer_frame(&peer, &(struct fstream_frame){ .type = FSTREAM_SKIP, .number = 8 });
	MUST(peer_info(&peer).totals.refused == 3);
	/* what was on the way may still come, and is of no use */
	arrives(6, 0);
	peer_frame(&peer, &(struct fstream_frame){ .type = FSTREAM_SKIP, .flags = FSTREAM_FINAL,
						   .number = 7 });
	peer_frame(&peer, &(struct fstream_frame){ .type = FSTREAM_SKIP, .number = 3 });
	MUST(peer_info(&peer).totals.refused == 3 && totals_are(0, 0, 7));
	MUST(peer_info(&peer).totals.needless == 1);
	fstream_free(peer.s);
	return true;
}

/* Packets too short for their frame, too long, or of an unknown type are refused, and so is damaged
 * data.
 */
static bool test_refused_bytes(void)
{
	static const size_t lens[] = { 21, 8, 20, 16 };
	uint8_t bytes[FSTREAM_FRAME_MAX + PEER_PIECE] = { 0 };
	unsigned int refused = 0;

	open_with(FSTREAM_ORDER_ASAP, FSTREAM_ANY, false);
	bytes[11] = 1;
	for (uint8_t type = 0; type < 16; type++) {
		for (size_t len = 0; len < 40; len++) {
			bytes[0] = type << 4;
			if (type < 4 && (len == lens[type] || (!type && len > lens[type])))
				continue;
			peer_bytes(&peer, bytes, len);
			MUST(peer_info(&peer).totals.refused == ++refused);
		}
	}
	bytes[0] = 0;
	peer_event(&peer, &(struct fdccp_event){ .type = FDCCP_EVENT_DATA, .data = bytes,
						 .len = 100, .damaged = true });
	MUST(peer_info(&peer).totals.refused == ++refused);
	MUST(peer_info(&peer).totals.pieces == 0);
	return ends_empty();
}

/* Hands the receiver a piece of which only the first @intact bytes are whole. */
static void damaged_piece(uint16_t piece, size_t intact)
{
	struct fstream_frame frame = peer_piece(0, piece, 2, peer.now, LIFETIME);
	uint8_t bytes[FSTREAM_FRAME_MAX + PEER_PIECE] = { 0 };
	size_t len = fstream_frame_write(&frame, bytes);

	memcpy(bytes + len, frame.payload, frame.len);
	peer_data(&peer, bytes, len + frame.len, true, intact);
}

/* Who wants damaged messages gets them, with a flag and in counters of their own. A frame whose header
 * may be damaged is refused nevertheless, and so is all damage without that wish.
 */
static bool test_damaged(void)
{
	struct fstream_config config;
	struct fstream_event event;
	struct fstream_totals t;

	fstream_config_init(&config, false);
	for (int wanted = 0; wanted < 2; wanted++) {
		config.damaged = wanted;
		peer_open(&peer, &config);
		damaged_piece(0, FSTREAM_HEADER_LEN - 1);
		damaged_piece(0, FSTREAM_HEADER_LEN);
		MUST(peer_info(&peer).totals.refused == 2U - wanted);
		for (uint16_t piece = wanted; piece < 2; piece++) {
			struct fstream_frame frame = peer_piece(0, piece, 2, peer.now, LIFETIME);

			MUST(peer_frame(&peer, &frame));
		}
		MUST(fstream_event(peer.s, &event) && event.type == FSTREAM_EVENT_MESSAGE);
		MUST(event.len == 2 * PEER_PIECE - 1 && event.damaged == wanted);
		t = peer_info(&peer).totals;
		MUST(t.bytes == event.len && t.damaged == (uint64_t)wanted && t.delivered == 1);
		MUST(t.bytes_damaged == (wanted ? PEER_PIECE : 0));
		MUST(t.bytes_whole + t.bytes_damaged == t.bytes);
		MUST(ends_empty());
	}
	return true;
}

/* A receiver without room says so, and takes the piece once there is room. The message that others
 * wait for always has room.
 */
static bool test_full(void)
{
	struct fstream_config config;

	fstream_config_init(&config, false);
	config.messages = 3;
	config.order = FSTREAM_ORDER_ORDERED;
	peer_open(&peer, &config);
	for (uint64_t number = 1; number < 4; number++)
		MUST(peer_message(&peer, number, peer.now, 0));
	MUST(!peer_message(&peer, 4, peer.now, 0));
	MUST(peer_info(&peer).totals.full == 1 && peer_info(&peer).totals.refused == 0);
	MUST(peer_message(&peer, 0, peer.now, 0));
	for (uint64_t number = 0; number < 4; number++)
		MUST(peer_gets(&peer, number, 99));
	MUST(peer_message(&peer, 4, peer.now, 0) && peer_gets(&peer, 4, 99));
	MUST(totals_are(5, 0, 0));
	/* numbers too far from the first that is missing */
	MUST(peer_message(&peer, 5 + FSTREAM_INBOX_SPAN - 1, peer.now, 0));
	MUST(!peer_message(&peer, 5 + FSTREAM_INBOX_SPAN, peer.now, 0));
	fstream_free(peer.s);
	return true;
}

/* Whole messages that wait for their time take room, too: one message is kept beyond the limit. */
static bool test_full_paced(void)
{
	open_with(FSTREAM_ORDER_PACED, 10 * SEC, false);
	for (uint64_t number = 0; number < 1025; number++)
		MUST(peer_message(&peer, number, peer.now, 20 * SEC));
	MUST(!peer_message(&peer, 1025, peer.now, 20 * SEC));
	MUST(peer_info(&peer).memory == 1025 * 99);
	peer.now += 10 * SEC;
	fstream_advance(peer.s, peer.now);
	for (uint64_t number = 0; number < 1025; number++)
		MUST(peer_gets(&peer, number, 99));
	MUST(peer_message(&peer, 1025, peer.now, 20 * SEC));
	fstream_free(peer.s);
	return true;
}

/* A message without room has told its time. Those before it that come later, as repeats, have not
 * waited nowhere, so their age is known, too.
 */
static bool test_full_time(void)
{
	struct fstream_config config;
	int64_t submitted;

	fstream_config_init(&config, false);
	config.messages = 1;
	peer_open(&peer, &config);
	submitted = peer.now;
	peer_frame(&peer, &(struct fstream_frame[]){ peer_piece(0, 0, 2, submitted, SEC) }[0]);
	MUST(!peer_message(&peer, 1, submitted, LIFETIME));
	peer.now += MS;
	MUST(!peer_message(&peer, 2, submitted + MS, LIFETIME));
	peer.now += SEC / 2;
	peer_frame(&peer, &(struct fstream_frame[]){ peer_piece(0, 1, 2, submitted, SEC) }[0]);
	MUST(peer_gets(&peer, 0, 199));
	MUST(peer_message(&peer, 1, submitted, LIFETIME) && peer_idle(&peer));
	MUST(totals_are(1, 1, 0));
	fstream_free(peer.s);
	return true;
}

/* Messages of which only the tiny last piece has arrived take memory for a bit a piece. */
static bool test_full_tiny(void)
{
	struct fstream_config config;
	struct fstream_frame frame = { .type = FSTREAM_MESSAGE, .piece = 65534, .pieces = 65535,
		.payload = (const uint8_t *)"x", .len = 1, .unfinished = UINT16_MAX };

	fstream_config_init(&config, false);
	config.messages = 1 << 20;
	peer_open(&peer, &config);
	for (frame.number = 1; frame.number <= 512; frame.number++)
		MUST(peer_frame(&peer, &frame));
	MUST(!peer_frame(&peer, &frame) && peer_info(&peer).memory == 4 * FSTREAM_MESSAGE_MAX);
	fstream_free(peer.s);
	return true;
}

/* The payload is limited, too: with messages of 1 MiB each, whose first piece is here. */
static bool test_full_memory(void)
{
	static uint8_t bytes[FSTREAM_MESSAGE_MAX / 1024];
	struct fstream_frame frame = { .type = FSTREAM_MESSAGE, .pieces = 1024, .payload = bytes,
		.len = sizeof(bytes), .unfinished = UINT16_MAX };

	open_with(FSTREAM_ORDER_ASAP, FSTREAM_ANY, false);
	for (frame.number = 1; frame.number <= 4; frame.number++)
		MUST(peer_frame(&peer, &frame));
	MUST(!peer_frame(&peer, &frame));
	MUST(peer_info(&peer).memory == 4 * FSTREAM_MESSAGE_MAX);
	/* a last piece takes little, until another piece tells the size */
	frame.number = 2;
	frame.unfinished = 0;
	MUST(peer_frame(&peer, &frame));
	frame.number = 9;
	frame.unfinished = 7;
	frame.piece = 1023;
	frame.len = 5;
	MUST(peer_frame(&peer, &frame));
	/* no less than a bit for each piece */
	MUST(peer_info(&peer).memory == 3 * FSTREAM_MESSAGE_MAX + 128);
	frame.piece = 7;
	frame.len = sizeof(bytes);
	MUST(peer_frame(&peer, &frame));
	MUST(peer_info(&peer).memory == 4 * FSTREAM_MESSAGE_MAX);
	peer_frame(&peer, &(struct fstream_frame){ .type = FSTREAM_SKIP, .number = 10 });
	MUST(totals_are(0, 0, 10) && fstream_next_timer(peer.s) != 0);
	return ends_empty();
}

/* A message of 1 MiB in pieces that arrive in any order, some of them twice, is put together. */
static bool test_largest(void)
{
	enum { SIZE = 1400, PIECES = (FSTREAM_MESSAGE_MAX + SIZE - 1) / SIZE };
	static uint8_t bytes[FSTREAM_MESSAGE_MAX];
	uint16_t order[PIECES];
	uint64_t seed = 3;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = peer_byte(0, i);
	open_with(FSTREAM_ORDER_ASAP, FSTREAM_ANY, false);
	for (int i = 0; i < PIECES; i++) {
		int j = (int)path_below(&seed, i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (int i = 0; i < PIECES; i++) {
		bool last = order[i] == PIECES - 1;
		struct fstream_frame frame = { .type = FSTREAM_MESSAGE, .pieces = PIECES,
			.piece = order[i], .payload = bytes + order[i] * SIZE,
			.len = last ? FSTREAM_MESSAGE_MAX - (PIECES - 1) * SIZE : SIZE };

		MUST(peer_idle(&peer));
		peer_frame(&peer, &frame);
		if (i % 3 == 0)
			peer_frame(&peer, &frame);
	}
	MUST(peer_info(&peer).totals.needless == (PIECES + 2) / 3);
	MUST(peer_info(&peer).memory == FSTREAM_MESSAGE_MAX);
	/* the last frame was handed in twice only if its index is divisible by 3 */
	MUST(PIECES % 3 != 1 && peer_gets(&peer, 0, FSTREAM_MESSAGE_MAX));
	return ends_empty();
}

/* The newest content counts: pieces of the old one are dropped, before and after. Editions wrap. */
static bool test_editions(void)
{
	open_with(FSTREAM_ORDER_ASAP, FSTREAM_ANY, false);
	for (unsigned int edition = 14; edition < 20; edition++) {
		struct fstream_frame frame = peer_piece(0, 0, 3, peer.now, LIFETIME);

		frame.flags = edition % 16;
		peer_frame(&peer, &frame);
		frame = peer_piece(0, 1, 3, peer.now, LIFETIME);
		frame.flags = (edition - 1) % 16;
		peer_frame(&peer, &frame);
		MUST(peer_info(&peer).totals.needless == edition - 13);
		MUST(peer_info(&peer).memory == 3 * PEER_PIECE);
	}
	for (uint16_t piece = 1; piece < 3; piece++) {
		struct fstream_frame frame = peer_piece(0, piece, 3, peer.now, LIFETIME);

		MUST(peer_idle(&peer));
		frame.flags = 19 % 16;
		peer_frame(&peer, &frame);
	}
	MUST(peer_gets(&peer, 0, 299) && totals_are(1, 0, 0));
	/* it was delivered: a newer content is dropped */
	peer_message(&peer, 0, peer.now, LIFETIME);
	MUST(peer_info(&peer).totals.needless == 7);
	return ends_empty();
}

/* Of two editions the newer one is up to 7 after the other: the sender keeps to that. */
static bool test_editions_far(void)
{
	struct fstream_frame frame = peer_piece(0, 0, 3, 0, LIFETIME);

	open_with(FSTREAM_ORDER_ASAP, FSTREAM_ANY, false);
	frame.submitted = (uint32_t)(peer.now / US);
	for (unsigned int edition = 0; edition < 70; edition += 7) {
		frame.flags = edition % 16;
		peer_frame(&peer, &frame);
		frame.flags = (edition + 8) % 16;
		peer_frame(&peer, &frame);
		MUST(peer_info(&peer).totals.needless == edition / 7 + 1);
	}
	peer_frame(&peer, &(struct fstream_frame){ .type = FSTREAM_SKIP, .number = 1 });
	return ends_empty();
}

/* Messages on a path that loses, doubles and delays, on clocks that differ and drift by 200 ppm. */
struct flight {
	int64_t at, submitted;
	uint64_t number;
};

static int compare(const void *a, const void *b)
{
	const struct flight *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/* No message is delivered more than 1 ms after its true deadline, and at most 1 ms is missing to it
 * when one is dropped; none is delivered twice; in order and paced they come by number.
 */
static bool true_times(enum fstream_order order, double ppm, uint64_t seed)
{
	enum { COUNT = 3000 };
	static struct flight flight[2 * COUNT];
	static bool delivered[COUNT];
	int64_t start, dropped = 0;
	size_t flights = 0;
	uint64_t next = 0;
	struct fstream_event event;

	memset(delivered, 0, sizeof(delivered));
	open_with(order, FSTREAM_ANY, false);
	start = peer.now;
	for (uint64_t n = 0; n < COUNT; n++) {
		for (int copies = (int)path_below(&seed, 3); copies; copies--) {
			int64_t wait = n < 200 || path_chance(&seed, 700) ?
				(int64_t)path_below(&seed, 100 * US) :
				(int64_t)path_below(&seed, 300 * MS);

			flight[flights++] = (struct flight){
				.submitted = start + (int64_t)n * 10 * MS,
				.at = start + (int64_t)n * 10 * MS + DELAY + wait, .number = n };
		}
	}
	qsort(flight, flights, sizeof(flight[0]), compare);
	for (size_t i = 0; i <= flights; i++) {
		int64_t until = i < flights ? flight[i].at : peer.now + 10 * SEC;
		double drift;

		while (peer_wait(&peer, until - 1, &event)) {
			int64_t deadline = start + (int64_t)event.number * 10 * MS + LIFETIME;

			MUST(event.type == FSTREAM_EVENT_MESSAGE && !delivered[event.number]);
			MUST(peer.now <= deadline + MS);
			MUST(order == FSTREAM_ORDER_ASAP || event.number >= next);
			delivered[event.number] = true;
			next = event.number + 1;
		}
		if (i == flights)
			break;
		peer.now = until;
		drift = (double)(flight[i].submitted - start) * ppm / 1e6;
		dropped = (int64_t)peer_info(&peer).totals.late;
		peer_message(&peer, flight[i].number,
			     flight[i].submitted + (int64_t)drift - 777 * SEC, LIFETIME);
		if ((int64_t)peer_info(&peer).totals.late > dropped)
			MUST(until > flight[i].submitted + LIFETIME - MS);
	}
	peer_frame(&peer, &(struct fstream_frame){ .type = FSTREAM_SKIP, .number = COUNT });
	MUST(totals_are(peer_info(&peer).totals.delivered, peer_info(&peer).totals.late,
			COUNT - peer_info(&peer).totals.delivered - peer_info(&peer).totals.late));
	MUST(peer_info(&peer).totals.late > 50);
	return ends_empty();
}

static bool test_true_times(void)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		for (int order = FSTREAM_ORDER_ASAP; order <= FSTREAM_ORDER_PACED; order++) {
			if (!true_times(order, seed % 2 ? 200 : -200, seed * 2 + 1)) {
				printf("# seed %llu order %d\n", (unsigned long long)seed, order);
				return false;
			}
		}
	}
	return true;
}

/* Whatever arrives: each number ends at most once, memory is bounded, and comes back. */
static bool test_hostile(void)
{
	static uint8_t bytes[2000];
	uint64_t seed = 5;

	for (int round = 0; round < 60; round++) {
		struct fstream_event event;

		open_with(round % 3, round % 4 ? FSTREAM_ANY : 50 * MS, round % 2);
		for (int i = 0; i < 3000; i++) {
			struct fstream_frame frame = {
				.type = path_chance(&seed, 950) ? FSTREAM_MESSAGE :
								  path_below(&seed, 4),
				.flags = path_chance(&seed, 990) ? 0 : path_below(&seed, 16),
				.attempt = path_below(&seed, 256),
				.unfinished = path_chance(&seed, 500) ? UINT16_MAX :
								       path_below(&seed, 100),
				.number = path_chance(&seed, 990) ? i / 4 + path_below(&seed, 40) :
							       path_random(&seed),
				.pieces = 1 + path_below(&seed, path_chance(&seed, 900) ? 3 : 2000),
				.submitted = path_chance(&seed, 900) ? peer.now / US :
								      path_random(&seed),
				.lifetime = path_below(&seed, 400000),
				.payload = bytes,
				.len = 1 + path_below(&seed, path_chance(&seed, 900) ? 2 : 1999),
			};

			frame.piece = path_below(&seed, frame.pieces);
			if (frame.type != FSTREAM_MESSAGE)
				frame.len = 0;
			peer_frame(&peer, &frame);
			while (peer_wait(&peer, peer.now + (int64_t)path_below(&seed, MS), &event))
				;
			MUST(peer_info(&peer).memory <= 5 * FSTREAM_MESSAGE_MAX);
		}
		peer_event(&peer, &(struct fdccp_event){ .type = FDCCP_EVENT_CLOSED });
		while (peer_wait(&peer, peer.now + 10000 * SEC, &event))
			;
		MUST(ends_empty());
	}
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "a message and what is known of it", test_message },
		{ "the least and the largest lifetime", test_lifetimes },
		{ "late messages", test_late },
		{ "in order", test_ordered },
		{ "in order, the nearest tells the deadline", test_ordered_nearest },
		{ "in order, filled in time", test_ordered_filled },
		{ "in order, given up by the sender", test_ordered_given_up },
		{ "in order, with lifetimes that differ", test_ordered_short_lifetime },
		{ "in order, without deadlines", test_ordered_reliable },
		{ "paced, to the nanosecond", test_paced },
		{ "paced, by number", test_paced_order },
		{ "paced, submitted out of order", test_paced_estimate },
		{ "terms change while connected", test_terms },
		{ "terms, behind a message without a deadline", test_terms_without_deadline },
		{ "gaps are acknowledged", test_gaps },
		{ "gaps between pieces", test_gaps_of_pieces },
		{ "the last pieces before a pause", test_tails },
		{ "reports", test_reports },
		{ "a connection that takes no packet", test_blocked },
		{ "a connection that ends", test_closed },
		{ "a program that is slow", test_slow },
		{ "the end, while the program is slow", test_slow_end },
		{ "wishes that change", test_wishes },
		{ "a connection that ends while messages wait", test_closed_paced },
		{ "the end of the stream", test_finished },
		{ "numbers and times wrap", test_wrap },
		{ "bad frames have no effect", test_refused },
		{ "nothing follows the end", test_refused_after_end },
		{ "bad bytes are refused", test_refused_bytes },
		{ "damaged messages are given with a flag, if wanted", test_damaged },
		{ "no room for a message", test_full },
		{ "no room for a message that waits for its time", test_full_paced },
		{ "no room, and the time", test_full_time },
		{ "no room for payload", test_full_memory },
		{ "no room for tiny pieces", test_full_tiny },
		{ "the largest message", test_largest },
		{ "the newest content counts", test_editions },
		{ "the newest of editions far apart", test_editions_far },
		{ "true times, with clocks that drift", test_true_times },
		{ "hostile frames", test_hostile },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
