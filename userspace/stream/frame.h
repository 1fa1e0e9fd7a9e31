/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames of a stream: the payload of its DCCP packets. All numbers are big-endian.
 *
 * Frame MESSAGE, one piece of a message. The payload follows:
 *
 *   byte 0         1         2         3
 *   +----+----+---------+-------------------+
 *   |type|edit| attempt |    unfinished     |  0
 *   +----+----+---------+-------------------+
 *   |                number                 |  4
 *   +-------------------+-------------------+
 *   |       piece       |      pieces       |  8
 *   +-------------------+-------------------+
 *   |              submitted                |  12
 *   +---------------------------------------+
 *   |              lifetime                 |  16
 *   +---------------------------------------+
 *
 * type is 0; edit counts the contents of the message of which something was sent before (mod 16).
 * attempt counts the earlier transmissions of the piece, and stays at 255. unfinished: no message
 * older than number - unfinished will be sent any more; 65535 says nothing about messages before
 * that. submitted is the time of submission in us, mod 2^32, on the sender's clock. lifetime is in
 * us.
 *
 * Frame SKIP: the sender is idle, and no message older than oldest will be sent any more:
 *
 *   +----+----+---------+-------------------+
 *   | 1  |flag|    0    |         0         |  flag 1: the stream is finished
 *   +----+----+---------+-------------------+
 *   |                oldest                 |
 *   +---------------------------------------+
 *
 * Frame TERMS: the wishes of an end, and the sender's times of the path. 0: no wish, or unknown:
 *
 *   +----+----+---------+-------------------+
 *   | 2  | 0  |revision |         0         |  each change has the next revision (mod 256)
 *   +----+----+---------+-------------------+
 *   |            lifetime (us)              |
 *   +---------------------------------------+
 *   |            latency (us)               |
 *   +---------------------------------------+
 *   |        least one-way time (us)        |
 *   +---------------------------------------+
 *   |      smoothed round-trip time (us)    |
 *   +---------------------------------------+
 *
 * Frame REPORT: the receiver's totals, mod 2^32:
 *
 *   +----+----+---------+-------------------+
 *   | 3  |flag|    0    |         0         |  flag 1: answers a SKIP with flag 1; final
 *   +----+----+---------+-------------------+
 *   |               on time                 |
 *   +---------------------------------------+
 *   |                 late                  |
 *   +---------------------------------------+
 *   |               missing                 |
 *   +---------------------------------------+
 *
 * Fields that are 0 here are sent as 0 and ignored.
 */
#ifndef FSTREAM_FRAME_H
#define FSTREAM_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FSTREAM_FRAME_MAX	20	/* bytes of a frame without payload */
#define FSTREAM_FINAL		0x1	/* flag of SKIP and REPORT */

enum fstream_frame_type {
	FSTREAM_MESSAGE,
	FSTREAM_SKIP,
	FSTREAM_TERMS,
	FSTREAM_REPORT,
};

/**
 * struct fstream_frame - a frame, as numbers
 * @type: its type
 * @flags: SKIP, REPORT: FSTREAM_FINAL. MESSAGE: the edition, 0 to 15
 * @attempt: MESSAGE: earlier transmissions. TERMS: revision
 * @unfinished: MESSAGE
 * @number: MESSAGE: number; SKIP: oldest
 * @piece: MESSAGE: from 0
 * @pieces: MESSAGE: 1 to 65535; @piece is less
 * @submitted: MESSAGE: us
 * @lifetime: MESSAGE, TERMS: us
 * @latency: TERMS: us
 * @way: TERMS: us
 * @srtt: TERMS: us
 * @on_time: REPORT
 * @late: REPORT
 * @missing: REPORT
 * @payload: MESSAGE: the piece
 * @len: its length, at least 1
 * @damaged: MESSAGE: not of the frame: the connection says that the piece is damaged
 */
struct fstream_frame {
	enum fstream_frame_type type;
	uint8_t flags;
	uint8_t attempt;
	uint16_t unfinished;
	uint32_t number;
	uint16_t piece, pieces;
	uint32_t submitted;
	uint32_t lifetime;
	uint32_t latency;
	uint32_t way;
	uint32_t srtt;
	uint32_t on_time, late, missing;
	const uint8_t *payload;
	size_t len;
	bool damaged;
};

/* Writes a frame's header, without the payload. Return: its length, up to FSTREAM_FRAME_MAX. */
size_t fstream_frame_write(const struct fstream_frame *frame, uint8_t *buf);

/* Reads a frame. @frame->payload points into @data. Return: whether it follows the rules. */
bool fstream_frame_read(struct fstream_frame *frame, const uint8_t *data, size_t len);

/* The 64-bit number whose last 32 bits are @wire, and that is nearest to @near. */
uint64_t fstream_frame_extend(uint32_t wire, uint64_t near);

#endif
