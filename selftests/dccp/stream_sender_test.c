// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each message of a sender ends once, for the reason that was provoked, at the exact time, whatever
 * else happens; what is sent is right in each byte, and memory comes back. Numbers and times on the
 * wire wrap in the middle of the tests. Prints TAP.
 */
#include "stream_link.h"

#include <sanitizer/allocator_interface.h>

#include "../codec/unit.h"
#include "seeded.h"

/* the way to the receiver takes 50 ms and has 10 ms spread, 1000 bytes take 1 ms, the timeout of a
 * tail is 140 ms
 */
static const struct fdccp_measure path = {
	.srtt = 100 * MS, .rttvar = 10 * MS, .rtt_min = 100 * MS, .rate = 1000000,
};

#define WAY	(60 * MS)
#define TIMEOUT	(140 * MS)

static uint8_t content[FSTREAM_MESSAGE_MAX];
static struct link l;

static bool open_sender(enum fstream_control control)
{
	struct fstream_config config;

	fstream_config_init(&config, true);
	config.control = control;
	return link_open(&l, &config, &path);
}

/* Ends the test. Return: whether all messages have ended, and their memory is free. */
static bool close_sender(void)
{
	bool good = link_settle(&l) && fstream_tx(l.s)->box.memory == 0;

	fstream_free(l.s);
	return good;
}

static int submit_as(size_t len, const struct fstream_message *message)
{
	uint64_t number;
	int err = fstream_submit(l.s, content, len, message, l.now, &number);

	return link_settle(&l) ? err : -EPROTO;
}

static int submit(size_t len, int64_t lifetime)
{
	return submit_as(len, &(struct fstream_message){
		.lifetime = lifetime, .stale = FRESHLINK_DISCARD,
	});
}

/* Whether so many messages have ended, the last one as @end at this moment. */
static bool ended(size_t count, enum fstream_end end)
{
	return l.ends == count && l.end[count - 1].end == end &&
	       l.ended_at[count - 1] == l.now && l.s->totals.end[end] >= 1;
}

static bool fate(uint64_t handle, enum fdccp_fate fate)
{
	return link_fate(&l, handle, fate);
}

/* Each byte of a piece is right, with a number and a time that wrap, and its lifetime. */
static bool test_bytes(void)
{
	static const uint8_t expected[] = {
		0x00, 0, 0, 0, 0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 1,
		0xff, 0xff, 0x3c, 0xb0, 0, 3, 0x0d, 0x40, 'a',
	}, wrapped[] = {
		0x00, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0x27, 0x10, 0, 3, 0x0d, 0x40, 'b',
	};

	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	content[0] = 'a';
	MUST(!submit(1, 200 * MS) && l.packet[0].len == 21);
	MUST(!memcmp(l.packet[0].data, expected, 21));
	MUST(!submit(1, 200 * MS));
	content[1000] = 'b';
	l.now += 60 * MS;
	MUST(!submit(1001, 200 * MS) && l.packets == 4 && l.packet[2].len == 1020);
	MUST(l.packet[3].len == 21 && !memcmp(l.packet[3].data, wrapped, 21));
	MUST(l.packet[3].message.handle == 3 && l.packet[3].message.stale == FRESHLINK_DISCARD);
	for (uint64_t handle = 0; handle < 4; handle++)
		MUST(fate(handle, FDCCP_FATE_ACKNOWLEDGED));
	MUST(l.ends == 3 && l.s->totals.end[FSTREAM_END_ACKNOWLEDGED] == 3);
	MUST(l.s->totals.pieces == 4 && l.s->totals.bytes == 1003);
	MUST(fstream_next_timer(l.s) == FDCCP_NEVER);
	return close_sender();
}

/* The sensitive part of a packet is its header, and what it has of the message's first bytes. All of
 * a frame without a message is sensitive. Bytes that arrived damaged are counted apart.
 */
static bool test_sensitive(void)
{
	static const uint16_t parts[] = { 1020, 520, 20, 20 + 600 };
	struct fstream_config config;

	fstream_config_init(&config, true);
	config.has_sensitive = true;
	config.sensitive = 1500;
	MUST(link_open(&l, &config, &path));
	MUST(l.post[FSTREAM_TERMS].message.has_sensitive);
	MUST(l.post[FSTREAM_TERMS].message.sensitive == FDCCP_SENSITIVE_ALL);
	MUST(!submit(2500, 200 * MS) && !submit(600, 200 * MS) && l.packets == 4);
	for (int i = 0; i < 4; i++)
		MUST(l.packet[i].message.has_sensitive &&
		     l.packet[i].message.sensitive == parts[i]);
	for (uint64_t handle = 0; handle < 4; handle++)
		MUST(link_event(&l, &(struct fdccp_event){
			.type = FDCCP_EVENT_FATE, .handle = handle, .fate = FDCCP_FATE_MARKED,
			.damaged = handle == 2 }));
	MUST(l.s->totals.end[FSTREAM_END_ACKNOWLEDGED] == 2);
	MUST(l.s->totals.bytes_whole == 2600 && l.s->totals.bytes_damaged == 500);
	MUST(close_sender());
	config.sensitive = FSTREAM_MESSAGE_MAX + 1;
	MUST(!link_open(&l, &config, &path));
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE) && !submit(100, 200 * MS));
	MUST(!l.packet[0].message.has_sensitive && fate(0, FDCCP_FATE_ACKNOWLEDGED));
	return close_sender();
}

/* A message of which each piece was acknowledged has ended, and tells its times. */
static bool test_acknowledged(void)
{
	int user;

	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	l.allowed = 2;
	MUST(!submit_as(3000, &(struct fstream_message){ .lifetime = 200 * MS, .user = &user }));
	l.now += 5 * MS;
	l.allowed = 1;
	MUST(link_simple(&l, FDCCP_EVENT_READY) && l.packets == 3);
	l.now += 100 * MS;
	MUST(fate(0, FDCCP_FATE_MARKED) && fate(1, FDCCP_FATE_ACKNOWLEDGED) && l.ends == 0);
	MUST(fate(2, FDCCP_FATE_ACKNOWLEDGED) && ended(1, FSTREAM_END_ACKNOWLEDGED));
	MUST(l.end[0].sent == T0 + 5 * MS);
	MUST(l.end[0].number == FIRST && l.end[0].len == 3000 && l.end[0].submitted == T0);
	MUST(l.end[0].deadline == T0 + 200 * MS && l.end[0].attempts == 1);
	MUST(l.end[0].user == &user && l.s->totals.repeats == 0);
	MUST(fate(1, FDCCP_FATE_ACKNOWLEDGED) && l.ends == 1);
	return close_sender();
}

/* What would arrive 1 ns late is never sent; what would arrive at its deadline is. */
static bool test_never_sent(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	MUST(!submit(1, WAY - 1) && ended(1, FSTREAM_END_NEVER_SENT) && l.packets == 0);
	MUST(!submit(1, WAY) && l.packets == 1);
	/* two pieces take 1 ms more than one */
	MUST(!submit(2000, WAY + MS - 1) && ended(2, FSTREAM_END_NEVER_SENT) && l.packets == 1);
	MUST(!submit(2000, WAY + MS) && l.packets == 3);
	MUST(l.s->totals.end[FSTREAM_END_NEVER_SENT] == 2);
	for (uint64_t handle = 0; handle < 3; handle++)
		MUST(fate(handle, FDCCP_FATE_ACKNOWLEDGED));
	return close_sender();
}

/* When the connection takes nothing until the deadline, the message ends at it, unsent. */
static bool test_expired(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	l.allowed = 0;
	MUST(!submit(10, 100 * MS) && !submit(10, 90 * MS) && l.packets == 0 && l.refused == 1);
	MUST(fstream_next_timer(l.s) == T0 + 90 * MS);
	MUST(link_run(&l, T0 + 90 * MS - 1) && l.ends == 0);
	MUST(link_run(&l, T0 + 90 * MS) && ended(1, FSTREAM_END_EXPIRED));
	MUST(l.end[0].number == FIRST + 1 && l.end[0].attempts == 0 && l.end[0].sent == 0);
	MUST(link_run(&l, T0 + 100 * MS) && ended(2, FSTREAM_END_EXPIRED));
	MUST(l.s->totals.end[FSTREAM_END_EXPIRED] == 2);
	return close_sender();
}

/* After a fate from below a piece is repeated at once; where that is too late, the message ends. */
static bool test_fate(enum fdccp_fate what, enum fstream_end end)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	MUST(!submit(10, 160 * MS) && !submit(10, 160 * MS - 1));
	l.now += 100 * MS;
	MUST(fate(0, what) && l.ends == 0 && l.packets == 3 && l.packet[2].at == T0 + 100 * MS);
	MUST(l.packet[2].frame.number == (uint32_t)FIRST && l.packet[2].frame.attempt == 1);
	MUST(fate(1, what) && ended(1, end) && l.packets == 3);
	MUST(l.end[0].number == FIRST + 1 && l.s->totals.end[end] == 1);
	/* the repeat, too */
	MUST(fate(2, what) && l.packets == 4);
	l.now += 1;
	MUST(fate(3, what) && ended(2, end) && l.end[1].attempts == 3);
	MUST(l.s->totals.repeats == 2 && l.s->totals.needless == 0);
	return close_sender();
}

static bool test_lost(void)
{
	return test_fate(FDCCP_FATE_LOST, FSTREAM_END_LOST) &&
	       test_fate(FDCCP_FATE_DAMAGED, FSTREAM_END_LOST);
}

/* A piece that the receiver had no room for is sent again after the timeout, others go on. */
static bool test_dropped(void)
{
	MUST(open_sender(FSTREAM_CONTROL_RELIABLE));
	MUST(!submit_as(1500, &(struct fstream_message){ .priority = 1 }) && !submit(10, 0));
	l.now += 100 * MS;
	MUST(fate(1, FDCCP_FATE_DROPPED) && l.packets == 3);
	MUST(fate(2, FDCCP_FATE_LOST) && l.packets == 4);
	l.now += 20 * MS;
	MUST(fate(0, FDCCP_FATE_DROPPED) && !fstream_prioritize(l.s, FIRST, 2));
	MUST(fate(3, FDCCP_FATE_ACKNOWLEDGED));
	MUST(link_run(&l, T0 + 120 * MS + TIMEOUT - 1) && l.packets == 4);
	MUST(link_run(&l, T0 + 120 * MS + TIMEOUT) && l.packets == 6);
	MUST(l.packet[4].frame.piece == 0 && l.packet[5].frame.piece == 1);
	MUST(fate(4, FDCCP_FATE_ACKNOWLEDGED) && fate(5, FDCCP_FATE_ACKNOWLEDGED));
	MUST(ended(2, FSTREAM_END_ACKNOWLEDGED));
	return close_sender();
}

