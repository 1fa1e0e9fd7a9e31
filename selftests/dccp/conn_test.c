// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of a connection: handshake, transfer, end, and every wrong packet. */
#include "conn_world.h"
#include "endpoint_state.h"
#include "../codec/unit.h"

#define EVENT(side, name)	(world.end[side].events[FDCCP_EVENT_##name])

static bool transfer(uint8_t ccid, uint8_t peer_ccid)
{
	struct world *w = &world;

	MUST(establish(w, ccid, peer_ccid));
	MUST(EVENT(1, CONNECTED) == 1 && EVENT(0, ACCEPTED) == 1);
	MUST(send_many(w, true, 100));
	MUST(send_many(w, false, 50));
	run(w, w->now + 2 * SEC);
	MUST(EVENT(0, DATA) == 100 && EVENT(1, DATA) == 50);
	MUST(w->end[1].fates[FDCCP_FATE_ACKNOWLEDGED] == 100);
	MUST(w->end[0].fates[FDCCP_FATE_ACKNOWLEDGED] == 50);
	fdccp_close(w->end[1].conn, w->now);
	run(w, w->now + SEC);
	MUST(EVENT(0, CLOSED) == 1 && EVENT(1, CLOSED) == 1);
	MUST(w->end[0].closed.reason == FDCCP_REASON_CLOSED);
	MUST(w->end[1].closed.reason == FDCCP_REASON_CLOSED);
	MUST(sums_up(&w->end[0].info) && sums_up(&w->end[1].info));
	finish(w);
	return true;
}

static bool test_transfer_22(void)
{
	return transfer(2, 2);
}

static bool test_transfer_33(void)
{
	return transfer(3, 3);
}

static bool test_transfer_23(void)
{
	return transfer(2, 3);
}

static bool test_transfer_32(void)
{
	return transfer(3, 2);
}


/* Begins to connect, while the first @count packets of @type are lost. */
static bool begin_losing(uint8_t type, unsigned int count)
{
	struct fdccp_params params = params_of(2, 2);

	if (!begin(&world, &params, &params))
		return false;
	world.lose = lose_type;
	world.type = type;
	world.countdown = count;
	return true;
}

static bool both_open(void)
{
	return world.end[0].conn && world.end[0].conn->state == FDCCP_OPEN &&
	       world.end[1].conn && world.end[1].conn->state == FDCCP_OPEN;
}

static bool test_lost_request(void)
{
	struct world *w = &world;
	uint64_t iss;
	uint8_t len;

	MUST(begin_losing(FDCCP_PKT_REQUEST, 3));
	iss = w->end[1].conn->window.iss;
	run(w, SEC + 1000 * MS - 1);
	MUST(w->end[1].sent[FDCCP_PKT_REQUEST] == 1);
	MUST(!option_of(&w->last[0], FDCCP_OPT_TIMESTAMP_ECHO, &len));
	run(w, SEC + 3000 * MS - 1);
	MUST(w->end[1].sent[FDCCP_PKT_REQUEST] == 2 && w->last[0].seq == fdccp_seq_add(iss, 1));
	run(w, SEC + 7000 * MS - 1);
	MUST(w->end[1].sent[FDCCP_PKT_REQUEST] == 3);
	run(w, SEC + 7000 * MS);
	MUST(w->end[1].sent[FDCCP_PKT_REQUEST] == 4);
	run(w, SEC + 7100 * MS);
	MUST(both_open() && w->end[1].conn->rtt == 2 * DELAY);
	finish(w);
	return true;
}

static bool test_no_server(void)
{
	struct world *w = &world;

	MUST(begin_losing(FDCCP_PKT_REQUEST, 1000));
	run(w, SEC + 180 * SEC - 1);
	/* at 0, 1, 3, 7, 15, 31, 63 and 127 s */
	MUST(w->end[1].sent[FDCCP_PKT_REQUEST] == 8 && EVENT(1, CLOSED) == 0);
	run(w, SEC + 180 * SEC);
	MUST(EVENT(1, CLOSED) == 1 && w->end[1].closed.reason == FDCCP_REASON_TIMEOUT);
	MUST(w->end[1].sent[FDCCP_PKT_RESET] == 1 && w->last[0].type == FDCCP_PKT_RESET);
	MUST(w->last[0].reset_code == FDCCP_RESET_ABORTED && w->last[0].ack == 0);
	finish(w);
	return true;
}

static bool test_lost_response(void)
{
	struct world *w = &world;
	uint64_t iss;

	MUST(begin_losing(FDCCP_PKT_RESPONSE, 1));
	run(w, SEC + 15 * MS);
	iss = w->last[1].seq;
	MUST(w->end[0].sent[FDCCP_PKT_RESPONSE] == 1 && !both_open());
	run(w, SEC + 1015 * MS);
	MUST(w->end[0].sent[FDCCP_PKT_RESPONSE] == 2);
	MUST(w->last[1].seq == fdccp_seq_add(iss, 1) && w->last[1].ack == w->last[0].seq);
	run(w, SEC + 1100 * MS);
	MUST(both_open() && w->end[0].conn->rtt == 2 * DELAY);
	finish(w);
	return true;
}

/* A Request that comes again within the round-trip time tells that the Response was lost, so the new
 * Response has the Changes of the lost one.
 */
static bool test_early_request(void)
{
	struct fdccp_packet p = { .type = FDCCP_PKT_REQUEST };
	struct world *w = &world;
	const uint8_t *change;
	uint8_t len, first[8];

	MUST(begin_losing(FDCCP_PKT_RESPONSE, 1));
	run(w, SEC + 15 * MS);
	change = option_of(&w->last[1], FDCCP_OPT_CHANGE_L, &len);
	MUST(change && len <= sizeof(first));
	memcpy(first, change, len);
	p.seq = fdccp_window_next(&w->end[1].conn->window);
	forge(w, false, &p, 0);
	run(w, w->now + DELAY);
	MUST(w->end[0].sent[FDCCP_PKT_RESPONSE] == 2);
	change = option_of(&w->last[1], FDCCP_OPT_CHANGE_L, &len);
	MUST(change && !memcmp(change, first, len));
	run(w, w->now + 3 * DELAY);
	MUST(both_open());
	finish(w);
	return true;
}

static bool test_respond_ends(void)
{
	struct world *w = &world;

	MUST(begin_losing(0, 1));
	w->lose = lose_rest;
	run(w, SEC + 480 * SEC + DELAY - 1);
	MUST(w->end[0].sent[FDCCP_PKT_RESET] == 0);
	run(w, SEC + 480 * SEC + DELAY);
	MUST(w->end[0].sent[FDCCP_PKT_RESET] == 1);
	MUST(w->last[1].reset_code == FDCCP_RESET_ABORTED);
	MUST(EVENT(0, CLOSED) == 0);
	finish(w);
	return true;
}

static bool test_partopen_timer(void)
{
	struct world *w = &world;

	MUST(begin_losing(FDCCP_PKT_ACK, 2));
	run(w, SEC + 2 * DELAY + 200 * MS - 1);
	MUST(w->end[1].sent[FDCCP_PKT_ACK] == 1 && w->end[1].conn->state == FDCCP_PARTOPEN);
	run(w, SEC + 2 * DELAY + 600 * MS - 1);
	MUST(w->end[1].sent[FDCCP_PKT_ACK] == 2 && w->end[1].conn->state == FDCCP_PARTOPEN);
	run(w, SEC + 2 * DELAY + 600 * MS);
	MUST(w->end[1].sent[FDCCP_PKT_ACK] == 3);
	run(w, SEC + 4 * DELAY + 600 * MS);
	MUST(both_open());
	finish(w);
	return true;
}

static bool test_partopen_ends(void)
{
	struct world *w = &world;

	MUST(begin_losing(0, 2));
	w->lose = lose_rest;
	run(w, SEC + 2 * DELAY + 480 * SEC - 1);
	MUST(EVENT(1, CONNECTED) == 1 && EVENT(1, CLOSED) == 0);
	run(w, SEC + 2 * DELAY + 480 * SEC);
	MUST(EVENT(1, CLOSED) == 1 && w->end[1].closed.reason == FDCCP_REASON_TIMEOUT);
	MUST(w->last[0].type == FDCCP_PKT_RESET && w->last[0].reset_code == FDCCP_RESET_ABORTED);
	MUST(w->last[0].ack != 0);
	/* after 0.2, 0.4 ... 51.2 s, then every 64 s */
	MUST(w->end[1].sent[FDCCP_PKT_ACK] == 15);
	finish(w);
	return true;
}

static uint8_t hidden;	/* for hide() */
static bool only_request;

/* Gives a feature another number on the way, which neither end knows. */
static bool hide(struct world *w, bool to_client, struct flight *f, const struct fdccp_packet *p)
{
	struct fdccp_option_walk walk = { p->options, p->options + p->options_len };
	struct fdccp_option option;

	(void)w;
	(void)to_client;
	while (fdccp_option_next(&walk, &option) == 1)
		if (option.type >= FDCCP_OPT_CHANGE_L && option.type <= FDCCP_OPT_CONFIRM_R &&
		    option.value[0] == hidden && (!only_request || p->type == FDCCP_PKT_REQUEST))
			f->data[option.value - f->data] = 119;
	return false;
}

/* Gives each feature that the server would change another number on the way. */
static bool hide_changes(struct world *w, bool to_client, struct flight *f,
			 const struct fdccp_packet *p)
{
	struct fdccp_option_walk walk = { p->options, p->options + p->options_len };
	struct fdccp_option option;

	(void)w;
	while (to_client && fdccp_option_next(&walk, &option) == 1)
		if (option.type == FDCCP_OPT_CHANGE_L || option.type == FDCCP_OPT_CHANGE_R)
			f->data[option.value - f->data] = 119;
	return false;
}

static bool has_vector(const struct fdccp_packet *p)
{
	struct fdccp_option option;

	return fdccp_option_find(p, FDCCP_OPT_ACK_VECTOR_0, &option);
}

static unsigned int count_confirms(const struct fdccp_packet *p)
{
	struct fdccp_option_walk walk = { p->options, p->options + p->options_len };
	struct fdccp_option option;
	unsigned int count = 0;

	while (fdccp_option_next(&walk, &option) == 1)
		count += option.type == FDCCP_OPT_CONFIRM_L || option.type == FDCCP_OPT_CONFIRM_R;
	return count;
}

static bool with_foreign_server(uint8_t ccid)
{
	const struct fdccp_params params = params_of(ccid, ccid);
	struct world *w = &world;
	unsigned int confirms;

	MUST(begin(w, &params, &params));
	hidden = FDCCP_FEAT_FRESHLINK;
	only_request = false;
	w->lose = hide;
	run(w, SEC + 2 * DELAY - 1);
	w->now = SEC + 2 * DELAY;
	arrive(w);
	MUST(w->end[1].conn->state == FDCCP_PARTOPEN);
	MUST(send_one(w, true, 1000, NULL) == -EAGAIN);
	run(w, w->now);
	MUST(w->last[0].type == FDCCP_PKT_ACK && EVENT(1, READY) == 1);
	confirms = count_confirms(&w->last[0]);
	MUST(confirms > 0 && !has_vector(&w->last[0]));
	MUST(!send_one(w, true, 1000, NULL) && w->last[0].type == FDCCP_PKT_DATAACK);
	MUST(w->last[0].data_len == 1000 && count_confirms(&w->last[0]) == confirms);
	MUST(!has_vector(&w->last[0]));
	run(w, SEC + 100 * MS);
	MUST(both_open() && EVENT(0, DATA) == 1);
	MUST(send_many(w, true, 1) && w->last[0].data_len == 1000);
	MUST(count_confirms(&w->last[0]) == 0);
	finish(w);
	return true;
}

