// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each data packet that was sent gets exactly one fate, the one that RFC 4340 sections 11.4 and
 * 11.7 and RFC 4341 section 5 say, whatever acknowledgments come in whatever order. Prints TAP.
 */
#include "../../userspace/dccp/sent.c"

#include "../codec/unit.h"
#include "seeded.h"

/* the initial number: the numbers wrap in the middle of the tests */
#define ISS	(FDCCP_SEQ_MASK - 50)

static uint64_t number(int64_t i)
{
	return fdccp_seq_add(ISS, i);
}

/* The verdicts of the last call: packets' distance from ISS in order. */
static struct {
	int64_t seq[70000];
	size_t count;
} verdicts;

static void verdict(void *context, const struct fdccp_sent_packet *packet)
{
	(void)context;
	verdicts.seq[verdicts.count++] = fdccp_seq_diff(packet->seq, ISS);
}

/* Acknowledges up to @ack of packets up to @last. */
static int acknowledge(struct fdccp_sent *sent, int64_t last, int64_t ack, const uint8_t *vector,
		       size_t len, const uint8_t *dropped, size_t dropped_len)
{
	struct fdccp_acks acks = {
		.iss = ISS, .gss = number(last), .ack = number(ack), .vector = vector,
		.vector_len = len, .dropped = dropped, .dropped_len = dropped_len,
	};

	verdicts.count = 0;
	return fdccp_sent_acknowledge(sent, &acks, verdict, NULL);
}

#define BYTES(...)	(uint8_t[]){ __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ })

/* A ring with data packets @from to @to, each sent in the ms of its number. */
static void send_packets(struct fdccp_sent *sent, int64_t from, int64_t to)
{
	for (int64_t i = from; i <= to; i++) {
		struct fdccp_sent_packet *packet = fdccp_sent_add(sent, number(i), i * 1000000);

		packet->handle = (uint64_t)i;
		packet->data = true;
	}
}

static struct fdccp_sent *with_packets(int64_t from, int64_t to)
{
	struct fdccp_sent *sent = fdccp_sent_new();

	send_packets(sent, from, to);
	return sent;
}

static int fate(struct fdccp_sent *sent, int64_t i)
{
	return fdccp_sent_find(sent, number(i))->fate;
}

static bool verdicts_are(const int64_t *seq, size_t count)
{
	return verdicts.count == count && !memcmp(verdicts.seq, seq, count * sizeof(*seq));
}

#define VERDICTS(...)									\
	MUST(verdicts_are((int64_t[]){ __VA_ARGS__ },					\
			  sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)))

/* The example of RFC 4340 section 11.4, for packets 88 to 100. */
static bool test_vector(void)
{
	struct fdccp_sent *sent = with_packets(88, 101);

	MUST(fdccp_sent_open(sent) == 14);
	MUST(!acknowledge(sent, 101, 100, BYTES(0, 192, 3, 64, 5), NULL, 0));
	VERDICTS(88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 100);
	MUST(fate(sent, 94) == FDCCP_FATE_MARKED && fate(sent, 99) == FDCCP_FATES);
	for (int64_t i = 88; i <= 98; i++)
		MUST(i == 94 || fate(sent, i) == FDCCP_FATE_ACKNOWLEDGED);
	MUST(fdccp_sent_open(sent) == 2);
	/* nothing new */
	MUST(!acknowledge(sent, 101, 100, BYTES(0, 192, 3, 64, 5), NULL, 0));
	MUST(verdicts.count == 0);
	/* a later vector turns nothing back, and Received beats Not Received */
	MUST(!acknowledge(sent, 101, 101, BYTES(0, 193, 0, 192 + 9), NULL, 0));
	VERDICTS(101);
	MUST(!acknowledge(sent, 101, 100, BYTES(1), NULL, 0));
	VERDICTS(99);
	MUST(fate(sent, 99) == FDCCP_FATE_ACKNOWLEDGED && fdccp_sent_open(sent) == 0);
	fdccp_sent_free(sent);
	return true;
}

