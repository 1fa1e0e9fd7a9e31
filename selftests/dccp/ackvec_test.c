// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The receiver's Ack Vector says of each packet what became of it, until the peer is known to have
 * heard it, and no longer; its bytes are those of RFC 4340 section 11.4, 11.7 and appendix A.
 * Prints TAP.
 */
#include "../../userspace/dccp/ackvec.c"

#include "../codec/unit.h"
#include "seeded.h"

static uint8_t written[FDCCP_OPTIONS_MAX];

/* Writes the options of packet @seq into @room bytes. Return: their length. */
static size_t write_in(struct fdccp_ackvec *av, uint64_t seq, bool data_dropped, size_t room)
{
	struct fdccp_writer w = { written, written, written + room };

	fdccp_ackvec_write(av, &w, seq, data_dropped);
	return (size_t)(w.at - w.start);
}

/* Whether the options of packet @seq are these bytes. */
static bool writes(struct fdccp_ackvec *av, uint64_t seq, const void *bytes, size_t len)
{
	bool same = fdccp_ackvec_size(av) == len;
	size_t got = write_in(av, seq, true, sizeof(written));

	return same && got == len && !memcmp(written, bytes, len);
}

#define WRITES(av, seq, ...)								\
	MUST(writes(av, seq, (uint8_t[]){ __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ })))

/* The examples of sections 11.4 and 11.7. */
static bool test_rfc_examples(void)
{
	struct fdccp_ackvec *av = fdccp_ackvec_new(88);

	MUST(write_in(av, 1, true, sizeof(written)) == 0);
	MUST(fdccp_ackvec_size(av) == 0);
	for (uint64_t seq = 88; seq <= 100; seq++)
		if (seq != 99)
			MUST(fdccp_ackvec_add(av, seq, seq == 94));
	WRITES(av, 1, 38, 7, 0, 192, 3, 64, 5);
	MUST(fdccp_ackvec_add(av, 99, false));
	fdccp_ackvec_drop(av, 99, FDCCP_DROP_RECEIVE_BUFFER);
	for (uint64_t seq = 92; seq <= 94; seq++)
		fdccp_ackvec_drop(av, seq, FDCCP_DROP_RECEIVE_BUFFER);
	WRITES(av, 2, 38, 5, 5, 64, 5, 40, 6, 0, 160, 3, 162);
	fdccp_ackvec_free(av);
	return true;
}

/* The Example Buffer of appendix A; our packet 59 has reported packets 0 to 3. */
static struct fdccp_ackvec *example_buffer(void)
{
	struct fdccp_ackvec *av = fdccp_ackvec_new(0);

	for (uint64_t seq = 0; seq <= 3; seq++)
		fdccp_ackvec_add(av, seq, seq == 1);
	write_in(av, 59, true, sizeof(written));
	for (uint64_t seq = 4; seq <= 10; seq++)
		if (seq < 7 || seq > 9)
			fdccp_ackvec_add(av, seq, false);
	return av;
}

/* Appendix A.1 and A.3: packets that arrive, and acknowledgments that are acknowledged. */
static bool test_appendix(void)
{
	struct fdccp_ackvec *av = example_buffer();

	WRITES(av, 60, 38, 7, 0, 194, 4, 64, 0);
	MUST(fdccp_ackvec_add(av, 11, true));
	WRITES(av, 61, 38, 8, 64, 0, 194, 4, 64, 0);
	fdccp_ackvec_free(av);

	av = example_buffer();
	WRITES(av, 60, 38, 7, 0, 194, 4, 64, 0);
	fdccp_ackvec_acked(av, 58);
	WRITES(av, 61, 38, 7, 0, 194, 4, 64, 0);
	fdccp_ackvec_acked(av, 59);
	WRITES(av, 62, 38, 5, 0, 194, 2);
	/* packet 9 comes late: number 60 to 62 told otherwise, so their acknowledgment ends at 8 */
	MUST(fdccp_ackvec_add(av, 9, false));
	fdccp_ackvec_acked(av, 62);
	WRITES(av, 63, 38, 3, 1);
	fdccp_ackvec_acked(av, 63);
	/* the greatest number is reported always */
	WRITES(av, 64, 38, 3, 0);
	/* a packet behind all that is reported comes late */
	MUST(fdccp_ackvec_add(av, 8, false));
	WRITES(av, 65, 38, 3, 2);
	fdccp_ackvec_free(av);
	return true;
}