/* To a server that is not ours, such as Linux: the packet that completes the handshake has no data,
 * and until the server was heard each packet has all Confirms, and none an Ack Vector.
 */
static bool test_foreign_server(void)
{
	return with_foreign_server(2) && with_foreign_server(3);
}

/* A server offers Ack Vectors to a client that sends with CCID 2 but does not ask for them. Linux
 * does so if it has no preference.
 */
static bool test_foreign_client(void)
{
	struct fdccp_params params;
	struct world *w = &world;

	fdccp_params_init(&params);
	MUST(begin(w, &params, &params));
	hidden = FDCCP_FEAT_SEND_ACK_VECTOR;
	only_request = true;
	w->lose = hide;
	run(w, SEC + 100 * MS);
	MUST(both_open());
	MUST(fdccp_features_get(&w->end[0].conn->features, FDCCP_FEAT_SEND_ACK_VECTOR, true) == 1);
	finish(w);
	return true;
}

static bool test_partopen_data(void)
{
	struct world *w = &world;

	MUST(begin_losing(FDCCP_PKT_ACK, 1));
	run(w, SEC + 25 * MS);
	MUST(w->end[1].conn->state == FDCCP_PARTOPEN);
	MUST(!send_one(w, true, 100, NULL) && !send_one(w, true, 100, NULL));
	MUST(w->end[1].sent[FDCCP_PKT_DATAACK] == 2 && w->end[1].sent[FDCCP_PKT_DATA] == 0);
	run(w, SEC + 100 * MS);
	MUST(both_open() && EVENT(0, DATA) == 2);
	MUST(w->end[1].sent[FDCCP_PKT_ACK] == 1);
	MUST(!send_one(w, true, 100, NULL) && !send_one(w, true, 100, NULL));
	MUST(w->last[0].type == FDCCP_PKT_DATA);
	finish(w);
	return true;
}

/* A server whose confirmation of Ack Vectors was lost waits with its data until it has another one:
 * RFC 4341 section 4.
 */
static bool test_unconfirmed_vectors(void)
{
	struct world *w = &world;

	MUST(begin_losing(FDCCP_PKT_ACK, 1));
	run(w, SEC + 25 * MS);
	MUST(!send_one(w, true, 100, NULL) && w->last[0].type == FDCCP_PKT_DATAACK);
	w->lose = lose_type;
	w->countdown = 1;
	run(w, w->now + DELAY);
	MUST(!both_open() && w->end[0].conn->state == FDCCP_OPEN && EVENT(0, DATA) == 1);
	MUST(send_one(w, false, 100, NULL) == -EAGAIN && EVENT(0, READY) == 0);
	run(w, w->now + SEC);
	MUST(both_open() && EVENT(0, READY) == 1 && !send_one(w, false, 100, NULL));
	run(w, w->now + SEC);
	MUST(EVENT(1, DATA) == 1 && w->end[0].fates[FDCCP_FATE_ACKNOWLEDGED] == 1);
	finish(w);
	return true;
}

/* In PARTOPEN a Sync is answered, but does not complete the handshake; a Response gets an Ack. */
static bool test_partopen_sync(void)
{
	struct world *w = &world;
	struct fdccp_packet p = { .type = FDCCP_PKT_SYNC };

	MUST(begin_losing(FDCCP_PKT_ACK, 100));
	run(w, SEC + 25 * MS);
	p.seq = fdccp_seq_add(w->last[1].seq, 1);
	p.ack = w->last[0].seq;
	forge(w, true, &p, 0);
	run(w, w->now + DELAY);
	MUST(w->end[1].sent[FDCCP_PKT_SYNCACK] == 1 && w->last[0].ack == p.seq);
	MUST(w->end[1].conn->state == FDCCP_PARTOPEN);
	forget_sent(w);
	p.type = FDCCP_PKT_RESPONSE;
	p.seq = fdccp_seq_add(p.seq, 1);
	p.ack = w->end[1].conn->window.iss;
	forge(w, true, &p, 0);
	run(w, w->now + DELAY);
	MUST(w->end[1].sent[FDCCP_PKT_ACK] == 1 && w->end[1].conn->state == FDCCP_PARTOPEN);
	finish(w);
	return true;
}

static bool closed_in_order(void)
{
	return EVENT(0, CLOSED) == 1 && EVENT(1, CLOSED) == 1 &&
	       world.end[0].closed.reason == FDCCP_REASON_CLOSED &&
	       world.end[1].closed.reason == FDCCP_REASON_CLOSED;
}

/* Close comes again after two round trips, then after twice that. */
static bool test_lost_close(void)
{
	struct world *w = &world;
	int64_t closed;

	MUST(establish(w, 2, 2));
	w->lose = lose_type;
	w->type = FDCCP_PKT_CLOSE;
	w->countdown = 2;
	closed = w->now;
	fdccp_close(w->end[1].conn, w->now);
	run(w, closed + 40 * MS - 1);
	MUST(w->end[1].sent[FDCCP_PKT_CLOSE] == 1);
	run(w, closed + 120 * MS - 1);
	MUST(w->end[1].sent[FDCCP_PKT_CLOSE] == 2);
	run(w, closed + 120 * MS + 2 * DELAY);
	MUST(w->end[1].sent[FDCCP_PKT_CLOSE] == 3 && closed_in_order());
	finish(w);
	return true;
}

/* The next Close finds no connection. */
static bool test_lost_reset(void)
{
	struct world *w = &world;

	MUST(establish(w, 2, 2));
	w->lose = lose_type;
	w->type = FDCCP_PKT_RESET;
	w->countdown = 1;
	fdccp_close(w->end[1].conn, w->now);
	run(w, w->now + SEC);
	MUST(w->end[0].sent[FDCCP_PKT_RESET] == 2);
	MUST(w->last[1].reset_code == FDCCP_RESET_NO_CONNECTION);
	MUST(closed_in_order());
	finish(w);
	return true;
}

static bool test_close_gives_up(void)
{
	struct world *w = &world;
	int64_t closed;

	MUST(establish(w, 2, 2));
	w->lose = lose_type;
	w->type = FDCCP_PKT_CLOSE;
	w->countdown = 1000;
	closed = w->now;
	fdccp_close(w->end[1].conn, w->now);
	MUST(send_one(w, true, 10, NULL) == -ESHUTDOWN);
	run(w, closed + 180 * SEC - 1);
	MUST(EVENT(1, CLOSED) == 0);
	run(w, closed + 180 * SEC);
	MUST(EVENT(1, CLOSED) == 1 && w->end[1].closed.reason == FDCCP_REASON_TIMEOUT);
	finish(w);
	return true;
}

/* The server closes: with linger the client holds TIMEWAIT, without it the server. */
static bool server_closes(bool linger, uint8_t lost)
{
	struct world *w = &world;
	struct fdccp_params client = params_of(2, 2), server = client;

	server.linger = linger;
	MUST(begin(w, &client, &server));
	run(w, w->now + 100 * MS);
	MUST(both_open());
	w->lose = lose_type;
	w->type = lost;
	w->countdown = 1;
	fdccp_close(w->end[0].conn, w->now);
	MUST(w->end[0].conn->state == (linger ? FDCCP_CLOSEREQ : FDCCP_CLOSING));
	run(w, w->now + SEC);
	MUST(closed_in_order());
	MUST(linger == (w->end[0].sent[FDCCP_PKT_CLOSEREQ] > 0));
	MUST(linger == (w->end[0].sent[FDCCP_PKT_CLOSE] == 0));
	MUST(linger == (w->end[1].sent[FDCCP_PKT_CLOSE] > 0));
	/* the end that holds TIMEWAIT counts packets of the connection */
	MUST((w->end[linger].sent[FDCCP_PKT_RESET] == 0) || lost == FDCCP_PKT_RESET);
	finish(w);
	return true;
}

static bool test_server_closes(void)
{
	return server_closes(false, FDCCP_PKT_TYPES) && server_closes(true, FDCCP_PKT_TYPES) &&
	       server_closes(true, FDCCP_PKT_CLOSEREQ) && server_closes(true, FDCCP_PKT_CLOSE) &&
	       server_closes(false, FDCCP_PKT_CLOSE) && server_closes(true, FDCCP_PKT_RESET);
}

static bool test_both_close(void)
{
	struct world *w = &world;

	MUST(establish(w, 2, 3));
	fdccp_close(w->end[0].conn, w->now);
	fdccp_close(w->end[1].conn, w->now);
	run(w, w->now + SEC);
	MUST(closed_in_order());
	finish(w);
	return true;
}

static bool test_abort(void)
{
	struct world *w = &world;

	MUST(establish(w, 2, 2));
	MUST(!send_one(w, true, 10, NULL));
	fdccp_abort(w->end[1].conn, w->now);
	run(w, w->now + SEC);
	MUST(w->end[1].closed.reason == FDCCP_REASON_ABORTED);
	MUST(w->end[0].closed.reason == FDCCP_REASON_RESET);
	MUST(w->end[0].closed.reset == FDCCP_RESET_ABORTED);
	MUST(w->end[1].fates[FDCCP_FATE_UNKNOWN] == 1 && sums_up(&w->end[1].info));
	finish(w);
	return true;
}

/* RFC 4340 section 8.5 step 4: in REQUEST, all but Response and Reset get a Reset 4 that names the
 * type, and change nothing.
 */
static bool test_request_packets(void)
{
	struct world *w = &world;

	for (uint8_t type = 0; type < FDCCP_PKT_TYPES; type++) {
		struct fdccp_packet p = { .type = type, .seq = 77 };

		MUST(begin_losing(FDCCP_PKT_REQUEST, 1));
		run(w, w->now);
		p.ack = fdccp_seq_add(w->last[0].seq, type <= FDCCP_PKT_RESET ? 1 : 0);
		forge(w, true, &p, 0);
		run(w, w->now + DELAY);
		MUST(w->end[1].conn && w->end[1].conn->state == FDCCP_REQUEST);
		MUST(counter(w, true, FDCCP_COUNT_unexpected) == 1);
		if (type == FDCCP_PKT_RESET) {
			MUST(w->end[1].sent[FDCCP_PKT_RESET] == 0);
		} else {
			MUST(w->end[1].sent[FDCCP_PKT_RESET] == 1);
			MUST(w->last[0].reset_code == FDCCP_RESET_PACKET_ERROR);
			MUST(w->last[0].reset_data[0] == type && w->last[0].ack == 77);
		}
		finish(w);
	}
	return true;
}

/* Sends a packet of @type to one end that is OPEN. Return: whether it was answered by a Sync that
 * acknowledges it, and ignored
 */
static bool is_unexpected(bool to_client, uint8_t type)
{
	struct world *w = &world;
	bool good;

	if (!establish(w, 2, 2))
		return false;
	forget_sent(w);
	forge_next(w, to_client, type, NULL, 0);
	drain(w);
	good = w->end[to_client].sent[FDCCP_PKT_SYNC] == 1 &&
	       w->last[!to_client].type == FDCCP_PKT_SYNC &&
	       w->last[!to_client].ack == w->end[!to_client].conn->window.gss &&
	       counter(w, to_client, FDCCP_COUNT_unexpected) == 1 &&
	       w->end[to_client].conn->state == FDCCP_OPEN;
	finish(w);
	return good;
}

/* RFC 4340 section 8.5 step 7 */
static bool test_unexpected_types(void)
{
	for (uint8_t type = 0; type < FDCCP_PKT_TYPES; type++) {
		bool at_server = type == FDCCP_PKT_CLOSEREQ || type == FDCCP_PKT_RESPONSE ||
				 type == FDCCP_PKT_REQUEST;
		bool at_client = type == FDCCP_PKT_RESPONSE || type == FDCCP_PKT_REQUEST;

		if (is_unexpected(false, type) != at_server ||
		    is_unexpected(true, type) != at_client) {
			printf("# type %u\n", type);
			return false;
		}
	}
	return true;
}

