/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A socket that takes the words of options while freshlink send or recv runs: "lifetime 300ms". */
#ifndef FRESHLINK_TUNE_H
#define FRESHLINK_TUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/un.h>

#define TUNE_CLIENTS	4
#define TUNE_LINE	128

/* A program that is connected, and the line that it is sending. */
struct tune_client {
	int fd;
	char line[TUNE_LINE];
	size_t len;
};

/**
 * struct tune - the socket
 * @fd: it listens; -1: there is none
 * @epoll: waits for it, for the clients and for the descriptor of tune_open()
 * @address: where it is
 * @client: connected programs
 * @lifetime: ns, 0: without
 * @latency: ns, 0: without
 * @overhead: 1/1000; only senders have it
 * @sender: the command is send
 */
struct tune {
	int fd, epoll;
	struct sockaddr_un address;
	struct tune_client client[TUNE_CLIENTS];
	int64_t lifetime, latency;
	uint64_t overhead;
	bool sender;
};

/**
 * tune_open - make the socket, for its owner only
 * @t: written, but for @lifetime, @latency, @overhead and @sender
 * @who: prefix of error messages
 * @path: where; a socket that nobody listens on is replaced. NULL: make none
 * @fd: another descriptor that @epoll waits for
 *
 * Return: true, or false after a message on standard error
 */
bool tune_open(struct tune *t, const char *who, const char *path, int fd);

/**
 * tune_run - take what clients have sent, and answer each line
 * @t: the socket
 *
 * Never blocks. A client that does not read its answers, or sends a line that is too long, is
 * disconnected.
 *
 * Return: whether one of @lifetime, @latency and @overhead was set
 */
bool tune_run(struct tune *t);

/** tune_close - remove the socket */
void tune_close(struct tune *t);

#endif
