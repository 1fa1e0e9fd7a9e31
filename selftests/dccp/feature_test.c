// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two ends that negotiate features agree on the same values, whatever the path does to their
 * packets; each option that breaks a rule of RFC 4340 section 6 gets the answer that the section
 * says. Prints TAP.
 */
#include "../../userspace/dccp/feature.c"

#include "../codec/unit.h"
#include "bytes.h"

#define MS		INT64_C(1000000)
#define RTT		(100 * MS)
#define ISS		UINT64_C(0xfffffffffff0)	/* the numbers wrap in long negotiations */
#define SEED		UINT64_C(0x5eed0fea70000001)
#define NEGOTIATIONS	10000

/* an end with its numbers */
struct end {
	struct fdccp_features f;
	uint64_t gss, gsr;
	bool heard;
	int failed;		/* reset code */
};

/* the options of a packet */
struct packet {
	uint64_t seq, ack;
	bool has_ack;
	size_t len;
	uint8_t options[256];
};

static void end_init(struct end *e, bool server)
{
	*e = (struct end){ .gss = fdccp_seq_add(ISS, -1) };
	fdccp_features_init(&e->f, server, ISS);
}

/* Makes a packet with the feature options that the end has to send, in @room bytes. */
static struct packet emit_within(struct end *e, int64_t now, size_t room)
{
	struct packet p = { .ack = e->gsr, .has_ack = e->heard };
	struct fdccp_writer w = { p.options, p.options, p.options + room };

	e->gss = fdccp_seq_add(e->gss, 1);
	p.seq = e->gss;
	fdccp_features_write(&e->f, &w, p.seq, p.ack, p.has_ack, now, RTT);
	p.len = (size_t)(w.at - w.start);
	return p;
}

static struct packet emit(struct end *e, int64_t now)
{
	return emit_within(e, now, sizeof(((struct packet *)0)->options));
}

/* Hands a packet to an end. Return: 0 or the code of a Reset. */
static int deliver(struct end *e, const struct packet *p)
{
	struct fdccp_option_walk walk = { p->options, p->options + p->len };
	struct fdccp_option option;
	unsigned int changed;
	int code = 0;

	if (!e->heard)
		fdccp_features_peer(&e->f, p->seq);
	if (!e->heard || fdccp_seq_after(p->seq, e->gsr))
		e->gsr = p->seq;
	e->heard = true;
	while (!code && fdccp_option_next(&walk, &option) > 0)
		code = fdccp_features_option(&e->f, &option, p->seq, p->ack, p->has_ack, &changed);
	fdccp_features_packet_done(&e->f, p->seq, p->len > 0);
	if (code)
		e->failed = code;
	return code;
}

/* Hands options in a new packet of the peer, which acknowledges all. Return: as above. */
static int deliver_hex(struct end *e, const char *text)
{
	size_t len;
	uint8_t *bytes = hex(text, &len);
	struct packet p = { .seq = fdccp_seq_add(e->heard ? e->gsr : ISS, 1), .ack = e->gss,
			    .has_ack = true, .len = len };
	int code;

	memcpy(p.options, bytes, len);
	free(bytes);
	code = deliver(e, &p);
	return code;
}

static bool is(struct packet p, const char *text)
{
	return is_hex(p.options, p.len, text);
}

#define IS(packet, text)	MUST(is(packet, text))
#define LIST(...)		(const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })

/* The byte encodings of section 6.5, of Changes: what an end writes that opens a negotiation. */
static bool test_change_bytes(void)
{
	struct end e;

	end_init(&e, false);
	fdccp_features_prefer(&e.f, FDCCP_FEAT_CCID, true, LIST(2, 3), false);
	IS(emit(&e, 0), "20 05 01 02 03");

	end_init(&e, false);
	fdccp_features_set(&e.f, FDCCP_FEAT_SEQUENCE_WINDOW, 1024);
	IS(emit(&e, 0), "20 09 03 00 00 00 00 04 00");

	end_init(&e, false);
	fdccp_features_prefer(&e.f, FDCCP_FEAT_CCID, false, LIST(3, 2), false);
	IS(emit(&e, 0), "22 05 01 03 02");

	end_init(&e, false);
	fdccp_features_prefer(&e.f, FDCCP_FEAT_CCID, true, LIST(3), true);
	IS(emit(&e, 0), "01 20 04 01 03");
	return true;
}

