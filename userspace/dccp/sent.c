// SPDX-License-Identifier: GPL-2.0-or-later
/* The sender's packets in flight and their fates (RFC 4340 sections 11.4 and 11.7). */
#include <stdlib.h>
#include <string.h>

#include "sent.h"
#include "seq.h"

#define PACKETS_MIN	4

/* packets without data are remembered for at least so many later ones */
#define QUIET_MIN	128

/* sets of packets, kept as bits in the order of the ring */
enum set {
	MISSING,	/* not acknowledged */
	NEWS,		/* of which something new is known, during an acknowledgment */
	UNTOLD,		/* with a fate that was not fetched */
	HINTED,		/* with a hint that was not fetched */
	SETS,
};

/**
 * struct fdccp_sent - packets that were sent
 * @packets: a ring; a packet's position counts on, its lower bits are its place in the ring
 * @set: a bit for each place of the ring
 * @size: places of the ring, a power of 2
 * @low: position of the oldest packet that is remembered
 * @next: one after the last position
 * @open: all packets before this position have a fate
 * @untold: all packets before it were told, or have no fate
 * @untold_count: packets in the set UNTOLD
 * @news: no packet before it is in the set NEWS
 * @news_end: nor this one or a later one
 * @missing: all packets before it were received
 * @top: the greatest numbers received, in descending order
 * @has_top: there are some
 */
struct fdccp_sent {
	struct fdccp_sent_packet *packets;
	uint64_t *set[SETS];
	size_t size;
	uint64_t low, next, open, untold, untold_count, news, news_end, missing;
	uint64_t top[FDCCP_NUMDUPACK];
	bool has_top;
};

static size_t words(size_t size)
{
	return (size + 63) / 64;
}

/* Gives @sent an empty ring of @size places. Return: whether there was memory. */
static bool make_ring(struct fdccp_sent *sent, size_t size)
{
	struct fdccp_sent_packet *packets = malloc(size * sizeof(*packets));
	uint64_t *sets = calloc(SETS * words(size), sizeof(*sets));

	if (!packets || !sets) {
		free(packets);
		free(sets);
		return false;
	}
	sent->packets = packets;
	sent->size = size;
	for (int i = 0; i < SETS; i++)
		sent->set[i] = &sets[(size_t)i * words(size)];
	return true;
}

static void free_ring(struct fdccp_sent *sent)
{
	free(sent->packets);
	free(sent->set[0]);
}

struct fdccp_sent *fdccp_sent_new(void)
{
	struct fdccp_sent *sent = calloc(1, sizeof(*sent));

	if (sent && !make_ring(sent, PACKETS_MIN)) {
		free(sent);
		return NULL;
	}
	return sent;
}

void fdccp_sent_free(struct fdccp_sent *sent)
{
	if (!sent)
		return;
	free_ring(sent);
	free(sent);
}

size_t fdccp_sent_memory(const struct fdccp_sent *sent)
{
	return sizeof(*sent) + sent->size * sizeof(*sent->packets) +
	       SETS * words(sent->size) * sizeof(*sent->set[0]);
}

static size_t place(const struct fdccp_sent *sent, uint64_t at)
{
	return at & (sent->size - 1);
}

static struct fdccp_sent_packet *packet_at(const struct fdccp_sent *sent, uint64_t at)
{
	return &sent->packets[place(sent, at)];
}

static void put(struct fdccp_sent *sent, enum set set, uint64_t at, bool in)
{
	size_t index = place(sent, at);
	uint64_t bit = UINT64_C(1) << index % 64;

	if (in)
		sent->set[set][index / 64] |= bit;
	else
		sent->set[set][index / 64] &= ~bit;
}

static bool has(const struct fdccp_sent *sent, enum set set, uint64_t at)
{
	size_t index = place(sent, at);

	return sent->set[set][index / 64] >> index % 64 & 1;
}

/**
 * struct walk - a walk through a set, 64 positions at a time
 * @base: position of the lowest bit of @bits
 * @bits: the packets of this word that are left
 * @next: the position after this word
 * @end: where it ends
 */