/* Three later packets make a loss, two do not; what has no fate of its own counts as later, too. */
static bool test_losses(void)
{
	struct fdccp_sent *sent = with_packets(0, 2);

	send_packets(sent, 4, 5);
	MUST(!acknowledge(sent, 5, 2, BYTES(1, 192), NULL, 0));
	VERDICTS(1, 2);
	/* an acknowledgment without a vector is no proof that the rest is missing */
	MUST(!acknowledge(sent, 5, 4, NULL, 0, NULL, 0));
	VERDICTS(4);
	MUST(fate(sent, 0) == FDCCP_FATES);
	/* packet 3 is not in the ring, and is the third: 1, 2, 3 */
	MUST(!acknowledge(sent, 5, 3, BYTES(2, 192), NULL, 0));
	VERDICTS(0);
	MUST(fate(sent, 0) == FDCCP_FATE_LOST && fate(sent, 5) == FDCCP_FATES);
	MUST(!fdccp_sent_find(sent, number(0))->received);
	fdccp_sent_free(sent);

	/* the same acknowledgment thrice, or its number thrice, is one later packet */
	sent = with_packets(0, 9);
	for (int i = 0; i < 3; i++)
		MUST(!acknowledge(sent, 9, 1, BYTES(0, 192), NULL, 0));
	MUST(fate(sent, 0) == FDCCP_FATES);
	/* verdicts come in the order of numbers, losses among the others */
	MUST(!acknowledge(sent, 9, 8, BYTES(0, 192, 1, 192, 0, 192, 0, 192), NULL, 0));
	VERDICTS(0, 2, 3, 4, 5, 6, 8);
	MUST(fate(sent, 2) == FDCCP_FATE_LOST && fate(sent, 3) == FDCCP_FATE_ACKNOWLEDGED);
	MUST(fate(sent, 4) == FDCCP_FATE_LOST && fate(sent, 7) == FDCCP_FATES);
	fdccp_sent_free(sent);
	return true;
}

/* A late acknowledgment gives no second fate, but the rate control learns of it, once. */
static bool test_late(void)
{
	struct fdccp_sent *sent = with_packets(0, 3);
	const struct fdccp_sent_packet *packet;

	MUST(!acknowledge(sent, 3, 3, BYTES(2, 192), NULL, 0));
	VERDICTS(0, 1, 2, 3);
	for (int64_t i = 0; i <= 3; i++)
		MUST(fdccp_sent_tell(sent)->seq == number(i));
	MUST(!fdccp_sent_tell(sent));
	MUST(!acknowledge(sent, 3, 3, BYTES(2, 64), NULL, 0));
	VERDICTS(0);
	packet = fdccp_sent_find(sent, number(0));
	MUST(packet->received && packet->marked && packet->fate == FDCCP_FATE_LOST);
	MUST(!fdccp_sent_tell(sent));
	MUST(!acknowledge(sent, 3, 3, BYTES(3), NULL, 0));
	MUST(verdicts.count == 0);
	fdccp_sent_free(sent);
	return true;
}

/* A Drop Block may cover missing packets, as in the example of section 11.7: it says nothing of them. */
static bool test_contradiction(void)
{
	struct fdccp_sent *sent = with_packets(10, 19);

	/* 19 to 15 and 13 to 10 are received, 14 is missing and yet damaged: that is ignored */
	MUST(acknowledge(sent, 19, 19, BYTES(0x04, 0xc0, 0x03), BYTES(0x04, 0xb0)) == 1);
	MUST(fdccp_sent_find(sent, number(14))->fate == FDCCP_FATE_LOST);
	MUST(fdccp_sent_find(sent, number(14))->drop == FDCCP_DROP_NONE);
	/* the same of a packet that has arrived */
	MUST(!acknowledge(sent, 19, 19, BYTES(0x04, 0xc0, 0x03), BYTES(0x05, 0xb0)));
	fdccp_sent_free(sent);
	return true;
}

