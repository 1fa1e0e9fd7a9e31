// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The receiver knows when a message was submitted, within 1 ms and not too late, on links on which a
 * message takes much longer than the small packets of the handshake. Simulated time. Prints TAP.
 */
#include "../codec/unit.h"
#include "stream_world.h"

#define DELAY		(50 * MS)
#define INTERVAL	(20 * MS)
#define LIFETIME	(500 * MS)
#define LEARNT		20	/* messages until the sender has told how long they take */
#define MESSAGES	500

/* a link each way, and what is sent */
struct scene {
	uint64_t rate;		/* bytes a second */
	size_t size;
	unsigned int loss;	/* thousandths */
	uint8_t ccid;
};

static int64_t submitted[MESSAGES];
static unsigned int got;
static int64_t earliest, latest;

/* Notes the error of the submission time. */
static void took(struct stream_world *sw, bool sender, const struct fstream_event *event)
{
	int64_t error;

	(void)sw;
	if (sender || event->type != FSTREAM_EVENT_MESSAGE)
		return;
	got++;
	if (event->number < LEARNT)
		return;
	error = event->submitted - submitted[event->number];
	earliest = error < earliest ? error : earliest;
	latest = error > latest ? error : latest;
}

static bool submit_all(struct stream_world *sw, const struct scene *scene)
{
	static uint8_t content[1200];
	struct fstream_message message = { .lifetime = LIFETIME };
	uint64_t number;

	for (unsigned int i = 0; i < MESSAGES; i++) {
		submitted[i] = sw->w.now;
		MUST(!fstream_submit(sw->sender.s, content, scene->size, &message,
				     stream_world_time(&sw->sender), &number));
		stream_world_run(sw, sw->w.now + INTERVAL);
	}
	stream_world_run(sw, sw->w.now + LIFETIME);
	return true;
}

static void set_path(struct path_way *way, const struct scene *scene)
{
	way->delay = DELAY;
	way->rate = scene->rate;
	way->queue = 100000;
	way->loss = scene->loss;
}

static bool run(const struct scene *scene)
{
	struct fstream_config sender, receiver;
	struct fdccp_params params;
	static struct stream_world sw;

	fdccp_params_init(&params);
	params.ccids[0] = params.peer_ccids[0] = scene->ccid;
	params.ccids[1] = params.peer_ccids[1] = FDCCP_CCID2;
	params.fixed_rate = scene->rate;
	fstream_config_init(&sender, true);
	fstream_config_init(&receiver, false);
	sw = (struct stream_world){ .offset = 12345 * SEC, .event = took };
	got = 0;
	earliest = latest = 0;
	world_open(&sw.w, 1, FDCCP_CARRIER_UDP, NULL);
	set_path(&sw.w.path.way[0], scene);
	set_path(&sw.w.path.way[1], scene);
	MUST(stream_world_connect(&sw, true, &sender, &receiver, &params));
	stream_world_run(&sw, sw.w.now + SEC);
	MUST(submit_all(&sw, scene));
	printf("# %u messages, from %.3f to %.3f ms\n", got, earliest / 1e6, latest / 1e6);
	MUST(got > MESSAGES * 9 / 10 && earliest >= -MS && latest <= 0);
	stream_world_close(&sw);
	return true;
}

/* 1000 bytes take 8.5 ms, and small packets half a ms. */
static bool test_slow(void)
{
	return run(&(struct scene){ .rate = 125000, .size = 1000, .ccid = FDCCP_CCID_FIXED }) &&
	       run(&(struct scene){ .rate = 125000, .size = 1000, .ccid = FDCCP_CCID2 });
}

static bool test_fast(void)
{
	return run(&(struct scene){ .rate = 1250000, .size = 1000, .ccid = FDCCP_CCID_FIXED }) &&
	       run(&(struct scene){ .rate = 1250000, .size = 100, .ccid = FDCCP_CCID2 });
}

static bool test_losses(void)
{
	return run(&(struct scene){ .rate = 125000, .size = 1000, .loss = 50,
				    .ccid = FDCCP_CCID_FIXED });
}

int main(void)
{
	static const struct unit tests[] = {
		{ "a slow link", test_slow },
		{ "a fast link", test_fast },
		{ "losses", test_losses },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
