// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The outbox finds messages by number, deadline, and priority; its sums are right after whatever is
 * done, and it gives its memory back. Numbers wrap on the wire, not here. Prints TAP.
 */
#include "../../userspace/stream/outbox.c"

#include <sanitizer/allocator_interface.h>

#include "../codec/unit.h"
#include "seeded.h"

#define MS	INT64_C(1000000)
/* the wire's numbers wrap after the second message */
#define FIRST	(UINT64_C(0xffffffff) - 1)

static const uint8_t content[5000];

static struct fstream_outbox outbox(void)
{
	return (struct fstream_outbox){ .oldest = FIRST, .next = FIRST };
}

static struct fstream_out *add(struct fstream_outbox *box, size_t len, int64_t deadline,
			       uint8_t priority)
{
	struct fstream_out *out = fstream_out_new(content, len);

	out->deadline = deadline;
	out->priority = priority;
	return fstream_outbox_add(box, out) || fstream_out_cut(out, 1000) ? NULL : out;
}

static void drop(struct fstream_outbox *box, struct fstream_out *out)
{
	fstream_outbox_remove(box, out);
	fstream_out_free(out);
}

/* Sends all that is to be sent of the first ready message. Return: its number from FIRST. */
static uint64_t send_first(struct fstream_outbox *box)
{
	struct fstream_out *out = fstream_outbox_first(box, FSTREAM_READY);

	while (out->again)
		fstream_outbox_sent(box, out, fstream_out_again(out), 1);
	while (out->fresh < out->pieces)
		fstream_outbox_sent(box, out, out->fresh, 1);
	return out->number - FIRST;
}

/* A message is cut into equal pieces and a shorter last one. */
static bool test_cut(void)
{
	static const struct {
		size_t len, size, pieces, last;
	} cuts[] = {
		{ 1, 1, 1, 1 }, { 1, 1000, 1, 1 }, { 1000, 1000, 1, 1000 }, { 1001, 1000, 2, 1 },
		{ 4999, 1000, 5, 999 }, { 5000, 1, 5000, 1 },
	};
	struct fstream_out *out;

	for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
		out = fstream_out_new(content, cuts[i].len);
		MUST(!fstream_out_cut(out, cuts[i].size) && out->pieces == cuts[i].pieces);
		MUST(fstream_out_piece_len(out, out->pieces - 1u) == cuts[i].last);
		MUST(fstream_out_piece_len(out, 0) ==
		     (out->pieces > 1 ? cuts[i].size : cuts[i].len));
		fstream_out_free(out);
	}
	return true;
}

/* 65535 pieces are the most; a path that carries none is refused; a message is cut anew. */
static bool test_cut_limits(void)
{
	static const uint8_t large[65536];
	struct fstream_out *out = fstream_out_new(large, sizeof(large));

	MUST(fstream_out_cut(out, 1) == -EMSGSIZE && fstream_out_cut(out, 0) == -EMSGSIZE);
	MUST(!fstream_out_cut(out, 2) && out->pieces == 32768);
	MUST(!fstream_out_cut(out, 65535) && out->pieces == 2 && out->size == 65535);
	fstream_out_free(out);
	return true;
}

/* The highest priority is sent first, then the lowest number, also across the wrap. */
static bool test_order(void)
{
	static const uint8_t priority[] = { 0, 255, 7, 255, 0, 7 };
	static const uint64_t expected[] = { 1, 3, 2, 5, 0, 4 };
	struct fstream_outbox box = outbox();

	for (size_t i = 0; i < 6; i++)
		MUST(add(&box, 10, 0, priority[i])->number == FIRST + i);
	for (size_t i = 0; i < 6; i++)
		MUST(send_first(&box) == expected[i]);
	MUST(!fstream_outbox_first(&box, FSTREAM_READY) && box.backlog == 0 && box.memory == 60);
	fstream_outbox_free(&box);
	return true;
}