/* Data in RESPOND gets a Sync, because it does not say that the Response came. */
static bool test_data_in_respond(void)
{
	struct world *w = &world;
	struct fdccp_packet p = { .type = FDCCP_PKT_DATA };

	MUST(begin_losing(FDCCP_PKT_ACK, 1));
	run(w, SEC + 25 * MS);
	p.seq = fdccp_window_next(&w->end[1].conn->window);
	forge(w, false, &p, 0);
	run(w, w->now + DELAY);
	MUST(w->end[0].sent[FDCCP_PKT_SYNC] == 1 && w->last[1].ack == p.seq);
	MUST(EVENT(0, ACCEPTED) == 0);
	/* the SyncAck completes the handshake */
	run(w, w->now + 3 * DELAY);
	MUST(both_open() && EVENT(0, ACCEPTED) == 1 && EVENT(0, DATA) == 0);
	finish(w);
	return true;
}

/* A packet far beyond the window gets a Sync; the SyncAck brings both ends together again. */
static bool test_resynchronize(void)
{
	struct world *w = &world;
	struct fdccp_conn *conn;

	MUST(establish(w, 2, 2));
	conn = w->end[1].conn;
	conn->window.gss = fdccp_seq_add(conn->window.gss, 1000);
	conn->window.local = 2000;
	forget_sent(w);
	/* the client is not active for the server after three round trips */
	run(w, w->now + 200 * MS);
	MUST(!send_one(w, true, 100, NULL));
	run(w, w->now + 3 * DELAY);
	MUST(w->end[0].sent[FDCCP_PKT_SYNC] == 1 && w->end[1].sent[FDCCP_PKT_SYNCACK] == 1);
	MUST(counter(w, false, FDCCP_COUNT_seq_invalid) == 1 && EVENT(0, DATA) == 0);
	MUST(!send_one(w, true, 100, NULL));
	run(w, w->now + DELAY);
	MUST(EVENT(0, DATA) == 1 && w->end[0].conn->window.gsr == conn->window.gss);
	finish(w);
	return true;
}

static int64_t sync_at[FDCCP_SYNCS_A_SECOND];
static unsigned int most_syncs;		/* in any second */

/* Counts the server's Syncs of the last second, and loses them. */
static bool count_syncs(struct world *w, bool to_client, struct flight *f,
			const struct fdccp_packet *p)
{
	unsigned int count = 1;

	(void)f;
	if (!to_client || p->type != FDCCP_PKT_SYNC)
		return false;
	for (int i = 0; i < FDCCP_SYNCS_A_SECOND; i++)
		count += sync_at[i] && w->now - sync_at[i] < SEC;
	most_syncs = count > most_syncs ? count : most_syncs;
	sync_at[w->countdown++ % FDCCP_SYNCS_A_SECOND] = w->now;
	return true;
}

/* Sends the server a packet far beyond its window, the @number-th one. Return: its number */
static uint64_t far_packet(unsigned int number)
{
	struct world *w = &world;
	struct fdccp_packet p = { .type = FDCCP_PKT_DATA,
		.seq = fdccp_seq_add(w->end[0].conn->window.gsr, 100000 + number) };

	forge(w, false, &p, 0);
	return p.seq;
}

/* At most 8 Syncs in any second, of which 4 at once; the last packet is answered as soon as that is
 * allowed.
 */
static bool test_sync_limit(void)
{
	struct world *w = &world;
	int64_t start;
	uint64_t seq = 0;

	MUST(establish(w, 2, 2));
	forget_sent(w);
	w->lose = count_syncs;
	w->countdown = most_syncs = 0;
	memset(sync_at, 0, sizeof(sync_at));
	start = w->now + DELAY;
	for (unsigned int i = 0; i < 20; i++)
		seq = far_packet(i);
	run(w, start + SEC / 4 - 1);
	MUST(w->end[0].sent[FDCCP_PKT_SYNC] == 4);
	MUST(counter(w, false, FDCCP_COUNT_syncs_limited) == 16);
	MUST(counter(w, false, FDCCP_COUNT_seq_invalid) == 20);
	run(w, start + SEC / 4);
	MUST(w->end[0].sent[FDCCP_PKT_SYNC] == 5 && w->last[1].ack == seq);
	for (unsigned int i = 0; i < 1000; i++, run(w, w->now + 10 * MS))
		far_packet(i);
	MUST(most_syncs <= FDCCP_SYNCS_A_SECOND && w->end[0].sent[FDCCP_PKT_SYNC] >= 40);
	finish(w);
	return true;
}

/* The client lost more packets than its window before a Reset. It asks by a Sync, and the next
 * Reset has the code and the data of the first one.
 */
static bool test_second_reset(void)
{
	static const uint8_t unknown[] = { 1, 99, 3, 5 };
	struct world *w = &world;

	for (int i = 0; i < 2; i++) {
		MUST(establish(w, 2, 2));
		forget_sent(w);
		w->end[0].conn->window.gss = fdccp_seq_add(w->end[0].conn->window.gss, 1000);
		w->end[0].conn->window.local = 2000;
		if (i)
			fdccp_abort(w->end[0].conn, w->now);
		else
			forge_next(w, false, FDCCP_PKT_ACK, unknown, sizeof(unknown));
		run(w, w->now + 4 * DELAY);
		MUST(w->end[0].sent[FDCCP_PKT_RESET] == 2 && w->end[1].sent[FDCCP_PKT_SYNC] == 1);
		MUST(EVENT(1, CLOSED) == 1 && w->end[1].closed.reason == FDCCP_REASON_RESET);
		MUST(w->end[1].closed.reset ==
		     (i ? FDCCP_RESET_ABORTED : FDCCP_RESET_MANDATORY_ERROR));
		MUST(i || (w->last[1].reset_data[0] == 99 && w->last[1].reset_data[1] == 5));
		finish(w);
	}
	return true;
}

/* A Reset with a wrong number gets a Sync that acknowledges the greatest number received. */
static bool test_invalid_reset(void)
{
	struct world *w = &world;
	struct fdccp_packet p = { .type = FDCCP_PKT_RESET };

	MUST(establish(w, 2, 2));
	forget_sent(w);
	p.seq = fdccp_seq_add(w->end[0].conn->window.gsr, -1);
	p.ack = w->end[1].conn->window.gsr;
	forge(w, false, &p, 0);
	run(w, w->now + DELAY);
	MUST(w->end[0].sent[FDCCP_PKT_SYNC] == 1);
	MUST(w->last[1].ack == w->end[0].conn->window.gsr);
	MUST(w->end[0].conn && w->end[0].conn->state == FDCCP_OPEN);
	finish(w);
	return true;
}

static bool test_duplicate(void)
{
	struct world *w = &world;
	struct fdccp_packet p;

	MUST(establish(w, 2, 2));
	MUST(!send_one(w, true, 100, NULL));
	p = w->last[0];
	forge(w, false, &p, 0);
	run(w, w->now + DELAY);
	MUST(EVENT(0, DATA) == 1 && counter(w, false, FDCCP_COUNT_duplicate) == 1);
	finish(w);
	return true;
}

/* Forges an Ack with options to the server. Return: whether it resets the connection so */
static bool resets_with(const void *options, size_t len, uint8_t code, uint8_t data0,
			uint8_t data1)
{
	struct world *w = &world;
	bool good;

	if (!establish(w, 2, 2))
		return false;
	forge_next(w, false, FDCCP_PKT_ACK, options, len);
	run(w, w->now + 2 * DELAY);
	good = EVENT(0, CLOSED) == 1 && w->end[0].closed.reason == FDCCP_REASON_ERROR &&
	       w->end[0].closed.reset == code && EVENT(1, CLOSED) == 1 &&
	       w->end[1].closed.reason == FDCCP_REASON_RESET && w->end[1].closed.reset == code &&
	       w->last[1].reset_data[0] == data0 && w->last[1].reset_data[1] == data1 &&
	       counter(w, false, FDCCP_COUNT_bad_option) == 1;
	finish(w);
	return good;
}

static bool test_option_errors(void)
{
	static const uint8_t last[] = { 0, 0, 0, 1 };		/* Mandatory, then nothing */
	static const uint8_t unknown[] = { 1, 99, 3, 5 };		/* Mandatory, option 99 */
	static const uint8_t feature[] = { 1, 32, 4, 77, 1, 0, 0, 0 };	/* unknown feature */
	static const uint8_t wrong[] = { 1, 41, 3, 9 };			/* Timestamp of 1 byte */
	static const uint8_t vector[] = { 38, 6, 0x3f, 0x3f, 0x3f, 0x3f, 0, 0 };
	static const uint8_t window[] = { 33, 9, 3, 0, 0, 0, 0, 0, 1, 0, 0, 0 };

	MUST(resets_with(last, 4, FDCCP_RESET_OPTION_ERROR, 1, 0));
	MUST(resets_with(unknown, 4, FDCCP_RESET_MANDATORY_ERROR, 99, 5));
	MUST(resets_with(feature, 8, FDCCP_RESET_MANDATORY_ERROR, 32, 77));
	MUST(resets_with(wrong, 4, FDCCP_RESET_MANDATORY_ERROR, 41, 9));
	MUST(resets_with(vector, 8, FDCCP_RESET_OPTION_ERROR, 38, 0));
	/* a Confirm that nobody waits for is ignored */
	MUST(!resets_with(window, 12, FDCCP_RESET_OPTION_ERROR, 33, 3));
	return true;
}

/* On Data packets, Mandatory and most options are ignored: RFC 4340 section 5.8. */
static bool test_data_options(void)
{
	static const uint8_t options[] = { 1, 99, 3, 5, 32, 9, 3, 0, 0, 0, 0, 1, 0, 38, 3, 0x3f };
	struct world *w = &world;

	MUST(establish(w, 2, 2));
	forge_next(w, false, FDCCP_PKT_DATA, options, sizeof(options));
	run(w, w->now + 2 * DELAY);
	MUST(EVENT(0, DATA) == 1 && w->end[0].conn->window.remote == 100);
	MUST(counter(w, false, FDCCP_COUNT_bad_option) == 0);
	finish(w);
	return true;
}

/* A Reset is not answered, whatever its options are. */
static bool test_reset_options(void)
{
	static const uint8_t unknown[] = { 1, 99, 3, 5 };
	struct world *w = &world;

	MUST(establish(w, 2, 2));
	forget_sent(w);
	forge_next(w, false, FDCCP_PKT_RESET, unknown, 4);
	run(w, w->now + 2 * DELAY);
	MUST(EVENT(0, CLOSED) == 1 && w->end[0].closed.reason == FDCCP_REASON_RESET);
	MUST(w->end[0].sent[FDCCP_PKT_RESET] == 0);
	finish(w);
	return true;
}

/* Connects to a port or service that is not there. */
static bool refused(uint16_t port, uint32_t service, uint8_t code)
{
	struct world *w = &world;
	struct fdccp_params params = params_of(2, 2);
	struct fdccp_path path = path_of(true);

	MUST(begin(w, &params, &params));
	MUST(!fdccp_connect(w->end[1].ep, &path, port, service, &params, w->now, &w->end[1].conn));
	run(w, w->now + 3 * DELAY);
	MUST(EVENT(1, CLOSED) == 1 && w->end[1].closed.reason == FDCCP_REASON_RESET);
	MUST(w->end[1].closed.reset == code);
	finish(w);
	return true;
}

static bool test_refused(void)
{
	return refused(PORT + 1, SERVICE, FDCCP_RESET_CONNECTION_REFUSED) &&
	       refused(PORT, SERVICE + 1, FDCCP_RESET_BAD_SERVICE_CODE);
}

