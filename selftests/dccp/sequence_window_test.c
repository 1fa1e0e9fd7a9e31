// SPDX-License-Identifier: GPL-2.0-or-later
/* A peer that never confirms a larger Sequence Window: an end sends no more than the window that is
 * in force, and goes on after any loss (RFC 4340 section 7.5.2). Prints TAP.
 */
#include "conn_world.h"
#include "seeded.h"
#include "../codec/unit.h"

#define EVENT(side, name)	(world.end[side].events[FDCCP_EVENT_##name])
#define RTT			(2 * DELAY)
#define WINDOW			100
#define LOOK_BACK		500

static bool strip_to_client;		/* else to the server */
static int64_t most;			/* packets after the last acknowledged one */
static unsigned int loss;		/* of 256 packets */
static int64_t dark_until;		/* nothing arrives until then */
static int64_t sent_at[LOOK_BACK];	/* of the stripped end's last packets */
static size_t stripped_sent;
static int64_t shortest;		/* time in which it sent LOOK_BACK packets */

/* Takes each Change L(Sequence Window) out of a packet. */
static void strip(struct flight *f, const struct fdccp_packet *p)
{
	struct fdccp_option_walk walk = { p->options, p->options + p->options_len };
	struct fdccp_option option;

	while (fdccp_option_next(&walk, &option) == 1)
		if (option.type == FDCCP_OPT_CHANGE_L &&
		    option.value[0] == FDCCP_FEAT_SEQUENCE_WINDOW)
			memset(f->data + (option.value - 2 - f->data), FDCCP_OPT_PADDING,
			       option.len + 2u);
}

static void note_time(const struct world *w)
{
	int64_t *at = &sent_at[stripped_sent % LOOK_BACK];

	if (stripped_sent++ >= LOOK_BACK && w->now - *at < shortest)
		shortest = w->now - *at;
	*at = w->now;
}

/* Strips one end's packets, and measures them. Loses what @loss and @dark_until say. */
static bool spoil(struct world *w, bool to_client, struct flight *f, const struct fdccp_packet *p)
{
	const struct fdccp_conn *conn = w->end[!to_client].conn;

	if (to_client == strip_to_client) {
		strip(f, p);
		note_time(w);
		if (conn && p->data_len && conn->window.gss - conn->window.gar > (uint64_t)most)
			most = conn->window.gss - conn->window.gar;
	}
	return w->now < dark_until || seeded_below(256) < loss;
}

static bool start(uint8_t ccid, bool to_client)
{
	strip_to_client = to_client;
	most = 0;
	loss = 0;
	dark_until = 0;
	stripped_sent = 0;
	shortest = INT64_MAX;
	MUST(establish(&world, ccid, ccid));
	world.lose = spoil;
	return true;
}

/* Sends @count packets as fast as the rate control allows. */
static bool send_fast(unsigned int count)
{
	struct world *w = &world;

	for (unsigned int i = 0; i < count; i++) {
		int64_t since = w->now;
		int error = send_one(w, true, 400, NULL);

		for (; error == -EAGAIN && w->now < since + 200 * SEC;
		     error = send_one(w, true, 400, NULL))
			run(w, w->now + (w->now < since + RTT ? MS / 10 : RTT));
		if (error)
			printf("# packet %u: error %d\n", i, error);
		MUST(!error);
	}
	return true;
}

/* The rate control allows more than 100 packets in a round trip; from the last acknowledged packet
 * to the last one sent there are never more. So each acknowledgment is valid, and all data arrives.
 */
static bool never_ahead(uint8_t ccid)
{
	struct world *w = &world;
	struct fdccp_info info;

	MUST(start(ccid, false) && send_fast(3000));
	run(w, w->now + SEC);
	fdccp_info(w->end[1].conn, &info);
	MUST(info.sequence_window == WINDOW && most == WINDOW - 1);
	MUST(EVENT(0, DATA) == 3000 && info.fate[FDCCP_FATE_ACKNOWLEDGED] == 3000);
	MUST(!counter(w, false, FDCCP_COUNT_seq_invalid));
	MUST(!counter(w, true, FDCCP_COUNT_seq_invalid));
	finish(w);
	return true;
}

