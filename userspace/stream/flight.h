/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Transmissions of pieces in flight, by handle in a ring, and the inference that one was lost
 * although DCCP has not said so: what a later transmission has overtaken. Where packets have
 * changed their order lately, SRTT/4 must have passed as well, as RFC 8985 has it.
 */
#ifndef FSTREAM_FLIGHT_H
#define FSTREAM_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

enum fstream_sent_state {
	FSTREAM_SENT_GONE,	/* its fate is known */
	FSTREAM_SENT_OPEN,
	FSTREAM_SENT_JUDGED,	/* nothing more is inferred */
};

/**
 * struct fstream_sent - a transmission
 * @number: of the message
 * @len: bytes of the piece
 * @at: when it was sent
 * @piece: of the message
 * @unfinished: as it was told
 * @edition: of the message
 * @state: state
 * @repeated: the piece was sent again since
 */
struct fstream_sent {
	/* bits, because each outstanding message has one of these; 2^50 messages are enough */
	uint64_t number : 50;
	uint64_t len : 14;
	int64_t at;
	uint16_t piece;
	uint16_t unfinished;
	uint16_t edition;
	uint8_t state;
	bool repeated;
};

#define FSTREAM_FLIGHT_WARY	16	/* round trips with losses (RFC 8985 section 6.2) */

/**
 * struct fstream_flight - transmissions
 * @ring: by handle
 * @room: places in @ring, a power of 2
 * @oldest: the fates of all before it are known
 * @next: handle of the next one
 * @judged: those before it are not open
 * @overtaker: one after the greatest handle that was acknowledged
 * @latency: from its sending to its acknowledgment
 * @wary: round trips with losses until what was overtaken counts as lost at once again; set when
 *	one that was overtaken turns out to have arrived
 * @round: the first handle that was sent after the last of these losses was known
 * @last_at: when the last one was sent, or a tail was probed
 */
struct fstream_flight {
	struct fstream_sent *ring;
	uint64_t room;
	uint64_t oldest, next, judged, overtaker;
	int64_t latency;
	unsigned int wary;
	uint64_t round;
	int64_t last_at;
};

void fstream_flight_free(struct fstream_flight *flight);

/* Makes room for one more. Return: whether there was memory. */
bool fstream_flight_reserve(struct fstream_flight *flight);

/* Adds @sent with the next handle; there is room. */
void fstream_flight_add(struct fstream_flight *flight, const struct fstream_sent *sent);

/* The transmission with a handle, or NULL if its fate is known. */
struct fstream_sent *fstream_flight_find(const struct fstream_flight *flight, uint64_t handle);

/* The fate of a transmission is known: it is forgotten. */
void fstream_flight_close(struct fstream_flight *flight, uint64_t handle, bool acknowledged,
			  int64_t now);

/* When something can be inferred, or FDCCP_NEVER. @timeout is that of a tail. */
int64_t fstream_flight_timer(const struct fstream_flight *flight, int64_t srtt, int64_t timeout);

/* The next transmission that was overtaken so long ago that it counts as lost, and its handle. Each
 * is returned once. Return: it or NULL.
 */
struct fstream_sent *fstream_flight_overtaken(struct fstream_flight *flight, int64_t srtt,
					      int64_t now, uint64_t *handle);

/* Likewise, the oldest open transmission, where nothing was sent for @timeout. */
struct fstream_sent *fstream_flight_tail(struct fstream_flight *flight, int64_t timeout,
					 int64_t now, uint64_t *handle);

#endif
