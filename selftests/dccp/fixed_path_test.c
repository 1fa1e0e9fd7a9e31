// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CCID 254 between two endpoints: when it is agreed on, that it keeps its rate, and how its circuit
 * breaker ends the connection. Prints TAP.
 */
#include "../codec/unit.h"

#include "conn_world.h"
#include "wire.h"

#define RATE	1000000		/* bytes a second */
#define SIZE	1000		/* a packet in 1 ms */

static struct world *w = &world;
static unsigned int loss;	/* of data packets, in thousandths */
static unsigned int ack_loss;	/* of the other direction */
static uint64_t draws;
static size_t longest;		/* Ack Vector */

static struct fdccp_params fixed_first(uint64_t rate)
{
	struct fdccp_params params = params_of(FDCCP_CCID_FIXED, FDCCP_CCID_FIXED);

	params.ccids[1] = params.peer_ccids[1] = FDCCP_CCID2;
	params.fixed_rate = rate;
	return params;
}

/* Loses packets by @loss and @ack_loss, the same in each run. */
static bool lose_shares(struct world *all, bool to_client, struct flight *f,
			const struct fdccp_packet *p)
{
	(void)all;
	(void)f;
	(void)p;
	draws = draws * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (draws >> 33) % 1000 < (to_client ? ack_loss : loss);
}

static bool start(uint64_t rate)
{
	struct fdccp_params params = fixed_first(rate);

	MUST(begin(w, &params, &params));
	run(w, w->now + 100 * MS);
	MUST(w->end[0].conn && w->end[1].conn->tx_ccid == &fdccp_ccid_fixed);
	forget_sent(w);
	loss = ack_loss = 0;
	draws = 1;
	w->lose = lose_shares;
	return true;
}

static struct fdccp_info info(void)
{
	struct fdccp_info i = w->end[1].info;

	if (w->end[1].conn)
		fdccp_info(w->end[1].conn, &i);
	return i;
}

/* Sends all that may be sent, looking each half of a millisecond, as long as the connection lives.
 * Return: how long that was.
 */
static int64_t stream(int64_t time)
{
	int64_t from = w->now;

	while (w->end[1].conn && w->now < from + time) {
		while (!send_one(w, true, SIZE, NULL))
			;
		run(w, w->now + MS / 2);
	}
	return w->now - from;
}

static bool is_agreed(const struct fdccp_params *client, const struct fdccp_params *server,
		      uint8_t ccid)
{
	MUST(begin(w, client, server));
	run(w, w->now + 100 * MS);
	MUST(w->end[0].conn && w->end[1].conn);
	MUST(info().ccid == ccid && info().peer_ccid == ccid && info().ack_vector);
	finish(w);
	return true;
}

/* Both ends have to list the CCID; none does by default. */
static bool negotiated(void)
{
	struct fdccp_params fixed = fixed_first(RATE), common;

	fdccp_params_init(&common);
	for (int i = 0; i < 4; i++)
		MUST(common.ccids[i] != FDCCP_CCID_FIXED &&
		     common.peer_ccids[i] != FDCCP_CCID_FIXED);
	MUST(is_agreed(&fixed, &fixed, FDCCP_CCID_FIXED));
	MUST(is_agreed(&fixed, &common, FDCCP_CCID2));
	MUST(is_agreed(&common, &fixed, FDCCP_CCID2));
	return true;
}

/* Who lists it for its own packets has to say the rate. */
static bool needs_rate(void)
{
	struct fdccp_params params = fixed_first(0), good = fixed_first(RATE);
	struct fdccp_path path = path_of(true);
	const uint32_t service = SERVICE;
	struct fdccp_conn *conn;

	MUST(begin(w, &good, &good));
	MUST(fdccp_listen(w->end[0].ep, PORT + 1, &service, 1, &params) == -EINVAL);
	MUST(fdccp_connect(w->end[1].ep, &path, PORT, SERVICE, &params, w->now, &conn) == -EINVAL);
	params.ccids[0] = FDCCP_CCID3;
	MUST(!fdccp_listen(w->end[0].ep, PORT + 1, &service, 1, &params));
	finish(w);
	return true;
}