/* It loses its priority, because the receiver may wait for an older one. */
static bool test_dropped_priority(void)
{
	MUST(open_sender(FSTREAM_CONTROL_RELIABLE));
	l.allowed = 0;
	MUST(!submit(10, 0) && !submit_as(10, &(struct fstream_message){ .priority = 5 }));
	l.allowed = 1;
	MUST(link_simple(&l, FDCCP_EVENT_READY) && l.packet[0].frame.number == (uint32_t)FIRST + 1);
	MUST(fate(0, FDCCP_FATE_DROPPED) && link_run(&l, T0 + TIMEOUT));
	l.allowed = 2;
	MUST(link_simple(&l, FDCCP_EVENT_READY) && l.packets == 3);
	MUST(l.packet[1].frame.number == (uint32_t)FIRST);
	MUST(fate(1, FDCCP_FATE_ACKNOWLEDGED) && fate(2, FDCCP_FATE_ACKNOWLEDGED));
	return close_sender();
}

/* Where that is too late, it is lost. */
static bool test_dropped_late(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	MUST(!submit(10, 299 * MS) && !submit(10, WAY));
	l.now += 100 * MS;
	MUST(fate(1, FDCCP_FATE_DROPPED) && ended(1, FSTREAM_END_LOST));
	MUST(fate(0, FDCCP_FATE_DROPPED) && l.ends == 1);
	MUST(link_run(&l, T0 + 100 * MS + TIMEOUT) && ended(2, FSTREAM_END_LOST));
	MUST(l.packets == 2);
	return close_sender();
}

static bool test_expired_here(void)
{
	return test_fate(FDCCP_FATE_EXPIRED, FSTREAM_END_EXPIRED_HERE);
}

static bool test_discarded(void)
{
	return test_fate(FDCCP_FATE_DISCARDED, FSTREAM_END_DISCARDED);
}

static bool test_cut(void)
{
	return test_fate(FDCCP_FATE_CUT, FSTREAM_END_CUT);
}

static bool notice(uint64_t handle, enum fdccp_fate what)
{
	return link_event(&l, &(struct fdccp_event){
		.type = FDCCP_EVENT_NOTICE, .handle = handle, .fate = what,
	});
}

/* A notice repeats or ends a message before the fate is known. The fate changes nothing, and an
 * acknowledgment makes the repeat needless.
 */
static bool test_notice(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	MUST(!submit(10, 160 * MS) && !submit(10, 160 * MS - 1) && !submit(10, 160 * MS));
	l.now += 100 * MS;
	MUST(notice(0, FDCCP_FATE_DISCARDED) && l.ends == 0 && l.packets == 4);
	MUST(l.packet[3].at == l.now && l.packet[3].frame.number == (uint32_t)FIRST);
	MUST(notice(1, FDCCP_FATE_EXPIRED) && ended(1, FSTREAM_END_EXPIRED_HERE) && l.packets == 4);
	MUST(notice(2, FDCCP_FATE_DISCARDED) && l.packets == 5);
	/* told twice, unknown, and of a post */
	MUST(notice(2, FDCCP_FATE_DISCARDED) && notice(9, FDCCP_FATE_EXPIRED));
	MUST(notice(FSTREAM_HANDLE_POST, FDCCP_FATE_EXPIRED) && l.packets == 5);
	MUST(fate(0, FDCCP_FATE_DISCARDED) && fate(1, FDCCP_FATE_EXPIRED) && l.packets == 5);
	MUST(fate(2, FDCCP_FATE_ACKNOWLEDGED) && ended(2, FSTREAM_END_ACKNOWLEDGED));
	MUST(l.s->totals.needless == 1 && l.s->totals.repeats == 2);
	MUST(fate(3, FDCCP_FATE_ACKNOWLEDGED) && ended(3, FSTREAM_END_ACKNOWLEDGED));
	return close_sender();
}

/* The reason that the last transmission of a piece gave counts. */
static bool test_last_reason(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	MUST(!submit(10, 160 * MS));
	l.now += 50 * MS;
	MUST(fate(0, FDCCP_FATE_DISCARDED));
	l.now += 60 * MS;
	MUST(fate(1, FDCCP_FATE_CUT) && ended(1, FSTREAM_END_CUT));
	/* also of a repeat that waits for the connection until it would be late */
	MUST(!submit(10, 160 * MS));
	l.allowed = 0;
	MUST(fate(2, FDCCP_FATE_CUT) && l.ends == 1);
	l.now += 100 * MS + 1;
	MUST(link_simple(&l, FDCCP_EVENT_READY) && ended(2, FSTREAM_END_CUT));
	return close_sender();
}

/* Nothing was heard: a probe, and the end a timeout and a delayed acknowledgment after the
 * deadline.
 */
static bool test_silence(void)
{
	const int64_t end = T0 + 220 * MS + TIMEOUT + 200 * MS;

	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	MUST(!submit(10, 220 * MS));
	MUST(link_run(&l, end - 1) && l.ends == 0);
	MUST(l.packets == 2 && l.packet[1].at == T0 + TIMEOUT);
	MUST(link_run(&l, end) && ended(1, FSTREAM_END_LOST));
	/* the acknowledgments come nevertheless */
	MUST(fate(0, FDCCP_FATE_ACKNOWLEDGED) && fate(1, FDCCP_FATE_ACKNOWLEDGED));
	MUST(l.s->totals.needless == 1 && l.s->totals.end[FSTREAM_END_ACKNOWLEDGED] == 0);
	return close_sender();
}

/* An acknowledgment after the deadline says that the message may well have been in time. */
static bool test_late_news(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	MUST(!submit(10, WAY));
	MUST(link_run(&l, T0 + 100 * MS) && l.ends == 0);
	MUST(fate(0, FDCCP_FATE_ACKNOWLEDGED) && ended(1, FSTREAM_END_ACKNOWLEDGED));
	return close_sender();
}

/* The program cancels a message that waits, and one that is on the way; each once. */
static bool test_cancelled(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	l.allowed = 1;
	MUST(!submit(10, 200 * MS) && !submit(10, 200 * MS));
	MUST(!fstream_cancel(l.s, FIRST + 1, l.now) && link_settle(&l));
	MUST(ended(1, FSTREAM_END_CANCELLED) && l.end[0].number == FIRST + 1);
	MUST(!fstream_cancel(l.s, FIRST, l.now) && link_settle(&l));
	MUST(ended(2, FSTREAM_END_CANCELLED) && l.end[1].attempts == 1);
	MUST(fstream_cancel(l.s, FIRST, l.now) == -ENOENT);
	MUST(fstream_cancel(l.s, FIRST + 2, l.now) == -ENOENT);
	MUST(fate(0, FDCCP_FATE_LOST) && l.packets == 1 && l.ends == 2);
	return close_sender();
}

/* For a smaller path a message is cut again: as another edition, if it was sent in part. */
static bool test_resized(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	l.allowed = 1;
	MUST(!submit(2000, 200 * MS) && !submit(2000, 200 * MS) && l.packets == 1);
	l.allowed = LINK_UNLIMITED;
	l.payload_max = 500 + FSTREAM_HEADER_LEN;
	MUST(link_simple(&l, FDCCP_EVENT_SIZE) && link_simple(&l, FDCCP_EVENT_READY));
	MUST(l.ends == 0 && l.packets == 9);
	MUST(l.packet[4].frame.pieces == 4 && l.packet[4].frame.piece == 3);
	MUST(l.packet[4].frame.number == (uint32_t)FIRST && l.packet[4].frame.flags == 1);
	MUST(l.packet[8].frame.pieces == 4 && l.packet[8].frame.piece == 3);
	MUST(l.packet[8].frame.number == (uint32_t)FIRST + 1 && l.packet[8].frame.flags == 0);
	/* what is on the way needs no other size, unless it is lost */
	l.payload_max = 400 + FSTREAM_HEADER_LEN;
	MUST(link_simple(&l, FDCCP_EVENT_SIZE) && fate(1, FDCCP_FATE_ACKNOWLEDGED));
	MUST(l.packets == 9 && fate(5, FDCCP_FATE_LOST) && l.packets == 14);
	MUST(l.packet[13].frame.pieces == 5 && l.packet[13].frame.flags == 1);
	/* one that was tried in vain was not sent, either */
	l.allowed = 0;
	MUST(!submit(800, 200 * MS));
	l.allowed = LINK_UNLIMITED;
	l.payload_max = 200 + FSTREAM_HEADER_LEN;
	MUST(link_simple(&l, FDCCP_EVENT_READY) && l.packets == 18 && l.ends == 0);
	MUST(l.packet[17].frame.pieces == 4 && l.packet[17].frame.flags == 0);
	MUST(link_simple(&l, FDCCP_EVENT_CLOSED));
	return close_sender();
}

/* No piece is larger than the largest datagram; a path without room ends each message. */
static bool test_sizes(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	l.payload_max = 20000;
	MUST(!submit(10000, 200 * MS) && l.packets == 2 && l.packet[0].len == FDCCP_DATAGRAM_MAX);
	MUST(fate(0, FDCCP_FATE_ACKNOWLEDGED) && fate(1, FDCCP_FATE_ACKNOWLEDGED));
	l.payload_max = FSTREAM_HEADER_LEN;
	MUST(!submit(10, 200 * MS) && ended(2, FSTREAM_END_RESIZED));
	l.payload_max++;
	l.allowed = 1;
	MUST(!submit(2, 200 * MS) && l.packets == 3);
	l.allowed = LINK_UNLIMITED;
	l.payload_max--;
	MUST(link_simple(&l, FDCCP_EVENT_READY) && ended(3, FSTREAM_END_RESIZED));
	return close_sender();
}