/* CCIDs that the server does not accept. */
static bool test_no_common_ccid(void)
{
	struct world *w = &world;
	struct fdccp_params client = params_of(3, 3), server = params_of(2, 2);

	MUST(begin(w, &client, &server));
	run(w, w->now + SEC);
	MUST(EVENT(1, CLOSED) == 1 && w->end[1].closed.reason == FDCCP_REASON_RESET);
	MUST(w->end[1].closed.reset == FDCCP_RESET_MANDATORY_ERROR);
	MUST(w->last[1].reset_data[0] == FDCCP_OPT_CHANGE_L);
	MUST(w->last[1].reset_data[1] == FDCCP_FEAT_CCID && w->last[1].reset_data[2] == 3);
	finish(w);
	return true;
}

/* Sets the mark CE on Data packets. */
static bool mark(struct world *w, bool to_client, struct flight *f, const struct fdccp_packet *p)
{
	(void)w;
	(void)to_client;
	if (p->data_len && f->ecn == 2)
		f->ecn = 3;
	return false;
}

static bool test_marked(void)
{
	struct world *w = &world;

	MUST(establish(w, 2, 2));
	w->lose = mark;
	MUST(!send_one(w, true, 100, NULL));
	run(w, w->now + SEC);
	MUST(w->end[1].fates[FDCCP_FATE_MARKED] == 1 && EVENT(0, DATA) == 1);
	finish(w);
	return true;
}

/* Cuts packets with application data to their headers, as a router does. */
static bool cut(struct world *w, bool to_client, struct flight *f, const struct fdccp_packet *p)
{
	(void)w;
	(void)to_client;
	if (p->type == FDCCP_PKT_DATA || p->type == FDCCP_PKT_DATAACK)
		f->len -= p->data_len;
	return false;
}

static bool test_cut(void)
{
	const struct fdccp_message message = { .handle = 5, .deadline = 9 * SEC,
		.stale = FRESHLINK_TRUNCATE };
	struct world *w = &world;

	MUST(establish(w, 2, 2));
	w->lose = cut;
	for (int i = 0; i < 4; i++) {
		MUST(!send_one(w, true, 100, &message));
		MUST(w->last[0].data - w->flight[(w->next - 1) % FLIGHTS].data <= 64);
		run(w, w->now + SEC);
	}
	run(w, w->now + SEC);
	MUST(w->end[1].fates[FDCCP_FATE_CUT] == 4 && EVENT(0, DATA) == 0);
	MUST(w->end[1].last_handle == 5);
	finish(w);
	return true;
}

/* The connection with CCID 3 after 5 s in which 100 packets a second were sent. */
static struct fdccp_info info_after(struct world *w, bool (*lose)(struct world *w, bool to_client,
								  struct flight *f,
								  const struct fdccp_packet *p))
{
	const struct fdccp_message message = { .deadline = 9 * SEC, .stale = FRESHLINK_TRUNCATE };
	struct fdccp_info info = { 0 };

	if (!establish(w, 3, 3))
		return info;
	w->lose = lose;
	for (int i = 0; i < 500; i++) {
		send_one(w, true, 1000, &message);
		run(w, w->now + SEC / 100);
	}
	fdccp_info(w->end[1].conn, &info);
	finish(w);
	return info;
}

/* A cut packet is no loss to the rate control. But its bytes have not crossed the link: the receiver
 * measures a packet in its round-trip time, of the 100000 bytes a second that were sent.
 */
static bool test_cut_rate(void)
{
	struct fdccp_info whole = info_after(&world, NULL), headers = info_after(&world, cut);

	MUST(whole.rate > 100000 && whole.receive_rate > 90000);
	MUST(headers.fate[FDCCP_FATE_CUT] > 200 && headers.loss_event_rate == 0);
	MUST(headers.receive_rate < 70000);
	return true;
}

/* Damages the last byte of the payload. */
static bool damage(struct world *w, bool to_client, struct flight *f,
		   const struct fdccp_packet *p)
{
	(void)w;
	(void)to_client;
	if (p->type == FDCCP_PKT_DATA || p->type == FDCCP_PKT_DATAACK)
		f->data[f->len - 1] ^= 1;
	return false;
}

/* Damaged data is dropped, or with partial coverage delivered as damaged. */
static bool damaged(uint8_t min_coverage, unsigned int delivered, enum fdccp_fate fate)
{
	struct world *w = &world;
	struct fdccp_params client = params_of(2, 2), server = client;

	client.data_checksum = true;
	server.min_coverage = min_coverage;
	MUST(begin(w, &client, &server));
	run(w, w->now + 100 * MS);
	MUST(both_open() && !send_one(w, true, 100, NULL));
	run(w, w->now + SEC);
	MUST(EVENT(0, DATA) == 1 && w->end[0].damaged == 0);
	w->lose = damage;
	MUST(!send_one(w, true, 100, NULL));
	run(w, w->now + SEC);
	MUST(EVENT(0, DATA) == 1 + delivered && w->end[0].damaged == delivered);
	MUST(w->end[1].fates[fate] == 1);
	finish(w);
	return true;
}

static bool test_damaged(void)
{
	return damaged(0, 0, FDCCP_FATE_DAMAGED) && damaged(1, 1, FDCCP_FATE_MARKED);
}

static bool test_report_dropped(void)
{
	struct world *w = &world;

	MUST(establish(w, 2, 2));
	w->end[0].dropped_code = 2;
	MUST(!send_one(w, true, 100, NULL));
	run(w, w->now + SEC);
	MUST(w->end[1].fates[FDCCP_FATE_DROPPED] == 1);
	finish(w);
	return true;
}

/* Until Ack Vectors are agreed, an acknowledgment number alone says that its packet has arrived. It
 * does not say that the program has the data: Data Dropped comes with it, also if all that has
 * arrived of the features of a server is its Confirms.
 */
static bool test_drop_without_vectors(void)
{
	struct fdccp_params params = params_of(3, 3);
	struct world *w = &world;

	MUST(begin(w, &params, &params));
	w->lose = hide_changes;
	w->end[1].dropped_code = FDCCP_DROP_RECEIVE_BUFFER;
	run(w, w->now + 100 * MS);
	for (unsigned int i = 1; i <= 5; i++) {
		MUST(send_many(w, false, 1));
		run(w, w->now + SEC);
		MUST(EVENT(1, DATA) == i && !has_vector(&w->last[0]));
		MUST(w->end[0].fates[FDCCP_FATE_DROPPED] == i);
	}
	finish(w);
	return true;
}

/* Data comes before the fates that its packet tells: a program that sends at once when it hears of
 * them would report the data as received before it could report it as dropped.
 */
static bool test_data_before_fates(void)
{
	struct world *w = &world;

	MUST(establish(w, 2, 2) && !send_one(w, true, 100, NULL));
	run(w, w->now + SEC);
	MUST(!send_one(w, false, 100, NULL));
	run(w, w->now + DELAY);
	MUST(EVENT(1, DATA) == 1 && !send_one(w, true, 100, NULL));
	run(w, w->now + DELAY - 1);
	MUST(EVENT(0, FATE) == 0 && EVENT(0, DATA) == 1);
	run(w, w->now + 1);
	MUST(EVENT(0, FATE) == 1 && w->end[0].data_before_fate == 2);
	finish(w);
	return true;
}

static bool test_keepalive(void)
{
	struct world *w = &world;
	struct fdccp_params client = params_of(2, 2), server = client;
	int64_t quiet;

	client.keepalive = 15 * SEC;
	MUST(begin(w, &client, &server));
	run(w, w->now + SEC);
	quiet = w->end[1].conn->heard;
	forget_sent(w);
	run(w, quiet + 15 * SEC - 1);
	MUST(w->end[1].sent[FDCCP_PKT_SYNC] == 0);
	run(w, quiet + 15 * SEC);
	MUST(w->end[1].sent[FDCCP_PKT_SYNC] == 1);
	run(w, quiet + 15 * SEC + 2 * DELAY);
	MUST(w->end[0].sent[FDCCP_PKT_SYNCACK] == 1);
	MUST(w->end[1].conn->heard == quiet + 15 * SEC + 2 * DELAY);
	/* the peer is gone */
	w->lose = lose_type;
	w->type = FDCCP_PKT_SYNC;
	w->countdown = 10000;
	quiet = w->end[1].conn->heard;
	run(w, quiet + 509 * SEC);
	MUST(EVENT(1, CLOSED) == 0);
	run(w, quiet + 511 * SEC);
	MUST(EVENT(1, CLOSED) == 1 && w->end[1].closed.reason == FDCCP_REASON_TIMEOUT);
	finish(w);
	return true;
}

/* Begins a connection whose client has this keepalive, and whose server has none. */
static bool begin_keepalive(int64_t keepalive)
{
	struct fdccp_params client = params_of(2, 2), server = client;

	client.keepalive = keepalive;
	server.keepalive = FDCCP_NEVER;
	return begin(&world, &client, &server);
}

/* A program may say how long a silent peer is waited for. Until then it is asked at each interval;
 * a peer that answers stays.
 */
static bool test_silence(void)
{
	struct fdccp_params client = params_of(2, 2), server = client;
	struct world *w = &world;
	int64_t quiet;

	client.keepalive = 15 * SEC;
	client.silence = 40 * SEC;
	server.keepalive = FDCCP_NEVER;
	MUST(begin(w, &client, &server));
	run(w, w->now + SEC);
	forget_sent(w);
	run(w, w->now + 1000 * SEC);
	MUST(both_open() && w->end[1].sent[FDCCP_PKT_SYNC] == 66);
	quiet = w->end[1].conn->heard;
	w->lose = lose_rest;
	forget_sent(w);
	run(w, quiet + 40 * SEC - 1);
	MUST(EVENT(1, CLOSED) == 0 && w->end[1].sent[FDCCP_PKT_SYNC] == 2);
	run(w, quiet + 40 * SEC);
	MUST(EVENT(1, CLOSED) == 1 && w->end[1].closed.reason == FDCCP_REASON_TIMEOUT);
	finish(w);
	client.silence = -1;
	MUST(!begin(w, &client, &server));
	finish(w);
	client.silence = FDCCP_KEEPALIVE_MAX + 1;
	MUST(!begin(w, &client, &server));
	finish(w);
	return true;
}

/* Loses all that is sent from now on. Return: whether the client gives up after @time, not before */
static bool gives_up_after(int64_t time)
{
	int64_t start = world.now;

	world.lose = lose_rest;
	run(&world, start + time - 1);
	MUST(EVENT(1, CLOSED) == 0);
	run(&world, start + time);
	MUST(EVENT(1, CLOSED) == 1 && world.end[1].closed.reason == FDCCP_REASON_TIMEOUT);
	finish(&world);
	return true;
}

/* A server may be silent as long in a handshake, and when the connection is closed. RFC 4340 section
 * 8.1.1 has 3 minutes for Requests, and a longer silence does not change that.
 */
static bool test_silence_without_connection(void)
{
	struct fdccp_params params = params_of(2, 2), patient = params;
	struct world *w = &world;

	params.silence = 40 * SEC;
	patient.silence = 1000 * SEC;
	MUST(begin(w, &params, &params) && gives_up_after(40 * SEC));
	MUST(begin(w, &patient, &params) && gives_up_after(180 * SEC));
	MUST(begin(w, &params, &params));
	run(w, w->now + 2 * DELAY);
	MUST(w->end[1].conn->state == FDCCP_PARTOPEN && gives_up_after(40 * SEC));
	MUST(begin(w, &params, &params));
	run(w, w->now + SEC);
	MUST(both_open());
	fdccp_close(w->end[1].conn, w->now);
	MUST(gives_up_after(40 * SEC));
	return true;
}

/* A peer that answers is alive, however seldom it is asked; one that leaves two Syncs without
 * answer is not.
 */
