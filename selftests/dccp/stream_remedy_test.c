// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sender takes each evidence of persistent expiry for the place that it tells of, tells the
 * program once, and does what was chosen against it. Prints TAP.
 */
#include "stream_link.h"

#include "../codec/unit.h"

#define LIFETIME	(400 * MS)

/* the way to the receiver takes 50 ms; the timeout is 140 ms */
static const struct fdccp_measure path = {
	.srtt = 100 * MS, .rttvar = 10 * MS, .rtt_min = 100 * MS, .sample = 100 * MS,
	.samples = 1, .rate = 1000000,
};

static struct link l;
static uint64_t handle;

/* Nothing is sent again, with either controller. */
static bool open_as(enum fstream_remedy remedy, enum fstream_control control)
{
	struct fstream_config config;

	fstream_config_init(&config, true);
	config.control = control;
	config.overhead = 0;
	config.lifetime = LIFETIME;
	config.remedy = remedy;
	config.lifetime_max = 800 * MS;
	handle = 0;
	return link_open(&l, &config, &path);
}

static bool close_sender(void)
{
	bool good = link_settle(&l);

	fstream_free(l.s);
	return good;
}

static int submit(size_t len)
{
	static const uint8_t content[1000];
	int err = fstream_submit(l.s, content, len, NULL, l.now, NULL);

	return link_settle(&l) ? err : -EPROTO;
}

static struct fstream_info info(void)
{
	struct fstream_info info;

	fstream_info(l.s, &info);
	return info;
}

/* A message of one packet, the fate of which is known 100 ms later. */
static bool packet(enum fdccp_fate fate)
{
	MUST(!submit(500));
	MUST(link_run(&l, l.now + 100 * MS));
	return link_fate(&l, handle++, fate);
}

/* One packet with this fate, and four that come. Each that comes ends a round trip. */
static bool five(enum fdccp_fate fate)
{
	MUST(packet(fate));
	for (int i = 0; i < 4; i++)
		MUST(packet(FDCCP_FATE_ACKNOWLEDGED));
	return true;
}

/* Five of 21 packets have this fate. */
static bool many(enum fdccp_fate fate)
{
	for (int i = 0; i < 4; i++) {
		MUST(five(fate));
		MUST(!l.events[FSTREAM_EVENT_EXPIRY]);
	}
	return packet(fate);
}

/* What is stale in this host, what a router discards, and what it cuts. What is lost or unknown is
 * no evidence.
 */
static bool test_fates(void)
{
	static const struct {
		enum fdccp_fate fate;
		enum fstream_place place;
		unsigned int share;
	} cases[] = {
		{ FDCCP_FATE_EXPIRED, FSTREAM_PLACE_HOST, 5000 / 21 },
		{ FDCCP_FATE_DISCARDED, FSTREAM_PLACE_ROUTER, 5000 / 21 },
		/* 20 packets are the window, and the first of the five is the 21st */
		{ FDCCP_FATE_CUT, FSTREAM_PLACE_ROUTER, 4000 / 16 },
		{ FDCCP_FATE_LOST, FSTREAM_PLACE_HOST, 0 },
		{ FDCCP_FATE_DAMAGED, FSTREAM_PLACE_HOST, 0 },
		{ FDCCP_FATE_DROPPED, FSTREAM_PLACE_HOST, 0 },
		{ FDCCP_FATE_UNKNOWN, FSTREAM_PLACE_HOST, 0 },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool event = cases[i].share > 0;

		MUST(open_as(FSTREAM_REMEDY_TELL, FSTREAM_CONTROL_NONE));
		MUST(many(cases[i].fate));
		MUST(l.events[FSTREAM_EVENT_EXPIRY] == event && info().totals.expiries == event);
		MUST(info().place == cases[i].place && info().share == cases[i].share);
		MUST(close_sender());
	}
	return true;
}

/* What is not sent in time goes stale in this host: 5 of 25 messages cannot arrive in time. */
static bool test_unsent(void)
{
	MUST(open_as(FSTREAM_REMEDY_TELL, FSTREAM_CONTROL_FEASIBLE));
	for (int i = 0; i < 5; i++) {
		MUST(!l.events[FSTREAM_EVENT_EXPIRY]);
		MUST(!fstream_submit(l.s, "x", 1, &(struct fstream_message){ .lifetime = MS },
				     l.now, NULL));
		for (int n = 0; n < 4; n++)
			MUST(packet(FDCCP_FATE_ACKNOWLEDGED));
	}
	MUST(l.events[FSTREAM_EVENT_EXPIRY] == 1 && info().place == FSTREAM_PLACE_HOST);
	MUST(l.s->totals.end[FSTREAM_END_NEVER_SENT] == 5);
	return close_sender();
}

