// SPDX-License-Identifier: GPL-2.0-or-later
/* The receiver's ring of numbers agrees with a naive model, whatever the order of pieces, skips and
 * ends; its memory is what the pieces need, and all of it comes back. Prints TAP.
 */
#include "../../userspace/stream/inbox.c"

#include "../codec/unit.h"
#include "bytes.h"
#include "seeded.h"

#define SEED	UINT64_C(0x5eed26)
#define NUMBERS	3000
#define AHEAD	60

static struct fstream_inbox inbox;

static void start(unsigned int messages, size_t memory)
{
	struct fstream_config config = { .messages = messages, .memory = memory };

	fstream_inbox_init(&inbox, &config);
}

static bool is_empty(void)
{
	fstream_inbox_free(&inbox);
	MUST(inbox.memory == 0 && inbox.kept == 0 && inbox.ended == 0 && !inbox.ring);
	MUST(inbox.open.count == 0 && !inbox.open.entry);
	return true;
}

static uint8_t byte_of(uint64_t number, size_t at)
{
	return (uint8_t)(number * 13 + at * 5 + at / 251);
}

/* A piece of a message of @len bytes in pieces of @size. */
static enum fstream_took put(uint64_t number, size_t len, size_t size, uint16_t piece,
			     struct fstream_in **message)
{
	uint8_t bytes[64];
	struct fstream_frame frame = { .type = FSTREAM_MESSAGE, .piece = piece,
		.pieces = (len + size - 1) / size, .payload = bytes };

	frame.len = piece == frame.pieces - 1 ? len - (frame.pieces - 1) * size : size;
	for (size_t i = 0; i < frame.len; i++)
		bytes[i] = byte_of(number, piece * size + i);
	if (!fstream_inbox_allows(&inbox, &frame, number))
		abort();
	return fstream_inbox_put(&inbox, &frame, number, message);
}

/* What the model knows of a number. */
static struct {
	uint8_t pieces, have;	/* bits of the pieces here */
	bool ended;
	uint8_t count;
} model[NUMBERS];

static size_t model_len(uint64_t number)
{
	return 1 + number % 97;
}

#define MODEL_SIZE	20

static bool model_put(uint64_t number)
{
	size_t len = model_len(number);
	unsigned int pieces = (len + MODEL_SIZE - 1) / MODEL_SIZE, piece = seeded_below(pieces);
	bool known = model[number].ended || (model[number].have >> piece & 1);
	struct fstream_in *m;
	enum fstream_took took = put(number, len, MODEL_SIZE, piece, &m);

	MUST((took == FSTREAM_NEEDLESS) == known);
	if (known)
		return true;
	model[number].have |= 1 << piece;
	MUST((took == FSTREAM_TOOK_LAST) == (model[number].have == (1 << pieces) - 1));
	if (took == FSTREAM_TOOK)
		return true;
	model[number].ended = true;
	MUST(m->number == number && fstream_in_len(m) == len);
	for (size_t i = 0; i < len; i++)
		MUST(fstream_in_data(m)[i] == byte_of(number, i));
	fstream_inbox_drop(&inbox, m);
	return true;
}

static bool model_skip(uint64_t oldest, uint64_t *top)
{
	uint64_t missing = 0;

	for (uint64_t number = 0; number < oldest; number++) {
		missing += !model[number].ended;
		model[number].ended = true;
	}
	if (oldest > *top)
		*top = oldest;
	MUST(fstream_inbox_skip(&inbox, oldest) == missing);
	return true;
}

static bool model_agrees(uint64_t base, uint64_t top)
{
	const struct fstream_in *first = fstream_inbox_first(&inbox);
	bool gap = false;

	for (uint64_t number = base; number < top; number++) {
		if (!model[number].have || model[number].ended)
			continue;
		MUST(first && first->number == number);
		break;
	}
	for (uint64_t number = base; number < base + 2 * AHEAD && number < NUMBERS; number++) {
		MUST(fstream_inbox_ended(&inbox, number) == model[number].ended);
		MUST(!!fstream_inbox_at(&inbox, number) ==
		     (model[number].have && !model[number].ended));
		/* the newest has none if its pieces came in order: 1, 11, 111 ... */
		if (number < top && !model[number].ended)
			gap = gap || number + 1 < top ||
			      (model[number].have & (model[number].have + 1));
	}
	MUST(fstream_inbox_gap(&inbox) == gap);
	return true;
}