static bool test_seldom_keepalive(void)
{
	struct world *w = &world;
	int64_t quiet;

	MUST(begin_keepalive(600 * SEC));
	run(w, w->now + SEC);
	quiet = w->end[1].conn->heard;
	forget_sent(w);
	run(w, quiet + 6100 * SEC);
	MUST(both_open() && w->end[1].sent[FDCCP_PKT_SYNC] == 10);
	w->lose = lose_type;
	w->type = FDCCP_PKT_SYNC;
	w->countdown = 10000;
	quiet = w->end[1].conn->heard;
	forget_sent(w);
	run(w, quiet + 1799 * SEC);
	MUST(EVENT(1, CLOSED) == 0 && w->end[1].sent[FDCCP_PKT_SYNC] == 2);
	run(w, quiet + 1801 * SEC);
	MUST(EVENT(1, CLOSED) == 1 && w->end[1].closed.reason == FDCCP_REASON_TIMEOUT);
	finish(w);
	return true;
}

/* A server whose program says nothing of keepalive asks after 10 minutes of silence, and notices
 * that its client has gone; a client does not ask. With FDCCP_NEVER the server does not either.
 */
static bool test_listener_keepalive(void)
{
	struct fdccp_params client = params_of(2, 2), server = client;
	struct world *w = &world;
	int64_t quiet;

	MUST(begin(w, &client, &server));
	run(w, w->now + SEC);
	quiet = w->end[0].conn->heard;
	forget_sent(w);
	run(w, quiet + 600 * SEC - 1);
	MUST(both_open() && w->end[0].sent[FDCCP_PKT_SYNC] == 0);
	run(w, quiet + 601 * SEC);
	MUST(w->end[0].sent[FDCCP_PKT_SYNC] == 1 && w->end[1].sent[FDCCP_PKT_SYNCACK] == 1);
	quiet = w->end[0].conn->heard;
	w->lose = lose_rest;
	run(w, quiet + 1680 * SEC - 1);
	MUST(EVENT(0, CLOSED) == 0);
	run(w, quiet + 1800 * SEC);
	MUST(EVENT(0, CLOSED) == 1 && w->end[0].closed.reason == FDCCP_REASON_TIMEOUT);
	MUST(w->end[1].sent[FDCCP_PKT_SYNC] == 0);
	finish(w);
	server.keepalive = FDCCP_NEVER;
	MUST(begin(w, &client, &server));
	run(w, w->now + SEC);
	forget_sent(w);
	run(w, w->now + 10000 * SEC);
	MUST(both_open() && w->end[0].sent[FDCCP_PKT_SYNC] == 0);
	finish(w);
	return true;
}

/* keepalive is 0 to a day, or FDCCP_NEVER, which is the same as 0 at a client. */
static bool test_keepalive_range(void)
{
	static const int64_t bad[] = { -1, INT64_MIN, FDCCP_KEEPALIVE_MAX + 1, FDCCP_NEVER - 1 };
	static const int64_t good[] = { FDCCP_KEEPALIVE_MAX, FDCCP_NEVER };
	struct world *w = &world;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		MUST(!begin_keepalive(bad[i]));
		finish(w);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		MUST(begin_keepalive(good[i]));
		run(w, w->now + SEC);
		forget_sent(w);
		MUST(both_open());
		MUST((w->end[1].conn->timer[FDCCP_TIMER_KEEPALIVE] == FDCCP_NEVER) == (i == 1));
		finish(w);
	}
	return true;
}

/* Quotes a packet to the server in an ICMP message: the one that was kept, or the last. */
static void icmp(struct world *w, uint8_t type, uint8_t code, size_t quoted, bool local)
{
	const struct flight *f = w->kept.len ? &w->kept : &w->flight[(w->next - 1) % FLIGHTS];
	struct fdccp_icmp message = { .path = path_of(true), .family = AF_INET, .type = type,
		.code = code, .mtu = 1300, .quoted = f->data, .quoted_len = quoted,
		.local = local };

	fdccp_icmp(w->end[1].ep, &message, w->now);
	drain(w);
}

static bool test_icmp_handshake(void)
{
	struct world *w = &world;
	struct fdccp_params params = params_of(2, 2);

	MUST(begin(w, &params, &params));
	drain(w);
	icmp(w, 3, 1, 28, false);	/* host unreachable may pass */
	MUST(EVENT(1, CLOSED) == 0 && counter(w, true, FDCCP_COUNT_icmp_believed) == 1);
	icmp(w, 3, 3, 8, false);	/* without a sequence number anybody could say so */
	MUST(EVENT(1, CLOSED) == 0 && counter(w, true, FDCCP_COUNT_icmp_ignored) == 1);
	icmp(w, 3, 3, 28, false);
	MUST(EVENT(1, CLOSED) == 1 && w->end[1].closed.reason == FDCCP_REASON_UNREACHABLE);
	finish(w);
	return true;
}

/* A message with an hour to live. */
static struct fdccp_message stamped(const struct world *w)
{
	return (struct fdccp_message){ .deadline = w->now + 3600 * SEC };
}

/* Sends a packet that is lost with an ICMP message, and three others.
 * Return: its fate is @fate, and rate control is told @cause
 */
static bool hinted(uint8_t type, uint8_t code, bool local, enum fdccp_fate fate,
		   enum fdccp_cause cause)
{
	struct world *w = &world;
	bool notice = cause != FDCCP_CAUSE_MISSING;
	struct fdccp_message message;
	struct fdccp_info info;

	MUST(establish(w, 2, 2));
	message = stamped(w);
	w->lose = keep_data;
	w->countdown = 1;
	MUST(!send_one(w, true, 100, &message));
	icmp(w, type, code, 40, local);
	MUST(w->end[1].conn->state == FDCCP_OPEN);
	/* before the fate */
	MUST(EVENT(1, NOTICE) == notice && !w->end[1].fates[fate]);
	MUST(send_many(w, true, 4));
	run(w, w->now + SEC);
	MUST(EVENT(1, NOTICE) == notice && w->end[1].fates[fate] == 1);
	fdccp_info(w->end[1].conn, &info);
	MUST(info.cause[cause] == 1 && info.cause[FDCCP_CAUSE_ARRIVED] == 4);
	MUST(w->end[1].fates[FDCCP_FATE_ACKNOWLEDGED] == 4);
	/* what was acknowledged is not in flight any more */
	icmp(w, type, code, 40, local);
	MUST(counter(w, true, FDCCP_COUNT_icmp_believed) == 1);
	MUST(counter(w, true, FDCCP_COUNT_icmp_ignored) == 1);
	finish(w);
	return true;
}

static bool test_icmp_open(void)
{
	/* one of five packets is stale: that is congestion */
	return hinted(253, 2, false, FDCCP_FATE_DISCARDED, FDCCP_CAUSE_OVERDUE) &&
	       hinted(0, 0, true, FDCCP_FATE_EXPIRED, FDCCP_CAUSE_OVERDUE) &&
	       hinted(253, 0, false, FDCCP_FATE_LOST, FDCCP_CAUSE_GIVEN_UP) &&
	       hinted(3, 3, false, FDCCP_FATE_LOST, FDCCP_CAUSE_MISSING);
}

/* How often rate control was told @cause. */
static uint64_t told(enum fdccp_cause cause)
{
	struct fdccp_info info;

	fdccp_info(world.end[1].conn, &info);
	return info.cause[cause];
}

/* Each message of xlo_rto counts once about a packet, and only about one that has a lifetime. */
static bool test_messages_once(void)
{
	struct world *w = &world;
	struct fdccp_message message;

	MUST(establish(w, 2, 2));
	message = stamped(w);
	w->lose = keep_data;
	w->countdown = 1;
	MUST(!send_one(w, true, 100, NULL));
	for (uint8_t code = 0; code < 5; code++)
		icmp(w, 253, code, 40, false);
	MUST(counter(w, true, FDCCP_COUNT_icmp_believed) == 0);
	memset(&w->kept, 0, sizeof(w->kept));
	w->countdown = 1;
	MUST(!send_one(w, true, 100, &message));
	for (int again = 0; again < 2; again++)
		for (uint8_t code = 0; code < 5; code++)
			icmp(w, 253, code, 40, false);
	MUST(counter(w, true, FDCCP_COUNT_icmp_believed) == 4);
	MUST(counter(w, true, FDCCP_COUNT_icmp_ignored) == 11);
	MUST(told(FDCCP_CAUSE_DEFER) == 1 && told(FDCCP_CAUSE_LINK_UP) == 1);
	finish(w);
	return true;
}

/* A connection that does without causes hears of no link. */
static bool test_messages_off(void)
{
	struct world *w = &world;
	struct fdccp_params params = params_of(2, 2);
	struct fdccp_message message;

	params.causes = false;
	MUST(begin(w, &params, &params));
	run(w, w->now + SEC);
	message = stamped(w);
	w->lose = keep_data;
	w->countdown = 1;
	MUST(!send_one(w, true, 100, &message));
	for (uint8_t code = 0; code < 4; code++)
		icmp(w, 253, code, 40, false);
	MUST(counter(w, true, FDCCP_COUNT_icmp_believed) == 1);
	MUST(send_many(w, true, 4));
	run(w, w->now + SEC);
	/* the program hears what the router says; rate control does not */
	MUST(w->end[1].fates[FDCCP_FATE_DISCARDED] == 1);
	MUST(told(FDCCP_CAUSE_MISSING) == 1 && !told(FDCCP_CAUSE_OVERDUE));
	finish(w);
	return true;
}

/* No more than 100 messages in a second are believed: half of them at once, and 50 a second then. */
static bool test_messages_limited(void)
{
	struct world *w = &world;
	struct fdccp_params params = params_of(FDCCP_CCID_FIXED, FDCCP_CCID_FIXED);
	struct fdccp_message message;

	params.fixed_rate = 1000000;
	MUST(begin(w, &params, &params));
	run(w, w->now + SEC);
	message = stamped(w);
	for (int i = 0; i < 2000; i++) {
		MUST(!send_one(w, true, 10, &message));
		icmp(w, 253, 3, 40, false);
		run(w, w->now + MS);
		MUST(w->end[1].conn->state == FDCCP_OPEN);
	}
	/* 50, and 99 of 1.999 s */
	MUST(counter(w, true, FDCCP_COUNT_icmp_believed) == 149);
	MUST(counter(w, true, FDCCP_COUNT_icmp_ignored) == 1851);
	finish(w);
	return true;
}

/* A server that keeps no state before the third packet, and a client that must bring the cookie. */
static bool with_cookie(uint8_t ccid, bool data)
{
	struct world *w = &world;
	struct fdccp_params params = params_of(ccid, ccid);

	world_limits.stateless = 1;
	world_limits.half_open = 100;
	MUST(begin(w, &params, &params));
	memset(&world_limits, 0, sizeof(world_limits));
	/* another client takes the place */
	w->lose = lose_type;
	w->type = FDCCP_PKT_RESPONSE;
	w->countdown = 1;
	run(w, w->now + 2 * DELAY);
	w->type = FDCCP_PKT_ACK;
	w->countdown = 1;
	MUST(!fdccp_connect(w->end[1].ep, &(struct fdccp_path){ path_of(true).local,
			    path_of(true).remote }, PORT, SERVICE, &params, w->now,
			    &w->end[1].conn));
	run(w, w->now + 2 * DELAY + 1);
	MUST(counter(w, false, FDCCP_COUNT_cookies_sent) == 1);
	MUST(w->end[1].conn->state == FDCCP_PARTOPEN && w->end[1].conn->cookies_len > 2);
	MUST(!data || send_one(w, true, 100, NULL) == -EAGAIN);
	run(w, w->now + 400 * MS);
	MUST(both_open() && w->end[0].conn->rtt > 0 && !w->end[1].conn->cookies);
	MUST(EVENT(1, READY) == data);
	MUST(send_many(w, true, 20));
	run(w, w->now + SEC);
	MUST(w->end[1].fates[FDCCP_FATE_ACKNOWLEDGED] == 20);
	MUST(fdccp_conn_ours(w->end[0].conn) && w->end[0].conn->token_acked);
	finish(w);
	return true;
}

