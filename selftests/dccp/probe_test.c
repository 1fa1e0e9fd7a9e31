// SPDX-License-Identifier: GPL-2.0-or-later
/* Probes of what the path does with lifetimes: Syncs and their answers. Prints TAP. */
#include "../codec/unit.h"
#include "conn_world.h"

#include <netinet/ip_icmp.h>

#define LEN	100	/* bytes after the header */
#define STALE	INT64_C(0)

/* What the client was told of its last probe. */
static const struct fdccp_event *probed(const struct world *w)
{
	return &w->end[1].probed;
}

/* How often it was told of one. */
static unsigned int told(const struct world *w)
{
	return w->end[1].events[FDCCP_EVENT_PROBED];
}

/* Connects a client that probes. Return: whether its connection is open. */
static bool open_probe(struct world *w)
{
	const uint32_t service = SERVICE;
	struct fdccp_config config = { .carrier = world_carrier, .random = fill_random,
		.context = w };
	struct fdccp_path path = path_of(true);
	struct fdccp_params params;

	memset(w, 0, sizeof(*w));
	w->now = SEC;
	w->end[0].ep = fdccp_endpoint_new(&config, w->now);
	w->end[1].ep = fdccp_endpoint_new(&config, w->now);
	fdccp_params_init(&params);
	if (fdccp_listen(w->end[0].ep, PORT, &service, 1, &params) ||
	    fdccp_connect(w->end[1].ep, &path, PORT, FDCCP_SERVICE_PROBE, &params, w->now,
			  &w->end[1].conn))
		return false;
	run(w, w->now + 100 * MS);
	return w->end[1].conn && w->end[1].conn->state == FDCCP_OPEN;
}

/* Sends a probe. Return: as fdccp_probe() */
static int send_probe(struct world *w, int64_t deadline, size_t len, uint64_t *seq)
{
	const struct fdccp_probe probe = { .deadline = deadline, .stale = FRESHLINK_TRUNCATE,
		.len = len };
	struct fdccp_datagram d = out(w);
	int err = fdccp_probe(w->end[1].conn, &probe, w->now, &d, seq);

	w->datagram = d;
	if (!err)
		put(w, false, d.data, d.len, d.ecn);
	return err;
}

/* Hands the last probe to the server, as a router has left it. */
static void deliver_probe(struct world *w, bool stamped, size_t cut)
{
	struct fdccp_datagram d = { .path = path_of(false), .data = w->datagram.data,
		.len = w->datagram.len - cut, .stamped = stamped };

	fdccp_receive(w->end[0].ep, &d, w->now);
	run(w, w->now + 2 * DELAY);
}

static bool lose_syncs(struct world *w, bool to_client, struct flight *f,
		       const struct fdccp_packet *p)
{
	(void)w;
	(void)f;
	return !to_client && p->type == FDCCP_PKT_SYNC;
}

/* What the server sends after the handshake, but for answers. */
static bool lose_acks(struct world *w, bool to_client, struct flight *f,
		      const struct fdccp_packet *p)
{
	(void)w;
	(void)f;
	return to_client && p->type == FDCCP_PKT_ACK;
}

/* A probe is a Sync that asks by the option Arrived, with its lifetime and treatment. Its SyncAck
 * tells how many bytes arrived, and whether the lifetime option did.
 */
static bool test_told(void)
{
	struct world *w = &world;
	uint64_t seq;
	uint8_t len = 1;

	MUST(open_probe(w));
	w->lose = lose_syncs;
	for (int stamped = 0; stamped < 2; stamped++) {
		MUST(send_probe(w, STALE, LEN, &seq) == 0);
		MUST(w->last[0].type == FDCCP_PKT_SYNC && w->last[0].seq == seq);
		MUST(option_of(&w->last[0], FDCCP_OPT_ARRIVED, &len) && len == 0);
		MUST(w->datagram.deadline == STALE && w->datagram.stale == FRESHLINK_TRUNCATE);
		MUST(w->datagram.conn == w->end[1].conn);
		deliver_probe(w, stamped, 0);
		MUST(told(w) == (unsigned int)stamped + 1 && probed(w)->seq == seq && probed(w)->told);
		MUST(probed(w)->fate == FDCCP_FATE_ACKNOWLEDGED);
		MUST(probed(w)->len == LEN && probed(w)->stamped == stamped);
		MUST(w->last[1].type == FDCCP_PKT_SYNCACK && w->last[1].ack == seq);
	}
	finish(w);
	return true;
}

