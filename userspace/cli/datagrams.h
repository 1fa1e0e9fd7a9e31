/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Datagrams to one address that leave together: a system call for each would take most of the time. */
#ifndef FRESHLINK_DATAGRAMS_H
#define FRESHLINK_DATAGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define DATAGRAMS_MAX		32		/* that wait */
#define DATAGRAMS_ROOM		(1 << 17)	/* bytes of them: more than the largest has */
#define DATAGRAMS_CONTROL	32		/* bytes of a message's control messages */

/**
 * struct datagrams - the datagrams that wait
 * @fd: a connected UDP socket
 * @joins: it takes several datagrams of the same length as one message (UDP_SEGMENT); the last one
 *	may be shorter
 * @room: their bytes
 * @used: how many
 * @count: datagrams
 * @messages: messages
 * @msg: messages, as the system call has them
 * @iov: of each datagram
 * @control: control messages of @msg
 * @lost: datagrams that were too long, or refused
 */
struct datagrams {
	int fd;
	bool joins;
	uint8_t *room;
	size_t used;
	unsigned int count, messages;
	struct mmsghdr msg[DATAGRAMS_MAX];
	struct iovec iov[DATAGRAMS_MAX];
	char control[DATAGRAMS_MAX][DATAGRAMS_CONTROL] __attribute__((aligned(8)));
	uint64_t lost;
};

/** datagrams_open - begin with a connected socket. Return: whether there was memory */
bool datagrams_open(struct datagrams *d, int fd);

/** datagrams_close - free what datagrams_open() made; the socket stays open */
void datagrams_close(struct datagrams *d);

/** datagrams_add - add one; if there is no room, those that wait are sent */
void datagrams_add(struct datagrams *d, const uint8_t *data, size_t len);

/** datagrams_send - send those that wait */
void datagrams_send(struct datagrams *d);

#endif
