// SPDX-License-Identifier: GPL-2.0-or-later
/* freshlink traffic tcp-sink: accepts TCP connections and reads, counts and discards their data. */
#include <errno.h>
#include <sys/socket.h>

#include "traffic_server.h"

#define READ_MAX	(1 << 20)	/* maximum bytes of one read, so that no connection waits */

/* Reads data of a session. MSG_TRUNC discards the data without a copy. */
static enum traffic_session read_session(struct traffic_server *s, int fd)
{
	ssize_t len = recv(fd, NULL, READ_MAX, MSG_TRUNC);

	if (len > 0)
		s->bytes += len;
	if (len > 0 || (len < 0 && errno == EAGAIN))
		return TRAFFIC_READS;
	return len ? TRAFFIC_BROKEN : TRAFFIC_ENDED;
}

static int run_sink(const struct cli_args *args)
{
	struct traffic_server s = { .serve = read_session };

	return traffic_serve(&s, args);
}

const struct command traffic_tcp_sink_command = {
	.name = "traffic tcp-sink",
	.summary = "accept TCP connections and discard their data",
	.options = traffic_server_options,
	.run = run_sink,
};