/* The byte encodings of section 6.5, of Confirms: what an end answers. */
static bool test_confirm_bytes(void)
{
	static const struct {
		const char *change, *confirm;
	} rows[] = {
		{ "22 05 01 02 03", "21 06 01 02 02 03" },
		{ "22 04 7e 01", "21 03 7e" },
		{ "20 04 01 02", "23 06 01 02 03 02" },
		{ "20 09 03 00 00 00 00 04 00", "23 09 03 00 00 00 00 04 00" },
		{ "20 04 7e 01", "23 03 7e" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct end e;

		end_init(&e, true);
		fdccp_features_answer(&e.f, FDCCP_FEAT_CCID, true, LIST(2, 3));
		fdccp_features_answer(&e.f, FDCCP_FEAT_CCID, false, LIST(3, 2));
		MUST(deliver_hex(&e, rows[i].change) == 0);
		IS(emit(&e, 0), rows[i].confirm);
		MUST(emit(&e, 10 * RTT).len == 0); /* a Confirm is never sent again */
	}
	return true;
}

/* The first two dialogues of section 6.5: the client's Change, and the server's, once lost. */
static bool test_ccid_dialogues(void)
{
	struct end client, server;
	struct packet p;

	end_init(&client, false);
	end_init(&server, true);
	fdccp_features_prefer(&client.f, FDCCP_FEAT_CCID, false, LIST(2, 3, 1), false);
	fdccp_features_answer(&server.f, FDCCP_FEAT_CCID, true, LIST(3, 2, 1));
	p = emit(&client, 0);
	IS(p, "22 06 01 02 03 01");
	MUST(deliver(&server, &p) == 0);
	p = emit(&server, 0);
	IS(p, "21 07 01 03 03 02 01");
	MUST(fdccp_features_get(&client.f, FDCCP_FEAT_CCID, false) == 2);
	MUST(deliver(&client, &p) == 0);
	MUST(fdccp_features_get(&client.f, FDCCP_FEAT_CCID, false) == 3);
	MUST(fdccp_features_get(&server.f, FDCCP_FEAT_CCID, true) == 3);

	end_init(&client, false);
	end_init(&server, true);
	fdccp_features_answer(&client.f, FDCCP_FEAT_CCID, false, LIST(2, 3, 1));
	fdccp_features_prefer(&server.f, FDCCP_FEAT_CCID, true, LIST(3, 2, 1), false);
	IS(emit(&server, 0), "20 06 01 03 02 01");
	p = emit(&server, RTT);
	IS(p, "20 06 01 03 02 01");
	MUST(deliver(&client, &p) == 0);
	p = emit(&client, RTT);
	IS(p, "23 07 01 03 02 03 01");
	MUST(fdccp_features_get(&server.f, FDCCP_FEAT_CCID, true) == 2);
	MUST(deliver(&server, &p) == 0);
	MUST(fdccp_features_get(&server.f, FDCCP_FEAT_CCID, true) == 3);
	MUST(fdccp_features_get(&client.f, FDCCP_FEAT_CCID, false) == 3);
	return true;
}

/* The third and fourth dialogue: Ack Ratio, and both ends at the same time. */
static bool test_other_dialogues(void)
{
	struct end client, server;
	struct packet p, q;

	end_init(&client, false);
	end_init(&server, true);
	fdccp_features_set(&server.f, FDCCP_FEAT_ACK_RATIO, 3);
	p = emit(&server, 0);
	IS(p, "20 05 05 00 03");
	MUST(deliver(&client, &p) == 0);
	p = emit(&client, 0);
	IS(p, "23 05 05 00 03");
	MUST(deliver(&server, &p) == 0);
	MUST(fdccp_features_get(&server.f, FDCCP_FEAT_ACK_RATIO, true) == 3);
	MUST(fdccp_features_get(&client.f, FDCCP_FEAT_ACK_RATIO, false) == 3);

	end_init(&client, false);
	end_init(&server, true);
	fdccp_features_prefer(&client.f, FDCCP_FEAT_CCID, false, LIST(2, 3, 1), false);
	fdccp_features_prefer(&server.f, FDCCP_FEAT_CCID, true, LIST(3, 2, 1), false);
	p = emit(&client, 0);
	q = emit(&server, 0);
	IS(p, "22 06 01 02 03 01");
	IS(q, "20 06 01 03 02 01");
	MUST(deliver(&server, &p) == 0 && deliver(&client, &q) == 0);
	p = emit(&server, 0);
	q = emit(&client, 0);
	IS(p, "21 07 01 03 03 02 01");
	IS(q, "23 07 01 03 02 03 01");
	MUST(deliver(&client, &p) == 0 && deliver(&server, &q) == 0);
	MUST(fdccp_features_get(&client.f, FDCCP_FEAT_CCID, false) == 3);
	MUST(fdccp_features_get(&server.f, FDCCP_FEAT_CCID, true) == 3);
	MUST(fdccp_features_timer(&client.f) == FDCCP_NEVER);
	MUST(fdccp_features_timer(&server.f) == FDCCP_NEVER);
	MUST(emit(&client, RTT).len == 0 && emit(&server, RTT).len == 0);
	return true;
}

/* A server whose answer to the client's Change says all needs no Change of its own. */
static bool test_answer_replaces_change(void)
{
	struct end e;

	end_init(&e, true);
	fdccp_features_prefer(&e.f, FDCCP_FEAT_CCID, true, LIST(3, 2), false);
	MUST(deliver_hex(&e, "22 05 01 02 03") == 0);
	IS(emit(&e, 0), "21 06 01 03 03 02");
	MUST(fdccp_features_timer(&e.f) == FDCCP_NEVER);

	end_init(&e, true); /* without agreement the Change follows, here a Mandatory one */
	fdccp_features_prefer(&e.f, FDCCP_FEAT_CCID, true, LIST(3), true);
	MUST(deliver_hex(&e, "22 04 01 02") == 0);
	IS(emit(&e, 0), "21 05 01 02 03 01 20 04 01 03");
	return true;
}

/* Preferences that both ends know already are not sent. */
static bool test_known_preferences(void)
{
	struct end e;

	end_init(&e, false);
	fdccp_features_prefer(&e.f, FDCCP_FEAT_SEND_ACK_VECTOR, true, LIST(0), false);
	fdccp_features_set(&e.f, FDCCP_FEAT_SEQUENCE_WINDOW, 100);
	MUST(fdccp_features_timer(&e.f) == FDCCP_NEVER && emit(&e, 0).len == 0);

	fdccp_features_answer(&e.f, FDCCP_FEAT_CCID, true, LIST(3, 2)); /* nobody was told these */
	MUST(fdccp_features_timer(&e.f) == FDCCP_NEVER);
	fdccp_features_prefer(&e.f, FDCCP_FEAT_CCID, true, LIST(3, 2), false);
	IS(emit(&e, 0), "20 05 01 03 02");
	fdccp_features_prefer(&e.f, FDCCP_FEAT_CCID, true, LIST(3, 2), false);
	MUST(emit(&e, 0).len == 0); /* the Change is on its way */
	MUST(deliver_hex(&e, "23 06 01 02 02 03") == 0);
	fdccp_features_prefer(&e.f, FDCCP_FEAT_CCID, true, LIST(3, 2), false);
	MUST(fdccp_features_timer(&e.f) == FDCCP_NEVER);
	return true;
}

/* Return codes, answers and values of options that break a rule, or look like it. */
struct refusal {
	const char *what;
	const char *options;	/* received */
	int code;		/* of the Reset */
	const char *answer;
	uint8_t number;		/* of a feature */
	bool local;
	uint64_t value;		/* of it afterwards */
};

#define MANDATORY	FDCCP_RESET_MANDATORY_ERROR
#define OPTION		FDCCP_RESET_OPTION_ERROR

/* The server answers CCID/server with 3 2, and has no Change on its way. */
static const struct refusal changes[] = {
	{ "unknown, L", "20 04 7e 01", 0, "23 03 7e", 1, true, 2 },
	{ "unknown, R", "22 04 7e 01", 0, "21 03 7e", 1, true, 2 },
	{ "unknown, Mandatory", "01 20 04 7e 01", MANDATORY, "", 1, true, 2 },
	{ "reserved number 0", "20 04 00 01", 0, "23 03 00", 1, true, 2 },
	{ "without a value", "22 03 01", 0, "21 03 01", 1, true, 2 },
	{ "without a value, Mandatory", "01 22 03 01", MANDATORY, "", 1, true, 2 },
	{ "without a number", "22 02", 0, "", 1, true, 2 },
	{ "without a number, Mandatory", "01 22 02", MANDATORY, "", 1, true, 2 },
	{ "nothing shared", "22 05 01 07 08", 0, "21 06 01 02 03 02", 1, true, 2 },
	{ "nothing shared, Mandatory", "01 22 05 01 07 08", MANDATORY, "", 1, true, 2 },
	{ "shared, Mandatory", "01 22 05 01 07 03", 0, "21 06 01 03 03 02", 1, true, 3 },
	{ "values nobody has", "22 06 01 ff 03 00", 0, "21 06 01 03 03 02", 1, true, 3 },
	{ "Ack Ratio 0", "20 05 05 00 00", 0, "23 03 05", 5, false, 2 },
	{ "Ack Ratio 0, Mandatory", "01 20 05 05 00 00", MANDATORY, "", 5, false, 2 },
	{ "Ack Ratio, 1 byte", "20 04 05 03", 0, "23 03 05", 5, false, 2 },
	{ "Ack Ratio, 3 bytes", "20 06 05 00 00 03", 0, "23 03 05", 5, false, 2 },
	{ "Ack Ratio 1", "20 05 05 00 01", 0, "23 05 05 00 01", 5, false, 1 },
	{ "Ack Ratio 65535", "20 05 05 ff ff", 0, "23 05 05 ff ff", 5, false, 65535 },
	{ "Change R of Ack Ratio", "22 05 05 00 03", 0, "21 03 05", 5, true, 2 },
	{ "Sequence Window 31", "20 09 03 00 00 00 00 00 1f", 0, "23 03 03", 3, false, 100 },
	{ "Sequence Window 32", "20 09 03 00 00 00 00 00 20", 0, "23 09 03 00 00 00 00 00 20",
	  3, false, 32 },
	{ "Sequence Window 2^46 - 1", "20 09 03 3f ff ff ff ff ff", 0, "23 09 03 3f ff ff ff ff ff",
	  3, false, (UINT64_C(1) << 46) - 1 },
	{ "Sequence Window 2^46", "20 09 03 40 00 00 00 00 00", 0, "23 03 03", 3, false, 100 },
	{ "Sequence Window, 5 bytes", "20 08 03 00 00 00 04 00", 0, "23 03 03", 3, false, 100 },
	{ "Loss Event Rate with CCID 2", "22 04 c0 01", 0, "21 03 c0", 192, true, 0 },
	{ "twice, the last one counts", "20 05 05 00 03 20 05 05 00 04", 0, "23 05 05 00 04",
	  5, false, 4 },
	{ "Confirm of nothing", "23 06 01 03 02 03", 0, "", 1, true, 2 },
	{ "Confirm, unknown", "21 04 7e 01", 0, "", 1, true, 2 },
	{ "Confirm, unknown, Mandatory", "01 21 04 7e 01", 0, "", 1, true, 2 },
	{ "Confirm without a number", "21 02", 0, "", 1, true, 2 },
};

/* The server has sent Change L(CCID, 3 2), Change L(Sequence Window, 1024), Change L(Ack Ratio, 3)
 * and Change L(NDP Count, 1).
 */
static const struct refusal confirms[] = {
	{ "right", "23 06 01 03 02 03", 0, "", 1, true, 3 },
	{ "right, nothing shared", "23 05 01 02 05", 0, "", 1, true, 2 },
	{ "right, without a list", "23 04 01 03", 0, "", 1, true, 3 },
	{ "the client's preference", "23 06 01 02 02 03", OPTION, "", 1, true, 2 },
	{ "a value of neither list", "23 06 01 04 02 03", OPTION, "", 1, true, 2 },
	{ "nothing shared, but changed", "23 05 01 05 05", OPTION, "", 1, true, 2 },
	{ "not offered, without a list", "23 04 01 05", OPTION, "", 1, true, 2 },
	{ "empty, required", "23 03 01", OPTION, "", 1, true, 2 },
	{ "empty, required, not negotiable", "23 03 03", OPTION, "", 3, true, 100 },
	{ "empty, not required", "23 03 05", 0, "", 5, true, 2 },
	{ "right number", "23 05 05 00 03", 0, "", 5, true, 3 },
	{ "another number", "23 05 05 00 04", OPTION, "", 5, true, 2 },
	{ "1 byte", "23 04 05 03", OPTION, "", 5, true, 2 },
	{ "Mandatory changes nothing", "01 23 05 05 00 03", 0, "", 5, true, 3 },
	{ "of the other location", "21 06 01 03 02 03", 0, "", 1, true, 2 },
	{ "Confirm L of Ack Ratio", "21 05 05 00 04", 0, "", 5, true, 2 },
	{ "twice, the second is ignored", "23 06 01 03 02 03 23 06 01 02 02 03", 0, "", 1, true, 3 },
};

static bool check_refusal(struct end *e, const struct refusal *row)
{
	int code = deliver_hex(e, row->options);
	struct packet p;

	if (code == row->code &&
	    fdccp_features_get(&e->f, row->number, row->local) == row->value) {
		p = emit(e, 0);
		if (code || is_hex(p.options, p.len, row->answer))
			return true;
	}
	printf("# %s: code %d\n", row->what, code);
	return false;
}

static bool test_bad_changes(void)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct end e;

		end_init(&e, true);
		fdccp_features_answer(&e.f, FDCCP_FEAT_CCID, true, LIST(3, 2));
		MUST(check_refusal(&e, &changes[i]));
	}
	return true;
}

