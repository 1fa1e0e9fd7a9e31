// SPDX-License-Identifier: GPL-2.0-or-later
/* Streams over a path that loses, doubles, reorders, delays, marks and cuts packets and has spikes,
 * with all controllers, orders and CCIDs: each message ends once and is delivered at most once,
 * unchanged and never after its deadline; the sums of both ends hold, and no memory is left.
 * STREAMS and SEED are environment variables. Prints TAP.
 */
#include "../codec/unit.h"
#include "seeded.h"
#include "stream_world.h"

#define MESSAGES	200
#define LEN_MAX		20000
#define CLOCKS		(12345 * SEC)
#define SMALL		4	/* messages that a receiver with little room keeps */

/* What became of a message. */
struct fate {
	size_t len;
	uint8_t edition;
	unsigned int ends, deliveries;
	enum fstream_end end;
};

/* What one stream does. */
struct course {
	uint64_t seed;
	struct fstream_config sender, receiver;
	struct fate fate[MESSAGES];
	unsigned int submitted, next;
	unsigned int finished[2];
	uint64_t last;			/* delivered on time */
	int64_t terms_at;		/* the last change */
	bool room;			/* the buffer has room */
	const char *wrong;
};

static uint64_t first_seed;

static void fail(struct course *c, const char *what)
{
	if (!c->wrong)
		c->wrong = what;
}

/* Writes the content of a message's edition. */
static void content(const struct course *c, uint64_t number, uint8_t edition, uint8_t *out,
		    size_t len)
{
	uint64_t state = (c->seed << 20 | number << 4 | edition) * 2 + 1;

	for (size_t i = 0; i < len; i++)
		out[i] = i % 8 ? out[i - 1] + 1 : (uint8_t)(path_random(&state) >> 24);
}

static bool is_content(const struct course *c, const struct fstream_event *e)
{
	static uint8_t want[LEN_MAX];

	for (uint8_t edition = 0; edition <= c->fate[e->number].edition; edition++) {
		content(c, e->number, edition, want, e->len);
		if (!memcmp(want, e->data, e->len))
			return true;
	}
	return false;
}

static void took_end(struct course *c, const struct fstream_event *e)
{
	struct fate *f = &c->fate[e->number];

	if (e->number >= c->submitted || f->ends++)
		fail(c, "an end twice, or of no message");
	f->end = e->end;
}

static void took_message(struct stream_world *sw, struct course *c, const struct fstream_event *e)
{
	if (e->number >= c->submitted || c->fate[e->number].deliveries++) {
		fail(c, "delivered twice, or never submitted");
		return;
	}
	if (e->len > LEN_MAX || !is_content(c, e))
		fail(c, "changed content");
	if (e->late && !c->receiver.late)
		fail(c, "late with drop");
	if (e->late)
		return;
	/* a smaller lifetime may deliver at once what was in time before */
	if (sw->w.now > e->deadline && sw->w.now != c->terms_at)
		fail(c, "after its deadline");
	if (c->receiver.order != FSTREAM_ORDER_ASAP && e->number < c->last)
		fail(c, "out of order");
	if (c->receiver.order == FSTREAM_ORDER_PACED && c->receiver.latency &&
	    sw->w.now > e->submitted + c->receiver.latency)
		fail(c, "after its time");
	c->last = e->number;
}

static void took_event(struct stream_world *sw, bool sender, const struct fstream_event *e)
{
	struct course *c = sw->context;

	switch (e->type) {
	case FSTREAM_EVENT_END:
		took_end(c, e);
		break;
	case FSTREAM_EVENT_MESSAGE:
		took_message(sw, c, e);
		break;
	case FSTREAM_EVENT_READY:
		c->room = true;
		break;
	case FSTREAM_EVENT_FINISHED:
		c->finished[sender]++;
		break;
	default:
		break;
	}
}

/* The sums of the sender hold at any time. */
static void check_sender(struct stream_world *sw, struct course *c)
{
	struct fstream_info info;
	uint64_t sum = 0;

	fstream_info(sw->sender.s, &info);
	for (int i = 0; i < FSTREAM_ENDS; i++)
		sum += info.totals.end[i];
	if (info.totals.submitted != c->submitted || sum + info.totals.outstanding != c->submitted)
		fail(c, "the sender's sum is wrong");
	if (info.totals.refused)
		fail(c, "the sender refused a packet");
}

