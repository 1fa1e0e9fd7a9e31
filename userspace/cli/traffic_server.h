/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A TCP server, for the commands that accept connections. A connection is a session. Several
 * sessions may be open at the same time.
 */
#ifndef FRESHLINK_TRAFFIC_SERVER_H
#define FRESHLINK_TRAFFIC_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "cli.h"
#include "report.h"

/* The options of a server. */
extern const struct fl_option traffic_server_options[];

/**
 * enum traffic_session - state of a session
 * @TRAFFIC_READS: open, and waits for data
 * @TRAFFIC_WRITES: open, and waits for space to write
 * @TRAFFIC_ENDED: ended by the other side
 * @TRAFFIC_BROKEN: ended in another way
 */
enum traffic_session { TRAFFIC_READS, TRAFFIC_WRITES, TRAFFIC_ENDED, TRAFFIC_BROKEN };

/**
 * struct traffic_server - a server at work
 * @serve: function that reads from or writes to a session whose socket is ready, without
 *	blocking. It returns the session's new state. A new session waits for data. The server
 *	closes the socket of a session that is no longer open.
 * @report: function that adds the command's own fields to the summary, or NULL
 * @bytes: number of bytes that the command has read or written
 * @args: the command line
 * @listener: socket that accepts connections
 * @epoll: epoll instance for the listener and all sessions
 * @start: start of the server, CLOCK_MONOTONIC
 * @last: time of the last arrival, or @start
 * @sessions: number of sessions that the other side ended
 * @broken: number of sessions that ended in another way
 * @open: number of open sessions
 *
 * The number of accepted connections is the sum of @sessions, @broken and @open. The command
 * sets @serve and @report and counts @bytes. It leaves the other fields to the server.
 */
struct traffic_server {
	enum traffic_session (*serve)(struct traffic_server *s, int fd);
	void (*report)(const struct traffic_server *s, struct report *r);
	uint64_t bytes;

	const struct cli_args *args;
	int listener;
	int epoll;
	int64_t start;
	int64_t last;
	uint64_t sessions;
	uint64_t broken;
	uint64_t open;
};

/** traffic_serve - run a server and print its summary. Returns the exit status of the command */
int traffic_serve(struct traffic_server *s, const struct cli_args *args);

#endif