/* Of a probe that was cut, the SyncAck tells the bytes that are left. */
static bool test_cut(void)
{
	struct world *w = &world;
	uint64_t seq;

	MUST(open_probe(w));
	w->lose = lose_syncs;
	MUST(send_probe(w, STALE, LEN, &seq) == 0);
	deliver_probe(w, true, LEN - 7);
	MUST(told(w) == 1 && probed(w)->seq == seq && probed(w)->told);
	MUST(probed(w)->len == 7 && probed(w)->stamped);
	finish(w);
	return true;
}

/* A probe that is lost has no event, and 64 probes in a row are all answered. */
static bool test_many(void)
{
	struct world *w = &world;
	uint64_t seq;

	MUST(open_probe(w));
	w->lose = lose_syncs;
	MUST(send_probe(w, FDCCP_NEVER, LEN, &seq) == 0);
	run(w, w->now + SEC);
	MUST(told(w) == 0);
	w->lose = NULL;
	for (unsigned int i = 0; i < 64; i++) {
		MUST(send_probe(w, FDCCP_NEVER, LEN, &seq) == 0);
		MUST(w->datagram.deadline == FDCCP_NEVER);
		run(w, w->now + MS);
	}
	run(w, w->now + 3 * DELAY);
	MUST(told(w) == 64 && probed(w)->seq == seq);
	finish(w);
	return true;
}

/* A SyncAck without the option, or with one of a wrong length, tells nothing but that it came. */
static bool test_untold(void)
{
	static const uint8_t wrong[] = { FDCCP_OPT_ARRIVED, 4, 1, 7 };
	struct world *w = &world;
	uint64_t seq;

	MUST(open_probe(w));
	w->lose = lose_syncs;
	for (unsigned int i = 0; i < 2; i++) {
		struct fdccp_packet p = { .type = FDCCP_PKT_SYNCACK, .options = wrong,
			.options_len = i ? sizeof(wrong) : 0 };

		MUST(send_probe(w, STALE, LEN, &seq) == 0);
		p.seq = fdccp_seq_add(w->end[1].conn->window.gsr, 1);
		p.ack = seq;
		forge(w, true, &p, 0);
		run(w, w->now + 2 * DELAY);
		MUST(told(w) == i + 1 && probed(w)->seq == seq && !probed(w)->told);
		MUST(!probed(w)->len && !probed(w)->stamped);
	}
	finish(w);
	return true;
}

/* A Sync that does not ask is answered without the option, also after one that has asked. A program
 * that does not probe is not told of SyncAcks.
 */
static bool test_unasked(void)
{
	struct world *w = &world;
	uint64_t seq;
	uint8_t len;

	for (int probes = 0; probes < 2; probes++) {
		MUST(open_probe(w));
		if (probes)
			MUST(send_probe(w, STALE, LEN, &seq) == 0);
		run(w, w->now + 3 * DELAY);
		fdccp_conn_sync(w->end[1].conn, w->end[1].conn->window.gsr);
		fdccp_endpoint_update(w->end[1].ep, w->end[1].conn);
		run(w, w->now + 3 * DELAY);
		MUST(w->last[1].type == FDCCP_PKT_SYNCACK);
		MUST(!option_of(&w->last[1], FDCCP_OPT_ARRIVED, &len));
		/* the program knows by the number that the second one is no probe's */
		MUST(told(w) == 2 * (unsigned int)probes);
		MUST(!probes || probed(w)->seq == fdccp_seq_add(seq, 1));
		finish(w);
	}
	return true;
}

static void send_icmp(struct world *w, bool local)
{
	const struct fdccp_icmp icmp = {
		.path = path_of(true), .family = AF_INET, .type = local ? 0 : 253,
		.code = local ? 0 : 2, .quoted = w->datagram.data, .quoted_len = 24,
		.local = local,
	};

	fdccp_icmp(w->end[1].ep, &icmp, w->now);
	run(w, w->now + MS);
}

