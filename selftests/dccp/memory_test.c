// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory that runs out: each allocation of a connection's life fails once, and from each one on all
 * fail. Whatever fails, nothing leaks, each packet that was sent has one fate, and both ends end.
 * Of a stream, each message that was submitted is sent all the same.
 * The Makefile wraps the allocator. Prints TAP.
 */
#include "../codec/unit.h"
#include <errno.h>
#include <sanitizer/allocator_interface.h>

#include "endpoint_state.h"
#include "stream_link.h"
#include "world.h"

/* the allocation that fails, counted down; 0: none */
static unsigned long countdown;
static bool for_good;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool fails(void)
{
	if (!countdown || --countdown)
		return false;
	countdown = for_good;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

/**
 * struct life - what the program saw of a connection
 * @revived: an end that has its event CLOSED to tell had another state
 */
struct life {
	struct fdccp_conn *conn[2];
	uint64_t sent, fates;
	bool revived;
};

static void took_event(struct world *w, bool client, const struct fdccp_event *e)
{
	struct life *l = w->context;

	if (e->type == FDCCP_EVENT_ACCEPTED || e->type == FDCCP_EVENT_CONNECTED)
		l->conn[client] = e->conn;
	l->fates += e->type == FDCCP_EVENT_FATE;
	l->revived |= e->conn->events & 1U << FDCCP_EVENT_CLOSED &&
		      e->conn->state != FDCCP_CLOSED && e->conn->state != FDCCP_TIMEWAIT;
	if (e->type == FDCCP_EVENT_CLOSED)
		l->conn[client] = NULL;
}

/* The path's allocations never fail. */
static bool step(struct world *w, int64_t end)
{
	while (w->path.spares < 64)
		w->path.spare[w->path.spares++] = __real_malloc(sizeof(struct path_flight));
	return world_step(w, end);
}

static void run(struct world *w, int64_t time)
{
	int64_t end = w->now + time;

	while (step(w, end))
		;
}

/* Opens a connection, sends @packets a side, and closes it. */
static bool live(struct world *w, struct life *l, bool stateless, unsigned int packets)
{
	static const uint8_t bytes[1000];
	struct fdccp_params params;
	uint32_t service = WORLD_SERVICE;
	struct fdccp_path where = { w->path.client, w->path.server };

	fdccp_params_init(&params);
	params.ccids[0] = FDCCP_CCID3;
	params.ccids[1] = FDCCP_CCID2;
	params.keepalive = 15 * SEC;
	if (fdccp_listen(w->ep[0], WORLD_PORT, &service, 1, &params))
		return false;
	if (stateless)
		world_occupy(w);
	if (fdccp_connect(w->ep[1], &where, WORLD_PORT, service, &params, w->now, &l->conn[1]))
		return false;
	run(w, SEC);
	for (unsigned int i = 0; i < 2 * packets; i++) {
		if (l->conn[i & 1] &&
		    !world_send(w, i & 1, l->conn[i & 1], bytes, sizeof(bytes), NULL))
			l->sent++;
		run(w, 30 * MS);
	}
	for (int side = 0; side < 2; side++)
		if (l->conn[side])
			fdccp_close(l->conn[side], w->now);
	run(w, 3600 * SEC);
	return true;
}

/* One life. @sent: packets of the program, @left: what is left of the countdown */
static bool live_under(const struct fdccp_limits *limits, uint64_t *sent, unsigned long *left)
{
	size_t before = __sanitizer_get_current_allocated_bytes();
	struct life life = { 0 };
	struct world w = { .event = took_event, .context = &life };

	world_open(&w, 1, FDCCP_CARRIER_UDP, limits);
	w.path.way[0].delay = w.path.way[1].delay = 10 * MS;
	/* every tenth packet is lost, so that rings grow */
	w.path.way[0].loss = w.path.way[1].loss = 100;
	if (w.ep[0] && w.ep[1] && live(&w, &life, limits->stateless, 40)) {
		MUST(life.sent == life.fates && !life.revived);
		MUST(!life.conn[0] && !life.conn[1]);
		MUST(!w.ep[0]->by_flow.count && !w.ep[1]->by_flow.count);
	}
	*sent = life.sent;
	*left = countdown;
	countdown = 0;
	world_close(&w);
	MUST(__sanitizer_get_current_allocated_bytes() == before);
	return true;
}

/* One life in which allocation @number fails. @left: how many more
 * allocations would have had to be made for that.
 */
static bool fail_at(unsigned long number, bool stateless, unsigned long *left)
{
	struct fdccp_limits limits = { .stateless = stateless };
	uint64_t sent;

	countdown = number;
	MUST(live_under(&limits, &sent, left));
	return true;
}

static bool fail_each(bool stateless)
{
	unsigned long left = 0, number;

	for (number = 1; !left; number++) {
		for_good = true;
		MUST(fail_at(number, stateless, &left));
		for_good = false;
		MUST(fail_at(number, stateless, &left));
	}
	printf("# %lu allocations\n", number - 1);
	return number > 20;
}

static bool test_failures(void)
{
	return fail_each(false);
}

static bool test_failures_stateless(void)
{
	return fail_each(true);
}

/* The same where the limit of memory is in the way, at each step of the way. */
static bool limit_each(bool stateless)
{
	struct fdccp_limits limits = {
		.stateless = stateless, .memory = sizeof(struct fdccp_endpoint),
	};
	struct fdccp_limits none = { .stateless = stateless };
	unsigned long left;
	uint64_t all, sent;

	MUST(live_under(&none, &all, &left));
	for (sent = 0; sent < all; limits.memory += 16)
		MUST(live_under(&limits, &sent, &left));
	printf("# %zu bytes suffice\n", limits.memory);
	return limits.memory > sizeof(struct fdccp_endpoint) + 2000;
}

static bool test_limits(void)
{
	return limit_each(false);
}

static bool test_limits_stateless(void)
{
	return limit_each(true);
}

/* What a sender that has no deadlines sends in a second, if allocation @countdown fails. */
static bool send_stream(struct link *l)
{
	static const struct fdccp_measure path = { .srtt = 100 * MS, .rttvar = 10 * MS };
	static const uint8_t bytes[5000];
	struct fstream_config config;
	size_t pieces = 0;

	fstream_config_init(&config, true);
	config.control = FSTREAM_CONTROL_RELIABLE;
	if (!link_open(l, &config, &path))
		return !l->s;
	for (int i = 0; i < 100; i++)
		if (!fstream_submit(l->s, bytes, sizeof(bytes), NULL, l->now, NULL))
			pieces += 5;
	MUST(link_run(l, T0 + SEC / 10) && l->packets == pieces && pieces >= 495);
	return true;
}

static bool test_stream(void)
{
	static struct link l;
	unsigned long left = 0, number;

	for (number = 1; !left; number++) {
		size_t before = __sanitizer_get_current_allocated_bytes();

		countdown = number;
		MUST(send_stream(&l));
		left = countdown;
		countdown = 0;
		fstream_free(l.s);
		MUST(__sanitizer_get_current_allocated_bytes() == before);
	}
	printf("# %lu allocations\n", number - 1);
	return number > 200;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "each allocation fails", test_failures },
		{ "each allocation fails, with Init Cookies", test_failures_stateless },
		{ "memory reaches its limit", test_limits },
		{ "memory reaches its limit, with Init Cookies", test_limits_stateless },
		{ "each allocation of a stream fails", test_stream },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