static bool test_cookie(void)
{
	return with_cookie(2, true) && with_cookie(3, false);
}

static bool test_memory(void)
{
	struct world *w = &world;

	for (uint8_t ccid = 2; ccid <= 3; ccid++) {
		MUST(establish(w, ccid, ccid));
		run(w, w->now + 10 * SEC);
		MUST(w->end[0].conn->charged <= 4096 && w->end[1].conn->charged <= 4096);
		finish(w);
	}
	return true;
}

/* Whether the sum rule holds at both ends now. */
static bool sums_now(void)
{
	for (int side = 0; side < 2; side++) {
		struct fdccp_info info;

		if (!world.end[side].conn)
			continue;
		fdccp_info(world.end[side].conn, &info);
		if (!sums_up(&info))
			return false;
	}
	return true;
}

/* Loses, marks and delays packets at random. */
static bool spoil(struct world *w, bool to_client, struct flight *f, const struct fdccp_packet *p)
{
	uint8_t dice;

	(void)to_client;
	(void)p;
	fill_random(w, &dice, 1);
	if (dice < 4 && f->ecn)
		f->ecn = 3;
	return dice > 240;
}

static bool test_sums(void)
{
	struct world *w = &world;

	for (uint8_t ccid = 2; ccid <= 3; ccid++) {
		MUST(establish(w, ccid, ccid));
		w->lose = spoil;
		for (int i = 0; i < 500; i++) {
			send_one(w, i & 1, 500, NULL);
			run(w, w->now + 3 * MS);
			MUST(sums_now());
		}
		w->lose = NULL;
		fdccp_close(w->end[1].conn, w->now);
		run(w, w->now + 10 * SEC);
		MUST(closed_in_order() && sums_up(&w->end[0].info) && sums_up(&w->end[1].info));
		MUST(w->end[0].info.in_flight == 0 && w->end[1].info.in_flight == 0);
		MUST(w->end[1].info.fate[FDCCP_FATE_LOST] > 0);
		for (int side = 0; side < 2; side++)
			for (int i = 0; i < FDCCP_FATES; i++)
				MUST(w->end[side].fates[i] == w->end[side].info.fate[i]);
		finish(w);
	}
	return true;
}

/* Lets the client send into buffers of @size bytes for 47 s, and nothing arrive. Return: Syncs that
 * it sent, at most 100. @len: bytes of the last one
 */
static unsigned int count_probes(struct world *w, size_t size, size_t *len)
{
	int64_t end = w->now + 47 * SEC;
	unsigned int syncs = 0;

	while (w->now < end && syncs < 100) {
		struct fdccp_datagram d = { .data = w->out, .size = size };
		int64_t next = fdccp_next_timer(w->end[1].ep);
		struct fdccp_packet p;

		if (fdccp_transmit(w->end[1].ep, &d, w->now)) {
			if (!fdccp_packet_parse(&p, d.data, d.len) && p.type == FDCCP_PKT_SYNC) {
				syncs++;
				*len = d.len;
			}
			continue;
		}
		w->now = next < end ? next > w->now ? next : w->now : end;
		fdccp_advance(w->end[1].ep, w->now);
	}
	return syncs;
}

/* A probe that has no room in the caller's buffer fails by its timer, after 16 s; no size is above
 * what a datagram can have.
 */
static bool test_probe_limits(void)
{
	struct world *w = &world;
	size_t len = 0;

	MUST(establish(w, 2, 2));
	run(w, w->now + SEC);
	fdccp_conn_moved(w->end[1].conn, &w->end[1].conn->path, w->now);
	MUST(count_probes(w, 600, &len) == 3 && len < 600);
	fdccp_advance(w->end[1].ep, w->now + 2 * SEC);
	MUST(w->end[1].conn->plpmtu.size == 576);
	finish(w);
	MUST(establish(w, 2, 2));
	w->end[1].conn->params.mtu = w->end[1].conn->params.mtu_max = UINT16_MAX;
	fdccp_conn_moved(w->end[1].conn, &w->end[1].conn->path, w->now);
	MUST(w->end[1].conn->plpmtu.size == FDCCP_DATAGRAM_MAX);
	MUST(count_probes(w, sizeof(w->out), &len) == 3);
	MUST(len > FDCCP_DATAGRAM_MAX - 100 && len < FDCCP_DATAGRAM_MAX);
	finish(w);
	return true;
}

/* The smallest packet size that an ICMP message names is taken for a packet in flight. */
static bool test_icmp_too_big(void)
{
	struct world *w = &world;
	size_t before;

	MUST(establish(w, 2, 2));
	run(w, w->now + SEC);
	before = fdccp_payload_max(w->end[1].conn);
	MUST(before == 1500 - 20 - 8 - 8 - 64 && w->end[1].conn->plpmtu.size == 1500);
	MUST(send_one(w, true, before + 1, NULL) == -EMSGSIZE);
	w->lose = keep_data;
	w->countdown = 1;
	MUST(!send_one(w, true, before, NULL));
	w->end[1].events[FDCCP_EVENT_SIZE] = 0;
	icmp(w, 3, 4, 40, false);
	MUST(EVENT(1, SIZE) == 1 && fdccp_payload_max(w->end[1].conn) <= before - 200);
	finish(w);
	return true;
}

/* A packet that arrives after it counted as lost keeps its fate. */
static bool test_late(void)
{
	struct world *w = &world;

	MUST(establish(w, 2, 2));
	w->lose = keep_data;
	w->countdown = 1;
	MUST(send_many(w, true, 5));
	run(w, w->now + SEC);
	MUST(w->end[1].fates[FDCCP_FATE_LOST] == 1 && EVENT(0, DATA) == 4);
	put(w, false, w->kept.data, w->kept.len, 0);
	run(w, w->now + SEC);
	MUST(EVENT(0, DATA) == 5 && w->end[1].fates[FDCCP_FATE_ACKNOWLEDGED] == 4);
	MUST(send_many(w, true, 1));
	run(w, w->now + SEC);
	MUST(sums_up(&w->end[1].info) && w->end[1].info.fate[FDCCP_FATE_LOST] == 1);
	MUST(w->end[1].fates[FDCCP_FATE_ACKNOWLEDGED] == 5);
	finish(w);
	return true;
}

/* A timeout is no fate: what arrives after it is acknowledged. */
static bool test_late_after_timeout(void)
{
	struct world *w = &world;

	MUST(establish(w, 2, 2));
	w->lose = keep_data;
	w->countdown = 1;
	MUST(send_many(w, true, 1));
	run(w, w->now + 5 * SEC);
	MUST(w->end[1].conn->info.fate[FDCCP_FATE_LOST] == 0 && EVENT(0, DATA) == 0);
	fdccp_info(w->end[1].conn, &w->end[1].info);
	MUST(w->end[1].info.cwnd == 1 && w->end[1].info.in_flight == 1);
	put(w, false, w->kept.data, w->kept.len, 0);
	run(w, w->now + SEC);
	MUST(EVENT(0, DATA) == 1 && w->end[1].fates[FDCCP_FATE_ACKNOWLEDGED] == 1);
	finish(w);
	return true;
}

/* A program that has no room for more packets in flight can send again when the rate control's
 * timer runs out, though the peer stays silent: those in flight are lost.
 */
static bool test_full_ring(void)
{
	struct world *w = &world;

	for (uint8_t ccid = 2; ccid <= 3; ccid++) {
		MUST(establish(w, ccid, ccid));
		w->lose = lose_rest;
		MUST(!send_one(w, true, 100, NULL));
		w->end[1].conn->ring_full = true;
		w->end[1].conn->want_ready = true;
		w->end[1].events[FDCCP_EVENT_READY] = 0;
		run(w, w->now + 10 * SEC);
		MUST(EVENT(1, READY) == 1 && w->end[1].fates[FDCCP_FATE_LOST] >= 1);
		MUST(!send_one(w, true, 100, NULL));
		finish(w);
	}
	return true;
}

/* Where the peer sends vectors, a number alone is no fate; that of a Sync never is one. */
static bool test_number_alone(void)
{
	static const uint8_t types[] = { FDCCP_PKT_ACK, FDCCP_PKT_SYNC };
	struct world *w = &world;

	for (int i = 0; i < 2; i++) {
		MUST(establish(w, 2, 2));
		w->lose = keep_data;
		w->countdown = 1;
		MUST(!send_one(w, true, 100, NULL));
		w->end[0].conn->window.gsr = w->end[1].conn->window.gss;
		forge_next(w, true, types[i], NULL, 0);
		MUST(fdccp_sent_open(w->end[1].conn->sent) == 1);
		MUST(counter(w, true, FDCCP_COUNT_seq_invalid) == 0);
		finish(w);
	}
	return true;
}

/* The report of CCID 3 in an Ack without an Ack Vector counts at once, though it tells no fate. */
static bool test_report_alone(void)
{
	static const uint8_t report[] = {
		FDCCP_OPT_RECEIVE_RATE, 6, 0, 0, 0x10, 0,
		FDCCP_OPT_LOSS_EVENT_RATE, 6, 0, 0, 0, 10,
	};
	struct world *w = &world;
	struct fdccp_info info;

	MUST(establish(w, 3, 3));
	w->lose = keep_data;
	w->countdown = 1;
	MUST(!send_one(w, true, 1000, NULL));
	w->now += DELAY;
	w->end[0].conn->window.gsr = w->end[1].conn->window.gss;
	forge_next(w, true, FDCCP_PKT_ACK, report, sizeof(report));
	fdccp_info(w->end[1].conn, &info);
	MUST(info.loss_event_rate > 0 && info.in_flight == 1);
	finish(w);
	return true;
}

/* A SyncAck acknowledges its Sync, even if that came late. */
static bool test_syncack(void)
{
	struct world *w = &world;
	struct fdccp_packet p = { .type = FDCCP_PKT_SYNC };

	MUST(establish(w, 2, 2));
	p.seq = fdccp_window_next(&w->end[1].conn->window);
	p.ack = w->end[1].conn->window.gsr;
	forge_next(w, false, FDCCP_PKT_DATA, NULL, 0);
	drain(w);
	forge(w, false, &p, 0);
	run(w, w->now + DELAY);
	MUST(w->end[0].sent[FDCCP_PKT_SYNCACK] >= 1 && w->last[1].type == FDCCP_PKT_SYNCACK);
	MUST(w->last[1].ack == p.seq);
	finish(w);
	return true;
}

/* Packets of a connection in TIMEWAIT get Reset 3. */
static bool test_timewait(void)
{
	struct world *w = &world;
	struct fdccp_packet p;

	MUST(establish(w, 2, 2));
	MUST(!send_one(w, false, 100, NULL));
	p = w->last[1];
	fdccp_close(w->end[1].conn, w->now);
	run(w, w->now + SEC);
	MUST(closed_in_order());
	put(w, true, w->last[1].options ? p.options - FDCCP_DATA_HEADER : NULL,
	    FDCCP_DATA_HEADER + p.options_len + p.data_len, 0);
	run(w, w->now + SEC);
	MUST(counter(w, true, FDCCP_COUNT_timewait) == 1);
	MUST(w->last[0].type == FDCCP_PKT_RESET);
	MUST(w->last[0].reset_code == FDCCP_RESET_NO_CONNECTION);
	finish(w);
	return true;
}

