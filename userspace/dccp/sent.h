/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sender's packets in flight, and what acknowledgments say about them. */
#ifndef FDCCP_SENT_H
#define FDCCP_SENT_H

#include "freshlink-dccp.h"
#include "wire.h"

/* later packets that must be received before a missing one counts as lost: RFC 4341 section 5 */
#define FDCCP_NUMDUPACK	3

#define FDCCP_SENT_MAX	65536

/* no Data Dropped option names the packet */
#define FDCCP_DROP_NONE	8

/**
 * struct fdccp_sent_packet - a packet that was sent
 * @handle: the program's handle
 * @seq: sequence number
 * @at: when it was sent
 * @size: bytes of the payload
 * @probe: size of the IP packet if it probes the path's MTU, else 0
 * @fate: its fate; FDCCP_FATES while open
 * @drop: Data Dropped's code (enum fdccp_drop_code), or FDCCP_DROP_NONE
 * @heard: a bit for each code of xlo_rto's messages: there was one about it
 * @hint: what was heard of it by ICMP or the error queue: a fate that counts if it is not
 *	acknowledged, where LOST means that a link gave it up; FDCCP_FATES for none
 * @data: a packet of the program, with a fate
 * @received: it was acknowledged as received, even if its data was dropped or its fate was LOST
 * @marked: it was received with an ECN mark
 * @told: the fate was fetched as an event
 * @doubted: it may be lost, see fdccp_sent_doubt()
 * @truncate: routers are asked to cut it to its headers once it is stale
 * @stamped: it had a lifetime
 */
struct fdccp_sent_packet {
	uint64_t handle;
	uint64_t seq;
	int64_t at;
	uint32_t size;
	uint16_t probe;
	uint8_t fate;
	uint8_t drop;
	uint8_t heard;
	uint8_t hint;
	bool data;
	bool received;
	bool marked;
	bool told;
	/* bits, because there are many packets */
	bool doubted : 1;
	bool truncate : 1;
	bool stamped : 1;
};

/**
 * struct fdccp_acks - what a received packet acknowledges
 * @iss: our initial number
 * @gss: the greatest number that we have sent; no packet outside @iss to @gss can be acknowledged
 * @ack: the Acknowledgment Number
 * @vector: the cells of all its Ack Vectors in order; NULL: it had none
 * @vector_len: their number
 * @dropped: the blocks of all its Data Dropped options in order
 * @dropped_len: their number
 */
struct fdccp_acks {
	uint64_t iss, gss;
	uint64_t ack;
	const uint8_t *vector;
	size_t vector_len;
	const uint8_t *dropped;
	size_t dropped_len;
};

/* The packets in flight, and older ones while there is room: a late acknowledgment finds them. A
 * ring that grows by doubling, up to FDCCP_SENT_MAX.
 */
struct fdccp_sent;

struct fdccp_sent *fdccp_sent_new(void);
void fdccp_sent_free(struct fdccp_sent *sent);
size_t fdccp_sent_memory(const struct fdccp_sent *sent);

/* Notes a packet; the caller fills @handle, @size, @data and @probe. Numbers ascend; packets of
 * which nothing need be known may be left out. Return: it, or NULL if the ring is full (the packet
 * must not be sent).
 */
struct fdccp_sent_packet *fdccp_sent_add(struct fdccp_sent *sent, uint64_t seq, int64_t now);

/* Finds a packet that is still in the ring. Return: it or NULL. */
struct fdccp_sent_packet *fdccp_sent_find(struct fdccp_sent *sent, uint64_t seq);

/* Data packets whose fate is open. */
uint64_t fdccp_sent_open(const struct fdccp_sent *sent);

/* Called once for each packet of which something new is known; its fate is set already. A packet
 * that is acknowledged after it was lost comes a second time, with its old fate and @received.
 */
typedef void fdccp_sent_verdict(void *context, const struct fdccp_sent_packet *packet);

/**
 * fdccp_sent_acknowledge() - process an acknowledgment
 * @sent: the packets
 * @acks: what it says
 * @verdict: called in the order of sequence numbers
 * @context: its first argument
 *
 * Without an Ack Vector only the packet @acks->ack is known to be received, and none is inferred as
 * lost. Data Dropped counts for packets that the same acknowledgment reports as received first.
 *
 * Return: 0; 1 if it reports data as dropped of a packet that its vector reports as missing, which is
 * ignored; or -1 if the vector reports on a packet that was never sent (RFC 4340 section 11.4: Reset
 * 5), and nothing is changed
 */
int fdccp_sent_acknowledge(struct fdccp_sent *sent, const struct fdccp_acks *acks,
			   fdccp_sent_verdict *verdict, void *context);

/* All packets sent before @before and still open are lost. */
void fdccp_sent_give_up(struct fdccp_sent *sent, int64_t before, fdccp_sent_verdict *verdict,
			void *context);

/* ICMP or the error queue says what became of a packet of the ring. That counts if the packet is
 * not acknowledged.
 */
void fdccp_sent_hint(struct fdccp_sent *sent, uint64_t seq, enum fdccp_fate fate);

/* Fetches a data packet that has a hint, and no fate yet. Each hint is fetched once. Return: the
 * packet, valid until the next fdccp_sent_add(), or NULL.
 */
const struct fdccp_sent_packet *fdccp_sent_tell_hint(struct fdccp_sent *sent);

/* A timer has run out: all open data packets may be lost, or late. Calls @doubt once for each.
 * Their fates stay open, because an acknowledgment or an ICMP message may still say what became of
 * them.
 */
void fdccp_sent_doubt(struct fdccp_sent *sent, fdccp_sent_verdict *doubt, void *context);

/* Nothing will be heard any more of packets sent before @before and still open, because the peer
 * sends no Ack Vectors: they get the fate of their hint, or FDCCP_FATE_UNKNOWN.
 */
void fdccp_sent_forget(struct fdccp_sent *sent, int64_t before, fdccp_sent_verdict *verdict,
		       void *context);

/* The connection ends: all open packets get the fate of their hint, or FDCCP_FATE_UNKNOWN. Adds the
 * number of data packets by fate to @fates.
 */
void fdccp_sent_end(struct fdccp_sent *sent, uint64_t fates[FDCCP_FATES]);

/* Fetches a fate that was not told, that of the oldest packet first. Return: the packet, valid
 * until the next fdccp_sent_add(), or NULL.
 */
const struct fdccp_sent_packet *fdccp_sent_tell(struct fdccp_sent *sent);

#endif
