// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cost CCID send|receive PACKETS: sends so many packets of 1400 bytes over a perfect path, after a
 * warm-up. Under callgrind --collect-atstart=no, only the library's calls at that end are counted.
 *
 * cost CCID idle CONNECTIONS: prints the bytes that an idle connection takes at one end.
 */
#include <malloc.h>
#include <valgrind/callgrind.h>

#include "world.h"

#define PAYLOAD		1400
#define INTERVAL	(100 * US)	/* between two packets */
#define DELAY		(5 * MS)	/* so that 100 packets and their feedback are on the way */
#define WARM_UP		6000
#define IN_FLIGHT	200		/* at most so many are still on the way at the end */

/* the endpoint whose calls are counted */
static const struct fdccp_endpoint *counted;

/* what happened at both ends */
static struct fdccp_conn *client;
static unsigned long connected, sent, refused, received, fates;

static void note(struct world *w, bool at_client, const struct fdccp_event *event)
{
	(void)w;
	(void)at_client;
	switch (event->type) {
	case FDCCP_EVENT_CONNECTED:
		connected++;
		break;
	case FDCCP_EVENT_DATA:
		received++;
		break;
	case FDCCP_EVENT_FATE:
		fates += event->fate == FDCCP_FATE_ACKNOWLEDGED;
		break;
	default:
		break;
	}
}

static void mark(const struct fdccp_endpoint *ep)
{
	if (ep == counted)
		CALLGRIND_TOGGLE_COLLECT;
}

/* Hands all events of one side to note(), and all output to the path, as the adapter does after
 * each call of the library.
 */
static void settle(struct world *w, bool side)
{
	struct fdccp_datagram d = world_datagram(w);
	struct fdccp_event event;
	bool some;

	do {
		mark(w->ep[side]);
		some = fdccp_event(w->ep[side], &event);
		mark(w->ep[side]);
		if (some)
			note(w, side, &event);
	} while (some);
	do {
		mark(w->ep[side]);
		some = fdccp_transmit(w->ep[side], &d, w->now);
		mark(w->ep[side]);
		if (some)
			path_send(&w->path, side, &d, w->now);
	} while (some);
}

static void run_timers(struct world *w, bool side)
{
	int64_t when;

	mark(w->ep[side]);
	when = fdccp_next_timer(w->ep[side]);
	if (when <= w->now)
		fdccp_advance(w->ep[side], w->now);
	mark(w->ep[side]);
	if (when <= w->now)
		settle(w, side);
}

static void arrive(struct world *w)
{
	struct path_flight *f = path_arrive(&w->path);
	bool side = !f->forward;

	mark(w->ep[side]);
	fdccp_receive(w->ep[side], &f->d, w->now);
	mark(w->ep[side]);
	settle(w, side);
}

/* Lets everything happen up to @end. */
static void run(struct world *w, int64_t end)
{
	for (; w->now < end; w->now += INTERVAL) {
		while (path_next(&w->path) <= w->now)
			arrive(w);
		run_timers(w, true);
		run_timers(w, false);
	}
}

static void send_one(struct world *w)
{
	static const uint8_t payload[PAYLOAD];
	const struct fdccp_message message = { .handle = sent, .deadline = FDCCP_NEVER };
	struct fdccp_datagram d = world_datagram(w);
	int err;

	mark(w->ep[true]);
	err = fdccp_send(client, payload, sizeof(payload), &message, w->now, &d);
	mark(w->ep[true]);
	if (err) {
		refused++;
		return;
	}
	path_send(&w->path, true, &d, w->now);
	sent++;
}

static void send_many(struct world *w, unsigned long count)
{
	for (; count; count--) {
		send_one(w);
		run(w, w->now + INTERVAL);
	}
}

static bool listen_to_all(struct world *w, const struct fdccp_params *params)
{
	const struct fdccp_limits limits = { .per_source = 16384 };
	const uint32_t service = WORLD_SERVICE;

	world_open(w, 1, FDCCP_CARRIER_UDP, &limits);
	w->path.way[0].delay = w->path.way[1].delay = DELAY;
	return !fdccp_listen(w->ep[false], WORLD_PORT, &service, 1, params);
}

/* Opens @count connections, one after the other. */
static bool open_connections(struct world *w, const struct fdccp_params *params,
			     unsigned long count)
{
	const struct fdccp_path path = { .local = w->path.client, .remote = w->path.server };

	while (connected < count) {
		unsigned long before = connected;

		if (fdccp_connect(w->ep[true], &path, WORLD_PORT, WORLD_SERVICE, params, w->now,
				  &client))
			return false;
		settle(w, true);
		run(w, w->now + 10 * DELAY);
		if (connected != before + 1)
			return false;
	}
	return true;
}

/* Lets one connection carry data. */
static int count_packets(struct world *w, bool sender, unsigned long count)
{
	/* until the path is known to carry full packets */
	run(w, w->now + SEC);
	send_many(w, WARM_UP);
	sent = refused = received = fates = 0;
	counted = w->ep[sender];
	send_many(w, count);
	counted = NULL;
	printf("sent %lu refused %lu received %lu acknowledged %lu\n", sent, refused, received,
	       fates);
	return sent == count && received + IN_FLIGHT > count ? 0 : 1;
}

/* What malloc() takes, with its own share. */
static size_t allocated(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/* Prints what malloc() has given for a connection at one end, of @count that are idle. */
static int count_bytes(struct world *w, const struct fdccp_params *params, unsigned long count)
{
	size_t before = allocated(), after;

	if (!open_connections(w, params, count))
		return 2;
	run(w, w->now + SEC);
	after = allocated();
	printf("bytes %zu\n", (after - before) / (2 * count));
	return 0;
}

int main(int argc, char **argv)
{
	static struct world world;
	struct fdccp_params params;
	unsigned long count;
	int status = 2;

	if (argc != 4)
		return 2;
	fdccp_params_init(&params);
	params.ccids[0] = params.peer_ccids[0] = (uint8_t)atoi(argv[1]);
	params.ccids[1] = params.peer_ccids[1] = 0;
	count = strtoul(argv[3], NULL, 10);
	if (!listen_to_all(&world, &params))
		return 2;
	if (!strcmp(argv[2], "idle"))
		status = count_bytes(&world, &params, count);
	else if (open_connections(&world, &params, 1))
		status = count_packets(&world, !strcmp(argv[2], "send"), count);
	world_close(&world);
	return status;
}
