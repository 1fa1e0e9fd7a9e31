// SPDX-License-Identifier: GPL-2.0-or-later
/* The adapter's event loop and its queue. */
#include "io_fake.h"

#define PORT	6511

static struct fdccp_io *io;
static struct fdccp_io *peer;
static struct fdccp_conn conn;
static union fdccp_address here, there;

/* A connection from one adapter to another. */
static bool start(unsigned int queue)
{
	struct fdccp_io_config config = { .lifetimes = FDCCP_LIFETIMES_OFF, .queue = queue };

	here = config.local = address("127.0.0.1", PORT);
	there = address("127.0.0.2", PORT);
	MUST(!fdccp_io_open(&config, &io, NULL));
	peer = open_at(FDCCP_CARRIER_UDP, "127.0.0.2", PORT);
	MUST(peer);
	conn = (struct fdccp_conn){ .ep = io->ep, .path = { here, there } };
	return true;
}

static bool stop(void)
{
	fdccp_io_close(io);
	fdccp_io_close(peer);
	return true;
}

/* The peer has received exactly these packets of one byte, in this order. */
static bool arrived(const char *bytes)
{
	unsigned int count = strlen(bytes);

	MUST(await_received(peer, count));
	for (unsigned int i = 0; i < count; i++)
		MUST(peer->ep->received[i].len == 1 && peer->ep->received[i].data[0] == bytes[i]);
	return true;
}

static int send_byte(char byte, int64_t deadline)
{
	const struct fdccp_message message = {
		.handle = byte, .deadline = deadline, .stale = FRESHLINK_DISCARD,
	};

	return fdccp_io_send(io, &conn, &byte, 1, &message);
}

/* Without a timer and packets the descriptor is quiet. The timer wakes the program once, not before
 * its time, and runs in the core.
 */
static bool test_timer(void)
{
	int64_t when;

	MUST(start(0));
	run_round(io);
	MUST(!readable(io, 50));
	when = io->ep->timer = fdccp_io_now(io) + 30 * MSEC;
	MUST(!run_round(io) && !io->ep->advanced);
	MUST(readable(io, 5000));
	MUST(fdccp_io_now(io) >= when);
	run_round(io);
	MUST(io->ep->advanced == 1);
	MUST(!readable(io, 50));
	return stop();
}

/* A timer that moves to a later time wakes the program once at the old time, and one that moves to
 * an earlier time wakes it then.
 */
static bool test_moved_timer(void)
{
	int64_t first, second;
	unsigned int wakeups = 0;

	MUST(start(0));
	first = fdccp_io_now(io) + 20 * MSEC;
	second = first + 20 * MSEC;
	io->ep->timer = first;
	run_round(io);
	io->ep->timer = second;
	run_round(io);
	while (!io->ep->advanced && readable(io, 5000)) {
		wakeups++;
		run_round(io);
	}
	MUST(wakeups <= 2 && fdccp_io_now(io) >= second);
	io->ep->timer = fdccp_io_now(io) + 3600000 * MSEC;
	run_round(io);
	io->ep->timer = fdccp_io_now(io) + 10 * MSEC;
	run_round(io);
	MUST(readable(io, 5000));
	run_round(io);
	MUST(io->ep->advanced == 2);
	/* due already */
	io->ep->timer = 0;
	fdccp_io_settle(io);
	MUST(readable(io, 5000));
	run_round(io);
	MUST(io->ep->advanced == 3 && io->ep->timer == FDCCP_NEVER && !readable(io, 0));
	return stop();
}

/* A round reads 32 datagrams, so that a peer that sends without pause cannot keep the program in
 * it; the rest is read in the next round.
 */
static bool test_round(void)
{
	MUST(start(0));
	for (int i = 0; i < 40; i++)
		add_packet(peer, &there, &here, "x", 1, 0);
	run_round(peer);
	MUST(readable(io, 5000));
	MUST(!run_round(io) && io->ep->receiveds == 32);
	MUST(readable(io, 0));
	MUST(!run_round(io) && io->ep->receiveds == 40);
	MUST(!readable(io, 0));
	return stop();
}