/* A repeat goes before what was never sent; another priority counts at once. */
static bool test_repeats_first(void)
{
	struct fstream_outbox box = outbox();
	struct fstream_out *first = add(&box, 10, 0, 0), *third;

	MUST(send_first(&box) == 0);
	add(&box, 10, 0, 0);
	third = add(&box, 10, 0, 0);
	fstream_outbox_again(&box, first, 0, FSTREAM_END_LOST);
	MUST(fstream_outbox_first(&box, FSTREAM_READY) == first);
	fstream_outbox_prioritize(&box, third, 1);
	MUST(send_first(&box) == 2 && send_first(&box) == 0);
	fstream_outbox_prioritize(&box, third, 9);
	MUST(send_first(&box) == 1 && !fstream_outbox_first(&box, FSTREAM_READY));
	fstream_outbox_free(&box);
	return true;
}

/* The earliest deadline comes first. */
static bool test_deadlines(void)
{
	struct fstream_outbox box = outbox();
	struct fstream_out *late = add(&box, 10, FDCCP_NEVER, 0), *soon = add(&box, 10, 5 * MS, 0);

	MUST(fstream_outbox_due(&box) == soon);
	drop(&box, soon);
	MUST(fstream_outbox_due(&box) == late);
	drop(&box, late);
	MUST(!fstream_outbox_due(&box));
	fstream_outbox_free(&box);
	return true;
}

/* Bytes that are to be sent are counted, piece by piece. */
static bool test_backlog(void)
{
	struct fstream_outbox box = outbox();
	struct fstream_out *out = add(&box, 2500, 0, 0);

	MUST(box.backlog == 2500 && box.memory == 2500);
	fstream_outbox_sent(&box, out, 0, 0);
	fstream_outbox_sent(&box, out, 1, 1);
	MUST(box.backlog == 500 && out->fresh == 2);
	fstream_outbox_again(&box, out, 1, FSTREAM_END_CUT);
	fstream_outbox_again(&box, out, 0, FSTREAM_END_LOST);
	MUST(box.backlog == 2500 && out->again == 2 && fstream_out_again(out) == 0);
	fstream_outbox_done(&box, out, 0);
	MUST(box.backlog == 1500 && fstream_out_again(out) == 1 && out->done == 1);
	fstream_outbox_sent(&box, out, 1, 2);
	fstream_outbox_sent(&box, out, 2, 3);
	MUST(box.backlog == 0 && !fstream_outbox_first(&box, FSTREAM_READY) && box.memory == 2500);
	MUST(fstream_out_attempts(out) == 2 && out->piece[1].handle == 2);
	fstream_outbox_free(&box);
	return true;
}

/* A held message is not ready, keeps its priority, and leaves with its last piece. */
static bool test_held(void)
{
	struct fstream_outbox box = outbox();
	struct fstream_out *a = add(&box, 10, 0, 0), *b = add(&box, 10, 0, 0);

	send_first(&box);
	send_first(&box);
	fstream_outbox_again(&box, a, 0, FSTREAM_END_LOST);
	fstream_outbox_again(&box, b, 0, FSTREAM_END_LOST);
	fstream_outbox_move(&box, a, FSTREAM_HELD);
	fstream_outbox_move(&box, b, FSTREAM_HELD);
	MUST(!fstream_outbox_first(&box, FSTREAM_READY));
	MUST(fstream_outbox_first(&box, FSTREAM_HELD) == a);
	fstream_outbox_prioritize(&box, b, 1);
	MUST(fstream_outbox_first(&box, FSTREAM_HELD) == b);
	fstream_outbox_move(&box, b, FSTREAM_READY);
	MUST(fstream_outbox_first(&box, FSTREAM_READY) == b);
	MUST(fstream_outbox_first(&box, FSTREAM_HELD) == a);
	fstream_outbox_done(&box, a, 0);
	MUST(!fstream_outbox_first(&box, FSTREAM_HELD) && box.backlog == 10);
	MUST(a->queue == FSTREAM_READY);
	fstream_outbox_free(&box);
	return true;
}