struct walk {
	uint64_t base, bits, next, end;
};

/* Goes to the next word. Return: false at the end. */
static bool next_word(const struct fdccp_sent *sent, enum set set, struct walk *walk)
{
	size_t index = place(sent, walk->next);
	uint64_t count = 64 - index % 64;

	if (walk->next >= walk->end)
		return false;
	if (count > sent->size - index)
		count = sent->size - index;
	walk->bits = sent->set[set][index / 64] >> index % 64;
	if (count > walk->end - walk->next) {
		count = walk->end - walk->next;
		walk->bits &= (UINT64_C(1) << count) - 1;
	}
	walk->base = walk->next;
	walk->next += count;
	return true;
}

/* Goes to the next packet of the set, at *@at. Return: false at the end. */
static inline bool next_packet(const struct fdccp_sent *sent, enum set set, struct walk *walk,
			       uint64_t *at)
{
	while (!walk->bits)
		if (!next_word(sent, set, walk))
			return false;
	*at = walk->base + (uint64_t)__builtin_ctzll(walk->bits);
	walk->bits &= walk->bits - 1;
	return true;
}

/* Walks through @set from position @from to before @to; @at may leave the set meanwhile. */
#define for_each(sent, set, at, from, to)						\
	for (struct walk walk_ = { .next = from, .end = to };				\
	     next_packet(sent, set, &walk_, &at); )