/* A queue of this host is told apart from a router, and both from a probe that was lost. */
static bool test_gone(void)
{
	struct world *w = &world;
	uint64_t seq;

	MUST(open_probe(w));
	w->lose = lose_syncs;
	MUST(send_probe(w, STALE, LEN, &seq) == 0);
	send_icmp(w, true);
	MUST(told(w) == 1 && probed(w)->seq == seq && !probed(w)->told);
	MUST(probed(w)->fate == FDCCP_FATE_EXPIRED);
	MUST(send_probe(w, STALE, LEN, &seq) == 0);
	send_icmp(w, false);
	MUST(told(w) == 2 && probed(w)->seq == seq && probed(w)->fate == FDCCP_FATE_DISCARDED);
	/* once a later one was answered, nobody is believed */
	w->lose = NULL;
	MUST(send_probe(w, FDCCP_NEVER, LEN, &seq) == 0);
	run(w, w->now + 3 * DELAY);
	MUST(told(w) == 3 && probed(w)->seq == seq && probed(w)->fate == FDCCP_FATE_ACKNOWLEDGED);
	send_icmp(w, false);
	MUST(told(w) == 3);
	finish(w);
	return true;
}

/* A server's program is told nothing of a client that probes. The client's data is not received,
 * and its connection is gone after half a minute of silence.
 */
static bool test_hidden(void)
{
	struct world *w = &world;
	struct fdccp_info info;
	uint64_t seq;

	MUST(open_probe(w));
	MUST(send_one(w, true, 1000, NULL) == 0);
	MUST(send_probe(w, FDCCP_NEVER, LEN, &seq) == 0);
	run(w, w->now + SEC);
	fdccp_info(w->end[1].conn, &info);
	MUST(info.fate[FDCCP_FATE_DROPPED] == 1);
	MUST(told(w) == 1);
	/* the client is gone, and the server asks in vain */
	w->lose = lose_rest;
	w->countdown = 0;
	run(w, w->now + 35 * SEC);
	for (int type = 0; type <= FDCCP_EVENT_CLOSED; type++)
		MUST(!w->end[0].events[type]);
	MUST(w->end[0].sent[FDCCP_PKT_RESET] == 1);
	finish(w);
	return true;
}

/* What cannot be sent is refused, and nobody listens for probes as for a service. */
static bool test_refused(void)
{
	const uint32_t service = FDCCP_SERVICE_PROBE;
	struct world *w = &world;
	struct fdccp_params params;
	uint64_t seq;
	size_t max;

	fdccp_params_init(&params);
	MUST(open_probe(w));
	MUST(fdccp_listen(w->end[0].ep, PORT + 1, &service, 1, &params) == -EINVAL);
	max = fdccp_payload_max(w->end[1].conn);
	MUST(send_probe(w, STALE, max, &seq) == 0);
	MUST(send_probe(w, STALE, max + 1, &seq) == -EMSGSIZE);
	fdccp_close(w->end[1].conn, w->now);
	MUST(send_probe(w, STALE, LEN, &seq) == -ENOTCONN);
	finish(w);
	MUST(begin(w, &params, &params));
	MUST(send_probe(w, STALE, LEN, &seq) == -ENOTCONN);
	finish(w);
	return true;
}

/* A client whose server is silent after the handshake sends probes in PARTOPEN, and the answer ends
 * that.
 */
static bool test_partopen(void)
{
	struct world *w = &world;
	struct fdccp_params params;
	uint64_t seq;

	fdccp_params_init(&params);
	MUST(begin(w, &params, &params));
	w->lose = lose_acks;
	run(w, w->now + 50 * MS);
	MUST(w->end[1].conn->state == FDCCP_PARTOPEN);
	MUST(send_probe(w, FDCCP_NEVER, LEN, &seq) == 0);
	run(w, w->now + 3 * DELAY);
	MUST(told(w) == 1 && probed(w)->seq == seq && probed(w)->told);
	MUST(w->end[1].conn->state == FDCCP_OPEN);
	finish(w);
	return true;
}

static const struct unit tests[] = {
	{ "the answer tells how a probe arrived", test_told },
	{ "a probe that was cut", test_cut },
	{ "a lost probe, and 64 answers", test_many },
	{ "answers that tell nothing", test_untold },
	{ "Syncs that are no probes", test_unasked },
	{ "a probe that is gone, here or on the way", test_gone },
	{ "the server's program is told nothing", test_hidden },
	{ "what is refused", test_refused },
	{ "a probe in PARTOPEN", test_partopen },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
