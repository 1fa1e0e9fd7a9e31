/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sender's state, and what its parts do for each other. */
#ifndef FSTREAM_SENDER_H
#define FSTREAM_SENDER_H

#include "clock.h"
#include "control.h"
#include "expiry.h"
#include "flight.h"
#include "outbox.h"
#include "rtt.h"
#include "stream.h"
#include "throttle.h"

/* units of the budget for repeats in a byte, and the largest budget */
#define FSTREAM_CREDIT		1000
#define FSTREAM_CREDIT_MAX	(INT64_MAX / 2)

/**
 * struct fstream_tx - a sender
 * @box: messages that have not ended
 * @flight: transmissions
 * @control: the controller
 * @path: the path, as it was at the beginning of this call
 * @samples: round-trip times that @srtt has seen
 * @sampled_at: when it saw the last one, or asked for one
 * @srtt: smoothed with the stream's gain; 0: unknown
 * @credit: bytes that repeats may take, times FSTREAM_CREDIT
 * @first_ended: messages that have ended, of which the program has not heard
 * @last_ended: the last of them
 * @full: the connection takes no packet until FDCCP_EVENT_READY
 * @starved: bytes of the message that fstream_submit() had no room for; 0: none
 * @ready: FSTREAM_EVENT_READY is due
 * @rate: FSTREAM_EVENT_RATE is due
 * @told_rate: rate at the last of these events
 * @told_backlog: and backlog
 * @pieces: round-trip times of pieces
 * @small: the least one of a small packet in FSTREAM_CLOCK_WINDOW, ns; 0: unknown
 * @small_at: when that was measured
 * @terms_at: when TERMS may be sent again because times of the path have changed
 * @skip_at: when the last SKIP was posted
 * @unneeded: the receiver knows that no message before this number will be sent any more
 * @given_up: one after the greatest number that ended without acknowledgment
 * @finishing: no more messages follow
 * @last_skip: the SKIP that ends the stream was posted
 * @reported: the receiver has answered it
 * @finished: FSTREAM_EVENT_FINISHED is due
 * @expiry: what has gone stale
 * @throttle: FSTREAM_REMEDY_RATE
 * @longer: FSTREAM_REMEDY_LIFETIME: the stream's lifetime is at least this
 * @verdict: the last time that expiry was persistent
 * @expired: FSTREAM_EVENT_EXPIRY is due
 */
struct fstream_tx {
	struct fstream_outbox box;
	struct fstream_flight flight;
	const struct fstream_controller *control;
	struct fdccp_measure path;
	uint64_t samples;
	int64_t sampled_at;
	int64_t srtt;
	int64_t credit;
	struct fstream_out *first_ended, *last_ended;
	size_t starved;
	uint64_t told_rate;
	size_t told_backlog;
	struct fdccp_rtts pieces;
	int64_t small, small_at;
	int64_t terms_at, skip_at;
	uint64_t unneeded, given_up;
	bool full, ready, rate;
	bool finishing, last_skip, reported, finished;
	struct fstream_expiry expiry;
	struct fstream_throttle throttle;
	int64_t longer;
	struct fstream_expiry_verdict verdict;
	bool expired;
};

static inline struct fstream_tx *fstream_tx(const struct fstream *s)
{
	return s->state;
}

/* sender.c */

/* A message has ended. It stays until the program has heard of it. */
void fstream_tx_end(struct fstream *s, struct fstream_out *out, enum fstream_end end);

/* The lifetime of a message that wishes for @wish: FSTREAM_ANY: the stream's. */
int64_t fstream_tx_lifetime(const struct fstream *s, int64_t wish);

/* sender_send.c */

/* What a controller sees of piece @i. The message's bytes that wait beside it are ahead of it. */
struct fstream_view fstream_tx_view(const struct fstream *s, const struct fstream_out *out,
				    unsigned int i, int64_t now);

/* The bytes that routers and the budget see of a piece: with the stream's header. */
size_t fstream_tx_packet_len(const struct fstream_out *out, unsigned int i);

/* Sends what may be sent. */
void fstream_tx_send(struct fstream *s, int64_t now);