/* Data Dropped's codes, section 11.7.2, with the ranges of the example of section 11.7. */
static bool test_dropped(void)
{
	static const enum fdccp_fate fates[] = {
		FDCCP_FATE_CUT, FDCCP_FATE_DROPPED, FDCCP_FATE_DROPPED, FDCCP_FATE_DAMAGED,
		FDCCP_FATE_DAMAGED, FDCCP_FATE_DAMAGED, FDCCP_FATE_DAMAGED, FDCCP_FATE_MARKED,
	};
	struct fdccp_sent *sent = with_packets(0, 20);

	for (uint8_t code = 0; code < 8; code++) {
		struct fdccp_sent_packet *packet = fdccp_sent_find(sent, number(code));
		uint8_t state = code & 1 ? 64 : 0;

		MUST(!acknowledge(sent, 20, code, BYTES(state), BYTES(0x80 | code << 4)));
		MUST(packet->fate == fates[code] && packet->drop == code);
		MUST(packet->received && packet->marked == (code & 1));
	}
	/* packets 20, 19 (2), 18 to 15, 14 to 12 (2), of which 13 is not received */
	MUST(acknowledge(sent, 20, 20, BYTES(6, 192, 4), BYTES(0, 160, 3, 162)) == 1);
	for (int64_t i = 8; i <= 20; i++) {
		bool dropped = i == 19 || i == 14 || i == 12;
		int want = dropped ? FDCCP_FATE_DROPPED : FDCCP_FATE_ACKNOWLEDGED;

		MUST(fate(sent, i) == (i == 13 ? FDCCP_FATE_LOST : want));
	}
	/* what was told of a packet before stays, and blocks beyond all packets are harmless */
	MUST(!acknowledge(sent, 20, 20, BYTES(20), BYTES(0xbf, 0xbf, 0xbf, 127, 0xff)));
	VERDICTS(13);
	MUST(fate(sent, 20) == FDCCP_FATE_ACKNOWLEDGED && fate(sent, 13) == FDCCP_FATE_LOST);
	/* runs of 18 in a Normal Block and 16 in a Drop Block: 55 to 38, 37 to 22 (3), 21 */
	send_packets(sent, 21, 55);
	MUST(!acknowledge(sent, 55, 55, BYTES(34), BYTES(17, 191)));
	for (int64_t i = 21; i <= 55; i++)
		MUST((fate(sent, i) == FDCCP_FATE_DAMAGED) == (i >= 22 && i <= 37));
	fdccp_sent_free(sent);
	return true;
}

/* A vector that reports on what was never sent is refused, and changes nothing. */
static bool test_refused(void)
{
	struct fdccp_sent *sent = with_packets(1, 5);

	MUST(acknowledge(sent, 5, 6, BYTES(0), NULL, 0) == -1);
	MUST(acknowledge(sent, 5, -1, NULL, 0, NULL, 0) == -1);
	MUST(acknowledge(sent, 5, 4, BYTES(5), NULL, 0) == -1);
	MUST(acknowledge(sent, 5, 4, BYTES(0, 192 + 4), NULL, 0) == -1);
	MUST(verdicts.count == 0 && fdccp_sent_open(sent) == 5);
	MUST(!fdccp_sent_tell(sent) && !sent->has_top);
	/* up to ISS it is right, even if the ring does not have that packet */
	MUST(!acknowledge(sent, 5, 4, BYTES(4), NULL, 0));
	VERDICTS(1, 2, 3, 4);
	/* a reserved state says nothing */
	MUST(!acknowledge(sent, 5, 5, BYTES(128), NULL, 0));
	MUST(verdicts.count == 0);
	/* an Ack of ours that the ring does not have can be the greatest */
	MUST(!acknowledge(sent, 9, 9, BYTES(3, 0), NULL, 0));
	VERDICTS(5);
	fdccp_sent_free(sent);
	return true;
}

/* ICMP and the error queue name a fate that counts unless the packet is acknowledged. */
static bool test_hints(void)
{
	struct fdccp_sent *sent = with_packets(0, 9);
	uint64_t fates[FDCCP_FATES] = { 0 };

	fdccp_sent_hint(sent, number(0), FDCCP_FATE_DISCARDED);
	fdccp_sent_hint(sent, number(1), FDCCP_FATE_DISCARDED);
	fdccp_sent_hint(sent, number(4), FDCCP_FATE_EXPIRED);
	MUST(!acknowledge(sent, 9, 3, BYTES(2, 192), NULL, 0));
	MUST(fate(sent, 0) == FDCCP_FATE_DISCARDED && fate(sent, 1) == FDCCP_FATE_ACKNOWLEDGED);
	/* all that were sent before 6 ms */
	verdicts.count = 0;
	fdccp_sent_give_up(sent, 6000000, verdict, NULL);
	VERDICTS(4, 5);
	MUST(fate(sent, 4) == FDCCP_FATE_EXPIRED && fate(sent, 5) == FDCCP_FATE_LOST);
	/* a late acknowledgment takes part of them back for the rate control, and goes on */
	MUST(!acknowledge(sent, 9, 6, BYTES(1), NULL, 0));
	VERDICTS(5, 6);
	MUST(fdccp_sent_open(sent) == 3);
	fdccp_sent_hint(sent, number(8), FDCCP_FATE_DISCARDED);
	fdccp_sent_end(sent, fates);
	MUST(fdccp_sent_open(sent) == 0 && fate(sent, 7) == FDCCP_FATE_UNKNOWN);
	MUST(fate(sent, 8) == FDCCP_FATE_DISCARDED);
	MUST(fates[FDCCP_FATE_UNKNOWN] == 2 && fates[FDCCP_FATE_DISCARDED] == 1);
	for (int64_t i = 0; i <= 9; i++)
		MUST(fdccp_sent_tell(sent)->seq == number(i));
	MUST(!fdccp_sent_tell(sent));
	fdccp_sent_free(sent);
	return true;
}

