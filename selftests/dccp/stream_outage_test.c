// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * After an outage of 10 s, whenever it begins, messages of 300 ms arrive again: at once with a fixed
 * rate, and with CCID 2 and 3 if the link has kept what was on the way. Prints TAP.
 */
#include "../codec/unit.h"
#include "stream_world.h"

#define RATE		1250000		/* bytes a second, of the link and with CCID 254 */
#define DELAY		(50 * MS)
#define SIZE		1000
#define INTERVAL	(8 * MS)
#define LIFETIME	(300 * MS)
#define OUTAGE		(10 * SEC)
#define QUEUE		52000		/* bytes, of 50 packets */
#define AFTER		(5 * SEC)	/* time after the outage, and which part of it is judged */
#define FROM		(2 * SEC)
#define TO		(4 * SEC)
#define JUDGED		((unsigned int)((TO - FROM) / INTERVAL))
#define MESSAGES	4096

/* What one stream does. */
struct course {
	struct stream_world sw;
	uint8_t ccid;
	bool keeps;			/* in the outage, the link keeps a queue */
	unsigned int loss;		/* in thousandths, in both directions */
	int64_t end;			/* of the outage */
	int64_t submitted[MESSAGES];
	unsigned int count;
	int64_t fresh;			/* from its end to the first message, or FDCCP_NEVER */
	unsigned int on_time;		/* messages that arrived, of those of that time */
};

static struct course c;

static void took_event(struct stream_world *sw, bool sender, const struct fstream_event *e)
{
	int64_t after;

	if (sender || e->type != FSTREAM_EVENT_MESSAGE || c.submitted[e->number] < c.end)
		return;
	after = c.submitted[e->number] - c.end;
	if (c.fresh == FDCCP_NEVER)
		c.fresh = sw->w.now - c.end;
	c.on_time += after >= FROM && after < TO;
}

/* For each direction: what is lost, and what may wait. */
static void set_link(unsigned int loss, size_t queue)
{
	for (int way = 0; way < 2; way++) {
		c.sw.w.path.way[way].loss = loss;
		c.sw.w.path.way[way].queue = queue;
	}
}

static void send_until(int64_t end)
{
	static const uint8_t bytes[SIZE];

	for (; c.sw.w.now < end; stream_world_run(&c.sw, c.sw.w.now + INTERVAL)) {
		/* what waits for the end of the outage is in the queue, too */
		if (c.keeps && c.end > c.sw.w.now)
			set_link(c.loss, QUEUE + (size_t)((c.end - c.sw.w.now) * RATE / SEC));
		c.submitted[c.count++] = c.sw.w.now;
		fstream_submit(c.sw.sender.s, bytes, SIZE, NULL, stream_world_time(&c.sw.sender),
			       NULL);
	}
}

static void outage(void)
{
	int64_t begin = c.sw.w.now;

	c.end = begin + OUTAGE;
	if (c.keeps)
		for (int way = 0; way < 2; way++)
			c.sw.w.path.way[way].busy = c.end;
	else
		set_link(1000, QUEUE);
	send_until(c.end);
	set_link(c.loss, QUEUE);
}

static bool connect_streams(void)
{
	struct fstream_config sender, receiver;
	struct fdccp_params params;

	fstream_config_init(&sender, true);
	fstream_config_init(&receiver, false);
	sender.lifetime = LIFETIME;
	fdccp_params_init(&params);
	params.ccids[0] = params.peer_ccids[0] = c.ccid;
	params.fixed_rate = RATE;
	world_open(&c.sw.w, 1, FDCCP_CARRIER_UDP, NULL);
	for (int way = 0; way < 2; way++) {
		c.sw.w.path.way[way].delay = DELAY;
		c.sw.w.path.way[way].rate = RATE;
	}
	set_link(0, QUEUE);
	return stream_world_connect(&c.sw, true, &sender, &receiver, &params);
}

/* Runs a stream with an outage. Return: whether it goes on afterwards. */
static bool run(uint8_t ccid, bool keeps, unsigned int loss, int64_t phase)
{
	c = (struct course){ .ccid = ccid, .keeps = keeps, .loss = loss, .fresh = FDCCP_NEVER,
			     .end = FDCCP_NEVER };
	c.sw.event = took_event;
	MUST(connect_streams());
	stream_world_run(&c.sw, c.sw.w.now + SEC);
	c.keeps = false;
	set_link(loss, QUEUE);
	send_until(c.sw.w.now + 3 * SEC + phase);
	c.keeps = keeps;
	outage();
	send_until(c.end + AFTER);
	MUST(c.sw.sender.conn);
	stream_world_close(&c.sw);
	return true;
}

static bool fixed(bool keeps, int64_t limit)
{
	for (int64_t phase = 0; phase < SEC; phase += 90 * MS) {
		for (unsigned int loss = 0; loss <= 50; loss += 50) {
			MUST(run(FDCCP_CCID_FIXED, keeps, loss, phase));
			printf("# %u thousandths lost: the first after %.3f s, %u of %u on time\n",
			       loss, c.fresh / 1e9, c.on_time, JUDGED);
			MUST(c.fresh < limit && c.on_time >= JUDGED * 98 / 100);
		}
	}
	return true;
}

/* The first message takes its own time and a round trip at most. */
static bool test_fixed(void)
{
	return fixed(false, 2 * DELAY + DELAY + MS);
}

/* What has waited for 10 s makes the mean of the round-trip times useless. */
static bool test_fixed_queue(void)
{
	return fixed(true, 3 * DELAY);
}

static bool test_controlled_queue(void)
{
	for (uint8_t ccid = FDCCP_CCID2; ccid <= FDCCP_CCID3; ccid++) {
		for (int64_t phase = 0; phase < SEC; phase += 90 * MS) {
			MUST(run(ccid, true, 0, phase));
			printf("# CCID %u: the first after %.3f s, %u of %u on time\n", ccid,
			       c.fresh / 1e9, c.on_time, JUDGED);
			MUST(c.fresh < 400 * MS && c.on_time == JUDGED);
		}
	}
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "a fixed rate after an outage", test_fixed },
		{ "a fixed rate after an outage with a queue", test_fixed_queue },
		{ "CCID 2 and 3 after an outage with a queue", test_controlled_queue },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
