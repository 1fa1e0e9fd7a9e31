/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages that freshlink send gets from outside: standard input, or datagrams of a UDP port. */
#ifndef FRESHLINK_SEND_INPUT_H
#define FRESHLINK_SEND_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define SEND_INPUT_BATCH	32	/* messages that are read in a row */

/**
 * struct send_input - the input
 * @fd: standard input or a UDP socket
 * @is_udp: each datagram is a message; else each @size bytes, and the rest at the end
 * @size: see @is_udp
 * @room: for a message of standard input, or for SEND_INPUT_BATCH datagrams
 * @data: the message
 * @len: bytes of it that were read
 * @ended: nothing more follows
 * @msg: datagrams that one system call has read
 * @iov: their places in @room
 * @count: datagrams in @msg
 * @next: the first of them that was not used
 */
struct send_input {
	int fd;
	bool is_udp;
	size_t size;
	uint8_t *room, *data;
	size_t len;
	bool ended;
	struct mmsghdr msg[SEND_INPUT_BATCH];
	struct iovec iov[SEND_INPUT_BATCH];
	unsigned int count, next;
};

/**
 * send_input_open - open the input
 * @in: written
 * @who: prefix of error messages
 * @text: "-" or "udp:PORT"
 * @size: bytes of a message from standard input
 *
 * Return: true, or false after a message on standard error
 */
bool send_input_open(struct send_input *in, const char *who, const char *text, size_t size);

/** send_input_close - free what send_input_open() made */
void send_input_close(struct send_input *in);

/** send_input_drops - number of datagrams that the kernel has dropped before they were read */
uint32_t send_input_drops(const struct send_input *in);

/**
 * send_input_read - read a message
 * @in: the input
 *
 * Return: whether there is a whole one in @data, of @len bytes. It stays until
 * send_input_next(). After the last one that waits this is false once, without a system call.
 */
bool send_input_read(struct send_input *in);

/** send_input_next - the message was used */
void send_input_next(struct send_input *in);

#endif
