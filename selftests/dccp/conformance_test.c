// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules of RFCs 4340, 4341 and 4342 that no other test asserts. The page
 * Documentation/dccp-conformance.rst names the test of each rule.
 */
#include "ccid3.h"
#include "conn_world.h"
#include "../codec/unit.h"

#define EVENT(side, name)	(world.end[side].events[FDCCP_EVENT_##name])

/* Options */

/* Whether the options have these bytes somewhere. */
static bool has_bytes(const struct fdccp_packet *p, const void *bytes, size_t len)
{
	return memmem(p->options, p->options_len, bytes, len);
}

#define HAS(p, ...)									\
	has_bytes(p, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* The state that a packet's Ack Vector reports for @seq, or -1 if it reports none. */
static int state_of(const struct fdccp_packet *p, uint64_t seq)
{
	struct fdccp_option option;
	uint64_t at = p->ack;

	if (!fdccp_option_find(p, FDCCP_OPT_ACK_VECTOR_0, &option))
		return -1;
	for (uint8_t i = 0; i < option.len; i++) {
		uint64_t last = fdccp_seq_add(at, -(int64_t)(option.value[i] & 0x3f));

		if (fdccp_seq_between(last, seq, at))
			return option.value[i] >> 6;
		at = fdccp_seq_add(last, -1);
	}
	return -1;
}

/* What an end sends: rules that each packet of a transfer obeys */

typedef bool rule_of_packets(struct world *w, bool to_client, const struct flight *f,
			     const struct fdccp_packet *p);

static rule_of_packets *rule;
static unsigned int broken, watched;
static uint64_t expected_seq[2], expected_ndp[2], greatest[2];
static size_t heard_flights;

/* Notes the greatest numbers that have arrived so far. */
static void hear(struct world *w)
{
	for (; heard_flights < w->first; heard_flights++) {
		const struct flight *f = &w->flight[heard_flights % FLIGHTS];
		struct fdccp_packet p;

		if (!fdccp_packet_parse(&p, f->data, f->len))
			greatest[f->to_client] = p.seq;
	}
}

/* Watches a packet; loses and marks some with data. */
static bool watch(struct world *w, bool to_client, struct flight *f, const struct fdccp_packet *p)
{
	hear(w);
	watched++;
	if (!rule(w, to_client, f, p)) {
		if (!broken++)
			printf("# packet %u, type %u, %s\n", watched, p->type,
			       to_client ? "from the server" : "from the client");
	}
	expected_seq[to_client] = fdccp_seq_add(p->seq, 1);
	if (p->type == FDCCP_PKT_ACK || p->type >= FDCCP_PKT_CLOSEREQ)
		expected_ndp[to_client]++;
	else
		expected_ndp[to_client] = 0;
	if (!p->data_len || p->type == FDCCP_PKT_SYNC)
		return false;
	if (p->seq % 37 == 0)
		f->ecn = 3;
	return p->seq % 23 == 0;
}

/* Watches a packet, and loses nothing. */
static bool look(struct world *w, bool to_client, struct flight *f, const struct fdccp_packet *p)
{
	broken += !rule(w, to_client, f, p);
	return false;
}

/* Both ends send with a CCID, and the client closes. Return: whether all packets obeyed the rule */
static bool obeyed(rule_of_packets *obey, uint8_t ccid)
{
	struct fdccp_params params = params_of(ccid, ccid);
	struct world *w = &world;

	params.data_checksum = true;
	MUST(begin(w, &params, &params));
	rule = obey;
	broken = watched = 0;
	heard_flights = 0;
	memset(expected_seq, 0, sizeof(expected_seq));
	memset(expected_ndp, 0, sizeof(expected_ndp));
	w->lose = watch;
	run(w, w->now + 500 * MS);
	for (int i = 0; i < 30; i++) {
		MUST(send_many(w, true, 10) && send_many(w, false, 5));
		run(w, w->now + 20 * MS);
	}
	fdccp_slow_receiver(w->end[0].conn, true);
	run(w, w->now + SEC);
	fdccp_close(w->end[1].conn, w->now);
	run(w, w->now + SEC);
	MUST(EVENT(0, CLOSED) == 1 && EVENT(1, CLOSED) == 1);
	MUST(sums_up(&w->end[0].info) && sums_up(&w->end[1].info));
	MUST(watched > 600 && !broken);
	finish(w);
	return true;
}

static bool all_obey(rule_of_packets *obey)
{
	return obeyed(obey, 2) && obeyed(obey, 3);
}

/* Each packet has the number after that of the packet before, whatever its type is. */
static bool counts_up(struct world *w, bool to_client, const struct flight *f,
		      const struct fdccp_packet *p)
{
	(void)w;
	(void)f;
	return !expected_seq[to_client] || p->seq == expected_seq[to_client];
}

static bool test_sequence(void)
{
	return all_obey(counts_up);
}

/* Acknowledgment numbers are the greatest number received, except those of Sync and SyncAck. */
static bool acknowledges(struct world *w, bool to_client, const struct flight *f,
			 const struct fdccp_packet *p)
{
	(void)w;
	(void)f;
	return !p->has_ack || p->type == FDCCP_PKT_SYNC || p->type == FDCCP_PKT_SYNCACK ||
	       p->ack == greatest[!to_client];
}

static bool test_acknowledgment(void)
{
	return all_obey(acknowledges);
}

/* Data and Request have no options that acknowledge, Data no Mandatory and no feature, and none of
 * both an Init Cookie.
 */
static bool may_have(const struct fdccp_packet *p, uint8_t type)
{
	bool acknowledges = (type >= FDCCP_OPT_ACK_VECTOR_0 && type <= FDCCP_OPT_DATA_DROPPED) ||
			    type == FDCCP_OPT_TIMESTAMP_ECHO || type == FDCCP_OPT_ELAPSED_TIME ||
			    type >= 192;

	if (p->has_ack)
		return true;
	if (acknowledges || type == FDCCP_OPT_INIT_COOKIE)
		return false;
	return p->type == FDCCP_PKT_REQUEST ||
	       type < FDCCP_OPT_CHANGE_L || type > FDCCP_OPT_CONFIRM_R;
}

static bool options_fit(struct world *w, bool to_client, const struct flight *f,
			const struct fdccp_packet *p)
{
	struct fdccp_option_walk walk = { p->options, p->options + p->options_len };
	struct fdccp_option option;
	int found;

	(void)w;
	(void)to_client;
	(void)f;
	while ((found = fdccp_option_next(&walk, &option)) == 1)
		if (!may_have(p, option.type) || (option.mandatory && p->type == FDCCP_PKT_DATA))
			return false;
	return !found && p->options_len % 4 == 0;
}

static bool test_sent_options(void)
{
	return all_obey(options_fit);
}

/* With Send NDP Count, each packet behind one without data has the count, in its shortest form. */
static bool has_ndp(struct world *w, bool to_client, const struct flight *f,
		    const struct fdccp_packet *p)
{
	struct fdccp_option option;

	(void)w;
	(void)f;
	/* the feature is on from the handshake on */
	if (p->type < FDCCP_PKT_DATA || w->now < SEC + 400 * MS || !expected_ndp[to_client])
		return true;
	return fdccp_option_find(p, FDCCP_OPT_NDP_COUNT, &option) && option.len <= 6 &&
	       fdccp_get_number(option.value, option.len) == expected_ndp[to_client] &&
	       (option.len == 1 || option.value[0]);
}

static bool test_ndp(void)
{
	struct world *w = &world;

	MUST(obeyed(has_ndp, 3));
	MUST(establish(w, 3, 3));
	MUST(fdccp_features_get(&w->end[0].conn->features, FDCCP_FEAT_SEND_NDP_COUNT, true) == 1);
	finish(w);
	return true;
}

/* With CCID 2, CCVal is 0 and each Ack and DataAck of an open connection has an Ack Vector. */
static bool has_vector(struct world *w, bool to_client, const struct flight *f,
		       const struct fdccp_packet *p)
{
	struct fdccp_option option;

	(void)to_client;
	if (f->data[5] >> 4)
		return false;
	return (p->type != FDCCP_PKT_ACK && p->type != FDCCP_PKT_DATAACK) ||
	       w->now < SEC + 100 * MS || fdccp_option_find(p, FDCCP_OPT_ACK_VECTOR_0, &option);
}

static bool test_ack_vectors(void)
{
	return obeyed(has_vector, 2);
}

/* Changes and Confirms of one end, for each type and feature number */
static unsigned int negotiated[2][4][256];

/* Whether each Confirm answers a Change that was sent before, and nobody asks for ECN Incapable, or
 * for a value of the other end that is not negotiable.
 */
static bool negotiates(struct world *w, bool to_client, const struct flight *f,
		       const struct fdccp_packet *p)
{
	struct fdccp_option_walk walk = { p->options, p->options + p->options_len };
	struct fdccp_option option;

	(void)w;
	(void)f;
	while (fdccp_option_next(&walk, &option) == 1) {
		uint8_t kind = option.type - FDCCP_OPT_CHANGE_L, number;

		if (kind > 3)
			continue;
		number = option.value[0];
		negotiated[to_client][kind][number]++;
		if (number == FDCCP_FEAT_ECN_INCAPABLE)
			return false;
		if ((kind == 1 || kind == 2) &&
		    (number == FDCCP_FEAT_SEQUENCE_WINDOW || number == FDCCP_FEAT_ACK_RATIO))
			return false;
		/* Confirm L answers Change R, Confirm R answers Change L */
		if (kind & 1 && negotiated[to_client][kind][number] >
				negotiated[!to_client][3 - kind][number])
			return false;
	}
	return true;
}

static bool test_negotiates(void)
{
	memset(negotiated, 0, sizeof(negotiated));
	MUST(obeyed(negotiates, 2));
	MUST(negotiated[0][0][FDCCP_FEAT_FRESHLINK] && negotiated[1][3][FDCCP_FEAT_FRESHLINK]);
	memset(negotiated, 0, sizeof(negotiated));
	return obeyed(negotiates, 3);
}

/* Data and Acks are ECN-capable. */
static bool is_capable(struct world *w, bool to_client, const struct flight *f,
		       const struct fdccp_packet *p)
{
	(void)w;
	(void)to_client;
	return (p->type != FDCCP_PKT_DATA && p->type != FDCCP_PKT_DATAACK &&
		p->type != FDCCP_PKT_ACK) || f->ecn == 2;
}

static bool test_ecn_capable(void)
{
	return all_obey(is_capable);
}

/* Packets with data have at most 64 bytes of header, so that the largest payload fits. */
static bool fits(struct world *w, bool to_client, const struct flight *f,
		 const struct fdccp_packet *p)
{
	(void)w;
	(void)to_client;
	return (p->type != FDCCP_PKT_DATA && p->type != FDCCP_PKT_DATAACK) ||
	       f->len - p->data_len <= FDCCP_DATA_HEADER_MAX;
}

static bool test_header_room(void)
{
	return all_obey(fits);
}

/* While thousands of packets are sent in a round trip, no end sends more than its Sequence Window
 * in one, both know both windows, and no packet is invalid: neither data nor one of the many Acks.
 */
static bool test_window_grows(void)
{
	struct fdccp_window *client, *server;
	struct world *w = &world;
	uint64_t most = 0;

	MUST(establish(w, 2, 2));
	rule = has_vector;
	broken = 0;
	w->lose = look;
	for (int i = 0; i < 60; i++) {
		uint64_t before = w->end[1].conn->window.gss;

		while (!send_one(w, true, 1000, NULL))
			;
		run(w, w->now + 2 * DELAY);
		before = fdccp_seq_diff(w->end[1].conn->window.gss, before);
		most = before > most ? before : most;
		MUST(before <= w->end[1].conn->window.local);
	}
	client = &w->end[1].conn->window;
	server = &w->end[0].conn->window;
	MUST(most > 1000 && client->local >= 4 * most && server->local >= most);
	MUST(server->remote == client->local && client->remote == server->local);
	MUST(counter(w, false, FDCCP_COUNT_seq_invalid) == 0);
	MUST(counter(w, true, FDCCP_COUNT_seq_invalid) == 0);
	/* the acknowledgments are acknowledged */
	MUST(fdccp_seq_diff(server->gss, server->gar) < (int64_t)most && !broken);
	finish(w);
	return true;
}

/* Packets that are changed on their way */

static bool add_reserved(struct world *w, bool to_client, struct flight *f,
			 const struct fdccp_packet *p)
{
	(void)w;
	(void)to_client;
	f->data[8] |= 0xe0;
	f->data[9] = 0xff;
	if (p->has_ack)
		f->data[16] = f->data[17] = 0xff;
	return false;
}

static bool add_ccval(struct world *w, bool to_client, struct flight *f,
		      const struct fdccp_packet *p)
{
	(void)w;
	(void)to_client;
	(void)p;
	f->data[5] |= 0xb0;
	return false;
}

/* Packets that are changed by @change do what they do without. */
static bool is_harmless(bool (*change)(struct world *w, bool to_client, struct flight *f,
				       const struct fdccp_packet *p))
{
	struct fdccp_params params = params_of(2, 2);
	struct world *w = &world;

	MUST(begin(w, &params, &params));
	w->lose = change;
	run(w, w->now + 100 * MS);
	MUST(send_many(w, true, 20) && send_many(w, false, 20));
	run(w, w->now + SEC);
	MUST(EVENT(0, DATA) == 20 && EVENT(1, DATA) == 20);
	MUST(w->end[1].fates[FDCCP_FATE_ACKNOWLEDGED] == 20);
	fdccp_close(w->end[1].conn, w->now);
	run(w, w->now + SEC);
	MUST(w->end[0].closed.reason == FDCCP_REASON_CLOSED);
	MUST(w->end[1].closed.reason == FDCCP_REASON_CLOSED);
	finish(w);
	return true;
}

static bool test_reserved_bits(void)
{
	return is_harmless(add_reserved);
}

static bool test_ccval(void)
{
	return is_harmless(add_ccval);
}

/* A packet of a reserved type is not acknowledged, nor answered. */
static bool test_reserved_type(void)
{
	struct world *w = &world;
	struct fdccp_packet p = { .type = FDCCP_PKT_ACK };

	MUST(establish(w, 2, 2));
	p.seq = fdccp_window_next(&w->end[1].conn->window);
	p.ack = w->end[1].conn->window.gsr;
	forget_sent(w);
	forge(w, false, &p, 0);
	w->flight[(w->next - 1) % FLIGHTS].data[8] = 12 << 1 | 1;
	run(w, w->now + DELAY);
	for (int type = 0; type < FDCCP_PKT_TYPES; type++)
		MUST(!w->end[0].sent[type]);
	MUST(!send_one(w, true, 10, NULL) && !send_one(w, true, 10, NULL));
	run(w, w->now + DELAY);
	MUST(w->end[0].sent[FDCCP_PKT_ACK] == 1 && state_of(&w->last[1], p.seq) == 3);
	MUST(state_of(&w->last[1], fdccp_seq_add(p.seq, 1)) == 0);
	finish(w);
	return true;
}

/* The Response has the Service Code of the Request, here the second of the port; each Request has
 * it.
 */
static bool test_service(void)
{
	const uint32_t services[] = { SERVICE, SERVICE + 9 };
	struct fdccp_params params = params_of(2, 2);
	struct fdccp_path path = path_of(true);
	struct world *w = &world;

	MUST(begin(w, &params, &params));
	MUST(!fdccp_listen(w->end[0].ep, PORT + 1, services, 2, &params));
	run(w, w->now + 100 * MS);
	MUST(!fdccp_connect(w->end[1].ep, &path, PORT + 1, SERVICE + 9, &params, w->now,
			    &w->end[1].conn));
	w->lose = lose_type;
	w->type = FDCCP_PKT_REQUEST;
	w->countdown = 1;
	run(w, w->now + SEC);
	MUST(w->last[0].type == FDCCP_PKT_REQUEST && w->last[0].service == SERVICE + 9);
	run(w, w->now + DELAY);
	MUST(w->last[1].type == FDCCP_PKT_RESPONSE && w->last[1].service == SERVICE + 9);
	finish(w);
	return true;
}

/* Application data */

/* A packet without a byte is delivered as such. */
static bool test_empty(void)
{
	struct world *w = &world;

	MUST(establish(w, 2, 2));
	MUST(!send_one(w, true, 0, NULL));
	run(w, w->now + SEC);
	MUST(EVENT(0, DATA) == 1 && w->end[0].bytes == 0);
	MUST(w->end[1].fates[FDCCP_FATE_ACKNOWLEDGED] == 1);
	finish(w);
	return true;
}

/* Data in a packet that has none for the program reaches nobody. */
static bool test_no_data(void)
{
	struct world *w = &world;

	for (uint8_t type = FDCCP_PKT_ACK; type < FDCCP_PKT_TYPES; type++) {
		bool to_client = type == FDCCP_PKT_CLOSEREQ;
		struct fdccp_packet p = { .type = type, .reset_code = FDCCP_RESET_CLOSED,
			.data = (const uint8_t *)"junk", .data_len = 4 };

		MUST(establish(w, 2, 2));
		p.seq = fdccp_window_next(&w->end[!to_client].conn->window);
		p.ack = w->end[!to_client].conn->window.gsr;
		forge(w, to_client, &p, 0);
		run(w, w->now + DELAY);
		MUST(counter(w, to_client, FDCCP_COUNT_seq_invalid) == 0);
		MUST(EVENT(to_client, DATA) == (type == FDCCP_PKT_DATAACK));
		finish(w);
	}
	return true;
}

/* Adds data to Request and Response, and notes the drop codes that the server reports. */
static bool add_data(struct world *w, bool to_client, struct flight *f,
		     const struct fdccp_packet *p)
{
	struct fdccp_option option;

	if (p->type <= FDCCP_PKT_RESPONSE)
		f->data[f->len++] = 'x';
	if (to_client && fdccp_option_find(p, FDCCP_OPT_DATA_DROPPED, &option))
		w->countdown = option.value[option.len - 1];
	return false;
}

/* The library takes no data of Request and Response, and reports it as dropped with code 0. */
static bool test_early_data(void)
{
	struct fdccp_params params = params_of(2, 2);
	struct world *w = &world;

	MUST(begin(w, &params, &params));
	w->lose = add_data;
	run(w, w->now + SEC);
	MUST(EVENT(1, CONNECTED) == 1 && EVENT(0, ACCEPTED) == 1);
	MUST(EVENT(0, DATA) == 0 && EVENT(1, DATA) == 0);
	MUST(w->countdown == 0x80);
	finish(w);
	return true;
}

/* Keeps Responses away from the client, after it has noted what they report as dropped. */
static bool lose_response(struct world *w, bool to_client, struct flight *f,
			  const struct fdccp_packet *p)
{
	(void)add_data(w, to_client, f, p);
	return p->type == FDCCP_PKT_RESPONSE && w->end[0].sent[FDCCP_PKT_RESPONSE] < 3;
}

/* A Response reports the data of its Request and of all earlier ones with drop code 0; without data
 * it has no such option.
 */
static bool test_request_data(void)
{
	struct fdccp_params params = params_of(2, 2);
	struct fdccp_option option;
	struct world *w = &world;

	MUST(begin(w, &params, &params));
	w->lose = lose_response;
	run(w, w->now + DELAY);
	MUST(w->last[1].type == FDCCP_PKT_RESPONSE && HAS(&w->last[1], 40, 3, 0x80));
	run(w, w->now + SEC);
	MUST(w->end[0].sent[FDCCP_PKT_RESPONSE] == 2 && HAS(&w->last[1], 40, 3, 0x81));
	run(w, w->now + 3 * SEC);
	MUST(EVENT(1, CONNECTED) == 1 && EVENT(0, ACCEPTED) == 1 && EVENT(0, DATA) == 0);
	finish(w);
	MUST(begin(w, &params, &params));
	run(w, w->now + DELAY);
	MUST(w->last[1].type == FDCCP_PKT_RESPONSE);
	MUST(!fdccp_option_find(&w->last[1], FDCCP_OPT_DATA_DROPPED, &option));
	finish(w);
	return true;
}

/* Resets */

/* Data 1 to 3 of a Reset are 0 where they have no meaning, and a receiver ignores them. */
static bool test_reset_data(void)
{
	struct fdccp_packet p = { .type = FDCCP_PKT_RESET, .reset_code = FDCCP_RESET_CLOSED,
		.reset_data = { 1, 2, 3 } };
	static const uint8_t none[3];
	struct world *w = &world;

	MUST(establish(w, 2, 2));
	fdccp_abort(w->end[1].conn, w->now);
	drain(w);
	MUST(w->last[0].type == FDCCP_PKT_RESET && !memcmp(w->last[0].reset_data, none, 3));
	finish(w);
	MUST(establish(w, 2, 2));
	fdccp_close(w->end[1].conn, w->now);
	run(w, w->now + SEC);
	MUST(w->last[1].type == FDCCP_PKT_RESET && !memcmp(w->last[1].reset_data, none, 3));
	finish(w);
	MUST(establish(w, 2, 2));
	p.seq = fdccp_window_next(&w->end[1].conn->window);
	p.ack = w->end[1].conn->window.gsr;
	forge(w, false, &p, 0);
	run(w, w->now + DELAY);
	MUST(EVENT(0, CLOSED) == 1 && w->end[0].closed.reason == FDCCP_REASON_CLOSED);
	finish(w);
	return true;
}

/* Sync */

/* Loses all that the client sends. */
static bool lose_to_server(struct world *w, bool to_client, struct flight *f,
			   const struct fdccp_packet *p)
{
	(void)w;
	(void)f;
	(void)p;
	return !to_client;
}

/* The number in a Sync does not say that a packet arrived, with Ack Vectors or without. */
static bool sync_number(uint8_t ccid)
{
	struct fdccp_packet p = { .type = FDCCP_PKT_SYNC };
	struct world *w = &world;
	struct fdccp_info info;

	MUST(establish(w, ccid, ccid));
	if (ccid == 3)
		fdccp_features_agree(&w->end[1].conn->features, FDCCP_FEAT_SEND_ACK_VECTOR, false,
				     0);
	w->lose = lose_to_server;
	MUST(!send_one(w, true, 10, NULL));
	w->lose = NULL;
	p.seq = fdccp_window_next(&w->end[0].conn->window);
	p.ack = w->last[0].seq;
	forge(w, true, &p, 0);
	run(w, w->now + 2 * DELAY);
	fdccp_info(w->end[1].conn, &info);
	MUST(w->end[1].sent[FDCCP_PKT_SYNCACK] && info.in_flight == 1);
	MUST(w->end[1].fates[FDCCP_FATE_ACKNOWLEDGED] == 0);
	finish(w);
	return true;
}

static bool test_sync_number(void)
{
	return sync_number(2) && sync_number(3);
}

/* A valid Sync is answered at once by a SyncAck with its number, which is the greatest received. */
static bool test_sync_valid(void)
{
	struct fdccp_packet p = { .type = FDCCP_PKT_SYNC };
	struct world *w = &world;

	MUST(establish(w, 2, 2));
	p.seq = fdccp_seq_add(w->end[1].conn->window.gss, 40);
	p.ack = w->end[1].conn->window.gsr;
	w->end[1].conn->window.gss = p.seq;
	forget_sent(w);
	forge(w, false, &p, 0);
	run(w, w->now + DELAY);
	MUST(w->end[0].sent[FDCCP_PKT_SYNCACK] == 1 && w->last[1].ack == p.seq);
	MUST(w->end[0].conn->window.gsr == p.seq);
	finish(w);
	return true;
}

/* A Sync or SyncAck with a wrong number is not answered. */
static bool test_sync_invalid(void)
{
	struct world *w = &world;

	for (uint8_t type = FDCCP_PKT_SYNC; type <= FDCCP_PKT_SYNCACK; type++) {
		struct fdccp_packet p = { .type = type };
		uint64_t gsr;

		MUST(establish(w, 2, 2));
		gsr = w->end[0].conn->window.gsr;
		forget_sent(w);
		p.seq = fdccp_seq_add(w->end[1].conn->window.gss, 1);
		p.ack = fdccp_seq_add(w->end[1].conn->window.gsr, 1);
		forge(w, false, &p, 0);
		p.seq = fdccp_seq_add(gsr, -1000);
		p.ack = w->end[1].conn->window.gsr;
		forge(w, false, &p, 0);
		run(w, w->now + 2 * DELAY);
		MUST(counter(w, false, FDCCP_COUNT_seq_invalid) == 2);
		for (int sent = 0; sent < FDCCP_PKT_TYPES; sent++)
			MUST(!w->end[0].sent[sent]);
		MUST(w->end[0].conn->window.gsr == gsr);
		finish(w);
	}
	return true;
}

/* Packets that are not processed */

/* Of a packet with a wrong number nothing counts: not its options, not its data. */
static bool test_invalid_packet(void)
{
	static const uint8_t options[] = { 32, 5, 5, 0, 9, 1, 99, 3, 5, 0, 0, 0 };
	struct fdccp_packet p = { .type = FDCCP_PKT_DATAACK, .options = options, .options_len = 12,
		.data = (const uint8_t *)"junk", .data_len = 4 };
	struct world *w = &world;

	MUST(establish(w, 2, 2));
	forget_sent(w);
	p.seq = fdccp_seq_add(w->end[0].conn->window.gsr, 100000);
	p.ack = w->end[1].conn->window.gsr;
	forge(w, false, &p, 0);
	run(w, w->now + DELAY);
	MUST(w->end[0].sent[FDCCP_PKT_SYNC] == 1 && w->end[0].sent[FDCCP_PKT_RESET] == 0);
	MUST(w->end[0].conn->state == FDCCP_OPEN && EVENT(0, DATA) == 0);
	MUST(fdccp_features_get(&w->end[0].conn->features, FDCCP_FEAT_ACK_RATIO, false) == 2);
	MUST(!fdccp_ackvec_seen(w->end[0].conn->ackvec, p.seq));
	finish(w);
	return true;
}

/* A packet that was not processed is reported as not received, and no number acknowledges it. */
static bool test_not_acknowledgeable(void)
{
	struct world *w = &world;
	uint64_t request;

	MUST(establish(w, 2, 2));
	forge_next(w, false, FDCCP_PKT_REQUEST, NULL, 0);
	request = w->end[1].conn->window.gss;
	MUST(w->end[0].conn->greatest == fdccp_seq_add(request, -1));
	MUST(!send_one(w, true, 10, NULL) && !send_one(w, true, 10, NULL));
	w->end[0].sent[FDCCP_PKT_ACK] = 0;
	run(w, w->now + DELAY);
	MUST(w->end[0].sent[FDCCP_PKT_ACK] == 1);
	MUST(state_of(&w->last[1], request) == 3 && state_of(&w->last[1], request + 1) == 0);
	finish(w);
	return true;
}

/* Options that are received */

/* The server gets an Ack with options. Return: whether it was processed without an answer */
static bool ignores(const uint8_t *options, size_t len)
{
	struct world *w = &world;

	MUST(establish(w, 2, 2));
	forget_sent(w);
	forge_next(w, false, FDCCP_PKT_ACK, options, len);
	drain(w);
	MUST(w->end[0].conn && w->end[0].conn->state == FDCCP_OPEN);
	MUST(fdccp_ackvec_seen(w->end[0].conn->ackvec, w->end[1].conn->window.gss));
	for (int type = 0; type < FDCCP_PKT_TYPES; type++)
		MUST(!w->end[0].sent[type]);
	finish(w);
	return true;
}

/* Unknown and invalid options are ignored, and so is what follows a nonsensical length. */
static bool test_ignored_options(void)
{
	static const uint8_t unknown[] = { 99, 3, 5, 31, 60, 4, 1, 2, 130, 2, 250, 2 };
	static const uint8_t invalid[] = {
		37, 9, 1, 2, 3, 4, 5, 6, 7, 41, 3, 1, 43, 3, 1, 44, 4, 1, 2, 0,
	};
	static const uint8_t shorter[] = { 99, 1, 1, 98 };
	static const uint8_t longer[] = { 0, 99, 200, 1, 98, 2, 1, 98 };

	MUST(ignores(unknown, sizeof(unknown)));
	MUST(ignores(invalid, sizeof(invalid)));
	MUST(ignores(shorter, sizeof(shorter)));
	MUST(ignores(longer, sizeof(longer)));
	return true;
}

/* On Data packets, all options that they must not have are ignored, and a Data Checksum of a wrong
 * length is.
 */
static bool test_data_options(void)
{
	static const uint8_t options[] = {
		1, 36, 4, 1, 2, 38, 3, 63, 39, 3, 63, 40, 3, 255, 1, 42, 6, 0, 0, 0, 1, 43, 4,
		255, 255, 194, 6, 0, 0, 0, 1, 192, 6, 0, 0, 0, 1, 193, 3, 9, 32, 5, 5, 0, 9, 44,
		4, 1, 2, 0, 0, 0,
	};
	struct fdccp_packet p = { .type = FDCCP_PKT_DATA, .options = options,
		.options_len = sizeof(options), .data = (const uint8_t *)"data", .data_len = 4 };
	struct world *w = &world;
	struct fdccp_info info;

	/* the server's data has CCID 3 */
	MUST(establish(w, 2, 3));
	p.seq = fdccp_window_next(&w->end[1].conn->window);
	forge(w, false, &p, 0);
	run(w, w->now + DELAY);
	MUST(w->end[0].conn);
	fdccp_info(w->end[0].conn, &info);
	MUST(EVENT(0, DATA) == 1 && w->end[0].bytes == 4 && w->end[0].damaged == 0);
	MUST(info.receive_rate == 0 && w->end[0].conn->state == FDCCP_OPEN);
	MUST(fdccp_features_get(&w->end[0].conn->features, FDCCP_FEAT_ACK_RATIO, false) == 2);
	finish(w);
	return true;
}

/* Adds options to the Request. */
static bool add_options(struct world *w, bool to_client, struct flight *f,
			const struct fdccp_packet *p)
{
	static const uint8_t options[] = { 38, 3, 63, 40, 3, 255, 36, 4, 1, 2, 194, 6, 0, 0, 0, 1,
		43, 4, 255, 255 };

	(void)w;
	(void)to_client;
	if (p->type != FDCCP_PKT_REQUEST)
		return false;
	memcpy(f->data + f->len, options, sizeof(options));
	f->len += sizeof(options);
	f->data[4] += sizeof(options) / 4;
	return false;
}

/* On a Request, options that acknowledge and Init Cookies are ignored. */
static bool test_request_options(void)
{
	return is_harmless(add_options);
}

/* A Timestamp is echoed by the next packet with an acknowledgment, in the shortest form; the last
 * one counts.
 */
static bool test_timestamp(void)
{
	static const uint8_t one[] = { 41, 6, 1, 2, 3, 4, 0, 0 };
	static const uint8_t two[] = { 41, 6, 1, 2, 3, 4, 41, 6, 5, 6, 7, 8 };
	static const uint8_t lengths[] = { 4, 6, 8 };
	static const int64_t waits[] = { 0, 50 * MS, 700 * MS };
	struct world *w = &world;
	struct fdccp_option option;

	for (uint8_t ccid = 2; ccid <= 3; ccid++) {
		MUST(establish(w, ccid, ccid));
		for (int i = 0; i < 3; i++) {
			int64_t since;

			forge_next(w, false, FDCCP_PKT_ACK, i == 1 ? two : one, i == 1 ? 12 : 8);
			since = w->now;
			run(w, w->now + waits[i]);
			w->now -= i ? 0 : DELAY;
			forge_next(w, false, FDCCP_PKT_SYNC, NULL, 0);
			drain(w);
			MUST(w->last[1].type == FDCCP_PKT_SYNCACK);
			MUST(fdccp_option_find(&w->last[1], FDCCP_OPT_TIMESTAMP_ECHO, &option));
			MUST(option.len == lengths[i] && option.value[0] == (i == 1 ? 5 : 1));
			/* hundredths of ms */
			MUST((int64_t)fdccp_get_number(option.value + 4, option.len - 4) * 10000 ==
			     w->now - since);
		}
		finish(w);
	}
	return true;
}

/* Handshake */

#define COOKIES	36, 4, 1, 2, 36, 6, 3, 4, 5, 6

/* A client has sent its Request. Neither that nor any later packet reaches the server. */
static bool begin_request(struct world *w)
{
	struct fdccp_params params = params_of(2, 2);

	MUST(begin(w, &params, &params));
	w->lose = lose_to_server;
	drain(w);
	return true;
}

/* Sends the client a Response with these options. */
static void forge_response(struct world *w, uint64_t seq, const uint8_t *options, size_t len)
{
	forge(w, true, &(struct fdccp_packet){ .type = FDCCP_PKT_RESPONSE, .seq = seq,
		.ack = w->end[1].conn->window.iss, .options = options, .options_len = len }, 0);
}

/* The client brings back all cookies in their order, in each packet of PARTOPEN, and of CLOSING
 * until the server has answered one.
 */
static bool test_cookies(void)
{
	static const uint8_t options[] = { COOKIES, 0, 0 };
	struct fdccp_packet p;
	struct world *w = &world;

	MUST(begin_request(w));
	forge_response(w, 5000, options, sizeof(options));
	run(w, w->now + DELAY);
	MUST(w->end[1].conn->state == FDCCP_PARTOPEN);
	MUST(w->last[0].type == FDCCP_PKT_ACK && HAS(&w->last[0], COOKIES));
	run(w, w->now + 200 * MS);
	MUST(w->end[1].sent[FDCCP_PKT_ACK] == 2 && HAS(&w->last[0], COOKIES));
	MUST(send_one(w, true, 10, NULL) == -EAGAIN);
	p = (struct fdccp_packet){ .type = FDCCP_PKT_SYNC, .seq = 5001,
		.ack = w->end[1].conn->window.gss };
	forge(w, true, &p, 0);
	run(w, w->now + DELAY);
	MUST(w->last[0].type == FDCCP_PKT_SYNCACK && HAS(&w->last[0], COOKIES));
	fdccp_close(w->end[1].conn, w->now);
	drain(w);
	MUST(w->last[0].type == FDCCP_PKT_CLOSE && HAS(&w->last[0], COOKIES));
	run(w, w->now + 500 * MS);
	MUST(w->end[1].sent[FDCCP_PKT_CLOSE] > 1 && HAS(&w->last[0], COOKIES));
	p = (struct fdccp_packet){ .type = FDCCP_PKT_ACK, .seq = 5002,
		.ack = w->end[1].conn->window.gss };
	forge(w, true, &p, 0);
	forget_sent(w);
	run(w, w->now + 2 * SEC);
	MUST(w->end[1].sent[FDCCP_PKT_CLOSE] > 0 && !HAS(&w->last[0], 36, 4));
	finish(w);
	return true;
}

/* In PARTOPEN, the cookies are those of the Response that is acknowledged, or none. Once the client
 * has cookies, it acknowledges no other Response that has some.
 */
static bool test_acknowledged_cookie(void)
{
	static const uint8_t first[] = { 36, 4, 1, 2 }, second[] = { 36, 4, 3, 4 };
	static const struct {
		uint64_t seq;
		const uint8_t *options;
		size_t len;
		uint64_t ack;
		bool has[2];
	} responses[] = {
		{ 5000, first, 4, 5000, { true, false } },
		{ 5002, second, 4, 5000, { true, false } },
		{ 5003, NULL, 0, 5003, { false, false } },
		{ 5005, second, 4, 5005, { false, true } },
		{ 5004, NULL, 0, 5005, { false, true } },	/* overtaken */
	};
	struct world *w = &world;

	MUST(begin_request(w));
	for (size_t i = 0; i < sizeof(responses) / sizeof(responses[0]); i++) {
		forge_response(w, responses[i].seq, responses[i].options, responses[i].len);
		forget_sent(w);
		do {
			run(w, w->now + DELAY);
			MUST(w->end[1].conn->state == FDCCP_PARTOPEN);
		} while (!w->end[1].sent[FDCCP_PKT_ACK]);
		MUST(w->last[0].type == FDCCP_PKT_ACK && w->last[0].ack == responses[i].ack);
		MUST(has_bytes(&w->last[0], first, 4) == responses[i].has[0]);
		MUST(has_bytes(&w->last[0], second, 4) == responses[i].has[1]);
	}
	finish(w);
	return true;
}

/* A server without state begins each Response with other numbers. The client keeps to the Response
 * that came first. So the number of the second Response is free for the server's data.
 */
static bool test_number_of_other_response(void)
{
	static const uint8_t first[] = { 36, 4, 1, 2 }, second[] = { 36, 4, 3, 4 };
	struct world *w = &world;

	MUST(begin_request(w));
	forge_response(w, 5000, first, sizeof(first));
	forge_response(w, 5002, second, sizeof(second));
	run(w, w->now + DELAY);
	MUST(w->end[1].conn->state == FDCCP_PARTOPEN);
	MUST(counter(w, true, FDCCP_COUNT_unexpected) == 1);
	for (uint64_t seq = 5001; seq <= 5002; seq++)
		forge(w, true, &(struct fdccp_packet){ .type = FDCCP_PKT_DATAACK, .seq = seq,
			.ack = w->end[1].conn->window.gss }, 0);
	run(w, w->now + DELAY);
	MUST(EVENT(1, DATA) == 2 && counter(w, true, FDCCP_COUNT_duplicate) == 0);
	finish(w);
	return true;
}

/* Where CCID 2 is not wanted, the first Change is Mandatory; else it is not. With CCID 2, each end
 * asks for Ack Vectors from the beginning.
 */
static bool test_first_changes(void)
{
	struct fdccp_params params = params_of(3, 3);
	struct world *w = &world;

	MUST(begin(w, &params, &params));
	drain(w);
	MUST(HAS(&w->last[0], 1, 32, 4, 1, 3) && HAS(&w->last[0], 1, 34, 4, 1, 3));
	finish(w);
	params = params_of(2, 2);
	MUST(begin(w, &params, &params));
	drain(w);
	MUST(w->last[0].type == FDCCP_PKT_REQUEST && HAS(&w->last[0], 34, 4, 6, 1));
	run(w, w->now + DELAY);
	MUST(w->last[1].type == FDCCP_PKT_RESPONSE && HAS(&w->last[1], 34, 4, 6, 1));
	finish(w);
	fdccp_params_init(&params);
	MUST(begin(w, &params, &params));
	drain(w);
	MUST(HAS(&w->last[0], 32, 5, 1, 2, 3) && !HAS(&w->last[0], 1, 32, 5, 1, 2, 3));
	finish(w);
	return true;
}

/* The Request asks for Send Loss Event Rate if only CCID 3 can come out of it, after the Mandatory
 * Change of the CCID. Where CCID 2 could, the first Ack asks for it, if the server did not. A
 * server that confirms the CCID does not ask for another one.
 */
static bool test_ccid_features(void)
{
	static const uint8_t ccid[] = { 1, 32, 4, 1, 3 }, rate[] = { 34, 4, 192, 1 };
	struct fdccp_params client = params_of(3, 2), server = params_of(2, 3);
	struct world *w = &world;
	const uint8_t *at;

	MUST(begin(w, &client, &server));
	drain(w);
	at = memmem(w->last[0].options, w->last[0].options_len, ccid, sizeof(ccid));
	MUST(at && memmem(at, (size_t)(w->last[0].data - at), rate, sizeof(rate)));
	finish(w);
	client.ccids[1] = 2;
	MUST(begin(w, &client, &server));
	drain(w);
	MUST(HAS(&w->last[0], 32, 5, 1, 3, 2) && !HAS(&w->last[0], 192, 1));
	run(w, w->now + 2 * DELAY);
	MUST(w->last[0].type == FDCCP_PKT_ACK && HAS(&w->last[0], 34, 4, 192, 1));
	run(w, w->now + SEC);
	MUST(fdccp_features_get(&w->end[1].conn->features, FDCCP_FEAT_SEND_LOSS_EVENT_RATE, false));
	finish(w);
	client = params_of(3, 3);
	fdccp_params_init(&server);
	MUST(begin(w, &client, &server));
	run(w, w->now + DELAY);
	MUST(w->last[1].type == FDCCP_PKT_RESPONSE && HAS(&w->last[1], 34, 4, 192, 1));
	MUST(!HAS(&w->last[1], 32, 5, 1, 2, 3) && !HAS(&w->last[1], 34, 5, 1, 2, 3));
	finish(w);
	return true;
}

/* Reports of the receiver */

/* Each packet is reported by its ECN field: CE as marked, the others as received. */
static bool test_ecn_states(void)
{
	struct world *w = &world;
	uint64_t first;

	MUST(establish(w, 2, 2));
	first = fdccp_seq_add(w->end[1].conn->window.gss, 1);
	for (uint8_t ecn = 0; ecn < 4; ecn++) {
		struct fdccp_packet p = { .type = FDCCP_PKT_DATA, .data = (const uint8_t *)"data",
			.data_len = 4, .seq = fdccp_window_next(&w->end[1].conn->window) };

		forge(w, false, &p, ecn);
	}
	run(w, w->now + DELAY);
	MUST(w->last[1].ack == fdccp_seq_add(first, 3));
	for (uint8_t ecn = 0; ecn < 4; ecn++)
		MUST(state_of(&w->last[1], fdccp_seq_add(first, ecn)) == (ecn == 3));
	finish(w);
	return true;
}

/* No packet goes ECN-capable to an end that cannot read marks. */
static bool is_incapable(struct world *w, bool to_client, struct flight *f,
			 const struct fdccp_packet *p)
{
	(void)p;
	w->countdown += !to_client && f->ecn != 0;
	return false;
}

static bool mark_all(struct world *w, bool to_client, struct flight *f,
		     const struct fdccp_packet *p)
{
	(void)w;
	(void)to_client;
	if (p->type == FDCCP_PKT_DATA || p->type == FDCCP_PKT_DATAACK)
		f->ecn = 3;
	return false;
}

/* Connects to a server whose program wants no ECN. */
static bool begin_without_ecn(struct world *w)
{
	struct fdccp_params client = params_of(2, 2), server = client;

	server.ecn = false;
	if (!begin(w, &client, &server))
		return false;
	run(w, w->now + 100 * MS);
	return true;
}

/* A program that wants no ECN still reports marks: the peer may not know ECN Incapable. */
static bool test_marks_count(void)
{
	struct world *w = &world;

	MUST(begin_without_ecn(w));
	w->lose = mark_all;
	MUST(!send_one(w, true, 10, NULL));
	run(w, w->now + SEC);
	MUST(EVENT(0, DATA) == 1 && w->end[1].fates[FDCCP_FATE_MARKED] == 1);
	finish(w);
	return true;
}

static bool test_ecn_incapable(void)
{
	struct world *w = &world;

	MUST(begin_without_ecn(w));
	w->lose = is_incapable;
	MUST(send_many(w, true, 20) && send_many(w, false, 20));
	run(w, w->now + SEC);
	MUST(EVENT(0, DATA) == 20 && EVENT(1, DATA) == 20 && w->countdown == 0);
	finish(w);
	return true;
}

/* Whether all Acks of the server have Slow Receiver, or none has. */
static bool slow_acks(struct world *w, bool to_client, struct flight *f,
		      const struct fdccp_packet *p)
{
	struct fdccp_option option;

	(void)f;
	if (to_client && p->type == FDCCP_PKT_ACK)
		w->countdown += fdccp_option_find(p, FDCCP_OPT_SLOW_RECEIVER, &option) ? 1 : 1000;
	return false;
}

/* A slow receiver says so in each Ack until it is no longer slow. */
static bool test_slow_receiver(void)
{
	struct world *w = &world;

	MUST(establish(w, 2, 2));
	w->lose = slow_acks;
	fdccp_slow_receiver(w->end[0].conn, true);
	MUST(send_many(w, true, 20));
	run(w, w->now + SEC);
	MUST(w->countdown >= 10 && w->countdown < 1000);
	fdccp_slow_receiver(w->end[0].conn, false);
	w->countdown = 0;
	MUST(send_many(w, true, 20));
	run(w, w->now + SEC);
	MUST(w->countdown >= 10000 && w->countdown % 1000 == 0);
	finish(w);
	return true;
}

/* Lets the checksum cover the header only. */
static bool uncover(struct world *w, bool to_client, struct flight *f,
		    const struct fdccp_packet *p)
{
	(void)w;
	(void)to_client;
	if (p->type == FDCCP_PKT_DATA || p->type == FDCCP_PKT_DATAACK)
		f->data[5] |= 1;
	return false;
}

/* Data with less coverage than Minimum Checksum Coverage is reported with Drop Code 0. */
static bool test_uncovered(void)
{
	struct world *w = &world;

	MUST(establish(w, 2, 2));
	w->lose = uncover;
	MUST(!send_one(w, true, 100, NULL));
	run(w, w->now + SEC);
	MUST(EVENT(0, DATA) == 0 && w->end[1].fates[FDCCP_FATE_CUT] == 1);
	finish(w);
	return true;
}

/* Data in an Ack whose Data Checksum does not fit is reported with Drop Code 3. */
static bool test_damaged_ack(void)
{
	static const uint8_t options[] = { 44, 6, 1, 2, 3, 4, 0, 0 };
	struct fdccp_packet p = { .type = FDCCP_PKT_ACK, .options = options, .options_len = 8,
		.data = (const uint8_t *)"junk", .data_len = 4 };
	struct world *w = &world;
	struct fdccp_option option;

	MUST(establish(w, 2, 2));
	p.seq = fdccp_window_next(&w->end[1].conn->window);
	p.ack = w->end[1].conn->window.gsr;
	forge(w, false, &p, 0);
	MUST(!send_one(w, true, 10, NULL) && !send_one(w, true, 10, NULL));
	run(w, w->now + SEC);
	MUST(EVENT(0, DATA) == 2 && fdccp_option_find(&w->last[1], FDCCP_OPT_DATA_DROPPED, &option));
	MUST(option.len == 2 && option.value[0] == 1 && option.value[1] == 0xb0);
	finish(w);
	return true;
}

/* Damages the last byte of one packet. */
static bool damage_one(struct world *w, bool to_client, struct flight *f,
		       const struct fdccp_packet *p)
{
	if (!to_client && p->data_len && w->countdown && !--w->countdown)
		f->data[f->len - 1] ^= 1;
	return false;
}

/* Cuts the data off packets. */
static bool cut(struct world *w, bool to_client, struct flight *f, const struct fdccp_packet *p)
{
	(void)w;
	if (!to_client && (p->type == FDCCP_PKT_DATA || p->type == FDCCP_PKT_DATAACK))
		f->len -= p->data_len;
	return false;
}

/* A packet that a router has cut is reported with Drop Code 0, though Data Checksum cannot fit. */
static bool test_cut_checksum(void)
{
	const struct fdccp_message message = { .deadline = 9 * SEC, .stale = FRESHLINK_TRUNCATE };
	struct fdccp_params params = params_of(2, 2);
	struct world *w = &world;

	params.data_checksum = true;
	MUST(begin(w, &params, &params));
	run(w, w->now + 200 * MS);
	w->lose = cut;
	MUST(!send_one(w, true, 100, &message));
	run(w, w->now + SEC);
	MUST(EVENT(0, DATA) == 0 && w->end[1].fates[FDCCP_FATE_CUT] == 1);
	finish(w);
	return true;
}

/* Damaged data is a loss event to CCID 3, as a mark is. */
static bool test_damage_is_mark(void)
{
	struct fdccp_params params = params_of(3, 3);
	struct world *w = &world;
	struct fdccp_info info;

	params.data_checksum = true;
	MUST(begin(w, &params, &params));
	run(w, w->now + 200 * MS);
	MUST(send_many(w, true, 50));
	fdccp_info(w->end[1].conn, &info);
	MUST(info.loss_event_rate == 0);
	w->lose = damage_one;
	w->countdown = 1;
	MUST(send_many(w, true, 50));
	run(w, w->now + SEC);
	fdccp_info(w->end[1].conn, &info);
	MUST(w->end[1].fates[FDCCP_FATE_DAMAGED] == 1 && info.loss_event_rate > 0);
	finish(w);
	return true;
}

/* What a program that does not listen any more drops is reported with Drop Code 1, and so is all
 * data that comes later. The peer then sends no more.
 */
static bool test_not_listening(void)
{
	struct world *w = &world;
	struct fdccp_option option;

	MUST(establish(w, 2, 2) && !send_one(w, true, 100, NULL));
	w->end[0].dropped_code = FDCCP_DROP_NOT_LISTENING;
	run(w, w->now + DELAY);
	MUST(EVENT(0, DATA) == 1 && !send_one(w, true, 100, NULL));
	run(w, w->now + DELAY);
	MUST(EVENT(0, DATA) == 1 && fdccp_option_find(&w->last[1], FDCCP_OPT_DATA_DROPPED, &option));
	MUST(option.len == 1 && option.value[0] == 0x91);
	run(w, w->now + SEC);
	MUST(w->end[1].fates[FDCCP_FATE_DROPPED] == 2);
	MUST(send_one(w, true, 100, NULL) == -EPIPE);
	/* the other direction goes on */
	MUST(!send_one(w, false, 100, NULL));
	run(w, w->now + SEC);
	MUST(EVENT(1, DATA) == 1 && w->end[0].fates[FDCCP_FATE_ACKNOWLEDGED] == 1);
	finish(w);
	return true;
}

/* A sender acknowledges the acknowledgments once a round trip, so that the vector stays short. */
static bool test_acknowledged_acks(void)
{
	struct world *w = &world;

	for (uint8_t ccid = 2; ccid <= 3; ccid++) {
		unsigned int trips, acks;
		int64_t start;

		MUST(establish(w, ccid, ccid));
		start = w->now;
		forget_sent(w);
		MUST(send_many(w, true, 1000));
		trips = (w->now - start) / (2 * DELAY);
		acks = w->end[1].sent[FDCCP_PKT_DATAACK];
		MUST(trips > 10 && acks >= trips / 3 && acks <= 2 * trips + 2);
		MUST(fdccp_ackvec_size(w->end[0].conn->ackvec) < 16);
		finish(w);
	}
	return true;
}

/* Sizes */

/* A packet above the maximum is refused, also after a router said that the path carries less. */
static bool test_too_large(void)
{
	struct world *w = &world;
	const struct flight *f;
	struct fdccp_info info;
	size_t max;

	MUST(establish(w, 2, 2));
	run(w, w->now + SEC);
	fdccp_info(w->end[1].conn, &info);
	max = info.payload_max;
	MUST(info.mtu == 1500 && max == fdccp_payload_max(w->end[1].conn));
	MUST(send_one(w, true, max + 1, NULL) == -EMSGSIZE);
	MUST(!send_one(w, true, max, NULL));
	f = &w->flight[(w->next - 1) % FLIGHTS];
	MUST(f->len + 28 <= info.mtu);
	fdccp_icmp(w->end[1].ep, &(struct fdccp_icmp){ .path = path_of(true), .family = AF_INET,
		   .type = 3, .code = 4, .mtu = 1400, .quoted = f->data, .quoted_len = 28 },
		   w->now);
	drain(w);
	MUST(fdccp_payload_max(w->end[1].conn) < max && EVENT(1, SIZE) > 0);
	MUST(send_one(w, true, max, NULL) == -EMSGSIZE);
	finish(w);
	return true;
}

/* Extensions */

#define UNKNOWN	77

/* Lets each end see another feature in place of Freshlink, as an end does that does not know it;
 * the answer comes back as that to Freshlink. Counts options that only Freshlink has.
 */
static bool hide_freshlink(struct world *w, bool to_client, struct flight *f,
			   const struct fdccp_packet *p)
{
	struct fdccp_option_walk walk = { p->options, p->options + p->options_len };
	struct fdccp_option option;

	(void)to_client;
	while (fdccp_option_next(&walk, &option) == 1) {
		uint8_t *number = f->data + (option.value - f->data);

		w->countdown += option.type >= 120 && option.type <= 126;
		w->countdown += option.type == FDCCP_OPT_SLOW_RECEIVER ||
				option.type == FDCCP_OPT_INIT_COOKIE ||
				option.type == FDCCP_OPT_DATA_DROPPED ||
				option.type == FDCCP_OPT_DATA_CHECKSUM;
		if (option.type < FDCCP_OPT_CHANGE_L || option.type > FDCCP_OPT_CONFIRM_R)
			continue;
		if (*number == FDCCP_FEAT_FRESHLINK || *number == UNKNOWN)
			*number ^= FDCCP_FEAT_FRESHLINK ^ UNKNOWN;
	}
	return false;
}

/* The extensions are off until the peer confirms their feature; a peer that does not know it sees
 * none of their options.
 */
static bool test_extension(void)
{
	const struct fdccp_message message = { .deadline = 9 * SEC, .stale = FRESHLINK_TRUNCATE };
	struct fdccp_params params = params_of(2, 2);
	struct world *w = &world;

	params.data_checksum = true;
	MUST(begin(w, &params, &params));
	MUST(!fdccp_conn_ours(w->end[1].conn));
	w->lose = hide_freshlink;
	run(w, w->now + 200 * MS);
	MUST(!fdccp_conn_ours(w->end[1].conn) && !fdccp_conn_ours(w->end[0].conn));
	w->end[0].dropped_code = FDCCP_DROP_RECEIVE_BUFFER;
	fdccp_slow_receiver(w->end[0].conn, true);
	for (int i = 0; i < 20; i++) {
		MUST(!send_one(w, true, 100, &message));
		run(w, w->now + 50 * MS);
	}
	MUST(EVENT(0, DATA) == 20 && w->countdown == 0);
	MUST(w->end[0].conn->state == FDCCP_OPEN);
	finish(w);
	return true;
}

/* Two connections over the same UDP ports are told apart by their DCCP ports. */
static bool test_two_connections(void)
{
	struct fdccp_params params = params_of(2, 2);
	struct fdccp_path path = path_of(true);
	struct world *w = &world;
	struct fdccp_conn *client[2], *server[2];
	struct fdccp_info info;

	MUST(establish(w, 2, 2));
	client[0] = w->end[1].conn;
	server[0] = w->end[0].conn;
	MUST(!fdccp_connect(w->end[1].ep, &path, PORT, SERVICE, &params, w->now, &client[1]));
	w->end[1].conn = client[1];
	run(w, w->now + 100 * MS);
	server[1] = w->end[0].conn;
	MUST(server[1] != server[0] && server[1]->remote_port != server[0]->remote_port);
	for (unsigned int i = 0; i < 2; i++) {
		w->end[1].conn = client[i];
		MUST(!send_one(w, true, 10, NULL) && (i || !send_one(w, true, 10, NULL)));
	}
	run(w, w->now + SEC);
	for (unsigned int i = 0; i < 2; i++) {
		fdccp_info(server[i], &info);
		MUST(info.received == 2 - i && server[i]->remote_port == client[i]->local_port);
	}
	finish(w);
	return true;
}

/* CCID 3 */

/* A second Loss Intervals option with a Skip Length is ignored. */
static bool test_second_intervals(void)
{
	static const uint8_t first[] = { 0, 0, 0, 10, 0, 0, 1, 0, 0, 11 };
	static const uint8_t second[] = { 1, 0, 0, 90, 0, 0, 1, 0, 0, 91 };
	struct fdccp_option option = { .type = FDCCP_OPT_LOSS_INTERVALS, .value = first,
		.len = sizeof(first) };
	struct fdccp_ccid3_report report = { 0 };

	MUST(fdccp_ccid3_read(&report, &option, 1000, 1) == 0);
	option.value = second;
	MUST(fdccp_ccid3_read(&report, &option, 1000, 1) == 0);
	MUST(report.intervals.count == 1 && report.intervals.at[0].length == 11);
	return true;
}

/* The receiver's round-trip time comes from four quarters rather than from two. */
static bool test_four_quarters(void)
{
	static const struct {
		uint8_t counter;
		int64_t now;
	} packets[] = { { 0, 0 }, { 2, 50 * MS }, { 4, 120 * MS } };
	struct fdccp_ccid_start start = { .size = 1000, .rtt = 100 * MS };
	struct fdccp_ccid3_rx rx;

	fdccp_ccid3.rx_start(&rx, &start);
	for (int i = 0; i < 3; i++)
		fdccp_ccid3.rx_packet(&rx, &(struct fdccp_rx_packet){ .now = packets[i].now,
			.seq = 1 + i, .ndp = -1, .ccval = packets[i].counter, .data = true,
			.size = 1000 });
	/* 9/10 of 100 ms and 1/10 of 120 ms, not of 140 ms */
	MUST(rx.rtt == 102 * MS);
	return true;
}

/* A sender of less than a packet in a round trip gets feedback for each packet. */
static bool test_slow_sender(void)
{
	struct fdccp_ccid_start start = { .size = 1000, .rtt = 20 * MS };
	uint8_t bytes[256];
	struct fdccp_ccid3_rx rx;

	fdccp_ccid3.rx_start(&rx, &start);
	for (unsigned int i = 0; i < 10; i++) {
		struct fdccp_writer w = { bytes, bytes, bytes + sizeof(bytes) };
		int64_t now = i * 70 * MS;

		/* the counter advances by five at most */
		fdccp_ccid3.rx_packet(&rx, &(struct fdccp_rx_packet){ .now = now, .seq = 1 + i,
			.ndp = -1, .ccval = 5 * i % 16, .data = true, .size = 1000 });
		MUST(fdccp_ccid3.rx_when(&rx) == now);
		fdccp_ccid3.rx_write(&rx, &w, false, now);
		fdccp_ccid3.rx_sent(&rx, 1 + i, now);
		MUST(w.at > bytes && fdccp_ccid3.rx_when(&rx) == FDCCP_NEVER);
	}
	return true;
}

/* Only dropped data slows a sender of CCID 3 by RFC 4342 section 5.2: damaged data does not. */
static bool test_damaged_ccid3(void)
{
	struct fdccp_ccid_start start = { .size = 1000, .rtt = 20 * MS };
	struct fdccp_sent_packet packet = { .data = true, .received = true };
	unsigned int expected = 0;
	struct fdccp_ccid3_tx tx;

	fdccp_ccid3.tx_start(&tx, &start);
	for (enum fdccp_cause cause = 0; cause < FDCCP_CAUSES; cause++) {
		expected += cause == FDCCP_CAUSE_REFUSED;
		fdccp_ccid3.tx_cause(&tx, cause, &packet, 0);
		MUST(tx.dropped == expected);
	}
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "sequence numbers count up by one", test_sequence },
		{ "acknowledgment numbers are the greatest received", test_acknowledgment },
		{ "no packet is sent with an option that it must not have", test_sent_options },
		{ "NDP Count follows packets without data", test_ndp },
		{ "CCID 2: each Ack has an Ack Vector, and CCVal is 0", test_ack_vectors },
		{ "Confirms answer Changes, and nobody asks for what is not his", test_negotiates },
		{ "data and Acks are ECN-capable", test_ecn_capable },
		{ "a data packet's header has 64 bytes at most", test_header_room },
		{ "Sequence Window grows with the rate and bounds it", test_window_grows },
		{ "reserved bits change nothing", test_reserved_bits },
		{ "CCVal means nothing to CCID 2", test_ccval },
		{ "a packet of a reserved type is not acknowledged", test_reserved_type },
		{ "the Response has the Request's Service Code", test_service },
		{ "an empty packet is delivered", test_empty },
		{ "data of packets without application data is not delivered", test_no_data },
		{ "data of Request and Response is dropped and reported", test_early_data },
		{ "Responses report the data of all Requests", test_request_data },
		{ "Data 1 to 3 of a Reset", test_reset_data },
		{ "the number in a Sync acknowledges nothing", test_sync_number },
		{ "a valid Sync is answered and counts as received", test_sync_valid },
		{ "a Sync or SyncAck with a wrong number is ignored", test_sync_invalid },
		{ "of a packet with a wrong number nothing counts", test_invalid_packet },
		{ "a packet that was not processed is not acknowledged", test_not_acknowledgeable },
		{ "unknown and invalid options are ignored", test_ignored_options },
		{ "each option that a Data packet must not have is ignored", test_data_options },
		{ "options that a Request must not have are ignored", test_request_options },
		{ "a Timestamp is echoed", test_timestamp },
		{ "features of a CCID wait until it is agreed on", test_ccid_features },
		{ "the client brings back all Init Cookies in order", test_cookies },
		{ "the Init Cookies are those of the acknowledged Response",
		  test_acknowledged_cookie },
		{ "the number of another Response with Init Cookies is not received",
		  test_number_of_other_response },
		{ "what the first packets ask for", test_first_changes },
		{ "the ECN field decides what is reported", test_ecn_states },
		{ "no ECN-capable packet goes to an end without ECN", test_ecn_incapable },
		{ "marks count without ECN, too", test_marks_count },
		{ "Slow Receiver is repeated", test_slow_receiver },
		{ "data with too little coverage is reported", test_uncovered },
		{ "damage in a packet without application data is Drop Code 3", test_damaged_ack },
		{ "damaged data is a loss event to CCID 3", test_damage_is_mark },
		{ "a packet that a router has cut is not damaged", test_cut_checksum },
		{ "a program that does not listen is reported", test_not_listening },
		{ "acknowledgments are acknowledged once a round trip", test_acknowledged_acks },
		{ "a packet above the maximum is refused", test_too_large },
		{ "extensions need the peer's consent", test_extension },
		{ "two connections over the same UDP ports", test_two_connections },
		{ "a second Loss Intervals option with a Skip Length is ignored",
		  test_second_intervals },
		{ "a round-trip time comes from four quarters", test_four_quarters },
		{ "a slow sender gets feedback for each packet", test_slow_sender },
		{ "damaged data is no dropped data to CCID 3", test_damaged_ccid3 },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) ? 1 : 0;
}