static bool test_never_ahead(void)
{
	return never_ahead(2) && never_ahead(3);
}

/* Everything is lost while the window is full. One packet in a round trip is sent at most; when the
 * path carries packets again, a Sync brings the ends together, and data arrives.
 */
static bool after_darkness(uint8_t ccid)
{
	struct world *w = &world;
	struct fdccp_info info;
	unsigned int before;

	MUST(start(ccid, false) && send_fast(2000) && most == WINDOW - 1);
	dark_until = w->now + 5 * SEC;
	while (!send_one(w, true, 400, NULL))
		;
	before = w->end[1].sent[FDCCP_PKT_DATA] + w->end[1].sent[FDCCP_PKT_DATAACK];
	while (w->now < dark_until) {
		run(w, w->now + MS);
		send_one(w, true, 400, NULL);
	}
	MUST(w->end[1].sent[FDCCP_PKT_DATA] + w->end[1].sent[FDCCP_PKT_DATAACK] <=
	     before + 5 * SEC / RTT);
	before = EVENT(0, DATA);
	MUST(send_fast(200));
	run(w, w->now + 100 * SEC);
	MUST(EVENT(0, DATA) >= before + 199);
	MUST(w->end[0].sent[FDCCP_PKT_SYNC] >= 1 && w->end[1].conn->state == FDCCP_OPEN);
	fdccp_info(w->end[1].conn, &info);
	MUST(!info.in_flight && sums_up(&info));
	finish(w);
	return true;
}

static bool test_darkness(void)
{
	return after_darkness(2) && after_darkness(3);
}

/* At random losses of up to half of all packets, and times without any, no transfer stops. */
static bool test_random_loss(void)
{
	struct world *w = &world;
	struct fdccp_info info;

	for (int i = 0; i < 40; i++) {
		MUST(start(2 + i % 2, false));
		loss = seeded_below(128);
		for (int k = 0; k < 5; k++) {
			MUST(send_fast(40));
			dark_until = w->now + seeded_below(3000) * MS;
		}
		loss = 0;
		run(w, dark_until + 1000 * SEC);
		MUST(send_fast(20));
		run(w, w->now + 1000 * SEC);
		fdccp_info(w->end[1].conn, &info);
		MUST(info.sent == 220 && !info.in_flight && sums_up(&info));
		MUST(info.fate[FDCCP_FATE_ACKNOWLEDGED] >= 19);
		finish(w);
	}
	return true;
}

/* A receiver whose peer sends more than four times its window in a round trip acknowledges all, but
 * sends at most half its window in a round trip. Of the rounds, the first and the last may be cut.
 */
static bool test_receiver(void)
{
	struct world *w = &world;
	struct fdccp_info info;

	MUST(start(2, true) && send_fast(20000));
	run(w, w->now + SEC);
	fdccp_info(w->end[1].conn, &info);
	MUST(info.cwnd > 4 * WINDOW && info.fate[FDCCP_FATE_ACKNOWLEDGED] == 20000);
	fdccp_info(w->end[0].conn, &info);
	MUST(info.sequence_window == WINDOW && stripped_sent > 2 * LOOK_BACK);
	printf("# %d packets in %.1f round trips\n", LOOK_BACK, (double)shortest / RTT);
	MUST(shortest >= (2 * LOOK_BACK / WINDOW - 1) * RTT);
	MUST(!counter(w, false, FDCCP_COUNT_seq_invalid));
	finish(w);
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "data does not run ahead of the Sequence Window", test_never_ahead },
		{ "a full Sequence Window, and everything is lost", test_darkness },
		{ "a small Sequence Window and random losses", test_random_loss },
		{ "acknowledgments do not run ahead of it either", test_receiver },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0]));
}
