// SPDX-License-Identifier: GPL-2.0-or-later
/* A fuzzer of the frames, and of a receiver that gets them. The input is a configuration, and then
 * packets with the time before each. Whatever they are: a frame that was understood is written
 * again with the same bytes, each number is delivered at most once and never late with drop, memory
 * is bounded, and nothing is left in the end.
 */
#include "inbox.h"
#include "stream_peer.h"

#define DELIVERED	(1U << 16)	/* numbers whose deliveries are counted */
#define LONG		240		/* such a length stands for a payload of LONG_LEN more */
#define LONG_LEN	1300
#define TICK		(4 * MS)
#define DAMAGED		0x01		/* of the time before a packet: how that is */
#define IN_HEADER	0x02

static uint8_t deliveries[DELIVERED];

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* Fields that are 0 in a frame are ignored, so they are not compared. */
static void check_frame(const uint8_t *data, size_t len)
{
	struct fstream_frame frame, again;
	uint8_t header[FSTREAM_FRAME_MAX];
	size_t header_len;

	if (!fstream_frame_read(&frame, data, len))
		return;
	header_len = fstream_frame_write(&frame, header);
	require(header_len + frame.len == len);
	require(!frame.len || frame.payload == data + header_len);
	require(header[0] == data[0] && !memcmp(header + 4, data + 4, header_len - 4));
	require(!frame.len || !memcmp(header, data, 4));
	require(fstream_frame_read(&again, header, header_len) == !frame.len);
}

/* Fetches all events. */
static void check_events(struct peer *p, const struct fstream_config *config)
{
	struct fstream_event event;
	struct fstream_info info;

	while (fstream_event(p->s, &event)) {
		if (event.type != FSTREAM_EVENT_MESSAGE)
			continue;
		require(event.len && event.len <= FSTREAM_MESSAGE_MAX);
		require(config->late || !event.late);
		require(event.late || p->now <= event.deadline);
		require(config->damaged || !event.damaged);
		require(event.number >= DELIVERED || !deliveries[event.number]++);
	}
	info = peer_info(p);
	require(info.totals.bytes_whole + info.totals.bytes_damaged == info.totals.bytes);
	require(info.totals.damaged <= info.totals.delivered);
	require(info.totals.delivered <= info.totals.on_time + info.totals.late);
	require(info.memory <= config->memory + FSTREAM_MESSAGE_MAX);
}

/* Lets time pass, with the timers at their times. */
static void pass(struct peer *p, const struct fstream_config *config, int64_t time)
{
	int64_t end = p->now + time, next;

	for (int i = 0; (next = fstream_next_timer(p->s)) <= end; i++) {
		require(i < 100000);
		p->now = next > p->now ? next : p->now;
		fstream_advance(p->s, p->now);
		peer_settle(p);
		check_events(p, config);
		p->posts = p->settled = 0;
	}
	p->now = end;
}

/* @how: the packet is damaged, behind its header or not */
static void take(struct peer *p, const uint8_t *data, size_t len, uint8_t how)
{
	uint8_t bytes[256 + LONG_LEN] = { 0 };
	size_t more = len >= LONG ? LONG_LEN : 0;

	memcpy(bytes, data, len);
	check_frame(bytes, len + more);
	peer_data(p, bytes, len + more, how & DAMAGED,
		  how & IN_HEADER ? FSTREAM_HEADER_LEN - 1 : FSTREAM_HEADER_LEN);
	p->posts = p->settled = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct peer peer;
	struct fstream_config config;
	const uint8_t *end = data + size;

	if (size < 1)
		return 0;
	memset(deliveries, 0, sizeof(deliveries));
	fstream_config_init(&config, false);
	config.order = data[0] % 3;
	config.late = data[0] & 4;
	config.latency = data[0] & 8 ? 100 * MS : FSTREAM_ANY;
	config.lifetime = data[0] & 16 ? 300 * MS : FSTREAM_ANY;
	config.messages = data[0] & 32 ? 3 : 1024;
	config.damaged = data[0] & 64;
	config.memory = FSTREAM_MESSAGE_MAX;
	peer_open(&peer, &config);
	for (data++; end - data >= 2; data += data[1] < end - data - 2 ? data[1] + 2 : end - data) {
		size_t len = data[1] < end - data - 2 ? data[1] : (size_t)(end - data - 2);

		pass(&peer, &config, data[0] * TICK);
		take(&peer, data + 2, len, data[0]);
		check_events(&peer, &config);
	}
	peer_event(&peer, &(struct fdccp_event){ .type = FDCCP_EVENT_CLOSED });
	check_events(&peer, &config);
	pass(&peer, &config, 5000 * SEC);
	require(peer_info(&peer).memory == 0 && fstream_next_timer(peer.s) == FDCCP_NEVER);
	fstream_free(peer.s);
	return 0;
}