/* NDP Count is the number of packets without data that precede the packet. */
static bool test_ndp(void)
{
	struct world *w = &world;
	const uint8_t *value;
	uint8_t len;

	MUST(establish(w, 3, 3));
	run(w, w->now + SEC);
	w->end[1].conn->ndp = 0;
	MUST(!send_one(w, true, 10, NULL));
	MUST(!option_of(&w->last[0], FDCCP_OPT_NDP_COUNT, &len));
	run(w, w->now + SEC);
	w->end[1].conn->ndp = 0x0102;
	MUST(!send_one(w, true, 10, NULL));
	value = option_of(&w->last[0], FDCCP_OPT_NDP_COUNT, &len);
	MUST(value && len == 2 && value[0] == 1 && value[1] == 2);
	MUST(w->end[1].conn->ndp == 0);
	forge_next(w, false, FDCCP_PKT_SYNC, NULL, 0);
	w->end[0].conn->ndp = 0;
	drain(w);
	MUST(w->end[0].conn->ndp == w->end[0].conn->window.gss - w->last[1].seq + 1);
	finish(w);
	return true;
}

/* Each packet sent in PARTOPEN starts the timer of 200 ms anew. */
static bool test_partopen_restart(void)
{
	struct world *w = &world;

	MUST(begin_losing(0, 2));
	w->lose = lose_rest;
	run(w, SEC + 2 * DELAY + 100 * MS);
	MUST(!send_one(w, true, 10, NULL));
	run(w, SEC + 2 * DELAY + 300 * MS - 1);
	MUST(w->end[1].sent[FDCCP_PKT_ACK] == 1);
	run(w, SEC + 2 * DELAY + 300 * MS);
	MUST(w->end[1].sent[FDCCP_PKT_ACK] == 2);
	finish(w);
	return true;
}

/* A client that is CLOSING answers no CloseReq, its timer does. */
static bool test_closereq_in_closing(void)
{
	struct world *w = &world;

	MUST(establish(w, 2, 2));
	w->lose = lose_type;
	w->type = FDCCP_PKT_CLOSE;
	w->countdown = 1;
	fdccp_close(w->end[1].conn, w->now);
	drain(w);
	forge_next(w, true, FDCCP_PKT_CLOSEREQ, NULL, 0);
	drain(w);
	MUST(w->end[1].sent[FDCCP_PKT_CLOSE] == 1);
	finish(w);
	return true;
}

/* A client never sends CloseReq. */
static bool test_client_lingers(void)
{
	struct world *w = &world;
	struct fdccp_params client = params_of(2, 2), server = client;

	client.linger = true;
	MUST(begin(w, &client, &server));
	run(w, w->now + 100 * MS);
	fdccp_close(w->end[1].conn, w->now);
	MUST(w->end[1].conn->state == FDCCP_CLOSING);
	run(w, w->now + SEC);
	MUST(closed_in_order());
	finish(w);
	return true;
}

/* The program is told of the end after the Reset was fetched. */
static bool test_closed_last(void)
{
	struct world *w = &world;
	struct fdccp_datagram d;
	struct fdccp_event event;

	MUST(establish(w, 2, 2));
	MUST(!send_one(w, true, 10, NULL));
	fdccp_abort(w->end[1].conn, w->now);
	MUST(fdccp_event(w->end[1].ep, &event) && event.type == FDCCP_EVENT_FATE);
	MUST(!fdccp_event(w->end[1].ep, &event));
	d = out(w);
	MUST(fdccp_transmit(w->end[1].ep, &d, w->now));
	MUST(fdccp_event(w->end[1].ep, &event) && event.type == FDCCP_EVENT_CLOSED);
	finish(w);
	return true;
}

/* Deadline, treatment and slow go with the packet; of these controls, only CCID 3 is slow. */
static bool test_lifetime(void)
{
	static const uint8_t ccids[] = { 2, 3, FDCCP_CCID_IFTP, FDCCP_CCID_IFTPV };
	const struct fdccp_message message = { .deadline = 7 * SEC, .stale = FRESHLINK_DISCARD };
	struct world *w = &world;

	for (size_t i = 0; i < sizeof(ccids); i++) {
		MUST(establish(w, ccids[i], ccids[i]));
		MUST(!send_one(w, true, 10, &message));
		MUST(w->datagram.deadline == 7 * SEC && w->datagram.slow == (ccids[i] == 3));
		MUST(w->datagram.stale == FRESHLINK_DISCARD);
		finish(w);
	}
	return true;
}

/* Return: the deadline of the Close or CloseReq; -1: routers do not forward it when it is stale. */
static int64_t closes_with(struct world *w, int side)
{
	struct fdccp_datagram d = out(w);

	fdccp_close(w->end[side].conn, w->now);
	if (!fdccp_transmit(w->end[side].ep, &d, w->now) || d.stale != FRESHLINK_FORWARD)
		return -1;
	return d.deadline;
}

/* A packet without data has the longest lifetime if the data that was sent before has one. */
static bool test_lifetime_without_data(void)
{
	const struct fdccp_message message = { .deadline = 7 * SEC, .stale = FRESHLINK_DISCARD };
	struct world *w = &world;

	MUST(establish(w, 2, 2));
	MUST(!send_one(w, true, 10, &message));
	MUST(closes_with(w, 0) == FDCCP_NEVER && closes_with(w, 1) == w->now + 65534 * MS);
	finish(w);
	MUST(establish(w, 2, 2));
	MUST(!send_one(w, true, 10, &message) && !send_one(w, true, 10, NULL));
	MUST(closes_with(w, 1) == FDCCP_NEVER);
	finish(w);
	return true;
}

/* Packets are ECN-capable only if both ends are. */
static bool test_ecn_capable(void)
{
	struct world *w = &world;

	for (int i = 0; i < 4; i++) {
		struct fdccp_params client = params_of(2, 2), server = client;

		client.ecn = i & 1;
		server.ecn = i & 2;
		MUST(begin(w, &client, &server));
		run(w, w->now + 100 * MS);
		MUST(both_open() && !send_one(w, true, 10, NULL));
		MUST(w->datagram.ecn == (i == 3 ? 2 : 0));
		finish(w);
	}
	return true;
}

/* Partial coverage is used if the peer accepts it. */
static bool coverage(uint8_t ours, uint8_t accepted, uint8_t result)
{
	struct world *w = &world;
	struct fdccp_params client = params_of(2, 2), server = client;

	client.coverage = ours;
	server.min_coverage = accepted;
	MUST(begin(w, &client, &server));
	run(w, w->now + 100 * MS);
	MUST(both_open() && !send_one(w, true, 100, NULL));
	MUST(w->last[0].coverage == result);
	run(w, w->now + SEC);
	MUST(EVENT(0, DATA) == 1 && w->end[1].fates[FDCCP_FATE_ACKNOWLEDGED] == 1);
	finish(w);
	return true;
}

static bool test_coverage(void)
{
	bool good;

	world_carrier = FDCCP_CARRIER_IP;
	good = coverage(3, 3, 3) && coverage(3, 0, 0) && coverage(0, 3, 0);
	world_carrier = FDCCP_CARRIER_UDP;
	return good;
}

/* Sequence Window follows the window of CCID 2, at both ends alike. */
static bool test_sequence_window(void)
{
	struct world *w = &world;
	struct fdccp_info info;

	MUST(establish(w, 2, 2));
	MUST(send_many(w, true, 1000));
	run(w, w->now + SEC);
	fdccp_info(w->end[1].conn, &info);
	MUST(info.sequence_window >= 5 * info.cwnd && info.sequence_window > 200);
	MUST(w->end[0].conn->window.remote == info.sequence_window);
	MUST(w->end[1].fates[FDCCP_FATE_ACKNOWLEDGED] == 1000);
	finish(w);
	return true;
}

/* CCID 2 without Ack Vectors does not work: Reset 5. */
static bool test_no_vectors(void)
{
	static const uint8_t options[] = {
		35, 5, 1, 2, 2, 33, 5, 1, 2, 2,		/* CCID 2 both ways */
		33, 5, 6, 0, 0,				/* Send Ack Vector is refused */
		0,
	};
	struct world *w = &world;
	struct fdccp_packet p = { .type = FDCCP_PKT_RESPONSE, .seq = 9, .options = options,
		.options_len = sizeof(options) };
	struct fdccp_params params;

	fdccp_params_init(&params);
	MUST(begin(w, &params, &params));
	w->lose = lose_rest;
	drain(w);
	w->lose = NULL;
	p.ack = w->last[0].seq;
	forge(w, true, &p, 0);
	run(w, w->now + 3 * DELAY);
	MUST(EVENT(1, CLOSED) == 1 && w->end[1].closed.reason == FDCCP_REASON_ERROR);
	MUST(w->end[1].closed.reset == FDCCP_RESET_OPTION_ERROR);
	finish(w);
	return true;
}

/* The CCID can change at any time; the report of the old one in the same packet is ignored. */
static bool test_ccid_changes(void)
{
	static const uint8_t options[] = {
		192, 6, 0xff, 0xff, 0xff, 0xff, 34, 4, 1, 2, 0, 0,
	};
	struct world *w = &world;
	struct fdccp_params client = params_of(3, 2), server = params_of(2, 3);

	client.ccids[1] = 2;
	MUST(begin(w, &client, &server));
	run(w, w->now + 100 * MS);
	MUST(both_open() && send_many(w, true, 5));
	run(w, w->now + SEC);
	MUST(w->end[1].conn->tx_ccid == &fdccp_ccid3);
	forge_next(w, true, FDCCP_PKT_ACK, options, sizeof(options));
	MUST(w->end[1].conn->tx_ccid == &fdccp_ccid2 && !w->end[1].conn->tx);
	MUST(!send_one(w, true, 10, NULL) && w->end[1].conn->tx);
	finish(w);
	return true;
}

/* A program that waits hears READY when the peer changes the CCID, whose sending half starts anew
 * with the next packet.
 */
static bool test_ccid_ready(void)
{
	static const uint8_t options[] = { 34, 4, 1, 2 };
	struct world *w = &world;
	struct fdccp_params client = params_of(3, 2), server = params_of(2, 3);

	client.ccids[1] = 2;
	MUST(begin(w, &client, &server));
	run(w, w->now + 100 * MS);
	MUST(both_open());
	w->lose = lose_rest;
	while (!send_one(w, true, 10, NULL))
		;
	w->lose = NULL;
	MUST(w->end[1].conn->want_ready && !EVENT(1, READY));
	forge_next(w, true, FDCCP_PKT_ACK, options, sizeof(options));
	MUST(!w->end[1].conn->tx);
	drain(w);
	MUST(EVENT(1, READY) == 1 && !send_one(w, true, 10, NULL));
	finish(w);
	return true;
}

/* An end may have no more memory than it has. */
static void fill_memory(struct world *w, bool client)
{
	w->end[client].ep->config.limits.memory = w->end[client].ep->memory;
}

/* A server that the limit of memory hinders to complete the handshake sends Reset 2 and nothing
 * else; its program does not hear of the connection.
 */
static bool test_limit_accept(void)
{
	struct world *w = &world;

	MUST(begin_losing(FDCCP_PKT_ACK, 0));
	run(w, w->now + DELAY);
	MUST(w->end[0].sent[FDCCP_PKT_RESPONSE] == 1);
	fill_memory(w, false);
	run(w, w->now + 5 * SEC);
	MUST(!EVENT(0, ACCEPTED) && !EVENT(0, CLOSED) && !w->end[0].sent[FDCCP_PKT_ACK]);
	MUST(w->end[0].sent[FDCCP_PKT_RESET] == 1 && w->last[1].reset_code == FDCCP_RESET_ABORTED);
	MUST(!w->end[0].ep->by_flow.count);
	finish(w);
	return true;
}