/* A stalled message has a time instead of a priority, and leaves with its last piece, too. */
static bool test_stalled(void)
{
	struct fstream_outbox box = outbox();
	struct fstream_out *a = add(&box, 10, 0, 0), *b = add(&box, 10, 0, 0);

	fstream_outbox_stall(&box, a, 7 * MS);
	fstream_outbox_stall(&box, b, 5 * MS);
	fstream_outbox_prioritize(&box, a, 1);
	MUST(!fstream_outbox_first(&box, FSTREAM_READY));
	MUST(fstream_outbox_first(&box, FSTREAM_STALLED) == b && b->by_order.when == 5 * MS);
	fstream_outbox_stall(&box, b, 8 * MS);
	MUST(fstream_outbox_first(&box, FSTREAM_STALLED) == a && a->by_order.when == 7 * MS);
	fstream_outbox_move(&box, b, FSTREAM_READY);
	fstream_outbox_move(&box, a, FSTREAM_READY);
	MUST(send_first(&box) == 0 && send_first(&box) == 1);
	fstream_outbox_again(&box, a, 0, FSTREAM_END_LOST);
	fstream_outbox_stall(&box, a, 9 * MS);
	fstream_outbox_done(&box, a, 0);
	MUST(!fstream_outbox_first(&box, FSTREAM_STALLED) && a->queue == FSTREAM_READY);
	fstream_outbox_free(&box);
	return true;
}

/* A replaced message keeps all but its content, and is sent as if it were new. */
static bool test_replace(void)
{
	struct fstream_outbox box = outbox();
	struct fstream_out *old = add(&box, 1500, 7 * MS, 3), *new;

	old->submitted = 5 * MS;
	old->user = &box;
	old->stale = FRESHLINK_TRUNCATE;
	old->edition = UINT16_MAX;
	send_first(&box);
	new = fstream_out_new(content, 10);
	fstream_outbox_replace(&box, old, new);
	MUST(fstream_outbox_find(&box, FIRST) == new);
	MUST(fstream_outbox_first(&box, FSTREAM_READY) == new);
	MUST(fstream_outbox_due(&box) == new && new->by_deadline.when == 7 * MS);
	MUST(new->submitted == 5 * MS && new->deadline == 7 * MS && new->user == &box);
	MUST(new->stale == FRESHLINK_TRUNCATE && new->edition == 0 && new->priority == 3);
	MUST(box.count == 1 && box.memory == 10 && box.backlog == 10);
	/* nothing of it was sent: the next one is the same edition */
	old = new;
	new = fstream_out_new(content, 10);
	fstream_outbox_replace(&box, old, new);
	MUST(new->edition == 0);
	fstream_outbox_free(&box);
	return true;
}

/* An old message that stays while others pass: all are found, and the ring shrinks after it. */
static bool test_span(void)
{
	struct fstream_outbox box = outbox();
	struct fstream_out *old = add(&box, 1, 0, 0);

	for (uint64_t i = 1; i < 5000; i++) {
		struct fstream_out *out = add(&box, 1, 0, 0);

		MUST(fstream_outbox_find(&box, FIRST + i) == out);
		MUST(fstream_outbox_find(&box, FIRST) == old);
		drop(&box, out);
		MUST(!fstream_outbox_find(&box, FIRST + i) && box.oldest == FIRST);
	}
	MUST(box.room == 8192 && !fstream_outbox_find(&box, FIRST + 5000));
	MUST(!fstream_outbox_find(&box, FIRST - 1));
	drop(&box, old);
	MUST(box.oldest == FIRST + 5000 && box.room == 64);
	fstream_outbox_free(&box);
	return true;
}