/* Makes padding of each option about the feature Freshlink. */
static bool hide_freshlink(struct world *all, bool to_client, struct flight *f,
			   const struct fdccp_packet *p)
{
	struct fdccp_option_walk walk = { p->options, p->options + p->options_len };
	struct fdccp_option option;

	(void)all;
	(void)to_client;
	while (fdccp_option_next(&walk, &option) == 1)
		if (option.type >= FDCCP_OPT_CHANGE_L && option.type <= FDCCP_OPT_CONFIRM_R &&
		    option.value[0] == FDCCP_FEAT_FRESHLINK)
			memset(f->data + (option.value - 2 - f->data), 0, option.len + 2u);
	return false;
}

/* Another end could mean something else by a number for experiments: the connection fails. */
static bool only_ours(void)
{
	struct fdccp_params params = fixed_first(RATE);

	MUST(begin(w, &params, &params));
	w->lose = hide_freshlink;
	run(w, w->now + SEC);
	MUST(!w->end[1].conn && !w->end[0].conn);
	MUST(w->end[1].closed.reason == FDCCP_REASON_ERROR);
	MUST(w->end[1].closed.reset == FDCCP_RESET_OPTION_ERROR);
	finish(w);
	return true;
}

/* Without losses, fates come two round-trip times after the packet at the latest, by few
 * acknowledgments. Packets are not ECN-capable, because marks would change nothing.
 */
static bool feedback(void)
{
	MUST(start(RATE));
	stream(2 * SEC);
	MUST(info().in_flight <= 2 * (2 * DELAY / MS) + 2);
	MUST(w->end[0].sent[FDCCP_PKT_ACK] < info().sent / 16);
	run(w, w->now + MS);
	MUST(!send_one(w, true, SIZE, NULL) && !w->datagram.ecn && w->datagram.slow);
	for (uint64_t i = w->first; i < w->next; i++)
		MUST(w->flight[i % FLIGHTS].to_client || !w->flight[i % FLIGHTS].ecn);
	MUST(info().rate == RATE && info().rtt >= 2 * DELAY && info().rtt < 2 * DELAY + MS);
	finish(w);
	return true;
}

/* A fifth of the packets is lost: not one packet is held back. */
static bool steady(void)
{
	MUST(start(RATE));
	loss = 200;
	stream(20 * SEC);
	printf("# %llu sent, %llu lost\n", (unsigned long long)info().sent,
	       (unsigned long long)info().fate[FDCCP_FATE_LOST]);
	MUST(info().sent >= 20000 && info().sent <= 20002);
	MUST(info().fate[FDCCP_FATE_LOST] > 3800 && info().fate[FDCCP_FATE_LOST] < 4200);
	run(w, w->now + SEC);
	MUST(sums_up(&w->end[1].info) && info().in_flight < 10);
	finish(w);
	return true;
}

/* Nothing arrives for 10 s, of the data or in both directions: then the connection goes on at its
 * rate. What was lost becomes known after the outage.
 */
static bool outage(uint64_t rate, int64_t phase, unsigned int feedback_loss)
{
	uint64_t sent;
	unsigned int arrived;

	MUST(start(rate));
	stream(SEC + phase);
	loss = 1000;
	ack_loss = feedback_loss;
	MUST(stream(10 * SEC) == 10 * SEC);
	loss = ack_loss = 0;
	stream(SEC);
	sent = info().sent;
	arrived = w->end[0].events[FDCCP_EVENT_DATA];
	MUST(stream(SEC) == SEC);
	printf("# after the outage %llu of %llu packets arrived\n",
	       (unsigned long long)(w->end[0].events[FDCCP_EVENT_DATA] - arrived),
	       (unsigned long long)(info().sent - sent));
	MUST(info().sent - sent >= rate / SIZE - 1);
	MUST(w->end[0].events[FDCCP_EVENT_DATA] - arrived >= info().sent - sent - 1);
	run(w, w->now + SEC);
	MUST(info().in_flight < 10 && sums_up(&w->end[1].info));
	finish(w);
	return true;
}

/* The fast one fills the ring of packets in flight. */
static bool outages(void)
{
	for (int64_t phase = 0; phase < SEC; phase += 90 * MS)
		MUST(outage(RATE, phase, 0) && outage(RATE, phase, 1000));
	return outage(8 * RATE, 0, 0);
}