/* sender_fate.c */

/* What became of a transmission. */
void fstream_tx_fate(struct fstream *s, const struct fdccp_event *event, int64_t now);

/* What ICMP or the error queue says of a transmission. A forged notice can only cause a repeat, or
 * end a message that may still arrive.
 */
void fstream_tx_notice(struct fstream *s, const struct fdccp_event *event, int64_t now);

/* Infers which transmissions were lost, and probes a tail. */
void fstream_tx_infer(struct fstream *s, int64_t now);

/* When there is something to infer, or FDCCP_NEVER. */
int64_t fstream_tx_infer_timer(const struct fstream *s);

/* Lets messages go on for which the receiver had no room a while ago. */
void fstream_tx_wake(struct fstream *s, int64_t now);

/* When fstream_tx_wake() has something to do, or FDCCP_NEVER. */
int64_t fstream_tx_wake_timer(const struct fstream *s);

/* Ends messages whose time is over. */
void fstream_tx_expire(struct fstream *s, int64_t now);

/* When fstream_tx_expire() has something to do, or FDCCP_NEVER. */
int64_t fstream_tx_expire_timer(const struct fstream *s);

/* Controller "paper": cancels messages whose deadline has passed. */
void fstream_tx_cancel_past(struct fstream *s, int64_t now);

/* sender_expiry.c */

/* The path is another one: nothing is known of it. */
void fstream_tx_restart_expiry(struct fstream_tx *tx, int64_t now);

/* What became of a packet. */
void fstream_tx_note_fate(struct fstream *s, const struct fstream_sent *sent, enum fdccp_fate fate,
			  int64_t now);

/* A message has ended as NEVER_SENT or EXPIRED. */
void fstream_tx_end_unsent(struct fstream *s, struct fstream_out *out, enum fstream_end end,
			   int64_t now);

/* The receiver has got so many messages since it told this last. */
void fstream_tx_note_report(struct fstream *s, uint64_t late, uint64_t on_time, int64_t now);

/* A round-trip time was measured with a piece. */
void fstream_tx_note_rtt(struct fstream *s, const struct fstream_out *out,
			 const struct fstream_sent *sent, int64_t rtt);

/* When the rate of FSTREAM_REMEDY_RATE lets the message in that there was no room for, or
 * FDCCP_NEVER.
 */
int64_t fstream_tx_admit_timer(const struct fstream_tx *tx);

/* sender_path.c */

/* A round-trip time was measured with a piece that is as large as the first one of its message. */
void fstream_tx_piece_rtt(struct fstream_tx *tx, int64_t rtt, int64_t now);

/* One was measured with a packet without a piece. */
void fstream_tx_small_rtt(struct fstream_tx *tx, int64_t rtt, int64_t now);

/* The path is another one. */
void fstream_tx_forget_path(struct fstream_tx *tx);

/* How long the way to the receiver takes for the fastest pieces, ns; 0: unknown. */
int64_t fstream_tx_least_way(const struct fstream_tx *tx);

/* Reads the path. A new round-trip time goes into the stream's own, and to the receiver. */
void fstream_tx_look_at_path(struct fstream *s, int64_t now);

/* A message was too late for the path from the beginning. If the path was measured a while ago, the
 * answer to a TERMS measures it again: nothing else may be sent that does.
 */
void fstream_tx_ask_path(struct fstream *s, int64_t now);

/* FSTREAM_EVENT_RATE is due if an encoder would do something else now. */
void fstream_tx_look_at_rate(struct fstream_tx *tx);

/* A frame of the receiver: REPORT. Return: whether it is allowed. */
bool fstream_tx_frame(struct fstream *s, const struct fstream_frame *frame, int64_t now);

/* Fills a SKIP. */
void fstream_tx_fill(struct fstream *s, struct fstream_frame *frame, int64_t now);

/* Tells the receiver by a SKIP what it need not wait for, once no message tells it. */
void fstream_tx_skip(struct fstream *s, int64_t now);

/* When fstream_tx_skip() has something to do, or FDCCP_NEVER. */
int64_t fstream_tx_skip_timer(const struct fstream_tx *tx);

#endif