static bool test_bad_confirms(void)
{
	for (size_t i = 0; i < sizeof(confirms) / sizeof(confirms[0]); i++) {
		struct end e;

		end_init(&e, true);
		fdccp_features_prefer(&e.f, FDCCP_FEAT_CCID, true, LIST(3, 2), false);
		fdccp_features_set(&e.f, FDCCP_FEAT_SEQUENCE_WINDOW, 1024);
		fdccp_features_set(&e.f, FDCCP_FEAT_ACK_RATIO, 3);
		fdccp_features_prefer(&e.f, FDCCP_FEAT_SEND_NDP_COUNT, true, LIST(1), false);
		emit(&e, 0);
		MUST(check_refusal(&e, &confirms[i]));
	}
	return true;
}

/* Loss Event Rate exists while the half-connection to its location has CCID 3. */
static bool test_ccid_specific(void)
{
	struct end e;

	end_init(&e, true);
	fdccp_features_answer(&e.f, FDCCP_FEAT_CCID, false, LIST(3));
	fdccp_features_answer(&e.f, FDCCP_FEAT_SEND_LOSS_EVENT_RATE, true, LIST(1, 0));
	fdccp_features_answer(&e.f, FDCCP_FEAT_SEND_LOSS_EVENT_RATE, false, LIST(1, 0));
	MUST(deliver_hex(&e, "22 04 c0 01 20 04 01 03 22 04 c0 01 20 04 c0 01") == 0);
	IS(emit(&e, 0), "21 06 c0 01 01 00 23 05 01 03 03 23 03 c0");
	return true;
}

