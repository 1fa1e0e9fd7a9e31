/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rate controls: each is a table of functions (RFC 4340 section 10).
 *
 * A rate control has a sending half, at the end that sends data, and a receiving half, at the
 * other. Both keep their state in memory of the connection (tx_size, rx_size bytes, zeroed), read
 * no clock and send nothing: the connection asks.
 */
#ifndef FDCCP_CCID_H
#define FDCCP_CCID_H

#include "freshlink-dccp.h"
#include "sent.h"
#include "wire.h"

/* round-trip time before the first sample: RFC 4340 section 3.4 */
#define FDCCP_RTT_DEFAULT	INT64_C(200000000)

/* how often messages of links that their channel improves move a timeout, as in the paper of xlo_rto */
#define FDCCP_DEFERS_MAX	3

/**
 * struct fdccp_ccid_start - how a half starts
 * @now: the time
 * @size: payload of a full packet, in bytes: s of RFC 5348, until packets were sent
 * @rtt: of the handshake, in ns; 0: unknown
 * @rate: of CCID 254, in bytes a second
 * @undo: of CCID 3: when it gives back what nofeedback timers took
 * @forgive_stale: of CCID 3: packets that went stale are no loss events
 * @iftp: of CCIDs 248 and 249
 */
struct fdccp_ccid_start {
	int64_t now;
	uint32_t size;
	int64_t rtt;
	uint64_t rate;
	enum fdccp_undo_choice undo;
	bool forgive_stale;
	struct fdccp_iftp_params iftp;
};

/**
 * struct fdccp_tx_ack - an acknowledgment at the sender, after all of its verdicts
 * @now: when it arrived
 * @seq: its own sequence number
 * @ack: its Acknowledgment Number
 * @sent_at: when packet @ack was sent; FDCCP_NEVER if it is not known any more
 * @elapsed: how long the peer waited before it answered @ack, in ns; 0: it did not say
 * @newly: data packets that became known as received
 * @has_vector: it had an Ack Vector
 * @slow_receiver: it had the option Slow Receiver: no more may be sent than now, for a round trip
 */
struct fdccp_tx_ack {
	int64_t now;
	uint64_t seq;
	uint64_t ack;
	int64_t sent_at;
	int64_t elapsed;
	uint32_t newly;
	bool has_vector;
	bool slow_receiver;
};

/**
 * struct fdccp_rx_packet - a packet at the receiver
 * @now: when it arrived
 * @seq: sequence number
 * @ndp: packets without data that directly precede it, from NDP Count; -1: it has no NDP Count
 * @ccval: the field CCVal
 * @data: it is a Data or DataAck packet
 * @marked: with the ECN mark CE
 * @cut: a router cut its data off, so it is received, but late
 * @size: bytes of payload that arrived and were not dropped. What a router cut off has not crossed
 *	the link behind, so it is no part of a receive rate
 */
struct fdccp_rx_packet {
	int64_t now;
	uint64_t seq;
	int64_t ndp;
	uint8_t ccval;
	bool data;
	bool marked;
	bool cut;
	uint32_t size;
};

