// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory of a stream, as malloc() is asked for it. Prints TAP. */
#include "../codec/unit.h"
#include <errno.h>
#include <sanitizer/allocator_interface.h>
#include <stdlib.h>

#include "frame.h"
#include "freshlink-stream.h"

#define US		INT64_C(1000)
#define SEC		INT64_C(1000000000)
#define PIECE		1200	/* bytes of content in a packet */
#define FREE		65536	/* what a stream may take beside twice the content of its messages */
#define FEW		240	/* so many may be smaller than what each takes beside its content */
/* What a stream takes without messages, and a message of one piece beside its content, at most: when
 * the tables have just doubled (send.rst, "What it costs").
 */
#define IDLE		5120
#define SENDER		256
#define RECEIVER	193
/* and each further piece at the sender, which the first one does without */
#define FURTHER		72
#define SEVERAL		8

static struct fstream *stream;
static size_t before;

static int take(void *context, const void *payload, size_t len, const struct fdccp_message *message,
		int64_t at)
{
	(void)context;
	(void)payload;
	(void)len;
	(void)message;
	(void)at;
	return 0;
}

static size_t payload_max(void *context)
{
	(void)context;
	return PIECE + FSTREAM_HEADER_LEN;
}

static void measure(void *context, struct fdccp_measure *path)
{
	(void)context;
	*path = (struct fdccp_measure){
		.srtt = SEC / 10, .rttvar = SEC / 100, .rtt_min = SEC / 10, .rate = UINT32_MAX,
	};
}

static void acknowledge(void *context, int64_t at)
{
	(void)context;
	(void)at;
}

static void drop(void *context)
{
	(void)context;
	abort();
}

static bool start(bool sender, uint32_t count, size_t len)
{
	const struct fstream_link link = {
		.send = take, .acknowledge = acknowledge, .drop = drop, .payload_max = payload_max,
		.measure = measure,
	};
	struct fstream_config config;

	before = __sanitizer_get_current_allocated_bytes();
	fstream_config_init(&config, sender);
	config.order = FSTREAM_ORDER_PACED;
	config.messages = count;
	config.memory = FSTREAM_MESSAGE_MAX + count * len;
	MUST(!fstream_new(&config, &link, 0, &stream));
	fstream_handle(stream, &(struct fdccp_event){ .type = FDCCP_EVENT_CONNECTED }, 0);
	return true;
}

/* Ends the stream. Return: whether the memory was within @each bytes beside the content of each
 * message, and within FREE and twice the content.
 */
static bool stop(const char *end, uint32_t count, size_t len, size_t each)
{
	size_t bytes = __sanitizer_get_current_allocated_bytes() - before;

	printf("# %s, %u messages of %zu bytes: %zu bytes\n", end, count, len, bytes);
	MUST(bytes <= IDLE + count * (len + each));
	MUST(bytes <= FREE + 2 * count * len || (len < each && count > FEW));
	fstream_free(stream);
	MUST(__sanitizer_get_current_allocated_bytes() == before);
	return true;
}

static bool send_messages(uint32_t count, size_t len)
{
	const struct fstream_message message = { .lifetime = 1000 * SEC };
	static uint8_t content[FSTREAM_MESSAGE_MAX];
	size_t further = (len - 1) / PIECE;
	struct fstream_info info;

	MUST(start(true, count, len));
	for (uint32_t i = 0; i < count; i++)
		MUST(!fstream_submit(stream, content, len, &message, 0, NULL));
	fstream_info(stream, &info);
	MUST(info.totals.outstanding == count && info.totals.pieces == count * (1 + further));
	return stop("sender", count, len, SENDER + (further ? SEVERAL + further * FURTHER : 0));
}

/* Messages of one piece wait for their time. */
static bool receive_messages(uint32_t count, size_t len)
{
	static uint8_t bytes[FSTREAM_FRAME_MAX + PIECE];

	MUST(start(false, count, len));
	for (uint32_t i = 0; i < count; i++) {
		const struct fstream_frame frame = {
			.type = FSTREAM_MESSAGE, .number = i, .pieces = 1, .unfinished = UINT16_MAX,
			.lifetime = (uint32_t)(1000 * SEC / US), .len = len,
		};

		fstream_handle(stream, &(struct fdccp_event){
			.type = FDCCP_EVENT_DATA, .data = bytes,
			.len = fstream_frame_write(&frame, bytes) + len,
		}, 0);
	}
	return stop("receiver", count, len, RECEIVER);
}

/* The tables double at powers of 2. */
static const uint32_t counts[] = { 1, 65, FEW, 1000, 1025, 4096, 4097, 100000 };

/* A sender takes at most 64 KiB and twice what is outstanding; small messages, a constant each. */
static bool test_sender(void)
{
	static const size_t sizes[] = { 1, 160, SENDER, 1000, 1316, 10000, 100000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (size_t n = 0; n < sizeof(counts) / sizeof(counts[0]); n++)
			if (counts[n] * sizes[i] < 200000000)
				MUST(send_messages(counts[n], sizes[i]));
	return true;
}

/* And so does a receiver for the messages that it keeps. */
static bool test_receiver(void)
{
	static const size_t sizes[] = { 1, 160, RECEIVER, 1000, PIECE };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (size_t n = 0; n < sizeof(counts) / sizeof(counts[0]); n++)
			MUST(receive_messages(counts[n], sizes[i]));
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "of a sender", test_sender },
		{ "of a receiver", test_receiver },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0]));
}