static void check_receiver(struct stream_world *sw, struct course *c)
{
	struct fstream_info info;

	fstream_info(sw->receiver.s, &info);
	if (info.totals.on_time + info.totals.late + info.totals.missing > c->submitted)
		fail(c, "the receiver knows of too many messages");
	if (info.totals.refused)
		fail(c, "the receiver refused a packet");
}

static void submit(struct stream_world *sw, struct course *c)
{
	static uint8_t bytes[LEN_MAX];
	uint64_t number;
	struct fstream_message m = {
		.lifetime = (int64_t)seeded_below(3) * (int64_t)seeded_below(500) * MS,
		.priority = seeded_below(3), .stale = (enum freshlink_stale)seeded_below(3) };
	size_t len = 1 + seeded_below(seeded_below(10) ? 2000 : LEN_MAX);
	int err;

	content(c, c->submitted, 0, bytes, len);
	err = fstream_submit(sw->sender.s, bytes, len, &m, stream_world_time(&sw->sender), &number);
	if (err == -EAGAIN)
		c->room = false;
	else if (err && !sw->sender.closed)
		fail(c, "fstream_submit() failed");
	if (err)
		return;
	if (number != c->submitted)
		fail(c, "a wrong number");
	c->fate[c->submitted++] = (struct fate){ .len = len };
}

static void update(struct stream_world *sw, struct course *c, uint64_t number)
{
	static uint8_t bytes[LEN_MAX];
	struct fate *f = &c->fate[number];

	if (f->edition == 3)
		return;
	content(c, number, f->edition + 1, bytes, f->len);
	if (!fstream_update(sw->sender.s, number, bytes, f->len, stream_world_time(&sw->sender)))
		f->edition++;
}

/* What a program does from time to time. */
static void disturb(struct stream_world *sw, struct course *c)
{
	uint64_t number = seeded_below(c->submitted + 1);

	if (number == c->submitted)
		return;
	switch (seeded_below(40)) {
	case 0:
		fstream_cancel(sw->sender.s, number, stream_world_time(&sw->sender));
		break;
	case 1:
	case 2:
		update(sw, c, number);
		break;
	case 3:
		fstream_prioritize(sw->sender.s, number, seeded_below(256));
		break;
	case 4:
		c->terms_at = sw->w.now;
		fstream_set_terms(sw->receiver.s, (int64_t)seeded_below(1000) * MS,
				  c->receiver.latency, sw->w.now);
		break;
	default:
		break;
	}
}

/* A path whose quality depends on the seed. */
static void any_path(struct path *p)
{
	int64_t delay = (int64_t)seeded_below(100 * MS);

	for (int way = 0; way < 2; way++) {
		struct path_way *w = &p->way[way];

		w->loss = seeded_below(4) ? seeded_below(150) : 0;
		w->twice = seeded_below(50);
		w->late = seeded_below(2) * seeded_below(300);
		w->mark = seeded_below(50);
		w->cut = seeded_below(50);
		w->delay = delay;
		w->spread = (int64_t)seeded_below(50 * MS) + 1;
		w->rate = seeded_below(2) * (20000 + seeded_below(500000));
		w->queue = 3000 + seeded_below(50000);
	}
}

/* For up to a second, each way takes longer. */
static void spike(struct stream_world *sw)
{
	int64_t more = (int64_t)seeded_below(2 * SEC);

	sw->w.path.way[0].delay += more;
	sw->w.path.way[1].delay += more;
	stream_world_run(sw, sw->w.now + (int64_t)seeded_below(SEC));
	sw->w.path.way[0].delay -= more;
	sw->w.path.way[1].delay -= more;
}

static void any_config(struct course *c)
{
	fstream_config_init(&c->sender, true);
	fstream_config_init(&c->receiver, false);
	c->sender.control = seeded_below(4);
	c->sender.cancel_on_ack = seeded_below(2);
	c->sender.messages = seeded_below(2) ? 16 : 1024;
	c->sender.overhead = seeded_below(2) ? 1000 : seeded_below(100);
	c->receiver.order = c->sender.control == FSTREAM_CONTROL_RELIABLE ?
		FSTREAM_ORDER_ORDERED : seeded_below(3);
	c->receiver.late = seeded_below(2);
	c->receiver.latency = (int64_t)seeded_below(3) * 100 * MS;
	c->receiver.messages = seeded_below(4) ? 1024 : SMALL;
}

