// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Exactly the packets of RFC 4340 sections 7.5.1 to 7.5.3 are sequence-valid: each row of its
 * tables at its edges, with numbers that wrap, and random numbers compared with a naive model.
 * Prints TAP.
 */
#include "../../userspace/dccp/window.c"

#include "../codec/unit.h"

#define SEED	UINT64_C(0x5eed1122deadbeef)
#define CHECKS	1000000

/* An old connection, so that ISS and ISR do not matter: W is 99 and W' is 77, so that one fourth is
 * rounded: SWL is 4 and SWH 102 for GSR 27; AWL is 124, GAR 150, and AWH 200.
 */
#define W		99
#define GSR		27
#define SWL		4
#define SWH		102
#define W_LOCAL		77
#define AWL		124
#define GAR		150
#define AWH		200

/* where the connection's numbers start: across the wrap, at each place that matters */
static const uint64_t bases[] = {
	0, 1000, FDCCP_SEQ_MASK, FDCCP_SEQ_MASK - SWL, FDCCP_SEQ_MASK - GSR, FDCCP_SEQ_MASK - SWH,
	FDCCP_SEQ_MASK - AWL, FDCCP_SEQ_MASK - GAR, FDCCP_SEQ_MASK - AWH, UINT64_C(1) << 47,
	(UINT64_C(1) << 47) - GSR, (UINT64_C(1) << 47) - AWL,
};

#define BASES	(sizeof(bases) / sizeof(bases[0]))

/* A row of the tables; @seq_high 0: no upper bound. */
struct row {
	uint8_t type;
	bool active;
	int64_t seq_low, seq_high;
	bool has_ack;
	int64_t ack_low;
};

static const struct row rows[] = {
	{ FDCCP_PKT_REQUEST, true, SWL, SWH, false, 0 },
	{ FDCCP_PKT_RESPONSE, true, SWL, SWH, true, AWL },
	{ FDCCP_PKT_DATA, true, SWL, SWH, false, 0 },
	{ FDCCP_PKT_ACK, true, SWL, SWH, true, AWL },
	{ FDCCP_PKT_DATAACK, true, SWL, SWH, true, AWL },
	{ FDCCP_PKT_CLOSEREQ, true, GSR + 1, SWH, true, GAR },
	{ FDCCP_PKT_CLOSE, true, GSR + 1, SWH, true, GAR },
	{ FDCCP_PKT_RESET, true, GSR + 1, SWH, true, GAR },
	{ FDCCP_PKT_SYNC, true, SWL, SWH, true, AWL },
	{ FDCCP_PKT_SYNCACK, true, SWL, SWH, true, AWL },
	{ FDCCP_PKT_REQUEST, false, SWL, SWH, false, 0 },
	{ FDCCP_PKT_RESPONSE, false, SWL, SWH, true, AWL },
	{ FDCCP_PKT_DATA, false, SWL, SWH, false, 0 },
	{ FDCCP_PKT_ACK, false, SWL, SWH, true, AWL },
	{ FDCCP_PKT_DATAACK, false, SWL, SWH, true, AWL },
	{ FDCCP_PKT_CLOSEREQ, false, GSR + 1, SWH, true, GAR },
	{ FDCCP_PKT_CLOSE, false, GSR + 1, SWH, true, GAR },
	{ FDCCP_PKT_RESET, false, GSR + 1, SWH, true, GAR },
	{ FDCCP_PKT_SYNC, false, SWL, 0, true, AWL },
	{ FDCCP_PKT_SYNCACK, false, SWL, 0, true, AWL },
};

static struct fdccp_window old_window(uint64_t base)
{
	return (struct fdccp_window){
		.gss = fdccp_seq_add(base, AWH),
		.gsr = fdccp_seq_add(base, GSR),
		.gar = fdccp_seq_add(base, GAR),
		.local = W_LOCAL,
		.remote = W,
		.has_peer = true,
		.long_sent = true,
		.long_received = true,
	};
}

static bool valid(uint64_t base, const struct row *row, int64_t seq, int64_t ack)
{
	struct fdccp_window w = old_window(base);
	struct fdccp_packet p = {
		.type = row->type,
		.extended = true,
		.seq = fdccp_seq_add(base, seq),
		.has_ack = row->has_ack,
		.ack = fdccp_seq_add(base, ack),
	};

	return fdccp_window_valid(&w, &p, row->active);
}