/* Each hint is fetched once, while the fate is open. The place of a forgotten packet holds no hint.
 */
static bool test_hint_fetched(void)
{
	struct fdccp_sent *sent = with_packets(0, 9);

	fdccp_sent_hint(sent, number(5), FDCCP_FATE_DISCARDED);
	fdccp_sent_hint(sent, number(2), FDCCP_FATE_EXPIRED);
	fdccp_sent_hint(sent, number(7), FDCCP_FATE_DISCARDED);
	MUST(fdccp_sent_tell_hint(sent)->seq == number(2));
	/* 0 to 6 are acknowledged, so 5 has arrived after all */
	MUST(!acknowledge(sent, 9, 6, BYTES(6), NULL, 0));
	MUST(fdccp_sent_tell_hint(sent)->seq == number(7));
	MUST(!fdccp_sent_tell_hint(sent));
	fdccp_sent_hint(sent, number(8), FDCCP_FATE_DISCARDED);
	for (int64_t i = 10; i < 2000; i++) {
		MUST(!acknowledge(sent, i - 1, i - 1, BYTES(3), NULL, 0));
		while (fdccp_sent_tell(sent))
			;
		fdccp_sent_add(sent, number(i), i)->data = true;
	}
	MUST(!fdccp_sent_tell_hint(sent));
	fdccp_sent_free(sent);
	return true;
}

/* A packet that may be lost has no fate yet: it may be late, or was discarded. */
static bool test_doubt(void)
{
	struct fdccp_sent *sent = with_packets(0, 9);

	MUST(!acknowledge(sent, 9, 3, BYTES(3), NULL, 0));
	verdicts.count = 0;
	fdccp_sent_doubt(sent, verdict, NULL);
	VERDICTS(4, 5, 6, 7, 8, 9);
	MUST(fate(sent, 4) == FDCCP_FATES && fdccp_sent_open(sent) == 6);
	/* only once each */
	verdicts.count = 0;
	fdccp_sent_doubt(sent, verdict, NULL);
	MUST(!verdicts.count);
	fdccp_sent_hint(sent, number(5), FDCCP_FATE_DISCARDED);
	MUST(!acknowledge(sent, 9, 9, BYTES(2, 193, 0), NULL, 0));
	MUST(fate(sent, 4) == FDCCP_FATE_ACKNOWLEDGED && fate(sent, 5) == FDCCP_FATE_DISCARDED);
	MUST(fate(sent, 6) == FDCCP_FATE_LOST);
	fdccp_sent_free(sent);
	return true;
}

/* Memory is bounded, and a ring of which nothing is told is full in the end. */
static bool test_bounds(void)
{
	static uint8_t vector[1012];
	struct fdccp_sent *sent = with_packets(0, 15);
	size_t small = fdccp_sent_memory(sent);

	MUST(small < 1024);
	/* told packets make room */
	MUST(!acknowledge(sent, 15, 15, BYTES(15), NULL, 0));
	while (fdccp_sent_tell(sent))
		;
	send_packets(sent, 16, 31);
	MUST(fdccp_sent_memory(sent) == small);
	MUST(!fdccp_sent_find(sent, number(15)) && fdccp_sent_find(sent, number(16)));
	send_packets(sent, 32, 32);
	MUST(fdccp_sent_memory(sent) > small);
	send_packets(sent, 33, 15 + FDCCP_SENT_MAX);
	MUST(!fdccp_sent_add(sent, number(16 + FDCCP_SENT_MAX), 0));
	MUST(fdccp_sent_open(sent) == FDCCP_SENT_MAX);
	/* four options of the longest runs, all of it received */
	memset(vector, 63, sizeof(vector));
	MUST(!acknowledge(sent, 15 + FDCCP_SENT_MAX, 15 + FDCCP_SENT_MAX, vector, sizeof(vector),
			  NULL, 0));
	MUST(verdicts.count == FDCCP_SENT_MAX);
	fdccp_sent_free(sent);

	/* packets without data need no one to fetch them */
	sent = fdccp_sent_new();
	for (int64_t i = 0; i < 1000000; i++)
		MUST(fdccp_sent_add(sent, number(i), i));
	MUST(fdccp_sent_memory(sent) < 8192);
	MUST(!fdccp_sent_tell(sent) && fdccp_sent_open(sent) == 0);
	fdccp_sent_free(sent);
	return true;
}