/* An option is ignored if a later one was processed before, if it does not acknowledge the latest
 * Change, or if it is a Confirm without an acknowledgment number (section 6.6.4).
 */
static bool test_reordering(void)
{
	static const uint8_t right[] = { 35, 5, 5, 0, 3 };
	struct packet p = { .seq = 1000, .has_ack = true, .len = sizeof(right) };
	struct end e;

	memcpy(p.options, right, sizeof(right));
	end_init(&e, true);
	deliver(&e, &(struct packet){ .seq = 999 });
	fdccp_features_set(&e.f, FDCCP_FEAT_ACK_RATIO, 3);
	p.ack = fdccp_seq_add(emit(&e, 0).seq, -1);
	MUST(deliver(&e, &p) == 0 && fdccp_features_get(&e.f, FDCCP_FEAT_ACK_RATIO, true) == 2);
	p.seq++;
	p.ack = fdccp_seq_add(p.ack, 1);
	p.has_ack = false;
	MUST(deliver(&e, &p) == 0 && fdccp_features_get(&e.f, FDCCP_FEAT_ACK_RATIO, true) == 2);
	p.has_ack = true; /* FGSR is 1001 */
	MUST(deliver(&e, &p) == 0 && fdccp_features_get(&e.f, FDCCP_FEAT_ACK_RATIO, true) == 2);
	p.seq = 1000;
	MUST(deliver(&e, &p) == 0 && fdccp_features_get(&e.f, FDCCP_FEAT_ACK_RATIO, true) == 2);
	p.seq = 1002;
	MUST(deliver(&e, &p) == 0 && fdccp_features_get(&e.f, FDCCP_FEAT_ACK_RATIO, true) == 3);

	memcpy(p.options, (const uint8_t[]){ 32, 5, 5, 0, 9 }, 5);
	MUST(deliver(&e, &p) == 0 && fdccp_features_get(&e.f, FDCCP_FEAT_ACK_RATIO, false) == 2);
	p.has_ack = false; /* Changes need no acknowledgment number */
	p.seq = 1003;
	MUST(deliver(&e, &p) == 0 && fdccp_features_get(&e.f, FDCCP_FEAT_ACK_RATIO, false) == 9);
	return true;
}

/* The first packet of the peer counts, even with the number from which the others are told. */
static bool test_first_packet(void)
{
	struct end e;

	end_init(&e, true);
	MUST(deliver(&e, &(struct packet){ .seq = 0, .len = 5, .options = { 32, 5, 5, 0, 9 } }) == 0);
	MUST(fdccp_features_get(&e.f, FDCCP_FEAT_ACK_RATIO, false) == 9);
	return true;
}