/* The peer's Ack Vector tells which packets it has: the newest of them ends what is reported. */
static bool test_acked_by_vector(void)
{
	struct fdccp_ackvec *av = fdccp_ackvec_new(0);
	const uint8_t hole[] = { 0, 192, 1 };	/* 53; not 52; 51 and 50 */
	const uint8_t all[] = { 4 };		/* 54 to 50 */

	for (uint64_t seq = 0; seq <= 3; seq++)
		MUST(fdccp_ackvec_add(av, seq, false));
	write_in(av, 50, true, sizeof(written));
	MUST(fdccp_ackvec_add(av, 4, false));
	write_in(av, 52, true, sizeof(written));
	/* packet 50 reported 0 to 3 */
	fdccp_ackvec_acked_by(av, 53, hole, sizeof(hole));
	MUST(fdccp_ackvec_add(av, 5, false));
	WRITES(av, 55, 38, 3, 1);
	fdccp_ackvec_acked_by(av, 54, all, sizeof(all));
	MUST(fdccp_ackvec_add(av, 6, false));
	WRITES(av, 56, 38, 3, 1);
	fdccp_ackvec_free(av);
	return true;
}

static bool test_duplicates(void)
{
	struct fdccp_ackvec *av = fdccp_ackvec_new(5);

	MUST(!fdccp_ackvec_seen(av, 5) && fdccp_ackvec_seen(av, 4));
	MUST(!fdccp_ackvec_add(av, 4, false));
	MUST(fdccp_ackvec_add(av, 5, false));
	MUST(fdccp_ackvec_seen(av, 5) && !fdccp_ackvec_add(av, 5, true));
	MUST(fdccp_ackvec_add(av, 7, true) && !fdccp_ackvec_seen(av, 6));
	WRITES(av, 1, 38, 5, 64, 192, 0);
	/* nothing is dropped that was not received, and no code becomes a less serious one */
	fdccp_ackvec_drop(av, 6, 2);
	fdccp_ackvec_drop(av, 8, 2);
	WRITES(av, 2, 38, 5, 64, 192, 0);
	fdccp_ackvec_drop(av, 5, FDCCP_DROP_DELIVERED_CORRUPT);
	fdccp_ackvec_drop(av, 5, FDCCP_DROP_NOT_LISTENING);
	fdccp_ackvec_drop(av, 5, FDCCP_DROP_DELIVERED_CORRUPT);
	WRITES(av, 3, 38, 5, 64, 192, 0, 40, 4, 1, 144);
	MUST(write_in(av, 4, false, sizeof(written)) == 5);
	fdccp_ackvec_free(av);
	return true;
}

/* Runs of more than 64, and more bytes than one option has. */
static bool test_long(void)
{
	struct fdccp_ackvec *av = fdccp_ackvec_new(1);

	for (uint64_t seq = 1; seq <= 130; seq++)
		fdccp_ackvec_add(av, seq, false);
	WRITES(av, 1, 38, 5, 63, 63, 1);
	for (uint64_t seq = 131; seq <= 160; seq++)
		fdccp_ackvec_add(av, seq, false);
	for (uint64_t seq = 2; seq <= 20; seq++)
		fdccp_ackvec_drop(av, seq, FDCCP_DROP_CORRUPT);
	WRITES(av, 2, 38, 5, 63, 63, 31, 40, 6, 127, 11, 191, 178);
	fdccp_ackvec_free(av);

	/* each second packet: 601 cells are 253, 253 and 95 */
	av = fdccp_ackvec_new(0);
	for (uint64_t seq = 0; seq <= 600; seq += 2)
		fdccp_ackvec_add(av, seq, false);
	MUST(fdccp_ackvec_size(av) == 255 + 255 + 97);
	MUST(write_in(av, 1, true, sizeof(written)) == 255 + 255 + 97);
	MUST(written[0] == 38 && written[1] == 255 && written[2] == 0 && written[254] == 0);
	MUST(written[255] == 38 && written[256] == 255 && written[257] == 192);
	MUST(written[510] == 38 && written[511] == 97 && written[606] == 0);
	fdccp_ackvec_free(av);
	return true;
}