static bool report(uint32_t on_time, uint32_t late)
{
	struct fstream_frame frame = {
		.type = FSTREAM_REPORT, .on_time = on_time, .late = late,
	};
	uint8_t data[FSTREAM_FRAME_MAX];

	return link_event(&l, &(struct fdccp_event){
		.type = FDCCP_EVENT_DATA, .data = data, .len = fstream_frame_write(&frame, data),
	});
}

/* What the receiver reports as late. A report that counts the same again is none. */
static bool test_late(void)
{
	MUST(open_as(FSTREAM_REMEDY_TELL, FSTREAM_CONTROL_FEASIBLE));
	for (int i = 0; i < 30; i++)
		MUST(packet(FDCCP_FATE_ACKNOWLEDGED));
	MUST(report(24, 0) && report(24, 0) && !l.events[FSTREAM_EVENT_EXPIRY]);
	for (int i = 0; i < 30; i++)
		MUST(packet(FDCCP_FATE_ACKNOWLEDGED));
	MUST(report(48, 6) && l.events[FSTREAM_EVENT_EXPIRY] == 1);
	MUST(info().place == FSTREAM_PLACE_RECEIVER);
	return close_sender();
}

/* The program is told once, until a full window has hardly anything that is stale. */
static bool test_once(void)
{
	MUST(open_as(FSTREAM_REMEDY_TELL, FSTREAM_CONTROL_FEASIBLE));
	MUST(many(FDCCP_FATE_DISCARDED));
	for (int i = 0; i < 20; i++)
		MUST(five(FDCCP_FATE_DISCARDED));
	MUST(l.events[FSTREAM_EVENT_EXPIRY] == 1);
	MUST(info().lifetime == LIFETIME && !info().limit);
	for (int i = 0; i < 30; i++)
		MUST(packet(FDCCP_FATE_ACKNOWLEDGED));
	for (int i = 0; i < 5; i++)
		MUST(five(FDCCP_FATE_DISCARDED));
	MUST(l.events[FSTREAM_EVENT_EXPIRY] == 2);
	return close_sender();
}

/* How long the last packet lives. */
static int64_t life(void)
{
	const struct link_packet *last = &l.packet[(l.packets - 1) % LINK_PACKETS];

	return last->message.deadline - last->at;
}

/* The messages live 600 ms, and 800 ms, which is the most. A message that has a lifetime of its own
 * keeps it. The program may set the lifetime anew.
 */
static bool test_lifetime(void)
{
	static const int64_t lifetimes[] = { 600 * MS, 800 * MS, 800 * MS };

	MUST(open_as(FSTREAM_REMEDY_LIFETIME, FSTREAM_CONTROL_FEASIBLE));
	for (unsigned int i = 0; i < 3; i++) {
		for (int n = 0; n < 5; n++)
			MUST(five(FDCCP_FATE_DISCARDED));
		MUST(info().lifetime == lifetimes[i]);
	}
	MUST(l.events[FSTREAM_EVENT_EXPIRY] == 1);
	MUST(!fstream_submit(l.s, "x", 1, &(struct fstream_message){ .lifetime = 300 * MS }, l.now,
			     NULL));
	MUST(life() == 300 * MS && link_fate(&l, handle++, FDCCP_FATE_ACKNOWLEDGED));
	MUST(!fstream_set_terms(l.s, 500 * MS, FSTREAM_ANY, l.now) && link_settle(&l));
	MUST(info().lifetime == 500 * MS);
	return close_sender();
}

/* A packet lives for the timeout, 140 ms, and with a remedy as long as its message. */
static bool test_packet(void)
{
	for (enum fstream_remedy r = FSTREAM_REMEDY_TELL; r <= FSTREAM_REMEDY_RATE; r++) {
		MUST(open_as(r, FSTREAM_CONTROL_FEASIBLE));
		MUST(packet(FDCCP_FATE_ACKNOWLEDGED));
		MUST(life() == (r == FSTREAM_REMEDY_TELL ? 140 * MS : LIFETIME));
		MUST(close_sender());
	}
	return true;
}

/*
 * Of 21 messages of 500 bytes in 2.1 s, 5 went stale, so 8000 bytes came, 3809 a second. The last
 * round-trip time was 250 ms, of which 150 ms was a queue: nothing is taken for so long, and then
 * two messages. The next one is due 131 ms later, as READY tells.
 */
