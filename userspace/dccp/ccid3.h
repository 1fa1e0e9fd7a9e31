/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CCID 3: TCP-friendly rate control (RFC 4342) by RFC 5348.
 *
 * What Linux does and needs, from its net/dccp/ccids/ccid3.c and net/dccp/feat.c. The connection's
 * features follow from it:
 *
 * - As receiver it sends Loss Event Rate and Receive Rate on each acknowledgment that it makes for
 *   CCID 3, never Loss Intervals or an Ack Vector. It acknowledges when a data packet arrives, so
 *   that Elapsed Time would be 0. Its first Receive Rate is 0.
 * - As receiver it asks, as Mandatory, for Send NDP Count = 1 at our end (Change R), and offers, as
 *   Mandatory, Send Loss Event Rate = 1 at its own (Change L). It offers Send Ack Vector = 0, too.
 * - As sender it asks, as Mandatory, for Send Loss Event Rate = 1 at our end (Change R). It asks
 *   for Send Ack Vector = 0, and offers Send NDP Count = 1 and Ack Ratio = 0, all not Mandatory.
 * - As sender it reads Loss Event Rate and Receive Rate, both of 4 bytes, from Ack and DataAck, and
 *   skips Loss Intervals without a message. Our receiver always sends all three.
 * - It adds these features to the negotiation only where it offers a single CCID, or is the server.
 */
#ifndef FDCCP_CCID3_H
#define FDCCP_CCID3_H

#include "ccid.h"
#include "forgive.h"
#include "loss_history.h"
#include "loss_interval.h"
#include "undo.h"

/* the value of Loss Event Rate before the first loss: RFC 4342 section 8.5 */
#define FDCCP_NO_LOSS		UINT32_C(0xffffffff)

/* Advances an average that remembers nine tenths: RFC 5348 section 4.3. */
static inline int64_t fdccp_average(int64_t average, int64_t sample)
{
	return average ? average + (sample - average) / 10 : sample;
}

#define FDCCP_INTERVAL_LEN	9	/* bytes of an interval in Loss Intervals */

/* The receiving half: ccid3_receiver.c */

#define FDCCP_REPORTS	4

/* times of window counters that are kept: the last ones are asked for */
#define FDCCP_FIRST	8

/**
 * struct fdccp_ccid3_rx - the receiving half
 * @history: loss history
 * @rtt: round-trip time, estimated from window counters; ns
 * @first: when the first packet with each of the latest window counters arrived, by the counter's
 *	lower bits, or FDCCP_NEVER
 * @counter: greatest window counter
 * @reported: greatest window counter at the last feedback
 * @started: a data packet has arrived
 * @fresh: one has arrived since the last feedback
 * @event: a loss event was found since the last feedback
 * @written: the options of a feedback packet were written, and it was not yet sent
 * @greatest_at: when the packet with the greatest sequence number arrived
 * @data_at: when the latest data packet arrived
 * @due: when feedback must be sent, or FDCCP_NEVER
 * @size: average payload of a data packet
 * @bytes: payload received
 * @reports: when the last feedback packets were sent, and @bytes then; the latest is the first
 * @report_count: their number
 * @rate_max: greatest X_recv so far, in bytes a second
 */
struct fdccp_ccid3_rx {
	struct fdccp_loss_history history;
	int64_t rtt;
	int64_t first[FDCCP_FIRST];
	uint8_t counter, reported;
	bool started, fresh, event, written;
	int64_t greatest_at, data_at;
	int64_t due;
	double size;
	uint64_t bytes;
	struct {
		int64_t at;
		uint64_t bytes;
	} reports[FDCCP_REPORTS];
	unsigned int report_count;
	double rate_max;
};

void fdccp_ccid3_rx_start(void *rx, const struct fdccp_ccid_start *start);
void fdccp_ccid3_rx_packet(void *rx, const struct fdccp_rx_packet *packet);
int64_t fdccp_ccid3_rx_when(const void *rx);
void fdccp_ccid3_rx_write(void *rx, struct fdccp_writer *w, bool data, int64_t now);
void fdccp_ccid3_rx_sent(void *rx, uint64_t seq, int64_t now);
void fdccp_ccid3_rx_ack_ratio(void *rx, uint16_t ratio);

/* The feedback that a sender reads: ccid3_report.c */

/**
 * struct fdccp_ccid3_report - the options of one acknowledgment
 * @has_rate: it had Receive Rate
 * @rate: its value, in bytes a second
 * @has_event_rate: it had Loss Event Rate
 * @event_rate: its value, in packets
 * @has_intervals: it had Loss Intervals
 * @endless: the current interval is as long as one can be told to be, or longer
 * @intervals: the latest intervals
 */
struct fdccp_ccid3_report {
	bool has_rate, has_event_rate, has_intervals;
	uint32_t rate, event_rate;
	bool endless;
	struct fdccp_loss_intervals intervals;
};

/**
 * fdccp_ccid3_read() - read an option of a feedback packet
 * @report: where its value goes
 * @option: the option
 * @ack: the packet's Acknowledgment Number
 * @first: sequence number of the first data packet; an interval that begins before it is the first
 *	one, without a loss
 *
 * Each interval has at least one data packet, and at most as many as packets. The first one's
 * length is computed (RFC 5348 section 6.3.1) and is not limited here.
 *
 * Return: 0, or the reset code for an option without sense
 */
int fdccp_ccid3_read(struct fdccp_ccid3_report *report, const struct fdccp_option *option,
		     uint64_t ack, uint64_t first);

/* The sending half: ccid3_sender.c, with its schedule in ccid3_pace.c */