/* An end that changes its preferences while CHANGING ignores answers to the old ones. */
static bool test_unstable(void)
{
	struct end e;
	struct fdccp_feature *feature;

	end_init(&e, true);
	feature = feature_of(&e.f, find(FDCCP_FEAT_CCID), true);
	fdccp_features_prefer(&e.f, FDCCP_FEAT_CCID, true, LIST(2, 3), false);
	MUST(feature->state == FDCCP_FEATURE_STABLE);
	emit(&e, 0);
	MUST(feature->state == FDCCP_FEATURE_CHANGING);
	fdccp_features_prefer(&e.f, FDCCP_FEAT_CCID, true, LIST(3, 2), false);
	MUST(feature->state == FDCCP_FEATURE_UNSTABLE);
	MUST(deliver_hex(&e, "22 05 01 02 03") == 0 && deliver_hex(&e, "23 06 01 02 02 03") == 0);
	MUST(feature->state == FDCCP_FEATURE_UNSTABLE && feature->value == 2);
	IS(emit(&e, 0), "20 05 01 03 02"); /* and no Confirm */
	MUST(feature->state == FDCCP_FEATURE_CHANGING);
	MUST(deliver_hex(&e, "23 06 01 03 02 03") == 0);
	MUST(feature->state == FDCCP_FEATURE_STABLE && feature->value == 3);
	return true;
}

/* Linux's server answers Change R(Send Ack Vector) of the Request by a Change L of its own, without
 * a Confirm. If it acknowledges the Request, it is the answer; a later Change is not.
 */
static bool test_change_answers(void)
{
	struct end e;

	end_init(&e, false);
	fdccp_features_prefer(&e.f, FDCCP_FEAT_SEND_ACK_VECTOR, false, LIST(1, 0), false);
	IS(emit(&e, 0), "22 05 06 01 00");
	MUST(deliver_hex(&e, "01 20 04 06 01") == 0);
	MUST(fdccp_features_get(&e.f, FDCCP_FEAT_SEND_ACK_VECTOR, false) == 1);
	IS(emit(&e, 0), "23 06 06 01 01 00");
	MUST(fdccp_features_timer(&e.f) == FDCCP_NEVER);

	end_init(&e, false);
	fdccp_features_prefer(&e.f, FDCCP_FEAT_SEND_ACK_VECTOR, false, LIST(1, 0), false);
	emit(&e, 0);
	emit(&e, 0);
	MUST(deliver_hex(&e, "20 04 06 01") == 0);
	IS(emit(&e, 0), "23 06 06 01 01 00");
	MUST(fdccp_features_timer(&e.f) == RTT);
	return true;
}

/* Confirms that are repeated are in each packet, but make none; a new one does. */
static bool test_repeated_confirms(void)
{
	struct end e;

	end_init(&e, false);
	fdccp_features_repeat(&e.f, true);
	MUST(deliver_hex(&e, "20 05 05 00 07") == 0 && fdccp_features_due(&e.f, 0));
	for (int i = 0; i < 3; i++) {
		IS(emit(&e, 0), "23 05 05 00 07");
		MUST(fdccp_features_timer(&e.f) == FDCCP_NEVER);
	}
	MUST(deliver_hex(&e, "20 05 05 00 08") == 0 && fdccp_features_due(&e.f, RTT));
	IS(emit(&e, RTT), "23 05 05 00 08");
	fdccp_features_repeat(&e.f, false);
	IS(emit(&e, RTT), "");
	return true;
}

/* Changes are sent again after 1, 3, 7, ... round trips, at last every 64 s, always the same. */
static bool test_backoff(void)
{
	int64_t now = 0, interval = RTT;
	struct end e;

	end_init(&e, false);
	fdccp_features_prefer(&e.f, FDCCP_FEAT_CCID, true, LIST(3, 2), true);
	fdccp_features_set(&e.f, FDCCP_FEAT_ACK_RATIO, 4);
	MUST(fdccp_features_due(&e.f, 0));
	for (int i = 0; i < 16; i++) {
		IS(emit(&e, now), "01 20 05 01 03 02 20 05 05 00 04");
		MUST(!fdccp_features_due(&e.f, now + interval - 1));
		MUST(fdccp_features_timer(&e.f) == now + interval);
		now += interval;
		interval = 2 * interval < 64000 * MS ? 2 * interval : 64000 * MS;
	}
	MUST(interval == 64000 * MS);
	MUST(e.f.fgss == ISS); /* only new Changes move it */
	return true;
}

/* A packet that leaves anyway has a Change again once a round trip, and delays no packet that is made
 * for it.
 */
static bool test_anyway(void)
{
	struct end e;

	end_init(&e, false);
	fdccp_features_set(&e.f, FDCCP_FEAT_ACK_RATIO, 4);
	for (int i = 0; i < 7; i++) {
		IS(emit(&e, i * RTT), "20 05 05 00 04");
		IS(emit(&e, (i + 1) * RTT - 1), "");
		MUST(fdccp_features_timer(&e.f) == (i < 1 ? 1 : i < 3 ? 3 : 7) * RTT);
	}
	MUST(deliver_hex(&e, "23 05 05 00 04") == 0);
	IS(emit(&e, 7 * RTT), "");
	return true;
}

/* No packet is made for features less than a round trip after the last one, but one that is sent
 * anyway takes new options along.
 */
static bool test_one_a_round_trip(void)
{
	struct end e;

	end_init(&e, false);
	fdccp_features_set(&e.f, FDCCP_FEAT_ACK_RATIO, 4);
	emit(&e, 0);
	MUST(deliver_hex(&e, "23 05 05 00 04") == 0);
	MUST(fdccp_features_timer(&e.f) == FDCCP_NEVER);
	fdccp_features_set(&e.f, FDCCP_FEAT_ACK_RATIO, 5);
	MUST(deliver_hex(&e, "20 05 05 00 09") == 0);
	MUST(!fdccp_features_due(&e.f, RTT - 1) && fdccp_features_due(&e.f, RTT));
	IS(emit(&e, 1), "23 05 05 00 09 20 05 05 00 05");
	MUST(fdccp_features_timer(&e.f) == 1 + RTT);
	return true;
}