/* All events of a datagram are fetched before the core gets the next one. */
static bool test_events_between(void)
{
	struct fdccp_event event;

	MUST(start(0));
	for (int i = 0; i < 3; i++)
		add_packet(peer, &there, &here, "x", 1, 0);
	run_round(peer);
	MUST(readable(io, 5000));
	add_event(io->ep, FDCCP_EVENT_DATA, &conn);
	MUST(fdccp_io_event(io, &event) && event.type == FDCCP_EVENT_DATA && !io->ep->receiveds);
	add_event(io->ep, FDCCP_EVENT_DATA, &conn);
	MUST(fdccp_io_event(io, &event) && !io->ep->receiveds);
	MUST(!fdccp_io_event(io, &event) && io->ep->receiveds == 3);
	return stop();
}

/* A packet that the rate control allows leaves at once, without a call of fdccp_io_event(). */
static bool test_send(void)
{
	MUST(start(0));
	io->ep->allowed = 2;
	MUST(!send_byte('a', FDCCP_NEVER) && !send_byte('b', FDCCP_NEVER));
	MUST(arrived("ab"));
	MUST(fdccp_io_send(io, &conn, "", 1401, NULL) == -EMSGSIZE);
	return stop();
}

/* A program that sends as long as it may still hears its peer, although the rate control allows all
 * of it: after 64 packets the queue fills, and is sent in the next round, which begins at once.
 */
static bool test_greedy(void)
{
	struct fdccp_event event;
	unsigned int sent = 0;

	MUST(start(10));
	io->ep->allowed = 1000;
	while (!send_byte('x', FDCCP_NEVER))
		sent++;
	MUST(sent == 64 + 10 && io->ep->allowed == 1000 - 64);
	/* the timer that was set to a time in the past */
	MUST(readable(io, 5000));
	add_packet(peer, &there, &here, "y", 1, 0);
	run_round(peer);
	MUST(fdccp_io_event(io, &event) && event.type == FDCCP_EVENT_READY);
	while (!send_byte('x', FDCCP_NEVER))
		sent++;
	MUST(sent == 2 * 64 + 10);
	MUST(!fdccp_io_event(io, &event) && io->ep->receiveds == 1);
	MUST(await_received(peer, 2 * 64));
	run_round(io);
	MUST(await_received(peer, 2 * 64 + 10) && io->ep->allowed == 1000 - 2 * 64 - 10);
	MUST(!readable(io, 20));
	return stop();
}

static int try_byte(char byte)
{
	return fdccp_io_try_send(io, &conn, &byte, 1, NULL);
}

/* A packet that may not be sent now is not kept: the program is told when it may try again, and has
 * decided anew by then. It does not overtake packets that wait.
 */
static bool test_try(void)
{
	struct fdccp_event event;

	MUST(start(0));
	io->ep->allowed = 1;
	MUST(!try_byte('a') && try_byte('b') == -EAGAIN);
	MUST(fdccp_io_try_send(io, &conn, "", 1401, NULL) == -EMSGSIZE);
	MUST(!fdccp_io_event(io, &event));
	io->ep->allowed = 2;
	add_event(io->ep, FDCCP_EVENT_READY, &conn);
	MUST(fdccp_io_event(io, &event) && event.type == FDCCP_EVENT_READY && event.conn == &conn);
	MUST(!try_byte('c') && !try_byte('d') && !send_byte('e', FDCCP_NEVER));
	io->ep->allowed = 1;
	MUST(try_byte('f') == -EAGAIN && io->ep->allowed == 1);
	add_event(io->ep, FDCCP_EVENT_READY, &conn);
	MUST(fdccp_io_event(io, &event) && event.type == FDCCP_EVENT_READY);
	MUST(!io->ep->allowed && try_byte('g') == -EAGAIN);
	/* nothing was kept for later, nor does anybody wait for the core a second time */
	io->ep->allowed = 9;
	add_event(io->ep, FDCCP_EVENT_READY, &conn);
	MUST(fdccp_io_event(io, &event) && event.type == FDCCP_EVENT_READY);
	MUST(!fdccp_io_event(io, &event) && io->ep->allowed == 9 && arrived("acde"));
	fdccp_io_shutdown(io, &conn);
	fdccp_queue_free(io, &conn);
	return stop();
}

