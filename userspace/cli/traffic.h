/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What source and sink agree on.
 *
 * A packet is UDP; its payload starts with struct traffic_header. Times are
 * CLOCK_REALTIME in ns: right between namespaces of a host, and between hosts
 * as far as their clocks agree.
 */
#ifndef FRESHLINK_TRAFFIC_H
#define FRESHLINK_TRAFFIC_H

#include <net/xlo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define TRAFFIC_MAGIC		0x464c5452U	/* "FLTR" */
#define TRAFFIC_NO_LIFETIME	UINT32_MAX
#define TRAFFIC_PORT		5001
#define TRAFFIC_SEQUENCE_MAX	(1ULL << 28)	/* bounds the sink's memory */

/**
 * struct traffic_header - start of the payload, all fields big endian
 * @magic: TRAFFIC_MAGIC
 * @lifetime_ms: from @sent_ns on, or TRAFFIC_NO_LIFETIME
 * @sequence: from 0
 * @sent_ns: CLOCK_REALTIME
 */
struct traffic_header {
	uint32_t magic;
	uint32_t lifetime_ms;
	uint64_t sequence;
	uint64_t sent_ns;
} __attribute__((packed));

/** traffic_ms_of_day - ms since midnight UT of a CLOCK_REALTIME in ns */
uint32_t traffic_ms_of_day(int64_t real_ns);

/** traffic_option_size - bytes the cross-layer option adds to the IP header */
size_t traffic_option_size(int family);

/**
 * traffic_option_allowed - whether a socket may send the option
 * @who: as in struct cli_args
 * @fd: the socket
 * @family: AF_INET or AF_INET6
 *
 * Return: true; otherwise standard error says what is missing
 */
bool traffic_option_allowed(const char *who, int fd, int family);

/**
 * traffic_option_attach - let a message carry the option
 * @msg: a message whose control buffer has room for 64 bytes
 * @family: AF_INET or AF_INET6
 * @opt: what it says
 */
void traffic_option_attach(struct msghdr *msg, int family,
			   const struct xlo *opt);

/** traffic_option_listen - have a socket hand over received options */
bool traffic_option_listen(int fd, int family);

/**
 * traffic_option_read - find the option among a message's control data
 * @msg: the message
 * @opt: what it says
 *
 * Return: whether there is a well-formed one
 */
bool traffic_option_read(struct msghdr *msg, struct xlo *opt);

#endif
