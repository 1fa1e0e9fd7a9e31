/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The receiver's Ack Vector: which packets arrived and how (RFC 4340 section 11.4, appendix A). */
#ifndef FDCCP_ACKVEC_H
#define FDCCP_ACKVEC_H

#include "wire.h"

#define FDCCP_ACKVEC_CELLS	8192	/* packets that can be remembered */
#define FDCCP_ACKVEC_RECORDS	256	/* acknowledgments sent whose acknowledgment is awaited */
/* room for options that a packet without data has at least: what does not fit there is given up */
#define FDCCP_ACKVEC_ROOM	512

/*
 * What is reported to the sender: one cell a packet, with its state and Data Dropped's code, in a
 * ring that grows by doubling. Run lengths are made when an option is written.
 */
struct fdccp_ackvec;

/* Makes a vector that begins at the peer's initial number @isr and is empty: the packet @isr is
 * added as all others are. Return: it, or NULL without memory.
 */
struct fdccp_ackvec *fdccp_ackvec_new(uint64_t isr);
void fdccp_ackvec_free(struct fdccp_ackvec *av);
size_t fdccp_ackvec_memory(const struct fdccp_ackvec *av);

/**
 * fdccp_ackvec_add() - note a received packet
 * @av: the vector
 * @seq: an acknowledgeable packet
 * @marked: it had the ECN mark CE
 *
 * Return: true; false for a duplicate or a packet that is too old to report
 */
bool fdccp_ackvec_add(struct fdccp_ackvec *av, uint64_t seq, bool marked);

/* Notes that a received packet's data was dropped, or delivered damaged: enum fdccp_drop_code. */
void fdccp_ackvec_drop(struct fdccp_ackvec *av, uint64_t seq, unsigned int code);

/* Whether a received packet is known already, or too old to tell. */
bool fdccp_ackvec_seen(const struct fdccp_ackvec *av, uint64_t seq);

/**
 * fdccp_ackvec_write() - add Ack Vector (nonce 0) and Data Dropped options to an acknowledgment
 * @av: the vector
 * @w: options
 * @seq: the number of the packet that carries them
 * @data_dropped: Data Dropped may be written
 *
 * The packet acknowledges the greatest number received. What does not fit is left out at the old
 * end: for this time, or for good if @w had FDCCP_ACKVEC_ROOM bytes left.
 */
void fdccp_ackvec_write(struct fdccp_ackvec *av, struct fdccp_writer *w, uint64_t seq,
			bool data_dropped);

/* Adds Data Dropped alone, if a packet's data was dropped: for packets without an Ack Vector. What
 * does not fit is left out at the old end.
 */
void fdccp_ackvec_write_dropped(const struct fdccp_ackvec *av, struct fdccp_writer *w);

/* The peer has acknowledged our packet @seq: what it reported is not reported again
 * (RFC 4340 section 11.4.2 and appendix A.2).
 */
void fdccp_ackvec_acked(struct fdccp_ackvec *av, uint64_t seq);

/* The same, for the newest of our packets with a vector that the @len bytes @cells of the peer's
 * Ack Vector report as received. Where data goes the same way, the Acknowledgment Number is seldom
 * that of a packet with a vector.
 */
void fdccp_ackvec_acked_by(struct fdccp_ackvec *av, uint64_t ack, const uint8_t *cells, size_t len);

/* Bytes that fdccp_ackvec_write() would need; above FDCCP_OPTIONS_MAX: no packet holds them. */
size_t fdccp_ackvec_size(const struct fdccp_ackvec *av);

#endif
