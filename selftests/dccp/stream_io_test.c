// SPDX-License-Identifier: GPL-2.0-or-later
/* The adapter of streams with a peer that is no stream. Real sockets of the loopback device. Prints
 * TAP.
 */
#include <arpa/inet.h>
#include <poll.h>

#include "../codec/unit.h"
#include "freshlink-stream.h"

#define PORT		6520
#define DCCP_PORT	5009
#define PATIENCE	30000	/* ms without anything to do */

static struct fstream_io *io;
static struct fdccp_io *peer;

static struct fdccp_io_config config_at(const char *host)
{
	struct fdccp_io_config config = { .lifetimes = FDCCP_LIFETIMES_OFF };

	config.local.in.sin_family = AF_INET;
	config.local.in.sin_port = htons(PORT);
	inet_pton(AF_INET, host, &config.local.in.sin_addr);
	return config;
}

/* Opens both adapters, and connects a stream with one message from one to the other. */
static bool start(enum fstream_control control)
{
	struct fdccp_io_config here = config_at("127.0.0.1"), there = config_at("127.0.0.2");
	struct fstream_config config;
	struct fdccp_params params;
	uint32_t service = FSTREAM_SERVICE;
	struct fstream *stream;

	fstream_config_init(&config, true);
	config.control = control;
	fdccp_params_init(&params);
	MUST(!fstream_io_open(&here, &io, NULL) && !fdccp_io_open(&there, &peer, NULL));
	MUST(!fdccp_listen(fdccp_io_endpoint(peer), DCCP_PORT, &service, 1, &params));
	MUST(!fstream_io_connect(io, &there.local, DCCP_PORT, service, &params, &config, NULL,
				 &stream));
	return !fstream_submit(stream, "message", 7, NULL, fdccp_io_now(fstream_io_dccp(io)), NULL);
}

static bool stop(void)
{
	fstream_io_close(io);
	fdccp_io_close(peer);
	return true;
}

/* Waits until an adapter has something to do. Return: whether there was something. */
static bool await(void)
{
	struct pollfd fds[] = {
		{ .fd = fstream_io_fd(io), .events = POLLIN },
		{ .fd = fdccp_io_fd(peer), .events = POLLIN },
	};

	return poll(fds, 2, PATIENCE) > 0;
}

/* The peer's program does not listen: it reports each packet as dropped. */
static void refuse_data(void)
{
	struct fdccp_event event;

	while (fdccp_io_event(peer, &event))
		if (event.type == FDCCP_EVENT_DATA)
			fdccp_report_dropped(event.conn, 1);
}

/* If the peer's program does not listen any more, the adapter closes the connection: a message
 * without a deadline ends, too.
 */
static bool test_deaf_peer(void)
{
	struct fstream_io_event event = { .type = FSTREAM_IO_OPEN };
	unsigned int ends = 0;

	MUST(start(FSTREAM_CONTROL_RELIABLE));
	while (event.type != FSTREAM_IO_CLOSED) {
		refuse_data();
		if (!fstream_io_event(io, &event)) {
			MUST(await());
			continue;
		}
		if (event.type == FSTREAM_IO_STREAM && event.event.type == FSTREAM_EVENT_END) {
			MUST(event.event.end == FSTREAM_END_CLOSED);
			ends++;
		}
	}
	MUST(ends == 1 && event.dccp.reason == FDCCP_REASON_CLOSED);
	return stop();
}

int main(void)
{
	static const struct unit tests[] = {
		{ "a peer that does not listen", test_deaf_peer },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
