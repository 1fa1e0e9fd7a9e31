/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What sources and sinks share, and what those of UDP agree on.
 *
 * A packet of theirs is UDP; its payload starts with struct traffic_header.
 * Times are CLOCK_REALTIME in ns: right between namespaces of a host, and
 * between hosts as far as their clocks agree. The size tells the sink of
 * packets that a router cut to their headers and these bytes.
 */
#ifndef FRESHLINK_TRAFFIC_H
#define FRESHLINK_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>

#include "cli.h"

#define TRAFFIC_MAGIC		0x464c5452U	/* "FLTR" */
#define TRAFFIC_NO_LIFETIME	UINT32_MAX
#define TRAFFIC_PORT		5001
#define TRAFFIC_SEQUENCE_MAX	(1ULL << 28)	/* bounds the sink's memory */

/* Rows of several tables of options. */
#define TRAFFIC_ROW_PORT(text)						\
	{ .word = "--port", .type = FL_COUNT,				\
	  .min = 1, .max = 65535, .def = TRAFFIC_PORT, .help = text }
#define TRAFFIC_ROW_IDLE						\
	{ .word = "--idle", .type = FL_TIME, .min = 1,			\
	  .max = 31536000 * FL_SEC, .def = FL_NO_DEFAULT,		\
	  .help = "end when nothing has come for this time" }

/**
 * struct traffic_header - start of the payload, all fields big endian
 * @magic: TRAFFIC_MAGIC
 * @lifetime_ms: from @sent_ns on, or TRAFFIC_NO_LIFETIME
 * @size: bytes of the whole payload
 * @sequence: from 0
 * @sent_ns: CLOCK_REALTIME
 */
struct traffic_header {
	uint32_t magic;
	uint32_t lifetime_ms;
	uint32_t size;
	uint32_t sequence;
	uint64_t sent_ns;
} __attribute__((packed));

/**
 * traffic_find - where the host is that a command names
 * @args: its command line
 * @type: SOCK_DGRAM or SOCK_STREAM
 * @port: the port there
 * @to: written, with the family in it
 * @len: written, how much of @to it is
 *
 * Return: whether there is one; if not, standard error says why
 */
bool traffic_find(const struct cli_args *args, int type, uint16_t port,
		  struct sockaddr_storage *to, socklen_t *len);

/**
 * traffic_bind - a socket that receives on a port, over IPv4 and IPv6
 * @type: SOCK_DGRAM or SOCK_STREAM
 * @port: the port
 *
 * Return: it, -1 with errno if there can be none
 */
int traffic_bind(int type, uint16_t port);

/**
 * traffic_wait - sleep until something arrives
 * @fd: where
 * @values: those of the command
 * @duration: its option for how long to receive at most
 * @idle: its option for how long to wait for more
 * @start: when it began, CLOCK_MONOTONIC
 * @last: when something came last
 *
 * Return: false if a signal or one of the options ended it
 */
bool traffic_wait(int fd, const struct fl_value *values, int duration, int idle,
		  int64_t start, int64_t last);

/**
 * traffic_open_log - begin a log, if one was asked for
 * @args: the command line
 * @option: its option for the log
 * @columns: the first line
 * @log: written, NULL without a log
 *
 * Return: whether all is well; if not, standard error says what is not
 */
bool traffic_open_log(const struct cli_args *args, int option,
		      const char *columns, FILE **log);

/**
 * traffic_close_log - end a log; NULL is none
 *
 * Return: whether all of it was written; if not, standard error says so
 */
bool traffic_close_log(const struct cli_args *args, int option, FILE *log);

#endif