/**
 * struct fdccp_ccid3_pace - when packets are sent, and which window counter they have
 * @interval: t_ipi of RFC 5348 section 4.6, in ns
 * @last: nominal time of the last packet [t_i]
 * @counter: window counter of the last packet
 * @least: the next packet's window counter is not below this (RFC 4342 section 8.1)
 * @counter_at: when the first packet with @counter was sent
 * @marks: the first packets with each window counter: time, low bits of the sequence number and of
 *	@bytes before it, and the sending rate of the round-trip time before it. @full: the first
 *	time after @at when the program had sent all that it may, in ns and plus 1; 0: never
 * @bytes: payload sent
 * @packets: data packets sent
 * @first: sequence number of the first one
 */
struct fdccp_ccid3_pace {
	int64_t interval;
	int64_t last;
	uint8_t counter, least;
	int64_t counter_at;
	struct {
		int64_t at;
		uint32_t seq, bytes;
		float rate;
		uint32_t valid : 1, full : 31;
	} marks[FDCCP_WINDOW_COUNTERS];
	uint64_t bytes, packets;
	uint64_t first;
};

/* Sets the rate: packets of @size bytes at @rate bytes a second. */
void fdccp_pace_set(struct fdccp_ccid3_pace *pace, double size, double rate, int64_t now);
/* When the next packet may be sent. @rtt in ns. */
int64_t fdccp_pace_when(const struct fdccp_ccid3_pace *pace, int64_t rtt);
/* The window counter of a packet that is sent now. */
uint8_t fdccp_pace_counter(const struct fdccp_ccid3_pace *pace, int64_t rtt, int64_t now);
/* A packet was sent. */
void fdccp_pace_sent(struct fdccp_ccid3_pace *pace, uint64_t seq, uint32_t size, int64_t rtt,
		     int64_t now);
/* Packet @ack is acknowledged: later ones get a window counter of at least four more. */
void fdccp_pace_acked(struct fdccp_ccid3_pace *pace, uint64_t ack);
/* Whether the program sent less than it may in all the time after @from and up to @to. */
bool fdccp_pace_limited(const struct fdccp_ccid3_pace *pace, int64_t from, int64_t to);
/* The greatest rate in the last four round-trip times with packets, in bytes a second. */
double fdccp_pace_sent_rate(const struct fdccp_ccid3_pace *pace, int64_t rtt, int64_t now);

/**
 * struct fdccp_ccid3_tx - the sending half; the names of RFC 5348 are in brackets
 * @size: average payload of a packet [s]
 * @rtt: round-trip time, in ns [R]; 0: unknown
 * @shortest: the shortest time from a packet to its acknowledgment, in ns; 0: unknown
 * @root: average of the square root of the round-trip time [R_sqmean]
 * @rate: allowed rate, in bytes a second [X]
 * @equation: of the throughput equation [X_Bps]
 * @p: loss event rate
 * @sent_max: greatest rate that was sent in a round-trip time
 * @received: receive rate, as the peer reported it and within what was sent [X_recv]
 * @set: recent receive rates [X_recv_set]
 * @doubled: when the rate was doubled last [tld]
 * @choice: which packets' nofeedback timers may be undone
 * @undoes: those that run now may
 * @undo: what they took
 * @newest: number of the latest data packet
 * @feedback: feedback has arrived
 * @feedback_seq: sequence number of the latest
 * @timer: the nofeedback timer, or FDCCP_NEVER
 * @interval: how long it runs, in ns, without what links have added
 * @defers: how often links have added a quarter
 * @idle: nothing was sent since it was set
 * @dropped: packets that the peer's program dropped, since the last feedback
 * @slow: the peer sent Slow Receiver since the last feedback
 * @forgives: loss events of packets that went stale count as none
 * @forgive: what is known of them
 * @intervals: loss intervals, with discounts
 * @report: options of the acknowledgment that is being processed
 * @pace: schedule
 */
struct fdccp_ccid3_tx {
	double size;
	int64_t rtt, shortest;
	double root;
	double rate, equation, p, sent_max, received;
	struct fdccp_recv_set set;
	int64_t doubled;
	enum fdccp_undo_choice choice;
	bool undoes;
	struct fdccp_undo undo;
	uint64_t newest;
	bool feedback;
	uint64_t feedback_seq;
	int64_t timer, interval;
	uint8_t defers;
	bool idle;
	uint32_t dropped;
	bool slow;
	bool forgives;
	struct fdccp_forgive forgive;
	struct fdccp_loss_intervals intervals;
	struct fdccp_ccid3_report report;
	struct fdccp_ccid3_pace pace;
};

void fdccp_ccid3_tx_start(void *tx, const struct fdccp_ccid_start *start);
int64_t fdccp_ccid3_tx_when(const void *tx, int64_t now);
void fdccp_ccid3_tx_sent(void *tx, const struct fdccp_sent_packet *packet, int64_t now);
void fdccp_ccid3_tx_cause(void *tx, enum fdccp_cause cause, const struct fdccp_sent_packet *packet,
			  int64_t now);
int fdccp_ccid3_tx_option(void *tx, const struct fdccp_option *option, uint64_t ack, int64_t now);
void fdccp_ccid3_tx_ack(void *tx, const struct fdccp_tx_ack *ack);
int64_t fdccp_ccid3_tx_timer(const void *tx);
bool fdccp_ccid3_tx_expire(void *tx, int64_t now);
void fdccp_ccid3_tx_restart(void *tx, const struct fdccp_ccid_start *start);
uint8_t fdccp_ccid3_tx_ccval(const void *tx, int64_t now);
uint16_t fdccp_ccid3_tx_ack_ratio(const void *tx);
uint64_t fdccp_ccid3_tx_window(const void *tx);
int64_t fdccp_ccid3_tx_rtt(const void *tx);
void fdccp_ccid3_tx_info(const void *tx, struct fdccp_info *info);

#endif