/* Options that have no room wait; none overtakes a Confirm, and Mandatory stays with its Change. */
static bool test_no_room(void)
{
	struct end e;

	end_init(&e, false);
	MUST(deliver_hex(&e, "20 05 05 00 09 20 04 7e 01") == 0);
	fdccp_features_prefer(&e.f, FDCCP_FEAT_CCID, true, LIST(3), true);
	MUST(emit_within(&e, 0, 4).len == 0);
	IS(emit_within(&e, 0, 7), "23 05 05 00 09");
	IS(emit_within(&e, 0, 7), "23 03 7e");
	MUST(emit_within(&e, 0, 4).len == 0);
	IS(emit_within(&e, 0, 5), "01 20 04 01 03");
	return true;
}

/* A packet without room for options that are due is not made again before a round trip. */
static bool test_no_room_waits(void)
{
	struct end e;

	end_init(&e, false);
	fdccp_features_prefer(&e.f, FDCCP_FEAT_CCID, true, LIST(3), false);
	MUST(emit_within(&e, 0, 3).len == 0);
	MUST(fdccp_features_timer(&e.f) == RTT);
	IS(emit_within(&e, RTT, 4), "20 04 01 03");
	MUST(fdccp_features_timer(&e.f) == 2 * RTT);
	MUST(emit_within(&e, 2 * RTT, 3).len == 0);
	MUST(fdccp_features_timer(&e.f) == 3 * RTT);
	IS(emit_within(&e, 3 * RTT, 4), "20 04 01 03");
	return true;
}

/* Without an acknowledgment number, a packet has no Confirm, and no Change overtakes one. */
static bool test_no_ack(void)
{
	struct packet p;
	struct end e;

	end_init(&e, false);
	MUST(deliver_hex(&e, "20 05 05 00 09") == 0);
	fdccp_features_set(&e.f, FDCCP_FEAT_ACK_RATIO, 5);
	e.heard = false;
	MUST(emit(&e, 0).len == 0);
	e.heard = true;
	p = emit(&e, 0);
	IS(p, "23 05 05 00 09 20 05 05 00 05");
	return true;
}

/* A peer that sends more Changes than this end can answer gets no value of those that are not
 * answered; it sends them again, and then they are.
 */
static bool test_too_many(void)
{
	uint8_t number[] = { 128, 5 };
	struct packet p = { .seq = 100, .ack = ISS, .has_ack = true };
	struct fdccp_writer w = { p.options, p.options, p.options + sizeof(p.options) };
	struct end e;

	end_init(&e, true);
	for (int i = 0; i < FDCCP_CONFIRMS; i++, number[0]++)
		MUST(fdccp_write_option(&w, FDCCP_OPT_CHANGE_R, number, 2) == 0);
	MUST(fdccp_write_option(&w, FDCCP_OPT_CHANGE_L, (uint8_t[]){ 5, 0, 9 }, 3) == 0);
	p.len = (size_t)(w.at - w.start);
	MUST(deliver(&e, &p) == 0);
	MUST(fdccp_features_get(&e.f, FDCCP_FEAT_ACK_RATIO, false) == 2);
	p = emit(&e, 0);
	MUST(p.len == 3 * FDCCP_CONFIRMS && p.options[2] == 128 && p.options[p.len - 1] == 143);
	MUST(deliver_hex(&e, "20 05 05 00 09") == 0);
	MUST(fdccp_features_get(&e.f, FDCCP_FEAT_ACK_RATIO, false) == 9);
	IS(emit(&e, 0), "23 05 05 00 09");
	return true;
}

/* Lists without a common value that meet with different values end the connection: the ends would
 * differ for good.
 */
static bool test_no_silent_difference(void)
{
	struct end e;

	end_init(&e, true);
	fdccp_features_prefer(&e.f, FDCCP_FEAT_CCID, true, LIST(3), false);
	emit(&e, 0);
	MUST(deliver_hex(&e, "22 04 01 04") == 0);
	MUST(deliver_hex(&e, "23 05 01 04 04") == FDCCP_RESET_OPTION_ERROR);
	return true;
}

/* A value that was refused can be proposed again. */
static bool test_refused_value(void)
{
	struct end e;

	end_init(&e, false);
	fdccp_features_set(&e.f, FDCCP_FEAT_ACK_RATIO, 5);
	IS(emit(&e, 0), "20 05 05 00 05");
	MUST(deliver_hex(&e, "23 03 05") == 0);
	MUST(fdccp_features_timer(&e.f) == FDCCP_NEVER);
	fdccp_features_set(&e.f, FDCCP_FEAT_ACK_RATIO, 5);
	IS(emit(&e, 0), "20 05 05 00 05");
	return true;
}

/* This end proposes no value that is out of range. */
static bool test_range(void)
{
	struct end e;

	end_init(&e, false);
	fdccp_features_set(&e.f, FDCCP_FEAT_ACK_RATIO, 0);
	fdccp_features_set(&e.f, FDCCP_FEAT_SEQUENCE_WINDOW, UINT64_MAX);
	IS(emit(&e, 0), "20 09 03 3f ff ff ff ff ff 20 05 05 00 01");
	return true;
}