/* A program that asks first hears the same, and READY follows. Asking sends nothing. */
static bool test_ask(void)
{
	struct fdccp_event event;

	MUST(start(0));
	MUST(fdccp_io_may_send(io, &conn) == -EAGAIN);
	io->ep->allowed = 1;
	add_event(io->ep, FDCCP_EVENT_READY, &conn);
	MUST(fdccp_io_event(io, &event) && event.type == FDCCP_EVENT_READY);
	MUST(!fdccp_io_may_send(io, &conn) && !fdccp_io_may_send(io, &conn));
	MUST(io->ep->allowed == 1 && !try_byte('a') && !fdccp_io_event(io, &event) && arrived("a"));
	/* a packet waits */
	MUST(!send_byte('b', FDCCP_NEVER));
	io->ep->allowed = 2;
	MUST(fdccp_io_may_send(io, &conn) == -EAGAIN);
	add_event(io->ep, FDCCP_EVENT_READY, &conn);
	MUST(fdccp_io_event(io, &event) && event.type == FDCCP_EVENT_READY);
	MUST(!fdccp_io_may_send(io, &conn) && io->ep->allowed == 1);
	MUST(!fdccp_io_event(io, &event) && arrived("ab"));
	/* it is closed as soon as the queue is empty */
	io->ep->allowed = 0;
	MUST(!send_byte('c', FDCCP_NEVER));
	fdccp_io_shutdown(io, &conn);
	MUST(fdccp_io_may_send(io, &conn) == -ESHUTDOWN);
	fdccp_queue_free(io, &conn);
	return stop();
}

/* After 64 packets in a round the next round tells the program that it may go on. */
static bool test_greedy_try(void)
{
	struct fdccp_event event;
	unsigned int sent = 0;

	MUST(start(0));
	io->ep->allowed = 100;
	while (!try_byte('x'))
		sent++;
	MUST(sent == 64 && readable(io, 5000));
	MUST(fdccp_io_event(io, &event) && event.type == FDCCP_EVENT_READY);
	while (!try_byte('x'))
		sent++;
	MUST(sent == 100 && !fdccp_io_event(io, &event));
	MUST(await_received(peer, 100) && !readable(io, 20));
	fdccp_queue_free(io, &conn);
	return stop();
}

/* An Ack leaves at once, without a call of fdccp_io_event(). */
static bool test_acknowledge(void)
{
	MUST(start(0));
	fdccp_io_acknowledge(io, &conn);
	MUST(arrived("!"));
	return stop();
}

/* Packets wait in order until the core says READY; a full queue refuses more, and says when it has
 * room.
 */
static bool test_queue(void)
{
	struct fdccp_event event;

	MUST(start(3));
	for (char c = 'a'; c <= 'c'; c++)
		MUST(!send_byte(c, FDCCP_NEVER));
	MUST(send_byte('d', FDCCP_NEVER) == -EAGAIN);
	MUST(!fdccp_io_event(io, &event) && !io->tx->count);
	io->ep->allowed = 2;
	add_event(io->ep, FDCCP_EVENT_READY, &conn);
	MUST(fdccp_io_event(io, &event) && event.type == FDCCP_EVENT_READY && event.conn == &conn);
	/* behind the packet that still waits */
	MUST(!send_byte('d', FDCCP_NEVER));
	MUST(!fdccp_io_event(io, &event));
	MUST(arrived("ab"));
	io->ep->allowed = 2;
	add_event(io->ep, FDCCP_EVENT_READY, &conn);
	/* nobody waits for room */
	MUST(!fdccp_io_event(io, &event));
	MUST(arrived("abcd"));
	fdccp_queue_free(io, &conn);
	MUST(!io->queues && !conn.adapter);
	return stop();
}