/*
 * What has no room in a data packet comes with a later one; what has no room in a packet without
 * data is given up, so that the vector shrinks.
 */
static bool test_room(void)
{
	struct fdccp_ackvec *av = fdccp_ackvec_new(0);

	for (uint64_t seq = 0; seq <= 2000; seq += 2)
		fdccp_ackvec_add(av, seq, false);
	MUST(write_in(av, 1, true, 40) == 40);
	MUST(written[1] == 40 && written[2] == 0 && written[3] == 192);
	fdccp_ackvec_acked(av, 1);
	MUST(fdccp_ackvec_size(av) > FDCCP_OPTIONS_MAX);
	for (size_t room = 0; room < 3; room++)
		MUST(write_in(av, 1, true, room) == 0);
	MUST(write_in(av, 2, true, FDCCP_ACKVEC_ROOM) == FDCCP_ACKVEC_ROOM - 2);
	MUST(fdccp_ackvec_size(av) == FDCCP_ACKVEC_ROOM - 2);
	fdccp_ackvec_acked(av, 2);
	MUST(fdccp_ackvec_size(av) == 3);

	/* the vector had room, Data Dropped had not: its acknowledgment ends nothing */
	MUST(fdccp_ackvec_add(av, 2001, false));
	fdccp_ackvec_drop(av, 2001, FDCCP_DROP_CORRUPT);
	MUST(write_in(av, 3, true, 5) == 3);
	fdccp_ackvec_acked(av, 3);
	WRITES(av, 4, 38, 3, 0, 40, 3, 176);
	fdccp_ackvec_acked(av, 4);
	MUST(fdccp_ackvec_add(av, 2002, false));
	WRITES(av, 5, 38, 3, 0);
	fdccp_ackvec_free(av);
	return true;
}

/* Memory is bounded: packets far apart, and acknowledgments that nobody acknowledges. */
static bool test_bounds(void)
{
	const size_t most = sizeof(struct fdccp_ackvec) + FDCCP_ACKVEC_CELLS +
			    FDCCP_ACKVEC_RECORDS * sizeof(struct record);
	struct fdccp_ackvec *av = fdccp_ackvec_new(FDCCP_SEQ_MASK - 100);
	uint64_t seq = FDCCP_SEQ_MASK - 100;

	MUST(fdccp_ackvec_memory(av) < 512);
	for (int i = 0; i < 20000; i++) {
		seq = fdccp_seq_add(seq, (int64_t)seeded_below(3) + (i % 1000 ? 1 : 100000));
		MUST(fdccp_ackvec_add(av, seq, false));
		MUST(!fdccp_ackvec_add(av, fdccp_seq_add(seq, -FDCCP_ACKVEC_CELLS), false));
		write_in(av, (uint64_t)i, true, sizeof(written));
		MUST(fdccp_ackvec_memory(av) <= most);
	}
	MUST(fdccp_ackvec_memory(av) == most && most <= 12800);
	fdccp_ackvec_acked(av, 19999);
	MUST(fdccp_ackvec_size(av) == 3);
	fdccp_ackvec_free(av);
	return true;
}

/* The model: what happened to each packet, and what the peer is known to have heard of it. */
#define PACKETS	20000
#define NONE	0xff

struct fact {
	uint8_t state, code;
};

struct told {
	uint64_t from, to;
	struct fact fact[1024];
};

static struct fact now_known[PACKETS];
static struct fact heard[PACKETS];
static struct told told[64];

/* Reads the written options into facts about numbers up to @head. Return: the oldest number. */
static uint64_t read_written(size_t len, uint64_t head, struct told *out)
{
	uint64_t vector = head + 1, dropped = head + 1;

	for (size_t at = 0; at < len; at += written[at + 1]) {
		for (size_t b = at + 2; b < at + written[at + 1]; b++) {
			uint8_t byte = written[b];
			bool drop = byte & 0x80;
			int run = written[at] == 38 ? byte & 63 : byte & (drop ? 15 : 127);

			for (int k = 0; k <= run; k++) {
				uint64_t i = (written[at] == 38 ? --vector : --dropped) % 1024;

				if (written[at] == 38)
					out->fact[i] = (struct fact){ byte >> 6, NONE };
				else if (drop && dropped >= vector)
					out->fact[i].code = byte >> 4 & 7;
			}
		}
	}
	return vector;
}

