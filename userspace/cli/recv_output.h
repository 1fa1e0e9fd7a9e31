/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where freshlink recv gives messages: standard output, a UDP address, or nowhere. */
#ifndef FRESHLINK_RECV_OUTPUT_H
#define FRESHLINK_RECV_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "datagrams.h"

/**
 * struct recv_output - the output
 * @fd: where messages go; -1: nowhere
 * @is_udp: each message is a datagram
 * @datagrams: messages that wait for recv_output_flush()
 */
struct recv_output {
	int fd;
	bool is_udp;
	struct datagrams datagrams;
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

/**
 * recv_output_write - give a message; a datagram leaves with recv_output_flush() at the latest
 *
 * Return: false if nobody takes messages any more
 */
bool recv_output_write(struct recv_output *out, const uint8_t *data, size_t len);

/** recv_output_flush - send the datagrams that wait */
void recv_output_flush(struct recv_output *out);

/** recv_output_lost - how many messages were too long for a datagram, or refused */
uint64_t recv_output_lost(const struct recv_output *out);

#endif