/* The end of the connection ends all messages, by number; the fates before it say nothing. */
static bool test_closed(void)
{
	MUST(open_sender(FSTREAM_CONTROL_NONE));
	l.allowed = 1;
	MUST(!submit(10, 200 * MS) && !submit(10, 200 * MS));
	MUST(fate(0, FDCCP_FATE_UNKNOWN) && l.ends == 0);
	MUST(link_simple(&l, FDCCP_EVENT_CLOSED) && ended(2, FSTREAM_END_CLOSED));
	MUST(l.end[0].number == FIRST && l.s->totals.end[FSTREAM_END_CLOSED] == 2);
	MUST(submit(10, 200 * MS) == -ESHUTDOWN && fstream_next_timer(l.s) == FDCCP_NEVER);
	return close_sender();
}

/* Where the receiver does not report each packet yet, a piece is sent again if that is in time;
 * else the message waits as if nothing had been heard of it.
 */
static bool test_unknown(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	MUST(!submit(10, 160 * MS) && !submit(10, 160 * MS - 1));
	l.now += 100 * MS;
	MUST(fate(0, FDCCP_FATE_UNKNOWN) && fate(1, FDCCP_FATE_UNKNOWN) && l.packets == 3);
	MUST(l.packet[2].frame.number == (uint32_t)FIRST && fate(2, FDCCP_FATE_ACKNOWLEDGED));
	MUST(link_run(&l, T0 + 160 * MS - 1 + TIMEOUT + 200 * MS) && ended(2, FSTREAM_END_LOST));
	MUST(l.end[1].number == FIRST + 1 && l.packets == 3);
	return close_sender();
}

/* Of a large message a lost piece is sent again, alone; the first beyond hope ends it, and the rest
 * is not sent.
 */
static bool test_pieces(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	l.allowed = 3;
	MUST(!submit(4500, 200 * MS) && l.packets == 3);
	l.now += 100 * MS;
	MUST(fate(1, FDCCP_FATE_LOST) && l.packets == 3);
	l.allowed = 1;
	MUST(link_simple(&l, FDCCP_EVENT_READY) && l.packets == 4);
	MUST(l.packet[3].frame.piece == 1 && l.packet[3].frame.attempt == 1);
	/* the other two pieces, 1500 bytes, take 1.5 ms */
	l.now = T0 + 200 * MS - WAY - 3 * MS / 2;
	l.allowed = 1;
	MUST(link_simple(&l, FDCCP_EVENT_READY) && l.packets == 5 && l.ends == 0);
	l.now += 2 * MS;
	MUST(fate(3, FDCCP_FATE_LOST) && ended(1, FSTREAM_END_LOST));
	l.allowed = LINK_UNLIMITED;
	MUST(link_simple(&l, FDCCP_EVENT_READY) && l.packets == 5);
	return close_sender();
}

/* What was overtaken is sent again at once, once. If it arrived, the repeat is needless, and the
 * next one waits for SRTT/4.
 */
static bool test_overtaken(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	MUST(!submit(10, 400 * MS) && !submit(10, 400 * MS) && !submit(10, 400 * MS));
	l.now += 90 * MS;
	MUST(fate(2, FDCCP_FATE_ACKNOWLEDGED) && l.packets == 5);
	MUST(l.packet[3].frame.number == (uint32_t)FIRST && l.packet[3].frame.attempt == 1);
	MUST(l.packet[4].frame.number == (uint32_t)FIRST + 1);
	/* DCCP says the same of one of them, and that the other was only late */
	MUST(fate(0, FDCCP_FATE_LOST) && l.packets == 5);
	MUST(fate(1, FDCCP_FATE_ACKNOWLEDGED) && ended(2, FSTREAM_END_ACKNOWLEDGED));
	MUST(l.s->totals.needless == 1);
	MUST(fate(3, FDCCP_FATE_ACKNOWLEDGED) && fate(4, FDCCP_FATE_ACKNOWLEDGED));
	MUST(l.ends == 3 && l.s->totals.needless == 1 && l.s->totals.repeats == 2);
	MUST(!submit(10, 400 * MS) && !submit(10, 400 * MS));
	l.now += 90 * MS;
	MUST(fate(6, FDCCP_FATE_ACKNOWLEDGED));
	MUST(link_run(&l, T0 + 205 * MS - 1) && l.packets == 7);
	MUST(link_run(&l, T0 + 205 * MS) && l.packets == 8);
	MUST(fate(7, FDCCP_FATE_ACKNOWLEDGED) && l.ends == 5);
	return close_sender();
}

/* Of messages 8 ms apart, one that lives for three round-trip times is sent three times: each loss
 * is known a round-trip time after the next packet.
 */
static bool test_three_attempts(void)
{
	int64_t sent = T0;

	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	MUST(!submit(10, 300 * MS));
	for (unsigned int i = 0; i < 2; i++) {
		l.now = sent + 8 * MS;
		MUST(!submit(10, 300 * MS));
		l.now = sent += 108 * MS;
		MUST(fate(2 * i + 1, FDCCP_FATE_ACKNOWLEDGED) && l.packets == 2 * i + 3);
		MUST(l.packet[2 * i + 2].frame.number == (uint32_t)FIRST);
		MUST(l.packet[2 * i + 2].frame.attempt == i + 1);
	}
	MUST(fate(4, FDCCP_FATE_ACKNOWLEDGED) && l.ends == 3);
	MUST(l.s->totals.end[FSTREAM_END_ACKNOWLEDGED] == 3);
	return close_sender();
}

/* A tail is sent again after the timeout; one at a time; not if that would be too late. */
static bool test_tail(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	MUST(!submit(10, 1000 * MS) && !submit(10, 1000 * MS));
	MUST(link_run(&l, T0 + TIMEOUT - 1) && l.packets == 2);
	MUST(link_run(&l, T0 + TIMEOUT) && l.packets == 3);
	MUST(l.packet[2].frame.number == (uint32_t)FIRST);
	MUST(link_run(&l, T0 + 2 * TIMEOUT) && l.packets == 4);
	MUST(l.packet[3].frame.number == (uint32_t)FIRST + 1);
	for (uint64_t handle = 0; handle < 4; handle++)
		MUST(fate(handle, FDCCP_FATE_ACKNOWLEDGED));
	MUST(l.s->totals.needless == 2);
	/* the probe would arrive 1 ns late */
	MUST(!submit(10, TIMEOUT + WAY - 1));
	MUST(link_run(&l, l.now + 600 * MS) && l.packets == 5);
	/* where round-trip times hardly vary, not before 5/4 of one */
	l.path.rttvar = MS;
	l.now = T0 + SEC;
	MUST(!submit(10, SEC) && link_run(&l, T0 + SEC + 125 * MS - 1) && l.packets == 6);
	MUST(link_run(&l, T0 + SEC + 125 * MS) && l.packets == 7);
	MUST(link_simple(&l, FDCCP_EVENT_CLOSED));
	return close_sender();
}

/* On a short path a tail is not probed before 10 ms. */
static bool test_tail_short(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	l.path.srtt = l.path.rtt_min = MS;
	l.path.rttvar = MS / 10;
	MUST(!submit(10, 1000 * MS) && link_run(&l, T0 + 10 * MS - 1) && l.packets == 1);
	MUST(link_run(&l, T0 + 10 * MS) && l.packets == 2);
	MUST(fate(0, FDCCP_FATE_ACKNOWLEDGED) && fate(1, FDCCP_FATE_ACKNOWLEDGED));
	return close_sender();
}

/* A probe that waits for the connection is the only one meanwhile; news can make it needless. */
static bool test_tail_waits(void)
{
	MUST(open_sender(FSTREAM_CONTROL_RELIABLE));
	l.allowed = 3;
	MUST(!submit(10, 0) && !submit(10, 0) && !submit(10, 0));
	MUST(link_run(&l, T0 + TIMEOUT + 10 * MS) && l.refused == 1);
	MUST(fate(1, FDCCP_FATE_ACKNOWLEDGED) && fate(0, FDCCP_FATE_ACKNOWLEDGED));
	l.allowed = LINK_UNLIMITED;
	MUST(link_simple(&l, FDCCP_EVENT_READY) && l.packets == 3 && l.ends == 2);
	MUST(l.s->totals.needless == 0 && l.s->totals.repeats == 0);
	MUST(fate(2, FDCCP_FATE_ACKNOWLEDGED));
	return close_sender();
}

/* Repeats take at most their share: 500 of 1000 bytes; first transmissions go on meanwhile. */
static bool test_overhead(void)
{
	struct fstream_config config;

	fstream_config_init(&config, true);
	config.overhead = 500;
	MUST(link_open(&l, &config, &path));
	/* 30 bytes each with the header: 15 of them for repeats */
	MUST(!submit(10, 1000 * MS) && fate(0, FDCCP_FATE_LOST) && l.packets == 1);
	MUST(!submit(10, 1000 * MS) && l.packets == 3 && l.packet[2].frame.attempt == 1);
	MUST(fate(1, FDCCP_FATE_LOST) && fate(2, FDCCP_FATE_LOST) && l.packets == 3);
	MUST(!submit(10, 1000 * MS) && l.packets == 4);
	/* the older one first */
	MUST(!submit(10, 1000 * MS) && l.packets == 6);
	MUST(l.packet[5].frame.number == (uint32_t)FIRST && l.packet[5].frame.attempt == 2);
	MUST(!submit(29, 1000 * MS) && l.packets == 7);
	MUST(!submit(10, 1000 * MS) && l.packets == 9);
	MUST(l.packet[8].frame.number == (uint32_t)FIRST + 1);
	MUST(l.s->totals.repeats == 3 && l.s->totals.pieces == 9);
	/* at its deadline, what waits for the budget is lost */
	MUST(fate(8, FDCCP_FATE_CUT) && l.packets == 9 && l.ends == 0);
	MUST(link_run(&l, T0 + 1000 * MS) && ended(1, FSTREAM_END_CUT));
	MUST(link_run(&l, T0 + 2000 * MS) && l.ends == 6 && l.packets == 9);
	MUST(l.s->totals.end[FSTREAM_END_LOST] == 5);
	return close_sender();
}