/* A packet that became stale in the queue is not sent, and is reported as expired. One that routers
 * shall not discard is sent.
 */
static bool test_stale(void)
{
	struct fdccp_message forward = { .handle = 7, .deadline = 1, .stale = FRESHLINK_FORWARD };
	struct fdccp_event event;

	MUST(start(0));
	MUST(!send_byte('a', 1) && !send_byte('b', FDCCP_NEVER));
	MUST(!fdccp_io_send(io, &conn, "c", 1, &forward));
	io->ep->allowed = 5;
	add_event(io->ep, FDCCP_EVENT_READY, &conn);
	MUST(fdccp_io_event(io, &event));
	MUST(event.type == FDCCP_EVENT_FATE && event.fate == FDCCP_FATE_EXPIRED);
	MUST(event.handle == 'a' && event.sent == FDCCP_NEVER && !event.seq && event.conn == &conn);
	MUST(!fdccp_io_event(io, &event) && arrived("bc"));
	MUST(io->counter[FDCCP_IO_COUNT_stale] == 1);
	return stop();
}

/* A packet above the largest payload is refused, and one that is above it when its turn comes is
 * not sent: nobody knows what became of it.
 */
static bool test_too_large(void)
{
	static const uint8_t payload[1401];
	const struct fdccp_message message = { .handle = 5, .deadline = FDCCP_NEVER };
	struct fdccp_event event;

	MUST(start(0));
	MUST(!fdccp_io_send(io, &conn, payload, 1400, &message));
	MUST(fdccp_io_send(io, &conn, payload, 1401, &message) == -EMSGSIZE);
	MUST(!send_byte('a', FDCCP_NEVER));
	io->ep->payload_max = 1200;
	io->ep->allowed = 5;
	add_event(io->ep, FDCCP_EVENT_READY, &conn);
	MUST(fdccp_io_event(io, &event) && event.type == FDCCP_EVENT_FATE);
	MUST(event.fate == FDCCP_FATE_UNKNOWN && event.handle == 5 && event.sent == FDCCP_NEVER);
	MUST(!fdccp_io_event(io, &event) && arrived("a"));
	return stop();
}

/* A connection is closed after the queue is empty, and takes no packet meanwhile. */
static bool test_shutdown(void)
{
	struct fdccp_event event;

	MUST(start(0));
	fdccp_io_shutdown(io, &conn);
	MUST(io->ep->closed == 1);
	MUST(!send_byte('a', FDCCP_NEVER));
	fdccp_io_shutdown(io, &conn);
	MUST(io->ep->closed == 1 && send_byte('b', FDCCP_NEVER) == -ESHUTDOWN);
	io->ep->allowed = 1;
	add_event(io->ep, FDCCP_EVENT_READY, &conn);
	MUST(!fdccp_io_event(io, &event) && io->ep->closed == 2);
	MUST(arrived("a"));
	/* the end of the connection frees its queue */
	MUST(conn.adapter);
	add_event(io->ep, FDCCP_EVENT_CLOSED, &conn);
	MUST(fdccp_io_event(io, &event) && event.type == FDCCP_EVENT_CLOSED && !conn.adapter);
	return stop();
}

/* A deadline cannot say that a packet shall be forwarded or truncated when it is stale. */
static bool test_treatment(void)
{
	struct fdccp_message message = { .deadline = FDCCP_NEVER, .stale = FRESHLINK_TRUNCATE };

	MUST(start(0));
	io->lifetimes = FDCCP_LIFETIMES_DEADLINE;
	io->ep->allowed = 2;
	MUST(!fdccp_io_send(io, &conn, "x", 1, &message));
	message.deadline = fdccp_io_now(io) + 1000 * MSEC;
	MUST(fdccp_io_send(io, &conn, "x", 1, &message) == -EOPNOTSUPP);
	message.stale = FRESHLINK_FORWARD;
	MUST(fdccp_io_send(io, &conn, "x", 1, &message) == -EOPNOTSUPP);
	MUST(io->ep->allowed == 1);
	return stop();
}