/* As position(), where some numbers between low and next have no packet. */
static uint64_t search(const struct fdccp_sent *sent, uint64_t seq, uint64_t low, uint64_t high)
{
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (fdccp_seq_before(packet_at(sent, middle)->seq, seq))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* As search(), where the position is mostly little above @low: doubles the distance that it looks
 * at.
 */
static uint64_t search_near(const struct fdccp_sent *sent, uint64_t seq, uint64_t low)
{
	uint64_t high = low;

	for (uint64_t step = 1; high < sent->next; step *= 2) {
		if (!fdccp_seq_before(packet_at(sent, high)->seq, seq))
			return search(sent, seq, low, high);
		low = high + 1;
		high += step;
	}
	return search(sent, seq, low, sent->next);
}

/* The position of the first packet with a number of @seq or greater. Each number has at most one
 * packet, so the distance from the last number bounds the search; mostly it is the answer, or near
 * it.
 */
static uint64_t position(const struct fdccp_sent *sent, uint64_t seq)
{
	uint64_t low = sent->low;
	int64_t behind;

	if (low == sent->next)
		return low;
	behind = fdccp_seq_diff(packet_at(sent, sent->next - 1)->seq, seq);
	if (behind < 0)
		return sent->next;
	if ((uint64_t)behind < sent->next - low) {
		low = sent->next - 1 - (uint64_t)behind;
		if (packet_at(sent, low)->seq == seq)
			return low;
	} else if (!fdccp_seq_before(packet_at(sent, low)->seq, seq)) {
		return low;
	}
	return search_near(sent, seq, low);
}

/* Doubles the ring. Return: whether it was possible. */
static __attribute__((noinline)) bool grow(struct fdccp_sent *sent)
{
	struct fdccp_sent old = *sent;

	if (sent->size >= FDCCP_SENT_MAX || !make_ring(sent, sent->size * 2))
		return false;
	for (uint64_t at = sent->low; at < sent->next; at++) {
		*packet_at(sent, at) = *packet_at(&old, at);
		for (enum set set = 0; set < SETS; set++)
			put(sent, set, at, has(&old, set, at));
	}
	free_ring(&old);
	return true;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Whether nothing needs a packet any more. */
static bool is_done(const struct fdccp_sent *sent, const struct fdccp_sent_packet *packet)
{
	return packet->data ? packet->told : packet->received || sent->size >= QUIET_MIN;
}

/* Forgets the oldest packets that nothing needs, up to an eighth of the ring; else it grows. */
static __attribute__((noinline)) bool make_room(struct fdccp_sent *sent)
{
	uint64_t low = sent->low, end = low + (sent->size + 7) / 8;

	while (low < end && is_done(sent, packet_at(sent, low)))
		low++;
	if (low == sent->low)
		return grow(sent);
	sent->low = low;
	sent->open = later(sent->open, low);
	sent->untold = later(sent->untold, low);
	sent->missing = later(sent->missing, low);
	return true;
}

struct fdccp_sent_packet *fdccp_sent_add(struct fdccp_sent *sent, uint64_t seq, int64_t now)
{
	struct fdccp_sent_packet *packet;

	if (sent->next - sent->low == sent->size && !make_room(sent))
		return NULL;
	packet = packet_at(sent, sent->next);
	*packet = (struct fdccp_sent_packet){
		.seq = seq,
		.at = now,
		.fate = FDCCP_FATES,
		.drop = FDCCP_DROP_NONE,
		.hint = FDCCP_FATES,
	};
	put(sent, HINTED, sent->next, false);
	put(sent, MISSING, sent->next++, true);
	return packet;
}

struct fdccp_sent_packet *fdccp_sent_find(struct fdccp_sent *sent, uint64_t seq)
{
	uint64_t at = position(sent, seq);

	if (at == sent->next || packet_at(sent, at)->seq != seq)
		return NULL;
	return packet_at(sent, at);
}

uint64_t fdccp_sent_open(const struct fdccp_sent *sent)
{
	uint64_t count = 0;
	uint64_t at;

	for_each(sent, MISSING, at, sent->open, sent->next) {
		const struct fdccp_sent_packet *packet = packet_at(sent, at);

		count += packet->data && packet->fate == FDCCP_FATES;
	}
	return count;
}

static void add_news(struct fdccp_sent *sent, uint64_t at)
{
	put(sent, NEWS, at, true);
	if (at < sent->news || sent->news == sent->news_end)
		sent->news = at;
	sent->news_end = later(sent->news_end, at + 1);
}

/* Gives @packet, which is at @at, its fate, if it has none. Return: whether it had none. */
static inline bool decide(struct fdccp_sent *sent, struct fdccp_sent_packet *packet, uint64_t at,
			  enum fdccp_fate fate)
{
	if (packet->fate != FDCCP_FATES)
		return false;
	packet->fate = fate;
	if (packet->data) {
		put(sent, UNTOLD, at, true);
		sent->untold_count++;
		if (at < sent->untold)
			sent->untold = at;
	}
	return true;
}

/* The fate of a packet that is not acknowledged. */
static enum fdccp_fate hint_or(const struct fdccp_sent_packet *packet, enum fdccp_fate fate)
{
	return packet->hint == FDCCP_FATES ? fate : packet->hint;
}

static void lose(struct fdccp_sent *sent, uint64_t at)
{
	struct fdccp_sent_packet *packet = packet_at(sent, at);

	if (decide(sent, packet, at, hint_or(packet, FDCCP_FATE_LOST)))
		add_news(sent, at);
}

static unsigned int cell_state(uint8_t cell)
{
	return cell >> 6;
}

static int64_t cell_run(uint8_t cell)
{
	return (cell & 0x3f) + 1;
}

static bool is_received(uint8_t cell)
{
	return cell_state(cell) <= FDCCP_CELL_MARKED;
}

/* Whether an acknowledgment speaks only of packets that were sent. */
static bool valid(const struct fdccp_acks *acks)
{
	int64_t reported = 0;

	if (!fdccp_seq_between(acks->iss, acks->ack, acks->gss))
		return false;
	for (size_t i = 0; i < acks->vector_len; i++)
		reported += cell_run(acks->vector[i]);
	return reported <= fdccp_seq_diff(acks->ack, acks->iss) + 1;
}

/* Adds @seq to the greatest numbers received. */
static void note_top(struct fdccp_sent *sent, uint64_t seq)
{
	for (int i = 0; i < FDCCP_NUMDUPACK && seq != sent->top[i]; i++) {
		uint64_t top = sent->top[i];

		if (!fdccp_seq_after(seq, top))
			continue;
		sent->top[i] = seq;
		seq = top;
	}
}

/* Whether @acks reports first of all that the newest packets up to @acks->ack were received. */
static bool is_in_order(const struct fdccp_sent *sent, const struct fdccp_acks *acks)
{
	uint8_t cell = acks->vector[0];

	return is_received(cell) && cell_run(cell) >= FDCCP_NUMDUPACK &&
	       fdccp_seq_diff(acks->ack, sent->top[0]) >= FDCCP_NUMDUPACK - 1;
}

/* Finds the greatest numbers that @acks reports as received. */
static void note_tops(struct fdccp_sent *sent, const struct fdccp_acks *acks)
{
	uint64_t seq = acks->ack;
	unsigned int found = 0;

	if (is_in_order(sent, acks)) {
		for (int i = 0; i < FDCCP_NUMDUPACK; i++)
			sent->top[i] = fdccp_seq_add(seq, -i);
		return;
	}
	for (size_t i = 0; i < acks->vector_len && found < FDCCP_NUMDUPACK; i++) {
		int64_t run = cell_run(acks->vector[i]);

		if (is_received(acks->vector[i]))
			for (int64_t k = 0; k < run && found < FDCCP_NUMDUPACK; k++, found++)
				note_top(sent, fdccp_seq_add(seq, -k));
		seq = fdccp_seq_add(seq, -run);
	}
}

/* The packets from position @from to before @to were received. */
static void receive(struct fdccp_sent *sent, uint64_t from, uint64_t to, bool marked)
{
	uint64_t at;

	for_each(sent, MISSING, at, later(from, sent->missing), to) {
		struct fdccp_sent_packet *packet = packet_at(sent, at);

		packet->received = true;
		packet->marked = marked;
		put(sent, MISSING, at, false);
		add_news(sent, at);
	}
	if (from <= sent->missing)
		sent->missing = later(sent->missing, to);
}

static void apply_vector(struct fdccp_sent *sent, const struct fdccp_acks *acks)
{
	uint64_t next = fdccp_seq_add(acks->ack, 1);
	uint64_t to = position(sent, next);

	for (size_t i = 0; i < acks->vector_len && to > sent->missing; i++) {
		uint8_t cell = acks->vector[i];
		uint64_t from;

		next = fdccp_seq_add(next, -cell_run(cell));
		from = position(sent, next);
		if (is_received(cell))
			receive(sent, from, to, cell_state(cell) == FDCCP_CELL_MARKED);
		to = from;
	}
}

/* Whether one of the packets from position @from to before @to is missing. */
static bool any_missing(const struct fdccp_sent *sent, uint64_t from, uint64_t to)
{
	struct walk walk = { .next = from, .end = to };
	uint64_t at;

	return next_packet(sent, MISSING, &walk, &at);
}

/* Drop Blocks count only for packets received with this acknowledgment; those that contradict what
 * is known are ignored (RFC 4340 section 11.7). Return: whether one names a packet that is missing,
 * where an Ack Vector says so
 */
static bool apply_dropped(struct fdccp_sent *sent, const struct fdccp_acks *acks)
{
	uint64_t next = fdccp_seq_add(acks->ack, 1);
	uint64_t to = acks->dropped_len ? position(sent, next) : sent->low;
	bool contradicts = false;

	for (size_t i = 0; i < acks->dropped_len && to > sent->low; i++) {
		uint8_t block = acks->dropped[i];
		bool drop = block & 0x80;
		uint64_t from, at;

		next = fdccp_seq_add(next, -(block & (drop ? 0x0f : 0x7f)) - 1);
		from = position(sent, next);
		if (drop) {
			for_each(sent, NEWS, at, from, to)
				packet_at(sent, at)->drop = block >> 4 & 7;
			contradicts |= acks->vector_len && any_missing(sent, from, to);
		}
		to = from;
	}
	return contradicts;
}

/* RFC 4340 section 11.7.2. The reserved codes 4 to 6 say that the program did not get the data. */
static enum fdccp_fate fate_of(const struct fdccp_sent_packet *packet)
{
	switch (packet->drop) {
	case FDCCP_DROP_NONE:
		return packet->marked ? FDCCP_FATE_MARKED : FDCCP_FATE_ACKNOWLEDGED;
	case FDCCP_DROP_PROTOCOL:
		return FDCCP_FATE_CUT;
	case FDCCP_DROP_NOT_LISTENING:
	case FDCCP_DROP_RECEIVE_BUFFER:
		return FDCCP_FATE_DROPPED;
	case FDCCP_DROP_DELIVERED_CORRUPT:
		return FDCCP_FATE_MARKED;
	default:
		return FDCCP_FATE_DAMAGED;
	}
}

/* Packets before the third greatest number received are lost (RFC 4341 section 5). */
static void infer_losses(struct fdccp_sent *sent)
{
	uint64_t top = sent->top[FDCCP_NUMDUPACK - 1];
	uint64_t at, end;

	sent->open = later(sent->open, sent->missing);
	if (sent->open == sent->next || !fdccp_seq_before(packet_at(sent, sent->open)->seq, top))
		return;
	end = position(sent, top);
	for_each(sent, MISSING, at, sent->open, end)
		lose(sent, at);
	sent->open = later(sent->open, end);
}

/* Tells the verdicts of the set NEWS, and empties it. */
static void tell_news(struct fdccp_sent *sent, fdccp_sent_verdict *verdict, void *context)
{
	uint64_t at;

	for_each(sent, NEWS, at, sent->news, sent->news_end) {
		struct fdccp_sent_packet *packet = packet_at(sent, at);

		put(sent, NEWS, at, false);
		if (packet->received)
			decide(sent, packet, at, fate_of(packet));
		verdict(context, packet);
	}
	sent->news = sent->news_end;
}

/* Whether the vector reports the @count packets up to @acks->ack as received alike. */
static bool all_alike(const struct fdccp_acks *acks, int64_t count)
{
	unsigned int state = cell_state(acks->vector[0]);

	if (!is_received(acks->vector[0]))
		return false;
	for (size_t i = 0; i < acks->vector_len && cell_state(acks->vector[i]) == state; i++) {
		count -= cell_run(acks->vector[i]);
		if (count <= 0)
			return true;
	}
	return false;
}

/* Most acknowledgments report that all packets up to @acks->ack arrived alike. Return: whether this
 * one does; it is processed then.
 */
static bool acknowledge_all(struct fdccp_sent *sent, const struct fdccp_acks *acks,
			    fdccp_sent_verdict *verdict, void *context)
{
	bool marked = cell_state(acks->vector[0]) == FDCCP_CELL_MARKED;
	uint64_t at = sent->missing;
	int64_t count = 0;

	if (at < sent->next)
		count = fdccp_seq_diff(acks->ack, packet_at(sent, at)->seq) + 1;
	if (acks->dropped_len || !all_alike(acks, count))
		return false;
	for (; at < sent->next; at++) {
		struct fdccp_sent_packet *packet = packet_at(sent, at);

		if (fdccp_seq_after(packet->seq, acks->ack))
			break;
		if (packet->received)
			continue;
		packet->received = true;
		packet->marked = marked;
		put(sent, MISSING, at, false);
		decide(sent, packet, at, marked ? FDCCP_FATE_MARKED : FDCCP_FATE_ACKNOWLEDGED);
		verdict(context, packet);
	}
	sent->missing = at;
	return true;
}

int fdccp_sent_acknowledge(struct fdccp_sent *sent, const struct fdccp_acks *acks,
			   fdccp_sent_verdict *verdict, void *context)
{
	bool contradicts;

	if (!valid(acks))
		return -1;
	/* nothing before ISS can be received, so such numbers make no packet a lost one */
	for (int i = 0; i < FDCCP_NUMDUPACK && !sent->has_top; i++)
		sent->top[i] = fdccp_seq_add(acks->iss, -1 - i);
	sent->has_top = true;
	if (acks->vector_len) {
		note_tops(sent, acks);
		if (!acknowledge_all(sent, acks, verdict, context))
			apply_vector(sent, acks);
	} else {
		note_top(sent, acks->ack);
		receive(sent, position(sent, acks->ack),
			position(sent, fdccp_seq_add(acks->ack, 1)), false);
	}
	contradicts = apply_dropped(sent, acks);
	if (acks->vector_len)
		infer_losses(sent);
	if (sent->news < sent->news_end)
		tell_news(sent, verdict, context);
	return contradicts;
}

/* The position of the first open packet that was not sent before @before. */
static uint64_t first_since(struct fdccp_sent *sent, int64_t before)
{
	uint64_t end = sent->open;

	while (end < sent->next && packet_at(sent, end)->at < before)
		end++;
	return end;
}

void fdccp_sent_give_up(struct fdccp_sent *sent, int64_t before, fdccp_sent_verdict *verdict,
			void *context)
{
	uint64_t end = first_since(sent, before);
	uint64_t at;

	for_each(sent, MISSING, at, sent->open, end)
		lose(sent, at);
	sent->open = end;
	tell_news(sent, verdict, context);
}

void fdccp_sent_hint(struct fdccp_sent *sent, uint64_t seq, enum fdccp_fate fate)
{
	uint64_t at = position(sent, seq);
	struct fdccp_sent_packet *packet = packet_at(sent, at);

	packet->hint = fate;
	put(sent, HINTED, at, packet->data);
}

const struct fdccp_sent_packet *fdccp_sent_tell_hint(struct fdccp_sent *sent)
{
	uint64_t at;

	for_each(sent, HINTED, at, sent->low, sent->next) {
		put(sent, HINTED, at, false);
		if (packet_at(sent, at)->fate == FDCCP_FATES)
			return packet_at(sent, at);
	}
	return NULL;
}

void fdccp_sent_doubt(struct fdccp_sent *sent, fdccp_sent_verdict *doubt, void *context)
{
	uint64_t at;

	for_each(sent, MISSING, at, sent->open, sent->next) {
		struct fdccp_sent_packet *packet = packet_at(sent, at);

		if (!packet->data || packet->doubted || packet->fate != FDCCP_FATES)
			continue;
		packet->doubted = true;
		doubt(context, packet);
	}
}

void fdccp_sent_forget(struct fdccp_sent *sent, int64_t before, fdccp_sent_verdict *verdict,
		       void *context)
{
	uint64_t end = first_since(sent, before);
	uint64_t at;

	for_each(sent, MISSING, at, sent->open, end) {
		struct fdccp_sent_packet *packet = packet_at(sent, at);

		if (decide(sent, packet, at, hint_or(packet, FDCCP_FATE_UNKNOWN)))
			add_news(sent, at);
	}
	sent->open = end;
	tell_news(sent, verdict, context);
}

void fdccp_sent_end(struct fdccp_sent *sent, uint64_t fates[FDCCP_FATES])
{
	uint64_t at;

	for_each(sent, MISSING, at, sent->open, sent->next) {
		struct fdccp_sent_packet *packet = packet_at(sent, at);

		if (decide(sent, packet, at, hint_or(packet, FDCCP_FATE_UNKNOWN)) && packet->data)
			fates[packet->fate]++;
	}
	sent->open = sent->next;
}

/* Goes to the next packet of the set UNTOLD, which is not empty. */
static __attribute__((noinline)) void find_untold(struct fdccp_sent *sent)
{
	struct walk walk = { .next = sent->untold, .end = sent->next };

	next_packet(sent, UNTOLD, &walk, &sent->untold);
}

const struct fdccp_sent_packet *fdccp_sent_tell(struct fdccp_sent *sent)
{
	struct fdccp_sent_packet *packet;

	if (!sent->untold_count)
		return NULL;
	/* mostly it is the next one */
	if (!has(sent, UNTOLD, sent->untold))
		find_untold(sent);
	packet = packet_at(sent, sent->untold);
	packet->told = true;
	put(sent, UNTOLD, sent->untold++, false);
	sent->untold_count--;
	return packet;
}
