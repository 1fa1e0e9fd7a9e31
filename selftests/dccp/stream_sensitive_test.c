// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages with a sensitive part on a path that damages packets: the sensitive bytes of what is
 * delivered are right, a message with the flag is damaged and one without is whole, and both ends
 * count the same. Over both carriers, in simulated time. Prints TAP.
 */
#include "../codec/unit.h"
#include "seeded.h"
#include "stream_world.h"

#define MESSAGES	400
#define SENSITIVE	1300		/* more than a piece */
#define LONGEST		3000

/* what was sent, and what came of it */
struct course {
	uint8_t bytes[MESSAGES][LONGEST];
	size_t len[MESSAGES];
	unsigned int whole, damaged, wrong;
	bool finished;
};

static void took_event(struct stream_world *sw, bool sender, const struct fstream_event *e)
{
	struct course *c = sw->context;
	const uint8_t *bytes = c->bytes[e->number % MESSAGES];
	size_t sensitive = e->len < SENSITIVE ? e->len : SENSITIVE;

	c->finished |= sender && e->type == FSTREAM_EVENT_FINISHED;
	if (sender || e->type != FSTREAM_EVENT_MESSAGE)
		return;
	c->whole += !e->damaged;
	c->damaged += e->damaged;
	c->wrong += e->number >= MESSAGES || e->len != c->len[e->number] ||
		    memcmp(e->data, bytes, sensitive) ||
		    (memcmp(e->data, bytes, e->len) != 0) != e->damaged;
}

static bool send_all(struct stream_world *sw, struct course *c)
{
	const struct fstream_message message = { .lifetime = 10 * SEC,
		.stale = FRESHLINK_DISCARD };

	for (int i = 0; i < MESSAGES; i++) {
		c->len[i] = 1 + seeded_below(LONGEST);
		for (size_t k = 0; k < c->len[i]; k++)
			c->bytes[i][k] = (uint8_t)seeded_below(256);
		MUST(!fstream_submit(sw->sender.s, c->bytes[i], c->len[i], &message,
				     stream_world_time(&sw->sender), NULL));
		stream_world_run(sw, sw->w.now + 20 * MS);
	}
	fstream_finish(sw->sender.s, stream_world_time(&sw->sender));
	stream_world_run(sw, sw->w.now + 60 * SEC);
	return true;
}

static bool messages(enum fdccp_carrier carrier)
{
	static struct stream_world sw;
	static struct course c;
	struct fstream_config sender, receiver;
	struct fdccp_params params;
	struct fstream_info sent, got;

	c = (struct course){ .finished = false };
	sw = (struct stream_world){ .event = took_event, .context = &c };
	fstream_config_init(&sender, true);
	fstream_config_init(&receiver, false);
	sender.has_sensitive = receiver.damaged = true;
	sender.sensitive = SENSITIVE;
	fdccp_params_init(&params);
	params.has_sensitive = true;
	params.sensitive = FDCCP_SENSITIVE_ALL;
	params.min_coverage = 1;
	world_no_udp_checksum = carrier == FDCCP_CARRIER_UDP;
	world_open(&sw.w, 1, carrier, NULL);
	for (int way = 0; way < 2; way++)
		sw.w.path.way[way].delay = 20 * MS;
	MUST(stream_world_connect(&sw, true, &sender, &receiver, &params));
	stream_world_run(&sw, sw.w.now + SEC);
	sw.w.path.way[1].damage = 100;
	MUST(send_all(&sw, &c));
	fstream_info(sw.sender.s, &sent);
	fstream_info(sw.receiver.s, &got);
	printf("# %u messages whole, %u damaged; %llu bytes whole, %llu damaged, %llu repeats\n",
	       c.whole, c.damaged, (unsigned long long)got.totals.bytes_whole,
	       (unsigned long long)got.totals.bytes_damaged,
	       (unsigned long long)sent.totals.repeats);
	MUST(c.finished && !c.wrong && c.whole + c.damaged == MESSAGES);
	MUST(c.damaged > 0 && got.totals.damaged == c.damaged && sent.totals.repeats > 0);
	MUST(got.totals.bytes_whole + got.totals.bytes_damaged == got.totals.bytes);
	MUST(sent.totals.bytes_whole == got.totals.bytes_whole);
	MUST(sent.totals.bytes_damaged == got.totals.bytes_damaged);
	MUST(!got.totals.refused);
	stream_world_close(&sw);
	return true;
}

static bool over_ip(void)
{
	return messages(FDCCP_CARRIER_IP);
}

static bool over_udp(void)
{
	return messages(FDCCP_CARRIER_UDP);
}

int main(void)
{
	static const struct unit tests[] = {
		{ "over IP, damage stays behind the sensitive bytes, and is known", over_ip },
		{ "over UDP without its checksum likewise", over_udp },
	};

	seeded_state = 1;
	printf("# seed 1\n");
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