/* The model: it keeps all packets and all that was ever said of them. */
#define PACKETS	4000

static struct {
	bool here;		/* in the ring */
	bool data;
	uint8_t arrived;	/* enum fdccp_cell of the receiver */
	uint8_t code;		/* its drop code, or FDCCP_DROP_NONE */
	bool heard;		/* reported as received */
	int fate;
	int told;
} model[PACKETS];

static uint64_t fates_told[FDCCP_FATES];

/* Makes the vector and Data Dropped of the receiver for @ack down to @from. */
static void report(int64_t ack, int64_t from, uint8_t *vector, uint8_t *dropped)
{
	for (int64_t i = ack; i >= from; i--) {
		bool drop = model[i].code != FDCCP_DROP_NONE;

		*vector++ = (uint8_t)(model[i].arrived << 6);
		*dropped++ = drop ? (uint8_t)(0x80 | model[i].code << 4) : 0;
	}
}

static int expected_fate(int64_t i)
{
	static const int fates[] = {
		FDCCP_FATE_CUT, FDCCP_FATE_DROPPED, FDCCP_FATE_DROPPED, FDCCP_FATE_DAMAGED,
	};

	if (model[i].code != FDCCP_DROP_NONE)
		return fates[model[i].code];
	return model[i].arrived == FDCCP_CELL_MARKED ? FDCCP_FATE_MARKED : FDCCP_FATE_ACKNOWLEDGED;
}

/* What the report says, packet by packet, and losses by counting later packets. */
static void model_acknowledge(int64_t ack, int64_t from)
{
	unsigned int later = 0;

	for (int64_t i = ack; i >= from; i--) {
		if (model[i].arrived == FDCCP_CELL_NOT_RECEIVED)
			continue;
		model[i].heard = true;
		if (model[i].fate == FDCCP_FATES)
			model[i].fate = expected_fate(i);
	}
	for (int64_t i = PACKETS - 1; i >= 0; i--) {
		if (model[i].heard)
			later++;
		else if (later >= FDCCP_NUMDUPACK && model[i].here && model[i].fate == FDCCP_FATES)
			model[i].fate = FDCCP_FATE_LOST;
	}
}

/* Fetches all fates, and compares them with the model. */
static bool tell_all(struct fdccp_sent *sent)
{
	const struct fdccp_sent_packet *packet;

	while ((packet = fdccp_sent_tell(sent))) {
		int64_t i = fdccp_seq_diff(packet->seq, ISS);

		MUST(packet->handle == (uint64_t)i && model[i].data);
		MUST(packet->fate == model[i].fate);
		MUST(model[i].told++ == 0);
		fates_told[packet->fate]++;
	}
	return true;
}

/* Sends packet @i, which the path loses, marks, or delivers @delay packets later. */
static void model_send(struct fdccp_sent *sent, int64_t i)
{
	model[i].here = seeded_chance(800000);
	model[i].data = model[i].here && seeded_chance(900000);
	model[i].arrived = FDCCP_CELL_NOT_RECEIVED;
	model[i].code = FDCCP_DROP_NONE;
	model[i].heard = false;
	model[i].fate = FDCCP_FATES;
	model[i].told = 0;
	if (model[i].here) {
		struct fdccp_sent_packet *packet = fdccp_sent_add(sent, number(i), i);

		packet->data = model[i].data;
		packet->handle = (uint64_t)i;
	}
}

static void model_arrive(int64_t i)
{
	if (model[i].arrived != FDCCP_CELL_NOT_RECEIVED)
		return;
	model[i].arrived = seeded_chance(50000) ? FDCCP_CELL_MARKED : FDCCP_CELL_RECEIVED;
	if (seeded_chance(50000))
		model[i].code = (uint8_t)seeded_below(4);
}