/* Memory is at most 64 KiB and twice the content of messages of 200 bytes, and comes back. */
static bool test_memory(void)
{
	size_t before = __sanitizer_get_current_allocated_bytes(), used;
	struct fstream_outbox box = outbox();
	struct fstream_out *out;

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 20000; i++)
			MUST(add(&box, 200, 0, 0));
		used = __sanitizer_get_current_allocated_bytes() - before;
		MUST(used <= 65536 + 2 * box.memory);
		while ((out = fstream_outbox_due(&box)))
			drop(&box, out);
		MUST(box.memory == 0 && box.backlog == 0 && box.count == 0);
		used = __sanitizer_get_current_allocated_bytes() - before;
		MUST(used <= 4096);
	}
	fstream_outbox_free(&box);
	MUST(__sanitizer_get_current_allocated_bytes() == before);
	return true;
}

/* The sums of a walk through all messages are those that the outbox keeps. */
static bool sums(const struct fstream_outbox *box)
{
	size_t count = 0, memory = 0, backlog = 0, queue[FSTREAM_QUEUES] = { 0 };

	for (uint64_t number = box->oldest; number != box->next; number++) {
		const struct fstream_out *out = fstream_outbox_find(box, number);
		size_t wanted = 0;

		for (unsigned int i = 0; out && i < out->pieces; i++)
			if (out->piece[i].state == FSTREAM_PIECE_NEW ||
			    out->piece[i].state == FSTREAM_PIECE_AGAIN)
				wanted += fstream_out_piece_len(out, i);
		if (!out)
			continue;
		MUST(out->wanted == wanted);
		count++;
		memory += out->len;
		backlog += wanted;
		queue[out->queue] += wanted > 0;
	}
	MUST(box->count == count && box->memory == memory && box->backlog == backlog);
	MUST(box->deadlines.count == count);
	for (int i = 0; i < FSTREAM_QUEUES; i++)
		MUST(box->queue[i].count == queue[i]);
	return true;
}

/* Does something at random with a message. */
static void act(struct fstream_outbox *box, struct fstream_out *out)
{
	unsigned int i = (unsigned int)seeded_below(out->pieces);
	bool flight = out->piece[i].state == FSTREAM_PIECE_FLIGHT;

	switch (seeded_below(7)) {
	case 0:
		drop(box, out);
		break;
	case 1:
		fstream_outbox_prioritize(box, out, (uint8_t)seeded_below(3));
		break;
	case 2:
		if (out->wanted && seeded_chance(500000))
			fstream_outbox_stall(box, out, (int64_t)seeded_below(1000));
		else if (out->wanted)
			fstream_outbox_move(box, out, (enum fstream_queue)seeded_below(2));
		break;
	case 3:
		if (flight)
			fstream_outbox_again(box, out, i, FSTREAM_END_LOST);
		break;
	case 4:
		if (flight || out->piece[i].state == FSTREAM_PIECE_AGAIN)
			fstream_outbox_done(box, out, i);
		break;
	default:
		if (out->again)
			fstream_outbox_sent(box, out, fstream_out_again(out), 1);
		else if (out->fresh < out->pieces)
			fstream_outbox_sent(box, out, out->fresh, 1);
		break;
	}
}

static bool test_random(void)
{
	struct fstream_outbox box = outbox();
	struct fstream_out *out;

	seeded_state = 4;
	for (int i = 0; i < 30000; i++) {
		uint64_t span = box.next - box.oldest;

		out = span ? fstream_outbox_find(&box, box.oldest + seeded_below(span)) : NULL;
		if (out && (box.count > 50 || seeded_chance(800000)))
			act(&box, out);
		else if (box.count < 100)
			MUST(add(&box, 1 + seeded_below(5000), (int64_t)seeded_below(1000), 0));
		MUST(sums(&box));
	}
	fstream_outbox_free(&box);
	return true;
}

static const struct unit tests[] = {
	{ "pieces", test_cut },
	{ "limits of pieces", test_cut_limits },
	{ "priority and number", test_order },
	{ "repeats", test_repeats_first },
	{ "deadlines", test_deadlines },
	{ "backlog", test_backlog },
	{ "held messages", test_held },
	{ "stalled messages", test_stalled },
	{ "new content", test_replace },
	{ "an old message among new ones", test_span },
	{ "memory", test_memory },
	{ "sums after random actions", test_random },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) ? 1 : 0;
}