static void any_params(struct fdccp_params *params)
{
	static const uint8_t lists[][4] = { { 2 }, { 3 } };

	fdccp_params_init(params);
	memcpy(params->ccids, lists[seeded_below(2)], 4);
	memcpy(params->peer_ccids, lists[seeded_below(2)], 4);
	params->ecn = seeded_below(2);
	params->keepalive = 15 * SEC;
}

static void send_all(struct stream_world *sw, struct course *c)
{
	unsigned int count = 1 + seeded_below(MESSAGES);
	int64_t spacing = (int64_t)seeded_below(50 * MS);

	for (int turns = 0; c->submitted < count && turns < 10 * MESSAGES; turns++) {
		if (seeded_below(300) == 0)
			spike(sw);
		if (c->room)
			submit(sw, c);
		disturb(sw, c);
		stream_world_run(sw, sw->w.now + spacing);
		check_sender(sw, c);
		check_receiver(sw, c);
	}
	fstream_finish(sw->sender.s, stream_world_time(&sw->sender));
}

/* The client has given up, and the sender, which is the server, has not heard of it. */
static bool never_open(const struct stream_world *sw)
{
	return sw->receiver.closed && !sw->sender.conn && !sw->sender.closed;
}

/* Each message ended, and what was acknowledged was delivered. Without a connection, messages wait
 * for it that do not expire.
 */
static void check_messages(struct stream_world *sw, struct course *c)
{
	struct fstream_info receiver;

	fstream_info(sw->receiver.s, &receiver);
	for (unsigned int i = 0; i < c->submitted; i++) {
		const struct fate *f = &c->fate[i];

		if (!f->ends && never_open(sw))
			continue;
		if (f->ends != 1)
			fail(c, "a message without an end");
		if (f->end == FSTREAM_END_ACKNOWLEDGED && !f->deliveries && c->receiver.late)
			fail(c, "acknowledged, but not delivered");
		if (c->sender.control == FSTREAM_CONTROL_RELIABLE && c->finished[1] &&
		    f->end == FSTREAM_END_ACKNOWLEDGED && !f->deliveries)
			fail(c, "not delivered, but reliable");
		if (c->sender.control == FSTREAM_CONTROL_RELIABLE && c->finished[1] &&
		    f->end != FSTREAM_END_ACKNOWLEDGED && f->end != FSTREAM_END_CANCELLED &&
		    f->end != FSTREAM_END_RESIZED)
			fail(c, "given up, but reliable");
	}
	if (receiver.memory)
		fail(c, "the receiver has memory left");
}

/* After both have finished, their totals are the same, and each message is in them. */
static void check_totals(struct stream_world *sw, struct course *c)
{
	struct fstream_info s, r;
	uint64_t delivered;

	fstream_info(sw->sender.s, &s);
	fstream_info(sw->receiver.s, &r);
	delivered = r.totals.on_time + (c->receiver.late ? r.totals.late : 0);
	if (r.totals.on_time + r.totals.late + r.totals.missing != c->submitted)
		fail(c, "the receiver's sum is wrong");
	if (r.totals.delivered != delivered)
		fail(c, "not all messages were delivered");
	if (s.totals.on_time != r.totals.on_time || s.totals.late != r.totals.late)
		fail(c, "the totals differ");
	if (s.totals.end[FSTREAM_END_ACKNOWLEDGED] > r.totals.on_time + r.totals.late)
		fail(c, "acknowledged, but not complete");
	if (s.memory || s.totals.outstanding)
		fail(c, "the sender has memory left");
}

static const char *run(uint64_t seed, struct course *c)
{
	static struct stream_world sw;
	struct fdccp_params params;

	seeded_state = seed;
	*c = (struct course){ .seed = seed, .room = true };
	sw = (struct stream_world){ .event = took_event, .context = c };
	sw.offset = (int64_t)seeded_below(2) * CLOCKS;
	world_open(&sw.w, seed, seeded_below(2) ? FDCCP_CARRIER_UDP : FDCCP_CARRIER_IP, NULL);
	any_path(&sw.w.path);
	any_config(c);
	any_params(&params);
	if (!stream_world_connect(&sw, seeded_below(2), &c->sender, &c->receiver, &params))
		fail(c, "listen or connect failed");
	send_all(&sw, c);
	stream_world_run(&sw, sw.w.now + 600 * SEC);
	if (c->finished[0] > 1 || c->finished[1] > 1)
		fail(c, "finished twice");
	if (c->finished[0] && c->finished[1])
		check_totals(&sw, c);
	else if (!sw.sender.closed && !never_open(&sw))
		fail(c, "not finished");
	if (sw.sender.conn)
		fdccp_close(sw.sender.conn, sw.w.now);
	stream_world_run(&sw, sw.w.now + 3600 * SEC);
	check_messages(&sw, c);
	if (stream_world_next(&sw) != FDCCP_NEVER)
		fail(c, "something is left");
	stream_world_close(&sw);
	return c->wrong;
}

