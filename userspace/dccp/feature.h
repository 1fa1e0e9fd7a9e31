/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Feature negotiation: RFC 4340 section 6, with connection-wide FGSR and FGSS. */
#ifndef FDCCP_FEATURE_H
#define FDCCP_FEATURE_H

#include "freshlink-dccp.h"
#include "wire.h"

#define FDCCP_FEATURE_PREFS	6	/* preferences of this end, for one feature: FDCCP_CCIDS_MAX */
#define FDCCP_FEATURES		12	/* features that this end knows */
#define FDCCP_CONFIRMS		16	/* Confirms that wait to be sent */

/* a feature's state at one location */
enum fdccp_feature_state {
	FDCCP_FEATURE_STABLE,
	FDCCP_FEATURE_CHANGING,
	FDCCP_FEATURE_UNSTABLE,
};

/**
 * struct fdccp_feature - a feature at one location
 * @value: its value
 * @wanted: non-negotiable: the value that the Change proposes
 * @prefs: server-priority: values that this end accepts, the preferred one first
 * @prefs_len: their number
 * @stray: so many Confirms may still be answers to an earlier Change than the latest
 * @state: enum fdccp_feature_state
 * @mandatory: the Change is sent with Mandatory
 * @pending: a new Change waits for a packet
 * @told: the peer was told @prefs
 * @confirmed: a Confirm was made, so the peer may have come to a value by an earlier @prefs
 * @opened: a Change was sent
 */
struct fdccp_feature {
	uint64_t value;
	uint64_t wanted;
	uint8_t prefs[FDCCP_FEATURE_PREFS];
	uint8_t prefs_len;
	uint8_t stray;
	/* bits, because each connection has 24 of them */
	uint8_t state : 2;
	bool mandatory : 1;
	bool pending : 1;
	bool told : 1;
	bool confirmed : 1;
	bool opened : 1;
};

/**
 * struct fdccp_confirm - a Confirm that waits for a packet
 * @type: Confirm L or Confirm R
 * @len: length of @value, 1: empty
 * @value: number of the feature, value, preferences
 */
struct fdccp_confirm {
	uint8_t type, len;
	uint8_t value[8];
};

/**
 * struct fdccp_features - the features of both halves of a connection
 * @server: this end is the server, whose preferences count more
 * @feature: by index of the table in feature.c, [1] located here, [0] at the peer
 * @confirm: Confirms for the next packet that may carry them
 * @confirms: their number
 * @kept: so many of them were sent already, and are repeated
 * @repeat: every packet repeats them
 * @fgsr: RFC 4340 section 6.6.4
 * @fgss: the same
 * @resend: when Changes are sent again
 * @backoff: the time between two
 * @earliest: a packet may be made for feature options from then on: one a round trip
 * @when: when a packet has to be made, FDCCP_NEVER if nothing is to be sent
 */
struct fdccp_features {
	bool server;
	struct fdccp_feature feature[FDCCP_FEATURES][2];
	struct fdccp_confirm confirm[FDCCP_CONFIRMS];
	uint8_t confirms, kept;
	bool repeat;
	uint64_t fgsr, fgss;
	int64_t resend, backoff, earliest, when;
};

/* Sets all features to their initial values (RFC 4340 section 6.4). */
void fdccp_features_init(struct fdccp_features *f, bool server, uint64_t iss);

/* The first packet of the peer has arrived: FGSR is @isr - 1. */
void fdccp_features_peer(struct fdccp_features *f, uint64_t isr);

/* A feature's place in the tables of features, or -1 for an unknown one. */
static inline int fdccp_feature_place(uint8_t number)
{
	if (number >= FDCCP_FEAT_CCID && number <= FDCCP_FEAT_CHECK_DATA_CHECKSUM)
		return number - FDCCP_FEAT_CCID;
	if (number == FDCCP_FEAT_FRESHLINK || number == FDCCP_FEAT_NO_UDP_CHECKSUM)
		return number - FDCCP_FEAT_FRESHLINK + FDCCP_FEATURES - 3;
	return number == FDCCP_FEAT_SEND_LOSS_EVENT_RATE ? FDCCP_FEATURES - 1 : -1;
}