/* A tail is not probed beyond the budget: the acknowledgment may still come, after the deadline. */
static bool test_overhead_tail(void)
{
	struct fstream_config config;

	fstream_config_init(&config, true);
	config.overhead = 999;
	MUST(link_open(&l, &config, &path));
	MUST(!submit(10, 300 * MS) && link_run(&l, T0 + 301 * MS) && l.packets == 1);
	MUST(fate(0, FDCCP_FATE_ACKNOWLEDGED) && ended(1, FSTREAM_END_ACKNOWLEDGED));
	return close_sender();
}

/* Another piece of the message is sent the first time while a lost one waits for the budget. */
static bool test_overhead_pieces(void)
{
	struct fstream_config config;

	fstream_config_init(&config, true);
	config.overhead = 500;
	MUST(link_open(&l, &config, &path));
	l.allowed = 1;
	MUST(!submit(3000, 1000 * MS) && fate(0, FDCCP_FATE_LOST));
	l.allowed = LINK_UNLIMITED;
	MUST(link_simple(&l, FDCCP_EVENT_READY) && l.packets == 4);
	MUST(l.packet[1].frame.piece == 1 && l.packet[2].frame.piece == 0);
	MUST(l.packet[2].frame.attempt == 1 && l.packet[3].frame.piece == 2);
	for (uint64_t handle = 1; handle < 4; handle++)
		MUST(fate(handle, FDCCP_FATE_ACKNOWLEDGED));
	MUST(ended(1, FSTREAM_END_ACKNOWLEDGED));
	return close_sender();
}

/* Higher priorities go first, then lower numbers; another priority counts at once. */
static bool test_priority(void)
{
	static const uint8_t priority[] = { 0, 5, 255, 5 };
	static const uint32_t expected[] = { 3, 2, 1, 0 };

	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	l.allowed = 0;
	for (int i = 0; i < 4; i++)
		MUST(!submit_as(10, &(struct fstream_message){ .priority = priority[i] }));
	MUST(!fstream_prioritize(l.s, FIRST + 3, 255) && !fstream_prioritize(l.s, FIRST + 2, 6));
	MUST(fstream_prioritize(l.s, FIRST + 4, 0) == -ENOENT);
	l.allowed = LINK_UNLIMITED;
	MUST(link_simple(&l, FDCCP_EVENT_READY) && l.packets == 4);
	for (int i = 0; i < 4; i++)
		MUST(l.packet[i].frame.number == (uint32_t)(FIRST + expected[i]));
	MUST(l.packet[0].frame.unfinished == 3 && l.packet[3].frame.unfinished == 0);
	/* a repeat has the priority that its message has now */
	MUST(!fstream_prioritize(l.s, FIRST, 9));
	l.allowed = 0;
	MUST(fate(3, FDCCP_FATE_LOST) && fate(2, FDCCP_FATE_LOST) && l.packets == 4);
	l.allowed = 1;
	MUST(link_simple(&l, FDCCP_EVENT_READY) && l.packets == 5);
	MUST(l.packet[4].frame.number == (uint32_t)FIRST);
	MUST(link_simple(&l, FDCCP_EVENT_CLOSED));
	return close_sender();
}

/* New content is sent whole, as the next edition; fates of the old one do not count for it. */
static bool test_update(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	content[0] = 'a';
	MUST(!submit(1500, 300 * MS) && l.packets == 2);
	content[0] = 'b';
	l.now += MS;
	MUST(!fstream_update(l.s, FIRST, content, 10, l.now) && link_settle(&l));
	MUST(l.packets == 3 && l.packet[2].len == 30 && l.packet[2].data[20] == 'b');
	MUST(l.packet[2].frame.flags == 1 && l.packet[2].frame.attempt == 0);
	MUST(l.packet[2].frame.submitted == l.packet[0].frame.submitted);
	MUST(l.s->totals.repeats == 0);
	MUST(fate(0, FDCCP_FATE_ACKNOWLEDGED) && fate(1, FDCCP_FATE_LOST));
	MUST(l.ends == 0 && l.packets == 3);
	MUST(fate(2, FDCCP_FATE_ACKNOWLEDGED) && ended(1, FSTREAM_END_ACKNOWLEDGED));
	MUST(l.end[0].len == 10 && l.s->totals.needless == 0);
	MUST(fstream_update(l.s, FIRST, content, 10, l.now) == -ENOENT);
	return close_sender();
}

/* New content that comes after the deadline, while fates are waited for, is not sent. */
static bool test_update_late(void)
{
	MUST(open_sender(FSTREAM_CONTROL_NONE));
	MUST(!submit(10, 50 * MS) && link_run(&l, T0 + 51 * MS) && l.ends == 0);
	MUST(!fstream_update(l.s, FIRST, content, 10, l.now) && link_settle(&l));
	MUST(ended(1, FSTREAM_END_EXPIRED) && l.packets == 1);
	return close_sender();
}

/* Replaces the content so often. Return: whether that is allowed each time, and not once more. */
static bool update_times(int times)
{
	while (times--)
		MUST(!fstream_update(l.s, FIRST, content, 1500, l.now) && link_settle(&l));
	return fstream_update(l.s, FIRST, content, 1500, l.now) == -EBUSY;
}

/* A receiver takes an edition for an older one than that 8 editions before it. So the sender makes
 * no more of them than 7 beyond the last one that was heard of. Each fate counts for its own.
 */
static bool test_update_often(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	MUST(!submit(1500, 300 * MS) && update_times(7));
	MUST(l.packets == 16 && l.packet[15].frame.flags == 7);
	/* of edition 3; edition 1 says less */
	MUST(fate(6, FDCCP_FATE_ACKNOWLEDGED) && update_times(3));
	MUST(fate(2, FDCCP_FATE_ACKNOWLEDGED) && update_times(0));
	MUST(fate(14, FDCCP_FATE_LOST) && update_times(0) && l.packets == 22);
	MUST(fate(16, FDCCP_FATE_ACKNOWLEDGED) && update_times(5));
	MUST(l.packets == 32 && l.packet[31].frame.flags == 15 && l.ends == 0);
	MUST(fate(30, FDCCP_FATE_ACKNOWLEDGED) && l.ends == 0);
	MUST(fate(31, FDCCP_FATE_ACKNOWLEDGED) && ended(1, FSTREAM_END_ACKNOWLEDGED));
	return close_sender();
}

/* A content of which nothing was sent is no edition. */
static bool test_update_waits(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE) && !submit(10, 300 * MS));
	l.allowed = 0;
	for (int i = 0; i < 256; i++)
		MUST(!fstream_update(l.s, FIRST, content, 10, l.now) && link_settle(&l));
	l.allowed = LINK_UNLIMITED;
	MUST(link_simple(&l, FDCCP_EVENT_READY) && l.packets == 2 && l.packet[1].frame.flags == 1);
	MUST(fate(0, FDCCP_FATE_ACKNOWLEDGED) && l.ends == 0);
	MUST(fate(1, FDCCP_FATE_ACKNOWLEDGED) && ended(1, FSTREAM_END_ACKNOWLEDGED));
	return close_sender();
}

/* For a smaller path a message is not cut again after 7 editions: none of them can be sent. */
static bool test_resized_often(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	MUST(!submit(1500, 300 * MS) && update_times(7));
	l.payload_max = 500 + FSTREAM_HEADER_LEN;
	MUST(fate(14, FDCCP_FATE_LOST) && ended(1, FSTREAM_END_RESIZED) && l.packets == 16);
	return close_sender();
}

/* The budget for repeats is never too large for its number, however long a stream lives. */
static bool test_budget_limit(void)
{
	struct fstream_config config;

	fstream_config_init(&config, true);
	config.overhead = 1000000;
	MUST(link_open(&l, &config, &path));
	fstream_tx(l.s)->credit = INT64_MAX / 2;
	for (int i = 0; i < 100; i++)
		MUST(!submit(1000, SEC));
	MUST(fstream_tx(l.s)->credit == INT64_MAX / 2);
	MUST(fate(0, FDCCP_FATE_LOST) && l.packets == 101);
	MUST(link_simple(&l, FDCCP_EVENT_CLOSED));
	return close_sender();
}

/* An update that the memory has no room for changes nothing. */
static bool test_update_room(void)
{
	struct fstream_config config;

	fstream_config_init(&config, true);
	config.memory = FSTREAM_MESSAGE_MAX;
	MUST(link_open(&l, &config, &path));
	MUST(!submit(10, 1000 * MS) && !submit(FSTREAM_MESSAGE_MAX - 10, 5000 * MS));
	MUST(fstream_update(l.s, FIRST, content, 11, l.now) == -EAGAIN);
	MUST(fstream_update(l.s, FIRST, content, 0, l.now) == -EMSGSIZE);
	MUST(fstream_update(l.s, FIRST, content, FSTREAM_MESSAGE_MAX + 1, l.now) == -EMSGSIZE);
	MUST(fstream_tx(l.s)->box.memory == FSTREAM_MESSAGE_MAX);
	MUST(!fstream_update(l.s, FIRST, content, 9, l.now) && link_settle(&l));
	MUST(link_simple(&l, FDCCP_EVENT_CLOSED));
	return close_sender();
}

static bool lifetime_is(int64_t lifetime)
{
	struct fstream_info info;

	fstream_info(l.s, &info);
	MUST(info.lifetime == lifetime && !submit_as(10, NULL));
	MUST(l.packet[l.packets - 1].frame.lifetime == (uint32_t)(lifetime / US));
	return true;
}

static bool sample(int64_t rtt)
{
	l.path.sample = rtt;
	l.path.samples++;
	return link_simple(&l, FDCCP_EVENT_SIZE);
}

static bool terms(uint8_t revision, uint32_t lifetime)
{
	uint8_t data[FSTREAM_FRAME_MAX];
	struct fstream_frame frame = {
		.type = FSTREAM_TERMS, .attempt = revision, .lifetime = lifetime,
	};

	return link_event(&l, &(struct fdccp_event){
		.type = FDCCP_EVENT_DATA, .data = data, .len = fstream_frame_write(&frame, data),
	});
}

/* 2 * SRTT by default, 400 ms before a sample; SRTT has the gain alpha. The receiver's wish counts
 * if it is shorter, and so does the stream's own lifetime.
 */
