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
 * @rest: what standard output has not taken yet of a message
 * @begin: where it begins in @rest
 * @end: where it ends; @begin: nothing is left
 * @lost: messages that were given while something was left
 */
struct recv_output {
	int fd;
	bool is_udp;
	struct datagrams datagrams;
	uint8_t *rest;
	size_t begin, end;
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

/**
 * recv_output_write - give a message; a datagram leaves with recv_output_flush() at the latest
 *
 * While recv_output_is_full(), the message is lost.
 *
 * Return: false if nobody takes messages any more, or no memory is left
 */
bool recv_output_write(struct recv_output *out, const uint8_t *data, size_t len);

/** recv_output_is_full - whether standard output takes no more for now, until @fd is writable */
static inline bool recv_output_is_full(const struct recv_output *out)
{
	return out->begin < out->end;
}

/**
 * recv_output_flush - send the datagrams that wait, and what standard output takes of the rest
 *
 * Return: false if nobody takes messages any more
 */
bool recv_output_flush(struct recv_output *out);

/** recv_output_lost - how many messages were too long for a datagram, refused or given in vain */
uint64_t recv_output_lost(const struct recv_output *out);

#endif
