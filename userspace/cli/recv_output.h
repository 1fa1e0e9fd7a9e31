/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where freshlink recv gives messages: standard output, a UDP address, or nowhere. */
#ifndef FRESHLINK_RECV_OUTPUT_H
#define FRESHLINK_RECV_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct recv_output - the output
 * @fd: where messages go; -1: nowhere
 * @is_udp: each message is a datagram
 * @lost: messages that could not be given: too long for a datagram, or refused
 */
struct recv_output {
	int fd;
	bool is_udp;
	uint64_t lost;
};

/**
 * recv_output_open - open the output
 * @out: written
 * @who: prefix of error messages
 * @text: "-", "udp:HOST:PORT", or NULL for nowhere
 *
 * Return: true, or false after a message on standard error
 */
bool recv_output_open(struct recv_output *out, const char *who, const char *text);

void recv_output_close(struct recv_output *out);

/** recv_output_write - give a message. Return: false if nobody takes messages any more */
bool recv_output_write(struct recv_output *out, const uint8_t *data, size_t len);

#endif
