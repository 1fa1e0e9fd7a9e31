// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream_cost OUTSTANDING: submits, acknowledges and expires messages while so many others are
 * outstanding; and takes other terms, and messages that are late, while so many others wait at the
 * receiver. Under callgrind --instr-atstart=no --collect-atstart=no, there is a dump of each.
 */
#include <errno.h>
#include <stdlib.h>
#include <valgrind/callgrind.h>

#include "frame.h"
#include "freshlink-stream.h"

#define US		INT64_C(1000)
#define MS		INT64_C(1000000)
#define SEC		INT64_C(1000000000)
#define COUNT		1000	/* operations of each kind that are counted */
#define LEN		200

static struct fstream *stream;
static int64_t now;
static bool blocked;
static uint64_t acknowledged, ended;

static int take(void *context, const void *payload, size_t len, const struct fdccp_message *message,
		int64_t at)
{
	(void)context;
	(void)payload;
	(void)len;
	(void)message;
	(void)at;
	return blocked ? -EAGAIN : 0;
}

static size_t payload_max(void *context)
{
	(void)context;
	return 1200;
}

static void measure(void *context, struct fdccp_measure *path)
{
	(void)context;
	*path = (struct fdccp_measure){
		.srtt = 100 * MS, .rttvar = 10 * MS, .rtt_min = 100 * MS, .rate = 100000000,
	};
}

static void acknowledge_now(void *context, int64_t at)
{
	(void)context;
	(void)at;
}

static void begin(void)
{
	CALLGRIND_TOGGLE_COLLECT;
}

static void fetch(void)
{
	struct fstream_event event;

	while (fstream_event(stream, &event))
		ended += event.type == FSTREAM_EVENT_END;
}

static void end(void)
{
	fetch();
	CALLGRIND_TOGGLE_COLLECT;
}

/* The lifetimes are up to 37 minutes, in no order. */
static void submit(void)
{
	static const uint8_t content[LEN];
	static uint64_t state = 1;
	struct fstream_message message;

	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	message = (struct fstream_message){ .lifetime = SEC + (int64_t)(state >> 23) };
	if (fstream_submit(stream, content, LEN, &message, now, NULL))
		exit(1);
}

static void acknowledge(void)
{
	fstream_handle(stream, &(struct fdccp_event){
		.type = FDCCP_EVENT_FATE, .fate = FDCCP_FATE_ACKNOWLEDGED, .handle = acknowledged++,
	}, now);
}

/* Starts a stream with so many messages outstanding: on the way, or waiting. */
static void start(unsigned long outstanding, bool wait)
{
	const struct fstream_link link = {
		.send = take, .payload_max = payload_max, .measure = measure,
	};
	struct fstream_config config;

	fstream_config_init(&config, true);
	config.messages = outstanding + 1;
	config.memory = FSTREAM_MESSAGE_MAX + outstanding * LEN;
	if (fstream_new(&config, &link, now, &stream))
		exit(1);
	blocked = wait;
	acknowledged = ended = 0;
	fstream_handle(stream, &(struct fdccp_event){ .type = FDCCP_EVENT_CONNECTED }, now);
	while (outstanding--)
		submit();
	CALLGRIND_START_INSTRUMENTATION;
}

/* Ends a stream, and its dump. */
static void stop(const char *name)
{
	CALLGRIND_DUMP_STATS_AT(name);
	CALLGRIND_STOP_INSTRUMENTATION;
	fstream_free(stream);
}

/* Likewise, of a sender whose messages have ended. */
static void stop_sender(const char *name)
{
	stop(name);
	if (ended != COUNT)
		exit(1);
}

static void count_submit(unsigned long outstanding)
{
	start(outstanding, false);
	for (int i = 0; i < COUNT; i++) {
		begin();
		submit();
		end();
		acknowledge();
		fetch();
	}
	stop_sender("submit");
}

static void count_acknowledge(unsigned long outstanding)
{
	start(outstanding, false);
	for (int i = 0; i < COUNT; i++) {
		submit();
		fetch();
		begin();
		acknowledge();
		end();
	}
	stop_sender("acknowledge");
}

/* The time goes on to the next deadline. */
static void count_expire(unsigned long outstanding)
{
	start(outstanding, true);
	for (int i = 0; i < COUNT; i++) {
		submit();
		fetch();
		now = fstream_next_timer(stream);
		begin();
		fstream_advance(stream, now);
		end();
	}
	stop_sender("expire");
}

/* A frame arrives at the receiver. */
static void arrive(const struct fstream_frame *frame)
{
	uint8_t bytes[FSTREAM_FRAME_MAX + LEN] = { 0 };

	fstream_handle(stream, &(struct fdccp_event){
		.type = FDCCP_EVENT_DATA, .data = bytes,
		.len = fstream_frame_write(frame, bytes) + frame->len,
	}, now);
}

/* A message arrives that was submitted @age ago. */
static void message(uint32_t number, int64_t age, int64_t lifetime)
{
	arrive(&(struct fstream_frame){
		.type = FSTREAM_MESSAGE, .number = number, .pieces = 1, .unfinished = UINT16_MAX,
		.submitted = (uint32_t)((now - age) / US), .lifetime = (uint32_t)(lifetime / US),
		.len = LEN,
	});
}

static void start_receiver(unsigned long messages, enum fstream_order order)
{
	const struct fstream_link link = {
		.send = take, .acknowledge = acknowledge_now, .payload_max = payload_max,
		.measure = measure,
	};
	struct fstream_config config;

	fstream_config_init(&config, false);
	config.order = order;
	config.messages = messages;
	config.memory = FSTREAM_MESSAGE_MAX + messages * LEN;
	if (fstream_new(&config, &link, now, &stream))
		exit(1);
}

/* The sender wishes for another latency each time. */
static void count_terms(unsigned long waiting)
{
	struct fstream_frame terms = { .type = FSTREAM_TERMS };

	start_receiver(waiting, FSTREAM_ORDER_PACED);
	for (uint32_t number = 0; number < waiting; number++)
		message(number, 0, 100 * SEC);
	CALLGRIND_START_INSTRUMENTATION;
	for (int i = 0; i < COUNT; i++) {
		terms.attempt++;
		terms.latency = i % 2 ? 1000000 : 2000000;
		begin();
		arrive(&terms);
		end();
	}
	stop("terms");
}

/* The first message is missing, and the last one waits for it. Those between are late, each in
 * turn.
 */
static void count_late(unsigned long waiting)
{
	start_receiver(waiting + COUNT, FSTREAM_ORDER_ORDERED);
	message((uint32_t)(waiting + COUNT - 1), 0, 100 * SEC);
	message(1, SEC, MS);
	CALLGRIND_START_INSTRUMENTATION;
	for (uint32_t i = 2; i < 2 + COUNT; i++) {
		begin();
		message(i, SEC, MS);
		end();
	}
	stop("late");
}

int main(int argc, char **argv)
{
	unsigned long outstanding = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;

	if (!outstanding)
		return 2;
	count_submit(outstanding);
	count_acknowledge(outstanding);
	count_expire(outstanding);
	count_terms(outstanding);
	count_late(outstanding);
	return 0;
}