static bool test_model(void)
{
	uint64_t base = 0, top = 0;

	printf("# SEED=%#llx\n", (unsigned long long)SEED);
	seeded_state = SEED;
	memset(model, 0, sizeof(model));
	start(1000, FSTREAM_MESSAGE_MAX);
	while (base < NUMBERS - 2 * AHEAD) {
		uint64_t number = base + seeded_below(AHEAD);

		if (seeded_below(50) == 0) {
			MUST(model_skip(base + seeded_below(AHEAD / 4), &top));
		} else {
			MUST(model_put(number));
			top = number >= top ? number + 1 : top;
		}
		while (model[base].ended)
			base++;
		MUST(inbox.base == base || (base > top && inbox.base == top));
		MUST(model_agrees(base, top));
	}
	return is_empty();
}

/* The ring grows only with the numbers between the first that is missing and the newest. */
static bool test_ring(void)
{
	struct fstream_in *m;

	start(1U << 20, FSTREAM_MESSAGE_MAX);
	for (uint64_t number = 0; number < 100000; number++) {
		MUST(put(number, 1, 1, 0, &m) == FSTREAM_TOOK_LAST);
		fstream_inbox_drop(&inbox, m);
		MUST(inbox.room <= 16);
	}
	MUST(put(200000, 1, 1, 0, &m) == FSTREAM_TOOK_LAST);
	fstream_inbox_drop(&inbox, m);
	MUST(inbox.room == 131072 && fstream_inbox_gap(&inbox));
	MUST(fstream_inbox_skip(&inbox, 200001) == 100000);
	MUST(inbox.room == 0 && !fstream_inbox_gap(&inbox));
	/* a jump costs nothing */
	MUST(fstream_inbox_skip(&inbox, UINT64_C(1) << 40) == (UINT64_C(1) << 40) - 200001);
	return is_empty();
}

/* A message takes the bytes of its pieces; while only the last one is here, no more than that. */
static bool test_memory(void)
{
	struct fstream_in *m;

	start(10, FSTREAM_MESSAGE_MAX);
	MUST(put(0, 95, 20, 4, &m) == FSTREAM_TOOK && inbox.memory == 15);
	MUST(put(0, 95, 20, 0, &m) == FSTREAM_TOOK && inbox.memory == 100);
	MUST(put(1, 95, 20, 1, &m) == FSTREAM_TOOK && inbox.memory == 200);
	MUST(put(1, 95, 20, 4, &m) == FSTREAM_TOOK && inbox.memory == 200);
	MUST(inbox.kept == 2 && fstream_inbox_skip(&inbox, 1) == 1 && inbox.memory == 100);
	return is_empty();
}

/* Of the messages of which pieces are missing, the first one is told that was not passed, also
 * after it has moved in memory.
 */
static bool test_first(void)
{
	struct fstream_in *m;

	start(10, FSTREAM_MESSAGE_MAX);
	MUST(!fstream_inbox_first(&inbox) && put(4, 20, 20, 0, &m) == FSTREAM_TOOK_LAST);
	fstream_inbox_drop(&inbox, m);
	MUST(put(6, 40, 20, 1, &m) == FSTREAM_TOOK && fstream_inbox_first(&inbox) == m);
	MUST(put(5, 60, 20, 2, &m) == FSTREAM_TOOK && fstream_inbox_first(&inbox) == m);
	MUST(put(5, 60, 20, 1, &m) == FSTREAM_TOOK && fstream_inbox_first(&inbox) == m);
	fstream_inbox_pass(&inbox, 6);
	MUST(put(5, 60, 20, 0, &m) == FSTREAM_TOOK_LAST);
	fstream_inbox_drop(&inbox, m);
	MUST(fstream_inbox_first(&inbox) == fstream_inbox_at(&inbox, 6));
	MUST(fstream_inbox_skip(&inbox, 7) == 5 && !fstream_inbox_first(&inbox));
	return is_empty();
}

int main(void)
{
	static const struct unit tests[] = {
		{ "agrees with a naive model", test_model },
		{ "the ring is as large as it must be", test_ring },
		{ "a message takes what its pieces need", test_memory },
		{ "the first of which pieces are missing", test_first },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