/**
 * struct fdccp_ccid - a rate control
 * @id: its CCID
 * @name: for people
 * @ack_vector: the peer has to send Ack Vectors (feature Send Ack Vector at its end)
 * @ecn: it slows down when packets are marked; otherwise they are not ECN-capable
 * @slow: it responds slowly to congestion, if at all: routers and links are told
 * @short_vector: Ack Vectors of up to so many bytes are not acknowledged
 * @tx_size: bytes of state of the sending half
 * @rx_size: bytes of state of the receiving half
 *
 * The sending half:
 * @tx_start: starts
 * @tx_when: when a data packet may be sent: a time up to now for at once, FDCCP_NEVER if an
 *	acknowledgment has to come first
 * @tx_sent: a data packet was sent; packets without data are not announced
 * @tx_cause: something is known of a packet, with or without data, or a link has sent a message
 *	about one that is on the way. This is the only way in which a control hears of losses
 * @tx_peer: a packet of the peer arrived, acknowledgment or not, before its tx_option and tx_ack:
 *	CCID 2 controls the congestion of acknowledgments by them. NULL: not needed
 * @tx_option: an option 192 to 255 from the peer, before tx_ack. Return: 0 or a reset code
 * @tx_ack: an acknowledgment was processed
 * @tx_timer: the next time for tx_expire, or FDCCP_NEVER
 * @tx_expire: the timer is due. Return: true if no packet in flight counts any more (a
 *	retransmission timeout); their verdicts come later, and change nothing
 * @tx_broken: after tx_expire: whether a circuit breaker ends the connection. NULL: there is none
 * @tx_restart: the path has changed: the state is that of a new connection
 * @tx_ccval: CCVal of a data packet that is sent now
 * @tx_ack_ratio: Ack Ratio wanted of the peer, 0: none is wanted
 * @tx_window: packets that are sent in a round trip, for Sequence Window
 * @tx_rtt: smoothed round-trip time, 0: unknown
 * @tx_info: fills rate, cwnd, loss_event_rate, receive_rate
 *
 * The receiving half:
 * @rx_start: starts
 * @rx_packet: an acknowledgeable packet arrived, in the order of arrival, duplicates excluded
 * @rx_when: when an acknowledgment must be sent; now or earlier: at once, FDCCP_NEVER: none
 * @rx_write: writes the options of an acknowledgment, except for the Ack Vector. @data: the packet
 *	is a DataAck
 * @rx_sent: an acknowledgment with number @seq was sent
 * @rx_ack_ratio: the feature Ack Ratio has changed; the initial value is 2
 */
struct fdccp_ccid {
	uint8_t id;
	const char *name;
	bool ack_vector, ecn, slow;
	uint8_t short_vector;
	size_t tx_size, rx_size;

	void (*tx_start)(void *tx, const struct fdccp_ccid_start *start);
	int64_t (*tx_when)(const void *tx, int64_t now);
	void (*tx_sent)(void *tx, const struct fdccp_sent_packet *packet, int64_t now);
	void (*tx_cause)(void *tx, enum fdccp_cause cause, const struct fdccp_sent_packet *packet,
			 int64_t now);
	void (*tx_peer)(void *tx, const struct fdccp_rx_packet *packet);
	int (*tx_option)(void *tx, const struct fdccp_option *option, uint64_t ack, int64_t now);
	void (*tx_ack)(void *tx, const struct fdccp_tx_ack *ack);
	int64_t (*tx_timer)(const void *tx);
	bool (*tx_expire)(void *tx, int64_t now);
	bool (*tx_broken)(const void *tx);
	void (*tx_restart)(void *tx, const struct fdccp_ccid_start *start);
	uint8_t (*tx_ccval)(const void *tx, int64_t now);
	uint16_t (*tx_ack_ratio)(const void *tx);
	uint64_t (*tx_window)(const void *tx);
	int64_t (*tx_rtt)(const void *tx);
	void (*tx_info)(const void *tx, struct fdccp_info *info);

	void (*rx_start)(void *rx, const struct fdccp_ccid_start *start);
	void (*rx_packet)(void *rx, const struct fdccp_rx_packet *packet);
	int64_t (*rx_when)(const void *rx);
	void (*rx_write)(void *rx, struct fdccp_writer *w, bool data, int64_t now);
	void (*rx_sent)(void *rx, uint64_t seq, int64_t now);
	void (*rx_ack_ratio)(void *rx, uint16_t ratio);
};

extern const struct fdccp_ccid fdccp_ccid2;
extern const struct fdccp_ccid fdccp_ccid3;
extern const struct fdccp_ccid fdccp_ccid_iftp;
extern const struct fdccp_ccid fdccp_ccid_iftpv;
extern const struct fdccp_ccid fdccp_ccid_fixed;

/* Finds a rate control. Return: it, or NULL if nobody has that CCID. */
const struct fdccp_ccid *fdccp_ccid_find(uint8_t id);

#endif