/* A value from an Init Cookie is as if it had been negotiated, whatever this end prefers. */
static bool test_agreed_before(void)
{
	struct end e;

	end_init(&e, true);
	fdccp_features_prefer(&e.f, FDCCP_FEAT_CCID, true, LIST(2, 3), false);
	fdccp_features_agree(&e.f, FDCCP_FEAT_CCID, true, 3);
	MUST(fdccp_features_get(&e.f, FDCCP_FEAT_CCID, true) == 3);
	MUST(fdccp_features_timer(&e.f) == FDCCP_NEVER && emit(&e, 0).len == 0);
	MUST(deliver_hex(&e, "22 04 01 05") == 0);
	IS(emit(&e, 0), "21 06 01 03 02 03");
	return true;
}

/* A Confirm that acknowledges the latest Change without having seen it changes nothing, because it
 * may answer an earlier one; but not any number of them.
 */
static bool test_stray_confirms(void)
{
	struct end e;

	end_init(&e, true);
	fdccp_features_set(&e.f, FDCCP_FEAT_ACK_RATIO, 3);
	emit(&e, 0);
	fdccp_features_set(&e.f, FDCCP_FEAT_ACK_RATIO, 4);
	emit(&e, 0);
	for (int i = 0; i < STRAY; i++)
		MUST(deliver_hex(&e, "23 05 05 00 03") == 0);
	MUST(fdccp_features_get(&e.f, FDCCP_FEAT_ACK_RATIO, true) == 2);
	MUST(deliver_hex(&e, "23 05 05 00 03") == FDCCP_RESET_OPTION_ERROR);
	MUST(deliver_hex(&e, "23 05 05 00 04") == 0);
	MUST(fdccp_features_get(&e.f, FDCCP_FEAT_ACK_RATIO, true) == 4);
	return true;
}

/* A Change that arrives after a Confirm has acknowledged its number counts as lost. */
static bool test_late_change(void)
{
	struct packet p = { .seq = 12, .len = 5, .options = { 32, 5, 5, 0, 9 } };
	struct end e;

	end_init(&e, true);
	MUST(deliver(&e, &(struct packet){ .seq = 11, .len = 5, .options = { 32, 5, 5, 0, 8 } }) == 0);
	MUST(deliver(&e, &(struct packet){ .seq = 13 }) == 0);
	IS(emit(&e, 0), "23 05 05 00 08");
	MUST(deliver(&e, &p) == 0 && fdccp_features_get(&e.f, FDCCP_FEAT_ACK_RATIO, false) == 8);
	p.seq = 14;
	MUST(deliver(&e, &p) == 0 && fdccp_features_get(&e.f, FDCCP_FEAT_ACK_RATIO, false) == 9);
	return true;
}

/* What is told of a change of value. */
static bool test_changed(void)
{
	struct fdccp_option option = { .type = FDCCP_OPT_CHANGE_L,
				       .value = (uint8_t[]){ 5, 0, 7 }, .len = 3 };
	unsigned int changed;
	struct end e;

	end_init(&e, false);
	e.heard = true;
	MUST(fdccp_features_option(&e.f, &option, 10, 0, false, &changed) == 0 && changed == 5);
	fdccp_features_set(&e.f, FDCCP_FEAT_ACK_RATIO, 7);
	emit(&e, 0);
	option.type = FDCCP_OPT_CONFIRM_R;
	MUST(fdccp_features_option(&e.f, &option, 11, ISS, true, &changed) == 0);
	MUST(changed == (5 | 0x100));
	MUST(fdccp_features_option(&e.f, &option, 12, ISS, true, &changed) == 0 && changed == 0);
	return true;
}

/* The random negotiations */

static uint64_t random_state;

static uint64_t rnd(uint64_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 11) % below;
}

#define FLIGHT	64

/* packets under way to an end, with the time at which they arrive */
struct flight {
	struct packet packet[FLIGHT];
	int64_t when[FLIGHT];
	size_t count;
};

/* Loses a quarter, doubles a tenth, and delays each by up to two round trips. */
static void cast(struct flight *to, const struct packet *p, int64_t now)
{
	int copies = rnd(4) == 0 ? 0 : rnd(10) == 0 ? 2 : 1;

	for (; copies && to->count < FLIGHT; copies--) {
		to->packet[to->count] = *p;
		to->when[to->count++] = now + (int64_t)rnd((uint64_t)RTT * 2);
	}
}

/* Delivers what has arrived by @now, in any order. */
static void land(struct flight *to, struct end *e, int64_t now)
{
	for (size_t i = 0; i < to->count;) {
		if (to->when[i] > now) {
			i++;
			continue;
		}
		deliver(e, &to->packet[i]);
		to->count--;
		to->packet[i] = to->packet[to->count];
		to->when[i] = to->when[to->count];
	}
}

/* Which features are negotiated, and the value that all lists for one at one location share; 0:
 * the two ends' lists share nothing and are never changed.
 */
static const uint8_t chosen[] = {
	FDCCP_FEAT_CCID, FDCCP_FEAT_SHORT_SEQ, FDCCP_FEAT_ECN_INCAPABLE, FDCCP_FEAT_SEND_ACK_VECTOR,
	FDCCP_FEAT_SEND_NDP_COUNT, FDCCP_FEAT_MIN_COVERAGE, FDCCP_FEAT_FRESHLINK,
};

#define CHOSEN	(sizeof(chosen) / sizeof(chosen[0]))

/* An end sets its preferences for a feature at random: @common is among them. */
static void set_random(struct end *e, uint8_t number, bool local, uint8_t common)
{
	uint8_t list[FDCCP_FEATURE_PREFS];
	size_t len = 1 + rnd(FDCCP_FEATURE_PREFS);

	for (size_t i = 0; i < len; i++)
		list[i] = (uint8_t)(1 + rnd(5));
	list[rnd(len)] = common;
	if (rnd(4))
		fdccp_features_prefer(&e->f, number, local, list, len, rnd(8) == 0);
	else
		fdccp_features_answer(&e->f, number, local, list, len);
}