static bool test_rate(void)
{
	int64_t at;

	MUST(open_as(FSTREAM_REMEDY_RATE, FSTREAM_CONTROL_NONE));
	for (int i = 0; i < 4; i++)
		MUST(five(FDCCP_FATE_DISCARDED));
	l.path.sample = 250 * MS;
	MUST(packet(FDCCP_FATE_DISCARDED) && info().limit == 3809);
	at = l.now;
	MUST(submit(500) == -EAGAIN);
	MUST(link_run(&l, at + 150 * MS - 1) && l.events[FSTREAM_EVENT_READY] == 0);
	MUST(link_run(&l, at + 150 * MS) && l.events[FSTREAM_EVENT_READY] == 1);
	MUST(!submit(500) && !submit(500) && submit(500) == -EAGAIN);
	/* 500 / 3809 s */
	MUST(link_run(&l, at + 150 * MS + 131268048) && l.events[FSTREAM_EVENT_READY] == 1);
	MUST(link_run(&l, at + 150 * MS + 131268049) && l.events[FSTREAM_EVENT_READY] == 2);
	MUST(!submit(500));
	/* another path has no limit */
	MUST(link_simple(&l, FDCCP_EVENT_MOVED) && !info().limit);
	for (int i = 0; i < 100; i++)
		MUST(!submit(500));
	fstream_free(l.s);
	return true;
}

/* At 1000 bytes a second, the 1500 bytes that wait here would take 1.5 s. But after their lifetime of
 * 400 ms they are stale, and something is taken again.
 */
static bool test_rate_hold(void)
{
	int64_t at;

	MUST(open_as(FSTREAM_REMEDY_RATE, FSTREAM_CONTROL_NONE));
	for (int i = 0; i < 4; i++)
		MUST(five(FDCCP_FATE_DISCARDED));
	MUST(!submit(500));
	l.allowed = 0;
	l.path.rate = 1000;
	for (int i = 0; i < 3; i++)
		MUST(!submit(500));
	MUST(link_fate(&l, handle, FDCCP_FATE_DISCARDED) && info().limit);
	at = l.now;
	MUST(submit(500) == -EAGAIN);
	MUST(link_run(&l, at + LIFETIME - 1) && l.events[FSTREAM_EVENT_READY] == 0);
	MUST(link_run(&l, at + LIFETIME) && l.events[FSTREAM_EVENT_READY] == 1);
	return close_sender();
}

/* A packet that waits for more than a quarter of what the fastest one leaves of its lifetime, 75
 * ms, is slow, so that the rate does not come back.
 */
static bool test_slow(void)
{
	for (int64_t rtt = 175 * MS; rtt < 175 * MS + 2; rtt++) {
		MUST(open_as(FSTREAM_REMEDY_RATE, FSTREAM_CONTROL_NONE));
		MUST(!submit(500));
		MUST(link_event(&l, &(struct fdccp_event){
			.type = FDCCP_EVENT_FATE, .fate = FDCCP_FATE_LOST, .rtt = rtt,
		}));
		MUST(fstream_tx(l.s)->expiry.ring[0].slow == (rtt > 175 * MS));
		fstream_free(l.s);
	}
	return true;
}

/* A configuration out of its range is refused. */
static bool test_config(void)
{
	struct fstream_config config;
	struct fstream *s;

	fstream_config_init(&config, true);
	config.remedy = FSTREAM_REMEDY_RATE + 1;
	MUST(fstream_new(&config, &(struct fstream_link){ 0 }, T0, &s) == -EINVAL);
	config.remedy = FSTREAM_REMEDY_LIFETIME;
	config.lifetime_max = FSTREAM_LIFETIME_MAX + 1;
	MUST(fstream_new(&config, &(struct fstream_link){ 0 }, T0, &s) == -EINVAL);
	config.lifetime_max = -1;
	MUST(fstream_new(&config, &(struct fstream_link){ 0 }, T0, &s) == -EINVAL);
	MUST(!strcmp(fstream_place_name(FSTREAM_PLACE_ROUTER), "router"));
	MUST(!strcmp(fstream_place_name(FSTREAM_PLACES), "unknown"));
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "fates", test_fates },
		{ "messages that are not sent", test_unsent },
		{ "reports", test_late },
		{ "one event", test_once },
		{ "a longer lifetime", test_lifetime },
		{ "the lifetime of a packet", test_packet },
		{ "a lower rate", test_rate },
		{ "when something is taken again", test_rate_hold },
		{ "slow packets", test_slow },
		{ "bad configurations", test_config },
	};

	return unit_run(tests, sizeof(tests) / sizeof(*tests)) != 0;
}
