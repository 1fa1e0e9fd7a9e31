/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Persistent expiry: whether a large part of a stream's packets goes stale, and goes on to do so
 * (Gurtov and Ludwig, section III.C).
 *
 * The window has whole round trips, the newest first: at least 4 of them, and at least 20 packets.
 * A round trip ends when a packet arrives that was sent after its begin, as acknowledgments tell,
 * so no clock is needed, and a round trip with an outage lasts as long as the outage. Each packet
 * counts in the round trip in which its fate became known. Expiry is persistent when more than a
 * tenth of the window went stale, and at the place where most of it did, something did so in at
 * least 4 round trips.
 *
 * An outage from t to u makes stale what waits for it and what is sent meanwhile, in one run: at
 * 10 packets a second with 1 s to live, an outage of 10 s takes 100 packets, five windows full. The
 * share cannot tell that from congestion, but the round trips can. Nothing arrives from t to u, so
 * the sender hears of the first packet that arrives after u at some time a, and all that the
 * outage made stale was sent before a. What is known of it by then is in the round trip that lasts
 * since before t. What is heard of later is in the one that begins at a, because that one ends with
 * the acknowledgment of a packet sent after a, and packets keep their order. After that the queue
 * has what was sent in the last lifetime before u, or the headers of what was cut, which make
 * packets stale in a third round trip where the link is slow. Beside that, the sender holds back
 * what would come too late, because the last round-trip time that it has measured has the outage in
 * it. So the round trips of each place are counted for themselves. A fourth one with the same place
 * does not follow from an outage, if less is sent than the link carries.
 *
 * Where nothing arrives at all, no round trip ends. What one outage makes stale was not sent before
 * t by more than its lifetime. It was not sent after a, and a sender that doubles its timeout, as
 * TCP, finds out as long after u as the outage was, and one timeout, at the latest. So when the
 * stale packets of one round trip were sent over more than a lifetime, twice 10 s and 1 s, this is
 * no outage of 10 s either.
 *
 * Pure: reads no clock.
 */
#ifndef FSTREAM_EXPIRY_H
#define FSTREAM_EXPIRY_H

#include "freshlink-stream.h"

#define FSTREAM_EXPIRY_PACKETS	20	/* in the window, at least */
#define FSTREAM_EXPIRY_ROUNDS	4	/* likewise, ended ones */
#define FSTREAM_EXPIRY_SPREAD	4	/* with something stale there, at least: see above */
#define FSTREAM_EXPIRY_PART	10	/* more than a tenth is stale */
#define FSTREAM_EXPIRY_OVER	20	/* at most a twentieth is: the episode has ended */
#define FSTREAM_EXPIRY_OUTAGE	INT64_C(21000000000)	/* ns */
#define FSTREAM_SHARE_ONE	1000
/* what the headers take that a router leaves of a packet, at least: IP, UDP, DCCP */
#define FSTREAM_EXPIRY_HEADERS	64
/* Each one that has ended has a packet, so 20 have enough; and the one that has not ended. */
#define FSTREAM_EXPIRY_KEPT	(FSTREAM_EXPIRY_PACKETS + 1)

/**
 * struct fstream_round - a round trip
 * @begin: its begin
 * @packets: packets whose fate became known in it
 * @came: of these, the ones that came, and of which the receiver may still say that they were late
 * @stale: of these, the ones that went stale, by place
 * @slow: a packet had used up much of its lifetime
 * @taken: bytes of messages that were taken from the program in it
 * @bytes: bytes of payload that came, in time or late, or could have come in place of headers
 */
struct fstream_round {
	int64_t begin;
	uint32_t packets;
	uint32_t came;
	uint32_t stale[FSTREAM_PLACES];
	bool slow;
	uint64_t taken;
	uint64_t bytes;
};

/**
 * struct fstream_expiry - the window
 * @ring: the last round trips
 * @newest: the one that has not ended
 * @count: how many there are
 * @unreported: of the newest, those since the receiver's last report
 * @from: packets that were sent before do not count: their sender did not know yet
 * @first: when the first packet was sent of which the newest round trip has told that it went
 *	stale; FDCCP_NEVER: there is none
 * @episode: expiry is persistent, and the program has heard of it
 */
struct fstream_expiry {
	struct fstream_round ring[FSTREAM_EXPIRY_KEPT];
	unsigned int newest;
	unsigned int count;
	unsigned int unreported;
	int64_t from;
	int64_t first;
	bool episode;
};

/**
 * struct fstream_expiry_verdict - persistent expiry
 * @share: of the packets from the first round trip of the window in which one was stale, those
 *	that were, in 1/1000
 * @place: where most of them were
 * @rounds: round trips from that one on
 */
struct fstream_expiry_verdict {
	unsigned int share;
	enum fstream_place place;
	unsigned int rounds;
};

/* Begins a new window. Packets that were sent before do not count. */
void fstream_expiry_restart(struct fstream_expiry *e, int64_t now);

/* A message was taken from the program. */
void fstream_expiry_taken(struct fstream_expiry *e, size_t len);

/* What is taken, in bytes a second, over the round trips that are kept. */
uint64_t fstream_expiry_taken_rate(const struct fstream_expiry *e, int64_t now);

/* What came, likewise, over the newest @rounds round trips. */
uint64_t fstream_expiry_came_rate(const struct fstream_expiry *e, unsigned int rounds, int64_t now);

/**
 * fstream_expiry_stale() - a packet went stale
 * @e: the window
 * @place: where
 * @at: when it was sent, or its message submitted
 * @lifetime: of the stream, ns
 * @verdict: written, if expiry is persistent
 *
 * Return: whether it is
 */
bool fstream_expiry_stale(struct fstream_expiry *e, enum fstream_place place, int64_t at,
			  int64_t lifetime, struct fstream_expiry_verdict *verdict);

/**
 * fstream_expiry_late() - the receiver has reported
 * @e: the window
 * @late: messages that were late since its last report
 * @on_time: and that were not
 * @verdict: written, if expiry is persistent
 *
 * A report does not say which. They are taken for the newest, because what is late in a queue makes
 * late what comes after it.
 *
 * Return: whether it is
 */
bool fstream_expiry_late(struct fstream_expiry *e, uint64_t late, uint64_t on_time,
			 struct fstream_expiry_verdict *verdict);

/* A packet was lost for another reason. */
void fstream_expiry_lost(struct fstream_expiry *e, int64_t at);

/* A packet has used up much of its lifetime. It counts when it comes, too. */
void fstream_expiry_slow(struct fstream_expiry *e, int64_t at);

/* A packet of @len bytes was cut to its headers, which the path has carried in place of payload: to be
 * called before fstream_expiry_stale(), which does not know that.
 */
void fstream_expiry_cut(struct fstream_expiry *e, int64_t at, size_t len);

/* A packet came with @len bytes. */
void fstream_expiry_came(struct fstream_expiry *e, int64_t at, size_t len);

/* Something that was sent at @at arrived, whole or cut to its headers: to be called after the
 * above. Return: whether that ends a round trip; @clean: in which nothing was stale or slow.
 */
bool fstream_expiry_turn(struct fstream_expiry *e, int64_t at, int64_t now, bool *clean);

/* A longer lifetime: by a half, up to @max. Return: it, or @lifetime if that is not below @max. */
int64_t fstream_expiry_longer(int64_t lifetime, int64_t max);

#endif