/* Both ends of each range are in it, their neighbours are not. */
static bool check_row(uint64_t base, const struct row *row)
{
	int64_t far = row->seq_low + (INT64_C(1) << 47);

	MUST(valid(base, row, row->seq_low, AWH) && !valid(base, row, row->seq_low - 1, AWH));
	if (row->seq_high)
		MUST(valid(base, row, row->seq_high, AWH) &&
		     !valid(base, row, row->seq_high + 1, AWH));
	else /* ahead as far as numbers can be compared */
		MUST(valid(base, row, far - 1, AWH) && !valid(base, row, far, AWH));
	MUST(!valid(base, row, GSR - (INT64_C(1) << 46), AWH));
	if (!row->has_ack)
		return true;
	MUST(valid(base, row, SWH, row->ack_low) && !valid(base, row, SWH, row->ack_low - 1));
	MUST(!valid(base, row, SWH, AWH + 1) && !valid(base, row, SWH, AWH + (INT64_C(1) << 47)));
	return true;
}

static bool test_table(void)
{
	for (size_t b = 0; b < BASES; b++) {
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			if (!check_row(bases[b], &rows[i])) {
				printf("# base %llx row %zu\n", (unsigned long long)bases[b], i);
				return false;
			}
		}
	}
	return true;
}

static bool got(const struct fdccp_window *w, uint8_t type, uint64_t seq, uint64_t ack)
{
	struct fdccp_packet p = { .type = type, .seq = seq & FDCCP_SEQ_MASK, .has_ack = true,
				  .ack = ack & FDCCP_SEQ_MASK };

	return fdccp_window_valid(w, &p, true);
}

/* At first, no number below ISR or ISS is valid, with any window. */
static bool test_beginning(void)
{
	for (size_t b = 0; b < BASES; b++) {
		uint64_t iss = bases[b], isr = fdccp_seq_add(bases[b], 5000);
		struct fdccp_window w;

		fdccp_window_init(&w, iss);
		MUST(fdccp_window_next(&w) == iss && w.gss == iss);
		MUST(got(&w, FDCCP_PKT_RESPONSE, isr, iss)); /* REQUEST: any sequence number */
		MUST(got(&w, FDCCP_PKT_RESPONSE, isr + (UINT64_C(1) << 47), iss));
		MUST(!got(&w, FDCCP_PKT_RESPONSE, isr, iss - 1));
		MUST(!got(&w, FDCCP_PKT_RESPONSE, isr, iss + 1));
		fdccp_window_peer(&w, isr, iss);
		MUST(w.local == 100 && w.remote == 100);
		MUST(got(&w, FDCCP_PKT_ACK, isr, iss) && !got(&w, FDCCP_PKT_ACK, isr - 1, iss));
		MUST(!got(&w, FDCCP_PKT_ACK, isr, iss - 1));
		MUST(got(&w, FDCCP_PKT_ACK, isr + 75, iss) && !got(&w, FDCCP_PKT_ACK, isr + 76, iss));
		w.local = FDCCP_WINDOW_MAX;
		w.remote = FDCCP_WINDOW_MAX;
		MUST(got(&w, FDCCP_PKT_ACK, isr, iss) && !got(&w, FDCCP_PKT_ACK, isr - 1, iss));
		MUST(!got(&w, FDCCP_PKT_ACK, isr, iss - 1));
	}
	return true;
}