/* A program that the limit of memory hinders to send is told so, and the connection ends. */
static bool test_limit_send(void)
{
	struct world *w = &world;

	MUST(establish(w, 2, 2));
	fill_memory(w, true);
	MUST(send_one(w, true, 10, NULL) == -ENOMEM);
	run(w, w->now + SEC);
	MUST(EVENT(1, CLOSED) == 1 && !EVENT(1, FATE) && !w->end[1].info.sent);
	MUST(w->end[1].closed.reason == FDCCP_REASON_ABORTED && EVENT(0, CLOSED) == 1);
	finish(w);
	return true;
}

/* Packets whose options the limit of memory does not allow end the connection for good: a CloseReq
 * gets Reset 2 and no Close, a Reset gets nothing.
 */
static bool limit_options(uint8_t type, unsigned int resets)
{
	static const uint8_t options[] = { 32, 4, 1, 3 };
	struct world *w = &world;
	struct fdccp_params client = params_of(2, 2), server = params_of(2, 2);

	client.peer_ccids[1] = 3;
	MUST(begin(w, &client, &server));
	run(w, w->now + 100 * MS);
	MUST(both_open());
	fill_memory(w, true);
	forge_next(w, true, type, options, sizeof(options));
	MUST(w->end[1].conn->rx_ccid == &fdccp_ccid3);
	run(w, w->now + SEC);
	MUST(EVENT(1, CLOSED) == 1 && !w->end[1].sent[FDCCP_PKT_CLOSE]);
	MUST(w->end[1].sent[FDCCP_PKT_RESET] == resets);
	MUST(w->end[1].closed.reason == FDCCP_REASON_ABORTED);
	finish(w);
	return true;
}

static bool test_limit_options(void)
{
	return limit_options(FDCCP_PKT_CLOSEREQ, 1) && limit_options(FDCCP_PKT_RESET, 0);
}

/* A client whose NAT gave it another port is found again: the server's Sync has a Challenge, the
 * SyncAck the answer, and the path's state starts anew. A wrong answer moves nothing.
 */
static bool test_move(void)
{
	static const uint8_t wrong[] = { 123, 10, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0 };
	struct world *w = &world;
	unsigned int before;
	uint8_t len;

	MUST(establish(w, 2, 2));
	MUST(send_many(w, true, 20) && send_many(w, false, 20));
	run(w, w->now + SEC);
	world_port = 41000;
	MUST(!send_one(w, true, 100, NULL));
	w->now += DELAY;
	arrive(w);
	drain(w);
	MUST(counter(w, false, FDCCP_COUNT_challenged) == 1 && EVENT(0, DATA) == 20);
	MUST(w->last[1].type == FDCCP_PKT_SYNC && w->last[1].ack == w->last[0].seq);
	MUST(option_of(&w->last[1], FDCCP_OPT_CHALLENGE, &len) && len == 8);
	w->first++;
	forge_next(w, false, FDCCP_PKT_SYNCACK, wrong, sizeof(wrong));
	MUST(counter(w, false, FDCCP_COUNT_moves_refused) == 1);
	MUST(counter(w, false, FDCCP_COUNT_moves) == 0);
	run(w, w->now + SEC);
	MUST(!send_one(w, true, 100, NULL));
	run(w, w->now + SEC);
	MUST(counter(w, false, FDCCP_COUNT_moves) == 1 && EVENT(0, MOVED) == 1);
	MUST(w->end[0].conn->path.remote.in.sin_port == htons(41000));
	before = EVENT(0, DATA);
	MUST(send_many(w, true, 10) && send_many(w, false, 10));
	run(w, w->now + SEC);
	MUST(EVENT(0, DATA) == before + 10 && EVENT(1, DATA) == 30);
	finish(w);
	return true;
}

/* After a silence the Sync of a client that lost more than a window on the way is challenged when
 * it comes from a new port.
 */
static bool move_beyond_window(void)
{
	struct world *w = &world;
	struct fdccp_packet sync = { .type = FDCCP_PKT_SYNC };

	MUST(establish(w, 2, 2));
	MUST(send_many(w, true, 20) && send_many(w, false, 20));
	run(w, w->now + SEC);
	sync.seq = fdccp_seq_add(w->end[1].conn->window.gss, 100000);
	sync.ack = w->end[1].conn->window.gsr;
	world_port = 41000;
	w->now += 10 * SEC;
	forge(w, false, &sync, 0);
	w->now += DELAY;
	arrive(w);
	MUST(counter(w, false, FDCCP_COUNT_challenged) == 1);
	finish(w);
	return true;
}

static bool test_moves(void)
{
	bool good = test_move();

	world_port = 40000;
	good = move_beyond_window() && good;
	world_port = 40000;
	return good;
}

/* Slow Receiver is said while it lasts. */
static bool test_slow_receiver(void)
{
	struct world *w = &world;
	uint8_t len;

	MUST(establish(w, 2, 2));
	fdccp_slow_receiver(w->end[0].conn, true);
	drain(w);
	MUST(w->last[1].type == FDCCP_PKT_ACK);
	MUST(option_of(&w->last[1], FDCCP_OPT_SLOW_RECEIVER, &len));
	fdccp_slow_receiver(w->end[0].conn, false);
	drain(w);
	MUST(w->last[1].type == FDCCP_PKT_ACK);
	MUST(!option_of(&w->last[1], FDCCP_OPT_SLOW_RECEIVER, &len));
	finish(w);
	return true;
}

/* A Timestamp is echoed once, with the time that has passed since. */
static bool test_timestamp(void)
{
	static const uint8_t options[] = { 41, 6, 1, 2, 3, 4, 0, 0 };
	struct world *w = &world;
	const uint8_t *value;
	uint8_t len;

	MUST(establish(w, 2, 2));
	forge_next(w, false, FDCCP_PKT_DATA, options, sizeof(options));
	run(w, w->now + SEC);
	value = option_of(&w->last[1], FDCCP_OPT_TIMESTAMP_ECHO, &len);
	MUST(w->last[1].type == FDCCP_PKT_ACK && value && len == 6);
	MUST(fdccp_get_number(value, 4) == 0x01020304);
	/* the delayed acknowledgment of CCID 2, in units of 10 us */
	MUST(fdccp_get_number(value + 4, 2) == 20000);
	fdccp_slow_receiver(w->end[0].conn, true);
	drain(w);
	MUST(!option_of(&w->last[1], FDCCP_OPT_TIMESTAMP_ECHO, &len));
	finish(w);
	return true;
}

static const struct unit tests[] = {
	{ "CCID 2 both ways: open, transfer, close", test_transfer_22 },
	{ "CCID 3 both ways: open, transfer, close", test_transfer_33 },
	{ "CCID 2 there and 3 back: open, transfer, close", test_transfer_23 },
	{ "CCID 3 there and 2 back: open, transfer, close", test_transfer_32 },
	{ "a lost Request comes again after 1, 2 and 4 s", test_lost_request },
	{ "without an answer the client gives up after 3 min", test_no_server },
	{ "a lost Response comes again with the next Request", test_lost_response },
	{ "a Response to an early Request has the Changes again", test_early_request },
	{ "RESPOND ends after 8 min", test_respond_ends },
	{ "a lost Ack of PARTOPEN comes again after 200 and 400 ms", test_partopen_timer },
	{ "PARTOPEN ends after 8 min", test_partopen_ends },
	{ "data in PARTOPEN travels in DataAcks", test_partopen_data },
	{ "the handshake with a server that is not ours", test_foreign_server },
	{ "the handshake with a client that has no preference", test_foreign_client },
	{ "CCID 2 waits until Ack Vectors are confirmed", test_unconfirmed_vectors },
	{ "a Sync does not end PARTOPEN", test_partopen_sync },
	{ "a lost Close comes again after 2 round trips", test_lost_close },
	{ "a lost Reset does no harm", test_lost_reset },
	{ "CLOSING ends after 3 min", test_close_gives_up },
	{ "the server closes, with and without TIMEWAIT", test_server_closes },
	{ "both ends close at once", test_both_close },
	{ "abort is Reset 2", test_abort },
	{ "wrong packets in REQUEST get Reset 4", test_request_packets },
	{ "wrong packets in OPEN get a Sync", test_unexpected_types },
	{ "Data in RESPOND gets a Sync", test_data_in_respond },
	{ "Sync and SyncAck after a loss beyond the window", test_resynchronize },
	{ "at most 8 Syncs a second", test_sync_limit },
	{ "a Reset with a wrong number gets a Sync", test_invalid_reset },
	{ "the second Reset has the code of the first", test_second_reset },
	{ "a duplicate is not delivered", test_duplicate },
	{ "wrong options get Resets 5 and 6", test_option_errors },
	{ "options that Data packets must not have are ignored", test_data_options },
	{ "a Reset is never answered by a Reset", test_reset_options },
	{ "no such port or service: Resets 7 and 8", test_refused },
	{ "no common CCID: Reset 6", test_no_common_ccid },
	{ "an ECN mark is reported", test_marked },
	{ "a packet cut to its headers is reported", test_cut },
	{ "cut packets are no losses to CCID 3, and no bytes received", test_cut_rate },
	{ "damaged data is reported", test_damaged },
	{ "what the program drops is reported", test_report_dropped },
	{ "what is dropped before Ack Vectors are agreed is reported",
	  test_drop_without_vectors },
	{ "data comes before fates", test_data_before_fates },
	{ "keepalive, and a peer that is gone", test_keepalive },
	{ "how long a silent peer is waited for", test_silence },
	{ "how long without a connection", test_silence_without_connection },
	{ "a keepalive that seldom asks", test_seldom_keepalive },
	{ "the keepalive of a listening port", test_listener_keepalive },
	{ "the range of keepalive", test_keepalive_range },
	{ "probes that cannot be made, or are the largest", test_probe_limits },
	{ "ICMP during the handshake", test_icmp_handshake },
	{ "ICMP about packets in flight", test_icmp_open },
	{ "a message of a link counts once", test_messages_once },
	{ "messages of links without causes", test_messages_off },
	{ "a hundred messages of links a second", test_messages_limited },
	{ "a handshake with an Init Cookie", test_cookie },
	{ "ICMP says that a packet was too big", test_icmp_too_big },
	{ "a late packet keeps its fate", test_late },
	{ "a late packet after a timeout is acknowledged", test_late_after_timeout },
	{ "no room for packets, and a silent peer", test_full_ring },
	{ "an acknowledgment number alone is no fate", test_number_alone },
	{ "a report of CCID 3 without an Ack Vector", test_report_alone },
	{ "a SyncAck acknowledges its Sync", test_syncack },
	{ "packets in TIMEWAIT get Reset 3", test_timewait },
	{ "NDP Count", test_ndp },
	{ "a packet in PARTOPEN starts its timer anew", test_partopen_restart },
	{ "CloseReq in CLOSING is not answered", test_closereq_in_closing },
	{ "a client never sends CloseReq", test_client_lingers },
	{ "the event CLOSED comes last", test_closed_last },
	{ "deadline, treatment and slow", test_lifetime },
	{ "the lifetime of packets without data", test_lifetime_without_data },
	{ "ECN needs both ends", test_ecn_capable },
	{ "partial Checksum Coverage needs the peer", test_coverage },
	{ "Sequence Window follows the rate", test_sequence_window },
	{ "CCID 2 without Ack Vectors: Reset 5", test_no_vectors },
	{ "the CCID changes while the connection is open", test_ccid_changes },
	{ "the CCID changes while the program waits", test_ccid_ready },
	{ "the limit of memory ends a handshake", test_limit_accept },
	{ "the limit of memory ends a connection that sends", test_limit_send },
	{ "options that the limit of memory does not allow", test_limit_options },
	{ "a new port of the client's NAT", test_moves },
	{ "Slow Receiver", test_slow_receiver },
	{ "Timestamp Echo", test_timestamp },
	{ "an idle connection takes at most 4 KiB", test_memory },
	{ "packets sent are the sum of fates and those in flight", test_sums },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0]));
}