/* What a stream on a symmetric path shows of its latency. */
struct latency {
	int64_t submitted[1000];	/* on the receiver's clock */
	int64_t worst;			/* error of a submission time */
	unsigned int delivered;
};

static void took_time(struct stream_world *sw, bool sender, const struct fstream_event *e)
{
	struct latency *l = sw->context;
	int64_t error;

	if (sender || e->type != FSTREAM_EVENT_MESSAGE)
		return;
	l->delivered++;
	error = e->submitted - l->submitted[e->number];
	error = error < 0 ? -error : error;
	if (e->number >= 100 && error > l->worst)
		l->worst = error;
}

/* On a symmetric path with delays that vary, and clocks that do not agree, each submission time is
 * right within 1 ms, and so is the mean one-way latency.
 */
static bool one_way(uint64_t seed, uint8_t ccid, bool sender_is_client)
{
	static struct stream_world sw;
	static struct latency l;
	static const uint8_t bytes[1000];
	struct fstream_config sender, receiver;
	struct fdccp_params params;
	struct fstream_info info;

	l = (struct latency){ 0 };
	sw = (struct stream_world){ .event = took_time, .context = &l, .offset = CLOCKS };
	fstream_config_init(&sender, true);
	fstream_config_init(&receiver, false);
	fdccp_params_init(&params);
	params.ccids[0] = params.peer_ccids[0] = ccid;
	world_open(&sw.w, seed, FDCCP_CARRIER_UDP, NULL);
	for (int way = 0; way < 2; way++) {
		sw.w.path.way[way].delay = 40 * MS;
		sw.w.path.way[way].late = 300;
		sw.w.path.way[way].spread = 20 * MS;
	}
	MUST(stream_world_connect(&sw, sender_is_client, &sender, &receiver, &params));
	stream_world_run(&sw, sw.w.now + SEC);
	for (int i = 0; i < 1000; i++) {
		l.submitted[i] = sw.w.now;
		MUST(!fstream_submit(sw.sender.s, bytes, sizeof(bytes), NULL,
				     stream_world_time(&sw.sender), NULL));
		stream_world_run(&sw, sw.w.now + 20 * MS);
	}
	fstream_info(sw.receiver.s, &info);
	MUST(l.delivered > 900 && l.worst <= MS);
	/* the mean of the last messages is within what the path does */
	MUST(info.one_way >= 39 * MS && info.one_way <= 61 * MS);
	stream_world_close(&sw);
	return true;
}

static bool test_one_way(void)
{
	for (uint64_t seed = first_seed; seed < first_seed + 10; seed++) {
		if (!one_way(seed, seed % 2 ? 2 : 3, seed & 2)) {
			printf("# SEED=%llu\n", (unsigned long long)seed);
			return false;
		}
	}
	return true;
}

static unsigned long from_environment(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : otherwise;
}

static bool test_streams(void)
{
	unsigned long count = from_environment("STREAMS", 300);
	unsigned long finished = 0, submitted = 0, delivered = 0;

	printf("# SEED=%llu STREAMS=%lu\n", (unsigned long long)first_seed, count);
	for (unsigned long i = 0; i < count; i++) {
		static struct course c;
		const char *wrong = run(first_seed + i, &c);

		if (wrong) {
			printf("# SEED=%llu STREAMS=1: %s\n", (unsigned long long)(first_seed + i),
			       wrong);
			return false;
		}
		finished += c.finished[0] && c.finished[1];
		submitted += c.submitted;
		for (unsigned int n = 0; n < c.submitted; n++)
			delivered += c.fate[n].deliveries;
	}
	printf("# %lu of %lu streams finished, %lu messages, %lu delivered\n", finished, count,
	       submitted, delivered);
	MUST(count < 10 || (finished > count * 9 / 10 && delivered > submitted / 3));
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "each message ends once and is delivered at most once, in time", test_streams },
		{ "submission times are right within 1 ms", test_one_way },
	};

	first_seed = from_environment("SEED", 1);
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
