/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of freshlink send share: the options, the streams and the state of the command. */
#ifndef FRESHLINK_SEND_PARTS_H
#define FRESHLINK_SEND_PARTS_H

#include <stdio.h>

#include <sys/types.h>

#include "../dccp/heap.h"
#include "probe.h"
#include "send.h"
#include "send_input.h"
#include "send_plan.h"
#include "spread.h"
#include "tune.h"

enum {
	PORT, UDP_PORT, CARRIER, KERNEL_SILENT, CCID, UNDO, FORGIVE, CONTROL, RATE, LIFETIME, EXPIRY,
	LIFETIME_MAX, LATENCY, ALPHA, OVERHEAD, CANCEL, BUFFER, FULL, INPUT, SIZE, INTERVAL, COUNT,
	DURATION, STREAMS, STALE, VIA, LIFETIMES, SCALE, WINDOW, TOLERANCE, CAUSES, SENSITIVE,
	NO_UDP_CHECKSUM, SILENCE, STATS, LOG, TUNE, PSK, CERT, KEY, CA, JSON,
};

enum { FULL_AUTO, FULL_WAIT, FULL_DROP };

enum { LIFETIMES_ON, LIFETIMES_AUTO };

/* "feasible" at a fixed rate, and "none" with IFTP or IFTPV as congestion control */
enum {
	CONTROL_FIXED = FSTREAM_CONTROL_NONE + 1,
	CONTROL_IFTP,
	CONTROL_IFTPV,
};

/**
 * struct flow - a stream and its plan
 * @stream: the stream; NULL after its end
 * @id: its number, for the log
 * @start: when its plan begins
 * @index: the next message of the plan
 * @due: when that is due; in the heap while the stream may submit
 * @full: the buffer is full
 * @finished: no more messages follow
 * @done: all messages have ended, and the receiver has told its totals
 * @last: as it was at its end
 */
struct flow {
	struct fstream *stream;
	unsigned int id;
	int64_t start;
	uint64_t index;
	struct fdccp_heap_entry due;
	bool full, finished, done;
	struct fstream_info last;
};

/**
 * struct stamping - where packets have a lifetime, with --lifetimes auto
 * @automatic: that is given, and packets can have one
 * @on: packets have one
 * @warned: the file of verdicts cannot be used, which was said
 * @host: the path
 * @entry: its verdict, or PROBE_UNDECIDED, and the end of that
 * @child: the process that asks the path; 0, or -1: there is none
 * @pipe: its answer
 * @asked: when it was started
 * @next: when the path is looked at
 * @arrived: data packets that are known to have arrived
 * @arrived_at: when that number has last changed, or nothing was on the way
 */
struct stamping {
	bool automatic, on, warned;
	struct probe_host host;
	struct probe_entry entry;
	pid_t child;
	int pipe;
	int64_t asked, next;
	uint64_t arrived;
	int64_t arrived_at;
};

struct sender {
	const struct cli_args *args;
	const struct fl_value *values;
	struct fstream_io *io;
	int epoll;
	struct send_plan plan;
	struct send_input input;
	struct tune tune;
	bool has_input, input_waits;
	uint8_t *payload;
	struct flow *flow;
	unsigned int flows, left, failed, waiting;
	struct fdccp_heap due;
	struct dccp_told told;		/* of the flows that have ended */
	uint64_t held_back;
	int64_t start, next_stats, goodbye, gather;
	bool stopped, warned;
	FILE *log;
	struct spread latency, rtt;
	struct fdccp_event end;
	struct fstream_dtls *dtls;
	struct send_secrecy secrecy;
	struct stamping stamping;
};

static inline bool given(const struct sender *s, int option)
{
	return s->values[option].set;
}

/* send_flow.c */

/* Submits the first message that is due. Return: whether one was. */
bool send_due(struct sender *s);

/* Submits messages that came from outside. Return: whether more may be there already. */
bool send_from_input(struct sender *s);

/* Waits for input, or not while it cannot be taken. */
void send_watch_input(struct sender *s, bool wanted);

/* No more messages of a flow follow. */
void send_finish(struct sender *s, struct flow *f);

/* Takes an event of the streams. */
void send_take(struct sender *s, const struct fstream_io_event *e);

/* send_stamp.c */

/* Decides whether packets have a lifetime, before the streams connect. */
void send_stamp_open(struct sender *s, const union fdccp_address *remote);

/* Looks at the path if it is time. Return: when it is the next time. */
int64_t send_stamp_run(struct sender *s);

void send_stamp_close(struct sender *s);

/* Adds what is known of the path. */
void send_stamp_report(const struct sender *s, struct report *r);

/* send_report.c */

/* Prints a line of totals if it is time. Return: when the next one is due. */
int64_t send_do_stats(struct sender *s);

void send_print_summary(struct sender *s);

#endif