static bool test_lifetime(void)
{
	struct fstream_config config;

	fstream_config_init(&config, true);
	config.alpha = 250;
	MUST(link_open(&l, &config, &path));
	MUST(lifetime_is(400 * MS));
	MUST(sample(100 * MS) && lifetime_is(200 * MS));
	MUST(sample(180 * MS) && lifetime_is(240 * MS));
	/* the same sample does not count again */
	MUST(link_simple(&l, FDCCP_EVENT_MOVED) && lifetime_is(240 * MS));
	MUST(sample(40 * MS) && lifetime_is(200 * MS));
	MUST(terms(1, 150000) && l.events[FSTREAM_EVENT_TERMS] == 1 && lifetime_is(150 * MS));
	MUST(terms(2, 250000) && lifetime_is(200 * MS));
	MUST(!fstream_set_terms(l.s, 700 * MS, 0, l.now) && link_settle(&l));
	MUST(lifetime_is(250 * MS));
	MUST(terms(3, 0) && lifetime_is(700 * MS));
	MUST(!submit(10, 3 * SEC) && l.end[l.ends].number == 0);
	MUST(l.packet[l.packets - 1].frame.lifetime == 3000000);
	/* less than a us is not none */
	MUST(!submit(10, 0) && link_simple(&l, FDCCP_EVENT_CLOSED));
	return close_sender();
}

/* Lifetimes below 1 us are sent as 1, because 0 means none. */
static bool test_short_lifetime(void)
{
	MUST(open_sender(FSTREAM_CONTROL_NONE));
	MUST(!submit(10, 999) && l.packets == 1 && l.packet[0].frame.lifetime == 1);
	MUST(l.packet[0].message.deadline == T0 + 999);
	MUST(!submit_as(10, &(struct fstream_message){ .lifetime = FSTREAM_LIFETIME_MAX }));
	MUST(l.packet[1].frame.lifetime == FSTREAM_LIFETIME_MAX / US);
	MUST(submit_as(10, &(struct fstream_message){ .lifetime = FSTREAM_LIFETIME_MAX + 1 }) ==
	     -EINVAL);
	MUST(submit(0, 0) == -EMSGSIZE && submit(FSTREAM_MESSAGE_MAX + 1, 0) == -EMSGSIZE);
	MUST(link_simple(&l, FDCCP_EVENT_CLOSED));
	return close_sender();
}

/* none sends once; a loss ends the message at once. */
static bool test_none(void)
{
	MUST(open_sender(FSTREAM_CONTROL_NONE));
	MUST(!submit(10, 1000 * MS) && !submit(10, 1000 * MS));
	MUST(fate(0, FDCCP_FATE_LOST) && ended(1, FSTREAM_END_LOST));
	MUST(link_run(&l, T0 + 1000 * MS) && l.packets == 2);
	MUST(fate(1, FDCCP_FATE_ACKNOWLEDGED));
	return close_sender();
}

/* reliable knows no deadline, here or on the wire, and never gives up. */
static bool test_reliable(void)
{
	MUST(open_sender(FSTREAM_CONTROL_RELIABLE));
	MUST(!submit(10, 10 * MS) && l.packet[0].frame.lifetime == 0);
	MUST(l.packet[0].message.deadline == FDCCP_NEVER);
	for (uint64_t handle = 0; handle < 300; handle++) {
		l.now += 100 * MS;
		MUST(fate(handle, FDCCP_FATE_LOST) && l.packets == handle + 2 && l.ends == 0);
	}
	MUST(l.packet[300].frame.attempt == 255);
	MUST(fate(300, FDCCP_FATE_ACKNOWLEDGED) && ended(1, FSTREAM_END_ACKNOWLEDGED));
	MUST(l.end[0].deadline == FDCCP_NEVER && l.end[0].attempts == 255);
	return close_sender();
}

static bool open_paper(unsigned int messages, bool cancel_on_ack)
{
	struct fstream_config config;

	fstream_config_init(&config, true);
	config.control = FSTREAM_CONTROL_PAPER;
	config.messages = messages;
	config.cancel_on_ack = cancel_on_ack;
	return link_open(&l, &config, &path);
}

/* paper repeats after the deadline, until the buffer is full: then what has expired is cancelled,
 * the earliest first, up to the first that has not.
 */
static bool test_paper_full(void)
{
	MUST(open_paper(3, false));
	MUST(!submit(10, 30 * MS) && !submit(10, 10 * MS) && !submit(10, 20 * MS));
	l.now += 19 * MS;
	MUST(fate(0, FDCCP_FATE_LOST) && fate(1, FDCCP_FATE_LOST) && l.packets == 5);
	MUST(l.packet[4].message.deadline == l.now + 2 * TIMEOUT);
	MUST(!submit(10, 10 * MS) && ended(1, FSTREAM_END_CANCELLED));
	MUST(l.end[0].number == FIRST + 1);
	l.now = T0 + 30 * MS;
	MUST(!submit(10, 500 * MS) && ended(4, FSTREAM_END_CANCELLED));
	MUST(l.end[1].number == FIRST + 2 && l.end[2].number == FIRST + 3);
	MUST(l.end[3].number == FIRST && fate(6, FDCCP_FATE_ACKNOWLEDGED) && l.ends == 5);
	return close_sender();
}

/* Where none has expired, the source waits until one has, and is told then. */
static bool test_paper_waits(void)
{
	MUST(open_paper(1, false));
	MUST(!submit(10, 30 * MS) && fstream_next_timer(l.s) == T0 + TIMEOUT);
	MUST(submit(10, 30 * MS) == -EAGAIN && fstream_next_timer(l.s) == T0 + 30 * MS);
	MUST(link_run(&l, T0 + 30 * MS - 1) && l.events[FSTREAM_EVENT_READY] == 0);
	MUST(link_run(&l, T0 + 30 * MS) && l.events[FSTREAM_EVENT_READY] == 1);
	MUST(ended(1, FSTREAM_END_CANCELLED) && !submit(10, 30 * MS));
	MUST(fate(1, FDCCP_FATE_ACKNOWLEDGED));
	return close_sender();
}

/* An acknowledgment cancels what has expired, by option. A loss does not. */
static bool test_paper_ack(bool cancel)
{
	MUST(open_paper(64, cancel));
	MUST(!submit(10, 10 * MS) && !submit(10, 20 * MS) && !submit(10, 200 * MS));
	l.now += 100 * MS;
	MUST(fate(1, FDCCP_FATE_LOST) && l.ends == 0);
	MUST(fate(2, FDCCP_FATE_ACKNOWLEDGED) && l.ends == (cancel ? 3 : 1));
	MUST(l.end[0].end == FSTREAM_END_ACKNOWLEDGED);
	if (cancel)
		return l.end[1].number == FIRST && ended(3, FSTREAM_END_CANCELLED) &&
		       close_sender();
	MUST(fate(0, FDCCP_FATE_ACKNOWLEDGED) && fate(3, FDCCP_FATE_ACKNOWLEDGED));
	MUST(ended(3, FSTREAM_END_ACKNOWLEDGED));
	return close_sender();
}

static bool test_paper_acks(void)
{
	struct fstream_config config;

	fstream_config_init(&config, true);
	MUST(!config.cancel_on_ack);
	return test_paper_ack(true) && test_paper_ack(false);
}

/* The limit of messages, and one READY once there is room again. */
static bool test_room(void)
{
	struct fstream_config config;

	fstream_config_init(&config, true);
	config.messages = 2;
	MUST(link_open(&l, &config, &path));
	MUST(!submit(10, 1000 * MS) && !submit(10, 1000 * MS));
	MUST(submit(10, 1000 * MS) == -EAGAIN && submit(10, 1000 * MS) == -EAGAIN);
	MUST(l.s->totals.submitted == 2 && l.events[FSTREAM_EVENT_READY] == 0);
	MUST(fate(0, FDCCP_FATE_ACKNOWLEDGED) && l.events[FSTREAM_EVENT_READY] == 1);
	MUST(!submit(10, 1000 * MS) && fate(1, FDCCP_FATE_ACKNOWLEDGED));
	MUST(fate(2, FDCCP_FATE_ACKNOWLEDGED) && l.events[FSTREAM_EVENT_READY] == 1);
	return close_sender();
}

/* The limit of memory: READY comes when the message that was refused has room. */
static bool test_room_memory(void)
{
	struct fstream_config config;

	fstream_config_init(&config, true);
	config.memory = FSTREAM_MESSAGE_MAX;
	MUST(link_open(&l, &config, &path));
	l.allowed = 0;
	MUST(!submit(1000, 0) && !submit(FSTREAM_MESSAGE_MAX - 1002, 0) && !submit(1, 0));
	MUST(submit(1001, 0) == -EAGAIN);
	MUST(!fstream_cancel(l.s, FIRST + 2, l.now) && link_settle(&l));
	MUST(l.events[FSTREAM_EVENT_READY] == 0);
	MUST(!fstream_cancel(l.s, FIRST, l.now) && link_settle(&l));
	MUST(l.events[FSTREAM_EVENT_READY] == 1 && !submit(1001, 0));
	MUST(submit(2, 0) == -EAGAIN && link_simple(&l, FDCCP_EVENT_CLOSED));
	return close_sender();
}

/* What has expired makes room, although no timer has run since. */
static bool test_room_expired(void)
{
	struct fstream_config config;

	fstream_config_init(&config, true);
	config.messages = 1;
	MUST(link_open(&l, &config, &path));
	l.allowed = 0;
	MUST(!submit(10, 100 * MS));
	l.now += 100 * MS;
	MUST(!submit(10, 100 * MS) && ended(1, FSTREAM_END_EXPIRED));
	MUST(l.events[FSTREAM_EVENT_READY] == 0 && link_simple(&l, FDCCP_EVENT_CLOSED));
	return close_sender();
}