/* The queues of several connections are freed in any order, one of them while it waits. */
static bool test_many_queues(void)
{
	struct fdccp_conn many[4];

	MUST(start(2));
	for (int i = 0; i < 4; i++) {
		many[i] = (struct fdccp_conn){ .ep = io->ep, .path = { here, there } };
		MUST(!fdccp_io_send(io, &many[i], "x", 1, NULL));
	}
	fdccp_queue_all(io);
	fdccp_queue_free(io, &many[3]);
	fdccp_queue_free(io, &many[1]);
	io->ep->allowed = 9;
	run_round(io);
	MUST(arrived("xx"));
	fdccp_queue_free(io, &many[0]);
	MUST(io->queues == many[2].adapter && !io->queues->next);
	return stop();
}

/*
 * While the kernel does not know the neighbour, packets fill the socket's buffer. The adapter then
 * asks the core for no more packets and waits, and loses none: all arrive in order when the
 * neighbour is known.
 */
static bool test_blocked(void)
{
	int small = 1, sent = 0;
	static uint8_t payload[1200];

	MUST(start(100));
	MUST(command("ip link add v0 type veth peer name v1 && ip link set v0 up && "
		     "ip link set v1 up && ip addr add 10.5.0.1/24 dev v0"));
	conn.path.local = address("10.5.0.1", PORT);
	conn.path.remote = address("10.5.0.2", PORT);
	fdccp_io_close(io);
	io = open_at(FDCCP_CARRIER_UDP, "10.5.0.1", PORT);
	MUST(io);
	io->queue_size = 100;
	conn.ep = io->ep;
	setsockopt(io->socket[0].fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	io->ep->allowed = 1000;
	for (; sent < 50; sent++) {
		payload[0] = sent;
		MUST(!fdccp_io_send(io, &conn, payload, sizeof(payload), NULL));
	}
	MUST(io->blocked && io->counter[FDCCP_IO_COUNT_blocked] == 1);
	MUST(io->counter[FDCCP_IO_COUNT_sent] < 50 - FDCCP_BATCH);
	MUST(!readable(io, 20));
	MUST(command("ip neigh replace 10.5.0.2 lladdr 02:00:00:00:00:09 dev v0"));
	while (io->counter[FDCCP_IO_COUNT_sent] < 50) {
		MUST(readable(io, 5000));
		run_round(io);
	}
	MUST(io->ep->allowed == 950 && !io->blocked && !io->counter[FDCCP_IO_COUNT_unsent]);
	MUST(!readable(io, 20));
	fdccp_queue_free(io, &conn);
	return stop();
}

int main(void)
{
	static const struct unit tests[] = {
		{ "the timer wakes the program once, and nothing else does", test_timer },
		{ "a timer that moves wakes the program in time", test_moved_timer },
		{ "a round ends", test_round },
		{ "events are fetched before the next datagram", test_events_between },
		{ "a packet leaves at once", test_send },
		{ "a program that sends without pause hears its peer", test_greedy },
		{ "packets wait in the queue in order", test_queue },
		{ "a packet that may not be sent now is not kept", test_try },
		{ "a program may ask before it makes a packet", test_ask },
		{ "a program that tries without pause hears its peer", test_greedy_try },
		{ "an Ack leaves at once", test_acknowledge },
		{ "a stale packet is not sent", test_stale },
		{ "a packet that became too large is not sent", test_too_large },
		{ "a connection closes after its queue is empty", test_shutdown },
		{ "queues are freed in any order", test_many_queues },
		{ "a treatment that a deadline cannot carry is refused", test_treatment },
		{ "a full socket loses no packet", test_blocked },
	};

	if (!enter_namespace()) {
		printf("Bail out! cannot make a network namespace\n");
		return 1;
	}
	return unit_run(tests, sizeof(tests) / sizeof(*tests)) > 0;
}