static void set_something(struct end ends[2], const uint8_t common[2][CHOSEN])
{
	size_t who = rnd(2), located = rnd(2), i = rnd(CHOSEN + 2);
	struct end *e = &ends[who];

	if (i == CHOSEN)
		fdccp_features_set(&e->f, FDCCP_FEAT_SEQUENCE_WINDOW, 32 + rnd(1000));
	else if (i > CHOSEN)
		fdccp_features_set(&e->f, FDCCP_FEAT_ACK_RATIO, 1 + rnd(9));
	else if (common[located][i])
		set_random(e, chosen[i], who == located, common[located][i]);
}

/* Sets the lists to begin with. */
static void set_lists(struct end *e, size_t who, const uint8_t common[2][CHOSEN])
{
	for (size_t located = 0; located < 2; located++) {
		for (size_t i = 0; i < CHOSEN; i++) {
			uint8_t value = common[located][i];

			if (value)
				fdccp_features_answer(&e->f, chosen[i], who == located, &value, 1);
			else
				fdccp_features_prefer(&e->f, chosen[i], who == located,
						      LIST((uint8_t)(10 + who)), false);
		}
	}
}

static bool quiet(const struct end *e, const struct flight *to)
{
	return fdccp_features_timer(&e->f) == FDCCP_NEVER && !to->count;
}

/* Whether both ends have the same values, at both locations. */
static bool agree(const struct end *a, const struct end *b)
{
	for (size_t i = 0; i < FDCCP_FEATURES; i++) {
		if (a->f.feature[i][1].value != b->f.feature[i][0].value ||
		    a->f.feature[i][0].value != b->f.feature[i][1].value)
			return false;
	}
	return !a->failed && !b->failed;
}

/* Lets one end do what it has to do: packets for features, and sometimes others. */
static void step(struct end *e, struct flight *to, int64_t now)
{
	struct packet p;

	if (!fdccp_features_due(&e->f, now) && rnd(20))
		return;
	p = emit_within(e, now, rnd(3) ? 256 : 8 + rnd(24));
	cast(to, &p, now);
}

/* Two ends negotiate, and change their minds for a while. Return: whether they agree in the end. */
static bool negotiate(uint64_t seed)
{
	struct end ends[2];
	static struct flight to[2];
	uint8_t common[2][CHOSEN];
	int64_t now = 0, changing = (int64_t)(1 + seed % 20) * RTT;

	random_state = seed;
	to[0].count = to[1].count = 0;
	for (size_t i = 0; i < 2 * CHOSEN; i++)
		common[i % 2][i / 2] = (uint8_t)rnd(6);
	for (size_t i = 0; i < 2; i++) {
		end_init(&ends[i], i);
		set_lists(&ends[i], i, common);
	}
	do {
		for (int i = 0; now < changing && i < 2; i++) {
			if (rnd(3) == 0)
				set_something(ends, common);
		}
		for (int i = 0; i < 2; i++) {
			land(&to[i], &ends[i], now);
			step(&ends[i], &to[!i], now);
		}
		now += RTT / 5;
	} while ((now < changing || !quiet(&ends[0], &to[0]) || !quiet(&ends[1], &to[1])) &&
		 now < 100000 * RTT);
	return now < 100000 * RTT && agree(&ends[0], &ends[1]);
}

/* Two ends agree on all values, whatever a path loses, doubles and reorders. */
static bool test_random(void)
{
	printf("# %d negotiations from seed %#llx on\n", NEGOTIATIONS, (unsigned long long)SEED);
	for (uint64_t i = 0; i < NEGOTIATIONS; i++) {
		if (!negotiate(SEED + i)) {
			printf("# the ends differ with seed %#llx\n",
			       (unsigned long long)(SEED + i));
			return false;
		}
	}
	return true;
}

static const struct unit tests[] = {
	{ "Changes of section 6.5, byte for byte", test_change_bytes },
	{ "Confirms of section 6.5, byte for byte", test_confirm_bytes },
	{ "dialogues of section 6.5 about the CCID", test_ccid_dialogues },
	{ "dialogues of section 6.5: Ack Ratio, simultaneous", test_other_dialogues },
	{ "an answer replaces a Change", test_answer_replaces_change },
	{ "known preferences are not sent", test_known_preferences },
	{ "Changes that break a rule", test_bad_changes },
	{ "Confirms that break a rule", test_bad_confirms },
	{ "features of a CCID", test_ccid_specific },
	{ "reordered options are ignored", test_reordering },
	{ "the first packet counts", test_first_packet },
	{ "new preferences while CHANGING", test_unstable },
	{ "a Change that answers a Change", test_change_answers },
	{ "repeated Confirms", test_repeated_confirms },
	{ "Changes are sent again", test_backoff },
	{ "packets that leave anyway have Changes again", test_anyway },
	{ "one packet a round trip", test_one_a_round_trip },
	{ "options without room wait", test_no_room },
	{ "options without room wait for a round trip", test_no_room_waits },
	{ "no Confirm without acknowledgment number", test_no_ack },
	{ "more Changes than can be answered", test_too_many },
	{ "ends never differ silently", test_no_silent_difference },
	{ "a refused value again", test_refused_value },
	{ "values out of range", test_range },
	{ "values of an Init Cookie", test_agreed_before },
	{ "Confirms of earlier Changes", test_stray_confirms },
	{ "Changes that arrive after their Confirm", test_late_change },
	{ "what has changed is told", test_changed },
	{ "random negotiations", test_random },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) ? 1 : 0;
}