/* An old message lets 4095 others pass, no more: the receiver has to remember their numbers. */
static bool test_room_numbers(void)
{
	MUST(open_sender(FSTREAM_CONTROL_RELIABLE));
	/* it is not lost yet */
	fstream_tx(l.s)->flight.wary = 1;
	MUST(!submit(1, 0));
	for (uint64_t i = 1; i < 4096; i++)
		MUST(!submit(1, 0) && fate(i, FDCCP_FATE_ACKNOWLEDGED));
	MUST(l.packet[4095 % LINK_PACKETS].frame.unfinished == 4095);
	MUST(submit(1, 0) == -EAGAIN);
	MUST(fate(0, FDCCP_FATE_ACKNOWLEDGED) && l.events[FSTREAM_EVENT_READY] == 1);
	MUST(!submit(1, 0) && fate(4096, FDCCP_FATE_ACKNOWLEDGED));
	return close_sender();
}

/* A given up message is told by a SKIP after a round trip without a packet, once; not if a later
 * message has told it.
 */
static bool test_skip(void)
{
	MUST(open_sender(FSTREAM_CONTROL_NONE));
	MUST(!submit(10, 300 * MS) && !submit(10, 300 * MS));
	MUST(fate(0, FDCCP_FATE_LOST) && fate(1, FDCCP_FATE_ACKNOWLEDGED) && l.ends == 2);
	MUST(link_run(&l, T0 + 100 * MS - 1) && l.posts[FSTREAM_SKIP] == 0);
	MUST(link_run(&l, T0 + 100 * MS) && l.posts[FSTREAM_SKIP] == 1);
	MUST(l.post[FSTREAM_SKIP].frame.number == (uint32_t)(FIRST + 2));
	MUST(l.post[FSTREAM_SKIP].frame.flags == 0);
	MUST(fate(l.post[FSTREAM_SKIP].message.handle, FDCCP_FATE_LOST));
	MUST(l.posts[FSTREAM_SKIP] == 2);
	MUST(fate(l.post[FSTREAM_SKIP].message.handle, FDCCP_FATE_ACKNOWLEDGED));
	/* the second of these says that the first will not come */
	MUST(!submit(10, 300 * MS) && fate(2, FDCCP_FATE_LOST));
	MUST(!submit(10, 300 * MS) && fate(3, FDCCP_FATE_ACKNOWLEDGED));
	MUST(link_run(&l, T0 + SEC) && l.posts[FSTREAM_SKIP] == 2);
	MUST(fstream_next_timer(l.s) == FDCCP_NEVER);
	return close_sender();
}

/* Where no message is sent at all, there is one SKIP in a round trip, and the last one tells of
 * all.
 */
static bool test_skip_rate(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	l.now += SEC;
	for (unsigned int i = 0; i < 10; i++) {
		MUST(!submit(10, MS) && ended(i + 1, FSTREAM_END_NEVER_SENT));
		MUST(link_run(&l, l.now + 9 * MS) && l.posts[FSTREAM_SKIP] == 1);
		MUST(fate(l.post[FSTREAM_SKIP].message.handle, FDCCP_FATE_ACKNOWLEDGED));
	}
	MUST(link_run(&l, T0 + SEC + 100 * MS) && l.posts[FSTREAM_SKIP] == 2);
	MUST(l.post[FSTREAM_SKIP].frame.number == (uint32_t)(FIRST + 10));
	return close_sender();
}

/* What a later message told of numbers before it is not all: a SKIP tells of the one between. */
static bool test_skip_between(void)
{
	MUST(open_sender(FSTREAM_CONTROL_NONE));
	MUST(!submit(10, 300 * MS) && !submit(10, 300 * MS) && !submit(10, 300 * MS));
	MUST(fate(2, FDCCP_FATE_LOST) && fate(0, FDCCP_FATE_LOST) && !submit(10, 300 * MS));
	MUST(l.packet[3].frame.unfinished == 2 && fate(3, FDCCP_FATE_ACKNOWLEDGED));
	MUST(fate(1, FDCCP_FATE_ACKNOWLEDGED) && l.ends == 4);
	MUST(link_run(&l, T0 + 200 * MS) && l.posts[FSTREAM_SKIP] == 1);
	return close_sender();
}

/* 65535 says nothing of older messages. */
static bool test_many_numbers(void)
{
	struct fstream_config config;

	fstream_config_init(&config, true);
	config.messages = 20000;
	config.control = FSTREAM_CONTROL_RELIABLE;
	MUST(link_open(&l, &config, &path));
	/* the first is not lost yet */
	fstream_tx(l.s)->flight.wary = 1;
	MUST(!submit(1, 0));
	for (uint64_t i = 1; i < 65538; i++)
		MUST(!submit(1, 0) && fate(i, FDCCP_FATE_ACKNOWLEDGED));
	MUST(l.packet[65534 % LINK_PACKETS].frame.unfinished == 65534);
	MUST(l.packet[65537 % LINK_PACKETS].frame.unfinished == 65535);
	MUST(!fstream_cancel(l.s, FIRST, l.now) && link_run(&l, T0 + 100 * MS));
	MUST(l.posts[FSTREAM_SKIP] == 1);
	return close_sender();
}

static bool report(uint32_t on_time, uint32_t late, uint8_t flags)
{
	uint8_t data[FSTREAM_FRAME_MAX];
	struct fstream_frame frame = {
		.type = FSTREAM_REPORT, .flags = flags, .on_time = on_time, .late = late,
	};

	return link_event(&l, &(struct fdccp_event){
		.type = FDCCP_EVENT_DATA, .data = data, .len = fstream_frame_write(&frame, data),
	});
}

/* finish: no more messages, a last SKIP once all have ended, FINISHED with the last report. */
static bool test_finish(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	MUST(!submit(10, 300 * MS));
	fstream_finish(l.s, l.now);
	MUST(link_settle(&l) && submit(10, 300 * MS) == -ESHUTDOWN && l.posts[FSTREAM_SKIP] == 0);
	/* too early to be the last */
	MUST(report(0, 0, FSTREAM_FINAL) && l.events[FSTREAM_EVENT_FINISHED] == 0);
	MUST(fate(0, FDCCP_FATE_ACKNOWLEDGED) && l.posts[FSTREAM_SKIP] == 1);
	MUST(l.post[FSTREAM_SKIP].frame.flags == FSTREAM_FINAL);
	MUST(l.post[FSTREAM_SKIP].frame.number == (uint32_t)FIRST + 1);
	MUST(report(0, 0, 0) && l.events[FSTREAM_EVENT_FINISHED] == 0);
	MUST(report(1, 0, FSTREAM_FINAL) && report(1, 0, FSTREAM_FINAL));
	MUST(l.events[FSTREAM_EVENT_FINISHED] == 1 && l.s->totals.on_time == 1);
	return close_sender();
}

/* A report counts on, also across the wrap; an older one, or one of too many, changes nothing. */
static bool test_report(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	MUST(report(1, 0, 0) && l.s->totals.refused == 1 && l.s->totals.on_time == 0);
	l.s->totals.on_time = UINT64_C(0xfffffffe);
	l.s->totals.late = 5;
	l.s->totals.submitted = UINT64_C(0x100000010);
	fstream_handle(l.s, &(struct fdccp_event){ .type = FDCCP_EVENT_READY }, l.now);
	report(2, 6, 0);
	MUST(l.s->totals.on_time == UINT64_C(0x100000002) && l.s->totals.late == 6);
	report(1, 6, 0);
	MUST(l.s->totals.on_time == UINT64_C(0x100000002) && l.s->totals.refused == 1);
	report(11, 6, 0);
	MUST(l.s->totals.on_time == UINT64_C(0x100000002) && l.s->totals.refused == 2);
	report(10, 6, 0);
	MUST(l.s->totals.on_time == UINT64_C(0x10000000a) && l.s->totals.refused == 2);
	fstream_free(l.s);
	return true;
}

/* A sender takes no message, no SKIP, and no bytes that are no frame. */
static bool test_refused(void)
{
	static const uint8_t message[21], skip[8] = { 0x10 };
	struct fdccp_event event = { .type = FDCCP_EVENT_DATA, .data = skip, .len = 8 };

	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	MUST(link_event(&l, &event) && l.s->totals.refused == 1);
	event.data = message;
	for (event.len = 0; event.len < 22; event.len++)
		MUST(link_event(&l, &event) && l.s->totals.refused == 2 + event.len);
	return close_sender();
}

/* RATE comes when the rate or the backlog has changed by more than a quarter. */
static bool test_rate(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	MUST(l.events[FSTREAM_EVENT_RATE] == 1);
	l.path.rate = 1250000;
	MUST(link_simple(&l, FDCCP_EVENT_MOVED) && l.events[FSTREAM_EVENT_RATE] == 1);
	l.path.rate++;
	MUST(link_simple(&l, FDCCP_EVENT_MOVED) && l.events[FSTREAM_EVENT_RATE] == 2);
	l.path.rate = 1000000;
	MUST(link_simple(&l, FDCCP_EVENT_MOVED) && l.events[FSTREAM_EVENT_RATE] == 2);
	/* 125000 bytes go in a round trip; a submission is no backlog if it is sent at once */
	l.path.rate = 1250000;
	MUST(!submit(100000, SEC) && l.events[FSTREAM_EVENT_RATE] == 2);
	l.allowed = 0;
	MUST(!submit(31250, SEC) && l.events[FSTREAM_EVENT_RATE] == 2);
	MUST(!submit(1, SEC) && l.events[FSTREAM_EVENT_RATE] == 3);
	MUST(!submit(31250, SEC) && l.events[FSTREAM_EVENT_RATE] == 3);
	/* of a larger backlog a quarter is more */
	MUST(!submit(200000, SEC) && l.events[FSTREAM_EVENT_RATE] == 4);
	MUST(!submit(65625, SEC) && l.events[FSTREAM_EVENT_RATE] == 4);
	MUST(!submit(1, SEC) && l.events[FSTREAM_EVENT_RATE] == 5);
	MUST(link_simple(&l, FDCCP_EVENT_CLOSED));
	return close_sender();
}

/* A packet was acknowledged, with which a round-trip time was measured. */
static bool measured(uint64_t handle, int64_t rtt)
{
	l.path.sample = rtt;
	l.path.samples++;
	return link_event(&l, &(struct fdccp_event){
		.type = FDCCP_EVENT_FATE, .handle = handle, .fate = FDCCP_FATE_ACKNOWLEDGED,
		.rtt = rtt,
	});
}

static bool measured_terms(int64_t rtt)
{
	return measured(l.post[FSTREAM_TERMS].message.handle, rtt);
}