/* When a connection is so old that its numbers wrap, ISS and ISR do not count any more. */
static bool test_old(void)
{
	uint64_t iss = 10, isr = 20, step = UINT64_C(1) << 46;
	struct fdccp_window w;

	fdccp_window_init(&w, iss);
	fdccp_window_next(&w);
	fdccp_window_peer(&w, isr, iss);
	for (int i = 0; i < 4; i++) { /* once around the circle; the last step ends at the start */
		struct fdccp_packet p = { .type = FDCCP_PKT_ACK, .has_ack = true };

		w.gss = fdccp_seq_add(w.gss, (int64_t)step - 1);
		p.ack = fdccp_window_next(&w);
		p.seq = fdccp_seq_add(w.gsr, (int64_t)step);
		MUST(w.long_sent);
		fdccp_window_received(&w, &p);
		MUST(w.long_received && w.gsr == p.seq && w.gar == p.ack);
	}
	MUST(w.gss == iss && w.gsr == isr);
	MUST(got(&w, FDCCP_PKT_ACK, isr - 24, iss) && !got(&w, FDCCP_PKT_ACK, isr - 25, iss));
	MUST(got(&w, FDCCP_PKT_ACK, isr, iss - 99) && !got(&w, FDCCP_PKT_ACK, isr, iss - 100));
	return true;
}

/* ISS and ISR count until the largest window does not reach back to them. */
static bool test_becomes_old(void)
{
	struct fdccp_packet p = { .type = FDCCP_PKT_SYNC, .seq = FDCCP_WINDOW_MAX - 1 };
	struct fdccp_window w;

	fdccp_window_init(&w, 0);
	w.gss = FDCCP_WINDOW_MAX - 1;
	fdccp_window_next(&w);
	MUST(!w.long_sent);
	fdccp_window_next(&w);
	MUST(w.long_sent);
	fdccp_window_peer(&w, FDCCP_SEQ_MASK, 0);
	fdccp_window_received(&w, &p);
	MUST(!w.long_received);
	p.seq++;
	fdccp_window_received(&w, &p);
	MUST(w.long_received);
	return true;
}

/* GSR and GAR only grow; a Sync does not move GAR (section 8.5 step 6). */
static bool test_received(void)
{
	struct fdccp_packet p = { .type = FDCCP_PKT_SYNC, .has_ack = true };
	struct fdccp_window w = old_window(0);

	p.seq = GSR + 5;
	p.ack = GAR + 5;
	fdccp_window_received(&w, &p);
	MUST(w.gsr == GSR + 5 && w.gar == GAR);
	p.type = FDCCP_PKT_SYNCACK;
	p.seq = GSR + 4;
	fdccp_window_received(&w, &p);
	MUST(w.gsr == GSR + 5 && w.gar == GAR + 5);
	p.type = FDCCP_PKT_ACK;
	p.ack = GAR + 4;
	fdccp_window_received(&w, &p);
	MUST(w.gar == GAR + 5);
	p.type = FDCCP_PKT_DATA;
	p.has_ack = false;
	p.ack = GAR + 9;
	p.seq = GSR + 6;
	fdccp_window_received(&w, &p);
	MUST(w.gsr == GSR + 6 && w.gar == GAR + 5);
	return true;
}

static bool test_numbers_wrap(void)
{
	struct fdccp_window w;

	fdccp_window_init(&w, FDCCP_SEQ_MASK);
	MUST(fdccp_window_next(&w) == FDCCP_SEQ_MASK);
	MUST(fdccp_window_next(&w) == 0 && fdccp_window_next(&w) == 1);
	fdccp_window_init(&w, 0);
	MUST(fdccp_window_next(&w) == 0);
	return true;
}

static bool test_wanted(void)
{
	MUST(fdccp_window_wanted(0) == 100 && fdccp_window_wanted(19) == 100);
	MUST(fdccp_window_wanted(21) == 105 && fdccp_window_wanted(1000) == 5000);
	MUST(fdccp_window_wanted(FDCCP_WINDOW_MAX / 5 + 1) == FDCCP_WINDOW_MAX);
	MUST(fdccp_window_wanted(UINT64_MAX) == FDCCP_WINDOW_MAX);
	return true;
}

/* The naive model: numbers that never wrap, and the RFC's formulas as they stand. */
struct model {
	int64_t iss, gss, isr, gsr, gar, local, remote;
};

static bool in(int64_t low, int64_t x, int64_t high)
{
	return low <= x && x <= high;
}