static bool same(struct fact a, struct fact b)
{
	return a.state == b.state && a.code == b.code;
}

/* Writes an acknowledgment, and compares it with the model. */
static bool check_written(struct fdccp_ackvec *av, uint64_t base, uint64_t head, uint64_t *first,
			  unsigned int ack)
{
	struct told *out = &told[ack % 64];
	size_t size = fdccp_ackvec_size(av);
	size_t len = write_in(av, ack, true, sizeof(written));

	MUST(len == size && len > 0);
	while (*first < head && same(heard[*first], now_known[*first]))
		(*first)++;
	MUST(head - *first < 1024);
	out->to = head;
	out->from = read_written(len, head, out);
	MUST(out->from == *first);
	for (uint64_t i = out->from; i <= head; i++)
		MUST(same(out->fact[i % 1024], now_known[i]));
	MUST(av->head == fdccp_seq_add(base, (int64_t)head));
	return true;
}

/* A packet arrives, which may be a duplicate. */
static bool arrive(struct fdccp_ackvec *av, uint64_t base, uint64_t i, uint64_t head,
		   uint64_t *first)
{
	uint64_t seq = fdccp_seq_add(base, (int64_t)i);
	bool fresh = now_known[i].state == FDCCP_CELL_NOT_RECEIVED;
	bool marked = seeded_chance(100000);

	MUST(fdccp_ackvec_seen(av, seq) == !fresh);
	MUST(fdccp_ackvec_add(av, seq, marked) == fresh);
	if (!fresh)
		return true;
	now_known[i].state = marked ? FDCCP_CELL_MARKED : FDCCP_CELL_RECEIVED;
	if (seeded_chance(50000)) {
		now_known[i].code = (uint8_t)seeded_below(4);
		fdccp_ackvec_drop(av, seq, now_known[i].code);
	}
	if (i < *first && i < head)
		*first = i;
	return true;
}

/* The peer acknowledges our packet @ack. */
static void acknowledge(struct fdccp_ackvec *av, unsigned int ack)
{
	const struct told *out = &told[ack % 64];

	for (uint64_t i = out->from; i <= out->to; i++)
		heard[i] = out->fact[i % 1024];
	fdccp_ackvec_acked(av, ack);
}

/*
 * Arrivals with loss, duplicates and reordering by up to 40. Most acknowledgments are lost, the
 * others are acknowledged up to 20 acknowledgments later.
 */
static bool random_arrivals(uint64_t seed)
{
	uint64_t base = fdccp_seq_add(0, -PACKETS / 2);
	struct fdccp_ackvec *av = fdccp_ackvec_new(base);
	uint64_t head = 0, first = 0;
	unsigned int ack = 0, acked = 0;

	seeded_state = seed;
	for (size_t i = 0; i < PACKETS; i++) {
		now_known[i] = (struct fact){ FDCCP_CELL_NOT_RECEIVED, NONE };
		heard[i] = (struct fact){ NONE, NONE };
	}
	MUST(arrive(av, base, 0, 0, &first));
	while (head < PACKETS - 100) {
		uint64_t i = head + seeded_below(4);

		if (seeded_chance(200000) && head > 40)
			i = head - seeded_below(40);
		MUST(arrive(av, base, i, head, &first));
		head = i > head ? i : head;
		if (seeded_chance(500000))
			MUST(check_written(av, base, head, &first, ++ack));
		if (seeded_chance(200000) && ack > acked) {
			unsigned int window = ack - acked < 20 ? ack - acked : 20;

			acked = ack - (unsigned int)seeded_below(window);
			acknowledge(av, acked);
		}
	}
	fdccp_ackvec_free(av);
	return true;
}

static bool test_random(void)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		if (!random_arrivals(seed)) {
			printf("# seed %d\n", (int)seed);
			return false;
		}
	}
	return true;
}

int main(void)
{
	const struct unit tests[] = {
		{ "examples of RFC 4340", test_rfc_examples },
		{ "examples of appendix A", test_appendix },
		{ "a vector of the peer ends reports", test_acked_by_vector },
		{ "duplicates and drop codes", test_duplicates },
		{ "several options", test_long },
		{ "little room", test_room },
		{ "bounded memory", test_bounds },
		{ "random arrivals", test_random },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0]));
}