/* A message of so many bytes is sent, and its piece @piece, of @pieces, takes @rtt. */
static bool measured_piece(size_t len, unsigned int piece, unsigned int pieces, int64_t rtt)
{
	uint64_t first = fstream_tx(l.s)->flight.next;

	MUST(!submit(len, SEC) && l.packets == first + pieces && measured(first + piece, rtt));
	for (unsigned int i = 0; i < pieces; i++)
		MUST(fate(first + i, FDCCP_FATE_ACKNOWLEDGED));
	return true;
}

/* The one-way time that the receiver has heard of, in us. */
static uint32_t told_way(void)
{
	return l.post[FSTREAM_TERMS].frame.way;
}

/* The receiver hears of times of the path when they have changed, at most once a second. */
static bool test_terms(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE) && l.posts[FSTREAM_TERMS] == 1);
	MUST(told_way() == 0 && sample(100 * MS) && l.posts[FSTREAM_TERMS] == 2);
	MUST(told_way() == 0 && l.post[FSTREAM_TERMS].frame.srtt == 100000);
	MUST(l.post[FSTREAM_TERMS].frame.attempt == 1);
	/* the first one-way time at once: half of the round-trip time of small packets, and the
	 * difference, with a sixteenth of it and 20 us
	 */
	MUST(measured_terms(100 * MS) && measured_piece(10, 0, 1, 116 * MS));
	MUST(l.posts[FSTREAM_TERMS] == 3 && told_way() == 50000 + 16000 + 1020);
	l.now += SEC - 1;
	MUST(measured_terms(99 * MS) && l.posts[FSTREAM_TERMS] == 3);
	l.now++;
	MUST(sample(100 * MS) && l.posts[FSTREAM_TERMS] == 4);
	MUST(told_way() == 49500 + 17000 + 1082);
	/* differences of 100 us and of a quarter do not count */
	MUST(measured_terms(99 * MS));
	l.now += SEC;
	l.path.srtt = 125 * MS;
	MUST(measured_piece(10, 0, 1, 116 * MS - 94 * US) && l.posts[FSTREAM_TERMS] == 4);
	MUST(measured_piece(10, 0, 1, 116 * MS - 95 * US) && l.posts[FSTREAM_TERMS] == 5);
	MUST(measured_terms(99 * MS));
	l.now += SEC;
	l.path.srtt = 125 * MS * 5 / 4 + 1;
	MUST(sample(100 * MS) && l.posts[FSTREAM_TERMS] == 6);
	return close_sender();
}

/* A small last piece does not tell how long the others take. Small packets are measured again when
 * the last time is a minute old, and count as at most as slow as pieces.
 */
static bool test_way(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE) && sample(100 * MS));
	MUST(measured_terms(100 * MS) && measured_piece(1001, 1, 2, 110 * MS) && told_way() == 0);
	MUST(measured_piece(1001, 0, 2, 116 * MS) && told_way() == 67020);
	MUST(measured_terms(200 * MS) && l.posts[FSTREAM_TERMS] == 3);
	l.now = T0 + 60 * SEC;
	MUST(measured_piece(10, 0, 1, 116 * MS) && l.posts[FSTREAM_TERMS] == 3);
	l.now++;
	MUST(measured_piece(10, 0, 1, 116 * MS) && l.posts[FSTREAM_TERMS] == 4);
	MUST(told_way() == 67020 && measured_terms(200 * MS));
	l.now += SEC;
	MUST(measured_piece(10, 0, 1, 116 * MS) && l.posts[FSTREAM_TERMS] == 5);
	MUST(told_way() == 58020 && measured_terms(200 * MS));
	/* on another path it is unknown */
	MUST(link_simple(&l, FDCCP_EVENT_MOVED));
	l.now += SEC;
	MUST(sample(30 * MS) && told_way() == 0 && measured_terms(30 * MS));
	MUST(measured_piece(10, 0, 1, 46 * MS) && told_way() == 15000 + 16000 + 1020);
	return close_sender();
}

/* A message waits for so long before the connection takes its packet. Return: whether it is sent. */
static bool sent_after(int64_t lifetime, int64_t wait)
{
	size_t packets = l.packets;

	l.allowed = 0;
	MUST(!submit(500, lifetime) && l.packets == packets);
	l.now += wait;
	l.allowed = LINK_UNLIMITED;
	MUST(link_simple(&l, FDCCP_EVENT_READY));
	if (l.packets == packets)
		return false;
	return fate(packets, FDCCP_FATE_ACKNOWLEDGED);
}

/* On a slow link a frame, which is small, is back after 40 ms, and a piece after 200 ms. So the way
 * of a piece takes 180 ms, and 10 ms for errors. Otherwise the oldest message would be sent in vain
 * after each timeout. But a message may always be sent in the first half of its lifetime.
 */
static bool test_slow_pieces(void)
{
	int64_t least = 190 * MS + 20 * US;

	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE) && sample(40 * MS));
	MUST(measured_piece(500, 0, 1, 200 * MS) && sample(40 * MS));
	MUST(sent_after(SEC, SEC - least) && !sent_after(SEC, SEC - least + 1));
	MUST(l.s->totals.end[FSTREAM_END_NEVER_SENT] == 1);
	MUST(sent_after(300 * MS, 150 * MS) && !sent_after(300 * MS, 150 * MS + 1));
	MUST(l.s->totals.end[FSTREAM_END_NEVER_SENT] == 2);
	return close_sender();
}

static bool set_latency(int64_t latency)
{
	return !fstream_set_terms(l.s, FSTREAM_ANY, latency, l.now) && link_settle(&l);
}

/* Whether so many TERMS were sent, the last one with this revision and latency. */
static bool terms_are(unsigned int posts, uint8_t revision, uint32_t latency)
{
	const struct fstream_frame *frame = &l.post[FSTREAM_TERMS].frame;

	return l.posts[FSTREAM_TERMS] == posts && frame->attempt == revision &&
	       frame->latency == latency;
}

/* A receiver takes a revision for an older one than that 128 before it. So the sender makes no more
 * of them than 127 beyond the last one that was heard of; then each waits for the fate of the last.
 */
static bool test_terms_often(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	for (uint32_t i = 1; i <= 127; i++)
		MUST(set_latency(i * US) && terms_are(1 + i, (uint8_t)i, i));
	for (uint32_t i = 128; i <= 300; i++)
		MUST(set_latency(i * US) && terms_are(128, 127, 127));
	MUST(fate(l.post[FSTREAM_TERMS].message.handle, FDCCP_FATE_LOST));
	MUST(terms_are(129, 127, 300) && set_latency(301 * US) && terms_are(129, 127, 300));
	MUST(link_run(&l, T0 + TIMEOUT) && terms_are(130, 127, 301));
	MUST(fate(l.post[FSTREAM_TERMS].message.handle, FDCCP_FATE_ACKNOWLEDGED));
	for (uint32_t i = 1; i <= 127; i++)
		MUST(set_latency(i * US) && terms_are(130 + i, (uint8_t)(127 + i), i));
	MUST(set_latency(0) && terms_are(257, 254, 127));
	return close_sender();
}

/* While messages are too late for the path from the beginning, TERMS measures it every 200 ms, so
 * that the first one is sent when it is short again. A message that waited too long, and a path
 * that was just measured, ask for none.
 */
static bool test_ask_path(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE));
	l.path.srtt = 5 * SEC;
	MUST(sample(5 * SEC));
	MUST(fate(l.post[FSTREAM_TERMS].message.handle, FDCCP_FATE_ACKNOWLEDGED));
	l.posts[FSTREAM_TERMS] = 0;
	l.now += 200 * MS - 1;
	MUST(!submit(10, 300 * MS) && ended(1, FSTREAM_END_NEVER_SENT) && !l.posts[FSTREAM_TERMS]);
	l.now++;
	MUST(!submit(10, 300 * MS) && ended(2, FSTREAM_END_NEVER_SENT));
	MUST(l.posts[FSTREAM_TERMS] == 1);
	l.now += 100 * MS;
	MUST(!submit(10, 300 * MS) && l.posts[FSTREAM_TERMS] == 1);
	l.now += 100 * MS;
	MUST(!submit(10, 300 * MS) && l.posts[FSTREAM_TERMS] == 2);
	MUST(!l.packets && sample(100 * MS));
	MUST(fate(l.post[FSTREAM_TERMS].message.handle, FDCCP_FATE_ACKNOWLEDGED));
	MUST(!submit(10, 300 * MS) && l.packets == 1 && fate(0, FDCCP_FATE_ACKNOWLEDGED));
	/* it waits for the connection */
	l.allowed = 0;
	l.posts[FSTREAM_TERMS] = 0;
	l.now += 10 * SEC;
	MUST(!submit(10, 300 * MS));
	l.now += 250 * MS;
	l.allowed = LINK_UNLIMITED;
	MUST(link_simple(&l, FDCCP_EVENT_READY) && l.packets == 1);
	MUST(link_run(&l, l.now) && !l.posts[FSTREAM_TERMS]);
	return close_sender();
}

/* A frame that is due again waits for the connection without a timer. */
static bool test_post_waits(void)
{
	MUST(open_sender(FSTREAM_CONTROL_FEASIBLE) && sample(100 * MS));
	l.allowed = 0;
	MUST(fstream_next_timer(l.s) == T0 + TIMEOUT && link_run(&l, T0 + SEC));
	MUST(l.posts[FSTREAM_TERMS] == 2 && fstream_next_timer(l.s) == FDCCP_NEVER);
	l.allowed = 1;
	MUST(link_simple(&l, FDCCP_EVENT_READY) && l.posts[FSTREAM_TERMS] == 3);
	return close_sender();
}

/* Before the connection is open nothing is sent, but time passes. */
static bool test_before_open(void)
{
	struct fstream_config config;

	fstream_config_init(&config, true);
	MUST(link_open(&l, &config, &path));
	l.s->open = false;
	MUST(!submit(10, 50 * MS) && !submit(10, 500 * MS) && l.packets == 0 && l.refused == 0);
	MUST(link_run(&l, T0 + 50 * MS) && ended(1, FSTREAM_END_EXPIRED));
	MUST(link_simple(&l, FDCCP_EVENT_CONNECTED) && l.packets == 1);
	MUST(fate(0, FDCCP_FATE_ACKNOWLEDGED));
	return close_sender();
}