static int64_t max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static bool model_valid(const struct model *m, uint8_t type, int64_t seq, bool has_ack,
			int64_t ack, bool active)
{
	int64_t swl = max(m->gsr + 1 - m->remote / 4, m->isr);
	int64_t swh = m->gsr + (3 * m->remote + 3) / 4;
	int64_t awl = max(m->gss + 1 - m->local, m->iss);
	bool seq_good, ack_good = in(awl, ack, m->gss);

	switch (type) {
	case FDCCP_PKT_CLOSEREQ:
	case FDCCP_PKT_CLOSE:
	case FDCCP_PKT_RESET:
		seq_good = in(m->gsr + 1, seq, swh);
		ack_good = in(m->gar, ack, m->gss);
		break;
	case FDCCP_PKT_SYNC:
	case FDCCP_PKT_SYNCACK:
		seq_good = active ? in(swl, seq, swh) : seq >= swl;
		break;
	default:
		seq_good = in(swl, seq, swh);
	}
	return seq_good && (!has_ack || ack_good);
}

static uint64_t random_state = SEED;

static uint64_t rnd(uint64_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 11) % below;
}

/* A number near one of the places that matter. */
static int64_t near(int64_t a, int64_t b, int64_t c)
{
	int64_t places[] = { a, b, c };

	return places[rnd(3)] + (int64_t)rnd(9) - 4;
}

static struct model random_model(void)
{
	int64_t width = INT64_C(1) << (6 + rnd(40));
	struct model m = { .iss = (int64_t)rnd(FDCCP_SEQ_MASK), .isr = (int64_t)rnd(FDCCP_SEQ_MASK) };

	m.local = 32 + (int64_t)rnd((uint64_t)width - 32);
	m.remote = 32 + (int64_t)rnd((uint64_t)width - 32);
	m.gss = m.iss + (int64_t)rnd((uint64_t)width);
	m.gsr = m.isr + (int64_t)rnd((uint64_t)width);
	m.gar = max(m.gss - (int64_t)rnd((uint64_t)m.local), m.iss);
	return m;
}

static struct fdccp_window window_of(const struct model *m)
{
	struct fdccp_window w;

	fdccp_window_init(&w, (uint64_t)m->iss & FDCCP_SEQ_MASK);
	fdccp_window_peer(&w, (uint64_t)m->isr & FDCCP_SEQ_MASK,
			  (uint64_t)m->gar & FDCCP_SEQ_MASK);
	w.gss = (uint64_t)m->gss & FDCCP_SEQ_MASK;
	w.gsr = (uint64_t)m->gsr & FDCCP_SEQ_MASK;
	w.local = (uint64_t)m->local;
	w.remote = (uint64_t)m->remote;
	return w;
}

static bool test_model(void)
{
	size_t both[2] = { 0 };

	printf("# %d packets from seed %#llx on\n", CHECKS, (unsigned long long)SEED);
	for (int i = 0; i < CHECKS; i++) {
		struct model m = random_model();
		struct fdccp_window w = window_of(&m);
		int64_t seq = near(m.gsr, m.gsr + 1 - m.remote / 4, m.gsr + (3 * m.remote + 3) / 4);
		int64_t ack = near(m.gss, m.gss + 1 - m.local, m.gar);
		struct fdccp_packet p = { .type = (uint8_t)rnd(FDCCP_PKT_TYPES),
					  .seq = (uint64_t)seq & FDCCP_SEQ_MASK,
					  .ack = (uint64_t)ack & FDCCP_SEQ_MASK };
		bool active = rnd(2), want;

		p.has_ack = p.type != FDCCP_PKT_DATA && p.type != FDCCP_PKT_REQUEST;
		want = model_valid(&m, p.type, seq, p.has_ack, ack, active);
		both[want]++;
		if (fdccp_window_valid(&w, &p, active) != want) {
			printf("# packet %d\n", i);
			return false;
		}
	}
	MUST(both[0] > CHECKS / 5 && both[1] > CHECKS / 5); /* neither answer is rare */
	return true;
}

static const struct unit tests[] = {
	{ "the table of section 7.5.3 at its edges", test_table },
	{ "no number before the first one is valid", test_beginning },
	{ "numbers that have wrapped", test_old },
	{ "when a connection becomes old", test_becomes_old },
	{ "GSR and GAR", test_received },
	{ "sequence numbers wrap", test_numbers_wrap },
	{ "Sequence Window", test_wanted },
	{ "random packets and the model", test_model },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) ? 1 : 0;
}