/* Sends until the circuit breaker trips, 10 to 12 s after the losses began. */
static bool trips(uint64_t rate, unsigned int data_loss, unsigned int feedback_loss)
{
	int64_t time;

	MUST(start(rate));
	stream(SEC + SEC / 3);
	loss = data_loss;
	ack_loss = feedback_loss;
	time = stream(60 * SEC);
	printf("# %u and %u thousandths lost: ended after %.2f s\n", data_loss, feedback_loss,
	       time / 1e9);
	MUST(time > 10 * SEC && time <= 12 * SEC && !w->end[1].conn);
	MUST(w->end[1].closed.reason == FDCCP_REASON_CIRCUIT_BREAKER);
	MUST(w->end[1].closed.reset == FDCCP_RESET_ABORTED);
	MUST(w->end[1].sent[FDCCP_PKT_RESET] == 1 && sums_up(&w->end[1].info));
	MUST(!w->end[1].info.in_flight);
	run(w, w->now + SEC);
	if (!data_loss) {
		MUST(w->end[0].closed.reason == FDCCP_REASON_RESET);
		MUST(w->end[0].closed.reset == FDCCP_RESET_ABORTED);
	}
	finish(w);
	return true;
}

static bool breaker(void)
{
	MUST(trips(RATE, 1000, 0));
	MUST(trips(8 * RATE, 1000, 0));
	MUST(trips(RATE, 0, 1000));
	return trips(RATE, 600, 0);
}

/* 40 % of the packets lost for a minute is a bad path, but not a broken one. */
static bool bad_path(void)
{
	MUST(start(RATE));
	loss = 400;
	ack_loss = 330;
	MUST(stream(60 * SEC) == 60 * SEC);
	finish(w);
	return true;
}

/* Loses all that comes from the server, but for what is forged. */
static bool lose_real(struct world *all, bool to_client, struct flight *f,
		      const struct fdccp_packet *p)
{
	(void)all;
	(void)f;
	return to_client && (p->type != FDCCP_PKT_ACK || p->options_len);
}

/* A peer that acknowledges numbers, and tells nothing of the packets, does not keep the circuit
 * breaker from tripping.
 */
static bool empty_acks(void)
{
	int64_t from;

	MUST(start(RATE));
	stream(SEC);
	w->lose = lose_real;
	for (from = w->now; w->end[1].conn && w->now < from + 60 * SEC;) {
		struct fdccp_packet p = { .type = FDCCP_PKT_ACK,
			.seq = fdccp_window_next(&w->end[0].conn->window),
			.ack = w->end[0].conn->window.gsr };

		forge(w, true, &p, 0);
		stream(100 * MS);
	}
	MUST(w->end[1].closed.reason == FDCCP_REASON_CIRCUIT_BREAKER);
	MUST(w->now - from > 10 * SEC && w->now - from <= 12 * SEC);
	finish(w);
	return true;
}

/* Sends a packet each 20 ms for 2 s. Return: the acknowledgments of the receiver's acknowledgments */
static unsigned int acknowledged_acks(unsigned int lost)
{
	start(RATE);
	loss = lost;
	for (int i = 0; i < 100; i++) {
		send_one(w, true, SIZE, NULL);
		run(w, w->now + 20 * MS);
		if (fdccp_ackvec_size(w->end[0].conn->ackvec) > longest)
			longest = fdccp_ackvec_size(w->end[0].conn->ackvec);
	}
	return w->end[1].sent[FDCCP_PKT_DATAACK];
}

/* An acknowledgment costs bytes, so one whose Ack Vector is short is not acknowledged. Losses make
 * vectors longer, and then acknowledgments keep them short.
 */
static bool short_vectors(void)
{
	unsigned int acks;

	acks = acknowledged_acks(0);
	MUST(acks == 0);
	finish(w);
	longest = 0;
	acks = acknowledged_acks(200);
	printf("# %u acknowledgments of Ack Vectors of up to %zu bytes\n", acks, longest);
	MUST(acks >= 5 && longest <= 16);
	finish(w);
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "CCID 254 is used if both ends list it", negotiated },
		{ "it needs a rate", needs_rate },
		{ "an end that is not ours does not get it", only_ours },
		{ "a few acknowledgments tell fates in time", feedback },
		{ "losses do not slow it down", steady },
		{ "it outlives an outage of 10 s", outages },
		{ "its circuit breaker ends the connection after more than 10 s", breaker },
		{ "40 % of the packets lost end nothing", bad_path },
		{ "acknowledgments without Ack Vectors are no feedback", empty_acks },
		{ "short Ack Vectors are not acknowledged", short_vectors },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