/* After a lack of memory, which no event ends, the next call tries again, and a timer. */
static bool test_send_error(void)
{
	MUST(open_sender(FSTREAM_CONTROL_RELIABLE));
	l.allowed = 0;
	l.error = -ENOMEM;
	MUST(!submit(10, 0) && l.refused == 1 && l.ends == 0);
	MUST(link_simple(&l, FDCCP_EVENT_MOVED) && l.refused == 2);
	MUST(fstream_next_timer(l.s) == T0 + 10 * MS);
	MUST(link_run(&l, T0 + 10 * MS) && l.refused == 3);
	l.allowed = 1;
	MUST(link_run(&l, T0 + 20 * MS) && l.packets == 1);
	MUST(fate(0, FDCCP_FATE_ACKNOWLEDGED) && fstream_next_timer(l.s) == FDCCP_NEVER);
	/* a frame without a message, too */
	l.allowed = 0;
	MUST(!fstream_set_terms(l.s, FSTREAM_ANY, MS, l.now) && l.refused == 4);
	l.allowed = 1;
	MUST(link_run(&l, T0 + 30 * MS) && l.posts[FSTREAM_TERMS] == 2);
	return close_sender();
}

/* Where nothing can be sent any more, nothing is tried again, and the end of the connection is
 * waited for.
 */
static bool test_send_end(void)
{
	static const int ends[] = { -EPIPE, -ESHUTDOWN };

	for (int i = 0; i < 2; i++) {
		MUST(open_sender(FSTREAM_CONTROL_RELIABLE) && !submit(10, 0));
		l.allowed = 0;
		l.error = ends[i];
		MUST(fate(0, FDCCP_FATE_LOST) && !submit(10, 0) && l.refused == 1 && l.ends == 0);
		MUST(fstream_next_timer(l.s) == FDCCP_NEVER);
		MUST(link_simple(&l, FDCCP_EVENT_CLOSED) && ended(2, FSTREAM_END_CLOSED));
		MUST(close_sender());
	}
	return true;
}

/* Memory is at most 64 KiB and twice what is outstanding, and comes back, whatever the ends are. */
static bool test_memory(void)
{
	size_t before = __sanitizer_get_current_allocated_bytes(), used;

	MUST(open_sender(FSTREAM_CONTROL_NONE));
	for (uint64_t round = 0; round < 3; round++) {
		for (int i = 0; i < 1024; i++)
			MUST(!submit(500, SEC));
		used = __sanitizer_get_current_allocated_bytes() - before;
		MUST(used <= 65536 + 2 * 1024 * 500);
		for (uint64_t i = 0; i < 1024; i++)
			MUST(fate(round * 1024 + i,
				  round % 2 ? FDCCP_FATE_ACKNOWLEDGED : FDCCP_FATE_UNKNOWN));
		MUST(link_run(&l, l.now + 3 * SEC) && l.ends == 1024 * (round + 1));
		used = __sanitizer_get_current_allocated_bytes() - before;
		MUST(used <= 8192);
	}
	MUST(close_sender() && __sanitizer_get_current_allocated_bytes() == before);
	return true;
}

/* What the random test knows of the packets on the way. */
static struct {
	bool gone[60000];
	uint64_t seen;
} way;

/* Gives a random transmission of the last 40 a fate. */
static bool random_fate(void)
{
	static const enum fdccp_fate fates[] = {
		FDCCP_FATE_ACKNOWLEDGED, FDCCP_FATE_ACKNOWLEDGED, FDCCP_FATE_ACKNOWLEDGED,
		FDCCP_FATE_MARKED, FDCCP_FATE_LOST, FDCCP_FATE_EXPIRED, FDCCP_FATE_DISCARDED,
		FDCCP_FATE_CUT, FDCCP_FATE_UNKNOWN, FDCCP_FATE_DROPPED,
	};
	uint64_t handle = l.packets - 1 - seeded_below(40);

	if (handle >= l.packets || way.gone[handle])
		return true;
	way.gone[handle] = true;
	return fate(handle, fates[seeded_below(10)]);
}

/* Whether what was sent since the last call is in time, and the numbers before it are right. */
static bool packets_are_right(bool in_time)
{
	for (; way.seen < l.packets; way.seen++) {
		const struct link_packet *p = &l.packet[way.seen % LINK_PACKETS];
		uint32_t age = (uint32_t)(p->at / US) - p->frame.submitted;

		MUST(!in_time || age <= p->frame.lifetime);
		MUST(p->frame.piece < p->frame.pieces && p->message.handle == way.seen);
		MUST(p->message.deadline >= p->at || !in_time);
	}
	return true;
}

static bool random_call(void)
{
	struct fstream_outbox *box = &fstream_tx(l.s)->box;
	uint64_t number = box->oldest + seeded_below(box->next - box->oldest + 1);
	const struct fstream_out *there = fstream_outbox_find(box, number);
	int busy = there && !fstream_out_can_change(there) ? -EBUSY : 0;

	switch (seeded_below(8)) {
	case 0:
		MUST(fstream_cancel(l.s, number, l.now) == (there ? 0 : -ENOENT));
		break;
	case 1:
		MUST(fstream_prioritize(l.s, number, (uint8_t)seeded_below(4)) ==
		     (there ? 0 : -ENOENT));
		break;
	case 2:
		MUST(fstream_update(l.s, number, content, 1 + seeded_below(4000), l.now) ==
		     (there ? busy : -ENOENT));
		break;
	case 3:
		l.allowed = (unsigned int)seeded_below(10);
		return link_simple(&l, FDCCP_EVENT_READY);
	case 4:
		l.payload_max = 200 + seeded_below(1200);
		return link_simple(&l, FDCCP_EVENT_SIZE);
	default:
		submit_as(1 + seeded_below(4000), &(struct fstream_message){
			.lifetime = (int64_t)(1 + seeded_below(500)) * MS,
			.priority = (uint8_t)seeded_below(3),
		});
		break;
	}
	return link_settle(&l);
}

/* Whatever is called and whatever becomes of packets, each message ends once. */
static bool random_life(enum fstream_control control)
{
	bool in_time = control == FSTREAM_CONTROL_FEASIBLE || control == FSTREAM_CONTROL_NONE;

	MUST(open_sender(control));
	memset(&way, 0, sizeof(way));
	for (int i = 0; i < 10000; i++) {
		MUST(random_call() && random_fate() && random_fate() && packets_are_right(in_time));
		MUST(link_run(&l, l.now + (int64_t)seeded_below(5 * MS)));
		MUST(l.packets + 100 < sizeof(way.gone));
	}
	MUST(link_simple(&l, FDCCP_EVENT_CLOSED));
	MUST(l.s->totals.needless <= l.s->totals.repeats && l.ends == l.s->totals.submitted);
	return close_sender();
}

static bool test_random(void)
{
	size_t before = __sanitizer_get_current_allocated_bytes();

	seeded_state = 3;
	for (int control = 0; control <= FSTREAM_CONTROL_NONE; control++)
		MUST(random_life(control));
	return __sanitizer_get_current_allocated_bytes() == before;
}

static const struct unit tests[] = {
	{ "bytes", test_bytes },
		{ "a sensitive part is a header and a message's beginning", test_sensitive },
	{ "acknowledged", test_acknowledged },
	{ "never sent", test_never_sent },
	{ "expired", test_expired },
	{ "lost", test_lost },
	{ "dropped", test_dropped },
	{ "dropped, with a priority", test_dropped_priority },
	{ "dropped late", test_dropped_late },
	{ "expired here", test_expired_here },
	{ "discarded", test_discarded },
	{ "cut", test_cut },
	{ "a notice comes before the fate", test_notice },
	{ "the last reason", test_last_reason },
	{ "silence", test_silence },
	{ "news after the deadline", test_late_news },
	{ "cancelled", test_cancelled },
	{ "resized", test_resized },
	{ "resized too often", test_resized_often },
	{ "sizes", test_sizes },
	{ "closed", test_closed },
	{ "unknown fates", test_unknown },
	{ "pieces", test_pieces },
	{ "overtaken", test_overtaken },
	{ "three attempts", test_three_attempts },
	{ "a tail", test_tail },
	{ "a tail on a short path", test_tail_short },
	{ "a tail that waits", test_tail_waits },
	{ "the share of repeats", test_overhead },
	{ "the share of repeats and a tail", test_overhead_tail },
	{ "the share of repeats and other pieces", test_overhead_pieces },
	{ "priority", test_priority },
	{ "the largest budget", test_budget_limit },
	{ "new content", test_update },
	{ "new content after the deadline", test_update_late },
	{ "new content, often", test_update_often },
	{ "new content that waits", test_update_waits },
	{ "new content and memory", test_update_room },
	{ "lifetimes", test_lifetime },
	{ "short and long lifetimes", test_short_lifetime },
	{ "none", test_none },
	{ "reliable", test_reliable },
	{ "paper: a full buffer", test_paper_full },
	{ "paper: a full buffer without expired messages", test_paper_waits },
	{ "paper: acknowledgments", test_paper_acks },
	{ "room for messages", test_room },
	{ "room for bytes", test_room_memory },
	{ "room by expiry", test_room_expired },
	{ "room for numbers", test_room_numbers },
	{ "SKIP", test_skip },
	{ "one SKIP in a round trip", test_skip_rate },
	{ "SKIP for a message between others", test_skip_between },
	{ "more numbers than a header can tell", test_many_numbers },
	{ "the end of a stream", test_finish },
	{ "reports", test_report },
	{ "frames that are refused", test_refused },
	{ "rate and backlog", test_rate },
	{ "times of the path for the receiver", test_terms },
	{ "wishes that change often", test_terms_often },
	{ "the one-way time", test_way },
	{ "a piece that takes longer than a frame", test_slow_pieces },
	{ "the path is measured again", test_ask_path },
	{ "frames that wait for the connection", test_post_waits },
	{ "before the connection is open", test_before_open },
	{ "errors of the connection", test_send_error },
	{ "a connection that can send no more", test_send_end },
	{ "memory", test_memory },
	{ "random lives", test_random },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) ? 1 : 0;
}
