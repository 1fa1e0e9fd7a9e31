/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions for all sources and sinks, and the format of their UDP packets.
 *
 * The payload of a UDP packet starts with struct traffic_header. Times are CLOCK_REALTIME in
 * ns. Between namespaces of one host, differences of times are exact. Between two hosts the error
 * is the difference of the hosts' clocks. The size in the header shows the sink whether a
 * router has cut a packet to its headers.
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
#define TRAFFIC_SEQUENCE_MAX	(1ULL << 28)	/* a limit that bounds the sink's memory */

/* Rows that several tables of options share. */
#define TRAFFIC_ROW_PORT(text)						\
	{ .word = "--port", .type = FL_COUNT,				\
	  .min = 1, .max = 65535, .def = TRAFFIC_PORT, .help = text }
#define TRAFFIC_ROW_IDLE						\
	{ .word = "--idle", .type = FL_TIME, .min = 1,			\
	  .max = 31536000 * FL_SEC, .def = FL_NO_DEFAULT,		\
	  .help = "end when nothing has arrived for this time" }

/**
 * struct traffic_header - start of the payload; all fields are big endian
 * @magic: TRAFFIC_MAGIC
 * @lifetime_ms: lifetime in ms from @sent_ns, or TRAFFIC_NO_LIFETIME
 * @size: length of the whole payload in bytes
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
 * traffic_find - find the address of the command's HOST
 * @args: the command line
 * @type: SOCK_DGRAM or SOCK_STREAM
 * @port: the port of the host
 * @to: written, the address
 * @len: written, the length of @to
 *
 * Return: true if the host has an address, or false after a message on standard error
 */
bool traffic_find(const struct cli_args *args, int type, uint16_t port,
		  struct sockaddr_storage *to, socklen_t *len);

/**
 * traffic_wait - sleep until data or a connection arrives
 * @fd: socket or epoll descriptor that becomes readable
 * @values: option values of the command
 * @duration: index of the option for the total time
 * @idle: index of the option for the time without arrivals
 * @start: start of the command, CLOCK_MONOTONIC
 * @last: time of the last arrival, CLOCK_MONOTONIC
 *
 * Return: false if a signal or the limit of an option ended the wait
 */
bool traffic_wait(int fd, const struct fl_value *values, int duration, int idle,
		  int64_t start, int64_t last);

/**
 * traffic_open_log - begin a log, if the option for the log is given
 * @args: the command line
 * @option: index of the option for the log
 * @columns: the first line
 * @log: the log, written; NULL if the option is not given
 *
 * Return: true on success, or false after a message on standard error
 */
bool traffic_open_log(const struct cli_args *args, int option,
		      const char *columns, FILE **log);

/**
 * traffic_close_log - close a log, which may be NULL
 *
 * Return: true if the whole log was written, or false after a message on standard error
 */
bool traffic_close_log(const struct cli_args *args, int option, FILE *log);

#endif