/* The value of a feature, at this end (@local) or at the peer. Several are asked for with each
 * packet; for a constant number, this is a single load.
 */
static inline uint64_t fdccp_features_get(const struct fdccp_features *f, uint8_t number,
					  bool local)
{
	int place = fdccp_feature_place(number);

	return place < 0 ? 0 : f->feature[place][local].value;
}

/**
 * fdccp_features_prefer() - open the negotiation of a server-priority feature
 * @f: features
 * @number: the feature
 * @local: its location
 * @prefs: values, the preferred one first
 * @len: how many, 1 to FDCCP_FEATURE_PREFS
 * @mandatory: an end that cannot agree shall reset the connection
 *
 * Sends no Change if the preferences are those that both ends know already.
 */
void fdccp_features_prefer(struct fdccp_features *f, uint8_t number, bool local,
			   const uint8_t *prefs, size_t len, bool mandatory);

/* Sets preferences that answer the peer's Changes. A Change follows only if the peer may know
 * others already: it had a Confirm with them, or a Change with them is on its way.
 */
void fdccp_features_answer(struct fdccp_features *f, uint8_t number, bool local,
			   const uint8_t *prefs, size_t len);

/* Gives a feature a value that both ends have agreed on before: an Init Cookie says so. */
void fdccp_features_agree(struct fdccp_features *f, uint8_t number, bool local, uint64_t value);

/* Says whether each packet has all Confirms, not the next one only. A client in PARTOPEN does so: a
 * server such as Linux needs all of them in the packet that makes its connection.
 */
void fdccp_features_repeat(struct fdccp_features *f, bool repeat);

/* Changes a non-negotiable feature of this end; a value out of its range is brought into it. */
void fdccp_features_set(struct fdccp_features *f, uint8_t number, uint64_t value);

/**
 * fdccp_features_option() - process a received Change or Confirm
 * @f: features
 * @option: the option; not one of a Data packet, whose feature options are ignored
 * @seq: the packet's sequence number
 * @ack: its acknowledgment number
 * @has_ack: it has one
 * @changed: the number of the feature that got a new value or was confirmed, else 0; | 0x100 if it
 *	is located here
 *
 * fdccp_features_packet_done() must follow after the packet's last option.
 *
 * Return: 0, or the code of the Reset that must be sent (5, Option Error, or 6, Mandatory Error)
 */
int fdccp_features_option(struct fdccp_features *f, const struct fdccp_option *option,
			  uint64_t seq, uint64_t ack, bool has_ack, unsigned int *changed);

/* Moves FGSR on, if the packet had feature options. */
void fdccp_features_packet_done(struct fdccp_features *f, uint64_t seq, bool had_options);

/* Says that the last packet with Changes was lost, so the next packet has them again. */
void fdccp_features_lost(struct fdccp_features *f, int64_t now);

/* Whether a packet must be made for Changes or Confirms at @now. */
bool fdccp_features_due(const struct fdccp_features *f, int64_t now);

/* When fdccp_features_due() becomes true, or FDCCP_NEVER. */
static inline int64_t fdccp_features_timer(const struct fdccp_features *f)
{
	return f->when;
}

/* Whether fdccp_features_write() may have something to write. */
static inline bool fdccp_features_wait(const struct fdccp_features *f)
{
	return f->when != FDCCP_NEVER || f->kept;
}

/**
 * fdccp_features_write() - add feature options to a packet that is about to be sent
 * @f: features
 * @w: options; what does not fit waits for the next packet
 * @seq: the packet's sequence number
 * @ack: its acknowledgment number
 * @has_ack: it has one, so it may carry Confirms
 * @now: the time
 * @rtt: round-trip time: the first interval of sending again (RFC 4340 section 6.6.3)
 *
 * New Changes are always written, unanswered ones if they are due.
 */
void fdccp_features_write(struct fdccp_features *f, struct fdccp_writer *w, uint64_t seq,
			  uint64_t ack, bool has_ack, int64_t now, int64_t rtt);

#endif