/*
 * Packets with 10 % loss that arrive up to 20 packets late, and acknowledgments of which most are
 * lost. Each says what the receiver knew of the last 100.
 */
static bool random_path(uint64_t seed)
{
	static uint8_t vector[128], dropped[128];
	struct fdccp_sent *sent = fdccp_sent_new();
	uint64_t data = 0, told = 0;

	seeded_state = seed;
	memset(fates_told, 0, sizeof(fates_told));
	memset(model, 0, sizeof(model));
	for (int64_t i = 0; i < PACKETS; i++) {
		int64_t late = i > 20 ? i - (int64_t)seeded_below(20) : i;

		model_send(sent, i);
		data += model[i].data;
		if (seeded_chance(900000))
			model_arrive(seeded_chance(100000) ? late : i);
		if (model[i].arrived != FDCCP_CELL_NOT_RECEIVED && seeded_chance(200000)) {
			int64_t from = i > 100 ? i - 100 : 0;

			report(i, from, vector, dropped);
			model_acknowledge(i, from);
			MUST(!acknowledge(sent, i, i, vector, (size_t)(i - from + 1), dropped,
					  (size_t)(i - from + 1)));
			MUST(tell_all(sent));
		}
	}
	for (int64_t i = 0; i < PACKETS; i++)
		if (model[i].fate == FDCCP_FATES)
			model[i].fate = FDCCP_FATE_UNKNOWN;
	fdccp_sent_end(sent, (uint64_t[FDCCP_FATES]){ 0 });
	MUST(tell_all(sent));
	for (int i = 0; i < FDCCP_FATES; i++)
		told += fates_told[i];
	MUST(told == data);
	MUST(fates_told[FDCCP_FATE_LOST] > 100 && fates_told[FDCCP_FATE_MARKED] > 50);
	MUST(fdccp_sent_memory(sent) < 32768);
	fdccp_sent_free(sent);
	return true;
}

static bool test_random(void)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		if (!random_path(seed)) {
			printf("# seed %d\n", (int)seed);
			return false;
		}
	}
	return true;
}

/* Acknowledgments of random bytes: each packet still gets one fate, and memory stays bounded. */
static bool test_hostile(void)
{
	static uint8_t bytes[2][1012];
	struct fdccp_sent *sent = fdccp_sent_new();
	uint64_t told = 0, refused = 0;
	int64_t i = 0;

	seeded_state = 1;
	while (i < 100000) {
		int64_t more = (int64_t)seeded_below(20);
		size_t len = seeded_below(4) ? seeded_below(8) : seeded_below(sizeof(bytes[0]));

		send_packets(sent, i, i + more);
		i += more + 1;
		for (size_t b = 0; b < len; b++) {
			bytes[0][b] = (uint8_t)seeded();
			bytes[1][b] = (uint8_t)seeded();
		}
		refused += acknowledge(sent, i - 1, i - (int64_t)seeded_below(100), bytes[0], len,
				       bytes[1], len) < 0;
		if (seeded_chance(10000))
			fdccp_sent_give_up(sent, (i - 50) * 1000000, verdict, NULL);
		while (fdccp_sent_tell(sent))
			told++;
		MUST(told + fdccp_sent_open(sent) == (uint64_t)i);
		MUST(fdccp_sent_memory(sent) < 65536);
	}
	MUST(refused > 0 && refused < 1000);
	fdccp_sent_end(sent, (uint64_t[FDCCP_FATES]){ 0 });
	while (fdccp_sent_tell(sent))
		told++;
	MUST(told == (uint64_t)i);
	fdccp_sent_free(sent);
	return true;
}

int main(void)
{
	const struct unit tests[] = {
		{ "vectors", test_vector },
		{ "losses", test_losses },
		{ "late acknowledgments", test_late },
		{ "Data Dropped", test_dropped },
		{ "data that is missing and dropped", test_contradiction },
		{ "what was never sent", test_refused },
		{ "hints, giving up, the end", test_hints },
		{ "each hint is fetched once", test_hint_fetched },
		{ "packets that may be lost", test_doubt },
		{ "bounded memory", test_bounds },
		{ "random path", test_random },
		{ "hostile acknowledgments", test_hostile },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0]));
}
